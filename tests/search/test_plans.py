"""Plans of an adversary and their search, each by definition: rows, phases, cuts, moves; regrets of small games."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.problems.responses import ADVERSARIES, RandomResponses, ResponseTable
from fltheory.search import adversary, game_plans
from fltheory.search.adversary import HardestGame, hardest_game
from fltheory.search.game_plans import (
    Plan,
    extend_plan,
    extreme_rows,
    merge_phases,
    neighbour_plan,
    random_move,
    random_plan,
    round_robin_plans,
    round_share,
    stretch_plan,
)
from fltheory.verification import find

F = Fraction
HALF = find("aaggff/T5.2-half@strengthened")
A, B, C = (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)


def n_rounds(plan: Plan) -> int:
    return plan.repeat * sum(n for _, n in plan.phases)


# Plans ------------------------------------------------------------------------------------------------------------------


def test_a_plan_gives_a_move_for_every_round_and_a_row_for_each_phase() -> None:
    plan = Plan(((A, 2), (B, 1)), 2)
    assert plan.moves == [A, A, B, A, A, B]
    assert plan.n_rows == 2
    assert Plan(((A, 2), ("next", 3)), 2).n_rows == 10
    assert Plan(((A, 2), (A, 1), (B, 1)), 2).merged() == Plan(((A, 3), (B, 1)), 2)
    assert Plan(((A, 2), (A, 1)), 3).merged() == Plan(((A, 9),))
    assert Plan(((A, 2), (B, 1), (A, 1))).merged() == Plan(((A, 2), (B, 1), (A, 1)))


def test_shares_are_the_nearest_of_a_grid_within_the_range() -> None:
    for share in (-1.0, -0.01, 0.0, 0.007, 0.008, 0.3, 0.5, 0.9999, 1.0, 1.3):
        assert round_share(share) == min((k / 64 for k in range(65)), key=lambda grid: abs(grid - share))


@pytest.mark.parametrize("n", [2, 3, 5, 6, 7, 10])
def test_extreme_rows_are_all_or_single_out_a_few_clients(n: int) -> None:
    found = extreme_rows(n)
    if n <= 5:
        assert sorted(found) == sorted(itertools.product((0.0, 1.0), repeat=n))
        return
    wanted = {(0.0,) * n, (1.0,) * n}
    for size in (1, 2, n // 2, n - 2, n - 1):
        first = tuple(float(i < size) for i in range(n))
        wanted |= {first, tuple(reversed(first)), tuple(first[(i + 1) % n] for i in range(n))}
    assert found == sorted(wanted)


@pytest.mark.parametrize(("n", "rounds"), [(2, 6), (3, 12), (3, 8), (4, 20), (3, 7), (5, 24)])
def test_turns_go_round_all_clients_in_whole_turns(n: int, rounds: int) -> None:
    plans = round_robin_plans(n, rounds)
    lengths = [length for length in (n, n + 1) if rounds % length == 0]
    assert len(plans) == len(lengths) * (n - 1)
    for plan in plans:
        assert n_rounds(plan) == rounds
        rows, counts = [row for row, _ in plan.phases], [k for _, k in plan.phases]
        size = int(sum(rows[0]))
        assert rows[0] == tuple(float(i < size) for i in range(n))
        assert len(rows) == n
        for one, after in itertools.pairwise(rows):
            assert after == (one[-1], *one[:-1])
        assert counts[:-1] == [1] * (n - 1)
        assert counts[-1] in (1, 2)
    assert len(set(plans)) == len(plans)


def random_of(*draws: float, **more: Any) -> Any:
    """Random numbers in turn."""
    coming = iter(draws)
    return SimpleNamespace(random=lambda: next(coming), **more)


def test_random_moves_are_rows_of_lows_and_highs_or_rules() -> None:
    rule = random_of(0.24, choice=lambda given: given[1])
    assert random_move(rule, 3, ("a", "b")) == "b"
    assert random_move(random_of(0.25, 0.4, 0.6, 0.5), 3, ("a", "b")) == (1.0, 0.0, 0.0)
    assert random_move(random_of(0.1, 0.9), 2, ()) == (1.0, 0.0)


def test_random_plans_have_all_rounds_and_few_phases() -> None:
    random, repeats, phases = Random(1), set(), set()
    for _ in range(300):
        plan = random_plan(random, 2, 12, ())
        assert n_rounds(plan) == 12
        assert all(n >= 1 for _, n in plan.phases)
        repeats.add(plan.repeat)
        phases.add(len(plan.phases))
    assert repeats == {1, 2, 3, 4, 6}
    assert phases == {1, 2, 3, 4, 5}
    assert {random_plan(random, 2, 7, ()).repeat for _ in range(50)} == {1}
    assert {random_plan(random, 2, 4, ()).repeat for _ in range(50)} == {1, 2}


def test_random_plans_are_cut_at_one_to_four_places() -> None:
    asked: list[Any] = []

    def randint(low: int, high: int) -> int:
        asked.append((low, high))
        return low

    random = random_of(0.5, 0.9, 0.1, 0.9, 0.1, choice=lambda given: given[0], randint=randint)
    assert random_plan(random, 2, 12, ()) == Plan(((B, 1), (B, 11)))
    assert asked == [(1, 4), (1, 12)]
    assert random_plan(Random(0), 2, 1, ()).moves in ([A], [B], [C], [(0.0, 0.0)])
    assert {random_plan(Random(k), 2, 2, ()).repeat for k in range(30)} == {1}


def test_a_last_phase_is_cut_and_goes_on_with_every_other_move() -> None:
    plan = Plan(((A, 3), (B, 10)))
    found = extend_plan(plan, [A, B, "next"], (0.0, 0.25, 0.26, 0.5, 1.0))
    assert found == [Plan(((A, 3), (B, k), (move, 10 - k))) for k in (2, 3, 5) for move in (A, "next")]
    assert extend_plan(replace(plan, repeat=2), [A], (0.5,)) == []
    assert extend_plan(Plan(((B, 1),)), [A], (0.1, 0.9)) == []


@pytest.mark.parametrize(
    ("plan", "rounds", "found"),
    [
        (Plan(((A, 2), (B, 1)), 2), 12, Plan(((A, 2), (B, 1)), 4)),
        (Plan(((A, 2), (B, 1)), 2), 13, None),
        (Plan(((A, 2), (B, 1))), 12, Plan(((A, 8), (B, 4)))),
        (Plan(((A, 1), (B, 1), (C, 2))), 8, Plan(((A, 2), (B, 2), (C, 4)))),
        (Plan(((A, 1), (B, 1))), 1, None),
        (Plan(((A, 5), (B, 1))), 2, Plan(((A, 1), (B, 1)))),
        (Plan(((A, 4), (B, 4))), 3, Plan(((A, 2), (B, 1)))),
        (Plan(((A, 98), (B, 1), (C, 1))), 10, Plan(((A, 8), (B, 1), (C, 1)))),
    ],
)
def test_plans_are_stretched_to_other_lengths(plan: Plan, rounds: int, found: Plan | None) -> None:
    made = stretch_plan(plan, rounds)
    assert made == found
    assert made is None or n_rounds(made) == rounds


def test_a_phase_less_gives_its_rounds_to_a_neighbour() -> None:
    plan = Plan(((A, 2), (B, 3), (C, 5)), 2)
    assert set(merge_phases(plan)) == {
        Plan(((B, 5), (C, 5)), 2),
        Plan(((A, 5), (C, 5)), 2),
        Plan(((A, 2), (C, 8)), 2),
        Plan(((A, 2), (B, 8)), 2),
    }
    assert merge_phases(Plan(((A, 2), (B, 3)))) == [Plan(((B, 5),)), Plan(((A, 5),))]
    assert merge_phases(Plan(((A, 2),))) == []


def test_two_phases_are_exchanged_or_one_gives_rounds_to_another() -> None:
    plan = Plan(((A, 9), (B, 1), (C, 4)), 3)
    picked = random_of(sample=lambda given, k: [0, 2], uniform=lambda a, b: 0.0)
    assert game_plans._exchange_phases(plan, picked, True) == Plan(((C, 4), (B, 1), (A, 9)), 3)
    assert game_plans._exchange_phases(plan, picked, False) == Plan(((A, 1), (B, 1), (C, 12)), 3)
    limits: list[Any] = []
    for power, k in ((1.0, 4), (2.0, 2), (8.0, 1)):
        picked = random_of(sample=lambda given, k: [0, 2], uniform=lambda a, b, p=power: limits.append((a, b)) or p)
        assert game_plans._exchange_phases(plan, picked, False) == Plan(((A, 9 - k), (B, 1), (C, 4 + k)), 3)
    assert limits == [(0, 8)] * 3
    picked = random_of(sample=lambda given, k: [1, 0])
    assert game_plans._exchange_phases(plan, picked, False) == plan  # one round alone stays


def test_a_move_is_drawn_anew_scaled_or_changed_for_one_client() -> None:
    plan = Plan(((A, 2), ((0.25, 0.75), 3), ("next", 4)))

    def changed(i: int, *draws: float, choice: Any = None, k: int = 0) -> Any:
        picks = iter((i, k))
        random = random_of(*draws, randrange=lambda n: next(picks), choice=lambda given: choice)
        found = game_plans._change_move(plan, random, 2, ())
        assert [n for _, n in found.phases] == [2, 3, 4]
        assert [m for j, (m, _) in enumerate(found.phases) if j != i] == [
            m for j, (m, _) in enumerate(plan.phases) if j != i
        ]
        return found.phases[i][0]

    assert changed(0, 0.29, 0.9, 0.1) == (0.0, 1.0)
    assert changed(2, 0.9, 0.1) == (0.0, 1.0)
    assert changed(1, 0.3, 0.19, choice=2.0) == (0.5, 1.0)
    assert changed(1, 0.3, 0.19, choice=0.5) == (0.125, 0.375)
    assert changed(1, 0.3, 0.2, 0.19, 0.5, k=0) == (0.5, 0.75)
    assert changed(1, 0.3, 0.2, 0.2, k=0) == (1.0, 0.75)
    assert changed(1, 0.3, 0.2, 0.2, k=1) == (0.25, 0.0)
    assert changed(0, 0.3, 0.2, 0.2, k=0) == (0.0, 0.0)


def test_a_phase_is_split_before_or_after() -> None:
    plan = Plan(((A, 5), (B, 1)), 2)

    def split(i: int, draw: float) -> Plan:
        limits: list[Any] = []

        def randint(low: int, high: int) -> int:
            limits.append((low, high))
            return 2

        found = game_plans._split(plan, random_of(draw, randrange=lambda n: i, randint=randint), C)
        assert limits in ([], [(1, 4)])
        return found

    assert split(0, 0.4) == Plan(((A, 2), (C, 3), (B, 1)), 2)
    assert split(0, 0.5) == Plan(((C, 2), (A, 3), (B, 1)), 2)
    assert split(1, 0.4) == plan


def test_phases_repeat_more_often_or_less() -> None:
    plan = Plan(((A, 2), (B, 2)), 3)
    offered: list[Any] = []

    def chosen(often: int) -> Plan:
        def choice(given: Any) -> int:
            offered.append(given)
            return often

        return game_plans._change_repeats(plan, random_of(choice=choice))

    assert chosen(1) == Plan(((A, 6), (B, 6)))
    assert chosen(6) == Plan(((A, 1), (B, 1)), 6)
    assert chosen(2) == Plan(((A, 3), (B, 3)), 2)
    assert offered == [[1, 2, 3, 4, 6]] * 3  # divisors of 12 with a round for each phase


def test_neighbours_change_once_or_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for name in ("_split", "_change_move", "_change_repeats"):
        monkeypatch.setattr(game_plans, name, lambda plan, *more, name=name: done.append(name) or plan)
    monkeypatch.setattr(
        game_plans, "_exchange_phases", lambda plan, random, whole: done.append(f"whole {whole}") or plan
    )
    monkeypatch.setattr(game_plans, "merge_phases", lambda plan: done.append("drop") or [plan])
    one, two = Plan(((A, 5),)), Plan(((A, 5), (B, 2)))

    def kinds(plan: Plan, kind: str, times: int = 1) -> list[str]:
        done.clear()
        random = Random(0)

        def choices(given: Any, weights: Any) -> list[str]:
            assert dict(zip(given, weights, strict=True)) == {"shift": 3, "move": 2, **dict.fromkeys(given[2:], 1)}
            return [kind]

        random.choices = choices  # type: ignore[method-assign,assignment]
        random.choice = lambda given: times if given == (1, 1, 2) else given[0]  # type: ignore[method-assign,assignment]
        assert neighbour_plan(plan, random, 2, ()) == plan
        return list(done)

    for kind, what in (
        ("shift", "whole False"),
        ("swap", "whole True"),
        ("move", "_change_move"),
        ("split", "_split"),
        ("drop", "drop"),
        ("repeat", "_change_repeats"),
    ):
        assert kinds(two, kind) == [what]
        assert kinds(two, kind, 2) == [what] * 2
        assert kinds(one, kind) == ["_split" if kind in ("shift", "drop", "swap") else what]


# The search of plans -----------------------------------------------------------------------------------------------------


def worth(plan: Plan) -> float:
    """Rounds of the first client's losses, less those after the fifth."""
    return float(sum(move[0] for move in plan.moves[:5] if isinstance(move, tuple))) + 100.0


