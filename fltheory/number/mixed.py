"""Numbers that stay rational as long as they can: a root that is none becomes a ball, and so does what grows too long.

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

Mixed = Any  # fmpq | arb, of which mypy knows nothing
MAX_RATIONAL_BITS = 4096  # bits of a numerator or denominator that are carried along at most


def to_mixed(value: Number) -> Mixed:
    """An exact number as a mixed one: rational where it is."""
    try:
        return fmpq(value.numerator, value.denominator)
    except AttributeError:
        return value if isinstance(value, fmpq) else to_ball(value)


def evaluate_mixed(expr: sympy.Expr, values: Mapping[Symbol, Number]) -> Any:
    """The value of an expression in constants."""
    try:
        return to_mixed(evaluate_exact(expr, values))
    except NotRational:
        return evaluate_ball(expr, values)


def mixed_array(values: Iterable[Number]) -> np.ndarray:
    """Mixed numbers as an array (n,)."""
    found = [to_mixed(v) for v in values]
    array = np.empty(len(found), dtype=object)
    array[:] = found
    return array


def mixed_sqrt(value: Mixed) -> Mixed:
    """The square root of a nonnegative mixed number."""
    if isinstance(value, arb):
        return value.nonnegative_part().sqrt()
    value = fmpq(value)
    if value < 0:
        raise ValueError(f"the root of {value}")
    top, bottom = value.p.isqrt(), value.q.isqrt()
    if top * top == value.p and bottom * bottom == value.q:
        return fmpq(top, bottom)
    return arb(value).sqrt()


def mixed_log(value: Number) -> Mixed:
    """The logarithm of a positive mixed number: 0 of 1, else a ball."""
    value = to_mixed(value)
    return fmpq(0) if value == 1 else arb(value).log()


def mixed_power(base: Number, exponent: Number) -> Mixed:
    """A power of a positive mixed number: rational where the exponent is a whole number, else a ball."""
    base = to_mixed(base)
    return base**exponent if isinstance(exponent, int) else (to_ball(exponent) * arb(base).log()).exp()


def smaller_of(one: Mixed, two: Mixed) -> Mixed:
    """The smaller one; a ball with both where that can't be told."""
    if one <= two:
        return one
    return two if two <= one else arb(one).min(arb(two))


def larger_of(one: Mixed, two: Mixed) -> Mixed:
    """The larger one."""
    return -smaller_of(-one, -two)


def smallest(values: Iterable[Mixed]) -> Mixed:
    """The smallest of some numbers."""
    return reduce(smaller_of, values)


def largest(values: Iterable[Mixed]) -> Mixed:
    """The largest of some numbers."""
    return reduce(larger_of, values)


def is_zero(value: Mixed) -> bool:
    """Whether it is 0 for sure."""
    return value.is_zero() if isinstance(value, arb) else value == 0


def may_be_zero(value: Mixed) -> bool:
    """Whether it may be 0."""
    return bool(value.contains(0)) if isinstance(value, arb) else value == 0


def shorten_to_ball(value: Mixed, bits: int = MAX_RATIONAL_BITS) -> Mixed:
    """The number itself, or a ball around it where its digits are too many to carry along."""
    if isinstance(value, fmpq) and value.p.bit_length() + value.q.bit_length() > bits:
        return arb(value)
    return value


def to_ring(value: Mixed, ring: Ring) -> Mixed:
    """A mixed number as an element of a ring; NotRational for a ball where rationals are asked for."""
    if ring.name == "RATIONAL":
        if isinstance(value, arb):
            raise NotRational
        return value
    return arb(value)
