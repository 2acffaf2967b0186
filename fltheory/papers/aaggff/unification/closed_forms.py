"""The methods of Table 1, each as an entropic step from the clients' shares and in its own form, with its global step.

Arrays are (..., clients): floats, balls, or exact numbers (dtype object), for which results are SymPy numbers with
exact powers and exponentials. Updates d_i = theta - theta_i are (..., clients, dim).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from flint import arb
from numpy.typing import ArrayLike

from fltheory.number import Number, exact, symbolic, to_ball

IN: Mapping[
    str, tuple[Callable[[np.ndarray], np.ndarray], Callable[[arb], arb], Callable[[Any], Any]]
] = {  # functions of floats, balls and SymPy numbers
    "exp": (np.exp, lambda ball: ball.exp(), sympy.exp),
    "log": (np.log, lambda ball: ball.log(), sympy.log),
}
Rule = Callable[[Any, Any], Any]  # of the losses and the method's constant


def _number(value: Number) -> sympy.Expr:
    return value if isinstance(value, sympy.Basic) else symbolic(exact(value))


def _each(function: str, x: ArrayLike) -> np.ndarray:
    in_floats, in_balls, in_symbols = IN[function]
    values = np.asarray(x)
    if values.dtype != object:
        return in_floats(values)

    def at(entry: Number) -> Number:
        return in_balls(entry) if isinstance(entry, arb) else in_symbols(_number(entry))

    return np.frompyfunc(at, 1, 1)(values)


def to_same_kind(first: ArrayLike, *others: ArrayLike) -> tuple[Any, ...]:
    """Return all as numbers of one kind: floats if the first is, else balls if any entry is, else SymPy numbers."""
    given = [np.asarray(v) for v in (first, *others)]
    if given[0].dtype != object:
        return tuple(v.astype(float) for v in given)
    ball = any(isinstance(entry, arb) for v in given for entry in v.flat)
    to_kind = np.frompyfunc(to_ball if ball else _number, 1, 1)
    return tuple(to_kind(v) for v in given)


def normalise(masses: np.ndarray) -> np.ndarray:
    """Return masses over their sum."""
    return np.asarray(masses / masses.sum(axis=-1, keepdims=True))


# One step of the server -----------------------------------------------------------------------------------------------------


def entropic_step(last: ArrayLike, response: ArrayLike, eta: Number) -> np.ndarray:
    """Return (3): proportional to p_i exp(r_i / eta), the minimiser of -<p, r> + eta KL(p | last) if eta > 0."""
    start, scores, rate = to_same_kind(last, response, eta)
    scores = scores / rate
    if scores.dtype != object:  # a shift has no effect but avoids overflow of exp
        scores = scores - scores.max(axis=-1, keepdims=True)
    return normalise(start * _each("exp", scores))


def regularised_step(response: ArrayLike, eta: Number) -> np.ndarray:
    """Return the minimiser of (2) with the negative entropy: proportional to exp(r_i / eta)."""
    (scores,) = to_same_kind(response)
    return entropic_step(scores * 0 + 1, scores, eta)


# The methods ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Method:
    """A row of Table 1: response and step size of the entropic step, masses of the method itself, its objective.

    All are functions of the losses and of the method's constant: q, lambda or M; FedAvg ignores it. Shares are
    multiplied by ``masses``; ``objective`` and ``length`` take the shares too, ``length`` also the new decision and the
    slopes |grad F_i|^2 / (L F_i): it is the true global step over the sum of p_i d_i. ``outside`` says why there are no
    weights, or None.
    """

    name: str
    response: Rule
    eta: Callable[[Any], Any]
    masses: Rule
    objective: Callable[[Any, Any, Any], Any]
    length: Callable[[Any, Any, Any, Any, Any], Any]
    outside: Callable[[Any, Any], str | None]


def _one(*_: object) -> int:
    return 1


fedavg = Method(
    "FedAvg",
    response=lambda losses, _: 0 * losses,
    eta=_one,
    masses=lambda losses, _: 0 * losses + 1,
    objective=lambda shares, losses, _: (shares * losses).sum(axis=-1),
    length=_one,
    outside=lambda losses, _: None,
)
qfedavg = Method(
    "q-FedAvg",
    response=lambda losses, q: q * _each("log", losses),
    eta=_one,
    masses=lambda losses, q: losses**q,
    objective=lambda shares, losses, q: (shares * losses ** (q + 1)).sum(axis=-1) / (q + 1),
    length=lambda shares, losses, q, weights, slopes: 1 / (1 + q * (weights * slopes).sum(axis=-1)),  # s_q
    outside=lambda losses, q: None if (losses > 0).all() and q >= 0 else f"losses above 0 and q >= 0, got q = {q}",
)
term = Method(
    "TERM",
    response=lambda losses, _: losses,
    eta=lambda tilt: 1 / tilt,
    masses=lambda losses, tilt: _each("exp", tilt * losses),
    objective=lambda shares, losses, tilt: _each("log", (shares * _each("exp", tilt * losses)).sum(axis=-1)) / tilt,
    length=_one,
    outside=lambda losses, tilt: None if tilt < 0 or tilt > 0 else "a tilt other than 0",
)
propfair = Method(
    "PropFair",
    response=lambda losses, baseline: -_each("log", baseline - losses),
    eta=_one,
    masses=lambda losses, baseline: 1 / (baseline - losses),
    objective=lambda shares, losses, baseline: -(shares * _each("log", baseline - losses)).sum(axis=-1),
    length=lambda shares, losses, baseline, *_: (shares / (baseline - losses)).sum(axis=-1),
    outside=lambda losses, baseline: None if (losses < baseline).all() else f"losses below M = {baseline}",
)
METHODS = {"fedavg": fedavg, "qfedavg": qfedavg, "term": term, "propfair": propfair}


def _validate_inputs(
    method: Method, shares: ArrayLike, losses: ArrayLike, constant: Number, *more: ArrayLike
) -> tuple[Any, ...]:
    """Return shares, losses, constant and more as numbers of one kind; ValueError if the method has no weights."""
    values, prior, number, *rest = to_same_kind(losses, shares, constant, *more)
    reason = method.outside(values, number)
    if reason:
        raise ValueError(f"{method.name} needs {reason}")
    return prior, values, number, *rest


def step_weights(method: Method, shares: ArrayLike, losses: ArrayLike, constant: Number = 0) -> np.ndarray:
    """Return the new decision of Remark 3.1: the entropic step from the shares n_i / n."""
    prior, values, number = _validate_inputs(method, shares, losses, constant)
    return entropic_step(prior, method.response(values, number), method.eta(number))


def own_weights(method: Method, shares: ArrayLike, losses: ArrayLike, constant: Number = 0) -> np.ndarray:
    """Return the mixing weights of the method's own update: shares times masses, normalised. Floats may overflow."""
    prior, values, number = _validate_inputs(method, shares, losses, constant)
    return normalise(prior * method.masses(values, number))


