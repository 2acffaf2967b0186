"""A.1, (14), (19) and Lemma 3 as their claims state them: the draw of clients, zero-mean noise, and both together."""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Symbol, oo

from fltheory.papers.delta_sgd.convex.proofs.quotients import RULES
from fltheory.papers.delta_sgd.displays.proofs import displays, rounds
from fltheory.papers.delta_sgd.displays.proofs.displays import first, second
from fltheory.papers.delta_sgd.displays.proofs.rounds import (A1, A2, A3, A4, A5, A6, APART, DRIFT, LENGTH, OWN, SLOPE,
    SUM, F, eta, steps, total, x, xi, y)
from fltheory.papers.delta_sgd.nonconvex.proofs.drift import CLIENTS, LOCAL, i, k, l
from fltheory.papers.delta_sgd.nonconvex.proofs.round import DRAWN, JENSEN, TAKING_PART, after, j, pick, update
from fltheory.papers.delta_sgd.notation import K, L, P, m
from fltheory.papers.delta_sgd.smoothness.proofs import smooth
from fltheory.papers.delta_sgd.smoothness.proofs.facts import LIMIT, mean
from fltheory.proof import Axiom, Defines, Given, Member, by, eq, le, lt, proof, statement_of
from fltheory.proof.facts import limits, squares
from fltheory.proof.papers.quotients import below, factor, quotient_theorem, top
from fltheory.proof.terms import Dot, E, Grad, Total, Val, Vector, family, square
from fltheory.verification import find

PUSH = eta(i, k) * (OWN + xi(i, k))
w = family(Vector, "w")()
MOVE = Total(update(pick(j)), j, 1, P) / P


def vanishes(chain, off: Expr, claim: str):
    """Conclude from the line ``same`` that the deviation is 0."""
    bound = find(claim).bound
    return (
        chain.step("up", le(off, 0), by.linear("same"))
        .step("down", le(-off, 0), by.linear("same"))
        .step("none", by.absolute("up", "down"))
        .step("sign", le(0, Abs(off)), by.linear())
        .qed(statement_of(bound, Abs(off))[0], by.antisymmetry("none", "sign"))
    )


def of(name: str, note: str):
    """Return a proof of a claim's own bound."""
    return proof(f"delta_sgd/{name}", of=f"delta_sgd/{name}", bound=find(f"delta_sgd/{name}").bound, note=note)


# The draw of the clients ----------------------------------------------------------------------------------------------

EQUALLY = "each client is as likely as any other to be the one in place j of the subset, whatever its moves"
ALONG = Given("drawn", eq(E(Dot(update(pick(j)), w)), mean(E(Dot(update(i), w))), TAKING_PART), EQUALLY)
SQUARED = Given("drawn too", DRAWN[1].relation, EQUALLY)
SUBSET = vanishes(
    of("14-subset@printed", "along any vector").under(ALONG)
    .step("same", eq(E(Dot(MOVE, w)), mean(E(Dot(update(i), w)))), by.sum_over(j, "drawn", weight=1 / P)),
    E(Dot(MOVE, w)) - mean(E(Dot(update(i), w))),
    "delta_sgd/14-subset@printed",
)
# Noise has mean zero --------------------------------------------------------------------------------------------------

FREE = Given("unbiased", eq(E(eta(i, k) * Dot(xi(i, k), w)), 0, CLIENTS, LOCAL),
    "no step depends on the noise that it multiplies")
_OFF = E(Dot(steps(PUSH), w)) - E(Dot(steps(eta(i, k) * OWN), w))
TOWER = (
    of("14-tower@corrected", "of every client, along any vector").under(FREE)
    .step("same", eq(_OFF, 0, CLIENTS), by.sum_over(k, "unbiased"))
    .step("up", le(_OFF, 0, CLIENTS), by.linear("same"))
    .step("down", le(-_OFF, 0, CLIENTS), by.linear("same"))
    .step("none", by.absolute("up", "down"))
    .step("sign", le(0, Abs(_OFF), CLIENTS), by.linear())
    .qed(eq(Abs(_OFF), 0, CLIENTS), by.antisymmetry("none", "sign"))
)

