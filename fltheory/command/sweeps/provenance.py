"""What the row of a point rests on that is not written in the point: sources, versions, the case, the files of a user's."""

from __future__ import annotations

import hashlib
import platform
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

import fltheory
from fltheory.claims.plugins import source_file_of
from fltheory.model.errors import UserError
from fltheory.verification import find

DEPENDENCIES = (
    "numpy",
    "scipy",
    "sympy",
    "python-flint",
    "hypothesis",
)  # packages that numbers and drawn cases come from
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")  # where an object without a text of its own lies: each time elsewhere


@cache
def sources_digest() -> str:
    """A digest of every source and recorded file of the library, wherever it lies, and of its version."""
    found = hashlib.sha256(fltheory.__version__.encode())
    root = Path(fltheory.__file__).parent
    for path in sorted(p for kind in ("*.py", "*.json") for p in root.rglob(kind)):
        found.update(path.relative_to(root).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Of Python and of what the library rests on, by name."""
    return ("Python", platform.python_version()), *((name, version(name)) for name in DEPENDENCIES)


@cache
def case_digest(claim_id: str, index: int, stated: str) -> str:
    """A digest of a claim's own case, as the line that rebuilds it: cases of a user's theorem may be drawn."""
    line = _ADDRESS.sub("", find(claim_id).cases[index].arguments())
    return hashlib.sha256(line.encode()).hexdigest()


def code_digest(variant: str) -> str:
    """A digest of a variant's file, not of what it imports; UserError where it can't be read."""
    file, _, _ = variant.rpartition(":")
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError as error:
        raise UserError(f"{variant}: can't read {file or variant}: {error.strerror}; expected FILE.py:NAME") from None


_source = cache(source_file_of)


def statement_digest(claim_id: str) -> str:
    """A digest of the file that states a claim as it was loaded, not of what it imports; empty for the library's own.

    UserError where the file says something else by now: a module is loaded once, so that the claim is the old one.
    """
    source = _source(claim_id.partition("/")[0])
    if source is None:
        return ""
    if source.changed:
        raise UserError(f"the file of {claim_id}, {source.path}, has changed since it was loaded: begin a new process")
    return source.digest
