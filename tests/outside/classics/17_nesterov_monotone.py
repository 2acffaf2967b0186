"""Nesterov's accelerated method never raises the function value.

False: it ripples (O'Donoghue & Candès 2015); descent without momentum does not.
"""

from dataclasses import dataclass

from sympy import Eq

from fltheory import Algorithm, quantity, theorem
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.measures import ENERGY, RunMeasure
from fltheory.symbols import n_clients, noise_std, smoothness, step_size


@dataclass(frozen=True)
class LastRise(RunMeasure):
    """By how much the value has risen in the last round, if it has."""

    name: str = "max(0, F(x_R) - F(x_{R-1}))"
    dimension: tuple = ENERGY

    def values(self, states, case):
        rise = case.instance.gap(states[:, -1]) - case.instance.gap(states[:, -2])
        return (rise + abs(rise))[:, None] / 2


def init(start, c):
    return {"x": start, "last": start}


def accelerated(s, oracle, c):
    y = s["x"] + (s["x"] - s["last"]) * c.round / (c.round + 3)
    return {"x": y - c.step_size * oracle.gradient(y, 0), "last": s["x"]}


def plain(x, oracle, c):
    return x - c.step_size * oracle.gradient(x, 0)


common = {
    "given": [Eq(n_clients, 1), Eq(noise_std, 0), step_size * smoothness <= 1],
    "measure": LastRise(),
    "family": lambda: federated_runs(quadratic_clients(1, 2, noise=False), max_rounds=50, max_local_steps=1),
    "key": "ripples",
}
CLAIM = theorem(
    "Nesterov: F(x_R) <= F(x_{R-1})", quantity <= 0, algorithm=Algorithm("Nesterov", accelerated, init=init), **common
)
TRUE = theorem("descent: F(x_R) <= F(x_{R-1})", quantity <= 0, algorithm=Algorithm("GD", plain), **common)
