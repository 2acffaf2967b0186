"""Lemma 3.4 as the paper proves it, in two cases, with the constants that they need; plainer forms of S2."""

from __future__ import annotations

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.letters import K, r
from fltheory.proof.language import Apply, Combine, Expected, Given, Instance, Step, Summed, Theorem, eq, le, stated
from fltheory.proof.terms import E, RandomNonnegative, RandomScalar, Total, family
from proofs_checks.fedcg import lemmas as one
from proofs_checks.fedcg import sampling as draws
from proofs_checks.fedcg.lemmas import (
    CLIENTS,
    DIRECTIONS,
    LARGEST,
    LAW,
    MEAN,
    MEAN_GAMMA,
    NEAR,
    OTHERS,
    PARTIAL,
    RANK,
    clients,
    e,
    g,
    gamma,
    gamma_max,
    i,
    items,
    j,
    p,
    v,
)
from proofs_checks.fedcg.sampling import AVERAGE, ONE_SPREAD, READING, SCORE, SCORE_IDS, SCORES

_plain = le(ONE_SPREAD, r**2 * gamma_max**2)
S2_PLAIN_STATEMENT, _ = stated(bounds.S2_PLAIN, ONE_SPREAD / K, READING)
_gap = gamma_max - MEAN_GAMMA
S2_PLAIN = Theorem(
    "fedcg/L3.4-plain",
    S2_PLAIN_STATEMENT,
    (LAW, *SCORES, LARGEST),
    (
        Step("sharp", draws.S2.statement, Apply("fedcg/L3.4@sharpened"), ("law", *SCORE_IDS, "largest")),
        Step("square", le(0, _gap**2), Apply("fedcg/square", {draws.facts.X: _gap})),
        Step("1", S2_PLAIN_STATEMENT, Combine({"sharp": 1, "square": r**2 / K}), ("sharp", "square")),
    ),
    claim="fedcg/L3.4-plain@sharpened",
    bound=bounds.S2_PLAIN,
    reading=READING,
    place="Lemma 3.4",
    note="no more than (r gamma)^2/K",
)
_PRODUCT = le(ONE_SPREAD / K, 2 * r**2 * MEAN_GAMMA * gamma_max / K)
S2_PRODUCT = Theorem(
    "fedcg/L3.4-product",
    _PRODUCT,
    (LAW, *SCORES, LARGEST),
    (
        Step("sharp", draws.S2.statement, Apply("fedcg/L3.4@sharpened"), ("law", *SCORE_IDS, "largest")),
        Step("square", le(0, MEAN_GAMMA**2), Apply("fedcg/square", {draws.facts.X: MEAN_GAMMA})),
        Step("1", _PRODUCT, Combine({"sharp": 1, "square": r**2 / K}), ("sharp", "square")),
    ),
    claim="fedcg/L3.4-product@sharpened",
    place="Lemma 3.4",
    note="the mean distance times the largest",
)
_SQUARES = le(ONE_SPREAD / K, 4 * r**2 * clients(gamma(i) ** 2) / K)
_u = draws.MOST - SCORE
S2_SQUARES = Theorem(
    "fedcg/L3.4-squares",
    _SQUARES,
    (LAW, *SCORES),
    (
        Step("each", draws.S2_LOW.statement, Apply("fedcg/L3.4-range"), ("rank", "near", "below", "best", "base")),
        Step(
            "squares",
            le(_u**2, 4 * r**2 * gamma(i) ** 2, CLIENTS),
            Combine({"each": 2 * r * gamma(i) + _u}),
            ("each", "best F"),
        ),
        Step("sum", le(clients(_u**2), 4 * r**2 * clients(gamma(i) ** 2)), Summed((i,), p(i)), ("squares",)),
        Step(
            "centre", le(0, (draws.MOST - AVERAGE) ** 2), Apply("fedcg/square", {draws.facts.X: draws.MOST - AVERAGE})
        ),
        Step(
            "1",
            _SQUARES,
            Combine({"sum": 1 / K, "centre": 1 / K, "law": (AVERAGE**2 - draws.MOST**2) / K}),
            ("sum", "centre", "law"),
            note="the variance is the least mean square distance",
        ),
    ),
    claim="fedcg/L3.4-squares@sharpened",
    place="Lemma 3.4",
    note="with the mean square of the clients' distances",
    unused=("mean",),
)

