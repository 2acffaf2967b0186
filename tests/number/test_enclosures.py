"""Enclosures of wide balls, the signs of derivations, and what is undecided: each end and each sign counts."""

from __future__ import annotations

import itertools
import math
import operator
import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, fmpq
from sympy import Eq, Ge, Gt, Le, Lt, Max, Min, Ne, Piecewise, Rational, exp, sqrt

from fltheory.number import (
    NotRational,
    _exact_power,
    _length,
    decide,
    elements,
    evaluate_ball,
    evaluate_exact,
    evaluate_to_precision,
    exact,
    exact_text,
    lower_float,
    symbolic_value,
    upper_float,
)
from fltheory.number.agreement import answers_agree
from fltheory.number.elements import (
    Ball,
    ExactInt,
    ExactRational,
    NotExact,
    RoundNumber,
    Undecided,
    ball_around,
    wrap_exact,
)
from fltheory.number.elementwise import ball_power, nearest_of
from fltheory.number.linear import nearby_solution
from fltheory.number.mixed import larger_of, smaller_of, to_mixed
from fltheory.number.parsing import read_number
from fltheory.number.signals import call_with_signals
from fltheory.number.streams import compiled, kernels
from fltheory.symbols import initial_distance, n_rounds, smoothness

x, y, z = smoothness, initial_distance, n_rounds


@pytest.mark.parametrize("middle", ["0", "1", "-1", "1/3", "-7/3", "1e300", "-1e300", "1e-320"])
@pytest.mark.parametrize("radius", [0.0, 1e-20, 0.25, 3.0, 1e305])
def test_the_floats_beside_a_wide_ball_enclose_it_tightly(middle: str, radius: float) -> None:
    centre = exact(middle)
    assert isinstance(centre, int | Fraction)
    ball = arb(fmpq(centre.numerator, centre.denominator)) + arb(0, radius)
    low, high = lower_float(ball), upper_float(ball)
    assert arb(low) <= ball.lower()
    assert arb(high) >= ball.upper()
    assert not arb(math.nextafter(low, math.inf)) <= ball.lower()
    assert not arb(math.nextafter(high, -math.inf)) >= ball.upper()


def test_the_floats_beside_a_ball_without_an_end_are_infinite() -> None:
    for ball in (arb(0, "inf"), arb("nan")):
        assert (lower_float(ball), upper_float(ball)) == (-math.inf, math.inf)
    huge = arb(10) ** 400
    assert (lower_float(huge), upper_float(huge)) == (float.fromhex("0x1.fffffffffffffp+1023"), math.inf)
    assert (lower_float(-huge), upper_float(-huge)) == (-math.inf, -float.fromhex("0x1.fffffffffffffp+1023"))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_an_extreme_is_found_at_every_place(n: int) -> None:
    letters = sympy.symbols(f"a:{n}", real=True)
    for order in itertools.permutations(range(n)):
        values: Any = dict(zip(letters, (arb(v) for v in order), strict=True))
        assert evaluate_ball(Max(*letters), values) == n - 1
        assert evaluate_ball(Min(*letters), values) == 0


NEAR = Rational(1, 2**1500)


@pytest.mark.parametrize(("kind", "equal"), [(Eq, True), (Le, True), (Ge, True), (Ne, False), (Lt, False), (Gt, False)])
def test_what_no_digits_tell_apart_is_decided_only_if_it_is_equal(kind: Any, equal: bool) -> None:
    for shift in (NEAR, -NEAR):
        assert decide(kind(x, y + shift, evaluate=False), {x: sqrt(2), y: sqrt(2)}) is None
    assert decide(kind(x * x, y, evaluate=False), {x: sqrt(2), y: 2}) is equal
    assert decide(kind(x * y, z, evaluate=False), {x: sqrt(2), y: sqrt(3), z: sqrt(6)}) is equal


@pytest.mark.parametrize("shift", [Rational(1, 2**200), -Rational(1, 2**200)])
def test_the_smaller_of_two_that_are_near_is_found(shift: Any) -> None:
    below, above = sorted((sqrt(2), sqrt(2) + shift), key=lambda v: v == sqrt(2), reverse=bool(shift > 0))
    for pair in ((below, above), (above, below)):
        values = dict(zip((x, y), pair, strict=True))
        assert (symbolic_value(Min(x, y), values) - below).equals(0)
        assert (symbolic_value(Max(x, y), values) - above).equals(0)


