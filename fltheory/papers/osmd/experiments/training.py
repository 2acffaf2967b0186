"""Training with sampled clients: mini-batch SGD, FedAvg and SCAFFOLD with any sampler, many runs at once.

The compared samplers share data, mini-batches and uniforms (paired runs). Arrays are (R, M, S): repetitions,
clients, samplers. The feedback of *all* clients is computed, for regrets and oracles; a sampler sees only its draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np

from fltheory.games.losses import sampler_loss
from fltheory.games.participation import draw_counts
from fltheory.games.player import Sampler, next_player_state, valid_play
from fltheory.papers.osmd.algorithms.draws import (
    draw_without_replacement,
    estimator_weights,
    members,
    without_replacement_weights,
)
from fltheory.papers.osmd.algorithms.samplers import OracleSampler
from fltheory.papers.osmd.experiments import compiled
from fltheory.papers.osmd.experiments.linear_models import LinearModels
from fltheory.papers.osmd.experiments.optimisers import (
    Answer,
    Build,
    Optimiser,
    Plan,
    plain_fedavg,
    plain_scaffold,
    plain_sgd,
)
from fltheory.runs.constants import Constants
from fltheory.runs.method import VariantError
from fltheory.runs.states import Tree


@dataclass(frozen=True)
class Reading:
    """The differences between the text and the authors' script (all False: the text).

    ``spread_is_std``: s_m Sigma_jj is the features' standard deviation. ``summed_feedback``: samplers of SGD see the squared
    *sum* of a mini-batch's gradients, while A_max and the regret come from their mean. ``own_tuning``: the rates of the
    experts are K/2 times (22), and the other samplers are tuned as in the script. ``once_per_client``: a client drawn
    twice counts once in the update. ``regret_after_update``: the regret of the distribution after the round's feedback,
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
    """A sampler in a comparison; ``settings`` overrides constants (alpha, step size) for this sampler.

    ``signal``: what it sees of a drawn client, lambda^2 |g|^2 or the squared mini-batch loss.
    """

    label: str
    sampler: Sampler | OracleSampler
    settings: Mapping[str, float] = field(default_factory=dict)
    signal: Literal["gradient", "loss"] = "gradient"
    replacement: bool = True


class History(NamedTuple):
    """``rounds`` (P,); training ``sampler_loss`` before the round, cumulative ``regret`` of earlier rounds, (P, S, R).

    ``peak`` (S, R): M times the largest final probability. ``accuracy`` (P, S, R) if samples are held out. The regret
    is NaN if it was not requested.
    """

    rounds: np.ndarray
    loss: np.ndarray
    regret: np.ndarray
    peak: np.ndarray
    accuracy: np.ndarray | None


