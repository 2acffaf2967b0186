"""Matching of terms: values for the symbols and families of a lemma with which its terms become given ones.

A family, such as x(t) for t from 1 to N, is a function of its indices: x(t) matches any term whose indices belong to the
same ranges. Sums and products match in any order of their parts. A match is a proposal; the kernel decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import sympy
from sympy import Basic, Expr, Symbol

from fltheory.proof.terms import Fun, RandomIndex, Scalar, Term, Total, Vector, free_symbols, is_vector, substitute
from fltheory.proving.budget import MATCH_STEPS, Budget

MOST_STEPS = 3_000  # pairs of terms that are compared for one match
SIZE = 10  # operations in a term that count as one pair more

Bound = tuple[tuple[Symbol, Symbol], ...]  # an index of the lemma and the index that it matches
Binding = Mapping[Expr, Expr]  # a symbol, or a family at its own indices, and its value


@dataclass
class Matcher:
    """A search for values of ``variables``: symbols, and families by kind and name."""

    variables: frozenset[object]
    steps: int = 0
    taken: int = 0  # by earlier matches, not charged as yet

    def restart(self) -> None:
        """Begin another match."""
        self.taken, self.steps = self.taken + self.steps, 0

    def charge(self, budget: Budget) -> None:
        """Charge the steps that were taken."""
        self.restart()
        units, self.taken = divmod(self.taken, MATCH_STEPS)
        budget.spend(units)

    def match(self, pattern: Basic, target: Basic, binding: Binding, bound: Bound = ()) -> Iterator[Binding]:
        """Yield each extension of the binding with which the pattern becomes the target."""
        self.steps += 1 + _size(target) // SIZE
        if self.steps > MOST_STEPS:
            return
        if isinstance(pattern, Symbol):
            yield from self._symbol(pattern, target, binding, bound)
        elif isinstance(pattern, Vector | Scalar | Fun):
            yield from self._family(pattern, target, binding, bound)
        elif isinstance(pattern, Total):
            yield from self._total(pattern, target, binding, bound)
        elif not pattern.args:
            if pattern == target:
                yield binding
        elif isinstance(pattern, sympy.Add | sympy.Mul | sympy.Max | sympy.Min):
            solved = self._solved(pattern, target, binding, bound)
            if solved is not None:
                yield solved
            elif isinstance(target, pattern.func):
                extreme = isinstance(pattern, sympy.Max | sympy.Min)
                parts = _fewest_open(pattern, self.variables - set(binding)) if extreme else _ordered(pattern)
                yield from self._parts(pattern.func, parts, list(target.args), binding, bound)
            elif isinstance(pattern, sympy.Add | sympy.Mul) and isinstance(target, Expr):
                yield from self._parts(pattern.func, _ordered(pattern), [target], binding, bound)
        elif isinstance(target, pattern.func) and len(target.args) == len(pattern.args):
            yield from self._all(list(pattern.args), list(target.args), binding, bound)
        elif _is_power(pattern) and isinstance(target, Expr) and target.is_nonnegative:
            yield from self._symbol(pattern.base, target ** (1 / pattern.exp), binding, bound)

    def _solved(self, pattern: Expr, target: Basic, binding: Binding, bound: Bound) -> Binding | None:
        """Return the binding with the one open summand or factor of a pattern, if the values of all others are known."""
        parts = [a for a in pattern.args if isinstance(a, Symbol) and a in self.variables and a not in binding]
        if len(parts) != 1 or isinstance(pattern, sympy.Max | sympy.Min) or not isinstance(target, Expr):
            return None
        rest = pattern.func(*(a for a in pattern.args if a != parts[0]))
        letters = _letters(binding)
        open_ones = (free_symbols(rest) & self.variables) - set(letters) | {parts[0]} & free_symbols(rest)
        families = [
            t for t in rest.atoms(Term) if isinstance(t, Vector | Scalar | Fun) and family_of(t) in self.variables
        ]
        if open_ones or families or is_vector(target):
            return None
        self.steps += (_size(target) + _size(rest)) // SIZE
        own = substitute(rest, {**dict(bound), **letters})
        value = sympy.expand(target - own) if isinstance(pattern, sympy.Add) else sympy.powsimp(target / own)
        if is_vector(own) or not _fits(parts[0], value) or _loose(value, bound):
            return None
        return {**binding, parts[0]: value}

    def _symbol(self, pattern: Symbol, target: Basic, binding: Binding, bound: Bound) -> Iterator[Binding]:
        index = dict(bound)
        if pattern in index:
            if index[pattern] == target:
                yield binding
        elif pattern not in self.variables:
            if pattern == target:
                yield binding
        elif pattern in binding:
            if _same(binding[pattern], target):
                yield binding
        elif (
            isinstance(target, Expr) and not is_vector(target) and _fits(pattern, target) and not _loose(target, bound)
        ):
            yield {**binding, pattern: target}

    def _family(self, pattern: Term, target: Basic, binding: Binding, bound: Bound) -> Iterator[Binding]:
        index, slots = dict(bound), pattern.args[1:]
        if family_of(pattern) not in self.variables:
            if isinstance(target, pattern.func) and family_of(target) == family_of(pattern):
                yield from self._all(list(slots), list(target.args[1:]), binding, bound)
            return
        key = next((k for k in binding if isinstance(k, Term) and family_of(k) == family_of(pattern)), None)
        if key is not None:
            at = dict(zip(key.args[1:], (substitute(s, {**index, **_letters(binding)}) for s in slots), strict=True))
            with suppress(RandomIndex):
                if _same(substitute(binding[key], at), target):
                    yield binding
        elif not (isinstance(target, Expr) and _same_kind(pattern, target)):
            return
        elif all(s in index for s in slots) and len(set(slots)) == len(slots):
            value = None
            with suppress(RandomIndex):
                value = substitute(target, {index[s]: s for s in slots})
            if value is not None and not _loose(value, tuple(p for p in bound if p[0] not in slots)):
                yield {**binding, pattern: value}
        elif isinstance(target, Vector | Scalar | Fun) and len(target.args) == len(pattern.args):
            own = tuple(Symbol(f"i{place}", integer=True) for place in range(len(slots)))
            keyed = {**binding, pattern.func(pattern.args[0], *own): target.func(target.args[0], *own)}
            yield from self._all(list(slots), list(target.args[1:]), keyed, bound)

    def _total(self, pattern: Total, target: Basic, binding: Binding, bound: Bound) -> Iterator[Binding]:
        if isinstance(target, Total):
            (body, index, *ends), (other, its, *its_ends) = pattern.args, target.args
            for found in self._all(ends, its_ends, binding, bound):
                yield from self.match(body, other, found, (*((p, t) for p, t in bound if p != index), (index, its)))

    def _all(self, patterns: list[Basic], targets: list[Basic], binding: Binding, bound: Bound) -> Iterator[Binding]:
        if len(patterns) != len(targets):
            return
        if not patterns:
            yield binding
            return
        for found in self.match(patterns[0], targets[0], binding, bound):
            yield from self._all(patterns[1:], targets[1:], found, bound)

    def _parts(
        self, kind: type[Expr], patterns: list[Basic], targets: list[Basic], binding: Binding, bound: Bound
    ) -> Iterator[Binding]:
        """Match parts in any order; the last one may take several of the target's."""
        if not patterns:
            if not targets:
                yield binding
            return
        first, *rest = patterns
        if not rest and targets:
            yield from self.match(first, kind(*targets), binding, bound)
            return
        for place, target in enumerate(targets):
            for found in self.match(first, target, binding, bound):
                yield from self._parts(kind, rest, targets[:place] + targets[place + 1 :], found, bound)
            if self.steps > MOST_STEPS:
                return
        if isinstance(first, Symbol) and len(patterns) > len(targets):  # a factor of 1, a summand of 0
            for found in self.match(first, kind.identity, binding, bound):
                yield from self._parts(kind, rest, targets, found, bound)


