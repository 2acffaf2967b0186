"""Follow the leader has regret O(log T). True of curved losses, false of linear ones, which alternate."""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, log

from fltheory import Case, Learner, quantity, theorem
from fltheory.games.losses import LINEAR
from fltheory.games.static_regret import StaticRegret
from fltheory.problems.responses import ResponseTable
from fltheory.symbols import n_clients, n_participating, n_rounds, response_high


def init(n, c):
    return np.zeros((n, c.n_clients))


def play(total, c):
    best = total.argmax(axis=1)
    return np.eye(c.n_clients)[best]


def step(total, seen, response, c):
    return total + response


def family():
    rows = st.lists(st.tuples(*[st.sampled_from([0, "1/4", "1/2", "3/4", 1])] * 2), min_size=1, max_size=4)
    return rows.flatmap(
        lambda r: st.builds(
            lambda k, times: Case(ResponseTable(tuple(r), k, repeat=times)),
            st.tuples(*[st.integers(1, 5)] * len(r)),
            st.integers(1, 50),
        )
    )


CLAIM = theorem(
    "FTL: regret <= 20 (1 + log T)",
    quantity <= 20 * (1 + log(n_rounds)),
    given=[Eq(n_participating, n_clients), n_clients <= 2, response_high <= 1],
    algorithm=Learner("follow the leader", step, init=init, play=play),
    measure=StaticRegret(LINEAR),
    family=family,
    key="ftl",
)
