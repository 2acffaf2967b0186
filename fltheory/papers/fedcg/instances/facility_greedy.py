"""Greedy facility location under a cardinality: the k items that raise sum_i p_i max_{j in S} c_ij the most, one by one.

The run is lazy: what bounded an item's gain bounds it ever after, and only items that could be the best are looked at anew.
They are looked at in a copy of 16 bits a score first: scores p_i c_ij rounded up, best scores rounded down, to whole units of
which the greatest score has 2^14 to 2^15, so that a sum of whole numbers bounds the gain. The bound is nearly the gain and
reads a quarter of the memory, which is what a gain costs; an item whose bound comes out on top has its gain summed from the
scores. The copy takes 2 bytes a score more, and about twice the time of one look at all scores.

What is exact: items are compared by gains in float64, summed in one fixed order; the bounds, rounding included, only say which
gains needn't be known. So items and gains are those of ``reference_greedy`` to the last bit, ties too, for any number of threads.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from fltheory.number.streams.compiled import njit

LANES = 32  # sums side by side: an addition needn't wait for the last one
TOP = (1 << 16) - 1  # the most units a score may have
BLOCK = 1 << 15  # so many scores of at most 2^16 units are summed in 32 bits
PART = 1 << 11  # so many weighted scores are kept near at hand
SLACK = 2.0**-7  # units a score: more than TOP * 2^-24, by which float32 can be below a weighted score
ZERO, OVER = np.float32(0), np.float32(TOP + 1)
SAMPLE = 16  # items from which the unit is guessed
SHARE = 1 << 21  # scores that are worth a thread


@njit(nogil=True)
def _gain(scores: np.ndarray, best: np.ndarray, weights: np.ndarray, lanes: np.ndarray) -> float:
    """sum_i p_i max(c_i - best_i, 0) of one item's scores: client i's term goes to lane i mod LANES, then lanes are added."""
    lanes[:] = 0.0
    whole = len(scores) - len(scores) % LANES
    for a in range(0, whole, LANES):
        c, b, p = scores[a : a + LANES], best[a : a + LANES], weights[a : a + LANES]
        for k in range(LANES):
            more = np.float64(c[k]) - b[k]
            lanes[k] += p[k] * (more if more > 0.0 else 0.0)
    for i in range(whole, len(scores)):
        more = np.float64(scores[i]) - best[i]
        lanes[i - whole] += weights[i] * (more if more > 0.0 else 0.0)
    total = 0.0
    for k in range(LANES):
        total += lanes[k]
    return total


@njit(nogil=True)
def _most(columns: np.ndarray, weights: np.ndarray) -> float:
    """The greatest weighted score, or 0."""
    most = 0.0
    for scores in columns:
        for i in range(len(scores)):
            most = max(most, weights[i] * np.float64(scores[i]))
    return most


@njit(nogil=True)
def _weigh_scores(scores: np.ndarray, weights: np.ndarray, scale: float, out: np.ndarray) -> None:
    """Weighted scores in units, in single precision."""
    for i in range(len(scores)):
        out[i] = np.float32(weights[i] * np.float64(scores[i]) * scale)


@njit(nogil=True)
def _pack_part(weighted: np.ndarray, out: np.ndarray) -> tuple[np.int32, np.uint32]:
    """Weighted scores rounded up to units: (their bits all together, which tell whether one was above TOP, their sum)."""
    seen, total = np.int32(0), np.uint32(0)
    for i in range(len(weighted)):
        x = np.ceil(weighted[i])
        x = x if x < OVER else OVER  # also what is not a number
        x = ZERO if ZERO > x else x
        units = np.int32(x)
        seen = np.int32(seen | units)
        total = np.uint32(total + np.uint32(units))
        out[i] = np.uint16(units)
    return seen, total


@njit(nogil=True)
def _over(units: np.ndarray, floor: np.ndarray) -> np.int64:
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


@njit(nogil=True)
def _pack(columns: np.ndarray, weights: np.ndarray, scale: float, packed: np.ndarray, totals: np.ndarray) -> bool:
    """Packs items and adds up the units of each; False if the unit is too small.

    Part by part in two sweeps: one sweep would go through single numbers at the pace of double ones.
    """
    weighted = np.empty(PART, dtype=np.float32)
    for e in range(len(columns)):
        totals[e] = 0
        for a in range(0, len(weights), PART):
            b = min(a + PART, len(weights))
            _weigh_scores(columns[e, a:b], weights[a:b], scale, weighted)
            seen, total = _pack_part(weighted[: b - a], packed[e, a:b])
            if seen > TOP:
                return False
            totals[e] += np.int64(total)
    return True


@njit(nogil=True)
def _sink(heap: np.ndarray, gains: np.ndarray) -> None:
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


@njit(nogil=True)
def _run(
    columns: np.ndarray,
    weights: np.ndarray,
    packed: np.ndarray,
    totals: np.ndarray,
    scale: float,
    chosen: np.ndarray,
    found: np.ndarray,
) -> int:
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


def _pack_all(
    columns: np.ndarray, weights: np.ndarray, scale: float, packed: np.ndarray, totals: np.ndarray, threads: int
) -> bool:
    """``_pack`` by some threads, each with its share of the items; fewer threads where there is no work for them."""
    n_items, threads = len(columns), max(1, min(threads, columns.size // SHARE))
    if threads == 1:  # a thread takes longer to start than a small copy
        return bool(_pack(columns, weights, scale, packed, totals))
    shares = [slice(n_items * k // threads, n_items * (k + 1) // threads) for k in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        return all(list(pool.map(lambda s: _pack(columns[s], weights, scale, packed[s], totals[s]), shares)))


def _pack_scores(columns: np.ndarray, weights: np.ndarray, threads: int) -> tuple[np.ndarray, np.ndarray, float]:
    """(units, their sums, units in 1): from some items' greatest score, or from all items' where that is too small."""
    n_items = len(columns)
    packed, totals = np.empty(columns.shape, dtype=np.uint16), np.empty(n_items, dtype=np.int64)
    for sample in (columns[:: max(1, n_items // SAMPLE)], columns):
        most = _most(sample, weights)
        if not math.isfinite(most):
            break
        scale = _scale(most)
        if _pack_all(columns, weights, scale, packed, totals, threads):
            return packed, totals, scale
    raise ValueError("scores must be finite, weighted too")


def facility_greedy(
    scores: np.ndarray, weights: np.ndarray, size: int, *, threads: int | None = None
) -> tuple[np.ndarray, np.ndarray, int]:
    """(items in the order of choice, their gains, number of gains summed in full); ties by the lowest item.

    Scores are (clients, items) in float64 or float32; one below 0 counts as 0, what no item is worth. Items are read one
    after another, so a Fortran-ordered matrix is used as it is; another one is copied. The copy in 16 bits is made by
    some threads, as many as there are processors unless told; the rest is one thread's.
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
    columns, chosen, gains = np.ascontiguousarray(scores.T), np.empty(size, dtype=np.int64), np.empty(size)
    packed, totals, scale = _pack_scores(columns, weights, threads or os.cpu_count() or 1)
    evaluations = _run(columns, weights, packed, totals, scale, chosen, gains)
    return chosen, gains, int(evaluations)


def reference_greedy(scores: np.ndarray, weights: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
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
