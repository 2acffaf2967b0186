"""The polytope of a matroid: which of its inequalities a point breaks, told in words.

x lies in it where x >= 0 and x(F) <= rank(F) for every flat F (Edmonds 1970): a set has the rank of its closure, and
where x >= 0 no less of x.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fltheory.number import Number
from fltheory.problems.sets.matroids import Items, Matroid, Partition, Uniform, basis_of, rank_of
from fltheory.runs.method import NotEnumerable

ROUNDING = 1e-9  # by which a point in floats may leave the polytope; one in rationals may not
FLATS = 4096  # that are listed at most
MAX_SHOWN_TERMS = 6  # terms of a sum that are written out at most


class RankInequality(NamedTuple):
    """x(items) <= rank."""

    items: tuple[int, ...]
    rank: int


def rank_inequalities(matroid: Matroid) -> tuple[RankInequality, ...]:
    """Inequalities that with x >= 0 describe the polytope, small sets first; NotEnumerable where they are too many."""
    return _cached_inequalities(matroid) if isinstance(matroid, Hashable) else _rank_inequalities(matroid)


def _rank_inequalities(matroid: Matroid) -> tuple[RankInequality, ...]:
    n = matroid.n_items
    alone = [RankInequality((e,), 1) for e in range(n)]
    if isinstance(matroid, Uniform):
        return (*alone, RankInequality(tuple(range(n)), matroid.rank))
    if isinstance(matroid, Partition):
        return (*alone, *(RankInequality(p, k) for p, k in zip(matroid.parts, matroid.capacities, strict=True)))
    every = frozenset(range(n))
    found = {_closure(matroid, frozenset(), every)}
    new = set(found)
    while new:
        before, new = new, set()
        for flat in before:
            new |= {_closure(matroid, flat | {e}, every) for e in every - flat} - found
            if len(found) + len(new) > FLATS:
                raise NotEnumerable(f"the polytope of {matroid!r} has more than {FLATS} faces to look at")
        found |= new
    ordered = sorted((len(f), tuple(sorted(f))) for f in found if f)
    return tuple(RankInequality(items, rank_of(matroid, frozenset(items))) for _, items in ordered)


_cached_inequalities = lru_cache(maxsize=64)(_rank_inequalities)


def _closure(matroid: Matroid, items: Items, every: Items) -> Items:
    basis = basis_of(matroid, items)
    return items | {e for e in every - items if not matroid.independent(basis | {e})}


def polytope_violation(matroid: Matroid, x: np.ndarray, scale: Number = 1) -> str | None:
    """How some row of x (rows, n) leaves ``scale`` times the polytope, or None."""
    slack: Number = 0 if x.dtype == object else ROUNDING * (1 + float(scale))
    row, item = _first(x < -slack)
    if row is not None:
        return f"x({item}) = {format_number(x[row, item])} < 0"
    faces = rank_inequalities(matroid)
    alone = [face for face in faces if len(face.items) == 1]
    tops = np.array([rank * scale + slack for _, rank in alone], dtype=x.dtype)
    if not (x[:, [item for (item,), _ in alone]] > tops).any():  # most of them, looked at side by side
        faces = tuple(face for face in faces if len(face.items) > 1)
    for items, rank in faces:
        total = x[:, list(items)].sum(axis=1)
        broken, _ = _first((total > rank * scale + slack * len(items))[:, None])
        if broken is not None:
            terms = [f"x({e})" for e in items]
            left = " + ".join(terms if len(terms) <= MAX_SHOWN_TERMS else [*terms[:2], "...", terms[-1]])
            limit = f"rank {rank}" if scale == 1 else f"rank {rank} times {format_number(scale)}"
            return f"{left} = {format_number(total[broken])} > {limit}"
    return None


def independence_violation(matroid: Matroid, x: np.ndarray) -> str | None:
    """How some row of x (rows, n) is no indicator of an independent set, or None."""
    row, item = _first((x != 0) & (x != 1))
    if row is not None:
        return f"x({item}) = {format_number(x[row, item])} is neither 0 nor 1"
    for chosen in np.unique((x != 0).astype(np.int64), axis=0):
        items = frozenset(np.nonzero(chosen)[0].tolist())
        if not matroid.independent(items):
            return f"the set {sorted(items)} is not independent: its rank is {rank_of(matroid, items)}"
    return None


def format_number(value: Number) -> str:
    """A number in a message: as it is in rationals, to six digits in floats."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _first(broken: np.ndarray) -> tuple[int | None, int]:
    """Row and column of the first True entry; None where there is none."""
    places = np.argwhere(broken.astype(bool))
    return (None, 0) if len(places) == 0 else (int(places[0, 0]), int(places[0, 1]))
