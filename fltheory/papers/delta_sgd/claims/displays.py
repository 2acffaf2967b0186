"""The displays (13)-(30) of the proof of Theorem 1, each with its status, on one round in all its outcomes."""

from __future__ import annotations

from fltheory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
