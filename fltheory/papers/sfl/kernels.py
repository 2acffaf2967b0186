"""Compiled SFL and PFL rounds on separable clients; ``algorithms.py`` is their reference implementation.

The innermost loops run over the seeds, without branches, so that they vectorise; blocks of seeds run in threads. Only
the requested parts of a run are stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.evidence.validation.consistency import is_plain
from fltheory.model.case import FederatedInstance
from fltheory.number import to_float
from fltheory.number.streams import ORDER_STREAM
from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform, map_threads, ordered_sample, threads_for
from fltheory.problems.separable import SeparableClients
from fltheory.runs.constants import Constants

BLOCK = 256  # seeds in one vectorised block
IN_A_WORD = 16  # largest number of clients whose order fits into a word of 64 bits, four bits for each client
ASCENDING = U64(0xFEDCBA9876543210)  # the order 0, 1, ..., 15 as such a word, with the first client in the lowest bits


@njit(nogil=True)
def _orders_in_words(streams: np.ndarray, words: np.ndarray, n_clients: int, size: int) -> None:
    """Turn every word into an ordered sample of ``size`` clients by Fisher-Yates on the stream of its seed."""
    for s in range(len(words)):
        words[s] = ASCENDING
    for i in range(min(size, n_clients - 1)):  # the last client has no other to be swapped with
        at, left = U64(4 * i), n_clients - i
        for s in range(len(words)):
            other = at + (U64(np.int64(as_uniform(absorb(streams[s], i)) * left)) << U64(2))
            word = words[s]
            change = ((word >> at) ^ (word >> other)) & U64(15)
            words[s] = word ^ ((change << at) | (change << other))


@njit(nogil=True)
def _step(v: float, below: float, above: float, slope: float, eta: float) -> float:
    c = below if v < 0 else above
    return v - eta * (c * v + slope)


@njit(nogil=True)
def _noiseless_steps(
    y: np.ndarray, below: np.ndarray, above: np.ndarray, slope: np.ndarray, eta: float, local_steps: int
) -> None:
    """Take K steps for each seed, two at a time: longer chains of operations would stall."""
    for _ in range(local_steps // 2):
        for s in range(len(y)):
            v, b, a, g = y[s], below[s], above[s], slope[s]
            y[s] = _step(_step(v, b, a, g, eta), b, a, g, eta)
    for _ in range(local_steps % 2):
        for s in range(len(y)):
            y[s] = _step(y[s], below[s], above[s], slope[s], eta)


@njit(nogil=True)
def _noisy_steps(
    y: np.ndarray,
    tables: np.ndarray,
    streams: np.ndarray,
    std: np.ndarray,
    two_point: bool,
    eta: float,
    local_steps: int,
    tau: np.ndarray,
) -> None:
    """Take K steps for each seed with one noise value for all coordinates; ``streams``: those of the seeds' clients."""
    for k in range(local_steps):
        for s in range(len(tau)):
            u = as_uniform(absorb(streams[s], k))
            tau[s] = (1.0 if u < 0.5 else -1.0) if two_point else (2 * u - 1) * 3**0.5
        for d in range(len(y)):
            for s in range(len(tau)):
                v = y[d, s]
                c = tables[0, d, s] if v < 0 else tables[1, d, s]
                y[d, s] = v - eta * (c * v + tables[2, d, s] + tau[s] * std[d])


@njit(nogil=True)
def _look_up(table: np.ndarray, clients: np.ndarray, found: np.ndarray) -> None:
    """Write to ``found``, (dim, seeds), the row in ``table`` of each seed's client."""
    for d in range(len(found)):
        for s in range(len(clients)):
            found[d, s] = table[clients[s], d]


@njit(nogil=True)
def _copy_into(to: np.ndarray, x: np.ndarray) -> None:
    for d in range(len(x)):
        for s in range(x.shape[1]):
            to[d, s] = x[d, s]


@njit(nogil=True)
def _clear(to: np.ndarray) -> None:
    for d in range(len(to)):
        for s in range(to.shape[1]):
            to[d, s] = 0.0


@njit(nogil=True)
def _add_scaled(to: np.ndarray, weight: float, x: np.ndarray) -> None:
    for d in range(len(x)):
        for s in range(x.shape[1]):
            to[d, s] += weight * x[d, s]


@njit(nogil=True)
def _store_state(states: np.ndarray, r: int, x: np.ndarray) -> None:
    for s in range(len(states)):
        for d in range(len(x)):
            states[s, r, d] = x[d, s]


@njit(nogil=True)
def _move_server(x: np.ndarray, y: np.ndarray, size: int, gamma: float) -> None:
    """Move the server towards the mean of ``size`` points, whose sum is ``y``."""
    for d in range(len(x)):
        for s in range(x.shape[1]):
            new = y[d, s] / size
            x[d, s] = new if gamma == 1.0 else x[d, s] + gamma * (new - x[d, s])


@njit(nogil=True)
def _order_clients(
    r: int, seeds: np.ndarray, order: np.ndarray, n_clients: int, everyone: np.ndarray, places: np.ndarray
) -> None:
    """Write the order of the clients in round r for every seed, as words or into ``order``."""
    of_seed, of_round, streams, words = seeds[0], seeds[1], seeds[2], seeds[3]
    for s in range(len(words)):
        of_round[s] = absorb(of_seed[s], r)
        streams[s] = absorb(of_round[s], ORDER_STREAM)
    if n_clients <= IN_A_WORD:
        _orders_in_words(streams, words, n_clients, len(places))
    else:
        for s in range(len(words)):
            ordered_sample(of_round[s], everyone, order[s], places)


