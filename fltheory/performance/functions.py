"""Functions and operators of a problem: what is asked of them at points, and the data that answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from flint import fmpq

from fltheory.performance.points import Point, Quantity, is_number, rational
from fltheory.performance.space import Space
from fltheory.worst_case import functions as data
from fltheory.worst_case.gram import ONE, ORIGIN, Expression, Value, Vector, difference, linear_combination
from fltheory.worst_case.gram import value as unknown_value


class Evaluation(NamedTuple):
    """The data of a function at a point: a subgradient, or the image under an operator, and the value."""

    at: Vector
    gradient: Vector
    value: Expression
    name: Value | None  # of the value; None if it is 0 or follows from the gradient

    @property
    def data(self) -> data.Point:
        """Return the data for the conditions of a class."""
        return data.Point(self.at, self.gradient, self.name)


class Combination:
    """Functions and their weighted sums: ``f + g``, ``2 * f``, ``(f + g) / 3``."""

    problem: Space

    @property
    def parts(self) -> tuple[tuple[fmpq, Function], ...]:
        """Return the functions with their weights."""
        raise NotImplementedError

    def __add__(self, other: Combination) -> Sum:
        if not isinstance(other, Combination) or other.problem is not self.problem:
            raise TypeError("a function is added to functions of the same problem")
        weights: dict[Function, fmpq] = {}
        for c, one in (*self.parts, *other.parts):
            weights[one] = weights.get(one, fmpq(0)) + c
        return Sum(self.problem, tuple((c, one) for one, c in weights.items() if c))

    @property
    def T(self) -> Combination:
        """Raise: a sum has no adjoint of its own."""
        raise ValueError("a sum has no adjoint: ask each operator for its own")

    @property
    def infimum(self) -> Quantity:
        """Raise: a sum has no infimum of its own."""
        raise ValueError("a sum has no infimum of its own: state it by problem.number() and conditions")

    def __radd__(self, other: object) -> Combination:
        return self if other == 0 else NotImplemented

    def __mul__(self, factor: object) -> Sum:
        if not is_number(factor):
            return NotImplemented
        c = rational(factor)
        return Sum(self.problem, tuple((c * weight, one) for weight, one in self.parts if c))

    __rmul__ = __mul__

    def __truediv__(self, divisor: object) -> Sum:
        return self * (1 / rational(divisor))

    def __neg__(self) -> Sum:
        return self * -1

    def __sub__(self, other: Combination) -> Sum:
        return self + -other

    def __call__(self, x: Point) -> Any:
        """Return the value at a point; of an operator, an image."""
        self.problem.require_own(x)
        if not all(one.valued for _, one in self.parts):
            return self.gradient(x)
        found = Quantity(self.problem, Expression())
        for c, one in self.parts:
            found = found + Quantity(self.problem, one.value(x.vector)) * c
        return found

    def gradient(self, x: Point) -> Point:
        """Return a subgradient at a point, the gradient of differentiable functions; of an operator, an image.

        A function that need not be differentiable answers with another subgradient each time.
        """
        self.problem.require_own(x)
        found = ((c, one.ask(x.vector).gradient) for c, one in self.parts)
        return Point(self.problem, linear_combination(*found))

    subgradient = gradient

    def point_with_gradient(self, slope: Point, at: Point | None = None) -> Point:
        """Return a point at which ``slope`` is a subgradient; ``at``: this point, which is then required to be one."""
        self.problem.require_own(slope)
        if at is not None:
            self.problem.require_own(at)
        if not self.parts:
            raise ValueError("the sum is the zero function: every point has the gradient 0")
        x = self.problem.new_vector(place=True) if at is None else at.vector
        *first, (weight, last) = self.parts
        answers = [(c, one.ask(x).gradient) for c, one in first]
        last.add(x, linear_combination((1 / weight, slope.vector), *((-c / weight, g) for c, g in answers)))
        return Point(self.problem, x)

    def stationary_point(self) -> Point:
        """Return a point with subgradient 0, of an operator a zero."""
        return self.point_with_gradient(Point(self.problem, ORIGIN))

    zero = stationary_point

    def minimiser(self) -> Point:
        """Return a minimiser: a point with subgradient 0 of functions for which that is enough."""
        alone = len(self.parts) == 1 and getattr(self.parts[0][1].kind, "centred", False)
        if not alone:
            self._require_convex(
                "a stationary point need not be a minimiser: ask for f.stationary_point(), and f.infimum"
            )
        return self.stationary_point()

    def _require_convex(self, otherwise: str) -> None:
        """Raise ValueError if a part with values is not convex, or has a negative weight."""
        for c, one in self.parts:
            if one.valued and not (getattr(one.kind, "convex", False) and c > 0):
                raise ValueError(f"{type(one.kind).__name__} with weight {c}: {otherwise}")

    def fixed_point(self) -> Point:
        """Return a fixed point of an operator: one that is its own image."""
        x = Point(self.problem, self.problem.new_vector(place=True))
        return self.point_with_gradient(x, at=x)

    def prox(self, x: Point, step: object = 1) -> Point:
        """Return argmin_u f(u) + |u - x|^2 / (2 step), of an operator the resolvent (I + step A)^-1 x."""
        self.problem.require_own(x)
        if not rational(step) > 0:
            raise ValueError(f"the step of a proximal map must be positive, got {step}")
        self._require_convex("without convexity a proximal map is no single point: state it by f.point_with_gradient")
        slopes = [(c, one, self.problem.new_vector()) for c, one in self.parts]
        at = linear_combination((ONE, x.vector), *((-c * rational(step), slope) for c, _, slope in slopes))
        for _, one, slope in slopes:
            one.add(at, slope)
        return Point(self.problem, at)

    resolvent = prox

    def line_search(self, x: Point, *directions: Point) -> Point:
        """Return a minimiser over x + span(directions), known only by what is orthogonal: an upper limit alone.

        The gradient there is orthogonal to the step and to each direction.
        """
        self.problem.require_own(x)
        new = Point(self.problem, self.problem.new_vector(place=True))
        slope = self.gradient(new)
        for one in (new - x, *directions):
            self.problem.require(slope @ one == 0)
        self.problem.limit_to_upper("an exact line search is known only by what is orthogonal")
        return new

    def inexact_gradient(self, x: Point, relative: object = 0, absolute: object = 0) -> Point:
        """Return d with |d - g| <= relative |g|, or <= absolute."""
        exact, near = self.gradient(x), self.problem.vector()
        error = (near - exact) ** 2
        self.problem.require(error <= rational(relative) ** 2 * exact**2 + rational(absolute) ** 2)
        return near

    def epsilon_subgradient(self, x: Point) -> tuple[Point, Quantity]:
        """Return g and the least epsilon with f(y) >= f(x) + <g, y - x> - epsilon for all y."""
        self._require_convex("without convexity a subgradient at one point says nothing of others")
        slope = self.problem.vector()
        touched = self.point_with_gradient(slope)
        return slope, self(x) - self(touched) - slope @ (x - touched)


@dataclass(frozen=True, eq=False)
class Sum(Combination):
    """A weighted sum of functions."""

    problem: Space
    weighted: tuple[tuple[fmpq, Function], ...]

    @property
    def parts(self) -> tuple[tuple[fmpq, Function], ...]:
        """Return the functions with their weights."""
        return self.weighted


@dataclass(frozen=True, eq=False)
class Function(Combination):
    """A function, or an operator, of which a problem knows only its class and the data asked for."""

    problem: Space
    kind: Any
    number: int
    evaluations: list[Evaluation] = field(default_factory=list, repr=False)
    adjoint: list[Function] = field(default_factory=list, repr=False)
    least: list[Expression] = field(default_factory=list, repr=False)

    @property
    def parts(self) -> tuple[tuple[fmpq, Function], ...]:
        """Return itself."""
        return ((ONE, self),)

    @property
    def valued(self) -> bool:
        """Return whether it has values: operators have none."""
        return getattr(self.kind, "valued", True)

    @property
    def T(self) -> Combination:
        """Return the adjoint of a linear operator."""
        if not hasattr(self.kind, "adjoint_sign"):
            raise ValueError(f"{self.kind} have no adjoint: declare a LinearOperator")
        if self.kind.adjoint_sign is not None:
            return self if self.kind.adjoint_sign == 1 else -self
        if not self.adjoint:
            self.adjoint.append(self.problem.function(self.kind))
            self.adjoint[0].adjoint.append(self)
        return self.adjoint[0]

    @property
    def infimum(self) -> Quantity:
        """Return the infimum, which need not be attained, for functions that need not be convex."""
        if getattr(self.kind, "rooted", True):
            raise ValueError(f"{self.kind}: the infimum is the value at f.minimiser()")
        if not self.least:
            self.least.append(self.problem.number().expression)
        return Quantity(self.problem, self.least[0])

    @property
    def centre(self) -> Vector:
        """Return the minimiser of functions that are told by it, else the origin."""
        if not getattr(self.kind, "centred", False):
            return ORIGIN
        if not (found := minimisers(self.evaluations)):
            raise ValueError(f"{self.kind}: declare the minimiser first, with f.minimiser()")
        return found[0].at

    def ask(self, at: Vector) -> Evaluation:
        """Return data at a point, known ones if it has one gradient there."""
        known = self._known(at)
        if known is not None and self.kind.smooth:
            return known
        return self.add(at, self.problem.new_vector())

    def add(self, at: Vector, gradient: Vector) -> Evaluation:
        """State that this is a subgradient at a point; the value is that known there, if any."""
        found = Evaluation(at, gradient, *self._value(at, gradient))
        self.evaluations.append(found)
        return found

    def value(self, at: Vector) -> Expression:
        """Return the value at a point."""
        if not getattr(self.kind, "values", True):
            raise ValueError(f"{self.kind}: the class has no conditions on values; ask for gradients and distances")
        known = self._known(at)
        if known is None and getattr(self.kind, "membership", False):
            known = self.add(at, ORIGIN)
        return (known or self.ask(at)).value

    def _known(self, at: Vector) -> Evaluation | None:
        return next((one for one in self.evaluations if one.at == at), None)

    def _value(self, at: Vector, gradient: Vector) -> tuple[Expression, Value | None]:
        if not self.valued:
            return Expression(), None
        if hasattr(self.kind, "value"):
            return self.kind.value(difference(at, self.centre if gradient else at), gradient), None
        known = next((one.name for one in self.evaluations if one.at == at), None)
        name = f"f{self.number}({len(self.evaluations)})" if known is None else known
        return unknown_value(name), name


def minimisers(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """Return the data at minimisers."""
    return [one for one in evaluations if not one.gradient]


def differences(one: Function) -> Iterator[tuple[Vector, Vector]]:
    """Return the differences of every two of its points and of its gradients there."""
    for first, second in combinations(one.evaluations, 2):
        yield difference(first.at, second.at), difference(first.gradient, second.gradient)
