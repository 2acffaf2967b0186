"""What every claim with an exact formula must pass: expected verdicts, consistent units, a mutant that is refuted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import HealthCheck, given, settings

from fltheory.bound import Bound
from fltheory.claim import Claim, check


def as_recorded(claim: Claim) -> None:
    """Every stored case gives the recorded verdict, on exact evidence."""
    assert claim.cases
    for case in claim.cases:
        verdict = check(claim, case)
        assert verdict.status == claim.expected, str(verdict)
        assert verdict.evidence == "exact"


def consistent(claim: Claim) -> None:
    """Every bound has the dimension of what is measured, and renders."""
    for bound in claim.bounds:
        assert claim.measure is None or bound.dimension() == claim.measure.dimension
        assert bound.unicode()
        assert bound.latex()


def stronger(bound: Bound, ratio: float, margin: Fraction) -> Bound:
    """The bound with a constant that a case with this ratio refutes."""
    if bound.side == "equal":
        return bound.scaled(margin)
    close = Fraction(ratio).limit_denominator(10**9) if abs(ratio) > 1e-3 else Fraction(ratio)
    return bound.scaled(margin / close if bound.side == "lower" else close / margin)


def refutes_stronger(claim: Claim, margin: Fraction = Fraction(101, 100)) -> None:
    """Each bound, tightened past the tightest stored case by ``margin``, is violated there."""
    for bound in claim.bounds:
        alone = replace(claim, bounds=(bound,))
        verdicts = [check(alone, case) for case in claim.cases]
        tightest = max(verdicts, key=lambda v: v.ratio if v.ratio is not None else float("-inf"))
        assert tightest.ratio is not None
        assert tightest.ratio > 0
        mutant = replace(claim, bounds=(stronger(bound, tightest.ratio, margin),))
        assert check(mutant, tightest.case).status == "violated", f"{claim.id}: {bound.side}, {tightest.ratio}"


def survives(claim: Claim, examples: int = 8) -> None:
    """Random cases of the claim's own family refute nothing that is true."""
    assert claim.family is not None

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(claim.family())
    def attack(case: Any) -> None:
        assert check(claim, case).status not in ("violated", "inconclusive")

    attack()
