"""Clients with finite data: F_m is the mean of quadratic components; gradients are means over minibatches.

f_mi(x) = sum_j h_mij x_j^2 / 2 + b_mij x_j. A minibatch is ``batch_size`` independent uniform draws of a component. The
noise is bounded in mean square over all x exactly when a client's components share their curvatures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import ctx
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Client, ring_of
from fltheory.model.schema import AsTable, AsVector, read_vector, shortest_form
from fltheory.number import BALL, Element, Number, Ring, exact, to_float
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.additive_noise import (
    ROUNDING,
    Minibatches,
    TableClients,
    mean,
    ring_array,
    squared_norm,
    type_ids,
)
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.moments import MapMoments

Table = tuple[tuple[tuple[Number, ...], ...], ...]  # [client][component][coordinate]


@dataclass(frozen=True, repr=False)
class FiniteSumQuadraticClients(Minibatches, TableClients):
    """``slopes[m][i][j]``: b_mij; ``curvatures[m][i][j]``: h_mij, or ``curvatures[m][j]`` where components share them.

    One coordinate: ``slopes[m][i]`` and ``curvatures[m]`` (a number: shared) or ``curvatures[m][i]``.
    """

    curvatures: AsTable
    slopes: AsTable
    start: AsVector
    batch_size: int = 1

    def __post_init__(self) -> None:
        self._set(start=read_vector(self.start))
        d = len(self.start)
        slopes = tuple(tuple(read_vector(v) for v in client) for client in self.slopes)
        if not slopes or len(self.curvatures) != len(slopes):
            raise ValueError("curvatures and slopes need one entry for every client")
        curvatures = tuple(_components(c, len(b), d) for c, b in zip(self.curvatures, slopes, strict=True))
        self._set(slopes=slopes, curvatures=curvatures)
        for table in (slopes, curvatures):
            if any(not client or any(len(v) != d for v in client) for client in table):
                raise ValueError("every client needs components with one entry for every coordinate of start")
        if any(len(c) != len(b) for c, b in zip(curvatures, slopes, strict=True)):
            raise ValueError("curvatures must be shared by a client's components or given for each of them")
        if any(not v >= 0 for client in curvatures for row in client for v in row):
            raise ValueError("curvatures must be nonnegative")
        if not isinstance(self.batch_size, int) or self.batch_size < 1:
            raise ValueError(f"batch_size must be a positive integer, got {self.batch_size!r}")

    def __repr__(self) -> str:
        entry = shortest_form if self.dim == 1 else _as_tuples
        slopes = tuple(tuple(entry(v) for v in client) for client in self.slopes)
        curvatures = tuple(entry(c[0]) if len(set(c)) == 1 else tuple(entry(v) for v in c) for c in self.curvatures)
        batch = f", batch_size={self.batch_size}" if self.batch_size != 1 else ""
        return f"FiniteSumQuadraticClients(curvatures={curvatures}, slopes={slopes}, start={shortest_form(self.start)!r}{batch})"

    @cached_property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal components in equal order."""
        return type_ids(zip(self.curvatures, self.slopes, strict=True))

    @cached_property
    def full(self) -> QuadraticClients:
        """Return the same clients with full gradients, as quadratics."""
        means = [
            [[mean([Fraction(v) for v in column]) for column in zip(*client, strict=True)] for client in table]
            for table in (self.curvatures, self.slopes)
        ]
        return QuadraticClients(means[0], means[1], self.start)

    # -- objective ---------------------------------------------------------------------------------------------------

    @property
    def minimiser(self) -> tuple[Number, ...]:
        """The minimiser of F nearest to the start; ValueError if F has none."""
        return self.full.minimiser

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        return self.full.gradient(x, client)

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return self.full.mean_gradient(x)

    def gap(self, x: np.ndarray) -> np.ndarray:
        """F(x) - F*."""
        return self.full.gap(x)

    # -- minibatches -------------------------------------------------------------------------------------------------

    @cached_property
    def sizes(self) -> np.ndarray:
        """The numbers of components of the clients."""
        return np.array([len(client) for client in self.slopes])

    @property
    def draws(self) -> int:
        return 0 if all(len(set(zip(c, b, strict=True))) == 1 for c, b in self._clients) else self.batch_size

    @property
    def _clients(self) -> list[tuple[tuple[tuple[Number, ...], ...], tuple[tuple[Number, ...], ...]]]:
        return list(zip(self.curvatures, self.slopes, strict=True))

    @lru_cache(maxsize=8)  # noqa: B019 (instances are small and frozen)
    def _deviations(self, ring: Ring | None, precision: int) -> tuple[np.ndarray, np.ndarray]:
        """Curvatures and slopes of components minus their client's, (clients, most components, dim), zero-padded."""
        found = []
        for table in (self.curvatures, self.slopes):
            flat: list[Number] = []
            for client in table:
                middle = [mean([Fraction(v) for v in column]) for column in zip(*client, strict=True)]
                padded = [*client, *[middle] * (int(self.sizes.max()) - len(client))]
                flat += [exact(v - a) for row in padded for v, a in zip(row, middle, strict=True)]
            found.append(ring_array(flat, (self.n_clients, int(self.sizes.max()), self.dim), ring))
        return found[0], found[1]

    def _minibatch(self, x: np.ndarray, client: Client, picked: np.ndarray) -> np.ndarray:
        """The noise of the minibatches ``picked`` (seeds, batch_size) of components."""
        ring = ring_of(x)
        curvatures, slopes = self._deviations(ring, ctx.prec if ring is BALL else 0)
        clients = np.broadcast_to(np.asarray(client), (len(x),))[:, None]
        return (curvatures[clients, picked] * x[:, None, :] + slopes[clients, picked]).sum(axis=1) / self.batch_size

    def noise_factors(self, client: int) -> list[tuple[Number, ...]] | None:
        """Vectors v_i such that the noise has the covariance sum_i v_i v_i^T; None where that depends on x."""
        if not self._shares_curvatures:
            return None
        weight = exact_sqrt(Fraction(1, len(self.slopes[client]) * self.batch_size))
        deviations = self._subtract_means(self.slopes[client])
        return [tuple(exact(v * weight) for v in row) for row in deviations]

    @property
    def _shares_curvatures(self) -> bool:
        return all(len(set(client)) == 1 for client in self.curvatures)

    # -- exact moments -----------------------------------------------------------------------------------------------

    @property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """Blocks of single coordinates: they share the drawn components, but only their separate moments are needed."""
        return tuple((j,) for j in range(self.dim))

    def hessian(self, i: int, j: int) -> Number:
        """Return an entry of the Hessian of F."""
        return self.full.hessian(i, j)

    def client_laws(self, client: int, step: Element, n_steps: int, ring: Ring) -> list[MapMoments]:
        """The law of ``n_steps`` minibatch steps of a client, one for every coordinate."""
        laws = []
        n = len(self.slopes[client])
        for j in range(self.dim):
            components = []
            for h, b in zip(self.curvatures[client], self.slopes[client], strict=True):
                contraction = ring.scalar(1) - step * ring.scalar(h[j])
                components.append(moments.affine_moments([[contraction]], [-(step * ring.scalar(b[j]))], [[0]], ring))
            one = moments.mixture_moments((ring.scalar(Fraction(1, n)), law) for law in components)
            apart = moments.kron(one.first, one.first, ring) * ring.scalar(
                Fraction(self.batch_size - 1, self.batch_size)
            )
            second = one.second * ring.scalar(Fraction(1, self.batch_size)) + apart
            laws.append(moments.repeat_moments(MapMoments(one.first, second), n_steps, ring))
        return laws

    # -- constants ---------------------------------------------------------------------------------------------------

    @staticmethod
    def _subtract_means(table: Sequence[Sequence[Number]]) -> list[list[Fraction]]:
        middle = [mean([Fraction(v) for v in column]) for column in zip(*table, strict=True)]
        return [[v - a for v, a in zip(row, middle, strict=True)] for row in table]

    def _noise_square_at(self, point: Sequence[Fraction]) -> Fraction:
        """The largest noise variance of a client at a point."""
        variances = []
        for curvatures, slopes in self._clients:
            gradients = [
                [h * x + b for h, b, x in zip(row, other, point, strict=True)]
                for row, other in zip(curvatures, slopes, strict=True)
            ]
            variances.append(mean([squared_norm(row) for row in self._subtract_means(gradients)]))
        return max(variances) / self.batch_size

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        found = dict(self.full.constants)
        best = [Fraction(v) for v in self.minimiser]
        found[symbols.noise_std_at_optimum] = exact_sqrt(self._noise_square_at(best))
        if self._shares_curvatures:
            found[symbols.noise_std] = exact_sqrt(self._noise_square_at(best))
        else:
            del found[symbols.noise_std]  # the variance grows without bound
        return found

    def radius(self, step: float) -> list[float] | None:
        """Return an upper bound on the distance of runs of minibatch steps from the minimiser, or None if unknown."""
        least, largest = (to_float(self.constants[s]) for s in (symbols.strong_convexity, symbols.smoothness))
        if not self._shares_curvatures or least == 0 or step * largest > 1:
            return None
        best = [Fraction(v) for v in self.minimiser]
        pulls = [
            squared_norm(h * x + b for h, b, x in zip(row, other, best, strict=True))
            for curvatures, slopes in self._clients
            for row, other in zip(curvatures, slopes, strict=True)
        ]
        distance = to_float(self.constants[symbols.initial_distance])
        return [max(distance, float(max(pulls)) ** 0.5 / least) * ROUNDING]


def _components(curvatures: AsTable, n: int, dim: int) -> tuple[tuple[Number, ...], ...]:
    """The curvatures of a client's components from one of the three forms."""
    nested = isinstance(curvatures, Sequence | np.ndarray) and not isinstance(curvatures, str)
    inner = nested and any(isinstance(v, Sequence | np.ndarray) and not isinstance(v, str) for v in curvatures)
    if not nested or (dim > 1 and not inner):
        return (read_vector(curvatures),) * n
    return tuple(read_vector(v) for v in curvatures)


def _as_tuples(value: object) -> object:
    return tuple(_as_tuples(v) for v in value) if isinstance(value, tuple) else shortest_form(value)
