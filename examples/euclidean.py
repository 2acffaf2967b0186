"""A sampler by projected gradient ascent: the distance is Euclid's where OSMD measures by the negative entropy.

With the rate over M both metrics agree at the uniform distribution u, and for two clients Proposition 13 stays true:
M |q - u|²/2 <= D(q|u), and the squares of the estimated gradients weigh at most 4α/M² < 1 of what the bound allows.
"""

from dataclasses import replace

import numpy as np

from fltheory import Sampler, find, verify


def projected(y, low):
    """The nearest point of the simplex whose entries are at least low: max(y - shift, low) by sorting."""
    rest = 1 - y.shape[1] * low
    ranked = np.sort(y - low, axis=1)[:, ::-1]
    shifts = (ranked.cumsum(axis=1) - rest) / np.arange(1, y.shape[1] + 1)
    last = (ranked > shifts).sum(axis=1, keepdims=True) - 1
    return np.maximum(y - low - np.take_along_axis(shifts, last, axis=1), 0) + low


def step(p, counts, feedback, c):
    gradient = counts * feedback / (c.n_sampled**2 * p**3)
    return projected(p + c.sampler_rate / c.n_clients * gradient, c.probability_floor / c.n_clients)


LISTED = find("osmd/C-P13@strengthened")
claim = replace(LISTED, algorithm=Sampler("projected gradient ascent", step), cases=LISTED.cases[:5])

if __name__ == "__main__":
    print(verify(claim))
