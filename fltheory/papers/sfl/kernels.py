"""Compiled twins of the SFL and PFL rounds on separable clients. ``algorithms.py`` is what they must equal."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from fltheory.case import FederatedInstance
from fltheory.number import to_float
from fltheory.problems.separable import SeparableClients
from fltheory.runs.constants import Constants
from fltheory.scrutiny.consistency import is_plain
from fltheory.streams import ORDER
from fltheory.streams.kernels import U64, absorb, as_uniform

BLOCK = 128  # seeds that run side by side


@numba.njit(cache=True, inline="always")
def _uniform(state: np.uint64, client: int, index: int) -> float:
    """The draw of (client, index) from the state of (seed, repetition, round)."""
    return as_uniform(absorb(absorb(state, client), index))


@numba.njit(cache=True, nogil=True)
def _orders(states: np.ndarray, order: np.ndarray, n_clients: int, size: int) -> None:
    """Column s of ``order`` becomes an ordered sample of ``size`` clients: Fisher-Yates on the round's state of seed s."""
    for s in range(len(states)):
        for i in range(n_clients):
            order[i, s] = i
        for i in range(size):
            j = i + np.int64(_uniform(states[s], ORDER, i) * (n_clients - i))
            order[i, s], order[j, s] = order[j, s], order[i, s]


@numba.njit(cache=True, nogil=True)
def _noiseless_steps(
    y: np.ndarray, below: np.ndarray, above: np.ndarray, slope: np.ndarray, eta: float, local_steps: int
) -> None:
    for _ in range(local_steps):
        for s in range(len(y)):
            v = y[s]
            c = below[s] if v < 0 else above[s]
            y[s] = v - eta * (c * v + slope[s])


@numba.njit(cache=True, nogil=True)
def _local_steps(
    y: np.ndarray,
    states: np.ndarray,
    clients: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    slopes: np.ndarray,
    std: np.ndarray,
    two_point: bool,
    noisy: bool,
    eta: float,
    local_steps: int,
    work: np.ndarray,
) -> None:
    """K steps of the clients (one for every seed) on ``y`` (dim, seeds). Seeds are the inner loop: it vectorises."""
    below, above, slope, tau = work
    for k in range(local_steps if noisy else 1):
        if noisy:
            for s in range(len(states)):
                u = _uniform(states[s], clients[s], k)
                tau[s] = (1.0 if u < 0.5 else -1.0) if two_point else (2 * u - 1) * 3**0.5
        for d in range(len(y)):
            for s in range(len(states)):
                below[s], above[s], slope[s] = left[clients[s], d], right[clients[s], d], slopes[clients[s], d]
            if noisy:
                for s in range(len(states)):
                    c = below[s] if y[d, s] < 0 else above[s]
                    y[d, s] = y[d, s] - eta * (c * y[d, s] + slope[s] + tau[s] * std[d])
            else:
                _noiseless_steps(y[d], below, above, slope, eta, local_steps)


@numba.njit(cache=True, nogil=True)
def _run(
    left: np.ndarray,
    right: np.ndarray,
    slopes: np.ndarray,
    start: np.ndarray,
    std: np.ndarray,
    two_point: bool,
    noisy: bool,
    eta: float,
    gamma: float,
    local_steps: int,
    rounds: int,
    size: int,
    parallel: bool,
    seed: int,
    repetitions: np.ndarray,
) -> np.ndarray:
    """All rounds of a block of seeds before the next block: its state stays in the cache."""
    n_clients, dim = slopes.shape
    result = np.empty((len(repetitions), rounds + 1, dim))
    root = absorb(U64(0), seed)
    for first in range(0, len(repetitions), BLOCK):
        n = min(BLOCK, len(repetitions) - first)
        of_seed, states = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
        order = np.empty((n_clients, n), dtype=np.int64)
        x, y, total, work = np.empty((dim, n)), np.empty((dim, n)), np.empty((dim, n)), np.empty((4, n))
        for s in range(n):
            of_seed[s] = absorb(root, repetitions[first + s])
            x[:, s] = start
            result[first + s, 0] = start
        for r in range(rounds):
            for s in range(n):
                states[s] = absorb(of_seed[s], r)
            _orders(states, order, n_clients, size)
            total[:] = 0.0
            y[:] = x
            for i in range(size):
                if parallel:
                    y[:] = x
                _local_steps(y, states, order[i], left, right, slopes, std, two_point, noisy, eta, local_steps, work)
                if parallel:
                    total += y
            for d in range(dim):
                for s in range(n):
                    new = total[d, s] / size if parallel else y[d, s]
                    x[d, s] = new if gamma == 1.0 else x[d, s] + gamma * (new - x[d, s])
                    result[first + s, r + 1, d] = x[d, s]
    return result


def _call(instance: Any, c: Constants, seed: int, repetitions: np.ndarray, parallel: bool) -> np.ndarray | None:
    if not is_plain(instance, SeparableClients):
        return None
    left, right, slopes, *_ = instance._tables(np.zeros((1, instance.dim)))
    return _run(
        left,
        right,
        slopes,
        np.array([to_float(v) for v in instance.start]),
        np.array([to_float(v) for v in instance.noise_std]),
        instance.noise_law == "two_point",
        instance.draws > 0,
        float(c.step_size),
        float(c.server_step_size),
        int(c.n_local_steps),
        int(c.n_rounds),
        int(c.n_participating),
        parallel,
        seed,
        repetitions,
    )


def sequential_run(instance: FederatedInstance, c: Constants, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """States of SFL at the start of every round, (seeds, R + 1, dim); None where the instance isn't separable."""
    return _call(instance, c, seed, repetitions, False)


def parallel_run(instance: FederatedInstance, c: Constants, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """States of PFL at the start of every round, (seeds, R + 1, dim); None where the instance isn't separable."""
    return _call(instance, c, seed, repetitions, True)
