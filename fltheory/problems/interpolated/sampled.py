"""Clients that are means of functions; a stochastic gradient is that of one function, drawn uniformly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Client
from fltheory.model.schema import Data, Vector
from fltheory.number import RATIONAL, Number, Ring
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.additive_noise import mean, ring_array, squared_norm, type_ids
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.problems.interpolated.quadratics import MatrixClients

MEAN_CONSTANTS = (
    symbols.dimension,
    symbols.smoothness,
    symbols.strong_convexity,
    symbols.initial_distance,
    symbols.initial_gap,
)


@dataclass(frozen=True, repr=False)
class ComponentSamplingClients(Data):
    """F_m is the mean of ``n_components`` consecutive clients of ``functions``; a gradient is that of one of them.

    The variance of gradients is bounded only at the minimiser. ValueError unless n_components divides their number.
    """

    functions: InterpolatedClients | MatrixClients
    n_components: int

    def __post_init__(self) -> None:
        n = self.n_components
        if isinstance(n, bool) or not isinstance(n, int) or n < 1 or self.functions.n_clients % n:
            raise ValueError(f"n_components must divide the {self.functions.n_clients} functions, got {n!r}")

    @property
    def n_clients(self) -> int:
        return self.functions.n_clients // self.n_components

    @property
    def dim(self) -> int:
        return self.functions.dim

    @property
    def start(self) -> Vector:
        return self.functions.start

    @property
    def minimiser(self) -> tuple[Number, ...]:
        return self.functions.minimiser

    @property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal functions in equal order."""
        types, n = self.functions.client_types, self.n_components
        return type_ids(types[m * n : (m + 1) * n] for m in range(self.n_clients))

    def _each(self, client: Client) -> list[Any]:
        return [np.asarray(client) * self.n_components + i for i in range(self.n_components)]

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return the gradient of F_m."""
        first, *others = (self.functions.gradient(x, one) for one in self._each(client))
        return sum(others, first) / self.n_components

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """F_m(x), (runs,)."""
        first, *others = (self.functions.client_value(x, one) for one in self._each(client))
        return sum(others, first) / self.n_components

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return self.functions.mean_gradient(x)

    def gap(self, x: np.ndarray) -> np.ndarray:
        return self.functions.gap(x)

    # -- samples -----------------------------------------------------------------------------------------------------

    @property
    def draws(self) -> int:
        return int(self.n_components > 1)

    @property
    def n_noise_values(self) -> int:
        """The number of functions of each client."""
        return self.n_components

    def noise_value(self, x: np.ndarray, client: Client, index: np.ndarray, ring: Ring | None) -> np.ndarray:
        """Return the gradients of the functions with these indices minus their client's."""
        one = np.asarray(client) * self.n_components + index
        return self.functions.gradient(x, one) - self.gradient(x, client)

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """Return the noise of a function drawn uniformly."""
        picked = np.minimum((uniforms[:, 0] * self.n_components).astype(np.int64), self.n_components - 1)
        return self.noise_value(x, client, picked, None)

    # -- constants ---------------------------------------------------------------------------------------------------

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        """The constants, with the largest gradient variance of a client at the minimiser; elsewhere it is unbounded."""
        n, best = self.n_components, ring_array(self.minimiser, (1, self.dim), RATIONAL)
        pulls = [
            [to_python_fraction(v) for v in self.functions.gradient(best, u)[0]] for u in range(n * self.n_clients)
        ]
        clients = [pulls[first : first + n] for first in range(0, len(pulls), n)]
        means = [[mean(column) for column in zip(*client, strict=True)] for client in clients]
        between = [squared_norm(v) for v in means]
        within = [
            mean([squared_norm(a - b for a, b in zip(v, middle, strict=True)) for v in client])
            for client, middle in zip(clients, means, strict=True)
        ]
        known = self.functions.constants
        return {symbol: known[symbol] for symbol in MEAN_CONSTANTS} | {
            symbols.n_clients: self.n_clients,
            symbols.n_components: n,
            symbols.heterogeneity_at_optimum: exact_sqrt(mean(between)),
            symbols.max_heterogeneity_at_optimum: exact_sqrt(max(between)),
            symbols.noise_std_at_optimum: exact_sqrt(max(within)),
        }
