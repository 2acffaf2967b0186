"""What Theorems 3.5 and 4.3 are compared at: the numbers of their error terms, where all roots are rational."""

from __future__ import annotations

from fractions import Fraction

from fltheory.model.schema import Record, constant, nonnegative, one_of, probability, scalar
from fltheory.number import Number
from fltheory.papers.fedcg.notation import D, K, Q, T, delta, eta, m_F, r, sigma


class Promise(Record):
    """R rounds of step ``share``/R with K drawn clients, delta = ``root``^2, and what the bounds sum up along the run."""

    rank: int = scalar(one_of(1, 4, 9, 16), r)
    n_rounds: int = scalar(one_of(1, 4, 9, 16, 25, 36), T)
    n_sampled: int = scalar(one_of(1, 4, 9, 16), K)
    root: Number = scalar(probability)
    share: Number = scalar(probability, default=1)
    max_singleton: Number = scalar(nonnegative, m_F, default=1)
    dissimilarity_sum: Number = scalar(nonnegative, D, default=0)
    estimate_error: Number = scalar(nonnegative, sigma, default=0)
    lipschitz_sum: Number = scalar(nonnegative, Q, default=0)

    def require(self) -> None:
        """A failure is not certain."""
        if not self.root < 1:
            raise ValueError(f"root = {self.root}: expected it below 1, as delta = root^2 is")

    @constant(delta)
    def failure(self) -> Fraction:
        """The probability that is allowed for a failure."""
        return Fraction(self.root) ** 2

    @constant(eta)
    def step(self) -> Fraction:
        """The step of the server, at most 1/R."""
        return Fraction(self.share) / self.n_rounds
