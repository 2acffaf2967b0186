"""The residual of a step: the gap of its claim less the combination that its rule names."""

from __future__ import annotations

import sympy
from sympy import Expr, Integer

from fltheory.proof import language as lang
from fltheory.proof.algebra.axioms import relation_of
from fltheory.proof.algebra.context import Context, Equation, class_of
from fltheory.proof.algebra.normal import normal_form
from fltheory.proof.language import Defines, Given, Member, Step, Theorem


def step_context(theorem: Theorem, step: Step) -> Context:
    """Return the context of a step, which takes all that it uses as proved."""
    hypotheses = {h.id: h for h in theorem.hypotheses}
    claims = {s.id: s.claim for s in theorem.steps}
    used = {f"assumed {i}": h for i, h in enumerate(step.assuming, 1)}
    members, definitions = [], []
    for name in step.uses:
        entry = hypotheses.get(name)
        if isinstance(entry, Member):
            members.append(entry)
        else:
            used[name] = entry.relation if isinstance(entry, Given) else claims[name]
    for name in step.by:
        entry = hypotheses.get(name)
        if isinstance(entry, Defines):
            definitions.append(entry)
        else:
            equation = entry.relation if isinstance(entry, Given) else claims[name]
            definitions.append(Equation(name, equation.left, equation.right))
    return Context(used, tuple(definitions), tuple(members), step.claim)


def residual(rule: lang.Combine, context: Context) -> Expr:
    """Return the claim's gap less the weighted gaps of the used relations and of the axioms, expanded."""
    rest = context.expand(context.claim.gap)
    weights = dict(rule.weights)
    for name, relation in context.used.items():
        rest = rest - context.expand(weights.get(name, Integer(0))) * context.expand(relation.gap)
    for weight, axiom in rule.axioms:
        member = class_of(axiom.function, context.members)
        rest = rest - context.expand(weight) * context.expand(relation_of(axiom, member, context.facts()).gap)
    return sympy.expand(normal_form(rest))
