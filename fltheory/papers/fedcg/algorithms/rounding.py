"""From a fractional point to a set (Remark 4.4): randomised pipage and swap rounding, and deterministic rules.

Rounding is one step of a run on ``Fractional`` clients: x, (rows, items), becomes the indicator of a set. A random
choice moves a row in one of two directions, so that the mean of the results is x.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.model.schema import AsTable, AsVector, indices, read_vector
from fltheory.number import RATIONAL, Number, as_number, to_float
from fltheory.papers.fedcg.algorithms.discrete import FinalValue, feasible
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.matroids import Items, Matroid, Partition, Uniform, best_bases
from fltheory.problems.sets.set_functions import as_kind_of
from fltheory.runs.algorithm import ROUNDING, Algorithm
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.randomness import step_outcomes
from fltheory.runs.measures import NUMBER

WHOLE = 1e-9  # distance to 0 or 1 at which floats count as integers
LEAVES = 20_000  # largest number of outcomes of a rounding


@dataclass(frozen=True, repr=False)
class Fractional(SubmodularClients):
    """Clients and a point: the mean of independent sets ``parts``, weighted by the normalised ``shares``."""

    parts: AsTable = ()
    shares: AsVector = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        n = self.matroid.n_items
        parts = self.parts or ((),)
        self._set(parts=tuple(indices(p if isinstance(p, tuple | list | range) else (p,), n) for p in parts))
        self._set(shares=read_vector(self.shares) or (1,) * len(self.parts))
        self._require_same_length("parts", "shares")
        if any(not s > 0 for s in self.shares):
            raise ValueError("shares must be positive")
        for part in self.parts:
            if not self.matroid.independent(frozenset(part)):
                raise ValueError(f"{part} is not independent")

    @cached_property
    def mixture(self) -> tuple[Fraction, ...]:
        """The shares, normalised to sum 1."""
        total = sum(map(Fraction, self.shares), Fraction(0))
        return tuple(s / total for s in self.shares)

    @property
    def start(self) -> tuple[Number, ...]:
        """The fractional point."""
        pairs = tuple(zip(self.parts, self.mixture, strict=True))
        return tuple(sum((s for part, s in pairs if e in part), Fraction(0)) for e in range(self.dim))

    @cached_property
    def value_at_start(self) -> Fraction:
        """The extension of F at the point."""
        x = as_kind_of(self.start, np.empty(0, dtype=object))
        return Fraction(as_number(self.extension(x[None])[0]))


def fractional(x: np.ndarray) -> np.ndarray:
    """Return which coordinates are neither 0 nor 1."""
    if x.dtype == object:
        return (x != 0) & (x != 1)
    return (x > WHOLE) & (x < 1 - WHOLE)


def _groups(matroid: Matroid) -> list[tuple[int, ...]]:
    if isinstance(matroid, Uniform):
        return [tuple(range(matroid.n_items))]
    if isinstance(matroid, Partition):
        return list(matroid.parts)
    raise ValueError(
        f"pipage is for uniform and partition matroids, not for {type(matroid).__name__}: swap sets instead"
    )


def _pairs(x: np.ndarray, groups: list[tuple[int, ...]]) -> list[tuple[int, int, int | None]]:
    """Return for each fractional row the first two fractional coordinates of its first group that has any."""
    found = []
    for row, open_ in enumerate(fractional(x)):
        for group in groups:
            items = [e for e in group if open_[e]]
            if items:
                found.append((row, items[0], items[1] if len(items) > 1 else None))
                break
    return found


def _move_rows(x: np.ndarray, oracle: SetOracle, by_value: bool) -> np.ndarray | None:
    """Move each fractional row: x_i + u, x_j - u or x_i - d, x_j + d; a single coordinate becomes 1 or 0.

    The k-th random number of a row belongs to its own k-th move, whatever the other rows do.
    """
    up, down = x.copy(), x.copy()
    to_up = np.full(len(x), as_kind_of((0,), x)[0], dtype=x.dtype)
    pairs = _pairs(x, _groups(oracle.instance.matroid))
    if not pairs:
        return None
    for row, i, j in pairs:
        own = x[row, i]
        other = None if j is None else x[row, j]
        u = 1 - own if other is None else min(1 - own, other)
        d = own if other is None else min(own, 1 - other)
        up[row, i], down[row, i] = own + u, own - d
        if j is not None:
            up[row, j], down[row, j] = other - u, other + d
        to_up[row] = d / (u + d)
    if by_value:
        taken = oracle.instance.extension(up) >= oracle.instance.extension(down)
    else:
        taken = oracle.chance.choose(np.stack([1 - to_up, to_up], axis=1)) == 1
    moved = np.where(taken[:, None], up, down)
    return moved if x.dtype == object else np.where(fractional(moved), moved, np.round(moved))


def pipage_step(x: np.ndarray, oracle: SetOracle, c: Constants | None) -> np.ndarray:
    """Round by randomised pipage inside each part of the matroid."""
    while (moved := _move_rows(x, oracle, False)) is not None:
        x = moved
    return x


def evaluated_step(x: np.ndarray, oracle: SetOracle, c: Constants | None) -> np.ndarray:
    """Round by deterministic pipage: each move goes where the extension is larger, so F must be known."""
    while (moved := _move_rows(x, oracle, True)) is not None:
        x = moved
    return x


def top_step(x: np.ndarray, oracle: SetOracle, c: Constants | None) -> np.ndarray:
    """Round greedily: a base of the largest coordinates, the lowest index first, without F."""
    found = best_bases(oracle.instance.matroid, x, tuple(range(x.shape[1])))
    return np.stack([as_kind_of(row.tolist(), x) for row in found])


def threshold_step(x: np.ndarray, oracle: SetOracle, c: Constants | None) -> np.ndarray:
    """Round by another deterministic rule: items of at least 1/2 in index order, as long as they fit."""
    found = x * 0
    one = as_kind_of((1,), x)[0]
    for row in range(len(x)):
        chosen: Items = frozenset()
        for e in range(x.shape[1]):
            if 2 * x[row, e] >= 1 and oracle.instance.matroid.independent(chosen | {e}):
                chosen |= {e}
                found[row, e] = one
    return found


# Swap rounding ----------------------------------------------------------------------------------------------------------


def pad_to_base(matroid: Matroid, part: Items) -> Items:
    """Return the set completed to a base by items n, n + 1, ... without value."""
    n = matroid.n_items
    return part | frozenset(range(n, n + matroid.rank - len(part)))


def fits(matroid: Matroid, items: Items) -> bool:
    """Return independence in the matroid with ``rank`` additional items, at most ``rank`` in all: a matroid again."""
    return len(items) <= matroid.rank and matroid.independent(frozenset(e for e in items if e < matroid.n_items))


def exchange(matroid: Matroid, one: Items, two: Items) -> tuple[int, int]:
    """Return the lowest i in one - two and the lowest j in two - one that can be exchanged in both sets."""
    i = min(one - two)
    for j in sorted(two - one):
        if fits(matroid, one - {i} | {j}) and fits(matroid, two - {j} | {i}):
            return i, j
    raise ValueError(f"{sorted(one)} and {sorted(two)}: {i} can't be exchanged, so it is no matroid")


class _Merge:
    """The merging of one row: the base that the first k parts have become, and the next part as a base."""

    def __init__(self, instance: Fractional) -> None:
        self.matroid = instance.matroid
        self.parts = [pad_to_base(self.matroid, frozenset(part)) for part in instance.parts]
        self.merged, self.k = self.parts[0], 0
        self.other = self.merged
        self.settle()

    def settle(self) -> None:
        """Go on to the next part that differs, if there is one."""
        while self.merged == self.other and self.k + 1 < len(self.parts):
            self.k += 1
            self.other = self.parts[self.k]

    @property
    def over(self) -> bool:
        return self.merged == self.other

    def swap(self, kept: bool) -> None:
        """Exchange once: the next part takes the item of the merged set (``kept``), or the reverse."""
        i, j = exchange(self.matroid, self.merged, self.other)
        if kept:
            self.other = self.other - {j} | {i}
        else:
            self.merged = self.merged - {i} | {j}
        self.settle()


def swap_step(x: np.ndarray, oracle: SetOracle, c: Constants | None) -> np.ndarray:
    """Round by swaps of the point's own parts: two bases at a time are merged, i is kept with the merged share.

    All rows are the same point, the one that the instance is given with.
    """
    instance: Fractional = oracle.instance
    shares = as_kind_of(instance.mixture, x)
    before = np.cumsum(shares)  # before[k - 1]: the total share of the first k parts
    rows = [_Merge(instance) for _ in range(len(x))]
    while any(not row.over for row in rows):
        keep = np.full(len(x), shares[0] * 0, dtype=x.dtype)
        for i, row in enumerate(rows):
            if not row.over:
                keep[i] = before[row.k - 1] / before[row.k]
        kept = oracle.chance.choose(np.stack([1 - keep, keep], axis=1)) == 1
        for row, own in zip(rows, kept, strict=True):
            if not row.over:
                row.swap(bool(own))
    return np.stack([as_kind_of([int(e in row.merged) for e in range(x.shape[1])], x) for row in rows])


pipage = Algorithm("pipage rounding", pipage_step, anonymous=True, kind=ROUNDING)
swap = Algorithm("swap rounding", swap_step, anonymous=True, kind=ROUNDING)
evaluated = Algorithm("pipage rounding by values", evaluated_step, anonymous=True, kind=ROUNDING)
top = Algorithm("greedy rounding", top_step, anonymous=True, kind=ROUNDING)
threshold = Algorithm("rounding at 1/2", threshold_step, anonymous=True, kind=ROUNDING)


@dataclass(frozen=True)
class Kept(FinalValue):
    """The ratio F(S) / F(x): the part of the value at the fractional point that the set keeps."""

    name: str = "F(S)/F(x)"
    dimension: Dimension = NUMBER

    def values(self, states: np.ndarray, case: Case) -> np.ndarray:
        instance: Fractional = case.instance
        return super().values(states, case) / as_kind_of((instance.value_at_start,), states)[0]

    def span(self, case: Case) -> tuple[float, float]:
        """Return limits: 0, and the value of all items."""
        instance: Fractional = case.instance
        return 0.0, to_float(instance.value(frozenset(range(instance.dim))) / instance.value_at_start)


def tree(rounding: Algorithm, instance: Fractional) -> tuple[np.ndarray, np.ndarray] | None:
    """Return each result of a rounding with its probability, in rationals; None if there are too many."""
    x = as_kind_of(instance.start, np.empty(0, dtype=object))[None]
    found = step_outcomes(lambda rows, chance: rounding.step(rows, instance.oracle(chance), None), x, RATIONAL, LEAVES)
    return None if found is None else found[1:]


def marginal_error(rounding: Algorithm, instance: Fractional) -> Fraction | None:
    """Return max_e |P(e in S) - x_e|."""
    found = tree(rounding, instance)
    if found is None:
        return None
    mean = (found[0] * found[1][:, None]).sum(axis=0)
    return max(abs(Fraction(as_number(m)) - Fraction(v)) for m, v in zip(mean, instance.start, strict=True))


def dependent_chance(rounding: Algorithm, instance: Fractional) -> Fraction | None:
    """Return the probability that the result is not an independent set."""
    found = tree(rounding, instance)
    if found is None:
        return None
    wrong = ~feasible(instance.matroid, found[0])
    return sum((Fraction(as_number(c)) for c in found[1][wrong]), Fraction(0))
