"""What an equality of terms supposes: the normal form notes every law that holds only where something does not vanish.

With x/0 = 0 every term is a number, and x x^-1 = 1 is the law that fails: at x = 0. Whoever uses such a law calls ``suppose``; the
rule that asked is told at its end, and must see each of these needs met by lines. A decision that comes out as no supposes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ClassVar, NamedTuple, ParamSpec, TypeVar

from fltheory.kernel.language.effort import forgets
from fltheory.kernel.language.terms import Term

Around = tuple[tuple[Term, Term, Term], ...]  # (index, low, high) of the sums that a term stands in, outermost last
MOST_KEPT = 200_000
P = ParamSpec("P")
T = TypeVar("T")


class Need(NamedTuple):
    """A term must be ``nonzero``, ``nonnegative`` or ``positive``, for all integers of the ranges around it."""

    kind: str
    term: Term
    around: Around = ()
    averaged: bool = False  # it depends on chance and stands under an expectation: it must be so for every outcome

    @property
    def random(self) -> bool:
        """Whether what it says, for which integers included, depends on chance."""
        return self.term.random or any(low.random or high.random for _, low, high in self.around)


class _Notes:
    open: ClassVar[list[dict[Need, None]]] = [{}]
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
    """Note what is supposed."""
    _Notes.open[-1][need] = None


@contextmanager
def noted() -> Iterator[dict[Need, None]]:
    """The needs that come up inside, which nobody else hears of."""
    found: dict[Need, None] = {}
    _Notes.open.append(found)
    try:
        yield found
    finally:
        _Notes.open.pop()


@contextmanager
def inside(index: Term, low: Term, high: Term) -> Iterator[None]:
    """Needs that come up in the body of a sum are for its index in its range."""
    with noted() as found:
        yield
    for need in found:
        free = index in need.term.free or any(index in lo.free | hi.free for _, lo, hi in need.around)
        suppose(need._replace(around=(*need.around, (index, low, high))) if free else need)


@contextmanager
def averaged() -> Iterator[None]:
    """Needs that come up under an expectation are for every outcome."""
    with noted() as found:
        yield
    for need in found:
        suppose(need._replace(averaged=need.averaged or need.random))


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