@njit(nogil=True)
def _visit_client(
    y: np.ndarray,
    i: int,
    left: np.ndarray,
    right: np.ndarray,
    slopes: np.ndarray,
    alike: bool,
    std: np.ndarray,
    two_point: bool,
    noisy: bool,
    eta: float,
    local_steps: int,
    seeds: np.ndarray,
    order: np.ndarray,
    room: np.ndarray,
) -> None:
    """Take K local steps of each seed's i-th client on ``y``, (dim, seeds); ``room`` is scratch, (4, dim, seeds)."""
    of_round, streams, words, clients = seeds[1], seeds[2], seeds[3], seeds[4]
    for s in range(len(clients)):
        clients[s] = (words[s] >> U64(4 * i)) & U64(15) if len(order) == 0 else U64(order[s, i])
    if not alike:
        _look_up(left, clients, room[0])
        _look_up(right, clients, room[1])
    _look_up(slopes, clients, room[2])
    if noisy:
        for s in range(len(clients)):
            streams[s] = absorb(of_round[s], clients[s])
        _noisy_steps(y, room, streams, std, two_point, eta, local_steps, room[3, 0])
    else:
        for d in range(len(y)):
            _noiseless_steps(y[d], room[0, d], room[1, d], room[2, d], eta, local_steps)


@njit(nogil=True)
def _run(
    left: np.ndarray,
    right: np.ndarray,
    slopes: np.ndarray,
    alike: bool,
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
    weights: np.ndarray,
    states: np.ndarray,
    points: np.ndarray,
    seeds: np.ndarray,
    order: np.ndarray,
) -> None:
    """Run all rounds of a block of seeds. ``states``, (seeds, kept, dim), get those of all rounds or of one round only.

    The one state is the last, or the average with ``weights`` if there are any, summed from round 0 on. Scratch space:
    ``points``, (8, dim, seeds), holds the start, three times 0, and the curvatures of the first client, which are those
    of all if they are ``alike``; ``seeds``, (5, seeds), first holds the streams of the seeds, of the round and of the
    draws; ``order``, (seeds, size), is empty if the orders are words, in ``seeds[3]``.
    """
    n_clients, kept, averaged = len(slopes), states.shape[1], len(weights) > 0
    x, y, total, average, room = points[0], points[1], points[2], points[3], points[4:]
    everyone, places = np.arange(n_clients), np.empty(size, np.int64)
    root = absorb(U64(0), seed)
    for s in range(len(repetitions)):
        seeds[0, s] = absorb(root, repetitions[s])
    for r in range(rounds + 1):
        if kept > 1:
            _store_state(states, r, x)
        if averaged:
            _add_scaled(average, weights[r], x)
        if r == rounds:
            break
        _order_clients(r, seeds, order, n_clients, everyone, places)
        _copy_into(y, x)
        _clear(total)
        for i in range(size):
            if parallel:
                _copy_into(y, x)
            _visit_client(y, i, left, right, slopes, alike, std, two_point, noisy, eta, local_steps, seeds, order, room)
            if parallel:
                _add_scaled(total, 1.0, y)
        if parallel:
            _move_server(x, total, size, gamma)
        else:
            _move_server(x, y, 1, gamma)
    if kept == 1:
        _store_state(states, 0, average if averaged else x)


def _call(
    instance: Any,
    c: Constants,
    seed: int,
    repetitions: np.ndarray,
    parallel: bool,
    kept: int,
    weights: np.ndarray | None = None,
    threads: int | None = None,
) -> np.ndarray | None:
    if not is_plain(instance, SeparableClients):
        return None
    left, right, slopes, *_ = instance._tables(np.zeros((1, instance.dim)))
    rounds, size, local_steps = int(c.n_rounds), int(c.n_participating), int(c.n_local_steps)
    states = np.empty((len(repetitions), kept, instance.dim))
    start = np.array([to_float(v) for v in instance.start])
    given = (
        left,
        right,
        slopes,
        bool((left == left[0]).all() and (right == right[0]).all()),
        np.array([to_float(v) for v in instance.noise_std]),
        instance.noise_law == "two_point",
        instance.draws > 0,
        float(c.step_size),
        float(c.server_step_size),
        local_steps,
        rounds,
        size,
        parallel,
        seed,
    )

    def block(first: int) -> None:
        part = slice(first, first + BLOCK)
        n = len(repetitions[part])
        points, seeds = np.zeros((8, instance.dim, n)), np.empty((5, n), np.uint64)
        points[0], points[4], points[5] = start[:, None], left[0][:, None], right[0][:, None]
        order = np.empty((0 if len(left) <= IN_A_WORD else n, size), np.int32)
        looked = np.empty(0) if weights is None else weights
        _run(*given, repetitions[part], looked, states[part], points, seeds, order)

    steps = len(repetitions) * rounds * size * local_steps * instance.dim
    map_threads(block, range(0, len(repetitions), BLOCK), threads or threads_for(steps))
    return states


def sequential_run(instance: FederatedInstance, c: Constants, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """Return the states of SFL before each round and at the end, (seeds, R + 1, dim); None if not separable."""
    return _call(instance, c, seed, repetitions, False, int(c.n_rounds) + 1)


def parallel_run(instance: FederatedInstance, c: Constants, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """Return the states of PFL before each round and at the end, (seeds, R + 1, dim); None if not separable."""
    return _call(instance, c, seed, repetitions, True, int(c.n_rounds) + 1)


def points_of_runs(
    instance: FederatedInstance,
    c: Constants,
    seed: int,
    repetitions: np.ndarray,
    weights: np.ndarray | None,
    *,
    parallel: bool,
    threads: int | None = None,
) -> np.ndarray | None:
    """Return last states, or averages with ``weights`` of rounds 0..R: (seeds, dim), without storing states."""
    found = _call(instance, c, seed, repetitions, parallel, 1, weights, threads)
    return None if found is None else found[:, 0]
