"""Regret against any sequence of the floored simplex on each path: (52).

The loss of a round is a sum of v/q, the gains of the mirror step are eta v/p^2. With v = a N/(K^2 p) these are (6) and (7); the
experts of Theorem 8 have the same form with two distributions in place of p.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Abs, Expr, Max, Symbol, exp, log

from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR, L18, LAMBDA, SAME, TANGENT
from fltheory.papers.osmd.mirror.proofs.mirror import ROUND
from fltheory.papers.osmd.notation import M, T, alpha, eta
from fltheory.proof import Given, Relation, by, eq, le, proof
from fltheory.proof.facts import divergences
from fltheory.proof.facts.notation import EACH, C, P, Q, Z, divergence, j, lo, m, u, w, whole, x
from fltheory.proof.facts.notation import logp as p1
from fltheory.proof.facts.notation import logq as q1
from fltheory.proof.facts.notation import logr as r1
from fltheory.proof.facts.notation import logz as z1
from fltheory.proof.facts.notation import y as y1
from fltheory.proof.language import Range
from fltheory.proof.papers.taken_over import adopt
from fltheory.proof.terms import Nonnegative, Scalar, Total, family, substitute

PLACE = "proof of Proposition 13"
t, n = (Symbol(name, integer=True, positive=True) for name in "tn")
ROUNDS, SO_FAR = (t, 1, T), (n, 1, T)
a, b = (Symbol(name, positive=True) for name in "ab")

# Three facts --------------------------------------------------------------------------------------------------------

CONVEX = proof(
    "osmd/convex",
    PLACE,
    of="osmd/C-7-convex@explicit",
    note="1/p - 1/q <= -(p - q)/p^2 with a = 1/p and b = 1/q: one client of the estimated loss, which is convex",
).qed(le(0, a**2 / b - 2 * a + b), by.polynomial(), note="(a - b)^2/b")
_TOP = le(FLOOR, Max(FLOOR, exp(P)))
TOP = (
    proof("osmd/max", PLACE, note="the step stays on the floored simplex")
    .step("1a", eq(Max(FLOOR, exp(P)), FLOOR), by.fact("max", Max(FLOOR, exp(P))), assuming=le(exp(P), FLOOR))
    .step("1", _TOP, by.linear("1a"), assuming=le(exp(P), FLOOR))
    .step("2a", eq(Max(FLOOR, exp(P)), exp(P)), by.fact("max", Max(FLOOR, exp(P))), assuming=le(FLOOR, exp(P)))
    .step("2", _TOP, by.linear("2a"), assuming=le(FLOOR, exp(P)))
    .qed(_TOP, by.cases("1", "2"))
)
GAP = adopt("osmd", divergences.GAP, PLACE)
POSITIVE = adopt("osmd", divergences.POSITIVE, PLACE)

# One path: v(t, m) and the slopes' limit top(t) -------------------------------------------------------------------------

v, top, shift = family(Nonnegative, "v"), family(Nonnegative, "top"), family(Scalar, "c")
logp, logq, spread = (family(Scalar, name) for name in ("logp", "logq", "spread"))


def start(logp: Callable[..., Expr]) -> Given:
    """Return the sampler starts at the uniform distribution."""
    return Given("start", eq(exp(logp(1, m)), 1 / M, EACH), "the first distribution is uniform")


def sums(name: str, logs: Callable[..., Expr], last: Expr) -> Given:
    """Return the hypothesis that probabilities add up to 1 in every round."""
    return Given(name, eq(whole(exp(logs(t, j))), 1, (t, 1, last)), "probabilities")


def floors(logs: Callable[..., Expr]) -> Given:
    """Return the hypothesis that the comparator is on the floored simplex in every round."""
    return Given("floor", le(FLOOR, exp(logs(t, m)), ROUNDS, EACH), "the comparator is on the floored simplex")


def moves(logp: Callable[..., Expr], shift: Callable[..., Expr], gain: Expr) -> Given:
    """Return the mirror step of Algorithm 2 with gains."""
    after = Max(FLOOR, exp(shift(t) + logp(t, m) + gain))
    return Given("next", eq(exp(logp(t + 1, m)), after, ROUNDS, EACH),
        "Algorithm 2: max(alpha/M, c p e^gain), and c = e^c(t) > 0")


def kl(logq: Callable[..., Expr], logp: Callable[..., Expr], now: Expr | int, then: Expr | int) -> Expr:
    """D(q^now || p^then)."""
    return divergence(lambda i: logq(now, i), lambda i: logp(then, i))


def from_uniform(logq: Callable[..., Expr]) -> Expr:
    """D(q^1 || uniform)."""
    return whole(exp(logq(1, j)) * (logq(1, j) + log(M)))


def moved(logq: Callable[..., Expr], now: Expr) -> Expr:
    """Return the 1-norm of q^{now + 1} - q^now."""
    return whole(Abs(exp(logq(now + 1, j)) - exp(logq(now, j))))


def total_move(logq: Callable[..., Expr], last: Expr | int) -> Expr:
    """TV(q^{1:last})."""
    return Total(moved(logq, t), t, 1, last - 1)


def excess(v: Callable[..., Expr], logp: Callable[..., Expr], logq: Callable[..., Expr], last: Expr | int) -> Expr:
    """Return the loss of p minus that of q, up to a round."""
    return Total(whole(v(t, j) * (exp(-logp(t, j)) - exp(-logq(t, j)))), t, 1, last)


def path_bound(logq: Callable[..., Expr], top: Callable[..., Expr], last: Expr, begin: Expr) -> Expr:
    """(52) with the sharp constants, up to a round."""
    return any_bound(logq, lambda now: (eta * top(now)) ** 2 / 8, last, begin)


def any_bound(logq: Callable[..., Expr], spread: Callable[..., Expr], last: Expr | int, begin: Expr) -> Expr:
    """Return the same with another bound on the spread of the gains."""
    return (begin + LAMBDA * total_move(logq, last) + Total(spread(t), t, 1, last)) / eta


def gain(v: Callable[..., Expr], logp: Callable[..., Expr], now: Expr, client: Expr) -> Expr:
    """Return the gain of a client in the mirror step."""
    return eta * v(now, client) * exp(-2 * logp(now, client))


def one(now: Expr | int, *over: Range) -> Relation:
    """Return the regret of one round."""
    return le(whole(v(now, j) * (exp(-logp(now, j)) - exp(-logq(now, j)))),
        (kl(logq, logp, now, now) - kl(logq, logp, now, now + 1) + spread(now)) / eta, *over)


def up_to(last: Expr | int, *over: Range) -> Relation:
    """Return the regret up to a round, before the last divergence is dropped."""
    begin = kl(logq, logp, 1, 1) - kl(logq, logp, last, last + 1)
    return le(excess(v, logp, logq, last), any_bound(logq, spread, last, begin), *over)


_LATER = (n, 1, T - 1)
_gain = gain(v, logp, t, m)
_at = {y1(m): _gain, C: shift(t), Z: spread(t)}


def spread_of(v: Callable[..., Expr], logp: Callable[..., Expr], size: Expr) -> Relation:
    """Bound the spread of the gains under the sampler's distribution."""
    mean = whole(exp(logp(t, j)) * gain(v, logp, t, j))
    return le(whole(exp(logp(t, j)) * exp(gain(v, logp, t, j))), exp(mean + size), ROUNDS)


