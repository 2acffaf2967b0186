"""Exact parsing of a user's numbers: digits, fractions, sqrt, exp, log, pi, E and arithmetic.

A short text can represent a huge number (``9**9**9``, ``exp(exp(99))``), so the size of every part is estimated before
its evaluation: no rational has more than ``MAX_DIGITS`` digits, and no irrational part exceeds 10^MAX_DIGITS or is too
close to 0 to decide its sign. A rejected text raises a ValueError with the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from flint import arb, ctx, fmpq

from fltheory.number import rational

MAX_DIGITS = 4000  # Python prints no integer of more than 4300
MAX_TEXT_LENGTH = 10_000  # characters of a text
DEPTH = 50  # largest nesting of parentheses and powers
MAX_IRRATIONAL_PARTS = 200  # SymPy is slow for each of them
ROOT_DIGITS = 300  # digits of a radicand, in which SymPy searches for powers
MAX_ROOT_DEGREE = 1000
_BITS, _ROOT_BITS = 13_300, 1_000  # bits of numbers with so many digits
_PRECISION = 128  # bits of the balls that estimate an irrational part
_TOKENS = re.compile(r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?!\w)|([A-Za-z]+)|(\*\*|[-+*/(),]))", re.ASCII)
_PLAIN_PATTERN = re.compile(r"(-?\d+)(?:/0*([1-9]\d*))?", re.ASCII)  # needs no size estimate
_DATUM = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+/\d+)", re.ASCII)  # a number in a table
_PADDED_PATTERN = re.compile(r"0\d+", re.ASCII)  # 01: a part of a date or of a label, not a number
_LONG = f"a number of more than {MAX_DIGITS} digits"

Value = Any  # Fraction | closed real sympy.Expr


def read_number(text: str) -> Value:
    """Parse a text to a Fraction or a closed real SymPy expression; ValueError names the mistake."""
    if len(text) > MAX_TEXT_LENGTH:
        raise ValueError(f"expected a number, got a text of {len(text)} characters")
    plain = _PLAIN_PATTERN.fullmatch(text) if len(text) <= MAX_DIGITS else None
    if plain is not None:
        return Fraction(int(plain[1]), int(plain[2] or 1))
    return _Reader(text).whole()


def read_datum(text: str) -> Fraction:
    """Parse a table entry: digits, a decimal or p/q, without arithmetic.

    For 2020-01-02 is a date and 10-20 a range, not the numbers 2017 and -10. ValueError names the mistake.
    """
    if len(text) > MAX_TEXT_LENGTH or not _DATUM.fullmatch(text.strip()):
        raise ValueError(f"expected a number such as 3, 0.1, 1/3 or 2e-5, got {clip_text(text)!r}")
    return read_number(text.strip())


def clip_text(text: object, width: int = 80) -> str:
    """Format a user's text or number for an error: a long text without its middle, a long rational rounded."""
    if isinstance(text, int | Fraction) and rational.length(Fraction(text)) > 4 * width:
        return arb(fmpq(text.numerator, text.denominator)).str(6, radius=False)
    words = str(text)
    return words if len(words) <= width else f"{words[: width // 2]}...{words[-width // 4 :]}"


