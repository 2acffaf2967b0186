"""A certificate whose limit is the worst case itself, and an instance that attains it exactly, where both are rational.

At the optimum the remaining quadratic form is singular: it vanishes on the vectors of the worst instances. These are found in
floats, refined by the optimality conditions until they are recognised as rationals, and the form is required to vanish on them;
then multipliers and instance solve linear equations. Nothing is assumed of the guess: both are checked like any other.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat
from scipy.linalg import lstsq
from sympy.solvers.diophantine.diophantine import sum_of_four_squares

from fltheory.number.linear import nearby_solution
from fltheory.worst_case.certificate import Certificate, why_invalid
from fltheory.worst_case.gram import Expression, as_float
from fltheory.worst_case.problem import MATRIX_KINDS, Problem
from fltheory.worst_case.problem.program import GramProgram
from fltheory.worst_case.solver import Proposal
from fltheory.worst_case.symmetry_reduction import WholeFrame

MOST_LIMITS, MOST_UNKNOWNS = 120, 120  # of a problem that is tried: the refinement solves dense equations
ACTIVE = (1e-6, 1e-4)  # relative to the largest: smaller multipliers count as 0
SINGULAR = 1e-5  # relative to the largest: smaller eigenvalues count as 0
RECOGNISED = 1e-12  # distance at which a float is taken for a rational
NEWTON_STEPS = 20
NEAR = 10**12  # denominators of multipliers before they solve the equations


@dataclass(frozen=True)
class Face:
    """The optimal face in floats: limits with positive multipliers, and a basis of the vectors of worst instances.

    The basis is in echelon form, with 1 at its ``pivots``; ``inner`` are the inner products of its coordinates.
    """

    frame: WholeFrame
    limits: tuple[Expression, ...]
    places: tuple[int, ...]  # of these limits among the labels
    names: tuple[Hashable, ...]
    multipliers: np.ndarray
    vectors: np.ndarray
    pivots: tuple[int, ...]
    inner: np.ndarray
    values: np.ndarray

    @property
    def unknowns(self) -> int:
        """The numbers that are refined: multipliers, entries of the vectors, inner products and values."""
        rank, size = self.vectors.shape
        return len(self.limits) + rank * (size - rank) + rank * (rank + 1) // 2 + len(self.values)


def find_face(problem: GramProgram, frame: WholeFrame, proposal: Proposal, least: float) -> Face | None:
    """Return the face of a solution without margins; None if the form is not singular there."""
    found = proposal.multipliers
    places = tuple(np.flatnonzero(np.abs(found) > least * np.abs(found).max()).tolist())
    limits = tuple(problem.limit(frame.labels[k]) for k in places)
    goal = _matrices(frame, [problem.objective])[0]
    roots, directions = np.linalg.eigh(np.tensordot(found[list(places)], _matrices(frame, limits), 1) - goal)
    scale = max(roots.max(initial=0.0), np.abs(goal).max(initial=0.0))
    vectors, pivots = echelon(directions[:, roots < SINGULAR * scale].T)
    if not pivots:
        return None
    kept = list(frame.kept)
    gram = proposal.blocks[0] * np.outer(proposal.units[kept], proposal.units[kept])
    names = tuple(dict.fromkeys(n for e in (*limits, problem.objective) for n in frame.values(e)))
    values = np.array([proposal.values.get(name, 0.0) for name in names])
    inner = gram[np.ix_(pivots, pivots)]
    return Face(frame, limits, places, names, found[list(places)], vectors, pivots, inner, values)


def refined(problem: GramProgram, face: Face) -> Face:
    """Return the face after Newton's steps towards the optimality conditions, which leave errors of a float's rounding."""
    equations = Optimality(problem, face)
    z = np.concatenate(
        [face.multipliers, face.vectors[:, equations.free].ravel(), face.inner[equations.upper], face.values]
    )
    size = np.inf
    for _ in range(NEWTON_STEPS):
        off = equations.residuals(z)
        if not np.isfinite(off).all() or (now := float(np.abs(off).max(initial=0.0))) >= size / 2:
            break
        size = now
        best, step = z, lstsq(equations.jacobian(z), -off, cond=1e-10, lapack_driver="gelsy")[0]
        z = z + step
    else:
        best = z
    _, vectors, inner, values = equations.parts(best)
    return replace(face, vectors=vectors, inner=inner, values=values)


class Optimality:
    """The optimality conditions on a face: its form vanishes on the vectors, its limits are 0, values are stationary."""

    def __init__(self, problem: GramProgram, face: Face) -> None:
        self.matrices, self.goal = (_matrices(face.frame, face.limits), _matrices(face.frame, [problem.objective])[0])
        self.linear, self.wanted = _of_values(face, face.limits), _of_values(face, [problem.objective])[0]
        self.constants = np.array([as_float(limit.constant) for limit in face.limits])
        self.vectors, (self.rank, self.size) = face.vectors, face.vectors.shape
        self.free = [c for c in range(self.size) if c not in face.pivots]
        self.upper = np.triu_indices(self.rank)
        self.ends = np.cumsum([len(face.limits), self.rank * len(self.free), len(self.upper[0])])

    def parts(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return multipliers, vectors, inner products and values."""
        vectors, inner = self.vectors.copy(), np.zeros((self.rank, self.rank))
        vectors[:, self.free] = z[self.ends[0] : self.ends[1]].reshape(self.rank, len(self.free))
        inner[self.upper] = z[self.ends[1] : self.ends[2]]
        return z[: self.ends[0]], vectors, np.triu(inner) + np.triu(inner, 1).T, z[self.ends[2] :]

    def residuals(self, z: np.ndarray) -> np.ndarray:
        """Return what is 0 at the optimum."""
        multipliers, vectors, inner, values = self.parts(z)
        form = np.tensordot(multipliers, self.matrices, 1) - self.goal
        active = np.einsum("kij,ij->k", self.matrices, vectors.T @ inner @ vectors) + self.linear @ values
        return np.concatenate(
            [(form @ vectors.T).ravel(), multipliers @ self.linear - self.wanted, active + self.constants]
        )

    def jacobian(self, z: np.ndarray) -> np.ndarray:
        """Return the derivatives of the residuals, (residuals, unknowns)."""
        multipliers, vectors, inner, _ = self.parts(z)
        form, (first, second) = np.tensordot(multipliers, self.matrices, 1) - self.goal, self.upper
        moved = self.matrices @ vectors.T  # (limits, size, rank)
        found = np.zeros((self.size * self.rank + self.linear.shape[1] + len(self.matrices), len(z)))
        rows = np.arange(self.size * self.rank).reshape(self.size, self.rank)
        found[: rows.size, : self.ends[0]] = moved.reshape(len(moved), -1).T
        for r in range(self.rank):
            at = self.ends[0] + r * len(self.free)
            found[rows[:, r], at : at + len(self.free)] = form[:, self.free]
        found[rows.size : -len(moved), : self.ends[0]] = self.linear.T
        last = slice(found.shape[0] - len(moved), None)
        found[last, self.ends[0] : self.ends[1]] = 2 * np.transpose(moved @ inner, (0, 2, 1))[:, :, self.free].reshape(
            len(moved), -1
        )
        among = np.einsum("ri,kis->krs", vectors, moved)
        found[last, self.ends[1] : self.ends[2]] = among[:, first, second] * np.where(first == second, 1, 2)
        found[last, self.ends[2] :] = self.linear
        return found


