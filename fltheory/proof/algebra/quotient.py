"""Rational functions of symbols over the rationals, as a numerator and a denominator in FLINT's polynomials."""

from __future__ import annotations

from typing import Any

import sympy
from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

HIGHEST = 64  # power of a sum: beyond it an expansion would not end
Quotient = tuple[fmpq_mpoly, fmpq_mpoly]


class TooHigh(ValueError):
    """A power that is not expanded here."""


def is_null(expr: sympy.Expr) -> bool:
    """Whether an expression of symbols, rationals, sums, products and whole powers vanishes wherever it has a value.

    False where it divides by what vanishes identically, and so has none. TooHigh for a power that is not expanded here.
    """
    symbols = tuple(expr.free_symbols)
    ring = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(symbols))], Ordering.degrevlex)
    one = ring.constant(1)
    variables = dict(zip(symbols, ((x, one) for x in ring.gens()), strict=True))
    try:
        top, _ = _read(expr, variables, ring, one)
    except ZeroDivisionError:
        return False
    return bool(top == 0)


def _read(expr: Any, variables: dict[Any, Quotient], ring: fmpq_mpoly_ctx, one: fmpq_mpoly) -> Quotient:
    if expr in variables:
        return variables[expr]
    if expr.is_Rational:
        return ring.constant(fmpq(int(expr.p), int(expr.q))), one
    if expr.is_Add:
        total = (ring.constant(0), one)
        for part in expr.args:
            total = _sum(total, _read(part, variables, ring, one))
        return total
    if expr.is_Mul:
        top, bottom = one, one
        for part in expr.args:
            over, under = _read(part, variables, ring, one)
            top, bottom = top * over, bottom * under
        return top, bottom
    if not (expr.is_Pow and expr.exp.is_Integer):
        raise TooHigh(f"{expr} is no rational function")
    power = int(expr.exp)
    if abs(power) > HIGHEST:
        raise TooHigh(f"power {power}")
    over, under = _read(expr.base, variables, ring, one)
    if power >= 0:
        return over**power, under**power
    if over == 0:
        raise ZeroDivisionError
    return under**-power, over**-power


def _sum(first: Quotient, second: Quotient) -> Quotient:
    (a, b), (c, d) = first, second
    if b == d:
        return a + c, b
    shared = b.gcd(d)
    left, right = d / shared, b / shared
    return a * left + c * right, b * left
