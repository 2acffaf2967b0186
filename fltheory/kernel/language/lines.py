"""Lines (relations), definitions and memberships in function classes, and how they are read from JSON."""

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
    """A relation ``left op right`` for all integers of the ranges in ``over``."""

    left: Term
    op: str
    right: Term
    over: tuple[Range, ...] = ()

    @cached_property
    def gap(self) -> Term:
        """The difference right - left."""
        return minus(self.right, self.left)

    @property
    def ends(self) -> tuple[Term, ...]:
        """The ends of the ranges."""
        return tuple(e for _, low, high in self.over for e in (low, high))

    @cached_property
    def names(self) -> list[Term]:
        """The indices in their order."""
        return [i for i, _, _ in self.over]

    @cached_property
    def indices(self) -> frozenset[Term]:
        """The indices that the ranges bind."""
        return frozenset(self.names)

    @cached_property
    def loose(self) -> frozenset[Term]:
        """The free symbols of the line: those that the ranges do not bind."""
        return frozenset().union(self.left.free, self.right.free, *(e.free for e in self.ends)) - self.indices

    @property
    def terms(self) -> tuple[Term, ...]:
        """Both sides and the finite ends of the ranges."""
        return (self.left, self.right, *(e for e in self.ends if not endless(e)))

    def renamed(self, names: Mapping[Term, Term]) -> Line:
        """Return the line with some of its indices renamed."""
        if not names:
            return self
        own = self.mapped(lambda t: put(t, names))
        return Line(own.left, own.op, own.right, tuple((names.get(i, i), lo, hi) for i, lo, hi in own.over))

    def mapped(self, change: Any) -> Line:
        """Return the line with a function applied to every term."""
        over = tuple((i, change(lo), change(hi)) for i, lo, hi in self.over)
        return Line(change(self.left), self.op, change(self.right), over)


def line(value: Any) -> Line:
    """Read a line from JSON."""
    own = fields(value, LINE, "a line")
    if own["op"] not in ("<=", "<", "=="):
        raise Wrong(f"{str(own['op'])[:60]} is not a relation: it must be <=, < or ==")
    over = tuple((read(i), read(low), read(high)) for i, low, high in own["over"])
    return Line(read(own["left"]), own["op"], read(own["right"]), over)


@dataclass(frozen=True)
class Definition:
    """A definition ``left`` := ``right`` for any values of its indices, or (not ``anywhere``) an equation between two terms."""

    name: str
    left: Term
    right: Term
    anywhere: bool = True

    @property
    def letters(self) -> frozenset[Term]:
        """The symbols that the definition brings in or mentions."""
        own = self.right.free - set(slots(self.left)) if self.anywhere else self.right.free | self.left.free
        return own | {self.left} if self.left.word == "symbol" else own


def named(term: Term) -> bool:
    """Return whether the term is a symbol or a member of a family."""
    return term.word in ("symbol", "family")


def head(term: Term) -> Any:
    """Return what a definition defines: a symbol, or a family by its kind, its name and its number of indices."""
    return term if term.word == "symbol" else (*term.args[:2], len(term.args))


def unfolding(definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """Return the definitions in the order in which each needs to be inserted only once: those used by others come later."""
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
    """Membership in a function class: the functions of a family are smooth and strongly convex with these constants."""

    name: str
    function: Term
    smooth: Term | None
    convex: Term | None

    @property
    def letters(self) -> frozenset[Term]:
        """The free symbols of the two constants."""
        constants = (c for c in (self.smooth, self.convex) if c is not None)
        return frozenset[Term]().union(*(c.free for c in constants)) - set(slots(self.function))
