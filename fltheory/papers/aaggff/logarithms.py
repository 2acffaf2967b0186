"""Rational values of constants."""

from __future__ import annotations

from fractions import Fraction

from sympy import Symbol

from fltheory.model.bound import BoundError
from fltheory.number import Number


def as_rational(value: Number, symbol: Symbol) -> Fraction:
    """Return the value of a constant; BoundError if it is irrational."""
    if not isinstance(value, int | Fraction):
        raise BoundError(f"{symbol.name} = {value}: expected a rational number")
    return Fraction(value)
