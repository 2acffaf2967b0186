"""Paired runs in the figures: run-by-run ratios, their confidence intervals, and the sentences about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.special import stdtrit

from fltheory.plotting.picture import Curve, number

CONFIDENCE = 0.95
VERDICTS = ("smaller", "larger", "undecided")
Ends = tuple[float, float, float]  # geometric mean, lower and upper end of its interval


def interval(logs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean over the last axis and the ends of Student's interval for it."""
    n = logs.shape[-1]
    mean, width = logs.mean(axis=-1), float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * logs.std(axis=-1, ddof=1) / n**0.5
    return mean, mean - width, mean + width


def ratio_curve(
    label: str, rounds: np.ndarray, ours: np.ndarray, theirs: np.ndarray, style: str, tag: str = ""
) -> Curve:
    """Return the geometric mean of ours / theirs over paired runs, (records, runs) each, with its interval."""
    mean, low, high = (np.exp(v) for v in interval(np.log(ours) - np.log(theirs)))
    note = f"geometric mean of {ours.shape[1]} ratios, band: {CONFIDENCE:.0%} interval"
    return Curve(label, rounds, mean, style, low, high, note, tag=tag)


def verdict(low: float, high: float) -> str:
    """Return whether a ratio is below or above 1, or neither, according to its interval."""
    return "smaller" if high < 1 else "larger" if low > 1 else "undecided"


def ends(curves: Iterable[Curve]) -> list[Ends]:
    """Return the last ratios with the ends of their intervals; without an interval both ends are the point itself."""

    def last(curve: Curve, values: Sequence[float] | np.ndarray | None) -> float:
        return float((curve.y if values is None else values)[-1])

    return [(float(c.y[-1]), last(c, c.low), last(c, c.high)) for c in curves]


def tally(found: Sequence[Ends]) -> str:
    """Return in how many settings the final ratio is significantly below 1, above 1, or neither."""
    seen = Counter(verdict(low, high) for _, low, high in found)
    return "/".join(str(seen[v]) for v in VERDICTS)


def span(found: Sequence[Ends]) -> str:
    """Return the least and the largest mean ratio."""
    low, high = (number(of(y for y, _, _ in found)) for of in (min, max))
    return low if low == high else f"{low} to {high}"
