"""The catalogue of the paper: every theorem, lemma and remark in its readings, in the paper's order."""

from __future__ import annotations

from fltheory.claim import Claim
from fltheory.papers.aaggff.claims import (
    complexity,
    convexity,
    entropic,
    estimators,
    experiments,
    fair_limits,
    lemmas,
    newton,
    partial,
    practice,
    proof51,
    ranges,
    runs,
    tables,
    transforms,
    unification,
)

CLAIMS: tuple[Claim, ...] = (
    *unification.CLAIMS,
    *fair_limits.CLAIMS,
    *lemmas.CLAIMS,
    *convexity.CLAIMS,
    *estimators.CLAIMS,
    *transforms.CLAIMS,
    *newton.CLAIMS,
    *proof51.CLAIMS,
    *entropic.CLAIMS,
    *partial.CLAIMS,
    *runs.CLAIMS,
    *ranges.CLAIMS,
    *complexity.CLAIMS,
    *tables.CLAIMS,
    *experiments.CLAIMS,
    *practice.CLAIMS,
)
