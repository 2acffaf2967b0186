"""The maximised measure of a run, as an expression in the evaluated gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq

from fltheory.model.case import Case
from fltheory.number import RATIONAL
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient, Measure, evaluate_in_ring
from fltheory.worst_case.gram import (
    ONE,
    ORIGIN,
    Expression,
    Vector,
    combine_expressions,
    constant,
    linear_combination,
    mean,
    product,
    square,
    value,
)
from fltheory.worst_case.measures import ConstrainedQuantity, LastGradient, LeastGap, Regret, RoundGrowth
from fltheory.worst_case.problem.labels import FALL, LEAST, ROUND, Label
from fltheory.worst_case.symbolic_run import OutOfReach, Record, SamplePath, Trace

HALF = fmpq(1, 2)


def objective_of(
    measure: Measure, trace: Trace, case: Case[Any]
) -> tuple[Expression, tuple[tuple[Label, Expression], ...]]:
    """Return the objective, and the limits that it needs."""
    record, courses = trace
    if isinstance(measure, LastDistance):
        return _expectation(courses, lambda c: square(c.points[-1])), ()
    if isinstance(measure, LastGap):
        return _expectation(courses, lambda c: gap(record, c.points[-1])), ()
    if isinstance(measure, AveragedGap):
        decay = evaluate_in_ring(measure.decay, case, RATIONAL)
        return _expectation(courses, lambda c: gap(record, _weighted_average(c.points, decay))), ()
    if isinstance(measure, RoundGrowth):
        start = courses[0].points[0]
        weight, kept = (evaluate_in_ring(expr, case, RATIONAL) for expr in (measure.weight, measure.kept))
        less = combine_expressions((weight, gap(record, start)), (-kept, square(start)))
        return combine_expressions((ONE, _expectation(courses, lambda c: square(c.points[-1]))), (ONE, less)), ()
    if isinstance(measure, ConstrainedQuantity):
        start = courses[0].points[0]
        size = (lambda point: gap(record, point)) if measure.of_height else square
        left = _expectation(courses, lambda c: size(c.points[-1]))
        before = (evaluate_in_ring(measure.contraction, case, RATIONAL), size(start))
        fall = combine_expressions(before, (-ONE, left), (-ONE, constant(RATIONAL.scalar(measure.fall))))
        return _quantity_at(measure.quantity, record, start), (((FALL,), fall),)
    if isinstance(measure, LastGradient):
        return _expectation(courses, lambda c: square(mean_gradient(record, c.points[-1]))), ()
    if isinstance(measure, LeastGradient):
        return _least(courses, lambda point: square(mean_gradient(record, point)))
    if isinstance(measure, LeastGap):
        return _least(courses, lambda point: gap(record, point))
    if isinstance(measure, Regret):
        return _expectation(
            courses,
            lambda c: combine_expressions(*((ONE, _client_value(record, r, x)) for r, x in enumerate(c.points[:-1]))),
        ), ()
    raise OutOfReach(
        f"{measure.name} can't be followed: LastDistance, LastGap, LeastGap, AveragedGap, LastGradient, "
        "LeastGradient, Regret and Growth are"
    )


def _quantity_at(quantity: LastGap | LeastGradient, record: Record, point: Vector) -> Expression:
    return gap(record, point) if isinstance(quantity, LastGap) else square(mean_gradient(record, point))


def _least(
    courses: tuple[SamplePath, ...], quantity: Callable[[Vector], Expression]
) -> tuple[Expression, tuple[tuple[Label, Expression], ...]]:
    """Return the least of the expectations over rounds, as a value that is at most each of them."""
    limits = []
    for r in range(len(courses[0].points)):
        expected = _expectation(courses, lambda c: quantity(c.points[r]))  # noqa: B023 (called at once)
        limits.append(((ROUND, r), combine_expressions((ONE, value(LEAST)), (-ONE, expected))))
    return value(LEAST), tuple(limits)


def _expectation(courses: tuple[SamplePath, ...], quantity: Callable[[SamplePath], Expression]) -> Expression:
    return combine_expressions(*((course.weight, quantity(course)) for course in courses))


def _weighted_average(points: tuple[Vector, ...], decay: fmpq) -> Vector:
    """Return the average with weights proportional to decay^-(r + 1)."""
    weights = [decay ** (len(points) - 1 - r) for r in range(len(points))]
    whole = sum(weights, fmpq(0))
    return linear_combination(*((w / whole, point) for w, point in zip(weights, points, strict=True)))


def mean_gradient(record: Record, point: Vector) -> Vector:
    """Return the gradient of F at a point."""
    n = record.n_clients
    return linear_combination(*((fmpq(1, n), record.gradient(m, point)) for m in range(n)))


def gap(record: Record, point: Vector) -> Expression:
    """Return F - F* at a point; clients are 0 at x*."""
    if point == ORIGIN:
        return Expression()
    return mean(_client_value(record, m, point) for m in range(record.n_clients))


def _client_value(record: Record, client: int, point: Vector) -> Expression:
    """Return the value of a client, or of the mean of tilted ones, at a point."""
    if record.constant:
        return product(point, record.at_optimum(client))
    if record.linear:
        pull = ORIGIN if record.tilted else record.at_optimum(client)
        return product(point, linear_combination((HALF, record.image(client, point)), (ONE, pull)))
    place = record.place(client, point)
    return Expression() if place is None else value(place)
