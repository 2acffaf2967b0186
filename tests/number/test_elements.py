"""Exact numbers in a user's arithmetic: each operation against fractions, equalities by how numbers came about."""

from __future__ import annotations

import contextlib
import itertools
import math
import operator
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.number import NotRational, elements
from fltheory.number.elements import (
    Ball,
    ExactInt,
    ExactRational,
    ExactView,
    NotExact,
    RoundNumber,
    RoundNumberInBalls,
    Undecided,
    as_elements,
    ball_around,
    constants_for,
    in_ring_of,
    read_rational,
    run_exact_init,
    run_exact_step,
    unwrap_exact,
    wrap_exact,
)

NUMBERS = [Fraction(v) for v in ("-7/2", "-2", "-1/3", "0", "1/3", "1/2", "1", "5/2", "3", "9/4")]
OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def flint(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def rational(value: Any) -> ExactRational:
    return ExactRational(flint(Fraction(value)))


def ball(value: Any) -> Ball:
    return Ball(arb(flint(Fraction(value))))


def as_fraction(value: Any) -> Fraction:
    if isinstance(value, Ball):
        (found,) = (n for n in [value.value.unique_fmpz()] if n is not None) if value.value.is_integer() else (None,)
        return Fraction(int(found)) if found is not None else Fraction(float(value.value.mid()))
    if isinstance(value, ExactRational):
        return Fraction(int(value.value.p), int(value.value.q))
    return Fraction(value)


def close(one: Any, two: Fraction) -> bool:
    if isinstance(one, Ball):
        return bool(one.value.overlaps(arb(flint(two))))
    return as_fraction(one) == two


# Arithmetic --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", OPERATIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", [rational, ball], ids=lambda f: f.__name__)
def test_arithmetic_is_that_of_fractions(how: Any, make: Any) -> None:
    whole = how in (operator.floordiv, operator.mod)
    for a, b in itertools.product(NUMBERS, repeat=2):
        if b == 0 and how not in (operator.add, operator.sub, operator.mul):
            continue
        if whole and make is ball and (a / b).denominator != 2:
            continue
        wanted = how(a, b)
        for one, two in ((make(a), make(b)), (make(a), b), (a, make(b)), (make(a), flint(b))):
            assert close(how(one, two), wanted), (a, b)
        if b.denominator == 1:
            assert close(how(make(a), int(b)), wanted)
            assert close(how(make(a), np.int64(b)), wanted)
            assert close(how(make(a), ExactInt(b)), wanted)
        if a.denominator == 1:
            assert close(how(int(a), make(b)), wanted)
            assert close(how(ExactInt(a), make(b)), wanted)
        if a.denominator in (1, 2, 4):
            assert close(how(float(a), make(b)), wanted)
        if b.denominator in (1, 2, 4):
            assert close(how(make(a), float(b)), wanted)


@pytest.mark.parametrize("how", COMPARISONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", [rational, ball], ids=lambda f: f.__name__)
def test_comparisons_are_those_of_fractions(how: Any, make: Any) -> None:
    for a, b in itertools.product(NUMBERS, repeat=2):
        if make is ball and a == b and a.denominator not in (1, 2, 4):
            continue
        assert how(make(a), make(b)) is how(a, b)
        assert how(make(a), b) is how(a, b)
        assert how(make(a), math.inf) is how(0.0, math.inf)
        assert how(make(a), -math.inf) is how(0.0, -math.inf)
        assert how(make(a), np.float64("inf")) is how(0.0, math.inf)
    if how in (operator.eq, operator.ne):
        assert how(make(1), "a") is (how is operator.ne)
    else:
        with pytest.raises(TypeError):
            how(make(1), "a")


@pytest.mark.parametrize("make", [rational, ball], ids=lambda f: f.__name__)
def test_signs_and_sizes(make: Any) -> None:
    for a in NUMBERS:
        assert close(-make(a), -a)
        assert close(+make(a), a)
        assert close(abs(make(a)), abs(a))
        assert close(make(a).fabs(), abs(a))
        assert close(make(a).conjugate(), a)
        if make is rational or a.denominator in (1, 2, 4):
            assert bool(make(a)) is bool(a)
    for how in OPERATIONS:
        with pytest.raises(TypeError):
            how(make(1), "a")
        with pytest.raises(TypeError):
            how("a", make(1)) if how is not operator.mod else how([], make(1))
    with pytest.raises(NotExact, match="converts an exact number to a float"):
        float(make(1))
    assert repr(rational("1/2")) == "1/2"
    with pytest.raises(TypeError):
        make(1) ** "a"


@pytest.mark.parametrize("make", [rational, ball], ids=lambda f: f.__name__)
def test_whole_parts_are_those_of_fractions(make: Any) -> None:
    for a in map(Fraction, ("-7/2", "-5/2", "-3/4", "-1/4", "1/4", "1/2", "3/4", "3/2", "5/2", "11/4", "7/2")):
        assert math.floor(make(a)) == math.floor(a)
        assert math.ceil(make(a)) == math.ceil(a)
        assert math.trunc(make(a)) == math.trunc(a)
        assert int(make(a)) == int(a)
        assert round(make(a)) == round(a)
        assert make(a).rint() == round(a)
        assert close(round(make(a), 1), round(a, 1))
        assert isinstance(math.floor(make(a)), ExactInt)
        for b in (Fraction(2), Fraction(-2), Fraction(3, 4)):
            if make is rational or (a / b).denominator != 1:
                assert close(make(a).fmod(b), a - b * math.trunc(a / b))
    for a in (Fraction(-2), Fraction(0), Fraction(3)):
        assert math.floor(rational(a)) == math.trunc(rational(a)) == a
    assert close(round(rational("123456/1000"), 2), Fraction(12346, 100))
    wide = Ball(arb(0.5, 0.25))
    assert math.floor(wide) == math.trunc(wide) == 0
    for ask in (math.floor, round):
        with pytest.raises(Undecided, match="rounds a number that is too close to a tie"):
            ask(Ball(arb(1, 0.75)))


def test_parts_and_keys_of_a_rational() -> None:
    assert (rational("-6/4").numerator, rational("-6/4").denominator) == (-3, 2)
    assert hash(rational("1/2")) == hash(Fraction(1, 2))
    assert hash(rational(3)) == hash(3)
    assert {rational(3): "a"}[rational(3)] == "a"
    with pytest.raises(NotExact, match="as a key"):
        hash(ball(1))


# Powers ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [rational, ball, RoundNumberInBalls], ids=lambda f: f.__name__)
def test_whole_powers(make: Any) -> None:
    for a, n in itertools.product(("-2", "1/3", "3") if make is not RoundNumberInBalls else ("2", "3"), range(-3, 5)):
        number = make(fmpq(int(a))) if make is RoundNumberInBalls else make(a)
        assert close(number**n, Fraction(a) ** n)
        assert close(number ** rational(n), Fraction(a) ** n)
    zero = rational(0)
    assert zero**0 == 1
    assert zero**3 == 0
    with pytest.raises(ZeroDivisionError, match="negative power of 0"):
        zero**-1


def test_roots_of_rationals_by_powers() -> None:
    for a, n, d in itertools.product(("4/9", "16", "1"), (1, 3, -1), (2,)):
        root = Fraction(math.isqrt(Fraction(a).numerator), math.isqrt(Fraction(a).denominator))
        assert as_fraction(rational(a) ** Fraction(n, d)) == root**n
    assert rational(2**64) ** Fraction(1, 64) == 2
    for base, power in (("2", "1/2"), ("-8", "1/3"), ("-4", "1/2")):
        with pytest.raises(NotExact, match="takes a root"):
            rational(base) ** Fraction(power)
    with pytest.raises(NotExact, match="takes a root"):
        ExactRational(fmpq(2) ** 65) ** Fraction(1, 65)
    assert rational(0) ** Fraction(1, 2) == 0
    assert rational(1) ** 10_000 == 1
    for power in (10_001, -10_001):
        with pytest.raises(NotExact, match="exponent above 10 000"):
            rational(1) ** power
    assert rational(1) ** -10_000 == 1
    assert 2 ** rational(3) == 8
    assert 0.25 ** rational("1/2") == Fraction(1, 2)
    with pytest.raises(NotExact):  # Python makes it a float first
        Fraction(4, 9) ** rational("1/2")
    with pytest.raises(TypeError):
        "a" ** rational(2)


def test_powers_of_balls() -> None:
    two = ball(2)
    assert (two ** Fraction(1, 2)).value.overlaps(arb(2).sqrt())
    assert (2 ** ball("1/2")).value.overlaps(arb(2).sqrt())
    assert (two**two).value.overlaps(arb(4))
    with pytest.raises(Undecided):
        Ball(arb(0, 1)) ** -1
    with pytest.raises(Undecided):
        Ball(arb(0, 1)) ** Fraction(1, 2)
    with pytest.raises(TypeError):
        "a" ** two
    assert two**2 == two * two
    assert two**3 == two**3
    with pytest.raises(Undecided):
        assert Ball(arb(1, 0.5)) ** 3 == Ball(arb(1, 0.5)) ** 3
    wide, other = Ball(arb(2, 0.5)), Ball(arb(2, 0.5))
    assert wide**2 == wide * wide
    assert wide**3 == wide**3
    assert wide ** Fraction(1, 2) == wide ** Fraction(1, 2)
    for one, two_ in (
        (wide**3, wide**2),
        (wide**3, wide * wide),
        (wide**2, other**2),
        (wide**0.1, wide ** (0.1 + 1e-17 + 0.2)),
    ):
        if float(one.value.mid()) == float(two_.value.mid()):
            with pytest.raises(Undecided):
                assert one == two_
    assert wide ** (1 / 3) is not None


# How numbers came about --------------------------------------------------------------------------------------------------

X, Y = arb(2, 0.5), arb(2, 0.5)
EQUAL = [
    lambda x, y: (x, x),
    lambda x, y: (x + y, y + x),
    lambda x, y: (x - y, -(y - x)),
    lambda x, y: (-(x + y), -x - y),
    lambda x, y: (x * y, y * x),
    lambda x, y: (x * -y, -(x * y)),
    lambda x, y: (-x * -y, x * y),
    lambda x, y: (x / y, -x / -y),
    lambda x, y: (x / -y, -x / y),
    lambda x, y: (x / -y, -(x / y)),
    lambda x, y: (x * 1, x),
    lambda x, y: (x * -1, -x),
    lambda x, y: (x / 1, x),
    lambda x, y: (x / -1, -x),
    lambda x, y: (x + 0, x),
    lambda x, y: (0 - x, -x),
    lambda x, y: (x * 0, 0),
    lambda x, y: (x - x, 0),
    lambda x, y: (x - x + y, y),
    lambda x, y: (x * 2, 2 * x),
    lambda x, y: (x * Fraction(-2, 3), -(x * Fraction(2, 3))),
    lambda x, y: (x + Fraction(-2, 3), x - Fraction(2, 3)),
    lambda x, y: (3 - x, -(x - 3)),
    lambda x, y: (2 / x, -2 / -x),
    lambda x, y: (abs(x), abs(-x)),
    lambda x, y: (abs(x - y), abs(y - x)),
    lambda x, y: (abs(x - x), 0),
    lambda x, y: (x.exp(), x.exp()),
    lambda x, y: (x.arctan2(y), x.arctan2(y)),
    lambda x, y: (x.hypot(3), x.hypot(3)),
    lambda x, y: (x**2, x * x),
    lambda x, y: (x**3, x**3),
    lambda x, y: (x * y + x, x + y * x),
    lambda x, y: (x + 0.5, x + Fraction(1, 2)),
    lambda x, y: (x * True, x),
]
OPEN = [
    lambda x, y: (x, y),
    lambda x, y: (x, Ball(x.value)),
    lambda x, y: (x + y, x + x),
    lambda x, y: (x - y, y - x),
    lambda x, y: (x + y - 2, x - y + 2),
    lambda x, y: (x * y, x * x),
    lambda x, y: (x / y, y / x),
    lambda x, y: (x * 2 - 2, x),
    lambda x, y: (x * x / 2, x),
    lambda x, y: (2 * x / y, x),
    lambda x, y: (x + Fraction(1, 3), x + Fraction(1, 4)),
    lambda x, y: (x * Fraction(1, 3), x * Fraction(3, 1) / 9),
    lambda x, y: (x + 1, x + Fraction(5, 4)),
    lambda x, y: (x + (1 / 3), x + (1 / 3)),
    lambda x, y: (x.exp(), y.exp()),
    lambda x, y: (x.exp(), x.exp2() + 3),
    lambda x, y: (x.arctan2(y), y.arctan2(x)),
    lambda x, y: (x.hypot(1 / 3), x.hypot(1 / 3)),
    lambda x, y: (abs(x - y), abs(x + y - 4)),
    lambda x, y: (x**3, x**2 * 2),
    lambda x, y: (x ** (1 / 3), x ** (1 / 3)),
    lambda x, y: (2 / x, x / 2),
    lambda x, y: (x - 3, 3 - x - 2 + 1),
]


@pytest.mark.parametrize("pair", range(len(EQUAL)))
def test_numbers_that_came_about_alike_are_equal(pair: int) -> None:
    one, two = EQUAL[pair](Ball(X), Ball(Y))
    assert one == two
    assert (one != two) is False
    assert one <= two
    assert not one < two
    assert not one > two


@pytest.mark.parametrize("pair", range(len(OPEN)))
def test_numbers_that_came_about_otherwise_are_left_open(pair: int) -> None:
    one, two = OPEN[pair](Ball(X), Ball(Y))
    assert one.value.overlaps(two.value)
    for how in COMPARISONS:
        with pytest.raises(Undecided, match="too close to decide"):
            how(one, two)


def test_exact_balls_of_one_value_are_equal_and_wide_ones_are_not() -> None:
    assert Ball(arb(2)) == Ball(arb(2))
    assert Ball(arb(2)) == 2
    for one, two in ((arb(2, 1e-9), arb(2)), (arb(2), arb(2, 1e-9))):
        with pytest.raises(Undecided):
            assert Ball(one) == Ball(two)
    with pytest.raises(Undecided):
        assert Ball(arb(1, 2)) == Ball(arb(0))
    assert Ball(arb(2, 0.5)) < Ball(arb(3, 0.25))
    assert Ball(arb(3, 0.25)) > Ball(arb(2, 0.5))
    assert Ball(arb(2)) == arb(2)


def test_a_rounded_float_is_a_ball_and_an_infinite_one_is_refused() -> None:
    third = 1 / 3
    around = ball_around(third)
    assert around.contains(arb(1) / 3)
    assert 0 < float(around.rad()) <= 1e-15
    assert ball_around(-third).contains(-arb(1) / 3)
    assert (Ball(arb(1)) * third).value.contains(arb(1) / 3)
    with pytest.raises(NotExact, match=r"uses 0\.333"):
        rational(1) * third
    for bad in (math.inf, math.nan):
        with pytest.raises(NotExact, match="calculates with"):
            rational(1) * bad
        with pytest.raises(NotExact, match="calculates with"):
            ball(1) * bad


# Functions ---------------------------------------------------------------------------------------------------------------


def test_functions_of_numpy() -> None:
    assert np.sqrt(np.array([rational("4/9")], dtype=object))[0] == Fraction(2, 3)
    assert np.sqrt(np.array([ball(2)], dtype=object))[0].value.overlaps(arb(2).sqrt())
    assert rational(3).hypot(4) == 5
    assert rational(-8).cbrt() == -2
    with pytest.raises(NotExact, match="has no value on exact numbers"):
        rational(2).sqrt()
    with pytest.raises(NotExact, match="needs a number of at least 0, not -2"):
        rational(-2).sqrt()
    with pytest.raises(NotExact, match="needs a positive number"):
        ball(-2).log()
    with pytest.raises(Undecided, match="may leave its domain"):
        Ball(arb(0, 1)).log()
    assert rational(3).hypot("a") is NotImplemented
    for name in ("_private", "__array__"):
        with pytest.raises(AttributeError) as told:
            getattr(rational(1), name)
        assert not isinstance(told.value, NotExact)
    with pytest.raises(NotExact, match="has no value on exact numbers"):
        getattr(rational(1), "unheard_" + "of")
    assert not hasattr(ExactInt(1), "unheard_of")


# Counts ------------------------------------------------------------------------------------------------------------------


def test_counts_are_integers_with_exact_quotients() -> None:
    for a, b in itertools.product((-3, 0, 2, 5), repeat=2):
        for how in (operator.add, operator.sub, operator.mul):
            for one, two in ((ExactInt(a), ExactInt(b)), (ExactInt(a), b), (a, ExactInt(b))):
                assert how(one, two) == how(a, b)
                assert type(how(one, two)) is ExactInt
        if b:
            for one, two in ((ExactInt(a), ExactInt(b)), (ExactInt(a), b), (a, ExactInt(b))):
                found = one / two
                assert as_fraction(found) == Fraction(a, b)
                assert (type(found) is ExactInt) == (a % b == 0)
    three = ExactInt(3)
    assert as_fraction(three + Fraction(1, 2)) == Fraction(7, 2)
    assert as_fraction(three - 0.5) == Fraction(5, 2)
    assert as_fraction(0.5 - three) == Fraction(-5, 2)
    assert as_fraction(np.float64(0.5) * three) == Fraction(3, 2)
    assert as_fraction(rational("1/2") / three) == Fraction(1, 6)
    assert type(-three) is ExactInt
    assert -three == -3
    assert as_fraction(three**-2) == Fraction(1, 9)
    assert as_fraction(0.5**three) == Fraction(1, 8)
    assert as_fraction(Fraction(2, 3) ** three) == Fraction(8, 27)
    assert three.rint() is three
    assert ExactInt(-3).fabs() == 3
    assert type(ExactInt(-3).fabs()) is ExactInt
    assert ExactInt(4).sqrt() == 2
    for how in (operator.add, operator.sub, operator.mul, operator.truediv):
        with pytest.raises(TypeError):
            how(three, "a") if how is not operator.mul else how(three, {})
        with pytest.raises(TypeError):
            how(three, None)
    with pytest.raises(TypeError):
        "a" ** three
    assert type(three + True) is int


def test_the_number_of_a_round() -> None:
    seven = RoundNumber(fmpq(7))
    assert isinstance(seven, int)
    assert type(seven + 1) is RoundNumber
    assert type(seven / 2) is ExactRational
    assert type(seven * 2 / 7) is RoundNumber
    assert as_fraction(0.5**seven) == Fraction(1, 128)
    assert [10, 11, 12, 13, 14, 15, 16, 17][seven] == 17
    assert (int(seven), float(seven), f"{seven:03d}") == (7, 7.0, "007")
    assert divmod(seven, 4) == (1, 3)
    assert (seven & 3, seven >> 1) == (3, 3)
    assert hash(seven) == hash(7)
    assert seven == 7
    assert seven != 8
    with pytest.raises(TypeError):
        "a" ** seven
    among = RoundNumberInBalls(fmpq(2))
    assert among.sqrt().value.overlaps(arb(2).sqrt())
    assert among.sqrt() == RoundNumberInBalls(fmpq(2)).sqrt()
    assert RoundNumberInBalls(fmpq(4)).sqrt() == 2
    assert type(RoundNumberInBalls(fmpq(4)).sqrt()) is ExactRational
    assert (among**0.5).value.overlaps(arb(2).sqrt())
    assert (3**among) == 9
    assert ((1 / 3) ** among).value.contains(arb(1) / 9)


# Wrapping ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (rational("1/2"), fmpq(1, 2)),
        (fmpq(2, 3), fmpq(2, 3)),
        (True, fmpq(1)),
        (np.bool_(False), fmpq(0)),
        (3, fmpq(3)),
        (np.int64(3), fmpq(3)),
        (0.1, fmpq(1, 10)),
        (np.float64(0.5), fmpq(1, 2)),
        (1e30, fmpq(10**30)),
        (Fraction(2, 3), fmpq(2, 3)),
        ("1/2", None),
        (None, None),
        (arb(1), None),
    ],
)
def test_what_is_read_as_a_rational(given: Any, read: Any) -> None:
    assert read_rational(given) == read


