"""Theorem 1 with a constant step, and at the step 1/(K sqrt T) that the paper has in mind: T1-P."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol, sqrt

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.bounds import nonconvex as more_formula
from fltheory.papers.delta_sgd.letters import K, L, Pi, T, a, gap, rho, step_size
from fltheory.proof.language import Apply, Combine, Given, Instance, Power, Step, Theorem, le, lt, stated
from fltheory.proof.terms import Scalar, family
from proofs_checks.delta_sgd import rule as delta_sgd_rule
from proofs_checks.delta_sgd.theorem1 import ALL, GAP, MEAN, T1_X, Hypotheses, h, names, read, room, t, top, whole

more = family(Scalar, "b")()
_BELOW = Given("below", le(whole, top / room), "a bound that is divided by something positive")
_RAISED = le(whole, more / room)
RAISED = Theorem(
    "delta_sgd/raised",
    _RAISED,
    (_BELOW, Given("larger", le(top, more), "a larger numerator")),
    (Step("1", _RAISED, Combine({"below": 1, "larger": 1 / room}), ("below", "larger")),),
    place="(29)",
)
_FOUR = le(whole, 4 * top)
FOUR = Theorem(
    "delta_sgd/quarter",
    _FOUR,
    (_BELOW, Given("enough", le(Rational(1, 4), room), "at least 1/4"), Given("sign", le(0, top), "not negative")),
    (Step("1", _FOUR, Combine({"below": 1, "enough": 4 * top / room}), ("below", "enough", "sign")),),
    place="(29)",
)

# A constant step --------------------------------------------------------------------------------------------------------------


def constant(step: Any) -> Hypotheses:
    """What is supposed of all rounds, where every step is this one."""
    return read(ALL, {a: step, h: step})


_FIXED = constant(step_size)
_STEP, _STEP_CONDITIONS = stated(formula.T1_STEP, MEAN, {gap: GAP})
_NUMERATOR = 2 * T1_X.statement.right.subs({a: step_size, h: step_size}) * formula.KEPT_X.subs(a, step_size)
_ABOVE = _STEP.right * formula.KEPT_STEP
CONSTANT = Theorem(
    "delta_sgd/T1-step",
    _STEP,
    (*_FIXED, *_STEP_CONDITIONS),
    (
        Step("room", lt(0, formula.KEPT_X.subs(a, step_size)), Combine({"c1": Rational(1, 2)}), ("c1",)),
        Step(
            "X",
            T1_X.statement.at({a: step_size, h: step_size}),
            Apply("delta_sgd/T1-X", {a: step_size, h: step_size}),
            (*names(_FIXED)[0], "room"),
            names(_FIXED)[1],
        ),
        Step("more", le(_NUMERATOR, _ABOVE), Combine(), note="K is at least 1, and 4/3 and 8/3 are at most 4 and 8"),
        Step(
            "last",
            _STEP,
            Apply("delta_sgd/raised", {room: formula.KEPT_STEP, whole: MEAN, top: _NUMERATOR, more: _ABOVE}),
            ("X", "more", "c1"),
        ),
    ),
    place="(29)",
    note="all steps equal",
    claim="delta_sgd/T1-STEP@explicit",
    bound=formula.T1_STEP,
    reading={gap: GAP},
)

# The step 1/(K sqrt T) ----------------------------------------------------------------------------------------------------------

_TINY = formula.T1_P_STEP
_SET = constant(_TINY)
_P, _P_CONDITIONS = stated(formula.T1_P, MEAN, {gap: GAP})
_KEPT = formula.KEPT_STEP.subs(step_size, _TINY)
_TOP = (_STEP.right * formula.KEPT_STEP).subs(step_size, _TINY)
TUNED = Theorem(
    "delta_sgd/T1-P",
    _P,
    (*_SET, *_P_CONDITIONS),
    (
        Step(
            "root",
            le(20 * L, sqrt(T)),
            Apply("delta_sgd/root", {delta_sgd_rule.a: 20 * L, delta_sgd_rule.b: sqrt(T)}),
            ("c2",),
        ),
        Step(
            "small",
            le(4 * (1 + rho) * L / sqrt(T), (1 + rho) / 5),
            Combine({"root": (1 + rho) / (5 * sqrt(T))}),
            ("root",),
        ),
        Step(
            "kept",
            le(Rational(1, 4), _KEPT),
            Combine({"small": 1, "c1": Rational(11, 5)}),
            ("small", "c1"),
            note="the coefficient is least at rho = 1/4",
        ),
        Step("quarter", lt(0, Rational(1, 4)), Combine()),
        Step("positive", lt(0, _KEPT), Combine({"kept": 1, "quarter": 1}), ("kept", "quarter")),
        Step(
            "step",
            _STEP.at({step_size: _TINY}),
            Apply("delta_sgd/T1-step", {step_size: _TINY}),
            (*names(_SET)[0], "positive"),
            names(_SET)[1],
        ),
        Step("start", le(0, GAP), Instance({t: Integer(0)}), ("lowest",)),
        Step("sign", le(0, _TOP), Combine({"start": 2 / sqrt(T)}), ("start",)),
        Step(
            "four",
            le(MEAN, 4 * _TOP),
            Apply("delta_sgd/quarter", {room: _KEPT, whole: MEAN, top: _TOP}),
            ("step", "kept", "sign", "positive"),
        ),
        Step("last", _P, Combine({"four": 1}), ("four",), note="in the letters of the bound"),
    ),
    place="Theorem 1",
    note="the constants of the printed chain, with the Lipschitz constant that its second term has lost",
    claim="delta_sgd/T1-P@corrected",
    bound=formula.T1_P,
    reading={gap: GAP},
)

# Tuned steps that may grow by the factor Pi: gamma = 1/(K sqrt T), eta_0 = gamma/(2 L) -----------------------------

_LEAST, _MOST = (step / (2 * L * K * sqrt(T)) for step in (Integer(1), Pi))
_BETWEEN = read(ALL, {a: _MOST, h: _LEAST})
_GROWN = Given("grown", le(1, Pi), "a step may be as large as the first one")
_RATE, _RATE_CONDITIONS = stated(more_formula.T1_RATE, MEAN, {gap: GAP})
RATE = Theorem(
    "delta_sgd/T1-rate",
    _RATE,
    (*_BETWEEN, _GROWN, *_RATE_CONDITIONS),
    (
        Step("order", le(_LEAST, _MOST), Combine({"grown": _LEAST}), ("grown",)),
        Step("room", lt(0, formula.KEPT_X.subs(a, _MOST)), Combine({"c1": 1}), ("c1",)),
        Step(
            "X",
            T1_X.statement.at({a: _MOST, h: _LEAST}),
            Apply("delta_sgd/T1-X", {a: _MOST, h: _LEAST}),
            (*names(_BETWEEN)[0], "order", "room"),
            names(_BETWEEN)[1],
        ),
        Step("last", _RATE, Combine({"X": 1}), ("X",), note="in the letters of the bound"),
    ),
    claim="delta_sgd/T1-rate@corrected",
    bound=more_formula.T1_RATE,
    reading={gap: GAP},
    place="Theorem 1",
    note="the rate with the steps of the rule",
)
least = Symbol("c_least", positive=True)
_SMALLER = le(whole, top / least)
SMALLER = Theorem(
    "delta_sgd/smaller",
    _SMALLER,
    (_BELOW, Given("enough", le(least, room), "a smaller denominator"), Given("sign", le(0, top), "not negative")),
    (Step("1", _SMALLER, Combine({"below": 1, "enough": top / (room * least)}), ("below", "enough", "sign")),),
    place="(29)",
)
_ROUNDS, _ROUNDS_CONDITIONS = stated(more_formula.T1_ROUNDS, MEAN, {gap: GAP})
_HALF = Rational(1, 2) - rho
_KEPT_RATE = more_formula.KEPT_RATE
_ABOVE_RATE = _RATE.right * _KEPT_RATE
_ABOVE_ROUNDS = _ROUNDS.right * (1 - 2 * rho) / 4
ROUNDS = Theorem(
    "delta_sgd/T1-eps",
    _ROUNDS,
    (*_BETWEEN, _GROWN, *_ROUNDS_CONDITIONS),
    (
        Step("half", lt(0, _HALF / 2), Combine({"c1": Rational(1, 2)}), ("c1",)),
        Step("enough", le((1 + rho) * Pi, sqrt(T) * _HALF / 2), Combine({"c2": _HALF / 2}), ("c2", "half")),
        Step("kept", le(_HALF / 2, _KEPT_RATE), Combine({"enough": 1 / sqrt(T)}), ("enough",), note="half is kept"),
        Step("positive", lt(0, _KEPT_RATE), Combine({"half": 1, "kept": 1}), ("half", "kept")),
        Step("rate", _RATE, Apply("delta_sgd/T1-rate"), (*names(_BETWEEN)[0], "grown", "positive"), names(_BETWEEN)[1]),
        Step("start", le(0, GAP), Instance({t: Integer(0)}), ("lowest",)),
        Step("sign", le(0, _ABOVE_RATE), Combine({"start": 2 * L / sqrt(T)}), ("start",)),
        Step(
            "smaller",
            le(MEAN, _ABOVE_RATE / (_HALF / 2)),
            Apply("delta_sgd/smaller", {room: _KEPT_RATE, least: _HALF / 2, whole: MEAN, top: _ABOVE_RATE}),
            ("rate", "kept", "sign", "half", "positive"),
        ),
        Step("root 0", le(0, 1), Combine()),
        Step("root 1", le(1, T), Combine()),
        Step("root", le(1, sqrt(T)), Power(Rational(1, 2)), ("root 0", "root 1")),
        Step("less 1", le(1 / T, 1 / sqrt(T)), Combine({"root": 1 / T}), ("root",)),
        Step("less 2", le(T ** Rational(-3, 2), 1 / sqrt(T)), Combine({"root 1": T ** Rational(-3, 2)}), ("root 1",)),
        Step(
            "less",
            le(_ABOVE_RATE, _ABOVE_ROUNDS),
            Combine({"less 1": Pi**3 * formula.PSI_2 / 6, "less 2": Pi**4 * formula.PSI_2 / 6}),
            ("less 1", "less 2"),
        ),
        Step(
            "last",
            _ROUNDS,
            Apply("delta_sgd/raised", {room: _HALF / 2, whole: MEAN, top: _ABOVE_RATE, more: _ABOVE_ROUNDS}),
            ("smaller", "less", "half"),
        ),
    ),
    claim="delta_sgd/T1-eps@corrected",
    bound=more_formula.T1_ROUNDS,
    reading={gap: GAP},
    place="after Theorem 1",
    note="the mean squared gradient is epsilon after of the order of 1/epsilon^2 rounds",
)

THEOREMS = (RAISED, FOUR, CONSTANT, TUNED, RATE, SMALLER, ROUNDS)
