"""Rates that the paper compares: Table 1, random reshuffling (Appendix F), Appendix G, and thresholds (4.3, 5.2).

Constants and logarithms are dropped, as in the table. Rates of SFL are ``bounds.RATE_SC``, ``RATE_GC``, ``RATE_NC``.
"""

from __future__ import annotations

from sympy import Expr, Rational, exp, sqrt
from sympy.core.relational import Relational

from fltheory.model.bound import Bound, Side, Source, max_of
from fltheory.papers.sfl.bounds import RATE_NC, RATE_SC
from fltheory.papers.sfl.notation import (
    LETTERS,
    A,
    D,
    K,
    L,
    M,
    R,
    beta,
    mu,
    sigma,
    sigma_star,
    zeta,
    zeta_hat,
    zeta_star,
)

THIRD = Rational(1, 3)


def rate(expr: Expr, place: str, *conditions: Relational, side: Side = "upper", note: str = "") -> Bound:
    """Return a printed formula with the hidden constant 1."""
    return Bound(expr, Source("sfl", place, "printed", note), conditions, side, (), LETTERS)


# Table 1, strongly convex ---------------------------------------------------------------------------------------

POSITIVE = mu > 0


def _parallel_sc(noise: Expr, spread: Expr, last: Expr) -> Expr:
    """Return noise^2/(mu M K R) + L noise^2/(mu^2 K R^2) + L spread^2/(mu^2 R^2) + last."""
    second = L * noise**2 / (mu**2 * K * R**2) + L * spread**2 / (mu**2 * R**2)
    return noise**2 / (mu * M * K * R) + second + last


DECAY = mu * D**2 * exp(-mu * R / L)
SFL_SC = RATE_SC + DECAY
_NO_CONSTANTS = "constants and logarithms dropped"
KARIMIREDDY_SC = rate(_parallel_sc(sigma, zeta, DECAY), "Table 1", POSITIVE, note=_NO_CONSTANTS)
KOLOSKOVA_SC = rate(
    _parallel_sc(sigma_star, zeta_star, L * K * D**2 * exp(-mu * R / L)), "Table 1", POSITIVE, note=_NO_CONSTANTS
)
PFL_SC = rate(_parallel_sc(sigma, zeta_star, DECAY), "Table 1", POSITIVE, note=_NO_CONSTANTS)
WOODWORTH_SC = rate(
    _parallel_sc(sigma, zeta_hat, mu * D**2 * exp(-mu * K * R / L)), "Table 1", POSITIVE, note=_NO_CONSTANTS
)

# Table 1, general convex and non-convex -------------------------------------------------------------------------


def _parallel_gc(noise: Expr, spread: Expr, last: Expr) -> Expr:
    roots = (L * noise**2 * D**4) ** THIRD / K**THIRD + (L * spread**2 * D**4) ** THIRD
    return noise * D / sqrt(M * K * R) + roots / R ** Rational(2, 3) + last


KARIMIREDDY_GC = rate(_parallel_gc(sigma, zeta, L * D**2 / R), "Table 1", note=_NO_CONSTANTS)
KOLOSKOVA_GC = rate(_parallel_gc(sigma_star, zeta_star, L * D**2 / R), "Table 1", note=_NO_CONSTANTS)
WOODWORTH_GC = rate(_parallel_gc(sigma, zeta_hat, L * D**2 / (K * R)), "Table 1", note=_NO_CONSTANTS)
_NC_ROOTS = (L**2 * sigma**2 * A**2) ** THIRD / K**THIRD + (L**2 * zeta**2 * A**2) ** THIRD
PFL_NC = rate(
    sqrt(L * sigma**2 * A) / sqrt(M * K * R) + _NC_ROOTS / R ** Rational(2, 3) + L * A / R,
    "Table 1",
    note=_NO_CONSTANTS,
)
SFL_NC = RATE_NC.subs(beta, 0)

# Terms that are set against each other --------------------------------------------------------------------------

ZETA_SFL_SC = L * zeta_star**2 / (mu**2 * M * R**2)
ZETA_PFL_SC = L * zeta_star**2 / (mu**2 * R**2)
ZETA_SFL_GC = (L * zeta_star**2 * D**4) ** THIRD / (M**THIRD * R ** Rational(2, 3))
ZETA_PFL_GC = (L * zeta_star**2 * D**4) ** THIRD / R ** Rational(2, 3)
ZETA_SFL_NC = (L**2 * zeta**2 * A**2) ** THIRD / (M**THIRD * R ** Rational(2, 3))
ZETA_PFL_NC = (L**2 * zeta**2 * A**2) ** THIRD / R ** Rational(2, 3)
ZETA_T5 = zeta**2 / (mu * M * R**2)
ZETA_T6_SC = L * zeta**2 / (mu**2 * M * R**2)
ZETA_T6_GC = (L * zeta**2 * D**4) ** THIRD / (M**THIRD * R ** Rational(2, 3))

# Random reshuffling and Malinovsky et al. -----------------------------------------------------------------------

RR_SC = rate(L / mu * (ZETA_SFL_SC + mu * D**2 * exp(-mu * M * R / L)), "Section 4.2", POSITIVE, note=_NO_CONSTANTS)
RR_GC = rate(ZETA_SFL_GC + L * D**2 / R, "Section 4.2", note=_NO_CONSTANTS)
RR_NC = rate(ZETA_SFL_NC + L * A / R, "Section 4.2", note=_NO_CONSTANTS)
C19 = rate(
    D**2 * exp(-mu * M * K * R / L) + L * zeta_star**2 / (mu**3 * M * R**2), "Appendix G", POSITIVE, note=_NO_CONSTANTS
)

# Section 5.2: when PFL under the stronger assumption is ahead, in units (the paper sets mu = L = D = 1) ---------

NO_NOISE = sigma <= 0
FAST_DECAY = mu * D**2 * exp(-mu * K * R / L)
PFL_WINS_SC = L * zeta_hat**2 <= mu**2 * R**2 * FAST_DECAY
PFL_WINS_GC = K**3 * R * zeta_hat**2 <= L**2 * D**2
SFL_WINS_SC = L * zeta_star**2 >= M * mu**2 * R**2 * DECAY

# After Corollary 4: which term decides for many rounds ----------------------------------------------------------

NOISE_RULES_SC = max_of(3 * L / mu, 3 * K * L * zeta_star**2 / (mu * sigma**2), 6 * L**2 * D**2 * M * K / sigma**2)
NOISE_RULES_GC = 729 * max_of(L**2 * D**2 * M * K / sigma**2, L**2 * D**2 * zeta_star**4 * M * K**3 / sigma**6)
_SLOPE = (1 + beta**2 / M) ** 2
NOISE_RULES_NC = max_of(
    729 * L * A * M * K / sigma**2, 729 * L * A * zeta**4 * M * K**3 / sigma**6, 9 * L * A * _SLOPE * M * K / sigma**2
)
