"""The paper's rates of mini-batch SGD and FedAvg in their readings: (5), Theorems 4, 5 and 9.

``premin`` forms hold for every step size below a cap; the theorems use the least of several candidates. A candidate
with denominator 0 is infinite.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Expr, Integer, Piecewise, Rational, sqrt

from fltheory.model.bound import HIDDEN_CONSTANT, max_of, min_of
from fltheory.papers.osmd.bounds import ETA, EXPERTS, FLOORED, META, Q_BETA, WITH_EXPERTS, bound
from fltheory.papers.osmd.notation import (
    J2,
    TV,
    A,
    B,
    D,
    G,
    K,
    L,
    Lbar,
    M,
    T,
    alpha,
    batch,
    beta,
    mu,
    mu_eff,
    nu,
    server,
    sigma,
    zeta_T,
    zeta_unif,
)


def minimum(*candidates: Expr) -> Expr:
    """Return the minimum unevaluated: SymPy would compare all pairs, which takes seconds."""
    return min_of(*candidates)


def least(*candidates: tuple[Expr, Expr]) -> Expr:
    """Return the least of numerator/denominator, ignoring denominators 0."""
    fractions = [
        top / bottom if bottom.is_positive else Piecewise((sympy.oo, bottom <= 0), (top / bottom, True))
        for top, bottom in candidates
    ]
    return minimum(*fractions)


# (5): strongly convex, the weights t ----------------------------------------------------------------------------

_FIVE = 2 / (nu * T * (T + 1))
FIVE = bound(_FIVE * Lbar, "(5), Theorem 3 of Salehi et al.", conditions=(nu > 0,))
FIVE_CORRECTED = bound(
    _FIVE * (Lbar + (1 - 1 / K) * J2), "(5)", "corrected", (nu > 0,), note="the second moment, not the variance"
)
FIVE_FACTOR = bound(_FIVE * K * Lbar, "(5)", "corrected", (nu > 0,), note="K times what is printed")

# Theorem 4: mini-batch SGD ----------------------------------------------------------------------------------------

WITHIN = (*FLOORED, TV <= beta)
FEW = (K - 1 <= M / alpha,)  # a client drawn twice answers the same
A_SGD = G**2 / M**2  # C-Amax
ETA_SGD = ETA.subs(A, A_SGD)  # (13)
REGRET_SGD = M * G**2 / (K * alpha**3) * sqrt(Q_BETA / T)  # Corollary 7 over T
DELTA = 1 / (K * alpha) + (K - 1) / (K * M)


def sgd_premin(inside: Expr) -> Expr:
    """Return (35), for every step size up to 1/L."""
    return 2 * D / (T * mu) + L * mu * inside


CAPPED = (*WITHIN, L * mu <= 1)
T4_PREMIN = bound(
    sgd_premin(2 * sigma**2 / (K * batch * alpha) + 2 * zeta_T**2 / K + REGRET_SGD),
    "Theorem 4 (35)",
    "explicit",
    (*CAPPED, *FEW),
)
T4_PREMIN_SHARP = bound(
    sgd_premin(sigma**2 * DELTA / batch + zeta_T**2 / K + REGRET_SGD),
    "Theorem 4 (35)",
    "strengthened",
    CAPPED,
    "exact variance, every K",
)
_FOURTH = sqrt(D * K) * alpha ** Rational(3, 2) / (sqrt(L * M) * T ** Rational(1, 4) * G * Q_BETA ** Rational(1, 4))
_FOURTH_TERM = (
    sqrt(D * L * M) * G * Q_BETA ** Rational(1, 4) / (T ** Rational(3, 4) * sqrt(K) * alpha ** Rational(3, 2))
)


def sgd_candidates(noise: tuple[Expr, Expr]) -> tuple[tuple[Expr, Expr], ...]:
    """Return the four candidates of the step, with the given second one."""
    return (Integer(1), L), noise, (sqrt(D * K), zeta_T * sqrt(L * T)), (_FOURTH, Integer(1))


_NOISE = (sqrt(D * K * batch * alpha), sigma * sqrt(L * T))
T4_STEP = least(*sgd_candidates(_NOISE))
T4_STEP_ANY = least(*sgd_candidates((sqrt(D * batch), sigma * sqrt(L * T * DELTA))))


def sgd_rate(constants: tuple[Any, Any, Any, Any], noise: Expr | None = None) -> Expr:
    """Return (14) with the constants of its four terms."""
    middle = sigma * sqrt(D * L) / sqrt(T * K * batch * alpha) if noise is None else noise
    terms = (D * L / T, middle, zeta_T * sqrt(D * L) / sqrt(T * K), _FOURTH_TERM)
    return sum((c * t for c, t in zip(constants, terms, strict=True)), Integer(0))


OUT_OF_REACH = (
    f"the order sign read as the proof's own constants, since runs that refute {HIDDEN_CONSTANT} are out of reach"
)
T4_EXPLICIT = bound(sgd_rate((2, 4, 4, 3)), "Theorem 4 (14)", "explicit", (*WITHIN, *FEW))
T4_CORRECTED = bound(
    sgd_rate((2, 3, 3, 3), sigma * sqrt(D * L * DELTA / (T * batch))), "Theorem 4 (14)", "corrected", WITHIN, "every K"
)
LONG_ENOUGH = sqrt(M) * G * (Q_BETA / T) ** Rational(1, 4) / alpha ** Rational(3, 2) <= zeta_unif - zeta_T

# Theorem 5: FedAvg ------------------------------------------------------------------------------------------------

A_FEDAVG = B * G**2 / M**2  # C-Amax
ETA_FEDAVG = ETA.subs(A, A_FEDAVG)  # (16)
CAP = 1 / (4 * B * L * sqrt(2 + 1 / alpha))
CAP_SAFE = minimum(1 / (8 * B * L), CAP)
_SPREAD = zeta_unif**2 + sigma**2 / (2 * B)
_AVG = 2 * zeta_T**2 / K + sigma**2 / (K * B * alpha)
_AVG_SAFE = 4 * zeta_T**2 / K + 2 * sigma**2 * DELTA / B
ROOTS = (4 + 2 / alpha) ** Rational(1, 3)
DROPPED = sqrt(Q_BETA / T)  # printed in place of REGRET_SGD


def fedavg_step(inside: Expr, cap: Expr = CAP, *more: Expr) -> Expr:
    """Return the least candidate of Theorem 5's effective step."""
    second = (D ** Rational(1, 3), ROOTS * B * (L**2 * _SPREAD * T) ** Rational(1, 3))
    third = (sqrt(2 * D), B * sqrt(L * T) * sqrt(inside))
    return minimum(cap, least(second, third), *more)


