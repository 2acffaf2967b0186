"""Steps that the method chooses by itself, on one L-smooth convex objective.

SD1: Kantorovich (1948). CG1: Hestenes and Stiefel (1952). POL1: Polyak (1969), in the form of Hazan and Kakade (2019).
BB1: Molina and Raydan (1996); the step is that of Barzilai and Borwein (1988).
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq

from classics.families import LastRise, kinked
from classics.letters import D, L, M, R, mu, sigma
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems.dense import DenseQuadraticClients
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import dense_clients, federated_runs
from fltheory.runs.assumptions import convex, smooth
from fltheory.runs.measures import LastDistance, LastGap
from fltheory.symbols import dimension as d
from fltheory.symbols import initial_gap
from fltheory.worst_case.measures import LeastGap


def no_quadratic(one, c):
    """Why an instance is no quadratic."""
    return not isinstance(one, QuadraticClients | DenseQuadraticClients)


def exactly(f):
    """Without noise."""
    return DenseQuadraticClients(f.curvatures, f.slopes, f.start, reflections=f.reflections)


def rotated():
    """Two coordinates, curvatures above 0 along any axes."""
    return federated_runs(dense_clients(1, curved=True).map(exactly), 9, 1, step=False)


def rotated_round():
    """Two coordinates of curvatures h and 1 along any axes, h > 1/2."""
    return st.builds(
        lambda h, a, b, x, y, rounds: Case(
            DenseQuadraticClients(((h, 1),), ((0, 0),), (x, y), reflections=(((a, b),),)), n_rounds=rounds
        ),
        st.fractions("11/20", "19/20", max_denominator=20),
        *[st.integers(1, 3)] * 4,
        st.integers(1, 9),
    )


EXACT, ALONE, FALSE = Eq(sigma, 0), Eq(M, 1), {"recorded": "violated"}
rate = (L - mu) / (L + mu)


def inner(u, v):
    """The inner products of rows, as a column."""
    return (u * v).sum(axis=1, keepdims=True)


def quotient(u, v):
    """u / v, or 0 where v is 0."""
    return u / np.where(v == 0, 1, v) * (v != 0)


def steepest(x, oracle, c):
    """The least F on the ray along -grad F(x), which the change of the gradient of a quadratic tells."""
    g = oracle.gradient(x, 0)
    return x - quotient(inner(g, g), inner(g, g - oracle.gradient(x - g, 0))) * g


def conjugate(s, oracle, c):
    """The least F on the line along -grad F(x) + beta (last direction), beta of Fletcher and Reeves."""
    g = oracle.gradient(s["x"], 0)
    way = quotient(inner(g, g), s["square"]) * s["way"] - g
    x = s["x"] - quotient(inner(g, way), inner(way, oracle.gradient(s["x"] + way, 0) - g)) * way
    return {"x": x, "way": way, "square": inner(g, g)}


def at_rest(start, c):
    """No direction yet."""
    return {"x": start, "way": 0 * start, "square": 0 * start[:, :1]}


STEEPEST = Algorithm("steepest descent", steepest)
QUADRATIC = {"assumptions": [requires("a quadratic objective", no_quadratic)], "measure": LastGap(), "family": rotated}
ROUND, LONGISH = QuadraticClients(((1, 2),), ((0, 0),), (2, 1)), QuadraticClients(((1, 9),), ((0, 0),), (9, 1))
SD1 = theorem(
    "SD1: quadratic, exact line search: F(x_R) - F* <= ((L - mu)/(L + mu))^(2R) (F(x_0) - F*)",
    quantity <= rate ** (2 * R) * initial_gap,
    given=[EXACT, ALONE, mu > 0, mu < L],
    algorithm=STEEPEST,
    cases=[Case(LONGISH, n_rounds=9), Case(ROUND, n_rounds=5)],
    **QUADRATIC,
)
SD1_ENDS = theorem(
    "SD1-ends: false, exact line search ends after as many steps as there are coordinates: F(x_R) = F* for R >= d",
    quantity <= 0,
    given=[EXACT, ALONE, mu > 0, R >= d],
    algorithm=STEEPEST,
    cases=[Case(ROUND, n_rounds=2)],
    **QUADRATIC,
    **FALSE,
)
CG1 = theorem(
    "CG1: quadratic, conjugate gradients end after d steps: F(x_R) = F* for R >= d",
    quantity <= 0,
    given=[EXACT, ALONE, mu > 0, R >= d],
    algorithm=Algorithm("conjugate gradients", conjugate, init=at_rest),
    cases=[Case(ROUND, n_rounds=2), Case(LONGISH, n_rounds=3)],
    **QUADRATIC,
)


def value_known(start, c):
    """F* lies the initial gap below the first value."""
    return {"x": start, "least": 0 * start[:, :1]}


def polyak(s, oracle, c):
    """x - (F(x) - F*) g / |g|², g = grad F(x)."""
    value, g = oracle.value(s["x"], 0)[:, None], oracle.gradient(s["x"], 0)
    least = value - c.initial_gap if c.round == 0 else s["least"]
    return {"x": s["x"] - quotient(value - least, inner(g, g)) * g, "least": least}


POLYAK = {"given": [EXACT, ALONE], "algorithm": Algorithm("Polyak's step", polyak, init=value_known), "family": kinked}
POL1 = theorem(
    "POL1: convex, Polyak's step: min F(x_r) - F* <= 2 L D²/(R + 1)",
    quantity <= 2 * L * D**2 / (R + 1),
    assumptions=[smooth, convex],
    measure=LeastGap(),
    **POLYAK,
)
POL1_FALLS = theorem(
    "POL1-falls: false, Polyak's step never raises the objective: F(x_R) <= F(x_{R-1})",
    quantity <= 0,
    measure=LastRise(),
    cases=[Case(QuadraticClients(((1, 100),), ((0, 0),), (100, 1)), n_rounds=1)],
    **POLYAK,
    **FALSE,
)


def first(start, c):
    """The first step is 1/(2L)."""
    return {"x": start, "last": start, "g": 0 * start}


def barzilai(s, oracle, c):
    """x - <u, u> / <u, v> g, where u and v are the last changes of the point and of the gradient."""
    g, u = oracle.gradient(s["x"], 0), s["x"] - s["last"]
    step = 1 / (2 * c.smoothness) if c.round == 0 else quotient(inner(u, u), inner(u, g - s["g"]))
    return {"x": s["x"] - step * g, "last": s["x"], "g": g}


BB = {"algorithm": Algorithm("Barzilai-Borwein", barzilai, init=first)}
BB1 = theorem(
    "BB1: quadratic, L < 2 mu, step of Barzilai and Borwein: |x_R - x*|² <= (L/mu - 1)^(2(R - 1)) D²",
    quantity <= (L / mu - 1) ** (2 * (R - 1)) * D**2,
    given=[EXACT, ALONE, mu > 0, L < 2 * mu, mu < L],
    assumptions=[requires("a quadratic objective", no_quadratic)],
    measure=LastDistance(),
    family=rotated_round,
    **BB,
)
BB1_FALLS = theorem(
    "BB1-falls: false, the step of Barzilai and Borwein never raises the objective: F(x_R) <= F(x_{R-1})",
    quantity <= 0,
    given=[EXACT, ALONE, mu > 0],
    measure=LastRise(),
    family=rotated,
    cases=[Case(LONGISH, n_rounds=4)],
    **BB,
    **FALSE,
)
CLAIMS = (SD1, SD1_ENDS, CG1, POL1, POL1_FALLS, BB1, BB1_FALLS)
