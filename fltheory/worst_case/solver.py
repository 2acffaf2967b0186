"""Solver output in floats: multipliers of the limits, and a Gram matrix with values. None of it is trusted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from flint import fmpq
from scipy.sparse import csc_matrix, eye_array, vstack

from fltheory.work import seconds_left, spend
from fltheory.worst_case.gram import Expression, Value, as_float
from fltheory.worst_case.problem import FREE_SIGN_KINDS, LEAST, MATRIX_KINDS, Label
from fltheory.worst_case.problem.program import GramProgram
from fltheory.worst_case.symbolic_run import START_INDEX
from fltheory.worst_case.symmetry_reduction import ROOT_TWO, Frame

MAX_BYTES = 8 * 2**30  # bytes
ITERATIONS, OPERATIONS, MIN_CALL_UNITS = (30, 1e7, 2.0)  # of a call; multiplications per unit of work; least units


class NoSolver(ValueError):
    """The solver is not installed."""


class Unsolved(ValueError):
    """The solver found no worst case."""


class SolverStuck(Unsolved):
    """The solver found neither a worst case nor that there is none."""


@dataclass(frozen=True)
class Proposal:
    """Near-optimal multipliers of the frame's labels, a matrix for each block, and values; ``value`` is the objective.

    The matrices are in ``units`` of the basis: multiply an entry by those of its row and column.
    """

    value: float
    multipliers: np.ndarray
    blocks: tuple[np.ndarray, ...]
    values: Mapping[Value, float]
    units: np.ndarray

    def towards(self, other: Proposal, part: float) -> Proposal:
        """Return a point on the line to another proposal."""
        blocks = tuple(a + part * (b - a) for a, b in zip(self.blocks, other.blocks, strict=True))
        values = {name: v + part * (other.values[name] - v) for name, v in self.values.items()}
        multipliers = self.multipliers + part * (other.multipliers - self.multipliers)
        return Proposal(self.value + part * (other.value - self.value), multipliers, blocks, values, self.units)


@dataclass(frozen=True)
class SolverTable:
    """The problem in floats: a column for every limit, rows for the values and for the entries of the forms.

    Lengths and gradients are scaled to the problem's own units, so that the units of its constants matter little.
    """

    sizes: tuple[int, ...]
    names: tuple[Value, ...]
    linear: csc_matrix
    entries: csc_matrix
    goal_linear: np.ndarray
    goal_entries: np.ndarray
    cost: np.ndarray  # minus the limits' constants
    signed: np.ndarray  # limits whose multipliers are at least 0: all but equations and matrices
    squares: tuple[
        np.ndarray, ...
    ]  # limits whose multipliers form a nonnegative matrix, its upper triangle column by column
    constant: float
    whole: float  # unit of the objective
    weights: np.ndarray  # units of the multipliers
    heights: np.ndarray  # units of the values
    units: np.ndarray  # units of the vectors of the basis


def make_table(problem: GramProgram, frame: Frame) -> SolverTable:
    """Return the problem's table."""
    scale = _units(problem)
    limits = [scale.told(problem.limit(label)) for label in frame.labels]
    weights = _weights(frame.labels, limits)
    limits = [limit.times(weight) for limit, weight in zip(limits, weights, strict=True)]
    objective = scale.told(problem.objective)
    whole = _power(objective)
    objective = objective.times(1 / whole)
    names: dict[Value, int] = {}
    for expression in (objective, *limits):
        for name in frame.values(expression):
            names.setdefault(name, len(names))
    entries = frame.packed([*limits, objective])
    linear = _linear(frame, [*limits, objective], names)
    cost = np.array([-as_float(limit.constant) for limit in limits])
    goal_linear, goal_entries = (m[:, [-1]].toarray()[:, 0] for m in (linear, entries))
    signed = np.flatnonzero([label[0] not in FREE_SIGN_KINDS for label in frame.labels])
    return SolverTable(
        frame.sizes,
        tuple(names),
        linear[:, :-1],
        entries[:, :-1],
        goal_linear,
        goal_entries,
        cost,
        signed,
        _matrix_places(frame.labels),
        as_float(objective.constant),
        as_float(whole),
        np.array([as_float(weight * whole) for weight in weights]),
        np.array([as_float(scale.of_value(name)) for name in names]),
        np.array([as_float(unit) for unit in scale.vectors]),
    )


