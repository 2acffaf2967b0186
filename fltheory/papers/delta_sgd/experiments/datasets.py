"""Data sets dealt to clients by labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fltheory.number import streams
from fltheory.problems.data.tables import Table

DATA = 1 << 40  # a stream beyond every round
HELD_OUT = 5  # one sample in so many is kept for the test


class Split(NamedTuple):
    """Which samples of a table the clients have, (R, clients, samples), and which are held out, (R, tests)."""

    clients: np.ndarray
    held_out: np.ndarray


def uniform(seed: int, repetitions: np.ndarray, field: int, shape: tuple[int, ...]) -> np.ndarray:
    """Uniform floats in (0, 1) from the streams, (R, *shape); ``field`` tells one table from another."""
    flat = streams.uniform(seed, repetitions[:, None], DATA, field, np.arange(int(np.prod(shape))))
    return flat.reshape(len(repetitions), *shape) + 2.0**-54


def dirichlet(alpha: float, draws: np.ndarray, more_draws: np.ndarray) -> np.ndarray:
    """Distributions from the symmetric Dirichlet law along the last axis, from two uniforms for every entry.

    In logarithms, for a small alpha: a Gamma(alpha) variable is a Gamma(alpha + 1) one times U^(1 / alpha).
    """
    from scipy.special import gammaincinv

    logs = np.log(gammaincinv(alpha + 1, draws)) + np.log(more_draws) / alpha
    shares = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def split_data(data: Table, alpha: float, n_clients: int, n_samples: int, seed: int, repetitions: np.ndarray) -> Split:
    """A fifth held out; each client draws its shares of the labels from Dir(alpha), then samples with replacement."""
    runs, n, classes = len(repetitions), len(data.y), data.n_classes
    order = np.argsort(uniform(seed, repetitions, 0, (n,)), axis=1)
    held, train = np.split(order, [n // HELD_OUT], axis=1)
    shape = (n_clients, classes)
    shares = dirichlet(alpha, *(uniform(seed, repetitions, field, shape) for field in (1, 2)))
    ends = np.cumsum(shares, axis=-1)
    wanted = uniform(seed, repetitions, 3, (n_clients, n_samples)) * ends[..., -1:]
    labels = (wanted[..., None] > ends[:, :, None, :-1]).sum(axis=-1)
    which = uniform(seed, repetitions, 4, (n_clients, n_samples))
    found = np.empty(labels.shape, dtype=np.int64)
    for r in range(runs):
        for label in range(classes):
            own = train[r][data.y[train[r]] == label]
            here = labels[r] == label
            found[r][here] = own[(which[r][here] * len(own)).astype(np.int64)]
    return Split(found, held)
