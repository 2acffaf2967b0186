"""How the data of an instance are read, printed and averaged, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from fltheory.number import Number, exact, precise, text, to_ball


def vector(values: Any) -> tuple[Number, ...]:
    """A tuple of exact numbers from one number or a sequence."""
    if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str):
        return tuple(exact(v) for v in values)
    return (exact(values),)


def rows(values: Any) -> tuple[tuple[Number, ...], ...]:
    """One vector for every client."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ValueError(f"expected one entry for every client, got {values!r}")
    return tuple(vector(v) for v in values)


def short(values: Any) -> Any:
    """The form that prints and reads back: numbers for one coordinate, tuples for more."""
    if isinstance(values, tuple):
        inner = tuple(short(v) for v in values)
        return inner[0] if len(inner) == 1 and not isinstance(inner[0], tuple) else inner
    return text(values) if not isinstance(values, str) else values


def printed(value: Any) -> Any:
    """A table keeps its clients even if there is only one."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return tuple(short(row) for row in value)
    return short(value)


def tidy_root(square: Fraction) -> Number:
    """The square root of a rational as an exact number."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return exact(Fraction(top, bottom))
    rational = sympy.Rational(square.numerator, square.denominator)
    try:
        return exact(sympy.sqrt(rational))
    except ValueError:  # SymPy's remembered factors can fail it on numbers with large prime factors: a fine ball does
        return precise(lambda: to_ball(square).sqrt(), 1000, 2048)


def columnwise_mean(table: tuple[tuple[Number, ...], ...]) -> tuple[Fraction, ...]:
    """The mean over clients, for every coordinate."""
    return tuple(average([Fraction(row[i]) for row in table]) for i in range(len(table[0])))


def average(values: Sequence[Fraction]) -> Fraction:
    """The arithmetic mean."""
    return total(values) / len(values)


def total(values: Iterable[Fraction]) -> Fraction:
    """The sum, 0 for none."""
    return sum(values, Fraction(0))
