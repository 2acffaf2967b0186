"""Sums over the rounds where the slope is better than the gain: <v, x - u> >= gain + a V(t), as of strongly convex functions.

With c(t) = w(t) (1/(2 s(t)) - a) for gains of weight w(t), sum of w gain + c(T) V(T) <= c(0) V(0) + sum of w s |v|^2 / 2,
whenever c(t + 1) <= w(t)/(2 s(t)).
"""

from __future__ import annotations

import itertools

import sympy
from sympy import Expr, S, Symbol

from fltheory.proof import by
from fltheory.proof.language import Given, le
from fltheory.proof.terms import E, Total, Val, substitute
from fltheory.proving.board import Board
from fltheory.proving.tactics.all_rounds.methods import Method, one_step, signed_distance, with_slope
from fltheory.proving.tactics.all_rounds.telescoping import Invariant, by_induction
from fltheory.proving.tactics.goals import Solve, coefficient, name_in

MOST_CURVATURES = 2


def of_curvature(board: Board, method: Method, gain: Expr, solve: Solve) -> Board | None:
    """Return the board with a last line that bounds the sum of the gains over all rounds."""
    base = one_step(board, method)
    weight = _weight(gain, method.over[0])
    for curvature in itertools.islice(_curvatures(board, method), MOST_CURVATURES):
        done = base and _of_one(base, method, gain, weight, curvature, solve)
        if done is not None:
            return done
    return None


def _weight(gain: Expr, index: Symbol) -> Expr:
    """Return the coefficient of the value at the point of a round in a gain, if it depends on the round; else 1."""
    values = sorted(gain.atoms(Val), key=lambda v: (not v.args[1].args[1:], str(v)))
    found = (sympy.factor(coefficient(gain, atom)) for v in values[:1] for atom in (E(v), v))
    weight = next((c for c in found if c != 0), S.One)
    return weight if weight.has(index) and not weight.could_extract_minus_sign() else S.One


def _curvatures(board: Board, method: Method) -> list[Expr]:
    """Return by how much the slope may exceed the gain, in units of the squared distance: from the classes and hypotheses."""
    found = [sympy.sympify(m.convex) / 2 for m in board.members if m.convex not in (None, 0)]
    near = method.distance(method.over[0])
    for own in board.hypotheses:
        if isinstance(own, Given) and own.relation.over == (method.over,) and own.relation.op == "<=":
            found.append(coefficient(own.relation.left - own.relation.right, near))
    return [c for c in dict.fromkeys(found) if c != 0 and not c.could_extract_minus_sign()]


def _of_one(board: Board, method: Method, gain: Expr, weight: Expr, curvature: Expr, solve: Solve) -> Board | None:
    index, low, high = method.over
    base, last = board.last, high + 1
    slope = le(
        sympy.expand(sympy.expand(gain) / weight), method.slope - curvature * method.distance(index), method.over
    )
    below = with_slope(board, slope)
    if below is None:
        return None
    board, sloped = below

    def kept(at: Expr) -> Expr:
        return sympy.factor(sympy.simplify(substitute(weight * (1 / (2 * method.size) - curvature), {index: at})))

    growth = sympy.factor(sympy.simplify(weight / (2 * method.size) - kept(index + 1)))
    grown = solve(board, le(0, growth, method.over)) if growth != 0 else board
    near = grown and signed_distance(grown, method, index + 1, method.over)
    if grown is None or near is None:
        return None
    signs = [name_in(grown, le(0, growth, method.over))] if growth != 0 else []
    cost = weight * method.cost
    each = le(
        gain + kept(index + 1) * method.distance(index + 1), kept(index) * method.distance(index) + cost, method.over
    )
    line = near.accept(each, by.linear({base: weight, sloped: weight, near.last: growth}, *signs))

    def sides(k: Expr) -> tuple[Expr, Expr]:
        left = Total(gain, index, low, k - 1) + kept(k) * method.distance(k)
        return left, kept(low) * method.distance(low) + Total(cost, index, low, k - 1)

    end = line and signed_distance(line, method, last)
    signed = end and end.accept(le(0, kept(last) * method.distance(last)), by.linear({end.last: kept(last)}))
    if line is None or signed is None:
        return None
    own = Invariant(index, low, last, sides, each, signed.lines[-1].claim)
    whole = by_induction(signed, own)
    bound = kept(low) * method.distance(low) + Total(cost, index, low, high)
    weights = {} if whole is None else {whole.last: S.One, signed.last: S.One}
    return whole and whole.accept(le(Total(gain, index, low, high), bound), by.linear(weights))
