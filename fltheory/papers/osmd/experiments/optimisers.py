"""Mini-batch SGD, FedAvg and SCAFFOLD with weights of drawn clients, in NumPy, for any loss; ``compiled`` is faster.

Arrays are (R, M, S): repetitions, clients, samplers. All clients answer, for the regret and for oracles, even if only
the answers of those that are ``asked`` (R, M) are read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fltheory.papers.osmd.experiments.linear_models import LinearModels, gradients, squared_norms, weighted_gradient


@dataclass(frozen=True)
class Plan:
    """Sizes of an experiment, by default of Section 7; ``record_every`` (rounds between records) divides the rounds."""

    n_rounds: int = 1000
    n_sampled: int = 5
    batch_size: int = 10
    step_size: float = 0.1
    probability_floor: float = 0.4
    n_local_steps: int = 1
    local_step_size: float = 0.1
    record_every: int = 20


class Answer(NamedTuple):
    """The answers of all clients: feedback and mini-batch losses (R, M, S), and the data of the update."""

    feedback: np.ndarray
    losses: Callable[[], np.ndarray]
    parts: Any


class Optimiser(NamedTuple):
    """Pure functions: ``start(S) -> state``, ``respond(state, round, asked) -> Answer``, ``move(state, answer, weights) -> state``.

    ``asked``: the clients whose answers are read, (R, M), or None for all.
    ``weights`` (R, M, S) are the factors of lambda_m g_m, 0 for clients that were not drawn. ``model(state)``: (R, d, S, C).
    """

    start: Callable[[int], Any]
    respond: Callable[[Any, int, np.ndarray | None], Answer]
    move: Callable[[Any, Answer, np.ndarray], Any]
    model: Callable[[Any], np.ndarray]


Build = Callable[[LinearModels, Plan, np.ndarray, int, np.ndarray], Optimiser]


def plain_sgd(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Return Algorithm 3: clients send a mini-batch gradient, w becomes w - mu sum_m weight_m lambda_m g_m (12)."""

    def respond(w: np.ndarray, round_: int, asked: np.ndarray | None = None) -> Answer:
        batch = data.batch(plan.batch_size, seed, repetitions, round_)
        scores = data.scores(w, batch)
        errors = data.errors(scores, batch)
        feedback = data.weights[:, None] ** 2 * squared_norms(batch, errors)
        return Answer(feedback, lambda: data.batch_losses(scores, batch), (batch, errors))

    def move(w: np.ndarray, answer: Answer, weights: np.ndarray) -> np.ndarray:
        batch, errors = answer.parts
        return w - steps[:, None] * weighted_gradient(batch, errors, weights * data.weights[:, None])

    return Optimiser(data.start, respond, move, lambda w: w)


def _local(data: LinearModels, plan: Plan, seed: int, repetitions: np.ndarray) -> Callable[..., tuple[Any, Any]]:
    """Return local steps of all clients: models (R, M, d, S, C), and a function for the losses of the first batch."""

    def walk(
        w: np.ndarray, round_: int, correction: np.ndarray | float = 0.0
    ) -> tuple[np.ndarray, Callable[[], np.ndarray]]:
        local = np.repeat(w[:, None], data.n_clients, axis=1)
        seen = []
        for b in range(plan.n_local_steps):
            batch = data.batch(plan.batch_size, seed, repetitions, round_, b)
            scores = data.scores(local, batch)
            seen.append((scores, batch))
            local = local - plan.local_step_size * (gradients(batch, data.errors(scores, batch)) + correction)
        return local, lambda: data.batch_losses(*seen[0])

    return walk


def _total(updates: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return sum_m weights_m updates_m, (R, d, S, C)."""
    return np.asarray((updates * weights[:, :, None, :, None]).sum(axis=1))


def _energy(updates: np.ndarray) -> np.ndarray:
    return np.asarray((updates**2).sum(axis=(2, 4)))


def plain_fedavg(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Return Algorithm 4 (15): g_m = w - w_m after B local steps, with feedback lambda^2 |g|^2 / (mu_l^2 B)."""
    walk = _local(data, plan, seed, repetitions)

    def respond(w: np.ndarray, round_: int, asked: np.ndarray | None = None) -> Answer:
        local, losses = walk(w, round_)
        updates = w[:, None] - local
        scale = plan.local_step_size**2 * plan.n_local_steps
        return Answer(data.weights[:, None] ** 2 * _energy(updates) / scale, losses, updates)

    def move(w: np.ndarray, answer: Answer, weights: np.ndarray) -> np.ndarray:
        return w - steps[:, None] * _total(answer.parts, weights * data.weights[:, None])

    return Optimiser(data.start, respond, move, lambda w: w)


class ScaffoldState(NamedTuple):
    """The model and the server's control of SCAFFOLD (R, d, S, C), and the clients' controls (R, M, d, S, C)."""

    w: np.ndarray
    server: np.ndarray
    clients: np.ndarray


def plain_scaffold(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Return SCAFFOLD (Karimireddy et al. 2020, option II) with feedback lambda^2 |w_m - w|^2 (Appendix E)."""
    walk = _local(data, plan, seed, repetitions)

    def start(n: int) -> ScaffoldState:
        w = data.start(n)
        return ScaffoldState(w, 0 * w, np.repeat(0 * w[:, None], data.n_clients, axis=1))

    def respond(state: ScaffoldState, round_: int, asked: np.ndarray | None = None) -> Answer:
        local, losses = walk(state.w, round_, state.server[:, None] - state.clients)
        updates = state.w[:, None] - local
        return Answer(data.weights[:, None] ** 2 * _energy(updates), losses, updates)

    def move(state: ScaffoldState, answer: Answer, weights: np.ndarray) -> ScaffoldState:
        w = state.w - steps[:, None] * _total(answer.parts, weights * data.weights[:, None])
        drawn = (weights > 0)[:, :, None, :, None]
        fresh = state.clients - state.server[:, None] + answer.parts / (plan.n_local_steps * plan.local_step_size)
        change = np.where(drawn, fresh - state.clients, 0.0)
        shares = np.broadcast_to(data.weights[:, None], weights.shape)
        return ScaffoldState(w, state.server + _total(change, shares), state.clients + change)

    return Optimiser(start, respond, move, lambda state: state.w)
