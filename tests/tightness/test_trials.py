"""Trials of changed bounds, each by hand: what is refuted, weaker or left, in which order, with which work and cases."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from flint import arb

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.problems.separable import QuadraticClients
from fltheory.search.history import CheckFailed
from fltheory.search.neighbours import leaves
from fltheory.search.portfolio import Budget
from fltheory.search.repair import arrays, repair, trials
from fltheory.search.repair.arrays import make_sample
from fltheory.search.repair.changes import Change
from fltheory.search.repair.repair import RepairResult
from fltheory.search.repair.trials import Repair, RepairSearch
from fltheory.search.tightness.constraints import Fact
from fltheory.seeds import MAX_SEED
from fltheory.verification import find
from fltheory.work import DEFAULT_WORK, Meter

F = Fraction
R, K, M = symbols.n_rounds, symbols.n_local_steps, symbols.n_clients
INSTANCE = QuadraticClients(((1,), (2,)), ((1,), (-1,)), (3,))
CLAIM = find("sfl/T7-GC@explicit")
PAST = -1e9  # of the clock that deadlines are read from


def case(rounds: int = 4, step: str = "1/100") -> Case:
    return Case(INSTANCE, n_rounds=rounds, n_local_steps=2, step_size=step)


def change(size: float = 1.0, expr: Any = R, kind: str = "factor", side: str = "upper", conditions: Any = ()) -> Change:
    return Change(kind, f"{kind} {size}", expr, side, conditions, size)  # type: ignore[arg-type]


def fact(measured: Any, rounds: int = 4, steps: int = 2, side: str = "upper") -> Fact:
    """A fact of the bound R + K."""
    terms = (arb(rounds), arb(steps))
    return Fact(case(rounds), F(measured), terms, arb(0), "exact", 0.0, side, {R: rounds, K: steps})


@pytest.fixture(autouse=True)
def _own_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts have the constants that they are made with, and changed claims are named by their change."""
    monkeypatch.setattr(arrays, "_floats", lambda claim, f: {s: to_float(v) for s, v in f.constants.items()})
    monkeypatch.setattr(Change, "of", lambda self, claim: ("claim of", self.said))


def terms(side: str = "upper") -> Any:
    bound = SimpleNamespace(side=side, expr=R + K, conditions=())
    return SimpleNamespace(claim=SimpleNamespace(bound=bound, cases=(), measure=None), exprs=(R, K))


def search(
    facts: Any = (), work: float = 10_000.0, deadline: float = math.inf, side: str = "upper", **hunt: Any
) -> RepairSearch:
    meter = Meter(math.inf)
    own: Any = SimpleNamespace(terms=terms(side), facts=list(facts), **hunt)
    return RepairSearch(own, Budget(work, meter, deadline), 7, 30)


def repaired(one: Change, **changes: Any) -> Repair:
    return replace(Repair(one, None, 5, 6, 7, 0.5), **changes)  # type: ignore[arg-type]


def found(refuted: Case | None = None, tested: int = 9, decided: bool = True, nearest: float | None = 0.5) -> Any:
    verdict = None if refuted is None else SimpleNamespace(case=refuted)
    near = None if nearest is None else SimpleNamespace(ratio=nearest)
    return SimpleNamespace(verdict=verdict, tested=tested, decided=decided, nearest=near, work=40, interrupted=False)


# What is told of a change -------------------------------------------------------------------------------------------------


def test_repairs_that_stood_longer_searches_come_first_and_then_small_ones() -> None:
    def rank(**changes: Any) -> tuple[Any, ...]:
        return repaired(change(changes.pop("size", 2.0)), **changes).rank

    best = rank(pressed=True)
    order = [
        best,
        rank(pressed=True, size=3.0),
        rank(pressed=True, nearing=True, size=0.5),
        rank(pressed=True, nearest=1.5, size=0.1),
        rank(size=0.01),
        rank(size=1.0),
        rank(size=0.01, nearest=1.01),
    ]
    assert order == sorted(order)
    assert len(set(order)) == len(order)
    assert rank(nearest=1.0) == rank(nearest=None) == rank()


def test_what_a_repair_survived_is_said() -> None:
    one = repaired(change(expr=2 * R, conditions=(R > 1,)))
    assert str(one).splitlines() == [
        "factor: factor 1.0",
        "    measured ≤ 2*n_rounds",
        "    survived 5 cases (work 7), and 6 found before, nearest ratio 0.5",
    ]
    assert "work 7, with longer runs), and" in str(replace(one, pressed=True))
    assert str(replace(one, nearest=None)).endswith("6 found before")
    assert one.row() == {
        "kind": "factor",
        "change": "factor 1.0",
        "side": "upper",
        "bound": "2*n_rounds",
        "conditions": ["n_rounds > 1"],
        "cases": 5,
        "facts": 6,
        "work": 7,
        "pressed": False,
    }


