"""Dual averaging, optimism, late gradients, and random coordinates of gradients.

DUAL1: Xiao, Dual averaging methods for regularized stochastic learning (2010), from the start. OPT1: optimistic mirror descent has
constant regret against itself alone (Rakhlin and Sridharan 2013). LATE1: Mania et al., Perturbed iterate analysis (2017), allow
shorter steps with delays. COORD1: Khirirat, Feyzmahdavian and Johansson (2018), random one of d = 2 coordinates.
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, sqrt

from classics.letters import D, L, M, R, eta, mu, sigma
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems import Box, OnlineLosses, QuadraticClients
from fltheory.problems.online.losses import Linear
from fltheory.problems.online.past_only import past_only
from fltheory.problems.online.regret import Regret
from fltheory.problems.online.strategies import online_losses
from fltheory.runs.measures import LastDistance
from fltheory.symbols import domain_diameter, gradient_bound


def at_start(start, c):
    """No gradient yet."""
    return {"x": start, "start": start, "sum": 0 * start}


def dual_averaging(s, oracle, c):
    """Project the start minus the sum of all gradients."""
    total = s["sum"] + oracle.gradient(s["x"], c.round)
    return {**s, "x": oracle.project(s["start"] - c.step_size * total), "sum": total}


def optimistic(s, oracle, c):
    """Take the last gradient for the next; ``start`` is the point without this guess."""
    g = oracle.gradient(s["x"], c.round)
    point = oracle.project(s["start"] - c.step_size * g)
    return {**s, "x": oracle.project(point - c.step_size * g), "start": point}


def late(s, oracle, c):
    """A gradient of one round ago."""
    return {"x": s["x"] - oracle.gradient(s["old"], 0) / c.smoothness, "old": s["x"]}


def one_of_two(x, oracle, c):
    """Twice a random coordinate of every client's gradient, in the mean."""
    move = 0 * x
    for m in range(c.n_clients):
        first = np.asarray(oracle.coin("1/2"))[:, None]
        g = oracle.gradient(x, m)
        move = move + 2 * np.where(np.concatenate([first, ~first], axis=1), g, 0 * g)
    return x - c.step_size * move / c.n_clients


def games(repeat):
    """Losses of any kind on any set."""
    return lambda: online_losses(max_repeat=repeat).map(Case)


def shared(most):
    """Up to ``most`` quadratics of two coordinates, all least at 0."""
    rows = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=most)
    return lambda: st.builds(
        lambda h, r, k: Case(
            QuadraticClients(h, ((0, 0),) * len(h), (1, 1)),
            n_rounds=r,
            **({"step_size": f"{k}/60"} if most > 1 else {}),
        ),
        rows.map(tuple),
        st.integers(1, 6),
        st.integers(1, 60),
    )


ONLINE = {"measure": Regret(), "assumptions": [past_only]}
ONLINE["tuning"] = [(eta, domain_diameter / (gradient_bound * sqrt(R)))]
TURNS = Case(OnlineLosses((Linear(1), Linear(-1)), Box(0, 1), start=0, repeat=40))
DUAL1 = theorem(
    "DUAL1: project the start less all gradients: regret <= D²/(2 eta) + eta G² T",
    quantity <= domain_diameter**2 / (2 * eta) + eta * gradient_bound**2 * R,
    algorithm=Algorithm("dual averaging", dual_averaging, init=at_start),
    family=games(2),
    **ONLINE,
)
OPT1 = theorem(
    "OPT1: false against every adversary: with the last gradient as a guess of the next, regret <= 2 D G",
    quantity <= 2 * domain_diameter * gradient_bound,
    algorithm=Algorithm("optimistic gradient", optimistic, init=at_start),
    family=games(30),
    cases=[TURNS],
    recorded="violated",
    **ONLINE,
)
LATE1 = theorem(
    "LATE1: false of gradients that are one round late, step 1/L: |x_R - x*|² <= (1 - mu/L)^R D²",
    quantity <= (1 - mu / L) ** R * D**2,
    given=[Eq(M, 1), Eq(sigma, 0)],
    algorithm=Algorithm("late gradients", late, init=lambda start, c: {"x": start, "old": start}),
    measure=LastDistance(),
    family=shared(1),
    cases=[Case(QuadraticClients(((3, 1),), ((0, 0),), (1, 1)), n_rounds=2)],
    recorded="violated",
)
COORD1 = theorem(
    "COORD1: one coordinate of two at random, one minimiser, eta L (1 + 1/M) <= 1: E|x_R - x*|² <= (1 - eta mu)^R D²",
    quantity <= (1 - eta * mu) ** R * D**2,
    given=[eta * L * (1 + 1 / M) <= 1, Eq(sigma, 0)],
    algorithm=Algorithm("random coordinates", one_of_two),
    measure=LastDistance(),
    family=shared(3),
)
COORD1_LONG = theorem(
    "COORD1-long: false of steps up to 1/L: E|x_R - x*|² <= (1 - eta mu)^R D²",
    quantity <= (1 - eta * mu) ** R * D**2,
    given=[eta * L <= 1, Eq(sigma, 0)],
    algorithm=Algorithm("random coordinates", one_of_two),
    measure=LastDistance(),
    family=shared(3),
    cases=[Case(QuadraticClients(((6, 1),), ((0, 0),), (1, 1)), n_rounds=1, step_size="1/6")],
    recorded="violated",
)
CLAIMS = (DUAL1, OPT1, LATE1, COORD1, COORD1_LONG)
