"""Theorem 3.5 as printed, at steps of at most 1/T: a Chebyshev inequality in each round and the union of the rounds.

gamma_t may be the measured one: it is known before the draws of its round. ``ratio(t)`` is the noise of round t in units of
gamma_t; if gamma_t is 0 there is no noise, and the ratio may be 0.
"""

from __future__ import annotations

from sympy import exp, sqrt

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.facts import algebra, tails
from fltheory.papers.fedcg.guarantees.proofs.partial import (LETTERS, PATH, READING, RUN, SHARE, WEIGHTS, V, holds,
    largest, likely, mean_gamma, noise, share)
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import FACTOR, ROUNDS, each_round, left, t
from fltheory.papers.fedcg.notation import OPT, K, N, T, delta, eta, r
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs.lemmas import LAW, i, p
from fltheory.proof import Given, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import E, Indicator, RandomScalar, Total, family

ratio = family(RandomScalar, "ratio")
LARGEST = each_round(one.LARGEST, reading=LETTERS)
RATIO = Given("ratio", eq(noise(t), largest(t) * ratio(t), ROUNDS), "the noise in units of gamma_t")
MOMENT = Given("moment", le(E(ratio(t) ** 2), 36 * r**2 / K, ROUNDS),
    "Lemma 3.4 given the past (fedcg/variance-bound and fedcg/L3.4), divided by gamma_t^2", True)
D = Total(largest(t), t, 0, T - 1)
WEAKENED = (
    *WEIGHTS,
    line("heavy", le(share(t), 1, ROUNDS), by.linear("share", "weight")),
    line("clients", le(mean_gamma(t), Total(p(i) * largest(t), i, 1, N), ROUNDS),
        by.sum_over(i, "largest", weight=p(i))),
    line("mean gamma", le(share(t) * mean_gamma(t), largest(t), ROUNDS), by.linear("clients", "law", "heavy")),
    line("gammas", le(Total(share(t) * mean_gamma(t), t, 0, T - 1), D), by.sum_over(t, "mean gamma")),
    line("named", eq(Total(share(t) * mean_gamma(t), t, 0, T - 1), left(mean_gamma)),
        by.sum_over(t, "share", weight=mean_gamma(t))),
    line("bernoulli", le(1 - T * eta, FACTOR**T), by.apply(algebra.BERNOULLI, {algebra.q: FACTOR}, "low", "factor")),
)
_C = 6 * r / sqrt(K * delta / T)
_PAID = Total(eta * share(t) * largest(t) * (_C + ratio(t)), t, 0, T - 1)
_SQUARES = Total(ratio(t) ** 2, t, 0, T - 1)
T35 = (
    proof("fedcg/T3.5@corrected", "Theorem 3.5",
        note="in probability, with the measured gamma, for steps of at most 1/T")
    .under(LAW, *RUN, *LARGEST, RATIO, MOMENT, SHARE)
    .step("run", by.apply(PATH))
    .steps(*WEAKENED)
    .step("noises", eq(Total(share(t) * largest(t) * ratio(t), t, 0, T - 1), Total(share(t) * noise(t), t, 0, T - 1)),
        by.sum_over(t, "ratio", weight=-share(t)))
    .step("parts", by.sum_over(t, "share", weight=noise(t)))
    .step("each", le(share(t) * largest(t), largest(t), ROUNDS), by.linear("heavy"))
    .step("shares", by.sum_over(t, "each"))
    .step("inside", le(_PAID, holds(bounds.T35)),
        by.linear("run", "gammas", "named", "bernoulli", "shares", "noises", "parts"))
    .step("event", by.monotone("inside"))
    .step("tail", le(1 - _SQUARES / _C**2, Indicator(_PAID)),
        by.apply(tails.UNION, {tails.y(t): ratio(t), tails.w(t): eta * share(t) * largest(t), tails.c: _C}))
    .step("outcome", le(1 - _SQUARES / _C**2, Indicator(holds(bounds.T35))), by.linear("tail", "event"))
    .step("in the mean", by.expectation("outcome"))
    .step("sum", le(Total(E(ratio(t) ** 2), t, 0, T - 1), 36 * r**2 * T / K), by.sum_over(t, "moment"))
    .qed(likely(bounds.T35), by.linear("in the mean", "sum"))
)
_ONE_OVER = {eta: 1 / T}
_AT = tuple(Given(h.id, h.relation.at(_ONE_OVER), h.why, h.supposed) for h in T35.hypotheses)
_TUNED = statement_of(bounds.T35_TUNED, (1 - exp(-1)) * OPT - V(T, 0), {**READING, **_ONE_OVER})[0].gap
T35_TUNED = (
    proof("fedcg/T3.5-tuned", "Theorem 3.5", note="at the step 1/T").under(*_AT)
    .step("general", by.apply(T35, _ONE_OVER))
    .step("P8", by.apply(algebra.P8))
    .step("less", le(holds(bounds.T35).xreplace(_ONE_OVER), _TUNED), by.linear("P8"))
    .step("event", by.monotone("less"))
    .step("in the mean", by.expectation("event"))
    .qed(le(1 - delta, E(Indicator(_TUNED))), by.linear("general", "in the mean"))
)

THEOREMS = (T35, T35_TUNED)
