"""The most rigorous method that applies decides; nothing is said beyond what it knows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory.evidence import decide
from fltheory.evidence.decide import BoundQuery, ComparableResult, is_vacuous
from fltheory.evidence.measured import AtLeast, Interval, Measured
from fltheory.evidence.verdict import Comparison
from fltheory.evidence.why_inexact import UndecidableTie
from fltheory.model.bound import Bound, Dimension, Source
from fltheory.model.case import Case
from fltheory.number import NotRational, to_float
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import (
    LENGTH_SQUARED,
    DeterministicMeasure,
    DirectMeasure,
    GameMeasure,
    PathMeasure,
    RunMeasure,
)
from fltheory.runs.method import NotEnumerable
from fltheory.symbols import initial_distance, n_clients

HERE = Source("test", "test")
CASE = Case(QuadraticClients((1,), (0,), 2), n_rounds=1, n_local_steps=1, step_size="1/3")
FOUR = Bound(initial_distance**2, HERE)


@dataclass(frozen=True)
class Of(DirectMeasure):
    """A number."""


@dataclass(frozen=True)
class Game(GameMeasure):
    """Games of one value, in [0, 10]."""

    value: float = 1.0
    most: Any = None
    known: Any = (0.0, 10.0)
    name: str = "game"
    dimension: Dimension = LENGTH_SQUARED

    def span(self, case: Case) -> Any:
        return self.known

    def trivial(self, case: Case) -> Any:
        return self.most

    def simulate(self, player: Any, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        return np.full(len(repetitions), self.value)

    def in_floats(self, player: Any, case: Case) -> tuple[float, float]:
        return self.value - 0.25, self.value + 0.5


class Anyones(Game):
    of_any_algorithm = True


@dataclass(frozen=True)
class Run(RunMeasure):
    name: str = "run"
    dimension: Dimension = LENGTH_SQUARED


class Path(PathMeasure):
    name = "path"


class Rule(DeterministicMeasure):
    name = "rule"


def player(own: bool = False, library: bool = True) -> Any:
    return SimpleNamespace(name="mine", own=own, of_library=library, step=lambda: None, within=None)


def query(measure: Any = None, bound: Bound = FOUR, **more: Any) -> BoundQuery:
    measure = Game() if measure is None else measure
    given = {"method": player(), "case": CASE, "stages": (40,), **more}
    return BoundQuery(measure, given.pop("method"), bound.at(given["case"].constants), **given)


# Which method ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "mode", "names"),
    [
        (Rule(), "in expectation", "_evaluate_followed"),
        (Path(), "surely", "_evaluate_all_paths _evaluate_simulated_paths"),
        (Path(), "with probability", "_evaluate_all_paths _evaluate_by_counting"),
        (Path(), "in expectation", "_evaluate_all_paths _bet_on_paths"),
        (Of("m", lambda case, ring: 1), "in expectation", "_evaluate_exactly"),
        (Run(), "surely", "_evaluate_exactly _evaluate_sampled"),
        (Game(), "surely", "_evaluate_exactly _evaluate_sampled"),
        (Game(), "in expectation", "_evaluate_exactly _evaluate_in_floats _evaluate_by_betting"),
        (Run(), "in expectation", "_evaluate_exactly _evaluate_single_path _evaluate_statistically"),
    ],
)
def test_exact_methods_come_first(measure: Any, mode: Any, names: str) -> None:
    assert [f.__name__ for f in decide.evaluation_methods(query(measure, mode=mode))] == names.split()


def through(monkeypatch: pytest.MonkeyPatch, question: BoundQuery, *ways: Any) -> tuple[Any, Measured, Any]:
    """What is decided where the methods give these, or raise them."""

    def of(told: Any) -> Any:
        def way(asked: BoundQuery) -> Comparison:
            assert asked is question
            if isinstance(told, Exception):
                raise told
            return Comparison(*told)

        return way

    monkeypatch.setattr(decide, "evaluation_methods", lambda asked: tuple(map(of, ways)))
    return decide.decide_bound(question)


EXACT, FLOATS = Measured(Fraction(3), "exact"), Measured(Interval(2.0, 3.0), "numerical")


def test_the_first_method_that_applies_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    question = query()
    assert through(monkeypatch, question, ("holds", EXACT, 4), ("violated", FLOATS, 4)) == ("holds", EXACT, 4)
    assert through(monkeypatch, question, (None, EXACT, 4), ("violated", FLOATS, 4))[0] == "inconclusive"
    for missing in (NotEnumerable("no"), NotRational("no")):
        assert through(monkeypatch, question, missing, ("violated", FLOATS, 4)) == ("violated", FLOATS, 4)
    with pytest.raises(NotEnumerable, match="the last"):
        through(monkeypatch, question, NotEnumerable("the first"), NotEnumerable("the last"))
    with pytest.raises(NotEnumerable, match="the exact value of m can't be computed"):
        through(monkeypatch, query(Of("m", lambda case, ring: 1)), NotEnumerable("no"))


def test_a_tie_that_no_digits_decide_is_no_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    question = query()
    assert through(monkeypatch, question, UndecidableTie("tie"), ("violated", FLOATS, 4))[0] == "inconclusive"
    assert through(monkeypatch, question, UndecidableTie("tie"), ("holds", FLOATS, 4))[0] == "holds"
    assert through(monkeypatch, question, NotEnumerable("no"), ("violated", FLOATS, 4))[0] == "violated"
    several = (NotEnumerable("no"), UndecidableTie("tie"), ("violated", FLOATS, 4))
    assert through(monkeypatch, question, *several)[0] == "violated"  # the first reason counts
    several = (UndecidableTie("tie"), NotEnumerable("no"), ("violated", FLOATS, 4))
    assert through(monkeypatch, question, *several)[0] == "inconclusive"


def test_why_a_value_is_not_exact_is_said_of_users_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    with decide_without_rounding(monkeypatch):
        mine = query(method=player(library=False))
        told = through(monkeypatch, mine, NotEnumerable("too many paths"), ("holds", FLOATS, 4))
        assert "too many paths: followed in floats" in told[1].why
        assert through(monkeypatch, mine, ("holds", FLOATS, 4))[1].why == ""
        known = query(method=player(library=True))
        assert through(monkeypatch, known, NotEnumerable("too many paths"), ("holds", FLOATS, 4))[1].why == ""


def decide_without_rounding(monkeypatch: pytest.MonkeyPatch) -> Any:
    from fltheory.evidence.validation.replay import skip_comparison

    monkeypatch.setattr(decide, "rounding_sensitivity", lambda *given: pytest.fail("it is skipped"))
    return skip_comparison()


# Bounds that say nothing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "vacuous"),
    [(Fraction(7, 2), False), (4, False), (4 + Fraction(1, 10**12), True), (arb(4, 1), False), (9, True)],
)
def test_an_upper_bound_beyond_the_trivial_one_is_vacuous(limit: Any, vacuous: bool) -> None:
    assert is_vacuous(Game(most=4), CASE, FOUR, limit) == vacuous
    assert not is_vacuous(Game(), CASE, FOUR, limit)
    assert not is_vacuous(Game(most=4), CASE, replace(FOUR, side="equal"), limit)


@pytest.mark.parametrize(("limit", "vacuous"), [(-1, True), (0, True), (Fraction(1, 10**9), False), (arb(0, 1), True)])
def test_a_lower_bound_of_nothing_is_vacuous_unless_the_number_may_be_negative(limit: Any, vacuous: bool) -> None:
    below = replace(FOUR, side="lower")
    number = Bound(n_clients, HERE, side="lower")
    assert is_vacuous(Game(), CASE, below, limit) == vacuous
    assert is_vacuous(Of("m", lambda case, ring: 1), CASE, below, limit) == vacuous
    assert not is_vacuous(Of("m", lambda case, ring: 1), CASE, number, limit)
    assert is_vacuous(Game(), CASE, number, limit) == vacuous


def test_only_what_holds_is_vacuous(monkeypatch: pytest.MonkeyPatch) -> None:
    question = query(Game(most=3))
    assert through(monkeypatch, question, ("holds", EXACT, 4))[0] == "vacuous"
    assert through(monkeypatch, question, ("violated", EXACT, 4))[0] == "violated"
    assert through(monkeypatch, question, (None, EXACT, 4))[0] == "inconclusive"
    assert through(monkeypatch, question, ("holds", EXACT, 3))[0] == "holds"


# Exact values ------------------------------------------------------------------------------------------------------------


def exactly(value: Any, side: Any, **more: Any) -> Comparison:
    return decide._evaluate_exactly(query(Of("m", lambda case, ring: value), replace(FOUR, side=side), **more))


@pytest.mark.parametrize("kind", ["at_least", "at_most"])
@pytest.mark.parametrize("side", ["upper", "lower", "equal"])
@pytest.mark.parametrize("value", [3, 5])
def test_a_value_known_from_one_side_decides_on_that_side_alone(kind: str, side: str, value: int) -> None:
    """At least 5 breaks a bound of at most 4 and confirms one of at least 4; at least 3 does neither."""
    measured = Measured(arb(value), "exact", **{kind: True})
    found = decide._evaluate_exactly(query(bound=replace(FOUR, side=side), shared={"exact": measured}))
    wanted = {
        ("at_least", "upper", 5): "violated",
        ("at_least", "lower", 5): "holds",
        ("at_most", "upper", 3): "holds",
        ("at_most", "lower", 3): "violated",
    }
    assert found.status == wanted.get((kind, side, value))
    assert found.measured is measured


def test_a_tie_is_decided_in_rationals(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def rational(*given: Any) -> Measured:
        asked.append(given)
        return Measured(Fraction(4), "exact")

    monkeypatch.setattr(decide, "exact_rational", rational)
    tie = Measured(arb(4, 1e-20), "exact")
    for side in ("upper", "lower", "equal"):
        found = decide._evaluate_exactly(query(bound=replace(FOUR, side=side), shared={"exact": tie}))
        assert (found.status, found.limit) == ("holds", 4)
    assert len(asked) == 3
    clear = Measured(arb(5), "exact")
    assert decide._evaluate_exactly(query(shared={"exact": clear})).status == "violated"
    assert len(asked) == 3  # not asked where balls decide
    other = decide._evaluate_exactly(query(bound=replace(FOUR, side="equal"), shared={"exact": clear}))
    assert len(asked) == 4  # an equality is shown in rationals
    assert other.status == "holds"
    monkeypatch.setattr(decide, "exact_rational", lambda *given: None)
    assert decide._evaluate_exactly(query(shared={"exact": tie})).status is None


def test_an_irrational_bound_is_compared_at_high_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    from flint import ctx
    from sympy import sqrt

    near = Fraction(math.isqrt(2 * 10**400), 10**200)  # the root of 2, cut off after 200 digits
    monkeypatch.setattr(decide, "exact_rational", lambda *given: Measured(near, "exact"))
    bound = Bound(sqrt(initial_distance), HERE)
    with ctx.workprec(60):
        coarse = Measured(arb(2).sqrt() + arb(0, 1e-10), "exact")
    assert decide._evaluate_exactly(query(bound=bound, shared={"exact": coarse})).status == "holds"
    assert (
        decide._evaluate_exactly(query(bound=replace(bound, side="lower"), shared={"exact": coarse})).status
        == "violated"
    )


def test_the_exact_value_is_computed_once_for_several_bounds() -> None:
    asked: list[Any] = []
    measure = Of("m", lambda case, ring: asked.append(ring) or 3)
    shared: dict[str, Measured] = {}
    for _ in range(2):
        assert decide._evaluate_exactly(query(measure, shared=shared)).status == "holds"
    first = len(asked)
    decide._evaluate_exactly(query(measure, shared=shared))
    assert len(asked) == first
    assert shared["exact"].value == 3


def test_an_exact_value_from_one_side_keeps_what_it_is() -> None:
    found = exactly(AtLeast(Fraction(5)), "upper")
    assert (found.status, found.measured.at_least) == ("violated", True)
    assert exactly(AtLeast(Fraction(3)), "upper").status is None


# Simulated evidence ------------------------------------------------------------------------------------------------------


def test_without_runs_there_is_no_simulated_evidence() -> None:
    for way in (decide._evaluate_by_betting, decide._evaluate_statistically):
        with pytest.raises(NotEnumerable, match="game can be estimated only from simulated runs"):
            way(query(stages=()))
    for way in (decide._evaluate_simulated_paths, decide._evaluate_by_counting, decide._bet_on_paths):
        with pytest.raises(NotEnumerable, match="path can be estimated only from simulated runs"):
            way(query(Path(), stages=()))
    with pytest.raises(NotEnumerable, match="the mean of game can't be computed"):
        decide._evaluate_by_betting(query(Game(known=None)))


@pytest.mark.parametrize(
    ("measure", "own", "trusted"),
    [(Game(1.0), True, True), (Game(1.0), False, False), (Anyones(1.0), False, True), (Anyones(1.0), True, True)],
)
def test_a_range_is_trusted_of_known_methods_or_if_it_is_of_any(measure: Game, own: bool, trusted: bool) -> None:
    """Games of value 1 against a bound of 4: only a range lets them confirm it."""
    found = decide._evaluate_by_betting(query(measure, method=player(own), stages=(400,)))
    assert math.isfinite(found.measured.value.high) == trusted
    assert found.status == ("holds" if trusted else None)
    above = decide._evaluate_by_betting(query(replace(measure, value=9.0), method=player(own), stages=(400,)))
    assert above.status == "violated"
    assert above.measured.n_seeds < 400


@pytest.mark.parametrize(("side", "low", "high"), [("upper", "holds", "violated"), ("lower", "violated", "holds")])
def test_bets_decide_by_their_interval_not_by_their_mean(side: Any, low: str, high: str) -> None:
    bound = replace(FOUR, side=side)
    for value, status in ((1.0, low), (9.0, high), (3.9, None), (4.1, None), (4.0, None)):
        found = decide._evaluate_by_betting(query(Anyones(value), bound, stages=(60,), error_rate=1e-6))
        assert found.status == status
        assert to_float(found.limit) == 4
        assert found.measured.error_rate == 1e-6


def test_what_reaches_the_simulation_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The size of the limit, the side, whether the method is known, the rate, the seed and the looks."""
    seen: list[tuple[Any, ...]] = []
    between = [Interval(1.0, 2.0)]

    def estimate(measure: Any, method: Any, case: Any, size: float, decided: Any, *rest: Any) -> Measured:
        seen.append(
            (size, decided(Interval(1.0, 2.0)), decided(Interval(3.0, 5.0)), decided(Interval(5.0, 6.0)), *rest)
        )
        return Measured(between[0], "statistical")

    monkeypatch.setattr(decide, "estimate_sequentially", estimate)
    for side, own in (("upper", True), ("lower", False)):
        question = query(Run(), replace(FOUR, side=side), method=player(own), error_rate=0.25, seed=7)
        found = decide._evaluate_statistically(question)
        assert found.status == ("holds" if side == "upper" else "violated")
        assert seen[-1] == (4.0, True, False, True, 0.25, 7, own, (40,), side == "upper")
    negative = Bound(-(initial_distance**2), HERE)
    assert decide._evaluate_statistically(query(Run(), negative)).status == "violated"
    assert seen[-1][0] == 4.0