PATH_GIVEN = (start(logp), sums("sum p", logp, T + 1), moves(logp, shift, _gain), sums("sum q", logq, T), floors(logq))
ANY = (
    proof("osmd/paths", "(52)", note="the rounds add up, whatever bounds the gains' spread").under(*PATH_GIVEN)
    .given("spread", spread_of(v, logp, spread(t)), "the gains' spread")
    .step("after", by.instance({t: t + 1}, "sum p"), over=ROUNDS)
    .step("round", by.apply(ROUND, {**{p1(m): logp(t, m), q1(m): logq(t, m), r1(m): logp(t + 1, m)}, **_at}))
    .step("tangent", le(0, exp(-2 * logp(t, m) + logq(t, m)) - 2 * exp(-logp(t, m)) + exp(-logq(t, m)), ROUNDS, EACH),
        by.apply(CONVEX, {a: exp(-logp(t, m)), b: exp(-logq(t, m))}), note="1/p - 1/q <= -(p - q)/p^2")
    .step("tangents",
        le(0, whole(v(t, j) * (exp(-2 * logp(t, j) + logq(t, j)) - 2 * exp(-logp(t, j)) + exp(-logq(t, j)))), ROUNDS),
        by.sum_over(m, "tangent", weight=v(t, m)))
    .step("one", one(t, ROUNDS), by.linear("round", "tangents"))
    .step("first", by.instance({t: 1}, "one"))
    .step("base", up_to(1), by.linear("first"))
    .step("then", one(n + 1, _LATER), by.instance({t: n + 1}, "one"))
    .step("top", by.apply(TOP, {P: shift(t) + logp(t, m) + _gain}), over=(ROUNDS, EACH))
    .step("floor p", le(FLOOR, exp(logp(t + 1, m)), ROUNDS, EACH), by.linear("top", "next"))
    .step("p", by.instance({t: n + 1}, "sum p"), over=SO_FAR)
    .step("q", by.instance({t: n}, "sum q"), over=SO_FAR)
    .step("z", by.instance({t: n + 1}, "sum q"), over=_LATER)
    .step("p low", by.instance({t: n}, "floor p"), over=(SO_FAR, EACH))
    .step("z low", by.instance({t: n + 1}, "floor"), over=(_LATER, EACH))
    .step("move", le(kl(logq, logp, n + 1, n + 1) - kl(logq, logp, n, n + 1), LAMBDA * moved(logq, n), _LATER),
        by.apply("osmd/50", {p1(m): logp(n + 1, m), q1(m): logq(n, m), z1(m): logq(n + 1, m)}, "p", "p low", "q", "z",
            "z low"), note="(50)")
    .step("more", up_to(n + 1, _LATER), by.linear("then", "move"), assuming=up_to(n))
    .step("telescoped", up_to(n, SO_FAR), by.induction(n, "base", "more"))
    .step("rest", by.apply(POSITIVE, {p1(m): logp(n + 1, m), q1(m): logq(n, m)}))
    .step("uniform", by.apply(SAME, {P: logp(1, m), Q: -log(M)}))
    .step("from", eq(logq(1, m) - logp(1, m), logq(1, m) + log(M), EACH), by.linear("uniform"))
    .step("begins", eq(kl(logq, logp, 1, 1), from_uniform(logq)), by.sum_over(m, "from", weight=exp(logq(1, m))))
    .qed(le(excess(v, logp, logq, n), any_bound(logq, spread, n, from_uniform(logq)), SO_FAR),
        by.linear("telescoped", "rest", "begins"), name="last")
)

