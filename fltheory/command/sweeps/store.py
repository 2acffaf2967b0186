"""Rows by their key in a SQLite file, each there as soon as it is finished; without a file they are kept in memory."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from fltheory.questions.lookup import Mistake

TABLE = "CREATE TABLE IF NOT EXISTS sweep_rows (key TEXT PRIMARY KEY, claim TEXT, size REAL, seconds REAL, row TEXT)"
AT_ONCE = 500  # keys of one question
COLUMNS = (
    "id",
    "variant",
    "case",
    "seed",
    "status",
    "measured",
    "limit",
    "ratio",
    "low",
    "high",
    "evidence",
    "scope",
    "reason",
)
Row = dict[str, Any]


class Store:
    """A file of rows; Mistake where it can't be used. What took how long is kept beside a row and is no part of it."""

    def __init__(self, path: Path | None) -> None:
        try:
            base = sqlite3.connect(":memory:" if path is None else path, isolation_level=None)
        except sqlite3.Error as error:
            raise _not_kept(path, error) from None
        try:
            _begin(base)
        except sqlite3.Error as error:
            base.close()
            raise _not_kept(path, error) from None
        self._base = base
        self.path = path

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()

    def having(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys whose row is there."""
        return {found[0] for found in self._asked("key", list(keys))}

    def rows(self, keys: Iterable[str]) -> dict[str, Row]:
        """The rows of the keys, as far as they are there."""
        return {key: json.loads(row) for key, row in self._asked("key, row", list(keys))}

    def _asked(self, what: str, keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(keys), AT_ONCE):
            part = keys[start : start + AT_ONCE]
            marks = ",".join("?" * len(part))
            yield from self._base.execute(f"SELECT {what} FROM sweep_rows WHERE key IN ({marks})", part)

    def add(self, key: str, claim: str, size: float, seconds: float, row: Row) -> None:
        """Keep a row now; the first one of a key stays."""
        values = (key, claim, size, seconds, json.dumps(row, sort_keys=True))
        try:
            self._base.execute("INSERT OR IGNORE INTO sweep_rows VALUES (?, ?, ?, ?, ?)", values)
        except sqlite3.Error as error:
            raise Mistake(f"can't keep more rows in {self.path}: {error}; what is there is kept") from None

    def __len__(self) -> int:
        return int(self._base.execute("SELECT COUNT(*) FROM sweep_rows").fetchone()[0])

    def rates(self) -> Mapping[str, float]:
        """Seconds for each unit of size, by claim, in the mean of what was done."""
        asked = "SELECT claim, SUM(seconds) / SUM(size) FROM sweep_rows GROUP BY claim"
        return {claim: rate for claim, rate in self._base.execute(asked) if rate is not None}


def _begin(base: sqlite3.Connection) -> None:
    """Make the table of rows where there is nothing yet; sqlite3.Error where there is something else, which stays as it is."""
    names = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    if names and "sweep_rows" not in names:
        raise sqlite3.DatabaseError(f"it is another program's database, with the table {names[0]}")
    if names:
        base.execute("SELECT key, claim, size, seconds, row FROM sweep_rows LIMIT 1")
    base.execute("PRAGMA journal_mode=WAL")
    base.execute("PRAGMA synchronous=NORMAL")
    base.execute(TABLE)


def _not_kept(path: Path | None, error: sqlite3.Error) -> Mistake:
    return Mistake(f"can't keep rows in {path}: {error}; expected a file of fltheory sweep, or a new one")


def require_place(path: Path) -> None:
    """Mistake where no file can be written there."""
    if is_device(path):
        return
    folder = path.parent
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        why = "it is a directory" if path.is_dir() else f"{folder} is no directory that can be written to"
        raise Mistake(f"can't write {path}: {why}")


def require_parquet() -> None:
    """Mistake without pyarrow."""
    if find_spec("pyarrow") is None:
        raise Mistake("Parquet needs pyarrow: pip install pyarrow, or write --csv")


def as_csv(rows: Iterable[Row], axes: Sequence[str], path: Path) -> None:
    """The rows as CSV: what they are of, the constants that differ, what was found. The file appears whole."""
    with whole(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        told = csv.writer(file)
        told.writerow([*COLUMNS[:4], *axes, *COLUMNS[4:]])
        told.writerows(_cells(row, axes) for row in rows)


def as_parquet(rows: Sequence[Row], axes: Sequence[str], path: Path) -> None:
    """The same as a Parquet file; Mistake without pyarrow."""
    require_parquet()
    import pyarrow
    from pyarrow import parquet

    names = [*COLUMNS[:4], *axes, *COLUMNS[4:]]
    cells = [_cells(row, axes) for row in rows]
    columns = {name: [one[place] for one in cells] for place, name in enumerate(names)}
    with whole(path) as part:
        parquet.write_table(pyarrow.table(columns), part)


def is_device(path: Path) -> bool:
    """Whether it is a device or a pipe, which is written directly."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A file beside the one asked for, which it replaces at the end; a device itself."""
    part = path if is_device(path) else path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        yield part
        if part != path:
            part.replace(path)
    except OSError as error:
        raise Mistake(f"can't write {path}: {error.strerror}") from None
    finally:
        if part != path:
            part.unlink(missing_ok=True)


def _cells(row: Row, axes: Sequence[str]) -> list[Any]:
    return [
        *(row[name] for name in COLUMNS[:4]),
        *(row["at"].get(axis) for axis in axes),
        *(row[n] for n in COLUMNS[4:]),
    ]
