"""Static regret of online learners: total loss minus that of the best fixed decision in hindsight."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from flint import arb

from fltheory import symbols
from fltheory.games.environment import OnlineGame
from fltheory.games.hindsight import best_decision, least_loss, least_loss_in_floats, require_small_gap
from fltheory.games.hindsight import smallest_ball as least_of
from fltheory.games.learners import Gradient
from fltheory.games.losses import LOG_GROWTH, DecisionLoss
from fltheory.games.play import GameRound, enumerate_rounds, simulate_rounds
from fltheory.games.player import ImpreciseState, Learner
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import BALL, NotRational, Number, Ring, to_ball, to_float, upper_float
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.measures import NUMBER, GameMeasure, evaluate_in_case
from fltheory.runs.method import NotEnumerable

IN_BALLS = 2_000_000  # largest product of clients and rounds of a game in balls without a closed form
BRANCHES = 20_000  # largest number of branches of a game to enumerate, in balls
FLOAT_BRANCHES = 400_000  # the same, in floats
FLOAT_ERROR = 1e-9  # error of floats relative to the largest regret
NARROW = 1e-6  # smallest relative width (C2 - C1) / (1 + C2) of the responses for which floats are used


@lru_cache(maxsize=256)
def best_in_hindsight(game: Any, loss: DecisionLoss) -> tuple[np.ndarray, float, float]:
    """Return the best fixed decision of an oblivious game (clients,), its loss in floats, and its optimality gap."""
    p, gap = best_decision(game.table, game.counts, loss)
    return p, float(np.dot(game.counts, loss.value(p, game.table))), gap


def has_random_participation(case: Case) -> bool:
    """Return whether the participating clients are random."""
    game: OnlineGame = case.instance
    return bool(game.n_participating < game.n_clients)


def require_wide_range(case: Case) -> None:
    """Raise NotEnumerable if the range of the responses is too narrow for floats."""
    low, high = case.constants[symbols.response_low], case.constants[symbols.response_high]
    if to_float(high - low) < NARROW * (1 + to_float(high)):
        raise NotEnumerable(f"the range [{low}, {high}] of the responses is too narrow for floats")


def rounding_error_bound(case: Case, size: float = 1.0) -> float:
    """Bound the float error of a sum over the rounds of quantities of this size."""
    c = case.constants
    T, K, high = int(c[symbols.n_rounds]), int(c[symbols.n_clients]), to_float(c[symbols.response_high])
    return T * (K + 16 + T * math.log1p(high)) * 2.0**-52 * size


@dataclass(frozen=True)
class StaticRegret(GameMeasure):
    """The regret sum_t l_t(p_t) - min_p sum_t l_t(p), (5), or its expectation if the participating clients are random.

    ``exact`` plays or enumerates in balls, ``in_floats`` enumerates any learner in floats, and ``simulate`` plays.
    The comparator is the best decision for the game's responses, or for those of the path if the adversary adapts.
    """

    loss: DecisionLoss = LOG_GROWTH
    name: str = "static regret"
    dimension: Dimension = NUMBER
    of_any_algorithm: bool = True

    def is_random(self, case: Case) -> bool:
        """Return whether runs may differ."""
        return has_random_participation(case)

    def exact(self, learner: Learner, case: Case, ring: Ring) -> arb:
        """Return the regret as a ball; NotEnumerable without an exact version or with too many paths."""
        if ring is not BALL:
            raise NotRational
        game: Any = case.instance
        if learner.exact is None:
            raise NotEnumerable("the learner has no exact version and returns floats")
        if not game.oblivious:
            raise NotEnumerable("the adversary needs floats")
        try:
            paid = self._total_loss(learner.exact, case)
        except ImpreciseState:
            return arb.nan()  # asks for more precision
        best = best_in_hindsight(game, self.loss)[0]
        return paid - least_loss(game.rows_in(BALL), game.counts, self.loss, best)

    def _total_loss(self, twin: Learner, case: Case) -> arb:
        if not self.is_random(case):
            fast = twin.kernel(case) if twin.kernel is not None and self.loss == LOG_GROWTH else None
            if fast is not None:
                return fast
            game: OnlineGame = case.instance
            if game.n_clients * game.n_rounds > IN_BALLS:
                raise NotEnumerable(f"more than {IN_BALLS} clients times rounds")
            return sum(
                (self.loss.value(t.p, t.answer)[0] for t in simulate_rounds(twin, case, 0, np.arange(1), BALL)), arb(0)
            )
        courses = enumerate_rounds(twin, case, BALL, BRANCHES)
        return sum(((w * self.loss.value(t.p, t.answer)).sum() for w, t in courses), arb(0))

    def in_floats(self, learner: Learner, case: Case) -> tuple[float, float]:
        """Enclose the expected regret between two floats by enumeration; NotEnumerable with too many paths."""
        game: Any = case.instance
        if not game.oblivious:
            raise NotEnumerable("the comparator differs from path to path")
        require_wide_range(case)
        paid = 0.0
        for weights, turn in enumerate_rounds(learner, case, None, FLOAT_BRANCHES):
            paid += float((weights * self.loss.value(turn.p, turn.answer)).sum())
        _, best, gap = best_in_hindsight(game, self.loss)
        off = self.float_error(case)
        return paid - best - off, paid - best + gap + off

    def simulate(self, player: Learner, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return the regrets of simulated games, (repetitions,); NotEnumerable if floats are too inaccurate."""
        require_wide_range(case)
        game: Any = case.instance
        least = 0.0
        if game.oblivious:
            _, least, gap = best_in_hindsight(game, self.loss)
            require_small_gap(game.table, game.counts, gap)
        if player.kernel is not None and game.oblivious:
            fast = player.kernel(case, seed, repetitions, self.loss)
            if fast is not None:
                return np.asarray(fast - least)
        paid = np.zeros(len(repetitions))
        answers = []
        for turn in simulate_rounds(player, case, seed, repetitions):
            paid += self.loss.value(turn.p, turn.answer)
            if not game.oblivious:
                answers.append(turn.answer)
        if game.oblivious:
            return paid - least
        own, ones = np.stack(answers, axis=1), np.ones(game.n_rounds)
        return paid - np.array([least_loss_in_floats(rows, ones, self.loss) for rows in own])

    def float_error(self, case: Case) -> float:
        """Bound the float error of a regret."""
        high = to_float(case.constants[symbols.response_high])
        return FLOAT_ERROR * self.span(case)[1] + rounding_error_bound(
            case, 1.0 if self.loss == LOG_GROWTH else 1 + high
        )

    def span(self, case: Case) -> tuple[float, float]:
        """Return a range that contains the regret."""
        most = upper_float(to_ball(self.trivial(case)))
        return -most, most

    def trivial(self, case: Case) -> Number | None:
        """Return T times the largest difference of losses in a round."""
        return evaluate_in_case(self.trivial_formula(), case)

    def trivial_formula(self) -> sympy.Expr:
        return symbols.n_rounds * self.loss.spread


