"""Statements about the function at an average of points, from those about its values at the points: Jensen's inequality."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy
from sympy import Expr

from fltheory.proof import by
from fltheory.proof.algebra.axioms import Axiom
from fltheory.proof.language import Member, Range, Relation, eq, le
from fltheory.proof.terms import Dot, E, Fun, Grad, Total, Val, Vector, free_symbols, is_random, is_vector, substitute
from fltheory.proving.board import Board
from fltheory.proving.tactics.all_rounds.telescoping import shown_by
from fltheory.proving.tactics.closing import close, close_at_once
from fltheory.proving.tactics.goals import Solve, apart, coefficient, name_in


@dataclass(frozen=True)
class Mean:
    """The value of a convex function at sum of w(t) x(t), with weights that add up to 1."""

    value: Val
    member: Member
    weight: Expr
    point: Expr
    over: Range


def averaged(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a claim about the function at an average of points."""
    if claim.op == "==" or claim.over or board.assuming:
        return None
    for mean in _at_averages(board, claim):
        line = _jensen(board, mean)
        if line is None:
            continue
        value, bound = line.lines[-1].claim.left, line.lines[-1].claim.right
        left, right = (_with_value_apart(side, mean.value) for side in (claim.left, claim.right))
        plain = Relation(substitute(left, {value: bound}), claim.op, substitute(right, {value: bound}))
        shown = solve(line, plain)
        weight = -coefficient(right - left, value)
        done = shown and shown.accept(claim, by.linear({name_in(shown, plain): 1, line.last: weight}))
        if done is not None:
            return done
    return None


def _with_value_apart(side: Expr, value: Val) -> Expr:
    """Return a number in which the expectation of a sum with a random value has that of the value as a part of its own."""
    means = [mean for mean in side.atoms(E) if mean.args[0].has(value)] if is_random(value) else []
    apart_of = dict[Expr, Expr]()
    for mean in means:
        weight = coefficient(mean.args[0], value)
        rest = sympy.expand(mean.args[0] - weight * value)
        apart_of[mean] = weight * E(value) + (E(rest) if is_random(rest) else rest)
    return side.xreplace(apart_of)


def _at_averages(board: Board, claim: Relation) -> Iterator[Mean]:
    """Yield the values of convex functions at averages."""
    for value in sorted(claim.gap.atoms(Val), key=str):
        function, point = value.args
        factors = sympy.Mul.make_args(point)
        total = next((f for f in factors if isinstance(f, Total)), None)
        if total is None or (is_random(point) and not claim.gap.has(E)):
            continue
        outer = sympy.Mul(*(f for f in factors if f is not total))
        body, *over = total.args
        weight, inner = body.as_independent(Vector, Grad) if not body.is_Add else (sympy.S.One, body)
        member = next((m for m in board.members if _is_of(m, function) and m.convex is not None), None)
        if member is not None and over[0] not in free_symbols(outer) and is_vector(inner):
            yield Mean(value, member, outer * weight, inner, tuple(over))


def _is_of(member: Member, function: Expr) -> bool:
    own = member.function
    return isinstance(own, Fun) and isinstance(function, Fun) and own.args[0] == function.args[0]


def _jensen(board: Board, mean: Mean) -> Board | None:
    """Return the board with f(average) <= average of f, from the gradients' inequality at the average."""
    function, point = mean.value.args
    index, weight, body, over = mean.over[0], mean.weight, mean.point, mean.over
    one, sign = eq(Total(weight, *over), 1), le(0, weight, over)
    known = shown_by(board, one, _plainly)
    signed = known and shown_by(known, sign, _plainly)
    if known is None or signed is None:
        return None
    slope = mean.value + Dot(Grad(function, point), body - point)
    each = le(weight * slope, weight * Val(function, body), over)
    convexity, names = (weight, Axiom("convex", function, body, point)), (mean.member.id, str(signed.stating(sign)))
    line = signed.accept(each, by.linear(convexity, *names)) or signed.accept(each, by.sos(convexity, *names))
    if line is None:
        return None
    whole = le(Total(each.left, *over), Total(each.right, *over))
    total = line.accept(whole, by.sum_over(index, line.last))
    factors = sympy.Mul.make_args(weight)
    outer = sympy.Mul(*(f for f in factors if index not in free_symbols(f)))
    inner = sympy.Mul(*(f for f in factors if index in free_symbols(f)))
    done = le(mean.value, outer * Total(inner * Val(function, body), *over))
    there = mean.value - Dot(Grad(function, point), point)
    line = total and total.accept(done, by.linear({total.last: 1, str(signed.stating(one)): -there}))
    if line is None or not is_random(point):
        return line
    return line.accept(
        le(E(done.left), outer * Total(inner * E(Val(function, body)), *over)), by.expectation(line.last)
    )


def _plainly(board: Board, claim: Relation) -> Board | None:
    return close_at_once(board, claim) or close(board, claim)


def without_sums_below(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a claim in which parts are divided by a sum over the rounds, from that times the sum."""
    if claim.op != "<=" or claim.over or board.assuming or is_vector(claim.gap):
        return None
    gap = sympy.expand(claim.gap)
    powers = (p for part in sympy.Add.make_args(gap) for p in sympy.Mul.make_args(part) if isinstance(p, sympy.Pow))
    sums = sorted({p.base for p in powers if p.exp == -1 and isinstance(p.base, Total)}, key=str)
    for total in sums[:1]:
        left, right = apart(sympy.Add(*(sympy.expand(part * total) for part in sympy.Add.make_args(gap))))
        plain = Relation(left, claim.op, right)
        shown = solve(board, plain)
        name = shown and name_in(shown, plain)
        positive = shown and (shown.accept(Relation(sympy.S.Zero, "<", total), by.linear()) or shown)
        return positive and positive.accept(claim, by.linear({str(name): 1 / total}))
    return None
