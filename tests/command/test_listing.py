"""Lists of claims: as contents of a paper, and kept between processes, never stale, never trusted when broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fltheory import catalogue
from fltheory.papers import KEYS, contents, listing
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
    assert sorted(shown) == sorted(f"{claim.id} {listing.expected(claim)}" for claim in catalogue((key,)))


def test_a_claim_stands_under_its_item(run: Run) -> None:
    lines = [line.strip() for line in run("list", "sfl")[1].splitlines()]
    at = [lines.index("Theorem 3  SFL at a constant step"), lines.index("Corollary 4  SFL at the tuned step")]
    row = next(line for line in lines if line.startswith("sfl/T3-SC "))
    assert at[0] < lines.index(row) < at[1]
    assert row.split(maxsplit=1)[1] == "printed holds, literal violated, corrected holds, sharpened holds"


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
    assert listing.lines() == tuple(listing.line_of(claim) for claim in catalogue())
    assert {line.paper for line in listing.lines((KEY,))} == {KEY}


def test_a_second_process_lists_the_same_without_loading_a_claim(tmp_path: Path) -> None:
    first, second = listed(tmp_path), listed(tmp_path)
    assert (first[1], second[1]) == ("loaded", "not loaded")
    assert first[0] == second[0] == [listing.entry(line) for line in listing.lines((KEY,))]
    (file,) = (tmp_path / "fltheory").iterdir()
    file.write_text(file.read_text()[:-40])
    assert listed(tmp_path) == first
    assert listed(tmp_path) == second


def test_a_folder_that_can_t_be_written_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "fltheory").write_text("a file")
    assert listed(tmp_path) == listed(tmp_path)
    assert (tmp_path / "fltheory").read_text() == "a file"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    file = tmp_path / "new" / "lines.json"
    listing._write(file, "sources", listing.lines((KEY,)))
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    return file


def test_lines_are_read_as_they_were_written(kept: Path) -> None:
    assert listing._read(kept, "sources") == listing.lines((KEY,))
    assert listing._read(kept, "other") is None
    assert listing._read(kept.with_name("none"), "sources") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole.replace(b"holds", b"fails", 1),
        lambda whole: whole.replace(b'"', b"'", 1),
        lambda whole: whole.replace(b"reading", b"version", 1),
        lambda whole: b"\xff\xfe" + whole,
        lambda whole: whole + b"\n[]",
        lambda whole: whole.partition(b"\n")[2],
    ],
)
def test_a_broken_file_is_as_none(kept: Path, damage: Callable[[bytes], bytes]) -> None:
    changed = damage(kept.read_bytes())
    assert changed != kept.read_bytes()
    kept.write_bytes(changed)
    assert listing._read(kept, "sources") is None


def test_whatever_changes_in_a_source_changes_the_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_LIBRARY", tmp_path)
    assert listing._sources() is None  # nothing to be seen, as in an archive
    path, found = tmp_path / "papers" / "claims.py", set()
    path.parent.mkdir()
    path.write_text("a = 1\n")
    found.add(listing._sources())
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
    found.add(listing._sources())
    path.write_text("a = 10\n")
    found.add(listing._sources())
    path.rename(path.with_name("other.py"))
    found.add(listing._sources())
    (tmp_path / "more.py").write_text("")
    found.add(listing._sources())
    assert len(found) == 5
    assert listing._sources() in found


def test_every_copy_of_the_library_has_files_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = listing._file("sfl")
    assert here != listing._file("osmd")
    monkeypatch.setattr(listing, "_LIBRARY", tmp_path)
    assert here != listing._file("sfl")


def test_a_process_that_knows_older_claims_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may have changed since: such a process tells what it has loaded, and neither reads nor writes."""
    assert listing._LOADED in sys.modules
    assert listing._sources_at_first.__wrapped__() is None
    monkeypatch.delitem(sys.modules, listing._LOADED)
    assert listing._sources_at_first.__wrapped__() == listing._sources()


def test_a_user_without_a_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert listing._file("sfl") is None
