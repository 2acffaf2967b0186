"""Gradient descent with gradients two rounds old stays bounded for steps up to 1/L. False beyond 0.618/L; true up to 1/(4 L)."""

from sympy import Eq, Rational

from fltheory import Algorithm, quantity, theorem
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance, n_clients, noise_std, smoothness, step_size


def init(start, c):
    return {"x": start, "one": start, "two": start}


def step(s, oracle, c):
    return {"x": s["x"] - c.step_size * oracle.gradient(s["two"], 0), "one": s["x"], "two": s["one"]}


def statement(name, most):
    return theorem(
        f"{name}: |x_R - x*|² <= 100 D²",
        quantity <= 100 * initial_distance**2,
        given=[Eq(n_clients, 1), Eq(noise_std, 0), step_size * smoothness <= most],
        algorithm=Algorithm("stale GD", step, init=init),
        measure=LastDistance(),
        family=lambda: federated_runs(quadratic_clients(1, 2, noise=False), max_rounds=100, max_local_steps=1),
        key="stale",
    )


CLAIM = statement("stale", 1)
TRUE = statement("stale-quarter", Rational(1, 4))
