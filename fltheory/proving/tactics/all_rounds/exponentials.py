"""Statements with a factor e^(-cT), from those with (1 - c)^T."""

from __future__ import annotations

import sympy
from sympy import Expr, S, Symbol

from fltheory.proof import by
from fltheory.proof.language import Relation, le
from fltheory.proof.terms import free_symbols, is_vector
from fltheory.proving.board import Board
from fltheory.proving.tactics.goals import Solve


def as_powers(board: Board, claim: Relation, rounds: Solve, facts: Solve) -> Board | None:
    """Return the board with a claim about e^(-cT), from that about (1 - c)^T: ``rounds`` shows it, ``facts`` the rest."""
    if claim.op != "<=" or claim.over or board.assuming or is_vector(claim.gap):
        return None
    gap = sympy.expand(claim.gap)
    for decay in sorted(gap.atoms(sympy.exp), key=str):
        weight, power = gap.coeff(decay), _power(decay)
        if power is None or weight == 0 or weight.has(decay):
            continue
        plain = Relation(claim.left, claim.op, claim.right.xreplace({decay: power}))
        shown = rounds(board, plain)
        below = shown and _below(shown, power, decay, facts)
        signed = below and facts(below, le(0, weight))
        if shown is None or below is None or signed is None:
            continue
        names = {str(shown.stating(plain) or shown.last): S.One, below.last: weight}
        sign = signed.stating(le(0, weight)) or signed.last
        done = signed.accept(claim, by.linear(names)) or signed.accept(claim, by.linear(names, sign))
        if done is not None:
            return done
    return None


def _below(board: Board, power: Expr, decay: Expr, facts: Solve) -> Board | None:
    """Return the board with a last line (1 - c)^T <= e^(-cT)."""
    base, rounds = power.as_base_exp()
    below = board.accept(le(base, sympy.exp(base - 1)), by.fact("exp", base - 1))
    known = below and facts(below, le(0, base))
    if below is None or known is None:
        return None
    sign = str(known.stating(le(0, base)) or known.last)
    raised = known.accept(le(power, sympy.exp(base - 1) ** rounds), by.power(rounds, sign, below.last))
    return raised and raised.accept(le(power, decay), by.linear({raised.last: 1}))


def _power(decay: Expr) -> Expr | None:
    """Return (1 - c)^T for e^(-cT) with a number T of rounds."""
    exponent = -decay.args[0]
    letters = [s for s in free_symbols(exponent) if isinstance(s, Symbol) and s.is_integer and s.is_nonnegative]
    for letter in sorted(letters, key=str):
        rate = sympy.expand(exponent / letter)
        if letter not in free_symbols(rate):
            return (1 - rate) ** letter
    return None
