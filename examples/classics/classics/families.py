"""Families and a measure of several modules: one client with exact gradients."""

from dataclasses import dataclass

from hypothesis import strategies as st

from fltheory import Case
from fltheory.problems.separable import PiecewiseQuadraticClients
from fltheory.problems.strategies import federated_runs, log_uniform_counts, log_uniform_positive, quadratic_clients
from fltheory.runs.measures import ENERGY, RunMeasure


def quadratics(**more):
    """One quadratic client in up to two coordinates, exact gradients."""
    return federated_runs(quadratic_clients(1, 2, noise=False, **more), 50, 1)


def curved():
    """The same with curvatures above 0."""
    return quadratics(curved=True)


def kinked():
    """Quadratics and functions of another curvature on each side of 0, 0 or not: Huber functions among them."""
    curvature = st.one_of(log_uniform_positive(1e-3, 1), st.just(0))
    halves = st.builds(
        lambda h, k, b, x: PiecewiseQuadraticClients((h,), (k,), (b,), x),
        log_uniform_positive(1e-3, 1),
        curvature,
        log_uniform_positive(1e-2, 1),  # a minimiser where the curvature is h
        st.integers(-3, 3),
    )
    one = st.one_of(halves, quadratic_clients(1, 2, noise=False))
    return st.builds(lambda f, rounds: Case(f, n_rounds=rounds), one, log_uniform_counts(50))


@dataclass(frozen=True)
class LastRise(RunMeasure):
    """By how much the last step raises the objective, 0 if it doesn't."""

    name: str = "max(0, F(x_R) - F(x_{R-1}))"
    dimension: tuple = ENERGY

    def values(self, states, case):
        rise = case.instance.gap(states[:, -1]) - case.instance.gap(states[:, -2])
        return (rise + abs(rise))[:, None] / 2
