"""The course of updates against an adversary that leaves whoever is favoured, in intervals of floats.

The twin in balls, to be read first, is ``exact.lower_limits.leaving.updates``.

Everything is an interval that holds the true value. What lies in it is argued with u = 2^-53, the most by which a float
operation is off, in shares of its result, and from the monotone form of each formula:

- ``probability`` is that of log odds |y| <= ``FARTHEST`` up to a share of 2^-47. Its exponential is a sum of 21 terms >= 0, each
  within 42 roundings (of y^k, of 1/k! and of the additions), and what the sum leaves out is below u/40; then come two
  roundings more. (A power of y that underflows is off by 2^-1074 at most, next to coefficients of at least 2^-62.)
- Products and quotients of up to three probabilities and four roundings are off by less than ``SLACK`` = 2^-44 in shares, and
  are moved outwards by that much. Sums are moved outwards by eight times a rounding, and by more than what underflows.
- An expert at log odds y of the active client moves to f(y) = y + g/(p(y)^2 q), cut at the end of the simplex. f falls with q and
  rises with g; it rises with y as long as 2 g (1 - p)/(p^2 q) <= 1 in the whole interval, and then the ends of the interval go
  to those of its image. Otherwise y and g/(p^2 q) are each taken at the worst of the interval.
- An expert whose loss is more than ``APART`` above the leader's has no weight to speak of: at rates of at least 10^8 it is below
  E^2 exp(-100) of the leader's, and all of them together move a probability by less than 2^-100. So the mixture plays what lies
  between the plays of those that are nearer. Where these play different things, or where an interval leaves open what the
  adversary does, the course is given up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fltheory.number.streams.compiled import njit

FARTHEST = 1.25  # from 0, of log odds whose probability is computed
SLACK = 2.0**-44
ROUNDING = 2.0**-50
TINY = 2.0**-1000  # far above what underflows
APART = 1e-6  # of two losses
NARROW = 1e-9  # intervals of what is played: wider ones are given up
LATE = 17.0  # standard deviations after which it is all but sure that no more updates fit into the rounds
COEFFICIENTS = np.array([1.0 / math.factorial(k) for k in range(20, -1, -1)])


class Ends(NamedTuple):
    """Intervals by their ends: floats, or arrays of them."""

    low: np.ndarray
    high: np.ndarray


class Start(NamedTuple):
    """Where a course goes on: each expert's gain, log odds of the first client, and loss up to one number for all."""

    first: bool  # whether it is the first client that is active
    gains: Ends
    plays: Ends
    losses: Ends


def follow_updates(
    start: Start, known: Ends, top: tuple[float, float], leaves: tuple[float, float], rounds: int
) -> Ends | None:
    """The active client's probability before each update within so many rounds; None where it is given up.

    ``known``: that before the updates that are made. The log odds end at +-``top``, and the adversary leaves a client that has
    more than ``leaves``: both lie between two floats.
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
    """1 / (1 + exp(-y))."""
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
    """Log odds between which the mixture plays: those of the experts that are not behind the best."""
    low, high = np.inf, -np.inf
    for e in range(len(x_low)):
        if lost_low[e] <= best + APART:
            low, high = min(low, x_low[e]), max(high, x_high[e])
    return low, high


@njit(nogil=True)
def _move_odds(
    low: float, high: float, g_low: float, g_high: float, q_low: float, q_high: float, top_low: float, top_high: float
) -> tuple[float, float]:
    """The log odds of the active client after an update."""
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
    """The number of updates that are known then, or -1."""
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
