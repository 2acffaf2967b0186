"""The heavy ball with Polyak's tuning for [mu, L] converges linearly on smooth strongly convex functions. True of quadratic ones
(Polyak 1964), false of others (Lessard, Recht & Packard 2016): it can cycle."""

from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, Case, declare, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems import PiecewiseQuadraticClients
from fltheory.problems.strategies import log_uniform_counts
from fltheory.runs.measures import LastDistance
from fltheory.symbols import dimension, initial_distance, n_clients, n_rounds, noise_std

rootl = declare("root_smoothness", "square root of the largest curvature", "positive", "1/2", -1)
rootm = declare("root_convexity", "square root of the smallest curvature", "positive", "1/2", -1)


def init(start, c):
    return {"x": start, "last": start}


def step(s, oracle, c):
    high, low = c.root_smoothness, c.root_convexity
    eta, beta = 4 / (high + low) ** 2, ((high - low) / (high + low)) ** 2
    return {"x": s["x"] - eta * oracle.gradient(s["x"], 0) + beta * (s["x"] - s["last"]), "last": s["x"]}


def beyond(one, c):
    curves = [one.left[0][0], one.right[0][0]]
    return any(not c.root_convexity**2 <= h <= c.root_smoothness**2 for h in curves) and "a curvature beyond [mu, L]"


def family():
    return st.builds(
        lambda low, high, slope, start, turned, rounds: Case(
            PiecewiseQuadraticClients(
                *(((high**2,), (low**2,)) if turned else ((low**2,), (high**2,))), (slope,), start
            ),
            n_rounds=rounds,
            root_smoothness=high,
            root_convexity=low,
        ),
        st.integers(1, 3),
        st.integers(3, 10),
        st.integers(-20, 20),
        st.integers(-9, 9),
        st.booleans(),
        log_uniform_counts(300),
    )


q = (rootl - rootm) / (rootl + rootm)
CLAIM = theorem(
    "HB: |x_R - x*|² <= 1000 (R + 1)² q^(2R) D², q = (sqrt L - sqrt mu)/(sqrt L + sqrt mu)",
    quantity <= 1000 * (n_rounds + 1) ** 2 * q ** (2 * n_rounds) * initial_distance**2,
    given=[Eq(n_clients, 1), Eq(noise_std, 0), Eq(dimension, 1), rootm < rootl],
    assumptions=[requires("curvatures in [mu, L]", beyond)],
    algorithm=Algorithm("heavy ball", step, init=init),
    measure=LastDistance(),
    family=family,
    key="heavyball",
)
