"""Clients known by their values and gradients at finitely many points: the largest functions of a class with these data.

Between the data a client is mu |x|^2 / 2 plus the convex hull of parabolas of curvature L - mu (Taylor, Hendrickx and Glineur
2017): min over weights a on the simplex of (L - mu) |x - sum a_i z_i|^2 / 2 + sum a_i c_i. The weights are found exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq
from sympy import Symbol

from fltheory import symbols
from fltheory.case import Client
from fltheory.number import RATIONAL, Number, exact
from fltheory.number.complementary import complementary
from fltheory.number.vectors import tidy_root
from fltheory.problems.additive_noise import types_of
from fltheory.record import AsVector, Data, Vector, rows, vector

Point = tuple[fmpq, ...]
ZERO = fmpq(0)


class Known(NamedTuple):
    """A function at one point."""

    value: fmpq
    gradient: Point


class Parabola(NamedTuple):
    """(L - mu) |x - centre|^2 / 2 + height."""

    centre: Point
    height: fmpq


@dataclass(frozen=True, repr=False)
class InterpolatedClients(Data):
    """``points[m][i]``, ``gradients[m][i]``: vectors; ``values[m][i]``: numbers. The first point of every client is x*.

    Curvatures lie between ``strong_convexity`` and ``smoothness``. ValueError where no functions of this class have these data,
    or x* is no minimiser of their mean.
    """

    points: Sequence[Any]
    gradients: Sequence[Any]
    values: Sequence[Any]
    start: AsVector
    smoothness: Number = 1
    strong_convexity: Number = 0
    draws = 0

    def __post_init__(self) -> None:
        tables = {n: tuple(rows(client) for client in getattr(self, n)) for n in ("points", "gradients")}
        self._set(start=vector(self.start), values=rows(self.values), **tables)
        self._set(smoothness=exact(self.smoothness), strong_convexity=exact(self.strong_convexity))
        shapes = {len(t) for t in (self.points, self.gradients, self.values)}
        if len(shapes) != 1 or not self.points:
            raise ValueError("points, gradients and values need one entry for every client")
        for p, g, v in zip(self.points, self.gradients, self.values, strict=True):
            if not len(p) == len(g) == len(v) or any(len(one) != self.dim for one in (*p, *g)):
                raise ValueError("every point needs a gradient, a value, and one entry for every coordinate of start")
        if not 0 <= self.strong_convexity < self.smoothness:
            raise ValueError(f"strong_convexity must lie in [0, smoothness), got {self.strong_convexity}")
        self._require_data()

    def _require_data(self) -> None:
        """ValueError unless functions of the class have these data and x* minimises their mean."""
        if len({client[0] for client in self.points}) > 1:
            raise ValueError("the first point of every client must be the same, x*")
        pulls = [data[0].gradient for data in self._data]
        if any(sum(p[i] for p in pulls) != 0 for i in range(self.dim)):
            raise ValueError("the gradients at the first point, x*, must sum to 0")
        for m, data in enumerate(self._data):
            for (i, x), known in zip(enumerate(self._places[m]), data, strict=True):
                found = self._hull(m, x)
                if found.value != known.value:
                    raise ValueError(f"no function of this class has the data of client {m}: see its point {i}")

    @property
    def n_clients(self) -> int:
        return len(self.points)

    @property
    def dim(self) -> int:
        return len(self.start)

    @property
    def minimiser(self) -> Vector:
        return self.points[0][0]

    @property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal objectives."""
        return types_of(zip(self.points, self.gradients, self.values, strict=True))

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        start, best = (_point(v) for v in (self.start, self.minimiser))
        pulls = [_square(data[0].gradient) for data in self._data]
        gap = sum((self._at(m, start).value - data[0].value for m, data in enumerate(self._data)), ZERO)
        return {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.smoothness: self.smoothness,
            symbols.strong_convexity: self.strong_convexity,
            symbols.initial_distance: tidy_root(
                _fraction(_square(tuple(a - b for a, b in zip(start, best, strict=True))))
            ),
            symbols.initial_gap: exact(_fraction(gap / self.n_clients)),
            symbols.heterogeneity_at_optimum: tidy_root(_fraction(sum(pulls, ZERO) / self.n_clients)),
            symbols.noise_std: 0,
        }

    # -- objectives ----------------------------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> tuple[tuple[Point, ...], ...]:
        return tuple(tuple(_point(x) for x in client) for client in self.points)

    @cached_property
    def _data(self) -> tuple[tuple[Known, ...], ...]:
        scalar = RATIONAL.scalar
        return tuple(
            tuple(Known(scalar(v), _point(g)) for g, v in zip(gradients, values, strict=True))
            for gradients, values in zip(self.gradients, self.values, strict=True)
        )

    @cached_property
    def _seen(self) -> dict[tuple[int, Point], Known]:
        """What is known without looking for weights."""
        return {
            (m, x): known for m, data in enumerate(self._data) for x, known in zip(self._places[m], data, strict=True)
        }

    @cached_property
    def _curvatures(self) -> tuple[fmpq, fmpq]:
        low = RATIONAL.scalar(self.strong_convexity)
        return low, RATIONAL.scalar(self.smoothness) - low

    @cached_property
    def _parabolas(self) -> tuple[tuple[Parabola, ...], ...]:
        low, width = self._curvatures
        found = []
        for places, data in zip(self._places, self._data, strict=True):
            client = []
            for x, known in zip(places, data, strict=True):
                slope = tuple(g - low * v for g, v in zip(known.gradient, x, strict=True))
                centre = tuple(v - s / width for v, s in zip(x, slope, strict=True))
                client.append(Parabola(centre, known.value - low * _square(x) / 2 - _square(slope) / (2 * width)))
            found.append(tuple(client))
        return tuple(found)

    @cached_property
    def _products(self) -> list[list[list[fmpq]]]:
        """(L - mu) <z_i, z_j> of every client."""
        width = self._curvatures[1]
        return [[[width * _dot(a.centre, b.centre) for b in client] for a in client] for client in self._parabolas]

    def _at(self, client: int, x: Point) -> Known:
        """The function of a client at a point; remembered."""
        key = client, x
        if key not in self._seen:
            self._seen[key] = self._hull(client, x)
        return self._seen[key]

    def _hull(self, client: int, x: Point) -> Known:
        """The same from the weights of the parabolas.

        They minimise a quadratic on the simplex: Q a + p = s + lambda with s >= 0 where a = 0; p is raised by a number, so that
        lambda is positive and the sum of the weights is no more than 1.
        """
        (low, width), parabolas, products = self._curvatures, self._parabolas[client], self._products[client]
        n = len(parabolas)
        slopes = [parabola.height - width * _dot(x, parabola.centre) for parabola in parabolas]
        raised = 1 - min(slopes) + max((abs(c) for row in products for c in row), default=ZERO)
        matrix = [[*products[i], fmpq(-1)] for i in range(n)] + [[fmpq(1)] * n + [ZERO]]
        weights = complementary(matrix, [*(s + raised for s in slopes), fmpq(-1)])
        assert weights is not None  # a quadratic has a minimum on the simplex
        centre = [
            sum((a * p.centre[i] for a, p in zip(weights, parabolas, strict=False)), ZERO) for i in range(self.dim)
        ]
        away = tuple(v - c for v, c in zip(x, centre, strict=True))
        height = sum((a * p.height for a, p in zip(weights, parabolas, strict=False)), ZERO)
        gradient = tuple(low * v + width * a for v, a in zip(x, away, strict=True))
        return Known(low * _square(x) / 2 + width * _square(away) / 2 + height, gradient)

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        clients = np.broadcast_to(np.asarray(client), (len(x),)).tolist()
        found = []
        for m, row in zip(clients, x, strict=True):
            at, away = _read(row)
            found += [_as(row, v, self._largest * away) for v in self._at(int(m), at).gradient]
        return _array(x, found).reshape(x.shape)

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """F_m(x), (runs,)."""
        clients = np.broadcast_to(np.asarray(client), (len(x),)).tolist()
        return _array(x, [self._height([int(m)], row) for m, row in zip(clients, x, strict=True)])

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return sum((self.gradient(x, m) for m in range(1, self.n_clients)), self.gradient(x, 0)) / self.n_clients

    def gap(self, x: np.ndarray) -> np.ndarray:
        best = sum((data[0].value for data in self._data), ZERO) / self.n_clients
        return _array(x, [self._height(range(self.n_clients), row, best) for row in x])

    def _height(self, clients: Sequence[int], row: np.ndarray, base: fmpq = ZERO) -> Any:
        """The mean of some clients at a point, above a base; of a ball by its middle, a slope and L."""
        at, away = _read(row)
        known = [self._at(m, at) for m in clients]
        value = sum((k.value for k in known), ZERO) / len(known) - base
        steepest = sum((arb(_square(k.gradient)).sqrt() for k in known), arb(0)) / len(known)
        return _as(row, value, steepest * away + self._largest * away * away / 2)

    @cached_property
    def _largest(self) -> arb:
        """Of all curvatures, without sign."""
        return arb(max(RATIONAL.scalar(self.smoothness), -RATIONAL.scalar(self.strong_convexity)))

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """None."""
        return x * 0