def test_what_reaches_the_bets_on_games(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, ...]] = []

    def bets(measure: Any, method: Any, case: Any, limit: float, decided: Any, *rest: Any) -> Measured:
        told = [decided(Interval(*ends)) for ends in ((1.0, 2.0), (3.0, 5.0), (5.0, 6.0))]
        seen.append((limit, *told, *rest))
        return Measured(Interval(1.0, 2.0), "statistical")

    monkeypatch.setattr(decide, "bet_sequentially", bets)
    found = decide._evaluate_by_betting(query(method=player(True), error_rate=0.25, seed=7))
    assert found.status == "holds"
    assert seen == [(4.0, True, False, True, 0.25, 7, True, (40,))]


def test_what_reaches_the_methods_of_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, tuple[Any, ...]] = {}
    for name in ("evaluate_all_paths", "check_simulated_paths", "count_violating_paths", "bet_on_difference"):
        monkeypatch.setattr(decide, name, lambda *given, name=name: seen.setdefault(name, given))
    question = query(Path(), mode="with probability", failure=Fraction(1, 9), error_rate=0.25, seed=7, stages=(90, 300))
    for way in ("_evaluate_all_paths", "_evaluate_simulated_paths", "_evaluate_by_counting", "_bet_on_paths"):
        getattr(decide, way)(question)
    own = (question.measure, question.method, FOUR, CASE)
    assert seen["evaluate_all_paths"] == (*own, "with probability", Fraction(1, 9))
    assert seen["check_simulated_paths"] == (*own, 7, 9)
    assert seen["count_violating_paths"] == (*own, Fraction(1, 9), 0.25, 7, (90, 300))
    assert seen["bet_on_difference"] == (*own, 0.25, 7, (90, 300))


