"""Compiled twins of ``streams``, and the repetitions of a compiled game side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from fltheory.number.streams import GOLDEN, MIX_1, MIX_2, ORDER_STREAM
from fltheory.number.streams.compiled import njit, vectorize

U64 = np.uint64
STEPS_PER_THREAD_START = 2_000_000  # steps that one thread does in the time in which another starts
MAX_THREADS = 16
Item = TypeVar("Item")
Result = TypeVar("Result")


@njit(inline="always")
def absorb(state: np.uint64, word: int | np.integer) -> np.uint64:
    """One link of the hash of ``streams``."""
    z = (state ^ ((U64(word) + U64(1)) * GOLDEN)) + GOLDEN
    z = (z ^ (z >> U64(30))) * MIX_1
    z = (z ^ (z >> U64(27))) * MIX_2
    return z ^ (z >> U64(31))


@njit(inline="always")
def as_uniform(bits: np.uint64) -> float:
    """53 of 64 random bits as a float in [0, 1)."""
    return np.float64(bits >> U64(11)) * 2.0**-53


@vectorize(["uint64(int64, int64, int64)"])
def chain_of_round(seed: np.int64, repetition: np.int64, round_: np.int64) -> np.uint64:
    """``streams.of_round`` at once: an array each link costs more than the links."""
    return absorb(absorb(absorb(U64(0), seed), repetition), round_)


@vectorize(["uint64(uint64, int64)"])
def link(state: np.uint64, word: np.int64) -> np.uint64:
    """``absorb`` of arrays that broadcast: a word that is the same for many keys is absorbed once."""
    return absorb(state, word)


@vectorize(["float64(uint64, int64)"])
def uniform_after(state: np.uint64, index: np.int64) -> float:
    """The last link, and the float."""
    return as_uniform(absorb(state, index))


@njit(nogil=True)
def ordered_sample(state: np.uint64, clients: np.ndarray, chosen: np.ndarray, places: np.ndarray) -> None:
    """``streams.orders`` from the state of (seed, repetition, round): ``chosen`` (size,), in a time that grows with size.

    ``clients`` is 0, 1, 2, ... before and after: the exchanges, at ``places`` (size,), are taken back.
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
    """How many threads so many steps are worth."""
    return 1 if steps < STEPS_PER_THREAD_START else max_threads()


def max_threads() -> int:
    """As many as there are processors, or as ``OMP_NUM_THREADS`` says, by which a child process has its share."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    allowed = int(told) if told.isdecimal() and int(told) > 0 else os.cpu_count() or 1
    return min(allowed, MAX_THREADS)


def map_threads(one: Callable[[Item], Result], items: Iterable[Item], threads: int) -> list[Result]:
    """[one(i) for i in items] on some threads. Broken off, as by Ctrl-C, it leaves what has not begun."""
    listed = list(items)
    if threads == 1 or len(listed) == 1:
        return [one(item) for item in listed]
    pool = ThreadPoolExecutor(threads)
    try:
        return list(pool.map(one, listed))
    finally:
        pool.shutdown(cancel_futures=True)
