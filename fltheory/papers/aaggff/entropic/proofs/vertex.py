"""One client a round: the estimate has equal entries, the decision stays uniform, and one good client is missed."""

from __future__ import annotations

from sympy import exp, log

from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.losses.proofs.entropy import eta, logp, z
from fltheory.papers.aaggff.losses.proofs.facts import EACH, QUOTIENT, RISES, ROUNDS, P, Q, a, b, i, j, s, t, whole
from fltheory.papers.aaggff.notation import C1, C2, K, T
from fltheory.proof import Given, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import Positive, Scalar, Total, family

PLACE = "Corollary 5.3"
common, r, grown = family(Scalar, "common"), family(Scalar, "r"), family(Positive, "s")

_same = -Total(common(s), s, 1, t - 1) / eta(t) - z(t)
SAME = Given("decision", eq(logp(t, i), _same, ROUNDS, EACH),
    "(12) with estimates that are the same for all clients: with one drawn (10) is the response seen")
SUM = Given("sum", eq(whole(exp(logp(t, j))), 1, ROUNDS), "decisions are distributions")
UNIFORM = (
    proof("aaggff/uniform", PLACE, note="the decision stays uniform for ever").under(SAME, SUM)
    .step("up", le(logp(t, i), _same, ROUNDS, EACH), by.linear("decision"))
    .step("down", le(_same, logp(t, i), ROUNDS, EACH), by.linear("decision"))
    .step("exp up", le(exp(logp(t, i)), exp(_same), ROUNDS, EACH),
        by.apply("aaggff/exp", {P: logp(t, i), Q: _same}, "up"))
    .step("exp down", le(exp(_same), exp(logp(t, i)), ROUNDS, EACH),
        by.apply("aaggff/exp", {P: _same, Q: logp(t, i)}, "down"))
    .step("sum up", le(whole(exp(logp(t, j))), K * exp(_same), ROUNDS), by.sum_over(i, "exp up"))
    .step("sum down", le(K * exp(_same), whole(exp(logp(t, j))), ROUNDS), by.sum_over(i, "exp down"))
    .step("high", le(exp(-log(K)), exp(_same), ROUNDS), by.linear("sum up", "sum"))
    .step("low", le(exp(_same), exp(-log(K)), ROUNDS), by.linear("sum down", "sum"))
    .step("least", le(-log(K), _same, ROUNDS), by.apply("aaggff/log", {P: -log(K), Q: _same}, "high"))
    .step("most", le(_same, -log(K), ROUNDS), by.apply("aaggff/log", {P: _same, Q: -log(K)}, "low"))
    .step("at most", le(logp(t, i), -log(K), ROUNDS, EACH), by.linear("up", "most"))
    .step("at least", le(-log(K), logp(t, i), ROUNDS, EACH), by.linear("down", "least"))
    .qed(eq(logp(t, i), -log(K), ROUNDS, EACH), by.antisymmetry("at most", "at least"))
)
_mean = 1 + C1 + (C2 - C1) / K
GROWN = Given("grown", eq(grown(t), 1 + whole(exp(logp(t, j)) * r(t, j)), ROUNDS),
    "1 + <p, r>: the loss is minus its logarithm")
REGRET = Total(log(1 + C2) - log(grown(t)), t, 1, T)
_VERTEX, _CONDITIONS = statement_of(bounds.VERTEX, REGRET)
VERTEX = (
    proof("aaggff/C5.3-vertex@corrected", PLACE, of="aaggff/C5.3-vertex@corrected", bound=bounds.VERTEX,
        unused=("c2", "c3"))
    .under(SAME, SUM, GROWN)
    .given("responses", eq(whole(r(t, j)), C2 + (K - 1) * C1, ROUNDS),
        "one client responds with C2, the others with C1")
    .under(*_CONDITIONS)
    .step("uniform", by.apply(UNIFORM))
    .step("up", le(logp(t, i), -log(K), ROUNDS, EACH), by.linear("uniform"))
    .step("down", le(-log(K), logp(t, i), ROUNDS, EACH), by.linear("uniform"))
    .step("exp up", le(exp(logp(t, i)), 1 / K, ROUNDS, EACH), by.apply("aaggff/exp", {P: logp(t, i), Q: -log(K)}, "up"))
    .step("exp down", le(1 / K, exp(logp(t, i)), ROUNDS, EACH),
        by.apply("aaggff/exp", {P: -log(K), Q: logp(t, i)}, "down"))
    .step("share", by.antisymmetry("exp up", "exp down"))
    .step("shares", eq(whole(exp(logp(t, j)) * r(t, j)), whole(r(t, j) / K), ROUNDS),
        by.sum_over(i, "share", weight=r(t, i)))
    .step("mean", eq(grown(t), _mean, ROUNDS), by.linear("grown", "shares", "responses"))
    .step("at most", le(grown(t), _mean, ROUNDS), by.linear("mean"))
    .step("positive", lt(0, _mean), by.linear("c1"))
    .step("log", le(log(grown(t)), log(_mean), ROUNDS), by.apply(RISES, {a: grown(t), b: _mean}, "at most", "positive"))
    .step("logs", le(Total(log(grown(t)), t, 1, T), T * log(_mean)), by.sum_over(t, "log"))
    .step("below", le(_mean, 1 + C2), by.linear(c1=1 - 1 / K))
    .step("rises", by.apply(RISES, {a: _mean, b: 1 + C2}, "below", "positive"))
    .step("quotient", by.apply(QUOTIENT, {a: 1 + C2, b: _mean}, "positive"))
    .qed(_VERTEX, by.linear("logs", "quotient", "rises"))
)

THEOREMS = (UNIFORM, VERTEX)
