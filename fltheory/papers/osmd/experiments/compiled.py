"""Compiled ``optimisers`` for least squares with one output. Models are (R, S, d), those of clients (R, M, S, d)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fltheory.papers.osmd.experiments.linear_models import Flat, LinearModels
from fltheory.papers.osmd.experiments.optimisers import Answer, Optimiser, Plan

Walk = Callable[[np.ndarray, np.ndarray, np.ndarray, int, np.ndarray | None], tuple[np.ndarray, np.ndarray]]


def _flat(data: LinearModels) -> Flat:
    if data.flat is None:
        raise ValueError(f"{data.loss} with {data.targets.shape[2]} outputs: expected squares with one")
    return data.flat


def _start(data: LinearModels, n: int) -> np.ndarray:
    return np.zeros((len(data.features), n, data.features.shape[2]))


def _model(w: np.ndarray) -> np.ndarray:
    """Return the models with shape (R, d, S, 1), as the losses expect them."""
    return np.swapaxes(w, 1, 2)[..., None]


def sgd(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Return the compiled ``plain_sgd``; its state is the models."""
    from fltheory.papers.osmd.experiments.kernels import least_squares

    samples, starts, sizes = _flat(data)

    def respond(w: np.ndarray, round_: int, asked: np.ndarray | None = None) -> Answer:
        asked = data.everybody() if asked is None else asked
        places = data.places(plan.batch_size, seed, repetitions, round_, 0, asked)
        runs, clients, size = places.shape
        errors, energy = np.zeros((runs, clients, w.shape[1], size)), np.zeros((runs, clients, w.shape[1]))
        least_squares.respond(samples, starts, sizes, places, asked, w, errors, energy)
        seen = np.minimum(sizes, size)[:, None]
        return Answer(data.weights[:, None] ** 2 * energy, lambda: seen / 2 * (errors**2).sum(axis=3), (places, errors))

    def move(w: np.ndarray, answer: Answer, weights: np.ndarray) -> np.ndarray:
        places, errors = answer.parts
        moved = w.copy()
        least_squares.move(samples, starts, places, errors, steps * (weights * data.weights[:, None]), moved)
        return moved

    return Optimiser(lambda n: _start(data, n), respond, move, _model)


def _local(data: LinearModels, plan: Plan, seed: int, repetitions: np.ndarray) -> Walk:
    """Return local steps of the asked clients with controls: models, and the losses of the first batch (R, M, S)."""
    from fltheory.papers.osmd.experiments.kernels import least_squares

    samples, starts, sizes = _flat(data)

    def walk(
        w: np.ndarray, server: np.ndarray, controls: np.ndarray, round_: int, asked: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        local = np.repeat(w[:, None], data.n_clients, axis=1)
        asked = data.everybody() if asked is None else asked
        losses = [np.zeros(local.shape[:3]) for _ in range(plan.n_local_steps)]
        for b, seen in enumerate(losses):
            places = data.places(plan.batch_size, seed, repetitions, round_, b, asked)
            batch = (samples, starts, sizes, places, asked)
            least_squares.local_step(*batch, plan.local_step_size, server, controls, local, seen)
        return local, losses[0]

    return walk


def _energy(local: np.ndarray, w: np.ndarray) -> np.ndarray:
    from fltheory.papers.osmd.experiments.kernels import least_squares

    energy = np.empty(local.shape[:3])
    least_squares.energies(local, w, energy)
    return energy


def fedavg(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Return the compiled ``plain_fedavg``; its state is the models."""
    walk = _local(data, plan, seed, repetitions)

    def respond(w: np.ndarray, round_: int, asked: np.ndarray | None = None) -> Answer:
        none = np.broadcast_to(0.0, (w.shape[0], data.n_clients, *w.shape[1:]))
        local, losses = walk(w, 0 * w, none, round_, asked)
        scale = plan.local_step_size**2 * plan.n_local_steps
        return Answer(data.weights[:, None] ** 2 * _energy(local, w) / scale, lambda: losses, local)

    def move(w: np.ndarray, answer: Answer, weights: np.ndarray) -> np.ndarray:
        factors = steps * (weights * data.weights[:, None])
        return w - np.einsum("rms,rmsd->rsd", factors, w[:, None] - answer.parts)

    return Optimiser(lambda n: _start(data, n), respond, move, _model)


class ScaffoldState(NamedTuple):
    """The model and the server's control of SCAFFOLD (R, S, d), and the clients' controls (R, M, S, d)."""

    w: np.ndarray
    server: np.ndarray
    clients: np.ndarray


def scaffold(data: LinearModels, plan: Plan, steps: np.ndarray, seed: int, repetitions: np.ndarray) -> Optimiser:
    """Return the compiled ``plain_scaffold``."""
    from fltheory.papers.osmd.experiments.kernels import least_squares

    walk = _local(data, plan, seed, repetitions)
    scale = plan.n_local_steps * plan.local_step_size

    def start(n: int) -> ScaffoldState:
        w = _start(data, n)
        return ScaffoldState(w, 0 * w, np.repeat(0 * w[:, None], data.n_clients, axis=1))

    def respond(state: ScaffoldState, round_: int, asked: np.ndarray | None = None) -> Answer:
        local, losses = walk(*state, round_, asked)
        return Answer(data.weights[:, None] ** 2 * _energy(local, state.w), lambda: losses, local)

    def move(state: ScaffoldState, answer: Answer, weights: np.ndarray) -> ScaffoldState:
        w, server, clients = (part.copy() for part in state)
        now = (w, state.server, clients, server)
        least_squares.exchange(answer.parts, state.w, weights, steps, data.weights, scale, *now)
        return ScaffoldState(w, server, clients)

    return Optimiser(start, respond, move, lambda state: _model(state.w))
