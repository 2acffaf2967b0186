"""Samplers, learners and rules that try to be judged as another: no verdict, or that of what they do; never "holds"."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.games.dynamic_regret import DynamicRegret
from fltheory.games.player import Learner
from fltheory.model.case import Case
from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.algorithms import osmd, step
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.problems.responses import ResponseTable
from fltheory.runs.constants import Constants
from fltheory.runs.step_rule import auto_tuned, auto_tuned_step
from fltheory.symbols import sampler_rate
from fltheory.verification import find

CALLS, LIMIT = [0], [0]
Told = Callable[..., bool]


def by_rows(rows: int, *_: object) -> bool:
    return rows > 2


def by_many_rows(rows: int, *_: object) -> bool:
    return rows >= 50


def by_calls(*_: object) -> bool:
    CALLS[0] += 1
    return CALLS[0] % 7 >= 5


def late(*_: object) -> bool:
    CALLS[0] += 1
    return CALLS[0] > LIMIT[0]


def by_module(*_: object) -> bool:
    frame: FrameType | None = sys._getframe()
    while frame is not None and not frame.f_globals.get("__name__", "").endswith(".purity"):
        frame = frame.f_back
    return frame is None


EVIL = [by_rows, by_many_rows, by_calls, late, by_module]


def sampler(told: Told | None) -> tuple[Claim, Case]:
    """Online mirror descent of the feedback; told, of the feedback turned round, which violates the tight bound."""

    def mine(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
        turn = -1 if told is None or told(len(p)) else 1
        return step(p, counts[:, ::turn], feedback[:, ::turn], c)

    tight = (bounds.C7.scaled("1/8"),)
    claim = Claim(
        "osmd/tight", "", tight, DynamicRegret(), osmd._replace(step=mine), tuning=((sampler_rate, bounds.ETA),)
    )
    return claim, Case(FeedbackTable(((1, 0),), comparator="fixed", repeat=40))


def learner(told: Told | None) -> tuple[Claim, Case]:
    """Exponentiated gradient; told, it stays, and loses as much every round."""

    def mine(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        if told is None or told(len(p)):
            return p
        weights = p * np.exp(0.1 * response)
        return weights / weights.sum(axis=1, keepdims=True)

    claim = find("aaggff/T5.2@printed")
    assert claim.algorithm is not None
    return replace(claim, algorithm=claim.algorithm._replace(step=mine)), Case(ResponseTable(((1, 0, 0, 0),), (300,)))


def rule(told: Told | None) -> tuple[Claim, Case]:
    """The rule of the paper; told, a hundred times the step."""

    def mine(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
        new = auto_tuned_step(lr, ratio, reach, c)
        return 100 * new if told is None or told(len(lr)) else new

    claim = find("delta_sgd/V-one@corrected")
    return replace(claim, algorithm=auto_tuned._replace(step=mine)), claim.cases[0]


@pytest.mark.parametrize("kind", [sampler, learner, rule], ids=lambda f: f.__name__)
def test_what_is_hidden_would_be_violated(kind: Callable[[Told | None], tuple[Claim, Case]]) -> None:
    honest, evil = kind(lambda *_: False), kind(None)
    assert check_claim(*honest).status == "holds"
    assert check_claim(*evil).status == "violated"


@pytest.mark.parametrize("told", EVIL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", [sampler, learner, rule], ids=lambda f: f.__name__)
def test_no_player_is_judged_as_another(kind: Callable[[Told | None], tuple[Claim, Case]], told: Told) -> None:
    CALLS[0], LIMIT[0] = 0, 10**9
    check_claim(*kind(late))  # as it never comes
    CALLS[0], LIMIT[0] = 0, CALLS[0] // 2
    claim, case = kind(told)
    verdict = check_claim(claim, case)
    assert verdict.evidence != "exact"
    assert verdict.status in ("inapplicable", "violated")


def test_the_one_game_of_a_learner_of_one_s_own_is_followed_in_floats() -> None:
    """It is not simulated, and the reason doesn't call the file by its name twice."""
    claim = find("aaggff/T5.2@printed")
    assert isinstance(claim.algorithm, Learner)

    def damped(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        q = p * np.exp(np.log1p(response) / np.sqrt(c.n_rounds))
        return np.asarray(q / q.sum(axis=1, keepdims=True))

    game = ResponseTable(((1, 0), (0, 1)), (2, 1), high=1)
    verdict = check_claim(replace(claim, algorithm=Learner("mine", damped)), Case(game))
    assert verdict.evidence == "sampled", str(verdict)
    assert "the learner has no exact version and returns floats: followed in floats" in verdict.reason
