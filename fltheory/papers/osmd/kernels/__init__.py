"""Compiled runs of Algorithm 1 in O(M) a round, and feedback given by its changes.

The reference of the step is ``mirror.mirror_step``, that of a run ``games.play``. ``fenwick`` runs in O(K log M).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform

LARGEST = 1e300  # as in ``mirror``
EMPTY = np.empty((0, 0))


@runtime_checkable
class FixedFeedback(Protocol):
    """A game whose feedback does not depend on the play."""

    @property
    def table(self) -> np.ndarray:
        """The feedback, (rounds, clients)."""


class Changes(NamedTuple):
    """Feedback by its changes: before round ``rounds[i]`` (ascending) that of ``clients[i]`` becomes ``values[i]``."""

    start: np.ndarray  # (clients,) feedback of round 0, before its changes
    rounds: np.ndarray  # (changes,) int64
    clients: np.ndarray  # (changes,) int64
    values: np.ndarray  # (changes,)


def constant(a: np.ndarray) -> Changes:
    """Return the same feedback for all rounds."""
    none = np.empty(0, dtype=np.int64)
    return Changes(np.array(a, dtype=float), none, none, np.empty(0))


def by_rows(rows: np.ndarray) -> Changes:
    """Return the feedback of each round as a row, (rounds, clients)."""
    when, who = np.nonzero(rows[1:] != rows[:-1])
    return Changes(np.array(rows[0], dtype=float), when + 1, who, np.array(rows[1:][when, who], dtype=float))


def rotating_changes(n_clients: int, n_rounds: int, block: int, low: float = 0.01, high: float = 1.01) -> Changes:
    """Return the changes for one heavy client, which is replaced by the next one after every ``block`` rounds."""
    start = np.full(n_clients, low)
    start[0] = high
    when = np.arange(block, n_rounds, block)
    turn = np.arange(1, len(when) + 1)
    clients = np.stack([(turn - 1) % n_clients, turn % n_clients], axis=1).ravel()
    return Changes(start, np.repeat(when, 2), clients, np.tile([low, high], len(when)))


def drifting_changes(start: np.ndarray, values: np.ndarray) -> Changes:
    """Return the changes that set the feedback of the next client before each later round: ``values`` (rounds - 1,)."""
    when = np.arange(1, len(values) + 1)
    return Changes(np.array(start, dtype=float), when, (when - 1) % len(start), np.array(values, dtype=float))


def feedback_rows(losses: Changes, n_rounds: int) -> np.ndarray:
    """Return the feedback of every round, (rounds, clients)."""
    rows, a, i = np.empty((n_rounds, len(losses.start))), losses.start.copy(), 0
    for t in range(n_rounds):
        while i < len(losses.rounds) and losses.rounds[i] <= t:
            a[losses.clients[i]] = losses.values[i]
            i += 1
        rows[t] = a
    return rows


@njit(inline="always")
def add_compensated(total: np.ndarray, i: int, x: float) -> None:
    """Add ``x`` to total[i] + total[i + 1], a sum in double-double precision (Neumaier)."""
    old = total[i]
    new = old + x
    total[i + 1] += (old - new) + x if abs(old) >= abs(x) else (x - new) + old
    total[i] = new


@njit(inline="always")
def exponent(n: int, a: float, eta: float, n_sampled: int, p: float) -> float:
    """Return N eta a / (K^2 p^3)."""
    value = n * a * eta / (n_sampled * n_sampled * p * p * p) if a > 0.0 else 0.0
    return min(value, LARGEST)


@njit(nogil=True)
def _mass_above(p: np.ndarray, threshold: float) -> tuple[float, int]:
    """Return the sum of the p > threshold and their number, by four independent sums, which pipeline better."""
    n = len(p)
    s0, s1, s2, s3, n_free = 0.0, 0.0, 0.0, 0.0, 0
    for i in range(0, n - 3, 4):
        x0, x1, x2, x3 = p[i], p[i + 1], p[i + 2], p[i + 3]
        f0, f1, f2, f3 = x0 > threshold, x1 > threshold, x2 > threshold, x3 > threshold
        s0 += x0 if f0 else 0.0
        s1 += x1 if f1 else 0.0
        s2 += x2 if f2 else 0.0
        s3 += x3 if f3 else 0.0
        n_free += int(f0) + int(f1) + int(f2) + int(f3)
    for i in range(n - n % 4, n):
        if p[i] > threshold:
            s0 += p[i]
            n_free += 1
    return (s0 + s1) + (s2 + s3), n_free


@njit(nogil=True)
def summed_loss(a: np.ndarray, p: np.ndarray, sums: np.ndarray) -> float:
    """Return sum_m a_m / p_m; ``sums`` gets the running sums of p."""
    n, running = len(p), 0.0
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for i in range(0, n - 3, 4):
        running += p[i]
        sums[i] = running
        running += p[i + 1]
        sums[i + 1] = running
        running += p[i + 2]
        sums[i + 2] = running
        running += p[i + 3]
        sums[i + 3] = running
        s0 += a[i] / p[i]
        s1 += a[i + 1] / p[i + 1]
        s2 += a[i + 2] / p[i + 2]
        s3 += a[i + 3] / p[i + 3]
    for i in range(n - n % 4, n):
        running += p[i]
        sums[i] = running
        s0 += a[i] / p[i]
    return (s0 + s1) + (s2 + s3)


@njit(nogil=True)
def dense_step(p: np.ndarray, drawn: np.ndarray, gains: np.ndarray, n_drawn: int, alpha: float) -> None:
    """Take a ``mirror_step`` in place in O(M) for the ``drawn`` clients; the floored set grows until it is stable."""
    n = len(p)
    floor = alpha / n
    shift = 0.0
    for i in range(n_drawn):
        shift = max(shift, np.log(p[drawn[i]]) + gains[i])
    for i in range(n_drawn):
        gains[i] = np.exp(np.log(p[drawn[i]]) + gains[i] - shift)
    if shift > 0.0:
        factor = np.exp(-shift)
        for m in range(n):
            p[m] *= factor
    for i in range(n_drawn):
        p[drawn[i]] = gains[i]
    c, n_free, before = np.inf, n + 1, n + 2
    while 0 < n_free < before:  # c decreases as clients are floored, so floored clients stay floored up to rounding
        before = n_free
        mass, n_free = _mass_above(p, floor / c)
        if n_free > 0:
            c = ((1.0 - alpha) + alpha * n_free / n) / mass
    for m in range(n):
        p[m] = max(floor, c * p[m])


@njit(nogil=True)
def dense_draws(state: np.uint64, sums: np.ndarray, n_sampled: int, counts: np.ndarray, drawn: np.ndarray) -> int:
    """Draw by inverse CDF from running sums: mark ``counts``, list the distinct clients and return their number."""
    n, n_drawn, total = len(sums), 0, sums[-1]
    for k in range(n_sampled):
        m = min(np.searchsorted(sums, as_uniform(absorb(state, k)) * total, side="right"), n - 1)
        if counts[m] == 0:
            drawn[n_drawn] = m
            n_drawn += 1
        counts[m] += 1
    return n_drawn


@njit(nogil=True)
def dense_run(
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
    """Play a game: ``totals[i]`` = sum of l_t(p_t) before round ``checkpoints[i]``, p_t in ``history`` unless EMPTY."""
    a, n = losses.start.copy(), len(losses.start)
    p, sums = np.full(n, 1.0 / n), np.empty(n)
    counts, most = np.zeros(n, dtype=np.int64), min(n, n_sampled)
    drawn, gains = np.empty(most, dtype=np.int64), np.empty(most)
    total, change, mark = np.zeros(2), 0, 0
    root = absorb(absorb(U64(0), seed), repetition)
    for t in range(n_rounds):
        while change < len(losses.rounds) and losses.rounds[change] <= t:
            a[losses.clients[change]] = losses.values[change]
            change += 1
        if t < len(history):
            history[t] = p
        add_compensated(total, 0, summed_loss(a, p, sums) / n_sampled)
        while mark < len(checkpoints) and checkpoints[mark] == t + 1:
            totals[mark] = total[0] + total[1]
            mark += 1
        if t + 1 == n_rounds:
            break
        n_drawn = dense_draws(absorb(absorb(root, t), stream), sums, n_sampled, counts, drawn)
        for i in range(n_drawn):
            m = drawn[i]
            gains[i] = exponent(counts[m], a[m], eta, n_sampled, p[m])
            counts[m] = 0
        dense_step(p, drawn, gains, n_drawn, alpha)
    return p
