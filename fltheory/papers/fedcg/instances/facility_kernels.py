"""The multilinear extension of facility location, f_i(S) = max_{j in S} c_ij, in O(n) a client once its row is sorted.

Scores c >= 0 are (clients, items), in float64 or float32; sums are always in float64. ``items_by_score`` sorts every row once.
With c_(1) >= c_(2) >= ... and t_k = x_(k) c_(k) + (1 - x_(k)) t_{k+1}, t_{n+1} = 0, the extension is t_1 and its
slope in x_(k) is prod_{l<k} (1 - x_(l)) (c_(k) - t_{k+1}). Every kernel has a NumPy twin named ``plain_...``, equal bit for bit.
"""

from __future__ import annotations

import numpy as np

from fltheory.number.streams.compiled import njit


def items_by_score(scores: np.ndarray) -> np.ndarray:
    """The items of every row by falling score, ties by the lowest item, in the smallest unsigned type that holds them."""
    n_clients, n_items = scores.shape
    order = np.empty((n_clients, n_items), dtype=np.uint16 if n_items <= 1 << 16 else np.uint32)
    for i, row in enumerate(scores):  # row by row: no second matrix is needed on the way
        found = np.argsort(-row)  # several times as fast as a stable sort
        falling = row[found]
        if n_items and not falling[-1] >= 0:  # NaN is sorted last
            raise ValueError(f"scores must be at least 0, not {falling[-1]} of client {i}")
        falls = np.diff(falling) != 0
        if not falls.all():
            first = n_items * np.cumsum(np.append(False, falls))  # the same for equal scores
            found = np.sort(first + found) - first
        order[i] = found
    return order


def _check_arrays(scores: np.ndarray, order: np.ndarray, x: np.ndarray) -> np.ndarray:
    """x as floats, or a ValueError: compiled code doesn't look where it reads."""
    x = np.asarray(x, dtype=float)
    if scores.ndim != 2 or scores.dtype not in (np.float32, np.float64):
        raise ValueError("scores must be (clients, items) in float64 or float32")
    if order.shape != scores.shape or order.dtype.kind not in "iu":
        raise ValueError(f"order must be integers {scores.shape}, as ``items_by_score`` gives them")
    if x.shape != (scores.shape[1],):
        raise ValueError(f"x must be ({scores.shape[1]},), not {x.shape}")
    return x


def _weights(weights: np.ndarray, n_clients: int) -> np.ndarray:
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (n_clients,):
        raise ValueError(f"weights must be ({n_clients},), not {weights.shape}")
    return weights


@njit(nogil=True)
def _row(scores: np.ndarray, order: np.ndarray, x: np.ndarray, before: np.ndarray, slopes: np.ndarray) -> float:
    """The extension of one client; ``slopes`` becomes its gradient, ``before`` is scratch."""
    n = len(x)
    product = 1.0
    for k in range(n):
        before[k] = product
        product *= 1.0 - x[order[k]]
    t = 0.0
    for k in range(n - 1, -1, -1):
        j = order[k]
        c = np.float64(scores[j])
        slopes[j] = before[k] * (c - t)
        t = x[j] * c + (1.0 - x[j]) * t
    return t


@njit(nogil=True)
def _extension(
    scores: np.ndarray, order: np.ndarray, weights: np.ndarray, x: np.ndarray, gradient: np.ndarray
) -> float:
    before, slopes = np.empty(len(x)), np.empty(len(x))
    value = 0.0
    for i in range(len(scores)):
        value += weights[i] * _row(scores[i], order[i], x, before, slopes)
        for j in range(len(x)):
            gradient[j] += weights[i] * slopes[j]
    return value


@njit(nogil=True)
def _client_gradients(scores: np.ndarray, order: np.ndarray, x: np.ndarray, found: np.ndarray) -> None:
    before = np.empty(len(x))
    for i in range(len(scores)):
        _row(scores[i], order[i], x, before, found[i])


@njit(nogil=True)
def _top_items(scores: np.ndarray, order: np.ndarray, x: np.ndarray, found: np.ndarray) -> None:
    """The best items so far are kept in order; a later item comes in only with a greater slope, so ties go to the lowest."""
    rank, before, slopes = found.shape[1], np.empty(len(x)), np.empty(len(x))
    for i in range(len(scores)):
        _row(scores[i], order[i], x, before, slopes)
        best, kept, least = found[i], 0, -np.inf
        for j in range(len(x)):
            if kept == rank and not slopes[j] > least:
                continue
            kept = min(kept + 1, rank)
            place = kept - 1
            while place > 0 and slopes[best[place - 1]] < slopes[j]:
                best[place] = best[place - 1]
                place -= 1
            best[place] = j
            least = slopes[best[kept - 1]]


