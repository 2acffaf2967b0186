"""Statements about all rounds, from one inequality for each round: the invariant is read off the statement.

A sum over the rounds is bounded by a potential that falls; a value after the last round by a potential with the number of
rounds in it; a value with a factor q^T by a contraction.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import sympy
from sympy import Expr, Integer, Pow, S, Symbol

from fltheory.proof import by
from fltheory.proof.language import Relation, le
from fltheory.proof.terms import (
    Fun,
    Scalar,
    Term,
    Total,
    Vector,
    free_symbols,
    fresh_symbol,
    is_vector,
    rebuild,
    substitute,
)
from fltheory.proving.board import Board
from fltheory.proving.tactics.goals import Solve, apart, by_steps
from fltheory.proving.weighing import explicit, weighed

Sides = tuple[Expr, Expr]
MOST_READINGS = 6


@dataclass(frozen=True)
class Invariant:
    """left(k) <= right(k) for k = first, ..., last, where ``each`` is what one round must keep.

    ``kept`` is the factor with which a round keeps the inequality before it, and ``end`` is what is left after the last round:
    the claim, times ``factor``, is the inequality at the last round plus ``end``, or without it.
    """

    index: Symbol
    first: Expr
    last: Expr
    sides: Callable[[Expr], Sides]
    each: Relation
    end: Relation
    kept: Expr = S.One
    factor: Expr = S.One


def telescoped(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a claim about all rounds."""
    if claim.op != "<=" or claim.over or board.assuming or is_vector(claim.gap):
        return None
    board, _ = explicit(board)
    done = _telescoped(board, claim, solve)
    for plain, weights in () if done else _with_starts(board, claim):
        shown = _telescoped(board, plain, solve)
        done = shown and shown.accept(claim, by.linear({str(shown.stating(plain)): 1, **weights}))
        if done is not None:
            break
    return done


def _with_starts(board: Board, claim: Relation) -> Iterator[tuple[Relation, dict[str, Expr]]]:
    """Yield a claim with the start in the place of a number that bounds it, and the weight of this hypothesis."""
    lows = {low for r in board.relations.values() for _, low, _ in r.over}
    gap = sympy.expand(claim.gap)
    for name, known in board.relations.items():
        starts = not known.over and not is_vector(known.gap) and known.op == "<=" and known.right.as_coeff_Mul()[0] == 1
        if not starts or all(_moved(known.left, low, Symbol("_")) == known.left for low in lows):
            continue
        parts = [(p, p / known.right) for p in sympy.Add.make_args(gap)]
        letters = free_symbols(known.right)
        own = [(p, w) for p, w in parts if letters and not letters & free_symbols(w) and w.is_nonnegative]
        if own:
            weight = sympy.Add(*(w for _, w in own))
            rest = sympy.Add(*(p for p, _ in parts if p not in [q for q, _ in own])) + weight * known.left
            yield _apart(rest), {name: weight}


def _telescoped(board: Board, claim: Relation, solve: Solve) -> Board | None:
    seen = set[Relation]()
    for own in itertools.islice(_invariants(board, claim), MOST_READINGS):
        if own.each in seen:
            continue
        seen.add(own.each)
        ended = shown_by(board, own.end, solve)
        each = ended and (weighed(ended, own.each, "round") or shown_by(ended, own.each, solve))
        signed = each and (shown_by(each, le(0, own.kept), solve) if own.kept != 1 else each)
        if not ended or not signed:
            continue
        whole = by_induction(signed, own)
        if whole is None:
            continue
        both = (whole.last, str(whole.stating(own.end)))
        for names in ((whole.last,),) if own.end.gap == 0 else (both, (whole.last,)):
            if done := whole.accept(claim, by.linear(dict.fromkeys(names, 1 / own.factor))):
                return done
    return None


