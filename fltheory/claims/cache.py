"""A disk cache, in the user's cache directory, for results that depend on the sources alone and take long to compute.

Each result has a file with a fingerprint of all sources and a checksum; if either differs, the file is ignored. A
process that loaded claims before its first access ignores them: its code may be older than the fingerprint.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import fltheory

_LIBRARY = Path(fltheory.__file__).parent
_CLAIM_MODULE = "fltheory.symbols"  # every claim depends on this module: it is loaded once any claim is
_SOURCE_PATTERNS = ("*.py", "*.json")


def read(name: str) -> bytes | None:
    """Return the cached result of this name, if it is intact and belongs to the current sources, else None."""
    now = _first_fingerprint()
    return read_with(name, now) if now else None


def write(name: str, body: bytes) -> None:
    """Cache a result under a name; do nothing, without an error, if that fails or the sources have changed."""
    now = _first_fingerprint()
    if now and _fingerprint() == now:
        write_with(name, now, body)


def read_with(name: str, fingerprint: str) -> bytes | None:
    """Return the cached result of this name, if it is intact and has that fingerprint, else None."""
    file = _file(name)
    return _read(file, fingerprint) if file else None


def write_with(name: str, fingerprint: str, body: bytes) -> None:
    """Cache a result under a name with a fingerprint of the caller's; do nothing, without an error, if that fails."""
    file = _file(name)
    if file:
        _write(file, fingerprint, body)


def claims_are_loaded() -> bool:
    """Return whether this process has loaded claims, perhaps from older sources than the present ones."""
    return _CLAIM_MODULE in sys.modules


@cache
def _first_fingerprint() -> str | None:
    """Return the fingerprint at the first access; None if claims were loaded before, perhaps from older sources."""
    return None if claims_are_loaded() else _fingerprint()


def _fingerprint() -> str | None:
    """Return a fingerprint of the library: path, size and time of every source, and the version of Python.

    It is None if they cannot be read, as in an archive, or change meanwhile.
    """
    found = [sys.version, fltheory.__version__]
    try:
        for path in sorted(path for kind in _SOURCE_PATTERNS for path in _LIBRARY.rglob(kind)):
            state = path.stat()
            found.append(f"{path}:{state.st_size}:{state.st_mtime_ns}")
    except OSError:
        return None
    return hashlib.sha256("\n".join(found).encode()).hexdigest() if len(found) > 2 else None


def _file(name: str) -> Path | None:
    """Return the file of a result, separate for each copy of the library; None for a user without a home directory."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return None
    return folder / "fltheory" / f"{hashlib.sha256(str(_LIBRARY).encode()).hexdigest()[:16]}-{name}"


def _read(file: Path, sources: str) -> bytes | None:
    with suppress(OSError):
        head, _, body = file.read_bytes().partition(b"\n")
        return body if head == _head(sources, body) else None
    return None


def _write(file: Path, sources: str, body: bytes) -> None:
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
        try:
            with open(number, "wb") as out:
                out.write(_head(sources, body) + b"\n" + body)
            os.replace(name, file)
        finally:
            Path(name).unlink(missing_ok=True)


def _head(sources: str, body: bytes) -> bytes:
    """Return the first line of a file: the fingerprint of the sources and the checksum of the rest."""
    return f"{sources} {hashlib.sha256(body).hexdigest()}".encode()