def searching(
    most: int = 10**6, deadline: float = math.inf, value: Callable[[Plan], float] = worth, **more: Any
) -> Any:
    played: list[list[Plan]] = []

    def regrets(plans: list[Plan]) -> list[float]:
        played.append(plans)
        return [value(plan) for plan in plans]

    arena: Any = SimpleNamespace(n=2, rounds=10, regrets=regrets, without_rules=lambda plan: Plan(((B, 10),)))
    own = adversary._PlanSearch(arena, Random(0), more.get("rules", ()), deadline, most)
    return own, played


def test_a_search_of_plans_is_over_after_so_many_games_or_at_the_deadline() -> None:
    own, _ = searching(2)
    assert not own.over
    own.found[Plan(((A, 10),))] = 1.0
    assert (own.over, own.examined) == (False, 1)
    own.found[Plan(((B, 10),))] = 1.0
    assert own.over
    late, _ = searching(deadline=time.perf_counter() - 1)
    assert not late.over  # something is played in any case
    late.found[Plan(((A, 10),))] = 1.0
    assert late.over


def test_plans_are_ranked_by_regret_and_played_once() -> None:
    own, played = searching()
    low, high = Plan(((B, 10),)), Plan(((A, 10),))
    assert own._rank([low, high, Plan(((A, 4), (A, 6))), low]) == [high, low]
    assert played == [[low, high]]
    assert own._rank([low]) == [low]
    assert len(played) == 1
    many = [Plan(((A, 1), (B, k), (A, 999 - k))) for k in range(1, 451)]
    own, played = searching(300)
    assert len(own._rank(many)) == 400  # two batches of 200
    assert [len(batch) for batch in played] == [200, 200]
    assert own._rank([*many[:1], low]) == many[:1]
    assert own._best()[0] == max(own.found, key=lambda plan: own.found[plan])


