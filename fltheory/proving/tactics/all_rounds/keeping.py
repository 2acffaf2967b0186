"""Bounds that every round keeps: what is bounded before a round is bounded after it, by multipliers; then an induction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import sympy
from sympy import Expr

from fltheory.proof import by
from fltheory.proof.language import Given, Hypothesis, Range, Relation, Theorem, le
from fltheory.proof.terms import Dot, Total, Val, free_symbols, is_vector
from fltheory.proving.board import Board
from fltheory.proving.multipliers import Found, as_lemma
from fltheory.proving.multipliers.ranged import applied_at, read_ranged
from fltheory.proving.tactics.all_rounds.telescoping import at_round
from fltheory.proving.tactics.closing import close, close_at_once
from fltheory.proving.tactics.goals import by_steps, name_in
from fltheory.proving.weighing import explicit, found_multipliers

BEFORE = "before"  # the name of the bound before a round


@dataclass(frozen=True)
class Kept:
    """A bound before a round and after it, for the rounds of a range, of which ``last`` is one more than the last one."""

    now: Relation
    after: Relation
    over: Range
    last: Expr


def kept(board: Board, claim: Relation) -> Board | None:
    """Return the board with a bound on what is left after the last round, which does not depend on how many there are."""
    if claim.op != "<=" or claim.over or board.assuming or is_vector(claim.gap) or not claim.gap.has(Dot, Val):
        return None
    board, hypotheses = explicit(board)
    for own in _bounds(board, claim):
        round_ = _round(board, hypotheses, own)
        done = round_ and _by_induction(*round_, own, claim)
        if done is not None:
            return done
    return None


def _bounds(board: Board, claim: Relation) -> Iterator[Kept]:
    """Yield the claim about every round of a range."""
    for index, low, high in dict.fromkeys(r for relation in board.relations.values() for r in relation.over):
        last = sympy.expand(high + 1)
        letters = free_symbols(last)
        if len(letters) != 1 or not low.is_Integer or letters & free_symbols(claim.right) or claim.left.has(Total):
            continue
        now, after = (le(at_round(claim.left, last, k), claim.right) for k in (index, index + 1))
        if now != claim:
            yield Kept(now, replace(after, over=((index, low, high),)), (index, low, high), last)


def _round(board: Board, hypotheses: tuple[Hypothesis, ...], own: Kept) -> tuple[Board, by.By] | None:
    """Return the board with the lemma that a round keeps the bound, and the reason that applies it."""
    ranged = read_ranged(Theorem(board.lemma_name("kept"), own.after, (*hypotheses, Given(BEFORE, own.now))))
    found = found_multipliers(ranged.single, board.budget, narrow=False) if ranged else ""
    if ranged is None or not isinstance(found, Found):
        return None
    reports = as_lemma(found)
    lemma = reports[-1].theorem
    uses = tuple(h.id for h in lemma.hypotheses if h.id != BEFORE)
    return board.with_lemmas(*reports), by.apply(lemma.id, applied_at(ranged, lemma), *uses)


def _by_induction(board: Board, reason: by.By, own: Kept, claim: Relation) -> Board | None:
    index, low, _ = own.over
    first = le(at_round(claim.left, own.last, low), claim.right)
    start = board if board.stating(first) else close_at_once(board, first) or close(board, first)
    if start is None:
        return None
    whole = by_steps(start, name_in(start, first), own.now, own.after, reason, (index, low, own.last))
    return whole and whole.accept(claim, by.instance({index: own.last}, whole.last))
