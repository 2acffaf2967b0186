"""Theorem 5 with the floor of the steps (R2): the corrected rate, when the printed one follows, where it fails."""

from __future__ import annotations

from sympy import Min, Rational, Symbol, oo, sqrt

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.letters import L, T, delta, eta_0, gamma, theta_0
from fltheory.papers.delta_sgd.letters import L_hat as local_smoothness
from fltheory.proof.language import (
    Apply,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    lt,
    stated,
)
from fltheory.proof.terms import Grad, Nonnegative, Positive, Total, family, square
from proofs_checks.delta_sgd.lyapunov import CONVEX, DAMPED, SMALL, f, gap
from proofs_checks.delta_sgd.rule import a, b
from proofs_checks.delta_sgd.theorem5 import AVERAGE, BEGIN, ENTRIES, GROWTH, STEPS, SUM, D, S, centre, eta, n, point, x

# The floor of the steps: from the rule itself ------------------------------------------------------------------------------

L_hat = Symbol("L", positive=True)
entry, theta = family(Positive, "entry"), family(Nonnegative, "theta")
ALWAYS = (n, 0, oo)
_CAP = sqrt(1 + delta * theta(n + 1)) * eta(n + 1)
RULE = (
    Given("begin", eq(eta(1), Min(entry(1), formula.FIRST_CAP)), "line 9 with the first ratio"),
    Given("rule", eq(eta(n + 2), Min(entry(n + 2), _CAP), ALWAYS), "line 9 of Algorithm 1"),
    Given("ratio", eq(theta(n + 1), eta(n + 1) / eta(n), ALWAYS), "line 10"),
    Given("smooth", le(gamma / (2 * L_hat), entry(n + 1), ALWAYS), "the first entry of every step, by smoothness"),
    Given(
        "first entry",
        le(
            4 * entry(n + 1) ** 2 * square(Grad(f, x(n + 1)) - Grad(f, x(n))),
            gamma**2 * square(x(n + 1) - x(n)),
            ALWAYS,
        ),
        "what the first entry is, squared; any number where the gradients agree",
    ),
)
_TURNED = square(Grad(f, x(n + 1)) - Grad(f, x(n)))
SHORT = Theorem(
    "delta_sgd/rule-entries",
    le(ENTRIES.relation.left, ENTRIES.relation.right, ALWAYS),
    (RULE[0], RULE[1], RULE[4]),
    (
        Step(
            "1.1",
            le(Min(entry(1), formula.FIRST_CAP), entry(1)),
            Apply("delta_sgd/below", {a: entry(1), b: formula.FIRST_CAP}),
        ),
        Step("1", le(eta(1), entry(1)), Combine({"1.1": 1, "begin": 1}), ("1.1", "begin")),
        Step(
            "2.1",
            le(Min(entry(n + 2), _CAP), entry(n + 2), ALWAYS),
            Apply("delta_sgd/below", {a: entry(n + 2), b: _CAP}),
        ),
        Step("2", le(eta(n + 2), entry(n + 2), ALWAYS), Combine({"2.1": 1, "rule": 1}), ("2.1", "rule")),
        Step("3", le(eta(n + 1), entry(n + 1), ALWAYS), Induction(n), ("1", "2")),
        Step("4", le(0, _TURNED, ALWAYS), Apply("delta_sgd/nonnegative", {point: Grad(f, x(n + 1)) - Grad(f, x(n))})),
        Step(
            "5",
            le(ENTRIES.relation.left, ENTRIES.relation.right, ALWAYS),
            Combine({"3": 4 * (eta(n + 1) + entry(n + 1)) * _TURNED, "first entry": 1}),
            ("3", "4", "first entry"),
        ),
    ),
    place="Theorem 5",
    note="no step is larger than its first entry",
)


