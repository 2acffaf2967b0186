"""Projected local steps: after each round the model is put back into a box.

A run can't leave it, which ``within`` says: so simulation can confirm Theorem 7 where courses are too many, for a box with
the minimiser inside. One case has it outside: there the theorem is refuted.
"""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, find, verify

WIDTH = 4  # no coordinate is farther from 0 after the first round


def step(x, oracle, c):
    total = 0 * x
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        total = total + y
    return np.clip(total / c.n_clients, -WIDTH, WIDTH)


METHOD = Algorithm("PFL, projected", step, within=15)  # from starts at most 10 away
claim = replace(find("sfl/T7@explicit"), algorithm=METHOD)

if __name__ == "__main__":
    print(verify(claim))
