"""Intervals by betting: they cover, they are tight where values hardly spread, and a cheat would be caught."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fltheory.evidence import betting
from fltheory.evidence.betting import BETS, confidence_limits, interval_excludes, log_capital, mean_exceeds

RUNS, LENGTH, ERROR = 400, 200, 0.1


def null_runs(law: str) -> tuple[np.ndarray, float]:
    """Runs of values in [0, 1] with their true mean."""
    random = np.random.default_rng(7)
    if law == "rare":
        return (random.random((RUNS, LENGTH)) < 0.02).astype(float), 0.02
    if law == "coin":
        return (random.random((RUNS, LENGTH)) < 0.5).astype(float), 0.5
    return random.beta(2.0, 2.0, (RUNS, LENGTH)), 0.5


@pytest.mark.parametrize("law", ["rare", "coin", "smooth"])
def test_the_true_mean_is_covered(law: str) -> None:
    runs, mean = null_runs(law)
    missed = sum(mean_exceeds(v, mean, 0.0, ERROR / 2) or mean_exceeds(-v, -mean, -1.0, ERROR / 2) for v in runs)
    assert missed <= ERROR * RUNS  # Ville's inequality is far from tight here


def test_the_best_bet_in_hindsight_would_not_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: choosing the bet after the values are seen breaks the guarantee."""

    def cheating(above: np.ndarray, most: float) -> float:
        return float(np.log1p(BETS[:, None] * np.maximum(above / most, -1.0)).cumsum(axis=1).max(initial=0.0))

    runs, mean = null_runs("coin")
    monkeypatch.setattr(betting, "log_capital", cheating)
    wrong = sum(mean_exceeds(v, mean, 0.0, ERROR) for v in runs)
    monkeypatch.undo()
    right = sum(mean_exceeds(v, mean, 0.0, ERROR) for v in runs)
    assert wrong > ERROR * RUNS
    assert right <= ERROR * RUNS


def test_few_values_tell_where_they_hardly_spread() -> None:
    values = 0.58 + 0.01 * np.random.default_rng(1).standard_normal(62)
    assert mean_exceeds(values, 0.45, 0.0, 1e-4)
    low, high = confidence_limits(np.concatenate([values] * 4), 0.0, 1.0, 1e-6)
    assert 0.48 < low < 0.58 < high < 0.68


@pytest.mark.parametrize(
    ("values", "low", "high", "expected"),
    [
        ([0.3] * 50, 0.0, math.inf, math.inf),  # nothing is known from above
        ([0.0] * 50, 0.0, 1.0, None),
        ([2.0] * 50, 2.0, 2.0, 2.0),
    ],
)
def test_ends_of_the_range(values: list[float], low: float, high: float, expected: float | None) -> None:
    found = confidence_limits(np.array(values), low, high, 1e-3)
    assert low <= found[0] <= values[0] <= found[1]
    if expected is not None:
        assert found[1] == expected


def test_a_mean_below_the_least_value_is_exceeded_without_a_bet() -> None:
    assert mean_exceeds(np.array([1.0]), 0.5, 1.0, 1e-9)
    assert log_capital(np.array([1.0]), 0.0) == math.inf
    assert log_capital(np.array([0.0]), 0.0) == 0.0


def test_capital_is_a_mean_over_bets() -> None:
    """Under the null its expectation is 1: enumerated over all courses of three fair coins."""
    total = 0.0
    for course in range(8):
        above = np.array([1.0 if course >> i & 1 else -1.0 for i in range(3)])
        total += np.exp(np.log1p(BETS[:, None] * above).sum(axis=1)).mean() / 8
    assert total == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("p", [0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.98, 1.0])
def test_some_bet_is_near_the_best(p: float) -> None:
    """On a probability p against a half: its capital grows by 95 % and more of what the best bet, 2p - 1, grows by."""
    best = math.log(2) + sum(q * math.log(q) for q in (p, 1 - p) if q)
    assert 0.95 * best <= (p * np.log1p(BETS) + (1 - p) * np.log1p(-BETS)).max() <= best


def test_octaves_alone_would_be_far_from_the_best() -> None:
    """As they were: at p = .93 an eighth is lost."""
    octaves = 0.98 * 2.0 ** -np.arange(16.0)
    best = math.log(2) + 0.93 * math.log(0.93) + 0.07 * math.log(0.07)
    assert (0.93 * np.log1p(octaves) + 0.07 * np.log1p(-octaves)).max() < 0.88 * best


# Ends and shares ---------------------------------------------------------------------------------------------------------


def capital(values: np.ndarray, m: float, low: float) -> float:
    """The largest mean capital of the bets so far, multiplied out."""
    courses = np.cumprod(1 + BETS[:, None] * (values - m) / (m - low), axis=1)
    return max(1.0, float(courses.mean(axis=0).max()))


