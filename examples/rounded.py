"""Rounding to the nearest: the model is sent in multiples of 1/4, each coordinate to the nearest one.

A step shorter than half the grid is rounded away: the run never leaves its start, and Theorem 7 is violated.
"""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    total = 0 * x
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        total = total + y
    return np.floor(4 * total / c.n_clients + 0.5) / 4


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("PFL, rounded", step))

if __name__ == "__main__":
    print(verify(claim))
