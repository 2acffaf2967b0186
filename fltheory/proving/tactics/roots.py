"""Inequalities between roots and between lengths, from those of the squares."""

from __future__ import annotations

import sympy
from sympy import Expr, Integer

from fltheory.proof import by
from fltheory.proof.facts.products import ROOTS
from fltheory.proof.language import Relation, le
from fltheory.proof.terms import Dot, Term, is_vector
from fltheory.proving.board import Board
from fltheory.proving.standard import name_of
from fltheory.proving.tactics.goals import Solve, apart, both


def rooted(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """An inequality between roots, from that of the squares: sqrt(a) <= b if a <= b^2."""
    if claim.op == "==" or is_vector(claim.gap):
        return None
    left, right = claim.left, claim.right
    if not any(p.exp == sympy.Rational(1, 2) for p in (left - right).atoms(sympy.Pow)):
        return None
    if isinstance(left, sympy.Pow) and isinstance(right, sympy.Pow) and claim.op == "<=":
        return None  # one power is below another
    if not (left.is_nonnegative and right.is_nonnegative):
        left, right = apart(sympy.expand(claim.gap))
    low, high = sympy.expand(left**2), sympy.expand(right**2)
    needed = (Relation(low, claim.op, high, claim.over),)
    found = both(board, (le(0, low, *claim.over), *needed) if claim.op == "<=" else needed, solve)
    if found is None:
        return None
    done = found[0].accept(claim, by.linear({found[1][-1]: 1 / (left + right)}))
    order = name_of(ROOTS, board.lemmas)
    if done is None and claim.op == "<=" and order is not None:
        p, q = ROOTS.statement.left, ROOTS.statement.right
        said = le(left, right, *claim.over)
        there, names = both(found[0], _insides(left + right, claim), _square) or (found[0], ())
        done = there.accept(said, by.apply(order, {p: left, q: right}, found[1][-1], *found[1][:-1], *names))
        done = done if done is None or said == claim else done.accept(claim, by.linear({done.last: Integer(1)}))
    if done is None and claim.op == "<=" and (left, right) == (claim.left, claim.right):
        return found[0].accept(claim, by.power(sympy.Rational(1, 2), *found[1]))
    return done


def of_square(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """A bound on a length, from that on its square."""
    length, order = claim.left, name_of(ROOTS, board.lemmas)
    root = isinstance(length, sympy.Pow) and length.exp == sympy.Rational(1, 2) and isinstance(length.base, Dot)
    if not root or claim.op != "<=" or claim.over or order is None or claim.right.has(Term):
        return None
    found = both(board, (le(length.base, claim.right**2),), solve)
    sign = found and found[0].accept(le(0, length.base), by.sos())
    p, q = ROOTS.statement.left, ROOTS.statement.right
    return sign and found and sign.accept(claim, by.apply(order, {p: length, q: claim.right}, *found[1], sign.last))


def _insides(number: Expr, claim: Relation) -> tuple[Relation, ...]:
    """Return that the squared lengths in a number are nonnegative."""
    roots = sorted((p.base for p in number.atoms(sympy.Pow) if p.exp == sympy.Rational(1, 2)), key=str)
    return tuple(le(0, base, *claim.over) for base in roots if isinstance(base, Dot))


def _square(board: Board, claim: Relation) -> Board | None:
    return board.accept(claim, by.sos())
