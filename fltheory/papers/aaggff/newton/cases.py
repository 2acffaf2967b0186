"""What the proof of Theorem 5.1 is checked on: responses of a few rounds, and the decision that AAggFF-S is compared with."""

from __future__ import annotations

from functools import cached_property

from fltheory.model.schema import AsTable, AsVector, nonnegative, per, rational
from fltheory.papers.aaggff.instances.lemmas import PerClient, Vector, distribution, masses
from fltheory.papers.aaggff.notation import K, T


class NewtonGame(PerClient):
    """The responses of every round and a fixed decision by masses; α, β and the range of the responses are the case's."""

    responses: AsTable = per(T, K, of=rational(nonnegative))
    masses: AsVector = per(K, of=masses, some=True)

    @cached_property
    def comparator(self) -> Vector:
        """p*."""
        return distribution("masses", self.masses)

    @property
    def answers(self) -> set[object]:
        """The different responses."""
        return {v for row in self.responses for v in row}
