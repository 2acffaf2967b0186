"""The one fact of calculus that a proof may use: a function that does not fall from 0 on stays above what it has at 0."""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from sympy import Expr, Pow, Symbol

from fltheory.proof import language as lang
from fltheory.proof.algebra.normal import is_zero, normal
from fltheory.proof.language import Defines, Given, Hypothesis
from fltheory.proof.sound.context import Context
from fltheory.proof.sound.guards import loose, real
from fltheory.proof.terms import Term


def rising(rule: lang.Rising, context: Context, hypotheses: Iterable[Hypothesis]) -> str | None:
    """0 <= f(x) for every x >= 0, from 0 <= f(0) and 0 <= f'(x) for every x >= 0: the mean value theorem.

    Sound because a step that rests on no hypothesis about x holds for all x >= 0 at once, so that the slope is known all the
    way from 0 to x, and because f is built from x by sums, products, exp, log of what is positive and whole powers, without a
    division by 0, so that it is differentiable there.
    """
    x, claim = rule.symbol, context.claim
    if claim.op != "<=" or claim.over:
        return "only <= between numbers is proved this way"
    if not isinstance(x, Symbol) or {k for k, v in x._assumptions_orig.items() if k != "commutative"} != {
        "nonnegative"
    }:
        return f"{x} must be a symbol that is nonnegative and nothing more"
    assumed = (r for name, r in context.used.items() if name.startswith("assumed "))
    if any(_speaks(h, x) for h in hypotheses) or any(x in loose(r) or r.gap.has(x) for r in assumed):
        return f"a hypothesis speaks of {x}: what is known of the slope may not hold from 0 on"
    used = [r for name, r in context.used.items() if not name.startswith("assumed ")]
    if len(used) < 2 or any(r.op == "==" or r.over for r in used[:2]):
        return "needs 0 <= f(0) and 0 <= f'(x)"
    f = normal(context.expand(claim.gap))
    reason = _smooth(f, x, context)
    if reason:
        return reason
    start, slope = (normal(context.expand(r.gap)) for r in used[:2])
    if not is_zero(start - f.xreplace({x: sympy.Integer(0)})):
        return f"the first relation is not the claim at {x} = 0"
    if not is_zero(slope - sympy.diff(f, x)):
        return f"the second relation is not the slope of the claim in {x}"
    return None


def _speaks(hypothesis: Hypothesis, x: Symbol) -> bool:
    if isinstance(hypothesis, Given):
        return x in loose(hypothesis.relation) or hypothesis.relation.gap.has(x)
    if isinstance(hypothesis, Defines):
        told: tuple[Expr | None, ...] = (hypothesis.left, hypothesis.right)
    else:
        told = (hypothesis.function, hypothesis.smooth, hypothesis.convex)
    return any(sympy.sympify(term).has(x) for term in told if term is not None)


def _smooth(f: Expr, x: Symbol, context: Context) -> str | None:
    for part in sympy.preorder_traversal(f):
        if not part.has(x) or part == x:
            continue
        plain = isinstance(part, sympy.Add | sympy.Mul | sympy.exp | sympy.log)
        if isinstance(part, Term) or not (plain or (isinstance(part, Pow) and part.exp.is_Integer)):
            return f"{part} is not seen to be differentiable in {x}"
    # the relations used hold for every x >= 0, and so does what they show of logarithms and divisors
    known = real(f, context.facts(), context.positive())
    return None if known else f"{f} is not seen to be real for every {x} >= 0"
