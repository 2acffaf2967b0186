"""Upper bounds of the paper: Theorems 3, 7, 15, 16, Corollaries 4, 20, partial participation, in the paper's order.

``sigma`` bounds the gradient noise, ``zeta_star`` the heterogeneity at the minimiser, ``zeta, beta`` the uniform one,
D = |x0 - x*|, A = F(x0) - F*. The effective step eta_eff is eta M K (SFL), eta K (PFL), eta S K (SFL with S clients),
times the server step gamma.
"""

from __future__ import annotations

from sympy import Expr, Piecewise, Rational, Symbol, exp, log, oo, sqrt

from fltheory.model.bound import HIDDEN_CONSTANT, Bound, Reading, Source, max_of, min_of
from fltheory.papers.sfl.notation import (
    LETTERS,
    A,
    D,
    K,
    L,
    M,
    R,
    S,
    beta,
    ell_e,
    eta,
    eta_eff,
    gamma,
    mu,
    sigma,
    zeta,
    zeta_star,
)

_ONE, _THIRD = Rational(1), Rational(1, 3)
_PLAIN_STEP = (
    "step min(1/(6L), 1/(mu R)) itself, which the sign of order need not mean; O~ read as 1000 (1 + ln R)^2, with the exponent "
    "of the explicit form"
)

SFL_STEP = ((eta_eff, eta * M * K),)
PFL_STEP = ((eta_eff, eta * K),)
SFL_PART_STEP = ((eta_eff, eta * S * K),)
SFL_SERVER_STEP = ((eta_eff, gamma * eta * M * K),)
PFL_SERVER_STEP = ((eta_eff, gamma * eta * K),)

SMALL_STEP = eta_eff <= 1 / (6 * L)
LONG_RUN = mu * eta_eff * R >= 1
Definitions = tuple[tuple[Symbol, Expr], ...]


def source(place: str, reading: Reading = "printed", note: str = "") -> Source:
    """Return a locator for a place in this paper."""
    return Source("sfl", place, reading, note)


def _bound(expr: Expr, where: Definitions, conditions: tuple, src: Source) -> Bound:
    return Bound(expr, src, conditions, where=where, letters=LETTERS)


# Theorem 3 ------------------------------------------------------------------------------------------------------

_T3_NOISE = 12 * eta_eff * sigma**2 / (M * K) + 18 * L * eta_eff**2 * sigma**2 / (M * K)
_T3_DRIFT = 18 * L * eta_eff**2 * zeta_star**2 / M
_DECAYED = Rational(9, 2) * mu * D**2 * exp(-mu * eta_eff * R / 2)
_DECAYED_EXACTLY = Rational(3, 2) * mu * D**2 / ((1 - mu * eta_eff / 2) ** (-(R + 1)) - 1)

LARGEST_STEP = 1 / (6 * L)
T3_SC_LITERAL = _bound(
    _DECAYED + _T3_NOISE + _T3_DRIFT,
    SFL_STEP,
    (SMALL_STEP, R >= 6 * L / mu),
    source("Theorem 3, strongly convex", "strict", "every step, where the paper says that there exists one"),
)
T3_SC = _bound(
    _DECAYED + _T3_NOISE + _T3_DRIFT,
    SFL_STEP,
    (SMALL_STEP, LONG_RUN),
    source("Theorem 3, strongly convex", "corrected", "needs mu eta_eff R >= 1, not only R >= 6 kappa"),
)
T3_SC_STAR = _bound(
    _DECAYED_EXACTLY + _T3_NOISE + _T3_DRIFT,
    SFL_STEP,
    (SMALL_STEP,),
    source("Theorem 3, strongly convex", "strengthened", "first term before exp is used: holds for every R"),
)
T3_GC = _bound(
    3 * D**2 / (eta_eff * R) + _T3_NOISE + _T3_DRIFT, SFL_STEP, (SMALL_STEP,), source("Theorem 3, general convex")
)
T3_GC_SHARP = _bound(
    3 * D**2 / (eta_eff * (R + 1)) + _T3_NOISE + _T3_DRIFT,
    SFL_STEP,
    (SMALL_STEP,),
    source("Theorem 3, general convex", "strengthened", "R + 1 iterates are averaged"),
)
T3_GC_TIGHT = _bound(
    D**2 / (2 * eta_eff * (R + 1))
    + Rational(3, 4) * eta_eff * sigma**2 / (M * K)
    + Rational(1, 7) * (1 + 1 / (M * K**2)) * L * eta_eff**2 * zeta_star**2 / M,
    SFL_STEP,
    (SMALL_STEP,),
    source("Theorem 3, general convex", "strengthened", "1/2, 3/4 and (1 + 1/(M K^2))/7 instead of 3, 12 + 3 and 18"),
)
SMALL_STEP_NC = eta_eff <= 1 / (6 * L * (1 + beta**2 / M))


