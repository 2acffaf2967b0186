"""Douglas-Rachford is nonexpansive: |T z - T w| <= |z - w|. True.

Proximal maps are no oracle: of separable quadratic clients the step reads slope and curvature off two gradients. Two
runs: coordinates 0, 1
of one instance with equal clients in both; the measure (mine) is what their squared distance grows by.
"""

from dataclasses import dataclass

from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems import QuadraticClients
from fltheory.problems.strategies import log_uniform_positive
from fltheory.runs.measures import LENGTH_SQUARED, RunMeasure
from fltheory.symbols import dimension, n_clients, noise_std


@dataclass(frozen=True)
class Growth(RunMeasure):
    name: str = "|z_R - w_R|² - |z_0 - w_0|²"
    dimension: tuple = LENGTH_SQUARED

    def values(self, states, case):
        apart = states[:, :, 0] - states[:, :, 1]
        return (apart[:, -1] * apart[:, -1] - apart[:, 0] * apart[:, 0])[:, None]


def prox(z, oracle, client, c):
    slope = oracle.gradient(0 * z, client)
    curvature = oracle.gradient(0 * z + 1, client) - slope
    return (z - c.step_size * slope) / (1 + c.step_size * curvature)


def step(z, oracle, c):
    y = prox(z, oracle, 0, c)
    return z + prox(2 * y - z, oracle, 1, c) - y


def family():
    return st.builds(
        lambda a, b, p, q, z, w, r, e: Case(
            QuadraticClients(((a, a), (b, b)), ((p, p), (q, q)), (z, w)), n_rounds=r, step_size=e
        ),
        log_uniform_positive(1e-3, 10),
        log_uniform_positive(1e-3, 10),
        *[st.integers(-5, 5)] * 4,
        st.integers(1, 20),
        log_uniform_positive(1e-2, 100),
    )


TRUE = theorem(
    "DR: |z_R - w_R|² - |z_0 - w_0|² <= 0",
    quantity <= 0,
    given=[Eq(n_clients, 2), Eq(noise_std, 0), Eq(dimension, 2)],
    assumptions=[
        requires("two runs of one problem", lambda one, c: any(r[0] != r[1] for r in (*one.curvatures, *one.slopes)))
    ],
    algorithm=Algorithm("Douglas-Rachford", step),
    measure=Growth(),
    family=family,
    key="dr",
)
