"""Follow the regularised leader with an entropy that gains weight: regret in linear losses, on each path (Theorem 5.2's core).

Decisions are written as exp(log p): none is 0. The decision of round t is p_i = exp(-G_i/eta_t - z), G_i being what client i's
gradients before t add up to and z what makes it a distribution; the comparator q is any one, corners included.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Rational, Symbol, exp, log

from fltheory.papers.aaggff.letters import K, T
from fltheory.proof.language import Apply, Combine, Given, Instance, Known, Step, Summed, Theorem, Witness, eq, le
from fltheory.proof.terms import Indicator, Nonnegative, Positive, Scalar, Total, family
from proofs_checks.aaggff.facts import EACH, ROUNDS, i, j, s, swapped, t, whole
from proofs_checks.osmd import facts, lemmas
from proofs_checks.osmd.lemmas import P, Q, Z, lo, m, u, w, x

PLACE = "Theorem 5.2"
logp, g = family(Scalar, "log p"), family(Scalar, "g")
eta, q = family(Positive, "eta"), family(Nonnegative, "q")
z, base, width = family(Scalar, "z"), family(Scalar, "base"), family(Nonnegative, "width")
DECISIONS = (t, 1, T + 1)


def before(now: Any, client: Any) -> Expr:
    """What a client's gradients add up to before a round."""
    return Total(g(s, client), s, 1, now - 1)


def value(now: Any) -> Expr:
    """L^(t)(p^(t)) of the closed form, with eta (sum p log p + log K) as the regulariser."""
    return eta(now) * (log(K) - z(now))


def mean(now: Any) -> Expr:
    """<p, g> of a round."""
    return whole(exp(logp(now, j)) * g(now, j))


CLOSED = Given(
    "decision",
    eq(logp(t, i), -before(t, i) / eta(t) - z(t), DECISIONS, EACH),
    "the closed form (12) of the minimiser of (9)",
)
SUM = Given(
    "sum", eq(whole(exp(logp(t, j))), 1, DECISIONS), "decisions are distributions: so z is the logarithm of a sum"
)
LOW = Given("low", le(base(t), g(t, i), ROUNDS, EACH), "the gradient's entries lie on an interval")
HIGH = Given("high", le(g(t, i), base(t) + width(t), ROUNDS, EACH), "of this length")
RISING = Given("rising", le(eta(t), eta(t + 1), ROUNDS), "the regulariser never loses weight")
OTHER = Given("other", eq(whole(q(j)), 1), "q is a distribution")

# (12): the closed form is the minimiser -------------------------------------------------------------------------------

_now, G, e, c = family(Scalar, "log p")(i), family(Scalar, "G"), family(Positive, "eta")(), family(Scalar, "z")()
logr, own = family(Scalar, "log r"), family(Scalar, "log p")


def objective(logs: Any) -> Expr:
    """<G, p> + eta sum p log p."""
    return whole(exp(logs(j)) * (G(j) + e * logs(j)))


_TWO = (
    Given("decision", eq(own(i), -G(i) / e - c, EACH), "the closed form"),
    Given("sum", eq(whole(exp(own(j))), 1), "a distribution"),
    Given("sum r", eq(whole(exp(logr(j))), 1), "another one"),
)
_APART = whole(exp(logr(j)) * (logr(j) - own(j)))
_BETTER = eq(objective(logr) - objective(own), e * _APART)
BETTER = Theorem(
    "aaggff/4.5-gap",
    _BETTER,
    _TWO,
    (
        Step("own", eq(objective(own), -e * c * whole(exp(own(j)))), Summed((i,), e * exp(own(i))), ("decision",)),
        Step(
            "r",
            eq(whole(exp(logr(j)) * (G(j) + e * own(j))), -e * c * whole(exp(logr(j)))),
            Summed((i,), e * exp(logr(i))),
            ("decision",),
        ),
        Step("1", _BETTER, Combine({"own": -1, "r": 1, "sum": e * c, "sum r": -e * c}), ("own", "r", "sum", "sum r")),
    ),
    place="Remark 4.5, A.6",
    note="any other distribution r is worse by eta D(r || p), exactly",
)
_LEAST = le(objective(own), objective(logr))
LEAST = Theorem(
    "aaggff/4.5",
    _LEAST,
    _TWO,
    (
        Step("gap", _BETTER, Apply("aaggff/4.5-gap"), ("decision", "sum", "sum r")),
        Step(
            "apart",
            le(0, _APART),
            Apply("aaggff/divergence", {lemmas.logp(m): own(m), lemmas.logq(m): logr(m)}),
            ("sum", "sum r"),
        ),
        Step("1", _LEAST, Combine({"gap": -1, "apart": e}), ("gap", "apart")),
    ),
    claim="aaggff/4.5@printed",
    place="Remark 4.5, A.6",
    note="so that (12) minimises (9)",
)