# The two cases of the paper -----------------------------------------------------------------------------------------------

OWN_BEST = Given(
    "best own",
    le(items(v(j, e) * g(i, e)), items(v(i, e) * g(i, e)), CLIENTS, OTHERS),
    "v_i is best for client i, also of the other clients' bases",
)
_OTHER = SCORE.xreplace({v(i, e): v(j, e)})
_CASE_1, _ = stated(bounds.CASE_1, _OTHER - AVERAGE, READING)
_CASE_1 = le(_CASE_1.left, _CASE_1.right, OTHERS)
CASE_1 = Theorem(
    "fedcg/L3.4-case1",
    _CASE_1,
    (MEAN, OWN_BEST, LAW, RANK, NEAR, LARGEST),
    (
        Step(
            "own",
            le(_OTHER, DIRECTIONS, OTHERS),
            Apply("fedcg/A.4-mean", {one.direction(e): v(j, e)}),
            ("mean", "best own"),
            note="<v_j, F'> is the mean of <v_j, f_i'>, at most that of <v_i, f_i'>",
        ),
        Step("A3", one.A3.statement, Apply("fedcg/A.3"), ("law", "rank", "near", "largest")),
        one.swapped("swap", p(i) * v(i, e) * PARTIAL),
        Step("1", _CASE_1, Combine({"own": 1, "A3": 1, "swap": -1}), ("own", "A3", "swap")),
    ),
    claim="fedcg/L3.4-case1@printed",
    bound=bounds.CASE_1,
    reading=READING,
    place="proof of Lemma 3.4, case 1",
    note="above the mean by at most r gamma",
)
_CASE_2, _ = stated(bounds.CASE_2, AVERAGE - SCORE, READING)
_CASE_2 = le(_CASE_2.left, _CASE_2.right, CLIENTS)
CASE_2 = Theorem(
    "fedcg/L3.4-case2",
    _CASE_2,
    (LAW, *SCORES, LARGEST),
    (
        Step("each", draws.S2_LOW.statement, Apply("fedcg/L3.4-range"), ("rank", "near", "below", "best", "base")),
        Step("averages", le(AVERAGE, clients(draws.MOST)), Summed((i,), p(i)), ("best F",)),
        Step(
            "1",
            _CASE_2,
            Combine({"each": 1, "averages": 1, "law": draws.MOST, "largest": 2 * r}),
            ("each", "averages", "law", "largest"),
            note="2 r gamma are enough",
        ),
    ),
    claim="fedcg/L3.4-case2@printed",
    bound=bounds.CASE_2,
    reading=READING,
    place="proof of Lemma 3.4, case 2",
    note="below the mean by at most 5 r gamma",
    unused=("mean",),
)
_L34, _ = stated(bounds.VARIANCE, ONE_SPREAD / K, READING)
_off = SCORE - AVERAGE
L34 = Theorem(
    "fedcg/L3.4",
    _L34,
    (OWN_BEST, LAW, *SCORES, LARGEST),
    (
        Step("above j", _CASE_1, Apply("fedcg/L3.4-case1"), ("mean", "best own", "law", "rank", "near", "largest")),
        Step("above", le(SCORE - AVERAGE, r * gamma_max, CLIENTS), Instance({j: i}), ("above j",)),
        Step("below mean", _CASE_2, Apply("fedcg/L3.4-case2"), ("law", *SCORE_IDS, "largest")),
        Step("up", le(0, 5 * r * gamma_max - _off, CLIENTS), Combine({"above": 1}), ("above",)),
        Step(
            "square",
            le(_off**2, 25 * r**2 * gamma_max**2, CLIENTS),
            Combine({"below mean": 5 * r * gamma_max - _off}),
            ("below mean", "up"),
            note="max(1, 5)^2 = 25: the cases exclude each other",
        ),
        Step("sum", le(ONE_SPREAD, clients(25 * r**2 * gamma_max**2)), Summed((i,), p(i)), ("square",)),
        Step("1", _L34, Combine({"sum": 1 / K, "law": 25 * r**2 * gamma_max**2 / K}), ("sum", "law"), note="25 <= 36"),
    ),
    claim="fedcg/L3.4@printed",
    bound=bounds.VARIANCE,
    reading=READING,
    place="Lemma 3.4",
    note="true: (1 + 5)^2 where max(1, 5)^2 is enough",
)

