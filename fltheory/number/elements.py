"""Exact numbers for a user's step, which mix with floats, numpy numbers and fractions, read as printed.

Operations that need floats (``float(x)``, ``math.sqrt``) raise a signal, and comparisons are decided exactly. Built-in
steps run on plain rationals.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from flint import arb, fmpq
from numpy.typing import ArrayLike

from fltheory.number import BALL, RATIONAL, NotRational, exact
from fltheory.number.elementwise import (
    BALL_FUNCTIONS,
    EXACT_FUNCTIONS,
    LARGEST_ROOT,
    ball_power,
    floor_of,
    format_values,
    nearest_of,
    rational_root,
)
from fltheory.number.signals import Signal, call_with_signals, hide_handled_signals


class NotExact(Signal):
    """A step applies an operation to an exact number that only floats support."""


class NoAttribute(NotExact, AttributeError):
    """An element lacks an attribute or a method, which numpy looks up on arrays of objects (``np.sqrt``)."""


def missing_attribute(name: str) -> AttributeError:
    """Return the error for a missing attribute; for names with an underscore (``__array__``) it is not a signal."""
    return AttributeError(name) if name.startswith("_") else NoAttribute("has no value on exact numbers")


class Undecided(NotExact):
    """Balls overlap in a comparison, or a ball is too wide; more precision may help."""


def _require_inside(name: str, *balls: arb) -> None:
    """Raise a signal for arguments that are certainly outside a function's domain."""
    if BALL_FUNCTIONS[name].outside(*balls):
        raise NotExact(f"needs {BALL_FUNCTIONS[name].domain}, not {format_values(*balls)}")


def _require_finite(found: arb) -> arb:
    """Return a finite value, or request more precision."""
    if not found.is_finite():
        raise Undecided("takes a function of a ball that may leave its domain")
    return found


def _reverse_subtract(a: Any, b: Any) -> Any:
    return b - a


def _reverse_divide(a: Any, b: Any) -> Any:
    return b / a


class Element:
    """A ring number for a user's arithmetic; the other operand is read as printed."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return str(self.value)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Provide a function as a method, as numpy needs it: ``np.log1p`` calls ``log1p`` of the elements."""
        if name not in BALL_FUNCTIONS:
            raise missing_attribute(name)

        def taken(*others: object) -> Any:
            values = [self.value, *map(self._read, others)]
            return (
                NotImplemented
                if any(v is None for v in values)
                else self._of(name, others, self._apply_named(name, values))
            )

        return taken

    def _of(self, name: str, others: tuple[object, ...], value: Any) -> Self:
        """Apply a function to it and others, and return such a number."""
        return type(self)(value)

    def _apply_named(self, name: str, values: list[Any]) -> Any:
        """A function of numbers of the ring."""
        raise NotImplementedError

    def _read(self, other: object) -> Any:
        """Convert the other operand to the ring; None if it is not a number."""
        raise NotImplementedError

    def _sign_against(self, other: object) -> int | None:
        """Return the sign of self - other; None if other is not a number."""
        raise NotImplementedError

    def _combine(self, other: object, how: Callable[[Any, Any], Any]) -> Any:
        value = self._read(other)
        return NotImplemented if value is None else type(self)(how(self.value, value))

    def __neg__(self) -> Self:
        return type(self)(-self.value)

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Self:
        return type(self)(abs(self.value))

    def conjugate(self) -> Self:
        """Return the number itself, for the norms of numpy."""
        return self

    def fabs(self) -> Self:
        """Implement ``np.fabs``."""
        return self.__abs__()

    def __float__(self) -> float:
        raise NotExact("converts an exact number to a float")

    def __add__(self, other: object) -> Any:
        return self._combine(other, operator.add)

    __radd__ = __add__

    def __mul__(self, other: object) -> Any:
        return self._combine(other, operator.mul)

    __rmul__ = __mul__

    def __sub__(self, other: object) -> Any:
        return self._combine(other, operator.sub)

    def __rsub__(self, other: object) -> Any:
        return self._combine(other, _reverse_subtract)

    def __truediv__(self, other: object) -> Any:
        return self._combine(other, operator.truediv)

    def __rtruediv__(self, other: object) -> Any:
        return self._combine(other, _reverse_divide)

    def __bool__(self) -> bool:
        return self._sign_against(0) != 0

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> Any:
        sign = self._sign_against(other)
        return NotImplemented if sign is None else sign == 0

    def __ne__(self, other: object) -> Any:
        sign = self._sign_against(other)
        return NotImplemented if sign is None else sign != 0

    def __lt__(self, other: object) -> Any:
        sign = self._sign_against(other)
        return NotImplemented if sign is None else sign < 0

    def __le__(self, other: object) -> Any:
        sign = self._sign_against(other)
        return NotImplemented if sign is None else sign <= 0

    def __gt__(self, other: object) -> Any:
        sign = self._sign_against(other)
        return NotImplemented if sign is None else sign > 0

    def __ge__(self, other: object) -> Any:
        sign = self._sign_against(other)
        return NotImplemented if sign is None else sign >= 0


