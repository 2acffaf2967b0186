"""Stochastic gradient descent: x - eta g with E g = grad F(x) and E|g - grad F(x)|² <= sigma².

SGD1: Gower et al., SGD: general analysis and improved rates (2019), Theorem 3.1; noise that is the same everywhere does half
of what theirs may do. SGD2: Nemirovski, Juditsky, Lan and Shapiro (2009), Section 2.2, for smooth objectives as in Lan (2012).
"""

from sympy import Eq, Integer

from basics.families import noisy
from basics.letters import D, L, M, R, eta, mu, sigma
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import AveragedGap, LastDistance


def step(x, oracle, c):
    """x - eta g(x)."""
    return x - c.step_size * oracle.gradient(x, 0)


SGD, SMALL, ALONE = Algorithm("SGD", step), eta * L <= 1, Eq(M, 1)
AT_REST = Case(QuadraticClients((1,), (0,), (0,), noise_std=1), n_rounds=9, step_size=1)  # a start at x*: noise alone

SGD1 = theorem(
    "SGD1: strongly convex: E|x_R - x*|² <= (1 - eta mu)^R D² + eta sigma²/mu",
    quantity <= (1 - eta * mu) ** R * D**2 + eta * sigma**2 / mu,
    given=[SMALL, mu > 0, ALONE],
    algorithm=SGD,
    measure=LastDistance(),
    family=noisy,
)
SGD1_HALF = theorem(
    "SGD1-half: false with half the noise, which is right in the limit of small steps only",
    quantity <= (1 - eta * mu) ** R * D**2 + eta * sigma**2 / (2 * mu),
    given=[SMALL, mu > 0, ALONE],
    algorithm=SGD,
    measure=LastDistance(),
    family=noisy,
    cases=[AT_REST],
    recorded="violated",
)
SGD2 = theorem(
    "SGD2: convex, the mean of x_0, ..., x_R: E F(mean) - F* <= D²/(2 eta (R + 1)) + eta sigma²/2",
    quantity <= D**2 / (2 * eta * (R + 1)) + eta * sigma**2 / 2,
    given=[SMALL, ALONE],
    algorithm=SGD,
    measure=AveragedGap(Integer(1)),
    family=noisy,
)
SGD2_QUICK = theorem(
    "SGD2-quick: false where the noise is said to average out as 1/R²: ... + eta sigma²/(2 (R + 1)²)",
    quantity <= D**2 / (2 * eta * (R + 1)) + eta * sigma**2 / (2 * (R + 1) ** 2),
    given=[SMALL, ALONE],
    algorithm=SGD,
    measure=AveragedGap(Integer(1)),
    family=noisy,
    cases=[AT_REST],
    recorded="violated",
)
CLAIMS = (SGD1, SGD1_HALF, SGD2, SGD2_QUICK)