# What the draws make of the direction ---------------------------------------------------------------------------------------

pick, direction, base, slope = (
    draws.pick,
    family(RandomScalar, "Delta"),
    family(RandomScalar, "v"),
    family(RandomScalar, "G"),
)
_AGGREGATED = Total(base(pick(draws.k), e), draws.k, 0, K - 1) / K
_INNER = eq(items(direction(e) * slope(e)), Total(items(base(pick(draws.k), e) * slope(e)), draws.k, 0, K - 1) / K)
AGGREGATE = Theorem(
    "fedcg/aggregate",
    _INNER,
    (Given("direction", eq(direction(e), _AGGREGATED, one.ITEMS), "line 9: the mean of the drawn bases"),),
    (
        Step(
            "1",
            eq(items(direction(e) * slope(e)), items(_AGGREGATED * slope(e))),
            Summed((e,), slope(e)),
            ("direction",),
        ),
        Step(
            "swap",
            eq(
                Total(items(base(pick(draws.k), e) * slope(e)), draws.k, 0, K - 1),
                items(Total(base(pick(draws.k), e) * slope(e), draws.k, 0, K - 1)),
            ),
            Apply(
                "fedcg/swap-steps",
                {
                    draws.facts.pair(draws.k, e): base(pick(draws.k), e) * slope(e),
                    draws.facts.first: K,
                    draws.facts.second: one.n,
                },
            ),
        ),
        Step("2", _INNER, Combine({"1": 1, "swap": -1 / K}), ("1", "swap")),
    ),
    place="Lemma 3.3",
    note="its inner product with the gradient is the mean of the drawn clients' scores",
)

# In conditional mean ------------------------------------------------------------------------------------------------------------

weight, most = family(RandomNonnegative, "past")(), family(RandomNonnegative, "most")()
SMALL = Given("small", le(draws.SPREAD, most), "what bounds the variance of one draw, see fedcg/L3.4-plain")
CONDITIONAL = le(E(weight * (draws.AGGREGATE - draws.MU) ** 2), E(weight * most) / K)
VARIANCE_BOUND = Theorem(
    "fedcg/variance-bound",
    CONDITIONAL,
    (LAW, draws.AVERAGE_OF, *(Given(h.id, h.relation.at({draws.past: weight}), h.why) for h in draws.DRAWN), SMALL),
    (
        Step(
            "exact",
            draws.VARIANCE.statement.at({draws.past: weight}),
            Apply("fedcg/variance", {draws.past: weight}),
            ("law", "average", "square", "cross", "two"),
        ),
        Step("one", le(weight * draws.SPREAD, weight * most), Combine({"small": weight}), ("small",)),
        Step("mean", le(E(weight * draws.SPREAD), E(weight * most)), Expected(), ("one",)),
        Step("1", CONDITIONAL, Combine({"exact": 1, "mean": 1 / K}), ("exact", "mean")),
    ),
    place="Lemma 3.4",
    note="the conditional variance of the drawn direction's inner product",
)

THEOREMS = (S2_PLAIN, S2_PRODUCT, S2_SQUARES, CASE_1, CASE_2, L34, AGGREGATE, VARIANCE_BOUND)
