"""The context of a step: the relations that it uses, inserted definitions, signs, members of function classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy
from sympy import Expr, Symbol

from fltheory.proof.algebra import polynomial, quotient
from fltheory.proof.algebra.normal import equal, is_zero, normal_form
from fltheory.proof.algebra.samples import differ, negative_somewhere
from fltheory.proof.language import Defines, Member, ProofError, Relation
from fltheory.proof.terms import Fun, Term, Total, free_symbols, instantiate, is_vector, rebuild, substitute


class Equation(Defines):
    """An equation used as a definition of ``left`` as it is written, with exactly these indices."""


@dataclass(frozen=True)
class Context:
    """The context of a step: ``used`` relations by id, each with its local assumptions, and definitions and members."""

    used: Mapping[str, Relation]
    definitions: tuple[Defines, ...]
    members: tuple[Member, ...]
    claim: Relation

    def facts(self) -> tuple[Expr, ...]:
        """Return the nonnegative numbers: gaps of used inequalities between numbers, both gaps of equations, ranges."""
        found: list[Expr] = []
        for relation in self.used.values():
            if is_vector(relation.gap) or not same_ranges(relation, self.claim):
                continue
            gap = self.inserted(relation.gap)
            found += [gap] if relation.op != "==" else [gap, -gap]
        for index, low, high in self.claim.over:
            if low is not -sympy.oo:
                found.append(index - low)
            if high is not sympy.oo:
                found.append(high - index)
        return tuple(found)

    def positive(self) -> tuple[Expr, ...]:
        """Return the positive numbers: gaps of the used strict inequalities."""
        return tuple(self.inserted(r.gap) for r in self.used.values() if r.op == "<" and same_ranges(r, self.claim))

    def expand(self, expr: Expr) -> Expr:
        """Return the term with the definitions inserted, one after the other."""
        for definition in self.definitions:
            if isinstance(definition, Equation):
                expr = substitute(expr, {definition.left: definition.right})
            else:
                expr = insert(expr, definition.left, definition.right)
        return expr

    def inserted(self, gap: Expr) -> Expr:
        """Return the normal form of a number with the definitions inserted."""
        return _insert_definitions(gap, self.definitions)


@lru_cache(maxsize=20_000)
def _insert_definitions(gap: Expr, definitions: tuple[Defines, ...]) -> Expr:
    return normal_form(Context({}, definitions, (), Relation(gap, "<=", gap)).expand(gap))


def same_ranges(relation: Relation, claim: Relation, facts: tuple[Expr, ...] = ()) -> bool:
    """Return whether each index of ``relation`` occurs in the claim, with the same range or a provable part of it."""
    own = {i: (lo, hi) for i, lo, hi in claim.over}
    return all(i in own and _is_within(own[i], (lo, hi), facts) for i, lo, hi in relation.over)


def _is_within(inner: tuple[Expr, Expr], outer: tuple[Expr, Expr], facts: tuple[Expr, ...]) -> bool:
    low = outer[0] is -sympy.oo or _is_nonnegative_distance(inner[0] - outer[0], facts)
    return low and (outer[1] is sympy.oo or _is_nonnegative_distance(outer[1] - inner[1], facts))


def _is_nonnegative_distance(distance: Expr, facts: tuple[Expr, ...]) -> bool:
    distance = sympy.expand(distance)
    return bool(distance >= 0) if distance.is_Rational else is_nonnegative(distance, facts)


def insert(expr: Expr, left: Expr, right: Expr) -> Expr:
    """Replace every occurrence of ``left`` by ``right``; plain symbols as indices of ``left`` stand for any index."""
    if isinstance(left, Symbol):
        return substitute(expr, {left: right})
    if not isinstance(left, Term):
        raise ProofError(f"{left} can't be defined: expected a symbol or a member of a family")
    slots = left.args[1:]
    if not all(isinstance(s, Symbol) for s in slots) or len(set(slots)) != len(slots):
        raise ProofError(f"the indices of {left} must be different plain symbols")
    return _insert(expr, left, slots, right)


@lru_cache(maxsize=100_000)
def _families(expr: sympy.Basic) -> frozenset[Any]:
    """Return the heads of all subterms: their kinds and, for families, their names."""
    own = {(expr.func, expr.args[0])} if isinstance(expr, Term) and expr.args else set()
    return frozenset(own).union(*map(_families, expr.args))


def _insert(expr: Expr, left: Expr, slots: tuple[Symbol, ...], right: Expr) -> Expr:
    if (left.func, left.args[0]) not in _families(expr):
        return expr
    if isinstance(expr, Total):  # renames an index that would capture a symbol of ``right``
        body, index, low, high = expr.args
        caught = index in free_symbols(right) - set(slots)
        own = sympy.Dummy(index.name, **index.assumptions0) if caught else index
        body = _insert(substitute(body, {index: own}) if caught else body, left, slots, right)
        return Total(body, own, _insert(low, left, slots, right), _insert(high, left, slots, right))
    args = tuple(_insert(a, left, slots, right) for a in expr.args)
    if expr.func is left.func and args[0] == left.args[0] and len(args) == len(left.args):
        return instantiate(right, dict(zip(slots, args[1:], strict=True)))
    return rebuild(expr, args)


def is_nonnegative(expr: Expr, facts: Iterable[Expr]) -> bool:
    """Return whether a number is visibly >= 0, or equals a fact times, or plus, something visibly >= 0.

    A quotient is if its numerator is, and its denominator, or each factor of it, is positive by ``is_positive``.
    """
    expr = normal_form(expr)
    if _is_visibly_nonnegative(expr):
        return True
    facts = tuple(f for f in facts if f != 0)
    if any(not negative_somewhere(expr, fact) and _is_visibly_nonnegative(sympy.expand(expr - fact)) for fact in facts):
        return True
    if any(not differ(expr, fact) and is_zero(expr - fact) for fact in facts):
        return True
    top, bottom = quotient.read_quotient(expr).expressions()
    if bottom != 1 and any(_is_nonnegative_quotient(s * top, s * bottom, facts) for s in (1, -1)):
        return True
    if bottom != 1 and all(is_positive(f, facts) for f in sympy.Mul.make_args(sympy.factor(bottom))):
        return is_nonnegative(sympy.expand(top), facts)
    for fact in facts:
        over, under = quotient.read_quotient(expr / fact).expressions()
        simpler = sympy.count_ops(over / under) < sympy.count_ops(expr) > sympy.count_ops(normal_form(over / under))
        if simpler and is_nonnegative(over / under, facts):
            return True
    return False


def _is_nonnegative_quotient(top: Expr, bottom: Expr, facts: tuple[Expr, ...]) -> bool:
    bottom = sympy.expand(bottom)
    return is_positive(bottom, facts) and is_nonnegative(sympy.expand(top), facts)


def is_positive(expr: Expr, facts: Iterable[Expr]) -> bool:
    """Return whether a number is visibly positive, or equals one or two facts plus something visibly positive."""
    return _is_positive(expr, tuple(facts))


@lru_cache(maxsize=50_000)
def _is_positive(expr: Expr, facts: tuple[Expr, ...]) -> bool:
    if _is_visibly_positive(expr):
        return True
    sums = [*((f,) for f in facts), *((a, b) for i, a in enumerate(facts) for b in facts[i + 1 :])]
    return any(_is_visibly_positive(sympy.expand(expr - sum(s))) for s in sums if not negative_somewhere(expr, *s))


@lru_cache(maxsize=20_000)
def _is_visibly_nonnegative(expr: Expr) -> bool:
    """Return whether a number is visibly >= 0, after each positive integer is written as 1 + (a nonnegative number)."""
    return not negative_somewhere(expr) and _is_seen_after_shift(polynomial.is_visibly_nonnegative, expr)


@lru_cache(maxsize=20_000)
def _is_visibly_positive(expr: Expr) -> bool:
    return not negative_somewhere(expr) and _is_seen_after_shift(polynomial.is_visibly_positive, expr)


def _is_seen_after_shift(seen: Callable[[Expr], bool], expr: Expr) -> bool:
    if seen(expr):
        return True
    counts = {s for s in expr.free_symbols if s.is_integer and s.is_positive}
    return bool(counts) and seen(expr.xreplace({s: 1 + _shift_symbol(s) for s in counts}))


@lru_cache(maxsize=1_000)
def _shift_symbol(count: Symbol) -> Symbol:
    """Return the symbol for a positive integer minus 1, which has always the same name."""
    return sympy.Dummy(count.name, integer=True, nonnegative=True)


def class_of(function: Expr, members: Iterable[Member]) -> Member:
    """Return the hypothesis about a function: that of its family."""
    for member in members:
        if (
            isinstance(function, Fun)
            and isinstance(member.function, Fun)
            and function.args[0] == member.function.args[0]
        ):
            slots = dict(zip(member.function.args[1:], function.args[1:], strict=True))
            smooth, convex = (
                None if c is None else instantiate(sympy.sympify(c), slots) for c in (member.smooth, member.convex)
            )
            return Member(member.id, function, smooth, convex)
    raise ProofError(f"no hypothesis that the step uses gives the class of {function}")


def same_relation(first: Relation, second: Relation) -> bool:
    """Return whether two relations are the same: difference of the sides, operation and ranges (up to names)."""
    if first == second:
        return True
    if first.op != second.op or len(first.over) != len(second.over):
        return False
    names = {j: i for (i, _, _), (j, _, _) in zip(first.over, second.over, strict=True) if i != j}
    renamed = Relation(
        substitute(second.left, names),
        second.op,
        substitute(second.right, names),
        tuple((names.get(j, j), substitute(lo, names), substitute(hi, names)) for j, lo, hi in second.over),
    )
    if any(not _same_end(a, b) for a, b in zip(first.over, renamed.over, strict=True)):
        return False
    ends = set().union(*(free_symbols(lo) | free_symbols(hi) for _, lo, hi in second.over))
    indices = {j for j, _, _ in second.over}
    if set(names.values()) & (free_symbols(second.left) | free_symbols(second.right) | ends) - indices:
        return False  # the name is taken
    if is_vector(first.gap) != is_vector(renamed.gap):
        return False
    return equal(first.gap, renamed.gap) or (first.op == "==" and equal(first.gap, -renamed.gap))


def _same_end(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return a[0] == b[0] and all(x == y or sympy.expand(x - y) == 0 for x, y in zip(a[1:], b[1:], strict=True))