def test_a_beam_extends_the_best_plans_to_three_phases() -> None:
    own, _ = searching()
    start = Plan(((C, 3), (B, 7)))
    pool = own._beam_search([start])
    assert start in own.found
    single = {Plan(((row, 10),)) for row in extreme_rows(2)}
    assert single <= set(own.found)
    assert set(round_robin_plans(2, 10)) <= set(own.found)
    assert max(len(plan.phases) for plan in own.found if plan.repeat == 1) == 3
    assert worth(pool[0]) == 105
    assert [worth(p) for p in pool] == sorted(map(worth, pool), reverse=True)
    rules, _ = searching(rules=("next",))
    rules._beam_search([])
    assert Plan((("next", 10),)) in rules.found


def test_the_best_plans_are_changed_until_nothing_is_gained_for_a_while() -> None:
    own, played = searching(value=lambda plan: 1.0)
    pool = own._rank([Plan(((A, 10),)), Plan(((B, 10),))])
    own._mutate(pool)
    assert len(played) == 1 + adversary.MAX_IDLE_BATCHES
    own, played = searching(value=lambda plan: float(len(plan.phases)) if len(plan.phases) < 6 else 6.0)
    own._mutate(own._rank([Plan(((A, 10),))]))
    assert max(own.found.values()) == 6
    gains = [max(batch, key=lambda p: len(p.phases)) for batch in played]
    assert len(gains) > adversary.MAX_IDLE_BATCHES + 1
    over, played = searching(1)
    over._mutate(over._rank([Plan(((A, 10),))]))
    assert len(played) == 1
    over._mutate([])
    tiny, played = searching(value=lambda plan: -1.0 + 9e-5 * min(len(plan.phases), 4))
    tiny._mutate(tiny._rank([Plan(((A, 10),))]))
    assert len(played) <= 3 * adversary.MAX_IDLE_BATCHES  # gains below a part in 10^4 are none


