"""Distributed GD with the coordinate-wise median (22) or Krum (22b) of the clients' gradients converges to the
minimiser of the mean. False."""

import numpy as np
from sympy import Eq

from fltheory import Algorithm, quantity, theorem
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance, n_rounds, noise_std, smoothness, step_size, strong_convexity


def median(x, oracle, c):
    return x - c.step_size * np.median(np.stack([oracle.gradient(x, m) for m in range(c.n_clients)]), axis=0)


def krum(x, oracle, c):
    g = [oracle.gradient(x, m) for m in range(c.n_clients)]
    near = max(1, c.n_clients - 2)
    scores = []
    for m in range(c.n_clients):
        apart = np.sort(np.stack([((g[m] - h) ** 2).sum(axis=1) for h in g], axis=1), axis=1)
        scores.append(apart[:, : near + 1].sum(axis=1))
    best = np.stack(scores, axis=1).argmin(axis=1)
    return x - c.step_size * sum(np.where((best == m)[:, None], g[m], 0 * g[m]) for m in range(c.n_clients))


common = {
    "given": [Eq(noise_std, 0), strong_convexity > 0, step_size * smoothness <= 1],
    "measure": LastDistance(),
    "family": lambda: federated_runs(
        quadratic_clients(5, 2, curved=True, noise=False), max_rounds=1000, max_local_steps=1
    ),
    "key": "robust",
}
rate = 1000 * (1 - step_size * strong_convexity) ** n_rounds * initial_distance**2
CLAIM = theorem(
    "median: |x_R - x*|² <= 1000 (1 - eta mu)^R D²", quantity <= rate, algorithm=Algorithm("median", median), **common
)
KRUM = theorem(
    "krum: |x_R - x*|² <= 1000 (1 - eta mu)^R D²", quantity <= rate, algorithm=Algorithm("Krum", krum), **common
)
