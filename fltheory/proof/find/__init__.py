"""The search for certificates: a solver's proposal is stored only after the checker has accepted it.

The multipliers of the Gram engine are in the proof; its squares come from an exact LDL^T with symbolic pivots, whose
signs the polynomial engine certifies.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import sympy
from sympy import Expr, Integer

from fltheory.proof import certificates
from fltheory.proof import language as lang
from fltheory.proof.algebra.context import Context
from fltheory.proof.algebra.normal import normal_form
from fltheory.proof.algebra.polynomial import is_visibly_nonnegative, is_visibly_positive
from fltheory.proof.algebra.residual import residual, step_context
from fltheory.proof.check import check_theorem
from fltheory.proof.find.find_scalar import MAX_PRODUCTS, find_ball, find_polynomial
from fltheory.proof.find.products import product_of_facts
from fltheory.proof.find.sums_of_squares import find_sum_of_squares
from fltheory.proof.find.unwritten import with_found_weights
from fltheory.proof.language import Proofs, Step, Theorem
from fltheory.proof.library import with_dependencies
from fltheory.proof.report import Report, needs_certificate
from fltheory.proof.tactics.stored import path_for, save_weights, stored_steps, with_weights_of_package
from fltheory.proof.terms import Dot

MOST_ORDERS = 8  # in which squares are completed if the signs of the simplest pivots are not found
MOST_DEGREE = 4  # of the products of facts in a polynomial certificate
MOST_HALVES = 5  # positive terms whose roots are paired


def find_all_certificates(
    proofs: Proofs, say: Callable[[str], None] = lambda line: None, only: tuple[str, ...] = ()
) -> tuple[Report, ...]:
    """Find and store certificates and weights of a paper's proofs (or ``only`` some theorems); return the reports of the check."""
    proofs, path = with_weights_of_package(proofs), path_for(proofs)
    reports: dict[str, Report] = {}
    named = tuple(t for t in proofs.theorems if t.id in only)
    for theorem in with_dependencies(proofs, *named) if only else proofs.theorems:
        stored = certificates.load(proofs.certificates, theorem.id)
        if not only or theorem.id in only:
            found = find_certificates(theorem, reports, stored)
            if found != stored:
                certificates.save(proofs.certificates, theorem.id, found)
            stored = found
            theorem, weights = with_found_weights(theorem, reports, stored_steps(theorem.id, path))
            if weights:
                save_weights(path, {theorem.id: weights})
        reports[theorem.id] = check_theorem(theorem, stored, reports, "", proofs.certificates)
        report = reports[theorem.id]
        say(f"{theorem.id}: {report.verdict}")
        for fault in report.faults:
            say(f"  {fault}")
        for step in report.steps:
            if step.outcome != step.step.recorded:
                say(f"  step {step.step.id}: {step.outcome}, {step.reason}")
    return tuple(reports.values())


def find_certificates(
    theorem: Theorem,
    earlier: Mapping[str, Report],
    stored: Mapping[str, Any] | None = None,
    most_products: int = MAX_PRODUCTS,
) -> dict[str, Any]:
    """Return certificates of one theorem's steps by id; a stored one that is still valid is kept.

    A polynomial certificate is sought among at most ``most_products`` products of facts.
    """
    found: dict[str, Any] = {}
    for step in theorem.steps:
        if not needs_certificate(step):
            continue
        mark = certificates.fingerprint(theorem, step)
        kept = (stored or {}).get(step.id)
        if kept and kept.get("hash") == mark:
            found[step.id] = kept
            continue
        certificate = find_step(theorem, step, most_products)
        if certificate is not None:
            found[step.id] = {"hash": mark, "certificate": certificate}
    return found


def find_step(theorem: Theorem, step: Step, most_products: int = MAX_PRODUCTS) -> Any:
    """Return a certificate of one step, or None if none is found."""
    context = step_context(theorem, step)
    if isinstance(step.rule, lang.Combine):
        return find_squares(step.rule, context)
    gap = normal_form(context.expand(step.claim.gap))
    if isinstance(step.rule, lang.Ball):
        box = {s: (sympy.Rational(lo), sympy.Rational(hi)) for s, lo, hi in step.rule.box}
        zeros: dict[Any, list[Any]] = {}
        for symbol, value in step.rule.zeros:
            zeros.setdefault(symbol, []).append(sympy.Rational(value))
        return find_ball(gap, box, {s: tuple(v) for s, v in zeros.items()} or None)
    more = _radicals(gap)[:MOST_HALVES]
    facts = context.facts()
    found = find_polynomial(gap, facts, MOST_DEGREE, _roots(gap, more), more, most_products)
    return found or find_sum_of_squares(gap, facts)


