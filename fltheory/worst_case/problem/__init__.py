"""The worst case of a measure over a class as a problem: maximise an expression subject to expressions at most 0."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from flint import fmpq
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.number import RATIONAL, Number, to_float
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import Measure
from fltheory.worst_case.functions import FunctionClass, MatrixClass, PairwiseClass, Point
from fltheory.worst_case.gram import (
    ONE,
    ORIGIN,
    ZERO,
    Expression,
    Value,
    Vector,
    basis,
    combine_expressions,
    constant,
    product,
    square,
)
from fltheory.worst_case.problem.labels import (
    ALONE,
    APART,
    BENT,
    CLIENT,
    FREE_SIGN_KINDS,
    LEAST,
    MATRIX_KINDS,
    NOISE,
    OPTIMUM,
    ROUND,
    TURNED,
    Label,
)
from fltheory.worst_case.problem.limits import limits_of
from fltheory.worst_case.problem.objectives import objective_of
from fltheory.worst_case.symbolic_run import START_INDEX, Record, trace_run

__all__ = [
    "APART",
    "BENT",
    "CLIENT",
    "FREE_SIGN_KINDS",
    "LEAST",
    "MATRIX_KINDS",
    "NOISE",
    "OPTIMUM",
    "ROUND",
    "Label",
    "Problem",
    "run_problem",
]

PointLabel = tuple[str, int, *tuple[int, ...]]  # label of a limit on points: its kind, the client, their places
# order of the places of two points in labels
ORDER: dict[Hashable, Callable[[int, int], bool]] = {CLIENT: operator.ne, BENT: operator.le, TURNED: operator.lt}


@dataclass(frozen=True)
class Problem:
    """Maximise ``objective`` over all Gram matrices of the basis and all values, subject to limits that are at most 0.

    ``known``: limits beyond the class. The class has labels ("client", m, a, b) for the points of client m whose
    gradients are a and b in the basis, ``OPTIMUM`` for x*. ``free``: the distance |x_0 - x*| is not limited; its inner
    products are then unknown values, on which nothing may depend. ``variance`` limits that of each noise: ("noise", i).
    A noise is orthogonal to vectors that do not depend on it: ("apart", i, j), with multipliers of either sign.
    ("alone", m, a) is the limit on one point. ``sufficient``: whether clients exist for all data that meet the limits.
    For quadratic clients ("bent", m, a, b), a <= b, are the entries of a matrix, with a nonnegative matrix of
    multipliers, and ("turned", m, a, b), a < b, are 0.
    """

    record: Record
    functions: FunctionClass
    known: tuple[tuple[Label, Expression], ...]
    objective: Expression
    free: bool = False
    variance: fmpq = ZERO
    sufficient: bool = True
    apart: fmpq | None = None  # largest distance of the Hessians of quadratic clients from their mean
    sizes: tuple[float, float] = (1.0, 1.0)  # typical size of a distance and of a gradient

    @property
    def n_clients(self) -> int:
        """Return the number of clients."""
        return self.record.n_clients

    @property
    def size(self) -> int:
        """Return the number of vectors in the basis."""
        return self.record.size

    @property
    def needless(self) -> frozenset[int]:
        """Return redundant vectors: one h if all depends on differences of the h; any that occurs in no point."""
        start = {START_INDEX} if self.free or not self.functions.rooted else set()
        if not (self.functions.rooted or self.record.tilted):
            return frozenset({*start, *range(1, self.n_clients + 1)})
        return self.record.needless | start

    @cached_property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """Return the evaluated places of every client: the optimum, if any, then the indices of its gradients."""
        rooted = self.functions.rooted and not self.record.linear
        found: list[list[int]] = [[OPTIMUM] if rooted else [] for _ in range(self.n_clients)]
        for asked, index in self.record.asked:
            found[asked.client].append(index)
        return tuple(map(tuple, found))

    @cached_property
    def _points(self) -> dict[int, Vector]:
        return {index: asked.point for asked, index in self.record.asked}

    def point(self, client: int, place: int) -> Point:
        """Return the data of a client, or of the mean of tilted ones, at one of its places; its value at x* is 0."""
        if place == OPTIMUM:
            return Point(ORIGIN, ORIGIN if self.record.tilted else self.record.at_optimum(client), None)
        return Point(self._points[place], basis(place), place)

    def labels(self) -> Iterator[Label]:
        """Return the labels of all nontrivial limits: a limit that is always 0 would leave its multiplier unbounded."""
        yield from (label for label, limit in self.known if limit != Expression())
        yield from self.of_points
        yield from ((NOISE, i) for i in self.noises)
        yield from ((APART, i, j) for i in self.noises for j in sorted(self.noises[i]) if self._stated(i, j))

    @cached_property
    def of_points(self) -> tuple[PointLabel, ...]:
        """Return the limits of the class on points."""
        return tuple(_point_labels(self))

    def _stated(self, i: int, j: int) -> bool:
        """Return whether a pair of noises is listed: each pair once, and without a free start."""
        return (j not in self.noises or i < j) and not (self.free and j == START_INDEX)

    @property
    def plain(self) -> bool:
        """Return whether symmetry reduction applies: smooth convex clients, known only by their gradients."""
        record = self.record
        ordinary = record.balanced and record.within and record.between
        ordinary = ordinary and not (record.tilted or record.still or record.linear)
        return self.functions.rooted and self.functions.smooth and ordinary

    @cached_property
    def noises(self) -> dict[int, frozenset[int]]:
        """Return for every noise the vectors orthogonal to it. Of two noises, one does not depend on the other."""
        found = {i: set(self.record.before(i)) for _, i in self.record.drawn}
        return {i: frozenset({*before, *(j for j in found if i in found[j])} - {i}) for i, before in found.items()}

    def limit(self, label: Label) -> Expression:
        """Return the expression of this label, at most 0 (for equations: 0); KeyError if there is none."""
        kind, *at = label
        if kind in ORDER:
            return self.told(self._of_client(kind, *at))
        if kind == ALONE:
            return self.told(self._of_point(*at))
        if kind in (NOISE, APART):
            return self._of_noise(label)
        return self.told(dict(self.known)[label])

    def _of_client(self, kind: Hashable, m: Hashable, a: Hashable, b: Hashable) -> Expression:
        if not (isinstance(m, int) and 0 <= m < self.n_clients and a in self.places[m] and b in self.places[m]):
            raise KeyError(kind, m, a, b)
        first, second = int(str(a)), int(str(b))
        if not ORDER[kind](first, second):
            raise KeyError(kind, m, a, b)
        return self._of_pairs[kind](self.point(m, first), self.point(m, second))

    @cached_property
    def _of_pairs(self) -> Mapping[Hashable, Callable[[Point, Point], Expression]]:
        return _pair_inequalities(self.functions)

    def _of_point(self, m: Hashable, a: Hashable) -> Expression:
        if not (isinstance(m, int) and 0 <= m < self.n_clients and a in self.places[m]):
            raise KeyError(m, a)
        found = self.functions.alone(self.point(m, int(str(a))))
        if found is None:
            raise KeyError(m, a)
        return found

    def _of_noise(self, label: Label) -> Expression:
        kind, i, *others = label
        if not isinstance(i, int) or (kind == APART and others[0] not in self.noises[i]):
            raise KeyError(label)
        if kind == NOISE and i in self.noises:
            return combine_expressions((ONE, square(basis(i))), (-ONE, constant(self.variance)))
        j = int(str(others[0]))
        return product(basis(i), self.record.at_optimum(j - 1) if 1 <= j <= self.n_clients else basis(j))

    def told(self, expression: Expression) -> Expression:
        """Return the expression with inner products of a free start as values."""
        if not self.free:
            return expression
        apart: dict[Value, fmpq] = {
            (START_INDEX, j): c
            for (i, j), c in expression.products.items()
            if i == START_INDEX and j not in self.noises
        }
        products = {pair: c for pair, c in expression.products.items() if pair[0] != START_INDEX}
        return Expression(products, {**expression.values, **apart}, expression.constant)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Return the unknown values, in a fixed order."""
        found: dict[Value, None] = dict.fromkeys(self.objective.values)
        for _, limit in self.known:
            found.update(dict.fromkeys(limit.values))
        if not self.record.linear:
            found.update(dict.fromkeys(place for places in self.places for place in places[1:]))
        return tuple(found)


