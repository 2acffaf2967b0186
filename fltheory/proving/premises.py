"""The choice of lemmas: which theorems of a library speak of what a statement speaks of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sympy import Expr, Symbol

from fltheory.proof.language import Defines, Given, Member, Relation, Theorem
from fltheory.proof.terms import Fun, Scalar, Term, Vector, free_symbols

MOST = 8  # lemmas that a search is given


def nearest(statement: Theorem, library: Sequence[Theorem], most: int = MOST) -> tuple[Theorem, ...]:
    """Return the theorems that share most words with a statement, rare ones counting more, long theorems less."""
    own = words(statement)
    known = Counter(word for theorem in library for word in words(theorem))
    weight = {word: math.log(1 + len(library) / count) for word, count in known.items()}

    def score(theorem: Theorem) -> float:
        there = words(theorem)
        shared = sum(weight[w] for w in there & own)
        return shared / math.sqrt(1 + sum(weight[w] for w in there))

    return tuple(sorted(library, key=lambda t: (-score(t), t.id))[:most])


@lru_cache(maxsize=20_000)
def words(theorem: Theorem) -> frozenset[object]:
    """Return the symbols, families and functions of a theorem's statement and hypotheses."""
    found = set(_of_relation(theorem.statement))
    for h in theorem.hypotheses:
        if isinstance(h, Given):
            found |= _of_relation(h.relation)
        elif isinstance(h, Defines):
            found |= _of_terms((h.left, h.right))
        elif isinstance(h, Member):
            found |= _of_terms((h.function,))
    return frozenset(found)


def _of_relation(relation: Relation) -> set[object]:
    return _of_terms((relation.left, relation.right)) - {i for i, _, _ in relation.over}


def _of_terms(terms: Iterable[Expr]) -> set[object]:
    found = set[object]()
    for term in terms:
        found |= set(free_symbols(term))
        for part in _parts(term):
            if isinstance(part, Vector | Scalar | Fun):
                found.add((type(part).__name__, part.args[0].name))
            elif isinstance(part, Term) or part.is_Function:
                found.add(type(part).__name__)
    return found


def _parts(term: Expr) -> Iterable[Expr]:
    yield term
    for argument in term.args[1:] if isinstance(term, Vector | Scalar | Fun) else term.args:
        if not isinstance(argument, Symbol):
            yield from _parts(argument)
