"""Lemma 3.4 by the paper's proof, in two cases, with the constants that they need; simpler forms of S2."""

from __future__ import annotations

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.facts.algebra import SQUARE
from fltheory.papers.fedcg.notation import K, gsquare, r
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs import sampling as draws
from fltheory.papers.fedcg.points.proofs.lemmas import (CLIENTS, LARGEST, LAW, MEAN, MEAN_GAMMA, NEAR, OTHERS, PARTIAL,
    RANK, clients, e, g, gamma, gamma_max, i, items, j, p, v)
from fltheory.papers.fedcg.points.proofs.sampling import AVERAGE, ONE_SPREAD, READING, SCORE, SCORES
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.terms import E, RandomNonnegative, RandomScalar, Total, family
from fltheory.verification import find

S2_PLAIN_STATEMENT, _ = statement_of(bounds.S2_PLAIN, ONE_SPREAD / K, READING)
S2_PLAIN = (
    proof("fedcg/L3.4-plain", "Lemma 3.4", of="fedcg/L3.4-plain@strengthened", bound=bounds.S2_PLAIN, reading=READING,
        note="no more than (r gamma)^2/K")
    .under(LAW, *SCORES, LARGEST)
    .step("sharp", by.apply(draws.S2))
    .step("square", by.apply(SQUARE, {draws.algebra.X: gamma_max - MEAN_GAMMA}))
    .qed(S2_PLAIN_STATEMENT, by.linear("sharp", "square"))
)
_PRODUCT = find("fedcg/L3.4-product@strengthened").bound
S2_PRODUCT = (
    proof("fedcg/L3.4-product", "Lemma 3.4", of="fedcg/L3.4-product@strengthened", bound=_PRODUCT, reading=READING,
        note="the mean distance times the largest")
    .under(LAW, *SCORES, LARGEST)
    .step("sharp", by.apply(draws.S2))
    .step("square", le(0, MEAN_GAMMA**2), by.apply(SQUARE, {draws.algebra.X: MEAN_GAMMA}))
    .qed(statement_of(_PRODUCT, ONE_SPREAD / K, READING)[0], by.linear("sharp", "square"))
)
_u = draws.MOST - SCORE
_SQUARES = find("fedcg/L3.4-squares@strengthened").bound
_MEAN_SQUARE = {gsquare: clients(gamma(i) ** 2)}
S2_SQUARES = (
    proof("fedcg/L3.4-squares", "Lemma 3.4", of="fedcg/L3.4-squares@strengthened", bound=_SQUARES, reading=_MEAN_SQUARE,
        unused=("mean",), note="with the mean square of the clients' distances")
    .under(LAW, *SCORES)
    .step("each", by.apply(draws.S2_LOW))
    .step("squares", le(_u**2, 4 * r**2 * gamma(i) ** 2, CLIENTS), by.linear("each", "best F"))
    .step("sum", le(clients(_u**2), 4 * r**2 * clients(gamma(i) ** 2)), by.sum_over(i, "squares", weight=p(i)))
    .step("centre", le(0, (draws.MOST - AVERAGE) ** 2), by.apply(SQUARE, {draws.algebra.X: draws.MOST - AVERAGE}))
    .qed(statement_of(_SQUARES, ONE_SPREAD / K, _MEAN_SQUARE)[0], by.linear("sum", "centre", "law"),
        note="the variance is the least mean square distance")
)

# The two cases of the paper -----------------------------------------------------------------------------------------------

OWN_BEST = Given("best own", le(items(v(j, e) * g(i, e)), items(v(i, e) * g(i, e)), CLIENTS, OTHERS),
    "v_i is best for client i, also of the other clients' bases")
