"""What the tactics that reduce goals share: the goals that remain, and their names."""

from __future__ import annotations

from collections.abc import Callable

import sympy
from sympy import Expr

from fltheory.proof.language import Relation
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


def apart(gap: Expr) -> tuple[Expr, Expr]:
    """Return what is subtracted, and the rest."""
    parts = sympy.Add.make_args(gap)
    less = [p for p in parts if p.could_extract_minus_sign()]
    return -sympy.Add(*less), sympy.Add(*(p for p in parts if p not in less))


def coefficient(number: Expr, term: Expr) -> Expr:
    """Return the coefficient of a term in a number that is expanded while the term stays as it is."""
    mark = sympy.Dummy()
    return sympy.expand(number.xreplace({term: mark})).coeff(mark)
