"""Theorem 4.3 beside Theorem 3.5 after equal numbers of rounds: local steps cost in its bound, and never save.

T counts the rounds, R = T/tau in the paper. Both theorems have the same D, sigma, step and failure probability.
"""

from __future__ import annotations

from sympy import Rational, Symbol, sqrt

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.notation import OPT, D, K, Q, T, delta, eta, m_F, m_max, r, sigma
from fltheory.proof import by, le, proof, statement_of
from fltheory.proof.terms import Scalar, Total, family

FIRST = bounds.T43.expr - bounds.T35.expr
SECOND = bounds.T43_TUNED.expr - bounds.T35_TUNED.expr
_COSTS, _ = statement_of(bounds.LOCAL_STEPS, FIRST)
COSTS = proof(
    "fedcg/T4.3-rounds",
    "Section 4",
    of="fedcg/T4.3-rounds@corrected",
    bound=bounds.LOCAL_STEPS,
    note="what the first display has beyond Theorem 3.5, for every number of rounds and of local steps",
).qed(_COSTS, by.linear())
COSTS_TUNED = proof(
    "fedcg/T4.3-rounds-tuned",
    "Section 4",
    of="fedcg/T4.3-rounds-tuned@corrected",
    bound=bounds.LOCAL_STEPS_TUNED,
    note="the same of the second display, at the step 1/R",
).qed(statement_of(bounds.LOCAL_STEPS_TUNED, SECOND)[0], by.linear())
NEVER = (
    proof("fedcg/T4.3-never", "Section 4", note="no number of local steps makes the bound smaller at equal rounds")
    .step("costs", by.apply(COSTS))
    .qed(le(bounds.T35.expr, bounds.T43.expr), by.linear("costs"))
)
_ZERO = {eta: Rational(1, 4), T: 4, K: 1, delta: Rational(1, 4), r: 1, m_F: 1, D: 1, sigma: 0, Q: 1}
SAVES = proof(
    "fedcg/T4.3-rounds@strict",
    "Section 4",
    of="fedcg/T4.3-rounds@strict",
    bound=bounds.NO_DEARER,
    recorded="REFUTED",
    note="four rounds, one client drawn, Q = 1",
).qed(statement_of(bounds.NO_DEARER, FIRST)[0], by.counterexample(_ZERO), note="the local steps cost 5/2")

# The printed Lipschitz constant ---------------------------------------------------------------------------------------

k = Symbol("k", integer=True, positive=True)
item = family(Scalar, "F_o")
LIPSCHITZ = m_max * sqrt(r)
VACUOUS = (
    proof("fedcg/T4.3-vacuous", "Section 4", of="fedcg/T4.3-vacuous@strengthened", bound=bounds.LIPSCHITZ_TERM,
        note="r OPT is at most r^2 m: half of what local steps cost at the printed L_t")
    .given("subadditive", le(OPT, Total(item(k), k, 1, r)), "the optimum has r items, and F is subadditive")
    .given("items", le(item(k), m_max, (k, 1, r)), "no item has more for F, a mean of the f_i, than for some client")
    .step("sum", by.sum_over(k, "items"))
    .qed(statement_of(bounds.LIPSCHITZ_TERM, OPT)[0], by.linear("subadditive", "sum"))
)
TERM = (
    proof("fedcg/T4.3-term", "Section 4", note="the second display's term of L alone is at least 2 r OPT")
    .given("optimum", le(OPT, r * m_max), "fedcg/T4.3-vacuous")
    .given("lipschitz", le(T * LIPSCHITZ, Q), "Q sums up the printed bound of L_t")
    .qed(le(2 * r * OPT, 2 * r ** Rational(3, 2) * Q / T), by.linear("optimum", "lipschitz"))
)

THEOREMS = (COSTS, COSTS_TUNED, NEVER, SAVES, VACUOUS, TERM)
