"""Vectors as linear forms and expressions in their products are what they are for numbers: negative, zero, equal ones."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import fmpq

from fltheory.worst_case import gram
from fltheory.worst_case.functions import Point, interpolation_inequality
from fltheory.worst_case.functions.quadratic import range_entry

SIZE, DIM = 4, 2
Rows = list[list[Fraction]]


def drawn(random: Random) -> Fraction:
    return Fraction(random.randint(-3, 3), random.randint(1, 3))


def vectors(random: Random) -> gram.Vector:
    return gram.vector({i: as_flint(drawn(random)) for i in range(SIZE)})


def as_flint(number: Fraction) -> fmpq:
    return fmpq(number.numerator, number.denominator)


def plain(number: fmpq) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def at(v: gram.Vector, rows: Rows) -> list[Fraction]:
    """The coordinates of a vector where those of the basis are known."""
    return [sum((plain(c) * rows[i][axis] for i, c in v), Fraction(0)) for axis in range(DIM)]


def dot(u: list[Fraction], v: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def evaluated(expression: gram.Expression, rows: Rows, values: dict[object, Fraction]) -> Fraction:
    products = sum((plain(c) * dot(rows[i], rows[j]) for (i, j), c in expression.products.items()), Fraction(0))
    named = sum((plain(c) * values[name] for name, c in expression.values.items()), Fraction(0))
    return products + named + plain(expression.constant)


@pytest.mark.parametrize("seed", range(20))
def test_forms_and_expressions_are_their_numbers(seed: int) -> None:
    random = Random(seed)
    rows = [[drawn(random) for _ in range(DIM)] for _ in range(SIZE)]
    u, v, w = (vectors(random) for _ in range(3))
    a, b = drawn(random), drawn(random)
    x, y, z = (at(one, rows) for one in (u, v, w))
    assert at(gram.linear_combination((as_flint(a), u), (as_flint(b), v), (as_flint(a), w)), rows) == [
        a * p + b * q + a * r for p, q, r in zip(x, y, z, strict=True)
    ]
    assert at(gram.difference(u, v), rows) == [p - q for p, q in zip(x, y, strict=True)]
    assert gram.difference(u, u) == gram.ORIGIN
    values: dict[object, Fraction] = {"f": drawn(random), 3: drawn(random)}
    parts = [
        (a, gram.product(u, v), dot(x, y)),
        (b, gram.square(w), dot(z, z)),
        (a, gram.value("f"), values["f"]),
        (
            b,
            gram.combine_expressions((gram.ONE, gram.value(3)), (as_flint(a), gram.value("f"))),
            values[3] + a * values["f"],
        ),
        (a, gram.constant(fmpq(-2, 3)), Fraction(-2, 3)),
        (b, gram.combine_products((as_flint(a), u, v), (as_flint(b), v, w)), a * dot(x, y) + b * dot(y, z)),
    ]
    whole = gram.combine_expressions(*((as_flint(weight), one) for weight, one, _ in parts))
    assert evaluated(whole, rows, values) == sum(weight * number for weight, _, number in parts)
    expected = sum((number for _, _, number in parts), Fraction(0)) / len(parts)
    assert evaluated(gram.mean(one for _, one, _ in parts), rows, values) == expected
    assert evaluated(whole.times(as_flint(b)), rows, values) == b * evaluated(whole, rows, values)
    nothing = gram.combine_expressions((gram.ONE, whole), (-gram.ONE, whole))
    assert nothing == gram.Expression()
    assert all(i <= j for i, j in gram.product(u, v).products)


@pytest.mark.parametrize("seed", range(20))
def test_weights_in_a_span(seed: int) -> None:
    """They give the vector back; what is outside the span has none, and the origin has weights of 0."""
    random = Random(seed)
    others = [gram.vector({0: fmpq(1), 2: as_flint(drawn(random))}), gram.vector({1: fmpq(-2), 2: fmpq(1, 3)})]
    a, b = as_flint(drawn(random)), as_flint(drawn(random))
    assert gram.weights_of(gram.linear_combination((a, others[0]), (b, others[1])), others) == [a, b]
    assert gram.weights_of(gram.basis(3), others) is None
    assert gram.weights_of(gram.linear_combination((a, others[0]), (gram.ONE, gram.basis(3))), others) is None
    assert gram.weights_of(gram.ORIGIN, others) == [0, 0]
    assert gram.weights_of(gram.ORIGIN, [gram.ORIGIN, gram.ORIGIN]) == [0, 0]
    assert gram.weights_of(gram.ORIGIN, []) == []
    assert gram.weights_of(gram.basis(0), []) is None


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("low", "high"), [("0", "1"), ("1/3", "5/2"), ("-2", "2")])
def test_the_inequalities_of_quadratic_functions(low: str, high: str, seed: int) -> None:
    """A diagonal quadratic in the range satisfies them; the matrix has the entries that its definition says."""
    random, mu, ell = Random(seed), Fraction(low), Fraction(high)
    bends = [random.choice([mu, ell, (mu + 2 * ell) / 3]) for _ in range(DIM)]
    rows = [[drawn(random) for _ in range(DIM)] for _ in range(2)]
    rows += [[c * p for c, p in zip(bends, row, strict=True)] for row in rows]  # the gradients
    heights: dict[object, Fraction] = {k: dot(rows[k], rows[2 + k]) / 2 for k in (0, 1)}
    one, other = (Point(gram.basis(k), gram.basis(2 + k), k) for k in (0, 1))
    limits = as_flint(mu), as_flint(ell)
    found = evaluated(interpolation_inequality(one, other, *limits), rows, heights)
    move, change = ([p - q for p, q in zip(rows[k], rows[k + 1], strict=True)] for k in (0, 2))
    sharp = dot(change, change) / ell + mu * dot(move, move) - 2 * mu / ell * dot(change, move)
    assert found == heights[1] - heights[0] + dot(rows[3], move) + sharp / (2 * (1 - mu / ell))
    assert found <= 0
    assert set(bends) - {mu, ell} or found == 0  # a function with the extreme curvatures alone is the sharpest

    def entry(i: int, j: int) -> Fraction:
        left = [g - mu * x for g, x in zip(rows[2 + i], rows[i], strict=True)]
        return dot(left, [g - ell * x for g, x in zip(rows[2 + j], rows[j], strict=True)])

    assert evaluated(range_entry(one, other, *limits), rows, heights) == entry(0, 1) + entry(1, 0)
    assert evaluated(range_entry(one, one, *limits), rows, heights) == entry(0, 0) <= 0


def test_a_rational_as_a_float() -> None:
    assert gram.as_float(fmpq(-7, 4)) == -1.75
    assert gram.as_float(fmpq(10**400, 10**400 - 1)) == 1.0
