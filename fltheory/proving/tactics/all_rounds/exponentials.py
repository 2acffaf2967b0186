"""Statements with a factor e^(-cT), from those with (1 - c)^T."""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from sympy import Expr, S, Symbol

from fltheory.proof import by
from fltheory.proof.language import Relation, le
from fltheory.proof.terms import free_symbols, is_vector
from fltheory.proving.board import Board
from fltheory.proving.tactics.goals import Solve, name_in


def as_powers(board: Board, claim: Relation, rounds: Solve, facts: Solve) -> Board | None:
    """Return the board with a claim about e^(-cT), from that about (1 - c)^T: ``rounds`` shows it, ``facts`` the rest."""
    if claim.op != "<=" or claim.over or board.assuming or is_vector(claim.gap):
        return None
    gap = sympy.expand(claim.gap)
    for decay in sorted(gap.atoms(sympy.exp), key=str):
        weight = gap.coeff(decay)
        if weight == 0 or weight.has(decay):
            continue
        done = next(
            (d for power in _powers(decay) if (d := _by_power(board, claim, decay, power, weight, rounds, facts))), None
        )
        if done is not None:
            return done
    return None


def _by_power(
    board: Board, claim: Relation, decay: Expr, power: Expr, weight: Expr, rounds: Solve, facts: Solve
) -> Board | None:
    plain = Relation(claim.left, claim.op, claim.right.xreplace({decay: power}))
    shown = rounds(board, plain)
    below = shown and _below(shown, power, decay, facts)
    signed = below and facts(below, le(0, weight))
    if shown is None or below is None or signed is None:
        return None
    names = {name_in(shown, plain): S.One, below.last: weight}
    sign = name_in(signed, le(0, weight))
    return signed.accept(claim, by.linear(names)) or signed.accept(claim, by.linear(names, sign))


def _below(board: Board, power: Expr, decay: Expr, facts: Solve) -> Board | None:
    """Return the board with a last line (1 - c)^T <= e^(-cT)."""
    base, rounds = power.as_base_exp()
    below = board.accept(le(base, sympy.exp(base - 1)), by.fact("exp", base - 1))
    known = below and facts(below, le(0, base))
    if below is None or known is None:
        return None
    sign = name_in(known, le(0, base))
    raised = known.accept(le(power, sympy.exp(base - 1) ** rounds), by.power(rounds, sign, below.last))
    return raised and raised.accept(le(power, decay), by.linear({raised.last: 1}))


def _powers(decay: Expr) -> Iterator[Expr]:
    """Yield (1 - c)^T, and (1 - c/2)^(2T), for e^(-cT) with a number T of rounds."""
    exponent = -decay.args[0]
    letters = [s for s in free_symbols(exponent) if isinstance(s, Symbol) and s.is_integer and s.is_nonnegative]
    for letter in sorted(letters, key=str):
        rate = sympy.expand(exponent / letter)
        if letter not in free_symbols(rate):
            yield (1 - rate) ** letter
            yield (1 - rate / 2) ** (2 * letter)
