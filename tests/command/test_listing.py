"""Lists of claims: as contents of a paper, and told by a second process without loading a claim."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fltheory.claims import index
from fltheory.claims.catalogue import KEYS, catalogue, contents
from tests.typed import Run

KEY = "osmd"  # the paper that is loaded soonest
CODE = """
import sys
from fltheory.command import cli
status = cli.run(["list", "osmd", "--json"])
print("loaded" if "fltheory.symbols" in sys.modules else "not loaded", file=sys.stderr)
sys.exit(status)
"""


def listed(cache: Path) -> tuple[list[object], str]:
    """What a fresh process lists of a paper, and whether it loaded the claims for it."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "FLTHEORY_PAPERS": ""}
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, env=environment, check=True)
    return json.loads(done.stdout), done.stderr.strip()


# Contents ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_a_paper_is_listed_as_its_contents(run: Run, key: str) -> None:
    """Every item in the paper's order, every claim once, each reading with its verdict."""
    status, out, err = run("list", key)
    assert (status, err) == (0, "")
    at = [out.index(f"{item.name}  {item.title}\n") for item in contents(key).items]
    assert at == sorted(at)
    rows = [line.split(maxsplit=1) for line in out.splitlines() if line.strip().startswith(f"{key}/")]
    shown = [f"{name}@{said}" for name, readings in rows for said in readings.split(", ")]
    assert sorted(shown) == sorted(f"{claim.id} {index.verdict_column(claim)}" for claim in catalogue((key,)))


def test_a_claim_stands_under_its_item(run: Run) -> None:
    lines = [line.strip() for line in run("list", "sfl")[1].splitlines()]
    at = [lines.index("Theorem 3  SFL at a constant step"), lines.index("Corollary 4  SFL at the tuned step")]
    row = next(line for line in lines if line.startswith("sfl/T3-SC "))
    assert at[0] < lines.index(row) < at[1]
    assert row.split(maxsplit=1)[1] == "printed holds, strict violated, corrected holds, strengthened holds"


def test_only_whole_papers_are_listed_as_contents(run: Run) -> None:
    assert run("list", "sfl", "osmd")[1].count("Section 1  Introduction") == 2
    for words in (["sfl/T3-SC"], ["sfl", "osmd/C-T8"], ["sfl", "--search", "convex"], []):
        assert run("list", *words)[1].splitlines()[0].split()[:2] == ["claim", "kind"]


def test_an_unknown_paper_is_told_what_there_is(run: Run) -> None:
    status, _, err = run("list", "NOSUCH")
    assert status == 2
    assert "no claim 'NOSUCH'; the nearest are" in err


# Kept between processes -------------------------------------------------------------------------------------------


def test_lines_say_what_the_claims_say() -> None:
    assert index.lines() == tuple(index.line_of(claim) for claim in catalogue())
    assert {line.paper for line in index.lines((KEY,))} == {KEY}


def test_a_second_process_lists_the_same_without_loading_a_claim(tmp_path: Path) -> None:
    first, second = listed(tmp_path), listed(tmp_path)
    assert (first[1], second[1]) == ("loaded", "not loaded")
    assert first[0] == second[0] == [index.line_as_json(line) for line in index.lines((KEY,))]
    (file,) = (tmp_path / "fltheory").iterdir()
    file.write_bytes(file.read_bytes()[:-40])
    assert listed(tmp_path) == first
    assert listed(tmp_path) == second


def test_lines_are_read_as_they_were_made() -> None:
    made = index.lines((KEY,))
    body = index._text_of(made)
    assert index._lines_in(body) == made
    for damage in (body[:-1], body.replace(b"reading", b"version", 1), b"[]", b"{}", b"\xff"):
        assert index._lines_in(damage) is None


def test_a_folder_that_can_t_be_written_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "fltheory").write_text("a file")
    assert listed(tmp_path) == listed(tmp_path)
    assert (tmp_path / "fltheory").read_text() == "a file"
