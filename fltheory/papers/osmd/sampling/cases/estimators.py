"""The instances of statements about one round: updates and a distribution, a mirror step, a comparator.

Distributions are given by masses, whose shares they are, so any positive numbers are allowed. All data are rational.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

from sympy import Symbol

from fltheory.model.schema import (
    AsTable,
    AsVector,
    Domain,
    Record,
    Vector,
    constant,
    count,
    nonnegative,
    one_of,
    per,
    positive,
    probability,
    real,
    scalar,
    share,
)
from fltheory.number import Number
from fltheory.number.vectors import exact_sqrt
from fltheory.papers.osmd.notation import J2, A, B, G, K, L, Lbar, Lq, M, alpha, batch, eta, mu, phi, smaller
from fltheory.papers.osmd.sampling import closed_forms as law

Shares = tuple[Fraction, ...]
Table = tuple[Shares, ...]
at_least_one = Domain("at least 1", lambda v: v >= 1, lambda: nonnegative.draw().map(lambda v: 1 + v))


def shares(masses: Vector) -> Shares:
    """Return the distribution proportional to the masses."""
    total = sum(map(Fraction, masses), Fraction(0))
    return tuple(v / total for v in masses)


def floored_shares(masses: Vector, floor: Fraction) -> Shares:
    """Return the distribution alpha/M + (1 - alpha) times the shares, which covers the floored simplex."""
    return tuple(Fraction(floor) / len(masses) + (1 - floor) * v for v in shares(masses))


class _Drawn(Record):
    """The clients' updates g_m, one row each, and ``n_sampled`` draws with the shares of ``masses``."""

    updates: AsTable = per(M, "coordinate", of=real, nonzero=True)
    masses: AsVector = per(M, of=positive)
    n_sampled: int = scalar(count(), K, default=1)
    weights: AsVector = per(M, of=positive, default=())
    query: AsVector = per(M, of=positive, default=())

    @cached_property
    def x(self) -> Table:
        """lambda_m g_m."""
        return tuple(tuple(w * v for v in row) for w, row in zip(shares(self.weights), self.updates, strict=True))

    @cached_property
    def a(self) -> Shares:
        """The feedback |lambda_m g_m|^2."""
        return tuple(law.squared_norm(row) for row in self.x)


class Updates(_Drawn):
    """The clients' updates g_m, one row each, and ``n_sampled`` draws with the shares of ``masses``.

    ``weights``: lambda_m up to a factor, equal by default; ``query``: another distribution by its masses.
    """

    @cached_property
    def p(self) -> Shares:
        """The distribution of the draws."""
        return shares(self.masses)

    @cached_property
    def q(self) -> Shares:
        """The other distribution."""
        return shares(self.query)

    @constant(Lbar)
    def loss(self) -> Fraction:
        """Return l(p)."""
        return law.loss(self.a, self.p) / Fraction(self.n_sampled)

    @constant(Lq)
    def other_loss(self) -> Fraction:
        """Return l(q)."""
        return law.loss(self.a, self.q) / Fraction(self.n_sampled)

    @constant(J2)
    def energy(self) -> Fraction:
        """Return |J|^2."""
        return law.squared_norm(law.total(self.x))


class Available(_Drawn):
    """Updates of which only those of the ``active`` clients (1, else 0) are available; all of them by default."""

    active: AsVector = per(M, of=one_of(0, 1), nonzero=True, default=())
    floor: Number = scalar(probability, alpha, default="1/2")

    @cached_property
    def inside(self) -> Shares:
        """A distribution in the floored simplex."""
        return floored_shares(self.masses, Fraction(self.floor))

    @cached_property
    def present(self) -> Table:
        """The vectors lambda_m g_m of the active clients, 0 for the others."""
        return tuple(tuple(on * v for v in row) for on, row in zip(self.active, self.x, strict=True))

    @cached_property
    def rescaled(self) -> Shares:
        """The rescaled p~ of Appendix D.2 for that distribution."""
        return law.rescale_active(self.inside, self.active)

    @property
    def few(self) -> bool:
        """Whether all active clients are used."""
        return sum(map(int, self.active)) <= self.n_sampled

    @constant(Lbar)
    def loss(self) -> Fraction:
        """Return l(p~) of the active clients; 0 where all of them are used."""
        return Fraction(0) if self.few else law.loss(self.heard, self.rescaled) / Fraction(self.n_sampled)

    @constant(J2)
    def energy(self) -> Fraction:
        """Return |sum of the active clients' updates|^2; 0 where all of them are used."""
        return Fraction(0) if self.few else law.squared_norm(law.total(self.present))

    @cached_property
    def heard(self) -> Shares:
        """The feedback of the active clients, 0 for the others."""
        return tuple(law.squared_norm(row) for row in self.present)


