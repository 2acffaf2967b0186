"""Equality of terms: the expanded difference, a rational function of independent atoms, must vanish identically.

The expansion uses these rules alone: sums, expectations and inner products are linear; E is the identity on terms that
do not depend on chance; sums commute with expectations and with each other; bound indices may be renamed; a sum of
powers of its index has its closed form; the last terms of a sum may be split off; a sum over 1..M of a term that
depends on the index through a permutation of 1..M alone is the sum over 1..M.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import sympy
from sympy import Add, Expr, Integer, Mul, Pow, Symbol

from fltheory.proof.algebra import quotient
from fltheory.proof.algebra.polynomial import is_visibly_nonnegative
from fltheory.proof.terms import (
    Dot,
    Draw,
    E,
    Fun,
    Grad,
    Indicator,
    Scalar,
    Term,
    Total,
    Val,
    Vector,
    free_symbols,
    is_random,
    is_vector,
    rebuild,
    substitute,
)

Parts = tuple[tuple[Expr, Expr], ...]  # (coefficient, atom) of a linear combination


class NotATerm(ValueError):
    """Raised for an expression that is not a term of the proof language."""


def equal(left: Expr, right: Expr) -> bool:
    """Return whether two terms (numbers or vectors) are equal by the rules of this module. False means: not shown."""
    left, right = sympy.sympify(left), sympy.sympify(right)
    if not (is_vector(left) or is_vector(right)) and normal_form(left) == normal_form(right):
        return True
    return is_zero(left - right)


def is_zero(expr: Expr) -> bool:
    """Return whether a term vanishes by the rules of this module."""
    expr = sympy.sympify(expr)
    if is_vector(expr):
        return all(vanishes(c) for c, _ in linear_form(expr))
    return vanishes(normal_form(expr))


def vanishes(expr: Expr) -> bool:
    """Return whether a rational function of its atoms vanishes identically."""
    if expr == 0:
        return True
    atoms: dict[Expr, Expr] = {}
    plain = _polynomial(expr, atoms)
    try:
        return quotient.is_null(plain)
    except quotient.TooHigh:
        numerator, _ = sympy.fraction(sympy.together(plain))
        return sympy.expand(numerator) == 0


def _polynomial(expr: Expr, atoms: dict[Expr, Expr]) -> Expr:
    """Replace everything in the expression that is not arithmetic by a symbol, and roots by powers of one symbol."""
    if isinstance(expr, Add | Mul):
        return expr.func(*(_polynomial(a, atoms) for a in expr.args))
    if expr.is_Rational:
        return expr
    if isinstance(expr, sympy.exp):
        return _exponential(sympy.E, expr.args[0], atoms)
    if isinstance(expr, Pow):
        if expr.exp.is_Integer:
            return Pow(_polynomial(expr.base, atoms), expr.exp)
        return _exponential(expr.base, expr.exp, atoms)
    return atoms.setdefault(expr, sympy.Dummy())


def _exponential(base: Expr, exponent: Expr, atoms: dict[Expr, Expr]) -> Expr:
    """Return base^exponent, split at the summands of the exponent: b^(n+1) = b^n b, b^(3/2) = b^(1/2)^3."""
    product: Expr = Integer(1)
    for summand in Add.make_args(sympy.expand(exponent)):
        number, rest = summand.as_coeff_Mul()
        if rest == 1:
            whole, part = divmod(number.p, number.q)
            product *= _polynomial(base, atoms) ** whole if base is not sympy.E else _atom(sympy.exp(whole), atoms)
            if part:
                product *= _atom(Pow(base, sympy.Rational(1, number.q)), atoms) ** part
        else:
            product *= _atom(Pow(base, rest / number.q), atoms) ** number.p
    return product


def _atom(expr: Expr, atoms: dict[Expr, Expr]) -> Expr:
    return Integer(1) if expr == 1 else atoms.setdefault(expr, sympy.Dummy())


@lru_cache(maxsize=50_000)
def _key(expr: sympy.Basic) -> str:
    """Return the sort key of a term."""
    if not expr.args:
        return str(sympy.srepr(expr))
    return f"{type(expr).__name__}({', '.join(map(_key, expr.args))})"


@lru_cache(maxsize=20_000)
def normal_form(expr: Expr) -> Expr:
    """Return the number as a polynomial in inner products of atoms, values, and sums and expectations of monomials."""
    if isinstance(expr, Symbol) or (expr.is_number and not expr.has(Term)):
        return expr
    if is_vector(expr):
        raise NotATerm(f"{expr} is a vector, expected a number")
    if isinstance(expr, Add):
        return Add(*(normal_form(a) for a in expr.args))
    if isinstance(expr, Mul):
        return _expand_product(Mul(*(normal_form(a) for a in expr.args)))
    if isinstance(expr, Pow):
        base = normal_form(expr.base)
        return sympy.expand(Pow(base, expr.exp if expr.exp.is_Integer else normal_form(expr.exp)))  # b^(n+1) = b^n b
    if isinstance(expr, Dot):
        return _dot(*expr.args)
    if isinstance(expr, Val):
        return Val(expr.args[0], _vector(expr.args[1]))
    if isinstance(expr, E):
        return Add(*(_mean(t) for t in Add.make_args(normal_form(expr.args[0]))))
    if isinstance(expr, Total):
        body, index, low, high = open_sum(expr)
        return Add(*(_total(t, index, low, high) for t in Add.make_args(normal_form(body))))
    if isinstance(expr, Indicator):
        return Indicator(normal_form(expr.args[0]))
    if isinstance(expr, Scalar | Fun | Draw):
        return expr.func(*expr.args)
    if isinstance(expr, Term):
        raise NotATerm(f"{expr} is not a number")
    return sympy.expand(
        rebuild(expr, tuple(normal_form(a) if isinstance(a, Expr) else a for a in expr.args))
    )  # logarithms


@lru_cache(maxsize=20_000)
def _expand_product(product: Expr) -> Expr:
    """Return the expanded product of expanded factors."""
    factors = Mul.make_args(product)
    if not any(map(_has_sum, factors)):
        return product
    if any(isinstance(f, Pow) and _has_sum(f) and not (f.exp.is_Integer and 0 < f.exp <= 8) for f in factors):
        return product.expand(power_base=False, power_exp=False, log=False, basic=False)
    sums = [f for f in factors if _has_sum(f)]
    if len(sums) == 1 and isinstance(sums[0], Add):
        rest = Mul(*(f for f in factors if f is not sums[0]))
        terms = [rest * a for a in sums[0].args]
    else:
        terms = list(Add.make_args(quotient.expand_product(product)))
    return Add(*(_expand_product(t) if any(map(_has_sum, Mul.make_args(t))) else t for t in terms))


def _has_sum(factor: Expr) -> bool:
    """Return whether a factor is a sum, or a power of a sum."""
    return isinstance(factor, Add) or (isinstance(factor, Pow) and isinstance(factor.base, Add))


@lru_cache(maxsize=20_000)
def linear_form(expr: Expr) -> Parts:
    """Return the vector as a linear combination of atomic vectors and sums of them."""
    if isinstance(expr, Vector):
        found: list[tuple[Expr, Expr]] = [(Integer(1), expr)]
    elif isinstance(expr, Grad):
        found = [(Integer(1), Grad(expr.args[0], _vector(expr.args[1])))]
    elif isinstance(expr, Add):
        found = [part for a in expr.args for part in linear_form(a)]
    elif isinstance(expr, Mul):
        vectors = [a for a in expr.args if is_vector(a)]
        if len(vectors) != 1:
            raise NotATerm(f"{expr} is not a multiple of exactly one vector")
        factor = normal_form(Mul(*(a for a in expr.args if a is not vectors[0])))
        found = [(c * factor, v) for c, v in linear_form(vectors[0])]
    elif isinstance(expr, Total):
        body, index, low, high = open_sum(expr)
        found = []
        for c, v in linear_form(body):
            for term in Add.make_args(sympy.expand(c)):
                found += _vector_total(term, v, index, low, high)
    elif expr == 0:
        found = []
    else:
        raise NotATerm(f"{expr} is not a vector")
    collected: dict[Expr, Expr] = {}
    for c, v in found:
        collected[v] = sympy.expand(collected.get(v, Integer(0)) + c)
    return tuple((c, v) for v, c in sorted(collected.items(), key=lambda item: _key(item[0])) if c != 0)


def _vector(expr: Expr) -> Expr:
    return Add(*(c * v for c, v in linear_form(expr)))


def _dot(u: Expr, v: Expr) -> Expr:
    return Add(
        *(
            sympy.expand(c * d) * _pair(a, b) if not (c * d).has(Term) else sympy.expand(c * d * _pair(a, b))
            for c, a in linear_form(u)
            for d, b in linear_form(v)
        )
    )


def _pair(a: Expr, b: Expr) -> Expr:
    """Return the inner product of two atoms, with sums pulled out."""
    for first, second in ((a, b), (b, a)):
        if isinstance(first, Total):
            body, index, low, high = open_sum(first)
            return normal_form(Total(Dot(body, second), index, low, high))
    return Dot(*sorted((a, b), key=_key))


def open_sum(total: Total) -> tuple[Expr, Symbol, Expr, Expr]:
    """Return (body, index, low, high) with an index that occurs nowhere else."""
    body, index, low, high = total.args
    if high in (sympy.oo, -sympy.oo) or low in (sympy.oo, -sympy.oo):
        raise NotATerm(f"{total} is an infinite sum")
    # the index gets the assumptions that follow from its range, whatever its name
    below, least = sympy.expand(low - 1), sympy.expand(low)
    sign = (
        {"positive": True}
        if is_visibly_nonnegative(below)
        else {"nonnegative": True}
        if is_visibly_nonnegative(least)
        else {}
    )
    other = sympy.Dummy(index.name, integer=True, **sign)
    return substitute(body, {index: other}), other, low, high


def _has_integer_ends(body: Expr, low: Expr, high: Expr) -> bool:
    """Return whether a sum begins and ends at integers, so that its terms can be counted and listed.

    False if an end is random and the terms are means: a mean at a random index is not a mean over the index.
    """
    means = (is_random(low) or is_random(high)) and body.has(E)
    return bool(low.is_integer and high.is_integer and not means)


def _nesting_depth(expr: sympy.Basic) -> int:
    """Return how deeply sums are nested in a term."""
    inside = max((_nesting_depth(a) for a in expr.args), default=0)
    return inside + isinstance(expr, Total)


def _mean(term: Expr) -> Expr:
    """Return E of a monomial; factors that are not random, and sums, are pulled out."""
    fixed, chance = _split_factors(term, is_random)
    if chance == 1:
        return fixed
    factors = Mul.make_args(chance)
    fixed_ends = (f for f in factors if isinstance(f, Total) and not is_random(f.args[2]) and not is_random(f.args[3]))
    total = next(fixed_ends, None)
    if total is not None:
        body, index, low, high = open_sum(total)
        rest = list(factors)
        rest.remove(total)
        return sympy.expand(fixed * normal_form(Total(E(Mul(body, *rest)), index, low, high)))
    return fixed * E(chance)


def _split_factors(term: Expr, moves: Callable[[Expr], bool]) -> tuple[Expr, Expr]:
    """Return (the product of the factors that stay, the product of those that are pulled out)."""
    factors = Mul.make_args(term)
    return Mul(*(f for f in factors if not moves(f))), Mul(*(f for f in factors if moves(f)))


def _total(term: Expr, index: Symbol, low: Expr, high: Expr) -> Expr:
    """Return the sum of one monomial."""
    fixed, moving = _split_factors(term, lambda f: index in free_symbols(f))
    count = sympy.expand(high - low + 1)
    extra, base = count.as_coeff_Add()
    whole = _has_integer_ends(moving, low, high)
    if count.is_Integer and count <= 8 and whole:
        values = range(int(count)) if count > 0 else range(0)
        return sympy.expand(fixed * Add(*(normal_form(substitute(moving, {index: low + j})) for j in values)))
    if (
        whole
        and extra.is_Integer
        and extra > 0
        and base.is_nonnegative
        and moving != 1
        and not _is_power(moving, index)
    ):
        peeled = [normal_form(substitute(moving, {index: high - j})) for j in range(int(extra))]
        return sympy.expand(fixed * (_total(moving, index, low, high - extra) + Add(*peeled)))
    if whole and extra == -1 and base.is_positive and moving != 1 and not _is_power(moving, index):
        above = normal_form(substitute(moving, {index: high + 1}))  # add a term, and subtract it again
        return sympy.expand(fixed * (_total(moving, index, low, sympy.expand(high + 1)) - above))
    if _is_power(moving, index) and count.is_nonnegative and whole:
        power = sympy.degree(moving, index) if moving != 1 else 0
        return sympy.expand(fixed * _power_sum(int(power), low, high))
    reordered = _reorder(moving, index, low, high)
    if reordered is not None:
        return sympy.expand(fixed * normal_form(reordered))
    return fixed * _canonical_sum(moving, index, low, high)


def _reorder(body: Expr, index: Symbol, low: Expr, high: Expr) -> Total | None:
    """Return the sum over 1..M of a term in the draws at 1..M, each once; None if the sum is not of this form."""
    draws = {d for d in body.atoms(Draw) if index in free_symbols(d)}
    means = [e for e in body.atoms(E) if any(index in free_symbols(d) for d in e.atoms(Draw))]
    if len(draws) != 1 or (means and (means != [body] or body.args[0].has(E))):
        return None  # only an expectation that stands alone is linear in a draw
    if means and (is_random(low) or is_random(high)):
        return None  # a random number of means is not a mean of as many terms
    (draw,) = draws
    place, population, *which = draw.args
    shift = sympy.expand(place - index)
    whole = sympy.expand(low + shift - 1) == 0 and sympy.expand(high + shift - population) == 0
    if index in free_symbols(shift).union(free_symbols(population), *map(free_symbols, which)) or not whole:
        return None
    own = sympy.Dummy(index.name, integer=True, positive=True)
    body = substitute(body, {draw: own})
    return None if index in free_symbols(body) else Total(body, own, Integer(1), population)


def _is_power(expr: Expr, index: Symbol) -> bool:
    return (
        expr == 1
        or expr == index
        or (isinstance(expr, Pow) and expr.base == index and bool(expr.exp.is_Integer and expr.exp > 0))
    )


@lru_cache(maxsize=500)
def _power_sum(power: int, low: Expr, high: Expr) -> Expr:
    """Return the sum of i^power over low..high, by Faulhaber's formula (the range may be empty, high = low - 1)."""
    x = sympy.Dummy()
    antidifference = (sympy.bernoulli(power + 1, x + 1) - sympy.bernoulli(power + 1, 1)) / (power + 1)
    return sympy.expand(antidifference.subs(x, high) - antidifference.subs(x, low - 1))


