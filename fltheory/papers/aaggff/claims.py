"""The catalogue of the paper: every theorem, lemma and remark in its readings, in the paper's order."""

from __future__ import annotations

from fltheory.claims.claim import Claim
from fltheory.papers.aaggff.complexity import claims
from fltheory.papers.aaggff.entropic.claims import entropic, partial
from fltheory.papers.aaggff.estimators import claims as estimators
from fltheory.papers.aaggff.experiments import claims as experiments
from fltheory.papers.aaggff.losses.claims import convexity, lemmas
from fltheory.papers.aaggff.newton.claims import newton, proof51, runs
from fltheory.papers.aaggff.practice import claims as practice
from fltheory.papers.aaggff.transforms.claims import ranges, tables, transforms
from fltheory.papers.aaggff.unification.claims import fair_limits, unification

CLAIMS: tuple[Claim, ...] = (*unification.CLAIMS, *fair_limits.CLAIMS, *lemmas.CLAIMS, *convexity.CLAIMS,
    *estimators.CLAIMS, *transforms.CLAIMS, *newton.CLAIMS, *proof51.CLAIMS, *entropic.CLAIMS, *partial.CLAIMS,
    *runs.CLAIMS, *ranges.CLAIMS, *claims.CLAIMS, *tables.CLAIMS, *experiments.CLAIMS, *practice.CLAIMS)
