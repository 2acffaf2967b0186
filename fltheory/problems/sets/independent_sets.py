"""Coverage of a space by blocks that tile it and by sets that are independent of them and of each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.problems.sets.matroids import Items
from fltheory.problems.sets.set_functions import like, ones, others
from fltheory.record import AsTable, AsVector, Data, indices, rows, vector


@dataclass(frozen=True, repr=False)
class IndependentCoverage(Data):
    """f(S) = 1 - prod_t (1 - density_t [S meets group t]) sum_k mass_k [S misses block k].

    The blocks (masses are shares of their sum) tile the space; all items of group t are copies of one set of density_t,
    independent of everything else. Blocks and groups are disjoint and hold every item.
    """

    blocks: AsTable
    groups: AsTable
    densities: AsVector
    masses: AsVector = ()

    def __post_init__(self) -> None:
        blocks, groups = rows(self.blocks), rows(self.groups)
        self._set(blocks=blocks, groups=groups, masses=vector(self.masses) or (1,) * len(blocks))
        densities = vector(self.densities)
        self._set(densities=densities * len(groups) if len(densities) == 1 else densities)
        self._alike("blocks", "masses")
        self._alike("groups", "densities")
        indices([e for part in (*blocks, *groups) for e in part], self.n_items)
        if any(not 0 <= d <= 1 for d in self.densities) or any(not m >= 0 for m in self.masses) or not any(self.masses):
            raise ValueError("densities must lie in [0, 1], masses must be nonnegative, not all 0")

    @cached_property
    def n_items(self) -> int:
        return sum(len(part) for part in (*self.blocks, *self.groups))

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """The blocks' shares of the space."""
        total = sum(map(Fraction, self.masses), Fraction(0))
        return tuple(m / total for m in self.masses)

    def value(self, items: Items) -> Fraction:
        missed = sum((s for b, s in zip(self.blocks, self.shares, strict=True) if items.isdisjoint(b)), Fraction(0))
        for group, density in zip(self.groups, self.densities, strict=True):
            if not items.isdisjoint(group):
                missed *= 1 - density
        return 1 - missed

    def _left(self, x: np.ndarray, part: Sequence[int]) -> np.ndarray:
        """The chance that nothing of a part is drawn."""
        left = ones(x)
        for e in part:
            left = left * (1 - x[..., e])
        return left

    def _factors(self, x: np.ndarray) -> list[np.ndarray]:
        """What each group leaves, and last what the blocks leave."""
        shares, densities = like(self.shares, x), like(self.densities, x)
        kept = [1 - (1 - self._left(x, g)) * d for g, d in zip(self.groups, densities, strict=True)]
        return [*kept, sum((self._left(x, b) * s for b, s in zip(self.blocks, shares, strict=True)), ones(x) * 0)]

    def extension(self, x: np.ndarray) -> np.ndarray:
        product = ones(x)
        for factor in self._factors(x):
            product = product * factor
        return 1 - product

    def gradient(self, x: np.ndarray) -> np.ndarray:
        found = x * 0
        *groups, blocks = others(self._factors(x))
        for rest, weight, part in (
            *zip(groups, like(self.densities, x), self.groups, strict=True),
            *((blocks, share, part) for share, part in zip(like(self.shares, x), self.blocks, strict=True)),
        ):
            for e, product in zip(part, others([1 - x[..., e] for e in part]), strict=True):
                found[..., e] = rest * product * weight
        return found