def test_better_plans_are_changed_more_often_as_long_as_there_are_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    played = [0]

    def value(plan: Plan) -> float:
        played[0] += 1
        return 100.0 + played[0] / 10  # each batch gains a little

    own, _ = searching(40, value=value)
    weights: list[Any] = []

    def choices(pool: Any, given: Any, k: int) -> Any:
        weights.append((len(pool), given, k))
        return pool[:1]

    own.random.choices = choices
    fresh = itertools.count(1)
    monkeypatch.setattr(adversary, "neighbour_plan", lambda plan, random, n, rules: Plan(((A, next(fresh)), (B, 99))))
    own._mutate(own._rank([Plan(((A, 10),)), Plan(((B, 10),))]))
    assert own.examined == 40  # the limit alone ended it
    assert weights[0] == (2, [1, 1 / 2], adversary.BATCH_SIZE)
    assert weights[-1] == (16, [1 / (1 + i) for i in range(16)], adversary.BATCH_SIZE)


def test_phases_are_dropped_of_plans_of_up_to_so_many() -> None:
    for n, told in ((40, 39), (41, 41)):
        own, _ = searching()
        plan = Plan(tuple((A if i % 2 else B, 1) for i in range(n)))
        own.found = {plan: 100.0}
        own.arena.regrets = lambda plans, n=n: [
            100.0 if len(p.phases) == n - 2 or len(p.phases) == n - 1 else 0.0 for p in plans
        ]
        assert (len(own.simplest_plan().phases) < n) is (told < n)


