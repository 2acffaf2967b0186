"""Where Delta-SGD ends without a common minimiser."""

from __future__ import annotations

from fltheory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
