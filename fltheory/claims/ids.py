"""Ids of claims as text: ``key/NAME@reading``, families of ids, and suggestions for mistyped ids."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from itertools import zip_longest

MAX_NEAR_IDS, MAX_COMPLETIONS = (5, 10)  # the largest numbers of suggested ids: similar ones, and completions


class UnknownId(KeyError):
    """Raised for an id that names no claim or several; its one-line message suggests similar ids."""

    def __str__(self) -> str:
        return str(self.args[0])


def resolve_id(claim_id: str, ids: Collection[str]) -> str:
    """Return the full id; the reading may be omitted if only one exists. UnknownId suggests similar ids."""
    if claim_id in ids:
        return claim_id
    readings = [i for i in ids if without_reading(i) == claim_id]
    if len(readings) == 1:
        return readings[0]
    if readings:
        raise UnknownId(f"{claim_id} has {len(readings)} readings, choose one: {', '.join(readings)}")
    family = list(dict.fromkeys(map(without_reading, family_of(claim_id, ids))))
    if family:
        raise UnknownId(f"{claim_id} is a family of {len(family)} ids, choose one: {', '.join(family)}")
    raise UnknownId(unknown_id_message(claim_id, ids))


def unknown_id_message(claim_id: str, ids: Iterable[str]) -> str:
    """Return the message about an id, a family or a pattern that names nothing."""
    from fltheory.number.parsing import clip_text  # it imports SymPy: only in case of an error

    return f"no claim {clip_text(claim_id)!r}{suggest(claim_id, ids)}"


def without_reading(claim_id: str) -> str:
    """Return an id without its reading."""
    return claim_id.partition("@")[0]


def paper_of(claim_id: str) -> str:
    """Return the key of the paper that an id names: what is before the slash, or all without one."""
    return claim_id.partition("/")[0]


def first_part(claim_id: str) -> str:
    """Return the id up to its first hyphen, without its reading: the family, or the id itself if it has none."""
    paper, slash, name = without_reading(claim_id).partition("/")
    return paper + slash + name.partition("-")[0]


def family_of(name: str, ids: Iterable[str]) -> list[str]:
    """Return the ids that begin with a name and a hyphen: ``sfl/TAB1``, itself no id, names every ``sfl/TAB1-...``."""
    return [i for i in ids if "/" in name and i.startswith(f"{name}-")]


def suggest(word: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown id: its completions, with or without key, or similar ids."""
    known = list(known)
    if near := _completions(word, known):
        first = _round_robin(near, MAX_COMPLETIONS)
        more = f" and {len(near) - len(first)} more" if len(near) > len(first) else ""
        return f"; the nearest are {', '.join(first)}{more}"
    folded: dict[str, list[str]] = {}
    for name in known:
        for form in (name, without_reading(name), name.split("/")[-1], without_reading(name.split("/")[-1])):
            folded.setdefault(form.lower(), []).append(name)
    forms = difflib.get_close_matches(word.lower(), folded, n=MAX_NEAR_IDS, cutoff=0.4)
    near = list(dict.fromkeys(name for form in forms for name in folded[form]))[:MAX_NEAR_IDS]
    return f"; the nearest are {', '.join(near)}" if near else "; 'fltheory list' shows all"


def _completions(word: str, known: Iterable[str]) -> list[str]:
    """Return the ids that begin with a word, without readings if it has none: the id itself, then its family."""
    word = word.strip().lower()
    if not word:
        return []

    def spelled(name: str) -> str:
        return name.lower() if "/" in word else name.lower().split("/")[-1]

    begun = [i for i in known if spelled(i).startswith(word) or i.lower().startswith(word)]
    named = dict.fromkeys(begun if "@" in word else map(without_reading, begun))
    return sorted(named, key=lambda i: (spelled(i) != word, not spelled(i).startswith(f"{word}-")))


def _round_robin(ids: Iterable[str], most: int) -> list[str]:
    """Return at most ``most`` ids, taken from the papers in turn and listed in their original order."""
    papers: dict[str, list[str]] = {}
    for name in ids:
        papers.setdefault(paper_of(name), []).append(name)
    turns = [name for turn in zip_longest(*papers.values()) for name in turn if name is not None][:most]
    return [name for names in papers.values() for name in names if name in turns]
