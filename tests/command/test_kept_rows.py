"""Verdicts of earlier runs: used only while nothing that they rest on has changed, never for a user's step, constants or file."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fltheory.claims import cache, kept_rows, plugins
from fltheory.command import verdict_table
from fltheory.command.batch import Task, check_new_tasks, check_task, keep_rows, plan
from fltheory.verification import find
from tests.typed import Run

CLAIM, FALSE = "sfl/U7@explicit", "sfl/D3-first@printed"
SINCE = "unchanged since "


@pytest.fixture(autouse=True)
def _as_in_a_new_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With a cache of its own, and as if no claim were loaded yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(kept_rows.FRESH_VARIABLE)
    monkeypatch.delenv("FLTHEORY_PAPERS", raising=False)
    monkeypatch.setattr(cache, "claims_are_loaded", lambda: False)
    monkeypatch.setattr(plugins, "_import_spec", functools.cache(plugins._import_spec.__wrapped__))


def checked_now(run: Run, folder: Path, *arguments: object) -> bool:
    """Whether a run of ``verify`` checks its cases; its rows, its summary and its status are those of the first run."""
    status, out, err = run("verify", *arguments, "--json", folder / "rows.jsonl", "--force")
    assert status == 0, out + err
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    kept = [row["unchanged_since"] is not None for row in rows]
    assert (SINCE in out) == any(kept)
    assert all(kept) == any(kept)
    return not any(kept)


def test_a_second_run_says_since_when_nothing_has_changed_and_a_fresh_one_checks(run: Run, tmp_path: Path) -> None:
    assert checked_now(run, tmp_path, CLAIM)
    first = (tmp_path / "rows.jsonl").read_text()
    assert not checked_now(run, tmp_path, CLAIM)
    assert [
        {**json.loads(line), "unchanged_since": None} for line in (tmp_path / "rows.jsonl").read_text().splitlines()
    ] == [json.loads(line) for line in first.splitlines()]
    assert checked_now(run, tmp_path, CLAIM, "--fresh")
    assert not checked_now(run, tmp_path, CLAIM)


@pytest.mark.parametrize("others", [["--seed", 1], ["--profile", "full"], ["--set", "R=1200"]])
def test_what_is_asked_otherwise_is_checked(run: Run, tmp_path: Path, others: list[object]) -> None:
    claim = "sfl/T3-GC@printed"
    assert checked_now(run, tmp_path, claim)
    assert not checked_now(run, tmp_path, claim)
    assert checked_now(run, tmp_path, claim, *others)


def test_a_variant_is_checked_each_time_and_changes_no_kept_row(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def step(x, oracle, c):\n    return x\n")
    variant = ("verify", "sfl/T3-GC@printed", "--variant", f"{tmp_path / 'mine.py'}:step")
    told = [run(*variant)[1] for _ in range(2)]
    assert all("variant" in out and SINCE not in out for out in told)
    assert list((tmp_path / "cache").rglob(f"*-{kept_rows.NAME}")) == []


def test_a_user_s_own_papers_are_checked_each_time(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text("from fltheory import find\n")
    monkeypatch.setenv("FLTHEORY_PAPERS", str(tmp_path / "own.py"))
    assert kept_rows.opened().digest is None
    monkeypatch.delenv("FLTHEORY_PAPERS")
    assert kept_rows.opened().digest is not None


OWN_PAPER = """
from dataclasses import replace

from fltheory import find

mine = replace(find("sfl/U7@explicit"), id="{key}/T1@printed")
"""


@pytest.mark.parametrize(
    ("key", "selectors"), [("named_paper", ("named_paper", CLAIM)), ("paper_beside", ("*/U7@explicit",))]
)
def test_beside_a_user_s_paper_every_case_is_checked_and_none_is_kept(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, selectors: tuple[str, ...]
) -> None:
    """The file may have changed anything, also where none of its own claims is selected."""
    (tmp_path / f"{key}.py").write_text(OWN_PAPER.format(key=key))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert checked_now(run, tmp_path, CLAIM)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [SimpleNamespace(value=key)])
    assert checked_now(run, tmp_path, *selectors)
    (kept,) = (tmp_path / "cache").rglob(f"*-{kept_rows.NAME}")
    assert kept.read_bytes().count(b"unchanged_since") == len(find(CLAIM).all_cases("quick"))


def test_older_code_is_not_taken_for_the_present_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has loaded claims may have loaded them before a file was changed."""
    monkeypatch.setattr(cache, "claims_are_loaded", lambda: True)
    assert kept_rows.opened() == kept_rows.KeptRows(None, {})


