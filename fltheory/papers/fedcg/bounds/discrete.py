"""The bounds of the discrete half: Section 5, Appendix D, rounding (Remark 4.4) and what is sent.

Section 5 takes F = sum_i f_i. Here the weights are absorbed, f_i standing for p_i f_i, so that F is the objective of the
other sections.
"""

from __future__ import annotations

from math import floor
from typing import Any

from sympy import Expr, log

from fltheory.number import evaluate_ball, exact, precise, to_float
from fltheory.papers.fedcg.bounds import KAPPA_MATROID, KAPPA_UNIFORM, MATROID, UNIFORM, bound
from fltheory.papers.fedcg.letters import OPT, eps, independent, kappa, n, r
from fltheory.problems.sets.matroids import n_independent

# Theorem 5.1: the value that Algorithm 3 reaches ----------------------------------------------------------------

BELOW_ONE = (eps < 1,)
FAILURE = 1 / n
KAPPA_MATROID_PRINTED = n * KAPPA_MATROID  # O~(rn/eps^2) with the constant and logarithm of S6
KAPPA_UNIFORM_PRINTED = n * KAPPA_UNIFORM
AS_PRINTED_MATROID = (*BELOW_ONE, kappa >= KAPPA_MATROID_PRINTED)
AS_PRINTED_UNIFORM = (*BELOW_ONE, kappa >= KAPPA_UNIFORM_PRINTED)
T51_MATROID_PRINTED = bound(MATROID, "Theorem 5.1", "printed", AS_PRINTED_MATROID, "F = sum p_i f_i", "lower")
T51_UNIFORM_PRINTED = bound(UNIFORM, "Theorem 5.1", "printed", AS_PRINTED_UNIFORM, "F = sum p_i f_i", "lower")
T51_MATROID = bound(MATROID, "Theorem 5.1", "corrected", AS_PRINTED_MATROID, "p_i absorbed", "lower")
T51_UNIFORM = bound(UNIFORM, "Theorem 5.1", "corrected", AS_PRINTED_UNIFORM, "p_i absorbed", "lower")
D2 = bound(UNIFORM, "Theorem D.2", "printed", AS_PRINTED_UNIFORM, side="lower")
D5 = bound(UNIFORM, "Theorem D.5", "printed", AS_PRINTED_UNIFORM, side="lower")
WITH_S = "line 7 of Algorithm 3 read so that e may be in S"
D2_LITERAL = bound(UNIFORM, "Theorem D.2", "literal", AS_PRINTED_UNIFORM, WITH_S, "lower")
D5_LITERAL = bound(UNIFORM, "Theorem D.5", "literal", AS_PRINTED_UNIFORM, WITH_S, "lower")
S6_MATROID = bound(
    MATROID,
    "Theorem 5.1",
    "sharpened",
    (*BELOW_ONE, kappa >= KAPPA_MATROID),
    "fresh coins, n times fewer answers",
    "lower",
)
S6_UNIFORM = bound(
    UNIFORM,
    "Theorem 5.1",
    "sharpened",
    (*BELOW_ONE, kappa >= KAPPA_UNIFORM),
    "fresh coins, n times fewer answers",
    "lower",
)
KAPPA_DEVIATION = 3 * r * log(2 * n * independent) / eps**2
KAPPA_ONCE = 4 * KAPPA_DEVIATION  # eps_1 = eps/2
_ONCE = kappa >= KAPPA_ONCE
S7_MATROID = bound(MATROID, "Theorem 5.1", "sharpened", (*BELOW_ONE, _ONCE), "coins thrown once", "lower")
S7_UNIFORM = bound(UNIFORM, "Theorem 5.1", "sharpened", (*BELOW_ONE, _ONCE), "coins thrown once", "lower")
S7_SHARE = bound(r, "Section 5", "sharpened", note="f_i(S) against w_i F(S)")
S7_DEVIATION = bound(1 / n, "Section 5", "sharpened", (eps <= 1, kappa >= KAPPA_DEVIATION), "coins thrown once")
NWF_UNIFORM = bound((1 - (1 - 1 / r) ** r) * OPT, "Section 2, greedy (quoted)", side="lower")
NWF_MATROID = bound(OPT / 2, "Section 2, greedy (quoted)", side="lower")

# Importance and participants ------------------------------------------------------------------------------------

IMP_SUM = bound(n, "proofs of Theorems D.2 and D.5", "explicit", note="F = sum f_i")
PARTICIPANTS = bound(kappa * n, "Theorem 5.1, participants", "corrected", note="p_i absorbed")


def least_scale(expr: Expr, clients: Any, accuracy: Any) -> int:
    """The smallest whole kappa that is sure to be at least this formula, in the clients' constants."""
    values = {
        n: clients.dim,
        r: clients.matroid.rank,
        eps: exact(accuracy),
        independent: n_independent(clients.matroid),
    }
    return floor(to_float(precise(lambda: evaluate_ball(expr, values)))) + 1
