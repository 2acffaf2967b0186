"""Ten theorems are checked by Rocq, other ones whenever the record of what is closed has changed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fltheory.api import proofs
from fltheory.command.cli import app
from fltheory.proof.export import export_papers
from fltheory.rocq import check, project, record
from fltheory.rocq.theorem import module_name

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "proofs_checks" / "rocq.json"
TEN = 10
SMALL = 20.0  # recorded seconds: a theorem of the gate takes no longer


def turn() -> list[str]:
    """Ten closed theorems of the record, taken where its own hash points."""
    rows = record.read_record(RECORD)
    closed = sorted(n for n, r in rows.items() if r["closed"] and r["seconds"] <= SMALL)
    start = int(hashlib.sha256(RECORD.read_bytes()).hexdigest(), 16)
    return [closed[(start + k * 7919) % len(closed)] for k in range(TEN)]


def test_what_is_recorded_as_closed_is_what_the_proofs_say_now() -> None:
    """A closed theorem whose statement, proof or meaning changed must be checked again: ``.ci/rocq``."""
    rocq = json.loads(RECORD.read_text())["rocq"]
    now = record.theorem_hashes(json.loads(json.dumps(export_papers(*proofs.selected_proofs([])))), rocq)
    rows = record.read_record(RECORD)
    assert {n for n, r in rows.items() if r["closed"] and r["hash"] != now.get(n)} == set()
    assert set(rows) == set(now)


def test_a_changed_theorem_is_checked_again_with_what_it_applies() -> None:
    def one(name: str, applies: str = "") -> dict[str, Any]:
        rule = {"rule": "Apply", "theorem": applies} if applies else {"rule": "Combine"}
        return {"id": name, "refuted": False, "hypotheses": [], "statement": name, "steps": [{"rule": rule}]}

    value = {"format": "fltheory proofs 1", "papers": {"p": [one("p/a"), one("p/b", "p/a"), one("p/c")]}}
    now = record.theorem_hashes(value, "8.16")
    rows = {n: {"closed": True, "hash": h, "seconds": 1.0} for n, h in now.items()}
    assert record.stale_theorems(value, rows, "8.16") == set()
    assert record.stale_theorems(value, {**rows, "p/b": {**rows["p/b"], "hash": "old"}}, "8.16") == {"p/a", "p/b"}
    assert record.stale_theorems(value, {**rows, "p/c": {**rows["p/c"], "closed": False}}, "8.16") == {"p/c"}
    assert record.stale_theorems(value, {}, "8.16", only=("q",)) == set()
    assert record.stale_theorems(value, rows, "8.17") == {"p/a", "p/b", "p/c"}
    told = record.record_rows(value, (), (), {**rows, "p/a": {**rows["p/a"], "hash": "old"}}, "8.16")
    assert (told["p/a"]["closed"], told["p/a"]["why"]) == (False, "changed since it was checked")
    assert (told["p/b"]["closed"], told["p/b"]["why"]) == (False, "it applies p/a, which is open")
    assert told["p/c"]["closed"]


@pytest.mark.skipif(not check.version(), reason="coqc is not installed: apt-get install coq libcoq-interval")
def test_ten_theorems_are_closed_by_rocq(tmp_path: Path):
    names = turn()
    value = json.loads(json.dumps(export_papers(*proofs.selected_proofs(sorted({n.partition("/")[0] for n in names})))))
    named = {t["id"]: t for theorems in value["papers"].values() for t in theorems}
    written = project.write_files(value, tmp_path, project.with_lemmas(named, names))
    found = {c.name: c for c in check.check_files(tmp_path, written, jobs=2, limit=600.0)}
    assert [(n, found[n].why) for n in names if not found[n].closed] == []
    for n in names:
        machine = {a for a in found[n].rests_on if a.split(".")[0] in check.MACHINE_AXIOMS}
        assert set(found[n].rests_on) - machine == check.AXIOMS
        text = "".join((tmp_path / f"{module_name(o)}.v").read_text() for o in project.with_lemmas(named, [n]))
        assert not machine or "interval" in text, n


@pytest.mark.skipif(not check.version(), reason="coqc is not installed: apt-get install coq libcoq-interval")
def test_after_all_the_time_no_file_is_begun_and_nothing_is_said_of_it(tmp_path: Path):
    value = json.loads(json.dumps(export_papers(*proofs.selected_proofs(["fedcg"]))))
    value["papers"]["fedcg"] = value["papers"]["fedcg"][:2]
    written = project.write_files(value, tmp_path)
    found = check.check_files(tmp_path, written, in_all=-1.0)
    assert found == []
    first, second = (w.name for w in written)
    before = {first: {"closed": True, "hash": record.theorem_hashes(value, "8.16")[first], "seconds": 1.0}}
    rows = record.record_rows(value, written, found, before, "8.16")
    assert rows[first]["closed"]
    assert (rows[second]["closed"], rows[second]["why"]) == (False, "not checked yet")


def test_axioms_beyond_the_list_are_no_proof():
    told = "Axioms:\nFunctionalExtensionality.functional_extensionality_dep\n  : forall x, x = x\nbad : False\n"
    assert check.read_assumptions(told) - check.AXIOMS == {"bad"}
    assert check.read_assumptions("Closed under the global context\n") == frozenset()
    row = check._with_axioms(check.RocqResult("t", True), check.read_assumptions(told))
    assert not row.closed
    assert row.why == "it rests on bad"


@pytest.mark.skipif(not check.version(), reason="coqc is not installed: apt-get install coq libcoq-interval")
def test_a_false_theorem_is_not_closed(tmp_path: Path):
    x, line = ["symbol", "x", "real"], {"left": ["symbol", "x", "real"], "op": "<=", "right": "0", "over": []}
    rule = {"rule": "Combine", "weights": {}, "axioms": [], "squares": None}
    step = {"id": "1", "claim": line, "rule": rule, "uses": [], "by": [], "assuming": [], "refuted": False}
    theorem = {
        "id": "p/t",
        "claim": "",
        "refuted": False,
        "statement": line,
        "unused": [],
        "hypotheses": [],
        "steps": [step],
    }
    assert x in line.values()
    written = project.write_files({"format": "fltheory proofs 1", "papers": {"p": [theorem]}}, tmp_path)
    assert written[0].why.startswith("the sign of the slack")


def test_the_command_writes_files_and_says_why_others_are_missing(tmp_path: Path):
    place = tmp_path / "out"
    value = json.loads(json.dumps(export_papers(*proofs.selected_proofs(["fedcg"]))))
    value["papers"]["fedcg"] = value["papers"]["fedcg"][:6]
    written = project.write_files(value, place)
    assert {p.name for p in place.glob("*.v")} == {
        "Semantics.v",
        "Lib.v",
        *(f"{w.module}.v" for w in written if w.text),
    }
    assert json.loads((place / "open.json").read_text()) == {w.name: w.why for w in written if not w.text}
    assert all("Admitted" not in p.read_text() and "Axiom" not in p.read_text() for p in place.glob("*.v"))
    assert "coqc" in (place / "Makefile").read_text().lower()


def test_a_folder_with_other_files_is_refused(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine")
    told = CliRunner().invoke(app, ["proofs", "fedcg", "--rocq", str(tmp_path)])
    assert told.exit_code != 0
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.txt"]
