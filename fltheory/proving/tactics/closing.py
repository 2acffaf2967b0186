"""Goals that follow in one line: by a combination of what is known, by a polynomial certificate, or by squares."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sympy import Expr, Symbol

from fltheory.proof import by
from fltheory.proof.algebra.context import Context, Equation
from fltheory.proof.language import Defines, Relation
from fltheory.proof.tactics.weights import find_weights
from fltheory.proof.terms import Fun, Scalar, Term, Vector, free_symbols, is_vector
from fltheory.proving.board import Board, covers, operations
from fltheory.proving.budget import WEIGHT_OPERATIONS, WEIGHTS, Exhausted, metered

FEW_RELATIONS, MOST_RELATIONS = 3, 18  # in a search for weights: the most relevant ones first, then more
MOST_OPERATIONS = 900  # in a goal for which weights are sought


def close_at_once(board: Board, claim: Relation) -> Board | None:
    """Return the board with a line that states the claim, if it holds by its form or after insertion of definitions."""
    for inserting in insertions(board, claim):
        if done := board.accept(claim, by.linear(), inserting):
            return done
    return None


def close(board: Board, claim: Relation) -> Board | None:
    """Return the board with a line that states the claim, if one line with weights, products or squares does it."""
    for most in (FEW_RELATIONS, MOST_RELATIONS) if len(board.relations) > FEW_RELATIONS else (MOST_RELATIONS,):
        for inserting in insertions(board, claim):
            if done := _by_weights(board, claim, inserting, most):
                return done
    if is_vector(claim.gap) or claim.op == "==":
        return None
    for inserting in insertions(board, claim):
        if done := _by_products(board, claim, inserting):
            return done
        if done := board.accept(claim, by.sos(), inserting):
            return done
    return None


def insertions(board: Board, claim: Relation) -> Iterator[tuple[str, ...]]:
    """Yield the names of what may be inserted: nothing, the definitions, and all equations for a term, in a useful order."""
    definitions = ordered([(d.id, d.left, d.right) for d in board.definitions])
    equations = [
        (name, r.left, r.right)
        for name, r in board.relations.items()
        if r.op == "=="
        and isinstance(r.left, Term | Symbol)
        and not r.right.has(r.left)
        and not r.over  # an equation for each index cannot be inserted
    ]
    both = ordered([*((d.id, d.left, d.right) for d in board.definitions), *equations])
    yield from dict.fromkeys(((), definitions, both))


def ordered(entries: list[tuple[str, Expr, Expr]]) -> tuple[str, ...]:
    """Return the names so that what is inserted comes before the definitions of the terms that it brings."""
    left = list(entries)
    found = list[str]()
    while left:
        free = [e for e in left if not any(_brings(other[2], e[1]) for other in left if other is not e)] or left[:1]
        found += [name for name, _, _ in free]
        left = [e for e in left if e not in free]
    return tuple(found)


def _brings(right: Expr, left: Expr) -> bool:
    if isinstance(left, Symbol):
        return left in free_symbols(right)
    return any(t.args[0] == left.args[0] for t in right.atoms(type(left)))


def context_of(board: Board, claim: Relation, inserting: tuple[str, ...], most: int = MOST_RELATIONS) -> Context:
    """Return the context of a line that uses the ``most`` relevant relations which are not inserted."""
    definitions = {d.id: d for d in board.definitions}
    relations = board.relations
    own: list[Defines] = [definitions.get(n) or Equation(n, relations[n].left, relations[n].right) for n in inserting]
    used = board.assumptions | relevant(board, claim, inserting, most)
    return Context(used, tuple(own), (), claim)


def relevant(board: Board, claim: Relation, without: tuple[str, ...], most: int) -> dict[str, Relation]:
    """Return the relations that have most in common with the claim: few of them, since each pair may be multiplied."""
    own = _words(claim)
    scores = {}
    for place, (name, relation) in enumerate(board.relations.items()):
        words = _words(relation)
        if name not in without:
            scores[name] = (-len(words & own) / (1 + len(words)) ** 0.5, -place)
    chosen = set(sorted(scores, key=lambda n: scores[n])[:most])
    return {n: r for n, r in board.relations.items() if n in chosen}


@lru_cache(maxsize=20_000)
def _words(relation: Relation) -> frozenset[object]:
    """Return the symbols and families of a relation."""
    terms = (relation.left, relation.right)
    letters = frozenset().union(*(free_symbols(t) for t in terms))
    families = {(type(f), f.args[0]) for t in terms for f in t.atoms(Term) if isinstance(f, Vector | Scalar | Fun)}
    return frozenset(letters | families)


def _by_weights(board: Board, claim: Relation, inserting: tuple[str, ...], most: int) -> Board | None:
    context = context_of(board, claim, inserting, most)
    if not context.used or operations(claim) > MOST_OPERATIONS:
        return None
    size = operations(claim) + sum(map(operations, context.used.values()))
    board.budget.spend(WEIGHTS + size // WEIGHT_OPERATIONS)
    try:
        with metered(board.budget):
            weights = find_weights(context, context.used)
    except Exhausted:
        raise
    except Exception:  # a term without a normal form
        return None
    if weights is None:
        return None
    signs = [n for n in context.used if n not in weights and not n.startswith("assumed ")]
    for more in ([], signs):
        if done := board.accept(claim, by.linear(weights, *more), inserting):
            return done
    return None


def _by_products(board: Board, claim: Relation, inserting: tuple[str, ...]) -> Board | None:
    """Return the board with the claim by a polynomial certificate: of squares alone, of the hypotheses, of all that is known."""
    scalar = [n for n, r in board.relations.items() if n not in inserting and not is_vector(r.gap) and covers(r, claim)]
    given = [n for n in scalar if n in {h.id for h in board.hypotheses}]
    for names in dict.fromkeys(((), tuple(given), tuple(scalar))):
        if done := board.accept(claim, by.polynomial(*names), inserting):
            return done
    return None