def shown_by(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a line that states a claim, which ``solve`` shows unless one is there."""
    if board.stating(claim) is not None:
        return board
    found = solve(board, claim)
    if found is not None and found.stating(claim) is None:
        found = found.accept(claim, by.linear({found.last: 1}))
    return found


def by_induction(board: Board, own: Invariant) -> Board | None:
    """Return the board with the invariant at the last round, by induction on the rounds before; a line states ``each``."""
    each, index = board.stating(own.each), own.index
    taken = frozenset({index}) | free_symbols(own.each.left) | free_symbols(own.each.right)
    count = fresh_symbol(Symbol(index.name, integer=True, nonnegative=True), taken)
    now, rounds = own.first + count, own.last - own.first
    first, sign = le(*own.sides(own.first)), board.stating(le(0, own.kept))
    start = board.accept(first, by.linear()) or board.accept(first, by.linear({str(board.stating(own.end)): 1}))
    if start is None or each is None:
        return None
    left, right = (substitute(side, {index: now}) for side in (own.each.left, own.each.right))
    single = start.accept(le(left, right, (count, 0, rounds - 1)), by.instance({index: now}, each))
    if single is None:
        return None
    after = le(*own.sides(now + 1), (count, 0, rounds - 1))
    reason = by.linear({single.last: Integer(1), "assumed 1": own.kept}, *([sign] if sign else []))
    whole = by_steps(single, start.last, le(*own.sides(now)), after, reason, (count, Integer(0), rounds))
    return whole and whole.accept(le(*own.sides(own.last)), by.instance({count: rounds}, whole.last))


# Readings ---------------------------------------------------------------------------------------------------------


def _invariants(board: Board, claim: Relation) -> Iterator[Invariant]:
    totals = sorted({t for t in claim.gap.atoms(Total) if not is_vector(t)}, key=str)
    known = {(low, high): index for r in reversed(board.relations.values()) for index, low, high in r.over}
    for index, low, high in dict.fromkeys(t.args[1:] for t in totals):
        index = known.get((low, high), index)  # as in the hypotheses
        rounds = sympy.expand(high - low + 1)
        if low.is_Integer and free_symbols(rounds):
            divided = rounds.is_positive and any(
                1 / rounds in sympy.Mul.make_args(p) for p in sympy.Add.make_args(claim.gap)
            )
            for factor in (rounds, Integer(1)) if divided else (Integer(1),):
                yield from _of_sum(_times(claim.gap, factor), index, low, high, factor)
    for index, low, high in dict.fromkeys(r for relation in board.relations.values() for r in relation.over):
        last = sympy.expand(high + 1)
        letter = next(iter(free_symbols(last)), None) if len(free_symbols(last)) == 1 else None
        if letter is None or not low.is_Integer or letter not in free_symbols(claim.gap) or last.coeff(letter) != 1:
            continue
        yield from _of_contraction(claim, index, low, last)
        for factor in (Integer(1), *_denominators(claim.gap, letter)):
            yield from _of_last(_times(claim.gap, factor), index, low, last, factor)


def _of_sum(gap: Expr, index: Symbol, low: Expr, high: Expr, factor: Expr) -> Iterator[Invariant]:
    """Yield the invariant of a sum over the rounds: the potential falls by what a round adds."""
    rounds = sympy.expand(high - low + 1)
    gain, start, rest = list[Expr](), list[Expr](), list[Expr]()
    for part in sympy.Add.make_args(gap):
        outer, total = part.as_independent(Total)
        if isinstance(total, Total) and total.args[2:] == (low, high) and index not in free_symbols(outer):
            gain.append(outer * substitute(total.args[0], {total.args[1]: index}))
        elif _moved(part, low, index) != part and rounds not in sympy.Mul.make_args(part):
            start.append(part)
        elif part.has(Total):
            return
        elif rounds in sympy.Mul.make_args(part):
            gain.append(part / rounds)
        else:
            rest.append(part)
    if not gain or not start:
        return
    before, left = sympy.Add(*start), sympy.Add(*rest)
    for letter in free_symbols(rounds) if rounds.is_Add else ():  # a multiple of T + 1 is a multiple of T, and a rest
        gain.append(left.coeff(letter))
        left = sympy.expand(left - gain[-1] * rounds)
    gained = sympy.Add(*gain)

    def potential(at: Expr) -> Expr:
        return sympy.expand(_moved(before, low, at))

    def sides(k: Expr) -> Sides:
        return potential(k), potential(low) + Total(gained, index, low, k - 1)

    each = _apart(sympy.expand(gained + potential(index) - potential(index + 1)), (index, low, high))
    yield Invariant(index, low, high + 1, sides, each, le(-left, potential(high + 1)), factor=factor)


def _times(gap: Expr, factor: Expr) -> Expr:
    """Return a number times a factor, which cancels against the same factor below the line."""
    return sympy.Add(*(sympy.expand(part * factor) for part in sympy.Add.make_args(gap)))


def _of_last(gap: Expr, index: Symbol, low: Expr, last: Expr, factor: Expr) -> Iterator[Invariant]:
    """Yield the invariant of a value after the last round: what is claimed of it, and of the start, together fall."""
    (letter,), parts = free_symbols(last), sympy.Add.make_args(gap)
    start = sympy.Add(*(p for p in parts if _moved(p, low, index) != p))
    rest = sympy.Add(*(p for p in parts if _moved(p, low, index) == p and letter not in free_symbols(p)))
    end = sympy.expand(start + rest - gap)
    before = at_round(end, last, low)  # what is claimed of no round
    if start == 0 or sympy.expand(before * (before - start)) != 0:
        return
    potential = start if before == 0 else Integer(0)

    def sides(k: Expr) -> Sides:
        return sympy.expand(at_round(end, last, k) + _moved(potential, low, k)), start

    each = _apart(sympy.expand(sides(index)[0] - sides(index + 1)[0]), (index, low, last - 1))
    yield Invariant(index, low, last, sides, each, le(-rest, _moved(potential, low, last)), factor=factor)


def _of_contraction(claim: Relation, index: Symbol, low: Expr, last: Expr) -> Iterator[Invariant]:
    """Yield the invariant of a value that each round multiplies by q, up to a constant."""
    end, (letter,) = claim.left, free_symbols(last)
    powers = [
        (p, times)
        for p in sorted(claim.right.atoms(Pow), key=str)
        if (times := p.exp.coeff(letter)).is_Integer and times != 0 and sympy.expand(p.exp - times * (last - low)) == 0
    ]
    if not powers or at_round(end, last, index) == end:
        return
    factor = powers[0][0].base ** powers[0][1]
    start, rest = at_round(end, last, low), list[Expr]()
    for part in sympy.Add.make_args(sympy.expand(claim.right - powers[0][0] * start)):
        if letter in free_symbols(part):
            return
        rest.append(part)
    constant = sympy.Add(*rest)

    def sides(k: Expr) -> Sides:
        return at_round(end, last, k), factor ** (k - low) * start + constant

    right = sympy.expand(factor * at_round(end, last, index) + sympy.simplify((1 - factor) * constant))
    each = le(at_round(end, last, index + 1), right, (index, low, last - 1))
    yield Invariant(index, low, last, sides, each, le(0, constant), kept=factor)


def _denominators(gap: Expr, last: Symbol) -> list[Expr]:
    """Return the numbers with the last round in them by which parts of a number are divided."""
    powers = (p for part in sympy.Add.make_args(sympy.expand(gap)) for p in sympy.Mul.make_args(part))
    found = (1 / p for p in powers if isinstance(p, Pow) and p.exp.is_negative and last in free_symbols(p))
    return [f for f in dict.fromkeys(found) if f.is_positive][:2]


def _apart(gap: Expr, *over: tuple[Symbol, Expr, Expr]) -> Relation:
    """Return 0 <= gap with what is subtracted on the left."""
    left, right = apart(gap)
    return le(left, sympy.expand(right), *over)


def at_round(term: Expr, last: Expr, value: Expr) -> Expr:
    """Return a term about the last round as one about another round."""
    (letter,) = free_symbols(last)
    return sympy.expand(substitute(term, {letter: value - (last - letter)}))


def _moved(term: Expr, low: Expr, at: Expr) -> Expr:
    """Return a term about the first round as one about another round."""
    if isinstance(term, Vector | Scalar | Fun):
        return rebuild(term, (term.args[0], *(at if a == low else _moved(a, low, at) for a in term.args[1:])))
    if not term.has(Term):
        return term
    if isinstance(term, Total):
        return rebuild(term, (_moved(term.args[0], low, at), *term.args[1:]))
    return rebuild(term, tuple(_moved(a, low, at) for a in term.args))
