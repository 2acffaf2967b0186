"""Citation locators: the items of a paper in its order, and places that refer to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

SECTIONS = ("Section", "Appendix")
_KINDS = (
    "Appendix|App|Section|Definition|Assumption|Lemma|Theorem|Proposition|Corollary|Remark|Algorithm|Table|Figure"
    "|Example|Claim"
)
_LABEL = r"[A-Z]?\d+(?:\.\d+)*|[A-Z](?:\.\d+)*"
_ITEM_PATTERN = re.compile(
    rf"(?P<kind>{_KINDS})s?\.? (?P<label>{_LABEL})(?![\w.]*\w)(?P<others> of [A-Z])?"
    rf"|^(?P<bare>[A-Z]\.\d+)\b"
    rf"|(?<![\w/])\((?P<eq>\d+[a-z]?)\)"
)
_SECTION_KINDS = {None: SECTIONS, "Section": SECTIONS, "App": ("Appendix",)}  # names of sections in sources
_ASIDE = re.compile(r"\s\((?!\d+[a-z]?\))[^()]*\)")
_PROOF = re.compile(r"\bproofs?\b")
_AFTER = re.compile(r"\bafter\b")


class PlaceError(ValueError):
    """A place matches no item of its paper; the text names the place and the mistake."""


@dataclass(frozen=True)
class Item:
    """A numbered item or a section of a paper: its name, its subject, and the numbers of its displays.

    ``equations``: ``"14"``, ``"2-7"`` or ``"1a-1c, 4"``; a display in a theorem belongs to the theorem, not to its
    section. ``proves``: the items whose proofs it contains.
    """

    name: str
    title: str = ""
    equations: str = ""
    proves: tuple[str, ...] = ()

    @property
    def is_section(self) -> bool:
        """Whether it is a section or an appendix, which contains the items that follow."""
        return self.name.startswith(SECTIONS)


@dataclass(frozen=True)
class Place:
    """A locator of an item of a paper or one of its displays. It prints as written and sorts in the order of the paper.

    ``item`` contains it: "proof of Theorem 8 (59)" is in the appendix with the proof, if there is one.
    """

    text: str
    item: str
    part: str = ""
    eq: str = ""
    order: tuple[int, int, int, int] = field(default=(0, 0, 0, 0), compare=False, repr=False)

    def __str__(self) -> str:
        return self.text

    def __lt__(self, other: Place) -> bool:
        return self.order < other.order


@dataclass(frozen=True)
class Contents:
    """The items of a paper in its order. ``meant`` maps wrongly recorded places to the correct ones."""

    items: tuple[Item, ...]
    corrections: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [item.name for item in self.items]
        doubled = {n for n in names if names.count(n) > 1}
        unknown = {p for item in self.items for p in item.proves} - set(names)
        if doubled or unknown:
            raise PlaceError(f"duplicate items: {sorted(doubled)}; proved names that are not items: {sorted(unknown)}")

    @cached_property
    def number(self) -> dict[str, int]:
        """The position of every item."""
        return {item.name: i for i, item in enumerate(self.items)}

    @cached_property
    def equations(self) -> dict[str, tuple[str, int]]:
        """The item that contains each display, and the display's position among all displays."""
        found: dict[str, tuple[str, int]] = {}
        for item in self.items:
            for label in _labels(item.equations):
                if label in found:
                    raise PlaceError(f"({label}) is in {found[label][0]} and in {item.name}")
                found[label] = item.name, len(found) + 1
        return found

    def around(self, name: str) -> tuple[str, ...]:
        """Return the sections that contain an item, the innermost first."""
        item = self.items[self.number[name]]
        if not item.is_section:
            own = next((i.name for i in reversed(self.items[: self.number[name]]) if i.is_section), "")
            return (own, *self.around(own)) if own else ()
        kind, label = name.split(" ")
        parents = [f"{kind} {'.'.join(label.split('.')[:k])}" for k in range(label.count("."), 0, -1)]
        return tuple(p for p in parents if p in self.number)

    def proof(self, name: str) -> str | None:
        """Return the item that proves another, if the paper has one."""
        return next((i.name for i in self.items if name in i.proves), None)

    def place(self, text: str) -> Place:
        """Parse a place such as "Theorem 4 (14)" or "proof of Theorem 8 (59)"; PlaceError if it matches no item."""
        said = self.corrections.get(text, text)
        words = _ASIDE.sub("", said)
        found = list(self._find_items(words))
        if not found:
            raise PlaceError(f"{text!r} names no item of the paper")
        item, eq, cut = "", "", []
        for name, equation, span in found:
            if equation and not eq:
                item, eq = self._containing_item(equation, item, text), equation
            elif not equation and (not item or item in self.around(name)):
                item = name
            else:
                continue
            cut.append((name, span))
        proven = bool(_PROOF.search(words))
        if proven and not eq:
            item = self.proof(item) or item
        after = bool(_AFTER.search(words))
        stage = 1 if eq or proven else 2 * after
        order = self.number[item], stage, self.equations[eq][1] if eq else 0, int(after)
        here = {item, *self.around(item), ""}
        return Place(text, item, _remaining_words(words, [span for name, span in cut if name in here]), eq, order)

    def _find_items(self, words: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
        """Return the items and displays in a text, in order: (item, "", span) or ("", display, span)."""
        for match in _ITEM_PATTERN.finditer(words):
            if match["eq"]:
                if match["eq"] not in self.equations:
                    raise PlaceError(f"{words!r}: no item contains the display ({match['eq']})")
                yield "", match["eq"], match.span()
                continue
            label, kind = match["bare"] or match["label"], match["kind"]
            spelled = [f"{k} {label}" for k in _SECTION_KINDS.get(kind, (kind,))]
            name = next((s for s in spelled if s in self.number), None)
            if match["others"]:
                continue
            if name is None:
                raise PlaceError(f"{words!r}: the paper has no {spelled[0]}")
            yield name, "", match.span()

    def _containing_item(self, equation: str, item: str, text: str) -> str:
        """Return the item of a display cited with an item: that item, its proof, or an item inside or around it."""
        holder = self.equations[equation][0]
        near = {item, self.proof(item), *self.around(item)} if item else {holder}
        if holder not in near and item not in self.around(holder):
            raise PlaceError(f"{text!r}: ({equation}) is in {holder}, not in {item}")
        return holder


def _labels(equations: str) -> Iterator[str]:
    for part in filter(None, (p.strip() for p in equations.split(","))):
        first, _, last = part.partition("-")
        if not last:
            yield first
        elif first[-1].isdigit():
            yield from (str(n) for n in range(int(first), int(last) + 1))
        else:
            yield from (f"{first[:-1]}{chr(c)}" for c in range(ord(first[-1]), ord(last[-1]) + 1))


def _remaining_words(words: str, cut: list[tuple[int, int]]) -> str:
    """Return the rest of the text without the item and the display."""
    for start, stop in sorted(cut, reverse=True):
        words = words[:start] + " " + words[stop:]
    words = re.sub(r"\bof(?= *(,|and\b|$))", "", words)
    return re.sub(r" +(?=,)", "", re.sub(r" +", " ", words)).strip(" ,")
