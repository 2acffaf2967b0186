"""Limits on clients beyond their class, as expressions that are at most 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flint import fmpq

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.number import RATIONAL
from fltheory.worst_case.functions import FunctionClass, Point
from fltheory.worst_case.functions.quadratic import range_entry
from fltheory.worst_case.gram import (
    ONE,
    Expression,
    Vector,
    basis,
    combine_expressions,
    constant,
    difference,
    linear_combination,
    mean,
    square,
)
from fltheory.worst_case.problem.labels import (
    DISTANCE,
    EVERYWHERE,
    FLOOR,
    GAP,
    HETEROGENEITY,
    NEAR,
    SAMPLED,
    WORST,
    Label,
)
from fltheory.worst_case.problem.objectives import gap, mean_gradient
from fltheory.worst_case.symbolic_run import START_INDEX, Record, Trace

Limit = tuple[Label, Expression]


def limits_of(case: Case[Any], trace: Trace, functions: FunctionClass) -> Iterator[Limit]:
    """Return limits on the start's distance and gap, on the heterogeneity, and on the infimum of the mean."""
    known = {symbol: RATIONAL.scalar(v) for symbol, v in case.instance.known.items()}
    record = trace.record
    if symbols.initial_distance in known:
        limit = constant(known[symbols.initial_distance] ** 2)
        yield (DISTANCE,), combine_expressions((ONE, square(basis(START_INDEX))), (-ONE, limit))
    if symbols.initial_gap in known:
        yield (
            (GAP,),
            combine_expressions((ONE, gap(record, basis(START_INDEX))), (-ONE, constant(known[symbols.initial_gap]))),
        )
    if record.n_clients > 1:
        yield from _heterogeneity_limits(known, record, functions)
    if not functions.rooted and symbols.initial_gap in known:  # else nothing depends on the infimum
        yield from _infimum_limits(record, functions)


def _heterogeneity_limits(known: dict[Any, fmpq], record: Record, functions: FunctionClass) -> Iterator[Limit]:
    """Return limits on heterogeneity at x*, or everywhere: then at each evaluated point, for all clients."""
    if symbols.hessian_heterogeneity in known and not record.tilted:
        yield from _hessian_limits(known[symbols.hessian_heterogeneity], record)
    at_optimum, n = [record.at_optimum(m) for m in range(record.n_clients)], record.samples
    clients = [_mean(at_optimum[first : first + n]) for first in range(0, record.n_clients, n)]
    differ = len(clients) > 1 and record.between and not record.still
    if symbols.heterogeneity_at_optimum in known and differ:
        limit = constant(known[symbols.heterogeneity_at_optimum] ** 2)
        yield (HETEROGENEITY,), combine_expressions((ONE, mean(map(square, clients))), (-ONE, limit))
    if symbols.max_heterogeneity_at_optimum in known and differ:
        limit = constant(known[symbols.max_heterogeneity_at_optimum] ** 2)
        yield from (
            ((WORST, "*", m), combine_expressions((ONE, square(one)), (-ONE, limit))) for m, one in enumerate(clients)
        )
    if symbols.noise_std_at_optimum in known and n > 1 and record.within:
        limit = constant(known[symbols.noise_std_at_optimum] ** 2)
        for m, one in enumerate(clients):
            off = (square(difference(v, one)) for v in at_optimum[m * n : (m + 1) * n])
            yield (SAMPLED, m), combine_expressions((ONE, mean(off)), (-ONE, limit))
    if not {symbols.heterogeneity, symbols.max_heterogeneity} & set(known):
        return
    if functions.rooted or record.tilted:
        yield from _deviation_limits(known, "x*", at_optimum, ())
    points = [] if record.tilted else list(dict.fromkeys(asked.point for asked, _ in record.asked))
    for k, point in enumerate(points):
        whole = mean_gradient(record, point)
        yield from _deviation_limits(
            known, k, [difference(record.gradient(m, point), whole) for m in range(record.n_clients)], whole
        )


def _hessian_limits(limit: fmpq, record: Record) -> Iterator[Limit]:
    """Return limits on the distance of quadratic clients' Hessians from their mean, evaluated at all points."""
    clients = range(record.n_clients)
    for point in list(dict.fromkeys(asked.point for asked, _ in record.asked)):
        for m in clients:
            record.image(m, point)
    places = [asked.point for asked, _ in record.asked if asked.client == 0]
    means = [_mean([record.image(m, point) for m in clients]) for point in places]
    for m in clients if len(clients) > 2 else clients[:1]:  # two clients are equally far
        off = [difference(record.image(m, point), mean) for point, mean in zip(places, means, strict=True)]
        points = [Point(place, image, None) for place, image in zip(places, off, strict=True)]
        for b, other in enumerate(points):
            for a, one in enumerate(points[: b + 1]):
                yield (NEAR, m, a, b), range_entry(one, other, -limit, limit)


def _mean(vectors: Sequence[Vector]) -> Vector:
    return linear_combination(*((fmpq(1, len(vectors)), v) for v in vectors))


def _deviation_limits(known: dict[Any, fmpq], place: int | str, off: list[Vector], whole: Vector) -> Iterator[Limit]:
    """Return limits on the deviation of the clients' gradients from their mean ``whole`` at one point."""
    if symbols.heterogeneity in known:
        slope = known.get(symbols.heterogeneity_slope, fmpq(0)) ** 2
        allowed = combine_expressions((slope, square(whole)), (ONE, constant(known[symbols.heterogeneity] ** 2)))
        yield (EVERYWHERE, place), combine_expressions((ONE, mean(map(square, off))), (-ONE, allowed))
    if symbols.max_heterogeneity in known:
        limit = constant(known[symbols.max_heterogeneity] ** 2)
        for m, one in enumerate(off):
            yield (WORST, place, m), combine_expressions((ONE, square(one)), (-ONE, limit))


def _infimum_limits(record: Record, functions: FunctionClass) -> Iterator[Limit]:
    """Return limits for a mean with infimum 0: where all clients were evaluated, the gradient bounds the value."""
    asked = dict.fromkeys((key.client, key.point) for key, _ in record.asked)
    for k, point in enumerate(dict.fromkeys(point for _, point in asked)):
        by_all = record.tilted or all((m, point) in asked for m in range(record.n_clients))
        below = functions.below(mean_gradient(record, point)) if by_all else None
        if below is not None:
            yield (FLOOR, k), combine_expressions((ONE, below), (-ONE, gap(record, point)))
