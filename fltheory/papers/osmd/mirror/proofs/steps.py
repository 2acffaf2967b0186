"""The steps of Proposition 13 and of Theorem 6 as their claims state them: (50), (51), (53), (57), Lemma 18."""

from __future__ import annotations

from sympy import Abs, Integer, Max, Symbol, exp, log

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.mirror.proofs import nonexpansive as nearer
from fltheory.papers.osmd.mirror.proofs import projection as pt
from fltheory.papers.osmd.mirror.proofs.floor import NOT_ABOVE
from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR, L18, LAMBDA, TANGENT, floored
from fltheory.papers.osmd.mirror.proofs.mirror import LOSS, variation
from fltheory.papers.osmd.mirror.proofs.projection import RATIO, SHARES, above, below, lifted, omega, psi_of, share
from fltheory.papers.osmd.notation import A, K, M, T, alpha, eta
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, t
from fltheory.papers.osmd.regret.proofs.theorem6 import LATER, LOG, OUTSIDE, distance, near
from fltheory.papers.osmd.regret.proofs.theorem6 import at as comparator
from fltheory.papers.osmd.regret.proofs.theorem6 import omega as ratio_of
from fltheory.papers.osmd.regret.proofs.theorem6 import share as shares
from fltheory.proof import Given, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.facts.hoeffding import WEIGHTS
from fltheory.proof.facts.notation import (EACH, P, Q, Z, divergence, j, lo, logp, logq, logr, logz, m, simplex, u, w,
    whole, width, x, y)
from fltheory.proof.papers import quotients
from fltheory.proof.terms import Nonnegative, Total, family
from fltheory.verification import find

PLACE = "proof of Proposition 13"


def of(claim, quantity, name=""):
    """Begin a proof of a claim's bound; return its statement and its conditions too."""
    bound = find(claim).bound
    statement, conditions = statement_of(bound, quantity)
    return proof(name or claim, PLACE, of=claim, bound=bound), statement, conditions


def divided(top, below, factor, *uses):
    """Prove an upper bound on a quotient from the line ``order``."""
    values = {quotients.top: top, quotients.below: below, quotients.factor: factor}
    return by.apply("osmd/quotient-most", values, "order", *uses)


# (50) ---------------------------------------------------------------------------------------------

_DRIFT, _TV = divergence(logz, logp) - divergence(logq, logp), variation(logq, logz)
_THREE = (
    simplex("sum p", logp),
    floored("floor p", logp),
    simplex("sum q", logq),
    simplex("sum z", logz),
    floored("floor z", logz),
    Given("positive", lt(0, _TV), "the two comparators differ: what is divided by"),
)
_IDS = tuple(h.id for h in _THREE[:5])
_start, _line, _c = of("osmd/C-50@strengthened", _DRIFT / _TV)
DRIFT = (
    _start.under(*_THREE)
    .step("order", le(_DRIFT, LAMBDA * _TV), by.apply("osmd/50", *_IDS))
    .qed(_line, divided(_DRIFT, _TV, LAMBDA, "positive"))
)
_start, _line, _c = of("osmd/C-50@printed", _DRIFT / _TV)
DRIFT_TWICE = (
    _start.under(*_THREE, *_c)
    .step("once", le(_DRIFT, LAMBDA * _TV), by.apply("osmd/50", *_IDS))
    .steps(*LOG)
    .step("far", le(0, Abs(exp(logz(m)) - exp(logq(m))), EACH), by.linear())
    .step("moved", le(0, _TV), by.sum_over(m, "far"))
    .step("order", le(_DRIFT, 2 * LAMBDA * _TV), by.linear("once", "moved", "log"))
    .qed(_line, divided(_DRIFT, _TV, 2 * LAMBDA, "positive"))
)

# (51), and the slope of an estimated loss ---------------------------------------------------------

fed, counts = family(Nonnegative, "a"), family(Nonnegative, "N")


def slope(i):
    """Return minus an entry of the estimated gradient (7) at p."""
    return fed(i) * counts(i) * exp(-3 * logp(i)) / K**2


