"""Affine monotone operators, one for each client: A_m z + b_m; those of games with quadratic payoffs among them.

An algorithm asks for them as for gradients, and for the resolvent as for a proximal map. There is no objective: what is measured
is the distance to the zero z* of the mean operator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import ctx, fmpq, fmpq_mat
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Assumption, Case, Client, ring_of
from fltheory.model.schema import AsTable, AsVector, Data, Table, read_table, read_vector, shortest_form
from fltheory.number import BALL, Element, Number, Ring, as_number
from fltheory.number.linear import is_semidefinite
from fltheory.number.spectrum import eigenvalue_range
from fltheory.number.vectors import average, exact_sqrt, total
from fltheory.problems.additive_noise import AdditiveNoise, ring_array, type_ids
from fltheory.problems.dense import mean_matrix, solve_shifted, times


@dataclass(frozen=True, repr=False)
class AffineOperators(AdditiveNoise, Data):
    """``matrices[m]``: the rows of A_m, with A_m + A_m' nonnegative; ``offsets[m]``: b_m. Noise as in ``QuadraticClients``.

    ``smoothness`` is a Lipschitz constant of the operators, ``strong_convexity`` one of their monotonicity; both are exact where
    A'A and A + A' are diagonal, else rounded to the safe side. ValueError where the mean operator has no single zero.
    """

    matrices: Sequence[AsTable]
    offsets: AsTable
    start: AsVector
    noise_std: AsVector = 0
    noise_law: str = "two_point"

    def __post_init__(self) -> None:
        given = tuple(read_table(matrix) for matrix in self.matrices)
        self._set(matrices=given, offsets=read_table(self.offsets), start=read_vector(self.start))
        d = len(self.start)
        if not given or len(self.offsets) != len(given) or any(len(b) != d for b in self.offsets):
            raise ValueError("offsets need one entry for every matrix and in it one for every coordinate of start")
        if any(len(matrix) != d or any(len(row) != d for row in matrix) for matrix in given):
            raise ValueError(f"expected matrices of {d} rows and columns, one for every coordinate of start")
        numbers = [v for table in (*given, self.offsets, (self.start,)) for row in table for v in row]
        if any(not isinstance(v, int | Fraction) for v in numbers):
            raise ValueError("matrices, offsets and start must be rational")
        if not all(is_semidefinite((a + a.transpose()).table()) for a in self._exact):
            raise ValueError("the operators must be monotone: A + A' nonnegative")
        if self._mean.det() == 0:
            raise ValueError("the mean operator has no single zero")
        self._read_noise()

    def __repr__(self) -> str:
        matrices = tuple(shortest_form(matrix) for matrix in self.matrices)
        said = {name: shortest_form(v) for name, v in {"offsets": self.offsets, "start": self.start}.items()}
        noise = {k: shortest_form(v) for k, v in self._noise_arguments().items()}
        return f"AffineOperators({', '.join(f'{k}={v!r}' for k, v in {'matrices': matrices, **said, **noise}.items())})"

    @property
    def n_clients(self) -> int:
        return len(self.matrices)

    @property
    def dim(self) -> int:
        return len(self.start)

    @cached_property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal operators."""
        return type_ids(zip(self.matrices, self.offsets, strict=True))

    @cached_property
    def _exact(self) -> tuple[fmpq_mat, ...]:
        return tuple(_matrix(table) for table in self.matrices)

    @cached_property
    def _mean(self) -> fmpq_mat:
        return mean_matrix(self._exact)

    @cached_property
    def minimiser(self) -> tuple[Number, ...]:
        """The zero z* of the mean operator."""
        offset = _matrix([[-average(column)] for column in zip(*self.offsets, strict=True)])
        found = self._mean.solve(offset)
        return tuple(as_number(found[i, 0]) for i in range(self.dim))

    def _tables(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        ring = ring_of(x)
        return self._ring_tables(ring, ctx.prec if ring is BALL else 0)

    @lru_cache(maxsize=8)  # noqa: B019 (instances are small and frozen)
    def _ring_tables(self, ring: Ring | None, precision: int) -> tuple[np.ndarray, ...]:
        """The matrices (clients, dim, dim), the offsets (clients, dim), the mean matrix and the zero."""
        n, d = self.n_clients, self.dim
        return (
            ring_array([v for table in self.matrices for row in table for v in row], (n, d, d), ring),
            ring_array([v for row in self.offsets for v in row], (n, d), ring),
            ring_array([as_number(self._mean[i, j]) for i in range(d) for j in range(d)], (d, d), ring),
            ring_array(self.minimiser, (d,), ring),
        )

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return A_m x + b_m."""
        matrices, offsets, *_ = self._tables(x)
        return times(matrices[client], x) + offsets[client]

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        """Return the mean operator at x."""
        _, _, matrix, zero = self._tables(x)
        return times(matrix, x - zero)

    def prox(self, x: np.ndarray, client: Client, step: Element) -> np.ndarray:
        """Return the resolvent: u with u + step (A_m u + b_m) = x."""
        matrices, offsets, *_ = self._tables(x)
        return solve_shifted(matrices[client] * step, x - step * offsets[client])

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        noise = exact_sqrt(self.noise_square)
        pulls = [a * _matrix([[v] for v in self.minimiser]) + _matrix([[v] for v in b]) for a, b in self._pairs]
        away = total((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(self.start, self.minimiser, strict=True))
        return {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.smoothness: exact_sqrt(max(eigenvalue_range(a.transpose() * a)[1] for a in self._exact)),
            symbols.strong_convexity: min(eigenvalue_range(a + a.transpose())[0] for a in self._exact) / 2,
            symbols.initial_distance: exact_sqrt(away),
            symbols.heterogeneity_at_optimum: exact_sqrt(
                average([total(Fraction(int(v.p), int(v.q)) ** 2 for v in pull.entries()) for pull in pulls])
            ),
            symbols.noise_std: noise,
            symbols.noise_std_at_optimum: noise,
        }

    @property
    def _pairs(self) -> list[tuple[fmpq_mat, Sequence[Number]]]:
        return list(zip(self._exact, self.offsets, strict=True))


def quadratic_game(
    couplings: AsVector, start: AsVector, curvature: object = 0, offsets: AsVector = (), **noise: AsVector
) -> AffineOperators:
    """Return the operator (d_x f, -d_y f) of min_x max_y f = sum_i h_i x_i y_i + c (x_i^2 - y_i^2)/2 + a_i x_i - b_i y_i.

    ``start``: x_1, .., x_n, y_1, .., y_n; ``offsets``: a_1, .., a_n, b_1, .., b_n, by default 0; ``curvature``: c >= 0.
    """
    h, (c,) = read_vector(couplings), read_vector(curvature)
    n = len(h)
    rows = [
        [c * (i == j) + (h[i] * (j == i + n) if i < n else -h[i - n] * (j == i - n)) for j in range(2 * n)]
        for i in range(2 * n)
    ]
    return AffineOperators((rows,), (read_vector(offsets) or (0,) * (2 * n),), start, **noise)


def _is_affine_operator(case: Case) -> str | None:
    return None if isinstance(case.instance, AffineOperators) else "its clients have objectives, expected operators"


operators = Assumption("the clients are monotone operators", _is_affine_operator)


def _matrix(rows: Table | Sequence[Sequence[Number]]) -> fmpq_mat:
    return fmpq_mat([[fmpq(Fraction(v).numerator, Fraction(v).denominator) for v in row] for row in rows])