class Moved(Record):
    """Feedback, ``n_sampled`` draws and any comparator q by its masses, which moves to the point (53)."""

    feedback: Vector = per(M, of=nonnegative, nonzero=True)
    masses: Vector = per(M, of=nonnegative, nonzero=True)
    floor: Number = scalar(probability, alpha, default="1/2")
    n_sampled: int = scalar(count(), K, default=1)

    def require(self) -> None:
        if any(a and not q for a, q in zip(self.feedback, self.masses, strict=True)):
            raise ValueError("the comparator gives probability 0 to a client with feedback: its loss is infinite")
        if self.floor == 1:
            raise ValueError("floor = 1: only uniform satisfies it, and its omega is 0/0")

    @cached_property
    def q(self) -> Shares:
        """The comparator."""
        return shares(self.masses)

    def cost(self, q: Shares) -> Fraction:
        """Return l(q)."""
        return Fraction(law.loss([Fraction(v) for v in self.feedback], q)) / self.n_sampled

    @constant(phi)
    def charged(self) -> Fraction:
        """Return phi l(q)."""
        return law.loss_of_moving(self.q, self.floor) * self.cost(self.q)

    @constant(smaller)
    def least(self) -> Fraction:
        """Return min{phi l(q), (M/alpha)^2 a_max psi / K}."""
        reach = Fraction(len(self.q)) / Fraction(self.floor)
        other = reach**2 * max(map(Fraction, self.feedback)) * law.below_floor(self.q, self.floor) / self.n_sampled
        return min(self.charged, other)


class Losses(Record):
    """Feedback a_m = ``roots``_m^2 and a distribution with floor alpha/M, by its masses above the floor."""

    roots: Vector = per(M, of=nonnegative, nonzero=True)
    masses: Vector = per(M, of=nonnegative, nonzero=True)
    floor: Number = scalar(probability, alpha, default="1/2")

    @cached_property
    def a(self) -> Shares:
        """The feedback."""
        return tuple(Fraction(v) ** 2 for v in self.roots)

    @cached_property
    def q(self) -> Shares:
        """The distribution."""
        return floored_shares(self.masses, self.floor)

    @cached_property
    def best(self) -> Shares:
        """The distribution of least loss in the floored simplex: the projected roots."""
        return law.project_exactly(self.roots, self.floor)


class Projected(Record):
    """Positive points y to be projected onto the floored simplex, and some distribution in it."""

    points: Vector = per(M, of=positive)
    floor: Number = scalar(probability, alpha, default="1/2")
    masses: Vector = per(M, of=nonnegative, nonzero=True, default=())

    @cached_property
    def q(self) -> Shares:
        """Some distribution in the floored simplex."""
        return floored_shares(self.masses, self.floor)


class Growth(Record):
    """A mirror step from a floored distribution with exponents log ``growth``, as gradients are never positive."""

    masses: Vector = per(M, of=nonnegative, nonzero=True)
    growth: Vector = per(M, of=at_least_one)
    query: Vector = per(M, of=nonnegative, nonzero=True)
    floor: Number = scalar(probability, alpha, default="1/2")

    @cached_property
    def p(self) -> Shares:
        """The start of the step."""
        return floored_shares(self.masses, self.floor)

    @cached_property
    def q(self) -> Shares:
        """Some distribution in the floored simplex."""
        return floored_shares(self.query, self.floor)


class OneStep(Record):
    """One round of Algorithm 1: a floored distribution, the feedback, the counts of the clients, the rate."""

    masses: Vector = per(M, of=nonnegative, nonzero=True)
    feedback: Vector = per(M, of=nonnegative, nonzero=True)
    draws: Vector = per(M, of=count(0), nonzero=True)
    rate: Number = scalar(positive, eta)
    floor: Number = scalar(probability, alpha, default="1/2")

    @cached_property
    def p(self) -> Shares:
        """The distribution that is played."""
        return floored_shares(self.masses, self.floor)

    @constant(K)
    def n_sampled(self) -> int:
        """Return the number of draws."""
        return int(sum(self.draws))

    @constant(A)
    def most(self) -> Number:
        """Return the largest feedback."""
        return max(self.feedback)

    @cached_property
    def slopes(self) -> Shares:
        """Minus the estimated gradient (7) at p."""
        n = self.n_sampled
        return tuple(a * k / (n * n * p**3) for a, k, p in zip(self.feedback, self.draws, self.p, strict=True))


