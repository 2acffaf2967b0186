"""Learning from experts: follow the leader, regularised or not, and Hedge; losses are minus the responses, in [0, 1].

FTRL, FTL: Shalev-Shwartz, Online learning and online convex optimization (2012), Section 2. HEDGE1: Cesa-Bianchi and Lugosi,
Prediction, learning, and games (2006), Theorem 2.2; HEDGE2: their Theorem 2.3.
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, log, sqrt

from classics.letters import M
from fltheory import Case, Learner, quantity, theorem
from fltheory.games.losses import LINEAR
from fltheory.games.static_regret import StaticRegret
from fltheory.problems.responses import ResponseTable
from fltheory.symbols import n_participating
from fltheory.symbols import n_rounds as T
from fltheory.symbols import response_high as G


def nothing(n, c):
    """No response yet."""
    return {"sum": np.zeros((n, c.n_clients)), "t": np.zeros((n, 1))}


def add(s, seen, response, c):
    """The sums of the responses."""
    return {"sum": s["sum"] + response, "t": s["t"] + 1}


def leader(s, c):
    """All on the best so far."""
    return np.eye(c.n_clients)[s["sum"].argmax(axis=1)]


def regularised(s, c):
    """The point of least loss so far plus sqrt(T) (x - 1/2)²: follow the regularised leader."""
    x = np.clip(1 / 2 + (s["sum"][:, :1] - s["sum"][:, 1:]) / (2 * np.sqrt(c.n_rounds)), 0, 1)
    return np.concatenate([x, 1 - x], axis=1)


def hedge(rounds):
    """Weights exp(rate sum), the rate being sqrt(8 log N/rounds)."""

    def play(s, c):
        rate = np.sqrt(8 * np.log(c.n_clients) / rounds(s, c))
        weights = np.exp(rate * (s["sum"] - s["sum"].max(axis=1, keepdims=True)))
        return weights / weights.sum(axis=1, keepdims=True)

    return play


def phases(n, level, most, times, **settings):
    """Responses of up to four rows, each for up to ``most`` rounds, all of them up to ``times`` times."""

    def case(rows, counts, repeat, **settings):
        return Case(ResponseTable(tuple(rows), counts[: len(rows)], high=level[-1], repeat=repeat), **settings)

    rows = n.flatmap(lambda n: st.lists(st.tuples(*[st.sampled_from(level)] * n), min_size=1, max_size=4))
    return st.builds(case, rows, st.tuples(*[st.integers(1, most)] * 4), st.integers(1, times), **settings)


def two():
    """Two experts."""
    return phases(st.just(2), [0, "1/4", "1/2", "3/4", 1], 10, 20)


def several():
    """Two to four experts."""
    return phases(st.integers(2, 4), [0, "1/2", 1], 10, 20)


def learner(name, play):
    """A learner that decides by the sums of the responses."""
    return Learner(name, add, init=nothing, play=play)


EVERY = [Eq(n_participating, M), G <= 1]  # all responses are seen, losses in [0, 1]
LINE = {"given": [*EVERY, M <= 2], "measure": StaticRegret(LINEAR), "family": two}
HEDGE = {"given": [*EVERY, M >= 2], "measure": StaticRegret(LINEAR), "family": several}


def game(rows, repeat, high=1, **settings):
    """These responses in turn, and again."""
    return Case(ResponseTable(rows, (1,) * len(rows), high=high, repeat=repeat), **settings)


def false(case):
    """A counterexample."""
    return {"cases": [case], "recorded": "violated"}


TURNS = game(((0, "1/2"), *((1, 0), (0, 1)) * 9), 1)  # the leader changes in every round
FTRL = theorem(
    "FTRL: follow the leader, regularised by sqrt(T) (x - 1/2)²: regret <= sqrt(T)/2",
    quantity <= sqrt(T) / 2,
    algorithm=learner("FTRL", regularised),
    **{**LINE, "given": [*LINE["given"], T > 1]},  # with one round the two are equal
)
FTL = theorem(
    "FTL: false of follow the leader, which alternates: regret <= sqrt(T)",
    quantity <= sqrt(T),
    algorithm=learner("follow the leader", leader),
    **false(TURNS),
    **LINE,
)
HEDGE1 = theorem(
    "HEDGE1: rate sqrt(8 log N/T): regret <= sqrt(T log N/2)",
    quantity <= sqrt(T * log(M) / 2),
    algorithm=learner("Hedge", hedge(lambda s, c: c.n_rounds)),
    **HEDGE,
)
HEDGE1_ONE = theorem(
    "HEDGE1-one: false of one rate for all horizons, that of 16 rounds: regret <= 2 sqrt(T log N)",
    quantity <= 2 * sqrt(T * log(M)),
    algorithm=learner("Hedge, rate of 16 rounds", hedge(lambda s, c: 16)),
    **false(game(((1, 0), (0, 1)), 1000)),
    **HEDGE,
)
HEDGE2 = theorem(
    "HEDGE2: falling rate sqrt(8 log N/t): regret <= sqrt(2 T log N) + sqrt(log N/8)",
    quantity <= sqrt(2 * T * log(M)) + sqrt(log(M) / 8),
    algorithm=learner("Hedge, rate of t rounds", hedge(lambda s, c: s["t"] + 1)),
    **HEDGE,
)
CLAIMS = (FTRL, FTL, HEDGE1, HEDGE1_ONE, HEDGE2)
