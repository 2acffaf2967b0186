"""FedAvg with K local steps of a constant size converges to the optimum whatever the clients. False: it settles beside it."""

from sympy import Eq

from fltheory import Algorithm, quantity, theorem
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.assumptions import smooth, strongly_convex
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance, n_rounds, noise_std, smoothness, step_size, strong_convexity


def step(x, oracle, c):
    total = 0 * x
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        total = total + y
    return total / c.n_clients


CLAIM = theorem(
    "FedAvg: |x_R - x*|² <= 1000 (1 - eta mu)^R D²",
    quantity <= 1000 * (1 - step_size * strong_convexity) ** n_rounds * initial_distance**2,
    given=[Eq(noise_std, 0), strong_convexity > 0, step_size * smoothness <= 1],
    assumptions=[smooth, strongly_convex],
    algorithm=Algorithm("FedAvg", step),
    measure=LastDistance(),
    family=lambda: federated_runs(quadratic_clients(curved=True, noise=False), max_rounds=1000),
    key="fedavg",
)
