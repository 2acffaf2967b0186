"""The bilinear game min_x max_y h x y, whose solution is (0, 0).

GDA: Gidel et al., Negative momentum for improved game dynamics (2019), on simultaneous and alternating steps.
EG1: Korpelevich (1976), PP1: Rockafellar (1976); their rates here are those of one linear map.
The oracle's gradient is the field (h y, -h x), L is h, and the proximal map is the resolvent.
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq

from classics.letters import D, L, M, R, eta, sigma
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems import quadratic_game
from fltheory.problems.operators import operators
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive
from fltheory.runs.measures import LastDistance
from fltheory.symbols import dimension as d


def family():
    """Games of any h, started anywhere, with steps up to 1/h."""
    return st.builds(
        lambda h, x, y, rounds, step: Case(quadratic_game(h, (x, y)), n_rounds=rounds, step_size=step / h),
        log_uniform_positive(1e-2, 10),
        st.integers(1, 3),
        st.integers(-3, 3),
        log_uniform_counts(300),
        log_uniform_positive(1e-2, 1),
    )


def together(z, oracle, c):
    """Both players step at once."""
    return z - c.step_size * oracle.gradient(z, 0)


def in_turn(z, oracle, c):
    """First x steps, then y, which sees the new x."""
    first = z - c.step_size * oracle.gradient(z, 0) * np.array([1, 0])
    return first - c.step_size * oracle.gradient(first, 0) * np.array([0, 1])


def extragradient(z, oracle, c):
    """A step along the field of the point where a step would lead."""
    return z - c.step_size * oracle.gradient(z - c.step_size * oracle.gradient(z, 0), 0)


def implicit(z, oracle, c):
    """The resolvent of the field: a step along the field of where it leads."""
    return oracle.prox(z, 0, c.step_size)


GAME = {
    "given": [Eq(M, 1), Eq(sigma, 0), Eq(d, 2), eta * L <= 1],
    "assumptions": [operators],
    "measure": LastDistance(),
    "family": family,
}
SPIRAL = Case(quadratic_game(1, (1, 1)), n_rounds=9, step_size="1/2")
FALSE = {"cases": [SPIRAL], "recorded": "violated"}
h = eta * L
GDA_TOGETHER = theorem(
    "GDA-together: false, simultaneous steps converge: |z_R|² <= D²",
    quantity <= D**2,
    algorithm=Algorithm("gradient descent-ascent", together),
    **GAME,
    **FALSE,
)
GDA_TURN = theorem(
    "GDA-turn: alternating steps stay bounded: |z_R|² <= (2 + eta h)/(2 - eta h) D²",
    quantity <= (2 + h) / (2 - h) * D**2,
    algorithm=Algorithm("alternating descent-ascent", in_turn),
    **GAME,
)
GDA_TURN_QUICK = theorem(
    "GDA-turn-quick: false, alternating steps converge: |z_R|² <= (2 + eta h)/(2 - eta h) D²/R",
    quantity <= (2 + h) / (2 - h) * D**2 / R,
    algorithm=Algorithm("alternating descent-ascent", in_turn),
    **GAME,
    **FALSE,
)
EG1 = theorem(
    "EG1: the extragradient method converges: |z_R|² <= (1 - (eta h)² + (eta h)⁴)^R D²",
    quantity <= (1 - h**2 + h**4) ** R * D**2,
    algorithm=Algorithm("extragradient", extragradient),
    **GAME,
)
EG1_SQUARED = theorem(
    "EG1-squared: false, with twice the exponent: |z_R|² <= (1 - (eta h)² + (eta h)⁴)^(2R) D²",
    quantity <= (1 - h**2 + h**4) ** (2 * R) * D**2,
    algorithm=Algorithm("extragradient", extragradient),
    **GAME,
    **FALSE,
)
PP1 = theorem(
    "PP1: the proximal point method converges faster: |z_R|² <= D²/(1 + (eta h)²)^R",
    quantity <= D**2 / (1 + h**2) ** R,
    algorithm=Algorithm("proximal point", implicit),
    **GAME,
)
CLAIMS = (GDA_TOGETHER, GDA_TURN, GDA_TURN_QUICK, EG1, EG1_SQUARED, PP1)
