"""Comparators that move, that look at draws, and clients of whom some are away: data of the proof of Theorem 6 and Appendix D.2."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from fltheory.number import Number
from fltheory.papers.osmd.algorithms import draws
from fltheory.papers.osmd.data.sampling_instances import Shares, Table, Updates, shares
from fltheory.papers.osmd.exact import enumeration as law
from fltheory.papers.osmd.letters import K, M, T, alpha, eta
from fltheory.record import (
    AsTable,
    AsVector,
    Record,
    Vector,
    among,
    constant,
    count,
    each,
    nonnegative,
    one,
    positive,
    probability,
)

BEFORE, OWN = 0, 1  # the round that a comparator looks at


class Walk(Record):
    """Comparators q^1..q^T by their masses, one row a round, with the feedback of each round, K draws and a floor alpha < 1."""

    masses: AsTable = each(T, M, of=nonnegative, some=True)
    feedback: AsTable = each(T, M, of=nonnegative, some=True)
    n_sampled: int = one(count(), K, default=1)
    floor: Number = one(probability, alpha, default="1/2")

    def require(self) -> None:
        if not Fraction(self.floor) < 1:
            raise ValueError(f"floor = {self.floor}: (53) asks for one below 1")
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
        return tuple(law.moved_inside(q, self.floor) for q in self.q)

    @property
    def missing(self) -> Fraction:
        """The sum of psi(q^t, alpha)."""
        return sum((law.below_floor(q, self.floor) for q in self.q), Fraction(0))

    def losses(self, points: Table) -> tuple[Fraction, ...]:
        """l_t at the points, by (4)."""
        return tuple(Fraction(law.loss(a, q)) / self.n_sampled for a, q in zip(self.feedback, points, strict=True))

    @property
    def dearer(self) -> Fraction:
        """The sum of l_t at the moved comparators less that at the comparators."""
        return sum(self.losses(self.moved), Fraction(0)) - sum(self.losses(self.q), Fraction(0))

    @property
    def allowed(self) -> Fraction:
        """The sum of phi(q^t, alpha) l_t(q^t)."""
        return sum(
            (law.loss_of_moving(q, self.floor) * v for q, v in zip(self.q, self.losses(self.q), strict=True)),
            Fraction(0),
        )

    @property
    def allowed_above(self) -> Fraction:
        """The sum of phi(q^t, alpha) a_m / q_m over the clients at or above the floor, over K."""
        floor, found = Fraction(self.floor) / len(self.masses[0]), Fraction(0)
        for q, a in zip(self.q, self.feedback, strict=True):
            above = sum((Fraction(v) / w for v, w in zip(a, q, strict=True) if w >= floor), Fraction(0))
            found += law.loss_of_moving(q, self.floor) * above
        return found / self.n_sampled

    @property
    def variation(self) -> Fraction:
        """TV of the moved comparators less that of the comparators."""
        return _variation(self.moved) - _variation(self.q)


def _variation(points: Table) -> Fraction:
    return sum((abs(v - w) for p, q in pairwise(points) for v, w in zip(p, q, strict=True)), Fraction(0))


class Looking(Record):
    """A comparator that is one of two distributions, as the first client was drawn or not, in its own round or in the one before.

    Both rounds draw K clients with the shares of ``masses``; the feedback is that of the comparator's round.
    """

    feedback: Vector = each(M, of=nonnegative, some=True)
    masses: Vector = each(M, of=positive)
    if_drawn: Vector = each(M, of=positive)
    if_not: Vector = each(M, of=positive)
    n_sampled: int = one(count(), K, default=1)
    looks_at: int = one(among(BEFORE, OWN), default=BEFORE)

    @property
    def means(self) -> tuple[Fraction, Fraction]:
        """E of the estimated loss (6) of the comparator, and of its loss (4)."""
        p, estimated, true = shares(self.masses), Fraction(0), Fraction(0)
        for before, chance in law.replaced(p, self.n_sampled):
            for own, given in law.replaced(p, self.n_sampled):
                seen = own if self.looks_at == OWN else before
                q = shares(self.if_drawn if seen[0] else self.if_not)
                estimated += chance * given * law.estimated_loss(self.feedback, q, p, own)
                true += chance * given * Fraction(law.loss(self.feedback, q)) / self.n_sampled
        return estimated, true


class Away(Updates):
    """Clients' updates, of whom only some can answer: ``active`` 1, else 0; all if it is not given."""

    active: AsVector = each(M, of=among(0, 1), default=())

    def require(self) -> None:
        if self.active and not any(self.active):
            raise ValueError(f"active = {self.active}: expected a client that can answer")

    @property
    def here(self) -> Vector:
        """1 for the clients that can answer, else 0."""
        return self.active or (1,) * len(self.masses)

    @property
    def estimates(self) -> Iterator[tuple[Shares, Fraction]]:
        """The server's estimate by the rule of Appendix D.2, and its chance, for all ways to draw."""
        here = np.array([int(v) for v in self.here], dtype=object)[None]
        p = np.array(self.p, dtype=object)[None]
        restricted = draws.among(p, here)
        if here.sum() <= self.n_sampled:
            outcomes = [(tuple(here[0]), Fraction(1))]
        else:
            outcomes = [(counts, v) for counts, v in law.replaced(tuple(restricted[0]), self.n_sampled) if v]
        for counts, chance in outcomes:
            drawn = np.array([Fraction(v) for v in counts], dtype=object)[None]
            weights = draws.active_weights(restricted, drawn, np.array([[here.sum() <= self.n_sampled]]))[0]
            yield law.total([tuple(w * v for v in row) for w, row in zip(weights, self.x, strict=True)]), chance

    @property
    def mean(self) -> Shares:
        """The expected estimate."""
        return law.mean(self.estimates, lambda estimate: estimate)

    def sum_of(self, wanted: Vector) -> Shares:
        """The sum of lambda_m g_m over the wanted clients."""
        return law.total([tuple(int(w) * v for v in row) for w, row in zip(wanted, self.x, strict=True)])


class ActiveOnce(Record):
    """Two clients |w - 1|^2 / 2 and |w + 1|^2 / 2; the second answers in every ``every``-th round, in none but the first for 0."""

    rate: Number = one(probability, eta, default="1/2")
    rounds: int = one(count(1, 60), default=10)
    every: int = one(count(0, 3), default=0)

    @constant(T)
    def n_rounds(self) -> int:
        """Rounds of gradient descent."""
        return self.rounds

    @property
    def end(self) -> Fraction:
        """Where gradient descent with all active clients ends that starts at the minimiser 0 of the mean."""
        w, rate = Fraction(0), Fraction(self.rate)
        for t in range(self.rounds):
            there = t == 0 or (self.every > 0 and t % self.every == 0)
            w = w - rate * ((w - 1) + (w + 1 if there else 0)) / 2
        return w