@pytest.mark.parametrize(("m", "low"), [(0.4, 0.0), (0.4, -1.0), (0.7, 0.2), (0.5, 0.0)])
def test_the_capital_is_the_largest_so_far(m: float, low: float) -> None:
    """At once after the lucky values, although it is lost again."""
    values = np.concatenate([np.full(8, 0.9), np.full(30, 0.25)])
    assert log_capital(values - m, m - low) == pytest.approx(math.log(capital(values, m, low)), rel=1e-12)
    assert log_capital(values - m, m - low) > log_capital(values[::-1] - m, m - low)


def test_capital_begins_at_one_and_never_counts_for_less() -> None:
    assert log_capital(np.full(5, -0.2), 0.5) == 0.0
    assert log_capital(np.full(5, -1.0), 0.5) == 0.0  # a value below its range is taken for its end


def test_the_capital_that_shows_a_mean_is_one_over_the_rate() -> None:
    values = np.array([1.0] * 9 + [0.5])
    reached = capital(values, 0.5, 0.0)
    for factor, shown in ((1 + 1e-9, True), (1 - 1e-9, False)):
        assert mean_exceeds(values, 0.5, 0.0, factor / reached) == shown
    assert mean_exceeds(np.zeros(3), 0.5, 0.0, 1.0)  # at a rate of 1 everything is


def test_what_is_below_the_range_needs_no_values() -> None:
    assert mean_exceeds(np.empty(0), 0.5, 1.0, 1e-9)
    assert mean_exceeds(np.ones(2), -math.inf, 0.0, 1e-9)
    assert not mean_exceeds(np.ones(2), 1.0, 1.0, 1e-9)


@pytest.mark.parametrize(("value", "limit"), [(0.0, 0.0), (1.0, 1.0), (0.5, -0.1), (0.5, 1.1), (0.0, 1.0), (1.0, 0.0)])
def test_an_end_of_the_range_is_left_out_and_what_is_inside_is_not(value: float, limit: float) -> None:
    values = np.full(2, value)
    assert interval_excludes(values, limit, 0.0, 1.0, 1e-9)
    assert not interval_excludes(values, 0.5, 0.0, 1.0, 1e-9)


@pytest.mark.parametrize("side", ["above", "below"])
def test_each_side_has_half_of_the_rate(side: str) -> None:
    """Twelve values of 1 against a half, or of 0: their capital times half of the rate is compared with 1."""
    values = np.full(12, 1.0 if side == "above" else 0.0)
    reached = capital(np.full(12, 1.0), 0.5, 0.0)
    for factor, left_out in ((2 + 1e-6, True), (2 - 1e-6, False), (1.1, False)):
        rate = factor / reached
        assert interval_excludes(values, 0.5, 0.0, 1.0, rate) == left_out
        low, high = confidence_limits(values, 0.0, 1.0, rate)
        assert (not low < 0.5 < high) == left_out
    assert not interval_excludes(values, 0.5, -math.inf, math.inf, 2.0)
    assert interval_excludes(values, 0.5, 0.0, 1.0, 2.0)
    assert interval_excludes(values, 0.5, 0.0, math.inf, 0.05) == (side == "above")
    assert interval_excludes(values, 0.5, -math.inf, 1.0, 0.05) == (side == "below")


def test_limits_without_an_end_of_the_range_are_infinite() -> None:
    values = np.random.default_rng(3).random(90)
    low, high = confidence_limits(values, 0.0, 1.0, 0.1)
    assert confidence_limits(values, 0.0, math.inf, 0.1) == (low, math.inf)
    assert confidence_limits(values, -math.inf, 1.0, 0.1) == (-math.inf, high)
    assert 0 < low < values.mean() < high < 1


@pytest.mark.parametrize("rate", [0.3, 1e-3])
@pytest.mark.parametrize("low", [0.0, -2.0])
def test_the_lower_limit_is_the_largest_mean_that_is_exceeded(low: float, rate: float) -> None:
    values = np.random.default_rng(5).beta(2.0, 3.0, 80)
    found = confidence_limits(values, low, math.inf, rate)[0]
    assert capital(values, found - 1e-12, low) >= 2 / rate * (1 - 1e-11)
    assert capital(values, found + 1e-12, low) <= 2 / rate * (1 + 1e-11)


def test_a_tiny_mean_is_found_far_below_the_largest_value() -> None:
    """Nearly all values are far smaller than the largest one, which comes last."""
    values = np.concatenate([np.full(60, 1e-9), [1.0]])
    low = confidence_limits(values, 0.0, math.inf, 1e-2)[0]
    assert 0.5e-9 < low
    assert mean_exceeds(values, low, 0.0, 0.5e-2)
    assert not mean_exceeds(values, low * (1 + 1e-8), 0.0, 0.5e-2)


def test_the_same_values_at_the_end_of_their_range_have_that_limit() -> None:
    assert confidence_limits(np.zeros(30), 0.0, 1.0, 0.1)[0] == 0.0
    assert confidence_limits(np.ones(30), 0.0, 1.0, 0.1)[1] == 1.0
    assert confidence_limits(np.full(3, 2.0), 2.0, 2.0, 0.1) == (2.0, 2.0)
