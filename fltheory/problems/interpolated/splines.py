"""Clients of one coordinate with any number of kinks: convex functions whose gradients are piecewise linear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import arb, fmpq
from sympy import Symbol

from fltheory import symbols
from fltheory.model.schema import AsTable, AsVector, Data, Table, format_arguments, read_table, read_vector
from fltheory.number import RATIONAL, Number, exact
from fltheory.number.vectors import average, exact_sqrt
from fltheory.problems.additive_noise import type_ids
from fltheory.problems.interpolated.evaluated import FunctionClients, gradient_length, read_point, to_python_fraction
from fltheory.problems.interpolated.interpolant import ZERO, Point, PointData


class QuadraticSpline:
    """A function with these curvatures between the knots, value 0 and gradient ``slope`` at 0, by rational points."""

    def __init__(self, curvatures: Sequence[fmpq], knots: Sequence[fmpq], slope: fmpq) -> None:
        self.curvatures, self.knots, self.slope = tuple(curvatures), tuple(knots), slope
        self.data: tuple[PointData, ...] = ()

    def at(self, x: Point) -> PointData:
        """Return value and gradient at a point of one coordinate."""
        value, gradient, here = ZERO, self.slope, ZERO
        inside = [k for k in self.knots if min(ZERO, x[0]) < k < max(ZERO, x[0])]
        for there in (*(inside if x[0] > 0 else reversed(inside)), x[0]):
            after = gradient + self.curvature(here, there) * (there - here)
            value += (gradient + after) * (there - here) / 2  # the gradient is linear between neighbouring knots
            gradient, here = after, there
        return PointData(value, (gradient,))

    def curvature(self, a: fmpq, b: fmpq) -> fmpq:
        """Return the curvature between two points without a knot between them."""
        return self.curvatures[sum(k <= min(a, b) for k in self.knots)]

    def off(self, known: PointData, away: arb) -> tuple[arb, arb]:
        """Bound the change of gradient and value between a point and others within this distance."""
        bend = arb(max(self.curvatures)) * away
        return bend, gradient_length(known.gradient) * away + bend * away / 2


@dataclass(frozen=True, repr=False)
class SplineClients(FunctionClients, Data):
    """F_m'(x) is continuous, ``slopes[m]`` at 0, and has slope ``curvatures[m][i]`` before the i-th of ``knots[m]``.

    One coordinate, without noise. A client has one curvature more than knots, which increase; without knots it is a
    quadratic. ``minimiser`` is that nearest to the start. ValueError for negative curvatures, other numbers of knots,
    or a mean that is unbounded below.
    """

    curvatures: AsTable
    knots: AsTable
    slopes: AsVector
    start: AsVector

    def __post_init__(self) -> None:
        self._set(curvatures=read_table(self.curvatures), knots=read_table(self.knots))
        self._set(slopes=read_vector(self.slopes), start=read_vector(self.start))
        if not self.slopes or not len(self.slopes) == len(self.curvatures) == len(self.knots):
            raise ValueError("curvatures, knots and slopes need one entry for every client")
        if len(self.start) != 1:
            raise ValueError(f"start must have one coordinate, got {len(self.start)}")
        rows = (self.slopes, self.start, *self.curvatures, *self.knots)
        if any(not isinstance(v, int | Fraction) for row in rows for v in row):
            raise ValueError("curvatures, knots, slopes and start must be rational")
        for m, (curvatures, knots) in enumerate(zip(self.curvatures, self.knots, strict=True)):
            if len(curvatures) != len(knots) + 1:
                raise ValueError(
                    f"client {m} has {len(curvatures)} curvatures and {len(knots)} knots, expected one curvature more"
                )
            if any(not c >= 0 for c in curvatures):
                raise ValueError(f"the curvatures of client {m} must be nonnegative")
            if any(not a < b for a, b in pairwise(knots)):
                raise ValueError(f"the knots of client {m} must increase")
        best = (RATIONAL.scalar(self.minimiser[0]),)
        for function in self._functions:
            function.data = (function.at(best),)

    def __repr__(self) -> str:
        rows = {"curvatures": self.curvatures, "knots": self.knots, "slopes": self.slopes}
        return f"SplineClients({format_arguments({**rows, 'start': self.start})})"

    @property
    def n_clients(self) -> int:
        return len(self.slopes)

    @property
    def dim(self) -> int:
        return 1

    @property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal objectives."""
        return type_ids(zip(self.curvatures, self.knots, self.slopes, strict=True))

    @cached_property
    def _functions(self) -> tuple[QuadraticSpline, ...]:
        slopes = read_point(self.slopes)
        tables: list[Table] = [self.curvatures, self.knots]
        curvatures, knots = (tuple(map(read_point, table)) for table in tables)
        return tuple(QuadraticSpline(*rows) for rows in zip(curvatures, knots, slopes, strict=True))

    def _mean_slope(self, x: fmpq) -> fmpq:
        """The gradient of F at a point."""
        return sum((f.at((x,)).gradient[0] for f in self._functions), ZERO) / self.n_clients

    @cached_property
    def minimiser(self) -> tuple[Number]:
        """The minimiser of F nearest to the start; ValueError if F is unbounded below."""
        (start,) = read_point(self.start)
        slope = self._mean_slope(start)
        if slope == 0:
            return (exact(to_python_fraction(start)),)
        way = -1 if slope > 0 else 1
        knots = {k for f in self._functions for k in f.knots if (k - start) * way > 0}
        here = start
        for there in sorted(knots, key=lambda k: abs(k - start)):
            if self._mean_slope(there) * way >= 0:
                break
            here = there
        else:
            there = here + way
        slope, beyond = self._mean_slope(here), self._mean_slope(there)
        if slope == beyond:
            raise ValueError("the mean objective is unbounded below")
        return (exact(to_python_fraction(here - slope * (there - here) / (beyond - slope))),)

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        (start,), (best,) = read_point(self.start), read_point(self.minimiser)
        curvatures = [c for row in self.curvatures for c in row]
        pulls = [to_python_fraction(f.data[0].gradient[0]) ** 2 for f in self._functions]
        gap = sum((f.at((start,)).value - f.data[0].value for f in self._functions), ZERO) / self.n_clients
        return {
            symbols.n_clients: self.n_clients,
            symbols.dimension: 1,
            symbols.smoothness: max(curvatures),
            symbols.strong_convexity: min(curvatures),
            symbols.initial_distance: exact(to_python_fraction(abs(start - best))),
            symbols.initial_gap: exact(to_python_fraction(gap)),
            symbols.initial_gradient: exact(to_python_fraction(abs(self._mean_slope(start)))),
            symbols.heterogeneity_at_optimum: exact_sqrt(average(pulls)),
            symbols.max_heterogeneity_at_optimum: exact_sqrt(max(pulls)),
            symbols.noise_std: 0,
        }