# (14) and (19) ----------------------------------------------------------------------------------------------------------------

CLASS = Member("class", F(i), L, None, "A2: every client's objective is smooth on the way")
UPDATE = Defines("update", update(i), steps(PUSH), "what a client moves in its local steps, or would move")
AFTER = Defines("after", after, x - MOVE, "the mean of the clients that take part")
UNBIASED = Given("unbiased", FREE.relation.at({w: SLOPE}), FREE.why)
ROUND = (CLASS, AFTER, UPDATE, Given("drawn", ALONG.relation.at({w: SLOPE}), EQUALLY), SQUARED, UNBIASED)
NAMES = ("class", "drawn", "drawn too", "unbiased")
FIRST_ORDER = E(Dot(mean(steps(eta(i, k) * OWN)), SLOPE))
RISE = E(mean(Val(F(i), after))) - mean(Val(F(i), x))
_BELOW = Val(F(i), x) + Dot(Grad(F(i), x), after - x) + L / 2 * square(after - x)
DESCENT = (
    proof("delta_sgd/14-sides", "(14)", note="(13) in expectation").under(*ROUND)
    .step("10", le(Val(F(i), after), _BELOW, CLIENTS), by.linear((1, Axiom("descent", F(i), after, x)), "class"))
    .step("13", le(mean(Val(F(i), after)), mean(_BELOW)), by.sum_over(i, "10", weight=1 / m))
    .step("13 mean", by.expectation("13"))
    .step("moved", le(RISE, -E(Dot(MOVE, SLOPE)) + L / 2 * E(square(MOVE))), by.linear("13 mean"), inserting="after")
    .step("drawn all", eq(E(Dot(MOVE, SLOPE)), mean(E(Dot(update(i), SLOPE)))), by.sum_over(j, "drawn", weight=1 / P))
    .step("noise", eq(mean(steps(E(eta(i, k) * Dot(xi(i, k), SLOPE)))), 0),
        by.sum_over((k, i), "unbiased", weight=1 / m))
    .step("order", eq(mean(E(Dot(steps(PUSH), SLOPE))), FIRST_ORDER), by.linear("noise"))
    .step("size", by.apply(JENSEN))
    .step("both", le(RISE, -mean(E(Dot(update(i), SLOPE))) + L / 2 * mean(E(square(update(i))))),
        by.linear("moved", "drawn all", "size"))
    .qed(le(RISE + FIRST_ORDER, L * (mean(E(square(steps(PUSH)))) / 2)), by.linear("both", "order"), inserting="update")
)
_STRAY = mean(steps(eta(i, k) * DRIFT))
_APART = mean(LENGTH * APART)
_DEVIATION = rounds.DEVIATION
_SPLIT = (square(_STRAY) + square(_APART)) / total
REST = (
    proof("delta_sgd/19-rest", "(19)", note="(14) to (19) together").under(*ROUND, SUM)
    .step("14", by.apply(DESCENT), inserting=("after", "update"))
    .step("17", le(-Dot(_DEVIATION, SLOPE), total / 2 * square(SLOPE) + square(_DEVIATION) / (2 * total)),
        by.apply(displays.YOUNG, {displays.D: total, displays.w: _DEVIATION / total, displays.s: SLOPE}))
    .step("19", le(square(_DEVIATION) / (2 * total), _SPLIT),
        by.apply(displays.SPLIT, {displays.D: total, first: -_STRAY, second: _APART}))
    .step("path", le(-Dot(mean(steps(eta(i, k) * OWN)), SLOPE), -total / 2 * square(SLOPE) + _SPLIT),
        by.linear("17", "19", "sum"))
    .step("mean", le(-FIRST_ORDER, -E(total) / 2 * square(SLOPE) + E(_SPLIT)), by.expectation("path"))
    .step("four", by.apply(rounds.MOVE))
    .qed(le(RISE + E(total) / 2 * square(SLOPE), A1 + A2 + A3 + A4 + A5 + A6), by.linear("14", "mean", "four"))
)