def minibatch_sgd(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Return Algorithm 3, compiled if possible."""
    build = plain_sgd if data.flat is None else compiled.sgd
    return build(data, plan, steps, seed, repetitions)


def fedavg(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Return Algorithm 4, compiled if possible."""
    build = plain_fedavg if data.flat is None else compiled.fedavg
    return build(data, plan, steps, seed, repetitions)


def scaffold(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Return SCAFFOLD, compiled if possible."""
    build = plain_scaffold if data.flat is None else compiled.scaffold
    return build(data, plan, steps, seed, repetitions)


# The loop -------------------------------------------------------------------------------------------------------------


def _constants(method: Method, data: LinearModels, plan: Plan, first: Answer, i: int) -> Any:
    """Return the constants of one sampler; A_max and the mean feedback are from a round before training, (R, 1)."""
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


def _draw_counts(
    methods: Sequence[Method], played: Sequence[np.ndarray], n: int, key: tuple[int, np.ndarray, int], once: bool
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return counts and weights of a round's draws, (R, M) each, for each method, all from the same uniforms."""
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


def _play(method: Method, memory: Tree, a: np.ndarray | None, c: Constants, runs: int, round_: int) -> np.ndarray:
    """Return the distribution that is played, (R, M); only an oracle sees the feedback ``a``."""
    if isinstance(method.sampler, OracleSampler):
        assert a is not None
        return method.sampler.choose(a, c)
    p = valid_play(method.sampler, memory, c, runs, round_)
    if not (p > 0).all():
        raise VariantError(
            f"{method.sampler.name} plays a client with probability 0 in round {round_}: its regret is infinite, expected "
            "positive probabilities where samplers train"
        )
    return p


def _regret(a: np.ndarray, p: np.ndarray, n: int) -> np.ndarray:
    """Return l_t(p) - min l_t over the simplex, (R,)."""
    return sampler_loss(a, p, n) - np.sqrt(a).sum(axis=1) ** 2 / n


def train(
    optimiser: Build,
    methods: Sequence[Method],
    data: LinearModels,
    plan: Plan,
    reading: Reading,
    seed: int,
    repetitions: np.ndarray,
    regret: bool = True,
) -> History:
    """Train with all methods on the same data, mini-batches and uniforms. Round 0 fixes A_max, rounds 1..T are played.

    Without ``regret`` only the drawn clients are asked, as in practice; the losses are the same.
    """
    n = len(methods)
    steps = np.array([m.settings.get("step_size", plan.step_size) for m in methods])
    build = optimiser(data, plan, steps, seed, repetitions)
    state = build.start(n)
    first = build.respond(state, 0, None)
    constants = [_constants(m, data, plan, first, i) for i, m in enumerate(methods)]
    memories = [
        m.sampler.init(len(repetitions), c) if isinstance(m.sampler, Sampler) else None
        for m, c in zip(methods, constants, strict=True)
    ]
    summed = reading.summed_feedback and optimiser is minibatch_sgd
    factor = np.minimum(plan.batch_size, data.sizes) ** 2 if summed else np.ones(data.n_clients)
    everybody = regret or not all(isinstance(m.sampler, Sampler) for m in methods)
    total = np.zeros((n, len(repetitions))) if regret else np.full((n, len(repetitions)), np.nan)
    peak = np.ones((n, len(repetitions)))
    records: list[tuple[Any, ...]] = []
    for t in range(1, plan.n_rounds + 1):
        if (t - 1) % plan.record_every == 0:
            records.append(_record(t - 1, build.model(state), total, data))
        answer = build.respond(state, t, None) if everybody else None
        known = [None] * n if answer is None else _split_feedback(answer)
        played = [_play(*of, len(repetitions), t) for of in zip(methods, memories, known, constants, strict=True)]
        draws = _draw_counts(methods, played, plan.n_sampled, (seed, repetitions, t), reading.once_per_client)
        if answer is None:
            answer = build.respond(state, t, np.any([counts > 0 for counts, _ in draws], axis=0))
        for i, (method, c, a, (counts, _)) in enumerate(
            zip(methods, constants, _split_feedback(answer), draws, strict=True)
        ):
            if isinstance(method.sampler, Sampler):
                seen = answer.losses()[:, :, i] ** 2 if method.signal == "loss" else a * factor
                memories[i] = next_player_state(method.sampler, memories[i], counts, seen, c, t)
            p = _play(method, memories[i], a, c, len(a), t) if regret and reading.regret_after_update else played[i]
            if regret:
                total[i] += _regret(a, p, 1 if reading.regret_after_update else plan.n_sampled)
            peak[i] = data.n_clients * p.max(axis=1)
        state = build.move(state, answer, np.stack([weights for _, weights in draws], axis=2))
    records.append(_record(plan.n_rounds, build.model(state), total, data))
    rounds, losses, regrets, accuracies = zip(*records, strict=True)
    accuracy = None if data.held_out is None else np.stack(accuracies)
    return History(np.array(rounds), np.stack(losses), np.stack(regrets), peak, accuracy)


def _split_feedback(answer: Answer) -> np.ndarray:
    """Return the feedback of each method, (S, R, M)."""
    return np.moveaxis(answer.feedback, 2, 0)


def _record(done: int, w: np.ndarray, regret: np.ndarray, data: LinearModels) -> tuple[Any, ...]:
    return done, data.full_loss(w).T, regret.copy(), None if data.held_out is None else data.accuracy(w).T
