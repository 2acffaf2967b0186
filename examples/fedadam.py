"""FedAdam: the server divides the mean step by the root of its running square, coordinate by coordinate.

Roots are followed in balls where nothing is drawn, until the square has shrunk into a ball around 0: then the one course of the run
is followed in floats, with an error budget.
"""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, find, verify


def init(start, c):
    return {"x": start, "square": 0 * start}


def step(state, oracle, c):
    x, move = state["x"], 0 * state["x"]
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        move = move + (y - x) / c.n_clients
    square = state["square"] * 0.99 + move * move * 0.01
    return {"x": x + 0.1 * move / (np.sqrt(square) + 0.001), "square": square}


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("FedAdam", step, init=init))

if __name__ == "__main__":
    print(verify(claim))
