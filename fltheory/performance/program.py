"""The semidefinite program of a performance estimation problem: an expression to maximise, and its limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from fltheory.worst_case.gram import Expression, Value
from fltheory.worst_case.problem.labels import EQUAL, Label

GIVEN, PAIR, OWN, LOWEST = "given", "pair", "own", "lowest"

__all__ = ["EQUAL", "GIVEN", "LOWEST", "OWN", "PAIR", "Program"]


@dataclass(frozen=True)
class Program:
    """Maximise ``objective`` over all Gram matrices of ``size`` vectors and all values, subject to ``limits``.

    ``points``: the vectors that are places; if all limits depend on differences of places alone the first is 0.
    ``only_upper``: why a solution need not be an instance of the problem, or None.
    """

    objective: Expression
    limits: Mapping[Label, Expression]
    size: int
    points: tuple[int, ...] = ()
    only_upper: str | None = None
    free = False
    known: tuple[tuple[Label, Expression], ...] = ()
    sizes: tuple[float, float] = (1.0, 1.0)

    def labels(self) -> Iterator[Label]:
        """Return the labels of all limits."""
        return iter(self.limits)

    def limit(self, label: Label) -> Expression:
        """Return the expression of a label, at most 0; KeyError if there is none."""
        return self.limits[label]

    @cached_property
    def needless(self) -> frozenset[int]:
        """Return the first place if the program does not depend on the origin of places."""
        expressions = (self.objective, *self.limits.values())
        if not self.points or not all(map(self._is_of_differences, expressions)):
            return frozenset()
        return frozenset(self.points[:1])

    def _is_of_differences(self, expression: Expression) -> bool:
        """Return whether an expression stays the same if one vector is added to all places."""
        places, sums = set(self.points), dict[int, object]()
        for (i, j), c in expression.products.items():
            for a, b in ((i, j), (j, i)):
                if b in places:
                    sums[a] = sums.get(a, 0) + c
        return not any(sums.values())

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Return the unknown values, in a fixed order."""
        found: dict[Value, None] = dict.fromkeys(self.objective.values)
        for limit in self.limits.values():
            found.update(dict.fromkeys(limit.values))
        return tuple(found)
