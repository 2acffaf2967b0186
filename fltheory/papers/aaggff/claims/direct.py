"""How this paper's claims with an exact formula of their own are written down."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from sympy import Symbol

from fltheory.bound import BoundError
from fltheory.case import Case
from fltheory.number import BALL, NotRational, Ring, to_ball
from fltheory.runs.measures import NUMBER, DirectMeasure
from fltheory.statement import Family, direct_claim, drawn_from, of_case, of_instance

claim = partial(direct_claim, "aaggff")
always = partial(claim, mode="surely")  # where nothing is left to chance


def drawn(part: str, name: str, /, **options: Any) -> Family:
    """The strategy ``name`` of ``strategies_<part>``."""
    return drawn_from(f"fltheory.papers.aaggff.data.strategies_{part}", name, options)


def with_logs(name: str, value: Callable[[Any, Ring], Any]) -> DirectMeasure:
    """A quantity of the instance with logarithms of rationals, in a ring."""
    return DirectMeasure(name, lambda case, ring: value(case.instance, ring), NUMBER)


def rational(case: Case, symbol: Symbol) -> Fraction:
    """A constant of the case; BoundError if it is irrational."""
    value = case.constants[symbol]
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


__all__ = [
    "Family",
    "always",
    "claim",
    "drawn",
    "log_of",
    "of_case",
    "of_instance",
    "power_of",
    "rational",
    "with_logs",
]
