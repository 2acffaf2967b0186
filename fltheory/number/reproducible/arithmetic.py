"""Bitwise reproducible arithmetic: products summed in a fixed order, exp and log from basic operations.

Libraries choose their loops by processor: the order of sums, fused operations and the last digits of exp differ.
Training amplifies such differences.
"""

from __future__ import annotations

import numpy as np

from fltheory.number.reproducible import loops as compiled

LOG_2_HIGH, LOG_2_LOW = map(
    float.fromhex, ("0x1.62e42fefa38p-1", "0x1.ef35793c7673p-45")
)  # multiples of the first are exact
LOG_2E = float.fromhex("0x1.71547652b82fep0")
LEAST, MOST = -745.0, 709.78  # beyond these exp is 0 and infinite
EXP_TERMS, LOG_TERMS = 14, 12
HALF_ROOT = 0.7071067811865476


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute a @ b for every row: (rows, n, inner) times (rows, inner, m)."""
    out = np.zeros((a.shape[0], a.shape[1], b.shape[2]), dtype=np.result_type(a, b))
    compiled.product(np.ascontiguousarray(a), np.ascontiguousarray(b), out)
    return out


def product_in_numpy(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute it in NumPy, adding one term to all sums at a time; the reference."""
    out = np.zeros((a.shape[0], a.shape[1], b.shape[2]), dtype=np.result_type(a, b))
    for k in range(a.shape[2]):
        out += a[:, :, k, None] * b[:, k, None, :]
    return out


def exp(x: np.ndarray) -> np.ndarray:
    """Compute e^x in the precision of x, by 2^k e^r with |r| <= log(2)/2 and Taylor's series in double precision."""
    wide = np.asarray(x, dtype=float)
    whole = np.rint(LOG_2E * np.clip(np.where(wide == wide, wide, 0.0), LEAST, MOST))
    rest = (wide - whole * LOG_2_HIGH) - whole * LOG_2_LOW
    series = np.empty(np.shape(rest))
    compiled.exponential_series(rest.ravel(), EXP_TERMS, series.reshape(-1))
    found = np.where(wide < LEAST, 0.0, np.where(wide > MOST, np.inf, np.ldexp(series, whole.astype(np.int64))))
    return found.astype(np.asarray(x).dtype)


def exponential_series_in_numpy(x: np.ndarray, terms: int = EXP_TERMS) -> np.ndarray:
    """Compute its series near 0, adding one term for all numbers at a time."""
    series = np.ones_like(x)
    for n in range(terms, 0, -1):
        series = 1 + x * series / n
    return series


def log(x: np.ndarray) -> np.ndarray:
    """Compute log x in the precision of x, by k log 2 + 2 artanh((m - 1)/(m + 1)) with m = x / 2^k near 1."""
    part, power = np.frexp(np.asarray(x, dtype=float))
    small = part < HALF_ROOT
    part, power = np.where(small, 2 * part, part), power - small
    u = (part - 1) / (part + 1)
    square, series = u * u, np.zeros_like(u)
    for n in range(LOG_TERMS, -1, -1):
        series = 1 / (2 * n + 1) + square * series
    return np.asarray(power * LOG_2_HIGH + (power * LOG_2_LOW + 2 * u * series)).astype(np.asarray(x).dtype)
