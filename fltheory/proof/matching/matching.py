"""The comparison of a theorem with the claim that it names: statement, reading, conditions and verdict.

A witness must refute the measure of the claim at a case that violates it, moved to the witness's values. Two facts are
left to the reader: that the proved quantity is the measure, and that the hypotheses describe the run: ``fltheory show``
prints the one, ``fltheory proofs --show`` the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import sympy
from sympy import Expr, Symbol

from fltheory.claims.plugins import BUILTIN_KEYS
from fltheory.kernel.language.effort import TooLong, begin
from fltheory.kernel.language.lines import Definition, Line, line
from fltheory.kernel.language.terms import ZERO, Wrong, endless, minus, read, whole
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import glance
from fltheory.kernel.normal import normal as kernel_normal
from fltheory.proof import export
from fltheory.proof.algebra.context import is_nonnegative, same_relation
from fltheory.proof.algebra.normal import normal_form
from fltheory.proof.language import (
    Defines,
    Given,
    Member,
    ProofError,
    Relation,
    Theorem,
    Violated,
    Witness,
    eq,
    le,
    statement_of,
    with_probability,
)
from fltheory.proof.matching import catalogue
from fltheory.proof.matching.consequences import contradictory_lines, implying_lines, is_identity
from fltheory.proof.matching.restrictions import reading_of, restrictions, with_symbols
from fltheory.proof.terms import Dot, E, Term, Total, substitute
from fltheory.symbols import smoothness, strong_convexity

if TYPE_CHECKING:
    from fltheory.claims.claim import Claim
    from fltheory.model.bound import Bound

MAX_WORK = 3_000_000  # units of the kernel's work to test whether hypotheses imply the statement
_CONDITION = re.compile(r"c([1-9]\d*)")


def faults(theorem: Theorem) -> Iterator[str]:
    """Yield the ways in which a theorem does not match the claim that it names."""
    yield from _violations(theorem)
    bound = theorem.bound
    if not theorem.claim:
        if bound is not None or theorem.reading:
            yield "it has a bound or a reading, but names no claim"
        return
    claim = catalogue.find_claim(theorem.claim)
    if claim is None:
        hint = (
            ""
            if theorem.paper in BUILTIN_KEYS
            else "; install the package that lists it, or name its file in FLTHEORY_PAPERS"
        )
        yield f"there is no claim {theorem.claim}{hint}"
        return
    refuted = theorem.recorded == "REFUTED"
    if refuted != (claim.entry.recorded == "violated"):
        yield f"{claim.id} is recorded as {claim.entry.recorded}, the theorem as {theorem.recorded}"
    if bound is None:
        if theorem.reading:
            yield "it has a reading, but no bound"
        return
    if not any(bound is b for b in claim.bounds):  # a bound of a foreign class could define equality at will
        yield f"its bound is not one of the bounds of {claim.id}"
        return
    if not all(isinstance(s, Symbol) for s, _ in theorem.reading):
        yield "a reading may replace symbols only"
        return
    if any(sympy.sympify(value).has(theorem.quantity) for _, value in theorem.reading):
        yield "a reading must not contain the quantity: the bound could then be arbitrary"
    yield from _letters(theorem, bound, claim)
    yield from _statement(theorem, bound, claim)
    yield from _conditions(theorem, bound)
    if refuted:
        yield from _refutation_faults(theorem, claim)
    else:
        yield from _quantity(theorem, bound, claim)
        yield from _hypotheses(theorem, claim)
        yield from _excluded_cases(theorem, claim)
        yield from _implied_statement_faults(theorem)


def _violations(theorem: Theorem) -> Iterator[str]:
    for step in theorem.steps:
        if not isinstance(step.rule, Violated):
            continue
        if step.rule.claim != theorem.claim or theorem.bound is None:
            yield f"step {step.id}: a violated claim is refuted by a theorem that names it and its bound"
        elif not same_relation(step.claim, theorem.statement):
            yield f"step {step.id}: the relation that {step.rule.claim} violates must be the statement"


def _statement(theorem: Theorem, bound: Bound, claim: Claim) -> Iterator[str]:
    found = theorem.statement
    wanted, _ = statement_of(bound, theorem.quantity, dict(theorem.reading))
    if theorem.failure is not None:
        if claim.failure is None or bound.side == "equal":
            yield f"{claim.id} does not state a bound that holds with a probability"
            return
        own = statement_of(replace(bound, expr=sympy.sympify(claim.failure)), sympy.Integer(0), dict(theorem.reading))[
            0
        ]
        if normal_form(theorem.failure - (own.right if bound.side == "upper" else own.left)) != 0:
            yield f"{claim.id} has a different probability of failure: {claim.failure}"
        wanted = with_probability(wanted, theorem.failure)
    if not same_relation(Relation(found.left, found.op, found.right), wanted):
        yield f"the statement differs from its bound: {bound.source}"
    plain = [v for v in map(sympy.sympify, dict(theorem.reading).values()) if not v.has(Term)]
    constants = {s for v in plain for s in v.free_symbols}
    for index, low, high in found.over:
        every = high is sympy.oo and low.is_Integer and low <= (1 if index.is_positive else 0) and index.is_nonnegative
        if index in bound.symbols or (index in constants and not every):
            yield f"{index} is a constant of the bound, not an index"
        if index not in (found.left - found.right).free_symbols:
            yield f"the index {index} does not occur in the statement: if its range is empty, nothing is stated"
    if not _have_integers(found.over, claim, {v: s for s, v in theorem.reading if isinstance(v, Symbol)}):
        ranges = ", ".join(f"{i} from {low} to {high}" for i, low, high in found.over)
        yield f"no case of {claim.id} is seen to have integers in the ranges {ranges}"


def _have_integers(over: Sequence[tuple[Symbol, Expr, Expr]], claim: Claim, back: dict[Symbol, Symbol]) -> bool:
    """Return whether ranges contain integers, by the sorts of symbols or at a case; earlier indices are at an end."""
    places: list[tuple[dict[Symbol, Expr], list[Relation]]] = [({}, [])]
    for index, low, high in over:
        found = list[tuple[dict[Symbol, Expr], list[Relation]]]()
        for at, asked in places:
            ends = low.xreplace(at), high.xreplace(at)
            if (told := _has_integer(*ends)) is not None:
                more = asked if told else [*asked, Relation(ends[0], "<=", ends[1]).at(back)]
                found += [({**at, index: e}, more) for e in ends if e.is_finite] or [(at, more)]
        places = found
    return any(not asked or catalogue.hold_jointly(claim, asked) for _, asked in places)


def _has_integer(low: Expr, high: Expr) -> bool | None:
    """Return whether the sorts of symbols imply an integer in a range; None if its ends are not integers."""
    try:
        begin(MAX_WORK)
        ends = [read(export.term_json(e)) for e in (low, high)]
        if ends[0].word == "oo" or ends[1].word == "-oo" or not all(endless(e) or whole(e) for e in ends):
            return None
        with noted() as needs:
            some = endless(*ends) or glance(kernel_normal(minus(ends[1], ends[0])))
        return some and not needs
    except (ProofError, Wrong, TooLong):
        return None


def _letters(theorem: Theorem, bound: Bound, claim: Claim) -> Iterator[str]:
    """Yield symbols that the bound defines and that are read differently, once the chosen constants are inserted."""
    reading, chosen = dict(theorem.reading), dict(claim.tuning)
    for place, (symbol, definition) in enumerate(bound.where):
        if symbol not in reading:
            continue
        for earlier, meaning in reversed(bound.where[:place]):
            definition = definition.xreplace({earlier: meaning})
        if sympy.expand(sympy.sympify(reading[symbol]).xreplace(chosen) - definition) != 0:
            yield f"{symbol} is read as {reading[symbol]}, which differs from its definition in the bound"


def conditions(theorem: Theorem) -> tuple[Given, ...]:
    """Return the conditions of the theorem's bound in its reading."""
    if theorem.bound is None:
        return ()
    return statement_of(theorem.bound, sympy.Integer(0), dict(theorem.reading))[1]


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
        elif not same_relation(entry.relation, wanted[place - 1].relation):
            yield f"the hypothesis {entry.id} differs from that condition of the bound"
    if theorem.steps and isinstance(theorem.steps[-1].rule, Witness):  # else the catalogue has compared them
        for entry in wanted:
            if not any(same_relation(entry.relation, h.relation) for h in given) and not _is_true(entry.relation):
                yield f"the condition {entry.id} of the bound is not a hypothesis: the counterexample must satisfy it"


