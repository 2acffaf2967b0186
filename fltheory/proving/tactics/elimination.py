"""A goal about vectors, functions or sums, from one about numbers.

What is known is subtracted until only numbers are left, or terms are replaced by numbers of the same sign.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy
from scipy.optimize import linprog
from sympy import Expr, Integer

from fltheory.proof import by
from fltheory.proof.certificates import moved
from fltheory.proof.check import check_theorem
from fltheory.proof.language import Relation, Theorem, le
from fltheory.proof.tactics.monomials import Monomial, Polynomial, polynomial_of
from fltheory.proof.tactics.weights import solve_exactly
from fltheory.proof.terms import (
    Dot,
    E,
    Grad,
    Indicator,
    Nonnegative,
    Positive,
    Scalar,
    Term,
    Total,
    Val,
    Vector,
    is_random,
    is_vector,
    substitute,
)
from fltheory.proving.board import Board, covers
from fltheory.proving.multipliers.lines import only_needed
from fltheory.proving.tactics.closing import close
from fltheory.proving.tactics.goals import Solve, apart, name_in

LEAST = 1e-7  # weights below it count as zero
MOST_TERMS = 4  # of a goal, in whose place a lemma has numbers


def eliminated(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with an inequality, by constant weights of known relations and a goal about numbers alone."""
    if claim.op == "==" or is_vector(claim.gap):
        return None
    goal = _polynomial(claim.gap)
    if goal is None or not any(map(_is_opaque, goal)):
        return None
    known = [
        (name, relation, gap)
        for name, relation in (board.relations | board.assumptions).items()
        if covers(relation, claim) and not is_vector(relation.gap)
        if (gap := _polynomial(relation.gap)) is not None
    ]
    weights = _weights(goal, [(relation.op == "==", gap) for _, relation, gap in known])
    if weights is None:
        return None
    named = {name: w for (name, _, _), w in zip(known, weights, strict=True) if w != 0}
    rest = sympy.expand(claim.gap - sympy.Add(*(named.get(name, 0) * r.gap for name, r, _ in known)))
    left = le(*apart(rest), *claim.over)
    unused = {n: Integer(0) for n in board.assumptions if n not in named}
    shown = board if board.stating(left) else solve(board, left)
    name = shown and name_in(shown, left)
    return shown and shown.accept(claim, by.linear({str(name): Integer(1), **named, **unused}))


def _polynomial(gap: Expr) -> Polynomial | None:
    try:
        return polynomial_of(gap)
    except Exception:  # a term without a normal form
        return None


def _is_opaque(own: Monomial) -> bool:
    return any(base.has(Dot, E, Grad, Indicator, Total, Val, Vector) for base, _ in own)


def _weights(goal: Polynomial, gaps: Sequence[tuple[bool, Polynomial]]) -> list[Expr] | None:
    """Return weights with which what is no plain number cancels; those of inequalities are nonnegative."""
    rows = list(dict.fromkeys(m for p in (goal, *(gap for _, gap in gaps)) for m in p if _is_opaque(m)))
    table = np.array([[float(gap.get(m, 0)) for _, gap in gaps] for m in rows]).reshape(len(rows), len(gaps))
    wanted = np.array([float(goal.get(m, 0)) for m in rows])
    free = [equation for equation, _ in gaps]
    both = np.hstack([table, -table[:, free]])
    found = linprog(np.ones(both.shape[1]), A_eq=both, b_eq=wanted, method="highs-ds") if gaps else None
    if found is None or found.status != 0:
        return None
    signed = found.x[: len(gaps)].copy()
    signed[free] -= found.x[len(gaps) :]
    support = [n for n, value in enumerate(signed) if abs(value) > LEAST]
    columns = [{m: v for m, v in gaps[n][1].items() if _is_opaque(m)} for n in support]
    exact = solve_exactly(columns, {m: v for m, v in goal.items() if _is_opaque(m)})
    if exact is None or any(v < 0 and not free[n] for n, v in zip(support, exact, strict=True)):
        return None
    values = dict(zip(support, exact, strict=True))
    return [values.get(n, Integer(0)) for n in range(len(gaps))]


def abstracted(board: Board, claim: Relation) -> Board | None:
    """Return the board with an inequality between roots by a lemma about plain numbers in the place of its terms."""
    if claim.op == "==" or is_vector(claim.gap) or not any(_is_root(p) for p in claim.gap.atoms(sympy.Pow)):
        return None
    terms = sorted(_outermost(claim.left) | _outermost(claim.right), key=str)
    if not terms or len(terms) > MOST_TERMS or any(map(is_random, terms)):
        return None
    names, at = list[str](), dict[Expr, Expr]()
    for number, term in enumerate(terms, 1):
        sign = le(0, term, *claim.over)
        known = board if term.is_nonnegative or board.stating(sign) else board.accept(sign, by.linear())
        board = known or board
        names += [name] if (name := board.stating(sign)) else []
        kind = Positive if term.is_positive else Nonnegative if known else Scalar
        at[kind(sympy.Symbol(f"number_{number}"))] = term
    plain = {term: number for number, term in at.items()}
    own = Board((), board.budget, name=board.name)
    shown = close(own, Relation(substitute(claim.left, plain), claim.op, substitute(claim.right, plain)))
    return _by_lemma(board, claim, shown, at, names) if shown else None


def of_exponent(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with an inequality between exponentials by a lemma about the exponent, if nothing else is left."""
    if claim.op == "==" or is_vector(claim.gap):
        return None
    exponents = {-e.args[0] if e.args[0].could_extract_minus_sign() else e.args[0] for e in claim.gap.atoms(sympy.exp)}
    for exponent in sorted(exponents, key=str)[:1]:
        number = (
            sympy.Symbol("number", nonnegative=True) if exponent.is_nonnegative else sympy.Symbol("number", real=True)
        )
        terms = (t for t in _outermost(exponent) if isinstance(t, Scalar) and not is_random(t))
        for term in sorted(terms, key=str):
            factor = sympy.cancel(exponent / term)
            if factor.has(term) or (number.is_nonnegative and not factor.is_positive):
                continue
            sides = (sympy.expand(substitute(side, {term: number / factor})) for side in (claim.left, claim.right))
            plain = le(*sides)
            if plain.gap.free_symbols != {number} or plain.gap.atoms(Term):
                continue
            shown = solve(Board((), board.budget, name=board.name), plain)
            return _by_lemma(board, claim, shown, {number: exponent}, []) if shown else None
    return None


def _by_lemma(board: Board, claim: Relation, shown: Board, at: dict[Expr, Expr], names: list[str]) -> Board | None:
    """Return the board with a claim by a lemma about numbers, which is what another board shows."""
    key = board.lemma_name("numbers")
    lemma = only_needed(Theorem(key, shown.lines[-1].claim, (), shown.lines))
    report = check_theorem(lemma, moved(lemma, shown.certificates), {})
    proved = report.verdict == "PROVED"
    return board.with_lemmas(report).accept(claim, by.apply(key, at, *names)) if proved else None


def _is_root(power: Expr) -> bool:
    return isinstance(power.exp, sympy.Rational) and power.exp.q == 2 and bool(power.base.atoms(Term))


def _outermost(expr: Expr) -> set[Expr]:
    if isinstance(expr, Term):
        return {expr}
    return set().union(*(_outermost(a) for a in expr.args)) if expr.args else set()
