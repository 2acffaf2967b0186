"""The dual system at one point of the region: a semidefinite program in floats, and its exact face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fltheory.proving.multipliers.search.sampling import Point
from fltheory.proving.multipliers.system import Part, System
from fltheory.work import spend

SINGULAR = 1e-7  # room below which the rest counts as singular everywhere
INFEASIBLE, DOUBTFUL = -1e-5, -1e-6  # room below which no multipliers exist, or a candidate is kept
STATUSES = ("Solved", "AlmostSolved", "InsufficientProgress")  # whose result is looked at
CHANCE, ANY = 0.3, 30.0  # of a denominator, relative to those of which there is one near every number
MOST = 1e6  # of a multiplier


@dataclass(frozen=True)
class Numbers:
    """A dual system at a point, exact and in floats: the goal and the candidates."""

    point: Point
    goal: tuple[np.ndarray, np.ndarray]
    parts: tuple[np.ndarray, np.ndarray]  # matrices (candidates, size, size), linear parts (candidates, numbers)
    free: np.ndarray


@dataclass(frozen=True)
class Solved:
    """Multipliers on a support, the rest, and how far the rest is from singular (negative: no multipliers exist)."""

    weights: np.ndarray
    rest: np.ndarray
    room: float


def solver() -> Any:
    """Return the solver's module; ImportError that names the extra if it is not installed."""
    try:
        import clarabel
    except ImportError as error:
        raise ImportError(
            "the search for multipliers needs a solver: install the extra 'find' (pip install 'fltheory[find]')"
        ) from error
    return clarabel


def numbers_at(system: System, point: Point) -> Numbers:
    """Return the system at a point; ZeroDivisionError at a pole of a coefficient."""
    size, count = len(system.vectors), len(system.numbers)

    def read(part: Part) -> tuple[np.ndarray, np.ndarray]:
        matrix, linear = np.zeros((size, size)), np.zeros(count)
        for (i, j), c in part.matrix.items():
            matrix[i, j] = matrix[j, i] = as_float(c.at(point))
        for a, c in part.linear.items():
            linear[a] = as_float(c.at(point))
        return matrix, linear

    found = [read(p) for p in system.parts]
    matrices = np.array([m for m, _ in found]).reshape(len(found), size, size)
    linear = np.array([v for _, v in found]).reshape(len(found), count)
    return Numbers(point, read(system.goal), (matrices, linear), np.array([c.free for c in system.candidates], bool))


def as_float(value: fmpq) -> float:
    """Return the float next to a rational."""
    return int(value.p) / int(value.q)


def solve(
    numbers: Numbers, support: Sequence[int], cost: np.ndarray | None = None, null: np.ndarray | None = None
) -> Solved | None:
    """Return multipliers whose rest has the most room, or, with a cost, the cheapest ones; None if the solver finds none.

    On the columns of ``null``, where the rest is known to vanish, no room is asked for.
    """
    places = list(support)
    matrices, linear = numbers.parts[0][places], numbers.parts[1][places]
    n, size = len(places), len(numbers.goal[0])
    spend(0.3 + n * size * (size + 1) / 2_000 + (n + size * size) ** 2 / 20_000)
    fixed, wanted = linear.T, numbers.goal[1]
    if null is not None:
        fixed = np.vstack([fixed, (matrices @ null).reshape(n, null.size).T])
        wanted = np.concatenate([wanted, (numbers.goal[0] @ null).ravel()])
    basis = np.eye(size) if null is None else _complement(null)
    signed = [k for k in range(n) if not numbers.free[places[k]]]
    x = _run(
        (fixed, wanted),
        signed,
        basis.T @ matrices @ basis,
        basis.T @ numbers.goal[0] @ basis,
        room=cost is None,
        cost=cost,
    )
    if x is None:
        return None
    off = linear.T @ x[:n] - numbers.goal[1]
    if np.abs(off).max(initial=0.0) > 1e-5 * (1 + np.abs(numbers.goal[1]).max(initial=0.0)):
        return None
    rest = numbers.goal[0] - np.tensordot(x[:n], matrices, 1)
    return Solved(x[:n], rest, float(x[n]))


