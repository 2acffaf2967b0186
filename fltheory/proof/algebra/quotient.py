"""Rational functions over the rationals, with numerator and denominator as FLINT polynomials.

``read_quotient`` takes any number: a term that is not arithmetic (f(x), sqrt(2), x**n, a maximum) is a generator,
in the denominator if its exponent is negative. The quotient equals the number wherever both and each generator exist.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import sympy
from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

MAX_EXPONENT = 64  # largest power of a sum that is expanded
Quotient = tuple[fmpq_mpoly, fmpq_mpoly]


class TooHigh(ValueError):
    """Raised for a power that is too high to be expanded here."""


@dataclass(frozen=True)
class Parts:
    """The quotient ``top / bottom`` in the generators, in lowest terms."""

    generators: tuple[sympy.Expr, ...]
    ring: fmpq_mpoly_ctx = field(repr=False)
    top: fmpq_mpoly
    bottom: fmpq_mpoly

    def expressions(self) -> tuple[sympy.Expr, sympy.Expr]:
        """Return both sides as SymPy expressions: sums of monomials with integer coefficients."""
        coefficients = (*self.top.coeffs(), *self.bottom.coeffs())
        whole = math.lcm(*(int(c.q) for c in coefficients))
        return expression(whole * self.top, self.generators), expression(whole * self.bottom, self.generators)


@lru_cache(maxsize=20_000)
def read_quotient(expr: sympy.Expr) -> Parts:
    """Return the number as a rational function of its generators; ZeroDivisionError if a denominator is zero."""
    expr = _split_exponents(expr)
    places: dict[sympy.Expr, tuple[sympy.Expr, bool]] = {}
    _collect(expr, places)
    names = tuple(dict.fromkeys(name for name, _ in places.values()))
    ring = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(names))], Ordering.degrevlex)
    one, letter = ring.constant(1), dict(zip(names, ring.gens(), strict=True))
    variables = {part: (one, letter[n]) if below else (letter[n], one) for part, (n, below) in places.items()}
    top, bottom = _read_node(expr, variables, ring, one)
    shared = bottom if bottom.is_constant() else top.gcd(bottom)
    return Parts(names, ring, top / shared, bottom / shared)


def _split_exponents(expr: sympy.Expr) -> sympy.Expr:
    """Rewrite x**(n + 1) as x*x**n."""
    if not any(isinstance(power.exp, sympy.Add) for power in expr.atoms(sympy.Pow, sympy.exp)):
        return expr
    return expr.expand(power_exp=True, mul=False, multinomial=False, power_base=False, log=False, basic=False)


def _collect(expr: sympy.Expr, places: dict[sympy.Expr, tuple[sympy.Expr, bool]]) -> None:
    """Collect the generators: for each part that is not arithmetic its symbol, and whether it is a denominator."""
    if isinstance(expr, sympy.Add | sympy.Mul):
        for part in expr.args:
            _collect(part, places)
    elif isinstance(expr, sympy.Pow) and isinstance(expr.exp, sympy.Integer) and abs(int(expr.exp)) <= MAX_EXPONENT:
        _collect(expr.base, places)
    elif isinstance(expr, sympy.Pow | sympy.exp) and _is_below_line(expr.exp):
        places[expr] = expr.func(-expr.exp) if isinstance(expr, sympy.exp) else sympy.Pow(expr.base, -expr.exp), True
    elif not isinstance(expr, sympy.Rational):
        places[expr] = expr, False


def _is_below_line(exponent: sympy.Expr) -> bool:
    """Return whether a power is a denominator: its exponent is negative, or of unknown sign with a minus."""
    unknown = not exponent.is_positive and isinstance(exponent, sympy.Mul)
    return bool(exponent.is_negative or (unknown and exponent.could_extract_minus_sign()))


def expression(polynomial: fmpq_mpoly, generators: tuple[sympy.Expr, ...]) -> sympy.Expr:
    """Return a polynomial as a SymPy expression, a sum of monomials."""

    def monomial(powers: tuple[int, ...], c: fmpq) -> sympy.Expr:
        letters = (g**e for g, e in zip(generators, powers, strict=True) if e)
        return sympy.Mul(sympy.Rational(int(c.p), int(c.q)), *letters)

    return sympy.Add(*(monomial(powers, c) for powers, c in polynomial.to_dict().items()))


def expand_product(expr: sympy.Expr) -> sympy.Expr:
    """Return a product of sums as one sum; only sums, products, rationals and integer powers are expanded."""
    parts = list(dict.fromkeys(_parts(expr)))
    ring = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(parts))], Ordering.degrevlex)
    one = ring.constant(1)
    variables = dict(zip(parts, ((x, one) for x in ring.gens()), strict=True))
    top, _ = _read_node(expr, variables, ring, one)
    return expression(top, tuple(parts))


def _parts(expr: sympy.Expr) -> Iterator[sympy.Expr]:
    if isinstance(expr, sympy.Add | sympy.Mul):
        for part in expr.args:
            yield from _parts(part)
    elif isinstance(expr, sympy.Pow) and isinstance(expr.exp, sympy.Integer) and 0 < expr.exp <= MAX_EXPONENT:
        yield from _parts(expr.base)
    elif not isinstance(expr, sympy.Rational):
        yield expr


def is_null(expr: sympy.Expr) -> bool:
    """Return whether an expression of symbols, rationals, sums, products, integer powers vanishes where it is defined.

    False if a denominator vanishes identically. TooHigh for a power that is not expanded here.
    """
    symbols = tuple(expr.free_symbols)
    ring = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(symbols))], Ordering.degrevlex)
    one = ring.constant(1)
    variables = dict(zip(symbols, ((x, one) for x in ring.gens()), strict=True))
    try:
        top, _ = _read_node(expr, variables, ring, one)
    except ZeroDivisionError:
        return False
    return bool(top == 0)


def _read_node(expr: Any, variables: dict[Any, Quotient], ring: fmpq_mpoly_ctx, one: fmpq_mpoly) -> Quotient:
    if expr in variables:
        return variables[expr]
    if expr.is_Rational:
        return ring.constant(fmpq(int(expr.p), int(expr.q))), one
    if expr.is_Add:
        total = (ring.constant(0), one)
        for part in expr.args:
            total = _sum(total, _read_node(part, variables, ring, one))
        return total
    if expr.is_Mul:
        top, bottom = one, one
        for part in expr.args:
            over, under = _read_node(part, variables, ring, one)
            top, bottom = top * over, bottom * under
        return top, bottom
    if not (expr.is_Pow and expr.exp.is_Integer):
        raise TooHigh(f"{expr} is not a rational function")
    power = int(expr.exp)
    if abs(power) > MAX_EXPONENT:
        raise TooHigh(f"power {power}")
    over, under = _read_node(expr.base, variables, ring, one)
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
