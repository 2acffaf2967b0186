"""The angle of a client's gradient to that of f (A1c), for versions X (rho < 1/2) and Y (rho < 1) of Theorem 1."""

from __future__ import annotations

from sympy import Rational, Symbol, oo, sqrt

from fltheory.papers.delta_sgd.notation import L, rho
from fltheory.proof import Axiom, Given, Member, by, le, lt, proof
from fltheory.proof.facts import limits, squares
from fltheory.proof.terms import Dot, Fun, Grad, Vector, family, square

s, q, x, y = (family(Vector, name)() for name in ("s", "q", "x", "y"))
f = family(Fun, "f")()
angle, part = Symbol("r", nonnegative=True), Symbol("e", positive=True)
count = squares.m
PLACE = "Assumption (1c)"

# |q| <= r |s| gives <s, q> >= -r |s|^2, also for r = 0 -----------------------------------------------------------------------

CONE = (
    proof("delta_sgd/cone", PLACE, note="Cauchy and Schwarz, r > 0")
    .given("short", le(square(q), part**2 * square(s)), "the one vector is no longer than r times the other")
    .qed(le(-Dot(s, q), part * square(s)), by.sos(short=1 / (2 * part)))
)
_LEVEL = le(0, Dot(s, q))
LEVEL = (
    proof("delta_sgd/level", PLACE, note="and r = 0")
    .given("none", le(square(q), 0), "the one vector vanishes")
    .step("1", le(0, Dot(s, q) + square(s) / 2 / count, (count, 1, oo)), by.sos(none=count / 2))
    .step("2.1", le(0, square(s)), by.sos())
    .step("2.2", le(0, square(s) / 2), by.linear("2.1"))
    .qed(_LEVEL, by.apply("delta_sgd/limit", {limits.level: Dot(s, q), limits.size: square(s) / 2}, "1", "2.2"),
        note="closer and closer")
)
_ANY = le(-Dot(s, q), angle * square(s))
_NARROW, _WIDE = (le(angle, 0),), (lt(0, angle),)
ANY = (
    proof("delta_sgd/angle", PLACE, note="Cauchy and Schwarz")
    .given("short", le(square(q), angle**2 * square(s)), "as long as r says")
    .step("0", le(0, square(s)), by.sos())
    .step("1.1", le(square(q), 0), by.linear("short", "0"), assuming=_NARROW)
    .step("1.2", by.apply(LEVEL), assuming=_NARROW)
    .step("1.3", le(0, angle * square(s)), by.linear("0"))
    .step("1", _ANY, by.linear("1.2", "1.3"), assuming=_NARROW)
    .step("2", by.apply(CONE, {part: angle}), assuming=_WIDE)
    .qed(_ANY, by.cases("1", "2"))
)

# Consequences of (1c) -------------------------------------------------------------------------------------------------

ALONG = (
    proof("delta_sgd/A1c", PLACE, of="delta_sgd/A1c-cone@corrected",
        note="for rho < 1 the gradients of the clients all point along that of f; times the squared gradient")
    .given("alike", le(square(q - s), rho * square(s)), "A1c: q is the gradient of a client, s that of f")
    .qed(le((1 - sqrt(rho)) * square(s), Dot(q, s)), by.linear(by.apply(ANY, {angle: sqrt(rho), q: q - s})))
)
one, other = (Symbol(name, real=True) for name in ("g_i", "g"))
AGAINST = (
    proof("delta_sgd/A1c-beyond", PLACE, of="delta_sgd/A1c-cone@explicit", recorded="REFUTED",
        note="for rho > 1 they need not")
    .given("alike", le((one - other) ** 2, rho * other**2), "A1c on the line")
    .qed(le(0, one * other), by.counterexample({one: -Rational(1, 2), other: 1, rho: Rational(9, 4)}, "alike"),
        note="a client may pull the other way")
)

SMOOTH = Member("class", f, L, None, "A2: the client's objective is smooth")
_OWN, _HERE = Grad(f, y), Grad(f, x)
VERSION_X = (
    proof("delta_sgd/direction-X", "proof of Theorem 1", note="a gradient at y against that of f at x: version X")
    .under(SMOOTH)
    .given("alike", le(square(_HERE - s), rho * square(s)), "A1c at x")
    .qed(le(-Dot(s, _OWN), -(Rational(1, 2) - rho) * square(s) + L**2 * square(y - x)),
        by.sos("class", (1, Axiom("lipschitz", f, y, x)), alike=1), note="(16) to (22) for one gradient")
)
SPLIT = (
    proof("delta_sgd/direction", "proof of Theorem 1", note="a gradient at y, where that at x points along")
    .under(SMOOTH)
    .given("along", le(part * square(s), Dot(_HERE, s)), "the gradient at x points along s")
    .qed(le(-Dot(s, _OWN), -part / 2 * square(s) + L**2 / (2 * part) * square(y - x)),
        by.sos("class", (1 / (2 * part), Axiom("lipschitz", f, y, x)), along=1), note="Young's inequality, weighed")
)
SMALL = Given("c1", lt(rho, 1), "rho < 1")
VERSION_Y = (
    proof("delta_sgd/direction-Y", "proof of Theorem 1", note="a gradient at y against that of f at x: version Y")
    .under(SMOOTH)
    .given("alike", le(square(_HERE - s), rho * square(s)), "A1c at x")
    .under(SMALL)
    .step("1", by.apply(ALONG, {q: _HERE}))
    .step("room", lt(0, 1 - sqrt(rho)), by.linear(c1=1 / (1 + sqrt(rho))))
    .qed(le(-Dot(s, _OWN), -(1 - sqrt(rho)) / 2 * square(s) + L**2 / (2 * (1 - sqrt(rho))) * square(y - x)),
        by.apply(SPLIT, {part: 1 - sqrt(rho)}, "class", "1", "room"))
)
INVERSE = proof("delta_sgd/inverse", "proof of Theorem 1").qed(le(0, 1 / (2 * part)), by.linear())

THEOREMS = (CONE, LEVEL, ANY, ALONG, AGAINST, VERSION_X, SPLIT, VERSION_Y, INVERSE)