def fedavg_premin(inside: Expr) -> Expr:
    """Return (46)."""
    drift = 8 * (4 + 2 / alpha) * mu_eff**2 * B**2 * L**2 * _SPREAD
    return 8 * D / (mu_eff * B * T) + drift + 4 * mu_eff * B * L * inside


def fedavg_rate(inside: Expr, first: Expr) -> Expr:
    """Return (17) with the proof's constants: of the cap, of the drift, of the rest."""
    drift = 16 * ROOTS * (D * L) ** Rational(2, 3) * _SPREAD ** Rational(1, 3) / T ** Rational(2, 3)
    return first * D * L / T + drift + 8 * sqrt(2) * sqrt(D * L / T) * sqrt(inside)


_FIRST = 32 * sqrt(2 + 1 / alpha)
_FIRST_SAFE = max_of(64, _FIRST)
SERVER = (server >= 1,)
EFFECTIVE = ((mu_eff, server * mu),)
T5_PREMIN = bound(
    fedavg_premin(_AVG_SAFE + REGRET_SGD),
    "Theorem 5 (46)",
    "corrected",
    (*WITHIN, *SERVER, mu_eff <= CAP_SAFE),
    "(41) with the factor 2, any K",
    where=EFFECTIVE,
)
T5_PREMIN_EXPLICIT = bound(
    fedavg_premin(_AVG + REGRET_SGD),
    "Theorem 5 (46)",
    "explicit",
    (*WITHIN, *SERVER, *FEW, mu_eff <= CAP),
    "(46) with its own constants; the proof's (41) is false, but not needed",
    where=EFFECTIVE,
)
T5_STEP = fedavg_step(_AVG + DROPPED)  # adds squares of gradients to a dimensionless number
T5_STEP_CORRECTED = fedavg_step(_AVG + REGRET_SGD)
T5_STEP_SAFE = fedavg_step(_AVG_SAFE + REGRET_SGD, CAP_SAFE)
PRINTED_17 = (
    _FIRST * D * L / T
    + 16 * ROOTS * (D * L / T) ** Rational(2, 3) * (zeta_unif ** Rational(2, 3) + (sigma**2 / B) ** Rational(1, 3))
    + 8 * sqrt(2) * sqrt(D * L / T) * (sqrt(2) * zeta_T / sqrt(K) + sigma / sqrt(K * B * alpha) + sqrt(DROPPED))
)
T5_EXPLICIT = bound(
    fedavg_rate(_AVG + REGRET_SGD, _FIRST),
    "Theorem 5 (17)",
    "explicit",
    (*WITHIN, *SERVER, *FEW),
    "with the factor M G^2/(K alpha^3); the proof's (41) is false, but not needed",
)
T5_CORRECTED = bound(
    fedavg_rate(_AVG_SAFE + REGRET_SGD, _FIRST_SAFE),
    "Theorem 5 (17)",
    "corrected",
    (*WITHIN, *SERVER),
    "with the factor M G^2/(K alpha^3), (41) with the factor 2, any K",
)


