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
    """Families without some of the indices in the place of those that have them; other indices stay."""

    indices: frozenset[Symbol]
    taken: frozenset[str] = frozenset()
    names: dict[Expr, tuple[Expr, Expr]] = field(default_factory=dict)  # a term, what stands for it, and what it was

    def __call__(self, term: Any) -> Any:
        """Return a term with names for what has an index."""
        if isinstance(term, Vector | Scalar | Fun) and free_symbols(term) & self.indices:
            kept = [a for a in term.args[1:] if isinstance(a, Symbol) and a not in self.indices]
            slots = {a: Symbol(f"slot {n}", integer=True) for n, a in enumerate(kept)}
            key = term.func(term.args[0], *(slots.get(a, a) for a in term.args[1:]))
            if key not in self.names:
                self.names[key] = term.func(self._free_name(f"{term.args[0]}_at"), *kept), term
            return self.names[key][0].func(self.names[key][0].args[0], *kept)
        start = 1 if isinstance(term, Vector | Scalar | Fun) else 0
        return rebuild(term, (*term.args[:start], *map(self, term.args[start:]))) if term.args else term

    def _free_name(self, word: str) -> Symbol:
        number = len(self.names) + 1
        while f"{word}_{number}" in self.taken:
            number += 1
        return Symbol(f"{word}_{number}")

    def relation(self, own: Relation) -> Relation:
        """Return a relation with names, for one place; its other ranges stay."""
        return Relation(self(own.left), own.op, self(own.right), tuple(r for r in own.over if r[0] not in self.indices))

    def reads(self, own: Relation) -> bool:
        """Return whether a relation says something of one place: no sum and no range of it goes over the places."""
        totals = own.left.atoms(Total) | own.right.atoms(Total)
        ranges = (*(t.args[1:] for t in totals), *(r for r in own.over if r[0] not in self.indices))
        return not any(
            i in self.indices or (free_symbols(lo) | free_symbols(hi)) & self.indices for i, lo, hi in ranges
        )


def read_ranged(theorem: Theorem) -> Ranged | None:
    """Return the statement for one place; None if it has no range, or a sum over the places."""
    statement = theorem.statement
    plain = _Plain(frozenset(i for i, _, _ in statement.over), _names_in(theorem))
    if not statement.over or not plain.reads(statement):
        return None
    body = plain.relation(statement)
    hypotheses = tuple(h for own in theorem.hypotheses if (h := _hypothesis(own, plain)) is not None)
    single = replace(theorem, id=f"{theorem.id}-each", statement=body, hypotheses=hypotheses)
    return Ranged(theorem, single, dict(plain.names.values()))


def _names_in(theorem: Theorem) -> frozenset[str]:
    parts = (part for own in (theorem.statement, *theorem.hypotheses) for part in _parts(own))
    return frozenset(str(part.args[0]) for part in parts)


def _hypothesis(own: Hypothesis, plain: _Plain) -> Hypothesis | None:
    """Return what a hypothesis says of one place, or None if it says nothing of it alone."""
    if isinstance(own, Member):
        function, constants = plain(own.function), (own.smooth, own.convex)
        smooth, convex = (plain(c) if isinstance(c, Expr) else c for c in constants)
        return replace(own, function=function, smooth=smooth, convex=convex)
    if not isinstance(own, Given) or not plain.reads(own.relation):
        return None
    return replace(own, relation=plain.relation(own.relation))


def for_each(ranged: Ranged, lemma: Theorem) -> Theorem:
    """Return the theorem for all indices, by its lemma for one place."""
    used = [h.id for h in lemma.hypotheses if h.id not in lemma.unused]
    own = line("each place", ranged.theorem.statement, by.apply(lemma.id, applied_at(ranged, lemma), *used))
    return only_needed(replace(ranged.theorem, steps=(own,)))


def applied_at(ranged: Ranged, lemma: Theorem) -> dict[Expr, Expr]:
    """Return the terms for which the names of the lemma for one place stand."""
    wanted = {part.args[0] for own in (lemma.statement, *lemma.hypotheses) for part in _parts(own)}
    return {name: term for name, term in ranged.at.items() if name.args[0] in wanted}


def _parts(own: Relation | Hypothesis) -> set[Any]:
    return {part for side in sides_of(own) for part in side.atoms(Vector, Scalar, Fun)}


__all__ = ["Ranged", "applied_at", "for_each", "read_ranged"]