T3_NC = _bound(
    10 * A / (eta_eff * R)
    + 20 * L * eta_eff * sigma**2 / (M * K)
    + Rational(75, 4) * L**2 * eta_eff**2 * sigma**2 / (M * K)
    + Rational(75, 4) * L**2 * eta_eff**2 * zeta**2 / M,
    SFL_STEP,
    (SMALL_STEP_NC,),
    source("Theorem 3, non-convex"),
)
T15 = _bound(
    10 * A / (eta_eff * R)
    + 20 * L * eta_eff * sigma**2 / (M * K)
    + Rational(75, 4) * L**2 * eta_eff**2 / gamma**2 * (sigma**2 / (M * K) + zeta**2 / M),
    SFL_SERVER_STEP,
    (SMALL_STEP_NC, gamma >= 1),
    source("Theorem 15 (its proof names the constants)", "explicit"),
)
T16 = _bound(
    10 * A / (eta_eff * R)
    + 20 * L * eta_eff * sigma**2 / (M * K)
    + L**2 * eta_eff**2 / gamma**2 * (Rational(75, 4) * sigma**2 / K + Rational(25, 2) * zeta**2),
    PFL_SERVER_STEP,
    (eta_eff <= 1 / (6 * L * (1 + beta**2)), gamma >= 1),
    source("Theorem 16", "explicit"),
)

# Tuning (U7t, U8t) ----------------------------------------------------------------------------------------------


def tuned_rate_sc(c1: Expr, c2: Expr) -> tuple[Expr, Expr]:
    """Return (effective step, explicit bound) of U7t with a = mu/2, b = 1/3, d0 = D^2, eta_max = 1/(6 L)."""
    a, eta_max = mu / 2, 1 / (6 * L)
    ratio = min_of(*(_or_infinite(c, p) for c, p in ((c1, a**2 * R * D**2), (c2, a**3 * R**2 * D**2))))
    ell = at_least_half(ratio)
    step = Piecewise((eta_max, c2 <= 0), (capped_step(eta_max, ell, a), True))
    tail = (3 + ell_e) * c1 / (a * R) + (3 + ell_e**2) * c2 / (a**2 * R**2)
    return step, 3 * (3 * a * D**2 * exp(-a * eta_max * R) + tail)


def at_least_half(ratio: Expr) -> Expr:
    """Return max{1/2, ln ratio}, where ln 0 = -oo."""
    return log(max_of(exp(Rational(1, 2)), ratio))


def capped_step(eta_max: Expr, ell: Expr, a: Expr) -> Expr:
    """Return min{eta_max, ell/(a R)}, also for a = 0."""
    return eta_max / max_of(1, a * eta_max * R / ell)


def tuned_step_gc(c1: Expr, c2: Expr, d0: Expr, eta_max: Expr, exponent: Expr = _THIRD) -> Expr:
    """Return the effective step of U8t; the third candidate is d0^(1/3) / (c2^(1/3) R^exponent).

    For d0 = 0 the least candidate is 0, which is no step; ``eta_max`` takes its place, as any step would do.
    """
    candidates = (_or_infinite(c1, d0 / R, Rational(1, 2)), _or_infinite(c2, d0 / R ** (3 * exponent), Rational(1, 3)))
    return Piecewise((eta_max, d0 <= 0), (min_of(eta_max, *candidates), True))


def tuned_rate_gc(c1: Expr, c2: Expr, b: Expr, d0: Expr, eta_max: Expr) -> Expr:
    """Return the explicit bound of U8t."""
    third = 2 * c2 ** Rational(1, 3) * (d0 / R) ** Rational(2, 3)
    return (d0 / (eta_max * R) + 2 * sqrt(c1 * d0 / R) + third) / b


def _or_infinite(coefficient: Expr, numerator: Expr, root: Expr = _ONE) -> Expr:
    """Return (numerator / coefficient)^root, infinite where the coefficient vanishes."""
    return Piecewise((oo, coefficient <= 0), ((numerator / coefficient) ** root, True))


