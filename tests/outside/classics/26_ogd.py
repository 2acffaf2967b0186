"""Online gradient descent (Zinkevich 2003) with step D/(G √T): regret <= D G √T. True. Here on two experts, D = G = 1
along the segment."""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, sqrt

from fltheory import Case, Learner, quantity, theorem
from fltheory.games.losses import LINEAR
from fltheory.games.static_regret import StaticRegret
from fltheory.problems.responses import ResponseTable
from fltheory.symbols import n_clients, n_participating, n_rounds, response_high


def step(p, seen, response, c):
    g = response[:, 1:] - response[:, :1]
    x = np.clip(p[:, :1] - g / np.sqrt(c.n_rounds), 0, 1)
    return np.concatenate([x, 1 - x], axis=1)


def family():
    rows = st.lists(st.tuples(*[st.sampled_from([0, "1/4", "1/2", "3/4", 1])] * 2), min_size=1, max_size=6)
    return rows.flatmap(
        lambda r: st.builds(
            lambda k, times: Case(ResponseTable(tuple(r), k, repeat=times)),
            st.tuples(*[st.integers(1, 20)] * len(r)),
            st.integers(1, 100),
        )
    )


TRUE = theorem(
    "OGD: regret <= D G √T",
    quantity <= sqrt(n_rounds),
    given=[Eq(n_participating, n_clients), n_clients <= 2, response_high <= 1],
    algorithm=Learner("OGD", step),
    measure=StaticRegret(LINEAR),
    family=family,
    key="ogd",
)
