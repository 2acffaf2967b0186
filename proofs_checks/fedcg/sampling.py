"""Clients drawn with replacement: Lemmas 3.3 and 3.4, and the sharper variance S2, for any number of clients and draws.

``score(i)`` is the inner product <v_i, F'(x)> of a round, ``pick(k)`` the client of draw k, counted from 0. ``past`` is anything
that is known before the draws, so that an identity of means that holds for every such number is one of conditional means.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Symbol

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.letters import K, gbar, r
from fltheory.papers.fedcg.letters import gamma as dissimilarity
from fltheory.proof.language import (
    Apply,
    Combine,
    Expected,
    Given,
    Induction,
    Instance,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E, Nonnegative, RandomInteger, RandomScalar, Scalar, Total, family
from proofs_checks.fedcg import facts
from proofs_checks.fedcg import lemmas as one
from proofs_checks.fedcg.lemmas import (
    CLIENTS,
    DIRECTIONS,
    ITEMS,
    LARGEST,
    LAW,
    MEAN,
    MEAN_GAMMA,
    NEAR,
    PARTIAL,
    RANK,
    clients,
    e,
    g,
    gamma,
    gamma_max,
    i,
    items,
    p,
    v,
)

k, a = (Symbol(name, integer=True, nonnegative=True) for name in "ka")
score, past, pick = family(RandomScalar, "score"), family(RandomScalar, "past")(), family(RandomInteger, "pick")
DRAWS, PAIRS = (k, 0, K - 1), ((k, 0, K - 1), (a, 0, k - 1))
MU = family(RandomScalar, "mu")()
AVERAGE_OF = Given("average", eq(MU, clients(score(i))), "the mean over the clients")
SPREAD = clients((score(i) - MU) ** 2)


def drawn(count: Any) -> Expr:
    """The sum of what the first draws are off the mean by."""
    return Total(score(pick(a)) - MU, a, 0, count - 1)


AGGREGATE = Total(score(pick(k)), k, 0, K - 1) / K

# Lemma 3.3 ------------------------------------------------------------------------------------------------------------

ONCE = Given(
    "mean", eq(E(past * score(pick(k))), E(past * MU), DRAWS), "a draw is client i with probability p_i, given the past"
)
_UNBIASED = eq(E(past * AGGREGATE), E(past * MU))
UNBIASED = Theorem(
    "fedcg/L3.3",
    _UNBIASED,
    (ONCE,),
    (
        Step(
            "1",
            eq(Total(E(past * score(pick(k))), k, 0, K - 1), Total(E(past * MU), k, 0, K - 1)),
            Summed((k,)),
            ("mean",),
        ),
        Step("2", _UNBIASED, Combine({"1": 1 / K}), ("1",)),
    ),
    claim="fedcg/L3.3@printed",
    place="Lemma 3.3",
    note="the drawn direction has the mean direction's inner product in conditional mean",
)

# Lemma 3.4: the variance of a mean of independent draws ---------------------------------------------------------------------

SQUARE = Given(
    "square",
    eq(E(past * score(pick(k)) ** 2), E(past * clients(score(i) ** 2)), DRAWS),
    "a draw is client i with probability p_i, given the past",
)
CROSS = Given(
    "cross",
    eq(E(past * MU * score(pick(k))), E(past * MU**2), DRAWS),
    "the same against the mean, which is known before the draws",
)
TWO = Given(
    "two",
    eq(E(past * score(pick(k)) * score(pick(a))), E(past * MU**2), *PAIRS),
    "two draws are independent, given the past",
)
DRAWN = (SQUARE, CROSS, TWO)
_off = score(pick(k)) - MU
_UP_TO = eq(E(past * drawn(k) ** 2), k * E(past * SPREAD), (k, 0, K))
_VARIANCE = eq(E(past * (AGGREGATE - MU) ** 2), E(past * SPREAD) / K)
VARIANCE = Theorem(
    "fedcg/variance",
    _VARIANCE,
    (LAW, AVERAGE_OF, *DRAWN),
    (
        Step(
            "parts",
            eq(past * SPREAD, past * (clients(score(i) ** 2) - MU**2)),
            Combine({"law": past * MU**2, "average": 2 * past * MU}),
            ("law", "average"),
        ),
        Step("own mean", eq(E(past * SPREAD), E(past * (clients(score(i) ** 2) - MU**2))), Expected(), ("parts",)),
        Step(
            "draw",
            eq(E(past * _off**2), E(past * SPREAD), DRAWS),
            Combine({"square": 1, "cross": -2, "own mean": -1}),
            ("square", "cross", "own mean"),
        ),
        Step(
            "earlier", eq(E(past * MU * score(pick(a))), E(past * MU**2), (a, 0, K - 1)), Instance({k: a}), ("cross",)
        ),
        Step(
            "pair",
            eq(E(past * _off * (score(pick(a)) - MU)), 0, *PAIRS),
            Combine({"two": 1, "cross": -1, "earlier": -1}),
            ("two", "cross", "earlier"),
            note="two draws are uncorrelated",
        ),
        Step("with all", eq(E(past * _off * drawn(k)), 0, DRAWS), Summed((a,)), ("pair",)),
        Step("0", eq(E(past * drawn(Integer(0)) ** 2), 0), Combine()),
        Step(
            "1",
            eq(E(past * drawn(k + 1) ** 2), (k + 1) * E(past * SPREAD), DRAWS),
            Combine({"assumed 1": 1, "with all": 2, "draw": 1}),
            ("with all", "draw"),
            assuming=(eq(E(past * drawn(k) ** 2), k * E(past * SPREAD)),),
            note="one draw more",
        ),
        Step("2", _UP_TO, Induction(k), ("0", "1")),
        Step("3", eq(E(past * drawn(K) ** 2), K * E(past * SPREAD)), Instance({k: K}), ("2",)),
        Step("4", _VARIANCE, Combine({"3": 1 / K**2}), ("3",), note="their mean"),
    ),
    place="Lemma 3.4",
    note="K draws have 1/K of the variance of one",
)

# Numbers on an interval ---------------------------------------------------------------------------------------------------------

u = family(Scalar, "u")
low, high = (Symbol(name, real=True) for name in ("low", "high"))
_mean = clients(u(i))
_SPREAD = clients((u(i) - _mean) ** 2)
BETWEEN = (
    Given("low", le(low, u(i), CLIENTS), "no number is below the interval"),
    Given("high", le(u(i), high, CLIENTS), "nor above it"),
)
_BHATIA = le(_SPREAD, (high - _mean) * (_mean - low))
BHATIA = Theorem(
    "fedcg/bhatia-davis",
    _BHATIA,
    (LAW, *BETWEEN),
    (
        Step("product", le(0, (high - u(i)) * (u(i) - low), CLIENTS), Combine({"low": high - u(i)}), ("low", "high")),
        Step("sum", le(0, clients((high - u(i)) * (u(i) - low))), Summed((i,), p(i)), ("product",)),
        Step("1", _BHATIA, Combine({"sum": 1, "law": _mean**2 - low * high}), ("sum", "law")),
    ),
    place="Lemma 3.4",
    note="the inequality of Bhatia and Davis: a variance on an interval",
)
_POPOVICIU = le(_SPREAD, (high - low) ** 2 / 4)
_ROOT = le(0, ((high + low) / 2 - _mean) ** 2)
POPOVICIU = Theorem(
    "fedcg/popoviciu",
    _POPOVICIU,
    (LAW, *BETWEEN),
    (
        Step("product", _BHATIA, Apply("fedcg/bhatia-davis"), ("law", "low", "high")),
        Step("square", _ROOT, Apply("fedcg/square", {facts.X: (high + low) / 2 - _mean})),
        Step("1", _POPOVICIU, Combine({"product": 1, "square": 1}), ("product", "square")),
    ),
    place="Lemma 3.4",
    note="Popoviciu's inequality: at most a quarter of the squared length",
)

# The scores of a round ----------------------------------------------------------------------------------------------------------

best = family(Nonnegative, "v*")
SCORE = items(v(i, e) * PARTIAL)
AVERAGE = clients(SCORE)
MOST = items(best(e) * PARTIAL)
BELOW = Given("below", le(PARTIAL - g(i, e), gamma(i), CLIENTS, ITEMS), "gamma_i is the distance of both gradients")
BEST_F = Given("best F", le(SCORE, MOST, CLIENTS), "v* is a best base for F")
BEST_I = Given("best", le(items(best(e) * g(i, e)), items(v(i, e) * g(i, e)), CLIENTS), "v_i is best for client i")
BASE = Given("base", le(items(best(e)), r), "v* is a base")
SCORES = (MEAN, RANK, NEAR, BELOW, BEST_F, BEST_I, BASE)
SCORE_IDS = tuple(h.id for h in SCORES)
_LOW = le(MOST - 2 * r * gamma(i), SCORE, CLIENTS)
S2_LOW = Theorem(
    "fedcg/L3.4-range",
    _LOW,
    (RANK, NEAR, BELOW, BEST_I, BASE),
    (
        Step(
            "own",
            le(items(v(i, e) * (g(i, e) - PARTIAL)), gamma(i) * items(v(i, e)), CLIENTS),
            Summed((e,), v(i, e)),
            ("near",),
        ),
        Step(
            "other",
            le(items(best(e) * (PARTIAL - g(i, e))), gamma(i) * items(best(e)), CLIENTS),
            Summed((e,), best(e)),
            ("below",),
        ),
        Step(
            "1",
            _LOW,
            Combine({"own": 1, "other": 1, "best": 1, "rank": gamma(i), "base": gamma(i)}),
            ("own", "other", "best", "rank", "base"),
        ),
    ),
    claim="fedcg/L3.4-range@sharpened",
    place="Lemma 3.4",
    note="<v_i, F'> >= <v_i, f_i'> - r gamma_i >= <v*, f_i'> - r gamma_i >= <v*, F'> - 2 r gamma_i",
)
_MEAN_LOW = le(MOST - r * MEAN_GAMMA, AVERAGE)
S2_MEAN = Theorem(
    "fedcg/L3.4-mean",
    _MEAN_LOW,
    (MEAN, RANK, NEAR, BEST_I),
    (
        Step("gradients", eq(MOST, items(best(e) * clients(g(i, e)))), Summed((e,), best(e)), ("mean",)),
        one.swapped("swap", p(i) * best(e) * g(i, e)),
        one.swapped("swap 2", p(i) * v(i, e) * PARTIAL),
        Step("bests", le(clients(items(best(e) * g(i, e))), DIRECTIONS), Summed((i,), p(i)), ("best",)),
        Step("A3", one.S1A.statement, Apply("fedcg/A.3@sharpened"), ("rank", "near")),
        Step(
            "1",
            _MEAN_LOW,
            Combine({"gradients": 1, "swap": -1, "swap 2": -1, "bests": 1, "A3": 1}),
            ("gradients", "swap", "swap 2", "bests", "A3"),
        ),
    ),
    place="Lemma 3.4",
    note="Lemma A.3 for the mean of the scores",
)
ONE_SPREAD = clients((SCORE - AVERAGE) ** 2)
READING = {dissimilarity: gamma_max, gbar: MEAN_GAMMA}
_S2, _ = stated(bounds.S2, ONE_SPREAD / K, READING)
_SPREAD_S2 = le(ONE_SPREAD, K * _S2.right)
_u = MOST - AVERAGE
S2 = Theorem(
    "fedcg/L3.4@sharpened",
    _S2,
    (LAW, *SCORES, LARGEST),
    (
        Step("each", _LOW, Apply("fedcg/L3.4-range"), ("rank", "near", "below", "best", "base")),
        Step(
            "low",
            le(MOST - 2 * r * gamma_max, SCORE, CLIENTS),
            Combine({"each": 1, "largest": 2 * r}),
            ("each", "largest"),
        ),
        Step(
            "square",
            le(ONE_SPREAD, (MOST - AVERAGE) * (AVERAGE - MOST + 2 * r * gamma_max)),
            Apply("fedcg/bhatia-davis", {u(i): SCORE, low: MOST - 2 * r * gamma_max, high: MOST}),
            ("law", "low", "best F"),
        ),
        Step("mean low", _MEAN_LOW, Apply("fedcg/L3.4-mean"), ("mean", "rank", "near", "best")),
        Step("gammas", le(MEAN_GAMMA, clients(gamma_max)), Summed((i,), p(i)), ("largest",)),
        Step("gamma", le(MEAN_GAMMA, gamma_max), Combine({"gammas": 1, "law": gamma_max}), ("gammas", "law")),
        Step(
            "room",
            le(0, 2 * r * gamma_max - r * MEAN_GAMMA - _u),
            Combine({"mean low": 1, "gamma": 2 * r}),
            ("mean low", "gamma"),
        ),
        Step(
            "rises",
            le(_u * (2 * r * gamma_max - _u), r**2 * MEAN_GAMMA * (2 * gamma_max - MEAN_GAMMA)),
            Combine({"mean low": 2 * r * gamma_max - r * MEAN_GAMMA - _u}),
            ("mean low", "room"),
            note="u (2 r gamma - u) rises up to r gamma",
        ),
        Step("1", _S2, Combine({"square": 1 / K, "rises": 1 / K}), ("square", "rises")),
    ),
    claim="fedcg/L3.4@sharpened",
    bound=bounds.S2,
    reading=READING,
    place="Lemma 3.4",
    note="the variance of the drawn direction's inner product, with constant 1",
)

THEOREMS = (UNBIASED, VARIANCE, BHATIA, POPOVICIU, S2_LOW, S2_MEAN, S2)
