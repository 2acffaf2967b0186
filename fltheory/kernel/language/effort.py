"""How much work a theorem may take, counted: a file can ask for more than anyone can do, as 2^(10^11) or a sum of 10^10 terms.

A unit is some microseconds; no recorded theorem takes more than 1,500,000. What no count foresees, the depth of terms and their
memory, ends a check too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeVar

MOST = 8_000_000  # units for a theorem
KEPT = 3 * MOST // 4  # units of work of which the results are kept, from one theorem to the next
T = TypeVar("T")
DEEP = (RecursionError, MemoryError)


class TooLong(Exception):
    """Nothing is said of a theorem: to check it takes more work than is allowed."""


class Account:
    """What is left, and how often everything was forgotten: a term that was made before costs nothing until then."""

    allowed = left = MOST
    turn = 0
    kept = 0  # units of earlier questions of which the results are kept
    memories: ClassVar[list[Callable[[], None]]] = []


def forgets(forget: Callable[[], None]) -> None:
    """Name a memory: what was worked out for other theorems is forgotten where it could matter."""
    Account.memories.append(forget)


def _forget() -> None:
    for forget in Account.memories:
        forget()
    Account.kept, Account.left, Account.turn = 0, Account.allowed, Account.turn + 1


def begin(most: int = MOST) -> None:
    """Another theorem, or another question: all of the work that is allowed."""
    Account.kept += spent()
    if not Account.left or Account.kept > KEPT:
        _forget()
    Account.allowed = Account.left = most


def counted(question: Callable[[], T]) -> T:
    """What is said of a theorem, the same whatever was asked before; TooLong where it takes more work than is allowed.

    What was worked out before costs nothing. Where the work with it is more than is allowed, the question is asked afresh.
    """
    begin()
    found = question()
    if 0 < Account.kept and MOST < Account.kept + spent():
        _forget()
        found = question()
    return found


def spend(units: int) -> None:
    """Count so much work before it is done; TooLong where that is more than is left."""
    if units > Account.left:
        Account.left = 0
        raise TooLong("too long")
    Account.left -= units


def spent() -> int:
    """The work since the question began."""
    return Account.allowed - Account.left
