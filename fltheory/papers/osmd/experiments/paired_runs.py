"""Paired runs as the figures draw them: ratios run by run, their intervals, and the words that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.special import stdtrit

from fltheory.plotting.picture import Curve, number

CONFIDENCE = 0.95
VERDICTS = ("smaller", "larger", "undecided")
Ends = tuple[float, float, float]  # geometric mean, and where its interval begins and ends


def interval(logs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean of the last axis and the ends of Student's interval for it."""
    n = logs.shape[-1]
    mean, width = logs.mean(axis=-1), float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * logs.std(axis=-1, ddof=1) / n**0.5
    return mean, mean - width, mean + width


def ratio_curve(
    label: str, rounds: np.ndarray, ours: np.ndarray, theirs: np.ndarray, style: str, tag: str = ""
) -> Curve:
    """The geometric mean of ours / theirs over paired runs, (records, runs) both, with its interval."""
    mean, low, high = (np.exp(v) for v in interval(np.log(ours) - np.log(theirs)))
    note = f"geometric mean of {ours.shape[1]} ratios, band: {CONFIDENCE:.0%} interval"
    return Curve(label, rounds, mean, style, low, high, note, tag=tag)


def difference_curve(label: str, rounds: np.ndarray, ours: np.ndarray, theirs: np.ndarray, style: str) -> Curve:
    """The same of the mean difference."""
    mean, low, high = interval(ours - theirs)
    note = f"mean of {ours.shape[1]} differences, band: {CONFIDENCE:.0%} interval"
    return Curve(label, rounds, mean, style, low, high, note)


def verdict(low: float, high: float) -> str:
    """Whether a ratio is below 1 or above, as far as its interval tells."""
    return "smaller" if high < 1 else "larger" if low > 1 else "undecided"


def ends(curves: Iterable[Curve]) -> list[Ends]:
    """The last points of ratios and the ends of their intervals; without an interval the point itself."""

    def last(curve: Curve, values: Sequence[float] | np.ndarray | None) -> float:
        return float((curve.y if values is None else values)[-1])

    return [(float(c.y[-1]), last(c, c.low), last(c, c.high)) for c in curves]


def tally(found: Sequence[Ends]) -> str:
    """In how many settings the ratio at the end is below 1, above, or neither for sure."""
    seen = Counter(verdict(low, high) for _, low, high in found)
    return "/".join(str(seen[v]) for v in VERDICTS)


def span(found: Sequence[Ends]) -> str:
    """The least and the largest mean ratio."""
    low, high = (number(of(y for y, _, _ in found)) for of in (min, max))
    return low if low == high else f"{low} to {high}"
