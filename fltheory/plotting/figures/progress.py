"""Progress of a figure: its loops count their steps, and a listener receives the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
Counts = tuple[tuple[int, int], ...]  # (done, total), from the outermost loop inwards
LISTENER: ContextVar[Callable[[Counts], None] | None] = ContextVar("listener", default=None)
_OUTER: ContextVar[Counts] = ContextVar("around", default=())


def track(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items; before each the listener receives how many of how many are done."""
    every, around, listener = list(items), _OUTER.get(), LISTENER.get()
    for i, item in enumerate(every):
        here = (*around, (i, len(every)))
        _OUTER.set(here)
        if listener is not None:
            listener(here)
        yield item
    _OUTER.set(around)
