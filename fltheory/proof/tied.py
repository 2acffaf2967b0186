"""What ties a theorem to the claim that it names: statement, reading, conditions and verdict, each compared.

What can't be compared is whether the quantity is what the claim measures and whether the hypotheses say what its run is:
``fltheory show`` prints the one, ``fltheory proofs --show`` the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import sympy
from sympy import Expr, Symbol

from fltheory.proof import catalogued, guards
from fltheory.proof.context import nonnegative, same
from fltheory.proof.language import (
    Given,
    ProofError,
    Relation,
    Theorem,
    Violated,
    Witness,
    eq,
    le,
    lt,
    relation,
    stated,
)
from fltheory.proof.normal import equal
from fltheory.proof.terms import Term

if TYPE_CHECKING:
    from fltheory.bound import Bound
    from fltheory.claim import Claim

_CONDITION = re.compile(r"c([1-9]\d*)")
_KINDS = ("positive", "nonnegative", "integer", "real", "extended_real", "finite", "commutative")


def faults(theorem: Theorem) -> Iterator[str]:
    """In what a theorem is not about the claim that it names."""
    yield from _violations(theorem)
    bound = theorem.bound
    if not theorem.claim:
        if bound is not None or theorem.reading:
            yield "it has a bound or a reading, but names no claim"
        return
    claim = catalogued.claim(theorem.claim)
    if claim is None:
        yield f"there is no claim {theorem.claim}"
        return
    refuted = theorem.expected == "REFUTED"
    if refuted != (claim.expected == "violated"):
        yield f"{claim.id} is recorded as {claim.expected}, the theorem as {theorem.expected}"
    if bound is None:
        if theorem.reading:
            yield "it has a reading, but no bound"
        return
    if bound not in claim.bounds:
        yield f"its bound is none of those of {claim.id}"
        return
    if not all(isinstance(s, Symbol) for s, _ in theorem.reading):
        yield "a reading replaces symbols, nothing else"
        return
    yield from _statement(theorem, bound)
    yield from _conditions(theorem, bound)
    if not refuted:
        yield from _quantity(theorem, bound, claim)
        yield from _hypotheses(theorem, claim)


def _violations(theorem: Theorem) -> Iterator[str]:
    for step in theorem.steps:
        if not isinstance(step.rule, Violated):
            continue
        if step.rule.claim != theorem.claim or theorem.bound is None:
            yield f"step {step.id}: a violated claim is refuted by a theorem that names it and its bound"
        elif not same(step.claim, theorem.statement):
            yield f"step {step.id}: what {step.rule.claim} violates is the statement"


def _statement(theorem: Theorem, bound: Bound) -> Iterator[str]:
    found = theorem.statement
    wanted, _ = stated(bound, theorem.quantity, dict(theorem.reading))
    if not same(Relation(found.left, found.op, found.right), wanted):
        yield f"the statement is not what its bound says: {bound.source}"
    for index, low, high in found.over:
        if index in bound.symbols:
            yield f"{index} is a constant of the bound, and no index"
        if (low - high).is_positive:
            yield f"there is no {index} from {low} to {high}"


def conditions(theorem: Theorem) -> tuple[Given, ...]:
    """The conditions of the theorem's bound as it reads them."""
    if theorem.bound is None:
        return ()
    return stated(theorem.bound, sympy.Integer(0), dict(theorem.reading))[1]


def _conditions(theorem: Theorem, bound: Bound) -> Iterator[str]:
    wanted = conditions(theorem)
    given = [h for h in theorem.hypotheses if isinstance(h, Given)]
    for entry in given:
        number = _CONDITION.fullmatch(entry.id)
        if number is None:
            continue
        place = int(number[1])
        if place > len(wanted):
            yield f"the hypothesis {entry.id}: the bound has {len(wanted)} conditions"
        elif not same(entry.relation, wanted[place - 1].relation):
            yield f"the hypothesis {entry.id} is not that condition of the bound"
    if theorem.steps and isinstance(theorem.steps[-1].rule, Witness):  # else the catalogue has looked at them
        for entry in wanted:
            if not any(same(entry.relation, h.relation) for h in given) and not _true(entry.relation):
                yield f"the condition {entry.id} of the bound is not supposed: the witness must obey it"


