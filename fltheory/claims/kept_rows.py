"""Rows of earlier runs of ``fltheory verify``, in the user's cache directory, used while nothing that they rest on has changed.

They rest on every file of the library, by content; on Python and the libraries that compute, by version; on the system; and on
the environment variables of numba and of the library. A digest stands for all of this.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import fltheory
from fltheory.claims import cache, plugins
from fltheory.claims.plugins import PAPERS_VARIABLE

FRESH_VARIABLE = "FLTHEORY_FRESH"  # if it is set, every case is checked
NAME = "verdicts"
_LIBRARY = Path(fltheory.__file__).parent
Row = dict[str, Any]
_COMPUTE = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "numba", "llvmlite", "hypothesis")


@dataclass(frozen=True)
class KeptRows:
    """Rows by the name of their task, all with one digest; without a digest nothing is kept."""

    digest: str | None
    rows: Mapping[str, Row]

    def if_alone(self) -> KeptRows:
        """Return these rows, or none, without keeping any, once a user's paper is loaded, which may have changed anything."""
        return KeptRows(None, {}) if plugins.any_loaded() else self

    def keep(self, found: Mapping[str, Row]) -> None:
        """Keep new rows beside these, unless something has changed since the digest was taken."""
        new = {name: row for name, row in found.items() if name not in self.rows and may_be_kept(row)}
        if new and self.digest is not None and self.digest == _digest():
            now = datetime.now().astimezone().isoformat(" ", "minutes")
            whole = {**self.rows, **{name: {**row, "unchanged_since": now} for name, row in new.items()}}
            body = json.dumps(whole, ensure_ascii=False, allow_nan=False)
            cache.write_with(NAME, self.digest, body.encode(errors="backslashreplace"))


def opened(unless: bool = False) -> KeptRows:
    """Return the rows that rest on what is there now; none, and none will be kept, ``unless`` that is asked for."""
    digest = None if unless else _first_digest()
    body = None if digest is None else cache.read_with(NAME, digest)
    return KeptRows(digest, {} if body is None else json.loads(body))


def may_be_kept(row: Row) -> bool:
    """Return whether a row is the recorded one: what is not as recorded, undecided or broken is checked again each time."""
    return row["recorded"] is not None and row["status"] == row["recorded"]


def _first_digest() -> str | None:
    """Return the digest of all that rows rest on, before any claim is loaded.

    None if claims are loaded, whose code may be older, if a user's papers are named, whose files may change anything, if every
    case is to be checked, or if a file can't be read.
    """
    if cache.claims_are_loaded() or os.environ.get(PAPERS_VARIABLE) or os.environ.get(FRESH_VARIABLE):
        return None
    return _digest()


def _digest() -> str | None:
    found = hashlib.sha256()
    for text in _surroundings():
        found.update(text.encode() + b"\0")
    with suppress(OSError):
        for path in sorted(_files(_LIBRARY)):
            found.update(f"{path.relative_to(_LIBRARY)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode())
        return found.hexdigest()
    return None


def _files(root: Path) -> Iterator[Path]:
    """Yield the files below a folder that are no compiled ones."""
    return (path for path in root.rglob("*") if "__pycache__" not in path.parts and path.is_file())


def _surroundings() -> Iterator[str]:
    """Yield Python, the libraries that compute and the system, with versions, and the environment variables that may matter."""
    yield from (sys.version, str(sys.flags), platform.platform(), platform.machine())
    for name in _COMPUTE:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} is absent"
    yield from sorted(f"{k}={v}" for k, v in os.environ.items() if k.startswith(("NUMBA_", "FLTHEORY_")))
