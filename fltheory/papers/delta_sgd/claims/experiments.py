"""What Sections 4 and A.6 say of experiments, on bundled data."""

from __future__ import annotations

from fltheory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
