"""Sums over the rounds of steps x(t + 1) = x(t) - s(t) v(t), perhaps projected, by the inequality that they obey for every size.

With V(t) = |x(t) - u|^2, one size s gives sum of <v, x - u> <= V(0)/(2 s) + s/2 sum of |v|^2. Sizes that do not grow, with
V(t) <= D for every t, give D/(2 s(T - 1)) + sum of s |v|^2 / 2. What is claimed is then shown from this line. Of a claim
about expectations, every line is in expectation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import sympy
from sympy import Expr, Integer, S, Symbol

from fltheory.proof import by
from fltheory.proof.algebra.normal import normal_form
from fltheory.proof.language import Given, Range, Relation, le
from fltheory.proof.terms import Total, Val, Vector, free_symbols, fresh_symbol, is_vector, square, substitute
from fltheory.proving.board import Board
from fltheory.proving.tactics.all_rounds.curved import of_curvature
from fltheory.proving.tactics.all_rounds.methods import Method, methods, one_step, signed_distance, with_slope
from fltheory.proving.tactics.all_rounds.telescoping import Invariant, by_induction
from fltheory.proving.tactics.goals import Solve, apart, by_steps, coefficient, common_factor, name_in
from fltheory.proving.weighing import explicit, weighed

MOST_CENTRES = 2


def summed(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a claim about a sum over the rounds, which ``solve`` shows from the line about the steps."""
    if claim.op != "<=" or claim.over or board.assuming or is_vector(claim.gap):
        return None
    board, hypotheses = explicit(board)
    for method in methods(hypotheses, claim):
        read = _gain(claim, method)
        line = read and _line(board, method, claim, read[0], solve)
        if read is None or line is None:
            continue
        factor = read[1]
        left = sympy.expand(normal_form(claim.gap - line.lines[-1].claim.gap / factor))
        scale, rest = _without_scale(_with_index(left, method.over[0]))
        shown = _with_numbers(board, rest, solve)
        line = shown and _line(shown, method, claim, read[0], solve)
        if shown is None or line is None:
            continue
        return line.accept(claim, by.linear({line.last: 1 / factor, name_in(shown, rest): scale}))
    return None


def _line(board: Board, method: Method, claim: Relation, gain: Expr, solve: Solve) -> Board | None:
    """Return the board with a last line that bounds what the claim sums."""
    each = _each(board, method, gain)
    many = method.over[0] in free_symbols(method.size)
    line = each and (_of_sizes(*each, method, gain, solve) if many else _of_size(*each, method, gain))
    line = line or of_curvature(board, method, gain, partial(_with_numbers, solve=solve))
    return line and _bounded(line, method, claim)


def _with_index(number: Expr, index: Symbol) -> Expr:
    """Return a number whose sums have the index of the rounds, unless they have it in their terms, and no common factor."""
    for total in sorted(number.atoms(Total), key=str):
        body, own, low, high = total.args
        if index not in free_symbols(body) | free_symbols(low) | free_symbols(high) and not body.has(Total):
            outer, inner = sympy.factor(body).as_independent(own, as_Add=False)
            plain = not outer.has(Vector) and not inner.has(Vector)
            outer, inner = (outer, inner) if plain else (S.One, body)
            number = number.xreplace({total: outer * Total(substitute(inner, {own: index}), index, low, high)})
    return sympy.expand(number)


def _without_scale(gap: Expr) -> tuple[Expr, Relation]:
    """Return a positive factor of all parts of a gap, numbers and powers below the line included, and the relation without it."""
    parts = [sympy.factor_terms(part) for part in sympy.Add.make_args(gap)]
    below = sympy.Mul(*(b ** -max(e for e in powers) for b, powers in _powers_below(parts).items()))
    factor, rest = common_factor(sympy.expand(gap * below))
    numbers = [abs(part.as_coeff_Mul()[0]) for part in sympy.Add.make_args(rest)]
    number = min(numbers) if numbers and all(n.is_Rational and n > 0 for n in numbers) else S.One
    return factor * number / below, le(*apart(sympy.expand(rest / number)))


