"""Online learners: the game, who takes part, enumeration, and a user's own learner."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.games.environment import OnlineGame
from fltheory.games.learners import entropic_ftrl, loss_gradient
from fltheory.games.losses import LINEAR, LOG_GROWTH
from fltheory.games.participation import participant_sets, participants
from fltheory.games.play import enumerate_rounds, simulate_rounds
from fltheory.games.player import Learner
from fltheory.games.static_regret import StaticRegret
from fltheory.model.case import Case
from fltheory.number import BALL, to_float
from fltheory.papers.aaggff.algorithms import aaggff_d
from fltheory.problems.responses import AdaptiveResponses, ResponseTable
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.method import NotEnumerable
from fltheory.verification import find

SOME = ResponseTable(((1, 0, "1/2"), (0, 1, "1/4")), (2, 1), n_participating=2)
CASE = Case(SOME, learner_scale=3)
RANGE_OF_NO_WIDTH = ResponseTable(  # of more rounds than are listed
    ((f"{10**16 + 1}/{10**16}", 1, 1, 1),), (6000,), f"{10**16 + 1}/{10**16}", 1, n_participating=1
)
ALL = Case(ResponseTable(((1, 0), (0, 1)), (6, 4)), learner_scale=1)


def test_participants_are_uniform_sets() -> None:
    c = run_constants(CASE, None)
    seen = participants(c, 0, np.arange(6000), 0)
    assert (seen.sum(axis=1) == 2).all()
    found = {tuple(row): n for row, n in zip(*np.unique(seen, axis=0, return_counts=True), strict=True)}
    assert len(found) == 3
    assert all(abs(n - 2000) < 200 for n in found.values())
    assert (participants(c, 0, np.arange(50), 3) == participants(c, 0, np.arange(100), 3)[:50]).all()
    assert (participants(c, 1, np.arange(50), 3) != participants(c, 0, np.arange(50), 3)).any()


def test_everyone_takes_part_by_default() -> None:
    assert (participants(run_constants(ALL, None), 0, np.arange(3), 0) == 1).all()


def test_enumeration_is_the_mean_over_all_courses_of_sets() -> None:
    game: ResponseTable = SOME
    c = run_constants(CASE, None)
    sets = participant_sets(3, 2, 100)
    total = 0.0
    for course in itertools.product(sets, repeat=game.n_rounds - 1):
        state = aaggff_d.init(1, c)
        for t, seen in enumerate((*course, None)):
            p, r = aaggff_d.play(state, c), game.table[game.order[t]][None]
            total += float(LOG_GROWTH.value(p, r)[0]) / len(sets) ** (game.n_rounds - 1)
            if seen is not None:
                state = aaggff_d.step(state, seen[None], r * seen, c)
    for ring in (None, BALL):
        learner = aaggff_d if ring is None else aaggff_d.exact
        found = sum(
            float((w * LOG_GROWTH.value(t.p, t.answer)).sum()) for w, t in enumerate_rounds(learner, CASE, ring, 1000)
        )
        assert found == pytest.approx(total, abs=1e-12)


def test_too_many_courses_are_refused() -> None:
    with pytest.raises(NotEnumerable, match="more than 4 paths"):
        list(enumerate_rounds(aaggff_d, CASE, None, 4))
    with pytest.raises(NotEnumerable, match="more than 2 sets"):
        participant_sets(3, 2, 2)


def test_responses_of_those_who_do_not_take_part_are_hidden() -> None:
    looks: list[np.ndarray] = []

    def step(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        looks.append(response[seen == 0])
        return p

    list(simulate_rounds(Learner("spy", step), CASE, 0, np.arange(20)))
    assert looks
    assert all((hidden == 0).all() for hidden in looks)


def exponentiated(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
    """A user's learner: one entropic step of fixed length."""
    weights = p * np.exp(response / (1 + (p * response).sum(axis=1, keepdims=True)) / 10)
    return weights / weights.sum(axis=1, keepdims=True)


def test_a_users_learner_is_one_function() -> None:
    claim = find("aaggff/T5.2@printed")
    assert claim.algorithm is not None
    mine = replace(claim, algorithm=claim.algorithm._replace(step=exponentiated))
    verdict = check_claim(mine, ALL)
    assert verdict.status == "holds"
    assert verdict.evidence == "sampled"
    assert verdict.n_seeds == 1  # nothing is drawn: one path is all


