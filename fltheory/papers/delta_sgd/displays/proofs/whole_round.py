"""(28) as its claim states it: one round with given steps, all terms together."""

from __future__ import annotations

from dataclasses import replace

from fltheory.papers.delta_sgd.bounds import PSI_2
from fltheory.papers.delta_sgd.convex.proofs.quotients import RULES
from fltheory.papers.delta_sgd.displays.proofs import expected as drawn
from fltheory.papers.delta_sgd.displays.proofs import given as fixed
from fltheory.papers.delta_sgd.displays.proofs import rounds as each
from fltheory.papers.delta_sgd.displays.proofs.displays import SUM, Q
from fltheory.papers.delta_sgd.displays.proofs.displays import D as total
from fltheory.papers.delta_sgd.notation import K, L, b, rho, sigma
from fltheory.proof import Defines, Given, Member, by, le, proof
from fltheory.proof.algebra.replacing import substitute_relation, substitute_term
from fltheory.proof.papers.quotients import quotient_theorem
from fltheory.proof.terms import square

AT = {each.eta(each.i, each.k): fixed.given(each.i, each.k), each.total: total}
_AT = list(AT.items())


def at(one):
    """Return a hypothesis with given steps."""
    if isinstance(one, Given):
        return replace(one, relation=substitute_relation(one.relation, _AT))
    return one if isinstance(one, Member) else Defines(one.id, one.left, substitute_term(one.right, _AT), one.why)


def line(theorem):
    """Return the statement with given steps."""
    return substitute_relation(theorem.statement, _AT)


ROUND = tuple(at(one) for one in drawn.ROUND)
PAIRS, ALIKE = at(each.PAIRS), at(each.ALIKE)
KEPT = total / 2 - K * rho * Q / total - 2 * K * L * (1 + rho) * Q
_DRIFTED = 2 * K**2 * L**2 * PSI_2 * fixed.FOURTH
ERRORS = _DRIFTED / total + 2 * K * L * sigma**2 / b * Q + 2 * L * _DRIFTED
WHOLE = (
    proof("delta_sgd/28-sides", "(28)", note="(19) to (27) together, steps given")
    .under(*ROUND, SUM, PAIRS, ALIKE, *fixed.RUN[1:4], replace(fixed.RUN[4], id="no trend"))
    .step("rest", by.apply(drawn.REST, AT), inserting=("after", "update"))
    .step("22", by.apply(each.A2_SQUARES, AT))
    .step("noise", at(each.VARIANCE).relation, by.linear("variance"))
    .step("23", by.apply(each.A3_LOOSE, AT))
    .step("26", by.apply(each.A5_GRADIENT, AT))
    .step("27", by.apply(each.A6_GRADIENT, AT))
    .step("21", by.apply(fixed.A1_PRINTED))
    .step("25", by.apply(fixed.A4_PRINTED))
    .qed(le(KEPT * square(each.SLOPE) + drawn.RISE, ERRORS), by.linear("rest", "22", "23", "26", "27", "21", "25"),
        name="28")
)
THEOREMS = (WHOLE, quotient_theorem(RULES, WHOLE, "delta_sgd/28@corrected"))
