"""The catalogue of the paper: every theorem, corollary and lemma in its readings, in the paper's order."""

from __future__ import annotations

from fltheory.claims.claim import Claim
from fltheory.papers.sfl.comparison.claims import table1, thresholds
from fltheory.papers.sfl.experiments import claims
from fltheory.papers.sfl.lower import claims as lower
from fltheory.papers.sfl.nonconvex import claims as nonconvex
from fltheory.papers.sfl.recursion import claims as recursion
from fltheory.papers.sfl.signs import claims as signs
from fltheory.papers.sfl.tasks import claims as tasks
from fltheory.papers.sfl.upper.claims import rates, theorem3
from fltheory.papers.sfl.upper.claims.theorem3 import upper_strongly_convex

CLAIMS: tuple[Claim, ...] = (*theorem3.CLAIMS, *nonconvex.CLAIMS, *rates.CLAIMS, *recursion.CLAIMS, *signs.CLAIMS,
    *table1.CLAIMS, *thresholds.CLAIMS, *tasks.CLAIMS, *lower.CLAIMS, *claims.CLAIMS)

__all__ = ["CLAIMS", "upper_strongly_convex"]
