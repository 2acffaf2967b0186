"""Algorithm 5 without its mixture: an expert is drawn by weight, then a client from it. O(E K log M) a round.

The loss of the mixture would cost O(E M); its unbiased estimates (6) are summed instead, whose expectation is the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fltheory.games.participation import DRAW_STREAM
from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform, map_threads
from fltheory.papers.osmd.algorithms import grid
from fltheory.papers.osmd.kernels import LARGEST, Changes, add_compensated
from fltheory.papers.osmd.kernels.fenwick import REBUILD, SCALE, _build, find_client, tree_step
from fltheory.runs.constants import Constants


@njit(nogil=True)
def _draw_clients(
    state: np.uint64,
    theta: np.ndarray,
    trees: np.ndarray,
    sums: np.ndarray,
    floor: float,
    n: int,
    n_sampled: int,
    counts: np.ndarray,
    drawn: np.ndarray,
) -> int:
    """Draw clients, one uniform each: its position within the share of the chosen expert determines the client."""
    n_drawn = 0
    for k in range(n_sampled):
        u, e = as_uniform(absorb(state, k)), 0
        while e + 1 < len(theta) and u >= theta[e]:
            u -= theta[e]
            e += 1
        m = find_client(min(u / theta[e], 1.0), trees[e], sums[e, SCALE], floor, n)
        if counts[m] == 0:
            drawn[n_drawn] = m
            n_drawn += 1
        counts[m] += 1
    return n_drawn


@njit(nogil=True)
def _run(
    losses: Changes,
    n_sampled: int,
    alpha: float,
    rates: np.ndarray,
    meta: float,
    start: np.ndarray,
    n_rounds: int,
    seed: int,
    stream: int,
    repetition: int,
    checkpoints: np.ndarray,
    totals: np.ndarray,
) -> None:
    n, n_experts, width, most = len(losses.start), len(rates), 1, min(len(losses.start), n_sampled)
    while width < n:
        width *= 2
    floor, a, none = alpha / n, losses.start.copy(), np.zeros(n)  # the sums of a/w of the experts aren't used
    p, logs, total, change, mark = np.full(n, 1.0 / n), start.copy(), np.zeros(2), 0, 0
    w, trees = np.empty((n_experts, n)), np.empty((n_experts, width + 1, 2))
    heaps, keys = np.empty((n_experts, n), dtype=np.int64), np.empty((n_experts, n))
    sums, sizes = np.empty((n_experts, 7)), np.empty((n_experts, 2), dtype=np.int64)
    counts, drawn, own = np.zeros(n, dtype=np.int64), np.empty(most, dtype=np.int64), np.empty((n_experts, most))
    gains, room, mixed, theta = np.empty(most), np.empty(most), np.empty(most), np.empty(n_experts)
    rebuild, root = max(REBUILD, n // 16), absorb(absorb(U64(0), seed), repetition)
    for e in range(n_experts):
        _build(p, none, floor, w[e], trees[e], heaps[e], keys[e], sums[e], sizes[e])
    for t in range(n_rounds):
        while change < len(losses.rounds) and losses.rounds[change] <= t:
            a[losses.clients[change]] = losses.values[change]
            change += 1
        theta[:] = np.exp(logs - np.max(logs))
        theta /= theta.sum()
        n_drawn = _draw_clients(absorb(absorb(root, t), stream), theta, trees, sums, floor, n, n_sampled, counts, drawn)
        mixed[:] = 0.0
        for e in range(n_experts):
            for i in range(n_drawn):
                m = drawn[i]
                own[e, i] = sums[e, SCALE] * w[e, m] if w[e, m] > 0.0 else floor
                mixed[i] += theta[e] * own[e, i]
        for i in range(n_drawn):
            seen = counts[drawn[i]] * a[drawn[i]] / (n_sampled * n_sampled)
            add_compensated(total, 0, seen / (mixed[i] * mixed[i]))
        while mark < len(checkpoints) and checkpoints[mark] == t + 1:
            totals[mark] = total[0] + total[1]
            mark += 1
        for e in range(n_experts):
            for i in range(n_drawn):
                m = drawn[i]
                seen = counts[m] * a[m] / (n_sampled * n_sampled) / (own[e, i] * mixed[i])
                logs[e] -= meta * seen
                gains[i] = min(rates[e] * seen / own[e, i], LARGEST)
            anew = (t + 1) % rebuild == 0
            tree_step(
                drawn, gains, n_drawn, alpha, anew, none, w[e], trees[e], heaps[e], keys[e], sums[e], sizes[e], p, room
            )
        for i in range(n_drawn):
            counts[drawn[i]] = 0


def estimated_losses(
    losses: Changes,
    c: Constants,
    seed: int,
    repetitions: np.ndarray,
    checkpoints: Sequence[int] | np.ndarray,
    gamma: grid.Meta = "corrected",
    threads: int = 1,
) -> np.ndarray:
    """Return sums of the estimated losses of Algorithm 5 before each checkpoint, (repetitions, checkpoints)."""
    rates, meta = grid.expert_grid(c), grid.meta_rate(c, gamma)
    start = np.log([float(v) for v in grid.first_weights(len(rates))])
    marks = np.array(checkpoints, dtype=np.int64)
    totals = np.zeros((len(repetitions), len(marks)))
    alpha = float(c.probability_floor)

    def one(i: int) -> None:
        _run(
            losses,
            c.n_sampled,
            alpha,
            rates,
            meta,
            start,
            c.n_rounds,
            seed,
            DRAW_STREAM,
            repetitions[i],
            marks,
            totals[i],
        )

    map_threads(one, range(len(repetitions)), threads)
    return totals
