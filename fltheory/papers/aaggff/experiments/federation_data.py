"""Clients of simulated federations: quadratics, exact in balls, and logistic regressions on generated data.

Axes: R repetitions, K clients, m of whom take part, n samples of a client, d parameters. ``who`` (R, m) lists clients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from fltheory.model.schema import Table, Vector
from fltheory.number import Element, Number, Ring, streams, to_float
from fltheory.runs.algorithm import object_array

DATA, BATCH = 1 << 40, 1 << 41  # random streams outside the rounds: data; the order of the samples
UNIT = 2.0**-54  # half the spacing of the uniform floats, added to avoid 0


@dataclass(frozen=True)
class Plan:
    """A training plan: E epochs of local steps zeta; with ``batch_size`` None, one full-batch step per epoch."""

    n_epochs: int = 1
    step_size: float | Element = 0.5
    batch_size: int | None = None


class LocalResult(NamedTuple):
    """The result of local training: updates d_i = theta - theta_i (R, m, d), and numbers of sample gradients (R, m)."""

    updates: np.ndarray
    gradients: np.ndarray


class Clients(Protocol):
    """Clients with local objectives on one model of d parameters."""

    @property
    def sizes(self) -> np.ndarray:
        """The clients' numbers of samples n_i, (K,)."""

    def start(self, n: int) -> np.ndarray:
        """Return the initial model, (R, d)."""

    def losses(self, theta: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Return F_i over all samples of a client, (R, m): (94)."""

    def train(self, theta: np.ndarray, who: np.ndarray, plan: Plan, key: tuple[int, np.ndarray, int]) -> LocalResult:
        """Train locally from theta in a round; ``key``: seed, repetitions, round."""


def members(seen: np.ndarray) -> np.ndarray:
    """Return the clients of a mask (R, K) in increasing order, (R, m), equally many in every row."""
    return np.nonzero(seen)[1].reshape(len(seen), -1)


# Quadratics -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Quadratics:
    """F_i(theta) = a_i/2 |theta - b_i|^2 + c_i with one sample each, in floats or in a ring: (K,), (K, d), (K,)."""

    curvatures: np.ndarray
    centres: np.ndarray
    floors: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        return np.ones(len(self.curvatures), dtype=np.int64)

    def start(self, n: int) -> np.ndarray:
        return np.zeros((n, self.centres.shape[1]), dtype=self.centres.dtype) + 0 * self.centres[:1]

    def losses(self, theta: np.ndarray, who: np.ndarray) -> np.ndarray:
        away = theta[:, None] - self.centres[who]
        return np.asarray(self.curvatures[who] * (away * away).sum(axis=-1) / 2 + self.floors[who])

    def train(self, theta: np.ndarray, who: np.ndarray, plan: Plan, key: tuple[int, np.ndarray, int]) -> LocalResult:
        local = np.repeat(theta[:, None], who.shape[1], axis=1)
        rates = (plan.step_size * self.curvatures[who])[..., None]
        for _ in range(plan.n_epochs):
            local = local - rates * (local - self.centres[who])
        return LocalResult(theta[:, None] - local, np.full(who.shape, plan.n_epochs))


def quadratics(curvatures: Vector, centres: Table, floors: Vector, ring: Ring | None) -> Quadratics:
    """Return quadratics from exact numbers, in floats or in a ring."""

    def read(table: Vector | Table, shape: tuple[int, ...]) -> np.ndarray:
        flat: list[Number] = [v for row in table for v in (row if isinstance(row, tuple) else (row,))]
        if ring is None:
            return np.array([to_float(v) for v in flat]).reshape(shape)
        return object_array([ring.scalar(v) for v in flat], shape)

    n = len(curvatures)
    return Quadratics(read(curvatures, (n,)), read(centres, (n, len(centres[0]))), read(floors, (n,)))


# Logistic regressions -------------------------------------------------------------------------------------------


def logistic_loss(margins: np.ndarray) -> np.ndarray:
    """Return log(1 + exp(-margin)), without overflow."""
    return np.asarray(np.log1p(np.exp(-np.abs(margins))) + np.maximum(-margins, 0))


@dataclass(frozen=True, eq=False)
class Logistic:
    """Two classes: features x (R, K, n, d) and signs of the labels y (R, K, n); the client has the first n_i of them.

    ``held_out``: features (R, K, v, d) and signs (R, K, v) that are not used for training.
    """

    x: np.ndarray
    y: np.ndarray
    sizes: np.ndarray
    held_out: tuple[np.ndarray, np.ndarray]

    def start(self, n: int) -> np.ndarray:
        return np.zeros((n, self.x.shape[-1]))

    def _of(self, who: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return features, signs and sizes of those who take part."""
        if who.shape[1] == len(self.sizes):
            return self.x, self.y, np.broadcast_to(self.sizes, who.shape)
        rows = np.arange(len(who))[:, None]
        return self.x[rows, who], self.y[rows, who], self.sizes[who]

    def losses(self, theta: np.ndarray, who: np.ndarray) -> np.ndarray:
        x, y, sizes = self._of(who)
        margins = y * (x @ theta[:, None, :, None])[..., 0]
        own = np.arange(y.shape[-1]) < sizes[..., None]
        return np.asarray((logistic_loss(margins) * own).sum(axis=-1) / sizes)

    def train(self, theta: np.ndarray, who: np.ndarray, plan: Plan, key: tuple[int, np.ndarray, int]) -> LocalResult:
        x, y, sizes = self._of(who)
        local, taken = np.repeat(theta[:, None], who.shape[1], axis=1), np.zeros(who.shape, dtype=np.int64)
        n = y.shape[-1]
        batch = n if plan.batch_size is None else min(plan.batch_size, n)
        for epoch in range(plan.n_epochs):
            order = None if batch == n else self._order(who, sizes, epoch, key)
            for first in range(0, n, batch):
                places = np.arange(first, min(first + batch, n))
                own = places < sizes[..., None]
                if order is None:
                    xb, yb = x, y
                else:
                    at = order[..., places]
                    xb = np.take_along_axis(x, at[..., None], axis=2)
                    yb = np.take_along_axis(y, at, axis=2)
                pull = own * yb / (1 + np.exp(yb * (xb @ local[..., None])[..., 0]))
                count = own.sum(axis=-1)
                slope = (pull[..., None, :] @ xb)[..., 0, :] / np.maximum(count, 1)[..., None]
                local, taken = local + plan.step_size * slope, taken + count
        return LocalResult(theta[:, None] - local, taken)

    def _order(self, who: np.ndarray, sizes: np.ndarray, epoch: int, key: tuple[int, np.ndarray, int]) -> np.ndarray:
        """Return the samples of every client in a random order, (R, m, n), with places beyond n_i last."""
        seed, repetitions, round_ = key
        n = self.y.shape[-1]
        draws = streams.uniform(
            seed, repetitions[:, None, None], BATCH + round_, who[..., None], epoch * n + np.arange(n)
        )
        return np.argsort(np.where(np.arange(n) < sizes[..., None], draws, 2.0), axis=-1, kind="stable")

    def accuracy(self, theta: np.ndarray) -> np.ndarray:
        """Return the share of every client's held-out samples that the model classifies correctly, (R, K)."""
        x, y = self.held_out
        return np.asarray((y * (x @ theta[:, None, :, None])[..., 0] > 0).mean(axis=-1))


def client_models(
    sizes: np.ndarray, spread: float, repetitions: np.ndarray, seed: int, dim: int = 5, held_out: int = 100
) -> Logistic:
    """Draw clients with their own models: y = +-1 by the logistic of <w_i, x>, w_i = w + spread u_i.

    x, u_i ~ N(0, I), w ~ N(0, 4 I), the last feature is 1. Each repetition draws everything anew.
    """
    K, most = len(sizes), int(sizes.max()) + held_out

    def uniform(field: int, *shape: int) -> np.ndarray:
        flat = streams.uniform(seed, repetitions[:, None], DATA, field, np.arange(int(np.prod(shape))))
        return flat.reshape(len(repetitions), *shape)

    def normal(field: int, *shape: int) -> np.ndarray:
        from scipy.special import ndtri

        return np.asarray(ndtri(uniform(field, *shape) + UNIT))

    models = 2 * normal(0, 1, dim) + spread * normal(1, K, dim)
    x = normal(2, K, most, dim)
    x[..., -1] = 1.0
    with np.errstate(over="ignore"):  # models far apart: e^inf, and a probability of 0
        chance = 1 / (1 + np.exp(-(x @ models[..., None])[..., 0]))
    y = np.where(uniform(3, K, most) < chance, 1.0, -1.0)
    cut = most - held_out
    return Logistic(x[:, :, :cut], y[:, :, :cut], sizes, (x[:, :, cut:], y[:, :, cut:]))
