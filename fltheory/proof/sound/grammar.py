"""What a line of a proof may be made of: real numbers, integers as indices, vectors, functions, and nothing else.

A relation speaks of every value of its symbols within their assumptions. That means something only where each symbol
stands for a real number and each word has one meaning, so the words are listed here; whatever is not listed is no term.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy
from sympy import Expr, Symbol

from fltheory.proof import language as lang
from fltheory.proof import terms
from fltheory.proof.language import Relation
from fltheory.proof.terms import Dot, Draw, E, Fun, Grad, Indicator, Term, Total, Val, is_vector

NUMBERS = (sympy.Rational, sympy.core.numbers.Exp1, sympy.core.numbers.Pi)
ARITHMETIC = (
    sympy.Add,
    sympy.Mul,
    sympy.Pow,
    sympy.exp,
    sympy.log,
    sympy.sin,
    sympy.cos,
    sympy.Abs,
    sympy.Max,
    sympy.Min,
    sympy.floor,
    sympy.binomial,
)
VECTORS = (terms.Vector, terms.RandomVector)
SCALARS = (
    terms.Scalar,
    terms.Nonnegative,
    terms.Positive,
    terms.RandomScalar,
    terms.RandomInteger,
    terms.RandomNonnegative,
    terms.RandomPositive,
)
FAMILIES = (*VECTORS, *SCALARS, Fun)
ENDLESS = (sympy.oo, -sympy.oo)
Bound = frozenset[Any]
NONE: Bound = frozenset()


def relation(line: Relation, bound: Bound = NONE) -> Iterator[str]:
    """Faults of a relation: its sort, its operation, its sides and the ends of its ranges."""
    if type(line) is not Relation:
        yield f"{line} is no relation"
        return
    if line.op not in ("<=", "<", "=="):
        yield f"{line.op!r} is none of <=, < and =="
    bound = bound | {i for i, _, _ in line.over}
    for _, low, high in line.over:
        for end in (low, high):
            yield from () if end in ENDLESS else number(end, bound)
    sides = [side for side in (line.left, line.right) if side != 0]
    for side in sides:
        yield from term(side, bound)
    if len({is_vector(side) for side in sides}) > 1:
        yield f"{line.left} and {line.right} are a vector and a number"


def number(expr: object, bound: Bound = NONE) -> Iterator[str]:
    """Faults of what must be a real number."""
    yield from term(expr, bound)
    if isinstance(expr, sympy.Basic) and (is_vector(expr) or isinstance(expr, Fun)):
        yield f"{expr} is no number"


def term(expr: object, bound: Bound = NONE) -> Iterator[str]:
    """Faults of a term; ``bound`` are indices, which are integers whatever SymPy knows of them."""
    if not isinstance(expr, sympy.Basic):
        yield f"{expr!r} is no term"
    elif isinstance(expr, Symbol):
        if expr not in bound and not (expr.is_real and expr.is_commutative):
            yield f"the symbol {expr} must be real (Symbol({expr.name!r}, real=True))"
    elif isinstance(expr, Term):
        yield from _word(expr, bound)
    elif isinstance(expr, sympy.Float):
        yield f"{expr} is a float: give it exactly, as Rational({str(expr)!r})"
    elif type(expr) in ARITHMETIC:
        one = is_vector(expr)  # a sum of vectors, or a number times one vector
        if isinstance(expr, sympy.Mul) and sum(map(is_vector, expr.args)) > 1:
            yield f"{expr} multiplies vectors"
        for part in expr.args:
            yield from term(part, bound) if one else number(part, bound)
            if one and isinstance(expr, sympy.Add) and not is_vector(part):
                yield f"{expr} adds a number to a vector"
    elif not isinstance(expr, NUMBERS):
        yield f"{expr} ({type(expr).__name__}) is no real number or no word of the proof language"


def _word(expr: Term, bound: Bound) -> Iterator[str]:
    args = expr.args
    if type(expr) in FAMILIES:
        if not args or type(args[0]) is not Symbol:
            yield f"{expr} has no name"
        for index in args[1:]:
            yield from _integer(index, bound, expr)
    elif type(expr) is Total and len(args) == 4 and isinstance(args[1], Symbol):
        yield from (*number(args[2], bound), *number(args[3], bound))
        yield from term(args[0], bound | {args[1]})
    elif type(expr) is Draw and len(args) in (2, 3):
        for index in args:
            yield from _integer(index, bound, expr)
    elif type(expr) is Dot and len(args) == 2:
        for part in args:
            yield from _vector(part, bound)
    elif type(expr) in (Grad, Val) and len(args) == 2 and isinstance(args[0], Fun):
        yield from (*term(args[0], bound), *_vector(args[1], bound))
    elif type(expr) in (E, Indicator) and len(args) == 1:
        yield from number(args[0], bound)
    else:
        yield f"{expr} is no word of the proof language"


def _vector(expr: object, bound: Bound) -> Iterator[str]:
    yield from term(expr, bound)
    if expr != 0 and not is_vector(expr):
        yield f"{expr} is no vector"


def _integer(expr: Expr, bound: Bound, where: Term) -> Iterator[str]:
    yield from number(expr, bound)
    if isinstance(expr, sympy.Basic) and expr.is_integer:
        return
    known = {s: sympy.Dummy(s.name, integer=True) for s in bound if isinstance(s, Symbol) and not s.is_integer}
    if not terms.substitute(expr, known).is_integer:
        yield f"{expr} in {where} is not known to be an integer, as an index is"


def rule(entry: lang.Rule, bound: Bound = NONE) -> Iterator[str]:
    """Faults of what a rule itself brings in: weights, values, exponents, boxes."""
    if isinstance(entry, lang.Combine):
        for _, weight in entry.weights:
            yield from term(weight, bound)
        for weight, axiom in entry.axioms:
            yield from (*number(weight, bound), *term(axiom.function, bound))
            yield from (*_vector(axiom.u, bound), *_vector(axiom.v, bound))
    elif isinstance(entry, lang.Summed):
        yield from number(sympy.sympify(entry.weight), bound)
    elif isinstance(entry, lang.Instance | lang.Witness):
        for key, value in entry.at:
            yield from (*_symbol(key), *number(value, bound))
    elif isinstance(entry, lang.Apply):
        for key, value in entry.at:
            slots = frozenset(key.args[1:]) if isinstance(key, Term) else NONE
            yield from (*term(key, bound | slots | {key}), *term(value, bound | slots))
    elif isinstance(entry, lang.Power):
        yield from number(sympy.sympify(entry.exponent), bound)
    elif isinstance(entry, lang.Known):
        yield from number(sympy.sympify(entry.at), bound)
    elif isinstance(entry, lang.Ball):
        for symbol, low, high in entry.box:
            yield from _symbol(symbol)
            yield from (*number(sympy.sympify(low)), *number(sympy.sympify(high)))


def _symbol(key: object) -> Iterator[str]:
    if not isinstance(key, Symbol):
        yield f"{key} is no symbol"
