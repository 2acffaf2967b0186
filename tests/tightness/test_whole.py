"""Whole runs of tightness and repair with their parts replaced: which part comes when, with which share of the work."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from flint import arb

from fltheory import symbols
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.model.errors import UserError
from fltheory.problems.separable import QuadraticClients
from fltheory.search import whole_class
from fltheory.search.tightness import request
from fltheory.search.tightness.constraints import Fact
from fltheory.search.tightness.request import TightnessTask
from fltheory.search.tightness.table import TableRow
from fltheory.search.tightness.targets import FactTable, WeightTarget, vertex
from fltheory.search.tightness.terms import NoTerms
from fltheory.verification import find
from fltheory.work import BudgetExhausted, spend
from fltheory.worst_case.solver import NoSolver, Unsolved
from fltheory.worst_case.symbolic_run import OutOfReach

F = Fraction
repairing: ModuleType = import_module("fltheory.search.repair.repair")  # the functions of these names hide them
sharpening: ModuleType = import_module("fltheory.search.tightness.tightness")
CLAIM = find("sfl/T7-GC@explicit")
CASE = Case(QuadraticClients(((1,), (2,)), ((1,), (-1,)), (3,)), n_rounds=4, n_local_steps=2, step_size="1/100")


def fact(measured: Any = 1, rate: float = 0.0) -> Fact:
    return Fact(CASE, F(measured), (arb(1),) * 4, arb(0), "exact", rate, "upper", {})


class Hunt:
    """A search for facts that finds what it is given; what it was asked is kept."""

    made: list[Hunt] = []  # noqa: RUF012
    facts_: tuple[Fact, ...] = ()

    def __init__(self, terms: Any, budget: Any, seed: int, settings: Any, most: Any) -> None:
        self.terms, self.budget, self.seed, self.settings, self.most = terms, budget, seed, settings, most
        self.first, self.first_most = budget, most
        self.facts, self.examined, self.cut, self.late, self.reason = list(self.facts_), 9, 8, 7, "why"
        self.started: Any = None
        Hunt.made.append(self)

    def run(self, start: Any) -> None:
        self.started = start
        spend(10.25)

    def rank_facts(self, aim: WeightTarget) -> list[Fact]:
        return self.facts[::-1]


@pytest.fixture(autouse=True)
def _hunts(monkeypatch: pytest.MonkeyPatch) -> None:
    Hunt.made.clear()
    Hunt.facts_ = ()
    monkeypatch.setattr(sharpening, "FactSearch", Hunt)
    monkeypatch.setattr(repairing, "FactSearch", Hunt)


# Tightness --------------------------------------------------------------------------------------------------------------


def sharpened(
    monkeypatch: pytest.MonkeyPatch, limits: Any = None, drops: Any = (), **options: Any
) -> tuple[Any, list[Any]]:
    asked: list[Any] = []
    limit = SimpleNamespace(fact=fact(), value=F(1), aim=WeightTarget())
    found = ((limit,), False) if limits is None else limits

    def searched(terms: Any, hunt: Any, start: Any, most: float) -> Any:
        asked.append(("search", start, most))
        hunt.run(start)
        return found

    def proved(claim: Any, one: Any, last: float, most: float) -> Any:
        asked.append(("prove", most))
        return F(5, 4), "all f"

    def dropped(claim: Any, near: Any, work: float, deadline: float, seed: int) -> Any:
        asked.append(("drop", len(near), work, seed))
        for one in drops:
            if isinstance(one, BaseException):
                raise one
            yield one

    for name, part in (("_search_limits", searched), ("_proved_factor", proved), ("drop_each_condition", dropped)):
        monkeypatch.setattr(sharpening, name, part)
    monkeypatch.setattr(sharpening, "_corners", lambda facts: ("corner",))
    monkeypatch.setattr(sharpening, "growth_exponents", lambda facts: ("growth",))
    return sharpening.tightness(CLAIM, **{"work": 10_000, "seed": 4, **options}), asked


def test_the_work_is_shared_between_search_proof_and_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    Hunt.facts_ = (fact(1, 0.25), fact(2, 0.5))
    told, asked = sharpened(monkeypatch, start=[CASE])
    assert asked == [("search", [CASE], 1000.0), ("prove", 1000.0), ("drop", min(12, len(CLAIM.cases)) + 2, 2000.0, 4)]
    (hunt,) = Hunt.made
    assert (hunt.first.work, hunt.seed, hunt.settings, hunt.most) == (6000.0, 4, {}, None)
    assert (told.examined, told.told, told.cut, told.late, told.reason) == (9, 2, 8, 7, "why")
    assert (told.error_rate, told.work, told.upper, told.scope) == (0.75, 11, F(5, 4), "all f")
    assert (told.corners, told.growth, told.dropped, told.interrupted) == (("corner",), ("growth",), (), False)
    assert len(told.limits) == 1
    told, asked = sharpened(monkeypatch, conditions=False, settings={"n_rounds": 3})
    assert [name for name, *_ in asked] == ["search", "prove"]
    assert (Hunt.made[-1].first.work, Hunt.made[-1].settings) == (8000.0, {"n_rounds": 3})
    _, asked = sharpened(monkeypatch, work=100)
    assert asked[0] == ("search", (), sharpening.MIN_CONFIRM_WORK)


def test_nothing_more_is_begun_without_limits_or_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    for limits, interrupted in ((((), False), False), (((SimpleNamespace(fact=fact()),), True), True)):
        told, asked = sharpened(monkeypatch, limits)
        assert [name for name, *_ in asked] == ["search"]
        assert (told.upper, told.interrupted, told.dropped) == (None, interrupted, ())
    _, asked = sharpened(monkeypatch, max_cases=5)
    assert [name for name, *_ in asked] == ["search", "prove"]
    Hunt.facts_ = (fact(5),)  # it refutes the claim
    _, asked = sharpened(monkeypatch)
    assert [name for name, *_ in asked] == ["search", "prove"]
    Hunt.facts_ = ()
    one = SimpleNamespace(interrupted=False)
    told, _ = sharpened(monkeypatch, drops=[one, SimpleNamespace(interrupted=True)])
    assert (len(told.dropped), told.interrupted) == (2, True)
    told, _ = sharpened(monkeypatch, drops=[one, one])
    assert (len(told.dropped), told.interrupted) == (2, False)
    told, _ = sharpened(monkeypatch, drops=[KeyboardInterrupt()])
    assert told.interrupted
    assert sharpened(monkeypatch)[0].seconds < 10


def test_ctrl_c_leaves_a_little_time_to_confirm(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[float] = []
    told: list[Any] = []

    def limits(terms: Any, hunt: Any, last: float, most: float) -> Any:
        assert most == 7.0
        ends.append(last)
        now = told.pop(0)
        if isinstance(now, BaseException):
            raise now
        return now

    monkeypatch.setattr(sharpening, "_limits", limits)
    hunt = SimpleNamespace(run=lambda start: None)
    told[:] = ["found"]
    assert sharpening._search_limits(None, hunt, (), 7.0) == ("found", False)
    assert ends == [math.inf]
    ends.clear()
    told[:] = [KeyboardInterrupt(), KeyboardInterrupt(), "little"]
    began = time.perf_counter()
    assert sharpening._search_limits(None, hunt, (), 7.0) == ("little", True)
    assert ends[0] == math.inf
    assert 1.5 < ends[1] - began < 3
    assert ends[2] - began < 1
    ends.clear()

    def interrupted(start: Any) -> None:
        raise KeyboardInterrupt

    told[:] = ["found"]
    assert sharpening._search_limits(None, SimpleNamespace(run=interrupted), (), 7.0) == ("found", True)
    assert len(ends) == 1


# Repair -----------------------------------------------------------------------------------------------------------------


def mended(
    monkeypatch: pytest.MonkeyPatch,
    false: bool = False,
    refuted: bool = True,
    survived: int = 2,
    untested: int = 0,
    tried: bool = True,
    error: BaseException | None = None,
    **options: Any,
) -> tuple[Any, list[Any]]:
    asked: list[Any] = []

    class Search:
        def __init__(self, hunt: Any, budget: Any, seed: int, most: Any) -> None:
            asked.append(("tries", budget.work, seed, most))
            self.hunt, self.budget, self.far = hunt, budget, None
            self.survived = [SimpleNamespace(rank=-k) for k in range(survived)]
            self.refuted, self.untested, self.tried = 6, untested, tried

        def run(self) -> None:
            asked.append(("run", self.far, self.hunt.budget is self.budget, self.hunt.most))
            if error is not None:
                raise error

    def far(hunt: Any, most: float) -> Any:
        asked.append(("far", most))
        return "far"

    def own_case(claim: Any, seed: int, deadline: float) -> bool:
        asked.append(("own", seed, deadline))
        return false

    monkeypatch.setattr(repairing, "RepairSearch", Search)
    monkeypatch.setattr(repairing, "add_far_facts", far)
    monkeypatch.setattr(repairing, "_is_refuted_by_own_case", own_case)
    monkeypatch.setattr(repairing, "_is_refuted", lambda hunt: refuted)
    return repairing.repair(CLAIM, **{"work": 1000, "seed": 4, **options}), asked


def test_facts_come_first_and_then_far_ones_and_the_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    Hunt.facts_ = (fact(1), fact(2))
    told, asked = mended(monkeypatch, max_cases=30)
    assert asked == [
        ("tries", 1000, 4, 30),
        ("own", 4, math.inf),
        ("far", pytest.approx(80.0)),
        ("run", "far", True, None),
    ]
    (hunt,) = Hunt.made
    assert (hunt.first.work, hunt.first_most, hunt.seed, hunt.settings) == (300.0, 30, 4, {})
    assert hunt.started == CLAIM.all_cases("full")
    assert [one.rank for one in told.repairs] == [-1, 0]
    assert (told.refuted, told.untested, told.facts, told.cases) == (6, 0, 2, (CASE, CASE))
    assert (told.false, told.interrupted, told.untried, told.ended) == (True, False, "", "")
    assert (told.work, told.given) == (11, 1000)
    assert told.seconds < 10
    Hunt.facts_ = ()
    _, asked = mended(monkeypatch)
    assert [name for name, *_ in asked] == ["tries", "own", "run"]


def test_only_a_false_claim_is_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    told, asked = mended(monkeypatch, False, False, untested=3)
    assert [name for name, *_ in asked] == ["tries", "own"]
    assert (told.false, told.ended, told.untried) == (False, "", "")
    for own, of_facts in ((True, False), (False, True), (True, True)):
        told, asked = mended(monkeypatch, own, of_facts)
        assert told.false
        assert asked[-1][0] == "run"
    told, _ = mended(monkeypatch, False, False, tried=False)
    assert told.untried == ""


def test_what_ended_a_repair_is_told_where_changes_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    most = repairing.MAX_REPAIRS
    for options, ended, untried in (
        ({"untested": 3}, "out of work", ""),
        ({"untested": 0}, "", ""),
        ({"untested": 3, "survived": most}, "", ""),
        ({"untested": 3, "survived": most - 1}, "out of work", ""),
        ({"untested": 3, "tried": False}, "out of work", "out of work"),
        ({"untested": 0, "tried": False}, "", "out of work"),
        ({"error": KeyboardInterrupt()}, "interrupted", ""),
        ({"error": KeyboardInterrupt(), "tried": False}, "interrupted", "interrupted"),
        ({"untested": 3, "seconds": 1e-9}, "out of time", ""),
    ):
        told, _ = mended(monkeypatch, **options)
        assert (told.ended, told.untried) == (ended, untried), options
        assert told.interrupted is isinstance(options.get("error"), KeyboardInterrupt)
    told, _ = mended(monkeypatch, error=BudgetExhausted())
    assert told.interrupted


def test_a_claim_without_a_family_or_a_measure_is_not_repaired() -> None:
    with pytest.raises(NoTerms, match="has no family of instances to search"):
        repairing.repair(replace(CLAIM, family=None))
    with pytest.raises(NoTerms, match="is an external result"):
        repairing.repair(replace(CLAIM, measure=None))
    with pytest.raises(ValueError, match="work must"):
        repairing.repair(CLAIM, work=0)
    with pytest.raises(ValueError, match="seconds must"):
        repairing.repair(CLAIM, seconds=0)


# Whole classes ----------------------------------------------------------------------------------------------------------


def case(rounds: int, steps: int = 2) -> Case:
    return CASE.with_settings(n_rounds=rounds, n_local_steps=steps)


def test_few_classes_of_short_own_cases_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def question(claim: Any, constants: Any) -> Any:
        rounds, steps = constants
        if steps == 3:
            raise OutOfReach
        return (rounds, steps)

    monkeypatch.setattr(whole_class, "question_of_claim", question)
    monkeypatch.setattr(
        whole_class,
        "class_constants",
        lambda claim, one: (one.constants[symbols.n_rounds], one.constants[symbols.n_local_steps]),
    )
    monkeypatch.setattr(whole_class, "inapplicable_reason", lambda claim, one: "out" if one == case(9) else None)

    def asked(*cases: Case) -> list[Any]:
        claim: Any = SimpleNamespace(cases=cases, prepared=lambda one: one)
        found = list(whole_class._questions(claim))
        assert [(c.constants[symbols.n_rounds], c.constants[symbols.n_local_steps]) for c, _ in found] == [
            q for _, q in found
        ]
        return [q for _, q in found]

    assert asked(case(5)) == [(1, 2), (5, 2)]
    assert asked(case(1), case(1)) == [(1, 2)]
    assert asked(case(9)) == [(1, 2)]
    assert asked(case(5, 3), case(5, 1)) == [(1, 1), (5, 1)]  # six steps are few enough, but out of reach
    assert asked(case(5, 4)) == []
    assert asked(*(case(k) for k in range(2, 8))) == [(1, 2), (2, 2), (3, 2), (4, 2)]


@pytest.mark.parametrize("error", [OutOfReach(), Unsolved()])
def test_classes_out_of_reach_are_passed_over(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    answers = {1: error, 2: "found 2", 3: NoSolver(), 4: "found 4"}

    def bracket(asked: int) -> Any:
        now = answers[asked]
        if isinstance(now, BaseException):
            raise now
        return SimpleNamespace(case=now, upper=1, lower=None)

    monkeypatch.setattr(whole_class, "require_question", lambda claim: None)
    monkeypatch.setattr(whole_class, "_questions", lambda claim: iter([(CASE, k) for k in (1, 2, 3, 4)]))
    monkeypatch.setattr(whole_class, "bracket", bracket)
    monkeypatch.setattr(whole_class, "worst_quadratic", lambda asked: ("quadratic" if asked == 2 else None, 0))
    monkeypatch.setattr(whole_class, "without_start", lambda claim, constants: constants)
    monkeypatch.setattr(whole_class, "satisfies_bounds", lambda claim, value, values: True)
    monkeypatch.setattr(whole_class, "_question_text", lambda asked: f"class {asked}")
    assert list(whole_class.attaining_cases(CLAIM)) == ["quadratic", "found 2"]
    assert [a.said for a in whole_class.class_answers(CLAIM)] == ["class 2"]
    answers[2] = SimpleNamespace()
    monkeypatch.setattr(whole_class, "worst_quadratic", lambda asked: (None, 0))
    answers[2] = None  # type: ignore[assignment]
    assert list(whole_class.attaining_cases(CLAIM)) == []

    def unreachable(claim: Any) -> None:
        raise OutOfReach

    monkeypatch.setattr(whole_class, "require_question", unreachable)
    assert list(whole_class.attaining_cases(CLAIM)) == list(whole_class.class_answers(CLAIM)) == []


def test_a_class_is_refuted_by_a_case_that_a_check_calls_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    bad: set[Any] = set()

    def check(claim: Any, one: Any) -> Any:
        asked.append(one)
        return SimpleNamespace(status="violated" if one in bad else "holds")

    monkeypatch.setattr(whole_class, "check_claim", check)
    found: Any = SimpleNamespace(case="attains")
    for quadratic, refuting, told, looks in (
        ("short", {"short", "attains"}, ["short"], ["short"]),
        ("short", {"attains"}, ["attains"], ["short", "attains"]),
        ("short", set[str](), [], ["short", "attains"]),
        (None, {"attains"}, ["attains"], ["attains"]),
    ):
        monkeypatch.setattr(whole_class, "worst_quadratic", lambda asked, q=quadratic: (q, 0))
        asked.clear()
        bad.clear()
        bad |= refuting
        assert list(whole_class._refuting_case(CLAIM, None, found)) == told  # type: ignore[arg-type]
        assert asked == looks


def test_classes_are_said_with_their_constants() -> None:
    asked: Any = SimpleNamespace(functions="convex functions", settings=(("n_rounds", 3), ("step_size", F(1, 9))))
    assert whole_class._question_text(asked) == (
        f"all convex functions in every dimension at {symbols.n_rounds} = 3, {symbols.step_size} = 1/9"
    )
    assert whole_class._steps(CASE) == 4
    assert whole_class._steps(SimpleNamespace(constants={})) == 1  # type: ignore[arg-type]


# Commands ---------------------------------------------------------------------------------------------------------------


def test_the_commands_hand_on_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def searched(claim: Claim, **options: Any) -> Any:
        asked.append((claim.id, options))
        return SimpleNamespace(
            limits=(1,), repairs=(), interrupted=True, seconds=2.5, row=lambda: {"a": 1}, __str__=lambda self: "text"
        )

    monkeypatch.setattr(request, "tightness", searched)
    monkeypatch.setattr(request, "repair", searched)
    task = TightnessTask((CLAIM.id,), 77, 1.5, 3, ("n_rounds=5",))
    told = request.tightness_answer(task)
    assert asked.pop() == (CLAIM.id, {"work": 77, "seconds": 1.5, "seed": 3, "settings": {"n_rounds": 5}})
    assert (told.row, told.told, told.interrupted, told.seconds) == ({"a": 1}, True, True, 2.5)
    with pytest.raises(UserError, match="T7-GC@explicit is not recorded as false: there is nothing to repair"):
        request.repair_answer(task)
    false = replace(task, selectors=("sfl/J@printed",))
    told = request.repair_answer(false)
    assert asked.pop() == ("sfl/J@printed", {"work": 77, "seconds": 1.5, "seed": 3})
    assert told.told is False
    for wrong in ((), (CLAIM.id, "sfl/J@printed")):
        with pytest.raises(UserError, match=f"tightness takes one claim, got {len(wrong)}; --markdown"):
            request.tightness_answer(replace(task, selectors=wrong))
        with pytest.raises(UserError, match=f"repair takes one claim, got {len(wrong)}"):
            request.repair_answer(replace(task, selectors=wrong))

    def refuses(claim: Claim, **options: Any) -> Any:
        raise NoTerms("no terms")

    monkeypatch.setattr(request, "tightness", refuses)
    with pytest.raises(UserError, match="no terms"):
        request.tightness_answer(task)


def test_a_table_has_a_row_for_each_claim_until_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    names = (CLAIM.id, "sfl/U4@explicit", "sfl/J@printed")
    said: list[str] = []

    def row(claim: Claim, work: int, seed: int) -> TableRow:
        assert (work, seed) == (77, 3)
        if claim.id == names[2]:
            raise KeyboardInterrupt
        return TableRow(claim.id, "b", "p", "1.5", "", "", 1)

    monkeypatch.setattr(request, "table_row", row)
    page = request.constants_table(TightnessTask(names[:2], 77, None, 3), said.append)
    assert (page.done, page.of, said) == (2, 2, [f"{names[0]}: 1.5", f"{names[1]}: 1.5"])
    page = request.constants_table(TightnessTask(names, 77, None, 3), said.append)
    assert (page.done, page.of) == (2, 3)
    assert "Interrupted: 2 of 3 claims." in page.text
    with pytest.raises(UserError, match="leave out --set"):
        request.constants_table(TightnessTask(names, 77, None, 3, ("n_rounds=5",)), said.append)


def test_vertices_do_not_depend_on_the_scale_of_a_fact() -> None:
    def made(by: float) -> Any:
        facts = [
            Fact(CASE, F(4) * F(by), (arb(2 * by), arb(by)), arb(0), "exact", 0.0, "upper", {}),
            Fact(CASE, F(3), (arb(1), arb(3)), arb(0), "exact", 0.0, "upper", {}),
            Fact(CASE, F(9), (arb(0), arb(0)), arb(0), "exact", 0.0, "upper", {}),  # no term: nothing to cover it with
        ]
        return vertex(FactTable.of(facts), (1.0, 1.0))

    for by in (1e-200, 1.0, 1e200):
        assert made(by).tolist() == pytest.approx([9 / 5, 2 / 5])
