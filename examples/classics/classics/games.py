"""The bilinear game min_x max_y h x y, whose solution is (0, 0).

GDA: Gidel et al., Negative momentum for improved game dynamics (2019), on simultaneous and alternating steps.
EG1: Korpelevich (1976); its rate here is that of one linear map. PP1: Rockafellar (1976), by the same calculation.
Games are no instance: the field (h y, -h x) is the gradient (h x, h y) of h (x² + y²)/2 turned by a right angle.
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq

from classics.letters import D, L, M, R, eta, sigma
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive
from fltheory.runs.measures import LastDistance
from fltheory.symbols import dimension as d


def family():
    """Games of any h, started anywhere, with steps up to 1/h."""
    return st.builds(
        lambda h, x, y, rounds, step: Case(
            QuadraticClients(((h, h),), ((0, 0),), (x, y)), n_rounds=rounds, step_size=step / h
        ),
        log_uniform_positive(1e-2, 10),
        st.integers(1, 3),
        st.integers(-3, 3),
        log_uniform_counts(300),
        log_uniform_positive(1e-2, 1),
    )


def no_game(one, c):
    """Why an instance does not stand for a game."""
    return any(row[0] != row[1] for row in one.curvatures) or any(any(row) for row in one.slopes)


def turned(z, oracle):
    """The field (h y, -h x) at z = (x, y)."""
    return oracle.gradient(z, 0)[:, ::-1] * np.array([1, -1])


def together(z, oracle, c):
    """Both players step at once."""
    return z - c.step_size * turned(z, oracle)


def in_turn(z, oracle, c):
    """First x steps, then y, which sees the new x."""
    first = z - c.step_size * turned(z, oracle) * np.array([1, 0])
    return first - c.step_size * turned(first, oracle) * np.array([0, 1])


def extragradient(z, oracle, c):
    """A step along the field of the point where a step would lead."""
    return z - c.step_size * turned(z - c.step_size * turned(z, oracle), oracle)


GAME = {
    "given": [Eq(M, 1), Eq(sigma, 0), Eq(d, 2), eta * L <= 1],
    "assumptions": [requires("a bilinear game", no_game)],
    "measure": LastDistance(),
    "family": family,
}
SPIRAL = Case(QuadraticClients(((1, 1),), ((0, 0),), (1, 1)), n_rounds=9, step_size="1/2")
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
CLAIMS = (GDA_TOGETHER, GDA_TURN, GDA_TURN_QUICK, EG1, EG1_SQUARED)
