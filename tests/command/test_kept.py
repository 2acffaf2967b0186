"""What is kept between processes: never stale, never trusted when broken, the same answers as without."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fltheory.claims import cache
from tests.typed import Run

BODY = b"one thing that holds\nand more"
CODE = """
import sys
from fltheory.command import cli
status = cli.run(sys.argv[1:])
print("loaded" if "fltheory.papers.osmd.claims" in sys.modules else "not loaded", file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["show", "osmd/C-T4@printed"],
        ["bound", "osmd/C-C7@printed", "M=10", "K=3", "T=100", "Amax=2", "alpha=1/10", "TV=1", "beta=1"],
    ],
)
def test_a_second_process_answers_the_same_without_loading_a_claim(tmp_path: Path, run: Run, words: list[str]) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "FLTHEORY_PAPERS": ""}
    command = [sys.executable, "-c", CODE, *words]
    first, second = (subprocess.run(command, capture_output=True, text=True, env=environment) for _ in range(2))
    assert (first.stdout, first.returncode) == (second.stdout, second.returncode)
    assert first.stderr == second.stderr.replace("not loaded", "loaded")
    assert second.stderr.endswith("not loaded\n")
    assert run(*words)[:2] == (second.returncode, second.stdout)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "new" / "lines"
    cache._write(path, "sources", BODY)
    assert [found.name for found in path.parent.iterdir()] == [path.name]
    return path


def test_what_was_written_is_read(file: Path) -> None:
    assert cache._read(file, "sources") == BODY
    assert cache._read(file, "other") is None
    assert cache._read(file.with_name("none"), "sources") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole.replace(b"holds", b"fails", 1),
        lambda whole: whole.replace(b" ", b"", 1),
        lambda whole: whole.replace(b"sources", b"changed", 1),
        lambda whole: b"\xff\xfe" + whole,
        lambda whole: whole + b"\n[]",
        lambda whole: whole.partition(b"\n")[2],
    ],
)
def test_a_broken_file_is_as_none(file: Path, damage: Callable[[bytes], bytes]) -> None:
    changed = damage(file.read_bytes())
    assert changed != file.read_bytes()
    file.write_bytes(changed)
    assert cache._read(file, "sources") is None


def test_whatever_changes_in_a_source_changes_the_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_LIBRARY", tmp_path)
    assert cache._fingerprint() is None  # nothing to be seen, as in an archive
    path, found = tmp_path / "papers" / "claims.py", set()
    path.parent.mkdir()
    path.write_text("a = 1\n")
    found.add(cache._fingerprint())
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
    found.add(cache._fingerprint())
    path.write_text("a = 10\n")
    found.add(cache._fingerprint())
    path.rename(path.with_name("other.py"))
    found.add(cache._fingerprint())
    (tmp_path / "more.py").write_text("")
    found.add(cache._fingerprint())
    (tmp_path / "recorded.json").write_text("{}")
    found.add(cache._fingerprint())
    assert len(found) == 6
    assert cache._fingerprint() in found


def test_every_copy_of_the_library_has_files_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = cache._file("sfl")
    assert here != cache._file("osmd")
    monkeypatch.setattr(cache, "_LIBRARY", tmp_path)
    assert here != cache._file("sfl")


def test_a_process_that_knows_older_claims_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may have changed since: such a process tells what it has loaded, and neither reads nor writes."""
    assert cache._CLAIM_MODULE in sys.modules
    assert cache._first_fingerprint.__wrapped__() is None
    monkeypatch.delitem(sys.modules, cache._CLAIM_MODULE)
    assert cache._first_fingerprint.__wrapped__() == cache._fingerprint()


def test_a_user_without_a_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache._file("sfl") is None
