"""Inputs of a row that are not part of its point: sources, versions, the case, the user's files."""

from __future__ import annotations

import hashlib
import platform
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

import fltheory
from fltheory.claims.ids import paper_of
from fltheory.claims.plugins import source_file_of
from fltheory.model.errors import UserError
from fltheory.verification import find

DEPENDENCIES = (
    "numpy",
    "scipy",
    "sympy",
    "python-flint",
    "hypothesis",
)  # packages that affect numbers and sampled cases
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")  # memory address in the text of an object, different each time


@cache
def sources_digest() -> str:
    """Return a digest of all sources and recorded files of the library, and of its version."""
    found = hashlib.sha256(fltheory.__version__.encode())
    root = Path(fltheory.__file__).parent
    for path in sorted(p for kind in ("*.py", "*.json") for p in root.rglob(kind)):
        found.update(path.relative_to(root).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Return the versions of Python and of the library's dependencies, by name."""
    return ("Python", platform.python_version()), *((name, version(name)) for name in DEPENDENCIES)


@cache
def case_digest(claim_id: str, index: int, stated: str) -> str:
    """Return a digest of a claim's case, from the line that rebuilds it: a user's cases may be sampled."""
    line = _ADDRESS.sub("", find(claim_id).cases[index].arguments())
    return hashlib.sha256(line.encode()).hexdigest()


def code_digest(variant: str) -> str:
    """Return a digest of a variant's file, without its imports; UserError if it can't be read."""
    file, _, _ = variant.rpartition(":")
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError as error:
        raise UserError(f"{variant}: can't read {file or variant}: {error.strerror}; expected FILE.py:NAME") from None


_source = cache(source_file_of)


def statement_digest(claim_id: str) -> str:
    """Return a digest of the file of a claim as it was loaded, without its imports; "" for the library's own.

    UserError if the file has changed since: a module is loaded once, so the claim would be the old one.
    """
    source = _source(paper_of(claim_id))
    if source is None:
        return ""
    if source.changed:
        raise UserError(f"the file of {claim_id}, {source.path}, has changed since it was loaded: begin a new process")
    return source.digest
