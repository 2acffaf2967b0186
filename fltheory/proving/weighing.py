"""Inequalities about vectors and functions by one weighted sum with multipliers, within the budget of a search."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import sympy
from sympy import Expr, Integer, Symbol

from fltheory.proof import by
from fltheory.proof.algebra.normal import linear_form
from fltheory.proof.language import Defines, Given, Hypothesis, Relation, Theorem, le
from fltheory.proof.terms import (
    Dot,
    Grad,
    Scalar,
    Total,
    Val,
    Vector,
    free_symbols,
    fresh_symbol,
    is_vector,
    substitute,
)
from fltheory.proving import multipliers
from fltheory.proving.board import Board
from fltheory.proving.budget import MULTIPLIERS, UNITS, Budget
from fltheory.proving.multipliers import Found, as_lemma, prove_by_multipliers
from fltheory.proving.multipliers.agents import read_alike
from fltheory.proving.multipliers.ranged import read_ranged
from fltheory.proving.tactics.squared_sums import squared_sums
from fltheory.work import work_limit

Reason = Callable[[str], by.By]


def found_multipliers(theorem: Theorem, budget: Budget, narrow: bool) -> Found | str:
    """Return the proof of a theorem by multipliers; else why there is none, "" if it is no such statement."""
    statement = theorem.statement
    if statement.op != "<=" or is_vector(statement.gap) or not statement.gap.has(Dot, Val):
        return ""
    ranged = read_ranged(theorem)
    if statement.over and ranged is None:
        return ""
    single = ranged.single if ranged else theorem
    if statement.gap.has(Total) and read_alike(single) is None:
        return ""
    most = min(MULTIPLIERS, budget.left)
    budget.spend(1)
    try:
        with work_limit() as meter:
            found = prove_by_multipliers(theorem, most * UNITS, narrow)
    except (ValueError, ImportError) as error:  # a statement of another form, or no solver
        return str(error)
    budget.spend(min(math.ceil(meter.spent / UNITS), budget.left))
    return str(found) if isinstance(found, multipliers.Stuck) else found


def weighed(board: Board, claim: Relation, word: str) -> Board | None:
    """Return the board with a claim about vectors by a lemma that multipliers prove from the hypotheses."""
    if board.assuming:
        return None
    name = board.lemma_name(word)
    board, hypotheses = explicit(board)
    found = found_multipliers(Theorem(name, claim, hypotheses), board.budget, narrow=False)
    if isinstance(found, str):
        return None
    reports = as_lemma(found)
    lemma = reports[-1].theorem
    if reports[-1].verdict != "PROVED":
        return None
    used = [h.id for h in lemma.hypotheses if not isinstance(h, Defines)]
    inserting = [h.id for h in reversed(lemma.hypotheses) if isinstance(h, Defines)]
    return board.with_lemmas(*reports).accept(claim, by.apply(lemma.id, (), *used), inserting)


def has_implicit(board: Board) -> bool:
    """Return whether an equation between vectors says of no vector what it is, or sums of noise or of draws have bounds."""
    return any(map(_is_implicit, board.hypotheses)) or bool(squared_sums(board)[1])


def explicit(board: Board) -> tuple[Board, tuple[Hypothesis, ...]]:
    """Return the board with its equations in a usual form, and the hypotheses with these lines in their place.

    An implicit equation is solved for a vector; x(k) in terms of x(k - 1) becomes x(k + 1) in terms of x(k). Bounds on sums of
    noise and of draws are added.
    """
    found = list[Hypothesis]()
    for own in board.hypotheses:
        name, given = own.id, own
        for usual in (_shifted, _solved) if isinstance(own, Given) else ():
            other = usual(given.relation) if isinstance(given, Given) else None
            if other is None:
                continue
            relation, reason = other[0], other[1](name)
            board = board if board.stating(relation) is not None else board.accept(relation, reason) or board
            line = board.stating(relation)
            if line is not None:
                name, given = line, Given(line, relation)
        found.append(given)
        board, squared = _squared_length(board, given)
        found += squared
    board, sums = squared_sums(board)
    return board, (*found, *sums)


def _squared_length(board: Board, own: Hypothesis) -> tuple[Board, list[Hypothesis]]:
    """Return the board with |v|^2 <= c^2 beside a hypothesis |v| <= c, and this line."""
    if not isinstance(own, Given) or own.relation.op != "<=" or own.relation.right.has(Vector):
        return board, []
    length, bound, over = own.relation.left, own.relation.right, own.relation.over
    if not (isinstance(length, sympy.Pow) and length.exp == sympy.Rational(1, 2) and isinstance(length.base, Dot)):
        return board, []
    said = le(length.base, bound**2, *over)
    if board.stating(said) is None:
        sign = board.accept(le(0, length, *over), by.linear())
        board = (sign and sign.accept(said, by.power(Integer(2), sign.last, own.id))) or board
    name = board.stating(said)
    return board, [Given(name, said)] if name else []


def _weighed_once(name: str, weight: Expr) -> by.By:
    return by.linear({name: weight})


def _shifted(relation: Relation) -> tuple[Relation, Reason] | None:
    """Return a relation between this round and the one before as one between the next round and this one."""
    if len(relation.over) != 1:
        return None
    ((index, low, high),) = relation.over
    families = relation.left.atoms(Vector, Scalar) | relation.right.atoms(Vector, Scalar)
    if not any(index - 1 in term.args[1:] for term in families):
        return None
    taken = frozenset({index}) | free_symbols(relation.left) | free_symbols(relation.right)
    before = fresh_symbol(Symbol(index.name, integer=True, nonnegative=True), taken)
    left, right = (substitute(side, {index: before + 1}) for side in (relation.left, relation.right))
    later = Relation(left, relation.op, right, ((before, low - 1, high - 1),))
    return later, lambda name: by.instance({index: before + 1}, name)


def _is_implicit(own: Hypothesis) -> bool:
    if not isinstance(own, Given) or own.relation.op != "==" or not is_vector(own.relation.gap):
        return False
    left = own.relation.left
    return not isinstance(left, Vector | Grad) or bool(own.relation.right.has(left))


def _solved(relation: Relation) -> tuple[Relation, Reason] | None:
    """Return an implicit equation for a vector that occurs in no other term of it, and the reason."""
    if not _is_implicit(Given("", relation)):
        return None
    parts = linear_form(relation.gap)
    inner = {v for _, atom in parts for argument in atom.args for v in argument.atoms(Vector)}
    for coefficient, atom in parts:
        if isinstance(atom, Vector) and atom not in inner and coefficient.is_number and coefficient != 0:
            rest = sympy.Add(*(-c / coefficient * v for c, v in parts if v != atom))
            return Relation(atom, "==", rest, relation.over), partial(_weighed_once, weight=-1 / coefficient)
    return None
