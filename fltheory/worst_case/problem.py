"""The worst case of a measure over a class as one problem: an expression to make large under expressions that are at most 0."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from flint import fmpq

from fltheory import symbols
from fltheory.bound import Dimension
from fltheory.case import Case, FederatedInstance
from fltheory.number import RATIONAL
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import (
    ENERGY,
    LENGTH_SQUARED,
    AveragedGap,
    LastDistance,
    LastGap,
    LeastGradient,
    Measure,
    OfRun,
    in_ring,
)
from fltheory.worst_case.functions import FunctionClass, Point
from fltheory.worst_case.gram import (
    ONE,
    ORIGIN,
    ZERO,
    Expression,
    Value,
    Vector,
    basis,
    combined,
    constant,
    mean,
    product,
    square,
    total,
    value,
)
from fltheory.worst_case.trace import START, Course, OutOfReach, Record, Trace, traced

Label = tuple[Hashable, ...]
LEAST: Value = "least"  # the value that is no larger than the measured quantity of any round
CLIENT, ROUND = "client", "round"
NOISE, APART = "noise", "apart"
FALL, DISTANCE, HETEROGENEITY = "fall", "distance", "heterogeneity"
OPTIMUM = 0  # in labels: the point x*, where nothing of the basis is a gradient


@dataclass(frozen=True)
class Problem:
    """Make ``objective`` large, over all Gram matrices of the basis and all values, subject to limits that are at most 0.

    ``known``: limits beside those of the class. These have labels ("client", m, a, b) for the points of client m whose
    gradients are a and b in the basis, ``OPTIMUM`` for x*. ``free``: nothing limits how far x_0 is from x*; its inner products
    are unknown values then, on which nothing may depend. ``variance``: that of each noise at most, with labels ("noise", i).
    A noise has no inner product with what does not depend on it: ("apart", i, j), whose multipliers may have either sign.
    """

    record: Record
    functions: FunctionClass
    known: tuple[tuple[Label, Expression], ...]
    objective: Expression
    free: bool = False
    variance: fmpq = ZERO

    @property
    def n_clients(self) -> int:
        """How many clients there are."""
        return self.record.n_clients

    @property
    def size(self) -> int:
        """How many vectors the basis has."""
        return self.record.size

    @cached_property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """Of every client where it was asked: the optimum, then the basis' indices of its gradients."""
        found: list[list[int]] = [[OPTIMUM] for _ in range(self.n_clients)]
        for asked, index in self.record.asked:
            found[asked.client].append(index)
        return tuple(map(tuple, found))

    @cached_property
    def _points(self) -> dict[int, Vector]:
        return {index: asked.point for asked, index in self.record.asked}

    def point(self, client: int, place: int) -> Point:
        """What is known of a client at one of its places; at x* its value is 0."""
        if place == OPTIMUM:
            return Point(ORIGIN, self.record.at_optimum(client), None)
        return Point(self._points[place], basis(place), place)

    def labels(self) -> Iterator[Label]:
        """Those of all limits."""
        yield from (label for label, _ in self.known)
        for m, places in enumerate(self.places):
            yield from ((CLIENT, m, a, b) for a in places for b in places if a != b)
        yield from ((NOISE, i) for i in self.noises)
        yield from ((APART, i, j) for i in self.noises for j in sorted(self.noises[i]) if self._stated(i, j))

    def _stated(self, i: int, j: int) -> bool:
        """Each pair of noises once; a free start is no vector of the form."""
        return (j not in self.noises or i < j) and not (self.free and j == START)

    @cached_property
    def noises(self) -> dict[int, frozenset[int]]:
        """Of every noise: what has no inner product with it. Of two noises one does not depend on the other."""
        found = {i: set(self.record.before(i)) for _, i in self.record.drawn}
        return {i: frozenset({*before, *(j for j in found if i in found[j])} - {i}) for i, before in found.items()}

    def limit(self, label: Label) -> Expression:
        """The expression of this label, at most 0 (apart: 0); KeyError where there is none."""
        kind, *at = label
        if kind == CLIENT:
            return self.told(self._of_client(*at))
        if kind in (NOISE, APART):
            return self._of_noise(label)
        return self.told(dict(self.known)[label])

    def _of_client(self, m: Hashable, a: Hashable, b: Hashable) -> Expression:
        if not (isinstance(m, int) and 0 <= m < self.n_clients and {a, b} <= set(self.places[m]) and a != b):
            raise KeyError(m, a, b)
        return self.functions.inequality(self.point(m, int(str(a))), self.point(m, int(str(b))))

    def _of_noise(self, label: Label) -> Expression:
        kind, i, *others = label
        if not isinstance(i, int) or (kind == APART and others[0] not in self.noises[i]):
            raise KeyError(label)
        if kind == NOISE and i in self.noises:
            return total((ONE, square(basis(i))), (-ONE, constant(self.variance)))
        j = int(str(others[0]))
        return product(basis(i), self.record.at_optimum(j - 1) if 1 <= j <= self.n_clients else basis(j))

    def told(self, expression: Expression) -> Expression:
        """The expression, inner products with a free start as values."""
        if not self.free:
            return expression
        apart: dict[Value, fmpq] = {
            (START, j): c for (i, j), c in expression.products.items() if i == START and j not in self.noises
        }
        products = {pair: c for pair, c in expression.products.items() if pair[0] != START}
        return Expression(products, {**expression.values, **apart}, expression.constant)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The unknown values, in a fixed order."""
        found: dict[Value, None] = dict.fromkeys(self.objective.values)
        for _, limit in self.known:
            found.update(dict.fromkeys(limit.values))
        found.update(dict.fromkeys(place for places in self.places for place in places[1:]))
        return tuple(found)


@dataclass(frozen=True)
class Growth(OfRun):
    """E|x_R - x*|^2 - |x_0 - x*|^2 + weight (F(x_0) - F*): over one round, what is left to telescope.

    ``weight``: an expression in the constants of the case. It may be negative.
    """

    weight: sympy.Expr
    name: str = "E|x_R - x*|² - |x_0 - x*|² + a (F(x_0) - F*)"
    dimension: Dimension = LENGTH_SQUARED

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        first, last = (LastDistance().values(states[:, [at]], case) for at in (0, -1))
        weight = in_ring(self.weight, case, RATIONAL)
        return last - first + case.instance.gap(states[:, 0])[:, None] * weight


@dataclass(frozen=True)
class Held(OfRun):
    """``quantity`` at x_0, its gap or squared gradient, where contraction |x_0 - x*|^2 - E|x_1 - x*|^2 <= ``fall``.

    At most this is what a round leaves undone; the multiplier of the fall is what telescopes over rounds.
    """

    quantity: LastGap | LeastGradient
    contraction: sympy.Expr
    fall: Fraction
    dimension: Dimension = ENERGY

    @property
    def name(self) -> str:
        """What it is, in symbols."""
        return f"{self.quantity.name} of x_0 where a round takes at most {self.fall} off |x_0 - x*|²"


def stated(algorithm: Algorithm, functions: FunctionClass, measure: Measure, case: Case[Any]) -> Problem:
    """The problem of a run on unknown clients of this class."""
    trace = traced(algorithm, case)
    objective, extra = _objective(measure, trace, case)
    variance = RATIONAL.scalar(case.instance.known.get(symbols.noise_std, 0)) ** 2
    found = Problem(trace.record, functions, (*extra, *_known(case, trace.record)), objective, variance=variance)
    free = symbols.initial_distance not in case.instance.known and not _holds_start(found)
    return replace(found, objective=replace(found, free=free).told(objective), free=free)


def _holds_start(problem: Problem) -> bool:
    """Whether |x_0 - x*|^2 itself occurs: in what is asked, or in a limit."""
    expressions = (problem.objective, *(problem.limit(label) for label in problem.labels()))
    return any((START, START) in expression.products for expression in expressions)


def _known(case: Case[Any], record: Record) -> Iterator[tuple[Label, Expression]]:
    """What is known beside the class: how far the start is, how the clients differ."""
    known = {symbol: RATIONAL.scalar(v) for symbol, v in case.instance.known.items()}
    if symbols.initial_distance in known:
        limit = constant(known[symbols.initial_distance] ** 2)
        yield (DISTANCE,), total((ONE, square(basis(START))), (-ONE, limit))
    gradients = [square(record.at_optimum(m)) for m in range(record.n_clients)]
    if symbols.heterogeneity_at_optimum in known and record.n_clients > 1:
        limit = constant(known[symbols.heterogeneity_at_optimum] ** 2)
        yield (HETEROGENEITY,), total((ONE, mean(gradients)), (-ONE, limit))


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
    if isinstance(measure, Growth):
        start = courses[0].points[0]
        less = total((in_ring(measure.weight, case, RATIONAL), gap(record, start)), (-ONE, square(start)))
        return total((ONE, _expected(courses, lambda c: square(c.points[-1]))), (ONE, less)), ()
    if isinstance(measure, Held):
        start = courses[0].points[0]
        left = _expected(courses, lambda c: square(c.points[-1]))
        before = (in_ring(measure.contraction, case, RATIONAL), square(start))
        fall = total(before, (-ONE, left), (-ONE, constant(RATIONAL.scalar(measure.fall))))
        return _at(measure.quantity, record, start), (((FALL,), fall),)
    if isinstance(measure, LeastGradient):
        limits = []
        for r in range(len(courses[0].points)):
            squared = _expected(courses, lambda c: square(mean_gradient(record, c.points[r])))  # noqa: B023 (called at once)
            limits.append(((ROUND, r), total((ONE, value(LEAST)), (-ONE, squared))))
        return value(LEAST), tuple(limits)
    raise OutOfReach(
        f"{measure.name} is not read off unknown functions: LastDistance, LastGap, AveragedGap, LeastGradient and Growth are"
    )


def _at(quantity: LastGap | LeastGradient, record: Record, point: Vector) -> Expression:
    return gap(record, point) if isinstance(quantity, LastGap) else square(mean_gradient(record, point))


def _expected(courses: tuple[Course, ...], quantity: Callable[[Course], Expression]) -> Expression:
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
    return mean(value(record.gradient(m, point)[0][0]) for m in range(record.n_clients))