def test_games_in_floats_are_numerical_evidence() -> None:
    found = decide._evaluate_in_floats(query(Game(3.0)))
    assert (found.status, found.measured.value, found.measured.evidence) == ("holds", (2.75, 3.5), "numerical")
    assert decide._evaluate_in_floats(query(Game(3.75))).status is None
    assert decide._evaluate_in_floats(query(Game(4.5))).status == "violated"


# Rounding of a user's own arithmetic -------------------------------------------------------------------------------------


def widened(monkeypatch: pytest.MonkeyPatch, off: float, told: Comparison, **more: Any) -> Comparison:
    monkeypatch.setattr(decide, "rounding_sensitivity", lambda *given: off)
    return decide._widen_by_rounding(query(**{"method": player(library=False), **more}), told)


def test_an_interval_is_widened_by_rounding_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the relative effect times the sizes of the limit and of the value."""
    told = Comparison("holds", Measured(Interval(2.0, 3.0), "sampled"), Fraction(4))
    found = widened(monkeypatch, 0.01, told)
    off = 0.01 * (4 + 2.5)
    assert found.measured.value == (pytest.approx(2 - off), pytest.approx(3 + off))
    assert found.status == "holds"
    assert found.measured.note == f"rounding in its own arithmetic may change it by {off:.2g}, so floats can't decide"
    assert widened(monkeypatch, 0.2, told).status is None
    below = Comparison("holds", Measured(Interval(-3.0, -2.0), "sampled"), Fraction(-4))
    assert widened(monkeypatch, 0.01, below).measured.value == (pytest.approx(-3 - off), pytest.approx(-2 + off))
    said = told._replace(measured=replace(told.measured, note="mine"))
    assert widened(monkeypatch, 0.2, said).measured.note == "mine"
    assert widened(monkeypatch, 0.01, told, measure=Run()).measured.value == found.measured.value


def test_rounding_within_the_budget_of_floats_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Comparison("holds", Measured(Interval(2.0, 3.0), "sampled"), Fraction(4))
    assert widened(monkeypatch, 1e-9, told) is told
    assert widened(monkeypatch, 1.1e-9, told) is not told


def test_where_no_interval_can_be_widened_nothing_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    for told, measure in (
        (Comparison("holds", Measured(Fraction(3), "numerical"), Fraction(4)), Game()),
        (Comparison("holds", Measured(Interval(2.0, 3.0), "sampled"), Fraction(4)), Path()),
    ):
        found = widened(monkeypatch, 0.01, told, measure=measure)
        assert (found.status, found.measured.value) == (None, told.measured.value)
        assert "rounding in its own arithmetic may change it" in found.measured.note


def test_rounding_is_no_matter_of_exact_values_or_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Comparison("holds", Measured(Interval(2.0, 3.0), "sampled"), Fraction(4))
    exact = Comparison("holds", Measured(Fraction(3), "exact"), Fraction(4))
    assert widened(monkeypatch, 1.0, exact) is exact
    assert widened(monkeypatch, 1.0, told, method=player(library=True)) is told
    assert widened(monkeypatch, 1.0, told, method=None) is told
    assert widened(monkeypatch, 1.0, told, measure=Rule()) is told
    assert widened(monkeypatch, 1.0, told) is not told
    with decide_without_rounding(monkeypatch):
        assert decide._widen_by_rounding(query(method=player(library=False)), told) is told


# Answers of two processes ------------------------------------------------------------------------------------------------


def result(value: Any, status: str = "holds") -> ComparableResult:
    return ComparableResult.of((status, Measured(value, "exact"), None))  # type: ignore[arg-type]


def test_answers_are_the_same_up_to_the_last_digits_of_floats() -> None:
    base = result(Interval(1.0, 3.0))
    assert base.value == 2.0
    assert base.same(result(Interval(1.0, 3.0 + 3e-6)))
    assert not base.same(result(Interval(1.0, 3.0 + 5e-6)))
    assert not base.same(result(Interval(1.0, 3.0), "violated"))
    assert not base.same("holds")
    assert not base.same(result(Fraction(2)))
    assert not result(Fraction(2)).same(base)
    assert result(Interval(0.0, math.inf)).same(result(Interval(0.0, math.inf)))
    assert not result(Interval(0.0, 0.0)).same(result(Interval(1e-12, 1e-12)))
    assert result(Interval(math.inf, math.inf)).same(result(Interval(math.inf, math.inf)))


def test_answers_of_exact_numbers_are_the_same_to_all_digits() -> None:
    assert result(Fraction(1, 3)).same(result(Fraction(1, 3)))
    assert not result(Fraction(1, 3)).same(result(Fraction(1, 3) + Fraction(1, 10**40)))
    third = arb(1) / 3
    assert result(third).same(result(third + arb(0, 1e-20)))
    assert not result(third).same(result(third + arb(1e-13)))
    assert result(third).value == "0.333333333333333"


def test_a_question_knows_its_bound_its_name_and_its_side() -> None:
    assert query().bound is FOUR
    assert query().name == "mine"
    assert query(method=None).name == "game"
    assert query(mode="surely").surely
    assert not query(mode="with probability").surely
    assert query().told(Measured(Fraction(5), "exact"), 4).status == "violated"
    assert query(bound=replace(FOUR, side="lower")).told(Measured(Fraction(5), "exact"), 4).status == "holds"
