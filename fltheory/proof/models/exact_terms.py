"""Exact evaluation of terms of the proof language: sums are added up, expectations are over finitely many outcomes.

A number is an ``fmpq``, or a SymPy expression if it is irrational or contains a symbolic integer >= 0.
A vector is the tuple of its components. Undefined terms (1/0, the root of -1, an infinite sum) raise ``NoValue``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Protocol

import sympy
from flint import fmpq
from sympy import Add, Expr, Max, Min, Mul, Pow, Symbol

from fltheory.number import evaluate_ball, evaluate_to_precision
from fltheory.proof.algebra.context import is_nonnegative, is_positive
from fltheory.proof.algebra.normal import normal_form, vanishes
from fltheory.proof.language import Range, Relation
from fltheory.proof.terms import (
    Dot,
    Draw,
    E,
    Fun,
    Grad,
    Indicator,
    Scalar,
    Total,
    Val,
    Vector,
    free_symbols,
    is_random,
    is_vector,
)

Number = Any  # fmpq | Expr
Point = tuple[Number, ...]
Place = Mapping[Symbol, Number]
Value = Callable[[Place, int], Number]  # at indices, for an outcome
MAX_TERMS = 100_000  # terms of a sum, places of a relation
ZERO, ONE = fmpq(0), fmpq(1)


class NoValue(ValueError):
    """Raised for a term without a known value; the message names it and the reason."""


class World(Protocol):
    """The interface that gives the values of symbols, members of families, functions and draws."""

    dimension: int
    weights: tuple[fmpq, ...]  # the probabilities of the outcomes
    unknowns: bool  # whether values may contain symbols

    def symbol(self, symbol: Symbol) -> Number:
        """Return the value of a free symbol."""
        ...

    def member(self, term: Expr, indices: tuple[Any, ...], outcome: int) -> Number | Point:
        """Return the value of a member of a family of numbers or vectors."""
        ...

    def function(self, term: Expr, indices: tuple[Any, ...]) -> tuple[Number, Point, Number]:
        """Return (curvature, centre, offset) of the function curvature/2 |u - centre|^2 + offset."""
        ...

    def drawn(self, place: int, population: int, which: tuple[int, ...], outcome: int) -> int:
        """Return the entry of a permutation of 1..population at a place."""
        ...


def rational(value: Expr | Number) -> Number:
    """Return a SymPy number as ``fmpq`` if it is rational."""
    if isinstance(value, Expr) and value.is_Rational:
        return fmpq(int(value.p), int(value.q))
    return value


def symbolic(value: Number) -> Expr:
    """Return a number as a SymPy expression."""
    return sympy.Rational(int(value.p), int(value.q)) if isinstance(value, fmpq) else value


def integer_of(value: Number) -> int | Expr:
    """Return an integer; an expression that is an integer for all values of its symbols is unchanged. Else NoValue."""
    if isinstance(value, fmpq):
        if value.q != 1:
            raise NoValue(f"{value} must be an integer")
        return int(value.p)
    if not value.is_integer:
        raise NoValue(f"{value} must be an integer")
    return value


def add(values: Sequence[Number]) -> Number:
    """Return the sum of numbers."""
    if all(isinstance(v, fmpq) for v in values):
        return sum(values, ZERO)
    return rational(Add(*map(symbolic, values)))


def product_of(values: Sequence[Number]) -> Number:
    """Return the product of numbers."""
    product = ONE
    others = []
    for value in values:
        if isinstance(value, fmpq):
            product *= value
        else:
            others.append(value)
    if not others or product == 0:
        return product
    return rational(Mul(symbolic(product), *others))


def sign(value: Number) -> int:
    """Return 1, 0 or -1; for a number with symbols 1 if it is provably positive. NoValue if the sign is unknown."""
    if isinstance(value, fmpq):
        return int(value > 0) - int(value < 0)
    if value.free_symbols:
        if vanishes(normal_form(value)):
            return 0
        if is_positive(normal_form(value), ()):
            return 1
        raise NoValue(f"the sign of {value} is not known")
    if vanishes(sympy.expand(value)):
        return 0
    ball = evaluate_to_precision(lambda: evaluate_ball(value, {}), bits=1, stop=1024)
    if ball > 0:
        return 1
    if ball < 0:
        return -1
    raise NoValue(f"the sign of {value} is not decided")


def _binomial(size: Number, part: Number) -> Number:
    n, k = integer_of(size), integer_of(part)
    if isinstance(n, Expr) or isinstance(k, Expr) or n < 0 or k < 0:
        raise NoValue(f"binomial({n}, {k}) needs known nonnegative integers")
    return fmpq(math.comb(n, k))


def obeys_assumptions(symbol: Symbol, value: Number) -> bool:
    """Return whether a number satisfies the assumptions of its symbol."""
    expr, signed = symbolic(value), False
    if expr.is_finite is False:
        return False
    for kind, wanted in symbol._assumptions_orig.items():
        if kind == "commutative":
            continue
        signed = signed or (wanted and kind in ("positive", "nonnegative"))
        if wanted and kind == "positive":
            whole = expr.is_integer and is_nonnegative(expr - 1, ())
            if not (whole or expr.is_positive or is_positive(normal_form(expr), ())):
                return False
        elif wanted and kind == "nonnegative":
            if not is_nonnegative(expr, ()):
                return False
        elif getattr(expr, f"is_{kind}") is not wanted:
            return False
    return signed or expr.is_extended_real is True


def _not_below_zero(value: Number) -> bool:
    if not isinstance(value, fmpq) and value.free_symbols:
        return is_nonnegative(value, ())
    return sign(value) >= 0


def relation_holds(op: str, gap: Number) -> bool:
    """Return whether 0 <= gap, 0 < gap or 0 == gap, according to ``op``."""
    if op == "==" or (not isinstance(gap, fmpq) and not gap.free_symbols):
        try:
            found = sign(gap)
        except NoValue:
            if not isinstance(gap, fmpq) and gap.free_symbols:
                return False
            raise
        return found == 0 if op == "==" else found >= 0 if op == "<=" else found > 0
    if op == "<=":
        return _not_below_zero(gap)
    return bool(gap > 0) if isinstance(gap, fmpq) else is_positive(normal_form(gap), ())


@lru_cache(maxsize=100_000)
def symbols_of(expr: Expr) -> frozenset[Symbol]:
    """Return the free symbols of a term."""
    return frozenset(free_symbols(expr))


is_random_cached = lru_cache(maxsize=100_000)(is_random)
is_vector_cached = lru_cache(maxsize=100_000)(is_vector)


def power(base: Number, exponent: Number, unknowns: bool) -> Number:
    """Return a power that is real."""
    if isinstance(exponent, fmpq) and exponent.q == 1:
        count = int(exponent.p)
        if isinstance(base, fmpq):
            if count < 0 and base == 0:
                raise NoValue("a division by 0")
            return base**count if count >= 0 else ONE / base**-count
        if count < 0 and not unknowns and sign(base) == 0:
            raise NoValue("a division by 0")
        return rational(Pow(base, count))
    found = Pow(symbolic(base), symbolic(exponent))
    if not unknowns:
        if found.free_symbols:
            if not (is_positive(symbolic(base), ()) or (_not_below_zero(base) and symbolic(exponent).is_positive)):
                raise NoValue(f"{found} is not seen to be real")
        elif sign(base) < 0 or (sign(base) == 0 and sign(exponent) <= 0):
            raise NoValue(f"{base} to the power {exponent}")
    return rational(found)


def function_of(kind: Any, values: list[Number], unknowns: bool) -> Number:
    """Return the value of a function of numbers: exp, log, an absolute value, ..."""
    if unknowns and any(not isinstance(v, fmpq) and v.free_symbols for v in values):
        return kind(*map(symbolic, values), evaluate=kind in (sympy.exp, sympy.log))
    if kind in (Max, Min):
        best = values[0]
        for value in values[1:]:
            if _not_below_zero(add([value, product_of([fmpq(-1), best])])) == (kind is Max):
                best = value
        return best
    if kind not in _FUNCTIONS:
        raise NoValue(f"{kind} has no values here")
    return rational(_FUNCTIONS[kind](*values))


class Evaluator:
    """Evaluates terms with the values of one world; expectations are cached."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.means: dict[Any, Number] = {}
        self.known: dict[Expr, Value] = {}

    def indices(self, args: tuple[Expr, ...], at: Place, outcome: int) -> tuple[Any, ...]:
        """Return the integer values of indices."""
        return tuple(integer_of(self.number(a, at, outcome)) for a in args)

    def vector(self, expr: Expr, at: Place, outcome: int) -> Point:
        """Return the components of a vector."""
        if isinstance(expr, Vector):
            found = self.world.member(expr, self.indices(expr.args[1:], at, outcome), outcome)
            assert isinstance(found, tuple)
            return found
        if isinstance(expr, Add):
            return tuple(map(add, zip(*(self.vector(a, at, outcome) for a in expr.args), strict=True)))
        if isinstance(expr, Mul):
            factors = [self.number(a, at, outcome) for a in expr.args if not is_vector_cached(a)]
            (point,) = (self.vector(a, at, outcome) for a in expr.args if is_vector_cached(a))
            return tuple(product_of([*factors, p]) for p in point)
        if isinstance(expr, Grad):
            curvature, centre, _ = self.function(expr.args[0], at, outcome)
            return tuple(
                product_of([curvature, add([p, -c])])
                for p, c in zip(self.vector(expr.args[1], at, outcome), centre, strict=True)
            )
        nothing = (ZERO,) * self.world.dimension
        if isinstance(expr, Total):
            points = [self.vector(expr.args[0], inner, outcome) for inner in self.terms(expr, at, outcome)]
            return tuple(map(add, zip(nothing, *points, strict=True)))
        if expr == 0:
            return nothing
        raise NoValue(f"{expr} is not a vector")

    def function(self, expr: Expr, at: Place, outcome: int) -> tuple[Number, Point, Number]:
        """Return the parabola of a function."""
        if not isinstance(expr, Fun):
            raise NoValue(f"{expr} is not a function")
        return self.world.function(expr, self.indices(expr.args[1:], at, outcome))

    def terms(self, total: Expr, at: Place, outcome: int) -> Iterator[Place]:
        """Return the places of the terms of a sum."""
        _, index, low, high = total.args
        for value in self.between(low, high, at, outcome):
            yield {**at, index: fmpq(value)}

    def between(self, low: Expr, high: Expr, at: Place, outcome: int) -> range:
        """Return the integers of a range with two ends."""
        first, last = (integer_of(self.number(e, at, outcome)) for e in (low, high))
        if not (isinstance(first, int) and isinstance(last, int)) or last - first > MAX_TERMS:
            raise NoValue(f"the range {low}..{high} is not known, or too long")
        return range(first, last + 1)

    def number(self, expr: Expr, at: Place, outcome: int) -> Number:
        """Return the value of a number."""
        known = self.known.get(expr)
        if known is None:
            known = self.known[expr] = self._read(expr)
        return known(at, outcome)

    def _read(self, expr: Expr) -> Value:
        """Return a function that computes a number; the term is analysed once for many places and outcomes."""
        if isinstance(expr, Symbol):
            return lambda at, o: self.world.symbol(expr) if (found := at.get(expr)) is None else found
        if isinstance(expr, sympy.Rational):
            value = fmpq(int(expr.p), int(expr.q))
            return lambda at, o: value
        if expr.is_number and not expr.args:
            return lambda at, o: expr
        if isinstance(expr, Dot | Total | E | Val):
            return partial(self._of_vectors_or_chance, expr)
        parts = tuple(map(self._read, expr.args[1:] if isinstance(expr, Scalar) else expr.args))
        if isinstance(expr, Add | Mul):
            together = add if isinstance(expr, Add) else product_of
            return lambda at, o: together([part(at, o) for part in parts])
        if isinstance(expr, Pow):
            base, exponent = parts
            return lambda at, o: power(base(at, o), exponent(at, o), self.world.unknowns)
        if isinstance(expr, Scalar):
            return lambda at, o: self.world.member(expr, tuple([integer_of(part(at, o)) for part in parts]), o)
        if isinstance(expr, Draw):
            return lambda at, o: self._drawn([integer_of(part(at, o)) for part in parts], o)
        return lambda at, o: function_of(expr.func, [part(at, o) for part in parts], self.world.unknowns)

    def _of_vectors_or_chance(self, expr: Expr, at: Place, outcome: int) -> Number:
        if isinstance(expr, Dot):
            u, v = (self.vector(a, at, outcome) for a in expr.args)
            return add([product_of([a, b]) for a, b in zip(u, v, strict=True)])
        if isinstance(expr, Total):
            return add([self.number(expr.args[0], inner, outcome) for inner in self.terms(expr, at, outcome)])
        if isinstance(expr, E):
            return self.mean(expr.args[0], at, outcome)
        curvature, centre, offset = self.function(expr.args[0], at, outcome)
        point = self.vector(expr.args[1], at, outcome)
        away = [add([p, -c]) for p, c in zip(point, centre, strict=True)]
        return add([product_of([fmpq(1, 2), curvature, a, a]) for a in away] + [offset])

    def _drawn(self, indices: Sequence[Any], outcome: int) -> Number:
        place, population, *which = indices
        return fmpq(self.world.drawn(place, population, tuple(which), outcome))

    def mean(self, body: Expr, at: Place, outcome: int) -> Number:
        """Return the expectation of a number."""
        if not is_random_cached(body):
            return self.number(body, at, outcome)
        key = (body, tuple((s, at[s]) for s in symbols_of(body) if s in at))
        if key not in self.means:
            weights = self.world.weights
            self.means[key] = add([product_of([w, self.number(body, at, o)]) for o, w in enumerate(weights)])
        return self.means[key]

    # Relations ------------------------------------------------------------------------------------------------------

    def true(self, relation: Relation, at: Place) -> bool:
        """Return whether a relation holds at one place, for every outcome."""
        chance = is_random_cached(relation.left) or is_random_cached(relation.right)
        return all(self._true(relation, at, o) for o in (range(len(self.world.weights)) if chance else (0,)))

    def _true(self, relation: Relation, at: Place, outcome: int) -> bool:
        return all(relation_holds(relation.op, gap) for gap in self.gaps(relation, at, outcome))

    def gaps(self, relation: Relation, at: Place, outcome: int) -> list[Number]:
        """Return right - left: one number, or those of the components of a vector."""
        left, right = relation.left, relation.right
        if is_vector_cached(left) or is_vector_cached(right):
            sides = zip(self.vector(left, at, outcome), self.vector(right, at, outcome), strict=True)
            return [add([b, product_of([fmpq(-1), a])]) for a, b in sides]
        return [add([self.number(right, at, outcome), product_of([fmpq(-1), self.number(left, at, outcome)])])]

    def places(self, over: tuple[Range, ...], horizon: int, at: Place) -> Iterator[Place]:
        """Return the places of ranges; an unbounded one is followed for ``horizon`` integers on each open side."""
        if not over:
            yield at
            return
        (index, low, high), *rest = over
        for value in self.integers(low, high, horizon, at):
            yield from self.places(tuple(rest), horizon, {**at, index: fmpq(value)})

    def integers(self, low: Expr, high: Expr, horizon: int, at: Place) -> range:
        """Return the integers of a range, up to the horizon."""
        if low is -sympy.oo and high is sympy.oo:
            return range(-horizon, horizon + 1)
        if high is sympy.oo:
            first = integer_of(self.number(low, at, 0))
            return range(first, first + horizon + 1)
        if low is -sympy.oo:
            last = integer_of(self.number(high, at, 0))
            return range(last - horizon, last + 1)
        return self.between(low, high, at, 0)

    def tails(self, over: tuple[Range, ...], horizon: int, at: Place) -> Iterator[Place]:
        """Return places beyond the horizon: an index is the horizon's end plus a symbol for any integer >= 0."""
        choices: list[Place] = [at]
        for index, low, high in over:
            further: list[Place] = []
            for place in choices:
                ends: list[Number] = [fmpq(v) for v in self.integers(low, high, horizon, place)]
                if high is sympy.oo and ends:
                    ends.append(symbolic(ends[-1]) + 1 + sympy.Dummy(index.name, integer=True, nonnegative=True))
                if low is -sympy.oo and ends:
                    ends.append(symbolic(ends[0]) - 1 - sympy.Dummy(index.name, integer=True, nonnegative=True))
                further += [{**place, index: e} for e in ends]
            choices = further
        for place in choices:
            if any(not isinstance(place[i], fmpq) for i, _, _ in over):
                yield place


