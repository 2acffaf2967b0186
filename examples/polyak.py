"""Gradient descent with Polyak's step (F(x) - F*)/|grad F|² on the mean of the clients: no step size is given.

F* is what lies the initial gap, a constant of the case, below the first value. Without noise the bound stays true:
by |x' - x*|² <= |x - x*|² - (F - F*)²/|grad F|² the mean of F - F* is at most 2 L D²/R, and 2 L <= 3/η̃.
"""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, find, verify


def init(start, c):
    return {"x": start, "lowest": 0 * start[:, 0]}


def step(state, oracle, c):
    x, lowest = state["x"], state["lowest"]
    value = sum(oracle.value(x, client) for client in range(c.n_clients)) / c.n_clients
    gradient = sum(oracle.gradient(x, client) for client in range(c.n_clients)) / c.n_clients
    if c.round == 0:
        lowest = value - c.initial_gap
    square = (gradient**2).sum(axis=1)
    lr = (value - lowest) / np.where(square > 0, square, 1)
    return {"x": x - lr[:, None] * gradient, "lowest": lowest}


LISTED = find("sfl/T7-GC@explicit")
CASES = tuple(LISTED.cases[i].with_settings(n_rounds=100) for i in (0, 6))  # without noise
claim = replace(LISTED, algorithm=Algorithm("Polyak's step", step, init=init), cases=CASES)

if __name__ == "__main__":
    print(verify(claim))
