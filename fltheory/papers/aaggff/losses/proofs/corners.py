"""The entropy on the whole simplex: a decision is kept exp(log r), where ``kept`` is 1, or 0 in a corner."""

from __future__ import annotations

from sympy import Abs, Expr, Symbol, exp, log

from fltheory.papers.aaggff.losses.proofs import entropy
from fltheory.papers.aaggff.losses.proofs.entropy import (CLOSED, HIGH, LOW, SUM, G, before, c, e, eta, g, logp, logr,
    mean, own, value, width)
from fltheory.papers.aaggff.losses.proofs.facts import EACH, ROUNDS, P, Q, i, j, t, whole
from fltheory.papers.aaggff.notation import K
from fltheory.papers.aaggff.unification.proofs.mixing import tied
from fltheory.proof import Given, by, eq, le, proof
from fltheory.proof.facts.notation import lo, m, u, w, x
from fltheory.proof.terms import Indicator, Nonnegative, Positive, family

kept, distance = family(Nonnegative, "kept"), family(Positive, "distance")()
KEPT = Given("kept", eq(kept(i) ** 2, kept(i), EACH), "1 or 0: whether a client has any weight")
OTHER = Given("sum r", eq(whole(kept(j) * exp(logr(j))), 1), "a decision, which may be in a corner")
MINE = Given("sum", eq(whole(exp(own(j))), 1), "the closed form is a decision")
CLOSED_FORM = Given("decision", eq(own(i), -G(i) / e - c, EACH), "(93)")
PART = ("part", le(0, 1 - kept(i), EACH), by.apply("aaggff/indicator", {P: kept(i)}, "kept"))


def objective(weights: Expr, logs: Expr) -> Expr:
    """<G, p> + eta sum p log p."""
    return whole(weights * (G(j) + e * logs))


# Lemma A.7, as used: the shifted entropy --------------------------------------------------------------------------------------

first, second = Symbol("eta1", positive=True), Symbol("eta2", positive=True)
_ENTROPY = whole(kept(j) * exp(logr(j)) * (logr(j) + log(K)))
SHIFTED = (
    proof("aaggff/shifted-entropy", "Lemma A.7", note="sum p log p + log K is not negative, corners included")
    .under(KEPT, OTHER)
    .step(*PART)
    .step("tangent", le(1 - log(K) - logr(i), exp(-log(K) - logr(i)), EACH),
        by.apply("aaggff/tangent", {P: -log(K) - logr(i)}))
    .step("each", le(kept(i) * exp(logr(i)) * (1 - log(K) - logr(i)), 1 / K, EACH), by.linear("tangent", "part"))
    .step("all", le(whole(kept(j) * exp(logr(j)) * (1 - log(K) - logr(j))), 1), by.sum_over(i, "each"))
    .qed(le(0, _ENTROPY), by.linear("all", "sum r"))
)
_CHAIN, _STATED = tied("A.7-growing@corrected", (second - first) * _ENTROPY)
GROWING = (
    _CHAIN.under(KEPT, OTHER)
    .given("later", le(first, second), "the factor of the regulariser grows")
    .step("sign", by.apply(SHIFTED))
    .qed(_STATED, by.linear("later", "sign"))
)

# Pinsker's inequality ---------------------------------------------------------------------------------------------------------

_APART = whole(kept(j) * exp(logr(j)) * (logr(j) - own(j)))
_way = kept(i) * exp(logr(i)) - exp(own(i))
DISTANCE = Given("distance", eq(whole(Abs(_way.xreplace({i: j}))), distance), "the sum norm of the difference, not 0")


def _sign(client: Expr) -> Expr:
    return 2 * Indicator(kept(client) * exp(logr(client)) - exp(own(client))) - 1


_Z = whole(exp(own(j)) * distance * _sign(j)) + (2 * distance) ** 2 / 8
PINSKER = (
    proof("aaggff/pinsker-corners", "Theorem 5.2", note="the entropy is 1-strongly convex in the sum norm")
    .under(KEPT, OTHER, MINE, DISTANCE)
    .step(*PART)
    .step("share", le(Indicator(_way), 1, EACH), by.fact("indicator", _way))
    .step("under", le(-distance, distance * _sign(i), EACH), by.linear())
    .step("over", le(distance * _sign(i), -distance + 2 * distance, EACH), by.linear("share"))
    .step("signs", eq(_way * Indicator(_way), (_way + Abs(_way)) / 2, EACH), by.fact("indicator", _way))
    .step("all signs",
        eq(whole((_way * (_sign(i) + 1) / 2).xreplace({i: j})), whole(((_way + Abs(_way)) / 2).xreplace({i: j}))),
        by.sum_over(i, "signs"))
    .step("spread", le(whole(exp(own(j)) * exp(distance * _sign(j))), exp(_Z)),
        by.apply("aaggff/L18", {w(j): exp(own(j)), u(m): distance * _sign(m), lo: -distance, x: 2 * distance}, "sum",
            "under", "over"))
    .step("tangent",
        le(1 + distance * _sign(i) + own(i) - logr(i) - _Z, exp(distance * _sign(i) + own(i) - logr(i) - _Z), EACH),
        by.apply("aaggff/tangent", {P: distance * _sign(i) + own(i) - logr(i) - _Z}))
    .step("each",
        le(kept(i) * exp(logr(i)) * (1 + distance * _sign(i) + own(i) - logr(i) - _Z),
            exp(own(i)) * exp(distance * _sign(i)) * exp(-_Z), EACH), by.linear("tangent", "part"))
    .step("all",
        le(whole(kept(j) * exp(logr(j)) * (1 + distance * _sign(j) + own(j) - logr(j) - _Z)),
            whole(exp(own(j)) * exp(distance * _sign(j)) * exp(-_Z))), by.sum_over(i, "each"))
    .qed(le(distance**2 / 2, _APART), by.linear("all", "spread", "sum r", "all signs", "distance"))
)
_GAIN = objective(kept(j) * exp(logr(j)), logr(j)) - objective(exp(own(j)), own(j))
_CHAIN, _STATED = tied("4.5@strengthened", _GAIN / (e / 2 * distance**2), note="any other decision, corners included")
STRONG = (
    _CHAIN.under(CLOSED_FORM, KEPT, OTHER, MINE, DISTANCE)
    .step(
        "own",
        eq(whole(exp(own(j)) * e * own(j)), whole(exp(own(j)) * (-G(j) - e * c))),
        by.sum_over(i, "decision", weight=e * exp(own(i))),
    )
    .step(
        "r",
        eq(whole(kept(j) * exp(logr(j)) * e * own(j)), whole(kept(j) * exp(logr(j)) * (-G(j) - e * c))),
        by.sum_over(i, "decision", weight=e * kept(i) * exp(logr(i))),
    )
    .step("gap", eq(_GAIN, e * _APART), by.linear("own", "r", "sum", "sum r"))
    .step("pinsker", by.apply(PINSKER))
    .qed(_STATED, by.linear("gap", "pinsker"))
)

