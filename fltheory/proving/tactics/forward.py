"""Lines that follow from what is known without a search: facts about functions, instances, sums and expectations."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import sympy
from sympy import Abs, Expr, Max, Min, Symbol, exp, floor, log

from fltheory.proof import by
from fltheory.proof.algebra.normal import linear_form
from fltheory.proof.facts.products import ABOVE, BELOW, FIRST, LENGTHS, NORMS, PAIR, SUMMAND, TERMS
from fltheory.proof.facts.squares import SIGN
from fltheory.proof.facts.squares import x as any_vector
from fltheory.proof.language import Range, Relation, Rule, eq, le
from fltheory.proof.tactics.forward import conclude
from fltheory.proof.terms import (
    Dot,
    E,
    Fun,
    Indicator,
    RandomIndex,
    Scalar,
    Term,
    Total,
    Vector,
    free_symbols,
    is_random,
    is_vector,
    substitute,
)
from fltheory.proving.board import Board
from fltheory.proving.standard import name_of
from fltheory.proving.tactics.goals import by_steps
from fltheory.proving.tactics.unify import Matcher

MOST_FACTS = 16
MOST_PAIRS = 4  # of vectors whose lengths a goal multiplies
MOST_EXTREMES = 3  # maxima and minima that are compared with their numbers
MOST_DOTTED = 3  # equations, and vectors with which each is multiplied
MOST_EXPONENTS = 3  # of a goal, whose differences are exponents of facts


def facts(board: Board, claim: Relation) -> Board:
    """Return the board with the facts about the functions that occur in the goal."""
    plain = replace(claim, over=())  # a fact holds for every number, so that it needs no range
    lines = itertools.islice(_facts(board, plain), 3 * MOST_FACTS)
    return _added(replace(board, assuming=()), lines).back(board)  # they need no assumption


def _added(board: Board, lines: Iterator[tuple[Relation, by.By]]) -> Board:
    most = len(board.lines) + MOST_FACTS
    for said, reason in lines:
        if len(board.lines) < most and board.stating(said) is None:
            board = board.accept(said, reason) or board
    return board


def _plain(terms: set[Expr]) -> list[Expr]:
    return sorted(terms, key=lambda t: (sympy.count_ops(t), str(t)))


def _facts(board: Board, claim: Relation) -> Iterator[tuple[Relation, by.By]]:
    over = claim.over
    known_relations = (*board.relations.values(), *board.assumptions.values())
    sides = (claim.left, claim.right, *(s for r in known_relations for s in (r.left, r.right)))
    sides = tuple(s for s in sides if not is_vector(s))
    outer = {t for s in sides for t in _atoms_outside_sums(s)}
    inside = {i for i, _, _ in over}
    known = {s for side in sides for s in free_symbols(side)} | inside

    def here(kind: type[Expr]) -> list[Expr]:
        found = {t.args[0] for t in outer if isinstance(t, kind) and free_symbols(t) <= known}
        own = {t.args[0] for s in (claim.left, claim.right) if not is_vector(s) for t in s.atoms(kind)}
        return [*_plain(found & own), *_plain(found - own)]  # the goal's own first

    for a in here(Abs):
        yield le(a, Abs(a), *over), by.fact("abs", a)
        yield le(-a, Abs(a), *over), by.fact("abs", -a)
    below, above = name_of(BELOW, board.lemmas), name_of(ABOVE, board.lemmas)
    for t in _plain({t for t in outer if isinstance(t, Max | Min) and len(t.args) == 2})[:MOST_EXTREMES]:
        one, two = PAIR
        for first, second in (t.args, t.args[::-1]):
            at = {one: first, two: second}
            if isinstance(t, Min) and below:
                yield le(t, first, *over), by.apply(below, at)
            if isinstance(t, Max) and above:
                yield le(first, t, *over), by.apply(above, at)
    for a in here(floor):
        yield le(floor(a), a, *over), by.fact("floor", a)
        yield Relation(a, "<", floor(a) + 1, over), by.fact("floor", a)
    exponents, logs = here(exp), here(log)
    for a, b in itertools.permutations(_exponents(claim), 2):
        yield le(1 + a - b, exp(a - b), *over), by.fact("exp", a - b)
    for a in exponents:
        yield le(1 + a, exp(a), *over), by.fact("exp", a)
        yield le(1 - a, exp(-a), *over), by.fact("exp", -a)
    for a, b in itertools.permutations(exponents, 2):
        yield le(1 + a - b, exp(a - b), *over), by.fact("exp", a - b)
    for a, b in itertools.permutations(logs, 2):
        yield le(1 + log(a) - log(b), exp(log(a) - log(b)), *over), by.fact("exp", log(a) - log(b))
    for a in logs:
        yield le(log(a), a - 1, *over), by.fact("log", a)
        yield le(1 + log(a), a, *over), by.fact("exp", log(a))  # where a hypothesis shows that a is positive
        yield le(1 - log(a), exp(-log(a)), *over), by.fact("exp", -log(a))
    for a in exponents:
        for b in logs:
            yield le(1 + a - log(b), exp(a - log(b)), *over), by.fact("exp", a - log(b))
            yield le(1 + log(b) - a, exp(log(b) - a), *over), by.fact("exp", log(b) - a)
            yield le(1 - log(b) - a, exp(-log(b) - a), *over), by.fact("exp", -log(b) - a)
    for a in (claim.left, claim.right):  # log grows: the goal under the exponential
        if (logs or exponents) and not is_vector(a):
            other = claim.right if a is claim.left else claim.left
            gap = sympy.expand(a - other)
            yield le(1 + gap, exp(gap), *over), by.fact("exp", gap)
    for t in _plain({t for t in outer if isinstance(t, Indicator)}):
        yield le(t, 1, *over), by.fact("indicator", t.args[0])
        yield eq(t.args[0] * t, (t.args[0] + Abs(t.args[0])) / 2, *over), by.fact("indicator", t.args[0])


def _exponents(claim: Relation) -> list[Expr]:
    """Return the exponents of the parts of a goal that are products of several exponentials."""
    found = dict[Expr, None]()
    for part in sympy.Add.make_args(sympy.expand(claim.gap)) if not is_vector(claim.gap) else ():
        own = [f.args[0] for f in sympy.Mul.make_args(part) if isinstance(f, exp)]
        found |= {sympy.Add(*own): None} if own else {}
    several = any(e.is_Add for e in found)
    return list(found)[:MOST_EXPONENTS] if several else []


def _atoms_outside_sums(term: Expr) -> Iterator[Expr]:
    yield term
    if isinstance(term, Total | E):
        return
    for argument in term.args[1:] if isinstance(term, Vector | Scalar | Fun) else term.args:
        yield from _atoms_outside_sums(argument)


def extremes(claim: Relation, *more: Relation) -> list[Expr]:
    """Return the maxima, minima and absolute values of some relations, small ones first."""
    return _plain(
        {
            t
            for r in (claim, *more)
            for s in (r.left, r.right)
            for t in _atoms_outside_sums(s)
            if isinstance(t, Max | Min | Abs)
        }
    )


def instances(board: Board, claim: Relation) -> Board:
    """Return the board with relations at the indices that occur in the goal."""
    return _added(board, _instances(board, claim))


def _instances(board: Board, claim: Relation) -> Iterator[tuple[Relation, by.By]]:
    targets = [t for side in (claim.left, claim.right) for t in (*_families(side), *_totals(side))]
    inside = {i for i, _, _ in claim.over}
    short = [
        n for n, r in board.relations.items() if not r.over and not is_vector(r.gap) and sympy.count_ops(r.gap) < 10
    ]
    for name, relation in list(board.relations.items()):
        indices = frozenset[object](i for i, _, _ in relation.over)
        if not indices or indices <= inside:
            continue
        found = dict[tuple[tuple[Symbol, Expr], ...], None]()
        whole = [t for t in (*_totals(relation.left), *_totals(relation.right)) if indices & free_symbols(t)]
        for pattern in (*_families(relation.left), *_families(relation.right), *whole):
            for target in targets:
                if target.func is pattern.func and (isinstance(pattern, Total) or target.args[0] == pattern.args[0]):
                    for binding in Matcher(indices).match(pattern, target, {}):
                        if set(binding) == indices:
                            found[tuple(binding.items())] = None
        if not found and len(relation.over) == 1 and relation.over[0][1].is_Integer:
            index, low, _ = relation.over[0]
            indexed = {t for t in (*_families(relation.left), *_families(relation.right)) if index in free_symbols(t)}
            found |= (
                {} if indexed or (is_vector(relation.gap) and not is_vector(claim.gap)) else {((index, low),): None}
            )
        for at in list(found)[:3]:
            said = _concluded(by.instance(at).rule, relation)
            if said is not None:
                said = Relation(
                    said.left,
                    said.op,
                    said.right,
                    tuple(r for r in claim.over if r[0] in free_symbols(said.left) | free_symbols(said.right)),
                )
                yield said, by.instance(at, name)
                yield said, by.instance(at, name, *(n for n in short if n != name))


def _concluded(rule: Rule, relation: Relation) -> Relation | None:
    """Return what a rule derives from a relation, None for an expectation of which a random index would be inserted."""
    with suppress(RandomIndex):
        return conclude(rule, [relation])
    return None


def _families(term: Expr) -> list[Term]:
    means = {t for m in term.atoms(E) for t in _atoms_outside_sums(m.args[0])}
    found = {
        t for t in (*_atoms_outside_sums(term), *means) if isinstance(t, Vector | Scalar | Fun) and len(t.args) > 1
    }
    return sorted(found, key=str)


def _totals(term: Expr) -> list[Total]:
    return sorted(term.atoms(Total), key=str)


def sums(board: Board, claim: Relation) -> Board:
    """Return the board with known relations summed over an index over which the goal sums."""
    return _added(board, _sums(board, claim))


def _sums(board: Board, claim: Relation) -> Iterator[tuple[Relation, by.By]]:
    known = (*(r for r in board.relations.values() if not r.over), *board.assumptions.values())
    sides = [s for r in (claim, *known) for s in (r.left, r.right)]
    totals = sorted({t for s in sides for t in s.atoms(Total)}, key=str)
    inside = {i for i, _, _ in claim.over}
    for name, relation in list(board.relations.items()):
        for index, low, high in relation.over:
            if index in inside:
                continue
            like = [t for t in totals if (t.args[2], t.args[3]) == (low, high)]
            if not like and not any(t.args[3] == high for t in totals):
                continue
            weights = dict.fromkeys([sympy.Integer(1), *_weights(relation, index, like)])
            for weight in list(weights)[:4]:
                said = _concluded(by.sum_over(index, name, weight=weight).rule, relation)
                if said is not None:
                    yield said, by.sum_over(index, name, weight=weight)


def _weights(relation: Relation, index: Symbol, totals: list[Total]) -> Iterator[Expr]:
    """Yield what multiplies the relation's terms in the sums of the goal."""
    left = set(_families(relation.left))
    for own, total in itertools.product((left | set(_families(relation.right)), left), totals):
        body = sympy.expand(total.args[0].xreplace({total.args[1]: index}))
        for part in sympy.Add.make_args(body):
            factors = [f for f in sympy.Mul.make_args(part) if not f.is_number]
            rest = [f for f in factors if not (set(_families(f)) & own)]
            signed = relation.op == "==" or all(f.is_nonnegative for f in rest)
            if rest and len(rest) < len(factors) and signed:
                yield sympy.Mul(*rest)
            if all(f.is_nonnegative for f in factors):
                yield sympy.Mul(*factors)


