"""Jensen's inequality for expectations: a function lies on one side of its tangent at the mean."""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from sympy import Dummy, Expr

from fltheory.proof import by
from fltheory.proof.language import Relation, le
from fltheory.proof.terms import E, Term, is_random, is_vector
from fltheory.proving.board import Board
from fltheory.proving.tactics.closing import close, close_at_once
from fltheory.proving.tactics.goals import Solve, name_in

MOST_TANGENTS = 3


def jensen(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with an inequality between a function of a mean and the mean of the function."""
    if claim.op == "==" or claim.over or is_vector(claim.gap) or not claim.gap.has(E):
        return None
    found = board
    for n, (tangent, whole) in enumerate(_tangents(board, claim)):
        surely = solve(found, tangent) if n < MOST_TANGENTS else None
        name = surely and name_in(surely, tangent)
        further = surely and surely.accept(whole, by.expectation(str(name)))
        found = further or found
        if further and whole == claim:
            return further
    if found is board:
        return None
    return close_at_once(found, claim) or close(found, claim)


def _tangents(board: Board, claim: Relation) -> Iterator[tuple[Relation, Relation]]:
    """Yield that a function is on one side of its tangent at a mean, and what this says of its own mean."""
    relations = (claim, *board.relations.values())
    means = sorted({m for r in relations for s in (r.left, r.right) if not is_vector(s) for m in s.atoms(E)}, key=str)
    gap = sympy.expand(claim.gap)
    for whole in sorted(gap.atoms(E), key=str):
        weight = gap.coeff(whole)
        for mean in means:
            inner, variable = mean.args[0], Dummy("x", positive=True)
            if inner == whole.args[0] or not is_random(inner) or inner not in whole.args[0].atoms(type(inner)):
                continue
            function = whole.args[0].xreplace({inner: variable})
            if (
                is_random(function)
                or is_vector(function)
                or any(variable in t.free_symbols for t in function.atoms(Term))
            ):
                continue
            value, slope = (f.xreplace({variable: mean}) for f in (function, sympy.diff(function, variable)))
            line: Expr = sympy.expand(value + slope * (inner - mean))
            if weight.is_nonnegative:
                yield le(line, whole.args[0]), le(value, whole)
            elif weight.is_nonpositive:
                yield le(whole.args[0], line), le(whole, value)
