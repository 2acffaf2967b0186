"""Numbers as Laurent polynomials whose bases are any non-arithmetic terms: roots, inner products, sums, and 1/(a + b).

A monomial is a set of pairs (base, exponent); a polynomial maps each of its monomials to a rational coefficient. Vectors are
polynomials that are linear in their atoms. Exponents and coefficients are Python's integers and fractions.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import chain

import sympy
from sympy import Expr, Integer, Rational, S

from fltheory.proof.algebra.normal import linear_form, normal_form
from fltheory.proof.terms import is_vector

Number = int | Fraction
Monomial = frozenset[tuple[Expr, Number]]
Polynomial = dict[Monomial, Number]

UNIT: Monomial = frozenset()


def polynomial_of(expr: Expr) -> Polynomial:
    """Return the monomials of a number, or of a vector, with their coefficients."""
    return dict(_polynomial_of(expr))


@lru_cache(maxsize=20_000)
def _polynomial_of(expr: Expr) -> Polynomial:
    if is_vector(expr):
        parts = (multiply(polynomial_of(c), {monomial({v: 1}): 1}) for c, v in linear_form(expr))
        return add(*parts)
    found: Polynomial = {}
    for term in sympy.Add.make_args(sympy.expand(normal_form(expr))):
        coefficient, rest = term.as_coeff_Mul()
        exponents: dict[Expr, Number] = {}
        for factor in sympy.Mul.make_args(rest):
            base, exponent = factor.as_base_exp()
            number, letters = (exponent, Integer(1)) if exponent.is_Rational else exponent.as_coeff_Mul()
            base = base if letters == 1 else base**letters
            exponents[base] = exponents.get(base, 0) + plain(number)
        own, more = _without_numbers(monomial(exponents))
        found[own] = found.get(own, 0) + plain(coefficient) * more
    return _nonzero(found)


def plain(value: Expr) -> Number:
    """Return a rational of SymPy as one of Python; TypeError if it is none."""
    if not isinstance(value, Rational):
        raise TypeError(f"{value} is not a rational number")
    return int(value) if value.q == 1 else Fraction(int(value.p), int(value.q))


def rational(value: Number) -> Rational:
    """Return a rational of Python as one of SymPy."""
    return Integer(value) if isinstance(value, int) else Rational(value.numerator, value.denominator)


def monomial(exponents: dict[Expr, Number]) -> Monomial:
    """Return the product of powers."""
    return frozenset(
        (b, e if isinstance(e, int) or e.denominator > 1 else e.numerator)
        for b, e in exponents.items()
        if e and b is not S.One
    )


@lru_cache(maxsize=500_000)
def product(a: Monomial, b: Monomial) -> Monomial:
    """Return a times b."""
    exponents = dict(a)
    for base, exponent in b:
        exponents[base] = exponents.get(base, 0) + exponent
    return monomial(exponents)


@lru_cache(maxsize=200_000)
def degree(a: Monomial) -> Number:
    """Return the sum of the exponents without their signs."""
    found: Number = 0
    for _, exponent in a:
        found += exponent if exponent > 0 else -exponent
    return found


@lru_cache(maxsize=100_000)
def inverse(a: Monomial) -> Monomial:
    """Return 1/a."""
    return frozenset((b, -e) for b, e in a)


@lru_cache(maxsize=200_000)
def _without_numbers(a: Monomial) -> tuple[Monomial, Number]:
    """Move integer powers of numbers from a monomial to its coefficient."""
    if not any(base.is_Rational for base, _ in a):
        return a, 1
    coefficient, kept = Fraction(1), {}
    for base, exponent in a:
        if base.is_Rational:
            whole = math.floor(exponent)
            coefficient, exponent = coefficient * Fraction(plain(base)) ** whole, exponent - whole
        kept[base] = exponent
    return monomial(kept), coefficient


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    """Return p times q."""
    found: Polynomial = {}
    for a, c in p.items():
        for b, d in q.items():
            own, more = _without_numbers(product(a, b))
            found[own] = found.get(own, 0) + c * d * more
    return _nonzero(found)


def add(*polynomials: Polynomial) -> Polynomial:
    """Return the sum of the polynomials."""
    found: Polynomial = {}
    for a, c in chain.from_iterable(p.items() for p in polynomials):
        found[a] = found.get(a, 0) + c
    return _nonzero(found)


def _nonzero(p: Polynomial) -> Polynomial:
    return {a: c for a, c in p.items() if c}


def shifted(p: Polynomial, a: Monomial) -> Polynomial:
    """Return p times a monomial."""
    return multiply(p, {a: 1})


def expression(a: Monomial) -> Expr:
    """Return the monomial as a term."""
    return sympy.Mul(*(b ** rational(e) for b, e in a))
