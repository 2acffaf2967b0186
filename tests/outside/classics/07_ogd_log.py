"""Online gradient descent with steps D/(G t): regret O(log T) (Hazan, Agarwal & Kale 2007).

True of strongly convex losses, false of linear ones; here on two experts, D = G = 1 along the segment.
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, log

from fltheory import Case, Learner, quantity, theorem
from fltheory.games.losses import LINEAR
from fltheory.games.static_regret import StaticRegret
from fltheory.problems.responses import ResponseTable
from fltheory.symbols import n_clients, n_participating, n_rounds, response_high


def init(n, c):
    return {"x": np.full((n, 1), 0.5), "t": np.zeros((n, 1))}


def play(s, c):
    return np.concatenate([s["x"], 1 - s["x"]], axis=1)


def step(s, seen, response, c):
    g = response[:, 1:] - response[:, :1]
    return {"x": np.clip(s["x"] - g / (s["t"] + 1), 0, 1), "t": s["t"] + 1}


def family():
    rows = st.lists(st.tuples(*[st.sampled_from([0, "1/4", "1/2", "3/4", 1])] * 2), min_size=1, max_size=6)
    return rows.flatmap(
        lambda r: st.builds(
            lambda k, times: Case(ResponseTable(tuple(r), k, repeat=times)),
            st.tuples(*[st.integers(1, 20)] * len(r)),
            st.integers(1, 10),
        )
    )


CLAIM = theorem(
    "OGD: regret <= 10 (1 + log T)",
    quantity <= 10 * (1 + log(n_rounds)),
    given=[Eq(n_participating, n_clients), n_clients <= 2, response_high <= 1],
    algorithm=Learner("OGD, steps 1/t", step, init=init, play=play),
    measure=StaticRegret(LINEAR),
    family=family,
    key="ogdlog",
)
