"""What a search reports: counterexamples confirmed on fresh randomness, own cases, work, and what is said of it."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fltheory import work as work_module
from fltheory.claims.check import ERROR_RATE, check_claim
from fltheory.evidence.measured import STAGES
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.problems.separable import QuadraticClients
from fltheory.search import falsifier
from fltheory.search.deadline import DeadlinePassed
from fltheory.search.evaluations import deciding_stages
from fltheory.search.falsifier import Falsification, falsify
from fltheory.search.history import CheckFailed, SearchState
from fltheory.search.portfolio import Budget
from fltheory.search.whole_class import ClassAnswer
from fltheory.seeds import MAX_SEED
from fltheory.verification import find
from fltheory.work import BudgetExhausted, Meter, separate_meter, spend

CLAIM = find("sfl/T7-GC@explicit")
CASE = Case(QuadraticClients(((1,), (2,)), ((1,), (-1,)), (3,)), n_rounds=4, n_local_steps=2, step_size="1/100")
VERDICT = check_claim(CLAIM, CASE)
PAST = -1e9  # of the clock that deadlines are read from
Check = Callable[..., Verdict]


def verdict(ratio: float | None, status: str = "holds", **changes: Any) -> Verdict:
    return replace(VERDICT, ratio=ratio, status=status, **changes)  # type: ignore[arg-type]


def case(step: str, rounds: int = 4) -> Case:
    return Case(CASE.instance, n_rounds=rounds, n_local_steps=2, step_size=step)


def search(work: float = 1000.0, deadline: float = math.inf, seed: int = 5, claim: Any = CLAIM) -> Any:
    return falsifier._FalsificationSearch(claim, Budget(work, Meter(work), deadline), seed)


def raising(error: BaseException, units: float = 0.0) -> Check:
    def check(*_: Any, **__: Any) -> Verdict:
        spend(units)
        raise error

    return check


def telling(found: Any, units: float = 0.0) -> Check:
    def check(*_: Any, **__: Any) -> Any:
        spend(units)
        return found

    return check


# Confirmation -----------------------------------------------------------------------------------------------------------


def test_checks_of_counterexamples_share_half_of_the_error_rate_with_seeds_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[float, int]] = []

    def check(claim: Any, own: Case, rate: float, seed: int, stages: Any) -> Verdict:
        asked.append((rate, seed))
        assert (claim, own, stages) == (CLAIM, CASE, deciding_stages(CASE, STAGES))
        return verdict(0.5, error_rate=rate if len(asked) % 2 else 0.0)

    monkeypatch.setattr(falsifier, "checked_verdict", check)
    own = search(seed=MAX_SEED - 3)
    for _ in range(200):
        own.full(CASE)
    rates = [rate for rate, _ in asked]
    assert rates[0] == ERROR_RATE / 4
    assert rates[1] == pytest.approx(ERROR_RATE / 12)
    assert 0.99 * ERROR_RATE / 2 < sum(rates) < ERROR_RATE / 2
    assert own.spent == pytest.approx(sum(rates[::2]))
    seeds = [seed for _, seed in asked]
    assert seeds[:5] == [MAX_SEED - 2, MAX_SEED - 1, MAX_SEED, 0, 1]
    assert len(set(seeds)) == 200


def test_additional_work_is_a_share_and_never_less_than_a_little() -> None:
    assert search(10_000.0).part(0.1) == 1000
    assert search(100.0).part(0.1) == falsifier.MIN_EXTRA_WORK
    assert search(4000.0).most == falsifier.CHECK_SHARE * 4000 == search(4000.0).looks.slice


@pytest.mark.parametrize(
    ("first", "check", "deadline", "told", "remark"),
    [
        ({}, telling(verdict(2.0, "violated"), 3.0), math.inf, "again", ""),
        ({}, telling(verdict(0.5), 3.0), math.inf, None, ""),
        ({}, telling(verdict(1.5, "inconclusive"), 3.0), math.inf, None, ""),
        ({"evidence": "exact"}, raising(BudgetExhausted()), math.inf, "first", ""),
        ({"evidence": "exact", "glanced": True}, raising(BudgetExhausted()), math.inf, None, "no work was left"),
        ({"evidence": "statistical"}, raising(BudgetExhausted()), math.inf, None, "no work was left"),
        ({"evidence": "statistical"}, raising(DeadlinePassed()), PAST, None, "no time was left"),
        ({"evidence": "numerical"}, raising(DeadlinePassed()), PAST, None, "no time was left"),
        ({"evidence": "exact"}, raising(DeadlinePassed()), PAST, "first", ""),
    ],
)
def test_a_counterexample_is_reported_if_it_is_confirmed_or_exact(
    monkeypatch: pytest.MonkeyPatch, first: dict[str, Any], check: Check, deadline: float, told: str | None, remark: str
) -> None:
    glanced = first.get("glanced", False)
    own = search(deadline=deadline)
    one = verdict(3.0, "violated", **{name: value for name, value in first.items() if name != "glanced"})
    own.seen.counterexample, own.seen.glanced = one, glanced
    monkeypatch.setattr(own, "full", check)
    found = falsifier._confirm(own)
    if told is None:
        assert found is None
    else:
        assert found is not None
        assert found.ratio == (2.0 if told == "again" else 3.0)
    assert (own.seen.counterexample, own.seen.glanced) == (None, False)
    assert remark in own.remark
    assert bool(own.remark) is bool(remark)


def test_without_a_counterexample_nothing_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    own = search()
    monkeypatch.setattr(own, "full", raising(AssertionError()))
    assert falsifier._confirm(own) is None
    assert own.beside == 0


def test_confirmations_share_work_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """All together take no more than their part, which does not count as work of the search."""
    own, limits = search(10_000.0), []

    def check(found: Case) -> Verdict:
        limits.append(work_module._meters[-1].most)
        spend(4000.0)
        return verdict(0.5)

    monkeypatch.setattr(own, "full", check)
    part = falsifier.CONFIRM_SHARE * 10_000
    with separate_meter(1e9) as outer:
        for _ in range(4):
            falsifier._confirm(own, verdict(2.0, "violated", evidence="statistical"))
    assert limits == [part, part - 4000, 0, 0]
    assert own.beside == part
    assert outer.spent == own.budget.meter.spent == 0


# Shrinking --------------------------------------------------------------------------------------------------------------


def test_only_simpler_cases_that_are_violated_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    own, asked = search(), []
    start = verdict(2.0, "violated", case=case("123/10000"))
    longer, plain, open_one, plainer = case("1234567/100000000"), case("3/100"), case("2/100"), case("1/100")
    monkeypatch.setattr(falsifier, "simpler_cases", lambda _: iter([longer, plain, open_one, plainer]))

    def short(one: Case) -> Verdict:
        asked.append(one)
        statuses = {plainer: "violated", open_one: "inconclusive"}
        return verdict(2.0, statuses.get(one, "holds"), case=one)

    monkeypatch.setattr(own.looks, "short", short)
    with separate_meter(1e9) as meter:
        found = falsifier._simpler_violation(own, start)
    assert found is not None
    assert found.case == plainer
    assert asked == [plain, open_one, plainer]
    assert meter.spent == 3 * falsifier.EVALUATION_COST
    monkeypatch.setattr(falsifier, "simpler_cases", lambda _: iter([start.case]))
    assert falsifier._simpler_violation(own, start) is None
    assert len(asked) == 3


def test_broken_and_late_simpler_cases_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    own, start = search(), verdict(2.0, "violated", case=case("123/10000"))
    monkeypatch.setattr(falsifier, "simpler_cases", lambda _: iter([case("1/3"), case("1/2"), case("1/9")]))
    told: list[Any] = [CheckFailed("x"), DeadlinePassed(), verdict(4.0, "violated")]

    def short(one: Case) -> Verdict:
        now = told.pop(0)
        if isinstance(now, BaseException):
            raise now
        return now

    monkeypatch.setattr(own.looks, "short", short)
    found = falsifier._simpler_violation(own, start)
    assert found is not None
    assert found.ratio == 4.0
    late = search(deadline=PAST)
    monkeypatch.setattr(late.looks, "short", raising(AssertionError()))
    assert falsifier._simpler_violation(late, start) is None


def shrunk(monkeypatch: pytest.MonkeyPatch, own: Any, steps: list[Any], confirmed: Any) -> tuple[Verdict, bool]:
    def simpler(_: Any, at: Verdict) -> Verdict | None:
        spend(7.0)
        now = steps.pop(0)
        if isinstance(now, BaseException):
            raise now
        return now

    def confirm(_: Any, one: Verdict) -> Verdict | None:
        if isinstance(confirmed, BaseException):
            raise confirmed
        return replace(one, ratio=9.0) if confirmed else None

    monkeypatch.setattr(falsifier, "_simpler_violation", simpler)
    monkeypatch.setattr(falsifier, "_confirm", confirm)
    return falsifier._shrink(own, verdict(2.0, "violated"))


def test_what_is_shrunk_is_confirmed_or_the_first_case_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    near = verdict(3.0, "violated", case=case("1/3"))
    own = search()
    found, interrupted = shrunk(monkeypatch, own, [near, None], True)
    assert (found.ratio, found.case, interrupted) == (9.0, near.case, False)
    assert own.beside == 14
    for steps, confirmed, stopped in (
        ([near, None], False, False),
        ([near, None], CheckFailed("x"), False),
        ([None], AssertionError(), False),
        ([KeyboardInterrupt()], AssertionError(), True),
        ([near, KeyboardInterrupt()], False, True),
    ):
        found, interrupted = shrunk(monkeypatch, search(), list(steps), confirmed)
        assert (found.ratio, interrupted) == (2.0, stopped)
    found, interrupted = shrunk(monkeypatch, search(), [near, KeyboardInterrupt()], True)
    assert (found.ratio, interrupted) == (9.0, True)
    own = search(10_000.0)
    found, interrupted = shrunk(monkeypatch, own, [near] * 500, True)
    assert (found.ratio, interrupted) == (9.0, False)
    assert own.beside == falsifier.SHRINK_SHARE * 10_000


# Cases of the claim's own ---------------------------------------------------------------------------------------------------


def test_violations_by_own_cases_are_told_as_every_command_tells_them() -> None:
    claim: Any = SimpleNamespace(cases=(case("1/9"), case("1/8"), case("1/7"), case("1/6")), bounds=())
    own: Any = SimpleNamespace(own={}, claim=claim, by="")
    assert falsifier._own_cases_verdict(own) is None
    own.own = {c.arguments(): verdict(0.5, case=c) for c in claim.cases[:3]}
    assert falsifier._own_cases_verdict(own) is None
    assert own.by == ""
    own.own[claim.cases[1].arguments()] = verdict(2.0, "violated", case=claim.cases[1])
    own.own[claim.cases[2].arguments()] = verdict(3.0, "violated", case=claim.cases[2])
    found = falsifier._own_cases_verdict(own)
    assert found is not None
    assert (found.case, found.ratio, found.cases, own.by) == (claim.cases[2], 3.0, 3, "own cases")


@pytest.mark.parametrize(
    ("check", "status", "counts", "left"),
    [
        (telling(verdict(0.5, error_rate=0.25), 3.0), "holds", (1, 0, 0, 0), ""),
        (telling(verdict(2.0, "violated"), 3.0), "violated", (1, 0, 0, 0), ""),
        (telling(verdict(1.0, "inconclusive", reason="why"), 3.0), "inconclusive", (1, 0, 0, 0), "why"),
        (telling(verdict(1.0, "inconclusive", reason=""), 3.0), "inconclusive", (1, 0, 0, 0), "inconclusive"),
        (raising(BudgetExhausted()), "", (1, 1, 0, 0), "its check took too much work"),
        (raising(MemoryError()), "", (1, 1, 0, 0), "its check took too much work"),
        (telling(VERDICT, 401.0), "", (1, 1, 0, 0), "its check took too much work"),
        (telling(verdict(0.5, error_rate=0.25), 399.0), "holds", (1, 0, 0, 0), ""),
        (raising(DeadlinePassed()), "", (1, 0, 1, 0), "the clock ended its check"),
        (raising(IndexError("of no use")), "", (1, 0, 0, 1), "the check broke: IndexError: of no use"),
    ],
)
def test_own_cases_are_recorded_or_left_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, check: Check, status: str, counts: tuple[int, ...], left: str
) -> None:
    own = search(1000.0)
    monkeypatch.setattr(falsifier, "verdict_on", check)
    with separate_meter(1e9) as meter:
        own.budget = replace(own.budget, meter=meter)
        falsifier._check_own_case(own, CASE)
    assert (own.seen.examined, own.seen.cut, own.seen.late, own.seen.broken) == counts
    assert [v.status for v in own.own.values()] == ([status] if status else [])
    assert list(own.own) == ([CASE.arguments()] if status else [])
    assert own.seen.counterexample is None
    assert own.spent == (0.25 if status == "holds" else 0)
    assert [c for c, _ in own.left.values()] == ([CASE] if left else [])
    assert all(left in why for _, why in own.left.values())


def test_own_cases_have_the_seed_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    own, asked = search(), []
    monkeypatch.setattr(falsifier, "verdict_on", lambda *given: asked.append(given) or verdict(0.5))
    falsifier._check_own_case(own, CASE)
    assert asked == [(CLAIM, CASE, 5)]


def test_own_cases_come_shortest_first_until_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    long, short, middle = case("1/9", 40), case("1/9", 2), case("1/9", 7)
    claim: Any = SimpleNamespace(cases=(long, short, middle), algorithm=None, all_cases=lambda _: (long, short, middle))
    asked: list[Case] = []

    def check(own: Any, one: Case) -> None:
        asked.append(one)
        own.budget.meter.spent += 500.0

    monkeypatch.setattr(falsifier, "_check_own_case", check)
    own = search(claim=claim)
    assert falsifier._search_own_cases(own) is None
    assert asked == [short, middle]
    assert list(own.left.values()) == [(long, "the work was done before")]
    late = search(claim=claim, deadline=PAST)
    assert falsifier._search_own_cases(late) is None
    assert [why for _, why in late.left.values()] == ["the clock ended the search before"] * 3
    assert len(asked) == 2
    full = search(2000.0, claim=claim)
    assert falsifier._search_own_cases(full) is None
    assert full.left == {}


def test_further_cases_are_looked_at_within_a_part_of_the_work() -> None:
    first, long, short, middle = case("1/9"), case("1/8", 40), case("1/7", 2), case("1/6", 7)
    claim: Any = SimpleNamespace(cases=(first,), algorithm=None, all_cases=lambda p: (first, long, short, middle))
    own = search(1000.0, claim=claim)
    own.budget.meter.spent = 100.0
    assert list(falsifier._more_cases(own)) == [short, middle, long]
    found = []
    for one in falsifier._more_cases(own):
        found.append(one)
        own.budget.meter.spent += 399.0 if len(found) == 1 else 2.0
    assert found == [short, middle]  # 401 of the 400 units
    own = search(1000.0, claim=claim)
    own.budget.meter.spent = 1000.0
    assert list(falsifier._more_cases(own)) == []


def test_open_further_cases_are_looked_at_again_the_nearest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    more = [case("1/9"), case("1/8"), case("1/7"), case("1/6")]
    told = {
        more[0]: verdict(0.5, "inconclusive"),
        more[1]: verdict(0.9, "inconclusive"),
        more[2]: verdict(0.95),
        more[3]: None,
    }
    own = search(claim=SimpleNamespace(cases=(), algorithm=None))
    asked, longer = [], []

    def look(one: Case, stages: Any) -> Any:
        asked.append((one, stages))
        return told[one]

    monkeypatch.setattr(falsifier, "_more_cases", lambda _: iter(more))
    monkeypatch.setattr(own.looks, "look", look)
    monkeypatch.setattr(own.looks, "reevaluate", lambda *given: longer.append(given))
    confirmed: list[Any] = [None] * 5 + [verdict(7.0, "violated")]
    monkeypatch.setattr(falsifier, "_confirm", lambda _: confirmed.pop(0))
    found = falsifier._search_own_cases(own)
    assert found is not None
    assert found.ratio == 7.0
    assert asked == [(one, STAGES[:1]) for one in more]
    assert longer == [(told[more[1]], STAGES, own.looks.slice), (told[more[0]], STAGES, own.looks.slice)]
    monkeypatch.setattr(falsifier, "_confirm", lambda _: verdict(8.0, "violated"))
    asked.clear()
    found = falsifier._search_own_cases(own)
    assert found is not None
    assert (found.ratio, len(asked)) == (8.0, 1)


def test_the_best_own_cases_are_lengthened(monkeypatch: pytest.MonkeyPatch) -> None:
    own, asked = search(10_000.0, claim=SimpleNamespace(cases=(), algorithm=None)), []
    own.seen.best = [verdict(0.9), verdict(0.8), verdict(0.7)]
    monkeypatch.setattr(falsifier, "try_longer", lambda looks, one, slice: asked.append((looks, one.ratio, slice)))
    confirmed: list[Any] = [None, verdict(7.0, "violated")]
    monkeypatch.setattr(falsifier, "_confirm", lambda _: confirmed.pop(0))
    found = falsifier._search_own_cases(own)
    assert found is not None
    assert found.ratio == 7.0
    assert asked == [(own.looks, ratio, 500.0) for ratio in (0.9, 0.8)]


# Longer looks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("best", "climbed", "asked"),
    [
        ([verdict(1.4, "inconclusive", n_seeds=10)], True, (1.4, STAGES[:1], 0.0)),
        ([verdict(1.4, "inconclusive", n_seeds=10)], False, None),
        ([verdict(1.5, "inconclusive", n_seeds=10)], False, None),
        ([verdict(1.5, "inconclusive", n_seeds=10)], True, (1.5, STAGES[:1], 0.0)),
        ([verdict(1.6, "inconclusive", n_seeds=10)], False, (1.6, STAGES, 450.0)),
        ([verdict(1.0, "inconclusive", n_seeds=10)], True, None),
        ([verdict(None, "inconclusive", n_seeds=10)], True, None),
        ([verdict(1.6, "inconclusive", n_seeds=STAGES[0])], True, None),
        ([verdict(1.6, "inconclusive", n_seeds=STAGES[0] - 1)], True, (1.6, STAGES, 450.0)),
        ([verdict(1.6, "holds", n_seeds=10)], True, None),
        (
            [verdict(1.9), verdict(1.7, "inconclusive", n_seeds=10), verdict(1.6, "inconclusive", n_seeds=10)],
            True,
            (1.7, STAGES, 450.0),
        ),
    ],
)
def test_apparent_violations_that_are_near_or_clear_get_a_longer_look(
    monkeypatch: pytest.MonkeyPatch, best: list[Verdict], climbed: bool, asked: tuple[Any, ...] | None
) -> None:
    own, told = search(), []
    own.budget.meter.spent = 100.0
    own.seen.best = best
    monkeypatch.setattr(own.looks, "reevaluate", lambda one, stages, most: told.append((one.ratio, stages, most)))
    monkeypatch.setattr(falsifier, "_confirm", lambda _: verdict(5.0, "violated"))
    found = falsifier._decide_best_open(own, climbed)
    if asked is None:
        assert (found, told, own.by) == (None, [], "start")
        return
    assert found is not None
    assert (found.ratio, own.by) == (5.0, "longer look")
    assert told == [(asked[0], deciding_stages(CASE, asked[1]), asked[2])]


def test_a_case_gets_one_longer_look(monkeypatch: pytest.MonkeyPatch) -> None:
    own, told = search(), []
    own.seen.best = [verdict(1.6, "inconclusive", n_seeds=10)]
    monkeypatch.setattr(own.looks, "reevaluate", lambda *given: told.append(given))
    for _ in range(2):
        assert falsifier._decide_best_open(own, True) is None
    assert (len(told), own.by) == (1, "start")
    over = search()
    over.seen.best = own.seen.best
    over.budget.meter.spent = 1000.0
    monkeypatch.setattr(over.looks, "reevaluate", raising(AssertionError()))
    assert falsifier._decide_best_open(over, True) is None


def test_a_best_case_that_was_only_glanced_at_is_checked_beyond_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    near = verdict(0.9)
    for told, expected in ((verdict(2.0, "violated"), 6.0), (verdict(0.8), None)):
        own = search()
        own.seen.count_glanced(near)
        monkeypatch.setattr(own.looks, "short", telling(told, 11.0))
        monkeypatch.setattr(
            falsifier, "_confirm", lambda s: None if s.seen.counterexample is None else verdict(6.0, "violated")
        )
        found = falsifier._check_best_glanced(own)
        assert (None if found is None else found.ratio) == expected
        assert (own.beside, own.by) == (11.0, "longer look")
        assert own.seen.nearest is (None if told.status == "violated" else told)
    for error in (DeadlinePassed(), BudgetExhausted(), CheckFailed("x")):
        own = search()
        own.seen.count_glanced(near)
        monkeypatch.setattr(own.looks, "short", raising(error, 3.0))
        assert falsifier._check_best_glanced(own) is None
        assert own.beside == 3.0
    own = search()
    own.seen.count_glanced(near)
    monkeypatch.setattr(own.looks, "short", telling(near, 1e6))
    assert falsifier._check_best_glanced(own) is None
    assert own.beside == own.part(falsifier.SHRINK_SHARE)


def test_what_was_checked_in_full_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    own = search()
    monkeypatch.setattr(own.looks, "short", raising(AssertionError()))
    assert falsifier._check_best_glanced(own) is None
    own.seen.count(verdict(0.9))
    assert falsifier._check_best_glanced(own) is None
    own.seen.count_glanced(verdict(0.8, case=case("1/7")))  # not the best
    assert falsifier._check_best_glanced(own) is None
    own = search()
    own.seen.count_glanced(verdict(0.7))
    own.seen.nearest = verdict(0.9, case=case("1/7"))  # nearer
    monkeypatch.setattr(own.looks, "short", raising(AssertionError()))
    assert falsifier._check_best_glanced(own) is None
    assert own.by == "start"


# Whole classes ----------------------------------------------------------------------------------------------------------


def test_classes_without_a_counterexample_are_recorded_and_others_give_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(units: float) -> Callable[[Any], Iterator[ClassAnswer]]:
        def of(_: Any) -> Iterator[ClassAnswer]:
            for i in range(6):
                spend(units)
                yield ClassAnswer(None if i % 2 == 0 else case(f"1/{i + 2}"), f"class {i}")

        return of

    monkeypatch.setattr(falsifier, "class_answers", answers(1.0))
    with separate_meter(1e9) as meter:
        own = search()
        own.budget = replace(own.budget, meter=meter)
        assert list(falsifier._worst_class_cases(own)) == [case("1/3"), case("1/5"), case("1/7")]
    assert own.classes == ["class 0", "class 2", "class 4"]
    monkeypatch.setattr(falsifier, "class_answers", answers(90.0))  # of 200 units
    with separate_meter(1e9) as meter:
        spend(50.0)
        own = search()
        own.budget = replace(own.budget, meter=meter)
        assert list(falsifier._worst_class_cases(own)) == [case("1/3")]
    assert own.classes == ["class 0"]
    assert meter.spent == 50 + falsifier.CLASSES_SHARE * 1000


# The order of a search ----------------------------------------------------------------------------------------------------


class Members:
    """A portfolio whose members are given; ``left`` and ``climbed`` as they are in it."""

    def __init__(self, *given: Any) -> None:
        self.seen, self.left, self.climbed, self.asked = list(given), 7, False, list[Any]()

    def __call__(self, *given: Any) -> Members:
        self.asked = list(given)
        return self

    def run(self, jobs: int) -> Iterator[SearchState]:
        yield from self.seen


def searched(
    monkeypatch: pytest.MonkeyPatch, where: str, own: Any = None, members: Members | None = None
) -> tuple[Any, Any]:
    """The answer of a search that finds something at one place, and its state."""
    own = search() if own is None else own
    answer = verdict(4.0, "violated")
    at = itertools.count()

    def confirm(_: Any, given: Any = None) -> Any:
        return answer if f"confirm {next(at)}" == where else None

    monkeypatch.setattr(falsifier, "_confirm", confirm)
    monkeypatch.setattr(falsifier, "_search_own_cases", lambda _: answer if where == "own" else None)
    monkeypatch.setattr(falsifier, "_worst_class_cases", lambda _: iter([case("1/5")]))
    monkeypatch.setattr(falsifier, "_decide_best_open", lambda s, c: answer if where == f"open {c}" else None)
    monkeypatch.setattr(falsifier, "_check_best_glanced", lambda _: answer if where == "glanced" else None)
    monkeypatch.setattr(own.looks, "look", lambda *given: own.asked.append(given))
    monkeypatch.setattr(falsifier, "Portfolio", members or Members(SearchState(by="draws"), SearchState(by="logs")))
    own.asked = []
    return falsifier._search(own, [case("1/3"), case("1/4")], 3, 1), own


def test_a_search_ends_where_something_is_confirmed_and_says_by_what(monkeypatch: pytest.MonkeyPatch) -> None:
    for where, by, looks in (
        ("confirm 0", "start", 1),
        ("confirm 1", "start", 2),
        ("own", "own cases", 2),
        ("confirm 2", "whole classes", 3),
        ("confirm 3", "draws", 3),
        ("open False", "draws", 3),
        ("confirm 4", "logs", 3),
        ("glanced", "logs", 3),
    ):
        found, own = searched(monkeypatch, where)
        assert found is not None
        assert (own.by, len(own.asked)) == (by, looks), where
        assert own.ended == ""
    assert own.asked == [(case("1/3"),), (case("1/4"),), (case("1/5"), STAGES)]


def test_a_search_that_finds_nothing_says_what_ended_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found, own = searched(monkeypatch, "nowhere")
    assert (found, own.ended) == (None, "cases")
    members = Members()
    members.left = None  # type: ignore[assignment]
    assert searched(monkeypatch, "", members=members)[1].ended == "family"
    spent = search()
    spent.budget.meter.spent = 1000.0
    assert searched(monkeypatch, "", spent)[1].ended == "work"
    late = search(deadline=PAST)
    late.budget.meter.spent = 1000.0
    assert searched(monkeypatch, "", late)[1].ended == "seconds"
    assert members.asked[:2] == [CLAIM, 5]
    assert members.asked[4] == 3


def test_members_are_merged_and_their_errors_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    own = search()
    searched(monkeypatch, "", own, Members(SearchState(examined=3), SearchState(examined=4)))
    assert own.seen.examined == 7
    with pytest.raises(ValueError, match="broken"):
        searched(monkeypatch, "", members=Members(SearchState(error=ValueError("broken"))))
    with pytest.raises(KeyboardInterrupt):
        searched(monkeypatch, "", members=Members(SearchState(interrupted=True)))
    first = SearchState(error=ValueError("broken"))
    found, _ = searched(monkeypatch, "confirm 3", members=Members(first))  # what is found comes before the error
    assert found is not None


# The result ---------------------------------------------------------------------------------------------------------------


def result(
    monkeypatch: pytest.MonkeyPatch, search_: Callable[[Any], Any], own: Any = None, work: int = 1000
) -> Falsification:
    """What is told of a search that does this."""
    monkeypatch.setattr(falsifier, "_search", lambda s, *_: search_(s))
    monkeypatch.setattr(falsifier, "_own_cases_verdict", lambda _: own)
    monkeypatch.setattr(falsifier, "_shrink", lambda s, found: (replace(found, cases=77), False))
    monkeypatch.setattr(falsifier, "_confirm", lambda _: verdict(5.0, "violated"))
    return falsify(CLAIM, work=work)


def test_work_is_what_was_spent_and_what_came_in_addition(monkeypatch: pytest.MonkeyPatch) -> None:
    def searching(units: float, beside: float) -> Callable[[Any], Any]:
        def run(own: Any) -> None:
            own.beside = beside
            own.budget.meter.spent += units

        return run

    for units, beside, told in ((30.0, 0.0, 30), (30.25, 0.0, 31), (5000.0, 0.0, 1000), (5000.0, 7.5, 1008)):
        with separate_meter(1e9) as meter:
            found = result(monkeypatch, searching(units, beside))
        assert (found.work, found.beside) == (told, math.ceil(beside))
        assert meter.spent == min(units, 1000) + beside


def test_what_ends_a_search_decides_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = result(monkeypatch, telling(verdict(4.0, "violated")))
    assert found.verdict is not None
    assert (found.verdict.ratio, found.verdict.cases, found.interrupted, found.ended) == (4.0, 77, False, "")
    found = result(monkeypatch, raising(BudgetExhausted()))
    assert found.verdict is not None
    assert (found.verdict.ratio, found.verdict.cases, found.interrupted, found.ended) == (5.0, 77, False, "")
    found = result(monkeypatch, raising(KeyboardInterrupt()))
    assert found.verdict is not None
    assert (found.verdict.ratio, found.verdict.cases, found.interrupted) == (5.0, VERDICT.cases, True)
    found = result(monkeypatch, raising(KeyboardInterrupt()), verdict(6.0, "violated"))
    assert found.verdict is not None
    assert (found.verdict.ratio, found.verdict.cases, found.interrupted) == (6.0, VERDICT.cases, True)
    found = result(monkeypatch, telling(None))
    assert not found.found
    monkeypatch.setattr(falsifier, "_search", raising(BudgetExhausted()))
    monkeypatch.setattr(falsifier, "_confirm", lambda _: None)
    assert falsify(CLAIM, work=9).ended == "work"


def test_a_check_that_breaks_on_all_is_an_error_unless_something_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(tested: int, found: Any = None) -> Callable[[Any], Any]:
        def run(own: Any) -> Any:
            own.seen.broke, own.seen.tested = "it broke", tested
            return found

        return run

    with pytest.raises(CheckFailed, match="it broke"):
        result(monkeypatch, broken(0))
    assert not result(monkeypatch, broken(1)).found
    assert result(monkeypatch, broken(0, verdict(2.0, "violated"))).found

    def interrupted(own: Any) -> None:
        own.seen.broke = "it broke"
        raise KeyboardInterrupt

    monkeypatch.setattr(falsifier, "_search", lambda s, *_: interrupted(s))
    monkeypatch.setattr(falsifier, "_confirm", lambda _: None)
    assert falsify(CLAIM, work=9).interrupted


def test_all_that_was_seen_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    own = search()
    seen = own.seen
    seen.examined, seen.applicable, seen.tested, seen.cut, seen.late, seen.scouted, seen.broken = 11, 9, 8, 2, 3, 4, 5
    seen.spent, own.spent, seen.reason, seen.broke = 0.25, 0.5, "reason", "broke"
    seen.undecided.update({"rare": 1, "usual": 2})
    seen.nearest, seen.open = verdict(0.75), verdict(0.9, "inconclusive")
    own.remark, own.classes, own.left, own.beside = "remark", ["a", "b"], {"x": (CASE, "why")}, 6.5
    own.ended, own.by, own.began = "work", "draws", time.perf_counter() - 10
    told = falsifier._falsification(own, None, False, 99.5)
    counts = (told.examined, told.applicable, told.tested, told.cut, told.late, told.scouted, told.broken)
    assert counts == (11, 9, 8, 2, 3, 4, 5)
    assert (told.error_rate, told.reason, told.broke, told.undecided, told.why) == (0.75, "reason", "broke", 3, "usual")
    assert (told.nearest, told.open, told.remark, told.classes) == (seen.nearest, seen.open, "remark", ("a", "b"))
    assert (told.work, told.beside, told.ended, told.by, told.left) == (100, 7, "work", "", ((CASE, "why"),))
    assert 10 <= told.seconds < 20
    found = falsifier._falsification(own, verdict(2.0, "violated"), True, 1.0)
    assert (found.ended, found.by, found.interrupted) == ("", "draws", True)
    assert falsifier._falsification(own, None, True, 1.0).ended == ""


def told(**changes: Any) -> Falsification:
    return replace(Falsification(CLAIM, None, None, 5, 4, 1.5), **changes)


def test_a_search_decides_something_where_a_case_was_decided() -> None:
    assert not told().decided
    assert not told(tested=2, undecided=2).decided
    assert told(tested=2, undecided=1).decided
    assert told(verdict=VERDICT).decided
    assert told(verdict=VERDICT).found
    assert not told(nearest=VERDICT).found


def test_what_was_seen_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(falsifier, "family_exit_message", lambda claim, case: "")
    shown = str(told(tested=4, nearest=verdict(0.75)))
    assert shown.startswith("sfl/T7-GC@explicit: no counterexample found (5 cases examined, 4 within the hypotheses")
    assert "work 0, 1.5 s)" in shown
    assert "; nearest: ratio 0.75 at " in shown
    assert "1 case examined" in told(examined=1)._seen()
    for changes, words in (
        ({"undecided": 1, "tested": 3}, "1 of 3 tested INCONCLUSIVE"),
        ({"scouted": 2}, "2 far from the bound in floats"),
        ({"broken": 2, "broke": "oh"}, "2 broken (the first: oh)"),
        ({"cut": 2}, "2 cut, as they take too much work"),
        ({"late": 2}, "2 cut by the clock"),
        ({"work": 9, "beside": 3}, "work 9 (3 of it in addition, to confirm and shrink the counterexample)"),
        ({"error_rate": 1e-7}, "error rate at most 1e-07"),
        ({"ended": "work"}, "; the work is done: give it more (--work)"),
        ({"ended": "cases"}, "; as many cases as asked for"),
        ({"remark": "a remark"}, "; a remark"),
        ({"classes": ("one", "two")}, "; proved for two"),
    ):
        assert words in told(**changes)._seen()
        assert words not in told()._seen()
    for word in ("INCONCLUSIVE", "broken", "clock", "cut", "far", "addition"):
        assert word not in told()._seen()
    found = told(verdict=verdict(2.0, "violated"), classes=("one",), ended="work")
    assert "proved for" not in found._seen()
    assert "give it more" not in found._seen()


def test_the_outcome_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(falsifier, "family_exit_message", lambda claim, case: "")
    assert told(verdict=verdict(2.0, "violated"))._outcome() == "violated"
    assert told(tested=1)._outcome() == "no counterexample found"
    assert told(tested=1, undecided=1)._outcome() == "NOTHING WAS DECIDED"
    assert told()._outcome() == "nothing was tested"
    assert repr(told(tested=1)).startswith("<Falsification of sfl/T7-GC@explicit: no counterexample found (5 cases")
    assert "; inconclusive: usual; nearest" in str(told(tested=2, undecided=1, why="usual", nearest=verdict(0.5)))
    assert "inconclusive:" not in str(told(tested=2, why="usual", nearest=verdict(0.5)))
    assert "nearest" not in str(told(tested=2, nearest=verdict(None)))
    left = str(told(tested=1, left=((CASE, "why"), (CASE, "how"))))
    assert left.endswith(f"; of its own cases 2 left undecided, the first {CASE}: why")
    assert "left undecided" in str(told(left=((CASE, "why"),)))
    found = told(verdict=verdict(2.0, "violated"), left=((CASE, "why"),))
    assert str(found) == f"{found.verdict}\n  {found._seen()}{found._left()}"
    assert "left undecided" in str(found)


def test_why_nothing_was_tested_is_said() -> None:
    for changes, words in (
        ({"tested": 1, "undecided": 1, "why": "usual"}, "usual"),
        ({"reason": "because"}, "because"),
        ({}, "no verdict on any case"),
        ({"applicable": 0, "late": 1, "cut": 1}, "the clock ended every check"),
        ({"applicable": 0, "cut": 1}, "took too much work: give it more (--work)"),
        ({"applicable": 0, "reason": "because"}, "no case met the hypotheses: because"),
        ({"applicable": 0}, "no case met the hypotheses"),
    ):
        assert words in told(**changes)._untested()
    assert told(applicable=0)._untested() == "no case met the hypotheses"


def test_cards_have_the_same_content() -> None:
    shown = told(tested=4, nearest=verdict(0.75))._repr_html_()
    for words in ("no counterexample found", "nothing is proved", "ratio 0.75 at", "step_size"):
        assert words in shown
    assert "no verdict on any case" in told()._repr_html_()
    assert "no verdict on any case" not in shown
    assert "step_size" not in told(tested=1, nearest=verdict(None))._repr_html_()
    assert "work 3" in told(verdict=verdict(2.0, "violated"), work=3)._repr_html_()
    assert "nothing is proved" not in told(verdict=verdict(2.0, "violated"), work=3)._repr_html_()
    with pytest.raises(TypeError, match=r"three outcomes: ask for \.found and \.decided"):
        bool(told())


def test_a_case_outside_the_family_is_said_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(falsifier, "family_exit_message", lambda claim, case: "outside the family: x")
    assert str(told(tested=1, nearest=verdict(0.5))).startswith("outside the family: x\nsfl/")
    assert str(told(verdict=verdict(2.0, "violated"))).startswith("outside the family: x\n")
    assert str(told(nearest=verdict(0.5))).startswith("sfl/")
    assert str(told(tested=1)).startswith("sfl/")
    monkeypatch.setattr(falsifier, "family_exit_message", lambda claim, case: "")
    assert str(told(tested=1, nearest=verdict(0.5))).startswith("sfl/")


def test_options_are_refused_with_their_names() -> None:
    good: dict[str, Any] = {"work": 1, "seconds": None, "seed": 0, "start": (), "max_cases": None, "jobs": 1}
    falsifier._require_options(**good)
    for fine in ({"max_cases": 0}, {"start": [CASE]}, {"seconds": 1e-3}, {"jobs": 2}):
        falsifier._require_options(**{**good, **fine})
    for wrong, words in (
        ({"max_cases": True}, "max_cases must be a nonnegative integer, got True"),
        ({"max_cases": -1}, "max_cases must be a nonnegative integer, got -1"),
        ({"max_cases": 1.0}, "max_cases must be a nonnegative integer, got 1.0"),
        ({"start": iter(())}, "start must be a tuple of Cases"),
        ({"start": (CASE, 3)}, "start must be a tuple of Cases"),
        ({"jobs": 0}, "jobs must be a positive integer, got 0"),
        ({"jobs": True}, "jobs must be a positive integer, got True"),
        ({"jobs": 1.0}, "jobs must be a positive integer"),
        ({"seed": -1}, "seed must be"),
        ({"work": 0}, "work must be"),
        ({"seconds": 0}, "seconds must be"),
    ):
        with pytest.raises(ValueError, match=words):
            falsifier._require_options(**{**good, **wrong})
    for gone, words in (({"family": None}, "it has no family"), ({"measure": None}, "it has no measure")):
        with pytest.raises(ValueError, match=f"can't be searched: {words}"):
            falsify(replace(CLAIM, **gone))
