"""The instances of the lemmas: points of one function, vectors, recursions, signs, parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpq
from sympy import Symbol

from fltheory.model.case import Case, OnlyConstants
from fltheory.model.schema import (
    AsTable,
    AsVector,
    Domain,
    Record,
    constant,
    count,
    nonnegative,
    per,
    positive,
    real,
    scalar,
    share,
    shortest_form,
)
from fltheory.number import Number
from fltheory.number.mixed import Mixed, shorten_to_ball, to_mixed
from fltheory.number.vectors import exact_sqrt
from fltheory.papers.sfl import notation
from fltheory.problems.separable import KinkedFunction
from fltheory.work import EXACT_NUMBERS_PER_UNIT, spend

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Vector = tuple[Number, ...]
A_ROUND = 3 / EXACT_NUMBERS_PER_UNIT  # work units of one round of a recursion, which has three exact numbers
CARRIED = 2**15  # largest number of bits of a recursion's numbers


def _hundreds() -> SearchStrategy:
    from hypothesis import strategies as st

    return st.integers(0, 100).map(lambda half: 2 * half)


def _pairs() -> SearchStrategy:
    from hypothesis import strategies as st

    return st.one_of(st.integers(1, 4), st.integers(1, 40)).map(lambda half: 2 * half)


def _parts() -> SearchStrategy:
    from hypothesis import strategies as st

    fine = st.builds(Fraction, st.integers(1, 9), st.sampled_from([10**2, 10**4, 10**6]))
    return st.one_of(st.builds(Fraction, st.integers(1, 99), st.just(100)), fine)


EVEN_NUMBERS = Domain("even numbers", lambda v: isinstance(v, int) and v >= 0 and v % 2 == 0, _hundreds)
HALVES = Domain("even numbers of at least 2", lambda v: isinstance(v, int) and v >= 2 and v % 2 == 0, _pairs)
OPEN = Domain("0 < low < high < 1", lambda v: 0 < v < 1, _parts)


class Points(Record):
    """Three points of h(x) = sum_i c_i(x_i) x_i^2 / 2 + slopes_i x_i, c_i = left_i for x_i < 0, else right_i."""

    left: AsVector = per(notation.dimension, of=nonnegative)
    right: AsVector = per(notation.dimension, of=nonnegative)
    slopes: AsVector = per(notation.dimension, of=real)
    x: AsVector = per(notation.dimension, of=real)
    y: AsVector = per(notation.dimension, of=real)
    z: AsVector = per(notation.dimension, of=real)

    @property
    def _function(self) -> KinkedFunction:
        return KinkedFunction(self.left, self.right, self.slopes)

    def value(self, at: Vector) -> Fraction:
        """Return h at a point."""
        return self._function.value(at)

    def gradient(self, at: Vector) -> tuple[Fraction, ...]:
        """Return the gradient of h at a point."""
        return self._function.gradient(at)

    @constant(notation.L)
    def steepest(self) -> Number:
        """Return the largest curvature."""
        return max((*self.left, *self.right))

    @constant(notation.mu)
    def flattest(self) -> Number:
        """Return the least curvature."""
        return min((*self.left, *self.right))

    @constant(notation.distance)
    def apart(self) -> Number:
        """Return |x - z|."""
        return exact_sqrt(squared_norm(difference(self.x, self.z)))

    @constant(notation.divergence)
    def bregman(self) -> Fraction:
        """Return h(x) - h(y) - <grad h(y), x - y>."""
        return self.value(self.x) - self.value(self.y) - inner(self.gradient(self.y), difference(self.x, self.y))


class Vectors(Record):
    """One vector for every client, such as the client gradients at the minimiser."""

    clients: AsTable = per(notation.M, notation.dimension, of=real)

    @property
    def centred(self) -> tuple[tuple[Fraction, ...], ...]:
        """The vectors minus their mean."""
        mean = [sum(column, Fraction(0)) / len(self.clients) for column in zip(*self.clients, strict=True)]
        return tuple(difference(row, mean) for row in self.clients)

    @constant(notation.zeta_star)
    def spread(self) -> Number:
        """Return the root mean square of the centred vectors."""
        return exact_sqrt(sum(map(squared_norm, self.centred), Fraction(0)) / len(self.clients))


class Recursion(Record):
    """Recursion d_{r+1} = (1 - a eta) d_r - b eta f_r + c_1 eta^2 + c_2 eta^3; f_r is a share of its largest value.

    ``shares`` lie in [0, 1] and are used in turn; the last round uses the last share. With a last share of 1 and
    the others 0 the weighted average of f is the largest that the recursion allows.
    """

    contraction: Number = scalar(nonnegative, notation.a)
    descent: Number = scalar(positive, notation.b)
    noise_coefficient: Number = scalar(nonnegative, notation.c1)
    drift_coefficient: Number = scalar(nonnegative, notation.c2)
    initial_distance: Number = scalar(nonnegative, notation.D)
    shares: AsVector = per("share", of=share, default=(0, 1))

    def weighted_average(self, step: Number, rounds: int) -> Mixed:
        """Return sum w_r f_r / sum w_r over r = 0..R with w_r = (1 - a eta)^-(r+1)."""
        eta, a, b, c1, c2, start = map(
            to_mixed,
            (
                step,
                self.contraction,
                self.descent,
                self.noise_coefficient,
                self.drift_coefficient,
                self.initial_distance,
            ),
        )
        keep, added = 1 - a * eta, c1 * eta**2 + c2 * eta**3
        shares = list(map(to_mixed, self.shares))
        d, total, weight = start * start, fmpq(0), fmpq(0)
        spend(A_ROUND * (rounds + 1))
        for r in range(rounds + 1):
            share = shares[-1] if r == rounds else shares[r % len(shares)]
            available = keep * d + added
            total, weight = total * keep + share * available / (b * eta), weight * keep + 1
            d, total, weight = (shorten_to_ball(v, CARRIED) for v in ((1 - share) * available, total, weight))
        return total / weight


class IndependentSigns(Record):
    """``n_signs`` independent fair signs."""

    n_signs: int = scalar(count(0, 100), notation.n)


class BalancedSigns(Record):
    """A random permutation of equally many pluses and minuses, one for each of ``n_clients`` clients (even)."""

    n_clients: int = scalar(HALVES, notation.M)


class StepPair(Record):
    """Two contractions d = curvature * step of a local step, 0 < low < high < 1, for M clients with K local steps."""

    n_clients: int = scalar(count(2, 12), notation.M)
    n_local_steps: int = scalar(count(1, 12), notation.K)
    low: Number = scalar(OPEN)
    high: Number = scalar(OPEN)

    def require(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"low = {self.low}, high = {self.high}: expected 0 < low < high < 1")


class Parameters(OnlyConstants):
    """Constants without an instance, for statements that compare formulas: ``Parameters(smoothness=1, n_rounds=9)``."""

    def __init__(self, **values: object) -> None:
        self.constants: Mapping[Symbol, Number] = {}
        read = Case(self, **values)
        self._values, self.constants = read.settings, read.constants

    def __repr__(self) -> str:
        return f"Parameters({', '.join(f'{n}={shortest_form(v)!r}' for n, v in self._values)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parameters) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self._values)


def difference(first: Iterable[Any], second: Iterable[Any]) -> tuple[Fraction, ...]:
    """Return first - second."""
    return tuple(Fraction(p) - q for p, q in zip(first, second, strict=True))


def inner(first: Iterable[Any], second: Iterable[Any]) -> Fraction:
    """Return the inner product."""
    return sum((Fraction(p) * q for p, q in zip(first, second, strict=True)), Fraction(0))


def squared_norm(values: Iterable[Number]) -> Fraction:
    """Return the squared norm."""
    return sum((Fraction(v) ** 2 for v in values), Fraction(0))
