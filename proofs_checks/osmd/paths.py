"""Regret against any sequence of the floored simplex on each path: (52).

The loss of a round is a sum of v/q, the gains of the mirror step are eta v/p^2. With v = a N/(K^2 p) these are (6) and (7); the
experts of Theorem 8 have the same with two distributions in place of p.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Max, Symbol, exp, log

from fltheory.papers.osmd.letters import M, T, alpha, eta
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Polynomial,
    Relation,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.terms import Nonnegative, Scalar, Total, family, substitute
from proofs_checks.osmd.lemmas import EACH, FLOOR, LAMBDA, C, P, Q, Z, divergence, j, lo, m, simplex, u, w, whole, x
from proofs_checks.osmd.lemmas import logp as p1
from proofs_checks.osmd.lemmas import logq as q1
from proofs_checks.osmd.lemmas import logr as r1
from proofs_checks.osmd.lemmas import logz as z1
from proofs_checks.osmd.lemmas import y as y1

PLACE = "proof of Proposition 13"
t, n = (Symbol(name, integer=True, positive=True) for name in "tn")
ROUNDS, SO_FAR = (t, 1, T), (n, 1, T)
a, b = (Symbol(name, positive=True) for name in "ab")

# Three facts --------------------------------------------------------------------------------------------------------

_CONVEX = le(0, a**2 / b - 2 * a + b)
CONVEX = Theorem(
    "osmd/convex",
    _CONVEX,
    (),
    (Step("1", _CONVEX, Polynomial(), note="(a - b)^2/b"),),
    claim="osmd/C-7-convex@explicit",
    place=PLACE,
    note="1/p - 1/q <= -(p - q)/p^2 with a = 1/p and b = 1/q: one client of the estimated loss, which is convex",
)
_TOP = le(FLOOR, Max(FLOOR, exp(P)))
TOP = Theorem(
    "osmd/max",
    _TOP,
    (),
    (
        Step("1a", eq(Max(FLOOR, exp(P)), FLOOR), Known("max", Max(FLOOR, exp(P))), assuming=(le(exp(P), FLOOR),)),
        Step("1", _TOP, Combine({"1a": -1}), ("1a",), assuming=(le(exp(P), FLOOR),)),
        Step("2a", eq(Max(FLOOR, exp(P)), exp(P)), Known("max", Max(FLOOR, exp(P))), assuming=(le(FLOOR, exp(P)),)),
        Step("2", _TOP, Combine({"2a": -1, "assumed 1": 1}), ("2a",), assuming=(le(FLOOR, exp(P)),)),
        Step("3", _TOP, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="the step stays on the floored simplex",
)
_GAP = le(0, exp(Q) * (Q - P) - exp(Q) + exp(P))
GAP = Theorem(
    "osmd/divergence-client",
    _GAP,
    (),
    (Step("1", le(1 + P - Q, exp(P - Q)), Known("exp", P - Q)), Step("2", _GAP, Combine({"1": exp(Q)}), ("1",))),
    place=PLACE,
)
_POSITIVE = le(0, divergence(q1, p1))
POSITIVE = Theorem(
    "osmd/divergence",
    _POSITIVE,
    (simplex("sum p", p1), simplex("sum q", q1)),
    (
        Step(
            "each",
            le(0, exp(q1(m)) * (q1(m) - p1(m)) - exp(q1(m)) + exp(p1(m)), EACH),
            Apply("osmd/divergence-client", {P: p1(m), Q: q1(m)}),
        ),
        Step("all", le(0, whole(exp(q1(j)) * (q1(j) - p1(j)) - exp(q1(j)) + exp(p1(j)))), Summed((m,)), ("each",)),
        Step("last", _POSITIVE, Combine({"all": 1, "sum p": 1, "sum q": -1}), ("all", "sum p", "sum q")),
    ),
    place=PLACE,
    note="D(q || p) >= 0",
)

# One path: v(t, m) and the slopes' limit top(t) -------------------------------------------------------------------------

v, top, shift = family(Nonnegative, "v"), family(Nonnegative, "top"), family(Scalar, "c")
logp, logq, spread = (family(Scalar, name) for name in ("logp", "logq", "spread"))


def start(logp: Any) -> Given:
    """The sampler starts at the uniform distribution."""
    return Given("start", eq(exp(logp(1, m)), 1 / M, EACH), "the first distribution is uniform")


def sums(name: str, logs: Any, last: Any) -> Given:
    """Probabilities add up to 1 in every round."""
    return Given(name, eq(whole(exp(logs(t, j))), 1, (t, 1, last)), "probabilities")


def floors(logs: Any) -> Given:
    """The comparator is on the floored simplex in every round."""
    return Given("floor", le(FLOOR, exp(logs(t, m)), ROUNDS, EACH), "the comparator is on the floored simplex")


def moves(logp: Any, shift: Any, gain: Any) -> Given:
    """The mirror step of Algorithm 2 with gains."""
    after = Max(FLOOR, exp(shift(t) + logp(t, m) + gain))
    return Given(
        "next",
        eq(exp(logp(t + 1, m)), after, ROUNDS, EACH),
        "Algorithm 2: max(alpha/M, c p e^gain), and c = e^c(t) > 0",
    )


def kl(logq: Any, logp: Any, now: Any, then: Any) -> Expr:
    """D(q^now || p^then)."""
    return divergence(lambda i: logq(now, i), lambda i: logp(then, i))


def from_uniform(logq: Any) -> Expr:
    """D(q^1 || uniform)."""
    return whole(exp(logq(1, j)) * (logq(1, j) + log(M)))


def moved(logq: Any, now: Any) -> Expr:
    """The 1-norm of q^{now + 1} - q^now."""
    return whole(Abs(exp(logq(now + 1, j)) - exp(logq(now, j))))


def total_move(logq: Any, last: Any) -> Expr:
    """TV(q^{1:last})."""
    return Total(moved(logq, t), t, 1, last - 1)


def excess(v: Any, logp: Any, logq: Any, last: Any) -> Expr:
    """The loss of p less that of q, up to a round."""
    return Total(whole(v(t, j) * (exp(-logp(t, j)) - exp(-logq(t, j)))), t, 1, last)


def path_bound(logq: Any, top: Any, last: Any, begin: Expr) -> Expr:
    """(52) with the sharp constants, up to a round."""
    return any_bound(logq, lambda now: (eta * top(now)) ** 2 / 8, last, begin)


def any_bound(logq: Any, spread: Any, last: Any, begin: Expr) -> Expr:
    """The same for what else the gains' spread is bounded by."""
    return (begin + LAMBDA * total_move(logq, last) + Total(spread(t), t, 1, last)) / eta


