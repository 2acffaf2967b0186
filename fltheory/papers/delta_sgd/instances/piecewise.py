"""Clients on the line with piecewise linear gradients, whose constants are exact maxima over the knots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, pairwise
from typing import NamedTuple

from flint import fmpq
from sympy import Symbol

from fltheory.model.schema import AsTable, AsVector, Data, read_table, read_vector
from fltheory.number import Number, as_number
from fltheory.number.mixed import Mixed, larger_of, smaller_of, to_mixed
from fltheory.number.vectors import exact_sqrt, total
from fltheory.papers.delta_sgd import notation

BATCHES = 64  # most mini-batches of a client


class PiecewiseLinear(NamedTuple):
    """A function on the line, linear between knots and constant outside."""

    knots: tuple[fmpq, ...]
    values: tuple[fmpq, ...]

    @property
    def slopes(self) -> list[fmpq]:
        """Return its slope on every segment."""
        pairs = zip(pairwise(self.knots), pairwise(self.values), strict=True)
        return [(w - v) / (q - p) for (p, q), (v, w) in pairs]

    def __call__(self, x: Mixed) -> Mixed:
        """Return the value at a mixed number."""
        found = self.values[0]
        for (p, q), slope in zip(pairwise(self.knots), self.slopes, strict=True):
            found = found + slope * (smaller_of(larger_of(x, p), q) - p)
        return found

    def integral(self, x: Mixed) -> Mixed:
        """Return the integral from the first knot to x."""
        found = self.values[0] * (x - self.knots[0])
        for (p, q), slope in zip(pairwise(self.knots), self.slopes, strict=True):
            inside, beyond = smaller_of(larger_of(x, p), q) - p, larger_of(x - q, fmpq(0))
            found = found + slope * (inside * inside / 2 + (q - p) * beyond)
        return found

    @property
    def least_integral(self) -> Mixed:
        """Return the smallest value of the integral; ValueError if there is none."""
        if not self.values[0] <= 0 <= self.values[-1]:
            raise ValueError("the objective has no minimum")
        roots = [
            p - v * (q - p) / (w - v)
            for (p, q), (v, w) in zip(pairwise(self.knots), pairwise(self.values), strict=True)
            if v * w < 0
        ]
        return min(self.integral(x) for x in (*self.knots, *roots))


@dataclass(frozen=True, repr=False)
class PiecewiseClients(Data):
    """Gradients of the samples of all clients at common knots, [client][sample][knot]; ``chances`` are probabilities.

    A stochastic gradient is the mean over ``batch_size`` independent samples.
    """

    knots: AsVector
    gradients: Sequence[AsTable]
    chances: AsVector = ()
    batch_size: int = 1

    def __post_init__(self) -> None:
        table = tuple(read_table(client) for client in self.gradients)
        n = len(table[0]) if table else 0
        chances = read_vector(self.chances) or (Fraction(1, max(n, 1)),) * n
        self._set(knots=read_vector(self.knots), gradients=table, chances=chances)
        self._count("batch_size")
        flat = [v for client in table for row in client for v in row]
        if not flat or not all(isinstance(v, int | Fraction) for v in (*self.knots, *self.chances, *flat)):
            raise ValueError("gradients: expected rational numbers, some for every client")
        if len(self.knots) < 2 or any(p >= q for p, q in pairwise(self.knots)):
            raise ValueError("knots: expected at least two increasing numbers")
        if any(len(client) != n or any(len(row) != len(self.knots) for row in client) for client in table):
            raise ValueError("gradients: expected as many samples for every client, and a number for every knot")
        if len(self.chances) != n or min(self.chances) <= 0 or sum(self.chances) != 1:
            raise ValueError("chances: expected a positive number for every sample, with sum 1")
        if self.batch_size > BATCHES or math.comb(n + self.batch_size - 1, n - 1) > BATCHES:
            raise ValueError(f"batch_size = {self.batch_size}: more than {BATCHES} different mini-batches")

    @property
    def n_clients(self) -> int:
        """The number of clients."""
        return len(self.gradients)

    @cached_property
    def batches(self) -> list[tuple[fmpq, tuple[int, ...]]]:
        """Return every mini-batch, by its samples, with its probability."""
        found = []
        for batch in combinations_with_replacement(range(len(self.chances)), self.batch_size):
            ways = math.factorial(self.batch_size)
            for z in set(batch):
                ways //= math.factorial(batch.count(z))
            found.append((to_mixed(ways * math.prod((self.chances[z] for z in batch), start=Fraction(1))), batch))
        return found

    def _function(self, values: Sequence[Number]) -> PiecewiseLinear:
        return PiecewiseLinear(tuple(map(to_mixed, self.knots)), tuple(map(to_mixed, values)))

    @cached_property
    def samples(self) -> list[list[PiecewiseLinear]]:
        """Return the stochastic gradients of every client, by mini-batch."""
        return [
            [
                self._function([total(client[z][j] for z in batch) / len(batch) for j in range(len(self.knots))])
                for _, batch in self.batches
            ]
            for client in self.gradients
        ]

    @cached_property
    def client(self) -> list[PiecewiseLinear]:
        """Return the gradients of the clients."""
        return [self._function(row) for row in self._means]

    @cached_property
    def mean(self) -> PiecewiseLinear:
        """Return the gradient of f."""
        return self._function(self._mean)

    @cached_property
    def _means(self) -> list[list[Fraction]]:
        return [
            [total(c * row[j] for c, row in zip(self.chances, client, strict=True)) for j in range(len(self.knots))]
            for client in self.gradients
        ]

    @cached_property
    def _mean(self) -> list[Fraction]:
        return [total(column) / self.n_clients for column in zip(*self._means, strict=True)]

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        spread = max(
            total(c * (row[j] - mean[j]) ** 2 for c, row in zip(self.chances, client, strict=True))
            for client, mean in zip(self.gradients, self._means, strict=True)
            for j in range(len(self.knots))
        )
        found = {
            notation.m: self.n_clients,
            notation.b: self.batch_size,
            notation.L: as_number(max(abs(s) for f in self.client for s in f.slopes)),
            notation.G: max(abs(v) for row in self._means for v in row),
            notation.sigma: exact_sqrt(Fraction(spread)),
        }
        if found[notation.L] == 0:
            raise ValueError("gradients: all are constant")
        growth = self._strong_growth
        return found if growth is None else {**found, notation.rho: growth}

    @cached_property
    def _strong_growth(self) -> Fraction | None:
        """Return the least rho of A1c; None if there is none.

        Between knots |f_i' - f'|/|f'| is a ratio of linear functions: monotone, or constant if they share a root.
        """
        found = Fraction(0)
        for row in self._means:
            for v, mean in zip(row, self._mean, strict=True):
                if mean:
                    found = max(found, ((v - mean) / mean) ** 2)
                elif v:
                    return None
            for (v, w), (a, b) in zip(pairwise(row), pairwise(self._mean), strict=True):
                if a * b < 0 and v * b != w * a:  # f' vanishes where f_i' does not
                    return None
        return found