C1_SFL = 4 * sigma**2 / (M * K)
C2_SFL = 6 * L * (sigma**2 / (M * K) + zeta_star**2 / M)
C2_PFL = 6 * L * sigma**2 / K + 4 * L * zeta_star**2
C1_NC = 2 * L * sigma**2 / (M * K)
C2_NC = Rational(15, 8) * L**2 * (sigma**2 / (M * K) + zeta**2 / M)
C2_NC_PFL = Rational(15, 8) * L**2 * sigma**2 / K + Rational(5, 4) * L**2 * zeta**2
ETA_NC = 1 / (6 * L * (1 + beta**2 / M))
ETA_NC_PFL = 1 / (6 * L * (1 + beta**2))

LONG_SC = R >= 6 * L / mu


def log_factor_of(step: Expr) -> Definitions:
    """Return ell_e = a eta_eff R with a = mu/2."""
    return ((eta_eff, step), (ell_e, mu * eta_eff * R / 2))


# Corollary 4 ----------------------------------------------------------------------------------------------------

C4_SC_STEP, _c4_sc = tuned_rate_sc(C1_SFL, C2_SFL)
C4_SC = _bound(
    Rational(9, 2) * mu * D**2 * exp(-mu * R / (12 * L))
    + 24 * (3 + ell_e) * sigma**2 / (mu * M * K * R)
    + 72 * (3 + ell_e**2) * L / (mu**2 * R**2) * (sigma**2 / (M * K) + zeta_star**2 / M),
    log_factor_of(C4_SC_STEP),
    (LONG_SC,),
    source("Corollary 4, strongly convex", "explicit", "step with its logarithm"),
)
C4_SC_LITERAL_STEP = 1 / max_of(6 * L, mu * R)
RATE_SC = sigma**2 / (mu * M * K * R) + L * sigma**2 / (mu**2 * M * K * R**2) + L * zeta_star**2 / (mu**2 * M * R**2)
C4_SC_LITERAL = _bound(
    HIDDEN_CONSTANT * (1 + log(R)) ** 2 * (RATE_SC + mu * D**2 * exp(-mu * R / (12 * L))),
    (),
    (LONG_SC,),
    source("Corollary 4, strongly convex", "strict", _PLAIN_STEP),
)
C4_GC_STEP = tuned_step_gc(C1_SFL, C2_SFL, D**2, 1 / (6 * L))
C4_GC = _bound(
    18 * L * D**2 / R
    + 12 * sigma * D / sqrt(M * K * R)
    + 6 * (6 * L * D**4 * (sigma**2 / (M * K) + zeta_star**2 / M)) ** Rational(1, 3) / R ** Rational(2, 3),
    (),
    (),
    source("Corollary 4, general convex", "corrected", "third candidate of the step has R^(1/3)"),
)
C4_GC_PRINTED_STEP = tuned_step_gc(
    C1_SFL, 6 * L * (sigma**2 / (M * K) + zeta**2 / M), D**2, 1 / (6 * L), Rational(2, 3)
)
RATE_GC = (
    sigma * D / sqrt(M * K * R)
    + L * D**2 / R
    + (
        (L * sigma**2 * D**4) ** Rational(1, 3) / (M * K) ** Rational(1, 3)
        + (L * zeta_star**2 * D**4) ** Rational(1, 3) / M ** Rational(1, 3)
    )
    / R ** Rational(2, 3)
)
C4_GC_PRINTED = _bound(
    HIDDEN_CONSTANT * RATE_GC,
    (),
    (),
    source("Corollary 4, general convex", "printed", "step with R^(2/3), O(.) read as 1000"),
)
C4_NC_STEP = tuned_step_gc(C1_NC, C2_NC, A, ETA_NC)
C4_NC = _bound(
    60 * L * A * (1 + beta**2 / M) / R
    + 20 * sqrt(2) * sqrt(L * sigma**2 * A / (M * K * R))
    + 20 * (Rational(15, 8) * L**2 * A**2 * (sigma**2 / (M * K) + zeta**2 / M)) ** Rational(1, 3) / R ** Rational(2, 3),
    (),
    (),
    source("Corollary 4, non-convex", "corrected", "third candidate of the step has R^(1/3)"),
)
C4_NC_PRINTED_STEP = tuned_step_gc(C1_NC, C2_NC, A, ETA_NC, Rational(2, 3))
RATE_NC = (
    sqrt(L * sigma**2 * A) / sqrt(M * K * R)
    + L * A * (1 + beta**2 / M) / R
    + (
        (L**2 * sigma**2 * A**2) ** Rational(1, 3) / (M * K) ** Rational(1, 3)
        + (L**2 * zeta**2 * A**2) ** Rational(1, 3) / M ** Rational(1, 3)
    )
    / R ** Rational(2, 3)
)
C4_NC_PRINTED = _bound(
    HIDDEN_CONSTANT * RATE_NC,
    (),
    (),
    source("Corollary 4, non-convex", "printed", "step with R^(2/3), O(.) read as 1000"),
)

