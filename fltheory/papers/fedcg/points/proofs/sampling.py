"""Clients drawn with replacement: Lemmas 3.3 and 3.4, and the sharper variance S2, for any number of clients and draws.

``score(i)`` is the inner product <v_i, F'(x)> of a round, ``pick(k)`` the client of draw k, counted from 0. ``past`` is
any number known before the draws, so that an identity of means for every such number is one of conditional means.
"""

from __future__ import annotations

from sympy import Expr, Integer, Symbol

from fltheory.papers.fedcg import bounds, notation
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.notation import K, gbar, r
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs.lemmas import (CLIENTS, ITEMS, LARGEST, LAW, MEAN, MEAN_GAMMA, NEAR, PARTIAL,
    RANK, clients, e, g, gamma, gamma_max, i, items, p, v)
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.terms import E, Nonnegative, RandomInteger, RandomScalar, Scalar, Total, family

k, a = (Symbol(name, integer=True, nonnegative=True) for name in "ka")
score, past, pick = family(RandomScalar, "score"), family(RandomScalar, "past")(), family(RandomInteger, "pick")
DRAWS, PAIRS = (k, 0, K - 1), ((k, 0, K - 1), (a, 0, k - 1))
MU = family(RandomScalar, "mu")()
AVERAGE_OF = Given("average", eq(MU, clients(score(i))), "the mean over the clients")
SPREAD = clients((score(i) - MU) ** 2)


def drawn(count: Expr) -> Expr:
    """Return the sum of the deviations of the first draws from the mean."""
    return Total(score(pick(a)) - MU, a, 0, count - 1)


AGGREGATE = Total(score(pick(k)), k, 0, K - 1) / K

# Lemma 3.3 ------------------------------------------------------------------------------------------------------------

ONCE = Given("mean", eq(E(past * score(pick(k))), E(past * MU), DRAWS),
    "a draw is client i with probability p_i, given the past")
UNBIASED = (
    proof("fedcg/L3.3", "Lemma 3.3", of="fedcg/L3.3@printed",
        note="the drawn direction has the mean direction's inner product in conditional mean")
    .under(ONCE)
    .qed(eq(E(past * AGGREGATE), E(past * MU)), by.linear(by.sum_over(k, "mean")))
)

# Lemma 3.4: the variance of a mean of independent draws ---------------------------------------------------------------------

SQUARE = Given("square", eq(E(past * score(pick(k)) ** 2), E(past * clients(score(i) ** 2)), DRAWS),
    "a draw is client i with probability p_i, given the past")
CROSS = Given("cross", eq(E(past * MU * score(pick(k))), E(past * MU**2), DRAWS),
    "the same against the mean, which is known before the draws")
TWO = Given("two", eq(E(past * score(pick(k)) * score(pick(a))), E(past * MU**2), *PAIRS),
    "two draws are independent, given the past")
