"""The words of a proof: vectors, functions, their gradients and values, inner products, finite sums, expectations.

Everything is a SymPy expression, so that the formula of a ``Bound`` is a term as it stands. Terms are data: they don't
evaluate themselves; ``fltheory.proof.algebra.normal`` says when two of them are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, Self

import sympy
from sympy import Basic, Expr, Function, Max, Min, Symbol


@lru_cache(maxsize=50_000, typed=True)
def _make_cached(kind: type[Expr], *args: Basic) -> Any:
    return Expr.__new__(kind, *args)


class Term(Function):
    """A node of a proof term: a real scalar, a vector or an index, never simplified by SymPy."""

    is_commutative = True
    is_number = False  # SymPy would take E(1) for one, and leave it alone
    random = False  # whether it depends on chance in itself

    def __new__(cls, *args: Any) -> Self:
        """Terms stay as they are written, and those that are written alike are one object."""
        kind: Any = cls
        made: Self = _make_cached(kind, *map(sympy.sympify, args))
        return made


class Vector(Term):
    """A vector, or a member of a family of vectors: ``Vector(name, *indices)``."""


class RandomVector(Vector):
    """A vector that depends on chance."""

    random = True


class Scalar(Term):
    """A real number, or a member of a sequence of real numbers: ``Scalar(name, *indices)``."""

    is_extended_real = True
    is_real = True


class Nonnegative(Scalar):
    """A number that is nowhere negative."""

    is_nonnegative = True


class Positive(Nonnegative):
    """A number that is everywhere positive: one may divide by it."""

    is_positive = True


class RandomScalar(Scalar):
    """A real number that depends on chance."""

    random = True


class RandomInteger(RandomScalar):
    """An integer that depends on chance: which client is drawn, how often."""

    is_integer = True


class RandomNonnegative(Nonnegative):
    """A number that depends on chance and is nowhere negative."""

    random = True


class RandomPositive(Positive):
    """A number that depends on chance and is everywhere positive."""

    random = True


class Fun(Term):
    """A differentiable function, or a member of a family: ``Fun(name, *indices)``."""


class Draw(Term):
    """``Draw(i, M)``: what a uniform random permutation of 1..M has in place i; ``Draw(i, M, r)``: the permutation of round r."""

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
        """Expectations keep the sign of what is nowhere negative."""
        return True if self.args[0].is_nonnegative else None


class Indicator(Term):
    """``Indicator(a)``: 1 where the number a is not negative, else 0."""

    is_real = True
    is_nonnegative = True


class Total(Term):
    """``Total(a, i, lo, hi)``: the sum of a (a number or a vector) over the integers lo <= i <= hi; 0 if there are none."""

    def _eval_is_real(self) -> bool | None:
        """A finite sum of real numbers is real."""
        body, _, low, high = self.args
        return True if low.is_integer and high.is_integer and body.is_real else None


PERMUTATION = Symbol("permutation", integer=True)  # ``Apply`` reads the theorem's permutation as that of a round


def rename_permutation(expr: Expr, mark: Symbol) -> Expr:
    """The term with its permutation named by a symbol that stands nowhere else."""
    if not expr.args:
        return expr
    args = tuple(rename_permutation(a, mark) for a in expr.args)
    return Draw(*args, mark) if isinstance(expr, Draw) and len(args) == 2 else expr.func(*args)


def square(u: Expr) -> Expr:
    """The squared norm of a vector."""
    return Dot(u, u)


def family(kind: type[Term], name: str) -> Callable[..., Any]:
    """A family of terms of one kind: ``x = family(Vector, "x")``, then ``x(m, k)``, or ``x()`` for a single one."""
    label = Symbol(name)
    return lambda *indices: kind(label, *map(sympy.sympify, indices))


@lru_cache(maxsize=100_000)
def is_vector(expr: Expr) -> bool:
    """Whether the term is a vector (sums and multiples included)."""
    if isinstance(expr, Vector | Grad):
        return True
    if isinstance(expr, Total):
        return is_vector(expr.args[0])
    return isinstance(expr, sympy.Add | sympy.Mul) and any(is_vector(a) for a in expr.args)


@lru_cache(maxsize=100_000)
def is_random(expr: Basic) -> bool:
    """Whether the term depends on chance. What is under an expectation does not."""
    if isinstance(expr, E):
        return False
    return (isinstance(expr, Term) and expr.random) or any(is_random(a) for a in expr.args)


@lru_cache(maxsize=100_000)
def free_symbols(expr: Basic) -> frozenset[Symbol]:
    """The symbols of a term that no sum binds (names of families aside)."""
    if isinstance(expr, Symbol):
        return frozenset({expr})
    if isinstance(expr, Total):
        body, index, low, high = expr.args
        return (free_symbols(body) - {index}) | free_symbols(low) | free_symbols(high)
    args = expr.args[1:] if isinstance(expr, Vector | Scalar | Fun) else expr.args
    return frozenset().union(*(free_symbols(a) for a in args))


def fresh_symbol(symbol: Symbol, taken: AbstractSet[Symbol]) -> Symbol:
    """A symbol with the assumptions of ``symbol`` that is not taken."""
    name, number = symbol.name, 0
    while symbol in taken:
        number += 1
        symbol = Symbol(f"{name}{number}", **symbol.assumptions0)
    return symbol


def substitute(expr: Basic, mapping: Mapping[Basic, Basic]) -> Basic:
    """The term with terms replaced, all at once; bound indices are renamed where they would catch something."""
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
    if isinstance(expr, Vector | Scalar | Fun):  # the first one is the family's name
        return rebuild(expr, (args[0], *(substitute(a, mapping) for a in args[1:])))
    return rebuild(expr, tuple(substitute(a, mapping) for a in args))


def rebuild(expr: Basic, args: tuple[Any, ...]) -> Basic:
    """The term with other parts; itself where they are the same, since SymPy thinks long of a maximum."""
    if args == expr.args:
        return expr
    return _maximum(expr.func, args) if isinstance(expr, Max | Min) else expr.func(*args)


@lru_cache(maxsize=5_000)
def _maximum(func: type[Basic], args: tuple[Any, ...]) -> Basic:
    from fltheory.proof.algebra import samples  # which knows of these words

    apart = len(args) == 2 and not any(a.has(Max, Min) for a in args) and samples.unordered_somewhere(*args)
    return func(*args, evaluate=not apart)  # neither is always the larger one: there is nothing to think of


class RandomIndex(ValueError):
    """A random number was to be read at an index under an expectation."""


def instantiate(expr: Basic, mapping: Mapping[Basic, Basic]) -> Basic:
    """The term at values of its indices; Averaged where a value depends on chance and its index is under an expectation.

    E[X(i)] at a random i is that number of i, while E[X(i)] with i written into it would be a mean over i too.
    """
    chance = {symbol for symbol, value in mapping.items() if is_random(value)}
    if chance and any(chance & free_symbols(mean) for mean in expr.atoms(E)):
        raise RandomIndex(f"{expr} takes a mean, and is read at an index that depends on chance")
    return substitute(expr, mapping)
