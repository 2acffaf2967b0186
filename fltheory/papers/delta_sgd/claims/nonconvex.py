"""Theorem 1 in its readings, along runs of Algorithm 1."""

from __future__ import annotations

from fltheory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
