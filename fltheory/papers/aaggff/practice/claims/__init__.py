"""Claims beside the theorems: fairness, the sizes and settings of the experiments, the authors' code."""

from __future__ import annotations

from fltheory.claims.claim import Claim
from fltheory.papers.aaggff.practice.claims import fairness, released, settings

CLAIMS: tuple[Claim, ...] = (*fairness.CLAIMS, *settings.CLAIMS, *released.CLAIMS)
