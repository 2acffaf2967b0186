"""Online descent along the signs of the gradients, steps 1/sqrt(T): regret <= 4 sqrt(T).

False: a rare large gradient counts as much as a small one. Here on two experts.
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, sqrt

from fltheory import Case, Learner, quantity, theorem
from fltheory.games.losses import LINEAR
from fltheory.games.static_regret import StaticRegret
from fltheory.problems.responses import ResponseTable
from fltheory.symbols import n_clients, n_participating, n_rounds, response_high


def step(p, seen, response, c):
    g = np.sign(response[:, 1:] - response[:, :1])
    x = np.clip(p[:, :1] - g / np.sqrt(c.n_rounds), 0, 1)
    return np.concatenate([x, 1 - x], axis=1)


def family():
    rows = st.lists(st.tuples(*[st.sampled_from([0, "1/4", "1/2", "3/4", 1])] * 2), min_size=1, max_size=4)
    return rows.flatmap(
        lambda r: st.builds(
            lambda k, times: Case(ResponseTable(tuple(r), k, repeat=times)),
            st.tuples(*[st.integers(1, 20)] * len(r)),
            st.integers(1, 10),
        )
    )


CLAIM = theorem(
    "sign: regret <= 4 sqrt(T)",
    quantity <= 4 * sqrt(n_rounds),
    given=[Eq(n_participating, n_clients), n_clients <= 2, response_high <= 1],
    algorithm=Learner("sign descent", step),
    measure=StaticRegret(LINEAR),
    family=family,
    key="signs",
)
