"""Moving comparators, for the end of the proof of Theorem 6; a client that is active once, for Appendix D.2."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from fltheory.model.schema import AsTable, Record, constant, count, nonnegative, per, probability, scalar
from fltheory.number import Number
from fltheory.papers.osmd.notation import K, L, M, T, alpha, mu
from fltheory.papers.osmd.sampling import closed_forms as law
from fltheory.papers.osmd.sampling.cases.estimators import Table, shares


class Walk(Record):
    """Comparators q^1..q^T by masses, one row per round, with the feedback of the rounds, K draws, floor alpha < 1."""

    masses: AsTable = per(T, M, of=nonnegative, nonzero=True)
    feedback: AsTable = per(T, M, of=nonnegative, nonzero=True)
    n_sampled: int = scalar(count(), K, default=1)
    floor: Number = scalar(probability, alpha, default="1/2")

    def require(self) -> None:
        if not Fraction(self.floor) < 1:
            raise ValueError(f"floor = {self.floor}: (53) needs a floor below 1")
        if not all(any(row) for row in self.masses):
            raise ValueError(f"masses = {self.masses}: every round needs a distribution")
        if any(not q and a for p, s in zip(self.masses, self.feedback, strict=True) for q, a in zip(p, s, strict=True)):
            raise ValueError("a comparator gives probability 0 to a client with feedback: its loss is infinite")

    @cached_property
    def q(self) -> Table:
        """The comparators."""
        return tuple(shares(row) for row in self.masses)

    @cached_property
    def moved(self) -> Table:
        """The points (53)."""
        return tuple(law.floored_point(q, self.floor) for q in self.q)

    @property
    def missing(self) -> Fraction:
        """The sum of psi(q^t, alpha)."""
        return sum((law.below_floor(q, self.floor) for q in self.q), Fraction(0))

    def losses(self, points: Table) -> tuple[Fraction, ...]:
        """Return l_t at the points, by (4)."""
        return tuple(Fraction(law.loss(a, q)) / self.n_sampled for a, q in zip(self.feedback, points, strict=True))

    @property
    def dearer(self) -> Fraction:
        """The sum of l_t at the moved comparators minus that at the comparators."""
        return sum(self.losses(self.moved), Fraction(0)) - sum(self.losses(self.q), Fraction(0))

    @property
    def allowed_above(self) -> Fraction:
        """The sum of phi(q^t, alpha) a_m / q_m over the clients at or above the floor, divided by K."""
        floor, found = Fraction(self.floor) / len(self.masses[0]), Fraction(0)
        for q, a in zip(self.q, self.feedback, strict=True):
            above = sum((Fraction(v) / w for v, w in zip(a, q, strict=True) if w >= floor), Fraction(0))
            found += law.loss_of_moving(q, self.floor) * above
        return found / self.n_sampled

    @property
    def split(self) -> Fraction:
        """The regret of uniform sampling against q, minus its regret against the moved q and the cost of moving."""
        n = len(self.masses[0])
        played = sum(self.losses(((Fraction(1, n),) * n,) * len(self.masses)), Fraction(0))
        own, inside = (sum(self.losses(points), Fraction(0)) for points in (self.q, self.moved))
        return (played - own) - ((played - inside) + self.dearer)

    @property
    def variation(self) -> Fraction:
        """TV of the moved comparators minus that of the comparators."""
        return _variation(self.moved) - _variation(self.q)


def _variation(points: Table) -> Fraction:
    return sum((abs(v - w) for p, q in pairwise(points) for v, w in zip(p, q, strict=True)), Fraction(0))


class ActiveOnce(Record):
    """Clients |w - 1|^2 / 2 and |w + 1|^2 / 2; the second answers in each ``every``-th round, or in the first (0)."""

    rate: Number = scalar(probability, mu, default="1/2")
    rounds: int = scalar(count(1, 60), default=10)
    every: int = scalar(count(0, 3), default=0)

    @constant(T)
    def n_rounds(self) -> int:
        """Return rounds of gradient descent."""
        return self.rounds

    @constant(L)
    def smoothness(self) -> int:
        """Return the smoothness constant of both clients."""
        return 1

    @property
    def answers(self) -> tuple[int, ...]:
        """The rounds in which the second client is active."""
        return tuple(t for t in range(self.rounds) if t == 0 or (self.every > 0 and t % self.every == 0))

    @property
    def end(self) -> Fraction:
        """The limit of gradient descent with all active clients from the minimiser 0 of the mean."""
        w, rate = Fraction(0), Fraction(self.rate)
        for t in range(self.rounds):
            w = w - rate * ((w - 1) + (w + 1 if t in self.answers else 0)) / 2
        return w
