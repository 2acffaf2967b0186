"""Adam's regret theorem (Kingma & Ba 2015, Theorem 4.1), on two experts: x = p_1 in [0, 1], linear losses. False:
Reddi et al. 2018."""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, sqrt

from fltheory import Case, Learner, declare, quantity, theorem
from fltheory.games.losses import LINEAR
from fltheory.games.static_regret import StaticRegret
from fltheory.problems.responses import ResponseTable
from fltheory.symbols import n_clients, n_participating, n_rounds, response_high

b1 = declare("first_decay", "decay of the mean of gradients", "nonnegative")
b2 = declare("second_decay", "decay of the mean of squares", "positive")
a = declare("rate", "step size before the root of t", "positive")
D, G, T, lam = 1, response_high, n_rounds, 1 / 2


def init(n, c):
    zero = np.zeros((n, 1))
    return {"x": zero + 0.5, "m": zero, "v": zero, "t": zero}


def play(s, c):
    return np.concatenate([s["x"], 1 - s["x"]], axis=1)


def step(s, seen, response, c):
    g, t = response[:, 1:2] - response[:, :1], s["t"] + 1
    beta = c.first_decay * lam ** (t - 1)
    m = beta * s["m"] + (1 - beta) * g
    v = c.second_decay * s["v"] + (1 - c.second_decay) * g**2
    m_hat, v_hat = m / (1 - c.first_decay**t), v / (1 - c.second_decay**t)
    move = c.rate / np.sqrt(t) * m_hat / np.sqrt(np.where(v_hat > 0, v_hat, 1))
    return {"x": np.clip(s["x"] - move, 0, 1), "m": m, "v": v, "t": t}


def family():
    rows = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=4)
    return rows.flatmap(
        lambda r: st.builds(
            lambda counts, times, b, rate: Case(
                ResponseTable(tuple(r), counts, high=10, repeat=times), first_decay=0, second_decay=b, rate=rate
            ),
            st.tuples(*[st.integers(1, 3)] * len(r)),
            st.integers(1, 1000),
            st.fractions("1/100", "99/100", max_denominator=100),
            st.sampled_from(["1/100", "1/10", "1/2", 1]),
        )
    )


gamma = b1**2 / sqrt(b2)
CLAIM = theorem(
    "T4.1: regret of Adam",
    quantity
    <= D**2 * G * sqrt(T) / (2 * a * (1 - b1))
    + a * (1 + b1) * G**2 * sqrt(T) / ((1 - b1) * sqrt(1 - b2) * (1 - gamma) ** 2)
    + D**2 * G * sqrt(1 - b2) / (2 * a * (1 - b1) * (1 - lam) ** 2),
    given=[Eq(n_participating, n_clients), b1 < 1, b2 < 1, gamma < 1, n_clients <= 2],
    algorithm=Learner("Adam", step, init=init, play=play),
    measure=StaticRegret(LINEAR),
    family=family,
    key="adam",
)
