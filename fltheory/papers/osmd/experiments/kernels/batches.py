"""Mini-batches of all clients, drawn at once; ``linear_models.pick_batches`` is the reference implementation."""

from __future__ import annotations

import numpy as np

from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform


@njit(nogil=True)
def pick_batches(
    sizes: np.ndarray, asked: np.ndarray, seed: int, repetitions: np.ndarray, round_: int, first: int, found: np.ndarray
) -> None:
    """Write sample indices, (R, M, b), by Fisher-Yates on draws first, first + 1, ... per client; 0 beyond its data.

    Clients that are not ``asked`` (R, M) get zeros.
    """
    places, others = np.arange(sizes.max()), np.empty(found.shape[2], np.int64)
    root = absorb(U64(0), seed)
    for r in range(len(repetitions)):
        of_round = absorb(absorb(root, repetitions[r]), round_)
        for m in range(len(sizes)):
            stream, n = absorb(of_round, m), min(sizes[m], found.shape[2])
            for k in range(found.shape[2]):
                found[r, m, k] = 0
            if not asked[r, m]:
                continue
            for k in range(n):
                left = sizes[m] - k
                j = min(k + np.int64(as_uniform(absorb(stream, first + k)) * left), sizes[m] - 1)
                places[k], places[j] = places[j], places[k]
                found[r, m, k], others[k] = places[k], j
            for k in range(n - 1, -1, -1):  # the swaps are undone
                j = others[k]
                places[k], places[j] = places[j], places[k]