def test_a_change_gets_a_share_of_the_work_and_half_as_much_for_longer_runs_before() -> None:
    assert search(work=10_000.0).share == 200 == trials._share(10_000)
    assert search(work=10.0).share == trials.MIN_CHANGE_WORK
    assert trials.max_first_work(10_000) == 300
    assert trials.max_first_work(5_050) == 152  # 101 and half of it
    assert trials.max_first_work(1) == 150


def test_a_search_is_over_without_work_for_a_change_or_without_time() -> None:
    own = search(work=1000.0)
    own.budget.meter.spent = 500.0
    assert [own._over(kept) for kept in (0, 400, 401)] == [False, False, True]
    own.budget.meter.spent = 900.0
    assert not own._over(0)
    own.budget.meter.spent = 900.5
    assert own._over(0)
    assert search(deadline=PAST)._over(0)


def test_changes_are_tried_then_pressed_until_none_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    own, kept, fell = search(work=1000.0), [], [True, True, False]
    monkeypatch.setattr(own, "_try", kept.append)
    monkeypatch.setattr(own, "_press", lambda: fell.pop(0))
    own.run()
    assert kept == [trials.PRESS_SHARE * 1000, 0.0, 0.0]


# Trials -----------------------------------------------------------------------------------------------------------------


def trying(
    monkeypatch: pytest.MonkeyPatch, own: RepairSearch, offered: list[Change], refuted: Callable[[Change], bool]
) -> list[str]:
    """The changes that are tried, in their order."""
    tried: list[str] = []

    def one(this: Change, sample: Any) -> bool:
        tried.append(this.said)
        own._tried.add(own._key(this))
        return refuted(this)

    monkeypatch.setattr(trials, "candidate_conditions", lambda sample: ())
    monkeypatch.setattr(trials, "consistent_changes", lambda sample, pool: offered)
    monkeypatch.setattr(own, "_refuted", one)
    own._try(0.0)
    return tried


def changes_of(*sizes: float, kind: str = "factor") -> list[Change]:
    return [change(size, R + int(1000 * size), kind) for size in sizes]


def test_a_refuted_change_makes_the_others_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    own = search([fact(9)])
    offered, asked = changes_of(1.0, 2.0, 3.0, 4.0), []

    def consistent(sample: Any, pool: Any) -> list[Change]:
        asked.append(len(asked))
        return offered if len(asked) == 1 else offered[2:]

    tried = trying(monkeypatch, own, offered, lambda one: one.size == 2.0)
    assert tried == ["factor 1.0", "factor 2.0", "factor 3.0", "factor 4.0"]
    assert own.untested == 0
    own = search([fact(9)])
    monkeypatch.setattr(trials, "consistent_changes", consistent)
    tried = []
    monkeypatch.setattr(
        own, "_refuted", lambda one, sample: tried.append(one.said) or own._tried.add(own._key(one)) or one.size == 1.0
    )  # type: ignore[func-returns-value]
    own._try(0.0)
    assert tried == ["factor 1.0", "factor 3.0", "factor 4.0"]
    assert asked == [0, 1, 2]


def test_trials_end_with_the_work_and_say_how_many_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    own = search([fact(9)], work=1000.0)

    def costly(one: Change) -> bool:
        own.budget.meter.spent += 450.5
        return False

    assert trying(monkeypatch, own, changes_of(1.0, 2.0, 3.0, 4.0), costly) == ["factor 1.0", "factor 2.0"]
    assert own.untested == 2
    assert trying(monkeypatch, search([]), changes_of(1.0), lambda one: False) == []
    own = search([fact(9)])
    own.survived = [repaired(change(kind=f"kind {i}")) for i in range(trials.MAX_REPAIRS - 1)]

    def survives(one: Change) -> bool:
        own.survived.append(repaired(one))
        return False

    assert len(trying(monkeypatch, own, changes_of(1.0, 2.0, 3.0), survives)) == 1
    assert own.untested == 2


def test_no_more_of_a_kind_are_tried_than_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    own = search([fact(9)])

    def survives(one: Change) -> bool:
        own.survived.append(repaired(one))
        return False

    assert len(trying(monkeypatch, own, changes_of(*map(float, range(1, 13))), survives)) == trials.MAX_OF_KIND
    assert own.untested == 0


