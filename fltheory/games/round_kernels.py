"""Compiled parts of a game's round, which NumPy does in many small steps: ``draws.plain_counts`` and ``player`` have the twins."""

from __future__ import annotations

import numba
import numpy as np

from fltheory.streams.kernels import U64, absorb, as_uniform


@numba.njit(cache=True, nogil=True)
def count(
    p: np.ndarray, n: int, seed: int, repetitions: np.ndarray, round_: int, stream: int, counts: np.ndarray
) -> None:
    """How often each client comes in ``n`` draws, (seeds, clients): ``counts`` are 0 before."""
    sums = np.empty(p.shape[1])
    root = absorb(U64(0), seed)
    for s in range(len(p)):
        total = 0.0
        for m in range(p.shape[1]):
            total += p[s, m]
            sums[m] = total
        of_round = absorb(absorb(absorb(root, repetitions[s]), round_), stream)
        for k in range(n):
            m = np.searchsorted(sums, as_uniform(absorb(of_round, k)) * total, side="right")
            counts[s, min(m, p.shape[1] - 1)] += 1


@numba.njit(cache=True, nogil=True)
def are_distributions(p: np.ndarray, zero_is_one: bool, near: float) -> bool:
    """Whether every row is positive, or not negative, with a sum as ``near`` to 1."""
    for s in range(len(p)):
        total = 0.0
        for v in p[s]:
            if not (v > 0 or (zero_is_one and v == 0)):
                return False
            total += v
        if not abs(total - 1) <= near:
            return False
    return True
