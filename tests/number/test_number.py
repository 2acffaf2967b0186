"""Exact numbers and balls."""

import math
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from fltheory import symbols
from fltheory.number import (
    BALL,
    RATIONAL,
    NotRational,
    decide,
    evaluate_ball,
    evaluate_exact,
    evaluate_to_precision,
    exact,
    exact_text,
    lower_float,
    to_ball,
    to_float,
    upper_float,
)

X, Y = symbols.step_size, symbols.smoothness
rationals = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6, max_denominator=10**6)


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        (3, 3),
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        ("1e-17", Fraction(1, 10**17)),
        (Fraction(4, 2), 2),
        (np.float64(0.25), Fraction(1, 4)),
        (np.int64(7), 7),
        (sympy.Rational(2, 3), Fraction(2, 3)),
        ("sqrt(2)/3", sympy.sqrt(2) / 3),
        ("sqrt(4)", 2),
        ("0.1*sqrt(2)", sympy.sqrt(2) / 10),
    ],
)
def test_numbers_are_read_as_printed(given_as, expected):
    value = exact(given_as)
    assert value == expected
    assert type(value) is type(expected) or isinstance(value, sympy.Expr)


@pytest.mark.parametrize(
    "bad",
    [
        True,
        np.True_,
        None,
        math.nan,
        math.inf,
        "nan",
        "inf",
        "1/0",
        "sqrt(-1)",
        "x",
        "e",
        "",
        "()",
        "1,2",
        "sqrt",
        "2(3)",
        "import os",
        "__class__",
        sympy.I,
        sympy.Symbol("x"),
        [1],
        "log(0)",
        object(),
    ],
)
def test_what_is_no_number_is_refused(bad):
    with pytest.raises(ValueError, match=r"expected a (real |finite )?number"):
        exact(bad)


@given(st.one_of(rationals, st.integers(), rationals.map(lambda q: sympy.sqrt(sympy.Rational(str(q))))))
def test_text_is_read_back(value):
    number = exact(value)
    assert exact(exact_text(number)) == number


@given(rationals, st.integers(-400, 400))
def test_directed_floats_enclose_and_are_tight(q, exponent):
    value = q * Fraction(10) ** exponent
    with ctx.workprec(2000):
        ball = to_ball(value)
    low, high = lower_float(ball), upper_float(ball)
    assert low <= value <= high
    assert low == high or math.nextafter(low, math.inf) == high


def test_directed_floats_beyond_the_range():
    huge, tiny = arb(10) ** 400, arb(10) ** -400
    assert lower_float(huge) == sys.float_info.max
    assert upper_float(huge) == math.inf
    assert lower_float(-huge) == -math.inf
    assert upper_float(-huge) == -sys.float_info.max
    assert (lower_float(tiny), upper_float(tiny)) == (0.0, math.ulp(0.0))
    assert lower_float(arb.nan()) == -math.inf
    assert upper_float(arb.nan()) == math.inf
    assert to_float(10**400) == math.inf
    assert to_float(Fraction(-(10**400), 3)) == -math.inf


def test_sums_of_tiny_and_large_come_out_right():
    assert evaluate_exact(X + Y, {X: Fraction(1, 10**17), Y: 1}) == Fraction(10**17 + 1, 10**17)
    ball = evaluate_to_precision(lambda: evaluate_ball(X + Y - 1, {X: Fraction(74, 10**21), Y: 1}))
    assert abs(to_float(ball) / 7.4e-20 - 1) < 1e-15
    assert 1.0 + 7.4e-20 - 1.0 == 0.0  # what floats make of it


EXPRESSIONS = [
    sympy.sqrt(X) + sympy.exp(-Y),
    X ** sympy.Rational(2, 3) / (1 + Y),
    sympy.log(1 + X) * sympy.Min(X, Y),
    sympy.Max(X, Y) - sympy.Abs(X - Y) / 3,
    sympy.Piecewise((X, X <= Y), (sympy.sqrt(Y), True)),
    (1 - 1 / (1 + X)) ** (-(Y + 1)),
    sympy.cos(X) + sympy.sin(Y) + sympy.pi,
]


@given(
    st.sampled_from(EXPRESSIONS),
    st.fractions(Fraction(1, 50), 20, max_denominator=60),
    st.fractions(Fraction(1, 50), 20, max_denominator=60),
)
def test_balls_contain_the_value_to_a_thousand_digits(expr, x, y):
    ball = evaluate_to_precision(lambda: evaluate_ball(expr, {X: x, Y: y}))
    with mpmath.workdps(1000):
        value = sympy.lambdify((X, Y), expr, "mpmath")(
            mpmath.mpf(x.numerator) / x.denominator, mpmath.mpf(y.numerator) / y.denominator
        )
        assert abs(value) > 0
        for end, sign in ((lower_float(ball), -1), (upper_float(ball), 1)):
            assert sign * (mpmath.mpf(end) - value) >= -(mpmath.mpf(10) ** -900)
        assert upper_float(ball) - lower_float(ball) <= 4 * math.ulp(float(value))