def _true(line: Relation) -> bool:
    return bool(line.op == "<=" and nonnegative(line.gap, ())) or line.gap == 0 != (line.op == "<")


def _quantity(theorem: Theorem, bound: Bound, claim: Claim) -> Iterator[str]:
    quantity = theorem.quantity
    if bound.side == "upper" and quantity.is_nonpositive:
        yield f"{quantity} is never positive: to bound it says nothing"
    if not quantity.has(Term) and quantity.free_symbols <= {*bound.symbols, *(s for s, _ in bound.where)}:
        reason = catalogued.differs(claim, quantity)
        if reason:
            yield f"{quantity} has nothing of a run in it: {reason}"


def _hypotheses(theorem: Theorem, claim: Claim) -> Iterator[str]:
    quantity = theorem.quantity
    for entry in theorem.hypotheses:
        if not isinstance(entry, Given) or entry.supposed or _CONDITION.fullmatch(entry.id):
            continue
        line = entry.relation
        if line.gap.has(quantity) and _gives(line, theorem.statement):
            yield f"the hypothesis {entry.id} is what is to be proved"
        if not line.over and not line.gap.has(Term):
            case = catalogued.fails(claim, line)
            if case:
                yield f"the hypothesis {entry.id} is not granted, it fails at {case}: call it supposed"


def _gives(line: Relation, statement: Relation) -> bool:
    """Whether a hypothesis is a statement, up to something manifestly not negative."""
    if same(line, statement) or same(Relation(line.left, line.op, line.right), statement):
        return True
    return statement.op == "<=" and line.op != "==" and nonnegative(statement.gap - line.gap, ())


# For which constants ----------------------------------------------------------------------------------------------


def supposed(theorem: Theorem) -> tuple[Given, ...]:
    """What a theorem supposes beyond its claim."""
    return tuple(h for h in theorem.hypotheses if isinstance(h, Given) and h.supposed)


def reading_of(theorem: Theorem) -> dict[Symbol, Expr]:
    """What the theorem reads for the symbols that its bound has, those that it reads as themselves left out."""
    own = () if theorem.bound is None else theorem.bound.symbols
    return {s: v for s, v in dict(theorem.reading).items() if s in own and s != v}


def restrictions(theorem: Theorem) -> tuple[Relation, ...]:
    """For which constants alone a theorem speaks, by its reading: n == 2 * m for even n. None: for all of them.

    What is read as something of the run, or chosen by the claim, restricts nothing.
    """
    claim = catalogued.claim(theorem.claim)
    if theorem.bound is None or claim is None or theorem.expected == "REFUTED":
        return ()
    reading, found, seen = reading_of(theorem), [], dict[Expr, Symbol]()
    tuning = {s: _tuned(e, reading) for s, e in claim.tuning}
    for symbol, value in reading.items():
        if value in seen:
            found.append(eq(symbol, seen[value]))
        seen[value] = symbol
        if not (value.has(Term) or (symbol in tuning and equal(tuning[symbol], value))):
            found += _narrowed(symbol, value, theorem.bound)
    return tuple(found)


def _tuned(expr: Any, reading: Mapping[Symbol, Expr]) -> Expr:
    return sympy.sympify(expr).xreplace(dict(reading))


