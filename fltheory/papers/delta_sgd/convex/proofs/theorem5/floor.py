"""Theorem 5 with the floor of the steps (R2): the corrected rate, and when the printed one follows or fails."""

from __future__ import annotations

from sympy import Min, Rational, Symbol, oo, sqrt

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.convex.proofs.lyapunov import CONVEX, DAMPED, SMALL, f, gap
from fltheory.papers.delta_sgd.convex.proofs.theorem5.theorem5 import (AVERAGE, BEGIN, ENTRIES, GROWTH, STEPS, SUM, D,
    S, centre, eta, n, point, x)
from fltheory.papers.delta_sgd.notation import L, T, delta, eta_0, gamma, theta_0
from fltheory.papers.delta_sgd.rule.proofs.rule import BELOW, LATER, ROOT, a, b
from fltheory.papers.delta_sgd.smoothness.proofs.facts import SIGN
from fltheory.proof import Given, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import Grad, Nonnegative, Positive, Total, family, square

# The floor of the steps, from the rule --------------------------------------------------------------------------------

L_hat = Symbol("L", positive=True)
entry, theta = family(Positive, "entry"), family(Nonnegative, "theta")
ALWAYS = (n, 0, oo)
_CAP = sqrt(1 + delta * theta(n + 1)) * eta(n + 1)
RULE = (
    Given("begin", eq(eta(1), Min(entry(1), formula.FIRST_CAP)), "line 9 with the first ratio"),
    Given("rule", eq(eta(n + 2), Min(entry(n + 2), _CAP), ALWAYS), "line 9 of Algorithm 1"),
    Given("ratio", eq(theta(n + 1), eta(n + 1) / eta(n), ALWAYS), "line 10"),
    Given("smooth", le(gamma / (2 * L_hat), entry(n + 1), ALWAYS), "the first entry of every step, by smoothness"),
    Given("first entry",
        le(4 * entry(n + 1) ** 2 * square(Grad(f, x(n + 1)) - Grad(f, x(n))), gamma**2 * square(x(n + 1) - x(n)),
            ALWAYS), "what the first entry is, squared; any number where the gradients agree"),
)
_TURNED = square(Grad(f, x(n + 1)) - Grad(f, x(n)))
SHORT = (
    proof("delta_sgd/rule-entries", "Theorem 5", note="no step is larger than its first entry")
    .under(RULE[0], RULE[1], RULE[4])
    .step("1.1", le(Min(entry(1), formula.FIRST_CAP), entry(1)), by.apply(BELOW, {a: entry(1), b: formula.FIRST_CAP}))
    .step("1", le(eta(1), entry(1)), by.linear("1.1", "begin"))
    .step("2.1", le(Min(entry(n + 2), _CAP), entry(n + 2), ALWAYS), by.apply(BELOW, {a: entry(n + 2), b: _CAP}))
    .step("2", le(eta(n + 2), entry(n + 2), ALWAYS), by.linear("2.1", "rule"))
    .step("3", le(eta(n + 1), entry(n + 1), ALWAYS), by.induction(n, "1", "2"))
    .step("4", by.apply(SIGN, {point: Grad(f, x(n + 1)) - Grad(f, x(n))}), over=ALWAYS)
    .qed(le(ENTRIES.relation.left, ENTRIES.relation.right, ALWAYS),
        by.linear({"3": 4 * (eta(n + 1) + entry(n + 1)) * _TURNED}, "4", {"first entry": 1}))
)

GROWING = (
    proof("delta_sgd/rule-growth", "Theorem 5", note="nor larger than the second one").under(RULE[1], RULE[2])
    .step("1", by.apply(BELOW, {a: _CAP, b: entry(n + 2)}), over=ALWAYS)
    .step("2", le(eta(n + 2), _CAP, ALWAYS), by.linear("1", "rule"))
    .step("3", le(eta(n + 2) ** 2, _CAP**2, ALWAYS), by.linear({"2": eta(n + 2) + _CAP}))
    .qed(le(GROWTH.relation.left, GROWTH.relation.right, ALWAYS), by.linear("3", "ratio"))
)

