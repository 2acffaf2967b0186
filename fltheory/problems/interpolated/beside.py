"""Clients with an additional coordinate, in which all have the same curvature and gradients are noisy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Client
from fltheory.model.schema import Data, Vector
from fltheory.number import RATIONAL, Number, exact, to_float
from fltheory.problems.additive_noise import AdditiveNoise
from fltheory.problems.interpolated import InterpolatedClients


@dataclass(frozen=True, repr=False)
class WithNoisyCoordinate(AdditiveNoise, Data):
    """F_m(x, t) = G_m(x) + ``curvature`` t^2 / 2 with the G_m of ``clients``, start t = 0, and noise +-``std`` in t.

    So a step has no noise in x, and all effects of noise are in t.
    """

    clients: InterpolatedClients
    curvature: Number
    std: Number
    start: Vector = field(init=False)
    noise_std: Vector = field(init=False)
    noise_law = "two_point"

    def __post_init__(self) -> None:
        std, inner = exact(self.std), self.clients.start
        self._set(curvature=exact(self.curvature), std=std, start=(*inner, 0), noise_std=(*(0 for _ in inner), std))
        if not self.clients.strong_convexity <= self.curvature <= self.clients.smoothness:
            raise ValueError(f"curvature must lie between those of the clients, got {self.curvature}")
        if not self.std > 0:
            raise ValueError(f"std must be positive, got {self.std}")

    @property
    def n_clients(self) -> int:
        return self.clients.n_clients

    @property
    def dim(self) -> int:
        return self.clients.dim + 1

    @property
    def minimiser(self) -> Vector:
        return (*self.clients.minimiser, 0)

    @property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal objectives."""
        return self.clients.client_types

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        return {**self.clients.constants, symbols.dimension: self.dim, symbols.noise_std: self.std}

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        return self._beside(self.clients.gradient(x[:, :-1], client), x)

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return self._beside(self.clients.mean_gradient(x[:, :-1]), x)

    def _beside(self, gradient: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.concatenate([gradient, self._curvature_gradient(x)[:, None]], axis=1)

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """F_m(x), (runs,)."""
        return self.clients.client_value(x[:, :-1], client) + self._curvature_gradient(x) * x[:, -1] / 2

    def gap(self, x: np.ndarray) -> np.ndarray:
        return self.clients.gap(x[:, :-1]) + self._curvature_gradient(x) * x[:, -1] / 2

    def _curvature_gradient(self, x: np.ndarray) -> np.ndarray:
        """curvature t, (runs,)."""
        of_floats = x.dtype != object
        return (to_float(self.curvature) if of_floats else RATIONAL.scalar(self.curvature)) * x[:, -1]