def _powers_below(parts: Sequence[Expr]) -> dict[Expr, list[Expr]]:
    """Return the positive symbols that every part has below the line, with their powers there."""
    powers = [part.as_powers_dict() for part in parts]
    letters = [b for b in powers[0] if b.is_Symbol and b.is_positive] if powers else []
    found = {b: [p.get(b, S.Zero) for p in powers] for b in letters}
    return {b: own for b, own in found.items() if all(e.is_Integer and e < 0 for e in own)}


def _with_numbers(board: Board, claim: Relation, solve: Solve) -> Board | None:
    """Return the board with a claim, sought from the hypotheses about numbers if it is about numbers."""
    if claim.gap.has(Vector):
        return solve(board, claim)
    numbers = tuple(h for h in board.hypotheses if isinstance(h, Given) and not h.relation.gap.has(Vector, Val))
    shown = solve(replace(board, hypotheses=numbers), claim)
    return shown and replace(shown, hypotheses=board.hypotheses)


def _bounded(board: Board, method: Method, claim: Relation) -> Board:
    """Return the board with known bounds on the start and on the directions in its last line, if the claim has neither."""
    index, low, _ = method.over
    start, ball = method.distance(low), _ball(board, method)
    if board.lines[-1].claim.right.has(start) and not claim.gap.has(start):
        near = ball and (le(start, ball[1]), by.instance({index: low}, ball[0]))
        board = _less(board, start, near)
    size = method.whole(square(method.direction))
    for name, known in board.relations.items() if not claim.gap.has(size) else ():
        if known.op == "<=" and known.left == size and known.over == (method.over,):
            sums = (Total(method.size / 2 * side, *method.over) for side in (known.left, known.right))
            said = le(*sums)
            return _less(board, said.left, (said, by.sum_over(index, name, weight=method.size / 2)))
    return board


def _less(board: Board, term: Expr, bound: tuple[Relation, by.By] | None = None) -> Board:
    """Return the board with its last line again, in which a term is replaced by what a relation bounds it by."""
    last = board.lines[-1]
    weight = coefficient(last.claim.right, term)
    more = (bound and board.accept(*bound)) or board
    for name, known in more.relations.items():
        if known.op == "<=" and known.left == term and not known.over:
            said = le(last.claim.left, last.claim.right.xreplace({term: known.right}))
            return more.accept(said, by.linear({last.id: S.One, name: weight})) or board
    return board


def _gain(claim: Relation, method: Method) -> tuple[Expr, Expr] | None:
    """Return the term that a multiple of the claim sums over the rounds on its left side, and the factor."""
    index, low, high = method.over
    rounds = high - low + 1
    parts = [p for p in sympy.Add.make_args(sympy.expand(claim.left - claim.right)) if p.has(Total, Val)]
    for factor in (Integer(1), rounds):
        gain = list[Expr]()
        for part in parts:
            outer, total = (part * factor).as_independent(Total)
            if isinstance(total, Total) and total.args[2:] == (low, high):
                if outer.is_positive:
                    gain.append(outer * substitute(total.args[0], {total.args[1]: index}))
            else:
                gain.append(part * factor / rounds)
        whole = sympy.expand(sympy.Add(*gain))
        if gain and whole.has(index) and not whole.has(Total) and not free_symbols(whole) & free_symbols(rounds):
            return whole, factor
    return None


def _each(board: Board, method: Method, gain: Expr) -> tuple[Board, str, Expr] | None:
    """Return the board with the line about one round, its name, and what it costs."""
    index, size = method.over[0], method.size
    line, cost = one_step(board, method), method.cost
    progress = (method.distance(index) - method.distance(index + 1)) / (2 * size)
    each = le(gain, progress + cost, method.over)
    if line is not None and sympy.expand(gain - method.slope) != 0:
        below = with_slope(line, le(gain, method.slope, method.over))
        line = below and below[0].accept(each, by.linear({line.last: S.One, below[1]: S.One}))
    if line is not None:
        return line, line.last, cost
    each = le(gain, progress, method.over)
    line = weighed(board, each, "round") if isinstance(size, Symbol) else None
    return (line, line.last, S.Zero) if line else None


