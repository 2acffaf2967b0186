"""Solutions of a program: exact Gram matrices and values that meet every limit, so that an instance of the problem has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from flint import fmpq, fmpq_mat

from fltheory.number.linear import is_semidefinite, nearby_solution
from fltheory.performance.solving.program import Program
from fltheory.worst_case.gram import Expression, Value, Vector
from fltheory.worst_case.lower_bounds import evaluate_expression, gram_factor, rational_matrix
from fltheory.worst_case.problem.labels import FREE_SIGN_KINDS, MATRIX_KINDS, Label
from fltheory.worst_case.solver import Proposal
from fltheory.worst_case.symmetry_reduction import WholeFrame

LIFTS = (1e-3, 0.03, 1.0)  # added to squares, relative to the margin


@dataclass(frozen=True)
class Solution:
    """A solution of a program: the exact Gram matrix of its vectors, and the unknown values."""

    gram: fmpq_mat = field(repr=False)
    values: Mapping[Value, fmpq] = field(repr=False)
    objective: fmpq


def solution_near(program: Program, frame: WholeFrame, proposal: Proposal, room: float) -> Solution | None:
    """Return the solution near a proposed Gram matrix, moved on to the equations; None if rounding fails."""
    values = {name: _round(proposal.values.get(name, 0.0)) for name in program.values}
    vectors = rational_matrix(gram_factor(frame.gram(proposal.blocks), proposal.units))
    gram = vectors * vectors.transpose()
    equations = [program.limit(label) for label in program.labels() if is_equation(label)]
    if not equations and not program.unlimited:
        return solution_at(program, gram, values)
    trace = float(np.trace(frame.gram(proposal.blocks)))
    found = (_lifted(program, frame, gram, values, equations, room * trace * part) for part in LIFTS)
    return next(filter(None, found), None)


def _lifted(
    program: Program,
    frame: WholeFrame,
    gram: fmpq_mat,
    values: Mapping[Value, fmpq],
    equations: Sequence[Expression],
    lift: float,
) -> Solution | None:
    """Return the solution with this added to each square and then moved on to the equations, so that it stays nonnegative."""
    pairs = [(i, j) for i in frame.kept for j in frame.kept if i <= j]
    names = list(values)
    place = {key: k for k, key in enumerate([*pairs, *names])}
    near = [gram[i, j] + (_round(lift) if i == j else 0) for i, j in pairs] + [values[name] for name in names]
    rows = []
    for one in equations:
        own = {place[pair]: c for pair, c in one.products.items() if pair in place}
        rows.append({**own, **{place[name]: c for name, c in one.values.items()}})
    exact = nearby_solution(near, rows, [-one.constant for one in equations])
    if exact is None:
        return None
    moved = fmpq_mat(program.size, program.size)
    for (i, j), c in zip(pairs, exact, strict=False):
        moved[i, j] = moved[j, i] = c
    return solution_at(program, moved, dict(zip(names, exact[len(pairs) :], strict=True)))


def is_equation(label: Label) -> bool:
    """Return whether a limit is an equation."""
    return label[0] in FREE_SIGN_KINDS and label[0] not in MATRIX_KINDS


def solution_at(program: Program, gram: fmpq_mat, values: Mapping[Value, fmpq]) -> Solution | None:
    """Return the solution with this Gram matrix and these values if it meets every limit, else None; exact.

    Inner products of unlimited vectors are read from the values, and these vectors made long enough.
    """
    whole = {name: values.get(name, fmpq(0)) for name in program.values}
    gram_of_all = _completed(program, gram, whole)
    if gram_of_all is None:
        return None
    size = gram.nrows()
    rows = [[gram_of_all[i, j] for j in range(size)] for i in range(size)]
    if not is_semidefinite(rows) or any(
        not _square(d, gram_of_all) and _square(e, gram_of_all) for d, e in program.single
    ):
        return None
    matrices: dict[Label, dict[tuple[int, int], fmpq]] = {}
    for label, limit in program.stated.items():
        found = evaluate_expression(limit, gram_of_all, whole)
        if label[0] in MATRIX_KINDS:
            kind, m, a, b = label
            matrices.setdefault((kind, m), {})[int(str(a)), int(str(b))] = -found if a == b else -found / 2
        elif found > 0 or (found != 0 and is_equation(label)):
            return None
    if not all(is_semidefinite(_filled(entries)) for entries in matrices.values()):
        return None
    return Solution(gram_of_all, whole, evaluate_expression(program.goal, gram_of_all, whole))


def _square(v: Vector, gram: fmpq_mat) -> fmpq:
    return sum((c * b * gram[i, j] for i, c in v for j, b in v), fmpq(0))


def _completed(program: Program, gram: fmpq_mat, values: Mapping[Value, fmpq]) -> fmpq_mat | None:
    """Return the Gram matrix with unlimited vectors of the inner products that the values tell; None if there are none."""
    free = sorted(program.unlimited)
    if not free:
        return gram
    rest = [i for i in range(gram.nrows()) if i not in program.unlimited]
    told = {(i, j): values.get((min(i, j), max(i, j)), fmpq(0)) for i in free for j in range(gram.nrows())}
    inner = fmpq_mat(len(rest), len(rest), [gram[i, j] for i in rest for j in rest])
    weights = _solve(inner, fmpq_mat(len(rest), len(free), [told[b, i] for i in rest for b in free]))
    if weights is None:
        return None
    whole = fmpq_mat(gram)
    for a, b in enumerate(free):
        for i in rest:
            whole[i, b] = whole[b, i] = told[b, i]
        spread = fmpq(0)
        for c, d in enumerate(free):
            if c != a:
                within = sum((weights[k, a] * told[d, i] for k, i in enumerate(rest)), fmpq(0))
                whole[b, d] = told[b, d] if (min(b, d), max(b, d)) in values else within
                spread += abs(whole[b, d] - within)
        whole[b, b] = sum((weights[k, a] * told[b, i] for k, i in enumerate(rest)), fmpq(0)) + spread
    return whole


def _solve(matrix: fmpq_mat, right: fmpq_mat) -> fmpq_mat | None:
    """Return X with matrix X = right; None if there is none."""
    n, columns = matrix.nrows(), right.ncols()
    joined = fmpq_mat(n, n + columns)
    for i in range(n):
        for j in range(n):
            joined[i, j] = matrix[i, j]
        for j in range(columns):
            joined[i, n + j] = right[i, j]
    reduced, rank = joined.rref()
    found = fmpq_mat(n, columns)
    for row in range(rank):
        pivot = next(j for j in range(n + columns) if reduced[row, j] != 0)
        if pivot >= n:
            return None
        for j in range(columns):
            found[pivot, j] = reduced[row, n + j]
    return found


def _filled(entries: Mapping[tuple[int, int], fmpq]) -> list[list[fmpq]]:
    places = sorted({a for pair in entries for a in pair})
    return [[entries.get((min(a, b), max(a, b)), fmpq(0)) for b in places] for a in places]


def _round(number: float) -> fmpq:
    return fmpq(round(number * 10**12), 10**12)
