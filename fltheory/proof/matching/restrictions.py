"""Restrictions of a theorem to some constants of its claim, which follow from its reading of the bound's symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import sympy
from sympy import Expr, Symbol

from fltheory.proof.algebra.context import same_relation
from fltheory.proof.algebra.normal import equal
from fltheory.proof.language import ProofError, Relation, Theorem, eq, le, lt, relation
from fltheory.proof.matching import catalogue
from fltheory.proof.terms import Fun, Nonnegative, Positive, Scalar, Term, Vector

if TYPE_CHECKING:
    from fltheory.model.bound import Bound

_LETTERS = {Scalar: {"real": True}, Nonnegative: {"nonnegative": True}, Positive: {"positive": True}}
_KINDS = ("positive", "nonnegative", "integer", "real", "extended_real", "finite", "commutative")


def reading_of(theorem: Theorem) -> dict[Symbol, Expr]:
    """Return the terms that the theorem reads for the bound's symbols, without those that it reads as themselves."""
    own = () if theorem.bound is None else theorem.bound.symbols
    return {s: v for s, v in dict(theorem.reading).items() if s in own and s != v}


def restrictions(theorem: Theorem) -> tuple[Relation, ...]:
    """Return the restrictions that follow from the reading, such as n == 2 * m for even n; empty if there are none.

    Symbols that are read as terms of the run, or that the claim chooses, are not restricted.
    """
    claim = catalogue.find_claim(theorem.claim)
    if theorem.bound is None or claim is None or theorem.recorded == "REFUTED":
        return ()
    reading, found = reading_of(theorem), list[Relation]()
    seen, taken = dict[Expr, Symbol](), set[Symbol]()
    tuning = {s: _put_reading(e, reading) for s, e in claim.tuning}
    for symbol, value in reading.items():
        if value in seen:
            found.append(eq(symbol, seen[value]))
        seen[value] = symbol
        if (value := with_symbols(value)).has(Scalar, Vector, Fun) or (
            symbol in tuning and equal(tuning[symbol], value)
        ):
            continue
        own = value.free_symbols - set(theorem.bound.symbols)
        found += [eq(symbol, value)] if own & taken else _value_restrictions(symbol, value, theorem.bound)
        taken |= own
    return tuple(dict.fromkeys(found))


def with_symbols(value: Expr | float) -> Expr:
    """Replace the numbers in a value by symbols if it has no other terms of the run; else return it unchanged."""
    value = sympy.sympify(value)
    named = value.atoms(Term)
    if not all(t.func in _LETTERS for t in named):
        return value
    return value.xreplace({t: Symbol(str(t), **_LETTERS[t.func]) for t in named})


def _put_reading(expr: Expr, reading: Mapping[Symbol, Expr]) -> Expr:
    return sympy.sympify(expr).xreplace(dict(reading))


def _value_restrictions(symbol: Symbol, value: Expr, bound: Bound) -> list[Relation]:
    """Return the restriction of a constant that is read as ``slope * variable + offset``, or as another term."""
    own = sorted(value.free_symbols - set(bound.symbols), key=str)
    if len(own) != 1 or not set(own[0]._assumptions_orig.items()) <= {(kind, True) for kind in _KINDS}:
        return [eq(symbol, value)]
    variable = own[0]
    slope, offset = sympy.expand(value).coeff(variable, 1), sympy.expand(value).coeff(variable, 0)
    if sympy.expand(value - slope * variable - offset) != 0:
        return [eq(symbol, value)]
    if variable.is_integer or symbol.is_integer:
        least, lowest = _least_integer(variable), _least_integer(symbol)
        whole = slope == 1 and offset.is_Integer and variable.is_integer and symbol.is_integer
        reached = least is None or (lowest is not None and offset + least <= lowest)
        return [] if whole and reached else [eq(symbol, value)]
    allowed = [relation(c) for c in bound.conditions]
    if offset == 0 and slope.is_negative and variable.is_nonnegative:
        signs = (lt(symbol, 0),) if variable.is_positive else (lt(symbol, 0), le(symbol, 0))
        return [] if any(same_relation(c, s) for c in allowed for s in signs) else [eq(symbol, value)]
    if offset != 0 or not slope.is_positive:
        return [eq(symbol, value)]
    above = any(same_relation(c, lt(0, symbol)) for c in allowed) or (
        symbol.is_nonnegative and _is_denominator(bound, symbol)
    )
    if variable.is_positive and not symbol.is_positive:
        return [] if above else [lt(0, symbol)]
    if variable.is_nonnegative and not symbol.is_nonnegative:
        return [] if above or any(same_relation(c, le(0, symbol)) for c in allowed) else [le(0, symbol)]
    return []


def _least_integer(symbol: Symbol) -> int | None:
    return 1 if symbol.is_positive else 0 if symbol.is_nonnegative else None


def _is_denominator(bound: Bound, symbol: Symbol) -> bool:
    """Return whether the bound is undefined where the symbol is 0."""
    formula = bound.expand_definitions()
    bases = [p.base for p in formula.atoms(sympy.Pow) if p.exp.is_negative]
    factors = {f for b in bases for f in sympy.Mul.make_args(sympy.factor(b))}
    return symbol in factors and not formula.has(sympy.Piecewise)


def is_complete(theorems: tuple[Theorem, ...]) -> bool:
    """Return whether the theorems on a bound cover all its constants: one alone, or all as cases of an integer."""
    found = [restrictions(t) for t in theorems]
    if any(not r for r in found):
        return True
    lines = [r[0] for r in found if len(r) == 1 and r[0].op == "==" and isinstance(r[0].left, Symbol)]
    bound = theorems[0].bound if theorems else None
    if bound is None or len(lines) < len(found) or len({r.left for r in lines}) != 1:
        return False
    return _all_cases(lines[0].left, [r.right for r in lines], bound)


def _all_cases(symbol: Symbol, values: list[Expr], bound: Bound) -> bool:
    """Return whether the values, linear in an integer symbol or numbers, cover all integers that conditions allow."""
    lines = []
    for value in values:
        own = sorted(value.free_symbols, key=str)
        slope = sympy.expand(value).coeff(own[0], 1) if own else sympy.Integer(0)
        least = _least_integer(own[0]) if own else 0
        offset = value - slope * own[0] if own else value
        if len(own) > 1 or least is None or not (slope.is_Integer and offset.is_Integer and slope >= 0):
            return False
        lines.append((int(slope), int(offset + slope * least)))
    alone = [relation(c) for c in bound.conditions if c.free_symbols == {symbol}]
    if not symbol.is_integer or _least_integer(symbol) is None:
        return False
    numbers = [int(abs(n)) for c in alone for n in c.gap.atoms(sympy.Integer)]
    period = math.lcm(*(a for a, _ in lines if a))
    end = max([first for _, first in lines] + numbers) + 2 * period
    for n in range(_least_integer(symbol) or 0, end + 1):
        reached = any(n == first or (a and n >= first and (n - first) % a == 0) for a, first in lines)
        if not reached and all(_is_true(c.at({symbol: sympy.Integer(n)})) for c in alone):
            return False
    return True


def _is_true(line: Relation) -> bool:
    if not line.gap.is_number:
        raise ProofError(f"{line.gap} is not a number")
    return bool({"<=": line.gap >= 0, "<": line.gap > 0, "==": line.gap == 0}[line.op])
