"""Section 2: gradient descent (3), the optimal step 1/L, a step for the least smooth client."""

from __future__ import annotations

from fltheory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
