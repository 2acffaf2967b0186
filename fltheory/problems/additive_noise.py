"""Common parts of client classes: data in tables, additive noise (sigma * tau), minibatches."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fltheory.model.case import Client
from fltheory.model.dataclass_fields import field_values
from fltheory.model.schema import Data, Table, Vector, read_table, read_vector
from fltheory.number import Number, Ring, to_float

NOISE_LAWS = ("two_point", "uniform")
ROUNDING = 1 + 1e-9  # outward rounding factor for floats that are upper bounds


class TableClients(Data):
    """Clients whose data are tables [client][coordinate], ``slopes`` among them, and a start. Frozen data."""

    slopes: Table
    start: Vector

    def _read_tables(self, *names: str) -> None:
        """Parse these tables, the slopes and the start exactly; ValueError unless they have the same shape."""
        names = (*names, "slopes")
        given = field_values(self)
        self._set(start=read_vector(self.start), **{name: read_table(given[name]) for name in names})
        n, d = len(self.slopes), len(self.start)
        if not n or any(len(t) != n or any(len(row) != d for row in t) for t in self._tables_of(*names)):
            words = " and ".join(filter(None, (", ".join(names[:-1]), "slopes")))
            raise ValueError(f"{words} need one entry for every client and in it one for every coordinate of start")

    def _tables_of(self, *names: str) -> tuple[Table, ...]:
        own = field_values(self)
        return tuple(own[name] for name in names)

    if TYPE_CHECKING:  # of each family

        def gradient(self, x: np.ndarray, client: Client) -> np.ndarray: ...

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return F_m(x) = <grad F_m(x) + grad F_m(0), x> / 2, (runs,), for (piecewise) quadratics with F_m(0) = 0."""
        return ((self.gradient(x, client) + self.gradient(x * 0, client)) * x).sum(axis=1) / 2

    @property
    def n_clients(self) -> int:
        return len(self.slopes)

    @property
    def dim(self) -> int:
        return len(self.start)


def type_ids(keys: Iterable[Hashable]) -> tuple[int, ...]:
    """Number clients from 0 so that clients with equal keys have equal numbers."""
    seen: dict[Hashable, int] = {}
    return tuple(seen.setdefault(key, len(seen)) for key in keys)


class AdditiveNoise:
    """Mixin: ``noise_std`` in each coordinate, ``noise_law`` "two_point" (signs) or "uniform", one tau a gradient."""

    start: Vector
    noise_std: Vector
    noise_law: str

    def _read_noise(self) -> None:
        noise = read_vector(self.noise_std)
        if len(noise) == 1:
            noise = noise * len(self.start)
        if len(noise) != len(self.start) or any(not v >= 0 for v in noise):
            raise ValueError("noise_std must be nonnegative: one number, or one for every coordinate")
        if self.noise_law not in NOISE_LAWS:
            raise ValueError(f"noise_law must be one of {', '.join(NOISE_LAWS)}, got {self.noise_law!r}")
        object.__setattr__(self, "noise_std", noise)

    def _noise_arguments(self) -> Mapping[str, Vector | str]:
        """Return the noise arguments that a repr must contain."""
        found: dict[str, Vector | str] = {"noise_std": self.noise_std} if any(self.noise_std) else {}
        return found | ({"noise_law": self.noise_law} if self.noise_law != "two_point" else {})

    @property
    def draws(self) -> int:
        return 1 if any(self.noise_std) else 0

    @property
    def n_noise_values(self) -> int | None:
        """The number of values of the noise; None if it is infinite."""
        return 2 if self.noise_law == "two_point" else None

    def noise_support(self, ring: Ring) -> np.ndarray:
        """Return the equally likely noise vectors, (values, dim)."""
        scale = [ring.scalar(s) for s in self.noise_std]
        support = np.empty((2, len(scale)), dtype=object)
        support[0], support[1] = scale, [-s for s in scale]
        return support

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """Return sigma * tau with one tau per gradient for all coordinates: a sign, or uniform on [-sqrt 3, sqrt 3]."""
        std = np.array([to_float(s) for s in self.noise_std])
        signs = self.noise_law == "two_point"
        tau = np.where(uniforms < 0.5, 1.0, -1.0) if signs else (2 * uniforms - 1) * 3**0.5
        return tau * std

    @property
    def largest_draw(self) -> Fraction:
        """The largest tau: 1 or sqrt 3."""
        return Fraction(1) if self.noise_law == "two_point" else Fraction(17321, 10000)

    @property
    def max_noise(self) -> tuple[float, ...]:
        """The largest absolute noise in each coordinate."""
        factor = 1.0 if self.noise_law == "two_point" else 3**0.5
        return tuple(factor * to_float(s) for s in self.noise_std)

    @property
    def largest_noise(self) -> float:
        """An upper bound on the norm of the noise."""
        factor = 1.0 if self.noise_law == "two_point" else 3**0.5
        return factor * sum(to_float(s) ** 2 for s in self.noise_std) ** 0.5 * ROUNDING

    @property
    def noise_square(self) -> Fraction:
        """sigma^2, the mean square of the noise."""
        return squared_norm(Fraction(s) for s in self.noise_std)


class Minibatches:
    """Mixin for gradients over ``batch_size`` independent uniform draws of a client's samples (None: all samples)."""

    batch_size: int | None

    if TYPE_CHECKING:  # of each family

        @property
        def sizes(self) -> np.ndarray:
            """The numbers of samples of the clients."""

        def _minibatch(self, x: np.ndarray, client: Client, picked: np.ndarray) -> np.ndarray:
            """Return the noise for the drawn samples ``picked`` (seeds, batch_size)."""

    @property
    def draws(self) -> int:
        return self.batch_size or 0

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        sizes = np.broadcast_to(self.sizes[client], (len(x),))[:, None]
        return self._minibatch(x, client, np.minimum((uniforms * sizes).astype(np.int64), sizes - 1))

    @property
    def n_noise_values(self) -> int:
        """The number of equally likely values, the same for all clients."""
        return math.lcm(*(int(n) ** (self.batch_size or 0) for n in self.sizes))

    def noise_value(self, x: np.ndarray, client: Client, index: np.ndarray, ring: Ring | None) -> np.ndarray:
        """Return the ``index``-th value of the noise at x; its digits in base n_samples select the samples."""
        sizes = np.broadcast_to(self.sizes[client], (len(x),))
        digits = [index // sizes**i % sizes for i in range(self.batch_size or 0)]
        return self._minibatch(x, client, np.stack(digits, axis=1))


def squared_norm(values: Iterable[Number]) -> Fraction:
    """The sum of squares of rationals."""
    return sum((v * v for v in values), Fraction(0))


def mean(values: Sequence[Fraction]) -> Fraction:
    """The average of rationals."""
    return sum(values, Fraction(0)) / len(values)


def ring_array(flat: Sequence[Number], shape: tuple[int, ...], ring: Ring | None) -> np.ndarray:
    """Exact numbers as an array of floats (``ring`` None) or ring elements."""
    array = np.empty(len(flat), dtype=float if ring is None else object)
    array[:] = [to_float(v) if ring is None else ring.scalar(v) for v in flat]
    return array.reshape(shape)
