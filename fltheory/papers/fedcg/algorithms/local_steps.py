"""A client's local steps in FedCG+ (Algorithm 2), in three modes.

The printed local step 1/tau leaves the cube after the first one (``strict``). ``clip``: gradients are evaluated at
min(x_i, 1). ``scaled``: the local step is eta/tau, so that all points stay in the polytope. In every mode the client's
displacement is the mean of its tau bases.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from fltheory.model.case import Client
from fltheory.number import RATIONAL
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.runs.constants import Constants

Mode = Literal["literal", "clip", "scaled"]
Error = Literal["none", "worst", "sampled"]


def vertex(x: np.ndarray, gradient: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Return the best vertex: the best base, without items of negative gain, which exist only outside the cube.

    Within the cube no gain is negative, as f is monotone.
    """
    left = (x > x * 0 + 1).any(axis=1, keepdims=True)
    return np.where(left & (gradient < gradient * 0), base * 0, base)


def points(
    instance: SubmodularClients,
    x: np.ndarray,
    client: Client,
    c: Constants,
    mode: Mode,
    error: Error = "none",
    oracle: Any = None,
) -> Iterator[tuple[Any, ...]]:
    """Return (point, gradient, base) of each local step; for ``error`` "worst" gradients are off by estimate_error.

    A wrong gradient is smaller by the error on the base that is best at the point (never below 0) and larger elsewhere.
    """
    local, one = x, x * 0 + 1
    length = c.server_step_size if mode == "scaled" else one.flat[0]
    for _ in range(c.n_local_steps):
        point = np.where(local < one, local, one) if mode == "clip" else local
        if error == "sampled":
            gradient = used = oracle.estimate(point, client, c.n_samples)
        else:
            gradient = used = instance.gradient(point, client)
        if error == "worst":
            best = instance.base(gradient, client)
            wrong = gradient + c.estimate_error * (1 - 2 * best)
            used = np.where(wrong > 0, wrong, wrong * 0)
        base = vertex(point, used, instance.base(used, client))
        yield point, gradient, base
        local = local + base * length / c.n_local_steps


def direction(
    oracle: SetOracle, x: np.ndarray, client: Client, c: Constants, mode: Mode, error: Error = "none"
) -> np.ndarray:
    """Return the mean of the bases of a client's local steps."""
    steps = points(oracle.instance, x, client, c, mode, error, oracle)
    return sum((base for _, _, base in steps), x * 0) / c.n_local_steps


def drifts(
    instance: SubmodularClients, x: np.ndarray, c: Constants, mode: Mode, error: Error = "none"
) -> tuple[np.ndarray, np.ndarray]:
    """Return B, the largest change of a gradient entry along the local steps, and L^2, the squared Lipschitz ratio.

    Both are maxima over all clients, for points x (rows, n): (rows,) each. Rationals stay rational.
    """
    zero = RATIONAL.scalar(0) if x.dtype == object else 0.0
    largest, ratio = np.full(len(x), zero), np.full(len(x), zero)
    for client in range(instance.n_clients):
        steps = points(instance, x, client, c, mode, error)
        _, start, _ = next(steps)
        for point, gradient, _ in steps:
            change, away = gradient - start, point - x
            largest = np.maximum(largest, np.abs(change).max(axis=1))
            length = (away * away).sum(axis=1)
            moved = np.where(length > 0, length, length * 0 + 1)  # if the point did not move, neither did the gradient
            ratio = np.maximum(ratio, (change * change).sum(axis=1) / moved)
    return largest, ratio
