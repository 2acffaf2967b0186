"""The smoothness lemmas: (7), (8), Lemmas 2 and 3 with (9)-(12)."""

from __future__ import annotations

from fltheory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
