"""Compiled kernels: draws and the check of a round, simplex quadratic programs by active sets, and projections.

Each has a NumPy reference, ``reference_...``. Feasible points are nonnegative with sum 1 up to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform

EPS = 2.0**-52


def max_faces(n_clients: int) -> int:
    """Return the largest number of faces to try; each step adds or drops about one client, so fewer suffice."""
    return 20 * n_clients + 100


@njit(nogil=True)
def _project(x: np.ndarray, p: np.ndarray) -> None:
    """Compute p = max(x - tau, 0) with sum 1 by Newton's method for tau, from below, so that it never overshoots."""
    n = len(x)
    tau = x.max() - 1.0  # the sum of max(x - tau, 0) is at least 1 here
    before = n + 1
    while True:
        total, count = 0.0, 0
        for i in range(n):
            if x[i] > tau:
                total += x[i] - tau
                count += 1
        if count >= before or count == 0:
            break
        tau += (total - 1.0) / count
        before = count
    total = 0.0
    for i in range(n):
        p[i] = max(x[i] - tau, 0.0)
        total += p[i]
    if total == 0.0:  # beside numbers so large 1 is lost to rounding: the largest ones share the weight
        top = x.max()
        for i in range(n):
            p[i] = 1.0 if x[i] == top else 0.0
            total += p[i]
    for i in range(n):
        p[i] /= total


def project(x: np.ndarray) -> np.ndarray:
    """Return the nearest point of the simplex to x (clients,) in a few passes over the clients."""
    p = np.empty(len(x))
    _project(x, p)
    return p


def reference_project(x: np.ndarray) -> np.ndarray:
    """Project by sorting; the reference of ``project``."""
    down = np.sort(x)[::-1]
    excess = (np.cumsum(down) - 1) / np.arange(1, len(x) + 1)
    return np.maximum(x - excess[np.flatnonzero(down > excess)[-1]], 0)


@njit(nogil=True, fastmath={"reassoc", "contract"})
def _gram_product(alpha: float, beta: float, G: np.ndarray, p: np.ndarray, Bp: np.ndarray) -> None:
    """Sum in any order; the bound on the rounding error holds for every order."""
    for i in range(len(p)):
        Bp[i] = alpha * p[i]
    for t in range(len(G)):
        along = 0.0
        for i in range(len(p)):
            along += G[t, i] * p[i]
        along *= beta
        for i in range(len(p)):  # the row is still in the cache
            Bp[i] += along * G[t, i]


