"""Linear functions, the losses of online linear optimisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flint import fmpq
from sympy import Symbol

from fltheory import symbols
from fltheory.number import Number, exact, exact_text
from fltheory.problems.interpolated.piecewise import PiecewiseLinearClients
from fltheory.worst_case.functions import InterpolationData, Point, class_constant
from fltheory.worst_case.gram import Expression, Vector, combine_expressions, constant, square


@dataclass(frozen=True)
class Linear:
    """Functions <g, x> with |g| at most ``bound``; the gradient is the same at every point."""

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
        return f"linear functions with gradients of length at most {exact_text(self.bound)}"

    def alone(self, one: Point) -> Expression:
        """Return |g|^2 - G^2 <= 0."""
        return combine_expressions(
            (fmpq(1), square(one.gradient)), (fmpq(-1), constant(class_constant(self.bound, "bound") ** 2))
        )

    def below(self, gradient: Vector) -> None:
        """Return None: a mean of them has no infimum."""

    def clients(self, found: InterpolationData) -> PiecewiseLinearClients:
        """Return clients of one affine piece each."""
        return PiecewiseLinearClients(found.places, found.gradients, found.values, found.start, found.compared)
