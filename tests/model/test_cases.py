"""Settings against the constants of an instance, kinds of instances, assumptions, cards of cases."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq
from sympy import sqrt

from fltheory import symbols
from fltheory.model import html_cards
from fltheory.model.case import Assumption, Case, OnlyConstants, contradiction, kind_mismatch, ring_of
from fltheory.number import BALL, RATIONAL
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients


class Given:
    """An instance of constants."""

    def __init__(self, **constants: Any) -> None:
        self.constants = {getattr(symbols, name): value for name, value in constants.items()}

    def __repr__(self) -> str:
        return "Given()"


class Free(OnlyConstants, Given):
    """Its settings are its constants."""


def told(value: Any, sides: set[str], name: str = "smoothness", own: Any = 2, kind: Any = Given) -> str | None:
    return contradiction(Case(kind(**{name: own}), **{name: value}), sides)


@pytest.mark.parametrize(
    ("name", "own", "weaker", "stronger", "words"),
    [
        ("smoothness", 2, 3, 1, "it is at least 2"),
        ("noise_std", 2, 3, 1, "it is at least 2"),
        ("response_high", 2, 3, 1, "it is at least 2"),
        ("strong_convexity", 2, 1, 3, "it is at most 2"),
        ("response_low", 2, 1, 3, "it is at most 2"),
    ],
)
def test_a_weaker_bound_of_the_instance_may_be_set_for_upper_bounds(
    name: str, own: int, weaker: int, stronger: int, words: str
) -> None:
    assert told(own, {"upper"}, name, own) is None
    assert told(weaker, {"upper"}, name, own) is None
    message = told(stronger, {"upper"}, name, own)
    assert message == f"{name} = {stronger} contradicts the instance: {words}"
    for sides in ({"lower"}, {"upper", "lower"}, {"equal"}, set[str]()):
        assert told(own, sides, name, own) is None
        assert told(weaker, sides, name, own) == f"{name} = {weaker} contradicts the instance: {words}"


def test_a_constant_that_is_no_bound_may_not_differ() -> None:
    for value in (1, 3):
        assert told(value, {"upper"}, "n_clients") == f"n_clients = {value} contradicts the instance: it is 2"
    assert told(2, {"upper"}, "n_clients") is None
    assert contradiction(Case(Given(smoothness=2), step_size=9), {"upper"}) is None


def test_each_setting_is_compared() -> None:
    case = Case(Given(smoothness=2, n_clients=3), smoothness=2, n_clients=4)
    assert contradiction(case, {"upper"}) == "n_clients = 4 contradicts the instance: it is 3"
    case = Case(Given(smoothness=2, n_clients=3), n_rounds=5, n_clients=3, smoothness=1)
    assert "smoothness = 1" in (contradiction(case, {"upper"}) or "")


def test_an_instance_of_constants_alone_may_have_any() -> None:
    assert told(1, {"upper"}, kind=Free) is None
    assert told(1, {"upper"}) is not None


def test_lower_bounds_on_runs_compare_their_constants_themselves() -> None:
    clients = QuadraticClients((1, 1), (1, -1), 6)
    case = Case(clients, smoothness=5, n_rounds=1, n_local_steps=1, step_size=1)
    assert contradiction(case, {"lower"}) is None
    assert contradiction(case, {"lower", "upper"}) is not None
    assert contradiction(case, {"upper"}) is None
    assert told(1, {"lower"}) is not None


def test_balls_are_compared_as_balls() -> None:
    ball = arb(2, 0.5)
    assert told(ball, {"upper"}, own=ball) is None
    assert "smoothness" in (told(ball, {"upper"}) or "")  # it may be below 2
    assert told(arb(3, 0.5), {"upper"}) is None
    assert "smoothness" in (told(arb(2), {"lower"}) or "")
    assert told(sqrt(5), {"upper"}) is None
    assert told(sqrt(3), {"upper"}) == "smoothness = sqrt(3) contradicts the instance: it is at least 2"


# Kinds -------------------------------------------------------------------------------------------------------------------


def test_a_claim_is_about_its_kinds_of_instances() -> None:
    one, two = QuadraticClients((1,), (0,), 1), PiecewiseQuadraticClients((1,), (2,), (0,), 1)
    assert kind_mismatch(one, []) is None
    assert kind_mismatch(one, [two, one]) is None
    assert kind_mismatch(one, [two]) == "about PiecewiseQuadraticClients, not about QuadraticClients"
    other: Any = Given()
    assert kind_mismatch(other, [two, one]) == "about PiecewiseQuadraticClients or QuadraticClients, not about Given"


def test_kinds_of_one_name_are_told_apart_by_their_modules() -> None:
    twin = type("QuadraticClients", (), {"__module__": "mine", "constants": {}})
    one: Any = QuadraticClients((1,), (0,), 1)
    assert kind_mismatch(twin(), [one]) == (
        "about fltheory.problems.separable.QuadraticClients, not about mine.QuadraticClients"
    )


# Assumptions -------------------------------------------------------------------------------------------------------------


def test_an_assumption_on_the_case_comes_before_one_on_the_step() -> None:
    case = Case(Given(smoothness=2))
    algorithm = object()
    asked: list[Any] = []

    def of_step(step: Any, given: Case) -> str | None:
        asked.append((step, given))
        return "the step"

    plain = Assumption("a", lambda case: None, of_step)
    assert plain.failed(case) is None
    assert asked == []
    assert plain.failed(case, algorithm) == "the step"
    assert asked == [(algorithm, case)]
    assert Assumption("a", lambda case: "the case", of_step).failed(case, algorithm) == "the case"
    assert len(asked) == 1
    assert Assumption("a", lambda case: None).failed(case, algorithm) is None


# Cases -------------------------------------------------------------------------------------------------------------------


def test_settings_may_be_irrational_or_balls() -> None:
    case = Case(Given(smoothness=2), step_size=arb(-1, 0.5))
    assert case.constants[symbols.step_size].mid() == -1  # a ball is judged where it is used
    with pytest.raises(ValueError, match="step_size = -1 is out of its domain: positive"):
        Case(Given(smoothness=2), step_size=-1)


@pytest.mark.parametrize("key", ["smoothness", symbols.smoothness.as_dummy(), 3])
def test_constants_of_an_instance_have_their_symbols(key: Any) -> None:
    odd = Given()
    odd.constants = {key: 2}
    with pytest.raises(ValueError, match=r"in the constants of Given is not in fltheory\.symbols"):
        assert Case(odd).constants


def test_what_is_known_of_the_instance_is_kept_with_other_settings() -> None:
    reads: list[int] = []

    class Counted:
        @property
        def constants(self) -> Any:
            reads.append(1)
            return {symbols.smoothness: 2}

    case = Case(Counted())
    reads.clear()
    unread = case.with_settings(n_rounds=3)
    assert reads == []
    assert unread.constants[symbols.smoothness] == 2
    assert len(reads) == 1
    assert case.constants[symbols.smoothness] == 2
    assert len(reads) == 2
    assert case.with_settings(n_rounds=3).constants == {symbols.smoothness: 2, symbols.n_rounds: 3}
    assert len(reads) == 2


def test_a_case_in_words() -> None:
    given: Any = Given(smoothness=2)
    case = Case(given, step_size="1/3", n_rounds=2)
    assert case.arguments() == "Given(), n_rounds=2, step_size='1/3'"
    assert repr(case) == "Case(Given(), n_rounds=2, step_size='1/3')"
    page = case._repr_html_()
    assert "<code>Given()</code>" in page
    assert "<code>1/3</code>" in page
    assert ">n_rounds<" in page


class Ringed:
    ring = RATIONAL


def test_the_ring_of_each_kind_of_number() -> None:
    for value, ring in ((fmpq(1), RATIONAL), (3, RATIONAL), (arb(1), BALL), (Ringed(), RATIONAL), (Fraction(1), BALL)):
        array = np.empty((1, 1), dtype=object)
        array[0, 0] = value
        assert ring_of(array) is ring
    assert ring_of(np.ones(2)) is None
    assert ring_of(np.ones(2, dtype=int)) is None


# Cards -------------------------------------------------------------------------------------------------------------------


def test_cards_escape_what_they_show() -> None:
    assert html_cards.escape_text("a < $b\\") == "a &lt; <span>$</span>b<span>\\</span>"
    assert html_cards.strong("<") == "<strong>&lt;</strong>"
    assert html_cards.inline(r"a $ < \$ b") == "$a  &lt;  b$"
    assert html_cards.display_latex("a$b") == "$$ab$$"
    assert html_cards.formula_html('a < "b"') == '$$a &lt; "b"$$'
    assert html_cards.inline('"') == '$"$'
    assert html_cards.lines(["a", "b"]) == "a<br/>b"
    page = html_cards.card("t", [("a", "1"), ("b", ""), ("c", "2")])
    assert page.count("<tr>") == 3
    assert ">b<" not in page
    assert "colspan" in page


@pytest.mark.parametrize(("n", "folded"), [(399, False), (400, False), (401, True)])
def test_a_long_line_is_folded_but_never_cut(n: int, folded: bool) -> None:
    line = "<" + "x" * (n - 1)
    shown = html_cards.code(line)
    assert f"<code>&lt;{'x' * (n - 1)}</code>" in shown
    assert shown.startswith("<details>") == folded
    assert (f"<summary><code>&lt;{'x' * 59} ...</code></summary>" in shown) == folded


@pytest.mark.parametrize("name", ["smoothness", "response_low"])
def test_a_ball_that_is_exactly_the_constant_promises_no_more(name: str) -> None:
    assert told(arb(2), {"upper"}, name) is None
    assert told(arb(2, 1e-9), {"upper"}, name) is not None  # it may be stronger


def test_a_setting_that_repeats_the_constant_is_no_contradiction() -> None:
    for name, own, value in (
        ("step_size", Fraction(1, 3), "1/3"),
        ("n_clients", 3000, 3000),
        ("step_size", sqrt(2), sqrt(2)),
    ):
        for sides in ({"upper"}, {"lower"}, {"upper", "lower"}):
            assert told(value, sides, name, own) is None
