"""Classes of functions beyond those that are smooth or Lipschitz, by conditions on two of their points.

Each condition is an expression that is at most 0. Where these conditions are not enough for a function of the class to exist
(``sufficient`` False) a problem has an upper limit alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from flint import fmpq

from fltheory.number import Number, exact_text
from fltheory.worst_case.functions import Point, class_constant, interpolation_inequality
from fltheory.worst_case.gram import ONE, Expression, Vector, combine_expressions, constant, difference, product, square


class Conditions(Protocol):
    """A class of functions or operators by conditions on the data at its points.

    Classes with one condition on pairs of points have ``inequality(one, other)`` in the place of ``inequalities``.
    """

    @property
    def smooth(self) -> bool:
        """Return whether there is one gradient, or one image, at each point."""

    @property
    def sufficient(self) -> bool:
        """Return whether data that meet the conditions belong to a function of the class."""

    def alone(self, one: Point) -> Expression | None:
        """Return an expression at most 0 for one point, or None."""


@runtime_checkable
class OneInequality(Conditions, Protocol):
    """A class with one condition on pairs of points."""

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return an expression at most 0 for two points."""


@runtime_checkable
class Inequalities(Conditions, Protocol):
    """A class with several conditions on pairs of points."""

    def inequalities(self, one: Point, other: Point) -> tuple[Expression, ...]:
        """Return expressions at most 0 for two points."""


def below_tangent(one: Point, other: Point) -> Expression:
    """f_j + <g_j, x_i - x_j> - f_i."""
    slope = product(other.gradient, difference(one.at, other.at))
    return combine_expressions((ONE, other.height()), (-ONE, one.height()), (ONE, slope))


def positive(number: Number, name: str) -> fmpq:
    """Return a constant of a class; ValueError unless it is positive and rational."""
    found = class_constant(number, name)
    if not found > 0:
        raise ValueError(f"{name} must be positive, got {number}")
    return found


@dataclass(frozen=True)
class Convex:
    """Closed proper convex functions; ``single_valued``: the subgradient at a point is the same whenever it is asked for."""

    single_valued: bool = False
    sufficient = True
    convex = True

    @property
    def smooth(self) -> bool:
        """Return whether the subgradient at a point is the same whenever it is asked for."""
        return self.single_valued

    def __str__(self) -> str:
        return "convex functions"

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return f_j + <g_j, x_i - x_j> - f_i."""
        return below_tangent(one, other)

    def alone(self, one: Point) -> None:
        """Return None."""


@dataclass(frozen=True)
class StronglyConvex:
    """Closed proper functions that are ``strong_convexity``-strongly convex; ``single_valued`` as for ``Convex``."""

    strong_convexity: Number = 1
    single_valued: bool = False
    sufficient = True
    convex = True

    def __post_init__(self) -> None:
        positive(self.strong_convexity, "strong_convexity")

    @property
    def smooth(self) -> bool:
        """Return whether the subgradient at a point is the same whenever it is asked for."""
        return self.single_valued

    def __str__(self) -> str:
        return f"{exact_text(self.strong_convexity)}-strongly convex functions"

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return f_j + <g_j, x_i - x_j> + mu |x_i - x_j|^2 / 2 - f_i."""
        bent = square(difference(one.at, other.at))
        weight = positive(self.strong_convexity, "strong_convexity") / 2
        return combine_expressions((ONE, below_tangent(one, other)), (weight, bent))

    def alone(self, one: Point) -> None:
        """Return None."""


@dataclass(frozen=True)
class Indicator:
    """Indicators of closed convex sets; ``diameter``: largest distance of two points, None for no limit."""

    diameter: Number | None = None
    smooth = False
    sufficient = True
    convex = True
    membership = True  # 0 is a subgradient at each point of the set

    def __post_init__(self) -> None:
        if self.diameter is not None:
            positive(self.diameter, "diameter")

    def __str__(self) -> str:
        of = "" if self.diameter is None else f" of diameter at most {exact_text(self.diameter)}"
        return f"indicators of convex sets{of}"

    def value(self, at: Vector, gradient: Vector) -> Expression:
        """Return 0, the value at points of the set."""
        return Expression()

    def inequalities(self, one: Point, other: Point) -> tuple[Expression, ...]:
        """Return <g_j, x_i - x_j>, as a subgradient is a normal, and |x_i - x_j|^2 - D^2."""
        away = difference(one.at, other.at)
        normal = product(other.gradient, away)
        if self.diameter is None:
            return (normal,)
        largest = constant(positive(self.diameter, "diameter") ** 2)
        return normal, combine_expressions((ONE, square(away)), (-ONE, largest))

    def alone(self, one: Point) -> None:
        """Return None."""


