"""FedYogi: the server divides the mean step by the root of its running square, coordinate by coordinate.

Like FedAdam, with a square that forgets more slowly. On the first case nothing is drawn: its run is
followed in balls, and the bound holds.
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
    square = state["square"] - 0.01 * np.sign(state["square"] - move * move) * move * move
    return {"x": x + 0.1 * move / (np.sqrt(square) + 0.001), "square": square}


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("FedYogi", step, init=init))

if __name__ == "__main__":
    print(verify(claim))
