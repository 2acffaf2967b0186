"""An instance that nearly attains a worst case: rational points, gradients and values that meet every limit exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import fmpq, fmpq_mat

from fltheory.worst_case.gram import Expression, Value, Vector
from fltheory.worst_case.problem import LEAST, ROUND, Problem
from fltheory.worst_case.solver import Proposal
from fltheory.worst_case.symmetry_reduction import Frame

DENOMINATOR = 10**12  # denominators of coordinates and values
ZERO_TOLERANCE = 1e-13  # relative to the largest: smaller eigenvalues count as 0


@dataclass(frozen=True)
class WorstInstance:
    """The basis as rational rows (size, dim), the values, and the exact objective at them."""

    vectors: fmpq_mat
    values: tuple[tuple[Value, fmpq], ...]
    lower: fmpq
    hessians: tuple[fmpq_mat, ...] = ()

    def point(self, v: Vector) -> list[fmpq]:
        """Return the coordinates of a vector."""
        dim = self.vectors.ncols()
        return [sum((c * self.vectors[i, axis] for i, c in v), fmpq(0)) for axis in range(dim)]


def attaining_instance(problem: Problem, frame: Frame, proposal: Proposal) -> WorstInstance | None:
    """Return rational vectors near the proposed Gram matrix that meet every limit; None if rounding fails."""
    if problem.free:
        return None  # farther starts come nearer to it
    values = {name: _round(proposal.values.get(frame.value(name), 0.0)) for name in problem.values}
    vectors = _factor(frame.gram(proposal.blocks), proposal.units)
    exact = vectors * vectors.transpose()
    if LEAST in values:
        values[LEAST] = fmpq(0)
        values[LEAST] = min(
            -evaluate_expression(limit, exact, values) for label, limit in problem.known if label[0] == ROUND
        )
    return instance_at(problem, vectors, values)


def instance_at(problem: Problem, vectors: fmpq_mat, values: dict[Value, fmpq]) -> WorstInstance | None:
    """Return the instance with these vectors and values if they meet every limit, else None; exact."""
    exact, whole = vectors * vectors.transpose(), {name: values.get(name, fmpq(0)) for name in problem.values}
    if any(evaluate_expression(problem.limit(label), exact, whole) > 0 for label in problem.labels()):
        return None
    return WorstInstance(vectors, tuple(whole.items()), evaluate_expression(problem.objective, exact, whole))


def evaluate_expression(expression: Expression, gram: fmpq_mat, values: dict[Value, fmpq]) -> fmpq:
    """Return the value of an expression."""
    found = expression.constant
    for (i, j), c in expression.products.items():
        found += c * gram[i, j]
    for name, c in expression.values.items():
        found += c * values[name]
    return found


def _factor(gram: np.ndarray, units: np.ndarray) -> fmpq_mat:
    """Return rational rows with approximately these products, in units; rows of zeros stay 0."""
    return rational_matrix(gram_factor(gram, units))


def gram_factor(gram: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Return rows with approximately these products, in units."""
    roots, directions = np.linalg.eigh((gram + gram.T) / 2)
    use = roots > ZERO_TOLERANCE * roots[-1]
    found: np.ndarray = directions[:, use] * np.sqrt(roots[use]) * units[:, None]
    return found


def rational_matrix(rows: np.ndarray) -> fmpq_mat:
    """Return the matrix in rationals."""
    return fmpq_mat(len(rows), rows.shape[1], [_round(v) for v in rows.ravel().tolist()])


def _round(number: float) -> fmpq:
    return fmpq(round(number * DENOMINATOR), DENOMINATOR)
