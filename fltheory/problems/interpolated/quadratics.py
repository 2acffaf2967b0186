"""Quadratic clients given by their Hessians, which make a worst case of quadratic functions an instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from sympy import Symbol

from fltheory import symbols
from fltheory.model.schema import AsTable, AsVector, Table, read_table
from fltheory.number import RATIONAL, Number, exact
from fltheory.number.linear import is_semidefinite
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.additive_noise import AdditiveNoise, TableClients
from fltheory.problems.dense import DenseQuadratics

DIGITS, INSIDE = 10**12, 1e-9  # digits of factors; relative safety margin below a limit


@dataclass(frozen=True, repr=False)
class MatrixClients(AdditiveNoise, TableClients, DenseQuadratics):
    """F_m(x) = x^T hessians[m] x / 2 + <slopes[m], x>, eigenvalues between ``strong_convexity`` and ``smoothness``.

    ValueError if a Hessian is not symmetric or has another eigenvalue, or F is unbounded below.
    """

    matrices: Sequence[Any]
    slopes: AsTable
    start: AsVector
    smoothness: Number = 1
    strong_convexity: Number = 0
    noise_std: AsVector = 0
    noise_law: str = "two_point"

    def __post_init__(self) -> None:
        self._read_tables()
        self._set(matrices=tuple(map(_matrix, self.matrices)))
        self._set(smoothness=exact(self.smoothness), strong_convexity=exact(self.strong_convexity))
        if len(self.matrices) != self.n_clients:
            raise ValueError("matrices need one entry for every client")
        for m, matrix in enumerate(self.matrices):
            if len(matrix) != self.dim or any(len(row) != self.dim for row in matrix):
                raise ValueError(f"the matrix of client {m} needs a row and a column for every coordinate of start")
            if any(matrix[i][j] != matrix[j][i] for i in range(self.dim) for j in range(i)):
                raise ValueError(f"the matrix of client {m} must be symmetric")
        if not 0 <= self.strong_convexity <= self.smoothness:
            raise ValueError(f"strong_convexity must lie in [0, smoothness], got {self.strong_convexity}")
        self._require_range()
        self._read_noise()
        self.minimiser  # noqa: B018 (ValueError where there is none)

    def _require_range(self) -> None:
        """ValueError unless mu I <= H_m <= L I."""
        low, high = (RATIONAL.scalar(v) for v in self.curvature_range)
        for m, h in enumerate(self.hessians):
            n = self.dim
            above = [[h[i, j] - (low if i == j else 0) for j in range(n)] for i in range(n)]
            below = [[(high if i == j else 0) - h[i, j] for j in range(n)] for i in range(n)]
            if not is_semidefinite(above) or not is_semidefinite(below):
                raise ValueError(
                    f"the matrix of client {m} has an eigenvalue outside [{self.strong_convexity}, {self.smoothness}]"
                )

    @cached_property
    def hessians(self) -> tuple[fmpq_mat, ...]:
        """H_m, exactly."""
        d = self.dim
        return tuple(fmpq_mat(d, d, [RATIONAL.scalar(v) for row in matrix for v in row]) for matrix in self.matrices)

    @property
    def curvature_range(self) -> tuple[Number, Number]:
        """Lower and upper bounds on the eigenvalues."""
        return self.strong_convexity, self.smoothness

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        noise = exact_sqrt(self.noise_square)
        largest = exact_sqrt(max(self._pull_squares))
        of_noise = {symbols.noise_std: noise, symbols.noise_std_at_optimum: noise}
        apart = {symbols.hessian_heterogeneity: self._apart}
        return {**apart, **self._noiseless, symbols.max_heterogeneity_at_optimum: largest, **of_noise}

    @property
    def _apart(self) -> Fraction:
        """A close upper bound on the distance of a Hessian to the mean."""
        off = deviations(self.hessians)
        near = (
            Fraction(int(max(map(_norm, off)) * (1 + INSIDE) * DIGITS) + 1, DIGITS)
            if any(map(_norm, off))
            else Fraction(0)
        )
        return near if all(norm_at_most(one, RATIONAL.scalar(near)) for one in off) else Fraction(self.smoothness)

    def beside(self, curvature: Fraction, std: Fraction) -> MatrixClients:
        """Return the clients with another coordinate of this curvature and gradient noise +-``std``."""
        idle = (0,) * self.dim
        wider = tuple((*((*row, 0) for row in matrix), (*idle, curvature)) for matrix in self.matrices)
        slopes = tuple((*row, 0) for row in self.slopes)
        noise = (*self.noise_std, std)
        return replace(self, matrices=wider, slopes=slopes, start=(*self.start, 0), noise_std=noise)


def _matrix(given: Any) -> Table:
    """Return the rows of a matrix; a number is a 1 x 1 matrix."""
    alone = isinstance(given, str) or not isinstance(given, Sequence | np.ndarray)
    return read_table((given,) if alone else given)


# Distances of Hessians to their mean ---------------------------------------------------------------------------------


def deviations(hessians: Sequence[fmpq_mat]) -> list[fmpq_mat]:
    """Subtract the mean from each matrix."""
    n = len(hessians)
    whole = sum(hessians[1:], hessians[0]) * fmpq(1, n)
    return [h - whole for h in hessians]


def norm_at_most(matrix: fmpq_mat, limit: fmpq) -> bool:
    """Return whether all eigenvalues of a symmetric matrix are at most a limit in absolute value."""
    each = range(matrix.nrows())
    sides = ([[s * matrix[i, j] + (limit if i == j else 0) for j in each] for i in each] for s in (1, -1))
    return all(map(is_semidefinite, sides))


def shrink_deviations(hessians: Sequence[fmpq_mat], limit: fmpq) -> list[fmpq_mat]:
    """Shrink the differences to the mean proportionally, so that none exceeds the limit."""
    off = deviations(hessians)
    farthest = max(_norm(one) for one in off)
    room = int(limit.p) / int(limit.q) * (1 - INSIDE) / farthest if farthest else 1.0
    part = min(fmpq(1), fmpq(int(room * DIGITS), DIGITS))
    return [h - one * (1 - part) for h, one in zip(hessians, off, strict=True)]


def _norm(matrix: fmpq_mat) -> float:
    n = matrix.nrows()
    entries = [int(matrix[i, j].p) / int(matrix[i, j].q) for i in range(n) for j in range(n)]
    return float(np.abs(np.linalg.eigvalsh(np.array(entries).reshape(n, n))).max(initial=0.0))
