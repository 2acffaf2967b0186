"""Rational functions through exact values: the one of lowest degree, checked at further points."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from flint import fmpq, fmpq_mat

from fltheory.proving.multipliers.search.sampling import Point
from fltheory.proving.multipliers.system.ratios import Field, Ratio, ratio
from fltheory.work import spend

FURTHER = 3  # points at which a function must agree that were not needed to find it
MOST_TERMS = 90
WINDOWS, RIGHT = 6, 0.75  # parts of the values that are tried, and the share of them that must be right
DEGREES = (0, 1, 2, 3, 4, 5, 6)

Values = Callable[[int], Sequence[tuple[Point, fmpq]]]  # at least so many points, as far as there are


def interpolated(field: Field, values: Values) -> Ratio | None:
    """Return the rational function of lowest degree with these values, or None if it has a high degree."""
    letters = len(field.names)
    if not letters:
        known = values(1)
        return field.number(known[0][1]) if known else None
    for degree in DEGREES:
        powers = _monomials(letters, degree)
        if 2 * len(powers) > MOST_TERMS:
            return None
        known = values(2 * len(powers) + FURTHER - 1)
        if len(known) < 2 * len(powers) + FURTHER - 1:
            return None
        found = _through(field, powers, known)
        if found is not None:
            return found
    return None


def _monomials(letters: int, degree: int) -> list[tuple[int, ...]]:
    return [p for p in itertools.product(range(degree + 1), repeat=letters) if sum(p) <= degree]


def _through(field: Field, powers: Sequence[tuple[int, ...]], known: Sequence[tuple[Point, fmpq]]) -> Ratio | None:
    """Return top / bottom with these monomials and nearly all of the values, or None.

    A value may be wrong, as a solver's float was taken for another rational; so parts of them are tried in turn.
    """
    size = 2 * len(powers)
    for start in range(0, min(WINDOWS, len(known))):
        part = [*known[start:], *known[:start]][:size]
        for found in _through_all(field, powers, part):
            hits = sum(found.bottom(*p) != 0 and found.top(*p) == v * found.bottom(*p) for p, v in known)
            if hits >= max(size + FURTHER - 2, RIGHT * len(known)):
                return found
    return None


def _through_all(
    field: Field, powers: Sequence[tuple[int, ...]], known: Sequence[tuple[Point, fmpq]]
) -> Iterator[Ratio]:
    """Yield candidates through all of some values."""
    spend(len(known) * len(powers) ** 2 / 3_000)
    rows = []
    for point, value in known:
        own = [power_at(point, p) for p in powers]
        rows.append([*own, *(-value * m for m in own)])
    reduced, rank = fmpq_mat(rows).rref()
    width = 2 * len(powers)
    leads = [next(j for j in range(width) if reduced[i, j] != 0) for i in range(rank)]
    for f in (j for j in range(width) if j not in leads):
        vector = [fmpq(0)] * width
        vector[f] = fmpq(1)
        for i, lead in enumerate(leads):
            vector[lead] = -reduced[i, f]
        top, bottom = (
            field.ring.from_dict({p: c for p, c in zip(powers, half, strict=True) if c != 0})
            for half in (vector[: len(powers)], vector[len(powers) :])
        )
        if bottom != 0:
            yield ratio(top, bottom)


def power_at(point: Point, powers: Sequence[int]) -> fmpq:
    """Return a monomial at a point."""
    value = fmpq(1)
    for x, p in zip(point, powers, strict=True):
        value *= x**p
    return value
