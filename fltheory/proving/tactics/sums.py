"""Inequalities between sums of one range, from an inequality between their terms.

Equations between such sums, as of weights that add up to 1, may be added with a factor, so that nothing beside the sums is left.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from fltheory.proof import by
from fltheory.proof.algebra.normal import normal_form
from fltheory.proof.language import Range, Relation
from fltheory.proof.terms import Scalar, Total, free_symbols, is_vector, substitute
from fltheory.proving.board import Board, covers
from fltheory.proving.tactics.goals import Solve, apart, from_rewritten, name_in, with_right_side

MOST_OPERATIONS = 120  # in the numbers that are divided by each other
MOST_EQUATIONS = 4


@dataclass(frozen=True)
class Sum:
    """A number as a sum over a range, and the rest; ``name`` of the equation that says that it is 0."""

    body: Expr
    rest: Expr
    name: str = ""


def of_terms(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a claim about sums of one range, from that about their terms."""
    if is_vector(claim.gap):
        return None
    taken = free_symbols(claim.left) | free_symbols(claim.right) | {i for i, _, _ in claim.over}
    for over in _ranges(board, claim):
        _, low, high = over
        if over[0] in taken:
            continue
        goal = _as_sum(claim.gap, over)
        if goal.body == 0:
            continue
        equations = tuple(_equations(board, claim, over))[:MOST_EQUATIONS]
        for factors, rest in _balanced(goal, equations, sympy.expand(high - low + 1)):
            body = goal.body + rest + sympy.Add(*(f * e.body for f, e in zip(factors, equations, strict=True)))
            left, right = apart(sympy.expand(body))
            each = Relation(left, "==" if claim.op == "==" else "<=", right, (*claim.over, over))
            done = _summed(board, claim, each, {e.name: f for f, e in zip(factors, equations, strict=True) if f}, solve)
            if done is not None:
                return done
    return None


def _ranges(board: Board, claim: Relation) -> list[Range]:
    """Return the ranges of the claim's sums, with the index that a hypothesis has for the same range."""
    own = {(low, high): i for r in reversed(board.relations.values()) for i, low, high in r.over}
    totals = [t.args[1:] for t in sorted(claim.gap.atoms(Total), key=str)]
    return list(dict.fromkeys((own.get((low, high), i), low, high) for i, low, high in totals))


def _summed(board: Board, claim: Relation, each: Relation, factors: dict[str, Expr], solve: Solve) -> Board | None:
    shown = board if board.stating(each) else solve(board, each)
    if shown is None:
        return None
    over, name = each.over[-1], name_in(shown, each)
    done = shown.accept(claim, by.sum_over(over[0], name)) if not factors else None
    if done is not None:
        return done
    whole = Relation(Total(each.left, *over), each.op, Total(each.right, *over), claim.over)
    total = shown.accept(whole, by.sum_over(over[0], name))
    return total and total.accept(claim, by.linear({total.last: S.One, **factors}))


def _as_sum(gap: Expr, over: Range) -> Sum:
    """Return a number with the sums over a range that are factors of its parts put together."""
    index = over[0]
    body, rest = list[Expr](), list[Expr]()
    for part in sympy.Add.make_args(sympy.expand(normal_form(gap))):
        factors = sympy.Mul.make_args(part)
        own = [(f, b) for f in factors if (b := _body(f, over)) is not None]
        other = sympy.Mul(*(f for f in factors if not own or f is not own[0][0]))
        if len(own) == 1 and index not in free_symbols(other):
            body.append(other * own[0][1])
        else:
            rest.append(part)
    return Sum(sympy.Add(*body), sympy.Add(*rest))


def _body(factor: Expr, over: Range) -> Expr | None:
    """Return the term of a sum over the range; a sum of such sums is one too."""
    index, low, high = over
    if not isinstance(factor, Total) or is_vector(factor):
        return None
    inner, own, start, end = factor.args
    if (start, end) == (low, high):
        return substitute(inner, {own: index})
    factors = sympy.Mul.make_args(inner)
    within = [(f, b) for f in factors if (b := _body(f, over)) is not None]
    if (
        len(within) != 1
        or own in free_symbols(low) | free_symbols(high)
        or index in free_symbols(start) | free_symbols(end)
    ):
        return None
    rest = sympy.Mul(*(f for f in factors if f is not within[0][0]))
    return None if index in free_symbols(rest) else Total(rest * within[0][1], own, start, end)