def _narrowed(symbol: Symbol, value: Expr, bound: Bound) -> list[Relation]:
    """What keeps a constant from all of its values where it is read as ``slope * variable + offset``, or otherwise."""
    own = sorted(value.free_symbols - set(bound.symbols), key=str)
    if len(own) != 1 or not set(own[0]._assumptions_orig.items()) <= {(kind, True) for kind in _KINDS}:
        return [eq(symbol, value)]
    variable = own[0]
    slope, offset = sympy.expand(value).coeff(variable, 1), sympy.expand(value).coeff(variable, 0)
    if sympy.expand(value - slope * variable - offset) != 0:
        return [eq(symbol, value)]
    if variable.is_integer or symbol.is_integer:
        least, lowest = _least(variable), _least(symbol)
        whole = slope == 1 and offset.is_Integer and variable.is_integer and symbol.is_integer
        reached = least is None or (lowest is not None and offset + least <= lowest)
        return [] if whole and reached else [eq(symbol, value)]
    allowed = [relation(c) for c in bound.conditions]
    if offset == 0 and slope.is_negative and variable.is_nonnegative:
        signs = (lt(symbol, 0),) if variable.is_positive else (lt(symbol, 0), le(symbol, 0))
        return [] if any(same(c, s) for c in allowed for s in signs) else [eq(symbol, value)]
    if offset != 0 or not slope.is_positive:
        return [eq(symbol, value)]
    above = any(same(c, lt(0, symbol)) for c in allowed) or (symbol.is_nonnegative and _divides(bound, symbol))
    if variable.is_positive and not symbol.is_positive:
        return [] if above else [lt(0, symbol)]
    if variable.is_nonnegative and not symbol.is_nonnegative:
        return [] if above or any(same(c, le(0, symbol)) for c in allowed) else [le(0, symbol)]
    return []


def _least(symbol: Symbol) -> int | None:
    return 1 if symbol.is_positive else 0 if symbol.is_nonnegative else None


def _divides(bound: Bound, symbol: Symbol) -> bool:
    """Whether the bound has no value where the symbol is 0."""
    formula = bound.unfolded()
    return symbol in guards.divides(formula) and not formula.has(sympy.Piecewise)


def complete(theorems: tuple[Theorem, ...]) -> bool:
    """Whether theorems on one bound leave out no value of its constants: one of them, or all as the cases of an integer."""
    found = [restrictions(t) for t in theorems]
    if any(not r for r in found):
        return True
    lines = [r[0] for r in found if len(r) == 1 and r[0].op == "==" and isinstance(r[0].left, Symbol)]
    bound = theorems[0].bound if theorems else None
    if bound is None or len(lines) < len(found) or len({r.left for r in lines}) != 1:
        return False
    return _all_cases(lines[0].left, [r.right for r in lines], bound)


def _all_cases(symbol: Symbol, values: list[Expr], bound: Bound) -> bool:
    """Whether every integer that the conditions allow is one of the values, each linear in an integer symbol or a number."""
    lines = []
    for value in values:
        own = sorted(value.free_symbols, key=str)
        slope = sympy.expand(value).coeff(own[0], 1) if own else sympy.Integer(0)
        least = _least(own[0]) if own else 0
        offset = value - slope * own[0] if own else value
        if len(own) > 1 or least is None or not (slope.is_Integer and offset.is_Integer and slope >= 0):
            return False
        lines.append((int(slope), int(offset + slope * least)))
    alone = [relation(c) for c in bound.conditions if c.free_symbols == {symbol}]
    if not symbol.is_integer or _least(symbol) is None:
        return False
    numbers = [int(abs(n)) for c in alone for n in c.gap.atoms(sympy.Integer)]
    period = sympy.ilcm(1, *(a for a, _ in lines if a))
    end = max([first for _, first in lines] + numbers) + 2 * int(period)
    for n in range(_least(symbol) or 0, end + 1):
        if all(_holds(c.at({symbol: sympy.Integer(n)})) for c in alone):
            if not any(n == first or (a and n >= first and (n - first) % a == 0) for a, first in lines):
                return False
    return True


def _holds(line: Relation) -> bool:
    if not line.gap.is_number:
        raise ProofError(f"{line.gap} is no number")
    return bool({"<=": line.gap >= 0, "<": line.gap > 0, "==": line.gap == 0}[line.op])
