"""Lemmas A.1, A.4 to A.8: convexity and exp-concavity of the loss; identity and progress of the regularised leader.

Lemmas A.5 to A.7 hold for any norm: the proofs use only |<x, y>| <= |x| |y|_*.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Rational, Symbol, exp, log

from fltheory.papers.aaggff.losses.proofs.facts import ROUNDS, SLOPE, TELESCOPED, N, a, b, d, j, rise, s, t, whole
from fltheory.papers.aaggff.notation import T
from fltheory.proof import Given, by, eq, le, lt, proof
from fltheory.proof.terms import Dot, Fun, Nonnegative, Scalar, Total, Val, Vector, family

# Lemma A.1 and Definition A.8 -----------------------------------------------------------------------------------------

share, c = Symbol("share", nonnegative=True), Symbol("c", positive=True)
CONVEX = (
    proof("aaggff/A.1-convex", "Lemma A.1", of="aaggff/A.1@corrected", note="the loss is convex")
    .given("mixed", eq(c, share * a + (1 - share) * b), "1 + <., r> is affine: between a at p and b at q")
    .given("part", le(share, 1), "a part of the way")
    .step("1", le(log(a) - log(c), (a - c) / c), by.apply(SLOPE, {b: c}))
    .step("2", by.apply(SLOPE, {a: b, b: c}))
    .qed(le(-log(c), -share * log(a) - (1 - share) * log(b)), by.linear("1", "2", "mixed", "part"))
)
_p, _q, _r = ((*(Symbol(f"{name}{k}", nonnegative=True) for k in (1, 2, 3)),) for name in "pqr")


def _loss(point: Sequence[Expr]) -> Expr:
    return -log(1 + sum(x * y for x, y in zip(point, _r, strict=True)))


_between = tuple(share * x + (1 - share) * y for x, y in zip(_p, _q, strict=True))
_HALF, _QUARTER = Rational(1, 2), Rational(1, 4)
_AT = dict(zip((*_p, *_q, *_r), (_HALF, 0, _HALF, 0, 1, 0, _HALF, _QUARTER, 0), strict=True))
STRICT = (
    proof("aaggff/A.1", "Lemma A.1", of="aaggff/A.1@printed", recorded="REFUTED",
        note="strict convexity: false for three clients")
    .given("sum p", eq(sum(_p), 1), "a distribution on three clients")
    .given("sum q", eq(sum(_q), 1), "another one")
    .given("apart", lt(0, sum((x - y) ** 2 for x, y in zip(_p, _q, strict=True))), "not the same")
    .given("inside", lt(0, share), "between both")
    .given("inside too", lt(share, 1), "between both")
    .qed(lt(_loss(_between), share * _loss(_p) + (1 - share) * _loss(_q)),
        by.counterexample({**_AT, share: _HALF}, "sum p", "sum q", "apart", "inside", "inside too"),
        note="the loss speaks of <p, r> alone, which is 1/4 at both")
)
p, q, r = (family(Scalar, name) for name in "pqr")


def _growth(point: Expr) -> Expr:
    return 1 + whole(point * r(j))


AFFINE = proof(
    "aaggff/A.8",
    "Remark A.9",
    of="aaggff/A.9@printed",
    note="exp(-loss) is affine on the simplex, so that the loss is 1-exp-concave",
).qed(
    eq(exp(log(_growth(share * p(j) + (1 - share) * q(j)))),
        share * exp(log(_growth(p(j)))) + (1 - share) * exp(log(_growth(q(j))))), by.linear())

# Lemma A.4 ------------------------------------------------------------------------------------------------------------

ell, R, point, star = family(Fun, "l"), family(Fun, "R"), family(Vector, "p"), family(Vector, "p_star")()


def leader(now: Expr | int, at: Expr) -> Expr:
    """Return L^(t) at a point: the losses before t and the regulariser of t."""
    return Total(Val(ell(s), at), s, 1, now - 1) + Val(R(now), at)


def progress(now: Expr) -> Expr:
    """Return the summand of the identity in a round."""
    return leader(now, point(now)) - leader(now + 1, point(now + 1)) + Val(ell(now), point(now))


_REGRET = Total(Val(ell(t), point(t)) - Val(ell(t), star), t, 1, T)
_A4 = eq(_REGRET,
    Val(R(T + 1), star) - Val(R(1), point(1)) + leader(T + 1, point(T + 1)) - leader(T + 1, star) + Total(progress(t), t, 1, T))
_rise = leader(t + 1, point(t + 1)) - leader(t, point(t))
A4 = (
    proof("aaggff/A.4", "Lemma A.4", of="aaggff/A.4@printed",
        note="any losses, regularisers and points: that they are minimisers is not used")
    .step("one", eq(leader(t + 1, point(t + 1)), leader(t, point(t)) + _rise, ROUNDS), by.linear())
    .step("all", by.apply(TELESCOPED, {d(t): leader(t, point(t)), rise(t): _rise, N: T}))
    .qed(_A4, by.linear("all"))
)


def last(at: Expr) -> Expr:
    """Return all the losses and the last regulariser at a point."""
    return Total(Val(ell(s), at), s, 1, T) + Val(R(T), at)


A4_LAST = (
    proof("aaggff/A.4-last", "Lemma A.4", of="aaggff/A.4-last@printed",
        note="with the last regulariser once more, R^(T+1) := R^(T), as Theorem 5.2 uses it")
    .step("A.4", by.apply(A4))
    .qed(
        eq(
            _REGRET,
            Val(R(T), star)
            - Val(R(1), point(1))
            + last(point(T + 1))
            - last(star)
            + Total(progress(t), t, 1, T - 1)
            + leader(T, point(T))
            - last(point(T + 1))
            + Val(ell(T), point(T)),
        ),
        by.linear("A.4"),
    )
)

# Lemmas A.5 to A.7 ----------------------------------------------------------------------------------------------------

f, now, later, loss, before, after = (family(Fun, name)() for name in ("f", "L", "L_plus", "l", "R", "R_plus"))
x, best, g = (family(Vector, name)() for name in ("x", "x_star", "g"))
distance, size = family(Nonnegative, "distance")(), family(Nonnegative, "size")()
mu = Symbol("mu", positive=True)
HOLDER = Given("holder", le(Dot(g, x - best), size * distance), "the norm and its dual")


def strongly(function: Expr) -> Given:
    """Return strong convexity from x to the other point, along a subgradient at x."""
    right = Val(function, x) + Dot(g, best - x) + mu / 2 * distance**2
    return Given("strong", le(right, Val(function, best)), "strongly convex in the norm, with the subgradient g at x")


A5 = (
    proof("aaggff/A.5", "Lemma A.5", of="aaggff/A.5@printed",
        note="no value is lower by more, that of the minimiser included")
    .under(strongly(f), HOLDER)
    .step("square", le(0, (size - mu * distance) ** 2 / (2 * mu)), by.polynomial())
    .qed(le(Val(f, x) - Val(f, best), size**2 / (2 * mu)), by.linear("strong", "holder", "square"))
)
A6 = (
    proof("aaggff/A.6", "Lemma A.6", of="aaggff/A.6@printed",
        note="that p^(t) minimises the increment of the regulariser makes g the loss's gradient")
    .under(strongly(later), HOLDER)
    .given("next", eq(Val(later, x), Val(now, x) + Val(loss, x) + Val(after, x) - Val(before, x)),
        "L^(t+1) has one loss more and the next regulariser; x is p^(t), the other point p^(t+1)")
    .step("gap", by.apply(A5, {f: later}))
    .qed(le(Val(now, x) - Val(later, best) + Val(loss, x), size**2 / (2 * mu) + Val(before, x) - Val(after, x)),
        by.linear("gap", "next"))
)
A7 = (
    proof("aaggff/A.7", "Lemma A.7", of="aaggff/A.7@printed",
        note="in any norm: entropy is strongly convex in the sum norm")
    .given("strong",
        le(Val(now, x) + Val(loss, x) + Dot(g, best - x) + mu / 2 * distance**2, Val(now, best) + Val(loss, best)),
        "L^(t) + l^(t) is strongly convex; at its minimiser x = p^(t) of L^(t) the loss's g is a subgradient")
    .under(HOLDER)
    .given("next", eq(Val(later, best), Val(now, best) + Val(loss, best) + Val(after, best) - Val(before, best)),
        "L^(t+1) has one loss more and the next regulariser")
    .step("square", le(0, (size - mu * distance) ** 2 / (2 * mu)), by.polynomial())
    .qed(le(Val(now, x) - Val(later, best) + Val(loss, x), size**2 / (2 * mu) + Val(before, best) - Val(after, best)),
        by.linear("strong", "holder", "square", "next"))
)

THEOREMS = (CONVEX, STRICT, AFFINE, A4, A4_LAST, A5, A6, A7)