def _point_labels(problem: Problem) -> Iterator[PointLabel]:
    """Return labels of the points, alone and in pairs, that the class limits; an upper triangle column by column."""
    for m, places in enumerate(problem.places):
        if problem.record.linear:
            yield from ((BENT, m, a, b) for k, b in enumerate(places) for a in places[: k + 1])
            yield from ((TURNED, m, a, b) for k, b in enumerate(places) for a in places[:k])
        else:
            yield from ((CLIENT, m, a, b) for a in places for b in places if a != b)
        yield from ((ALONE, m, a) for a in places if problem.functions.alone(problem.point(m, a)) is not None)


def _pair_inequalities(functions: FunctionClass) -> Mapping[Hashable, Callable[[Point, Point], Expression]]:
    """Return the inequalities of a class for two points of a client, by kind of limit."""
    found = dict[Hashable, Callable[[Point, Point], Expression]]()
    if isinstance(functions, PairwiseClass):
        found[CLIENT] = functions.inequality
    if isinstance(functions, MatrixClass):
        found |= {BENT: functions.entry, TURNED: functions.turned}
    return found


def run_problem(algorithm: Algorithm, functions: FunctionClass, measure: Measure, case: Case[Any]) -> Problem:
    """Return the problem of a run on unknown clients of this class."""
    trace = trace_run(algorithm, case)
    record = trace.record
    objective, extra = objective_of(measure, trace, case)
    known = tuple(limits_of(case, trace, functions))
    variance = RATIONAL.scalar(case.instance.known.get(symbols.noise_std, 0)) ** 2
    told, sizes = _are_limits_sufficient(case, functions, record), _sizes(case.instance.known)
    apart = case.instance.known.get(symbols.hessian_heterogeneity)
    limit = None if apart is None else RATIONAL.scalar(apart)
    found = Problem(record, functions, (*extra, *known), objective, False, variance, told, limit, sizes)
    near = symbols.initial_distance in case.instance.known or not functions.rooted or _has_start_square(found)
    return replace(found, objective=replace(found, free=not near).told(objective), free=not near)


