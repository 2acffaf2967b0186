"""Local steps alone speed FedAvg up K times: gap <= 10 D²/(eta K R), without a term of drift.

False where clients differ (Li et al. 2020; Woodworth et al. 2020).
"""

from sympy import Eq

from fltheory import Algorithm, quantity, theorem
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.measures import LastGap
from fltheory.symbols import initial_distance, n_local_steps, n_rounds, noise_std, smoothness, step_size


def step(x, oracle, c):
    total = 0 * x
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        total = total + y
    return total / c.n_clients


CLAIM = theorem(
    "speed-up: F(x_R) - F* <= 10 D²/(eta K R)",
    quantity <= 10 * initial_distance**2 / (step_size * n_local_steps * n_rounds),
    given=[Eq(noise_std, 0), step_size * smoothness <= 1],
    algorithm=Algorithm("FedAvg", step),
    measure=LastGap(),
    family=lambda: federated_runs(quadratic_clients(3, 2, noise=False), max_rounds=300),
    key="speedup",
)
