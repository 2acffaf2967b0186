"""Follow the regularised leader with an entropy of growing weight: regret in linear losses, on each path (Theorem 5.2).

Decisions are written as exp(log p): no entry is 0. In round t, p_i = exp(-G_i/eta_t - z), where G_i is the sum of
client i's gradients before t and z normalises p. The comparator q is any distribution, corners included.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Abs, Expr, Rational, Symbol, exp, log

from fltheory.papers.aaggff.losses.proofs.facts import EACH, ROUNDS, i, j, s, swapped, t, whole
from fltheory.papers.aaggff.notation import K, T
from fltheory.proof import Given, by, eq, le, proof
from fltheory.proof.facts import notation, squares, sums
from fltheory.proof.facts.notation import P, Q, Z, lo, m, u, w, x
from fltheory.proof.terms import Indicator, Nonnegative, Positive, Scalar, Total, family

PLACE = "Theorem 5.2"
logp, g = family(Scalar, "log p"), family(Scalar, "g")
eta, q = family(Positive, "eta"), family(Nonnegative, "q")
z, base, width = family(Scalar, "z"), family(Scalar, "base"), family(Nonnegative, "width")
DECISIONS = (t, 1, T + 1)


def before(now: Expr, client: Expr) -> Expr:
    """Return the sum of a client's gradients before a round."""
    return Total(g(s, client), s, 1, now - 1)


def value(now: Expr | int) -> Expr:
    """Return L^(t)(p^(t)) of the closed form, with eta (sum p log p + log K) as the regulariser."""
    return eta(now) * (log(K) - z(now))


def mean(now: Expr) -> Expr:
    """Return <p, g> of a round."""
    return whole(exp(logp(now, j)) * g(now, j))


CLOSED = Given("decision", eq(logp(t, i), -before(t, i) / eta(t) - z(t), DECISIONS, EACH),
    "the closed form (12) of the minimiser of (9)")
SUM = Given("sum", eq(whole(exp(logp(t, j))), 1, DECISIONS),
    "decisions are distributions: so z is the logarithm of a sum")
LOW = Given("low", le(base(t), g(t, i), ROUNDS, EACH), "the gradient's entries lie on an interval")
HIGH = Given("high", le(g(t, i), base(t) + width(t), ROUNDS, EACH), "of this length")
RISING = Given("rising", le(eta(t), eta(t + 1), ROUNDS), "the regulariser never loses weight")
OTHER = Given("other", eq(whole(q(j)), 1), "q is a distribution")

# (12): the closed form is the minimiser -------------------------------------------------------------------------------

_now, G, e, c = family(Scalar, "log p")(i), family(Scalar, "G"), family(Positive, "eta")(), family(Scalar, "z")()
logr, own = family(Scalar, "log r"), family(Scalar, "log p")


def objective(logs: Callable[..., Expr]) -> Expr:
    """<G, p> + eta sum p log p."""
    return whole(exp(logs(j)) * (G(j) + e * logs(j)))


_TWO = (
    Given("decision", eq(own(i), -G(i) / e - c, EACH), "the closed form"),
    Given("sum", eq(whole(exp(own(j))), 1), "a distribution"),
    Given("sum r", eq(whole(exp(logr(j))), 1), "another one"),
)
_APART = whole(exp(logr(j)) * (logr(j) - own(j)))
BETTER = (
    proof("aaggff/4.5-gap", "Remark 4.5, A.6", note="any other distribution r is worse by eta D(r || p), exactly")
    .under(*_TWO)
    .step("own", eq(objective(own), -e * c * whole(exp(own(j)))), by.sum_over(i, "decision", weight=e * exp(own(i))))
    .step("r", eq(whole(exp(logr(j)) * (G(j) + e * own(j))), -e * c * whole(exp(logr(j)))),
        by.sum_over(i, "decision", weight=e * exp(logr(i))))
    .qed(eq(objective(logr) - objective(own), e * _APART), by.linear("own", "r", "sum", "sum r"))
)
LEAST = (
    proof("aaggff/4.5", "Remark 4.5, A.6", of="aaggff/4.5@printed", note="so that (12) minimises (9)").under(*_TWO)
    .step("gap", by.apply(BETTER))
    .step("apart", le(0, _APART),
        by.apply("aaggff/divergence", {notation.logp(m): own(m), notation.logq(m): logr(m)}, "sum", "sum r"))
    .qed(le(objective(own), objective(logr)), by.linear("gap", "apart"))
)

