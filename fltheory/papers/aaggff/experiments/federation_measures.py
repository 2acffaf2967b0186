"""Measures of federations: regret on the responses that a run itself produces, and comparisons of methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from flint import arb

from fltheory.evidence.sequential import steps_per_run
from fltheory.games.hindsight import best_decision, least_loss
from fltheory.games.learners import Gradient
from fltheory.games.losses import LOG_GROWTH
from fltheory.games.player import ImpreciseState, Learner
from fltheory.games.static_regret import linearised_regret, require_wide_range, rounding_error_bound
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import BALL, NotRational, Number, Ring, to_float
from fltheory.papers.aaggff import notation
from fltheory.papers.aaggff.algorithms import doubly_robust_gradient
from fltheory.papers.aaggff.experiments import studies as experiments
from fltheory.papers.aaggff.experiments.federation import (
    RunPath,
    by_learner,
    federate,
    played_loss,
    played_regret,
    run_path,
    used_loss,
)
from fltheory.papers.aaggff.instances.federation import Federation, LogisticFederation, QuadraticFederation
from fltheory.runs.constants import run_constants
from fltheory.runs.measures import NUMBER, GameMeasure, evaluate_in_case
from fltheory.runs.method import NotEnumerable
from fltheory.work import TRAINING_ROUNDS_PER_UNIT, spend

IN_BALLS = 600  # the largest clients times rounds of a federation that runs in balls
NARROW = 1e-9  # the largest radius of a response in balls before the precision is increased


def _federation(case: Case[Federation]) -> Federation:
    game = case.instance
    return game


@lru_cache(maxsize=64)
def run_of(learner: Learner, case: Case) -> RunPath:
    """Return the one run of a federation with its own seed."""
    game = _federation(case)
    seed, only = int(game.seed), np.arange(1)
    c = run_constants(case, None)
    server = by_learner(learner, game.transform)
    return run_path(federate(server, game.clients(seed, only), game.plan(), c, seed, only), c, game.transform)


def run_in_balls(learner: Learner, case: Case) -> RunPath:
    """Return the same in balls at the working precision, for quadratic clients who all take part."""
    game = _federation(case)
    if learner.exact is None:
        raise NotEnumerable(f"{learner.name} has no exact version")
    if not isinstance(game, QuadraticFederation) or game.n_participating < game.n_clients:
        raise NotEnumerable("only quadratic clients who all take part run in balls")
    if game.n_clients * game.n_rounds > IN_BALLS:
        raise NotEnumerable(f"more than {IN_BALLS} clients times rounds")
    c, only = run_constants(case, BALL), np.arange(1)
    server = by_learner(learner.exact, game.transform, BALL)
    rounds = federate(server, game.clients(0, only, BALL), game.plan(BALL), c, 0, only, BALL)
    return run_path(rounds, c, game.transform)


class _OwnRun(GameMeasure):
    """A measure of the one run of a federation with its own seed. Subclasses define ``_of`` and ``_in_balls``."""

    name: str
    dimension: Dimension = NUMBER
    of_any_algorithm: bool = True

    def is_random(self, case: Case) -> bool:
        """Return False: the instance has its own seed."""
        return False

    def exact(self, learner: Learner, case: Case, ring: Ring) -> Any:
        """Return the value as a ball, for quadratic clients who all take part."""
        if ring is not BALL:
            raise NotRational
        try:
            return self._in_balls(run_in_balls(learner, case))
        except ImpreciseState:
            return arb.nan()  # the precision is increased

    def simulate(self, player: Learner, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return the value for the one run, (1,)."""
        require_wide_range(case)
        spend(steps_per_run(case) / TRAINING_ROUNDS_PER_UNIT)
        return self._of(run_of(player, case), case)

    def float_error(self, case: Case) -> float:
        """Return an error bound for the value in floats."""
        c = case.constants
        share = to_float(c[notation.m]) / to_float(c[notation.K])
        return rounding_error_bound(case, 4 * (1 + to_float(c[notation.C2])) / share)

    def trivial(self, case: Case) -> Number | None:
        """Return T times the largest difference of the losses of two decisions in a round."""
        return evaluate_in_case(self.trivial_formula(), case)

    def trivial_formula(self) -> sympy.Expr:
        return notation.T * LOG_GROWTH.spread

    def _of(self, run: RunPath, case: Case) -> np.ndarray:
        raise NotImplementedError

    def _in_balls(self, run: RunPath) -> arb:
        raise NotEnumerable(f"{self.name} is only simulated")


