"""Classes of functions, each by the inequalities that values and gradients at finitely many points must satisfy.

Where these are sufficient too (a function of the class takes these values, ``exact``), a worst case is attained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from flint import fmpq
from sympy import Symbol

from fltheory import symbols
from fltheory.number import RATIONAL, Number, exact, text
from fltheory.worst_case.gram import Expression, Value, Vector, difference, product, square, total, value


class Point(NamedTuple):
    """What is known of a function at one point; ``value`` None: 0."""

    at: Vector
    gradient: Vector
    value: Value | None

    def height(self) -> Expression:
        """The value as an expression."""
        return Expression() if self.value is None else value(self.value)


class FunctionClass(Protocol):
    """A class of functions on a space of any dimension."""

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """What a theorem may take from it."""

    def inequality(self, one: Point, other: Point) -> Expression:
        """At most 0 for two points of one function of the class."""


def _rational(number: object, name: str) -> fmpq:
    try:
        return RATIONAL.scalar(exact(number))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


@dataclass(frozen=True)
class Smooth:
    """Convex functions with curvature from ``strong_convexity`` (0: just convex) to ``smoothness``.

    The inequalities are sufficient: a function of the class takes such values and gradients (Taylor, Hendrickx, Glineur 2017).
    """

    smoothness: Number = 1
    strong_convexity: Number = 0

    def __post_init__(self) -> None:
        for name in ("smoothness", "strong_convexity"):
            object.__setattr__(self, name, exact(getattr(self, name)))
        low, high = self.curvatures
        if not high > 0:
            raise ValueError(f"smoothness must be positive, got {self.smoothness}")
        if not 0 <= low < high:
            raise ValueError(f"strong_convexity must lie in [0, smoothness), got {self.strong_convexity}")

    @property
    def curvatures(self) -> tuple[fmpq, fmpq]:
        """The least and the largest curvature."""
        return _rational(self.strong_convexity, "strong_convexity"), _rational(self.smoothness, "smoothness")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """L and mu."""
        return {symbols.smoothness: self.smoothness, symbols.strong_convexity: self.strong_convexity}

    def __str__(self) -> str:
        curved = f", {text(self.strong_convexity)}-strongly" if self.strong_convexity else ""
        return f"{text(self.smoothness)}-smooth{curved} convex functions"

    def inequality(self, one: Point, other: Point) -> Expression:
        """f_j - f_i + <g_j, x_i - x_j> + (|e|^2 / L + mu |d|^2 - 2 mu / L <e, d>) / (2 (1 - mu / L)) <= 0."""
        low, high = self.curvatures
        d, e = difference(one.at, other.at), difference(one.gradient, other.gradient)
        weight = 1 / (2 * (1 - low / high))
        return total(
            (fmpq(1), other.height()),
            (fmpq(-1), one.height()),
            (fmpq(1), product(other.gradient, d)),
            (weight / high, square(e)),
            (weight * low, square(d)),
            (-2 * weight * low / high, product(e, d)),
        )
