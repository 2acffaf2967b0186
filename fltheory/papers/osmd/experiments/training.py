"""Training with sampled clients: mini-batch SGD, FedAvg and SCAFFOLD, driven by any sampler, many runs at once.

Samplers that are compared share data, mini-batches and uniforms (paired runs). Arrays are (R, M, S): repetitions,
clients, samplers. The feedback of *all* clients is computed, for the regret and for oracles; a sampler sees what was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np

from fltheory.games.draws import draw_counts
from fltheory.games.losses import loss
from fltheory.games.player import Sampler, checked_play, checked_step
from fltheory.papers.osmd.algorithms.draws import (
    draw_without_replacement,
    estimator_weights,
    members,
    without_replacement_weights,
)
from fltheory.papers.osmd.algorithms.samplers import OracleSampler
from fltheory.papers.osmd.experiments.linear_models import LinearModels, gradients, squared_norms, weighted_gradient
from fltheory.runs.constants import Constants
from fltheory.runs.states import Tree


@dataclass(frozen=True)
class Reading:
    """How the text and the authors' script differ (all False: the text).

    ``spread_is_std``: s_m Sigma_jj is the features' standard deviation. ``summed_feedback``: samplers of SGD see the squared
    *sum* of a mini-batch's gradients, while A_max and the regret come from their mean. ``own_tuning``: the rates of the
    experts are K/2 times (22), and the other samplers are tuned as there. ``once_per_client``: a client drawn twice
    counts once in the update. ``regret_after_update``: the regret of the distribution that the round's feedback has
    led to, without 1/K.
    """

    name: str
    spread_is_std: bool = False
    summed_feedback: bool = False
    own_tuning: bool = False
    once_per_client: bool = False
    regret_after_update: bool = False


TEXT = Reading("text")
SCRIPT = Reading("script", True, True, True, True, True)


@dataclass(frozen=True)
class Method:
    """A sampler in a comparison; ``settings`` change constants for it alone (alpha, step size).

    ``signal``: what it sees of a drawn client, lambda^2 |g|^2 or the squared mini-batch loss.
    """

    label: str
    sampler: Sampler | OracleSampler
    settings: Mapping[str, float] = field(default_factory=dict)
    signal: Literal["gradient", "loss"] = "gradient"
    replacement: bool = True


@dataclass(frozen=True)
class Plan:
    """Sizes of an experiment; Section 7 by default. ``record_every``: rounds between records, which must divide the rounds."""

    n_rounds: int = 1000
    n_sampled: int = 5
    batch_size: int = 10
    step_size: float = 0.1
    probability_floor: float = 0.4
    n_local_steps: int = 1
    local_step_size: float = 0.1
    record_every: int = 20


class History(NamedTuple):
    """``rounds`` (P,); training ``loss`` before the round and cumulative ``regret`` of the rounds before, (P, S, R).

    ``peak`` (S, R): M times the largest probability at the end. ``accuracy`` (P, S, R) if samples are held out.
    """

    rounds: np.ndarray
    loss: np.ndarray
    regret: np.ndarray
    peak: np.ndarray
    accuracy: np.ndarray | None


class Answer(NamedTuple):
    """What all clients would answer: feedback and mini-batch losses (R, M, S), and whatever the update needs."""

    feedback: np.ndarray
    losses: Callable[[], np.ndarray]
    parts: Any


class Optimiser(NamedTuple):
    """Pure functions: ``start(S) -> state``, ``respond(state, round) -> Answer``, ``move(state, answer, weights) -> state``.

    ``weights`` (R, M, S) are the factors of lambda_m g_m, 0 for clients that were not drawn. ``model(state)``: (R, d, S, C).
    """

    start: Callable[[int], Any]
    respond: Callable[[Any, int], Answer]
    move: Callable[[Any, Answer, np.ndarray], Any]
    model: Callable[[Any], np.ndarray]


Build = Callable[[LinearModels, Plan, np.ndarray, int, np.ndarray], Optimiser]


def minibatch_sgd(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Algorithm 3: clients answer with a mini-batch gradient; w - mu sum_m weight_m lambda_m g_m (12)."""

    def respond(w: np.ndarray, round_: int) -> Answer:
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
    """Local steps of all clients from w: the models (R, M, d, S, C), and how to find the losses of the first mini-batch."""

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
    """sum_m weights_m updates_m, (R, d, S, C)."""
    return np.asarray((updates * weights[:, :, None, :, None]).sum(axis=1))