@dataclass(frozen=True)
class RecordedRegret(_OwnRun):
    """The regret (5) of the decisions of a federation on the responses that they produce."""

    name: str = "static regret on own responses"

    def _of(self, run: RunPath, case: Case) -> np.ndarray:
        return played_regret(run)

    def _in_balls(self, run: RunPath) -> arb:
        rows, ones = run.responses[:, 0], np.ones(len(run.responses), dtype=np.int64)
        if any(not v.is_finite() or v.rad() > NARROW for v in rows.flat):
            raise ImpreciseState("the responses are too wide")
        near = np.array([[float(v.mid()) for v in row] for row in rows])
        best = best_decision(near, ones, LOG_GROWTH)[0]
        return played_loss(run)[0] - least_loss(rows, ones.tolist(), LOG_GROWTH, best)


@dataclass(frozen=True)
class UsedLess(_OwnRun):
    """The loss of p^(t+1), which moves the model in round t, minus that of p^(t), to which the theorems refer."""

    name: str = "Σ l_t(p_(t+1)) - Σ l_t(p_t) on own responses"

    def _of(self, run: RunPath, case: Case) -> np.ndarray:
        return used_loss(run) - played_loss(run)

    def _in_balls(self, run: RunPath) -> arb:
        return (used_loss(run) - played_loss(run))[0]


@dataclass(frozen=True)
class RecordedEstimates(_OwnRun):
    """max over p of sum_t <g_t, p_t - p> with an estimate g of the gradient."""

    gradient: Gradient = doubly_robust_gradient
    name: str = "linearised regret of the estimates on own responses"

    def _of(self, run: RunPath, case: Case) -> np.ndarray:
        rounds = zip(run.decisions, run.seen, run.responses, strict=False)
        return linearised_regret(self.gradient, rounds, run_constants(case, None))

    def trivial(self, case: Case) -> Number | None:
        """Return None: there is no trivial bound for estimates."""
        return None

    def trivial_formula(self) -> None:
        return None


Event = Callable[[experiments.Outcome, tuple[experiments.Outcome, ...]], np.ndarray]


@dataclass(frozen=True)
class Chance(GameMeasure):
    """P(an event of the outcomes of the learner and of its rivals) in a fresh run, data included.

    All methods train on the same data, with the same clients in every round.
    """

    name: str
    event: Event
    rivals: tuple[str, ...]
    dimension: Dimension = NUMBER
    of_any_algorithm: bool = True

    def exact(self, learner: Learner, case: Case, ring: Ring) -> Any:
        """Raise NotEnumerable: the data are Gaussian."""
        raise NotEnumerable(f"{self.name} is only simulated")

    def simulate(self, learner: Learner, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return 1 if the event occurs, else 0, (repetitions,)."""
        spend(len(repetitions) * steps_per_run(case) / TRAINING_ROUNDS_PER_UNIT)
        runs = tuple(repetitions.tolist())
        own = experiments.of_learner(learner, case, seed, runs)
        federation: LogisticFederation = case.instance
        others = tuple(experiments.of_rival(name, federation, seed, runs) for name in self.rivals)
        return self.event(own, others).astype(float)

    def span(self, case: Case) -> tuple[float, float]:
        return 0.0, 1.0

    def trivial(self, case: Case) -> Number | None:
        """Return None: there is no trivial bound."""
        return None