def test_powers_of_what_is_irrational() -> None:
    assert _exact_power(x**2, {x: sqrt(2)}) == 2
    for base in (sqrt(2) + 1, sqrt(2)):
        with pytest.raises(NotRational):
            _exact_power(x**3, {x: base})
    with pytest.raises(NotRational):
        evaluate_exact(sympy.pi * 2, {})
    with pytest.raises(NotRational):
        evaluate_exact(sympy.oo, {})


def test_a_branch_that_is_not_taken_may_be_long() -> None:
    chosen = Piecewise((sqrt(x), x > 1), (exp(10**5 * x), True))
    assert isinstance(chosen, Piecewise)
    assert symbolic_value(chosen, {x: 2}) == sqrt(2)


def test_what_sympy_refuses_is_not_rational() -> None:
    class Odd(sympy.Function):
        @classmethod
        def eval(cls, given: Any) -> Any:
            if given.is_number:
                raise ValueError("no")

    with pytest.raises(NotRational):
        symbolic_value(Odd(x), {x: 1})


def test_the_length_is_that_of_the_longest_rational() -> None:
    assert _length(Rational(1, 2) + sqrt(Rational(1, 2**90))) >= 46
    assert _length(sqrt(2) * Rational(3, 2**70) + Rational(1, 2)) == 71
    assert _length(sympy.pi) == 1


def test_a_power_with_a_wide_exponent_is_enclosed() -> None:
    for ends in ((2.9, 3.1), (-1.2, -0.8)):
        middle = (ends[0] + ends[1]) / 2
        found = evaluate_ball(x**y, {x: 2, y: arb(middle, (ends[1] - ends[0]) / 2 + 1e-9)})
        for end in ends:
            assert found.contains(arb(2) ** arb(end).mid())
    assert evaluate_ball(x**y, {x: arb(-1, 2), y: arb(2)}).contains(arb(9))


def test_a_zero_is_precise_at_once() -> None:
    asked: list[int] = []
    assert evaluate_to_precision(lambda: asked.append(1) or arb(0)).is_zero()
    assert len(asked) == 1


def test_a_text_reads_back() -> None:
    for value in (3, -7, Fraction(1, 3), Fraction(-22, 7), sqrt(2), sympy.pi / 3):
        assert exact(exact_text(value)) == value
    assert exact_text(5) == 5
    assert exact_text(Fraction(1, 3)) == "1/3"
    assert exact_text(arb(1)) == str(arb(1))


# Powers of balls around 0 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", range(1, 8))
@pytest.mark.parametrize(("middle", "radius"), [(0, 1), (1, 2), (-1, 2)])
def test_a_whole_power_of_a_ball_around_zero(whole: int, middle: int, radius: int) -> None:
    """It holds the powers of the ends and of the middle, and is no wider than the largest of them."""
    found = ball_power(arb(middle, radius), arb(whole))
    for base in (middle - radius, middle, middle + radius):
        assert found.contains(arb(base) ** whole)
    assert found.is_finite()
    widest = max(abs(middle - radius), abs(middle + radius)) ** whole
    assert abs(found).upper() <= widest * (1 + 1e-6)
    assert not ball_power(arb(middle, radius), arb(-whole)).is_finite()


@pytest.mark.parametrize("n", range(-3, 4))
def test_the_nearest_integer_of_a_ball(n: int) -> None:
    half = arb(fmpq(2 * n + 1, 2))
    assert nearest_of(half) == round(Fraction(2 * n + 1, 2))
    assert nearest_of(half + arb(0, 1e-20)) is None
    assert nearest_of(half + arb("1e-9")) == n + 1
    assert nearest_of(half - arb("1e-9")) == n
    assert nearest_of(arb(n, 0.3)) == n
    assert nearest_of(arb(n, 0.7)) is None
    assert nearest_of(arb(n + 0.75, 0.25)) is None  # from the tie upwards
    assert nearest_of(arb(n + 0.75, 0.125)) == n + 1


# Derivations --------------------------------------------------------------------------------------------------------------

IDS = [i for i in range(-5, 6) if i]


@pytest.fixture(autouse=True)
def _no_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "_derivation_ids", {})


@pytest.mark.parametrize(("a", "b"), list(itertools.product(IDS, IDS)))
def test_derivations_have_the_signs_of_their_numbers(a: int, b: int) -> None:
    """a + b = b + a = -(-a - b), a b = b a = -(-a) b = -a (-b), a/b = -(-a)/b = -a/(-b)."""
    add, times, by = elements._derive_sum, elements._derive_product, elements._derive_quotient
    assert add(a, b) == add(b, a) == -add(-a, -b)
    assert times(a, b) == times(b, a) == -times(-a, b) == -times(a, -b) == times(-a, -b)
    assert by(a, b) == -by(-a, b) == -by(a, -b) == by(-a, -b)


