"""Facts behind the proofs: squares, (7), (8), sums of martingale differences.

What another paper's proofs have already is taken over under this paper's key, step by step: it is checked here again.
"""

from __future__ import annotations

from dataclasses import replace

from fltheory.proof.language import Apply, Gram, Step, Theorem, le
from fltheory.proof.terms import Dot, square
from proofs_checks import osmd_facts

u, v = osmd_facts.u, osmd_facts.v


def ours(theorem: Theorem) -> Theorem:
    """The theorem under this paper's key, and so the ones that it applies; what it claims is the other paper's."""
    steps = tuple(
        replace(step, rule=replace(step.rule, theorem=named(step.rule.theorem)))
        if isinstance(step.rule, Apply)
        else step
        for step in theorem.steps
    )
    return replace(theorem, id=named(theorem.id), steps=steps, claim="")


def named(name: str) -> str:
    """The id under this paper's key."""
    return f"delta_sgd/{name.split('/')[1]}"


SIGN, LOCAL_JENSEN, MARTINGALE, LIMIT = map(
    ours, (osmd_facts.SIGN, osmd_facts.LOCAL_JENSEN, osmd_facts.MARTINGALE, osmd_facts.LIMIT)
)
JENSEN = replace(ours(osmd_facts.JENSEN), id="delta_sgd/8", place="(8)")

_YOUNG = le(Dot(u, v), square(u) / 2 + square(v) / 2)
YOUNG = Theorem("delta_sgd/7", _YOUNG, (), (Step("1", _YOUNG, Gram(), note="half a square"),), place="(7)")

THEOREMS = (SIGN, YOUNG, JENSEN, LOCAL_JENSEN, MARTINGALE, LIMIT)
