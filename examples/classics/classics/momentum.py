"""The heavy ball and Nesterov's accelerated gradient method on one L-smooth convex objective, mu-strongly convex where mu > 0.

HB1: Polyak (1964), with a constant that two lines of algebra give: in every eigenvector x_R is q^R (U_R - q U_{R-1}) times x_0,
Chebyshev's polynomials U of the second kind. HB1-convex: Lessard, Recht and Packard (2016), whose counterexample cycles.
NAG1: Nesterov (1983), with t = (r + 1)/2 as in Su, Boyd and Candès (2016). NAG2: Nesterov, Lectures on Convex Optimization
(2018), Section 2.2. NAG1-falls: O'Donoghue and Candès (2015).
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, sqrt

from classics.families import LastRise, kinked
from classics.letters import D, L, M, R, mu, sigma
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.problems.strategies import log_uniform_counts
from fltheory.runs.assumptions import convex, smooth
from fltheory.runs.measures import Against, LastDistance, LastGap
from fltheory.symbols import initial_gap


def squares(low, high):
    """Curvatures that are squares, the least and the largest."""
    return st.tuples(st.integers(1, low), st.integers(low + 1, high))


def quadratic():
    """Two coordinates, the curvatures squares."""
    return st.builds(
        lambda ends, x, y, rounds: Case(
            QuadraticClients(((ends[0] ** 2, ends[1] ** 2),), ((0, 0),), (x, y)), n_rounds=rounds
        ),
        squares(3, 10),
        st.integers(1, 5),
        st.integers(-5, 5),
        log_uniform_counts(100),
    )


def bent():
    """One coordinate, another curvature on each side of 0, both squares; the minimiser is anywhere."""
    return st.builds(
        lambda ends, turned, slope, x, rounds: Case(
            PiecewiseQuadraticClients((ends[turned] ** 2,), (ends[1 - turned] ** 2,), (slope,), x), n_rounds=rounds
        ),
        squares(3, 10),
        st.integers(0, 1),
        st.integers(-20, 20),
        st.integers(1, 9),
        log_uniform_counts(100),
    )


def no_quadratic(one, c):
    """Why an instance is no quadratic."""
    return not isinstance(one, QuadraticClients)


EXACT, ALONE, FALSE = Eq(sigma, 0), Eq(M, 1), {"recorded": "violated"}
q = (sqrt(L) - sqrt(mu)) / (sqrt(L) + sqrt(mu))


def still(start, c):
    """The method starts at rest."""
    return {"x": start, "last": start}


def heavy_ball(s, oracle, c):
    """Polyak's steps: 4/(√L + √mu)² and the momentum q²."""
    high, low = np.sqrt(c.smoothness), np.sqrt(c.strong_convexity)
    step, momentum = 4 / (high + low) ** 2, ((high - low) / (high + low)) ** 2
    return {"x": s["x"] - step * oracle.gradient(s["x"], 0) + momentum * (s["x"] - s["last"]), "last": s["x"]}


FLAT = [Case(PiecewiseQuadraticClients((1,), (0,), (1,), 13), n_rounds=5)]  # almost all of the way is in the flat part
HB = {
    "given": [EXACT, ALONE, mu > 0, mu < L],
    "algorithm": Algorithm("heavy ball", heavy_ball, init=still),
    "measure": LastDistance(),
}
slowed = (2 * R + 1) ** 2 * q ** (2 * R)
CYCLE = PiecewiseQuadraticClients((4,), (81,), (-13,), "-9/2")
HB1 = theorem(
    "HB1: quadratic, heavy ball: |x_R - x*|² <= (2R + 1)² q^(2R) D², q = (√L - √mu)/(√L + √mu)",
    quantity <= slowed * D**2,
    assumptions=[requires("a quadratic objective", no_quadratic)],
    family=quadratic,
    **HB,
)
HB1_CLEAN = theorem(
    "HB1-clean: false, without the factor: |x_R - x*|² <= q^(2R) D²",
    quantity <= q ** (2 * R) * D**2,
    assumptions=[requires("a quadratic objective", no_quadratic)],
    family=quadratic,
    cases=[Case(QuadraticClients(((1, 4),), ((0, 0),), (1, 0)), n_rounds=1)],
    **HB,
    **FALSE,
)
HB1_CONVEX = theorem(
    "HB1-convex: false beyond quadratics: |x_R - x*|² <= (2R + 1)² q^(2R) D²",
    quantity <= slowed * D**2,
    assumptions=[smooth, convex],
    family=bent,
    cases=[Case(CYCLE, n_rounds=60)],
    **HB,
    **FALSE,
)