_INSIDE = 1 + delta * eta(n + 1) / eta(n)
_OTHER = eq(_CAP**2, _INSIDE * eta(n + 1) ** 2, ALWAYS)
GROWING = Theorem(
    "delta_sgd/rule-growth",
    le(GROWTH.relation.left, GROWTH.relation.right, ALWAYS),
    (RULE[1], RULE[2]),
    (
        Step("1", le(Min(entry(n + 2), _CAP), _CAP, ALWAYS), Apply("delta_sgd/below", {a: _CAP, b: entry(n + 2)})),
        Step("2", le(eta(n + 2), _CAP, ALWAYS), Combine({"1": 1, "rule": 1}), ("1", "rule")),
        Step("3", le(eta(n + 2) ** 2, _CAP**2, ALWAYS), Combine({"2": eta(n + 2) + _CAP}), ("2",)),
        Step(
            "4",
            le(GROWTH.relation.left, GROWTH.relation.right, ALWAYS),
            Combine({"3": 1, "ratio": delta * eta(n + 1) ** 2}),
            ("3", "ratio"),
        ),
    ),
    place="Theorem 5",
    note="nor larger than the second one",
)

_LEAST = formula.LEAST.subs(local_smoothness, L_hat)
_ROOM = T * _LEAST + _LEAST**2 / eta_0
FIRST = Given("first", eq(eta(0), eta_0), "the first step is made with eta_0")
_ENOUGH, _ = stated(formula.SUM_LEAST, S, {local_smoothness: L_hat})
ENOUGH = Theorem(
    "delta_sgd/T5-steps",
    _ENOUGH,
    (FIRST, *RULE[:2], RULE[3], SUM),
    (
        Step(
            "R2", le(_LEAST, eta(n + 1), ALWAYS), Apply("delta_sgd/R2-later", {L: L_hat}), ("begin", "rule", "smooth")
        ),
        Step("here", le(_LEAST, eta(n + 1), (n, 0, T - 1)), Instance({n: n}), ("R2",)),
        Step("sum", le(T * _LEAST, Total(eta(n + 1), n, 0, T - 1)), Summed((n,)), ("here",)),
        Step("one", le(_LEAST, eta(1)), Instance({n: 0}), ("R2",)),
        Step(
            "last", _ENOUGH, Combine({"sum": 1, "one": (eta(1) + _LEAST) / eta_0}), ("sum", "one"), ("sum S", "first")
        ),
    ),
    place="after (43)",
    note="what R2 makes of the sum of the steps",
    claim="delta_sgd/T5-sum@corrected",
    bound=formula.SUM_LEAST,
    reading={local_smoothness: L_hat},
)

_RUN = (CONVEX, STEPS, *RULE, SMALL, DAMPED, FIRST, SUM, AVERAGE, BEGIN)
_BY_RULE = (
    Step(
        "short all",
        le(ENTRIES.relation.left, ENTRIES.relation.right, ALWAYS),
        Apply("delta_sgd/rule-entries"),
        ("begin", "rule", "first entry"),
    ),
    Step("short", ENTRIES.relation, Instance({n: n}), ("short all",)),
    Step(
        "grows all",
        le(GROWTH.relation.left, GROWTH.relation.right, ALWAYS),
        Apply("delta_sgd/rule-growth"),
        ("rule", "ratio"),
    ),
    Step("grows", GROWTH.relation, Instance({n: n}), ("grows all",)),
    Step(
        "sum",
        le(gap(centre), D / (2 * S)),
        Apply("delta_sgd/T5-m1-sum"),
        ("convex", "steps", "short", "c1", "grows", "c2", "sum S", "average", "start"),
    ),
    Step("steps S", _ENOUGH, Apply("delta_sgd/T5-steps"), ("first", "begin", "rule", "smooth", "sum S")),
)
_FIXED, _ = stated(formula.T5_FIXED, gap(centre), {local_smoothness: L_hat})
FIXED = Theorem(
    "delta_sgd/T5-m1",
    _FIXED,
    _RUN,
    (
        *_BY_RULE,
        Step("last", _FIXED, Combine({"sum": 1, "steps S": D / (2 * S * _ROOM)}), ("sum", "steps S"), note="divided"),
    ),
    place="Theorem 5",
    note="one client, from the rule itself, any first step: the minimum of line 9 may be its second entry",
    claim="delta_sgd/T5-one@corrected",
    bound=formula.T5_FIXED,
    reading={local_smoothness: L_hat},
)
_CAPPED = Given(
    "cap", le(gamma / (2 * L_hat), formula.FIRST_CAP), "the second entry is not below the floor of the first one"
)
_UNCAPPED, _ = stated(formula.T5_UNCAPPED, gap(centre), {local_smoothness: L_hat})
UNCAPPED = Theorem(
    "delta_sgd/T5-m1-uncapped",
    _UNCAPPED,
    (*_RUN, _CAPPED),
    (
        Step("least", eq(_LEAST, gamma / (2 * L_hat)), Known("min", _LEAST), ("cap",)),
        Step("fixed", _FIXED, Apply("delta_sgd/T5-m1"), tuple(h.id for h in _RUN)),
        Step("last", _UNCAPPED, Combine(), ("fixed",), ("least",)),
    ),
    place="Theorem 5",
    note="where the growth does not bind the floor",
)

