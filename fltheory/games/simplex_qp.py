"""Strictly convex quadratic programs over the simplex, min f(p) = 1/2 p'Bp + <c, p>, with a certified gap.

Both solvers return (p, gap). The gap is that of Frank and Wolfe, <grad f(p), p> - min_i grad_i f(p) >= f(p) - min f,
plus its rounding error. So it is valid for the exact values of the floats B (or alpha, beta, G) and c, for p scaled to
sum 1. As f is strongly convex, |p - argmin|^2 <= 2 gap / (smallest eigenvalue of B). A constant added to c does not
change the minimiser, nor does a common factor of B and c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

EPS = 2.0**-52
LOWEST, HIGHEST = 1e-100, 1e100  # allowed range of numbers, against under- and overflow
SMALL = 64  # largest problem that is passed to the active-set method at once
ROUNDS, STEPS = 10, 50  # rounds of projected gradient steps, with a solved face after each
ENTRANTS = 16  # clients that join the working set at once
MAX_WORKING_SET = 400  # clients in the working set


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    """Compute <a, b> on one thread, because BLAS threads wait for each other on a busy machine."""
    return float(np.einsum("i,i", a, b))


class _Form(NamedTuple):
    """The function f by its products and constants."""

    product: Callable[[np.ndarray], np.ndarray]  # p -> Bp
    sizes: Callable[[np.ndarray], np.ndarray]  # p -> sums of the absolute terms of Bp + c
    c: np.ndarray  # (clients,) nonnegative
    convexity: float  # lower bound on the eigenvalues of B
    unit: float  # rounding relative to ``sizes``

    def gap(self, p: np.ndarray, Bp: np.ndarray) -> tuple[float, float]:
        """Return <g, p> - min g including its rounding error, and this error alone."""
        g, rounding = Bp + self.c, self.unit * self.sizes(p)
        gap = _dot(p, g + rounding - (g - rounding).min()) * (1 + self.unit)
        return gap, gap - _dot(p, g - g.min())


def _check_array(name: str, a: np.ndarray, n_axes: int) -> np.ndarray:
    a = np.asarray(a, dtype=float)
    if a.ndim != n_axes:
        raise ValueError(f"{name} must have {n_axes} axes, not {a.ndim}")
    if not np.isfinite(a).all():
        raise ValueError(f"{name} must be finite, not {a[~np.isfinite(a)][0]}")
    return a


def _shift_to_zero(c: np.ndarray) -> np.ndarray:
    """Subtract from c its smallest entry, (..., clients), which gives an equivalent problem."""
    if c.shape[-1] == 0:
        raise ValueError("there must be at least one client")
    if (c.max(axis=-1) / 2 - c.min(axis=-1) / 2 > np.finfo(float).max / 4).any():
        raise ValueError("the entries of c are too far apart")
    return c - c.min(axis=-1, keepdims=True)


def _normalised_start(start: np.ndarray | None, near: np.ndarray) -> np.ndarray:
    """Return the start on the clients that can have weight, scaled to sum 1; uniform if it has no weight there."""
    p = np.ones(near.shape) if start is None else _check_array("start", start, near.ndim)
    if p.shape != near.shape or (p < 0).any():
        raise ValueError(f"start must be {near.shape} and nonnegative")
    p = np.where(near, p, 0)
    p = np.where(p.sum(axis=-1, keepdims=True) > 0, p, near)
    return p / p.sum(axis=-1, keepdims=True)


def solve_dense(B: np.ndarray, c: np.ndarray, start: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return minimisers (n, K) and gaps (n,) for positive definite B (n, K, K) and c (n, K), by primal active sets.

    The gaps are rounding errors, of the order of 1e-15 (max |B| + max c - min c). For K up to about 64.
    """
    B, c = _check_array("B", B, 3), _shift_to_zero(_check_array("c", c, 2))
    n, n_clients = c.shape
    if B.shape != (n, n_clients, n_clients):
        raise ValueError(f"B must be {(n, n_clients, n_clients)}, not {B.shape}")
    diagonals = np.einsum("nii->ni", B)
    if not ((diagonals >= LOWEST) & (diagonals <= HIGHEST)).all():
        raise ValueError(f"the diagonal of B must be in [{LOWEST}, {HIGHEST}]")
    scale = diagonals.max(axis=1, keepdims=True)
    if (abs(B - B.transpose(0, 2, 1)) > 1e-12 * scale[:, :, None]).any():
        raise ValueError("B must be symmetric")
    try:
        np.linalg.cholesky(B + 4 * n_clients * EPS * scale[:, :, None] * np.eye(n_clients))
    except np.linalg.LinAlgError:
        raise ValueError("B must be positive definite") from None
    return _solve_active_sets(B, c, start)


