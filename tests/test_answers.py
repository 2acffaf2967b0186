"""One question, one answer: every command says the same of a claim's own cases."""

from __future__ import annotations

import pytest

from benchmarks.answers import answers, chosen, disagreements
from fltheory.claim import Claim
from fltheory.known import find, verify

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
    with pytest.raises(ValueError, match="bananas is no constant"):
        verify(claim, bananas=3)
