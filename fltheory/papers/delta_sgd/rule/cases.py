"""Convex clients in two systems of units and axes, and the ratios g_j alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpq_mat
from sympy import Symbol

from fltheory.model.schema import AsTable, AsVector, Data, Record, Vector, nonnegative, positive, read_vector, scalar
from fltheory.model.schema import read_table as table
from fltheory.number import Number, as_number, exact
from fltheory.number.mixed import mixed_array, to_mixed
from fltheory.papers.delta_sgd import notation
from fltheory.problems.convex import Convex, ConvexClients, Huber, LogCosh, Quadratic, Quartic


@dataclass(frozen=True, repr=False)
class InOtherUnits(Data):
    """Clients f_i and their copies objective f_i(Q^T (x - shift) / length), Q = ``turn`` orthogonal.

    Huber functions and fourth powers are not rotated, log-cosh is not scaled.
    """

    clients: ConvexClients
    objective: Number = 1
    length: Number = 1
    turn: AsTable = None
    shift: AsVector = None

    def __post_init__(self) -> None:
        n = self.clients.dim
        self._set(objective=exact(self.objective), length=exact(self.length))
        axes = [[int(i == j) for j in range(n)] for i in range(n)]
        self._set(turn=table(axes if self.turn is None else self.turn))
        self._set(shift=read_vector([0] * n if self.shift is None else self.shift))
        if not self.objective > 0 or not self.length > 0:
            raise ValueError("objective and length must be positive")
        if len(self.turn) != n or any(len(r) != n for r in self.turn) or len(self.shift) != n:
            raise ValueError(f"turn and shift need {n} coordinates")
        q = self.turn
        if any(sum(q[i][k] * q[j][k] for k in range(n)) != (i == j) for i in range(n) for j in range(n)):
            raise ValueError("turn must be orthogonal")
        _ = self.moved

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        known = self.clients.constants
        return {s: known[s] for s in (notation.m, notation.dimension)}

    @property
    def of_steps(self) -> Fraction:
        """Return length^2 / objective, the factor of step sizes in the new units."""
        return Fraction(self.length) ** 2 / Fraction(self.objective)

    def image(self, x: np.ndarray) -> np.ndarray:
        """Return the image of a point (dim,)."""
        turn = mixed_array(v for r in self.turn for v in r).reshape(len(x), len(x))
        return mixed_array([self.length])[0] * (turn * x).sum(axis=1) + mixed_array(self.shift)

    @cached_property
    def moved(self) -> ConvexClients:
        """Return the clients in the other units and axes."""
        known, start = self.clients.minimiser, self._place(self.clients.start)
        return ConvexClients(
            tuple(self._moved(f) for f in self.clients.objectives), start, None if known is None else self._place(known)
        )

    @property
    def _turned(self) -> bool:
        n = len(self.turn)
        return any(self.turn[i][j] != (i == j) for i in range(n) for j in range(n))

    def _place(self, x: Vector) -> list[Number]:
        n = len(x)
        return [self.length * sum(self.turn[i][j] * x[j] for j in range(n)) + self.shift[i] for i in range(n)]

    def _moved(self, f: Convex) -> Convex:
        c, size, n = Fraction(self.objective), Fraction(self.length), f.dim
        if isinstance(f, Quadratic):
            q = fmpq_mat(n, n, [to_mixed(v) for r in self.turn for v in r])
            turned = q * f.matrix * q.transpose() * to_mixed(c / size**2)
            return Quadratic([[as_number(turned[i, j]) for j in range(n)] for i in range(n)], self._place(f.centre))
        if isinstance(f, LogCosh):
            if c != 1 or any(self.shift):
                raise ValueError("log-cosh is neither scaled nor shifted")
            features = [[sum(self.turn[i][k] * a[k] for k in range(n)) / size for i in range(n)] for a in f.features]
            return LogCosh(features, f.decay / size**2)
        if self._turned:
            raise ValueError(f"{type(f).__name__} is not turned")
        if isinstance(f, Huber):
            scaled = [v * c / size**2 for v in f.curvatures]
            return Huber(scaled, [v * size for v in f.thresholds], self._place(f.centre))
        if isinstance(f, Quartic):
            return Quartic([v * c / size**4 for v in f.scales], self._place(f.centre))
        raise ValueError(f"{type(f).__name__} in other units is not known")


class RatioLimit(Record):
    """The constants theta_0 and delta, which determine g_1, g_2, ..."""

    initial_ratio: Number = scalar(positive, notation.theta_0, default=1)
    growth_damping: Number = scalar(nonnegative, notation.delta, default=1)
