"""The bounds that proofs and figures use, in the order of the paper; the others are next to their statements.

The measured side of the theorems is the shortfall (1 - (1 - eta)^T) OPT - F(x^(T)), the gap of the achieved value to
the guarantee without errors; sums of heterogeneities are taken from the run. For FedCG+, ``n_rounds`` is the
number R = T/tau of its rounds.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, exp, log, sqrt

from fltheory.model.bound import Bound, Reading, Side, Source
from fltheory.papers.fedcg.notation import (
    LETTERS,
    LOCAL,
    OPT,
    B,
    D,
    K,
    L,
    Q,
    T,
    ceilings,
    curvature,
    delta,
    deviations,
    drift,
    eps,
    eta,
    gamma,
    gbar,
    m_F,
    m_max,
    n,
    p_min,
    r,
    sigma,
    tau,
    weighted,
)

SHORT = (eta * T <= 1,)


def bound(
    expr: Expr,
    place: str,
    reading: Reading = "printed",
    conditions: tuple[Any, ...] = (),
    note: str = "",
    side: Side = "upper",
    local: bool = False,
) -> Bound:
    """Return a bound of this paper."""
    return Bound(expr, Source("fedcg", place, reading, note), conditions, side, (), LOCAL if local else LETTERS)


# Section 2 and Assumption 3.1 -----------------------------------------------------------------------------------

P6_LITERAL = bound(eta**2 * r**2 * m_F / 2, "Section 2, continuous greedy", "strict", SHORT, "C = m_f r^2, no factor T")
P6 = bound(T * eta**2 * r**2 * m_F / 2, "Section 2, continuous greedy", "corrected", SHORT)
P6_LIMIT = bound(Integer(0), "Section 3", "strict", SHORT, "1 - 1/e without an error for large T, the same T for all f")
HETEROGENEITY = bound(2 * m_max, "(5)")
S0 = bound((1 - p_min) * m_max, "(5)", "strengthened")

# One round ------------------------------------------------------------------------------------------------------

A3 = bound(r * gamma, "Lemma A.3")
A3_MEAN = bound(r * gbar, "Lemma A.3", "strengthened", note="the mean heterogeneity")
A4 = bound(r * gamma, "Lemma A.4")
A4_MEAN = bound(r * gbar, "Lemma A.4", "strengthened", note="the mean heterogeneity")
ONE_STEP = bound(eta**2 * r**2 * m_F / 2, "(14)")
VARIANCE = bound(36 * r**2 * gamma**2 / K, "Lemma 3.4")
S2 = bound(r**2 * gbar * (2 * gamma - gbar) / K, "Lemma 3.4", "strengthened", note="Bhatia and Davis")
S2_PLAIN = bound(r**2 * gamma**2 / K, "Lemma 3.4", "strengthened", note="constant 1")
CASE_1 = bound(r * gamma, "proof of Lemma 3.4, case 1")
CASE_2 = bound(5 * r * gamma, "proof of Lemma 3.4, case 2")

# Theorem 3.2: full participation --------------------------------------------------------------------------------

HESSIAN = T * eta**2 * r**2 * m_F / 2
_HESSIAN_WEIGHTED = eta * r**2 * m_F * (1 - (1 - eta) ** T) / 2  # eta^2 r^2 m_F / 2 times the sum of (1 - eta)^t
T32_PRINTED = bound(eta * r * D + HESSIAN, "Theorem 3.2", "printed", (), "every eta > 0")
T32 = bound(eta * r * D + HESSIAN, "Theorem 3.2", "corrected", SHORT)
T32_TUNED = bound(r * D / T + r**2 * m_F / (2 * T), "Theorem 3.2", "corrected", SHORT, "eta = 1/T, 1 - 1/e")
S1 = bound(
    eta * r * weighted + _HESSIAN_WEIGHTED, "Theorem 3.2", "strengthened", SHORT, "weights kept, mean heterogeneity"
)
S1_CURVATURE = bound(
    eta * r * weighted + eta**2 * m_F * curvature / 2,
    "Theorem 3.2",
    "strengthened",
    SHORT,
    "and the directions' own curvature",
)

# Theorem 3.5: partial participation -----------------------------------------------------------------------------

_SAMPLED = 6 * r * D / sqrt(K * delta / T)
T35_PRINTED = bound(eta * (r * D + _SAMPLED) + HESSIAN, "Theorem 3.5", "printed", (delta < 1,), "every eta > 0")
T35 = bound(eta * (r * D + _SAMPLED) + HESSIAN, "Theorem 3.5", "corrected", (*SHORT, delta < 1))
T35_TUNED = bound(
    r * D / T + 6 * r * D / sqrt(T * K * delta) + r**2 * m_F / (2 * T),
    "Theorem 3.5",
    "corrected",
    (*SHORT, delta < 1),
    "eta = 1/T, 1 - 1/e",
)
S3 = bound(eta * r * weighted + _HESSIAN_WEIGHTED, "Theorem 3.5", "strengthened", SHORT, "in expectation")
S4_CHEBYSHEV = bound(
    eta * r * weighted + _HESSIAN_WEIGHTED + eta * r * sqrt(ceilings / (K * delta)),
    "Theorem 3.5",
    "strengthened",
    (*SHORT, delta < 1),
    "one Chebyshev inequality for the martingale",
)
S4_HOEFFDING = bound(
    eta * r * weighted + _HESSIAN_WEIGHTED + eta * r * sqrt(2 * log(1 / delta) * ceilings / K),
    "Theorem 3.5",
    "strengthened",
    (*SHORT, delta < 1),
    "Hoeffding and Azuma",
)

# FedCG+ ---------------------------------------------------------------------------------------------------------

DRIFTED = r * sigma + r ** Rational(3, 2) * L  # eps_t of Lemma 4.2
L42 = bound((6 * r * gamma + 2 * DRIFTED) ** 2 / K, "Lemma 4.2")
L42_SHARP = bound((r * gamma + r * sigma + r * B / 2) ** 2 / K, "Lemma 4.2", "strengthened")
L42_69 = bound(DRIFTED, "proof of Lemma 4.2 (69)")
L42_69_CORRECTED = bound(2 * r * sigma + r * B, "proof of Lemma 4.2 (69)", "corrected")
C1 = bound(r * gamma, "Claim C.1")
C2 = bound(2 * DRIFTED, "Claim C.2")
C2_SHARP = bound(2 * r * sigma + r * B, "Claim C.2", "strengthened")
_DRIFT = 2 * sigma * r + 2 * eta * r ** Rational(3, 2) * Q
_FIRST_DISPLAY = HESSIAN + eta * r * D + _DRIFT + sqrt(T / (K * delta)) * (6 * eta * r * D + _DRIFT)
T43_PRINTED = bound(_FIRST_DISPLAY, "Theorem 4.3", "printed", (delta < 1,), "first display, every eta > 0", local=True)
T43 = bound(_FIRST_DISPLAY, "Theorem 4.3", "corrected", (*SHORT, delta < 1), "first display", local=True)
_UNROLLED = 2 * (sigma * r * T + r ** Rational(3, 2) * Q)
_ERRORS = eta * (r * D + (6 * r * D + _UNROLLED) / sqrt(K * delta / T) + _UNROLLED)  # alpha^2 = delta/R
UNROLLED_PRINTED = bound(
    (1 - eta) ** (tau * (T - 1) + 1) * OPT + _ERRORS + tau * HESSIAN,
    "proof of Theorem 4.3 (102)",
    "printed",
    (*SHORT, delta < 1),
    "the exponent t + 1 as printed, in the last round, t = tau (R - 1)",
    local=True,
)
UNROLLED = bound(
    (1 - eta) ** T * OPT + _ERRORS + HESSIAN,
    "proof of Theorem 4.3 (102)",
    "corrected",
    (*SHORT, delta < 1),
    "the exponent t/tau + 1",
    local=True,
)
_DRIFT_TUNED = 2 * r ** Rational(3, 2) * Q
T43_TUNED = bound(
    r**2 * m_F / (2 * T)
    + r * D / T
    + 2 * sigma * r * (1 + 1 / sqrt(K * T * delta))
    + _DRIFT_TUNED / T
    + (6 * D * r + _DRIFT_TUNED) / sqrt(T * K * delta),
    "Theorem 4.3",
    "printed",
    (*SHORT, delta < 1),
    "second display, eta = 1/R, 1 - 1/e",
    local=True,
)
NO_DEARER = bound(
    Integer(0),
    "Section 4",
    "strict",
    (),
    "Algorithm 1 can be further improved to reduce communication rounds",
    local=True,
)
LOCAL_STEPS = bound(
    _DRIFT * (1 + sqrt(T / (K * delta))),
    "Section 4",
    "corrected",
    (),
    "beside what Theorem 3.5 has",
    "equal",
    local=True,
)
LOCAL_STEPS_TUNED = bound(
    2 * sigma * r * (1 + 1 / sqrt(K * T * delta)) + _DRIFT_TUNED * (1 / T + 1 / sqrt(T * K * delta)),
    "Section 4",
    "corrected",
    (),
    "second display, beside what Theorem 3.5 has",
    "equal",
    local=True,
)
LIPSCHITZ_TERM = bound(r * m_max, "Section 4", "strengthened", note="2 r OPT against 2 r^2 m")
S5 = bound(
    eta * (r * weighted + r * drift)
    + 2 * r * sigma * (1 - (1 - eta) ** T)
    + _HESSIAN_WEIGHTED
    + eta * sqrt(deviations / (K * delta)),
    "Theorem 4.3",
    "strengthened",
    (*SHORT, delta < 1),
    "points in the cube",
    local=True,
)

# Discrete greedy ------------------------------------------------------------------------------------------------

LOG = log(2 * r * n**2)
KAPPA_UNIFORM = Rational(40, 3) * (1 - exp(-1)) * r * LOG / eps**2
KAPPA_MATROID = Rational(20, 3) * r * LOG / eps**2
MATROID = (Rational(1, 2) - eps) * OPT
UNIFORM = (1 - exp(-1) - eps) * OPT