def test_a_change_is_new_once_and_no_kind_crowds_out_another() -> None:
    own, one = search(), change(1.0)
    assert own._new(one)
    own._tried.add(own._key(change(2.0)))  # the same bound, side and conditions
    assert not own._new(one)
    for other in (change(expr=K), change(side="lower"), change(conditions=(R > 1,))):
        assert own._new(other)
    own.survived = [repaired(change())] * trials.MAX_OF_KIND
    assert not own._new(change(expr=K))
    assert own._new(change(expr=K, kind="term"))
    own.survived = own.survived[1:]
    assert own._new(change(expr=K))


def test_a_change_is_weaker_where_a_survivor_implies_it() -> None:
    own = search([fact(1, 4, 2), fact(1, 1, 3)])
    sample = make_sample(own.hunt.terms, own.hunt.facts)
    own.survived = [repaired(change(expr=R + K))]
    assert own._weaker(change(expr=2 * R + K), sample)
    assert own._weaker(change(expr=R + K), sample)
    assert not own._weaker(change(expr=2 * R), sample)  # less at the second fact
    assert not own._weaker(change(expr=2 * R + K, side="lower"), sample)
    assert own._weaker(change(expr=2 * R + K, conditions=(R > 1,)), sample)
    assert not own._weaker(change(expr=M), sample)
    own.survived = [repaired(change(expr=R, conditions=(R > 1,)))]
    assert not own._weaker(change(expr=R + K), sample)
    assert own._weaker(change(expr=R + K, conditions=(R > 1, K > 1)), sample)
    own.survived = [repaired(change(expr=M)), repaired(change(expr=R))]
    assert own._weaker(change(expr=R + K), sample)
    own.survived = []
    assert not own._weaker(change(expr=R + K), sample)


def test_a_search_of_a_change_has_its_work_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    told: list[Any] = []

    def falsify(claim: Any, **options: Any) -> Any:
        asked.append((claim, options))
        now = told.pop(0)
        if isinstance(now, BaseException):
            raise now
        return now

    monkeypatch.setattr(trials, "falsify", falsify)
    own, one = search(work=1000.0), change()
    told[:] = [found()]
    assert own._search_change(one, 250.9, (case(),), MAX_SEED + 3) is not None
    options = {"work": 250, "seconds": None, "seed": 2, "start": (case(),), "max_cases": 30}
    assert asked.pop() == (("claim of", one.said), options)
    assert own.tried
    own = search(work=1000.0)
    own.budget.meter.spent = 900.5
    told[:] = [CheckFailed("x"), ValueError("y"), found()]
    assert own._search_change(one, 250.0, (), 1) is None
    assert own._search_change(one, 250.0, (), 1) is None
    assert not own.tried
    assert own._search_change(one, 250.0, (), 1) is not None
    assert [options["work"] for _, options in asked] == [99] * 3
    own.budget.meter.spent = 1000.0
    told[:] = [replace_interrupted(found())]
    with pytest.raises(KeyboardInterrupt):
        own._search_change(one, 250.0, (), 1)
    assert asked[-1][1]["work"] == 1
    for ends, seconds in ((time.perf_counter() + 1000, 1000), (PAST, 0.1)):
        told[:] = [found()]
        search(deadline=ends)._search_change(one, 250.0, (), 1)
        assert asked[-1][1]["seconds"] == pytest.approx(seconds, rel=0.01)


def replace_interrupted(one: Any) -> Any:
    one.interrupted = True
    return one


def test_a_search_has_tried_something_where_a_change_fell() -> None:
    own = search()
    assert not own.tried
    own.refuted = 1
    assert own.tried


# Nearness to a changed bound -----------------------------------------------------------------------------------------------


def test_the_nearness_of_a_case_and_whether_it_breaks_a_change() -> None:
    asked: list[Any] = []
    told: list[Fact | None] = []

    def look(one: Case, most: float, far: bool) -> Fact | None:
        asked.append((most, far))
        return told.pop(0)

    own = search(look=look)
    own.budget.meter.spent = 60.0
    told[:] = [fact(3, 4, 2)]
    assert own._distance_to_bound(change(expr=R), case(), 100.0) == (0.75, None)
    assert asked.pop() == (20.0, True)
    five = fact(5, 4, 2)
    told[:] = [five]
    assert own._distance_to_bound(change(expr=R), case(), 60.5) == (1.25, five)
    assert asked.pop() == (1.0, True)
    told[:] = [None]
    assert own._distance_to_bound(change(expr=R), case(), 100.0) is None
    told[:] = [five]
    assert own._distance_to_bound(change(expr=R, conditions=(R > 4,)), case(), 100.0) is None
    told[:] = [five]
    assert own._distance_to_bound(change(expr=R, side="lower"), case(), 100.0) == (0.8, None)
    three = fact(3, 4, 2)
    told[:] = [three]
    assert own._distance_to_bound(change(expr=R, side="lower"), case(), 100.0) == (pytest.approx(4 / 3), three)
    told[:] = [fact(3, 4, 2)]
    assert own._distance_to_bound(change(expr=M), case(), 100.0) == (0.5, None)  # a constant is missing: R + K


