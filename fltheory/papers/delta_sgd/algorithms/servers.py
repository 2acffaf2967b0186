"""Servers: FedAvg averages the clients' models, FedAdam uses the average change as the gradient of Adam.

FedSGD is FedAvg with one local step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fltheory.papers.delta_sgd.algorithms.optimisers import Moments, adam_move, fresh_moments
from fltheory.runs.constants import Constants

FEDADAM_STEP = 1e-3  # of the server, as in the paper


class Server(NamedTuple):
    """A server: ``step(x, mean, state, c) -> (x, state)`` from its points and the clients' mean, (rows, dim)."""

    name: str
    step: Callable[[np.ndarray, np.ndarray, Any, Any], tuple[np.ndarray, Any]]
    init: Callable[[np.ndarray, Any], Any]


def client_mean(local: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the mean over clients of points (rows, clients, dim); ``weights`` (rows, clients): sample numbers."""
    if weights is None:
        return np.asarray(local.sum(axis=1) / local.shape[1])
    shares = weights / weights.sum(axis=1, keepdims=True)
    return np.asarray((shares[:, :, None] * local).sum(axis=1))


def _take_mean(x: np.ndarray, mean: np.ndarray, state: None, c: Constants) -> tuple[np.ndarray, None]:
    return mean, None


def _adam(x: np.ndarray, mean: np.ndarray, state: Moments, c: Constants) -> tuple[np.ndarray, Any]:
    move, state = adam_move(x - mean, state, c.server_step_size)
    return x - move, state


fedavg = Server("FedAvg", _take_mean, lambda x, c: None)
fedadam = Server("FedAdam", _adam, fresh_moments)
