"""Application of proved theorems: the values with which a lemma says something about the goal, and its hypotheses there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import sympy
from sympy import Basic, Expr, Symbol

from fltheory.proof import by
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.language import Defines, Given, Relation, Theorem
from fltheory.proof.tactics.forward import conclude
from fltheory.proof.tactics.hypotheses import met_by
from fltheory.proof.terms import Fun, RandomIndex, Scalar, Term, Total, Vector, free_symbols, is_random, is_vector
from fltheory.proving.board import Board
from fltheory.proving.tactics.closing import close, close_at_once, insertions
from fltheory.proving.tactics.goals import Solve
from fltheory.proving.tactics.unify import MOST_STEPS, Binding, Matcher, family_of

At = tuple[tuple[Expr, Expr], ...]
MOST_VALUES = 8  # for one lemma


def applied(board: Board, claim: Relation, lemma: Theorem, solve: Solve | None) -> Iterator[Board]:
    """Yield the board with an instance of a lemma, first those that state the claim."""
    seen = set[At]()
    for at in values(board, claim, lemma):
        if at in seen or len(seen) >= MOST_VALUES:
            continue
        seen.add(at)
        try:
            found = _apply(board, claim, lemma, at, solve)
        except RandomIndex:  # a value at a random index: the lemma says nothing there
            continue
        if found is not None:
            yield found


def _apply(board: Board, claim: Relation, lemma: Theorem, at: At, solve: Solve | None) -> Board | None:
    view = {h.id: h for h in board.hypotheses} | board.relations
    said = conclude(by.apply(lemma, at).rule, [], lemma)
    if said is None:
        return None
    ranged = _ranged(said, claim, board)
    states_goal = _sides(said) == _sides(claim)
    if not states_goal and (board.stating(ranged) is not None or said.left == said.right):
        return None  # it is known
    needed_signs = _signs(board, at)
    unmet = [*_unmet(board, lemma, at), *needed_signs]
    signs = (name for need in _signs(board, at, True) if (name := board.stating(need)))
    names = tuple(dict.fromkeys((*met_by(lemma, at, view), *signs)))
    uses = dict.fromkeys((*names, *(n for n in board.relations if _short(board.relations[n]))))
    for state in (claim, ranged) if states_goal else (ranged,):
        for inserting in _inserting(board, lemma, claim):
            if done := board.accept(state, by.apply(lemma, at, *names), inserting):
                return done
            if list(uses) != list(names) and (done := board.accept(state, by.apply(lemma, at, *uses), inserting)):
                return done
    if solve is None or not unmet or len(unmet) > 3 or any(map(board.refutes, unmet)):
        return None
    further = board
    for need in unmet:
        shown = close_at_once(further, need) or close(further, need)
        if shown is None and (states_goal or need in needed_signs):
            shown = solve(further, need)
        if shown is None:
            return None
        further = shown
    return _apply(further, claim, lemma, at, None)


def _ranged(said: Relation, claim: Relation, board: Board) -> Relation:
    """Return an instance for all values of the indices of the goal, of its sums, or of what is known, that occur in it."""
    coming = free_symbols(said.left) | free_symbols(said.right)
    ranges = {i: (i, low, high) for i, low, high in said.over}
    sides = (claim.left, claim.right)
    totals = sorted({t for s in sides for t in s.atoms(Total)}, key=str)
    for index, low, high in (
        *claim.over,
        *(t.args[1:] for t in totals),
        *(r for relation in board.relations.values() for r in relation.over),
    ):
        if index in coming and index not in ranges:
            ranges[index] = (index, low, high)
    return Relation(said.left, said.op, said.right, tuple(ranges.values()))


def _short(relation: Relation) -> bool:
    return not relation.left.has(Total) and not relation.right.has(Total) and sympy.count_ops(relation.gap) < 12


def _inserting(board: Board, lemma: Theorem, claim: Relation) -> tuple[tuple[str, ...], ...]:
    if not any(isinstance(h, Defines) for h in lemma.hypotheses):
        return ((),)
    return tuple(dict.fromkeys((tuple(d.id for d in board.definitions), *list(insertions(board, claim))[1:], ())))


def _sides(relation: Relation) -> tuple[Expr, str, Expr]:
    return relation.left, relation.op, relation.right


def _unmet(board: Board, lemma: Theorem, at: At) -> list[Relation]:
    """Return the hypotheses of the lemma there that no line states word for word."""
    pairs = [(sympy.sympify(k), sympy.sympify(v)) for k, v in at]
    there = {_sides(r) for r in board.relations.values()}
    found = []
    for hypothesis in lemma.hypotheses:
        if isinstance(hypothesis, Given):
            relation = substitute_relation(hypothesis.relation, pairs)
            if _sides(relation) not in there and relation.gap.is_nonnegative is not True:
                found.append(relation)
    return found


def _signs(board: Board, at: At, stated: bool = False) -> list[Relation]:
    """Return the signs that values must have in the place of positive or nonnegative symbols, as far as no form shows them."""
    found = []
    for key, value in at:
        if is_vector(value) or not isinstance(value, Expr) or isinstance(value, Fun):
            continue
        if key.is_positive and not value.is_positive:
            found.append(Relation(sympy.Integer(0), "<", value, ()))
        elif key.is_nonnegative and not value.is_nonnegative:
            found.append(Relation(sympy.Integer(0), "<=", value, ()))
    return [r for r in found if (board.stating(r) is not None) == stated and not is_random(r.right)]


def values(board: Board, claim: Relation, lemma: Theorem) -> Iterator[At]:
    """Yield values for the symbols and families of a lemma: their own names, then those that match the goal or what is known."""
    own = variables(lemma)
    new = own - variables_of([claim, *board.relations.values()])
    if not new:
        yield ()
    elif new < own:
        yield from _matched(board, claim, lemma, new)
    yield from _matched(board, claim, lemma, own)


def _matched(board: Board, claim: Relation, lemma: Theorem, own: frozenset[object]) -> Iterator[At]:
    """Yield values for some variables of a lemma with which it says something about the goal or meets what is known."""
    matcher = Matcher(own)
    starts = [*_from_goal(matcher, lemma.statement, claim, [s.claim for s in board.usable_lines])]
    givens = [h.relation for h in lemma.hypotheses if isinstance(h, Given)]
    for relation in givens:
        for known in board.relations.values() if _open(relation, {}, own) else ():
            if known.op == relation.op:
                matcher.restart()
                found = itertools.islice(_sides_match(matcher, relation, known, {}), 3 * MOST_VALUES)
                starts += sorted(found, key=_operations)[:2]
    for start in starts:
        matcher.charge(board.budget)
        for whole in _completed(matcher, givens, board, start, own):
            yield _at(whole)
    matcher.charge(board.budget)


def _from_goal(matcher: Matcher, statement: Relation, claim: Relation, known: list[Relation]) -> Iterator[Binding]:
    """Yield values with which the lemma states the goal, or speaks of terms that occur in it."""
    matcher.restart()
    whole = list(_sides_match(matcher, statement, claim, {}))[:3]
    yield from whole
    if not whole:
        for p, t in ((statement.left, claim.left), (statement.right, claim.right)):
            matcher.restart()
            if not isinstance(p, Symbol):
                yield from list(matcher.match(p, t, {}, _pairs(statement, claim)))[:3]
    yield from itertools.islice(_by_atoms(matcher, statement, [claim, *known]), MOST_VALUES)


def _by_atoms(matcher: Matcher, statement: Relation, relations: list[Relation]) -> Iterator[Binding]:
    """Yield values with which each function or sum of the statement's sides becomes one that occurs in the relations."""
    patterns = _atoms([statement])
    if not 0 < len(patterns) <= 4:
        return
    targets = list(dict.fromkeys(t for r in relations for side in (r.left, r.right) for t in _subterms(side)))
    matcher.restart()

    def choose(rest: list[Basic], binding: Binding) -> Iterator[Binding]:
        if not rest:
            yield binding
            return
        if binding and not _variables_in(rest[0]) & matcher.variables - _bound(binding):
            yield from choose(rest[1:], binding)
            return
        for target in targets:
            if isinstance(target, type(rest[0])) and matcher.steps < MOST_STEPS:
                for found in matcher.match(rest[0], target, binding, ()):
                    yield from choose(rest[1:], found)

    yield from choose(patterns, {})


