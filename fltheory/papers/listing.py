"""The catalogue at a glance: a line for each claim, and where it stands in its paper; known without loading the claims.

To load a paper takes a second or more, and its lines change with the sources alone. So they are kept in the user's cache
directory, a file for each paper, together with a fingerprint of every source and a checksum; where either differs the
lines are made from the claims again. Only a process that has loaded no claims yet reads or writes such a file: what it
would load is what the fingerprint tells of. Papers from outside are always loaded.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import fltheory
from fltheory.papers import KEYS, brought, catalogue, contents, title
from fltheory.place import Item

if TYPE_CHECKING:
    from fltheory.claim import Claim

EXTERNAL = "external"  # the verdict of a result that is compared, not asserted
_LIBRARY = Path(fltheory.__file__).parent
_LOADED = "fltheory.symbols"  # what every claim is made of: it is there once any are


@dataclass(frozen=True)
class Line:
    """A claim as lists show it; ``expected`` is the recorded verdict, ``words`` all that is said of it, in small letters."""

    id: str
    reading: str
    kind: str
    expected: str
    place: str
    source: str
    words: str

    @property
    def paper(self) -> str:
        """The paper's key."""
        return self.id.partition("/")[0]


def lines(keys: Iterable[str] | None = None) -> tuple[Line, ...]:
    """The lines of the papers with these keys, in the papers' order; of all, those from outside last, where none are given."""
    asked = None if keys is None else set(keys)
    own = [line for key in KEYS if asked is None or key in asked for line in of_own(key)]
    outside = brought.specs() and (asked is None or asked - set(KEYS))
    claims = brought.claims_brought() if outside else ()
    return (*own, *(line_of(claim) for claim in claims if asked is None or claim.paper in asked))


def line_of(claim: Claim) -> Line:
    """The line of a claim."""
    source = claim.bound.source
    return Line(claim.id, claim.reading, claim.kind, expected(claim), source.place, str(source), _words(claim))


def expected(claim: Claim) -> str:
    """The recorded verdict; of an external result, which is compared and not asserted, a word that is none."""
    return EXTERNAL if claim.measure is None else claim.expected


def entry(line: Line) -> dict[str, str | None]:
    """A line as a JSON object; the verdict of an external result is null."""
    verdict = None if line.expected == EXTERNAL else line.expected
    own = {"id": line.id, "paper": line.paper, "reading": line.reading, "kind": line.kind}
    return {**own, "expected": verdict, "source": line.source}


def _words(claim: Claim) -> str:
    """All that is said of a claim, in small letters: statement, id, remark, kind, place, verdict, letters, the paper's title."""
    from fltheory.symbols import meaning

    letters = [f"{s.name} {meaning(s).text}" for b in claim.bounds for s in b.symbols]
    assumed = [a.name for a in claim.assumptions]
    named = (claim.id, claim.statement, claim.remark, claim.kind, claim.mode, str(claim.expected))
    return " ".join([*named, str(claim.bound.source), *letters, *assumed, title(claim.paper)]).casefold()


# In a paper's order -----------------------------------------------------------------------------------------------


def by_item(key: str, of_paper: Iterable[Line]) -> Iterator[tuple[Item, tuple[Line, ...]]]:
    """The items of a paper in its order, each with its lines; of a paper from outside the places, as its claims name them."""
    known = tuple(of_paper)
    if key not in KEYS:
        for text in dict.fromkeys(line.place for line in known):
            yield Item(text), tuple(line for line in known if line.place == text)
        return
    placed = [(contents(key).place(line.place), line) for line in known]
    placed.sort(key=lambda pair: pair[0].order)
    for item in contents(key).items:
        yield item, tuple(line for at, line in placed if at.item == item.name)


# Kept from one process to the next --------------------------------------------------------------------------------


@cache
def of_own(key: str) -> tuple[Line, ...]:
    """The lines of a paper of the library: those that are kept, if they are of these sources, else those of its claims."""
    now, file = _sources_at_first(), _file(key)
    kept = _read(file, now) if file and now else None
    if kept is not None:
        return kept
    made = tuple(line_of(claim) for claim in catalogue((key,)))
    if file and now and _sources() == now:
        _write(file, now, made)
    return made


@cache
def _sources_at_first() -> str | None:
    """The fingerprint of the sources when lines were first asked for; None where claims were loaded before, perhaps older ones."""
    return None if _LOADED in sys.modules else _sources()


def _sources() -> str | None:
    """A fingerprint of the library: path, size and time of every source, and the Python that reads them.

    None where they can't be seen, as in an archive, or while they change.
    """
    found = [sys.version, fltheory.__version__]
    try:
        for path in sorted(_LIBRARY.rglob("*.py")):
            state = path.stat()
            found.append(f"{path}:{state.st_size}:{state.st_mtime_ns}")
    except OSError:
        return None
    return hashlib.sha256("\n".join(found).encode()).hexdigest() if len(found) > 2 else None


def _file(key: str) -> Path | None:
    """Where the lines of a paper are kept, apart for every copy of the library; None for a user without a home."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return None
    return folder / "fltheory" / f"{hashlib.sha256(str(_LIBRARY).encode()).hexdigest()[:16]}-{key}.json"


def _read(file: Path, sources: str) -> tuple[Line, ...] | None:
    """The lines of a file, if it is whole and of these sources."""
    with suppress(OSError, ValueError, TypeError):
        head, _, body = file.read_text(encoding="utf-8").partition("\n")
        if head == _head(sources, body):
            return tuple(Line(*found) for found in json.loads(body))
    return None


def _write(file: Path, sources: str, made: tuple[Line, ...]) -> None:
    """Keep the lines; where that can't be done nothing is kept, and nothing said."""
    body = json.dumps([astuple(line) for line in made], ensure_ascii=False)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
        try:
            with open(number, "w", encoding="utf-8") as out:
                out.write(f"{_head(sources, body)}\n{body}")
            os.replace(name, file)
        finally:
            Path(name).unlink(missing_ok=True)


def _head(sources: str, body: str) -> str:
    """What the first line of a file says: of which sources, with which fields, and the checksum of the rest."""
    names = ",".join(field.name for field in fields(Line))
    return f"{sources} {names} {hashlib.sha256(body.encode()).hexdigest()}"
