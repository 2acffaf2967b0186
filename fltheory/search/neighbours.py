"""Cases near a case: other numbers for a local search, or simpler ones for shrinking."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import is_dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

from fltheory.model.case import Case, HasClients, HasDimension, Instance, OnlyConstants, Shrinkable
from fltheory.model.dataclass_fields import field_values, replace_fields
from fltheory.number import Number, exact_text
from fltheory.work import spend

MOVE_COST = 0.1  # units of work to make a case from another
LABEL_NAMES = ("seed", "seeds", "stream")  # numbers that are labels: they have no size and no neighbours
COUNT_NAMES = ("repeat", "rounds", "counts_of")  # names of counts, besides those that begin with n_
Path = tuple[Any, ...]


def leaves(case: Case) -> dict[Path, Any]:
    """Return the exact numbers of a case by place: ("instance", field, i, j) or ("settings", name), without labels.

    The constants of an instance that has nothing else are treated as settings.
    """
    found: dict[Path, Any] = {}

    def walk(value: object, path: Path) -> None:
        if isinstance(value, bool):
            return
        if isinstance(value, int | Fraction):
            found[path] = value
        elif isinstance(value, tuple):
            for i, item in enumerate(value):
                walk(item, (*path, i))
        elif is_dataclass(value):
            for name, part in field_values(value).items():
                if name not in LABEL_NAMES:
                    walk(part, (*path, name))

    walk(case.instance, ("instance",))
    alone = {s.name: v for s, v in case.own.items()} if isinstance(case.instance, OnlyConstants) else {}
    for name, value in (alone | dict(case.settings)).items():
        walk(value, ("settings", name))
    return found


def with_leaves(case: Case, changes: dict[Path, Any]) -> Case | None:
    """Return the case with some numbers changed; None if no such instance exists."""
    spend(MOVE_COST)
    try:
        settings = dict(case.settings) | {p[1]: v for p, v in changes.items() if p[0] == "settings"}
        inside = {path[1:]: value for path, value in changes.items() if path[0] == "instance"}
        instance: Instance = _replace_items(case.instance, inside) if inside else case.instance
        made = Case(instance, **settings)
        _ = made.constants  # an objective without a minimiser fails here
        return made
    except (ValueError, ZeroDivisionError):
        return None


def _replace_items(value: Any, items: dict[Path, Any]) -> Any:
    if () in items:
        return items[()]
    below: dict[Any, dict[Path, Any]] = {}
    for path, new in items.items():
        below.setdefault(path[0], {})[path[1:]] = new
    if is_dataclass(value):
        own = field_values(value)
        return replace_fields(value, **{name: _replace_items(own[name], part) for name, part in below.items()})
    entries = list(value)
    for i, part in below.items():
        entries[i] = _replace_items(entries[i], part)
    return tuple(entries)


def random_neighbour(case: Case, size: float, random: Random) -> Case | None:
    """Return a random neighbour: numbers scaled (two oppositely, or a whole field or instance) or made equal."""
    numbers = leaves(case)
    if not numbers:
        return None
    paths = list(numbers)
    first = random.choice(paths)
    factor = math.exp(random.gauss(0.0, size))
    kind = random.random()
    changes: dict[Path, Any] = {first: _times(numbers[first], factor)}
    if kind < 0.3:
        second = random.choice(paths)
        changes[second] = _times(numbers[second], 1 / factor if random.random() < 0.7 else factor)
    elif kind < 0.5:
        changes = {p: _times(numbers[p], factor) for p in paths if p[:2] == first[:2]}
    elif kind < 0.6:
        alike = [p for p in paths if p[:2] == first[:2]]
        changes = {first: numbers[random.choice(alike)]}
    elif kind < 0.65:
        changes = {first: 0 if numbers[first] else 1}
    elif kind < 0.7:
        changes = {first: -numbers[first]}
    elif kind < 0.77:  # a change of units; counts have none
        inside = {p: v for p, v in numbers.items() if p[0] == "instance" and not is_count(p)}
        changes = {p: round_digits(float(v) * factor**2, 4) for p, v in inside.items()}
    return with_leaves(case, changes)


def is_count(path: Path) -> bool:
    """Return whether a number is a count, by its name."""
    names = [str(part) for part in path if isinstance(part, str)]
    return bool(names) and (names[-1].startswith("n_") or names[-1] in COUNT_NAMES)


def _times(value: Number, factor: float) -> Number:
    if isinstance(value, int) and value > 0 and abs(value) < 2**53 and factor == 1:
        return value
    moved = float(value) * factor
    if isinstance(value, int):
        nearest = round(moved)
        return nearest if nearest != value else value + (1 if factor > 1 else -1)
    return round_digits(moved, 4)


def round_digits(value: float | Fraction, digits: int) -> Fraction:
    """Return the number rounded to this many significant decimal digits."""
    if value == 0:
        return Fraction(0)
    return Fraction(f"{float(value):.{digits - 1}e}")


def shorten(value: Fraction, digits: int) -> Fraction:
    """Return the number rounded to significant decimal digits, even if it is too large or small for a float."""
    with localcontext(prec=digits):
        return Fraction(Decimal(value.numerator) / Decimal(value.denominator))


def complexity(case: Case) -> tuple[int, float]:
    """Return how long the numbers of a case are, and how far from 1."""
    numbers = leaves(case)
    size = sum(abs(math.log(abs(v))) for v in numbers.values() if v)
    return sum(len(str(exact_text(v))) + (v != 0) for v in numbers.values()), size


def simpler_cases(case: Case) -> Iterator[Case]:
    """Yield simpler cases, boldest first: fewer clients, fewer coordinates, then simpler numbers."""
    yield from _smaller_shapes(case)
    numbers = leaves(case)
    for path, value in numbers.items():
        options: list[Any] = [0, 1, -1]
        if isinstance(value, int):
            options += [value // 2, value - 1, value // 10 * 10, round(float(value), -len(str(abs(value))) + 1)]
        elif value:
            options += [Fraction(round(value)), round_digits(value, 1), round_digits(value, 2)]
            options.append(Fraction(1, max(1, round(1 / value))))
        for option in options:
            option = int(option) if isinstance(value, int) else option
            if option != value:
                made = with_leaves(case, {path: option})
                if made is not None:
                    yield made


def _smaller_shapes(case: Case) -> Iterator[Case]:
    """Yield cases with one client or coordinate less, if the instance consists of tables [client][coordinate]."""
    instance: Instance = case.instance
    tables = field_values(instance)
    if not tables:
        return
    for plainer in _smaller_instances(instance):
        with suppress(ValueError, TypeError, ZeroDivisionError, IndexError):
            made = Case(plainer, **dict(case.settings))
            _ = made.constants
            yield made
    n, d = _sizes(instance)
    for axis, length in (("client", n), ("coordinate", d)):
        for drop in range(length if length > 1 else 0):
            new = {name: _drop(value, axis, drop, n, d) for name, value in tables.items()}
            try:
                made = Case(replace_fields(instance, **new), **dict(case.settings))
                _ = made.constants
            except (ValueError, TypeError, ZeroDivisionError, IndexError):
                continue
            yield made


def _sizes(instance: Instance) -> tuple[int, int]:
    """Return the numbers of clients and coordinates; 0 if an instance has none."""
    n = instance.n_clients if isinstance(instance, HasClients) else 0
    return n, instance.dim if isinstance(instance, HasDimension) else 0


def _smaller_instances(instance: Instance) -> Iterator[Instance]:
    """Yield the smaller versions of an instance, or of a nested one, from its method ``smaller()``."""
    if isinstance(instance, Shrinkable):
        yield from instance.smaller()
        return
    for name, value in field_values(instance).items():
        if is_dataclass(value) and isinstance(value, Shrinkable):
            for plainer in value.smaller():
                with suppress(ValueError, TypeError):
                    yield replace_fields(instance, **{name: plainer})


def _drop(value: Any, axis: str, drop: int, n: int, d: int) -> Any:
    if not isinstance(value, tuple):
        return value
    table = bool(value) and isinstance(value[0], tuple)
    if axis == "client":
        return value[:drop] + value[drop + 1 :] if table and len(value) == n else value
    if table:
        return tuple(row[:drop] + row[drop + 1 :] if isinstance(row, tuple) and len(row) == d else row for row in value)
    return value[:drop] + value[drop + 1 :] if len(value) == d else value
