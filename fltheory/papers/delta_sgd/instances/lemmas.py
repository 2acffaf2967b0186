"""Instances for Section 2 and the lemmas on smoothness: functions of inner products, points, gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from sympy import Symbol

from fltheory.model.schema import (
    AsTable,
    AsVector,
    Data,
    Domain,
    Record,
    constant,
    nonnegative,
    per,
    positive,
    read_table,
    read_vector,
    real,
    scalar,
)
from fltheory.number import RATIONAL, Number, as_number, exact, to_ball
from fltheory.number.mixed import Mixed, to_mixed, to_ring
from fltheory.number.vectors import average, columnwise_mean, total
from fltheory.papers.delta_sgd import notation

Vector = tuple[Fraction, ...]
Jet = tuple[Any, Any]  # value and slope


def dot(x: Iterable[Number], y: Iterable[Number]) -> Fraction:
    """Return <x, y>."""
    return total(Fraction(v) * w for v, w in zip(x, y, strict=True))


def is_rational(value: object) -> bool:
    """Return whether a number is an exact fraction."""
    return isinstance(value, int | Fraction)


# Validation of rational data
FRACTION = Domain("rational numbers", is_rational, real.draw)
ABOVE_0 = Domain("positive rational numbers", lambda v: is_rational(v) and v > 0, positive.draw)
AT_LEAST_0 = Domain("rational numbers of at least 0", lambda v: is_rational(v) and v >= 0, nonnegative.draw)


def rational(name: str, values: tuple[Number, ...]) -> Vector:
    """Return the numbers; ValueError if one is irrational."""
    if not all(map(is_rational, values)):
        raise ValueError(f"{name}: expected rational numbers")
    return values


def rational_rows(name: str, values: AsTable) -> tuple[Vector, ...]:
    """Return rational vectors of one length, at least one; ValueError says what is wrong."""
    found = tuple(rational(name, row) for row in read_table(values))
    if not found or not found[0] or len({len(row) for row in found}) > 1:
        raise ValueError(f"{name}: expected vectors of one length")
    return found


# Functions of one variable ------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Pieces(Data):
    """A piecewise quadratic function, 0 with slope 0 at ``centre``, with one curvature for each piece."""

    breaks: AsVector
    curvatures: AsVector
    centre: Number = 0

    def __post_init__(self) -> None:
        self._set(
            breaks=rational("breaks", read_vector(self.breaks)),
            curvatures=rational("curvatures", read_vector(self.curvatures)),
        )
        self._set(centre=rational("centre", (exact(self.centre),))[0])
        if len(self.curvatures) != len(self.breaks) + 1 or any(a >= b for a, b in pairwise(self.breaks)):
            raise ValueError("expected increasing breaks, and a curvature for each piece")

    def parts(self, low: Number, high: Number) -> Iterator[tuple[Number, Number, Number]]:
        """Yield curvature and ends of the pieces of an interval on which the function is one quadratic."""
        ends = (low, *(b for b in self.breaks if low < b < high), high)
        for a, b in pairwise(ends):
            if a < b:
                yield self.curvatures[sum(s <= a for s in self.breaks)], a, b

    def jet(self, t: Fraction) -> Jet:
        """Return value and slope."""
        parts = tuple(self.parts(min(t, self.centre), max(t, self.centre)))
        value = total(k * abs((b - t) ** 2 - (a - t) ** 2) for k, a, b in parts) / 2
        slope = total(Fraction(k * (b - a)) for k, a, b in parts)
        return value, slope if t > self.centre else -slope

    def steepest(self, low: Number, high: Number) -> Number:
        """Return the Lipschitz constant of the slope on an interval."""
        return max((abs(k) for k, _, _ in self.parts(low, high)), default=0)


def huber(width: Number, weight: Number = 1, centre: Number = 0) -> Pieces:
    """Return weight/2 (t - centre)^2 within ``width`` of the centre, linear beyond."""
    w, c = exact(width), exact(centre)
    return Pieces((c - w, c + w), (0, weight, 0), c)


def quadratic(weight: Number = 1, centre: Number = 0) -> Pieces:
    """Return weight/2 (t - centre)^2."""
    return Pieces((), weight, centre)


class Quartic(Record):
    """weight/4 (t - centre)^4, whose slope is Lipschitz on bounded sets only."""

    weight: Number = scalar(FRACTION, default=1)
    centre: Number = scalar(FRACTION, default=0)

    def jet(self, t: Fraction) -> Jet:
        """Return value and slope."""
        s = t - self.centre
        return self.weight * s**4 / Fraction(4), self.weight * s**3

    def steepest(self, low: Number, high: Number) -> Number:
        """Return the Lipschitz constant of the slope on an interval."""
        return 3 * abs(self.weight) * max((low - self.centre) ** 2, (high - self.centre) ** 2)


class LogCosh(Record):
    """weight log cosh(t - centre), in balls."""

    weight: Number = scalar(FRACTION, default=1)
    centre: Number = scalar(FRACTION, default=0)

    def jet(self, t: Fraction) -> Jet:
        """Return value and slope."""
        s, w = to_ball(t - self.centre), to_ball(self.weight)
        return w * s.cosh().log(), w * s.tanh()

    def steepest(self, low: Number, high: Number) -> Number:
        """Return a Lipschitz constant of the slope on the whole line."""
        return abs(self.weight)


Curve = Pieces | Quartic | LogCosh


def rational_of(value: Mixed) -> Fraction:
    """Return a mixed number as a fraction; NotRational for a ball."""
    return Fraction(as_number(to_ring(value, RATIONAL)))


# Functions of many variables ----------------------------------------------------------------------------------------


def steepness(directions: tuple[Vector, ...], curvatures: Sequence[Number]) -> Fraction:
    """Return a bound on the norm of sum c_j a_j a_j^T, which is the norm itself for orthogonal directions a_j.

    Its nonzero eigenvalues are those of the matrix (c_j <a_i, a_j>), at most the largest row sum of this matrix.
    """
    return max(total(abs(dot(a, b)) * c for b, c in zip(directions, curvatures, strict=True)) for a in directions)


@dataclass(frozen=True, repr=False)
class Ridges(Data):
    """f(x) = sum over j of curve_j(<direction_j, x>)."""

    directions: AsTable
    curves: tuple[Curve, ...]

    def __post_init__(self) -> None:
        self._set(directions=rational_rows("directions", self.directions), curves=tuple(self.curves))
        self._require_same_length("directions", "curves")

    @property
    def dim(self) -> int:
        """The dimension."""
        return len(self.directions[0])

    def jet(self, x: Vector) -> tuple[Any, list[Any]]:
        """Return value and gradient as mixed numbers."""
        jets = [c.jet(dot(a, x)) for a, c in zip(self.directions, self.curves, strict=True)]
        slopes = [to_mixed(s) for _, s in jets]
        gradient = [
            sum(to_mixed(a[i]) * s for a, s in zip(self.directions, slopes, strict=True)) for i in range(self.dim)
        ]
        return sum(to_mixed(v) for v, _ in jets), gradient

    def smoothness(self, points: tuple[Vector, ...]) -> Fraction:
        """Return a Lipschitz constant of the gradient on the convex hull of the points."""
        along = [[dot(a, p) for p in points] for a in self.directions]
        steepest = [c.steepest(min(t), max(t)) for t, c in zip(along, self.curves, strict=True)]
        return steepness(self.directions, steepest)


@dataclass(frozen=True, repr=False)
class Between(Data):
    """A client's objective, two different points, and others that belong to the hull of (9)."""

    objective: Ridges
    x: AsVector
    y: AsVector
    others: AsTable = ()

    def __post_init__(self) -> None:
        self._set(x=rational("x", read_vector(self.x)), y=rational("y", read_vector(self.y)))
        self._set(others=tuple(rational("others", p) for p in read_table(self.others)))
        if any(len(p) != self.objective.dim for p in self.points) or self.x == self.y:
            raise ValueError(f"expected different points of dimension {self.objective.dim}")

    @property
    def points(self) -> tuple[Vector, ...]:
        """Return all points that span the hull."""
        return (self.x, self.y, *self.others)

    def jet(self, x: Vector) -> tuple[Any, list[Any]]:
        """Return value and gradient."""
        return self.objective.jet(x)

    @cached_property
    def smoothness(self) -> Fraction:
        """Return a Lipschitz constant of the gradient on the hull."""
        return self.objective.smoothness(self.points)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return the local smoothness."""
        return {notation.L_hat: self.smoothness}


@dataclass(frozen=True, repr=False)
class SharedPair(Data):
    """Clients whose hulls share two points x and y, such as x_t and x_{t+1}: f is their mean."""

    clients: tuple[Between, ...]

    def __post_init__(self) -> None:
        self._set(clients=tuple(self.clients))
        if len({(c.x, c.y) for c in self.clients}) != 1:
            raise ValueError("expected clients with the same points x and y")

    @property
    def x(self) -> Vector:
        """The first point."""
        return self.clients[0].x

    @property
    def y(self) -> Vector:
        """The second point."""
        return self.clients[0].y

    def jet(self, x: Vector) -> tuple[Any, list[Any]]:
        """Return value and gradient of the mean."""
        jets = [c.jet(x) for c in self.clients]
        value = sum(v for v, _ in jets) / len(jets)
        return value, [sum(column) / len(jets) for column in zip(*(g for _, g in jets), strict=True)]

    @cached_property
    def mean_smoothness(self) -> Fraction:
        """Return the mean of the clients' constants."""
        return average([c.smoothness for c in self.clients])

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return the number of clients and the largest of their constants."""
        return {notation.m: len(self.clients), notation.L_hat: max(c.smoothness for c in self.clients)}


@dataclass(frozen=True, repr=False)
class OnInterval(Data):
    """Piecewise quadratic clients of one variable on an interval, so that every Lipschitz constant is exact."""

    clients: tuple[Pieces, ...]
    low: Number
    high: Number

    def __post_init__(self) -> None:
        low, high = rational("interval", (exact(self.low), exact(self.high)))
        self._set(clients=tuple(self.clients), low=low, high=high)
        if not self.clients or not low < high or not self.mean_smoothness:
            raise ValueError("expected clients that are not all linear, and low < high")

    @cached_property
    def mean_smoothness(self) -> Fraction:
        """Return the mean of the clients' Lipschitz constants."""
        return average([Fraction(c.steepest(self.low, self.high)) for c in self.clients])

    @cached_property
    def smoothness_of_mean(self) -> Fraction:
        """Return the Lipschitz constant of the mean of the clients' slopes."""
        inside = {b for c in self.clients for b in c.breaks if self.low < b < self.high}
        cells = pairwise(sorted({self.low, self.high} | inside))
        return max(abs(average([Fraction(k) for c in self.clients for k, _, _ in c.parts(a, b)])) for a, b in cells)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return the number of clients."""
        return {notation.m: len(self.clients)}


class RuleStep(Record):
    """Rule (4) at two successive points x and y, after a step size and its ratio to the previous one."""

    objective: Ridges
    x: AsVector = per("coordinates", of=FRACTION)
    y: AsVector = per("coordinates", of=FRACTION)
    last_step: Number = scalar(ABOVE_0)
    last_ratio: Number = scalar(AT_LEAST_0, default=1)

    def require(self) -> None:
        """Require different points of the objective's dimension."""
        Between(self.objective, self.x, self.y)

    @cached_property
    def change(self) -> Fraction:
        """Return |change of the gradient|^2 over |y - x|^2."""
        ends = [[rational_of(v) for v in self.objective.jet(p)[1]] for p in (self.x, self.y)]
        return squared_distance(*ends) / squared_distance(self.x, self.y)

    @property
    def cap(self) -> Fraction:
        """Return the square of the second entry of (4)."""
        return Fraction((1 + self.last_ratio) * self.last_step**2)

    @property
    def first_is_active(self) -> bool:
        """Return whether the first entry of (4) is no larger than the second."""
        return 4 * self.cap * self.change >= 1

    @property
    def squared_step(self) -> Fraction:
        """Return the square of the step that (4) chooses."""
        return 1 / (4 * self.change) if self.first_is_active else self.cap


