"""The catalogue of the paper: every theorem, corollary and lemma in its readings, in the paper's order."""

from __future__ import annotations

from fltheory.claim import Claim
from fltheory.papers.sfl.claims import (
    comparison,
    lower,
    nonconvex,
    printed_accuracies,
    printed_rates,
    recursion,
    signs,
    tasks,
    thresholds,
    upper,
)
from fltheory.papers.sfl.claims.upper import upper_strongly_convex

CLAIMS: tuple[Claim, ...] = (
    *upper.CLAIMS,
    *nonconvex.CLAIMS,
    *printed_rates.CLAIMS,
    *recursion.CLAIMS,
    *signs.CLAIMS,
    *comparison.CLAIMS,
    *thresholds.CLAIMS,
    *tasks.CLAIMS,
    *lower.CLAIMS,
    *printed_accuracies.CLAIMS,
)

__all__ = ["CLAIMS", "upper_strongly_convex"]