# Theorem 9: the same with experts ---------------------------------------------------------------------------------

E_META = META.subs(WITH_EXPERTS[0][0], EXPERTS)
REGRET_META = 3 * REGRET_SGD + G**2 / (K * alpha**2) * META / sqrt(8 * T)
_FIFTH_PRINTED = sqrt(alpha * D / (L * G)) * sqrt(K / T) / sqrt(E_META)
_FIFTH = alpha / G * sqrt(2 * D * K / (L * E_META)) * (8 / T) ** Rational(1, 4)
_META_TERM = sqrt(D * L / K) * G / alpha * sqrt(META) / T ** Rational(3, 4)
META_TERM_PRINTED = sqrt(D * L * G / alpha) * sqrt(META) / (K ** Rational(1, 4) * T ** Rational(3, 4))
T9A_STEP_PRINTED = minimum(T4_STEP, _FIFTH_PRINTED)
T9A_STEP = minimum(T4_STEP, _FIFTH)
T9A_CORRECTED = bound(
    sgd_rate((2, 4, 4, 5)) + 2 ** Rational(3, 4) * _META_TERM,
    "Theorem 9, mini-batch SGD",
    "corrected",
    (*WITHIN, *FEW),
    where=WITH_EXPERTS,
)
T9A_PREMIN = bound(
    sgd_premin(2 * sigma**2 / (K * batch * alpha) + 2 * zeta_T**2 / K + REGRET_META),
    "Theorem 9, mini-batch SGD",
    "explicit",
    (*CAPPED, *FEW),
    where=WITH_EXPERTS,
)
_SIXTH_PRINTED = sqrt(2 * alpha * D / (L * G * E_META)) * B ** Rational(-3, 4) * (8 * K / T) ** Rational(1, 4)
T9B_STEP_PRINTED = minimum(T5_STEP, _SIXTH_PRINTED)
T9B_STEP = fedavg_step((_AVG_SAFE + REGRET_META).subs(WITH_EXPERTS[0][0], EXPERTS), CAP_SAFE)
T9B_CORRECTED = bound(
    fedavg_rate(_AVG_SAFE + REGRET_META, _FIRST_SAFE),
    "Theorem 9, FedAvg",
    "corrected",
    (*WITHIN, *SERVER),
    where=WITH_EXPERTS,
)
T9B_PREMIN = bound(
    fedavg_premin(_AVG_SAFE + REGRET_META),
    "Theorem 9, FedAvg (46)",
    "corrected",
    (*WITHIN, *SERVER, mu_eff <= CAP_SAFE),
    where=(*EFFECTIVE, *WITH_EXPERTS),
)
# or a separate candidate and term for the choice among the experts, beside three times Corollary 7 under the root
_SIXTH = alpha / (B * G) * sqrt(2 * D * K / (L * E_META)) * (8 / T) ** Rational(1, 4)
T9B_STEP_APART = fedavg_step(_AVG_SAFE + 3 * REGRET_SGD, CAP_SAFE, _SIXTH)
T9B_APART = bound(
    fedavg_rate(_AVG_SAFE + 3 * REGRET_SGD, _FIRST_SAFE) + 2 ** Rational(11, 4) * _META_TERM,
    "Theorem 9, FedAvg",
    "corrected",
    (*WITHIN, *SERVER),
    "a candidate and a term for the experts",
    where=WITH_EXPERTS,
)
