"""How much work a theorem may take, counted: a file can ask for more than anyone can do, as 2^(10^11) or a sum of 10^10 terms.

A unit is about ten microseconds; no recorded theorem takes more than 200,000. What no count foresees, the depth of terms and their
memory, ends a check too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

MOST = 4_000_000  # units for a theorem
DEEP = (RecursionError, MemoryError)


class TooLong(Exception):
    """Nothing is said of a theorem: to check it takes more work than is allowed."""


class _Account:
    left = MOST
    memories: ClassVar[list[Callable[[], None]]] = []


def forgets(forget: Callable[[], None]) -> None:
    """What was worked out for a theorem that took too long is forgotten: asked again, it takes as long."""
    _Account.memories.append(forget)


def begin(most: int = MOST) -> None:
    """Another theorem, or another question: all of the work that is allowed."""
    if not _Account.left:
        for forget in _Account.memories:
            forget()
    _Account.left = most


def spend(units: int) -> None:
    """Count so much work before it is done; TooLong where that is more than is left."""
    if units > _Account.left:
        _Account.left = 0
        raise TooLong("too long")
    _Account.left -= units


def spent() -> int:
    """The work since the theorem began."""
    return MOST - _Account.left