def stretched(
    monkeypatch: pytest.MonkeyPatch, ratios: dict[int, float | None], own: RepairSearch | None = None, **changes: Any
) -> tuple[bool, list[int], RepairSearch]:
    """Whether longer runs refute a change, the rounds of the runs that were looked at, and the search."""
    own, asked = own or search(), []

    def distance(one: Change, this: Case, end: float) -> Any:
        rounds = this.constants[R]
        asked.append(rounds)
        own.budget.meter.spent += 10.0
        ratio = ratios.get(rounds)
        return None if ratio is None else (ratio, fact(9, rounds) if ratio > 1 else None)

    monkeypatch.setattr(own, "_distance_to_bound", distance)
    monkeypatch.setattr(own, "_joined", lambda f: own.counterexamples.append(f.case))
    monkeypatch.setattr(trials, "_stretch_factors", lambda one: iter([((("settings", "n_rounds"), F(4)),)]))
    refuted = own._is_refuted_by_longer(change(**changes), (case(1),), changes.pop("most", 1e6))
    return refuted, asked, own


def test_runs_are_stretched_while_they_come_nearer(monkeypatch: pytest.MonkeyPatch) -> None:
    refuted, asked, own = stretched(monkeypatch, {1: 0.5, 4: 0.6, 16: 0.7, 64: 1.5})
    assert (refuted, asked, own.counterexamples) == (True, [1, 4, 16, 64], [case(64)])
    refuted, asked, _ = stretched(monkeypatch, {1: 0.5, 4: 0.6, 16: 0.65, 64: 1.5})
    assert (refuted, asked) == (False, [1, 4, 16])  # it grew by less than a tenth
    refuted, asked, _ = stretched(monkeypatch, {1: 0.5, 4: trials.MIN_GROWTH * 0.5, 16: 1.5})
    assert (refuted, asked) == (False, [1, 4])  # by a tenth and no more
    refuted, asked, _ = stretched(monkeypatch, {1: 0.5, 4: None, 16: 1.5})
    assert (refuted, asked) == (False, [1, 4])
    refuted, asked, _ = stretched(monkeypatch, {1: None, 4: 1.5})
    assert (refuted, asked) == (False, [1])
    refuted, asked, _ = stretched(monkeypatch, {1: 1.5})
    assert (refuted, asked) == (True, [1])
    refuted, asked, _ = stretched(monkeypatch, {1: 1.5}, side="equal")
    assert (refuted, asked) == (False, [])
    refuted, asked, _ = stretched(monkeypatch, {1: -2.0, 4: -1.0, 16: 1.5})
    assert (refuted, asked) == (False, [1, 4])  # nearness below 0 is none


def test_stretching_ends_with_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    ratios: dict[int, float | None] = {4**k: 0.1 * 1.5**k for k in range(5)}
    own = search()
    monkeypatch.setattr(trials, "_stretch_factors", lambda one: iter(()))
    own.budget.meter.spent = 100.0
    asked: list[int] = []

    def distance(one: Change, this: Case, end: float) -> Any:
        asked.append(this.constants[R])
        assert end == 125.0
        own.budget.meter.spent += 10.0
        return ratios[this.constants[R]], None

    monkeypatch.setattr(own, "_distance_to_bound", distance)
    monkeypatch.setattr(trials, "_stretch_factors", lambda one: iter([((("settings", "n_rounds"), F(4)),)]))
    assert not own._is_refuted_by_longer(change(), (case(1),), 25.0)
    assert asked == [1, 4, 16]
    asked.clear()
    own.budget = replace(own.budget, work=155.0)
    own.budget.meter.spent = 100.0
    own.budget = replace(own.budget, work=125.0)
    assert not own._is_refuted_by_longer(change(), (case(1),), 1e6)  # no more than is left
    assert asked == [1, 4, 16]


