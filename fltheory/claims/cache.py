"""What is made of the sources alone and takes long, kept in the user's cache directory from one process to the next.

Each thing has a file with a fingerprint of every source and a checksum; where either differs there is none. Only a process
that had loaded no claims when it first asked reads or writes such a file: what it loads is what the fingerprint tells of.
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
_CLAIM_MODULE = "fltheory.symbols"  # what every claim is made of: it is there once any are
_SOURCE_PATTERNS = ("*.py", "*.json")


def read(name: str) -> bytes | None:
    """What is kept under a name, if it is whole and of these sources."""
    now, file = _first_fingerprint(), _file(name)
    return _read(file, now) if file and now else None


def write(name: str, body: bytes) -> None:
    """Keep something under a name; where that can't be done, or the sources have changed, nothing is kept, nothing said."""
    now, file = _first_fingerprint(), _file(name)
    if file and now and _fingerprint() == now:
        _write(file, now, body)


@cache
def _first_fingerprint() -> str | None:
    """The fingerprint of the sources when first asked for; None where claims were loaded before, perhaps older ones."""
    return None if _CLAIM_MODULE in sys.modules else _fingerprint()


def _fingerprint() -> str | None:
    """A fingerprint of the library: path, size and time of every source, and the Python that reads them.

    None where they can't be seen, as in an archive, or while they change.
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
    """Where something is kept, apart for every copy of the library; None for a user without a home."""
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
    """What the first line of a file says: of which sources it is, and the checksum of the rest."""
    return f"{sources} {hashlib.sha256(body).hexdigest()}".encode()