def test_different_numbers_have_different_derivations() -> None:
    letters = {"a": 7, "b": -9, "c": 12}
    made: dict[int, str] = {}
    rules = {"+": elements._derive_sum, "*": elements._derive_product, "/": elements._derive_quotient}
    for one, two in itertools.combinations(letters, 2):
        for sign_one, sign_two in itertools.product((1, -1), repeat=2):
            for name, rule in rules.items():
                got = rule(sign_one * letters[one], sign_two * letters[two])
                what = f"{sign_one if name == '+' else sign_one * sign_two}{one}{name}{sign_two if name == '+' else 1}{two}"
                assert made.setdefault(got, what) == what
            back = rules["/"](sign_two * letters[two], sign_one * letters[one])
            what = f"{sign_one * sign_two}{two}/1{one}"
            assert made.setdefault(back, what) == what
    assert elements._derive_sum(5, -5) == 0
    assert elements._derive_sum(0, 5) == elements._derive_sum(5, 0) == 5
    for unit in (1, -1):
        assert elements._derive_product(unit, 5) == unit * 5
        assert elements._derive_quotient(5, unit) == unit * 5


def test_numbers_of_one_derivation_are_equal_and_their_negatives_are_not() -> None:
    a = Ball(arb(3).sqrt() + arb(0, 1e-3), 50)
    b = Ball(arb(5) + arb(0, 1e-3), 60)
    assert bool(1 / a == 1 / a)
    assert bool((-a) * b == -(a * b))
    assert bool(a - b == -(b - a))
    assert bool(a + b == b + a)
    assert bool(a / -b == -(a / b))
    with pytest.raises(Undecided):
        bool(Ball(arb(0, 1), 50) == Ball(arb(0, 1), 60))


@pytest.mark.parametrize(("value", "other", "sign"), [(1, 2, -1), (2, 1, 1), (1, 1, 0)])
def test_the_order_of_balls(value: int, other: int, sign: int) -> None:
    exactly = Ball(arb(value), 0)
    assert exactly._sign_against(arb(other)) == sign
    assert Ball(arb(value, 0.1), 0)._sign_against(arb(other + 0.5, 0.1)) == (-1 if value < other + 0.5 else 1)
    for wide, against in ((arb(value, 1e-9), arb(value)), (arb(value), arb(value, 1e-9)), (arb(value, 1e-9),) * 2):
        with pytest.raises(Undecided):
            Ball(wide, 0)._sign_against(against)
    assert exactly._sign_against(math.inf) == -1
    assert exactly._sign_against(-math.inf) == 1
    assert exactly._sign_against("a") is None


@pytest.mark.parametrize("value", [1 / 3, -1 / 3, 2**0.5, -(2**0.5), 1e-9 / 3])
def test_a_rounded_number_stands_for_those_around_it(value: float) -> None:
    ball = ball_around(value)
    assert ball.mid() == arb(value)
    assert float(ball.rad()) == pytest.approx(abs(value) * 2.0**-50, rel=1e-6)
    assert ball.contains(arb(math.nextafter(value, 9)))


# Exact numbers ------------------------------------------------------------------------------------------------------------


def test_integers_of_a_step_round_and_truncate_as_pythons_do() -> None:
    for value in (
        Fraction(5, 2),
        Fraction(7, 2),
        Fraction(-5, 2),
        Fraction(1, 3),
        Fraction(-9, 10),
        Fraction(0),
        Fraction(125, 100),
    ):
        own = ExactRational(fmpq(value.numerator, value.denominator))
        assert round(own, 0) == round(own) == round(value)
        assert isinstance(round(own, 0), int)
        assert round(own, 1) == round(value, 1)
        assert math.trunc(own) == math.trunc(value)
        assert math.floor(own) == math.floor(value)
        assert math.ceil(own) == math.ceil(value)


def test_the_number_of_a_round_is_an_integer_until_it_is_divided() -> None:
    three = RoundNumber(fmpq(3))
    assert type(three + 1) is RoundNumber
    assert type(three / 3) is RoundNumber
    assert type(three / 2) is ExactRational
    assert (three / 2).value == fmpq(3, 2)
    assert type(0.5**three) is ExactRational
    assert three.__add__("a") is NotImplemented
    with pytest.raises(TypeError):
        "a" ** ExactInt(2)  # type: ignore[operator]
    assert ExactInt(2).__rpow__("a") is NotImplemented
    assert three.__rpow__("a") is NotImplemented
    assert 3 ** ExactInt(2) == 9


