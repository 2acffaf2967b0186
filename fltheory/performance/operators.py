"""Classes of operators, by conditions on two of their points; ``gradient`` stands for the image.

Ryu, Taylor, Bergeling and Giselsson (2020): the conditions of monotone, strongly monotone, cocoercive and Lipschitz operators
are enough for an operator of the class to exist; those of a class that asks for two of these at once are not.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from fltheory.number import Number, exact_text
from fltheory.performance.classes import positive
from fltheory.worst_case.functions import Point, class_constant
from fltheory.worst_case.gram import ONE, Expression, combine_expressions, difference, product, square


@dataclass(frozen=True)
class OperatorClass:
    """What classes of operators have in common: no values, and no condition on single points."""

    smooth = True
    sufficient = True
    valued = False

    def alone(self, one: Point) -> None:
        """Return None."""


def secant(one: Point, other: Point, weight: fmpq, bent: fmpq) -> Expression:
    """Return -<y_i - y_j, x_i - x_j> + weight |x_i - x_j|^2 + bent |y_i - y_j|^2."""
    d, e = difference(one.at, other.at), difference(one.gradient, other.gradient)
    return combine_expressions((-ONE, product(d, e)), (weight, square(d)), (bent, square(e)))


def _lipschitz(one: Point, other: Point, factor: fmpq) -> Expression:
    d, e = difference(one.at, other.at), difference(one.gradient, other.gradient)
    return combine_expressions((ONE, square(e)), (-(factor**2), square(d)))


@dataclass(frozen=True)
class Monotone(OperatorClass):
    """Maximally monotone operators, which may have many images of a point."""

    smooth = False

    def __str__(self) -> str:
        return "monotone operators"

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return -<y_i - y_j, x_i - x_j>."""
        return secant(one, other, fmpq(0), fmpq(0))


@dataclass(frozen=True)
class StronglyMonotone(OperatorClass):
    """Maximally monotone operators with <y_i - y_j, x_i - x_j> >= mu |x_i - x_j|^2."""

    strong_monotonicity: Number = 1
    smooth = False

    def __post_init__(self) -> None:
        positive(self.strong_monotonicity, "strong_monotonicity")

    def __str__(self) -> str:
        return f"{exact_text(self.strong_monotonicity)}-strongly monotone operators"

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return -<y_i - y_j, x_i - x_j> + mu |x_i - x_j|^2."""
        return secant(one, other, positive(self.strong_monotonicity, "strong_monotonicity"), fmpq(0))


@dataclass(frozen=True)
class Cocoercive(OperatorClass):
    """Operators with <y_i - y_j, x_i - x_j> >= beta |y_i - y_j|^2; with a modulus also >= mu |x_i - x_j|^2."""

    cocoercivity: Number = 1
    strong_monotonicity: Number = 0

    def __post_init__(self) -> None:
        positive(self.cocoercivity, "cocoercivity")
        if not class_constant(self.strong_monotonicity, "strong_monotonicity") >= 0:
            raise ValueError(f"strong_monotonicity must not be negative, got {self.strong_monotonicity}")
        if class_constant(self.strong_monotonicity, "mu") * class_constant(self.cocoercivity, "beta") > 1:
            raise ValueError(f"strong_monotonicity must be at most 1/cocoercivity, got {self.strong_monotonicity}")

    @property
    def sufficient(self) -> bool:  # type: ignore[override]
        """Return whether only one of the two is asked for."""
        return not self.strong_monotonicity

    def __str__(self) -> str:
        strongly = f", {exact_text(self.strong_monotonicity)}-strongly monotone" if self.strong_monotonicity else ""
        return f"{exact_text(self.cocoercivity)}-cocoercive{strongly} operators"

    def inequalities(self, one: Point, other: Point) -> tuple[Expression, ...]:
        """Return -<y_i - y_j, x_i - x_j> + beta |y_i - y_j|^2, and + mu |x_i - x_j|^2."""
        inverse = secant(one, other, fmpq(0), positive(self.cocoercivity, "cocoercivity"))
        mu = class_constant(self.strong_monotonicity, "strong_monotonicity")
        return (inverse, secant(one, other, mu, fmpq(0))) if mu else (inverse,)


@dataclass(frozen=True)
class LipschitzOperator(OperatorClass):
    """Operators with |y_i - y_j| <= L |x_i - x_j|; nonexpansive ones for L = 1."""

    smoothness: Number = 1

    def __post_init__(self) -> None:
        positive(self.smoothness, "smoothness")

    def __str__(self) -> str:
        return f"{exact_text(self.smoothness)}-Lipschitz operators"

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return |y_i - y_j|^2 - L^2 |x_i - x_j|^2."""
        return _lipschitz(one, other, positive(self.smoothness, "smoothness"))


@dataclass(frozen=True)
class LipschitzMonotone(OperatorClass):
    """Monotone L-Lipschitz operators, also strongly monotone ones; the conditions are necessary alone."""

    smoothness: Number = 1
    strong_monotonicity: Number = 0
    sufficient = False

    def __post_init__(self) -> None:
        high = positive(self.smoothness, "smoothness")
        if not 0 <= class_constant(self.strong_monotonicity, "strong_monotonicity") <= high:
            raise ValueError(f"strong_monotonicity must lie in [0, smoothness], got {self.strong_monotonicity}")

    def __str__(self) -> str:
        strongly = f"{exact_text(self.strong_monotonicity)}-strongly " if self.strong_monotonicity else ""
        return f"{exact_text(self.smoothness)}-Lipschitz {strongly}monotone operators"

    def inequalities(self, one: Point, other: Point) -> tuple[Expression, ...]:
        """Return -<y_i - y_j, x_i - x_j> + mu |x_i - x_j|^2 and |y_i - y_j|^2 - L^2 |x_i - x_j|^2."""
        mu = class_constant(self.strong_monotonicity, "strong_monotonicity")
        return secant(one, other, mu, fmpq(0)), _lipschitz(one, other, positive(self.smoothness, "smoothness"))


@dataclass(frozen=True)
class NegativelyComonotone(OperatorClass):
    """Operators with <y_i - y_j, x_i - x_j> >= -rho |y_i - y_j|^2 (Gorbunov, Taylor, Horváth and Gidel 2023)."""

    comonotonicity: Number = 1
    smooth = False

    def __post_init__(self) -> None:
        positive(self.comonotonicity, "comonotonicity")

    def __str__(self) -> str:
        return f"{exact_text(self.comonotonicity)}-negatively comonotone operators"

    def inequality(self, one: Point, other: Point) -> Expression:
        """Return -<y_i - y_j, x_i - x_j> - rho |y_i - y_j|^2."""
        return secant(one, other, fmpq(0), -positive(self.comonotonicity, "comonotonicity"))
