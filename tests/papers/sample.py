"""Which claims a test of the gate looks at where all would take too long: a third of each paper's, the others with ``-m deep``.

Only tests that come on top of those in ``tests/papers`` look at a sample: there every claim has its verdict and its mutant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from fltheory.claims.claim import Claim

EVERY = 3


def sampled(claims: Iterable[Claim], first: int = 0) -> list[Any]:
    """Parameters of a test: of each paper every third claim from its ``first`` on; the others are marked deep.

    Tests that differ in ``first`` look at different claims.
    """
    before: Counter[str] = Counter()
    found = []
    for claim in claims:
        left_out = before[claim.paper] % EVERY != first
        before[claim.paper] += 1
        found.append(pytest.param(claim, id=claim.id, marks=[pytest.mark.deep] if left_out else []))
    return found
