"""Variations of a good case: longer runs, or other arrangements of its clients and coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

from fltheory.model.case import Case, HasClients
from fltheory.model.dataclass_fields import field_values, replace_fields
from fltheory.search.neighbours import Path, is_count, leaves, round_digits, shorten, with_leaves
from fltheory.search.starts import patterns
from fltheory.work import spend

MAX_COUNT = 2**21  # largest count
EXTREME_PROBABILITY, EXTREME_PARTS = (0.35, 16)  # that a row becomes more extreme; parts of its logarithms
MAX_LOG_FACTOR = 600.0  # largest logarithm of a factor
MAX_NUMBERS = 300  # numbers in an enlarged case
ROUNDS_PER_UNIT = 500  # rounds of an instance whose constants are summed, per unit of work
ROUND_NAMES = ("n_rounds", "repeat", "rounds")
STEP_PROBABILITY, POWER_PROBABILITY, ROW_POWER_PROBABILITY = (
    0.25,
    0.4,
    0.75,
)  # probabilities that a count grows by one only; that a number is raised to a power; that it follows a row
MIN_EXTREME_LOG = 0.1  # logarithm below which a number is not extreme
SPLIT_OFFSETS = (Fraction(1, 2), Fraction(1), Fraction(2))  # offsets of the halves of a split client from their mean
POWERS = (-1.0, -0.5, 0.5, 1.0)  # exponents of the lengthening factor for another number


def longer_case(case: Case, random: Random) -> Case | None:
    """Return the case with a count (the rounds first) multiplied, and other numbers scaled by a power of that.

    A worst case over R rounds usually extends to more rounds if its scales follow: a continuation in R, K or M.
    """
    numbers = leaves(case)
    counts = [p for p, v in numbers.items() if isinstance(v, int) and v > 0 and is_count(p)]
    if not counts:
        return None
    rounds = [p for p in counts if p[-1] in ROUND_NAMES]
    at = random.choice(rounds if rounds and random.random() < 0.7 else counts)
    old = int(numbers[at])
    new = old + 1 if random.random() < STEP_PROBABILITY else old * random.choice((2, 2, 3, 4, 10))
    if new > MAX_COUNT:
        return None
    changes: dict[Path, Any] = {at: new}
    others = [p for p, v in numbers.items() if v and abs(log_size(v)) < MAX_LOG_FACTOR and not is_count(p)]
    for path in random.sample(others, min(len(others), random.choice((0, 1, 1, 2)))):
        changes[path] = _scale_along(float(numbers[path]), new / old, random)
    return with_leaves(case, changes)


def lengthenings(case: Case, by: int) -> Iterator[Iterator[Case]]:
    """Return the ways to multiply the rounds: rows repeat more often, or each lasts longer.

    Each way comes alone, or with another setting divided by the factor or its root.
    """
    numbers = leaves(case)
    rounds = [p for p, v in numbers.items() if p[-1] in ROUND_NAMES and isinstance(v, int)]
    lengths = [p for p in numbers if p[1] in patterns.length_fields(field_values(case.instance))]
    for places in [rounds[:1], lengths] if len(lengths) > 1 else [rounds[:1]]:
        if places and all(0 < numbers[p] * by <= MAX_COUNT for p in places):
            yield _lengthened_variants(case, {p: int(numbers[p]) * by for p in places}, by)


def _lengthened_variants(case: Case, more: dict[Path, Any], by: int) -> Iterator[Case]:
    numbers = leaves(case)
    others = [p for p, v in numbers.items() if p[0] == "settings" and v and not is_count(p)]
    less = [{p: Fraction(numbers[p]) / part} for p in others for part in (by, math.isqrt(by))]
    for changes in ({}, *less):
        for path, count in more.items():
            if path[0] == "instance":  # its constants are sums over its rounds
                spend(count / ROUNDS_PER_UNIT)
        longer = with_leaves(case, {**more, **changes})
        if longer is not None:
            yield longer


def shortened_case(case: Case, by: int) -> Case | None:
    """Return the case with fewer rounds by this factor, at least one; None if it can't have them."""
    numbers = leaves(case)
    rounds = [p for p, v in numbers.items() if p[-1] in ROUND_NAMES and isinstance(v, int) and v > 1]
    return with_leaves(case, {rounds[0]: max(1, int(numbers[rounds[0]]) // by)}) if rounds else None


def case_shape(case: Case) -> tuple[int, ...]:
    """Return the invariants of a continuation: the number of entries, and the sizes 0, 1 or more of other counts."""
    numbers = leaves(case)
    counts = sorted(
        (repr(p), v) for p, v in numbers.items() if isinstance(v, int) and is_count(p) and p[-1] not in ROUND_NAMES
    )
    return len(numbers), *(min(int(v), 2) for _, v in counts)


@dataclass(frozen=True)
class Continuation:
    """A part of a case that grows by ``stride``, and a ``number`` that follows, with its log ``rate`` per step so far.

    A count grows by one per step; numbers of a ``row`` become more extreme, by 1/SIXTEENTHS of their logarithms.
    """

    row: tuple[Path, ...]
    number: Path
    stride: int
    rate: float | None = None

    @property
    def log_gain(self) -> float:
        """Return the expected change of the number's logarithm."""
        return 0.0 if self.rate is None else self.rate * self.stride

    def followed(self, shift: float) -> Continuation:
        """Return the continuation after a success: twice the stride."""
        return replace(self, stride=2 * self.stride, rate=shift / self.stride)

    def after_failure(self) -> Continuation | None:
        """Return the continuation after a failure: a quarter of the stride; None after the shortest."""
        return None if self.stride == 1 else replace(self, stride=max(1, self.stride // 4))


def first_continuation(case: Case, random: Random) -> Continuation | None:
    """Return a first continuation: a count (the rounds, if any) or a row, a stride, and the number that follows."""
    numbers = leaves(case)
    counts = [p for p, v in numbers.items() if isinstance(v, int) and v > 0 and is_count(p)]
    others = [p for p, v in numbers.items() if v and not is_count(p)]
    if not counts or not others:
        return None
    # a number far from 1 is a product over rounds
    (path,) = random.choices(others, [1 + abs(log_size(numbers[p])) for p in others])
    rows = sorted(
        {p[:-1] for p in others if len(p) > 2 and p != path and abs(log_size(numbers[p])) > MIN_EXTREME_LOG}, key=repr
    )
    often = POWER_PROBABILITY
    if rows and random.random() < EXTREME_PROBABILITY:
        row = random.choice(rows)
        leaders = tuple(p for p in others if p[:-1] == row and p != path)
        stride, whole, often = random.choice((1, 4, 16)), EXTREME_PARTS, ROW_POWER_PROBABILITY
    else:
        leaders = (random.choice([p for p in counts if p[-1] in ROUND_NAMES] or counts),)
        whole = int(numbers[leaders[0]])
        stride = random.choice((1, 1 + whole // 4, whole, 3 * whole))
    raised = random.random() < often and abs(log_size(numbers[path])) * (1 + stride / whole) < MAX_LOG_FACTOR
    return Continuation(leaders, path, stride, log_size(numbers[path]) / whole if raised else None)


def continued_case(case: Case, stretch: Continuation, by: float) -> Case | None:
    """Return the case after one continuation step, the other number times e^by, to six digits."""
    numbers = leaves(case)
    changes: dict[Path, Any] = {}
    for path in stretch.row:
        value = numbers[path]
        if is_count(path):
            changes[path] = int(value) + stretch.stride
            if changes[path] > MAX_COUNT:
                return None
        else:
            farther = abs(log_size(value)) * (1 + stretch.stride / EXTREME_PARTS)
            if farther > MAX_LOG_FACTOR or not value:
                return None
            grown = round_digits(math.exp(math.copysign(farther, log_size(value))), 6)
            changes[path] = grown if value > 0 else -grown
    if abs(by) > MAX_LOG_FACTOR:
        return None
    changes[stretch.number] = shorten(Fraction(numbers[stretch.number]) * Fraction(math.exp(by)), 6)
    return with_leaves(case, changes)


def log_size(value: Any) -> float:
    """Return the logarithm of the size of a nonzero number, even if it is too large or small for a float."""
    value = abs(Fraction(value))
    return math.log(value.numerator) - math.log(value.denominator) if value else 0.0


def _scale_along(value: float, factor: float, random: Random) -> Fraction:
    """Scale a number along with a count: by a power of the factor, or raised to it, like a product over rounds."""
    if random.random() < POWER_PROBABILITY and abs(math.log(abs(value))) * factor < MAX_LOG_FACTOR:
        return round_digits(math.copysign(abs(value) ** factor, value), 4)
    return round_digits(value * factor ** random.choice(POWERS), 4)


def rearranged_case(case: Case, random: Random) -> Case | None:
    """Return the case with a client copied, dropped, split or merged, a row with other signs or time scale;

    or in other units, with rows in turns of few rounds, or in phases.
    """
    kind = random.choice(("twice", "less", "split", "merged", "signs", "scale", "units", "period", "phases"))
    if kind in ("period", "phases"):
        return patterns.repattern(case, random, kind)
    if kind == "units":
        factor = random.choice((Fraction(1, 100), Fraction(1, 10), Fraction(10), Fraction(100)))
        inside = {p: v * factor for p, v in leaves(case).items() if p[0] == "instance" and not is_count(p)}
        return with_leaves(case, inside) if inside else None
    if kind not in ("signs", "scale"):
        return _change_clients(case, random, kind)
    numbers = leaves(case)
    rows = sorted({p[:-1] for p in numbers if p[0] == "instance" and len(p) > 2}, key=repr)
    if not rows:
        return None
    row = random.choice(rows)
    factor = Fraction(-1) if kind == "signs" else random.choice((Fraction(1, 10), Fraction(10)))
    return with_leaves(case, {p: v * factor for p, v in numbers.items() if p[:-1] == row})


def _change_clients(case: Case, random: Random, kind: str) -> Case | None:
    """Add or remove a client in every table with a row for each."""
    instance = case.instance
    n = instance.n_clients if isinstance(instance, HasClients) else 0
    tables = {
        name: value for name, value in field_values(instance).items() if isinstance(value, tuple) and len(value) == n
    }
    grows = kind in ("twice", "split")
    if not tables or n < (1 if grows else 2) or (grows and len(leaves(case)) * (n + 1) > MAX_NUMBERS * n):
        return None
    k = random.randrange(n)
    other = (k + random.randrange(1, n)) % n if n > 1 else k
    apart = random.choice(SPLIT_OFFSETS)
    changed = {name: _change_rows(value, k, other, kind, apart) for name, value in tables.items()}
    rows = {name: value for name, value in changed.items() if isinstance(tables[name][0], tuple)}
    for one in (changed, rows) if 0 < len(rows) < len(changed) else (changed,):  # may be a coincidence
        with suppress(ValueError, TypeError, ZeroDivisionError, IndexError):
            made = Case(replace_fields(instance, **one), **dict(case.settings))
            _ = made.constants
            return made
    return None


def _change_rows(rows: tuple[Any, ...], k: int, other: int, kind: str, apart: Fraction) -> tuple[Any, ...]:
    """Return the rows with that of client k copied, dropped, split with the same mean, or merged."""
    if kind == "less":
        return (*rows[:k], *rows[k + 1 :])
    if kind == "merged":
        mean = _linear_combination(rows[k], rows[other], Fraction(1, 2), Fraction(1, 2))
        return tuple(mean if i == k else row for i, row in enumerate(rows) if i != other)
    by = apart if kind == "split" else Fraction(0)
    pair = (
        _linear_combination(rows[k], rows[k], 1 + by, Fraction(0)),
        _linear_combination(rows[k], rows[k], 1 - by, Fraction(0)),
    )
    return (*rows[:k], *pair, *rows[k + 1 :])


def _linear_combination(one: Any, other: Any, a: Fraction, b: Fraction) -> Any:
    """Return a x + b y of two numbers, or of two rows of them; other values stay."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return tuple(_linear_combination(x, y, a, b) for x, y in zip(one, other, strict=True))
    if isinstance(one, bool) or not isinstance(one, int | Fraction) or not isinstance(other, int | Fraction):
        return one
    value = a * one + b * other
    return int(value) if value.denominator == 1 else value