def _vector_total(c: Expr, v: Expr, index: Symbol, low: Expr, high: Expr) -> list[tuple[Expr, Expr]]:
    fixed, moving = _split_factors(c, lambda f: index in free_symbols(f))
    if index not in free_symbols(v):
        return [(sympy.expand(normal_form(Total(c, index, low, high))), v)]
    count = sympy.expand(high - low + 1)
    extra, base = count.as_coeff_Add()
    whole = _has_integer_ends(moving * v, low, high)
    if count.is_Integer and count <= 8 and whole:
        values = [low + j for j in range(max(int(count), 0))]
        return [(fixed * d, w) for x in values for d, w in linear_form(substitute(moving * v, {index: x}))]
    if whole and extra.is_Integer and extra > 0 and base.is_nonnegative:
        peeled = [
            (fixed * d, w) for j in range(int(extra)) for d, w in linear_form(substitute(moving * v, {index: high - j}))
        ]
        return _vector_total(c, v, index, low, sympy.expand(high - extra)) + peeled
    if whole and extra == -1 and base.is_positive:
        above = [(-fixed * d, w) for d, w in linear_form(substitute(moving * v, {index: high + 1}))]
        return _vector_total(c, v, index, low, sympy.expand(high + 1)) + above
    reordered = _reorder(moving * v, index, low, high)
    if reordered is not None:
        return [(fixed * d, w) for d, w in linear_form(reordered)]
    return [(fixed, _canonical_sum(moving * v, index, low, high))]


