"""One client a round: the estimate is the same in every entry, the decision stays uniform, and one good client is missed."""

from __future__ import annotations

from sympy import Rational, exp, log

from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.letters import C1, C2, K, T
from fltheory.proof.language import Apply, Combine, Given, Squeezed, Step, Summed, Theorem, eq, le, lt, stated
from fltheory.proof.terms import Positive, Scalar, Total, family
from proofs_checks.aaggff.entropy import eta, logp, z
from proofs_checks.aaggff.facts import EACH, ROUNDS, P, Q, a, b, i, j, s, t, whole

PLACE = "Corollary 5.3"
common, r, grown = family(Scalar, "common"), family(Scalar, "r"), family(Positive, "s")

_same = -Total(common(s), s, 1, t - 1) / eta(t) - z(t)
SAME = Given(
    "decision",
    eq(logp(t, i), _same, ROUNDS, EACH),
    "(12) with estimates that are the same for all clients: with one drawn (10) is the response seen",
)
SUM = Given("sum", eq(whole(exp(logp(t, j))), 1, ROUNDS), "decisions are distributions")
_UNIFORM = eq(logp(t, i), -log(K), ROUNDS, EACH)
UNIFORM = Theorem(
    "aaggff/uniform",
    _UNIFORM,
    (SAME, SUM),
    (
        Step("up", le(logp(t, i), _same, ROUNDS, EACH), Combine({"decision": 1}), ("decision",)),
        Step("down", le(_same, logp(t, i), ROUNDS, EACH), Combine({"decision": -1}), ("decision",)),
        Step(
            "exp up",
            le(exp(logp(t, i)), exp(_same), ROUNDS, EACH),
            Apply("aaggff/exp", {P: logp(t, i), Q: _same}),
            ("up",),
        ),
        Step(
            "exp down",
            le(exp(_same), exp(logp(t, i)), ROUNDS, EACH),
            Apply("aaggff/exp", {P: _same, Q: logp(t, i)}),
            ("down",),
        ),
        Step("sum up", le(whole(exp(logp(t, j))), K * exp(_same), ROUNDS), Summed((i,)), ("exp up",)),
        Step("sum down", le(K * exp(_same), whole(exp(logp(t, j))), ROUNDS), Summed((i,)), ("exp down",)),
        Step(
            "high", le(exp(-log(K)), exp(_same), ROUNDS), Combine({"sum up": 1 / K, "sum": -1 / K}), ("sum up", "sum")
        ),
        Step(
            "low", le(exp(_same), exp(-log(K)), ROUNDS), Combine({"sum down": 1 / K, "sum": 1 / K}), ("sum down", "sum")
        ),
        Step("least", le(-log(K), _same, ROUNDS), Apply("aaggff/log", {P: -log(K), Q: _same}), ("high",)),
        Step("most", le(_same, -log(K), ROUNDS), Apply("aaggff/log", {P: _same, Q: -log(K)}), ("low",)),
        Step("at most", le(logp(t, i), -log(K), ROUNDS, EACH), Combine(), ("up", "most")),
        Step("at least", le(-log(K), logp(t, i), ROUNDS, EACH), Combine(), ("down", "least")),
        Step("1", _UNIFORM, Squeezed(), ("at most", "at least")),
    ),
    place=PLACE,
    note="the decision stays uniform for ever",
)
_mean = 1 + C1 + (C2 - C1) / K
GROWN = Given(
    "grown", eq(grown(t), 1 + whole(exp(logp(t, j)) * r(t, j)), ROUNDS), "1 + <p, r>: the loss is minus its logarithm"
)
GOOD = Given(
    "responses", eq(whole(r(t, j)), C2 + (K - 1) * C1, ROUNDS), "one client responds with C2, the others with C1"
)
REGRET = Total(log(1 + C2) - log(grown(t)), t, 1, T)
_VERTEX, _CONDITIONS = stated(bounds.VERTEX, REGRET)
VERTEX = Theorem(
    "aaggff/C5.3-vertex@corrected",
    _VERTEX,
    (SAME, SUM, GROWN, GOOD, *_CONDITIONS),
    (
        Step("uniform", _UNIFORM, Apply("aaggff/uniform"), ("decision", "sum")),
        Step("up", le(logp(t, i), -log(K), ROUNDS, EACH), Combine({"uniform": 1}), ("uniform",)),
        Step("down", le(-log(K), logp(t, i), ROUNDS, EACH), Combine({"uniform": -1}), ("uniform",)),
        Step(
            "exp up",
            le(exp(logp(t, i)), 1 / K, ROUNDS, EACH),
            Apply("aaggff/exp", {P: logp(t, i), Q: -log(K)}),
            ("up",),
        ),
        Step(
            "exp down",
            le(1 / K, exp(logp(t, i)), ROUNDS, EACH),
            Apply("aaggff/exp", {P: -log(K), Q: logp(t, i)}),
            ("down",),
        ),
        Step("share", eq(exp(logp(t, i)), 1 / K, ROUNDS, EACH), Squeezed(), ("exp up", "exp down")),
        Step(
            "shares",
            eq(whole(exp(logp(t, j)) * r(t, j)), whole(r(t, j) / K), ROUNDS),
            Summed((i,), r(t, i)),
            ("share",),
        ),
        Step(
            "mean",
            eq(grown(t), _mean, ROUNDS),
            Combine({"grown": 1, "shares": 1, "responses": 1 / K}),
            ("grown", "shares", "responses"),
        ),
        Step("at most", le(grown(t), _mean, ROUNDS), Combine({"mean": 1}), ("mean",)),
        Step("positive", lt(0, _mean), Combine({"c1": 1 / K}), ("c1",)),
        Step(
            "log",
            le(log(grown(t)), log(_mean), ROUNDS),
            Apply("aaggff/log-rises", {a: grown(t), b: _mean}),
            ("at most", "positive"),
        ),
        Step("logs", le(Total(log(grown(t)), t, 1, T), T * log(_mean)), Summed((t,)), ("log",)),
        Step("below", le(_mean, 1 + C2), Combine({"c1": 1 - 1 / K}), ("c1",)),
        Step(
            "rises",
            le(log(_mean), log(1 + C2)),
            Apply("aaggff/log-rises", {a: _mean, b: 1 + C2}),
            ("below", "positive"),
        ),
        Step(
            "quotient",
            eq(log((1 + C2) / _mean), log(1 + C2) - log(_mean)),
            Apply("aaggff/log-quotient", {a: 1 + C2, b: _mean}),
            ("positive",),
        ),
        Step(
            "1",
            _VERTEX,
            Combine({"logs": 1, "quotient": Rational(99, 100) * T, "rises": T / 100}),
            ("logs", "quotient", "rises"),
        ),
    ),
    claim="aaggff/C5.3-vertex@corrected",
    place=PLACE,
    bound=bounds.VERTEX,
    unused=("c2", "c3"),
)

THEOREMS = (UNIFORM, VERTEX)
