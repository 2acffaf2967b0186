"""The work budget of a search, in units that do not depend on the machine or its load.

One unit is about the evaluation of one small case, a few milliseconds. A longer computation declares its cost before it
begins (``spend``), from the sizes of its data, never from a clock. So the same search with the same budget stops at
the same point on every machine.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

DEFAULT_WORK = 20_000  # units of a search: about a minute on two idle cores
COMPILED_FLOATS_PER_UNIT = 1_000_000  # float updates in compiled code that cost one unit
NUMPY_FLOATS_PER_UNIT = 200_000  # float updates in NumPy that cost one unit
EXACT_NUMBERS_PER_UNIT = 1_500  # updates of exact numbers that cost one unit
TRAINING_ROUNDS_PER_UNIT = 4_000  # client rounds of a training in NumPy that cost one unit
ITEM_COST = 0.02  # units for one item of an enumeration in exact numbers
NETWORK_ROUNDS_PER_UNIT = 20  # client rounds of the training of a small network that cost one unit
USER_STEP_COST = 0.03  # units for one user-defined step, in addition to its numbers
GAME_ROUND_COST = 0.02  # units for one round of a game, however few rows it has
CALL_COST = 0.01  # units for one call, however little it computes


class BudgetExhausted(BaseException):
    """Signal that the budget is used up. It is not an Exception, so no handler mistakes it for a failing step."""


class Meter:
    """The work spent in a block, of at most ``most`` units."""

    def __init__(self, most: float) -> None:
        self.most, self.spent = most, 0.0

    @property
    def left(self) -> float:
        """The units that are left, at least 0."""
        return max(0.0, self.most - self.spent)


_meters: list[Meter] = []
_deadlines: list[float] = []


def spend(units: float) -> None:
    """Charge work that is about to be done; ``BudgetExhausted`` if the enclosing block has less left."""
    if _meters:
        meter = _meters[-1]
        meter.spent += units
        if meter.spent > meter.most:
            raise BudgetExhausted


def spend_on(numbers: float, exact: bool) -> None:
    """Charge one call by how many numbers it processes, floats in arrays or exact ones."""
    spend(CALL_COST + numbers / (EXACT_NUMBERS_PER_UNIT if exact else NUMPY_FLOATS_PER_UNIT))


@contextmanager
def work_limit(most: float = math.inf) -> Iterator[Meter]:
    """Limit the work of a block; it also counts against the enclosing block, whose remaining budget it cannot exceed.

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
    """Charge work that another process has done; if the budget is exceeded, the next charge in the block raises."""
    if _meters:
        _meters[-1].spent += units


@contextmanager
def separate_meter(most: float = math.inf) -> Iterator[Meter]:
    """Count the work of a block separately from the enclosing block, as in another process."""
    before, meter = _meters[:], Meter(most)
    _meters[:] = [meter]
    try:
        yield meter
    finally:
        _meters[:] = before


@contextmanager
def time_limit(deadline: float) -> Iterator[None]:
    """Set a ``deadline`` (``time.perf_counter``) for a block; uninterruptible calls read ``seconds_left``."""
    _deadlines.append(min(deadline, *_deadlines) if _deadlines else deadline)
    try:
        yield
    finally:
        _deadlines.pop()


def seconds_left() -> float:
    """Return the seconds until the deadline of the enclosing block, at least 0.1; infinity without a deadline."""
    return math.inf if not _deadlines or _deadlines[-1] == math.inf else max(0.1, _deadlines[-1] - time.perf_counter())


def charge_each(items: Iterable[T], units: float = ITEM_COST) -> Iterator[T]:
    """Yield the items of an enumeration and charge a fixed cost for each."""
    for item in items:
        spend(units)
        yield item


def require_work(work: object) -> int:
    """Raise ValueError unless the work is a positive integer."""
    if isinstance(work, bool) or not isinstance(work, int) or work < 1:
        raise ValueError(f"work must be a positive integer (units, default {DEFAULT_WORK}), got {work!r}")
    return work