def _atoms(relations: list[Relation]) -> list[Basic]:
    """Return the outermost parts that are not arithmetic, the largest first; no plain symbols."""
    found = dict[Basic, None]()

    def visit(term: Basic) -> None:
        if isinstance(term, sympy.Add | sympy.Mul) or (isinstance(term, sympy.Pow) and term.exp.is_Integer):
            for argument in term.args:
                visit(argument)
        elif not isinstance(term, Symbol | sympy.Number):
            found[term] = None

    for relation in relations:
        visit(relation.left)
        visit(relation.right)
    return sorted(found, key=lambda t: (-sympy.count_ops(t), str(t)))


def _subterms(term: Basic) -> Iterator[Basic]:
    yield term
    args = (
        term.args[:1]
        if isinstance(term, Total)
        else term.args[1:]
        if isinstance(term, Vector | Scalar | Fun)
        else term.args
    )
    for argument in args:
        yield from _subterms(argument)


def _pairs(pattern: Relation, target: Relation) -> tuple[tuple[Symbol, Symbol], ...]:
    return tuple((p[0], t[0]) for p, t in zip(pattern.over, target.over, strict=False))


def _sides_match(matcher: Matcher, pattern: Relation, target: Relation, binding: Binding) -> Iterator[Binding]:
    if len(pattern.over) > len(target.over):
        return
    bound = _pairs(pattern, target)
    for found in matcher.match(pattern.left, target.left, binding, bound):
        for both in matcher.match(pattern.right, target.right, found, bound):
            yield from _ends_match(matcher, pattern, target, both, bound)


