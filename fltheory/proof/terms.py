"""Terms of proofs, and relations: vectors, functions, gradients, values, inner products, finite sums, expectations.

Everything is a SymPy expression, so that the formula of a ``Bound`` is a term. Terms are data and are not evaluated
automatically; ``fltheory.proof.algebra.normal`` decides when two are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import sympy
from sympy import Basic, Expr, Max, Min, Symbol, sympify
from sympy.core.relational import Equality, GreaterThan, LessThan, Relational, StrictGreaterThan, StrictLessThan

from fltheory.proof.algebra.samples import unordered_somewhere
from fltheory.proof.algebra.term import Term as Term


class Vector(Term):
    """A vector, or a member of a family of vectors: ``Vector(name, *indices)``."""


class RandomVector(Vector):
    """A random vector."""

    random = True


class Scalar(Term):
    """A real number, or a member of a sequence of real numbers: ``Scalar(name, *indices)``."""

    is_extended_real = True
    is_real = True


class Nonnegative(Scalar):
    """A nonnegative number."""

    is_nonnegative = True


class Positive(Nonnegative):
    """A positive number, hence a valid divisor."""

    is_positive = True


class RandomScalar(Scalar):
    """A random real number."""

    random = True


class RandomInteger(RandomScalar):
    """A random integer, such as the index of a drawn client or a number of occurrences."""

    is_integer = True


class RandomNonnegative(Nonnegative):
    """A random nonnegative number."""

    random = True


class RandomPositive(Positive):
    """A random positive number."""

    random = True


class Fun(Term):
    """A differentiable function, or a member of a family: ``Fun(name, *indices)``."""


class Draw(Term):
    """``Draw(i, M)``: entry i of a uniform random permutation of 1..M; ``Draw(i, M, r)``: of that of round r."""

    is_integer = True
    is_positive = True
    random = True


class Grad(Term):
    """``Grad(f, u)``: the gradient of f at u, a vector."""


class Val(Term):
    """``Val(f, u)``: the value of f at u, a number."""

    is_real = True


class Dot(Term):
    """``Dot(u, v)``: the inner product."""

    is_real = True


class E(Term):
    """``E(a)``: the expectation of a number."""

    is_real = True

    def _eval_is_nonnegative(self) -> bool | None:
        """Expectations of nonnegative numbers are nonnegative."""
        return True if self.args[0].is_nonnegative else None


class Indicator(Term):
    """``Indicator(a)``: 1 if the number a is nonnegative, else 0."""

    is_real = True
    is_nonnegative = True


class Total(Term):
    """``Total(a, i, lo, hi)``: the sum of a (a number or a vector) over the integers lo <= i <= hi; 0 if there are none."""

    def _eval_is_real(self) -> bool | None:
        """A finite sum of real numbers is real."""
        body, _, low, high = self.args
        return True if low.is_integer and high.is_integer and body.is_real else None


PERMUTATION = Symbol("permutation", integer=True)  # ``Apply`` treats the theorem's permutation as that of a round


def rename_permutation(expr: Expr, mark: Symbol) -> Expr:
    """Return the term with its permutation named by a symbol that occurs nowhere else."""
    if not expr.args:
        return expr
    args = tuple(rename_permutation(a, mark) for a in expr.args)
    return Draw(*args, mark) if isinstance(expr, Draw) and len(args) == 2 else expr.func(*args)


def square(u: Expr) -> Expr:
    """Return the squared norm of a vector."""
    return Dot(u, u)


def family(kind: type[Term], name: str) -> Callable[..., Any]:
    """Return a family of terms: ``x = family(Vector, "x")``, then ``x(m, k)``, or ``x()`` for a single one."""
    label = Symbol(name)
    return lambda *indices: kind(label, *map(sympy.sympify, indices))


@lru_cache(maxsize=100_000)
def is_vector(expr: Expr) -> bool:
    """Return whether the term is a vector (sums and multiples included)."""
    if isinstance(expr, Vector | Grad):
        return True
    if isinstance(expr, Total):
        return is_vector(expr.args[0])
    return isinstance(expr, sympy.Add | sympy.Mul) and any(is_vector(a) for a in expr.args)


@lru_cache(maxsize=100_000)
def is_random(expr: Basic) -> bool:
    """Return whether the term is random. An expectation is not."""
    if isinstance(expr, E):
        return False
    return (isinstance(expr, Term) and expr.random) or any(is_random(a) for a in expr.args)


@lru_cache(maxsize=100_000)
def free_symbols(expr: Basic) -> frozenset[Symbol]:
    """Return the symbols of a term that no sum binds (without names of families)."""
    if isinstance(expr, Symbol):
        return frozenset({expr})
    if isinstance(expr, Total):
        body, index, low, high = expr.args
        return (free_symbols(body) - {index}) | free_symbols(low) | free_symbols(high)
    args = expr.args[1:] if isinstance(expr, Vector | Scalar | Fun) else expr.args
    return frozenset().union(*(free_symbols(a) for a in args))


def fresh_symbol(symbol: Symbol, taken: AbstractSet[Symbol]) -> Symbol:
    """Return a symbol with the assumptions of ``symbol`` that is not in ``taken``."""
    name, number = symbol.name, 0
    while symbol in taken:
        number += 1
        symbol = Symbol(f"{name}{number}", **symbol.assumptions0)
    return symbol


def substitute(expr: Basic, mapping: Mapping[Basic, Basic]) -> Basic:
    """Substitute in a term, simultaneously; bound indices are renamed where they would capture a symbol."""
    if expr in mapping:
        return mapping[expr]
    if not mapping or not expr.args:
        return expr
    if isinstance(expr, Total):
        body, index, low, high = expr.args
        inner = {old: new for old, new in mapping.items() if index not in free_symbols(old)}
        incoming = set().union(*(free_symbols(new) for new in inner.values())) if inner else set()
        if index in incoming:
            renamed = fresh_symbol(index, incoming | free_symbols(body))
            body, index = substitute(body, {index: renamed}), renamed
        return Total(substitute(body, inner), index, substitute(low, mapping), substitute(high, mapping))
    args = expr.args
    if isinstance(expr, Vector | Scalar | Fun):  # the first argument is the family's name
        return rebuild(expr, (args[0], *(substitute(a, mapping) for a in args[1:])))
    return rebuild(expr, tuple(substitute(a, mapping) for a in args))


def rebuild(expr: Basic, args: tuple[Any, ...]) -> Basic:
    """Return the expression with other arguments; unchanged if they are equal, since SymPy is slow on maxima."""
    if args == expr.args:
        return expr
    return _maximum(expr.func, args) if isinstance(expr, Max | Min) else expr.func(*args)


@lru_cache(maxsize=5_000)
def _maximum(func: type[Basic], args: tuple[Any, ...]) -> Basic:
    apart = len(args) == 2 and not any(a.has(Max, Min) for a in args) and unordered_somewhere(*args)
    return func(*args, evaluate=not apart)  # neither is always larger: no need to simplify


class RandomIndex(ValueError):
    """Raised if a random number would become an index inside an expectation."""


def instantiate(expr: Basic, mapping: Mapping[Basic, Basic]) -> Basic:
    """Return the term at values of its indices; RandomIndex if a value is random and its index is in an expectation.

    At a random i, E[X(i)] is the i-th of these means, but with i inserted it would also average over i.
    """
    chance = {symbol for symbol, value in mapping.items() if is_random(value)}
    if chance and any(chance & free_symbols(mean) for mean in expr.atoms(E)):
        raise RandomIndex(f"{expr} contains an expectation with an index for which a random value is substituted")
    return substitute(expr, mapping)


Op = Literal["<=", "<", "=="]
Range = tuple[Symbol, Expr, Expr]


class ProofError(ValueError):
    """Raised for a proof that is not well formed; the message names the theorem, the step and the fault."""


@dataclass(frozen=True)
class Relation:
    """The relation ``left op right`` for all integers lo <= i <= hi of each (i, lo, hi) in ``over``."""

    left: Expr
    op: Op
    right: Expr
    over: tuple[Range, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "left", sympify(self.left))
        object.__setattr__(self, "right", sympify(self.right))
        object.__setattr__(self, "over", tuple((i, sympify(lo), sympify(hi)) for i, lo, hi in self.over))

    @property
    def gap(self) -> Expr:
        """The difference right - left: nonnegative (zero for an equation)."""
        return self.right - self.left

    def at(self, mapping: Mapping[Any, Any]) -> Relation:
        """Return the relation with free symbols replaced, except those of ``over``."""
        inner = {k: v for k, v in mapping.items() if k not in {i for i, _, _ in self.over}}
        over = tuple((i, substitute(lo, inner), substitute(hi, inner)) for i, lo, hi in self.over)
        return Relation(substitute(self.left, inner), self.op, substitute(self.right, inner), over)


def le(left: Expr | float, right: Expr | float, *over: Range) -> Relation:
    """State left <= right.

    Parameters
    ----------
    left, right : sympy.Expr or number
        The two sides.
    *over : tuple of (Symbol, low, high)
        Indices with their ranges: the relation holds for all these integers.

    Returns
    -------
    Relation
        The relation.
    """
    return Relation(left, "<=", right, over)


def lt(left: Expr | float, right: Expr | float, *over: Range) -> Relation:
    """State left < right.

    Parameters
    ----------
    left, right : sympy.Expr or number
        The two sides.
    *over : tuple of (Symbol, low, high)
        Indices with their ranges: the relation holds for all these integers.

    Returns
    -------
    Relation
        The relation.
    """
    return Relation(left, "<", right, over)


def eq(left: Expr | float, right: Expr | float, *over: Range) -> Relation:
    """State left == right.

    Parameters
    ----------
    left, right : sympy.Expr or number
        The two sides.
    *over : tuple of (Symbol, low, high)
        Indices with their ranges: the relation holds for all these integers.

    Returns
    -------
    Relation
        The relation.
    """
    return Relation(left, "==", right, over)


def relation(condition: Relational) -> Relation:
    """Return a SymPy relation as one of the proof language.

    Parameters
    ----------
    condition : sympy relation
        A relation <=, <, >=, > or Eq.

    Returns
    -------
    Relation
        The relation.

    Raises
    ------
    ProofError
        If it is another.
    """
    if isinstance(condition, LessThan):
        return le(condition.lhs, condition.rhs)
    if isinstance(condition, GreaterThan):
        return le(condition.rhs, condition.lhs)
    if isinstance(condition, StrictLessThan):
        return lt(condition.lhs, condition.rhs)
    if isinstance(condition, StrictGreaterThan):
        return lt(condition.rhs, condition.lhs)
    if isinstance(condition, Equality):
        return eq(condition.lhs, condition.rhs)
    raise ProofError(f"{condition} is not a relation <=, <, >=, > or ==")
