"""A tenth of the claims recorded as true is searched for a counterexample, another tenth at each release.

``tests/rotation.txt`` holds the number of the tenth. With ``-m deep`` all claims are searched, each for a minute with five seeds.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fltheory.claim import Claim
from fltheory.known import find
from fltheory.papers import KEYS
from fltheory.search.falsifier import falsify
from tests.papers.witnesses import true_claims

TENTHS = 10
NUMBER = int((Path(__file__).parent.parent / "rotation.txt").read_text())
SECONDS, CASES = 2.0, 60  # of one search of the gate: whichever ends first
SEARCHED = [claim for paper in KEYS for claim in true_claims(paper) if claim.family is not None]
TURN = SEARCHED[NUMBER::TENTHS]


def test_each_release_searches_a_tenth_and_ten_of_them_search_every_claim() -> None:
    assert 0 <= NUMBER < TENTHS
    turns = [SEARCHED[i::TENTHS] for i in range(TENTHS)]
    assert sorted(c.id for turn in turns for c in turn) == sorted(c.id for c in SEARCHED)
    assert {c.paper for c in TURN} == set(KEYS)


@pytest.mark.parametrize("claim", TURN, ids=lambda c: c.id)
def test_a_short_search_refutes_nothing_that_is_recorded_as_true(claim: Claim) -> None:
    found = falsify(claim, seconds=SECONDS, seed=NUMBER, max_cases=CASES)
    assert not found.found, str(found)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("claim", SEARCHED, ids=lambda c: c.id)
def test_a_long_search_refutes_nothing_that_is_recorded_as_true(claim: Claim, seed: int) -> None:
    found = falsify(claim, seconds=60, seed=seed)
    assert not found.found, str(found)


@pytest.mark.parametrize(
    "name", ["sfl/S4.3-SC@literal", "osmd/C-31@printed", "fedcg/T3.2@printed", "delta_sgd/T5-B@printed"]
)
def test_the_short_search_finds_what_is_false(name: str) -> None:
    assert falsify(find(name), seconds=20, seed=NUMBER, max_cases=CASES).found
