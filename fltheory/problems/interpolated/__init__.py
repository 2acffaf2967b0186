"""Clients known by their values and gradients at finitely many points: a worst case as an instance that algorithms run on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, fmpq
from sympy import Symbol

from fltheory import symbols
from fltheory.case import Client
from fltheory.number import RATIONAL, Number, exact
from fltheory.number.vectors import tidy_root
from fltheory.problems.additive_noise import types_of
from fltheory.problems.interpolated.interpolant import ZERO, Interpolant, Known, Point, square
from fltheory.record import AsVector, Data, Vector, rows, vector


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
        pulls = [f.data[0].gradient for f in self._functions]
        if any(sum(p[i] for p in pulls) != 0 for i in range(self.dim)):
            raise ValueError("the gradients at the first point, x*, must sum to 0")
        for m, function in enumerate(self._functions):
            missed = function.missed()
            if missed is not None:
                raise ValueError(f"no function of this class has the data of client {m}: see its point {missed}")

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
        away = square([a - b for a, b in zip(start, best, strict=True)])
        pulls = sum((square(f.data[0].gradient) for f in self._functions), ZERO)
        gap = sum((f.at(start).value - f.data[0].value for f in self._functions), ZERO)
        return {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.smoothness: self.smoothness,
            symbols.strong_convexity: self.strong_convexity,
            symbols.initial_distance: tidy_root(_fraction(away)),
            symbols.initial_gap: exact(_fraction(gap / self.n_clients)),
            symbols.heterogeneity_at_optimum: tidy_root(_fraction(pulls / self.n_clients)),
            symbols.noise_std: 0,
        }

    # -- objectives ----------------------------------------------------------------------------------------------------

    @cached_property
    def _functions(self) -> tuple[Interpolant, ...]:
        low, high = RATIONAL.scalar(self.strong_convexity), RATIONAL.scalar(self.smoothness)
        found = []
        for points, gradients, values in zip(self.points, self.gradients, self.values, strict=True):
            data = (Known(RATIONAL.scalar(v), _point(g)) for g, v in zip(gradients, values, strict=True))
            found.append(Interpolant([_point(x) for x in points], list(data), low, high))
        return tuple(found)

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        clients = np.broadcast_to(np.asarray(client), (len(x),)).tolist()
        found = []
        for m, row in zip(clients, x, strict=True):
            at, away = _read(row)
            found += [
                _as(row, v, RATIONAL.scalar(self.smoothness) * away) for v in self._functions[int(m)].at(at).gradient
            ]
        return _array(x, found).reshape(x.shape)

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """F_m(x), (runs,)."""
        clients = np.broadcast_to(np.asarray(client), (len(x),)).tolist()
        return _array(x, [self._height([int(m)], row) for m, row in zip(clients, x, strict=True)])

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return sum((self.gradient(x, m) for m in range(1, self.n_clients)), self.gradient(x, 0)) / self.n_clients

    def gap(self, x: np.ndarray) -> np.ndarray:
        best = sum((f.data[0].value for f in self._functions), ZERO) / self.n_clients
        return _array(x, [self._height(range(self.n_clients), row, best) for row in x])

    def _height(self, clients: Sequence[int], row: np.ndarray, base: fmpq = ZERO) -> Any:
        """The mean of some clients at a point, above a base; of a ball by its middle, a slope and L."""
        at, away = _read(row)
        known = [self._functions[m].at(at) for m in clients]
        value = sum((k.value for k in known), ZERO) / len(known) - base
        steepest = sum((arb(square(k.gradient)).sqrt() for k in known), arb(0)) / len(known)
        return _as(row, value, steepest * away + RATIONAL.scalar(self.smoothness) * away * away / 2)

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


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