def gain(v: Any, logp: Any, now: Any, client: Any) -> Expr:
    """The gain of a client in the mirror step."""
    return eta * v(now, client) * exp(-2 * logp(now, client))


_lost = whole(gain(v, logp, t, j) * (exp(logq(t, j)) - exp(logp(t, j))))
_ROUND = le(_lost, kl(logq, logp, t, t) - kl(logq, logp, t, t + 1) + spread(t), ROUNDS)


def one(now: Any, *over: Any) -> Relation:
    """What one round loses."""
    return le(
        whole(v(now, j) * (exp(-logp(now, j)) - exp(-logq(now, j)))),
        (kl(logq, logp, now, now) - kl(logq, logp, now, now + 1) + spread(now)) / eta,
        *over,
    )


def up_to(last: Any, *over: Any) -> Relation:
    """What is lost up to a round, before the last divergence is dropped."""
    begin = kl(logq, logp, 1, 1) - kl(logq, logp, last, last + 1)
    return le(excess(v, logp, logq, last), any_bound(logq, spread, last, begin), *over)


_ONE = one(t, ROUNDS)
_ANY = le(excess(v, logp, logq, n), any_bound(logq, spread, n, from_uniform(logq)), SO_FAR)
_LATER = (n, 1, T - 1)
_MOVE = le(kl(logq, logp, n + 1, n + 1) - kl(logq, logp, n, n + 1), LAMBDA * moved(logq, n), _LATER)
_here = {p1(m): logp(t, m), q1(m): logq(t, m), r1(m): logp(t + 1, m)}
_gain = gain(v, logp, t, m)
_at = {y1(m): _gain, C: shift(t), Z: spread(t)}


def spread_of(v: Any, logp: Any, size: Any) -> Relation:
    """How far the gains spread under the sampler's distribution."""
    mean = whole(exp(logp(t, j)) * gain(v, logp, t, j))
    return le(whole(exp(logp(t, j)) * exp(gain(v, logp, t, j))), exp(mean + size), ROUNDS)


