"""A sum with a bound that does not depend on how many terms it has: the bound less what the missing terms leave."""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from sympy import Expr, Symbol

from fltheory.proof import by
from fltheory.proof.language import Relation, le
from fltheory.proof.terms import Term, Total, free_symbols
from fltheory.proving.board import Board
from fltheory.proving.tactics.goals import Solve, name_in

TRIED = 12  # further terms that are compared with what a stronger bound leaves for them


def strengthened(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a bound on a sum, from a bound that falls short of it by c/T or the like, which an induction shows."""
    if claim.op != "<=" or claim.over or board.assuming or not isinstance(claim.left, Total):
        return None
    body, index, low, last = claim.left.args
    plain = not body.atoms(Term) and isinstance(last, Symbol) and low.is_Integer and free_symbols(body) <= {index}
    if not plain or last in free_symbols(claim.right) or not claim.right.is_number:
        return None
    for short in _shortfalls(body, index, low, last, claim.right):
        stronger = le(claim.left, claim.right - short)
        shown = solve(board, stronger)
        sign = shown and shown.accept(le(0, short), by.linear())
        if shown is None or sign is None:
            continue
        done = sign.accept(claim, by.linear({name_in(shown, stronger): 1, sign.last: 1}))
        if done is not None:
            return done
    return None


def _shortfalls(body: Expr, index: Symbol, low: Expr, last: Symbol, bound: Expr) -> Iterator[Expr]:
    """Yield what the bound may leave after T terms: all that one term leaves, and each further term takes no more than it falls."""
    room = bound - body.xreplace({index: low})
    for shape in (1 / last, 1 / (last + 1), 1 / sympy.sqrt(last), 1 / sympy.sqrt(last + 1)) if room.is_positive else ():
        short = room / shape.xreplace({last: low}) * shape
        after = [sympy.Integer(int(low) + n) for n in range(TRIED)]
        falls = (short.xreplace({last: n}) - short.xreplace({last: n + 1}) for n in after)
        rooms = [fall - body.xreplace({index: n + 1}) for n, fall in zip(after, falls, strict=True)]
        if all(bool(left.is_nonnegative) for left in rooms):
            yield short
