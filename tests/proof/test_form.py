"""Faults of form and of certificate files, each reported in words."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from sympy import Symbol

from fltheory.proof.check import check_all, check_theorem
from fltheory.proof.find import find_all_certificates, find_certificates
from fltheory.proof.language import Apply, Combine, Given, Gram, ProofError, Proofs, Step, Theorem, le, lt
from fltheory.proof.terms import Dot, Vector, family, square

x, y, z = (Symbol(name, real=True) for name in "xyz")
u, v = family(Vector, "u")(), family(Vector, "v")()
HALVES = le(Dot(u, v), square(u) / 2 + square(v) / 2)
FIRST, SECOND = Given("first", le(x, y)), Given("second", le(y, z))
CHAIN = Theorem("test/chain", le(x, z), (FIRST, SECOND), (Step("1", le(x, z), Combine(), ("first", "second")),))
YOUNG = Theorem("test/young", HALVES, (), (Step("1", HALVES, Gram()),))


def faults(**changes: Any) -> str:
    report = check_theorem(dataclasses.replace(CHAIN, **changes), {})
    assert report.verdict == "UNKNOWN"
    assert not report.as_recorded
    return "; ".join([*report.faults, *(s.reason for s in report.steps)])


def test_a_proof_in_good_form_passes() -> None:
    assert check_theorem(CHAIN, {}).as_recorded


def test_steps_use_only_what_stands_before_them() -> None:
    circle = (Step("1", le(x, z), Combine(), ("2",)), Step("2", le(x, z), Combine(), ("1",)))
    assert "step 1 uses 2, which is not an earlier line" in faults(steps=circle, unused=("first", "second"))
    own = (Step("1", le(x, z), Combine(), ("1",)),)
    assert "step 1 uses 1, which is not an earlier line" in faults(steps=own, unused=("first", "second"))


def test_theorems_apply_only_those_before_them() -> None:
    apply = Step("1", le(x, z), Apply("test/later"), ("first", "second"))
    early = dataclasses.replace(CHAIN, id="test/early", steps=(apply,))
    later = dataclasses.replace(CHAIN, id="test/later", steps=(dataclasses.replace(apply, rule=Apply("test/early")),))
    reports = check_all(Proofs("test", (early, later), Path("nowhere")))
    assert [r.verdict for r in reports] == ["UNKNOWN", "UNKNOWN"]
    assert "test/later is not among the theorems before this one" in reports[0].steps[0].reason
    assert "test/early is not proved" in reports[1].steps[0].reason
    with pytest.raises(ProofError, match="occurs twice"):
        check_all(Proofs("test", (CHAIN, CHAIN), Path("nowhere")))


def test_every_step_and_hypothesis_serves() -> None:
    idle = (Step("0", le(x, y), Combine(), ("first",)), *CHAIN.steps)
    assert "steps on which the statement does not depend: 0" in faults(steps=idle)
    third = Given("third", le(z, x))
    assert "the hypothesis third is neither used nor listed as unused" in faults(hypotheses=(FIRST, SECOND, third))
    assert "the hypothesis first is used, though listed as unused" in faults(unused=("first",))
    assert "fourth, listed as unused, is not a hypothesis" in faults(unused=("fourth",))


def test_ids_stand_once() -> None:
    assert "the id first occurs twice" in faults(hypotheses=(FIRST, SECOND, dataclasses.replace(SECOND, id="first")))
    assert "the id 1 occurs twice" in faults(steps=(*CHAIN.steps, *CHAIN.steps))
    assert "the id first occurs twice" in faults(steps=(dataclasses.replace(CHAIN.steps[0], id="first"),))


def test_the_last_step_is_the_statement() -> None:
    assert "the last step is not the statement" in faults(statement=le(z, x))
    assert "the last step is not the statement" in faults(statement=dataclasses.replace(CHAIN.statement, op="<"))
    under = dataclasses.replace(CHAIN.steps[0], assuming=(le(x, 0),), rule=Combine({"first": 1, "second": 1}))
    assert "the last step, 1, is under an assumption" in faults(steps=(under,))
    assert "there is no step that proves the statement" in faults(steps=(), unused=("first", "second"))


def test_refuted_and_unproved_steps_carry_nothing() -> None:
    printed = Step("p", le(z, x), Combine(), ("first",), recorded="REFUTED")
    last = Step("1", le(z, x), Combine(), ("p",))
    said = faults(statement=le(z, x), steps=(printed, last), unused=("second",))
    assert "step 1 uses p, which is recorded as refuted" in said
    open_ = (Step("0", le(z, x), Combine(), ("first", "second")), Step("1", le(x, x), Combine(), ("0",)))
    assert "0 is not proved" in faults(statement=le(x, x), steps=open_)


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Proofs, Path]:
    proofs = Proofs("test", (YOUNG,), tmp_path)
    assert all(r.as_recorded for r in find_all_certificates(proofs))
    (path,) = tmp_path.iterdir()
    return proofs, path


def reason(proofs: Proofs) -> str:
    (report,) = check_all(proofs)
    assert report.verdict == "UNKNOWN"
    return "; ".join([*report.faults, *(s.reason for s in report.steps)])


def test_missing_certificates(stored: tuple[Proofs, Path]) -> None:
    proofs, path = stored
    path.unlink()
    assert f"{path.name} has no certificate for this step" in reason(proofs)


def test_broken_certificates(stored: tuple[Proofs, Path]) -> None:
    proofs, path = stored
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    assert f"{path.name} is not a readable certificate file" in reason(proofs)
    path.write_text(text.replace("test/young", "test/old"))
    assert f"{path.name} does not hold the certificates of test/young" in reason(proofs)
    path.write_text("[]")
    assert f"{path.name} does not hold the certificates of test/young" in reason(proofs)
    data = json.loads(text)
    data["steps"]["1"] = data["steps"]["1"]["certificate"]
    path.write_text(json.dumps(data))
    assert "its certificate must be an object with hash and certificate" in reason(proofs)
    data = json.loads(text)
    data["steps"]["1"]["certificate"]["squares"][0]["vector"] = [["__import__('os')", "0"]]
    path.write_text(json.dumps(data))
    assert "not a term" in reason(proofs)


def test_stale_certificates(stored: tuple[Proofs, Path]) -> None:
    proofs, path = stored
    changed = le(Dot(u, v), square(u) + square(v) / 2)
    other = dataclasses.replace(YOUNG, statement=changed, steps=(Step("1", changed, Gram()),))
    assert "its certificate was found for another statement" in reason(dataclasses.replace(proofs, theorems=(other,)))
    data = json.loads(path.read_text())
    data["steps"]["2"] = data["steps"]["1"]
    path.write_text(json.dumps(data))
    assert "certificates that no step needs: 2" in reason(proofs)


def test_a_strict_inequality_gives_the_sign_of_a_square() -> None:
    """The certificate that is found is read with the facts that it was found for."""
    less, shorter = Given("less", lt(x, 1)), le(x * square(u), square(u))
    theorem = Theorem("test/shorter", shorter, (less,), (Step("1", shorter, Gram(), ("less",)),))
    assert check_theorem(theorem, find_certificates(theorem, {})).verdict == "PROVED"
