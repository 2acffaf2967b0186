"""Units in which a program's numbers are near 1, as powers of 2, so that nothing is lost on the way there and back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from flint import fmpq, fmpq_mat
from scipy.sparse import csr_array
from scipy.sparse.linalg import lsqr

from fltheory.performance.solving.program import Program
from fltheory.performance.solving.solutions import Solution
from fltheory.worst_case.certificate import Certificate
from fltheory.worst_case.gram import ONE, Expression, Value, as_float
from fltheory.worst_case.problem.labels import MATRIX_KINDS, Label

MOST = 1000.0  # numbers up to this, and down to its inverse, are left as they are
Key = tuple[object, ...]


class Units(NamedTuple):
    """A program in units, and these: of its vectors, values and limits, and of the objective."""

    program: Program
    vectors: tuple[fmpq, ...]
    values: Mapping[Value, fmpq]
    limits: Mapping[Label, fmpq]
    whole: fmpq

    def certificate(self, found: Certificate) -> Certificate:
        """Return a certificate of the program in units as one of the program itself."""
        multipliers = tuple((label, c * self.whole / self.limits[label]) for label, c in found.multipliers)
        return Certificate(found.upper * self.whole, multipliers)

    def solution(self, found: Solution) -> tuple[fmpq_mat, dict[Value, fmpq]]:
        """Return the Gram matrix and the values of a solution of the program in units, in those of the program itself."""
        size = len(self.vectors)
        entries = [found.gram[i, j] * self.vectors[i] * self.vectors[j] for i in range(size) for j in range(size)]
        return fmpq_mat(size, size, entries), {name: v * self.values.get(name, ONE) for name, v in found.values.items()}


def in_units(program: Program) -> Units:
    """Return the program in units in which its numbers are near 1; in its own if they are."""
    one = fmpq(1)
    if _is_near_one(program):
        return Units(program, (one,) * program.size, {}, dict.fromkeys(program.stated, one), one)
    logs = _logarithms(program)
    vectors = tuple(_power(logs, "vector", i) for i in range(program.size))
    values = {name: _power(logs, "value", name) for name in program.values}
    limits = {label: _of_limit(logs, label) for label in program.stated}
    whole = _power(logs, "goal")

    def told(expression: Expression, unit: fmpq) -> Expression:
        products = {(i, j): c * vectors[i] * vectors[j] / unit for (i, j), c in expression.products.items()}
        return Expression(
            products,
            {name: c * values[name] / unit for name, c in expression.values.items()},
            expression.constant / unit,
        )

    stated = {label: told(limit, limits[label]) for label, limit in program.stated.items()}
    return Units(
        replace(program, goal=told(program.goal, whole), stated=stated, single=()), vectors, values, limits, whole
    )


def _numbers(expression: Expression) -> Iterator[fmpq]:
    yield from expression.products.values()
    yield from expression.values.values()
    if expression.constant:
        yield expression.constant


def _is_near_one(program: Program) -> bool:
    forms = (program.goal, *program.stated.values())
    return all(1 / MOST <= abs(as_float(c)) <= MOST for one in forms for c in _numbers(one))


def _terms(expression: Expression) -> Iterator[tuple[tuple[Key, ...], fmpq]]:
    for (i, j), c in expression.products.items():
        yield (("vector", i), ("vector", j)), c
    for name, c in expression.values.items():
        yield (("value", name),), c
    if expression.constant:
        yield (), expression.constant


def _limit_keys(label: Label | None) -> tuple[Key, ...]:
    """Return the units that make up that of a limit: those of a matrix are products, so that it stays nonnegative."""
    if label is None:
        return (("goal",),)
    if label[0] in MATRIX_KINDS:
        kind, m, a, b = label
        return (("entry", kind, m, a), ("entry", kind, m, b))
    return (("limit", label),)


def _logarithms(program: Program) -> dict[Key, float]:
    """Return logarithms to base 2 of units in which the terms are nearest to 1, in the mean square."""
    keys: dict[Key, int] = {}
    rows, columns, weights, right = list[int](), list[int](), list[float](), list[float]()
    for label, expression in [(None, program.goal), *program.stated.items()]:
        for term, c in _terms(expression):
            for sign, key in [*((1.0, k) for k in term), *((-1.0, k) for k in _limit_keys(label))]:
                rows.append(len(right))
                columns.append(keys.setdefault(key, len(keys)))
                weights.append(sign)
            right.append(-math.log2(abs(as_float(c))))
    table = csr_array((weights, (rows, columns)), shape=(len(right), len(keys)))
    found = lsqr(table, np.array(right), damp=1e-4, atol=1e-12, btol=1e-12)[0]
    return {key: float(found[k]) for key, k in keys.items()}


def _power(logs: Mapping[Key, float], *key: object) -> fmpq:
    return fmpq(2) ** round(logs.get(key, 0.0))


def _of_limit(logs: Mapping[Key, float], label: Label) -> fmpq:
    found = fmpq(1)
    for key in _limit_keys(label):
        found *= fmpq(2) ** round(logs.get(key, 0.0))
    return found