_ROUND = (
    floored("floor p", logp),
    Given("counts", le(counts(m), K, EACH), "no client is drawn more than K times"),
    Given("largest", le(fed(m), A, EACH), "A is the largest feedback"),
)
_STEEP = (
    line("zero", le(0, exp(-logp(m)), EACH), by.linear()),
    line("inverse", le(exp(-logp(m)), M / alpha, EACH), by.linear("floor p")),
    line("cube", le(exp(-logp(m)) ** 3, (M / alpha) ** 3, EACH), by.power(3, "zero", "inverse")),
)
_WEIGHTS = {"largest": counts(m) * exp(-3 * logp(m)) / K**2, "counts": A * exp(-3 * logp(m)) / K**2, "cube": A / K}
_start, _line, _c = of("osmd/C-Q@printed", slope(m))
STEEP = (
    _start.under(*_ROUND)
    .steps(*_STEEP)
    .qed(le(_line.left, _line.right, EACH), by.linear(_WEIGHTS), note="each entry, so the largest")
)
_GAIN = eta * slope(m)
_SIZE = eta * bounds.Q


def _progress(claim):
    start, statement, _ = of(claim, whole(slope(j) * (exp(logr(j)) - exp(logp(j)))) - divergence(logr, logp) / eta)
    return (
        start.under(simplex("sum p", logp), simplex("sum r", logr), *_ROUND)
        .steps(*_STEEP)
        .step("slope", le(slope(m), bounds.Q, EACH), by.linear(_WEIGHTS))
        .step("gain low", le(0, _GAIN, EACH), by.linear())
        .step("gain high", le(_GAIN, _SIZE, EACH), by.linear("slope"))
        .step(
            "spread",
            by.apply(L18, {w(m): exp(logp(m)), u(m): _GAIN, lo: 0, x: _SIZE}, "gain low", "gain high", "sum p"),
            note="Hoeffding's lemma",
        )
        .step("51", by.apply(LOSS, {y(m): _GAIN, Z: _SIZE**2 / 8}))
    ), statement


_start, _line = _progress("osmd/C-51@strengthened")
PROGRESS = _start.qed(_line, by.linear("51"))
_start, _line = _progress("osmd/C-51@printed")
PROGRESS_PRINTED = _start.step("more", le(0, eta * bounds.Q**2), by.linear()).qed(_line, by.linear("51", "more"))

# Lemma 18 -----------------------------------------------------------------------------------------

mass = Symbol("mass", positive=True)
UNDER = (
    proof("osmd/log-under", PLACE, note="log grows")
    .given("order", le(mass, exp(Q)), "two positive numbers")
    .qed(le(log(mass), Q), by.apply("osmd/log", {P: log(mass)}, "order"))
)
s, low, far = Symbol("s", real=True), Symbol("a", real=True), Symbol("r", positive=True)
_MGF, _AVERAGE, _BOX = whole(w(j) * exp(s * u(j))), whole(w(j) * s * u(j)), far**2 * width**2 / 8
_start, _line, _c = of("osmd/L18@printed", (log(_MGF) - _AVERAGE) / _BOX)
_ALL = le(_MGF, exp(_AVERAGE + s**2 * width**2 / 8))
_UP, _DOWN = (le(0, s),), (le(s, 0),)
HOEFFDING = (
    _start.under(WEIGHTS)
    .given("below", le(low, u(m), EACH), "the least value of X is a")
    .given("above", le(u(m), low + width, EACH), "the largest is b, width = b - a > 0")
    .given("far", eq(far**2, s**2), "r = |s| > 0: s is not 0, as the sides are divided by its square")
    .step("up low", le(s * low, s * u(m), EACH), by.linear("below"), assuming=_UP)
    .step("up high", le(s * u(m), s * low + s * width, EACH), by.linear("above"), assuming=_UP)
    .step("up", _ALL, by.apply(L18, {u(m): s * u(m), lo: s * low, x: s * width}), assuming=_UP)
    .step("down low", le(s * (low + width), s * u(m), EACH), by.linear("above"), assuming=_DOWN)
    .step("down high", le(s * u(m), s * low, EACH), by.linear("below"), assuming=_DOWN)
    .step(
        "down",
        _ALL,
        by.apply(L18, {u(m): s * u(m), lo: s * (low + width), x: -s * width}, "sum", "down low", "down high"),
        assuming=_DOWN,
    )
    .step("all", by.cases("up", "down"))
    .step("tangent", by.apply(TANGENT, {P: s * u(m) - _AVERAGE}), over=EACH)
    .step(
        "tangents",
        le(whole(w(j) * (1 + s * u(j) - _AVERAGE)), whole(w(j) * exp(s * u(j) - _AVERAGE))),
        by.sum_over(m, "tangent", weight=w(m)),
    )
    .step("least", le(exp(_AVERAGE), _MGF), by.linear("tangents", "sum"))
    .step("some", lt(0, _MGF), by.linear("least"))
    .step("logs", by.apply(UNDER, {mass: _MGF, Q: _AVERAGE + (s**2 * width**2 / 8)}, "all", "some"))
    .step("order", le(log(_MGF) - _AVERAGE, 1 * _BOX), by.linear("logs", "far", "some"))
    .qed(_line, by.linear("order", "some"))
)

