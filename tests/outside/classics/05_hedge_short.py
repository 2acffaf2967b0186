"""Hedge with the rate for a hundred rounds: regret <= 2 sqrt(T log N) (T2).

False beyond some thousand rounds; with the rate for T rounds it is sqrt(T log N / 2).
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, log, sqrt

from fltheory import Case, Learner, quantity, theorem
from fltheory.games.losses import LINEAR
from fltheory.games.static_regret import StaticRegret
from fltheory.problems.responses import ResponseTable
from fltheory.symbols import n_clients, n_participating, n_rounds, response_high


def init(n, c):
    return np.zeros((n, c.n_clients))


def hedge(rate):
    def play(total, c):
        weights = np.exp(rate(c) * (total - total.max(axis=1, keepdims=True)))
        return weights / weights.sum(axis=1, keepdims=True)

    def step(total, seen, response, c):
        return total + response

    return Learner("Hedge", step, init=init, play=play)


def family():
    level = st.sampled_from([0, "1/2", 1])
    rows = st.integers(2, 4).flatmap(lambda n: st.lists(st.tuples(*[level] * n), min_size=1, max_size=4))
    return rows.flatmap(
        lambda r: st.builds(
            lambda k, times: Case(ResponseTable(tuple(r), k, repeat=times)),
            st.tuples(*[st.integers(1, 10)] * len(r)),
            st.integers(1, 20),
        )
    )


common = {
    "given": [Eq(n_participating, n_clients), n_clients >= 2, response_high <= 1],
    "measure": StaticRegret(LINEAR),
    "family": family,
    "key": "hedge",
}
CLAIM = theorem(
    "T2: Hedge: regret <= 2 sqrt(T log N)",
    quantity <= 2 * sqrt(n_rounds * log(n_clients)),
    algorithm=hedge(lambda c: np.sqrt(8 * np.log(c.n_clients) / 100)),
    **common,
)
TRUE = theorem(
    "T1: Hedge: regret <= sqrt(T log N / 2)",
    quantity <= sqrt(n_rounds * log(n_clients) / 2),
    algorithm=hedge(lambda c: np.sqrt(8 * np.log(c.n_clients) / c.n_rounds)),
    **common,
)