def test_stretching_ends_at_once_where_all_its_work_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    own, asked = search(), []

    def distance(one: Change, this: Case, end: float) -> Any:
        asked.append(this.constants[R])
        own.budget.meter.spent += 10.0
        return float(this.constants[R]) / 1000, None

    monkeypatch.setattr(own, "_distance_to_bound", distance)
    monkeypatch.setattr(trials, "_stretch_factors", lambda one: iter([((("settings", "n_rounds"), F(4)),)]))
    assert not own._is_refuted_by_longer(change(), (case(1),), 20.0)
    assert asked == [1, 4]


def test_the_last_counterexamples_are_turned_to_meet_the_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    own = search()
    own.counterexamples = [case(100), case(200), case(300)]
    monkeypatch.setattr(trials, "_rearrangements", lambda one: iter([case(one.constants[R] + 1)]))
    _, asked, _ = stretched(monkeypatch, {}, own, conditions=(R > 1,))
    assert asked == [201, 301, 1]
    _, asked, _ = stretched(monkeypatch, {}, own)
    assert asked == [1]


# Refutations --------------------------------------------------------------------------------------------------------------


def test_a_refuting_case_joins_the_facts_and_drops_what_it_refutes() -> None:
    judged: list[Fact | None] = [fact(5, 4, 2), None]
    own = search(judged=lambda one: judged.pop(0))
    stands, falls = repaired(change(expr=2 * R)), repaired(change(expr=R))
    own.survived = [falls, stands, repaired(change(expr=R, conditions=(R > 4,)))]
    assert own._join(case(4))
    assert own.survived == [stands, repaired(change(expr=R, conditions=(R > 4,)))]
    assert (own.refuted, own.counterexamples) == (2, [case(4)])
    assert not own._join(case(5))
    assert (own.refuted, own.counterexamples) == (3, [case(4), case(5)])
    own._joined(fact(9, 4, 2))
    assert own.survived == [repaired(change(expr=R, conditions=(R > 4,)))]
    assert (own.refuted, own.counterexamples) == (5, [case(4), case(5), case(4)])


def test_changes_agree_with_the_facts_within_their_conditions() -> None:
    own = make_sample(terms(), [fact(3, 4, 2), fact(5, 4, 2), fact(2, 1, 2)])
    for one, agrees in (
        (change(expr=2 * R), True),
        (change(expr=R), False),
        (change(expr=R, conditions=(R < 4,)), False),  # 2 > 1
        (change(expr=R + 1), True),
        (change(expr=R, conditions=(R > 4,)), True),
        (change(expr=R, conditions=(M > 4,)), True),  # no case is known to meet it
        (change(expr=M), True),  # R + K
        (change(expr=R, side="lower"), False),
    ):
        assert trials._agrees_with_facts(one, own) is agrees, one
    assert trials._meets_conditions(change(conditions=(R > 1, K > 1)), own).tolist() == [True, True, False]
    assert trials._meets_conditions(change(conditions=(M > 1,)), own).tolist() == [False] * 3


def refuting(
    monkeypatch: pytest.MonkeyPatch, result: Any, weaker: bool = False, longer: bool = False
) -> tuple[bool, RepairSearch, list[Any]]:
    own, asked = search([fact(3, 4), fact(1, 5)], judged=lambda one: fact(9, 4)), []
    own.counterexamples = [case(77)]
    one = change(expr=2 * R)

    def by_longer(this: Change, cases: Any, most: float) -> bool:
        asked.append((cases, most))
        return longer

    def search_change(this: Change, most: float, start: Any, seed: int) -> Any:
        asked.append((most, start, seed))
        return result

    monkeypatch.setattr(own, "_weaker", lambda this, sample: weaker)
    monkeypatch.setattr(own, "_is_refuted_by_longer", by_longer)
    monkeypatch.setattr(own, "_search_change", search_change)
    sample = make_sample(own.hunt.terms, own.hunt.facts)
    told = own._refuted(one, sample)
    assert not own._new(one)
    return told, own, asked


def test_a_change_is_searched_from_the_nearest_facts_and_all_counterexamples(monkeypatch: pytest.MonkeyPatch) -> None:
    told, own, asked = refuting(monkeypatch, found())
    assert not told
    assert asked == [((case(4),), 100.0), (200, (case(77), case(4), case(5)), 7)]
    (one,) = own.survived
    assert (one.cases, one.facts, one.work, one.nearest, one.claim) == (9, 2, 40, 0.5, ("claim of", one.change.said))
    assert (one.pressed, one.nearing, own.refuted) == (False, False, 0)


