"""Rows of losses or responses in turns or in phases: the games on which learners are known to lose.

A table of rows is a field of an instance with ``repeat``, and usually another field with the rounds of each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from fltheory.model.case import Case
from fltheory.model.dataclass_fields import field_values, replace_fields
from fltheory.number import Number
from fltheory.search.neighbours import MOVE_COST, is_count
from fltheory.work import spend

Row = tuple[Number, ...]
MAX_NUMBERS = 300  # numbers in a table without lengths
TURN_LENGTHS, SHUFFLE_PROBABILITY = (
    (1, 1, 2, 3),
    0.5,
)  # rounds of a row in its turn, or shares of a phase; number of permutations of clients
PHASE_SHARES = ((1, 1), (1, 3), (3, 1))  # lengths of two phases
COMMON_LEVEL = Fraction(1, 4)  # parts of the range: frequent values, with rare large ones


@dataclass(frozen=True)
class RowTable:
    """The rows of a case, field ``name``, with their ``lengths`` in rounds (None: one), all ``repeat`` times."""

    case: Case
    name: str
    rows: tuple[Row, ...]
    lengths: str | None
    times: tuple[int, ...]
    repeat: int

    @property
    def n_rounds(self) -> int:
        """Return the total number of rounds."""
        return self.repeat * sum(self.times)

    def with_rows(self, rows: tuple[Row, ...], times: tuple[int, ...], repeat: int) -> Case | None:
        """Return the case with other rows; None if no such instance exists."""
        spend(MOVE_COST)
        changed: dict[str, Any] = {self.name: rows, "repeat": repeat}
        if self.lengths is not None:
            changed[self.lengths] = times
        elif sum(times) * len(rows[0]) <= MAX_NUMBERS:
            changed[self.name] = tuple(row for row, n in zip(rows, times, strict=True) for _ in range(n))
        else:
            return None
        with suppress(ValueError, TypeError, ZeroDivisionError, IndexError):
            made = Case(replace_fields(self.case.instance, **changed), **dict(self.case.settings))
            _ = made.constants
            return made
        return None

    def repeat_rows(self, rows: tuple[Row, ...], times: tuple[int, ...], n_rounds: int) -> Case | None:
        """Repeat the rows, for about this many rounds in total."""
        return self.with_rows(rows, times, max(1, n_rounds // sum(times)))

    def phase_rows(self, rows: tuple[Row, ...], shares: tuple[int, ...], n_rounds: int) -> Case | None:
        """Play the rows one after the other, in these shares of about this many rounds."""
        times = tuple(share * max(1, n_rounds // sum(shares)) for share in shares)
        return self.with_rows(rows, times, 1) if self.lengths is not None else self.repeat_rows(rows, shares, n_rounds)


def table_of(case: Case) -> RowTable | None:
    """Return the case's only table of rows with a repetition, if any."""
    own = field_values(case.instance)
    repeat, lengths = own.get("repeat"), length_fields(own)
    names = [name for name, v in own.items() if name not in lengths and isinstance(v, tuple) and v and _is_table(v)]
    if isinstance(repeat, bool) or not isinstance(repeat, int) or len(names) != 1 or len(lengths) > 1:
        return None
    rows = own[names[0]]
    times = own[lengths[0]] if lengths else (1,) * len(rows)
    if len(times) != len(rows):
        return None
    return RowTable(case, names[0], rows, lengths[0] if lengths else None, times, repeat)


def length_fields(own: Mapping[str, Any]) -> list[str]:
    """Return the fields with the rounds of each row."""
    return [k for k, v in own.items() if is_count((k,)) and isinstance(v, tuple) and all(isinstance(n, int) for n in v)]


def _is_table(value: tuple[Any, ...]) -> bool:
    return all(isinstance(row, tuple) and row and len(row) == len(value[0]) for row in value)


def repattern(case: Case, random: Random, kind: str) -> Case | None:
    """Return some rows of a case, perhaps with permuted clients, in turns (``period``) or ``phases``; same length."""
    table = table_of(case)
    if table is None:
        return None
    times = tuple(random.choice(TURN_LENGTHS) for _ in range(random.choice((2, 2, 3))))
    rows = tuple(_row_of(table.rows, random) for _ in times)
    return (table.phase_rows if kind == "phases" else table.repeat_rows)(rows, times, table.n_rounds)


def _row_of(rows: tuple[Row, ...], random: Random) -> Row:
    row = random.choice(rows)
    return tuple(random.sample(row, len(row))) if random.random() < SHUFFLE_PROBABILITY else row


def pattern_cases(case: Case, n_rounds: int) -> Iterator[Case]:
    """Return the case with rows of lows and highs: in turns, in phases, or rare large ones among small ones."""
    table = table_of(case)
    if table is None or len(table.rows[0]) < 2:
        return
    low, high = _range(table)
    if low == high:
        return
    n = len(table.rows[0])

    def row(client: int, one: Number, others: Number) -> Row:
        return tuple(one if i == client else others for i in range(n))

    small = low + (high - low) * COMMON_LEVEL
    for i, j in ((0, 1), (1, 0)):
        a, b = row(i, high, low), row(j, high, low)
        made = [table.repeat_rows((a, b), times, n_rounds) for times in ((1, 1), (1, 2))]
        made += [table.phase_rows((a, b), shares, n_rounds) for shares in PHASE_SHARES]
        made += [table.repeat_rows((a, row(j, small, low)), (1, often), n_rounds) for often in (2, 3)]
        made += [table.phase_rows((row(j, small, low), a), (1, 1), n_rounds)]
        if n > 2 and i == 0:  # all of them in turns, and all but one of them
            for one, others in ((high, low), (low, high)):
                rows = tuple(row((i + k) % n, one, others) for k in range(n))
                made += [table.repeat_rows(rows, (1,) * n, n_rounds)]
        yield from (one for one in made if one is not None)


def _range(table: RowTable) -> tuple[Number, Number]:
    """Return the range of a row's numbers, from the instance or from the row itself."""
    own = field_values(table.case.instance)
    numbers = [v for row in table.rows for v in row]
    low, high = own.get("low", min(numbers)), own.get("high", max(numbers))
    return low, high
