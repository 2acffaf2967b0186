"""Files and streams that can't be written: what was found is said, and what is missing too."""

from __future__ import annotations

import errno
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from fltheory.command import jsonl_writer, output_files
from fltheory.command.jsonl_writer import Journal
from fltheory.model.errors import UserError
from tests.typed import Run

CLAIM = "sfl/T3-SC@corrected"
full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")


class Disk:
    """A disk with room for so many bytes: further ones are refused, as the system does."""

    def __init__(self, room: int) -> None:
        self.room = room

    def file(self, path: Path, mode: str) -> io.FileIO:
        disk = self

        class File(io.FileIO):
            def write(self, data: Any) -> int:  # a buffer, which has a length
                taken = min(len(data), disk.room)
                disk.room -= taken
                if not taken:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return super().write(bytes(data[:taken]))

        return File(path, mode)


OLD = '{"claim": "a/b", "paper": "a", "kind": "lemma", "standing": "open", "why": ""}\n'  # a row of ours


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    found = Disk(0)
    monkeypatch.setattr(jsonl_writer, "FileIO", found.file)
    return found


@full
@pytest.mark.parametrize("command", [["verify", "--jobs", "1"], ["falsify", "--work", "300"]])
def test_a_full_device_is_said_after_the_summary(run: Run, command: list[str]) -> None:
    status, out, err = run(*command, CLAIM, "--json", "/dev/full")
    assert (status, err) == (2, "fltheory: can't write /dev/full: No space left on device\n")
    assert "all as recorded" in out or "no counterexample found" in out


def test_a_full_disk_keeps_the_whole_rows_and_says_where(run: Run, disk: Disk, tmp_path: Path) -> None:
    disk.room = 1000
    path = tmp_path / "rows.json"
    status, out, err = run("verify", CLAIM, "--jobs", 1, "--json", path)
    (part,) = tmp_path.iterdir()
    assert status == 2
    assert "all as recorded" in out
    assert err == f"fltheory: can't write {path}: No space left on device; what could be written is in {part}\n"
    rows = [json.loads(line) for line in part.read_text().splitlines()]
    assert 0 < len(rows) < 10


def test_a_disk_without_any_room_leaves_nothing(run: Run, disk: Disk, tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(OLD)
    status, _, err = run("verify", CLAIM, "--jobs", 1, "--json", path)
    assert (status, err) == (2, f"fltheory: can't write {path}: No space left on device\n")
    assert path.read_text() == OLD
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_has_room_again_gets_all_rows(disk: Disk, tmp_path: Path) -> None:
    """The opposite: rows are kept in memory until the end."""
    path = tmp_path / "rows.json"
    with Journal(path) as kept:
        kept.add(0, {"a": 1})
        disk.room = 10**6
        kept.add(1, {"b": 2})
    kept.raise_if_failed()
    assert path.read_text() == '{"a": 1}\n{"b": 2}\n'
    assert list(tmp_path.iterdir()) == [path]


def test_names_that_are_no_text_are_escaped(tmp_path: Path) -> None:
    with Journal(tmp_path / "rows.json") as kept:
        kept.add(0, {"file": "\udcff.py:σ"})
    assert json.loads((tmp_path / "rows.json").read_text()) == {"file": "\udcff.py:σ"}


@pytest.mark.parametrize("name", ["\0", "y" * 300, "no/x", "."])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="can't write"):
        Journal(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_plot_that_can_not_be_written_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_files, "FileIO", Disk(10).file)
    path = tmp_path / "x.svg"
    assert run("plot", CLAIM, "-o", path)[::2] == (2, f"fltheory: can't write {path}: No space left on device\n")
    assert list(tmp_path.iterdir()) == []
