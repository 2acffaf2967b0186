"""Frank and Wolfe's method with steps 2/(t + 2) on the square [-1, 1]²: gap <= 40 L d/(R + 1)².

On most sets 1/R is its rate (Canon & Cullum 1968). True here: coordinates part, and each is 4/(R + 1) off at most.
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, Case, declare, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems import QuadraticClients
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive
from fltheory.runs.measures import LastGap
from fltheory.symbols import dimension, n_clients, n_rounds, noise_std, smoothness

side = declare("half_side", "half the side of the square", "positive", 0, 1)


def step(x, oracle, c):
    corner = c.half_side * np.where(oracle.gradient(x, 0) > 0, -1, 1)
    return x + (corner - x) * 2 / (c.round + 2)


def family():
    inside = st.fractions(-1, 1, max_denominator=10)
    return st.builds(
        lambda g, h, p, q, r: Case(QuadraticClients(((g, h),), ((-g * p, -h * q),), (1, 1)), n_rounds=r, half_side=1),
        log_uniform_positive(1e-2, 1),
        log_uniform_positive(1e-2, 1),
        inside,
        inside,
        log_uniform_counts(200),
    )


def outside(one, c):
    points = (*one.start, *one.minimiser)
    return any(abs(v) > c.half_side for v in points) and "start or minimiser beyond the square"


TRUE = theorem(
    "FW2: F(x_R) - F* <= 40 L d/(R + 1)²",
    quantity <= 40 / (n_rounds + 1) ** 2 * smoothness * dimension * side**2,
    given=[Eq(n_clients, 1), Eq(noise_std, 0)],
    assumptions=[requires("the minimiser lies in the square", outside)],
    algorithm=Algorithm("Frank-Wolfe", step),
    measure=LastGap(),
    family=family,
    key="frankwolfe",
)