class Above:
    """It compares itself with any number."""

    def __gt__(self, other: object) -> str:
        return "greater"

    def __ge__(self, other: object) -> str:
        return "no less"

    def __lt__(self, other: object) -> str:
        return "less"

    def __le__(self, other: object) -> str:
        return "no more"

    def __eq__(self, other: object) -> Any:
        return "equal"

    def __ne__(self, other: object) -> Any:
        return "another"

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("one", [ExactRational(fmpq(1, 2)), Ball(arb(1, 1)), ExactRational(fmpq(3))], ids=str)
def test_what_is_no_number_answers_for_itself(one: Any) -> None:
    other: Any = Above()
    told = [one < other, one <= other, one > other, one >= other, one == other, one != other]
    assert told == ["greater", "no less", "less", "no more", "equal", "another"]
    for name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "rpow"):
        assert getattr(one, f"__{name}__")("a") is NotImplemented, name


@pytest.mark.parametrize("other", [sympy.true, sympy.FiniteSet(1), sympy.Tuple(1), sympy.I, x, sympy.zoo, sympy.nan])
def test_what_sympy_has_beside_real_numbers_is_refused(other: Any) -> None:
    with pytest.raises(ValueError, match="expected a real number, got"):
        exact(other)


def test_arrays_of_any_shape_are_wrapped() -> None:
    for shape in ((), (0,), (2, 0), (3,), (2, 3), (1, 2, 2)):
        plain = np.empty(shape, dtype=object)
        plain.reshape(-1)[:] = [fmpq(k, 7) for k in range(plain.size)]
        wrapped = wrap_exact(plain)
        assert wrapped.shape == shape
        assert [v.value for v in wrapped.flat] == list(plain.flat)


def test_gradients_of_one_client_at_one_point_are_equal() -> None:
    class Asked:
        def __init__(self, answer: Any) -> None:
            self.answer = answer

    def points(*ids: int) -> np.ndarray:
        return np.array([[Ball(arb(0, 1), i)] for i in ids], dtype=object)

    def told(x: Any, client: Any, k: int = 0, answer: Any = None) -> Any:
        given = points(*[0] * len(x)) if answer is None else answer
        return elements._unify_equal_gradients(Asked(given), given, x, client, k)

    one = told(points(7, 7, 8), np.array([0, 0, 0]))[:, 0]
    assert one[0].made == one[1].made != one[2].made
    other = told(points(7, 7), np.array([0, 1]))[:, 0]
    assert other[0].made == one[0].made != other[1].made
    assert told(points(7), 0, 1)[0, 0].made != one[0].made
    rationals = np.array([[ExactRational(fmpq(1))], [ExactRational(fmpq(1))]], dtype=object)
    mixed = told(rationals, 0)
    assert [v.made for v in mixed[:, 0]] == [0, 0]  # of points that are no balls nothing is known
    plain = np.ones((2, 1))
    assert told(points(7, 7), 0, answer=plain) is plain
    assert told(points(7, 7), 0, answer=rationals) is rationals
    empty = np.empty((0, 1), dtype=object)
    assert told(points(), 0, answer=empty) is empty
    flat = np.array([Ball(arb(0, 1), 7)], dtype=object)
    assert told(points(7), 0, answer=flat) is flat


def test_results_of_other_shapes_do_not_agree() -> None:
    for one, two in (([1.0, 1.0], [1.0]), ([[1.0]], [1.0]), ([1.0, 1.0], 1.0), ([], [1.0])):
        assert not answers_agree(one, two)
        assert not answers_agree(two, one)
    assert answers_agree([1.0], [1.0])
    assert not answers_agree([-1.0], [1.0])


def test_mixed_numbers_stay_rational() -> None:
    for value in (3, Fraction(1, 3), fmpq(2, 7)):
        found = to_mixed(value)  # type: ignore[arg-type]
        assert isinstance(found, fmpq)
        assert str(found) == str(value)
    assert isinstance(to_mixed(arb(1)), arb)
    assert to_mixed(sqrt(2)).contains(arb(2).sqrt())