_PRINTED, _RANGE = stated(formula.T5_RANGE, gap(centre), {local_smoothness: L_hat})
_SET = tuple(h for h in _RUN if h not in (SMALL, DAMPED))
PRINTED = Theorem(
    "delta_sgd/T5-m1-printed",
    _PRINTED,
    (*_SET, _CAPPED, *_RANGE),
    (
        Step("small", SMALL.relation, Combine({"c1": 1}), ("c1",)),
        Step("damped", DAMPED.relation, Combine({"c2": 1}), ("c2",)),
        Step(
            "uncapped", _UNCAPPED, Apply("delta_sgd/T5-m1-uncapped"), (*(h.id for h in _SET), "cap", "small", "damped")
        ),
        Step(
            "inserted",
            le(gap(centre), 2 * D * L_hat**2 * eta_0 / (2 * L_hat * eta_0 * T + 1)),
            Combine(),
            ("uncapped",),
            ("c1",),
        ),
        Step(
            "last",
            _PRINTED,
            Combine({"inserted": 1, "c3": 2 * D * L_hat**2 / ((2 * L_hat * eta_0 * T + 1) * (2 * L_hat * T + 1))}),
            ("inserted", "c3"),
            note="the printed rate grows with eta_0 up to 1",
        ),
    ),
    claim="delta_sgd/T5-one@explicit",
    bound=formula.T5_RANGE,
    reading={local_smoothness: L_hat},
    place="Theorem 5",
    note="where the printed rate holds for one client",
)

# The printed rate beyond eta_0 = 1: L/2 x^2 from x_0 = 1, one round -----------------------------------------------------------

x0, x1, step, weight = (Symbol(name, real=True) for name in ("x_0", "x_1", "eta_1", "a"))
_QUADRATIC = (
    Given("first step", eq(x1, x0 - eta_0 * L_hat * x0), "a gradient step on L/2 x^2"),
    Given("rule", eq(step, Min(1 / (2 * L_hat), sqrt(1 + theta_0) * eta_0)), "(4)"),
    Given("constant", eq(D, x1**2 + (x1 - x0) ** 2 / 2 + step**2 / eta_0 * L_hat * x0**2), "(41)"),
    Given("round", eq(T, 1), "after one round the average is x_1"),
)
_FAILS, _RULE_4 = stated(formula.T5_PRINTED, L_hat * x1**2 / 2, {local_smoothness: L_hat})
FAILS = Theorem(
    "delta_sgd/T5-one@printed",
    _FAILS,
    (*_QUADRATIC, *_RULE_4),
    (
        Step(
            "1",
            _FAILS,
            Witness(
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
                }
            ),
            tuple(g.id for g in (*_QUADRATIC, *_RULE_4)),
            expected="REFUTED",
            note="1/800 against 7/40800",
        ),
    ),
    "REFUTED",
    claim="delta_sgd/T5-one@printed",
    bound=formula.T5_PRINTED,
    reading={local_smoothness: L_hat},
    place="Theorem 5",
    note="the printed rate depends on the unit of length: one client, eta_0 = 50",
)

