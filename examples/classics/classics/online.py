"""Online descent on linear losses of one coordinate x in [0, 1], the share of the first of two experts; and learning from experts.

OGD1: Zinkevich (2003), with the fixed step D/(G sqrt(T)). OGD1-log: the rate of strongly convex losses, Hazan, Agarwal and Kale
(2007). ADAGRAD: Streeter and McMahan (2010). ADAM: Kingma and Ba (2015), Theorem 4.1, with lambda = 1/2; refuted by Reddi, Kale
and Kumar (2018). AMS: their AMSGrad, without momentum.
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, log, sqrt

from classics import experts
from classics.experts import LINE, false, game, phases
from classics.letters import M
from fltheory import Case, Learner, declare, quantity, theorem
from fltheory.games.losses import LINEAR
from fltheory.games.static_regret import StaticRegret
from fltheory.problems.responses import ResponseTable
from fltheory.symbols import n_participating
from fltheory.symbols import n_rounds as T
from fltheory.symbols import response_high as G

b1 = declare("first_decay", "decay of the mean of gradients", "nonnegative")
b2 = declare("second_decay", "decay of the mean of squares", "positive")
a = declare("rate", "step size before the root of t", "positive")


def first_point(n, c):
    """The middle, no gradient yet."""
    zero = np.zeros((n, 1))
    return {"x": zero + 0.5, "m": zero, "v": zero, "top": zero, "sum": zero, "t": zero}


def shares(s, c):
    """The shares of both experts."""
    return np.concatenate([s["x"], 1 - s["x"]], axis=1)


def descent(move):
    """Move against the gradient g, within [0, 1]."""

    def step(s, seen, response, c):
        g = response[:, 1:] - response[:, :1]
        s = {**s, "t": s["t"] + 1, "sum": s["sum"] + g**2}
        return {**s, "x": np.clip(s["x"] - move(s, g, c), 0, 1)}

    return step


def ratio(up, square):
    """Divide by the root of a square, 0 by 0 being 0."""
    return up / np.sqrt(np.where(square > 0, square, 1))


def adam_step(s, seen, response, c):
    """Adam as printed: b1 falls as 2^-t, both means are corrected for their start."""
    g, t = response[:, 1:] - response[:, :1], s["t"] + 1
    beta = c.first_decay * 0.5 ** (t - 1)
    m, v = beta * s["m"] + (1 - beta) * g, c.second_decay * s["v"] + (1 - c.second_decay) * g**2
    way = ratio(m / (1 - c.first_decay**t), v / (1 - c.second_decay**t))
    return {**s, "x": np.clip(s["x"] - c.rate / np.sqrt(t) * way, 0, 1), "m": m, "v": v, "t": t}


def ams_step(s, seen, response, c):
    """AMSGrad without momentum: divide by the root of the largest mean of squares so far."""
    g, t = response[:, 1:] - response[:, :1], s["t"] + 1
    v = c.second_decay * s["v"] + (1 - c.second_decay) * g**2
    top = np.maximum(s["top"], v)
    return {**s, "x": np.clip(s["x"] - c.rate / np.sqrt(t) * ratio(g, top), 0, 1), "v": v, "top": top, "t": t}


def adaptive():
    """Two experts, responses of up to ten, and settings of Adam."""
    decay, rate = st.fractions("1/100", "99/100", max_denominator=100), st.sampled_from(["1/100", "1/10", "1/2", 1])
    return phases(st.just(2), list(range(11)), 3, 1000, first_decay=st.just(0), second_decay=decay, rate=rate)


def learner(name, step):
    """A learner on the line."""
    return Learner(name, step, init=first_point, play=shares)


SCALED = {"given": [Eq(n_participating, M), M <= 2, b2 < 1, b1**2 < sqrt(b2)], "measure": StaticRegret(LINEAR)}
SLOW = Case(ResponseTable(((1, "1/2"), (0, "1/4"), ("1/2", "1/4"), (0, 1)), (2, 10, 100, 80)))
fixed = learner("OGD, step 1/sqrt(T)", descent(lambda s, g, c: g / np.sqrt(c.n_rounds)))
OGD1 = theorem("OGD1: online gradient descent: regret <= D G sqrt(T)", quantity <= sqrt(T), algorithm=fixed, **LINE)
OGD1_LOG = theorem(
    "OGD1-log: false of linear losses, steps 1/t: regret <= 5 (1 + log T)",
    quantity <= 5 * (1 + log(T)),
    algorithm=learner("OGD, steps 1/t", descent(lambda s, g, c: g / s["t"])),
    **false(SLOW),
    **LINE,
)
OGD1_SIGN = theorem(
    "OGD1-sign: false of signs of gradients: regret <= 2 sqrt(T)",
    quantity <= 2 * sqrt(T),
    algorithm=learner("sign descent", descent(lambda s, g, c: np.sign(g) / np.sqrt(c.n_rounds))),
    **false(game(((1, 0), (0, "1/4"), (0, "1/4")), 50)),
    **LINE,
)
ADAGRAD = theorem(
    "ADAGRAD: steps D/sqrt(2 sum of squared gradients): regret <= D G sqrt(2 T)",
    quantity <= sqrt(2 * T),
    algorithm=learner("AdaGrad", descent(lambda s, g, c: ratio(g, 2 * s["sum"]))),
    **LINE,
)
gamma = b1**2 / sqrt(b2)
ADAM = theorem(
    "ADAM: false, Adam's regret theorem: regret <= D² G sqrt(T)/(2 a (1 - b1)) + a (1 + b1) G² sqrt(T)/((1 - b1)"
    " sqrt(1 - b2) (1 - gamma)²) + 2 D² G sqrt(1 - b2)/(a (1 - b1)), gamma = b1²/sqrt(b2)",
    quantity
    <= G * sqrt(T) / (2 * a * (1 - b1))
    + a * (1 + b1) * G**2 * sqrt(T) / ((1 - b1) * sqrt(1 - b2) * (1 - gamma) ** 2)
    + 2 * G * sqrt(1 - b2) / (a * (1 - b1)),
    algorithm=learner("Adam", adam_step),
    family=adaptive,
    **false(game(((10, 0), (0, 1), (0, 1), (0, 1)), 400, 10, first_decay=0, second_decay="1/10", rate="1/5")),
    **SCALED,
)
AMS = theorem(
    "AMS: AMSGrad, b1 = 0: regret <= D² G sqrt(T)/(2 a) + a G sqrt(T)/sqrt(1 - b2)",
    quantity <= G * sqrt(T) / (2 * a) + a * G * sqrt(T) / sqrt(1 - b2),
    algorithm=learner("AMSGrad", ams_step),
    family=adaptive,
    **SCALED,
)
CLAIMS = (OGD1, OGD1_LOG, OGD1_SIGN, ADAGRAD, ADAM, AMS, *experts.CLAIMS)
