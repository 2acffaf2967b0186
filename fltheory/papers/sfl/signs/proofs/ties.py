"""Lemma 8's proof and the number of Appendix D.3, as their claims state them."""

from __future__ import annotations

from sympy import Rational, Symbol, diff, exp, oo, sqrt

from fltheory.papers.sfl.notation import M, n
from fltheory.papers.sfl.signs.proofs import signs
from fltheory.papers.sfl.signs.proofs.signs import HIT_ZERO, bound, mass, size
from fltheory.proof import Relation, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import E

HALF = Rational(1, 2)

# Lemma 8: one more sign -----------------------------------------------------------------------------------------------

_BEFORE, _NOW = E(size(n - 1)) + mass(n - 1, 0), E(size(n))
_SAME, _SOME = statement_of(bound("L8-recursion@printed", "equal"), _BEFORE / _NOW)
_SIZES = (*signs.CLOSED.hypotheses, HIT_ZERO)
RECURSION = (
    proof("sfl/L8-recursion-ratio", of="sfl/L8-recursion@printed", bound=bound("L8-recursion@printed", "equal"))
    .under(*_SOME, *_SIZES)
    .step("recursion", by.apply(signs.RECURSION))
    .step("here", by.instance({n: n - 1}, "recursion", "c1"))
    .step("far", le(sqrt(n) / 5, _NOW), by.apply(signs.L8_LOWER))
    .step("zero", le(0, 1), by.linear())
    .step("root", by.power(HALF, "zero", "c1"))
    .step("positive", lt(0, _NOW), by.linear({"far": 1, "root": Rational(1, 5)}))
    .qed(_SAME, by.linear({"here": -1 / _NOW}, "positive"), name="last")
)

# Lemma 8: ties of an even number of signs -----------------------------------------------------------------------------------

q, y = Symbol("q", positive=True), Symbol("y", nonnegative=True)
INVERSE = proof("sfl/inverse", "Lemma 8, proof").qed(le(0, 1 / q), by.linear())
g, h = Symbol("g", integer=True, nonnegative=True), Symbol("h", integer=True, nonnegative=True)
_TIE = mass(n, 0)
_OFTEN, _TWO = statement_of(bound("L8-central@printed", "lower"), _TIE)
_LAW = (*signs.TIES.hypotheses, HIT_ZERO)
_ODD = eq(mass(2 * g + 1, 0), 0)
_PAIR_STEPS = tuple(s for s in signs.SHARP.steps if s.id in (*(t.id for t in signs._SECOND), "ties", "base", "step", "pair"))
CENTRAL = (
    proof("sfl/L8-central", of="sfl/L8-central@printed", bound=bound("L8-central@printed", "lower")).under(*_TWO, *_LAW)
    .given("even", eq(n, 2 * h), "an even number of signs")
    .steps(*_PAIR_STEPS, *signs._FIRST)
    .step("two more", by.instance({n: 2 * g + 1}, "ties"), over=(g, 0, oo))
    .step("odd next", Relation(mass(2 * g + 3, 0), "==", 0, ((g, 0, oo),)), by.linear("two more"), assuming=_ODD)
    .step("odd", Relation(_ODD.left, "==", 0, ((g, 0, oo),)), by.induction(g, "tie 1", "odd next"),
        note="an odd number has no tie")
    .step("odd here", by.instance({g: h}, "odd"))
    .step("here", by.instance({n: n}, "pair", "c1"))
    .step("no tie", eq(mass(n + 1, 0), 0), by.linear("odd here"), inserting="even")
    .step("some", lt(0, n), by.linear("c1"))
    .step("inverse", by.apply(INVERSE, {q: n}, "some"))
    .step("below", le(0, 1 / (4 * n)), by.linear("inverse"))
    .step("square", le(1 / (4 * n), _TIE**2), by.linear("here", "no tie", "inverse", "some"))
    .qed(_OFTEN, by.power(HALF, "below", "square"), name="last")
)

# The number of Appendix D.3 ---------------------------------------------------------------------------------------------------

_SPARE = exp(y - y**2 / 2 + y**3 / 3) - 1 - y
_GROWTH = diff(_SPARE, y)
LOGARITHM = (
    proof("sfl/D3-logarithm", "Appendix D.3", note="log(1 + y) <= y - y^2/2 + y^3/3 for y >= 0")
    .step("slope at 0", le(0, _GROWTH.subs(y, 0)), by.linear())
    .step("bend 1", le(0, (1 - y) ** 2), by.polynomial())
    .step("bend", le(0, diff(_GROWTH, y)), by.linear("bend 1"))
    .step("slope", le(0, _GROWTH), by.derivative(y, "slope at 0", "bend"))
    .step("at 0", le(0, _SPARE.subs(y, 0)), by.linear())
    .step("above", le(0, _SPARE), by.derivative(y, "at 0", "slope"))
    .qed(le(exp(-y + y**2 / 2 - y**3 / 3), 1 / (1 + y)), by.linear("above"), name="last")
)
_FIRST, _MANY = statement_of(bound("D3-first@corrected", "lower"), 405 * (1 - 1 / (202 * M)) ** M - 403)
_Y, _Y0 = 1 / (202 * M - 1), Rational(1, 202 * 1212 - 1)
_TOTAL = M * (-_Y + _Y**2 / 2 - _Y**3 / 3)
_MOST = -(1 + _Y0 / 2 - _Y0**2 / 6 + _Y0**3 / 3) / 202
FIRST = (
    proof("sfl/D3-first", of="sfl/D3-first@corrected", bound=bound("D3-first@corrected", "lower")).under(*_MANY)
    .step("room", lt(0, 202 * M - 1), by.linear("c1"))
    .step("positive", by.apply(INVERSE, {q: 202 * M - 1}, "room"))
    .step("least", le(_Y, _Y0), by.linear("c1", "room", "positive"))
    .step("log", by.apply(LOGARITHM, {y: _Y}, "positive"))
    .step("base", le(exp(-_Y + _Y**2 / 2 - _Y**3 / 3), 1 - 1 / (202 * M)), by.linear({"log": 1}, "room"))
    .step("above", le(0, exp(-_Y + _Y**2 / 2 - _Y**3 / 3)), by.linear({"room": 0}))
    .step("power", by.power(M, "above", "base"))
    .step("total", le(_MOST, _TOTAL),
        by.linear({"least": (HALF - (_Y + _Y0) / 6 + (_Y**2 + _Y * _Y0 + _Y0**2) / 3) / 202}, "room"))
    .step("tangent", by.fact("exp", _TOTAL - _MOST))
    .step("at most", le(exp(_MOST), exp(_TOTAL)), by.linear("tangent", "total"))
    .step("value", le(_FIRST.left, 405 * exp(_MOST) - 403), by.ball(()))
    .qed(_FIRST, by.linear("value", "at most", "power"), name="last")
)
THEOREMS = (RECURSION, INVERSE, CENTRAL, LOGARITHM, FIRST)
