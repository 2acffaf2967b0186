"""Quantities with logarithms of rationals: exact where they cancel, in balls elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Symbol

from fltheory.bound import BoundError
from fltheory.case import Case
from fltheory.number import BALL, NotRational, Ring, to_ball
from fltheory.runs.measures import NUMBER, DirectMeasure


def with_logs(name: str, value: Callable[[Any, Ring], Any]) -> DirectMeasure:
    """A quantity of the instance with logarithms of rationals, in a ring."""
    return DirectMeasure(name, lambda case, ring: value(case.instance, ring), NUMBER)


def rational(case: Case, symbol: Symbol) -> Fraction:
    """A constant of the case; BoundError if it is irrational."""
    return as_rational(case.constants[symbol], symbol)


def as_rational(value: Any, symbol: Symbol) -> Fraction:
    """The value of a constant; BoundError if it is irrational."""
    if not isinstance(value, int | Fraction):
        raise BoundError(f"{symbol.name} = {value}: expected a rational number")
    return Fraction(value)


def log_of(ratio: Fraction, ring: Ring) -> Any:
    """The logarithm in a ball; exactly 0 for 1."""
    if ratio == 1:
        return ring.scalar(0)
    if ring is not BALL:
        raise NotRational
    return to_ball(ratio).log()


def power_of(value: Fraction, exponent: Any, ring: Ring) -> Any:
    """A power in a ball, exact for whole exponents."""
    if isinstance(exponent, int):
        return ring.scalar(value**exponent)
    if ring is not BALL:
        raise NotRational
    return (to_ball(exponent) * to_ball(value).log()).exp()
