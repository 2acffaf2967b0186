"""The vertical range of a plot: that of the bounds, and of the measured values where the claim says something."""

from __future__ import annotations

import math

import numpy as np

FLAT = 3.0  # a range so many times that of what matters would flatten it
BESIDE = 0.25  # share of the range beyond which a trivial bound is not drawn
MARGIN = 0.06  # share of the range left free at a cut end

Limits = tuple[float | None, float | None]


def vertical_limits(telling: np.ndarray, others: np.ndarray, trivial: np.ndarray, log: bool) -> Limits:
    """Return the limits of the axis, None at an end that matplotlib may choose.

    ``telling`` values are always inside, ``others`` unless they would flatten these, ``trivial`` ones never widen the axis.
    """
    main, rest, known = (_usable(values, log) for values in (telling, others, trivial))
    if not len(main):
        main = rest
    if not len(main):
        return None, None
    low, high = float(main.min()), float(main.max())
    span = max(high - low, 1.0 if log else 0.05 * max(abs(low), abs(high)))
    reach_low, reach_high = float(min(low, *rest, low)), float(max(high, *rest, high))
    cut_low, cut_high = low - reach_low > (FLAT - 1) * span, reach_high - high > (FLAT - 1) * span
    low, high = (low if cut_low else reach_low), (high if cut_high else reach_high)
    span = max(high - low, span)
    beside = known[(known < low - BESIDE * span) | (known > high + BESIDE * span)]
    cut_low |= bool((beside < low).any())
    cut_high |= bool((beside > high).any())
    ends = (low - MARGIN * span if cut_low else None, high + MARGIN * span if cut_high else None)
    return (_end(ends[0], log), _end(ends[1], log))


def fitted_limits(values: np.ndarray, floor: float) -> Limits:
    """Return the ends of a logarithmic axis that fits the values of at least ``floor``."""
    known = _usable(values[values >= floor], log=True)
    if not len(known):
        return None, None
    margin = MARGIN * max(float(np.ptp(known)), 1.0)
    return _end(float(known.min()) - margin, True), _end(float(known.max()) + margin, True)


def _usable(values: np.ndarray, log: bool) -> np.ndarray:
    finite = values[np.isfinite(values) & ((values > 0) | (not log))]
    return np.log10(finite) if log else finite


def _end(value: float | None, log: bool) -> float | None:
    if value is None or not log:
        return value
    return 10.0**value if -300 < value < 300 else None


def outside(values: np.ndarray, limits: Limits, log: bool) -> int:
    """Return how many finite values are not on the axis."""
    low, high = (end if end is not None else sign * math.inf for end, sign in zip(limits, (-1, 1), strict=True))
    finite = values[np.isfinite(values)]
    return int(((finite < low) | (finite > high) | ((finite <= 0) & log)).sum())
