"""What another paper's proofs have already, taken over under a paper's own key, step by step: it is checked there again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fltheory.proof import Theorem
from fltheory.proof.language import Apply


def taken_over(key: str, theorem: Theorem, called: Mapping[str, str] | None = None) -> Theorem:
    """The theorem under this paper's key, and so the ones that it applies; what it claims is the other paper's.

    ``called``: names of this paper for those of the other that are taken here by something else.
    """
    names = called or {}
    steps = tuple(
        replace(step, rule=replace(step.rule, theorem=named(key, step.rule.theorem, names)))
        if isinstance(step.rule, Apply)
        else step
        for step in theorem.steps
    )
    return replace(theorem, id=named(key, theorem.id, names), steps=steps, claim="")


def named(key: str, name: str, called: Mapping[str, str] | None = None) -> str:
    """The id under this paper's key."""
    own = name.split("/")[1]
    return f"{key}/{(called or {}).get(own, own)}"