@dataclass(frozen=True)
class Support:
    """Support functions sup_{s in S} <s, x> of closed convex sets, in a ball of radius ``bound``, None for no limit."""

    bound: Number | None = None
    smooth = False
    sufficient = True
    convex = True

    def __post_init__(self) -> None:
        if self.bound is not None:
            positive(self.bound, "bound")

    def __str__(self) -> str:
        return "support functions" if self.bound is None else f"support functions of sets in a {self.bound}-ball"

    def value(self, at: Vector, gradient: Vector) -> Expression:
        """Return <g, x>, the value."""
        return product(at, gradient)

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return <g_j - g_i, x_i>: g_i is the point of the set farthest along x_i."""
        return product(difference(other.gradient, one.gradient), one.at)

    def alone(self, one: Point) -> Expression | None:
        """Return |g|^2 - M^2."""
        if self.bound is None or not one.gradient:
            return None
        return combine_expressions((ONE, square(one.gradient)), (-ONE, constant(positive(self.bound, "bound") ** 2)))


@dataclass(frozen=True)
class QuadraticGrowth:
    """Convex functions with f(x) - f* <= L |x - x*|^2 / 2 for their minimisers (Goujaud, Taylor and Dieuleveut 2022)."""

    smoothness: Number = 1
    single_valued: bool = False
    sufficient = True
    convex = True
    centred = True

    def __post_init__(self) -> None:
        positive(self.smoothness, "smoothness")

    @property
    def smooth(self) -> bool:
        """Return whether the subgradient at a point is the same whenever it is asked for."""
        return self.single_valued

    def __str__(self) -> str:
        return f"convex functions below {exact_text(self.smoothness)}|x - x*|²/2"

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return f_j + <g_j, x_i - x_j> - f_i, at a minimiser x_i with |g_j|^2 / 2L more."""
        tangent = below_tangent(one, other)
        if one.gradient:
            return tangent
        return combine_expressions((ONE, tangent), (1 / (2 * positive(self.smoothness, "L")), square(other.gradient)))

    def alone(self, one: Point) -> None:
        """Return None."""


@dataclass(frozen=True)
class RestrictedSecant:
    """Functions with <g, x - x*> >= mu |x - x*|^2 and |g| <= L |x - x*|: restricted secant, error bound.

    These are conditions on gradients alone, taken as necessary alone.
    """

    smoothness: Number = 1
    strong_convexity: Number = 0
    smooth = True
    sufficient = False
    centred = True
    values = False  # its conditions are on gradients alone

    def __post_init__(self) -> None:
        low, high = self._limits
        if not (0 <= low <= high and high > 0):
            raise ValueError(f"strong_convexity must lie in [0, smoothness], got {self.strong_convexity}")

    @property
    def _limits(self) -> tuple[fmpq, fmpq]:
        return class_constant(self.strong_convexity, "strong_convexity"), class_constant(self.smoothness, "smoothness")

    def __str__(self) -> str:
        mu, high = exact_text(self.strong_convexity), exact_text(self.smoothness)
        return f"functions with secants restricted by {mu} and errors by {high}"

    def inequalities(self, one: Point, other: Point) -> tuple[Expression, ...]:
        """Return mu |x_j - x*|^2 - <g_j, x_j - x*> and |g_j|^2 - L^2 |x_j - x*|^2 at a minimiser x*, else nothing."""
        if one.gradient:
            return ()
        (low, high), away = self._limits, difference(other.at, one.at)
        secant = combine_expressions((low, square(away)), (-ONE, product(other.gradient, away)))
        return secant, combine_expressions((ONE, square(other.gradient)), (-(high**2), square(away)))

    def alone(self, one: Point) -> None:
        """Return None."""


@dataclass(frozen=True)
class Lojasiewicz:
    """Smooth functions with |g|^2 >= 2 mu (f - f*): gradient domination, here by necessary conditions."""

    smoothness: Number = 1
    strong_convexity: Number = "1/10"
    smooth = True
    sufficient = False
    centred = True

    def __post_init__(self) -> None:
        low, high = self._limits
        if not 0 < low <= high:
            raise ValueError(f"strong_convexity must lie in (0, smoothness], got {self.strong_convexity}")

    @property
    def _limits(self) -> tuple[fmpq, fmpq]:
        return class_constant(self.strong_convexity, "strong_convexity"), class_constant(self.smoothness, "smoothness")

    def __str__(self) -> str:
        mu, high = exact_text(self.strong_convexity), exact_text(self.smoothness)
        return f"{high}-smooth functions whose gradients dominate by {mu}"

    def inequalities(self, one: Point, other: Point) -> tuple[Expression, ...]:
        """Return that of smooth functions; at a minimiser x* also f_j - f* - |g_j|^2 / 2 mu and f* - f_j + |g_j|^2 / 2 L."""
        low, high = self._limits
        smooth = interpolation_inequality(one, other, -high, high)
        if one.gradient:
            return (smooth,)
        most, least = _higher(one, other, -1 / (2 * low)), _higher(one, other, -1 / (2 * high))
        return smooth, most, combine_expressions((-ONE, least))

    def alone(self, one: Point) -> None:
        """Return None."""


def _higher(one: Point, other: Point, weight: fmpq) -> Expression:
    return combine_expressions((ONE, other.height()), (-ONE, one.height()), (weight, square(other.gradient)))
