"""Theorems on the quotient or the difference of the two sides of another theorem, as some claims state them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from sympy import Expr, Integer, Symbol

from fltheory.proof import Defines, Given, Hypothesis, Relation, Theorem, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import substitute
from fltheory.verification import find

ONE = Integer(1)
top, below, factor = Symbol("top", real=True), Symbol("below", positive=True), Symbol("factor", real=True)
_CONDITION = re.compile(r"c\d+")


class QuotientRules(NamedTuple):
    """Three lemmas on quotients: from an upper bound, from a lower one, from an equation."""

    upper: Theorem
    lower: Theorem
    equal: Theorem


def quotient_rules(key: str, place: str) -> QuotientRules:
    """Return the three lemmas for a paper."""
    why = "how often one side is the other"
    return QuotientRules(
        proof(f"{key}/quotient-most", place, note="an upper bound, divided")
        .given("order", le(top, factor * below), why)
        .qed(le(top / below, factor), by.linear("order")),
        proof(f"{key}/quotient-least", place, note="a lower bound, divided")
        .given("order", le(factor * below, top), why)
        .qed(le(factor, top / below), by.linear("order")),
        proof(f"{key}/quotient-same", place, note="an equation, divided")
        .given("order", eq(top, factor * below), why)
        .qed(eq(top / below, factor), by.linear("order")),
    )


class BaseTheorem(NamedTuple):
    """The parts that a theorem inherits: hypotheses, the claim's conditions, and how the base theorem is applied."""

    sides: Relation
    own: tuple[Hypothesis, ...]
    given: tuple[str, ...]
    inserted: tuple[str, ...]


def _base_theorem(base: Theorem, values: Mapping[Expr, Expr], conditions: tuple[Given, ...]) -> BaseTheorem:
    line = base.statement
    sides = Relation(substitute(line.left, values), line.op, substitute(line.right, values), line.over)
    own = tuple(h for h in base.hypotheses if not _CONDITION.fullmatch(h.id))
    given = (*(h.id for h in own if not isinstance(h, Defines)), *(c.id for c in conditions))
    return BaseTheorem(sides, own, given, tuple(h.id for h in own if isinstance(h, Defines)))


def quotient_theorem(
    by_rule: QuotientRules,
    base: Theorem,
    claim: str,
    times: Expr = ONE,
    at: Mapping[Expr, Expr] | None = None,
    reading: Mapping[Symbol, Expr] | None = None,
    apart: Expr | tuple[Expr, ...] = (),
) -> Theorem:
    """Prove a claim about a quotient from the base theorem; the larger side is ``times`` the denominator.

    ``at`` replaces symbols of the base, ``reading`` those of the bound; ``apart`` are further nonzero factors.
    """
    bound, values = find(claim).bound, at or {}
    rule = by_rule._asdict()[bound.side]
    left, right = (substitute(side, values) for side in (base.statement.left, base.statement.right))
    over, part = (left / times, right) if bound.side == "lower" else (right / times, left)
    statement, conditions = statement_of(bound, part / over, reading)
    setting = _base_theorem(base, values, conditions)
    signs: tuple[Given, ...] = (Given("positive", lt(0, over), "what is divided by; the quotient has no value else"),)
    parts = apart if isinstance(apart, tuple) else (apart,)
    for number, one in enumerate(parts):
        signs += (Given(f"apart {number}" if number else "apart", lt(0, one), "the same, of a part of it"),)
    known = (*(s.id for s in signs), *(c.id for c in conditions if not parts))
    return (
        proof(claim, of=claim, bound=bound, reading=reading or {})
        .under(*setting.own, *conditions, *signs)
        .step("sides", setting.sides, by.apply(base.id, values, *setting.given), inserting=setting.inserted)
        .qed(statement, by.apply(rule.id, {top: part, below: over, factor: times}, "sides", *known))
    )


def difference_theorem(
    base: Theorem,
    claim: str,
    quantity: Expr,
    reading: Mapping[Symbol, Expr] | None = None,
    means: tuple[Given, ...] = (),
) -> Theorem:
    """Prove a claim about a difference from the base theorem; ``means`` explains the constants of the bound."""
    bound = find(claim).bound
    line, conditions = statement_of(bound, quantity, reading)
    setting = _base_theorem(base, {}, conditions)
    statement = Relation(line.left, line.op, line.right, base.statement.over)
    return (
        proof(claim, of=claim, bound=bound, reading=reading or {})
        .under(*setting.own, *conditions, *means)
        .step("sides", setting.sides, by.apply(base.id, *setting.given), inserting=setting.inserted)
        .qed(statement, by.linear({"sides": 1}), inserting=tuple(m.id for m in means))
    )
