"""Interpolation: the largest function with curvatures from mu to L that has given values and gradients.

mu may be negative. The function is mu |x|^2 / 2 plus the convex hull of parabolas of curvature L - mu (Taylor,
Hendrickx X
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from flint import arb, fmpq

from fltheory.number.linear import solve_lcp
from fltheory.work import EXACT_NUMBERS_PER_UNIT, spend

Point = tuple[fmpq, ...]
ZERO = fmpq(0)
BITS_OF_A_NUMBER = 256  # numerator and denominator of a rational that costs as much again


class PointData(NamedTuple):
    """The value and gradient of a function at a point."""

    value: fmpq
    gradient: Point


class Parabola(NamedTuple):
    """(L - mu) |x - centre|^2 / 2 + height."""

    centre: Point
    height: fmpq


class Interpolant:
    """A function with curvatures from ``low`` to ``high`` that has ``data`` at ``places``, all rational."""

    def __init__(self, places: Sequence[Point], data: Sequence[PointData], low: fmpq, high: fmpq) -> None:
        self.places, self.data = tuple(places), tuple(data)
        self._low, self._width = low, high - low
        self._seen = dict(zip(self.places, self.data, strict=True))

    def at(self, x: Point) -> PointData:
        """Return value and gradient, cached."""
        if x not in self._seen:
            self._seen[x] = self.hull(x)
        return self._seen[x]

    def off(self, known: PointData, away: arb) -> tuple[arb, arb]:
        """Bound the change of gradient and value between a point and others within this distance."""
        bend = abs(arb(self._low)).max(arb(self._low + self._width)) * away
        return bend, arb(square(known.gradient)).sqrt() * away + bend * away / 2

    def missed(self) -> int | None:
        """Return the first data point that no function of the class interpolates, or None."""
        pairs = enumerate(zip(self.places, self.data, strict=True))
        return next((i for i, (x, known) in pairs if self.hull(x).value != known.value), None)

    @cached_property
    def _parabolas(self) -> tuple[Parabola, ...]:
        found = []
        for x, known in zip(self.places, self.data, strict=True):
            slope = tuple(g - self._low * v for g, v in zip(known.gradient, x, strict=True))
            centre = tuple(v - s / self._width for v, s in zip(x, slope, strict=True))
            height = known.value - self._low * square(x) / 2 - square(slope) / (2 * self._width)
            found.append(Parabola(centre, height))
        return tuple(found)

    @cached_property
    def _products(self) -> list[list[fmpq]]:
        """(L - mu) <z_i, z_j>."""
        return [[self._width * dot(a.centre, b.centre) for b in self._parabolas] for a in self._parabolas]

    @cached_property
    def _cost(self) -> float:
        """Units of work of a point: pivots of a table of all parabolas, in rationals of the data's length."""
        bits = max(len(bin(int(c.p))) + len(bin(int(c.q))) for row in self._products for c in row)
        return (len(self._products) + 1) ** 3 * (1 + bits / BITS_OF_A_NUMBER) / EXACT_NUMBERS_PER_UNIT

    def hull(self, x: Point) -> PointData:
        """Compute value and gradient from the weights of the parabolas.

        They minimise a quadratic on the simplex: Q a + p = s + lambda with s >= 0, and s = 0 where a > 0. A constant is
        added to p, so that lambda is positive and the weights sum to 1.
        """
        parabolas, products = self._parabolas, self._products
        spend(self._cost)
        slopes = [parabola.height - self._width * dot(x, parabola.centre) for parabola in parabolas]
        raised = 1 - min(slopes) + max(abs(c) for row in products for c in row)
        matrix = [[*row, fmpq(-1)] for row in products] + [[fmpq(1)] * len(parabolas) + [ZERO]]
        solution = solve_lcp(matrix, [*(s + raised for s in slopes), fmpq(-1)])
        assert solution is not None  # a convex quadratic has a minimum on the simplex
        used = [(a, p) for a, p in zip(solution, parabolas, strict=False) if a != 0]
        centre = [sum((a * p.centre[i] for a, p in used), ZERO) for i in range(len(x))]
        away = tuple(v - c for v, c in zip(x, centre, strict=True))
        height = sum((a * p.height for a, p in used), ZERO)
        gradient = tuple(self._low * v + self._width * a for v, a in zip(x, away, strict=True))
        return PointData(self._low * square(x) / 2 + self._width * square(away) / 2 + height, gradient)


class TiltedFunction:
    """A function plus a linear one, <tilt, x>."""

    def __init__(self, function: Interpolant, tilt: Point) -> None:
        self._function, self._tilt = function, tilt
        pairs = zip(function.places, function.data, strict=True)
        self.data = tuple(self._add_tilt(x, known) for x, known in pairs)

    def at(self, x: Point) -> PointData:
        """Return value and gradient."""
        return self._add_tilt(x, self._function.at(x))

    def _add_tilt(self, x: Point, known: PointData) -> PointData:
        gradient = tuple(g + t for g, t in zip(known.gradient, self._tilt, strict=True))
        return PointData(known.value + dot(self._tilt, x), gradient)

    def off(self, known: PointData, away: arb) -> tuple[arb, arb]:
        """Bound the change of gradient and value."""
        return self._function.off(known, away)


def dot(a: Sequence[fmpq], b: Sequence[fmpq]) -> fmpq:
    """Return the inner product."""
    return sum((u * v for u, v in zip(a, b, strict=True)), ZERO)


def square(a: Sequence[fmpq]) -> fmpq:
    """Return the squared norm."""
    return dot(a, a)
