"""An instance that attains a worst case, up to little: rational points, gradients and values that meet every limit exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq, fmpq_mat

from fltheory.worst_case.frames import Frame, as_float
from fltheory.worst_case.functions import ByMatrix
from fltheory.worst_case.gram import Expression, Value, Vector
from fltheory.worst_case.problem import LEAST, ROUND, Problem
from fltheory.worst_case.solver import Proposal

DIGITS = 10**12  # denominators of coordinates and values
NOTHING = 1e-13  # of the largest: eigenvalues that are none


@dataclass(frozen=True)
class Attained:
    """The basis as rational rows (size, dim), values, and what the objective comes to there, exactly."""

    vectors: fmpq_mat
    values: tuple[tuple[Value, fmpq], ...]
    lower: fmpq
    hessians: tuple[fmpq_mat, ...] = ()

    def point(self, v: Vector) -> list[fmpq]:
        """The coordinates of a vector."""
        dim = self.vectors.ncols()
        return [sum((c * self.vectors[i, axis] for i, c in v), fmpq(0)) for axis in range(dim)]


def attained(problem: Problem, frame: Frame, proposal: Proposal) -> Attained | None:
    """Rational vectors near the proposal's Gram matrix that meet every limit; None where rounding fails."""
    if problem.free:
        return None  # farther starts come nearer to it
    if isinstance(problem.functions, ByMatrix):
        return _by_hessians(problem, problem.functions, frame, proposal)
    values = {name: _rounded(proposal.values.get(frame.value(name), 0.0)) for name in problem.values}
    vectors = _factor(frame.gram(proposal.blocks), proposal.units)
    exact = vectors * vectors.transpose()
    if LEAST in values:
        values[LEAST] = fmpq(0)
        values[LEAST] = min(-at(limit, exact, values) for label, limit in problem.known if label[0] == ROUND)
    if any(at(problem.limit(label), exact, values) > 0 for label in problem.labels()):
        return None
    return Attained(vectors, tuple(values.items()), at(problem.objective, exact, values))


def _by_hessians(problem: Problem, functions: ByMatrix, frame: Frame, proposal: Proposal) -> Attained | None:
    """Hessians that take the points about where the Gram matrix has them; what is known is met exactly by a common factor.

    Start and slopes are rounded; then points and gradients follow from the Hessians, whatever they are.
    """
    rows = _rows(frame.gram(proposal.blocks), proposal.units)
    hessians = []
    for m, places in enumerate(problem.places[:1] if problem.record.tilted else problem.places):
        points = [sum((as_float(c) * rows[i] for i, c in problem.point(m, a).at), 0 * rows[0]) for a in places]
        empty = np.zeros((rows.shape[1], 0))
        hessians.append(functions.hessian(np.array(points).T if points else empty, rows[list(places)].T))
    vectors = _moved(problem, hessians, _exact(rows[: 1 + problem.n_clients]))
    factor = _within(problem, vectors * vectors.transpose())
    if factor is None:
        return None
    vectors = vectors * factor
    exact, values = vectors * vectors.transpose(), dict[Value, fmpq]()
    if LEAST in problem.values:
        values[LEAST] = fmpq(0)
        values[LEAST] = min(-at(limit, exact, values) for label, limit in problem.known if label[0] == ROUND)
    return Attained(vectors, tuple(values.items()), at(problem.objective, exact, values), tuple(hessians))


def _moved(problem: Problem, hessians: Sequence[fmpq_mat], first: fmpq_mat) -> fmpq_mat:
    """The whole basis, from the start and the slopes on."""
    size, dim = problem.size, first.ncols()
    found = fmpq_mat(size, dim, [*first.entries(), *[fmpq(0)] * ((size - first.nrows()) * dim)])
    for asked, index in problem.record.asked:
        point = fmpq_mat(dim, 1, [sum((c * found[i, axis] for i, c in asked.point), fmpq(0)) for axis in range(dim)])
        image = hessians[asked.client] * point
        for axis in range(dim):
            found[index, axis] = image[axis, 0]
    return found


def _within(problem: Problem, gram: fmpq_mat) -> fmpq | None:
    """The largest factor, about, of all vectors at which every limit is met; None where that is 0."""
    squares = []
    for label, limit in problem.known:
        of_vectors = at(limit, gram, {}) - limit.constant if label[0] != ROUND else fmpq(0)
        if of_vectors > 0:
            squares.append(-limit.constant / of_vectors)
    least = min(squares, default=fmpq(1))
    root = fmpq(math.isqrt(int(least.p) * DIGITS**2 // int(least.q)), DIGITS)
    return root if root > 0 else None


def at(expression: Expression, gram: fmpq_mat, values: dict[Value, fmpq]) -> fmpq:
    """The value of an expression."""
    found = expression.constant
    for (i, j), c in expression.products.items():
        found += c * gram[i, j]
    for name, c in expression.values.items():
        found += c * values[name]
    return found


def _factor(gram: np.ndarray, units: np.ndarray) -> fmpq_mat:
    """Rational rows whose products are about these, in units; the rows of 0 stay 0."""
    return _exact(_rows(gram, units))


def _rows(gram: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Rows whose products are about these, in units."""
    roots, directions = np.linalg.eigh((gram + gram.T) / 2)
    use = roots > NOTHING * roots[-1]
    found: np.ndarray = directions[:, use] * np.sqrt(roots[use]) * units[:, None]
    return found


def _exact(rows: np.ndarray) -> fmpq_mat:
    return fmpq_mat(len(rows), rows.shape[1], [_rounded(v) for v in rows.ravel().tolist()])


def _rounded(number: float) -> fmpq:
    return fmpq(round(number * DIGITS), DIGITS)
