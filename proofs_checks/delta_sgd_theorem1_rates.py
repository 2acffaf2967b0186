"""Theorem 1 with a constant step, and at the step 1/(K sqrt T) that the paper has in mind: T1-P."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, sqrt

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.proof.language import Apply, Combine, Given, Instance, Step, Theorem, le, lt, stated
from fltheory.proof.terms import Scalar, family
from fltheory.symbols import initial_gap, step_size
from fltheory.symbols import largest_step as a
from fltheory.symbols import n_rounds as T
from fltheory.symbols import smoothness as L
from fltheory.symbols import strong_growth as rho
from proofs_checks import delta_sgd_rule
from proofs_checks.delta_sgd_theorem1 import (
    ALL,
    GAP,
    MEAN,
    T1_X,
    Hypotheses,
    h,
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
    place="(29)", note="all steps equal", claim="delta_sgd/T1-STEP@explicit", bound=formula.T1_STEP,
)  # fmt: skip

# The step 1/(K sqrt T) ----------------------------------------------------------------------------------------------------------

_TINY = formula.T1_P_STEP
_SET = constant(_TINY)
_P, _P_CONDITIONS = stated(formula.T1_P, MEAN, {initial_gap: GAP})
_KEPT = formula.KEPT_STEP.subs(step_size, _TINY)
_TOP = (_STEP.right * formula.KEPT_STEP).subs(step_size, _TINY)
TUNED = Theorem(
    "delta_sgd/T1-P", _P, (*_SET, *_P_CONDITIONS),
    (
        Step("root", le(20 * L, sqrt(T)), Apply("delta_sgd/root", {delta_sgd_rule.a: 20 * L, delta_sgd_rule.b: sqrt(T)}), ("c2",)),
        Step("small", le(4 * (1 + rho) * L / sqrt(T), (1 + rho) / 5), Combine({"root": (1 + rho) / (5 * sqrt(T))}), ("root",)),
        Step("kept", le(Rational(1, 4), _KEPT), Combine({"small": 1, "c1": Rational(11, 5)}), ("small", "c1"),
             note="the coefficient is least at rho = 1/4"),
        Step("quarter", lt(0, Rational(1, 4)), Combine()),
        Step("positive", lt(0, _KEPT), Combine({"kept": 1, "quarter": 1}), ("kept", "quarter")),
        Step("step", _STEP.at({step_size: _TINY}), Apply("delta_sgd/T1-step", {step_size: _TINY}),
             (*names(_SET)[0], "positive"), names(_SET)[1]),
        Step("start", le(0, GAP), Instance({t: Integer(0)}), ("lowest",)),
        Step("sign", le(0, _TOP), Combine({"start": 2 / sqrt(T)}), ("start",)),
        Step("four", le(MEAN, 4 * _TOP), Apply("delta_sgd/quarter", {room: _KEPT, whole: MEAN, top: _TOP}),
             ("step", "kept", "sign", "positive")),
        Step("last", _P, Combine({"four": 1}), ("four",), note="in the letters of the bound"),
    ),
    place="Theorem 1", note="the constants of the printed chain, with the Lipschitz constant that its second term has lost",
    claim="delta_sgd/T1-P@corrected", bound=formula.T1_P,
)  # fmt: skip

THEOREMS = (RAISED, FOUR, CONSTANT, TUNED)
