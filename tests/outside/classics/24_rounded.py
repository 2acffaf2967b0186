"""Gradient descent on gradients rounded to the nearest multiple of a unit converges, D²/R fast.

False: it stops where the gradient is below half a unit; rounding must be unbiased (Alistarh et al. 2017).
"""

import numpy as np
from sympy import Eq

from fltheory import Algorithm, declare, quantity, theorem
from fltheory.problems.strategies import federated_runs, log_uniform_positive, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance, n_clients, n_rounds, noise_std, smoothness, step_size, strong_convexity

unit = declare("rounding_unit", "what gradients are rounded to a multiple of", "positive", 1, -1)


def step(x, oracle, c):
    return x - c.step_size * c.rounding_unit * np.rint(oracle.gradient(x, 0) / c.rounding_unit)


def family():
    cases = federated_runs(quadratic_clients(1, 2, curved=True, noise=False), max_rounds=300, max_local_steps=1)
    return log_uniform_positive(1e-3, 1).flatmap(lambda u: cases.map(lambda c: c.with_settings(rounding_unit=u)))


CLAIM = theorem(
    "rounded: |x_R - x*|² <= 100 D²/(eta mu R)",
    quantity <= 100 * initial_distance**2 / (step_size * strong_convexity * n_rounds),
    given=[Eq(n_clients, 1), Eq(noise_std, 0), strong_convexity > 0, step_size * smoothness <= 1],
    algorithm=Algorithm("rounded GD", step),
    measure=LastDistance(),
    family=family,
    key="rounding",
)
