"""One question, one answer: every command says the same of a claim's own cases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.answers import answers, chosen, disagreements
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.search import falsifier
from fltheory.search.falsifier import falsify
from fltheory.verification import find, own_verdicts, verdict_on, verify
from fltheory.work import DEFAULT_WORK, spend

FEW = ["sfl/T3-SC@corrected", "fedcg/T3.2@printed", "osmd/C-5@corrected"]


@pytest.mark.parametrize("claim_id", FEW)
def test_every_command_says_the_same(claim_id: str) -> None:
    assert disagreements(answers(find(claim_id), 100)) == []


@pytest.mark.deep
@pytest.mark.parametrize("claim", chosen(200), ids=lambda claim: claim.id)
def test_every_command_says_the_same_of_two_hundred_claims(claim: Claim) -> None:
    assert disagreements(answers(claim)) == []


def test_two_answers_that_disagree_are_seen() -> None:
    said = {"verify": "violated", "plot": "holds", "falsify": "nothing found", "report": "violated"}
    assert disagreements(said) == ["plot says holds, verify violated", "falsify says nothing found, verify violated"]
    assert disagreements({"verify": "holds", "falsify": "violated", "plot": "no answer: no constant"}) == []


def test_a_constant_is_set_once_by_its_name_or_by_its_letter() -> None:
    claim = find("sfl/T3-SC@corrected")
    case = claim.cases[0]
    assert verify(claim, case, R=2400).case == verify(claim, case, n_rounds=2400).case
    with pytest.raises(ValueError, match="n_rounds is set twice"):
        verify(claim, case, n_rounds=2400, R=1200)
    with pytest.raises(ValueError, match="bananas is not a known constant"):
        verify(claim, bananas=3)


@pytest.mark.parametrize("claim_id", ["sfl/C4-GC@printed", "osmd/C-5@printed"])
def test_a_search_that_own_cases_answer_tells_what_verify_tells(claim_id: str) -> None:
    """The same case and ratio, not the first case that violates nor a simpler one; with any work that suffices for them."""
    asked = verify(claim_id)
    ratios = [v.ratio for v in own_verdicts(find(claim_id)) if v.status == "violated"]
    assert len(ratios) > 1
    assert asked.ratio == max(r for r in ratios if r is not None)
    for work in (100, DEFAULT_WORK):
        found = falsify(claim_id, work=work)
        assert found.by == "own cases"
        assert found.verdict is not None
        assert replace(found.verdict, seconds=0.0) == replace(asked, seconds=0.0)


def test_a_search_whose_work_ends_among_violated_own_cases_names_those_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was decided until then is told, and which cases could tell more."""
    claim = find("sfl/C4-GC@printed")
    shortest = min(claim.cases, key=falsifier.case_length)

    def dear(claim: Claim, case: Case, seed: int) -> Verdict:
        spend(1.0 if case == shortest else 1e9)
        return verdict_on(claim, case, seed)

    monkeypatch.setattr(falsifier, "verdict_on", dear)
    found = falsify(claim, work=100)
    assert found.verdict is not None
    assert found.verdict.case == shortest
    assert [case for case, _ in found.left] == [case for case in claim.cases if case != shortest]
    assert "of its own cases 1 left undecided" in str(found)
