"""Signs on the region: lines of a proof that state them, with certificates as products of what is known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import sympy
from flint import fmpq_mpoly
from sympy import Expr, Integer

from fltheory.proof import by, certificates
from fltheory.proof import language as lang
from fltheory.proof.algebra import polynomial
from fltheory.proof.algebra.polynomial import is_visibly_nonnegative, is_visibly_positive
from fltheory.proof.chain import line
from fltheory.proof.find.find_scalar import find_polynomial
from fltheory.proof.language import Given, Step, Theorem, le, lt
from fltheory.proving.multipliers.search.sampling import Point
from fltheory.proving.multipliers.system import System
from fltheory.work import spend

DEGREES = (1, 2, 3, 4, 5, 6)
MOST_PRODUCTS = 1_500  # of facts in a certificate's search
SHARES = (1, sympy.Rational(1, 2), sympy.Rational(1, 4), sympy.Rational(1, 16))


@dataclass(frozen=True)
class Book:
    """The lines so far, their certificates, the signs that they state, and conditions that had to be added.

    ``signs`` has for a factor 1 or -1, and whether it is known not to be 0. ``derived``: lines that state the sign of a
    factor of a condition, which serve as conditions.
    """

    system: System
    points: tuple[Point, ...]
    may_narrow: bool
    steps: tuple[Step, ...] = ()
    found: Mapping[str, Any] = field(default_factory=dict)
    signs: Mapping[str, tuple[int, bool]] = field(default_factory=dict)
    region: tuple[Given, ...] = ()
    derived: tuple[Given, ...] = ()

    @property
    def conditions(self) -> tuple[Given, ...]:
        """The conditions that a certificate can use, those ``derived`` included: their denominators are visibly positive."""
        given = (*self.system.reading.conditions, *self.region, *self.derived)
        return tuple(g for g in given if _readable(self.gap(g)))

    def gap(self, given: Given) -> Expr:
        """Return what a condition states as nonnegative, with the equations inserted."""
        return self.system.reading.context.inserted(given.relation.gap)

    def theorem(self) -> Theorem:
        """Return the theorem with the lines so far."""
        own = self.system.reading.theorem
        return replace(own, hypotheses=(*own.hypotheses, *self.region), steps=self.steps)

    def with_step(self, step: Step, certificate: Any = None) -> Book:
        """Return the book with one more line."""
        grown = replace(self, steps=(*self.steps, step))
        if certificate is None:
            return grown
        entry = {"hash": certificates.fingerprint(grown.theorem(), step), "certificate": certificate}
        return replace(grown, found={**self.found, step.id: entry})

    def next_name(self, word: str) -> str:
        """Return a name that no line has."""
        taken = {h.id for h in self.theorem().hypotheses} | {s.id for s in self.steps}
        return next(n for i in itertools.count(1) if (n := f"{word} {i}") not in taken)


def _readable(gap: Expr) -> bool:
    try:
        polynomial.Problem.read(gap, ())
    except polynomial.Unreadable:
        return False
    return True


def with_factors(book: Book) -> Book:
    """Return the book with a line for each factor of a condition whose other factors have known signs."""
    for given in book.conditions:
        value = book.system.units.short(book.system.units.whole.read(book.gap(given)))
        parts = [(f, times) for f, times in value.top.factor()[1] if len(f.to_dict()) > 1]
        for factor, times in parts if len(value.top.factor()[1]) > 1 else ():
            more = with_sign(book, factor, strict=False) if times % 2 else None
            if more is not None and len(more.steps) > len(book.steps):
                last = more.steps[-1]
                book = replace(more, derived=(*more.derived, Given(last.id, last.claim)))
    return book


def with_sign(book: Book, factor: fmpq_mpoly, strict: bool) -> Book | None:
    """Return the book with a line on the sign of a factor, or None if it has both signs or none is proved."""
    known = book.signs.get(str(factor))
    if known is not None and (known[1] or not strict):
        return book
    sign = _sampled(book, factor)
    if sign == 0:
        return None
    expr = sympy.expand(sign * book.system.units.long(factor)[0])
    signs = {**book.signs, str(factor): (sign, strict)}
    if is_visibly_positive(expr):
        return replace(book, signs=signs)
    for given in book.conditions:
        if (given.relation.op == "<" or not strict) and _same_sign(book.gap(given), expr):
            return replace(book, signs=signs)
    proved = _strictly(book, expr) if strict else _weakly(book, expr) or _as_factor(book, factor, expr)
    if proved is None and book.may_narrow:
        condition = lt(0, expr) if strict else le(0, expr)
        why = "the multipliers have their signs only there"
        given = Given(book.next_name("region"), condition, why, supposed=True)
        proved = replace(book, region=(*book.region, given))
    return None if proved is None else replace(proved, signs=signs)


def _as_factor(book: Book, factor: fmpq_mpoly, expr: Expr) -> Book | None:
    """Return the book with the line 0 <= expr, as a factor of a condition whose other factors are positive."""
    whole, short = book.system.units.whole, book.system.units.short
    for given in book.conditions:
        gap = book.gap(given)
        value = short(whole.read(gap))
        parts = [*value.top.factor()[1], *value.bottom.factor()[1]]
        others = [part for part, times in parts if part != factor and times % 2 and len(part.to_dict()) > 1]
        if len(others) == len(parts) or not any(part == factor for part, _ in parts):
            continue
        more: Book | None = book
        for part in others:
            more = more and with_sign(more, part, strict=True)
        if more is not None:
            weight = sympy.factor(sympy.cancel(sympy.together(expr / gap)))
            helpers = [*(g.id for g in more.conditions), *(s.id for s in more.steps)]
            helpers = [name for name in dict.fromkeys(helpers) if name != given.id]
            return more.with_step(line(more.next_name("sign"), le(0, expr), by.linear({given.id: weight}, *helpers)))
    return None


def _same_sign(gap: Expr, expr: Expr) -> bool:
    """Return whether two numbers differ by a visibly positive factor, which is a number over something."""
    factor = sympy.cancel(sympy.together(gap / expr))
    return bool(sympy.fraction(factor)[0].is_number) and is_visibly_positive(factor)


def _sampled(book: Book, factor: fmpq_mpoly) -> int:
    """Return the sign that a factor has at all of the points, or at most of them if the region may be narrowed; else 0."""
    values = [factor(*p) for p in book.points]
    plus, minus = sum(v > 0 for v in values), sum(v < 0 for v in values)
    if plus and minus and not book.may_narrow:
        return 0
    return 1 if plus >= minus else -1


def _weakly(book: Book, expr: Expr) -> Book | None:
    """Return the book with the line 0 <= expr, from products of conditions."""
    if not _fits(book, expr):
        return None
    conditions = book.conditions
    facts = tuple(book.gap(g) for g in conditions)
    certificate = _products(expr, facts)
    if certificate is None:
        return None
    name = book.next_name("sign")
    step = lang.Step(name, le(0, expr), lang.Polynomial(), tuple(g.id for g in conditions))
    return book.with_step(step, certificate)


def _fits(book: Book, expr: Expr) -> bool:
    """Return whether a number is nonnegative at all of the points."""
    value = book.system.units.short(book.system.units.whole.read(expr))
    return all(value.at(p) >= 0 for p in book.points)


@lru_cache(maxsize=2_000)
def _products(expr: Expr, facts: tuple[Expr, ...]) -> dict[str, Any] | None:
    """Return a certificate of expr >= 0 from products of facts, of low degree first."""
    letters = len(facts) + len(set().union(expr.free_symbols, *(f.free_symbols for f in facts)))
    degree = max((d for d in DEGREES if math.comb(letters + d, d) <= MOST_PRODUCTS), default=1)
    spend(1 + math.comb(letters + degree, degree) / 8)
    return find_polynomial(expr, facts, degree=degree)


def _strictly(book: Book, expr: Expr) -> Book | None:
    """Return the book with the lines 0 <= expr - part and 0 < expr, where the part is positive."""
    for part, weights in _positive_parts(book, expr):
        for share in SHARES:
            rest = sympy.expand(expr - share * part)
            more = book if rest == 0 or is_visibly_nonnegative(rest) else _weakly(book, rest)
            if more is None:
                continue
            named = {more.steps[-1].id: Integer(1)} if more is not book else {}
            used = {**named, **{name: share * w for name, w in weights.items()}}
            helpers = [g.id for g in book.conditions if g.id not in used]
            step = line(more.next_name("sign"), lt(0, expr), by.linear(used, *helpers))
            return more.with_step(step)
    return None


def _positive_parts(book: Book, expr: Expr) -> Iterator[tuple[Expr, dict[str, Expr]]]:
    """Yield positive numbers of the same degree as a term of an expression, with the strict conditions that they use."""
    monomials = [sympy.Mul(*[f for f in sympy.Mul.make_args(t) if not f.is_number]) for t in sympy.Add.make_args(expr)]
    yield from ((m, {}) for m in monomials if m.is_positive)
    for given in book.conditions:
        if given.relation.op == "<":
            top, _ = sympy.fraction(sympy.together(book.gap(given)))
            terms = sympy.Add.make_args(sympy.expand(top))
            scales = {sympy.cancel(m / abs_part(t)) for m in monomials for t in terms}
            for scale in sorted((s for s in scales if s.is_positive), key=sympy.default_sort_key):
                gap = book.gap(given)
                yield sympy.expand(scale * top), {given.id: sympy.cancel(scale * sympy.cancel(top / gap))}


def abs_part(term: Expr) -> Expr:
    """Return a term without its number."""
    return term.as_coeff_Mul()[1]
