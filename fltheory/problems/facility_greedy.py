"""Greedy facility location under a cardinality: the k items that raise sum_i p_i max_{j in S} c_ij the most, one by one.

The run is lazy: what bounded an item's gain bounds it ever after, and only items that could be the best are looked at anew.
Scores that fit in the cache are looked at as they are. More of them are looked at in a copy of 16 bits a score first: scores
p_i c_ij rounded up, best scores rounded down, to whole units of which the greatest score has 2^14 to 2^15, so that a sum of
whole numbers bounds the gain. The bound is nearly the gain and reads a quarter of the memory, which is what a gain costs; an
item whose bound comes out on top has its gain summed from the scores. The copy takes 2 bytes a score more, and about twice the
time of one look at all scores.

What is exact: items are compared by gains in float64, summed in one fixed order; the bounds, rounding included, only say which
gains needn't be known. So items and gains are those of ``plain_greedy`` to the last bit, ties too, either way and for any
number of threads.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np

LANES = 32  # sums side by side: an addition needn't wait for the last one
TOP = (1 << 16) - 1  # the most units a score may have
BLOCK = 1 << 15  # so many scores of at most 2^16 units are summed in 32 bits
SLACK = 2.0**-7  # units a score: more than TOP * 2^-24, by which float32 can be below a weighted score
OVER = np.float32(TOP + 1)
SAMPLE = 16  # items from which the unit is guessed
SHARE = 1 << 21  # scores that are worth a thread
CACHED = 4_000_000  # up to so many scores are read again from the cache, faster than a copy of them is made


@numba.njit(cache=True, nogil=True)
def _gain(scores: Any, best: Any, weights: Any, lanes: Any) -> Any:
    """sum_i p_i max(c_i - best_i, 0) of one item's scores: client i's term goes to lane i mod LANES, then lanes are added.

    What is not a number stays one.
    """
    lanes[:] = 0.0
    whole = len(scores) - len(scores) % LANES
    for a in range(0, whole, LANES):
        c, b, p = scores[a : a + LANES], best[a : a + LANES], weights[a : a + LANES]
        for k in range(LANES):
            more = np.float64(c[k]) - b[k]
            lanes[k] += p[k] * (0.0 if more <= 0.0 else more)
    for i in range(whole, len(scores)):
        more = np.float64(scores[i]) - best[i]
        lanes[i - whole] += weights[i] * (0.0 if more <= 0.0 else more)
    total = 0.0
    for k in range(LANES):
        total += lanes[k]
    return total


@numba.njit(cache=True, nogil=True)
def _most(columns: Any, weights: Any) -> Any:
    """The greatest weighted score, or 0."""
    most = 0.0
    for scores in columns:
        for i in range(len(scores)):
            most = max(most, weights[i] * max(0.0, np.float64(scores[i])))
    return most


@numba.njit(cache=True, nogil=True)
def _pack_block(scores: Any, weights: Any, scale: float, out: Any) -> Any:
    """Weighted scores in units, rounded up: (their bits all together, which tell whether one was above TOP, their sum)."""
    seen, total = np.int32(0), np.uint32(0)
    for i in range(len(scores)):
        c = np.float64(scores[i])
        x = np.ceil(np.float32(weights[i] * (0.0 if c <= 0.0 else c) * scale))
        x = x if x < OVER else OVER  # also what is not a number
        units = np.int32(x)
        seen = np.int32(seen | units)
        total = np.uint32(total + np.uint32(units))
        out[i] = np.uint16(units)
    return seen, total


@numba.njit(cache=True, nogil=True)
def _over(units: Any, floor: Any) -> Any:
    """sum_i max(units_i - floor_i, 0)."""
    total = np.int64(0)
    for a in range(0, len(units), BLOCK):
        u, f = units[a : a + BLOCK], floor[a : a + BLOCK]
        part = np.uint32(0)
        for i in range(len(u)):
            more = u[i] if u[i] > f[i] else f[i]
            part = np.uint32(part + np.uint32(np.uint16(more - f[i])))
        total += np.int64(part)
    return total


@numba.njit(cache=True, nogil=True)
def _pack(columns: Any, weights: Any, scale: float, packed: Any, totals: Any) -> Any:
    """Packs items and adds up the units of each; False if the unit is too small."""
    for e in range(len(columns)):
        totals[e] = 0
        for a in range(0, len(weights), BLOCK):
            b = min(a + BLOCK, len(weights))
            seen, total = _pack_block(columns[e, a:b], weights[a:b], scale, packed[e, a:b])
            if seen > TOP:
                return False
            totals[e] += np.int64(total)
    return True


@numba.njit(cache=True, nogil=True)
def _sink(heap: Any, gains: Any) -> None:
    """Puts the top of the heap where it belongs: greater gains above, of equal ones the lowest item."""
    size, item, i = len(heap), heap[0], 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size:
            a, b = heap[child], heap[child + 1]
            if gains[b] > gains[a] or (gains[b] == gains[a] and b < a):
                child += 1
        a = heap[child]
        if gains[a] < gains[item] or (gains[a] == gains[item] and item < a):
            break
        heap[i] = a
        i = child
    heap[i] = item


@numba.njit(cache=True, nogil=True)
def _first_gains(columns: Any, weights: Any) -> Any:
    """What every item is worth alone."""
    nothing, lanes, gains = np.zeros(len(weights)), np.empty(LANES), np.empty(len(columns))
    for e in range(len(columns)):
        gains[e] = _gain(columns[e], nothing, weights, lanes)
    return gains


@numba.njit(cache=True, nogil=True)
def _run_directly(columns: Any, weights: Any, gains: Any, chosen: Any, found: Any) -> Any:
    """``_run`` without a copy, from the items' first ``gains``, which it uses up."""
    n_items, n_clients = columns.shape
    best, lanes, summed = np.zeros(n_clients), np.empty(LANES), np.zeros(n_items, dtype=np.int64)
    heap = np.argsort(-gains, kind="mergesort")  # in order, ties by the lowest item: a heap
    size, evaluations = 0, n_items
    while size < len(chosen):
        top = heap[0]
        if summed[top] == size:
            chosen[size], found[size] = top, gains[top]
            size += 1
            for i in range(n_clients):
                best[i] = max(best[i], np.float64(columns[top, i]))
            gains[top], summed[top] = -1.0, n_items  # below all gains, which are at least 0
        else:
            gains[top] = _gain(columns[top], best, weights, lanes)
            summed[top] = size
            evaluations += 1
        _sink(heap, gains)
    return evaluations


