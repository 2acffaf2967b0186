"""Rational functions of the parameters, exact: quotients of FLINT polynomials, and elimination over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import sympy
from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx
from sympy import Expr

from fltheory.proof.algebra import quotient


@dataclass(frozen=True)
class Ratio:
    """A rational function ``top / bottom`` in lowest terms, whose bottom has the leading coefficient 1."""

    top: fmpq_mpoly
    bottom: fmpq_mpoly

    def __add__(self, other: Ratio) -> Ratio:
        if self.bottom == other.bottom:
            return ratio(self.top + other.top, self.bottom)
        return ratio(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __neg__(self) -> Ratio:
        return Ratio(-self.top, self.bottom)

    def __sub__(self, other: Ratio) -> Ratio:
        return self + (-other)

    def __mul__(self, other: Ratio) -> Ratio:
        return ratio(self.top * other.top, self.bottom * other.bottom)

    def __truediv__(self, other: Ratio) -> Ratio:
        return ratio(self.top * other.bottom, self.bottom * other.top)

    def __hash__(self) -> int:
        return hash((str(self.top), str(self.bottom)))

    def __bool__(self) -> bool:
        return bool(self.top != 0)

    def at(self, point: Sequence[fmpq]) -> fmpq:
        """Return the value at a point; ZeroDivisionError at a pole."""
        below = self.bottom(*point)
        if below == 0:
            raise ZeroDivisionError
        return self.top(*point) / below

    @property
    def size(self) -> int:
        """The number of terms of both sides, as a measure of simplicity."""
        return len(self.top.to_dict()) + len(self.bottom.to_dict())


def ratio(top: fmpq_mpoly, bottom: fmpq_mpoly) -> Ratio:
    """Return the quotient in lowest terms."""
    if bottom == 0:
        raise ZeroDivisionError
    if top == 0:
        return Ratio(top, bottom.context().constant(1))
    shared = top.gcd(bottom)
    top, bottom = top / shared, bottom / shared
    lead = bottom.leading_coefficient()
    return Ratio(top / lead, bottom / lead)


@dataclass(frozen=True)
class Field:
    """The rational functions of some parameters."""

    names: tuple[Expr, ...]

    @property
    def ring(self) -> fmpq_mpoly_ctx:
        """The polynomials of the parameters; without any there is one letter that is never used."""
        return _ring(max(1, len(self.names)))

    def number(self, value: int | fmpq) -> Ratio:
        """Return a constant."""
        return Ratio(self.ring.constant(fmpq(value)), self.ring.constant(1))

    def letter(self, name: Expr) -> Ratio:
        """Return a parameter."""
        return Ratio(self.ring.gens()[self.names.index(name)], self.ring.constant(1))

    def read(self, expr: Expr) -> Ratio:
        """Return an expression in the parameters alone; ValueError for another."""
        parts = quotient.read_quotient(sympy.sympify(expr))
        if not set(parts.generators) <= set(self.names):
            raise ValueError(f"{expr} is not a rational function of the parameters")
        places = [self.names.index(g) for g in parts.generators]
        return ratio(self._moved(parts.top, places), self._moved(parts.bottom, places))

    def _moved(self, polynomial: fmpq_mpoly, places: Sequence[int]) -> fmpq_mpoly:
        found = dict[tuple[int, ...], fmpq]()
        for powers, c in polynomial.to_dict().items():
            own = [0] * max(1, len(self.names))
            for place, power in zip(places, powers, strict=True):
                own[place] = power
            found[tuple(own)] = c
        return self.ring.from_dict(found)

    def expression(self, polynomial: fmpq_mpoly) -> Expr:
        """Return a polynomial as a SymPy expression."""
        return quotient.expression(polynomial, self.names or (sympy.Integer(1),))


@lru_cache(maxsize=64)
def _ring(letters: int) -> fmpq_mpoly_ctx:
    return fmpq_mpoly_ctx.get([f"x{i}" for i in range(letters)], Ordering.degrevlex)


@dataclass(frozen=True)
class Family:
    """All solutions of linear equations: ``start`` plus multiples of ``directions``, one for each free unknown."""

    start: tuple[Ratio, ...]
    free: tuple[int, ...]
    directions: tuple[tuple[Ratio, ...], ...]


def solutions(field: Field, rows: Sequence[Sequence[Ratio]], unknowns: int) -> Family | None:
    """Return the solutions of the equations ``row[:-1] . x == row[-1]``, or None if there are none."""
    table, pivots, zero = [list(r) for r in rows], list[int](), field.number(0)
    for column in range(unknowns + 1):
        place = len(pivots)
        usable = [i for i in range(place, len(table)) if table[i][column]]
        if not usable:
            continue
        if column == unknowns:
            return None
        best = min(usable, key=lambda i: (table[i][column].size, i))
        table[place], table[best] = table[best], table[place]
        lead = table[place][column]
        table[place] = [v / lead if v else v for v in table[place]]
        for i, row in enumerate(table):
            if i != place and row[column]:
                factor = row[column]
                table[i] = [v - factor * w if w else v for v, w in zip(row, table[place], strict=True)]
        pivots.append(column)
    free = tuple(c for c in range(unknowns) if c not in pivots)
    start, directions = [zero] * unknowns, []
    for i, column in enumerate(pivots):
        start[column] = table[i][unknowns]
    for f in free:
        own = [zero] * unknowns
        own[f] = field.number(1)
        for i, column in enumerate(pivots):
            own[column] = -table[i][f]
        directions.append(tuple(own))
    return Family(tuple(start), free, tuple(directions))