# Theorem 7 (PFL) ------------------------------------------------------------------------------------------------

_T7_TAIL = 12 * eta_eff * sigma**2 / (M * K) + 18 * L * eta_eff**2 * sigma**2 / K + 12 * L * eta_eff**2 * zeta_star**2
T7 = _bound(_DECAYED + _T7_TAIL, PFL_STEP, (SMALL_STEP, LONG_RUN), source("Theorem 7", "explicit"))
T7_STAR = _bound(
    _DECAYED_EXACTLY + _T7_TAIL, PFL_STEP, (SMALL_STEP,), source("Theorem 7", "strengthened", "holds for every R")
)
T7_GC = _bound(
    3 * D**2 / (eta_eff * R) + _T7_TAIL, PFL_STEP, (SMALL_STEP,), source("Theorem 7, general convex", "explicit")
)
RATE_PFL = sigma**2 / (mu * M * K * R) + L * sigma**2 / (mu**2 * K * R**2) + L * zeta_star**2 / (mu**2 * R**2)
T7_LITERAL = _bound(
    HIDDEN_CONSTANT * (1 + log(R)) ** 2 * (RATE_PFL + mu * D**2 * exp(-mu * R / (12 * L))),
    (),
    (LONG_SC,),
    source("Theorem 7", "strict", _PLAIN_STEP),
)
T7_TUNED_STEP, _ = tuned_rate_sc(C1_SFL, C2_PFL)
T7_TUNED = _bound(
    Rational(9, 2) * mu * D**2 * exp(-mu * R / (12 * L))
    + 24 * (3 + ell_e) * sigma**2 / (mu * M * K * R)
    + (3 + ell_e**2) / (mu**2 * R**2) * (72 * L * sigma**2 / K + 48 * L * zeta_star**2),
    log_factor_of(T7_TUNED_STEP),
    (LONG_SC,),
    source("Theorem 7, tuned", "explicit"),
)
T7_GC_TUNED_STEP = tuned_step_gc(C1_SFL, C2_PFL, D**2, 1 / (6 * L))
T7_GC_TUNED = _bound(
    18 * L * D**2 / R + 12 * sigma * D / sqrt(M * K * R) + 6 * (C2_PFL * D**4) ** Rational(1, 3) / R ** Rational(2, 3),
    (),
    (),
    source("Theorem 7, general convex, tuned", "explicit"),
)

# Partial participation ------------------------------------------------------------------------------------------

