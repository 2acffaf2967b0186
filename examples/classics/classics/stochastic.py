"""Finite sums, F = (F_1 + ... + F_M)/M: one client's gradient in every step, with zeta² = mean |grad F_m(x*)|².

SGD1: Gower et al., SGD: general analysis and improved rates (2019), Theorem 3.1. SGD2: Needell, Srebro and Ward (2014).
RR1: Mishchenko, Khaled and Richtárik, Random reshuffling (2020), Theorem 1; every F_m is mu-strongly convex.
SAGA1: Defazio, Bach and Lacoste-Julien (2014), Corollary 1. RR-SGD: the steps of an epoch are negatively correlated, the bias is
the same; Safran and Shamir, Random shuffling beats SGD only after many epochs on ill-conditioned problems (2021).
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, Min

from classics.letters import D, L, M, R, eta, mu, sigma, zeta
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.assumptions import smooth, strongly_convex
from fltheory.runs.measures import Against, LastDistance
from fltheory.symbols import initial_gap


def sums():
    """Up to four clients, every one curved, gradients without noise, steps of up to 1/L."""
    return federated_runs(quadratic_clients(4, 2, curved=True, noise=False), 30, 1, steps_in_round="parallel")


def small_sums():
    """Two clients and few rounds, whose draws are enumerated."""
    return st.builds(
        lambda h, b, x, rounds: Case(QuadraticClients((h, 1), (b, -b), (x,)), n_rounds=rounds),
        st.fractions("1/20", 1, max_denominator=20),
        st.fractions(0, 1, max_denominator=4),
        st.integers(-3, 3),
        st.integers(1, 6),
    )


def sgd(x, oracle, c):
    """M steps, each along the gradient of a client drawn anew."""
    for _ in range(c.n_clients):
        x = x - c.step_size * oracle.gradient(x, oracle.choice(np.ones(c.n_clients)))
    return x


def reshuffled(x, oracle, c):
    """A step along the gradient of every client, in a fresh random order."""
    for client in oracle.order().T:
        x = x - c.step_size * oracle.gradient(x, client)
    return x


def unordered(start, c):
    """The order is drawn in the first round."""
    return {"x": start, "order": np.zeros((len(start), c.n_clients))}


def shuffled_once(s, oracle, c):
    """The same in the order of the first round."""
    x, order = s["x"], oracle.order() if c.round == 0 else s["order"].astype(int)
    for client in order.T:
        x = x - c.step_size * oracle.gradient(x, client)
    return {"x": x, "order": order.copy()}


SGD, RR, SO = (
    Algorithm("SGD", sgd),
    Algorithm("random reshuffling", reshuffled),
    Algorithm("shuffle once", shuffled_once, init=unordered),
)
SUM = {"assumptions": [smooth, strongly_convex], "measure": LastDistance(), "family": sums}
FLOOR = Case(QuadraticClients((1, 1), (1, -1), (0,)), n_rounds=5, step_size="1/10")
FALSE = {"cases": [FLOOR], "recorded": "violated"}
past = (1 - eta * mu) ** (M * R) * D**2

SGD1 = theorem(
    "SGD1: strongly convex, eta <= 1/(2L): E|x_R - x*|² <= (1 - eta mu)^(M R) D² + 2 eta zeta²/mu",
    quantity <= past + 2 * eta * zeta**2 / mu,
    given=[Eq(sigma, 0), mu > 0, 2 * eta * L <= 1],
    algorithm=SGD,
    **SUM,
)
SGD1_EXACT = theorem(
    "SGD1-exact: false, a constant step leads to x*: E|x_R - x*|² <= (1 - eta mu)^(M R) D²",
    quantity <= past,
    given=[Eq(sigma, 0), mu > 0, 2 * eta * L <= 1],
    algorithm=SGD,
    **SUM,
    **FALSE,
)
SGD2 = theorem(
    "SGD2: clients with one minimiser, eta <= 1/L: E|x_R - x*|² <= (1 - eta mu)^(M R) D²",
    quantity <= past,
    given=[Eq(sigma, 0), mu > 0, eta * L <= 1, Eq(zeta, 0)],
    algorithm=SGD,
    **SUM,
)
reshuffling = past + eta**2 * L * M * zeta**2 / (2 * mu)
RR1 = theorem(
    "RR1: random reshuffling, eta <= 1/L: E|x_R - x*|² <= (1 - eta mu)^(M R) D² + eta² L M zeta²/(2 mu)",
    quantity <= reshuffling,
    given=[Eq(sigma, 0), mu > 0, eta * L <= 1, M > 1],
    algorithm=RR,
    **SUM,
)
RR1_ONCE = theorem(
    "RR1-once: shuffling once does as well: E|x_R - x*|² <= (1 - eta mu)^(M R) D² + eta² L M zeta²/(2 mu)",
    quantity <= reshuffling,
    given=[Eq(sigma, 0), mu > 0, eta * L <= 1, M > 1],
    algorithm=SO,
    **SUM,
)
RR1_SGD = theorem(
    "RR1-sgd: false with replacement: E|x_R - x*|² <= (1 - eta mu)^(M R) D² + eta² L M zeta²/(2 mu)",
    quantity <= reshuffling,
    given=[Eq(sigma, 0), mu > 0, eta * L <= 1, M > 1],
    algorithm=SGD,
    **SUM,
    **FALSE,
)


def same_curvature():
    """Two or three clients of one curvature, few epochs, steps of up to 1/L."""
    return st.builds(
        lambda h, b, x, rounds, part: Case(
            QuadraticClients((h,) * len(b), tuple(b), (x,)), n_rounds=rounds, step_size=part / h
        ),
        st.fractions("1/20", 1, max_denominator=20),
        st.lists(st.integers(-3, 3), min_size=2, max_size=3),
        st.integers(-3, 3),
        st.integers(1, 6),
        st.fractions("1/20", 1, max_denominator=20),
    )


def unlike(one, c):
    """Why clients are no quadratics of one curvature."""
    return not isinstance(one, QuadraticClients) or len(set(one.curvatures)) > 1


AGAINST_SGD = Against(LastDistance(), SGD)
RR_SGD = theorem(
    "RR-SGD: clients of one curvature, eta <= 1/L: random reshuffling is at most SGD after every epoch",
    quantity <= AGAINST_SGD.baseline,
    given=[Eq(sigma, 0), eta * L <= 1],
    assumptions=[requires("quadratic clients of one curvature", unlike)],
    algorithm=RR,
    measure=AGAINST_SGD,
    family=same_curvature,
)
RR_SGD_ANY = theorem(
    "RR-SGD-any: false in the first epochs where curvatures differ: random reshuffling is at most SGD",
    quantity <= AGAINST_SGD.baseline,
    given=[Eq(sigma, 0), mu > 0, eta * L <= 1],
    assumptions=[smooth, strongly_convex],
    algorithm=RR,
    measure=AGAINST_SGD,
    family=sums,
    cases=[Case(QuadraticClients((1, "1/10"), (1, -1), (-2,)), n_rounds=1, step_size="1/2")],
    recorded="violated",
)


def remembered(start, c):
    """No gradient is known yet."""
    return {"x": start, "known": np.zeros((len(start), c.n_clients, start.shape[1]))}


def saga(s, oracle, c):
    """x - (g_j(x) - remembered g_j + mean of those remembered)/(3L) for a client j drawn at random."""
    x, drawn = s["x"], oracle.choice(np.ones(c.n_clients))
    known = s["known"]
    if c.round == 0:
        known = np.stack([oracle.gradient(x, m) for m in range(c.n_clients)], axis=1)
    g, rows = oracle.gradient(x, drawn), np.arange(len(x))
    x = x - (g - known[rows, drawn] + known.sum(axis=1) / c.n_clients) / (3 * c.smoothness)
    known = known.copy()
    known[rows, drawn] = g
    return {"x": x, "known": known}


kept = (1 - Min(1 / (4 * M), mu / (3 * L))) ** R
SAGA = {
    "given": [Eq(sigma, 0), mu > 0],
    "assumptions": [smooth, strongly_convex],
    "algorithm": Algorithm("SAGA", saga, init=remembered),
    "measure": LastDistance(),
    "family": small_sums,
}
SAGA1 = theorem(
    "SAGA1: E|x_R - x*|² <= (1 - min(1/(4M), mu/(3L)))^R (D² + 2 M (F(x_0) - F*)/(3L))",
    quantity <= kept * (D**2 + 2 * M * initial_gap / (3 * L)),
    **SAGA,
)
CLAIMS = (SGD1, SGD1_EXACT, SGD2, RR1, RR1_ONCE, RR1_SGD, RR_SGD, RR_SGD_ANY, SAGA1)
