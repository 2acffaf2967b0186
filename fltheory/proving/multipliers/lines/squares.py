"""The rest as a sum of squares with symbolic weights, whose denominators are positive on the region."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from flint import fmpq_mpoly
from sympy import Expr

from fltheory.proof import certificates
from fltheory.proof.algebra.context import Context
from fltheory.proof.algebra.polynomial import is_visibly_nonnegative, is_visibly_positive
from fltheory.proof.find.products import product_of_facts
from fltheory.proving.multipliers.system import System
from fltheory.proving.multipliers.system.ratios import Ratio
from fltheory.work import spend

MOST_ORDERS, TRIED = 120, 6


@dataclass(frozen=True)
class Square:
    """A pivot at a vector, with its row: the weight and the coefficients of a square."""

    place: int
    pivot: Ratio
    row: tuple[Ratio, ...]


def decompositions(rest: Sequence[Sequence[Ratio]]) -> Iterator[tuple[Square, ...]]:
    """Yield decompositions of a matrix into squares in several orders, those with the simplest denominators first."""
    places = [i for i, row in enumerate(rest) if any(row)]
    found = dict[tuple[Square, ...], int]()
    for order in itertools.islice(itertools.permutations(places), MOST_ORDERS):
        spend(0.05 * len(places) ** 2)
        squares = _decomposed(rest, order)
        if squares is not None:
            found.setdefault(tuple(sorted(squares, key=lambda s: s.place)), _size(squares))
    yield from itertools.islice(sorted(found, key=lambda s: (found[s], [q.place for q in s])), TRIED)


def _decomposed(rest: Sequence[Sequence[Ratio]], order: Sequence[int]) -> tuple[Square, ...] | None:
    table, found = [list(row) for row in rest], list[Square]()
    for i in order:
        pivot = table[i][i]
        if not pivot:
            continue
        row = tuple(v / pivot if v else v for v in table[i])
        found.append(Square(i, pivot, row))
        for a in order:
            for b in order:
                if row[a] and row[b]:
                    table[a][b] = table[a][b] - pivot * row[a] * row[b]
    return tuple(found) if not any(map(any, table)) else None


def _size(squares: Sequence[Square]) -> int:
    below = sum(len(v.bottom.to_dict()) - 1 for s in squares for v in s.row)
    return 10 * below + sum(s.pivot.size for s in squares)


def needed_signs(squares: Sequence[Square]) -> Iterator[tuple[fmpq_mpoly, bool]]:
    """Yield the factors on whose signs the squares rest, and whether they must not be 0: all denominators."""
    for square in squares:
        for value in (square.pivot, *square.row):
            yield from ((factor, True) for factor, _ in value.bottom.factor()[1] if len(factor.to_dict()) > 1)
        yield from ((f, False) for f, times in square.pivot.top.factor()[1] if times % 2 and len(f.to_dict()) > 1)


def certificate_of(system: System, squares: Sequence[Square], context: Context) -> dict[str, Any] | None:
    """Return the squares as a certificate of the Gram engine, or None if a weight's sign is not seen."""
    facts = (*context.facts(), *context.positive())
    entries = []
    for square in squares:
        weight, scale = _without_squares(system, square)
        entry: dict[str, Any] = {"weight": certificates.serialize(weight), "vector": []}
        for j, value in enumerate(square.row):
            if value:
                coefficient = scale * system.units.expression(value, _row_degree(system, square.place, j))
                entry["vector"].append([certificates.serialize(c) for c in (coefficient, system.vectors[j])])
        read = certificates.parse(entry["weight"])
        if not is_visibly_nonnegative(read):
            sign = product_of_facts(read, facts)
            if sign is None:
                return None
            entry["sign"] = sign
        entries.append(entry)
    return {"squares": entries}


def _row_degree(system: System, i: int, j: int) -> tuple[Any, ...]:
    one, two = system.entry_degree(i, j), system.entry_degree(i, i)
    return tuple(a - b for a, b in zip(one, two, strict=True))


def _without_squares(system: System, square: Square) -> tuple[Expr, Expr]:
    """Return the weight without squares of factors, and the factor of the vector instead.

    Factors that are visibly positive stand below the line, the others above it.
    """
    lead, parts = system.units.factors(square.pivot, system.entry_degree(square.place, square.place))
    weight, scale = lead, sympy.Integer(1)
    for expr, _, times in parts:
        half = (times + is_visibly_positive(expr)) // 2
        scale *= expr**half
        weight *= expr ** (times - 2 * half)
    return weight, scale
