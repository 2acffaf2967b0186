"""What a claim is to the catalogue: its own, the same with another algorithm (a variant), or another claim."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fltheory.claim import Claim

KEYS = ("measure", "algorithm", "assumptions", "mode", "tuning", "bounds", "failure")  # what a claim says


def recorded(claim: Claim) -> Claim | None:
    """The catalogue's claim with this id."""
    from fltheory.papers import of_paper

    return {c.id: c for c in of_paper(claim.id)}.get(claim.id)


@lru_cache(maxsize=256)
def variant_of(claim: Claim) -> str | None:
    """The name of what stands in for the algorithm of the catalogue's claim; None where nothing does."""
    own = recorded(claim)
    if own is None or claim.algorithm is None or own.algorithm == claim.algorithm:
        return None
    return claim.algorithm.name


@lru_cache(maxsize=256)
def subject(claim: Claim) -> str:
    """What names the claim in Python: its id in quotes, or ``claim`` where it isn't the catalogue's own."""
    own = recorded(claim)
    same = own is not None and all(getattr(own, k) == getattr(claim, k) for k in KEYS)
    return f'"{claim.id}"' if same else "claim"


def short_name(variant: str) -> str:
    """FILE.py:NAME without the folders of the file, for titles and tables."""
    return re.split(r"[/\\]", variant)[-1]


def called(variant: str) -> str:
    """A variant in words; a step that was put into an algorithm by ``_replace`` has no name of its own."""
    return "variant" if variant == "variant" else f"variant {variant}"


def title(claim_id: str, variant: str | None) -> str:
    """What is judged: the claim, and what stands in for its algorithm."""
    return claim_id if variant is None else f"{claim_id}, {called(variant)}"
