"""FedProx with a constant weight of the proximal term converges to the minimiser whatever the clients. False: it settles beside it.

Here with exact proximal steps, read off two gradients of quadratic clients.
"""

from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, declare, quantity, theorem
from fltheory.problems.strategies import federated_runs, log_uniform_positive, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance, n_rounds, noise_std, smoothness, strong_convexity

weight = declare("prox_weight", "weight of the proximal term", "positive", 1, -2)


def step(x, oracle, c):
    total = 0 * x
    for m in range(c.n_clients):
        slope = oracle.gradient(0 * x, m)
        curvature = oracle.gradient(0 * x + 1, m) - slope
        total = total + (c.prox_weight * x - slope) / (c.prox_weight + curvature)
    return total / c.n_clients


def family():
    cases = federated_runs(
        quadratic_clients(3, 1, curved=True, noise=False), max_rounds=300, max_local_steps=1, step=False
    )
    return st.builds(lambda c, w: c.with_settings(prox_weight=w), cases, log_uniform_positive(1e-1, 100))


CLAIM = theorem(
    "FedProx: |x_R - x*|² <= 1000 (1 - mu/(2 (w + L)))^R D²",
    quantity <= 1000 * (1 - strong_convexity / (2 * (weight + smoothness))) ** n_rounds * initial_distance**2,
    given=[Eq(noise_std, 0), strong_convexity > 0],
    algorithm=Algorithm("FedProx", step),
    measure=LastDistance(),
    family=family,
    key="prox",
)
