"""Readings: what is printed is the natural reading, a harsher one is literal and says so, other data are never printed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.bound import HIDDEN_CONSTANT, READINGS, Source
from fltheory.model.case import Case
from fltheory.papers.fedcg.local import claims
from fltheory.papers.fedcg.points import claims as points
from fltheory.verification import find

CLAIMS = catalogue()
LITERAL = tuple(c for c in CLAIMS if c.reading == "strict")
BY_ID = {c.id: c for c in CLAIMS}


def test_the_words_are_five() -> None:
    assert READINGS == ("printed", "strict", "explicit", "corrected", "strengthened")
    assert str(Source("sfl", "Theorem 3", "strict", "every step")) == "sfl, Theorem 3 (strict: every step)"
    assert {c.reading for c in CLAIMS} == set(READINGS)
    for claim in CLAIMS:
        assert {b.source.reading for b in claim.bounds} == {claim.reading}, claim.id
        assert claim.id.endswith(f"@{claim.reading}"), claim.id


@pytest.mark.parametrize("claim", LITERAL, ids=lambda c: c.id)
def test_a_literal_reading_says_what_is_harsh_about_it(claim: Claim) -> None:
    assert claim.bound.source.note or claim.remark


@pytest.mark.parametrize("claim", [c for c in LITERAL if c.entry.recorded == "violated"], ids=lambda c: c.id)
def test_nobody_is_accused_of_a_literal_reading(claim: Claim) -> None:
    """Where the same statement is printed too, it is true: only the harsher reading of it is false."""
    printed = BY_ID.get(claim.id.replace("@strict", "@printed"))
    assert printed is None or printed.entry.recorded != "violated"


@pytest.mark.parametrize(
    "name",
    [
        "osmd/C-T5cmp",
        "osmd/C-T4cmp",
        "osmd/C-P12",
        "sfl/S4.3-GC",
        "sfl/T3-SC",
        "sfl/C4-SC",
        "sfl/T7",
        "sfl/S4.3-SC",
        "sfl/T5",
        "fedcg/R4.4-pipage",
        "fedcg/R4.4-swap",
        "fedcg/C-3.1-coverage",
        "fedcg/D.2-size",
        "fedcg/D.5-size",
        "fedcg/D.1",
        "fedcg/D.2-sum",
        "fedcg/D.5-sum",
        "aaggff/T7-average",
        "aaggff/FA1",
    ],
)
def test_what_the_words_naturally_say_is_true(name: str) -> None:
    assert BY_ID[f"{name}@printed"].entry.recorded == "holds"
    assert BY_ID[f"{name}@strict"].entry.recorded == "violated"


@pytest.mark.parametrize(
    "name",
    [
        *("delta_sgd/FP", "delta_sgd/C3-optimal", "delta_sgd/T1-tiny", "fedcg/R4.4-half", "fedcg/R4.4-tail"),
        *("fedcg/P6", "fedcg/D.3-privacy", "aaggff/A.12-reason", "aaggff/4.3-response", "aaggff/T5.2-step"),
        *("aaggff/CX-sent", "aaggff/CX-local", "aaggff/T56-gap", "aaggff/T56-deviation", "aaggff/T25-twins"),
    ],
)
def test_what_is_stated_nowhere_is_not_printed(name: str) -> None:
    assert f"{name}@printed" not in BY_ID
    assert BY_ID[f"{name}@strict"].entry.recorded == "violated"


@pytest.mark.parametrize("claim", [c for c in CLAIMS if "/E-" in c.id and c.kind == "experiment"], ids=lambda c: c.id)
def test_experiments_on_other_data_are_analogues(claim: Claim) -> None:
    assert claim.reading != "printed"
    analogue = claim.statement.startswith("Analogue on our data: ") and "analogue" in claim.bound.source.note
    assert analogue == (claim.reading == "strict")


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.reading in ("printed", "strict")], ids=lambda c: c.id)
def test_an_order_sign_that_is_not_read_as_a_thousand_says_why(claim: Claim) -> None:
    for bound in claim.bounds:
        for found in re.finditer(r"read as (the proof's|a constant|\S+)(.*)", bound.source.note):
            number, rest = found.groups()
            if number.strip(",;") not in (str(HIDDEN_CONSTANT), f"1/{HIDDEN_CONSTANT}"):
                assert len(rest) > 10, bound.source.note


# Hypotheses that a statement carries are assumptions of it ------------------------------------------------------------


def test_for_coverage_one_bounds_the_dissimilarity_and_need_not_be_it() -> None:
    held, literal = (find(f"fedcg/C-3.1-coverage@{reading}") for reading in ("printed", "strict"))
    for case in points.COVERED:
        assert check_claim(held, case).status == "holds"
        assert check_claim(literal, case).status == "violated"


@pytest.mark.parametrize("name", ["case1@printed", "case2@printed", "case2@strengthened"])
@pytest.mark.parametrize("case", [claims.FOOLED, claims.ONE_FOOLED, claims.BOTH_WAYS], ids=("most", "one", "all"))
def test_the_cases_of_lemma_34_are_about_exact_gradients_at_one_point(name: str, case: Case) -> None:
    claim = find(f"fedcg/L3.4-{name}")
    verdict = check_claim(claim, case)
    assert verdict.status == "inapplicable"
    assert "by exact gradients" in verdict.reason
    assert check_claim(replace(claim, assumptions=points.SUBMODULAR), claims.FOOLED).status == "violated"
