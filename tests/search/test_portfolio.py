"""Members of a portfolio, their shares and starting cases; single looks at a case; edges of what a claim allows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import joblib
import numpy as np
import pytest
from sympy import Eq, Rational

from fltheory import Algorithm, falsify, quantity, theorem
from fltheory.claims.case_search import StopSearch
from fltheory.claims.check import check_claim
from fltheory.evidence.measured import STAGES
from fltheory.evidence.validation.replay import is_comparison_skipped
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.problems.responses import RandomResponses, ResponseTable
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.runs.method import VariantError
from fltheory.search import evaluations, local_search, neighbours, portfolio
from fltheory.search.evaluations import Evaluator, first_runs, name_broken_check
from fltheory.search.history import MAX_BROKEN, CheckFailed, LengthenedCase, SearchState
from fltheory.search.local_search import ScoredCase, climb_rearranged
from fltheory.search.neighbours import leaves
from fltheory.search.portfolio import Budget, Member, Portfolio, run_member
from fltheory.search.starts import edges, patterns
from fltheory.symbols import initial_distance, n_clients, noise_std, smoothness, step_size
from fltheory.verification import find
from fltheory.work import BudgetExhausted, Meter, separate_meter, spend

F = Fraction
CLAIM = find("sfl/T7-GC@explicit")
CASE = Case(QuadraticClients(((1,), (2,)), ((1,), (-1,)), (3,)), n_rounds=4, n_local_steps=2, step_size="1/100")
VERDICT = check_claim(CLAIM, CASE)


def verdict(ratio: float | None, status: str = "holds", **changes: Any) -> Verdict:
    return replace(VERDICT, ratio=ratio, status=status, **changes)  # type: ignore[arg-type]


def case(step: str, rounds: int = 4) -> Case:
    return Case(CASE.instance, n_rounds=rounds, n_local_steps=2, step_size=step)


def evaluator(**options: Any) -> Evaluator:
    return Evaluator(CLAIM, 0, 0, Meter(1e9), 1000.0, 100.0, **options)


# Looks ------------------------------------------------------------------------------------------------------------------


def looking(
    monkeypatch: pytest.MonkeyPatch, verdicts: list[Any], units: float = 2.0, judged: bool = False, **options: Any
) -> tuple[Evaluator, list[bool]]:
    """An evaluator that is told these verdicts, and whether each was found without the validation."""
    looks, skipped = evaluator(**options), list[bool]()
    looks.judged = judged
    coming = iter(verdicts)

    def short(one: Case, stages: Any) -> Verdict:
        skipped.append(is_comparison_skipped())
        spend(units)
        told = next(coming)
        if isinstance(told, BaseException):
            raise told
        return told

    monkeypatch.setattr(looks, "short", short)
    return looks, skipped


def test_what_is_reported_of_a_users_step_is_found_again_with_its_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, skipped = looking(monkeypatch, [verdict(0.5), verdict(0.6)])
    found = looks.look(CASE)
    assert found is not None
    assert found.ratio == 0.6
    assert skipped == [True, False]
    assert (looks.seen.examined, looks.seen.tested) == (1, 1)
    looks, skipped = looking(monkeypatch, [verdict(0.5)], judged=True)
    assert looks.look(CASE) is not None
    assert (skipped, looks.seen.tested) == ([True], 1)
    looks, skipped = looking(monkeypatch, [verdict(0.5)])
    looks.seen.nearest = verdict(0.9)
    assert looks.look(CASE) is not None  # not nearer: one look is enough
    assert (skipped, looks.seen.tested) == ([True], 1)


def test_a_dear_nearest_case_is_found_again_at_the_end_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = evaluations.EVALUATION_COST + evaluations.LEAF_COST * len(leaves(CASE))
    limit = evaluations.MAX_REPEAT_WORK - cost
    for units, status, looked in ((limit + 0.5, "holds", 1), (limit - 0.5, "holds", 2), (limit + 0.5, "violated", 2)):
        looks, skipped = looking(monkeypatch, [verdict(0.5, status)] * 2, units)
        found = looks.look(CASE)
        assert found is not None
        assert len(skipped) == looked
        assert (CASE.arguments() in looks.seen.dear) is (looked == 1)
        assert looks.seen.tested == looked - 1
    looks, _ = looking(monkeypatch, [verdict(2.0, "violated"), BudgetExhausted()])
    assert looks.look(CASE) is not None
    assert (looks.seen.glanced, looks.seen.cut) == (True, 1)
    assert looks.seen.counterexample is not None
    assert looks.seen.tested == 0


def test_a_glance_without_a_ratio_starts_no_search() -> None:
    seen = SearchState()
    seen.count_glanced(verdict(None, "inconclusive"))
    assert (seen.best, seen.dear, seen.counterexample) == ([], {CASE.arguments()}, None)
    first, second = verdict(2.0, "violated"), verdict(3.0, "violated")
    seen.count_glanced(first)
    seen.count_glanced(second)
    assert (seen.counterexample, seen.glanced, seen.examined) == (first, True, 0)
    seen = SearchState(counterexample=first)
    seen.count_glanced(second)
    assert (seen.counterexample, seen.glanced) == (first, False)


def test_a_look_pays_for_the_case_and_for_each_of_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, _ = looking(monkeypatch, [verdict(0.5)], 0.0, judged=True)
    with separate_meter(1e9) as meter:
        looks.look(CASE)
    assert meter.spent == pytest.approx(evaluations.EVALUATION_COST + evaluations.LEAF_COST * len(leaves(CASE)))
    for most, cut in ((math.inf, 0), (20.0, 1), (200.0, 0)):
        looks, _ = looking(monkeypatch, [verdict(0.5)], 90.0, judged=True)
        looks.look(CASE, most=most)
        assert looks.seen.cut == cut
    looks, _ = looking(monkeypatch, [verdict(0.5)], 110.0, judged=True)
    looks.look(CASE, most=1000.0)
    assert looks.seen.cut == 1  # the slice of the segment is 100


def test_a_far_case_is_scouted_and_teaches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt: list[float] = []
    looks, skipped = looking(monkeypatch, [verdict(0.5)] * 4)
    monkeypatch.setattr(looks, "_is_far", lambda one: True)
    monkeypatch.setattr(looks, "_learn", lambda one, took: learnt.append(took))
    assert looks.look(CASE) is None
    assert (looks.seen.scouted, looks.seen.examined, skipped, learnt) == (1, 1, [], [])
    assert looks.look(CASE, scout=False) is not None
    assert (looks.seen.scouted, len(skipped), len(learnt)) == (1, 2, 1)
    looks, skipped = looking(monkeypatch, [verdict(0.5)], judged=True)
    monkeypatch.setattr(looks, "_is_far", lambda one: True)
    assert looks.look(CASE) is not None


def test_cases_outside_the_hypotheses_cost_less_and_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = evaluator()
    with separate_meter(1e9) as meter:
        spend(5.0)
        assert looks._kept(verdict(None, "inapplicable", reason="first")) is None
        assert looks._kept(verdict(None, "inapplicable", reason="second")) is None
    assert meter.spent == pytest.approx(5 - 2 * evaluations.OUTSIDE_REFUND)
    assert (looks.seen.reason, looks.seen.applicable) == ("first", 0)
    failed = verdict(None, "inapplicable", reason="it failed", broken=True)
    for _ in range(MAX_BROKEN - 1):
        assert looks._kept(failed) is None
    assert (looks.seen.broken, looks.seen.broke, looks.seen.reason) == (MAX_BROKEN - 1, "it failed", "first")
    with pytest.raises(VariantError, match="it failed"):  # it does on all of the first cases
        looks._kept(failed)
    assert looks._kept(verdict(0.5)) is not None
    assert looks._kept(failed) is None
    assert looks.seen.applicable == 1
    monkeypatch.setattr(looks, "_learn", lambda one, took: setattr(looks, "rate", took))
    assert looks.own(verdict(0.6), 4.0) is not None
    assert (looks.seen.examined, looks.seen.applicable, looks.rate) == (1, 2, 4.0)


def test_a_second_look_counts_its_case_once_and_may_take_more(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, open_one = evaluator(), verdict(0.9, "inconclusive", reason="why")
    slices: list[float] = []

    def look(one: Case, stages: Any, scout: bool) -> Any:
        assert (one, stages, scout) == (CASE, STAGES, False)
        slices.append(looks.slice)
        looks.seen.examined += 1
        return None

    monkeypatch.setattr(looks, "look", look)
    looks.seen.examined = 1
    looks.seen.count(open_one)
    for most in (50.0, 500.0):
        assert looks.reevaluate(open_one, STAGES, most) is None
    assert slices == [100.0, 500.0]
    assert looks.slice == 100.0
    assert (looks.seen.examined, looks.seen.applicable, looks.seen.tested) == (1, 1, 1)
    assert dict(looks.seen.undecided) == {"why": 1}
    monkeypatch.setattr(looks, "look", lambda *given, scout: open_one)
    assert looks.reevaluate(open_one, STAGES, 50.0) is open_one
    assert (looks.seen.applicable, looks.seen.tested, dict(looks.seen.undecided)) == (0, 0, {})


def test_a_broken_check_names_the_case_and_a_lack_of_memory_is_no_broken_check() -> None:
    words = r"T7-GC@explicit: the check broke: IndexError: of no use \(on .*step_size"
    with pytest.raises(CheckFailed, match=words), name_broken_check(CLAIM, CASE):
        raise IndexError("of\n  no use")
    with pytest.raises(MemoryError), name_broken_check(CLAIM, CASE):
        raise MemoryError
    with pytest.raises(BudgetExhausted), name_broken_check(CLAIM, CASE):
        raise BudgetExhausted
    with name_broken_check(CLAIM, CASE):
        pass


def test_scores_are_of_the_first_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, asked = evaluator(), []
    told: list[Any] = [verdict(0.5), None, verdict(None)]

    def look(one: Case, stages: Any) -> Any:
        asked.append((one, stages))
        return told.pop(0)

    monkeypatch.setattr(looks, "look", look)
    assert [looks.score(CASE) for _ in range(3)] == [0.5, None, None]
    assert asked == [(CASE, first_runs(CASE))] * 3


def test_estimates_are_only_of_runs_below_one_upper_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert evaluations.estimate(CLAIM, CASE, 0) is not None
    lower = replace(CLAIM, bounds=(replace(CLAIM.bound, side="lower"),))
    assert evaluations.estimate(lower, CASE, 0) is None
    assert evaluations.estimate(replace(CLAIM, bounds=CLAIM.bounds * 2), CASE, 0) is None
    zero = replace(CLAIM, bounds=(CLAIM.bound.scaled(F(0)),))
    assert evaluations.estimate(zero, CASE, 0) is None
    half = evaluations.estimate(replace(CLAIM, bounds=(CLAIM.bound.scaled(F(1, 1000)),)), CASE, 0)
    assert half is not None
    assert half > 0
    monkeypatch.setattr(evaluations, "simulate", raising(ArithmeticError()))
    assert evaluations.estimate(CLAIM, CASE, 0) is None


def test_estimates_of_bounds_that_say_nothing_count_little(monkeypatch: pytest.MonkeyPatch) -> None:
    value, trivial = [2.0], [None]
    bound = SimpleNamespace(side="upper", ball=lambda constants: F(8))
    measure: Any = CLAIM.measure
    monkeypatch.setattr(evaluations, "inapplicable_reason", lambda claim, one: None)
    monkeypatch.setattr(evaluations, "simulate", lambda *given: np.array(value))
    monkeypatch.setattr(type(measure), "trivial", lambda self, full: trivial[0])
    claim: Any = SimpleNamespace(
        measure=measure, bound=bound, bounds=(bound,), algorithm=CLAIM.algorithm, prepared=CLAIM.prepared
    )
    for known, measured, found in (
        (None, 2.0, 0.25),
        (F(4), 2.0, 0.25 * evaluations.VACUOUS_DISCOUNT),
        (F(2), 2.0, 0.25 * evaluations.VACUOUS_DISCOUNT),
        (F(1), 2.0, 0.25),
        (F(8), 2.0, 0.25),
        (F(9), 2.0, 0.25),
        (None, math.inf, None),
        (None, -2.0, -0.25),
    ):
        value[0], trivial[0] = measured, known  # type: ignore[call-overload]
        assert evaluations.estimate(claim, CASE, 0) == found
    value[:] = [6.0, 3.0, 5.0]
    assert evaluations.estimate(claim, CASE, 0) == 3 / 8  # the least of several measures


def test_cases_are_far_only_beside_a_best_one_and_above_the_cost_of_a_scout(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = evaluator()
    monkeypatch.setattr(evaluations, "steps_per_run", lambda one, clients=True: 100)
    monkeypatch.setattr(evaluations, "estimate", lambda *given: -5.0)
    looks.rate = 1e9
    looks.seen.best = [verdict(0.0)]
    assert not looks._is_far(CASE)
    looks.seen.best = [verdict(0.5)]
    assert looks._is_far(CASE)
    looks.rate = evaluations.SCOUT_COST_FACTOR * evaluations.USER_STEP_COST
    assert looks._is_far(CASE)
    looks.rate *= 0.99
    assert not looks._is_far(CASE)
    monkeypatch.setattr(evaluations, "estimate", lambda *given: 0.4)
    looks.rate = 1e9
    looks.seen.best = [verdict(9.0)]
    assert not looks._is_far(CASE)  # beyond the bound the best is no longer a measure


def raising(error: BaseException) -> Callable[..., Any]:
    def call(*_: Any, **__: Any) -> Any:
        raise error

    return call


# Rounds -----------------------------------------------------------------------------------------------------------------


def played(
    monkeypatch: pytest.MonkeyPatch, own: Portfolio, tell: Callable[[Member], SearchState], rounds: int
) -> list[list[tuple[str, int, int, bool]]]:
    """What so many parts of rounds ask: kind, number, size, and whether the round counts as climbed after it."""
    parts: list[list[tuple[str, int, int, bool]]] = []

    def run(claim: Any, members: Any, budget: Any, jobs: int) -> Iterator[SearchState]:
        parts.append([])
        for member in members:
            seen = tell(member)
            parts[-1].append((member.kind, member.number, member.most, False))
            yield seen

    monkeypatch.setattr(portfolio, "_run_members", run)
    for _ in own.run(1):
        kind, number, most, _ = parts[-1].pop()
        parts[-1].append((kind, number, most, own.climbed))
        if len(parts) > rounds:
            break
    return parts[:rounds]


def portfolio_of(most: int | None = None, work: float = 1e6, best: tuple[Verdict, ...] = ()) -> Portfolio:
    return Portfolio(CLAIM, 3, Budget(work, Meter(work)), SearchState(best=list(best)), most)


def test_samples_come_first_and_then_searches_from_the_best_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    own = portfolio_of()

    def tell(member: Member) -> SearchState:
        if member.number == 2:
            own.known.best = [verdict(0.5), verdict(0.4)]
        return SearchState(examined=1)

    first, climbing, second, other = played(monkeypatch, own, tell, 4)
    assert first == [("nearby", 1, 60, False), ("draws", 2, 60, False)]
    assert climbing == [
        ("farther", 3, 1, False),
        ("climb", 4, 120, False),
        ("climb", 5, 120, False),
        ("mixed", 6, 80, True),
    ]
    assert [(k, n, m) for k, n, m, _ in second] == [
        ("patterns", 7, 60),
        ("edges", 8, 60),
        ("edges", 9, 60),
        ("draws", 10, 60),
    ]
    assert [(k, n, m) for k, n, m, _ in other] == [
        ("farther", 11, 1),
        ("climb", 12, 120),
        ("climb", 13, 120),
        ("logs", 14, 80),
    ]
    assert [flag for *_, flag in other] == [False, False, False, True]


def test_each_round_climbs_from_the_best_case_and_from_another() -> None:
    best = [verdict(0.5), verdict(0.4), verdict(0.3)]
    for turn in range(7):
        found = portfolio._climb_members(best, turn)
        assert [kind for kind, *_ in found] == ["farther", "climb", "climb", portfolio.OTHER_MEMBERS[turn % 5][0]]
        assert [start.ratio for _, start, _ in found[:3]] == [0.5, 0.5, best[(turn + 1) % 3].ratio]  # type: ignore[union-attr]
        rank = portfolio.OTHER_MEMBERS[turn % 5][1]
        assert found[3][1] is best[(turn + 1) % 3 if rank is None else rank]
    assert portfolio._climb_members([], 0) == []


def test_samples_double_while_nothing_better_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    own = portfolio_of(best=(verdict(0.5),))
    own.begun = True

    def tell(member: Member) -> SearchState:
        if member.number == 3 + 5 * 5:  # of the sixth round
            own.known.best = [verdict(0.6)]
        return SearchState(examined=1)

    sizes = [most for part in played(monkeypatch, own, tell, 16) for kind, _, most, _ in part if kind == "draws"]
    assert sizes == [60, 120, 240, 480, 480, 480, 60, 120]


def test_a_little_better_is_not_better(monkeypatch: pytest.MonkeyPatch) -> None:
    for gain, fruitless in ((1.0099, 1), (1.0101, 0)):
        own = portfolio_of(best=(verdict(0.5),))

        def tell(member: Member, own: Portfolio = own, gain: float = gain) -> SearchState:
            own.known.best = [verdict(0.5 * gain)]
            return SearchState(examined=1)

        played(monkeypatch, own, tell, 2)
        assert own.fruitless == fruitless


def test_cases_that_members_leave_over_are_left_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    own = portfolio_of(100)
    parts = played(monkeypatch, own, lambda member: SearchState(examined=10 if member.number < 3 else member.most), 9)
    assert [[most for _, _, most, _ in part] for part in parts] == [[60, 40], [80]]  # 10 + 10 + 80 cases in all
    assert own.left == 0
    none = portfolio_of(0)
    assert list(none.run(1)) == []


def test_the_longest_run_gets_its_share_last() -> None:
    own = portfolio_of(5)
    start = verdict(0.5)
    found = own._members([("farther", start, 1), ("climb", start, 3), ("climb", start, 120), ("logs", start, 80)])
    assert [(m.kind, m.number, m.most) for m in found] == [("climb", 2, 3), ("climb", 3, 2)]
    assert (own.left, own.number) == (0, 4)


def test_members_get_their_parts_of_the_work() -> None:
    own = portfolio_of(None, 1000.0)
    own.known.lengthened.add(LengthenedCase((1,), 2.0, 3.0))
    own.budget.meter.spent = 100.0
    (one,) = own._members([("draws", None, 60)])
    assert (one.work, one.slice) == (portfolio.DRAW_SHARE * 900, 50.0)
    assert one.units == one.work + one.slice
    assert (one.seed, one.deadline, one.lengthened) == (3, math.inf, {LengthenedCase((1,), 2.0, 3.0)})
    own.slower = 1
    (one,) = own._members([("climb", None, 60)])
    assert (one.work, one.slice) == (portfolio.MEMBER_SHARE * 900, 100.0)
    own.budget.meter.spent = 960.0
    found = own._members([("draws", None, 60)] * 4)
    assert [(m.work, m.slice, m.units) for m in found] == [(10.0, 10.0, 10.0)] * 4
    (one,) = own._members([("logs", None, 60)])
    assert (one.work, one.slice, one.units) == (portfolio.MIN_WORK, 40.0, 40.0)


def test_evaluations_get_more_work_where_most_are_cut_and_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    for cut, slower in ((30, 0), (31, 1)):
        own = portfolio_of()
        state = SearchState(examined=60, cut=cut, work=7.0)
        parts = played(monkeypatch, own, lambda member, state=state: state, 1)  # type: ignore[misc]
        assert sum(map(len, parts)) == 2
        assert own.slower == slower
        assert own.budget.meter.spent == 7.0 * 3  # two members, and the first of the next round


def test_a_family_without_another_case_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    own = portfolio_of()
    parts = played(monkeypatch, own, lambda member: SearchState(), 99)
    assert [kind for part in parts for kind, *_ in part] == ["nearby", "draws", "draws", "draws"]
    late = portfolio_of()
    parts = played(monkeypatch, late, lambda member: SearchState(examined=int(member.number == 3)), 99)
    assert len(parts) == 1 + 1 + portfolio.MAX_IDLE_ROUNDS  # an idle round, one with a case, and three idle ones
    over = portfolio_of(work=10.0)
    over.budget.meter.spent = 9.5
    assert list(over.run(1)) == []


def test_members_run_in_their_order_until_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "run_member", lambda claim, member: member)
    members: Any = [1, 2, 3]
    assert list(portfolio._run_members(CLAIM, members, Budget(1.0, Meter(1.0)), 1)) == [1, 2, 3]
    late = Budget(1.0, Meter(1.0), time.perf_counter() - 1)
    assert list(portfolio._run_members(CLAIM, members, late, 1)) == []
    assert list(portfolio._run_members(CLAIM, members[:1], late, 2)) == []  # one member needs no other process
    asked: list[Any] = []

    class Pool:
        def __init__(self, n_jobs: int, **options: Any) -> None:
            asked.append(n_jobs)

        def __call__(self, calls: Any) -> Any:
            return (call() for call in calls)

    monkeypatch.setattr(joblib, "Parallel", Pool)
    monkeypatch.setattr(joblib, "delayed", lambda function: lambda *given: lambda: ("elsewhere", given[1]))
    budget = Budget(1.0, Meter(1.0))
    assert list(portfolio._run_members(CLAIM, members[:2], budget, 2)) == [("elsewhere", 1), ("elsewhere", 2)]
    assert asked == [2]
    assert list(portfolio._run_members(CLAIM, members, budget, 1)) == [1, 2, 3]


# Members ----------------------------------------------------------------------------------------------------------------


def member(kind: str, start: Verdict | None = None, **changes: Any) -> Member:
    return replace(Member(kind, 7, 20, start, 2, math.inf, 50.0, 30.0, 60.0), **changes)


def test_a_member_tells_what_it_saw_however_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    known = frozenset({LengthenedCase((1,), 2.0, 3.0)})
    for error, units, work in (
        (None, 5.0, 5.0),
        (BudgetExhausted(), 5.0, 5.0),
        (KeyboardInterrupt(), 5.0, 5.0),
        (None, 100.0, 60.0),
    ):

        def play(looks: Evaluator, own: Member, error: Any = error, units: float = units) -> None:
            assert (looks.number, looks.seed, looks.work, looks.slice, looks.most) == (7, 2, 50.0, 30.0, 20)
            looks.seen.examined = 3
            spend(units)
            if error is not None:
                raise error

        monkeypatch.setattr(portfolio, "_play", play)
        seen = run_member(CLAIM, member("draws", lengthened=known))
        assert (seen.work, seen.by, seen.examined, seen.lengthened) == (work, "draws", 3, set(known))
        assert seen.interrupted is isinstance(error, KeyboardInterrupt)


def test_kinds_of_members_do_what_they_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    for name in ("_draw", "_try_neighbours", "_try_patterns", "_try_edges"):
        monkeypatch.setattr(portfolio, name, lambda looks, *more, name=name: done.append((name, *more)))
    for name in ("hill_climb", "cma_es", "continue_to_longer", "climb_rearranged"):
        monkeypatch.setattr(portfolio, name, lambda looks, *more, name=name: done.append((name, *more)))
    monkeypatch.setattr(portfolio, "try_longer", lambda looks, one, any_case: done.append(("longer", one, any_case)))
    start = verdict(0.5)
    at = ScoredCase(CASE, 0.5)
    for kind, what in (
        ("draws", ("_draw", member("draws", start))),
        ("nearby", ("_try_neighbours",)),
        ("patterns", ("_try_patterns", CASE)),
        ("edges", ("_try_edges", CASE)),
        ("farther", ("longer", start, False)),
        ("climb", ("hill_climb", at, 20, False)),
        ("mixed", ("hill_climb", at, 20, True)),
        ("logs", ("cma_es", at, 20)),
        ("longer", ("continue_to_longer", at, 20)),
        ("otherwise", ("climb_rearranged", at, 20)),
    ):
        portfolio._play(evaluator(), member(kind, start))
        assert done.pop() == what
    for kind in ("patterns", "edges", "farther", "climb", "logs"):
        portfolio._play(evaluator(), member(kind))
    assert done == []
    looks, error = evaluator(), ValueError("x")
    monkeypatch.setattr(portfolio, "_draw", raising(error))
    portfolio._play(looks, member("draws"))
    assert looks.seen.error is error


def test_samples_are_steered_by_their_scores_and_lengthened(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    told: list[Any] = [verdict(0.5), None, verdict(None), ValueError("x")]
    looks = evaluator()

    def search(family: Any, seed: int, size: int, examine: Any) -> None:
        assert (seed, size) == (2 * 1_000_003 + 7, 20)
        assert [examine(CASE) for _ in range(4)] == [0.5, None, None, None]
        looks.seen.examined = 10**9
        looks.most = 1
        with pytest.raises(StopSearch):
            examine(CASE)

    def look(one: Case, stages: Any) -> Any:
        assert (one, stages) == (case("1/9", 2), first_runs(case("1/9", 2)))
        now = told.pop(0)
        if isinstance(now, BaseException):
            raise now
        return now

    monkeypatch.setattr(portfolio, "search_cases", search)
    monkeypatch.setattr(portfolio, "try_longer", lambda looks, one: asked.append(one.ratio))
    monkeypatch.setattr(looks, "look", look)
    monkeypatch.setattr(looks, "shorter", lambda one: case("1/9", 2))
    portfolio._draw(looks, member("draws"))
    assert asked == [0.5]
    assert str(looks.seen.error) == "x"


def test_cases_of_neighbouring_claims_that_do_not_fit_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    cases, asked = [case("1/9"), case("1/8"), case("1/7"), case("1/6")], []
    looks = evaluator()

    def score(one: Case) -> float:
        asked.append(one)
        if len(asked) == 2:
            raise CheckFailed
        looks.seen.examined += 1
        return 0.5

    monkeypatch.setattr(portfolio, "neighbour_claim_cases", lambda claim: cases)
    monkeypatch.setattr(looks, "score", score)
    looks.most = 2
    portfolio._try_neighbours(looks)
    assert asked == cases[:3]


def test_patterns_are_tried_short_and_long_and_the_best_are_lengthened(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, longer, looks = [], [], evaluator()
    outside = case("1/5", 600)

    def made(start: Case, rounds: int) -> list[Case]:
        assert start == CASE
        return [case(f"1/{k}", rounds) for k in (9, 8, 5)]

    def look(one: Case, stages: Any) -> Any:
        assert stages == first_runs(one)
        asked.append(one)
        return None if len(asked) == 1 else verdict(len(asked) / 10, case=one)

    monkeypatch.setattr(portfolio, "pattern_cases", made)
    monkeypatch.setattr(portfolio, "inapplicable_reason", lambda claim, one: "out" if one == outside else None)
    monkeypatch.setattr(looks, "look", look)
    monkeypatch.setattr(portfolio, "lengthen_repeatedly", lambda looks, one, slice: longer.append((one.ratio, slice)))
    portfolio._try_patterns(looks, CASE)
    assert asked == [case("1/9", 60), case("1/8", 60), case("1/5", 60), case("1/9", 600), case("1/8", 600)]
    assert longer == [(0.5, 100.0), (0.4, 100.0), (0.3, 100.0)]
    looks.most = 0
    portfolio._try_patterns(looks, CASE)
    assert len(asked) == 5


def test_edges_are_lengthened_and_other_scales_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, longer, looks = [], [], evaluator()
    told = {case("1/9"): verdict(0.5), case("1/8"): None, case("1/7"): verdict(None), case("1/6"): verdict(0.1)}

    def look(one: Case, stages: Any) -> Any:
        assert stages == first_runs(one)
        asked.append(one)
        return told.get(one)

    monkeypatch.setattr(portfolio, "edge_cases", lambda claim, one: iter(told))
    monkeypatch.setattr(portfolio, "scaled_cases", lambda one: iter([case("1/5"), case("1/4")]))
    monkeypatch.setattr(portfolio, "inapplicable_reason", lambda claim, one: "out" if one == case("1/5") else None)
    monkeypatch.setattr(looks, "look", look)
    monkeypatch.setattr(portfolio, "lengthen_repeatedly", lambda looks, one, slice: longer.append((one.ratio, slice)))
    portfolio._try_edges(looks, CASE)
    assert asked == [*told, case("1/4")]
    assert longer == [(0.5, 100.0), (0.1, 100.0)]
    looks.most = 0
    portfolio._try_edges(looks, CASE)
    assert len(asked) == 5


# Edges and scales -------------------------------------------------------------------------------------------------------


def edge_steps(monkeypatch: pytest.MonkeyPatch, low: Fraction, high: Fraction, start: str = "1/100") -> list[Fraction]:
    """The step sizes at the ends, where those from ``low`` to ``high`` are allowed and all else stays."""

    def reason(claim: Any, one: Case) -> str | None:
        numbers = leaves(one)
        return None if low <= numbers[("settings", "step_size")] <= high else "out"

    monkeypatch.setattr(edges, "inapplicable_reason", reason)
    found = list(edges.edge_cases(CLAIM, case(start)))
    assert all(leaves(c)[("settings", "n_rounds")] == 4 and c.instance == CASE.instance for c in found)
    return [leaves(c)[("settings", "step_size")] for c in found]


def test_edges_are_the_last_settings_within_the_hypotheses(monkeypatch: pytest.MonkeyPatch) -> None:
    for low, high in ((F(1, 1000), F(1, 3)), (F(1, 10**6), F(200)), (F(1, 101), F(1, 99))):
        upper, lower = edge_steps(monkeypatch, low, high)
        assert high * F(999, 1000) <= upper <= high
        assert low <= lower <= low * F(1001, 1000)
    (upper,) = edge_steps(monkeypatch, F(0), F(1, 3))  # no least one
    assert upper == F(3333, 10**4)
    assert edge_steps(monkeypatch, F(0), F(10) ** 30) == []
    assert edge_steps(monkeypatch, F(1, 9), F(1, 3)) == []  # outside to begin with


def test_only_what_is_no_count_and_no_number_of_the_instance_has_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edges, "_edge", lambda claim, one, path, value, way: (path, value, way))
    found: Any = list(edges.edge_cases(CLAIM, CASE))
    assert found == [(("settings", "step_size"), F(1, 100), 1), (("settings", "step_size"), F(1, 100), -1)]


def test_scales_change_all_numbers_of_an_instance_but_counts() -> None:
    found = list(edges.scaled_cases(CASE))
    assert len(found) == 4
    for by, one in zip((10, 100, F(1, 10), F(1, 100)), found, strict=True):
        before, now = leaves(CASE), leaves(one)
        assert all(now[p] == v * (by if p[0] == "instance" else 1) for p, v in before.items())
    game = Case(ResponseTable(((1, 0), (0, 1)), (2, 3), repeat=10), learner_scale="1/2")
    for one in edges.scaled_cases(game):
        now = leaves(one)
        assert all(now[p] == v for p, v in leaves(game).items() if p[1] in ("counts_of", "repeat", "learner_scale"))
    assert list(edges.scaled_cases(Case(Rows(((0, 0),), 5)))) == []


# Moves ------------------------------------------------------------------------------------------------------------------


def test_mixed_moves_are_shared_out_by_their_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("longer_case", "rearranged_case", "random_neighbour"):
        monkeypatch.setattr(local_search, name, lambda *given, name=name: (name, given[0], given[1:-1]))
    for draw, name in (
        (0.0, "longer_case"),
        (0.249, "longer_case"),
        (0.25, "rearranged_case"),
        (0.349, "rearranged_case"),
        (0.351, "random_neighbour"),
        (0.999, "random_neighbour"),
    ):
        random: Any = SimpleNamespace(random=lambda draw=draw: draw)
        found: Any = local_search._neighbour(CASE, 0.5, random)
        assert found == (name, CASE, (0.5,) if name == "random_neighbour" else ())


class Ground:
    """Scores in turn; over after so many."""

    def __init__(self, scores: list[float | None], most: int = 99) -> None:
        self.scores, self.random, self.most, self.asked = scores, Random(0), most, list[Case]()

    @property
    def over(self) -> bool:
        return len(self.asked) >= self.most

    def score(self, one: Case) -> float | None:
        self.asked.append(one)
        return self.scores[len(self.asked) - 1]


def test_rearranged_clients_are_kept_where_a_climb_from_them_leads_higher(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = [case("1/9"), None, case("1/8"), case("1/7"), case("1/6")]
    made, climbs = iter(tried), []

    def climb(ground: Any, at: ScoredCase, moves: int) -> ScoredCase:
        climbs.append((at, moves))
        return ScoredCase(at.case, at.score + 1)

    monkeypatch.setattr(local_search, "rearranged_case", lambda one, random: next(made))
    monkeypatch.setattr(local_search, "hill_climb", climb)
    ground = Ground([0.0, 4.0, None, 2.0])
    found = climb_rearranged(ground, ScoredCase(CASE, 1.5), 7 * 5)
    assert found == ScoredCase(case("1/8"), 5.0)
    assert climbs == [
        (ScoredCase(case("1/9"), 0.0), 6),
        (ScoredCase(case("1/8"), 4.0), 6),
        (ScoredCase(case("1/6"), 2.0), 6),
    ]
    assert ground.asked == [case("1/9"), case("1/8"), case("1/7"), case("1/6")]
    monkeypatch.setattr(local_search, "rearranged_case", lambda one, random: case("1/9"))
    for moves, looks in ((0, 1), (6, 1), (13, 1), (14, 2)):
        ground = Ground([0.0] * 9)
        assert climb_rearranged(ground, ScoredCase(CASE, 1.5), moves).score == 1.5
        assert len(ground.asked) == looks
    ground = Ground([0.0] * 9, 2)
    climb_rearranged(ground, ScoredCase(CASE, 1.5), 70)
    assert len(ground.asked) == 2


# Smaller cases, rows without lengths ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows:
    """A game with a table of rows that is repeated."""

    rows: tuple[tuple[Any, ...], ...]
    repeat: int = 1

    @property
    def constants(self) -> dict[Any, Any]:
        if self.repeat < 1 or not self.rows:
            raise ValueError("no rounds")
        return {}


def test_rows_without_lengths_are_written_out_up_to_a_size() -> None:
    table = patterns.table_of(Case(Rows(((1, 0), (0, 1)), 5)))
    assert table is not None
    assert (table.name, table.rows, table.lengths, table.times, table.repeat) == (
        "rows",
        ((1, 0), (0, 1)),
        None,
        (1, 1),
        5,
    )
    assert table.n_rounds == 10
    made = table.with_rows(((1, 0), (0, 1)), (2, 1), 3)
    assert made is not None
    assert made.instance == Rows(((1, 0), (1, 0), (0, 1)), 3)
    assert table.with_rows(((1, 0), (0, 1)), (149, 1), 1) is not None  # 300 numbers
    assert table.with_rows(((1, 0), (0, 1)), (149, 2), 1) is None
    assert table.with_rows(((1, 0),), (1,), 0) is None
    repeated = table.repeat_rows(((1, 0), (0, 1)), (2, 1), 10)
    assert repeated is not None
    assert repeated.instance.repeat == 3
    phases = table.phase_rows(((1, 0), (0, 1)), (1, 3), 12)
    assert phases is not None
    assert phases.instance == Rows(((1, 0), (0, 1), (0, 1), (0, 1)), 3)
    with separate_meter(1e9) as meter:
        table.with_rows(((1, 0),), (1,), 1)
    assert meter.spent == neighbours.MOVE_COST


def test_only_one_table_with_a_repetition_is_a_pattern() -> None:
    assert patterns.table_of(CASE) is None
    assert patterns.table_of(Case(Rows(((1, 0), (0,)), 5))) is None
    assert patterns.table_of(Case(Rows(((1, 0),), True))) is None
    assert patterns.table_of(Case(RandomResponses("coin", 3, 20, seed=1))) is None
    lengths = patterns.table_of(Case(ResponseTable(((1, 0), (0, 1)), (2, 3), repeat=10)))
    assert lengths is not None
    assert (lengths.lengths, lengths.times, lengths.n_rounds) == ("counts_of", (2, 3), 50)
    flat = lengths.phase_rows(((1, 0), (0, 1)), (1, 3), 9)
    assert flat is not None
    assert (flat.instance.counts_of, flat.instance.repeat) == ((2, 6), 1)
    assert list(patterns.pattern_cases(Case(Rows(((1, 1),), 5)), 60)) == []
    wide = Case(Rows((tuple(range(200)),), 5))
    assert list(patterns.pattern_cases(wide, 60)) == []  # too many numbers


@dataclass(frozen=True)
class Counted(Rows):
    """The same with lengths that may be of another number."""

    counts_of: tuple[int, ...] = (2,)


def test_a_table_has_a_length_for_each_row_and_the_range_of_its_numbers() -> None:
    assert patterns.table_of(Case(Counted(((1, 0), (0, 1)), 5))) is None
    assert patterns.table_of(Case(Counted(((1, 0), (0, 1)), 5, (2, 3)))) is not None
    first = next(patterns.pattern_cases(Case(Rows(((1, -2), (0, 3)), 5)), 60))
    assert first.instance.rows == ((3, -2), (-2, 3))


@dataclass(frozen=True)
class Shrinks:
    """Data that names its own smaller versions."""

    size: int

    def smaller(self) -> Iterator[Shrinks]:
        for size in range(self.size):
            yield Shrinks(size)


@dataclass(frozen=True)
class Holds:
    """An instance with such data."""

    part: Shrinks
    other: int = 3

    @property
    def constants(self) -> dict[Any, Any]:
        if self.part.size == 1:
            raise ValueError("not this size")
        return {}


def test_smaller_versions_are_those_that_an_instance_names() -> None:
    found = list(neighbours._smaller_shapes(Case(Holds(Shrinks(3)))))
    assert [c.instance for c in found] == [Holds(Shrinks(0)), Holds(Shrinks(2))]
    assert list(neighbours._smaller_instances(Shrinks(2))) == [Shrinks(0), Shrinks(1)]  # type: ignore[arg-type]
    assert list(neighbours._smaller_instances(Holds(Shrinks(1)))) == [Holds(Shrinks(0))]


def test_dropped_coordinates_leave_an_objective_or_are_passed_over() -> None:
    one = Case(QuadraticClients(((1, 0), (2, 3)), ((1, 0), (0, 1)), (1, 2)), n_rounds=1, n_local_steps=1)
    shapes = [(c.instance.n_clients, c.instance.dim) for c in neighbours._smaller_shapes(one)]
    assert shapes.count((2, 1)) == 2
    assert shapes.count((1, 2)) == 2
    single = Case(QuadraticClients(((1,),), ((1,),), (1,)), n_rounds=1, n_local_steps=1)
    assert list(neighbours._smaller_shapes(single)) == []
    assert neighbours._sizes(one.instance) == (2, 2)


def test_a_best_case_that_does_not_move_hides_no_edge() -> None:
    """Where the start has no share in the steep direction every step is as good: the edge is tried from others too."""

    def step(x: Any, oracle: Any, c: Any) -> Any:
        return x - c.step_size * oracle.gradient(x, 0)

    claim = theorem(
        "GD: no farther, for steps a little beyond 2/L",
        quantity <= initial_distance**2,
        given=[Eq(n_clients, 1), Eq(noise_std, 0), step_size * smoothness <= Rational(101, 50)],
        algorithm=Algorithm("GD", step),
        measure=LastDistance(),
        family=lambda: federated_runs(quadratic_clients(1, 2, noise=False), max_rounds=50, max_local_steps=1),
        key="edge",
    )
    found = falsify(claim, seed=0, work=1_000)
    assert found.verdict is not None
    assert (found.verdict.status, found.verdict.evidence, found.by) == ("violated", "exact", "edges")


def test_patterns_are_not_lengthened_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    longer, looks = [], evaluator()

    def look(one: Case, stages: Any) -> Any:
        looks.most = 0
        return verdict(0.5, case=one)

    monkeypatch.setattr(portfolio, "pattern_cases", lambda start, rounds: [case("1/9", rounds)])
    monkeypatch.setattr(portfolio, "inapplicable_reason", lambda claim, one: None)
    monkeypatch.setattr(looks, "look", look)
    monkeypatch.setattr(portfolio, "lengthen_repeatedly", lambda looks, one, slice: longer.append(one))
    portfolio._try_patterns(looks, CASE)
    assert looks.over
    assert longer == []


def test_the_first_message_of_a_broken_check_is_kept() -> None:
    for first, second, kept in (("", "b", "b"), ("a", "b", "a"), ("a", "", "a")):
        seen = SearchState(broke=first, broken=1, reason=first, interrupted=bool(first))
        seen.join(SearchState(broke=second, broken=2, reason=second, interrupted=bool(second)))
        assert (seen.broke, seen.broken, seen.reason, seen.interrupted) == (kept, 3, kept, True)
