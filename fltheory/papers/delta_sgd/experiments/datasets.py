"""Distribution of data sets among clients by labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fltheory.number import streams
from fltheory.problems.data.tables import Table

DATA = 1 << 40  # a random stream outside the rounds
HELD_OUT = 5  # one sample in five is held out for tests


class Split(NamedTuple):
    """The samples of a table that the clients have, (R, clients, samples), and held-out ones, (R, tests)."""

    clients: np.ndarray
    held_out: np.ndarray


def uniform(seed: int, repetitions: np.ndarray, field: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return uniform floats in (0, 1) from the streams, (R, *shape); ``field`` identifies the table."""
    flat = streams.uniform(seed, repetitions[:, None], DATA, field, np.arange(int(np.prod(shape))))
    return flat.reshape(len(repetitions), *shape) + 2.0**-54


def dirichlet(alpha: float, draws: np.ndarray, more_draws: np.ndarray) -> np.ndarray:
    """Return distributions from the symmetric Dirichlet distribution along the last axis, from two uniforms per entry.

    It uses logarithms, for small alpha: a Gamma(alpha) variable is a Gamma(alpha + 1) variable times U^(1 / alpha).
    """
    from scipy.special import gammaincinv

    logs = np.log(gammaincinv(alpha + 1, draws)) + np.log(more_draws) / alpha
    shares = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def split_data(data: Table, alpha: float, n_clients: int, n_samples: int, seed: int, repetitions: np.ndarray) -> Split:
    """Hold out a fifth; each client draws label shares from Dir(alpha), then samples with replacement."""
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
