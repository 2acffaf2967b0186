"""Clients with functions that are exact at rational points, evaluated in rationals, balls and floats."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from flint import arb, fmpq

from fltheory.model.case import Client
from fltheory.number import RATIONAL, Number
from fltheory.number.elements import Element
from fltheory.problems.interpolated.interpolant import ZERO, Point, PointData, square


class ExactFunction(Protocol):
    """A function of rational points."""

    @property
    def data(self) -> tuple[PointData, ...]:
        """The data at given points."""

    def at(self, x: Point) -> PointData:
        """Return value and gradient."""

    def off(self, known: PointData, away: arb) -> tuple[arb, arb]:
        """Bound the change of gradient and value between a point and others within this distance."""


class FunctionClients:
    """Clients defined by ``_functions``; the first data of each function are those at x*."""

    draws = 0

    @property
    @abstractmethod
    def _functions(self) -> tuple[ExactFunction, ...]: ...

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """The gradient of F_m, (runs, dim)."""
        clients = np.broadcast_to(np.asarray(client), (len(x),)).tolist()
        found = []
        for m, row in zip(clients, x, strict=True):
            at, away = _read(row)
            function = self._functions[int(m)]
            known = function.at(at)
            off = function.off(known, away)[0]
            found += [_as_kind_of(row, v, off) for v in known.gradient]
        return _array(x, found).reshape(x.shape)

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """F_m(x), (runs,)."""
        clients = np.broadcast_to(np.asarray(client), (len(x),)).tolist()
        return _array(x, [self._height([int(m)], row) for m, row in zip(clients, x, strict=True)])

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        """The gradient of F, (runs, dim)."""
        n = len(self._functions)
        return sum((self.gradient(x, m) for m in range(1, n)), self.gradient(x, 0)) / n

    def gap(self, x: np.ndarray) -> np.ndarray:
        """F(x) - F*, (runs,)."""
        best = sum((f.data[0].value for f in self._functions), ZERO) / len(self._functions)
        return _array(x, [self._height(range(len(self._functions)), row, best) for row in x])

    def _height(self, clients: Sequence[int], row: np.ndarray, base: fmpq = ZERO) -> Any:
        """Return the mean of some clients at a point minus a base, for a ball by its midpoint."""
        at, away = _read(row)
        known = [(self._functions[m], self._functions[m].at(at)) for m in clients]
        value = sum((k.value for _, k in known), ZERO) / len(known) - base
        return _as_kind_of(row, value, sum((f.off(k, away)[1] for f, k in known), arb(0)) / len(known))

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """None."""
        return x * 0


def gradient_length(gradient: Point) -> arb:
    """Return the norm of a gradient as a ball."""
    return arb(square(gradient)).sqrt()


def read_point(values: Sequence[Number]) -> Point:
    """Convert a point to rationals."""
    return tuple(RATIONAL.scalar(v) for v in values)


def to_python_fraction(value: fmpq) -> Fraction:
    """Convert a rational to a Fraction."""
    return Fraction(int(value.p), int(value.q))


def _read(row: np.ndarray) -> tuple[Point, arb]:
    """Return a point in rationals and a bound on its distance to the true point, which is 0 except for balls."""
    if isinstance(row[0], Element):
        return _read(np.array([v.value for v in row] + [None], dtype=object)[:-1])
    if isinstance(row[0], arb):
        far = sum((v.rad() * v.rad() for v in row), arb(0)).sqrt()
        return tuple(_rational(v.mid()) for v in row), far
    return tuple(v if isinstance(v, fmpq) else _rational(arb(float(v))) for v in row), arb(0)


def _rational(number: arb) -> fmpq:
    """Convert a binary number exactly."""
    mantissa, exponent = number.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _as_kind_of(row: np.ndarray, value: fmpq, off: arb) -> Any:
    """Convert a number to the type of the row: a float, a rational, a ball with this error, or one of these as element."""
    if isinstance(row[0], Element):
        inside = np.array([row[0].value, None], dtype=object)[:-1]
        return type(row[0])(_as_kind_of(inside, value, off))
    if isinstance(row[0], arb):
        return arb(value) + arb(0, off.upper())
    return value if row.dtype == object else int(value.p) / int(value.q)


def _array(x: np.ndarray, values: list[Any]) -> np.ndarray:
    found = np.empty(len(values), dtype=x.dtype)
    found[:] = values
    return found
