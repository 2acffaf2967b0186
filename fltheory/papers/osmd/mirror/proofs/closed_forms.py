"""The third line of (56) and the closed form of the projection, as their claims state them."""

from __future__ import annotations

from sympy import Abs, Integer, Max, Rational, Symbol, exp

from fltheory.papers.osmd.mirror.proofs import mirror
from fltheory.papers.osmd.mirror.proofs import projection as pt
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR, ONE, SQUARE
from fltheory.papers.osmd.mirror.proofs.projection import OVER, UNDER, above, f, lifted, lost, omega, phi, phi_is, q
from fltheory.papers.osmd.notation import K, M, T, alpha
from fltheory.papers.osmd.regret.proofs import theorem6 as six
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, t
from fltheory.papers.osmd.regret.proofs.theorem6 import GIVEN
from fltheory.papers.osmd.sampling.proofs import ranks
from fltheory.proof import Given, by, eq, le, lt, proof
from fltheory.proof.facts import notation
from fltheory.proof.facts.notation import EACH, P, Q, divergence, j, logp, logq, logr, m, s, whole, y
from fltheory.proof.papers import quotients
from fltheory.proof.terms import Indicator, Total

# (56), third line ----------------------------------------------------------------------------------

_LINE = le(lost * q / (f + (1 - omega) * above(q, f)), lost + phi * lost * Indicator(q - f))
CLIENT = (
    proof("osmd/56-client", "(56)", note="a client below the floor is no dearer, another one by the factor phi")
    .given("at most 1", le(omega, 1), "C-19")
    .under(phi_is(phi, omega, f))
    .given("one", le(q, 1), "a probability")
    .given("room", le(f, 1), "the floor is a probability")
    .step("factor", by.apply(pt.FACTOR))
    .step("in", eq(Indicator(q - f), 1), by.fact("indicator", q - f), assuming=OVER)
    .step("1", _LINE, by.linear({"factor": 1, "in": -lost * phi}), assuming=OVER)
    .step("under", eq(above(q, f), 0), by.fact("max", above(q, f)), assuming=UNDER)
    .step("2", _LINE, by.linear({"assumed 1": lost / f}), inserting="under", assuming=UNDER)
    .qed(_LINE, by.cases("1", "2"))
)
_WITHIN = Indicator(pt.share(j) - FLOOR)
ROUND = (
    proof("osmd/56-third", "(56), third line", note="one round, times K")
    .under(*(h for h in pt.ROUND if h.id != "omega"), phi_is(phi, omega))
    .step("no less", le(0, pt.share(j), (j, 1, M)), by.linear())
    .step("one", by.apply(ONE, {s(j): pt.share(j)}))
    .step("most", le(pt.share(m), 1, EACH), by.linear({"one": 1, "sum q": 1}))
    .step("room", le(FLOOR, 1), by.linear(alpha=1 / M))
    .step("client", by.apply(CLIENT, {lost: pt.losses(m), q: pt.share(m), f: FLOOR}))
    .step("low", le(FLOOR, lifted(pt.share, omega, m), EACH), by.linear({"at most 1": above(pt.share(m))}))
    .step("fed",
        le(pt.fed(m) / lifted(pt.share, omega, m), pt.losses(m) + phi * pt.losses(m) * Indicator(pt.share(m) - FLOOR),
            EACH), by.linear({"client": 1, "lost": -1 / lifted(pt.share, omega, m)}, "low"))
    .qed(le(whole(pt.fed(j) / lifted(pt.share, omega, j)), whole(pt.losses(j)) + phi * whole(pt.losses(j) * _WITHIN)),
        by.sum_over(m, "fed"))
)
_IN = Indicator(six.share(t, j) - FLOOR)
_ALLOWED = Total(six.phi(t) * whole(six.lost(t, j) * _IN) / K, t, 1, T)
_DEARER = Total(six.loss_near(t) - six.loss_of(t), t, 1, T)
_start, _line, _c = of("osmd/C-56-step@printed", _DEARER / _ALLOWED)
_AT = {
    pt.share(m): six.share(t, m),
    omega: six.omega(t),
    phi: six.phi(t),
    pt.losses(m): six.lost(t, m),
    pt.fed(m): six.feedback(t, m),
}
STEP = (
    _start.under(*(h for h in GIVEN if h.id in ("sum q", "ratio", "phi", "lost")))
    .given("alpha", le(alpha, 1), "a share")
    .given("positive", lt(0, _ALLOWED), "moving them costs something: what is divided by")
    .step("all", by.apply(ROUND, _AT, "sum q", "ratio", "alpha", "lost", "phi"))
    .step(
        "round",
        le(six.loss_near(t) - six.loss_of(t), six.phi(t) * whole(six.lost(t, j) * _IN) / K, ROUNDS),
        by.linear(all=1 / K),
    )
    .step("order", by.sum_over(t, "round"))
    .qed(
        _line,
        by.apply(
            "osmd/quotient-most",
            {quotients.top: _DEARER, quotients.below: _ALLOWED, quotients.factor: 1},
            "order",
            "positive",
        ),
    )
)

# Proposition 12 ------------------------------------------------------------------------------------

