"""Elementwise functions of exact numbers under numpy's names, exact if the value is rational, else in balls.

A rational function returns None if the value is irrational. A function of balls encloses its values; it is not finite
if a ball may leave the domain. ``domain`` describes the domain for arguments that are certainly outside.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, fmpq

from fltheory.number.rational import rational_nth_root

LARGEST_POWER = 64  # largest power of a ball around 0 that is computed by products
LARGEST_ROOT = 64  # largest degree of a rational root that is searched


class BallFunction(NamedTuple):
    """A function of balls with its ``domain`` in words; ``outside``: whether arguments are certainly outside it."""

    value: Callable[..., arb]
    domain: str = ""
    outside: Callable[..., bool] = lambda *_: False


def rational_root(value: fmpq, degree: int) -> fmpq | None:
    """Return the real root of this degree if it is rational."""
    found = rational_nth_root(abs(Fraction(int(value.p), int(value.q))), degree)
    return None if found is None else fmpq(found.numerator, found.denominator) * (-1 if value < 0 else 1)


def _square_root(value: fmpq) -> fmpq | None:
    return None if value < 0 else rational_root(value, 2)


EXACT_FUNCTIONS: dict[str, Callable[..., fmpq | None]] = {
    "sqrt": _square_root,
    "cbrt": lambda x: rational_root(x, 3),
    "hypot": lambda x, y: _square_root(x * x + y * y),
}


def _sqrt(x: arb) -> arb:
    return arb(0) if x.is_zero() else x.sqrt()


def _cbrt(x: arb) -> arb:
    """Return the cube root; it is increasing, so a ball around 0 is evaluated at its ends."""
    if x > 0:
        return x.root(3)
    if x < 0:
        return -(-x).root(3)
    if not x.is_finite():
        return arb("nan")
    return arb(0) if x.is_zero() else _cbrt(x.lower()).union(_cbrt(x.upper()))


def _hypot(x: arb, y: arb) -> arb:
    return (ball_power(x, arb(2)) + ball_power(y, arb(2))).nonnegative_part().sqrt()


def _arctan2(y: arb, x: arb) -> arb:
    """Return arctan2; on the negative x-axis it is undefined, because exact numbers have no -0."""
    return arb("nan") if y.contains(0) and not x > 0 else arb.atan2(y, x)


def ball_power(base: arb, exponent: arb) -> arb:
    """Return base^exponent, with integer powers of a ball around 0 as products, and positive powers of 0 as 0."""
    whole = exponent.unique_fmpz() if exponent.is_exact() else None
    if base.is_zero() and exponent > 0:
        return arb(0)
    if whole is None or not base.contains(0) or base.is_exact() or abs(int(whole)) > LARGEST_POWER:
        return base**exponent
    product = math.prod([base] * abs(int(whole)), start=arb(1))
    return product if whole >= 0 else 1 / product


_MAGNITUDE = "a number from -1 to 1"
BALL_FUNCTIONS: dict[str, BallFunction] = {
    "sqrt": BallFunction(_sqrt, "a number of at least 0", lambda x: x < 0),
    "cbrt": BallFunction(_cbrt),
    "exp": BallFunction(lambda x: x.exp()),
    "exp2": BallFunction(lambda x: arb(2) ** x),
    "expm1": BallFunction(lambda x: x.expm1()),
    "log": BallFunction(lambda x: x.log(), "a positive number", lambda x: x <= 0),
    "log2": BallFunction(lambda x: x.log_base(2), "a positive number", lambda x: x <= 0),
    "log10": BallFunction(lambda x: x.log_base(10), "a positive number", lambda x: x <= 0),
    "log1p": BallFunction(lambda x: x.log1p(), "a number above -1", lambda x: x <= -1),
    "sin": BallFunction(lambda x: x.sin()),
    "cos": BallFunction(lambda x: x.cos()),
    "tan": BallFunction(lambda x: x.tan()),
    "arcsin": BallFunction(lambda x: x.asin(), _MAGNITUDE, lambda x: abs(x) > 1),
    "arccos": BallFunction(lambda x: x.acos(), _MAGNITUDE, lambda x: abs(x) > 1),
    "arctan": BallFunction(lambda x: x.atan()),
    "arctan2": BallFunction(_arctan2),
    "sinh": BallFunction(lambda x: x.sinh()),
    "cosh": BallFunction(lambda x: x.cosh()),
    "tanh": BallFunction(lambda x: x.tanh()),
    "arcsinh": BallFunction(lambda x: x.asinh()),
    "arccosh": BallFunction(lambda x: x.acosh(), "a number of at least 1", lambda x: x < 1),
    "arctanh": BallFunction(lambda x: x.atanh(), "a number between -1 and 1", lambda x: abs(x) >= 1),
    "hypot": BallFunction(_hypot),
    "degrees": BallFunction(lambda x: x * 180 / arb.pi()),
    "rad2deg": BallFunction(lambda x: x * 180 / arb.pi()),
    "radians": BallFunction(lambda x: x * arb.pi() / 180),
    "deg2rad": BallFunction(lambda x: x * arb.pi() / 180),
}


def floor_of(x: arb) -> int | None:
    """Return the floor, or None if the ball does not determine it."""
    found = x.floor().unique_fmpz()
    return None if found is None else int(found)


def nearest_of(x: arb) -> int | None:
    """Return the nearest integer, ties to even, or None if the ball does not determine it."""
    above = x + arb(fmpq(1, 2))
    found = floor_of(above)
    if found is None or not above.contains(found):
        return found
    if not above.is_exact():
        return None
    return found if found % 2 == 0 else found - 1


def format_values(*values: Any) -> str:
    """Format arguments for a message."""
    return ", ".join(str(float(v.mid())) if isinstance(v, arb) else str(v) for v in values)
