"""Absolute values and indicators of numbers: the few facts that a proof may use of them."""

from __future__ import annotations

import sympy
from sympy import Abs, Expr

from fltheory.proof import language as lang
from fltheory.proof.algebra.normal import is_zero, normal
from fltheory.proof.language import Relation
from fltheory.proof.sound.context import Context, nonnegative, same, same_ranges
from fltheory.proof.terms import Indicator, is_vector

NAMES = ("abs", "indicator")


def known(rule: lang.Known, context: Context) -> str | None:
    """``abs``: a <= |a|. ``indicator``: one of the facts of 1{a >= 0} below. Both for every a, so for any ranges.

    Where what is used shows that a is not negative, 1{a >= 0} == 1.
    """
    at = context.expand(sympy.sympify(rule.at))
    if is_vector(at):
        return f"{at} is no number"
    claim = context.claim
    own = Relation(context.expand(claim.left), claim.op, context.expand(claim.right), claim.over)
    facts = (lang.le(at, Abs(at)),) if rule.name == "abs" else _indicator(at)
    if rule.name == "indicator" and nonnegative(at, context.facts()):
        facts = (*facts, lang.eq(Indicator(at), 1))
    if any(same(own, Relation(f.left, f.op, f.right, claim.over)) for f in facts):
        return None
    return "this says " + " or ".join(f"{f.left} {f.op} {f.right}" for f in facts)


def _indicator(a: Expr) -> tuple[Relation, ...]:
    at = Indicator(a)
    return (
        lang.le(at, 1),
        lang.eq(a * at, (a + Abs(a)) / 2),
        lang.eq(Abs(a) * at, a * at),
        lang.le(1, at + Indicator(-a)),
    )


def absolute(context: Context) -> str | None:
    """|a| <= b from a <= b and -a <= b."""
    claim = context.claim
    size, bound = normal(context.expand(claim.left)), context.expand(claim.right)
    if claim.op != "<=" or not isinstance(size, Abs):
        return "the claim must be |a| <= b"
    (inside,) = size.args
    for sign in (1, -1):
        if not any(_bounds(r, sign * inside, bound, context) for r in context.used.values()):
            return f"{sign * inside} <= {bound} is not among what the step uses"
    return None


def _bounds(relation: Relation, number: Expr, bound: Expr, context: Context) -> bool:
    if relation.op == "==" or is_vector(relation.gap) or not same_ranges(relation, context.claim):
        return False
    return is_zero(context.expand(relation.gap) - (bound - number))


def monotone(context: Context) -> str | None:
    """1{a >= 0} <= 1{b >= 0} from a <= b."""
    claim = context.claim
    low, high = context.expand(claim.left), context.expand(claim.right)
    if claim.op != "<=" or not (isinstance(low, Indicator) and isinstance(high, Indicator)):
        return "the claim must compare two indicators"
    difference: Expr = high.args[0] - low.args[0]
    for relation in context.used.values():
        plain = relation.op != "==" and not is_vector(relation.gap) and same_ranges(relation, claim)
        if plain and is_zero(context.expand(relation.gap) - difference):
            return None
    return "the numbers are not compared by what the step uses"
