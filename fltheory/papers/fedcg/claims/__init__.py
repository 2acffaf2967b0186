"""The catalogue of the paper: every theorem, lemma and remark in its readings, in the paper's order."""

from __future__ import annotations

from fltheory.claim import Claim
from fltheory.papers.fedcg.claims import (
    communication,
    discrete,
    estimates,
    importance,
    local,
    memberships,
    plus,
    points,
    rounding,
    rounds,
    theorems,
)

CLAIMS: tuple[Claim, ...] = (
    *points.CLAIMS,
    *theorems.CLAIMS,
    *local.CLAIMS,
    *estimates.CLAIMS,
    *plus.CLAIMS,
    *rounds.CLAIMS,
    *rounding.CLAIMS,
    *discrete.CLAIMS,
    *importance.CLAIMS,
    *memberships.CLAIMS,
    *communication.CLAIMS,
)