def regularised_gram_product(alpha: float, beta: float, G: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Compute (alpha I + beta G'G) p on one thread with one pass over G (rounds, clients), reproducible to the bit."""
    Bp = np.empty(len(p))
    _gram_product(alpha, beta, G, p, Bp)
    return Bp


def reference_product(alpha: float, beta: float, G: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Compute it in NumPy; the reference of ``regularised_gram_product``."""
    return alpha * p + beta * (G @ p) @ G


@njit(nogil=True)
def _gradient(B: np.ndarray, c: np.ndarray, p: np.ndarray, g: np.ndarray, rounding: np.ndarray) -> None:
    """Return g = Bp + c and a bound on its rounding error, for nonnegative c."""
    n = len(c)
    for i in range(n):
        g[i] = c[i]
        rounding[i] = c[i]
    for j in range(n):
        if p[j] > 0.0:
            for i in range(n):  # a row, as B is symmetric
                g[i] += p[j] * B[j, i]
                rounding[i] += p[j] * abs(B[j, i])
    for i in range(n):
        rounding[i] *= (n + 4) * EPS


@njit(nogil=True)
def _gap(p: np.ndarray, g: np.ndarray, rounding: np.ndarray) -> tuple[float, float]:
    """Return an upper bound on <g, p> - min g for p scaled to sum 1, and the part of it that is rounding error."""
    low = np.inf
    for i in range(len(p)):
        low = min(low, g[i] - rounding[i])
    top, own, least = 0.0, 0.0, g.min()
    for i in range(len(p)):
        top += p[i] * (g[i] + rounding[i] - low)
        own += p[i] * (g[i] - least)
    gap = top * (1.0 + (len(p) + 4) * EPS)
    return gap, gap - own


@njit(nogil=True)
def _factorise(B: np.ndarray, others: np.ndarray, m: int, pivot: int, shift: float, H: np.ndarray) -> bool:
    """Factor H = LDL' (in its upper half), H_ik = B_ik - B_i,pivot - B_pivot,k + B_pivot,pivot, diagonal shifted.

    Return False if a pivot does not exceed its rounding error.
    """
    floor = B[pivot, pivot]
    for a in range(m):
        i = others[a]
        floor = max(floor, B[i, i])
        for b in range(a, m):
            k = others[b]
            H[a, b] = (B[i, k] - B[i, pivot]) + (B[pivot, pivot] - B[pivot, k])
    floor *= (m + 1) * EPS
    for a in range(m):
        H[a, a] += shift * floor
    for a in range(m):
        if H[a, a] <= floor:
            return False
        for b in range(a + 1, m):
            factor = H[a, b] / H[a, a]
            for k in range(b, m):
                H[b, k] -= factor * H[a, k]
        for b in range(a + 1, m):
            H[a, b] /= H[a, a]
    return True


@njit(nogil=True)
def _direction(
    B: np.ndarray, g: np.ndarray, others: np.ndarray, m: int, pivot: int, H: np.ndarray, d: np.ndarray
) -> None:
    """Return the d of sum 0 on the face with a constant gradient at p + d: H d = g_pivot - g on the other clients.

    If H is singular up to rounding it is shifted: the step becomes shorter and still descends.
    """
    shift = 0.0
    while not _factorise(B, others, m, pivot, shift, H):
        shift = 4.0 * (shift + 1.0)
    for a in range(m):
        d[a] = g[pivot] - g[others[a]]
    for a in range(m):
        for b in range(a + 1, m):
            d[b] -= H[a, b] * d[a]
    for a in range(m):
        d[a] /= H[a, a]
    for a in range(m - 1, -1, -1):
        for b in range(a + 1, m):
            d[a] -= H[a, b] * d[b]


@njit(nogil=True)
def _active_set(B: np.ndarray, c: np.ndarray, p: Any, n_steps: int, best: np.ndarray) -> tuple[float, bool]:
    """Move p to the minimiser, which is stored in ``best``; return its gap, and whether the gap is only rounding."""
    n = len(c)
    g, rounding, d, H = np.empty(n), np.empty(n), np.empty(n), np.empty((n, n))
    others = np.empty(n, dtype=np.int64)
    least, done, whole = np.inf, False, False
    for _ in range(n_steps):
        _gradient(B, c, p, g, rounding)
        gap, noise = _gap(p, g, rounding)
        if gap < least:
            least = gap
            best[:] = p
        if gap <= 2.0 * noise:
            done = True
            break
        low, pivot, m, drop = g.argmin(), p.argmax(), 0, 0.0
        for i in range(n):
            # A client enters only after the last face is solved: then d points into the simplex.
            if i != pivot and (p[i] > 0.0 or (whole and i == low)):
                others[m] = i
                m += 1
        _direction(B, g, others, m, pivot, H, d)
        step, blocked = 1.0, -1
        for a in range(m):
            drop += d[a]
            if d[a] < 0.0 and -d[a] * step > p[others[a]]:
                step, blocked = -p[others[a]] / d[a], others[a]
        if drop > 0.0 and drop * step > p[pivot]:
            step, blocked = p[pivot] / drop, pivot
        whole = blocked < 0
        total, p[pivot] = 0.0, p[pivot] - step * drop
        for a in range(m):
            p[others[a]] += step * d[a]
        if blocked >= 0:
            p[blocked] = 0.0
        for i in range(n):
            p[i] = max(p[i], 0.0)
            total += p[i]
        for i in range(n):
            p[i] /= total
    return least, done


@njit(nogil=True)
def _solve_two_clients(B: np.ndarray, c: np.ndarray, p: np.ndarray) -> None:
    """Solve for two clients: p = (x, 1 - x), where x is the clipped root of the derivative a x + b."""
    a = (B[0, 0] - B[0, 1]) + (B[1, 1] - B[0, 1])
    b = (B[0, 1] - B[1, 1]) + (c[0] - c[1])
    if b >= 0.0:
        p[0] = 0.0
    elif -b >= a:  # even if a is lost to rounding
        p[0] = 1.0
    else:
        p[0] = -b / a
    p[1] = 1.0 - p[0]


@njit(nogil=True)
def active_sets(B: np.ndarray, c: np.ndarray, p: np.ndarray, n_steps: int, gap: np.ndarray, done: np.ndarray) -> None:
    """Solve a batch in place: B (n, K, K) symmetric, c (n, K) nonnegative; p (n, K) holds starts, then minimisers."""
    for k in range(len(c)):
        if c.shape[1] == 2:
            g, rounding = np.empty(2), np.empty(2)
            _solve_two_clients(B[k], c[k], p[k])
            _gradient(B[k], c[k], p[k], g, rounding)
            gap[k], done[k] = _gap(p[k], g, rounding)[0], True
        else:
            gap[k], done[k] = _active_set(B[k], c[k], p[k].copy(), n_steps, p[k])


def reference_active_set(B: np.ndarray, c: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Solve one problem by active sets in NumPy, with a ratio test; the reference of ``active_sets``."""
    whole = False
    for _ in range(max_faces(len(c))):
        g = B @ p + c
        if p @ (g - g.min()) <= 1e-14 * (abs(B) @ p + abs(c)) @ p:
            break
        face = p > 0
        face[g.argmin()] |= whole
        n = face.sum()
        equations = np.block([[B[np.ix_(face, face)], np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
        d = np.zeros(len(c))
        d[face] = np.linalg.solve(equations, np.append(-g[face], 0))[:n]
        ratios = np.divide(-p, d, out=np.full(len(c), np.inf), where=d < 0)
        whole = ratios.min() >= 1
        p = np.where(ratios <= min(1, ratios.min()), 0, p + min(1, ratios.min()) * d)
    return p


# A round of a game; the reference of the draws is ``participation.reference_draw_counts`` ------------------------


@njit(nogil=True)
def count_draws(
    p: np.ndarray, n: int, seed: int, repetitions: np.ndarray, round_: int, stream: int, counts: np.ndarray
) -> None:
    """Count how often each client is drawn in ``n`` draws, (seeds, clients); ``counts`` must be 0 before."""
    sums = np.empty(p.shape[1])
    root = absorb(U64(0), seed)
    for s in range(len(p)):
        total = 0.0
        for m in range(p.shape[1]):
            total += p[s, m]
            sums[m] = total
        of_round = absorb(absorb(absorb(root, repetitions[s]), round_), stream)
        for k in range(n):
            m = np.searchsorted(sums, as_uniform(absorb(of_round, k)) * total, side="right")
            counts[s, min(m, p.shape[1] - 1)] += 1


@njit(nogil=True)
def are_distributions(p: np.ndarray, zero_is_one: bool, near: float) -> bool:
    """Return whether every row is positive (or nonnegative) with a sum within ``near`` of 1."""
    for s in range(len(p)):
        total = 0.0
        for v in p[s]:
            if not (v > 0 or (zero_is_one and v == 0)):
                return False
            total += v
        if not abs(total - 1) <= near:
            return False
    return True
