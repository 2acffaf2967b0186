"""Matroids on items 0..n-1: independent sets, ranks, and bases of largest weight with a fixed rule for ties."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Protocol

import numpy as np

from fltheory.model.schema import AsTable, AsVector, Data, indices, read_table, read_vector
from fltheory.work import charge_each

TIE = 1e-12  # floats that differ by less, relative to the largest, are equal weights
MAX_LISTED_SETS = 200_000  # the largest number of bases or independent sets that are listed

Items = frozenset[int]


class Matroid(Protocol):
    """A matroid: its independent sets and its rank."""

    @property
    def n_items(self) -> int:
        """The size of the ground set."""

    @property
    def rank(self) -> int:
        """The size of every base."""

    def independent(self, items: Items) -> bool:
        """Return whether the set is independent."""


def independent_sets(matroid: Matroid, size: int | None = None) -> Iterator[Items]:
    """Yield the independent sets (of this ``size``), small ones first; ValueError for too many candidates."""
    n, rank = matroid.n_items, matroid.rank
    sizes = range(rank + 1) if size is None else (size,)
    if sum(math.comb(n, k) for k in sizes) > MAX_LISTED_SETS:
        raise ValueError(f"more than {MAX_LISTED_SETS} candidate sets of {n} items: too many to list")
    for k in sizes:
        yield from filter(matroid.independent, charge_each(map(frozenset, combinations(range(n), k))))


def bases(matroid: Matroid) -> Iterator[Items]:
    """Yield every base."""
    return independent_sets(matroid, matroid.rank)


def n_independent(matroid: Matroid) -> int:
    """Return the number of independent sets, the empty one included."""
    if isinstance(matroid, Uniform):
        return sum(math.comb(matroid.n_items, k) for k in range(matroid.rank + 1))
    return sum(1 for _ in independent_sets(matroid))


def basis_of(matroid: Matroid, items: Items) -> Items:
    """Return a largest independent subset, found greedily."""
    chosen: Items = frozenset()
    for item in sorted(items):
        if matroid.independent(chosen | {item}):
            chosen |= {item}
    return chosen


def rank_of(matroid: Matroid, items: Items) -> int:
    """Return the size of the largest independent subsets."""
    return len(basis_of(matroid, items))


def in_polytope(matroid: Matroid, x: np.ndarray) -> bool:
    """Return whether x >= 0 and x(S) <= rank(S) for all S (P5), by enumeration of all S; exact for exact x."""
    n = matroid.n_items
    if n > 16:
        raise ValueError(f"{n} items: too many, as all subsets of at most 16 are listed")
    if any(v < 0 for v in x):
        return False
    subsets = (frozenset(s) for k in range(1, n + 1) for s in charge_each(combinations(range(n), k)))
    return all(sum(x[e] for e in s) <= rank_of(matroid, s) for s in subsets)


def _by_weight(row: np.ndarray, place: np.ndarray) -> list[int]:
    return sorted(range(len(row)), key=lambda e: (-row[e], place[e]))


def ranking(weights: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """Rank items by decreasing weight, equal weights by ``order``; (rows, n). Floats within ``TIE`` count as equal."""
    place = np.empty(len(order), dtype=np.int64)
    place[list(order)] = np.arange(len(order))
    if weights.dtype == object:
        ranked = [_by_weight(row, place) for row in weights]
        return np.array(ranked, dtype=np.int64).reshape(weights.shape)
    falling = np.argsort(-weights, axis=1, kind="stable")
    values = np.take_along_axis(weights, falling, axis=1)
    apart = TIE * np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    level = np.zeros(values.shape, dtype=np.int64)
    level[:, 1:] = np.cumsum(values[:, :-1] - values[:, 1:] > apart, axis=1)
    again = np.lexsort((place[falling], level), axis=1)
    return np.take_along_axis(falling, again, axis=1)


def best_bases(matroid: Matroid, weights: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """Return a base of largest weight for each row as a 0/1 integer vector, (rows, n): greedy, ties by ``order``."""
    ranked = ranking(weights, order)
    if isinstance(matroid, Uniform | Partition):
        taken = matroid.greedily(ranked)
    else:
        taken = np.zeros(ranked.shape, dtype=bool)
        for i, row in enumerate(ranked):
            chosen: Items = frozenset()
            for item in row.tolist():
                if matroid.independent(chosen | {item}):
                    chosen |= {item}
            taken[i, list(chosen)] = True
    return taken.astype(np.int64)


@dataclass(frozen=True, repr=False)
class Uniform(Data):
    """All sets of at most ``rank`` of the items."""

    n_items: int
    rank: int

    def __post_init__(self) -> None:
        self._count("n_items")
        self._count("rank")
        if self.rank > self.n_items:
            raise ValueError(f"rank = {self.rank}: more than the {self.n_items} items")

    def independent(self, items: Items) -> bool:
        return len(items) <= self.rank

    def greedily(self, ranked: np.ndarray) -> np.ndarray:
        """Mark the first items of each ranking, which form a base."""
        taken = np.zeros(ranked.shape, dtype=bool)
        np.put_along_axis(taken, ranked[:, : self.rank], True, axis=1)
        return taken


@dataclass(frozen=True, repr=False)
class Partition(Data):
    """Sets with at most ``capacities[k]`` items of ``parts[k]``; the parts are disjoint and cover the items."""

    parts: AsTable
    capacities: AsVector

    def __post_init__(self) -> None:
        parts = read_table(self.parts)
        self._set(parts=parts, capacities=read_vector(self.capacities))
        self._require_same_length("parts", "capacities")
        n = sum(len(p) for p in parts)
        indices([e for p in parts for e in p], n)
        self._set(parts=tuple(tuple(sorted(p)) for p in parts))
        for part, capacity in zip(self.parts, self.capacities, strict=True):
            if not isinstance(capacity, int) or not 1 <= capacity <= len(part):
                raise ValueError(f"capacity {capacity} of the part {part}: expected 1 to {len(part)}")

    @property
    def n_items(self) -> int:
        return sum(len(p) for p in self.parts)

    @property
    def rank(self) -> int:
        return sum(self.capacities)

    @cached_property
    def part_of(self) -> tuple[int, ...]:
        """The number of each item's part."""
        found = {e: k for k, part in enumerate(self.parts) for e in part}
        return tuple(found[e] for e in range(self.n_items))

    def independent(self, items: Items) -> bool:
        counts = [0] * len(self.parts)
        for item in items:
            counts[self.part_of[item]] += 1
        return all(c <= most for c, most in zip(counts, self.capacities, strict=True))

    def greedily(self, ranked: np.ndarray) -> np.ndarray:
        """Mark the items of each ranking that the greedy algorithm takes."""
        part = np.array(self.part_of)[ranked]
        taken = np.zeros(ranked.shape, dtype=bool)
        for k, capacity in enumerate(self.capacities):
            own = part == k
            first = own & (np.cumsum(own, axis=1) <= capacity)
            row, place = np.nonzero(first)
            taken[row, ranked[row, place]] = True
        return taken


