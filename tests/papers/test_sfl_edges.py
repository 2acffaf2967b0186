"""Edges of the domains: runs that start at the minimiser, flat objectives, bounds that are exactly attained."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from fltheory import find
from fltheory.claim import Claim, check
from fltheory.instance import Case
from fltheory.papers.sfl.claims import CLAIMS
from fltheory.papers.sfl.lemma_instances import Recursion
from fltheory.problems.separable import QuadraticClients

AT_REST = QuadraticClients((1, 1), (1, -1), 0)
NOISY = QuadraticClients((1, 1), (1, -1), 0, noise_std="1/2")
FLAT = QuadraticClients((1, 0), (1, -1), 1)
TUNED = [c for c in CLAIMS if c.tuning and c.algorithm is not None]


def run_of(claim: Claim, instance: QuadraticClients) -> Case:
    part = {"n_participating": 2} if "PP" in claim.id else {}
    return Case(instance, n_rounds=50, n_local_steps=2, server_step_size=1, **part)


@pytest.mark.parametrize("claim", TUNED, ids=lambda c: c.id)
@pytest.mark.parametrize("instance", [AT_REST, NOISY], ids=["heterogeneous", "noisy"])
def test_tuned_claims_at_the_minimiser(claim: Claim, instance: QuadraticClients) -> None:
    """Strongly convex: ln 0 = -oo gives a step. Otherwise the tuned step is 0, and the reason says why nothing runs."""
    verdict = check(claim, run_of(claim, instance))
    assert verdict.status in ("holds", "vacuous", "inapplicable"), verdict
    if verdict.status == "inapplicable":
        words = ("so the tuned step is 0 too", "noise_std is not 0", "smoothness < 1 fails")
        assert any(w in verdict.reason for w in words), verdict.reason
    else:
        assert verdict.limit is not None
        assert verdict.limit > 0


@pytest.mark.parametrize("claim", TUNED, ids=lambda c: c.id)
def test_tuned_claims_on_flat_objectives_give_a_reason(claim: Claim) -> None:
    verdict = check(claim, run_of(claim, FLAT))
    assert "comparable" not in verdict.reason
    assert verdict.status in ("holds", "vacuous") or "strong_convexity is 0" in verdict.reason


@pytest.mark.parametrize(("c1", "c2"), [(4, 6), (4, 0), (0, 6), (0, 0)])
def test_tuned_recursions_at_the_minimiser(c1: int, c2: int) -> None:
    """U7t: the logarithm is at least 1/2, so the step is 1/(2aR) where something drives the recursion."""
    claim = find("sfl/U7t@explicit")
    case = Case(Recursion("1/2", "1/3", c1, c2, 0), max_step_size="1/6", n_rounds=50)
    step = claim.prepared(case).constants[claim.tuning[0][0]]
    assert step == Fraction(1, 50 if c1 or c2 else 6)
    assert check(claim, case).status == "holds"
    flat = Case(Recursion(0, "1/3", c1, c2, 0), max_step_size="1/6", n_rounds=50)
    assert check(claim, flat).reason == "the condition 2*contraction*max_step_size*n_rounds >= 1 fails"


def test_the_average_from_the_minimiser_is_attained() -> None:
    """U7 from D = 0: both sides are c1 eta + c2 eta^2 over b, exactly; anything stronger fails."""
    case = Case(Recursion("1/2", "1/3", 4, 6, 0), effective_step_size="1/6", n_rounds=50)
    claim = find("sfl/U7@explicit")
    verdict = check(claim, case)
    assert (verdict.status, verdict.measured, verdict.limit) == ("holds", 2.5, 2.5)
    mutant = replace(claim, bounds=(claim.bound.scaled("999/1000"),))
    assert check(mutant, case).status == "violated"