@dataclass(frozen=True)
class LinearisedRegret(GameMeasure):
    """The linearised regret max_p sum_t <g_t, p_t - p>, where g_t is the loss gradient at p_t or an estimate."""

    gradient: Gradient
    name: str = "linearised regret"
    dimension: Dimension = NUMBER

    def is_random(self, case: Case) -> bool:
        """Return whether runs may differ."""
        return has_random_participation(case)

    def exact(self, learner: Learner, case: Case, ring: Ring) -> arb:
        """Return the value as a ball if all clients take part."""
        if ring is not BALL:
            raise NotRational
        if learner.exact is None or self.is_random(case):
            raise NotEnumerable(f"{learner.name} has no single game in balls")
        try:
            turns = simulate_rounds(learner.exact, case, 0, np.arange(1), BALL)
            return linearised_regret(self.gradient, map(_visible_responses, turns), run_constants(case, BALL))[0]
        except ImpreciseState:
            return arb.nan()  # asks for more precision

    def simulate(self, player: Learner, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return one value for every simulated path."""
        require_wide_range(case)
        turns = simulate_rounds(player, case, seed, repetitions)
        return linearised_regret(self.gradient, map(_visible_responses, turns), run_constants(case, None))

    def float_error(self, case: Case) -> float:
        """Bound the float error of the value."""
        c = case.constants
        share = to_float(c[symbols.n_participating]) / to_float(c[symbols.n_clients])
        size = (1 + to_float(c[symbols.response_high])) / (1 + to_float(c[symbols.response_low])) / share
        return rounding_error_bound(case, 4 * size)

    def trivial(self, case: Case) -> Number | None:
        """Return None for estimates, which have no known range."""
        return None


def _visible_responses(turn: GameRound) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return turn.p, turn.seen, np.where(turn.seen > 0, turn.answer, 0)


def linearised_regret(
    gradient: Gradient, turns: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]], c: Constants
) -> np.ndarray:
    """Compute max_p sum_t <g_t, p_t - p> for every seed, from rounds of (p, seen, responses of observed clients)."""
    paid: np.ndarray | int = 0
    total: np.ndarray | int = 0
    for p, seen, response in turns:
        g = gradient(p, seen, response, c)
        paid, total = paid + (g * p).sum(axis=1), total + g
    return np.asarray(paid - np.array([_lowest(row) for row in np.asarray(total)]))


def _lowest(row: np.ndarray) -> Any:
    return least_of(row) if row.dtype == object else row.min()
