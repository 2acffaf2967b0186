"""What a user's measure gives: numbers count as they are, floats as no evidence."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, Inexact, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, ctx, fmpq

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.check import check_claim
from fltheory.evidence import user_values
from fltheory.evidence.measured import AtLeast, AtMost
from fltheory.evidence.user_values import measure_in_ring, notation_of_states, run_values
from fltheory.evidence.verdict import Verdict
from fltheory.model.bound import Dimension
from fltheory.number import BALL, RATIONAL, NotRational
from fltheory.number.elements import ExactRational, NotExact, Undecided
from fltheory.problems import QuadraticClients
from fltheory.runs.measures import LENGTH_SQUARED, DirectMeasure, LastDistance, RunMeasure
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.symbols import initial_distance

CASE = Case(QuadraticClients(("1",), ("0",), 1), n_rounds=2, step_size="1/3")
TENTH, FIFTH = 0.1, 0.2
TABLE, COLUMN = [0.1, 0.2], np.array([0.1, 0.2])


class Share(Fraction):
    """A number of a user's class."""


THREE_TENTHS = sympy.Rational(3, 10)


def of(compute: Callable[..., Any], limit: Any = THREE_TENTHS) -> Verdict:
    claim = theorem("mine", quantity <= limit, measure=DirectMeasure("m", compute), cases=[CASE], key="t")
    return check_claim(claim, CASE)


FLOATS = {
    "sum": lambda case, ring: TENTH + FIFTH,
    "numpy": lambda case, ring: np.float64(TENTH) + np.float64(FIFTH),
    "integer part": lambda case, ring: (TENTH + FIFTH) // 1,
    "random": lambda case, ring: random.random() / 10,
    "scalar": lambda case, ring: ring.scalar(TENTH + FIFTH),
    "fraction": lambda case, ring: Fraction(TENTH) + Fraction(FIFTH),
    "root": lambda case, ring: Fraction(math.sqrt(0.09)),
    "ball": lambda case, ring: arb(TENTH + FIFTH),
    "sympy": lambda case, ring: sympy.Float(TENTH) + sympy.Float(FIFTH),
    "compared": lambda case, ring: Fraction(3, 10) if TENTH + FIFTH <= 0.3 else Fraction(31, 100),
    "lower end": lambda case, ring: AtLeast(TENTH + FIFTH),
    "text": lambda case, ring: "3/10",
    "nothing": lambda case, ring: None,
    "truth": lambda case, ring: False,
    "broken": lambda case, ring: 1 / 0,
    "text of a float": lambda case, ring: Fraction(repr(TENTH + FIFTH)),
    "folded": lambda case, ring: Fraction(repr(0.1 + 0.2)),
    "folded and large": lambda case, ring: Fraction(int((0.1 + 0.2) * 10**17), 10**17),
    "truth of floats": lambda case, ring: Fraction(3, 10) if 0.1 + 0.2 == 0.3 else Fraction(31, 100),
    "table": lambda case, ring: Fraction(str(sum(TABLE))),
    "array": lambda case, ring: Fraction(str(COLUMN.sum())),
    "made a float": lambda case, ring: Fraction(str(float(Fraction(1, 3)))),
    "decimals of a float": lambda case, ring: Fraction(Decimal(TENTH) + Decimal(FIFTH)),
    "decimals that were rounded": lambda case, ring: Fraction(Decimal(1) / Decimal(3)),
    "sum of balls": lambda case, ring: arb(TENTH) + arb(FIFTH),
    "complex": lambda case, ring: 3 / 10 + 0j,
    "bound of a bound": lambda case, ring: AtLeast(AtLeast(Fraction(3, 10))),
}


@pytest.mark.parametrize("compute", FLOATS.values(), ids=FLOATS)
def test_a_formula_in_floats_is_no_evidence(compute: Callable[..., Any]) -> None:
    found = of(compute)
    assert (found.status, found.evidence) == ("inapplicable", None)
    assert found.reason.startswith("m")


