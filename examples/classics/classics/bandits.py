"""Bandits of two arms: losses fixed in advance for Exp3, arms that win by chance for UCB1.

EXP1: Bubeck and Cesa-Bianchi, Regret analysis of bandit problems (2012), Theorem 3.1. EXP1-sure: Lattimore and Szepesvári, Bandit
algorithms (2020), Section 11.5. UCB1: Auer, Cesa-Bianchi and Fischer (2002), Theorem 1.

An instance of clients stands for the game: the last two slopes of client m are the losses in the m-th part of the rounds. The first
coordinate of the point is what was lost, the others are what either arm would have lost.
"""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, log, pi

from classics.letters import sigma
from fltheory import Algorithm, Case, declare, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import NUMBER, PathMeasure, RunMeasure
from fltheory.symbols import dimension, failure_probability
from fltheory.symbols import n_clients as M
from fltheory.symbols import n_rounds as T

rate = declare("exp3_rate", "learning rate of Exp3", "positive")
gap = declare("gap", "the part of its chance that the worse arm lacks", "positive")


def regret(states):
    """What was lost beyond what the better arm would have lost."""
    end = states[:, -1]
    return (end[:, 0] - np.minimum(end[:, 1], end[:, 2]))[:, None]


@dataclass(frozen=True)
class Regret(RunMeasure):
    """The mean over the draws of the arms, plus T, so that no path has less than 0."""

    name: str = "T + E L_T - min_i L_i,T"
    dimension: tuple = NUMBER

    def values(self, states, case):
        return regret(states) + case.constants[T]

    def ceiling(self, case, within=None):
        return 2.0 * case.constants[T]


@dataclass(frozen=True)
class RealisedRegret(PathMeasure):
    """The same along each path."""

    name: str = "L_T - min_i L_i,T"
    dimension: tuple = NUMBER
    letters: tuple = ()

    def read(self, states, case):
        return {}

    def values(self, states, case):
        return regret(states)


@dataclass(frozen=True)
class PseudoRegret(RunMeasure):
    """Half the gap for every time that the worse arm was chosen."""

    name: str = "gap/2 times draws of the worse arm"
    dimension: tuple = NUMBER

    def values(self, states, case):
        return states[:, -1] - states[:, 0]

    def ceiling(self, case, within=None):
        return float(case.constants[T] * case.constants[gap] / 2)


def no_estimates(start, c):
    """Nothing lost, nothing estimated."""
    return {"x": 0 * start, "estimate": 0 * start[:, 1:]}


