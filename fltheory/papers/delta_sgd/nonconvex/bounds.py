"""Further readings of Theorem 1: its rate with tuned steps, and the number of rounds for an accuracy."""

from __future__ import annotations

from dataclasses import replace

from sympy import Rational, sqrt

from fltheory.model.bound import HIDDEN_CONSTANT, Source
from fltheory.papers.delta_sgd.bounds import DRIFT_X, PSI_2, T1_PRINTED, bound
from fltheory.papers.delta_sgd.notation import G, K, L, Pi, T, b, eta_0, gamma, gap, rho, sigma

GAMMA = 1 / (K * sqrt(T))
SMALL_RHO = rho <= Rational(1, 4)
T1_NEAR = replace(T1_PRINTED, conditions=(SMALL_RHO,))
T1_ANY_STEPS = replace(
    T1_PRINTED,
    conditions=(SMALL_RHO, gamma * K * sqrt(T) <= 1, eta_0 <= gamma),
    source=Source(
        "delta_sgd", "Theorem 1", "strict", "gamma and eta_0 as small as O(.) allows; O(.) with the constants of T1-P"
    ),
)

# gamma = 1/(K sqrt T), eta_0 = gamma/(2 L): T1-X with h = eta_0 and a = eta_0 Pi
RATE_STEP = gamma / (2 * L)
KEPT_RATE = Rational(1, 2) - rho - (1 + rho) * Pi / sqrt(T)
T1_RATE = bound(
    (
        2 * L * gap / sqrt(T)
        + Pi**2 * sigma**2 / (b * K * sqrt(T))
        + DRIFT_X / 4 * Pi**3 * PSI_2 / T
        + Pi**4 * PSI_2 / (6 * T ** Rational(3, 2))
    )
    / KEPT_RATE,
    "Theorem 1",
    "corrected",
    (KEPT_RATE > 0,),
    "the rate, in the units of a squared gradient",
)

# If at least half of 1/2 - rho remains after enough rounds, T1_RATE is at most ROUNDS_FACTOR / sqrt T.
ENOUGH = sqrt(T) >= 4 * (1 + rho) * Pi / (1 - 2 * rho)
ROUNDS_FACTOR = (
    4 * (2 * L * gap + Pi**2 * sigma**2 / (b * K) + DRIFT_X / 4 * Pi**3 * PSI_2 + Pi**4 * PSI_2 / 6) / (1 - 2 * rho)
)
T1_ROUNDS = bound(
    ROUNDS_FACTOR / sqrt(T), "after Theorem 1", "corrected", (rho < Rational(1, 2), ENOUGH), "epsilon = C/sqrt T"
)
T1_NORM = bound(
    HIDDEN_CONSTANT * G**2 / T,
    "after Theorem 1",
    "strict",
    note=f"T = {HIDDEN_CONSTANT} (G/epsilon)^2, |grad f| <= epsilon",
)
