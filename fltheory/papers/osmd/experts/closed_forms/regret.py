"""The two parts of Theorem 8: the regret of the best expert (59), and that of the mixture against the experts (60)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from flint import arb, ctx
from sympy import Expr

from fltheory.games.dynamic_regret import BRANCHES, FLOAT_BRANCHES, FLOAT_ERROR, comparator_play
from fltheory.games.losses import charged_probabilities, has_unbounded_loss, safe_divisor, sampler_loss
from fltheory.games.play import GameRound, enumerate_rounds, simulate_rounds
from fltheory.games.player import ImpreciseState, Sampler
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import BALL, NotRational, Number, Ring, evaluate_ball, to_float
from fltheory.papers.osmd import bounds, notation
from fltheory.runs.measures import GRADIENT_SQUARED, GameMeasure, evaluate_in_case
from fltheory.runs.method import AssumptionFailed, NotEnumerable


@runtime_checkable
class WithExperts(Protocol):
    """The state of a sampler that mixes experts: the play of each, (seeds, experts, clients)."""

    experts: np.ndarray


def nearest_expert(case: Case) -> int:
    """Return the e, from 0, with eta_e <= eta* <= 2 eta_e for eta* of (20) with the comparator's beta."""
    constants = case.constants
    squared = (bounds.ETA / bounds.ETA.subs(notation.beta, 0)) ** 2
    with ctx.workprec(256):
        ratio = evaluate_ball(squared, constants)  # 4^e <= ratio <= 4^(e+1)
    e = 0
    while ratio > arb(4) ** (e + 1):
        e += 1
    return e


def _losses(round_: GameRound, p: np.ndarray, case: Case) -> np.ndarray:
    """Return l_t of the distributions that were played."""
    return sampler_loss(round_.answer, p, case.constants[notation.K])


def _experts(round_: GameRound) -> np.ndarray:
    """Return the plays of the experts, (seeds, experts, clients); Unmet for a sampler without experts."""
    if not isinstance(round_.state, WithExperts):
        raise AssumptionFailed(
            "the sampler has no experts: its state has no part experts of shape (seeds, experts, clients)"
        )
    return round_.state.experts


def _expert_losses(round_: GameRound, case: Case) -> np.ndarray:
    """Return l_t of every expert, (seeds, experts)."""
    return sampler_loss(round_.answer[:, None], _experts(round_), case.constants[notation.K])


def _balls(sampler: Sampler, ring: Ring) -> Sampler:
    if ring is not BALL:
        raise NotRational
    if sampler.exact is None:
        raise NotEnumerable(f"{sampler.name} has no version in ball arithmetic")
    twin: Sampler = sampler.exact
    return twin


