"""The package of famous theorems: each statement is short, has its verdict, and a false one its counterexample."""

from __future__ import annotations

import ast
import json
import sys
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from fltheory.verification import own_verdicts
from tests.papers.recorded import its_turn

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "examples" / "classics"
MODULES = sorted(path for path in (PACKAGE / "classics").glob("*.py") if path.stem != "__init__")
LINES, MODULE_LINES, STATEMENTS, TENTHS = 25, 205, 90, 10


@cache
def statements() -> tuple[Any, ...]:
    """The claims of the package, imported as if it were installed."""
    sys.path.insert(0, str(PACKAGE))
    try:
        return tuple(import_module("classics.claims").CLAIMS)
    finally:
        sys.path.remove(str(PACKAGE))


def test_there_are_many_true_and_false_ones() -> None:
    every = statements()
    assert len({claim.id for claim in every}) == len(every) >= STATEMENTS
    false = [claim for claim in every if claim.entry.recorded == "violated"]
    assert STATEMENTS // 3 < len(false) < len(every) - STATEMENTS // 3
    assert {claim.entry.recorded for claim in every} == {"holds", "violated"}
    for claim in false:
        assert "false" in claim.statement, claim.id


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_statements_and_steps_are_short_and_have_a_source(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MODULE_LINES
    assert text.startswith('"""')
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign | ast.FunctionDef) and path.stem != "claims":
            assert (node.end_lineno or 0) - node.lineno < LINES, ast.unparse(node)[:80]


def test_every_module_is_in_the_catalogue() -> None:
    found = {claim.id for claim in statements()}
    named = set()
    for path in MODULES:
        module = import_module(f"classics.{path.stem}")
        named |= {claim.id for claim in getattr(module, "CLAIMS", ())}
    assert named == found
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["fltheory.papers"] == {"classics": "classics.claims"}


def right(claim: Any) -> None:
    """Its own cases have its verdict; of a false one at least one violates it."""
    found = [verdict.status for verdict in own_verdicts(claim)]
    assert found
    if claim.entry.recorded == "violated":
        assert "violated" in found
    else:
        assert set(found) <= {"holds", "vacuous"}


@pytest.mark.parametrize("turn", range(4))
def test_some_have_their_verdicts(turn: int) -> None:
    """A tenth of them, at each release another."""
    chosen = its_turn(statements(), TENTHS)
    for claim in chosen[turn::4]:
        right(claim)


def test_all_have_their_verdicts() -> None:
    for claim in statements():
        right(claim)


def test_the_page_is_of_these_statements() -> None:
    rows = json.loads((ROOT / "benchmarks" / "classics.json").read_text())
    assert set(rows) == {claim.id for claim in statements()}
    page = (ROOT / "docs" / "explanation" / "classics.md").read_text(encoding="utf-8")
    for claim in statements():
        row = rows[claim.id]
        assert row["recorded"] == claim.entry.recorded
        assert row["verdict"] == row["recorded"] or (row["recorded"], row["verdict"]) == ("holds", "vacuous")
        assert f"| {claim.statement.replace('|', chr(92) + '|')} |" in page
