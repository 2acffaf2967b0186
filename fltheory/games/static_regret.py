"""Static regret of online learners: total loss less that of the best fixed decision in hindsight."""

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
from fltheory.games.hindsight import best_decision, least_in_floats, least_loss, require_known
from fltheory.games.hindsight import least as least_of
from fltheory.games.learners import Gradient
from fltheory.games.losses import LOG_GROWTH, DecisionLoss
from fltheory.games.play import Round, enumerated, played
from fltheory.games.player import Blurred, Learner
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import BALL, NotRational, Number, Ring, to_ball, to_float, upper_float
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.measures import NUMBER, OfGame, value_of
from fltheory.runs.method import NotEnumerable

IN_BALLS = 2_000_000  # clients times rounds of a game in balls at most, where there is no closed form
BRANCHES = 20_000  # branches of a game that are enumerated at most, in balls
FLOAT_BRANCHES = 400_000  # in floats
BUDGET = 1e-9  # error of floats relative to the largest regret
NARROW = 1e-6  # width of the range over 1 + C2 below which floats are not used


@lru_cache(maxsize=256)
def hindsight(game: Any, loss: DecisionLoss) -> tuple[np.ndarray, float, float]:
    """The best fixed decision of an oblivious game (clients,), its loss in floats, and how far from the least it can be."""
    p, gap = best_decision(game.table, game.counts, loss)
    return p, float(np.dot(game.counts, loss.value(p, game.table))), gap


def some_take_part(case: Case) -> bool:
    """Whether the clients that take part are drawn."""
    game: OnlineGame = case.instance
    return bool(game.n_participating < game.n_clients)


def require_wide(case: Case) -> None:
    """NotEnumerable where the range of the responses is so narrow that floats hardly tell them apart."""
    low, high = case.constants[symbols.response_low], case.constants[symbols.response_high]
    if to_float(high - low) < NARROW * (1 + to_float(high)):
        raise NotEnumerable(f"responses in [{low}, {high}] can't be told apart well enough in floats")


def rounding(case: Case, size: float = 1.0) -> float:
    """How far a sum over the rounds of quantities of this size may be off in floats."""
    c = case.constants
    T, K, high = int(c[symbols.n_rounds]), int(c[symbols.n_clients]), to_float(c[symbols.response_high])
    return T * (K + 16 + T * math.log1p(high)) * 2.0**-52 * size


