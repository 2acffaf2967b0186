"""Rows by key in a SQLite file, each stored when finished; without a file they are kept in memory."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from fltheory.model.errors import UserError

CREATE_TABLE = (
    "CREATE TABLE IF NOT EXISTS sweep_rows (key TEXT PRIMARY KEY, claim TEXT, size REAL, seconds REAL, row TEXT)"
)
TABLE_COLUMNS = [
    ("key", "TEXT", 1),
    ("claim", "TEXT", 0),
    ("size", "REAL", 0),
    ("seconds", "REAL", 0),
    ("row", "TEXT", 0),
]
APPLICATION_ID = 0x666C7468  # application id of our files: "flth"
BUSY_TIMEOUT = 30.0  # seconds to wait for another writing process
KEYS_PER_QUERY = 500  # keys of one query
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
    """A file of rows; UserError if it is not usable. The time of a row is stored next to it, not in it."""

    def __init__(self, path: Path | None) -> None:
        try:
            base = sqlite3.connect(":memory:" if path is None else path, isolation_level=None, timeout=BUSY_TIMEOUT)
        except sqlite3.Error as error:
            raise _storage_error(path, error) from None
        try:
            _initialise_with_retry(base)
        except sqlite3.Error as error:
            base.close()
            raise _storage_error(path, error) from None
        self._base = base
        self.path = path

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()

    def existing_keys(self, keys: Iterable[str]) -> set[str]:
        """Return those keys whose row exists."""
        return {found[0] for found in self._asked("key", list(keys))}

    def rows(self, keys: Iterable[str]) -> dict[str, Row]:
        """Return the existing rows of the keys."""
        return {key: json.loads(row) for key, row in self._asked("key, row", list(keys))}

    def _asked(self, what: str, keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(keys), KEYS_PER_QUERY):
            part = keys[start : start + KEYS_PER_QUERY]
            marks = ",".join("?" * len(part))
            yield from self._base.execute(f"SELECT {what} FROM sweep_rows WHERE key IN ({marks})", part)

    def add(self, key: str, claim: str, size: float, seconds: float, row: Row) -> None:
        """Store a row now; the first one of a key stays."""
        values = (key, claim, size, seconds, json.dumps(row, sort_keys=True))
        try:
            self._base.execute("INSERT OR IGNORE INTO sweep_rows VALUES (?, ?, ?, ?, ?)", values)
        except sqlite3.Error as error:
            raise UserError(f"can't keep more rows in {self.path}: {error}; what is there is kept") from None

    def __len__(self) -> int:
        return int(self._base.execute("SELECT COUNT(*) FROM sweep_rows").fetchone()[0])

    def seconds_per_unit(self) -> Mapping[str, float]:
        """Return the mean seconds for each unit of size, by claim."""
        asked = "SELECT claim, SUM(seconds) / SUM(size) FROM sweep_rows GROUP BY claim"
        return {claim: rate for claim, rate in self._base.execute(asked) if rate is not None}


def _initialise_with_retry(base: sqlite3.Connection) -> None:
    """Initialise the file, again if another process is doing so: a change of the journal mode does not wait."""
    until = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            return _initialise(base)
        except sqlite3.OperationalError as error:
            if base.in_transaction:
                base.rollback()
            if (
                error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
                or time.monotonic() > until
            ):
                raise
            time.sleep(0.01)


def _initialise(base: sqlite3.Connection) -> None:
    """Create the table of rows if there is none; sqlite3.Error for another content, which stays unchanged."""
    _require_ours(base)
    base.execute("PRAGMA journal_mode=WAL")
    base.execute("PRAGMA synchronous=NORMAL")
    base.execute("BEGIN IMMEDIATE")
    _require_ours(base)  # another program may have been faster
    if not _schema_objects(base):
        base.execute(CREATE_TABLE)
        base.execute(f"PRAGMA application_id={APPLICATION_ID}")
    base.execute("COMMIT")


def _require_ours(base: sqlite3.Connection) -> None:
    """Raise sqlite3.Error unless it is our file, by its id or table, or empty."""
    named, said = _schema_objects(base), int(base.execute("PRAGMA application_id").fetchone()[0])
    if said not in (0, APPLICATION_ID):
        raise sqlite3.DatabaseError(f"it is another program's database, with the application_id {said}")
    if ("table", "sweep_rows") not in named:
        user = int(base.execute("PRAGMA user_version").fetchone()[0])
        if named or user:
            what = f"the {' '.join(named[0])}" if named else f"the user_version {user}"
            raise sqlite3.DatabaseError(f"it is another program's database, with {what}")
        return
    found = [(name, kind, at) for _, name, kind, _, _, at in base.execute("PRAGMA table_info(sweep_rows)")]
    if found != TABLE_COLUMNS:
        columns = ", ".join(name for name, _, _ in found)
        raise sqlite3.DatabaseError(f"its table sweep_rows has other columns: {columns}")


def _schema_objects(base: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the kinds and names of a database's tables, views and related objects."""
    return base.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'").fetchall()


def _storage_error(path: Path | None, error: sqlite3.Error) -> UserError:
    return UserError(f"can't keep rows in {path}: {error}; expected a file of fltheory sweep, or a new one")


def require_parquet() -> None:
    """Raise UserError without pyarrow."""
    if find_spec("pyarrow") is None:
        raise UserError("Parquet needs pyarrow: pip install pyarrow, or write --csv")


def as_csv(rows: Iterable[Row], constants: Sequence[str]) -> bytes:
    """Return the rows as CSV: their points, the constants that were set, the results."""
    file = io.StringIO(newline="")
    told = csv.writer(file)
    told.writerow([*COLUMNS[:4], *constants, *COLUMNS[4:]])
    told.writerows(_cells(row, constants) for row in rows)
    return file.getvalue().encode()


def as_parquet(rows: Sequence[Row], constants: Sequence[str]) -> bytes:
    """Return the rows as a Parquet file; UserError without pyarrow."""
    require_parquet()
    import pyarrow
    from pyarrow import parquet

    names = [*COLUMNS[:4], *constants, *COLUMNS[4:]]
    cells = [_cells(row, constants) for row in rows]
    columns = {name: [one[place] for one in cells] for place, name in enumerate(names)}
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


def _cells(row: Row, constants: Sequence[str]) -> list[Any]:
    return [
        *(row[name] for name in COLUMNS[:4]),
        *(row["at"].get(name) for name in constants),
        *(row[n] for n in COLUMNS[4:]),
    ]
