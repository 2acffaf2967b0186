"""Lines and hypotheses that meet the hypotheses of an applied theorem literally."""

from __future__ import annotations

from collections.abc import Mapping

import sympy
from sympy import Expr

from fltheory.proof import language as lang
from fltheory.proof.algebra.replacing import substitute_relation, substitute_term
from fltheory.proof.language import Given, Hypothesis, Member, Relation, Theorem

InView = Mapping[str, Hypothesis | Relation]  # what a line may use, by name, in order


def met_by(lemma: Theorem, at: lang.Pairs, view: InView) -> tuple[str, ...]:
    """Return the names of what meets the hypotheses of a theorem after the substitution ``at``, in their order.

    A hypothesis without a literal match is omitted: the kernel either sees that it holds or reports it.
    """
    pairs = [(sympy.sympify(key), sympy.sympify(value)) for key, value in at]
    found = dict[str, None]()
    for hypothesis in lemma.hypotheses:
        if isinstance(hypothesis, Given):
            names = _saying(view, substitute_relation(hypothesis.relation, pairs))
        elif isinstance(hypothesis, Member):
            names = _of_class(view, substitute_term(hypothesis.function, pairs))
        else:  # definitions are inserted, or their lines named
            names = []
        found |= dict.fromkeys(names[-1:])
    return tuple(found)


def _of_class(view: InView, function: Expr) -> list[str]:
    """Return the names of the hypotheses about the class of a function: those on its family."""
    members = {n: one for n, one in view.items() if isinstance(one, Member)}
    return [n for n, one in members.items() if one.function.args[:1] == function.args[:1]]


def _saying(view: InView, wanted: Relation) -> list[str]:
    """Return the names of relations equal to the wanted one, else of those with other ranges, which the kernel compares."""
    relations = {n: one.relation if isinstance(one, Given) else one for n, one in view.items()}
    same = [name for name, one in relations.items() if one == wanted]
    sides = (wanted.left, wanted.op, wanted.right)
    return same or [n for n, r in relations.items() if isinstance(r, Relation) and (r.left, r.op, r.right) == sides]
