"""Clients with separable (piecewise) quadratic objectives, the tight instances of the theory.

In every coordinate F_m(x) = c(x) x^2 / 2 + b_m x with curvature c = left for x < 0 and right for x >= 0.
All constants and the minimiser are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from flint import arb, ctx
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Client, ring_of
from fltheory.model.dataclass_fields import field_values, replace_fields
from fltheory.model.schema import AsTable, AsVector, Table, format_arguments, read_vector
from fltheory.number import BALL, RATIONAL, Element, Number, Ring, exact, to_float
from fltheory.number.vectors import average, columnwise_mean, exact_sqrt, total
from fltheory.problems.additive_noise import AdditiveNoise, TableClients, type_ids
from fltheory.problems.heterogeneity import uniform_heterogeneity
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.moments import MapMoments

MOST_LISTED = 8  # numbers that are said one by one in words


class SeparableClients(AdditiveNoise, TableClients):
    """Common parts of quadratic and piecewise quadratic clients, with the curvatures on both sides of the kink."""

    curved: ClassVar[tuple[str, ...]]
    axis_aligned = True  # every Hessian is diagonal

    if TYPE_CHECKING:  # fields or properties of each family

        @property
        def left(self) -> Table:
            """Curvatures for x < 0, [client][coordinate]."""

        @property
        def right(self) -> Table:
            """Those for x >= 0."""

    def __post_init__(self) -> None:
        self._read_tables(*self.curved)
        tables = self._tables_of(*self.curved)
        for name, table in zip(self.curved, tables, strict=True):
            if any(not v >= 0 for row in table for v in row):
                raise ValueError(f"{name} must be nonnegative")
        numbers = [v for table in (*tables, self.slopes) for row in table for v in row]
        for v in (*numbers, *self.start, *read_vector(self.noise_std)):
            if not isinstance(v, int | Fraction):
                raise ValueError(f"expected rational numbers, got {v}")
        self._read_noise()

    def __repr__(self) -> str:
        given = {n: v for n, v in field_values(self).items() if n not in ("noise_std", "noise_law")}
        return f"{type(self).__name__}({format_arguments({**given, **self._noise_arguments()})})"

    @cached_property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal objectives."""
        return type_ids(zip(self.left, self.right, self.slopes, strict=True))

    def repeated(self, times: int) -> Self:
        """Return the instance with every client repeated ``times`` times; F and all constants except n_clients stay."""
        names = (*self.curved, "slopes")
        return replace_fields(self, **{n: t * times for n, t in zip(names, self._tables_of(*names), strict=True)})

    # -- objective -------------------------------------------------------------------------------------------

    @cached_property
    def mean_left(self) -> tuple[Fraction, ...]:
        return columnwise_mean(self.left)

    @cached_property
    def mean_right(self) -> tuple[Fraction, ...]:
        return columnwise_mean(self.right)

    @cached_property
    def mean_slope(self) -> tuple[Fraction, ...]:
        return columnwise_mean(self.slopes)

    @cached_property
    def minimiser(self) -> tuple[Number, ...]:
        """The minimiser of F nearest to the start; ValueError if F has none."""
        return tuple(exact(self._minimise(i)) for i in range(self.dim))

    def _minimise(self, i: int) -> Number:
        left, right, slope = self.mean_left[i], self.mean_right[i], self.mean_slope[i]
        flat_left, flat_right = left == 0, right == 0
        if slope == 0:
            start = self.start[i]
            return start if (flat_left and start < 0) or (flat_right and start > 0) else 0
        curvature = left if slope > 0 else right
        if curvature == 0:
            raise ValueError(f"the mean objective is unbounded below in coordinate {i}")
        return -slope / curvature

    def _tables(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        ring = ring_of(x)
        return self._ring_tables(ring, ctx.prec if ring is BALL else 0)

    @lru_cache(maxsize=8)  # noqa: B019 (instances are small and frozen)
    def _ring_tables(self, ring: Ring | None, precision: int) -> tuple[np.ndarray, ...]:
        """left, right, slopes, their means, and the minimiser, as arrays over the ring."""
        tables = (self.left, self.right, self.slopes, self.mean_left, self.mean_right, self.mean_slope, self.minimiser)
        convert = to_float if ring is None else ring.scalar
        result = []
        for table in tables:
            flat = [convert(v) for row in table for v in (row if isinstance(row, tuple) else (row,))]
            array = np.empty(len(flat), dtype=float if ring is None else object)
            array[:] = flat
            result.append(array.reshape(-1, self.dim) if isinstance(table[0], tuple) else array)
        return tuple(result)

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        left, right, slopes, *_ = self._tables(x)
        if self.left is self.right:  # linear: also for affine forms, and without a comparison of balls
            return left[client] * x + slopes[client]
        return _curve(x, left[client], right[client]) + slopes[client]

    def prox(self, x: np.ndarray, client: Client, step: Element) -> np.ndarray:
        """Return u with u + step F_m'(u) = x, on the side of the kink where x - step b lies."""
        left, right, slopes, *_ = self._tables(x)
        moved = x - step * slopes[client]
        if self.left is self.right:
            return moved / (1 + step * left[client])
        return _positive_part(moved) / (1 + step * right[client]) - _positive_part(-moved) / (1 + step * left[client])

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        _, _, _, left, right, slope, _ = self._tables(x)
        return (left * x if self.left is self.right else _curve(x, left, right)) + slope

    def gap(self, x: np.ndarray) -> np.ndarray:
        """F(x) - F*, free of cancellation: 0.5 * sum of curvature * distance^2 on the minimiser's side of the kink."""
        _, _, _, left, right, _, best = self._tables(x)
        half = 0.5 if x.dtype != object else _half(x)
        side = np.array([bool(b < 0) for b in best])
        own = np.where(side, left, right)
        # beyond the kink: curvature differs by (other - own), counted from the kink at 0
        other = np.where(side, right, left) - own
        if not any(best):  # the minimiser is the kink itself
            return (half * _curve(x, left, right) * x).sum(axis=1)
        beyond = np.where(np.broadcast_to(side, x.shape), _positive_part(x), -_positive_part(-x))
        return (half * (own * (x - best) * (x - best) + other * beyond * beyond)).sum(axis=1)

    # -- constants -------------------------------------------------------------------------------------------

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        curvatures = [v for table in (self.left, self.right) for row in table for v in row]
        best = [Fraction(v) for v in self.minimiser]
        at_best = [
            total(
                ((self.left[m][i] if best[i] < 0 else self.right[m][i]) * best[i] + self.slopes[m][i]) ** 2
                for i in range(self.dim)
            )
            for m in range(self.n_clients)
        ]
        start = np.array([[Fraction(v) for v in self.start]], dtype=object)
        distance = total((Fraction(a) - b) ** 2 for a, b in zip(self.start, best, strict=True))
        gradient = total(self._mean_slope_at(Fraction(v), i) ** 2 for i, v in enumerate(self.start))
        found: dict[Symbol, Number] = {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.smoothness: max(curvatures),
            symbols.strong_convexity: min(curvatures),
            symbols.initial_distance: exact_sqrt(distance),
            symbols.initial_gap: exact(self._gap_at(start[0])),
            symbols.initial_gradient: exact_sqrt(gradient),
            symbols.noise_std: exact_sqrt(total(Fraction(s) ** 2 for s in self.noise_std)),
            symbols.heterogeneity_at_optimum: exact_sqrt(average(at_best)),
        }
        found[symbols.noise_std_at_optimum] = found[symbols.noise_std]
        found |= uniform_heterogeneity(self.left, self.right, self.slopes, tuple(best))
        return found

    def _mean_slope_at(self, x: Fraction, i: int) -> Fraction:
        return (self.mean_left[i] if x < 0 else self.mean_right[i]) * x + self.mean_slope[i]

    def _gap_at(self, x: Sequence[Fraction]) -> Fraction:
        def value(point: Fraction, i: int) -> Fraction:
            return (self.mean_left[i] if point < 0 else self.mean_right[i]) * point**2 / 2 + self.mean_slope[i] * point

        pairs = zip(x, self.minimiser, range(self.dim), strict=True)
        return sum((value(p, i) - value(Fraction(b), i) for p, b, i in pairs), Fraction(0))

    def radius(self, step: float) -> list[float] | None:
        """Return upper bounds on the distance of runs with this step size from the minimiser, for each coordinate.

        For step <= 1 / L a client's map contracts by 1 - step * mu around the minimiser, up to step * (slope + noise).
        None for larger steps or a coordinate without curvature.
        """
        if step * max(to_float(v) for t in (self.left, self.right) for row in t for v in row) > 1:
            return None
        reach = []
        for i in range(self.dim):
            mu = min(to_float(v) for t in (self.left, self.right) for v in (row[i] for row in t))
            best = to_float(self.minimiser[i])
            pull = max(
                abs((to_float(self.left[m][i] if best < 0 else self.right[m][i])) * best + to_float(self.slopes[m][i]))
                for m in range(self.n_clients)
            )
            if mu == 0:
                return None
            distance = abs(to_float(self.start[i]) - best)
            reach.append(max(distance, (pull + self.max_noise[i]) / mu) * (1 + 1e-9))
        return reach


def _listed(rows: Sequence[Sequence[Number]]) -> str:
    """Return few numbers as they are, more by their number and range."""
    values = [v for row in rows for v in row]
    if len(values) <= MOST_LISTED:
        each = [", ".join(str(v) for v in row) for row in rows]
        return " and ".join(each) if len(rows[0]) == 1 or len(rows) == 1 else " and ".join(f"({e})" for e in each)
    ends = [f"{to_float(v):.4g}" for v in (min(values, key=to_float), max(values, key=to_float))]
    return ends[0] if ends[0] == ends[1] else f"from {ends[0]} to {ends[1]}"


@dataclass(frozen=True, repr=False, eq=True)
class QuadraticClients(SeparableClients):
    """F_m(x) = sum_i curvatures[m][i] x_i^2 / 2 + slopes[m][i] x_i; one coordinate: plain numbers for each client.

    ``noise_std`` is the standard deviation of the gradient noise in each coordinate (one number: in all of them);
    ``noise_law`` is "two_point" (signs) or "uniform", with one draw per gradient for all coordinates.
    """

    curvatures: AsTable
    slopes: AsTable
    start: AsVector
    noise_std: AsVector = 0
    noise_law: str = "two_point"

    curved = ("curvatures",)

    def in_words(self) -> str:
        """Return the clients in words, for captions: many of them by the range of their curvatures."""
        several = f"{self.n_clients} clients with quadratic functions" if self.n_clients > 1 else "a quadratic function"
        where = "of one variable" if self.dim == 1 else f"of {self.dim} variables"
        return f"{several} {where}, curvatures {_listed(self.curvatures)}, slopes {_listed(self.slopes)}, " + (
            f"start {_listed((self.start,))}"
            + (f", gradient noise {_listed((self.noise_std,))}" if any(self.noise_std) else "")
        )

    @property
    def left(self) -> Table:
        return self.curvatures

    @property
    def right(self) -> Table:
        return self.curvatures

    @cached_property
    def centred(self) -> QuadraticClients:
        """Return the clients translated so that the minimiser is 0."""
        if not any(self.minimiser):
            return self
        best = self.minimiser
        slopes = tuple(
            tuple(b + h * x for b, h, x in zip(b_row, h_row, best, strict=True))
            for b_row, h_row in zip(self.slopes, self.curvatures, strict=True)
        )
        return replace(self, slopes=slopes, start=tuple(a - b for a, b in zip(self.start, best, strict=True)))

    def client_laws(self, client: int, step: Element, n_steps: int, ring: Ring) -> list[MapMoments]:
        """The law of ``n_steps`` local steps of a client, one for every coordinate."""
        laws = []
        for i in range(self.dim):
            one = ring.scalar(1) - step * ring.scalar(self.curvatures[client][i])
            offset = -(step * ring.scalar(self.slopes[client][i]))
            variance = (step * ring.scalar(self.noise_std[i])) ** 2
            laws.append(
                moments.repeat_moments(moments.affine_moments([[one]], [offset], [[variance]], ring), n_steps, ring)
            )
        return laws

    @property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """Blocks of dependent coordinates: each coordinate alone."""
        return tuple((i,) for i in range(self.dim))

    def hessian(self, i: int, j: int) -> Number:
        """Return an entry of the Hessian of F."""
        return self.mean_left[i] if i == j else 0


@dataclass(frozen=True, repr=False, eq=True)
class PiecewiseQuadraticClients(SeparableClients):
    """In every coordinate F_m(x) = left x^2 / 2 for x < 0, right x^2 / 2 for x >= 0, plus slopes[m] x."""

    left: AsTable
    right: AsTable
    slopes: AsTable
    start: AsVector
    noise_std: AsVector = 0
    noise_law: str = "two_point"

    curved = ("left", "right")


@dataclass(frozen=True)
class KinkedFunction:
    """One function f(x) = sum_i c_i(x_i) x_i^2 / 2 + slopes_i x_i at exact points; curvatures of any sign."""

    left: Sequence[Number]
    right: Sequence[Number]
    slopes: Sequence[Number]

    def curvature(self, i: int, at: Number) -> Fraction:
        """c_i on the side of a point."""
        return Fraction(self.left[i] if at < 0 else self.right[i])

    def value(self, at: Sequence[Number]) -> Fraction:
        """f at a point."""
        return sum((self.curvature(i, v) * v * v / 2 + self.slopes[i] * v for i, v in enumerate(at)), Fraction(0))

    def gradient(self, at: Sequence[Number]) -> tuple[Fraction, ...]:
        """Its gradient."""
        return tuple(self.curvature(i, v) * v + self.slopes[i] for i, v in enumerate(at))


def _half(x: np.ndarray) -> Any:
    return (ring_of(x) or RATIONAL).scalar(Fraction(1, 2))


def _curve(x: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """c(x) x with c = left for x < 0 and right for x >= 0."""
    if x.dtype != object:
        return np.where(x < 0, left, right) * x
    return left * -_positive_part(-x) + right * _positive_part(x)


def _positive_part(x: np.ndarray) -> np.ndarray:
    if x.dtype != object:
        return np.maximum(x, 0.0)
    parts = [v.max(arb(0)) if isinstance(v, arb) else max(v, v * 0) for v in x.flat]
    result = np.empty(len(parts), dtype=object)
    result[:] = parts
    return result.reshape(x.shape)
