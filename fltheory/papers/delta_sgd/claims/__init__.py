"""The catalogue of the paper: every theorem, lemma and display in its readings, in the paper's order."""

from __future__ import annotations

from fltheory.claim import Claim
from fltheory.papers.delta_sgd.claims import (
    averages,
    background,
    convex,
    displays,
    experiments,
    fixed_points,
    nonconvex,
    printed_tables,
    rule,
    smoothness,
)

CLAIMS: tuple[Claim, ...] = (
    *background.CLAIMS,
    *rule.CLAIMS,
    *smoothness.CLAIMS,
    *nonconvex.CLAIMS,
    *displays.CLAIMS,
    *convex.CLAIMS,
    *averages.CLAIMS,
    *fixed_points.CLAIMS,
    *experiments.CLAIMS,
    *printed_tables.CLAIMS,
)
