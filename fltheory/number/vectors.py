"""Roots, sums and means of exact numbers for instances."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import sympy

from fltheory.number import Number, evaluate_to_precision, exact, to_ball
from fltheory.number.rational import length

ROOT_BITS = 1000  # largest radicand for SymPy, whose search for powers is slow and uses floats


def exact_sqrt(square: Fraction) -> Number:
    """Return the square root of a rational as an exact number, or a narrow ball if it is long."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return exact(Fraction(top, bottom))
    try:
        if length(square) <= ROOT_BITS:
            return exact(sympy.sqrt(sympy.Rational(square.numerator, square.denominator)))
    except ValueError:  # SymPy's cache of factors can fail for numbers with large prime factors
        pass
    return evaluate_to_precision(lambda: to_ball(square).sqrt(), 1000, 2048)


def columnwise_mean(table: tuple[tuple[Number, ...], ...]) -> tuple[Fraction, ...]:
    """Return the mean over clients for every coordinate."""
    return tuple(average([Fraction(row[i]) for row in table]) for i in range(len(table[0])))


def average(values: Sequence[Fraction]) -> Fraction:
    """Return the arithmetic mean."""
    return total(values) / len(values)


def total(values: Iterable[Fraction]) -> Fraction:
    """Return the sum, 0 for no numbers."""
    return sum(values, Fraction(0))