# (53) ---------------------------------------------------------------------------------------------

_POINT = whole(lifted(share, omega, j))
_LACK = whole(Max(FLOOR - lifted(share, omega, j), 0))
_start, _line, _c = of("osmd/C-53@printed", Abs(_POINT - 1) + _LACK)
WITHIN = (
    _start.under(SHARES, RATIO, pt.AT_MOST)
    .step("sum", by.apply(pt.WITHIN))
    .step("up", le(_POINT - 1, 0), by.linear("sum"))
    .step("down", le(-(_POINT - 1), 0), by.linear("sum"))
    .step("most", by.absolute("up", "down"))
    .step("least", le(0, Abs(_POINT - 1)), by.linear())
    .step("none", by.antisymmetry("most", "least"))
    .step("low", le(FLOOR - lifted(share, omega, m), 0, EACH), by.linear("at most 1"))
    .step("each", by.apply(NOT_ABOVE, {pt.c: FLOOR - lifted(share, omega, m)}))
    .step("all", eq(_LACK, 0), by.sum_over(m, "each"))
    .qed(_line, by.linear("none", "all"))
)
_f, _q = pt.f, pt.q
_POINT_AT = _f + (1 - omega) * above(_q, _f)
_GOES = below(_q, _f) + omega * above(_q, _f)


def _side(tag, assumed, up, down, signs):
    """Bound the distance of one client, above or below the floor."""
    a, b = up, down
    return (
        line(f"{tag} above", eq(above(_q, _f), a), by.fact("max", above(_q, _f)), assuming=assumed),
        line(f"{tag} below", eq(below(_q, _f), b), by.fact("max", below(_q, _f)), assuming=assumed),
        line(f"{tag} high", le(_POINT_AT - _q, _GOES),
            by.linear({f"{tag} above": 1 - 2 * omega, f"{tag} below": -1, **signs[0]}), assuming=assumed),
        line(f"{tag} low", le(-(_POINT_AT - _q), _GOES),
            by.linear({f"{tag} above": -1, f"{tag} below": -1, **signs[1]}), assuming=assumed),
        line(f"{tag} most", le(Abs(_POINT_AT - _q), _GOES), by.absolute(f"{tag} high", f"{tag} low"), assuming=assumed),
        line(f"{tag} known", le(signs[2], Abs(signs[2])), by.fact("abs", signs[2]), assuming=assumed),
        line(f"{tag} least", le(_GOES, Abs(_POINT_AT - _q)), by.linear({f"{tag} known": 1, **signs[3]}),
            assuming=assumed),
    )