def certificate_of(problem: GramProgram, face: Face, vectors: Sequence[Sequence[fmpq]]) -> Certificate | None:
    """Return the certificate whose form vanishes on the vectors; None if there is none near the face."""
    frame, goal = face.frame, face.frame.matrices(problem.objective)[0]
    matrices = [frame.matrices(limit)[0] for limit in face.limits]
    own, wanted = [frame.values(limit) for limit in face.limits], frame.values(problem.objective)
    rows = [{k: c for k, of in enumerate(own) if (c := of.get(name, fmpq(0)))} for name in face.names]
    right = [wanted.get(name, fmpq(0)) for name in face.names]
    for v in vectors:
        for i in range(len(goal)):
            rows.append({k: c for k, matrix in enumerate(matrices) if (c := _dot(matrix[i], v))})
            right.append(_dot(goal[i], v))
    exact = nearby_solution([_rounded(m) for m in face.multipliers.tolist()], rows, right)
    if exact is None:
        return None
    upper = problem.objective.constant
    for c, limit in zip(exact, face.limits, strict=True):
        upper -= c * limit.constant
    found = Certificate(upper, tuple((frame.labels[k], c) for k, c in zip(face.places, exact, strict=True) if c))
    return found if why_invalid(problem, found, frame) is None else None


