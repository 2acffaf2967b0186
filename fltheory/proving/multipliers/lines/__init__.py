"""The completed theorem: the lines on signs, then the sum with multipliers and squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from sympy import Expr

from fltheory.proof import by
from fltheory.proof.algebra.axioms import Axiom
from fltheory.proof.algebra.residual import step_context
from fltheory.proof.chain import line
from fltheory.proof.check import check_theorem
from fltheory.proof.language import Given, Member, Step, Theorem, le
from fltheory.proof.notation import term_text
from fltheory.proof.terms import E, rebuild
from fltheory.proving.multipliers.lines.signs import Book, with_factors, with_sign
from fltheory.proving.multipliers.lines.squares import Square, certificate_of, decompositions, needed_signs
from fltheory.proving.multipliers.search.dual import as_float
from fltheory.proving.multipliers.search.sampling import Point
from fltheory.proving.multipliers.system import System, rest_of
from fltheory.proving.multipliers.system.ratios import Ratio


@dataclass(frozen=True)
class Complete:
    """A theorem with lines and certificates that the kernel accepts."""

    theorem: Theorem
    certificates: Mapping[str, Any]
    book: Book
    weights: Mapping[str, Expr]


def completed(
    system: System,
    weights: Mapping[int, Ratio],
    points: Sequence[Point],
    may_narrow: bool,
    region: tuple[Given, ...] = (),
) -> Complete | str:
    """Return the complete theorem with these multipliers, or why its last line is not proved."""
    rest = rest_of(system, weights)
    if not may_narrow and not all(_fits(system, weights, rest, p) for p in points):
        return "the multipliers do not fit at every point"
    book: Book | None = with_factors(Book(system, tuple(points), may_narrow, region=region))
    for place, weight in weights.items():
        for factor, strict in _signs_of(weight, system.candidates[place].free):
            book = book and with_sign(book, factor, strict)
            if book is None:
                return "the sign of a multiplier is not proved"
    if book is None or any(_is_negative(system, book, k, w) for k, w in weights.items()):
        return "a multiplier is negative"
    reason = "the rest is no sum of squares"
    for squares in decompositions(rest):
        found = _with_squares(book, weights, squares)
        if isinstance(found, Complete):
            return found
        reason = found
    return reason


def _fits(system: System, weights: Mapping[int, Ratio], rest: Sequence[Sequence[Ratio]], point: Point) -> bool:
    """Return whether the multipliers are nonnegative and the rest semidefinite at a point, up to a float's rounding."""
    try:
        matrix = np.array([[as_float(v.at(point)) for v in row] for row in rest])
        signed = [as_float(w.at(point)) for k, w in weights.items() if not system.candidates[k].free]
    except ZeroDivisionError:
        return False
    scale = np.abs(matrix).max(initial=1e-9)
    lowest = np.linalg.eigvalsh(matrix).min(initial=0.0) if matrix.size else 0.0
    return bool(lowest >= -1e-9 * scale and min(signed, default=0.0) >= 0)


def _signs_of(weight: Ratio, free: bool) -> Sequence[tuple[Any, bool]]:
    below = [(f, True) for f, _ in weight.bottom.factor()[1]]
    return below if free else [*below, *((f, False) for f, times in weight.top.factor()[1] if times % 2)]


def _is_negative(system: System, book: Book, place: int, weight: Ratio) -> bool:
    if system.candidates[place].free or not weight:
        return False
    sign = 1
    for polynomial in (weight.top, weight.bottom):
        c, factors = polynomial.factor()
        sign *= 1 if c > 0 else -1
        for factor, times in factors:
            sign *= book.signs.get(str(factor), (1, False))[0] if times % 2 else 1
    return sign < 0


