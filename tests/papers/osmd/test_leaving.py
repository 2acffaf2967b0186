"""Intervals of floats around the course of updates: beside balls of 300 bits, whose values they enclose closely."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from fltheory.papers.osmd.experts.kernels import leaving as kernel
from fltheory.papers.osmd.experts.kernels.leaving import Ends, Start


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with ctx.workprec(300):
        yield


def chance(y: Any) -> arb:
    """1 / (1 + exp(-y))."""
    return 1 / (1 + (-arb(y)).exp())


@pytest.mark.parametrize("v", [0.0, 1.0, -1.0, 1e-300, -1e-300, 3e200, -3e200, 5e-324, 0.3, -0.3])
def test_floats_are_widened_outwards_by_eight_roundings(v: float) -> None:
    low, high = Fraction(kernel._below(v)), Fraction(kernel._above(v))
    widened = abs(Fraction(v)) / 2**50 + Fraction(2.0**-1000)
    for distance in (Fraction(v) - low, high - Fraction(v)):
        assert widened * Fraction(3, 4) <= distance <= widened * Fraction(5, 4)


@pytest.mark.parametrize("y", [0.0, 1.0, -1.0, 1.25, -1.25, 0.3, -1e-9])
def test_the_probability_of_log_odds(y: float) -> None:
    assert abs(arb(kernel.probability(y)) / chance(y) - 1) < arb(2) ** -47


def test_the_mixture_lies_between_the_experts_that_are_near_the_best() -> None:
    """An expert that is behind by exactly APART is near; one behind by more is not; by sets of experts, all of them."""
    apart, best = kernel.APART, 0.5
    low, high = np.array([0.1, -0.2, 0.3, -0.9]), np.array([0.2, 0.0, 0.6, 0.9])
    for far in range(16):
        near = [e for e in range(4) if not far >> e & 1]
        behind = np.array([best + apart if e in near else best + 1.01 * apart for e in range(4)])
        found = kernel._mixture(low, high, behind, best)
        wanted = (min(low[near]), max(high[near])) if near else (math.inf, -math.inf)
        assert found == wanted


GAINS = [1e-9, 1e-3, 0.02, 0.2, 3.0]


@pytest.mark.parametrize("gain", GAINS)
@pytest.mark.parametrize(("top", "q"), [(1.2, 0.5), (1.2, 0.95), (0.4, 0.3), (0.05, 0.5)])
def test_a_move_encloses_the_moves_of_all_points(gain: float, top: float, q: float) -> None:
    """y + g/(p(y)^2 q), cut at the end, of the ends and the middle of each interval; and of a point hardly more."""
    for y in (-top, -top / 2, 0.0, top / 3, top):
        for width in (0.0, 1e-10):
            given = [y, y + width], [gain, gain * (1 + width)], [q, q + width], [top, top + width]
            low, high = kernel._move_odds(*given[0], *given[1], *given[2], *given[3])
            moved = [
                (arb(a) + arb(b) / (chance(a) ** 2 * arb(c))).min(arb(d))
                for a in (*given[0], y + width / 2)
                for b in given[1]
                for c in given[2]
                for d in given[3]
            ]
            assert all(arb(low) <= v for v in moved)
            assert all(v <= arb(high) for v in moved)
            assert high - low <= (1e-12 if width == 0 else 1e-8) * (1 + gain / q)


def test_a_move_takes_the_worst_of_both_where_it_does_not_rise() -> None:
    """Where 2 g (1 - p)/(p^2 q) > 1, points move less the farther they are; just below, ends are mapped to ends."""
    for gain in (0.1, 0.12, 0.1237, 0.124, 0.13, 0.4, 9.0):
        low, high = kernel._move_odds(0.0, 1e-3, gain, gain, 0.5, 0.5, 1e3, 1e3)
        ends = [arb(y) + arb(gain) / (chance(y) ** 2 * arb("0.5")) for y in (0.0, 5e-4, 1e-3)]
        assert all(arb(low) <= v <= arb(high) for v in ends)
        rise = 1 - 2 * gain * 0.5 / (0.25 * 0.5)
        spread = 1e-3 * (rise if rise > 0.01 else 1 - rise + 1)
        assert high - low == pytest.approx(spread, rel=0.3, abs=2e-5)


def test_a_move_does_not_leave_the_simplex_at_the_other_end() -> None:
    """What is lost by rounding at -top comes back to it."""
    top = 0.75
    low, high = kernel._move_odds(-top, -top, 0.0, 0.0, 0.5, 0.5, top, top)
    assert low == -top < high
    low, high = kernel._move_odds(-top, -top, 0.0, 0.0, 0.5, 0.5, 0.5, 0.75)
    assert low == -top
    assert kernel._move_odds(0.7, 0.7, 0.0, 0.0, 0.5, 0.5, 0.25, 0.5) == (0.25, 0.5)


class Course:
    """The plain course: log odds of the first client and losses of the experts; the best one is followed."""

    def __init__(self, first: bool, gains: list[float], plays: list[float], losses: list[float]) -> None:
        self.first, self.gains = first, [arb(v) for v in gains]
        self.plays, self.losses = [arb(v) for v in plays], [arb(v) for v in losses]

    def update(self, top: float, leaves: float) -> arb:
        leader = min(range(len(self.plays)), key=lambda e: float(self.losses[e]))
        own = self.plays[leader] if self.first else -self.plays[leader]
        if chance(own) > arb(leaves):
            self.first, own = not self.first, -own
        q = chance(own)
        for e, gain in enumerate(self.gains):
            y = self.plays[e] if self.first else -self.plays[e]
            self.losses[e] += 1 / (chance(y) * q)
            y = (y + gain / (chance(y) ** 2 * q)).min(arb(top))
            self.plays[e] = y if self.first else -y
        return q


def points(*values: float) -> Ends:
    return Ends(np.array(values), np.array(values))


def given(first: bool, gains: list[float], plays: list[float], losses: list[float]) -> Start:
    return Start(first, points(*gains), points(*plays), points(*losses))


STARTS: list[Any] = [
    (True, [0.01], [0.0], [0.0]),
    (False, [0.01], [0.1], [0.0]),
    (True, [0.02, 0.3], [0.1, -0.3], [0.0, 0.5]),
    (False, [0.5, 0.04, 0.3], [0.2, -0.1, -0.3], [0.7, 0.0, 0.4]),
    (True, [0.05, 0.07], [-0.3, 0.2], [0.3, 0.0]),
]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("top", "leaves"), [(0.5, 0.52), (1.2, 0.6), (0.1, 0.9), (0.3, 0.5001)])
def test_a_few_updates_beside_the_plain_course(start: Any, top: float, leaves: float) -> None:
    known, rounds = [0.4, 0.45], 9
    found = kernel.follow_updates(given(*start), points(*known), (top, top), (leaves, leaves), rounds)
    course = Course(*start)
    wanted = [*map(arb, known), *(course.update(top, leaves) for _ in range(rounds - len(known)))]
    assert found is not None
    assert len(found.low) == len(found.high) == rounds
    for low, high, q in zip(found.low, found.high, wanted, strict=True):
        assert arb(low) <= q <= arb(high)
        assert high - low <= 1e-10


def test_intervals_of_gains_plays_and_losses_hold_all_courses_from_them() -> None:
    w = 1e-12
    low, high = [0.02, 0.3], [0.02 + w, 0.3 + w]
    start = Start(
        True,
        Ends(np.array(low), np.array(high)),
        Ends(np.array([0.1, -0.3]) - w, np.array([0.1, -0.3]) + w),
        Ends(np.array([0.0, 0.5]) - w, np.array([0.0, 0.5]) + w),
    )
    found = kernel.follow_updates(start, points(0.5), (0.5, 0.5 + w), (0.52, 0.52 + w), 8)
    assert found is not None
    for s in (-w, 0.0, w):
        for gains in (low, high):
            course = Course(True, gains, [0.1 + s, -0.3 + s], [0.0, 0.5])
            for k in range(1, 8):
                q = course.update(0.5, 0.52)
                assert arb(found.low[k]) <= q <= arb(found.high[k])
    assert (found.high - found.low)[1:].max() < 1e-9


def test_updates_end_when_further_ones_are_almost_impossible() -> None:
    """Known chances 1/2: after k of them the mean is 2k and so is the variance; 2 * 648 = 684 + 17 * 36 decides nothing yet."""
    start = given(True, [1e-9], [0.0], [0.0])
    for known, rounds, wanted in ((648, 684, 649), (648, 683, 648), (648, 685, 649), (3, 9, 9), (640, 684, 649)):
        found = kernel.follow_updates(start, points(*[0.5] * known), (1.0, 1.0), (0.9, 0.9), rounds)
        assert found is not None
        assert len(found.low) == wanted
    rare = points(*[0.4] * 500)  # mean 1250, variance 1875
    for rounds in (512, 513, 514, 515, 520):
        found = kernel.follow_updates(start, rare, (1.0, 1.0), (0.9, 0.9), rounds)
        mean, variance, wanted = 1250.0, 1875.0, 500
        while wanted < rounds and mean <= rounds + 17 * math.sqrt(variance):
            mean, variance, wanted = mean + 2.0, variance + 2.0, wanted + 1
        assert found is not None
        assert len(found.low) == wanted


def test_what_intervals_leave_open_has_no_course() -> None:
    start, known = given(True, [0.01], [0.0], [0.0]), points(0.5)

    def follows(start: Start, top: float = 0.5, leaves: tuple[float, float] = (0.6, 0.6)) -> bool:
        return kernel.follow_updates(start, known, (top, top), leaves, 2) is not None

    assert follows(start)
    assert follows(start, kernel.FARTHEST)
    assert not follows(start, np.nextafter(kernel.FARTHEST, 2))
    assert not follows(start, leaves=(0.4, 0.6))
    assert not follows(start, leaves=(0.5, 0.6))  # the probability is the threshold up to roundings
    assert not follows(start, leaves=(0.4, 0.5))
    assert follows(start, leaves=(0.4, 0.49))
    assert follows(start, leaves=(0.51, 0.6))
    wide = start._replace(plays=Ends(np.array([0.0]), np.array([1e-7])))
    assert not follows(wide)
    narrow = start._replace(plays=Ends(np.array([0.0]), np.array([1e-9])))
    assert follows(narrow)
    assert not follows(start._replace(plays=Ends(np.array([1e-9]), np.array([0.0]))))
    two = given(True, [0.01, 0.01], [0.0, 0.2], [0.0, kernel.APART / 2])
    assert not follows(two)
    assert follows(given(True, [0.01, 0.01], [0.0, 0.2], [0.0, kernel.APART * 2]))


def test_thresholds_that_are_met_up_to_the_slack() -> None:
    """The first probability is 1/2: it exceeds a threshold, or does not, by more than its error, or nothing is known."""
    start = given(True, [0.01], [0.0], [0.0])

    def follows(leaves: float) -> bool:
        return kernel.follow_updates(start, points(0.5), (0.5, 0.5), (leaves, leaves), 2) is not None

    below, above = 0.5 * (1 - kernel.SLACK), 0.5 * (1 + kernel.SLACK)
    assert below * (1 + kernel.SLACK) == 0.5
    assert not follows(below)
    assert follows(np.nextafter(below, 0))
    assert follows(above)
    assert not follows(np.nextafter(above, 0))


def test_a_game_without_rounds_has_an_empty_course() -> None:
    found = kernel.follow_updates(given(True, [0.01], [0.0], [0.0]), points(), (0.5, 0.5), (0.6, 0.6), 0)
    assert found is not None
    assert (len(found.low), len(found.high)) == (0, 0)


def test_steps_that_rise_almost_as_fast_as_the_play_are_taken_at_their_worst() -> None:
    """4 g / q = 0.99 at the play 0: there each part takes its own worst value, just below ends are mapped to ends."""
    widths = []
    for gain in (np.nextafter(0.2475, 0), 0.2475):
        low, high = kernel._move_odds(0.0, 1e-3, gain, gain, 1.0, 1.0, 9.0, 9.0)
        widths.append(high - low)
    assert widths[0] < 1e-4
    assert widths[1] > 1e-3


@pytest.mark.parametrize("first", [True, False])
def test_losses_are_widened_for_each_of_their_factors(first: bool) -> None:
    """1/(p q) of an expert relative to the best: two probabilities and a quotient, each widened by the slack."""
    plays = np.array([0.3, -0.2]), np.array([0.3, -0.2])
    losses = np.array([0.5, 0.0]), np.array([0.5, 0.0])
    found = np.array([0.5, np.nan]), np.array([0.5, np.nan])
    gains = np.array([0.01, 0.02])
    n = kernel._follow_updates(first, gains, gains, *plays, *losses, 1.0, 1.0, 0.9, 0.9, 1, *found)
    assert n == 2
    q = chance(-0.2 if first else 0.2)
    for e, (y, before) in enumerate(((0.3, 0.5), (-0.2, 0.0))):
        paid = 1 / (chance(y if first else -y) * q)
        for end, side in ((losses[0][e], -1), (losses[1][e], 1)):
            away = float((arb(end) - before - paid) / paid) * side / kernel.SLACK
            assert 2.9 < away < 3.6