total = family(Positive, "total")()
_OWN = objective(exp(own(j)), own(j))
_CHAIN, _STATED = tied("A.6-conjugate@corrected", -_OWN - e * log(total),
    note="u = -G; the largest value is at the closed form, see aaggff/4.5")
CONJUGATE = (
    _CHAIN.under(CLOSED_FORM, MINE)
    .given("total", eq(total, whole(exp(-G(j) / e))), "the sum of the exponentials")
    .step("up", le(own(i), -G(i) / e - c, EACH), by.linear("decision"))
    .step("down", le(-G(i) / e - c, own(i), EACH), by.linear("decision"))
    .step(
        "exp up", le(exp(own(i)), exp(-G(i) / e - c), EACH), by.apply("aaggff/exp", {P: own(i), Q: -G(i) / e - c}, "up")
    )
    .step(
        "exp down",
        le(exp(-G(i) / e - c), exp(own(i)), EACH),
        by.apply("aaggff/exp", {P: -G(i) / e - c, Q: own(i)}, "down"),
    )
    .step("shares", by.antisymmetry("exp up", "exp down"))
    .step("all", eq(whole(exp(own(j))), whole(exp(-G(j) / e)) * exp(-c)), by.sum_over(i, "shares"))
    .step("exp", eq(exp(c), exp(log(total))), by.linear("all", "sum", "total"))
    .step("log", eq(c, log(total)), by.apply("aaggff/log-equal", {P: c, Q: log(total)}, "exp"))
    .step("own", eq(_OWN, -e * c * whole(exp(own(j)))), by.sum_over(i, "decision", weight=e * exp(own(i))))
    .qed(_STATED, by.linear("own", "sum", "log"))
)

# Lemma A.7: one round -------------------------------------------------------------------------------------------------------

_next = t + 1
_EARLIER = tuple(step for step in entropy.ROUND.steps[:-1] if step.id not in ("same", "apart"))
_UNIFORM = whole(exp(logp(_next, j)) * (logp(_next, j) + log(K)))
_STEP = le(value(t) + mean(t), value(_next) + (width(t) ** 2 / (8 * eta(t))) + (eta(t) - eta(_next)) * _UNIFORM, ROUNDS)
ROUND = (
    proof("aaggff/entropy-step", "Lemma A.7", note="with the change of the regulariser as it is")
    .under(CLOSED, SUM, LOW, HIGH)
    .steps(*_EARLIER)
    .qed(_STEP, by.linear("gains", "own", "own next", "sum next"))
)
longest = family(Nonnegative, "g max")


def leader(now: Expr) -> Expr:
    """L^(t) at its decision."""
    return whole(exp(logp(now, j)) * (before(now, j) + eta(now) * (logp(now, j) + log(K))))


_RIGHT = longest(t) ** 2 / (2 * eta(t)) + eta(t) * _UNIFORM - eta(_next) * _UNIFORM
_CHAIN, _STATED = tied("A.7@printed", leader(t) - leader(_next) + mean(t) - _RIGHT,
    note="with eta (sum p log p + log K)")
A7 = (
    _CHAIN.under(CLOSED, SUM)
    .given("up", le(g(t, i), longest(t), ROUNDS, EACH), "no entry of the gradient is beyond |g|_inf")
    .given("down", le(-longest(t), g(t, i), ROUNDS, EACH), "on either side")
    .step("high", le(g(t, i), -longest(t) + 2 * longest(t), ROUNDS, EACH), by.linear("up"))
    .step("step", by.apply(ROUND, {entropy.base(t): -longest(t), width(t): 2 * longest(t)}))
    .step(
        "all",
        eq(
            whole(exp(logp(t, j)) * eta(t) * logp(t, j)),
            whole(exp(logp(t, j)) * (-before(t, j) - eta(t) * entropy.z(t))),
            entropy.DECISIONS,
        ),
        by.sum_over(i, "decision", weight=eta(t) * exp(logp(t, i))),
    )
    .step("value", eq(leader(t), value(t), entropy.DECISIONS), by.linear("all", "sum"))
    .step("now", eq(leader(t), value(t), ROUNDS), by.linear("value"))
    .step("next", by.instance({t: _next}, "value"), over=ROUNDS)
    .qed(type(_STATED)(_STATED.left, "<=", 0, (ROUNDS,)), by.linear("step", "now", "next"))
)
THEOREMS = (SHIFTED, GROWING, PINSKER, STRONG, CONJUGATE, ROUND, A7)
