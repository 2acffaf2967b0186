"""The regret bounds of the paper in their readings, in its order; ``sgd/bounds.py`` has the rates of the optimisation.

Regret is that of (18): the expected cumulative loss of the sampler minus that of the comparator q^{1:T}.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Piecewise, Rational, exp, floor, log, sqrt

from fltheory.model.bound import Bound, Reading, Side, Source, min_of
from fltheory.papers.osmd.notation import (
    D1,
    LETTERS,
    TV,
    A,
    K,
    Lq,
    M,
    T,
    a2,
    alpha,
    beta,
    eta,
    gamma,
    n_experts,
    phi,
    psi,
    smaller,
)

FLOORED = (alpha <= 1, M >= 2)
WITHIN = (*FLOORED, TV <= beta)


def bound(
    expr: Expr,
    place: str,
    reading: Reading = "printed",
    conditions: tuple[Any, ...] = FLOORED,
    note: str = "",
    side: Side = "upper",
    where: tuple[tuple[Any, Expr], ...] = (),
) -> Bound:
    """Return a bound of this paper."""
    return Bound(expr, Source("osmd", place, reading, note), conditions, side, where, LETTERS)


# Sizes ----------------------------------------------------------------------------------------------------------

Q = M**3 * A / (K * alpha**3)  # sup-norm of the estimated gradient on the floored simplex
R = M**2 * A / (K * alpha**2)  # range of the estimated loss there
Q_BETA = log(M) / 2 + beta * log(M / alpha)
ETA = sqrt((2 * log(M) + 4 * beta * log(M / alpha)) / T) / Q  # (20)
TRIVIAL = alpha * T * R  # T M^2 A / (K alpha): no loss on the floored simplex is larger
EXPERTS = 1 - floor(-log(1 + 4 * log(M / alpha) / log(M) * (T - 1)) / (2 * log(Integer(2))))  # (23)
GAMMA_PRINTED = alpha / M * sqrt(8 * K / (T * A))
GAMMA = sqrt(8 / T) / R
WITH_EXPERTS = ((n_experts, EXPERTS),)
META = 1 + 2 * log(n_experts)

# Proposition 13 and Theorem 6 -----------------------------------------------------------------------------------


def intrinsic(variation: int = 2, squares: int = 2, start: Expr | None = None) -> Expr:
    """Return start/eta + variation log(M/alpha) TV/eta + eta M^6/(squares K^2 alpha^6) times the sum of a_max^2."""
    first = log(M) if start is None else start
    return first / eta + variation * log(M / alpha) * TV / eta + eta * M**6 * a2 / (squares * K**2 * alpha**6)


P13 = bound(intrinsic(), "Proposition 13")
P13_SHARP = bound(intrinsic(1, 8, D1), "Proposition 13", "strengthened", note="Hölder once, Hoeffding's lemma, D(q^1)")
T6 = bound(
    intrinsic() + 8 * log(M / alpha) * psi / eta + phi / K, "Theorem 6", note="true, though (56) gives phi without 1/K"
)
T6_SHARP = bound(intrinsic(1, 8, D1) + smaller, "Theorem 6", "strengthened", note="the projection is nonexpansive")
T6_PROJECTION = bound(
    8 * T * alpha * log(M / alpha) / eta + M / alpha * Lq, "text after Theorem 6", note="the projection error"
)

# Corollary 7 ----------------------------------------------------------------------------------------------------

C7_VALUE = Q * sqrt(T * Q_BETA)
C7 = bound(C7_VALUE, "Corollary 7 (21)", "printed", WITHIN)
C7_EXPLICIT = bound(2 * C7_VALUE, "Corollary 7 (21)", "explicit", WITHIN, note="what Theorem 6 gives at the rate (20)")
_x = sqrt((2 * log(M) + 4 * beta * log(M / alpha)) / T)
_h = Piecewise((Rational(1, 2), M <= 1), ((exp(_x) - 1 - _x) / _x**2, True))
_v = alpha**2 / (M * K) + (K - 1) * alpha**3 / (K * M**2)
C7_BRACKET = ((1 - alpha) * log(M) + beta * log(M / alpha)) / (log(M) + 2 * beta * log(M / alpha)) + min_of(
    Rational(1, 4), 2 * _h * _v
)
C7_SHARP = bound(C7_VALUE * C7_BRACKET, "Corollary 7 (21)", "strengthened", WITHIN, note="second moments of the counts")
ETA_TUNED = sqrt(8 * (log(M) + beta * log(M / alpha)) / T) / Q
C7_TUNED = bound(
    Q * sqrt(T * (log(M) + beta * log(M / alpha)) / 2), "Corollary 7", "strengthened", WITHIN, note="at a larger rate"
)

# Theorem 8: experts ---------------------------------------------------------------------------------------------


def meta(first: Expr | int) -> Expr:
    """Return the regret bound of the expert whose rate is nearest to the best rate."""
    return first * C7_VALUE


_COVERED = (*WITHIN, beta <= 2 * (T - 1))  # the rates (22) cover the best one (20)
EXPERT = bound(meta(3), "proof of Theorem 8 (59)", "printed", _COVERED)
EXPERT_SHARP = bound(meta(Rational(17, 8)), "proof of Theorem 8 (59)", "strengthened", _COVERED)
PRINTED_META = M / alpha * sqrt(T * A / (8 * K)) * META
_META = R * sqrt(T / 8) * META
META_PATHWISE = bound(
    gamma * T * R**2 / 8 + 2 * log(n_experts) / gamma, "proof of Theorem 8 (60)", "corrected", where=WITH_EXPERTS
)
T8 = bound(meta(3) + PRINTED_META, "Theorem 8", "printed", WITHIN, where=WITH_EXPERTS)
T8_CORRECTED = bound(
    meta(3) + _META, "Theorem 8", "corrected", WITHIN, "Hoeffding's range squared", "upper", WITH_EXPERTS
)
T8_ANY_RATE = bound(
    meta(3) + gamma * T * R**2 / 8 + 2 * log(n_experts) / gamma,
    "Theorem 8",
    "corrected",
    WITHIN,
    "any meta rate",
    "upper",
    WITH_EXPERTS,
)  # at the printed rate its last two terms are sqrt(T R / 8) (R + 2 log E)
T8_SHARP = bound(meta(Rational(17, 8)) + _META, "Theorem 8", "strengthened", WITHIN, where=WITH_EXPERTS)

# Theorem 10: doubling -------------------------------------------------------------------------------------------

_BLOCKS = sqrt(2) / (sqrt(2) - 1)  # sum of the square roots of the block lengths, over the square root of T
T10 = bound(2 * (meta(3) + PRINTED_META) / (sqrt(2) - 1), "Theorem 10", "printed", WITHIN, where=WITH_EXPERTS)
T10_CORRECTED = bound(_BLOCKS * (meta(3) + _META), "Theorem 10", "corrected", WITHIN, where=WITH_EXPERTS)
