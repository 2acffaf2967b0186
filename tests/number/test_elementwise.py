"""Functions of exact numbers under numpy's names: enclosed tightly, exact where rational, refused outside of their domain."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Entry
from fltheory.evidence.exact import exact_ball, exact_rational
from fltheory.model.case import Case
from fltheory.number import to_ball
from fltheory.number.elements import Ball, ExactInt, ExactRational, NotExact, Undecided
from fltheory.number.elementwise import BALL_FUNCTIONS, EXACT_FUNCTIONS
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastGap
from fltheory.verification import find

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "oracles.md"
ANYWHERE = ("-7/3", "-1", "-1/10", "0", "1/1000", "1/2", "1", "22/7")
POSITIVE = ("1/1000", "1/2", "1", "8", "1000")
INSIDE = ("-1", "-9/10", "0", "1/3", "1")
# Beside numpy's name: where it is compared, what mpmath calls it, and numbers outside of its domain.
REAL: dict[str, tuple[tuple[str, ...], Callable[[Any], Any], tuple[str, ...]]] = {
    "sqrt": (("0", *POSITIVE), mpmath.sqrt, ("-1", "-1/1000")),
    "cbrt": (ANYWHERE, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), ()),
    "exp": (ANYWHERE, mpmath.exp, ()),
    "exp2": (ANYWHERE, lambda x: mpmath.mpf(2) ** x, ()),
    "expm1": (ANYWHERE, mpmath.expm1, ()),
    "log": (POSITIVE, mpmath.log, ("0", "-1")),
    "log2": (POSITIVE, lambda x: mpmath.log(x) / mpmath.log(2), ("0", "-8")),
    "log10": (POSITIVE, mpmath.log10, ("0", "-1/2")),
    "log1p": (("-9/10", "0", *POSITIVE), mpmath.log1p, ("-1", "-3/2")),
    "sin": (ANYWHERE, mpmath.sin, ()),
    "cos": (ANYWHERE, mpmath.cos, ()),
    "tan": (ANYWHERE, mpmath.tan, ()),
    "arcsin": (INSIDE, mpmath.asin, ("-2", "11/10")),
    "arccos": (INSIDE, mpmath.acos, ("-2", "11/10")),
    "arctan": (ANYWHERE, mpmath.atan, ()),
    "sinh": (ANYWHERE, mpmath.sinh, ()),
    "cosh": (ANYWHERE, mpmath.cosh, ()),
    "tanh": (ANYWHERE, mpmath.tanh, ()),
    "arcsinh": (ANYWHERE, mpmath.asinh, ()),
    "arccosh": (("1", "3/2", "22/7"), mpmath.acosh, ("9/10", "-1")),
    "arctanh": (INSIDE[1:-1], mpmath.atanh, ("1", "-1", "2")),
    "degrees": (ANYWHERE, mpmath.degrees, ()),
    "rad2deg": (ANYWHERE, mpmath.degrees, ()),
    "radians": (ANYWHERE, mpmath.radians, ()),
    "deg2rad": (ANYWHERE, mpmath.radians, ()),
}
PAIRS = {
    "hypot": (mpmath.hypot, (("3", "4"), ("-1/3", "0"), ("0", "0"), ("1", "-22/7"))),
    "arctan2": (mpmath.atan2, (("1", "-1"), ("-1", "-1"), ("0", "2"), ("3", "0"), ("-1/3", "1/7"))),
}


def ball(text: str) -> Ball:
    return Ball(to_ball(Fraction(text)))


def rational(text: str) -> ExactRational:
    return ExactRational(fmpq(*Fraction(text).as_integer_ratio()))


def of(name: str, *values: Any) -> Any:
    """As a step asks numpy for it."""
    return getattr(np, name)(*(np.array([v], dtype=object) for v in values))[0]


def encloses(found: Any, value: Any) -> bool:
    """Whether a ball has a number of mpmath's in it, and little more."""
    near = arb(mpmath.nstr(value, 70)) + arb(0, 1e-60)
    return found.value.overlaps(near) and float(found.value.rad()) < 1e-50


def test_every_function_is_compared() -> None:
    assert {*REAL, *PAIRS} == set(BALL_FUNCTIONS)


@pytest.mark.parametrize("name", REAL)
def test_a_function_is_enclosed_tightly_and_nothing_else_is(name: str) -> None:
    points, reference, _ = REAL[name]
    with ctx.workprec(256), mpmath.workdps(80):
        for point in points:
            found, x = of(name, ball(point)), mpmath.mpf(Fraction(point).numerator) / Fraction(point).denominator
            assert encloses(found, reference(x)), (name, point, found)
            assert not encloses(found, reference(x) + mpmath.mpf(10) ** -40)


