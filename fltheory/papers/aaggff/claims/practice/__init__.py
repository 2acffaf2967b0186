"""What stands beside the theorems: fairness, the sizes and settings of the experiments, the authors' code."""

from __future__ import annotations

from fltheory.claim import Claim
from fltheory.papers.aaggff.claims.practice import fairness, released, settings

CLAIMS: tuple[Claim, ...] = (*fairness.CLAIMS, *settings.CLAIMS, *released.CLAIMS)
