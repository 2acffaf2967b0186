"""Quotients in FLINT's polynomials vanish exactly where SymPy's do."""

from __future__ import annotations

import random

import pytest
import sympy
from sympy import Integer, Rational, Symbol

from fltheory.proof.algebra import quotient
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
