"""(56) and (57) along comparators, and a client that is active once: what is measured, and what must not pass."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import Integer, Rational

from benchmarks import families
from fltheory import find, verify
from fltheory.model.case import Case
from fltheory.papers.osmd.sampling import closed_forms as law
from fltheory.papers.osmd.sampling.cases.comparators import ActiveOnce, Walk
from fltheory.papers.osmd.sampling.claims.projected import WALKS


@pytest.mark.parametrize("case", WALKS)
def test_what_moving_costs_is_the_sum_over_rounds(case: Case[Walk]) -> None:
    one, found = case.instance, Fraction(0)
    for q, a in zip(one.q, one.feedback, strict=True):
        moved, n = law.floored_point(q, one.floor), one.n_sampled
        assert sum(moved) == 1
        assert min(moved) >= Fraction(one.floor) / len(q)
        found += sum(Fraction(v) / w - (Fraction(v) / u if v else 0) for v, w, u in zip(a, moved, q, strict=True)) / n
    assert one.dearer == found


def test_a_fifth_less_is_refuted() -> None:
    claim = find("osmd/C-56-step@printed")
    (bound,) = claim.bounds
    less = replace(claim, bounds=(replace(bound, expr=bound.expr * Rational(4, 5)),))
    assert [verify(one, WALKS[-2]).status for one in (claim, less)] == ["holds", "violated"]


def test_moving_inside_takes_comparators_no_farther_apart_by_as_much_as_nothing() -> None:
    claim = find("osmd/C-57@strengthened")
    (bound,) = claim.bounds
    less = replace(claim, bounds=(replace(bound, expr=Integer(-1)),))
    assert [verify(claim, case).status for case in claim.cases] == ["holds"] * len(claim.cases)
    assert verify(less, claim.cases[-1]).status == "violated"


def test_a_client_that_comes_back_keeps_the_run_nearer() -> None:
    once, often = ActiveOnce("1/2", 40), ActiveOnce("1/2", 40, every=1)
    assert abs(often.end) == 0 < 1 - abs(once.end) < Fraction(1, 1000)
    claim, back = find("osmd/C-D2-once@explicit"), Case(ActiveOnce("1/2", 40, every=2))
    assert verify(claim, back).status == "inapplicable"
    assert verify(replace(claim, assumptions=()), back).status == "violated"


def test_active_once_is_said_by_the_claim_and_not_by_where_it_is_searched_alone() -> None:
    """The case at which the claim was refuted before: the client comes back in the second of two rounds."""
    verdict = verify(find("osmd/C-D2-once@explicit"), Case(ActiveOnce(rate=1, rounds=2, every=1)))
    assert verdict.status == "inapplicable"
    assert "active in the first round alone: it answers again, in round 2" in verdict.reason
    assert verify(find("osmd/C-D2-once@explicit"), Case(ActiveOnce(rate=1, rounds=2, every=2))).status == "holds"


def test_the_program_finds_what_a_family_alone_supposes() -> None:
    """``benchmarks/families.py`` on the claim as it was, and on the claim as it is."""
    claim = find("osmd/C-D2-once@explicit")
    found = families.refuted(replace(claim, assumptions=()))
    assert found is not None
    assert found[0].startswith("violated")
    assert "ActiveOnce" in found[1]
    assert families.refuted(claim) is None
