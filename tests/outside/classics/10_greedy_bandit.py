"""Two arms, each tried once, then always the better one so far: pseudo-regret O(log T / gap).

False: it may settle on the worse arm for good (Auer, Cesa-Bianchi & Fischer 2002 need the width). The same with UCB1's width
turned over. No instance is a bandit: the arms win with chances 1/2 and (1 - gap)/2, and the state counts what was lost.
"""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, log

from fltheory import Algorithm, Case, declare, quantity, theorem
from fltheory.problems import QuadraticClients
from fltheory.runs.measures import NUMBER, RunMeasure
from fltheory.symbols import dimension, n_clients, n_rounds, noise_std

gap = declare("gap", "the part of its chance that the worse arm lacks", "positive")


@dataclass(frozen=True)
class PseudoRegret(RunMeasure):
    """Half the gap for every time that the worse arm was chosen."""

    name: str = "gap/2 times draws of the worse arm"
    dimension: tuple = NUMBER

    def values(self, states, case):
        return states[:, -1] - states[:, 0]


def init(start, c):
    zero = np.concatenate([start * 0, start * 0], axis=1)
    return {"x": start * 0, "won": zero, "n": zero}


def bandit(width):
    def step(s, oracle, c):
        won, n = s["won"], s["n"]
        if c.round < 2:
            arm = np.arange(2) == c.round + 0 * n
        else:
            value = won / n + width(n, c.round)
            first = value[:, :1] >= value[:, 1:]
            arm = np.concatenate([first, ~first], axis=1)
        coins = np.stack([oracle.coin("1/2"), oracle.coin(1 * c.gap)], axis=1)
        chance = np.concatenate([coins[:, :1], coins[:, :1] & ~coins[:, 1:]], axis=1)
        return {"x": s["x"] + arm[:, 1:] * c.gap / 2, "won": won + arm * chance, "n": n + arm}

    return step


def family():
    return st.builds(
        lambda g, r: Case(QuadraticClients((1,), (0,), 1), n_rounds=r, gap=g),
        st.sampled_from(["1/10", "1/5", "1/2", "9/10"]),
        st.integers(2, 300),
    )


common = {
    "given": [Eq(n_clients, 1), Eq(noise_std, 0), Eq(dimension, 1), gap < 1],
    "measure": PseudoRegret(),
    "family": family,
    "key": "bandit",
}
CLAIM = theorem(
    "greedy: pseudo-regret <= 10 (1 + log T) / gap",
    quantity <= 10 * (1 + log(n_rounds)) / gap,
    algorithm=Algorithm("greedy", bandit(lambda n, t: 0), init=init),
    **common,
)
SWAPPED = theorem(
    "swapped: UCB1 with the width turned over: pseudo-regret <= 10 (1 + log T) / gap",
    quantity <= 10 * (1 + log(n_rounds)) / gap,
    algorithm=Algorithm("UCB1, swapped", bandit(lambda n, t: np.sqrt(2 * np.log(n) / t)), init=init),
    **common,
)
TRUE = theorem(
    "UCB1: pseudo-regret <= 20 (1 + log T) / gap",
    quantity <= 20 * (1 + log(n_rounds)) / gap,
    algorithm=Algorithm("UCB1", bandit(lambda n, t: np.sqrt(2 * np.log(t) / n)), init=init),
    **common,
)
