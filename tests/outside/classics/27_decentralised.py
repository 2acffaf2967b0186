"""Decentralised gradient descent on a ring, of a constant step: the mean of the nodes reaches the minimiser at a linear rate.

False: it settles near it (Yuan, Ling & Yin 2016).
"""

import numpy as np
from sympy import Eq

from fltheory import Algorithm, quantity, theorem
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance, n_clients, n_rounds, noise_std, smoothness, step_size, strong_convexity


def init(start, c):
    return {"nodes": np.stack([start] * c.n_clients, axis=1)}


def mean(s):
    nodes = s["nodes"]
    return nodes.sum(axis=1) / nodes.shape[1]


def step(s, oracle, c):
    old, n = s["nodes"], c.n_clients
    new = [
        (old[:, m - 1] + old[:, m] + old[:, (m + 1) % n]) / 3 - c.step_size * oracle.gradient(old[:, m], m)
        for m in range(n)
    ]
    return {"nodes": np.stack(new, axis=1)}


CLAIM = theorem(
    "DGD: |mean x_R - x*|² <= 1000 (1 - eta mu/2)^R D²",
    quantity <= 1000 * (1 - step_size * strong_convexity / 2) ** n_rounds * initial_distance**2,
    given=[Eq(noise_std, 0), n_clients >= 3, strong_convexity > 0, step_size * smoothness <= 1],
    algorithm=Algorithm("DGD", step, init=init, point=mean),
    measure=LastDistance(),
    family=lambda: federated_runs(quadratic_clients(5, 1, curved=True, noise=False), max_rounds=300, max_local_steps=1),
    key="ring",
)
