"""A theorem that is called like a recorded one is not taken for it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest
from sympy import Integer

from fltheory.api import proofs as asked
from fltheory.model.errors import UserError
from fltheory.proof import library
from fltheory.proof.check import check_stored
from fltheory.proof.language import ProofError, Proofs, Theorem
from fltheory.proof.parallel import check_in_parallel


class Recorded(NamedTuple):
    """A paper's proofs, one of its theorems, and a false one that is called like it."""

    proofs: Proofs
    own: Theorem
    false: Theorem


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    proofs = library.load("aaggff")
    own = next(t for t in proofs.theorems if t.id == "aaggff/nonnegative-square")
    says = replace(own.statement, left=Integer(1))  # 1 <= u^2
    return Recorded(
        proofs, own, replace(own, statement=says, steps=(*own.steps[:-1], replace(own.steps[-1], claim=says)))
    )


def test_it_is_not_what_is_recorded(recorded: Recorded) -> None:
    proofs, own, false = recorded
    assert check_stored(proofs, own, {}).verdict == "PROVED"
    assert check_stored(proofs, false, {}).verdict == "UNKNOWN"


def test_the_verdict_of_the_recorded_one_is_not_given_to_it(recorded: Recorded) -> None:
    proofs, _, false = recorded
    with pytest.raises(ProofError, match="not the theorem of this name"):
        library.check_with_dependencies(proofs, false)
    with pytest.raises(UserError, match="not the theorem of this name"):
        list(asked.check_theorems([(proofs, false)]))


def test_other_processes_know_the_recorded_ones_alone(recorded: Recorded) -> None:
    proofs, own, false = recorded
    with pytest.raises(ProofError, match="registered"):
        list(check_in_parallel([(proofs, [false])], 2))
    with pytest.raises(ProofError, match="registered"):
        list(check_in_parallel([(replace(proofs, theorems=(false,)), [false])], 2))
    assert [r.verdict for r in check_in_parallel([(proofs, [own])], 2)] == ["PROVED"]