_CONJUGATE = eq(-objective(own), e * c)
CONJUGATE = Theorem(
    "aaggff/A.6-conjugate@corrected",
    _CONJUGATE,
    _TWO[:2],
    (
        Step("own", eq(objective(own), -e * c * whole(exp(own(j)))), Summed((i,), e * exp(own(i))), ("decision",)),
        Step("1", _CONJUGATE, Combine({"own": -1, "sum": e * c}), ("own", "sum")),
    ),
    claim="aaggff/A.6-conjugate@corrected",
    place="Appendix A.6 (92)",
    note="the largest <u, p> - eta sum p log p, which is at the closed form, is eta log sum exp(u/eta): u = -G, the logarithm is c",
)
before_eta, after_eta = Symbol("eta1", positive=True), Symbol("eta2", positive=True)
_entropy = whole(exp(own(j)) * (own(j) + log(K)))
_GROWS = le(before_eta * _entropy, after_eta * _entropy)
_LATER = Given("later", le(before_eta, after_eta), "the factor of the regulariser grows")
_SUM = Given("sum", eq(whole(exp(own(j))), 1), "a distribution")
GROWS = Theorem(
    "aaggff/A.7-growing@corrected",
    _GROWS,
    (_LATER, _SUM),
    (
        Step("same", eq(whole(1 / K), 1), Combine()),
        Step(
            "apart",
            le(0, _entropy),
            Apply("aaggff/divergence", {lemmas.logp(m): -log(K), lemmas.logq(m): own(m)}),
            ("same", "sum"),
        ),
        Step("1", _GROWS, Combine({"later": _entropy}), ("later", "apart")),
    ),
    claim="aaggff/A.7-growing@corrected",
    place="Lemma A.7",
    note="the regulariser does not decrease where log K is added to the entropy",
)
share = Symbol("share", positive=True)
_plain = share * log(share) + share * log(share)
_FALLS = le(before_eta * _plain, after_eta * _plain)
FALLS = Theorem(
    "aaggff/A.7-growing@printed",
    _FALLS,
    (
        Given("later", le(before_eta, after_eta), "the factor of the regulariser grows"),
        Given("half", eq(2 * share, 1), "two clients with half of the weight each"),
    ),
    (
        Step(
            "1",
            _FALLS,
            Witness({share: Rational(1, 2), before_eta: 1, after_eta: 2}),
            ("later", "half"),
            expected="REFUTED",
            note="the entropy is negative",
        ),
    ),
    expected="REFUTED",
    claim="aaggff/A.7-growing@printed",
    place="Lemma A.7",
    note="the entropy as printed, at two equal clients",
)

# Pinsker's inequality, from Hoeffding's lemma for the signs of the differences
_apart = exp(logr(i)) - exp(own(i))
distance = Symbol("distance", nonnegative=True)
DISTANCE = Given("distance", eq(whole(Abs(exp(logr(j)) - exp(own(j)))), distance), "the sum norm of the difference")


def _sign(client: Any) -> Expr:
    return 2 * Indicator(exp(logr(client)) - exp(own(client))) - 1


_mean_p, _mean_r = (whole(exp(logs(j)) * distance * _sign(j)) for logs in (own, logr))
_PINSKER = le(distance**2 / 2, _APART)
PINSKER = Theorem(
    "aaggff/pinsker",
    _PINSKER,
    (*_TWO[1:], DISTANCE),
    (
        Step("share", le(Indicator(_apart), 1, EACH), Known("indicator", _apart)),
        Step("under", le(-distance, distance * _sign(i), EACH), Combine()),
        Step(
            "over",
            le(distance * _sign(i), -distance + 2 * distance, EACH),
            Combine({"share": 2 * distance}),
            ("share",),
        ),
        Step("signs", eq(_apart * Indicator(_apart), (_apart + Abs(_apart)) / 2, EACH), Known("indicator", _apart)),
        Step(
            "all signs",
            eq(
                whole((exp(logr(j)) - exp(own(j))) * (_sign(j) + 1) / 2),
                whole((exp(logr(j)) - exp(own(j)) + Abs(exp(logr(j)) - exp(own(j)))) / 2),
            ),
            Summed((i,)),
            ("signs",),
        ),
        Step(
            "spread",
            le(whole(exp(own(j)) * exp(distance * _sign(j))), exp(_mean_p + (2 * distance) ** 2 / 8)),
            Apply("aaggff/L18", {w(j): exp(own(j)), u(m): distance * _sign(m), lo: -distance, x: 2 * distance}),
            ("sum", "under", "over"),
        ),
        Step(
            "gains",
            le(_mean_r - _APART, _mean_p + (2 * distance) ** 2 / 8),
            Apply(
                "aaggff/51",
                {
                    lemmas.logp(m): own(m),
                    lemmas.logr(m): logr(m),
                    lemmas.y(m): distance * _sign(m),
                    Z: (2 * distance) ** 2 / 8,
                },
            ),
            ("sum r", "spread"),
        ),
        Step(
            "1",
            _PINSKER,
            Combine({"gains": 1, "all signs": -2 * distance, "distance": -distance}),
            ("gains", "all signs", "distance"),
        ),
    ),
    place="Theorem 5.2",
    note="the entropy is 1-strongly convex in the sum norm",
)
_STRONG = le(e / 2 * distance**2, objective(logr) - objective(own))
STRONG = Theorem(
    "aaggff/4.5@sharpened",
    _STRONG,
    (*_TWO, DISTANCE),
    (
        Step("gap", _BETTER, Apply("aaggff/4.5-gap"), ("decision", "sum", "sum r")),
        Step("pinsker", _PINSKER, Apply("aaggff/pinsker"), ("sum", "sum r", "distance")),
        Step("1", _STRONG, Combine({"gap": -1, "pinsker": e}), ("gap", "pinsker")),
    ),
    claim="aaggff/4.5@sharpened",
    place="Remark 4.5",
    note="any other distribution is worse by eta/2 times the squared distance",
)

