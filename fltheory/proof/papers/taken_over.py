"""Library theorems under a paper's key, copied step by step: each is checked again there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fltheory.proof import Theorem
from fltheory.proof.language import Apply


def adopt(
    key: str, theorem: Theorem, place: str = "", of: str = "", called: Mapping[str, str] | None = None
) -> Theorem:
    """Return the theorem under a paper's key, with those that it applies; it proves the claim ``of`` there.

    ``called``: names of library theorems that the paper changes.
    """
    names = called or {}
    steps = tuple(
        replace(step, rule=replace(step.rule, theorem=id_under(key, step.rule.theorem, names)))
        if isinstance(step.rule, Apply)
        else step
        for step in theorem.steps
    )
    return replace(theorem, id=id_under(key, theorem.id, names), place=place, steps=steps, claim=of)


def id_under(key: str, name: str, called: Mapping[str, str] | None = None) -> str:
    """Return the id under this paper's key."""
    own = name.split("/")[1]
    return f"{key}/{(called or {}).get(own, own)}"
