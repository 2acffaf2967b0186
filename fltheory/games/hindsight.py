"""The best fixed decision in hindsight, with a certified optimality gap.

For convex f on the simplex f(p) - f* <= <grad f(p), p> - min_i grad_i f(p), at any p.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb, arb_mat

from fltheory.games.losses import LINEAR, DecisionLoss
from fltheory.runs.algorithm import object_array
from fltheory.runs.method import NotEnumerable
from fltheory.work import GAME_ROUND_COST, spend, spend_on

GAP_TOLERANCE = 1e-14  # relative to the sum of all responses: the gap at which the search stops
NEWTON_STEPS = 60
MAX_RELATIVE_GAP = 1e-9  # largest usable gap in floats, relative to the sum of the response ranges of all rounds
REFINEMENT_STEPS = 6  # Newton steps in balls; each doubles the digits
WEIGHT_CUTOFF = 1e-10  # the refinement removes clients with less weight


def best_decision(rows: np.ndarray, counts: Sequence[int] | np.ndarray, loss: DecisionLoss) -> tuple[np.ndarray, float]:
    """Find a nearly optimal decision (clients,) for ``rows`` (n, clients), each ``counts`` times, and its gap.

    The linear loss is least at a vertex. The log growth loss is minimised by Newton steps (sequential quadratic
    programs) on a growing set of clients: it starts with the best one, and those of steepest descent enter.
    """
    weights = np.asarray(counts, dtype=float)
    p = np.zeros(rows.shape[1])
    p[_vertex_log_growth(rows, weights).argmax() if loss != LINEAR else (weights @ rows).argmax()] = 1.0
    if loss == LINEAR:
        return p, 0.0
    enough = GAP_TOLERANCE * float(weights @ np.abs(rows).max(axis=1)) + 1e-300
    best, smallest = p, np.inf
    active = [int(p.argmax())]
    for _ in range(NEWTON_STEPS):
        spend(GAME_ROUND_COST)
        spend_on(rows.size * len(active), exact=False)
        gradient = _gradient(rows, weights, p)
        gap = float(gradient @ p - gradient.min())
        if gap < smallest:
            best, smallest = p, gap
        if gap <= enough:
            break
        steepest = np.argsort(gradient, kind="stable")[: len(active)]  # the set may double: many clients can enter
        wanted = [int(i) for i in steepest if gradient[i] < gradient @ p]
        active = sorted({*wanted, *active})
        p = _newton(rows, weights, p, np.array(active))
    return best, max(smallest, 0.0)


def require_small_gap(rows: np.ndarray, counts: Sequence[int] | np.ndarray, gap: float) -> None:
    """Raise NotEnumerable if the best decision's gap is too large for a comparison in floats."""
    if gap > MAX_RELATIVE_GAP * float(np.asarray(counts, dtype=float) @ np.ptp(rows, axis=1)):
        raise NotEnumerable(f"the best decision in hindsight is known to {gap:.1g} only")


def least_loss_in_floats(rows: np.ndarray, counts: Sequence[int] | np.ndarray, loss: DecisionLoss) -> float:
    """Return the least total loss of a fixed decision in floats; NotEnumerable if it is too inaccurate to compare."""
    p, gap = best_decision(rows, counts, loss)
    require_small_gap(rows, counts, gap)
    return float(np.asarray(counts, dtype=float) @ loss.value(p, rows))


