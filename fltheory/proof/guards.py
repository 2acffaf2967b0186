"""What must hold of every statement and every term that a proof brings in, whatever the rule: ranges, names, domains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import sympy
from sympy import Expr, Pow, Symbol

from fltheory.proof import polynomial
from fltheory.proof.context import nonnegative, positive
from fltheory.proof.language import Defines, Given, Hypothesis, Member, Relation
from fltheory.proof.normal import is_zero, normal
from fltheory.proof.terms import Nonnegative, Positive, RandomInteger, Term, free, is_random, is_vector, substitute

_SIMPLE = tuple(
    Symbol("i", **kind).assumptions0
    for kind in ({"integer": True}, {"integer": True, "nonnegative": True}, {"integer": True, "positive": True})
)


def statement(relation: Relation) -> Iterator[str]:
    """Faults of a relation: numbers that are not exact or not real, ranges that its indices don't fit."""
    for side in (relation.left, relation.right):
        if side.has(sympy.Float, sympy.nan, sympy.oo, sympy.zoo, sympy.I) or side.has(-sympy.oo):
            yield f"{side} is no exact real number"
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
            slots = entry.function.args[1:]
            if not _plain(slots):
                yield f"{entry.id}: the indices of {entry.function} must be different plain symbols"
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


def loose(relation: Relation) -> set[Symbol]:
    """The symbols of a relation that its ranges do not bind."""
    ends = set().union(*(free(lo) | free(hi) for _, lo, hi in relation.over))
    return (free(relation.left) | free(relation.right) | ends) - {i for i, _, _ in relation.over}


def _family(term: Expr) -> Any:
    return (term.func, term.args[0], len(term.args)) if isinstance(term, Term) and term.args else term


def _plain(slots: tuple[Any, ...]) -> bool:
    return all(isinstance(s, Symbol) for s in slots) and len(set(slots)) == len(slots)


def slots_of(left: Expr) -> tuple[Any, ...]:
    """The indices of a defined term; a plain symbol has none."""
    return () if isinstance(left, Symbol) else left.args[1:]


def anywhere(left: Expr, right: Any) -> Any:
    """``right`` with the indices of ``left`` replaced by integers of which nothing is known."""
    return substitute(right, {s: sympy.Dummy(s.name, integer=True) for s in slots_of(left) if isinstance(s, Symbol)})


def _definition(entry: Defines) -> Iterator[str]:
    left, right = entry.left, sympy.sympify(entry.right)
    if not isinstance(left, Symbol | Term) or not _plain(slots_of(left)):
        yield f"{left} is no symbol and no family with different plain symbols as indices"
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


def real(expr: Any, facts: tuple[Expr, ...]) -> bool:
    """Whether roots and logarithms in a term are seen to be of what has them, and nothing is divided by 0."""
    for part in sympy.preorder_traversal(sympy.sympify(expr)):
        if part in (sympy.I, sympy.zoo, sympy.oo, -sympy.oo, sympy.nan) or isinstance(part, sympy.Float):
            return False
        if isinstance(part, sympy.log) and not _positive(part.args[0], facts):
            return False
        if isinstance(part, Pow):
            number = part.exp.is_Rational  # of which no fact can say more
            whole, sign = part.exp.is_integer, bool(part.exp >= 0) if number else nonnegative(part.exp, facts)
            if whole and sign:
                continue
            if whole and nonzero(part.base, facts):
                continue
            if not ((sign and nonnegative(part.base, facts)) or _positive(part.base, facts)):
                return False
    return True


def _positive(expr: Expr, facts: tuple[Expr, ...]) -> bool:
    return bool(expr.is_positive) or positive(normal(expr), facts)


def nonzero(expr: Expr, facts: tuple[Expr, ...], barred: Iterable[Expr] = ()) -> bool:
    """Whether each factor of a number is seen not to be 0: by its sign, or as one of those that are ``barred`` from it."""
    barred = [normal(b) for b in barred]
    for factor in sympy.Mul.make_args(sympy.factor(normal(expr))):
        base = factor.base if isinstance(factor, Pow) and nonnegative(factor.exp, ()) else factor
        if base.is_nonzero or positive(base, facts) or positive(-base, facts):
            continue
        if not any(sympy.cancel(base / b).is_nonzero for b in barred if b != 0):
            return False
    return True


def divides(expr: Any) -> set[Expr]:
    """What a term divides by."""
    found = set()
    for part in sympy.preorder_traversal(sympy.sympify(expr)):
        if isinstance(part, Pow) and not nonnegative(part.exp, ()):
            found |= {sympy.sympify(f) for f in sympy.Mul.make_args(sympy.factor(part.base))}
    return found
