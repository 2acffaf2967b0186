"""The sequence of updates against an adversary that leaves the favoured client, in intervals of floats.

The reference version in balls, to be read first, is ``closed_forms.lower_limits.updates``.

Every quantity is an interval that contains the true value. The argument uses u = 2^-53, the largest relative error of a
float operation, and the monotonicity of each formula:

- ``probability`` has relative error 2^-47 for log odds |y| <= ``FARTHEST``. Its exponential is a sum of 21 terms >= 0,
  each within 42 roundings (of y^k, 1/k! and the additions); the remainder of the series is below u/40, then two more
  roundings. (A power of y that underflows has an error of at most 2^-1074, next to coefficients of at least 2^-62.)
- Products and quotients of up to three probabilities and four roundings have relative errors below ``SLACK`` = 2^-44
  and are widened by that much. Sums are widened by eight roundings and by more than an underflow.
- An expert at log odds y of the active client moves to f(y) = y + g/(p(y)^2 q), cut at the end of the simplex. f falls
  with q and rises with g. It rises with y while 2 g (1 - p)/(p^2 q) <= 1 in the whole interval, and then maps ends to
  ends. Otherwise y and g/(p^2 q) each take their worst value in the interval.
- An expert whose loss exceeds the leader's by over ``APART`` is negligible: at rates of at least 10^8 its weight is
  below E^2 exp(-100) of the leader's, and all of these move a probability by less than 2^-100. So the mixture's play
  lies between the plays of the other experts. If these differ, or if an interval does not decide what the adversary
  does, the computation stops.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fltheory.number.streams.compiled import njit

FARTHEST = 1.25  # largest log odds whose probability is computed
SLACK = 2.0**-44
ROUNDING = 2.0**-50
TINY = 2.0**-1000  # far above the underflow
APART = 1e-6  # difference of two losses
NARROW = 1e-9  # largest width of the intervals of plays
LATE = 17.0  # standard deviations after which further updates in the rounds are almost impossible
COEFFICIENTS = np.array([1.0 / math.factorial(k) for k in range(20, -1, -1)])


class Ends(NamedTuple):
    """Intervals given by their ends: floats, or arrays of them."""

    low: np.ndarray
    high: np.ndarray


class Start(NamedTuple):
    """The state from which intervals continue: each expert's gain, log odds of the first client and relative loss."""

    first: bool  # whether the first client is active
    gains: Ends
    plays: Ends
    losses: Ends


def follow_updates(
    start: Start, known: Ends, top: tuple[float, float], leaves: tuple[float, float], rounds: int
) -> Ends | None:
    """Return the active client's probability before each update in these rounds; None if undecided.

    ``known``: the probabilities of the updates made so far. The log odds end at +-``top``, and the adversary leaves a
    client with a probability above ``leaves``; both are intervals.
    """
    if top[1] > FARTHEST:
        return None
    made = len(known.low)
    low, high = (np.concatenate([v, np.empty(rounds - made)]) for v in known)
    plays, losses = ([np.array(v) for v in ends] for ends in (start.plays, start.losses))
    n = _follow_updates(start.first, *start.gains, *plays, *losses, *top, *leaves, made, low, high)
    return None if n < 0 else Ends(low[:n], high[:n])


@njit(nogil=True)
def probability(y: float) -> float:
    """Return 1 / (1 + exp(-y))."""
    total, size = 0.0, abs(y)
    for coefficient in COEFFICIENTS:
        total = total * size + coefficient
    return total / (1.0 + total) if y >= 0.0 else 1.0 / (1.0 + total)


@njit(nogil=True)
def _below(v: float) -> float:
    return v - abs(v) * ROUNDING - TINY


@njit(nogil=True)
def _above(v: float) -> float:
    return v + abs(v) * ROUNDING + TINY


@njit(nogil=True)
def _mixture(x_low: np.ndarray, x_high: np.ndarray, lost_low: np.ndarray, best: float) -> tuple[float, float]:
    """Return log odds that enclose the mixture's: those of the experts that are close to the best."""
    low, high = np.inf, -np.inf
    for e in range(len(x_low)):
        if lost_low[e] <= best + APART:
            low, high = min(low, x_low[e]), max(high, x_high[e])
    return low, high


@njit(nogil=True)
def _move_odds(
    low: float, high: float, g_low: float, g_high: float, q_low: float, q_high: float, top_low: float, top_high: float
) -> tuple[float, float]:
    """Return the log odds of the active client after an update, as an interval."""
    p_low, p_high = probability(low), probability(high)
    if not 2.0 * g_high * (1.0 - p_low) / (p_low * p_low * q_low) < 0.99:
        p_low, p_high = p_high, p_low
    least = g_low / (p_low * p_low * q_high) * (1.0 - SLACK)
    most = g_high / (p_high * p_high * q_low) * (1.0 + SLACK)
    return max(min(_below(low + least), top_low), -top_high), min(_above(high + most), top_high)


@njit(nogil=True)
def _follow_updates(
    first: bool,
    g_low: np.ndarray,
    g_high: np.ndarray,
    x_low: np.ndarray,
    x_high: np.ndarray,
    lost_low: np.ndarray,
    lost_high: np.ndarray,
    top_low: float,
    top_high: float,
    leaves_low: float,
    leaves_high: float,
    made: int,
    found_low: np.ndarray,
    found_high: np.ndarray,
) -> int:
    """Return the number of updates known at the end, or -1."""
    mean = (1.0 / found_low[:made]).sum()
    variance = ((1.0 - found_low[:made]) / found_low[:made] ** 2).sum()
    for k in range(made, len(found_low)):
        if mean > len(found_low) + LATE * math.sqrt(variance):
            return k
        best = lost_high.min()
        low, high = _mixture(x_low, x_high, lost_low, best)
        if not first:
            low, high = -high, -low
        if probability(low) > leaves_high * (1.0 + SLACK):
            first, low, high = not first, -high, -low
        elif not probability(high) * (1.0 + SLACK) <= leaves_low:
            return -1
        q_low, q_high = probability(low) * (1.0 - SLACK), probability(high) * (1.0 + SLACK)
        if not 0.0 <= q_high - q_low <= NARROW:
            return -1
        found_low[k], found_high[k] = q_low, q_high
        mean, variance = mean + 1.0 / q_low, variance + (1.0 - q_low) / (q_low * q_low)
        for e in range(len(x_low)):
            low, high = (x_low[e], x_high[e]) if first else (-x_high[e], -x_low[e])
            p_low, p_high = probability(low) * (1.0 - SLACK), probability(high) * (1.0 + SLACK)
            lost_low[e] = _below(_below(lost_low[e] + 1.0 / (p_high * q_high) * (1.0 - SLACK)) - best)
            lost_high[e] = _above(_above(lost_high[e] + 1.0 / (p_low * q_low) * (1.0 + SLACK)) - best)
            low, high = _move_odds(low, high, g_low[e], g_high[e], q_low, q_high, top_low, top_high)
            x_low[e], x_high[e] = (low, high) if first else (-high, -low)
    return len(found_low)
