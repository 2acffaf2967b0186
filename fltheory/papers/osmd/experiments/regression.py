"""The experiments of Figures 1 to 4, 7 and 8, and the clients of Figure 5."""

from __future__ import annotations

from fractions import Fraction

from fltheory.model.schema import Record, constant, count, nonnegative, one_of, scalar
from fltheory.number import Number
from fltheory.papers.osmd.experiments.studies import SECTION_7
from fltheory.papers.osmd.notation import A, K, M, T, alpha


class Regression(Record):
    """The heterogeneous regression of Section 7: sigma = ``spread``, the number of rounds and the number of clients.

    Feedback is in units of its largest value before training, which each run measures for itself.
    """

    spread: Number = scalar(nonnegative)
    rounds: int = scalar(count(), T, default=1000)
    clients: int = scalar(count(2), M, default=100)

    @constant(K)
    def n_sampled(self) -> int:
        """Return the number of clients drawn in a round."""
        return SECTION_7.n_sampled

    @constant(alpha)
    def floor(self) -> Fraction:
        """Return the floor of the probabilities, times M."""
        return Fraction(str(SECTION_7.probability_floor))

    @constant(A)
    def largest(self) -> int:
        """Return the largest feedback, in its own units."""
        return 1


class SkewedSizes(Record):
    """The clients of Section 8: of each hundred, 65 have one sample, 20 ``second``, 10 have 30 and 5 have 100."""

    second: int = scalar(one_of(5, 10), default=5)

    def held_by_the_largest(self) -> Fraction:
        """Return the share of all samples that the largest twentieth of the clients hold."""
        return Fraction(5 * 100, 65 + 20 * self.second + 10 * 30 + 5 * 100)
