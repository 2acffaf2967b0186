"""Numbers as Laurent polynomials whose bases are any non-arithmetic terms: roots, inner products, sums, and 1/(a + b).

A monomial is a set of pairs (base, exponent); a polynomial maps each of its monomials to a rational coefficient. Vectors are
polynomials that are linear in their atoms.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Integer, Rational

from fltheory.proof.algebra.normal import linear_form, normal_form
from fltheory.proof.terms import is_vector

Monomial = frozenset[tuple[Expr, Rational]]
Polynomial = dict[Monomial, Rational]

UNIT: Monomial = frozenset()


def polynomial_of(expr: Expr) -> Polynomial:
    """Return the monomials of a number, or of a vector, with their coefficients."""
    if is_vector(expr):
        parts = (multiply(polynomial_of(c), {monomial({v: Integer(1)}): Integer(1)}) for c, v in linear_form(expr))
        return add(*parts)
    found: Polynomial = {}
    for term in sympy.Add.make_args(sympy.expand(normal_form(expr))):
        coefficient, rest = term.as_coeff_Mul()
        exponents: dict[Expr, Expr] = {}
        for factor in sympy.Mul.make_args(rest):
            base, exponent = factor.as_base_exp()
            number, letters = (exponent, Integer(1)) if exponent.is_Rational else exponent.as_coeff_Mul()
            base = base if letters == 1 else base**letters
            exponents[base] = exponents.get(base, Integer(0)) + number
        own, more = _without_numbers(monomial(exponents))
        found[own] = found.get(own, Integer(0)) + coefficient * more
    return _nonzero(found)


def monomial(exponents: dict[Expr, Expr]) -> Monomial:
    """Return the product of powers."""
    return frozenset((b, e) for b, e in exponents.items() if e != 0 and b != 1)


def product(a: Monomial, b: Monomial) -> Monomial:
    """Return a times b."""
    exponents = dict(a)
    for base, exponent in b:
        exponents[base] = exponents.get(base, Integer(0)) + exponent
    return monomial(exponents)


def inverse(a: Monomial) -> Monomial:
    """Return 1/a."""
    return frozenset((b, -e) for b, e in a)


def _without_numbers(a: Monomial) -> tuple[Monomial, Rational]:
    """Move integer powers of numbers from a monomial to its coefficient."""
    coefficient, kept = Integer(1), {}
    for base, exponent in a:
        if base.is_Rational:
            whole = sympy.floor(exponent)
            coefficient, exponent = coefficient * base**whole, exponent - whole
        kept[base] = exponent
    return monomial(kept), coefficient


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    """Return p times q."""
    found: Polynomial = {}
    for a, c in p.items():
        for b, d in q.items():
            own, more = _without_numbers(product(a, b))
            found[own] = found.get(own, Integer(0)) + c * d * more
    return _nonzero(found)


def add(*polynomials: Polynomial) -> Polynomial:
    """Return the sum of the polynomials."""
    found: Polynomial = {}
    for p in polynomials:
        for a, c in p.items():
            found[a] = found.get(a, Integer(0)) + c
    return _nonzero(found)


def _nonzero(p: Polynomial) -> Polynomial:
    return {a: c for a, c in p.items() if c != 0}


def shifted(p: Polynomial, a: Monomial) -> Polynomial:
    """Return p times a monomial."""
    return multiply(p, {a: Integer(1)})


def expression(a: Monomial) -> Expr:
    """Return the monomial as a term."""
    return sympy.Mul(*(b**e for b, e in a))
