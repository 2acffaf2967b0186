"""Federated training of small networks with any client optimiser and any server, for many runs at once.

All methods get the same data, clients and mini-batches (paired runs). Rows are repetitions times participating clients.
Weights have the precision of the samples.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from fltheory.number import streams
from fltheory.papers.delta_sgd.algorithms.servers import FEDADAM_STEP, Server, client_mean, fedavg
from fltheory.papers.delta_sgd.experiments.datasets import Split
from fltheory.papers.delta_sgd.experiments.networks import Network
from fltheory.problems.data.tables import Table
from fltheory.runs.client_optimiser import ClientOptimiser
from fltheory.runs.constants import Constants

BATCH = 1 << 41  # a random stream outside the rounds: the order of a client's samples
DEFAULTS = {  # the paper's untuned constants
    "initial_step_size": 0.2,
    "initial_ratio": 1.0,
    "amplifier": 2.0,
    "growth_damping": 0.1,
    "step_size": 0.1,
    "server_step_size": FEDADAM_STEP,
    "proximal_weight": 0.01,
}

Schedule = Callable[[float, int, int], float]  # the step size of a run, the round, the number of rounds


def constant(lr: float, t: int, n_rounds: int) -> float:
    """Return the same step size in every round."""
    return lr


def stepwise_decay(lr: float, t: int, n_rounds: int) -> float:
    """Return a step size divided by 10 after half of the rounds and again after three quarters."""
    return lr / 10 ** ((2 * t >= n_rounds) + (4 * t >= 3 * n_rounds))


def root_decay(lr: float, t: int, n_rounds: int) -> float:
    """Return a step size proportional to the inverse root of the round."""
    return lr / float(np.sqrt(t + 1))


class Method(NamedTuple):
    """A client optimiser with its constants, as pairs, its schedule of step sizes, and a server."""

    label: str
    optimiser: ClientOptimiser
    settings: tuple[tuple[str, float], ...] = ()
    schedule: Schedule = constant
    server: Server = fedavg

    def constants(self, t: int, plan: Plan) -> Constants:
        """Return the constants that the optimiser and the server read in a round."""
        values = {**DEFAULTS, **dict(self.settings), "n_rounds": plan.n_rounds}
        return Constants(**{**values, "step_size": self.schedule(values["step_size"], t, plan.n_rounds)})


class Plan(NamedTuple):
    """Sizes of a run. Local steps use a client's samples in a random order, without the last partial mini-batch."""

    n_rounds: int = 200
    n_participating: int = 10
    batch_size: int = 16
    n_epochs: int = 1
    records: int = 4  # number of rounds between records of the accuracy


class Federated(NamedTuple):
    """A network, the samples, and their distribution among clients."""

    network: Network
    table: Table
    split: Split


class Run(NamedTuple):
    """Accuracy on held-out samples (R, records), and the clients' step sizes (T, K, rows), if they choose them."""

    accuracy: np.ndarray
    step_sizes: np.ndarray | None

    @property
    def final(self) -> np.ndarray:
        """Return the final accuracy, (R,)."""
        return np.asarray(self.accuracy[:, -1])


class BatchAsk:
    """The oracle for a local step, each client on mini-batches of its own samples (rows, batches, b)."""

    def __init__(self, data: Federated, picked: np.ndarray) -> None:
        self._network = data.network
        self._x, self._y = data.table.x[picked], data.table.y[picked]

    def gradient(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """Return the gradient at x on a mini-batch, (rows, dim)."""
        return self._network.gradient(x, self._x[:, batch], self._y[:, batch])

    def loss(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """Return the mean loss there, (rows,)."""
        return self._network.loss(x, self._x[:, batch], self._y[:, batch])


def train(method: Method, data: Federated, plan: Plan, seed: int, repetitions: np.ndarray) -> Run:
    """Run all rounds of federated training from the network's start."""
    runs, size = len(repetitions), plan.n_participating
    x = data.network.start(seed, repetitions).astype(data.table.x.dtype)
    memory = method.server.init(x, method.constants(0, plan))
    accuracy, chosen = [], []
    with np.errstate(all="ignore"):  # too long steps make the weights overflow: such a model guesses
        for t in range(plan.n_rounds):
            c = method.constants(t, plan)
            local, lrs = _local(method.optimiser, np.repeat(x, size, axis=0), data, plan, c, (seed, repetitions, t))
            mean = client_mean(local.reshape(runs, size, -1))
            x, memory = method.server.step(x, mean, memory, c)
            chosen += lrs
            if (t + 1) * plan.records // plan.n_rounds > t * plan.records // plan.n_rounds:
                held = data.split.held_out
                accuracy.append(data.network.accuracy(x, data.table.x[held], data.table.y[held]))
    steps = np.stack(chosen).reshape(plan.n_rounds, -1, runs * size) if chosen else None
    return Run(np.stack(accuracy, axis=1), steps)


@runtime_checkable
class WithStepSizes(Protocol):
    """The state of an optimiser that chooses its step sizes."""

    lr: np.ndarray


def _local(
    optimiser: ClientOptimiser,
    y: np.ndarray,
    data: Federated,
    plan: Plan,
    c: Constants,
    key: tuple[int, np.ndarray, int],
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the clients' models after a round, (rows, dim), and the step sizes that they chose."""
    batches = _batches(data.split, plan, optimiser.batches, *key)
    state, chosen = optimiser.init(y, c), []
    choosing = isinstance(state, WithStepSizes)
    for picked in batches:
        y, state = optimiser.step(y, state, BatchAsk(data, picked), c)
        y = y.astype(data.table.x.dtype, copy=False)  # step sizes have double precision
        if choosing:
            chosen.append(state.lr)
    return y, chosen


def _batches(split: Split, plan: Plan, drawn: int, seed: int, repetitions: np.ndarray, t: int) -> list[np.ndarray]:
    """Return the samples of every local step of a round, (rows, drawn, b) each."""
    n_clients, n = split.clients.shape[1:]
    who, places = _deal_samples(n_clients, n, plan, drawn, seed, tuple(repetitions.tolist()), t)
    own = np.take_along_axis(split.clients, who[..., None], axis=1).reshape(-1, n)
    rows = np.take_along_axis(own, places, axis=1)
    return list(np.swapaxes(rows.reshape(len(own), -1, drawn, min(plan.batch_size, n)), 0, 1))


@lru_cache(maxsize=512)  # compared methods share them
def _deal_samples(
    n_clients: int, n: int, plan: Plan, drawn: int, seed: int, repetitions: tuple[int, ...], t: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return who takes part, (R, m), and the indices of their samples, by mini-batch, (rows, samples)."""
    runs = np.array(repetitions)
    who = streams.ordered_samples(seed, runs, t, n_clients, plan.n_participating)
    size = min(plan.batch_size, n)
    used = n // size * size  # indices of an epoch
    keys = (seed, np.repeat(runs, plan.n_participating)[:, None], BATCH + t, who.reshape(-1, 1))
    orders = [
        np.argsort(streams.uniform(*keys, epoch * n + np.arange(n)), axis=1)[:, :used]
        for epoch in range(plan.n_epochs * drawn)
    ]
    return who, np.concatenate(orders, axis=1)
