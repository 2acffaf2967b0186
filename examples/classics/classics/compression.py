"""Compressed gradients: signs, the largest coordinate, one at random, rounding.

SIGN1: elementary; majority vote: Bernstein et al. (2018), who ask for unimodal noise around one gradient; its failure where
clients differ: Chen et al. (2020). TOP1: the Gauss-Southwell rule, Nutini et al. (2015). RAND1: Gorbunov, Hanzely and
Richtárik (2020). EF21: Richtárik, Sokolov and Fatkhullin (2021), Theorem 1, for one coordinate of two; what goes wrong without
feedback: Karimireddy et al. (2019). ROUND1: elementary; unbiased rounding: Alistarh et al., QSGD (2017).
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, Max, sqrt

from classics.letters import D, L, M, R, eta, mu, sigma, zeta
from fltheory import Algorithm, Case, declare, quantity, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive, quadratic_clients
from fltheory.runs.measures import LastDistance, LastGap, LeastGradient
from fltheory.symbols import dimension, initial_gap

length = declare("step_distance", "how far a step goes in every coordinate", "positive", 0, 1)
unit = declare("rounding_unit", "what gradients are rounded to a multiple of", "positive", 1, -1)


def vote_step(x, oracle, c):
    """A step of fixed length against the sign that most clients' gradients have."""
    votes = sum(np.sign(oracle.gradient(x, m)) for m in range(c.n_clients))
    return x - c.step_distance * np.sign(votes)


def largest(g):
    """The largest of two coordinates, 0 in place of the other."""
    first = np.abs(g[:, :1]) >= np.abs(g[:, 1:])
    return g * np.concatenate([first, ~first], axis=1)


def top_step(x, oracle, c):
    """A step along the mean of the clients' largest coordinates."""
    return x - c.step_size * sum(largest(oracle.gradient(x, m)) for m in range(c.n_clients)) / c.n_clients


def own_start(start, c):
    """The point, and what the server knows of every client's gradient."""
    return {"x": start, "known": np.stack([0 * start] * c.n_clients, axis=1)}


def feedback_step(s, oracle, c):
    """Clients send the largest coordinate of what the server lacks (EF21), in the first round everything."""
    lacks = [oracle.gradient(s["x"], m) - s["known"][:, m] for m in range(c.n_clients)]
    sent = lacks if c.round == 0 else [largest(v) for v in lacks]
    known = s["known"] + np.stack(sent, axis=1)
    return {"x": s["x"] - c.step_size * known.sum(axis=1) / c.n_clients, "known": known}


def nearest_step(x, oracle, c):
    """A step along the gradient rounded to the nearest multiple of the unit."""
    return x - c.step_size * c.rounding_unit * np.rint(oracle.gradient(x, 0) / c.rounding_unit)


def random_step(x, oracle, c):
    """A step along the mean of the clients' gradients, of each one coordinate of two at random, doubled."""
    sent = 0 * x
    for m in range(c.n_clients):
        first = oracle.coin("1/2")[:, None]
        sent = sent + 2 * oracle.gradient(x, m) * np.concatenate([first, ~first], axis=1)
    return x - c.step_size * sent / c.n_clients


def runs(n_clients, dim=2, most=300):
    """Quadratic clients, one gradient of each per round, steps of up to 1/L."""
    return st.builds(
        lambda f, rounds, part: Case(f, n_rounds=rounds, step_size=part / f.constants[L]),
        quadratic_clients(n_clients, dim, curved=True, noise=False),
        log_uniform_counts(most),
        st.fractions("1/20", 1, max_denominator=20),
    )


def voting():
    """Clients that vote on steps of some length."""
    return st.builds(lambda c, far: c.with_settings(step_distance=far), runs(3, 1, 100), log_uniform_positive(1e-2, 10))


def plane():
    """Clients in the plane."""
    return runs(3).filter(lambda c: c.instance.dim == 2)


def rounded():
    """One client in one dimension, gradients in multiples of a unit."""
    return st.builds(lambda c, u: c.with_settings(rounding_unit=u), runs(1, 1), log_uniform_positive(1e-2, 1))


