"""The projection onto the floored simplex, row by row; ``mirror.plain_project`` is the reference implementation."""

from __future__ import annotations

import numpy as np

from fltheory.number.streams.compiled import njit


@njit(nogil=True, error_model="numpy")  # a user's sum may be 0; its root is infinite
def project_rows(y: np.ndarray, ascending: np.ndarray, floors: np.ndarray) -> None:
    """Project all rows of ``y`` (rows, M) in place onto {p >= alpha/M, sum p = 1}; ``floors`` (rows,) are the alphas.

    ``ascending``: the same rows sorted, as NumPy sorts faster.
    """
    n = y.shape[1]
    for r in range(len(y)):
        alpha, suffix, c = floors[r], 0.0, np.inf
        for i in range(n - 1, -1, -1):
            suffix += ascending[r, i]
            root = ((1 - alpha) + alpha * (n - i) / n) / suffix
            if not root >= c:  # keeps NaN
                c = root
        for m in range(n):
            moved = c * y[r, m]
            y[r, m] = alpha / n if moved < alpha / n else moved