class Rounding(Element):
    """A number that supports floor, rounding and remainders."""

    __slots__ = ()

    def __floor__(self) -> ExactInt:
        raise NotImplementedError

    def _nearest(self) -> ExactInt:
        """Return the nearest integer, ties to even."""
        raise NotImplementedError

    def rint(self) -> ExactInt:
        """Implement ``np.rint`` and ``np.round``."""
        return self.__round__()

    def fmod(self, other: object) -> Any:
        """Implement ``np.fmod``: the remainder has the sign of the dividend."""
        return self - other * math.trunc(self / other)

    def __round__(self, digits: int = 0) -> Any:
        return self._nearest() if digits == 0 else (self * 10**digits)._nearest() / ExactInt(10) ** digits

    def __ceil__(self) -> ExactInt:
        return -math.floor(-self)

    def __trunc__(self) -> ExactInt:
        if abs(self) < 1:
            return ExactInt(0)
        return math.floor(self) if self > 0 else math.ceil(self)

    def __int__(self) -> int:
        whole: Any = math.trunc(self)
        return int(whole)  # Python requires a plain int here

    def __floordiv__(self, other: object) -> Any:
        return NotImplemented if self._read(other) is None else math.floor(self / other)

    def __rfloordiv__(self, other: object) -> Any:
        return NotImplemented if self._read(other) is None else math.floor(other / self)

    def __mod__(self, other: object) -> Any:
        return NotImplemented if self._read(other) is None else self - other * math.floor(self / other)

    def __rmod__(self, other: object) -> Any:
        return NotImplemented if self._read(other) is None else other - self * math.floor(other / self)


class ExactRational(Rounding):
    """A rational."""

    __slots__ = ()
    ring = RATIONAL

    def _read(self, other: object) -> fmpq | None:
        return read_rational(other)

    @property
    def numerator(self) -> int:
        """The numerator in lowest terms."""
        return int(self.value.p)

    @property
    def denominator(self) -> int:
        """The denominator in lowest terms."""
        return int(self.value.q)

    def __hash__(self) -> int:
        return hash(Fraction(self.numerator, self.denominator))

    def __eq__(self, other: object) -> Any:
        return super().__eq__(other)

    def _fraction(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)

    def __floor__(self) -> ExactInt:
        return ExactInt(math.floor(self._fraction()))

    def _nearest(self) -> ExactInt:
        return ExactInt(round(self._fraction()))

    def _apply_named(self, name: str, values: list[Any]) -> fmpq:
        rational = EXACT_FUNCTIONS.get(name)
        known = None if rational is None else rational(*values)
        if known is None:
            _require_inside(name, *map(arb, values))  # outside the domain balls do not help
            raise NotExact("has no value on exact numbers")
        return known

    def __pow__(self, exponent: object) -> Any:
        power = read_rational(exponent)
        if power is None:
            return NotImplemented
        if power.q != 1:
            base = rational_root(self.value, int(power.q)) if power.q <= LARGEST_ROOT and self.value >= 0 else None
            if base is None:
                raise NotExact("takes a root")
            return ExactRational(base) ** ExactInt(int(power.p))
        if abs(int(power.p)) > 10_000:
            raise NotExact("takes a power with an exponent above 10 000")
        if power < 0 and self.value == 0:
            raise ZeroDivisionError("negative power of 0")
        return ExactRational(self.value ** int(power.p))

    def __rpow__(self, base: object) -> Any:
        found = read_rational(base)
        return NotImplemented if found is None else ExactRational(found) ** self

    def _sign_against(self, other: object) -> int | None:
        """Return the sign of self - other; None if other is not a number."""
        if isinstance(other, float | np.floating) and math.isinf(other):
            return -1 if other > 0 else 1
        value = read_rational(other)
        return None if value is None else int(self.value > value) - int(self.value < value)