def test_a_change_falls_by_longer_runs_or_by_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    told, own, asked = refuting(monkeypatch, None, longer=True)
    assert (told, own.survived, len(asked)) == (True, [], 1)
    told, own, _ = refuting(monkeypatch, found(case(8)))
    assert (told, own.survived, own.refuted) == (True, [], 1)
    assert own.counterexamples == [case(77), case(8)]
    told, own, asked = refuting(monkeypatch, None, weaker=True)
    assert (told, own.survived, asked) == (False, [], [])
    for nothing in (None, found(decided=False)):
        told, own, _ = refuting(monkeypatch, nothing)
        assert (told, own.survived) == (False, [])
    _, own, _ = refuting(monkeypatch, found(nearest=None))
    assert own.survived[0].nearest is None


def pressing(
    monkeypatch: pytest.MonkeyPatch, survived: list[Repair], results: list[Any], longer: tuple[float, ...] = ()
) -> tuple[bool, RepairSearch, list[Any]]:
    own, asked = search([fact(3, 4), fact(1, 5)], judged=lambda one: fact(100, 4)), []
    own.survived, own.counterexamples = survived, [case(77)]

    def search_change(this: Change, most: float, start: Any, seed: int) -> Any:
        asked.append((this.size, most, start, seed))
        return results.pop(0)

    def by_longer(this: Change, cases: Any, most: float) -> bool:
        assert (cases, most) == ((case(4), case(5)), 5 * 0.5 * 200)
        return this.size in longer

    monkeypatch.setattr(own, "_is_refuted_by_longer", by_longer)
    monkeypatch.setattr(own, "_search_change", search_change)
    monkeypatch.setattr(trials, "_far", lambda cases: [case(99)])
    return own._press(), own, asked


def test_so_much_work_as_a_change_takes_is_enough_to_press_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for spent, pressed in ((9900.0, 1), (9900.5, 0)):
        own, asked = search([fact(3, 4)]), list[Any]()
        own.survived = [repaired(big(1.0))]
        own.budget.meter.spent = spent
        monkeypatch.setattr(own, "_is_refuted_by_longer", lambda *given: False)
        monkeypatch.setattr(own, "_search_change", lambda *given, asked=asked: asked.append(given))
        assert not own._press()
        assert len(asked) == pressed
        assert len(own.survived) == 1 - pressed


def big(size: float, kind: str = "factor") -> Change:
    return change(size, 1000 * R + int(100 * size), kind)


def test_the_smallest_survivors_are_pressed_with_more_work(monkeypatch: pytest.MonkeyPatch) -> None:
    survived = [repaired(big(2.0)), repaired(big(1.0), nearest=0.2)]
    fell, own, asked = pressing(monkeypatch, survived, [found(nearest=0.4), found(nearest=0.1)])
    assert not fell
    start = (case(77), case(4), case(5), case(99))
    assert asked == [(1.0, 1000, start, 8), (2.0, 1000, start, 8)]
    first, second = own.survived
    assert (first.cases, first.facts, first.work, first.nearest) == (14, 2, 47, 0.4)
    assert (first.pressed, first.nearing) == (True, True)  # twice as near
    assert (second.pressed, second.nearing, second.nearest) == (True, False, 0.5)


def test_nearing_is_by_more_than_a_half(monkeypatch: pytest.MonkeyPatch) -> None:
    for before, now, nearing in (
        (0.2, 0.3, False),
        (0.2, 0.31, True),
        (None, 0.9, False),
        (0.2, None, False),
        (-0.2, 0.0, False),
    ):
        _, own, _ = pressing(monkeypatch, [repaired(big(1.0), nearest=before)], [found(nearest=now)])
        (one,) = own.survived
        assert one.nearing is nearing, (before, now)


def test_survivors_that_fall_are_told_and_undecided_ones_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    fell, own, asked = pressing(monkeypatch, [repaired(big(1.0))], [], (1.0,))
    assert (fell, own.survived, asked) == (False, [], [])  # no survivor is left to press, and none was before
    fell, own, _ = pressing(monkeypatch, [repaired(change(1.0))], [found(case(8))])
    assert (fell, own.survived, own.counterexamples[-1]) == (True, [], case(8))
    fell, own, _ = pressing(monkeypatch, [repaired(big(1.0)), repaired(big(2.0))], [None, found(decided=False)])
    assert (fell, own.survived) == (False, [])


def test_so_many_are_pressed_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    survived = [repaired(big(float(i))) for i in range(1, 9)]
    fell, own, asked = pressing(monkeypatch, survived, [found()] * 9)
    assert (fell, len(asked)) == (False, trials.N_PRESSED)
    assert [one.pressed for one in sorted(own.survived, key=lambda one: one.change.size)] == [True] * 5 + [False] * 3
    mixed = [repaired(big(1.0)), repaired(big(2.0)), repaired(big(3.0, "term"))]
    _, _, asked = pressing(monkeypatch, mixed, [found()] * 9)
    assert [size for size, *_ in asked] == [1.0, 3.0, 2.0]  # one of each kind first