_LEAST = formula.LEAST.subs(notation.L_hat, L_hat)
FIRST = Given("first", eq(eta(0), eta_0), "the first step is made with eta_0")
_ENOUGH, _ = statement_of(formula.SUM_LEAST, S, {notation.L_hat: L_hat})
ENOUGH = (
    proof("delta_sgd/T5-steps", "after (43)", of="delta_sgd/T5-sum@corrected", bound=formula.SUM_LEAST,
        reading={notation.L_hat: L_hat}, note="what R2 makes of the sum of the steps")
    .under(FIRST, *RULE[:2], RULE[3], SUM)
    .step("R2", by.apply(LATER, {L: L_hat}))
    .step("here", by.instance({n: n}, "R2"), over=(n, 0, T - 1))
    .step("sum", le(T * _LEAST, Total(eta(n + 1), n, 0, T - 1)), by.sum_over(n, "here"))
    .step("one", by.instance({n: 0}, "R2"))
    .qed(_ENOUGH, by.linear("sum", "one"), name="last", inserting=("sum S", "first"))
)

_RUN = (CONVEX, STEPS, *RULE, SMALL, DAMPED, FIRST, SUM, AVERAGE, BEGIN)
_BY_RULE = (
    line("short all", le(ENTRIES.relation.left, ENTRIES.relation.right, ALWAYS),
        by.apply(SHORT, "begin", "rule", "first entry")),
    line("short", ENTRIES.relation, by.instance({n: n}, "short all")),
    line("grows all", le(GROWTH.relation.left, GROWTH.relation.right, ALWAYS), by.apply(GROWING, "rule", "ratio")),
    line("grows", GROWTH.relation, by.instance({n: n}, "grows all")),
    line("sum", le(gap(centre), D / (2 * S)),
        by.apply("delta_sgd/T5-m1-sum", "convex", "steps", "short", "c1", "grows", "c2", "sum S", "average", "start")),
    line("steps S", _ENOUGH, by.apply(ENOUGH, "first", "begin", "rule", "smooth", "sum S")),
)
_FIXED, _ = statement_of(formula.T5_FIXED, gap(centre), {notation.L_hat: L_hat})
FIXED = (
    proof("delta_sgd/T5-m1", "Theorem 5", of="delta_sgd/T5-one@corrected", bound=formula.T5_FIXED,
        reading={notation.L_hat: L_hat},
        note="one client, from the rule itself, any first step: the minimum of line 9 may be its second entry")
    .under(*_RUN)
    .steps(*_BY_RULE)
    .qed(_FIXED, by.linear("sum", "steps S"), name="last", note="divided")
)
_CAPPED = Given("cap", le(gamma / (2 * L_hat), formula.FIRST_CAP),
    "the second entry is not below the floor of the first one")
_UNCAPPED, _ = statement_of(formula.T5_UNCAPPED, gap(centre), {notation.L_hat: L_hat})
UNCAPPED = (
    proof("delta_sgd/T5-m1-uncapped", "Theorem 5", note="where the growth does not bind the floor")
    .under(*_RUN, _CAPPED)
    .step("least", eq(_LEAST, gamma / (2 * L_hat)), by.fact("min", _LEAST, "cap"))
    .step("fixed", by.apply(FIXED))
    .qed(_UNCAPPED, by.linear("fixed"), name="last", inserting="least")
)

_PRINTED, _RANGE = statement_of(formula.T5_RANGE, gap(centre), {notation.L_hat: L_hat})
_SET = tuple(h for h in _RUN if h not in (SMALL, DAMPED))
PRINTED = (
    proof("delta_sgd/T5-m1-printed", "Theorem 5", of="delta_sgd/T5-one@explicit", bound=formula.T5_RANGE,
        reading={notation.L_hat: L_hat}, note="where the printed rate holds for one client")
    .under(*_SET, _CAPPED, *_RANGE)
    .step("small", SMALL.relation, by.linear("c1"))
    .step("damped", DAMPED.relation, by.linear("c2"))
    .step("uncapped", by.apply(UNCAPPED, *(h.id for h in _SET), "cap", "small", "damped"))
    .step("inserted", le(gap(centre), 2 * D * L_hat**2 * eta_0 / (2 * L_hat * eta_0 * T + 1)), by.linear("uncapped"),
        inserting="c1")
    .qed(_PRINTED, by.linear("inserted", "c3"), name="last", note="the printed rate grows with eta_0 up to 1")
)

# The printed rate beyond eta_0 = 1: L/2 x^2 from x_0 = 1, one round -----------------------------------------------------------