# No cap at the first computed step: theta_0 = infinity -----------------------------------------------------------------------

_INVERSE = lt(0, a / b)
QUOTIENT = Theorem("delta_sgd/quotient", _INVERSE, (), (Step("1", _INVERSE, Combine()),), place="Theorem 5")
_WIDE = (entry(1) / eta_0) ** 2 / delta  # as large a theta_0 as does not bind
_HIGH = formula.FIRST_CAP.subs(theta_0, _WIDE)
_FREE, _FREE_CONDITIONS = stated(formula.T5_UNCAPPED, gap(centre), {local_smoothness: L_hat})
_NO_CAP = Given("free", eq(eta(1), entry(1)), "the first computed step is its first entry")
FREE = Theorem(
    "delta_sgd/T5-free",
    _FREE,
    (CONVEX, STEPS, _NO_CAP, *RULE[1:], FIRST, SUM, AVERAGE, BEGIN, *_FREE_CONDITIONS),
    (
        Step("wide", lt(0, _WIDE), Apply("delta_sgd/quotient", {a: (entry(1) / eta_0) ** 2, b: delta}), ("c3",)),
        Step("high 1", le(entry(1) ** 2, _HIGH**2), Combine()),
        Step("high", le(entry(1), _HIGH), Apply("delta_sgd/root", {a: entry(1), b: _HIGH}), ("high 1",)),
        Step("least", eq(Min(entry(1), _HIGH), entry(1)), Known("min", Min(entry(1), _HIGH)), ("high",)),
        Step("begin", eq(eta(1), Min(entry(1), _HIGH)), Combine({"free": 1, "least": -1}), ("free", "least")),
        Step("bent", le(gamma / (2 * L_hat), entry(1)), Instance({n: 0}), ("smooth",)),
        Step("cap", le(gamma / (2 * L_hat), _HIGH), Combine(), ("bent", "high")),
        Step(
            "last",
            _FREE,
            Apply("delta_sgd/T5-m1-uncapped", {theta_0: _WIDE}),
            (
                "convex",
                "steps",
                "begin",
                *(h.id for h in RULE[1:]),
                "c1",
                "c2",
                "first",
                "sum S",
                "average",
                "start",
                "cap",
                "wide",
            ),
        ),
    ),
    claim="delta_sgd/T5-free@corrected",
    bound=formula.T5_UNCAPPED,
    reading={local_smoothness: L_hat},
    place="Theorem 5",
    note="as the single-client method is run",
)

# The floor of the sum as it is printed -----------------------------------------------------------------------------------------

_TOO_MUCH, _AS_4 = stated(formula.SUM_PRINTED, S, {local_smoothness: L_hat})
_ROUND = (
    Given("rule", eq(step, Min(1 / (2 * L_hat), sqrt(1 + theta_0) * eta_0)), "(4) in the only round"),
    Given("sum", eq(S, step + step**2 / eta_0), "(42)"),
    Given("round", eq(T, 1), "one round"),
)
SUM_FAILS = Theorem(
    "delta_sgd/T5-sum@printed",
    _TOO_MUCH,
    (*_ROUND, *_AS_4),
    (
        Step(
            "1",
            _TOO_MUCH,
            Witness(
                {
                    L_hat: 1,
                    eta_0: Rational(1, 10),
                    theta_0: 3,
                    step: Rational(1, 5),
                    S: Rational(3, 5),
                    T: 1,
                    gamma: 1,
                    delta: 1,
                }
            ),
            tuple(g.id for g in (*_ROUND, *_AS_4)),
            expected="REFUTED",
            note="3/5 against 3/4",
        ),
    ),
    "REFUTED",
    claim="delta_sgd/T5-sum@printed",
    bound=formula.SUM_PRINTED,
    reading={local_smoothness: L_hat},
    place="after (43)",
    note="a first step that is small",
)

THEOREMS = (SHORT, GROWING, ENOUGH, FIXED, UNCAPPED, PRINTED, FAILS, QUOTIENT, FREE, SUM_FAILS)
