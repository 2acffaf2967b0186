"""The searching adversary: what it reports is certified, at least as hard as games made by hand, and refutes what is false."""

from __future__ import annotations

import contextlib
import io
import math
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.games.player import Learner
from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.papers.aaggff.instances.games import alternation, horse_race, one_good, two_phase, vertex
from fltheory.problems.responses import ADVERSARIES, RESPONSE_KINDS, AdaptiveResponses, RandomResponses, ResponseTable
from fltheory.runs.constants import Constants
from fltheory.search.adversary import HardestGame, hardest_game
from fltheory.search.game_plans import (
    Plan,
    distinct_plans,
    extreme_rows,
    merge_phases,
    neighbour_plan,
    random_plan,
    round_robin_plans,
    stretch_plan,
)
from fltheory.verification import find

SHARP = find("aaggff/T5.1@strengthened")
PRINTED = find("aaggff/T5.1@printed")
WINDOW = find("aaggff/T5.1-window@corrected")
HALF = find("aaggff/T5.2-half@strengthened")
STEP = find("aaggff/T5.2@strengthened")
ENTROPIC = find("aaggff/T5.2@printed")
NEWTON = {"learner_regularisation": "1/2", "learner_curvature": "3/5"}


def search(claim: Claim, n: int, rounds: int, **more: Any) -> HardestGame:
    """A search of fewer games."""
    return hardest_game(claim, n, rounds, **{"max_games": 300, **more})


@pytest.fixture(scope="module")
def leading() -> HardestGame:
    """Three clients against the online Newton step."""
    return search(SHARP, 3, 60, settings=NEWTON)


# What is reported ---------------------------------------------------------------------------------------------------------


def test_the_ratio_is_the_one_of_the_game_checked_anew(leading: HardestGame) -> None:
    again = check_claim(SHARP, leading.case)
    assert leading.verdict.evidence == again.evidence == "exact"
    assert leading.ratio == again.ratio
    assert again.ratio is not None
    assert isinstance(leading.case.instance, ResponseTable)
    assert (leading.case.instance.n_clients, leading.case.instance.n_rounds) == (3, 60)
    rebuilt: Case = eval(f"Case({leading.case.arguments()})", {"Case": Case, "ResponseTable": ResponseTable})
    assert rebuilt == leading.case
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(leading.line, {})
    assert shown.getvalue().startswith("aaggff/T5.1@strengthened: holds")
    assert leading.line in str(leading)


def test_a_seed_gives_one_game() -> None:
    first, again, other = (search(HALF, 3, 20, seed=seed, max_games=600) for seed in (0, 0, 1))
    assert (again.case, again.plan, again.examined) == (first.case, first.plan, first.examined)
    assert other.plan != first.plan


def test_a_clock_may_end_it_with_what_it_has() -> None:
    """At once, on any machine: some games were played, as it says something in any case."""
    game = hardest_game(HALF, 3, 40, seconds=1e-9, max_games=10**6)
    assert 0 < game.examined <= 200
    assert game.verdict.status == "holds"
    with pytest.raises(ValueError, match="seconds must be a positive number"):
        hardest_game(HALF, 3, 40, seconds=0)


# As hard as others --------------------------------------------------------------------------------------------------------


def hardest_of(claim: Claim, games: list[Any], **settings: object) -> float:
    return max(check_claim(claim, Case(game, **settings)).ratio or -math.inf for game in games)


def test_random_games_are_easier(leading: HardestGame) -> None:
    games = [RandomResponses(kind, 3, 60, seed) for kind in RESPONSE_KINDS for seed in range(4)]
    assert leading.ratio > 1.3 * hardest_of(SHARP, games, **NEWTON)


def test_known_games_are_no_harder(leading: HardestGame) -> None:
    own = [horse_race(3, 60), *(AdaptiveResponses(kind, 3, 60) for kind in ADVERSARIES)]
    assert leading.ratio >= 0.998 * hardest_of(SHARP, own, **NEWTON)
    table = search(SHARP, 3, 60, settings=NEWTON, looking=False)
    assert table.ratio >= hardest_of(SHARP, [horse_race(3, 60)], **NEWTON)
    assert all(isinstance(move, tuple) for move, _ in table.plan.phases)
    assert len(table.case.instance.responses) < 20


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("claim", "high", "game", "settings"),
    [
        (HALF, 1, vertex(4, 60), {}),
        (STEP, 1, vertex(4, 60), {"learner_scale": "1/2"}),
        (ENTROPIC, 1, alternation(60), {}),
        (ENTROPIC, 1, two_phase(60, 1), {}),
        (HALF, "1/20", one_good(10, "1/20", 1, 60), {}),
    ],
    ids=["vertex", "vertex, another rate", "alternation", "two phases", "one good client"],
)
def test_known_games_of_the_entropic_learner_are_no_harder(
    claim: Claim, high: Number, game: ResponseTable, settings: dict[str, str]
) -> None:
    found = search(claim, game.n_clients, 60, high=high, settings=settings)
    assert found.verdict.status == "holds"
    assert found.ratio >= hardest_of(claim, [game], **settings)


def test_a_game_to_begin_with_is_kept_where_nothing_is_harder() -> None:
    start = Case(two_phase(240, "1/10"))
    given = hardest_game(PRINTED, 2, 240, high="1/10", max_games=1, start=[start])
    assert given.ratio >= 0.99 * (check_claim(PRINTED, start).ratio or 0)
    with pytest.raises(ValueError, match="expected a table of 2 clients and 60 rounds"):
        hardest_game(PRINTED, 2, 60, high="1/10", start=[start])


# What is false is refuted, what is true is not ----------------------------------------------------------------------------


