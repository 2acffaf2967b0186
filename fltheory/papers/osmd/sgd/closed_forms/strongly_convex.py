"""Instances of (5): SGD with steps 2/(nu t) in one dimension and fixed sampling; quadratics by exact moments.

With F_m(w) = c_m (w - b_m)^2 / 2 and K draws from p the update is w - mu (A w - C), where A and C are means over the
draws of c_m / (M p_m) and c_m b_m / (M p_m); the moments of w and of sum_t t w^t follow a linear recursion.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from sympy import Symbol

from fltheory.model.schema import AsVector, Record, constant, count, nonnegative, per, positive, real, scalar
from fltheory.number import Number, exact
from fltheory.number.vectors import average, total
from fltheory.papers.osmd import notation
from fltheory.work import spend

DIGITS_PER_UNIT = 2_000  # rounds times rounds before them, whose number the digits grow with, that cost one unit


class Moments(NamedTuple):
    """Means before a round: of w, w^2, S = sum t w^t over the earlier rounds, w S and S^2."""

    w: Fraction
    ww: Fraction
    s: Fraction
    ws: Fraction
    ss: Fraction


class SampledClients(Record):
    """Clients with a part c_m (w - b_m)^2 / 2, c = ``curvatures``, b = ``centres``; p is proportional to ``weights``.

    There are T rounds with K draws each. A single curvature or weight applies to all clients.
    """

    centres: AsVector = per("client", of=real)
    start: Number = scalar(real, default=1)
    n_sampled: int = scalar(count(), notation.K, default=1)
    n_rounds: int = scalar(count(), notation.T, default=1)
    curvatures: AsVector = per("curvature", of=nonnegative, nonzero=True, default=1)
    weights: AsVector = per("weight", of=positive, default=1)

    def require(self) -> None:
        if not all(isinstance(v, int | Fraction) for v in (*self.centres, self.start, *self.curvatures, *self.weights)):
            raise ValueError("centres, start, curvatures and weights must be rational")
        for name, values in (("curvatures", self.curvatures), ("weights", self.weights)):
            if len(values) not in (1, self.n_clients):
                raise ValueError(f"{name}: expected one number, or one for every client")

    @constant(notation.M)
    def n_clients(self) -> int:
        """Return M."""
        return len(self.centres)

    def _all(self, values: tuple[Number, ...]) -> list[Fraction]:
        return [Fraction(v) for v in (values * self.n_clients if len(values) == 1 else values)]

    @cached_property
    def law(self) -> list[Fraction]:
        """The sampling distribution."""
        weights = self._all(self.weights)
        return [w / total(weights) for w in weights]

    @cached_property
    def strong_convexity(self) -> Fraction:
        """nu, the mean curvature."""
        return average(self._all(self.curvatures))

    @cached_property
    def _centre(self) -> Fraction:
        """Return the minimiser of the mean of the quadratic parts."""
        pulls = [c * Fraction(b) for c, b in zip(self._all(self.curvatures), self.centres, strict=True)]
        return average(pulls) / self.strong_convexity

    @constant(notation.Lbar)
    def sampling_loss(self) -> Fraction:
        """Return the expected sum over rounds of l_t(p) = (1/K) sum_m a_m / p_m (4)."""
        raise NotImplementedError

    @constant(notation.J2)
    def oracle_energy(self) -> Fraction:
        """Return the expected sum over rounds of |J^t|^2, J^t = F'(w^t)."""
        raise NotImplementedError

    @property
    def averaged_gap(self) -> Fraction:
        """E F(2/(T(T+1)) sum_t t w^t) - F(w_star)."""
        raise NotImplementedError

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {**super().constants, notation.nu: exact(self.strong_convexity)}


class SampledQuadratics(SampledClients):
    """The same with the quadratic part only."""

    @property
    def minimiser(self) -> Fraction:
        """w_star."""
        return self._centre

    @cached_property
    def _pulls(self) -> tuple[Fraction, Fraction, Fraction]:
        """The sums over m of c^2, c^2 b and c^2 b^2 over M^2 p_m: the coefficients of sum_m a_m / p_m in w."""
        terms = [
            (c * c / (self.n_clients**2 * p), Fraction(b))
            for c, p, b in zip(self._all(self.curvatures), self.law, self.centres, strict=True)
        ]
        return total(q for q, _ in terms), total(q * b for q, b in terms), total(q * b * b for q, b in terms)

    @cached_property
    def course(self) -> tuple[Moments, ...]:
        """The moments before each round, and a last entry with the full sum but without an update of w: (T + 1,)."""
        nu, k = self.strong_convexity, self.n_sampled
        centre = nu * self.minimiser  # E C, as nu is E A
        aa, ac, cc = (
            q / k + (1 - Fraction(1, k)) * m
            for q, m in zip(self._pulls, (nu * nu, nu * centre, centre * centre), strict=True)
        )
        start = Fraction(self.start)
        now, found = Moments(start, start * start, Fraction(0), Fraction(0), Fraction(0)), []
        for t in range(1, self.n_rounds + 1):
            spend(t / DIGITS_PER_UNIT)
            found.append(now)
            w, ww, s, ws, ss = now
            s, ws, ss = s + t * w, ws + t * ww, ss + 2 * t * ws + t * t * ww
            if t == self.n_rounds:
                found.append(Moments(w, ww, s, ws, ss))
            mu = 2 / (nu * t)
            kept, square = 1 - mu * nu, 1 - 2 * mu * nu + mu * mu * aa
            now = Moments(
                kept * w + mu * centre,
                square * ww + 2 * mu * (centre - mu * ac) * w + mu * mu * cc,
                s,
                kept * ws + mu * centre * s,
                ss,
            )
        return tuple(found)

    @cached_property
    def sampling_loss(self) -> Fraction:
        """The expected sum over rounds of l_t(p) = (1/K) sum_m a_m / p_m (4)."""
        q, qb, qbb = self._pulls
        return total(q * m.ww - 2 * qb * m.w + qbb for m in self.course[:-1]) / self.n_sampled

    @cached_property
    def oracle_energy(self) -> Fraction:
        """The expected sum over rounds of |J^t|^2, J^t = F'(w^t)."""
        b = self.minimiser
        return self.strong_convexity**2 * total(m.ww - 2 * b * m.w + b * b for m in self.course[:-1])

    @cached_property
    def averaged_gap(self) -> Fraction:
        """E F(2/(T(T+1)) sum_t t w^t) - F(w_star)."""
        end, b, factor = self.course[-1], self.minimiser, Fraction(2, self.n_rounds * (self.n_rounds + 1))
        return self.strong_convexity / 2 * (factor * factor * end.ss - 2 * b * factor * end.s + b * b)
