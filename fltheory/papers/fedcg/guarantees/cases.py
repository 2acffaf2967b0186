"""The parameters of comparisons of Theorems 3.5 and 4.3: the numbers in their error terms, with rational roots."""

from __future__ import annotations

from fractions import Fraction

from fltheory.model.schema import Record, constant, nonnegative, one_of, probability, scalar
from fltheory.number import Number
from fltheory.papers.fedcg.notation import D, K, Q, T, delta, eta, m_F, r, sigma


class Promise(Record):
    """R rounds of step ``share``/R with K drawn clients, delta = ``root``^2, and the sums in the bounds of the run."""

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
        """Check that the probability of failure is below 1."""
        if not self.root < 1:
            raise ValueError(f"root = {self.root}: expected a number below 1, as delta = root^2")

    @constant(delta)
    def failure(self) -> Fraction:
        """Return the allowed probability of failure."""
        return Fraction(self.root) ** 2

    @constant(eta)
    def step(self) -> Fraction:
        """Return the server's step, at most 1/R."""
        return Fraction(self.share) / self.n_rounds
