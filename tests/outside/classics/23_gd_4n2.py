"""Gradient descent, step 1/L: gap <= L D²/(4 N + 2) (Drori & Teboulle 2014). True, attained by a Huber function."""

from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems.strategies import log_uniform_counts, quadratic_clients
from fltheory.runs.assumptions import convex, smooth
from fltheory.runs.measures import LastGap
from fltheory.symbols import initial_distance, n_clients, n_rounds, noise_std, smoothness


def step(x, oracle, c):
    return x - oracle.gradient(x, 0) / c.smoothness


TRUE = theorem(
    "GD: F(x_N) - F* <= L D²/(4N + 2)",
    quantity <= smoothness * initial_distance**2 / (4 * n_rounds + 2),
    given=[Eq(n_clients, 1), Eq(noise_std, 0)],
    assumptions=[smooth, convex],
    algorithm=Algorithm("GD", step),
    measure=LastGap(),
    family=lambda: st.builds(
        lambda f, r: Case(f, n_rounds=r), quadratic_clients(1, 2, noise=False), log_uniform_counts(100)
    ),
    key="gd",
)
