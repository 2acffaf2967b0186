"""I4 and Theorem 5.2: the lower bound on any learner's regret from a fair coin is smaller than the upper bound."""

from __future__ import annotations

from sympy import Integer, Max, Rational, log, sqrt

from fltheory.papers.aaggff.losses.proofs.facts import SLOPE, P, Q, a, b, n
from fltheory.papers.aaggff.notation import C1, C2, K, T
from fltheory.papers.aaggff.unification.proofs import plain
from fltheory.papers.aaggff.unification.proofs.mixing import tied
from fltheory.proof import by, eq, le
from fltheory.proof.terms import E, RandomScalar, family

ahead, toss = family(RandomScalar, "D"), family(RandomScalar, "toss")
first, second = family(RandomScalar, "S1")(), family(RandomScalar, "S2")()
_half, _QUARTER = 1 + C2 / 2, Rational(1, 4)
_MOST = E(Max(first, second))
_TOP = T / 2 + (ahead(T) ** 2 / sqrt(T) + sqrt(T)) / 4
_STEPS = (n, 0, T - 1)
_CHAIN, _STATED = tied("T5.2-coin@printed", _MOST * log(1 + C2) - T * log(_half), used=("c2",),
    note="what no learner's expected regret is below; E max(S1, S2) is at most (T + sqrt T)/2")
ROOM = (
    _CHAIN.given("zero", eq(C1, 0), "the coin's responses are 0 and C2")
    .given("start", eq(ahead(0), 0), "how much more often the first client has responded than the second")
    .given("walk", eq(ahead(n + 1), ahead(n) + toss(n + 1), _STEPS), "round by round")
    .given("sides", eq(toss(n + 1) ** 2, 1, _STEPS), "a toss is 1 or -1")
    .given("fair", eq(E(ahead(n) * toss(n + 1)), 0, _STEPS), "and fair, whatever came before it")
    .given("both", eq(first + second, T), "S1 and S2: how often each of the two responds")
    .given("more", eq(first - second, ahead(T)), "their difference")
    .step(
        "squares",
        eq(ahead(n + 1) ** 2, ahead(n) ** 2 + 2 * ahead(n) * toss(n + 1) + 1, _STEPS),
        by.linear("walk", "sides"),
    )
    .step("means", by.expectation("squares"))
    .step("none", eq(ahead(0) ** 2, 0), by.linear("start"))
    .step("base", by.expectation("none"))
    .step("step", eq(E(ahead(n + 1) ** 2), n + 1, _STEPS), by.linear("means", "fair"), assuming=eq(E(ahead(n) ** 2), n))
    .step("variances", eq(E(ahead(n) ** 2), n, (n, 0, T)), by.induction(n, "base", "step"))
    .step("variance", by.instance({n: T}, "variances"))
    .step(
        "square",
        le(4 * ahead(T) * sqrt(T), (ahead(T) + sqrt(T)) ** 2),
        by.apply("aaggff/square", {P: ahead(T), Q: sqrt(T)}),
    )
    .step(
        "square too",
        le(-4 * ahead(T) * sqrt(T), (-ahead(T) + sqrt(T)) ** 2),
        by.apply("aaggff/square", {P: -ahead(T), Q: sqrt(T)}),
    )
    .step("one", le(first, _TOP), by.linear("both", "more", "square"))
    .step("two", le(second, _TOP), by.linear("both", "more", "square too"))
    .step("larger", by.apply(plain.BOTH, {plain.x: first, plain.y: second, plain.top: _TOP}))
    .step("mean", by.expectation("larger"))
    .step("most", le(_MOST, (T + sqrt(T)) / 2), by.linear("mean", "variance"))
    .step("tangent", le(log(1 + C2) - log(_half), (C2 / 2) / _half), by.apply(SLOPE, {a: 1 + C2, b: _half}))
    .step("tangent too", by.apply(SLOPE, {a: Integer(1), b: _half}))
    .step("concave", le(log(1 + C2), 2 * log(_half)), by.linear("tangent", "tangent too"))
    .step("low", by.fact("log", 1 + C2))
    .step("sign", le(-log(1 + C2), 1 / (1 + C2) - 1), by.fact("log", 1 / (1 + C2)))
    .step("grows", le(0, log(1 + C2)), by.linear("sign"))
    .step("inverse", by.fact("exp", -log(K)))
    .step("clients", le(_QUARTER, log(K)), by.linear("inverse", "c2"))
    .step("positive", le(0, _QUARTER), by.linear())
    .step("root", by.power(Rational(1, 2), "positive", "clients"))
    .qed(_STATED, by.linear("most", "concave", "low", "root", "zero", "grows", "clients"))
)
THEOREMS = (ROOM,)
