"""Betting confidence sequences for means of bounded quantities, which are tight for small spreads.

To test "the mean is at most m", a bettor stakes a share of the capital on every value above m. Under the hypothesis the
capital is a nonnegative supermartingale, so it ever exceeds 1/error with probability at most ``error`` (Ville's
inequality; Waudby-Smith and Ramdas 2024). The capital here is a mean over a fixed grid of bets, also a supermartingale.
"""

from __future__ import annotations

import math

import numpy as np

MAX_BET_SHARE = 0.98  # share of the largest bet that cannot lose all capital
# The grid is finer near the largest bet: a coarser one would need a tenth more runs in clear cases.
BETS = MAX_BET_SHARE * np.concatenate([2.0 ** (-np.arange(9) / 4), 2.0 ** -np.arange(3, 16)])


def log_capital(above: np.ndarray, most: float) -> float:
    """Return the log of the largest capital so far, from ``above``, the values minus m in order (at least -``most``).

    Ville's inequality holds for the maximum over time.
    """
    if not most > 0:  # no value can be below m
        return math.inf if (above > 0).any() else 0.0
    courses = np.log1p(BETS[:, None] * np.maximum(above / most, -1.0)).cumsum(axis=1)
    top = courses.max(axis=0)
    mixed = top + np.log(np.exp(courses - top).mean(axis=0))
    return float(mixed.max(initial=0.0))


def mean_exceeds(values: np.ndarray, m: float, low: float, error_rate: float) -> bool:
    """Return whether the values, which are at least ``low``, show at the error rate that their mean exceeds ``m``."""
    return m < low or log_capital(values - m, m - low) >= math.log(1 / error_rate)


def interval_excludes(values: np.ndarray, limit: float, low: float, high: float, error_rate: float) -> bool:
    """Return whether ``limit`` is not inside the ``confidence_limits`` at the error rate, with much less work."""
    if limit <= low or limit >= high:
        return True
    above = math.isfinite(low) and mean_exceeds(values, limit, low, error_rate / 2)
    return above or (math.isfinite(high) and mean_exceeds(-values, -limit, -high, error_rate / 2))


def confidence_limits(values: np.ndarray, low: float, high: float, error_rate: float) -> tuple[float, float]:
    """Return confidence limits of the mean of values in [low, high], each at half the error rate; high may be inf."""
    least = _lower_limit(values, low, error_rate / 2) if math.isfinite(low) else -math.inf
    most = -_lower_limit(-values, -high, error_rate / 2) if math.isfinite(high) else math.inf
    return least, most


def _lower_limit(values: np.ndarray, low: float, error_rate: float) -> float:
    """Return the largest m that the mean is shown to exceed, by bisection, as the capital decreases in m."""
    good, bad = low, float(values.max())
    for _ in range(60):
        middle = good + (bad - good) / 2
        if not good < middle < bad:
            break
        if mean_exceeds(values, middle, low, error_rate):
            good = middle
        else:
            bad = middle
    return good
