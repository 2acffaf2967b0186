"""Validation of random seeds."""

from __future__ import annotations

MAX_SEED = 2**63 - 1  # fits in one word of a key of ``fltheory.number.streams``


def require_seed(seed: object) -> None:
    """Raise ValueError unless the seed is an integer from 0 to ``MAX_SEED``."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed must be a nonnegative integer below 2**63, got {seed!r}")