size = Symbol("size", nonnegative=True)
NIL = (
    proof("osmd/root-nil", "Proposition 12", note="a number is 0 whose square is")
    .given("square", le(size**2, 0), "its square is not positive")
    .step("zero", le(0, size**2), by.linear())
    .qed(le(size, 0), by.power(Rational(1, 2), "zero", "square"))
)
_HALF = exp(P / 2) - exp(Q / 2)
GAP = (
    proof("osmd/divergence-gap", "Proposition 12", note="one client of the divergence: at least a square")
    .step("tangent", by.fact("exp", (Q - P) / 2))
    .qed(le(_HALF**2, exp(P) * (P - Q) - exp(P) + exp(Q)), by.linear(tangent=2 * exp(P)))
)

_SUM, _FAR = exp(P / 2) + exp(Q / 2), exp(P) - exp(Q)
SAME = (
    proof("osmd/gap-nil", "Proposition 12", note="where that square is 0 the two are equal")
    .given("square", le(_HALF**2, 0), "it is not positive")
    .step("nil", by.apply(NIL, {size: Abs(_HALF)}))
    .step("over", by.fact("abs", _HALF))
    .step("under", by.fact("abs", -_HALF))
    .step("up", le(_FAR, 0), by.linear({"over": _SUM, "nil": _SUM}))
    .step("down", le(-_FAR, 0), by.linear({"under": _SUM, "nil": _SUM}))
    .qed(le(Abs(_FAR), 0), by.absolute("up", "down"))
)


def halves(i):
    """Return a client's square."""
    return (exp(logq(i) / 2) - exp(logr(i) / 2)) ** 2


_APART = whole(Abs(exp(logq(j)) - exp(logr(j))))
NEAREST = Given("nearest", le(mirror.objective(logq), mirror.objective(logr)),
    "the projection q is the least on the floored simplex, where r is")
_OWN = (mirror.NEXT, mirror.SUM, *mirror.OTHER, NEAREST)
UNIQUE = (
    proof("osmd/P12-same", "Proposition 12", note="nothing but the closed form is the projection").under(*_OWN)
    .step("least", by.apply(mirror.P12))
    .step("none", le(divergence(logq, logr), 0), by.linear("least", "nearest"))
    .step("each", by.apply(GAP, {P: logq(m), Q: logr(m)}), over=EACH)
    .step("all", le(whole(halves(j)), divergence(logq, logr) + whole(exp(logr(j)) - exp(logq(j)))),
        by.sum_over(m, "each"))
    .step("total", le(whole(halves(j)), 0), by.linear({"all": 1, "none": 1, "sum q": -1, "sum r": 1}))
    .step("zero", by.apply(SQUARE, {P: exp(logq(j) / 2) - exp(logr(j) / 2), Q: 0}), over=(j, 1, M))
    .step("one", le(halves(m), whole(halves(j)), EACH), by.apply(ONE, {s(j): halves(j)}))
    .step("square", le(halves(m), 0, EACH), by.linear("one", "total"))
    .step("same", by.apply(SAME, {P: logq(m), Q: logr(m)}))
    .step("most", le(_APART, 0), by.sum_over(m, "same"))
    .step("far", le(0, Abs(exp(logq(m)) - exp(logr(m))), EACH), by.linear())
    .step("low", le(0, _APART), by.sum_over(m, "far"))
    .qed(eq(_APART, 0), by.antisymmetry("most", "low"))
)


def root_line(count):
    """Return the line that floors the first clients."""
    return count * FLOOR + exp(notation.C) * (whole(exp(logp(j))) - Total(exp(logp(j)), j, 1, count))


_RANKED = (
    Given("sorted", le(exp(logp(j)), exp(logp(m)), EACH, (j, 1, m)), "in ascending order"),
    Given("lines", le(root_line(ranks.n), 1, (ranks.n, 0, M)), "c is at most the root of every line,"),
    Given("attained", eq(root_line(ranks.least), 1), "and the root of one of them: the least root"),
    ranks.ATTAINED[1],
)
_FORM = Given("next", mirror.NEXT.relation.at({y(m): Integer(0)}),
    "max(alpha/M, c y): here y is the point, by its logarithm, and c = e^C")
_NEAR = Given(NEAREST.id, le(divergence(logq, logp), divergence(logr, logp)), NEAREST.why)
_start, _line, _c = of("osmd/C-P12-root@strengthened", _APART)
ROOT = (
    _start.under(*_RANKED, _FORM, *mirror.OTHER, _NEAR)
    .step("tops", by.apply(ranks.RANKS, {ranks.c: exp(notation.C), ranks.v(m): exp(logp(m))}))
    .step("all", eq(whole(exp(logr(j))), whole(Max(FLOOR, exp(notation.C) * exp(logp(j))))), by.sum_over(m, "next"))
    .step("sum r", eq(whole(exp(logr(j))), 1), by.linear("all", "tops"))
    .qed(_line, by.apply(UNIQUE, {y(m): Integer(0)}, "next", "sum r", "sum q", "floor q", "nearest"))
)

THEOREMS = (CLIENT, ROUND, STEP, NIL, GAP, SAME, UNIQUE, ROOT)
