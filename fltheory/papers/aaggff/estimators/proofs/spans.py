"""Lemma A.2: the exact half-span of the gradient (11) of (10), which extreme responses of the participants attain."""

from __future__ import annotations

from sympy import Abs, Rational, Symbol

from fltheory.papers.aaggff.estimators.proofs.estimates import _entry, _one, rho
from fltheory.papers.aaggff.estimators.proofs.sampling import r, seen
from fltheory.papers.aaggff.losses.proofs.facts import EACH, PART, P, i, j, whole
from fltheory.papers.aaggff.notation import K, m
from fltheory.papers.aaggff.unification.proofs.mixing import tied
from fltheory.proof import Given, by, eq, le, proof

top, bottom, up, down = (Symbol(name, integer=True, positive=True) for name in ("top", "bottom", "up", "down"))
most, least, high, low, number = (Symbol(name, real=True) for name in ("r_max", "r_min", "g_max", "g_min", "x"))


def of(term, client):
    """Return a term of a client."""
    return term.xreplace({i: client})


def client(letter, what):
    """Return a number of a client."""
    return Given(f"{letter.name} there", le(letter, K), f"{what}: one of the K clients")


ZERO = (
    proof("aaggff/size-of-none", "Lemma A.2", note="the absolute value of 0")
    .given("zero", eq(number, 0), "a number that is 0")
    .qed(eq(Abs(number), 0), by.linear(), inserting="zero")
)
_FORMULA = (most - least) * K / (2 * m * (1 + rho))
_CHAIN, _STATED = tied("A.2-span@strengthened", Abs((high - low) / 2 - _FORMULA), note="for every draw, C = m/K")
HALF, _PART = Rational(1, 2), 1 / (2 * (1 + rho))
_OFF = (high - low) / 2 - _FORMULA
SPAN = (
    _CHAIN.given("zero or one", eq(seen(i) ** 2, seen(i), EACH), "0 or 1")
    .given("count", eq(whole(seen(j)), m), "m clients are seen")
    .given("reference", eq(m * rho, whole(seen(j) * r(j))), "the mean response of those seen")
    .given("largest", le(seen(i) * r(i), seen(i) * most, EACH), "no response that is seen is larger")
    .given("smallest", le(seen(i) * least, seen(i) * r(i), EACH), "and none is smaller")
    .under(client(top, "who has the largest response seen"), client(bottom, "who has the smallest one"))
    .given("top seen", eq(seen(top), 1), "who has the largest one is seen")
    .given("top is", eq(r(top), most), "its response")
    .given("bottom seen", eq(seen(bottom), 1), "who has the smallest one too")
    .given("bottom is", eq(r(bottom), least), "its response")
    .given("above", le(_entry, high, EACH), "no entry of the gradient is above its largest one")
    .given("below", le(low, _entry, EACH), "and none below its smallest one")
    .under(client(up, "where the largest entry is"), client(down, "where the smallest one is"))
    .given("up is", eq(high, of(_entry, up)), "the largest entry is one")
    .given("down is", eq(low, of(_entry, down)), "the smallest entry too")
    .step("part", by.apply(PART, {P: seen(i)}))
    .step("sum most", le(whole(seen(j) * r(j)), most * whole(seen(j))), by.sum_over(i, "largest"))
    .step("sum least", le(least * whole(seen(j)), whole(seen(j) * r(j))), by.sum_over(i, "smallest"))
    .step("ref most", le(rho, most), by.linear("sum most", "reference", "count"))
    .step("ref least", le(least, rho), by.linear("sum least", "reference", "count"))
    .step("one most", le(_one, K / m * (most - rho), EACH), by.linear("largest", "ref most", "part"))
    .step("one least", le(K / m * (least - rho), _one, EACH), by.linear("smallest", "ref least", "part"))
    .step("one up", by.instance({i: up}, "one least", "up there"))
    .step("one down", by.instance({i: down}, "one most", "down there"))
    .step("at bottom", by.instance({i: bottom}, "above", "bottom there"))
    .step("at top", by.instance({i: top}, "below", "top there"))
    .step("one bottom", eq(of(_one, bottom), K / m * (least - rho)), by.linear("bottom seen", "bottom is"))
    .step("one top", eq(of(_one, top), K / m * (most - rho)), by.linear("top seen", "top is"))
    .step("no more", le((high - low) / 2, _FORMULA), by.linear("up is", "down is", "one up", "one down"))
    .step("no less", le(_FORMULA, (high - low) / 2), by.linear("at bottom", "at top", "one bottom", "one top"))
    .step("same", by.antisymmetry("no more", "no less"))
    .step("off", eq(_OFF, 0), by.linear("same"))
    .qed(_STATED, by.apply(ZERO, {number: _OFF}))
)
THEOREMS = (ZERO, SPAN)
