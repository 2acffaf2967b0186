"""Clients that clip their gradients at G: their mean still leads to the minimiser, at a linear rate once gradients are small.

False: clipping is biased where clients differ (Chen, Wu & Hong 2020).
"""

import numpy as np
from sympy import Eq

from fltheory import Algorithm, declare, quantity, theorem
from fltheory.problems.strategies import federated_runs, log_uniform_positive, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import dimension, initial_distance, n_rounds, noise_std, smoothness, step_size, strong_convexity

limit = declare("clip_limit", "largest entry of a gradient that is sent", "positive", 1, -1)


def step(x, oracle, c):
    sent = sum(np.clip(oracle.gradient(x, m), -c.clip_limit, c.clip_limit) for m in range(c.n_clients))
    return x - c.step_size * sent / c.n_clients


def family():
    cases = federated_runs(quadratic_clients(3, 1, curved=True, noise=False), max_rounds=300, max_local_steps=1)
    return log_uniform_positive(1e-2, 10).flatmap(lambda g: cases.map(lambda c: c.with_settings(clip_limit=g)))


CLAIM = theorem(
    "clipped: |x_R - x*|² <= 1000 (1 - eta mu/2)^R (1 + mu D/G)² D²",
    quantity
    <= 1000
    * (1 - step_size * strong_convexity / 2) ** n_rounds
    * (1 + strong_convexity * initial_distance / limit) ** 2
    * initial_distance**2,
    given=[Eq(noise_std, 0), Eq(dimension, 1), strong_convexity > 0, step_size * smoothness <= 1],
    algorithm=Algorithm("clipped", step),
    measure=LastDistance(),
    family=family,
    key="clipped",
)
