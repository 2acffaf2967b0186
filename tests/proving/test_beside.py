"""``prove --beside``: a proved bound in a table with a published one; and what a proof applies goes to Rocq with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sympy import Integer, Symbol

from fltheory.command.proof_search import Request, beside, rocq_answer, run
from fltheory.model.errors import UserError
from fltheory.proof import le, proof
from fltheory.proof.language import Theorem
from fltheory.proof.terms import Vector, family, square
from fltheory.proving import Proved, prove
from fltheory.symbols import initial_distance, n_rounds, smoothness
from tests.proving.agent_cases import AGENTS

x, best = family(Vector, "x"), family(Vector, "x_star")()
R = Symbol("R", integer=True, positive=True)
CLAIM = "sfl/T3-GC@printed"


def bound(right: object) -> Theorem:
    return proof("mine/bound").conjecture(le(0, right))


def test_the_ratio_is_the_published_bound_over_the_proved_one() -> None:
    claim = beside.claim_of(CLAIM)
    found = beside.compared(bound(claim.bound.expr / 3), claim)
    assert found.ratio == 3
    assert found.lines()[-1].split() == ["published", "/", "proved", "3"]


def test_rounds_and_the_first_distance_are_read_as_those_of_the_claim() -> None:
    claim = beside.claim_of(CLAIM)
    found = beside.compared(bound(square(x(0) - best) / R), claim)
    assert found.read == {R: n_rounds, square(x(0) - best): initial_distance**2}
    assert (found.ratio * initial_distance**2 / n_rounds - claim.bound.expr).expand() == 0


@pytest.mark.parametrize("right", [square(x(0)) + square(x(1)), square(x(0)) * square(best)])
def test_two_lengths_have_no_reading(right: object) -> None:
    found = beside.compared(bound(right), beside.claim_of(CLAIM))
    assert found.ratio is None
    assert found.rows()[-1] == ("published / proved", "the proved bound has terms that are no parameters")


def test_an_unknown_claim_is_named_before_the_search() -> None:
    request = Request(bound(square(best)), (), (), 10, beside="sfl/T99")
    with pytest.raises(UserError, match=r"--beside sfl/T99: no claim 'sfl/T99'; the nearest are"):
        run(request, None, force=False)


def test_the_table_is_printed_and_kept(capsys: pytest.CaptureFixture[str]) -> None:
    request = Request(bound(smoothness * Integer(2)), (), (), 100, beside=CLAIM)
    _, row = run(request, None, force=False)
    said = capsys.readouterr().out
    assert f"{CLAIM} (published)" in said
    assert next(iter(json.loads(json.dumps(row))["beside"])) == "mine/bound (proved)"


def test_rocq_gets_the_lemma_about_one_client_too(tmp_path: Path) -> None:
    pytest.importorskip("clarabel")
    case = AGENTS[0]
    outcome = prove(case.theorem(case.true))
    assert isinstance(outcome, Proved)
    answer = rocq_answer(outcome, tmp_path / "rocq")
    scripts = {path.name for path in (tmp_path / "rocq").glob("T_*.v")}
    assert len(scripts) == 2, answer
    assert any("client" in name for name in scripts)
