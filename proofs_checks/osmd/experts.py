"""Experts with different rates, weighted by their estimated losses: both steps of the proof of Theorem 8, at any rates.

Expert i plays exp(logpe(i, t, m)) and has the weight exp(logw(i, t)); the sampler plays their mixture exp(logp(t, m)).
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Max, Symbol, exp

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.letters import A, K, M, T, alpha, eta, gamma, n_experts
from fltheory.proof.language import (
    Apply,
    Combine,
    Expected,
    Given,
    Induction,
    Instance,
    Power,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.terms import E, Positive, RandomScalar, Scalar, Total, family
from proofs_checks.osmd import paths
from proofs_checks.osmd.lemmas import EACH, FLOOR, P, Q, j, k, lo, m, u, w, whole, x
from proofs_checks.osmd.lemmas import logp as p1
from proofs_checks.osmd.paths import ROUNDS, SO_FAR, excess, floors, from_uniform, n, path_bound, sums, t, total_move
from proofs_checks.osmd.regret import BANDIT, REGRET, both, count, feedback, logP, logQ, unbiased

PLACE = "proof of Theorem 8"
i, e = (Symbol(name, integer=True, positive=True) for name in "ie")
ALL_EXPERTS = (i, 1, n_experts)
logpe, logw, z, shift = (family(RandomScalar, name) for name in ("logpe", "logw", "z", "c"))
rate = family(Positive, "rate")
R = bounds.R
SLOPE = bounds.Q


def experts(term: Any) -> Expr:
    """The sum over the experts of a term in the index i."""
    return Total(term, i, 1, n_experts)


def weight(now: Any, client: Any) -> Expr:
    """The weight of a client in the estimated losses (6)."""
    return feedback(now, client) * count(now, client) * exp(-logP(now, client)) / K**2


def loss_of(expert: Any, now: Any) -> Expr:
    """The estimated loss of an expert in a round."""
    return whole(weight(now, j) * exp(-logpe(expert, now, j)))


def played(now: Any) -> Expr:
    """The estimated loss of what is played."""
    return whole(weight(now, j) * exp(-logP(now, j)))


_gain = rate(i) * weight(t, m) * exp(-2 * logpe(i, t, m))
_after = Max(FLOOR, exp(shift(i, t) + logpe(i, t, m) + _gain))
START = Given(
    "start", eq(exp(logpe(i, 1, m)), 1 / M, ALL_EXPERTS, EACH), "every expert begins with the uniform distribution"
)
NEXT = Given("next", eq(exp(logpe(i, t + 1, m)), _after, ROUNDS, ALL_EXPERTS, EACH), "Algorithm 2 at the expert's rate")
SUM_E = Given("sum e", eq(whole(exp(logpe(i, t, j))), 1, (t, 1, T + 1), ALL_EXPERTS), "probabilities")
MIXTURE = Given(
    "mixture",
    eq(exp(logP(t, m)), experts(exp(logw(i, t)) * exp(logpe(i, t, m))), ROUNDS, EACH),
    "the mixture is played",
)
WEIGHTS = Given("weights", eq(experts(exp(logw(i, t))), 1, (t, 1, T + 1)), "the weights add up to 1")
REWEIGHTED = Given(
    "reweighted",
    eq(exp(logw(i, t + 1)), exp(logw(i, t) - gamma * loss_of(i, t) - z(t)), ROUNDS, ALL_EXPERTS),
    "exponential weights, and e^z(t) the sum that they are divided by",
)
DRAWS = Given("draws", eq(whole(count(t, j)), K, ROUNDS), "K clients are drawn, with replacement")
FED = Given("fed", le(feedback(t, m), A, ROUNDS, EACH), "A5: no feedback is above A")
COUNTS = next(h for h in BANDIT if h.id == "counts")
ONE = Given("expert", le(e, n_experts), "one of the experts")
_FLOORED = le(FLOOR, exp(logpe(i, t, m)), (t, 1, T + 1), ALL_EXPERTS, EACH)
FLOORED = Given("floor e", _FLOORED, "experts stay on the floored simplex")

STAYS = Theorem(
    "osmd/experts-stay",
    _FLOORED,
    (START, NEXT, Given("alpha", le(alpha, 1), "a share")),
    (
        Step(
            "0",
            le(FLOOR, exp(logpe(i, 1, m)), ALL_EXPERTS, EACH),
            Combine({"start": -1, "alpha": 1 / M}),
            ("start", "alpha"),
        ),
        Step(
            "top",
            le(FLOOR, _after, ROUNDS, ALL_EXPERTS, EACH),
            Apply("osmd/max", {P: shift(i, t) + logpe(i, t, m) + _gain}),
        ),
        Step(
            "1",
            le(FLOOR, exp(logpe(i, t + 1, m)), ROUNDS, ALL_EXPERTS, EACH),
            Combine({"top": 1, "next": -1}),
            ("top", "next"),
        ),
        Step("2", _FLOORED, Induction(t), ("0", "1")),
    ),
    place=PLACE,
)

pair = family(Scalar, "s")
_SWAP = eq(experts(whole(pair(i, j))), whole(experts(pair(i, j))))
SWAP = Theorem("osmd/swap", _SWAP, (), (Step("1", _SWAP, Combine()),), place=PLACE, note="finite sums commute")

# What is played stays there too, and bounds the slopes and the range of the losses ---------------------------------------

_inverse = {"p": exp(-logP(t, m)), "e": exp(-logpe(i, t, m))}
BOUNDS = (
    Step(
        "mass",
        le(experts(exp(logw(i, t)) * FLOOR), experts(exp(logw(i, t)) * exp(logpe(i, t, m))), ROUNDS, EACH),
        Summed((i,), exp(logw(i, t))),
        ("floor e now",),
    ),
    Step(
        "floor p",
        le(FLOOR, exp(logP(t, m)), ROUNDS, EACH),
        Combine({"mass": 1, "weights": -FLOOR, "mixture": -1}),
        ("mass", "weights", "mixture"),
    ),
    Step(
        "inverse p",
        le(exp(-logP(t, m)), M / alpha, ROUNDS, EACH),
        Combine({"floor p": exp(-logP(t, m)) * M / alpha}),
        ("floor p",),
    ),
    Step(
        "inverse e",
        le(exp(-logpe(i, t, m)), M / alpha, ROUNDS, ALL_EXPERTS, EACH),
        Combine({"floor e now": exp(-logpe(i, t, m)) * M / alpha}),
        ("floor e now",),
    ),
)
_NOW = Step(
    "floor e now", le(FLOOR, exp(logpe(i, t, m)), ROUNDS, ALL_EXPERTS, EACH), Combine({"floor e": 1}), ("floor e",)
)

# The second step: exponential weights ------------------------------------------------------------------------------------

_average = experts(exp(logw(i, t)) * loss_of(i, t))
_term = weight(t, j) * exp(-logpe(i, t, j))
_swapped = whole(weight(t, j) * experts(exp(logw(i, t)) * exp(-logpe(i, t, j))))
_EXPONENT = -gamma * _average + (gamma * R) ** 2 / 8
_mgf = experts(exp(logw(i, t)) * exp(-gamma * loss_of(i, t)))
_range = (
    Step(
        "piece",
        le(weight(t, m) * exp(-logpe(i, t, m)), A * (M / alpha) ** 2 * count(t, m) / K**2, ROUNDS, ALL_EXPERTS, EACH),
        Combine(
            {
                "fed": count(t, m) * exp(-logP(t, m)) * exp(-logpe(i, t, m)) / K**2,
                "inverse p": A * count(t, m) * exp(-logpe(i, t, m)) / K**2,
                "inverse e": A * count(t, m) * M / (alpha * K**2),
            }
        ),
        ("fed", "inverse p", "inverse e"),
    ),
    Step(
        "pieces",
        le(loss_of(i, t), A * (M / alpha) ** 2 * whole(count(t, j)) / K**2, ROUNDS, ALL_EXPERTS),
        Summed((m,)),
        ("piece",),
    ),
    Step(
        "high",
        le(loss_of(i, t), R, ROUNDS, ALL_EXPERTS),
        Combine({"pieces": 1, "draws": A * (M / alpha) ** 2 / K**2}),
        ("pieces", "draws"),
        note="the range of the estimated losses",
    ),
    Step("sign", le(0, weight(t, m) * exp(-logpe(i, t, m)), ROUNDS, ALL_EXPERTS, EACH), Combine()),
    Step("low", le(0, loss_of(i, t), ROUNDS, ALL_EXPERTS), Summed((m,)), ("sign",)),
    Step(
        "below",
        le(-gamma * R, -gamma * loss_of(m, t), ROUNDS, (m, 1, n_experts)),
        Combine({"high m": gamma}),
        ("high m",),
    ),
    Step("above", le(-gamma * loss_of(m, t), 0, ROUNDS, (m, 1, n_experts)), Combine({"low m": gamma}), ("low m",)),
)
_RANGE = (
    *_range[:5],
    Step("high m", le(loss_of(m, t), R, ROUNDS, (m, 1, n_experts)), Instance({i: m}), ("high",)),
    Step("low m", le(0, loss_of(m, t), ROUNDS, (m, 1, n_experts)), Instance({i: m}), ("low",)),
    *_range[5:],
)


def so_far(last: Any, *over: Any) -> Any:
    """What is lost to expert e up to a round, by the weights."""
    left = gamma * Total(played(t), t, 1, last)
    right = gamma * Total(loss_of(e, t), t, 1, last) + logw(e, last + 1) - logw(e, 1) + last * (gamma * R) ** 2 / 8
    return le(left, right, *over)


def one_round(expert: Any, now: Any, *over: Any) -> Any:
    """What is lost to an expert in a round."""
    right = gamma * loss_of(expert, now) + logw(expert, now + 1) - logw(expert, now) + (gamma * R) ** 2 / 8
    return le(gamma * played(now), right, *over)


_META = le(Total(played(t), t, 1, n) - Total(loss_of(e, t), t, 1, n), n * gamma * R**2 / 8 - logw(e, 1) / gamma, SO_FAR)
META = Theorem(
    "osmd/60",
    _META,
    (MIXTURE, WEIGHTS, REWEIGHTED, DRAWS, FED, FLOORED, ONE),
    (
        _NOW,
        *BOUNDS,
        *_RANGE,
        Step("mixed", eq(Total(exp(logw(j, t)), j, 1, n_experts), 1, ROUNDS), Combine({"weights": 1}), ("weights",)),
        Step(
            "hoeffding",
            le(_mgf, exp(_EXPONENT), ROUNDS),
            Apply(
                "osmd/L18",
                {M: n_experts, w(m): exp(logw(m, t)), u(m): -gamma * loss_of(m, t), lo: -gamma * R, x: gamma * R},
            ),
            ("mixed", "below", "above"),
            note="Hoeffding's lemma with the range R: gamma^2 R^2/8",
        ),
        Step(
            "product",
            eq(exp(logw(i, t + 1)), exp(logw(i, t)) * exp(-gamma * loss_of(i, t)) * exp(-z(t)), ROUNDS, ALL_EXPERTS),
            Combine({"reweighted": 1}),
            ("reweighted",),
        ),
        Step("sum", eq(experts(exp(logw(i, t + 1))), _mgf * exp(-z(t)), ROUNDS), Summed((i,)), ("product",)),
        Step("then", eq(experts(exp(logw(i, t + 1))), 1, ROUNDS), Instance({t: t + 1}), ("weights",)),
        Step(
            "normaliser",
            le(exp(z(t)), exp(_EXPONENT), ROUNDS),
            Combine({"hoeffding": 1, "sum": exp(z(t)), "then": -exp(z(t))}),
            ("hoeffding", "sum", "then"),
        ),
        Step("z", le(z(t), _EXPONENT, ROUNDS), Apply("osmd/log", {P: z(t), Q: _EXPONENT}), ("normaliser",)),
        Step(
            "logs",
            eq(logw(i, t + 1), logw(i, t) - gamma * loss_of(i, t) - z(t), ROUNDS, ALL_EXPERTS),
            Apply("osmd/log-equal", {P: logw(i, t + 1), Q: logw(i, t) - gamma * loss_of(i, t) - z(t)}),
            ("reweighted",),
        ),
        Step(
            "convex",
            le(
                0,
                exp(-2 * logP(t, m)) * exp(logpe(i, t, m)) - 2 * exp(-logP(t, m)) + exp(-logpe(i, t, m)),
                ROUNDS,
                ALL_EXPERTS,
                EACH,
            ),
            Apply("osmd/convex", {paths.a: exp(-logP(t, m)), paths.b: exp(-logpe(i, t, m))}),
        ),
        Step(
            "convexity",
            le(
                0,
                experts(
                    exp(logw(i, t))
                    * (exp(-2 * logP(t, m)) * exp(logpe(i, t, m)) - 2 * exp(-logP(t, m)) + exp(-logpe(i, t, m)))
                ),
                ROUNDS,
                EACH,
            ),
            Summed((i,), exp(logw(i, t))),
            ("convex",),
        ),
        Step(
            "jensen",
            le(exp(-logP(t, m)), experts(exp(logw(i, t)) * exp(-logpe(i, t, m))), ROUNDS, EACH),
            Combine({"convexity": 1, "mixture": -exp(-2 * logP(t, m)), "weights": -2 * exp(-logP(t, m))}),
            ("convexity", "mixture", "weights"),
            note="Jensen's inequality",
        ),
        Step("clients", le(played(t), _swapped, ROUNDS), Summed((m,), weight(t, m)), ("jensen",)),
        Step("swap", eq(_average, _swapped, ROUNDS), Apply("osmd/swap", {pair(i, j): exp(logw(i, t)) * _term})),
        Step("played", le(played(t), _average, ROUNDS), Combine({"clients": 1, "swap": -1}), ("clients", "swap")),
        Step(
            "round",
            one_round(i, t, ROUNDS, ALL_EXPERTS),
            Combine({"played": gamma, "z": 1, "logs": -1}),
            ("played", "z", "logs"),
        ),
        Step("round e", one_round(e, t, ROUNDS), Instance({i: e}), ("round", "expert")),
        Step("first", one_round(e, 1), Instance({t: 1}), ("round e",)),
        Step("base", so_far(1), Combine(), ("first",)),
        Step("next round", one_round(e, n + 1, (n, 1, T - 1)), Instance({t: n + 1}), ("round e",)),
        Step("more", so_far(n + 1, (n, 1, T - 1)), Combine(), ("next round",), assuming=(so_far(n),)),
        Step("potential", so_far(n, SO_FAR), Induction(n), ("base", "more")),
        Step(
            "last weights",
            eq(Total(exp(logw(j, n + 1)), j, 1, n_experts), 1, SO_FAR),
            Instance({t: n + 1}),
            ("weights",),
        ),
        Step(
            "weight",
            le(logw(e, n + 1), 0, SO_FAR),
            Apply("osmd/log-high-at", {M: n_experts, k: e, p1(m): logw(m, n + 1)}),
            ("last weights", "expert"),
        ),
        Step("last", _META, Combine({"potential": 1 / gamma, "weight": 1 / gamma}), ("potential", "weight")),
    ),
    place="(60)",
    note="on every path and after any number of rounds, with gamma R^2/8 where the paper has gamma R/8",
)

# The first step: one expert against the comparator ------------------------------------------------------------------------------

_START = from_uniform(logQ)
_LIMIT = path_bound(logQ, lambda now: SLOPE, n, _START).xreplace({eta: rate(e)})
_EXPERT = le(excess(weight, lambda now, client: logpe(e, now, client), logQ, n), _LIMIT, SO_FAR)
_slope = weight(t, m) * exp(-2 * logpe(i, t, m))
OTHERS = (sums("sum q", logQ, T), floors(logQ))
_after_e = Max(FLOOR, exp(shift(e, t) + logpe(e, t, m) + _gain.xreplace({i: e})))
EXPERT = Theorem(
    "osmd/61",
    _EXPERT,
    (START, NEXT, SUM_E, MIXTURE, WEIGHTS, COUNTS, FED, FLOORED, ONE, *OTHERS),
    (
        _NOW,
        *BOUNDS,
        Step("zero", le(0, exp(-logpe(i, t, m)), ROUNDS, ALL_EXPERTS, EACH), Combine()),
        Step(
            "squared",
            le(exp(-logpe(i, t, m)) ** 2, (M / alpha) ** 2, ROUNDS, ALL_EXPERTS, EACH),
            Power(2),
            ("zero", "inverse e"),
        ),
        Step(
            "slope",
            le(_slope, SLOPE, ROUNDS, ALL_EXPERTS, EACH),
            Combine(
                {
                    "fed": count(t, m) * exp(-logP(t, m)) * exp(-2 * logpe(i, t, m)) / K**2,
                    "counts": A * exp(-logP(t, m)) * exp(-2 * logpe(i, t, m)) / K**2,
                    "inverse p": A * exp(-2 * logpe(i, t, m)) / K,
                    "squared": A * M / (alpha * K),
                }
            ),
            ("fed", "counts", "inverse p", "squared"),
            note="p_e^2 p >= (alpha/M)^3",
        ),
        Step("start now", eq(exp(logpe(e, 1, m)), 1 / M, EACH), Instance({i: e}), ("start", "expert")),
        Step("sum now", eq(whole(exp(logpe(e, t, j))), 1, (t, 1, T + 1)), Instance({i: e}), ("sum e", "expert")),
        Step("next now", eq(exp(logpe(e, t + 1, m)), _after_e, ROUNDS, EACH), Instance({i: e}), ("next", "expert")),
        Step("slope now", le(_slope.xreplace({i: e}), SLOPE, ROUNDS, EACH), Instance({i: e}), ("slope", "expert")),
        Step(
            "last",
            _EXPERT,
            Apply(
                "osmd/52",
                {
                    paths.v(t, m): weight(t, m),
                    paths.logp(t, m): logpe(e, t, m),
                    paths.logq(t, m): logQ(t, m),
                    paths.shift(t): shift(e, t),
                    paths.top(t): SLOPE,
                    eta: rate(e),
                },
            ),
            ("start now", "sum now", "next now", "slope now", "sum q", "floor"),
            note="Proposition 13 on a path",
        ),
    ),
    place="(61)",
)

# Both, in expectation --------------------------------------------------------------------------------------------------------

_moved = total_move(logQ, T)
PATH_LIMIT = path_bound(logQ, lambda now: SLOPE, T, _START).xreplace({eta: rate(e)})
PATH_EXCESS = excess(weight, lambda now, client: logpe(e, now, client), logQ, T)
_second = Total(played(t), t, 1, T) - Total(loss_of(e, t), t, 1, T)
_meta = T * gamma * R**2 / 8 - logw(e, 1) / gamma
_EXPECTED = le(REGRET, E(PATH_LIMIT) + E(_meta))
MEAN_P = BANDIT[-1]
AT_ANY_RATES = Theorem(
    "osmd/T8-any-rates",
    _EXPECTED,
    (
        START,
        NEXT,
        SUM_E,
        MIXTURE,
        WEIGHTS,
        REWEIGHTED,
        DRAWS,
        COUNTS,
        FED,
        ONE,
        *OTHERS,
        MEAN_P,
        unbiased(logQ),
        Given("alpha", le(alpha, 1), "a share"),
    ),
    (
        Step("floor e", _FLOORED, Apply("osmd/experts-stay"), ("start", "next", "alpha")),
        Step(
            "61",
            _EXPERT,
            Apply("osmd/61"),
            ("start", "next", "sum e", "mixture", "weights", "counts", "fed", "floor e", "expert", "sum q", "floor"),
        ),
        Step("60", _META, Apply("osmd/60"), ("mixture", "weights", "reweighted", "draws", "fed", "floor e", "expert")),
        Step("first", le(PATH_EXCESS, PATH_LIMIT), Instance({n: T}), ("61",)),
        Step("second", le(_second, _meta), Instance({n: T}), ("60",)),
        Step("mean first", le(E(PATH_EXCESS), E(PATH_LIMIT)), Expected(), ("first",)),
        Step("mean second", le(E(_second), E(_meta)), Expected(), ("second",)),
        Step("own", eq(*both(logP)), Summed((m, t)), ("mean p",)),
        Step("other", eq(*both(logQ)), Summed((m, t)), ("mean q",)),
        Step(
            "last",
            _EXPECTED,
            Combine({"mean first": 1, "mean second": 1, "own": -1 / K**2, "other": 1 / K**2}),
            ("mean first", "mean second", "own", "other"),
        ),
    ),
    place=PLACE,
    note="for any expert, any rates and any meta rate",
)

THEOREMS = (STAYS, SWAP, META, EXPERT, AT_ANY_RATES)
