"""The paper's bounds that proofs and figures use too, in the paper's order; ``claims`` states the others.

``amplifier`` is the number gamma of line 9 of Algorithm 1 (1 in rule (4), 2 in the experiments), ``step_size`` the
constant step of FedAvg if Theorem 1 reads gamma as a step size.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Eq, Expr, Integer, Max, Min, Rational, sqrt

from fltheory.model.bound import HIDDEN_CONSTANT, Bound, Reading, Side, Source
from fltheory.papers.delta_sgd.notation import (
    CONVEX,
    LETTERS,
    D,
    D_t,
    G,
    K,
    L,
    L_hat,
    Pi,
    S,
    T,
    a,
    b,
    delta,
    distance,
    eta_0,
    gamma,
    gap,
    h,
    rho,
    sigma,
    slope,
    step_size,
    theta_0,
)


def bound(
    expr: Expr | int,
    place: str,
    reading: Reading = "printed",
    conditions: tuple[Any, ...] = (),
    note: str = "",
    side: Side = "upper",
    convex: bool = False,
) -> Bound:
    """Make a bound of this paper."""
    letters = CONVEX if convex else LETTERS
    return Bound(
        Integer(expr) if isinstance(expr, int) else expr,
        Source("delta_sgd", place, reading, note),
        conditions,
        side,
        (),
        letters,
    )


# The step-size rule (line 9 of Algorithm 1) -----------------------------------------------------------------------

FIRST_CAP = sqrt(1 + delta * theta_0) * eta_0  # a bound on the first computed step
GROWTH = bound(eta_0 * Pi, "Algorithm 1, line 9", "explicit", note="growth: the product of the caps", convex=True)
FLOOR_PRINTED = bound(1 / (2 * L), "after (43)", side="lower", convex=True)
FLOOR = bound(Min(eta_0, gamma / (2 * L)), "Algorithm 1, line 9", "corrected", side="lower", convex=True)
FLOOR_LATER = bound(Min(FIRST_CAP, gamma / (2 * L)), "Algorithm 1, line 9", "corrected", side="lower", convex=True)

# Theorem 1 --------------------------------------------------------------------------------------------------------

PSI_1 = Max(sigma**2 / b, gap)
PSI_2 = sigma**2 / b + G**2
T1_PRINTED = bound(
    8 * PSI_1 / sqrt(T) + 16 * L**2 * PSI_2 / T + 32 * L**3 * PSI_2 / T ** Rational(3, 2),
    "Theorem 1",
    note=f"O(.) with the constants of T1-P: runs long enough to refute {HIDDEN_CONSTANT} are out of reach",
)
KEPT_STEP = 1 - 2 * rho - 4 * (1 + rho) * L * step_size * K  # the factor of the squared gradient in (29)
T1_STEP = bound(
    (
        2 * gap / (step_size * K * T)
        + 4 * L * sigma**2 * step_size * K / b
        + 4 * L**2 * PSI_2 * (step_size * K) ** 2
        + 8 * L**3 * PSI_2 * (step_size * K) ** 3
    )
    / KEPT_STEP,
    "(29)",
    "explicit",
    (KEPT_STEP > 0,),
    "a constant step",
)
T1_P = bound(
    8 * gap / sqrt(T)
    + 16 * L * sigma**2 / (b * sqrt(T))
    + 16 * L**2 * PSI_2 / T
    + 32 * L**3 * PSI_2 / T ** Rational(3, 2),
    "Theorem 1",
    "corrected",
    (rho <= Rational(1, 4), T >= 400 * L**2),
    "the constant step 1/(K sqrt T)",
)
T1_P_STEP = 1 / (K * sqrt(T))
KEPT_X = Rational(1, 2) - rho - 2 * (1 + rho) * L * a * K
KEPT_Y = (1 - sqrt(rho)) / 2 - 2 * (1 + rho) * L * a * K
STEPS = (h > 0, a >= h)


def errors_of_a_round(drift: Expr) -> Expr:
    """Return the errors from noise and local drift in a round; ``drift`` is the factor of the drift of order a^3."""
    return (
        2 * L * K * a**2 * sigma**2 / b
        + drift * L**2 * PSI_2 * a**3 * K**3
        + Rational(4, 3) * L**3 * PSI_2 * a**4 * K**4
    )


DRIFT_X, DRIFT_Y = Rational(2, 3), 1 / (3 * (1 - sqrt(rho)))
T1_X = bound(
    (gap / T + errors_of_a_round(DRIFT_X)) / (KEPT_X * h * K),
    "Theorem 1",
    "corrected",
    (*STEPS, KEPT_X > 0),
    "rho < 1/2",
)
T1_Y = bound(
    (gap / T + errors_of_a_round(DRIFT_Y)) / (KEPT_Y * h * K),
    "Theorem 1",
    "strengthened",
    (*STEPS, rho < 1, KEPT_Y > 0),
    "rho < 1",
)
T1_28_X = bound(D_t * KEPT_X * slope**2 - errors_of_a_round(DRIFT_X), "(28)", "corrected", (KEPT_X > 0,), side="lower")
T1_28_Y = bound(
    D_t * KEPT_Y * slope**2 - errors_of_a_round(DRIFT_Y), "(28)", "strengthened", (rho < 1, KEPT_Y > 0), side="lower"
)

# Lemma 4 and Theorem 5: with each term on the side where it is positive, left over right is at most 1 ---------------

ONE = Integer(1)
RULE_4 = (Eq(gamma, 1), Eq(delta, 1))
MODEST = (gamma <= 1, delta <= 1)
EXPERIMENTS = "with the amplifier of the experiments"
DECREASE = bound(ONE, "Lemma 4, (31)", "printed", RULE_4, convex=True)
LYAPUNOV = bound(ONE, "(5)", "printed", (*RULE_4, T >= 2), convex=True)
LYAPUNOV_AMPLIFIED = bound(ONE, "(5)", "explicit", (gamma <= 2, T >= 2), EXPERIMENTS, convex=True)
T5_PRINTED = bound(
    2 * D * L_hat**2 / (2 * L_hat * T + 1), "Theorem 5, (39)", "printed", RULE_4, "eta_0 = 1 in its proof", convex=True
)
T5_MET = replace(
    T5_PRINTED, source=Source("delta_sgd", "Theorem 5, (39)", "strict", "f itself, at the mean of the averages")
)
T5_RANGE = bound(
    2 * D * L_hat**2 / (2 * L_hat * T + 1),
    "Theorem 5, (39)",
    "explicit",
    (*RULE_4, eta_0 <= 1),
    "eta_0 <= 1 and a first cap of at least 1/(2 L)",
    convex=True,
)
MOVE_WEIGHT = gamma**2 / (4 - gamma**2)  # the factor of the last move, which is 1/2 in the paper
T5_SUM = bound(D / (2 * S), "Theorem 5", "strengthened", MODEST, "by the sum of the steps", convex=True)
T5_WEIGHT = bound(
    (D - (Rational(1, 2) - MOVE_WEIGHT) * distance**2) / (2 * S),
    "Theorem 5",
    "strengthened",
    (gamma**2 <= 2, delta <= 1),
    "γ²/(4 - γ²) in place of 1/2 before the first move",
    convex=True,
)
LEAST = Min(gamma / (2 * L_hat), FIRST_CAP)  # R2
SUM_FLOOR = T * LEAST + LEAST**2 / eta_0
T5_FIXED = bound(D / (2 * SUM_FLOOR), "Theorem 5", "corrected", MODEST, convex=True)
FIRST_RATIO = sqrt(1 + delta * theta_0)
LAST_RATIO = (delta + sqrt(delta**2 + 4)) / 2  # the fixed point of g -> sqrt(1 + delta g)
MOST = Max(FIRST_RATIO, LAST_RATIO, evaluate=False)  # a bound on the ratios of the rule
T5_SHARED = bound(
    (1 + MOST) * D / (2 * SUM_FLOOR),
    "Theorem 5",
    "corrected",
    (delta <= 1,),
    "no client's step overshoots; any amplifier",
    convex=True,
)
UNCAPPED = gamma / (2 * L_hat)
T5_UNCAPPED = bound(
    D / (2 * (T * UNCAPPED + UNCAPPED**2 / eta_0)),
    "Theorem 5",
    "corrected",
    (*MODEST, delta > 0),
    "no cap",
    convex=True,
)
T5_APART = bound(
    6 * D * L_hat**2 / (2 * L_hat * T + 1),
    "Theorem 5",
    "corrected",
    (*RULE_4, eta_0 <= 1),
    "three times as much",
    convex=True,
)
NEAR = bound(D, "Theorem 5", "explicit", MODEST, "squared distance to the minimiser", convex=True)
SUM = bound(S, "(42)", side="equal", convex=True)
SUM_LEAST = bound(SUM_FLOOR, "after (43)", "corrected", side="lower", convex=True)
SUM_PRINTED = bound(
    T / (2 * L_hat) + 1 / (4 * L_hat**2), "after (43)", "printed", RULE_4, "eta_0 = 1", "lower", convex=True
)