class RoundNumber(ExactRational):
    """The number of a round among balls, an integer that also handles floats on its left: ``0.9**c.round`` is rational.

    An ``ExactInt`` is an int, so a float on its left computes in floats. This class only passes ``isinstance`` checks.
    """

    __slots__ = ()

    @property  # type: ignore[misc] # as a plain one says
    def __class__(self) -> Any:
        return int

    def _combine(self, other: object, how: Callable[[Any, Any], Any]) -> Any:
        found = super()._combine(other, how)
        whole = isinstance(found, RoundNumber) and found.value.q != 1
        return ExactRational(found.value) if whole else found

    def __rpow__(self, base: object) -> Any:
        found = read_rational(base)
        return NotImplemented if found is None else ExactRational(found) ** self.numerator

    def __index__(self) -> int:
        return self.numerator

    def __int__(self) -> int:
        return self.numerator

    def __float__(self) -> float:
        return float(self.numerator)

    def __format__(self, how: str) -> str:
        return format(self.numerator, how)

    def __divmod__(self, other: object) -> Any:
        return self // other, self % other

    def __and__(self, other: Any) -> int:
        return self.numerator & int(other)

    def __rshift__(self, other: Any) -> int:
        return self.numerator >> int(other)

    def __hash__(self) -> int:
        return hash(self.numerator)

    def __eq__(self, other: object) -> Any:
        return super().__eq__(other)


_derivation_ids: dict[Any, int] = {}  # ids of derivations in one call of a step; equal ones share an id
_next_id = itertools.count(2)  # ids are never reused, so a number that a step keeps is not mistaken for a new one


def _derivation_id(*how: Any) -> int:
    """Return the id of a derivation in one call of a user's step."""
    found = _derivation_ids.get(how)
    return _derivation_ids.setdefault(how, next(_next_id)) if found is None else found


def _derivation_of(value: object) -> int | None:
    """Return the derivation of an operand next to a ball; None if it is neither a ball of a run nor a rational."""
    if isinstance(value, Ball):
        return value.made
    rounded = isinstance(value, float | np.floating) and _is_rounded(value)
    known = None if rounded else read_rational(value)
    if known is None or known in (0, 1, -1):
        return None if known is None else int(known.p)
    made = _derivation_id("rational", abs(int(known.p)), int(known.q))
    return made if known > 0 else -made


# Derivations ``made`` and ``-made`` belong to negatives of each other. So sums and products in another order, and
# differences of two numbers in both directions, are recognised as equal.


def _derive_sum(a: int, b: int) -> int:
    if not a or not b or a == -b:
        return a + b
    first, second = sorted((a, b), key=abs)
    sign = 1 if first > 0 else -1
    return sign * _derivation_id("+", sign * first, sign * second)


def _derive_product(a: int, b: int) -> int:
    if min(abs(a), abs(b)) <= 1:
        return a * b
    return (1 if (a > 0) == (b > 0) else -1) * _derivation_id("*", *sorted((abs(a), abs(b))))


def _derive_quotient(a: int, b: int) -> int:
    if abs(b) == 1:
        return a * b
    return (1 if (a > 0) == (b > 0) else -1) * _derivation_id("/", abs(a), abs(b))


DERIVATION_RULES: dict[Callable[[Any, Any], Any], Callable[[int, int], int]] = {
    operator.add: _derive_sum,
    operator.sub: lambda a, b: _derive_sum(a, -b),
    _reverse_subtract: lambda a, b: _derive_sum(b, -a),
    operator.mul: _derive_product,
    operator.truediv: _derive_quotient,
    _reverse_divide: lambda a, b: _derive_quotient(b, a),
}


