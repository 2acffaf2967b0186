"""Lines, definitions and members of classes of functions: what a step uses, and how they are read from JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fltheory.kernel.language.fields import LINE, fields
from fltheory.kernel.language.terms import Term, Wrong, endless, minus, parts, put, read, slots

Range = tuple[Term, Term, Term]


@dataclass(frozen=True)
class Line:
    """``left op right`` for all integers of the ranges in ``over``."""

    left: Term
    op: str
    right: Term
    over: tuple[Range, ...] = ()

    @cached_property
    def gap(self) -> Term:
        """right - left."""
        return minus(self.right, self.left)

    @property
    def ends(self) -> tuple[Term, ...]:
        """Of the ranges."""
        return tuple(e for _, low, high in self.over for e in (low, high))

    @cached_property
    def names(self) -> list[Term]:
        """The indices in their order."""
        return [i for i, _, _ in self.over]

    @cached_property
    def indices(self) -> frozenset[Term]:
        """That the ranges bind."""
        return frozenset(self.names)

    @cached_property
    def loose(self) -> frozenset[Term]:
        """The letters that the ranges do not bind."""
        return frozenset().union(self.left.free, self.right.free, *(e.free for e in self.ends)) - self.indices

    @property
    def terms(self) -> tuple[Term, ...]:
        """Both sides, and the ends that there are."""
        return (self.left, self.right, *(e for e in self.ends if not endless(e)))

    def renamed(self, names: Mapping[Term, Term]) -> Line:
        """The line with other letters for some of its indices."""
        if not names:
            return self
        own = self.mapped(lambda t: put(t, names))
        return Line(own.left, own.op, own.right, tuple((names.get(i, i), lo, hi) for i, lo, hi in own.over))

    def mapped(self, change: Any) -> Line:
        """The line with every term changed."""
        over = tuple((i, change(lo), change(hi)) for i, lo, hi in self.over)
        return Line(change(self.left), self.op, change(self.right), over)


def line(value: Any) -> Line:
    """A line from JSON."""
    own = fields(value, LINE, "a line")
    if own["op"] not in ("<=", "<", "=="):
        raise Wrong(f"{str(own['op'])[:60]} stands between the sides of no line: it is <=, < or ==")
    over = tuple((read(i), read(low), read(high)) for i, low, high in own["over"])
    return Line(read(own["left"]), own["op"], read(own["right"]), over)


@dataclass(frozen=True)
class Definition:
    """``left`` is short for ``right``: for any indices (a definition), or as it stands (an equation)."""

    name: str
    left: Term
    right: Term
    anywhere: bool = True

    @property
    def letters(self) -> frozenset[Term]:
        """That it brings in, or speaks of."""
        own = self.right.free - set(slots(self.left)) if self.anywhere else self.right.free | self.left.free
        return own | {self.left} if self.left.word == "symbol" else own


def named(term: Term) -> bool:
    """Whether it is a letter or a member of a family."""
    return term.word in ("symbol", "family")


def head(term: Term) -> Any:
    """What a definition defines: a letter, or a family by its kind, its name and how many indices it has."""
    return term if term.word == "symbol" else (*term.args[:2], len(term.args))


def unfolding(definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """The definitions in an order in which each, inserted once, is gone: those that others speak of come later."""
    own, seen, found = {head(d.left): d for d in definitions}, set[Any](), list[Definition]()

    def visit(d: Definition) -> None:
        if head(d.left) not in seen:
            seen.add(head(d.left))
            for p in parts(d.right):
                if named(p) and head(p) in own:
                    visit(own[head(p)])
            found.append(d)

    for d in definitions:
        visit(d)
    return tuple(reversed(found))


@dataclass(frozen=True)
class Member:
    """The functions of a family are smooth and strongly convex, with these constants."""

    name: str
    function: Term
    smooth: Term | None
    convex: Term | None

    @property
    def letters(self) -> frozenset[Term]:
        """Of which its constants speak."""
        constants = (c for c in (self.smooth, self.convex) if c is not None)
        return frozenset[Term]().union(*(c.free for c in constants)) - set(slots(self.function))
