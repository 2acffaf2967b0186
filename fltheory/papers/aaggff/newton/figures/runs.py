"""Shared parts of AAggFF's figures: learners with their constants, regrets as numbers, and bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import arb
from sympy import Expr, Symbol

from fltheory.claims.claim import Claim
from fltheory.games.environment import OnlineGame
from fltheory.games.hindsight import best_decision
from fltheory.games.losses import LOG_GROWTH
from fltheory.games.play import simulate_rounds
from fltheory.games.player import Learner
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import BALL, Number, evaluate_to_precision, to_ball, to_float
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.entropic.claims.entropic import rate_tuning
from fltheory.papers.aaggff.instances.games import case_at
from fltheory.papers.aaggff.newton.claims.newton import REGRET
from fltheory.problems.responses import Oblivious

L_STEP, H_STEP = rate_tuning(bounds.L), rate_tuning(bounds.H)
BITS = 30  # of a regret in balls
NOTE_EXACT, NOTE_FLOATS = "exact", "float64"


def case_with_tuning(game: OnlineGame, tuning: tuple[tuple[Symbol, Expr], ...], **settings: Number | str) -> Case:
    """Return a game with the learner constants of a tuning."""
    return Claim("aaggff/figure", "", (bounds.T52,), tuning=tuning).prepared(Case(game, **settings))


def printed_case(game: OnlineGame) -> Case:
    """Return a game with AAggFF-S's constants as printed: alpha = 4 K L, beta = 1/(4 L)."""
    return case_with_tuning(game, bounds.NEWTON)


def in_window(game: OnlineGame) -> Case:
    """Return the same with beta slightly below the end of the curvature window."""
    return case_at(game, dict(printed_case(game).settings)["learner_regularisation"])


def bound_value(bound: Bound, case: Case) -> float:
    """Return the bound as a float."""
    return to_float(bound.ball(case.constants))


def trivial_bound(case: Case) -> float:
    """Return T log(1 + V), the trivial bound of the regret."""
    value = REGRET.trivial(case)
    assert value is not None
    return to_float(to_ball(value))


def regret_enclosure(learner: Learner, case: Case) -> float:
    """Return the regret of a game with full participation, in balls."""

    def found() -> arb:
        value: arb = REGRET.exact(learner, case, BALL)
        return value

    return to_float(evaluate_to_precision(found, BITS))


def regret(learner: Learner, case: Case) -> float:
    """Return the regret of a game with full participation, in floats."""
    return float(REGRET.simulate(learner, case, 0, np.arange(1))[0])


def regret_path(learner: Learner, case: Case, rounds: Sequence[int]) -> list[float]:
    """Return the regret after each number of rounds of one game, relative to the best decision until then.

    This is for learners that do not use the length of the game.
    """
    game = case.instance
    assert isinstance(game, Oblivious)
    paid = np.cumsum(-np.log1p((decisions(learner, case)[0] * game.table[game.order]).sum(axis=1)))
    found = []
    for t in rounds:
        counts = np.bincount(game.order[:t], minlength=len(game.table))
        best, _ = best_decision(game.table, counts, LOG_GROWTH)
        found.append(float(paid[t - 1] - counts @ LOG_GROWTH.value(best, game.table)))
    return found


def decisions(learner: Learner, case: Case, runs: int = 1) -> np.ndarray:
    """Return the decisions in every round, (runs, rounds, clients)."""
    return np.stack([turn.p for turn in simulate_rounds(learner, case, 0, np.arange(runs))], axis=1)


def positive_part(values: Sequence[float]) -> np.ndarray:
    """Hide negative regrets, which a logarithmic axis cannot show."""
    found = np.asarray(values, float)
    return np.where(found > 0, found, np.nan)
