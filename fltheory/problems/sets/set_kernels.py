"""The multilinear extension by definition, over all 2^n sets, and an estimate of its gradient from samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def all_subsets(n_items: int) -> np.ndarray:
    """Return all sets, (2^n, items) bool: item e is in set number b if bit e of b is 1."""
    return (np.arange(1 << n_items)[:, None] >> np.arange(n_items)) & 1 == 1


def extension_by_sets(values: np.ndarray, x: np.ndarray) -> float:
    """Return sum_S f(S) prod_{e in S} x_e prod_{e not in S} (1 - x_e), from f's 2^n values as in ``all_subsets``."""
    chances = np.where(all_subsets(len(x)), x, 1 - x).prod(axis=1)
    return float(np.dot(values, chances))


def gradient_by_sets(values: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the gradient: for each item e, the extension at x_e = 1 minus that at x_e = 0."""
    ends = np.eye(len(x), dtype=bool)
    high = [extension_by_sets(values, np.where(e, 1.0, x)) for e in ends]
    low = [extension_by_sets(values, np.where(e, 0.0, x)) for e in ends]
    return np.array(high) - np.array(low)


def sampled_gradient(values: Callable[[np.ndarray], np.ndarray], x: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    """Return (1/m) sum_k f(R_k + e) - f(R_k - e) for each item e, where R_k is the items with ``uniforms[k]`` < x.

    ``values`` returns f of many sets at once, (sets, items) bool -> (sets,); ``uniforms`` is (m, items).
    """
    if uniforms.ndim != 2 or len(uniforms) == 0 or uniforms.shape[1] != len(x):
        raise ValueError(f"uniforms must be (samples, {len(x)}) with a sample at least, not {uniforms.shape}")
    drawn = uniforms < x
    found = np.empty(len(x))
    for e in range(len(x)):
        within, without = drawn.copy(), drawn.copy()
        within[:, e], without[:, e] = True, False
        found[e] = np.mean(values(within) - values(without))
    return found