REASONS = {
    "a float": (lambda case, ring: np.float64(3) / 10, "is the float 0.3, a rounded number"),
    "a literal": (lambda case, ring: TENTH, r"has the float 0.1 .* write Fraction\('0.1'\)"),
    "a ball of a float": (lambda case, ring: (arb(3) / 10).mid(), "is a ball around the float 0.3 with radius 0"),
    "made a float": (lambda case, ring: float(case.constants[initial_distance]) * 0, "makes floats of numbers"),
    "a text": (lambda case, ring: "3/10", r"is '3/10' \(str\)"),
    "no real number": (lambda case, ring: sympy.I, "expected a real number"),
    "broken": (lambda case, ring: 1 // 0, "ZeroDivisionError"),
    "rounded otherwise": (lambda case, ring: Fraction(str(math.exp(1))), "it changes with the rounding mode"),
    "fraction of a float": (lambda case, ring: Fraction(math.sqrt(2)), "write Fraction"),
}


@pytest.mark.parametrize(("compute", "reason"), REASONS.values(), ids=REASONS)
def test_a_formula_that_is_no_evidence_is_told_why(compute: Callable[..., Any], reason: str) -> None:
    found = of(compute)
    assert found.status == "inapplicable"
    assert re.search(reason, found.reason), found.reason


def test_fractions_are_as_before_once_a_verdict_is_there() -> None:
    before = vars(Fraction)["__new__"]
    of(lambda case, ring: Fraction(3, 10))
    of(lambda case, ring: 1 / 0)
    assert vars(Fraction)["__new__"] is before
    assert Fraction(0.1) != Fraction(1, 10)
    with localcontext() as decimals:
        assert not decimals.traps[Inexact]


def test_an_irrational_value_among_rationals_is_judged_in_balls() -> None:
    assert (of(lambda case, ring: sympy.sqrt(2) / 5).status, of(lambda case, ring: sympy.sqrt(2) / 4).status) == (
        "holds",
        "violated",
    )


EXACT = {
    "fraction": lambda case, ring: Fraction(3, 10),
    "sympy": lambda case, ring: sympy.Rational(3, 10),
    "flint": lambda case, ring: fmpq(3, 10),
    "scalar": lambda case, ring: ring.scalar(Fraction(3, 10)),
    "float that is exact": lambda case, ring: Fraction(0.5) * Fraction(3, 5),
    "root": lambda case, ring: sympy.sqrt(9) / 10,
    "decimals": lambda case, ring: Fraction(Decimal("0.1") + Decimal("0.2")),
    "text": lambda case, ring: Fraction("0.3"),
    "integer of numpy": lambda case, ring: np.int64(3) * Fraction(1, 10),
    "one of numpy": lambda case, ring: (np.int64(1), Fraction(3, 10))[1],
    "subclass": lambda case, ring: Share(3, 10),
}


@pytest.mark.parametrize("compute", EXACT.values(), ids=EXACT)
def test_exact_numbers_of_every_make_count(compute: Callable[..., Any]) -> None:
    assert (of(compute).status, of(compute).evidence, of(compute).ratio) == ("holds", "exact", 1)
    less = of(compute, sympy.Rational(3, 10) - sympy.Rational(1, 10**30))
    assert (less.status, less.evidence) == ("violated", "exact")


def test_irrational_numbers_of_sympy_and_balls_count() -> None:
    for compute in (lambda case, ring: sympy.sqrt(10) / 10, lambda case, ring: arb(10).sqrt() / 10):
        assert (of(compute).status, of(compute).evidence) == ("violated", "exact")
        assert of(compute, sympy.Rational(1, 3)).status == "holds"


def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x, 0)


def in_floats(x: np.ndarray) -> np.ndarray:
    return x.astype(float)


HOW: dict[str, Callable[[np.ndarray], Any]] = {
    "astype": lambda x: (in_floats(x) ** 2).sum(axis=1)[:, None],
    "norm": lambda x: np.linalg.norm(in_floats(x), axis=1)[:, None] ** 2,
    "float": lambda x: np.array([[float(v) ** 2 for v in row][:1] for row in x]),
    "laundered": lambda x: np.array([[Fraction(float(v)) ** 2 for v in row][:1] for row in x], dtype=object),
    "a third": lambda x: (x * x).sum(axis=1)[:, None] * (1 / 3) * 3,
    "plain": lambda x: (x * x).sum(axis=1)[:, None],
    "root": lambda x: (np.sqrt(x * x) ** 2).sum(axis=1)[:, None],
    "compared": lambda x: np.where(x > 0, x * x, 0 * x)[:, :1],
    "fraction": lambda x: np.array([[Fraction(16, 81)]] * len(x), dtype=object),
}


@dataclass(frozen=True)
class Mine(RunMeasure):
    how: str
    name: str = "mine"
    dimension: Dimension = LENGTH_SQUARED

    def values(self, states: np.ndarray, case: Case[Any]) -> np.ndarray:
        return np.asarray(HOW[self.how](states[:, -1]))


