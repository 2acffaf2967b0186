"""What an equality of terms supposes: the normal form notes every law that holds only where something does not vanish.

With x/0 = 0 every term is a number, and x x^-1 = 1 is the law that fails: at x = 0. Whoever uses such a law calls ``suppose``; the
rule that asked is told at its end, and must see each of these needs met by lines. A decision that comes out as no supposes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any, ClassVar, NamedTuple, ParamSpec, TypeVar

from fltheory.kernel.language.effort import forgets
from fltheory.kernel.language.terms import Term, fresh, put, unmarked

Around = tuple[tuple[Term, Term, Term], ...]  # (index, low, high) of the sums that a term stands in, outermost last
MOST_KEPT = 200_000
P = ParamSpec("P")
T = TypeVar("T")


class Need(NamedTuple):
    """A term must be ``nonzero``, ``nonnegative``, ``positive`` or ``whole``, for all integers of the ranges around it."""

    kind: str
    term: Term
    around: Around = ()
    averaged: bool = False  # it depends on chance and stands under an expectation: it must be so for every outcome

    def __str__(self) -> str:
        """What is missing where it is not met; a letter with a name of its own is shown by the name that it had."""
        return f"{unmarked(str(self.term))} is not seen to be {self.kind}"

    @property
    def letters(self) -> frozenset[Term]:
        """Of which it speaks."""
        return self.term.free.union(*(low.free | high.free for _, low, high in self.around))

    def bound(self, index: Term, low: Term, high: Term) -> Need:
        """The same for all integers of a range, or for all integers where it is for every outcome and the range is that of one."""
        if index not in self.letters:
            return self
        own = fresh(index, "integer" if index.args[1] == "unknown" else "")
        another = self.averaged and (low.random or high.random)
        around = tuple((i, put(a, {index: own}), put(b, {index: own})) for i, a, b in self.around)
        ranges = around if another else (*around, (own, low, high))
        return self._replace(term=put(self.term, {index: own}), around=ranges)

    def everywhere(self) -> Need:
        """The same under an expectation."""
        return self._replace(averaged=self.random)

    @property
    def random(self) -> bool:
        """Whether what it says, for which integers included, depends on chance."""
        return self.term.random or any(low.random or high.random for _, low, high in self.around)


class _Notes:
    open: ClassVar[list[dict[Need, None]]] = []
    closed = False


@contextmanager
def powers_closed() -> Iterator[None]:
    """Inside, a power of what may be 0 is not split along its exponent."""
    _Notes.closed, before = True, _Notes.closed
    try:
        yield
    finally:
        _Notes.closed = before


def closed() -> bool:
    """Whether such powers stay whole."""
    return _Notes.closed


def suppose(need: Need) -> None:
    """Note what is supposed; an error where nobody hears of it."""
    if not _Notes.open:
        raise LookupError(f"{need}, and nobody asks for it")
    _Notes.open[-1][need] = None


class noted:
    """The needs that come up inside, which nobody else hears of."""

    def __enter__(self) -> dict[Need, None]:
        found: dict[Need, None] = {}
        _Notes.open.append(found)
        return found

    def __exit__(self, *_: object) -> None:
        _Notes.open.pop()


@contextmanager
def inside(index: Term, low: Term, high: Term) -> Iterator[None]:
    """Needs that come up in the body of a sum, or at the index of a line, are for its index in its range.

    They leave with a letter of their own for it: outside, the index's own name may be that of something else.
    """
    with noted() as found:
        yield
    for need in found:
        suppose(need.bound(index, low, high))


@contextmanager
def ranging(over: Around) -> Iterator[None]:
    """The same for all ranges of a line, of which a later one may speak of earlier indices."""
    with ExitStack() as ranges:
        for index, low, high in over:
            ranges.enter_context(inside(index, low, high))
        yield


@contextmanager
def averaged() -> Iterator[None]:
    """Needs that come up under an expectation are for every outcome."""
    with noted() as found:
        yield
    for need in found:
        suppose(need.everywhere())


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """A pure function that is worked out once for the same terms; what it supposes is noted each time."""
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
    """A question of which yes alone says something: with no nothing is supposed."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> bool:
        with noted() as needs:
            found = function(*args, **kwargs)
        if found:
            for need in needs:
                suppose(need)
        return found

    return call
