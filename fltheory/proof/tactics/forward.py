"""The claim of a forward step, computed from its rule and from the relations that it uses.

An index that occurs only in the values of an instance or of an applied theorem gets its range from the used relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy
from sympy import Abs, Expr, Symbol

from fltheory.proof import language as lang
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.language import Range, Relation, Rule, Theorem
from fltheory.proof.terms import E, Indicator, Total, free_symbols, instantiate, is_random, substitute


def conclude(rule: Rule, used: Sequence[Relation], lemma: Theorem | None = None) -> Relation | None:
    """Return what a rule derives from the used relations, in their order; None if the rule does not determine its claim."""
    if isinstance(rule, lang.Apply):
        return None if lemma is None else _applied(lemma, rule.at, used)
    if isinstance(rule, lang.Known):
        return _fact(rule, used)
    if not used:
        return None
    first = used[0]
    if isinstance(rule, lang.Summed):
        return _sum(rule, first)
    if isinstance(rule, lang.Expected):
        return Relation(_mean(first.left), _weak(first), _mean(first.right), first.over)
    if isinstance(rule, lang.Instance):
        return _instance(dict(rule.at), first, used)
    if isinstance(rule, lang.Monotone):
        return Relation(Indicator(first.left), "<=", Indicator(first.right), first.over)
    if isinstance(rule, lang.Cases):
        return first
    if len(used) < 2:
        return None
    second = used[1]
    over = tuple(dict.fromkeys((*first.over, *second.over)))
    if isinstance(rule, lang.Power):
        return Relation(second.left**rule.exponent, "<=", second.right**rule.exponent, over)
    if isinstance(rule, lang.Squeezed):
        return Relation(first.left, "==", first.right, over)
    if isinstance(rule, lang.Absolute) and first.op != "==":
        return Relation(Abs(first.left), "<=", first.right, over)
    return None


def _mean(term: Expr) -> Expr:
    return E(term) if is_random(term) else term


def _weak(relation: Relation) -> lang.Op:
    return "<=" if relation.op == "<" else relation.op


def _sum(rule: lang.Summed, first: Relation) -> Relation | None:
    ranges = {index: (low, high) for index, low, high in first.over}
    if not set(rule.indices) <= set(ranges):
        return None
    left, right = rule.weight * first.left, rule.weight * first.right
    for index in rule.indices:
        left, right = (Total(side, index, *ranges[index]) if side != 0 else side for side in (left, right))
    return Relation(left, _weak(first), right, tuple(r for r in first.over if r[0] not in rule.indices))


def _instance(at: Mapping[Any, Any], first: Relation, used: Sequence[Relation]) -> Relation:
    rest = tuple((i, substitute(low, at), substitute(high, at)) for i, low, high in first.over if i not in at)
    coming = set[Symbol]().union(*(free_symbols(sympy.sympify(value)) for value in at.values()))
    over = (*rest, *_ranges(coming, used[1:] or used, rest))
    return Relation(instantiate(first.left, at), first.op, instantiate(first.right, at), over)


def _applied(lemma: Theorem, at: lang.Pairs, used: Sequence[Relation]) -> Relation:
    pairs = [(sympy.sympify(key), sympy.sympify(value)) for key, value in at]
    found = substitute_relation(lemma.statement, pairs)
    coming = free_symbols(found.left) | free_symbols(found.right)
    return Relation(found.left, found.op, found.right, (*_ranges(coming, used, found.over), *found.over))


def _ranges(needed: Iterable[Symbol], sources: Sequence[Relation], own: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return the ranges of needed indices that ``own`` lacks, from the first relation that has each."""
    wanted, there, found = set(needed), {index for index, _, _ in own}, list[Range]()
    for relation in sources:
        for index, low, high in relation.over:
            if index in wanted and index not in there:
                there.add(index)
                found.append((index, low, high))
    return tuple(found)


def _fact(rule: lang.Known, used: Sequence[Relation]) -> Relation | None:
    at: Expr = sympy.sympify(rule.at)
    over = _ranges(free_symbols(at), used, ())
    if rule.name == "exp":
        return Relation(1 + at, "<=", sympy.exp(at), over)
    if rule.name == "log":
        return Relation(sympy.log(at), "<=", at - 1, over)
    if rule.name == "abs":
        return Relation(at, "<=", Abs(at), over)
    return None
