"""What meets the hypotheses of an applied theorem: the lines and hypotheses that say the same, word for word."""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from fltheory.proof import language as lang
from fltheory.proof.algebra.replacing import substitute_relation
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
        else:
            names = [name for name, one in view.items() if isinstance(one, Member) and isinstance(hypothesis, Member)]
        found |= dict.fromkeys(names[-1:])
    return tuple(found)


def _saying(view: InView, wanted: Relation) -> list[str]:
    """What says a relation with the same ranges, or else with others, which the kernel compares."""
    relations = {n: one.relation if isinstance(one, Given) else one for n, one in view.items()}
    same = [name for name, one in relations.items() if one == wanted]
    sides = (wanted.left, wanted.op, wanted.right)
    return same or [n for n, r in relations.items() if isinstance(r, Relation) and (r.left, r.op, r.right) == sides]
