"""The paper's regret bounds in all readings, in the paper's order; ``losses/bounds.py`` has those of the lemmas.

Regret is that of (5): the cumulative loss -log(1 + <p, r>) of the decisions minus that of the best fixed decision.
Responses are in [C1, C2]; the paper has 0 < C1 and its experiments C1 = 0: every statement here is for C1 >= 0.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Rational, log, sqrt

from fltheory.model.bound import HIDDEN_CONSTANT, Bound, Reading, Side, Source
from fltheory.papers.aaggff.notation import C1, C2, LETTERS, C, K, Ls, T, alpha, beta, c, m

RANGE = (C2 > C1, K >= 2)
SAMPLED = (*RANGE, m <= K)
IMPUTED = (*SAMPLED, c >= C1, c <= C2)


def bound(
    expr: Expr,
    place: str,
    reading: Reading = "printed",
    conditions: tuple[Any, ...] = RANGE,
    note: str = "",
    side: Side = "upper",
    where: tuple[tuple[Any, Expr], ...] = (),
) -> Bound:
    """Make a bound of this paper."""
    return Bound(expr, Source("aaggff", place, reading, note), conditions, side, where, LETTERS)


# Constants ------------------------------------------------------------------------------------------------------

L = C2 / (1 + C1)  # L_inf bounds the entries of a gradient (Lemma 4.1)
V = (C2 - C1) / (1 + C1)  # a bound on the difference of two entries of a gradient
H = V / 2  # on the simplex only this half-span matters, since multiples of 1 have no effect
L_DR = C2 / (1 + C1) + 2 * (C2 - C1) / (C * (1 + C1))  # Lemma A.2
H_DR = V / (2 * C)  # the half-span of the estimated gradient
BETA_STAR = 2 * (V - log(1 + V)) / V**2  # the largest beta with -log(1 - u) >= u + beta u^2 / 2 on [-V, V/(1 + V)]
SHARE = ((C, m / K),)
TRIVIAL = T * log(1 + V)  # (L4): the losses of two decisions differ by no more in a round

# Theorem 5.1 ----------------------------------------------------------------------------------------------------

ALPHA, BETA = 4 * K * L, 1 / (4 * L)
NEWTON = ((alpha, ALPHA), (beta, BETA))
WINDOW = (*RANGE, beta <= BETA_STAR)
T51 = bound(2 * L * K * (1 + log(1 + T / (16 * K))), "Theorem 5.1")
T51_WINDOW = bound(
    T51.expr,
    "Theorem 5.1",
    "corrected",
    (*RANGE, BETA <= BETA_STAR),
    note="where 1/(4L) lies in the window of Lemma A.10",
)
T51_GENERAL = bound(
    alpha / 2 * (1 - 1 / K) + K / (2 * beta) * log(1 + beta * T * L**2 / alpha),
    "Theorem 5.1",
    "corrected",
    WINDOW,
    note="any alpha, any beta in the window of the curvature",
)
T51_SHARP = bound(
    alpha / 2 * (1 - 1 / K) + (K - 1) / (2 * beta) * log(1 + beta * T * K * H**2 / ((K - 1) * alpha)),
    "Theorem 5.1",
    "strengthened",
    WINDOW,
    note="gradients centred: rank K - 1, entries within H",
)

# Theorem 5.2 ----------------------------------------------------------------------------------------------------

ROOT = sqrt(T * log(K))
T52 = bound(2 * L * ROOT, "Theorem 5.2")
T52_AT_D = bound(2 * L * ROOT, "Theorem 5.2", "strict", note="exact gradients at Algorithm 3's rate")
T52_STEP = bound((Ls + L**2 / Ls) * ROOT, "Theorem 5.2", "explicit", note="eta_t = L_s sqrt(t / log K) for any L_s")
T52_SHARP = bound((Ls + H**2 / Ls) * ROOT, "Theorem 5.2", "strengthened", note="the half-span of the gradients counts")
T52_HALF = bound(V * ROOT, "Theorem 5.2", "strengthened", note="L_s = H")

# Corollary 5.3 --------------------------------------------------------------------------------------------------

_TWO = (
    "O(.) read as 2, the constant of Theorem 5.2 that its proof invokes: games long enough to refute "
    f"{HIDDEN_CONSTANT} are out of reach"
)
C53 = bound(2 * L * ROOT, "Corollary 5.3", conditions=SAMPLED, note=_TWO)
C53_K = bound(2 * L * K * ROOT, "Corollary 5.3, last line of the proof", conditions=SAMPLED, note=_TWO)
P1 = bound(2 * L_DR * ROOT, "Corollary 5.3", "corrected", SAMPLED, "the linearised regret, path by path", where=SHARE)
P1_SHARP = bound(2 * H_DR * ROOT, "Corollary 5.3", "strengthened", SAMPLED, "the same at the step H_DR", where=SHARE)
P2 = bound(
    2 * H_DR * ROOT + V**2 / (1 + V) * T,
    "Corollary 5.3",
    "corrected",
    IMPUTED,
    "a reference that does not depend on the draw: the linearisation costs a part of every round",
    where=SHARE,
)
P2_MIDDLE = bound(
    2 * H_DR * ROOT + V**2 / (2 + V) * T,
    "Corollary 5.3",
    "strengthened",
    SAMPLED,
    "the reference (C1 + C2)/2",
    where=SHARE,
)
P2_BEST = bound(
    2 * H_DR * ROOT + V**2 / (2 * (1 + V)) * T,
    "Corollary 5.3",
    "strengthened",
    SAMPLED,
    "the best reference: 1 + c the harmonic mean of 1 + C1 and 1 + C2",
    where=SHARE,
)
P2_REMEMBERING = bound(
    P2.expr, "Corollary 5.3", "corrected", SAMPLED, "the reference is last round's mean", where=SHARE
)
P3 = bound((C2 - C1) / C * ROOT, "Corollary 5.3", "corrected", IMPUTED, "the linear decision loss", where=SHARE)
VERTEX = bound(
    Rational(99, 100) * T * log((1 + C2) / (1 + C1 + (C2 - C1) / K)),
    "Corollary 5.3",
    "corrected",
    SAMPLED,
    "one client a round",
    "lower",
)
