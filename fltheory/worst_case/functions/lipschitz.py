"""Convex functions that are Lipschitz, smooth or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flint import fmpq
from sympy import Symbol

from fltheory import symbols
from fltheory.number import Number, exact, exact_text
from fltheory.problems.interpolated.piecewise import PiecewiseLinearClients
from fltheory.worst_case.functions import InterpolationData, Point, class_constant
from fltheory.worst_case.gram import Expression, Vector, combine_expressions, constant, difference, product, square


@dataclass(frozen=True)
class Lipschitz:
    """Convex functions with subgradients of norm at most ``bound``; which subgradient is returned is arbitrary.

    The inequalities are sufficient: the maximum of the affine functions has these values and subgradients.
    """

    bound: Number = 1
    rooted = True
    smooth = False
    sufficient = True
    convex = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "bound", exact(self.bound))
        if not class_constant(self.bound, "bound") > 0:
            raise ValueError(f"bound must be positive, got {self.bound}")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return G."""
        return {symbols.client_gradient_bound: self.bound}

    def __str__(self) -> str:
        return f"{exact_text(self.bound)}-Lipschitz convex functions"

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return f_j - f_i + <g_j, x_i - x_j> <= 0."""
        return combine_expressions(
            (fmpq(1), other.height()),
            (fmpq(-1), one.height()),
            (fmpq(1), product(other.gradient, difference(one.at, other.at))),
        )

    def alone(self, one: Point) -> Expression | None:
        """Return |g|^2 - G^2 <= 0; None if the subgradient is 0 anyway."""
        if not one.gradient:
            return None
        limit = constant(class_constant(self.bound, "bound") ** 2)
        return combine_expressions((fmpq(1), square(one.gradient)), (fmpq(-1), limit))

    def below(self, gradient: Vector) -> None:
        """Return None: the inequalities with x* imply it."""

    def clients(self, found: InterpolationData) -> PiecewiseLinearClients | None:
        """Return maxima of affine functions; None if two different subgradients belong to one point."""
        if any(len(set(places)) < len(places) for places in found.places):
            return None
        return PiecewiseLinearClients(found.places, found.gradients, found.values, found.start, found.compared)