def test_kinds_take_turns_in_the_order_of_their_sizes() -> None:
    given = [change(1.0), change(2.0), change(3.0, kind="term"), change(0.5, kind="power")]
    assert [c.size for c in trials._round_robin(given)] == [0.5, 1.0, 3.0, 2.0]
    assert [c.size for c in trials._round_robin(given, ["factor"])] == [0.5, 3.0, 1.0, 2.0]


# Cases ------------------------------------------------------------------------------------------------------------------


def test_searches_begin_at_the_nearest_facts_within_the_conditions() -> None:
    facts = [fact(1, 4), fact(3, 5), fact(2, 6), fact(6, 7)]
    own = make_sample(terms(), facts)
    assert trials._starts(change(expr=R), own, range(0)) == (case(7), case(5), case(6), case(4))
    assert trials._starts(change(expr=R), own, range(1, 3)) == (case(7), case(4))
    assert trials._starts(change(expr=R, conditions=(R < 6,)), own, range(0)) == (case(5), case(4), case(6), case(7))
    assert trials._starts(change(expr=R, side="lower"), own, range(0)) == (case(4), case(6), case(5), case(7))
    assert trials._starts(change(expr=R**3), own, range(0)) == (case(5), case(7), case(4), case(6))
    many = make_sample(terms(), [fact(1, n) for n in range(2, 30)])
    assert len(trials._starts(change(expr=R), many, range(0))) == trials.N_STARTS


def test_counts_grow_alone_or_while_another_setting_falls() -> None:
    found_ways = list(trials._stretch_factors(case(), 16))
    rounds, steps, size = (("settings", name) for name in ("n_rounds", "n_local_steps", "step_size"))
    for count in (rounds, steps):
        own = [dict(way) for way in found_ways if way[0][0] == count]
        assert own == [{count: 16}, {count: 16, size: F(1, 16)}, {count: 16, size: F(1, 4)}]
    assert len(found_ways) == 6
    made = trials._stretch(case(), ((rounds, F(16)), (size, F(1, 4))))
    assert made == case(64, "1/400")
    assert trials._stretch(case(), ((rounds, F(16)),)) == case(64)
    longer = list(trials._longer(case()))
    assert len(longer) == 12
    assert {c.constants[R] for c in longer} == {4, 4 * 16, 4 * 256}
    assert {c.constants[K] for c in longer} == {2, 2 * 16, 2 * 256}
    alone = Case(INSTANCE, n_rounds=3)
    assert list(trials._longer(alone)) == [Case(INSTANCE, n_rounds=3 * by) for by in (16, 256)]


def test_a_setting_of_0_does_not_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = ("settings", "n_rounds")
    monkeypatch.setattr(trials, "leaves", lambda one: {rounds: 4, ("settings", "x"): 0, ("instance", "n_y"): 3})
    assert list(trials._stretch_factors(case(), 16)) == [((rounds, 16),)]


def test_far_cases_are_few_and_the_shortest_come_first() -> None:
    cases = tuple(case(n) for n in range(3, 9))
    found_cases = trials._far(cases)
    assert len(found_cases) == trials.MAX_FAR_CASES
    lengths = [trials.case_length(c) for c in found_cases]
    assert lengths == sorted(lengths)
    assert {c.constants[R] for c in found_cases} <= {n * by for n in range(3, 7) for by in (1, 16, 256)}
    assert len({c.arguments() for c in found_cases}) == len(found_cases)


def test_far_facts_are_added_within_their_work() -> None:
    looked: list[Case] = []

    def hunt(work: float) -> Any:
        own = search([fact(3, n) for n in range(2, 9)]).hunt
        own.budget = Budget(work, Meter(math.inf))

        def look(one: Case, most: float) -> None:
            assert most == trials.MIN_CHANGE_WORK
            looked.append(one)
            own.budget.meter.spent += 10.0
            if len(looked) % 2:
                own.facts.append(fact(1, 5))

        own.look, own.rank_facts = look, lambda aim: own.facts  # type: ignore[method-assign]
        return own

    one = hunt(1e9)
    one.budget.meter.spent = 50.0
    added = trials.add_far_facts(one, 35.0)
    assert len(looked) == 4
    assert added == range(7, 9)
    looked.clear()
    added = trials.add_far_facts(hunt(1e9), 1e9)
    assert len(looked) == trials.MAX_FAR_CASES
    assert len(added) == 12


