"""Roots and powers of rationals that are rational and short."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import sympy
from flint import fmpq

LONGEST_POWER = 100_000  # largest size of a power, in bits


def length(value: Fraction | sympy.Rational) -> int:
    """Return the bits of the longer of numerator and denominator."""
    return max(int(value.numerator).bit_length(), int(value.denominator).bit_length())


def distinguishing_key(numbers: Iterable[object]) -> tuple[object, ...]:
    """Return a hashable key of a row of exact numbers, for a flint rational its two integers."""
    return tuple((v.p, v.q) if isinstance(v, fmpq) else v for v in numbers)


def rational_nth_root(base: Fraction, degree: int) -> Fraction | None:
    """Return the root of this degree; None if it is irrational or not real."""
    if degree == 1 or base in (0, 1):
        return base
    if base < 0 or degree > length(base):
        return None
    roots = [sympy.integer_nthroot(part, degree) for part in base.as_integer_ratio()]
    return Fraction(*(int(r) for r, _ in roots)) if all(perfect for _, perfect in roots) else None


def rational_power(base: Fraction, exponent: int) -> Fraction | None:
    """Return base^exponent; None if it is too long, ZeroDivisionError for a negative power of 0."""
    if base == 0 and exponent < 0:
        raise ZeroDivisionError("division by zero")
    if base in (0, 1, -1):
        return base ** (exponent if abs(exponent) < 2 else 2 - exponent % 2)
    return base**exponent if abs(exponent) * length(base) <= LONGEST_POWER else None