@dataclass(frozen=True, repr=False)
class Graphic(Data):
    """Sets of edges without a cycle: item e joins the two vertices ``edges[e]``."""

    edges: AsTable

    def __post_init__(self) -> None:
        self._set(edges=read_table(self.edges))
        for edge in self.edges:
            if len(edge) != 2 or any(not isinstance(v, int) or v < 0 for v in edge) or edge[0] == edge[1]:
                raise ValueError(f"edge {edge}: expected two different vertices 0, 1, ...")

    @property
    def n_items(self) -> int:
        return len(self.edges)

    @cached_property
    def rank(self) -> int:
        return rank_of(self, frozenset(range(self.n_items)))

    def independent(self, items: Items) -> bool:
        root: dict[int, int] = {}

        def find(v: int) -> int:
            while root.get(v, v) != v:
                v = root[v]
            return v

        for item in items:
            one, two = (find(v) for v in self.edges[item])
            if one == two:
                return False
            root[one] = two
        return True


@dataclass(frozen=True, repr=False)
class ByBases(Data):
    """The matroid with these bases; ValueError if they break the exchange property."""

    n_items: int
    base_sets: AsTable

    def __post_init__(self) -> None:
        self._count("n_items")
        self._set(base_sets=tuple(sorted({indices(b, self.n_items, "base") for b in read_table(self.base_sets)})))
        sets = self._sets
        if len({len(b) for b in sets}) != 1:
            raise ValueError("expected bases of the same size")
        for one in sets:
            for two in sets:
                for i in one - two:
                    if not any((one - {i}) | {j} in sets for j in two - one):
                        raise ValueError(
                            f"bases {sorted(one)} and {sorted(two)}: {i} can't be exchanged, so it is no matroid"
                        )

    @cached_property
    def _sets(self) -> set[Items]:
        return {frozenset(b) for b in self.base_sets}

    @property
    def rank(self) -> int:
        return len(self.base_sets[0])

    def independent(self, items: Items) -> bool:
        return any(items <= b for b in self._sets)