class _Reader:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._text, self._tokens = text, list[str]()
        at = 0
        while text[at:].strip():
            match = _TOKENS.match(text, at)
            if match is None:
                raise self._wrong()
            self._tokens.append(match.group().strip())
            at = match.end()
        self._at = self._depth = self._parts = 0

    def _wrong(self) -> ValueError:
        return ValueError(f"expected a number such as 3, 0.1, 1/3 or sqrt(2)/3, got {clip_text(self._text)!r}")

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, *wanted: str) -> str:
        """Consume and return the next token if it is one of these, else None."""
        token = self._next()
        if token not in wanted or not token:
            return ""
        self._at += 1
        return token

    def _expect(self, token: str) -> None:
        if not self._take(token):
            raise self._wrong()

    def _check_size(self, value: Value) -> Value:
        """Return the value, as a Fraction if rational; ValueError if it is complex, too large or too close to 0."""
        if isinstance(value, Fraction):
            if rational.length(value) > _BITS:
                raise ValueError(_LONG)
            return value
        if isinstance(value, sympy.Rational):
            return self._check_size(Fraction(int(value.p), int(value.q)))
        self._parts += 1
        if self._parts > MAX_IRRATIONAL_PARTS:
            raise ValueError(f"a number with more than {MAX_IRRATIONAL_PARTS} irrational parts")
        _sign(value)
        return value

    def whole(self) -> Value:
        value = self._sum()
        if self._next():
            raise self._wrong()
        return value

    def _sum(self) -> Value:
        value = self._product()
        while sign := self._take("+", "-"):
            other = self._product()
            value = self._apply(value, other if sign == "+" else -other, lambda a, b: a + b)
        return value

    def _product(self) -> Value:
        value = self._signed()
        while sign := self._take("*", "/"):
            other = self._signed()
            if sign == "/":
                if other == 0:
                    raise ValueError(f"expected a number, got a division by 0: {clip_text(self._text)!r}")
                other = 1 / other
            value = self._apply(value, other, lambda a, b: a * b)
        return value

    def _apply(self, first: Value, second: Value, function: Callable[[Any, Any], Any]) -> Value:
        if isinstance(first, Fraction) and isinstance(second, Fraction):
            return self._check_size(function(first, second))
        return self._check_size(function(_symbolic(first), _symbolic(second)))

    def _signed(self) -> Value:
        negative = False
        while sign := self._take("+", "-"):
            negative ^= sign == "-"
        value = self._power()
        return -value if negative else value

    def _power(self) -> Value:
        base = self._atom()
        if not self._take("**"):
            return base
        self._enter_level()
        exponent = self._signed()
        self._depth -= 1
        return self._check_size(_checked_power(base, exponent))

    def _enter_level(self) -> None:
        self._depth += 1
        if self._depth > DEPTH:
            raise ValueError(f"more than {DEPTH} parentheses or powers inside each other")

    def _parenthesis(self) -> Value:
        self._expect("(")
        self._enter_level()
        value = self._sum()
        self._depth -= 1
        return value

    def _atom(self) -> Value:
        token = self._next()
        if token[:1].isdigit() or token[:1] == ".":
            self._at += 1
            if _PADDED_PATTERN.fullmatch(token) and len(self._tokens) > 1:
                raise self._wrong()
            return self._check_size(_read_decimal(token))
        if token == "(":
            value = self._parenthesis()
            self._expect(")")
            return value
        self._at += 1
        if token == "pi":
            return sympy.pi
        if token == "E":
            return sympy.E
        if token == "Rational":
            value = self._parenthesis()
            if self._take(","):
                below = self._sum()
                value = self._apply(value, 1 / below, lambda a, b: a * b) if below != 0 else None
            self._expect(")")
            if not isinstance(value, Fraction):
                raise self._wrong()
            return value
        if token in ("sqrt", "exp", "log"):
            value = self._parenthesis()
            self._expect(")")
            return self._check_size(_FUNCTIONS[token](value))
        raise self._wrong()


def _symbolic(value: Value) -> sympy.Expr:
    return sympy.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else value


def _read_decimal(token: str) -> Fraction:
    """Parse a decimal after a check of its digits and its power of ten."""
    mantissa, _, power = token.lower().partition("e")
    digits = sum(c.isdigit() for c in mantissa)
    if digits > MAX_DIGITS or len(power.lstrip("+-0")) > 6 or digits + abs(int(power or 0)) > 2 * MAX_DIGITS:
        raise ValueError(_LONG)
    return Fraction(token)