x0, x1, step, weight = (Symbol(name, real=True) for name in ("x_0", "x_1", "eta_1", "a"))
_QUADRATIC = (
    Given("first step", eq(x1, x0 - eta_0 * L_hat * x0), "a gradient step on L/2 x^2"),
    Given("rule", eq(step, Min(1 / (2 * L_hat), sqrt(1 + theta_0) * eta_0)), "(4)"),
    Given("constant", eq(D, x1**2 + (x1 - x0) ** 2 / 2 + step**2 / eta_0 * L_hat * x0**2), "(41)"),
    Given("round", eq(T, 1), "after one round the average is x_1"),
)
_FAILS, _RULE_4 = statement_of(formula.T5_PRINTED, L_hat * x1**2 / 2, {notation.L_hat: L_hat})
FAILS = (
    proof("delta_sgd/T5-one@printed", "Theorem 5", of="delta_sgd/T5-one@printed", bound=formula.T5_PRINTED,
        reading={notation.L_hat: L_hat}, recorded="REFUTED",
        note="the printed rate depends on the unit of length: one client, eta_0 = 50")
    .under(*_QUADRATIC, *_RULE_4)
    .qed(
        _FAILS,
        by.counterexample(
            {
                L_hat: Rational(1, 100),
                eta_0: 50,
                theta_0: 1,
                step: 50,
                x0: 1,
                x1: Rational(1, 2),
                D: Rational(7, 8),
                T: 1,
                gamma: 1,
                delta: 1,
            },
            *(g.id for g in (*_QUADRATIC, *_RULE_4)),
        ),
        note="1/800 against 7/40800",
    )
)

# No cap at the first computed step: theta_0 = infinity -----------------------------------------------------------------------

QUOTIENT = proof("delta_sgd/quotient", "Theorem 5").qed(lt(0, a / b), by.linear())
_WIDE = (entry(1) / eta_0) ** 2 / delta  # the largest theta_0 that does not bind
_HIGH = formula.FIRST_CAP.subs(theta_0, _WIDE)
_FREE, _FREE_CONDITIONS = statement_of(formula.T5_UNCAPPED, gap(centre), {notation.L_hat: L_hat})
FREE = (
    proof("delta_sgd/T5-free", "Theorem 5", of="delta_sgd/T5-free@corrected", bound=formula.T5_UNCAPPED,
        reading={notation.L_hat: L_hat}, note="as the single-client method is run")
    .under(CONVEX, STEPS)
    .given("free", eq(eta(1), entry(1)), "the first computed step is its first entry")
    .under(*RULE[1:], FIRST, SUM, AVERAGE, BEGIN, *_FREE_CONDITIONS)
    .step("wide", by.apply(QUOTIENT, {a: (entry(1) / eta_0) ** 2, b: delta}, "c3"))
    .step("high 1", le(entry(1) ** 2, _HIGH**2), by.linear())
    .step("high", by.apply(ROOT, {a: entry(1), b: _HIGH}))
    .step("least", eq(Min(entry(1), _HIGH), entry(1)), by.fact("min", Min(entry(1), _HIGH), "high"))
    .step("begin", eq(eta(1), Min(entry(1), _HIGH)), by.linear("free", "least"))
    .step("bent", by.instance({n: 0}, "smooth"))
    .step("cap", le(gamma / (2 * L_hat), _HIGH), by.linear("bent", "high"))
    .qed(_FREE,
        by.apply(UNCAPPED, {theta_0: _WIDE}, "convex", "steps", "begin", *(h.id for h in RULE[1:]), "c1", "c2", "first",
            "sum S", "average", "start", "cap", "wide"), name="last")
)

# The printed floor of the sum -----------------------------------------------------------------------------------------

_TOO_MUCH, _AS_4 = statement_of(formula.SUM_PRINTED, S, {notation.L_hat: L_hat})
_ROUND = (
    Given("rule", eq(step, Min(1 / (2 * L_hat), sqrt(1 + theta_0) * eta_0)), "(4) in the only round"),
    Given("sum", eq(S, step + step**2 / eta_0), "(42)"),
    Given("round", eq(T, 1), "one round"),
)
SUM_FAILS = (
    proof("delta_sgd/T5-sum@printed", "after (43)", of="delta_sgd/T5-sum@printed", bound=formula.SUM_PRINTED,
        reading={notation.L_hat: L_hat}, recorded="REFUTED", note="a first step that is small")
    .under(*_ROUND, *_AS_4)
    .qed(_TOO_MUCH,
        by.counterexample(
            {L_hat: 1, eta_0: Rational(1, 10), theta_0: 3, step: Rational(1, 5), S: Rational(3, 5), T: 1, gamma: 1, delta: 1},
            *(g.id for g in (*_ROUND, *_AS_4))), note="3/5 against 3/4")
)

THEOREMS = (SHORT, GROWING, ENOUGH, FIXED, UNCAPPED, PRINTED, FAILS, QUOTIENT, FREE, SUM_FAILS)
