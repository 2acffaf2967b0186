"""Theorem 5.2: the regret of AAggFF-D with full participation."""

from __future__ import annotations

from typing import Any

from sympy import Expr

from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_d_exact
from fltheory.papers.aaggff.instances.games import (
    TransformedLosses,
    alternation,
    coins,
    horse_race,
    one_good,
    race_then_vertex,
    two_phase,
    vertex,
)
from fltheory.papers.aaggff.newton.claims.newton import EVERYONE, REGRET, families
from fltheory.papers.aaggff.notation import C, Ls
from fltheory.papers.aaggff.paper import theorem
from fltheory.problems.responses import AdaptiveResponses, RandomResponses, ResponseTable

STEP = bounds.L_DR.subs(C, 1)  # Lemma A.2's constant for full participation, to which Algorithm 3 is tuned


def rate_tuning(size: Expr) -> tuple[tuple[Any, Expr], ...]:
    """Return L_s as an expression in the constants."""
    return ((Ls, size),)


GAMES: tuple[Any, ...] = (
    vertex(10, 200),
    vertex(4, 200, "3/10", "1/10"),
    two_phase(1000, 1),
    two_phase(2000, "1/2", low="1/4"),
    alternation(20000),
    horse_race(3, 60),
    one_good(100, "1/20", "3/10"),
    race_then_vertex(100, 19, "1/1000"),  # close to the bound by the half-span
    race_then_vertex(100, 35, "1/1000"),  # close to the printed bound
    coins(5, 300),
    RandomResponses("uniform", 6, 150),
    TransformedLosses("logistic", 7, 100),
    AdaptiveResponses("all but the leader", 4, 200),
    AdaptiveResponses("least", 3, 300, 2, "1/2"),
)
SCALES = ("1/5", "1/2", 1, "1/4", "1/5", "1/2", "1/30", "1/2000", "1/1000", 3, "1/5", "1/2", 1, 3)
SCALED = tuple(Case(game, learner_scale=size) for game, size in zip(GAMES, SCALES, strict=True))
WAITING = ResponseTable(((0, 0), ("1/10000", 0)), (26000, 4000), "1/10000")  # a long silence makes the rate small
SCALED = (*SCALED, Case(WAITING, learner_scale="1/2500"))


def _long() -> tuple[Case, ...]:
    return tuple(
        Case(game)
        for game in (
            alternation(200_000),
            two_phase(100_000, "1/10"),
            one_good(1000, "1/20", "3/10"),
            TransformedLosses("normal", 817, 300),
            RandomResponses("coin", 50, 1000, high="1/50"),
            AdaptiveResponses("next", 100, 1000),
        )
    )


entropic = theorem("T5.2", "Theorem 5.2", REGRET, aaggff_d_exact, assumptions=[EVERYONE], mode="surely")
at_any_rate = entropic.restated("T5.2", cases=SCALED, family=lambda: families().scaled_games())
ALL = tuple(Case(game) for game in GAMES)
CLAIMS: tuple[Claim, ...] = (
    entropic.printed("With exact gradients and the rate for L_inf the regret is at most 2 L sqrt(T log K).", bounds.T52,
        cases=ALL, tuning=rate_tuning(bounds.L), family=lambda: families().games(), full_cases=_long),
    at_any_rate.explicit("At the rate for any L_s the regret is at most (L_s + L^2/L_s) sqrt(T log K).", bounds.T52_STEP),
    at_any_rate.strengthened("With the half-span H of the gradients in place of L: (L_s + H^2/L_s) sqrt(T log K).",
        bounds.T52_SHARP),
    entropic.restated("T5.2-half").strengthened(
        "At the rate for H the regret is at most V sqrt(T log K), half of what is printed or less.", bounds.T52_HALF,
        cases=ALL, tuning=rate_tuning(bounds.H), family=lambda: families().games(), full_cases=_long),
    theorem("T5.2-algorithm", "Theorem 5.2", REGRET, aaggff_d, assumptions=[EVERYONE], mode="surely").printed(
        "Algorithm 3 with C = 1 has regret at most 2 L sqrt(T log K).", bounds.T52,
        counterexamples=(Case(alternation(40_000)), Case(alternation(80_000))), tuning=rate_tuning(STEP),
        family=lambda: families().alternating(),
        remark="Its gradient is linearised in the response: it minimises another loss, and the regret is linear."),
    entropic.restated("T5.2-step").strict(
        "With exact gradients, but at Algorithm 3's rate for (3 C2 - 2 C1)/(1 + C1), the constant 2 remains.",
        bounds.T52_AT_D, counterexamples=(Case(one_good(100, "1/20", "3/10")), Case(one_good(400, "1/20", "3/10"))),
        tuning=rate_tuning(STEP), family=lambda: families().one_good_games(),
        full_cases=lambda: (Case(one_good(1000, "1/20", "3/10")),),
        remark="The theorem is about the rate for L_inf. This one is meant for gradients three times as large: (3 + 1/3) for 2, "
        "as T5.2@explicit has it."),
)