# One round ------------------------------------------------------------------------------------------------------------

_next, _y = t + 1, -g(t, i) / eta(t)
_from = whole(exp(logp(_next, j)) * (logp(_next, j) - logp(t, j)))
_uniform = whole(exp(logp(_next, j)) * (logp(_next, j) + log(K)))
_COST = width(t) ** 2 / (8 * eta(t))
_ROUND = le(value(t) + mean(t), value(_next) + _COST, ROUNDS)
_HERE = {lemmas.logp(m): logp(t, m), lemmas.logr(m): logp(_next, m), lemmas.y(m): -g(t, m) / eta(t)}
ROUND = Theorem(
    "aaggff/entropy-round",
    _ROUND,
    (CLOSED, SUM, LOW, HIGH, RISING),
    (
        Step(
            "now", eq(logp(t, i), -before(t, i) / eta(t) - z(t), ROUNDS, EACH), Combine({"decision": 1}), ("decision",)
        ),
        Step(
            "next",
            eq(logp(_next, i), -before(_next, i) / eta(_next) - z(_next), ROUNDS, EACH),
            Instance({t: _next}),
            ("decision",),
        ),
        Step("sum now", eq(whole(exp(logp(t, j))), 1, ROUNDS), Combine({"sum": 1}), ("sum",)),
        Step("sum next", eq(whole(exp(logp(_next, j))), 1, ROUNDS), Instance({t: _next}), ("sum",)),
        Step("under", le(-(base(t) + width(t)) / eta(t), _y, ROUNDS, EACH), Combine({"high": 1 / eta(t)}), ("high",)),
        Step(
            "over",
            le(_y, -(base(t) + width(t)) / eta(t) + width(t) / eta(t), ROUNDS, EACH),
            Combine({"low": 1 / eta(t)}),
            ("low",),
        ),
        Step(
            "spread",
            le(
                whole(exp(logp(t, j)) * exp(-g(t, j) / eta(t))),
                exp(whole(exp(logp(t, j)) * (-g(t, j) / eta(t))) + (width(t) / eta(t)) ** 2 / 8),
                ROUNDS,
            ),
            Apply(
                "aaggff/L18",
                {
                    w(j): exp(logp(t, j)),
                    u(m): -g(t, m) / eta(t),
                    lo: -(base(t) + width(t)) / eta(t),
                    x: width(t) / eta(t),
                },
            ),
            ("sum now", "under", "over"),
            note="Hoeffding's lemma",
        ),
        Step(
            "gains",
            le(
                whole(exp(logp(_next, j)) * (-g(t, j) / eta(t))) - _from,
                whole(exp(logp(t, j)) * (-g(t, j) / eta(t))) + (width(t) / eta(t)) ** 2 / 8,
                ROUNDS,
            ),
            Apply("aaggff/51", {**_HERE, Z: (width(t) / eta(t)) ** 2 / 8}),
            ("sum next", "spread"),
            note="no decision gains more over this one than that",
        ),
        Step(
            "own",
            eq(
                whole(exp(logp(_next, j)) * eta(t) * logp(t, j)),
                whole(exp(logp(_next, j)) * (-before(t, j) - eta(t) * z(t))),
                ROUNDS,
            ),
            Summed((i,), exp(logp(_next, i)) * eta(t)),
            ("now",),
        ),
        Step(
            "own next",
            eq(
                whole(exp(logp(_next, j)) * eta(_next) * logp(_next, j)),
                whole(exp(logp(_next, j)) * (-before(_next, j) - eta(_next) * z(_next))),
                ROUNDS,
            ),
            Summed((i,), exp(logp(_next, i)) * eta(_next)),
            ("next",),
        ),
        Step("same", eq(whole(1 / K), 1), Combine()),
        Step(
            "apart",
            le(0, _uniform, ROUNDS),
            Apply("aaggff/divergence", {lemmas.logp(m): -log(K), lemmas.logq(m): logp(_next, m)}),
            ("same", "sum next"),
            note="the regulariser is not negative",
        ),
        Step(
            "1",
            _ROUND,
            Combine(
                {
                    "gains": eta(t),
                    "own": -1,
                    "own next": 1,
                    "apart": eta(_next) - eta(t),
                    "sum next": (eta(_next) * log(K) - eta(t) * log(K) - eta(_next) * z(_next) + eta(t) * z(t)),
                }
            ),
            ("gains", "own", "own next", "apart", "sum next", "rising"),
        ),
    ),
    place="Lemma A.7",
    note="L^(t)(p^(t)) + <g, p^(t)> <= L^(t+1)(p^(t+1)) + width^2/(8 eta): what Lemma A.7 gives, with Hoeffding",
)

