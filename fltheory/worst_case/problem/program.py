"""What a solver, certificates and faces read of a problem: an expression to maximise, subject to expressions at most 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from fltheory.worst_case.gram import Expression, Value
from fltheory.worst_case.problem.labels import Label


class GramProgram(Protocol):
    """Maximise ``objective`` over all Gram matrices of ``size`` vectors and all values, subject to limits at most 0."""

    @property
    def objective(self) -> Expression:
        """Return what is maximised."""

    @property
    def size(self) -> int:
        """Return the number of vectors."""

    @property
    def sizes(self) -> tuple[float, float]:
        """Return the typical size of a distance and of a gradient."""

    @property
    def known(self) -> tuple[tuple[Label, Expression], ...]:
        """Return the limits beyond the class."""

    @property
    def free(self) -> bool:
        """Return whether inner products of some vectors are unknown values."""

    @property
    def needless(self) -> frozenset[int]:
        """Return redundant vectors."""

    @property
    def values(self) -> tuple[Value, ...]:
        """Return the unknown values, in a fixed order."""

    def labels(self) -> Iterator[Label]:
        """Return the labels of all limits."""

    def limit(self, label: Label) -> Expression:
        """Return the expression of a label, at most 0; KeyError if there is none."""
