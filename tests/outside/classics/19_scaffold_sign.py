"""SCAFFOLD (Karimireddy et al. 2020), the sign of its correction turned: converges linearly. False."""

import numpy as np
from sympy import Eq

from fltheory import Algorithm, quantity, theorem
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import (
    initial_distance,
    n_local_steps,
    n_rounds,
    noise_std,
    smoothness,
    step_size,
    strong_convexity,
)


def init(start, c):
    return {"x": start, "own": np.stack([0 * start] * c.n_clients, axis=1)}


def step(s, oracle, c):
    x, own = s["x"], s["own"]
    mean = own.sum(axis=1) / c.n_clients
    ends, variates = [], []
    for m in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * (oracle.gradient(y, m, k) + own[:, m] - mean)
        variates.append(oracle.gradient(x, m))
        ends.append(y)
    return {"x": sum(ends) / c.n_clients, "own": np.stack(variates, axis=1)}


CLAIM = theorem(
    "SCAFFOLD: |x_R - x*|² <= 1000 (1 - eta mu/4)^R D²",
    quantity <= 1000 * (1 - step_size * strong_convexity / 4) ** n_rounds * initial_distance**2,
    given=[Eq(noise_std, 0), strong_convexity > 0, step_size * smoothness * n_local_steps <= 1],
    algorithm=Algorithm("SCAFFOLD, sign turned", step, init=init),
    measure=LastDistance(),
    family=lambda: federated_runs(quadratic_clients(3, 1, curved=True, noise=False), max_rounds=100, max_local_steps=3),
    key="scaffoldsign",
)