PATH_GIVEN = (start(logp), sums("sum p", logp, T + 1), moves(logp, shift, _gain), sums("sum q", logq, T), floors(logq))
ANY = Theorem(
    "osmd/paths",
    _ANY,
    (*PATH_GIVEN, Given("spread", spread_of(v, logp, spread(t)), "the gains' spread")),
    (
        Step("after", eq(whole(exp(logp(t + 1, j))), 1, ROUNDS), Instance({t: t + 1}), ("sum p",)),
        Step(
            "round", _ROUND, Apply("osmd/mirror-round", {**_here, **_at}), ("next", "after", "sum q", "floor", "spread")
        ),
        Step(
            "tangent",
            le(0, exp(-2 * logp(t, m) + logq(t, m)) - 2 * exp(-logp(t, m)) + exp(-logq(t, m)), ROUNDS, EACH),
            Apply("osmd/convex", {a: exp(-logp(t, m)), b: exp(-logq(t, m))}),
            note="1/p - 1/q <= -(p - q)/p^2",
        ),
        Step(
            "tangents",
            le(
                0,
                whole(v(t, j) * (exp(-2 * logp(t, j) + logq(t, j)) - 2 * exp(-logp(t, j)) + exp(-logq(t, j)))),
                ROUNDS,
            ),
            Summed((m,), v(t, m)),
            ("tangent",),
        ),
        Step("one", _ONE, Combine({"round": 1 / eta, "tangents": 1}), ("round", "tangents")),
        Step("first", one(1), Instance({t: 1}), ("one",)),
        Step("base", up_to(1), Combine(), ("first",)),
        Step("then", one(n + 1, _LATER), Instance({t: n + 1}), ("one",)),
        Step(
            "top",
            le(FLOOR, Max(FLOOR, exp(shift(t) + logp(t, m) + _gain)), ROUNDS, EACH),
            Apply("osmd/max", {P: shift(t) + logp(t, m) + _gain}),
        ),
        Step("floor p", le(FLOOR, exp(logp(t + 1, m)), ROUNDS, EACH), Combine({"top": 1, "next": -1}), ("top", "next")),
        Step("p", eq(whole(exp(logp(n + 1, j))), 1, SO_FAR), Instance({t: n + 1}), ("sum p",)),
        Step("q", eq(whole(exp(logq(n, j))), 1, SO_FAR), Instance({t: n}), ("sum q",)),
        Step("z", eq(whole(exp(logq(n + 1, j))), 1, _LATER), Instance({t: n + 1}), ("sum q",)),
        Step("p low", le(FLOOR, exp(logp(n + 1, m)), SO_FAR, EACH), Instance({t: n}), ("floor p",)),
        Step("z low", le(FLOOR, exp(logq(n + 1, m)), _LATER, EACH), Instance({t: n + 1}), ("floor",)),
        Step(
            "move",
            _MOVE,
            Apply("osmd/50", {p1(m): logp(n + 1, m), q1(m): logq(n, m), z1(m): logq(n + 1, m)}),
            ("p", "p low", "q", "z", "z low"),
            note="(50)",
        ),
        Step(
            "more",
            up_to(n + 1, _LATER),
            Combine({"then": 1, "move": 1 / eta, "assumed 1": 1}),
            ("then", "move"),
            assuming=(up_to(n),),
        ),
        Step("telescoped", up_to(n, SO_FAR), Induction(n), ("base", "more")),
        Step(
            "rest",
            le(0, kl(logq, logp, n, n + 1), SO_FAR),
            Apply("osmd/divergence", {p1(m): logp(n + 1, m), q1(m): logq(n, m)}),
            ("p", "q"),
        ),
        Step(
            "uniform", eq(logp(1, m), -log(M), EACH), Apply("osmd/log-equal", {P: logp(1, m), Q: -log(M)}), ("start",)
        ),
        Step("from", eq(logq(1, m) - logp(1, m), logq(1, m) + log(M), EACH), Combine({"uniform": -1}), ("uniform",)),
        Step("begins", eq(kl(logq, logp, 1, 1), from_uniform(logq)), Summed((m,), exp(logq(1, m))), ("from",)),
        Step(
            "last",
            _ANY,
            Combine({"telescoped": 1, "rest": 1 / eta, "begins": 1 / eta}),
            ("telescoped", "rest", "begins"),
        ),
    ),
    place="(52)",
    note="the rounds add up, whatever bounds the gains' spread",
)

_PATH = le(excess(v, logp, logq, n), path_bound(logq, top, n, from_uniform(logq)), SO_FAR)
SLOPE = Given("slope", le(v(t, m) * exp(-2 * logp(t, m)), top(t), ROUNDS, EACH), "how steep the estimated loss is")
PATH = Theorem(
    "osmd/52",
    _PATH,
    (*PATH_GIVEN, SLOPE),
    (
        Step("gain low", le(0, _gain, ROUNDS, EACH), Combine()),
        Step("gain high", le(_gain, eta * top(t), ROUNDS, EACH), Combine({"slope": eta}), ("slope",)),
        Step(
            "spread",
            spread_of(v, logp, (eta * top(t)) ** 2 / 8),
            Apply("osmd/L18", {w(m): exp(logp(t, m)), u(m): _gain, lo: 0, x: eta * top(t)}),
            ("gain low", "gain high", "sum p"),
            note="Hoeffding's lemma",
        ),
        Step(
            "last",
            _PATH,
            Apply("osmd/paths", {spread(t): (eta * top(t)) ** 2 / 8}),
            ("start", "sum p", "next", "sum q", "floor", "spread"),
        ),
    ),
    claim="osmd/C-P13-path@sharpened",
    place="(52)",
    note="with log(M/alpha) and 1/8 where the paper has 2 log(M/alpha) and 1/2, after any number of rounds",
)