DRAWN = (SQUARE, CROSS, TWO)
_off = score(pick(k)) - MU
VARIANCE = (
    proof("fedcg/variance", "Lemma 3.4", note="K draws have 1/K of the variance of one").under(LAW, AVERAGE_OF, *DRAWN)
    .step("parts", eq(past * SPREAD, past * (clients(score(i) ** 2) - MU**2)), by.linear("law", "average"))
    .step("own mean", by.expectation("parts"))
    .step("draw", eq(E(past * _off**2), E(past * SPREAD), DRAWS), by.linear("square", "cross", "own mean"))
    .step("earlier", by.instance({k: a}, "cross"), over=(a, 0, K - 1))
    .step("pair", eq(E(past * _off * (score(pick(a)) - MU)), 0, *PAIRS), by.linear("two", "cross", "earlier"),
        note="two draws are uncorrelated")
    .step("with all", eq(E(past * _off * drawn(k)), 0, DRAWS), by.sum_over(a, "pair"))
    .step("0", eq(E(past * drawn(Integer(0)) ** 2), 0), by.linear())
    .step("1", eq(E(past * drawn(k + 1) ** 2), (k + 1) * E(past * SPREAD), DRAWS), by.linear("with all", "draw"),
        assuming=eq(E(past * drawn(k) ** 2), k * E(past * SPREAD)), note="one draw more")
    .step("2", eq(E(past * drawn(k) ** 2), k * E(past * SPREAD), (k, 0, K)), by.induction(k, "0", "1"))
    .step("3", by.instance({k: K}, "2"))
    .qed(eq(E(past * (AGGREGATE - MU) ** 2), E(past * SPREAD) / K), by.linear("3"), note="their mean")
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
BHATIA = (
    proof("fedcg/bhatia-davis", "Lemma 3.4", note="the inequality of Bhatia and Davis: a variance on an interval")
    .under(LAW, *BETWEEN)
    .step("product", le(0, (high - u(i)) * (u(i) - low), CLIENTS), by.linear("low", "high"))
    .step("sum", by.sum_over(i, "product", weight=p(i)))
    .qed(le(_SPREAD, (high - _mean) * (_mean - low)), by.linear("sum", "law"))
)
POPOVICIU = (
    proof("fedcg/popoviciu", "Lemma 3.4", note="Popoviciu's inequality: at most a quarter of the squared length")
    .under(LAW, *BETWEEN)
    .step("product", by.apply(BHATIA))
    .step("square", by.apply(algebra.SQUARE, {algebra.X: (high + low) / 2 - _mean}))
    .qed(le(_SPREAD, (high - low) ** 2 / 4), by.linear("product", "square"))
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
S2_LOW = (
    proof("fedcg/L3.4-range", "Lemma 3.4", of="fedcg/L3.4-range@strengthened",
        note="<v_i, F'> >= <v_i, f_i'> - r gamma_i >= <v*, f_i'> - r gamma_i >= <v*, F'> - 2 r gamma_i")
    .under(RANK, NEAR, BELOW, BEST_I, BASE)
    .step("own", le(items(v(i, e) * (g(i, e) - PARTIAL)), gamma(i) * items(v(i, e)), CLIENTS),
        by.sum_over(e, "near", weight=v(i, e)))
    .step("other", le(items(best(e) * (PARTIAL - g(i, e))), gamma(i) * items(best(e)), CLIENTS),
        by.sum_over(e, "below", weight=best(e)))
    .qed(le(MOST - 2 * r * gamma(i), SCORE, CLIENTS), by.linear("own", "other", "best", "rank", "base"))
)
S2_MEAN = (
    proof("fedcg/L3.4-mean", "Lemma 3.4", note="Lemma A.3 for the mean of the scores").under(MEAN, RANK, NEAR, BEST_I)
    .step("gradients", by.sum_over(e, "mean", weight=best(e)))
    .steps(one.swapped("swap", p(i) * best(e) * g(i, e)), one.swapped("swap 2", p(i) * v(i, e) * PARTIAL))
    .step("bests", by.sum_over(i, "best", weight=p(i)))
    .step("A3", by.apply(one.S1A))
    .qed(le(MOST - r * MEAN_GAMMA, AVERAGE), by.linear("gradients", "swap", "swap 2", "bests", "A3"))
)
ONE_SPREAD = clients((SCORE - AVERAGE) ** 2)
READING = {notation.gamma: gamma_max, gbar: MEAN_GAMMA}
_S2, _ = statement_of(bounds.S2, ONE_SPREAD / K, READING)
_u = MOST - AVERAGE
S2 = (
    proof("fedcg/L3.4@strengthened", "Lemma 3.4", of="fedcg/L3.4@strengthened", bound=bounds.S2, reading=READING,
        note="the variance of the drawn direction's inner product, with constant 1")
    .under(LAW, *SCORES, LARGEST)
    .step("each", by.apply(S2_LOW))
    .step("low", le(MOST - 2 * r * gamma_max, SCORE, CLIENTS), by.linear("each", "largest"))
    .step("square", by.apply(BHATIA, {u(i): SCORE, low: MOST - 2 * r * gamma_max, high: MOST}))
    .step("mean low", by.apply(S2_MEAN))
    .step("gammas", by.sum_over(i, "largest", weight=p(i)))
    .step("gamma", le(MEAN_GAMMA, gamma_max), by.linear("gammas", "law"))
    .step("room", le(0, 2 * r * gamma_max - r * MEAN_GAMMA - _u), by.linear("mean low", "gamma"))
    .step("rises", le(_u * (2 * r * gamma_max - _u), r**2 * MEAN_GAMMA * (2 * gamma_max - MEAN_GAMMA)),
        by.linear("mean low", "room"), note="u (2 r gamma - u) rises up to r gamma")
    .qed(_S2, by.linear("square", "rises"))
)

THEOREMS = (UNBIASED, VARIANCE, BHATIA, POPOVICIU, S2_LOW, S2_MEAN, S2)
