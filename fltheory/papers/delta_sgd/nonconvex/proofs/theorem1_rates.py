"""Theorem 1 with a constant step, and at the step 1/(K sqrt T) that the paper intends: T1-P."""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, sqrt

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.nonconvex import bounds as more_formula
from fltheory.papers.delta_sgd.nonconvex.proofs.theorem1 import (ALL, GAP, MEAN, T1_X, Hypotheses, h, names, read, room,
    t, top, whole)
from fltheory.papers.delta_sgd.notation import K, L, Pi, T, a, gap, rho, step_size
from fltheory.papers.delta_sgd.rule.proofs import rule
from fltheory.proof import Given, by, le, lt, proof, statement_of
from fltheory.proof.terms import Scalar, family

more = family(Scalar, "b")()
_BELOW = Given("below", le(whole, top / room), "a bound that is divided by something positive")
RAISED = (
    proof("delta_sgd/raised", "(29)").under(_BELOW)
    .given("larger", le(top, more), "a larger numerator")
    .qed(le(whole, more / room), by.linear("below", "larger"))
)
FOUR = (
    proof("delta_sgd/quarter", "(29)").under(_BELOW)
    .given("enough", le(Rational(1, 4), room), "at least 1/4")
    .given("sign", le(0, top), "not negative")
    .qed(le(whole, 4 * top), by.linear("below", "enough", "sign"))
)

# A constant step --------------------------------------------------------------------------------------------------------------


def constant(step: Expr) -> Hypotheses:
    """Return the hypotheses on all rounds with this constant step."""
    return read(ALL, {a: step, h: step})


_FIXED = constant(step_size)
_STEP, _STEP_CONDITIONS = statement_of(formula.T1_STEP, MEAN, {gap: GAP})
_NUMERATOR = 2 * T1_X.statement.right.subs({a: step_size, h: step_size}) * formula.KEPT_X.subs(a, step_size)
_ABOVE = _STEP.right * formula.KEPT_STEP
CONSTANT = (
    proof("delta_sgd/T1-step", "(29)", of="delta_sgd/T1-STEP@explicit", bound=formula.T1_STEP, reading={gap: GAP},
        note="all steps equal")
    .under(*_FIXED, *_STEP_CONDITIONS)
    .step("room", lt(0, formula.KEPT_X.subs(a, step_size)), by.linear("c1"))
    .step("X", by.apply(T1_X, {a: step_size, h: step_size}), inserting=names(_FIXED)[1])
    .step("more", le(_NUMERATOR, _ABOVE), by.linear(), note="K is at least 1, and 4/3 and 8/3 are at most 4 and 8")
    .qed(_STEP,
        by.apply(RAISED, {room: formula.KEPT_STEP, whole: MEAN, top: _NUMERATOR, more: _ABOVE}, "X", "more", "c1"),
        name="last")
)

# The step 1/(K sqrt T) ----------------------------------------------------------------------------------------------------------

_TINY = formula.T1_P_STEP
_SET = constant(_TINY)
_P, _P_CONDITIONS = statement_of(formula.T1_P, MEAN, {gap: GAP})
_KEPT = formula.KEPT_STEP.subs(step_size, _TINY)
_TOP = (_STEP.right * formula.KEPT_STEP).subs(step_size, _TINY)
TUNED = (
    proof("delta_sgd/T1-P", "Theorem 1", of="delta_sgd/T1-P@corrected", bound=formula.T1_P, reading={gap: GAP},
        note="the constants of the printed chain, with the Lipschitz constant that its second term has lost")
    .under(*_SET, *_P_CONDITIONS)
    .step("root", by.apply(rule.ROOT, {rule.a: 20 * L, rule.b: sqrt(T)}))
    .step("small", le(4 * (1 + rho) * L / sqrt(T), (1 + rho) / 5), by.linear("root"))
    .step("kept", le(Rational(1, 4), _KEPT), by.linear("small", "c1"), note="the coefficient is least at rho = 1/4")
    .step("quarter", lt(0, Rational(1, 4)), by.linear())
    .step("positive", lt(0, _KEPT), by.linear("kept", "quarter"))
    .step("step", by.apply(CONSTANT, {step_size: _TINY}), inserting=names(_SET)[1])
    .step("start", le(0, GAP), by.instance({t: Integer(0)}, "lowest"))
    .step("sign", le(0, _TOP), by.linear("start"))
    .step("four", by.apply(FOUR, {room: _KEPT, whole: MEAN, top: _TOP}, "step", "kept", "sign", "positive"))
    .qed(_P, by.linear("four"), name="last", note="in the letters of the bound")
)