@numba.njit(cache=True, nogil=True)
def _run(columns: Any, weights: Any, packed: Any, totals: Any, scale: float, chosen: Any, found: Any) -> Any:
    """Fills the chosen items and their gains, and returns how many gains were summed; ``columns`` is (items, clients).

    A sum of n terms in floating point is off by less than the share n 2^-52. A gain of before is no less than that of now
    in floating point too, as rounding is monotone: gains and bounds of all ages share one heap.
    """
    n_items, n_clients = columns.shape
    rounding, slack = 1 + (n_clients + 100) * 2.0**-52, n_clients * SLACK
    best, floor, lanes = np.zeros(n_clients), np.zeros(n_clients, dtype=np.uint16), np.empty(LANES)
    bounds = (totals + slack) / scale * rounding
    heap = np.argsort(-bounds, kind="mergesort")  # in order, ties by the lowest item: a heap
    bounded, summed = np.zeros(n_items, dtype=np.int64), np.full(n_items, -1)  # the size for which
    size, evaluations = 0, 0
    while size < len(chosen):
        top = heap[0]
        if summed[top] == size:
            chosen[size], found[size] = top, bounds[top]
            size += 1
            for i in range(n_clients):
                c = np.float64(columns[top, i])
                if c > best[i]:
                    best[i] = c
                    floor[i] = np.uint16(math.floor(weights[i] * c * scale))
            bounds[top], summed[top], bounded[top] = -1.0, n_items, n_items  # below all gains, which are at least 0
        elif bounded[top] == size:
            bounds[top] = _gain(columns[top], best, weights, lanes)
            summed[top] = size
            evaluations += 1
        else:
            bounds[top] = min(bounds[top], (_over(packed[top], floor) + slack) / scale * rounding)
            bounded[top] = size
        _sink(heap, bounds)
    return evaluations


