"""Upward estimates of unknown constants of clients, from points near their start. An estimate proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from fltheory.frameworks.torch.client import import_torch
from fltheory.model.errors import UserError

POWER_STEPS = 60  # iterations of the power method, whose value is a lower bound
Slope = Callable[..., Any]  # parameters (dim,), inputs, targets: the gradient of the mean loss


class WithData(Protocol):
    """Clients of a module."""

    @property
    def origin(self) -> np.ndarray:
        """Return the start, (dim,)."""

    @property
    def data(self) -> tuple[tuple[Any, Any], ...]:
        """Return inputs and targets of each client."""

    @property
    def batch_size(self) -> int | None:
        """Return the samples of a minibatch, None for all."""


LargestFunction = Callable[[Slope, WithData, np.ndarray], float]  # the largest value of a constant at points (n, dim)


@dataclass(frozen=True)
class Estimate:
    """An estimate: ``factor`` times the largest value at the start and ``points`` uniform points within ``radius``.

    For the smoothness the value is the largest |eigenvalue| of a client's Hessian; for the noise the root mean square
    over minibatches, and for the heterogeneity that over clients.
    """

    points: int = 32
    radius: float = 1.0
    factor: float = 2.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.points < 0 or not self.radius > 0 or not self.factor >= 1:
            raise UserError(f"{self}: expected points >= 0, radius > 0 and factor >= 1 (estimates go upwards)")

    def __str__(self) -> str:
        return f"estimated as {self.factor:g} times the largest of {self.points + 1} points within {self.radius:g} of the start"

    def of(self, largest: LargestFunction, slope: Slope, clients: WithData) -> float:
        """Return the estimate of a constant."""
        return self.factor * largest(slope, clients, self._places(clients.origin))

    def _places(self, origin: np.ndarray) -> np.ndarray:
        """Return the start and points about it, (points + 1, dim)."""
        rng, n, d = np.random.default_rng(self.seed), self.points, len(origin)
        ways = rng.standard_normal((n, d))
        lengths = self.radius * rng.random((n, 1)) ** (1 / d)
        moved = ways / np.linalg.norm(ways, axis=1, keepdims=True) * lengths
        return origin + np.concatenate([np.zeros((1, d)), moved])


def curvature(slope: Slope, clients: WithData, x: np.ndarray) -> float:
    """Return the largest |eigenvalue| of a client's Hessian, by the power method."""
    module = import_torch().module

    def turned(flat: Any, v: Any, inputs: Any, targets: Any) -> Any:
        return module.func.vjp(partial(slope, inputs=inputs, targets=targets), flat)[1](v)[0]  # it is symmetric

    product, points = module.func.vmap(turned, in_dims=(0, 0, None, None)), module.from_numpy(x)
    largest = 0.0
    for inputs, targets in clients.data:
        v = module.from_numpy(np.random.default_rng(0).standard_normal(x.shape))
        for _ in range(POWER_STEPS):
            v = v / v.norm(dim=1, keepdim=True).clamp(min=1e-300)
            v = product(points, v, inputs, targets).detach()
        largest = max(largest, float(v.norm(dim=1).max()))
    return largest


def spread_of_samples(slope: Slope, clients: WithData, x: np.ndarray) -> float:
    """Return the root mean square deviation of a minibatch's gradient from the client's, for the worst client."""
    if clients.batch_size is None:
        return 0.0
    module, points, largest = import_torch().module, import_torch().module.from_numpy(x), 0.0
    of_all = module.func.vmap(module.func.vmap(slope, in_dims=(None, 0, 0)), in_dims=(0, None, None))
    for inputs, targets in clients.data:
        each = of_all(points, inputs[:, None], targets[:, None]).detach()
        square = ((each - each.mean(dim=1, keepdim=True)) ** 2).sum(dim=2).mean(dim=1)
        largest = max(largest, float(square.max()) / clients.batch_size)
    return float(largest**0.5)


def spread_of_clients(slope: Slope, clients: WithData, x: np.ndarray) -> float:
    """Return the root mean square deviation of the clients' gradients from that of F."""
    points = import_torch().module.from_numpy(x)
    at = import_torch().module.func.vmap(slope, in_dims=(0, None, None))
    each = np.stack([at(points, inputs, targets).detach().numpy() for inputs, targets in clients.data])
    return float(((each - each.mean(axis=0)) ** 2).sum(axis=2).mean(axis=0).max() ** 0.5)


ESTIMATORS: Mapping[str, LargestFunction] = {
    "smoothness": curvature,
    "noise_std": spread_of_samples,
    "heterogeneity": spread_of_clients,
}
