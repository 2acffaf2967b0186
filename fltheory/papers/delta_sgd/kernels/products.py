"""The compiled loop of ``experiments.fixed_order.product``."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True, nogil=True, error_model="numpy")
def product(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Add a @ b to ``out``, in rows; without leave to reorder or to fuse, the compiler keeps each sum as it stands."""
    rows, n, inner = a.shape
    for r in range(rows):
        for i in range(n):
            for k in range(inner):
                factor = a[r, i, k]
                for j in range(b.shape[2]):
                    out[r, i, j] += factor * b[r, k, j]