SAMPLING = (M - S) / (S * max_of(M - 1, 1))  # 0 for S = M, also for M = 1
_PP_FIRST = 12 * eta_eff * sigma**2 / (S * K) + 12 * eta_eff * zeta_star**2 * SAMPLING
_PP_SFL = _PP_FIRST + 18 * L * eta_eff**2 / S * (sigma**2 / K + zeta_star**2)
_PP_PFL = _PP_FIRST + 18 * L * eta_eff**2 * sigma**2 / K + 12 * L * eta_eff**2 * zeta_star**2
_PP_PLACE = "Section 5.1, partial participation"
PP_SFL = _bound(_DECAYED + _PP_SFL, SFL_PART_STEP, (SMALL_STEP, LONG_RUN), source(_PP_PLACE, "explicit"))
PP_SFL_STAR = _bound(_DECAYED_EXACTLY + _PP_SFL, SFL_PART_STEP, (SMALL_STEP,), source(_PP_PLACE, "strengthened"))
PP_SFL_GC = _bound(3 * D**2 / (eta_eff * R) + _PP_SFL, SFL_PART_STEP, (SMALL_STEP,), source(_PP_PLACE, "explicit"))
PP_PFL = _bound(_DECAYED + _PP_PFL, PFL_STEP, (SMALL_STEP, LONG_RUN), source(_PP_PLACE, "explicit"))
PP_PFL_STAR = _bound(_DECAYED_EXACTLY + _PP_PFL, PFL_STEP, (SMALL_STEP,), source(_PP_PLACE, "strengthened"))
PP_PFL_GC = _bound(3 * D**2 / (eta_eff * R) + _PP_PFL, PFL_STEP, (SMALL_STEP,), source(_PP_PLACE, "explicit"))
C1_PP = 4 * sigma**2 / (S * K) + 4 * zeta_star**2 * SAMPLING
C2_PP = 6 * L / S * (sigma**2 / K + zeta_star**2)
PP_SFL_TUNED_STEP, _pp_sfl_tuned = tuned_rate_sc(C1_PP, C2_PP)
PP_SFL_TUNED = _bound(
    _pp_sfl_tuned, log_factor_of(PP_SFL_TUNED_STEP), (LONG_SC,), source(_PP_PLACE + ", tuned", "explicit")
)
PP_PFL_TUNED_STEP, _pp_pfl_tuned = tuned_rate_sc(C1_PP, C2_PFL)
PP_PFL_TUNED = _bound(
    _pp_pfl_tuned, log_factor_of(PP_PFL_TUNED_STEP), (LONG_SC,), source(_PP_PLACE + ", tuned", "explicit")
)

_FLAT_RATE = _THIRD, D**2, 1 / (6 * L)  # b, d0, eta_max
PP_SFL_GC_TUNED_STEP = tuned_step_gc(C1_PP, C2_PP, *_FLAT_RATE[1:])
PP_SFL_GC_TUNED = _bound(
    tuned_rate_gc(C1_PP, C2_PP, *_FLAT_RATE), (), (), source(_PP_PLACE + ", general convex, tuned", "explicit")
)
PP_PFL_GC_TUNED_STEP = tuned_step_gc(C1_PP, C2_PFL, *_FLAT_RATE[1:])
PP_PFL_GC_TUNED = _bound(
    tuned_rate_gc(C1_PP, C2_PFL, *_FLAT_RATE), (), (), source(_PP_PLACE + ", general convex, tuned", "explicit")
)

# Theorems 15 and 16, tuned --------------------------------------------------------------------------------------

T15_TUNED_STEP = tuned_step_gc(C1_NC, C2_NC / gamma**2, A, ETA_NC)
T15_TUNED = _bound(
    tuned_rate_gc(C1_NC, C2_NC / gamma**2, Rational(1, 10), A, ETA_NC),
    (),
    (gamma >= 1,),
    source("Theorem 15, tuned", "explicit"),
)
T16_TUNED_STEP = tuned_step_gc(C1_NC, C2_NC_PFL / gamma**2, A, ETA_NC_PFL)
T16_TUNED = _bound(
    tuned_rate_gc(C1_NC, C2_NC_PFL / gamma**2, Rational(1, 10), A, ETA_NC_PFL),
    (),
    (gamma >= 1,),
    source("Theorem 16, tuned", "explicit"),
)

# Corollary 20 ---------------------------------------------------------------------------------------------------

C20 = _bound(
    D**2 * (1 - mu * eta_eff / 2) ** R
    + 8 * eta_eff * sigma**2 / (mu * M * K)
    + 12 * L * eta_eff**2 / mu * (sigma**2 / (M * K) + zeta_star**2 / M),
    SFL_STEP,
    (SMALL_STEP, mu > 0),
    source("Corollary 20", "corrected", "half the printed exponent, from the recursion"),
)
_ELL_20 = at_least_half(_or_infinite(L * zeta_star**2, mu**3 * M * R**2 * D**2))
C20_TUNED_STEP = Piecewise((1 / (6 * L), zeta_star <= 0), (capped_step(1 / (6 * L), _ELL_20, 2 * mu), True))
C20_TUNED = _bound(
    2 * D**2 * exp(-mu * R / (3 * L)) + (2 + 6 * ell_e**2) * L * zeta_star**2 / (mu**3 * M * R**2),
    ((eta_eff, C20_TUNED_STEP), (ell_e, 2 * mu * eta_eff * R)),
    (mu > 0,),
    source("Corollary 20, tuned", "explicit"),
)