def _indicator(value: Number) -> Number:
    return ONE if _not_below_zero(value) else ZERO


def _absolute(value: Number) -> Number:
    return value if _not_below_zero(value) else product_of([fmpq(-1), value])


def _exp(value: Number) -> Number:
    return sympy.exp(symbolic(value))


def _log(value: Number) -> Number:
    if sign(value) <= 0:
        raise NoValue(f"the logarithm of {value}")
    return sympy.log(symbolic(value))


def _floor(value: Number) -> Number:
    if isinstance(value, fmpq):
        return fmpq(int(value.p) // int(value.q))
    found = sympy.floor(value)
    if not (found.is_Integer and sign(value - found) >= 0 and sign(value - found - 1) < 0):
        raise NoValue(f"the floor of {value} is not decided")
    return found


_FUNCTIONS: dict[Any, Callable[..., Number]] = {
    Indicator: _indicator,
    sympy.Abs: _absolute,
    sympy.exp: _exp,
    sympy.log: _log,
    sympy.floor: _floor,
    sympy.binomial: _binomial,
}


def permutations(population: int, count: int) -> list[tuple[tuple[int, ...], ...]]:
    """Return every choice of ``count`` permutations of 1..population, in lexicographic order."""
    own = list(itertools.permutations(range(1, population + 1)))
    return list(itertools.product(own, repeat=count))
