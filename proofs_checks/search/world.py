"""A world whose symbols and members of families are unknowns."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import sympy
from flint import fmpq
from sympy import Expr, Symbol

from fltheory.proof import models, terms
from fltheory.proof.language import Defines, Theorem
from fltheory.proof.models.exact_terms import ZERO, Evaluator, Number, Point, permutations
from proofs_checks.search.shape import (
    SIGNS,
    WALK,
    Contradiction,
    Manner,
    SpaceTooSmall,
    chosen_counts,
    exponent_families,
    fixed_population,
    has_draws,
    sign_sequences,
    structural_symbols,
)


class UnknownWorld:
    """A world in which symbols and members of families are unknowns, written as SymPy symbols."""

    unknowns = True

    def __init__(self, theorem: Theorem, manner: Manner, draw: random.Random) -> None:
        self.manner, self.draw = manner, draw
        self.dimension = manner.dimension
        self.definitions = {models.definition_key(h.left): h for h in theorem.hypotheses if isinstance(h, Defines)}
        self.evaluator = Evaluator(self)
        self.kinds: dict[Symbol, Expr] = {}  # unknown -> the term or symbol that it is a value of
        self.unknown: dict[Any, Symbol] = {}
        self.groups: dict[Any, list[Symbol]] = {}
        self.key_of: dict[Symbol, Any] = {}
        self.exponents = exponent_families(theorem)
        self.logs: set[Symbol] = set()
        self.functions: dict[tuple[str, str], tuple[Number, Point, Number]] = {}
        self.integers: dict[Any, fmpq] = {}
        self.structural = structural_symbols(theorem)
        self.counts = chosen_counts(theorem, self.structural, manner, draw)
        if has_draws(theorem) and fixed_population(theorem):
            self.manner = manner = replace(
                manner, population=int(self.counts.get(fixed_population(theorem), fmpq(manner.population)).p)
            )
        self.asked: set[Symbol] = set()
        self.pinned: set[str] = set()
        self.used: set[str] = set()
        self.drawn_rounds: set[str] = set()
        self.used_symbols: set[str] = set()
        self.heads: set[Symbol] = set()
        self.rounds: dict[str, int] = {}
        self.orders: list[Any] = [()]
        self.weights = (fmpq(1),)
        self.free_base = True
        self.defined: dict[Any, Any] = {}

    def prepare(self, rounds: Iterable[str]) -> None:
        """Fix the probability space: the permutations of some rounds, times equally likely outcomes."""
        self.rounds = {r: k for k, r in enumerate(dict.fromkeys(rounds))}
        self.orders = permutations(self.manner.population, len(self.rounds))
        self.signs = sign_sequences(self.manner.signs, self.manner.length)
        size = len(self.orders) * len(self.signs) * self.manner.outcomes
        self.weights = (fmpq(1, size),) * size

    def symbol(self, symbol: Symbol) -> Number:
        if symbol in self.definitions:
            return self.evaluator.number(self.definitions[symbol].right, {}, 0)
        if symbol.name in self.manner.fixed:
            self.used_symbols.add(symbol.name)
            return models.read_number(str(self.manner.fixed[symbol.name]))
        if symbol in self.counts:
            self.asked.add(symbol)
            return self.counts[symbol]
        return self._unknown((symbol,), symbol, 0)

    def _unknown(self, key: tuple[object, ...], kind: Expr, outcome: int) -> Symbol:
        found = self.unknown.get((key, outcome))
        if found is None:
            log = isinstance(kind, terms.Scalar) and (kind.func, kind.args[0]) in self.exponents
            found = Symbol(f"v{len(self.unknown)}", real=True, positive=True if log else None)
            self.unknown[(key, outcome)] = found
            self.kinds[found] = kind
            self.groups.setdefault(key, []).append(found)
            self.key_of[found] = key
        return found

    def member(self, term: Expr, indices: tuple[Any, ...], outcome: int) -> Number | Point:
        definition = self.definitions.get(models.definition_key(term))
        vector = isinstance(term, terms.Vector)
        if definition is not None:
            key = (term.func, term.args[0], indices, outcome if term.func.random else 0)
            if key not in self.defined:
                places = {s: fmpq(i) for s, i in zip(definition.left.args[1:], indices, strict=True)}
                compute = self.evaluator.vector if vector else self.evaluator.number
                self.defined[key] = compute(definition.right, places, outcome)
            return self.defined[key]
        if self.manner.constant:
            indices = ("*",)
        spread = outcome if term.func.random and not self.manner.flat else 0
        key = (models.family_key(term), ",".join(map(str, indices)))
        if key[0] in self.manner.fixed:
            value = models.read_number(str(self.manner.fixed[key[0]]))
            self.pinned.add(key[0])
            return (value,) * self.dimension if vector else value
        if key[0] + " " + key[1] in self.manner.fixed:
            value = models.read_number(str(self.manner.fixed[key[0] + " " + key[1]]))
            self.used.add(key[0] + " " + key[1])
            return (value,) if vector else value
        if self.manner.signs and term.args[0].name in WALK and term.func.random and isinstance(term, terms.Scalar):
            so_far = sum(self.signs[outcome % len(self.signs)][: max(indices[0], 0)])
            value = WALK[term.args[0].name](so_far, indices)
            self.integers[(key, outcome)] = fmpq(value)
            return fmpq(value)
        if self.manner.signs and isinstance(term, terms.RandomScalar) and term.args[0].name in SIGNS:
            place = indices[-1]
            sequence = self.signs[outcome % len(self.signs)]
            value = sequence[place - 1] if 1 <= place <= len(sequence) else 1
            self.integers[(key, outcome)] = fmpq(value)
            return fmpq(value)
        if isinstance(term, terms.RandomInteger):
            if (key, spread) not in self.integers:
                self.integers[(key, spread)] = fmpq(self.draw.randint(1, max(self.manner.population, 1)))
            return self.integers[(key, spread)]
        if vector:
            return tuple(self._unknown((*key, c), term, spread) for c in range(self.dimension))
        unknown = self._unknown((*key, 0), term, spread)
        if (term.func, term.args[0]) not in self.exponents:
            return unknown
        self.logs.add(unknown)
        return sympy.log(unknown)

    def function(self, term: Expr, indices: tuple[Any, ...]) -> tuple[Number, Point, Number]:
        key = (term.args[0].name, "*" if self.manner.constant else ",".join(map(str, indices)))
        if key not in self.functions:
            if self.manner.alike and self.functions:
                self.functions[key] = next(iter(self.functions.values()))
            else:
                pick = self.draw.choice
                curvature = fmpq(1) if self.draw.random() < self.manner.zero else pick((fmpq(1), fmpq(2), fmpq(1, 2)))
                if "curvature" in self.manner.fixed:
                    curvature = models.read_number(str(self.manner.fixed["curvature"]))
                still = self.draw.random() < self.manner.zero
                centre = tuple(ZERO if still else fmpq(pick((0, 1, -1, 2))) for _ in range(self.dimension))
                self.functions[key] = (curvature, centre, ZERO if still else fmpq(pick((0, 0, 1))))
        return self.functions[key]

    def drawn(self, place: int, population: int, which: tuple[int, ...], outcome: int) -> int:
        name = ",".join(map(str, which))
        if name not in self.rounds:
            self.rounds[name] = -1
            raise SpaceTooSmall
        self.drawn_rounds.add(name)
        if population != self.manner.population or not 1 <= place <= population:
            raise Contradiction
        return self.orders[outcome % len(self.orders)][self.rounds[name]][place - 1]
