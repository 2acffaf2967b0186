"""Lemmas as their claims state them: a quotient of the sides, or their difference."""

from __future__ import annotations

from fltheory.papers.osmd.mirror.proofs import facts
from fltheory.papers.osmd.notation import B
from fltheory.papers.osmd.sampling.proofs import sampling
from fltheory.proof.facts import squares
from fltheory.proof.papers.quotients import quotient_rules, quotient_theorem

RULES = quotient_rules("osmd", "Section 3")
_ALL = {theorem.id.removeprefix("osmd/"): theorem for module in (facts, sampling) for theorem in module.THEOREMS}

THEOREMS = (
    *RULES,
    quotient_theorem(RULES, _ALL["opt"], "osmd/C-opt@printed", apart=_ALL["opt"].statement.left.base),
    quotient_theorem(RULES, _ALL["opt-attained"], "osmd/C-opt-attained@printed"),
    quotient_theorem(RULES, _ALL["opt-floored"], "osmd/C-opt-floored@explicit"),
    quotient_theorem(RULES, _ALL["L16"], "osmd/L16-two@printed"),
    quotient_theorem(RULES, _ALL["L16-sum"], "osmd/L16-sum@printed", B, {squares.N: B}),
)
