"""The step-size rule itself, line 9 of Algorithm 1: growth, floor, ceiling, units (R1-R6)."""

from __future__ import annotations

from fltheory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
