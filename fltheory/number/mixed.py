"""Mixed numbers: rational if possible, and balls for irrational roots and rationals that become too long.

A mixed number is an ``fmpq`` or an ``arb``; arithmetic between the two gives an ``arb``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

import numpy as np
import sympy
from flint import arb, fmpq
from sympy import Symbol

from fltheory.number import NotRational, Number, Ring, evaluate_ball, evaluate_exact, to_ball

Mixed = Any  # fmpq | arb, which have no type hints
MAX_RATIONAL_BITS = 4096  # largest size of a numerator or denominator


def to_mixed(value: Number) -> Mixed:
    """Convert an exact number to a mixed one, rational if it is."""
    try:
        return fmpq(value.numerator, value.denominator)
    except AttributeError:
        return value if isinstance(value, fmpq) else to_ball(value)


def evaluate_mixed(expr: sympy.Expr, values: Mapping[Symbol, Number]) -> Any:
    """Evaluate an expression in constants."""
    try:
        return to_mixed(evaluate_exact(expr, values))
    except NotRational:
        return evaluate_ball(expr, values)


def mixed_array(values: Iterable[Number]) -> np.ndarray:
    """Return mixed numbers as an array (n,)."""
    found = [to_mixed(v) for v in values]
    array = np.empty(len(found), dtype=object)
    array[:] = found
    return array


def mixed_sqrt(value: Mixed) -> Mixed:
    """Return the square root of a nonnegative mixed number."""
    if isinstance(value, arb):
        return value.nonnegative_part().sqrt()
    value = fmpq(value)
    if value < 0:
        raise ValueError(f"expected a nonnegative number for a root, got {value}")
    top, bottom = value.p.isqrt(), value.q.isqrt()
    if top * top == value.p and bottom * bottom == value.q:
        return fmpq(top, bottom)
    return arb(value).sqrt()


def mixed_log(value: Number) -> Mixed:
    """Return the logarithm of a positive mixed number: 0 for 1, else a ball."""
    value = to_mixed(value)
    return fmpq(0) if value == 1 else arb(value).log()


def mixed_power(base: Number, exponent: Number) -> Mixed:
    """Return a power of a positive mixed number: rational for an integer exponent, else a ball."""
    base = to_mixed(base)
    return base**exponent if isinstance(exponent, int) else (to_ball(exponent) * arb(base).log()).exp()


def smaller_of(one: Mixed, two: Mixed) -> Mixed:
    """Return the smaller number; a ball with both if that is undecided."""
    if one <= two:
        return one
    return two if two <= one else arb(one).min(arb(two))


def larger_of(one: Mixed, two: Mixed) -> Mixed:
    """Return the larger number."""
    return -smaller_of(-one, -two)


def smallest(values: Iterable[Mixed]) -> Mixed:
    """Return the smallest of some numbers."""
    return reduce(smaller_of, values)


def largest(values: Iterable[Mixed]) -> Mixed:
    """Return the largest of some numbers."""
    return reduce(larger_of, values)


def is_zero(value: Mixed) -> bool:
    """Return whether the number is certainly 0."""
    return value.is_zero() if isinstance(value, arb) else value == 0


def may_be_zero(value: Mixed) -> bool:
    """Return whether the number may be 0."""
    return bool(value.contains(0)) if isinstance(value, arb) else value == 0


def shorten_to_ball(value: Mixed, bits: int = MAX_RATIONAL_BITS) -> Mixed:
    """Return the number, or a ball around it if it is too long."""
    if isinstance(value, fmpq) and value.p.bit_length() + value.q.bit_length() > bits:
        return arb(value)
    return value


def to_ring(value: Mixed, ring: Ring) -> Mixed:
    """Convert a mixed number to an element of a ring; NotRational for a ball if the ring is that of the rationals."""
    if ring.name == "RATIONAL":
        if isinstance(value, arb):
            raise NotRational
        return value
    return arb(value)
