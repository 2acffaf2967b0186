"""Side conditions ("needs") of algebraic laws: conversion to normal form notes each condition under which a law holds.

With x/0 = 0 every term has a value, and x x^-1 = 1 is the law that fails, at x = 0. A function that applies such a law calls
``suppose``; the rule that called it receives the needs at its end and must see each of them met by lines. A negative decision
has no needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any, ClassVar, NamedTuple, ParamSpec, TypeVar

from fltheory.kernel.language.effort import forgets
from fltheory.kernel.language.terms import Term, fresh, put, unmarked

Around = tuple[tuple[Term, Term, Term], ...]  # (index, low, high) of the sums around a term, outermost last
MOST_KEPT = 200_000
P = ParamSpec("P")
T = TypeVar("T")


class Need(NamedTuple):
    """A condition on a term (``nonzero``, ``nonnegative``, ``positive`` or ``whole``) for all integers of the ranges around it."""

    kind: str
    term: Term
    around: Around = ()
    averaged: bool = False  # random and under an expectation: must hold for every outcome

    def __str__(self) -> str:
        """Return the message that the need is not met, with fresh symbols under their original names."""
        return f"{unmarked(str(self.term))} is not seen to be {self.kind}"

    @property
    def letters(self) -> frozenset[Term]:
        """The free symbols of the term and of its ranges."""
        return self.term.free.union(*(low.free | high.free for _, low, high in self.around))

    def bound(self, index: Term, low: Term, high: Term) -> Need:
        """Return the need for all integers of a range; a random need is not restricted to a random range."""
        if index not in self.letters:
            return self
        own = fresh(index, "integer" if index.args[1] == "unknown" else "")
        another = self.averaged and (low.random or high.random)
        around = tuple((i, put(a, {index: own}), put(b, {index: own})) for i, a, b in self.around)
        ranges = around if another else (*around, (own, low, high))
        return self._replace(term=put(self.term, {index: own}), around=ranges)

    def everywhere(self) -> Need:
        """Return the need as it is under an expectation: for every outcome if it is random."""
        return self._replace(averaged=self.random)

    @property
    def random(self) -> bool:
        """Whether the term, or a range around it, is random."""
        return self.term.random or any(low.random or high.random for _, low, high in self.around)


class _Notes:
    open: ClassVar[list[dict[Need, None]]] = []
    closed = False


@contextmanager
def powers_closed() -> Iterator[None]:
    """Do not split powers along their exponents, inside the context, if the base may be 0."""
    _Notes.closed, before = True, _Notes.closed
    try:
        yield
    finally:
        _Notes.closed = before


def closed() -> bool:
    """Return whether such powers are left unsplit."""
    return _Notes.closed


def suppose(need: Need) -> None:
    """Note a need; raise LookupError outside of any ``noted`` context."""
    if not _Notes.open:
        raise LookupError(f"{need}, and no caller collects this need")
    _Notes.open[-1][need] = None


class noted:
    """A context manager that collects the needs noted inside it; they do not reach an outer context."""

    def __enter__(self) -> dict[Need, None]:
        found: dict[Need, None] = {}
        _Notes.open.append(found)
        return found

    def __exit__(self, *_: object) -> None:
        _Notes.open.pop()


@contextmanager
def inside(index: Term, low: Term, high: Term) -> Iterator[None]:
    """Quantify the needs noted inside, in the body of a sum or at the index of a line, over the index in its range.

    A fresh symbol replaces the index in these needs: outside, the index's name may mean something else.
    """
    with noted() as found:
        yield
    for need in found:
        suppose(need.bound(index, low, high))


@contextmanager
def ranging(over: Around) -> Iterator[None]:
    """Quantify the needs noted inside over all ranges of a line; a later range may depend on earlier indices."""
    with ExitStack() as ranges:
        for index, low, high in over:
            ranges.enter_context(inside(index, low, high))
        yield


@contextmanager
def averaged() -> Iterator[None]:
    """Mark the needs noted inside, under an expectation, as needed for every outcome."""
    with noted() as found:
        yield
    for need in found:
        suppose(need.everywhere())


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a pure function of terms; a cached result notes its needs again."""
    kept: dict[Any, tuple[T, tuple[Need, ...]]] = {}
    forgets(kept.clear)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        key = (_Notes.closed, args, tuple(kwargs.items()))
        found = kept.get(key)
        if found is None:
            with noted() as needs:
                value = function(*args, **kwargs)
            if len(kept) > MOST_KEPT:
                kept.clear()
            found = kept[key] = (value, tuple(needs))
        for need in found[1]:
            suppose(need)
        return found[0]

    return call


def decides(function: Callable[P, bool]) -> Callable[P, bool]:
    """Decorate a predicate so that it notes needs only if its answer is yes."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> bool:
        with noted() as needs:
            found = function(*args, **kwargs)
        if found:
            for need in needs:
                suppose(need)
        return found

    return call
