"""What must hold of every statement and every term that a proof brings in, whatever the rule: ranges, names, domains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import sympy
from sympy import Expr, Symbol

from fltheory.proof.algebra import polynomial
from fltheory.proof.algebra.normal import is_zero, normal
from fltheory.proof.language import Defines, Given, Hypothesis, Member, Relation
from fltheory.proof.sound import defined, grammar
from fltheory.proof.sound.context import nonnegative, positive
from fltheory.proof.sound.defined import anywhere, slots_of
from fltheory.proof.terms import Fun, Nonnegative, Positive, RandomInteger, Term, free, is_random, is_vector

_SIMPLE = tuple(
    Symbol("i", **kind).assumptions0
    for kind in ({"integer": True}, {"integer": True, "nonnegative": True}, {"integer": True, "positive": True})
)


def statement(relation: Relation, bound: grammar.Bound = grammar.NONE) -> Iterator[str]:
    """Faults of a relation: what is no term of real numbers and vectors, ranges that its indices don't fit.

    ``bound`` are indices that the relation does not bind itself: those of the step that supposes it.
    """
    wrong = tuple(grammar.relation(relation, bound))
    yield from wrong
    if wrong:
        return
    seen: set[Symbol] = set()
    indices = {i for i, _, _ in relation.over}
    for index, low, high in relation.over:
        if not isinstance(index, Symbol) or index in seen:
            yield f"the index {index} stands twice, or is no symbol"
            continue
        if (free(low) | free(high)) & (indices - seen):
            yield f"the range {low}..{high} of {index} depends on a later index"
        seen.add(index)
        if is_random(low) or is_random(high):
            yield f"the range {low}..{high} of {index} depends on chance"
        if index.assumptions0 not in _SIMPLE and index.assumptions0 != Symbol("i").assumptions0:
            yield f"the index {index} must be an integer, perhaps nonnegative or positive, and nothing more"
        first = 1 if index.is_positive else 0 if index.is_nonnegative else None
        if first is not None and not polynomial.nonnegative(sympy.expand(low - first)):
            yield f"the index {index} is never below {first}, but its range begins at {low}"


def hypotheses(entries: Iterable[Hypothesis]) -> Iterator[str]:
    """Faults of hypotheses: a definition must be one, whatever its indices are, and mean something everywhere."""
    defined: dict[Any, str] = {}
    reads: dict[Any, set[Any]] = {}
    for entry in entries:
        if isinstance(entry, Given):
            yield from (f"{entry.id}: {fault}" for fault in statement(entry.relation))
        elif isinstance(entry, Member):
            yield from (f"{entry.id}: {fault}" for fault in _member(entry))
        else:
            key = _family(entry.left)
            if key in defined:
                yield f"{entry.id}: {entry.left} is defined twice"
            defined[key] = entry.id
            reads[key] = {_family(t) for t in sympy.preorder_traversal(entry.right) if isinstance(t, Term | Symbol)}
            yield from (f"{entry.id}: {fault}" for fault in _definition(entry))
    for key, name in defined.items():
        reached, stack = set(), [key]
        while stack:
            for other in reads.get(stack.pop(), ()):
                if other in reads and other not in reached:
                    reached.add(other)
                    stack.append(other)
        if key in reached:
            yield f"{name}: the definition goes in circles"


@lru_cache(maxsize=20_000)
def loose(relation: Relation) -> frozenset[Symbol]:
    """The symbols of a relation that its ranges do not bind."""
    ends = frozenset().union(*(free(lo) | free(hi) for _, lo, hi in relation.over))
    return (free(relation.left) | free(relation.right) | ends) - {i for i, _, _ in relation.over}


def _family(term: Expr) -> Any:
    return (term.func, term.args[0], len(term.args)) if isinstance(term, Term) and term.args else term


def _plain(slots: tuple[Any, ...]) -> bool:
    return all(isinstance(s, Symbol) for s in slots) and len(set(slots)) == len(slots)


def _member(entry: Member) -> Iterator[str]:
    function = entry.function
    if not isinstance(function, Fun) or not _plain(function.args[1:]):
        yield f"{function} is no function, or its indices are no different plain symbols"
        return
    bound = frozenset(function.args[1:])
    for part in (entry.smooth, entry.convex):
        if part is None:
            continue
        value = anywhere(function, sympy.sympify(part))
        yield from grammar.number(value, bound)
        yield from map(str, defined.needs(value))


def _definition(entry: Defines) -> Iterator[str]:
    left, right = entry.left, sympy.sympify(entry.right)
    named = isinstance(left, Symbol) or type(left) in (*grammar.VECTORS, *grammar.SCALARS)
    if not named or not _plain(slots_of(left)):
        yield f"{left} is no symbol and no family with different plain symbols as indices"
        return
    wrong = tuple(grammar.term(right, frozenset(slots_of(left))))
    yield from wrong
    if wrong:
        return
    if is_random(right) and not is_random(left):
        yield f"{right} depends on chance, {left} does not"
    if is_vector(left) != is_vector(right) and right != 0:
        yield f"{right} is not of the sort of {left}"
    value = anywhere(left, right)
    if isinstance(left, Symbol) and not fits(left, value, ()):
        yield f"{right} is not seen to fit the assumptions on {left}"
    if isinstance(left, RandomInteger) and not value.is_integer:
        yield f"{right} is not known to be an integer"
    if isinstance(left, Nonnegative) and not nonnegative(value, ()):
        yield f"{right} is not seen to be nonnegative"
    if isinstance(left, Positive) and not (value.is_positive or positive(normal(value), ())):
        yield f"{right} is not seen to be positive"
    if not real(value, ()):
        yield f"{right} is not seen to be a real number everywhere"


def fits(symbol: Symbol, value: Expr, facts: tuple[Expr, ...], above: tuple[Expr, ...] = ()) -> bool:
    """Whether a value obeys the assumptions of the symbol that it stands for; ``above`` are known to be > 0."""
    if is_vector(value) or value.is_finite is False:
        return False
    signed = False
    for kind, wanted in symbol._assumptions_orig.items():
        if kind == "commutative":
            continue
        signed = signed or (wanted and kind in ("positive", "nonnegative"))
        if wanted and kind == "positive":
            known = any(is_zero(value - p) for p in above) or positive(normal(value), facts)
            if not (known or (value.is_integer and nonnegative(value - 1, facts)) or value.is_positive):
                return False
        elif wanted and kind == "nonnegative":
            if not nonnegative(value, facts):
                return False
        elif getattr(value, f"is_{kind}") is not wanted:
            return False
    return signed or value.is_extended_real is True


def real(
    expr: Expr, facts: tuple[Expr, ...], above: tuple[Expr, ...] = (), bound: grammar.Bound = grammar.NONE
) -> bool:
    """Whether a term is one of the proof language, and seen to have a value everywhere."""
    expr = sympy.sympify(expr)
    return next(grammar.term(expr, bound), None) is None and all(n.met(facts, above) for n in defined.needs(expr))