def objects(*values: Any) -> np.ndarray:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def test_numbers_are_wrapped_for_a_step_and_unwrapped_after_it() -> None:
    assert isinstance(wrap_exact(fmpq(1)), ExactRational)
    assert isinstance(wrap_exact(arb(1)), Ball)
    wrapped = wrap_exact((objects(fmpq(1), arb(2), "a"), 3))
    assert [type(v) for v in wrapped[0]] == [ExactRational, Ball, str]
    assert wrapped[1] == 3
    floats = np.ones(2)
    assert wrap_exact(floats) is floats
    assert wrap_exact([fmpq(1)]) == [fmpq(1)]
    assert unwrap_exact(rational("1/2")) == fmpq(1, 2)
    assert unwrap_exact(RoundNumber(fmpq(7))) == 7
    assert type(unwrap_exact(RoundNumber(fmpq(7)))) is int
    plain = unwrap_exact((objects(rational(1), ball(2), 0.5, Fraction(1, 3), 4),))[0]
    assert [type(v) for v in plain] == [fmpq, arb, fmpq, fmpq, int]
    counts = unwrap_exact(objects(RoundNumber(fmpq(1)), RoundNumber(fmpq(2))))
    assert counts.dtype == np.int64
    assert counts.tolist() == [1, 2]
    assert unwrap_exact(objects(RoundNumber(fmpq(1)), rational(2))).dtype == object
    assert unwrap_exact(np.empty(0, dtype=object)).dtype == object
    assert unwrap_exact(floats) is floats
    assert unwrap_exact([1]) == [1]