@pytest.mark.parametrize("name", PAIRS)
def test_a_function_of_two_is_enclosed_tightly(name: str) -> None:
    reference, points = PAIRS[name]
    with ctx.workprec(256), mpmath.workdps(80):
        for one, two in points:
            values = [mpmath.mpf(Fraction(v).numerator) / Fraction(v).denominator for v in (one, two)]
            found = of(name, ball(one), ball(two))
            assert encloses(found, reference(*values)), (name, one, two, found)
            assert not encloses(found, reference(*values) + mpmath.mpf(10) ** -40)


@pytest.mark.parametrize("name", [name for name in REAL if REAL[name][2]])
def test_outside_of_its_domain_a_function_is_refused_with_the_number(name: str) -> None:
    for point in REAL[name][2]:
        for number in (ball(point), rational(point)):
            with pytest.raises(NotExact, match=re.escape(f"needs {BALL_FUNCTIONS[name].domain}, not ")) as told:
                of(name, number)
            assert not isinstance(told.value, Undecided)


@pytest.mark.parametrize("name", [name for name in REAL if BALL_FUNCTIONS[name].domain])
def test_a_ball_across_the_edge_of_a_domain_asks_for_more_digits(name: str) -> None:
    edges = {"a number of at least 1": 1, "a number above -1": -1, "a number between -1 and 1": 1}
    edge = edges.get(BALL_FUNCTIONS[name].domain, 1 if name.startswith("arc") else 0)
    with pytest.raises(Undecided):
        of(name, Ball(arb(edge, 1e-9)))


def test_roots_of_rationals_stay_rational_where_they_are() -> None:
    for found, value in (
        (of("sqrt", rational("4/9")), Fraction(2, 3)),
        (of("cbrt", rational("-8/27")), Fraction(-2, 3)),
        (of("hypot", rational("3/5"), rational("-4/5")), Fraction(1)),
        (rational("4/9") ** 0.5, Fraction(2, 3)),
        (rational("8/27") ** Fraction(-2, 3), Fraction(9, 4)),
        (4 ** rational("1/2"), Fraction(2)),
        (np.linalg.norm(np.array([[rational("3"), rational("4")]]), axis=1)[0], Fraction(5)),
    ):
        assert isinstance(found, ExactRational)
        assert found == value
    for name, value in (("sqrt", "2"), ("cbrt", "4"), ("sqrt", "4/3"), ("exp", "0")):
        with pytest.raises(NotExact, match="has no value on exact numbers"):
            of(name, rational(value))
    with pytest.raises(NotExact, match="takes a root"):
        rational("-8") ** Fraction(1, 3)  # numpy has none of a negative number


def test_cube_roots_and_arctangents_are_enclosed_around_0() -> None:
    with ctx.workprec(100):
        found = of("cbrt", Ball(arb(0, 8))).value
        assert found.contains(arb(-1.99))
        assert found.contains(arb(1.99))
        assert not found.contains(arb(2.1))
        with pytest.raises(Undecided):  # exact numbers have no -0
            of("arctan2", ball("0"), ball("-1"))
        assert of("hypot", Ball(arb(0, 1)), ball("0")).value.contains(arb("0.5"))