def test_a_nearby_solution_solves_and_keeps_what_it_can() -> None:
    one = fmpq(1)
    found = nearby_solution([fmpq(1, 2), fmpq(1, 3), fmpq(1, 4)], [{0: one, 1: one}, {1: one, 2: one}], [one, one])
    assert found is not None
    assert (found[0] + found[1], found[1] + found[2]) == (1, 1)
    assert nearby_solution([fmpq(3)], [{0: one}, {0: one}], [one, one]) == [1]
    assert nearby_solution([fmpq(3)], [{0: one}, {0: one}], [one, 2 * one]) is None
    assert nearby_solution([2 * one, fmpq(1, 2)], [{0: one, 1: one}], [3 * one]) == [fmpq(5, 2), fmpq(1, 2)]


def test_parts_and_powers_may_not_be_nested_too_deeply_after_others() -> None:
    for before in ("2**1+", "(1)+", "2**1**1+", "((1))*"):
        for n, fine in ((50, True), (51, False)):
            text = before * 3 + "(" * n + "1" + ")" * n
            if fine:
                assert read_number(text) == 1 + 3 * (eval(before[:-1]) if before[-1] == "+" else 0)
            else:
                with pytest.raises(ValueError, match="more than 50 parentheses or powers"):
                    read_number(text)


def test_the_largest_power_of_a_sum_of_roots() -> None:
    assert read_number("(1+sqrt(2))**200") == (1 + sqrt(2)) ** 200
    assert read_number("(1+sqrt(2))**(-200)") == (1 + sqrt(2)) ** -200
    for power in ("201", "(-201)"):
        with pytest.raises(ValueError, match="a power of more than 200"):
            read_number(f"(1+sqrt(2))**{power}")


def test_numbers_with_leading_zeros_stand_alone() -> None:
    assert read_number("007") == 7
    for text in ("-007", "01-02", "1+01", "(01)", "01/2 "):
        with pytest.raises(ValueError, match="expected a number such as"):
            read_number(text + "*1")


def test_a_signal_of_an_irrational_is_a_signal() -> None:
    with pytest.raises((NotExact, TypeError, ValueError)):
        call_with_signals(lambda: operator.pow(ExactRational(fmpq(2)), ExactRational(fmpq(1, 2))))


def test_the_lower_one_of_two_balls_is_the_smaller() -> None:
    low, high = arb(0.5, 0.25), arb(1.5, 0.25)
    assert smaller_of(low, high) is low
    assert smaller_of(high, low) is low
    assert larger_of(low, high).mid() == larger_of(high, low).mid() == high.mid()
    wide = smaller_of(arb(0.75, 0.5), low)
    for end in (0.25, 0.5, 0.75):
        assert wide.contains(arb(end))


@pytest.mark.parametrize("text", ["cannot cache function", "something else"])
def test_only_a_function_that_cannot_be_kept_is_compiled_without_a_cache(text: str) -> None:
    asked: list[dict[str, Any]] = []

    def compile_by(*signatures: Any, **options: Any) -> Any:
        asked.append(options)

        def made(function: Any) -> Any:
            if "cache" in options:
                raise RuntimeError(f"it says: {text}")
            return function

        return made

    decorate = compiled._compile_cached(compile_by, ("f8",), {"fast": 1})
    if text == "something else":
        with pytest.raises(RuntimeError, match="something else"):
            decorate(len)
        assert asked == [{"cache": True, "fast": 1}]
    else:
        assert decorate(len) is len
        assert asked == [{"cache": True, "fast": 1}, {"fast": 1}]


def test_no_thread_is_left_behind() -> None:
    before = set(threading.enumerate())
    assert kernels.map_threads(lambda v: v * v, range(5), 3) == [0, 1, 4, 9, 16]
    assert set(threading.enumerate()) == before

    def fails(v: int) -> int:
        raise ValueError(str(v))

    with pytest.raises(ValueError, match="0"):
        kernels.map_threads(fails, range(9), 2)
    assert set(threading.enumerate()) == before


def test_numbers_of_classes_of_ones_own_are_read() -> None:
    class Share(Fraction):
        """A number of a user's class."""

    class Count(int):
        """An integer of a user's class."""

    for value in (Share(1, 3), Share(4, 2), Count(7)):
        found = exact(value)
        assert found == value
        assert type(found) in (int, Fraction)


def test_a_root_of_the_number_of_a_round_is_a_ball() -> None:
    for value, root in ((4, 2), (2, None)):
        found = elements.RoundNumberInBalls(fmpq(value)).sqrt()
        if root is None:
            assert isinstance(found, Ball)
            assert found.value.overlaps(arb(2).sqrt())
        else:
            assert bool(found == root)
