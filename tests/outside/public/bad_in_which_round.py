"""Players and steps that go wrong from some round on: the round in which they do is to be told, counted from 0."""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, Learner, Sampler, find
from fltheory.claims.check import check_claim

SAMPLING, LEARNING, TRAINING = find("osmd/C-P13@strengthened"), find("aaggff/T5.2@printed"), find("sfl/T7@explicit")


def sampler(first):
    """Plays probabilities whose sum is 1.5 from that round on."""

    def play(s, c):
        p = np.full((len(s), c.n_clients), 1 / c.n_clients)
        p[s[:, 0] >= first] *= 1.5
        return p

    rounds = Sampler("bad", lambda s, counts, feedback, c: s + 1, init=lambda n, c: np.zeros((n, 1)), play=play)
    return check_claim(replace(SAMPLING, algorithm=rounds), SAMPLING.cases[0])


def learner(first):
    """The same as an online learner."""

    def play(s, c):
        return np.full((len(s), c.n_clients), 1 / c.n_clients) * np.where(s >= first, 1.5, 1)

    rounds = Learner("bad", lambda s, seen, response, c: s + 1, init=lambda n, c: np.zeros((n, 1)), play=play)
    return check_claim(replace(LEARNING, algorithm=rounds), LEARNING.cases[5])


def step(first):
    """Returns NaN from that round on."""

    def nan(x, oracle, c):
        return x * float("nan") if c.round >= first else x

    return check_claim(replace(TRAINING, algorithm=Algorithm("bad", nan)), TRAINING.cases[0].with_settings(n_rounds=50))


def raising():
    """Fails at once, with words that name no round."""

    def step(x, oracle, c):
        raise AttributeError("'numpy.ndarray' object has no attribute 'foo'")

    return check_claim(
        replace(TRAINING, algorithm=Algorithm("bad", step)), TRAINING.cases[0].with_settings(n_rounds=50)
    )
