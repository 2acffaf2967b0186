"""Compiled runs of Algorithm 1 in O(K log M) a round: only the entries of drawn clients change.

A client is free, p_m = scale w_m, or floored, p_m = alpha/M (then w_m = 0). A round multiplies the free ones by a
common factor, stored in ``scale``; it changes w of the drawn clients only, and no undrawn client leaves the floor. A
Fenwick tree stores (sum of w, number of floored clients) of ranges; a heap gives the least free w for the floor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fltheory.games.participation import DRAW_STREAM
from fltheory.model.case import Case
from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform, map_threads
from fltheory.papers.osmd import notation
from fltheory.papers.osmd.kernels import (
    EMPTY,
    Changes,
    FixedFeedback,
    add_compensated,
    by_rows,
    dense_run,
    dense_step,
    exponent,
)
from fltheory.runs.constants import run_constants

GROWTH = np.log(
    1e12
)  # growth of the free mass from which the sums are rebuilt, before even double-double precision is lost
CROSSOVER = 32  # least ratio M / K for which the tree is faster
REBUILD = 1000  # rounds between exact rebuilds, at least

FREE, FREE_LOSS, FLOOR_LOSS, SCALE = (
    0,
    2,
    4,
    6,
)  # indices in ``sums``: w, a/w of free clients, a of floored ones; two numbers each
FLOORED, HEAP = 0, 1  # indices in ``sizes``


@njit(inline="always")
def _move_mass(tree: np.ndarray, m: int, mass: float) -> None:
    i = m + 1
    while i < len(tree):
        tree[i, 0] += mass
        i += i & -i


@njit()
def _switch_floor(tree: np.ndarray, m: int, mass: float, floored: float) -> None:
    i = m + 1
    while i < len(tree):
        tree[i, 0] += mass
        tree[i, 1] += floored
        i += i & -i


@njit()
def _sift_down(heap: np.ndarray, keys: np.ndarray, i: int, size: int) -> None:
    client, key = heap[i], keys[i]
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        heap[i], keys[i] = heap[child], keys[child]
        i = child
    heap[i], keys[i] = client, key


@njit()
def _push(heap: np.ndarray, keys: np.ndarray, size: int, client: int, key: float) -> None:
    i = size
    while i > 0 and keys[(i - 1) // 2] > key:
        heap[i], keys[i] = heap[(i - 1) // 2], keys[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i], keys[i] = client, key


@njit(nogil=True)
def _values(w: np.ndarray, scale: float, floor: float, p: np.ndarray) -> None:
    for m in range(len(w)):
        p[m] = scale * w[m] if w[m] > 0.0 else floor


@njit(nogil=True)
def _build(
    p: np.ndarray,
    a: np.ndarray,
    floor: float,
    w: np.ndarray,
    tree: np.ndarray,
    heap: np.ndarray,
    keys: np.ndarray,
    sums: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Build all data structures from the distribution, with scale 1."""
    n = len(p)
    tree[:] = 0.0
    sums[:] = 0.0
    sizes[:] = 0
    for m in range(n):
        if p[m] > floor:
            w[m] = p[m]
            tree[m + 1, 0] = p[m]
            heap[sizes[HEAP]], keys[sizes[HEAP]] = m, p[m]
            sizes[HEAP] += 1
            add_compensated(sums, FREE, p[m])
            add_compensated(sums, FREE_LOSS, a[m] / p[m])
        else:
            w[m] = 0.0
            tree[m + 1, 1] = 1.0
            sizes[FLOORED] += 1
            add_compensated(sums, FLOOR_LOSS, a[m])
    for i in range(1, len(tree)):
        j = i + (i & -i)
        if j < len(tree):
            tree[j, 0] += tree[i, 0]
            tree[j, 1] += tree[i, 1]
    for i in range(sizes[HEAP] // 2 - 1, -1, -1):
        _sift_down(heap, keys, i, sizes[HEAP])
    sums[SCALE] = 1.0


@njit(inline="always")
def change_feedback(m: int, value: float, a: np.ndarray, w: np.ndarray, sums: np.ndarray) -> None:
    """Set the feedback of client m to ``value``."""
    if w[m] > 0.0:
        add_compensated(sums, FREE_LOSS, value / w[m])
        add_compensated(sums, FREE_LOSS, -a[m] / w[m])
    else:
        add_compensated(sums, FLOOR_LOSS, value)
        add_compensated(sums, FLOOR_LOSS, -a[m])
    a[m] = value


@njit(nogil=True)
def find_client(u: float, tree: np.ndarray, scale: float, floor: float, n: int) -> int:
    """Return the client whose running sum of p first exceeds u times the total, by a descent of the tree."""
    width = len(tree) - 1
    level, at = u * (scale * tree[width, 0] + floor * tree[width, 1]), 0
    width >>= 1
    while width > 0:
        mass = scale * tree[at + width, 0] + floor * tree[at + width, 1]
        right = mass <= level
        at += width if right else 0
        level -= mass if right else 0.0
        width >>= 1
    return min(at, n - 1)


@njit(nogil=True)
def _draws(
    state: np.uint64,
    tree: np.ndarray,
    scale: float,
    floor: float,
    n: int,
    n_sampled: int,
    counts: np.ndarray,
    drawn: np.ndarray,
) -> int:
    """Draw as ``dense_draws``, by descent of the tree."""
    n_drawn = 0
    for k in range(n_sampled):
        m = find_client(as_uniform(absorb(state, k)), tree, scale, floor, n)
        if counts[m] == 0:
            drawn[n_drawn] = m
            n_drawn += 1
        counts[m] += 1
    return n_drawn


@njit(nogil=True)
def _raise_drawn(
    drawn: np.ndarray,
    logs: np.ndarray,
    n_drawn: int,
    a: np.ndarray,
    w: np.ndarray,
    tree: np.ndarray,
    heap: np.ndarray,
    keys: np.ndarray,
    sums: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Give the drawn clients their new w = exp(logs)."""
    for i in range(n_drawn):
        m, new = drawn[i], np.exp(logs[i])
        if w[m] > 0.0:
            new = max(new, w[m])
            if new > w[m]:
                _move_mass(tree, m, new - w[m])
                add_compensated(sums, FREE, new)
                add_compensated(sums, FREE, -w[m])
                if a[m] > 0.0:
                    add_compensated(sums, FREE_LOSS, a[m] / new)
                    add_compensated(sums, FREE_LOSS, -a[m] / w[m])
        else:
            _switch_floor(tree, m, new, -1.0)
            add_compensated(sums, FREE, new)
            add_compensated(sums, FREE_LOSS, a[m] / new)
            add_compensated(sums, FLOOR_LOSS, -a[m])
            _push(heap, keys, sizes[HEAP], m, new)
            sizes[HEAP] += 1
            sizes[FLOORED] -= 1
        w[m] = new


@njit(nogil=True)
def _lower_to_floor(
    alpha: float,
    a: np.ndarray,
    w: np.ndarray,
    tree: np.ndarray,
    heap: np.ndarray,
    keys: np.ndarray,
    sums: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Move free clients to the floor, least first, until c is the mirror step's; heap keys are lower limits of w."""
    n = len(w)
    floor = alpha / n
    while sizes[HEAP] > 0:
        scale = ((1.0 - alpha) + alpha * sizes[HEAP] / n) / (sums[FREE] + sums[FREE + 1])
        m = heap[0]
        if keys[0] * scale > floor:
            sums[SCALE] = scale
            return
        if w[m] > keys[0]:
            keys[0] = w[m]
        else:
            _switch_floor(tree, m, -w[m], 1.0)
            add_compensated(sums, FREE, -w[m])
            add_compensated(sums, FREE_LOSS, -a[m] / w[m])
            add_compensated(sums, FLOOR_LOSS, a[m])
            w[m] = 0.0
            sizes[HEAP] -= 1
            sizes[FLOORED] += 1
            heap[0], keys[0] = heap[sizes[HEAP]], keys[sizes[HEAP]]
        _sift_down(heap, keys, 0, sizes[HEAP])
    sums[:FLOOR_LOSS] = 0.0
    sums[SCALE] = 1.0


@njit(nogil=True)
def tree_step(
    drawn: np.ndarray,
    gains: np.ndarray,
    n_drawn: int,
    alpha: float,
    anew: bool,
    a: np.ndarray,
    w: np.ndarray,
    tree: np.ndarray,
    heap: np.ndarray,
    keys: np.ndarray,
    sums: np.ndarray,
    sizes: np.ndarray,
    p: np.ndarray,
    logs: np.ndarray,
) -> None:
    """Take the mirror step with the drawn clients' gains; ``anew`` rebuilds sums, ``p`` and ``logs`` are scratch."""
    floor, scale = alpha / len(w), sums[SCALE]
    top = np.log(sums[FREE] + sums[FREE + 1]) if sizes[HEAP] > 0 else 0.0
    for i in range(n_drawn):
        m = drawn[i]
        logs[i] = np.log(w[m] if w[m] > 0.0 else floor / scale) + gains[i]
        top = max(top, logs[i])
    if top > GROWTH or anew:
        _values(w, scale, floor, p)
        dense_step(p, drawn, gains, n_drawn, alpha)
        _build(p, a, floor, w, tree, heap, keys, sums, sizes)
    else:
        _raise_drawn(drawn, logs, n_drawn, a, w, tree, heap, keys, sums, sizes)
        _lower_to_floor(alpha, a, w, tree, heap, keys, sums, sizes)


@njit(nogil=True)
def tree_run(
    losses: Changes,
    n_sampled: int,
    eta: float,
    alpha: float,
    n_rounds: int,
    seed: int,
    stream: int,
    repetition: int,
    checkpoints: np.ndarray,
    totals: np.ndarray,
    history: np.ndarray,
) -> np.ndarray:
    """Play a game as ``dense_run``, in O(K log M) a round."""
    a, n = losses.start.copy(), len(losses.start)
    width = 1
    while width < n:
        width *= 2
    floor = alpha / n
    p, w, tree = np.full(n, 1.0 / n), np.empty(n), np.empty((width + 1, 2))
    heap, keys, sums, sizes = np.empty(n, dtype=np.int64), np.empty(n), np.empty(7), np.empty(2, dtype=np.int64)
    counts, most = np.zeros(n, dtype=np.int64), min(n, n_sampled)
    drawn, logs, gains = np.empty(most, dtype=np.int64), np.empty(most), np.empty(most)
    total, change, mark = np.zeros(2), 0, 0
    rebuild = max(REBUILD, n // 16)
    root = absorb(absorb(U64(0), seed), repetition)
    _build(p, a, floor, w, tree, heap, keys, sums, sizes)
    for t in range(n_rounds):
        while change < len(losses.rounds) and losses.rounds[change] <= t:
            change_feedback(losses.clients[change], losses.values[change], a, w, sums)
            change += 1
        if t < len(history):
            _values(w, sums[SCALE], floor, history[t])
        loss = (sums[FREE_LOSS] + sums[FREE_LOSS + 1]) / sums[SCALE]
        add_compensated(total, 0, (loss + (sums[FLOOR_LOSS] + sums[FLOOR_LOSS + 1]) / floor) / n_sampled)
        while mark < len(checkpoints) and checkpoints[mark] == t + 1:
            totals[mark] = total[0] + total[1]
            mark += 1
        if t + 1 == n_rounds:
            break
        scale = sums[SCALE]
        state = absorb(absorb(root, t), stream)
        n_drawn = _draws(state, tree, scale, floor, n, n_sampled, counts, drawn)
        for i in range(n_drawn):
            m = drawn[i]
            value = scale * w[m] if w[m] > 0.0 else floor
            gains[i] = exponent(counts[m], a[m], eta, n_sampled, value)
            counts[m] = 0
        tree_step(drawn, gains, n_drawn, alpha, (t + 1) % rebuild == 0, a, w, tree, heap, keys, sums, sizes, p, logs)
    _values(w, sums[SCALE], floor, p)
    return p


def losses_of_runs(
    losses: Changes,
    n_sampled: int,
    eta: float,
    alpha: float,
    n_rounds: int,
    seed: int,
    repetitions: np.ndarray,
    checkpoints: Sequence[int],
    run: Callable[..., Any] | None = None,
    threads: int = 1,
) -> np.ndarray:
    """Return the sum of l_t(p_t) before each checkpoint (ascending, <= T), (repetitions, checkpoints).

    ``run`` is ``tree_run`` or ``dense_run``; None takes the faster one. Only the sums are stored, and the result
    is the same bit for bit for any number of threads.
    """
    if run is None:
        run = tree_run if len(losses.start) > CROSSOVER * n_sampled else dense_run
    marks = np.array(checkpoints, dtype=np.int64)
    totals = np.zeros((len(repetitions), len(marks)))

    def one(i: int) -> None:
        run(losses, n_sampled, eta, alpha, n_rounds, seed, DRAW_STREAM, repetitions[i], marks, totals[i], EMPTY)

    map_threads(one, range(len(repetitions)), threads)
    return totals


def osmd_regret(case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """Return regrets of Algorithm 1 on fixed feedback, (repetitions,); None if feedback depends on the play."""
    if not isinstance(case.instance, FixedFeedback) or notation.Lq not in case.constants:
        return None
    table = case.instance.table
    c = run_constants(case, None)
    total = losses_of_runs(
        by_rows(table),
        c.n_sampled,
        float(c.sampler_rate),
        float(c.probability_floor),
        len(table),
        seed,
        repetitions,
        [len(table)],
    )
    return total[:, 0] - float(c.comparator_loss)