def exp3_step(s, oracle, c):
    """Draw an arm by its weight exp(-rate estimate), and divide its loss by its chance."""
    losses = oracle.gradient(0 * s["x"], c.round * c.n_clients // c.n_rounds)[:, 1:]
    weights = np.exp(-c.exp3_rate * (s["estimate"] - s["estimate"].min(axis=1, keepdims=True)))
    p = weights / weights.sum(axis=1, keepdims=True)
    drawn = np.asarray(oracle.choice(p))[:, None] == np.arange(2)
    lost = (drawn * losses).sum(axis=1, keepdims=True)
    estimate = s["estimate"] + drawn * losses / np.where(drawn, p, 1)
    return {"x": s["x"] + np.concatenate([lost, losses], axis=1), "estimate": estimate}


def no_draws(start, c):
    """No arm was drawn."""
    zero = np.concatenate([start * 0, start * 0], axis=1)
    return {"x": start * 0, "won": zero, "n": zero}


def bandit(width):
    """Draw each arm once, then the one whose mean plus width is largest; chances 1/2 and (1 - gap)/2."""

    def step(s, oracle, c):
        won, n = s["won"], s["n"]
        if c.round < 2:
            arm = np.arange(2) == c.round + 0 * n
        else:
            value = won / n + width(n, c.round)
            first = value[:, :1] >= value[:, 1:]
            arm = np.concatenate([first, ~first], axis=1)
        coins = np.stack([oracle.coin("1/2"), oracle.coin(1 * c.gap)], axis=1)
        wins = np.concatenate([coins[:, :1], coins[:, :1] & ~coins[:, 1:]], axis=1)
        return {"x": s["x"] + arm[:, 1:] * c.gap / 2, "won": won + arm * wins, "n": n + arm}

    return step


def game(rows, rounds, **settings):
    """The losses of both arms in each part of the rounds."""
    clients = QuadraticClients(((1, 1, 1),) * len(rows), tuple((0, *row) for row in rows), (0, 0, 0))
    return Case(clients, n_rounds=rounds, **settings)


def arms():
    """Two arms whose losses change up to three times."""
    loss = st.sampled_from([0, "1/4", "1/2", "3/4", 1])
    delta = st.sampled_from(["1/10", "1/100", "1/1000"])
    rows = st.lists(st.tuples(loss, loss), min_size=1, max_size=4)
    return st.builds(
        lambda r, t, d, e: game(r, t, failure_probability=d, exp3_rate=e),
        rows,
        st.integers(2, 1000),
        delta,
        st.sampled_from(["1/100", "1/30", "1/10", "1/3"]),
    )


def chances(gap, rounds):
    """Two arms that win with chances 1/2 and (1 - gap)/2."""
    return Case(QuadraticClients((1,), (0,), 1), n_rounds=rounds, gap=gap)


def random_arms():
    """Gaps of all sizes."""
    return st.builds(chances, st.sampled_from(["1/10", "1/5", "1/2", "7/10", "9/10"]), st.integers(2, 2000))


def no_losses(one, c):
    """Say whether the slopes are no losses."""
    return any(row[0] != 0 or not all(0 <= v <= 1 for v in row) for row in one.slopes) and "losses beyond [0, 1]"


FAR = 10**6  # no sum of losses is larger
EXP3 = {
    "given": [Eq(dimension, 3), Eq(sigma, 0), failure_probability < 1],
    "assumptions": [requires("losses in [0, 1]", no_losses)],
    "algorithm": Algorithm("Exp3", exp3_step, init=no_estimates, within=FAR),
    "family": arms,
}
ARMS = {"given": [Eq(M, 1), Eq(sigma, 0), Eq(dimension, 1), gap < 1], "measure": PseudoRegret(), "family": random_arms}

EXP1 = theorem(
    "EXP1: Exp3, rate e, two arms: E L_T - min_i L_i,T <= log 2/e + e T",
    quantity <= T + log(2) / rate + rate * T,
    measure=Regret(),
    cases=[game(rows, 8, failure_probability="1/10", exp3_rate="3/10") for rows in (((1, 0),), ((1, 0), (0, 1)))],
    **EXP3,
)
EXP1_SURE = theorem(
    "EXP1-sure: false with probability 1 - delta in place of the mean: ... <= 2 (log(2/delta)/e + e T)",
    quantity <= 2 * (log(2 / failure_probability) / rate + rate * T),
    measure=RealisedRegret(),
    mode="with probability",
    failure=failure_probability,
    cases=[game(((0, 1), (1, 0), (1, 0)), 1000, failure_probability="1/10", exp3_rate="1/30")],
    recorded="violated",
    **EXP3,
)
UCB1 = theorem(
    "UCB1: pseudo-regret <= 16 log T/gap + (1 + pi²/3) gap/2",
    quantity <= 16 * log(T) / gap + (1 + pi**2 / 3) * gap / 2,
    algorithm=Algorithm("UCB1", bandit(lambda n, t: np.sqrt(2 * np.log(t) / n)), init=no_draws, within=FAR),
    cases=[chances("9/10", 300)],
    **ARMS,
)
UCB1_GREEDY = theorem(
    "UCB1-greedy: false of the arm whose mean is largest, which may be the worse one for good: ... <= 2 log T/gap + 2 gap",
    quantity <= 2 * log(T) / gap + 2 * gap,
    algorithm=Algorithm("greedy", bandit(lambda n, t: 0), init=no_draws),
    cases=[chances("7/10", 2000)],
    recorded="violated",
    **ARMS,
)
CLAIMS = (EXP1, EXP1_SURE, UCB1, UCB1_GREEDY)
