"""What the statements about one round are checked on: updates and a distribution, a mirror step, a comparator.

Distributions are given by masses, whose shares they are, so that any positive numbers will do. All data is rational.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from sympy import Symbol

from fltheory import record as data
from fltheory.number import Number, exact
from fltheory.number.vectors import tidy_root
from fltheory.papers.osmd import letters
from fltheory.papers.osmd.exact import enumeration as law
from fltheory.record import rows, vector

Shares = tuple[Fraction, ...]
Table = tuple[tuple[Fraction, ...], ...]


class Data(data.Data):
    """Frozen data whose ``repr`` rebuilds it, with a floor of probabilities."""

    def _floor(self, zero: bool = False) -> None:
        value = exact(getattr(self, "floor"))  # noqa: B009
        if not (0 <= value <= 1 and (zero or value > 0)):
            raise ValueError(f"floor = {value}: expected a number in {'[' if zero else '('}0, 1]")
        object.__setattr__(self, "floor", value)


def shares(masses: Any, zeros: bool = False) -> Shares:
    """The distribution proportional to the masses."""
    if any(not (v >= 0 if zeros else v > 0) for v in masses) or not any(masses):
        raise ValueError(f"masses must be {'nonnegative, not all 0' if zeros else 'positive'}")
    total = sum(map(Fraction, masses), Fraction(0))
    return tuple(v / total for v in masses)


def floored(masses: Any, alpha: Fraction) -> Shares:
    """The distribution alpha/M + (1 - alpha) times the shares: any in the floored simplex."""
    return tuple(Fraction(alpha) / len(masses) + (1 - alpha) * v for v in shares(masses, zeros=True))


@dataclass(frozen=True, repr=False)
class Updates(Data):
    """The clients' updates g_m, one row each, drawn ``n_sampled`` times with the shares of ``masses``.

    ``weights``: lambda_m up to a factor, equal if not given; ``query``: another distribution by its masses.
    """

    updates: Any
    masses: Any
    n_sampled: Any = 1
    weights: Any = ()
    query: Any = ()

    def __post_init__(self) -> None:
        table = rows(self.updates)
        ones = (1,) * len(table)
        self._set(updates=table, masses=vector(self.masses))
        self._set(weights=vector(self.weights) or ones, query=vector(self.query) or ones)
        self._alike("updates", "masses", "weights", "query")
        self._count("n_sampled")
        if len({len(row) for row in table}) != 1 or not table[0]:
            raise ValueError("the clients' updates must have the same length")
        if not any(v for row in table for v in row):
            raise ValueError("all updates are 0")
        _ = self.p, self.q, self.lam

    @cached_property
    def p(self) -> Shares:
        """What is drawn from."""
        return shares(self.masses)

    @cached_property
    def q(self) -> Shares:
        """The other distribution."""
        return shares(self.query)

    @cached_property
    def lam(self) -> Shares:
        """The clients' weights."""
        return shares(self.weights)

    @cached_property
    def x(self) -> Table:
        """lambda_m g_m."""
        return tuple(tuple(w * v for v in row) for w, row in zip(self.lam, self.updates, strict=True))

    @cached_property
    def a(self) -> Shares:
        """The feedback |lambda_m g_m|^2."""
        return tuple(law.squared(row) for row in self.x)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        n = self.n_sampled
        return {
            letters.M: len(self.masses),
            letters.K: n,
            letters.Lbar: exact(law.loss(self.a, self.p) / n),
            letters.Lq: exact(law.loss(self.a, self.q) / n),
            letters.J2: exact(law.squared(law.total(self.x))),
        }


@dataclass(frozen=True, repr=False)
class Losses(Data):
    """Feedback a_m = ``roots``_m^2 and a distribution with floor alpha/M, by its masses above the floor."""

    roots: Any
    masses: Any
    floor: Any = "1/2"

    def __post_init__(self) -> None:
        self._set(roots=vector(self.roots), masses=vector(self.masses))
        self._alike("roots", "masses")
        self._floor()
        if any(not v >= 0 for v in self.roots) or not any(self.roots):
            raise ValueError("roots must be nonnegative, not all 0")
        _ = self.q

    @cached_property
    def a(self) -> Shares:
        """The feedback."""
        return tuple(Fraction(v) ** 2 for v in self.roots)

    @cached_property
    def q(self) -> Shares:
        """The distribution."""
        return floored(self.masses, self.floor)

    @cached_property
    def best(self) -> Shares:
        """That of least loss in the floored simplex: the roots, projected."""
        return law.projected(self.roots, self.floor)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.M: len(self.roots), letters.alpha: self.floor}


