"""Measures of sampling games: expected dynamic regret, and the regret on estimated losses along every path."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from flint import arb

from fltheory import symbols
from fltheory.games.losses import charged_probabilities, estimated_loss, has_unbounded_loss, sampler_loss
from fltheory.games.play import GameRound, enumerate_rounds, simulate_rounds
from fltheory.games.player import ImpreciseState, Sampler
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import BALL, NotRational, Number, Ring
from fltheory.runs.measures import GRADIENT_SQUARED, GameMeasure, evaluate_in_case
from fltheory.runs.method import NotEnumerable

BRANCHES = 40_000  # branches of a game that are enumerated at most, in balls
FLOAT_BRANCHES = 400_000  # in floats
FLOAT_ERROR = 1e-9  # relative error of enumerated or simulated floats


def comparator_play(round_: GameRound, case: Case) -> np.ndarray:
    """What the comparator plays in a round, (clients,), in the numbers of the round."""
    row: np.ndarray = case.instance.comparator_row(round_.t, BALL if round_.p.dtype == object else None)
    return row


@dataclass(frozen=True)
class DynamicRegret(GameMeasure):
    """E sum_t l_t(p_t) - sum_t l_t(q_t) (18), where p is the sampler's and q the comparator's play.

    ``exact`` enumerates the draws in balls, ``in_floats`` in floats (any sampler); ``simulate`` plays.
    """

    name: str = "E Σ l_t(p_t) - Σ l_t(q_t)"
    dimension: Dimension = GRADIENT_SQUARED
    has_lower_limit = True

    def exact(self, sampler: Sampler, case: Case, ring: Ring) -> Any:
        """The regret as a ball, or where there are too many courses a lower limit that the sampler knows; else NotEnumerable."""
        if ring is not BALL:
            raise NotRational
        try:
            return self._enumerated(sampler, case)
        except NotEnumerable:
            least = None if sampler.least is None else sampler.least(case)
            if least is None:
                raise
            return least

    def _enumerated(self, sampler: Sampler, case: Case) -> arb:
        """The regret as a ball, by enumeration."""
        if sampler.exact is None:
            raise NotEnumerable("a sampler without a twin in balls answers in floats")
        total = arb(0)
        try:
            for weights, round_ in enumerate_rounds(sampler.exact, case, BALL, BRANCHES):
                total += (weights * self._excess(round_, case)).sum()
        except ImpreciseState:
            return arb.nan()  # asks for more precision
        return total

    def in_floats(self, sampler: Sampler, case: Case) -> tuple[float, float]:
        """The regret between two floats, by enumeration in floats; NotEnumerable with too many courses.

        The upper is infinite where a client with feedback may be drawn with probability 0.
        """
        total, size, endless = 0.0, 0.0, False
        for weights, round_ in enumerate_rounds(sampler, case, None, FLOAT_BRANCHES):
            endless |= bool((has_unbounded_loss(round_.answer, round_.p) & (weights > 0)).any())
            excess = self._excess(round_, case)
            total += float((weights * excess).sum())
            size += float((weights * np.abs(excess)).sum()) + float(
                sampler_loss(round_.answer, comparator_play(round_, case), 1).max()
            )
        return total - FLOAT_ERROR * size, math.inf if endless else total + FLOAT_ERROR * size

    def _excess(self, round_: GameRound, case: Case) -> np.ndarray:
        drawn = case.constants[symbols.n_sampled]
        return sampler_loss(round_.answer, charged_probabilities(round_.p), drawn) - sampler_loss(
            round_.answer, comparator_play(round_, case)[None], drawn
        )

    def simulate(self, player: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Regrets of simulated games, (repetitions,)."""
        if player.kernel is not None:
            fast = player.kernel(case, seed, repetitions)
            if fast is not None:
                return fast
        total = np.zeros(len(repetitions))
        for round_ in simulate_rounds(player, case, seed, repetitions):
            total += self._excess(round_, case)
        return total

    def span(self, case: Case) -> tuple[float, float]:
        """What the regret of a sampler on the floored simplex lies between, surely."""
        return case.instance.regret_range()

    def trivial(self, case: Case) -> Number | None:
        """T M^2 A_max / (K alpha): no loss on the floored simplex is larger."""
        expr = self.trivial_formula()
        return evaluate_in_case(expr, case) if expr.free_symbols <= case.constants.keys() else None

    def trivial_formula(self) -> sympy.Expr:
        s = symbols
        return s.n_rounds * s.n_clients**2 * s.max_feedback / (s.n_sampled * s.probability_floor)


@dataclass(frozen=True)
class PathRegret(GameMeasure):
    """sum_t l^_t(p_t; p_t) - sum_t l^_t(q_t; p_t) on one path: losses are the estimates (6) from the draws.

    Its largest value over all paths, enumerated in balls, or over simulated ones.
    """

    name: str = "Σ l̂_t(p_t; p_t) - Σ l̂_t(q_t; p_t)"
    dimension: Dimension = GRADIENT_SQUARED

    def simulate(self, player: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """One value for every simulated path."""
        total = np.zeros(len(repetitions))
        for r in simulate_rounds(player, case, seed, repetitions):
            total += estimated_loss(r.answer, r.p, r.p, r.seen)
            total -= estimated_loss(r.answer, comparator_play(r, case)[None], r.p, r.seen)
        return total

    def trivial(self, case: Case) -> Number | None:
        """T M^2 A_max / (K alpha^2) for an estimated loss on the floored simplex."""
        expr = self.trivial_formula()
        return evaluate_in_case(expr, case) if expr.free_symbols <= case.constants.keys() else None

    def trivial_formula(self) -> sympy.Expr:
        s = symbols
        return s.n_rounds * s.n_clients**2 * s.max_feedback / (s.n_sampled * s.probability_floor**2)
