"""Continuous greedy, FedCG (Algorithm 1) and FedCG+ (Algorithm 2); x has shape (rows, items).

A step is one round: the server's point moves by ``c.server_step_size`` (eta) along a mean of bases. In FedCG+,
clients take ``c.n_local_steps`` (tau) local steps between two communications.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fltheory.papers.fedcg.algorithms.local_steps import Error, Mode, direction, vertex
from fltheory.problems.decomposable import SetOracle
from fltheory.runs.algorithm import POINT, Algorithm
from fltheory.runs.constants import Constants


def gradient_sharing_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Run a round where clients send gradients and the best base of their mean is used: continuous greedy on F."""
    gradient = oracle.mean_gradient(x)
    return x + c.server_step_size * vertex(x, gradient, oracle.base(gradient))


def best(x: np.ndarray, oracle: SetOracle, client: Any) -> np.ndarray:
    """Return the best vertex of the polytope for the client's own gradient, which the client sends."""
    gradient = oracle.gradient(x, client)
    return vertex(x, gradient, oracle.base(gradient, client))


def full_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Run FedCG with full participation: the mean of the clients' best bases with weights p_i."""
    move = x * 0
    for client, weight in enumerate(oracle.weights(x)):
        move = move + weight * best(x, oracle, client)
    return x + c.server_step_size * move


def uniform_average_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Run the same with the average of line 9 as printed: equal weights whatever p is."""
    move = x * 0
    for client in range(c.n_clients):
        move = move + best(x, oracle, client)
    return x + c.server_step_size * move / c.n_clients


def partial_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Run FedCG (Algorithm 1): the mean of the bases of K clients drawn by p with replacement."""
    move = x * 0
    for client in oracle.draw(x, c.n_sampled).T:
        move = move + best(x, oracle, client)
    return x + c.server_step_size * move / c.n_sampled


def without_replacement_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Run FedCG with K different clients, drawn by p without replacement: outside the theorems."""
    move, shares = x * 0, np.stack([oracle.weights(x)] * len(x))
    rows = np.arange(len(x))
    for _ in range(min(c.n_sampled, c.n_clients)):
        left = shares.sum(axis=1, keepdims=True)
        client = oracle.chance.choose(shares / left)
        shares = shares.copy()
        shares[rows, client] = shares[rows, client] * 0
        move = move + best(x, oracle, client)
    return x + c.server_step_size * move / min(c.n_sampled, c.n_clients)


def local_step(mode: Mode, error: Error = "none") -> Callable[[np.ndarray, SetOracle, Constants], np.ndarray]:
    """Return FedCG+ (Algorithm 2) in one of its modes, with exact, sampled or adversarially wrong gradients."""

    def step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        move = x * 0
        for client in oracle.draw(x, c.n_sampled).T:
            move = move + direction(oracle, x, client, c, mode, error)
        return x + c.server_step_size * move / c.n_sampled

    return step


gradient_sharing = Algorithm("gradient sharing", gradient_sharing_step, anonymous=True, kind=POINT)
full = Algorithm("FedCG, full participation", full_step, anonymous=True, kind=POINT)
uniform_average = Algorithm("FedCG, uniform average", uniform_average_step, anonymous=True, kind=POINT)
partial = Algorithm("FedCG", partial_step, anonymous=True, kind=POINT)
without_replacement = Algorithm("FedCG without replacement", without_replacement_step, kind=POINT)
literal = Algorithm("FedCG+, literal", local_step("literal"), anonymous=True, kind=POINT)
clipped = Algorithm("FedCG+, clipped", local_step("clip"), anonymous=True, kind=POINT)
scaled = Algorithm("FedCG+, scaled", local_step("scaled"), anonymous=True, kind=POINT)
clipped_wrong = Algorithm("FedCG+, clipped, wrong gradients", local_step("clip", "worst"), anonymous=True, kind=POINT)
scaled_wrong = Algorithm("FedCG+, scaled, wrong gradients", local_step("scaled", "worst"), anonymous=True, kind=POINT)
clipped_sampled = Algorithm(
    "FedCG+, clipped, sampled gradients", local_step("clip", "sampled"), anonymous=True, kind=POINT
)
scaled_sampled = Algorithm(
    "FedCG+, scaled, sampled gradients", local_step("scaled", "sampled"), anonymous=True, kind=POINT
)
