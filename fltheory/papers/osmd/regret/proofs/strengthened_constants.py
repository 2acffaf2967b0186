"""Corollary 7 with second moments of the counts, as its claim states it: two clients or more."""

from __future__ import annotations

from sympy import Symbol

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.notation import TV, M
from fltheory.papers.osmd.regret.proofs import strengthened
from fltheory.papers.osmd.regret.proofs.regret import REGRET
from fltheory.proof import Given, by, proof, statement_of
from fltheory.proof.terms import substitute

others = Symbol("other_clients", integer=True, positive=True)
_TO = {M: others + 1}
_READ = {TV: substitute(strengthened.READING[TV], _TO), M: others + 1}


def at(h):
    """Return a hypothesis with the number of clients written as one more than the others."""
    return Given(h.id, h.relation.at(_TO), h.why)


_BASE = strengthened.C7_SHARP
_OWN = tuple(at(h) for h in _BASE.hypotheses if isinstance(h, Given))
_line, _c = statement_of(bounds.C7_SHARP, substitute(REGRET, _TO), _READ)
SHARP = (
    proof("osmd/C7-sharp", "Corollary 7", of="osmd/C-C7@strengthened", bound=bounds.C7_SHARP, reading=_READ)
    .under(*_OWN)
    .step("sides", _BASE.statement.at(_TO), by.apply(_BASE.id, _TO, *(h.id for h in _OWN)))
    .qed(_line, by.linear({"sides": 1}), note="its condition asks for two clients or more, so for one and others")
)

THEOREMS = (SHARP,)
