"""From a fractional point to a set (Remark 4.4): pipage and swap rounding by chance, and rules without it.

A rounding is one step of a run on ``Fractional`` clients: x, (rows, items), becomes the indicator of a set. A random
choice moves a row one of two ways, so that x stays the mean of what it becomes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory import symbols
from fltheory.algorithm import Algorithm
from fltheory.chance import outcomes
from fltheory.number import RATIONAL, Number, as_number
from fltheory.papers.fedcg.discrete import feasible
from fltheory.problems.data import indices, vector
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.matroids import Items, Partition, Uniform, best_bases
from fltheory.problems.set_functions import like

WHOLE = 1e-9  # floats nearer to 0 or 1 count as whole
LEAVES = 20_000  # outcomes of a rounding that are followed at most


@dataclass(frozen=True, repr=False)
class Fractional(SubmodularClients):
    """Clients, and a point: the mean of independent sets ``parts`` by ``shares`` of their sum (default: equal ones)."""

    parts: Any = ()
    shares: Any = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        n = self.matroid.n_items
        parts = self.parts or ((),)
        self._set(parts=tuple(indices(p if isinstance(p, tuple | list | range) else (p,), n) for p in parts))
        self._set(shares=vector(self.shares) or (1,) * len(self.parts))
        self._alike("parts", "shares")
        if any(not s > 0 for s in self.shares):
            raise ValueError("shares must be positive")
        for part in self.parts:
            if not self.matroid.independent(frozenset(part)):
                raise ValueError(f"{part} is not independent")

    @cached_property
    def mixture(self) -> tuple[Fraction, ...]:
        """The shares, of sum 1."""
        total = sum(map(Fraction, self.shares), Fraction(0))
        return tuple(s / total for s in self.shares)

    @property
    def start(self) -> tuple[Number, ...]:
        """The fractional point."""
        pairs = tuple(zip(self.parts, self.mixture, strict=True))
        return tuple(sum((s for part, s in pairs if e in part), Fraction(0)) for e in range(self.dim))

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        x = like(self.start, np.empty(0, dtype=object))
        value = as_number(self.extension(x[None])[0])
        return {**super().constants, symbols.fractional_value: value}


def fractional(x: np.ndarray) -> np.ndarray:
    """Which coordinates are neither 0 nor 1."""
    if x.dtype == object:
        return (x != 0) & (x != 1)
    return (x > WHOLE) & (x < 1 - WHOLE)


def _groups(matroid: Any) -> list[tuple[int, ...]]:
    if isinstance(matroid, Uniform):
        return [tuple(range(matroid.n_items))]
    if isinstance(matroid, Partition):
        return list(matroid.parts)
    raise ValueError(
        f"pipage is for uniform and partition matroids, not for {type(matroid).__name__}: swap sets instead"
    )


def _pairs(x: np.ndarray, group: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows with a fractional coordinate in the group, its first two (the second -1 where there is only one)."""
    open_ = fractional(x[:, list(group)])
    rows = np.nonzero(open_.any(axis=1))[0]
    items = [np.array(group)[np.nonzero(open_[row])[0]] for row in rows]
    first = np.array([found[0] for found in items], dtype=np.int64)
    second = np.array([found[1] if len(found) > 1 else -1 for found in items], dtype=np.int64)
    return rows, first, second


def _moved(x: np.ndarray, oracle: SetOracle, group: tuple[int, ...], by_value: bool) -> np.ndarray | None:
    """One move in a group: x_i + u, x_j - u or x_i - d, x_j + d; a coordinate that is alone becomes 1 or 0."""
    rows, first, second = _pairs(x, group)
    if not len(rows):
        return None
    up, down = x.copy(), x.copy()
    to_up = np.full(len(x), like((0,), x)[0], dtype=x.dtype)
    for row, i, j in zip(rows, first, second, strict=True):
        own = x[row, i]
        other = x[row, j] if j >= 0 else None
        u = 1 - own if other is None else min(1 - own, other)
        d = own if other is None else min(own, 1 - other)
        up[row, i], down[row, i] = own + u, own - d
        if other is not None:
            up[row, j], down[row, j] = other - u, other + d
        to_up[row] = d / (u + d)
    if by_value:
        taken = oracle.instance.extension(up) >= oracle.instance.extension(down)
    else:
        taken = oracle.chance.choose(np.stack([1 - to_up, to_up], axis=1)) == 1
    moved = np.where(taken[:, None], up, down)
    if x.dtype != object:
        moved = np.where(fractional(moved), moved, np.round(moved))
    return moved


def pipage_step(x: np.ndarray, oracle: SetOracle, c: Any) -> np.ndarray:
    """Randomised pipage rounding, inside every part of the matroid."""
    for group in _groups(oracle.instance.matroid):
        while (moved := _moved(x, oracle, group, False)) is not None:
            x = moved
    return x