def stubborn(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
    return p


def test_a_bad_learner_breaks_the_bound() -> None:
    claim = find("aaggff/T5.2@printed")
    assert claim.algorithm is not None
    mine = replace(claim, algorithm=claim.algorithm._replace(step=stubborn))
    verdict = check_claim(mine, Case(ResponseTable(((1, 0, 0, 0),), (300,))))
    assert verdict.status == "violated"
    assert "ResponseTable" in (verdict.counterexample or "")


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda p, seen, response, c: 2 * p, "plays no distribution"),
        (lambda p, seen, response, c: p - 1, "plays no distribution"),
        (lambda p, seen, response, c: p[:, :1], r"plays \(\d+, 1\) in round \d, expected shape"),
        (lambda p, seen, response, c: None, "returned None"),
        (lambda p, seen, response, c: p * 0.5 + _noise(p), "pure function"),
        (lambda p, seen, response, c: c.colour, "colour is not a known constant"),
    ],
)
def test_what_is_no_learner_is_refused(step: Callable[..., object], message: str) -> None:
    claim = find("aaggff/T5.2@printed")
    assert claim.algorithm is not None
    verdict = check_claim(replace(claim, algorithm=claim.algorithm._replace(step=step)), ALL)
    assert verdict.status == "inapplicable"
    assert verdict.broken
    assert re.search(message, verdict.reason), verdict.reason


def _noise(p: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng().uniform(0.1, 1, p.shape)
    return noise / noise.sum(axis=1, keepdims=True) / 2


def test_a_vertex_may_be_played() -> None:
    first = Learner("first", lambda p, seen, response, c: np.eye(p.shape[1])[np.zeros(len(p), dtype=int)])
    assert StaticRegret().simulate(first, ALL, 0, np.arange(2))[0] > 0


def test_a_learner_for_another_loss_is_not_given_the_wrong_total() -> None:
    """Linear and log growth losses of the same decisions differ, whatever fast ways there are."""
    learner = entropic_ftrl(loss_gradient(LINEAR))
    linear, growth = (StaticRegret(loss).simulate(learner, ALL, 0, np.arange(1))[0] for loss in (LINEAR, LOG_GROWTH))
    exact = [to_float(StaticRegret(loss).exact(learner, ALL, BALL)) for loss in (LINEAR, LOG_GROWTH)]
    assert [linear, growth] == pytest.approx(exact, abs=1e-12)
    assert linear != pytest.approx(growth, abs=1e-3)


def test_a_learner_that_remembers_how_often_it_was_asked_gets_no_verdict() -> None:
    """Its first rounds look pure; the whole game played twice does not."""
    asked = [0]

    def step(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        asked[0] += 1
        return np.eye(p.shape[1])[np.full(len(p), asked[0] // 700 % 2)]

    claim = find("aaggff/T5.2@printed")
    assert claim.algorithm is not None
    long = Case(ResponseTable(((1, 0), (0, 1)), (500, 500)))
    verdict = check_claim(replace(claim, algorithm=claim.algorithm._replace(step=step)), long)
    assert verdict.status == "inapplicable"
    assert verdict.broken


def test_what_a_play_lacks_to_one_is_no_regret() -> None:
    """Where all clients answer alike every decision is worth the same, in whatever floats it comes."""
    claim = find("aaggff/T5.2-half@strengthened")
    assert claim.algorithm is not None
    game = Case(ResponseTable((("5/4", "5/4", "5/4"),), (3000,), "5/4", 1))
    for dtype in (np.float16, np.float32, np.float64):

        def step(
            p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants, kind: type[np.floating] = dtype
        ) -> np.ndarray:
            return np.full(p.shape, 1 / 3).astype(kind)

        verdict = check_claim(replace(claim, algorithm=claim.algorithm._replace(step=step)), game)
        if verdict.status == "inapplicable":
            assert verdict.broken  # its sum is not 1
            continue
        assert verdict.status == "holds"
        assert verdict.measured == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("T5.2-half@strengthened", AdaptiveResponses("least", 3, 50, "100000000000001/100000000", 10**6)),
        ("C5.3-vertex@corrected", RANGE_OF_NO_WIDTH),
    ],
)
def test_ranges_that_floats_hardly_tell_apart_are_not_judged_in_floats(name: str, game: OnlineGame) -> None:
    verdict = check_claim(find(f"aaggff/{name}"), Case(game))
    assert verdict.status == "inconclusive"
    assert "too narrow for floats" in verdict.reason


def test_a_range_of_no_width_is_judged_in_balls_where_the_rounds_are_few() -> None:
    """With one client a round the gradients are 0, up to the rounding of their balls: there is one course."""
    few = replace(RANGE_OF_NO_WIDTH, counts_of=(200,))
    verdict = check_claim(find("aaggff/C5.3-vertex@corrected"), Case(few))
    assert (verdict.status, verdict.evidence) == ("holds", "exact")


def test_a_violated_lower_bound_is_printed_the_right_way_round() -> None:
    verdict = check_claim(find("aaggff/A.10@printed"), find("aaggff/A.10@printed").cases[0])
    assert verdict.side == "lower"
    assert " < limit " in str(verdict)
