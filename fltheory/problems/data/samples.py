"""Exact reading of clients' samples from a CSV or NPZ file or from arrays; errors name the position."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable
from zipfile import BadZipFile

import numpy as np

from fltheory.model.schema import Table, Vector
from fltheory.number import exact
from fltheory.number.parsing import clip_text, read_datum

LARGEST = 10**50  # products of a few numbers then stay within floats
FINEST = 10**400  # denominator: the smallest float is about 10^-324
CHECKSUM = 12  # digits of a SHA-256 that identify a file
ARRAYS = ("X", "y", "client")


@dataclass(frozen=True)
class Samples:
    """Features [client][sample][coordinate] and targets [client][sample], rational; ``names`` are the clients'."""

    features: tuple[Table, ...]
    targets: Table
    names: tuple[int | str, ...]

    def __post_init__(self) -> None:
        sizes = [[len(rows) for rows in self.features], [len(ys) for ys in self.targets]]
        if not self.names or sizes[0] != sizes[1] or len(self.names) != len(sizes[0]) or not all(sizes[0]):
            raise ValueError("expected clients with names, each with samples, and a target for every sample")
        if not self.dim or any(len(row) != self.dim for rows in self.features for row in rows):
            raise ValueError("expected at least one feature, and of all samples the same")
        if len(set(self.names)) < len(self.names):
            raise ValueError("expected clients with different names")

    @property
    def dim(self) -> int:
        """The number of features."""
        return len(self.features[0][0])

    @cached_property
    def _hash(self) -> int:
        return hash((self.features, self.targets, self.names))

    def __hash__(self) -> int:
        return self._hash  # cached: instances are keys of caches


class SampleRow(NamedTuple):
    """One sample as given, with the position of each entry."""

    client: Any
    target: Any
    features: Sequence[Any]
    place: Callable[[str | int], str]  # position of an entry: "client", "target", or the number of a feature


class Columns(NamedTuple):
    """The roles of the columns of a table."""

    target: str
    client: str
    features: Sequence[str] | None  # None: all others


class SampleSource(NamedTuple):
    """Rows, their name in errors, and the checksum of a file."""

    rows: list[SampleRow]
    name: str
    checksum: str = ""


def read_file(path: str, columns: Columns, checksum: str) -> SampleSource:
    """Read the rows of a CSV or NPZ file; ValueError if it is unreadable or has another checksum."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    found = hashlib.sha256(content).hexdigest()
    if not found.startswith(checksum.lower()):
        raise ValueError(f"{path}: not the expected file: its SHA-256 begins with {found[:CHECKSUM]}, not {checksum}")
    if path.lower().endswith(".npz"):
        given = _npz(path, content)
        target = columns.target if columns.target in given else ARRAYS[1]
        rows = array_rows(
            {"X": given.get("X"), "y": given.get(target), "client": given.get(columns.client)}, columns, path
        )
    else:
        rows = _csv_rows(path, content, columns)
    return SampleSource(rows, path, found[:CHECKSUM])


def _npz(path: str, content: bytes) -> dict[str, np.ndarray]:
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, BadZipFile, AttributeError) as error:
        raise ValueError(f"{path}: expected an NPZ file with the arrays X, y and client ({error})") from None


def array_rows(given: Mapping[str, Any], columns: Columns, name: str = "the arrays") -> list[SampleRow]:
    """The rows of arrays X (samples, features), y (samples,) and client (samples,)."""
    missing = [key for key in ARRAYS if given.get(key) is None]
    if missing:
        raise ValueError(
            f"{name}: no {' and no '.join(missing)}: expected X (samples, features), y (samples,), client (samples,)"
        )
    if columns.features is not None:
        raise ValueError(f"{name}: features names columns of a CSV file; of arrays leave columns of X out instead")
    table, targets, clients = (_entries(given[key]) for key in ARRAYS)
    shapes = [_shape(part) for part in (table, targets, clients)]
    n = shapes[0][0] if shapes[0] else 0
    if len(shapes[0]) != 2 or -1 in shapes[0] or shapes[1:] != [(n,), (n,)]:
        raise ValueError(
            f"{name}: expected X (samples, features), y (samples,), client (samples,), "
            f"got the shapes {', '.join(map(str, shapes))}"
        )

    def places(i: int) -> Callable[[str | int], str]:
        words = {"client": f"{name}: client[{i}]", "target": f"{name}: y[{i}]"}
        return lambda which: f"{name}: X[{i}, {which}]" if isinstance(which, int) else words[which]

    return [SampleRow(clients[i], targets[i], table[i], places(i)) for i in range(n)]


@runtime_checkable
class Arraylike(Protocol):
    """Return whether a value is a NumPy array, or a table of another package that converts to one."""

    def __array__(self) -> np.ndarray: ...


def _entries(given: Any) -> Any:
    """Nested lists of Python's own numbers and texts, which an array may not keep apart."""
    return np.asarray(given).tolist() if isinstance(given, Arraylike) else given


def _shape(part: Any) -> tuple[int, ...]:
    """Return the shape of nested sequences, () for other values; rows of different lengths have -1 columns."""
    if isinstance(part, str) or not isinstance(part, Sequence):
        return ()
    inner = {_shape(entry) for entry in part}
    return (len(part), *(inner.pop() if len(inner) == 1 else (-1,) if inner else ()))