CONJUGATE = (
    proof("aaggff/A.6-conjugate-value", "Appendix A.6 (92)", of="aaggff/A.6-conjugate@corrected",
        note="the largest <u, p> - eta sum p log p, which is at the closed form, is eta log sum exp(u/eta): u = -G, the logarithm "
        "is c")
    .under(*_TWO[:2])
    .step("own", eq(objective(own), -e * c * whole(exp(own(j)))), by.sum_over(i, "decision", weight=e * exp(own(i))))
    .qed(eq(-objective(own), e * c), by.linear("own", "sum"))
)
before_eta, after_eta = Symbol("eta1", positive=True), Symbol("eta2", positive=True)
_entropy = whole(exp(own(j)) * (own(j) + log(K)))
GROWS = (
    proof("aaggff/A.7-growing-inside", "Lemma A.7", of="aaggff/A.7-growing@corrected",
        note="the regulariser does not decrease where log K is added to the entropy")
    .given("later", le(before_eta, after_eta), "the factor of the regulariser grows")
    .given("sum", eq(whole(exp(own(j))), 1), "a distribution")
    .step("same", eq(whole(1 / K), 1), by.linear())
    .step("apart", le(0, _entropy),
        by.apply("aaggff/divergence", {notation.logp(m): -log(K), notation.logq(m): own(m)}, "same", "sum"))
    .qed(le(before_eta * _entropy, after_eta * _entropy), by.linear("later", "apart"))
)
share = Symbol("share", positive=True)
_plain = share * log(share) + share * log(share)
FALLS = (
    proof("aaggff/A.7-growing@printed", "Lemma A.7", of="aaggff/A.7-growing@printed", recorded="REFUTED",
        note="the entropy as printed, at two equal clients")
    .given("later", le(before_eta, after_eta), "the factor of the regulariser grows")
    .given("half", eq(2 * share, 1), "two clients with half of the weight each")
    .qed(le(before_eta * _plain, after_eta * _plain),
        by.counterexample({share: Rational(1, 2), before_eta: 1, after_eta: 2}, "later", "half"),
        note="the entropy is negative")
)

# Pinsker's inequality, from Hoeffding's lemma for the signs of the differences
_apart = exp(logr(i)) - exp(own(i))
distance = Symbol("distance", nonnegative=True)
DISTANCE = Given("distance", eq(whole(Abs(exp(logr(j)) - exp(own(j)))), distance), "the sum norm of the difference")


def _sign(client: Expr) -> Expr:
    return 2 * Indicator(exp(logr(client)) - exp(own(client))) - 1


