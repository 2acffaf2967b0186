"""Bounds on what the entropic step carries over: mixing weights, step lengths, limits, response ranges, printed tables.

No rate is printed. Of weights proportional to w_i exp(s_i) with all s_i in an interval of length S, no total variation
distance to w is above tanh(S/4), which two clients attain: that gives every limit to FedAvg its rate.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, exp, log, sqrt

from fltheory.bound import Bound
from fltheory.papers.aaggff.bounds import ALPHA as NEWTON_ALPHA
from fltheory.papers.aaggff.bounds import BETA, L_DR, L, bound
from fltheory.papers.aaggff.letters import C1, C2, C, K, M, T, lead, low, q, ratio, share, slope, tilt, top

ZERO, ONE = Integer(0), Integer(1)
REMARK = "Remark 3.1"
A1 = "Appendix A.1"


def equal(expr: Any, place: str, reading: Any = "printed", conditions: Any = (), note: str = "") -> Bound:
    """An equality."""
    return bound(expr, place, reading, conditions, note, "equal")


def plain(expr: Any, place: str, reading: Any = "printed", conditions: Any = (), note: str = "") -> Bound:
    """An upper bound that asks nothing of the range of the responses."""
    return bound(expr, place, reading, conditions, note)


# Which losses a method takes ----------------------------------------------------------------------------------------------------

POWER = (low > 0,)
TILT = (tilt > 0,)
BASELINE = (top < M,)

# Limits -------------------------------------------------------------------------------------------------------------------------


def _half_tangent(root: Expr) -> Expr:
    """tanh(S/4) of root = exp(S/2)."""
    return (root - 1) / (root + 1)


SPAN_Q, SPAN_TILT = q * log(top / low), tilt * (top - low)
TO_SHARES = {
    "q": (
        plain(SPAN_Q / 4, A1, "corrected", POWER),
        plain(_half_tangent((top / low) ** (q / 2)), A1, "sharpened", POWER),
    ),
    "tilt": (
        plain(SPAN_TILT / 4, A1, "corrected", TILT),
        plain(_half_tangent(exp(SPAN_TILT / 2)), A1, "sharpened", TILT),
    ),
    "baseline": (
        plain((top - low) / (4 * (M - top)), A1, "corrected", BASELINE),
        plain(_half_tangent(sqrt((M - low) / (M - top))), A1, "sharpened", BASELINE),
    ),
}


_AHEAD = (1 - share) / share
TO_WORST_Q = plain(_AHEAD * ratio**q, A1, "corrected", POWER)
TO_WORST_TILT = plain(_AHEAD * exp(-tilt * lead), A1, "corrected", TILT)

# Lengths of global steps ----------------------------------------------------------------------------------------------------------

SHORTER = plain(ONE, "(18)", "corrected", POWER)
VANISHING = plain(1 / (1 + q * slope), "(18)", "corrected", POWER, "s_q goes to 0 where no gradient is 0")
NOT_SHORTER = bound(1 / (1 + 2 * q), "(18)", "sharpened", POWER, "losses are smooth and nowhere below 0", "lower")
HARMONIC = (
    plain(1 / (M - top), "(23)", "corrected", BASELINE),
    bound(1 / (M - low), "(23)", "corrected", BASELINE, "", "lower"),
)

# Response ranges (Appendix B.2) -----------------------------------------------------------------------------------------------

B2 = "Appendix B.2"
SILO = ((C1, ZERO), (C2, 1 / K))
DEVICE = ((C1, ZERO), (C2, C))
SILO_VALUES = {"L": L, "alpha": NEWTON_ALPHA, "beta": BETA}  # of Theorem 5.1
DEVICE_VALUES = {"L": L_DR, "ratio": L_DR / L}
INFLATION = 4 * sqrt(log(K) / T) / C
HALF_UNIT = Rational(1, 200)  # of the second digit
