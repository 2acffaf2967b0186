"""Performance estimation problems: the worst value of a quantity over all functions of given classes, in every dimension.

The statement is that of Drori and Teboulle (2014) and Taylor, Hendrickx and Glineur (2017): functions are known by their values
and subgradients at the points that are asked of, and a run is linear in them.
"""

from __future__ import annotations

from typing import Any

from fltheory.number import exact
from fltheory.performance.blocks import Blocks, BlockSmooth
from fltheory.performance.classes import Inequalities, OneInequality
from fltheory.performance.conditions import conditions_of
from fltheory.performance.functions import Function, differences
from fltheory.performance.matrices import MatrixConditions
from fltheory.performance.points import Condition, Point, Quantity, rational
from fltheory.performance.solving import WorstValue, worst_value
from fltheory.performance.solving.program import EQUAL, GIVEN, LOWEST, Program
from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.worst_case.gram import ONE, ORIGIN, Expression, Vector, basis, combine_expressions
from fltheory.worst_case.gram import value as unknown_value
from fltheory.worst_case.problem.labels import MATRIX_KINDS, Label


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
        self._blocks: list[Blocks] = []
        self._numbers = 0
        self._reasons: list[str] = []

    def function(self, kind: Any) -> Function:
        """Declare a function, or an operator, of a class."""
        if isinstance(kind, type) or not isinstance(kind, OneInequality | Inequalities | MatrixConditions):
            raise ValueError(f"expected a class of functions such as Smooth(1) or Convex(), got {kind!r}")
        if isinstance(kind, BlockSmooth) and kind.blocks.problem is not self:
            raise ValueError("the blocks belong to another problem: declare them with this problem's blocks(...)")
        found = Function(self, kind, len(self._functions))
        self._functions.append(found)
        return found

    def blocks(self, count: int) -> Blocks:
        """Declare that the space has so many orthogonal blocks of coordinates."""
        if not count >= 1:
            raise ValueError(f"there is at least one block, got {count}")
        self._blocks.append(Blocks(self, count))
        return self._blocks[-1]

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

    def origin(self) -> Point:
        """Return the zero vector, at which a point may be placed if nothing depends on where it is."""
        return Point(self, ORIGIN)

    def start(self, near: Point | None = None, distance: object = None) -> Point:
        """Return an unknown point, at most ``distance`` from another if that is given."""
        found = Point(self, self.new_vector(place=True))
        if (near is None) != (distance is None):
            raise ValueError("a start has both, or neither: a point that it is near, and its distance")
        if near is not None:
            if rational(distance) < 0:
                raise ValueError(f"distance must not be negative, got {distance}")
            self.require((found - near) ** 2 <= rational(distance) ** 2)
        return found

    def number(self) -> Quantity:
        """Return an unknown number."""
        self._numbers += 1
        return Quantity(self, unknown_value(f"number {self._numbers}"))

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
        for k, condition in enumerate(self._conditions):
            limits[EQUAL if condition.equation else GIVEN, k] = condition.expression
        for function in self._functions:
            limits.update(conditions_of(function))
        equations = (equation for blocks in self._blocks for equation in blocks.equations())
        limits.update(((EQUAL, "blocks", k), one) for k, one in enumerate(equations))
        stated = {label: limit for label, limit in limits.items() if limit != Expression() or label[0] in MATRIX_KINDS}
        insufficient = [
            f"the conditions of {f.kind} are necessary alone" for f in self._functions if not f.kind.sufficient
        ]
        why = next(iter((*self._reasons, *insufficient)), None)
        single = tuple(
            pair for f in self._functions if getattr(f.kind, "single_valued", False) for pair in differences(f)
        )
        return Program(objective, stated, self._size, frozenset(self._places), why, single)

    def worst(self, *measures: Quantity, bound: object = None) -> WorstValue:
        """Return the largest value of a quantity, or of the least of several, over all that meets the conditions.

        Parameters
        ----------
        *measures : Quantity
            A quantity, or several of which the least counts.
        bound : number, optional
            What it is compared with.

        Returns
        -------
        WorstValue
            An attained and a proved value, both exact, with multipliers that prove the upper one.

        Raises
        ------
        ValueError
            If the quantity has no limit, or nothing was asked for.
        """
        given = to_python_fraction(rational(bound)) if isinstance(bound, float) else bound
        return worst_value(self.program(*measures), None if given is None else exact(given), self)
