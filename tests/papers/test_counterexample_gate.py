"""No counterexample known for any claim of a paper refutes a claim of that paper that is recorded as true.

In CI, small counterexamples (``tests/papers/counterexamples.py``) meet every claim; the number of pairs left out is printed at the
end of the test run. With ``-m deep``, every stored case meets every claim, whatever its size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fltheory.claims.catalogue import KEYS
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.papers.osmd.heterogeneity.closed_forms.heterogeneity import GradientTable
from fltheory.papers.osmd.instances.random_feedback import RandomFeedback
from fltheory.verification import find
from tests.papers.counterexamples import FOUND, counterexamples, longest, refuted, small, steps, stored, true_claims
from tests.papers.recorded import RELEASE
from tests.typed import Recorded

PARTS = 4  # tests of one paper: they share out its claims; in the gate half of them, another half at each release
DEEP_PARTS = 16


def pairs(paper: str, part: int, parts: int, every: bool = False) -> Iterator[tuple[Claim, Case]]:
    """Claims recorded as true, every ``parts``-th, and cases, case by case: what is known of an instance is used at once."""
    claims = true_claims(paper)[part::parts]
    for case in stored(paper) if every else counterexamples(paper):
        yield from ((claim, case) for claim in (claims if every else small(claims, case)))


@pytest.mark.parametrize(
    "part", [p if p % 2 == RELEASE % 2 else pytest.param(p, marks=pytest.mark.deep) for p in range(PARTS)]
)
@pytest.mark.parametrize("paper", KEYS)
def test_no_witness_refutes_what_is_recorded_as_true(paper: str, part: int) -> None:
    found = list(refuted(pairs(paper, part, PARTS)))
    assert not found, "\n".join(map(str, found))


@pytest.mark.deep
@pytest.mark.parametrize("part", range(DEEP_PARTS))
@pytest.mark.parametrize("paper", KEYS)
def test_no_stored_case_refutes_what_is_recorded_as_true(paper: str, part: int) -> None:
    found = list(refuted(pairs(paper, part, DEEP_PARTS, every=True)))
    assert not found, "\n".join(map(str, found))


def test_how_much_the_gate_leaves_out_is_said(record_property: Recorded) -> None:
    """Large cases alone are left out, against claims whose own cases are smaller: every claim meets most of the counterexamples."""
    rows = []
    for paper in KEYS:
        claims, cases = true_claims(paper), counterexamples(paper)
        left = sum(len(claims) - len(small(claims, case)) for case in cases)
        rows.append(
            f"{paper:10} {len(claims)} true claims x {len(cases)} counterexamples, {left} pairs too large for the gate"
        )
        assert claims
        assert cases
        assert 2 * left < len(claims) * len(cases)
    record_property("table", "\n".join(rows))


# A false claim called true, and a claim of the paper whose counterexamples refute it beside its own.
MISTAKEN = (
    "sfl/T3-SC@strict",
    "osmd/C-31@printed",
    "fedcg/L4.2-69@printed",
    "aaggff/4.1@printed",
    "delta_sgd/T5-B@printed",
)


@pytest.mark.parametrize("name", MISTAKEN)
def test_a_false_claim_that_is_called_true_is_caught(name: str) -> None:
    mistaken = find(name).recorded_as("holds")
    found = list(refuted((mistaken, case) for case in counterexamples(mistaken.paper)))
    assert any(r.case in mistaken.cases for r in found)
    assert str(found[0]).startswith(f"{name} is recorded as true, and violated")
    assert "\n" not in str(found[0])


TWO_STATES = "two states, in each of which one client has a gradient"
NO_ERRORS = "by exact gradients"


def without(name: str, assumption: str) -> Claim:
    """A claim of the catalogue that has forgotten a hypothesis."""
    claim = find(name)
    kept = tuple(a for a in claim.assumptions if assumption not in a.name)
    assert len(kept) < len(claim.assumptions)
    return replace(claim, assumptions=kept)


@pytest.mark.parametrize(
    ("name", "assumption"),
    [
        ("osmd/I9-ample@explicit", TWO_STATES),
        ("fedcg/L3.4-case1@printed", NO_ERRORS),
        ("fedcg/L3.4-case2@strengthened", NO_ERRORS),
    ],
)
def test_a_claim_that_forgets_a_hypothesis_is_caught_by_the_witnesses_of_others(name: str, assumption: str) -> None:
    forgetful = without(name, assumption)
    others = [case for case in counterexamples(forgetful.paper) if small((forgetful,), case)]
    assert list(refuted((forgetful, case) for case in others))
    assert not list(refuted((find(name), case) for case in others))


def test_a_case_of_another_kind_is_none_of_the_claim_s() -> None:
    """The library's own instances break no check, whatever the claim looks for in them."""
    table = Case(GradientTable(gradients=((1, 0), (0, 1)), floor="1/5", n_rounds=3, budget=0))
    verdict = check_claim(find("osmd/L19@printed"), table)
    assert verdict.status == "inapplicable"
    assert "is about Projected, not about GradientTable" in verdict.reason


def test_without_a_look_nothing_is_simulated() -> None:
    """What only statistics can tell is inconclusive; what is exact is told all the same."""
    claim = find("osmd/C-59@strengthened")
    case = next(c for c in claim.cases if isinstance(c.instance, RandomFeedback))
    verdict = check_claim(claim, case, stages=())
    assert (verdict.status, verdict.evidence) == ("inconclusive", None)
    assert "can be estimated only from simulated runs" in verdict.reason
    exact = find("osmd/C-31@corrected")
    assert check_claim(exact, exact.cases[0], stages=()).evidence == "exact"


def test_a_case_is_small_by_its_steps_and_its_letters() -> None:
    claim = find("osmd/I9@explicit")
    (case, *_) = FOUND["osmd"]
    assert small((claim,), case) == [claim]
    assert steps(case) == 2
    assert longest(claim.id) < 10