# What they rest on ------------------------------------------------------------------------------------------------------


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A small library in the place of this one."""
    folder = tmp_path / "library"
    (folder / "part").mkdir(parents=True)
    (folder / "a.py").write_text("x = 1\n")
    (folder / "part" / "data.json").write_text("[1]\n")
    (folder / "part" / "table.npz").write_bytes(b"\0\1")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.pyc").write_bytes(b"compiled")
    monkeypatch.setattr(kept_rows, "_LIBRARY", folder)
    return folder


def _other_content(folder: Path) -> None:
    """As long and as old as before."""
    file = folder / "a.py"
    before = file.stat()
    file.write_text("x = 2\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "a source": _other_content,
    "data": lambda folder: (folder / "part" / "data.json").write_text("[2]\n"),
    "binary data": lambda folder: (folder / "part" / "table.npz").write_bytes(b"\0\2"),
    "a new file": lambda folder: (folder / "part" / "b.py").write_text(""),
    "a file less": lambda folder: (folder / "part" / "table.npz").unlink(),
    "another name": lambda folder: (folder / "a.py").rename(folder / "c.py"),
    "another folder": lambda folder: (folder / "a.py").rename(folder / "part" / "a.py"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_file_of_the_library_counts_by_its_content(library: Path, change: Callable[[Path], object]) -> None:
    before = kept_rows.opened()
    change(library)
    assert kept_rows.opened().digest != before.digest


def test_what_python_compiles_counts_for_nothing(library: Path) -> None:
    before = kept_rows.opened()
    (library / "__pycache__" / "a.pyc").write_bytes(b"compiled again")
    (library / "part" / "__pycache__").mkdir()
    (library / "part" / "__pycache__" / "b.pyc").write_bytes(b"")
    assert kept_rows.opened() == before


@pytest.mark.parametrize(
    "name", ["numpy", "scipy", "sympy", "mpmath", "python-flint", "numba", "llvmlite", "hypothesis"]
)
def test_the_version_of_what_computes_counts(library: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before, version = kept_rows.opened().digest, kept_rows.version
    monkeypatch.setattr(kept_rows, "version", lambda asked: "0.0" if asked == name else version(asked))
    assert kept_rows.opened().digest != before


@pytest.mark.parametrize("name", ["NUMBA_DISABLE_JIT", "FLTHEORY_OTHER"])
def test_an_environment_variable_of_the_library_or_of_numba_counts(
    library: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = kept_rows.opened().digest
    monkeypatch.setenv(name, "1")
    assert kept_rows.opened().digest != before
    monkeypatch.delenv(name)
    monkeypatch.setenv("UNRELATED", "1")
    assert kept_rows.opened().digest == before


@pytest.mark.parametrize("name", ["version", "flags"])
def test_python_and_its_options_count(library: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = kept_rows.opened().digest
    own = {"version": sys.version, "flags": sys.flags}
    monkeypatch.setattr(kept_rows, "sys", SimpleNamespace(**{**own, name: "another"}))
    assert kept_rows.opened().digest != before


@pytest.mark.parametrize("name", ["platform", "machine"])
def test_the_system_counts(library: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = kept_rows.opened().digest
    monkeypatch.setattr(kept_rows.platform, name, lambda: "another")
    assert kept_rows.opened().digest != before


def test_what_changes_during_the_run_keeps_nothing(library: Path) -> None:
    known = kept_rows.opened()
    _other_content(library)
    known.keep({"one": row("holds")})
    assert kept_rows.opened().rows == {}
    (library / "a.py").write_text("x = 1\n")  # as before the run
    assert kept_rows.opened() == known
    kept_rows.opened().keep({"one": row("holds")})
    assert set(kept_rows.opened().rows) == {"one"}


def test_a_damaged_file_is_as_none(library: Path, tmp_path: Path) -> None:
    kept_rows.opened().keep({"one": row("holds")})
    (file,) = (tmp_path / "cache" / "fltheory").glob(f"*-{kept_rows.NAME}")
    file.write_bytes(file.read_bytes().replace(b"holds", b"other"))
    assert kept_rows.opened().rows == {}


# Which rows -------------------------------------------------------------------------------------------------------------


def row(status: str, recorded: str | None = "holds", paper: str = "sfl", **more: Any) -> dict[str, Any]:
    """A row of a case."""
    plain = check_task(Task(CLAIM, 0, "quick", 0))
    return {**plain, "status": status, "recorded": recorded, "paper": paper, "id": f"{paper}/T1@printed", **more}


def test_what_is_not_as_recorded_is_checked_again(library: Path) -> None:
    rows = {
        "as recorded": row("holds"),
        "false as recorded": row("violated", "violated"),
        "violated": row("violated"),
        "undecided": row("inconclusive"),
        "broken": row("inapplicable"),
        "without a record": row("holds", None),
    }
    kept_rows.opened().keep(rows)
    assert set(kept_rows.opened().rows) == {"as recorded", "false as recorded"}


def test_rows_of_several_runs_stand_together_and_the_first_time_stays(library: Path) -> None:
    kept_rows.opened().keep({"one": row("holds")})
    known = kept_rows.opened()
    older = {**known.rows["one"], "unchanged_since": "2001-01-01 00:00"}
    replace(known, rows={"one": older}).keep({"one": row("holds"), "two": row("holds")})
    found = kept_rows.opened().rows
    assert set(found) == {"one", "two"}
    assert found["one"] == older
    assert found["two"]["unchanged_since"] > "2026"


def test_kept_rows_come_first_and_the_others_are_checked() -> None:
    tasks = plan([find(CLAIM), find(FALSE)], "quick", 0)
    old = {tasks[1].name: {**check_task(tasks[1]), "unchanged_since": "then"}}
    found = list(check_new_tasks(tasks, old, 1))
    assert found[0] == (1, old[tasks[1].name])
    assert sorted(i for i, _ in found) == list(range(len(tasks)))
    assert [r["unchanged_since"] for _, r in found[1:]] == [None] * (len(tasks) - 1)
    assert len({task.name for task in tasks}) == len(tasks)


def test_a_run_with_a_user_s_paper_keeps_nothing(library: Path) -> None:
    tasks = (Task(CLAIM, 0, "quick", 0), Task("mine/T1@printed", 0, "quick", 0))
    keep_rows(kept_rows.opened(), tasks, {0: row("holds")})
    assert kept_rows.opened().rows == {}
    keep_rows(kept_rows.opened(), tasks[:1], {0: row("holds")})
    assert set(kept_rows.opened().rows) == {tasks[0].name}


def test_the_summary_says_how_many_are_of_earlier_runs() -> None:
    earlier = {"unchanged_since": "2026-01-02 03:04"}
    rows = [row("holds", **earlier), row("holds", unchanged_since="2026-02-02 03:04"), row("holds")]
    said = [line for line in verdict_table.run_summary(rows, 3, 1.0) if line.startswith(SINCE)]
    assert said == [f"{SINCE}2026-01-02 03:04: 2 of 3, as checked then (--fresh checks them again)"]
    said = [line for line in verdict_table.run_summary(rows[:2], 2, 1.0) if line.startswith(SINCE)]
    assert said == [f"{SINCE}2026-01-02 03:04: all, as checked then (--fresh checks them again)"]


# Papers in turn ---------------------------------------------------------------------------------------------------------


def test_a_paper_has_its_row_once_its_last_case_is_finished() -> None:
    table = verdict_table.PaperTable(["sfl/T1@printed", "osmd/T1@printed", "sfl/T1@printed", "osmd/T1@printed"])
    assert table.add(row("holds")) == []
    assert table.add(row("holds", paper="osmd")) == []
    head, _, said, note = table.add(row("violated"))
    assert head.split()[:3] == ["paper", "claims", "cases"]
    assert said.split()[:3] == ["sfl", "1", "2"]
    assert said.split()[4:] == ["1", "1", "-", "-", "-"]
    assert note == "  1 claim NOT AS RECORDED"
    said, note, total, *_ = table.end()
    assert said.split()[:3] == ["osmd", "1", "1"]
    assert note == "  1 case unfinished"
    assert total.split()[:3] == ["total", "2", "3"]
    assert len(table.add(row("holds", paper="osmd"))) == 1
    assert table.end()[0].startswith("total")


def test_few_claims_of_a_single_paper_and_none_finished_have_no_table() -> None:
    alone = verdict_table.PaperTable(["sfl/T1@printed", "sfl/T1@printed"])
    assert alone.add(row("holds")) == alone.end() == alone.add(row("holds")) == []
    assert verdict_table.PaperTable(["sfl/T1@printed", "osmd/T1@printed"]).end() == []
    many = verdict_table.PaperTable([f"sfl/T{i}@printed" for i in range(verdict_table.MAX_FULL_TABLE + 1)])
    many.add(row("holds"))
    assert [line.split()[:3] for line in many.end() if line.startswith("sfl")] == [["sfl", "1", "1"]]
