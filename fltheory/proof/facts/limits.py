"""A number that is at least a sequence with limit 0 is nonnegative."""

from __future__ import annotations

from sympy import Rational, Symbol, floor, oo

from fltheory.proof import Given, by, le, lt, proof
from fltheory.proof.terms import Nonnegative, Positive, Scalar, family

N, m = (Symbol(name, integer=True, positive=True) for name in "Nm")
least, size, level = family(Positive, "d")(), family(Nonnegative, "s")(), family(Scalar, "r")()
_LATE = floor(2 * size / least) + 1
_CLOSER = (
    Given("all", le(0, level + size / m, (m, 1, oo)), "the number plus something that goes to 0 is never negative"),
)
ALMOST = (
    proof("facts/almost", note="then the number is above -d/2 for every d > 0").under(*_CLOSER)
    .step("late", lt(2 * size / least, _LATE), by.fact("floor", 2 * size / least))
    .step("small", le(2 * size / _LATE, least), by.linear(late=least / _LATE))
    .step("at", le(0, level + size / _LATE), by.instance({m: _LATE}, "all"))
    .qed(le(0, level + least / 2), by.linear(at=1, small=Rational(1, 2)), name="end")
)
_NEVER, _BELOW, _ABOVE = le(0, level), (lt(level, 0),), (le(0, level),)
LIMIT = (
    proof("facts/limit", note="then the number is not negative itself").under(*_CLOSER)
    .step("half", le(0, level - level / 2), by.apply(ALMOST, {least: -level}), assuming=_BELOW)
    .step("below", _NEVER, by.linear(half=2), assuming=_BELOW, note="which can't be for r < 0")
    .step("above", _NEVER, by.linear({"assumed 1": 1}), assuming=_ABOVE)
    .qed(_NEVER, by.cases("below", "above"), name="end")
)