@lru_cache(maxsize=5_000)
def _roots(gap: Expr, multipliers: tuple[Expr, ...] = ()) -> tuple[Expr, ...]:
    """Return candidates for squares: the squared factors of the gap, and differences of roots of its positive terms."""
    top = sympy.fraction(sympy.together(gap))[0]
    _, factors = sympy.factor_list(top)
    root = sympy.Mul(*(f ** (e // 2) for f, e in factors))
    found = dict.fromkeys([] if root.is_number else [root])
    radicals = sorted((p for p in top.atoms(sympy.Pow) if p.exp == sympy.Rational(1, 2)), key=str)[:MOST_HALVES]
    halves = [list[Expr](radicals)]
    for factor in (Integer(1), *multipliers):
        terms = sympy.Add.make_args(sympy.expand(factor * top))
        less = [t for t in terms if t.could_extract_minus_sign()]
        positive = [t for t in terms if t not in less and t.is_nonnegative][:MOST_HALVES] if less else []
        halves.append([sympy.sqrt(t) for t in positive])
    for group in halves:
        for a, b in itertools.combinations(group, 2):
            if not (a - b).is_number and not any(p.exp.is_Rational and p.exp.q > 2 for p in (a - b).atoms(sympy.Pow)):
                found[a - b] = None
    return tuple(found)


def _radicals(gap: Expr) -> tuple[Expr, ...]:
    """Return the square roots of positive symbols in a number, by which it may be multiplied."""
    powers = {p.base for p in gap.atoms(sympy.Pow) if p.exp.is_Rational and p.exp.q == 2 and p.base.is_Symbol}
    return tuple(sympy.sqrt(s) for s in sorted(powers, key=str) if s.is_positive)


def find_squares(rule: lang.Combine, context: Context) -> dict[str, Any] | None:
    """Return the residual as a sum of squares, {"squares": [...]}, or None."""
    rest = residual(rule, context)
    dots = sorted(rest.atoms(Dot), key=sympy.srepr)
    vectors = sorted({v for d in dots for v in d.args}, key=sympy.srepr)
    left = sympy.expand(rest - sum((rest.coeff(d) * d for d in dots), Integer(0)))
    if left != 0 and not is_visibly_nonnegative(left):
        return None  # a term that is not an inner product remains
    place = {v: i for i, v in enumerate(vectors)}
    matrix = sympy.zeros(len(vectors), len(vectors))
    for dot in dots:
        i, j = place[dot.args[0]], place[dot.args[1]]
        coefficient = rest.coeff(dot)
        matrix[i, j] += coefficient / 2
        matrix[j, i] += coefficient / 2
    matrix = matrix.applyfunc(lambda e: sympy.factor(sympy.together(e)))
    forward = list(range(len(vectors)))
    turned = ([*way[k:], *way[:k]] for k in forward for way in (forward, forward[::-1]))
    for order in itertools.chain((None,), itertools.islice(turned, MOST_ORDERS)):
        squares = _decompose(matrix, order)
        if squares is None:
            return None  # it is not semidefinite in any order
        entries = _entries(squares, vectors, context)
        if entries is not None:
            return {"squares": entries}
    return None


def _entries(
    squares: Sequence[tuple[Expr, list[Expr]]], vectors: Sequence[Expr], context: Context
) -> list[dict[str, Any]] | None:
    """Return the squares as a certificate lists them, or None if the sign of a pivot is not found."""
    facts, entries = (*context.facts(), *context.positive()), []  # in the checker's form
    for exact_pivot, row in map(_above_the_line, squares):
        written = certificates.serialize(exact_pivot)
        pivot = certificates.parse(written)  # as the checker reads it
        entry: dict[str, Any] = {
            "weight": written,
            "vector": [
                [certificates.serialize(c), certificates.serialize(v)]
                for c, v in zip(row, vectors, strict=True)
                if c != 0
            ],
        }
        if not is_visibly_nonnegative(pivot):
            sign = product_of_facts(pivot, facts) or find_polynomial(pivot, facts)
            if sign is None:
                return None
            entry["sign"] = sign
        entries.append(entry)
    return entries


def _above_the_line(square: tuple[Expr, list[Expr]]) -> tuple[Expr, list[Expr]]:
    """Return the square with a pivot over a visibly positive number: other factors below the line go into its vector."""
    pivot, row = square
    _, bottom = sympy.fraction(sympy.factor(sympy.together(pivot)))
    hidden = sympy.Mul(*(f for f in sympy.Mul.make_args(bottom) if not is_visibly_positive(f)))
    if hidden == 1 or is_visibly_nonnegative(pivot):
        return square
    return sympy.factor(pivot * hidden**2), [sympy.factor(c / hidden) for c in row]


def _decompose(matrix: sympy.Matrix, order: Sequence[int] | None = None) -> list[tuple[Expr, list[Expr]]] | None:
    """Return matrix = sum of pivot * row^T row in an order that avoids zero pivots; None if such a row is nonzero.

    Without an ``order`` the simplest pivot is next.
    """
    size, found = matrix.rows, []
    for _ in range(size):
        diagonal = [(i, matrix[i, i]) for i in range(size) if matrix[i, i] != 0]
        if not diagonal:
            break
        if order is None:
            i, pivot = min(
                diagonal, key=lambda item: (not is_visibly_nonnegative(item[1]), sympy.count_ops(item[1]), item[0])
            )
        else:
            i, pivot = min(diagonal, key=lambda item: order.index(item[0]))
        row = [sympy.factor(matrix[i, j] / pivot) for j in range(size)]
        found.append((pivot, row))
        matrix = (matrix - pivot * sympy.Matrix([[a * b for b in row] for a in row])).applyfunc(
            lambda e: sympy.factor(sympy.together(e))
        )
    return found if matrix.is_zero_matrix else None