def _scale(most: float) -> float:
    """The power of 2 that takes the greatest weighted score to 2^14 or more, below 2^15, as far as floats allow."""
    return math.ldexp(1.0, max(-1020, min(15 - math.frexp(most)[1], 1000)))


def _packed(columns: np.ndarray, weights: np.ndarray, threads: int) -> tuple[np.ndarray, np.ndarray, float]:
    """(units, their sums, units in 1): from some items' greatest score, or from all items' where that is too small."""
    n_items = len(columns)
    packed, totals = np.empty(columns.shape, dtype=np.uint16), np.empty(n_items, dtype=np.int64)
    threads = max(1, min(threads, columns.size // SHARE))
    shares = [slice(n_items * k // threads, n_items * (k + 1) // threads) for k in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        for sample in (columns[:: max(1, n_items // SAMPLE)], columns):
            most = _most(sample, weights)
            if not math.isfinite(most):
                break
            scale = _scale(most)
            if all(list(pool.map(lambda s, f=scale: _pack(columns[s], weights, f, packed[s], totals[s]), shares))):
                return packed, totals, scale
    raise ValueError("scores must be finite, weighted too")


def _by_copy(columns: np.ndarray, weights: np.ndarray, size: int, threads: int) -> tuple[np.ndarray, np.ndarray, int]:
    """``facility_greedy`` with a copy in 16 bits."""
    chosen, gains = np.empty(size, dtype=np.int64), np.empty(size)
    packed, totals, scale = _packed(columns, weights, threads)
    evaluations = _run(columns, weights, packed, totals, scale, chosen, gains)
    return chosen, gains, int(evaluations)


def _directly(columns: np.ndarray, weights: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, int]:
    """``facility_greedy`` from the scores as they are."""
    first = _first_gains(columns, weights)
    if not np.isfinite(first).all():  # a copy tells scores that aren't numbers from a sum beyond floats
        return _by_copy(columns, weights, size, 1)
    chosen, gains = np.empty(size, dtype=np.int64), np.empty(size)
    evaluations = _run_directly(columns, weights, first, chosen, gains)
    return chosen, gains, int(evaluations)


def facility_greedy(
    scores: np.ndarray, weights: np.ndarray, size: int, *, threads: int | None = None
) -> tuple[np.ndarray, np.ndarray, int]:
    """(items in the order of choice, their gains, number of gains summed in full); ties by the lowest item.

    Scores are (clients, items) in float64 or float32; one below 0 counts as 0, what no item is worth. Items are read one
    after another, so a Fortran-ordered matrix is used as it is; another one is copied. The copy in 16 bits of a
    large matrix is made by some threads, as many as there are processors unless told; the rest is one thread's.
    """
    weights = np.asarray(weights, dtype=float)
    if scores.ndim != 2 or scores.dtype not in (np.float32, np.float64):
        raise ValueError("scores must be (clients, items) in float64 or float32")
    if weights.shape != (len(scores),):
        raise ValueError(f"weights must be ({len(scores)},), not {weights.shape}")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("weights must be finite and at least 0")
    if not 0 <= size <= scores.shape[1]:
        raise ValueError(f"size must be from 0 to {scores.shape[1]}, not {size}")
    columns = np.ascontiguousarray(scores.T)
    if columns.size <= CACHED:
        return _directly(columns, weights, size)
    return _by_copy(columns, weights, size, threads or os.cpu_count() or 1)


def plain_greedy(scores: np.ndarray, weights: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The NumPy twin: all gains in every round, summed in the same lanes, and the first of the greatest."""
    n_clients, n_items = scores.shape
    best, chosen, gains = np.zeros(n_clients), np.empty(size, dtype=np.int64), np.empty(size)
    rest = np.zeros((-n_clients % LANES, n_items))
    for k in range(size):
        terms = weights[:, None] * np.maximum(scores - best[:, None], 0.0)
        lanes = np.cumsum(np.concatenate([terms, rest]).reshape(-1, LANES, n_items), axis=0)[-1]
        found = np.cumsum(lanes, axis=0)[-1]
        found[chosen[:k]] = -1.0
        chosen[k] = found.argmax()
        gains[k] = found[chosen[k]]
        best = np.maximum(best, scores[:, chosen[k]])
    return chosen, gains