def test_constants_are_wrapped_with_the_round() -> None:
    rationals = constants_for(SimpleNamespace(step=fmpq(1, 2), n=3, _round=4, flag=True))
    assert [type(rationals[k]) for k in ("step", "n", "_round", "flag")] == [ExactRational, ExactInt, ExactInt, bool]
    balls = constants_for(SimpleNamespace(step=arb(1), n=3, _round=4))
    assert [type(balls[k]) for k in ("step", "n", "_round")] == [Ball, ExactInt, RoundNumberInBalls]


def test_a_step_and_an_init_run_on_wrapped_numbers() -> None:
    start = objects(fmpq(1, 2), fmpq(2)).reshape(1, 2)

    def step(x: Any, oracle: Any, c: Any) -> Any:
        assert all(isinstance(v, ExactRational) for v in x.flat)
        return x * c.n + oracle.shift(x)

    oracle = SimpleNamespace(shift=lambda x: x * 2, chance=SimpleNamespace(rows=5, other=fmpq(1)), size=fmpq(1, 3))
    found = run_exact_step(step, start, oracle, SimpleNamespace(n=3))
    assert found.tolist() == [[fmpq(5, 2), fmpq(10)]]
    assert run_exact_init(lambda x, c: x + c.n, start, SimpleNamespace(n=3)).tolist() == [[fmpq(7, 2), fmpq(5)]]
    view = ExactView(oracle)
    assert isinstance(view.chance, ExactView)
    assert isinstance(view.chance.other, ExactRational)
    assert view.chance.rows == 5
    assert isinstance(view.size, ExactRational)

    def swallowed(x: Any, oracle: Any, c: Any) -> Any:
        with contextlib.suppress(Exception):
            float(x[0, 0])
        return x

    with pytest.raises(NotExact, match="converts an exact number to a float"):
        run_exact_step(swallowed, start, oracle, SimpleNamespace(n=3))
    with pytest.raises(NotExact, match="converts an exact number to a float"):
        run_exact_init(lambda x, c: swallowed(x, None, c), start, SimpleNamespace(n=3))


