"""What Theorems 3.5 and 4.3 are compared at: the numbers of their error terms, where all roots are rational."""

from __future__ import annotations

from fractions import Fraction

from fltheory.model.schema import Record, among, constant, nonnegative, one, probability
from fltheory.number import Number
from fltheory.papers.fedcg.notation import D, K, Q, T, delta, eta, m_F, r, sigma


class Promise(Record):
    """R rounds of step ``share``/R with K drawn clients, delta = ``root``^2, and what the bounds sum up along the run."""

    rank: int = one(among(1, 4, 9, 16), r)
    n_rounds: int = one(among(1, 4, 9, 16, 25, 36), T)
    n_sampled: int = one(among(1, 4, 9, 16), K)
    root: Number = one(probability)
    share: Number = one(probability, default=1)
    max_singleton: Number = one(nonnegative, m_F, default=1)
    dissimilarity_sum: Number = one(nonnegative, D, default=0)
    estimate_error: Number = one(nonnegative, sigma, default=0)
    lipschitz_sum: Number = one(nonnegative, Q, default=0)

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
