"""Mirror descent: steps in the dual of a mirror map h, measured by its Bregman divergence D_h.

MD1: Nemirovski and Yudin (1983); exponentiated gradient, Kivinen and Warmuth (1997); the constants of Bubeck, Convex optimization:
algorithms and complexity (2015), Theorem 4.2, with the entropy and gradients of at most 1. MD2, MD3: Bauschke, Bolte and Teboulle
(2017); Lu, Freund and Nesterov (2018), Theorem 3.1; the curvatures of f lie between those of mu h and L h.
"""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, log

from classics.experts import EVERY, game
from classics.letters import M, R, mu, sigma
from fltheory import Algorithm, Case, Learner, declare, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.games.losses import LINEAR
from fltheory.games.static_regret import StaticRegret
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import log_uniform_counts
from fltheory.runs.measures import LastGap
from fltheory.runs.mirror_maps import LastDivergence, entropy_map, quadratic_map
from fltheory.symbols import n_rounds as T

rate = declare("mirror_rate", "step size of mirror descent", "positive")
start = declare("bregman_start", "D_h(x*, x_0)", "nonnegative", 0, 2)
high = declare("relative_smoothness", "largest curvature relative to the mirror map", "positive", 1, -2)
low = declare("relative_convexity", "least curvature relative to the mirror map", "positive", 1, -2)
ENTROPY = entropy_map()
UNEVEN = quadratic_map(1, 9)


def dual_start(n, c):
    """The gradient of the entropy at the uniform point."""
    return ENTROPY.gradient(np.full((n, c.n_clients), 1 / c.n_clients))


def dual_step(z, seen, response, c):
    """A step of mirror descent on the loss -<response, p>, in the dual."""
    return z + c.mirror_rate * response


def dual_play(z, c):
    """Back to the simplex."""
    return ENTROPY.inverse(z)


def experts():
    """Two to four experts, rates from a hundredth to 2."""
    rows = st.integers(2, 4).flatmap(
        lambda n: st.lists(st.tuples(*[st.sampled_from([0, "1/2", 1])] * n), min_size=1, max_size=4)
    )
    return st.builds(
        lambda r, repeat, e: game(tuple(r), repeat, mirror_rate=e),
        rows,
        st.integers(1, 100),
        st.sampled_from(["1/100", "1/10", "1/2", 1, 2]),
    )


def relative_constants(one):
    """The divergence of the minimiser from the start, and the largest and least curvature relative to h."""
    h, w = one.curvatures[0], (1, 9)
    away = [(a - b) ** 2 * v for a, b, v in zip(one.start, one.minimiser, w, strict=True)]
    ratios = [c * Fraction(1, v) for c, v in zip(h, w, strict=True)]
    return sum(away) / 2, max(ratios), min(ratios)


def run(one, rounds):
    """The constants of these clients relative to h."""
    away, high, low = relative_constants(one)
    return Case(one, n_rounds=rounds, bregman_start=away, relative_smoothness=high, relative_convexity=low)


def planes():
    """Quadratics of two coordinates, the curvatures 1 to 9."""
    curvature, place = st.integers(1, 9), st.integers(-3, 3)
    return st.builds(
        lambda a, b, s, t, x, y, rounds: run(QuadraticClients(((a, b),), ((s, t),), (x, y)), rounds),
        *[curvature] * 2,
        *[place] * 4,
        log_uniform_counts(30),
    )


def other_constants(one, c):
    """Say whether the constants relative to h are not those of the clients."""
    if not isinstance(one, QuadraticClients) or one.dim != 2 or one.n_clients != 1:
        return "not one quadratic client in the plane"
    return (
        relative_constants(one) != (c.bregman_start, c.relative_smoothness, c.relative_convexity) and "other constants"
    )


def mirror_step(x, oracle, c):
    """A step of mirror descent with h."""
    return UNEVEN.step(x, oracle.gradient(x, 0) / c.relative_smoothness)


def plain_step(x, oracle, c):
    """The same step without h: gradient descent."""
    return x - oracle.gradient(x, 0) / c.relative_smoothness


SIMPLEX = {"measure": StaticRegret(LINEAR), "given": EVERY, "family": experts}
EG = Learner("exponentiated gradient", dual_step, init=dual_start, play=dual_play)
PLANE = {
    "given": [Eq(sigma, 0), Eq(M, 1), mu > 0],
    "assumptions": [requires("the constants relative to h", other_constants)],
    "family": planes,
}
STEEP = run(QuadraticClients(((1, 9),), ((0, 0),), (1, 1)), 2)
MIRROR, PLAIN = Algorithm("mirror descent", mirror_step), Algorithm("gradient descent", plain_step)
contracted = (1 - low / high) ** R * start

MD1 = theorem(
    "MD1: exponentiated gradient, rate e, losses in [0, 1]: regret <= log N/e + e T/2",
    quantity <= log(M) / rate + rate * T / 2,
    algorithm=EG,
    **SIMPLEX,
)
MD1_FREE = theorem(
    "MD1-free: false without the second term: regret <= log N/e",
    quantity <= log(M) / rate,
    algorithm=EG,
    cases=[game(((1, 0), (0, 1)), 20, mirror_rate=1)],
    recorded="violated",
    **SIMPLEX,
)
MD2 = theorem(
    "MD2: f L-smooth relative to h, step 1/L: F(x_R) - F* <= L D_h(x*, x_0)/R",
    quantity <= high * start / R,
    algorithm=MIRROR,
    measure=LastGap(),
    **PLANE,
)
MD2_PLAIN = theorem(
    "MD2-plain: false of steps without h: F(x_R) - F* <= L D_h(x*, x_0)/R",
    quantity <= high * start / R,
    algorithm=PLAIN,
    measure=LastGap(),
    cases=[STEEP],
    recorded="violated",
    **PLANE,
)
MD3 = theorem(
    "MD3: f also mu-strongly convex relative to h: D_h(x*, x_R) <= (1 - mu/L)^R D_h(x*, x_0)",
    quantity <= contracted,
    algorithm=MIRROR,
    measure=LastDivergence(UNEVEN),
    **PLANE,
)
MD3_PLAIN = theorem(
    "MD3-plain: false of steps without h: D_h(x*, x_R) <= (1 - mu/L)^R D_h(x*, x_0)",
    quantity <= contracted,
    algorithm=PLAIN,
    measure=LastDivergence(UNEVEN),
    cases=[STEEP],
    recorded="violated",
    **PLANE,
)
CLAIMS = (MD1, MD1_FREE, MD2, MD2_PLAIN, MD3, MD3_PLAIN)
