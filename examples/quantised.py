"""Unbiased quantisation: the model is sent in multiples of 1/4, each coordinate up or down by a coin that keeps its mean.

The measure of Theorem 7 averages over the rounds, where unbiased noise cancels: no violation is found. The chances depend on the
state, so that long runs are simulated, which confirms nothing; rounding to the nearest is refuted (examples/rounded.py).
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
    exact = 4 * total / c.n_clients
    low = np.floor(exact)
    return (low + oracle.coin(exact - low)) / 4


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("PFL, quantised", step))

if __name__ == "__main__":
    print(verify(claim))