def test_counterexamples_are_rearranged_and_their_small_counts_changed() -> None:
    made = list(trials._rearrangements(case(4)))
    counts = [(c.constants[R], c.constants[K]) for c in made if c.instance == INSTANCE][:6]
    assert counts == [(4, 1), (4, 4), (4, 16), (1, 2), (2, 2), (16, 2)]
    assert 6 < len(made) <= 6 + trials.N_ARRANGEMENTS
    long = list(trials._rearrangements(case(17)))
    assert [(c.constants[R], c.constants[K]) for c in long][:3] == [(17, 1), (17, 4), (17, 16)]
    assert all(leaves(c)[("settings", "n_rounds")] != 16 for c in long)


# The result ---------------------------------------------------------------------------------------------------------------


def result(*repairs: Repair, **changes: Any) -> RepairResult:
    return replace(RepairResult(CLAIM, repairs, 2, 3, 4, 1.5, work=99, given=1000), **changes)


def test_the_result_of_a_repair_is_said() -> None:
    one = repaired(change())
    shown = str(result(one)).splitlines()
    assert shown[0] == f"{CLAIM.id}: 1 change survives, 2 were refuted, 3 left untested (4 facts, work 99, 1.5 s)"
    assert shown[1].startswith("none of them is proved")
    assert shown[2] == "1. factor: factor 1.0"
    two = str(result(one, one, refuted=1, interrupted=True))
    assert "2 changes survive, 1 was refuted, 3 left untested (4 facts, work 99, 1.5 s, interrupted)" in two
    assert "\n2. factor" in two
    assert "0 changes survive" in str(result())
    assert str(result()).splitlines()[1] == "nothing survived"
    assert "no case found refutes it (4 cases tell of it, work 99, 1.5 s)" in str(result(false=False))
    tried = str(result(untried=repair.OUT_OF_WORK))
    assert f"nothing was tried yet: out of work (--work {repair.FIRST_TRY_WORK} at least)" in tried
    assert str(result(untried="interrupted")).endswith("nothing was tried yet: interrupted")
    assert repr(result(one)) == f"<Mended {CLAIM.id}: 1 repairs>"
    assert "1. factor: factor 1.0" in result(one)._repr_html_()
    row = result(one, ended="").row()
    assert (row["id"], row["repairs"], row["refuted"], row["untested"]) == (CLAIM.id, [one.row()], 2, 3)
    assert (row["facts"], row["work"], row["ended"], row["seconds"], row["interrupted"]) == (4, 99, None, 1.5, False)


def test_what_ended_a_repair_is_said_with_what_would_do() -> None:
    assert str(result(ended="out of time")).endswith("it ended out of time: 3 changes are untested")
    assert "it ended" not in str(result(ended="out of time", untested=0))
    ran = str(result(ended=repair.OUT_OF_WORK))
    assert "it ran out of work: 3 changes are untested; each takes up to 150 of the 1000 units, and 27 %" in ran
    assert ran.endswith(f"(--work {DEFAULT_WORK} is the default)")
    more = str(result(ended=repair.OUT_OF_WORK, given=DEFAULT_WORK))
    assert more.endswith(f"(try --work {4 * DEFAULT_WORK})")
    # so much work leaves a first change its units
    assert (
        (repair.FIRST_TRY_WORK - 1) * repair.TRY_SHARE
        < trials.MIN_CHANGE_WORK
        <= repair.FIRST_TRY_WORK * repair.TRY_SHARE
    )


def test_a_claim_is_false_where_an_own_case_or_a_fact_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    hunt: Any = SimpleNamespace(terms=terms(), facts=[])
    assert not repair._is_refuted(hunt)
    hunt.facts = [fact(6, 4, 2)]
    assert not repair._is_refuted(hunt)
    hunt.facts = [fact(6, 4, 2), fact(7, 4, 2)]
    assert repair._is_refuted(hunt)
    asked: list[Any] = []
    claim: Any = SimpleNamespace(id="x", cases=(case(9), case(2), case(5)))

    def verdict_on(claim: Any, one: Case, seed: int) -> Any:
        asked.append(one.constants[R])
        if one == case(2):
            raise IndexError
        return SimpleNamespace(status="violated" if one == case(5) else "inconclusive")

    monkeypatch.setattr(repair, "verdict_on", verdict_on)
    assert repair._is_refuted_by_own_case(claim, 0, math.inf)
    assert asked == [2, 5]
    claim.cases = (case(9), case(2))
    assert not repair._is_refuted_by_own_case(claim, 0, math.inf)
