"""Compiled runs of Algorithms 5 and 6 on fixed feedback, O(E M) a round; their reference is ``adaptive``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fltheory.games.participation import DRAW_STREAM
from fltheory.model.case import Case
from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, map_threads
from fltheory.papers.osmd import notation
from fltheory.papers.osmd.algorithms import grid
from fltheory.papers.osmd.algorithms.grid import Meta
from fltheory.papers.osmd.kernels import (
    LARGEST,
    Changes,
    FixedFeedback,
    add_compensated,
    by_rows,
    dense_draws,
    dense_step,
    summed_loss,
)
from fltheory.runs.constants import Constants, run_constants

CHANGE, MARK = 0, 1  # indices in ``at``


@njit(nogil=True)
def _mix(logs: np.ndarray, experts: np.ndarray, theta: np.ndarray, p: np.ndarray) -> None:
    """Write p = sum_e theta_e p_e."""
    total, best = 0.0, np.max(logs)
    for e in range(len(logs)):
        theta[e] = np.exp(logs[e] - best)
        total += theta[e]
    p[:] = 0.0
    for e in range(len(logs)):
        weight = theta[e] / total
        for m in range(len(p)):
            p[m] += weight * experts[e, m]


@njit(nogil=True)
def _block(
    losses: Changes,
    n_sampled: int,
    alpha: float,
    rates: np.ndarray,
    meta: float,
    first: int,
    last: int,
    root: np.uint64,
    stream: int,
    checkpoints: np.ndarray,
    a: np.ndarray,
    logs: np.ndarray,
    experts: np.ndarray,
    p: np.ndarray,
    at: np.ndarray,
    total: np.ndarray,
    totals: np.ndarray,
) -> None:
    """Run rounds first..last - 1 of Algorithm 5; the last one is played without an update."""
    n, most = len(a), min(len(a), n_sampled)
    sums, theta = np.empty(n), np.empty(len(logs))
    counts, drawn, gains = np.zeros(n, dtype=np.int64), np.empty(most, dtype=np.int64), np.empty(most)
    for t in range(first, last):
        while at[CHANGE] < len(losses.rounds) and losses.rounds[at[CHANGE]] <= t:
            a[losses.clients[at[CHANGE]]] = losses.values[at[CHANGE]]
            at[CHANGE] += 1
        _mix(logs, experts, theta, p)
        add_compensated(total, 0, summed_loss(a, p, sums) / n_sampled)
        while at[MARK] < len(checkpoints) and checkpoints[at[MARK]] == t + 1:
            totals[at[MARK]] = total[0] + total[1]
            at[MARK] += 1
        if t + 1 == last:
            break
        n_drawn = dense_draws(absorb(absorb(root, t), stream), sums, n_sampled, counts, drawn)
        for e in range(len(logs)):
            for i in range(n_drawn):
                m = drawn[i]
                own = experts[e, m]
                seen = counts[m] * a[m] / (n_sampled * n_sampled) / (own * p[m])
                logs[e] -= meta * seen
                gains[i] = min(rates[e] * seen / own, LARGEST)
            dense_step(experts[e], drawn, gains, n_drawn, alpha)
        logs -= np.max(logs)
        for i in range(n_drawn):
            counts[drawn[i]] = 0


def _block_player(
    losses: Changes, c: Constants, gamma: Meta, blocks: list[tuple[int, int, int]], restart: str
) -> Callable[..., None]:
    """Return a function that runs the blocks (first, last, horizon) for a seed, repetition, checkpoints and totals."""
    alpha, n = float(c.probability_floor), c.n_clients
    grids = [grid.expert_grid(c, horizon) for _, _, horizon in blocks]
    metas = [grid.meta_rate(c, gamma, horizon) for _, _, horizon in blocks]
    starts = [np.log([float(v) for v in grid.first_weights(len(rates))]) for rates in grids]

    def run(seed: int, repetition: int, checkpoints: np.ndarray, totals: np.ndarray) -> None:
        a, p, at, total = losses.start.copy(), np.full(n, 1.0 / n), np.zeros(2, dtype=np.int64), np.zeros(2)
        root = np.uint64(_root(seed, repetition))
        for (first, last, _), rates, meta, start in zip(blocks, grids, metas, starts, strict=True):
            experts = np.tile(p if restart == "last" else np.full(n, 1.0 / n), (len(rates), 1))
            _block(
                losses,
                c.n_sampled,
                alpha,
                rates,
                meta,
                first,
                last,
                root,
                DRAW_STREAM,
                checkpoints,
                a,
                start.copy(),
                experts,
                p,
                at,
                total,
                totals,
            )

    return run


@njit()
def _root(seed: int, repetition: int) -> np.uint64:
    return absorb(absorb(U64(0), seed), repetition)


def losses_of_experts(
    losses: Changes,
    c: Constants,
    seed: int,
    repetitions: np.ndarray,
    checkpoints: Sequence[int] | np.ndarray,
    gamma: Meta = "corrected",
    doubling: bool = False,
    restart: str = "uniform",
    threads: int = 1,
) -> np.ndarray:
    """Return the sums of l_t(p_t) of Algorithm 5 or 6 before each checkpoint, (repetitions, checkpoints)."""
    blocks = [(0, c.n_rounds, c.n_rounds)]
    if doubling:
        blocks = [(2**b - 1, min(2 ** (b + 1) - 1, c.n_rounds), 2**b) for b in range(c.n_rounds.bit_length())]
    run = _block_player(losses, c, gamma, blocks, restart)
    marks = np.array(checkpoints, dtype=np.int64)
    totals = np.zeros((len(repetitions), len(marks)))
    map_threads(lambda i: run(seed, repetitions[i], marks, totals[i]), range(len(repetitions)), threads)
    return totals


def experts_regret(
    case: Case, seed: int, repetitions: np.ndarray, gamma: Meta, doubling: bool, restart: str
) -> np.ndarray | None:
    """Return regrets on fixed feedback, (repetitions,); None for a game whose feedback depends on the play."""
    if not isinstance(case.instance, FixedFeedback) or notation.Lq not in case.constants:
        return None
    table = case.instance.table
    c = run_constants(case, None)
    found = losses_of_experts(by_rows(table), c, seed, repetitions, [len(table)], gamma, doubling, restart)
    return found[:, 0] - float(c.comparator_loss)