@dataclass(frozen=True, repr=False)
class Projected(Data):
    """Positive points y to be projected onto the floored simplex, and some distribution in it."""

    points: Any
    floor: Any = "1/2"
    masses: Any = ()

    def __post_init__(self) -> None:
        self._set(points=vector(self.points))
        self._set(masses=vector(self.masses) or (1,) * len(self.points))
        self._alike("points", "masses")
        self._floor()
        if any(not v > 0 for v in self.points):
            raise ValueError("points must be positive")
        _ = self.q

    @cached_property
    def q(self) -> Shares:
        """Some distribution in the floored simplex."""
        return floored(self.masses, self.floor)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.M: len(self.points), letters.alpha: self.floor}


@dataclass(frozen=True, repr=False)
class Growth(Data):
    """A mirror step from a floored distribution whose exponents are the logarithms of ``growth`` >= 1."""

    masses: Any
    growth: Any
    query: Any
    floor: Any = "1/2"

    def __post_init__(self) -> None:
        self._set(**{name: vector(getattr(self, name)) for name in ("masses", "growth", "query")})
        self._alike("masses", "growth", "query")
        self._floor()
        if any(not v >= 1 for v in self.growth):
            raise ValueError("growth must be at least 1: gradients are never positive")
        _ = self.p, self.q

    @cached_property
    def p(self) -> Shares:
        """Where the step starts."""
        return floored(self.masses, self.floor)

    @cached_property
    def q(self) -> Shares:
        """Some distribution in the floored simplex."""
        return floored(self.query, self.floor)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.M: len(self.masses), letters.alpha: self.floor}


@dataclass(frozen=True, repr=False)
class OneStep(Data):
    """One round of Algorithm 1: a floored distribution, the feedback, how often each client was drawn, the rate."""

    masses: Any
    feedback: Any
    draws: Any
    rate: Any
    floor: Any = "1/2"

    def __post_init__(self) -> None:
        self._set(**{name: vector(getattr(self, name)) for name in ("masses", "feedback", "draws")})
        self._set(rate=exact(self.rate))
        self._alike("masses", "feedback", "draws")
        self._floor()
        if any(not (isinstance(v, int) and v >= 0) for v in self.draws) or not any(self.draws):
            raise ValueError("draws must be nonnegative integers, not all 0")
        if any(not v >= 0 for v in self.feedback) or not any(self.feedback) or not self.rate > 0:
            raise ValueError("feedback must be nonnegative, not all 0, and the rate positive")
        _ = self.p

    @cached_property
    def p(self) -> Shares:
        """What is played."""
        return floored(self.masses, self.floor)

    @property
    def n_sampled(self) -> int:
        """The number of draws."""
        return int(sum(self.draws))

    @cached_property
    def slopes(self) -> Shares:
        """Minus the estimated gradient (7) at p."""
        n = self.n_sampled
        return tuple(a * k / (n * n * p**3) for a, k, p in zip(self.feedback, self.draws, self.p, strict=True))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {
            letters.M: len(self.masses),
            letters.K: self.n_sampled,
            letters.alpha: self.floor,
            letters.eta: self.rate,
            letters.A: max(self.feedback),
        }


@dataclass(frozen=True, repr=False)
class Triple(Data):
    """Three distributions p, q, q' with a floor, by their masses above it."""

    first: Any
    second: Any
    third: Any
    floor: Any = "1/2"

    def __post_init__(self) -> None:
        self._set(**{name: vector(getattr(self, name)) for name in ("first", "second", "third")})
        self._alike("first", "second", "third")
        self._floor()
        _, q, r = self.distributions
        if q == r:
            raise ValueError("the second and the third distribution are the same")

    @cached_property
    def distributions(self) -> tuple[Shares, ...]:
        """p, q and q'."""
        return tuple(floored(masses, self.floor) for masses in (self.first, self.second, self.third))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.M: len(self.first), letters.alpha: self.floor}


@dataclass(frozen=True, repr=False)
class Comparator(Data):
    """Any distribution, by its masses, and a floor that may be 0."""

    masses: Any
    floor: Any = "1/2"

    def __post_init__(self) -> None:
        self._set(masses=vector(self.masses))
        self._floor(zero=True)
        _ = self.q

    @cached_property
    def q(self) -> Shares:
        """The distribution."""
        return shares(self.masses, zeros=True)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        own: dict[Symbol, Number] = {letters.M: len(self.masses)}
        return own | ({letters.alpha: self.floor} if self.floor else {})


@dataclass(frozen=True, repr=False)
class Gradients(Data):
    """The stochastic gradients of one client in a round, one row each, among ``n_clients`` of equal weight."""

    gradients: Any
    n_clients: Any = 2

    def __post_init__(self) -> None:
        self._set(gradients=rows(self.gradients))
        self._count("n_clients")
        if len({len(row) for row in self.gradients}) != 1 or not any(v for row in self.gradients for v in row):
            raise ValueError("the gradients must have the same length and not all be 0")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        count = len(self.gradients)
        return {
            letters.M: self.n_clients,
            letters.batch: count,
            letters.B: count,
            letters.G: tidy_root(max(law.squared(row) for row in self.gradients)),
        }
