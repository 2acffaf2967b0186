"""What the search draws before anything is written out: counts, signs, the manner of an attempt."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

import sympy
from flint import fmpq
from sympy import Expr, Pow, Symbol

from fltheory.proof import terms
from fltheory.proof.language import Defines, Given, Theorem
from fltheory.proof.models.exact_terms import Evaluator, NoValue, Number, World, obeys_assumptions


@dataclass(frozen=True)
class Manner:
    """How one attempt draws: counts and population, how often zero is taken first, whether functions and outcomes differ."""

    counts: tuple[int, ...] = (2,)
    population: int = 2
    zero: float = 0.0
    alike: bool = False
    constant: bool = False
    outcomes: int = 1
    dimension: int = 1
    fixed: Mapping[str, Any] = field(default_factory=dict)
    flat: bool = False
    signs: str = ""
    length: int = 0


class Contradiction(Exception):
    """An attempt came to a contradiction."""


class SpaceTooSmall(Exception):
    """The probability space must grow."""


SIGNS = ("tau", "sign", "side", "eps")
WALK: Mapping[str, Callable[[int, Any], int]] = {  # of the sum of the signs so far
    "hit": lambda total, at: int(total == at[1]),
    "size": lambda total, at: abs(total),
    "sgn": lambda total, at: (total > 0) - (total < 0),
    "S": lambda total, at: total,
}


@lru_cache(maxsize=20)
def sign_sequences(law: str, length: int) -> tuple[tuple[int, ...], ...]:
    """The signs of equally likely outcomes: independent ones, or as many plus as minus."""
    if not law:
        return ((),)
    every = tuple(itertools.product((1, -1), repeat=length))
    return every if law == "independent" else tuple(s for s in every if sum(s) == 0)


def expressions(theorem: Theorem) -> Iterable[Expr]:
    for h in theorem.hypotheses:
        if isinstance(h, Given):
            yield from (h.relation.left, h.relation.right)
        elif isinstance(h, Defines):
            yield sympy.sympify(h.right)


@lru_cache(maxsize=1000)
def structural_symbols(theorem: Theorem) -> frozenset[Symbol]:
    """Integers that say how many terms, places or members there are: they are drawn before anything is written out."""

    found: set[Symbol] = set()
    for h in theorem.hypotheses:
        if isinstance(h, Given):
            for _, low, high in h.relation.over:
                found |= low.free_symbols | high.free_symbols
    for expr in expressions(theorem):
        for part in sympy.preorder_traversal(expr):
            if isinstance(part, terms.Total):
                found |= part.args[2].free_symbols | part.args[3].free_symbols
            elif isinstance(part, terms.Vector | terms.Scalar | terms.Fun):
                for index in part.args[1:]:
                    found |= index.free_symbols
            elif isinstance(part, terms.Draw):
                found |= part.free_symbols
            elif isinstance(part, Pow):
                found |= part.exp.free_symbols
    return frozenset(s for s in found if s.is_integer)


@lru_cache(maxsize=1000)
def exponent_families(theorem: Theorem) -> frozenset[Any]:
    """Families of numbers in exponents: they are written as logarithms of unknowns."""
    found: set[Any] = set()
    for expr in expressions(theorem):
        for part in sympy.preorder_traversal(expr):
            if isinstance(part, sympy.exp):
                found |= {
                    (a.func, a.args[0])
                    for a in part.atoms(terms.Scalar, terms.RandomScalar)
                    if not isinstance(a, terms.Nonnegative | terms.RandomInteger)
                }
    return frozenset(found)


def has_draws(theorem: Theorem) -> bool:
    """Whether permutations are drawn."""
    return any(e.has(terms.Draw) for e in expressions(theorem))


def fixed_population(theorem: Theorem) -> Symbol | None:
    """The symbol that says of how many the permutations are."""
    found = {d.args[1] for e in expressions(theorem) for d in e.atoms(terms.Draw)}
    return next((s for s in found if isinstance(s, Symbol)), None)


def chosen_counts(theorem: Theorem, names: Iterable[Symbol], manner: Manner, draw: random.Random) -> dict[Symbol, fmpq]:
    """Values of the structural integers that obey the relations between integers alone, small ones first."""
    own = sorted(names, key=str)
    fixed = {s: fmpq(int(manner.fixed[s.name])) for s in own if s.name in manner.fixed}
    plain = [
        h.relation
        for h in theorem.hypotheses
        if isinstance(h, Given)
        and not h.relation.over
        and not h.relation.gap.has(terms.Term)
        and h.relation.gap.free_symbols
        and h.relation.gap.free_symbols <= set(own)
    ]
    world = _Counts()
    for attempt in range(400):
        choices = (
            manner.counts
            if attempt < 20
            else (*manner.counts, 1, 2, 3, 4)
            if attempt < 150
            else (1, 2, 3, 4, 5, 6, 8, 10, 16, 100)
        )
        values = {s: fixed.get(s, fmpq(draw.choice(choices))) for s in own}
        for s in own:
            if s.name == "n_clients" and s not in fixed and attempt < 20:
                values[s] = fmpq(manner.population)
            if not obeys_assumptions(s, values[s]):
                values[s] = fmpq(1)
        world.values = values
        evaluator = Evaluator(cast(World, world))  # asked for symbols alone
        try:
            if all(evaluator.true(r, {}) for r in plain):
                return values
        except NoValue:
            continue
    raise Contradiction("counts")


class _Counts:
    unknowns = False
    dimension = 1
    weights = (fmpq(1),)
    values: dict[Symbol, fmpq]

    def symbol(self, symbol: Symbol) -> Number:
        return self.values[symbol]