def _matrix_places(labels: Sequence[Label]) -> tuple[np.ndarray, ...]:
    """Return the places of the labels of each matrix of multipliers."""
    found: dict[Hashable, list[int]] = {}
    for k, label in enumerate(labels):
        if label[0] in MATRIX_KINDS:
            found.setdefault(label[:2], []).append(k)
    return tuple(map(np.array, found.values()))


def _weights(labels: Sequence[Label], limits: Sequence[Expression]) -> list[fmpq]:
    """Return factors that bring limits near 1; for a matrix by rows and columns, so that it stays nonnegative."""
    found = [1 / _power(limit) for limit in limits]
    roots = {
        label[:3]: fmpq(2) ** math.floor(math.log2(as_float(weight)) / 2)
        for label, weight in zip(labels, found, strict=True)
        if label[0] in MATRIX_KINDS and label[2] == label[3]
    }
    for k, label in enumerate(labels):
        if label[0] in MATRIX_KINDS:
            kind, m, a, b = label
            found[k] = roots[kind, m, a] * roots[kind, m, b]
    return found


@dataclass(frozen=True)
class Units:
    """Units of each vector of the basis, of values, and of the least measured quantity; powers of 2."""

    vectors: tuple[fmpq, ...]
    height: fmpq
    least: fmpq

    def of_value(self, name: Value) -> fmpq:
        """Return the unit of a value; a tuple is a product with a free start."""
        if isinstance(name, tuple):
            return self.vectors[START_INDEX] * self.vectors[name[1]]
        return self.least if name == LEAST else self.height

    def told(self, expression: Expression) -> Expression:
        """Return the expression in quantities in these units."""
        products = {(i, j): c * self.vectors[i] * self.vectors[j] for (i, j), c in expression.products.items()}
        values = {name: c * self.of_value(name) for name, c in expression.values.items()}
        return Expression(products, values, expression.constant)


def _units(problem: GramProgram) -> Units:
    """Choose units in which the problem's own lengths and slopes are about 1."""
    length, slope = (_next(number) for number in problem.sizes)
    vectors = tuple(length if i == START_INDEX else slope for i in range(problem.size))
    of_gradients = any(limit.products and LEAST in limit.values for _, limit in problem.known)
    return Units(vectors, length * slope, slope * slope if of_gradients else length * slope)


def _next(number: float) -> fmpq:
    """Return the next larger power of 2."""
    return fmpq(2) ** math.ceil(math.log2(number))


def _power(expression: Expression) -> fmpq:
    """Return the power of 2 next to the largest coefficient; 1 if there is none."""
    numbers = [*expression.products.values(), *expression.values.values()]
    return _next(max((abs(as_float(c)) for c in numbers), default=1.0))


def _linear(frame: Frame, expressions: Sequence[Expression], names: Mapping[Value, int]) -> csc_matrix:
    """Return the coefficients of values."""
    found = [(names[v], k, as_float(c)) for k, e in enumerate(expressions) for v, c in frame.values(e).items()]
    rows, columns, numbers = zip(*found, strict=True) if found else ((), (), ())
    return csc_matrix((numbers, (rows, columns)), shape=(len(names), len(expressions)))


