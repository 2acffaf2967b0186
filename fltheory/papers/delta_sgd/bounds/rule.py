"""The bounds of the step-size rule beyond those of ``bounds.py``, and of the points where Delta-SGD ends."""

from __future__ import annotations

from dataclasses import replace

from sympy import Abs, Expr, Integer, Max, Min

from fltheory.bound import Bound, Reading, Side
from fltheory.papers.delta_sgd.bounds import CEILING, FIRST_RATIO, GROWTH, LAST_RATIO, MOST, bound
from fltheory.papers.delta_sgd.letters import CONVEX, L, L_hat, T, delta, distance, eta_0, gamma, m, mu, theta_0

NONE, ONE = Integer(0), Integer(1)
LINE = "Algorithm 1, line 9"


def of_rule(
    expr: Expr | int, reading: Reading = "explicit", side: Side = "upper", place: str = LINE, note: str = ""
) -> Bound:
    """A bound on what line 9 of Algorithm 1 chooses."""
    return bound(expr, place, reading, note=note, side=side, convex=True)


# Growth (R1): g_1 = sqrt(1 + delta theta_0), g_{j+1} = sqrt(1 + delta g_j) --------------------------------------------

GROWTH_ATTAINED = replace(GROWTH, side="lower")
LEAST = Min(FIRST_RATIO, LAST_RATIO, evaluate=False)
RATIO = of_rule(MOST)
NEAR_LAST_RATIO = of_rule((delta / (1 + LAST_RATIO)) ** T * Abs(theta_0 - LAST_RATIO))
EXPONENTIAL = of_rule(eta_0 * MOST**T, "corrected", place="after (28)")
EXPONENTIAL_ATTAINED = of_rule(eta_0 * LEAST**T, "corrected", "lower", "after (28)")
OF_ORDER = of_rule(1000 * Max(eta_0, gamma / (2 * L)), place="after (28)", note="O(.) with the constant 1000")

# Floor and ceiling (R2, R3) -----------------------------------------------------------------------------------------

FLOOR_BATCH = of_rule(Min(eta_0, gamma / (2 * L_hat)), "corrected", "lower")
FLOOR_ANY_BATCH = of_rule(Min(eta_0, gamma / (2 * L_hat)), "explicit", "lower", note="R2 for any mini-batches")
CEILING_OF_RUN = replace(CEILING, conditions=())  # the run says itself how little a gradient changed

# Ratios, units, the first entry (R4-R6) -------------------------------------------------------------------------------

NO_FASTER = replace(of_rule(ONE, place="after Lemma 4", reading="printed"), conditions=(delta <= 1,))
SAME = of_rule(NONE, "explicit", "equal", note="in any units and axes")
FIRST_ENTRY = of_rule(gamma / (2 * L), "explicit", "equal", note="on an isotropic quadratic")

# What is said of the inputs -------------------------------------------------------------------------------------------

NO_DIVERGENCE = replace(of_rule(ONE, "explicit", place="Section 3"), conditions=(eta_0 * L <= 2,))
ARBITRARY = of_rule(
    NONE, "literal", "equal", "Section 3", "corrected once and for all, where the paper says that it can be"
)
ARBITRARY_FIXED = of_rule(NONE, "corrected", "equal", "Section 3")
BOTH_ACT = of_rule(1 / (m * T), "explicit", "lower", "Appendix B, Figure 7", "needed: each decides a step")

# Fixed points ---------------------------------------------------------------------------------------------------------

PLACE = "Algorithm 1"


def of_point(reading: Reading, side: Side = "equal", note: str = "") -> Bound:
    """Nothing: how far a point is from where it is said to be."""
    return of_rule(NONE, reading, side, PLACE, note)


AT_MINIMISER = of_point("literal", note="problem (1) asks for it, no theorem promises it")
FIXED_POINT = of_point("corrected")
CONTRACTION = replace(
    of_rule(ONE, "corrected", place=PLACE, note="what a round leaves of the distance"),
    conditions=(eta_0 * L < 2, gamma < 4),
)
_KAPPA = (L - mu) ** 2 * distance**2
GAP = replace(
    of_rule(_KAPPA / (16 * (L + mu)), "corrected", "equal", PLACE, "two clients, every local minimum is reached"),
    letters=(*CONVEX, (distance, "d")),
)
DEBIASED = of_point("explicit", note="weights L_i/(1 - r_i)")
TO_MEAN = of_point("explicit", note="weights 1/(1 - r_i)")
FEDNOVA = of_point("explicit", note="weights 1/(sum of the steps)")
FEDNOVA_FIXED = replace(
    of_rule(ONE, "corrected", place=PLACE, note="weights 1/(sum of the steps), two clients"),
    conditions=(eta_0 * L <= 1, gamma <= 2),
)
