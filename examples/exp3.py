"""Exp3 as a sampler of clients: what a client answers is a reward, and the rewards add up.

Its step follows the estimate of the feedback a where OSMD follows that of the gradient a/p², M² as large at the uniform
distribution, and mixing shortens it further: at the same rate Proposition 13 is false of it once its steps are short.
"""

from dataclasses import replace

import numpy as np

from fltheory import Sampler, find, verify


def init(n, c):
    return np.zeros((n, c.n_clients))


def play(total, c):
    weights = np.exp(total - total.max(axis=1, keepdims=True))
    share = weights / weights.sum(axis=1, keepdims=True)
    return c.probability_floor / c.n_clients + (1 - c.probability_floor) * share


def step(total, counts, feedback, c):
    return total + c.sampler_rate * counts * feedback / (c.n_sampled * play(total, c))


LISTED = find("osmd/C-P13@strengthened")
claim = replace(LISTED, algorithm=Sampler("Exp3", step, init=init, play=play), cases=LISTED.cases[:5])

if __name__ == "__main__":
    print(verify(claim))
