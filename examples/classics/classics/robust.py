"""Clipped gradients, and rules that replace the mean of the clients' gradients.

CLIP: elementary; the bias: Chen, Wu and Hong, Understanding gradient clipping in private SGD (2020). LIAR: no linear rule tolerates
one Byzantine client (Blanchard et al. 2017, Lemma 1); the median: Yin et al. (2018); Krum: Blanchard et al. (2017).
"""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, Max

from classics.letters import D, L, M, R, eta, mu, sigma, zeta
from fltheory import Algorithm, Case, declare, quantity, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import dimension

limit = declare("clip_limit", "largest entry of a gradient that is sent", "positive", 1, -1)
lie = declare("lie", "what the Byzantine client multiplies its gradient by, beside a sign", "positive")


def mean(sent):
    """The mean of the clients' vectors."""
    return sum(sent) / len(sent)


def median(sent):
    """The median in every coordinate."""
    return np.median(np.stack(sent), axis=0)


def krum(sent):
    """The vector with the least sum of squared distances to its n - 2 nearest ones, itself among them."""
    scores = []
    for g in sent:
        apart = np.sort(np.stack([((g - h) ** 2).sum(axis=1) for h in sent], axis=1), axis=1)
        scores.append(apart[:, : max(1, len(sent) - 2)].sum(axis=1))
    best = np.stack(scores, axis=1).argmin(axis=1)
    return sum(np.where((best == m)[:, None], g, 0 * g) for m, g in enumerate(sent))


def descent(rule):
    """A step along the rule's value of the clients' gradients."""
    return lambda x, oracle, c: x - c.step_size * rule([oracle.gradient(x, m) for m in range(c.n_clients)])


def attacked(rule):
    """The same, where client 0 sends its gradient times -lie."""

    def step(x, oracle, c):
        honest = [oracle.gradient(x, m) for m in range(1, c.n_clients)]
        return x - c.step_size * rule([-c.lie * oracle.gradient(x, 0), *honest])

    return step


def clip(g, c):
    """The gradient with entries of at most G."""
    return np.clip(g, -c.clip_limit, c.clip_limit)


def clipped_mean(x, oracle, c):
    """The server clips the mean gradient."""
    return x - c.step_size * clip(mean([oracle.gradient(x, m) for m in range(c.n_clients)]), c)


def mean_of_clipped(x, oracle, c):
    """Every client clips its own."""
    return x - c.step_size * mean([clip(oracle.gradient(x, m), c) for m in range(c.n_clients)])


def runs(n_clients=5, dim=2):
    """Quadratic clients, one gradient of each per round, steps of up to 1/L."""
    return st.builds(
        lambda f, rounds, part: Case(f, n_rounds=rounds, step_size=part / f.constants[L]),
        quadratic_clients(n_clients, dim, curved=True, noise=False),
        log_uniform_counts(100),
        st.fractions("1/20", 1, max_denominator=20),
    )


def limited():
    """The same in one dimension, with a limit for gradients."""
    return st.builds(lambda c, g: c.with_settings(clip_limit=g), runs(3, 1), log_uniform_positive(1e-2, 10))


def lying():
    """Clients with one objective, of which one may lie."""

    def case(one, n, factor):
        f = one.instance
        clients = replace(f, curvatures=f.curvatures[:1] * n, slopes=f.slopes[:1] * n)
        return Case(clients, **dict(one.settings), lie=factor)

    return st.builds(case, runs(1), st.integers(1, 7), st.sampled_from(["1/2", 1, 2, 5, 10]))


SMALL = [Eq(sigma, 0), mu > 0, eta * L <= 1]
DISTANCE = LastDistance()
MANY = Case(
    QuadraticClients((1,) * 5, (5, 0, 0, 0, 0), 0), n_rounds=100, step_size=1
)  # x* = -1; four clients pull to 0
clip_rate = Max(1 - eta * mu, 1 - eta * limit / D) ** (2 * R) * D**2
CLIP = {"given": [*SMALL, Eq(dimension, 1), D > 0], "measure": DISTANCE, "family": limited}

CLIP1 = theorem(
    "CLIP1: the mean gradient clipped at G: |x_R - x*|² <= max(1 - eta mu, 1 - eta G/D)^(2R) D²",
    quantity <= clip_rate,
    algorithm=Algorithm("mean, clipped", clipped_mean),
    **CLIP,
)
CLIP1_BIAS = theorem(
    "CLIP1-bias: false where the clients clip: their mean is biased where they differ",
    quantity <= clip_rate,
    algorithm=Algorithm("clipped, mean", mean_of_clipped),
    cases=[MANY.with_settings(clip_limit=1)],
    recorded="violated",
    **CLIP,
)
rate = (1 - eta * mu) ** R * D**2
ROBUST = {"given": [*SMALL, M >= 5], "measure": DISTANCE, "family": runs, "cases": [MANY], "recorded": "violated"}
MEAN = theorem(
    "MEAN: the mean: |x_R - x*|² <= (1 - eta mu)^R D²",
    quantity <= rate,
    given=SMALL,
    algorithm=Algorithm("mean", descent(mean)),
    measure=DISTANCE,
    family=runs,
)
MEAN_MEDIAN = theorem(
    "MEAN-median: false of the median, which the minority does not move: |x_R - x*|² <= 10 (1 - eta mu)^R D²",
    quantity <= 10 * rate,
    algorithm=Algorithm("median", descent(median)),
    **ROBUST,
)
MEAN_KRUM = theorem(
    "MEAN-krum: false of Krum, which takes one client's gradient: |x_R - x*|² <= 10 (1 - eta mu)^R D²",
    quantity <= 10 * rate,
    algorithm=Algorithm("Krum", descent(krum)),
    **ROBUST,
)
TRUTH = [*SMALL, Eq(zeta, 0)]
LIAR = {"measure": DISTANCE, "family": lying}
LIAR1 = theorem(
    "LIAR1: one of M >= 3 equal clients lies, the median: |x_R - x*|² <= (1 - eta mu)^R D²",
    quantity <= rate,
    given=[*TRUTH, M >= 3],
    algorithm=Algorithm("median, one liar", attacked(median)),
    **LIAR,
)
LIAR2 = theorem(
    "LIAR2: the same of Krum where M >= 5",
    quantity <= rate,
    given=[*TRUTH, M >= 5],
    algorithm=Algorithm("Krum, one liar", attacked(krum)),
    **LIAR,
)
LIAR_MEAN = theorem(
    "LIAR-mean: false of the mean, however many tell the truth: |x_R - x*|² <= 10 D²",
    quantity <= 10 * D**2,
    given=[*TRUTH, M >= 3],
    algorithm=Algorithm("mean, one liar", attacked(mean)),
    cases=[Case(QuadraticClients((1,) * 3, (0,) * 3, 1), n_rounds=9, step_size=1, lie=10)],
    recorded="violated",
    **LIAR,
)
CLAIMS = (CLIP1, CLIP1_BIAS, MEAN, MEAN_MEDIAN, MEAN_KRUM, LIAR1, LIAR2, LIAR_MEAN)