def _with_squares(book: Book, weights: Mapping[int, Ratio], squares: Sequence[Square]) -> Complete | str:
    for factor, strict in needed_signs(squares):
        more = with_sign(book, factor, strict)
        if more is None:
            return "the sign of a square's weight is not proved"
        book = more
    system = book.system
    written = {
        k: system.units.expression(w, system.degree_of(k), book.signs) / system.candidates[k].scale
        for k, w in weights.items()
        if w
    }
    lines = _in_mean(book, written) if system.reading.mean else [_whole(book, written)]
    certificate = None
    for step in lines:
        book = book.with_step(step)
        if step is lines[0]:
            context = step_context(book.theorem(), step)
            certificate = certificate_of(system, squares, context)
            if certificate is None:
                return "the sign of a square's weight is not seen"
            book = replace(book, steps=book.steps[:-1]).with_step(step, certificate)
    theorem = only_needed(book.theorem())
    report = check_theorem(theorem, book.found)
    if report.verdict != "PROVED":
        return "the multipliers that were found do not prove it"
    return Complete(theorem, book.found, book, {name_of(system, k): w for k, w in written.items()})


def name_of(system: System, place: int) -> str:
    source = system.candidates[place].source
    if isinstance(source, Axiom):
        parts = ", ".join(term_text(part, {}) for part in (source.function, source.u, source.v))
        return f"{source.kind}({parts})"
    return source or term_text(system.candidates[place].gap, {})


def only_needed(theorem: Theorem) -> Theorem:
    """Return the theorem without lines on which its last one does not depend, and with its unused hypotheses listed."""
    kept = {theorem.steps[-1].id}
    for step in reversed(theorem.steps):
        if step.id in kept:
            kept |= {*step.uses, *step.by}
    steps = tuple(s for s in theorem.steps if s.id in kept)
    used = {n for s in steps for n in (*s.uses, *s.by)}
    unused = tuple(h.id for h in theorem.hypotheses if h.id not in used)
    return replace(theorem, steps=steps, unused=tuple(dict.fromkeys((*theorem.unused, *unused))))


def _whole(book: Book, weights: Mapping[int, Expr]) -> Step:
    """Return the last line of a theorem without expectations."""
    own = book.system.reading
    return line(book.next_name("sum"), own.theorem.statement, _reason(book, weights), inserting=own.inserting)


def _reason(book: Book, weights: Mapping[int, Expr]) -> by.By:
    """Return the sum with multipliers, with all lines that show signs."""
    candidates = book.system.candidates
    axioms = [(w, candidates[k].source) for k, w in weights.items() if isinstance(candidates[k].source, Axiom)]
    named = {s: w for k, w in weights.items() if isinstance(s := candidates[k].source, str) and s}
    members = {candidates[k].member for k in weights if candidates[k].member}
    classes = [h.id for h in book.theorem().hypotheses if isinstance(h, Member) and h.id in members]
    return by.sos(*(g.id for g in book.conditions), *axioms, named, *classes, *(s.id for s in book.steps))


def _in_mean(book: Book, weights: Mapping[int, Expr]) -> list[Step]:
    """Return three lines: what holds for every outcome, its mean, and the sum with the hypotheses on means."""
    own, candidates = book.system.reading, book.system.candidates
    means = {k: w for k, w in weights.items() if isinstance(candidates[k].source, str) and candidates[k].mean}
    sure = {k: w for k, w in weights.items() if k not in means}
    given = {h.id: h.relation.gap for h in own.theorem.hypotheses if isinstance(h, Given)}
    parts = [-w * given[s] for k, w in means.items() if isinstance(s := candidates[k].source, str)]
    rest = _without_means(own.theorem.statement.gap + sympy.Add(*parts))
    names = [book.next_name(word) for word in ("outcome", "mean", "sum")]
    first = line(names[0], le(0, rest), _reason(book, sure), inserting=own.inserting)
    second = line(names[1], le(0, E(rest)), by.expectation(names[0]))
    named = {s: w for k, w in means.items() if isinstance(s := candidates[k].source, str)}
    helpers = [*(g.id for g in book.conditions), *(s.id for s in book.steps)]
    last = by.linear({names[1]: sympy.Integer(1)}, named, *helpers)
    return [first, second, line(names[2], own.theorem.statement, last, inserting=own.inserting)]


def _without_means(number: Expr) -> Expr:
    """Return a number with what is averaged in the place of each mean."""
    if isinstance(number, E):
        return _without_means(number.args[0])
    return rebuild(number, tuple(map(_without_means, number.args))) if number.has(E) else number
