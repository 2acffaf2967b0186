"""Constraints on sets that are no matroids: knapsacks."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from fltheory.model.schema import AsVector, Data, read_vector
from fltheory.number import Number, exact
from fltheory.problems.sets.matroids import Items


@dataclass(frozen=True, repr=False)
class Knapsack(Data):
    """Sets whose ``costs`` sum to at most ``budget``; ``rank`` is the size of the largest ones.

    Maximal sets may differ in size, so there are no bases, and an item that costs more than the budget is in no set.
    ValueError for costs that are not positive rationals, or a negative budget.
    """

    costs: AsVector
    budget: Number = 1

    def __post_init__(self) -> None:
        self._set(costs=read_vector(self.costs), budget=exact(self.budget))
        if not self.costs or any(not isinstance(c, int | Fraction) or not c > 0 for c in self.costs):
            raise ValueError("costs must be positive rationals, one for every item")
        if not isinstance(self.budget, int | Fraction) or not self.budget >= 0:
            raise ValueError(f"budget must be a nonnegative rational, got {self.budget}")

    @property
    def n_items(self) -> int:
        return len(self.costs)

    @cached_property
    def rank(self) -> int:
        cheapest = sorted(self.costs)
        return max(k for k in range(self.n_items + 1) if sum(cheapest[:k]) <= self.budget)

    def independent(self, items: Items) -> bool:
        """Return whether the items cost at most the budget together."""
        return sum(self.costs[e] for e in items) <= self.budget