def of_run(measure: RunMeasure, limit: Any) -> Verdict:
    claim = theorem("mine", quantity <= limit, measure=measure, algorithm=Algorithm("gd", step), cases=[CASE], key="t")
    return check_claim(claim, CASE)


@pytest.mark.parametrize("how", HOW)
def test_a_measure_of_runs_is_exact_on_exact_numbers_alone(how: str) -> None:
    limit = sympy.Rational(16, 81) * initial_distance**2
    found, exact = of_run(Mine(how), limit), how in ("plain", "root", "compared", "fraction")
    assert (found.status, found.evidence == "exact") == (
        ("holds", True) if exact else ("inconclusive", how == "a third")
    )
    assert of_run(Mine(how), limit * sympy.Rational(10**6, 10**6 + 1)).status == "violated"
    assert of_run(Mine(how), limit * sympy.Rational(10**6 + 1, 10**6)).status == "holds"


class Thousandfold(LastDistance):
    """What is known of the last distance is known of another number."""

    def values(self, states: np.ndarray, case: Case[Any]) -> np.ndarray:
        return super().values(states, case) * 1000


def test_what_is_known_of_a_measure_is_not_known_of_one_that_changes_its_values() -> None:
    found = of_run(Thousandfold(), initial_distance**2)
    assert (found.status, found.evidence) == ("violated", "exact")
    assert found.measured == pytest.approx(16000 / 81)


@dataclass(frozen=True)
class Signed(RunMeasure):
    """The state itself, which noise makes negative: no nonnegative quantity of a run."""

    name: str = "signed"
    dimension: Dimension = LENGTH_SQUARED

    def values(self, states: np.ndarray, case: Case[Any]) -> np.ndarray:
        return states[:, -1, :1] * np.sin(1.0)


def test_simulated_runs_say_nothing_of_the_mean_of_what_may_be_negative() -> None:
    def noisy(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return np.sin(x) * 0 + np.clip(x - oracle.gradient(x, 0) / 2, -3, 3)

    case = Case(QuadraticClients((1,), (0,), 1, noise_std=1), n_rounds=20)
    claim = theorem(
        "signed",
        quantity <= initial_distance**2 / 100,
        measure=Signed(),
        algorithm=Algorithm("gd", noisy),
        cases=[case],
        key="t",
    )
    verdict = check_claim(claim, case)
    assert verdict.status == "inconclusive"
    assert "of a run is negative" in verdict.reason


# What is read of a measure -----------------------------------------------------------------------------------------------


NAMED = DirectMeasure("m", lambda case, ring: 0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (0.5, "m is the float 0.5, a rounded number"),
        (np.float32(0.5), "m is the float 0.5, a rounded number"),
        ((arb(1) / 3).mid(), "is a ball around the float"),
        (True, r"m is True \(bool\)"),
        (np.bool_(True), r"m is .*True.* \(bool"),
        ("1", r"m is '1' \(str\)"),
        (None, r"m is None \(NoneType\)"),
        (sympy.I, "m: expected a real number"),
        (sympy.sqrt(2) * sympy.Float(0.5), "with floats in it"),
        (AtLeast(AtLeast(Fraction(1))), "AtLeast"),
    ],
)
def test_what_is_no_number_of_a_measure(given: Any, words: str) -> None:
    for ring in (BALL, RATIONAL):
        with pytest.raises(VariantError, match=words):
            measure_in_ring(NAMED, given, ring)


def test_numbers_of_a_measure_in_each_ring() -> None:
    for given in (3, Fraction(1, 2), fmpq(1, 2), np.int64(3), sympy.Rational(1, 2), ExactRational(fmpq(1, 2))):
        value = measure_in_ring(NAMED, given, RATIONAL)
        assert isinstance(value, fmpq)
        assert value in (fmpq(1, 2), fmpq(3))
        assert measure_in_ring(NAMED, given, BALL) == arb(value)
    assert measure_in_ring(NAMED, sympy.sqrt(2), BALL).overlaps(arb(2).sqrt())
    for given in (sympy.sqrt(2), arb(2).sqrt()):
        with pytest.raises(NotRational):
            measure_in_ring(NAMED, given, RATIONAL)
    ends = measure_in_ring(NAMED, AtMost(Fraction(1, 2)), RATIONAL)
    assert (type(ends), ends.value) == (AtMost, fmpq(1, 2))
    least = measure_in_ring(NAMED, AtLeast(3), BALL)
    assert (type(least), least.value) == (AtLeast, arb(3))


