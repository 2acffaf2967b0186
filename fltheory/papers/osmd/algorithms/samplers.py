"""The samplers with which OSMD is compared: uniform, fixed, optimal, MABS, VRB and Avare.

The paper gives no formulas for the last three ("as in their original papers"); each docstring names the source of its
formula. States lead with a seed axis; feedback is a_m = lambda_m^2 |g_m|^2 of the drawn clients.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fltheory.games.player import Sampler
from fltheory.number import Number
from fltheory.papers.osmd.algorithms.mirror import LARGEST, project
from fltheory.runs.constants import Constants
from fltheory.runs.states import Tree


def _keep_state(state: Tree, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> Tree:
    return state


uniform = Sampler("uniform", _keep_state)


def fixed_sampler(p: np.ndarray, name: str = "fixed") -> Sampler:
    """Return the sampler that always plays p: (clients,), or (seeds, clients) with one row for each seed."""
    return Sampler(name, _keep_state, init=lambda n, c: np.array(np.broadcast_to(p, (n, c.n_clients))))


def lipschitz(weights: np.ndarray, smoothness: np.ndarray) -> Sampler:
    """Return importance sampling by smoothness: a fixed p_m proportional to lambda_m L_m.

    L_m is the smoothness constant of client m's objective, (clients,) or (seeds, clients). Zhao and Zhang 2015, Needell
    et al. 2016; the paper (Section 7.4) prints no formula.
    """
    importance = weights * smoothness
    return fixed_sampler(importance / importance.sum(axis=-1, keepdims=True), "lipschitz")


# Oracles: they know the feedback of all clients before they play ------------------------------------------------------


class OracleSampler(NamedTuple):
    """A sampler ``choose(feedback, c) -> p`` that sees the round's true feedback of all clients, unlike any bandit."""

    name: str
    choose: Callable[[np.ndarray, Any], np.ndarray]


def optimal_distribution(feedback: np.ndarray, alpha: float = 0.0) -> np.ndarray:
    """Return the p with the least sum_m a_m / p_m: sqrt(a_m) / sum, or max(alpha/M, c sqrt(a_m)) with a floor.

    Shape (..., clients); uniform if all feedback is 0.
    """
    root = np.sqrt(feedback)
    root = np.where(root.max(axis=-1, keepdims=True) > 0, root, 1.0)
    return project(root, alpha) if alpha > 0 else root / root.sum(axis=-1, keepdims=True)


optimal = OracleSampler("optimal", lambda feedback, c: optimal_distribution(feedback))
optimal_floored = OracleSampler(
    "optimal on the floored simplex", lambda feedback, c: optimal_distribution(feedback, c.probability_floor)
)


# Bandits --------------------------------------------------------------------------------------------------------------


def _zeros(n: int, c: Constants) -> np.ndarray:
    return np.zeros((n, c.n_clients))


def _largest(c: Constants) -> Number:
    return c.max_feedback


def mabs(mixing: float = 0.4, scale: Callable[[Any], Any] = _largest) -> Sampler:
    """Return MABS (Salehi, Celis and Thiran 2017): exponential weights on the gradient of the loss, mixed with uniform.

    The log-weight of a client grows by delta a_m / p_m^3 for each of its draws, p = (1 - eta) softmax + eta/M, with
    eta = ``mixing`` = 0.4 and delta = eta^2 sqrt(log M / (T M^5)) / ``scale(c)``. From the public script of the authors
    of the OSMD paper, where the scale is the *root* of the mean feedback at the start, so rescaling all losses changes
    the play. The default A_max is equivariant, and is this project's choice: the original paper was not available.
    """

    def play(state: np.ndarray, c: Constants) -> np.ndarray:
        weights = np.exp(state - state.max(axis=1, keepdims=True))
        return (1 - mixing) * weights / weights.sum(axis=1, keepdims=True) + mixing / c.n_clients

    def step(state: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
        rate = mixing**2 * math.sqrt(math.log(c.n_clients) / (c.n_rounds * c.n_clients**5)) / scale(c)
        state = state + np.minimum(counts * rate * feedback / play(state, c) ** 3, LARGEST)
        return state - state.max(axis=1, keepdims=True)

    return Sampler("mabs", step, _zeros, play)


def vrb(mixing: float = 0.4, bound: Callable[[Any], Any] = _largest) -> Sampler:
    """Return VRB (Borsos, Krause and Levy 2018): follow the regularised leader on estimated losses, mixed with uniform.

    W_m grows by a_m / p_m for each draw of m, p = (1 - theta) sqrt(W + L M / theta) / sum + theta/M with L = ``bound(c)``
    (default A_max), theta = ``mixing``. The script of the authors of the OSMD paper (theta = 0.4,
    L = 1.5 times the largest feedback at the start) uses the squared mini-batch *loss* as feedback.
    """

    def play(state: np.ndarray, c: Constants) -> np.ndarray:
        root = np.sqrt(state + bound(c) * c.n_clients / mixing)
        return (1 - mixing) * root / root.sum(axis=1, keepdims=True) + mixing / c.n_clients

    def step(state: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
        return np.minimum(state + counts * feedback / play(state, c), LARGEST)

    return Sampler("vrb", step, _zeros, play)


class LastSeen(NamedTuple):
    """The state of Avare: (seeds, clients) norms, whether each was seen, and (seeds,) rounds played."""

    norms: np.ndarray
    seen: np.ndarray
    rounds: np.ndarray


def avare(decay: float = 1 / 3) -> Sampler:
    """Return Avare (El Hanchi and Stephens 2020): the best p for the last seen norms, above a decreasing floor.

    p^t minimises sum_m |g_m|^2 / p_m over p_m >= t^-decay / M, so p_m = max(t^-decay / M, c |g_m|), where |g_m| is the
    root of the last feedback of m; for a client not seen yet, the mean of the norms seen.

    Not verified here (the original paper was not available, and the OSMD paper prints nothing): the power 1/3 of
    the floor (it fits the O(T^(2/3)) regret that its abstract states for 1/t steps), the constant 1 in front of it,
    and the start: the rule for clients not seen yet is this project's.
    """

    def init(n: int, c: Constants) -> LastSeen:
        return LastSeen(np.ones((n, c.n_clients)), np.zeros((n, c.n_clients), bool), np.ones(n))

    def play(state: LastSeen, c: Constants) -> np.ndarray:
        norms, seen, rounds = state
        known = np.maximum(seen.sum(axis=1, keepdims=True), 1)
        mean = np.where(seen, norms, 0).sum(axis=1, keepdims=True) / known
        guess = np.where(seen, norms, mean)
        guess = np.where(guess.max(axis=1, keepdims=True) > 0, guess, 1.0)
        floor = rounds[:, None] ** -decay
        return project(guess, floor)

    def step(state: LastSeen, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> LastSeen:
        drawn = counts > 0
        return LastSeen(np.where(drawn, np.sqrt(feedback), state.norms), state.seen | drawn, state.rounds + 1)

    return Sampler("avare", step, init, play)