def _read(row: np.ndarray) -> tuple[Point, arb]:
    """A point in rationals, and how far at most what it stands for is from there: 0 but for balls."""
    if isinstance(row[0], arb):
        far = sum((v.rad() * v.rad() for v in row), arb(0)).sqrt()
        return tuple(_rational(v.mid()) for v in row), far
    return tuple(v if isinstance(v, fmpq) else _rational(arb(float(v))) for v in row), arb(0)


def _rational(number: arb) -> fmpq:
    """A binary number exactly."""
    mantissa, exponent = number.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _as(row: np.ndarray, value: fmpq, off: arb) -> Any:
    """A number as the row has them: a float, a rational, or a ball that is off by so much at most."""
    if isinstance(row[0], arb):
        return arb(value) + arb(0, off.upper())
    return value if row.dtype == object else int(value.p) / int(value.q)


def _array(x: np.ndarray, values: list[Any]) -> np.ndarray:
    found = np.empty(len(values), dtype=x.dtype)
    found[:] = values
    return found


def _point(values: Sequence[Number]) -> Point:
    return tuple(RATIONAL.scalar(v) for v in values)


def _dot(a: Sequence[fmpq], b: Sequence[fmpq]) -> fmpq:
    return sum((u * v for u, v in zip(a, b, strict=True)), ZERO)


def _square(a: Sequence[fmpq]) -> fmpq:
    return _dot(a, a)


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