def means(board: Board, claim: Relation) -> Board:
    """Return the board with the expectations of what is known about random numbers, and of the squares of deviations."""
    if not (claim.left.has(E) or claim.right.has(E)):
        return board
    for definition in board.definitions:
        if definition.left.is_real and is_random(definition.left) and len(definition.left.args) == 1:
            board = board.accept(le(0, definition.left**2), by.linear()) or board
    for mean in sorted(claim.gap.atoms(E), key=str)[:3]:
        deviation = mean.args[0] - mean
        square = None if is_vector(deviation) else board.accept(le(0, deviation**2, *claim.over), by.polynomial())
        board = square or board
    return _added(board, _means(board))


def dotted(board: Board, claim: Relation) -> Board:
    """Return the board with the products of equations between vectors and the vectors that the goal multiplies."""
    if is_vector(claim.gap) or not claim.gap.has(Dot):
        return board
    vectors = {v for d in claim.gap.atoms(Dot) for v in d.atoms(Vector) if not is_random(v)}
    inside = {i for i, _, _ in claim.over}
    equations = [(name, r) for name, r in board.relations.items() if r.op == "==" and not r.over and is_vector(r.gap)]
    lines = (
        (eq(Dot(r.left, v), Dot(r.right, v) if r.right != 0 else 0), by.linear({name: v}))
        for name, r in equations[:MOST_DOTTED]
        for v in sorted(vectors, key=str)[:MOST_DOTTED]
        if not free_symbols(v) & inside
    )
    return _added(board, lines)


