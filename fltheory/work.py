"""Work: what a search may spend, in units that no load and no machine changes.

One unit is about the evaluation of one small case, a few milliseconds. What takes longer says how much it is before it
begins (``spend``), by the sizes of what it does, never by a clock. So the same question with the same work ends at the
same place everywhere.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

DEFAULT_WORK = 20_000  # units of a search: about a minute on two idle cores
COMPILED_FLOATS_PER_UNIT = 1_000_000  # updates of floats in compiled code that make one unit
NUMPY_FLOATS_PER_UNIT = 200_000  # of floats in NumPy
EXACT_NUMBERS_PER_UNIT = 1_500  # of exact numbers
TRAINING_ROUNDS_PER_UNIT = 4_000  # rounds of clients of a training in NumPy
ITEM_COST = 0.02  # units of an item of an enumeration in exact numbers
NETWORK_ROUNDS_PER_UNIT = 20  # rounds of clients of the training of a small network
USER_STEP_COST = 0.03  # units of a step of a user's, beside its numbers
GAME_ROUND_COST = 0.02  # of a round of a game, however few rows it has
CALL_COST = 0.01  # units of a call, however small what it does


class BudgetExhausted(BaseException):
    """Ends a computation whose work is used up: no Exception, so that nothing takes it for a step that fails."""


class Meter:
    """What was spent in a block, of at most ``most`` units."""

    def __init__(self, most: float) -> None:
        self.most, self.spent = most, 0.0

    @property
    def left(self) -> float:
        """Units that are left, at least 0."""
        return max(0.0, self.most - self.spent)


_meters: list[Meter] = []
_deadlines: list[float] = []


def spend(units: float) -> None:
    """Counts work that is about to be done; ``BudgetExhausted`` where the block around it has not so much left."""
    if _meters:
        meter = _meters[-1]
        meter.spent += units
        if meter.spent > meter.most:
            raise BudgetExhausted


def spend_on(numbers: float, exact: bool) -> None:
    """Counts one call that works on so many numbers, floats in arrays or exact ones."""
    spend(CALL_COST + numbers / (EXACT_NUMBERS_PER_UNIT if exact else NUMPY_FLOATS_PER_UNIT))


@contextmanager
def work_limit(most: float = math.inf) -> Iterator[Meter]:
    """A block that may spend so much, and no more than the block around it has left, whose meter counts it too.

    ``BudgetExhausted`` is raised in it; the caller catches it.
    """
    meter = Meter(min(most, _meters[-1].left) if _meters else most)
    _meters.append(meter)
    try:
        yield meter
    finally:
        _meters.remove(meter)
        if _meters:
            _meters[-1].spent += min(meter.spent, meter.most)


def charge(units: float) -> None:
    """Counts work that was done apart; the block around it ends at the next that it begins."""
    if _meters:
        _meters[-1].spent += units


@contextmanager
def separate_meter(most: float = math.inf) -> Iterator[Meter]:
    """A block that counts for itself alone, as it would in another process."""
    before, meter = _meters[:], Meter(most)
    _meters[:] = [meter]
    try:
        yield meter
    finally:
        _meters[:] = before


@contextmanager
def time_limit(deadline: float) -> Iterator[None]:
    """A block that a clock ends at ``deadline`` (of ``time.perf_counter``): calls that can't be broken off ask ``seconds_left``."""
    _deadlines.append(min(deadline, *_deadlines) if _deadlines else deadline)
    try:
        yield
    finally:
        _deadlines.pop()


def seconds_left() -> float:
    """Seconds until the block around it is to end, a tenth at least; infinity where no clock ends it."""
    return math.inf if not _deadlines or _deadlines[-1] == math.inf else max(0.1, _deadlines[-1] - time.perf_counter())


def charge_each(items: Iterable[T], units: float = ITEM_COST) -> Iterator[T]:
    """The items of an enumeration, each of which is so much work."""
    for item in items:
        spend(units)
        yield item


def require_work(work: object) -> int:
    """ValueError unless it is a positive integer."""
    if isinstance(work, bool) or not isinstance(work, int) or work < 1:
        raise ValueError(f"work must be a positive integer (units, default {DEFAULT_WORK}), got {work!r}")
    return work
