"""Laws of random affine maps of several coordinates: every entry of their moments is the mean over all outcomes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.number import BALL, RATIONAL, as_number
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.moments import ExponentialTerm, MapMoments, MapsByRound
from fltheory.runs.method import NotEnumerable

Vector = tuple[Fraction, ...]
F = Fraction
ZERO, ONE = F(0), F(1)


class Map:
    """x -> matrix x + offset + s v with a fair sign s."""

    def __init__(self, matrix: Sequence[Sequence[Any]], offset: Sequence[Any], noise: Sequence[Any]) -> None:
        self.matrix = [[F(v) for v in row] for row in matrix]
        self.offset, self.noise = [F(v) for v in offset], [F(v) for v in noise]

    def outcomes(self, x: Vector) -> list[Vector]:
        rows = zip(self.matrix, self.offset, self.noise, strict=True)
        parts = [(sum((a * v for a, v in zip(row, x, strict=True)), b), n) for row, b, n in rows]
        return [tuple(p + sign * n for p, n in parts) for sign in (1, -1)]

    @property
    def covariance(self) -> list[list[Fraction]]:
        return [[a * b for b in self.noise] for a in self.noise]

    @property
    def law(self) -> MapMoments:
        convert = RATIONAL.scalar
        table = [[convert(v) for v in row] for row in self.matrix]
        spread = [[convert(v) for v in row] for row in self.covariance]
        return moments.affine_moments(table, [convert(v) for v in self.offset], spread, RATIONAL)

    @property
    def lifted(self) -> tuple[Any, Any]:
        """A~ and the covariance on (1, x)."""
        first = [[F(1), F(0), F(0)], *([b, *row] for b, row in zip(self.offset, self.matrix, strict=True))]
        spread = [[F(0)] * 3, *([F(0), *row] for row in self.covariance)]
        return matrix(first), matrix(spread)


def matrix(rows: Sequence[Sequence[Any]]) -> Any:
    return RATIONAL.matrix(len(rows), len(rows[0]), [RATIONAL.scalar(F(v)) for row in rows for v in row])


def fractions(found: Any) -> list[list[Fraction]]:
    return [[F(as_number(found[i, j])) for j in range(found.ncols())] for i in range(found.nrows())]


MAPS = (
    Map([["1/2", "1/3"], [-1, "1/5"]], [1, -2], ["1/2", 3]),
    Map([[2, 0], ["1/7", -1]], [0, "1/3"], [1, 0]),
    Map([[0, 1], ["3/2", "1/4"]], ["-1/2", 0], [0, "2/3"]),
)
START: Vector = (F(2), F(-1, 3))
Weighted = list[tuple[Fraction, Vector]]


def mean_square(points: Weighted) -> list[list[Fraction]]:
    """E[x~ x~^T]."""
    lifted = [(w, (F(1), *x)) for w, x in points]
    return [[sum((w * x[i] * x[j] for w, x in lifted), F(0)) for j in range(3)] for i in range(3)]


def mean(points: Weighted) -> list[Fraction]:
    return [sum((w * x[i] for w, x in points), F(0)) for i in range(2)]


def after(law: MapMoments, x: Vector = START) -> tuple[list[Fraction], list[list[Fraction]]]:
    """E[x] and E[x~ x~^T] after a map, by its law."""
    column = moments.outer_column([RATIONAL.scalar(v) for v in x], RATIONAL)
    own = fractions(law.first * matrix([[1], *[[v] for v in x]]))
    return [v for (v,) in own[1:]], fractions(moments.unvec(law.second * column, RATIONAL))


def told(points: Weighted) -> tuple[list[Fraction], list[list[Fraction]]]:
    return mean(points), mean_square(points)


def train(order: Sequence[Map], x: Vector, weight: Fraction = ONE) -> Weighted:
    """All outcomes of maps in succession."""
    points: Weighted = [(weight, x)]
    for own in order:
        points = [(w / 2, y) for w, p in points for y in own.outcomes(p)]
    return points


@pytest.mark.parametrize("own", MAPS)
def test_moments_of_one_map(own: Map) -> None:
    assert after(own.law) == told(train([own], START))


def test_compositions_mixtures_powers_and_the_identity() -> None:
    one, two, three = (m.law for m in MAPS)
    assert after(moments.compose_moments(one, two)) == told(train(MAPS[:2], START))
    assert after(moments.compose_moments(two, one)) == told(train(MAPS[1::-1], START))
    shares = (F(1, 2), F(1, 3), F(1, 6))
    mixed = moments.mixture_moments((RATIONAL.scalar(w), law) for w, law in zip(shares, (one, two, three), strict=True))
    assert after(mixed) == told([p for w, m in zip(shares, MAPS, strict=True) for p in train([m], START, w)])
    assert after(moments.identity_moments(3, RATIONAL)) == told([(F(1), START)])
    for times in range(6):
        again = moments.repeat_moments(one, times, RATIONAL)
        assert after(again) == told(train([MAPS[0]] * times, START))


def test_a_server_step_moves_a_share_of_the_way() -> None:
    for gamma in (F(1, 3), F(1), F(5, 2), F(-1)):
        found = moments.relaxed_moments(MAPS[0].law, RATIONAL.scalar(gamma), RATIONAL)
        points = [
            (w, tuple(v + gamma * (u - v) for u, v in zip(y, START, strict=True))) for w, y in train([MAPS[0]], START)
        ]
        assert after(found) == told(points)


@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 1, 0), (1, 2, 1), (3, 0, 0)])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_clients_in_a_random_order(counts: tuple[int, ...], size: int) -> None:
    everyone = [t for t, n in enumerate(counts) for _ in range(n)]
    orders = list(itertools.permutations(everyone, size))
    points = [p for o in orders for p in train([MAPS[t] for t in o], START, F(1, len(orders)))]
    laws = [m.law for m in MAPS]
    assert after(moments.random_order_moments(laws, counts, size, RATIONAL)) == told(points)
    for used, law in moments.prefix_moments(laws, counts, size, RATIONAL).items():
        assert sum(used) <= size
        own = list(itertools.permutations([t for t, n in enumerate(used) for _ in range(n)]))
        assert after(law) == told([p for o in own for p in train([MAPS[t] for t in o], START, F(1, len(own)))])


@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 1, 0), (1, 2, 1), (1, 0, 0), (0, 3, 0)])
def test_a_mean_over_clients_without_replacement(counts: tuple[int, ...]) -> None:
    everyone = [t for t, n in enumerate(counts) for _ in range(n)]
    for size in range(1, min(3, len(everyone)) + 1):
        sets = list(itertools.combinations(everyone, size))
        points = []
        for chosen in sets:
            for ends in itertools.product(*(train([MAPS[t]], START) for t in chosen)):
                weight = F(1, len(sets) * 2**size)
                points.append((weight, tuple(sum((y[i] for _, y in ends), F(0)) / size for i in range(2))))
        assert after(moments.average_moments([m.law for m in MAPS], counts, size, RATIONAL)) == told(points)


# Runs -------------------------------------------------------------------------------------------------------------------

BY_ROUND = (((F(1, 3), MAPS[0]), (F(2, 3), MAPS[1])), ((F(1), MAPS[2]),), ((F(1, 4), MAPS[1]), (F(3, 4), MAPS[0])))


def paths(rounds: Sequence[Sequence[tuple[Fraction, Map]]]) -> list[tuple[Fraction, tuple[Vector, ...]]]:
    found: list[tuple[Fraction, tuple[Vector, ...]]] = [(F(1), (START,))]
    for own in rounds:
        found = [(w * v / 2, (*p, y)) for w, p in found for v, m in own for y in m.outcomes(p[-1])]
    return found


def by_round() -> MapsByRound:
    return MapsByRound(tuple(tuple((RATIONAL.scalar(w), *m.lifted) for w, m in own) for own in BY_ROUND), RATIONAL)


def mixture(own: Sequence[tuple[Fraction, Map]]) -> MapMoments:
    return moments.mixture_moments((RATIONAL.scalar(w), m.law) for w, m in own)


@pytest.mark.parametrize("decay", [F(1), F(2, 3), F(2), F(0)])
@pytest.mark.parametrize("alike", [False, True])
def test_runs_and_their_weighted_averages(alike: bool, decay: Fraction) -> None:
    """Every entry of E[x~ x~^T] in each round and of the average with weights decay^(R - r)."""
    rounds = [BY_ROUND[0]] * 3 if alike else BY_ROUND
    law = mixture(BY_ROUND[0]) if alike else by_round()
    start = moments.outer_column([RATIONAL.scalar(v) for v in START], RATIONAL)
    every = paths(rounds)
    states = moments.trajectory(law, start, 3)
    assert len(states) == 4
    for r, state in enumerate(states):
        assert fractions(moments.unvec(state, RATIONAL)) == mean_square([(w, p[r]) for w, p in every])
    assert moments.second_moments(law, start, 3, RATIONAL) == states[3]
    weights = [decay ** (3 - r) for r in range(4)]
    points = [
        (w, tuple(sum((v * x[i] for v, x in zip(weights, p, strict=True)), F(0)) / sum(weights) for i in range(2)))
        for w, p in every
    ]
    found = moments.average_iterate_moments(law, start, 3, RATIONAL.scalar(decay), RATIONAL)
    assert fractions(moments.unvec(found, RATIONAL)) == mean_square(points)


def test_mean_maps_of_rounds() -> None:
    law = by_round()
    for r, own in enumerate(BY_ROUND):
        assert fractions(law.mean(r)) == fractions(mixture(own).first)


def test_vectors_and_matrices_are_inverse_and_products_multiply_entries() -> None:
    square = matrix([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert moments.unvec(moments.vec(square, RATIONAL), RATIONAL) in (square, square.transpose())
    a, b = matrix([[1, 2, 3], [4, 5, 6]]), matrix([[7, -1], [0, 2], [1, 1]])
    expected = np.kron(np.array(fractions(a)), np.array(fractions(b))).tolist()
    assert fractions(moments.kron(a, b, RATIONAL)) == expected
    found = moments.weighted_kron_sum([(F(2), square), (F(-1, 3), square)], RATIONAL)
    assert fractions(found) == (np.kron(fractions(square), fractions(square)) * F(5, 3)).tolist()
    for exponent in range(9):
        power = np.linalg.matrix_power(np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], dtype=object), exponent)
        assert fractions(moments.matrix_power(square, exponent, RATIONAL)) == power.tolist()


def test_quadratic_forms_around_a_centre() -> None:
    points: Weighted = [(F(1, 4), (F(1), F(2))), (F(3, 4), (F(-1, 2), F(5)))]
    column = moments.vec(matrix(mean_square(points)), RATIONAL)
    form, centre = [[F(2), F(-1)], [F(3), F(0)]], (F(1, 3), F(-2))
    expected = sum(
        w * form[i][j] * (x[i] - centre[i]) * (x[j] - centre[j]) for w, x in points for i in range(2) for j in range(2)
    )
    found = moments.quadratic_mean(
        column, lambda i, j: RATIONAL.scalar(form[i][j]), [RATIONAL.scalar(v) for v in centre], RATIONAL
    )
    assert F(as_number(found)) == expected


# Long runs of one coordinate --------------------------------------------------------------------------------------------


def law_of(a: Fraction, b: Fraction, spread: Fraction, second: Fraction = ZERO, ring: Any = BALL) -> MapMoments:
    """x -> (a + s second) x + b + noise: two maps with equal chances."""
    convert = ring.scalar
    parts = [
        moments.affine_moments([[convert(a + s * second)]], [convert(b + s)], [[convert(spread)]], ring)
        for s in (1, -1)
    ]
    return moments.mixture_moments((convert(F(1, 2)), p) for p in parts)


@pytest.mark.parametrize("second", [F(0), F(1, 5), F(3, 5)])
def test_squared_distances_are_two_exponentials_and_a_constant(second: Fraction) -> None:
    law, centre, factor = law_of(F(1, 2), F(2, 3), F(1, 7), second), F(3, 4), F(5)
    start = moments.outer_column([BALL.scalar(F(2))], BALL)
    form = moments.squared_distance_terms(law, start, BALL.scalar(centre), BALL.scalar(factor))
    assert form is not None
    constant, terms = form
    exact = moments.trajectory(
        law_of(F(1, 2), F(2, 3), F(1, 7), second, RATIONAL), moments.outer_column([fmpq(2)], RATIONAL), 6
    )
    for r, state in enumerate(exact):
        expected = factor * (F(as_number(state[3, 0])) - 2 * centre * F(as_number(state[1, 0])) + centre * centre)
        value = constant + sum(t.coefficient * t.ratio**r for t in terms)
        assert value.overlaps(BALL.scalar(expected))
        assert value.rad() < 1e-10


@pytest.mark.parametrize(
    ("a", "second"),
    [
        (F(1), F(0)),
        (F(3, 2), F(0)),
        (F(0), F(0)),
        (F(-1, 2), F(0)),
        (F(1, 2), F(1)),
        (F(1, 2), F(1, 2)),
        (F(0), F(1, 2)),
    ],
)
def test_other_ratios_have_no_such_form(a: Fraction, second: Fraction) -> None:
    """E A and E A^2 lie in (0, 1) and differ: with A = 1/2 +- 1/2 they are equal, with 1/2 +- 1 the second is 5/4."""
    start = moments.outer_column([BALL.scalar(F(2))], BALL)
    assert moments.squared_distance_terms(law_of(a, F(1), F(0), second), start, arb(0), arb(1)) is None


def test_a_ratio_that_is_not_told_from_1_has_no_such_form() -> None:
    law = law_of(F(1, 2), F(0), F(0))
    for row, first in ((True, arb(1, 1e-9)), (False, arb(0, 1e-9))):
        wide = MapMoments(law.first * 1, law.second * 1)
        wide.first[1, 1] = first
        start = moments.outer_column([BALL.scalar(F(2))], BALL)
        assert moments.squared_distance_terms(wide, start, arb(0), arb(1)) is None, row


SUMS = {
    "falls": (F(1), [(F(2), F(1, 2))]),
    "rises": (F(1), [(F(-2), F(1, 2))]),
    "dips": (F(1), [(F(-4), F(9, 10)), (F(5), F(1, 2))]),
    "dips late": (F(3), [(F(-4), F(99, 100)), (F(5), F(19, 20))]),
    "peaks": (F(1), [(F(4), F(9, 10)), (F(-5), F(1, 2))]),
    "three": (F(2), [(F(-9), F(9, 10)), (F(12), F(8, 10)), (F(-4), F(1, 2))]),
    "is 0 at its least": (F(4, 100), [(F(-4, 10), F(1, 2)), (F(1), F(1, 4))]),
    "constant": (F(3), []),
}


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("last", [0, 1, 2, 3, 10, 97])
def test_the_least_round_is_found(name: str, last: int) -> None:
    constant, terms = SUMS[name]
    values = [constant + sum((c * ratio**r for c, ratio in terms), F(0)) for r in range(last + 1)]
    found = moments.minimum_over_rounds(
        BALL.scalar(constant), [ExponentialTerm(BALL.scalar(c), BALL.scalar(q)) for c, q in terms], last
    )
    assert found.overlaps(BALL.scalar(min(values)))
    assert found.rad() < 1e-9
    assert not any(found > BALL.scalar(v) for v in values)


def test_a_search_that_stops_early_still_encloses_the_least(monkeypatch: pytest.MonkeyPatch) -> None:
    constant, terms = SUMS["dips late"]
    least = min(constant + sum(c * q**r for c, q in terms) for r in range(400))
    ended = [ExponentialTerm(BALL.scalar(c), BALL.scalar(q)) for c, q in terms]
    widths = []
    for ranges in (1, 3, 8, 4000):
        monkeypatch.setattr(moments, "MAX_RANGES", ranges)
        found = moments.minimum_over_rounds(BALL.scalar(constant), ended, 399)
        assert found.lower() <= BALL.scalar(least)
        widths.append(float(BALL.scalar(least) - found.lower()))
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 1e-3
    assert widths[-1] < 1e-9


def test_orders_of_many_different_clients_are_refused_before_they_fill_the_memory() -> None:
    """Each of M different clients doubles the parts of an order; equal ones only add to them."""
    one = moments.identity_moments(2, RATIONAL)
    with pytest.raises(
        NotEnumerable, match=r"18 clients of 18 kinds come in 262144 parts of an order, expected at most 131072"
    ):
        moments.prefix_moments([one] * 18, [1] * 18, 18, RATIONAL)
    assert len(moments.prefix_moments([one, one], [300, 1], 301, RATIONAL)) == 602