class Ball(Rounding):
    """A real number in a ball; comparisons that the ball does not decide raise Undecided.

    Two numbers with the same derivation ``made`` are equal, however wide their balls are.
    """

    __slots__ = ("made",)
    ring = BALL

    def __init__(self, value: Any, made: int | None = None) -> None:
        super().__init__(value)
        self.made = next(_next_id) if made is None else made

    def _combine(self, other: object, how: Callable[[Any, Any], Any]) -> Any:
        value = self._read(other)
        if value is None:
            return NotImplemented
        known = _derivation_of(other)
        return Ball(how(self.value, value), None if known is None else DERIVATION_RULES[how](self.made, known))

    def _of(self, name: str, others: tuple[object, ...], value: Any) -> Ball:
        known = [_derivation_of(other) for other in others]
        return Ball(value, None if None in known else _derivation_id(name, self.made, *known))

    def __neg__(self) -> Ball:
        return Ball(-self.value, -self.made)

    def __abs__(self) -> Ball:
        return Ball(abs(self.value), _derivation_id("abs", abs(self.made)) if self.made else 0)

    def _read(self, other: object) -> arb | None:
        if isinstance(other, Ball):
            return other.value
        if isinstance(other, arb):
            return other
        if isinstance(other, float | np.floating) and math.isfinite(other) and _is_rounded(other):
            return ball_around(other)
        known = read_rational(other)
        return None if known is None else arb(known)

    def _sign_against(self, other: object) -> int | None:
        if isinstance(other, float | np.floating) and math.isinf(other):
            return -1 if other > 0 else 1
        value = self._read(other)
        if value is None:
            return None
        if self.made == _derivation_of(other):
            return 0
        if self.value > value:
            return 1
        if self.value < value:
            return -1
        if self.value == value:  # certainly, so of balls of one number alone
            return 0
        raise Undecided("compares numbers that are too close to decide")

    def __hash__(self) -> int:
        raise NotExact("uses a number known only as a ball as a key")

    def __eq__(self, other: object) -> Any:
        return super().__eq__(other)

    def __pow__(self, exponent: object) -> Any:
        power = self._read(exponent)
        if power is None:
            return NotImplemented
        made = _derivation_of(exponent)
        if made is not None:
            made = _derive_product(self.made, self.made) if power == 2 else _derivation_id("**", self.made, made)
        return Ball(_require_finite(ball_power(self.value, power)), made)

    def __rpow__(self, base: object) -> Any:
        found = self._read(base)
        return NotImplemented if found is None else Ball(_require_finite(ball_power(found, self.value)))

    def _apply_named(self, name: str, values: list[Any]) -> arb:
        _require_inside(name, *values)
        return _require_finite(BALL_FUNCTIONS[name].value(*values))

    def _told(self, found: int | None) -> ExactInt:
        if found is None:
            raise Undecided("rounds a number that is too close to a tie")
        return ExactInt(found)

    def __floor__(self) -> ExactInt:
        return self._told(floor_of(self.value))

    def _nearest(self) -> ExactInt:
        return self._told(nearest_of(self.value))


class RoundNumberInBalls(RoundNumber):
    """The number of a round, whose irrational functions are balls."""

    __slots__ = ()

    def _as_ball(self) -> Ball:
        return Ball(arb(self.value), _derivation_of(self))

    def _of(self, name: str, others: tuple[object, ...], value: Any) -> Any:
        return self._as_ball()._of(name, others, value) if isinstance(value, arb) else ExactRational(value)

    def _apply_named(self, name: str, values: list[Any]) -> Any:
        try:
            return super()._apply_named(name, values)
        except NotExact:
            return self._as_ball()._apply_named(name, [arb(v) for v in values])

    def __pow__(self, exponent: object) -> Any:
        try:
            return super().__pow__(exponent)
        except NotExact:
            return self._as_ball() ** exponent

    def __rpow__(self, base: object) -> Any:
        try:
            return super().__rpow__(base)
        except NotExact:
            return self._as_ball().__rpow__(base)


