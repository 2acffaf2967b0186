"""Cuts of directed graphs: submodular and nonnegative, but not monotone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.model.schema import AsTable, AsVector, Data, read_table, read_vector
from fltheory.number import Number
from fltheory.problems.sets.matroids import Items
from fltheory.problems.sets.set_functions import CachedNumbers, by_coordinates


@dataclass(frozen=True, repr=False)
class Cut(Data):
    """The total weight of the arcs (i, j) that lead from an item i in the set to an item j outside it.

    ``weights`` are nonnegative, by default 1. An undirected graph has both arcs of each edge.
    """

    arcs: AsTable
    n_items: int
    weights: AsVector = ()

    def __post_init__(self) -> None:
        self._count("n_items")
        self._set(arcs=read_table(self.arcs), weights=read_vector(self.weights) or (1,) * len(self.arcs))
        self._require_same_length("arcs", "weights")
        for arc in self.arcs:
            if (
                len(arc) != 2
                or any(not isinstance(v, int) or not 0 <= v < self.n_items for v in arc)
                or arc[0] == arc[1]
            ):
                raise ValueError(f"arc {arc}: expected two different items from 0 to {self.n_items - 1}")
        if any(not w >= 0 for w in self.weights):
            raise ValueError("weights must be nonnegative")

    def value(self, items: Items) -> Number:
        pairs = zip(self.arcs, self.weights, strict=True)
        return sum(w for (i, j), w in pairs if i in items and j not in items)

    @cached_property
    def _kept(self) -> CachedNumbers:
        return CachedNumbers(self.weights)

    def extension(self, x: np.ndarray) -> np.ndarray:
        total = x[..., 0] * 0
        for (i, j), w in zip(self.arcs, self._kept.like(x).tolist(), strict=True):
            total = total + x[..., i] * (1 - x[..., j]) * w
        return total

    def gradient(self, x: np.ndarray) -> np.ndarray:
        weights = self._kept.like(x).tolist()

        def formula(x: Sequence[Any]) -> list[Any]:
            found = [v * 0 for v in x]
            for (i, j), w in zip(self.arcs, weights, strict=True):
                found[i] = found[i] + (1 - x[j]) * w
                found[j] = found[j] - x[i] * w
            return found

        return by_coordinates(formula, x)