@pytest.mark.parametrize("number", [ball, rational])
@pytest.mark.parametrize("point", ["-5/2", "-7/4", "-1", "-1/4", "0", "1/2", "3/2", "5/2", "11/4"])
def test_whole_numbers_beside_a_number_are_those_of_floats(number: Callable[[str], Any], point: str) -> None:
    x = float(Fraction(point))
    for name in ("floor", "ceil", "trunc", "rint", "fix", "round", "sign", "fabs"):
        assert of(name, number(point)) == getattr(np, name)(x), name
    for other in ("3/4", "-3/4"):
        for name in ("floor_divide", "remainder", "fmod"):
            assert of(name, number(point), number(other)) == getattr(np, name)(x, float(Fraction(other))), name
    assert (7 // number("3/2"), 7 % number("-3/2")) == (4, -0.5)
    assert round(number(point)) == round(x)
    assert np.round(np.array([number("1/8")]), 2)[0] == Fraction(12, 100)


def test_whole_numbers_of_a_ball_that_leaves_them_open_are_not_guessed() -> None:
    third = Ball(to_ball(Fraction(1, 3)))
    near_half = third * Fraction(3, 2)
    for ask in (
        lambda: of("floor", third * 3),
        lambda: of("ceil", third * 3),
        lambda: of("trunc", third * 3),
        lambda: of("rint", near_half),
        lambda: of("round", near_half * 3),
        lambda: of("sign", third * 3 - 1),
        lambda: of("maximum", third * 3, ball("1")),
        lambda: np.clip(np.array([third * 3]), 0, 1),
        lambda: of("floor_divide", third * 3, ball("1")),
        lambda: of("fmod", third * 3, ball("1")),
    ):
        with pytest.raises(Undecided):
            ask()
    assert of("trunc", third * 3 - 1) == 0  # whichever side of 0 it is on
    assert np.clip(np.array([third]), 0, 1)[0] is third


def test_what_is_counted_stays_exact() -> None:
    floor = of("floor", rational("7/2"))
    assert isinstance(floor / 9, ExactRational)
    assert of("sqrt", ExactInt(9)) == 3
    assert of("rint", of("fabs", -floor)) == 3
    with pytest.raises(AttributeError):
        ExactInt(9).unheard_of  # noqa: B018


# As a step asks for them ------------------------------------------------------------------------------------------------


def line(start: str, rounds: int) -> Case:
    """One client, x^2/2."""
    return Case(QuadraticClients((1,), (0,), start), n_rounds=rounds, n_local_steps=1, step_size="1/8")


@pytest.mark.parametrize("name", ["log1p", "arctan", "sinh", "tanh", "arcsinh", "cbrt", "expm1"])
def test_a_step_that_asks_for_it_is_followed_exactly(name: str) -> None:
    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return x - c.step_size * getattr(np, name)(oracle.gradient(x, 0))

    def plain(x: float) -> float:
        return x - float(getattr(np, name)(x)) / 8

    measured = exact_ball(LastGap(), Algorithm("mine", step), line("3/2", 3)).value
    assert float(measured.mid()) == pytest.approx(plain(plain(plain(1.5))) ** 2 / 2, rel=1e-12)
    assert float(measured.rad()) < 1e-14


def test_a_normalised_step_in_one_dimension_stays_rational() -> None:
    """So a tie is told: from 1/3 by eighths it lands beside 0, and from 3/8 on it, where there is no direction left."""

    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        slope = oracle.gradient(x, 0)
        length = np.linalg.norm(slope, axis=1, keepdims=True)
        return x - c.step_size * slope / np.where(length > 0, length, 1)

    for start, value in (("3/8", 0), ("1/3", Fraction(1, 24) ** 2 / 2)):
        measured = exact_rational(LastGap(), Algorithm("mine", step), line(start, 5))
        assert measured is not None
        assert measured.value == value


def test_a_step_outside_of_a_domain_says_which_number() -> None:
    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return np.where(x > -1, np.log1p(x), -x / 2)

    claim = find("sfl/T7@explicit")
    mine = claim.__class__(**{**vars(claim), "algorithm": Algorithm("mine", step), "entry": Entry()})
    verdict = check_claim(mine, line("-3/2", 8))
    assert verdict.evidence == "sampled"
    assert re.search(r"log1p at \S+:\d+ needs a number above -1, not -1.5", verdict.reason), str(verdict)


# The page ----------------------------------------------------------------------------------------------------------------


def told() -> dict[str, set[str]]:
    """The rows of the page's table: how it is followed, and the names."""
    rows = re.findall(
        r"^\| (exactly|in balls|in floats) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return {kind: set(re.findall(r"`(\w+)`", names)) for kind, names in rows}


def followed(ufunc: np.ufunc) -> str:
    """How numpy's function goes on exact numbers."""
    for kind, numbers in (
        ("exactly", (rational("9/16"), rational("25/16"))),
        ("in balls", (ball("9/16"), ball("25/16"))),
    ):
        for x in numbers:
            try:
                ufunc(*[np.array([x])] * ufunc.nin)
            except (TypeError, ValueError, NotExact):
                continue
            return kind
    return "in floats"


OTHERS = {"round", "fix", "clip", "where", "sort", "median"}  # functions of numpy that are none of one element alone


def test_the_page_has_every_function_of_numpy_where_it_belongs() -> None:
    """Of those with floats for arguments, element by element; a page that has one elsewhere, or lacks one, is told apart."""
    found: dict[str, set[str]] = {"exactly": set(), "in balls": set(), "in floats": set()}
    for ufunc in {getattr(np, name) for name in dir(np) if isinstance(getattr(np, name), np.ufunc)}:
        if ufunc.signature is None and any("d" in types for types in ufunc.types):
            found[followed(ufunc)].add(ufunc.__name__)
    found["exactly"] -= set(EXACT_FUNCTIONS)  # of 9/16 they are rational
    found["in balls"] |= set(EXACT_FUNCTIONS)
    page = told()
    assert page["exactly"] - OTHERS == found["exactly"]
    assert page["in balls"] == found["in balls"] == {*BALL_FUNCTIONS, "power"}
    assert page["in floats"] == found["in floats"]
    for name in sorted(OTHERS):
        assert name in page["exactly"]
        values = np.array([rational("9/16"), rational("25/16")])
        more = {"clip": (0, 1), "where": (values, values)}.get(name, ())
        assert {type(v) for v in np.ravel(getattr(np, name)(values, *more))} <= {ExactRational, ExactInt, int}
