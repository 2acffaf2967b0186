"""Fairness measures: how evenly a model performs on the clients.

Arrays are (..., clients): floats, or exact numbers (dtype object), for which the result is exact. ValueError if there
is no client, and for an entry that is negative or not a number.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from flint import arb, fmpq
from numpy.typing import ArrayLike

from fltheory.number import Number, exact, symbolic


def _as_numbers(performance: ArrayLike) -> np.ndarray:
    values = np.asarray(performance)
    if values.dtype != object:
        values = values.astype(float)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError("performance: expected one entry for every client, got none")
    if values.dtype != object and not np.isfinite(values).all():
        raise ValueError("performance: expected finite numbers")
    if not (values >= 0).all():
        raise ValueError("performance: expected no entry below 0")
    return values


def _ends(performance: ArrayLike, share: Number) -> tuple[np.ndarray, int]:
    """Return the entries in increasing order, and how many clients the share is."""
    values = np.sort(_as_numbers(performance), axis=-1)
    part = Fraction(exact(share))
    if not 0 <= part <= 1:
        raise ValueError(f"share = {share}: expected a number from 0 to 1")
    return values, max(1, math.ceil(part * values.shape[-1]))


def worst(performance: ArrayLike, share: Number = 0) -> Any:
    """Return the mean over the worst ``share`` of the clients, rounded up to a whole number of at least one, (...)."""
    values, count = _ends(performance, share)
    return values[..., :count].sum(axis=-1) / count


def best(performance: ArrayLike, share: Number = 0) -> Any:
    """Return the mean over the best ``share`` of the clients, rounded up to a whole number of at least one, (...)."""
    values, count = _ends(performance, share)
    return values[..., -count:].sum(axis=-1) / count


def mean(performance: ArrayLike) -> Any:
    """Return the mean over the clients, (...)."""
    values = _as_numbers(performance)
    return values.sum(axis=-1) / values.shape[-1]


def variance(performance: ArrayLike) -> Any:
    """Return the mean squared distance to the mean, (...)."""
    values = _as_numbers(performance)
    away = values - np.asarray(mean(values))[..., None]
    return (away * away).sum(axis=-1) / values.shape[-1]


def spread(performance: ArrayLike) -> Any:
    """Return the standard deviation over the clients, (...), as an exact root for exact numbers."""
    square = variance(performance)
    if np.asarray(performance).dtype != object:
        return np.sqrt(square)
    return _roots(square) if isinstance(square, np.ndarray) else _root(square)


def _root(square: Number) -> Number:
    return square.sqrt() if isinstance(square, arb | fmpq) else exact(sympy.sqrt(symbolic(square)))


_roots = np.frompyfunc(_root, 1, 1)


def gini(performance: ArrayLike) -> Any:
    """Return the Gini coefficient in percent, (...): 100 / (2 K^2 mean) sum_ij |x_i - x_j|; 0 if all entries are 0.

    By sorting: in increasing order the sum of the distances is 2 sum_i (2i - K - 1) x_i, i from 1.
    """
    values = np.sort(_as_numbers(performance), axis=-1)
    clients = values.shape[-1]
    ranks = np.array([2 * i - clients - 1 for i in range(1, clients + 1)], dtype=values.dtype)
    total = values.sum(axis=-1)
    distances = 100 * (values * ranks).sum(axis=-1)
    nothing = total == 0  # all equal
    return distances / (clients * np.where(nothing, 1, total))


def parity_gap(performance: ArrayLike, share: Number = 0) -> Any:
    """Return the accuracy parity gap, (...): the best client, or share of clients, minus the worst."""
    return best(performance, share) - worst(performance, share)
