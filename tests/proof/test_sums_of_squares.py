"""Polynomial inequalities by sums of squares: exact certificates, none for a polynomial that is negative somewhere."""

from __future__ import annotations

import pytest
from sympy import Abs, Expr, Integer, Rational, Symbol, expand

from fltheory.proof.algebra.polynomial import check_identity
from fltheory.proof.find.find_scalar import find_polynomial
from fltheory.proof.find.sums_of_squares import find_sum_of_squares

pytest.importorskip("clarabel")
a, b, c = (Symbol(name, real=True) for name in "abc")
p, q, r = (Symbol(name, positive=True) for name in "pqr")
x = Symbol("x", nonnegative=True)

TRUE = (
    a**2 + b**2 - 2 * a * b,
    a**4 - 4 * a + 3,
    3 * a**4 - 4 * a**3 * b + b**4,
    a**4 + b**4 + c**4 + 1 - 4 * a * b * c,
    a**6 + b**6 + 1 - 3 * a**2 * b**2,
    p**3 + q**3 + r**3 - 3 * p * q * r,
    p**4 + q**4 + r**4 - p * q * r * (p + q + r),
    x**3 - 3 * x + 2,
    a**2 - Rational(2, 3) * a + Rational(1, 9),
)


@pytest.mark.parametrize("target", TRUE)
def test_a_true_inequality_has_a_certificate(target: Expr) -> None:
    certificate = find_sum_of_squares(expand(target), ())
    assert certificate is not None
    assert check_identity(expand(target), (), certificate) is None


@pytest.mark.parametrize("target", TRUE)
def test_a_bit_less_has_none(target: Expr) -> None:
    """Each of them vanishes somewhere, so that nothing can be taken away."""
    assert find_sum_of_squares(expand(target - Rational(1, 100)), ()) is None


def test_facts_are_multiplied() -> None:
    target, facts = expand(2 - a - a**3), (1 - a, 1 + a)
    certificate = find_sum_of_squares(target, facts)
    assert certificate is not None
    assert check_identity(target, facts, certificate) is None
    assert check_identity(target, (1 + a,), certificate) is not None
    assert find_sum_of_squares(target, (1 + a,)) is None


def test_the_square_of_an_absolute_value() -> None:
    target = 1 + a**2 - 2 * Abs(a)
    assert find_sum_of_squares(target, ()) is not None
    assert find_sum_of_squares(target - Rational(1, 100), ()) is None
    assert find_polynomial(b**2 - a**2, (b - Abs(a),)) is not None
    assert find_polynomial(b**2 - a**2, (b - a,)) is None


@pytest.mark.parametrize(
    "target", [Integer(1), a**12 + 1, sum((Symbol(f"y{i}", real=True) ** 2 for i in range(9)), Integer(0))]
)
def test_what_is_too_large_or_no_polynomial_is_left(target: Expr) -> None:
    assert find_sum_of_squares(target, ()) is None