_CASE_1, _ = statement_of(bounds.CASE_1, SCORE.xreplace({v(i, e): v(j, e)}) - AVERAGE, READING)
_CASE_1 = le(_CASE_1.left, _CASE_1.right, OTHERS)
CASE_1 = (
    proof("fedcg/L3.4-case1", "proof of Lemma 3.4, case 1", of="fedcg/L3.4-case1@printed", bound=bounds.CASE_1,
        reading=READING, note="above the mean by at most r gamma")
    .under(MEAN, OWN_BEST, LAW, RANK, NEAR, LARGEST)
    .step("own", by.apply(one.A4_BELOW, {one.direction(e): v(j, e)}),
        note="<v_j, F'> is the mean of <v_j, f_i'>, at most that of <v_i, f_i'>")
    .step("A3", by.apply(one.A3))
    .steps(one.swapped("swap", p(i) * v(i, e) * PARTIAL))
    .qed(_CASE_1, by.linear("own", "A3", "swap"))
)
_CASE_2, _ = statement_of(bounds.CASE_2, AVERAGE - SCORE, READING)
_CASE_2 = le(_CASE_2.left, _CASE_2.right, CLIENTS)
CASE_2 = (
    proof("fedcg/L3.4-case2", "proof of Lemma 3.4, case 2", of="fedcg/L3.4-case2@printed", bound=bounds.CASE_2,
        reading=READING, unused=("mean",), note="below the mean by at most 5 r gamma")
    .under(LAW, *SCORES, LARGEST)
    .step("each", by.apply(draws.S2_LOW))
    .step("averages", by.sum_over(i, "best F", weight=p(i)))
    .qed(_CASE_2, by.linear("each", "averages", "law", "largest"), note="2 r gamma are enough")
)
_TWICE = find("fedcg/L3.4-case2@strengthened").bound
_BELOW, _ = statement_of(_TWICE, AVERAGE - SCORE, READING)
CASE_2_SHARP = (
    proof("fedcg/L3.4-case2@strengthened", "proof of Lemma 3.4, case 2", of="fedcg/L3.4-case2@strengthened",
        bound=_TWICE, reading=READING, unused=("mean",),
        note="no client's score is more than 2 r gamma below the best, nor below the mean")
    .under(LAW, *SCORES, LARGEST)
    .step("each", by.apply(draws.S2_LOW))
    .step("averages", by.sum_over(i, "best F", weight=p(i)))
    .qed(le(_BELOW.left, _BELOW.right, CLIENTS), by.linear("each", "averages", "law", "largest"))
)
_WIDE = find("fedcg/L3.4-range@strengthened").bound
_FROM_BEST, _ = statement_of(_WIDE, draws.MOST - SCORE, READING)
RANGE = (
    proof("fedcg/L3.4-range@strengthened", "proof of Lemma 3.4", of="fedcg/L3.4-range@strengthened", bound=_WIDE,
        reading=READING, note="the same of the largest distance")
    .under(RANK, NEAR, draws.BELOW, draws.BEST_I, draws.BASE, LARGEST)
    .step("each", by.apply(draws.S2_LOW))
    .qed(le(_FROM_BEST.left, _FROM_BEST.right, CLIENTS), by.linear("each", "largest"))
)
_L34, _ = statement_of(bounds.VARIANCE, ONE_SPREAD / K, READING)
_off = SCORE - AVERAGE
L34 = (
    proof("fedcg/L3.4", "Lemma 3.4", of="fedcg/L3.4@printed", bound=bounds.VARIANCE, reading=READING,
        note="true: (1 + 5)^2 where max(1, 5)^2 is enough")
    .under(OWN_BEST, LAW, *SCORES, LARGEST)
    .step("above j", by.apply(CASE_1))
    .step("above", le(SCORE - AVERAGE, r * gamma_max, CLIENTS), by.instance({j: i}, "above j"))
    .step("below mean", by.apply(CASE_2))
    .step("up", le(0, 5 * r * gamma_max - _off, CLIENTS), by.linear("above"))
    .step("square", le(_off**2, 25 * r**2 * gamma_max**2, CLIENTS), by.linear("below mean", "up"),
        note="max(1, 5)^2 = 25: the cases exclude each other")
    .step("sum", by.sum_over(i, "square", weight=p(i)))
    .qed(_L34, by.linear("sum", "law"), note="25 <= 36")
)

# Effect of the draws on the direction ---------------------------------------------------------------------------------

pick, direction, base, slope = (
    draws.pick,
    family(RandomScalar, "Delta"),
    family(RandomScalar, "v"),
    family(RandomScalar, "G"),
)
_AGGREGATED = Total(base(pick(draws.k), e), draws.k, 0, K - 1) / K
AGGREGATE = (
    proof("fedcg/aggregate", "Lemma 3.3",
        note="its inner product with the gradient is the mean of the drawn clients' scores")
    .given("direction", eq(direction(e), _AGGREGATED, one.ITEMS), "line 9: the mean of the drawn bases")
    .step("1", by.sum_over(e, "direction", weight=slope(e)))
    .step(
        "swap",
        eq(
            Total(items(base(pick(draws.k), e) * slope(e)), draws.k, 0, K - 1),
            items(Total(base(pick(draws.k), e) * slope(e), draws.k, 0, K - 1)),
        ),
        by.apply(
            "fedcg/swap-steps",
            {
                draws.algebra.pair(draws.k, e): base(pick(draws.k), e) * slope(e),
                draws.algebra.first: K,
                draws.algebra.second: one.n,
            },
        ),
    )
    .qed(eq(items(direction(e) * slope(e)), Total(items(base(pick(draws.k), e) * slope(e)), draws.k, 0, K - 1) / K),
        by.linear("1", "swap"))
)

# In conditional mean ------------------------------------------------------------------------------------------------------------

weight, most = family(RandomNonnegative, "past")(), family(RandomNonnegative, "most")()
VARIANCE_BOUND = (
    proof("fedcg/variance-bound", "Lemma 3.4", note="the conditional variance of the drawn direction's inner product")
    .under(LAW, draws.AVERAGE_OF, *(Given(h.id, h.relation.at({draws.past: weight}), h.why) for h in draws.DRAWN))
    .given("small", le(draws.SPREAD, most), "what bounds the variance of one draw, see fedcg/L3.4-plain")
    .step("exact", by.apply(draws.VARIANCE, {draws.past: weight}))
    .step("one", le(weight * draws.SPREAD, weight * most), by.linear("small"))
    .step("mean", by.expectation("one"))
    .qed(le(E(weight * (draws.AGGREGATE - draws.MU) ** 2), E(weight * most) / K), by.linear("exact", "mean"))
)

THEOREMS = (S2_PLAIN, S2_PRODUCT, S2_SQUARES, CASE_1, CASE_2, CASE_2_SHARP, RANGE, L34, AGGREGATE, VARIANCE_BOUND)