PATH = (
    proof("osmd/52", "(52)", of="osmd/C-P13-path@strengthened",
        note="with log(M/alpha) and 1/8 where the paper has 2 log(M/alpha) and 1/2, after any number of rounds")
    .under(*PATH_GIVEN)
    .given("slope", le(v(t, m) * exp(-2 * logp(t, m)), top(t), ROUNDS, EACH), "how steep the estimated loss is")
    .step("gain low", le(0, _gain, ROUNDS, EACH), by.linear())
    .step("gain high", le(_gain, eta * top(t), ROUNDS, EACH), by.linear("slope"))
    .step("spread",
        by.apply(L18, {w(m): exp(logp(t, m)), u(m): _gain, lo: 0, x: eta * top(t)}, "gain low", "gain high", "sum p"),
        note="Hoeffding's lemma")
    .qed(le(excess(v, logp, logq, n), path_bound(logq, top, n, from_uniform(logq)), SO_FAR),
        by.apply(ANY, {spread(t): (eta * top(t)) ** 2 / 8}), name="last")
)

# Second moments of the gains ------------------------------------------------------------------------------------------------

_moment = {
    k: whole(exp(logp(t, j)) * term)
    for k, term in (("exp", exp(gain(v, logp, t, j))), ("one", gain(v, logp, t, j)), ("two", gain(v, logp, t, j) ** 2))
}
_over = _moment["exp"] - 1 - _moment["one"]
curve = Symbol("curve", nonnegative=True)  # e^y - 1 - y <= curve y^2 for the gains
MOMENT = (
    proof("osmd/52-moments", "Corollary 7", note="with second moments in place of Hoeffding's lemma").under(*PATH_GIVEN)
    .given("curve", le(exp(_gain) - 1 - _gain, curve * _gain**2, ROUNDS, EACH), "a bound on the gains' curvature")
    .step("tangent", by.apply(TANGENT, {P: _moment["exp"] - 1}), over=ROUNDS)
    .step("spread", spread_of(v, logp, _over), by.linear("tangent"))
    .step("paths", by.apply(ANY, {spread(t): _over}))
    .step("here", by.instance({t: t}, "sum p"), over=ROUNDS)
    .step("each",
        le(whole(exp(logp(t, j)) * (exp(gain(v, logp, t, j)) - 1 - gain(v, logp, t, j))), curve * _moment["two"],
            ROUNDS), by.sum_over(m, "curve", weight=exp(logp(t, m))))
    .step("round", le(_over, curve * _moment["two"], ROUNDS), by.linear("each", "here"))
    .step("so far", le(_over, curve * _moment["two"], SO_FAR, (t, 1, n)), by.linear("round"))
    .step("all", by.sum_over(t, "so far"))
    .qed(
        le(excess(v, logp, logq, n),
            any_bound(logq, lambda now: curve * substitute(_moment["two"], {t: now}), n, from_uniform(logq)), SO_FAR),
        by.linear("paths", "all"), name="last")
)

gains = family(Scalar, "y")
STAYS = (
    proof("osmd/stays", PLACE, note="the sampler stays on the floored simplex")
    .under(start(logp), moves(logp, shift, gains(t, m)))
    .given("alpha", le(alpha, 1), "a share")
    .step("0", le(FLOOR, exp(logp(1, m)), EACH), by.linear("start", "alpha"))
    .step("top", by.apply(TOP, {P: shift(t) + logp(t, m) + gains(t, m)}), over=(ROUNDS, EACH))
    .step("1", le(FLOOR, exp(logp(t + 1, m)), ROUNDS, EACH), by.linear("top", "next"))
    .qed(le(FLOOR, exp(logp(t, m)), (t, 1, T + 1), EACH), by.induction(t, "0", "1"))
)

THEOREMS = (CONVEX, TOP, GAP, POSITIVE, ANY, PATH, MOMENT, STAYS)