# A.1 --------------------------------------------------------------------------------------------------------------------------

_MOVED = y(i, k + 1) - y(i, k) + PUSH
COURSE = Given("course", eq(y(i, k), x - Total(PUSH.subs(k, l), l, 0, k - 1), CLIENTS, (k, 0, K)),
    "line 8, all steps so far")
OWN_STEP = (
    of("A.1@corrected", "the squared length").under(COURSE)
    .step("now", eq(y(i, k), COURSE.relation.right, CLIENTS, LOCAL), by.linear("course"))
    .step("next", by.instance({k: k + 1}, "course"), over=(CLIENTS, LOCAL))
    .step("none", eq(_MOVED, 0 * x, CLIENTS, LOCAL), by.linear("next", "now"))
    .qed(eq(square(_MOVED), 0, CLIENTS, LOCAL), by.linear(none=_MOVED))
)

# Lemma 3 ------------------------------------------------------------------------------------------------------------------------

N = squares.m
one, two = family(Vector, "x"), family(Vector, "y")
constant = Symbol("L_f", positive=True)
_EVERY = (N, 1, oo)
_APART_BY = square(one(N) - two(N))


def turned(place: Expr) -> Expr:
    """Return the change of a client's gradient."""
    return Grad(F(place), one(N)) - Grad(F(place), two(N))


_MEAN = mean(smooth.own(i))
LIPSCHITZ = (
    proof("delta_sgd/L3-sides", "Lemma 3", note="the least Lipschitz constant of the gradient of f")
    .given("local", le(square(turned(i)), smooth.own(i) ** 2 * _APART_BY, CLIENTS, _EVERY),
        "A2: client i has the Lipschitz constant L_i")
    .given("distinct", lt(0, _APART_BY, _EVERY), "the points differ")
    .given("least", le((constant**2 - 1 / N) * _APART_BY, square(mean(turned(i))), _EVERY),
        "L_f is the least constant of f: for each N two points show that none is less by more than 1/N, of their squares")
    .step("11", by.apply(smooth.TOGETHER, {smooth.F(i): F(i), **{smooth.x: one(N), smooth.y: two(N)}}))
    .step("both", le((constant**2 - 1 / N) * _APART_BY, _MEAN**2 * _APART_BY, _EVERY), by.linear("least", "11"))
    .step("divided", le(constant**2 - 1 / N, _MEAN**2 * _APART_BY / _APART_BY, _EVERY),
        by.apply("delta_sgd/quotient-least", {factor: constant**2 - 1 / N, below: _APART_BY, top: _MEAN**2 * _APART_BY},
            "both", "distinct"))
    .step("near", le(0, _MEAN**2 - constant**2 + 1 / N, _EVERY), by.linear("divided", "distinct"))
    .step("one", le(0, 1), by.linear())
    .step("squares", by.apply(LIMIT, {limits.level: _MEAN**2 - constant**2, limits.size: Integer(1)}, "near", "one"))
    .step("positive", le(0, smooth.own(i), CLIENTS), by.linear())
    .step("mean", le(0, _MEAN), by.sum_over(i, "positive", weight=1 / m))
    .step("less", le(constant, _MEAN), by.linear("squares", "mean"), assuming=le(_MEAN, constant))
    .step("more", le(constant, _MEAN), by.linear(), assuming=le(constant, _MEAN))
    .qed(le(constant, _MEAN), by.cases("less", "more"))
)

THEOREMS = (
    SUBSET,
    quotient_theorem(RULES, JENSEN, "delta_sgd/14-jensen@printed"),
    TOWER,
    DESCENT,
    quotient_theorem(RULES, DESCENT, "delta_sgd/14@corrected", L),
    REST,
    quotient_theorem(RULES, REST, "delta_sgd/19@corrected"),
    OWN_STEP,
    LIPSCHITZ,
    quotient_theorem(RULES, LIPSCHITZ, "delta_sgd/L3@printed"),
)