class StepBeside(Record):
    """One round of Algorithm 1 from a floored distribution, with comparators q^t, q^{t+1} by masses above the floor."""

    masses: Vector = per(M, of=nonnegative, nonzero=True)
    feedback: Vector = per(M, of=nonnegative, nonzero=True)
    draws: Vector = per(M, of=count(0), nonzero=True)
    before: Vector = per(M, of=nonnegative, nonzero=True)
    after: Vector = per(M, of=nonnegative, nonzero=True)
    rate: Number = scalar(positive, eta)
    floor: Number = scalar(probability, alpha, default="1/2")

    @cached_property
    def step(self) -> OneStep:
        """The round without the comparators."""
        return OneStep(self.masses, self.feedback, self.draws, self.rate, self.floor)

    @cached_property
    def comparators(self) -> tuple[Shares, Shares]:
        """q^t and q^{t+1}."""
        return floored_shares(self.before, self.floor), floored_shares(self.after, self.floor)

    @property
    def gain(self) -> Fraction:
        """The estimated loss (6) at p minus that at q^t."""
        p, a = self.step.p, [Fraction(v) for v in self.feedback]
        counts = [int(k) for k in self.draws]
        at_p, at_q = (law.estimated_loss(a, q, p, counts) for q in (p, self.comparators[0]))
        return Fraction(at_p - at_q)


class Triple(Record):
    """Three distributions p, q, q' with a floor, by their masses above it."""

    first: Vector = per(M, of=nonnegative, nonzero=True)
    second: Vector = per(M, of=nonnegative, nonzero=True)
    third: Vector = per(M, of=nonnegative, nonzero=True)
    floor: Number = scalar(probability, alpha, default="1/2")

    def require(self) -> None:
        _, q, r = self.distributions
        if q == r:
            raise ValueError("the second and the third distribution are the same")

    @cached_property
    def distributions(self) -> tuple[Shares, ...]:
        """p, q and q'."""
        return tuple(floored_shares(masses, self.floor) for masses in (self.first, self.second, self.third))


class Comparator(Record):
    """Any distribution, by its masses, and a floor that may be 0."""

    masses: Vector = per(M, of=nonnegative, nonzero=True)
    floor: Number = scalar(share, default="1/2")

    @cached_property
    def q(self) -> Shares:
        """The distribution."""
        return shares(self.masses)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {**super().constants, **({alpha: self.floor} if self.floor else {})}


class Pretrained(Record):
    """Clients c_m |w - centre_m|^2 / 2 with weights of sum 1, and gradient descent on their weighted sum."""

    curvatures: Vector = per(M, of=positive)
    centres: Vector = per(M, of=real)
    masses: Vector = per(M, of=positive)
    start: Number = scalar(real, default=0)
    rate: Number = scalar(probability, mu, default="1/10")
    rounds: int = scalar(count(1, 12), default=4)

    def require(self) -> None:
        if not any(self.gradients(Fraction(self.start))):
            raise ValueError(f"start = {self.start}: all gradients are 0 there, so the estimate is 0")

    @constant(L)
    def smoothness(self) -> Number:
        """Return the largest curvature."""
        return max(self.curvatures)

    @cached_property
    def weights(self) -> Shares:
        """lambda_m."""
        return shares(self.masses)

    def gradients(self, w: Fraction) -> Shares:
        """Return the clients' gradients at a point."""
        return tuple(Fraction(c) * (w - v) for c, v in zip(self.curvatures, self.centres, strict=True))

    @cached_property
    def feedback(self) -> tuple[Fraction, ...]:
        """The largest lambda_m^2 |g_m|^2 of each round, first of the one before training."""
        w, found = Fraction(self.start), []
        for _ in range(self.rounds + 1):
            slopes = [lam * g for lam, g in zip(self.weights, self.gradients(w), strict=True)]
            found.append(max(v * v for v in slopes))
            w -= Fraction(self.rate) * sum(slopes, Fraction(0))
        return tuple(found)

    @property
    def estimate(self) -> Fraction:
        """The value max lambda_m |g_m|^2 before training, as printed."""
        slopes = self.gradients(Fraction(self.start))
        return max(lam * g * g for lam, g in zip(self.weights, slopes, strict=True))


class Gradients(Record):
    """The stochastic gradients of one client in a round, one row each, among ``n_clients`` clients of equal weight."""

    gradients: AsTable = per(batch, "coordinate", of=real, nonzero=True)
    n_clients: int = scalar(count(most=100), M, default=2)

    @constant(B)
    def steps(self) -> int:
        """Return as many local steps as gradients."""
        return len(self.gradients)

    @constant(G)
    def longest(self) -> Number:
        """Return the largest norm."""
        return exact_sqrt(max(law.squared_norm(row) for row in self.gradients))
