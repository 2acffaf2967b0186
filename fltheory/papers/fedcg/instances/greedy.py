"""Greedy algorithms on a value oracle: any monotone set function, any feasible sets that are closed under taking subsets.

All answer with the items in the order in which they come in, a maximal feasible set: an item of no gain is added too.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import Any

Items = frozenset[int]
Value = Callable[[Items], Any]  # floats or exact numbers
Feasible = Callable[[Items], bool]


def greedy(value: Value, feasible: Feasible, items: Iterable[int]) -> tuple[int, ...]:
    """Adds the item of greatest gain, of equal ones the lowest, as long as one can be added."""
    chosen: tuple[int, ...] = ()
    left = sorted(set(items))
    while left := [e for e in left if feasible(frozenset((*chosen, e)))]:
        best = max(left, key=lambda e: value(frozenset((*chosen, e))))
        left.remove(best)
        chosen = (*chosen, best)
    return chosen


def lazy_greedy(value: Value, feasible: Feasible, items: Iterable[int]) -> tuple[int, ...]:
    """The same items for a submodular function, asking for fewer values: a gain of before is a limit of the gain of now.

    With floats two gains that differ by rounding alone may come in the other order.
    """
    chosen: tuple[int, ...] = ()
    so_far = value(frozenset())
    heap = [(so_far - value(frozenset({e})), e, 0) for e in sorted(set(items))]  # minus the gain, and when it was found
    heapq.heapify(heap)
    while heap:
        loss, e, size = heapq.heappop(heap)
        if not feasible(frozenset((*chosen, e))):
            continue  # it won't be feasible again
        if size == len(chosen):
            chosen, so_far = (*chosen, e), so_far - loss
        else:
            heapq.heappush(heap, (so_far - value(frozenset((*chosen, e))), e, len(chosen)))
    return chosen
