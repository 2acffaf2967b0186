"""Printed rates read with the constant 1000: implied by the explicit ones, refuted with a faster rate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.papers.sfl.notation import R, gamma
from fltheory.papers.sfl.upper.claims import rates
from fltheory.verification import find

CLAIMS = rates.CLAIMS


@pytest.mark.turns(3)
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_a_faster_rate_is_refuted(claim: Claim) -> None:
    """Divided by a further R, the constant 1000 does not save the rate."""
    faster = replace(claim.bound, expr=claim.bound.expr / R)
    assert "violated" in {check_claim(replace(claim, bounds=(faster,)), case).status for case in claim.cases}


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", ["T15-tuned", "T16-tuned", "PP-SFL-tuned", "PP-PFL-tuned", "C20-tuned", "C4-SC"])
def test_printed_rates_are_implied_by_the_explicit_ones(name: str) -> None:
    printed, explicit = find(f"sfl/{name}@printed"), find(f"sfl/{name}@explicit")
    assert printed.tuning == explicit.tuning
    for case in (*printed.cases, *explicit.cases):
        constants = explicit.prepared(case).constants
        assert printed.bound(constants) >= explicit.bound(constants)


@pytest.mark.parametrize("claim", [c for c in CLAIMS if "/T1" in c.id], ids=lambda c: c.id)
def test_the_server_step_divides_the_drift(claim: Claim) -> None:
    (case,) = (c for c in claim.cases[:2] if c.constants[gamma] == 4)
    far = case.with_settings(server_step_size=8)
    assert claim.bound(far.constants) < claim.bound(case.constants)