def test_restarts_take_turns() -> None:
    own, _ = searching()
    periodic, plain, rule = Plan(((A, 1), (B, 1)), 5), Plan(((A, 10),)), Plan((("next", 10),))
    own.found = {periodic: 1.0, plain: 3.0, rule: 2.0}
    assert own._restart_pool(0) == own._restart_pool(4) == [periodic]
    assert own._restart_pool(3) == own._restart_pool(7) == [plain, rule, periodic]
    before = set(own.found)
    fresh = own._restart_pool(1)
    assert len(fresh) > 20
    assert len(set(own.found) - before) > 20
    assert own._restart_pool(2)[0] in own.found
    assert Plan(((B, 10),)) in own.found  # what the rules answered
    assert all(n_rounds(plan) == 10 for plan in fresh)


def test_a_search_of_plans_restarts_until_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    own, _ = searching(30)
    turns: list[int] = []
    monkeypatch.setattr(own, "_beam_search", lambda start: own._rank(start))
    monkeypatch.setattr(own, "_restart_pool", lambda turn: turns.append(turn) or [])

    def mutate(pool: list[Plan]) -> None:
        k = len(own.found)
        own._rank([Plan(((A, i + 1), (B, 50))) for i in range(k, k + 10)])

    monkeypatch.setattr(own, "_mutate", mutate)
    found = own.run([Plan(((A, 10),))])
    assert turns == [0, 1, 2]
    assert len(found) == adversary.POOL_SIZE
    assert found == own._best()[:16]


