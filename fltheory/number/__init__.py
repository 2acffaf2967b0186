"""Exact numbers and balls: parsing, evaluation and rounding of constants.

A number is an ``int``, a ``Fraction``, a closed real SymPy expression (``sqrt(2)``) or an ``arb`` ball.
Floats and strings given by users are read as the decimal or fraction that they print (0.1 means 1/10).
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat
from sympy import Symbol

from fltheory.number.parsing import read_number
from fltheory.number.rational import LONGEST_POWER, length, rational_nth_root, rational_power
from fltheory.number.signals import Signal
from fltheory.work import spend

Number = Any  # int | Fraction | closed real sympy.Expr | arb
Element = Any  # an element of a ring: fmpq or arb, which have no type hints

# Digits of an integer that Python may print: its default limit 4300 is too low for SymPy, which sorts terms by text.
MAX_PRINTED_DIGITS = 100_000
if (
    0 < sys.get_int_max_str_digits() < MAX_PRINTED_DIGITS and sys.flags.int_max_str_digits < 0
):  # a limit set by the user is kept
    sys.set_int_max_str_digits(MAX_PRINTED_DIGITS)

MAX_PRECISION = 4096
BITS_PER_UNIT = 20_000  # bits of a ball whose evaluation costs one unit of work
RELATIONS = (
    (sympy.Le, operator.le),
    (sympy.Lt, operator.lt),
    (sympy.Ge, operator.ge),
    (sympy.Gt, operator.gt),
    (sympy.Eq, operator.eq),
    (sympy.Ne, operator.ne),
)
LARGEST_ROOT, LONGEST_SYMBOLIC = 2**31, 2_000  # arb's machine integers; bits of the rationals that SymPy works on


def exact(value: object) -> Number:
    """Read a user's number exactly: int, Fraction, "0.1" or "p/q", float (its shortest decimal), SymPy, arb."""
    if type(value) is int:
        return value
    if type(value) is Fraction:
        return _simplest_rational(value)
    if isinstance(value, arb):
        return value
    if isinstance(value, bool):
        raise ValueError(f"expected a number, got {value!r}")
    if isinstance(value, sympy.Basic):
        if isinstance(value, sympy.Rational):
            return _simplest_rational(Fraction(int(value.p), int(value.q)))
        if not (isinstance(value, sympy.Expr) and not value.free_symbols and value.is_real):
            raise ValueError(f"expected a real number, got {value}")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"expected a finite number, got {value}")
        return _simplest_rational(Fraction(repr(float(value))))
    if isinstance(value, np.generic | np.ndarray):
        return exact(value.item())
    if isinstance(value, int | Fraction):
        return _simplest_rational(Fraction(value))
    if isinstance(value, str):
        number = read_number(value)
        return _simplest_rational(number) if isinstance(number, Fraction) else number
    raise ValueError(f"expected a number, got {value!r}")


