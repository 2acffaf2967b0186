"""Numbers of the paper without clients: the guarantee after T steps, and the shortfall of a run on I3."""

from __future__ import annotations

from fractions import Fraction

from fltheory.model.schema import Record, count, scalar
from fltheory.number import to_ball
from fltheory.number.mixed import Mixed, to_mixed
from fltheory.papers.fedcg import notation

WRITTEN_OUT = 2000  # largest number of rounds whose product is written as a fraction


def power(base: Fraction, rounds: int) -> Mixed:
    """Return base^rounds, a mixed number."""
    return (to_mixed(base) if rounds <= WRITTEN_OUT else to_ball(base)) ** rounds


class Horizon(Record):
    """A run of T steps of 1/T."""

    n_rounds: int = scalar(count(1, 300), notation.T)

    @property
    def guarantee(self) -> Mixed:
        """1 - (1 - 1/T)^T."""
        return 1 - power(1 - Fraction(1, self.n_rounds), self.n_rounds)


class FreshGroups(Record):
    """I3 with rank r and T steps of 1/T, each to a group of r copies of a set of density 1/r: 1 - value = c^T."""

    rank: int = scalar(count(1, 20), notation.r)
    n_rounds: int = scalar(count(1, 100), notation.T)

    @property
    def factor(self) -> Fraction:
        """The factor c = 1 - (1 - (1 - 1/T)^r)/r by which a step reduces the uncovered part."""
        return 1 - (1 - (1 - Fraction(1, self.n_rounds)) ** self.rank) / self.rank

    @property
    def left(self) -> Mixed:
        """The shortfall c^T = OPT - value."""
        return power(self.factor, self.n_rounds)
