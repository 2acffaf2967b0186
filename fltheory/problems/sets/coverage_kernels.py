"""The multilinear extension of weighted coverage, in time proportional to the number of memberships.

Client i is a point of weight p_i, covered by the items in its row. Rows are stored as CSR: the items of client i are
``indices[indptr[i] : indptr[i + 1]]``, each once. Each kernel has a bit-for-bit equal NumPy version ``reference_...``.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fltheory.number.streams.compiled import njit


def memberships(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (indptr, indices) of a 0/1 matrix (clients, items)."""
    rows = np.asarray(rows, dtype=bool)
    return np.concatenate([[0], np.cumsum(rows.sum(axis=1))]), np.nonzero(rows)[1]


def _check_arrays(indptr: np.ndarray, indices: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Convert the arrays for the kernels, or raise ValueError: compiled code does not check its indices."""
    indptr, indices = np.asarray(indptr, dtype=np.int64), np.asarray(indices, dtype=np.int64)
    x = np.asarray(x, dtype=float)
    if indptr.ndim != 1 or indices.ndim != 1 or x.ndim != 1:
        raise ValueError("indptr, indices and x must be one-dimensional")
    if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(indices) or (np.diff(indptr) < 0).any():
        raise ValueError("indptr must rise from 0 to the number of memberships")
    if len(indices) and not 0 <= indices.min() <= indices.max() < len(x):
        raise ValueError(f"memberships must name items 0..{len(x) - 1}")
    return indptr, indices, x


def _weights(weights: np.ndarray, n_clients: int) -> np.ndarray:
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (n_clients,):
        raise ValueError(f"weights must be ({n_clients},), not {weights.shape}")
    return weights


@njit(nogil=True)
def _client_gradients(indptr: np.ndarray, indices: np.ndarray, x: np.ndarray, found: np.ndarray) -> None:
    """Compute d_a f_i = prod_{b != a} (1 - x_b) as the product before a times that after a: no division by 1 - x_a."""
    for i in range(len(indptr) - 1):
        before = 1.0
        for k in range(indptr[i], indptr[i + 1]):
            found[k] = before
            before *= 1.0 - x[indices[k]]
        after = 1.0
        for k in range(indptr[i + 1] - 1, indptr[i] - 1, -1):
            found[k] *= after
            after *= 1.0 - x[indices[k]]


@njit(nogil=True)
def _extension(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    x: np.ndarray,
    slopes: np.ndarray,
    gradient: np.ndarray,
) -> float:
    value = 0.0
    for i in range(len(indptr) - 1):
        before = 1.0
        for k in range(indptr[i], indptr[i + 1]):
            slopes[k - indptr[i]] = before
            before *= 1.0 - x[indices[k]]
        value += weights[i] * (1.0 - before)
        after = 1.0
        for k in range(indptr[i + 1] - 1, indptr[i] - 1, -1):
            gradient[indices[k]] += weights[i] * (slopes[k - indptr[i]] * after)
            after *= 1.0 - x[indices[k]]
    return value


def coverage_extension(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, x: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return sum_i p_i (1 - prod_a (1 - x_a)) over the items a of client i, and its gradient (items,)."""
    indptr, indices, x = _check_arrays(indptr, indices, x)
    weights = _weights(weights, len(indptr) - 1)
    gradient, slopes = np.zeros(len(x)), np.empty(max(np.diff(indptr).max(initial=0), 1))
    return float(_extension(indptr, indices, weights, x, slopes, gradient)), gradient


def coverage_client_gradients(indptr: np.ndarray, indices: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return each client's gradient at the items of its row, in the order of ``indices``; all other entries are 0."""
    indptr, indices, x = _check_arrays(indptr, indices, x)
    found = np.empty(len(indices))
    _client_gradients(indptr, indices, x, found)
    return found


def reference_client_gradients(indptr: np.ndarray, indices: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Compute ``coverage_client_gradients`` in NumPy."""
    found = np.empty(len(indices))
    for i in range(len(indptr) - 1):
        row = slice(indptr[i], indptr[i + 1])
        missed = 1 - x[indices[row]]
        before = np.cumprod(np.concatenate([[1.0], missed]))[:-1]
        after = np.cumprod(np.concatenate([[1.0], missed[::-1]]))[:-1][::-1]
        found[row] = before * after
    return found


def reference_extension(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, x: np.ndarray
) -> tuple[float, np.ndarray]:
    """Compute ``coverage_extension`` in NumPy."""
    missed = [np.cumprod(np.append(1.0, 1 - x[indices[a:b]]))[-1] for a, b in pairwise(indptr)]
    value = np.cumsum(np.append(0.0, weights * (1 - np.array(missed))))[-1]
    gradient = np.zeros(len(x))
    owner = np.repeat(np.arange(len(weights)), np.diff(indptr))
    for i in range(len(weights)):  # client by client: an item is once in a row, so the order is irrelevant
        mine = owner == i
        gradient[indices[mine]] += weights[i] * reference_client_gradients(indptr, indices, x)[mine]
    return float(value), gradient