# All rounds -----------------------------------------------------------------------------------------------------------

REGRET = Total(whole(g(t, j) * (exp(logp(t, j)) - q(j))), t, 1, T)
LIMIT = eta(T + 1) * log(K) + Total(_COST, t, 1, T)
SETTING = (CLOSED, SUM, LOW, HIGH, RISING, OTHER)
SETTING_IDS = tuple(h.id for h in SETTING)
_ALL = le(REGRET, LIMIT)
_lowest = -eta(T + 1) * z(T + 1)
ALL = Theorem(
    "aaggff/entropy",
    _ALL,
    SETTING,
    (
        Step("sum 1", eq(whole(exp(logp(1, j))), 1), Instance({t: 1}), ("sum",)),
        Step("first", eq(logp(1, i), -z(1), EACH), Instance({t: 1}), ("decision",)),
        Step("below", le(logp(1, i), -z(1), EACH), Combine({"first": 1}), ("first",)),
        Step(
            "shares", le(exp(logp(1, i)), exp(-z(1)), EACH), Apply("aaggff/exp", {P: logp(1, i), Q: -z(1)}), ("below",)
        ),
        Step("all shares", le(whole(exp(logp(1, j))), K * exp(-z(1))), Summed((i,)), ("shares",)),
        Step(
            "share",
            le(exp(-log(K)), exp(-z(1))),
            Combine({"all shares": 1 / K, "sum 1": -1 / K}),
            ("all shares", "sum 1"),
        ),
        Step(
            "start",
            le(-log(K), -z(1)),
            Apply("aaggff/log", {P: -log(K), Q: -z(1)}),
            ("share",),
            note="L^(1)(p^(1)) >= 0",
        ),
        Step("round", _ROUND, Apply("aaggff/entropy-round"), SETTING_IDS[:-1]),
        Step("back", le(-value(_next), -value(t) + _COST - mean(t), ROUNDS), Combine({"round": 1}), ("round",)),
        Step(
            "all",
            le(-value(T + 1), -value(1) + Total(_COST - mean(t), t, 1, T)),
            Apply("aaggff/telescope", {facts.d(t): -value(t), facts.s(t): _COST - mean(t), facts.N: T}),
            ("back",),
        ),
        Step("sum last", eq(whole(exp(logp(T + 1, j))), 1), Instance({t: T + 1}), ("sum",)),
        Step(
            "high last",
            le(logp(T + 1, i), 0, EACH),
            Apply("aaggff/log-high", {lemmas.logp(m): logp(T + 1, m)}),
            ("sum last",),
        ),
        Step(
            "last",
            eq(logp(T + 1, i), -before(T + 1, i) / eta(T + 1) - z(T + 1), EACH),
            Instance({t: T + 1}),
            ("decision",),
        ),
        Step(
            "each",
            le(_lowest, before(T + 1, i), EACH),
            Combine({"high last": eta(T + 1), "last": -eta(T + 1)}),
            ("high last", "last"),
            note="no client's gradients add up to less",
        ),
        Step("end", le(whole(q(j) * _lowest), whole(q(j) * before(T + 1, j))), Summed((i,), q(i)), ("each",)),
        swapped("swap", q(j) * g(t, j)),
        Step(
            "1",
            _ALL,
            Combine({"all": 1, "start": eta(1), "end": 1, "other": -_lowest, "swap": -1}),
            ("all", "start", "end", "other", "swap"),
        ),
    ),
    place=PLACE,
    note="Lemma A.4 with R^(T+1) := R^(T), the sum of what Lemma A.7 gives",
)

THEOREMS = (BETTER, LEAST, CONJUGATE, GROWS, FALLS, PINSKER, STRONG, ROUND, ALL)
