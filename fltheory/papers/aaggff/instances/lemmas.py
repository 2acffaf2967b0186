"""Instances for the lemmas about one round: decisions, ranges of responses, quadratic forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING

from flint import fmpq, fmpq_mat
from sympy import Symbol

from fltheory.model.schema import (
    AsTable,
    AsVector,
    Data,
    Domain,
    Record,
    Table,
    count,
    nonnegative,
    per,
    positive,
    rational,
    read_table,
    read_vector,
    real,
    scalar,
)
from fltheory.number import Number, exact
from fltheory.number.vectors import total
from fltheory.papers.aaggff.notation import C1, C2, K, T
from fltheory.work import charge_each

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Vector = tuple[Fraction, ...]
masses = rational(nonnegative)  # of a decision: with ``some``, not all 0


def _parts() -> SearchStrategy:
    from hypothesis import strategies as st

    return st.builds(Fraction, st.integers(1, 9), st.just(10))


part = Domain("between 0 and 1", lambda v: 0 < v < 1, _parts)


def dot(x: Sequence[Number], y: Sequence[Number]) -> Fraction:
    """Return <x, y>."""
    return total(Fraction(v) * w for v, w in zip(x, y, strict=True))


def distribution(name: str, masses: tuple[Number, ...]) -> Vector:
    """Return the masses divided by their sum; ValueError if one is negative or all are 0."""
    if min(masses) < 0 or not any(masses):
        raise ValueError(f"{name}: expected masses of at least 0, not all 0")
    return tuple(Fraction(v) / sum(masses) for v in masses)


class PerClient(Record):
    """Data with one entry for each of at least two clients."""

    @property
    def dim(self) -> int:
        """The number of entries of a decision."""
        return self._sizes[K]

    def require(self) -> None:
        if self.dim < 2:
            raise ValueError(f"{type(self).__name__}: expected two clients or more")


# Decisions ----------------------------------------------------------------------------------------------------------


class TwoDecisions(PerClient):
    """A response and two decisions, given by masses."""

    response: AsVector = per(K, of=rational(nonnegative))
    p: AsVector = per(K, of=masses, nonzero=True)
    q: AsVector = per(K, of=masses, nonzero=True)

    @cached_property
    def decisions(self) -> tuple[Vector, Vector]:
        """Return p and q."""
        return distribution("p", self.p), distribution("q", self.q)

    @cached_property
    def growths(self) -> tuple[Fraction, Fraction]:
        """Return 1 + <p, r> and 1 + <q, r>, whose negative logarithms are the losses."""
        p, q = self.decisions
        return 1 + dot(p, self.response), 1 + dot(q, self.response)

    @cached_property
    def gradients(self) -> tuple[Vector, Vector]:
        """Return the gradients of the loss at p and at q."""
        a, b = self.growths
        return tuple(-Fraction(r) / a for r in self.response), tuple(-Fraction(r) / b for r in self.response)

    @cached_property
    def move(self) -> Vector:
        """Return q - p."""
        p, q = self.decisions
        return tuple(w - v for v, w in zip(p, q, strict=True))

    @cached_property
    def slopes(self) -> tuple[Fraction, Fraction]:
        """Return <gradient, q - p> for the gradients at p and at q."""
        at_p, at_q = self.gradients
        return dot(at_p, self.move), dot(at_q, self.move)


class Blend(TwoDecisions):
    """Two decisions, the share of the first in their mean, and a power of the growth."""

    part: Number = scalar(rational(part), default="1/2")
    power: Number = scalar(rational(positive), default=1)

    def mean(self, values: tuple[Number, Number]) -> Number:
        """Return part times the first plus 1 - part times the second."""
        first, second = values
        return self.part * first + (1 - self.part) * second


class ResponseBox(Record):
    """All responses in [low, high]^K: a function that is convex in the response is largest at an extreme point."""

    n_clients: int = scalar(count(2), K)
    low: Number = scalar(rational(nonnegative), C1)
    high: Number = scalar(rational(nonnegative), C2)

    def require(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"responses from {self.low} to {self.high}: expected 0 <= low < high")

    def corners(self) -> Iterator[Vector]:
        """Return the extreme points."""
        return charge_each(product((Fraction(self.low), Fraction(self.high)), repeat=self.n_clients))

    def steepest(self, rise: Callable[[Vector], Fraction]) -> Fraction:
        """Return the largest <gradient, h> over responses and decisions; ``rise``: the largest <r, h> over the steps h.

        For a step h it is convex in the response, and largest at the decision with the smallest growth.
        """
        return max(rise(r) / (1 + min(r)) for r in self.corners())

    def at_vertices(self) -> Iterator[tuple[Fraction, Fraction]]:
        """Return 1 + <p, r> and 1 + <q, r> for the extreme responses that differ at the vertices p and q."""
        for r in self.corners():
            yield from ((1 + r[i], 1 + r[j]) for i, j in product(range(self.n_clients), repeat=2) if r[i] != r[j])


class Exponentials(PerClient):
    """The entropy step (9) with rational weights exp(-cumulative gradient / eta), and another decision by masses."""

    weights: tuple[Number, ...] = per(K, of=rational(positive))
    masses: tuple[Number, ...] = per(K, of=masses, nonzero=True)
    scale: Number = scalar(rational(positive), default=1)

    @cached_property
    def closed_form(self) -> Vector:
        """Return (93): the weights divided by their sum."""
        return distribution("weights", self.weights)

    @cached_property
    def other(self) -> Vector:
        """Return the other decision."""
        return distribution("masses", self.masses)


class Regularised(PerClient):
    """The entropy at a decision, given by masses, with the weights of a round and the next."""

    masses: tuple[Number, ...] = per(K, of=masses, nonzero=True)
    round: int = scalar(count(most=1000), default=1)

    @cached_property
    def decision(self) -> Vector:
        """Return the decision."""
        return distribution("masses", self.masses)


# The regret of arbitrary points --------------------------------------------------------------------------------------


class FtrlPoints(Record):
    """Points p^(1..T+1) and a comparator, gradients of linear losses, and R^(t) = weights[t]/2 |p|^2, t = 1..T+1."""

    points: Table = per("point", K, of=rational(real))
    gradients: Table = per(T, K, of=rational(real))
    weights: tuple[Number, ...] = per("point", of=rational(real))
    comparator: tuple[Number, ...] = per(K, of=rational(real))

    def require(self) -> None:
        if len(self.points) != len(self.gradients) + 1:
            raise ValueError("points and weights: one more than gradients")


# Quadratic forms ----------------------------------------------------------------------------------------------------


def _fmpq(value: Number) -> fmpq:
    number = Fraction(value)
    return fmpq(number.numerator, number.denominator)


def _column(values: Sequence[Number]) -> fmpq_mat:
    return fmpq_mat(len(values), 1, [_fmpq(v) for v in values])


def _list(column: fmpq_mat) -> Vector:
    return tuple(Fraction(int(v.p), int(v.q)) for v in column.entries())


class RationalData(Data):
    """Data that must be rational, since measures of them are computed exactly."""

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            row = value if isinstance(value, tuple) else (value,)
            flat = [v for item in row for v in (item if isinstance(item, tuple) else (item,))]
            if not all(isinstance(v, int | Fraction) for v in flat):
                raise ValueError(f"{name}: expected rational numbers")
        super()._set(**values)


class _WithForm(RationalData):
    """B = diag(diagonal) + sum of v v^T over the vectors, which is positive definite."""

    diagonal: AsVector
    vectors: AsTable

    def _read_form(self) -> None:
        self._set(diagonal=read_vector(self.diagonal), vectors=read_table(self.vectors))
        if min(self.diagonal) <= 0 or any(len(v) != len(self.diagonal) for v in self.vectors):
            raise ValueError("expected a positive diagonal and vectors of its length")

    @property
    def dim(self) -> int:
        """The number of entries of a vector."""
        return len(self.diagonal)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {K: self.dim}

    @cached_property
    def matrix(self) -> fmpq_mat:
        """Return B."""
        n = len(self.diagonal)
        found = fmpq_mat(n, n, [_fmpq(self.diagonal[i]) if i == j else 0 for i in range(n) for j in range(n)])
        for v in self.vectors:
            column = _column(v)
            found += column * column.transpose()
        return found

    def times(self, x: Sequence[Number]) -> Vector:
        """Return B x."""
        return _list(self.matrix * _column(x))

    def solved(self, g: Sequence[Number]) -> Vector:
        """Return B^{-1} g."""
        return _list(self.matrix.solve(_column(g)))


@dataclass(frozen=True, repr=False)
class Form(_WithForm):
    """A positive definite form and two vectors."""

    diagonal: AsVector
    vectors: AsTable
    x: AsVector
    y: AsVector

    def __post_init__(self) -> None:
        self._read_form()
        self._set(x=read_vector(self.x), y=read_vector(self.y))
        self._require_same_length("diagonal", "x", "y")


@dataclass(frozen=True, repr=False)
class QuadraticOnSimplex(_WithForm):
    """f(x) = x^T B x / 2 + <linear, x> on the simplex, a point by masses, and a subgradient there.

    The subgradient is the gradient plus ``shift`` in every entry, less ``slack`` (at least 0) where the point is 0.
    """

    diagonal: AsVector
    vectors: AsTable
    linear: AsVector
    masses: AsVector
    shift: Number = 0
    slack: AsVector = ()

    def __post_init__(self) -> None:
        self._read_form()
        self._set(linear=read_vector(self.linear), masses=read_vector(self.masses), shift=exact(self.shift))
        self._set(slack=read_vector(self.slack) or (0,) * len(self.diagonal))
        self._require_same_length("diagonal", "linear", "masses", "slack")
        if min(self.slack) < 0:
            raise ValueError("slack: expected nonnegative numbers")
        _ = self.point

    @cached_property
    def point(self) -> Vector:
        """Return x."""
        return distribution("masses", self.masses)

    def value(self, x: Vector) -> Fraction:
        """Return f(x)."""
        return dot(self.times(x), x) / 2 + dot(self.linear, x)

    @cached_property
    def subgradient(self) -> Vector:
        """Return the subgradient of f plus the indicator of the simplex."""
        parts = zip(self.times(self.point), self.linear, self.slack, self.point, strict=True)
        return tuple(b + c + self.shift - (0 if x else s) for b, c, s, x in parts)

    @cached_property
    def least(self) -> Fraction:
        """Return the minimum over the simplex: the least of the minima on the supports that lie in it."""
        n = len(self.diagonal)
        supports = (s for size in range(1, n + 1) for s in charge_each(combinations(range(n), size)))
        return min(self.value(x) for s in supports if (x := self._stationary(s)) is not None)

    def _stationary(self, support: tuple[int, ...]) -> Vector | None:
        """Return the point with this support, equal partial derivatives there and sum 1; None outside the simplex."""
        k = len(support)
        system = [[self.matrix[i, j] for j in support] + [fmpq(1)] for i in support] + [[fmpq(1)] * k + [fmpq(0)]]
        right = [-Fraction(self.linear[i]) for i in support] + [Fraction(1)]
        found = _list(fmpq_mat(k + 1, k + 1, [v for row in system for v in row]).solve(_column(right)))[:k]
        if min(found) < 0:
            return None
        x = [Fraction(0)] * len(self.diagonal)
        for i, v in zip(support, found, strict=True):
            x[i] = v
        return tuple(x)
