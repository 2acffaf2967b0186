"""Formulas in rationals, in SymPy's numbers and in balls: each branch against an independent value."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, ctx, fmpq
from sympy import Abs, Max, Min, Piecewise, Rational, exp, floor, log, oo, sqrt

from fltheory.number import (
    BALL,
    LARGEST_ROOT,
    RATIONAL,
    NotRational,
    as_number,
    decide,
    decide_exact,
    evaluate_ball,
    evaluate_exact,
    evaluate_to_precision,
    exact,
    exact_text,
    lower_float,
    symbolic,
    symbolic_value,
    to_ball,
    to_float,
    upper_float,
)
from fltheory.symbols import initial_distance, n_rounds, smoothness
from fltheory.work import work_limit

L, D, R = smoothness, initial_distance, n_rounds
x, y = sympy.symbols("x y", real=True)
HALF = Fraction(1, 2)


# Reading -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, 3),
        (HALF, "1/2"),
        (Fraction(-2, 3), "-2/3"),
        (sqrt(2), "sqrt(2)"),
        (arb(2), str(arb(2))),
        (arb(2, 1), str(arb(2, 1))),
    ],
)
def test_numbers_as_text(value: Any, text: Any) -> None:
    assert exact_text(value) == text


def test_numbers_of_every_kind_are_read_exactly() -> None:
    ball = arb(1, 1)
    assert exact(ball) is ball
    for given, read in (
        (np.float64(0.1), Fraction(1, 10)),
        (np.array(3), 3),
        (np.int64(4), 4),
        (Fraction(4, 2), 2),
        (sympy.Integer(3), 3),
        (Rational(1, 2), HALF),
        (2.0, 2),
        ("6/4", Fraction(3, 2)),
        ("sqrt(2)", sqrt(2)),
    ):
        assert exact(given) == read
        assert type(exact(given)) is type(read) or isinstance(read, sympy.Expr)
    for bad, words in (
        (True, "expected a number, got True"),
        (x, "expected a real number, got x"),
        (sympy.I, "expected a real number"),
        (sympy.true, "expected a real number"),
        (math.inf, "expected a finite number"),
        (None, "expected a number, got None"),
        ([1], "expected a number"),
    ):
        with pytest.raises(ValueError, match=words):
            exact(bad)


def test_numbers_in_sympy_and_in_flint() -> None:
    assert symbolic(HALF) == Rational(1, 2)
    assert type(symbolic(3)) is type(sympy.Integer(3))
    assert symbolic(sqrt(2)) is sqrt(2)
    assert as_number(fmpq(4, 2)) == 2
    assert type(as_number(fmpq(4, 2))) is int
    assert as_number(fmpq(1, 2)) == HALF
    assert as_number(sqrt(2)) is sqrt(2)
    assert RATIONAL.scalar(HALF) == RATIONAL.scalar(fmpq(1, 2)) == fmpq(1, 2)
    with pytest.raises(NotRational):
        RATIONAL.scalar(sqrt(2))
    with pytest.raises(TypeError, match=r"0\.5 is a float, a rounded number"):
        to_ball(0.5)
    assert to_ball(sqrt(2)).overlaps(arb(2).sqrt())


def test_floats_of_numbers() -> None:
    assert to_float(HALF) == 0.5
    assert to_float(sqrt(2)) == pytest.approx(math.sqrt(2), rel=1e-15)
    assert to_float(arb(2, 1)) == 2.0
    assert to_float(10**400) == math.inf
    assert to_float(-(10**400)) == -math.inf
    assert to_float(Fraction(-(10**400), 3)) == -math.inf


@pytest.mark.parametrize("value", [Fraction(v) for v in ("1/3", "-1/3", 0, 2, 10**400, -(10**400))])
def test_floats_beside_a_number(value: Fraction) -> None:
    with ctx.workprec(2000):
        ball = to_ball(value)
    low, high = lower_float(ball), upper_float(ball)
    for end, towards in ((low, math.inf), (high, -math.inf)):
        if math.isfinite(end):
            assert Fraction(end) <= value if end == low else Fraction(end) >= value
            inner = math.nextafter(end, towards)
            assert Fraction(end) == value or math.isinf(inner) or (Fraction(inner) > value) == (towards > 0)
    assert low <= high
    assert math.isinf(high) == (value == 10**400)
    assert math.isinf(low) == (value == -(10**400))
    assert lower_float(arb("inf")) == -math.inf or lower_float(arb("inf")) == math.inf
    assert (lower_float(arb("nan")), upper_float(arb("nan"))) == (-math.inf, math.inf)


# Precision ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ball", "precisions"),
    [
        (arb(1), [128]),
        (arb(0), [128]),
        (arb(0, 1), [128, 256, 512]),
        (arb(1, 0.25), [128, 256, 512]),
        (arb("nan"), [128, 256, 512]),
        (arb("inf"), [128, 256, 512]),
    ],
    ids=["exact", "zero", "around zero", "wide", "nan", "infinite"],
)
def test_precision_doubles_until_a_ball_is_narrow_or_zero(ball: arb, precisions: list[int]) -> None:
    seen: list[int] = []

    def compute() -> arb:
        seen.append(ctx.prec)
        return ball

    with work_limit() as meter:
        evaluate_to_precision(compute, 60, 128, 512)
    assert seen == precisions
    assert meter.spent == pytest.approx(sum(precisions) / 20_000)
    seen.clear()
    evaluate_to_precision(compute, 60, 128, 511)
    assert seen == precisions


def test_a_ball_of_just_the_bits_is_narrow_enough() -> None:
    for power in range(55, 70):
        ball = arb(1, 2.0**-power)
        seen: list[int] = []
        evaluate_to_precision(lambda ball=ball, seen=seen: seen.append(1) or ball, 60, 128, 256)  # type: ignore[misc]
        assert (len(seen) == 1) == (ball.rel_accuracy_bits() >= 60)


# Values ------------------------------------------------------------------------------------------------------------------

AT: dict[Any, Any] = {L: Fraction(9, 4), D: Fraction(-3, 2), R: 3}
RATIONALS: list[tuple[Any, Any]] = [
    (L, Fraction(9, 4)),
    (sympy.Integer(3), 3),
    (L + D, Fraction(3, 4)),
    (L * D, Fraction(-27, 8)),
    (L**2, Fraction(81, 16)),
    (sqrt(L), Fraction(3, 2)),
    (1 / L, Fraction(4, 9)),
    (D**R, Fraction(-27, 8)),
    (sqrt(L) ** R, Fraction(27, 8)),
    (Abs(x), Fraction(3, 2)),
    (floor(x), -2),
    (floor(L), 2),
    (exp(L + x * Rational(3, 2)), 1),
    (log(L - Rational(5, 4)), 0),
    (Min(L, x), Fraction(-3, 2)),
    (Max(L, x), Fraction(9, 4)),
    (Piecewise((L, L > 2), (D, True)), Fraction(9, 4)),
    (Piecewise((L, L > 3), (D, True)), Fraction(-3, 2)),
    (Piecewise((L, L > 3), (D, L > 1), (R, True)), Fraction(-3, 2)),
    (Min(sqrt(7), L), Fraction(9, 4)),
    (Max(sqrt(5), L), Fraction(9, 4)),
    (Max(sqrt(3), sqrt(5), L, R), 3),
    ((L - Rational(9, 4)) * sqrt(y), 0),
    (y**0 * L, Fraction(9, 4)),
]
IRRATIONAL = [
    sqrt(y),
    exp(L),
    log(L),
    sympy.pi,
    sympy.E,
    Min(sqrt(5), L),
    Max(sqrt(7), L),
    Min(sqrt(5), sqrt(7)),
    Piecewise((L, L > 3), (D, L > 4)),
    L * sqrt(y),
    sympy.sin(L),
    y ** sqrt(y),
]
VALUES = {**AT, x: Fraction(-3, 2), y: 2}


@pytest.mark.parametrize(("expr", "value"), RATIONALS, ids=str)
def test_a_rational_value(expr: Any, value: Any) -> None:
    assert evaluate_exact(expr, VALUES) == value
    assert type(evaluate_exact(expr, VALUES)) is Fraction
    assert evaluate_ball(expr, VALUES).contains(to_ball(Fraction(value)))


@pytest.mark.parametrize("expr", IRRATIONAL, ids=str)
def test_an_irrational_value_is_refused(expr: Any) -> None:
    with pytest.raises(NotRational):
        evaluate_exact(expr, VALUES)


def test_a_symbol_of_a_ball_is_not_rational() -> None:
    for value in (arb(2), sqrt(2)):
        with pytest.raises(NotRational):
            evaluate_exact(L, {L: value})
    assert evaluate_exact(L**2, {L: sqrt(2)}) == 2
    assert evaluate_exact(L * D, {L: 0, D: sqrt(2)}) == 0
    with pytest.raises(NotRational):
        evaluate_exact(L * D, {L: 0, D: arb("inf")})
    with pytest.raises(NotRational):
        evaluate_exact(Min(L, D), {L: 2, D: arb(2, 1)})
    assert evaluate_exact(Min(L, D), {L: 2, D: arb(4, 1)}) == 2
    assert evaluate_exact(Max(L, D), {L: 2, D: arb(0, 1)}) == 2
    with pytest.raises(NotRational):
        evaluate_exact(Max(L, D), {L: 2, D: arb(4, 1)})


BALLS: list[tuple[Any, float]] = [
    (sympy.pi, math.pi),
    (sympy.E, math.e),
    (oo, math.inf),
    (-oo, -math.inf),
    (exp(-oo), 0.0),
    (exp(x), math.exp(-1.5)),
    (log(y), math.log(2)),
    (sympy.cos(x), math.cos(1.5)),
    (sympy.sin(x), math.sin(-1.5)),
    (floor(y + Rational(1, 2)), 2.0),
    (Abs(x), 1.5),
    (Max(x, y, Rational(1, 3)), 2.0),
    (Min(y, Rational(1, 3), x), -1.5),
    (Max(Rational(1, 3), y, x), 2.0),
    (sympy.binomial(y + 3, y), 10.0),
    (sympy.binomial(y, 0 * y), 1.0),
    (y ** Rational(1, 3), 2 ** (1 / 3)),
    (y ** Rational(-2, 3), 2 ** (-2 / 3)),
    (y ** Rational(3, 2), 2**1.5),
    (y**-2, 0.25),
    (x**3, -3.375),
    (y ** sqrt(y), 2 ** math.sqrt(2)),
    (x ** (y + 1), -3.375),
    ((y - 2) ** Rational(2, 3), 0.0),
    (y ** Rational(1, LARGEST_ROOT), 2 ** (1 / LARGEST_ROOT)),
    (y ** Rational(3, LARGEST_ROOT + 1), 2 ** (3 / (LARGEST_ROOT + 1))),
    (y ** Rational(LARGEST_ROOT // 4, LARGEST_ROOT + 1), 2 ** ((LARGEST_ROOT // 4) / (LARGEST_ROOT + 1))),
]


@pytest.mark.parametrize(("expr", "value"), BALLS, ids=lambda v: str(v)[:40])
def test_a_value_in_balls(expr: Any, value: float) -> None:
    found = evaluate_ball(expr, VALUES)
    assert float(found.mid()) == pytest.approx(value, rel=1e-12, abs=1e-300)
    assert math.isinf(value) or float(found.rad()) <= 1e-12 * max(1, abs(value))


def test_what_has_no_value_in_balls() -> None:
    with pytest.raises(TypeError, match="no ball arithmetic for sign"):
        evaluate_ball(sympy.sign(x), VALUES)
    for n, k in ((-1, 1), (2, -1), (HALF, 1), (2, HALF)):
        with pytest.raises(ValueError, match="needs integers from 0 on"):
            evaluate_ball(sympy.binomial(x, y), {x: n, y: k})
    assert evaluate_ball(sympy.binomial(x, y), {x: 0, y: 0}) == 1
    assert evaluate_ball(x ** Rational(1, 3), {x: -8}).is_nan()
    assert evaluate_ball(x ** Rational(1, 2), {x: -1}).is_nan()
    assert not evaluate_ball(x ** Rational(-1, 2), {x: 0}).is_finite()
    assert evaluate_ball(log(x), {x: 0}) == arb.neg_inf()


@pytest.mark.parametrize("power", [1, 2, 3, 63, 64])
def test_powers_of_a_ball_around_zero_are_products(power: int) -> None:
    found = evaluate_ball(x**power, {x: arb(0, 0.5)})
    assert found.contains(arb(0.5) ** power)
    assert found.contains(0)
    assert found.is_finite()
    assert float(found.upper()) <= 0.5**power * (1 + 1e-6)
    assert not evaluate_ball(x**-power, {x: arb(0, 0.5)}).is_finite()
    assert evaluate_ball(x**-power, {x: arb(2)}) == arb(2) ** -power
    assert evaluate_ball(x ** (y - y + 0), {x: arb(0, 0.5), y: 1}) == 1
    root = evaluate_ball(sqrt(x), {x: arb(0, 1)})
    assert root.is_finite()
    assert root.contains(0)


def test_branches_that_are_undecided_are_all_possible() -> None:
    expr = Piecewise((1, x > 0), (2, x > -5), (7, True))
    assert evaluate_ball(expr, {x: 3}) == 1
    assert evaluate_ball(expr, {x: -1}) == 2
    assert evaluate_ball(expr, {x: -9}) == 7
    both = evaluate_ball(expr, {x: arb(0, 1)})
    assert both.contains(1)
    assert both.contains(2)
    assert not both.contains(7)


# Relations ---------------------------------------------------------------------------------------------------------------

KINDS = {
    sympy.Lt: lambda a, b: a < b,
    sympy.Le: lambda a, b: a <= b,
    sympy.Gt: lambda a, b: a > b,
    sympy.Ge: lambda a, b: a >= b,
    sympy.Eq: lambda a, b: a == b,
    sympy.Ne: lambda a, b: a != b,
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_relations_of_rationals_roots_and_balls(kind: Any) -> None:
    relation, holds = kind(x, y), KINDS[kind]
    for a, b in itertools.product((-1, HALF, 2), repeat=2):
        assert decide_exact(relation, {x: a, y: b}) is holds(a, b)
        assert decide(relation, {x: a, y: b}) is holds(a, b)
    for a, b in ((sqrt(2), Fraction(3, 2)), (Fraction(3, 2), sqrt(2)), (sqrt(2), sqrt(3))):
        assert decide(relation, {x: a, y: b}) is bool(holds(float(a), float(b)))
        with pytest.raises(NotRational):
            decide_exact(relation, {x: a, y: b})
    equal = decide(relation, {x: sqrt(6), y: sqrt(2) * sqrt(3)})
    assert equal is (True if kind in (sympy.Le, sympy.Ge, sympy.Eq) else None) or equal is holds(1, 1)
    assert decide(relation, {x: arb(1, 1), y: 1}) is None
    assert decide(relation, {x: arb(1, 1), y: 5}) is holds(1, 5)
    assert decide(relation, {x: 5, y: arb(1, 1)}) is holds(5, 1)


def test_near_sides_are_told_apart_by_more_digits() -> None:
    near = Fraction(math.isqrt(2 * 10**400), 10**200)
    assert decide(x < y, {x: near, y: sqrt(2)}) is True
    assert decide(x > y, {x: near, y: sqrt(2)}) is False


# Symbolic values ---------------------------------------------------------------------------------------------------------


def test_symbolic_values() -> None:
    assert symbolic_value(sqrt(x) + y, {x: 2, y: HALF}) == sqrt(2) + Rational(1, 2)
    assert symbolic_value(sympy.pi, {}) is sympy.pi
    assert symbolic_value(Min(x, y), {x: sqrt(2), y: 3}) == sqrt(2)
    assert symbolic_value(Min(x, y), {x: 3, y: sqrt(2)}) == sqrt(2)
    assert symbolic_value(Max(x, y), {x: sqrt(2), y: 3}) == 3
    assert symbolic_value(Max(x, y), {x: sqrt(17), y: 3}) == sqrt(17)
    assert symbolic_value(Piecewise((x, x > 1), (y, True)), {x: sqrt(2), y: 5}) == sqrt(2)
    assert symbolic_value(Piecewise((x, x > 2), (y, True)), {x: sqrt(2), y: 5}) == 5
    assert symbolic_value(exp(x), {x: 1}) == sympy.E
    for given in (arb(1), arb(1, 1)):
        with pytest.raises(NotRational):
            symbolic_value(x + 1, {x: given})


@pytest.mark.parametrize(
    ("expr", "values", "short"),
    [
        (exp(x), {x: 2000}, True),
        (exp(x), {x: 2001}, False),
        (exp(x), {x: -2001}, False),
        (x + y, {x: sqrt(2), y: 2**1999}, True),
        (x + y, {x: sqrt(2), y: 2**2000}, False),
        (sympy.sin(x), {x: 2**1999}, True),
        (sqrt(x), {x: 2**1999 + 1}, True),
        (sqrt(x), {x: 2**2000 + 1}, False),
        (x**y, {x: 3, y: 49_999}, True),
        (x**y, {x: 3, y: 50_000}, False),
        (x**y, {x: 3, y: -50_000}, False),
        (x**2, {x: 2**2001}, True),
    ],
    ids=lambda v: str(v)[:30],
)
def test_a_long_symbolic_value_is_refused(expr: Any, values: Any, short: bool) -> None:
    if short:
        assert symbolic_value(expr, values).is_real
    else:
        with pytest.raises(NotRational):
            symbolic_value(expr, values)


def test_a_branch_that_is_undecided_is_not_taken() -> None:
    from fltheory.number import _branch, _symbolic_extreme

    expr = Piecewise((1, x > 0), (2, y > 0), (7, True))
    assert _branch(expr, {x: 1, y: 1}) == 1
    assert _branch(expr, {x: -1, y: 1}) == 2
    assert _branch(expr, {x: -1, y: -1}) == 7
    assert _branch(expr, {x: arb(0, 1), y: 1}) is None
    assert _branch(Piecewise((1, x > 0)), {x: -1}) is None
    third = Rational(1, 3)
    assert _symbolic_extreme(Min(x, y), [third, sqrt(2)]) == third
    assert _symbolic_extreme(Max(x, y), [third, sqrt(2)]) == sqrt(2)
    assert _symbolic_extreme(Max(x, y), [sqrt(6), sqrt(2) * sqrt(3)]) in (None, sqrt(6))
    assert _symbolic_extreme(Min(x, y), [third, Rational(1, 2**2001)]) is None


@pytest.mark.parametrize("ring", [RATIONAL, BALL], ids=str)
def test_matrices_of_a_ring(ring: Any) -> None:
    made = ring.matrix(2, 3, [ring.scalar(v) for v in range(6)])
    assert [[int(float(v.mid()) if ring is BALL else v) for v in row] for row in made.table()] == [[0, 1, 2], [3, 4, 5]]
    assert all(v == 0 for row in ring.zeros(2, 3).table() for v in row)
    assert (ring.zeros(2, 3).nrows(), ring.zeros(2, 3).ncols()) == (2, 3)
    assert [[int(v == 1) for v in row] for row in ring.identity(2).table()] == [[1, 0], [0, 1]]
    assert all(v in (0, 1) for row in ring.identity(3).table() for v in row)
    assert repr(ring) in ("RATIONAL", "BALL")