_OVER, _UNDER = (le(_f, _q),), (le(_q, _f),)
GOES = (
    proof("osmd/53-goes", PLACE, note="how far one client goes")
    .steps(
        *_side("over", _OVER, _q - _f, Integer(0),
            ({"assumed 1": 2 * omega}, {}, _q - _POINT_AT, {"over above": 1, "over below": 1})),
        *_side("under", _UNDER, Integer(0), _f - _q,
            ({}, {"assumed 1": 2}, _POINT_AT - _q, {"under above": -1 + 2 * omega, "under below": 1})))
    .step("most", by.cases("over most", "under most"))
    .step("least", by.cases("over least", "under least"))
    .qed(eq(Abs(_POINT_AT - _q), _GOES), by.antisymmetry("most", "least"))
)
_GONE = whole(Abs(lifted(share, omega, j) - share(j)))
_PSI = psi_of(share)
_start, _line, _c = of("osmd/C-53-move@printed", _GONE / _PSI)
MOVE = (
    _start.under(RATIO)
    .given("positive", lt(0, _PSI), "something lies below the floor: what is divided by")
    .step("each", by.apply(GOES, {_f: FLOOR, _q: share(m)}), over=EACH)
    .step("all", eq(_GONE, whole(below(share(j)) + omega * above(share(j)))), by.sum_over(m, "each"))
    .step("order", eq(_GONE, 2 * _PSI), by.linear("all", "omega"))
    .qed(_line, by.linear({"order": 1 / _PSI}, "positive"))
)

# (57) ---------------------------------------------------------------------------------------------

_NEAR_MOVES = whole(Abs(near(t + 1, j) - near(t, j)))
_VARIES = Total(_NEAR_MOVES, t, 1, T - 1) - Total(distance(t), t, 1, T - 1)
_MISSING = Total(psi_of(comparator(t)), t, 1, T)
_here = {pt.share(m): shares(t, m), pt.omega: ratio_of(t)}
_VARY_GIVEN = (
    *OUTSIDE[:3],
    Given("positive", lt(0, _MISSING), "some comparator is below the floor: what is divided by"),
)
_VARY = (
    line("within", eq(whole(near(t, j)), 1, ROUNDS), by.apply(pt.WITHIN, _here, "sum q", "omega", "ratio")),
    line("sum then", eq(whole(shares(t + 1, j)), 1, LATER), by.instance({t: t + 1}, "sum q")),
    line("ratio then", le(0, ratio_of(t + 1), LATER), by.instance({t: t + 1}, "ratio")),
    line("within then", eq(whole(near(t + 1, j)), 1, LATER), by.instance({t: t + 1}, "within")),
    line("nearer", le(_NEAR_MOVES, distance(t), LATER),
        by.apply(nearer.NONEXPANSIVE, {**_here, nearer.share2(m): shares(t + 1, m), pt.other: ratio_of(t + 1)}, "sum q",
            "sum then", "ratio", "ratio then", "within", "within then")),
    line("moves", le(Total(_NEAR_MOVES, t, 1, T - 1), Total(distance(t), t, 1, T - 1)), by.sum_over(t, "nearer")),
)
_start, _line, _c = of("osmd/C-57@strengthened", _VARIES / _MISSING)
VARIATION = (
    _start.under(*_VARY_GIVEN)
    .steps(*_VARY)
    .step("order", le(_VARIES, 0 * _MISSING), by.linear("moves"))
    .qed(_line, divided(_VARIES, _MISSING, 0, "positive"))
)
_start, _line, _c = of("osmd/C-57@printed", _VARIES / _MISSING)
VARIATION_PRINTED = (
    _start.under(*_VARY_GIVEN)
    .steps(*_VARY)
    .step("order", le(_VARIES, 4 * _MISSING), by.linear("moves", "positive"))
    .qed(_line, divided(_VARIES, _MISSING, 4, "positive"))
)

THEOREMS = (DRIFT, DRIFT_TWICE, STEEP, PROGRESS, PROGRESS_PRINTED, UNDER, HOEFFDING, WITHIN, GOES, MOVE, VARIATION,
    VARIATION_PRINTED)
