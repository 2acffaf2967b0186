"""How far a figure is: what draws it counts its steps, whoever listens hears of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
Counts = tuple[tuple[int, int], ...]  # (done, of all), from the outermost loop inwards
LISTENER: ContextVar[Callable[[Counts], None] | None] = ContextVar("listener", default=None)
_OUTER: ContextVar[Counts] = ContextVar("around", default=())


def track(items: Iterable[Item]) -> Iterator[Item]:
    """The items, one after another; before each the listener is told how many are done, of how many."""
    every, around, listener = list(items), _OUTER.get(), LISTENER.get()
    for i, item in enumerate(every):
        here = (*around, (i, len(every)))
        _OUTER.set(here)
        if listener is not None:
            listener(here)
        yield item
    _OUTER.set(around)
