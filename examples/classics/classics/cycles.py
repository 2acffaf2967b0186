"""The heavy ball with the parameters of L = 25 mu, the step 25/(9L) and the momentum 4/9, on functions of curvatures mu to L.

Lessard, Recht and Packard, Analysis and design of optimization algorithms via integral quadratic constraints (2016), Section 4.6:
it converges on quadratics, and cycles on a function of one variable with two kinks. The same on functions by interpolation.
"""

from hypothesis import strategies as st
from sympy import Eq

from classics.letters import D, L, M, R, mu, sigma
from classics.momentum import no_quadratic, still
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems import SplineClients
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import interpolated_clients, spline_clients
from fltheory.runs.assumptions import convex, smooth
from fltheory.runs.measures import LastDistance

LEAST, LARGEST = 1, 25  # curvatures
long_run = st.integers(80, 100)


def quadratics():
    """Two coordinates of any curvatures between the two."""
    curvature, place = st.integers(LEAST, LARGEST), st.integers(-9, 9)
    return st.builds(
        lambda h, x, y, rounds: Case(QuadraticClients(((h, LARGEST),), ((0, 0),), (x, y)), n_rounds=rounds),
        curvature,
        place,
        place,
        long_run,
    )


def splines():
    """One coordinate, up to six curvatures between the two."""
    return st.builds(lambda f, rounds: Case(f, n_rounds=rounds), spline_clients(LEAST, LARGEST), long_run)


def interpolated():
    """Functions of the class by their data at up to five points."""
    return st.builds(lambda f, rounds: Case(f, n_rounds=rounds), interpolated_clients(LEAST, LARGEST), long_run)


def heavy_ball(s, oracle, c):
    """x - 25/(9 L) grad F(x) + 4/9 (x - last x)."""
    step = 25 * oracle.gradient(s["x"], 0) / (9 * c.smoothness)
    return {"x": s["x"] - step + 4 * (s["x"] - s["last"]) / 9, "last": s["x"]}


FOUND = SplineClients(((25, 1, 25),), ((1, 2),), 0, "13/4")  # theirs, least at 0
HB2 = {
    "given": [Eq(sigma, 0), Eq(M, 1), mu > 0, L <= 25 * mu, R >= 80],
    "algorithm": Algorithm("heavy ball of L = 25 mu", heavy_ball, init=still),
    "measure": LastDistance(),
}
HB2_QUADRATIC = theorem(
    "HB2: quadratic, L = 25 mu, heavy ball: |x_R - x*|² <= D²/100 after 80 rounds",
    quantity <= D**2 / 100,
    assumptions=[requires("a quadratic objective", no_quadratic)],
    family=quadratics,
    **HB2,
)
HB2_CYCLE = theorem(
    "HB2-cycle: false with kinks, where it cycles: |x_R - x*|² <= D²/100 after 80 rounds",
    quantity <= D**2 / 100,
    assumptions=[smooth, convex],
    family=splines,
    cases=[Case(FOUND, n_rounds=80)],
    recorded="violated",
    **HB2,
)
HB2_CLASS = theorem(
    "HB2-class: false of strongly convex functions: |x_R - x*|² <= D²/100 after 80 rounds",
    quantity <= D**2 / 100,
    assumptions=[smooth, convex],
    family=interpolated,
    cases=[Case(FOUND, n_rounds=80)],
    recorded="violated",
    **HB2,
)
CLAIMS = (HB2_QUADRATIC, HB2_CYCLE, HB2_CLASS)
