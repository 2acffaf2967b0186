"""Decision sets: boxes, Euclidean balls and the probability simplex, with exact projections.

A set of your own is a class with the members of ``Domain``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np

from fltheory.model.case import ring_of
from fltheory.model.schema import AsVector, Data, Vector, integer, read_vector
from fltheory.number import BALL, NotRational, Number, exact, to_ball, upper_float
from fltheory.number.mixed import Mixed, larger_of, mixed_array, mixed_sqrt, smaller_of, to_mixed
from fltheory.number.vectors import exact_sqrt, total
from fltheory.problems.additive_noise import ring_array

Point = tuple[Fraction, ...]


@runtime_checkable
class Domain(Protocol):
    """A convex and compact set of R^d."""

    @property
    def dim(self) -> int:
        """The number of coordinates d."""

    @property
    def diameter(self) -> Number:
        """The largest distance of two points of the set, or more."""

    def project(self, x: np.ndarray) -> np.ndarray:
        """Return the point of the set nearest to every row of x, (runs, dim): floats, or exact if x is exact."""

    def least_linear(self, slope: Sequence[Number]) -> Number:
        """Return min over u in the set of <slope, u>: an exact number, or a ball that encloses it."""

    def farthest_square(self, centre: Sequence[Number], weights: Sequence[Number]) -> Number:
        """Return an upper bound of sum_i weights_i (u_i - centre_i)^2 over u in the set."""


def _rationals(name: str, values: object) -> Point:
    found = read_vector(values)
    if not found or any(not isinstance(v, int | Fraction) for v in found):
        raise ValueError(f"{name} = {values!r}: expected rational numbers, one for every coordinate")
    return tuple(Fraction(v) for v in found)


@dataclass(frozen=True, repr=False)
class Box(Data):
    """The points with low_i <= x_i <= high_i: ``Box(0, 1)`` is an interval, ``Box((0, -1), (1, 1))`` has two coordinates."""

    low: AsVector
    high: AsVector

    def __post_init__(self) -> None:
        low, high = _rationals("low", self.low), _rationals("high", self.high)
        if len(low) != len(high) or any(a > b for a, b in zip(low, high, strict=True)) or low == high:
            raise ValueError(
                f"low = {self.low}, high = {self.high}: expected low_i <= high_i in every coordinate, and < in one"
            )
        self._set(low=read_vector(self.low), high=read_vector(self.high))

    @property
    def dim(self) -> int:
        return len(self.low)

    @property
    def diameter(self) -> Number:
        return exact_sqrt(total((Fraction(b) - Fraction(a)) ** 2 for a, b in zip(self.low, self.high, strict=True)))

    def project(self, x: np.ndarray) -> np.ndarray:
        """Clip every coordinate."""
        ring = ring_of(x)
        low, high = (ring_array(side, (self.dim,), ring) for side in (self.low, self.high))
        if ring is None:
            return np.clip(x, low, high)
        return _each(lambda v, a, b: smaller_of(larger_of(v, a), b), x, low, high)

    def least_linear(self, slope: Sequence[Number]) -> Mixed:
        return to_mixed(
            total(Fraction(s * (b if s < 0 else a)) for s, a, b in zip(slope, self.low, self.high, strict=True))
        )

    def farthest_square(self, centre: Sequence[Number], weights: Sequence[Number]) -> Number:
        sides = zip(self.low, self.high, centre, weights, strict=True)
        return total(Fraction(w) * max((Fraction(a) - c) ** 2, (Fraction(b) - c) ** 2) for a, b, c, w in sides)


@dataclass(frozen=True, repr=False)
class EuclideanBall(Data):
    """The points at distance at most ``radius`` from ``centre``."""

    centre: AsVector
    radius: Number = 1

    def __post_init__(self) -> None:
        _rationals("centre", self.centre)
        (radius,) = _rationals("radius", self.radius)
        if not radius > 0:
            raise ValueError(f"radius = {self.radius}: expected a positive number")
        self._set(centre=read_vector(self.centre), radius=exact(self.radius))

    @property
    def dim(self) -> int:
        return len(self.centre)

    @property
    def diameter(self) -> Number:
        return 2 * self.radius

    def project(self, x: np.ndarray) -> np.ndarray:
        """Scale the vector from the centre down to the radius; NotRational if that is irrational among rationals."""
        ring = ring_of(x)
        centre = ring_array(self.centre, (self.dim,), ring)
        away = x - centre
        squares = (away * away).sum(axis=1)
        if ring is None:
            radius = float(self.radius)
            return np.asarray(centre + away * (radius / np.maximum(radius, np.sqrt(squares)))[:, None])
        radius = ring.scalar(self.radius)
        lengths = [radius if square <= radius * radius else larger_of(mixed_sqrt(square), radius) for square in squares]
        if ring is not BALL and any(type(length) is not type(radius) for length in lengths):
            raise NotRational("a projection on a ball is irrational")
        return np.asarray(centre + away * mixed_array(radius / length for length in lengths)[:, None])

    def least_linear(self, slope: Sequence[Number]) -> Mixed:
        at_centre = total(Fraction(s) * Fraction(c) for s, c in zip(slope, self.centre, strict=True))
        return to_mixed(at_centre) - to_mixed(self.radius) * mixed_sqrt(
            to_mixed(total(Fraction(s) ** 2 for s in slope))
        )

    def farthest_square(self, centre: Sequence[Number], weights: Sequence[Number]) -> Number:
        apart = exact_sqrt(total((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(self.centre, centre, strict=True)))
        far = apart if isinstance(apart, int | Fraction) else Fraction(upper_float(to_ball(apart)))
        return exact(Fraction(max(weights)) * (Fraction(far) + Fraction(self.radius)) ** 2)


@dataclass(frozen=True, repr=False)
class Simplex(Data):
    """The points with nonnegative coordinates and sum 1."""

    dim: int

    def __post_init__(self) -> None:
        self._set(dim=integer("dim", self.dim, 2))

    @property
    def diameter(self) -> Number:
        return exact_sqrt(Fraction(2))

    def project(self, x: np.ndarray) -> np.ndarray:
        """Return max(x_i - tau, 0), where tau is the largest of (x_(1) + .. + x_(k) - 1)/k, the largest entries first."""
        if x.dtype != object:
            sums = np.cumsum(-np.sort(-x, axis=1), axis=1)
            tau = ((sums - 1) / np.arange(1, self.dim + 1)).max(axis=1)
            return np.maximum(x - tau[:, None], 0)
        found = x.copy()
        for row, point in enumerate(x):
            ordered, sum_, tau = _descending(list(point)), point[0] * 0, None
            for k, value in enumerate(ordered, 1):
                sum_ = sum_ + value
                level = (sum_ - 1) / k
                tau = level if tau is None else larger_of(tau, level)
            found[row] = [larger_of(v - tau, v * 0) for v in point]
        return found

    def least_linear(self, slope: Sequence[Number]) -> Mixed:
        return to_mixed(min(slope))

    def farthest_square(self, centre: Sequence[Number], weights: Sequence[Number]) -> Number:
        """The sum is convex, so it is largest at a vertex."""
        terms = [(Fraction(w), Fraction(c)) for w, c in zip(weights, centre, strict=True)]
        return max(total(w * ((i == j) - c) ** 2 for j, (w, c) in enumerate(terms)) for i in range(self.dim))


def _each(function: object, x: np.ndarray, *columns: np.ndarray) -> np.ndarray:
    """Apply a function to the entries of rows and one number for each column."""
    found = x.copy()
    for place in np.ndindex(x.shape):
        found[place] = function(x[place], *(column[place[1]] for column in columns))  # type: ignore[operator]
    return found


def _descending(values: list[Mixed]) -> list[Mixed]:
    """Sort, the largest first; balls that overlap give balls around the order statistics."""
    for end in range(len(values) - 1, 0, -1):
        for i in range(end):
            one, two = values[i], values[i + 1]
            values[i], values[i + 1] = larger_of(one, two), smaller_of(one, two)
    return values


def require_point(domain: Domain, point: object, what: str) -> Vector:
    """Return a rational point of the domain; ValueError for another."""
    found = _rationals(what, point)
    if len(found) != domain.dim:
        raise ValueError(f"{what} = {point!r} has {len(found)} coordinates, expected {domain.dim}")
    rows = mixed_array(found)[None]
    try:
        inside = bool((domain.project(rows) == rows).all())
    except NotRational:  # an irrational projection is another point
        inside = False
    if not inside:
        raise ValueError(f"{what} = {point!r} is not in {domain!r}: expected one of its points")
    return read_vector(point)
