"""A case that leaves the family of its claim is named so, first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st

from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.problems.separable import QuadraticClients
from fltheory.search.falsifier import Falsification, falsify
from fltheory.search.starts.beyond_family import family_exit_message, family_ranges
from fltheory.symbols import n_clients, noise_std
from fltheory.verification import find


def case(clients: int, noise: object = 0) -> Case:
    curves = QuadraticClients((1,) * clients, (0,) * clients, 1, noise_std=noise)
    return Case(curves, n_rounds=1, n_local_steps=1, step_size="1/12")


@pytest.fixture
def claim() -> Claim:
    """Of one or two clients without noise."""
    own = find("sfl/T3-GC@printed")
    return replace(own, cases=(), full_cases=(), family=lambda: st.integers(1, 2).map(case))


def test_what_the_family_has_is_seen(claim: Claim) -> None:
    found = family_ranges(claim)
    assert found[n_clients] == (1, 2)
    assert found[noise_std] == (0, 0)


@pytest.mark.parametrize(
    ("clients", "noise", "said"),
    [
        (1, 0, ""),
        (2, 0, ""),
        (3, 0, "outside the family: n_clients = 3 (the family has 1 to 2)"),
        (2, "1/2", "outside the family: noise_std = 1/2 (the family has 0)"),
    ],
)
def test_what_leaves_it_is_named(claim: Claim, clients: int, noise: object, said: str) -> None:
    assert family_exit_message(claim, case(clients, noise)) == said


def test_an_own_case_is_of_the_claim(claim: Claim) -> None:
    """Also where the family draws no such case."""
    assert family_exit_message(replace(claim, cases=(case(5),)), case(5)) == ""
    assert family_exit_message(replace(claim, family=None), case(5)) == ""


def test_the_text_of_a_search_begins_with_it(claim: Claim) -> None:
    def told(clients: int) -> str:
        nearest = Verdict(claim.id, "holds", "holds", case(clients), ratio=0.5, evidence="exact")
        return str(Falsification(claim, None, nearest, 1, 1, 0.0, tested=1))

    assert told(3).startswith("outside the family: n_clients = 3")
    assert told(3).splitlines()[1] == told(2).replace(str(case(2)), str(case(3)))
    assert "outside" not in told(2)
    broken = Verdict(claim.id, "violated", "holds", case(4), ratio=2.0, evidence="exact")
    assert str(Falsification(claim, broken, None, 1, 1, 0.0, tested=1)).startswith("outside the family: n_clients = 4")


def test_a_search_that_stays_says_nothing(claim: Claim) -> None:
    found = falsify(claim, work=1)
    assert found.nearest is None or family_exit_message(claim, found.nearest.case) in str(found)
