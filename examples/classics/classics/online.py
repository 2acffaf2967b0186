"""Online convex optimisation on a box, a ball or the simplex of diameter D, with gradients of at most G; learning from experts.

OGD1: Zinkevich (2003), with the fixed step D/(G sqrt(T)). OGD2: strongly convex losses, Hazan, Agarwal and Kale (2007). FTL2:
follow the leader for quadratics, Shalev-Shwartz (2012), Section 2. ADAGRAD: Streeter and McMahan (2010). ADAM: Kingma and Ba
(2015), Theorem 4.1, with lambda = 1/2; refuted by Reddi, Kale and Kumar (2018). AMS: their AMSGrad, without momentum.
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, log, sqrt

from classics import experts
from fltheory import Algorithm, Case, declare, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems import Box, OnlineLosses
from fltheory.problems.online.losses import Linear
from fltheory.problems.online.regret import PathRegret, Regret
from fltheory.problems.online.strategies import online_losses
from fltheory.symbols import dimension, squared_gradients, step_size
from fltheory.symbols import domain_diameter as D
from fltheory.symbols import gradient_bound as G
from fltheory.symbols import n_rounds as T
from fltheory.symbols import strong_convexity as mu

b1 = declare("first_decay", "decay of the mean of gradients", "nonnegative")
b2 = declare("second_decay", "decay of the mean of squares", "positive")
a = declare("rate", "step size before the root of t", "positive", length=1)


def line(slopes, counts=(), repeat=1, **settings):
    """Linear losses of one coordinate in [0, 1], from the middle."""
    return Case(OnlineLosses([Linear(v) for v in slopes], Box(0, 1), "1/2", counts, repeat), **settings)


def sets():
    """Linear losses on boxes, balls and simplices."""
    return online_losses().map(Case)


def curved():
    """Quadratics on such sets."""
    return online_losses(kinds=("quadratic",)).map(Case)


def adaptive():
    """Linear losses with slopes up to ten, and settings of Adam."""
    decay, rate = st.fractions("1/100", "99/100", max_denominator=100), st.sampled_from(["1/100", "1/10", "1/2", 1])
    slopes = st.lists(st.integers(-10, 10), min_size=1, max_size=4)
    counts = st.tuples(*[st.integers(1, 3)] * 4)
    return st.builds(
        lambda v, n, times, b, e: line(v, n[: len(v)], times, first_decay=0, second_decay=b, rate=e),
        slopes,
        counts,
        st.integers(1, 40),
        decay,
        rate,
    )


def descent(x, oracle, c):
    """Move against the gradient, and back to the set."""
    return oracle.project(x - c.step_size * oracle.gradient(x, c.round))


def falling(x, oracle, c):
    """The same with the step over t."""
    return oracle.project(x - c.step_size / (c.round + 1) * oracle.gradient(x, c.round))


def signs(x, oracle, c):
    """A step against the signs of the gradient."""
    return oracle.project(x - c.step_size * c.gradient_bound * np.sign(oracle.gradient(x, c.round)))


def memory(start, c):
    """No gradient yet."""
    return {"x": start, "m": 0 * start, "v": 0 * start, "top": 0 * start, "sum": 0 * start}


def ratio(up, square):
    """Divide by the root of a square, 0 by 0 being 0."""
    return up / np.sqrt(np.where(square > 0, square, 1 + 0 * square))


def adagrad(s, oracle, c):
    """The step D/sqrt(2 sum of squared gradients)."""
    g = oracle.gradient(s["x"], c.round)
    total = s["sum"] + (g * g).sum(axis=1, keepdims=True)
    return {**s, "x": oracle.project(s["x"] - ratio(c.domain_diameter * g, 2 * total)), "sum": total}


def leader(s, oracle, c):
    """The best point so far: the projected mean of the centres x - g/mu."""
    total = s["sum"] + s["x"] - oracle.gradient(s["x"], c.round) / c.strong_convexity
    return {**s, "x": oracle.project(total / (c.round + 1)), "sum": total}


def adam_step(s, oracle, c):
    """Adam as printed: b1 falls as 2^-t, both means are corrected for their start."""
    g, t = oracle.gradient(s["x"], c.round), c.round + 1 + 0 * s["x"]
    beta = c.first_decay * 0.5 ** (t - 1)
    m, v = beta * s["m"] + (1 - beta) * g, c.second_decay * s["v"] + (1 - c.second_decay) * g**2
    way = ratio(m / (1 - c.first_decay**t), v / (1 - c.second_decay**t))
    return {**s, "x": oracle.project(s["x"] - c.rate / np.sqrt(t) * way), "m": m, "v": v}


def ams_step(s, oracle, c):
    """AMSGrad without momentum: divide by the root of the largest mean of squares so far."""
    g, t = oracle.gradient(s["x"], c.round), c.round + 1 + 0 * s["x"]
    v = c.second_decay * s["v"] + (1 - c.second_decay) * g**2
    top = np.maximum(s["top"], v)
    return {**s, "x": oracle.project(s["x"] - c.rate / np.sqrt(t) * ratio(g, top)), "v": v, "top": top}


def false(case):
    """A counterexample."""
    return {"cases": [case], "recorded": "violated"}


def uneven(one, c):
    """Why losses are not quadratics of one curvature."""
    return any(getattr(loss, "curvatures", None) != one.losses[0].curvatures for loss in one.losses)


LINEAR = {"measure": Regret(), "family": sets}
CURVED = {"given": [mu > 0], "measure": Regret(), "family": curved}
SCALED = {"given": [Eq(dimension, 1), b2 < 1, b1**2 < sqrt(b2)], "measure": Regret(), "family": adaptive}
OGD1 = theorem(
    "OGD1: online gradient descent: regret <= D G sqrt(T)",
    quantity <= D * G * sqrt(T),
    algorithm=Algorithm("OGD, step D/(G sqrt(T))", descent),
    tuning=[(step_size, D / (G * sqrt(T)))],
    **LINEAR,
)
OGD1_LOG = theorem(
    "OGD1-log: false of linear losses, steps D/(G t): regret <= 5 D G (1 + log T)",
    quantity <= 5 * D * G * (1 + log(T)),
    algorithm=Algorithm("OGD, steps D/(G t)", falling),
    tuning=[(step_size, D / G)],
    **false(line(("-1/2", "1/4", "-1/4", 1), (2, 10, 100, 80))),
    **LINEAR,
)
OGD1_SIGN = theorem(
    "OGD1-sign: false of signs of gradients: regret <= 2 D G sqrt(T)",
    quantity <= 2 * D * G * sqrt(T),
    algorithm=Algorithm("sign descent", signs),
    tuning=[(step_size, D / (G * sqrt(T)))],
    **false(line((-1, "1/4", "1/4"), repeat=50)),
    **LINEAR,
)
OGD2 = theorem(
    "OGD2: strongly convex losses, steps 1/(mu t): regret <= G² (1 + log T)/(2 mu)",
    quantity <= G**2 * (1 + log(T)) / (2 * mu),
    algorithm=Algorithm("OGD, steps 1/(mu t)", falling),
    tuning=[(step_size, 1 / mu)],
    **CURVED,
)
FTL2 = theorem(
    "FTL2: quadratics of one curvature, follow the leader: regret <= G² (1 + log T)/mu",
    quantity <= G**2 * (1 + log(T)) / mu,
    algorithm=Algorithm("follow the leader", leader, init=memory),
    assumptions=[requires("quadratics of one curvature", uneven)],
    **CURVED,
)
ADAGRAD = theorem(
    "ADAGRAD: steps D/sqrt(2 S), S the sum of squared gradients: regret <= D sqrt(2 S)",
    quantity <= D * sqrt(2 * squared_gradients),
    algorithm=Algorithm("AdaGrad", adagrad, init=memory),
    mode="surely",
    measure=PathRegret(),
    family=sets,
)
gamma = b1**2 / sqrt(b2)
ADAM = theorem(
    "ADAM: false, Adam's regret theorem: regret <= D² G sqrt(T)/(2 a (1 - b1)) + a (1 + b1) G² sqrt(T)/((1 - b1)"
    " sqrt(1 - b2) (1 - gamma)²) + 2 D² G sqrt(1 - b2)/(a (1 - b1)), gamma = b1²/sqrt(b2)",
    quantity
    <= D**2 * G * sqrt(T) / (2 * a * (1 - b1))
    + a * (1 + b1) * G**2 * sqrt(T) / ((1 - b1) * sqrt(1 - b2) * (1 - gamma) ** 2)
    + 2 * D**2 * G * sqrt(1 - b2) / (a * (1 - b1)),
    inconsistent_units=True,
    algorithm=Algorithm("Adam", adam_step, init=memory),
    **false(line((-10, 1, 1, 1), repeat=210, first_decay=0, second_decay="1/10", rate="1/5")),
    **SCALED,
)
AMS = theorem(
    "AMS: AMSGrad, b1 = 0: regret <= D² G sqrt(T)/(2 a) + a G sqrt(T)/sqrt(1 - b2)",
    quantity <= D**2 * G * sqrt(T) / (2 * a) + a * G * sqrt(T) / sqrt(1 - b2),
    algorithm=Algorithm("AMSGrad", ams_step, init=memory),
    **SCALED,
)
CLAIMS = (OGD1, OGD1_LOG, OGD1_SIGN, OGD2, FTL2, ADAGRAD, ADAM, AMS, *experts.CLAIMS)