def squares(board: Board, claim: Relation) -> Board:
    """Return the board with the squares of equations between sums of vectors, where the goal has expectations."""
    if not (claim.left.has(E) or claim.right.has(E)):
        return board
    sums_of_vectors = [
        (name, r)
        for name, r in board.relations.items()
        if r.op == "==" and not r.over and is_vector(r.gap) and r.gap.has(Total)
    ]
    return _added(
        board,
        iter(
            (eq(Dot(r.left, r.left), Dot(r.right, r.right) if r.right != 0 else 0), by.linear({name: r.left + r.right}))
            for name, r in sums_of_vectors
        ),
    )


def _means(board: Board) -> Iterator[tuple[Relation, by.By]]:
    for name, relation in list(board.relations.items()):
        if (is_random(relation.left) or is_random(relation.right)) and not is_vector(relation.gap):
            said = _concluded(by.expectation(name).rule, relation)
            if said is not None:
                yield said, by.expectation(name)


def signs(board: Board, claim: Relation) -> Board:
    """Return the board with the nonnegative sums and squares of vectors that occur in the goal."""
    for total in _outermost(claim):
        ranges, body = list[tuple[Symbol, Expr, Expr]](), total
        while isinstance(body, Total):
            ranges.append((body.args[1], body.args[2], body.args[3]))
            body = body.args[0]
        if {i for i, _, _ in ranges} & {i for i, _, _ in claim.over}:
            continue
        said = le(0, total, *claim.over)
        if board.stating(said) is not None:
            continue
        term = le(0, body, *claim.over, *ranges)
        each = board.accept(term, by.linear()) or board.accept(term, by.sos())
        if each is not None:
            board = each.accept(said, by.sum_over(tuple(i for i, _, _ in reversed(ranges)), each.last)) or board
    return board