def _energy(updates: np.ndarray) -> np.ndarray:
    return np.asarray((updates**2).sum(axis=(2, 4)))


def fedavg(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Algorithm 4: g_m = w - w_m after B local steps, feedback lambda^2 |g|^2 / (mu_l^2 B); w - mu sum weight lambda g (15)."""
    walk = _local(data, plan, seed, repetitions)

    def respond(w: np.ndarray, round_: int) -> Answer:
        local, losses = walk(w, round_)
        updates = w[:, None] - local
        scale = plan.local_step_size**2 * plan.n_local_steps
        return Answer(data.weights[:, None] ** 2 * _energy(updates) / scale, losses, updates)

    def move(w: np.ndarray, answer: Answer, weights: np.ndarray) -> np.ndarray:
        return w - steps[:, None] * _total(answer.parts, weights * data.weights[:, None])

    return Optimiser(data.start, respond, move, lambda w: w)


class Controlled(NamedTuple):
    """SCAFFOLD's model and server's control (R, d, S, C), and the clients' controls (R, M, d, S, C)."""

    w: np.ndarray
    server: np.ndarray
    clients: np.ndarray


def scaffold(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """SCAFFOLD (Karimireddy et al. 2020, option II) with importance weights; feedback lambda^2 |w_m - w|^2 (Appendix E)."""
    walk = _local(data, plan, seed, repetitions)

    def start(n: int) -> Controlled:
        w = data.start(n)
        return Controlled(w, 0 * w, np.repeat(0 * w[:, None], data.n_clients, axis=1))

    def respond(state: Controlled, round_: int) -> Answer:
        local, losses = walk(state.w, round_, state.server[:, None] - state.clients)
        updates = state.w[:, None] - local
        return Answer(data.weights[:, None] ** 2 * _energy(updates), losses, updates)

    def move(state: Controlled, answer: Answer, weights: np.ndarray) -> Controlled:
        w = state.w - steps[:, None] * _total(answer.parts, weights * data.weights[:, None])
        drawn = (weights > 0)[:, :, None, :, None]
        fresh = state.clients - state.server[:, None] + answer.parts / (plan.n_local_steps * plan.local_step_size)
        change = np.where(drawn, fresh - state.clients, 0.0)
        shares = np.broadcast_to(data.weights[:, None], weights.shape)
        return Controlled(w, state.server + _total(change, shares), state.clients + change)

    return Optimiser(start, respond, move, lambda state: state.w)


# The loop -------------------------------------------------------------------------------------------------------------


def _constants(method: Method, data: LinearModels, plan: Plan, first: Answer, i: int) -> Any:
    """The constants of one sampler; A_max and the mean feedback from a round before training, (R, 1) each."""
    seen = first.losses()[:, :, i] ** 2 if method.signal == "loss" else first.feedback[:, :, i]
    settings = {
        "n_clients": data.n_clients,
        "n_sampled": plan.n_sampled,
        "n_rounds": plan.n_rounds,
        "batch_size": plan.batch_size,
        "probability_floor": plan.probability_floor,
        "step_size": plan.step_size,
        "max_feedback": seen.max(axis=1, keepdims=True),
        "mean_feedback": seen.mean(axis=1, keepdims=True),
    }
    return SimpleNamespace(**{**settings, **method.settings})


def _drawn(
    methods: Sequence[Method], played: Sequence[np.ndarray], n: int, key: tuple[int, np.ndarray, int], once: bool
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Counts and weights of a round's draws, (R, M) each, for every method: the same uniforms for all."""
    seed, repetitions, round_ = key
    stacked = draw_counts(np.concatenate(played), n, seed, np.tile(repetitions, len(methods)), round_)
    found = []
    for method, p, counts in zip(methods, played, np.split(stacked, len(methods)), strict=True):
        if method.replacement:
            found.append((counts, (counts > 0) / (n * p) if once else estimator_weights(p, counts)))
        else:
            order = draw_without_replacement(p, n, *key)
            found.append((members(order, p.shape[1]), without_replacement_weights(p, order)))
    return found


def _play(method: Method, memory: Tree, a: np.ndarray, c: Constants, round_: int) -> np.ndarray:
    """The distribution that is played, (R, M)."""
    if isinstance(method.sampler, OracleSampler):
        return method.sampler.choose(a, c)
    return checked_play(method.sampler, memory, c, len(a), round_)


def _regret(a: np.ndarray, p: np.ndarray, n: int) -> np.ndarray:
    """l_t(p) - min l_t over the simplex, (R,)."""
    return loss(a, p, n) - np.sqrt(a).sum(axis=1) ** 2 / n


def train(
    optimiser: Build,
    methods: Sequence[Method],
    data: LinearModels,
    plan: Plan,
    reading: Reading,
    seed: int,
    repetitions: np.ndarray,
) -> History:
    """Train with every method on the same data, mini-batches and uniforms. Round 0 fixes A_max, rounds 1..T are played."""
    n = len(methods)
    steps = np.array([m.settings.get("step_size", plan.step_size) for m in methods])
    build = optimiser(data, plan, steps, seed, repetitions)
    state = build.start(n)
    constants = [_constants(m, data, plan, build.respond(state, 0), i) for i, m in enumerate(methods)]
    memories = [
        m.sampler.init(len(repetitions), c) if isinstance(m.sampler, Sampler) else None
        for m, c in zip(methods, constants, strict=True)
    ]
    summed = reading.summed_feedback and optimiser is minibatch_sgd
    factor = np.minimum(plan.batch_size, data.sizes) ** 2 if summed else np.ones(data.n_clients)
    regret, peak = np.zeros((n, len(repetitions))), np.ones((n, len(repetitions)))
    records: list[tuple[Any, ...]] = []
    for t in range(1, plan.n_rounds + 1):
        if (t - 1) % plan.record_every == 0:
            records.append(_record(t - 1, build.model(state), regret, data))
        answer = build.respond(state, t)
        feedback = np.moveaxis(answer.feedback, 2, 0)  # (S, R, M)
        played = [_play(m, v, a, c, t) for m, v, a, c in zip(methods, memories, feedback, constants, strict=True)]
        draws = _drawn(methods, played, plan.n_sampled, (seed, repetitions, t), reading.once_per_client)
        for i, (method, c, a, (counts, _)) in enumerate(zip(methods, constants, feedback, draws, strict=True)):
            if isinstance(method.sampler, Sampler):
                seen = answer.losses()[:, :, i] ** 2 if method.signal == "loss" else a * factor
                memories[i] = checked_step(method.sampler, memories[i], counts, seen, c, t)
            p = _play(method, memories[i], a, c, t) if reading.regret_after_update else played[i]
            regret[i] += _regret(a, p, 1 if reading.regret_after_update else plan.n_sampled)
            peak[i] = data.n_clients * p.max(axis=1)
        state = build.move(state, answer, np.stack([weights for _, weights in draws], axis=2))
    records.append(_record(plan.n_rounds, build.model(state), regret, data))
    rounds, losses, regrets, accuracies = zip(*records, strict=True)
    accuracy = None if data.held_out is None else np.stack(accuracies)
    return History(np.array(rounds), np.stack(losses), np.stack(regrets), peak, accuracy)


def _record(done: int, w: np.ndarray, regret: np.ndarray, data: LinearModels) -> tuple[Any, ...]:
    return done, data.full_loss(w).T, regret.copy(), None if data.held_out is None else data.accuracy(w).T