_mean_p, _mean_r = (whole(exp(logs(j)) * distance * _sign(j)) for logs in (own, logr))
PINSKER = (
    proof("aaggff/pinsker", "Theorem 5.2", note="the entropy is 1-strongly convex in the sum norm")
    .under(*_TWO[1:], DISTANCE)
    .step("share", le(Indicator(_apart), 1, EACH), by.fact("indicator", _apart))
    .step("under", le(-distance, distance * _sign(i), EACH), by.linear())
    .step("over", le(distance * _sign(i), -distance + 2 * distance, EACH), by.linear("share"))
    .step("signs", eq(_apart * Indicator(_apart), (_apart + Abs(_apart)) / 2, EACH), by.fact("indicator", _apart))
    .step("all signs",
        eq(whole((exp(logr(j)) - exp(own(j))) * (_sign(j) + 1) / 2),
            whole((exp(logr(j)) - exp(own(j)) + Abs(exp(logr(j)) - exp(own(j)))) / 2)), by.sum_over(i, "signs"))
    .step("spread", le(whole(exp(own(j)) * exp(distance * _sign(j))), exp(_mean_p + (2 * distance) ** 2 / 8)),
        by.apply("aaggff/L18", {w(j): exp(own(j)), u(m): distance * _sign(m), lo: -distance, x: 2 * distance}, "sum",
            "under", "over"))
    .step("gains", le(_mean_r - _APART, _mean_p + (2 * distance) ** 2 / 8),
        by.apply("aaggff/51",
            {notation.logp(m): own(m), notation.logr(m): logr(m), notation.y(m): distance * _sign(m), Z: (2 * distance) ** 2 / 8},
            "sum r", "spread"))
    .qed(le(distance**2 / 2, _APART), by.linear("gains", "all signs", "distance"))
)
STRONG = (
    proof("aaggff/4.5-inside", "Remark 4.5", of="aaggff/4.5@strengthened",
        note="any other distribution is worse by eta/2 times the squared distance")
    .under(*_TWO, DISTANCE)
    .step("gap", by.apply(BETTER))
    .step("pinsker", by.apply(PINSKER))
    .qed(le(e / 2 * distance**2, objective(logr) - objective(own)), by.linear("gap", "pinsker"))
)

# One round ------------------------------------------------------------------------------------------------------------

_next, _y = t + 1, -g(t, i) / eta(t)
_from = whole(exp(logp(_next, j)) * (logp(_next, j) - logp(t, j)))
_COST = width(t) ** 2 / (8 * eta(t))
_ROUND = le(value(t) + mean(t), value(_next) + _COST, ROUNDS)
_HERE = {notation.logp(m): logp(t, m), notation.logr(m): logp(_next, m), notation.y(m): -g(t, m) / eta(t)}
ROUND = (
    proof("aaggff/entropy-round", "Lemma A.7",
        note="L^(t)(p^(t)) + <g, p^(t)> <= L^(t+1)(p^(t+1)) + width^2/(8 eta): what Lemma A.7 gives, with Hoeffding")
    .under(CLOSED, SUM, LOW, HIGH, RISING)
    .step("now", eq(logp(t, i), -before(t, i) / eta(t) - z(t), ROUNDS, EACH), by.linear("decision"))
    .step("next", by.instance({t: _next}, "decision"), over=(ROUNDS, EACH))
    .step("sum now", eq(whole(exp(logp(t, j))), 1, ROUNDS), by.linear("sum"))
    .step("sum next", by.instance({t: _next}, "sum"), over=ROUNDS)
    .step("under", le(-(base(t) + width(t)) / eta(t), _y, ROUNDS, EACH), by.linear("high"))
    .step("over", le(_y, -(base(t) + width(t)) / eta(t) + width(t) / eta(t), ROUNDS, EACH), by.linear("low"))
    .step("spread",
        le(whole(exp(logp(t, j)) * exp(-g(t, j) / eta(t))),
            exp(whole(exp(logp(t, j)) * (-g(t, j) / eta(t))) + (width(t) / eta(t)) ** 2 / 8), ROUNDS),
        by.apply("aaggff/L18",
            {w(j): exp(logp(t, j)), u(m): -g(t, m) / eta(t), lo: -(base(t) + width(t)) / eta(t), x: width(t) / eta(t)},
            "sum now", "under", "over"), note="Hoeffding's lemma")
    .step("gains",
        le(whole(exp(logp(_next, j)) * (-g(t, j) / eta(t))) - _from,
            whole(exp(logp(t, j)) * (-g(t, j) / eta(t))) + (width(t) / eta(t)) ** 2 / 8, ROUNDS),
        by.apply("aaggff/51", {**_HERE, Z: (width(t) / eta(t)) ** 2 / 8}, "sum next", "spread"),
        note="no decision gains more over this one than that")
    .step("own",
        eq(whole(exp(logp(_next, j)) * eta(t) * logp(t, j)),
            whole(exp(logp(_next, j)) * (-before(t, j) - eta(t) * z(t))), ROUNDS),
        by.sum_over(i, "now", weight=exp(logp(_next, i)) * eta(t)))
    .step("own next",
        eq(whole(exp(logp(_next, j)) * eta(_next) * logp(_next, j)),
            whole(exp(logp(_next, j)) * (-before(_next, j) - eta(_next) * z(_next))), ROUNDS),
        by.sum_over(i, "next", weight=exp(logp(_next, i)) * eta(_next)))
    .step("same", eq(whole(1 / K), 1), by.linear())
    .step("apart", le(0, whole(exp(logp(_next, j)) * (logp(_next, j) + log(K))), ROUNDS),
        by.apply("aaggff/divergence", {notation.logp(m): -log(K), notation.logq(m): logp(_next, m)}, "same",
            "sum next"), note="the regulariser is not negative")
    .qed(_ROUND, by.linear("gains", "own", "own next", "apart", "sum next", "rising"))
)

