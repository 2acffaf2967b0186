"""The proof of Theorem 5.1, Appendix A.3, display by display."""

from __future__ import annotations

from fltheory.claims.claim import Claim
from fltheory.papers.aaggff.newton.claims.proof51 import constants, parts

CLAIMS: tuple[Claim, ...] = (*parts.CLAIMS, *constants.CLAIMS)