@dataclass(frozen=True)
class StaticRegret(OfGame):
    """sum_t l_t(p_t) - min_p sum_t l_t(p), (5); in expectation where the clients that take part are drawn.

    ``exact`` plays or enumerates in balls, ``in_floats`` enumerates any learner in floats; ``simulate`` plays. The
    comparator is the best of the game's responses; against an adversary that adapts, of those of the path.
    """

    loss: DecisionLoss = LOG_GROWTH
    name: str = "static regret"
    dimension: Dimension = NUMBER
    of_any_algorithm: bool = True

    def is_random(self, case: Case) -> bool:
        """Whether runs differ."""
        return some_take_part(case)

    def exact(self, learner: Learner, case: Case, ring: Ring) -> arb:
        """The regret as a ball; NotEnumerable without a twin in balls or with too many courses."""
        if ring is not BALL:
            raise NotRational
        game: Any = case.instance
        if learner.exact is None:
            raise NotEnumerable("a learner without a twin in balls answers in floats")
        if not game.oblivious:
            raise NotEnumerable("the adversary looks at floats")
        try:
            paid = self._paid(learner.exact, case)
        except Blurred:
            return arb.nan()  # asks for more precision
        best = hindsight(game, self.loss)[0]
        return paid - least_loss(game.rows_in(BALL), game.counts, self.loss, best)

    def _paid(self, twin: Learner, case: Case) -> arb:
        if not self.is_random(case):
            fast = twin.kernel(case) if twin.kernel is not None and self.loss == LOG_GROWTH else None
            if fast is not None:
                return fast
            game: OnlineGame = case.instance
            if game.n_clients * game.n_rounds > IN_BALLS:
                raise NotEnumerable(f"more than {IN_BALLS} clients times rounds")
            return sum((self.loss.value(t.p, t.answer)[0] for t in played(twin, case, 0, np.arange(1), BALL)), arb(0))
        courses = enumerated(twin, case, BALL, BRANCHES)
        return sum(((w * self.loss.value(t.p, t.answer)).sum() for w, t in courses), arb(0))

    def in_floats(self, learner: Learner, case: Case) -> tuple[float, float]:
        """The expected regret between two floats, by enumeration in floats; NotEnumerable with too many courses."""
        game: Any = case.instance
        if not game.oblivious:
            raise NotEnumerable("the comparator differs from path to path")
        require_wide(case)
        paid = 0.0
        for weights, turn in enumerated(learner, case, None, FLOAT_BRANCHES):
            paid += float((weights * self.loss.value(turn.p, turn.answer)).sum())
        _, best, gap = hindsight(game, self.loss)
        off = self.float_error(case)
        return paid - best - off, paid - best + gap + off

    def simulate(self, player: Learner, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Regrets of simulated games, (repetitions,); NotEnumerable where floats or the comparator are not good enough."""
        require_wide(case)
        game: Any = case.instance
        least = 0.0
        if game.oblivious:
            _, least, gap = hindsight(game, self.loss)
            require_known(game.table, game.counts, gap)
        if player.kernel is not None and game.oblivious:
            fast = player.kernel(case, seed, repetitions, self.loss)
            if fast is not None:
                return np.asarray(fast - least)
        paid = np.zeros(len(repetitions))
        answers = []
        for turn in played(player, case, seed, repetitions):
            paid += self.loss.value(turn.p, turn.answer)
            if not game.oblivious:
                answers.append(turn.answer)
        if game.oblivious:
            return paid - least
        own, ones = np.stack(answers, axis=1), np.ones(game.n_rounds)
        return paid - np.array([least_in_floats(rows, ones, self.loss) for rows in own])

    def float_error(self, case: Case) -> float:
        """How far a regret in floats may be off."""
        high = to_float(case.constants[symbols.response_high])
        return BUDGET * self.span(case)[1] + rounding(case, 1.0 if self.loss == LOG_GROWTH else 1 + high)

    def span(self, case: Case) -> tuple[float, float]:
        """What the regret lies between, surely."""
        most = upper_float(to_ball(self.trivial(case)))
        return -most, most

    def trivial(self, case: Case) -> Number | None:
        """T times what two decisions can differ by in a round."""
        return value_of(self.trivial_formula(), case)

    def trivial_formula(self) -> sympy.Expr:
        return symbols.n_rounds * self.loss.spread


@dataclass(frozen=True)
class LinearisedRegret(OfGame):
    """max over p of sum_t <g_t, p_t - p>, with g a gradient (of the loss, or an estimate of it) at what was played."""

    gradient: Gradient
    name: str = "linearised regret"
    dimension: Dimension = NUMBER

    def is_random(self, case: Case) -> bool:
        """Whether runs differ."""
        return some_take_part(case)

    def exact(self, learner: Learner, case: Case, ring: Ring) -> arb:
        """Its value as a ball where all clients take part."""
        if ring is not BALL:
            raise NotRational
        if learner.exact is None or self.is_random(case):
            raise NotEnumerable(f"{learner.name} has no one game in balls")
        try:
            turns = played(learner.exact, case, 0, np.arange(1), BALL)
            return linearised(self.gradient, map(_seen_only, turns), run_constants(case, BALL))[0]
        except Blurred:
            return arb.nan()  # asks for more precision

    def simulate(self, player: Learner, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """One value for every simulated path."""
        require_wide(case)
        turns = played(player, case, seed, repetitions)
        return linearised(self.gradient, map(_seen_only, turns), run_constants(case, None))

    def float_error(self, case: Case) -> float:
        """How far its value in floats may be off."""
        c = case.constants
        share = to_float(c[symbols.n_participating]) / to_float(c[symbols.n_clients])
        size = (1 + to_float(c[symbols.response_high])) / (1 + to_float(c[symbols.response_low])) / share
        return rounding(case, 4 * size)

    def trivial(self, case: Case) -> Number | None:
        """Not known for estimates."""
        return None


def _seen_only(turn: Round) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return turn.p, turn.seen, np.where(turn.seen > 0, turn.answer, 0)


def linearised(
    gradient: Gradient, turns: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]], c: Constants
) -> np.ndarray:
    """max over p of sum_t <g_t, p_t - p>, one value a seed, from rounds of (p, seen, response of those seen)."""
    paid: np.ndarray | int = 0
    total: np.ndarray | int = 0
    for p, seen, response in turns:
        g = gradient(p, seen, response, c)
        paid, total = paid + (g * p).sum(axis=1), total + g
    return np.asarray(paid - np.array([_lowest(row) for row in np.asarray(total)]))


def _lowest(row: np.ndarray) -> Any:
    return least_of(row) if row.dtype == object else row.min()