def _sign(value: Value) -> int:
    """Return -1, 0 or 1; ValueError if an irrational number is too large or too close to 0."""
    if isinstance(value, Fraction):
        return (value > 0) - (value < 0)
    with ctx.workprec(_PRECISION):
        ball = _ball(value)
        if not ball.is_finite() or not abs(ball) < arb(10) ** MAX_DIGITS:
            raise ValueError(f"a part beyond 10^{MAX_DIGITS}")
        if ball.contains(0) or not abs(ball) > arb(10) ** -MAX_DIGITS:
            raise ValueError("a part too close to 0 to decide its sign; write it as a decimal")
        return 1 if ball > 0 else -1


def _ball(value: sympy.Expr) -> arb:
    """Return a ball around a closed expression of the parts that a text can have."""
    if isinstance(value, sympy.Rational):
        return arb(fmpq(int(value.p), int(value.q)))
    if value is sympy.pi:
        return arb.pi()
    if value is sympy.E:
        return arb.const_e()
    parts = [_ball(a) for a in value.args]
    if isinstance(value, sympy.Add):
        return sum(parts, arb(0))
    if isinstance(value, sympy.Mul):
        product = arb(1)
        for part in parts:
            product *= part
        return product
    if isinstance(value, sympy.exp):
        return parts[0].exp()
    if isinstance(value, sympy.log):
        return parts[0].log()
    if isinstance(value, sympy.Pow):
        whole = isinstance(value.exp, sympy.Integer)
        return parts[0] ** (int(value.exp) if whole else parts[1])
    raise ValueError(f"expected a real number, got {clip_text(value)}")


def _checked_power(base: Value, exponent: Value) -> Value:
    """Return base^exponent after a check of its length."""
    if base == 0:
        if _sign(exponent) < 0:
            raise ValueError("expected a number, got a division by 0: a negative power of 0")
        return Fraction(exponent == 0)
    whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        if abs(base) != 1 and rational.length(base) * abs(exponent) > 2 * _BITS:
            raise ValueError(_LONG)
        if whole:
            return rational.rational_power(base, exponent.numerator)
    if isinstance(exponent, Fraction) and exponent.denominator > MAX_ROOT_DEGREE:
        raise ValueError(f"a root of a degree above {MAX_ROOT_DEGREE}")
    if isinstance(base, Fraction) and rational.length(base) > _ROOT_BITS:
        raise ValueError(f"a root of a number with more than {ROOT_DIGITS} digits")
    if not whole and _sign(base) < 0:
        raise ValueError("expected a real number, got a root or power of a negative one")
    with ctx.workprec(_PRECISION):  # before SymPy expands it
        size = abs(_ball(_symbolic(exponent))) * abs(abs(_ball(_symbolic(base))).log())
        if not size < arb(10).log() * MAX_DIGITS:
            raise ValueError(f"a part beyond 10^{MAX_DIGITS} or its inverse")
    if whole and isinstance(base, sympy.Add) and abs(exponent) > MAX_IRRATIONAL_PARTS:
        raise ValueError(f"a power of more than {MAX_IRRATIONAL_PARTS}")
    return _symbolic(base) ** _symbolic(exponent)


def _sqrt(value: Value) -> Value:
    if _sign(value) < 0:
        raise ValueError("expected a real number, got the root of a negative one")
    if isinstance(value, Fraction):
        roots = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if (roots[0] ** 2, roots[1] ** 2) == (value.numerator, value.denominator):
            return Fraction(*roots)
        return _checked_power(value, Fraction(1, 2))
    return sympy.sqrt(value)


def _exp(value: Value) -> Value:
    with ctx.workprec(_PRECISION):
        if not abs(_ball(_symbolic(value))) < arb(10).log() * MAX_DIGITS:
            raise ValueError(f"a part beyond 10^{MAX_DIGITS} or its inverse")
    return sympy.exp(_symbolic(value))


def _log(value: Value) -> Value:
    if _sign(value) <= 0:
        raise ValueError("expected a real number, got the logarithm of one that is not positive")
    return sympy.log(_symbolic(value))


_FUNCTIONS: dict[str, Callable[[Value], Value]] = {"sqrt": _sqrt, "exp": _exp, "log": _log}
