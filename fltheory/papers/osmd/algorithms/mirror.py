"""The mirror step of Algorithm 2 on the floored simplex {p >= alpha/M, sum p = 1}, in floats and in balls."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from flint import arb

LARGEST = 1e300  # cap of gains that overflow


def mirror_step(p: np.ndarray, gain: np.ndarray, alpha: float) -> np.ndarray:
    """Return one step of Algorithm 2: the KL projection of p exp(gain), shape (..., M), onto the floored simplex.

    ``p`` is positive, ``gain`` >= 0 holds the exponents N eta a / (K^2 p^3). A gain g is accurate to g 2^-53 only.
    """
    moved = _project_rows(_scale_rows(p, gain), alpha)
    return np.where((gain > 0).any(axis=-1, keepdims=True), moved, p)  # bit for bit without feedback


def project(y: np.ndarray, alpha: float | np.ndarray) -> np.ndarray:
    """Return the KL projection (Lemma 19) of y >= 0, y != 0, shape (..., M), onto the floored simplex, 0 < alpha <= 1.

    It is max(alpha/M, c y) with the c for which it sums to one. That sum is the maximum of the lines
    (k-1) alpha/M + c sum_{j>=k} y_(j) over the ranks k, so c is the least of their roots; no index test is needed.
    """
    return _project_rows(y / y.max(axis=-1, keepdims=True), alpha)


def _project_rows(y: np.ndarray, alpha: float | np.ndarray) -> np.ndarray:
    """Return ``project`` of rows with maximum 1, in place where possible."""
    from fltheory.papers.osmd.kernels.simplex import project_rows

    found = np.ascontiguousarray(y, dtype=np.float64)
    floors = np.empty((*found.shape[:-1], 1))
    floors[:] = alpha
    n = found.shape[-1]
    project_rows(found.reshape(-1, n), np.sort(found, axis=-1).reshape(-1, n), floors.reshape(-1))
    return found


def plain_project(y: np.ndarray, alpha: float | np.ndarray) -> np.ndarray:
    """Return the same in NumPy, bit for bit."""
    y = y / y.max(axis=-1, keepdims=True)
    suffix, budget = _rank_sums(y, alpha)
    c = np.min(budget / suffix, axis=-1, keepdims=True)
    return np.maximum(alpha / y.shape[-1], c * y)


def mirror_step_printed(
    p: np.ndarray, gain: np.ndarray, alpha: float, by: Literal["rank", "index"] = "rank"
) -> np.ndarray:
    """Return the step of Algorithm 2 with its test v_k > u_k: clients of a rank below the first such k go to the floor.

    ``by="index"`` is the test as printed, pi(m) < m_star with pi from ranks to clients: the result needn't sum to one.
    If there is no such k (alpha = 1), all clients are at the floor.
    """
    y = _scale_rows(p, gain)
    n = y.shape[-1]
    order = np.argsort(y, axis=-1, kind="stable")  # pi
    suffix, budget = _rank_sums(y, alpha)
    above = np.sort(y, axis=-1) * budget > alpha / n * suffix  # v_k > u_k
    first = np.where(above.any(axis=-1), above.argmax(axis=-1), n)[..., None]  # m_star - 1
    tested = order if by == "index" else np.argsort(order, axis=-1)
    at = np.minimum(first, n - 1)
    c = np.take_along_axis(np.broadcast_to(budget, y.shape), at, -1) / np.take_along_axis(suffix, at, -1)
    return np.where(tested < first, alpha / n, c * y)


def mirror_step_balls(p: np.ndarray, gain: np.ndarray, alpha: arb) -> np.ndarray:
    """Return ``mirror_step`` on object arrays of balls, shape (..., M), which contains the step of all their points."""
    n = p.shape[-1]
    lines = _lines(alpha, n)
    rows = [
        _step_balls(q, g, lines) for q, g in zip(p.reshape(-1, n).tolist(), gain.reshape(-1, n).tolist(), strict=True)
    ]
    result = np.empty((len(rows), n), dtype=object)
    for i, row in enumerate(rows):
        result[i] = row
    return result.reshape(p.shape)


class _Lines(NamedTuple):
    """The floor alpha/M, and for k = 1..M the mass 1 - (M - k) alpha/M that is left for the k largest points."""

    floor: arb
    left: list[arb]


def _lines(alpha: arb, n: int) -> _Lines:
    alpha = arb(alpha)
    return _Lines(alpha / n, [1 - alpha + alpha * above / n for above in range(1, n + 1)])


def _step_balls(p: list[arb], gain: list[arb], lines: _Lines) -> list[arb]:
    if all(g.is_zero() for g in gain):
        return p  # in the floored simplex, where the projection changes nothing
    shift = max([g.upper() for g in gain])
    return _project_balls([q * (g - shift).exp() for q, g in zip(p, gain, strict=True)], lines)


def project_balls(y: list[arb], alpha: arb) -> list[arb]:
    """Return ``project`` of one vector of balls; ``alpha`` may be the integer 1."""
    return _project_balls(y, _lines(alpha, len(y)))


def _project_balls(y: list[arb], lines: _Lines) -> list[arb]:
    suffix, c = arb(0), None
    for value, left in zip(reversed(_ascending(y)), lines.left, strict=True):
        suffix += value
        root = left / suffix
        c = root if c is None else c.min(root)
    return [lines.floor.max(c * v) for v in y]


def _ascending(y: list[arb]) -> list[arb]:
    """Return balls of the order statistics: the smallest number, the second smallest, and so on."""
    ordered = sorted(y)  # in order where the balls are disjoint, else in some order
    if all(a <= b for a, b in pairwise(ordered)):
        return ordered
    # the k-th smallest point lies between the k-th smallest lower end and the k-th smallest upper end
    lows, highs = sorted([v.lower() for v in y]), sorted([v.upper() for v in y])
    return [a.union(b) for a, b in zip(lows, highs, strict=True)]


def _scale_rows(p: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Return p exp(gain) up to one factor in each row, with maximum 1."""
    y = np.log(p) + np.minimum(gain, LARGEST)
    return np.exp(y - y.max(axis=-1, keepdims=True))


def _rank_sums(y: np.ndarray, alpha: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return sum_{j>=k} y_(j), and 1 - (k-1) alpha/M without cancellation, for the ascending ranks k = 1..M."""
    n = y.shape[-1]
    suffix = np.cumsum(np.sort(y, axis=-1)[..., ::-1], axis=-1)[..., ::-1]
    return suffix, (1 - alpha) + alpha * np.arange(n, 0, -1) / n