def _simplest_rational(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def exact_text(value: Number) -> int | str:
    """Return the shortest form that ``exact`` reads back: an int or a string."""
    return value if isinstance(value, int) else str(value)


def symbolic(value: Number) -> sympy.Expr:
    """The number as a SymPy expression."""
    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    return sympy.Integer(value) if isinstance(value, int) else value


def to_ball(value: Number) -> arb:
    """A ball at the working precision that contains the number."""
    if isinstance(value, arb | int):
        return arb(value)
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float, a rounded number: expected an exact one")
    return evaluate_ball(value, {})


def to_float(value: Number) -> float:
    """Return the nearest float (for a ball, of its midpoint). For simulation and plots, not for evidence."""
    if isinstance(value, int | Fraction):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    return float(value.mid()) if isinstance(value, arb) else float(to_ball(value).mid())


def lower_float(ball: arb) -> float:
    """The largest float not above the ball (-inf if it has no finite lower end)."""
    return _directed_rounding(ball.lower(), -1)


def upper_float(ball: arb) -> float:
    """The smallest float not below the ball (+inf if it has no finite upper end)."""
    return _directed_rounding(ball.upper(), 1)


def _directed_rounding(end: arb, direction: int) -> float:
    if not end.is_finite():
        return direction * math.inf
    guess = float(end.mid())
    if math.isinf(guess):  # finite, but beyond the floats
        guess = math.copysign(sys.float_info.max, guess)
    bound = direction * math.inf
    while math.isfinite(guess) and not (arb(guess) >= end if direction > 0 else arb(guess) <= end):
        guess = math.nextafter(guess, bound)
    return guess


def evaluate_to_precision(
    compute: Callable[[], arb], bits: int = 60, start: int = 128, stop: int = MAX_PRECISION
) -> arb:
    """Evaluate ``compute`` at rising precision until its ball is accurate to ``bits`` bits (or exactly zero)."""
    precision = start
    while True:
        spend(precision / BITS_PER_UNIT)
        with ctx.workprec(precision):
            ball = compute()
        if (ball.is_finite() and ball.rel_accuracy_bits() >= bits) or precision >= stop:
            return ball
        precision *= 2


class NotRational(Signal):
    """The expression has no rational value for these constants."""


def evaluate_exact(expr: sympy.Expr, values: Mapping[Symbol, Number]) -> Fraction:
    """The rational value of ``expr``; NotRational where a root, exp or log stays irrational."""
    if isinstance(expr, Symbol):
        value = values[expr]
        if not isinstance(value, int | Fraction):
            raise NotRational
        return Fraction(value)
    if isinstance(expr, sympy.Rational):
        return Fraction(int(expr.p), int(expr.q))
    if isinstance(expr, sympy.Piecewise):
        for branch, condition in expr.args:
            if condition is sympy.true or decide_exact(condition, values):
                return evaluate_exact(branch, values)
        raise NotRational
    if isinstance(expr, sympy.Pow):
        return _exact_power(expr, values)
    if isinstance(expr, sympy.exp) and evaluate_exact(expr.args[0], values) == 0:
        return Fraction(1)
    if isinstance(expr, sympy.log) and evaluate_exact(expr.args[0], values) == 1:
        return Fraction(0)
    if isinstance(expr, sympy.Mul):
        return _product(expr, values)
    if isinstance(expr, sympy.Min | sympy.Max):
        return _extreme(expr, values)
    arguments = [evaluate_exact(a, values) for a in expr.args]
    if isinstance(expr, sympy.Add):
        return sum(arguments, Fraction(0))
    if isinstance(expr, sympy.Abs):
        return abs(arguments[0])
    if isinstance(expr, sympy.floor):
        return Fraction(math.floor(arguments[0]))
    raise NotRational


def _extreme(expr: sympy.Expr, values: Mapping[Symbol, Number]) -> Fraction:
    """Return the smallest or largest argument if it is rational and the irrational ones certainly do not beat it."""
    rational, irrational = list[Fraction](), []
    for argument in expr.args:
        try:
            rational.append(evaluate_exact(argument, values))
        except NotRational:
            irrational.append(argument)
    if not rational:
        raise NotRational
    sign, pick = (1, min) if isinstance(expr, sympy.Min) else (-1, max)
    found = pick(rational)
    if any(not sign * (evaluate_ball(a, values) - to_ball(found)) > 0 for a in irrational):
        raise NotRational
    return found


def _product(expr: sympy.Mul, values: Mapping[Symbol, Number]) -> Fraction:
    """Return the product of the factors, which is 0 if one is exactly 0 and the irrational ones are finite."""
    product, irrational = Fraction(1), []
    for factor in expr.args:
        try:
            product *= evaluate_exact(factor, values)
        except NotRational:
            irrational.append(factor)
    if irrational and (product != 0 or not all(evaluate_ball(f, values).is_finite() for f in irrational)):
        raise NotRational
    return product


def _exact_power(expr: sympy.Pow, values: Mapping[Symbol, Number]) -> Fraction:
    exponent = evaluate_exact(expr.exp, values)
    try:
        base = evaluate_exact(expr.base, values)
    except NotRational:  # such as sqrt(2)**2
        value = _symbolic_power(symbolic_value(expr.base, values), symbolic(exponent))
        if isinstance(value, sympy.Rational):
            return Fraction(int(value.p), int(value.q))
        raise
    below = rational_nth_root(base, exponent.denominator)
    found = None if below is None else rational_power(below, exponent.numerator)
    if found is None:
        raise NotRational
    return found


def symbolic_value(expr: sympy.Expr, values: Mapping[Symbol, Number]) -> sympy.Expr:
    """Return ``expr`` as an exact SymPy number; NotRational if constants are balls or the number becomes too long."""
    if isinstance(expr, Symbol):
        if isinstance(values[expr], arb):
            raise NotRational
        return symbolic(values[expr])
    if isinstance(expr, sympy.Piecewise) and (branch := _branch(expr, values)) is not None:
        return symbolic_value(branch, values)
    parts = [symbolic_value(a, values) for a in expr.args]
    if all(part is given for part, given in zip(parts, expr.args, strict=True)):
        return expr
    if isinstance(expr, sympy.Min | sympy.Max) and (found := _symbolic_extreme(expr, parts)) is not None:
        return found
    if isinstance(expr, sympy.Pow):
        return _symbolic_power(*parts)
    if any(_length(part) > LONGEST_SYMBOLIC for part in parts):
        raise NotRational
    if isinstance(expr, sympy.exp) and abs(evaluate_ball(parts[0], {})) > LONGEST_SYMBOLIC:
        raise NotRational
    try:
        return expr.func(*parts)
    except (TypeError, ValueError) as error:  # SymPy can't compare them
        raise NotRational from error


def _branch(expr: sympy.Piecewise, values: Mapping[Symbol, Number]) -> sympy.Expr | None:
    """Return the branch whose condition holds; None if that is undecided."""
    for branch, condition in expr.args:
        verdict = True if condition is sympy.true else decide(condition, values)
        if verdict is not False:
            return branch if verdict else None
    return None


def _symbolic_extreme(expr: sympy.Expr, parts: list[sympy.Expr]) -> sympy.Expr | None:
    """Return the smallest or largest part; None if balls do not decide. SymPy would compare by many digits."""
    if any(_length(part) > LONGEST_SYMBOLIC for part in parts):
        return None
    sign = 1 if isinstance(expr, sympy.Min) else -1
    with ctx.workprec(128):
        balls = [sign * evaluate_ball(part, {}) for part in parts]
    for part, ball in zip(parts, balls, strict=True):
        if all(other is ball or ball < other for other in balls):
            return part
    return None


def _symbolic_power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    """Return a power in SymPy only if it is short, because SymPy expands powers and searches for perfect ones."""
    bits = _length(base)
    whole = isinstance(exponent, sympy.Integer)
    if not abs(evaluate_ball(exponent, {})) * bits < LONGEST_POWER or (bits > LONGEST_SYMBOLIC and not whole):
        raise NotRational
    try:
        return sympy.Pow(base, exponent)
    except ValueError as error:  # SymPy prints some numbers to see whether they are large
        raise NotRational from error


@lru_cache(maxsize=4096)
def _length(expr: sympy.Basic) -> int:
    return max((length(n) for n in expr.atoms(sympy.Rational)), default=1)


def evaluate_ball(expr: sympy.Expr, values: Mapping[Symbol, Number]) -> arb:
    """A ball at the working precision that contains the value of ``expr``."""
    if isinstance(expr, Symbol):
        return to_ball(values[expr])
    if isinstance(expr, sympy.Rational):
        return arb(fmpq(int(expr.p), int(expr.q)))
    if expr is sympy.pi:
        return arb.pi()
    if expr is sympy.E:
        return arb.const_e()
    if expr is sympy.oo:
        return arb.pos_inf()
    if expr is sympy.S.NegativeInfinity:
        return arb.neg_inf()
    if isinstance(expr, sympy.Piecewise):
        return _piecewise(expr, values)
    if isinstance(expr, sympy.Pow):
        return _ball_power(evaluate_ball(expr.base, values), expr.exp, values)
    arguments = [evaluate_ball(a, values) for a in expr.args]
    if isinstance(expr, sympy.Add):
        return sum(arguments, arb(0))
    if isinstance(expr, sympy.Mul):
        return math.prod(arguments, start=arb(1))
    if isinstance(expr, sympy.Max):
        result = arguments[0]
        for other in arguments[1:]:
            result = result.max(other)
        return result
    if isinstance(expr, sympy.Min):
        result = arguments[0]
        for other in arguments[1:]:
            result = result.min(other)
        return result
    if isinstance(expr, sympy.binomial):
        return _binomial(*arguments)
    functions: dict[type, Callable[[arb], arb]] = {
        sympy.exp: lambda x: arb(0) if x == arb.neg_inf() else x.exp(),
        sympy.log: lambda x: arb.neg_inf() if x.is_zero() else x.log(),
        sympy.Abs: abs,
        sympy.floor: lambda x: x.floor(),
        sympy.cos: lambda x: x.cos(),
        sympy.sin: lambda x: x.sin(),
    }
    for kind, function in functions.items():
        if isinstance(expr, kind):
            return function(arguments[0])
    raise TypeError(f"no ball arithmetic for {type(expr).__name__} in {expr}")


def _binomial(size: arb, part: arb) -> arb:
    """Return C(n, k) for integers; ValueError for other numbers."""
    n, k = size.unique_fmpz(), part.unique_fmpz()
    if n is None or k is None or n < 0 or k < 0:
        raise ValueError(f"binomial({size}, {part}) needs integers from 0 on")
    return arb(math.comb(int(n), int(k)))


def _ball_power(base: arb, exponent: sympy.Expr, values: Mapping[Symbol, Number]) -> arb:
    if isinstance(exponent, sympy.Integer):
        return _integer_power(base, int(exponent))
    if isinstance(exponent, sympy.Rational):
        if base.is_zero() and exponent > 0:
            return arb(0)
        if base < 0:
            return arb.nan()
        if exponent.q > LARGEST_ROOT:
            return base ** arb(fmpq(int(exponent.p), int(exponent.q)))
        rooted = base.nonnegative_part().sqrt() if exponent.q == 2 else base.root(int(exponent.q))
        return rooted ** int(exponent.p)
    by = evaluate_ball(exponent, values)
    integer = by.unique_fmpz()
    return _integer_power(base, int(integer)) if integer is not None and by.is_exact() else base**by


def _integer_power(base: arb, exponent: int) -> arb:
    """Return base^exponent by products, because arb's own power is NaN for a ball around 0."""
    if not base.contains(0) or base.is_exact() or abs(exponent) > 64:
        return base**exponent
    result = math.prod([base] * abs(exponent), start=arb(1))
    return result if exponent >= 0 else 1 / result


def _piecewise(expr: sympy.Piecewise, values: Mapping[Symbol, Number]) -> arb:
    possible: list[arb] = []
    for branch, condition in expr.args:
        verdict = True if condition is sympy.true else decide(condition, values)
        if verdict is not False:
            possible.append(evaluate_ball(branch, values))
        if verdict is True:
            break
    result = possible[0]
    for other in possible[1:]:
        result = result.union(other)
    return result


def decide_exact(relation: sympy.core.relational.Relational, values: Mapping[Symbol, Number]) -> bool:
    """Return the truth of a relation between rational values; NotRational if a side is irrational."""
    left, right = evaluate_exact(relation.lhs, values), evaluate_exact(relation.rhs, values)
    for kind, holds in RELATIONS:
        if isinstance(relation, kind):
            return bool(holds(left, right))
    raise NotRational


def decide(relation: sympy.core.relational.Relational, values: Mapping[Symbol, Number]) -> bool | None:
    """Return the truth of a relation for these constants, exactly if rational, else by balls; None if undecided."""
    try:
        return decide_exact(relation, values)
    except NotRational:
        pass
    precision = 128
    while precision <= 1024:
        with ctx.workprec(precision):
            gap = evaluate_ball(relation.lhs, values) - evaluate_ball(relation.rhs, values)
            if gap > 0:
                return isinstance(relation, sympy.Gt | sympy.Ge | sympy.Ne)
            if gap < 0:
                return isinstance(relation, sympy.Lt | sympy.Le | sympy.Ne)
        precision *= 2
    try:
        equal = symbolic_value(relation.lhs - relation.rhs, values).equals(0)
    except NotRational:
        return None
    return isinstance(relation, sympy.Le | sympy.Ge | sympy.Eq) if equal else None


class Ring:
    """Exact scalars and matrices of one kind, so that one formula serves rationals and balls."""

    def __init__(self, name: str, scalar: Callable[[Number], Any], matrix: type) -> None:
        self.name, self.scalar, self._matrix = name, scalar, matrix

    def __repr__(self) -> str:
        return self.name

    def matrix(self, rows: int, columns: int, entries: list[Any]) -> Any:
        """A matrix from its entries, row by row."""
        return self._matrix(rows, columns, entries)

    def zeros(self, rows: int, columns: int) -> Any:
        """The zero matrix."""
        return self._matrix(rows, columns, [0] * (rows * columns))

    def identity(self, size: int) -> Any:
        """The identity matrix."""
        return self._matrix(size, size, [int(i == j) for i in range(size) for j in range(size)])


def _to_rational(value: Number) -> fmpq:
    if isinstance(value, int | Fraction):
        return fmpq(value.numerator, value.denominator)
    if isinstance(value, fmpq):
        return value
    raise NotRational


RATIONAL = Ring("RATIONAL", _to_rational, fmpq_mat)
BALL = Ring("BALL", to_ball, arb_mat)


def as_number(value: object) -> Number:
    """A ring element as a number: fmpq becomes int or Fraction."""
    return _simplest_rational(Fraction(int(value.p), int(value.q))) if isinstance(value, fmpq) else value
