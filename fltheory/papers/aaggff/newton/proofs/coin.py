"""I4, a fair coin: one of two clients has the response C2, the other 0. Every learner has large regret on it.

``x`` is the first client's share before the coin of a round is tossed; it may be random.
"""

from __future__ import annotations

from sympy import log

from fltheory.papers.aaggff.losses.proofs.facts import ROUNDS, SLOPE, a, b, t
from fltheory.papers.aaggff.notation import C2, T
from fltheory.proof import Given, by, eq, le, proof
from fltheory.proof.terms import E, RandomNonnegative, RandomPositive, RandomScalar, Total, family

PLACE = "Theorems 5.1 and 5.2"
x, most, best = family(RandomNonnegative, "x"), family(RandomNonnegative, "M")(), family(RandomScalar, "best")()
grown, first, second = (family(RandomPositive, name) for name in ("s", "s1", "s2"))
_half = 1 + C2 / 2
COIN = (
    Given("first", eq(first(t), 1 + C2 * x(t), ROUNDS), "what the loss is made of if the first client responds"),
    Given("second", eq(second(t), 1 + C2 * (1 - x(t)), ROUNDS), "and if the second one does"),
    Given("fair", eq(E(log(grown(t))), E(log(first(t))) / 2 + E(log(second(t))) / 2, ROUNDS),
        "the coin is fair, whatever came before it, and so whatever x is"),
)
LEARNER = (
    proof("aaggff/coin-learner", PLACE, note="no learner's expected loss is below -log(1 + C2/2) a round").under(*COIN)
    .step("1", le(log(first(t)) - log(_half), (first(t) - _half) / _half, ROUNDS),
        by.apply(SLOPE, {a: first(t), b: _half}))
    .step("2", by.apply(SLOPE, {a: second(t), b: _half}), over=ROUNDS)
    .step("both", le(log(first(t)) / 2 + log(second(t)) / 2, log(_half), ROUNDS),
        by.linear("1", "2", "first", "second"), note="the logarithm is concave: an even split is best")
    .step("mean", by.expectation("both"))
    .step("round", le(E(log(grown(t))), log(_half), ROUNDS), by.linear("mean", "fair"))
    .qed(le(E(Total(log(grown(t)), t, 1, T)), T * log(_half)), by.sum_over(t, "round"))
)
REGRET = (
    proof("aaggff/coin", PLACE, note="any learner's expected regret is at least E[M] log(1 + C2) - T log(1 + C2/2)")
    .under(*COIN)
    .given("corner", le(most * log(1 + C2), best),
        "the best fixed decision is no worse than the client that responds more often, M times")
    .step("learner", by.apply(LEARNER))
    .step("corner mean", by.expectation("corner"))
    .qed(le(E(most) * log(1 + C2) - T * log(_half), E(best - Total(log(grown(t)), t, 1, T))),
        by.linear("learner", "corner mean"))
)

THEOREMS = (LEARNER, REGRET)