def test_the_simplest_of_almost_the_best_plans_is_told() -> None:
    own, _ = searching()
    few, many, bad = Plan(((A, 10),)), Plan(((A, 5), (B, 5))), Plan(((C, 10),))
    own.found = {many: 100.0, few: 99.81, bad: 99.79}
    assert own.simplest_plan() == few
    own.found = {many: -100.0, few: -100.19, bad: -100.21}
    assert own.simplest_plan() == few
    own.found = {many: 100.0, bad: 99.79}
    own.arena.regrets = lambda plans: [99.79 if plan == bad else 99.0 for plan in plans]
    assert own.simplest_plan() == many
    own.arena.regrets = lambda plans: [99.9 if plan == few else 0.0 for plan in plans]
    assert own.simplest_plan() == few
    own.found = {Plan(((A, 5), (B, 5))): 100.0, Plan(((A, 6), (B, 4))): 99.9}
    own.arena.regrets = lambda plans: [0.0 for _ in plans]
    assert own.simplest_plan() == Plan(((A, 5), (B, 5)))  # of as many rows the harder


# Games ------------------------------------------------------------------------------------------------------------------


def arena(rounds: int = 4, low: Any = 0, high: Any = 1, n: int = 2) -> Any:
    return adversary._Arena(HALF, n, rounds, F(low), F(high), {})


@pytest.mark.parametrize(("low", "high", "n"), [(0, 1, 2), (1, 4, 2), (0, "1/10", 3)])
def test_regrets_are_those_of_the_checked_game(low: Any, high: Any, n: int) -> None:
    own = arena(4, low, high, n)
    one, other = tuple(float(i == 0) for i in range(n)), tuple(float(i == 1) / 2 for i in range(n))
    plans = [
        Plan(((one, 4),)),
        Plan(((one, 1), (other, 1)), 2),
        Plan(((other, 1), (one, 3))),
        Plan(((one, 1), (ADVERSARIES[0], 3))),
        Plan(((one, 2), (ADVERSARIES[1], 1), (ADVERSARIES[2], 1))),
    ]
    for plan, regret in zip(plans, own.regrets(plans), strict=True):
        made = own.case(plan)
        assert (made.instance.n_clients, made.instance.n_rounds) == (n, 4)
        assert (made.instance.low, made.instance.high) == (F(low), F(high))
        verdict = check_claim(HALF, made)
        assert regret == pytest.approx(verdict.measured, rel=1e-6, abs=1e-9)
        assert own.regrets([plan])[0] == pytest.approx(regret)
        fixed = own.without_rules(plan)
        assert all(isinstance(move, tuple) for move, _ in fixed.phases)
        assert own.regrets([fixed])[0] == pytest.approx(regret)
        assert own.plan(made.instance).moves == fixed.moves


def test_the_best_fixed_decision_is_that_of_a_fine_grid() -> None:
    own = arena(4, 1, 3)
    table = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.5], [0.0, 0.0]])
    grid = np.linspace(0, 1, 20001)
    decisions = np.stack([grid, 1 - grid], axis=1)
    least = min(sum(own.loss.value(decisions, 1 + 2 * row) for row in table))
    assert own._least(table) == pytest.approx(least, rel=1e-6)


