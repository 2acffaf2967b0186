"""Savings by local steps in Theorem 4.3: its bound beside that of Theorem 3.5 at equal numbers of rounds."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from sympy import Expr

from fltheory.claims.claim import Claim
from fltheory.claims.statement import corrected, imported_late, requires, strict
from fltheory.model.case import Case
from fltheory.number import evaluate_exact
from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.guarantees.cases import Promise
from fltheory.papers.fedcg.instances.clients import facility_clients, private_items
from fltheory.papers.fedcg.notation import LOCAL
from fltheory.papers.fedcg.paper import CLIENTS, VALUE, fedcg
from fltheory.papers.fedcg.points.claims import ALONE, MIXED, RANKED

families = imported_late("fltheory.papers.fedcg.discrete.families")

# Equal numbers of rounds --------------------------------------------------------------------------------------------

DRIFTING = (
    Case(Promise(4, 9, 1, "1/2", dissimilarity_sum=1, lipschitz_sum="1/2")),
    Case(Promise(1, 4, 4, "1/3", "1/2", dissimilarity_sum=2, lipschitz_sum="1/10")),
    Case(Promise(9, 25, 4, "1/5", dissimilarity_sum=0, lipschitz_sum=3)),
)
NOISY = (Case(Promise(4, 9, 9, "1/2", dissimilarity_sum=1, estimate_error="1/10", lipschitz_sum=1)),)
ONE_STEP = (Case(Promise(4, 9, 1, "1/2", dissimilarity_sum=1)),)  # exact gradients: L_t = 0 where tau = 1
NEVER = (
    "The bound depends on τ through L_t alone, which is 0 for τ = 1 and nowhere negative: no τ reduces the number of "
    "rounds that it requires, and each round costs τ times the work."
)
compared = partial(fedcg.lemma, dimension=VALUE, mode="surely", letters=LOCAL)


def error(display: Expr, one: Promise) -> Fraction:
    """Return the error terms of a display at these numbers."""
    return evaluate_exact(display, one.constants)


EQUAL = (
    *compared("T4.3-rounds", "Section 4", "the errors of Theorem 4.3 less those of Theorem 3.5, after as many rounds",
        lambda one, c: error(bounds.T43.expr, one) - error(bounds.T35.expr, one)).readings(
        strict(
            "Local steps reduce the rounds: the guarantee of R rounds with τ of them is at least that without any, for the same D",
            bounds.NO_DEARER, counterexamples=DRIFTING, remark=NEVER),
        corrected(
            "They never improve the guarantee: the errors of Theorem 4.3 are those of Theorem 3.5 after as many rounds plus (2σr "
            "+ 2ηr^{1.5}Q)(1 + √(R/(Kδ)))", bounds.LOCAL_STEPS, cases=(*DRIFTING, *NOISY, *ONE_STEP), remark=NEVER)),
    compared("T4.3-rounds-tuned", "Section 4", "the same at the step 1/R, by the second display",
        lambda one, c: error(bounds.T43_TUNED.expr, one) - error(bounds.T35_TUNED.expr, one),
        family=Promise.drawn(share=1)).corrected(
        "The same for the second display, η = 1/R: 2σr(1 + 1/√(KRδ)) + 2r^{1.5}Q(1/R + 1/√(KRδ)) more",
        bounds.LOCAL_STEPS_TUNED, cases=(DRIFTING[0], DRIFTING[2], *NOISY, *ONE_STEP)),
)

# The Lipschitz constant that the paper names ---------------------------------------------------------------------------

SETTINGS = tuple(Case(one) for one in (MIXED, RANKED, ALONE, private_items(5), facility_clients(4, 6, 2, "1/100", seed=14)))

LISTED = (
    *CLIENTS,
    requires("the optimum is known exactly",
        lambda one, c: not isinstance(one.optimum, int | Fraction) and "the optimum is known only as an interval"),
)

VACUOUS = (
    fedcg.lemma("T4.3-vacuous", "Section 4", "OPT", lambda one, c: Fraction(one.optimum), VALUE, cases=SETTINGS,
        assumptions=LISTED, family=lambda: families().clients()).strengthened(
        "At the printed L_t <= m√r local steps cost 2r^{1.5}L = 2r²m >= 2r OPT: Theorem 4.3 is then vacuous",
        bounds.LIPSCHITZ_TERM,
        remark="(58) to (61) with L_t = m√r; r max m_f is no less than any value, as F is subadditive."),
)

CLAIMS: tuple[Claim, ...] = (*EQUAL, *VACUOUS)
