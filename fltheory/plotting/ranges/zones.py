"""Where a shaded range ends: where the drawn curves cross, so that a zone says what the curves say."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fltheory.plotting.ranges.points import Sweep

BEYOND = 1.08  # factor on the first and the last value: a zone there ends beside them
LINEAR = 1e-3  # share of the largest value below which a symmetric log axis is linear
Sides = Callable[
    [int], tuple[np.ndarray, np.ndarray] | None
]  # at an inside value: both curves that decide, in drawn units


def ranges_of(x: np.ndarray, mask: np.ndarray, sides: Sides, at_value: bool = False) -> Iterator[tuple[float, float]]:
    """Yield runs of True as ranges that extend to where both sides cross on the way to the neighbour.

    Where they don't cross on the drawn lines the range extends halfway, or (``at_value``) not beyond the value itself.
    """
    log = bool((x > 0).all())
    place = np.log(x) if log else x
    begin = 0.0
    for i, inside in enumerate(mask):
        if not inside:
            continue
        if i == 0 or not mask[i - 1]:
            begin = _end(place, i, i - 1, sides(i), at_value, log)
        if i == len(x) - 1 or not mask[i + 1]:
            ends = begin, _end(place, i, i + 1, sides(i), at_value, log)
            yield tuple(float(np.exp(v)) for v in ends) if log else ends  # type: ignore[misc]


def _end(
    place: np.ndarray, i: int, near: int, sides: tuple[np.ndarray, np.ndarray] | None, at_value: bool, log: bool
) -> float:
    """Return where a range ends between value ``i``, inside, and its neighbour."""
    if not 0 <= near < len(place):
        beyond = np.log(BEYOND) if log else 0.0
        return float(place[i] + (beyond if near > i else -beyond))
    if sides is not None:
        gap = sides[0] - sides[1]
        here, there = float(gap[i]), float(gap[near])
        if np.isfinite([here, there]).all() and here != 0 and here * there <= 0:
            return float(place[i] + (place[near] - place[i]) * here / (here - there))
    share = 0.02 if at_value else 0.5
    return float(place[i] + share * (place[near] - place[i]))


def axis_height(values: np.ndarray, scale: str, largest: float) -> np.ndarray:
    """Return heights on an axis of this scale, up to a factor; NaN for what has no place there."""
    if scale == "log":
        with np.errstate(all="ignore"):
            return np.where(values > 0, np.log(np.where(values > 0, values, 1.0)), np.nan)
    if scale == "symlog":
        threshold = LINEAR * largest
        bent = threshold * (1 + np.log10(np.maximum(np.abs(values), threshold) / threshold))
        return np.where(np.abs(values) <= threshold, values, np.sign(values) * bent)
    return values


def violated_sides(found: Sweep, scale: Callable[[np.ndarray], np.ndarray]) -> Sides:
    """Return the measured value and the bound that it violates at an inside value."""

    def sides(i: int) -> tuple[np.ndarray, np.ndarray]:
        index = next((k for k, status in enumerate(found.points[i].told) if status == "violated"), 0)
        return scale(found.column("measured")), scale(found.limit(index))

    return sides


def vacuous_sides(found: Sweep, scale: Callable[[np.ndarray], np.ndarray]) -> Sides:
    """Return the bound and what it is compared with: the trivial bound, or 0 for a lower bound."""
    other = found.column("trivial") if found.claim.bound.side == "upper" else np.zeros(len(found.points))
    return lambda _: (scale(found.limit()), scale(other))