class Gradients:
    """Gradients 2 x of clients, two of which are of one type."""

    def __init__(self, types: Any = (0, 0, 1), draws: int = 0) -> None:
        self.instance = SimpleNamespace(client_types=types, draws=draws) if types else SimpleNamespace(draws=draws)

    def gradient(self, x: Any, client: Any, k: int = 0) -> Any:
        return x * 2


@pytest.mark.parametrize(
    ("types", "draws", "alike", "again"),
    [((0, 0, 1), 0, True, True), ((0, 0, 1), 1, False, True), (None, 0, False, True)],
)
def test_gradients_of_equal_clients_at_one_point_are_the_same(types: Any, draws: int, alike: bool, again: bool) -> None:
    """Unless noise is drawn; those of one client and one local step always are."""
    view = ExactView(Gradients(types, draws))
    x = wrap_exact(objects(arb(1, 0.5), arb(2, 0.5)).reshape(1, 2))
    first, second, third = (view.gradient(x, m)[0, 0] for m in (0, 1, 2))

    def told(one: Any, two: Any) -> bool:
        try:
            return bool(one == two)
        except Undecided:
            return False

    assert told(first, second) == alike
    assert not told(first, third)
    assert told(first, view.gradient(x, 0)[0, 0]) == again
    assert told(first, view.gradient(x, np.array([0]))[0, 0]) == again
    assert not told(view.gradient(x, 0)[0, 1] - 2, first)
    assert told(view.gradient(x, 0, 1)[0, 0], first) == alike
    other = wrap_exact(objects(arb(1, 0.5), arb(2, 0.5)).reshape(1, 2))
    assert not told(view.gradient(other, 0)[0, 0], first)
    exact_row = wrap_exact(objects(fmpq(1), fmpq(2)).reshape(1, 2))
    assert view.gradient(exact_row, 0)[0, 0] == 2
    mixed = wrap_exact(objects(fmpq(1), arb(2, 0.5)).reshape(1, 2))
    assert not told(view.gradient(mixed, 0)[0, 1], view.gradient(mixed, 0)[0, 1])