def _vertex_log_growth(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights @ np.log1p(rows)


def _gradient(rows: np.ndarray, weights: np.ndarray, p: np.ndarray) -> np.ndarray:
    return -((weights / (1 + rows @ p)) @ rows)


def _value(rows: np.ndarray, weights: np.ndarray, p: np.ndarray) -> float:
    return float(-(weights @ np.log1p(rows @ p)))


def _newton(rows: np.ndarray, weights: np.ndarray, p: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Return the minimiser of the quadratic model over the active clients, or a damped step that lowers the loss."""
    from fltheory.games.simplex_qp import solve_dense

    part, growth = rows[:, active], 1 + rows @ p
    hessian = (part * (weights / growth**2)[:, None]).T @ part
    gradient = -((weights / growth) @ part)
    ridge = 1e-13 * np.trace(hessian)
    hessian = hessian + ridge * np.eye(len(active))
    found, _ = solve_dense(hessian[None], (gradient - hessian @ p[active])[None], p[active][None])
    target = np.zeros_like(p)
    target[active] = found[0]
    before, step = _value(rows, weights, p), 1.0
    while step > 1e-4 and _value(rows, weights, p + step * (target - p)) > before:
        step /= 2
    moved = p + step * (target - p)
    return moved / moved.sum()


# In balls -----------------------------------------------------------------------------------------------------


def least_loss(rows: np.ndarray, counts: Sequence[int], loss: DecisionLoss, start: np.ndarray) -> arb:
    """Enclose the least total loss of a fixed decision; ``rows`` (n, clients) are balls, ``start`` is near the best."""
    spend_on(rows.size, exact=True)
    times = object_array([arb(n) for n in counts], (len(counts),))
    if loss == LINEAR:
        totals = -(times[:, None] * rows).sum(axis=0)
        return smallest_ball(totals)
    p = _refine_in_balls(rows, times, start)
    gradient = (times[:, None] * loss.gradient(p, rows)).sum(axis=0)
    gap = (gradient * p).sum() - smallest_ball(gradient)
    value = (times * loss.value(p, rows)).sum()
    return value.union(value - gap.union(arb(0)))


def smallest_ball(values: np.ndarray) -> arb:
    """Enclose the minimum of balls."""
    found = values[0]
    for value in values[1:]:
        found = found.min(value)
    return found


def exact_simplex_point(p: np.ndarray) -> np.ndarray:
    """Return balls for a decision exactly on the simplex: the largest entry is adjusted to make the sum 1."""
    found = object_array([arb(max(0.0, float(v))) for v in p], p.shape)
    top = int(p.argmax())
    rest = sum((v for i, v in enumerate(found) if i != top), arb(0))
    found[top] = 1 - rest
    return found


def _refine_in_balls(rows: np.ndarray, times: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Refine by Newton steps at the working precision on the clients with weight, while they are well defined."""
    floats = np.where(start > WEIGHT_CUTOFF, start, 0.0)
    p = exact_simplex_point(floats / floats.sum())
    free = _distinct_clients(rows, np.flatnonzero(floats))
    if len(free) < 2:
        return p
    gathered = np.zeros_like(floats)
    for client in np.flatnonzero(floats):
        gathered[_same_response_index(rows, free, int(client))] += floats[client]
    p = exact_simplex_point(gathered / gathered.sum())
    last, others = free[-1], free[:-1]
    slopes = rows[:, others] - rows[:, [last]]  # directions in the simplex: weight leaves the last client
    for _ in range(REFINEMENT_STEPS):
        growth = 1 + (rows * p).sum(axis=1)
        gradient = -(slopes * (times / growth)[:, None]).sum(axis=0)
        hessian = [
            [(slopes[:, i] * slopes[:, j] * times / (growth * growth)).sum() for j in range(len(others))]
            for i in range(len(others))
        ]
        try:
            step = arb_mat(hessian).solve(arb_mat([[-g] for g in gradient]))
        except ZeroDivisionError:  # a flat direction: the gap still certifies the decision
            return p
        moved = [p[i] + step[k, 0] for k, i in enumerate(others)]
        if not all(v.is_finite() and v.mid() > 0 for v in moved) or not sum((v.mid() for v in moved), arb(0)) < 1:
            return p
        q: np.ndarray = np.full(len(p), arb(0), dtype=object)
        for i, v in zip(others, moved, strict=True):
            q[i] = v.mid()
        q[last] = 1 - sum((q[i] for i in others), arb(0))
        p = q
    return p


def _distinct_clients(rows: np.ndarray, clients: np.ndarray) -> list[int]:
    """Return the first client of each group with identical responses."""
    found: dict[Any, int] = {}
    for i in clients:
        found.setdefault(tuple(str(v) for v in rows[:, i]), int(i))
    return list(found.values())


def _same_response_index(rows: np.ndarray, free: list[int], client: int) -> int:
    key = [str(v) for v in rows[:, client]]
    return next(i for i in free if [str(v) for v in rows[:, i]] == key)
