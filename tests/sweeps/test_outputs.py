"""What a sweep writes destroys nothing: not what it reads, no device, no link, no other program's database."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fltheory.claims import plugins
from fltheory.command.cli import run
from fltheory.command.output_files import require_output_file
from fltheory.command.sweeps import Store, store
from fltheory.model.errors import UserError
from tests.sweeps.test_sweeps import GENTLE, OWN

SWEEP = ("sweep", "sfl/T3-GC@printed", "--into", "r.db")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(plugins.PAPERS_VARIABLE, "")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("swept_file", None)


@pytest.mark.parametrize("option", ["--csv", "--parquet"])
@pytest.mark.parametrize("way", ["{}", "./{}", "{}.link"])
@pytest.mark.parametrize("what", ["r.db", "mine.py", "swept_file.py", "spec.toml"])
def test_what_a_sweep_reads_is_not_overwritten(
    what: str, way: str, option: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fltheory.command.sweeps.request.require_parquet", lambda: None)
    Path("mine.py").write_text(GENTLE)
    Path("swept_file.py").write_text(OWN.replace("swept_theorem", "swept_file"))
    Path("spec.toml").write_text('claims = ["sfl/T3-GC@printed"]\n')
    with Store(Path("r.db")):
        pass
    Path(f"{what}.link").symlink_to(what)
    before = Path(what).read_bytes()
    selector = what if what in ("swept_file.py", "spec.toml") else SWEEP[1]
    variant = ("--variant", "mine.py:step") if what == "mine.py" else ()
    assert run(["sweep", selector, "--into", "r.db", *variant, option, way.format(what)]) == 2
    told = capsys.readouterr().err
    assert "expected another file" in told
    assert told.count("\n") == 1
    assert Path(what).read_bytes() == before
    with Store(Path("r.db")) as kept:
        assert len(kept) == 0


def test_two_tables_are_not_written_over_one_another(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fltheory.command.sweeps.request.require_parquet", lambda: None)
    assert run([*SWEEP, "--csv", "rows", "--parquet", "./rows"]) == 2
    assert "--parquet rows: that is --csv" in capsys.readouterr().err
    assert not Path("rows").exists()


def test_a_link_stays_one(here: Path) -> None:
    (here / "far").mkdir()
    Path("link.csv").symlink_to("far/rows.csv")
    assert run([*SWEEP, "--csv", "link.csv"]) == 0
    assert Path("link.csv").is_symlink()
    assert Path("far/rows.csv").read_text().startswith("id,")
    assert [path.name for path in (here / "far").iterdir()] == ["rows.csv"]
    Path("loop.csv").symlink_to("loop.csv")
    with pytest.raises(UserError, match=r"can't write loop\.csv"):
        require_output_file(Path("loop.csv"))


def test_what_is_no_file_is_written_to_and_stays() -> None:
    os.mkfifo("pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text()), daemon=True)
    reader.start()
    assert run([*SWEEP, "--csv", "pipe"]) == 0
    reader.join(20)
    assert read[0].startswith("id,")
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    assert run([*SWEEP, "--csv", "/dev/null"]) == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("CREATE VIEW seen AS SELECT 1", "with the view seen"),
        ("CREATE VIEW sweep_rows AS SELECT 1", "with the view sweep_rows"),
        ("CREATE TABLE notes (text TEXT)", "with the table notes"),
        ("PRAGMA application_id=7", "with the application_id 7"),
        ("PRAGMA user_version=7", "with the user_version 7"),
        (f"{store.CREATE_TABLE}; PRAGMA application_id=7", "with the application_id 7"),
        (
            store.CREATE_TABLE.replace("row TEXT", "row TEXT, more TEXT"),
            "has other columns: key, claim, size, seconds, row, more",
        ),
        (store.CREATE_TABLE.replace(" PRIMARY KEY", ""), "has other columns"),
        (store.CREATE_TABLE.replace("claim TEXT, size", "size"), "has other columns"),
    ],
)
def test_another_programs_database_is_left_alone(made: str, words: str) -> None:
    base = sqlite3.connect("other.db")
    base.executescript(made)
    base.close()
    before = Path("other.db").read_bytes()
    with pytest.raises(UserError, match=words):
        Store(Path("other.db"))
    assert Path("other.db").read_bytes() == before


def test_files_from_before_are_of_use_and_new_ones_say_what_they_are() -> None:
    base = sqlite3.connect("old.db")
    base.execute(store.CREATE_TABLE)
    base.close()
    for name in ("old.db", "new.db", "new.db"):
        with Store(Path(name)) as kept:
            kept.add("k", "c", 1.0, 1.0, {})
            assert len(kept) == 1
    base = sqlite3.connect("new.db")
    assert base.execute("PRAGMA application_id").fetchone() == (store.APPLICATION_ID,)
    base.close()


def test_a_file_that_is_busy_is_waited_for() -> None:
    """Another process holds it while we open it: an exclusive lock, and the journal can't be changed meanwhile."""
    with Store(Path("r.db")):
        pass
    base = sqlite3.connect("r.db", isolation_level=None, check_same_thread=False)
    base.execute("PRAGMA journal_mode=DELETE")
    base.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(0.3, lambda: base.execute("COMMIT"))
    release.start()
    with Store(Path("r.db")) as kept:
        assert len(kept) == 0
    release.join()
    base.close()


def test_a_new_file_can_be_opened_by_many_at_once() -> None:
    def opened(name: str) -> None:
        with Store(Path(name)) as kept:
            kept.add(str(threading.get_ident()), "c", 1.0, 1.0, {})

    with ThreadPoolExecutor(4) as pool:
        for place in range(40):
            list(pool.map(opened, [f"{place}.db"] * 4))
