"""Monotone submodular set functions with f({}) = 0 and their exact multilinear extensions.

``extension(x)`` maps points (..., n) to values (...), ``gradient(x)`` to (..., n): floats or rationals (dtype object,
fmpq). Both use a closed form if there is one, else the table of all 2^n values (bit e of an index: item e is in it).
Gradients are formulas in the coordinates, which are numbers or vectors (``by_coordinates``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from flint import fmpq

from fltheory.model.schema import AsTable, AsVector, Data, Vector, indices, read_table, read_vector
from fltheory.number import RATIONAL, Number, to_float
from fltheory.problems.sets.matroids import Items, Matroid, rank_of

LARGEST_TABLE = 16  # of items
FEW = 16  # up to so many points, a loop over points is at least as fast as operations on vectors


class SetFunction(Protocol):
    """A set function on items 0..n-1."""

    @property
    def n_items(self) -> int:
        """The size of the ground set."""

    def value(self, items: Items) -> Number:
        """Return f(items), an exact rational."""

    def extension(self, x: np.ndarray) -> np.ndarray:
        """Return the multilinear extension at points (..., n)."""

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """Return the gradient of the extension at points (..., n)."""


def as_kind_of(values: Sequence[Number], x: np.ndarray) -> np.ndarray:
    """Convert exact numbers to the type of x: rationals of flint, or floats."""
    if x.dtype != object:
        return np.array([to_float(v) for v in values], dtype=float)
    found = np.empty(len(values), dtype=object)
    found[:] = [RATIONAL.scalar(v) for v in values]
    return found


class CachedNumbers:
    """Exact numbers, converted once to rationals and once to floats; the arrays are read-only."""

    def __init__(self, values: Sequence[Number]) -> None:
        self._values = values

    @cached_property
    def _rationals(self) -> np.ndarray:
        return _read_only(as_kind_of(self._values, np.empty(0, dtype=object)))

    @cached_property
    def _floats(self) -> np.ndarray:
        return _read_only(as_kind_of(self._values, np.empty(0)))

    def like(self, x: np.ndarray) -> np.ndarray:
        """Return the numbers in the type of x."""
        return self._rationals if x.dtype == object else self._floats


def _read_only(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def by_coordinates(formula: Callable[[Sequence[Any]], Sequence[Any]], x: np.ndarray) -> np.ndarray:
    """Apply a formula, from n coordinates to n numbers, to points (..., n).

    The formula gets the numbers of one point at a time if there are few points, else vectors of all points. Operations
    are the same in both cases, so each point gets the same floats.
    """
    flat = x.reshape(-1, x.shape[-1])
    if len(flat) > FEW:
        return np.stack(formula(list(np.ascontiguousarray(flat.T))), axis=-1).reshape(x.shape)
    found = np.empty(flat.shape, dtype=x.dtype)
    for i, point in enumerate(flat.tolist()):
        found[i] = formula(point)
    return found.reshape(x.shape)


def ones(x: np.ndarray) -> np.ndarray:
    """Return the number 1 for each point, (...)."""
    return np.full(x.shape[:-1], fmpq(1) if x.dtype == object else 1.0)


def products_of_others(factors: Sequence[Any]) -> list[Any]:
    """Return for each factor the product of all others: prefix times suffix, without division."""
    before, after = [], []
    product = factors[0] * 0 + 1 if factors else None
    for factor in factors:
        before.append(product)
        product = product * factor
    product = factors[0] * 0 + 1 if factors else None
    for factor in reversed(factors):
        after.append(product)
        product = product * factor
    return [b * a for b, a in zip(before, reversed(after), strict=True)]


def average_over_items(values: np.ndarray, x: np.ndarray, items: Iterable[int]) -> np.ndarray:
    """Average values (..., 2, ..., 2) over independent items; the last axis belongs to the first item."""
    for e in items:
        share = x[..., e].reshape(x.shape[:-1] + (1,) * (values.ndim - x.ndim))
        values = values[..., 0] * (1 - share) + values[..., 1] * share
    return values


class TableFunction(Data):
    """Extension and gradient of a set function of few items, from the table of its values."""

    if TYPE_CHECKING:  # a property of each subclass

        @property
        def n_items(self) -> int: ...

    def value(self, items: Items) -> Number:
        raise NotImplementedError  # each subclass has its own

    @cached_property
    def table(self) -> tuple[Number, ...]:
        """All 2^n values."""
        if self.n_items > LARGEST_TABLE:
            raise ValueError(f"{self.n_items} items: a table of all sets holds at most {LARGEST_TABLE}")
        sets = (frozenset(e for e in range(self.n_items) if s >> e & 1) for s in range(1 << self.n_items))
        return tuple(self.value(s) for s in sets)

    def extension(self, x: np.ndarray) -> np.ndarray:
        """Return the multilinear extension, computed from the table."""
        n = self.n_items
        values = np.broadcast_to(as_kind_of(self.table, x).reshape((2,) * n), (*x.shape[:-1], *(2,) * n))
        return average_over_items(values, x, range(n))

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """Return d/dx_e = (extension at x_e = 1) - (extension at x_e = 0)."""
        parts = []
        for e in range(self.n_items):
            one, zero = x.copy(), x.copy()
            one[..., e], zero[..., e] = one[..., e] * 0 + 1, zero[..., e] * 0
            parts.append(self.extension(one) - self.extension(zero))
        return np.stack(parts, axis=-1)


@dataclass(frozen=True, repr=False)
class Table(TableFunction):
    """All 2^n values; bit e of an index is 1 if item e is in the set. ``values[0]`` is 0."""

    values: AsVector

    def __post_init__(self) -> None:
        self._set(values=read_vector(self.values))
        if len(self.values) < 2 or len(self.values) & (len(self.values) - 1) or self.values[0] != 0:
            raise ValueError("expected 2^n values, that of the empty set 0")

    @property
    def n_items(self) -> int:
        return len(self.values).bit_length() - 1

    def value(self, items: Items) -> Number:
        return self.values[sum(1 << e for e in items)]


def falling_item(function: TableFunction) -> tuple[int, int] | None:
    """Return a set, as bits, and an item that lowers the value when it joins; None if the function is monotone."""
    table, n = function.table, function.n_items
    pairs = ((s, e) for s in range(1 << n) for e in range(n) if not s >> e & 1)
    return next(((s, e) for s, e in pairs if table[s | 1 << e] < table[s]), None)


def table_violation(function: TableFunction, monotone: bool = True) -> str | None:
    """Return why a function given by its table is not submodular, or not ``monotone`` as well, or None."""
    table, n = function.table, function.n_items
    full = (1 << n) - 1
    for e in range(n) if monotone else ():
        if table[full] < table[full ^ 1 << e]:
            return f"its value falls when item {e} joins all others"
    for s in range(1 << n):
        for e in range(n):
            for g in range(e):
                if not s >> e & 1 and not s >> g & 1:
                    both = s | 1 << e | 1 << g
                    if table[s | 1 << e] + table[s | 1 << g] < table[both] + table[s]:
                        return f"items {g} and {e} gain more together on top of the set {s:b} (bits)"
    return None


@dataclass(frozen=True, repr=False)
class Modular(Data):
    """The sum of the items' nonnegative weights."""

    weights: AsVector

    def __post_init__(self) -> None:
        self._set(weights=read_vector(self.weights))
        _require_nonnegative("weights", self.weights)

    @property
    def n_items(self) -> int:
        return len(self.weights)

    def value(self, items: Items) -> Number:
        return sum(self.weights[e] for e in items)

    @cached_property
    def _kept(self) -> CachedNumbers:
        return CachedNumbers(self.weights)

    def extension(self, x: np.ndarray) -> np.ndarray:
        return (x * self._kept.like(x)).sum(axis=-1)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return np.broadcast_to(self._kept.like(x), x.shape)


