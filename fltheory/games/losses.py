"""What a play costs: a sampler's loss, true or estimated, and the losses of a learner's decision given the responses r.

Arrays end with the clients; floats, or exact ring elements (dtype object; the log growth needs balls).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy
from flint import arb

from fltheory.number import Number
from fltheory.symbols import response_high as C2
from fltheory.symbols import response_low as C1

ZERO_PROBABILITY_CHARGE = (
    1e-9  # what a probability of 0 is charged as: as near to 0 as floats can miss it (``player.ROUNDED``)
)


@dataclass(frozen=True)
class DecisionLoss:
    """``value(p, r)`` and its gradient in p; ``spread``: what two decisions can differ by, responses in [C1, C2]."""

    name: str
    value: Callable[[np.ndarray, np.ndarray], np.ndarray]
    gradient: Callable[[np.ndarray, np.ndarray], np.ndarray]
    spread: sympy.Expr

    def __repr__(self) -> str:
        return self.name


def growth(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    """1 + <p, r>, one value a row."""
    return 1 + (p * r).sum(axis=-1)


def _log(x: np.ndarray) -> np.ndarray:
    """The logarithm of floats or of balls."""
    if x.dtype == object:
        found = np.empty(x.shape, dtype=object)
        for i in np.ndindex(x.shape):
            ball: arb = x[i]
            found[i] = ball.log()
        return found
    return np.log(x)


def _log_value(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    return -_log(np.asarray(growth(p, r)))


def _log_gradient(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    return -r / np.asarray(growth(p, r))[..., None]


def _linear_value(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    return np.asarray(-(p * r).sum(axis=-1))


def _linear_gradient(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    gradient: np.ndarray = np.broadcast_arrays(-r, p)[0]
    return gradient


LOG_GROWTH = DecisionLoss("LOG_GROWTH", _log_value, _log_gradient, sympy.log((1 + C2) / (1 + C1)))
LINEAR = DecisionLoss("LINEAR", _linear_value, _linear_gradient, C2 - C1)


def sampler_loss(a: np.ndarray, p: np.ndarray, n_sampled: Number) -> np.ndarray:
    """l(p) = (1/K) sum_m a_m / p_m (4), one value a row; a client without feedback costs nothing."""
    seen = np.broadcast_to(a, np.broadcast_shapes(a.shape, p.shape)) != 0
    ratio = np.where(seen, a, 0) / np.where(seen, p, 1)
    return ratio.sum(axis=-1) / n_sampled


def estimated_loss(a: np.ndarray, q: np.ndarray, p: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The unbiased estimate (6) of l(q) from draws of p: (1/K^2) sum_m a_m N_m / (q_m p_m); who is not drawn costs nothing."""
    n = counts.sum(axis=-1)
    return (np.where(counts > 0, a, 0) * counts / safe_divisor(q * p, counts)).sum(axis=-1) / (n * n)


def safe_divisor(p: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """What estimates from draws divide by: floats of who is not drawn, which may be 0, as 1."""
    return p if p.dtype == object else np.where(counts > 0, p, 1)


def charged_probabilities(p: np.ndarray) -> np.ndarray:
    """A sampler's play in floats as it is charged: a probability of 0 as ``ZERO_PROBABILITY_CHARGE``: the loss is a lower bound.

    Who has feedback and is never drawn costs infinitely much; in floats no one knows that a 0 is none of 1e-20.
    """
    return p if p.dtype == object else np.where(p == 0, ZERO_PROBABILITY_CHARGE, p)


def has_unbounded_loss(a: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Where the loss of a play has no upper end in floats, one truth a row: someone has feedback and probability 0."""
    if p.dtype == object:
        return np.zeros(p.shape[:-1], dtype=bool)
    return ((p == 0) & (np.broadcast_to(a, p.shape) != 0)).any(axis=-1)