class ExactInt(int):
    """A count for a user's step on exact numbers: an integer with exact quotients and powers."""

    def _of(self, other: object, how: Callable[[Any, Any], Any]) -> Any:
        """Return a count if both operands are integers, else an exact number."""
        if isinstance(other, int) and not isinstance(other, bool):
            found = how(fmpq(int(self)), fmpq(int(other)))
            return ExactInt(int(found.p)) if found.q == 1 else ExactRational(found)
        number = isinstance(other, float | np.number | Fraction | Element)
        return how(ExactRational(fmpq(int(self))), other) if number else NotImplemented

    def __add__(self, other: object) -> Any:
        return self._of(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._of(other, lambda a, b: a - b)

    def __rsub__(self, other: object) -> Any:
        return self._of(other, lambda a, b: b - a)

    def __mul__(self, other: object) -> Any:
        return self._of(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        return self._of(other, lambda a, b: a / b)

    def __rtruediv__(self, other: object) -> Any:
        return self._of(other, lambda a, b: b / a)

    def __neg__(self) -> ExactInt:
        return ExactInt(-int(self))

    def __pow__(self, exponent: object, modulus: object = None) -> Any:
        return ExactRational(fmpq(int(self))) ** exponent

    def __getattr__(self, name: str) -> Any:
        """Provide a function as a method, as numpy needs it."""
        if name not in BALL_FUNCTIONS:
            raise AttributeError(name)
        return ExactRational(fmpq(int(self))).__getattr__(name)

    def rint(self) -> ExactInt:
        """Implement ``np.rint``."""
        return self

    def fabs(self) -> ExactInt:
        """Implement ``np.fabs``."""
        return ExactInt(abs(self))

    def __rpow__(self, base: object, modulus: object = None) -> Any:
        known = read_rational(base)
        return NotImplemented if known is None else ExactRational(known) ** int(self)


def read_rational(value: object) -> fmpq | None:
    """Convert a number to a rational; None if it is not a number, a signal if it is infinite or irrational."""
    if isinstance(value, ExactRational):
        return value.value
    if isinstance(value, fmpq):
        return value
    if isinstance(value, bool | np.bool_):
        return fmpq(int(value))
    if isinstance(value, int | np.integer):
        return fmpq(int(value))
    if isinstance(value, float | np.floating):
        if not math.isfinite(value):
            raise NotExact(f"calculates with {value}")
        if _is_rounded(value):
            raise NotExact(f"uses {value}, a rounded number")
        return RATIONAL.scalar(exact(value))
    if isinstance(value, Fraction):
        return fmpq(value.numerator, value.denominator)
    return None


def _is_rounded(value: float | np.floating[Any]) -> bool:
    """Return whether a float looks like a rounded number, such as 1/3 or sqrt(2), and not like a decimal."""
    return not float(value).is_integer() and float(f"{value:.15g}") != value


def ball_around(value: float | np.floating[Any]) -> arb:
    """Suggest what a rounded number may represent."""
    return arb(float(value), abs(float(value)) * 2.0**-50)


def wrap_exact(values: Any) -> Any:
    """Wrap plain rationals for a user's step: single ones, arrays, and tuples of these."""
    if isinstance(values, fmpq | arb):
        return _wrap_one(values)
    if isinstance(values, np.ndarray) and values.dtype == object:
        return _map_entries(values, _wrap_one)
    return tuple(wrap_exact(v) for v in values) if type(values) is tuple else values


def _wrap_one(value: Any) -> Any:
    return ExactRational(value) if isinstance(value, fmpq) else Ball(value) if isinstance(value, arb) else value


def constants_for(c: SimpleNamespace) -> dict[str, Any]:
    """Wrap the constants of a run, including counts, for a user's step on exact numbers."""
    found = {n: ExactInt(v) if type(v) is int else wrap_exact(v) for n, v in vars(c).items()}
    among_balls = any(isinstance(v, arb) for v in vars(c).values())  # in rationals rounded floats are rejected by name
    return {n: RoundNumberInBalls(fmpq(int(v))) if among_balls and n == "_round" else v for n, v in found.items()}


def unwrap_exact(values: Any) -> Any:
    """Unwrap the result of a user's step to plain rationals, balls or integers; other elements are unchanged."""
    if isinstance(values, RoundNumber):
        return values.numerator
    if isinstance(values, Element):
        return values.value
    if type(values) is np.ndarray and values.dtype == object:
        counts = values.size > 0 and all(isinstance(v, RoundNumber) for v in values.flat)  # e.g. client indices
        return values.astype(np.int64) if counts else _map_entries(values, _unwrap_one)
    return tuple(unwrap_exact(v) for v in values) if type(values) is tuple else values


def _unwrap_one(value: Any) -> Any:
    if isinstance(value, Element):
        return value.value
    return read_rational(value) if isinstance(value, float | np.floating | Fraction) else value


def _map_entries(values: np.ndarray, change: Callable[[Any], Any]) -> np.ndarray:
    found = np.empty(values.shape, dtype=object)
    found.reshape(-1)[:] = [change(v) for v in values.flat] if values.size else []
    return found


class ExactView:
    """Wrap an oracle, or its source of draws, for a user's step on exact numbers."""

    def __init__(self, inner: object) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return ExactView(found) if name == "chance" else wrap_exact(found)

        def asked(*arguments: Any, **named: Any) -> Any:
            with hide_handled_signals():
                answer = wrap_exact(
                    found(*map(unwrap_exact, arguments), **{k: unwrap_exact(v) for k, v in named.items()})
                )
            return _unify_equal_gradients(self._inner, answer, *arguments, **named) if name == "gradient" else answer

        return asked


def _unify_equal_gradients(oracle: Any, answer: Any, x: Any, client: Any, k: int = 0) -> Any:
    """Wrap gradients in balls; noiseless gradients of equal clients at the same point are the same numbers."""
    instance = getattr(oracle, "instance", None)
    types = instance.client_types if isinstance(instance, HasClientTypes) and not instance.draws else None
    if not (isinstance(answer, np.ndarray) and answer.ndim == 2 and answer.size and isinstance(answer[0, 0], Ball)):
        return answer
    clients = np.broadcast_to(np.asarray(client), (len(answer),)).tolist()
    for row, (point, m) in enumerate(zip(x, clients, strict=True)):
        if all(isinstance(v, Ball) for v in point):
            whose = ("own", m, k) if types is None else ("type", types[m])
            place = tuple(v.made for v in point)
            answer[row] = [Ball(v.value, _derivation_id(*whose, place, i)) for i, v in enumerate(answer[row])]
    return answer


@runtime_checkable
class HasClientTypes(Protocol):
    """An instance with known types of clients and a known number of uniform draws per gradient."""

    @property
    def client_types(self) -> tuple[int, ...]: ...
    @property
    def draws(self) -> int: ...


def run_exact_step(step: Callable[..., Any], x: np.ndarray, oracle: object, c: SimpleNamespace) -> Any:
    """Run a user's step on plain rationals, which are wrapped for it; signals that it swallows are raised again."""
    _derivation_ids.clear()
    constants = type(c)(**constants_for(c))
    return unwrap_exact(call_with_signals(lambda: step(wrap_exact(x), ExactView(oracle), constants)))


def run_exact_init(init: Callable[..., Any], start: np.ndarray, c: SimpleNamespace) -> Any:
    """Run a user's ``init`` on points in plain rationals; signals that it swallows are raised again."""
    constants = type(c)(**constants_for(c))
    return unwrap_exact(call_with_signals(lambda: init(wrap_exact(start), constants)))


def in_ring_of(values: ArrayLike, like: np.ndarray) -> np.ndarray:
    """Convert a user's numbers to an array of the type of ``like``: plain rationals or floats."""
    found = np.asarray(values)
    if like.dtype != object or found.dtype == object:
        return found
    return _map_entries(found.astype(object), _require_rational)


def as_elements(values: np.ndarray) -> np.ndarray:
    """Convert a user's exact numbers, fractions and integers to plain rationals or balls; others are unchanged."""

    def element(value: Any) -> Any:
        known = value.value if isinstance(value, Element) else read_rational(value)
        return value if known is None else known

    return _map_entries(values, element)


def _require_rational(value: object) -> fmpq:
    plain = isinstance(value, float | np.floating) and math.isfinite(value)
    found = (
        RATIONAL.scalar(exact(value)) if plain else read_rational(value)
    )  # floats are read as printed; the sum 1 is checked elsewhere
    if found is None:
        raise NotRational(f"{value!r} is not a rational number")
    return found
