"""Inequalities about vectors and functions by one weighted sum with multipliers, within the budget of a search."""

from __future__ import annotations

import math
from dataclasses import replace

import sympy
from sympy import Expr

from fltheory.proof import by
from fltheory.proof.algebra.normal import linear_form
from fltheory.proof.certificates import moved
from fltheory.proof.check import check_theorem
from fltheory.proof.language import Given, Hypothesis, Relation, Theorem
from fltheory.proof.terms import Dot, Grad, Total, Val, Vector, is_vector
from fltheory.proving import multipliers
from fltheory.proving.board import Board
from fltheory.proving.budget import MULTIPLIERS, Budget
from fltheory.proving.multipliers import Found, prove_by_multipliers
from fltheory.proving.multipliers.agents import read_alike
from fltheory.proving.multipliers.ranged import read_ranged
from fltheory.work import work_limit

UNITS = 80  # units of ``fltheory.work`` in one of a search for proofs


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
    name = f"{board.name}-{word}" + (f"-{len(board.proved) + 1}" if board.proved else "")
    board, hypotheses = _explicit(board)
    found = found_multipliers(Theorem(name, claim, hypotheses), board.budget, narrow=False)
    if isinstance(found, str):
        return None
    needed = tuple(h for h in found.theorem.hypotheses if h.id not in found.theorem.unused)
    lemma = replace(found.theorem, hypotheses=needed, unused=())
    known = {r.theorem.id: r for r in found.lemmas}
    report = check_theorem(lemma, moved(lemma, found.certificates), known)
    if report.verdict != "PROVED":
        return None
    reports = (*found.lemmas, report)
    lemmas = {**board.lemmas, **{r.theorem.id: r for r in reports}}
    wider = replace(board, lemmas=lemmas, proved=(*board.proved, *reports))
    return wider.accept(claim, by.apply(lemma.id, (), *(h.id for h in needed)))


def has_implicit(board: Board) -> bool:
    """Return whether an equation between vectors says of no vector what it is."""
    return any(map(_is_implicit, board.hypotheses))


def _explicit(board: Board) -> tuple[Board, tuple[Hypothesis, ...]]:
    """Return the board with the implicit equations solved for a vector, and the hypotheses with these lines in their place."""
    found = list[Hypothesis]()
    for own in board.hypotheses:
        solved = _solved(own.relation) if isinstance(own, Given) and _is_implicit(own) else None
        further = solved and board.accept(solved[0], by.linear({own.id: solved[1]}))
        if solved and further:
            board = further
            found.append(Given(board.last, solved[0]))
        else:
            found.append(own)
    return board, tuple(found)


def _is_implicit(own: Hypothesis) -> bool:
    if not isinstance(own, Given) or own.relation.op != "==" or not is_vector(own.relation.gap):
        return False
    left = own.relation.left
    return not isinstance(left, Vector | Grad) or bool(own.relation.right.has(left))


def _solved(relation: Relation) -> tuple[Relation, Expr] | None:
    """Return an equation for a vector that occurs in no other term of it, and the weight that gives it."""
    parts = linear_form(relation.gap)
    inner = {v for _, atom in parts for argument in atom.args for v in argument.atoms(Vector)}
    for coefficient, atom in parts:
        if isinstance(atom, Vector) and atom not in inner and coefficient.is_number and coefficient != 0:
            rest = sympy.Add(*(-c / coefficient * v for c, v in parts if v != atom))
            return Relation(atom, "==", rest, relation.over), -1 / coefficient
    return None
