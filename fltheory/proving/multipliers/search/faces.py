"""Supports and faces: which multipliers are needed, and on which vectors every rest vanishes, as functions of the parameters."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from flint import fmpq, fmpq_mat

from fltheory.proving.multipliers.search.dual import (
    ANY,
    CHANCE,
    DOUBTFUL,
    INFEASIBLE,
    SINGULAR,
    Numbers,
    as_float,
    null_vectors,
    numbers_at,
    solve,
)
from fltheory.proving.multipliers.search.interpolation import interpolated
from fltheory.proving.multipliers.search.sampling import Point
from fltheory.proving.multipliers.system import System, equations
from fltheory.proving.multipliers.system.ratios import Family, Ratio, solutions

SEEN = ((1e-8, 1e-7), (1e-7, 1e-6), (1e-6, 1e-5), (1e-5, 1e-4), (1e-4, 1e-4))  # of a root, and of an entry
ROUNDS = 3
FEW, MORE = 5, 14  # points that decide on a support, and that confirm it

Vectors = tuple[tuple[fmpq, ...], ...]


@dataclass(frozen=True)
class Grid:
    """The points of the region, with the systems there as far as they were asked for."""

    system: System
    points: tuple[Point, ...]
    known: dict[Point, Numbers] = field(default_factory=dict, repr=False, compare=False)

    def numbers(self, point: Point) -> Numbers:
        """Return the system at a point, which is read once."""
        if point not in self.known:
            self.known[point] = numbers_at(self.system, point)
        return self.known[point]

    def defined(self, points: Iterable[Point]) -> list[Point]:
        """Return the points at which no coefficient has a pole."""
        found = list[Point]()
        for point in points:
            with suppress(ZeroDivisionError):
                self.numbers(point)
                found.append(point)
        return found

    def feasible(self, support: Sequence[int], point: Point, least: float = DOUBTFUL) -> bool:
        """Return whether multipliers on a support exist at a point, with at least so much room."""
        found = solve(self.numbers(point), support)
        return found is not None and found.room > least


def small_support(grid: Grid, points: Sequence[Point], order: Sequence[int]) -> tuple[int, ...]:
    """Return a support from which no candidate can be left out at all of the points, trying them in an order."""
    support = list(order)
    chosen = list(points[:FEW])
    for _ in range(3):
        for place in order:
            if place in support:
                rest = [k for k in support if k != place]
                if all(grid.feasible(rest, p) for p in chosen):
                    support = rest
        missed = [p for p in points[FEW:MORE] if not grid.feasible(support, p)]
        if not missed:
            return tuple(sorted(support))
        chosen, support = [missed[0], *chosen], list(order)
    return tuple(sorted(support))


def orders(grid: Grid, points: Sequence[Point]) -> Iterator[tuple[int, ...]]:
    """Yield orders in which candidates are left out: those with small multipliers first, then as they stand."""
    total = np.zeros(len(grid.system.candidates))
    for point in points[:FEW]:
        found = solve(grid.numbers(point), grid.system.all)
        if found is not None:
            total += np.abs(found.weights) / max(1e-9, np.abs(found.weights).max(initial=0.0))
    yield tuple(int(k) for k in np.argsort(total, kind="stable"))
    yield grid.system.all
    yield grid.system.all[::-1]


def null_at(grid: Grid, support: Sequence[int], point: Point) -> Vectors | None:
    """Return exact vectors on which every rest vanishes at a point, () if there is room; None if none are recognised."""
    numbers, null = grid.numbers(point), np.zeros((len(grid.system.vectors), 0))
    exact: Vectors = ()
    for _ in range(ROUNDS):
        found = solve(numbers, support, null=null if null.size else None)
        if found is None or found.room < INFEASIBLE:
            return None
        if found.room > SINGULAR:
            return exact
        for chance, (least, within) in itertools.product((CHANCE, ANY), SEEN):
            more = null_vectors(found.rest, least, within, chance)
            if more and len(more) > len(exact) and _consistent(grid.system, support, more, point):
                exact, null = more, np.array([[as_float(v) for v in row] for row in more]).T
                break
        else:
            return None
    return exact


def _consistent(system: System, support: Sequence[int], null: Vectors, point: Point) -> bool:
    """Return whether the exact equations at a point have a solution."""
    constant = system.field.number
    rows = equations(system, support, [[constant(v) for v in vector] for vector in null])
    if not rows:
        return True
    table = fmpq_mat([[c.at(point) for c in row] for row in rows])
    reduced, rank = table.rref()
    return all(any(reduced[i, j] != 0 for j in range(len(support))) for i in range(rank))


@dataclass(frozen=True)
class Face:
    """All multipliers on a support, as a family, and the vectors on which every rest vanishes."""

    support: tuple[int, ...]
    family: Family
    null: tuple[tuple[Ratio, ...], ...]


def symbolic_face(grid: Grid, support: Sequence[int], points: Sequence[Point]) -> Face | str:
    """Return all multipliers on a support with which the rest vanishes where it must, or why they are not found."""
    found = dict[Point, Vectors]()
    for point in points[:3]:
        null = null_at(grid, support, point)
        if null is not None:
            found[point] = null
    if not found:
        return "the vectors on which the rest vanishes are no small rationals"
    shapes = [_shape(v) for v in found.values()]
    shape = max(shapes, key=shapes.count)
    vectors = _interpolated_vectors(grid, support, points, shape, found)
    if vectors is None:
        return "the vectors on which the rest vanishes are no rational functions of low degree"
    family = solutions(grid.system.field, equations(grid.system, support, vectors), len(support))
    if family is None:
        return "the exact equations have no solution"
    return Face(tuple(support), family, tuple(map(tuple, vectors)))


def _shape(vectors: Vectors) -> tuple[int, ...]:
    """Return the places of the leading ones."""
    return tuple(next(i for i, v in enumerate(row) if v != 0) for row in vectors)


def _interpolated_vectors(
    grid: Grid, support: Sequence[int], points: Sequence[Point], shape: tuple[int, ...], found: dict[Point, Vectors]
) -> list[list[Ratio]] | None:
    todo = [p for p in points if p not in found]

    def values(row: int, column: int, count: int) -> list[tuple[Point, fmpq]]:
        while todo and sum(_shape(v) == shape for v in found.values()) < count:
            point = todo.pop(0)
            null = null_at(grid, support, point)
            if null is not None:
                found[point] = null
        return [(p, v[row][column]) for p, v in found.items() if _shape(v) == shape]

    vectors = list[list[Ratio]]()
    for row in range(len(shape)):
        own = list[Ratio]()
        for column in range(len(grid.system.vectors)):
            entry = interpolated(grid.system.field, lambda n, r=row, c=column: values(r, c, n))  # type: ignore[misc]
            if entry is None:
                return None
            own.append(entry)
        vectors.append(own)
    return vectors