def _solve_active_sets(B: np.ndarray, c: np.ndarray, start: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Solve as ``solve_dense`` for nonnegative c with an entry 0."""
    from fltheory.games import kernels

    n, n_clients = c.shape
    # As |Bp| is at most B's largest entry, a client with c this far above the lowest always has a larger gradient.
    far = 4 * np.einsum("nii->ni", B).max(axis=1, keepdims=True)
    c = np.minimum(c, far)
    near = c < far
    p, gap, done = _normalised_start(start, near), np.empty(n), np.empty(n, dtype=bool)
    B = np.ascontiguousarray(B)
    kernels.active_sets(B, c, p, kernels.max_faces(n_clients), gap, done)
    for k in np.flatnonzero(~done):  # faces repeat if rounding dominates
        kept = near[k]
        form = _dense_form(B[k][np.ix_(kept, kept)], c[k][kept])
        found, bound = _accelerated_descent(form, p[k][kept], 0, ROUNDS * STEPS)
        if bound < gap[k]:
            p[k][kept], gap[k] = found, bound
    return p, gap


def _dense_form(B: np.ndarray, c: np.ndarray) -> _Form:
    size = abs(B)
    return _Form(lambda p: B @ p, lambda p: size @ p + c, c, 0.0, (len(c) + 4) * EPS)


def solve_low_rank(
    alpha: float, beta: float, G: np.ndarray, c: np.ndarray, start: np.ndarray | None = None, gap: float | None = None
) -> tuple[np.ndarray, float]:
    """Return the minimiser (K,) and its gap for B = alpha I + beta G'G, G (t, K), c (K,), without B if K is large.

    It stops at ``gap`` (default: 5e-13 alpha, so that p is within 1e-6), or when only rounding error is left.
    """
    G, c = np.asarray(G, dtype=float), _shift_to_zero(_check_array("c", c, 1))
    if G.ndim != 2 or G.shape[1] != len(c):
        raise ValueError(f"G must be (rounds, {len(c)}), not {G.shape}")
    peaks = np.maximum(G.max(axis=1), -G.min(axis=1))
    if not np.isfinite(peaks).all():
        raise ValueError("G must be finite")
    if not 0 < alpha < np.inf:
        raise ValueError(f"alpha must be positive and finite, not {alpha}")
    if not 0 <= beta < np.inf:
        raise ValueError(f"beta must be nonnegative and finite, not {beta}")
    enough = 5e-13 * alpha if gap is None else gap
    if not enough >= 0:
        raise ValueError(f"gap must be nonnegative, not {gap}")
    with np.errstate(over="ignore"):
        reach = float(beta * (peaks**2).sum())  # no entry of beta G'Gp is larger
    if alpha < LOWEST or alpha + reach > HIGHEST:
        raise ValueError(f"alpha I + beta G'G must lie in [{LOWEST}, {HIGHEST}]")
    near = c <= 4 * (reach + alpha)  # as in ``solve_dense``
    p = _normalised_start(start, near)
    if near.all():
        return _solve_low_rank_from(alpha, beta, G, c, p, reach, enough)
    p[near], bound = _solve_low_rank_from(alpha, beta, G[:, near], c[near], p[near], reach, enough)
    return p, bound


def _solve_low_rank_from(
    alpha: float, beta: float, G: np.ndarray, c: np.ndarray, p: np.ndarray, reach: float, enough: float
) -> tuple[np.ndarray, float]:
    """Solve as ``solve_low_rank`` from a feasible p."""
    from fltheory.games.kernels import regularised_gram_product

    G = np.ascontiguousarray(G)
    form = _Form(
        lambda p: regularised_gram_product(alpha, beta, G, p),
        lambda p: alpha * p + (reach + c),
        c,
        alpha,
        (len(c) + len(G) + 8) * EPS,
    )
    if len(c) <= SMALL:
        return _minimise_over(np.arange(len(c)), alpha, beta, G, form, p)
    bound = np.inf
    for _ in range(ROUNDS):
        p, bound = _accelerated_descent(form, p, enough, STEPS)
        if bound <= enough:
            return p, bound
        face, found = _minimise_on_faces(alpha, beta, G, form, p, enough)
        if found < bound:
            p, bound = face, found
        if bound <= max(enough, 2 * form.gap(p, form.product(p))[1]):
            return p, bound
    found_p, found = _column_generation(alpha, beta, G, form, p, enough)
    return (found_p, found) if found < bound else (p, bound)


def _accelerated_descent(form: _Form, p: np.ndarray, enough: float, n_steps: int) -> tuple[np.ndarray, float]:
    """Return the best of some accelerated projected gradient steps (FISTA with restarts) and its gap."""
    from fltheory.games.kernels import project

    x, Bx = p, form.product(p)
    best, (least, noise) = p, form.gap(p, Bx)
    y, By, theta = x, Bx, 1.0
    steepness = max(form.convexity, 1e-12 * _dot(Bx, p) / _dot(p, p))  # grows to the largest observed curvature
    for _ in range(n_steps):
        if least <= max(enough, 2 * noise):
            break
        while True:
            new = project(y - (By + form.c) / steepness)
            B_new, d = form.product(new), new - y
            square, curvature = _dot(d, d), _dot(d, B_new - By)
            if curvature <= steepness * square * (1 + 1e-9) or square < 1e-30:
                break
            steepness = form.convexity + 1.5 * (curvature / square - form.convexity)
        gap, noise = form.gap(new, B_new)
        if gap < least:
            best, least = new, gap
        if _dot(y - new, new - x) > 0:
            theta = 1.0
        larger = (1 + np.sqrt(1 + 4 * theta**2)) / 2
        slow = np.sqrt(form.convexity / steepness)
        momentum = min((theta - 1) / larger, (1 - slow) / (1 + slow))
        y, By, theta = new + momentum * (new - x), B_new + momentum * (B_new - Bx), larger
        x, Bx = new, B_new
    return best, least


def _minimise_on_faces(
    alpha: float, beta: float, G: np.ndarray, form: _Form, p: np.ndarray, enough: float
) -> tuple[np.ndarray, float]:
    """Return the best of some minimisers over faces, negative entries set to 0, and its gap; p has the first face.

    The next face keeps the positive entries and adds clients with a lower gradient. With hats for centring on the face,
    (alpha I + beta Ĝ'Ĝ) d = -ĝ, so (I + beta/alpha ĜĜ') Ĝd = -Ĝĝ / alpha (Woodbury).
    """
    face, best, least = p > 0, p, np.inf
    for _ in range(ROUNDS):
        q = np.where(face, p, 0)
        if q.sum() == 0:
            break
        q /= q.sum()
        hat_g = (form.product(q) + form.c)[face]
        hat_g -= hat_g.mean()
        hat_G = G[:, face] - G[:, face].mean(axis=1, keepdims=True)
        gram = beta / alpha * (hat_G @ hat_G.T)
        if np.trace(gram) > 1e14:  # the 1 would be lost to rounding
            break
        hat_Gd = np.linalg.solve(np.eye(len(G)) + gram, -(hat_G @ hat_g) / alpha)
        q[face] -= (hat_g + beta * (hat_Gd @ hat_G)) / alpha
        p = np.maximum(q, 0)
        p /= p.sum()
        bound, noise = form.gap(p, form.product(p))
        if bound < least:
            best, least = p, bound
        if least <= max(enough, 2 * noise):
            break
        g = form.product(q) + form.c
        face = (q > 0) | (~face & (g < g[face].mean()))
    return best, least


def _minimise_over(
    clients: np.ndarray, alpha: float, beta: float, G: np.ndarray, form: _Form, p: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the minimiser over some clients by active sets, and its gap among all clients."""
    part = G[:, clients]
    B = alpha * np.eye(len(clients)) + beta * (part.T @ part)
    q = np.zeros(len(p))
    q[clients] = _solve_active_sets(B[None], _shift_to_zero(form.c[clients])[None], p[clients][None])[0][0]
    return q, form.gap(q, form.product(q))[0]


def _column_generation(
    alpha: float, beta: float, G: np.ndarray, form: _Form, p: np.ndarray, enough: float
) -> tuple[np.ndarray, float]:
    """Solve by active sets on a working set of clients; the steepest of the others join, so f decreases each time.

    This serves nearly singular B, for which gradient steps fail and few clients have weight.
    """
    clients = np.argsort(p)[-SMALL:]
    best, least = p, np.inf
    for _ in range(ROUNDS * STEPS):
        p, bound = _minimise_over(clients, alpha, beta, G, form, p)
        if bound < least:
            best, least = p, bound
        g = form.product(p) + form.c
        mean = p @ g
        g[clients] = np.inf
        entrants = np.argsort(g)[:ENTRANTS]
        entrants = entrants[g[entrants] < mean]
        clients = np.union1d(np.flatnonzero(p), entrants)
        if least <= enough or len(entrants) == 0 or len(clients) > MAX_WORKING_SET:
            break
    return best, least