def _equations(board: Board, claim: Relation, over: Range) -> Iterator[Sum]:
    """Yield the known equations, then the inequalities, about sums over the range."""
    for name, known in sorted(board.relations.items(), key=lambda entry: entry[1].op != "=="):
        if (
            (known.op != "==" and claim.op == "==")
            or not covers(known, claim)
            or is_vector(known.gap)
            or not known.gap.has(Total)
        ):
            continue
        own = _as_sum(known.left - known.right, over)
        if own.body != 0:
            yield Sum(own.body, own.rest, name)


def _balanced(goal: Sum, equations: tuple[Sum, ...], count: Expr) -> Iterator[tuple[tuple[Expr, ...], Expr]]:
    """Yield factors of the equations, and what of the rest each term takes, with which nothing is left beside the sums."""
    none = (S.Zero,) * len(equations)
    if goal.rest == 0:
        yield none, S.Zero
    if sum(sympy.count_ops(own.rest) for own in (goal, *equations)) > MOST_OPERATIONS:
        return  # the greatest common divisors of long numbers take long, and such a number is seldom a multiple of another
    for place, own in enumerate(equations):
        if goal.rest != 0 and own.rest != 0:
            factor = sympy.cancel(-goal.rest / own.rest)
            yield tuple(factor if n == place else S.Zero for n in range(len(equations))), S.Zero
    if goal.rest == 0:
        for one, two in itertools.permutations(range(len(equations)), 2):
            if equations[one].rest != 0:
                second = sympy.cancel(-equations[one].rest / equations[two].rest) if equations[two].rest != 0 else None
                if second is not None:
                    yield tuple(S.One if n == one else second if n == two else S.Zero for n in range(len(none))), S.Zero
    share = sympy.cancel(goal.rest / count)
    if share != 0 and not free_symbols(share) & free_symbols(count):  # a rest such as M times a number
        yield none, share


def inserted(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a claim in whose sums a number is replaced by the sum that it equals, or is at most."""
    if is_vector(claim.gap) or not claim.gap.has(Total):
        return None
    gap = sympy.expand(normal_form(claim.gap))
    for name, known in board.relations.items():
        usable = known.op == "==" or (known.op == "<=" and claim.op != "==")
        if not (usable and isinstance(known.left, Scalar) and names_a_sum(known)):
            continue
        for over in known.over:
            rest = tuple(r for r in known.over if r != over)
            if not covers(Relation(known.left, known.op, known.right, rest), claim):
                continue
            lines, weights, new = board, dict[str, Expr](), gap
            for part in sympy.Add.make_args(gap):
                found = _inserted_in(lines, part, name, known, over, claim)
                if found is not None:
                    lines, value, weight = found
                    new, weights[lines.last] = new - part + value, weight
            if not weights:
                continue
            done = from_rewritten(lines, claim, sympy.expand(new), weights, solve)
            if done is not None:
                return done
    return None


def names_a_sum(known: Relation) -> bool:
    """Return whether a relation says that a number equals a sum, or is at most a sum."""
    named = isinstance(known.left, Scalar | Symbol) and known.right.has(Total)
    return named and not is_vector(known.gap) and not known.right.has(known.left)


def _inserted_in(
    board: Board, part: Expr, name: str, known: Relation, over: Range, claim: Relation
) -> tuple[Board, Expr, Expr] | None:
    """Return the board with the relation summed, a part of a number with it inserted, and the weight of the sum."""
    index, low, high = over
    factors = sympy.Mul.make_args(part)
    total = next((f for f in factors if isinstance(f, Total) and f.args[2:] == (low, high)), None)
    if total is None:
        return None
    outer, body = part / total, substitute(total.args[0], {total.args[1]: index})
    found = with_right_side(body, known)
    if found is None or index in free_symbols(outer):
        return None
    inside, weight = found
    sign = S.NegativeOne if (outer * weight).could_extract_minus_sign() else S.One
    if known.op == "<=" and sign == 1:
        return None
    size = _size(weight)
    others = tuple(r for r in claim.over if r[0] in free_symbols(known.gap) | free_symbols(size))
    said = Relation(Total(size * known.left, *over), known.op, Total(size * known.right, *over), others)
    done = board.accept(said, by.sum_over(index, name, weight=size))
    return (done, outer * Total(inside, *over), -sign * _size(outer)) if done else None


def _size(outer: Expr) -> Expr:
    return -outer if outer.could_extract_minus_sign() else outer
