"""The search of ``fltheory list``: whole words in any number and with or without hyphens, the closest claims first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from fltheory.model.errors import UserError

if TYPE_CHECKING:
    from fltheory.claims.index import Line

READING_ORDER = ("printed", "corrected", "explicit", "strengthened", "strict")  # which reading is shown first
SHOWN = 40  # claims that a list shows of a search with more
LINKS = frozenset({"a", "an", "and", "for", "in", "of", "on", "the", "to", "versus", "vs", "with"})  # say nothing alone
_COMPOUND = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*")


def search(lines: Sequence[Line], words: str) -> tuple[Line, ...]:
    """Return the lines that have all these words, the closest first; UserError if there is none.

    First those that have them as a phrase, then those that have them in their statement, id or common names, then those that
    have them in their notation or title alone; of each the printed readings first.
    """
    wanted = [parts for parts in map(_parts, _COMPOUND.findall(words.casefold())) if "".join(parts) not in LINKS]
    if not wanted:
        raise UserError("nothing to search for: expected words, such as 'partial participation'")
    having = [line for line in lines if _has(_tokens(line.words), wanted)]
    if not having:
        raise UserError(f"no claim of {len(lines)} has all of the words {' '.join(words.split())!r}")
    phrase = " ".join(part for parts in wanted for part in parts)
    ranked = sorted(having, key=lambda line: (*_distance(line, wanted, phrase), READING_ORDER.index(line.reading)))
    return tuple(ranked)


def _distance(line: Line, wanted: Sequence[tuple[str, ...]], phrase: str) -> tuple[bool, bool]:
    """Return whether the words are no phrase of the line, and whether they are in its notation or title alone."""
    near = f"{line.id} {line.statement} {line.names}".casefold()
    own = _has(_tokens(near), wanted)
    return (not own, f" {phrase} " not in _plain(near if own else line.words))


def _has(tokens: frozenset[str], wanted: Sequence[tuple[str, ...]]) -> bool:
    return all("".join(parts) in tokens or all(part in tokens for part in parts) for parts in wanted)


@lru_cache(maxsize=8192)
def _tokens(text: str) -> frozenset[str]:
    """Return the words of a text in the singular, and its hyphenated ones as one word too."""
    found = set[str]()
    for compound in _COMPOUND.findall(text):
        parts = _parts(compound)
        found |= {*parts, "".join(parts)}
    return frozenset(found)


@lru_cache(maxsize=8192)
def _plain(text: str) -> str:
    """Return a text as words in the singular between single blanks."""
    return f" {' '.join(part for compound in _COMPOUND.findall(text) for part in _parts(compound))} "


@lru_cache(maxsize=65536)
def _parts(compound: str) -> tuple[str, ...]:
    return tuple(map(_singular, re.split("[-_]", compound)))


def _singular(word: str) -> str:
    """Return an English word without the ending of its plural."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and re.search(r"(ss|x|ch|sh)es$", word):
        return word[:-2]
    return word[:-1] if len(word) > 3 and re.search(r"[^sui]s$", word) else word
