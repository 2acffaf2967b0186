"""Small linear programs over the rationals: float solutions, repaired by exact linear algebra and checked exactly.

The program is min c.z subject to a.z >= 0 for every row a, and z[unit] = 1. Multipliers y >= 0 with c = sum_i y_i a_i +
low e_unit prove the lower limit ``low``; a feasible point gives an upper one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from scipy.optimize import linprog
from scipy.sparse import csc_array

Vector = Mapping[int, Fraction]  # sparse: index -> nonzero entry
DENOMINATORS = (12, 360, 27720, 10**6)  # denominators to try before an exact solution
TOLERANCES = (1e-9, 1e-7, 1e-11, 1e-5)
MARGIN = Fraction(1, 10**6)


class Unbounded(ValueError):
    """The objective has no lower limit."""


@dataclass(frozen=True)
class Program:
    """Minimise objective.z subject to row.z >= 0 for every row, and z[unit] = 1; z has ``size`` entries."""

    objective: Vector
    rows: tuple[Vector, ...]
    unit: int
    size: int

    def residual(self, low: Fraction | None, multipliers: Vector) -> dict[int, Fraction]:
        """Return objective - low e_unit - sum_i y_i row_i; with low None, -e_unit - sum_i y_i row_i."""
        left = {self.unit: Fraction(-1)} if low is None else dict(self.objective)
        if low is not None:
            left[self.unit] = left.get(self.unit, Fraction(0)) - low
        for i, y in multipliers.items():
            for v, a in self.rows[i].items():
                left[v] = left.get(v, Fraction(0)) - y * a
        return {v: c for v, c in left.items() if c}

    def is_proof(self, low: Fraction | None, multipliers: Vector) -> bool:
        """Return whether the multipliers prove the lower limit (None: that no point is feasible)."""
        return all(y >= 0 for y in multipliers.values()) and not self.residual(low, multipliers)

    def is_feasible(self, z: Sequence[Fraction]) -> bool:
        """Return whether the point satisfies every constraint."""
        return z[self.unit] == 1 and all(dot(row, z) >= 0 for row in self.rows)


@dataclass(frozen=True)
class Proof:
    """Multipliers that prove the lower limit, or (low None) that no point is feasible; ``near`` in floats."""

    low: Fraction | None
    multipliers: Vector
    near: tuple[float, ...]


def dot(row: Vector, z: Sequence[Fraction]) -> Fraction:
    """Return the scalar product."""
    return sum((a * z[v] for v, a in row.items()), Fraction(0))


def prove(program: Program) -> Proof:
    """Return the best lower limit with its multipliers; Unbounded if there is none. Every proof is checked exactly."""
    y, low, point = _dual(program, program.objective, free=True)
    if y is None:
        y, _, _ = _dual(program, {program.unit: Fraction(-1)}, free=False)
        if y is None:
            raise Unbounded("the objective has no lower limit")
        for _, multipliers in _rational_multipliers(program, y, None):
            return Proof(None, multipliers, ())
        raise ArithmeticError("no exact proof that the linear program is infeasible")
    for exact_low, multipliers in _rational_multipliers(program, y, low):
        return Proof(exact_low, multipliers, tuple(point))
    return prove_weaker(program, low, tuple(point))


def attain(program: Program, proof: Proof) -> list[Fraction] | None:
    """Return the best feasible point found near the floats of the proof; None if none is found."""
    best: list[Fraction] | None = None
    for z in _rational_points(program, proof):
        if program.is_feasible(z) and (best is None or dot(program.objective, z) < dot(program.objective, best)):
            best = z
            if dot(program.objective, z) == proof.low:
                break
    return best


def _dual(program: Program, objective: Vector, free: bool) -> tuple[Any, float, Any]:
    """Maximise low in floats subject to sum_i y_i row_i + low e_unit = objective, y >= 0 (``free`` false: low = 0)."""
    columns = [*program.rows, {program.unit: Fraction(1)}]
    count = len(program.rows)
    bounds = [(0, None)] * count + [(None, None) if free else (0, 0)]
    solution = _minimise([0.0] * count + [-1.0], columns, objective, program.size, bounds)
    if solution.status != 0:
        return None, 0.0, None
    return solution.x[:count], float(solution.x[-1]), -solution.eqlin.marginals


def _minimise(cost: list[float], columns: Sequence[Vector], right: Vector, size: int, bounds: list[Any]) -> Any:
    """Minimise cost.x in floats subject to sum_j x_j columns[j] = right and bounds on x."""
    row, column, value = zip(*[(v, j, float(a)) for j, c in enumerate(columns) for v, a in c.items()], strict=True)
    matrix = csc_array((value, (row, column)), shape=(size, len(columns)))
    wanted = np.zeros(size)
    for v, c in right.items():
        wanted[v] = float(c)
    return linprog(cost, A_eq=matrix, b_eq=wanted, bounds=bounds, method="highs-ds")


def _rational_multipliers(
    program: Program, y: np.ndarray, low: float | None
) -> Iterator[tuple[Fraction, dict[int, Fraction]]]:
    """Yield proofs with rational multipliers: rounded ones, then the exact solutions on the support."""
    for grain in DENOMINATORS:
        rounded = {int(i): Fraction(float(y[i])).limit_denominator(grain) for i in np.flatnonzero(y > 1e-9)}
        limit = None if low is None else Fraction(low).limit_denominator(grain)
        if program.is_proof(limit, rounded):
            yield limit or Fraction(0), {i: c for i, c in rounded.items() if c}
    objective = {program.unit: Fraction(-1)} if low is None else program.objective
    for tolerance in TOLERANCES:
        support = [int(i) for i in np.flatnonzero(y > tolerance)]
        columns = [program.rows[i] for i in support] + ([] if low is None else [{program.unit: Fraction(1)}])
        found = solve(columns, objective)
        if found is not None:
            solved = dict(zip(support, found, strict=False))
            limit = None if low is None else found[-1]
            if program.is_proof(limit, solved):
                yield limit or Fraction(0), {i: c for i, c in solved.items() if c}


def _rational_points(program: Program, proof: Proof) -> Iterator[list[Fraction]]:
    """Yield rational points near the floats: rounded ones, then exact solutions of the tight rows."""
    for grain in DENOMINATORS:
        yield [Fraction(v).limit_denominator(grain) for v in proof.near]
    near = np.array(proof.near)
    for tolerance in TOLERANCES:
        tight = [
            i for i, row in enumerate(program.rows) if abs(sum(float(a) * near[v] for v, a in row.items())) < tolerance
        ]
        rows: list[Vector] = [program.rows[i] for i in tight] + [{program.unit: Fraction(1)}]
        columns: list[dict[int, Fraction]] = [{} for _ in range(program.size)]
        for i, row in enumerate(rows):
            for v, a in row.items():
                columns[v][i] = a
        # The nearest point to the floats under the tight rows: free coordinates keep their rounded values.
        start = [Fraction(float(v)).limit_denominator(DENOMINATORS[-1]) for v in near]
        gaps = {i: (i == len(rows) - 1) - dot(row, start) for i, row in enumerate(rows)}
        moves = solve(columns, {i: g for i, g in gaps.items() if g})
        if moves is not None:
            yield [a + b for a, b in zip(start, moves, strict=True)]


def solve(columns: Sequence[Vector], right: Vector) -> list[Fraction] | None:
    """Return the exact solution of sum_j x_j columns[j] = right, free unknowns 0; None if there is none."""
    indices = sorted({v for column in [*columns, right] for v in column})
    if not indices:
        return [Fraction(0)] * len(columns)
    place = {v: i for i, v in enumerate(indices)}
    width = len(columns) + 1
    table = [[fmpq(0)] * width for _ in indices]
    for j, column in enumerate([*columns, right]):
        for v, a in column.items():
            table[place[v]][j] = fmpq(a.numerator, a.denominator)
    reduced, rank = fmpq_mat(table).rref()
    solution = [Fraction(0)] * len(columns)
    for i in range(rank):
        pivot = next(j for j in range(width) if reduced[i, j] != 0)
        if pivot == len(columns):
            return None
        last = reduced[i, width - 1]
        solution[pivot] = Fraction(int(last.p), int(last.q))
    return solution


def prove_weaker(program: Program, low: float, near: tuple[float, ...], margin: Fraction = MARGIN) -> Proof:
    """Prove a limit slightly below the floats' one, by positive multipliers that can be repaired."""
    count = len(program.rows)
    total: dict[int, Fraction] = {}
    for row in program.rows:
        for v, a in row.items():
            total[v] = total.get(v, Fraction(0)) + a
    # multipliers y_i + s, the least of them, s, as large as the limit allows
    columns: list[Vector] = [*program.rows, total, {program.unit: Fraction(1)}]
    bounds = [(0, None)] * count + [(0, 1), (low - float(margin), None)]
    cost = [0.0] * count + [-1.0, 0.0]
    found = _minimise(cost, columns, program.objective, program.size, bounds)
    if found.status == 0:
        least = float(found.x[count])
        multipliers = [Fraction(float(y) + least).limit_denominator(10**12) for y in found.x[:count]]
        limit = Fraction(float(found.x[-1])).limit_denominator(10**12)
        repair = solve([*program.rows, columns[-1]], program.residual(limit, dict(enumerate(multipliers))))
        if repair is not None:
            repaired = {i: y + dy for i, (y, dy) in enumerate(zip(multipliers, repair, strict=False))}
            if program.is_proof(limit + repair[-1], repaired):
                return Proof(limit + repair[-1], {i: y for i, y in repaired.items() if y}, near)
    raise ArithmeticError("no exact proof of the linear program's value was found")
