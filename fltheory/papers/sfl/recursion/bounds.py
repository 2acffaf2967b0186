"""Formulas of the lemmas behind the upper bounds (U1-U12 of the reconstructed proof), and of the recursions' tuning.

One-round inequalities start from a fixed x: D = |x - x*|, A = F(x) - F*, G = |grad F(x)|. If a lemma contains the drift
E sum |x_{m,k} - x|^2, it is part of the measured side, so that formulas contain letters of the paper only.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, exp, sqrt
from sympy.core.relational import Relational

from fltheory.model.bound import Bound, Reading, Side, Source, min_of
from fltheory.papers.sfl.bounds import (
    PFL_SERVER_STEP,
    PFL_STEP,
    SAMPLING,
    SFL_PART_STEP,
    SFL_SERVER_STEP,
    SFL_STEP,
    SMALL_STEP,
    Definitions,
    _or_infinite,
    at_least_half,
    capped_step,
    tuned_step_gc,
)
from fltheory.papers.sfl.notation import (
    LETTERS,
    A,
    D,
    G,
    K,
    L,
    M,
    R,
    S,
    a,
    b,
    beta,
    c1,
    c2,
    distance,
    divergence,
    ell_e,
    eta,
    eta_eff,
    eta_max,
    gamma,
    mu,
    n_draws,
    sigma,
    zeta,
    zeta_star,
)

PLACE = "proof of Theorem 3"


def lemma(
    expr: Expr,
    place: str = PLACE,
    reading: Reading = "explicit",
    conditions: tuple[Relational, ...] = (),
    where: Definitions = (),
    side: Side = "upper",
    note: str = "",
) -> Bound:
    """Return a formula from the proofs of this paper."""
    return Bound(expr, Source("sfl", place, reading, note), conditions, side, where, LETTERS)


# U1, U2: one function -------------------------------------------------------------------------------------------

U1 = lemma(L * distance**2)
U2 = lemma(2 * L * divergence)

# U3: draws without replacement ----------------------------------------------------------------------------------

_TWO = (M >= 2,)
U3 = lemma((M - n_draws) / (n_draws * (M - 1)) * zeta_star**2, conditions=(*_TWO, n_draws <= M), side="equal")
U3_PAIR = lemma(-(zeta_star**2) / (M - 1), conditions=_TWO, side="equal")
U3B = lemma(M**2 * K**3 * zeta_star**2 / 2)
U3B_SHARP = lemma(M * K * (K**2 * M + 1) / 6 * zeta_star**2, reading="strengthened", side="equal")
U3B_PART = lemma(S**2 * K**3 * zeta_star**2 / 2, conditions=(S <= M,), place="Section 5.1, partial participation")
U3B_PART_SHARP = lemma(
    zeta_star**2
    * (
        K**3 * (S * (S - 1) / Integer(2) - S * (S - 1) * (S - 2) / (3 * (M - 1)))
        + S * K * (K - 1) * (2 * K - 1) / Integer(6)
        - K**2 * (K - 1) * S * (S - 1) / (2 * (M - 1))
    ),
    "Section 5.1, partial participation",
    "strengthened",
    (*_TWO, S <= M),
    side="equal",
)

# U4-U6: one round of SFL, convex --------------------------------------------------------------------------------

_SHRUNK = (1 - mu * eta_eff / 2) * D**2
U4 = lemma(
    _SHRUNK + 4 * M * K * eta**2 * sigma**2 - Rational(2, 3) * eta_eff * A, conditions=(SMALL_STEP,), where=SFL_STEP
)
U4_DRIFT = Rational(8, 3) * L * eta
_DRIFT = Rational(9, 4) * M**2 * K**2 * eta**2 * sigma**2 + Rational(9, 4) * M**2 * K**3 * eta**2 * zeta_star**2
U5 = lemma(_DRIFT + 3 * L * M**3 * K**3 * eta**2 * A, conditions=(SMALL_STEP,), where=SFL_STEP)
_RECURSION = _SHRUNK - eta_eff * A / 3 + 4 * eta_eff**2 * sigma**2 / (M * K)
U6 = lemma(
    _RECURSION + 6 * L * eta_eff**3 * sigma**2 / (M * K) + 6 * L * eta_eff**3 * zeta_star**2 / M,
    conditions=(SMALL_STEP,),
    where=SFL_STEP,
)

U6_TIGHT = lemma(
    D**2
    - 2 * eta_eff * A
    + Rational(3, 2) * eta_eff**2 * sigma**2 / (M * K)
    + Rational(2, 7) * (1 + 1 / (M * K**2)) * L * eta_eff**3 * zeta_star**2 / M,
    reading="strengthened",
    conditions=(SMALL_STEP,),
    where=SFL_STEP,
    note="no inequality of the paper's proof but smoothness and cocoercivity: squares of gradients are kept",
)

# U7, U8: from the recursion to the average ----------------------------------------------------------------------

_CONTRACTS = a * eta_eff < 1
AVERAGED = (a * D**2 / ((1 - a * eta_eff) ** (-(R + 1)) - 1) + c1 * eta_eff + c2 * eta_eff**2) / b
U7_SHARP = lemma(AVERAGED, reading="strengthened", conditions=(_CONTRACTS, a > 0), note="first term before exp is used")
U7 = lemma(
    (3 * a * D**2 * exp(-a * eta_eff * R) + c1 * eta_eff + c2 * eta_eff**2) / b,
    conditions=(_CONTRACTS, a * eta_eff * R >= Rational(1, 2)),
)
U7T_LOG = at_least_half(min_of(_or_infinite(c1, a**2 * R * D**2), _or_infinite(c2, a**3 * R**2 * D**2)))
U7T_STEP = capped_step(eta_max, U7T_LOG, a)
U7T = lemma(
    (3 * a * D**2 * exp(-a * eta_max * R) + (3 + ell_e) * c1 / (a * R) + (3 + ell_e**2) * c2 / (a * R) ** 2) / b,
    conditions=(a * eta_max < 1, 2 * a * eta_max * R >= 1),
    where=((ell_e, a * eta_eff * R),),
)
AVERAGED_FLAT = (D**2 / (eta_eff * (R + 1)) + c1 * eta_eff + c2 * eta_eff**2) / b
U8 = lemma(AVERAGED_FLAT, conditions=(a <= 0,))
U8T_STEP = tuned_step_gc(c1, c2, D**2, eta_max)
U8T = lemma(
    (D**2 / (eta_max * R) + 2 * sqrt(c1 * D**2 / R) + 2 * c2 ** Rational(1, 3) * (D**2 / R) ** Rational(2, 3)) / b,
    conditions=(a <= 0, D > 0),
)

# U9, U10: one round of SFL with a server step, non-convex -------------------------------------------------------

_DESCENT = A - eta_eff * G**2 / 6 + 2 * L * eta_eff**2 * sigma**2 / (M * K)
U9 = lemma(_DESCENT, "Appendix E.2", "printed", (SMALL_STEP, gamma >= 1), SFL_SERVER_STEP)
U9_DRIFT = Rational(5, 6) * eta * gamma * L**2
_SMALL_CLIENT_STEP = eta * M * K <= 1 / (6 * L)
U10 = lemma(
    Rational(9, 4) * M**2 * K**2 * eta**2 * sigma**2
    + Rational(9, 4) * M**2 * K**3 * eta**2 * zeta**2
    + (Rational(9, 4) * beta**2 / M + Rational(3, 2)) * M**3 * K**3 * eta**2 * G**2,
    "Appendix E.2",
    conditions=(_SMALL_CLIENT_STEP,),
)

# U11: PFL -------------------------------------------------------------------------------------------------------

_T7 = "proof of Theorem 7"


def _parallel_drift(clients: Symbol) -> Expr:
    return clients * K**2 * eta**2 * (Rational(9, 4) * sigma**2 + Rational(3, 2) * K * zeta_star**2 + 3 * L * K * A)


U11_DRIFT = lemma(_parallel_drift(M), _T7, conditions=(SMALL_STEP,), where=PFL_STEP)
U11_ROUND = lemma(
    _SHRUNK + 4 * eta_eff**2 * sigma**2 / (M * K) - Rational(2, 3) * eta_eff * A,
    _T7,
    conditions=(SMALL_STEP,),
    where=PFL_STEP,
)
U11_ROUND_DRIFT = Rational(8, 3) * L * eta / M
_PARALLEL_TAIL = 6 * L * eta_eff**3 * sigma**2 / K + 4 * L * eta_eff**3 * zeta_star**2
U11 = lemma(_RECURSION + _PARALLEL_TAIL, _T7, conditions=(SMALL_STEP,), where=PFL_STEP)
U11_NC_DRIFT = lemma(
    M
    * K**2
    * eta**2
    * (Rational(9, 4) * sigma**2 + Rational(3, 2) * K * zeta**2 + Rational(3, 2) * (1 + beta**2) * K * G**2),
    "Theorem 16, proof",
    conditions=(eta * K <= 1 / (6 * L),),
)
U11_NC_ROUND = lemma(_DESCENT, "Theorem 16, proof", conditions=(SMALL_STEP, gamma >= 1), where=PFL_SERVER_STEP)
U11_NC_ROUND_DRIFT = U9_DRIFT / M

# U12: S of M clients --------------------------------------------------------------------------------------------

_PP = "Section 5.1, partial participation"
_SAMPLED = _SHRUNK - eta_eff * A / 3 + 4 * eta_eff**2 * sigma**2 / (S * K) + 4 * eta_eff**2 * zeta_star**2 * SAMPLING
_PART = (SMALL_STEP, S <= M)
U12_SFL = lemma(
    _SAMPLED + 6 * L * eta_eff**3 / S * (sigma**2 / K + zeta_star**2), _PP, conditions=_PART, where=SFL_PART_STEP
)
U12_PFL = lemma(_SAMPLED + _PARALLEL_TAIL, _PP, conditions=_PART, where=PFL_STEP)
U12_SFL_DRIFT = lemma(
    S**2 * K**2 * eta**2 * (Rational(9, 4) * sigma**2 + Rational(9, 4) * K * zeta_star**2 + 3 * L * S * K * A),
    _PP,
    conditions=_PART,
    where=SFL_PART_STEP,
)
U12_PFL_DRIFT = lemma(_parallel_drift(S), _PP, conditions=_PART, where=PFL_STEP)
