"""Polyak's step (F - F*)/|∇F|² on smooth convex functions: min gap <= 2 L D²/(R + 1). True."""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems import PiecewiseQuadraticClients
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive, quadratic_clients
from fltheory.symbols import initial_distance, n_clients, n_rounds, noise_std, smoothness
from fltheory.worst_case.measures import LeastGap


def init(start, c):
    return {"x": start, "lowest": 0 * start[:, 0]}


def step(s, oracle, c):
    x = s["x"]
    value, g = oracle.value(x, 0), oracle.gradient(x, 0)
    lowest = value - c.initial_gap if c.round == 0 else s["lowest"]
    square = (g * g).sum(axis=1)
    lr = (value - lowest) / np.where(square > 0, square, 1)
    return {"x": x - lr[:, None] * g, "lowest": lowest}


def family():
    row = st.tuples(*[log_uniform_positive(1e-3, 1)] * 2)
    kinked = st.builds(
        lambda l, r, s: PiecewiseQuadraticClients((l,), (r,), ((0, 0),), s),
        row,
        row,
        st.tuples(*[st.integers(-5, 5)] * 2),
    )
    return st.builds(
        lambda f, r: Case(f, n_rounds=r),
        st.one_of(kinked, quadratic_clients(1, 2, noise=False)),
        log_uniform_counts(50),
    )


TRUE = theorem(
    "Polyak: min F(x_r) - F* <= 2 L D²/(R + 1)",
    quantity <= 2 * smoothness * initial_distance**2 / (n_rounds + 1),
    given=[Eq(n_clients, 1), Eq(noise_std, 0)],
    algorithm=Algorithm("Polyak's step", step, init=init),
    measure=LeastGap(),
    family=family,
    key="polyak",
)