def test_the_printed_bound_is_refuted_without_a_hint() -> None:
    game = search(PRINTED, 2, 400, high="1/10", max_games=200)
    assert game.verdict.status == "violated"
    assert game.verdict.evidence == "exact"
    assert game.ratio > 1.4
    assert game.line == game.verdict.counterexample
    assert search(WINDOW, 2, 120, high="3/10", max_games=200).verdict.status == "holds"


def test_half_a_bound_is_refuted(leading: HardestGame) -> None:
    half = replace(SHARP, bounds=(SHARP.bound.scaled(Fraction(1, 2)),))
    game = search(half, 3, 60, settings=NEWTON)
    assert game.verdict.status == "violated"
    assert game.case == leading.case
    assert game.ratio == pytest.approx(2 * leading.ratio)
    wider = replace(SHARP, bounds=(SHARP.bound.scaled(Fraction(leading.ratio) * Fraction(101, 100)),))
    assert search(wider, 3, 60, settings=NEWTON, looking=False, max_games=200).verdict.status == "holds"


@pytest.mark.parametrize(("n", "low", "high"), [(2, 0, "1/100"), (3, 0, 3), (5, 1, 4)])
def test_true_bounds_survive(n: int, low: Number, high: Number) -> None:
    for claim, settings in ((HALF, {}), (STEP, {"learner_scale": "1/10"})):
        game = search(claim, n, 30, low=low, high=high, settings=settings, max_games=150)
        assert game.verdict.status in ("holds", "vacuous"), str(game)
        assert 0 < game.ratio <= 1


def test_a_bound_that_is_attained_in_the_limit_is_not_exceeded() -> None:
    """Small ranges: one client responds high T = alpha / C2 times, and the strengthened bound has nothing to give away."""
    small = {"high": "1/1000", "settings": {"learner_regularisation": "1/100", "learner_curvature": "99/100"}}
    game = search(SHARP, 2, 10, max_games=200, **small)
    assert game.verdict.status == "holds"
    assert game.ratio > 0.999
    less = replace(SHARP, bounds=(SHARP.bound.scaled(Fraction(999, 1000)),))
    assert search(less, 2, 10, max_games=200, **small).verdict.status == "violated"


def test_a_race_and_a_winner_come_near_the_bound_of_the_entropic_learner() -> None:
    game = search(HALF, 2, 100, high="1/1000")
    assert 0.84 < game.ratio < 1
    assert game.ratio > 1.5 * hardest_of(HALF, [vertex(2, 100, "1/1000"), horse_race(2, 100, "1/1000")])


# Learners of a user -------------------------------------------------------------------------------------------------------


def test_the_hardest_game_of_a_learner_that_stays_is_known() -> None:
    """Against the uniform decision no game is harder than one client that responds high in every round."""
    lazy = replace(ENTROPIC, algorithm=Learner("stays", lambda p, seen, response, c: p))
    game = search(lazy, 4, 50)
    assert game.verdict.measured == pytest.approx(50 * math.log(2 / (1 + 1 / 4)))
    (responses,) = game.case.instance.responses
    assert sorted(responses) == [0, 0, 0, 1]


def test_a_learner_that_goes_to_the_last_winner_is_led_astray() -> None:
    def step(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        return np.eye(p.shape[1])[response.argmax(axis=1)]

    hasty = replace(ENTROPIC, algorithm=ENTROPIC.algorithm._replace(step=step))
    assert search(hasty, 2, 60).verdict.status == "violated"
    assert search(ENTROPIC, 2, 60).verdict.status == "holds"


def test_what_it_cannot_attack_is_said() -> None:
    with pytest.raises(ValueError, match="not about the static regret of a learner"):
        hardest_game("aaggff/T5.1-coin", 2, 20)
    with pytest.raises(ValueError, match="says nothing here"):
        hardest_game(WINDOW, 2, 20, high="1/10")
    with pytest.raises(ValueError, match=r"learner_.* is missing"):
        hardest_game(SHARP, 2, 20)
    with pytest.raises(ValueError, match="at least 2 and 1"):
        hardest_game(HALF, 1, 20)


# Plans --------------------------------------------------------------------------------------------------------------------


def n_rounds(plan: Plan) -> int:
    return plan.repeat * sum(n for _, n in plan.phases)


def test_changes_keep_the_rounds_and_the_clients() -> None:
    random = Random(0)
    kinds = set()
    for _ in range(300):
        plan = random_plan(random, 3, 60, ADVERSARIES)
        changed = neighbour_plan(plan, random, 3, ADVERSARIES)
        for found in (plan, changed, changed.merged(), *merge_phases(changed)):
            assert n_rounds(found) == len(found.moves) == 60
            assert all(n >= 1 and (isinstance(move, str) or len(move) == 3) for move, n in found.phases)
        longer = stretch_plan(changed, 240)
        assert longer is None or n_rounds(longer) == 240
        kinds.add((len(changed.phases) - len(plan.phases), changed.repeat != plan.repeat))
    assert {(0, False), (1, False), (-1, False), (0, True)} <= kinds


def test_names_of_clients_make_no_difference() -> None:
    first, second = (
        Plan((((1.0, 0.0, 0.0), 2), ((0.0, 1.0, 1.0), 3))),
        Plan((((0.0, 0.0, 1.0), 2), ((1.0, 1.0, 0.0), 3))),
    )
    other = Plan((((0.0, 0.0, 1.0), 2), ((0.0, 1.0, 1.0), 3)))
    assert distinct_plans([first, second, other], 3) == [first, other]


def test_what_a_beam_begins_with() -> None:
    assert len(extreme_rows(3)) == 8
    assert all(sum(row) in (0, 1, 2, 5, 8, 9, 10) for row in extreme_rows(10))
    assert {n_rounds(plan) for plan in round_robin_plans(3, 60)} == {60}
    assert round_robin_plans(3, 59) == []
