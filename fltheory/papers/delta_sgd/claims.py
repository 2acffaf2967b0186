"""The catalogue of the paper: every theorem, lemma and display in its readings, in the paper's order."""

from __future__ import annotations

from fltheory.claims.claim import Claim
from fltheory.papers.delta_sgd.background import claims
from fltheory.papers.delta_sgd.convex.claims import averages, convex
from fltheory.papers.delta_sgd.displays.claims import displays
from fltheory.papers.delta_sgd.experiments.claims import studies, tables
from fltheory.papers.delta_sgd.nonconvex import claims as nonconvex
from fltheory.papers.delta_sgd.rule.claims import fixed_points, rule
from fltheory.papers.delta_sgd.smoothness import claims as smoothness

CLAIMS: tuple[Claim, ...] = (*claims.CLAIMS, *rule.CLAIMS, *smoothness.CLAIMS, *nonconvex.CLAIMS, *displays.CLAIMS,
    *convex.CLAIMS, *averages.CLAIMS, *fixed_points.CLAIMS, *studies.CLAIMS, *tables.CLAIMS)