def _outermost(claim: Relation) -> list[Total]:
    found = {t for s in (claim.left, claim.right) for t in _atoms_outside_sums(s) if isinstance(t, Total)}
    return sorted((t for t in found if not is_vector(t)), key=str)[:6]


def spreads(board: Board, claim: Relation) -> Board:
    """Return the board with Jensen's inequality for each squared sum in the goal: differences have squares."""
    for total in _squared_sums(claim):
        body, index, low, high = total.args
        board = _weighted_spread(board, claim, total) or board
        other = Symbol(f"{index.name}_2", **index.assumptions0)
        if index in {i for i, _, _ in claim.over} or (is_random(body) and claim.gap.has(E)):
            continue
        difference = body - substitute(body, {index: other})
        square = Dot(difference, difference) if is_vector(body) else difference**2
        ranges = ((index, low, high), (other, low, high))
        each = board.accept(le(0, square, *claim.over, *ranges), by.sos() if is_vector(body) else by.polynomial())
        if each is not None:
            said = le(0, Total(Total(square, index, low, high), other, low, high), *claim.over)
            board = each.accept(said, by.sum_over((index, other), each.last)) or board
    return board


def _weighted_spread(board: Board, claim: Relation, total: Total) -> Board | None:
    """Return the board with |sum of w v|^2 <= W sum of w |v|^2, for weights w >= 0 of which a line says that they add up to W."""
    body, *rest = total.args
    over = (rest[0], rest[1], rest[2])
    for name, weight, whole in _weights_with_sum(board, over):
        point = sympy.Add(*(sympy.cancel(c / weight) * v for c, v in _parts(body)))
        below = sympy.fraction(sympy.together(sympy.Add(*(sympy.cancel(c / weight) for c, _ in _parts(body)))))[1]
        if not below.is_positive:
            continue
        sign, total_sign = le(0, weight, over), [] if whole.is_positive else [le(0, whole)]
        board = board if board.stating(sign) else board.accept(sign, by.linear()) or board
        signs = [n for s in (sign, *total_sign) if (n := board.stating(s))]
        plain = _no_square_is_negative(board, point - total / whole, (*claim.over, over))
        spread = le(0, weight * _squared(point - total / whole), *claim.over, over)
        each = plain and plain.accept(spread, by.linear({plain.last: weight}, *signs))
        summed = each and each.accept(le(0, Total(spread.right, *over), *claim.over), by.sum_over(over[0], each.last))
        said = le(_squared(total), whole * Total(weight * _squared(point), *over), *claim.over)
        done = summed and summed.accept(said, by.linear({summed.last: whole, name: _squared(total) / whole}, *signs))
        if done is not None:
            return done
    return None


