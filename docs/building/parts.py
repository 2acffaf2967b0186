"""The pages of a paper: its sections and appendices in order, one page each; a long one is split at its subsections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from fltheory.claims.catalogue import KEYS
from fltheory.claims.ids import without_reading
from fltheory.claims.index import builtin_lines, lines_by_item
from fltheory.model.place import Item

MOST = 40  # claims on a page whose section has subsections


@dataclass(frozen=True)
class Part:
    """A page: consecutive items of a paper, of which the first gives the name, and the ids of the claims on them."""

    paper: str
    items: tuple[Item, ...]
    ids: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the page is called in its address and in the list of pages: "section_4_2"."""
        return re.sub(r"\W+", "_", self.items[0].name.lower())

    @property
    def title(self) -> str:
        """Its heading: "Section 4.2: Upper bounds of SFL"."""
        first = self.items[0]
        return f"{first.name}{': ' if first.title else ''}{first.title}"

    @property
    def page(self) -> str:
        """Where the page is in the site, without the ending."""
        return f"catalogue/{self.paper}/{self.name}"


def items_of(key: str) -> tuple[Item, ...]:
    """What the paper has, from top to bottom."""
    items: tuple[Item, ...] = import_module(f"fltheory.papers.{key}.contents").ITEMS
    return items


def figures_of(key: str) -> Mapping[str, tuple[str, ...]]:
    """Which committed figures belong to an item of the paper."""
    drawn: Mapping[str, tuple[str, ...]] = import_module(f"fltheory.papers.{key}.contents").DRAWN
    return drawn


def depth_of(item: Item) -> int | None:
    """How deep a section lies: 1 for Section 4, 2 for Appendix B.2; None for what is no section."""
    return item.name.count(".") + 1 if item.is_section else None


def split(items: Sequence[Item], counts: Mapping[str, int], depth: int = 1) -> Iterator[tuple[Item, ...]]:
    """Cut items before each section of this depth; then a piece with more than ``MOST`` claims at the next depth."""
    starts = [i for i, item in enumerate(items) if i and depth_of(item) == depth]
    for a, b in zip((0, *starts), (*starts, len(items)), strict=True):
        piece = tuple(items[a:b])
        deeper = any(depth_of(item) == depth + 1 for item in piece[1:])
        if deeper and sum(counts.get(item.name, 0) for item in piece) > MOST:
            yield from split(piece, counts, depth + 1)
        else:
            yield piece


@cache
def parts_of(key: str) -> tuple[Part, ...]:
    """The pages of a paper that have a claim or a figure."""
    own = {item.name: tuple(line.id for line in lines) for item, lines in lines_by_item(key, builtin_lines(key))}
    drawn = figures_of(key)
    return tuple(
        Part(key, piece, tuple(name for item in piece for name in own.get(item.name, ())))
        for piece in split(items_of(key), {name: len(ids) for name, ids in own.items()})
        if any(own.get(item.name) or drawn.get(item.name) for item in piece)
    )


@cache
def page_by_claim() -> Mapping[str, str]:
    """For each claim, with and without its reading, the page that it is on; the place on the page has the id as its name."""
    found: dict[str, str] = {}
    for part in (part for key in KEYS for part in parts_of(key)):
        for name in part.ids:
            found[name] = part.page
            found.setdefault(without_reading(name), part.page)
    return found