def _is_true(line: Relation) -> bool:
    return bool(line.op == "<=" and is_nonnegative(line.gap, ())) or line.gap == 0 != (line.op == "<")


def _quantity(theorem: Theorem, bound: Bound, claim: Claim) -> Iterator[str]:
    quantity = theorem.quantity
    if quantity == 0:
        yield "0 is not a quantity: write out what the claim measures, even if it is 0"
    if bound.side == "upper" and _is_nonnegative(-quantity):
        yield f"{quantity} is never positive, so this bound on it is trivial"
    if not quantity.has(Term) and quantity.free_symbols <= {*bound.symbols, *(s for s, _ in bound.where)}:
        reason = catalogue.why_different(claim, quantity)
        if reason:
            yield f"{quantity} contains no term of a run: {reason}"


def _refutation_faults(theorem: Theorem, claim: Claim) -> Iterator[str]:
    """Compare a witness's refuted quantity with the claim's measure; a stored violation is about the claim itself."""
    rule = theorem.steps[-1].rule if theorem.steps else None
    if not isinstance(rule, Witness):
        return
    back = {v: s for s, v in theorem.reading if isinstance(v, Symbol)}
    at = {back.get(s, s): sympy.sympify(v) for s, v in rule.at}
    reason = catalogue.why_not_refuted(claim, theorem.quantity.xreplace(back), at)
    if reason:
        yield f"{theorem.quantity} is not the refuted quantity: {reason}"


