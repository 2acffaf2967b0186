"""Bounds of the lemmas about one round that proofs and figures use; the others are with their statements."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Max, Rational, floor

from fltheory.model.bound import Bound, Reading, Side
from fltheory.papers.aaggff.bounds import H_DR, L_DR, RANGE, SAMPLED, SHARE, H, L, V
from fltheory.papers.aaggff.bounds import bound as _bound
from fltheory.papers.aaggff.notation import C1, C2, K, c, m

ONE = Integer(1)
EQUAL: Side = "equal"
LEAST: Side = "lower"


def bound(
    expr: Expr,
    place: str,
    reading: Reading = "printed",
    conditions: tuple[Any, ...] = (),
    note: str = "",
    side: Side = "upper",
    where: tuple[tuple[Any, Expr], ...] = (),
) -> Bound:
    """Make a bound of this paper, by default without conditions."""
    return _bound(expr, place, reading, conditions, note, side, where)


# Lemma 4.1 --------------------------------------------------------------------------------------------------------------


_L41 = "Lemma 4.1"
L41 = bound(L, _L41, conditions=RANGE, note="in the sup norm")
L41_FEW = bound(L, _L41, "corrected", (*RANGE, K <= 3), "in the sup norm, for at most three clients")
L41_THRESHOLD = bound(
    L, _L41, "corrected", (*RANGE, floor(K / 2) * (C2 - C1) <= C2), "where the sup norm's own constant is no larger"
)
L41_SUP = bound(floor(K / 2) * V, _L41, "corrected", RANGE, "(L3) the sup norm's own constant")
L41_GRADIENT = bound(L, _L41, "corrected", RANGE, "(L1) what the proofs use")
L41_SUM = bound(L, _L41, "corrected", RANGE, "(L1) in the sum norm")
L41_HALF = bound(H, _L41, "strengthened", RANGE, "(L2) in the sum norm, on the simplex")
L41_RANGE = bound((1 + C2) / (1 + C1), _L41, "strengthened", RANGE, "(L4) as exponentials")
L41_CHAIN = bound(L, _L41, conditions=RANGE, note="what its proof shows")

# Lemma 4.3 ----------------------------------------------------------------------------------------------------------

BIAS = bound((K - m) / (m * (K - 1)), "Lemma 4.3", "corrected", (m <= K,), "1 - kappa", EQUAL)

# Lemma 4.4 ----------------------------------------------------------------------------------------------------------

_L44 = "Lemma 4.4"
_INSIDE = (*RANGE, c >= C1, c <= C2)
SQUARE = (C2 - C1) ** 2 / ((1 + C1) * (1 + C2))  # V^2 / (1 + V)
REACH = (C2 - C1) / (1 + c) * Max((c - C1) / (1 + C1), (C2 - c) / (1 + C2), evaluate=False)
MIDDLE = (C1 + C2) / 2
HARMONIC = 2 * (1 + C1) * (1 + C2) / (2 + C1 + C2) - 1
REMAINDER = bound(SQUARE, _L44, "corrected", _INSIDE, "V^2/(1 + V), any reference in the range")
REMAINDER_MIDDLE = bound(
    (C2 - C1) ** 2 / ((1 + C1) * (2 + C1 + C2)), _L44, "strengthened", RANGE, "V^2/(2 + V), the reference in the middle"
)
REMAINDER_BEST = bound(SQUARE / 2, _L44, "strengthened", RANGE, "1 + c the harmonic mean of 1 + C1 and 1 + C2")

# Lemma A.2 ----------------------------------------------------------------------------------------------------------

A2 = bound(L_DR, "Lemma A.2", "printed", SAMPLED, where=SHARE)
A2_HALF = bound(H_DR, "Lemma A.2", "strengthened", SAMPLED, "the half-span of the entries", where=SHARE)

# Lemma A.10 ---------------------------------------------------------------------------------------------------------

HALF = Rational(1, 2)
_CHOICE = "proof of Theorem 5.1, beta = 1/(4L)"
ROOT_LOW, ROOT_HIGH = Rational(29871, 100000), Rational(29872, 100000)  # of 7 C2 = 8 log(1 + C2)
A10_CHOICE = bound(ONE, _CHOICE, "printed", RANGE, "always in the window", LEAST)
A10_CHOICE_LARGE = bound(ONE, _CHOICE, "corrected", (*RANGE, L >= ROOT_HIGH), "in the window", LEAST)
A10_CHOICE_SMALL = bound(ONE, _CHOICE, "strengthened", (*RANGE, C1 <= 0, C2 <= ROOT_LOW), "outside")
