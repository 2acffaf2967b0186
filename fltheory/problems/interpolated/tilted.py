"""Clients that differ only by linear functions, so that the differences of their gradients are constant."""

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
from fltheory.problems.interpolated.interpolant import ZERO, Interpolant, PointData, TiltedFunction, square


@dataclass(frozen=True, repr=False)
class TiltedClients(FunctionClients, Data):
    """F_m(x) = F(x) + <h_m, x>: F from data at ``points``, of which the first is x*, and ``tilts`` h_m with sum 0.

    Curvatures lie between ``curvature`` and ``smoothness``; ``curvature`` is at least 0, or -``smoothness``. ValueError
    if no function has these data, or x* is not a minimiser of it.
    """

    points: Sequence[Any]
    gradients: Sequence[Any]
    values: AsVector
    tilts: Sequence[Any]
    start: AsVector
    smoothness: Number = 1
    curvature: Number = 0

    def __post_init__(self) -> None:
        self._set(**{name: read_table(given) for name, given in zip(TABLES, self._tables, strict=True)})
        self._set(start=read_vector(self.start), values=read_vector(self.values))
        self._set(smoothness=exact(self.smoothness), curvature=exact(self.curvature))
        if not len(self.points) == len(self.gradients) == len(self.values) or not self.points or not self.tilts:
            raise ValueError("every point needs a gradient and a value, every client a tilt")
        if any(len(one) != self.dim for one in (*self.points, *self.gradients, *self.tilts)):
            raise ValueError("points, gradients and tilts need one entry for every coordinate of start")
        if not (0 <= self.curvature < self.smoothness or 0 < self.smoothness == -self.curvature):
            raise ValueError(f"curvature must be -smoothness, or lie in [0, smoothness), got {self.curvature}")
        self._require_data()

    @property
    def _tables(self) -> tuple[Sequence[Any], ...]:
        return self.points, self.gradients, self.tilts

    def _require_data(self) -> None:
        """ValueError unless a function of the class has these data, the first at its minimum, and the tilts sum to 0."""
        if any(sum(column) != 0 for column in zip(*map(read_point, self.tilts), strict=True)):
            raise ValueError("the tilts must sum to 0")
        missed = self._mean.missed()
        if missed is not None:
            raise ValueError(f"no function of this class has these data: see its point {missed}")
        best, *others = self._mean.data
        if any(best.gradient):
            raise ValueError("the gradient at the first point, x*, must be 0")
        # With mu = -L the hull at its minimiser x = 2 sum a_i z_i is concave in the weights, so it is least at a
        # vertex. There it has the value after a step of 1/L from one of the data points (Drori and Shamir 2020).
        lowest = min(
            (k.value - square(k.gradient) / (2 * RATIONAL.scalar(self.smoothness)) for k in others), default=None
        )
        if self.curvature < 0 and lowest is not None and lowest < best.value:
            raise ValueError("the first point, x*, is not a minimiser: a step from another point reaches a lower value")

    @property
    def n_clients(self) -> int:
        return len(self.tilts)

    @property
    def dim(self) -> int:
        return len(self.start)

    @property
    def minimiser(self) -> Vector:
        return self.points[0]

    @property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal objectives."""
        return type_ids(self.tilts)

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        start, best = (read_point(v) for v in (self.start, self.minimiser))
        away = square([a - b for a, b in zip(start, best, strict=True)])
        pulls = [square(read_point(tilt)) for tilt in self.tilts]
        spread = exact_sqrt(to_python_fraction(sum(pulls, ZERO) / len(pulls)))
        convex = {symbols.strong_convexity: self.curvature} if self.curvature >= 0 else {}
        return {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.smoothness: self.smoothness,
            **convex,
            symbols.initial_distance: exact_sqrt(to_python_fraction(away)),
            symbols.initial_gap: exact(to_python_fraction(self._mean.at(start).value - self._mean.data[0].value)),
            symbols.heterogeneity_at_optimum: spread,
            symbols.heterogeneity: spread,
            symbols.heterogeneity_slope: 0,
            symbols.max_heterogeneity: exact_sqrt(to_python_fraction(max(pulls))),
            symbols.hessian_heterogeneity: 0,
            symbols.noise_std: 0,
        }

    @cached_property
    def _mean(self) -> Interpolant:
        data = [PointData(RATIONAL.scalar(v), read_point(g)) for g, v in zip(self.gradients, self.values, strict=True)]
        low, high = RATIONAL.scalar(self.curvature), RATIONAL.scalar(self.smoothness)
        return Interpolant([read_point(x) for x in self.points], data, low, high)

    @cached_property
    def _functions(self) -> tuple[TiltedFunction, ...]:
        return tuple(TiltedFunction(self._mean, read_point(tilt)) for tilt in self.tilts)


TABLES = ("points", "gradients", "tilts")
