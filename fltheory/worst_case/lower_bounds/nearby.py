"""Hessians within a range and near their mean that map points approximately to images: a solver's, in floats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fltheory.worst_case.solver import Cone, identity, solve_cone_program, unpack_symmetric
from fltheory.worst_case.symmetry_reduction import ROOT_TWO

TOLERANCE = 1e-12
# Beyond this dimension the solver takes long, and Gram matrices of so high a rank rarely belong to nearby Hessians.
MAX_DIMENSION = 12


def nearby_hessians(
    places: np.ndarray, images: Sequence[np.ndarray], between: tuple[float, float], limit: float
) -> tuple[np.ndarray, ...] | None:
    """Return a Hessian for each of the images, (dim, points) as ``places``, at the least distance; None if not found.

    They are found jointly: the freedom that its points leave in a client's Hessian decides its distance to the others.
    Problems of more than LARGEST dimensions are not tried.
    """
    n, dim = len(images), len(places)
    if dim > MAX_DIMENSION:
        return None
    column, row = np.tril_indices(dim)
    each, unit = np.arange(len(row)), np.eye(n)
    directions = np.zeros((len(row), dim, dim))  # weights of the entries of a packed upper triangle
    directions[each, row, column] = directions[each, column, row] = np.where(row == column, 1, 1 / ROOT_TWO)
    off = unit - 1 / n
    sides = ((unit, -between[0]), (-unit, between[1]), (off, limit), (-off, limit))
    # The distance, then the triangles: right - rows x must lie in the cones.
    moved = -np.kron(unit, (directions @ places).reshape(len(row), -1).T)
    matrices = -np.kron(np.concatenate([weights for weights, _ in sides]), np.eye(len(row)))
    rows = np.pad(np.vstack([moved, matrices]), ((1, 0), (1, 0)))
    rows[0, 0] = -1
    given = [0.0, *(-value for one in images for value in one.ravel())]
    right = np.concatenate([given, *(bound * identity(dim) for _, bound in sides for _ in range(n))])
    cost = np.eye(rows.shape[1])[0]
    semidefinite: Cone = ("semidefinite", dim)
    cones: list[Cone] = [("second order", len(given)), *[semidefinite] * (len(sides) * n)]
    found = solve_cone_program(cost, rows, right, cones, TOLERANCE)
    if "Solved" not in str(found.status):
        return None
    return tuple(unpack_symmetric(packed, dim) for packed in np.array(found.x)[1:].reshape(n, -1))
