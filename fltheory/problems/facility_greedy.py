"""Greedy facility location under a cardinality: the k items that raise sum_i p_i max_{j in S} c_ij the most, one by one.

The lazy run refreshes only gains that could be the greatest. A gain is a sum of terms p_i max(c_ij - best_i, 0) in a fixed
order, and rounding is monotone, so that a gain of before is no less than that of now in floating point too: lazy and
plain runs give the same items and the same bits, ties and all.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

LANES = 32  # sums side by side: an addition needn't wait for the last one


@numba.njit(cache=True, nogil=True)
def _gain(scores: Any, best: Any, weights: Any, lanes: Any) -> Any:
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
def _run(columns: Any, weights: Any, chosen: Any, found: Any) -> Any:
    """Fills the chosen items and their gains, and returns how many gains were computed; ``columns`` is (items, clients)."""
    n_items = len(columns)
    best, lanes = np.zeros(columns.shape[1]), np.empty(LANES)
    heap, gains, refreshed = np.arange(n_items), np.full(n_items, np.inf), np.full(n_items, -1)
    size, evaluations = 0, 0
    while size < len(chosen):
        top = heap[0]
        if refreshed[top] < size:
            gains[top] = _gain(columns[top], best, weights, lanes)
            refreshed[top] = size
            evaluations += 1
        else:
            chosen[size], found[size] = top, gains[top]
            size += 1
            for i in range(len(best)):
                best[i] = max(best[i], np.float64(columns[top, i]))
            gains[top], refreshed[top] = -1.0, n_items  # below all gains, which are at least 0
        _sink(heap, gains)
    return evaluations


def facility_greedy(scores: np.ndarray, weights: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, int]:
    """(items in the order of choice, their gains, number of gains computed); ties by the lowest item.

    Scores are (clients, items) in float64 or float32; one below 0 counts as 0, what no item is worth. Items are read one
    after another, so a Fortran-ordered matrix is used as it is; another one is copied.
    """
    weights = np.asarray(weights, dtype=float)
    if scores.ndim != 2 or scores.dtype not in (np.float32, np.float64):
        raise ValueError("scores must be (clients, items) in float64 or float32")
    if weights.shape != (len(scores),):
        raise ValueError(f"weights must be ({len(scores)},), not {weights.shape}")
    if not 0 <= size <= scores.shape[1]:
        raise ValueError(f"size must be from 0 to {scores.shape[1]}, not {size}")
    chosen, gains = np.empty(size, dtype=np.int64), np.empty(size)
    evaluations = _run(np.ascontiguousarray(scores.T), weights, chosen, gains)
    return chosen, gains, int(evaluations)


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
