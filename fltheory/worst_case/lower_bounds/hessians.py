"""Quadratic clients that nearly attain a worst case: all their data follow exactly from rational Hessians."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from flint import fmpq, fmpq_mat

from fltheory.problems.interpolated.quadratics import deviations, norm_at_most, shrink_deviations
from fltheory.worst_case.functions import MatrixClass
from fltheory.worst_case.gram import Value, Vector, as_float
from fltheory.worst_case.lower_bounds import (
    DENOMINATOR,
    WorstInstance,
    evaluate_expression,
    gram_factor,
    rational_matrix,
)
from fltheory.worst_case.lower_bounds.nearby import nearby_hessians
from fltheory.worst_case.problem import LEAST, ROUND, Problem
from fltheory.worst_case.problem.labels import NEAR
from fltheory.worst_case.solver import Proposal
from fltheory.worst_case.symmetry_reduction import Frame

Hessians = tuple[fmpq_mat, ...]


def quadratic_instance(
    problem: Problem, functions: MatrixClass, frame: Frame, proposal: Proposal
) -> WorstInstance | None:
    """Return clients whose Hessians nearly reproduce the Gram matrix; a common factor then meets the limits exactly.

    Start and slopes are rounded; then points and gradients follow from the Hessians.
    """
    if problem.free:
        return None  # farther starts come nearer to it
    rows = gram_factor(frame.gram(proposal.blocks), proposal.units)
    first = rational_matrix(rows[: 1 + problem.n_clients])
    found = (_instance_with(problem, hessians, first) for hessians in _candidates(problem, functions, rows))
    return max((one for one in found if one is not None), key=lambda one: one.lower, default=None)


def _candidates(problem: Problem, functions: MatrixClass, rows: np.ndarray) -> Iterator[Hessians]:
    """Yield Hessians found for each client alone and, under a limit on the distance from their mean, jointly."""
    record = problem.record
    each = problem.places[:1] if record.tilted else problem.places
    points = [_columns(rows, [problem.point(m, place).at for place in places]) for m, places in enumerate(each)]
    alone = tuple(functions.hessian(there, rows[list(places)].T) for there, places in zip(points, each, strict=True))
    if problem.apart is None or len(each) == 1:
        yield alone
        return
    common = [problem.point(0, place).at for place in each[0]]
    images = [_columns(rows, [record.image(m, point) for point in common]) for m in range(record.n_clients)]
    low, high = map(as_float, functions.curvatures)
    together = nearby_hessians(points[0], images, (low, high), as_float(problem.apart))
    for hessians in (alone, *(() if together is None else [tuple(map(functions.inside, together))])):
        near = shrink_deviations(hessians, problem.apart)
        if all(norm_at_most(off, problem.apart) for off in deviations(near)):
            yield tuple(near)


def _columns(rows: np.ndarray, vectors: Sequence[Vector]) -> np.ndarray:
    """Return the coordinates of vectors, (dim, vectors)."""
    found = np.zeros((rows.shape[1], len(vectors)))
    for k, v in enumerate(vectors):
        for i, c in v:
            found[:, k] += as_float(c) * rows[i]
    return found


def _instance_with(problem: Problem, hessians: Hessians, first: fmpq_mat) -> WorstInstance | None:
    """Return the instance that follows from start and slopes; None if the limits cannot be met."""
    vectors = _basis_rows(problem, hessians, first)
    factor = _largest_factor(problem, vectors * vectors.transpose())
    if factor is None:
        return None
    vectors = vectors * factor
    exact, values = vectors * vectors.transpose(), dict[Value, fmpq]()
    if LEAST in problem.values:
        values[LEAST] = fmpq(0)
        values[LEAST] = min(
            -evaluate_expression(limit, exact, values) for label, limit in problem.known if label[0] == ROUND
        )
    return WorstInstance(
        vectors, tuple(values.items()), evaluate_expression(problem.objective, exact, values), hessians
    )


def _basis_rows(problem: Problem, hessians: Hessians, first: fmpq_mat) -> fmpq_mat:
    """Return the whole basis, computed from the start and the slopes."""
    size, dim = problem.size, first.ncols()
    found = fmpq_mat(size, dim, [*first.entries(), *[fmpq(0)] * ((size - first.nrows()) * dim)])
    for asked, index in problem.record.asked:
        point = fmpq_mat(dim, 1, [sum((c * found[i, axis] for i, c in asked.point), fmpq(0)) for axis in range(dim)])
        image = hessians[asked.client] * point
        for axis in range(dim):
            found[index, axis] = image[axis, 0]
    return found


def _largest_factor(problem: Problem, gram: fmpq_mat) -> fmpq | None:
    """Return about the largest factor of all vectors at which every limit is met; None if it is 0."""
    squares = []
    for label, limit in problem.known:
        told = label[0] not in (ROUND, NEAR)  # the Hessians themselves are near
        of_vectors = evaluate_expression(limit, gram, {}) - limit.constant if told else fmpq(0)
        if of_vectors > 0:
            squares.append(-limit.constant / of_vectors)
    least = min(squares, default=fmpq(1))
    root = fmpq(math.isqrt(int(least.p) * DENOMINATOR**2 // int(least.q)), DENOMINATOR)
    return root if root > 0 else None
