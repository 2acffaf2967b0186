"""Instances for the proof of Theorem 5.1: responses of a few rounds, and the comparator of AAggFF-S."""

from __future__ import annotations

from functools import cached_property

from fltheory.model.schema import AsTable, AsVector, nonnegative, per, rational
from fltheory.papers.aaggff.instances.lemmas import PerClient, Vector, distribution, masses
from fltheory.papers.aaggff.notation import K, T


class NewtonGame(PerClient):
    """The responses of every round and a fixed decision by masses; the case has α, β and the range of the responses."""

    responses: AsTable = per(T, K, of=rational(nonnegative))
    masses: AsVector = per(K, of=masses, nonzero=True)

    @cached_property
    def comparator(self) -> Vector:
        """Return p*."""
        return distribution("masses", self.masses)

    @property
    def answers(self) -> set[object]:
        """Return the different responses."""
        return {v for row in self.responses for v in row}
