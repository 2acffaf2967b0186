"""Algorithm 3 as released, Lemmas 4.4 and A.2: the order of the estimates, rescaled estimates, spans of gradients."""

from __future__ import annotations

from sympy import Expr, Symbol

from fltheory.papers.aaggff.estimators.proofs.measured import LAST_TWO, term
from fltheory.papers.aaggff.estimators.proofs.sampling import KAPPA, MEAN_SEEN, MU, ONE, PAIRS, p, r, seen
from fltheory.papers.aaggff.losses.proofs.facts import CLIENTS, EACH, PART, P, i, j, n, whole
from fltheory.papers.aaggff.notation import C1, C2, K, m
from fltheory.papers.aaggff.unification.proofs.mixing import tied
from fltheory.proof import Given, by, eq, le
from fltheory.proof.terms import E, Positive, Total, family

_BOTH = m * (m - 1) / (K * (K - 1))

# Algorithm 3 as released: two clients --------------------------------------------------------------------------------------------


def released(client: Expr) -> Expr:
    """Return the estimate without the participants' mean response in their own entries."""
    return seen(client) * K / m * (r(client) - MEAN_SEEN) + (1 - seen(client)) * MEAN_SEEN


def with_own(client: Expr) -> Expr:
    """Return E of the indicator of a participant times the participants' mean response."""
    return (r(client) + (m - 1) * (K * MU - r(client)) / (K - 1)) / K


apart = family(Positive, "apart")()
PAIR = (
    CLIENTS,
    ONE,
    PAIRS,
    Given("two too", eq(E(seen(K - 1) * seen(i)), _BOTH, (i, 1, K - 2)), "any two are drawn with the same probability"),
    Given("itself", eq(seen(K) ** 2, seen(K)), "0 or 1"),
    Given("itself too", eq(seen(K - 1) ** 2, seen(K - 1)), "0 or 1"),
    Given("apart", eq(apart, r(K) - r(K - 1)), "the response of K is the larger one: numbers of clients mean nothing"),
)
_QUOTIENT = (E(released(K)) - E(released(K - 1))) / apart
_CHAIN, _STATED = tied("A3-order@explicit", _QUOTIENT)
SLOPE = (
    _CHAIN.under(*PAIR)
    .step("first", by.instance({i: K}, "one", "clients"))
    .step("second", by.instance({i: K - 1}, "one", "clients"))
    .step("square", by.expectation("itself"))
    .step("square too", by.expectation("itself too"))
    .step("both", by.instance({i: K - 1}, "two", "clients"))
    .step(
        "pairs",
        eq(Total(E(seen(K) * seen(j)) * r(j), j, 1, K - 1), _BOTH * Total(r(j), j, 1, K - 1)),
        by.sum_over(i, "two", weight=r(i)),
    )
    .step(
        "pairs too",
        eq(Total(E(seen(K - 1) * seen(j)) * r(j), j, 1, K - 2), _BOTH * Total(r(j), j, 1, K - 2)),
        by.sum_over(i, "two too", weight=r(i)),
    )
    .step(
        "split",
        eq(
            whole(E(seen(K - 1) * seen(j)) * r(j)),
            Total(E(seen(K - 1) * seen(j)) * r(j), j, 1, K - 2)
            + E(seen(K - 1) * seen(K - 1)) * r(K - 1)
            + E(seen(K - 1) * seen(K)) * r(K),
        ),
        by.apply(LAST_TWO, {n: K - 2, term(j): E(seen(K - 1) * seen(j)) * r(j)}, "clients"),
    )
    .step("split r", by.apply(LAST_TWO, {n: K - 2, term(j): r(j)}, "clients"))
    .step("own", eq(E(seen(K) * MEAN_SEEN), with_own(K)), by.linear("pairs", "square", "first", "clients"))
    .step(
        "own too",
        eq(E(seen(K - 1) * MEAN_SEEN), with_own(K - 1)),
        by.linear("split", "pairs too", "square too", "second", "both", "split r", "clients"),
    )
    .qed(
        _STATED,
        by.linear(
            {
                "own": -(K / m + 1) / apart,
                "own too": (K / m + 1) / apart,
                "first": K / m * r(K) / apart,
                "second": -K / m * r(K - 1) / apart,
                "apart": -(KAPPA - m / K * (1 - KAPPA)) / apart,
            },
            "clients",
        ),
    )
)
_WHOLE = le(0, (K - 7) * (K - 8))
_CHAIN, _STATED = tied("A3-order@corrected", _QUOTIENT)
LEAST = (
    _CHAIN.under(*PAIR)
    .given("drawn", le(2, m), "two clients or more in a round")
    .step("few", _WHOLE, by.linear(), assuming=le(K, 7))
    .step("many", _WHOLE, by.linear(), assuming=le(8, K))
    .step("whole", by.cases("few", "many"), note="there is no number of clients between 7 and 8")
    .step("top", le(0, K**2 * (15 * m - 28) - 15 * m * K + 28 * m**2), by.linear("whole", "drawn", "clients"))
    .step("slope", by.apply(SLOPE))
    .qed(_STATED, by.linear("top", "slope", "clients"))
)

