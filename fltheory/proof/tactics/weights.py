"""The search for the weights of a linear combination, from the claim and the names of the relations used.

The claim's gap must be the weighted sum of the used gaps plus a visibly nonnegative rest. A weight is a sum of monomials, each
of which maps a monomial of a used gap to a wanted one, and of such monomials times a fact. A linear program proposes which of
them occur, and exact rational linear algebra gives their coefficients. The result is not trusted: the kernel checks it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import sympy
from flint import fmpq, fmpq_mat
from scipy.optimize import linprog
from scipy.sparse import csc_array
from sympy import Expr, Integer, Rational

from fltheory.proof.algebra.context import Context, is_nonnegative, is_positive, same_ranges
from fltheory.proof.tactics.monomials import (
    UNIT,
    Monomial,
    Number,
    Polynomial,
    add,
    degree,
    expression,
    inverse,
    monomial,
    multiply,
    polynomial_of,
    product,
    shifted,
)
from fltheory.proof.terms import is_vector
from fltheory.work import ITEM_COST, spend

MOST_COLUMNS = 2_500
MOST_CARRIERS = 150_000  # quotients of monomials from which columns are made
MOST_PRODUCTS = 50  # of used inequalities and facts: if there are more, none is tried
MOST_POWERS = 12  # degree of a monomial in a weight
MOST_ITERATIONS = 20_000  # of the simplex method: a limit of work that does not depend on the machine
SLACK, DEAR = 0.5, 50.0  # the cost of slack
DIVISORS = 2  # number of sums by which equations may be divided


class Source(NamedTuple):
    """A gap that may be added with a weight, perhaps times a fact, or an identity without a name."""

    name: str
    gap: Polynomial
    free: bool  # its weight may have either sign
    factor: Expr = Integer(1)


class Column(NamedTuple):
    """A column of the linear program: a source times a monomial and a sign; a slack has no source."""

    source: Source | None
    monomial: Monomial
    sign: int
    terms: Polynomial


def find_weights(context: Context, names: Iterable[str], signs: bool = True) -> dict[str, Expr] | None:
    """Return weights of the named relations with which the claim should follow, or None if none are found.

    Without ``signs``, weights of inequalities may be negative: then the claim does not follow, and the weights show why.
    """
    return _Search(context, tuple(names), signs).run()


@dataclass(frozen=True)
class _Signs:
    """The known signs of powers, given the nonnegative facts."""

    facts: tuple[Expr, ...]
    known: dict[tuple[str, Expr, Number], bool] = field(default_factory=dict, compare=False)  # answers given before
    allowed: dict[tuple[Monomial, bool], bool] = field(default_factory=dict, compare=False)

    def _once(self, question: str, base: Expr, exponent: Number, answer: Callable[[], bool]) -> bool:
        """Return an answer that is computed once."""
        key = (question, base, exponent)
        if key not in self.known:
            self.known[key] = answer()
        return self.known[key]

    def allow(self, own: Monomial, free: bool) -> bool:
        """Return whether a weight may contain this monomial: it is defined and, unless ``free``, nonnegative."""
        key = (own, free)
        if key not in self.allowed:
            self.allowed[key] = self._allow(own, free)
        return self.allowed[key]

    def _allow(self, own: Monomial, free: bool) -> bool:
        if degree(own) > MOST_POWERS or any(is_vector(b) for b, _ in own):
            return False
        if free:
            return all(
                bool(e >= 0 or self.nonzero(b)) and (isinstance(e, int) or bool(b.is_nonnegative)) for b, e in own
            )
        return all(self.nonnegative(b, e) for b, e in own)

    def slack(self, own: Monomial) -> bool:
        """Return whether a monomial may remain as slack: the kernel sees that it is nonnegative."""
        return all(
            self.nonnegative(b, e) and (not (e < 0 and b.is_Add) or is_positive(b, ())) and not is_vector(b)
            for b, e in own
        )

    def nonnegative(self, base: Expr, exponent: Number) -> bool:
        """Return whether a power is known to be nonnegative."""
        return self._once("nonnegative", base, exponent, lambda: self._nonnegative(base, exponent))

    def _nonnegative(self, base: Expr, exponent: Number) -> bool:
        if is_vector(base):
            return False
        if not isinstance(exponent, int):
            return bool(base.is_positive or (exponent > 0 and base.is_nonnegative))
        if exponent % 2 == 0:
            return bool(base.is_real) and (exponent > 0 or self.nonzero(base))
        if exponent > 0:
            return bool(base.is_nonnegative) or (base.is_Add and is_nonnegative(base, self.facts))
        return bool(base.is_positive) or (bool(base.is_nonnegative) and self.nonzero(base)) or self.positive(base)

    def nonzero(self, base: Expr) -> bool:
        """Return whether a number is known to be nonzero."""
        return bool(base.is_nonzero) or self.positive(base)

    def positive(self, base: Expr) -> bool:
        """Return whether a number is known to be positive."""
        return self._once("positive", base, 1, lambda: is_positive(base, self.facts))


@dataclass(frozen=True)
class _Search:
    context: Context
    names: tuple[str, ...]
    signs: bool

    @property
    def equation(self) -> bool:
        return self.context.claim.op == "=="

    @cached_property
    def facts(self) -> tuple[Expr, ...]:
        return self.context.facts()

    @cached_property
    def seen(self) -> _Signs:
        return _Signs(self.facts)

    @cached_property
    def goal(self) -> Polynomial:
        return polynomial_of(self.context.expand(self.context.claim.gap))

    @cached_property
    def numbers(self) -> bool:
        """Whether slack is allowed: the claim is an inequality between numbers."""
        return self.signs and not self.equation and not is_vector(self.context.claim.gap)

    @cached_property
    def used(self) -> tuple[Source, ...]:
        """The gaps that may have a weight."""
        claim, found = self.context.claim, []
        for name in self.names:
            relation = self.context.used[name]
            if same_ranges(relation, claim, self.facts) and (relation.op == "==" or not self.equation):
                gap = polynomial_of(self.context.expand(relation.gap))
                found.append(Source(name, gap, relation.op == "==" or not self.signs))
        return tuple(s for s in found if s.gap)

    @cached_property
    def divisors(self) -> tuple[Expr, ...]:
        """Positive sums that are factors of a side of a used equation, which may be divided by them."""
        found = set()
        for source in self.used:
            relation = self.context.used[source.name]
            if source.free and not is_vector(relation.gap):
                factors = itertools.chain(*(sympy.Mul.make_args(side) for side in (relation.left, relation.right)))
                found |= {f for f in factors if f.is_Add and not f.atoms(sympy.Function) and is_positive(f, self.facts)}
        return tuple(sorted(found, key=str)[:DIVISORS])

    def laws(self) -> Iterator[Source]:
        """Yield identities and inequalities of the terms themselves: S times 1/S is 1, and a positive integer is at least 1."""
        gaps = [self.goal, *(s.gap for s in self.used)]
        powers = {power for gap in gaps for own in gap for power in own}
        sums = {base for base, exponent in powers if exponent < 0 and base.is_Add} | set(self.divisors)
        for base in sorted(sums, key=str):
            whole = multiply(polynomial_of(base), {monomial({base: -1}): 1})
            yield Source("", add(whole, {UNIT: -1}), True)
        if self.numbers:
            letters = set[Expr]().union(*(base.free_symbols for base, _ in powers))
            for count in sorted((s for s in letters if s.is_Symbol and s.is_integer and s.is_positive), key=str):
                yield Source("", polynomial_of(count - 1), False)

    def products(self) -> Iterator[Source]:
        """Yield used inequalities times facts."""
        if self.numbers:
            facts = [(f, polynomial_of(f)) for f in self.facts if not f.is_number]
            for source in self.used:
                for fact, own in facts if not source.free else ():
                    yield Source(source.name, multiply(source.gap, own), False, fact)

    def run(self) -> dict[str, Expr] | None:
        """Return the weights found with few columns, else with more."""
        plain = (*self.used, *self.laws())
        wide: tuple[Source, ...] | None = None
        for depth in (0, 1):
            for with_products in (False, True):
                if with_products and wide is None:
                    products = tuple(itertools.islice(self.products(), MOST_PRODUCTS + 1))
                    wide = (*plain, *products) if 0 < len(products) <= MOST_PRODUCTS else ()
                if with_products and not wide:
                    continue
                found = self._attempt(wide if with_products and wide else plain, depth)
                if found is not None:
                    return found
        return None

    def _attempt(self, sources: Sequence[Source], depth: int) -> dict[str, Expr] | None:
        columns = self._columns(sources, depth)
        if columns is None:
            return None
        rows = dict.fromkeys(itertools.chain(self.goal, *(c.terms for c in columns)))
        slacks = [m for m in rows if self.seen.slack(m)] if self.numbers else []
        columns += [Column(None, m, 1, {m: 1}) for m in slacks]
        if not columns:
            return None if self.goal else {}
        strict = self.context.claim.op == "<"
        cost = [_cost(column, strict) for column in columns]
        for support in _proposed(columns, self.goal, list(rows), cost):
            exact = solve_exactly([c.terms for c in support], self.goal)
            if exact is not None and all(x >= 0 for x in exact):
                return _weights(support, exact)
        return None

    def _columns(self, sources: Sequence[Source], depth: int) -> list[Column] | None:
        """Return sources times monomials that produce a wanted monomial, then those they bring in; None if there are too many."""
        wanted = {*self.goal, UNIT}
        found: dict[tuple[int, Monomial], Column] = {}
        tried = 0
        for _ in range(depth + 1):
            new = set[Monomial]()
            for place, source in enumerate(sources):
                more = len(wanted) * len(source.gap)
                tried += more
                if tried > MOST_CARRIERS:
                    return None
                spend(ITEM_COST * more)
                for own in self._carriers(source, wanted):
                    if (place, own) not in found and self.seen.allow(own, source.free):
                        column = Column(source, own, 1, shifted(source.gap, own))
                        found[place, own] = column
                        new |= set(column.terms)
                        if len(found) > MOST_COLUMNS:
                            return None
            wanted |= new
        minus = [
            c._replace(sign=-1, terms={m: -v for m, v in c.terms.items()})
            for c in found.values()
            if c.source is not None and c.source.free
        ]
        return [*found.values(), *minus]

    def _carriers(self, source: Source, wanted: Iterable[Monomial]) -> Iterator[Monomial]:
        """Yield monomials that map a monomial of the source to a wanted one, in a fixed order."""
        ordered = sorted({UNIT, *(product(w, inverse(m)) for w in wanted for m in source.gap)}, key=_order)
        yield from ordered
        if source.free and source.name:
            for own, divisor in itertools.product(ordered, self.divisors):
                yield product(own, monomial({divisor: -1}))


@lru_cache(maxsize=200_000)
def _order(own: Monomial) -> tuple[float, str]:
    """Return a sort key with low degrees first."""
    return sum(abs(float(e)) for _, e in own), str(sorted(map(_shown, own)))


@lru_cache(maxsize=200_000)
def _shown(power: tuple[Expr, Number]) -> str:
    return f"({power[0]}, {power[1]})"


def _cost(column: Column, strict: bool) -> float:
    """Return the cost of a column: few weights of low degree are cheap.

    In a strict claim slack that may vanish is dear, since something must be positive there.
    """
    if column.source is None:
        return DEAR if strict and not all(bool(base.is_positive) for base, _ in column.monomial) else SLACK
    return 1 + 0.2 * sum(abs(float(e)) for _, e in column.monomial) + (column.source.factor != 1)


def _proposed(
    columns: Sequence[Column], goal: Polynomial, rows: Sequence[Monomial], cost: Sequence[float]
) -> Iterator[list[Column]]:
    """Yield the columns in the support of a solution of the linear program, at several thresholds."""
    place = {m: i for i, m in enumerate(rows)}
    try:
        entries = [(place[m], j, float(v)) for j, c in enumerate(columns) for m, v in c.terms.items()]
        right = np.array([float(goal.get(m, 0)) for m in rows])
    except TypeError:  # a coefficient is not a number
        return
    i, j, v = zip(*entries, strict=True)
    table = csc_array((v, (i, j)), shape=(len(rows), len(columns)))
    solution = linprog(cost, A_eq=table, b_eq=right, method="highs-ds", options={"maxiter": MOST_ITERATIONS})
    if solution.status == 0:
        for least in (1e-7, 1e-9, 1e-5):
            yield [columns[int(j)] for j in np.flatnonzero(solution.x > least)]


def solve_exactly(columns: Sequence[Polynomial], right: Polynomial) -> list[Rational] | None:
    """Return exact coefficients with which the columns add up to the right side, or None."""
    rows = list(dict.fromkeys(itertools.chain(right, *columns)))
    if not rows:
        return []
    table = fmpq_mat([[_fmpq(c.get(m, 0)) for c in (*columns, right)] for m in rows])
    reduced, rank = table.rref()
    found = [Integer(0)] * len(columns)
    for i in range(rank):
        pivot = next(j for j in range(len(columns) + 1) if reduced[i, j] != 0)
        if pivot == len(columns):
            return None
        value = reduced[i, len(columns)]
        found[pivot] = Rational(int(value.p), int(value.q))
    return found


def _fmpq(value: Number) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _weights(support: Sequence[Column], exact: Sequence[Rational]) -> dict[str, Expr]:
    found: dict[str, Expr] = {}
    for column, value in zip(support, exact, strict=True):
        if column.source is not None and column.source.name and value != 0:
            own = column.sign * value * expression(column.monomial) * column.source.factor
            found[column.source.name] = found.get(column.source.name, Integer(0)) + own
    return {name: weight for name, weight in found.items() if weight != 0}
