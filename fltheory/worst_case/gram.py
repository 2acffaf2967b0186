"""Vectors as linear forms over a basis with unknown inner products, and expressions in these products.

A vector is a tuple of (index, coefficient), sorted, without zeros: equal vectors are equal tuples. Expressions are
linear in inner products of basis vectors and in named unknown values.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from flint import fmpq, fmpq_mat

Vector = tuple[tuple[int, fmpq], ...]
Value = Hashable
ORIGIN: Vector = ()
ONE, ZERO = fmpq(1), fmpq(0)


def vector(terms: Mapping[int, fmpq]) -> Vector:
    """Return the vector with these coefficients."""
    return tuple(sorted((i, c) for i, c in terms.items() if c))


def linear_combination(*parts: tuple[fmpq, Vector]) -> Vector:
    """Return a linear combination of vectors."""
    total: dict[int, fmpq] = {}
    for weight, part in parts:
        for i, c in part:
            total[i] = total[i] + weight * c if i in total else weight * c
    return vector(total)


def difference(u: Vector, v: Vector) -> Vector:
    """Return u - v."""
    return linear_combination((ONE, u), (-ONE, v))


def weights_of(v: Vector, others: Sequence[Vector]) -> list[fmpq] | None:
    """Return the weights of this vector as a combination of independent vectors; None if it is not in their span."""
    terms = [dict(other) for other in (*others, v)]
    rows = sorted({i for term in terms for i in term})
    if not rows:
        return [ZERO] * len(others)
    table = fmpq_mat(len(rows), len(terms), [term.get(i, ZERO) for i in rows for term in terms])
    reduced, rank = table.rref()
    return None if rank > len(others) else [reduced[k, len(others)] for k in range(len(others))]


def basis(index: int) -> Vector:
    """Return a basis vector."""
    return ((index, ONE),)


@dataclass(frozen=True)
class Expression:
    """The expression sum c_ij <b_i, b_j> (i <= j) + sum c_v v + constant."""

    products: Mapping[tuple[int, int], fmpq] = field(default_factory=dict)
    values: Mapping[Value, fmpq] = field(default_factory=dict)
    constant: fmpq = ZERO

    def times(self, factor: fmpq) -> Expression:
        """Return the expression times a number."""
        return combine_expressions((factor, self))


def combine_expressions(*parts: tuple[fmpq, Expression]) -> Expression:
    """Return a linear combination of expressions."""
    products: dict[tuple[int, int], fmpq] = {}
    values: dict[Value, fmpq] = {}
    constant = fmpq(0)
    for weight, part in parts:
        constant += weight * part.constant
        for pair, c in part.products.items():
            products[pair] = products[pair] + weight * c if pair in products else weight * c
        for name, c in part.values.items():
            values[name] = values[name] + weight * c if name in values else weight * c
    return Expression(_without_zeros(products), _without_zeros(values), constant)


def _without_zeros(terms: dict) -> dict:
    return {key: c for key, c in terms.items() if c}


def product(u: Vector, v: Vector) -> Expression:
    """<u, v>."""
    return combine_products((ONE, u, v))


def combine_products(*parts: tuple[fmpq, Vector, Vector]) -> Expression:
    """Return a linear combination of inner products."""
    found: dict[tuple[int, int], fmpq] = {}
    for weight, u, v in parts:
        for i, c in u if weight else ():
            a = weight * c
            for j, b in v:
                pair = (i, j) if i <= j else (j, i)
                found[pair] = found[pair] + a * b if pair in found else a * b
    return Expression(_without_zeros(found))


def square(u: Vector) -> Expression:
    """|u|^2."""
    return product(u, u)


def value(name: Value) -> Expression:
    """Return an unknown value as an expression."""
    return Expression({}, {name: ONE})


def constant(number: fmpq) -> Expression:
    """A number."""
    return Expression({}, {}, number)


def mean(parts: Iterable[Expression]) -> Expression:
    """Return the mean of expressions."""
    found = tuple(parts)
    return combine_expressions(*((fmpq(1, len(found)), part) for part in found))


def as_float(c: fmpq) -> float:
    """Return a rational as a float."""
    return int(c.p) / int(c.q)
