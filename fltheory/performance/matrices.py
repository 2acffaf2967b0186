"""Classes of linear operators, by matrices of all their points that must be nonnegative (Bousselmi, Hendrickx and Glineur 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from flint import fmpq

from fltheory.number import Number, exact_text
from fltheory.performance.classes import Conditions, positive
from fltheory.worst_case.functions import Point, class_constant
from fltheory.worst_case.functions.quadratic import range_entry
from fltheory.worst_case.gram import ONE, Expression, combine_expressions, product


@runtime_checkable
class MatrixConditions(Conditions, Protocol):
    """A class defined by a nonnegative matrix of its points, and by equations."""

    def entry(self, one: Point, other: Point) -> Expression:
        """Return minus an entry of a nonnegative matrix; off the diagonal, minus the sum of the two equal ones."""

    def turned(self, one: Point, other: Point) -> Expression:
        """Return an expression that is 0 for two points."""


@dataclass(frozen=True)
class LinearClass:
    """What classes of linear operators have in common; the zero vector has the image 0."""

    smooth = True
    sufficient = True
    valued = False

    def alone(self, one: Point) -> None:
        """Return None."""


def _norm_entry(one: Point, other: Point, bound: fmpq) -> Expression:
    """Return <y_i, y_j> - L^2 <x_i, x_j>, twice that off the diagonal."""
    found = combine_expressions((ONE, product(one.gradient, other.gradient)), (-(bound**2), product(one.at, other.at)))
    return found if one == other else found.times(fmpq(2))


@dataclass(frozen=True)
class LinearOperator(LinearClass):
    """Linear operators M with norm at most ``bound``; ``problem.operator(LinearOperator(1)).T`` is the adjoint."""

    bound: Number = 1
    adjoint_sign: ClassVar[int | None] = None  # the adjoint is no multiple of the operator

    def __post_init__(self) -> None:
        positive(self.bound, "bound")

    def __str__(self) -> str:
        return f"linear operators of norm at most {exact_text(self.bound)}"

    def entry(self, one: Point, other: Point) -> Expression:
        """Return <y_i, y_j> - L^2 <x_i, x_j>."""
        return _norm_entry(one, other, positive(self.bound, "bound"))

    def turned(self, one: Point, other: Point) -> Expression:
        """Return 0: the adjoint's equations are those of the two together."""
        return Expression()


@dataclass(frozen=True)
class SkewSymmetric(LinearOperator):
    """Linear operators with M' = -M and norm at most ``bound``."""

    adjoint_sign: ClassVar[int | None] = -1

    def __str__(self) -> str:
        return f"skew-symmetric operators of norm at most {exact_text(self.bound)}"

    def turned(self, one: Point, other: Point) -> Expression:
        """Return <x_i, y_j> + <y_i, x_j>."""
        return combine_expressions((ONE, product(one.at, other.gradient)), (ONE, product(one.gradient, other.at)))


@dataclass(frozen=True)
class SymmetricLinear(LinearClass):
    """Symmetric linear operators with eigenvalues from ``low`` to ``high``."""

    high: Number = 1
    low: Number = 0
    adjoint_sign: ClassVar[int | None] = 1

    def __post_init__(self) -> None:
        low, high = self._limits
        if not low < high:
            raise ValueError(f"low must be less than high, got {self.low} and {self.high}")

    @property
    def _limits(self) -> tuple[fmpq, fmpq]:
        return class_constant(self.low, "low"), class_constant(self.high, "high")

    def __str__(self) -> str:
        return f"symmetric operators with eigenvalues from {exact_text(self.low)} to {exact_text(self.high)}"

    def entry(self, one: Point, other: Point) -> Expression:
        """Return -<y_i - low x_i, high x_j - y_j>, and the same exchanged off the diagonal."""
        return range_entry(one, other, *self._limits)

    def turned(self, one: Point, other: Point) -> Expression:
        """Return <x_i, y_j> - <y_i, x_j>."""
        return combine_expressions((ONE, product(one.at, other.gradient)), (-ONE, product(one.gradient, other.at)))
