"""Intervals by betting: they cover, they are tight where values hardly spread, and a cheat would be caught."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fltheory.evidence import betting
from fltheory.evidence.betting import BETS, confidence_limits, log_capital, mean_exceeds

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
