"""Rationals that turn into balls, roots and powers, linear algebra, sums and means, agreement of floats."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, ctx, fmpq
from sympy import sqrt

from fltheory.number import BALL, RATIONAL, NotRational
from fltheory.number.agreement import RELATIVE_TOLERANCE, answers_agree, as_float_array
from fltheory.number.linear import is_semidefinite, nearby_solution, solve_lcp
from fltheory.number.mixed import (
    evaluate_mixed,
    is_zero,
    larger_of,
    largest,
    may_be_zero,
    mixed_array,
    mixed_log,
    mixed_power,
    mixed_sqrt,
    shorten_to_ball,
    smaller_of,
    smallest,
    to_mixed,
    to_ring,
)
from fltheory.number.rational import LONGEST_POWER, distinguishing_key, length, rational_nth_root, rational_power
from fltheory.number.vectors import average, columnwise_mean, exact_sqrt, total
from fltheory.symbols import smoothness

HALF = Fraction(1, 2)


def same(one: Any, two: Any) -> bool:
    """Of the same kind and, of balls, with a number in common."""
    return type(one) is type(two) and bool(one.overlaps(two) if isinstance(one, arb) else one == two)


# Mixed numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "mixed"),
    [
        (3, fmpq(3)),
        (HALF, fmpq(1, 2)),
        (fmpq(2, 3), fmpq(2, 3)),
        (arb(2), arb(2)),
        (sqrt(2), arb(2).sqrt()),
        (sympy.pi, arb.pi()),
    ],
)
def test_exact_numbers_are_rational_if_they_are(value: Any, mixed: Any) -> None:
    assert same(to_mixed(value), mixed)
    assert same(mixed_array([value, 1])[0], mixed)


def test_formulas_are_rational_if_they_are() -> None:
    assert same(evaluate_mixed(smoothness / 3, {smoothness: 2}), fmpq(2, 3))
    assert same(evaluate_mixed(sqrt(smoothness), {smoothness: 2}), arb(2).sqrt())
    assert mixed_array([]).shape == (0,)


@pytest.mark.parametrize(
    ("value", "root"),
    [
        (fmpq(4, 9), fmpq(2, 3)),
        (fmpq(0), fmpq(0)),
        (fmpq(4, 3), (arb(4) / 3).sqrt()),
        (fmpq(3, 4), arb(3).sqrt() / 2),
        (9, fmpq(3)),
        (arb(9), arb(3)),
    ],
)
def test_roots_of_mixed_numbers(value: Any, root: Any) -> None:
    assert same(mixed_sqrt(value), root)


def test_the_root_of_a_negative_number_is_refused_and_a_ball_is_cut_off() -> None:
    with pytest.raises(ValueError, match="expected a nonnegative number for a root, got -1/4"):
        mixed_sqrt(fmpq(-1, 4))
    cut = mixed_sqrt(arb(0, 1))
    assert cut.is_finite()
    assert cut.contains(1)
    assert cut.contains(0)


def test_logarithms_and_powers() -> None:
    assert same(mixed_log(1), fmpq(0))
    assert same(mixed_log(HALF), arb(HALF.numerator).log() - arb(2).log())
    assert same(mixed_log(arb(1)), fmpq(0)) or mixed_log(arb(1)).contains(0)
    assert same(mixed_power(HALF, 3), fmpq(1, 8))
    assert same(mixed_power(HALF, -2), fmpq(4))
    assert same(mixed_power(4, HALF), arb(2))
    assert same(mixed_power(arb(2), 3), arb(8))
    assert same(mixed_power(3, sqrt(2)), (arb(2).sqrt() * arb(3).log()).exp())


ORDERED = [fmpq(-1), fmpq(1, 3), arb(1) / 2, fmpq(2), arb(3)]


def test_the_smaller_and_the_larger_of_two() -> None:
    for i, j in itertools.product(range(5), repeat=2):
        assert same(smaller_of(ORDERED[i], ORDERED[j]), ORDERED[min(i, j)])
        assert same(larger_of(ORDERED[i], ORDERED[j]), ORDERED[max(i, j)])
    for order in itertools.permutations(ORDERED):
        assert same(smallest(order), fmpq(-1))
        assert same(largest(order), arb(3))
    one, two = arb(1, 0.5), arb(1.25, 0.5)
    below, above = smaller_of(one, two), larger_of(one, two)
    assert (float(below.lower()), float(below.upper())) == pytest.approx((0.5, 1.5), abs=1e-6)
    assert (float(above.lower()), float(above.upper())) == pytest.approx((0.75, 1.75), abs=1e-6)


@pytest.mark.parametrize(
    ("value", "sure", "possible"),
    [
        (fmpq(0), True, True),
        (fmpq(1, 9), False, False),
        (fmpq(-1), False, False),
        (0, True, True),
        (arb(0), True, True),
        (arb(0, 1), False, True),
        (arb(1, 0.5), False, False),
        (arb("1e-9"), False, False),
    ],
)
def test_whether_a_number_is_or_may_be_zero(value: Any, sure: bool, possible: bool) -> None:
    assert is_zero(value) is sure
    assert may_be_zero(value) is possible


@pytest.mark.parametrize(("bits", "short"), [(5, True), (4, False)])
def test_a_long_rational_is_shortened_to_a_ball(bits: int, short: bool) -> None:
    """7/3 has five bits above and below."""
    found = shorten_to_ball(fmpq(7, 3), bits)
    assert isinstance(found, fmpq) == short
    assert same(shorten_to_ball(arb(2), 1), arb(2))
    assert found == fmpq(7, 3) if short else found.overlaps(arb(7) / 3)
    assert isinstance(shorten_to_ball(fmpq(2) ** 4094), fmpq)
    assert isinstance(shorten_to_ball(fmpq(2) ** 4095), arb)


def test_a_ball_is_no_element_of_the_rationals() -> None:
    assert same(to_ring(fmpq(1, 3), RATIONAL), fmpq(1, 3))
    assert same(to_ring(fmpq(1, 3), BALL), arb(1) / 3)
    assert same(to_ring(arb(3), BALL), arb(3))
    with pytest.raises(NotRational):
        to_ring(arb(3), RATIONAL)


# Roots and powers of rationals -------------------------------------------------------------------------------------------


def test_the_length_of_a_rational() -> None:
    for p, q in ((0, 1), (1, 1), (7, 8), (8, 7), (-255, 256), (1, 1000)):
        value = Fraction(p, q)
        assert length(value) == max(len(bin(abs(value.numerator))) - 2 if value else 0, len(bin(value.denominator)) - 2)


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_rational_roots(degree: int) -> None:
    for p, q in itertools.product((0, 1, 2, 3, 8), (1, 2, 3)):
        base = Fraction(p, q)
        assert rational_nth_root(base**degree, degree) == base
        assert rational_nth_root(base, degree) == (base if degree == 1 or base in (0, 1) else None) or base in (4, 8)
    assert rational_nth_root(Fraction(-8), degree) == (-8 if degree == 1 else None)
    assert rational_nth_root(Fraction(4, 3), 2) is None
    assert rational_nth_root(Fraction(3, 4), 2) is None


def test_a_root_of_a_degree_beyond_the_length_is_irrational() -> None:
    assert rational_nth_root(Fraction(8), 3) == 2
    assert rational_nth_root(Fraction(4), 3) is None  # as many as the bits
    assert rational_nth_root(Fraction(4), 10**9) is None
    assert rational_nth_root(Fraction(1), 10**9) == 1
    assert rational_nth_root(Fraction(0), 10**9) == 0
    assert rational_nth_root(Fraction(-1), 3) is None


@pytest.mark.parametrize("base", [Fraction(0), Fraction(1), Fraction(-1), Fraction(2), Fraction(-2, 3), HALF])
@pytest.mark.parametrize("exponent", [-3, -2, -1, 0, 1, 2, 3, 10**9, 10**9 + 1, -(10**9), -(10**9) - 1])
def test_rational_powers(base: Fraction, exponent: int) -> None:
    if base == 0 and exponent < 0:
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            rational_power(base, exponent)
    elif abs(base) in (0, 1):
        assert rational_power(base, exponent) == (base if exponent % 2 else base**2 if exponent else 1)
    else:
        assert rational_power(base, exponent) == (base**exponent if abs(exponent) < 10 else None)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_longest_power(sign: int) -> None:
    """Of a base of two bits."""
    assert rational_power(Fraction(3), sign * LONGEST_POWER // 2) == Fraction(3) ** (sign * LONGEST_POWER // 2)
    assert rational_power(Fraction(3), sign * (LONGEST_POWER // 2 + 1)) is None


def test_rationals_of_flint_have_keys() -> None:
    assert distinguishing_key([fmpq(2, 3), 5, "a"]) == ((2, 3), 5, "a")


# Linear algebra ----------------------------------------------------------------------------------------------------------


def matrix(rows: Any) -> list[list[fmpq]]:
    return [[fmpq(Fraction(v).numerator, Fraction(v).denominator) for v in row] for row in rows]


def test_semidefiniteness_is_that_of_eigenvalues() -> None:
    assert is_semidefinite([])
    for a, b, c in itertools.product((-1, 0, 1, 2), repeat=3):
        assert is_semidefinite(matrix([[a, b], [b, c]])) == (a >= 0 and c >= 0 and a * c >= b * b), (a, b, c)
    assert is_semidefinite(matrix([["1/2", "1/3"], ["1/3", "2/9"]]))
    assert not is_semidefinite(matrix([["1/2", "1/3"], ["1/3", "2/9001"]]))
    assert not is_semidefinite(matrix([[1, 0, 0], [0, -1, 0], [0, 0, -1]]))


def test_a_solution_near_a_point() -> None:
    near = [fmpq(1), fmpq(5), fmpq(3)]
    equations = [{0: fmpq(1), 1: fmpq(2)}, {1: fmpq(1), 2: fmpq(-1)}]
    found = nearby_solution(near, equations, [fmpq(12), fmpq(2)])
    assert found is not None
    for equation, right in zip(equations, (12, 2), strict=True):
        assert sum(c * found[k] for k, c in equation.items()) == right
    assert found == [fmpq(1), fmpq(11, 2), fmpq(7, 2)]  # the largest ones move
    assert nearby_solution(near, equations, [fmpq(11), fmpq(2)]) == near
    twice = [{0: fmpq(1)}, {0: fmpq(2)}]
    assert nearby_solution(near, twice, [fmpq(1), fmpq(3)]) is None
    assert nearby_solution(near, twice, [fmpq(2), fmpq(4)]) == [fmpq(2), fmpq(5), fmpq(3)]
    assert nearby_solution(near, [], []) == near
    again = [{0: fmpq(1), 1: fmpq(1)}] * 2
    assert nearby_solution(near, again, [fmpq(7), fmpq(7)]) == [fmpq(1), fmpq(6), fmpq(3)]


def test_linear_complementarity_by_all_supports() -> None:
    """A solution is found exactly where one of all choices of positive entries gives one."""
    random = np.random.default_rng(0)
    solved = 0
    for trial in range(40):
        n = 1 + trial % 3
        half = random.integers(-2, 3, (n, max(1, n - trial % 2)))
        skew = random.integers(-1, 2, (n, n))
        own = half @ half.T + skew - skew.T
        q = random.integers(-3, 3, n)
        m = matrix(own.tolist())
        found = solve_lcp(m, [fmpq(int(v)) for v in q])
        if found is None:
            assert not any(
                supported(own, q, support) for k in range(n + 1) for support in itertools.combinations(range(n), k)
            )
            continue
        solved += 1
        w = [sum((m[i][j] * found[j] for j in range(n)), fmpq(int(q[i]))) for i in range(n)]
        assert all(v >= 0 for v in (*found, *w))
        assert all(z * v == 0 for z, v in zip(found, w, strict=True))
    assert 20 <= solved < 40


def supported(own: np.ndarray, q: np.ndarray, support: tuple[int, ...]) -> bool:
    """Whether there is a solution that is positive on the support alone (of full rank there)."""
    inner = sympy.Matrix(own[np.ix_(support, support)].tolist()) if support else sympy.Matrix(0, 0, [])
    if support and inner.det() == 0:
        return False
    z = inner.solve(-sympy.Matrix([int(q[i]) for i in support])) if support else []
    if any(v < 0 for v in z):
        return False
    full = sympy.zeros(len(q), 1)
    for i, v in zip(support, z, strict=True):
        full[i] = v
    return all(v >= 0 for v in sympy.Matrix(own.tolist()) * full + sympy.Matrix([int(v) for v in q]))


# Vectors -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("square", "root"),
    [
        (Fraction(4, 9), Fraction(2, 3)),
        (Fraction(4), 2),
        (Fraction(0), 0),
        (Fraction(2), sqrt(2)),
        (HALF, sqrt(2) / 2),
        (Fraction(4, 3), 2 * sqrt(3) / 3),
        (Fraction(3, 4), sqrt(3) / 2),
    ],
)
def test_roots_of_rationals_are_exact(square: Fraction, root: Any) -> None:
    assert exact_sqrt(square) == root


@pytest.mark.parametrize(("bits", "ball"), [(999, False), (1000, True)])
def test_the_root_of_a_long_rational_is_a_narrow_ball(bits: int, ball: bool) -> None:
    square = Fraction(2**bits * 3 if bits % 2 == 0 else 2**bits)
    assert length(square) == (bits + 2 if bits % 2 == 0 else bits + 1)
    found = exact_sqrt(square)
    assert isinstance(found, arb) == ball
    if ball:
        assert found.rel_accuracy_bits() >= 1000
        with ctx.workprec(2200):
            assert (found * found).overlaps(arb(int(square)))


def test_sums_and_means() -> None:
    assert columnwise_mean(((1, HALF), (2, 3))) == (Fraction(3, 2), Fraction(7, 4))
    assert average([Fraction(1), Fraction(2), HALF]) == Fraction(7, 6)
    assert total([]) == 0
    assert type(total([])) is Fraction
    assert total(iter([HALF, HALF])) == 1


# Agreement ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("off", "agree"), [(0.0, True), (0.9, True), (1.1, False), (-0.9, True), (-1.1, False)])
@pytest.mark.parametrize("scale", [1.0, 1e6])
@pytest.mark.parametrize("negative", [False, True])
def test_results_agree_to_a_billionth_of_the_larger(off: float, agree: bool, scale: float, negative: bool) -> None:
    one = np.array([scale * (-1 if negative else 1), 0.25])
    two = one + np.array([0.0, off * RELATIVE_TOLERANCE * scale])
    assert answers_agree(one, two) == agree
    assert answers_agree(two, one) == agree
    assert not answers_agree(one, one[:1])
    assert not answers_agree(one, one + 1)


def test_the_size_of_results_may_be_given() -> None:
    assert not answers_agree([1e-3], [1e-3 + 1e-8])
    assert answers_agree([1e-3], [1e-3 + 1e-8], 100.0)
    assert answers_agree([], [])
    assert not answers_agree([math.nan], [math.nan])
    assert answers_agree([HALF, arb(2)], [0.5, 2.0])
    assert as_float_array([[HALF, 2]]).tolist() == [[0.5, 2.0]]
    assert as_float_array(np.array([[fmpq(1, 2)]], dtype=object)).shape == (1, 1)
    assert as_float_array(np.array([1, 2])).dtype == float