@pytest.mark.parametrize(("bits", "float_like"), [(47, False), (48, True), (53, True), (54, False)])
def test_an_exact_ball_of_as_many_bits_as_a_float_was_one(bits: int, float_like: bool) -> None:
    with ctx.workprec(100):
        ball = arb(2**bits - 1)
    if float_like:
        with pytest.raises(VariantError, match="is a ball around the float"):
            measure_in_ring(NAMED, ball, BALL)
    else:
        assert measure_in_ring(NAMED, ball, BALL) == ball
    assert measure_in_ring(NAMED, ball, BALL, of_run=True) == ball
    assert measure_in_ring(NAMED, ball + arb(0, 1e-9), BALL).contains(ball)
    assert not measure_in_ring(NAMED, arb("inf"), BALL).is_finite()


def test_values_agree_if_they_may_be_equal() -> None:
    agree = user_values._values_agree
    third = arb(1) / 3
    assert agree(third, third + arb(0, 1e-9))
    assert not agree(arb(1), arb(2))
    assert not agree(arb(1), 1)
    assert agree(arb("nan"), arb(2))
    assert agree(Fraction(1, 2), Fraction(1, 2))
    assert not agree(Fraction(1, 2), Fraction(1, 3))
    assert agree(AtLeast(1), AtLeast(1))
    assert not agree(AtLeast(1), AtMost(1))
    assert not agree(AtLeast(1), AtLeast(2))
    assert not agree(AtLeast(1), 1)


def test_floats_are_found_in_whatever_holds_them() -> None:
    inside = [0.1, (0.2, {"a": np.float64(0.3)})], np.array([0.4, 0.5]), {0.6}, frozenset({0.7}), 1, "0.8"
    assert list(user_values._floats_in(inside)) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert list(user_values._floats_in(np.array([1, 2]))) == []


@pytest.mark.parametrize(
    ("number", "refused"),
    [
        (0.5, False),
        (0.1, True),
        (2.0**53, True),
        (2.0**53 - 1, False),
        (-0.25, False),
        (-(2.0**53), True),
        (math.inf, True),
        (math.nan, True),
    ],
)
def test_a_float_of_a_formula_is_the_decimal_it_prints(number: float, refused: bool) -> None:
    measure = DirectMeasure("m", lambda case, ring: Fraction(number) if number == number else 0)
    if refused:
        with pytest.raises(VariantError, match="m has the float"):
            user_values._require_no_floats(measure)
    else:
        user_values._require_no_floats(measure)


@dataclass(frozen=True)
class Told(RunMeasure):
    """Values that are given, whatever the states are."""

    found: Any = None
    name: str = "told"
    dimension: Dimension = LENGTH_SQUARED

    def values(self, states: np.ndarray, case: Case[Any]) -> Any:
        return self.found

    def read(self, states: np.ndarray, case: Case[Any]) -> Any:
        return self.found


FLOAT_STATES, EXACT_STATES = np.ones((2, 1, 1)), np.array([[[fmpq(1)]], [[fmpq(2)]]], dtype=object)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (np.ones(2), r"told: values gives an array of shape \(2,\), expected \(runs, k\)"),
        (np.ones((3, 1)), r"an array of shape \(3, 1\), expected \(runs, k\)"),
        ([1.0, 2.0], r"told: values gives list, expected \(runs, k\)"),
        (None, "told: values gives NoneType"),
    ],
)
def test_values_have_a_row_for_each_run(found: Any, words: str) -> None:
    for states in (FLOAT_STATES, EXACT_STATES):
        with pytest.raises(VariantError, match=words):
            run_values(Told(found), states, CASE)


def test_constants_of_runs_are_one_for_each_run() -> None:
    for states in (FLOAT_STATES, EXACT_STATES):
        with pytest.raises(VariantError, match=r"told: read gives an array of shape \(2, 1\), expected \(runs,\)"):
            notation_of_states(Told({"a": np.ones((2, 1))}), states, CASE)
    assert notation_of_states(Told({"a": np.array([1, 2])}), FLOAT_STATES, CASE)["a"].tolist() == [1.0, 2.0]


