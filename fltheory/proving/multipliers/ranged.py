"""Statements for every round or client: proved for one of them, as a lemma whose terms have no indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sympy import Expr, Symbol

from fltheory.proof import by
from fltheory.proof.chain import line
from fltheory.proof.language import Given, Hypothesis, Member, Relation, Theorem
from fltheory.proof.terms import Fun, Scalar, Total, Vector, free_symbols, rebuild
from fltheory.proving.multipliers.agents import sides_of
from fltheory.proving.multipliers.lines import only_needed


@dataclass(frozen=True)
class Ranged:
    """A statement for all indices, that for one place, and the term that each new name stands for."""

    theorem: Theorem
    single: Theorem
    at: Mapping[Expr, Expr]


@dataclass
class _Plain:
    """Terms without indices in the place of those with some of the indices."""

    indices: frozenset[Symbol]
    names: dict[Expr, Expr] = field(default_factory=dict)  # a term, and its name

    def __call__(self, term: Any) -> Any:
        """Return a term with names for what has an index."""
        if isinstance(term, Vector | Scalar | Fun) and free_symbols(term) & self.indices:
            return self.names.setdefault(term, term.func(Symbol(f"{term.args[0]}_at_{len(self.names) + 1}")))
        start = 1 if isinstance(term, Vector | Scalar | Fun) else 0
        return rebuild(term, (*term.args[:start], *map(self, term.args[start:]))) if term.args else term

    def relation(self, own: Relation) -> Relation:
        """Return a relation with names, for one place."""
        return Relation(self(own.left), own.op, self(own.right))


def read_ranged(theorem: Theorem) -> Ranged | None:
    """Return the statement for one place; None if it has no range, or a sum."""
    statement = theorem.statement
    if not statement.over or statement.gap.has(Total):
        return None
    plain = _Plain(frozenset(i for i, _, _ in statement.over))
    body = plain.relation(statement)
    hypotheses = tuple(h for own in theorem.hypotheses if (h := _hypothesis(own, plain)) is not None)
    single = replace(theorem, id=f"{theorem.id}-each", statement=body, hypotheses=hypotheses)
    return Ranged(theorem, single, {name: term for term, name in plain.names.items()})


def _hypothesis(own: Hypothesis, plain: _Plain) -> Hypothesis | None:
    """Return what a hypothesis says of one place, or None if it says nothing of it alone."""
    if isinstance(own, Member):
        function, constants = plain(own.function), (own.smooth, own.convex)
        smooth, convex = (plain(c) if isinstance(c, Expr) else c for c in constants)
        return replace(own, function=function, smooth=smooth, convex=convex)
    if not isinstance(own, Given) or own.relation.left.has(Total) or own.relation.right.has(Total):
        return None
    if not {i for i, _, _ in own.relation.over} <= plain.indices:
        return None
    return replace(own, relation=plain.relation(own.relation))


def for_each(ranged: Ranged, lemma: Theorem) -> Theorem:
    """Return the theorem for all indices, by its lemma for one place."""
    used = [h.id for h in lemma.hypotheses if h.id not in lemma.unused]
    wanted = {part for h in lemma.hypotheses for part in _parts(h)} | {*_parts(lemma.statement)}
    at = {name: term for name, term in ranged.at.items() if name in wanted}
    own = line("each place", ranged.theorem.statement, by.apply(lemma.id, at, *used))
    return only_needed(replace(ranged.theorem, steps=(own,)))


def _parts(own: Relation | Hypothesis) -> set[Any]:
    return {part for side in sides_of(own) for part in side.atoms(Vector, Scalar, Fun)}


__all__ = ["Ranged", "for_each", "read_ranged"]