def _ends_match(
    matcher: Matcher, pattern: Relation, target: Relation, binding: Binding, bound: tuple[tuple[Symbol, Symbol], ...]
) -> Iterator[Binding]:
    for (_, low, high), (_, its_low, its_high) in zip(pattern.over, target.over, strict=False):
        for one, other in ((low, its_low), (high, its_high)):
            found = next(matcher.match(one, other, binding, bound), None)
            binding = binding if found is None else found
    yield binding


def _completed(
    matcher: Matcher, givens: list[Relation], board: Board, binding: Binding, own: frozenset[object]
) -> Iterator[Binding]:
    """Yield bindings in which the lemma's hypotheses give the values that its statement leaves open."""
    for relation in givens:
        if not _open(relation, binding, own):
            continue
        for known in board.relations.values():
            if known.op == relation.op:
                matcher.restart()
                found = next(_sides_match(matcher, relation, known, binding), None)
                if found is not None:
                    binding = found
                    break
    yield binding


def _operations(binding: Binding) -> int:
    return sum(int(sympy.count_ops(value)) for value in binding.values())


def _open(relation: Relation, binding: Binding, own: frozenset[object]) -> bool:
    return bool(variables_of([relation]) & own - _bound(binding))


def _bound(binding: Binding) -> frozenset[object]:
    return frozenset(k if isinstance(k, Symbol) else family_of(k) for k in binding)


def _at(binding: Binding) -> At:
    return tuple((k, v) for k, v in binding.items() if k != v)


def variables(lemma: Theorem) -> frozenset[object]:
    """Return the symbols and families of a theorem that an application may replace."""
    relations = [lemma.statement, *(h.relation for h in lemma.hypotheses if isinstance(h, Given))]
    found = variables_of(relations)
    for h in lemma.hypotheses:
        if not isinstance(h, Given | Defines):
            found |= frozenset({family_of(h.function)})
    return found


def _variables_in(term: Basic) -> frozenset[object]:
    return variables_of([Relation(term, "==", sympy.Integer(0))])


def variables_of(relations: list[Relation]) -> frozenset[object]:
    """Return the free symbols and the families of some relations."""
    found = set[object]()
    for relation in relations:
        indices = {i for i, _, _ in relation.over}
        ends = [end for _, low, high in relation.over for end in (low, high)]
        for term in (relation.left, relation.right, *ends):
            found |= free_symbols(term) - indices
            found |= {family_of(t) for t in term.atoms(Term) if isinstance(t, Vector | Scalar | Fun)}
    return frozenset(found)
