"""Theorem 3.5 as printed, at steps of at most 1/T: a Chebyshev inequality in each round and the union of the rounds.

gamma_t may be the measured one: it is known before the draws of its round. ``ratio(t)`` is the noise of round t in units of
gamma_t; where gamma_t is 0 there is no noise, and the ratio may be 0.
"""

from __future__ import annotations

from sympy import exp, sqrt

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.letters import OPT, K, N, T, delta, eta, m_F, r
from fltheory.proof.language import Apply, Combine, Expected, Given, Monotone, Step, Summed, Theorem, eq, le, stated
from fltheory.proof.terms import E, Indicator, RandomScalar, Total, family
from proofs_checks.fedcg import facts, tails
from proofs_checks.fedcg import lemmas as one
from proofs_checks.fedcg.lemmas import LAW, i, p
from proofs_checks.fedcg.partial import (
    IDS,
    LETTERS,
    PATH,
    READING,
    RUN,
    SHARE,
    SUM_NOISE,
    WEIGHTS,
    V,
    holds,
    largest,
    likely,
    mean_gamma,
    noise,
    share,
)
from proofs_checks.fedcg.theorem32 import FACTOR, ROUNDS, each_round, left, t

ratio = family(RandomScalar, "ratio")
LARGEST = each_round(one.LARGEST, letters=LETTERS)
RATIO = Given("ratio", eq(noise(t), largest(t) * ratio(t), ROUNDS), "the noise in units of gamma_t")
MOMENT = Given(
    "moment",
    le(E(ratio(t) ** 2), 36 * r**2 / K, ROUNDS),
    "Lemma 3.4 given the past (fedcg/variance-bound and fedcg/L3.4), divided by gamma_t^2",
    True,
)
D = Total(largest(t), t, 0, T - 1)
LEFT_GAMMA = left(mean_gamma)
WEAKENED = (
    *WEIGHTS,
    Step("heavy", le(share(t), 1, ROUNDS), Combine({"share": 1, "weight": 1}), ("share", "weight")),
    Step("clients", le(mean_gamma(t), Total(p(i) * largest(t), i, 1, N), ROUNDS), Summed((i,), p(i)), ("largest",)),
    Step(
        "mean gamma",
        le(share(t) * mean_gamma(t), largest(t), ROUNDS),
        Combine({"clients": share(t), "law": share(t) * largest(t), "heavy": largest(t)}),
        ("clients", "law", "heavy"),
    ),
    Step("gammas", le(Total(share(t) * mean_gamma(t), t, 0, T - 1), D), Summed((t,)), ("mean gamma",)),
    Step(
        "named", eq(Total(share(t) * mean_gamma(t), t, 0, T - 1), LEFT_GAMMA), Summed((t,), mean_gamma(t)), ("share",)
    ),
    Step("bernoulli", le(1 - T * eta, FACTOR**T), Apply("fedcg/bernoulli", {facts.q: FACTOR}), ("low", "factor")),
)
_C = 6 * r / sqrt(K * delta / T)
_PAID = Total(eta * share(t) * largest(t) * (_C + ratio(t)), t, 0, T - 1)
_SQUARES = Total(ratio(t) ** 2, t, 0, T - 1)
_EVENT = Indicator(holds(bounds.T35))
_T35 = likely(bounds.T35)
T35 = Theorem(
    "fedcg/T3.5@corrected",
    _T35,
    (LAW, *RUN, *LARGEST, RATIO, MOMENT, SHARE),
    (
        Step("run", PATH.statement, Apply("fedcg/run"), IDS),
        *WEAKENED,
        Step(
            "noises",
            eq(Total(share(t) * largest(t) * ratio(t), t, 0, T - 1), Total(share(t) * noise(t), t, 0, T - 1)),
            Summed((t,), -share(t)),
            ("ratio",),
        ),
        Step("parts", eq(Total(share(t) * noise(t), t, 0, T - 1), SUM_NOISE), Summed((t,), noise(t)), ("share",)),
        Step("each", le(share(t) * largest(t), largest(t), ROUNDS), Combine({"heavy": largest(t)}), ("heavy",)),
        Step("shares", le(Total(share(t) * largest(t), t, 0, T - 1), D), Summed((t,)), ("each",)),
        Step(
            "inside",
            le(_PAID, holds(bounds.T35)),
            Combine(
                {
                    "run": 1,
                    "gammas": eta * r,
                    "named": -eta * r,
                    "bernoulli": eta * r**2 * m_F / 2,
                    "shares": eta * _C,
                    "noises": eta,
                    "parts": eta,
                }
            ),
            ("run", "gammas", "named", "bernoulli", "shares", "noises", "parts"),
        ),
        Step("event", le(Indicator(_PAID), _EVENT), Monotone(), ("inside",)),
        Step(
            "tail",
            le(1 - _SQUARES / _C**2, Indicator(_PAID)),
            Apply("fedcg/union", {tails.y(t): ratio(t), tails.w(t): eta * share(t) * largest(t), tails.c: _C}),
        ),
        Step("outcome", le(1 - _SQUARES / _C**2, _EVENT), Combine(), ("tail", "event")),
        Step("in the mean", le(E(1 - _SQUARES / _C**2), E(_EVENT)), Expected(), ("outcome",)),
        Step("sum", le(Total(E(ratio(t) ** 2), t, 0, T - 1), 36 * r**2 * T / K), Summed((t,)), ("moment",)),
        Step("1", _T35, Combine({"in the mean": 1, "sum": 1 / _C**2}), ("in the mean", "sum")),
    ),
    claim="fedcg/T3.5@corrected",
    place="Theorem 3.5",
    note="in probability, with the measured gamma, for steps of at most 1/T",
)
_ONE_OVER = {eta: 1 / T}
_AT = tuple(Given(h.id, h.relation.at(_ONE_OVER), h.why, h.supposed) for h in T35.hypotheses)
_TUNED = stated(bounds.T35_TUNED, (1 - exp(-1)) * OPT - V(T, 0), {**READING, **_ONE_OVER})[0].gap
_GENERAL = holds(bounds.T35).xreplace(_ONE_OVER)
_T35_TUNED = le(1 - delta, E(Indicator(_TUNED)))
T35_TUNED = Theorem(
    "fedcg/T3.5-tuned",
    _T35_TUNED,
    _AT,
    (
        Step("general", _T35.at(_ONE_OVER), Apply("fedcg/T3.5@corrected", _ONE_OVER), tuple(h.id for h in _AT)),
        Step("P8", facts.P8.statement, Apply("fedcg/P8")),
        Step("less", le(_GENERAL, _TUNED), Combine({"P8": OPT}), ("P8",)),
        Step("event", le(Indicator(_GENERAL), Indicator(_TUNED)), Monotone(), ("less",)),
        Step("in the mean", le(E(Indicator(_GENERAL)), E(Indicator(_TUNED))), Expected(), ("event",)),
        Step("1", _T35_TUNED, Combine(), ("general", "in the mean")),
    ),
    claim="fedcg/T3.5-tuned@corrected",
    place="Theorem 3.5",
    note="at the step 1/T",
)

THEOREMS = (T35, T35_TUNED)