def nesterov(s, oracle, c):
    """A gradient step from x + (r - 1)/(r + 2) (x - last x)."""
    y = s["x"] + (s["x"] - s["last"]) * (c.round - 1) / (c.round + 2)
    return {"x": y - oracle.gradient(y, 0) / c.smoothness, "last": s["x"]}


NAG = {"given": [EXACT, ALONE], "algorithm": Algorithm("Nesterov", nesterov, init=still), "family": kinked}
NAG1 = theorem(
    "NAG1: convex, Nesterov's method: F(x_R) - F* <= 2 L D²/(R + 1)²",
    quantity <= 2 * L * D**2 / (R + 1) ** 2,
    assumptions=[smooth, convex],
    measure=LastGap(),
    cases=FLAT,
    **NAG,
)
NAG1_HALF = theorem(
    "NAG1-half: false with half the constant, that of the optimised method: F(x_R) - F* <= L D²/(R + 1)²",
    quantity <= L * D**2 / (R + 1) ** 2,
    assumptions=[smooth, convex],
    measure=LastGap(),
    cases=FLAT,
    **NAG,
    **FALSE,
)
NAG1_FALLS = theorem(
    "NAG1-falls: false, Nesterov's method never raises the objective: F(x_R) <= F(x_{R-1})",
    quantity <= 0,
    measure=LastRise(),
    cases=[Case(QuadraticClients((("1/4", 1),), ((0, 0),), (1, 1)), n_rounds=8)],
    **NAG,
    **FALSE,
)


def steady(s, oracle, c):
    """The same with the momentum q in every round."""
    high, low = np.sqrt(c.smoothness), np.sqrt(c.strong_convexity)
    y = s["x"] + (s["x"] - s["last"]) * (high - low) / (high + low)
    return {"x": y - oracle.gradient(y, 0) / c.smoothness, "last": s["x"]}


def plain(x, oracle, c):
    """Gradient descent, x - grad F(x)/L."""
    return x - oracle.gradient(x, 0) / c.smoothness


AGAINST_GD = Against(LastGap(), Algorithm("GD, step 1/L", plain))
NAG_GD = theorem(
    "NAG-GD: false, Nesterov's method is at most gradient descent: F(x_R) - F* <= that of the step 1/L",
    quantity <= AGAINST_GD.baseline,
    measure=AGAINST_GD,
    cases=[Case(QuadraticClients((("1/4", 1),), ((0, 0),), (1, 0)), n_rounds=40)],
    **NAG,
    **FALSE,
)
NAG_GD_TWO = theorem(
    "NAG-GD-two: its first two rounds are those of gradient descent: F(x_R) - F* is the same for R <= 2",
    Eq(quantity, AGAINST_GD.baseline),
    measure=AGAINST_GD,
    **{**NAG, "given": [EXACT, ALONE, R <= 2]},
)
fast = (1 - sqrt(mu / L)) ** R * (initial_gap + mu * D**2 / 2)
STRONG = {"given": [EXACT, ALONE, mu > 0, mu < L], "assumptions": [smooth, convex], "measure": LastGap()}
NAG2 = theorem(
    "NAG2: strongly convex, momentum q: F(x_R) - F* <= (1 - √(mu/L))^R (F(x_0) - F* + mu D²/2)",
    quantity <= fast,
    algorithm=Algorithm("Nesterov, momentum q", steady, init=still),
    family=bent,
    **STRONG,
)
NAG2_PLAIN = theorem(
    "NAG2-plain: false without momentum: F(x_R) - F* <= (1 - √(mu/L))^R (F(x_0) - F* + mu D²/2)",
    quantity <= fast,
    algorithm=Algorithm("GD, step 1/L", plain),
    family=quadratic,
    cases=[Case(QuadraticClients(((1, 100),), ((0, 0),), (1, 0)), n_rounds=30)],
    **STRONG,
    **FALSE,
)
CLAIMS = (HB1, HB1_CLEAN, HB1_CONVEX, NAG1, NAG1_HALF, NAG1_FALLS, NAG_GD, NAG_GD_TWO, NAG2, NAG2_PLAIN)
