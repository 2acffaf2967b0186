"""Clients that are maxima of affine functions, which make a worst case of Lipschitz functions an instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import arb
from sympy import Symbol

from fltheory import symbols
from fltheory.model.schema import AsVector, Data, Vector, read_table, read_vector
from fltheory.number import RATIONAL, Number, exact
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.additive_noise import type_ids
from fltheory.problems.interpolated.evaluated import FunctionClients, gradient_length, read_point, to_python_fraction
from fltheory.problems.interpolated.interpolant import ZERO, Point, PointData, dot, square


class MaxOfAffine:
    """max_i value_i + <gradient_i, x - place_i>, with these subgradients at the places, else the first active one."""

    def __init__(self, places: Sequence[Point], data: Sequence[PointData]) -> None:
        self.places, self.data = tuple(places), tuple(data)
        self._seen = dict(zip(self.places, self.data, strict=True))
        self.steepest = max(square(known.gradient) for known in data)

    def at(self, x: Point) -> PointData:
        """Return value and a subgradient."""
        return self._seen[x] if x in self._seen else self.largest(x)

    def largest(self, x: Point) -> PointData:
        """Return the value and gradient of the first active affine function, whatever the data at this point."""
        pieces = zip(self.places, self.data, strict=True)
        heights = [k.value + dot(k.gradient, [a - b for a, b in zip(x, place, strict=True)]) for place, k in pieces]
        top = max(range(len(heights)), key=heights.__getitem__)
        return PointData(heights[top], self.data[top].gradient)

    def off(self, known: PointData, away: arb) -> tuple[arb, arb]:
        """Bound the change of subgradient and value; near a kink the subgradient is arbitrary."""
        limit = arb(self.steepest).sqrt()
        return (arb(0) if away == 0 else limit + gradient_length(known.gradient)), limit * away

    def missed(self) -> int | None:
        """Return the first data point below another affine function or at the place of another, or None."""
        pairs = enumerate(zip(self.places, self.data, strict=True))
        return next((i for i, (x, k) in pairs if self.largest(x).value != k.value or self.places.index(x) != i), None)


@dataclass(frozen=True, repr=False)
class PiecewiseLinearClients(FunctionClients, Data):
    """``points[m][i]``, ``gradients[m][i]``: vectors; ``values[m][i]``: numbers. The first point of every client is x*.

    ``compared``: x* is only a point of comparison and need not minimise the mean. ValueError if no convex functions
    have these data, or x* must be a minimiser of their mean and is not.
    """

    points: Sequence[Any]
    gradients: Sequence[Any]
    values: Sequence[Any]
    start: AsVector
    compared: bool = False

    def __post_init__(self) -> None:
        self._set(points=tuple(map(read_table, self.points)), gradients=tuple(map(read_table, self.gradients)))
        self._set(start=read_vector(self.start), values=read_table(self.values))
        if len({len(t) for t in (self.points, self.gradients, self.values)}) != 1 or not self.points:
            raise ValueError("points, gradients and values need one entry for every client")
        for p, g, v in zip(self.points, self.gradients, self.values, strict=True):
            if not len(p) == len(g) == len(v) or any(len(one) != self.dim for one in (*p, *g)):
                raise ValueError(
                    "every point needs a subgradient, a value, and one entry for every coordinate of start"
                )
        self._require_data()

    def _require_data(self) -> None:
        """ValueError unless convex functions have these data and x* minimises their mean."""
        if len({client[0] for client in self.points}) > 1:
            raise ValueError("the first point of every client must be the same, x*")
        for m, function in enumerate(self._functions):
            missed = function.missed()
            if missed is not None:
                raise ValueError(f"no convex function has the data of client {m}: see its point {missed}")
        pulls = [f.data[0].gradient for f in self._functions]
        if not self.compared and any(sum(column) != 0 for column in zip(*pulls, strict=True)):
            raise ValueError("the subgradients at the first point, x*, must sum to 0")

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
        gap = sum((f.at(start).value - f.data[0].value for f in self._functions), ZERO)
        of_minimum = {} if self.compared else {symbols.initial_gap: exact(to_python_fraction(gap / self.n_clients))}
        return {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.client_gradient_bound: exact_sqrt(to_python_fraction(max(f.steepest for f in self._functions))),
            symbols.initial_distance: exact_sqrt(to_python_fraction(away)),
            **of_minimum,
            symbols.noise_std: 0,
        }

    @cached_property
    def _functions(self) -> tuple[MaxOfAffine, ...]:
        found = []
        for points, gradients, values in zip(self.points, self.gradients, self.values, strict=True):
            data = [PointData(RATIONAL.scalar(v), read_point(g)) for g, v in zip(gradients, values, strict=True)]
            found.append(MaxOfAffine([read_point(x) for x in points], data))
        return tuple(found)
