"""What another paper's proofs have already, taken over under a paper's own key, step by step: it is checked there again."""

from __future__ import annotations

from dataclasses import replace

from fltheory.proof import Theorem
from fltheory.proof.language import Apply


def taken_over(key: str, theorem: Theorem) -> Theorem:
    """The theorem under this paper's key, and so the ones that it applies; what it claims is the other paper's."""
    steps = tuple(
        replace(step, rule=replace(step.rule, theorem=named(key, step.rule.theorem)))
        if isinstance(step.rule, Apply)
        else step
        for step in theorem.steps
    )
    return replace(theorem, id=named(key, theorem.id), steps=steps, claim="")


def named(key: str, name: str) -> str:
    """The id under this paper's key."""
    return f"{key}/{name.split('/')[1]}"