def require_memory(sizes: Sequence[int]) -> None:
    """Raise Unsolved if the solver needs more memory than is allowed: the square of the entries of each matrix."""
    needed = 8 * sum((size * (size + 1) // 2) ** 2 for size in sizes)
    if needed > MAX_BYTES:
        raise Unsolved(
            f"matrices of {max(sizes)} rows are too large for the solver (about {needed / 2**30:.0f} GiB of memory): "
            "ask of fewer clients, local steps or rounds"
        )


def propose(table: SolverTable, room: float, room_of_limits: float | None = None) -> Proposal:
    """Return near-optimal solutions of both sides of the worst case; Unsolved if it has no limit.

    Every limit, multiplier and eigenvalue keeps a margin ``room`` to its constraint, so that both sides can be
    rounded; their distance from the optimum is about the same. ``room_of_limits``: another margin for the limits.
    """
    within = room if room_of_limits is None else room_of_limits
    require_memory(table.sizes)
    n_limits, n_signed, first = len(table.cost), len(table.signed), len(table.goal_linear)
    each, matrices = eye_array(n_limits, format="csr"), [*_triangles(table)]
    rows = [
        table.linear,
        -each[table.signed],
        -table.entries,
        *(-each[at].multiply(by[:, None]) for at, by in matrices),
    ]
    units = np.concatenate([identity(size) for size in table.sizes])
    inside = [-room * (by == 1) for _, by in matrices]
    right = np.concatenate([table.goal_linear, np.full(n_signed, -room), -table.goal_entries - room * units, *inside])
    cost = table.cost.copy()
    cost[table.signed] -= within
    for at, by in matrices:
        cost[at[by == 1]] -= within
    sizes = (*table.sizes, *(_triangle_size(len(at)) for at, _ in matrices))
    cones: list[Cone] = [("zero", first), ("nonnegative", n_signed), *(("semidefinite", size) for size in sizes)]
    found = solve_cone_program(cost, vstack(rows, format="csc"), right, cones)
    status = str(found.status)
    if "Infeasible" in status:
        raise Unsolved(f"the solver stopped with {status}: the worst case may have no limit, be 0, or be beyond floats")
    if "Solved" not in status:
        raise SolverStuck(f"the solver stopped with {status}: no further progress")
    z = np.array(found.z)
    parts = list(itertools.accumulate((size * (size + 1) // 2 for size in table.sizes), initial=first + n_signed))
    blocks = (
        unpack_symmetric(z[a:b], size) for (a, b), size in zip(itertools.pairwise(parts), table.sizes, strict=True)
    )
    values = dict(zip(table.names, (-z[:first] * table.heights).tolist(), strict=True))
    value = (float(table.cost @ found.x) + table.constant) * table.whole
    return Proposal(value, np.array(found.x) * table.weights, tuple(blocks), values, table.units)


def _triangles(table: SolverTable) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return the limits of each matrix of multipliers, with 1 on its diagonal and the root of 2 off it."""
    for at in table.squares:
        yield at, np.where(identity(_triangle_size(len(at))) == 1, 1.0, ROOT_TWO)


def _triangle_size(entries: int) -> int:
    """Return the size of the matrix of a packed triangle."""
    return (math.isqrt(8 * entries + 1) - 1) // 2


def identity(size: int) -> np.ndarray:
    """Return the unit matrix as a packed upper triangle."""
    found = np.zeros(size * (size + 1) // 2)
    found[[i * (i + 3) // 2 for i in range(size)]] = 1
    return found


def unpack_symmetric(packed: np.ndarray, size: int) -> np.ndarray:
    """Return the symmetric matrix of a packed upper triangle."""
    found = np.zeros((size, size))
    column, row = np.tril_indices(size)
    found[row, column] = packed / np.where(row == column, 1, ROOT_TWO)
    return found + np.triu(found, 1).T


def _units_of(n: int, cones: Sequence[Cone]) -> float:
    """Return the units of work of a call: each iteration factors a matrix with a dense block per cone."""
    blocks = sum((size * (size + 1) // 2) ** 3 for kind, size in cones if kind == "semidefinite")
    return MIN_CALL_UNITS + ITERATIONS * (blocks + n**2 * MIN_CALL_UNITS) / OPERATIONS


Cone = tuple[Literal["zero", "nonnegative", "second order", "semidefinite"], int]


def solve_cone_program(
    cost: np.ndarray, matrix: Any, right: np.ndarray, cones: Sequence[Cone], tolerance: float = 1e-10
) -> Any:
    """Minimise cost x with right - matrix x in these stacked cones; a semidefinite one is a packed upper triangle."""
    try:
        import clarabel
    except ImportError:
        raise NoSolver("finding a worst case needs the extra `find` (pip install 'fltheory[find]')") from None
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    kinds = {
        "zero": clarabel.ZeroConeT,
        "nonnegative": clarabel.NonnegativeConeT,
        "second order": clarabel.SecondOrderConeT,
        "semidefinite": clarabel.PSDTriangleConeT,
    }
    spend(_units_of(len(cost), cones))
    settings.time_limit = min(settings.time_limit, seconds_left())  # a call cannot be interrupted from outside
    empty = csc_matrix((len(cost), len(cost)))
    each = [kinds[kind](size) for kind, size in cones]
    try:
        return clarabel.DefaultSolver(empty, cost, csc_matrix(matrix), right, each, settings).solve()
    except BaseException as error:  # its own failures are no Exception
        if type(error).__name__ != "PanicException":
            raise
        raise SolverStuck("the solver stopped with an error of its own") from None
