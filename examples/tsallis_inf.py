"""Tsallis-INF as a sampler of clients: follow the leader, regularised by -4 Σ√p in place of Σ p log p.

At the uniform distribution the curvature p^(-3/2) of this regulariser is √M times that of the entropy, so that at the same
rate its steps are √M shorter: in a long game of short steps it comes too late, and Proposition 13 is false of it.
"""

from dataclasses import replace

import numpy as np

from fltheory import Sampler, find, verify


def init(n, c):
    return np.zeros((n, c.n_clients))


def play(total, c):
    """argmax of <total, p> + 4 Σ√p on the floored simplex: √p = 2/(shift - total), the shift by Newton's method."""
    low = c.probability_floor / c.n_clients
    shift = total.max(axis=1, keepdims=True) + 2  # here the sum is at least 1: from this side it falls to 1
    for _ in range(12):
        free = 4 / (shift - total) ** 2
        excess = np.maximum(free, low).sum(axis=1, keepdims=True) - 1
        shift = shift + excess / (8 * (free > low) / (shift - total) ** 3).sum(axis=1, keepdims=True)
    p = np.maximum(4 / (shift - total) ** 2, low)
    return p / p.sum(axis=1, keepdims=True)


def step(total, counts, feedback, c):
    return total + c.sampler_rate * counts * feedback / (c.n_sampled**2 * play(total, c) ** 3)


LISTED = find("osmd/C-P13@strengthened")
claim = replace(LISTED, algorithm=Sampler("Tsallis-INF", step, init=init, play=play), cases=LISTED.cases[:5])

if __name__ == "__main__":
    print(verify(claim))
