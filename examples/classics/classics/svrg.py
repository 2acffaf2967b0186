"""Variance reduction for finite sums, F = (F_1 + ... + F_M)/M.

SVRG1: Johnson and Zhang, Accelerating stochastic gradient descent using predictive variance reduction (2013), Theorem 1, for their
second option: an epoch ends at one of its points, drawn at random.
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq

from classics.letters import K, L, R, eta, mu, sigma
from classics.stochastic import small_sums
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.assumptions import smooth, strongly_convex
from fltheory.runs.measures import LastGap
from fltheory.symbols import initial_gap


def variance_reduced(corrected):
    """K steps along g_j(y) - g_j(x) + grad F(x), j drawn anew; then one of the points before them, drawn at random."""

    def step(x, oracle, c):
        anchor, y, points = sum(oracle.gradient(x, m) for m in range(c.n_clients)) / c.n_clients, x, []
        for _ in range(c.n_local_steps):
            points.append(y)
            drawn = oracle.choice(np.ones(c.n_clients))
            y = y - c.step_size * (oracle.gradient(y, drawn) + corrected * (anchor - oracle.gradient(x, drawn)))
        return np.stack(points, axis=1)[np.arange(len(x)), oracle.choice(np.ones(c.n_local_steps))]

    return step


def epochs():
    """One to three epochs of up to four steps, whose draws are enumerated."""
    return st.builds(
        lambda case, r, k, part: Case(
            case.instance, n_rounds=r, n_local_steps=k, step_size=part / case.instance.constants[L]
        ),
        small_sums(),
        st.integers(1, 2),
        st.integers(1, 3),
        st.fractions("1/20", "9/20", max_denominator=20),
    )


shrunk = (1 / (mu * eta * (1 - 2 * L * eta) * K) + 2 * L * eta / (1 - 2 * L * eta)) ** R * initial_gap
EPOCHS = {
    "given": [Eq(sigma, 0), mu > 0, 2 * L * eta < 1],
    "assumptions": [smooth, strongly_convex],
    "measure": LastGap(),
    "family": epochs,
}
SVRG1 = theorem(
    "SVRG1: E F(x_R) - F* <= (1/(mu eta (1 - 2 L eta) K) + 2 L eta/(1 - 2 L eta))^R (F(x_0) - F*)",
    quantity <= shrunk,
    algorithm=Algorithm("SVRG", variance_reduced(1)),
    **EPOCHS,
)
SVRG1_NONE = theorem(
    "SVRG1-none: false of plain stochastic gradients, which leave x*",
    quantity <= shrunk,
    algorithm=Algorithm("SGD, one of the points", variance_reduced(0)),
    cases=[Case(QuadraticClients((1, 1), (1, -1), (0,)), n_rounds=1, n_local_steps=3, step_size="1/4")],
    recorded="violated",
    **EPOCHS,
)
CLAIMS = (SVRG1, SVRG1_NONE)
