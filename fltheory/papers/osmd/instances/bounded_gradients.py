"""Clients in one dimension, F_m(w) = c_m f(w) + h_m w, with bounded gradients and exact constants.

F = c f with c the mean of the c_m, as the tilts h_m have mean zero. Each constant is exact: V(p, w) of (9) is a convex
quadratic in u = f'(w), so its maxima are at the ends of the range of f'.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from flint import ctx, fmpq
from sympy import Symbol

from fltheory.model.case import Client, ring_of
from fltheory.model.dataclass_fields import field_values
from fltheory.model.schema import Vector
from fltheory.number import BALL, RATIONAL, NotRational, Number, Ring, exact, to_ball, to_float
from fltheory.number.vectors import average, exact_sqrt
from fltheory.papers.osmd import notation, simplex
from fltheory.problems.additive_noise import ring_array

PRECISION = 512  # bits of the balls that hold irrational constants
UNITS = {"start": (0, 1), "noise_std": (1, -1)}  # powers of the units (objective, length) in the fields


class BoundedClients:
    """The base of such clients; subclasses are records too, which define c, h, f' and f.

    Either no client is tilted, or all c_m are equal, the tilts symmetric and the ends of f' opposite. In both cases
    p = max(alpha/M, tau sqrt(c_m^2 u^2 + h_m^2)) attains (10), u the larger end.
    """

    floor: Number  # alpha
    start: Vector  # w^1
    noise_std: Number  # sigma: a stochastic gradient is off by +-sigma
    units: ClassVar[Mapping[str, tuple[int, int]]] = UNITS

    # -- what a subclass gives -----------------------------------------------------------------------------------

    @property
    def scales(self) -> tuple[Number, ...]:
        """c_m >= 0, rational."""
        raise NotImplementedError

    @property
    def tilts(self) -> tuple[Number, ...]:
        """h_m, rational, of mean zero."""
        return (0,) * len(self.scales)

    @property
    def ends(self) -> tuple[Number, Number]:
        """The least and the largest value of f', rational."""
        raise NotImplementedError

    @property
    def steepest(self) -> Number:
        """The largest f''."""
        raise NotImplementedError

    def slope(self, w: np.ndarray) -> np.ndarray:
        """Return f'(w), elementwise; floats or ring elements."""
        raise NotImplementedError

    def rise(self, w: np.ndarray) -> np.ndarray:
        """Return f(w) minus its least value, elementwise."""
        raise NotImplementedError

    # -- the clients ---------------------------------------------------------------------------------------------

    def require(self) -> None:
        if len(self.start) != 1:
            raise ValueError(f"start = {self.start}: expected one coordinate")
        for name, value in field_values(self).items():
            if not all(isinstance(v, int | Fraction) for v in (value if isinstance(value, tuple) else (value,))):
                raise ValueError(f"{name} must be rational")

    def rescaled(self, objective: object, length: object) -> Self:
        """Return the same clients in other units: objectives times ``objective``, lengths times ``length``."""
        by, along = Fraction(exact(objective)), Fraction(exact(length))
        kept, changed = field_values(self), {}
        for name, (e, l) in self.units.items():
            value, factor = kept[name], by**e * along**l
            changed[name] = tuple(v * factor for v in value) if isinstance(value, tuple) else value * factor
        return type(self)(**{**kept, **changed})

    @property
    def n_clients(self) -> int:
        return len(self.scales)

    @property
    def dim(self) -> int:
        return 1

    @property
    def draws(self) -> int:
        return 1 if self.noise_std else 0

    @property
    def minimiser(self) -> tuple[Number, ...]:
        """The minimiser of f."""
        return (0,)

    def tables(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any, Any]:
        """Return c (M,), h (M,), the mean of c and sigma, as numbers of the type of ``w``."""
        ring = ring_of(w)
        return self._in_floats if ring is None else _tables(self, ring, ctx.prec if ring is BALL else 0)

    @cached_property
    def _in_floats(self) -> tuple[np.ndarray, np.ndarray, Any, Any]:
        return _tables(self, None, 0)

    def gradients(self, w: np.ndarray) -> np.ndarray:
        """Return F_m'(w) of all clients: (n,) to (n, clients)."""
        scales, tilts, _, _ = self.tables(w)
        return np.asarray(self.slope(w)[:, None] * scales + tilts)

    def mean_slope(self, w: np.ndarray) -> np.ndarray:
        """Return F'(w), elementwise."""
        return np.asarray(self.slope(w) * self.tables(w)[2])

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return the gradient of F_m, (seeds, 1)."""
        scales, tilts, _, _ = self.tables(x)
        return np.asarray(self.slope(x[:, 0]) * scales[client] + tilts[client])[:, None]

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """Return +-sigma, from uniforms (seeds, 1)."""
        return np.where(uniforms < 0.5, 1.0, -1.0) * to_float(self.noise_std)

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return self.mean_slope(x)

    def gap(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.rise(x[:, 0]) * self.tables(x)[2])

    # -- constants -----------------------------------------------------------------------------------------------

    @property
    def largest_slope(self) -> Fraction:
        """sup |f'|."""
        return max(abs(Fraction(u)) for u in self.ends)

    @property
    def largest_mean_gradient(self) -> Fraction:
        """sup |F'|."""
        return self.largest_slope * average([Fraction(c) for c in self.scales])

    @cached_property
    def _initial_gap(self) -> Number:
        try:
            return exact(_fraction(self.gap(ring_array(self.start, (1, 1), RATIONAL))[0]))
        except NotRational:
            with ctx.workprec(PRECISION):
                return self.gap(ring_array(self.start, (1, 1), BALL))[0]

    def _squares(self, u: Fraction) -> list[Fraction]:
        """Return F_m'^2 for f' = u, for each client."""
        return [(Fraction(c) * u + Fraction(h)) ** 2 for c, h in zip(self.scales, self.tilts, strict=True)]

    @cached_property
    def _uniform_variance(self) -> Fraction:
        """(8)."""
        mean = average([Fraction(c) for c in self.scales])
        return max(average(self._squares(Fraction(u))) - (mean * Fraction(u)) ** 2 for u in self.ends)

    @cached_property
    def _fixed(self) -> Number:
        """Return the root of (10), a ball if it isn't 0."""
        total, n, floor = sum(map(Fraction, self.scales)), self.n_clients, Fraction(self.floor)
        if not any(self.tilts) and all(c * n >= floor * total for c in self.scales):
            return 0  # p proportional to c_m has zero variance
        u = self.largest_slope
        energies = [(Fraction(c) * u) ** 2 + Fraction(h) ** 2 for c, h in zip(self.scales, self.tilts, strict=True)]
        with ctx.workprec(PRECISION):
            balls = [to_ball(e) for e in energies]
            best = simplex.floored_best(balls, to_ball(floor))
            return (simplex.loss(balls, best) / n**2 - to_ball((total / n * u) ** 2)).sqrt()

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        steep = max(
            abs(Fraction(c) * Fraction(u) + Fraction(h))
            for u in self.ends
            for c, h in zip(self.scales, self.tilts, strict=True)
        )
        return {
            notation.M: self.n_clients,
            notation.d: 1,
            notation.alpha: self.floor,
            notation.L: exact(Fraction(max(self.scales)) * Fraction(self.steepest)),
            notation.D: self._initial_gap,
            notation.sigma: self.noise_std,
            notation.G: exact(steep + Fraction(self.noise_std)),
            notation.zeta_unif: exact_sqrt(self._uniform_variance),
            notation.zeta_fix: self._fixed,
            notation.zeta_T: self._fixed,  # at least zeta_T, for each budget
            notation.TV: 0,
            notation.beta: 0,  # for the best fixed distribution
        }


@lru_cache(maxsize=8)  # instances are small and frozen
def _tables(clients: BoundedClients, ring: Ring | None, precision: int) -> tuple[np.ndarray, np.ndarray, Any, Any]:
    """Return c (M,), h (M,), the mean of c, sigma."""
    shape, mean = (clients.n_clients,), average([Fraction(c) for c in clients.scales])
    last = ring_array([mean, clients.noise_std], (2,), ring)
    return ring_array(clients.scales, shape, ring), ring_array(clients.tilts, shape, ring), last[0], last[1]


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
