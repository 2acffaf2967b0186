"""Algorithms 5 and 6: OSMD experts on a grid of rates with exponential weights, and restarts with no known horizon."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.papers.osmd.algorithms.grid import (
    BALLS,
    FLOATS,
    Arithmetic,
    Meta,
    expert_grid,
    first_weights,
    meta_rate,
    n_experts,
)
from fltheory.runs.constants import Constants

__all__ = [
    "Block",
    "Experts",
    "Meta",
    "Restart",
    "adaptive",
    "doubling",
    "expert_grid",
    "first_weights",
    "meta_rate",
    "mixture",
    "n_experts",
]

Restart = Literal["uniform", "last"]


class Experts(NamedTuple):
    """The state of Algorithm 5."""

    log_weights: np.ndarray  # (seeds, experts), up to an additive constant in each row
    experts: np.ndarray  # (seeds, experts, clients)


class Block(NamedTuple):
    """The state of Algorithm 6."""

    log_weights: np.ndarray  # (seeds, experts)
    experts: np.ndarray  # (seeds, experts, clients), with the number of experts for the block's horizon
    round_: np.ndarray  # (seeds,) rounds begun, equal in all rows


def mixture(state: Experts | Block, on: Arithmetic = FLOATS) -> np.ndarray:
    """Return the mixture sum_e theta_e p_e that is played, (seeds, clients)."""
    weights = on.exp(state.log_weights)
    return (weights[..., None] * state.experts).sum(axis=1) / weights.sum(axis=1)[:, None]


def _start(n: int, c: Constants, horizon: int, on: Arithmetic, start: np.ndarray | None = None) -> Experts:
    """Return the weights theta^1, and all experts at ``start`` (seeds, clients), which is uniform by default."""
    balls = on is BALLS
    theta = first_weights(n_experts(c.n_clients, c.probability_floor, horizon))
    logs = np.array([on.log(on.number(v)) for v in theta])
    if start is None:
        start = np.full((n, c.n_clients), on.number(1) / c.n_clients, dtype=object if balls else float)
    return Experts(np.tile(logs, (n, 1)), np.repeat(start[:, None], len(theta), axis=1))


def _update(
    state: Experts | Block,
    counts: np.ndarray,
    feedback: np.ndarray,
    c: Constants,
    gamma: Meta,
    horizon: int,
    on: Arithmetic,
) -> Experts:
    """Take steps 7 to 11 of Algorithm 5: mirror steps with exponents N eta_e a / (K^2 p_e^2 p), and new weights."""
    balls = on is BALLS
    p = mixture(state, on)[:, None]
    seen = (counts * feedback / c.n_sampled**2)[:, None] / (state.experts * p)  # a N / (K^2 p_e p)
    rates = expert_grid(c, horizon, balls)[:, None]
    experts = on.step(state.experts, rates * seen / state.experts, on.number(c.probability_floor))
    logs = state.log_weights - meta_rate(c, gamma, horizon, balls) * seen.sum(axis=2)  # the estimates (6)
    return Experts(logs if balls else logs - logs.max(axis=1, keepdims=True), experts)


def _adaptive(gamma: Meta, on: Arithmetic, name: str, **twins: Any) -> Sampler:
    def init(n: int, c: Constants) -> Experts:
        return _start(n, c, c.n_rounds, on)

    def step(state: Experts, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> Experts:
        return _update(state, counts, feedback, c, gamma, c.n_rounds, on)

    return Sampler(name, step, init, lambda state, c: mixture(state, on), **twins)


def adaptive(gamma: Meta = "corrected") -> Sampler:
    """Return Algorithm 5 for the case's horizon and max_feedback, with the corrected, printed or given meta rate."""

    def kernel(case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
        from fltheory.papers.osmd.experts.kernels.experts import experts_regret

        return experts_regret(case, seed, repetitions, gamma, False, "uniform")

    balls = _adaptive(gamma, BALLS, "adaptive osmd in balls")
    return _adaptive(gamma, FLOATS, "adaptive osmd", exact=balls, kernel=kernel)


def _doubling(gamma: Meta, restart: Restart, on: Arithmetic, name: str, **twins: Any) -> Sampler:
    def init(n: int, c: Constants) -> Block:
        return Block(*_start(n, c, 1, on), np.ones(n, dtype=np.int64))

    def step(state: Block, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> Block:
        following = int(state.round_[0]) + 1
        horizon = 2 ** (following.bit_length() - 1)
        if following == horizon:  # block b covers t = 2^(b-1)..2^b - 1
            start = mixture(state, on) if restart == "last" else None
            return Block(*_start(len(state.round_), c, horizon, on, start), state.round_ + 1)
        return Block(*_update(state, counts, feedback, c, gamma, horizon, on), state.round_ + 1)

    return Sampler(name, step, init, lambda state, c: mixture(state, on), **twins)


def doubling(gamma: Meta = "corrected", restart: Restart = "uniform") -> Sampler:
    """Return Algorithm 6: Algorithm 5 on t = 1, 2-3, 4-7, ...; experts restart at uniform or at the last play."""

    def kernel(case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
        from fltheory.papers.osmd.experts.kernels.experts import experts_regret

        return experts_regret(case, seed, repetitions, gamma, True, restart)

    balls = _doubling(gamma, restart, BALLS, "doubling osmd in balls")
    return _doubling(gamma, restart, FLOATS, "doubling osmd", exact=balls, kernel=kernel)