def instance_of(
    problem: GramProgram, face: Face, vectors: Sequence[Sequence[fmpq]]
) -> tuple[fmpq_mat, dict[Hashable, fmpq]] | None:
    """Return rows of the whole basis and values at which the limits of the face are 0; None if there are none near it."""
    rank, (first, second) = len(vectors), np.triu_indices(len(vectors))
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    rows = []
    for limit in face.limits:
        matrix, own = face.frame.matrices(limit)[0], face.frame.values(limit)
        turned = [[_dot(row, v) for row in matrix] for v in vectors]
        entries = [(1 if a == b else 2) * _dot(turned[a], vectors[b]) for a, b in pairs]
        entries += [own.get(name, fmpq(0)) for name in face.names]
        rows.append({k: c for k, c in enumerate(entries) if c})
    near = [_near(x) for x in (*face.inner[first, second].tolist(), *face.values.tolist())]
    exact = nearby_solution(near, rows, [-limit.constant for limit in face.limits])
    if exact is None:
        return None
    inner = [[fmpq(0)] * rank for _ in range(rank)]
    for (a, b), c in zip(pairs, exact, strict=False):
        inner[a][b] = inner[b][a] = c
    places = _with_products(inner)
    if places is None:
        return None
    whole = fmpq_mat(problem.size, places.ncols())
    for at, k in enumerate(face.frame.kept):
        for axis in range(places.ncols()):
            whole[k, axis] = sum((v[at] * places[a, axis] for a, v in enumerate(vectors)), fmpq(0))
    return whole, dict(zip(face.names, exact[len(pairs) :], strict=True))


def rational_vectors(face: Face) -> list[list[fmpq]] | None:
    """Return the vectors in rationals; None if one is not recognised."""
    found = [[recognised(v) for v in row] for row in face.vectors.tolist()]
    return None if any(v is None for row in found for v in row) else found


def recognised(number: float, within: float = RECOGNISED) -> fmpq | None:
    """Return the rational of a small denominator that a float stands for, or None."""
    for most in (10, 100, 1000, 10**4, 10**5):
        near = Fraction(number).limit_denominator(most)
        if abs(near - Fraction(number)) <= within * max(1.0, abs(number)):
            return fmpq(near.numerator, near.denominator)
    return None


def is_tried(problem: Problem, frame: object) -> bool:
    """Return whether a face is looked for: the problem is small, and its multipliers form no matrices."""
    if not isinstance(frame, WholeFrame) or problem.variance or len(frame.labels) > MOST_LIMITS:
        return False
    return not any(label[0] in MATRIX_KINDS for label in frame.labels)


def _with_products(inner: Sequence[Sequence[fmpq]]) -> fmpq_mat | None:
    """Return rational rows with these inner products, from L D L' with each entry of D as a sum of four squares.

    None if the matrix is not nonnegative.
    """
    size = len(inner)
    left, lower = [list(row) for row in inner], [[fmpq(int(i == j)) for j in range(size)] for i in range(size)]
    found = fmpq_mat(size, 4 * size)
    for k in range(size):
        pivot = left[k][k]
        if pivot < 0 or (pivot == 0 and any(left[i][k] for i in range(k, size))):
            return None
        for i in range(k + 1, size):
            lower[i][k] = left[i][k] / pivot if pivot else fmpq(0)
            for j in range(k + 1, size):
                left[i][j] -= lower[i][k] * left[k][j]
        squares = sum_of_four_squares(int(pivot.p) * int(pivot.q)) if pivot else (0, 0, 0, 0)
        for i in range(k, size):
            for axis, root in enumerate(squares):
                found[i, 4 * k + axis] = lower[i][k] * fmpq(int(root), int(pivot.q))
    used = [c for c in range(4 * size) if any(found[i, c] for i in range(size))] or [0]
    return fmpq_mat([[found[i, c] for c in used] for i in range(size)])


def _matrices(frame: WholeFrame, expressions: Sequence[Expression]) -> np.ndarray:
    """Return the forms of expressions in floats, (expressions, size, size)."""
    return np.array([[[as_float(c) for c in row] for row in frame.matrices(e)[0]] for e in expressions])


def _of_values(face: Face, expressions: Sequence[Expression]) -> np.ndarray:
    """Return the coefficients of the values in floats, (expressions, names)."""
    own = [face.frame.values(e) for e in expressions]
    return np.array([[as_float(of.get(n, fmpq(0))) for n in face.names] for of in own]).reshape(
        len(own), len(face.names)
    )


def echelon(rows: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """Return the reduced echelon form of independent rows, and the columns of its pivots."""
    rows, pivots = rows.copy(), list[int]()
    for column in range(rows.shape[1]):
        k = len(pivots)
        if k == len(rows):
            break
        best = k + int(np.abs(rows[k:, column]).argmax())
        if abs(rows[best, column]) < 1e-4:
            continue
        rows[[k, best]] = rows[[best, k]]
        rows[k] /= rows[k, column]
        for i in range(len(rows)):
            if i != k:
                rows[i] -= rows[i, column] * rows[k]
        pivots.append(column)
    return rows[: len(pivots)], tuple(pivots)


def _near(number: float) -> fmpq:
    found = recognised(number)
    return _rounded(number) if found is None else found


def _rounded(number: float) -> fmpq:
    return fmpq(round(number * NEAR), NEAR)


def _dot(a: Sequence[fmpq], b: Sequence[fmpq]) -> fmpq:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), fmpq(0))
