"""Lemmas as their claims state them: a quotient of the sides, or their difference."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Symbol

from fltheory.papers.fedcg.discrete.proofs import greedy, memberships
from fltheory.papers.fedcg.local.proofs import local
from fltheory.papers.fedcg.notation import curvature, eta, r
from fltheory.papers.fedcg.points.proofs import lemmas, sampling, variance
from fltheory.proof import by, le, lt, proof, statement_of
from fltheory.proof.papers.quotients import (ONE, below, difference_theorem, factor, quotient_rules, quotient_theorem,
    top)
from fltheory.verification import find

RULES = quotient_rules("fedcg", "Section 2")
_ALL = {
    theorem.id.removeprefix("fedcg/"): theorem
    for module in (greedy, lemmas, local, memberships, sampling, variance)
    for theorem in module.THEOREMS
}


def _sides(name: str) -> tuple[Expr, Expr]:
    line = _ALL[name].statement
    return line.left, line.right


_BEST = find("fedcg/A.2-middle@printed").bound
MIDDLE = (
    proof("fedcg/A.2-middle@printed", "proof of Lemma A.1", of="fedcg/A.2-middle@printed", bound=_BEST)
    .under(lemmas.MEAN, sampling.BEST_I)
    .given("positive", lt(0, lemmas.DIRECTIONS), "what is divided by; the quotient has no value else")
    .step("sides", by.apply(lemmas.A4_BELOW, {lemmas.direction(lemmas.e): sampling.best(lemmas.e)}),
        note="the best of a mean is at most the mean of the bests")
    .qed(statement_of(_BEST, sampling.MOST / lemmas.DIRECTIONS)[0],
        by.apply(RULES.upper.id, {top: sampling.MOST, below: lemmas.DIRECTIONS, factor: ONE}, "sides", "positive"))
)
_SHARES, _IDS = find("fedcg/S7-share@strengthened").bound, tuple(h.id for h in greedy.SHARE.hypotheses)
_w, _F = Symbol("w", positive=True), Symbol("F", positive=True)
TWICE = (
    proof("fedcg/quotient-twice", "Section 5", note="an upper bound, divided by two numbers")
    .given("order", le(top, factor * _w * _F), "how often one side is the other")
    .qed(le(top / (_w * _F), factor), by.linear("order"))
)
SHARE = (
    proof("fedcg/S7-share@strengthened", "Section 5", of="fedcg/S7-share@strengthened", bound=_SHARES)
    .under(*greedy.SHARE.hypotheses)
    .given("factor positive", lt(0, greedy.weight), "what is divided by; the quotient has no value else")
    .given("value positive", lt(0, greedy.of_set), "the same of the other factor")
    .step("sides", by.apply(greedy.SHARE))
    .qed(statement_of(_SHARES, greedy.client / (greedy.weight * greedy.of_set))[0],
        by.apply(TWICE, {top: greedy.client, _w: greedy.weight, _F: greedy.of_set, factor: r}, "sides",
            "factor positive", "value positive"))
)
CURVED = replace(
    difference_theorem(_ALL["C-14@strengthened"], "fedcg/C-14@strengthened",
        lemmas.V(0) + eta * lemmas.RISE - lemmas.V(lemmas.n), {curvature: lemmas.SPREAD}), id="fedcg/C-14-curvature")

THEOREMS = (
    *RULES,
    quotient_theorem(RULES, _ALL["A.1"], "fedcg/A.1@printed"),
    quotient_theorem(RULES, _ALL["A.2"], "fedcg/A.2@strengthened"),
    quotient_theorem(RULES, _ALL["A.4-mean"], "fedcg/A.4-mean@printed"),
    MIDDLE,
    quotient_theorem(RULES, _ALL["D.4-fewer"], "fedcg/D.4-fewer@strengthened"),
    quotient_theorem(RULES, _ALL["T5.1-fewer"], "fedcg/T5.1-fewer@strengthened"),
    TWICE,
    SHARE,
    CURVED,
    difference_theorem(_ALL["L3.3"], "fedcg/L3.3@printed", _sides("L3.3")[0] - _sides("L3.3")[1]),
    difference_theorem(_ALL["L4.1"], "fedcg/L4.1@printed", _sides("L4.1")[0] - _sides("L4.1")[1]),
)
