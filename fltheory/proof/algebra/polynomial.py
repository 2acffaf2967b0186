"""Check of polynomial inequalities as exact identities.

``check_identity`` reads a certificate of ``target >= 0`` from ``facts >= 0``: nonnegative rationals c_k such that

    multiplier * target = sum_k c_k * prod_i fact_i^{a_ki} * square_k^2

holds as a polynomial identity over the rationals, with a visibly positive multiplier. Rational functions are first
multiplied by their visibly positive denominators, so that 1/(6*L) - eta >= 0 is read as 1 - 6*L*eta >= 0.

Symbols, and all terms except sums, products, rational numbers and integer powers (f(x), exp(x), sqrt(2), x**n), are
generators: variables that stand for real numbers, ordered by ``sympy.default_sort_key``. Their signs, as far as SymPy
knows them, are further facts after the caller's, in the order of the generators: g - 1 for a positive integer symbol,
else g if nonnegative, -g if nonpositive.

A certificate is ``{"terms": [term, ...]}`` with an optional ``"multiplier": polynomial``; a term is
``{"coefficient": "p/q", "powers": ["a", ...]}`` with an optional ``"square": polynomial``; a polynomial is a list of
``["p/q", [exponent, ...]]`` with one exponent per generator, and is not constant. Numbers are strings in lowest terms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import sympy
from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx
from sympy.core.function import AppliedUndef

from fltheory.proof.algebra import quotient
from fltheory.proof.algebra.samples import negative_somewhere

MAX_POWER = 64
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?", re.ASCII)


class Unreadable(ValueError):
    """Raised for an input that is not an inequality, or not a certificate, in the form of this module."""


def is_visibly_nonnegative(expr: sympy.Expr) -> bool:
    """Return whether ``expr`` is visibly >= 0: no negative coefficient, and no odd power of a term of unknown sign."""
    return _manifest(expr, strict=False)


def is_visibly_positive(expr: sympy.Expr) -> bool:
    """Return whether ``expr`` is visibly > 0: nonnegative, with a positive term."""
    return _manifest(expr, strict=True)


def check_identity(target: sympy.Expr, facts: tuple[sympy.Expr, ...], certificate: object) -> str | None:
    """Return None if the certificate proves ``target >= 0`` wherever every fact is >= 0, else the fault."""
    try:
        problem = Problem.read(target, facts)
        left, right = _sides(problem, certificate)
    except Unreadable as error:
        return str(error)
    rest = left - right
    # The generators may be related (sqrt(2)**2 = 2), which SymPy's expansion takes into account.
    if rest == 0 or sympy.expand(problem.expression(rest)) == 0:
        return None
    return "the identity does not hold: the terms do not add up to the target"


@dataclass(frozen=True)
class Problem:
    """An inequality as polynomials: the numerators of the target and of the facts, including those on signs."""

    generators: tuple[sympy.Expr, ...]
    ring: fmpq_mpoly_ctx = field(repr=False)
    target: fmpq_mpoly
    facts: tuple[fmpq_mpoly, ...]

    @classmethod
    def read(cls, target: sympy.Expr, facts: tuple[sympy.Expr, ...]) -> Problem:
        """Read the problem; Unreadable if a denominator is not visibly positive or a generator may not be real."""
        cleared = [
            _clear_denominator(target, "the target"),
            *(_clear_denominator(f, f"fact {i}") for i, f in enumerate(facts)),
        ]
        names = generators(cleared)
        ring = _ring(len(names))
        numerators = [to_polynomial(c, names, ring) for c in cleared]
        signs = [_sign_fact(g, x) for g, x in zip(names, ring.gens(), strict=True)]
        return cls(names, ring, numerators[0], (*numerators[1:], *(s for s in signs if s is not None)))

    @cached_property
    def constant(self) -> tuple[bool, ...]:
        """Return which facts are constant."""
        return tuple(f.is_constant() for f in self.facts)

    def expression(self, polynomial: fmpq_mpoly) -> sympy.Expr:
        """Return the polynomial as a SymPy expression."""
        return quotient.expression(polynomial, self.generators)


def _ring(n_generators: int) -> fmpq_mpoly_ctx:
    return fmpq_mpoly_ctx.get([f"x{i}" for i in range(n_generators)], Ordering.degrevlex)


def _clear_denominator(expr: sympy.Expr, name: str) -> sympy.Expr:
    """Return the numerator of ``expr`` over a visibly positive denominator."""
    require_real_value(expr)
    numerator, denominator = _split_fraction(expr)
    names = generators([denominator])
    below = to_polynomial(denominator, names, _ring(len(names)))
    if _all_terms(below, names, strict=True):
        return numerator
    if _all_terms(-below, names, strict=True):
        return -numerator
    raise Unreadable(f"the denominator of {name} is not visibly positive: {denominator}")


def require_real_value(expr: sympy.Expr) -> None:
    """Raise Unreadable for a term that is not a number, or infinite or imaginary in some part."""
    if not isinstance(expr, sympy.Expr) or expr.has(sympy.nan, sympy.oo, -sympy.oo, sympy.zoo, sympy.I):
        raise Unreadable(f"not a real expression: {expr}")


@lru_cache(maxsize=20_000)
def _split_fraction(expr: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    split = expr.expand(
        power_exp=True, mul=False, multinomial=False, power_base=False, log=False, basic=False
    )  # x**(n + 1) = x*x**n
    numerator, denominator = sympy.fraction(sympy.together(split))
    return numerator, denominator


def _manifest(expr: sympy.Expr, strict: bool) -> bool:
    if negative_somewhere(expr):
        return False
    try:
        require_real_value(expr)
        parts = quotient.read_quotient(expr)
        require_real(parts.generators)
    except (Unreadable, ZeroDivisionError):
        return False
    top, bottom, names = parts.top, parts.bottom, parts.generators
    return any(_all_terms(s * bottom, names, True) and _all_terms(s * top, names, strict) for s in (1, -1))


def _all_terms(polynomial: fmpq_mpoly, names: tuple[sympy.Expr, ...], strict: bool) -> bool:
    """Return whether every term of the polynomial is >= 0, and, with ``strict``, one is > 0."""
    terms = polynomial.to_dict()
    for powers, coefficient in terms.items():
        if coefficient < 0 or any(e % 2 and not g.is_nonnegative for g, e in zip(names, powers, strict=True)):
            return False
    return not strict or any(
        all(not e or g.is_positive or (e % 2 == 0 and g.is_nonzero) for g, e in zip(names, powers, strict=True))
        for powers in terms
    )


def generators(expressions: Iterable[sympy.Expr]) -> tuple[sympy.Expr, ...]:
    """Return the generators of the expressions in order; Unreadable if one may not be real."""
    found: set[sympy.Expr] = set()
    stack = list(expressions)
    while stack:
        expr = stack.pop()
        if isinstance(expr, sympy.Add | sympy.Mul):
            stack.extend(expr.args)
        elif _is_whole_power(expr):
            stack.append(expr.base)
        elif not isinstance(expr, sympy.Rational):
            found.add(expr)
    require_real(found)
    return tuple(sorted(found, key=sympy.default_sort_key))


def require_real(found: Collection[sympy.Expr]) -> None:
    """Raise Unreadable if a generator may not be real, or two have the same name."""
    for g in found:
        if g.is_real is False or not (g.is_real or isinstance(g, sympy.Symbol | AppliedUndef)):
            raise Unreadable(f"not known to be real: {g}")
    if len({str(g) for g in found}) < len(found):
        raise Unreadable("two symbols have the same name")


def _is_whole_power(expr: sympy.Expr) -> bool:
    return isinstance(expr, sympy.Pow) and isinstance(expr.exp, sympy.Integer) and 0 < expr.exp <= MAX_POWER


def to_polynomial(expr: sympy.Expr, names: tuple[sympy.Expr, ...], ring: fmpq_mpoly_ctx) -> fmpq_mpoly:
    """Return the expression as a polynomial in the generators."""
    variables = dict(zip(names, ring.gens(), strict=True))

    def read(part: sympy.Expr) -> fmpq_mpoly:
        if part in variables:
            return variables[part]
        if isinstance(part, sympy.Rational):
            return ring.constant(fmpq(int(part.p), int(part.q)))
        if isinstance(part, sympy.Add):
            return sum((read(a) for a in part.args), ring.constant(0))
        if isinstance(part, sympy.Mul):
            product = ring.constant(1)
            for a in part.args:
                product *= read(a)
            return product
        return read(part.base) ** int(part.exp)

    return read(expr)


def _sign_fact(generator: sympy.Expr, variable: fmpq_mpoly) -> fmpq_mpoly | None:
    if isinstance(generator, sympy.Symbol) and generator.is_integer and generator.is_positive:
        return variable - 1
    if generator.is_nonnegative:
        return variable
    return -variable if generator.is_nonpositive else None


def _sides(problem: Problem, certificate: object) -> tuple[fmpq_mpoly, fmpq_mpoly]:
    """Return both sides of the identity that the certificate claims."""
    entries = _entries(certificate, {"terms"}, {"multiplier"}, "the certificate")
    left = problem.target
    if "multiplier" in entries:
        multiplier = _read_polynomial(problem, entries["multiplier"])
        if not is_visibly_positive(problem.expression(multiplier)):
            raise Unreadable("the multiplier is not visibly positive")
        left *= multiplier
    right = problem.ring.constant(0)
    for term in _list(entries["terms"], "the terms"):
        right += _read_term(problem, term)
    return left, right


def _read_term(problem: Problem, term: object) -> fmpq_mpoly:
    entries = _entries(term, {"coefficient", "powers"}, {"square"}, "a term")
    coefficient = read_number(entries["coefficient"])
    if coefficient <= 0:
        raise Unreadable(f"a coefficient is not positive: {coefficient}")
    powers = _powers(entries["powers"], len(problem.facts), "facts")
    product = problem.ring.constant(fmpq(coefficient.numerator, coefficient.denominator))
    for fact, power, constant in zip(problem.facts, powers, problem.constant, strict=True):
        if power and constant:
            raise Unreadable("a term uses a fact that is constant")
        product *= fact**power
    if "square" in entries:
        product *= _read_polynomial(problem, entries["square"], leading_positive=True) ** 2
    return product


def _read_polynomial(problem: Problem, value: object, leading_positive: bool = False) -> fmpq_mpoly:
    terms: dict[tuple[int, ...], fmpq] = {}
    for entry in _list(value, "a polynomial"):
        pair = _list(entry, "a polynomial's term")
        if len(pair) != 2:
            raise Unreadable("a polynomial's term is not a coefficient and its exponents")
        coefficient = read_number(pair[0])
        exponents = _powers(pair[1], len(problem.generators), "generators")
        if coefficient == 0 or exponents in terms or (leading_positive and not terms and coefficient < 0):
            raise Unreadable("a polynomial is not in normal form: a zero, a repetition or a negative first coefficient")
        terms[exponents] = fmpq(coefficient.numerator, coefficient.denominator)
    if not any(any(exponents) for exponents in terms):
        raise Unreadable("a polynomial is constant")
    return problem.ring.from_dict(terms)


def _powers(value: object, length: int, what: str) -> tuple[int, ...]:
    entries = _list(value, "a list of powers")
    if len(entries) != length:
        raise Unreadable(f"{len(entries)} powers for {length} {what}")
    powers = [read_number(e) for e in entries]
    if any(p.denominator != 1 or not 0 <= p <= MAX_POWER for p in powers):
        raise Unreadable(f"a power is not a whole number from 0 to {MAX_POWER}")
    return tuple(int(p) for p in powers)


def read_number(value: object) -> Fraction:
    """Return the rational number that a string such as "-3/4" denotes in lowest terms."""
    if not (isinstance(value, str) and len(value) <= 1000 and NUMBER.fullmatch(value)):
        raise Unreadable(f"not a number in the form p/q: {str(value)[:40]!r}")
    number = Fraction(value)
    if str(number) != value:
        raise Unreadable(f"not in lowest terms: {value[:40]!r}")
    return number


def _entries(value: object, needed: set[str], allowed: set[str], what: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not needed <= set(value) <= needed | allowed:
        raise Unreadable(
            f"{what} does not have the keys {', '.join(sorted(needed))} (and at most {', '.join(sorted(allowed))})"
        )
    return value


def _list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise Unreadable(f"{what}: a list is expected")
    return value