@dataclass(frozen=True)
class ExpertRegret(GameMeasure):
    """E sum_t l_t(p_{e,t}) - sum_t l_t(q_t) (59) for the expert with eta_e <= eta* <= 2 eta_e.

    As the draws of a round are independent of p_e and q given the past, this is also the regret on estimated losses.
    """

    name: str = "E Σ l̂_t(p_{e,t}; p_t) - Σ l_t(q_t)"
    dimension: Dimension = GRADIENT_SQUARED

    def _excess(self, round_: GameRound, case: Case, expert: int) -> np.ndarray:
        return _expert_losses(round_, case)[:, expert] - _losses(round_, comparator_play(round_, case)[None], case)

    def exact(self, sampler: Sampler, case: Case, ring: Ring) -> Any:
        """Return the regret as a ball, by enumeration."""
        expert, total = nearest_expert(case), arb(0)
        try:
            for weights, round_ in enumerate_rounds(_balls(sampler, ring), case, BALL, BRANCHES):
                total += (weights * self._excess(round_, case, expert)).sum()
        except ImpreciseState:
            return arb.nan()  # requests more precision
        return total

    def simulate(self, sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return regrets of simulated games, (repetitions,)."""
        expert = nearest_expert(case)
        return sum(
            (self._excess(round_, case, expert) for round_ in simulate_rounds(sampler, case, seed, repetitions)),
            np.zeros(len(repetitions)),
        )

    def span(self, case: Case) -> tuple[float, float]:
        """Return limits: no loss of an expert is below 0 or above the trivial bound."""
        own = to_float(case.constants[notation.Lq])
        return -own * (1 + FLOAT_ERROR), to_float(self.trivial(case)) - own * (1 - FLOAT_ERROR)

    def trivial(self, case: Case) -> Number:
        """Return T M^2 A_max / (K alpha)."""
        return evaluate_in_case(bounds.TRIVIAL, case)

    def trivial_formula(self) -> Expr | None:
        return bounds.TRIVIAL


@dataclass(frozen=True)
class MetaRegret(GameMeasure):
    """The largest E sum_t l_t(p_t) - sum_t l_t(p_{e,t}) over the experts e (60), by enumeration of small games."""

    name: str = "max_e E Σ l_t(p_t) - Σ l̂_t(p_{e,t}; p_t)"
    dimension: Dimension = GRADIENT_SQUARED

    def _excess(self, round_: GameRound, case: Case) -> np.ndarray:
        return _losses(round_, charged_probabilities(round_.p), case)[:, None] - _expert_losses(round_, case)

    def exact(self, sampler: Sampler, case: Case, ring: Ring) -> Any:
        """Return the largest regret as a ball."""
        totals: Any = arb(0)
        try:
            for weights, round_ in enumerate_rounds(_balls(sampler, ring), case, BALL, BRANCHES):
                totals = totals + (weights[:, None] * self._excess(round_, case)).sum(axis=0)
        except ImpreciseState:
            return arb.nan()
        found = totals[0]
        for value in totals[1:]:
            found = found.max(value)
        return found

    def in_floats(self, sampler: Sampler, case: Case) -> tuple[float, float]:
        """Return the largest regret between two floats."""
        totals, size, endless = np.zeros(1), 0.0, False
        for weights, round_ in enumerate_rounds(sampler, case, None, FLOAT_BRANCHES):
            endless |= bool((has_unbounded_loss(round_.answer, round_.p) & (weights > 0)).any())
            excess = self._excess(round_, case)
            totals = totals + (weights[:, None] * excess).sum(axis=0)
            size += float(
                _losses(round_, charged_probabilities(round_.p), case).max() + _expert_losses(round_, case).max()
            )
        found = float(totals.max())
        return found - FLOAT_ERROR * size, math.inf if endless else found + FLOAT_ERROR * size

    def trivial(self, case: Case) -> Number:
        """Return T M^2 A_max / (K alpha)."""
        return evaluate_in_case(bounds.TRIVIAL, case)

    def trivial_formula(self) -> Expr | None:
        return bounds.TRIVIAL


@dataclass(frozen=True)
class MetaPathRegret(GameMeasure):
    """The largest sum_t l^_t(p_t; p_t) - sum_t l^_t(p_{e,t}; p_t) over the experts e, on one path."""

    name: str = "max_e Σ l̂_t(p_t; p_t) - Σ l̂_t(p_{e,t}; p_t)"
    dimension: Dimension = GRADIENT_SQUARED

    def simulate(self, sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return one value for every simulated path."""
        totals: Any = 0.0
        for r in simulate_rounds(sampler, case, seed, repetitions):
            p = safe_divisor(r.p, r.seen)  # clients not seen have estimate 0
            seen = np.where(r.seen > 0, r.answer, 0) * r.seen / p / r.seen.sum(axis=1, keepdims=True) ** 2
            totals = totals + (seen / p).sum(axis=1)[:, None] - (seen[:, None] / _experts(r)).sum(axis=2)
        return np.asarray(totals.max(axis=1))

    def trivial(self, case: Case) -> Number:
        """Return T R, as no estimated loss on the floored simplex is larger than R."""
        return evaluate_in_case(notation.T * bounds.R, case)