def _has_start_square(problem: Problem) -> bool:
    """Return whether |x_0 - x*|^2 itself occurs in the objective or in a limit; it never does in one on a noise.

    This depends only on how x_0 occurs in the points of a limit, so one limit of each sort is examined.
    """
    stated = (problem.objective, *(limit for _, limit in problem.known))
    if any((START_INDEX, START_INDEX) in expression.products for expression in stated):
        return True
    of_start = {(m, a): _start_part(problem.point(m, a)) for m, places in enumerate(problem.places) for a in places}
    sorts: dict[Hashable, Label] = {}
    for kind, m, *places in problem.of_points:
        order = (places[0] > places[-1]) - (places[0] < places[-1])
        sorts.setdefault((kind, order, *(of_start[m, a] for a in places)), (kind, m, *places))
    return any((START_INDEX, START_INDEX) in problem.limit(label).products for label in sorts.values())


def _start_part(point: Point) -> Hashable:
    """Return the part of a point in x_0 - x*."""
    return tuple(tuple(c for i, c in v if i == START_INDEX) for v in (point.at, point.gradient))


def _sizes(known: Mapping[Symbol, Number]) -> tuple[float, float]:
    """Return the typical size of a distance and of a gradient."""
    given = {symbol: to_float(v) for symbol, v in known.items()}
    steep, bend = given.get(symbols.client_gradient_bound), given.get(symbols.smoothness, 1.0)
    height = given.get(symbols.initial_gap, 0.0)
    lengths = [given.get(symbols.initial_distance, 0.0), height / steep if steep else (height / bend) ** 0.5]
    length = min((one for one in lengths if one > 0), default=1.0)
    return length, steep or bend * length


def _are_limits_sufficient(case: Case[Any], functions: FunctionClass, record: Record) -> bool:
    """Return whether the limits are sufficient: without limits between the points or on the infimum of a mean."""
    everywhere = {symbols.heterogeneity, symbols.max_heterogeneity} & set(case.instance.known)
    return record.tilted or record.n_clients == 1 or (functions.rooted and not everywhere)