def _no_square_is_negative(board: Board, body: Expr, over: tuple[Range, ...]) -> Board | None:
    """Return the board with a last line 0 <= |v|^2; a fact says so where v has sums, whose square is a sum of products."""
    said = le(0, _squared(body), *over)
    if not is_vector(body):
        return board.accept(said, by.polynomial())
    sign = name_of(SIGN, board.lemmas)
    return board.accept(said, by.sos()) or (board.accept(said, by.apply(sign, {any_vector: body})) if sign else None)


def _weights_with_sum(board: Board, over: Range) -> Iterator[tuple[str, Expr, Expr]]:
    """Yield the weights over a range of which a line says what they add up to, its name, and their sum."""
    index, low, high = over
    for name, known in board.relations.items():
        total = known.left
        if known.op != "==" or known.over or not isinstance(total, Total) or is_vector(total):
            continue
        if total.args[2:] == (low, high) and not known.right.has(Total) and known.right != 0:
            yield name, substitute(total.args[0], {total.args[1]: index}), known.right


def _parts(body: Expr) -> list[tuple[Expr, Expr]]:
    return list(linear_form(body)) if is_vector(body) else [(body, sympy.Integer(1))]


def _squared(body: Expr) -> Expr:
    return Dot(body, body) if is_vector(body) else body**2


def _squared_sums(claim: Relation) -> list[Total]:
    found = {t.args[0] for s in (claim.left, claim.right) for t in s.atoms(Dot) if t.args[0] == t.args[1]}
    found |= {p.base for s in (claim.left, claim.right) for p in s.atoms(sympy.Pow) if p.exp == 2}
    return sorted({v for side in found for v in side.atoms(Total) if not v.args[0].atoms(Total)}, key=str)[:3]