def evaluated_step(x: np.ndarray, oracle: SetOracle, c: Any) -> np.ndarray:
    """Deterministic pipage: every move goes where the extension is larger, so that F has to be known."""
    for group in _groups(oracle.instance.matroid):
        while (moved := _moved(x, oracle, group, True)) is not None:
            x = moved
    return x


def top_step(x: np.ndarray, oracle: SetOracle, c: Any) -> np.ndarray:
    """Greedy rounding: a base of the largest coordinates, the lowest index first; F is not looked at."""
    found = best_bases(oracle.instance.matroid, x, tuple(range(x.shape[1])))
    return np.stack([like(row.tolist(), x) for row in found])


def threshold_step(x: np.ndarray, oracle: SetOracle, c: Any) -> np.ndarray:
    """Another rule without chance: in the order of the items, those of at least 1/2 as long as they fit."""
    found = x * 0
    one = like((1,), x)[0]
    for row in range(len(x)):
        chosen: Items = frozenset()
        for e in range(x.shape[1]):
            if 2 * x[row, e] >= 1 and oracle.instance.matroid.independent(chosen | {e}):
                chosen |= {e}
                found[row, e] = one
    return found


# Swap rounding ----------------------------------------------------------------------------------------------------------


def padded(matroid: Any, part: Items) -> Items:
    """The set with items n, n + 1, ... of no value that make it a base."""
    n = matroid.n_items
    return part | frozenset(range(n, n + matroid.rank - len(part)))


def fits(matroid: Any, items: Items) -> bool:
    """Independence in the matroid with ``rank`` such items more, at most ``rank`` in all: a matroid again."""
    return len(items) <= matroid.rank and matroid.independent(frozenset(e for e in items if e < matroid.n_items))


def exchange(matroid: Any, one: Items, two: Items) -> tuple[int, int]:
    """i in one - two and j in two - one that can be exchanged both ways: the lowest i, and the lowest j for it."""
    i = min(one - two)
    for j in sorted(two - one):
        if fits(matroid, one - {i} | {j}) and fits(matroid, two - {j} | {i}):
            return i, j
    raise ValueError(f"{sorted(one)} and {sorted(two)}: {i} can't be exchanged, so it is no matroid")


def swap_step(x: np.ndarray, oracle: SetOracle, c: Any) -> np.ndarray:
    """Swap rounding of the point's own parts: two bases at a time are merged, i kept with the first one's share.

    The rows are all the same point, the one that the instance is given with.
    """
    instance: Any = oracle.instance
    matroid, shares = instance.matroid, like(instance.mixture, x)
    merged = [padded(matroid, frozenset(instance.parts[0]))] * len(x)
    weight = shares[0]
    for part, share in zip(instance.parts[1:], shares[1:], strict=True):
        other = [padded(matroid, frozenset(part))] * len(x)
        keep = weight / (weight + share)
        while any(one != two for one, two in zip(merged, other, strict=True)):
            apart = np.array([one != two for one, two in zip(merged, other, strict=True)])
            chances = np.full(len(x), keep * 0 + 1, dtype=x.dtype)
            chances[apart] = keep
            kept = oracle.chance.choose(np.stack([1 - chances, chances], axis=1)) == 1
            for row in np.nonzero(apart)[0]:
                i, j = exchange(matroid, merged[row], other[row])
                if kept[row]:
                    other[row] = other[row] - {j} | {i}
                else:
                    merged[row] = merged[row] - {i} | {j}
        weight = weight + share
    return np.stack([like([int(e in s) for e in range(x.shape[1])], x) for s in merged])


pipage = Algorithm("pipage rounding", pipage_step)
swap = Algorithm("swap rounding", swap_step)
evaluated = Algorithm("pipage rounding by values", evaluated_step)
top = Algorithm("greedy rounding", top_step)
threshold = Algorithm("rounding at 1/2", threshold_step)


def tree(rounding: Algorithm, instance: Fractional) -> tuple[np.ndarray, np.ndarray] | None:
    """Every result of a rounding and its chance, in rationals; None where they are too many."""
    x = like(instance.start, np.empty(0, dtype=object))[None]
    found = outcomes(lambda rows, chance: rounding.step(rows, instance.oracle(chance), None), x, RATIONAL, LEAVES)
    return None if found is None else found[1:]


def marginal_error(rounding: Algorithm, instance: Fractional) -> Fraction | None:
    """max_e |P(e in S) - x_e|."""
    found = tree(rounding, instance)
    if found is None:
        return None
    mean = (found[0] * found[1][:, None]).sum(axis=0)
    return max(abs(Fraction(as_number(m)) - Fraction(v)) for m, v in zip(mean, instance.start, strict=True))


def dependent_chance(rounding: Algorithm, instance: Fractional) -> Fraction | None:
    """The chance that the result is no independent set."""
    found = tree(rounding, instance)
    if found is None:
        return None
    wrong = ~feasible(instance.matroid, found[0])
    return sum((Fraction(as_number(c)) for c in found[1][wrong]), Fraction(0))
