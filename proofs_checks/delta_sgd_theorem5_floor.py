"""Theorem 5 with the floor of the steps (R2): the corrected rate, when the printed one follows, where it fails, common steps."""

from __future__ import annotations

from sympy import Expr, Integer, Min, Rational, Symbol, oo, sqrt

from fltheory.papers.delta_sgd import bounds as formula
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
    stated,
)
from fltheory.proof.terms import Fun, Grad, Nonnegative, Positive, Total, Val, family, square
from fltheory.symbols import amplifier as gamma
from fltheory.symbols import growth_damping as delta
from fltheory.symbols import initial_ratio as theta_0
from fltheory.symbols import initial_step_size as eta_0
from fltheory.symbols import local_smoothness, smoothness
from fltheory.symbols import n_clients as m
from fltheory.symbols import n_rounds as T
from proofs_checks import delta_sgd_rule, osmd_facts
from proofs_checks.delta_sgd_lyapunov import CONVEX, DAMPED, SMALL, F, f, gap, goal, i
from proofs_checks.delta_sgd_rule import a, b
from proofs_checks.delta_sgd_theorem5 import (
    AVERAGE,
    BEGIN,
    ENTRIES,
    GROWTH,
    LOWEST,
    STEPS,
    SUM,
    D,
    S,
    carried,
    centre,
    eta,
    k,
    n,
    point,
    taken,
    x,
)

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
    "delta_sgd/rule-entries", le(ENTRIES.relation.left, ENTRIES.relation.right, ALWAYS), (RULE[0], RULE[1], RULE[4]),
    (
        Step("1.1", le(Min(entry(1), formula.FIRST_CAP), entry(1)),
             Apply("delta_sgd/below", {a: entry(1), b: formula.FIRST_CAP})),
        Step("1", le(eta(1), entry(1)), Combine({"1.1": 1, "begin": 1}), ("1.1", "begin")),
        Step("2.1", le(Min(entry(n + 2), _CAP), entry(n + 2), ALWAYS), Apply("delta_sgd/below", {a: entry(n + 2), b: _CAP})),
        Step("2", le(eta(n + 2), entry(n + 2), ALWAYS), Combine({"2.1": 1, "rule": 1}), ("2.1", "rule")),
        Step("3", le(eta(n + 1), entry(n + 1), ALWAYS), Induction(n), ("1", "2")),
        Step("4", le(0, _TURNED, ALWAYS), Apply("delta_sgd/nonnegative", {point: Grad(f, x(n + 1)) - Grad(f, x(n))})),
        Step("5", le(ENTRIES.relation.left, ENTRIES.relation.right, ALWAYS),
             Combine({"3": 4 * (eta(n + 1) + entry(n + 1)) * _TURNED, "first entry": 1}), ("3", "4", "first entry")),
    ),
    place="Theorem 5", note="no step is larger than its first entry",
)  # fmt: skip


_INSIDE = 1 + delta * eta(n + 1) / eta(n)
_OTHER = eq(_CAP**2, _INSIDE * eta(n + 1) ** 2, ALWAYS)
GROWING = Theorem(
    "delta_sgd/rule-growth", le(GROWTH.relation.left, GROWTH.relation.right, ALWAYS), (RULE[1], RULE[2]),
    (
        Step("1", le(Min(entry(n + 2), _CAP), _CAP, ALWAYS), Apply("delta_sgd/below", {a: _CAP, b: entry(n + 2)})),
        Step("2", le(eta(n + 2), _CAP, ALWAYS), Combine({"1": 1, "rule": 1}), ("1", "rule")),
        Step("3", le(eta(n + 2) ** 2, _CAP**2, ALWAYS), Combine({"2": eta(n + 2) + _CAP}), ("2",)),
        Step("4", le(GROWTH.relation.left, GROWTH.relation.right, ALWAYS),
             Combine({"3": 1, "ratio": delta * eta(n + 1) ** 2}), ("3", "ratio")),
    ),
    place="Theorem 5", note="nor larger than the second one",
)  # fmt: skip

_LEAST = formula.LEAST.subs(local_smoothness, L_hat)
_ROOM = T * _LEAST + _LEAST**2 / eta_0
FIRST = Given("first", eq(eta(0), eta_0), "the first step is made with eta_0")
_ENOUGH = le(_ROOM, S)
ENOUGH = Theorem(
    "delta_sgd/T5-steps", _ENOUGH, (FIRST, *RULE[:2], RULE[3], SUM),
    (
        Step("R2", le(_LEAST, eta(n + 1), ALWAYS), Apply("delta_sgd/R2-later", {smoothness: L_hat}), ("begin", "rule", "smooth")),
        Step("here", le(_LEAST, eta(n + 1), (n, 0, T - 1)), Instance({n: n}), ("R2",)),
        Step("sum", le(T * _LEAST, Total(eta(n + 1), n, 0, T - 1)), Summed((n,)), ("here",)),
        Step("one", le(_LEAST, eta(1)), Instance({n: 0}), ("R2",)),
        Step("last", _ENOUGH, Combine({"sum": 1, "one": (eta(1) + _LEAST) / eta_0}), ("sum", "one"), ("sum S", "first")),
    ),
    place="after (43)", note="what R2 makes of the sum of the steps",
)  # fmt: skip

THEOREMS = (SHORT, GROWING, ENOUGH)