def test_values_of_exact_runs_are_exact() -> None:
    assert run_values(Told(np.array([[1], [2]])), FLOAT_STATES, CASE).dtype == float
    mixed = np.array([[Fraction(1, 2)], [arb(2)]], dtype=object)
    kept = run_values(Told(mixed), EXACT_STATES, CASE)
    assert [type(v) for v in kept[:, 0]] == [fmpq, arb]
    whole = run_values(Told(np.array([[1], [2]])), EXACT_STATES, CASE)
    assert whole[:, 0].tolist() == [fmpq(1), fmpq(2)]
    roots = np.array([[sympy.sqrt(2)], [sympy.Rational(1, 3)]], dtype=object)
    assert [type(v) for v in run_values(Told(roots), EXACT_STATES, CASE)[:, 0]] == [arb, fmpq]
    with pytest.raises(NotEnumerable, match="told has floats for exact numbers"):
        run_values(Told(np.ones((2, 1))), EXACT_STATES, CASE)
    rounded = np.array([[Fraction(1)], [math.pi]], dtype=object)
    with pytest.raises(NotExact, match="a rounded number"):
        run_values(Told(rounded), EXACT_STATES, CASE)


def test_an_error_of_a_measure_is_of_its_numbers() -> None:
    class Broken(Told):
        def values(self, states: np.ndarray, case: Case[Any]) -> Any:
            raise KeyError("what")

    with pytest.raises(VariantError, match="told: KeyError: 'what'"):
        run_values(Broken(), FLOAT_STATES, CASE)
    with pytest.raises(NotEnumerable, match="has no value on exact numbers"):
        run_values(Broken(), EXACT_STATES, CASE)
    for kind in (VariantError, MemoryError, Undecided):

        class Raising(Told):
            def values(self, states: np.ndarray, case: Case[Any], kind: Any = kind) -> Any:
                raise kind("mine")

        for states in (FLOAT_STATES, EXACT_STATES):
            with pytest.raises(kind, match="mine"):
                run_values(Raising(), states, CASE)


def test_a_measure_describes_its_own_values() -> None:
    class Valued(LastDistance):
        def values(self, states: np.ndarray, case: Case[Any]) -> np.ndarray:
            return super().values(states, case)

    class Both(Valued):
        def ceiling(self, case: Case[Any], within: float | None = None) -> float | None:
            return 1.0

    class Pointed(LastDistance):
        def of_points(self, points: np.ndarray, case: Case[Any]) -> np.ndarray:
            return points

    class Reading(LastDistance):
        def read(self, states: np.ndarray, case: Case[Any]) -> Any:
            return {}

    told = {
        kind: user_values.describes_own_values(kind(), "ceiling")
        for kind in (LastDistance, Valued, Both, Pointed, Reading)
    }
    assert list(told.values()) == [True, False, True, False, False]


ONE, THREE = 1, 3


def test_a_formula_that_rounds_on_its_way_is_no_evidence() -> None:
    """There is no float in it, nor in its value."""
    wrong = (
        lambda case, ring: Fraction(int(ONE / THREE * 2**60), 2**60),
        lambda case, ring: AtLeast(Fraction(int(ONE / THREE * 2**60), 2**60)),
    )
    for compute in wrong:
        for ring in (RATIONAL, BALL):
            with pytest.raises(VariantError, match="m calculates in floats: it changes with the rounding mode"):
                user_values.direct_value(DirectMeasure("m", compute), CASE, ring)
    assert user_values.direct_value(
        DirectMeasure("m", lambda case, ring: Fraction(ONE, THREE)), CASE, RATIONAL
    ) == fmpq(1, 3)
    assert user_values.direct_value(DirectMeasure("m", lambda case, ring: arb(ONE) / THREE), CASE, BALL).contains(
        arb(1) / 3
    )


def test_two_values_agree_if_their_balls_overlap() -> None:
    near, other = arb(1, 1e-9), arb(2, 1e-9)
    for wrap in (lambda v: v, AtLeast, AtMost):
        assert user_values._values_agree(wrap(near), wrap(near))
        assert not user_values._values_agree(wrap(near), wrap(other))
        assert user_values._values_agree(wrap(fmpq(1, 3)), wrap(fmpq(1, 3)))
        assert not user_values._values_agree(wrap(fmpq(1, 3)), wrap(fmpq(2, 3)))
    assert not user_values._values_agree(AtLeast(near), AtMost(near))
    assert not user_values._values_agree(AtLeast(near), near)
    assert not user_values._values_agree(near, AtLeast(near))
    assert user_values._values_agree(arb("nan"), near)
