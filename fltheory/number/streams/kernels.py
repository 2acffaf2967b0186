"""Compiled versions of ``streams``, and threads for the repetitions of a compiled game."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from fltheory.number.streams.compiled import njit, vectorize
from fltheory.number.streams.constants import GOLDEN, MIX_1, MIX_2, ORDER_STREAM

U64 = np.uint64
STEPS_PER_THREAD_START = 2_000_000  # steps of one thread in the time that another needs to start
MAX_THREADS = 16
Item = TypeVar("Item")
Result = TypeVar("Result")


@njit(inline="always")
def absorb(state: np.uint64, word: int | np.integer) -> np.uint64:
    """Add a key word to the hash chain of ``streams``."""
    z = (state ^ ((U64(word) + U64(1)) * GOLDEN)) + GOLDEN
    z = (z ^ (z >> U64(30))) * MIX_1
    z = (z ^ (z >> U64(27))) * MIX_2
    return z ^ (z >> U64(31))


@njit(inline="always")
def as_uniform(bits: np.uint64) -> float:
    """Convert 53 of 64 random bits to a float in [0, 1)."""
    return np.float64(bits >> U64(11)) * 2.0**-53


@vectorize(["uint64(int64, int64, int64)"])
def chain_of_round(seed: np.int64, repetition: np.int64, round_: np.int64) -> np.uint64:
    """Compute ``streams.chain_of_round`` in one pass, because an array per link costs more than the links."""
    return absorb(absorb(absorb(U64(0), seed), repetition), round_)


@vectorize(["uint64(uint64, int64)"])
def link(state: np.uint64, word: np.int64) -> np.uint64:
    """Apply ``absorb`` to arrays that broadcast; a word shared by many keys is absorbed once."""
    return absorb(state, word)


@vectorize(["float64(uint64, int64)"])
def uniform_after(state: np.uint64, index: np.int64) -> float:
    """Add the last word and return the float."""
    return as_uniform(absorb(state, index))


@njit(nogil=True)
def ordered_sample(state: np.uint64, clients: np.ndarray, chosen: np.ndarray, places: np.ndarray) -> None:
    """Draw an order from the state of (seed, repetition, round) into ``chosen`` (size,), in time O(size).

    ``clients`` is 0, 1, 2, ... before and after, since the exchanges, at ``places`` (size,), are undone.
    """
    n, size = len(clients), len(chosen)
    stream = absorb(state, ORDER_STREAM)
    for i in range(size):
        j = i + np.int64(as_uniform(absorb(stream, i)) * (n - i))
        clients[i], clients[j] = clients[j], clients[i]
        chosen[i], places[i] = clients[i], j
    for i in range(size - 1, -1, -1):
        j = places[i]
        clients[i], clients[j] = clients[j], clients[i]


def threads_for(steps: float) -> int:
    """Return the number of threads that pays off for so many steps."""
    return 1 if steps < STEPS_PER_THREAD_START else max_threads()


def max_threads() -> int:
    """Return the number of processors, or ``OMP_NUM_THREADS``, which gives a child process its share."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    allowed = int(told) if told.isdecimal() and int(told) > 0 else os.cpu_count() or 1
    return min(allowed, MAX_THREADS)


def map_threads(one: Callable[[Item], Result], items: Iterable[Item], threads: int) -> list[Result]:
    """Return [one(i) for i in items] from some threads. After an interruption (Ctrl-C) it starts no more items."""
    listed = list(items)
    if threads == 1 or len(listed) == 1:
        return [one(item) for item in listed]
    pool = ThreadPoolExecutor(threads)
    try:
        return list(pool.map(one, listed))
    finally:
        pool.shutdown(cancel_futures=True)
