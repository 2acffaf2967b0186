"""Exp3 keeps its regret O(sqrt(K T log(K/delta))) with probability 1 - delta. False: only its mean is so small (Lattimore
& Szepesvári, Bandit Algorithms, Section 11.5): its realised regret is linear with a probability that does not vanish.

No instance is a bandit. Client m has the losses of the m-th part of the game (its last two slopes); the state is what was
lost, what either arm would have lost, and the estimates.
"""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, log, sqrt

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems import QuadraticClients
from fltheory.runs.measures import NUMBER, PathMeasure
from fltheory.symbols import dimension, failure_probability, n_rounds, noise_std


@dataclass(frozen=True)
class RealisedRegret(PathMeasure):
    """What was lost beyond the better arm, along the path."""

    name: str = "L_T - min_i L_i,T"
    dimension: tuple = NUMBER
    letters: tuple = ()

    def read(self, states, case):
        return {}

    def values(self, states, case):
        end = states[:, -1]
        return (end[:, 0] - np.minimum(end[:, 1], end[:, 2]))[:, None]


def init(start, c):
    return {"x": 0 * start, "estimate": 0 * start[:, 1:]}


def step(s, oracle, c):
    part = c.round * c.n_clients // c.n_rounds
    losses = oracle.gradient(0 * s["x"], part)[:, 1:]
    rate = np.sqrt(np.log(2) / c.n_rounds)
    weights = np.exp(-rate * (s["estimate"] - s["estimate"].min(axis=1, keepdims=True)))
    p = weights / weights.sum(axis=1, keepdims=True)
    drawn = np.asarray(oracle.choice(p))[:, None] == np.arange(2)
    lost = (drawn * losses).sum(axis=1, keepdims=True)
    return {
        "x": s["x"] + np.concatenate([lost, losses], axis=1),
        "estimate": s["estimate"] + drawn * losses / np.where(drawn, p, 1),
    }


def family():
    loss = st.sampled_from([0, "1/4", "1/2", "3/4", 1])
    parts = st.lists(st.tuples(loss, loss), min_size=1, max_size=4)
    return st.builds(
        lambda rows, rounds, delta: Case(
            QuadraticClients(((1, 1, 1),) * len(rows), tuple((0, *row) for row in rows), (0, 0, 0)),
            n_rounds=rounds,
            failure_probability=delta,
        ),
        parts,
        st.integers(2, 200),
        st.sampled_from(["1/10", "1/100", "1/1000"]),
    )


def no_losses(one, c):
    return any(row[0] != 0 or not all(0 <= v <= 1 for v in row) for row in one.slopes) and "losses beyond [0, 1]"


CLAIM = theorem(
    "T1: Exp3: L_T - min_i L_i,T <= 4 sqrt(2 T log(2/delta)) with probability 1 - delta",
    quantity <= 4 * sqrt(2 * n_rounds * log(2 / failure_probability)),
    given=[Eq(dimension, 3), Eq(noise_std, 0), failure_probability < 1],
    assumptions=[requires("losses in [0, 1]", no_losses)],
    algorithm=Algorithm("Exp3", step, init=init),
    measure=RealisedRegret(),
    mode="with probability",
    failure=failure_probability,
    family=family,
    key="exp3",
)
