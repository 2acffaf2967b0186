"""Hoeffding's lemma for values on an interval."""

from __future__ import annotations

from sympy import Expr, exp

from fltheory.proof import Given, Relation, by, eq, le, lt, proof
from fltheory.proof.facts.notation import EACH, P, Q, j, lo, m, theta, u, w, whole, width, x

WEIGHTS = Given("sum", eq(whole(w(j)), 1), "probabilities")
_MGF = whole(w(j) * exp(u(j)))
_AVERAGE = whole(w(j) * u(j))


def between(size: Expr) -> tuple[Given, ...]:
    """Return hypotheses: values lie in an interval of length ``size``."""
    return (
        Given("below", le(lo, u(m), EACH), "values on an interval: u = s X has it of length |s| (b - a)"),
        Given("above", le(u(m), lo + size, EACH), "and its other end"),
    )


def hoeffding(size: Expr) -> Relation:
    """State Hoeffding's lemma for values in an interval of length ``size``."""
    return le(_MGF, exp(_AVERAGE + size**2 / 8))


_part = (u(m) - lo) / width
_mass = (_AVERAGE - lo) / width
HOEFFDING_WIDE = (
    proof("facts/hoeffding-wide").under(WEIGHTS, *between(width))
    .step("part low", le(0, _part, EACH), by.linear(below=1 / width))
    .step("part high", le(_part, 1, EACH), by.linear(above=1 / width))
    .step("chord", le(exp(u(m)) * exp(-lo), 1 - _part + _part * exp(width), EACH),
        by.apply("facts/chord", {theta: _part}, "part low", "part high"))
    .step("chords", le(_MGF * exp(-lo), whole(w(j) * (1 + (exp(width) - 1) * (u(j) - lo) / width))),
        by.sum_over(m, "chord", weight=w(m)))
    .step("mass low", le(0, whole(w(j) * (u(j) - lo) / width)), by.sum_over(m, "part low", weight=w(m)))
    .step("low", le(0, _mass), by.linear({"mass low": 1, "sum": -lo / width}))
    .step("two", le(1 - _mass + _mass * exp(width), exp(_mass * width + width**2 / 8)),
        by.apply("facts/two-points", {theta: _mass, x: width}, "low"))
    .qed(hoeffding(width), by.linear(chords=exp(lo), two=exp(lo), sum=exp(lo) * (1 - lo / width * (exp(width) - 1))),
        name="last")
)
_WIDE, _NARROW = (lt(0, x),), (le(x, 0),)
_up = _AVERAGE + x**2 / 8 - lo
HOEFFDING = (
    proof("facts/hoeffding", note="sum w e^u <= exp(sum w u + x^2/8) for values u on an interval of length x: u = s X")
    .under(WEIGHTS, *between(x))
    .step("wide", hoeffding(x), by.apply(HOEFFDING_WIDE, {width: x}), assuming=_WIDE)
    .step("at most", le(u(m), lo, EACH), by.linear({"above": 1, "assumed 1": 1}), assuming=_NARROW)
    .step("each", le(exp(u(m)), exp(lo), EACH), by.apply("facts/exp", {P: u(m), Q: lo}, "at most"), assuming=_NARROW)
    .step("all", le(_MGF, exp(lo) * whole(w(j))), by.sum_over(m, "each", weight=w(m)), assuming=_NARROW)
    .step("mean", le(lo * whole(w(j)), _AVERAGE), by.sum_over(m, "below", weight=w(m)))
    .step("exp", le(1 + _up, exp(_up)), by.fact("exp", _up))
    .step("narrow", hoeffding(x), by.linear(all=1, sum=exp(lo) - lo * exp(lo), mean=exp(lo), exp=exp(lo)),
        assuming=_NARROW, note="an interval of length 0")
    .qed(hoeffding(x), by.cases("wide", "narrow"), name="both")
)