def lengths(board: Board, claim: Relation) -> Board:
    """Return the board with the squares of the vectors that the goal or an equation names: none is negative.

    Lengths that the goal multiplies are at least the inner product of their vectors.
    """
    sides = [claim.left, claim.right, *(r.left for r in board.relations.values() if r.op == "==" and not r.over)]
    points = {v for s in sides for v in s.atoms(Vector) if len(v.args) == 1 and not v.random}
    lines = [(le(0, Dot(v, v)), by.sos()) for v in sorted(points, key=str)[:4]]
    below, (one, two) = name_of(LENGTHS, board.lemmas), LENGTHS.statement.left.args
    for first, second in _length_pairs(claim) if below else ():
        said = le(Dot(first, second), sympy.sqrt(Dot(first, first)) * sympy.sqrt(Dot(second, second)))
        lines.append((said, by.apply(str(below), {one: first, two: second})))
    return _added(board, itertools.chain(lines, _lengths_of_sums(board, claim)))


def _lengths_of_sums(board: Board, claim: Relation) -> Iterator[tuple[Relation, by.By]]:
    """Yield that the length of a sum in the goal is at most the sum of the lengths."""
    name = name_of(NORMS, board.lemmas)
    roots = [p for p in sorted(claim.gap.atoms(sympy.Pow), key=str) if p.exp == sympy.Rational(1, 2)] if name else []
    for root in roots:
        vector = root.base.args[0] if isinstance(root.base, Dot) and root.base.args[0] == root.base.args[1] else None
        parts = list(linear_form(vector)) if vector is not None else []
        if len(parts) != 1 or not isinstance(parts[0][1], Total):
            continue
        ((factor, total),) = parts
        body, index, start, end = total.args
        each = factor * body
        at = {SUMMAND(index): each, FIRST: start, TERMS: end - start + 1}
        said = le(root, Total(sympy.sqrt(Dot(each, each)), index, start, end), *claim.over)
        yield said, by.apply(str(name), at)


def _length_pairs(claim: Relation) -> list[tuple[Expr, Expr]]:
    """Return the vectors whose lengths a part of the goal multiplies, with both signs of the second."""
    found = dict[tuple[Expr, Expr], None]()
    for part in sympy.Add.make_args(sympy.expand(claim.gap)) if not is_vector(claim.gap) else ():
        roots = [
            f.base for f in sympy.Mul.make_args(part) if isinstance(f, sympy.Pow) and f.exp == sympy.Rational(1, 2)
        ]
        own = [d.args[0] for d in roots if isinstance(d, Dot) and d.args[0] == d.args[1]]
        if len(own) == 2 and not any(map(is_random, own)):
            found |= {(own[0], own[1]): None, (own[0], -own[1]): None}
    return list(found)[:MOST_PAIRS]


def closed_sums(board: Board, claim: Relation) -> Board:
    """Return the board with the closed forms of the geometric sums in a goal, each by an induction."""
    for total in sorted({t for s in (claim.left, claim.right) for t in s.atoms(Total)}, key=str):
        body, index, low, high = total.args
        base = body.base if isinstance(body, sympy.Pow) and body.exp == index else None
        if base is None or index in free_symbols(base) or not low.is_Integer or free_symbols(total) & _indices(claim):
            continue
        board = _geometric(board, base, index, low, sympy.expand(high - low + 1)) or board
    return board


def _indices(claim: Relation) -> set[Symbol]:
    return {i for i, _, _ in claim.over}


def _geometric(board: Board, base: Expr, index: Symbol, low: Expr, terms: Expr) -> Board | None:
    """Return the board with a last line that states the sum of so many powers of a number, from a first one."""
    count = Symbol("terms", integer=True, nonnegative=True)

    def closed(i: Expr) -> tuple[Expr, Expr]:
        return Total(base**index, index, low, low + i - 1), (base**low - base ** (low + i)) / (1 - base)

    if board.stating(eq(*closed(terms))) is not None or board.assuming:
        return None
    first = board.accept(eq(*closed(sympy.Integer(0))), by.linear())
    if first is None:
        return None
    now, after = eq(*closed(count)), eq(*closed(count + 1), (count, 0, terms - 1))
    whole = by_steps(first, first.last, now, after, by.linear({"assumed 1": 1}), (count, sympy.Integer(0), terms))
    return whole and whole.accept(eq(*closed(terms)), by.instance({count: terms}, whole.last))
