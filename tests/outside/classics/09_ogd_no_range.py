"""Online gradient descent with steps 1/sqrt(T): regret <= 10 sqrt(T), whatever the gradients.

False: the factor (1 + G²)/2 is missing. Here on two experts.
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
    g = response[:, 1:] - response[:, :1]
    x = np.clip(p[:, :1] - g / np.sqrt(c.n_rounds), 0, 1)
    return np.concatenate([x, 1 - x], axis=1)


def family():
    rows = st.lists(st.tuples(*[st.sampled_from([0, 1, 2])] * 2), min_size=1, max_size=4)
    return rows.flatmap(
        lambda r: st.builds(
            lambda k, times: Case(ResponseTable(tuple(r), k, high=2, repeat=times)),
            st.tuples(*[st.integers(1, 20)] * len(r)),
            st.integers(1, 10),
        )
    )


common = {
    "given": [Eq(n_participating, n_clients), n_clients <= 2],
    "algorithm": Learner("OGD", step),
    "measure": StaticRegret(LINEAR),
    "family": family,
    "key": "norange",
}
CLAIM = theorem("OGD: regret <= 10 sqrt(T)", quantity <= 10 * sqrt(n_rounds), **common)
TRUE = theorem(
    "OGD-range: regret <= (1 + G²)/2 sqrt(T)", quantity <= (1 + response_high**2) / 2 * sqrt(n_rounds), **common
)
