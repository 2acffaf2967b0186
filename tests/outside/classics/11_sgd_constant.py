"""SGD with a constant step converges linearly to the minimiser, whatever the noise.

False: a floor of the order of the step is left.
"""

from sympy import Eq

from fltheory import Algorithm, quantity, theorem
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance, n_clients, n_rounds, noise_std, smoothness, step_size, strong_convexity


def step(x, oracle, c):
    return x - c.step_size * oracle.gradient(x, 0)


common = {
    "given": [Eq(n_clients, 1), strong_convexity > 0, step_size * smoothness <= 1],
    "algorithm": Algorithm("SGD", step),
    "measure": LastDistance(),
    "family": lambda: federated_runs(quadratic_clients(1, 2, curved=True), max_rounds=1000, max_local_steps=1),
    "key": "sgd",
}
rate = (1 - step_size * strong_convexity) ** n_rounds * initial_distance**2
CLAIM = theorem("SGD: E|x_R - x*|² <= 1000 (1 - eta mu)^R D²", quantity <= 1000 * rate, **common)
TRUE = theorem(
    "SGD-floor: E|x_R - x*|² <= (1 - eta mu)^R D² + eta sigma²/mu",
    quantity <= rate + step_size * noise_std**2 / strong_convexity,
    **common,
)
