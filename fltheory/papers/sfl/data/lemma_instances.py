"""What the lemmas are checked on: points of one function, vectors, recursions, signs, plain parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from sympy import Symbol

from fltheory import symbols
from fltheory.case import Case
from fltheory.number import Number, Ring, exact
from fltheory.number.vectors import tidy_root
from fltheory.papers.sfl import letters
from fltheory.record import rows, short, vector

Vector = tuple[Number, ...]


class _Data:
    """Frozen data whose ``repr`` rebuilds it."""

    def __repr__(self) -> str:
        parts = (f"{f.name}={short(getattr(self, f.name))!r}" for f in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(parts)})"

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, repr=False)
class Points(_Data):
    """Three points of h(x) = sum_i c_i(x_i) x_i^2 / 2 + slopes_i x_i, c_i = left_i for x_i < 0 and right_i beyond."""

    left: Any
    right: Any
    slopes: Any
    x: Any
    y: Any
    z: Any

    def __post_init__(self) -> None:
        self._set(**{f.name: vector(getattr(self, f.name)) for f in fields(self)})
        if len({len(getattr(self, f.name)) for f in fields(self)}) != 1:
            raise ValueError("left, right, slopes, x, y and z must have the same length")
        if any(not v >= 0 for v in (*self.left, *self.right)):
            raise ValueError("left and right must be nonnegative")

    def _curvature(self, i: int, at: Number) -> Fraction:
        return Fraction(self.left[i] if at < 0 else self.right[i])

    def value(self, at: Vector) -> Fraction:
        """h at a point."""
        return sum((self._curvature(i, v) * v * v / 2 + self.slopes[i] * v for i, v in enumerate(at)), Fraction(0))

    def gradient(self, at: Vector) -> tuple[Fraction, ...]:
        """The gradient of h at a point."""
        return tuple(self._curvature(i, v) * v + self.slopes[i] for i, v in enumerate(at))

    @property
    def bregman(self) -> Fraction:
        """h(x) - h(y) - <grad h(y), x - y>."""
        return self.value(self.x) - self.value(self.y) - inner(self.gradient(self.y), difference(self.x, self.y))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        curvatures = (*self.left, *self.right)
        return {
            letters.dimension: len(self.x),
            letters.L: max(curvatures),
            letters.mu: min(curvatures),
            letters.distance: tidy_root(squared(difference(self.x, self.z))),
            letters.divergence: exact(self.bregman),
        }


@dataclass(frozen=True, repr=False)
class Vectors(_Data):
    """One vector for every client, such as the client gradients at the minimiser."""

    clients: Any

    def __post_init__(self) -> None:
        self._set(clients=rows(self.clients))
        if len({len(row) for row in self.clients}) != 1:
            raise ValueError("the clients' vectors must have the same length")

    @property
    def centred(self) -> tuple[tuple[Fraction, ...], ...]:
        """The vectors minus their mean."""
        count = len(self.clients)
        mean = [sum((Fraction(row[i]) for row in self.clients), Fraction(0)) / count for i in self._axes]
        return tuple(tuple(row[i] - mean[i] for i in self._axes) for row in self.clients)

    @property
    def _axes(self) -> range:
        return range(len(self.clients[0]))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        square = sum((squared(row) for row in self.centred), Fraction(0)) / len(self.clients)
        return {
            letters.M: len(self.clients),
            letters.dimension: len(self.clients[0]),
            letters.zeta_star: tidy_root(square),
        }


@dataclass(frozen=True, repr=False)
class Recursion(_Data):
    """d_{r+1} = (1 - a eta) d_r - b eta f_r + c_1 eta^2 + c_2 eta^3, where f_r takes a share of all that it could.

    ``shares`` lie in [0, 1] and are used in turn; the last round takes the last of them. With a last share of 1 and
    the others 0 the weighted average of f is the largest that the recursion allows.
    """

    contraction: Any
    descent: Any
    noise_coefficient: Any
    drift_coefficient: Any
    initial_distance: Any
    shares: Any = (0, 1)

    def __post_init__(self) -> None:
        self._set(
            **{f.name: exact(getattr(self, f.name)) for f in fields(self) if f.name != "shares"},
            shares=vector(self.shares),
        )
        if any(not 0 <= s <= 1 for s in self.shares):
            raise ValueError("shares must lie in [0, 1]")

    def weighted_average(self, case: Case, ring: Ring) -> Any:
        """sum w_r f_r / sum w_r over r = 0..R with w_r = (1 - a eta)^-(r+1)."""
        constants = case.constants
        rounds = int(constants[letters.R])
        eta, a, b, c1, c2, start = (
            ring.scalar(v)
            for v in (
                constants[letters.eta_eff],
                self.contraction,
                self.descent,
                self.noise_coefficient,
                self.drift_coefficient,
                self.initial_distance,
            )
        )
        keep, added = 1 - a * eta, c1 * eta**2 + c2 * eta**3
        shares = [ring.scalar(s) for s in self.shares]
        d, total, weight = start * start, ring.scalar(0), ring.scalar(0)
        for r in range(rounds + 1):
            share = shares[-1] if r == rounds else shares[r % len(shares)]
            available = keep * d + added
            total, weight = total * keep + share * available / (b * eta), weight * keep + 1
            d = (1 - share) * available
        return total / weight

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {symbols.VOCABULARY[f.name].symbol: getattr(self, f.name) for f in fields(self) if f.name != "shares"}


@dataclass(frozen=True, repr=False)
class IndependentSigns(_Data):
    """``n_signs`` independent fair signs."""

    n_signs: Any

    def __post_init__(self) -> None:
        self._set(n_signs=_count(self.n_signs, 0))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.n: self.n_signs}


@dataclass(frozen=True, repr=False)
class BalancedSigns(_Data):
    """A random permutation of as many pluses as minuses, one sign for each of ``n_clients`` clients (even)."""

    n_clients: Any

    def __post_init__(self) -> None:
        self._set(n_clients=_count(self.n_clients, 2))
        if self.n_clients % 2:
            raise ValueError("n_clients must be even")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.M: self.n_clients}


@dataclass(frozen=True, repr=False)
class StepPair(_Data):
    """Two contractions d = curvature * step of a local step, 0 < low < high < 1, for M clients with K local steps."""

    n_clients: Any
    n_local_steps: Any
    low: Any
    high: Any

    def __post_init__(self) -> None:
        self._set(
            n_clients=_count(self.n_clients, 2),
            n_local_steps=_count(self.n_local_steps, 1),
            low=exact(self.low),
            high=exact(self.high),
        )
        if not 0 < self.low < self.high < 1:
            raise ValueError("expected 0 < low < high < 1")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.M: self.n_clients, letters.K: self.n_local_steps}


class Parameters:
    """Constants alone, for statements that compare formulas: ``Parameters(smoothness=1, n_rounds=9)``."""

    only_constants = True  # so that settings may change them

    def __init__(self, **values: object) -> None:
        self._values = Case(self, **values).settings

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {symbols.VOCABULARY[name].symbol: value for name, value in getattr(self, "_values", ())}

    def __repr__(self) -> str:
        return f"Parameters({', '.join(f'{n}={short(v)!r}' for n, v in self._values)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parameters) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self._values)


def _count(value: object, least: int) -> int:
    number = exact(value)
    if not isinstance(number, int) or number < least:
        raise ValueError(f"expected an integer of at least {least}, got {value!r}")
    return number


def difference(first: Vector, second: Vector) -> tuple[Fraction, ...]:
    """first - second."""
    return tuple(Fraction(p) - q for p, q in zip(first, second, strict=True))


def inner(first: Iterable[Any], second: Iterable[Any]) -> Fraction:
    """The inner product."""
    return sum((Fraction(p) * q for p, q in zip(first, second, strict=True)), Fraction(0))


def squared(values: Any) -> Fraction:
    """The squared norm."""
    return sum((Fraction(v) ** 2 for v in values), Fraction(0))
