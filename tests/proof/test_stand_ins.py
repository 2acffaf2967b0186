"""A theorem that is called like a recorded one is not taken for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Integer

from fltheory.api import proofs as asked
from fltheory.model.errors import UserError
from fltheory.proof import library
from fltheory.proof.check import check_stored
from fltheory.proof.language import ProofError
from fltheory.proof.parallel import check_in_parallel

PROOFS = library.load("aaggff")
OWN = next(t for t in PROOFS.theorems if t.id == "aaggff/nonnegative-square")
_SAYS = replace(OWN.statement, left=Integer(1))  # 1 <= u^2
FALSE = replace(OWN, statement=_SAYS, steps=(*OWN.steps[:-1], replace(OWN.steps[-1], claim=_SAYS)))


def test_it_is_not_what_is_recorded() -> None:
    assert check_stored(PROOFS, OWN, {}).verdict == "PROVED"
    assert check_stored(PROOFS, FALSE, {}).verdict == "UNKNOWN"


def test_the_verdict_of_the_recorded_one_is_not_given_to_it() -> None:
    with pytest.raises(ProofError, match="not the theorem of this name"):
        library.check_with_dependencies(PROOFS, FALSE)
    with pytest.raises(UserError, match="not the theorem of this name"):
        list(asked.check_theorems([(PROOFS, FALSE)]))


def test_other_processes_know_the_recorded_ones_alone() -> None:
    with pytest.raises(ProofError, match="registered"):
        list(check_in_parallel([(PROOFS, [FALSE])], 2))
    with pytest.raises(ProofError, match="registered"):
        list(check_in_parallel([(replace(PROOFS, theorems=(FALSE,)), [FALSE])], 2))
    assert [r.verdict for r in check_in_parallel([(PROOFS, [OWN])], 2)] == ["PROVED"]