@dataclass(frozen=True, repr=False)
class Coverage(Data):
    """The weight of the covered points: ``points[p]`` lists the items that cover point p."""

    points: AsTable
    n_items: int
    weights: AsVector = ()

    def __post_init__(self) -> None:
        self._count("n_items")
        points = tuple(indices(p, self.n_items, "point covered by") for p in read_table(self.points))
        self._set(points=points, weights=read_vector(self.weights) or (1,) * len(points))
        self._require_same_length("points", "weights")
        _require_nonnegative("weights", self.weights)

    def value(self, items: Items) -> Number:
        return sum(w for p, w in zip(self.points, self.weights, strict=True) if not items.isdisjoint(p))

    @cached_property
    def _kept(self) -> CachedNumbers:
        return CachedNumbers(self.weights)

    def extension(self, x: np.ndarray) -> np.ndarray:
        total = ones(x) * 0
        for point, weight in zip(self.points, self._kept.like(x), strict=True):
            missed = ones(x)
            for e in point:
                missed = missed * (1 - x[..., e])
            total = total + (1 - missed) * weight
        return total

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """Return the gradient: a point adds to d/dx_e the product of 1 - x over its other items."""
        weights = self._kept.like(x).tolist()

        def formula(x: Sequence[Any]) -> list[Any]:
            found, left = [v * 0 for v in x], [1 - v for v in x]
            for point, weight in zip(self.points, weights, strict=True):
                for e, product in zip(point, products_of_others([left[e] for e in point]), strict=True):
                    found[e] = found[e] + product * weight
            return found

        return by_coordinates(formula, x)


