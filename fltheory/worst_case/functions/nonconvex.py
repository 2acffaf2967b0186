"""Smooth functions that need not be convex."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq
from sympy import Symbol

from fltheory import symbols
from fltheory.number import Number, exact, exact_text
from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.problems.interpolated.tilted import TiltedClients
from fltheory.worst_case.functions import InterpolationData, Point, class_constant, interpolation_inequality
from fltheory.worst_case.gram import Expression, Vector, square


@dataclass(frozen=True)
class NonConvex:
    """Functions bounded below whose gradients are Lipschitz: curvatures from -``smoothness`` to ``smoothness``.

    Their infimum may not be attained, so that no point is x*. For one function the inequalities, with F - F* >= |grad F|^2 / 2L
    at each point, are sufficient (Taylor, Hendrickx and Glineur 2017; Drori and Shamir 2020).
    """

    smoothness: Number = 1
    rooted = False
    smooth = True
    sufficient = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "smoothness", exact(self.smoothness))
        if not self.curvatures[1] > 0:
            raise ValueError(f"smoothness must be positive, got {self.smoothness}")

    @property
    def curvatures(self) -> tuple[fmpq, fmpq]:
        """Return the least and the largest curvature."""
        high = class_constant(self.smoothness, "smoothness")
        return -high, high

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return L."""
        return {symbols.smoothness: self.smoothness}

    def __str__(self) -> str:
        return f"{exact_text(self.smoothness)}-smooth functions, convex or not,"

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return an expression that is at most 0."""
        return interpolation_inequality(one, other, *self.curvatures)

    def alone(self, one: Point) -> None:
        """Return None: pairs of points define the class, and the infimum is that of the mean."""

    def below(self, gradient: Vector) -> Expression:
        """Return |g|^2 / 2L, the least decrease in a step of 1/L."""
        return square(gradient).times(1 / (2 * self.curvatures[1]))

    def clients(self, found: InterpolationData) -> TiltedClients:
        """Return the largest function with these data; its minimiser is a step of 1/L from one of them."""
        high = to_python_fraction(self.curvatures[1])
        data = list(zip(found.places[0], found.gradients[0], found.values[0], strict=True))
        low = [v - sum((a * a for a in g), Fraction(0)) / (2 * high) for _, g, v in data]
        least = min(range(len(low)), key=low.__getitem__)
        best = tuple(a - b / high for a, b in zip(*data[least][:2], strict=True))
        no_gradient = tuple(Fraction(0) for _ in best)
        places, gradients = (best, *found.places[0]), (no_gradient, *found.gradients[0])
        values = (low[least], *found.values[0])
        whole = found._replace(places=(places,), gradients=(gradients,), values=(values,))
        return whole._replace(tilts=found.tilts or (no_gradient,)).tilted(high, -high)
