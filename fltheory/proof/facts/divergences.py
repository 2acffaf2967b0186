"""The divergence of two probability vectors is nonnegative; the variational formula of the entropy."""

from __future__ import annotations

from sympy import exp

from fltheory.proof import Given, by, le, proof
from fltheory.proof.facts.notation import EACH, P, Q, R, S, Z, divergence, j, logp, logq, logr, m, simplex, whole, y

GAP = (
    proof("facts/divergence-client")
    .step("1", le(1 + P - Q, exp(P - Q)), by.fact("exp", P - Q))
    .qed(le(0, exp(Q) * (Q - P) - exp(Q) + exp(P)), by.linear({"1": exp(Q)}))
)
POSITIVE = (
    proof("facts/divergence", note="D(q || p) >= 0").under(simplex("sum p", logp), simplex("sum q", logq))
    .step("each", le(0, exp(logq(m)) * (logq(m) - logp(m)) - exp(logq(m)) + exp(logp(m)), EACH),
        by.apply(GAP, {P: logp(m), Q: logq(m)}))
    .step("all", le(0, whole(exp(logq(j)) * (logq(j) - logp(j)) - exp(logq(j)) + exp(logp(j)))), by.sum_over(m, "each"))
    .qed(le(0, divergence(logq, logp)), by.linear({"all": 1, "sum p": 1, "sum q": -1}), name="last")
)
GIBBS = (
    proof("facts/gibbs", note="one client of the variational formula of the entropy")
    .step("1", le(1 + P + S - R - Z, exp(P + S - R - Z)), by.fact("exp", P + S - R - Z))
    .qed(le(exp(R) * (1 + P + S - R - Z), exp(P) * exp(S) * exp(-Z)), by.linear({"1": exp(R)}))
)
_MEAN = whole(exp(logp(j)) * y(j))
SUM = simplex("sum r", logr)
SPREAD = Given("spread", le(whole(exp(logp(j)) * exp(y(j))), exp(_MEAN + Z)), "the gains' spread under p")
_51 = le(whole(exp(logr(j)) * y(j)) - divergence(logr, logp), _MEAN + Z)
GAIN = (
    proof("facts/gain", note="no step gains more over p than the logarithm of the mean of e^y").under(SUM, SPREAD)
    .step("each",
        le(exp(logr(m)) * (1 + logp(m) + y(m) - logr(m) - (_MEAN + Z)), exp(logp(m)) * exp(y(m)) * exp(-(_MEAN + Z)),
            EACH), by.apply(GIBBS, {P: logp(m), S: y(m), R: logr(m), Z: _MEAN + Z}))
    .step("all",
        le(whole(exp(logr(j)) * (1 + logp(j) + y(j) - logr(j))) - whole(exp(logr(j))) * (_MEAN + Z),
            whole(exp(logp(j)) * exp(y(j))) * exp(-(_MEAN + Z))), by.sum_over(m, "each"))
    .qed(_51, by.linear({"all": 1, "spread": exp(-(_MEAN + Z)), "sum r": _MEAN + Z - 1}), name="last")
)
