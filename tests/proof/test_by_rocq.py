"""A proof that Rocq has closed is called so, and no other one of the same name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fltheory.claims.catalogue import KEYS
from fltheory.proof import library, text
from fltheory.proof.language import Theorem
from fltheory.rocq import record

RECORD = Path("proofs_checks/rocq.json")


@pytest.fixture(scope="module")
def closed() -> Theorem:
    rows = record.read_record(RECORD)
    return next(t for t in library.load("sfl").theorems if rows[t.id]["closed"] and t.recorded == "PROVED")


def test_a_proof_that_is_closed_says_so(closed: Theorem) -> None:
    version = ".".join(json.loads(RECORD.read_text())["rocq"].split(".")[:2])
    assert library.external_checker(closed) == f"Rocq {version}"
    assert text.verdict_word(closed, "PROVED", {}).startswith(f"PROVED (kernel, Rocq {version})")
    assert "Rocq" not in text.verdict_word(closed, "UNKNOWN", {})


def test_another_theorem_of_the_same_name_is_not_closed(closed: Theorem) -> None:
    assert library.external_checker(replace(closed, note="another")) == ""


def test_what_is_open_in_the_record_says_nothing() -> None:
    rows = record.read_record(RECORD)
    found = [t for key in KEYS for t in library.load(key).theorems if not rows[t.id]["closed"]]
    assert found
    assert {library.external_checker(t) for t in found} == {""}
