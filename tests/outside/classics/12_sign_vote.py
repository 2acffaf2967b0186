"""signSGD with a majority vote, steps falling as 1/sqrt(r): |x_R - x*|² <= 10 (D² + eta² d).

False: a client with a large gradient has one vote (Karimireddy et al. 2019; Chen et al. 2020).
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, declare, quantity, theorem
from fltheory.problems.strategies import federated_runs, log_uniform_positive, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import dimension, initial_distance, noise_std, strong_convexity

length = declare("step_distance", "how far the first step goes in a coordinate", "positive", 0, 1)


def step(x, oracle, c):
    votes = sum(np.sign(oracle.gradient(x, m)) for m in range(c.n_clients))
    return x - c.step_distance / np.sqrt(c.round + 1) * np.sign(votes)


def family():
    clients = quadratic_clients(3, 2, curved=True, noise=False)
    return st.builds(
        lambda case, far: case.with_settings(step_distance=far),
        federated_runs(clients, max_rounds=100, max_local_steps=1, step=False),
        log_uniform_positive(1e-2, 10),
    )


CLAIM = theorem(
    "vote: |x_R - x*|² <= 10 (D² + eta² d)",
    quantity <= 10 * (initial_distance**2 + length**2 * dimension),
    given=[Eq(noise_std, 0), strong_convexity > 0],
    algorithm=Algorithm("signSGD, majority vote", step),
    measure=LastDistance(),
    family=family,
    key="vote",
)