def _canonical_sum(body: Expr, index: Symbol, low: Expr, high: Expr) -> Expr:
    """Return a sum with canonical names and, if its ranges are independent, a canonical order of the sums."""
    binders = [(index, low, high)]
    while isinstance(body, Total):
        body, inner, lo, hi = open_sum(body)
        binders.append((inner, lo, hi))
    best: Expr | None = None
    best_key = ""
    for order in itertools.permutations(binders):
        if any(
            b in free_symbols(lo) | free_symbols(hi) for i, (_, lo, hi) in enumerate(order) for b, _, _ in order[i:]
        ):
            continue
        candidate = _canonical_names(body, order)
        key = _key(candidate)
        if best is None or key < best_key:
            best, best_key = candidate, key
    assert best is not None
    return best


def _canonical_names(body: Expr, order: tuple[Any, ...]) -> Expr:
    top = _nesting_depth(body) + len(order)
    taken = free_symbols(body).union(*(free_symbols(lo) | free_symbols(hi) for _, lo, hi in order))
    while True:
        marks = {b: Symbol(f"_{top - i}", **b.assumptions0) for i, (b, _, _) in enumerate(order)}
        if not taken & set(marks.values()):
            break
        top += 1
    body = substitute(body, marks)
    body = normal_form(body) if not is_vector(body) else _vector(body)
    for b, lo, hi in reversed(order):
        body = Total(body, marks[b], substitute(lo, marks), substitute(hi, marks))
    return body
