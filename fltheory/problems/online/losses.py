"""Convex losses of one round: linear, piecewise linear (absolute and hinge losses among them) and quadratic.

A loss of your own is a class with the members of ``Loss``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np
from flint import arb

from fltheory.model.case import ring_of
from fltheory.model.schema import AsTable, AsVector, Data, Table, Vector, read_table, read_vector
from fltheory.number import Number, exact
from fltheory.number.elements import Undecided
from fltheory.number.mixed import largest
from fltheory.number.vectors import total
from fltheory.problems.additive_noise import ring_array
from fltheory.problems.online.domains import Domain


@runtime_checkable
class Loss(Protocol):
    """A convex function of points (runs, dim), floats or exact (dtype object)."""

    @property
    def dim(self) -> int:
        """The number of coordinates."""

    @property
    def strong_convexity(self) -> Number:
        """A mu >= 0 such that f - mu |x|^2 / 2 is convex."""

    def value(self, x: np.ndarray) -> np.ndarray:
        """Return f at every row of x, (runs,)."""

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """Return a subgradient at every row of x, (runs, dim)."""

    def gradient_square(self, domain: Domain) -> Number:
        """Return an upper bound of |gradient|^2 over the domain."""


def _require_rational(name: str, values: Vector) -> None:
    if not values or any(not isinstance(v, int | Fraction) for v in values):
        raise ValueError(f"{name}: expected rational numbers, one for every coordinate")


@dataclass(frozen=True, repr=False)
class Linear(Data):
    """<slope, x>."""

    slope: AsVector

    def __post_init__(self) -> None:
        self._set(slope=read_vector(self.slope))
        _require_rational("slope", self.slope)

    strong_convexity = 0

    @property
    def dim(self) -> int:
        return len(self.slope)

    def value(self, x: np.ndarray) -> np.ndarray:
        return np.asarray((self.gradient(x) * x).sum(axis=1))

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return x * 0 + ring_array(self.slope, (self.dim,), ring_of(x))

    def gradient_square(self, domain: Domain) -> Number:
        return exact(total(Fraction(v) ** 2 for v in self.slope))


@dataclass(frozen=True, repr=False)
class PiecewiseLinear(Data):
    """max_k <slopes_k, x> + offsets_k. The subgradient is that of the first piece that attains the maximum."""

    slopes: AsTable
    offsets: AsVector

    def __post_init__(self) -> None:
        self._set(slopes=read_table(self.slopes), offsets=read_vector(self.offsets))
        _require_rational("offsets", self.offsets)
        for row in self.slopes:
            _require_rational("slopes", row)
        if len(self.slopes) != len(self.offsets) or len({len(row) for row in self.slopes}) != 1:
            raise ValueError("slopes need one entry for every offset and in each as many coordinates")

    strong_convexity = 0

    @property
    def dim(self) -> int:
        return len(self.slopes[0])

    @property
    def table(self) -> Table:
        """The slopes of the pieces."""
        found: Table = self.slopes
        return found

    def pieces(self, x: np.ndarray) -> np.ndarray:
        """Return the values of all pieces, (runs, pieces)."""
        ring = ring_of(x)
        slopes = ring_array([v for row in self.slopes for v in row], (len(self.slopes), self.dim), ring)
        return np.asarray((x[:, None] * slopes).sum(axis=2) + ring_array(self.offsets, (len(self.offsets),), ring))

    def value(self, x: np.ndarray) -> np.ndarray:
        found = self.pieces(x)
        if x.dtype != object:
            return np.asarray(found.max(axis=1))
        best = np.empty(len(x), dtype=object)
        best[:] = [largest(row) for row in found]
        return best

    def gradient(self, x: np.ndarray) -> np.ndarray:
        found = self.pieces(x)
        at = [_first_largest(list(row)) for row in found] if x.dtype == object else found.argmax(axis=1)
        slopes = ring_array([v for row in self.slopes for v in row], (len(self.slopes), self.dim), ring_of(x))
        return np.asarray(slopes[at])

    def gradient_square(self, domain: Domain) -> Number:
        return exact(max(total(Fraction(v) ** 2 for v in row) for row in self.slopes))


def _first_largest(values: list[arb]) -> int:
    """Return the index of the first largest number; Undecided if balls overlap."""
    for i, one in enumerate(values):
        if all(one > two for two in values[:i]) and all(one >= two for two in values[i + 1 :]):
            return i
    raise Undecided("takes a subgradient where two pieces of a loss are too close to decide")


def absolute(slope: object, target: object = 0) -> PiecewiseLinear:
    """Return |<slope, x> - target|; the subgradient at the kink is ``slope``."""
    row, (level,) = read_vector(slope), read_vector(target)
    return PiecewiseLinear((row, tuple(-v for v in row)), (-level, level))


def hinge(features: object, label: object = 1) -> PiecewiseLinear:
    """Return max(1 - label <features, x>, 0); the subgradient at the kink is that of the first piece."""
    row, (sign,) = read_vector(features), read_vector(label)
    return PiecewiseLinear((tuple(-sign * v for v in row), (0,) * len(row)), (1, 0))


@dataclass(frozen=True, repr=False)
class Quadratic(Data):
    """sum_i curvatures_i (x_i - centre_i)^2 / 2; one curvature is that of every coordinate."""

    centre: AsVector
    curvatures: AsVector = (1,)

    def __post_init__(self) -> None:
        centre, curvatures = read_vector(self.centre), read_vector(self.curvatures)
        self._set(centre=centre, curvatures=curvatures * len(centre) if len(curvatures) == 1 else curvatures)
        _require_rational("centre", self.centre)
        _require_rational("curvatures", self.curvatures)
        if len(self.curvatures) != len(self.centre) or any(v < 0 for v in self.curvatures):
            raise ValueError("curvatures must be nonnegative: one, or one for every coordinate of the centre")

    @property
    def dim(self) -> int:
        return len(self.centre)

    @property
    def strong_convexity(self) -> Number:
        return min(self.curvatures)

    def value(self, x: np.ndarray) -> np.ndarray:
        centre = ring_array(self.centre, (self.dim,), ring_of(x))
        return np.asarray((self.gradient(x) * (x - centre)).sum(axis=1) / 2)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        ring = ring_of(x)
        centre, curvatures = (ring_array(v, (self.dim,), ring) for v in (self.centre, self.curvatures))
        return np.asarray((x - centre) * curvatures)

    def gradient_square(self, domain: Domain) -> Number:
        return domain.farthest_square(self.centre, tuple(Fraction(h) ** 2 for h in self.curvatures))
