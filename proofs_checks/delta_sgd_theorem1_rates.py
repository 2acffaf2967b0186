"""Theorem 1 with a constant step, and at the step 1/(K sqrt T) that the paper has in mind: T1-P."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol, sqrt

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.proof.language import Apply, Combine, Defines, Given, Instance, Step, Theorem, le, lt, stated
from fltheory.proof.terms import Scalar, family
from fltheory.symbols import initial_gap, step_size
from fltheory.symbols import largest_step as a
from fltheory.symbols import n_local_steps as K
from fltheory.symbols import n_rounds as T
from fltheory.symbols import smoothness as L
from fltheory.symbols import strong_growth as rho
from proofs_checks import delta_sgd_rule
from proofs_checks.delta_sgd_theorem1 import (
    ALL,
    GAP,
    MEAN,
    T1_X,
    VALUE,
    Hypotheses,
    h,
    low,
    names,
    read,
    room,
    t,
    top,
    whole,
)

more = family(Scalar, "b")()
_BELOW = Given("below", le(whole, top / room), "a bound that is divided by something positive")
_RAISED = le(whole, more / room)
RAISED = Theorem(
    "delta_sgd/raised", _RAISED, (_BELOW, Given("larger", le(top, more), "a larger numerator")),
    (Step("1", _RAISED, Combine({"below": 1, "larger": 1 / room}), ("below", "larger")),), place="(29)",
)  # fmt: skip
_FOUR = le(whole, 4 * top)
FOUR = Theorem(
    "delta_sgd/quarter", _FOUR,
    (_BELOW, Given("enough", le(Rational(1, 4), room), "at least 1/4"), Given("sign", le(0, top), "not negative")),
    (Step("1", _FOUR, Combine({"below": 1, "enough": 4 * top / room}), ("below", "enough", "sign")),), place="(29)",
)  # fmt: skip

# A constant step --------------------------------------------------------------------------------------------------------------


def constant(step: Any) -> Hypotheses:
    """What is supposed of all rounds, where every step is this one."""
    return read(ALL, {a: step, h: step})


_FIXED = constant(step_size)
_STEP, _STEP_CONDITIONS = stated(formula.T1_STEP, MEAN, {initial_gap: GAP})
_NUMERATOR = 2 * T1_X.statement.right.subs({a: step_size, h: step_size}) * formula.KEPT_X.subs(a, step_size)
_ABOVE = _STEP.right * formula.KEPT_STEP
CONSTANT = Theorem(
    "delta_sgd/T1-step", _STEP, (*_FIXED, *_STEP_CONDITIONS),
    (
        Step("room", lt(0, formula.KEPT_X.subs(a, step_size)), Combine({"c1": Rational(1, 2)}), ("c1",)),
        Step("X", T1_X.statement.at({a: step_size, h: step_size}), Apply("delta_sgd/T1-X", {a: step_size, h: step_size}),
             (*names(_FIXED)[0], "room"), names(_FIXED)[1]),
        Step("more", le(_NUMERATOR, _ABOVE), Combine(), note="K is at least 1, and 4/3 and 8/3 are at most 4 and 8"),
        Step("last", _STEP, Apply("delta_sgd/raised", {room: formula.KEPT_STEP, whole: MEAN, top: _NUMERATOR, more: _ABOVE}),
             ("X", "more", "c1")),
    ),
    place="(29)", note="all steps equal",
)  # fmt: skip

THEOREMS = (RAISED, FOUR, CONSTANT)
