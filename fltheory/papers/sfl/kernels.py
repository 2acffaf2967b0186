"""Compiled twins of the SFL and PFL rounds on separable clients. ``algorithms.py`` is what they must equal."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from fltheory.number import to_float
from fltheory.problems.separable import SeparableClients
from fltheory.streams import GOLDEN, MIX_1, MIX_2, ORDER

U64 = np.uint64


@numba.njit(cache=True, inline="always")
def _absorb(state: Any, word: Any) -> Any:
    z = (state ^ ((U64(word) + U64(1)) * GOLDEN)) + GOLDEN
    z = (z ^ (z >> U64(30))) * MIX_1
    z = (z ^ (z >> U64(27))) * MIX_2
    return z ^ (z >> U64(31))


@numba.njit(cache=True, inline="always")
def _uniform(state: Any, client: Any, index: Any) -> Any:
    """The draw of (client, index) from the state of (seed, repetition, round)."""
    z = _absorb(_absorb(state, client), index)
    return np.float64(z >> U64(11)) * 2.0**-53


@numba.njit(cache=True, nogil=True)
def _run(
    left: Any, right: Any, slopes: Any, start: Any, std: Any, two_point: Any, noisy: Any, eta: Any, gamma: Any,
    local_steps: Any, rounds: Any, size: Any, parallel: Any, seed: Any, repetitions: Any,
) -> Any:  # fmt: skip
    n_clients, dim = slopes.shape
    states = np.empty((len(repetitions), rounds + 1, dim))
    order = np.empty(n_clients, dtype=np.int64)
    x, y, total = np.empty(dim), np.empty(dim), np.empty(dim)
    root = _absorb(U64(0), seed)
    for s in range(len(repetitions)):
        of_seed = _absorb(root, repetitions[s])
        x[:] = start
        states[s, 0] = x
        for r in range(rounds):
            state = _absorb(of_seed, r)
            for i in range(n_clients):
                order[i] = i
            for i in range(size):
                j = i + np.int64(_uniform(state, ORDER, i) * (n_clients - i))
                order[i], order[j] = order[j], order[i]
            total[:] = 0.0
            y[:] = x
            for i in range(size):
                m = order[i]
                if parallel:
                    y[:] = x
                for k in range(local_steps):
                    tau = 0.0
                    if noisy:
                        u = _uniform(state, m, k)
                        tau = (1.0 if u < 0.5 else -1.0) if two_point else (2 * u - 1) * 3**0.5
                    for d in range(dim):
                        c = left[m, d] if y[d] < 0 else right[m, d]
                        g = c * y[d] + slopes[m, d]
                        if noisy:
                            g = g + tau * std[d]
                        y[d] = y[d] - eta * g
                for d in range(dim):
                    total[d] = total[d] + y[d]
            for d in range(dim):
                new = total[d] / size if parallel else y[d]
                x[d] = new if gamma == 1.0 else x[d] + gamma * (new - x[d])
            states[s, r + 1] = x
    return states


def _call(instance: Any, c: Any, seed: int, repetitions: np.ndarray, parallel: bool) -> np.ndarray | None:
    if not isinstance(instance, SeparableClients):
        return None
    left, right, slopes, *_ = instance._tables(np.zeros((1, instance.dim)))
    return _run(
        left, right, slopes,
        np.array([to_float(v) for v in instance.start]), np.array([to_float(v) for v in instance.noise_std]),
        instance.noise_law == "two_point", instance.draws > 0, float(c.step_size), float(c.server_step_size),
        int(c.n_local_steps), int(c.n_rounds), int(c.n_participating), parallel, seed, repetitions,
    )  # fmt: skip


def sequential_run(instance: Any, c: Any, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """States of SFL at the start of every round, (seeds, R + 1, dim); None where the instance isn't separable."""
    return _call(instance, c, seed, repetitions, False)


def parallel_run(instance: Any, c: Any, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """States of PFL at the start of every round, (seeds, R + 1, dim); None where the instance isn't separable."""
    return _call(instance, c, seed, repetitions, True)
