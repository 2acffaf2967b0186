"""The index of the catalogue: for each claim a line and its place in the paper, available without loading the claims.

Loading a paper takes a second or more, and its lines depend on the sources alone, so they are cached
(``claims.cache``). Papers of plugins are always loaded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from fltheory.claims import cache as kept
from fltheory.claims import plugins
from fltheory.claims.catalogue import KEYS, catalogue, contents, title
from fltheory.claims.ids import paper_of
from fltheory.model.place import Item

if TYPE_CHECKING:
    from fltheory.claims.claim import Claim

EXTERNAL = "external"  # in place of a verdict, for an external result: it is compared, not asserted


@dataclass(frozen=True)
class Line:
    """A claim as a line of a list. For the search: ``words`` is its whole text in lower case, ``names`` its common names."""

    id: str
    reading: str
    kind: str
    recorded: str
    place: str
    source: str
    statement: str
    words: str
    names: str = ""

    @property
    def paper(self) -> str:
        """The key of the paper."""
        return paper_of(self.id)


def lines(keys: Iterable[str] | None = None) -> tuple[Line, ...]:
    """Return the lines of the papers with these keys in the papers' order; by default of all papers, plugins last."""
    asked = None if keys is None else set(keys)
    own = [line for key in KEYS if asked is None or key in asked for line in builtin_lines(key)]
    outside = plugins.plugin_specs() and (asked is None or asked - set(KEYS))
    claims = plugins.external_claims() if outside else ()
    return (*own, *(line_of(claim) for claim in claims if asked is None or claim.paper in asked))


def line_of(claim: Claim) -> Line:
    """Return the line of a claim."""
    source = claim.bound.source
    return Line(
        claim.id,
        claim.reading,
        claim.kind,
        verdict_column(claim),
        source.place,
        str(source),
        claim.statement,
        _searchable_text(claim),
        " ".join(names_of_claim(claim)).casefold(),
    )


def verdict_column(claim: Claim) -> str:
    """Return the recorded verdict, or a word for an external result, which has no verdict."""
    return EXTERNAL if claim.measure is None else claim.entry.recorded


def line_as_json(line: Line) -> dict[str, str | None]:
    """Return a line as a JSON object; the verdict of an external result is null."""
    verdict = None if line.recorded == EXTERNAL else line.recorded
    own = {"id": line.id, "paper": line.paper, "reading": line.reading, "kind": line.kind}
    return {**own, "recorded": verdict, "source": line.source}


def _searchable_text(claim: Claim) -> str:
    """Return the text of a claim in lower case: statement, id, remark, kind, place, verdict, symbols, title.

    The common names of its algorithm and of its topics follow.
    """
    from fltheory.symbols import meaning

    algorithm = getattr(claim.algorithm, "name", "")
    letters = [f"{s.name} {meaning(s).text}" for b in claim.bounds for s in b.symbols]
    assumed = [a.name for a in claim.assumptions]
    named = (claim.id, claim.statement, claim.remark, claim.kind, claim.mode, str(claim.entry.recorded))
    text = [*named, str(claim.bound.source), *letters, *assumed, title(claim.paper), algorithm, *names_of_claim(claim)]
    return " ".join(text).casefold()


def names_of_claim(claim: Claim) -> list[str]:
    """Return the common names of a claim's algorithm and topics."""
    algorithm = getattr(claim.algorithm, "name", "")
    own = " ".join([claim.statement, claim.remark, claim.kind, claim.bound.source.place, algorithm])
    return common_names(claim.id, own)


def common_names(claim_id: str, text: str) -> list[str]:
    """Return the common names of the algorithms and topics that a text names, or that the id begins with."""
    words = import_module("fltheory.papers.search_words")
    table = {**words.ALGORITHMS, **words.TOPICS}
    return [names for name, names in table.items() if _whole_name(name).search(claim_id if "/" in name else text)]


@cache
def _whole_name(name: str) -> re.Pattern[str]:
    """Return a pattern of a name that is no part of a longer word; in a name with capitals they count."""
    end = "" if name.endswith("-") else r"(?!\w)"
    return re.compile(rf"(?<!\w){re.escape(name)}{end}", re.IGNORECASE if name.islower() else 0)


# In a paper's order -----------------------------------------------------------------------------------------------


def lines_by_item(key: str, of_paper: Iterable[Line]) -> Iterator[tuple[Item, tuple[Line, ...]]]:
    """Return the items of a paper in order, each with its lines; for a plugin, the places that its claims name."""
    known = tuple(of_paper)
    if key not in KEYS:
        for text in dict.fromkeys(line.place for line in known):
            yield Item(text), tuple(line for line in known if line.place == text)
        return
    placed = [(contents(key).place(line.place), line) for line in known]
    placed.sort(key=lambda pair: pair[0].order)
    for item in contents(key).items:
        yield item, tuple(line for at, line in placed if at.item == item.name)


# Cache ------------------------------------------------------------------------------------------------------------


@cache
def builtin_lines(key: str) -> tuple[Line, ...]:
    """Return the lines of a paper of the library: from the cache if it is current, else from its claims."""
    body = kept.read(f"{key}-lines")
    if body is not None and (found := _lines_in(body)) is not None:
        return found
    made = tuple(line_of(claim) for claim in catalogue((key,)))
    kept.write(f"{key}-lines", _text_of(made))
    return made


def _lines_in(body: bytes) -> tuple[Line, ...] | None:
    with suppress(ValueError, TypeError):
        names, *rows = json.loads(body)
        return tuple(Line(*row) for row in rows) if names == _names() else None
    return None


def _text_of(made: Iterable[Line]) -> bytes:
    return json.dumps([_names(), *(astuple(line) for line in made)], ensure_ascii=False).encode()


def _names() -> list[str]:
    return [field.name for field in fields(Line)]
