"""Gradient descent with a fixed step on an L-smooth convex objective; mu-strongly convex where mu > 0.

GD1: Beck and Teboulle, A fast iterative shrinkage-thresholding algorithm (2009), Theorem 3.1, without their second term.
GD2: Nesterov, Lectures on Convex Optimization (2018), Theorem 2.1.15. GD3: Polyak (1963), who asks for less than convexity.
"""

from sympy import Eq

from basics.families import one_client
from basics.letters import D, L, M, R, eta, mu, sigma
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import LastDistance, LastGap
from fltheory.symbols import initial_gap


def step(x, oracle, c):
    """x - grad F(x) / L."""
    return x - oracle.gradient(x, 0) / c.smoothness


def tuned_step(x, oracle, c):
    """x - eta grad F(x), eta being tuned by the theorem."""
    return x - c.step_size * oracle.gradient(x, 0)


EXACT, ALONE = Eq(sigma, 0), Eq(M, 1)  # gradients without noise, one client
GD, TUNED = Algorithm("GD, step 1/L", step), Algorithm("GD, tuned step", tuned_step)
GAP = {"algorithm": GD, "measure": LastGap(), "family": one_client}
DISTANCE = {"measure": LastDistance(), "family": one_client}
FLAT = Case(QuadraticClients(((1, "1/19"),), ((0, 0),), (0, 1)), n_rounds=9)  # all of the way is in the flat direction
FALSE = {"cases": [FLAT], "recorded": "violated"}

GD1 = theorem(
    "GD1: convex, step 1/L: F(x_R) - F* <= L D² / (2R)", quantity <= L * D**2 / (2 * R), given=[EXACT, ALONE], **GAP
)
GD1_SQUARED = theorem(
    "GD1-squared: false, no fixed step has the rate 1/R²: F(x_R) - F* <= L D² / (2R²)",
    quantity <= L * D**2 / (2 * R**2),
    given=[EXACT, ALONE],
    **GAP,
    **FALSE,
)
rate = (L - mu) / (L + mu)
GD2 = theorem(
    "GD2: strongly convex, step 2/(L + mu): |x_R - x*|² <= ((L - mu)/(L + mu))^(2R) D²",
    quantity <= rate ** (2 * R) * D**2,
    given=[EXACT, mu < L, ALONE],  # where mu = L one step arrives
    algorithm=TUNED,
    tuning=((eta, 2 / (L + mu)),),
    **DISTANCE,
)
GD2_UNTUNED = theorem(
    "GD2-untuned: false, the rate of the tuned step with the step 1/L",
    quantity <= rate ** (2 * R) * D**2,
    given=[EXACT, ALONE],
    algorithm=GD,
    **DISTANCE,
    **FALSE,
)
decay = 1 - mu / L
GD3 = theorem(
    "GD3: strongly convex, step 1/L: F(x_R) - F* <= (1 - mu/L)^R (F(x_0) - F*)",
    quantity <= decay**R * initial_gap,
    given=[EXACT, ALONE],
    **GAP,
)
GD3_CUBED = theorem(
    "GD3-cubed: false, F(x_R) - F* <= (1 - mu/L)^(3R) (F(x_0) - F*): on quadratics the exponent is 2R",
    quantity <= decay ** (3 * R) * initial_gap,
    given=[EXACT, ALONE],
    **GAP,
    **FALSE,
)
CLAIMS = (GD1, GD1_SQUARED, GD2, GD2_UNTUNED, GD3, GD3_CUBED)
