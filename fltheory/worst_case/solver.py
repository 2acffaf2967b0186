"""What a solver proposes, in floats: multipliers of the limits, and a Gram matrix with values. Nothing here is trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq
from scipy.sparse import csc_matrix, eye_array, vstack

from fltheory.worst_case.gram import Expression, Value
from fltheory.worst_case.problem import Problem

ROOT = math.sqrt(2)


class NoSolver(ValueError):
    """The solver is not installed."""


class Unsolved(ValueError):
    """The solver found no worst case."""


@dataclass(frozen=True)
class Proposal:
    """Multipliers of the limits, a Gram matrix of the whole basis and values, all about optimal; ``value`` of both."""

    value: float
    multipliers: np.ndarray
    gram: np.ndarray
    values: Mapping[Value, float]


@dataclass(frozen=True)
class Table:
    """The problem in floats: a column for every limit, rows for the values and for the entries of the Gram matrix."""

    kept: tuple[int, ...]  # the basis without the last h, which can be 0
    linear: csc_matrix
    entries: csc_matrix
    goal_linear: np.ndarray
    goal_entries: np.ndarray
    cost: np.ndarray  # minus the limits' constants


def tabled(problem: Problem) -> Table:
    """The problem's table."""
    kept = kept_of(problem)
    place = {index: i for i, index in enumerate(kept)}
    rows = {name: i for i, name in enumerate(problem.values)}
    n = len(kept)
    limits = [limit for _, limit in problem.limits]

    def filled(expressions: list[Expression]) -> tuple[csc_matrix, csc_matrix]:
        linear, entries = _Entries(), _Entries()
        for k, expression in enumerate(expressions):
            for name, c in expression.values.items():
                linear.add(rows[name], k, _float(c))
            for (i, j), c in expression.products.items():
                if i in place and j in place:
                    a, b = sorted((place[i], place[j]))
                    entries.add(b * (b + 1) // 2 + a, k, _float(c) / (1 if a == b else ROOT))
        count = len(expressions)
        return linear.matrix(len(rows), count), entries.matrix(n * (n + 1) // 2, count)

    linear, entries = filled(limits)
    goal_linear, goal_entries = filled([problem.objective])
    cost = np.array([-_float(limit.constant) for limit in limits])
    return Table(kept, linear, entries, goal_linear.toarray()[:, 0], goal_entries.toarray()[:, 0], cost)


class _Entries:
    """Entries of a sparse matrix."""

    def __init__(self) -> None:
        self.rows, self.columns, self.numbers = list[int](), list[int](), list[float]()

    def add(self, row: int, column: int, number: float) -> None:
        self.rows.append(row)
        self.columns.append(column)
        self.numbers.append(number)

    def matrix(self, rows: int, columns: int) -> csc_matrix:
        return csc_matrix((self.numbers, (self.rows, self.columns)), shape=(rows, columns))


def kept_of(problem: Problem) -> tuple[int, ...]:
    """The basis without h_M: all that is stated depends on differences of the h, so one of them may be 0."""
    return tuple(i for i in range(problem.size) if i != problem.n_clients)


def _float(c: fmpq) -> float:
    return int(c.p) / int(c.q)


def proposed(problem: Problem, room: float) -> Proposal:
    """Both sides of the worst case, about optimal; Unsolved where it has no limit.

    Every limit, multiplier and eigenvalue is kept on the right side with so much ``room``, so that both sides can be
    rounded; that is how far they are from optimal, about.
    """
    table = tabled(problem)
    n_limits, size = len(table.cost), len(table.kept)
    matrix = vstack([table.linear, -eye_array(n_limits), -table.entries], format="csc")
    right = np.concatenate([table.goal_linear, np.full(n_limits, -room), -table.goal_entries - room * _units(size)])
    solved = _solved(table.cost - room, matrix, right, (len(table.goal_linear), n_limits, size))
    if "Solved" not in str(solved.status):
        raise Unsolved(f"the solver stopped with {solved.status}: the worst case may have no limit")
    z = np.array(solved.z)
    first = len(table.goal_linear)
    gram = np.zeros((problem.size, problem.size))
    gram[np.ix_(table.kept, table.kept)] = _square(z[first + n_limits :], size)
    values = dict(zip(problem.values, (-z[:first]).tolist(), strict=True))
    value = float(table.cost @ solved.x) + _float(problem.objective.constant)
    return Proposal(value, np.array(solved.x), gram, values)


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


def _solved(cost: np.ndarray, matrix: Any, right: np.ndarray, cones: tuple[int, int, int]) -> Any:
    """min cost x with right - matrix x in zeros, nonnegative numbers, and a semidefinite triangle."""
    try:
        import clarabel
    except ImportError:
        raise NoSolver("finding a worst case needs the extra `find` (pip install 'fltheory[find]')") from None
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    zeros, nonnegative, size = cones
    kinds = [clarabel.ZeroConeT(zeros), clarabel.NonnegativeConeT(nonnegative), clarabel.PSDTriangleConeT(size)]
    empty = csc_matrix((len(cost), len(cost)))
    return clarabel.DefaultSolver(empty, cost, csc_matrix(matrix), right, kinds, settings).solve()
