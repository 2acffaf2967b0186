"""Classes of functions, each by the inequalities that values and gradients at finitely many points must satisfy.

Where these are sufficient too (a function of the class takes these values, ``exact``), a worst case is attained.
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
    """What is known of a function at one point; ``value`` None: 0."""

    at: Vector
    gradient: Vector
    value: Value | None

    def height(self) -> Expression:
        """The value as an expression."""
        return Expression() if self.value is None else value(self.value)


class InterpolationData(NamedTuple):
    """Data of clients in rationals: places, gradients and values of each, x* first where there is one; where runs start.

    ``tilts``: the clients differ by these linear functions alone, and the data are those of their mean, in one table.
    ``compared``: x* is no minimiser. ``hessians``: those of quadratic clients, of whom else only x* is told, as 0.
    """

    places: tuple[tuple[Row, ...], ...]
    gradients: tuple[tuple[Row, ...], ...]
    values: tuple[Row, ...]
    start: Row
    tilts: tuple[Row, ...] = ()
    compared: bool = False
    hessians: tuple[fmpq_mat, ...] = ()

    def tilted(self, high: Fraction, low: Fraction) -> TiltedClients:
        """As clients with curvatures between these."""
        return TiltedClients(self.places[0], self.gradients[0], self.values[0], self.tilts, self.start, high, low)


class FunctionClass(Protocol):
    """A class of functions on a space of any dimension."""

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """What a theorem may take from it."""

    @property
    def rooted(self) -> bool:
        """Whether x* is a point where values and gradients of the functions are known: where those sum to 0."""

    @property
    def smooth(self) -> bool:
        """Whether its functions have gradients, of which norms and heterogeneity can be asked."""

    def alone(self, one: Point) -> Expression | None:
        """At most 0 for one point of a function of the class; None where a point alone has no limit."""

    def below(self, gradient: Vector) -> Expression | None:
        """What a function lies at least above its infimum where it has this gradient; None where that is said otherwise."""

    def clients(self, found: InterpolationData) -> FederatedInstance | None:
        """Clients of the class that take these data, defined everywhere; None where data are no function's."""


@runtime_checkable
class PairwiseClass(FunctionClass, Protocol):
    """A class that is known by pairs of points."""

    def inequality(self, one: Point, other: Point) -> Expression:
        """At most 0 for two points of one function of the class."""


@runtime_checkable
class MatrixClass(FunctionClass, Protocol):
    """A class of quadratic functions, known by the matrix of all its points; their gradients are their Hessian's products."""

    @property
    def curvatures(self) -> tuple[fmpq, fmpq]:
        """Between which the eigenvalues of a Hessian are."""

    def entry(self, one: Point, other: Point) -> Expression:
        """Minus an entry of a matrix that is nonnegative, two of them off its diagonal."""

    def turned(self, one: Point, other: Point) -> Expression:
        """0 for two points, as the Hessian is symmetric."""

    def hessian(self, places: np.ndarray, images: np.ndarray) -> fmpq_mat:
        """One of the class that takes ``places`` about to ``images``, columns of (dim, points)."""

    def inside(self, near: np.ndarray) -> fmpq_mat:
        """One of the class near a symmetric matrix."""


def class_constant(number: object, name: str) -> fmpq:
    """A constant of a class; ValueError names one that is not rational."""
    try:
        return RATIONAL.scalar(exact(number))
    except NotRational:
        raise ValueError(f"{name} = {number} must be rational") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def interpolation_inequality(one: Point, other: Point, low: fmpq, high: fmpq) -> Expression:
    """f_j - f_i + <g_j, x_i - x_j> + (|e|^2 / L + mu |d|^2 - 2 mu / L <e, d>) / (2 (1 - mu / L)) for curvatures from mu to L.

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

    def __post_init__(self) -> None:
        for name in ("smoothness", "strong_convexity"):
            object.__setattr__(self, name, exact(getattr(self, name)))
        low, high = self.curvatures
        if not high > 0:
            raise ValueError(f"smoothness must be positive, got {self.smoothness}")
        if not 0 <= low < high:
            why = (
                "; where both are one, a slightly larger smoothness is a class that has these clients"
                if low == high
                else ""
            )
            raise ValueError(f"strong_convexity must lie in [0, smoothness), got {self.strong_convexity}{why}")

    @property
    def curvatures(self) -> tuple[fmpq, fmpq]:
        """The least and the largest curvature."""
        return class_constant(self.strong_convexity, "strong_convexity"), class_constant(self.smoothness, "smoothness")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """L and mu."""
        return {symbols.smoothness: self.smoothness, symbols.strong_convexity: self.strong_convexity}

    def __str__(self) -> str:
        strongly = f", {exact_text(self.strong_convexity)}-strongly" if self.strong_convexity else ""
        return f"{exact_text(self.smoothness)}-smooth{strongly} convex functions"

    def inequality(self, one: Point, other: Point) -> Expression:
        """At most 0."""
        return interpolation_inequality(one, other, *self.curvatures)

    def alone(self, one: Point) -> None:
        """Nothing."""

    def below(self, gradient: Vector) -> None:
        """Nothing more: the inequalities with x* tell it."""

    def clients(self, found: InterpolationData) -> InterpolatedClients | TiltedClients:
        """The largest functions with these data."""
        low, high = map(to_python_fraction, self.curvatures)
        if found.tilts:
            return found.tilted(high, low)
        return InterpolatedClients(found.places, found.gradients, found.values, found.start, high, low)
