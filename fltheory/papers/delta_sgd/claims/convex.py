"""Lemma 4 and Theorem 5: rule (4) with one step a round, in the readings that the text allows."""

from __future__ import annotations

from fltheory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
