"""Refutation at sample points: a term that is negative at one of a few points is not nonnegative.

Symbols get values in their domain (positive integers too: 1 and more), and so do parts that are not arithmetic, by
their known signs. A negative value rejects only what the symbolic check would reject; nothing is ever accepted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from zlib import crc32

import sympy
from sympy import Expr

from fltheory.proof.algebra.term import Term

POINTS = 3
ROUNDING = 1e-9  # relative to the sum of absolute values
Value = tuple[float, float]  # a number, and the sum of the absolute values of its summands
Values = tuple[Value, ...]  # at each point


def negative_somewhere(expr: Expr, *less: Expr) -> bool:
    """Return whether ``expr``, less the others, is negative at one of the points."""
    parts = [values(expr), *map(values, less)]
    for point in range(POINTS):
        value = parts[0][point][0] - sum(p[point][0] for p in parts[1:])
        if value < -ROUNDING * sum(p[point][1] for p in parts):  # False for NaN
            return True
    return False


def differ(one: Expr, two: Expr) -> bool:
    """Return whether two terms without words of the proof language differ at one of the points."""
    if not (_plain(one) and _plain(two)):
        return False
    pairs = zip(values(one), values(two), strict=True)
    return any(abs(v - w) > ROUNDING * (s + t) for (v, s), (w, t) in pairs)


def unordered_somewhere(one: Expr, two: Expr) -> bool:
    """Return whether each of two terms is larger than the other at one of the points."""
    return negative_somewhere(one, two) and negative_somewhere(two, one)


@lru_cache(maxsize=100_000)
def _plain(expr: Expr) -> bool:
    return not expr.has(Term)


@lru_cache(maxsize=100_000)
def values(expr: Expr) -> Values:
    """Return the term at each point, and its size."""
    if isinstance(expr, sympy.Rational | sympy.NumberSymbol):  # 1/2, e
        return ((float(expr), abs(float(expr))),) * POINTS
    if isinstance(expr, sympy.Add):
        return _pointwise(_sum, [values(a) for a in expr.args])
    if isinstance(expr, sympy.Mul):
        return _pointwise(_product, [values(a) for a in expr.args])
    if isinstance(expr, sympy.Pow):
        base, exponent = values(expr.base), values(expr.exp)
        if isinstance(expr.exp, sympy.Integer) or all(v > 0 for v, _ in base):
            return _pointwise(_power, [base, exponent])
    if isinstance(expr, sympy.exp):
        return _pointwise(_exp, [values(expr.args[0])])
    if isinstance(expr, sympy.log) and all(v > 0 for v, _ in values(expr.args[0])):
        return _pointwise(_log, [values(expr.args[0])])
    return _generator(expr)


def _pointwise(rule: Callable[..., Value], parts: list[Values]) -> Values:
    def at(*here: Value) -> Value:
        try:
            return rule(*here)
        except (OverflowError, ZeroDivisionError, ValueError):
            return math.nan, math.nan

    return tuple(at(*here) for here in zip(*parts, strict=True))


def _sum(*parts: Value) -> Value:
    return sum(v for v, _ in parts), sum(s for _, s in parts)


def _product(*parts: Value) -> Value:
    return math.prod(v for v, _ in parts), math.prod(s for _, s in parts)


def _power(base: Value, exponent: Value) -> Value:
    (v, s), (w, t) = base, exponent
    w = int(w) if w == int(w) else w
    found = v**w
    return found, abs(found) * (s / abs(v)) ** abs(w) * max(1.0, t * abs(math.log(abs(v))))


def _exp(part: Value) -> Value:
    found = math.exp(part[0])
    return found, found * max(1.0, part[1])


def _log(part: Value) -> Value:
    found = math.log(part[0])
    return found, max(abs(found), part[1] / part[0])


def _generator(expr: Expr) -> Values:
    seed = crc32(str(expr).encode())
    sizes = [2.0 ** ((seed >> 8 * i & 255) / 24 - 5) for i in range(POINTS)]  # 1/32 to 48
    if expr.is_integer and expr.is_positive:
        sizes = [1 + s for s in sizes]
    signs = [1, 1, 1]
    if expr.is_nonpositive:
        signs = [-1, -1, -1]
    elif not expr.is_nonnegative:
        signs = [1 if seed >> 24 + i & 1 else -1 for i in range(POINTS)]
    return tuple((sign * size, size) for sign, size in zip(signs, sizes, strict=True))
