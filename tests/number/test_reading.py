"""Texts at the edges of what is read: digits, sizes, degrees, depths and signs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb
from sympy import exp, log, sqrt

from fltheory.number import parsing
from fltheory.number.elementwise import (
    BALL_FUNCTIONS,
    LARGEST_POWER,
    ball_power,
    floor_of,
    format_values,
    nearest_of,
    rational_root,
)
from fltheory.number.parsing import clip_text, read_datum, read_number

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-12/30", Fraction(-2, 5)),
        ("12/03", 4),
        ("2-3*4", -10),
        ("2-3-4", -5),
        ("24/3/4", 2),
        ("2*3/4*2", 3),
        ("--2", 2),
        ("-+-2", 2),
        ("-2**2", -4),
        ("2**-1", HALF),
        ("2**3**2", 512),
        ("2**-(1+1)", Fraction(1, 4)),
        ("(1+2)*3", 9),
        (".5", HALF),
        ("5.", 5),
        ("1.5e2", 150),
        ("1.5E-1", Fraction(3, 20)),
        ("007", 7),
        ("0.5-0.25", Fraction(1, 4)),
        ("Rational(3)", 3),
        ("Rational(1+1, 4)", HALF),
        ("Rational(-1, 3)", Fraction(-1, 3)),
        ("sqrt(4/9)", Fraction(2, 3)),
        ("sqrt(0)", 0),
        ("sqrt(2)", sqrt(2)),
        ("sqrt(4/3)", 2 * sqrt(3) / 3),
        ("sqrt(pi)", sqrt(sympy.pi)),
        ("sqrt(2)/sqrt(2)", 1),
        ("1/sqrt(2)", sqrt(2) / 2),
        ("sqrt(2)-1", sqrt(2) - 1),
        ("1-sqrt(2)", 1 - sqrt(2)),
        ("-sqrt(2)", -sqrt(2)),
        ("exp(1)", sympy.E),
        ("exp(-1/2)", exp(sympy.Rational(-1, 2))),
        ("log(1)", 0),
        ("log(1/2)", log(sympy.Rational(1, 2))),
        ("log(exp(2))", 2),
        ("pi*E", sympy.pi * sympy.E),
        ("0**1", 0),
        ("0**(1/2)", 0),
        ("(-2)**3", -8),
        ("(-1)**(-3)", -1),
        ("(1+sqrt(2))**2", (1 + sqrt(2)) ** 2),
        ("(1+sqrt(2))**-2", (1 + sqrt(2)) ** -2),
        ("2**(1/1000)", sympy.Integer(2) ** sympy.Rational(1, 1000)),
        ("4**(3/2)", 8),
        ("(sqrt(2)-2)**3", (sqrt(2) - 2) ** 3),
        ("1e3999", Fraction(10**3999)),
        ("1e-3999", Fraction(1, 10**3999)),
        ("exp(9000)", exp(9000)),
        ("exp(-9000)", exp(-9000)),
    ],
)
def test_texts_that_are_read(text: str, value: Any) -> None:
    found = read_number(text)
    assert found == value
    assert type(found) is Fraction or not sympy.sympify(value).is_Rational


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected a number"),
        ("1 2", "expected a number"),
        ("(1", "expected a number"),
        ("1)", "expected a number"),
        ("+", "expected a number"),
        ("1+", "expected a number"),
        ("2**", "expected a number"),
        ("sqrt 2", "expected a number"),
        ("sqrt()", "expected a number"),
        ("sqrt(2", "expected a number"),
        ("exp(2", "expected a number"),
        ("sqrt(1, 2)", "expected a number"),
        ("Rational(1, 2", "expected a number"),
        ("Rational(1, 0)", "expected a number"),
        ("Rational(sqrt(2), 2)", "expected a number"),
        ("Rational(pi)", "expected a number"),
        ("Rational(1, 2, 3)", "expected a number"),
        ("foo", "expected a number"),
        ("2x", "expected a number"),
        ("1+01", "expected a number"),
        ("1/0", "expected a number|division by 0"),
        ("1/(sqrt(2)-sqrt(2))", "division by 0"),
        ("0**-1", "a negative power of 0"),
        ("0**(-1/2)", "a negative power of 0"),
        ("0**(1-sqrt(2))", "a negative power of 0"),
        ("(-1)**(1/2)", "a root or power of a negative one"),
        ("(-2)**sqrt(2)", "a root or power of a negative one"),
        ("(1-sqrt(2))**(1/3)", "a root or power of a negative one"),
        ("sqrt(1-sqrt(2))", "the root of a negative one"),
        ("log(0)", "the logarithm of one that is not positive"),
        ("log(-1)", "the logarithm of one that is not positive"),
        ("log(1-sqrt(2))", "the logarithm of one that is not positive"),
        ("exp(9300)", "beyond 10\\^4000 or its inverse"),
        ("exp(-9300)", "beyond 10\\^4000 or its inverse"),
        ("exp(9000)*exp(9000)", "beyond 10\\^4000"),
        ("pi**9000", "beyond 10\\^4000"),
        ("2**(1/1001)", "a root of a degree above 1000"),
        ("sqrt(2)**(1/1001)", "a root of a degree above 1000"),
        ("(1+sqrt(2))**201", "a power of more than 200"),
        ("(1+sqrt(2))**-201", "a power of more than 200"),
        ("10**4000*10**10", "4000 digits"),
        ("1/10**4000/10**10", "4000 digits"),
        ("2**20000*2**20000", "4000 digits"),
        ("3**sqrt(10**9)", "4000 digits|beyond"),
    ],
)
def test_texts_that_are_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_number(text)


@pytest.mark.parametrize(("n", "read"), [(3999, True), (4000, True), (4001, False)])
def test_digits_of_a_number(n: int, read: bool) -> None:
    for text in ("9" * n, "0." + "9" * (n - 1), "9" * n + "+0"):
        if read:
            assert read_number(text) == sympy.Rational(text.removesuffix("+0"))
        else:
            with pytest.raises(ValueError, match="4000 digits"):
                read_number(text)


@pytest.mark.parametrize(
    ("token", "read"),
    [
        ("1e7999", True),
        ("1e8000", False),
        ("1e-7999", True),
        ("1e-8000", False),
        ("12e7998", True),
        ("12e7999", False),
        ("1e0000001", True),
        ("1e999999", False),
        ("1e1000000", False),
    ],
)
def test_digits_and_powers_of_ten_together(token: str, read: bool) -> None:
    if read:
        assert parsing._read_decimal(token) == Fraction(token)
    else:
        with pytest.raises(ValueError, match="4000 digits"):
            parsing._read_decimal(token)


@pytest.mark.parametrize(("bits", "read"), [(13_300, True), (13_301, False)])
def test_bits_of_a_rational(bits: int, read: bool) -> None:
    for value in (Fraction(2 ** (bits - 1)), Fraction(1, 2 ** (bits - 1))):
        reader = parsing._Reader("1")
        if read:
            assert reader._check_size(value) == value
        else:
            with pytest.raises(ValueError, match="4000 digits"):
                reader._check_size(value)


@pytest.mark.parametrize(("bits", "read"), [(1000, True), (1001, False)])
def test_bits_of_a_radicand(bits: int, read: bool) -> None:
    base = Fraction(2 ** (bits - 1))
    if read:
        assert parsing._checked_power(base, Fraction(1, 3)).is_real
    else:
        with pytest.raises(ValueError, match="300 digits"):
            parsing._checked_power(base, Fraction(1, 3))


@pytest.mark.parametrize(("exponent", "read"), [(13_300, True), (13_301, False), (-13_300, True), (-13_301, False)])
def test_bits_of_a_power(exponent: int, read: bool) -> None:
    """Of a base of two bits."""
    if read:
        assert parsing._checked_power(Fraction(3), Fraction(exponent)) == Fraction(3) ** exponent
    else:
        with pytest.raises(ValueError, match="4000 digits"):
            parsing._checked_power(Fraction(3), Fraction(exponent))
    assert parsing._checked_power(Fraction(-1), Fraction(exponent)) == (-1) ** exponent


@pytest.mark.parametrize(("n", "read"), [(199, True), (200, True), (201, False)])
def test_irrational_parts(n: int, read: bool) -> None:
    reader = parsing._Reader("1")
    for _ in range(min(n, 200)):
        reader._check_size(sqrt(2))
    if not read:
        with pytest.raises(ValueError, match="more than 200 irrational parts"):
            reader._check_size(sqrt(2))


@pytest.mark.parametrize(("n", "read"), [(50, True), (51, False)])
def test_depths(n: int, read: bool) -> None:
    for text in ("(" * n + "1" + ")" * n, "1" + "**1" * n, "sqrt(" * n + "1" + ")" * n):
        if read:
            assert read_number(text) == 1
        else:
            with pytest.raises(ValueError, match="more than 50 parentheses or powers"):
                read_number(text)
    assert read_number("+".join(["(1)"] * 60)) == 60
    assert read_number("*".join(["1**1"] * 60)) == 1


@pytest.mark.parametrize(("n", "read"), [(9_999, True), (10_000, True), (10_001, False)])
def test_characters_of_a_text(n: int, read: bool) -> None:
    text = "1" + " " * (n - 1)
    if read:
        assert read_number(text) == 1
        assert read_datum(text) == 1
    else:
        with pytest.raises(ValueError, match=f"a text of {n} characters"):
            read_number(text)
        with pytest.raises(ValueError, match=r"expected a number such as 3, 0\.1"):
            read_datum(text)


@pytest.mark.parametrize(
    ("value", "sign"),
    [
        (Fraction(-1, 3), -1),
        (Fraction(0), 0),
        (HALF, 1),
        (sqrt(2), 1),
        (-sqrt(2), -1),
        (1 - sqrt(2), -1),
        (exp(-9000), 1),
        (-exp(-9000), -1),
        (exp(9000), 1),
    ],
)
def test_the_sign_of_a_number(value: Any, sign: int) -> None:
    assert parsing._sign(value) == sign


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (exp(9300), "beyond 10"),
        (-exp(9300), "beyond 10"),
        (exp(-9300), "too close to 0"),
        (-exp(-9300), "too close to 0"),
        (sqrt(6) - sqrt(2) * sqrt(3) + 0 * sqrt(5), "too close to 0"),
    ],
)
def test_numbers_without_a_sign(value: Any, words: str) -> None:
    if value == 0:
        value = sympy.Add(sqrt(6), sympy.Mul(-1, sqrt(2), sqrt(3), evaluate=False), evaluate=False)
    with pytest.raises(ValueError, match=words):
        parsing._sign(value)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (sympy.Rational(1, 3), 1 / 3),
        (sympy.pi, math.pi),
        (sympy.E, math.e),
        (1 + sympy.pi, 1 + math.pi),
        (2 * sympy.pi, 2 * math.pi),
        (exp(sqrt(2)), math.exp(math.sqrt(2))),
        (log(sympy.pi), math.log(math.pi)),
        (sympy.pi**3, math.pi**3),
        (sympy.pi ** sqrt(2), math.pi ** math.sqrt(2)),
        (sympy.pi ** sympy.Rational(1, 3), math.pi ** (1 / 3)),
    ],
)
def test_the_ball_of_a_part(value: Any, number: float) -> None:
    assert float(parsing._ball(value).mid()) == pytest.approx(number, rel=1e-14)


def test_what_is_no_part_of_a_text() -> None:
    with pytest.raises(ValueError, match="expected a real number, got sin"):
        parsing._ball(sympy.sin(1))


def test_long_texts_and_numbers_are_clipped() -> None:
    assert clip_text("x" * 80) == "x" * 80
    assert clip_text("a" * 41 + "b" * 40) == "a" * 40 + "..." + "b" * 20
    assert clip_text("abcdefgh", 8) == "abcdefgh"
    assert clip_text("abcdefghi", 8) == "abcd...hi"
    assert clip_text(Fraction(1, 3)) == "1/3"
    assert clip_text(2**319) == clip_text(str(2**319))
    assert clip_text(2**320) == "2.13599e+96"
    assert clip_text(Fraction(1, 2**320)).endswith("e-97")


@pytest.mark.parametrize(
    ("text", "value"),
    [(" 3 ", 3), ("+0.5", HALF), ("-1/3", Fraction(-1, 3)), ("2e-5", Fraction(2, 10**5)), (".5", HALF)],
)
def test_entries(text: str, value: Any) -> None:
    assert read_datum(text) == value


# Functions ---------------------------------------------------------------------------------------------------------------


def test_cube_roots_of_balls() -> None:
    cbrt = BALL_FUNCTIONS["cbrt"].value
    assert cbrt(arb(8)).overlaps(arb(2))
    assert cbrt(arb(-8)).overlaps(arb(-2))
    assert cbrt(arb(0)) == 0
    for ball, ends in ((arb(0, 8), (-2, 2)), (arb(4, 4), (0, 2)), (arb(-4, 4), (-2, 0))):
        found = cbrt(ball)
        assert (float(found.lower()), float(found.upper())) == pytest.approx(ends, abs=1e-2)
        assert found.contains(0)
    assert not cbrt(arb("nan")).is_finite()
    assert not cbrt(arb(0, math.inf)).is_finite()


@pytest.mark.parametrize("power", [0, 1, 2, 3, 63, 64, 65, -1, -2])
@pytest.mark.parametrize("ball", [arb(2), arb(-2), arb(0, 0.5), arb(2, 0.5)], ids=str)
def test_whole_powers_of_balls(power: int, ball: arb) -> None:
    found = ball_power(ball, arb(power))
    if ball.contains(0) and (power < 0 or power > LARGEST_POWER):
        assert not found.is_finite() or found.contains(0)
        return
    for point in (ball.lower(), ball.mid(), ball.upper()):
        assert found.overlaps(point**power)
    if ball.contains(0) and power:
        assert float(found.upper()) <= 0.5**power * (1 + 1e-6)
        assert power % 2 or float(found.lower()) >= -(0.5**power) * (1 + 1e-6)


def test_powers_of_zero() -> None:
    assert ball_power(arb(0), arb(0.5)) == 0
    assert ball_power(arb(0), arb(3)) == 0
    assert ball_power(arb(0), arb(0)) == 1
    assert not ball_power(arb(0), arb(-1)).is_finite()
    assert ball_power(arb(4), arb(0.5)).overlaps(arb(2))
    assert not ball_power(arb(0, 1), arb(2, 0.5)).is_finite() or ball_power(arb(0, 1), arb(2, 0.5)).contains(0)


def test_rational_roots_of_either_sign() -> None:
    from flint import fmpq

    assert rational_root(fmpq(-8, 27), 3) == fmpq(-2, 3)
    assert rational_root(fmpq(8, 27), 3) == fmpq(2, 3)
    assert rational_root(fmpq(0), 3) == 0
    assert rational_root(fmpq(2), 2) is None


@pytest.mark.parametrize(
    ("value", "floor", "nearest"),
    [
        (0.5, 0, 0),
        (1.5, 1, 2),
        (2.5, 2, 2),
        (-0.5, -1, 0),
        (-1.5, -2, -2),
        (1.25, 1, 1),
        (1.75, 1, 2),
        (-1.25, -2, -1),
        (3.0, 3, 3),
    ],
)
def test_whole_numbers_beside_a_ball(value: float, floor: int, nearest: int) -> None:
    assert floor_of(arb(value)) == math.floor(value) == floor
    assert nearest_of(arb(value)) == round(value) == nearest
    assert floor_of(arb(value + 0.125, 0.0625)) == math.floor(value)
    assert floor_of(arb(round(value), 0.25)) is None
    assert nearest_of(arb(round(value), 0.25)) == round(value)
    assert nearest_of(arb(math.floor(value) + 0.5, 0.25)) is None


def test_arctangents_of_two_and_lengths() -> None:
    arctan2, hypot = BALL_FUNCTIONS["arctan2"].value, BALL_FUNCTIONS["hypot"].value
    for a, b in ((1, 2), (1, -2), (-1, 2), (-1, -2), (0, 2), (1, 0), (-1, 0)):
        assert arctan2(arb(a), arb(b)).overlaps(arb(math.atan2(a, b)) + arb(0, 1e-15))
        assert hypot(arb(a), arb(b)).overlaps(arb(math.hypot(a, b)) + arb(0, 1e-15))
    for a, b in ((0, -1), (0, 0)):
        assert not arctan2(arb(a), arb(b)).is_finite()
    assert hypot(arb(0, 1), arb(0)).is_finite()
    assert format_values(arb(2), Fraction(1, 3), arb(0.5)) == "2.0, 1/3, 0.5"
    assert np.isfinite(float(hypot(arb(0), arb(0)).mid()))