EXACT, ALONE = Eq(sigma, 0), Eq(M, 1)
SIGN = {"algorithm": Algorithm("signSGD, majority vote", vote_step), "measure": LastDistance(), "family": voting}
SIGN1 = theorem(
    "SIGN1: one client, one dimension, signs of gradients, steps of length e: |x_R - x*| <= max(D - e R, e)",
    quantity <= Max(D - length * R, length) ** 2,
    given=[EXACT, ALONE, Eq(dimension, 1), mu > 0],
    **SIGN,
)
SIGN1_VOTE = theorem(
    "SIGN1-vote: false of a majority vote, where a large gradient counts no more: |x_R - x*|² <= 10 max(D - e R, e)²",
    quantity <= 10 * Max(D - length * R, length) ** 2,
    given=[EXACT, Eq(dimension, 1), mu > 0],
    cases=[Case(QuadraticClients((1, 1, 1), (20, -1, -1), 0), n_rounds=9, step_distance=1)],
    recorded="violated",
    **SIGN,
)
TOP = {"algorithm": Algorithm("largest of two coordinates", top_step), "family": plane}
OPPOSED = Case(QuadraticClients(((1, 1), (1, 1)), ((3, 1), (-3, 1)), (0, 0)), n_rounds=9, step_size="1/4")
TOP1 = theorem(
    "TOP1: one client, the largest coordinate of its gradient: F(x_R) - F* <= (1 - eta mu/d)^R (F(x_0) - F*)",
    quantity <= (1 - eta * mu / dimension) ** R * initial_gap,
    given=[EXACT, ALONE, Eq(dimension, 2), mu > 0, eta * L <= 1],
    measure=LastGap(),
    **TOP,
)
TOP1_MANY = theorem(
    "TOP1-many: false of several, whose largest coordinates may cancel: ... <= 10 (1 - eta mu/d)^R (F(x_0) - F*)",
    quantity <= 10 * (1 - eta * mu / dimension) ** R * initial_gap,
    given=[EXACT, Eq(dimension, 2), mu > 0, eta * L <= 1],
    measure=LastGap(),
    cases=[OPPOSED.with_settings(n_rounds=100)],
    recorded="violated",
    **TOP,
)
random_floor = (1 - eta * mu) ** R * D**2 + 2 * eta * zeta**2 / (M * mu)
random_given = [EXACT, Eq(dimension, 2), mu > 0, eta * L * (1 + 2 / M) <= 1]
RAND1 = theorem(
    "RAND1: one coordinate of two at random, doubled: E|x_R - x*|² <= (1 - eta mu)^R D² + 2 eta zeta²/(M mu)",
    quantity <= random_floor,
    given=random_given,
    algorithm=Algorithm("one coordinate at random", random_step),
    measure=LastDistance(),
    family=plane,
)
RAND1_TOP = theorem(
    "RAND1-top: false of the largest coordinate, which is biased: ... <= 10 (1 - eta mu/4)^R D² + 2 eta zeta²/(M mu)",
    quantity <= 10 * (1 - eta * mu / 4) ** R * D**2 + 2 * eta * zeta**2 / (M * mu),
    given=random_given,
    measure=LastDistance(),
    cases=[OPPOSED.with_settings(n_rounds=1000, step_size="1/30")],
    recorded="violated",
    **TOP,
)
least = {"given": [EXACT, Eq(dimension, 2), (2 + sqrt(2)) * eta * L <= 1], "measure": LeastGradient()}
EF21 = theorem(
    "EF21: error feedback: min |grad F(x_r)|² <= 2 (F(x_0) - F*)/(eta R)",
    quantity <= 2 * initial_gap / (eta * R),
    algorithm=Algorithm("EF21, one coordinate of two", feedback_step, init=own_start),
    family=plane,
    **least,
)
EF21_NONE = theorem(
    "EF21-none: false without feedback, even with ten times the bound",
    quantity <= 20 * initial_gap / (eta * R),
    cases=[OPPOSED.with_settings(n_rounds=300)],
    recorded="violated",
    **least,
    **TOP,
)
ROUND = {"given": [EXACT, ALONE, Eq(dimension, 1), mu > 0, eta * L <= 1], "measure": LastDistance(), "family": rounded}
ROUND["algorithm"] = Algorithm("rounded gradients", nearest_step)
ROUND1 = theorem(
    "ROUND1: gradients rounded to the nearest multiple of u: |x_R - x*| <= (1 - eta mu)^R D + u/(2 mu)",
    quantity <= ((1 - eta * mu) ** R * D + unit / (2 * mu)) ** 2,
    **ROUND,
)
ROUND1_FINE = theorem(
    "ROUND1-fine: false that, as with unbiased rounding, small steps make up for it: ... <= (1 - eta mu)^R D² + eta u²/(4 mu)",
    quantity <= (1 - eta * mu) ** R * D**2 + eta * unit**2 / (4 * mu),
    cases=[Case(QuadraticClients((1,), (0,), "2/5"), n_rounds=99, step_size="1/10", rounding_unit=1)],
    recorded="violated",
    **ROUND,
)
CLAIMS = (SIGN1, SIGN1_VOTE, TOP1, TOP1_MANY, RAND1, RAND1_TOP, EF21, EF21_NONE, ROUND1, ROUND1_FINE)
