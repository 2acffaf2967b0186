"""Points, quantities and conditions of a performance estimation problem: linear forms over unknown vectors.

Points are added, and multiplied by rational numbers; ``x @ y`` is an inner product, ``x**2`` a squared norm. Quantities are
sums of inner products, unknown values and numbers; comparing two of them gives a condition.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

import sympy
from flint import fmpq

from fltheory.number import RATIONAL, NotRational, exact
from fltheory.worst_case.gram import ONE, Expression, Vector, combine_expressions, constant, linear_combination, product

LONGEST, DECIMALS, SMALL = 10**5, 12, 1e-4  # of a fraction's denominator; of other floats; below which digits count


def rational(number: object) -> fmpq:
    """Return a number exactly. ValueError if it is irrational or not finite.

    A float is a short fraction where one is within four units of its last place: 1 / 3 is a third, 0.1 a tenth. Others are
    rounded to twelve decimals, so that a and 1 - a add up to 1, or to twelve digits if they are small.
    """
    if isinstance(number, fmpq):
        return number
    if isinstance(number, float) and math.isfinite(number):
        near = _fraction_near(float(number))
        return fmpq(near.numerator, near.denominator)
    try:
        return RATIONAL.scalar(exact(number))
    except NotRational:
        raise ValueError(f"{number} is irrational: give a rational near it, such as float({number})") from None


def _fraction_near(number: float) -> Fraction:
    short = Fraction(number).limit_denominator(LONGEST)
    if abs(short - Fraction(number)) <= 4 * Fraction(math.ulp(number)):
        return short
    digits = DECIMALS if abs(number) >= SMALL else DECIMALS - math.floor(math.log10(abs(number)))
    return Fraction(round(Fraction(number) * 10**digits), 10**digits)


def is_number(value: object) -> bool:
    """Return whether a value is read as a number."""
    return isinstance(value, Real | str | sympy.Expr | fmpq) and not isinstance(value, bool)


@dataclass(frozen=True, eq=False)
class Point:
    """A vector of a problem, of any dimension. ``problem`` is that which made it."""

    problem: object
    vector: Vector
    __array_ufunc__ = None  # NumPy's numbers leave products with points to this class

    def __add__(self, other: Point) -> Point:
        return _combined((ONE, self), (ONE, other))

    def __radd__(self, other: object) -> Point:
        return self if other == 0 else NotImplemented

    def __sub__(self, other: Point) -> Point:
        return _combined((ONE, self), (-ONE, other))

    def __neg__(self) -> Point:
        return _combined((-ONE, self))

    def __mul__(self, factor: object) -> Point:
        if isinstance(factor, Point):
            raise TypeError("the product of two points is written x @ y")
        return _combined((rational(factor), self)) if is_number(factor) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, divisor: object) -> Point:
        return self * (1 / rational(divisor))

    def __matmul__(self, other: Point) -> Quantity:
        _require_same(self, other)
        return Quantity(self.problem, product(self.vector, other.vector))

    def __pow__(self, power: int) -> Quantity:
        if power != 2:
            raise ValueError(f"of a point only x**2, its squared norm, is defined; got x**{power}")
        return self @ self

    def __repr__(self) -> str:
        return "Point(" + " + ".join(f"{c}*v{i}" for i, c in self.vector) + ")"


def _combined(*parts: tuple[fmpq, Any]) -> Point:
    first = parts[0][1]
    for _, part in parts:
        if not isinstance(part, Point):
            raise TypeError(f"a point is added to points alone, got {part!r}")
        _require_same(first, part)
    return Point(first.problem, linear_combination(*((c, part.vector) for c, part in parts)))


def _require_same(one: Point | Quantity, other: Point | Quantity) -> None:
    if not isinstance(other, Point | Quantity):
        raise TypeError(f"expected a point of the problem, got {other!r}")
    if one.problem is not other.problem:
        raise ValueError("the two belong to different problems: declare all of them with one Problem()")


@dataclass(frozen=True, eq=False)
class Quantity:
    """A number that depends on the problem's unknowns: inner products, values of functions, and constants."""

    problem: object
    expression: Expression
    __array_ufunc__ = None

    def __add__(self, other: object) -> Quantity:
        return self._with(ONE, other)

    __radd__ = __add__

    def __sub__(self, other: object) -> Quantity:
        return self._with(-ONE, other)

    def __rsub__(self, other: object) -> Quantity:
        return -self + other

    def __neg__(self) -> Quantity:
        return self * -1

    def __mul__(self, factor: object) -> Quantity:
        return Quantity(self.problem, self.expression.times(rational(factor))) if is_number(factor) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, divisor: object) -> Quantity:
        return self * (1 / rational(divisor))

    def _with(self, weight: fmpq, other: object) -> Quantity:
        if isinstance(other, Quantity):
            _require_same(self, other)
            added = other.expression
        elif is_number(other):
            added = constant(rational(other))
        else:
            raise TypeError(f"a quantity is added to quantities and numbers, got {other!r}")
        return Quantity(self.problem, combine_expressions((ONE, self.expression), (weight, added)))

    def __le__(self, other: object) -> Condition:
        return Condition(self.problem, (self - other).expression)

    def __ge__(self, other: object) -> Condition:
        return Condition(self.problem, (-(self - other)).expression)

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return Condition(self.problem, (self - other).expression, equation=True)

    def __lt__(self, other: object) -> Condition:
        raise TypeError("conditions are closed: write <= in the place of <")

    def __gt__(self, other: object) -> Condition:
        raise TypeError("conditions are closed: write >= in the place of >")

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Condition:
    """The condition that an expression is at most 0, or 0 if it is an equation."""

    problem: object
    expression: Expression
    equation: bool = False

    def __bool__(self) -> bool:
        raise TypeError("a condition is not true or false by itself: state it with problem.require(...)")