# Tuned steps that may grow by the factor Pi: gamma = 1/(K sqrt T), eta_0 = gamma/(2 L) -----------------------------

_LEAST, _MOST = (step / (2 * L * K * sqrt(T)) for step in (Integer(1), Pi))
_BETWEEN = read(ALL, {a: _MOST, h: _LEAST})
_GROWN = Given("grown", le(1, Pi), "a step may be as large as the first one")
_RATE, _RATE_CONDITIONS = statement_of(more_formula.T1_RATE, MEAN, {gap: GAP})
RATE = (
    proof("delta_sgd/T1-rate", "Theorem 1", of="delta_sgd/T1-rate@corrected", bound=more_formula.T1_RATE,
        reading={gap: GAP}, note="the rate with the steps of the rule")
    .under(*_BETWEEN, _GROWN, *_RATE_CONDITIONS)
    .step("order", le(_LEAST, _MOST), by.linear("grown"))
    .step("room", lt(0, formula.KEPT_X.subs(a, _MOST)), by.linear("c1"))
    .step("X", by.apply(T1_X, {a: _MOST, h: _LEAST}), inserting=names(_BETWEEN)[1])
    .qed(_RATE, by.linear("X"), name="last", note="in the letters of the bound")
)
least = Symbol("c_least", positive=True)
SMALLER = (
    proof("delta_sgd/smaller", "(29)").under(_BELOW)
    .given("enough", le(least, room), "a smaller denominator")
    .given("sign", le(0, top), "not negative")
    .qed(le(whole, top / least), by.linear("below", "enough", "sign"))
)
_ROUNDS, _ROUNDS_CONDITIONS = statement_of(more_formula.T1_ROUNDS, MEAN, {gap: GAP})
_HALF = Rational(1, 2) - rho
_KEPT_RATE = more_formula.KEPT_RATE
_ABOVE_RATE = _RATE.right * _KEPT_RATE
_ABOVE_ROUNDS = _ROUNDS.right * (1 - 2 * rho) / 4
ROUNDS = (
    proof("delta_sgd/T1-eps", "after Theorem 1", of="delta_sgd/T1-eps@corrected", bound=more_formula.T1_ROUNDS,
        reading={gap: GAP}, note="the mean squared gradient is epsilon after of the order of 1/epsilon^2 rounds")
    .under(*_BETWEEN, _GROWN, *_ROUNDS_CONDITIONS)
    .step("half", lt(0, _HALF / 2), by.linear("c1"))
    .step("enough", le((1 + rho) * Pi, sqrt(T) * _HALF / 2), by.linear("c2", "half"))
    .step("kept", le(_HALF / 2, _KEPT_RATE), by.linear("enough"), note="half is kept")
    .step("positive", lt(0, _KEPT_RATE), by.linear("half", "kept"))
    .step("rate", by.apply(RATE), inserting=names(_BETWEEN)[1])
    .step("start", le(0, GAP), by.instance({t: Integer(0)}, "lowest"))
    .step("sign", le(0, _ABOVE_RATE), by.linear("start"))
    .step("smaller",
        by.apply(SMALLER, {room: _KEPT_RATE, least: _HALF / 2, whole: MEAN, top: _ABOVE_RATE}, "rate", "kept", "sign",
            "half", "positive"))
    .step("root 0", le(0, 1), by.linear())
    .step("root 1", le(1, T), by.linear())
    .step("root", by.power(Rational(1, 2), "root 0", "root 1"))
    .step("less 1", le(1 / T, 1 / sqrt(T)), by.linear("root"))
    .step("less 2", le(T ** Rational(-3, 2), 1 / sqrt(T)), by.linear("root 1"))
    .step("less", le(_ABOVE_RATE, _ABOVE_ROUNDS), by.linear("less 1", "less 2"))
    .qed(_ROUNDS,
        by.apply(RAISED, {room: _HALF / 2, whole: MEAN, top: _ABOVE_RATE, more: _ABOVE_ROUNDS}, "smaller", "less",
            "half"), name="last")
)

THEOREMS = (RAISED, FOUR, CONSTANT, TUNED, RATE, SMALLER, ROUNDS)
