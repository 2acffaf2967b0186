"""Quotients in FLINT's polynomials vanish exactly where SymPy's do."""

from __future__ import annotations

import random

import pytest
import sympy
from sympy import Integer, Rational, Symbol

from fltheory.proof.algebra import polynomial, quotient
from fltheory.proof.algebra.normal import vanishes

X, Y, Z = (Symbol(s) for s in "xyz")


def drawn(draw: random.Random, depth: int) -> sympy.Expr:
    """A rational function that SymPy has left as it was put together."""
    kind = draw.choice(("sum", "product", "power", "atom")) if depth else "atom"
    if kind == "atom":
        return draw.choice((X, Y, Z, Integer(draw.randint(-3, 3)), Rational(draw.randint(1, 5), draw.randint(1, 5))))
    if kind == "power":
        return drawn(draw, depth - 1) ** draw.choice((-2, -1, 2, 3))
    parts = [drawn(draw, depth - 1) for _ in range(draw.randint(2, 3))]
    return sympy.Add(*parts) if kind == "sum" else sympy.Mul(*parts)


def slowly(expr: sympy.Expr) -> bool:
    """The readable twin."""
    return sympy.simplify(expr) == 0


@pytest.mark.parametrize("seed", range(120))
def test_what_is_null_is_what_sympy_simplifies_to_0(seed: int) -> None:
    draw = random.Random(seed)
    expr = drawn(draw, 3)
    if expr.has(sympy.zoo, sympy.nan, sympy.oo):
        return
    other = sympy.factor(expr) if draw.random() < 0.5 else sympy.expand(expr)
    assert quotient.is_null(expr) == slowly(expr)
    assert quotient.is_null(expr - other)
    assert not quotient.is_null(expr - other - Rational(1, 7))
    assert quotient.is_null(expr - other + X - Y) is False


def test_what_divides_by_nothing_is_not_null() -> None:
    nothing = (X + Y) ** 2 - X**2 - 2 * X * Y - Y**2
    assert quotient.is_null(nothing)
    assert not quotient.is_null(1 / nothing)
    assert not quotient.is_null((Z + 1) / nothing - Z / nothing - 1 / nothing)
    assert not quotient.is_null(nothing * (1 / nothing + 1))


def test_powers_that_are_not_expanded_go_another_way() -> None:
    with pytest.raises(quotient.TooHigh):
        quotient.is_null((X + 1) ** 65 - Y)
    assert vanishes(X**100 * X - X**101)
    assert not vanishes(X**100 - X**101)


A, B = (Symbol(s, positive=True) for s in "ab")
N = Symbol("n", integer=True, positive=True)
ATOMS = (A, B, sympy.sqrt(A), A ** (-N), B ** (N + 1), sympy.Max(A, B), sympy.exp(-A), A ** Rational(-3, 2), Integer(2))


def over(draw: random.Random, depth: int) -> sympy.Expr:
    """A rational function of what is no arithmetic."""
    if not depth:
        return draw.choice(ATOMS) * draw.choice((1, -1, Rational(2, 3)))
    parts = [over(draw, depth - 1) for _ in range(2)]
    kind = draw.choice(("sum", "product", "quotient"))
    return sympy.Add(*parts) if kind == "sum" else parts[0] * parts[1] if kind == "product" else parts[0] / parts[1]


@pytest.mark.parametrize("seed", range(60))
def test_both_sides_have_the_quotient_s_value_and_its_sign(seed: int) -> None:
    """The readable twin is SymPy's own value at points, to sixty digits."""
    draw = random.Random(seed)
    expr = over(draw, 3)
    if expr.has(sympy.zoo, sympy.nan, sympy.oo):
        assert not polynomial.is_visibly_nonnegative(expr)
        return
    try:
        top, bottom = quotient.read_quotient(expr).expressions()
    except ZeroDivisionError:
        assert slowly(sympy.denom(sympy.together(expr)))
        return
    seen = (
        polynomial.is_visibly_positive(expr),
        polynomial.is_visibly_nonnegative(expr),
        polynomial.is_visibly_positive(-expr),
    )
    for a, b, n in ((Rational(1, 3), Rational(7, 2), 2), (Rational(5, 2), Rational(1, 5), 1), (3, 3, 3)):
        at = {A: sympy.sympify(a), B: sympy.sympify(b), N: Integer(n)}
        value, found, below = (part.subs(at).evalf(60) for part in (expr, top, bottom))
        assert abs(found - value * below) <= abs(found) * sympy.Float(10) ** -40 + sympy.Float(10) ** -50
        assert not (seen[0] and value <= 0)
        assert not (seen[1] and value < 0)
        assert not (seen[2] and value >= 0)


def test_an_exponent_of_unknown_sign_stays_where_its_minus_says() -> None:
    t = Symbol("t", real=True)
    assert quotient.read_quotient(A ** (-t) + 1).expressions() == (A**t + 1, A**t)
    assert polynomial.is_visibly_positive(A ** (-t) + 1)
    assert not polynomial.is_visibly_positive(A ** (-t) - 1)
