"""Compiled loops of ``arithmetic``, compiled without reordering or fusing of operations."""

from __future__ import annotations

import numpy as np

from fltheory.number.streams.compiled import njit


@njit(nogil=True, error_model="numpy")
def product(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Add a @ b to ``out`` for every row; terms are added in order, four per read and write of a sum."""
    rows, n, inner = a.shape
    fours = inner // 4 * 4
    for r in range(rows):
        for i in range(n):
            sums = out[r, i]
            for k in range(0, fours, 4):
                p, q, s, t = a[r, i, k], a[r, i, k + 1], a[r, i, k + 2], a[r, i, k + 3]
                first, second, third, fourth = b[r, k], b[r, k + 1], b[r, k + 2], b[r, k + 3]
                for j in range(b.shape[2]):
                    sums[j] = (((sums[j] + p * first[j]) + q * second[j]) + s * third[j]) + t * fourth[j]
            for k in range(fours, inner):
                factor = a[r, i, k]
                for j in range(b.shape[2]):
                    sums[j] += factor * b[r, k, j]


@njit(nogil=True, error_model="numpy")
def exponential_series(x: np.ndarray, terms: int, out: np.ndarray) -> None:
    """Set ``out`` to 1 + x (1 + x/2 (1 + x/3 ...)), both flat."""
    for i in range(len(x)):
        out[i] = 1.0
    for n in range(terms, 0, -1):
        for i in range(len(x)):
            out[i] = 1 + x[i] * out[i] / n