# All rounds -----------------------------------------------------------------------------------------------------------

REGRET = Total(whole(g(t, j) * (exp(logp(t, j)) - q(j))), t, 1, T)
LIMIT = eta(T + 1) * log(K) + Total(_COST, t, 1, T)
SETTING = (CLOSED, SUM, LOW, HIGH, RISING, OTHER)
_lowest = -eta(T + 1) * z(T + 1)
ALL = (
    proof("aaggff/entropy", PLACE, note="Lemma A.4 with R^(T+1) := R^(T), the sum of what Lemma A.7 gives")
    .under(*SETTING)
    .step("sum 1", by.instance({t: 1}, "sum"))
    .step("first", eq(logp(1, i), -z(1), EACH), by.instance({t: 1}, "decision"))
    .step("below", le(logp(1, i), -z(1), EACH), by.linear("first"))
    .step("shares", le(exp(logp(1, i)), exp(-z(1)), EACH), by.apply("aaggff/exp", {P: logp(1, i), Q: -z(1)}, "below"))
    .step("all shares", le(whole(exp(logp(1, j))), K * exp(-z(1))), by.sum_over(i, "shares"))
    .step("share", le(exp(-log(K)), exp(-z(1))), by.linear("all shares", "sum 1"))
    .step("start", le(-log(K), -z(1)), by.apply("aaggff/log", {P: -log(K), Q: -z(1)}, "share"),
        note="L^(1)(p^(1)) >= 0")
    .step("round", by.apply(ROUND))
    .step("back", le(-value(_next), -value(t) + _COST - mean(t), ROUNDS), by.linear("round"))
    .step("all", le(-value(T + 1), -value(1) + Total(_COST - mean(t), t, 1, T)),
        by.apply("aaggff/telescope", {sums.d(t): -value(t), sums.s(t): _COST - mean(t), squares.N: T}, "back"))
    .step("sum last", by.instance({t: T + 1}, "sum"))
    .step("high last", le(logp(T + 1, i), 0, EACH),
        by.apply("aaggff/log-high", {notation.logp(m): logp(T + 1, m)}, "sum last"))
    .step("last", by.instance({t: T + 1}, "decision"))
    .step("each", le(_lowest, before(T + 1, i), EACH), by.linear("high last", "last"),
        note="no client's gradients add up to less")
    .step("end", le(whole(q(j) * _lowest), whole(q(j) * before(T + 1, j))), by.sum_over(i, "each", weight=q(i)))
    .steps(swapped("swap", q(j) * g(t, j)))
    .qed(le(REGRET, LIMIT), by.linear("all", "start", "end", "other", "swap"))
)

THEOREMS = (BETTER, LEAST, CONJUGATE, GROWS, FALLS, PINSKER, STRONG, ROUND, ALL)
