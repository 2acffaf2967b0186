"""Classes of functions, each given by inequalities on values and gradients at finitely many points.

If these are also sufficient (a function of the class interpolates the data, ``exact``), a worst case is attained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from flint import fmpq, fmpq_mat
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import FederatedInstance
from fltheory.number import RATIONAL, NotRational, Number, exact, exact_text
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.problems.interpolated.tilted import TiltedClients
from fltheory.worst_case.gram import (
    ONE,
    Expression,
    Value,
    Vector,
    combine_expressions,
    combine_products,
    difference,
    value,
)

Row = tuple[Fraction, ...]


class Point(NamedTuple):
    """The data of a function at one point; ``value`` None stands for 0."""

    at: Vector
    gradient: Vector
    value: Value | None

    def height(self) -> Expression:
        """Return the value as an expression."""
        return Expression() if self.value is None else value(self.value)


class InterpolationData(NamedTuple):
    """Rational data of clients: points, gradients and values of each, x* first if there is one; and the start.

    ``tilts``: the clients differ only by these linear functions, and the data are those of their mean, in one table.
    ``compared``: x* is no minimiser. ``hessians``: those of quadratic clients, whose only other datum is x* = 0.
    """

    places: tuple[tuple[Row, ...], ...]
    gradients: tuple[tuple[Row, ...], ...]
    values: tuple[Row, ...]
    start: Row
    tilts: tuple[Row, ...] = ()
    compared: bool = False
    hessians: tuple[fmpq_mat, ...] = ()

    def tilted(self, high: Fraction, low: Fraction) -> TiltedClients:
        """Return the data as clients with curvatures between these."""
        return TiltedClients(self.places[0], self.gradients[0], self.values[0], self.tilts, self.start, high, low)


class FunctionClass(Protocol):
    """A class of functions on a space of any dimension."""

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return the constants that a theorem may use."""

    @property
    def rooted(self) -> bool:
        """Return whether x* is a point with known values and gradients, at which they sum to 0."""

    @property
    def smooth(self) -> bool:
        """Return whether its functions have gradients, so that norms and heterogeneity of them are defined."""

    def alone(self, one: Point) -> Expression | None:
        """Return an expression at most 0 for one point of a function; None if single points are not limited."""

    def below(self, gradient: Vector) -> Expression | None:
        """Return a lower bound on the value above the infimum at this gradient; None if other limits imply it."""

    def clients(self, found: InterpolationData) -> FederatedInstance | None:
        """Return clients of the class that interpolate these data on the whole space; None if no function does."""


@runtime_checkable
class PairwiseClass(FunctionClass, Protocol):
    """A class defined by inequalities on pairs of points."""

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return an expression at most 0 for two points of one function of the class."""


@runtime_checkable
class MatrixClass(FunctionClass, Protocol):
    """A class of quadratic functions, defined by the matrix of all its points; gradients are Hessian products."""

    @property
    def curvatures(self) -> tuple[fmpq, fmpq]:
        """Return the range of the eigenvalues of a Hessian."""

    def entry(self, one: Point, other: Point) -> Expression:
        """Return minus an entry of a nonnegative matrix; off the diagonal, minus the sum of the two equal ones."""

    def turned(self, one: Point, other: Point) -> Expression:
        """Return an expression that is 0 for two points, as the Hessian is symmetric."""

    def hessian(self, places: np.ndarray, images: np.ndarray) -> fmpq_mat:
        """Return a Hessian of the class that maps ``places`` approximately to ``images``, columns of (dim, points)."""

    def inside(self, near: np.ndarray) -> fmpq_mat:
        """Return a Hessian of the class near a symmetric matrix."""


def class_constant(number: object, name: str) -> fmpq:
    """Return a constant of a class; ValueError if it is irrational."""
    try:
        return RATIONAL.scalar(exact(number))
    except NotRational:
        raise ValueError(f"{name} = {number} must be rational") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def interpolation_inequality(one: Point, other: Point, low: fmpq, high: fmpq) -> Expression:
    """f_j - f_i + <g_j, x_i - x_j> + (|e|^2 / L + mu |d|^2 - 2 mu / L <e, d>) / (2 (1 - mu / L)), curvatures mu to L.

    mu may be negative (Rotaru, Glineur and Patrinos 2022).
    """
    d, e = difference(one.at, other.at), difference(one.gradient, other.gradient)
    weight = 1 / (2 * (1 - low / high))
    forms = combine_products(
        (ONE, other.gradient, d), (weight / high, e, e), (weight * low, d, d), (-2 * weight * low / high, e, d)
    )
    return combine_expressions((ONE, other.height()), (-ONE, one.height()), (ONE, forms))


@dataclass(frozen=True)
class Smooth:
    """Convex functions with curvature from ``strong_convexity`` (0: just convex) to ``smoothness``.

    The inequalities are sufficient: a function of the class takes such values and gradients (Taylor, Hendrickx, Glineur 2017).
    """

    smoothness: Number = 1
    strong_convexity: Number = 0
    rooted = True
    smooth = True
    sufficient = True
    convex = True

    def __post_init__(self) -> None:
        for name in ("smoothness", "strong_convexity"):
            object.__setattr__(self, name, exact(getattr(self, name)))
        low, high = self.curvatures
        if not high > 0:
            raise ValueError(f"smoothness must be positive, got {self.smoothness}")
        if not 0 <= low < high:
            why = (
                "; if both are equal, a slightly larger smoothness gives a class that has these clients"
                if low == high
                else ""
            )
            raise ValueError(f"strong_convexity must lie in [0, smoothness), got {self.strong_convexity}{why}")

    @property
    def curvatures(self) -> tuple[fmpq, fmpq]:
        """Return the least and the largest curvature."""
        return class_constant(self.strong_convexity, "strong_convexity"), class_constant(self.smoothness, "smoothness")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return L and mu."""
        return {symbols.smoothness: self.smoothness, symbols.strong_convexity: self.strong_convexity}

    def __str__(self) -> str:
        strongly = f", {exact_text(self.strong_convexity)}-strongly" if self.strong_convexity else ""
        return f"{exact_text(self.smoothness)}-smooth{strongly} convex functions"

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return an expression that is at most 0."""
        return interpolation_inequality(one, other, *self.curvatures)

    def alone(self, one: Point) -> None:
        """Return None: no limit on single points."""

    def below(self, gradient: Vector) -> None:
        """Return None: the inequalities with x* imply it."""

    def clients(self, found: InterpolationData) -> InterpolatedClients | TiltedClients:
        """Return the largest functions with these data."""
        low, high = map(to_python_fraction, self.curvatures)
        if found.tilts:
            return found.tilted(high, low)
        return InterpolatedClients(found.places, found.gradients, found.values, found.start, high, low)
