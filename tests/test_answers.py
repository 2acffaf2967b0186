"""One question, one answer: every command says the same of a claim's own cases."""

from __future__ import annotations

import pytest

from benchmarks.answers import answers, chosen, disagreements
from fltheory.claim import Claim
from fltheory.known import find

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