# Vectors ------------------------------------------------------------------------------------------------------------


def squared_distance(x: Iterable[Number], y: Iterable[Number]) -> Fraction:
    """Return |x - y|^2."""
    return total((Fraction(v) - w) ** 2 for v, w in zip(x, y, strict=True))


class LocalMove(Record):
    """One client's step from x_t with its own step size along its gradient, which is not 0."""

    gradient: AsVector = per("coordinates", of=FRACTION, nonzero=True)
    step: Number = scalar(ABOVE_0)


class Vectors(Record):
    """Vectors of one length, not all 0."""

    vectors: AsTable = per(notation.m, "coordinates", of=FRACTION, nonzero=True)


class Gradients(Vectors):
    """The clients' gradients at a point that is not stationary for their mean, and nonnegative weights, not all 0."""

    weights: AsVector = per(notation.m, of=AT_LEAST_0, nonzero=True, default=())

    def require(self) -> None:
        """Require a mean other than 0."""
        if not any(self.mean):
            raise ValueError("expected a mean other than 0")

    @cached_property
    def mean(self) -> Vector:
        """Return the gradient of f."""
        return columnwise_mean(self.vectors)

    @cached_property
    def shares(self) -> Vector:
        """Return <gradient of a client, that of f> over |gradient of f|^2."""
        return tuple(dot(g, self.mean) / dot(self.mean, self.mean) for g in self.vectors)

    @constant(notation.rho)
    def dissimilarity(self) -> Fraction:
        """Return the dissimilarity (1c) at the point."""
        return max(squared_distance(g, self.mean) for g in self.vectors) / dot(self.mean, self.mean)
