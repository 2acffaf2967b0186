"""Non-convex clients with bounded gradients: F_m(x) = sum_i a_mi (1 - cos x_i) + b_mi x_i, slopes of mean zero.

F = sum_i a_i (1 - cos x_i) with a_i = mean a_mi > 0 has |grad F| <= |a|, minimum 0 on the grid 2 pi Z^d, and every
constant, the uniform heterogeneity included, in closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
import sympy
from flint import arb, ctx
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Client, ring_of
from fltheory.model.schema import AsTable, AsVector, shortest_form
from fltheory.number import BALL, NotRational, Number, Ring, exact, symbolic, to_float
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.additive_noise import (
    ROUNDING,
    AdditiveNoise,
    TableClients,
    mean,
    ring_array,
    squared_norm,
    type_ids,
)


@dataclass(frozen=True, repr=False)
class CosineClients(AdditiveNoise, TableClients):
    """``amplitudes[m][i]``: a_mi (their mean over clients positive); ``slopes[m][i]``: b_mi (mean zero).

    One coordinate: plain numbers for each client. Noise as in ``QuadraticClients``.
    """

    amplitudes: AsTable
    slopes: AsTable
    start: AsVector
    noise_std: AsVector = 0
    noise_law: str = "two_point"

    def __post_init__(self) -> None:
        self._read_tables("amplitudes")
        if any(not isinstance(v, int | Fraction) for t in (self.amplitudes, self.slopes) for row in t for v in row):
            raise ValueError("amplitudes and slopes must be rational")
        if any(not a > 0 for a in self.mean_amplitude):
            raise ValueError("the mean amplitude must be positive")
        if any(sum(column) for column in zip(*self.slopes, strict=True)):
            raise ValueError("the slopes of the clients must sum to zero: else the mean objective is unbounded below")
        self._read_noise()

    @classmethod
    def balanced(cls, n_clients: int, spread: object, slope: object, start: object, **noise: AsVector) -> CosineClients:
        """F_m = (1 + c tau_m)(1 - cos x) + zeta tau_m x with tau_m = +1, -1, +1, ...; an even number of clients."""
        c, zeta = exact(spread), exact(slope)
        signs = [1 - 2 * (m % 2) for m in range(n_clients)]
        return cls([1 + s * c for s in signs], [s * zeta for s in signs], start, **noise)

    def __repr__(self) -> str:
        said = {"amplitudes": self.amplitudes, "slopes": self.slopes, "start": self.start, **self._noise_arguments()}
        return f"CosineClients({', '.join(f'{k}={shortest_form(v)!r}' for k, v in said.items())})"

    @cached_property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal objectives."""
        return type_ids(zip(self.amplitudes, self.slopes, strict=True))

    # -- objective ---------------------------------------------------------------------------------------------------

    @cached_property
    def mean_amplitude(self) -> tuple[Fraction, ...]:
        """The amplitudes of F."""
        return tuple(mean([Fraction(v) for v in column]) for column in zip(*self.amplitudes, strict=True))

    @cached_property
    def minimiser(self) -> tuple[Number, ...]:
        """The minimiser of F nearest to the start."""
        turns = [round(to_float(v) / (2 * np.pi)) for v in self.start]
        return tuple(exact(2 * n * sympy.pi) if n else 0 for n in turns)

    def _tables(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        ring = ring_of(x)
        return self._ring_tables(ring, ctx.prec if ring is BALL else 0)

    @lru_cache(maxsize=8)  # noqa: B019 (instances are small and frozen)
    def _ring_tables(self, ring: Ring | None, precision: int) -> tuple[np.ndarray, ...]:
        """Amplitudes and slopes (clients, dim), the amplitudes of F."""
        shape = (self.n_clients, self.dim)
        amplitudes, slopes = ([v for row in t for v in row] for t in (self.amplitudes, self.slopes))
        return (
            ring_array(amplitudes, shape, ring),
            ring_array(slopes, shape, ring),
            ring_array(self.mean_amplitude, (self.dim,), ring),
        )

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        amplitudes, slopes, _ = self._tables(x)
        return amplitudes[client] * _sine(x) + slopes[client]

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """F_m(x) = sum_i 2 a_i sin(x_i / 2)^2 + b_i x_i, (runs,)."""
        amplitudes, slopes, _ = self._tables(x)
        half = _sine(x / 2)
        return (amplitudes[client] * 2 * half * half + slopes[client] * x).sum(axis=1)

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return self._tables(x)[2] * _sine(x)

    def gap(self, x: np.ndarray) -> np.ndarray:
        """F(x) - F* = sum_i 2 a_i sin(x_i / 2)^2, free of cancellation."""
        half = _sine(x / 2)
        return (self._tables(x)[2] * 2 * half * half).sum(axis=1)

    # -- constants ---------------------------------------------------------------------------------------------------

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        start = [symbolic(v) for v in self.start]
        gap = sum(symbolic(a) * (1 - sympy.cos(v)) for a, v in zip(self.mean_amplitude, start, strict=True))
        slope = sum((symbolic(a) * sympy.sin(v)) ** 2 for a, v in zip(self.mean_amplitude, start, strict=True))
        distance = sum((v - symbolic(b)) ** 2 for v, b in zip(start, self.minimiser, strict=True))
        found: dict[Symbol, Number] = {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.smoothness: max(abs(v) for row in self.amplitudes for v in row),
            symbols.initial_distance: exact(sympy.sqrt(distance)),
            symbols.initial_gap: exact(gap),
            symbols.initial_gradient: exact(sympy.sqrt(slope)),
            symbols.noise_std: exact_sqrt(self.noise_square),
            symbols.noise_std_at_optimum: exact_sqrt(self.noise_square),
            symbols.heterogeneity_at_optimum: exact_sqrt(
                sum((squared_norm(Fraction(v) for v in row) for row in self.slopes), Fraction(0)) / self.n_clients
            ),
        }
        return found | self._uniform_heterogeneity()

    def _uniform_heterogeneity(self) -> dict[Symbol, Number]:
        """A4 constants: beta^2 = max_i 2 v_i / a_i^2 and the least zeta for it; the Hessian heterogeneity.

        In one coordinate mean_m |dF_m - dF|^2 = v s^2 + 2 w s + z^2 with s = sin x in [-1, 1] and |dF|^2 = a^2 s^2, so
        zeta^2 is the largest value of z^2 + 2 w s - q s^2, q = beta^2 a^2 - v, over |s| <= 1.
        """
        columns = list(zip(zip(*self.amplitudes, strict=True), zip(*self.slopes, strict=True), strict=True))
        spread = [
            [Fraction(a) - own for a in amps] for (amps, _), own in zip(columns, self.mean_amplitude, strict=True)
        ]
        v = [mean([s * s for s in row]) for row in spread]
        slope_square = max(2 * vi / a**2 for vi, a in zip(v, self.mean_amplitude, strict=True))
        total = Fraction(0)
        for row, (_, slopes), a, vi in zip(spread, columns, self.mean_amplitude, v, strict=True):
            w = abs(mean([s * b for s, b in zip(row, slopes, strict=True)]))
            q = slope_square * a**2 - vi
            total += mean([Fraction(b) ** 2 for b in slopes])
            total += w**2 / q if q > 0 and w <= q else 2 * w - q
        return {
            symbols.heterogeneity_slope: exact_sqrt(slope_square),
            symbols.heterogeneity: exact_sqrt(total),
            symbols.hessian_heterogeneity: exact(max(abs(s) for row in spread for s in row)),
        }

    @property
    def gradient_ceiling(self) -> float:
        """The largest |grad F|^2 anywhere."""
        return float(squared_norm(self.mean_amplitude)) * ROUNDING


def _sine(x: np.ndarray) -> np.ndarray:
    """The sine of floats or balls; it has no rational values."""
    if x.dtype != object:
        return np.sin(x)
    return _map_balls(x, lambda v: v.sin())


def _map_balls(x: np.ndarray, function: Callable[[arb], arb]) -> np.ndarray:
    if not all(isinstance(v, arb) for v in x.flat):
        raise NotRational
    result = np.empty(x.size, dtype=object)
    result[:] = [function(v) for v in x.flat]
    return result.reshape(x.shape)