def test_numbers_of_a_user_take_the_type_of_others() -> None:
    exact_like, float_like = objects(fmpq(1)), np.ones(1)
    assert in_ring_of([0.1, 0.2], exact_like).tolist() == [fmpq(1, 10), fmpq(1, 5)]
    assert in_ring_of([1, 2], exact_like).tolist() == [fmpq(1), fmpq(2)]
    assert in_ring_of([0.1], float_like).dtype == float
    given = objects(fmpq(1, 3))
    assert in_ring_of(given, exact_like) is given
    assert in_ring_of(given, float_like) is given
    assert in_ring_of([1 / 3], exact_like)[0] == fmpq(3333333333333333, 10**16)
    with pytest.raises(NotRational, match="'a' is not a rational number"):
        in_ring_of(["a"], exact_like)
    with pytest.raises(NotExact):
        in_ring_of([math.inf], exact_like)
    assert in_ring_of([], exact_like).dtype == object


def test_exact_numbers_of_a_user_become_elements() -> None:
    found = as_elements(objects(rational("1/2"), ball(2), Fraction(1, 3), 4, "a", arb(1)))
    assert [type(v) for v in found] == [fmpq, arb, fmpq, fmpq, str, arb]
    assert as_elements(np.empty((0, 2), dtype=object)).shape == (0, 2)
    assert elements._is_rounded(1 / 3)
    assert not elements._is_rounded(0.1)
    assert not elements._is_rounded(1e22)
    assert not elements._is_rounded(float(2**60 + 2**10))
    assert elements._is_rounded(0.1 + 0.2)
