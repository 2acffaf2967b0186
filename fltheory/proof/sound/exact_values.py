"""Claims at exact numbers: enumeration of a finite range, and witnesses against a claim."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy
from sympy import Add, Expr, Integer, Symbol

from fltheory.number import decide
from fltheory.proof import language as lang
from fltheory.proof.algebra.normal import vanishes
from fltheory.proof.language import Member, ProofError, Relation
from fltheory.proof.sound.context import Context
from fltheory.proof.sound.guards import fits, real
from fltheory.proof.terms import Term, Total, free

MOST = 200_000  # integers that one enumeration may run through


def enumerated(rule: lang.Enumerate, context: Context) -> str | None:
    """The claim at every integer of its ranges."""
    claim = context.claim
    left, right = context.expand(claim.left), context.expand(claim.right)
    names = [i for i, _, _ in claim.over]
    if (free(left) | free(right)) - set(names):
        return "the claim has symbols that no range bounds"
    count = 0
    for values in _integers(claim.over, {}):
        count += 1
        if count > MOST:
            return f"more than {MOST} cases"
        if not _true(left, claim.op, right, values):
            return "it fails at " + ", ".join(f"{i} = {values[i]}" for i in names)
    return None if count else "the ranges are empty"


def _integers(over: tuple[lang.Range, ...], values: dict[Symbol, Expr]) -> Any:
    if not over:
        yield dict(values)
        return
    (index, low, high), *rest = over
    first, last = number(low, values), number(high, values)
    if not (first.is_Integer and last.is_Integer):
        raise ProofError(f"the range of {index} is no range of integers: {low}..{high}")
    for value in range(int(first), int(last) + 1):
        yield from _integers(tuple(rest), {**values, index: Integer(value)})


def number(expr: Expr, values: Mapping[Symbol, Any]) -> Expr:
    """A term at exact numbers: sums are added up."""
    if isinstance(expr, Total):
        body, index, low, high = expr.args
        first, last = number(low, values), number(high, values)
        if not (first.is_Integer and last.is_Integer):
            raise ProofError(f"{low}..{high} is no range of integers")
        return Add(*(number(body, {**values, index: Integer(i)}) for i in range(int(first), int(last) + 1)))
    if isinstance(expr, Symbol):
        return values[expr]
    if not expr.args:
        return expr
    if isinstance(expr, Term):
        raise ProofError(f"{expr} has no value")
    return expr.func(*(number(a, values) for a in expr.args))


def _true(left: Expr, op: str, right: Expr, values: Mapping[Symbol, Expr]) -> bool | None:
    a, b = number(left, values), number(right, values)
    if op == "==":
        return True if vanishes(a - b) else decide(sympy.Eq(a, b, evaluate=False), {})
    kind = {"<=": sympy.LessThan, "<": sympy.StrictLessThan}[op]
    return decide(kind(a, b, evaluate=False), {})


def witness(rule: lang.Witness, context: Context) -> str | None:
    """Values at which what is used holds and the claim does not; a reason if they are none."""
    values = dict(rule.at)
    claim = _expanded(context, context.claim)
    missing = (free(claim.left) | free(claim.right)) - set(values)
    if missing:
        return f"no value for {', '.join(sorted(str(s) for s in missing))}"
    indices = {i for i, _, _ in claim.over}
    for symbol, value in values.items():
        if not isinstance(symbol, Symbol) or free(value) or not (fits(symbol, value, ()) and real(value, ())):
            return f"{symbol} = {value} is out of its domain"
    for index, low, high in claim.over:
        ends = [number(e, values) for e in (low, high)]
        if not (values[index].is_integer and ends[0] <= values[index] <= ends[1]):
            return f"{index} = {values[index]} is out of its range {low}..{high}"
    for member, other in itertools.product(context.members, repeat=2):
        both = replace(member, smooth=other.smooth)  # they may speak of one function
        if not _inhabited(both if _kin(member, other) else member, values):
            return f"{member.id}: there may be no such function there"
    plain = {k: v for k, v in values.items() if k not in indices}  # what is used holds whatever the claim's indices are
    for name, relation in context.used.items():
        if not _everywhere(_expanded(context, relation), values if name.startswith("assumed ") else plain):
            return f"{name} does not hold there"
    if _true(claim.left, claim.op, claim.right, values) is not False:
        return "the claim holds there"
    return None


def _kin(one: Member, other: Member) -> bool:
    """Whether two classes are of one family of functions."""
    return bool(one.function.args[:1] == other.function.args[:1])


def _inhabited(member: Member, values: Mapping[Symbol, Any]) -> bool:
    """Whether parabolas are of a class at these numbers: 0 <= smooth, convex <= smooth."""
    smooth, convex = (None if c is None else sympy.sympify(c) for c in (member.smooth, member.convex))
    if any(c is not None and free(c) - set(values) for c in (smooth, convex)):
        return False
    if smooth is None:
        return True
    least = Integer(0) if convex is None else sympy.Max(0, number(convex, values))
    return _true(least, "<=", smooth, values) is True


def _expanded(context: Context, relation: Relation) -> Relation:
    return Relation(context.expand(relation.left), relation.op, context.expand(relation.right), relation.over)


def _everywhere(relation: Relation, values: Mapping[Symbol, Expr]) -> bool:
    """Whether a relation is true for all integers of its ranges, the other symbols at these values."""
    for count, inner in enumerate(_integers(relation.over, dict(values))):
        if count >= MOST or _true(relation.left, relation.op, relation.right, inner) is not True:
            return False
    return True
