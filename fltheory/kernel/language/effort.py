"""The work that checking a theorem may take, in counted units: a file can ask for 2^(10^11) or a sum of 10^10 terms.

A unit takes some microseconds; no recorded theorem takes more than 1,500,000 units. Depth of recursion and memory, which are
not counted in advance, end a check too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeVar

MOST = 8_000_000  # units for a theorem
KEPT = 3 * MOST // 4  # units of work whose results stay cached from one theorem to the next
T = TypeVar("T")
DEEP = (RecursionError, MemoryError)


class TooLong(Exception):
    """Raised if the check of a theorem takes more work than is allowed: it is neither confirmed nor refused."""


class Account:
    """The remaining work, and a counter ``turn`` of how often the caches were cleared.

    A term costs nothing if it was made before in the same turn.
    """

    allowed = left = MOST
    turn = 0
    kept = 0  # units of earlier questions whose results are cached
    memories: ClassVar[list[Callable[[], None]]] = []


def forgets(forget: Callable[[], None]) -> None:
    """Register a function that clears a cache; it is called when cached results could change what a check costs."""
    Account.memories.append(forget)


def _forget() -> None:
    for forget in Account.memories:
        forget()
    Account.kept, Account.left, Account.turn = 0, Account.allowed, Account.turn + 1


def begin(most: int = MOST) -> None:
    """Start a new question (such as the check of a theorem) with the full allowance of work."""
    Account.kept += spent()
    if not Account.left or Account.kept > KEPT:
        _forget()
    Account.allowed = Account.left = most


def counted(question: Callable[[], T]) -> T:
    """Return the answer to a question, whatever was asked before; raise TooLong if it takes more work than is allowed.

    Cached results cost nothing. If the work including the cached part exceeds the allowance, the caches are cleared and the
    question is asked again.
    """
    begin()
    found = question()
    if 0 < Account.kept and MOST < Account.kept + spent():
        _forget()
        found = question()
    return found


def spend(units: int) -> None:
    """Count this many units before the work is done; raise TooLong if fewer are left."""
    if units > Account.left:
        Account.left = 0
        raise TooLong("too long")
    Account.left -= units


def spent() -> int:
    """Return the units spent since the question began."""
    return Account.allowed - Account.left