@dataclass(frozen=True, repr=False)
class FacilityLocation(Data):
    """The weighted sum over customers of their best score in the set: ``scores[i][j]`` >= 0, customer i and item j."""

    scores: AsTable
    weights: AsVector = ()

    def __post_init__(self) -> None:
        self._set(scores=read_table(self.scores))
        self._set(weights=read_vector(self.weights) or (1,) * len(self.scores))
        self._require_same_length("scores", "weights")
        if len({len(row) for row in self.scores}) != 1:
            raise ValueError("every customer needs a score for every item")
        for row in (*self.scores, self.weights):
            _require_nonnegative("scores and weights", row)

    @property
    def n_items(self) -> int:
        return len(self.scores[0])

    @cached_property
    def _sorted(self) -> tuple[tuple[int, ...], ...]:
        """The items of each customer by decreasing score."""
        return tuple(map(_order_descending, self.scores))

    @cached_property
    def _kept(self) -> tuple[CachedNumbers, ...]:
        """The scores of each customer, and last the weights."""
        return tuple(map(CachedNumbers, (*self.scores, self.weights)))

    def _customers(self, x: np.ndarray) -> Iterable[tuple[tuple[int, ...], list[Any], Any]]:
        """Return for each customer the items by decreasing score, the scores and the weight, in the type of x."""
        *scores, weights = (kept.like(x).tolist() for kept in self._kept)
        return zip(self._sorted, scores, weights, strict=True)

    def value(self, items: Items) -> Number:
        return sum(
            w * max((row[j] for j in items), default=0) for row, w in zip(self.scores, self.weights, strict=True)
        )

    def extension(self, x: np.ndarray) -> np.ndarray:
        """Return sum_k c_(k) x_(k) prod_{l<k} (1 - x_(l)), with decreasing scores c."""
        total = ones(x) * 0
        for order, own, weight in self._customers(x):
            missed = ones(x)
            for j in order:
                total = total + missed * x[..., j] * (own[j] * weight)
                missed = missed * (1 - x[..., j])
        return total

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """Return prod_{l<k} (1 - x_(l)) (c_(k) - t_{k+1}), where t_k is the expected best score of items k, k+1, ..."""
        customers = tuple(self._customers(x))

        def formula(x: Sequence[Any]) -> list[Any]:
            found, left = [v * 0 for v in x], [1 - v for v in x]
            for order, own, weight in customers:
                later, rest = weight * 0, []
                for j in reversed(order):
                    rest.append(own[j] - later)
                    later = x[j] * own[j] + left[j] * later
                missed = weight * 0 + 1
                for j, gain in zip(order, reversed(rest), strict=True):
                    found[j] = found[j] + missed * gain * weight
                    missed = missed * left[j]
            return found

        return by_coordinates(formula, x)


@dataclass(frozen=True, repr=False)
class Capped(TableFunction):
    """min(cap, sum of the items' weights): a concave function of a modular one."""

    weights: AsVector
    cap: Number

    def __post_init__(self) -> None:
        self._set(weights=read_vector(self.weights), cap=read_vector(self.cap)[0])
        _require_nonnegative("weights and cap", (*self.weights, self.cap))

    @property
    def n_items(self) -> int:
        return len(self.weights)

    def value(self, items: Items) -> Number:
        return min(self.cap, sum(self.weights[e] for e in items))


@dataclass(frozen=True, repr=False)
class WeightedRank(TableFunction):
    """The largest weight of an independent subset of the set."""

    matroid: Matroid
    weights: AsVector

    def __post_init__(self) -> None:
        self._set(weights=read_vector(self.weights))
        _require_nonnegative("weights", self.weights)
        if len(self.weights) != self.matroid.n_items:
            raise ValueError(f"{len(self.weights)} weights for {self.matroid.n_items} items")

    @property
    def n_items(self) -> int:
        return len(self.weights)

    def value(self, items: Items) -> Number:
        levels = sorted({0, *self.weights})
        above = [frozenset(e for e in items if self.weights[e] >= level) for level in levels]
        return sum((b - a) * rank_of(self.matroid, s) for (a, b), s in zip(pairwise(levels), above[1:], strict=True))


@dataclass(frozen=True, repr=False)
class Mixture(Data):
    """A weighted sum of functions on the same items."""

    functions: tuple[SetFunction, ...]
    weights: AsVector = ()

    def __post_init__(self) -> None:
        functions = tuple(self.functions) if isinstance(self.functions, tuple | list) else (self.functions,)
        self._set(functions=functions, weights=read_vector(self.weights) or (1,) * len(functions))
        self._require_same_length("functions", "weights")
        _require_nonnegative("weights", self.weights)
        if len({f.n_items for f in functions}) != 1:
            raise ValueError("the functions must have the same items")

    @property
    def n_items(self) -> int:
        return self.functions[0].n_items

    def value(self, items: Items) -> Number:
        return sum(w * f.value(items) for f, w in zip(self.functions, self.weights, strict=True))

    @cached_property
    def _kept(self) -> CachedNumbers:
        return CachedNumbers(self.weights)

    def extension(self, x: np.ndarray) -> np.ndarray:
        parts = zip(self.functions, self._kept.like(x), strict=True)
        return sum((f.extension(x) * w for f, w in parts), ones(x) * 0)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return sum((f.gradient(x) * w for f, w in zip(self.functions, self._kept.like(x), strict=True)), x * 0)


def _order_descending(row: Vector) -> tuple[int, ...]:
    """Return the indices of a row by decreasing entry, equal entries in their order."""
    return tuple(sorted(range(len(row)), key=lambda j: (-row[j], j)))


def _require_nonnegative(name: str, values: Iterable[Number]) -> None:
    if any(not v >= 0 for v in values):
        raise ValueError(f"{name} must be nonnegative")
