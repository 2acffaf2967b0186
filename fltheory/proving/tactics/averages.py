"""Statements about the function at an average of points, from those about its values at the points: Jensen's inequality."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sympy
from sympy import Expr

from fltheory.proof import by
from fltheory.proof.algebra.axioms import Axiom
from fltheory.proof.language import Member, Relation, le
from fltheory.proof.terms import Dot, Fun, Grad, Total, Val, free_symbols, is_random, substitute
from fltheory.proving.board import Board

Solve = Callable[[Board, Relation], Board | None]


def averaged(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a claim about the function at an average of points."""
    if claim.op == "==" or claim.over or board.assuming:
        return None
    for value, member, mean in _at_averages(board, claim):
        line = _jensen(board, value, member, mean)
        if line is None:
            continue
        bound = line.lines[-1].claim.right
        plain = Relation(substitute(claim.left, {value: bound}), claim.op, substitute(claim.right, {value: bound}))
        shown = solve(line, plain)
        weight = claim.gap.expand().coeff(value)
        done = shown and shown.accept(claim, by.linear({shown.stating(plain) or shown.last: 1, line.last: -weight}))
        if done is not None:
            return done
    return None


def _at_averages(board: Board, claim: Relation) -> Iterator[tuple[Val, Member, Total]]:
    """Yield the values of convex functions at averages, with the sum of the points."""
    for value in sorted(claim.gap.atoms(Val), key=str):
        function, point = value.args
        factors = sympy.Mul.make_args(point)
        total = next((f for f in factors if isinstance(f, Total)), None)
        if total is None or is_random(point):
            continue
        weight = sympy.Mul(*(f for f in factors if f is not total))
        index, low, high = total.args[1:]
        member = next((m for m in board.members if _is_of(m, function) and m.convex is not None), None)
        if member is not None and sympy.simplify(weight * (high - low + 1)) == 1 and index not in free_symbols(weight):
            yield value, member, total


def _is_of(member: Member, function: Expr) -> bool:
    own = member.function
    return isinstance(own, Fun) and isinstance(function, Fun) and own.args[0] == function.args[0]


def _jensen(board: Board, value: Val, member: Member, total: Total) -> Board | None:
    """Return the board with f(average) <= average of f, from the gradients' inequality at the average."""
    function, point = value.args
    body, index, low, high = total.args
    rounds = high - low + 1
    slope = value + Dot(Grad(function, point), body - point)
    each = le(slope, Val(function, body), (index, low, high))
    convexity = (1, Axiom("convex", function, body, point))
    line = board.accept(each, by.linear(convexity, member.id)) or board.accept(each, by.sos(convexity, member.id))
    if line is None:
        return None
    summed = le(rounds * value, Total(Val(function, body), index, low, high))
    whole = line.accept(summed, by.sum_over(index, line.last))
    return whole and whole.accept(le(value, summed.right / rounds), by.linear({whole.last: 1 / rounds}))
