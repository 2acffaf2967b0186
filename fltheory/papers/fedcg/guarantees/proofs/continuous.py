"""Continuous greedy and gradient sharing as the claims state them: I3 at every rank and T, Section 3, the rule on T."""

from __future__ import annotations

from sympy import Expr, Integer, exp

from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.guarantees.closed_forms.rules import RULE_35_SQUARED
from fltheory.papers.fedcg.guarantees.proofs import remarks
from fltheory.papers.fedcg.guarantees.proofs import theorem32 as full
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import ROUNDS, G, V, g, t
from fltheory.papers.fedcg.notation import OPT, D, T, error, eta, m_F, r
from fltheory.papers.fedcg.points.proofs.lemmas import clients, e, i
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.terms import Total
from fltheory.verification import find

# I3 --------------------------------------------------------------------------------------------------------------------

_LEFT = find("fedcg/P6-left@strengthened").bound
_FACTOR, _ROOT = find("fedcg/P6-factor@strengthened").bounds
_C = remarks.kept(r, 1 / T)
_, RANKS = statement_of(_LEFT, Integer(0))
_AT = {remarks.size: r - 1}
LEFT = (
    proof("fedcg/P6-left@strengthened", "Section 3", of="fedcg/P6-left@strengthened", bound=_LEFT,
        note="for every T and every rank from 2 on")
    .under(*RANKS)
    .step("never", by.apply(remarks.NEVER, _AT, "c1"))
    .qed(statement_of(_LEFT, _C**T)[0], by.linear("never"))
)
FACTOR = (
    proof("fedcg/P6-factor@strengthened", "Section 3", of="fedcg/P6-factor@strengthened", bound=_FACTOR,
        note="a step covers at most the share of a second-order Taylor polynomial")
    .under(*RANKS)
    .step("unit", le(1 / T, 1), by.linear())
    .step("rank", by.apply(remarks.ODDS, {remarks.u: 1 / T, **_AT}, "unit", "c1"))
    .qed(statement_of(_FACTOR, _C)[0], by.linear("rank"))
)
ROOT = (
    proof("fedcg/P6-factor-exp", "Section 3", of="fedcg/P6-factor@strengthened", bound=_ROOT,
        note="which is more than exp(-1/T)")
    .under(*RANKS)
    .step("unit", le(1 / T, 1), by.linear())
    .step("factor", by.apply(FACTOR))
    .step("left", by.apply(remarks.LEFT, {remarks.w: 1 / T}))
    .qed(statement_of(_ROOT, _C)[0], by.linear("factor", "left"))
)

# Sharing gradients ---------------------------------------------------------------------------------------------------------

_SHARED = find("fedcg/P6-share@corrected").bound
w = full.one.w


def items(term: Expr) -> Expr:
    """Return the sum over the items of a term in e."""
    return Total(term, e, 1, full.n)


MEAN = Given("mean", eq(G(t, e, 0), clients(g(t, i, e)), ROUNDS, (e, 1, full.n)),
    "P9: the server takes the mean of the gradients")
BEST = Given("best", le(items(w(e) * clients(g(t, i, e))), items(full.direction(t, e) * clients(g(t, i, e))), ROUNDS),
    "its direction is a base that is best for this mean")
_OWN = tuple(
    h if h.id != "rank" else Given("rank", le(h.relation.left, r, ROUNDS), "its direction is a base: r ones")
    for h in full.P6.hypotheses
    if isinstance(h, Given) and h.id != "best"
)
_TAKEN = full.direction(t, e)
SHARE = (
    proof("fedcg/P6-share", "Section 2, continuous greedy", of="fedcg/P6-share@corrected", bound=_SHARED,
        note="however unlike the clients are: the server does continuous greedy on F")
    .under(*_OWN, MEAN, BEST)
    .step("optimum's", by.sum_over(e, "mean", weight=w(e)))
    .step("own", by.sum_over(e, "mean", weight=_TAKEN))
    .step("best F", le(items(w(e) * G(t, e, 0)), items(_TAKEN * G(t, e, 0)), ROUNDS),
        by.linear("optimum's", "own", "best"))
    .qed(statement_of(_SHARED, full.SHORTFALL)[0], by.apply(full.P6, *(h.id for h in _OWN), "best F"))
)
_LIMIT = find("fedcg/P6-limit@corrected").bound
_ONE_OVER = {eta: 1 / T}
_, (_, LONG) = statement_of(_LIMIT, Integer(0), _ONE_OVER)
_STEPS = tuple(Given(h.id, h.relation.at(_ONE_OVER), h.why) for h in (*_OWN, MEAN, BEST) if h.id != "c1")
LIMIT = (
    proof("fedcg/P6-limit@corrected", "Section 3", of="fedcg/P6-limit@corrected", bound=_LIMIT, reading=_ONE_OVER,
        note="with an error, and so many steps")
    .under(*_STEPS, LONG)
    .step("short", le(T * (1 / T), 1), by.linear())
    .step("run", by.apply(SHARE, _ONE_OVER, *(h.id for h in _STEPS), "short"))
    .step("P8", by.apply(algebra.P8))
    .qed(statement_of(_LIMIT, (1 - exp(-1)) * OPT - V(T, 0), _ONE_OVER)[0], by.linear("run", "P8", "c2"))
)

# The rule after Theorem 3.5 ------------------------------------------------------------------------------------------------

_UNITS = find("fedcg/T3.5-rule-units@corrected").bound
UNITS = proof(
    "fedcg/T3.5-rule-units@corrected",
    "remark after Theorem 3.5",
    of="fedcg/T3.5-rule-units@corrected",
    bound=_UNITS,
    note="values that are seven times as large, of the functions, of their differences and of the error",
).qed(statement_of(_UNITS, RULE_35_SQUARED.xreplace({D: 7 * D, m_F: 7 * m_F, error: 7 * error}))[0], by.linear())

THEOREMS = (LEFT, FACTOR, ROOT, SHARE, LIMIT, UNITS)
