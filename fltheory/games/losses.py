"""Losses: of a sampler, true or estimated, and of a learner's decision for the responses r.

The last axis is the clients. Numbers are floats or exact ring elements (dtype object; the log growth needs balls).
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
    1e-9  # value that replaces a probability of 0: the rounding tolerance (``player.SUM_TOLERANCE``)
)


@dataclass(frozen=True)
class DecisionLoss:
    """A loss ``value(p, r)``, its gradient in p, and ``spread``, its range over decisions for responses in [C1, C2]."""

    name: str
    value: Callable[[np.ndarray, np.ndarray], np.ndarray]
    gradient: Callable[[np.ndarray, np.ndarray], np.ndarray]
    spread: sympy.Expr

    def __repr__(self) -> str:
        return self.name


def growth(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Compute 1 + <p, r> for every row."""
    return 1 + (p * r).sum(axis=-1)


def _log(x: np.ndarray) -> np.ndarray:
    """Compute the logarithm of floats or balls."""
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
    """Compute l(p) = (1/K) sum_m a_m / p_m (4) for every row; a client without feedback contributes 0."""
    seen = np.broadcast_to(a, np.broadcast_shapes(a.shape, p.shape)) != 0
    ratio = np.where(seen, a, 0) / np.where(seen, p, 1)
    return ratio.sum(axis=-1) / n_sampled


def estimated_loss(a: np.ndarray, q: np.ndarray, p: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Estimate l(q) without bias from draws of p by (6): (1/K^2) sum_m a_m N_m / (q_m p_m) over the drawn clients."""
    n = counts.sum(axis=-1)
    told = np.where(counts > 0, a, 0) * counts
    return (told / np.where(told == 0, p * 0 + 1, q * p)).sum(axis=-1) / (n * n)  # without feedback q may be 0


def safe_divisor(p: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return safe divisors for estimates: probabilities of clients that are not drawn, which may be 0, become 1."""
    return p if p.dtype == object else np.where(counts > 0, p, 1)


def charged_probabilities(p: np.ndarray) -> np.ndarray:
    """Replace zeros of a sampler's play in floats by ``ZERO_PROBABILITY_CHARGE``, so that its loss is a lower bound.

    The loss is infinite if a client with feedback is never drawn, but a 0 in floats may stand for 1e-20.
    """
    return p if p.dtype == object else np.where(p == 0, ZERO_PROBABILITY_CHARGE, p)


def has_unbounded_loss(a: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return for every row whether the loss is unbounded in floats: a client with feedback has probability 0."""
    if p.dtype == object:
        return np.zeros(p.shape[:-1], dtype=bool)
    return ((p == 0) & (np.broadcast_to(a, p.shape) != 0)).any(axis=-1)
