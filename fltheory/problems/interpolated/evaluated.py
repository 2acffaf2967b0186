"""Clients whose functions are known exactly at rational points: what runs ask of them, in rationals, balls and floats."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from flint import arb, fmpq

from fltheory.model.case import Client
from fltheory.number import RATIONAL, Number
from fltheory.problems.interpolated.interpolant import ZERO, Point, PointData, square


class ExactFunction(Protocol):
    """A function of rational points."""

    @property
    def data(self) -> tuple[PointData, ...]:
        """What it takes at given points."""

    def at(self, x: Point) -> PointData:
        """Value and gradient."""

    def off(self, known: PointData, away: arb) -> tuple[arb, arb]:
        """How far at most gradient and value are off what they are at one point, as far away as this."""


class FunctionClients:
    """What clients answer, where ``_functions`` says what they are; the first of the data of each is that at x*."""

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
        """The mean of some clients at a point, above a base; of a ball by its middle."""
        at, away = _read(row)
        known = [(self._functions[m], self._functions[m].at(at)) for m in clients]
        value = sum((k.value for _, k in known), ZERO) / len(known) - base
        return _as_kind_of(row, value, sum((f.off(k, away)[1] for f, k in known), arb(0)) / len(known))

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """None."""
        return x * 0


def gradient_length(gradient: Point) -> arb:
    """The length of a gradient, as a ball."""
    return arb(square(gradient)).sqrt()


def read_point(values: Sequence[Number]) -> Point:
    """A point in rationals."""
    return tuple(RATIONAL.scalar(v) for v in values)


def to_python_fraction(value: fmpq) -> Fraction:
    """A rational as Python has it."""
    return Fraction(int(value.p), int(value.q))


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


def _as_kind_of(row: np.ndarray, value: fmpq, off: arb) -> Any:
    """A number as the row has them: a float, a rational, or a ball that is off by so much at most."""
    if isinstance(row[0], arb):
        return arb(value) + arb(0, off.upper())
    return value if row.dtype == object else int(value.p) / int(value.q)


def _array(x: np.ndarray, values: list[Any]) -> np.ndarray:
    found = np.empty(len(values), dtype=x.dtype)
    found[:] = values
    return found
