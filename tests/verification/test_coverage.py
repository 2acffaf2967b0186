"""What is proved of the catalogue: what stands open may only become less, and a standing is what theorems and cases give."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from fltheory import find
from fltheory.api.coverage import STANDING_MEANINGS, ClaimStanding, claim_standing, coverage, standing_counts
from fltheory.claims.catalogue import KEYS, catalogue
from fltheory.command.cli import app
from fltheory.proof import library
from fltheory.proof.language import Given

# At most so many claims of a paper are open, and so many have a theorem that is not compared with them: lower them when you can,
# raise them for a new claim alone.
OPEN = {"sfl": 3, "osmd": 7, "fedcg": 4, "aaggff": 4, "delta_sgd": 3}
WORDS = {"sfl": 0, "osmd": 0, "fedcg": 0, "aaggff": 0, "delta_sgd": 0}
ASSUMED = 0  # claims that rest on a step that is assumed


@pytest.fixture(scope="module")
def found() -> tuple[ClaimStanding, ...]:
    return coverage(catalogue())


def test_what_is_open_only_becomes_less(found: tuple[ClaimStanding, ...]) -> None:
    for kind, most in (("open", OPEN), ("words", WORDS)):
        counts = Counter(one.claim.paper for one in found if one.standing == kind)
        assert all(counts[paper] <= most[paper] for paper in most), (kind, counts)
    assert sum("is assumed" in one.why for one in found) <= ASSUMED


def test_what_is_open_says_what_is_in_the_way(found: tuple[ClaimStanding, ...]) -> None:
    reasons = {claim: why for key in KEYS for claim, why in library.load(key).unproved.items()}
    assert {one.claim.id: one.why for one in found if one.standing == "open"} == reasons


def test_every_claim_stands_somewhere(found: tuple[ClaimStanding, ...]) -> None:
    assert [one.claim.id for one in found] == [claim.id for claim in catalogue()]
    nowhere = {"words"}  # nothing is proved in other words
    assert {one.standing for one in found} == set(STANDING_MEANINGS) - nowhere
    assert sum(sum(row.values()) for row in standing_counts(found).values()) == len(found)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("sfl/T3-SC@corrected", "proved"),
        ("sfl/L14@corrected", "proved"),
        ("fedcg/T3.2-range@corrected", "range"),
        ("delta_sgd/FP-fednova@corrected", "proved"),
        ("sfl/T3-SC@strict", "refuted"),
        ("osmd/C-P12@printed", "proved"),
        ("sfl/T7-tuned@explicit", "proved"),
        ("sfl/T15-tuned@explicit", "proved"),
        ("sfl/S6.1@corrected", "open"),
    ],
)
def test_how_claims_stand(found: tuple[ClaimStanding, ...], claim: str, expected: str) -> None:
    assert next(one.standing for one in found if one.claim.id == claim) == expected


def test_a_weaker_theorem_is_a_weaker_standing() -> None:
    """Of a proved claim: its theorem assumed, refuted, supposing something, without its bound, or not there."""
    claim, proofs = find("sfl/T3-SC@corrected"), library.load("sfl")
    theorem = next(t for t in proofs.theorems if t.claim == claim.id and t.bound == claim.bound)
    more = Given("more", theorem.statement, "for the test", supposed=True)
    for changed, expected in (
        (theorem, "proved"),
        (replace(theorem, recorded="ASSUMED"), "supposing"),
        (replace(theorem, hypotheses=(*theorem.hypotheses, more)), "supposing"),
        (replace(theorem, recorded="UNKNOWN"), "words"),
        (replace(theorem, recorded="REFUTED"), "words"),
        (replace(theorem, bound=None, reading=()), "words"),
    ):
        assert claim_standing(claim, {claim.id: [(proofs, changed)]}).standing == expected
    assert claim_standing(claim, {}).standing == "open"
    other = claim_standing(claim, {"sfl/T3-SC@strengthened": [(proofs, theorem)]})
    assert (other.standing, other.why) == ("open", "proofs of another reading: sfl/T3-SC@strengthened")


def test_finitely_many_cases_are_all_of_them() -> None:
    claim = find("aaggff/T23-worst@printed")
    assert claim_standing(claim, {}).standing == "cases"
    assert claim_standing(replace(claim, cases=claim.cases[1:]), {}).standing == "open"
    assert claim_standing(replace(claim, id="mine/T23"), {}).standing == "open"  # nothing is recorded of it
    assert claim_standing(find("aaggff/D2.1-gini@explicit"), {}).standing == "open"  # performances may be any numbers


def test_a_false_claim_is_not_refuted_by_a_sample() -> None:
    false = find("sfl/T3-SC@strict")
    assert claim_standing(false, {}).standing == "counterexample"
    assert claim_standing(replace(false, id="mine/T1"), {}).standing == "open"  # nothing is recorded of it


def test_the_command_tells_it() -> None:
    told = CliRunner().invoke(app, ["proofs", "--coverage", "sfl"])
    assert told.exit_code == 0
    assert "proved: proved for all parameters" in told.output
    assert "sfl/S6.1@corrected (in tasks 4 and 9" in " ".join(told.output.split())
    both = CliRunner().invoke(app, ["proofs", "--coverage", "--show", "sfl/U6"])
    assert both.exit_code == 2
