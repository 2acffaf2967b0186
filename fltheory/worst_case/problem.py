"""The worst case of a measure over a class as one problem: an expression to make large under expressions that are at most 0."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from fltheory import symbols
from fltheory.case import Case
from fltheory.number import RATIONAL
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient, Measure, in_ring
from fltheory.worst_case.functions import FunctionClass, Point, inequalities
from fltheory.worst_case.gram import (
    ONE,
    ORIGIN,
    Expression,
    Value,
    Vector,
    basis,
    combined,
    constant,
    mean,
    square,
    total,
    value,
)
from fltheory.worst_case.trace import START, Course, OutOfReach, Record, Trace, traced

Label = tuple[Hashable, ...]
LEAST: Value = "least"  # the value that is no larger than the measured quantity of any round


@dataclass(frozen=True)
class Problem:
    """Make ``objective`` large subject to ``limits`` at most 0, over all Gram matrices of ``size`` vectors and all values."""

    n_clients: int
    size: int
    asked: tuple[tuple[int, Vector], ...]  # what the basis after x_0 and the h is: clients and points
    limits: tuple[tuple[Label, Expression], ...]
    objective: Expression

    @property
    def values(self) -> tuple[Value, ...]:
        """The unknown values, in a fixed order."""
        found: dict[Value, None] = {}
        for expression in (self.objective, *(limit for _, limit in self.limits)):
            found.update(dict.fromkeys(expression.values))
        return tuple(found)


def stated(algorithm: Algorithm, functions: FunctionClass, measure: Measure, case: Case[Any]) -> tuple[Problem, Trace]:
    """The problem of a run on unknown clients of this class, and how it was followed."""
    trace = traced(algorithm, case)
    record = trace.record
    objective, extra = _objective(measure, trace, case)
    limits = [*extra, *_known(case, record)]
    for m in range(record.n_clients):
        for (i, j), limit in inequalities(functions, points_of(record, m)):
            limits.append((("client", m, i, j), limit))
    asked = tuple((a.client, a.point) for a in record.asked)
    return Problem(record.n_clients, record.size, asked, tuple(limits), objective), trace


def points_of(record: Record, client: int) -> list[Point]:
    """Where a client was asked, the optimum first, where its value is 0."""
    found = [Point(ORIGIN, record.at_optimum(client), None)]
    for asked, index in record.asked.items():
        if asked.client == client:
            found.append(Point(asked.point, basis(index), index))
    return found


def _known(case: Case[Any], record: Record) -> Iterator[tuple[Label, Expression]]:
    """What is known beside the class: how far the start is, how the clients differ."""
    known = {symbol: RATIONAL.scalar(v) for symbol, v in case.instance.known.items()}
    if symbols.initial_distance in known:
        limit = constant(known[symbols.initial_distance] ** 2)
        yield ("distance",), total((ONE, square(basis(START))), (-ONE, limit))
    gradients = [square(record.at_optimum(m)) for m in range(record.n_clients)]
    if symbols.heterogeneity_at_optimum in known and record.n_clients > 1:
        limit = constant(known[symbols.heterogeneity_at_optimum] ** 2)
        yield ("heterogeneity",), total((ONE, mean(gradients)), (-ONE, limit))


def _objective(
    measure: Measure, trace: Trace, case: Case[Any]
) -> tuple[Expression, tuple[tuple[Label, Expression], ...]]:
    """What is made large, and limits that come with it."""
    record, courses = trace
    if isinstance(measure, LastDistance):
        return _expected(courses, lambda c: square(c.points[-1])), ()
    if isinstance(measure, LastGap):
        return _expected(courses, lambda c: gap(record, c.points[-1])), ()
    if isinstance(measure, AveragedGap):
        decay = in_ring(measure.decay, case, RATIONAL)
        return _expected(courses, lambda c: gap(record, _averaged(c.points, decay))), ()
    if isinstance(measure, LeastGradient):
        rounds = range(len(courses[0].points))
        limits = []
        for r in rounds:
            squared = _expected(courses, lambda c: square(mean_gradient(record, c.points[r])))  # noqa: B023 (called at once)
            limits.append((("round", r), total((ONE, value(LEAST)), (-ONE, squared))))
        return value(LEAST), tuple(limits)
    raise OutOfReach(
        f"{measure.name} is not read off unknown functions: LastDistance, LastGap, AveragedGap and LeastGradient are"
    )


def _expected(courses: tuple[Course, ...], quantity: Any) -> Expression:
    return total(*((course.weight, quantity(course)) for course in courses))


def _averaged(points: tuple[Vector, ...], decay: fmpq) -> Vector:
    """The average with weights proportional to decay^-(r + 1)."""
    weights = [decay ** (len(points) - 1 - r) for r in range(len(points))]
    whole = sum(weights, fmpq(0))
    return combined(*((w / whole, point) for w, point in zip(weights, points, strict=True)))


def mean_gradient(record: Record, point: Vector) -> Vector:
    """The gradient of F at a point."""
    n = record.n_clients
    return combined(*((fmpq(1, n), record.gradient(m, point)) for m in range(n)))


def gap(record: Record, point: Vector) -> Expression:
    """F - F* at a point: clients are 0 at x*."""
    if point == ORIGIN:
        return Expression()
    indices = [record.gradient(m, point)[0][0] for m in range(record.n_clients)]
    return mean(value(i) for i in indices)
