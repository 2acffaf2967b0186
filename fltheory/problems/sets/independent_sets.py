"""Coverage of a space by blocks that partition it and by sets that are independent of them and of each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.model.schema import AsTable, AsVector, Data, indices, read_table, read_vector
from fltheory.problems.sets.matroids import Items
from fltheory.problems.sets.set_functions import CachedNumbers, by_coordinates, ones, products_of_others


@dataclass(frozen=True, repr=False)
class IndependentCoverage(Data):
    """f(S) = 1 - prod_t (1 - density_t [S meets group t]) sum_k mass_k [S misses block k].

    The blocks partition the space, in shares proportional to the masses. All items of group t are copies of one set of
    density_t, independent of everything else. Blocks and groups are disjoint and contain every item.
    """

    blocks: AsTable
    groups: AsTable
    densities: AsVector
    masses: AsVector = ()

    def __post_init__(self) -> None:
        blocks, groups = read_table(self.blocks), read_table(self.groups)
        self._set(blocks=blocks, groups=groups, masses=read_vector(self.masses) or (1,) * len(blocks))
        densities = read_vector(self.densities)
        self._set(densities=densities * len(groups) if len(densities) == 1 else densities)
        self._require_same_length("blocks", "masses")
        self._require_same_length("groups", "densities")
        indices([e for part in (*blocks, *groups) for e in part], self.n_items)
        if any(not 0 <= d <= 1 for d in self.densities) or any(not m >= 0 for m in self.masses) or not any(self.masses):
            raise ValueError("densities must lie in [0, 1], masses must be nonnegative, not all 0")

    @cached_property
    def n_items(self) -> int:
        return sum(len(part) for part in (*self.blocks, *self.groups))

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """The share of each block in the space."""
        total = sum(map(Fraction, self.masses), Fraction(0))
        return tuple(m / total for m in self.masses)

    @cached_property
    def _part_of(self) -> tuple[int, ...]:
        """The number of each item's part: the blocks are numbered first, then the groups."""
        found = {e: k for k, part in enumerate((*self.blocks, *self.groups)) for e in part}
        return tuple(found[e] for e in range(self.n_items))

    @cached_property
    def _kept(self) -> tuple[CachedNumbers, CachedNumbers]:
        """The shares and the densities."""
        return CachedNumbers(self.shares), CachedNumbers(self.densities)

    @cached_property
    def _integer_scale(self) -> tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]]:
        """Sizes of the space and of the blocks as integers; 1 - density of each group as (numerator, denominator)."""
        whole = math.lcm(*(share.denominator for share in self.shares))
        blocks = tuple(int(share * whole) for share in self.shares)
        return whole, blocks, tuple((1 - Fraction(d)).as_integer_ratio() for d in self.densities)

    def value(self, items: Items) -> Fraction:
        whole, blocks, groups = self._integer_scale
        missed, among = whole, whole
        met = {self._part_of[e] for e in items}
        for k in met:
            if k < len(blocks):
                missed -= blocks[k]
        for k in met:
            if k >= len(blocks):
                missed *= groups[k - len(blocks)][0]
                among *= groups[k - len(blocks)][1]
        return Fraction(among - missed, among)

    def _factors(self, x: Sequence[Any], shares: Sequence[Any], densities: Sequence[Any]) -> list[Any]:
        """Return the uncovered share for each group, and last for the blocks, from the coordinates of points."""
        one = x[0] * 0 + 1

        def left(part: Sequence[int]) -> Any:
            """Return the probability that no item of the part is drawn."""
            return math.prod((1 - x[e] for e in part), start=one)

        kept = [1 - (1 - left(g)) * d for g, d in zip(self.groups, densities, strict=True)]
        return [*kept, sum((left(b) * s for b, s in zip(self.blocks, shares, strict=True)), one * 0)]

    def extension(self, x: np.ndarray) -> np.ndarray:
        shares, densities = (kept.like(x).tolist() for kept in self._kept)
        return 1 - math.prod(self._factors([x[..., e] for e in range(self.n_items)], shares, densities), start=ones(x))

    def gradient(self, x: np.ndarray) -> np.ndarray:
        shares, densities = (kept.like(x).tolist() for kept in self._kept)

        def formula(x: Sequence[Any]) -> list[Any]:
            found, left = [v * 0 for v in x], [1 - v for v in x]
            *groups, blocks = products_of_others(self._factors(x, shares, densities))
            for rest, weight, part in (
                *zip(groups, densities, self.groups, strict=True),
                *((blocks, share, part) for share, part in zip(shares, self.blocks, strict=True)),
            ):
                for e, product in zip(part, products_of_others([left[e] for e in part]), strict=True):
                    found[e] = rest * product * weight
            return found

        return by_coordinates(formula, x)
