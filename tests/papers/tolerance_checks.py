"""Verdicts of measures with a tolerance: exact evidence, or pathwise where a bound is attained by irrational numbers."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings

from fltheory.claim import Claim, check
from fltheory.evidence.verdict import Verdict
from fltheory.symbols import amplifier


def attained(verdict: Verdict, within: float = 1e-14) -> bool:
    """Whether both sides are the same, but for a share of the limit, or of 1 where that is 0."""
    assert verdict.measured is not None
    assert verdict.limit is not None
    return abs(verdict.measured - verdict.limit) <= within * (abs(verdict.limit) or 1)


def as_recorded(claim: Claim) -> None:
    """Every stored case gives the recorded verdict; what the tolerance decided is not called exact."""
    assert claim.cases
    for case in claim.cases:
        verdict = check(claim, case)
        assert verdict.status == claim.expected, str(verdict)
        if verdict.evidence != "exact":
            assert (verdict.status, verdict.evidence) == ("holds", "pathwise")
            assert attained(verdict)


def survives(claim: Claim, examples: int = 8) -> None:
    """Random cases of the claim's own family refute nothing that is true.

    With the amplifier 2 a step may end at the minimiser itself: where irrational numbers led there, it may stay open
    whether the client moves on.
    """
    assert claim.family is not None

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(claim.family())
    def attack(case: Any) -> None:
        verdict = check(claim, case)
        assert verdict.status != "violated"
        assert verdict.status != "inconclusive" or (case.constants[amplifier] == 2 and "balls" in verdict.reason)

    attack()
