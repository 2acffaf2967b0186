"""The instances of the lemmas of Appendix C and the extensions of Appendix D.1."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from fltheory.model.schema import AsTable, AsVector, Record, Vector, constant, count, per, positive, real, scalar
from fltheory.number import Number
from fltheory.number.vectors import exact_sqrt
from fltheory.papers.osmd.notation import B, K, L, M, distance
from fltheory.papers.osmd.sampling.cases.estimators import Shares, Table, shares
from fltheory.papers.osmd.sampling.closed_forms import squared_norm, total
from fltheory.problems.separable import KinkedFunction


class Curved(Record):
    """Two points of f(x) = sum_i c_i(x_i) x_i^2 / 2 + slopes_i x_i, c_i = left_i for x_i < 0 and right_i for x_i >= 0.

    The curvatures may be negative; the smoothness constant of f is the largest absolute curvature.
    """

    left: AsVector = per("coordinate", of=real)
    right: AsVector = per("coordinate", of=real)
    slopes: AsVector = per("coordinate", of=real)
    x: AsVector = per("coordinate", of=real)
    y: AsVector = per("coordinate", of=real)

    def require(self) -> None:
        if not any((*self.left, *self.right)):
            raise ValueError("all curvatures are 0: any constant is a smoothness constant")
        if self.x == self.y:
            raise ValueError("the points are the same")

    @constant(L)
    def steepest(self) -> Number:
        """Return the largest absolute curvature."""
        return max(abs(c) for c in (*self.left, *self.right))

    @constant(distance)
    def apart(self) -> Number:
        """Return |x - y|."""
        return exact_sqrt(squared_norm([Fraction(v) - w for v, w in zip(self.x, self.y, strict=True)]))

    @property
    def _function(self) -> KinkedFunction:
        return KinkedFunction(self.left, self.right, self.slopes)

    @property
    def bend(self) -> Fraction:
        """|f(y) - f(x) - <grad f(x), y - x>|."""
        f = self._function
        inner = sum((g * (w - v) for g, v, w in zip(f.gradient(self.x), self.x, self.y, strict=True)), Fraction(0))
        return abs(f.value(self.y) - f.value(self.x) - inner)


class Summands(Record):
    """Vectors with a sum, and a positive number a of Young's inequality for the first two."""

    vectors: AsTable = per(B, "coordinate", of=real)
    balance: Number = scalar(positive, default=1)

    def require(self) -> None:
        if len(self.vectors) < 2 or not any(v for row in self.vectors[:2] for v in row):
            raise ValueError(f"vectors = {self.vectors}: expected two or more, the first two not both 0")

    @property
    def of_two(self) -> Fraction:
        """The ratio of |u + v|^2 to (1 + a)|u|^2 + (1 + 1/a)|v|^2."""
        u, v = self.vectors[:2]
        a = Fraction(self.balance)
        return squared_norm(total((u, v))) / ((1 + a) * squared_norm(u) + (1 + 1 / a) * squared_norm(v))

    @property
    def of_all(self) -> Fraction:
        """The ratio of |sum of the vectors|^2 to the sum of their squared norms."""
        return Fraction(squared_norm(total(self.vectors))) / sum(squared_norm(row) for row in self.vectors)


class FiniteVariable(Record):
    """A random variable with finitely many values, probabilities by masses, and the s of its moments E exp(s X)."""

    values: Vector = per("value", of=real)
    masses: Vector = per("value", of=positive)
    scale: Number = scalar(real, default=1)

    def require(self) -> None:
        if max(self.values) == min(self.values) or not self.scale:
            raise ValueError("the values must differ and the scale must not be 0: both sides are 0")

    @cached_property
    def p(self) -> Shares:
        """The probabilities of the values."""
        return shares(self.masses)


class TwoParts(Record):
    """An update in two parts (Appendix D.1), lambda_m g_{1,m} and lambda_m g_{2,m}, one row per client."""

    first: AsTable = per(M, "coordinate", of=real)
    second: AsTable = per(M, "coordinate", of=real)
    masses: AsVector = per(M, of=positive)
    n_sampled: int = scalar(count(), K, default=1)

    @cached_property
    def p(self) -> Shares:
        """The distribution of the draws."""
        return shares(self.masses)

    @cached_property
    def both(self) -> Table:
        """The sum of the parts."""
        return tuple(total((u, v)) for u, v in zip(self.first, self.second, strict=True))


class Bilevel(Record):
    """h(w) = sum_m lambda_m F_m(w, s_m w), F_m = own_m w^2/2 + mixed_m w b + local_m b^2/2, at a point w.

    The local parameter b = s_m w is the minimiser of G_m(w, b) = (b - s_m w)^2 / 2.
    """

    own: Vector = per(M, of=real)
    mixed: Vector = per(M, of=real)
    local: Vector = per(M, of=real)
    slopes: Vector = per(M, of=real)
    point: Number = scalar(real, default=1)
    weights: Vector = per(M, of=positive, default=())

    def require(self) -> None:
        if self.derivative == 0:
            raise ValueError("the derivative is 0")

    def value(self, w: Fraction) -> Fraction:
        """Return h(w)."""
        parts = zip(self.own, self.mixed, self.local, self.slopes, shares(self.weights), strict=True)
        return sum(
            (lam * w * w * (c / Fraction(2) + d * s + e * s * s / Fraction(2)) for c, d, e, s, lam in parts),
            Fraction(0),
        )

    @property
    def derivative(self) -> Fraction:
        """h'(w), by a central difference: exact for a quadratic h."""
        w = Fraction(self.point)
        return (self.value(w + 1) - self.value(w - 1)) / 2

    @property
    def two_parts(self) -> Fraction:
        """sum_m lambda_m (grad_1 F_m + grad_2 F_m) with the paper's grad_1 and grad_2, those of (73) without 1/M."""
        w = Fraction(self.point)
        parts = zip(self.own, self.mixed, self.local, self.slopes, shares(self.weights), strict=True)
        found = Fraction(0)
        for c, d, e, s, lam in parts:
            b = s * w
            cross, curvature = -s, 1  # second derivatives of G_m
            found += lam * (c * w + d * b - cross * (d * w + e * b) / curvature)
        return found
