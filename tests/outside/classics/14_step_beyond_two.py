"""Gradient descent does not leave the ball around the minimiser for steps up to 2.02/L.

False beyond 2/L, where it diverges slowly.
"""

from sympy import Eq, Rational

from fltheory import Algorithm, quantity, theorem
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance, n_clients, noise_std, smoothness, step_size


def step(x, oracle, c):
    return x - c.step_size * oracle.gradient(x, 0)


def statement(name, most):
    return theorem(
        f"{name}: |x_R - x*|² <= 2 D²",
        quantity <= 2 * initial_distance**2,
        given=[Eq(n_clients, 1), Eq(noise_std, 0), step_size * smoothness <= most],
        algorithm=Algorithm("GD", step),
        measure=LastDistance(),
        family=lambda: federated_runs(quadratic_clients(1, 2, noise=False), max_rounds=100, max_local_steps=1),
        key="gdtwo",
    )


CLAIM = statement("GD2", Rational(101, 50))
TRUE = statement("GD2-true", 2)
