"""The optimisers to which the paper compares Delta-SGD: their step size ``c.step_size`` must be tuned.

Their states are reset in every round. They run on floats and on mixed numbers (``fltheory.number.mixed``).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq

from fltheory.number import Element, mixed
from fltheory.number.mixed import Mixed
from fltheory.runs.algorithm import object_array
from fltheory.runs.client_optimiser import AdaptiveState, ClientOptimiser, ClientOracle, adaptive_optimiser
from fltheory.runs.constants import Constants
from fltheory.runs.step_rule import StepRule, auto_tuned_exact, auto_tuned_step, squared_length

MOMENTUM = Fraction(9, 10)
BETAS = (Fraction(9, 10), Fraction(999, 1000))
ADAM_FLOOR = Fraction(1, 10**8)
ADAGRAD_FLOOR = Fraction(1, 10**10)
POLYAK_SCALE = Fraction(1, 2)  # the factor c of SPS
POLYAK_FLOOR = Fraction(1, 10**8)  # added to c |g|^2 in the released code
RELEASED_FLOOR = Fraction(1, 10**8)  # added to the min of line 9 in the released code


def as_kind_of(x: np.ndarray, value: Fraction) -> Any:
    """Return a constant as a number of the kind in an array."""
    return fmpq(value.numerator, value.denominator) if x.dtype == object else float(value)


def roots(v: np.ndarray) -> np.ndarray:
    """Return entrywise square roots."""
    if v.dtype != object:
        return np.sqrt(v)
    return object_array([mixed.mixed_sqrt(entry) for entry in v.flat], v.shape)


def _no_state(x: np.ndarray, c: Constants) -> None:
    return None


def _zero(x: np.ndarray, c: Constants) -> np.ndarray:
    return x * 0


# Steps along gradients ----------------------------------------------------------------------------------------------


def sgd_step(x: np.ndarray, state: None, ask: ClientOracle, c: Constants) -> tuple[np.ndarray, None]:
    """Return w - eta g."""
    return x - c.step_size * ask.gradient(x), None


def momentum_step(x: np.ndarray, v: np.ndarray, ask: ClientOracle, c: Constants) -> tuple[np.ndarray, np.ndarray]:
    """Return v <- 0.9 v + g and w - eta v."""
    v = as_kind_of(x, MOMENTUM) * v + ask.gradient(x)
    return x - c.step_size * v, v


def decreasing_step(x: np.ndarray, k: int, ask: ClientOracle, c: Constants) -> tuple[np.ndarray, int]:
    """Return w - eta g / (k + 1) in local step k of a round, from 0."""
    return x - c.step_size / (k + 1) * ask.gradient(x), k + 1


sgd = ClientOptimiser("SGD", sgd_step, _no_state, own=True)
sgdm = ClientOptimiser("SGDM", momentum_step, _zero, own=True)
decreasing_sgd = ClientOptimiser("SGD, eta/(k+1)", decreasing_step, lambda x, c: 0, own=True)


def polyak(scale: Fraction = POLYAK_SCALE, floor: Fraction = POLYAK_FLOOR) -> ClientOptimiser:
    """Return the stochastic Polyak step (F_B(w) - 0) / (c |g|^2) without a cap; ``floor`` is added to c |g|^2."""

    def step(x: np.ndarray, state: None, ask: ClientOracle, c: Constants) -> tuple[np.ndarray, None]:
        gradient = ask.gradient(x)
        lr = ask.loss(x) / (as_kind_of(x, scale) * squared_length(gradient) + as_kind_of(x, floor))
        return x - lr[:, None] * gradient, None

    return ClientOptimiser("SPS", step, _no_state, own=True)


sps = polyak()

# Coordinatewise steps -------------------------------------------------------------------------------------------------


class Moments(NamedTuple):
    """Adam's running means of gradients and of their squares, and the number of gradients."""

    mean: np.ndarray
    square: np.ndarray
    seen: int


def fresh_moments(x: np.ndarray, c: Constants | None = None) -> Moments:
    """Return the state without any gradients."""
    return Moments(x * 0, x * 0, 0)


