"""Games that are not what they say: answers out of their range, answers that depend on what is played, other tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.games.environment import require_answers_in_range
from fltheory.games.player import Learner, Sampler, valid_play
from fltheory.games.round_checks import dependence_on_plays, table_mismatch
from fltheory.games.static_regret import StaticRegret
from fltheory.model.case import Case
from fltheory.number import BALL, Ring
from fltheory.papers.aaggff.algorithms import aaggff_d_exact, aaggff_s
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.problems.responses import AdaptiveResponses, ResponseTable
from fltheory.runs.method import AssumptionFailed, VariantError

TABLE = ResponseTable(((1, 0), (0, 1), ("1/2", 1)), (1, 1, 1))
FEEDBACK = FeedbackTable(((1, 0), (0, 1)), 1, "9/10", "fixed", repeat=4)


@dataclass(frozen=True, repr=False)
class Wild(ResponseTable):
    """One response above the range, in one round."""

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        values, memory = super().reveal(round_, p, memory, ring)
        return values + (2 if round_ == 1 else 0), memory


@dataclass(frozen=True, repr=False)
class Sly(FeedbackTable):
    """The client that is played most has all the feedback."""

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        return (p >= p.max(axis=1, keepdims=True)) * 1.0, memory


@dataclass(frozen=True, repr=False)
class Dear(FeedbackTable):
    """More feedback than the constants say."""

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        values, memory = super().reveal(round_, p, memory, ring)
        return values * 3, memory


def test_games_with_fixed_answers_are_seen() -> None:
    assert dependence_on_plays(TABLE) is None
    assert table_mismatch(TABLE) is None
    assert dependence_on_plays(FEEDBACK) is None
    assert "round" in str(dependence_on_plays(AdaptiveResponses("least", 3, 5)))
    assert dependence_on_plays(Sly(FEEDBACK.feedback, 1, "9/10", "fixed", repeat=4)) == (
        "the answers of the clients in round 0 depend on the plays"
    )
    assert (
        table_mismatch(Wild(TABLE.responses, (1, 1, 1)))
        == "the answers of round 1 are not those of the game's own table"
    )


def copy(name: str) -> Any:
    """The claim with a copy of its algorithm's step, which no twin or compiled game stands for."""
    claim = find(name)
    algorithm = claim.algorithm
    assert isinstance(algorithm, Learner | Sampler)
    return replace(claim, algorithm=algorithm._replace(step=algorithm.step, init=algorithm.init, play=algorithm.play))


def test_a_response_out_of_its_range_is_told() -> None:
    claim = copy("aaggff/T5.2@explicit")
    own = check_claim(claim, Case(TABLE, learner_scale=2))
    assert own.status in ("holds", "vacuous"), str(own)
    verdict = check_claim(claim, Case(Wild(TABLE.responses, (1, 1, 1)), learner_scale=2))
    assert (verdict.status, verdict.broken) == ("inapplicable", False)
    assert "round 1, client 0: the response 2" in verdict.reason
    assert "is not in the range" in verdict.reason


@pytest.mark.parametrize("learner", [aaggff_s, aaggff_d_exact], ids=["newton", "entropic"])
def test_a_game_that_reveals_in_its_own_way_is_played(learner: Learner) -> None:
    """No closed form and no compiled game goes by the table of a game that answers otherwise."""
    case = Case(Wild(((1, 0), (0, 1)), (2, 3)), learner_scale=1, learner_regularisation=8, learner_curvature="1/4")
    with pytest.raises(AssumptionFailed, match="round 1, client 0: the response"):
        StaticRegret().exact(learner, case, BALL)
    with pytest.raises(AssumptionFailed, match="round 1, client 0: the response"):
        StaticRegret().simulate(learner, case, 0, np.arange(2))


def test_feedback_that_is_not_fixed_or_too_much_is_told() -> None:
    claim = copy("osmd/C-P13@strengthened")
    arguments = (FEEDBACK.feedback, 1, "9/10", "fixed")
    assert check_claim(claim, Case(FeedbackTable(*arguments, repeat=4), sampler_rate="1/20")).status in (
        "holds",
        "vacuous",
    )
    sly = check_claim(claim, Case(Sly(*arguments, repeat=4), sampler_rate="1/20"))
    assert "a game with fixed feedback: the answers of the clients in round 0 depend" in sly.reason
    dear = check_claim(claim, Case(Dear(*arguments, repeat=4), sampler_rate="1/20"))
    assert (dear.status, dear.broken) == ("inapplicable", False)
    assert "round 0, client 0: the feedback 3.0 is not in the range 0 to 1" in dear.reason


def test_ranges_in_floats_and_in_balls() -> None:
    require_answers_in_range("response", np.array([[0.0, 1 + 1e-12]]), 0.0, 1.0, 0)
    require_answers_in_range("response", np.array([[arb(0, 0.1), arb(1, 0.1)]]), arb(0), arb(1), 0)
    for values in ([[0.5, 1.1]], [[-0.1, 0.0]], [[np.nan, 0.0]], [[np.inf, 0.0]]):
        with pytest.raises(AssumptionFailed, match="round 3, client"):
            require_answers_in_range("response", np.array(values), 0.0, 1.0, 3)
    with pytest.raises(AssumptionFailed, match="client 1"):
        require_answers_in_range("response", np.array([[arb(0), arb(2)]]), arb(0), arb(1), 0)


@pytest.mark.parametrize(
    ("row", "words"), [((2, -1), "a negative probability"), ((arb("0.5"), arb("0.6")), "whose sum is not 1")]
)
def test_a_twin_in_balls_plays_distributions(row: tuple[object, ...], words: str) -> None:
    p = np.empty((1, 2), dtype=object)
    p[0] = [arb(v) for v in row]
    twin = Sampler("mine", lambda *_: p, lambda n, c: p)
    sizes = type("C", (), {"n_clients": 2})()
    with pytest.raises(VariantError, match=words):
        valid_play(twin, p, sizes, 1, 0, BALL)
    p[0] = [arb("0.25"), arb("0.75")]
    assert valid_play(twin, p, sizes, 1, 0, BALL) is p
