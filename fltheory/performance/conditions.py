"""The conditions of a class on all data that a problem asked of one of its functions, by label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fltheory.performance.classes import Inequalities, OneInequality
from fltheory.performance.functions import Evaluation, Function
from fltheory.performance.matrices import MatrixConditions
from fltheory.performance.solving.program import EQUAL, LEAST_VALUE, OWN, PAIR
from fltheory.worst_case.gram import ONE, ORIGIN, Expression, combine_expressions, difference, product
from fltheory.worst_case.problem.labels import BENT, TURNED, Label


def conditions_of(one: Function) -> Iterator[tuple[Label, Expression]]:
    """Return the conditions of a function's class on its data, and those of its adjoint and of its infimum."""
    kind = one.kind
    assert one.centre is not None  # it raises an error where there is none
    yield from _of_matrix(one, kind) if isinstance(kind, MatrixConditions) else _of_pairs(one, kind)
    turned_by = one.adjoint[0].evaluations if one.adjoint and one.adjoint[0].number > one.number else []
    for a, each in enumerate(one.evaluations):
        for b, other in enumerate(turned_by):
            turned = (ONE, product(each.at, other.gradient)), (-ONE, product(each.gradient, other.at))
            yield (EQUAL, "adjoint", one.number, a, b), combine_expressions(*turned)
        if one.least:
            below = kind.below(each.gradient)
            higher = (ONE, one.least[0]), (-ONE, each.value), (ONE, Expression() if below is None else below)
            yield (LEAST_VALUE, one.number, a), combine_expressions(*higher)


def _of_pairs(one: Function, kind: Any) -> Iterator[tuple[Label, Expression]]:
    for a, each in enumerate(one.evaluations):
        own = kind.alone(each.data)
        if own is not None:
            yield (OWN, one.number, a), own
        for b, other in enumerate(one.evaluations):
            if a != b:
                found = _of_pair(kind, each, other)
                yield from (((PAIR, one.number, a, b, k), limit) for k, limit in enumerate(found))


def _of_pair(kind: Any, one: Evaluation, other: Evaluation) -> tuple[Expression, ...]:
    if isinstance(kind, Inequalities):
        return kind.inequalities(one.data, other.data)
    assert isinstance(kind, OneInequality)
    return (kind.inequality(one.data, other.data),)


def _of_matrix(one: Function, kind: MatrixConditions) -> Iterator[tuple[Label, Expression]]:
    """Return the entries of the nonnegative matrix, column by column, and the equations; a centred class from its minimiser."""
    data = [each.data._replace(at=difference(each.at, one.centre)) for each in one.evaluations]
    used = [each for each in data if (each.at, each.gradient) != (ORIGIN, ORIGIN)]
    for b, other in enumerate(used):
        for a in range(b + 1):
            yield (BENT, one.number, a, b), kind.entry(used[a], other)
    for b, other in enumerate(used):
        for a in range(b + 1):
            yield (TURNED, one.number, a, b), kind.turned(used[a], other)