# Second moments of the gains ------------------------------------------------------------------------------------------------

_moment = {
    k: whole(exp(logp(t, j)) * term)
    for k, term in (("exp", exp(gain(v, logp, t, j))), ("one", gain(v, logp, t, j)), ("two", gain(v, logp, t, j) ** 2))
}
_over = _moment["exp"] - 1 - _moment["one"]
curve = Symbol("curve", nonnegative=True)  # e^y - 1 - y <= curve y^2 for the gains
_MOMENT = le(
    excess(v, logp, logq, n),
    any_bound(logq, lambda now: curve * substitute(_moment["two"], {t: now}), n, from_uniform(logq)),
    SO_FAR,
)
MOMENT = Theorem(
    "osmd/52-moments",
    _MOMENT,
    (
        *PATH_GIVEN,
        Given("curve", le(exp(_gain) - 1 - _gain, curve * _gain**2, ROUNDS, EACH), "a bound on the gains' curvature"),
    ),
    (
        Step(
            "tangent",
            le(1 + (_moment["exp"] - 1), exp(_moment["exp"] - 1), ROUNDS),
            Apply("osmd/tangent", {P: _moment["exp"] - 1}),
        ),
        Step("spread", spread_of(v, logp, _over), Combine(), ("tangent",)),
        Step(
            "paths",
            le(
                excess(v, logp, logq, n),
                any_bound(logq, lambda now: substitute(_over, {t: now}), n, from_uniform(logq)),
                SO_FAR,
            ),
            Apply("osmd/paths", {spread(t): _over}),
            ("start", "sum p", "next", "sum q", "floor", "spread"),
        ),
        Step("here", eq(whole(exp(logp(t, j))), 1, ROUNDS), Instance({t: t}), ("sum p",)),
        Step(
            "each",
            le(
                whole(exp(logp(t, j)) * (exp(gain(v, logp, t, j)) - 1 - gain(v, logp, t, j))),
                curve * _moment["two"],
                ROUNDS,
            ),
            Summed((m,), exp(logp(t, m))),
            ("curve",),
        ),
        Step("round", le(_over, curve * _moment["two"], ROUNDS), Combine({"each": 1, "here": 1}), ("each", "here")),
        Step("so far", le(_over, curve * _moment["two"], SO_FAR, (t, 1, n)), Combine({"round": 1}), ("round",)),
        Step(
            "all", le(Total(_over, t, 1, n), Total(curve * _moment["two"], t, 1, n), SO_FAR), Summed((t,)), ("so far",)
        ),
        Step("last", _MOMENT, Combine({"paths": 1, "all": 1 / eta}), ("paths", "all")),
    ),
    place="Corollary 7",
    note="with second moments in place of Hoeffding's lemma",
)

_STAYS = le(FLOOR, exp(logp(t, m)), (t, 1, T + 1), EACH)
gains = family(Scalar, "y")
STAYS = Theorem(
    "osmd/stays",
    _STAYS,
    (start(logp), moves(logp, shift, gains(t, m)), Given("alpha", le(alpha, 1), "a share")),
    (
        Step("0", le(FLOOR, exp(logp(1, m)), EACH), Combine({"start": -1, "alpha": 1 / M}), ("start", "alpha")),
        Step(
            "top",
            le(FLOOR, Max(FLOOR, exp(shift(t) + logp(t, m) + gains(t, m))), ROUNDS, EACH),
            Apply("osmd/max", {P: shift(t) + logp(t, m) + gains(t, m)}),
        ),
        Step("1", le(FLOOR, exp(logp(t + 1, m)), ROUNDS, EACH), Combine({"top": 1, "next": -1}), ("top", "next")),
        Step("2", _STAYS, Induction(t), ("0", "1")),
    ),
    place=PLACE,
    note="the sampler stays on the floored simplex",
)

THEOREMS = (CONVEX, TOP, GAP, POSITIVE, ANY, PATH, MOMENT, STAYS)