@njit(nogil=True)
def _sampled_gradient(scores: np.ndarray, weights: np.ndarray, drawn: np.ndarray, gradient: np.ndarray) -> None:
    n = scores.shape[1]
    for k in range(len(drawn)):
        for i in range(len(scores)):
            first, second, leader = 0.0, 0.0, -1
            for j in range(n):
                if drawn[k, j]:
                    c = np.float64(scores[i, j])
                    if leader < 0 or c > first:
                        first, second, leader = c, first, j
                    elif c > second:
                        second = c
            for j in range(n):  # an item that isn't in the set: what it adds to the best
                gradient[j] += weights[i] * max(np.float64(scores[i, j]) - first, 0.0)
            if leader >= 0:  # without the leader the second best is left; without any other item nothing changes
                gradient[leader] += weights[i] * (first - second)
    for j in range(n):
        gradient[j] /= len(drawn)


def facility_extension(
    scores: np.ndarray, order: np.ndarray, weights: np.ndarray, x: np.ndarray
) -> tuple[float, np.ndarray]:
    """The extension of sum_i p_i max_{j in S} c_ij at x and its gradient (items,)."""
    x, weights = _check_arrays(scores, order, x), _weights(weights, len(scores))
    gradient = np.zeros(len(x))
    return float(_extension(scores, order, weights, x, gradient)), gradient


def facility_client_gradients(scores: np.ndarray, order: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The gradient of every client's extension, (clients, items)."""
    x = _check_arrays(scores, order, x)
    found = np.empty(scores.shape)
    _client_gradients(scores, order, x, found)
    return found


def facility_top_items(scores: np.ndarray, order: np.ndarray, x: np.ndarray, rank: int) -> np.ndarray:
    """The ``rank`` items of greatest slope of every client, (clients, rank), steepest first, ties by the lowest item.

    It is the base of a uniform matroid that a client sends; one row of the gradients is in memory at a time.
    """
    x = _check_arrays(scores, order, x)
    if not 0 <= rank <= len(x):
        raise ValueError(f"rank must be from 0 to {len(x)}, not {rank}")
    found = np.empty((len(scores), rank), dtype=np.int64)
    if rank:
        _top_items(scores, order, x, found)
    return found


def facility_sampled_gradient(
    scores: np.ndarray, weights: np.ndarray, x: np.ndarray, uniforms: np.ndarray
) -> np.ndarray:
    """(1/m) sum_k F(R_k + e) - F(R_k - e), R_k being the items with ``uniforms[k]`` < x; ``uniforms`` is (m, items)."""
    x, weights = np.asarray(x, dtype=float), _weights(weights, len(scores))
    if len(x) != scores.shape[1] or uniforms.ndim != 2 or len(uniforms) == 0 or uniforms.shape[1] != len(x):
        raise ValueError(
            f"x must be ({scores.shape[1]},) and uniforms (samples, {scores.shape[1]}) with a sample at least"
        )
    gradient = np.zeros(len(x))
    _sampled_gradient(scores, weights, uniforms < x, gradient)
    return gradient


def reference_client_extensions(scores: np.ndarray, order: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every client's extension (clients,) and gradient (clients, items), all rows side by side."""
    c, chances = np.take_along_axis(scores, order.astype(np.int64), axis=1).astype(float), x[order]
    missed = np.cumprod(np.concatenate([np.ones((len(c), 1)), 1 - chances], axis=1), axis=1)[:, :-1]
    slopes, t = np.empty(c.shape), np.zeros(len(c))
    for k in reversed(range(c.shape[1])):
        slopes[:, k] = missed[:, k] * (c[:, k] - t)
        t = chances[:, k] * c[:, k] + (1 - chances[:, k]) * t
    gradients = np.empty(c.shape)
    np.put_along_axis(gradients, order.astype(np.int64), slopes, axis=1)
    return t, gradients


def reference_extension(
    scores: np.ndarray, order: np.ndarray, weights: np.ndarray, x: np.ndarray
) -> tuple[float, np.ndarray]:
    """The twin of ``facility_extension``: clients are added one after another."""
    values, gradients = reference_client_extensions(scores, order, x)
    value = np.cumsum(np.append(0.0, weights * values))[-1]
    rows = np.concatenate([np.zeros((1, len(x))), weights[:, None] * gradients])
    return float(value), np.cumsum(rows, axis=0)[-1]


def reference_top_items(gradients: np.ndarray, rank: int) -> np.ndarray:
    """The twin of ``facility_top_items``, from all gradients."""
    return np.argsort(-gradients, axis=1, kind="stable")[:, :rank]
