"""Simultaneous gradient descent-ascent converges on min_x max_y h x y. False: it spirals out.

Games are no instance: the gradient field (h y, -h x) is that of h (x² + y²)/2 turned by 90 degrees.
"""

from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems import QuadraticClients
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive
from fltheory.runs.measures import LastDistance
from fltheory.symbols import dimension, initial_distance, n_clients, n_rounds, noise_std, smoothness, step_size


def field(x, oracle):
    g = oracle.gradient(x, 0)
    turned = 0 * g
    turned[:, 0], turned[:, 1] = g[:, 1], -g[:, 0]
    return turned


def step(x, oracle, c):
    return x - c.step_size * field(x, oracle)


def extra(x, oracle, c):
    return x - c.step_size * field(x - c.step_size * field(x, oracle), oracle)


def family():
    return st.builds(
        lambda h, a, b, r, e: Case(QuadraticClients(((h, h),), ((0, 0),), (a, b)), n_rounds=r, step_size=e / h),
        log_uniform_positive(1e-2, 10),
        st.integers(-3, 3),
        st.integers(-3, 3),
        log_uniform_counts(1000),
        log_uniform_positive(1e-3, 1),
    )


common = {
    "given": [Eq(n_clients, 1), Eq(noise_std, 0), Eq(dimension, 2), step_size * smoothness <= 1],
    "assumptions": [
        requires(
            "the encoding of a game", lambda one, c: one.curvatures[0][0] != one.curvatures[0][1] or any(one.slopes[0])
        )
    ],
    "measure": LastDistance(),
    "family": family,
    "key": "gda",
}
CLAIM = theorem(
    "gda: |z_R|² <= 2 |z_0|²", quantity <= 2 * initial_distance**2, algorithm=Algorithm("GDA", step), **common
)
hl = (step_size * smoothness) ** 2
TRUE = theorem(
    "extra: extragradient: |z_R|² <= (1 - (eta h)² + (eta h)⁴)^R |z_0|²",
    quantity <= (1 - hl + hl**2) ** n_rounds * initial_distance**2,
    algorithm=Algorithm("extragradient", extra),
    **common,
)