@lru_cache(maxsize=50_000)
def _size(term: Basic) -> int:
    return int(sympy.count_ops(term))


def _is_power(pattern: Basic) -> bool:
    """Return whether a pattern is a power of a nonnegative symbol, which has one root."""
    if not isinstance(pattern, sympy.Pow) or not isinstance(pattern.base, Symbol):
        return False
    return bool(pattern.exp.is_Integer and pattern.base.is_nonnegative)


def family_of(term: Basic) -> tuple[str, str, int]:
    """Return the kind, the name and the number of indices of a family."""
    return type(term).__name__, str(term.args[0]), len(term.args)


def _fewest_open(pattern: Basic, variables: Collection[object]) -> list[Basic]:
    """Return the arguments, those with few open variables first, and short ones."""
    return sorted(pattern.args, key=lambda a: (len(free_symbols(a) & set(variables)), sympy.count_ops(a), str(a)))


def _ordered(pattern: Basic) -> list[Basic]:
    """Return the parts, those that match least first."""
    return list(_in_order(pattern))


@lru_cache(maxsize=20_000)
def _in_order(pattern: Basic) -> tuple[Basic, ...]:
    return tuple(
        sorted(pattern.args, key=lambda a: (isinstance(a, Symbol | Scalar | Vector), -sympy.count_ops(a), str(a)))
    )


def _letters(binding: Binding) -> dict[Expr, Expr]:
    return {k: v for k, v in binding.items() if isinstance(k, Symbol)}


def _loose(value: Basic, bound: Bound) -> bool:
    return bool(free_symbols(value) & {t for _, t in bound})


def _same(one: Basic, two: Basic) -> bool:
    return one == two or (not is_vector(one) and bool(sympy.expand(one - two) == 0))


def _fits(pattern: Symbol, target: Expr) -> bool:
    """Return whether the value may have the sort of the symbol."""
    if pattern.is_integer and not target.is_integer:
        return False
    return not (
        (pattern.is_nonnegative and target.is_nonnegative is False)
        or (pattern.is_positive and target.is_positive is False)
    )


def _same_kind(pattern: Term, target: Expr) -> bool:
    if isinstance(pattern, Fun):
        return isinstance(target, Fun)
    return isinstance(pattern, Vector) == is_vector(target) and not isinstance(target, Fun)
