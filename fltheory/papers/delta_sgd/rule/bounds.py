"""The bounds of the step-size rule, and of the points where Delta-SGD ends, that proofs use too."""

from __future__ import annotations

from sympy import Integer, Max

from fltheory.papers.delta_sgd.bounds import MOST, bound
from fltheory.papers.delta_sgd.notation import L, T, eta_0, gamma, mu

LINE = "Algorithm 1, line 9"

# Growth (R1) and upper bound (R3) -------------------------------------------------------------------------------------

RATIO = bound(MOST, LINE, "explicit", convex=True)
EXPONENTIAL = bound(eta_0 * MOST**T, "after (28)", "corrected", convex=True)
OF_ORDER = bound(
    1000 * Max(eta_0, gamma / (2 * L)), "after (28)", "explicit", note="O(.) with the constant 1000", convex=True
)
CEILING_OF_RUN = bound(gamma / (2 * mu), LINE, "explicit", convex=True)  # from the run: gradient change over distance

# Fixed points: distance to the stated point ---------------------------------------------------------------------------

AT_MINIMISER = bound(
    Integer(0),
    "Algorithm 1",
    "strict",
    note="problem (1) asks for it, no theorem promises it",
    side="equal",
    convex=True,
)
FEDNOVA = bound(Integer(0), "Algorithm 1", "explicit", note="weights 1/(sum of the steps)", side="equal", convex=True)
