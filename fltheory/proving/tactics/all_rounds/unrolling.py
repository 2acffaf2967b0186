"""Statements about a point after some steps, with the start and the sum of the steps in its place."""

from __future__ import annotations

import sympy
from sympy import Expr, Integer, Symbol

from fltheory.proof import by
from fltheory.proof.algebra.normal import linear_form
from fltheory.proof.language import Given, Relation, eq
from fltheory.proof.terms import Scalar, Total, Vector, free_symbols, fresh_symbol, is_vector, substitute
from fltheory.proving.board import Board
from fltheory.proving.tactics.goals import Solve, by_steps, name_in
from fltheory.proving.weighing import explicit

MOST_POINTS = 3


def unrolled(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a claim about points after some steps, which ``solve`` shows of the sums of the steps."""
    if claim.op == "<" or board.assuming:
        return None
    board, hypotheses = explicit(board)
    for own in hypotheses:
        change = _change(own.relation) if isinstance(own, Given) else None
        points = _points(claim, own.relation) if isinstance(own, Given) and change is not None else []
        if not isinstance(own, Given) or change is None or not points:
            continue
        lines, plain = _summed(board, own, change), claim
        for point in points:
            found = _at(lines, own.relation, change, point, claim) if lines else None
            lines, start = found or (None, point)
            left, right = (substitute(side, {point: start}) for side in (plain.left, plain.right))
            plain = Relation(sympy.expand(left), claim.op, sympy.expand(right), claim.over)
        shown = solve(lines, plain) if lines else None
        if shown is not None and lines is not None:
            inserting = tuple(s.id for s in lines.lines[-len(points) :])
            name = name_in(shown, plain)
            done = shown.accept(claim, by.linear({name: 1}), inserting)
            if done is not None:
                return done
    return None


def _change(relation: Relation) -> Expr | None:
    """Return what a step adds: x(t + 1) == x(t) + change."""
    if len(relation.over) != 1 or relation.op != "==" or not isinstance(relation.left, Vector | Scalar):
        return None
    ((index, low, _),) = relation.over
    if relation.left.args[1:] != (index + 1,) or not low.is_Integer:
        return None
    before = relation.left.func(relation.left.args[0], index)
    if is_vector(before):
        parts = linear_form(relation.right)
        change = sympy.Add(*(c * v for c, v in parts if v != before))
        kept = sympy.Add(*(c for c, v in parts if v == before))
    else:
        kept = sympy.expand(relation.right).coeff(before)
        change = sympy.expand(relation.right - before)
    return change if kept == 1 else None


def _points(claim: Relation, step: Relation) -> list[Expr]:
    """Return the points of the claim, at fixed places after the start."""
    (_, low, _), family = step.over[0], step.left
    bound = {t.args[1] for side in (claim.left, claim.right) for t in side.atoms(Total)}
    found = {
        p
        for side in (claim.left, claim.right)
        for p in side.atoms(type(family))
        if p.args[0] == family.args[0] and p.args[1:] != (low,) and not free_symbols(p) & bound
    }
    return sorted(found, key=str)[:MOST_POINTS]


def _summed(board: Board, own: Given, change: Expr) -> Board | None:
    """Return the board with a last line x(low + i) == x(low) + sum of the changes before, for every i, by induction."""
    ((index, low, high),) = own.relation.over
    point, rounds = own.relation.left, high - low + 1
    count = _count(own.relation)

    def whole(i: Expr) -> tuple[Expr, Expr]:
        return _place(point, low + i), _place(point, low) + Total(change, index, low, low + i - 1)

    first = board.accept(eq(*whole(Integer(0))), by.linear())
    left, right = (substitute(side, {index: low + count}) for side in (point, own.relation.right))
    single = first and first.accept(eq(left, right, (count, 0, rounds - 1)), by.instance({index: low + count}, own.id))
    if first is None or single is None:
        return None
    after = eq(*whole(count + 1), (count, 0, rounds - 1))
    reason = by.linear({single.last: 1, "assumed 1": 1})
    return by_steps(single, first.last, eq(*whole(count)), after, reason, (count, Integer(0), rounds))


def _count(step: Relation) -> Symbol:
    ((index, _, _),) = step.over
    taken = frozenset({index}) | free_symbols(step.left) | free_symbols(step.right)
    return fresh_symbol(Symbol(index.name, integer=True, nonnegative=True), taken)


def _place(point: Expr, at: Expr) -> Expr:
    return point.func(point.args[0], at)


def _at(board: Board, step: Relation, change: Expr, point: Expr, claim: Relation) -> tuple[Board, Expr] | None:
    """Return the board with a last line that says what a point of the claim is, and its right side."""
    ((index, low, _),) = step.over
    always = next(s.id for s in reversed(board.lines) if s.claim.left == _place(point, low + _count(step)))
    start = _place(point, low) + Total(change, index, low, point.args[1] - 1)
    over = tuple(r for r in claim.over if r[0] in free_symbols(point))
    short = [n for n, r in board.relations.items() if not r.over and not is_vector(r.gap) and r.op == "<="]
    said, at = eq(point, start, *over), {_count(step): point.args[1] - low}
    done = board.accept(said, by.instance(at, always)) or board.accept(said, by.instance(at, always, *short))
    return (done, start) if done else None