def adam_move(gradient: np.ndarray, state: Moments, lr: float | Element) -> tuple[np.ndarray, Moments]:
    """Return lr u / (1 - 0.9^k) / (sqrt(s / (1 - 0.999^k)) + 1e-8), Adam's move for a gradient, and its new state."""
    first, second = (as_kind_of(gradient, beta) for beta in BETAS)
    u = first * state.mean + (1 - first) * gradient
    s = second * state.square + (1 - second) * (gradient * gradient)
    k = state.seen + 1
    scale = roots(s / (1 - second**k)) + as_kind_of(gradient, ADAM_FLOOR)
    return lr / (1 - first**k) * u / scale, Moments(u, s, k)


def adam_step(x: np.ndarray, state: Moments, ask: ClientOracle, c: Constants) -> tuple[np.ndarray, Moments]:
    """Return w minus Adam's move."""
    move, state = adam_move(ask.gradient(x), state, c.step_size)
    return x - move, state


def adagrad_step(x: np.ndarray, s: np.ndarray, ask: ClientOracle, c: Constants) -> tuple[np.ndarray, np.ndarray]:
    """Return s <- s + g^2 and w - eta g / (sqrt(s) + 1e-10)."""
    gradient = ask.gradient(x)
    s = s + gradient * gradient
    return x - c.step_size * gradient / (roots(s) + as_kind_of(x, ADAGRAD_FLOOR)), s


adam = ClientOptimiser("Adam", adam_step, fresh_moments, own=True)
adagrad = ClientOptimiser("Adagrad", adagrad_step, _zero, own=True)

# Variants of Delta-SGD --------------------------------------------------------------------------------------------------


def _released_rule(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    """Return line 9 with 1e-8 added to the min if both of its entries are finite."""
    return auto_tuned_step(lr, ratio, reach, c) + np.where(np.isfinite(reach), float(RELEASED_FLOOR), 0.0)


def _released_exact(lr: Mixed, ratio: Mixed | None, reach: Mixed | None, c: Constants) -> Mixed | None:
    """Return the same for mixed numbers."""
    floor = 0 if reach is None else fmpq(RELEASED_FLOOR.numerator, RELEASED_FLOOR.denominator)
    step = auto_tuned_exact(lr, ratio, reach, c)
    return None if step is None else step + floor


released_rule = StepRule("Delta-SGD with a floor", _released_rule, _released_exact)


def released_delta_sgd() -> ClientOptimiser:
    """Return the released Delta-SGD: line 9 on the batch of line 8, a floor, and a larger first step.

    The first step of a round has already grown to sqrt(1 + delta theta_0) eta_0.
    """
    plain = adaptive_optimiser(released_rule, "same")

    def init(x: np.ndarray, c: Constants) -> AdaptiveState:
        state = plain.init(x, c)
        grown = roots(1 + c.growth_damping * state.ratio)
        return state._replace(lr=grown * state.lr, ratio=grown)

    return plain._replace(name="Delta-SGD, released", init=init, own=True)


# FedProx ----------------------------------------------------------------------------------------------------------------


class _ProximalAsk:
    """The oracle of a client for f_i(w) + mu/2 |w - x_t|^2."""

    def __init__(self, ask: ClientOracle, server: np.ndarray, weight: float | Element) -> None:
        self._ask, self._server, self._weight = ask, server, weight

    def gradient(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """Return its gradient on a mini-batch, (rows, dim)."""
        return self._ask.gradient(x, batch) + self._weight * (x - self._server)

    def loss(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """Return its value on a mini-batch, (rows,)."""
        return self._ask.loss(x, batch) + self._weight * squared_length(x - self._server) / 2


def proximal(optimiser: ClientOptimiser) -> ClientOptimiser:
    """Return the optimiser on the FedProx loss, mu = ``c.proximal_weight``, for all gradients, also those of line 9."""

    def init(x: np.ndarray, c: Constants) -> tuple[np.ndarray, Any]:
        return x, optimiser.init(x, c)

    def step(x: np.ndarray, state: tuple[np.ndarray, Any], ask: ClientOracle, c: Constants) -> tuple[np.ndarray, Any]:
        server, inner = state
        x, inner = optimiser.step(x, inner, _ProximalAsk(ask, server, c.proximal_weight), c)
        return x, (server, inner)

    return optimiser._replace(name=f"{optimiser.name}, FedProx", step=step, init=init, own=optimiser.own)
