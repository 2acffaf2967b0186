"""Quadratic clients with full Hessians: F_m(x) = x^T H_m x / 2 + b_m^T x.

H_m = Q_m diag(curvatures_m) Q_m^T with Q_m a product of Householder reflections along rational vectors, so that the
Hessians, the minimiser and every constant are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from flint import ctx, fmpq, fmpq_mat
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Client, ring_of
from fltheory.model.schema import AsTable, AsVector, Data, Table, Vector, read_vector, shortest_form
from fltheory.number import BALL, Element, Number, Ring, as_number, exact, exact_text, to_float
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.additive_noise import ROUNDING, AdditiveNoise, TableClients, mean, ring_array, type_ids
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.moments import MapMoments


class DenseQuadratics(Data):
    """Common parts of quadratic clients with full Hessians; subclasses define ``hessians`` and ``slopes``.

    ``curvature_range``: lower and upper bounds on the eigenvalues of the clients' Hessians.
    """

    if TYPE_CHECKING:  # fields or properties of each family

        @property
        def start(self) -> Vector:
            """Where runs start."""

        @property
        def slopes(self) -> Table:
            """b_m, [client][coordinate]."""

        @property
        def hessians(self) -> tuple[fmpq_mat, ...]:
            """H_m, exactly."""

        @property
        def curvature_range(self) -> tuple[Number, Number]:
            """Lower and upper bounds on the eigenvalues of all H_m."""

    @property
    def n_clients(self) -> int:
        return len(self.slopes)

    @property
    def dim(self) -> int:
        return len(self.start)

    @cached_property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal objectives."""
        return type_ids((str(h), b) for h, b in zip(self.hessians, self.slopes, strict=True))

    @cached_property
    def mean_hessian(self) -> fmpq_mat:
        """The Hessian of F."""
        return mean_matrix(self.hessians)

    @cached_property
    def _best(self) -> fmpq_mat:
        return nearest_solution(self.mean_hessian, -mean_matrix([_column(b) for b in self.slopes]), _column(self.start))

    @cached_property
    def minimiser(self) -> tuple[Number, ...]:
        """The minimiser of F nearest to the start; ValueError if F has none."""
        return tuple(as_number(self._best[i, 0]) for i in range(self.dim))

    def hessian(self, i: int, j: int) -> Number:
        """Return an entry of the Hessian of F."""
        return as_number(self.mean_hessian[i, j])

    def _tables(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        ring = ring_of(x)
        return self._ring_tables(ring, ctx.prec if ring is BALL else 0)

    @lru_cache(maxsize=8)  # noqa: B019 (instances are small and frozen)
    def _ring_tables(self, ring: Ring | None, precision: int) -> tuple[np.ndarray, ...]:
        """The Hessians (clients, dim, dim), the slopes (clients, dim), the Hessian of F and the minimiser."""
        n, d = self.n_clients, self.dim
        hessians = [as_number(h[i, j]) for h in self.hessians for i in range(d) for j in range(d)]
        of_mean = [self.hessian(i, j) for i in range(d) for j in range(d)]
        slopes = [v for row in self.slopes for v in row]
        return (
            ring_array(hessians, (n, d, d), ring),
            ring_array(slopes, (n, d), ring),
            ring_array(of_mean, (d, d), ring),
            ring_array(self.minimiser, (d,), ring),
        )

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        hessians, slopes, *_ = self._tables(x)
        return times(hessians[client], x) + slopes[client]

    def prox(self, x: np.ndarray, client: Client, step: Element) -> np.ndarray:
        """Return u with (1 + step H_m) u = x - step b_m, (runs, dim)."""
        hessians, slopes, *_ = self._tables(x)
        return solve_shifted(hessians[client] * step, x - step * slopes[client])

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        _, _, hessian, best = self._tables(x)
        return times(hessian, x - best)

    def gap(self, x: np.ndarray) -> np.ndarray:
        """F(x) - F* = (x - x*)^T H (x - x*) / 2."""
        _, _, hessian, best = self._tables(x)
        away = x - best
        return (away * times(hessian, away)).sum(axis=1) / 2

    @property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """Blocks of dependent coordinates: a single one."""
        return (tuple(range(self.dim)),)

    # -- constants ---------------------------------------------------------------------------------------------------

    @cached_property
    def _pulls(self) -> list[fmpq_mat]:
        """The clients' gradients at the minimiser."""
        return [h * self._best + _column(b) for h, b in zip(self.hessians, self.slopes, strict=True)]

    @cached_property
    def _noiseless(self) -> dict[Symbol, Number]:
        """The constants that do not depend on noise."""
        least, largest = self.curvature_range
        away = _column(self.start) - self._best
        pull = self.mean_hessian * away
        found: dict[Symbol, Number] = {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.smoothness: largest,
            symbols.strong_convexity: least,
            symbols.initial_distance: exact_sqrt(_dot(away, away)),
            symbols.initial_gap: exact(_dot(away, pull) / 2),
            symbols.initial_gradient: exact_sqrt(_dot(pull, pull)),
            symbols.heterogeneity_at_optimum: exact_sqrt(mean(self._pull_squares)),
        }
        return found | self._uniform_heterogeneity()

    @property
    def _pull_squares(self) -> list[Fraction]:
        return [_dot(c, c) for c in self._pulls]

    def _uniform_heterogeneity(self) -> dict[Symbol, Number]:
        """A4 constants (beta, zeta): beta^2 = 2 tr(H^-1 V H^-1), and the least zeta that goes with it.

        mean_m |dF_m - dF|^2 = y^T V y + 2 w^T y + z^2 with y = x - x*, V = mean (H_m - H)^2, w = mean (H_m - H) c_m,
        z^2 = mean |c_m|^2, c_m = dF_m(x*). With S = beta^2 H^2 - V > 0 it is at most beta^2 |H y|^2 + z^2 + w^T S^-1 w,
        with equality at y = S^-1 w. None are given where H is singular and the Hessians differ.
        """
        differences = [h - self.mean_hessian for h in self.hessians]
        v = mean_matrix([a * a for a in differences])
        if all(v[i, i] == 0 for i in range(self.dim)):
            return {
                symbols.heterogeneity_slope: 0,
                symbols.heterogeneity: exact_sqrt(mean(self._pull_squares)),
                symbols.max_heterogeneity: exact_sqrt(max(self._pull_squares)),
                symbols.hessian_heterogeneity: 0,
            }
        if self.mean_hessian.det() == 0:
            return {}
        inverse = self.mean_hessian.inv()
        relative = inverse * v * inverse
        slope_square = 2 * sum((relative[i, i] for i in range(self.dim)), fmpq(0))
        w = mean_matrix([a * c for a, c in zip(differences, self._pulls, strict=True)])
        rest = self.mean_hessian * self.mean_hessian * slope_square - v
        return {
            symbols.heterogeneity_slope: exact_sqrt(_fraction(slope_square)),
            symbols.heterogeneity: exact_sqrt(mean(self._pull_squares) + _dot(w, rest.solve(w))),
        }


@dataclass(frozen=True, repr=False)
class DenseQuadraticClients(AdditiveNoise, TableClients, DenseQuadratics):
    """``curvatures[m]``: the eigenvalues of H_m; ``slopes[m]``: b_m; ``reflections[m]``: vectors v_1, v_2, ...

    Q_m = S(v_1) S(v_2) ... with S(v) = I - 2 v v^T / |v|^2; without reflections H_m is diagonal. Noise: one sign or
    uniform draw a gradient times the vector ``noise_std``. ValueError where F is unbounded below.
    """

    curvatures: AsTable
    slopes: AsTable
    start: AsVector
    reflections: Sequence[AsTable] = ()
    noise_std: AsVector = 0
    noise_law: str = "two_point"

    def __post_init__(self) -> None:
        self._read_tables("curvatures")
        n, d = self.n_clients, self.dim
        given = tuple(tuple(read_vector(v) for v in client) for client in self.reflections) or ((),) * n
        self._set(reflections=given)
        if any(not v >= 0 for row in self.curvatures for v in row):
            raise ValueError("curvatures must be nonnegative")
        if len(given) != n or any(len(v) != d or not any(v) for client in given for v in client):
            raise ValueError("reflections need, for every client, nonzero vectors with one entry for every coordinate")
        self._read_noise()

    def __repr__(self) -> str:
        tables = {"curvatures": self.curvatures, "slopes": self.slopes, "start": self.start}
        said = {name: shortest_form(v) for name, v in tables.items()}
        if any(self.reflections):
            said["reflections"] = tuple(tuple(tuple(exact_text(e) for e in v) for v in c) for c in self.reflections)
        noise = {k: shortest_form(v) for k, v in self._noise_arguments().items()}
        return f"DenseQuadraticClients({', '.join(f'{k}={v!r}' for k, v in (said | noise).items())})"

    # -- objective ---------------------------------------------------------------------------------------------------

    @cached_property
    def hessians(self) -> tuple[fmpq_mat, ...]:
        """H_m, exactly."""
        return tuple(self._hessian(m) for m in range(self.n_clients))

    def _hessian(self, m: int) -> fmpq_mat:
        d = self.dim
        rotation = _diagonal([1] * d)
        for v in self.reflections[m]:
            w = _column(v)
            rotation = rotation * (_diagonal([1] * d) - w * w.transpose() * (fmpq(2) / (w.transpose() * w)[0, 0]))
        return rotation * _diagonal(self.curvatures[m]) * rotation.transpose()

    # -- exact moments -----------------------------------------------------------------------------------------------

    def client_laws(self, client: int, step: Element, n_steps: int, ring: Ring) -> list[MapMoments]:
        """The law of ``n_steps`` local steps of a client."""
        d, h = self.dim, self.hessians[client]
        std = [ring.scalar(s) for s in self.noise_std]
        matrix = [[int(i == j) - step * ring.scalar(as_number(h[i, j])) for j in range(d)] for i in range(d)]
        offset = [-(step * ring.scalar(b)) for b in self.slopes[client]]
        covariance = [[step * step * s * t for t in std] for s in std]
        return [moments.repeat_moments(moments.affine_moments(matrix, offset, covariance, ring), n_steps, ring)]

    # -- constants ---------------------------------------------------------------------------------------------------

    @property
    def curvature_range(self) -> tuple[Number, Number]:
        """The least and the largest eigenvalue of the clients' Hessians."""
        curvatures = [v for row in self.curvatures for v in row]
        return min(curvatures), max(curvatures)

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        noise = exact_sqrt(self.noise_square)
        return self._noiseless | {symbols.noise_std: noise, symbols.noise_std_at_optimum: noise}

    def radius(self, step: float) -> list[float] | None:
        """Return an upper bound on the distance of runs with this step size from the minimiser, or None if unknown.

        For step <= 1 / L a client's map contracts by 1 - step * mu around the minimiser, up to step * (pull + noise).
        """
        largest, least = (to_float(self.constants[s]) for s in (symbols.smoothness, symbols.strong_convexity))
        if step * largest > 1 or least == 0:
            return None
        pull = float(max(self._pull_squares)) ** 0.5
        distance = to_float(self.constants[symbols.initial_distance])
        return [max(distance, (pull + self.largest_noise) / least) * ROUNDING]


def nearest_solution(matrix: fmpq_mat, right: fmpq_mat, point: fmpq_mat) -> fmpq_mat:
    """Return the solution of a symmetric system nearest to a point; ValueError if there is none.

    x - point lies in the range of the matrix: x = point + A u with A^2 u = right - A point.
    """
    n = matrix.nrows()
    square, rest = matrix * matrix, right - matrix * point
    if matrix.det() != 0:
        return matrix.solve(right)
    joint = fmpq_mat(n, n + 1, [square[i, j] if j < n else rest[i, 0] for i in range(n) for j in range(n + 1)])
    reduced, rank = joint.rref()
    u = fmpq_mat(n, 1, [0] * n)
    for row in range(rank):
        pivot = next(j for j in range(n + 1) if reduced[row, j] != 0)
        if pivot < n:
            u[pivot, 0] = reduced[row, n]
    solution = point + matrix * u
    if matrix * solution != right:
        raise ValueError("the mean objective is unbounded below")
    return solution


def solve_shifted(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return u with u + A u = right for every row, A nonnegative: (dim, dim) or (rows, dim, dim), by elimination."""
    a = np.broadcast_to(matrix, (len(right), *matrix.shape[-2:])).copy()
    u, d = right.copy(), right.shape[1]
    for i in range(d):
        a[:, i, i] = a[:, i, i] + 1
    for k in range(d):
        for i in range(k + 1, d):
            factor = a[:, i, k] / a[:, k, k]
            a[:, i, k:] = a[:, i, k:] - factor[:, None] * a[:, k, k:]
            u[:, i] = u[:, i] - factor * u[:, k]
    for k in reversed(range(d)):
        u[:, k] = (u[:, k] - (a[:, k, k + 1 :] * u[:, k + 1 :]).sum(axis=1)) / a[:, k, k]
    return u


def times(matrix: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Matrix-vector products, one a seed: (dim, dim) or (seeds, dim, dim) with (seeds, dim)."""
    return (matrix * x[:, None, :]).sum(axis=2)


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _column(values: Sequence[Number]) -> fmpq_mat:
    return fmpq_mat(len(values), 1, [_rational(v) for v in values])


def _diagonal(values: Sequence[Number]) -> fmpq_mat:
    n = len(values)
    return fmpq_mat(n, n, [_rational(values[i]) if i == j else fmpq(0) for i in range(n) for j in range(n)])


def _rational(value: Number) -> fmpq:
    if not isinstance(value, int | Fraction):
        raise ValueError(f"expected a rational number, got {value}")
    return fmpq(value.numerator, value.denominator)


def mean_matrix(matrices: Sequence[fmpq_mat]) -> fmpq_mat:
    total = matrices[0]
    for matrix in matrices[1:]:
        total = total + matrix
    return total * fmpq(1, len(matrices))


def _dot(a: fmpq_mat, b: fmpq_mat) -> Fraction:
    return _fraction((a.transpose() * b)[0, 0])
