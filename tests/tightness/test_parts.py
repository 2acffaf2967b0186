"""The parts of a search for the least constants, each by hand: facts and their cost, limits, conditions, what is said."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb

from fltheory.claims.check import ERROR_RATE, check_claim, inapplicable_reason
from fltheory.evidence.measured import STAGES, Interval, Measured
from fltheory.evidence.validation.replay import is_comparison_skipped
from fltheory.model.case import Case
from fltheory.problems.separable import QuadraticClients
from fltheory.search.deadline import DeadlinePassed
from fltheory.search.history import CheckFailed
from fltheory.search.local_search import ScoredCase
from fltheory.search.neighbours import leaves
from fltheory.search.portfolio import Budget
from fltheory.search.repair.arrays import MAX_COMPARED, make_sample
from fltheory.search.tightness import constraints, hardest_cases, table, targets
from fltheory.search.tightness import drop_condition as dropping
from fltheory.search.tightness.answer import Corner, Limit, TightnessResult, format_number, reproducer
from fltheory.search.tightness.constraints import Fact, UninformativeCase, certified_end, fact_of
from fltheory.search.tightness.drop_condition import DroppedCondition, conditions_of, drop_condition
from fltheory.search.tightness.growth import GrowthExponent, growth_exponent, growth_exponents
from fltheory.search.tightness.hardest_cases import FactSearch, Scorer
from fltheory.search.tightness.targets import FactTable, WeightTarget, confirm_weights, weight_targets
from fltheory.search.tightness.terms import NoTerms, is_yes_no, terms_of, whole_bound_terms
from fltheory.symbols import n_rounds, step_size
from fltheory.verification import find
from fltheory.work import BudgetExhausted, Meter, separate_meter, spend

F = Fraction
tightness: ModuleType = import_module("fltheory.search.tightness.tightness")  # the function of that name hides it
CLAIM, LOWER, FIXED = find("sfl/T7-GC@explicit"), find("sfl/J@printed"), find("sfl/U4@explicit")
TERMS = terms_of(CLAIM)
INSTANCE = QuadraticClients(((1,), (2,)), ((1,), (-1,)), (3,))
PAST = -1e9  # of the clock that deadlines are read from


def case(rounds: int = 4, step: str = "1/100") -> Case:
    return Case(INSTANCE, n_rounds=rounds, n_local_steps=2, step_size=step)


CASE = case()


def fact(measured: Any, terms: tuple[Any, ...], fixed: Any = 0, side: str = "upper", **changes: Any) -> Fact:
    made = Fact(CASE, F(measured), tuple(arb(t) for t in terms), arb(fixed), "exact", 0.0, side, {})
    return replace(made, **changes)


def raising(error: BaseException, units: float = 0.0) -> Callable[..., Any]:
    def call(*_: Any, **__: Any) -> Any:
        spend(units)
        raise error

    return call


def hunt(work: float = 1000.0, deadline: float = math.inf, settings: Any = None, most: int | None = None) -> FactSearch:
    return FactSearch(TERMS, Budget(work, Meter(work), deadline), 3, settings or {}, most)


# Facts ------------------------------------------------------------------------------------------------------------------


def test_a_fact_has_the_measured_value_and_the_terms_of_the_bound() -> None:
    made = fact_of(TERMS, CASE, 1e-9, 0, STAGES[:1])
    verdict = check_claim(CLAIM, CASE)
    assert float(made.measured) == pytest.approx(verdict.measured)
    assert sum(made.row) == pytest.approx(verdict.limit)
    assert (made.evidence, made.error_rate, made.side, made.case) == ("exact", 0.0, "upper", CASE)
    constants = CLAIM.bound.complete(CLAIM.prepared(CASE).constants)
    for expr, value in zip(TERMS.exprs, made.row, strict=True):
        assert value == pytest.approx(float(expr.subs({s: constants[s] for s in expr.free_symbols})))
    with pytest.raises(UninformativeCase):
        fact_of(TERMS, case(step="1000"), 1e-9, 0, STAGES[:1])


def test_yes_or_no_is_a_fact_beside_one(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = find("fedcg/T3.5@printed")
    assert is_yes_no(chance)
    assert not is_yes_no(CLAIM)
    terms = whole_bound_terms(chance)
    assert terms.exprs == (1,)
    own: Any = SimpleNamespace(constants={})
    monkeypatch.setattr(constraints, "apply_claim", lambda claim, one: (own, [None]))
    monkeypatch.setattr(constraints, "question_for", lambda *given: None)
    status = "holds"
    told = Measured(Interval(0.0, 1.0), "statistical", error_rate=0.25)
    monkeypatch.setattr(constraints, "evaluate_question", lambda *given: (status, told, None))
    made = fact_of(terms, CASE, 1e-9, 0, STAGES[:1])
    assert (made.measured, made.evidence, made.error_rate) == (1, "statistical", 0.25)
    assert made.refutes([F(1)]) is False
    status = "violated"
    made = fact_of(terms, CASE, 1e-9, 0, STAGES[:1])
    assert made.measured == 2
    assert made.refutes([F(1)]) is True
    status = "inconclusive"
    with pytest.raises(UninformativeCase, match="undecided whether the bound holds"):
        fact_of(terms, CASE, 1e-9, 0, STAGES[:1])
    low = replace(terms, claim=replace(chance, bounds=(replace(chance.bound, side="lower"),)))
    status = "violated"
    assert fact_of(low, CASE, 1e-9, 0, STAGES[:1]).measured == 0


def test_an_end_is_taken_on_the_side_of_the_bound() -> None:
    assert float(certified_end(Measured(F(1, 3), "exact"), "equal")) == pytest.approx(1 / 3)
    assert certified_end(Measured(arb(0.5), "exact"), "equal") == F(1, 2)
    assert certified_end(Measured(Interval(1.0, 2.0), "statistical"), "lower") == 2
    assert certified_end(Measured(Interval(1.0, 2.0), "statistical"), "upper") == 1
    assert certified_end(Measured(2, "exact", at_least=True), "upper") == 2
    assert certified_end(Measured(2, "exact", at_most=True), "lower") == 2
    for half, side in ((Measured(2, "exact", at_most=True), "upper"), (Measured(2, "exact", at_least=True), "lower")):
        with pytest.raises(UninformativeCase, match="only the other end"):
            certified_end(half, side)


@pytest.mark.parametrize("terms", [3, 7, 10, "0.1"])
def test_a_forced_weight_is_rounded_to_where_it_is_refuted(terms: Any) -> None:
    own = F(str(terms))
    exact = 1 / own
    for side in ("upper", "lower"):
        one = replace(fact(1, (), side=side), terms=(arb(own.numerator) / own.denominator,))
        found_weight = one.weight(0)
        assert found_weight is not None
        assert found_weight < exact if side == "upper" else found_weight > exact
        assert abs(found_weight - exact) < exact / 10**12


def rule_run(
    monkeypatch: pytest.MonkeyPatch, needed: int = 0, of_library: bool = True, value: Any = 5, side: str = "upper"
) -> tuple[Any, list[int]]:
    """The fact of a run that needs so many bits, or the error, and the bits that were tried."""
    tried: list[int] = []

    def follow(algorithm: Any, full: Any) -> Any:
        tried.append(constraints.ctx.prec)
        if constraints.ctx.prec < needed:
            raise constraints.ImpreciseState
        return value, {n_rounds: 3}

    class Rule:
        def __init__(self) -> None:
            self.of_library = of_library

    monkeypatch.setattr(constraints, "StepRule", Rule)
    monkeypatch.setattr(constraints, "adapt_to_rows", lambda algorithm, full: algorithm)
    claim = SimpleNamespace(algorithm=Rule(), bound=SimpleNamespace(side=side))

    def values(constants: Any) -> Any:
        return (arb(constants[n_rounds]), arb(constants[step_size])), arb(7)

    terms: Any = SimpleNamespace(claim=claim, values=values)
    full: Any = SimpleNamespace(constants={step_size: 2, n_rounds: 1})
    try:
        return constraints._fact_of_rule_run(terms, SimpleNamespace(follow=follow), CASE, full), tried  # type: ignore[arg-type]
    except UninformativeCase as error:
        return error, tried


def test_the_run_of_a_rule_is_followed_at_rising_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = constraints.PRECISION_RANGE
    made, tried = rule_run(monkeypatch)
    assert tried == [low]
    assert (made.measured, made.evidence, made.error_rate, made.side, made.case) == (5, "exact", 0.0, "upper", CASE)
    assert made.row.tolist() == [3, 2]  # what the run says of a constant comes first
    assert made.kept == 7
    assert made.constants == {n_rounds: 3, step_size: 2}
    made, tried = rule_run(monkeypatch, low + 1)
    assert tried == [low, 4 * low]
    assert made.measured == 5
    error, tried = rule_run(monkeypatch, 10**9)
    assert "grow too wide" in str(error)
    assert tried == [low * 4**k for k in range(len(tried))]
    assert tried[-1] >= high > tried[-2]
    error, tried = rule_run(monkeypatch, of_library=False)
    assert "no end of the measured quantity is certified" in str(error)
    assert tried == []
    made, _ = rule_run(monkeypatch, value=arb(2, 1))
    assert F(1) - F(1, 10**6) < made.measured <= 1
    made, _ = rule_run(monkeypatch, value=arb(2, 1), side="lower")
    assert 3 <= made.measured < F(3) + F(1, 10**6)


# The search for facts ----------------------------------------------------------------------------------------------------


def test_looks_are_counted_and_share_an_error_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def of(terms: Any, one: Case, rate: float, seed: int, stages: Any) -> Fact:
        asked.append((rate, is_comparison_skipped()))
        assert (terms, seed, stages) == (TERMS, 3, STAGES[:1])
        return fact(1, (1,), case=one)

    monkeypatch.setattr(hardest_cases, "fact_of", of)
    own = hunt(1e9)
    for n in range(2, 102):
        assert own.look(case(n)) is own.look(case(n))  # once
    rates = [rate for rate, _ in asked]
    assert len(rates) == own.examined == len(own.facts) == 100
    assert rates[0] == ERROR_RATE / 4
    assert 0.98 * ERROR_RATE / 2 < sum(rates) < ERROR_RATE / 2
    assert all(skipped for _, skipped in asked)


def test_a_look_takes_its_work_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = hardest_cases.EVALUATION_COST + hardest_cases.LEAF_COST * len(leaves(CASE))

    def of(units: float) -> Callable[..., Fact]:
        def call(*_: Any) -> Fact:
            spend(units)
            return fact(1, (1,))

        return call

    for work, units, most, cut in (
        (1000.0, 0.0, math.inf, 0),
        (1000.0, 50.0 - cost - 0.01, math.inf, 0),
        (1000.0, 50.0 - cost + 0.01, math.inf, 1),
        (10_000.0, 390.0, math.inf, 0),
        (10_000.0, 401.0, math.inf, 1),
        (10_000.0, 20.0, 15.0, 1),
    ):
        monkeypatch.setattr(hardest_cases, "fact_of", of(units))
        own = hunt(work)
        with separate_meter(1e9) as meter:
            made = own.look(CASE, most)
        assert (own.cut, made is None) == (cut, bool(cut)), (work, units)
        if not cut:
            assert meter.spent == pytest.approx(units + cost)
        assert own.look(CASE, most) is made


def test_looks_that_fail_say_why_and_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, counts, reason in (
        (BudgetExhausted(), (1, 0), ""),
        (DeadlinePassed(), (0, 1), ""),
        (UninformativeCase("outside"), (0, 0), "outside"),
        (KeyError("gone"), (0, 0), "'gone'"),
    ):
        monkeypatch.setattr(hardest_cases, "fact_of", raising(error))
        own = hunt()
        assert own.look(CASE) is None
        assert (own.cut, own.late) == counts
        assert (own.reason, own.examined, own.facts) == (reason, 1, [])
        own.reason = own.reason or "first"
        monkeypatch.setattr(hardest_cases, "fact_of", raising(UninformativeCase("second")))
        assert own.look(CASE) is None
        assert own.examined == 1
        own.look(case(5))
        assert own.reason in (reason, "first")
    monkeypatch.setattr(hardest_cases, "fact_of", raising(ZeroDivisionError()))
    assert hunt().look(CASE) is None


def test_looks_end_with_the_search_and_leave_out_long_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardest_cases, "fact_of", lambda terms, one, *more: fact(1, (1,), case=one))
    own = hunt(most=2)
    assert [own.look(case(n)) is None for n in (2, 3, 4)] == [False, False, True]
    assert own.look(case(3)) is not None  # known
    assert own.over
    own = hunt()
    own.budget.meter.spent = 999.5
    assert own.look(CASE) is None
    assert own.examined == 0
    long = case(hardest_cases.MAX_COUNT + 1)
    own = hunt()
    assert own.look(long) is None
    assert own.look(long, far=True) is not None
    assert own.look(case(hardest_cases.MAX_COUNT)) is not None
    made = hunt(settings={"n_rounds": 7}).look(CASE)
    assert made is not None
    assert made.case == case(7)
    bad = hunt(settings={"step_size": "-1"})
    assert bad.look(CASE) is None
    assert "step_size" in bad.reason


def test_a_case_that_was_checked_elsewhere_is_a_fact_whatever_it_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardest_cases, "fact_of", lambda terms, one, *more: spend(500.0) or fact(1, (1,), case=one))
    own = hunt()
    assert own.look(CASE) is None
    assert own.judged(CASE) is not None
    assert own.judged(CASE) is own.look(CASE)
    assert own.examined == 2
    own.budget.meter.spent = 600.0
    assert own.judged(case(5)) is None  # 400 are left


def test_facts_are_ranked_by_the_weight_they_force() -> None:
    own = hunt()
    own.facts = [fact(1, (4, 1)), fact(3, (1, 2)), fact(2, (1, 1))]
    assert [f.measured for f in own.rank_facts(WeightTarget())] == [3, 2, 1]
    assert [f.measured for f in own.rank_facts(WeightTarget(0))] == [3, 2, 1]


def test_the_score_of_a_fact_is_what_it_forces_beyond_the_vertex() -> None:
    facts = FactTable.of([fact(4, (2, 1)), fact(3, (1, 3))])
    assert Scorer(WeightTarget(), facts)(fact(6, (1, 2))) == 2
    assert Scorer(WeightTarget(1), facts)(fact(6, (1, 2))) == pytest.approx(5 / 2)
    even = Scorer(WeightTarget(prices=(1.0, 1.0)), facts)  # weights 9/5 and 2/5
    assert even(fact(4, (2, 1))) == pytest.approx(1)
    assert even(fact(6, (1, 1))) == pytest.approx(6 / (9 / 5 + 2 / 5))
    none = Scorer(WeightTarget(prices=(1.0, 1.0)), FactTable.of([fact(10**10, (1, 0))]))  # no weight is so large
    assert none(fact(1, (1, 1))) == -math.inf
    own = hunt()
    objective = hardest_cases._TargetObjective(own, Scorer(WeightTarget(), facts))
    own.told[CASE.arguments()] = fact(6, (1, 2))
    own.told[case(5).arguments()] = None
    assert (objective.score(CASE), objective.score(case(5)), objective.random) == (2, None, own.random)
    assert not objective.over
    own.most = 0
    assert objective.over


def test_a_search_has_own_cases_whole_classes_samples_and_climbs(monkeypatch: pytest.MonkeyPatch) -> None:
    own, done = hunt(), list[Any]()
    tightest = case(99)
    claim = replace(CLAIM, cases=(case(2), case(3)), tightest=tightest)
    own.terms = replace(TERMS, claim=claim)

    def look(one: Case) -> None:
        done.append(one)
        own.examined += 1

    def climb(aim: WeightTarget, turn: int) -> None:
        done.append((aim.index, aim.prices, turn))
        own.examined += 1

    monkeypatch.setattr(own, "look", look)
    monkeypatch.setattr(own, "_class_cases", lambda most: iter([case(50)]) if most == 150 else iter([]))
    monkeypatch.setattr(own, "_draw", lambda turn: done.append(turn))
    monkeypatch.setattr(own, "_climb", climb)
    aims = weight_targets(4)
    own.most = 5 + 2 * len(aims) - 1
    own.run([case(7)])
    first = [(None, (), 0)]
    expected = [case(7), case(2), case(3), tightest, case(50), 0, *first]
    for aim in aims[1:]:
        expected += [(aim.index, aim.prices, 0), *first]
    assert done == expected
    late = hunt()
    late.terms = own.terms
    looked: list[Case] = []

    def costly(one: Case) -> None:
        looked.append(one)
        late.budget.meter.spent += 130.0

    monkeypatch.setattr(late, "look", costly)
    monkeypatch.setattr(late, "_class_cases", lambda most: iter(()))
    monkeypatch.setattr(late, "_draw", lambda turn: None)
    monkeypatch.setattr(late, "_climb", lambda aim, turn: None)
    late.run()
    assert looked == [case(2), case(3)]  # then a quarter of the work is done


def test_a_search_that_sees_nothing_new_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    own, turns = hunt(), list[int]()
    own.terms = replace(TERMS, claim=replace(CLAIM, cases=(), tightest=None))
    monkeypatch.setattr(own, "_class_cases", lambda most: iter(()))
    monkeypatch.setattr(own, "_climb", lambda aim, turn: None)

    def draw(turn: int) -> None:
        turns.append(turn)
        own.examined += turn == 3

    monkeypatch.setattr(own, "_draw", draw)
    own.run()
    assert turns == list(range(4 + 2 * hardest_cases.BATCH_SIZE))
    monkeypatch.setattr(own, "_draw", raising(BudgetExhausted()))
    own.run()


def test_samples_are_steered_by_the_factor_they_force(monkeypatch: pytest.MonkeyPatch) -> None:
    own = hunt()

    def search(family: Any, seed: int, size: int, examine: Any) -> None:
        assert (seed, size) == (3 * 1_000_003 + 5, hardest_cases.BATCH_SIZE)
        own.told[CASE.arguments()] = fact(6, (1, 2))
        own.told[case(5).arguments()] = None
        assert (examine(CASE), examine(case(5))) == (2.0, None)
        own.most = 0
        with pytest.raises(hardest_cases.StopSearch):
            examine(CASE)

    monkeypatch.setattr(hardest_cases, "search_cases", search)
    own._draw(5)
    own.terms = replace(TERMS, claim=replace(CLAIM, family=None))
    own._draw(6)


def test_climbs_begin_at_the_best_fact_or_near_it_and_end_with_longer_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    own, done = hunt(), list[Any]()
    own._climb(WeightTarget(), 0)
    own.facts = [fact(n, (1, 2), case=case(n)) for n in range(1, 9)]

    def moves(name: str) -> Callable[..., ScoredCase]:
        def move(ground: Any, at: ScoredCase, count: int, **mixed: Any) -> ScoredCase:
            done.append((name, at.case.constants[n_rounds], at.score, count, mixed))
            return at

        return move

    for name in ("hill_climb", "cma_es", "climb_rearranged", "continue_to_longer"):
        monkeypatch.setattr(hardest_cases, name, moves(name))
    for draw, name in (
        (0.0, "cma_es"),
        (0.249, "cma_es"),
        (0.251, "climb_rearranged"),
        (0.349, "climb_rearranged"),
        (0.351, "hill_climb"),
        (0.99, "hill_climb"),
    ):
        own.random = SimpleNamespace(random=lambda draw=draw: draw, randrange=lambda n: n - 1)  # type: ignore[assignment]
        mixed = {"mixed": True} if name == "hill_climb" else {}
        own._climb(WeightTarget(), 2)
        assert done == [(name, 8, 8 / 3, 60, mixed), ("continue_to_longer", 8, 8 / 3, 500, {})]
        done.clear()
        own._climb(WeightTarget(), 3)
        assert done[0] == (name, 3, 1.0, 60, mixed)  # the sixth best
        done.clear()


def test_cases_of_whole_classes_are_found_within_their_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def attaining(claim: Any) -> Any:
        for n in range(2, 9):
            spend(30.0)
            yield case(n)

    monkeypatch.setattr(hardest_cases, "attaining_cases", attaining)
    with separate_meter(1e9) as meter:
        own = hunt()
        own.budget = replace(own.budget, meter=meter)
        spend(10.0)
        assert list(own._class_cases(100.0)) == [case(2), case(3), case(4)]
        assert meter.spent == 110


# Conditions -------------------------------------------------------------------------------------------------------------


def test_a_condition_is_needed_where_a_case_says_so_and_perhaps_not_after_many() -> None:
    def told(**changes: Any) -> DroppedCondition:
        return replace(DroppedCondition("x <= 1", None, 0, 1.25), **changes)

    least = dropping.MIN_CASES
    assert told(counterexample="line").is_needed is True
    assert told(cases=least).is_needed is False
    assert told(cases=least - 1).is_needed is None
    assert str(told(counterexample="line")) == "without the condition x <= 1: refuted, it is needed\n  by line"
    assert "nothing was tested: no case found breaks it" in str(told())
    assert str(told(reason="why")).endswith("nothing was tested: why")
    assert "not decided, only 1 case that breaks it could be tested in 1.2 s" in str(told(cases=1, seconds=1.2))
    assert "only 2 cases that break it could" in str(told(cases=2))
    assert f"no counterexample in {least} cases that break it, 1.2 s: it may not" in str(told(cases=least, seconds=1.2))
    for one, needed, decided in (
        (told(counterexample="l"), True, True),
        (told(cases=least), None, True),
        (told(), None, False),
    ):
        row = one.row()
        assert (row["needed"], row["decided"], row["cases"]) == (needed, decided, one.cases)
    assert told(seconds=1.23456).row()["seconds"] == 1.235
    assert told(counterexample="l").row()["counterexample"] == "l"


def test_one_condition_is_dropped_or_turned_and_the_others_stay() -> None:
    first, second, *_ = conditions_of(LOWER)
    assert len(conditions_of(LOWER)) == 4
    without = drop_condition(LOWER, first)
    assert conditions_of(without) == conditions_of(LOWER)[1:]
    assert drop_condition("sfl/J@printed", str(second)).bound.conditions == (first, *conditions_of(LOWER)[2:])
    assert without.entry.recorded == "holds"
    with pytest.raises(ValueError, match="has no condition x; it has step_size"):
        drop_condition(LOWER, "x")
    turned = dropping.with_broken_condition(LOWER, second)
    assert turned.bound.conditions == (first, second.negated, *conditions_of(LOWER)[2:])
    other = dropping.with_broken_condition(LOWER, n_rounds <= 3)
    assert other.bound.conditions == (*LOWER.bound.conditions, n_rounds > 3)
    twice = replace(CLAIM, bounds=CLAIM.bounds * 2)
    assert conditions_of(twice) == conditions_of(CLAIM)
    (only,) = conditions_of(twice)
    assert [b.conditions for b in drop_condition(twice, only).bounds] == [(), ()]


def test_single_numbers_are_scaled_and_settings_come_first() -> None:
    made = list(dropping._scalings(case(40), 16))
    changed = [[p for p, v in leaves(case(40)).items() if leaves(c)[p] != v] for c in made]
    assert all(len(paths) == 1 for paths in changed)
    kinds = [paths[0][0] for paths in changed]
    assert kinds == sorted(kinds, key=lambda k: k != "settings")
    settings = [
        (paths[0][1], leaves(c)[paths[0]]) for paths, c in zip(changed, made, strict=True) if paths[0][0] == "settings"
    ]
    assert {value for name, value in settings if name == "n_rounds"} == {640, 2}
    assert {value for name, value in settings if name == "step_size"} == {F(16, 100), F(1, 1600)}
    inside = {leaves(c)[("instance", "slopes", 0, 0)] for c in made}
    assert inside == {1, 16, F(1, 16), 0}
    zero = Case(QuadraticClients(((1,),), ((0,),), (3,)), n_rounds=1)
    values = {leaves(c)[("instance", "slopes", 0, 0)] for c in dropping._scalings(zero, 16)}
    assert values == {0, 1, F(1, 16)}
    rows = list(dropping._single_scalings([case(40), case(50)], 16))
    assert len(rows) == len(made) + len(list(dropping._scalings(case(50), 16)))
    assert rows[:2] == [made[0], next(dropping._scalings(case(50), 16))]


def test_random_moves_are_many_and_begin_at_each_case_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(dropping, "MAX_MOVES", 40)
    monkeypatch.setattr(dropping, "rearranged_case", lambda one, random: asked.append("r") or one)
    monkeypatch.setattr(dropping, "random_neighbour", lambda one, std, random: asked.append(std) or one)
    made = list(dropping._random_moves([case(2), case(3)], Random(0)))
    assert made == [case(2), case(3)] * 20
    assert 8 < asked.count("r") < 32
    assert 15 < asked.count(dropping.MOVE_STD) < 50
    monkeypatch.setattr(dropping, "random_neighbour", lambda one, std, random: None)
    assert 0 < len(list(dropping._random_moves([case(2)], Random(0)))) < 40


def without(
    monkeypatch: pytest.MonkeyPatch, result: Any, start: Any = (CASE,), **options: Any
) -> tuple[Any, list[Any]]:
    asked: list[Any] = []

    def falsify(claim: Any, **given: Any) -> Any:
        asked.append((claim, given))
        if isinstance(result, BaseException):
            raise result
        return result

    monkeypatch.setattr(dropping, "falsify", falsify)
    monkeypatch.setattr(dropping, "_random_moves", lambda start, random: iter(()))
    monkeypatch.setattr(dropping, "PUSH_FACTORS", (256, 16))
    (condition,) = conditions_of(CLAIM)
    given = {"work": 1000.0, "deadline": math.inf, "seed": 5, **options}
    return dropping._without(CLAIM, condition, start, **given), asked


def found(**changes: Any) -> Any:
    own = {"verdict": None, "tested": 9, "undecided": 2, "reason": "why", "interrupted": False}
    return SimpleNamespace(**{**own, **changes})


def test_cases_that_break_the_condition_alone_start_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    told, asked = without(monkeypatch, found())
    assert (told.cases, told.counterexample, told.reason, told.interrupted) == (7, None, "why", False)
    ((claim, given),) = asked
    (condition,) = conditions_of(CLAIM)
    assert claim.bound.conditions == (condition.negated,)
    assert (given["work"], given["seconds"], given["seed"]) == (1000, None, 5)
    assert len(given["start"]) > 4
    assert all(inapplicable_reason(claim, one) is None for one in given["start"])
    assert all(inapplicable_reason(CLAIM, one) is not None for one in given["start"])
    lengths = [dropping.case_length(c) for c in given["start"]]
    assert lengths == sorted(lengths)
    witness = found(verdict=SimpleNamespace(case=CASE), interrupted=True)
    told, _ = without(monkeypatch, witness)
    assert told.interrupted
    assert "verify(drop_condition(" in told.counterexample
    assert f'"{condition}"), {CASE.arguments()}))' in told.counterexample
    _, asked = without(monkeypatch, found(), work=100.0)
    assert asked[0][1]["work"] == dropping.MIN_SEARCH_WORK


def test_what_cannot_be_tested_without_a_condition_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    told, _ = without(monkeypatch, CheckFailed("oh"))
    assert (told.cases, told.counterexample, told.reason) == (0, None, "the check breaks on cases outside it (oh)")
    told, asked = without(monkeypatch, found(), start=())
    assert (told.cases, told.reason, asked) == (0, "", [])
    monkeypatch.setattr(dropping, "inapplicable_reason", raising(KeyError()))
    assert not dropping._is_within_hypotheses(CLAIM, CASE)
    monkeypatch.setattr(dropping, "inapplicable_reason", lambda claim, one: "out")
    assert not dropping._is_within_hypotheses(CLAIM, CASE)
    monkeypatch.setattr(dropping, "inapplicable_reason", lambda claim, one: None)
    assert dropping._is_within_hypotheses(CLAIM, CASE)
    _, asked = without(monkeypatch, found(), deadline=time.perf_counter() + 1000)
    assert asked[0][1]["seconds"] == pytest.approx(1000, rel=0.01)


def test_conditions_share_the_work_and_ctrl_c_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def one(claim: Any, condition: Any, start: Any, work: float, deadline: float, seed: int) -> DroppedCondition:
        asked.append((condition, work))
        return DroppedCondition(str(condition), None, 0, 0.0, interrupted=len(asked) == 3)

    monkeypatch.setattr(dropping, "_without", one)
    told = list(dropping.drop_each_condition(LOWER, [CASE], 1000.0, math.inf, 0))
    assert asked == [(c, 250.0) for c in conditions_of(LOWER)[:3]]
    assert len(told) == 3
    assert list(dropping.drop_each_condition(replace(LOWER, family=None), [CASE], 1000.0, math.inf, 0)) == []


# Terms ------------------------------------------------------------------------------------------------------------------


def test_weights_multiply_the_terms_and_leave_what_is_subtracted() -> None:
    terms = terms_of(FIXED)
    assert terms.fixed != 0
    weights = [F(i + 2, 3) for i in range(len(terms.exprs))]
    scaled = terms.weighted(weights)
    wanted = sum(
        (sympy.Rational(w.numerator, w.denominator) * e for w, e in zip(weights, terms.exprs, strict=True)), terms.fixed
    )
    assert sympy.simplify(scaled.bound.expr - wanted) == 0
    assert sympy.simplify(terms.weighted([1] * len(terms.exprs)).bound.expr - FIXED.bound.expr) == 0
    assert len(scaled.bounds) == 1
    assert scaled.entry.recorded == "holds"


def with_expr(expr: Any, **changes: Any) -> Any:
    return replace(CLAIM, bounds=(replace(CLAIM.bound, expr=sympy.sympify(expr), **changes),))


def test_bounds_without_terms_are_named() -> None:
    for claim, words in (
        (replace(CLAIM, measure=None), "is an external result"),
        (with_expr(n_rounds, side="equal"), "is an equality"),
        (find("fedcg/T3.5@printed"), "holds with a probability"),
        (find("fedcg/T3.2@printed"), "takes constants of its bound from the run"),
        (with_expr(0), "bounds by 0"),
    ):
        with pytest.raises(NoTerms, match=words):
            terms_of(claim)
    one_run = find("delta_sgd/R1@explicit")  # its rule has one run, whose constants are known
    assert terms_of(one_run).exprs
    assert not is_yes_no(one_run)
    assert is_yes_no(find("fedcg/T3.2@printed"))
    below = terms_of(with_expr(-n_rounds - step_size))
    assert (below.exprs, below.fixed) == ((-n_rounds - step_size,), 0)
    many = sum((n_rounds**k for k in range(1, 12)), sympy.Integer(0))
    terms = terms_of(with_expr(many))
    assert len(terms.exprs) == 8
    assert sympy.expand(sum(terms.exprs)) == many
    assert len(terms_of(with_expr(sum((n_rounds**k for k in range(1, 9)), sympy.Integer(0)))).exprs) == 8


def test_bounds_of_any_form_are_terms_for_a_repair() -> None:
    equal = whole_bound_terms(with_expr(n_rounds, side="equal"))
    assert (equal.exprs, equal.fixed) == ((n_rounds,), 0)
    values, fixed = equal.values({n_rounds: 7})
    assert (values[0] == 7, fixed == 0) == (True, True)
    assert whole_bound_terms(CLAIM) == TERMS
    values, fixed = whole_bound_terms(find("fedcg/T3.5@printed")).values({})
    assert (values[0] == 1, fixed == 0) == (True, True)
    with pytest.raises(NoTerms, match="external result"):
        whole_bound_terms(replace(CLAIM, measure=None))


# Limits -----------------------------------------------------------------------------------------------------------------


def test_forcing_facts_are_confirmed_or_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    own = hunt()
    own.facts = [fact(n, (1, 2), case=case(n)) for n in (1, 5, 3)]
    asked: list[int] = []

    def passes(terms: Any, hunt: Any, one: Fact, last: float, end: float) -> bool:
        asked.append(int(one.measured))
        return one.measured < 4

    monkeypatch.setattr(tightness, "_passes_validation", passes)
    forcing = tightness._forcing_fact(TERMS, own, WeightTarget(), math.inf, 1e9)
    assert (forcing.measured, asked) == (3, [5, 3])
    assert [f.measured for f in own.facts] == [1, 3]
    monkeypatch.setattr(tightness, "_passes_validation", lambda *given: False)
    assert tightness._forcing_fact(TERMS, own, WeightTarget(), PAST, 1e9) is None
    assert len(own.facts) == 2
    own.budget.meter.spent = 50.0
    assert tightness._forcing_fact(TERMS, own, WeightTarget(), math.inf, 50.0) is None
    assert len(own.facts) == 2
    assert tightness._forcing_fact(TERMS, own, WeightTarget(), math.inf, 50.5) is None
    assert own.facts == []
    own.facts = [fact(1, (0, 2))]
    monkeypatch.setattr(tightness, "_passes_validation", lambda *given: True)
    assert tightness._forcing_fact(TERMS, own, WeightTarget(0), math.inf, 1e9) is None


def test_a_forcing_case_is_measured_again_with_its_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    one, asked = fact(5, (1, 2)), list[Any]()

    def again(measured: Any, units: float = 0.0) -> Callable[..., Fact]:
        def of(terms: Any, own: Case, rate: float, seed: int, stages: Any) -> Fact:
            asked.append((own, rate, seed, stages, is_comparison_skipped()))
            spend(units)
            return fact(measured, (1, 2))

        return of

    def passes(made: Any, last: float = math.inf, deadline: float = math.inf, end: float = 1e9, **changes: Any) -> bool:
        monkeypatch.setattr(tightness, "fact_of", made)
        own = hunt(deadline=deadline)
        told: bool = tightness._passes_validation(TERMS, own, replace(one, **changes), last, end)
        return told

    assert passes(again(5))
    assert asked == [(CASE, ERROR_RATE, 3, STAGES[:1], False)]
    assert not passes(again(6))
    assert not passes(raising(ValueError()))
    assert not passes(raising(BudgetExhausted()))
    assert passes(again(5, 149.0))
    assert not passes(again(5, 151.0))  # thrice the slice of 50
    assert not passes(again(5, 30.0), end=29.0)
    assert passes(raising(AssertionError()), evidence="statistical")
    assert passes(raising(AssertionError()), last=PAST)
    assert not passes(raising(AssertionError()), last=PAST, evidence="numerical")
    assert passes(raising(DeadlinePassed()), deadline=PAST)
    assert not passes(raising(DeadlinePassed()), deadline=PAST, evidence="sampled")
    assert not passes(raising(DeadlinePassed()))


def test_limits_are_the_factor_and_each_weight_never_below_0(monkeypatch: pytest.MonkeyPatch) -> None:
    own = hunt()
    own.facts = [fact(6, (1, 2)), fact(1, (4, 1))]
    terms = replace(TERMS, exprs=TERMS.exprs[:2])
    asked: list[Any] = []

    def forcing(terms: Any, hunt: Any, aim: WeightTarget, last: float, end: float) -> Fact | None:
        asked.append((aim.index, last, end))
        return None if aim.index == 1 else own.facts[0] if aim.index is None else fact(1, (1, 2))

    monkeypatch.setattr(tightness, "_forcing_fact", forcing)
    own.budget.meter.spent = 10.0
    limits = tightness._limits(terms, own, 5.0, 20.0)
    assert asked == [(None, 5.0, 30.0), (0, 5.0, 30.0), (1, 5.0, 30.0)]
    assert [limit.aim.index for limit in limits] == [None, 0]
    assert limits[1].weights is None  # the first fact refutes it
    assert limits[0].value == pytest.approx(2)
    assert limits[0].weights is not None
    assert limits[0].weights[0] == limits[0].weights[1] > 2
    assert limits[1].value == 0  # it is covered by the other term
    own.facts = [fact(2, (1, 3), -1)]
    (whole, *_) = tightness._limits(terms, own, 5.0, 20.0)
    assert float(whole.value) == pytest.approx(2 / 3)  # of the subtracted part too
    assert whole.weights is not None
    own.facts = [fact(5, (1, 2))]
    monkeypatch.setattr(tightness, "_forcing_fact", lambda *given: own.facts[0])
    _, first, second = tightness._limits(terms, own, 5.0, 20.0)
    assert [float(w) for w in first.weights] == pytest.approx([3, 1])  # the other term stays as it is
    assert [float(w) for w in second.weights] == pytest.approx([1, 2])


def test_a_limit_is_refuted_below_it() -> None:
    one = Limit(WeightTarget(), F(2), fact(6, (1, 3), -1), None)  # w (4 - 1) < 6
    assert one.refuted((F(199, 100),) * 2)
    assert not one.refuted((F(201, 100),) * 2)
    alone = Limit(WeightTarget(0), F(4), fact(6, (1, 3), -1), None)  # w + 3 - 1 < 6
    assert alone.refuted((F(399, 100), F(1)))
    assert not alone.refuted((F(401, 100), F(1)))
    assert not Limit(WeightTarget(), F(1), fact(6, (arb(1, 9), 3)), None).refuted((F(1), F(1)))


def test_weights_that_are_undecided_are_not_confirmed() -> None:
    wide = fact(1, (arb(1, 0.25),))
    assert confirm_weights([wide], [1.0]) is None
    assert confirm_weights([wide], [1.5]) is not None
    whole = [fact(2, (1, 3), -1)]
    assert confirm_weights(whole, [2 / 3, 2 / 3], True) is not None
    assert confirm_weights(whole, [2 / 3, 2 / 3]) is None
    low = fact(1, (1,), side="lower")
    assert confirm_weights([low], [1.0]) == (1 - F(1, 10**9),)
    assert confirm_weights([fact(0, (1, 1))], [0.0, 0.0]) == (0, 0)


def test_corners_are_vertices_that_are_confirmed_with_what_presses() -> None:
    facts = [fact(4, (2, 1), case=case(2)), fact(3, (1, 3), case=case(3)), fact(F(1, 10), (1, 1), case=case(5))]
    corners = tightness._corners(facts)
    assert tightness._corners([]) == ()
    even = next(c for c in corners if float(c.weights[0]) == pytest.approx(9 / 5))
    assert float(even.weights[1]) == pytest.approx(2 / 5)
    assert [f.measured for f in even.facts] == [4, 3]
    assert len({tuple(f"{float(w):.6g}" for w in c.weights) for c in corners}) == len(corners)
    assert all(f.refutes(c.weights) is False for c in corners for f in facts)


def test_a_vertex_that_is_not_found_or_not_confirmed_is_no_corner(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = [fact(1, (arb(1, 0.25), 1)), fact(3, (1, 1))]
    assert tightness._corners([fact(1, (arb(1, 0.5), arb(1, 0.5)))]) == ()
    assert all(one.refutes(corner.weights) is False for corner in tightness._corners(wide) for one in wide)
    solved = SimpleNamespace(status=4, x=np.array([9.0, 9.0]))  # numerical difficulties
    monkeypatch.setattr(targets, "linprog", lambda *given, **options: solved)
    facts = FactTable.of([fact(4, (2, 1))])
    assert targets.vertex(facts, (1.0, 1.0)) is None
    assert facts.scores(WeightTarget(prices=(1.0, 1.0))).tolist() == [-math.inf]
    solved.status = 0
    assert targets.vertex(facts, (1.0, 1.0)) is solved.x


def test_a_claim_stands_where_no_fact_refutes_it() -> None:
    own = hunt()
    own.facts = [fact(2, (1, 1, 1, 1)), fact(4, (1, 1, 1, 1))]
    assert tightness._stands(TERMS, own)
    own.facts.append(fact(5, (1, 1, 1, 1)))
    assert not tightness._stands(TERMS, own)
    false = replace(TERMS, claim=CLAIM.recorded_as("violated"))
    own.facts = []
    assert not tightness._stands(false, own)


def test_a_proved_factor_is_that_of_the_whole_class_at_the_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Any = SimpleNamespace(functions="convex functions")

    def bracket(question: Any, attain: bool) -> Any:
        assert (question, attain) == (asked, False)
        spend(20.0)
        return SimpleNamespace(upper=6)

    monkeypatch.setattr(tightness, "require_reach", lambda claim: None)
    monkeypatch.setattr(tightness, "class_constants", lambda claim, one: None)
    monkeypatch.setattr(tightness, "question_of_claim", lambda claim, constants: asked)
    monkeypatch.setattr(tightness, "bracket", bracket)
    one = fact(1, (1, 2), 1)
    upper, scope = tightness._proved_factor(CLAIM, one, math.inf, 30.0)
    assert F(3, 2) <= upper < F(3, 2) + F(1, 10**12)
    assert scope == "all convex functions in every dimension"
    third, _ = tightness._proved_factor(CLAIM, fact(1, (11, 7)), math.inf, 30.0)
    assert F(1, 3) < third < F(1, 3) + F(1, 10**12)  # never below what is proved
    nothing = (None, "")
    assert tightness._proved_factor(CLAIM, one, math.inf, 10.0) == nothing
    assert tightness._proved_factor(LOWER, one, math.inf, 30.0) == nothing
    assert tightness._proved_factor(CLAIM, fact(1, (1, 2), -3), math.inf, 30.0) == nothing
    monkeypatch.setattr(tightness, "bracket", lambda *given, **more: SimpleNamespace(upper=None))
    assert tightness._proved_factor(CLAIM, one, math.inf, 30.0) == nothing
    monkeypatch.setattr(tightness, "bracket", raising(DeadlinePassed()))
    assert tightness._proved_factor(CLAIM, one, math.inf, 30.0) == nothing
    monkeypatch.setattr(tightness, "require_reach", raising(ValueError()))
    assert tightness._proved_factor(CLAIM, one, math.inf, 30.0) == nothing


def test_arguments_are_refused_with_their_names() -> None:
    good: tuple[Any, ...] = (1, None, 0, {"n_rounds": 3}, None)
    tightness._require(*good)
    tightness._require(*good[:4], 1)
    for place, wrong, words in (
        (0, 0, "work must"),
        (1, 0, "seconds must"),
        (2, -1, "seed must"),
        (3, {"rounds": 3}, "rounds is not a known constant"),
        (4, 0, "max_cases must be a positive integer, got 0"),
        (4, True, "max_cases must be a positive integer, got True"),
        (4, 1.0, "max_cases must be a positive integer, got 1.0"),
    ):
        with pytest.raises(ValueError, match=words):
            tightness._require(*good[:place], wrong, *good[place + 1 :])


# What is said -------------------------------------------------------------------------------------------------------------


def answer(claim: Any = CLAIM, **changes: Any) -> TightnessResult:
    terms = terms_of(claim)
    return replace(TightnessResult(terms, (), (), (), (), None, "", 9, 8, 0, 0.0, 1.5, work=77), **changes)


def test_the_limits_are_said() -> None:
    one = fact(6, (1, 2, 1, 1))
    limits = (Limit(WeightTarget(), F(6, 5), one, None), Limit(WeightTarget(2), F(1, 3), one, (F(1), F(2))))
    growth = GrowthExponent(n_rounds, 1.0, 8.0, 0.5)
    dropped = DroppedCondition("x <= 1", None, 0, 1.0)
    shown = answer(limits=limits, corners=(Corner((F(1), F(1, 2)), (one,)),), growth=(growth,), dropped=(dropped,))
    lines = str(shown).splitlines()
    assert lines[0] == f"{CLAIM.id}: 9 cases examined, 8 constrain the constants, work 77, 1.5 s"
    assert "no smaller ones hold" in lines[1]
    assert [line.split(":")[0] for line in lines if line.startswith("term ")] == [f"term {i}" for i in range(1, 5)]
    assert "the factor of the bound can't be less than 1.2 (exact)" in lines
    assert "the weight of term 3, the others as they are, can't be less than 0.333333 (exact)" in lines
    assert lines.count(f"  by {reproducer(CLAIM, one)}") == 2
    assert "consistent with all cases found, none less in all: weights (1, 0.5), pressed by 1 of them" in lines
    assert lines[-2:] == [str(growth), str(dropped)]
    assert "proved" not in lines[-3]
    proved = str(replace(shown, upper=F(5, 4), scope="all f"))
    assert "at the constants of that case the factor is at most 1.25 for all f (proved)" in proved
    assert shown.factor == F(6, 5)
    assert replace(shown, limits=limits[1:]).factor is None
    assert repr(shown).startswith(f"<Sharpened {CLAIM.id}: factor can't be less than 1.2 (9 cases")
    assert "nothing found" in repr(answer())
    assert str(answer(reason="why")).endswith("no case gives a limit: why")
    assert str(answer()).endswith("no case gives a limit")
    assert "the factor of the bound" in shown._repr_html_()


def test_lower_bounds_and_what_is_subtracted_are_said() -> None:
    limit = Limit(WeightTarget(), F(6, 5), fact(6, (1, 2), side="lower"), None)
    lower = answer(LOWER, limits=(limit,), upper=F(1, 2), scope="all f")
    assert "no larger ones hold" in str(lower)
    assert "the factor of the bound can't be more than 1.2" in str(lower)
    assert "the factor is at least 0.5 for all f" in str(lower)
    fixed = str(answer(FIXED, limits=(limit,)))
    assert "subtracted, with no weight of its own: " in fixed
    assert "subtracted" not in str(lower)
    counts = str(answer(cut=2, late=3, error_rate=1e-7, interrupted=True))
    for words in ("2 cut, as they take too much work", "3 cut by the clock", "error rate at most 1e-07", "interrupted"):
        assert words in counts
    for word in ("cut", "clock", "error rate", "interrupted"):
        assert word not in str(answer())


def test_one_term_alone_is_not_listed() -> None:
    one = with_expr(n_rounds)
    shown = str(answer(one, limits=(Limit(WeightTarget(), F(6, 5), fact(6, (1,)), None),)))
    assert "term 1" not in shown
    less = str(answer(with_expr(n_rounds - step_size), limits=(Limit(WeightTarget(), F(6, 5), fact(6, (1,)), None),)))
    assert "term 1: " in less
    assert "subtracted" in less


def test_the_rows_are_exact() -> None:
    one = fact(6, (1, 2, 1, 1))
    limits = (Limit(WeightTarget(), F(6, 5), one, None), Limit(WeightTarget(2), F(1, 3), one, (F(1), F(2, 3))))
    row = answer(limits=limits, corners=(Corner((F(1), F(1, 2)), (one,)),), upper=F(5, 4), error_rate=0.25).row()
    first, second = row["limits"]
    assert (first["term"], first["value"], first["about"], first["evidence"]) == (None, "6/5", 1.2, "exact")
    assert (first["surviving"], second["surviving"], second["term"]) == (None, ["1", "2/3"], 2)
    assert first["case"] == reproducer(CLAIM, one)
    assert row["corners"] == [{"weights": ["1", "1/2"], "cases": [reproducer(CLAIM, one)]}]
    assert (row["id"], row["side"], row["proved"], row["examined"], row["told"]) == (CLAIM.id, "upper", "5/4", 9, 8)
    assert (row["error_rate"], row["work"], row["seconds"], row["interrupted"]) == (0.25, 77, 1.5, False)
    assert row["terms"] == [str(e) for e in TERMS.exprs]
    assert answer().row()["proved"] is None
    assert format_number(F(1, 3)) == "0.333333"
    assert "print(verify(" in reproducer(CLAIM, one)
    assert CASE.arguments() in reproducer(CLAIM, one)


def test_growth_is_said_with_its_sign() -> None:
    def said(exponent: float) -> str:
        return str(GrowthExponent(n_rounds, 1.0, 8.0, exponent))

    assert "times n_rounds^+0.50" in said(0.5)
    assert "times n_rounds^-0.50" in said(-0.5)
    assert said(0.049).endswith("as the bound does")
    assert said(-0.049).endswith("as the bound does")
    assert "n_rounds^+0.05" in said(0.051)
    assert "(1 to 8)" in said(0.5)
    assert GrowthExponent(n_rounds, 1.0, 8.0, 0.5).row() == {
        "constant": "n_rounds",
        "from": 1.0,
        "to": 8.0,
        "exponent": 0.5,
    }


def test_growth_is_of_the_largest_shares_whatever_their_order() -> None:
    def at(rounds: int, measured: Any, terms: Any = (1,)) -> Fact:
        return fact(measured, terms, case=case(rounds))

    facts = [at(2, 2), at(2, 1), at(8, 1), at(8, 8), at(8, -100), at(2, 9, (0,)), at(8, -99)]
    for given in (facts, facts[::-1]):
        grown = growth_exponent(given, n_rounds)
        assert grown is not None
        assert grown.exponent == pytest.approx(1)
    from_one = growth_exponent([at(1, 1), at(8, 8)], n_rounds)
    assert from_one is not None
    assert (from_one.least, from_one.exponent) == (1, pytest.approx(1))
    (one,) = growth_exponents(facts)
    assert (one.symbol, one.least, one.largest) == (n_rounds, 2, 8)
    assert growth_exponent([at(2, -1), at(8, -2)], n_rounds) is None


def test_measured_values_beyond_all_floats_are_the_largest() -> None:
    own = make_sample(
        TERMS, [fact(F(10) ** 400, (1, 1, 1, 1)), fact(-(F(10) ** 400), (1, 1, 1, 1)), fact(3, (1, 1, 1, 1))]
    )
    assert own.measured.tolist() == [MAX_COMPARED, -MAX_COMPARED, 3]
    assert own.broken(own.limit).tolist() == [True, False, False]
    assert own.claim is CLAIM
    assert own.rows.shape == (3, 4)


# Tables -----------------------------------------------------------------------------------------------------------------


def test_limits_are_rounded_to_the_safe_side_of_their_bound() -> None:
    for value, down, up in (
        (F(12345, 10**4), "1.23", "1.24"),
        (F(1), "1", "1"),
        (F(1) - F(1, 2**53), "1", "1"),
        (F(1) + F(1, 2**52), "1", "1"),
        (F(1999, 1000), "1.99", "2"),
        (F(0), "0", "0"),
    ):
        assert table._round_safely(value, CLAIM) == down
        assert table._round_safely(value, LOWER) == up


def test_a_row_of_the_table_says_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    one = fact(6, (1, 2, 1, 1))
    limits = (
        Limit(WeightTarget(), F(12345, 10**4), one, None),
        Limit(WeightTarget(0), F(1, 3), replace(one, evidence="sampled"), None),
        Limit(WeightTarget(1), F(0), one, None),
    )
    limits = (limits[1], limits[0], limits[2])
    result = answer(limits=limits)
    monkeypatch.setattr(table, "tightness", lambda claim, **given: result)
    row = table.table_row(CLAIM, 100, 0)
    assert (row.id, row.least, row.terms, row.evidence, row.cases) == (CLAIM.id, "1.23", "0.333, 0", "exact", 8)
    assert row.bound.startswith("≤ ")
    result = replace(result, upper=F(2))
    assert table.table_row(CLAIM, 100, 0).least == "1.23 (at these constants at most 2, proved)"
    result = answer()
    assert table.table_row(CLAIM, 100, 0).least == "no case gave a limit"
    result = answer(interrupted=True, limits=limits)
    with pytest.raises(KeyboardInterrupt):
        table.table_row(CLAIM, 100, 0)
    monkeypatch.setattr(table, "tightness", raising(NoTerms(f"{CLAIM.id} has none")))
    assert table.table_row(CLAIM, 100, 0).least == "has none"
    monkeypatch.setattr(table, "tightness", raising(AssertionError()))
    assert table.table_row(LOWER, 100, 0).least == "false as it stands"
    monkeypatch.setattr(table, "_ordered_bound", lambda claim: "x" * 159)
    monkeypatch.setattr(table, "tightness", lambda claim, **given: answer())
    assert table.table_row(CLAIM, 100, 0).bound == "≤ " + "x" * 158 + "…"
    monkeypatch.setattr(table, "_ordered_bound", lambda claim: "x" * 158)
    assert table.table_row(CLAIM, 100, 0).bound == "≤ " + "x" * 158


def test_a_bound_is_written_in_the_order_of_its_weights() -> None:
    assert " - (" in table._ordered_bound(FIXED)
    assert " - (" not in table._ordered_bound(CLAIM)
    assert table._ordered_bound(CLAIM).count(" + ") >= 3
    assert table._ordered_bound(find("osmd/C-48@printed")) == "0"


def test_what_is_proved_is_said_of_claims_as_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    for lines, cell in (
        (("PROVED, all parameters",), "1, proved"),
        (("PROVED (kernel, x), all parameters",), "1, proved"),
        (("PROVED for R <= 3",), "1, proved in part"),
        (("OPEN",), "no proof here"),
        ((), "no proof here"),
    ):
        monkeypatch.setattr(
            table, "recorded_results", lambda paper, lines=lines: {CLAIM.id: SimpleNamespace(proof=lines)}
        )
        assert table._proof_cell(CLAIM) == cell
        assert table._proof_cell(replace(CLAIM, bounds=(CLAIM.bound.scaled(F(2)),))) == "no proof here"


def test_a_page_that_was_broken_off_says_so() -> None:
    row = table.TableRow("a/b", "x | y", "p", "1 | 2", "t", "exact", 7)
    whole = table.markdown([row, row], 600, 5, 2)
    assert whole.count("| `a/b` | x \\| y | p | 1 \\| 2 | t | exact | 7 |") == 2
    assert "Interrupted" not in whole
    assert "600 units of work and seed 5" in whole
    assert "Interrupted: 2 of 3 claims." in table.markdown([row, row], 600, 5, 3)
    assert "| exact |  |" in table.markdown([replace(row, cases=0)], 600, 5, 1)


@pytest.mark.parametrize("least", [0, -1])
def test_shares_over_numbers_that_are_not_positive_have_no_exponent(least: int) -> None:
    def told(value: int) -> Any:
        return SimpleNamespace(
            row=np.array([2.0]), room=float(value + 3), case=SimpleNamespace(constants={step_size: value})
        )

    assert growth_exponent([told(least), told(5)], step_size) is None
    assert growth_exponent([told(1), told(5)], step_size) is not None
