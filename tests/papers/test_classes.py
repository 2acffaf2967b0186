"""Verdicts for whole classes: the kept certificates are checked again, and nothing else makes a class."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from fltheory import verification
from fltheory.claims.catalogue import KEYS
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.command.batch import verdict_row
from fltheory.evidence.verdict import card_rows
from fltheory.papers.sfl.algorithms import fixed_order
from fltheory.verification import find, verify
from fltheory.worst_case.claims import certified, class_constants, question_of_claim
from fltheory.worst_case.claims.certified import (
    certificates_path,
    certified_bound,
    normalise_length,
    storage_key,
    stored_certificates,
    with_class_scope,
)
from fltheory.worst_case.question import Question
from fltheory.worst_case.symbolic_run import OutOfReach

WITH_CLASSES = [key for key in KEYS if certificates_path(key).is_file()]
CLAIM = "sfl/T3-GC@printed"


def questions(claim: Claim) -> Iterator[Question]:
    for case in claim.cases:
        try:
            yield question_of_claim(claim, class_constants(claim, claim.prepared(case)))
        except (OutOfReach, ValueError):
            continue


@pytest.mark.turns(2)
@pytest.mark.parametrize("key", WITH_CLASSES)
def test_every_kept_certificate_is_about_a_claim_and_proves_something(key: str) -> None:
    asked = {storage_key(q): q for claim in classes_of(key) for q in questions(claim)}
    assert set(stored_certificates(key)) <= set(asked)
    for name, kept in stored_certificates(key).items():
        assert len(certified._valid_certificates(key, normalise_length(asked[name]))) == len(kept)


def classes_of(key: str) -> tuple[Claim, ...]:
    from fltheory.claims.catalogue import claims_of_paper as claims_of

    return tuple(c for c in claims_of(key) if c.measure is not None)


def first(claim: Claim) -> Any:
    return verify(claim, claim.cases[0])


def test_a_verdict_says_for_which_class_it_holds() -> None:
    claim = find(CLAIM)
    verdict = first(claim)
    assert verdict.scope == "2-smooth convex functions"
    assert verdict.measured < verdict.worst < verdict.limit
    assert f"at most {verdict.worst:.3g} for all 2-smooth convex functions in every dimension, exact" in str(verdict)
    assert "for all 2-smooth convex functions" in dict(card_rows(verdict))["scope"]
    told = verdict_row(claim, verdict, None, 0)
    assert (told["scope"], told["class"], told["class_worst"]) == ("class", verdict.scope, verdict.worst)
    alone = verdict_row(claim, check_claim(claim, claim.cases[0]), None, 0)
    assert (alone["scope"], alone["class"], alone["class_worst"]) == ("instance", None, None)


def test_a_bound_below_the_class_is_told_of_its_instance_alone() -> None:
    claim = find(CLAIM)
    verdict = first(claim)
    for share, scope in ((Fraction(101, 100), True), (Fraction(99, 100), False)):
        bound = replace(claim.bounds[0], expr=Fraction(verdict.worst) * share * claim.bounds[0].expr / verdict.limit)
        judged = first(replace(claim, bounds=(bound,)))
        assert judged.status == "holds"
        assert (judged.worst is not None) == scope


def test_another_algorithm_has_no_class() -> None:
    claim = find(CLAIM)
    other = replace(claim, algorithm=replace(fixed_order, name="SFL"))  # by its name alone it would be found
    assert verify(other, claim.cases[0]).worst is None


def changed(rows: Any, how: str) -> Any:
    """Certificates that prove nothing, or another number."""
    found = copy.deepcopy(rows)
    for kept in found.values():
        for links in kept:
            for link in links:
                if how == "sign":
                    link["multipliers"][0][1] = str(-Fraction(link["multipliers"][0][1]))
                elif how == "label":
                    link["multipliers"][-1][0] = ["client", 9, 9, 9]
                elif how == "less":
                    link["multipliers"] = [
                        [label, str(Fraction(c) * Fraction(9, 10))] for label, c in link["multipliers"]
                    ]
                elif how == "words":
                    link["multipliers"] = "all of them"
                else:
                    del link["at"]
    return found


@pytest.mark.parametrize("how", ["sign", "label", "less", "words", "gone"])
def test_a_file_that_somebody_changed_makes_no_class(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = find(CLAIM)
    monkeypatch.setattr(verification, "_verdict_cache", {})  # what was asked before is remembered
    rows = changed(stored_certificates("sfl"), how)
    monkeypatch.setattr(certified, "stored_certificates", lambda key: rows)
    certified._valid_certificates.cache_clear()
    try:
        assert first(claim).worst is None
        (asked, *_) = questions(claim)
        assert certified_bound("sfl", asked) is None
    finally:
        certified._valid_certificates.cache_clear()


def test_what_is_violated_or_not_known_has_no_class() -> None:
    claim = find(CLAIM)
    verdict = check_claim(claim, claim.cases[0])
    for status in ("violated", "inconclusive", "inapplicable"):
        assert with_class_scope(claim, replace(verdict, status=status)).worst is None


def test_files_are_what_the_search_writes() -> None:
    for key in WITH_CLASSES:
        for kept in json.loads(certificates_path(key).read_text(encoding="utf-8")).values():
            assert all(set(link) == {"at", "upper", "multipliers"} for links in kept for link in links)
