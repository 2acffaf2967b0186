"""How the data of an instance are read, printed and averaged, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
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


def indices(values: Any, n: int, what: str = "items") -> tuple[int, ...]:
    """Different integers from 0 to n - 1, sorted; ValueError names what is wrong."""
    found = vector(values)
    if any(not isinstance(v, int) or not 0 <= v < n for v in found) or len(set(found)) < len(found):
        raise ValueError(f"{what} {short(found)}: expected different integers from 0 to {n - 1}")
    return tuple(sorted(found))


def short(values: Any) -> Any:
    """The form that prints and reads back: numbers for one coordinate, tuples for more."""
    if isinstance(values, tuple):
        inner = tuple(short(v) for v in values)
        return inner[0] if len(inner) == 1 and not (isinstance(inner[0], tuple) or is_dataclass(inner[0])) else inner
    return values if isinstance(values, str) or is_dataclass(values) else text(values)


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


class Data:
    """Frozen data of a dataclass whose ``repr`` rebuilds it; ``_set`` and its kin serve ``__post_init__``."""

    def __repr__(self) -> str:
        parts = (f"{f.name}={printed(getattr(self, f.name))!r}" for f in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(parts)})"

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _alike(self, *names: str) -> None:
        if len({len(getattr(self, name)) for name in names}) != 1:
            raise ValueError(f"{', '.join(names)} must have the same length")

    def _count(self, name: str, least: int = 1) -> None:
        value = exact(getattr(self, name))
        if not isinstance(value, int) or value < least:
            raise ValueError(f"{name} = {value}: expected an integer of at least {least}")
        object.__setattr__(self, name, value)
