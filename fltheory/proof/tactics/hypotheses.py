"""What meets the hypotheses of an applied theorem: the lines and hypotheses that say the same, word for word."""

from __future__ import annotations

from collections.abc import Mapping

import sympy
from sympy import Expr

from fltheory.proof import language as lang
from fltheory.proof.algebra.replacing import substitute_relation, substitute_term
from fltheory.proof.language import Given, Hypothesis, Member, Relation, Theorem

InView = Mapping[str, Hypothesis | Relation]  # what a line may use, by name, in the order in which it stands


def met_by(lemma: Theorem, at: lang.Pairs, view: InView) -> tuple[str, ...]:
    """The names of what meets the hypotheses of a theorem, read as ``at`` says, in their order.

    A hypothesis that nothing says in the same words is passed over: the kernel sees by itself that it holds, or names it.
    """
    pairs = [(sympy.sympify(key), sympy.sympify(value)) for key, value in at]
    found = dict[str, None]()
    for hypothesis in lemma.hypotheses:
        if isinstance(hypothesis, Given):
            names = _saying(view, substitute_relation(hypothesis.relation, pairs))
        elif isinstance(hypothesis, Member):
            names = _of_class(view, substitute_term(hypothesis.function, pairs))
        else:  # a definition is inserted, or its line named
            names = []
        found |= dict.fromkeys(names[-1:])
    return tuple(found)


def _of_class(view: InView, function: Expr) -> list[str]:
    """What says of which class a function is: hypotheses about its family."""
    members = {n: one for n, one in view.items() if isinstance(one, Member)}
    return [n for n, one in members.items() if one.function.args[:1] == function.args[:1]]


def _saying(view: InView, wanted: Relation) -> list[str]:
    """What says a relation with the same ranges, or else with others, which the kernel compares."""
    relations = {n: one.relation if isinstance(one, Given) else one for n, one in view.items()}
    same = [name for name, one in relations.items() if one == wanted]
    sides = (wanted.left, wanted.op, wanted.right)
    return same or [n for n, r in relations.items() if isinstance(r, Relation) and (r.left, r.op, r.right) == sides]
