"""Clipped local gradients, never longer than 1: a root and a comparison, followed in balls while these can tell.

The cases of Theorem 7 come to gradients of length 1 exactly, where no ball tells which side is meant: there the one course of
the run is followed in floats, with an error budget.
"""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    total = 0 * x
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            slope = oracle.gradient(y, client, k)
            length = np.sqrt((slope * slope).sum(axis=1, keepdims=True))
            y = y - c.step_size * slope / np.maximum(1, length)
        total = total + y
    return total / c.n_clients


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("PFL, clipped", step))

if __name__ == "__main__":
    print(verify(claim))
