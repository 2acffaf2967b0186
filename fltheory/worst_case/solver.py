"""What a solver proposes, in floats: multipliers of the limits, and a Gram matrix with values. Nothing here is trusted."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, eye_array, vstack

from fltheory.worst_case.frames import ROOT, Frame, as_float
from fltheory.worst_case.gram import Expression, Value
from fltheory.worst_case.problem import APART, Problem


class NoSolver(ValueError):
    """The solver is not installed."""


class Unsolved(ValueError):
    """The solver found no worst case."""


class Stuck(Unsolved):
    """The solver came to no end: with more room it may."""


@dataclass(frozen=True)
class Proposal:
    """Multipliers of the frame's labels, a matrix for each of its blocks and values, all about optimal; ``value`` of both."""

    value: float
    multipliers: np.ndarray
    blocks: tuple[np.ndarray, ...]
    values: Mapping[Value, float]


@dataclass(frozen=True)
class Table:
    """The problem in floats: a column for every limit, rows for the values and for the entries of the forms."""

    sizes: tuple[int, ...]
    names: tuple[Value, ...]
    linear: csc_matrix
    entries: csc_matrix
    goal_linear: np.ndarray
    goal_entries: np.ndarray
    cost: np.ndarray  # minus the limits' constants
    signed: np.ndarray  # the limits whose multipliers are at least 0: all but equations
    constant: float


def tabled(problem: Problem, frame: Frame) -> Table:
    """The problem's table."""
    limits = [problem.limit(label) for label in frame.labels]
    names: dict[Value, int] = {}
    for expression in (problem.objective, *limits):
        for name in frame.values(expression):
            names.setdefault(name, len(names))
    entries = frame.packed([*limits, problem.objective])
    linear = _linear(frame, [*limits, problem.objective], names)
    cost = np.array([-as_float(limit.constant) for limit in limits])
    goal_linear, goal_entries = (m[:, [-1]].toarray()[:, 0] for m in (linear, entries))
    constant = as_float(problem.objective.constant)
    signed = np.flatnonzero([label[0] != APART for label in frame.labels])
    rows, whole = linear[:, :-1], entries[:, :-1]
    return Table(frame.sizes, tuple(names), rows, whole, goal_linear, goal_entries, cost, signed, constant)


def _linear(frame: Frame, expressions: Sequence[Expression], names: Mapping[Value, int]) -> csc_matrix:
    """The coefficients of values."""
    found = [(names[v], k, as_float(c)) for k, e in enumerate(expressions) for v, c in frame.values(e).items()]
    rows, columns, numbers = zip(*found, strict=True) if found else ((), (), ())
    return csc_matrix((numbers, (rows, columns)), shape=(len(names), len(expressions)))


def proposed(table: Table, room: float) -> Proposal:
    """Both sides of the worst case, about optimal; Unsolved where it has no limit.

    Every limit, multiplier and eigenvalue is kept on the right side with so much ``room``, so that both sides can be
    rounded; that is how far they are from optimal, about.
    """
    n_limits, n_signed, first = len(table.cost), len(table.signed), len(table.goal_linear)
    matrix = vstack([table.linear, -eye_array(n_limits, format="csr")[table.signed], -table.entries], format="csc")
    units = np.concatenate([_units(size) for size in table.sizes])
    right = np.concatenate([table.goal_linear, np.full(n_signed, -room), -table.goal_entries - room * units])
    cost = table.cost.copy()
    cost[table.signed] -= room
    solved = _solved(cost, matrix, right, (first, n_signed, table.sizes))
    if "Solved" not in str(solved.status):
        kind = Unsolved if str(solved.status) in ("PrimalInfeasible", "DualInfeasible") else Stuck
        raise kind(f"the solver stopped with {solved.status}: the worst case may have no limit")
    z = np.array(solved.z)
    parts = list(itertools.accumulate((size * (size + 1) // 2 for size in table.sizes), initial=first + n_signed))
    blocks = (_square(z[a:b], size) for (a, b), size in zip(itertools.pairwise(parts), table.sizes, strict=True))
    values = dict(zip(table.names, (-z[:first]).tolist(), strict=True))
    return Proposal(float(table.cost @ solved.x) + table.constant, np.array(solved.x), tuple(blocks), values)


def _units(size: int) -> np.ndarray:
    """The unit matrix as a packed upper triangle."""
    found = np.zeros(size * (size + 1) // 2)
    found[[i * (i + 3) // 2 for i in range(size)]] = 1
    return found


def _square(packed: np.ndarray, size: int) -> np.ndarray:
    """The symmetric matrix of a packed upper triangle."""
    found = np.zeros((size, size))
    column, row = np.tril_indices(size)
    found[row, column] = packed / np.where(row == column, 1, ROOT)
    return found + np.triu(found, 1).T


def _solved(cost: np.ndarray, matrix: Any, right: np.ndarray, cones: tuple[int, int, tuple[int, ...]]) -> Any:
    """min cost x with right - matrix x in zeros, nonnegative numbers, and semidefinite triangles."""
    try:
        import clarabel
    except ImportError:
        raise NoSolver("finding a worst case needs the extra `find` (pip install 'fltheory[find]')") from None
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    zeros, nonnegative, sizes = cones
    triangles = [clarabel.PSDTriangleConeT(size) for size in sizes]
    kinds = [clarabel.ZeroConeT(zeros), clarabel.NonnegativeConeT(nonnegative), *triangles]
    empty = csc_matrix((len(cost), len(cost)))
    return clarabel.DefaultSolver(empty, cost, csc_matrix(matrix), right, kinds, settings).solve()
