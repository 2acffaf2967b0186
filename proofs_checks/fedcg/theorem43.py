"""Theorem 4.3 and S5: FedCG+ over any number of rounds, each with the local steps of ``fedcg_local``.

The letters are those of Theorem 3.5; T counts the rounds, R = T/tau in the paper. Estimates are off by at most sigma here; where
that holds with probability 1 - delta_est only, the statements hold with probability 1 - delta - delta_est.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, sqrt

from fltheory.bound import Bound
from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.letters import OPT, B, K, N, Q, T, delta, deviations, eta, m_F, n, r, sigma, weighted
from fltheory.papers.fedcg.letters import D as dissimilarity_sum
from fltheory.papers.fedcg.letters import drift as weighted_drift
from fltheory.proof.language import (
    Apply,
    Combine,
    Expected,
    Given,
    Monotone,
    Relation,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.rules.apply import read
from fltheory.proof.terms import E, Indicator, Nonnegative, RandomNonnegative, RandomScalar, Total, family
from proofs_checks.fedcg import facts, partial, tails
from proofs_checks.fedcg import lemmas as one
from proofs_checks.fedcg import local as local_round
from proofs_checks.fedcg.lemmas import LAW, e, i, p
from proofs_checks.fedcg.local import c
from proofs_checks.fedcg.partial import (
    GAINED,
    LETTERS,
    PAIRS,
    PARTS,
    SHARE,
    SUM_NOISE,
    G,
    V,
    direction,
    largest,
    mean_gamma,
    noise,
    share,
    v,
)
from proofs_checks.fedcg.theorem32 import FACTOR, FACTOR_SIGN, ROUNDS, SHORT, each_round, left, t
from proofs_checks.fedcg.theorem35 import WEAKENED

near, found = family(RandomScalar, "near"), family(RandomScalar, "found")
step, local, drift, lipschitz = (family(RandomNonnegative, name) for name in ("step", "local", "drift", "L"))
LOCAL_LETTERS = {
    **LETTERS,
    B: drift(t),
    local_round.near(i, c, e): near(t, i, c, e),
    local_round.found(i, c, e): found(t, i, c, e),
    local_round.step(i, c, e): step(t, i, c, e),
    local_round.local(i, e): local(t, i, e),
    local_round.other(i, e): v(t, i, e),
}
AS_BASES = {**LETTERS, one.v(i, e): local(t, i, e)}


def claim(relation: Relation, letters: Any, *inner: Any) -> Relation:
    """What a theorem of one round says of every round, and of every client."""
    now = read(relation, list(letters.items()))
    return Relation(now.left, now.op, now.right, (ROUNDS, *inner, *now.over))


_ALONG = Total(Total(p(i) * local(t, i, e), i, 1, N) * G(t, e, 0), e, 1, n)
_RISE = Total(direction(t, e) * G(t, e, 0), e, 1, n)
_LOCAL = tuple(h for h in local_round.LOCAL if h.id != "feasible")
RUN = (
    *each_round(*one.ROUND, one.RANK, one.NEAR, letters=LETTERS),
    *(
        Given(f"local {h.id}", h.relation, h.why)
        for h in each_round(*_LOCAL, letters=LOCAL_LETTERS, inner=(one.CLIENTS,))
    ),
    *each_round(local_round.LOCAL_RANK, letters=LOCAL_LETTERS),
    Given("noise", eq(noise(t), _RISE - _ALONG, ROUNDS), "what the draws make of the mean of the local directions"),
    Given("next", eq(V(t, n), V(t + 1, 0), ROUNDS), "the next iterate is the end of the step"),
    Given("first", eq(V(0, 0), 0), "the first iterate is 0, and f(0) = 0"),
    *SHORT,
)
IDS = tuple(h.id for h in RUN)
LOCAL_IDS = tuple(f"local {h.id}" for h in _LOCAL)


def allowed(now: Any) -> Expr:
    """What estimates and local steps cost in a round."""
    return 2 * r * sigma + r * drift(now)


def _added(now: Any) -> Expr:
    return eta * (r * mean_gamma(now) + allowed(now) - noise(now)) + eta**2 * m_F * r**2 / 2


SIGMA = 2 * r * sigma * (1 - FACTOR**T)
CURVED = eta * r**2 * m_F * (1 - FACTOR**T) / 2
_PATH = le(GAINED - V(T, 0), eta * r * left(mean_gamma) + eta * r * left(drift) + SIGMA + CURVED - eta * SUM_NOISE)
PATH = Theorem(
    "fedcg/run-plus",
    _PATH,
    (LAW, *RUN),
    (
        Step("round", claim(one.one_round(r**2), LETTERS), Apply("fedcg/round", LETTERS), one.ROUND_IDS),
        Step(
            "client",
            claim(local_round.S5B.statement, LOCAL_LETTERS, one.CLIENTS),
            Apply("fedcg/S5b", LOCAL_LETTERS),
            (*LOCAL_IDS, "rank"),
        ),
        Step(
            "clients",
            le(
                Total(p(i) * (Total(v(t, i, e) * partial.g(t, i, e), e, 1, n) - allowed(t)), i, 1, N),
                Total(p(i) * Total(local(t, i, e) * partial.g(t, i, e), e, 1, n), i, 1, N),
                ROUNDS,
            ),
            Summed((i,), p(i)),
            ("client",),
        ),
        Step(
            "along", claim(one.S1A.statement, AS_BASES), Apply("fedcg/A.3@sharpened", AS_BASES), ("local rank", "near")
        ),
        Step(
            "each",
            le(OPT - V(t + 1, 0), FACTOR * (OPT - V(t, 0)) + _added(t), ROUNDS),
            Combine({"round": 1, "clients": eta, "along": eta, "next": 1, "noise": eta, "law": eta * allowed(t)}),
            ("round", "clients", "along", "next", "noise", "law"),
        ),
        FACTOR_SIGN,
        Step(
            "all",
            le(OPT - V(T, 0), FACTOR**T * (OPT - V(0, 0)) + left(_added)),
            Apply("fedcg/recursion", {facts.a(t): OPT - V(t, 0), facts.b(t): _added(t), facts.q: FACTOR}),
            ("each", "factor"),
        ),
        Step(
            "geometric",
            eq(eta * left(lambda now: Integer(1)), 1 - FACTOR**T),
            Apply("fedcg/geometric-left", {facts.q: FACTOR}),
            ("factor",),
        ),
        Step(
            "1",
            _PATH,
            Combine({"all": 1, "first": -(FACTOR**T), "geometric": eta * r**2 * m_F / 2 + 2 * r * sigma}),
            ("all", "first", "geometric"),
        ),
    ),
    place="Theorem 4.3",
    note="for every outcome of the draws and of the local samples",
)

# S5 ------------------------------------------------------------------------------------------------------------------

deviation = family(Nonnegative, "deviation")
DEVIATIONS = Total(deviation(t) ** 2, t, 0, T - 1)
SQUARES = partial.SQUARES
ABOVE = Given("ceilings", le(DEVIATIONS, SQUARES), "the sum of the squares of upper bounds, or any larger number")
VARIANCE = Given(
    "variance",
    le(E(noise(t) ** 2), deviation(t) ** 2 / K, ROUNDS),
    "S5a, fedcg/L4.2@sharpened: deviation is at least r gamma + r sigma + r B/2",
    True,
)
D = Total(largest(t), t, 0, T - 1)
READING = {
    weighted: left(mean_gamma),
    weighted_drift: left(drift),
    deviations: SQUARES,
    dissimilarity_sum: D,
    Q: Total(lipschitz(t), t, 0, T - 1),
}


def holds(bound: Bound) -> Expr:
    """The event that the bound holds, as a number that is then not negative."""
    return stated(bound, GAINED - V(T, 0), READING)[0].gap


_C = sqrt(SQUARES / (K * delta))
_S5 = le(1 - delta, E(Indicator(holds(bounds.S5))))
S5 = Theorem(
    "fedcg/S5",
    _S5,
    (LAW, *RUN, PAIRS, VARIANCE, ABOVE, SHARE),
    (
        *partial.event(_C, bounds.S5, Step("run", _PATH, Apply("fedcg/run-plus"), ("law", *IDS)), holds),
        Step(
            "wide",
            le(Total(deviation(t) ** 2 / K, t, 0, T - 1), delta * _C**2),
            Combine({"ceilings": 1 / K}),
            ("ceilings",),
        ),
        Step(
            "tail",
            le(1 - delta, E(Indicator(eta * (_C + PARTS)))),
            Apply("fedcg/martingale", {partial.variance(t): deviation(t) ** 2 / K, partial.width: _C}),
            ("c1", "pairs", "share", "variance", "wide"),
        ),
        Step("1", _S5, Combine(), ("tail", "probability")),
    ),
    claim="fedcg/S5-clip@sharpened",
    place="Theorem 4.3",
    note="points in the cube, errors of at most sigma in every item",
)

# The first display ------------------------------------------------------------------------------------------------------

ratio = family(RandomScalar, "ratio")
HALF = Rational(3, 2)
LARGEST = each_round(one.LARGEST, letters=LETTERS)
LIPSCHITZ = Given(
    "lipschitz",
    le(drift(t), lipschitz(t) * sqrt(r), ROUNDS),
    "fedcg/58-60: no coordinate changes by more than the length does",
    supposed=True,
)


def unit(now: Any) -> Expr:
    """The deviation of Lemma 4.2 as printed."""
    return 6 * r * largest(now) + 2 * (r * sigma + r**HALF * lipschitz(now))


RATIO = Given(
    "ratio", eq(noise(t), unit(t) * ratio(t), ROUNDS), "the noise in units of the printed deviation, 0 where that is 0"
)
MOMENT = Given(
    "moment",
    le(E(ratio(t) ** 2), 1 / K, ROUNDS),
    "Lemma 4.2 given the past, divided by the square of that deviation",
    supposed=True,
)
_W = 1 / sqrt(K * delta / T)
_PAID = Total(eta * share(t) * unit(t) * (_W + ratio(t)), t, 0, T - 1)
_RATIOS = Total(ratio(t) ** 2, t, 0, T - 1)
_T43 = le(1 - delta, E(Indicator(holds(bounds.T43))))
_L_SUM = Total(lipschitz(t), t, 0, T - 1)
_DISPLAY = (
    *WEAKENED,
    Step(
        "drifts",
        le(Total(share(t) * drift(t), t, 0, T - 1), Total(share(t) * lipschitz(t) * sqrt(r), t, 0, T - 1)),
        Summed((t,), share(t)),
        ("lipschitz",),
    ),
    Step("heavy L", le(share(t) * lipschitz(t), lipschitz(t), ROUNDS), Combine({"heavy": lipschitz(t)}), ("heavy",)),
    Step("Ls", le(Total(share(t) * lipschitz(t), t, 0, T - 1), _L_SUM), Summed((t,)), ("heavy L",)),
    Step("named drifts", eq(Total(share(t) * drift(t), t, 0, T - 1), left(drift)), Summed((t,), drift(t)), ("share",)),
    Step("L", le(0, lipschitz(t), ROUNDS), Combine()),
    Step("Q", le(0, _L_SUM), Summed((t,)), ("L",)),
)
T43 = Theorem(
    "fedcg/T4.3",
    _T43,
    (LAW, *RUN, *LARGEST, LIPSCHITZ, RATIO, MOMENT, SHARE),
    (
        Step("run", _PATH, Apply("fedcg/run-plus"), ("law", *IDS)),
        *_DISPLAY,
        Step(
            "noises",
            eq(Total(share(t) * unit(t) * ratio(t), t, 0, T - 1), Total(share(t) * noise(t), t, 0, T - 1)),
            Summed((t,), -share(t)),
            ("ratio",),
        ),
        Step("parts", eq(Total(share(t) * noise(t), t, 0, T - 1), SUM_NOISE), Summed((t,), noise(t)), ("share",)),
        Step("unit", le(share(t) * unit(t), unit(t), ROUNDS), Combine({"heavy": unit(t)}), ("heavy",)),
        Step("units", le(Total(share(t) * unit(t), t, 0, T - 1), Total(unit(t), t, 0, T - 1)), Summed((t,)), ("unit",)),
        Step(
            "inside",
            le(_PAID, holds(bounds.T43)),
            Combine(
                {
                    "run": 1,
                    "gammas": eta * r,
                    "named": -eta * r,
                    "bernoulli": eta * r**2 * m_F / 2 + 2 * r * sigma,
                    "drifts": eta * r,
                    "named drifts": -eta * r,
                    "Ls": eta * r**HALF,
                    "Q": eta * r**HALF,
                    "units": eta * _W,
                    "noises": eta,
                    "parts": eta,
                    "c1": 2 * r * sigma * (1 + _W),
                }
            ),
            (
                "run",
                "gammas",
                "named",
                "bernoulli",
                "drifts",
                "named drifts",
                "Ls",
                "Q",
                "units",
                "noises",
                "parts",
                "c1",
            ),
        ),
        Step("event", le(Indicator(_PAID), Indicator(holds(bounds.T43))), Monotone(), ("inside",)),
        Step(
            "tail",
            le(1 - _RATIOS / _W**2, Indicator(_PAID)),
            Apply("fedcg/union", {tails.y(t): ratio(t), tails.w(t): eta * share(t) * unit(t), tails.c: _W}),
        ),
        Step("outcome", le(1 - _RATIOS / _W**2, Indicator(holds(bounds.T43))), Combine(), ("tail", "event")),
        Step("in the mean", le(E(1 - _RATIOS / _W**2), E(Indicator(holds(bounds.T43)))), Expected(), ("outcome",)),
        Step("sum", le(Total(E(ratio(t) ** 2), t, 0, T - 1), T / K), Summed((t,)), ("moment",)),
        Step("1", _T43, Combine({"in the mean": 1, "sum": 1 / _W**2}), ("in the mean", "sum")),
    ),
    claim="fedcg/T4.3@printed",
    place="Theorem 4.3",
    note="the first display, with measured gamma and L: Lemma 4.2 is true, though its proof is not",
)

THEOREMS = (PATH, S5, T43)
