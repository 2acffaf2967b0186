"""A point: values for letters, families and functions, and a finite probability space, drawn when they are first asked for."""

from __future__ import annotations

import itertools
import random
from collections.abc import Hashable, Mapping
from typing import Any

from flint import fmpq

SMALL = [fmpq(a) for a in (0, 1, -1, 2, -2, 3)] + [fmpq(1, 2), fmpq(-1, 2), fmpq(1, 3), fmpq(-5, 7), fmpq(3, 2)]
EXTREME = [fmpq(10**6), fmpq(-(10**6)), fmpq(1, 10**6), fmpq(-1, 10**6), fmpq(100), fmpq(-17, 3)]
WORK = 30_000  # letters looked up at a point
FUNCTION = ("offset", "slopes")  # of a function: its value at 0 and its slopes there
VECTORS = ("Vector", "RandomVector", "slopes")
KIND_SORTS = {"Nonnegative": "nonnegative", "Positive": "positive", "Integer": "integer"}


class Undecided(Exception):
    """Neither true nor false here: a ball is too wide, a range too long, a population too large."""


class Spent(Exception):
    """More letters were looked up at a point than a point is worth."""


class Unfit(Exception):
    """A hypothesis cannot hold here."""


def sort_of(key: tuple[Any, ...]) -> str:
    """The sort of a letter or of a member of a family."""
    if key[0] == "symbol":
        return str(key[2])
    return KIND_SORTS.get(key[0].removeprefix("Random"), "real")


def of_sort(value: Any, sort: str) -> bool:
    """Whether a rational number is of a sort."""
    whole = value.q == 1
    return {
        "real": True,
        "nonnegative": value >= 0,
        "positive": value > 0,
        "integer": whole,
        "unknown": whole,
        "from 0": whole and value >= 0,
        "from 1": whole and value >= 1,
    }[sort]


class World:
    """One choice of all values; ``wild`` has many zeros, negative, huge and tiny ones, else they are small and mostly positive."""

    def __init__(self, seed: object, wild: bool = False, population: int = 0, chance: bool = True) -> None:
        self.random = random.Random(str(seed))
        self.wild = wild
        self.dimension = self.random.choice((1, 2, 2))
        self.window = self.random.choice((1, 2, 2, 3))
        self.work = WORK
        self.values: dict[Hashable, Any] = {}
        self.born: dict[Hashable, int] = {}
        self.touched: dict[Hashable, None] = {}
        self.definitions: Mapping[Any, Any] = {}
        self.members: Mapping[Any, Any] = {}
        self.memo: dict[Hashable, Any] = {}
        self.depth = 0
        self.population = population
        self.outcomes = self._space() if chance or population else (((fmpq(1)), ((), ())),) * 1

    def _space(self) -> tuple[Any, ...]:
        """Outcomes with their probabilities, one of them perhaps 0; each with a permutation, all alike probable."""
        weights = self.random.choice([(1, 1), (1, 3), (1, 2), (0, 1, 2), (1,)] if not self.population else [(1,)])
        orders = list(itertools.permutations(range(1, self.population + 1))) or [()]
        self.random.shuffle(orders)
        total = fmpq(sum(weights) * len(orders))
        turned = {r: self.random.sample(range(1, self.population + 1), self.population) for r in range(-3, 12)}
        return tuple((fmpq(w) / total, (order, turned)) for w in weights for order in orders)

    def drawn(self, outcome: int, args: list[int | None]) -> int:
        """What a permutation of 1..M has in place i, all permutations alike probable (in each round); 1 outside of 1..M.

        The rounds are not independent here: of that the page says nothing. A permutation of 1..M is the order in which
        one of more numbers has those up to M.
        """
        place, population, *which = args
        if place is None or population is None or not 1 <= place <= population:
            return 1
        if population > self.population:
            raise Undecided("a large population")
        order, turned = self.outcomes[outcome][1]
        own: tuple[int, ...] = tuple(v for v in order if v <= population)
        if which and which[0] is not None:
            turn = [v for v in turned[which[0] % 12 - 3] if v <= population]
            own = tuple(turn[v - 1] for v in own)
        return own[place - 1]

    def value(self, key: tuple[Any, ...]) -> Any:
        """The value of a letter or of a member, drawn now if it never was."""
        self.touched[key] = None
        self.work -= 1
        if self.work < 0:
            raise Spent("this point takes too much work")
        if key not in self.values:
            self.born[key] = len(self.values)
            self.values[key] = self.fresh(key)
        return self.values[key]

    def put(self, key: Hashable, value: Any) -> None:
        """Another value for it."""
        self.born.setdefault(key, len(self.values))
        self.values[key] = value
        self.memo.clear()

    def fresh(self, key: tuple[Any, ...]) -> Any:
        """A value of its sort."""
        if key[0] in VECTORS:
            return tuple(self.real("real") for _ in range(self.dimension))
        return self.real(sort_of(key))

    def real(self, sort: str) -> fmpq:
        """A number of a sort."""
        r = self.random
        if sort in ("integer", "unknown"):
            return fmpq(r.randint(-3, 4) if self.wild else r.randint(0, 2))
        if sort in ("from 0", "from 1"):
            return fmpq(r.randint(int(sort[-1]), 4 if self.wild else 2))
        if self.wild:
            own = r.choice(SMALL if r.random() < 0.8 else EXTREME)
        else:
            own = fmpq(r.randint(-1 if r.random() < 0.3 else 1, 6), r.choice((1, 2, 3, 8)))
        own = abs(own) if sort in ("nonnegative", "positive") else own
        return own if sort != "positive" or own > 0 else fmpq(1)

    def shape(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        """Of a function, for each coordinate: where its curvature lies in its range, where it bends, whether it does."""
        if key not in self.values:
            r = self.random
            shares = [fmpq(0), fmpq(1), fmpq(1, 2), fmpq(1, 3)]
            one = (
                (r.choice(shares), abs(self.real("real")) + fmpq(1, 4), r.random() < 0.3) for _ in range(self.dimension)
            )
            self.values[key] = tuple(one)
        return self.values[key]
