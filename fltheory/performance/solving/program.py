"""The semidefinite program of a performance estimation problem: an expression to maximise, and its limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import fmpq, fmpq_mat

from fltheory.worst_case.gram import Expression, Value, Vector
from fltheory.worst_case.problem.labels import EQUAL, Label

GIVEN, PAIR, OWN, LOWEST, LEAST_VALUE = "given", "pair", "own", "lowest", "least value"

__all__ = ["EQUAL", "GIVEN", "LEAST_VALUE", "LOWEST", "OWN", "PAIR", "Program", "common_directions"]


@dataclass(frozen=True)
class Program:
    """Maximise ``goal`` over all Gram matrices of ``size`` vectors and all values, subject to ``stated`` limits.

    ``places``: the vectors that are points rather than directions. A vector of ``unlimited`` occurs in no square and may be as
    long as one likes: its inner products are unknown values, (i, j). ``only_upper``: why a solution need not be an instance of
    the problem, or None. ``single``: pairs of which the second vector is 0 if
    the first is, as one point has one subgradient. ``meaning``: the vectors of the
    problem in this basis, if it is another one.
    """

    goal: Expression
    stated: Mapping[Label, Expression]
    size: int
    places: frozenset[int] = frozenset()
    only_upper: str | None = None
    single: tuple[tuple[Vector, Vector], ...] = ()
    unlimited: frozenset[int] = frozenset()
    meaning: tuple[Vector, ...] = ()
    free = True
    known: tuple[tuple[Label, Expression], ...] = ()
    sizes: tuple[float, float] = (1.0, 1.0)

    def _told(self, expression: Expression) -> Expression:
        """Return an expression with inner products of unlimited vectors as values."""
        apart: dict[Value, fmpq] = {pair: c for pair, c in expression.products.items() if self.unlimited & set(pair)}
        if not apart:
            return expression
        products = {pair: c for pair, c in expression.products.items() if pair not in apart}
        return Expression(products, {**expression.values, **apart}, expression.constant)

    @cached_property
    def objective(self) -> Expression:
        """Return what is maximised."""
        return self._told(self.goal)

    @cached_property
    def _limits(self) -> Mapping[Label, Expression]:
        return {label: self._told(limit) for label, limit in self.stated.items()}

    def labels(self) -> Iterator[Label]:
        """Return the labels of all limits."""
        return iter(self._limits)

    def limit(self, label: Label) -> Expression:
        """Return the expression of a label, at most 0; KeyError if there is none."""
        return self._limits[label]

    @cached_property
    def needless(self) -> frozenset[int]:
        """Return vectors that may be taken as 0, as the program does not depend on how far all are moved together.

        Examples are the origin, and a linear function that is added to one function and subtracted from another. The form
        that a certificate leaves is a combination of expressions without values; vectors on which all such combinations
        vanish are in its kernel, so that it is nonnegative if it is without as many rows.
        """
        kernel = _common_kernel([*self._limits.values(), self.objective], self.size)
        return frozenset(next(i for i, c in enumerate(row) if c) for row in kernel)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Return the unknown values, in a fixed order."""
        found: dict[Value, None] = dict.fromkeys(self.objective.values)
        for limit in self._limits.values():
            found.update(dict.fromkeys(limit.values))
        return tuple(found)


def common_directions(program: Program) -> list[list[fmpq]]:
    """Return an echelon basis of combinations of directions that no form, restricted to directions, involves.

    Adding a linear function to a function moves all its gradients alike: so far as only their differences are squared, this
    direction has no square in the program, nor has a vector whose own square occurs nowhere.
    """
    size, forms = program.size, [program.goal, *program.stated.values()]
    squares = {i for one in forms for i, j in one.products if i == j}
    among = {i for i in range(size) if i in squares and i not in program.places}
    rows: list[list[fmpq]] = [[fmpq(int(i == j)) for j in range(size)] for i in range(size) if i not in among]
    for one in forms:
        rows = _with_form(rows, {pair: c for pair, c in one.products.items() if among >= set(pair)}, size)
    alone = [[fmpq(int(i == j)) for j in range(size)] for i in range(size) if i not in squares]
    return [*alone, *_kernel(rows, size)]


def _with_form(rows: list[list[fmpq]], form: Mapping[tuple[int, int], fmpq], size: int) -> list[list[fmpq]]:
    """Return a basis, in echelon form, of these rows and those of the form's matrix."""
    matrix: dict[int, list[fmpq]] = {}
    for (i, j), c in form.items():
        for a, b in ((i, j), (j, i)):
            matrix.setdefault(a, [fmpq(0)] * size)[b] += c
    return _independent([*rows, *matrix.values()], size) if matrix else rows


def _common_kernel(expressions: Sequence[Expression], size: int) -> list[list[fmpq]]:
    """Return an echelon basis of the vectors on which all value-free combinations of the forms vanish."""
    rows: list[list[fmpq]] = []  # a basis of the rows of these combinations
    for form in _without_values(expressions):
        rows = _with_form(rows, form, size)
        if len(rows) == size:
            return []
    return _kernel(rows, size)


def _without_values(expressions: Sequence[Expression]) -> Iterator[dict[tuple[int, int], fmpq]]:
    """Return forms that span those of all combinations of the expressions in which no value is left."""
    known: dict[Value, tuple[dict[Value, fmpq], dict[tuple[int, int], fmpq]]] = {}
    for one in expressions:
        own, form = dict(one.values), dict(one.products)
        while own:
            name = next(iter(sorted(own, key=repr)))
            if name not in known:
                known[name] = own, form
                break
            pivot, other = known[name]
            factor = own[name] / pivot[name]
            own, form = _minus(own, pivot, factor), _minus(form, other, factor)
        else:
            if form:
                yield form


def _minus(one: Mapping[Any, fmpq], other: Mapping[Any, fmpq], factor: fmpq) -> dict[Any, fmpq]:
    found = dict(one)
    for key, c in other.items():
        found[key] = found.get(key, fmpq(0)) - factor * c
    return {key: c for key, c in found.items() if c}


def _independent(rows: Sequence[Sequence[fmpq]], size: int) -> list[list[fmpq]]:
    if not rows:
        return []
    table, rank = fmpq_mat(len(rows), size, [c for row in rows for c in row]).rref()
    return [[table[i, j] for j in range(size)] for i in range(rank)]


def _kernel(rows: Sequence[Sequence[fmpq]], size: int) -> list[list[fmpq]]:
    """Return an echelon basis of the vectors on which rows in echelon form vanish."""
    pivots = [next(j for j, c in enumerate(row) if c) for row in rows]
    found = []
    for j in range(size):
        if j not in pivots:
            vector = [fmpq(int(i == j)) for i in range(size)]
            for row, pivot in zip(rows, pivots, strict=True):
                vector[pivot] = -row[j]
            found.append(vector)
    return _independent(found, size)