def _is_nonnegative(quantity: Expr) -> bool:
    """Return whether a quantity is visibly nonnegative: sums and means of squares and of nonnegative terms."""
    if quantity.is_nonnegative or is_nonnegative(quantity, ()):
        return True
    if isinstance(quantity, Dot):
        return bool(quantity.args[0] == quantity.args[1])
    if isinstance(quantity, E | Total):
        return _is_nonnegative(quantity.args[0])
    if isinstance(quantity, sympy.Add):
        return all(map(_is_nonnegative, quantity.args))
    if not isinstance(quantity, sympy.Mul):
        return False
    sign, parts = quantity.as_coeff_mul()
    whole = [p for p in parts if not _is_nonnegative(p)]
    if sign < 0 and len(whole) == 1:  # -E(-x), -(-x)
        return _is_nonnegative(-whole[0]) if isinstance(whole[0], sympy.Add) else _is_negated_nonnegative(whole[0])
    return bool(sign >= 0) and not whole


def _is_negated_nonnegative(part: Expr) -> bool:
    return isinstance(part, E | Total) and _is_nonnegative(-part.args[0])


def _class_faults(name: str, member: Member, claim: Claim, back: Mapping[Expr, Expr]) -> Iterator[str]:
    """Yield a case of the claim whose constants of smoothness or convexity are outside of the class of a hypothesis."""
    smooth, convex = (None if c is None else substitute(sympy.sympify(c), back) for c in (member.smooth, member.convex))
    bounds = [le(smoothness, smooth)] if smooth is not None else []
    bounds += [le(convex, strong_convexity)] if convex is not None else []
    for bound in bounds:
        case = catalogue.failing_case(claim, bound)
        if case:
            told = f"{bound.left} <= {bound.right}"
            yield f"the hypothesis {name} supposes {told}, which fails at {case}: the claim is about this case too"


def _hypotheses(theorem: Theorem, claim: Claim) -> Iterator[str]:
    back = {v: s for s, v in theorem.reading if isinstance(v, Symbol)}
    constants = {s for bound in claim.bounds for s in bound.symbols}
    values = [v for s, v in reading_of(theorem).items() if not with_symbols(v).has(Term)]
    constants |= {part for v in values for part in v.atoms(Term, Symbol)}
    for entry in theorem.hypotheses:
        if isinstance(entry, Defines) and back.get(entry.left, entry.left) in constants:
            yield f"the hypothesis {entry.id} defines a constant of the bound: the claim is about all its values"
        member = entry.member if isinstance(entry, Given) and not entry.supposed else entry
        if isinstance(member, Member):
            yield from _class_faults(entry.id, member, claim, back)
        if isinstance(entry, Member) and not (entry.smooth is None or sympy.sympify(entry.smooth).is_Symbol):
            yield f"the hypothesis {entry.id} fixes the smoothness of its functions: the claim is about every constant"
        if not isinstance(entry, Given) or _CONDITION.fullmatch(entry.id):
            continue
        line = entry.relation
        idle = not {i for i, _, _ in line.over} & line.gap.free_symbols
        if not entry.supposed and idle and not line.gap.has(Term):
            case = catalogue.failing_case(claim, Relation(line.left, line.op, line.right).at(back))
            if case:
                yield f"the hypothesis {entry.id} does not follow from the claim, it fails at {case}: mark it as supposed"


