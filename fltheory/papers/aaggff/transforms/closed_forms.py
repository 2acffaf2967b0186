"""The response (8): losses over their mean, mapped by a distribution function into [C1, C2].

Arrays are (seeds, clients): floats, or exact numbers and balls (dtype object), for which the responses are balls.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from fltheory.model.bound import BoundError
from fltheory.number import Number, to_ball

Cdf = Callable[[np.ndarray], np.ndarray]
_balls = np.frompyfunc(to_ball, 1, 1)


def _as_numbers(x: ArrayLike) -> np.ndarray:
    """Return floats, or balls if the numbers are exact."""
    values = np.asarray(x)
    if values.dtype != object:
        return values.astype(float)
    return np.asarray(_balls(values), dtype=object)


# The six distribution functions of Appendix B.1 --------------------------------------------------------------------------


def weibull_hazard(x: np.ndarray | Number, shape: int = 2) -> Any:
    """Return -log(1 - CDF) of Weibull's distribution at scale 1, for an integer shape."""
    return math.prod([x] * shape)  # a power of a ball around 0 is NaN


def exponential_hazard(x: np.ndarray | Number) -> Any:
    """Return -log(1 - CDF) of the exponential distribution at rate 1."""
    return x


def weibull(x: ArrayLike) -> np.ndarray:
    """Return 1 - exp(-x^2)."""
    return -np.expm1(-weibull_hazard(_as_numbers(x)))


def exponential(x: ArrayLike) -> np.ndarray:
    """Return 1 - exp(-x)."""
    return -np.expm1(-exponential_hazard(_as_numbers(x)))


def frechet(x: ArrayLike) -> np.ndarray:
    """Return exp(-1/x), and its limit 0 at x = 0."""
    values = _as_numbers(x)
    if values.dtype == object:
        return np.asarray(np.frompyfunc(_frechet, 1, 1)(values), dtype=object)
    with np.errstate(divide="ignore", over="ignore"):
        return np.exp(-1 / np.abs(values))  # abs: -0.0 is 0


def _frechet(x: arb) -> arb:
    if x > 0:
        return (-1 / x).exp()
    top = x.upper()  # a ball that reaches 0: by monotonicity, from the limit to the value at its upper end
    return arb(0).union((-1 / top).exp()) if top > 0 else arb(0)


def gumbel(x: ArrayLike) -> np.ndarray:
    """Return exp(-exp(-(x - 1)))."""
    return np.exp(-np.exp(1 - _as_numbers(x)))


def logistic(x: ArrayLike) -> np.ndarray:
    """Return 1 / (1 + exp(-(x - 1)))."""
    return 1 / (1 + np.exp(1 - _as_numbers(x)))


def normal(x: ArrayLike) -> np.ndarray:
    """Return (1 + erf((x - 1) / sqrt 2)) / 2."""
    values = _as_numbers(x)
    if values.dtype == object:
        return np.asarray(
            np.frompyfunc(lambda v: (1 + ((v - 1) / arb(2).sqrt()).erf()) / 2, 1, 1)(values), dtype=object
        )
    from scipy.special import ndtr  # the same, without cancellation far below 1

    return np.asarray(ndtr(values - 1))


CDFS: dict[str, Cdf] = {
    "weibull": weibull,
    "frechet": frechet,
    "gumbel": gumbel,
    "exponential": exponential,
    "logistic": logistic,
    "normal": normal,
}


# The response --------------------------------------------------------------------------------------------------------------


def over_mean(losses: ArrayLike, seen: ArrayLike | None = None) -> np.ndarray:
    """Return F_i over the mean of those seen, (seeds, clients), 0 for the others; exact for exact losses.

    ``seen``: mask (seeds, clients), by default everyone. ValueError for a loss that is negative or not a number, and
    for a round in which nobody is seen or all losses are 0.
    """
    values = np.asarray(losses)
    if values.dtype != object:
        values = values.astype(float)
    mask = np.broadcast_to(np.asarray(True if seen is None else seen, dtype=bool), values.shape)
    count = mask.sum(axis=-1)
    if not count.all():
        raise ValueError("seen: a round in which no client is seen has no mean loss")
    if values.dtype != object and not np.isfinite(values[mask]).all():
        raise ValueError("losses: expected finite numbers")
    if not (values[mask] >= 0).all():
        raise ValueError("losses: expected no numbers below 0")
    kept = np.where(mask, values, 0)
    total = kept.sum(axis=-1, keepdims=True)
    if not (np.asarray(total) > 0).all():
        raise BoundError("losses: all are 0, so that (8) divides by a mean of 0")
    if values.dtype != object:
        return np.asarray(kept / total * count[..., None])
    return np.asarray(kept * np.array(count, dtype=object)[..., None] / total, dtype=object)


def response(losses: ArrayLike, seen: ArrayLike | None, low: Number, high: Number, cdf: Cdf = weibull) -> np.ndarray:
    """Return (8): C1 + (C2 - C1) CDF(F_i / mean loss of those seen), (seeds, clients), 0 for those not seen."""
    if not 0 <= low < high:
        raise ValueError(f"responses from {low} to {high}: expected 0 <= low < high")
    shares = over_mean(losses, seen)
    if shares.dtype == object:
        low, high = to_ball(low), to_ball(high)
    answers = low + (high - low) * cdf(shares)
    mask = np.broadcast_to(np.asarray(True if seen is None else seen, dtype=bool), shares.shape)
    return np.where(mask, answers, 0)
