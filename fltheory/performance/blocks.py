"""Blocks of coordinates: every vector is the sum of its parts in orthogonal subspaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from flint import fmpq

from fltheory.number import Number
from fltheory.performance.classes import below_tangent, positive
from fltheory.performance.points import Point
from fltheory.performance.space import Space
from fltheory.worst_case import functions as data
from fltheory.worst_case.gram import (
    ONE,
    Expression,
    Vector,
    combine_expressions,
    difference,
    linear_combination,
    product,
    square,
)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of a problem's space; ``blocks(x, k)`` is the part of x in block k = 0, 1, ..."""

    problem: Space
    count: int
    parts: dict[int, tuple[Vector, ...]] = field(default_factory=dict, repr=False)

    def __call__(self, x: Point, block: int) -> Point:
        """Return the part of a point in a block."""
        self.problem.require_own(x)
        if not 0 <= block < self.count:
            raise ValueError(f"there are blocks 0 to {self.count - 1}, got {block}")
        return Point(self.problem, self.part(x.vector, block))

    def part(self, vector: Vector, block: int) -> Vector:
        """Return the part of a vector in a block: the sum of those of its basis vectors."""
        return linear_combination(*((c, self._of_basis(i)[block]) for i, c in vector))

    def _of_basis(self, index: int) -> tuple[Vector, ...]:
        if index not in self.parts:
            first = tuple(self.problem.new_vector() for _ in range(self.count - 1))
            last = linear_combination((ONE, ((index, ONE),)), *((-ONE, v) for v in first))
            self.parts[index] = (*first, last)
        return self.parts[index]

    def equations(self) -> Iterator[Expression]:
        """Return inner products of parts in different blocks, which are 0."""
        for i, own in self.parts.items():
            for j, other in self.parts.items():
                if i <= j:
                    yield from (
                        product(u, v)
                        for k, u in enumerate(own)
                        for m, v in enumerate(other)
                        if (k < m if i == j else k != m)
                    )


@dataclass(frozen=True)
class BlockSmooth:
    """Convex functions with a smoothness constant for each block of coordinates, by necessary conditions."""

    smoothnesses: tuple[Number, ...]
    blocks: Blocks
    smooth = True
    sufficient = False
    convex = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "smoothnesses", tuple(self.smoothnesses))
        if len(self._limits) != self.blocks.count:
            raise ValueError(f"{len(self._limits)} constants for {self.blocks.count} blocks: one for each is needed")

    @property
    def _limits(self) -> tuple[fmpq, ...]:
        return tuple(positive(number, "smoothness of a block") for number in self.smoothnesses)

    def __str__(self) -> str:
        return f"convex functions with smoothness {', '.join(map(str, self.smoothnesses))} by block"

    def inequalities(self, one: data.Point, other: data.Point) -> tuple[Expression, ...]:
        """Return f_j + <g_j, x_i - x_j> + |part of g_i - g_j|^2 / 2L - f_i for each block."""
        tangent, apart = below_tangent(one, other), difference(one.gradient, other.gradient)
        parts = (square(self.blocks.part(apart, k)) for k in range(self.blocks.count))
        return tuple(
            combine_expressions((ONE, tangent), (1 / (2 * high), part))
            for high, part in zip(self._limits, parts, strict=True)
        )

    def alone(self, one: data.Point) -> None:
        """Return None."""
