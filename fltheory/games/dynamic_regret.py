"""Measures of sampling games: expected dynamic regret, and pathwise regret on estimated losses."""

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

BRANCHES = 40_000  # largest number of branches of a game to enumerate, in balls
FLOAT_BRANCHES = 400_000  # the same, in floats
FLOAT_ERROR = 1e-9  # relative error of enumerated or simulated floats


def comparator_play(round_: GameRound, case: Case) -> np.ndarray:
    """Return the comparator's distribution in a round, (clients,), in the number type of the round."""
    row: np.ndarray = case.instance.comparator_row(round_.t, BALL if round_.p.dtype == object else None)
    return row


@dataclass(frozen=True)
class DynamicRegret(GameMeasure):
    """The expected regret E sum_t l_t(p_t) - sum_t l_t(q_t) (18) of a sampler (plays p) against a comparator (plays q).

    ``exact`` enumerates the draws in balls, ``in_floats`` in floats (any sampler); ``simulate`` plays games.
    """

    name: str = "E Σ l_t(p_t) - Σ l_t(q_t)"
    dimension: Dimension = GRADIENT_SQUARED
    has_lower_limit = True

    def exact(self, sampler: Sampler, case: Case, ring: Ring) -> Any:
        """Return the regret as a ball, or with too many paths the sampler's proved lower limit; else NotEnumerable."""
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
        """Compute the regret as a ball by enumeration."""
        if sampler.exact is None:
            raise NotEnumerable("the sampler has no exact version and returns floats")
        total = arb(0)
        try:
            for weights, round_ in enumerate_rounds(sampler.exact, case, BALL, BRANCHES):
                total += (weights * self._excess(round_, case)).sum()
        except ImpreciseState:
            return arb.nan()  # requests more precision
        return total

    def in_floats(self, sampler: Sampler, case: Case) -> tuple[float, float]:
        """Enclose the regret between two floats by enumeration; NotEnumerable with too many paths.

        The upper end is infinite if a client with feedback may have probability 0.
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
        """Return the regrets of simulated games, (repetitions,)."""
        if player.kernel is not None:
            fast = player.kernel(case, seed, repetitions)
            if fast is not None:
                return fast
        total = np.zeros(len(repetitions))
        for round_ in simulate_rounds(player, case, seed, repetitions):
            total += self._excess(round_, case)
        return total

    def span(self, case: Case) -> tuple[float, float]:
        """Return a range that contains the regret of every sampler on the floored simplex."""
        return case.instance.regret_range()

    def trivial(self, case: Case) -> Number | None:
        """Return T M^2 A_max / (K alpha), an upper bound on the loss on the floored simplex."""
        expr = self.trivial_formula()
        return evaluate_in_case(expr, case) if expr.free_symbols <= case.constants.keys() else None

    def trivial_formula(self) -> sympy.Expr:
        s = symbols
        return s.n_rounds * s.n_clients**2 * s.max_feedback / (s.n_sampled * s.probability_floor)


@dataclass(frozen=True)
class PathRegret(GameMeasure):
    """The pathwise regret sum_t l^_t(p_t; p_t) - sum_t l^_t(q_t; p_t), with losses estimated from the draws by (6).

    The measure is its largest value over all paths, enumerated in balls, or over simulated paths.
    """

    name: str = "Σ l̂_t(p_t; p_t) - Σ l̂_t(q_t; p_t)"
    dimension: Dimension = GRADIENT_SQUARED

    def simulate(self, player: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return one value for every simulated path."""
        total = np.zeros(len(repetitions))
        for r in simulate_rounds(player, case, seed, repetitions):
            total += estimated_loss(r.answer, r.p, r.p, r.seen)
            total -= estimated_loss(r.answer, comparator_play(r, case)[None], r.p, r.seen)
        return total

    def trivial(self, case: Case) -> Number | None:
        """Return T M^2 A_max / (K alpha^2), an upper bound on the estimated loss on the floored simplex."""
        expr = self.trivial_formula()
        return evaluate_in_case(expr, case) if expr.free_symbols <= case.constants.keys() else None

    def trivial_formula(self) -> sympy.Expr:
        s = symbols
        return s.n_rounds * s.n_clients**2 * s.max_feedback / (s.n_sampled * s.probability_floor**2)
