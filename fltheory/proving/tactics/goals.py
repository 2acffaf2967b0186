"""What the tactics that reduce goals share: the goals that remain, and their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import sympy
from sympy import Expr

from fltheory.proof import by
from fltheory.proof.language import Range, Relation
from fltheory.proving.board import Board

Solve = Callable[[Board, Relation], Board | None]


def name_in(board: Board, claim: Relation) -> str:
    """Return the name of the line that states a claim, or that of the last line."""
    return board.stating(claim) or board.last


def both(board: Board, claims: tuple[Relation, ...], solve: Solve) -> tuple[Board, tuple[str, ...]] | None:
    """Return the board with some claims, which ``solve`` shows unless a line states them, and the names of their lines."""
    names = list[str]()
    for claim in claims:
        name = board.stating(claim)
        if name is None:
            shown = solve(board, claim)
            if shown is None:
                return None
            board, name = shown, name_in(shown, claim)
        names.append(name)
    return board, tuple(names)


def by_steps(board: Board, base: str, now: Relation, after: Relation, reason: by.By, rounds: Range) -> Board | None:
    """Return the board with ``now`` for every index of a range, by induction: a reason shows ``after`` from it."""
    step = board.suppose(now).accept(after, reason)
    always = replace(now, over=(rounds,))
    return step and step.back(board).accept(always, by.induction(rounds[0], base, step.last))


def apart(gap: Expr) -> tuple[Expr, Expr]:
    """Return what is subtracted, and the rest."""
    parts = sympy.Add.make_args(gap)
    less = [p for p in parts if p.could_extract_minus_sign()]
    return -sympy.Add(*less), sympy.Add(*(p for p in parts if p not in less))


def common_factor(gap: Expr, any_sign: bool = False) -> tuple[Expr, Expr]:
    """Return what all parts of a number have as a factor, of nonnegative terms unless ``any_sign``, and the number without it."""
    parts = [dict(p.as_powers_dict()) for p in sympy.Add.make_args(sympy.expand(gap))]
    common = {
        f: min(p[f] for p in parts)
        for f in parts[0]
        if all(f in p and p[f].is_Rational and p[f].is_positive for p in parts)
    }
    factor = sympy.Mul(*(f**e for f, e in common.items() if not f.is_number and (f.is_nonnegative or any_sign)))
    return factor, sympy.expand(sympy.Add(*(sympy.Mul(*(f**e for f, e in p.items())) / factor for p in parts)))


def coefficient(number: Expr, term: Expr) -> Expr:
    """Return the coefficient of a term in a number that is expanded while the term stays as it is."""
    mark = sympy.Dummy()
    return sympy.expand(number.xreplace({term: mark})).coeff(mark)


def with_right_side(number: Expr, known: Relation) -> tuple[Expr, Expr] | None:
    """Return a number with the right side of a relation in the place of its left side, and the coefficient that this had."""
    weight = sympy.expand(number).coeff(known.left)
    if weight == 0 or weight.has(known.left):
        return None
    return sympy.expand(number + weight * (known.right - known.left)), weight


def from_rewritten(board: Board, claim: Relation, gap: Expr, weights: Mapping[str, Expr], solve: Solve) -> Board | None:
    """Return the board with a claim, from that about ``gap``, which ``solve`` shows, and relations with weights."""
    left, right = apart(gap)
    found = both(board, (Relation(left, claim.op, right, claim.over),), solve)
    return found and found[0].accept(claim, by.linear({found[1][0]: 1, **weights}))