def _of_size(board: Board, name: str, cost: Expr, method: Method, gain: Expr) -> Board | None:
    """Return the board with the line about all rounds for one size, by induction."""
    index, low, high = method.over

    def sides(k: Expr) -> tuple[Expr, Expr]:
        left = method.distance(k) / (2 * method.size) + Total(gain, index, low, k - 1)
        return left, method.distance(low) / (2 * method.size) + Total(cost, index, low, k - 1)

    last = high + 1
    own = Invariant(index, low, last, sides, board.relations[name], le(0, method.distance(last) / (2 * method.size)))
    sign = signed_distance(board, method, last)
    signed = sign and sign.accept(own.end, by.linear({sign.last: 1 / (2 * method.size)}))
    whole = signed and by_induction(signed, own)
    if signed is None or whole is None:
        return None
    bound = method.distance(low) / (2 * method.size) + Total(cost, index, low, high)
    return whole.accept(le(Total(gain, index, low, high), bound), by.linear({whole.last: S.One, signed.last: S.One}))


def _of_sizes(board: Board, each: str, cost: Expr, method: Method, gain: Expr, solve: Solve) -> Board | None:
    """Return the board with the line for sizes that do not grow, by induction on the rounds."""
    index, low, high = method.over
    size, ball = method.size, _ball(board, method)
    if ball is None:
        return None
    name, radius = ball
    taken = frozenset({index}) | free_symbols(gain) | free_symbols(size) | free_symbols(high)
    last = fresh_symbol(Symbol(index.name, integer=True, nonnegative=True), taken)

    def at(term: Expr, place: Expr) -> Expr:
        return substitute(term, {index: place})

    def sides(end: Expr) -> tuple[Expr, Expr]:
        left = (radius - method.distance(end + 1)) / (2 * at(size, end)) + Total(cost, index, low, end)
        return Total(gain, index, low, end), left

    first, steps = le(*sides(low)), (last, low, high - 1)
    growth = sympy.simplify(1 / (2 * at(size, last + 1)) - 1 / (2 * at(size, last)))
    grown = _with_numbers(board, le(0, growth, steps), solve)
    if grown is None:
        return None
    sign = name_in(grown, le(0, growth, steps))

    def instance(inner: Board | None, of: str, place: Expr, *over: Range) -> Board | None:
        if inner is None:
            return None
        known = inner.relations[of]
        said = Relation(at(known.left, place), known.op, at(known.right, place), over)
        return inner.accept(said, by.instance({index: place}, of))

    one = instance(grown, each, low)
    two = instance(one, name, low)
    start = one and two and two.accept(first, by.linear({one.last: S.One, two.last: 1 / (2 * at(size, low))}))
    there = instance(start, each, last + 1, steps)
    near = instance(there, name, last + 1, steps)
    if start is None or there is None or near is None:
        return None
    reason = by.linear({there.last: Integer(1), near.last: growth, "assumed 1": Integer(1)}, sign)
    now, after = le(*sides(last)), le(*sides(last + 1), steps)
    whole = by_steps(near, start.last, now, after, reason, (last, low, high))
    done = whole and whole.accept(le(*sides(high)), by.instance({last: high}, whole.last))
    bound = radius / (2 * at(size, high)) + Total(cost, index, low, high)
    signed = done and signed_distance(done, method, high + 1)
    if done is None or signed is None:
        return None
    weights = {done.last: S.One, signed.last: 1 / (2 * at(size, high))}
    return signed.accept(le(Total(gain, index, low, high), bound), by.linear(weights))


def _ball(board: Board, method: Method) -> tuple[str, Expr] | None:
    """Return the name of the line that bounds every distance, and the bound."""
    index, _, high = method.over
    for name, known in board.relations.items():
        if known.op == "<=" and len(known.over) == 1 and not is_vector(known.gap):
            (i, _, end) = known.over[0]
            near = substitute(known.left, {i: index}) == method.distance(index)
            if near and i not in free_symbols(known.right) and i == index and sympy.expand(end - high).is_nonnegative:
                return name, known.right
    return None
