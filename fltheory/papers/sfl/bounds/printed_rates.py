"""Rates that the paper prints with O(.) and that are true at the explicit step: read with the constant 1000.

O~(.) is read as 1000 (1 + l^2) with the logarithm l of the step; exponents are those of the explicit form.
"""

from __future__ import annotations

from sympy import Expr, Rational, exp, sqrt

from fltheory.bound import HIDDEN, Bound
from fltheory.papers.sfl.bounds import (
    C4_SC,
    C20_TUNED,
    LONG_SC,
    PP_PFL_TUNED,
    PP_SFL_TUNED,
    RATE_PFL,
    RATE_SC,
    SAMPLING,
    T7_TUNED,
    Definitions,
    source,
)
from fltheory.papers.sfl.letters import (
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
    eta_eff,
    gamma,
    mu,
    sigma,
    zeta,
    zeta_star,
)

_THIRD = Rational(1, 3)
_O = "O(.) read as 1000"
_SOFT_O = "O~ read as 1000 (1 + l^2) with the logarithm l of the step, with the exponent of the explicit form"


def _soft(rate: Expr, where: Definitions, conditions: tuple, place: str) -> Bound:
    return Bound(HIDDEN * (1 + ell_e**2) * rate, source(place, "printed", _SOFT_O), conditions, "upper", where, LETTERS)


def _server_rate(slope: Expr, spread: Expr) -> Expr:
    """The rate of Theorem 15; ``spread`` divides the terms of the drift (M in Theorem 15, 1 in Theorem 16)."""
    drift = (L**2 * sigma**2 * A**2 / (spread * K)) ** _THIRD + (L**2 * zeta**2 * A**2 / spread) ** _THIRD
    first = L * A * (1 + slope) / R + sqrt(L * sigma**2 * A) / sqrt(M * K * R)
    return first + drift / (gamma ** Rational(2, 3) * R ** Rational(2, 3))


def _server(rate: Expr, place: str) -> Bound:
    return Bound(HIDDEN * rate, source(place, "printed", _O), (gamma >= 1,), "upper", (), LETTERS)


T15_PRINTED = _server(_server_rate(beta**2 / M, M), "Theorem 15, tuned")
T16_PRINTED = _server(_server_rate(beta**2, Rational(1)), "Theorem 16, tuned")


_DECAYED = mu * D**2 * exp(-mu * R / (12 * L))


def _partial_rate(spread: Expr) -> Expr:
    noise = sigma**2 / (mu * S * K * R) + zeta_star**2 / (mu * R) * SAMPLING
    drift = L * (sigma**2 / K + zeta_star**2) / (mu**2 * spread * R**2)
    return noise + drift + _DECAYED


C4_SC_PRINTED = _soft(RATE_SC + _DECAYED, C4_SC.where, (LONG_SC,), "Corollary 4, strongly convex")
T7_PRINTED = _soft(RATE_PFL + _DECAYED, T7_TUNED.where, (LONG_SC,), "Theorem 7")
S43_SC_PRINTED = _soft(RATE_SC, C4_SC.where, (6 * L * eta_eff < 1,), "Section 4.3")
_PART = "Section 5.1, partial participation"
PP_SFL_PRINTED = _soft(_partial_rate(S), PP_SFL_TUNED.where, (LONG_SC,), _PART)
PP_PFL_PRINTED = _soft(_partial_rate(Rational(1)), PP_PFL_TUNED.where, (LONG_SC,), _PART)
C20_PRINTED = _soft(
    D**2 * exp(-mu * R / (3 * L)) + L * zeta_star**2 / (mu**3 * M * R**2),
    C20_TUNED.where,
    (mu > 0,),
    "Corollary 20, tuned",
)