def _run(
    equations: tuple[np.ndarray, np.ndarray],
    signed: Sequence[int],
    matrices: np.ndarray,
    goal: np.ndarray,
    room: bool,
    cost: np.ndarray | None,
) -> np.ndarray | None:
    """Return the multipliers and the room that a solver finds, the latter 0 unless it is asked for."""
    from scipy.sparse import csc_matrix

    clarabel, n, rank = solver(), len(matrices), len(goal)
    fixed, wanted = np.column_stack([equations[0], np.zeros(len(equations[0]))]), equations[1]
    if not room:
        fixed, wanted = np.vstack([fixed, np.eye(1, n + 1, n)]), np.append(wanted, 0.0)
    lower, limits = np.zeros((len(signed), n + 1)), np.zeros((2, n + 1))
    lower[range(len(signed)), signed] = -1
    limits[0, n], limits[1, list(signed)] = 1, 1
    upper = [(i, j) for j in range(rank) for i in range(j + 1)]
    scale = np.array([1.0 if i == j else np.sqrt(2) for i, j in upper])
    packed = np.array([[m[i, j] for i, j in upper] for m in matrices]).reshape(n, len(upper)) * scale
    unit = np.array([float(i == j) for i, j in upper])
    rows = [fixed, lower, limits, np.column_stack([packed.T, unit])]
    sides = [wanted, np.zeros(len(signed)), np.array([1.0, MOST]), np.array([goal[i, j] for i, j in upper]) * scale]
    cones = [clarabel.ZeroConeT(len(fixed))] if len(fixed) else []
    cones += [clarabel.NonnegativeConeT(len(signed) + 2)]
    cones += [clarabel.PSDTriangleConeT(rank)] if rank else []
    q = np.append(np.zeros(n) if cost is None else cost, -1.0 if room else 0.0)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    table, side = csc_matrix(np.vstack([r for r in rows if r.size])), np.concatenate(sides)
    found = clarabel.DefaultSolver(csc_matrix((n + 1, n + 1)), q, table, side, cones, settings).solve()
    return np.array(found.x) if str(found.status) in STATUSES else None


def _complement(null: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the complement of the columns."""
    left, values, _ = np.linalg.svd(null)
    rank = int((values > 1e-12 * values.max(initial=1.0)).sum()) if null.size else 0
    return left[:, rank:]


def null_vectors(
    rest: np.ndarray, least: float, within: float, chance: float = CHANCE
) -> tuple[tuple[fmpq, ...], ...] | None:
    """Return a basis in echelon form of what the rest nearly vanishes on, in small rationals; None if it has none such."""
    roots, directions = np.linalg.eigh(rest)
    chosen = directions[:, roots < least * max(1.0, np.abs(roots).max(initial=0.0))].T
    found = list[tuple[fmpq, ...]]()
    for row in _echelon(chosen)[0]:
        own = [recognised(float(v), within, chance) for v in row]
        if any(v is None for v in own):
            return None
        found.append(tuple(v for v in own if v is not None))
    return tuple(found)


def _echelon(rows: np.ndarray) -> tuple[np.ndarray, list[int]]:
    rows, pivots = rows.copy(), list[int]()
    for column in range(rows.shape[1]):
        place = len(pivots)
        if place == len(rows):
            break
        best = place + int(np.abs(rows[place:, column]).argmax())
        if abs(rows[best, column]) < 1e-3:
            continue
        rows[[place, best]] = rows[[best, place]]
        rows[place] /= rows[place, column]
        for i in range(len(rows)):
            if i != place:
                rows[i] -= rows[i, column] * rows[place]
        pivots.append(column)
    return rows, pivots


def recognised(value: float, within: float, chance: float = CHANCE) -> fmpq | None:
    """Return the rational of smallest denominator within a distance, by continued fractions.

    None if its denominator is more than ``chance`` of that at which some rational is as near to every number.
    """
    if not np.isfinite(value):
        return None
    most = chance / np.sqrt(within * max(1.0, abs(value)))
    p0, q0, p1, q1, x = 0, 1, 1, 0, value
    for _ in range(40):
        whole = int(np.floor(x))
        p0, q0, p1, q1 = p1, q1, whole * p1 + p0, whole * q1 + q0
        if q1 > most:
            return None
        if abs(p1 / q1 - value) <= within * max(1.0, abs(value)):
            return fmpq(p1, q1)
        if x == whole:
            return None
        x = 1 / (x - whole)
    return None