def _csv_rows(path: str, content: bytes, columns: Columns) -> list[SampleRow]:
    """Read the rows of a CSV file with a header."""
    try:
        reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        lines = [(reader.line_num, cells) for cells in reader if cells]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path}: expected a CSV file in UTF-8 ({error})") from None
    if not lines:
        raise ValueError(f"{path}: empty: expected a line with the names of the columns, and one for each sample")
    header = [name.strip() for name in lines[0][1]]
    at = _find_columns(path, header, columns)

    def row(number: int, cells: list[str]) -> SampleRow:
        if len(cells) != len(header):
            raise ValueError(
                f"{path}, line {number}: expected {len(header)} entries, as in the first line, got {len(cells)}"
            )

        def place(which: str | int) -> str:
            column = {"target": at[0], "client": at[1]}[which] if isinstance(which, str) else at[2][which]
            return f"{path}, line {number}, column {header[column]!r}"

        return SampleRow(cells[at[1]].strip(), cells[at[0]].strip(), [cells[i] for i in at[2]], place)

    return [row(number, cells) for number, cells in lines[1:]]


def _find_columns(path: str, header: list[str], columns: Columns) -> tuple[int, int, list[int]]:
    """Find the target, the client and the features in the header."""
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(f"{path}: more than one column is called {', '.join(map(repr, twice))}: names must differ")

    def index(name: str, what: str) -> int:
        if name not in header:
            hint = ": entries must be separated by commas" if len(header) == 1 else ""
            raise ValueError(
                f"{path}: no column {name!r} ({what}): it has {clip_text(', '.join(map(repr, header)))}{hint}"
            )
        return header.index(name)

    own = (index(columns.target, "target="), index(columns.client, "client="))
    if columns.features is None:
        features = [i for i in range(len(header)) if i not in own]
    else:
        features = [index(name, "features=") for name in columns.features]
    if not features or set(features) & set(own) or own[0] == own[1] or len(set(features)) < len(features):
        raise ValueError(f"{path}: expected a target, a client and at least one feature, in columns of their own")
    return *own, features


def samples(source: SampleSource, clients: Sequence[int | str] | None, labelled: bool, intercept: bool) -> Samples:
    """Group the rows by client, in order of appearance or as selected; two labels become 0 and 1.

    ``intercept`` adds a last feature 1. ValueError names an invalid entry, its position, and the expected form.
    """
    if not source.rows:
        raise ValueError(f"{source.name}: no samples: expected at least one")
    groups: dict[int | str, list[SampleRow]] = {}
    for row in source.rows:
        groups.setdefault(_client(row), []).append(row)
    if clients is not None:
        groups = {name: groups[name] for name in _select_clients(source.name, groups, clients)}
    if not source.rows[0].features:
        raise ValueError(f"{source.name}: no features: expected at least one")
    chosen = [row for rows in groups.values() for row in rows]
    targets = (
        _labels(source.name, chosen)
        if labelled
        else [read_rational_entry(row.target, row.place("target")) for row in chosen]
    )
    tail: Vector = (1,) if intercept else ()
    left = iter(targets)
    return Samples(
        tuple(tuple((*_features(row), *tail) for row in rows) for rows in groups.values()),
        tuple(tuple(next(left) for _ in rows) for rows in groups.values()),
        tuple(groups),
    )


def _client(row: SampleRow) -> int | str:
    """Return a client's name, as an integer if it is one, else as text."""
    name = row.client
    if isinstance(name, str):
        name = int(name) if name.isascii() and name.isdigit() and str(int(name)) == name else name.strip()
    elif isinstance(name, float) and name.is_integer():
        name = int(name)
    if isinstance(name, bool) or not isinstance(name, int | str) or name == "":
        raise ValueError(
            f"{row.place('client')}: expected the name or the number of a client, got {clip_text(row.client)!r}"
        )
    return name


def _select_clients(name: str, groups: Mapping[int | str, object], clients: Iterable[int | str]) -> list[int | str]:
    found = list(clients)
    for one in found:
        if one not in groups:
            raise ValueError(
                f"{name}: client {one!r} has no samples: there are {clip_text(', '.join(map(repr, groups)))}"
            )
    if not found or len(set(found)) < len(found):
        raise ValueError(f"{name}: clients={found!r}: expected at least one client, and each once")
    return found


def _features(row: SampleRow) -> Vector:
    return tuple(read_rational_entry(value, row.place(j)) for j, value in enumerate(row.features))


def read_rational_entry(given: object, place: str) -> int | Fraction:
    """Parse a rational number exactly, a float as its shortest decimal; ValueError names the position."""
    try:
        value = exact(read_datum(given) if isinstance(given, str) else given)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    if not isinstance(value, int | Fraction):
        raise ValueError(f"{place}: expected a rational number such as 3, 0.1 or 1/3, got {clip_text(given)!r}")
    if not -LARGEST <= value <= LARGEST or value.denominator > FINEST:
        raise ValueError(f"{place}: {clip_text(given)} is too large or has too many digits: rescale the data")
    return value


def _labels(name: str, rows: Sequence[SampleRow]) -> list[int]:
    """Map the smaller of two labels to 0 and the larger to 1; they are numbers if the first is one, else texts."""
    values = [_label(row, _is_number(rows[0].target)) for row in rows]
    kinds = sorted(set(values))
    if len(kinds) != 2:
        told = clip_text(", ".join(str(kind) for kind in kinds))
        raise ValueError(f"{name}: logistic regression needs two different labels, found {len(kinds)}: {told}")
    return [kinds.index(value) for value in values]


def _is_number(given: object) -> bool:
    """Return whether the first label is a number, so that all are read as numbers."""
    if not isinstance(given, str):
        return True
    try:
        read_datum(given)
    except ValueError:
        return False
    return True


def _label(row: SampleRow, numeric: bool) -> Any:
    """Return one label as a number or as text."""
    if numeric:
        return read_rational_entry(int(row.target) if isinstance(row.target, bool) else row.target, row.place("target"))
    if not isinstance(row.target, str) or not row.target.strip():
        raise ValueError(f"{row.place('target')}: expected a label, got {clip_text(row.target)!r}")
    return row.target.strip()