@given(st.sampled_from(EXPRESSIONS), rationals, rationals)
def test_exact_values_lie_in_the_balls(expr, x, y):
    try:
        value = evaluate_exact(expr, {X: x, Y: y})
    except NotRational:
        return
    ball = evaluate_ball(expr, {X: x, Y: y})
    assert ball.overlaps(to_ball(value))


def test_powers_with_rational_value_are_rational():
    assert evaluate_exact(sympy.sqrt(X), {X: Fraction(4, 9)}) == Fraction(2, 3)
    assert evaluate_exact(sympy.sqrt(X) ** 2, {X: 2}) == 2
    assert evaluate_exact(X**2, {X: sympy.sqrt(2)}) == 2
    with pytest.raises(NotRational):
        evaluate_exact(sympy.sqrt(X), {X: 2})


def test_a_product_with_a_zero_is_zero_where_the_rest_is_finite():
    """0 exp(-1/3) is rational; 0 times infinity is no number."""
    assert evaluate_exact(X * sympy.exp(-Y), {X: 0, Y: Fraction(1, 3)}) == 0
    assert evaluate_exact(Y + X**2 * sympy.log(Y), {X: 0, Y: 2}) == 2
    with pytest.raises(NotRational):
        evaluate_exact(X * sympy.exp(-Y), {X: 1, Y: Fraction(1, 3)})
    with pytest.raises(NotRational):
        evaluate_exact(X * sympy.log(Y), {X: 0, Y: 0})
    with pytest.raises(NotRational):
        evaluate_exact(X * sympy.Piecewise((sympy.oo, Y <= X), (1, True)), {X: 0, Y: 0})


def test_the_root_of_a_negative_number_is_not_zero():
    assert not evaluate_ball(sympy.sqrt(X - Y), {X: 1, Y: 2}).is_finite()
    assert not evaluate_ball((X - Y) ** sympy.Rational(1, 3), {X: 1, Y: 2}).is_finite()
    assert evaluate_ball(sympy.sqrt(X - Y), {X: 2, Y: 2}) == 0


def test_infinite_branches_and_logarithms():
    assert evaluate_ball(sympy.Min(sympy.oo, X), {X: 2}) == 2
    assert evaluate_ball(sympy.Max(Y, sympy.log(X - Y)), {X: 1, Y: 1}) == 1
    assert evaluate_ball(sympy.exp(-sympy.oo * X), {X: 1}) == 0
    assert not evaluate_ball(1 / (X - Y), {X: 1, Y: 1}).is_finite()


def test_conditions_are_decided_exactly_on_their_boundary():
    small = X <= 1 / (6 * Y)
    for smoothness in (1, Fraction(7, 3), sympy.sqrt(2), sympy.pi):
        edge = exact(1 / (6 * sympy.sympify(smoothness)))
        assert decide(small, {X: edge, Y: smoothness}) is True
        assert decide(X < 1 / (6 * Y), {X: edge, Y: smoothness}) is False
        assert decide(small, {X: exact(edge + sympy.Rational(1, 10**40)), Y: smoothness}) is False
        assert decide(small, {X: exact(edge - sympy.Rational(1, 10**40)), Y: smoothness}) is True


def test_a_ball_on_the_boundary_is_undecided():
    assert decide(X <= Y, {X: arb("0.1"), Y: Fraction(1, 10)}) is None
    assert decide(X <= Y, {X: arb("0.1"), Y: Fraction(2, 10)}) is True


@given(st.lists(rationals, min_size=4, max_size=4), st.lists(rationals, min_size=4, max_size=4))
def test_rings_agree(a, b):
    products = []
    for ring in (RATIONAL, BALL):
        left, right = (ring.matrix(2, 2, [ring.scalar(v) for v in values]) for values in (a, b))
        products.append(left * right + ring.identity(2))
    for i in range(2):
        for j in range(2):
            assert arb(products[0][i, j]).overlaps(products[1][i, j])


@pytest.mark.parametrize("word", ["9**9**9", "1e999999999", "2**100000", "(1/3)**(2**9)**9"])
def test_numbers_too_long_to_write_are_refused_at_once(word):
    with pytest.raises(ValueError, match="more than 4000 digits"):
        exact(word)
    assert exact("2**10") == 1024


def test_numbers_of_subsets_are_those_of_whole_numbers():
    n, k = sympy.symbols("n k")
    assert evaluate_ball(sympy.binomial(n, k), {n: 7, k: 3}) == 35
    assert evaluate_ball(sympy.binomial(n, k), {n: 3, k: 7}) == 0
    with pytest.raises(ValueError, match="needs integers"):
        evaluate_ball(sympy.binomial(n, k), {n: Fraction(1, 2), k: 1})
