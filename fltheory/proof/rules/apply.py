"""Applying a proved theorem: its free symbols, vectors, functions and sequences replaced, its hypotheses found again."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sympy
from sympy import Expr, Symbol

from fltheory.parts import parts
from fltheory.proof import language as lang
from fltheory.proof.algebra import polynomial
from fltheory.proof.algebra.normal import equal, is_zero, normal
from fltheory.proof.language import Defines, Hypothesis, Member, ProofError, Relation, Theorem
from fltheory.proof.rules import _short
from fltheory.proof.sound.context import Context, Equation, class_of, insert, nonnegative, positive, same, same_ranges
from fltheory.proof.sound.defined import anywhere, slots_of
from fltheory.proof.sound.grammar import Bound
from fltheory.proof.sound.guards import fits, loose, real
from fltheory.proof.terms import (
    PERMUTATION,
    E,
    Fun,
    Nonnegative,
    Positive,
    RandomInteger,
    Scalar,
    Term,
    Vector,
    free,
    is_random,
    is_vector,
    renumbered,
    substitute,
)


def apply(rule: lang.Apply, theorem: Theorem, context: Context, conditional: frozenset[str]) -> str | None:
    """None if the theorem so read is the claim and each of its hypotheses is among what the step uses.

    What is ``conditional`` stands under an assumption on one of its own indices: it meets no hypothesis "for all i".
    """
    at = [(sympy.sympify(k), v) for k, v in rule.at]
    facts, strict = context.facts(), context.positive()
    bound = frozenset(i for i, _, _ in context.claim.over)
    for key, value in at:
        meant = value if isinstance(key, Fun) else context.expand(value)
        reason = _unfit(key, meant, theorem, facts, strict, bound)
        if reason:
            return reason
    for hypothesis in theorem.hypotheses:
        reason = _discharged(hypothesis, at, context, conditional)
        if reason:
            return f"the hypothesis {hypothesis.id} of {theorem.id}: {reason}"
    found = read(theorem.statement, at, _names(context))
    expand = context.expand
    first = Relation(expand(context.claim.left), context.claim.op, expand(context.claim.right), context.claim.over)
    second = Relation(expand(found.left), found.op, expand(found.right), found.over)
    if same(first, second):
        return None
    if not second.over and first.over and same(Relation(first.left, first.op, first.right), second):
        return None  # for any values of the claim's indices
    return f"{theorem.id} gives {_short(second.left)} {second.op} {_short(second.right)}"


def _unfit(
    key: Expr, value: Expr, theorem: Theorem, facts: tuple[Expr, ...], strict: tuple[Expr, ...], bound: Bound
) -> str | None:
    """Whether a value is of the sort that it stands for."""
    if isinstance(key, Symbol):
        if is_random(value) and speaks_of_chance(theorem):
            return f"{value} depends on chance, and {theorem.id} takes expectations"
        return None if fits(key, value, facts, strict) else f"{value} is not seen to fit the assumptions on {key}"
    if isinstance(key, Vector) != is_vector(value) and value != 0:
        return f"{value} is not of the sort of {key}"
    if isinstance(key, Fun) != isinstance(value, Fun):
        return f"{value} is no function, or {key} is none"
    if not all(isinstance(s, Symbol) for s in key.args[1:]) or not isinstance(key, Vector | Scalar | Fun):
        return f"{key} is no family, or its indices are no plain symbols"
    value = anywhere(key, value)
    if not real(value, facts, strict, bound):
        return f"{value} is not seen to be real everywhere"
    if isinstance(key, Scalar) and is_vector(value):
        return f"{value} is no number"
    if isinstance(key, RandomInteger) and not value.is_integer:
        return f"{value} is not known to be an integer"
    if isinstance(key, Nonnegative) and not nonnegative(value, facts):
        return f"{value} is not seen to be nonnegative"
    if isinstance(key, Positive) and not (
        value.is_positive or any(is_zero(value - p) for p in strict) or positive(normal(value), facts)
    ):  # ``fits`` asks the same of a positive symbol: theorems divide by either
        return f"{value} is not seen to be positive"
    if is_random(value) and not is_random(key) and speaks_of_chance(theorem):
        return f"{value} depends on chance, {key} does not, and {theorem.id} takes expectations"
    return None


def speaks_of_chance(theorem: Theorem) -> bool:
    """Whether an expectation stands anywhere in a theorem or its proof."""
    return _mentions((theorem.statement, theorem.hypotheses, theorem.steps), E)


def _mentions(value: object, kind: type[Term]) -> bool:
    if isinstance(value, sympy.Basic):
        return bool(value.has(kind))
    if isinstance(value, tuple):
        return any(_mentions(v, kind) for v in value)
    return any(_mentions(part, kind) for part in parts(value).values())


def _names(context: Context) -> set[Symbol]:
    """The symbols that definitions bring in: an index of the same name would catch them."""
    found = set[Symbol]()
    for d in context.definitions:
        own = free(d.right) | (free(d.left) if isinstance(d, Equation) else set())
        found |= own - (set() if isinstance(d, Equation) else set(slots_of(d.left)))
        found |= {d.left} if isinstance(d.left, Symbol) else set()
    return found


def read(relation: Relation, at: list[tuple[Any, Any]], taken: Collection[Symbol] = ()) -> Relation:
    """All replacements at once: through names that stand nowhere else; no index has one of those ``taken``."""
    left, right, over = relation.left, relation.right, relation.over
    symbols = {k: v for k, v in at if isinstance(k, Symbol)}
    bound = {i for i, _, _ in over}
    if bound & set(taken).union(*(_outside(k, v) for k, v in at)):  # the values speak of other things by these names
        names = {i: sympy.Dummy(i.name, **i.assumptions0) for i in bound}
        left, right = substitute(left, names), substitute(right, names)
        over = tuple((names[i], substitute(lo, names), substitute(hi, names)) for i, lo, hi in over)
    if bound & set(symbols):
        raise ProofError(f"indices of the statement can't be replaced: {sorted(map(str, bound & set(symbols)))}")
    return Relation(
        term(left, at), relation.op, term(right, at), tuple((i, term(lo, at), term(hi, at)) for i, lo, hi in over)
    )


def _outside(key: Expr, value: Expr) -> frozenset[Symbol]:
    return free(value) - set(slots_of(key))


def term(expr: Expr, at: list[tuple[Any, Any]]) -> Expr:
    """A term with all replacements at once."""
    families = [(k, v) for k, v in at if isinstance(k, Term)]
    away = [(k, k.func(sympy.Dummy(), *k.args[1:])) for k, _ in families]
    for (key, _), (_, mark) in zip(families, away, strict=True):
        expr = insert(expr, key, mark)
    symbols = {k: v for k, v in at if isinstance(k, Symbol)}
    if PERMUTATION in symbols:
        mark = sympy.Dummy("round", integer=True)
        expr, symbols = renumbered(expr, mark), {**symbols, mark: symbols[PERMUTATION]}
    expr = substitute(expr, symbols)
    for (_, value), (_, mark) in zip(families, away, strict=True):
        expr = insert(expr, mark, value)
    return expr


def _discharged(
    hypothesis: Hypothesis, at: list[tuple[Any, Any]], context: Context, conditional: frozenset[str]
) -> str | None:
    if isinstance(hypothesis, Member):
        return _member(hypothesis, at, context)
    if isinstance(hypothesis, Defines):
        own = _anywhere(hypothesis.left)
        left, right = (context.expand(term(substitute(e, own), at)) for e in (hypothesis.left, hypothesis.right))
        if equal(left, right):
            return None
        if slots_of(hypothesis.left):
            return f"{_short(left)} is not {_short(right)} here"
        wanted = Relation(term(hypothesis.left, at), "==", term(hypothesis.right, at))  # perhaps an equation used
    else:
        wanted = read(hypothesis.relation, at, _names(context))
    known = [r for name, r in context.used.items() if not (wanted.over and name in conditional)]
    for relation in known:  # word for word
        if (relation.left, relation.op, relation.right) != (wanted.left, wanted.op, wanted.right):
            continue
        loosely = loose(relation) & {i for i, _, _ in wanted.over}
        if relation == wanted or (not loosely and _covers(relation, wanted, context)):
            return None
    expanded = Relation(context.expand(wanted.left), wanted.op, context.expand(wanted.right), wanted.over)
    if _plain(expanded):
        return None
    for relation in known:
        candidate = Relation(context.expand(relation.left), relation.op, context.expand(relation.right), relation.over)
        if same(candidate, expanded) or (
            expanded.op == "<=" and same(Relation(candidate.left, "<=", candidate.right, candidate.over), expanded)
        ):
            return None
        if (
            not candidate.over
            and not expanded.over
            and expanded.op == candidate.op == "<="
            and _scaled(candidate, expanded)
        ):
            return None
        if candidate.op != expanded.op or loose(relation) & {i for i, _, _ in wanted.over}:
            continue
        plain = Relation(candidate.left, candidate.op, candidate.right)
        if same(plain, Relation(expanded.left, expanded.op, expanded.right)) and _covers(candidate, wanted, context):
            return None  # it holds wherever the hypothesis is asked for
    return f"{_short(expanded.left)} {expanded.op} {_short(expanded.right)} is not among what the step uses"


def _covers(candidate: Relation, wanted: Relation, context: Context) -> bool:
    """Whether a used relation's ranges contain those that are asked for, and the claim's."""
    own = {i for i, _, _ in wanted.over}  # which the hypothesis binds, whatever the claim calls so
    ranges = Relation(0, "<=", 0, (*wanted.over, *(r for r in context.claim.over if r[0] not in own)))
    if same_ranges(candidate, ranges):
        return True
    indices = {i for i, _, _ in ranges.over}
    used = {n: r for n, r in context.used.items() if not loose(r) & indices}
    facts = Context(used, context.definitions, context.members, ranges).facts()
    return same_ranges(candidate, ranges, facts)


def _anywhere(left: Expr) -> dict[Any, Any]:
    """Names for the indices of a family that stand for any integers."""
    return {s: sympy.Dummy(str(s), integer=True) for s in slots_of(left)}


def _scaled(candidate: Relation, wanted: Relation) -> bool:
    """Whether the wanted inequality is the used one times something positive."""
    if is_vector(candidate.gap):
        return False
    quotient = (
        sympy.cancel(sympy.together(normal(wanted.gap) / normal(candidate.gap))) if normal(candidate.gap) != 0 else 0
    )
    return quotient != 0 and polynomial.positive(quotient)


def _plain(relation: Relation) -> bool:
    """Whether a relation needs no reason."""
    if is_zero(relation.gap):
        return relation.op != "<"
    if is_vector(relation.gap) or relation.op == "==":
        return False
    gap = normal(relation.gap)
    return polynomial.nonnegative(gap) if relation.op == "<=" else polynomial.positive(gap)


def _member(hypothesis: Member, at: list[tuple[Any, Any]], context: Context) -> str | None:
    names = _anywhere(hypothesis.function)
    function = term(substitute(hypothesis.function, names), at)
    own = class_of(function, context.members)
    for wanted, given, word in ((hypothesis.smooth, own.smooth, "smooth"), (hypothesis.convex, own.convex, "convex")):
        if wanted is None:
            continue
        wanted, here = (
            context.expand(term(substitute(sympy.sympify(wanted), names), at)),
            context.expand(sympy.sympify(given)),
        )
        spare = None if given is None else here - wanted if word == "convex" else wanted - here  # a smaller class
        if spare is None or not (is_zero(spare) or polynomial.nonnegative(normal(spare))):
            return f"{own.id} does not say that {function} is {wanted}-{word}"
    return None
