"""The bounds of the discrete problem that proofs use: Section 5 and Appendix D.

Section 5 takes F = sum_i f_i. Here f_i includes the weight p_i, so that F is the objective of the
other sections.
"""

from __future__ import annotations

from math import floor

from sympy import Expr, Integer, log

from fltheory.number import Number, evaluate_ball, evaluate_to_precision, exact, to_float
from fltheory.papers.fedcg.bounds import KAPPA_MATROID, KAPPA_UNIFORM, MATROID, UNIFORM, bound
from fltheory.papers.fedcg.notation import OPT, N, eps, independent, kappa, m_max, n, present, r
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import n_independent

# Theorem 5.1: the value that Algorithm 3 reaches ----------------------------------------------------------------

KAPPA_MATROID_PRINTED = n * KAPPA_MATROID  # O~(rn/eps^2) with the constant and logarithm of S6
KAPPA_UNIFORM_PRINTED = n * KAPPA_UNIFORM
S6_MATROID = bound(
    MATROID,
    "Theorem 5.1",
    "strengthened",
    (eps < 1, kappa >= KAPPA_MATROID),
    "fresh coins, n times fewer answers",
    "lower",
)
S6_UNIFORM = bound(
    UNIFORM,
    "Theorem 5.1",
    "strengthened",
    (eps < 1, kappa >= KAPPA_UNIFORM),
    "fresh coins, n times fewer answers",
    "lower",
)
KAPPA_DEVIATION = 3 * r * log(2 * n * independent) / eps**2
KAPPA_ONCE = 4 * KAPPA_DEVIATION  # eps_1 = eps/2
_ONCE = kappa >= KAPPA_ONCE
S7_MATROID = bound(MATROID, "Theorem 5.1", "strengthened", (eps < 1, _ONCE), "coins thrown once", "lower")
S7_UNIFORM = bound(UNIFORM, "Theorem 5.1", "strengthened", (eps < 1, _ONCE), "coins thrown once", "lower")
S7_SHARE = bound(r, "Section 5", "strengthened", note="f_i(S) against w_i F(S)")
S7_DEVIATION = bound(1 / n, "Section 5", "strengthened", (eps <= 1, kappa >= KAPPA_DEVIATION), "coins thrown once")
BY_LARGEST_MATROID = bound(
    MATROID, "Theorem 5.1", "strengthened", (eps < 1, kappa >= KAPPA_MATROID), "no importance factors", "lower"
)
SAMPLED = bound(
    UNIFORM, "Remark D.4", "explicit", (eps < 1, kappa >= KAPPA_UNIFORM), "sampling sufficiently many clients", "lower"
)
BY_LARGEST_UNIFORM = bound(
    UNIFORM, "Theorem 5.1", "strengthened", (eps < 1, kappa >= KAPPA_UNIFORM), "no importance factors", "lower"
)
NWF_UNIFORM = bound((1 - (1 - 1 / r) ** r) * OPT, "Section 2, greedy (quoted)", side="lower")
NWF_MATROID = bound(OPT / 2, "Section 2, greedy (quoted)", side="lower")

# Importance and participants ------------------------------------------------------------------------------------

IMP_SUM = bound(n, "proofs of Theorems D.2 and D.5", "explicit", note="F = sum f_i")
SHARED = bound((1 - (1 - 1 / r) ** r) * OPT, "Remark D.4", note="applicable", side="lower")
SHARED_ALWAYS = bound(
    (1 - (1 - 1 / r) ** r) * OPT,
    "Remark D.4",
    "strict",
    note="at each round clients share their membership",
    side="lower",
)
ABSENT = bound(
    (1 - (1 - 1 / r) ** r) * (OPT - (1 - present / N) * m_max),
    "Remark D.4",
    "strengthened",
    (),
    "N - N' clients away",
    "lower",
)
ALIKE = bound(Integer(1), "Remark D.4", "strengthened", note="the answers of Algorithm 3")
ALIKE_ANY = bound(Integer(1), "Theorem 5.1", "strengthened", note="the answers of Algorithm 3")
PARTICIPANTS = bound(kappa * n, "Theorem 5.1, participants", "corrected", note="p_i absorbed")


def least_scale(expr: Expr, clients: SubmodularClients, accuracy: Number) -> int:
    """Return the smallest whole kappa that is sure to be at least this formula, in the clients' constants."""
    values = {
        n: clients.dim,
        r: clients.matroid.rank,
        eps: exact(accuracy),
        independent: n_independent(clients.matroid),
    }
    return floor(to_float(evaluate_to_precision(lambda: evaluate_ball(expr, values)))) + 1