l = Symbol("l", integer=True, positive=True)
# Lemma A.2: by the number of participants -----

rho = Symbol("rho", nonnegative=True)
top = Symbol("top", real=True)
_one = seen(i) * K / m * (r(i) - rho)
_all = whole(p(j) * seen(j) * K / m * (r(j) - rho))
_entry = -(rho + _one) / (1 + rho) + rho * _all / (1 + rho) ** 2
_SPANS = ((i, 1, K), (l, 1, K))
_span = (_entry.xreplace({i: l}) - _entry) / 2
_D, _M = r(K) - C1, m * (1 + C1)
_CHAIN, _STATED = tied("A.2-attained@strengthened", _span, used=("c1",),
    note="client K has the largest response of those seen")
ATTAINED = (
    _CHAIN.given("zero or one", eq(seen(i) ** 2, seen(i), EACH), "0 or 1")
    .given("low", le(C1, r(i), EACH), "responses are in [C1, C2]")
    .given("high", le(r(K), C2), "and not above")
    .given(
        "largest",
        le(seen(i) * r(i), seen(i) * r(K), EACH),
        "no response that is seen is larger: numbers of clients mean nothing",
    )
    .given("there", eq(seen(K), 1), "it is seen")
    .given("count", eq(whole(seen(j)), m), "m clients are")
    .given("reference", eq(m * rho, whole(seen(j) * r(j))), "the mean response of those seen")
)
_OTHERS, _W = (i, 1, K - 1), C2 - C1
ATTAINED = (
    ATTAINED.step("part", by.apply(PART, {P: seen(i)}))
    .step("low last", by.instance({i: K}, "low"))
    .step("low others", by.instance({i: i}, "low"), over=_OTHERS)
    .step("each", le(0, seen(i) * (r(i) - C1), _OTHERS), by.linear("low others"))
    .step("rest", le(0, Total(seen(j) * (r(j) - C1), j, 1, K - 1)), by.sum_over(i, "each"))
    .step("mean", le(m * C1 + _D, m * rho), by.linear("rest", "reference", "count", "there"))
    .step("ref low", le(C1, rho), by.linear("mean", "low last"))
    .step("all", le(whole(seen(j) * r(j)), r(K) * whole(seen(j))), by.sum_over(i, "largest"))
    .step("ref high", le(rho, r(K)), by.linear("all", "reference", "count"))
    .step("up", le(_one, K / m * (r(K) - rho), EACH), by.linear("largest", "ref high", "part"))
    .step("down", le(K / m * (C1 - rho), _one, EACH), by.linear("low", "ref low", "part"))
    .step("down l", by.instance({i: l}, "down"), over=(l, 1, K))
    .step("span", le(_span, K / (2 * m) * _D / (1 + rho), *_SPANS), by.linear("up", "down l"))
    .step("count drawn", le(_D / (m * (1 + rho)), _W / (_M + _W)), by.linear("mean", "high", "c1"))
    .qed(type(_STATED)(_STATED.left, _STATED.op, _STATED.right, _SPANS), by.linear({"span": 1, "count drawn": K / 2}))
)
THEOREMS = (SLOPE, LEAST, ATTAINED)
