"""Clients interpolated from values and gradients at finitely many points, which make a worst case an instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Symbol

from fltheory import symbols
from fltheory.model.schema import AsVector, Data, Vector, read_table, read_vector
from fltheory.number import RATIONAL, Number, exact
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.additive_noise import type_ids
from fltheory.problems.interpolated.evaluated import FunctionClients, read_point, to_python_fraction
from fltheory.problems.interpolated.interpolant import ZERO, Interpolant, PointData, square


@dataclass(frozen=True, repr=False)
class InterpolatedClients(FunctionClients, Data):
    """``points[m][i]``, ``gradients[m][i]``: vectors; ``values[m][i]``: numbers. The first point of every client is x*.

    Curvatures lie between ``strong_convexity`` and ``smoothness``. ValueError if no functions of this class have these
    data, or x* is not a minimiser of their mean.
    """

    points: Sequence[Any]
    gradients: Sequence[Any]
    values: Sequence[Any]
    start: AsVector
    smoothness: Number = 1
    strong_convexity: Number = 0

    def __post_init__(self) -> None:
        tables = {n: tuple(read_table(client) for client in getattr(self, n)) for n in ("points", "gradients")}
        self._set(start=read_vector(self.start), values=read_table(self.values), **tables)
        self._set(smoothness=exact(self.smoothness), strong_convexity=exact(self.strong_convexity))
        shapes = {len(t) for t in (self.points, self.gradients, self.values)}
        if len(shapes) != 1 or not self.points:
            raise ValueError("points, gradients and values need one entry for every client")
        for p, g, v in zip(self.points, self.gradients, self.values, strict=True):
            if not len(p) == len(g) == len(v) or any(len(one) != self.dim for one in (*p, *g)):
                raise ValueError("every point needs a gradient, a value, and one entry for every coordinate of start")
        if not 0 <= self.strong_convexity < self.smoothness:
            raise ValueError(f"strong_convexity must lie in [0, smoothness), got {self.strong_convexity}")
        self._require_data()

    def _require_data(self) -> None:
        """ValueError unless functions of the class have these data and x* minimises their mean."""
        if len({client[0] for client in self.points}) > 1:
            raise ValueError("the first point of every client must be the same, x*")
        pulls = [f.data[0].gradient for f in self._functions]
        if any(sum(p[i] for p in pulls) != 0 for i in range(self.dim)):
            raise ValueError("the gradients at the first point, x*, must sum to 0")
        for m, function in enumerate(self._functions):
            missed = function.missed()
            if missed is not None:
                raise ValueError(f"no function of this class has the data of client {m}: see its point {missed}")

    @property
    def n_clients(self) -> int:
        return len(self.points)

    @property
    def dim(self) -> int:
        return len(self.start)

    @property
    def minimiser(self) -> Vector:
        return self.points[0][0]

    @property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal objectives."""
        return type_ids(zip(self.points, self.gradients, self.values, strict=True))

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        start, best = (read_point(v) for v in (self.start, self.minimiser))
        away = square([a - b for a, b in zip(start, best, strict=True)])
        pulls = [square(f.data[0].gradient) for f in self._functions]
        gap = sum((f.at(start).value - f.data[0].value for f in self._functions), ZERO)
        return {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.smoothness: self.smoothness,
            symbols.strong_convexity: self.strong_convexity,
            symbols.initial_distance: exact_sqrt(to_python_fraction(away)),
            symbols.initial_gap: exact(to_python_fraction(gap / self.n_clients)),
            symbols.heterogeneity_at_optimum: exact_sqrt(to_python_fraction(sum(pulls, ZERO) / self.n_clients)),
            symbols.max_heterogeneity_at_optimum: exact_sqrt(to_python_fraction(max(pulls))),
            symbols.noise_std: 0,
        }

    @cached_property
    def _functions(self) -> tuple[Interpolant, ...]:
        low, high = RATIONAL.scalar(self.strong_convexity), RATIONAL.scalar(self.smoothness)
        found = []
        for points, gradients, values in zip(self.points, self.gradients, self.values, strict=True):
            data = (PointData(RATIONAL.scalar(v), read_point(g)) for g, v in zip(gradients, values, strict=True))
            found.append(Interpolant([read_point(x) for x in points], list(data), low, high))
        return tuple(found)