def test_tables_become_plans_and_others_are_refused() -> None:
    own = arena(4, 1, 3)
    made = own.plan(ResponseTable(((1, 3), (2, "5/2")), (1, 1), 3, 1, 2))
    assert made == Plan((((0.0, 1.0), 1), ((0.5, 0.75), 1)), 2)
    for wrong in (
        ResponseTable(((1, 3),), (3,), 3, 1),
        ResponseTable(((1, 3, 1),), (4,), 3, 1),
        RandomResponses("coin", 2, 4, seed=1),
    ):
        with pytest.raises(ValueError, match="expected a table of 2 clients and 4 rounds, got"):
            own.plan(wrong)
    short = own.shorter(2)
    assert (short.rounds, short.n, short.low, short.high, short.settings) == (2, 2, 1, 3, {})


def test_games_without_two_clients_and_a_round_are_refused() -> None:
    assert arena(1).rounds == 1
    with pytest.raises(ValueError, match="not about the static regret of a learner"):
        adversary._Arena(SimpleNamespace(id="x", measure=HALF.measure, algorithm=None), 2, 4, F(0), F(1), {})  # type: ignore[arg-type]
    for n, rounds in ((1, 4), (2, 0)):
        with pytest.raises(ValueError, match=f"{n} clients and {rounds} rounds: expected at least 2 and 1"):
            arena(rounds, n=n)
    for name, given in (("n_clients", (0, 5)), ("n_rounds", (2, 0)), ("n_clients", (True, 5)), ("n_rounds", (2, 1.0))):
        with pytest.raises(ValueError, match=f"{name} = .*: expected a positive integer"):
            hardest_game(HALF, *given)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not about the static regret of a learner"):
        hardest_game("sfl/T7-GC@explicit", 2, 5)


def test_long_games_are_attacked_shorter_first() -> None:
    assert adversary._horizons(199) == [199]
    assert adversary._horizons(200) == [50, 200]
    assert adversary._horizons(3201) == [50, 200, 800, 3201]


def test_plans_of_shorter_games_are_stretched_and_all_games_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(adversary, "_horizons", lambda rounds: [2, 4])

    class Search:
        def __init__(self, own: Any, random: Random, rules: Any, deadline: float, most: int) -> None:
            self.rounds, self.examined = own.rounds, 10 * own.rounds
            asked.append((own.rounds, rules, deadline, most, random.random() == Random(6).random()))

        def run(self, start: list[Plan]) -> list[Plan]:
            asked.append(start)
            return [Plan(((A, 1), (B, 1))), Plan(((A, 1),), 2)]

        def simplest_plan(self) -> Plan:
            return Plan(((A, 1), (B, 3)))

    monkeypatch.setattr(adversary, "_PlanSearch", Search)
    start = Case(ResponseTable(((1, 0),), (4,)))
    game = hardest_game(HALF, 2, 4, seed=6, max_games=101, looking=False, start=[start])
    assert asked == [
        (2, (), math.inf, 50, True),
        [],
        (4, (), math.inf, 101, True),
        [Plan(((A, 4),)), Plan(((A, 2), (B, 2))), Plan(((A, 1),), 4)],
    ]
    assert (game.examined, game.plan, game.claim) == (60, Plan(((A, 1), (B, 3))), HALF)
    assert game.case.instance == ResponseTable(((1, 0), (0, 1)), (1, 3))
    asked.clear()
    hardest_game(HALF, 2, 4)
    assert asked[0][1] == ADVERSARIES
    verdict = replace(game.verdict, status="inapplicable", reason="why", evidence=None)
    monkeypatch.setattr(adversary, "check_claim", lambda claim, case: verdict)
    with pytest.raises(ValueError, match="strengthened: why"):
        hardest_game(HALF, 2, 4)


def test_the_hardest_game_is_said_with_a_line_that_replays_it() -> None:
    verdict = check_claim(HALF, arena().case(Plan(((A, 4),))))
    game = HardestGame(HALF, verdict, Plan(((A, 4),)), 7, 1.25)
    assert game.case == verdict.case
    assert game.ratio == verdict.ratio
    assert str(game).startswith(f"{HALF.id}: holds, ratio ")
    assert "7 games in 1.2 s\n  from fltheory import verify" in str(game)
    assert verdict.case.arguments() in game.line
    assert replace(game, verdict=replace(verdict, ratio=None)).ratio == 0