def worst_clients(shares: ArrayLike, losses: ArrayLike) -> np.ndarray:
    """Return AFL's decision as the limit of q-FedAvg's: the shares of the clients with the largest loss, normalised."""
    values, prior = to_same_kind(losses, shares)
    return normalise(np.where(values == values.max(axis=-1, keepdims=True), prior, 0 * prior))


# Agnostic federated learning has a state -----------------------------------------------------------------------


def project(point: ArrayLike) -> np.ndarray:
    """Return the Euclidean projection onto the simplex, (..., clients), by sorting; exact for exact numbers."""
    (values,) = to_same_kind(point)
    falling = np.sort(values, axis=-1)[..., ::-1]
    ranks = np.arange(1, values.shape[-1] + 1).astype(values.dtype)
    excess = (np.cumsum(falling, axis=-1) - 1) / ranks
    kept = (falling > excess).sum(axis=-1)  # the entries that stay positive come first
    level = np.take_along_axis(excess, np.asarray(kept)[..., None].astype(int) - 1, axis=-1)
    return np.asarray(np.maximum(values - level, 0))


def ascent_step(decision: ArrayLike, losses: ArrayLike, rate: Number) -> np.ndarray:
    """Return AFL's own update v <- projection of v + rate F."""
    start, values, speed = to_same_kind(decision, losses, rate)
    return project(start + speed * values)


# Global steps -------------------------------------------------------------------------------------------------------------------


def mix_updates(weights: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """Return sum_i p_i d_i, which (13) subtracts from theta, (..., dim)."""
    return np.asarray((weights[..., None] * updates).sum(axis=-2))


def step_length(
    method: Method,
    shares: ArrayLike,
    losses: ArrayLike,
    updates: ArrayLike,
    constant: Number = 0,
    smoothness: Number = 1,
) -> np.ndarray:
    """Return the true global step over the sum of p_i d_i, (...): for q-FedAvg s_q with gradients L d_i."""
    prior, values, number, steps, L = _validate_inputs(method, shares, losses, constant, updates, smoothness)
    weights = step_weights(method, prior, values, number)
    slopes = L * (steps * steps).sum(axis=-1) / values if method is qfedavg else values * 0
    return np.asarray(method.length(prior, values, number, weights, slopes))


def global_step(
    method: Method,
    shares: ArrayLike,
    losses: ArrayLike,
    updates: ArrayLike,
    constant: Number = 0,
    smoothness: Number = 1,
) -> np.ndarray:
    """Return the vector that the method subtracts from theta, (..., dim)."""
    prior, values, number, steps, L = _validate_inputs(method, shares, losses, constant, updates, smoothness)
    weights = step_weights(method, prior, values, number)
    return step_length(method, prior, values, steps, number, L)[..., None] * mix_updates(weights, steps)


def printed_step(
    method: Method,
    shares: ArrayLike,
    losses: ArrayLike,
    updates: ArrayLike,
    constant: Number = 0,
    smoothness: Number = 1,
) -> np.ndarray:
    """Return the same by (14), (18), (20) and (23) literally, with "proportional" as equal. Floats may overflow."""
    prior, values, number, steps, L = _validate_inputs(method, shares, losses, constant, updates, smoothness)
    masses = prior * method.masses(values, number)
    if method is qfedavg:
        gradients = L * steps
        curvature = number * values ** (number - 1) * (gradients * gradients).sum(axis=-1) + L * values**number  # L_q
        return np.asarray(mix_updates(masses * L, steps) / (prior * curvature).sum(axis=-1, keepdims=True))
    return mix_updates(masses if method is propfair else normalise(masses), steps)