def _excluded_cases(theorem: Theorem, claim: Claim) -> Iterator[str]:
    """Yield cases of the claim that the hypotheses on numbers exclude together, but not one by one."""
    reading = dict(theorem.reading)
    given = {h.id: h.relation for h in theorem.hypotheses if isinstance(h, Given) and not h.supposed}
    given = {n: own for n, own in given.items() if n not in theorem.unused and not with_symbols(own.gap).has(Term)}
    if not given or restrictions(theorem):  # a theorem for some constants only: its cases are not identified
        return
    for case, constants in catalogue.admissible_cases(claim):
        known = {reading.get(s, s): v for s, v in constants.items()}
        plain = {s: v for s, v in known.items() if isinstance(s, Symbol)}
        open_ones = {n: own for n, own in given.items() if own.over or not own.gap.atoms(Term, Symbol) <= plain.keys()}
        if not open_ones:  # hypotheses on constants alone are checked line by line
            continue
        lines = {name: own.at(plain) for name, own in open_ones.items()}
        fixed = [(str(s), substitute(sympy.sympify(s), plain), v) for s, v in known.items() if s not in plain]
        lines |= {name: eq(value, v) for name, value, v in fixed if not with_symbols(value).has(Term)}
        try:
            begin(MAX_WORK)
            every = {name: line(export.relation_json(own)) for name, own in lines.items()}
            opposed = contradictory_lines(line(export.relation_json(le(0, 1))), every, _definitions(theorem, plain))
        except (ProofError, Wrong, TooLong):
            continue
        if opposed:
            told = " and ".join(name for name in opposed if name in given)
            yield f"{told} exclude {case}, which the claim allows: mark a hypothesis as supposed"
            return


def _definitions(theorem: Theorem, at: Mapping[Symbol, Expr]) -> tuple[Definition, ...]:
    found = [h for h in theorem.hypotheses if isinstance(h, Defines) and h.id not in theorem.unused]
    return tuple(
        Definition(h.id, read(export.term_json(h.left)), read(export.term_json(substitute(sympy.sympify(h.right), at))))
        for h in found
        if not h.left.free_symbols & at.keys() and (not at or not with_symbols(h.right).has(Term))
    )


def _class_constants(theorem: Theorem) -> dict[str, Line]:
    """Return what the constants of a class satisfy if it contains a function on a space of positive dimension."""
    found = dict[str, Line]()
    for h in theorem.hypotheses:
        if isinstance(h, Member) and h.smooth is not None and h.id not in theorem.unused:
            smooth = read(export.term_json(h.smooth))
            found[f"the smoothness of {h.id}"] = Line(ZERO, "<=", smooth)
            if h.convex is not None:
                found[h.id] = Line(read(export.term_json(h.convex)), "<=", smooth)
    return found


def _implied_statement_faults(theorem: Theorem) -> Iterator[str]:
    """Yield hypotheses that imply the statement by linear arithmetic, with the bound's conditions and definitions.

    A single inequality that does so is not accepted as a hypothesis; others must be marked as supposed.
    """
    given = [h for h in theorem.hypotheses if isinstance(h, Given) and h.id not in theorem.unused]
    try:
        begin(MAX_WORK)
        wanted = line(export.relation_json(theorem.statement))
        every = {h.id: line(export.relation_json(h.relation)) for h in given}
        lines = {h.id: every[h.id] for h in given if not h.supposed}
        defined = [h for h in theorem.hypotheses if isinstance(h, Defines) and h.id not in theorem.unused]
        definitions = _definitions(theorem, {})
        if defined and is_identity(wanted, definitions) and not is_identity(wanted, (), surely=True):
            if not any(h.supposed for h in defined):
                yield f"the statement follows from {' and '.join(h.id for h in defined)} alone: mark one as supposed"
            return
        granted = {name: own for name, own in lines.items() if _CONDITION.fullmatch(name)}
        if opposed := contradictory_lines(wanted, every | _class_constants(theorem), definitions):
            what = "contradict each other: from these" if len(opposed) > 1 else "never holds: from it"
            yield f"{' and '.join(opposed)} {what} everything follows"
            return
        if not implying_lines(wanted, every, definitions) or implying_lines(wanted, granted, definitions, surely=True):
            return
        alone = [
            n
            for n, own in every.items()
            if n not in granted and own.op != "==" and implying_lines(wanted, {n: own}, ())
        ]
        names = implying_lines(wanted, lines, definitions)
    except (ProofError, Wrong):  # a statement that cannot be exported is not proved
        return
    except TooLong:
        yield "it takes too long to check whether its hypotheses alone imply the statement"
        return
    if alone:
        yield f"the hypothesis {alone[0]} alone implies the statement: a step may assume it"
        return
    said = [name for name in names if name not in granted]
    if said:
        yield f"the statement follows from {' and '.join(said)} alone: mark a hypothesis as supposed"


def suppositions(theorem: Theorem) -> tuple[Given | Defines, ...]:
    """Return what a theorem supposes beyond its claim, and hypotheses that alone imply it."""
    return tuple(h for h in theorem.hypotheses if isinstance(h, Given | Defines) and h.supposed)
