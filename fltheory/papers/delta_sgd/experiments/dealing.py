"""The distribution of labels among clients (Appendix B.9): Dirichlet shares of the classes, by exact moments."""

from __future__ import annotations

import math
from fractions import Fraction

from fltheory.model.schema import Record, Vector, count, per, positive, scalar
from fltheory.number import Number


class Dealt(Record):
    """A client's class shares q ~ Dirichlet(alpha p), p by masses, at two concentrations, and its number of samples."""

    masses: Vector = per("class", of=positive)
    smaller: Number = scalar(positive)
    larger: Number = scalar(positive)
    examples: int = scalar(count(most=12), default=5)

    def require(self) -> None:
        if len(self.masses) < 2:
            raise ValueError(f"masses = {self.masses}: expected at least two classes")
        if self.larger < self.smaller:
            raise ValueError(f"larger = {self.larger}: expected at least smaller = {self.smaller}")

    @property
    def prior(self) -> tuple[Fraction, ...]:
        """Return p."""
        total = sum(map(Fraction, self.masses), Fraction(0))
        return tuple(v / total for v in self.masses)

    def distance(self, concentration: Number) -> Fraction:
        """Return E |q - p|^2, by the second moments a(a + 1)/(alpha(alpha + 1)) of shares, parameters a = alpha p."""
        alpha = Fraction(concentration)
        return sum((alpha * p * (alpha * p + 1) / (alpha * (alpha + 1)) - p * p for p in self.prior), Fraction(0))

    def classes(self, concentration: Number) -> Fraction:
        """Return the expected number of classes among the samples: the sum of 1 - E (1 - q_n)^k by products."""
        alpha = Fraction(concentration)
        left = Fraction(len(self.prior))
        for p in self.prior:
            left -= math.prod((alpha * (1 - p) + j) / (alpha + j) for j in range(self.examples))
        return left
