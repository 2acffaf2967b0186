"""Performance estimation problems: the worst value of a quantity over all functions of given classes, in every dimension.

The statement is that of Drori and Teboulle (2014) and Taylor, Hendrickx and Glineur (2017): functions are known by their values
and subgradients at the points that are asked of, and a run is linear in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fltheory.performance.classes import Inequalities, OneInequality
from fltheory.performance.functions import Evaluation, Function, minimisers
from fltheory.performance.points import Condition, Point, Quantity, rational
from fltheory.performance.program import EQUAL, GIVEN, LOWEST, OWN, PAIR, Program
from fltheory.performance.value import WorstValue, worst_value
from fltheory.worst_case.functions import MatrixClass
from fltheory.worst_case.gram import ONE, ORIGIN, Expression, Vector, basis, combine_expressions, difference
from fltheory.worst_case.gram import value as unknown_value
from fltheory.worst_case.problem.labels import BENT, TURNED, Label


class Problem:
    """A performance estimation problem: declare functions, a start and steps, then ask for a worst value.

    Examples
    --------
    >>> from fltheory.performance import Problem, Smooth
    >>> problem = Problem()
    >>> f = problem.function(Smooth(1))
    >>> best = f.minimiser()
    >>> x = problem.start(best, distance=1)
    >>> for _ in range(4):
    ...     x = x - f.gradient(x)
    >>> problem.worst(f(x) - f(best)).value
    Fraction(1, 18)
    """

    def __init__(self) -> None:
        self._size = 0
        self._places: list[int] = []
        self._functions: list[Function] = []
        self._conditions: list[Condition] = []
        self._numbers = 0
        self._reasons: list[str] = []

    def function(self, kind: Any) -> Function:
        """Declare a function, or an operator, of a class."""
        if not isinstance(kind, OneInequality | Inequalities | MatrixClass):
            raise ValueError(f"expected a class of functions such as Smooth(1) or Convex(), got {kind!r}")
        found = Function(self, kind, len(self._functions))
        self._functions.append(found)
        return found

    operator = function

    def new_vector(self, place: bool = False) -> Vector:
        """Return a new vector of the basis; ``place``: a point rather than a direction."""
        self._size += 1
        if place:
            self._places.append(self._size - 1)
        return basis(self._size - 1)

    def vector(self) -> Point:
        """Return an unknown direction."""
        return Point(self, self.new_vector())

    def start(self, near: Point | None = None, distance: object = None) -> Point:
        """Return an unknown point, at most ``distance`` from another if that is given."""
        found = Point(self, self.new_vector(place=True))
        if (near is None) != (distance is None):
            raise ValueError("a start has both, or neither: a point that it is near, and its distance")
        if near is not None:
            self.require((found - near) ** 2 <= rational(distance) ** 2)
        return found

    def number(self) -> Quantity:
        """Return an unknown number."""
        self._numbers += 1
        return Quantity(self, unknown_value(("number", self._numbers)))

    def require(self, *conditions: Condition) -> None:
        """State conditions."""
        for one in conditions:
            if not isinstance(one, Condition):
                raise TypeError(f"expected a condition such as (x - y)**2 <= 1, got {one!r}")
            if one.problem is not self:
                raise ValueError("the condition is about another problem")
            self._conditions.append(one)

    def require_own(self, x: Point) -> None:
        """Raise an error unless this is a point of the problem."""
        if not isinstance(x, Point):
            raise TypeError(f"expected a point, got {x!r}")
        if x.problem is not self:
            raise ValueError("the point belongs to another problem: declare all of them with one Problem()")

    def limit_to_upper(self, reason: str) -> None:
        """State that solutions need not be instances, and why."""
        self._reasons.append(reason)

    def program(self, *measures: Quantity) -> Program:
        """Return the worst value of a quantity, or of the least of several, as a semidefinite program."""
        if not measures:
            raise ValueError("worst(...) needs a quantity, such as f(x) - f(best)")
        for one in measures:
            if not isinstance(one, Quantity) or one.problem is not self:
                raise TypeError(f"expected a quantity of this problem, such as f(x) - f(best), got {one!r}")
        objective, limits = measures[0].expression, dict[Label, Expression]()
        if len(measures) > 1:
            objective = unknown_value("least")
            for k, one in enumerate(measures):
                limits[LOWEST, k] = combine_expressions((ONE, objective), (-ONE, one.expression))
        for k, one in enumerate(self._conditions):
            limits[EQUAL if one.equation else GIVEN, k] = one.expression
        for one in self._functions:
            limits.update(_conditions_of(one))
        stated = {label: limit for label, limit in limits.items() if limit != Expression()}
        insufficient = [
            f"the conditions of {f.kind} are necessary alone" for f in self._functions if not f.kind.sufficient
        ]
        why = next(iter((*self._reasons, *insufficient)), None)
        return Program(objective, stated, self._size, tuple(self._places), why)

    def worst(self, *measures: Quantity) -> WorstValue:
        """Return the largest value of a quantity, or of the least of several, over all that meets the conditions.

        Returns
        -------
        WorstValue
            An attained and a proved value, both exact, with multipliers that prove the upper one.

        Raises
        ------
        ValueError
            If the quantity has no limit, or nothing was asked for.
        """
        return worst_value(self.program(*measures))


def _conditions_of(one: Function) -> Iterator[tuple[Label, Expression]]:
    """Return the conditions of a function's class on its data."""
    known, m = one.evaluations, one.number
    if getattr(one.kind, "centred", False) or isinstance(one.kind, MatrixClass):
        if not minimisers(known):
            raise ValueError(f"{one.kind}: declare the minimiser first, with f.minimiser()")
    if isinstance(one.kind, MatrixClass):
        yield from _matrix_conditions(one)
        return
    for a, each in enumerate(known):
        own = one.kind.alone(each.data)
        if own is not None:
            yield (OWN, m, a), own
        for b, other in enumerate(known):
            if a != b:
                found = _of_pair(one.kind, each, other)
                yield from (((PAIR, m, a, b, k), limit) for k, limit in enumerate(found))


def _of_pair(kind: Any, one: Evaluation, other: Evaluation) -> tuple[Expression, ...]:
    if isinstance(kind, Inequalities):
        return kind.inequalities(one.data, other.data)
    assert isinstance(kind, OneInequality)
    return (kind.inequality(one.data, other.data),)


def _matrix_conditions(one: Function) -> Iterator[tuple[Label, Expression]]:
    """Return the entries of the nonnegative matrix of a quadratic function, around its minimiser."""
    centre = minimisers(one.evaluations)[0].at
    known = [each.data._replace(at=difference(each.at, centre)) for each in one.evaluations]
    used = [each for each in known if (each.at, each.gradient) != (ORIGIN, ORIGIN)]
    for b, other in enumerate(used):
        for a in range(b + 1):
            yield (BENT, one.number, a, b), one.kind.entry(used[a], other)
    for b, other in enumerate(used):
        for a in range(b):
            yield (TURNED, one.number, a, b), one.kind.turned(used[a], other)
