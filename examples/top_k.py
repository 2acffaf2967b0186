"""Top-1 sparsification without error feedback: the server hears the largest coordinate of each client's step alone.

Two clients that pull one coordinate to and fro drown the other: the run stops away from the minimiser. Violated.
"""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, Case, find, verify
from fltheory.problems.separable import QuadraticClients


def step(x, oracle, c):
    sent = 0 * x
    for client in range(c.n_clients):
        move = c.n_local_steps * c.step_size * oracle.gradient(x, client)
        first = np.abs(move[:, :1]) >= np.abs(move[:, 1:])
        sent = sent + move * np.concatenate([first, ~first], axis=1)
    return x - sent / c.n_clients


clients = QuadraticClients(((1, 1), (1, 1)), ((3, 1), (-3, 1)), (0, 0))
claim = replace(
    find("sfl/T7@explicit"),
    algorithm=Algorithm("top-1", step),
    cases=(Case(clients, n_rounds=600, n_local_steps=1, step_size="1/60"),),
)

if __name__ == "__main__":
    print(verify(claim))
