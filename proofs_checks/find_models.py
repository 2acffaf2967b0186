"""Search for models: points at which all hypotheses of a theorem hold. ``fltheory.proof.models`` checks what is found.

The hypotheses are written out for small counts; functions and counts are drawn first. Then an equation with one unknown
gives it, and an unknown that no equation gives is drawn from what the inequalities with it alone leave open.
"""

from __future__ import annotations

import itertools
import random
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import sympy
from flint import fmpq
from sympy import Add, Expr, Max, Min, Mul, Pow, Symbol

from fltheory.number import text
from fltheory.proof import models, terms
from fltheory.proof.exact_terms import (
    ZERO,
    Evaluator,
    NoValue,
    Number,
    Point,
    add,
    permutations,
    rational,
    sign,
    symbolic,
    times,
)
from fltheory.proof.guards import fits
from fltheory.proof.language import Defines, Given, Member, Theorem
from fltheory.proof.models import Model

USUAL = ("1", "2", "1/2", "3", "-1", "1/3", "4", "-2", "1/4", "3/2", "-1/2", "1/10", "5", "10", "1/100", "100")


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


class Stuck(Exception):
    """An attempt came to a contradiction."""


class Open:
    """A world in which symbols and members of families are unknowns, written as SymPy symbols."""

    unknowns = True

    def __init__(self, theorem: Theorem, manner: Manner, draw: random.Random) -> None:
        self.manner, self.draw = manner, draw
        self.dimension = manner.dimension
        self.definitions = {models._defined(h.left): h for h in theorem.hypotheses if isinstance(h, Defines)}
        self.evaluator = Evaluator(self)
        self.kinds: dict[Symbol, Any] = {}  # unknown -> the term or symbol that it is a value of
        self.unknown: dict[Any, Symbol] = {}
        self.groups: dict[Any, list[Symbol]] = {}
        self.key_of: dict[Symbol, Any] = {}
        self.exponents = exponents(theorem)
        self.logs: set[Symbol] = set()
        self.functions: dict[tuple[str, str], tuple[Number, Point, Number]] = {}
        self.integers: dict[Any, fmpq] = {}
        self.structural = structural(theorem)
        self.counts = chosen_counts(theorem, self.structural, manner, draw)
        if draw_of(theorem) and fixed_population(theorem):
            self.manner = manner = replace(manner, population=int(self.counts.get(fixed_population(theorem), fmpq(manner.population)).p))
        self.asked: set[Symbol] = set()
        self.pinned: set[str] = set()
        self.used: set[str] = set()
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
        self.signs = sequences(self.manner.signs, self.manner.length)
        size = len(self.orders) * len(self.signs) * self.manner.outcomes
        self.weights = (fmpq(1, size),) * size

    def symbol(self, symbol: Symbol) -> Number:
        if symbol in self.definitions:
            return self.evaluator.number(self.definitions[symbol].right, {}, 0)
        if symbol.name in self.manner.fixed:
            self.used_symbols.add(symbol.name)
            return models._number(str(self.manner.fixed[symbol.name]))
        if symbol in self.counts:
            self.asked.add(symbol)
            return self.counts[symbol]
        return self._unknown((symbol,), symbol, 0)

    def _unknown(self, key: Any, kind: Any, outcome: int) -> Symbol:
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
        definition = self.definitions.get(models._defined(term))
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
        key = (models.family(term), ",".join(map(str, indices)))
        if key[0] in self.manner.fixed:
            value = models._number(str(self.manner.fixed[key[0]]))
            self.pinned.add(key[0])
            return (value,) * self.dimension if vector else value
        if key[0] + " " + key[1] in self.manner.fixed:
            value = models._number(str(self.manner.fixed[key[0] + " " + key[1]]))
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
                still = self.draw.random() < self.manner.zero
                centre = tuple(ZERO if still else fmpq(pick((0, 1, -1, 2))) for _ in range(self.dimension))
                self.functions[key] = (curvature, centre, ZERO if still else fmpq(pick((0, 0, 1))))
        return self.functions[key]

    def drawn(self, place: int, population: int, which: tuple[int, ...], outcome: int) -> int:
        name = ",".join(map(str, which))
        if name not in self.rounds:
            self.rounds[name] = -1
            raise Redo
        if population != self.manner.population or not 1 <= place <= population:
            raise Stuck
        return self.orders[outcome % len(self.orders)][self.rounds[name]][place - 1]


SIGNS = ("tau", "sign", "side", "eps")
WALK: Mapping[str, Callable[[int, Any], int]] = {  # of the sum of the signs so far
    "hit": lambda total, at: int(total == at[1]), "size": lambda total, at: abs(total),
    "sgn": lambda total, at: (total > 0) - (total < 0), "S": lambda total, at: total,
}  # fmt: skip
_UNIFORM = {"Scalar log p": "-log(2)", "RandomScalar log p": "-log(2)", "Nonnegative q": "1/2", "RandomNonnegative q": "1/2",
            "n_clients": 2}  # fmt: skip
_QUIET = {"logp": "-log(2)", "logq": "-log(2)", "logr": "-log(2)", "logpe": "-log(2)", "logw": 0, "c": 0, "z": 0}
_NEWTON = {"Vector p": "1/2", "n_clients": 4}
HINTS: tuple[tuple[str, tuple[Mapping[str, Any], ...]], ...] = (
    (r"aaggff/(entropy|T5\.2|estimated|C5\.3|unbiased|P2-any).*", tuple(
        {**_UNIFORM, "Scalar r": r, "RandomScalar r": r, "RandomNonnegative ref": r, "RandomScalar common": 0} for r in ("1/2", "0"))),
    (r"aaggff/(newton-regret|T5\.1).*", (
        {**_NEWTON, "n_rounds": 1, "Nonnegative lambda 2": 0, "Nonnegative lambda 3": 0, "Nonnegative lambda 4": 0},
        {**_NEWTON, "Vector h": 0}, {**_NEWTON, "Vector h": 0, "Vector q": "1/2"})),
    (r"aaggff/coin", ({"RandomNonnegative x": "1/2"},)),
    (r"osmd/(T8|C7|60|61|59|experts|first-weight|variation|P13|L17|start|4|5|paths|divergence|mirror).*", tuple(
        {**{f"{kind} {name}": value for name, value in _QUIET.items() for kind in ("Scalar", "RandomScalar")},
         **more, "n_experts": 1, "n_clients": 2, "n_sampled": 2, "RandomNonnegative N": 1}
        for more in ({"RandomNonnegative a": 0, "n_rounds": 1}, {"RandomNonnegative a": 0}, {"n_rounds": 1}, {}))),
)  # fmt: skip


def hints(theorem: Theorem) -> tuple[Mapping[str, Any], ...]:
    """What to begin with for some theorems: values of families that make the rest easy. The check decides."""
    return next((found for pattern, found in HINTS if re.fullmatch(pattern, theorem.id)), ())


@lru_cache(maxsize=20)
def sequences(law: str, length: int) -> tuple[tuple[int, ...], ...]:
    """The signs of equally likely outcomes: independent ones, or as many plus as minus."""
    if not law:
        return ((),)
    every = tuple(itertools.product((1, -1), repeat=length))
    return every if law == "independent" else tuple(s for s in every if sum(s) == 0)


class Redo(Exception):
    """The probability space must grow."""


def _expressions(theorem: Theorem) -> Iterable[Expr]:
    for h in theorem.hypotheses:
        if isinstance(h, Given):
            yield from (h.relation.left, h.relation.right)
        elif isinstance(h, Defines):
            yield sympy.sympify(h.right)


@lru_cache(maxsize=1000)
def structural(theorem_id: Any) -> frozenset[Symbol]:
    """Integers that say how many terms, places or members there are: they are drawn before anything is written out."""
    theorem = theorem_id
    found: set[Symbol] = set()
    for h in theorem.hypotheses:
        if isinstance(h, Given):
            for _, low, high in h.relation.over:
                found |= low.free_symbols | high.free_symbols
    for expr in _expressions(theorem):
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
def exponents(theorem: Theorem) -> frozenset[Any]:
    """Families of numbers in exponents: they are written as logarithms of unknowns."""
    found: set[Any] = set()
    for expr in _expressions(theorem):
        for part in sympy.preorder_traversal(expr):
            if isinstance(part, sympy.exp):
                found |= {(a.func, a.args[0]) for a in part.atoms(terms.Scalar, terms.RandomScalar) if not isinstance(a, terms.Nonnegative | terms.RandomInteger)}
    return frozenset(found)


def draw_of(theorem: Theorem) -> bool:
    """Whether permutations are drawn."""
    return any(e.has(terms.Draw) for e in _expressions(theorem))


def fixed_population(theorem: Theorem) -> Any:
    """The symbol that says of how many the permutations are."""
    found = {d.args[1] for e in _expressions(theorem) for d in e.atoms(terms.Draw)}
    return next((s for s in found if isinstance(s, Symbol)), None)


def chosen_counts(theorem: Theorem, names: Iterable[Symbol], manner: Manner, draw: random.Random) -> dict[Symbol, fmpq]:
    """Values of the structural integers that obey the relations between integers alone, small ones first."""
    own = sorted(names, key=str)
    bound = {i for h in theorem.hypotheses if isinstance(h, Given) for i, _, _ in h.relation.over}
    fixed = {s: fmpq(int(manner.fixed[s.name])) for s in own if s.name in manner.fixed}
    plain = [
        h.relation for h in theorem.hypotheses
        if isinstance(h, Given) and not h.relation.over and not h.relation.gap.has(terms.Term)
        and h.relation.gap.free_symbols and h.relation.gap.free_symbols <= set(own)
    ]  # fmt: skip
    world = _Counts()
    for attempt in range(400):
        choices = manner.counts if attempt < 20 else (*manner.counts, 1, 2, 3, 4) if attempt < 150 else (1, 2, 3, 4, 5, 6, 8, 10, 16, 100)
        values = {s: fixed.get(s, fmpq(draw.choice(choices))) for s in own}
        for s in own:
            if s.name == "n_clients" and s not in fixed and attempt < 20:
                values[s] = fmpq(manner.population)
            if not fits(s, symbolic(values[s]), ()):
                values[s] = fmpq(1)
        world.values = values
        try:
            if all(Evaluator(world).true(r, {}) for r in plain):  # type: ignore[arg-type]
                return values
        except NoValue:
            continue
    del bound
    raise Stuck("counts")


class _Counts:
    unknowns = False
    dimension = 1
    weights = (fmpq(1),)
    values: dict[Symbol, fmpq]

    def symbol(self, symbol: Symbol) -> Number:
        return self.values[symbol]


# Closed terms as functions of the unknowns -----------------------------------------------------------------------


Values = dict[Symbol, Number]
Closed = Callable[[Values], Number]


class _Fixed:
    unknowns = False
    dimension = 1
    weights = (fmpq(1),)


_PLAIN = Evaluator(_Fixed())  # type: ignore[arg-type]


def compiled(expr: Any) -> Closed:
    """A number with unknowns as a function of their values."""
    if isinstance(expr, fmpq):
        return lambda values: expr
    if isinstance(expr, Symbol):
        return lambda values: values[expr]
    if isinstance(expr, Expr) and expr.is_Rational:
        number = rational(expr)
        return lambda values: number
    if not expr.args:
        return lambda values: expr
    parts = [compiled(a) for a in expr.args]
    if isinstance(expr, Add):
        return lambda values: add([p(values) for p in parts])
    if isinstance(expr, Mul):
        return lambda values: times([p(values) for p in parts])
    if isinstance(expr, Pow):
        base, exponent = parts
        return lambda values: _PLAIN.power(base(values), exponent(values))
    return lambda values: _PLAIN.function_of(expr, [p(values) for p in parts])


@dataclass
class Constraint:
    """0 <= gap, 0 < gap or 0 == gap, its unknowns."""

    name: str
    op: str
    gap: Any
    unknowns: frozenset[Symbol]
    value: Closed

    def true(self, values: Values) -> bool:
        try:
            found = sign(self.value(values))
        except (NoValue, OverflowError, ZeroDivisionError):
            return False
        return found == 0 if self.op == "==" else found >= 0 if self.op == "<=" else found > 0


def grounded(theorem: Theorem, world: Open, horizon: int) -> list[Constraint]:
    """The hypotheses written out."""
    found: dict[Any, Constraint] = {}
    rounds: list[str] = []
    while True:
        world.prepare(rounds)
        try:
            for h in theorem.hypotheses:
                if isinstance(h, Given):
                    chance = terms.is_random(h.relation.left) or terms.is_random(h.relation.right)
                    outcomes = range(len(world.weights)) if chance and not world.manner.flat else (0,)
                    for place in world.evaluator.places(h.relation.over, horizon, {}):
                        for o in outcomes:
                            if h.relation.op == "==":
                                _note_head(world, h.relation.left, place, o)
                            for gap in world.evaluator.gaps(h.relation, place, o):
                                _note(found, h.id, h.relation.op, gap)
                elif isinstance(h, Member):
                    slots = h.function.args[1:]
                    everywhere = [places for places in _indices(world, h)] or [()]
                    for places in everywhere:
                        at = {s: fmpq(i) for s, i in zip(slots, places, strict=True)}
                        a = world.function(h.function, places)[0]
                        if h.smooth is not None:
                            smooth = world.evaluator.number(sympy.sympify(h.smooth), at, 0)
                            _note(found, h.id, "<=", add([smooth, -abs(a)]))
                        if h.convex is not None:
                            convex = world.evaluator.number(sympy.sympify(h.convex), at, 0)
                            _note(found, h.id, "<=", add([a, times([fmpq(-1), convex])]))
                else:
                    if isinstance(h.left, Symbol):
                        world.symbol(h.left)
            break
        except Redo:
            rounds = list(world.rounds)
            if len(rounds) > 4 or (world.manner.population > 2 and len(rounds) > 2):
                raise Stuck from None
            found.clear()
            world.evaluator.means.clear()
            world.defined.clear()
    return list(found.values())


def _note_head(world: Open, left: Expr, place: Any, outcome: int) -> None:
    """What an equation gives by the rest: it is computed, not drawn, where that can be."""
    if isinstance(left, terms.Vector):
        world.heads |= {v for v in world.evaluator.vector(left, place, outcome) if isinstance(v, Symbol)}
    elif isinstance(left, terms.Scalar | Symbol):
        found = world.evaluator.number(left, place, outcome)
        if isinstance(found, Symbol):
            world.heads.add(found)


def _indices(world: Open, member: Member) -> list[tuple[int, ...]]:
    name, count = member.function.args[0].name, len(member.function.args) - 1
    own = [k for n, k in world.functions if n == name]
    if not own and count:
        return [(1,) * count]
    return [tuple(map(int, k.split(","))) if k else () for k in own if k != "*" and (k.count(",") + 1 if k else 0) == count] or (
        [(1,) * count]
    )


def _note(found: dict[Any, Constraint], name: str, op: str, gap: Any) -> None:
    if isinstance(gap, fmpq):
        if not (gap == 0 if op == "==" else gap >= 0 if op == "<=" else gap > 0):
            raise Stuck(name)
        return
    if (op, gap) not in found:
        constraint = Constraint(name, op, gap, frozenset(gap.free_symbols), compiled(gap))
        if not constraint.unknowns and not constraint.true({}):
            raise Stuck(name)
        if constraint.unknowns:
            found[(op, gap)] = constraint


# Solving ------------------------------------------------------------------------------------------------------------


class Search:
    """One attempt to give all unknowns values."""

    def __init__(self, world: Open, constraints: list[Constraint], draw: random.Random, zero: float, first: str) -> None:
        self.world, self.draw, self.zero, self.first = world, draw, zero, first
        self.values: Values = {}
        self.about: dict[Symbol, list[Constraint]] = {}
        for c in constraints:
            for u in c.unknowns:
                self.about.setdefault(u, []).append(c)
        self.left = {id(c): len(c.unknowns) for c in constraints}
        self.ready = [c for c in constraints if c.op == "==" and self.left[id(c)] == 1]
        self.order = list(world.kinds)
        draw.shuffle(self.order)
        if first == "symbols":
            self.order.sort(key=lambda u: not isinstance(world.kinds[u], Symbol))
        elif first == "members":
            self.order.sort(key=lambda u: isinstance(world.kinds[u], Symbol))
        elif first == "written":
            self.order = list(world.kinds)
        if draw.random() < 0.8:
            self.order.sort(key=lambda u: u in world.heads)
        families = sorted({self._family(u) for u in self.order})
        still = {f for f in families if draw.random() < 0.35} if draw.random() < 0.7 else set()
        if draw.random() < 0.6:
            still |= {f for f in families if f.endswith((" xi", " zeta"))}
        late = draw.random() < 0.8
        self.still = [u for u in self.order if self._family(u) in still and not (late and u in world.heads)]

    def _family(self, unknown: Symbol) -> str:
        kind = self.world.kinds[unknown]
        return kind.name if isinstance(kind, Symbol) else models.family(kind)

    def run(self, deadline: float) -> Values:
        """Values of all unknowns; Stuck at a contradiction."""
        for unknown in self.still:
            if unknown not in self.values and self._fits(unknown, ZERO):
                self._set(unknown, ZERO)
        while True:
            while self.ready:
                c = self.ready.pop()
                if self.left[id(c)] == 1:
                    (unknown,) = (u for u in c.unknowns if u not in self.values)
                    if self._idle(c, unknown):
                        continue
                    self._set(unknown, self._among(unknown, self._roots(c, unknown), c.name))
            if time.process_time() > deadline:
                raise Stuck("time")
            unknown = next((u for u in self.order if u not in self.values), None)
            if unknown is None:
                return self.values
            value = self._among(unknown, self._free(unknown), "choice")
            self._set(unknown, value)
            for other in self.world.groups[self.world.key_of[unknown]]:
                if other not in self.values and not any(
                    c.op == "==" and self.left[id(c)] == 1 for c in self.about.get(other, ())
                ):
                    if self._fits(other, value):
                        self._set(other, value)

    def _idle(self, c: Constraint, unknown: Symbol) -> bool:
        """Whether an equation holds whatever its last unknown is."""
        points = [self._at(c, unknown, fmpq(x)) for x in (1, 2, 5)]
        try:
            return all(p is not None and sign(p) == 0 for p in points)
        except NoValue:
            return False

    def _set(self, unknown: Symbol, value: Number) -> None:
        self.values[unknown] = value
        for c in self.about.get(unknown, ()):
            self.left[id(c)] -= 1
            if self.left[id(c)] == 1 and c.op == "==":
                self.ready.append(c)
            elif self.left[id(c)] == 0 and not c.true(self.values):
                raise Stuck(c.name)

    def _fits(self, unknown: Symbol, value: Number) -> bool:
        kind = self.world.kinds[unknown]
        try:
            if unknown in self.world.logs:
                if sign(value) <= 0:
                    return False
            elif isinstance(kind, Symbol):
                if isinstance(value, fmpq):
                    if (kind.is_positive and value <= 0) or (kind.is_nonnegative and value < 0) or (kind.is_integer and value.q != 1):
                        return False
                elif sympy.count_ops(value) > 25 or not fits(kind, symbolic(value), ()):
                    return False
            elif isinstance(kind, terms.Nonnegative) and sign(value) < (1 if isinstance(kind, terms.Positive) else 0):
                return False
        except NoValue:
            return False
        if not isinstance(value, fmpq) and sympy.count_ops(value) > 40:
            return False
        trial = {**self.values, unknown: value}
        return all(c.true(trial) for c in self.about.get(unknown, ()) if self.left[id(c)] == 1)

    def _among(self, unknown: Symbol, candidates: Iterable[Number], name: str) -> Number:
        for value in candidates:
            if self._fits(unknown, value):
                return value
        sole = [c.name for c in self.about.get(unknown, ()) if self.left[id(c)] == 1]
        raise Stuck(f"{name}: {self.world.kinds[unknown]} ({', '.join(dict.fromkeys(sole))})")

    def _at(self, c: Constraint, unknown: Symbol, value: Number) -> Number | None:
        try:
            return c.value({**self.values, unknown: value})
        except (NoValue, ZeroDivisionError, OverflowError):
            return None

    def _linear_root(self, c: Constraint, unknown: Symbol) -> Number | None:
        points = [self._at(c, unknown, fmpq(x)) for x in (1, 2, 3)]
        if any(p is None for p in points):
            return None
        a, b, d = points
        slope, other = add([b, times([fmpq(-1), a])]), add([d, times([fmpq(-1), b])])
        try:
            if sign(add([slope, times([fmpq(-1), other])])) != 0 or sign(slope) == 0:
                return None
            return add([fmpq(1), times([fmpq(-1), a, _PLAIN.power(slope, fmpq(-1))])])
        except NoValue:
            return None

    def _roots(self, c: Constraint, unknown: Symbol) -> list[Number]:
        """Where the gap vanishes."""
        root = self._linear_root(c, unknown)
        if root is not None:
            return [root]
        points = [self._at(c, unknown, fmpq(x)) for x in (1, 2, 3, 4)]
        if all(isinstance(p, fmpq) for p in points):
            one, two, three, four = points
            if four - 3 * three + 3 * two - one == 0 and three - 2 * two + one != 0:
                a = (three - 2 * two + one) / 2
                b = two - one - 3 * a
                c0 = one - a - b
                disc = b * b - 4 * a * c0
                if disc < 0:
                    return []
                r = rational(sympy.sqrt(symbolic(disc)))
                found = [times([add([-b, r]), 1 / (2 * a)]), times([add([-b, times([fmpq(-1), r])]), 1 / (2 * a)])]
                self.draw.shuffle(found)
                return found
        found = []
        for expr in _branches(symbolic(c.gap)):
            plain = expr.xreplace({u: symbolic(v) for u, v in self.values.items() if u in c.unknowns})
            if not plain.has(unknown) or sympy.count_ops(plain) > 120:
                continue
            try:
                if plain.is_polynomial(unknown):
                    factors = sympy.factor_list(plain, unknown)[1]
                    found += [rational(-f.coeff(unknown, 0) / f.coeff(unknown, 1)) for f, _ in factors if sympy.degree(f, unknown) == 1]
                    continue
                if sympy.count_ops(plain) > 40:
                    continue
                found += [rational(r) for r in sympy.solve(plain, unknown, check=False, simplify=False) if r.is_real and r.is_number]
            except (NotImplementedError, ValueError, TypeError, AttributeError, ZeroDivisionError):
                continue
        return found

    def _free(self, unknown: Symbol) -> list[Number]:
        sole = [c for c in self.about.get(unknown, ()) if self.left[id(c)] == 1]
        usual: list[Number] = [models._number(t) for t in USUAL]
        if self.draw.random() > 0.5:
            self.draw.shuffle(usual)
        else:
            head = usual[:5]
            self.draw.shuffle(head)
            usual[:5] = head
        kind = self.world.kinds[unknown]
        name = kind.name if isinstance(kind, Symbol) else kind.args[0].name
        if ("step" in name or name in ("eta", "gamma")) and self.draw.random() < 0.7:
            usual = [fmpq(1, self.draw.choice((10, 50, 100, 400, 2000))), *usual]
        edges = [r for c in sole if (r := self._linear_root(c, unknown)) is not None]
        edges = edges[:12]
        near: list[Number] = []
        for e in edges:
            near += [times([e, fmpq(1, 2)]), add([e, fmpq(1)]), add([e, fmpq(-1)]), times([e, fmpq(2)]), e]
        near += [times([add([a, b]), fmpq(1, 2)]) for a, b in itertools.combinations(edges, 2)]
        if kind.is_integer:
            whole = [fmpq(int(e.p) // int(e.q)) for e in edges if isinstance(e, fmpq)]
            near += [w + d for w in whole for d in (0, 1, -1)]
        if self.draw.random() < 0.5:
            self.draw.shuffle(near)
        found = [*near, *usual, ZERO] if self.draw.random() < 0.5 else [*usual, *near, ZERO]
        return [ZERO, *found] if self.draw.random() < self.zero else found


def _branches(expr: Expr) -> list[Expr]:
    """The term with each extreme or absolute value replaced by each of its branches."""
    outer = next((p for p in sympy.preorder_traversal(expr) if isinstance(p, Max | Min | sympy.Abs)), None)
    if outer is None:
        return [expr]
    choices = [outer.args[0], -outer.args[0]] if isinstance(outer, sympy.Abs) else list(outer.args)
    return [b for choice in choices for b in _branches(expr.xreplace({outer: choice}))][:8]


# Models ---------------------------------------------------------------------------------------------------------------


def written(world: Open, values: Values) -> Model:
    """The values as a model."""
    symbols = {s.name: str(v) for s, v in world.counts.items() if s in world.asked}
    members: dict[str, dict[str, Any]] = {}
    table: dict[Any, dict[int, dict[int, str]]] = {}
    for (key, outcome), unknown in world.unknown.items():
        if unknown in world.logs:
            values = {**values, unknown: rational(sympy.log(symbolic(values[unknown])))}
        value = str(text(symbolic(values[unknown]))) if not isinstance(values[unknown], fmpq) else str(values[unknown])
        if len(key) == 1:
            symbols[key[0].name] = value
        else:
            table.setdefault(key[:2], {}).setdefault(outcome, {})[key[2]] = value.replace(" ", "")
    for (key, outcome), integer in world.integers.items():
        if outcome < len(world.weights):
            table.setdefault(key, {}).setdefault(outcome, {})[0] = str(integer)
    for (name, indices), outcomes in table.items():
        parts = [" ".join(c[k] for k in sorted(c)) for _, c in sorted(outcomes.items())]
        size = len(world.weights)
        if len(parts) not in (1, size):  # outcomes of which nothing is said
            parts = [" ".join(outcomes[o][k] for k in sorted(outcomes[o])) if o in outcomes else parts[0] for o in range(size)]
        members.setdefault(name, {})[indices] = parts[0] if len(set(parts)) == 1 else "|".join(parts)
    for name, value in world.manner.fixed.items():
        if name in world.pinned:
            vector = models.KINDS[name.split()[0]]
            members[name] = {"*": " ".join([str(value)] * (world.dimension if issubclass(vector, terms.Vector) else 1))}
            continue
        head, _, rest = name.partition(" ")
        if name in world.used:
            family, _, indices = name.rpartition(" ")
            members.setdefault(family, {})[indices] = str(value)
        elif not rest and name in world.used_symbols:
            symbols[name] = str(value)
    functions: dict[str, dict[str, str]] = {}
    for (name, indices), (a, centre, b) in world.functions.items():
        functions.setdefault(name, {})[indices] = " ".join(map(str, (a, *centre, b)))
    rounds = tuple(world.rounds)
    outcomes = world.manner.outcomes * len(world.signs)
    return Model(
        symbols, members, functions, (f"1/{outcomes}",) * outcomes if outcomes > 1 else ("1",),
        world.manner.population if rounds else 0, rounds, world.dimension,
    )  # fmt: skip


def manners(theorem: Theorem, draw: random.Random) -> Iterable[Manner]:
    """Ways to try, the richer ones first."""
    draws = any(
        isinstance(p, terms.Draw) for h in theorem.hypotheses if isinstance(h, Given)
        for e in (h.relation.left, h.relation.right) for p in sympy.preorder_traversal(e)
    ) or any(isinstance(h, Defines) and sympy.sympify(h.right).has(terms.Draw) for h in theorem.hypotheses)  # fmt: skip
    endless = any(
        isinstance(h, Given) and any(a is -sympy.oo or b is sympy.oo for _, a, b in h.relation.over) for h in theorem.hypotheses
    )
    first = [Manner(constant=True, alike=True), Manner(constant=True, zero=1.0, alike=True), Manner(constant=True, zero=0.5)] if endless else []
    rich = [Manner(), Manner(counts=(2, 1)), Manner(alike=True), Manner(counts=(1, 2, 3), zero=0.3)]
    poor = [
        Manner(zero=0.7), Manner(zero=1.0), Manner(alike=True, zero=0.5), Manner(alike=True, zero=1.0, counts=(1,)), Manner(counts=(1,)),
        Manner(counts=(1,), population=1), Manner(counts=(1, 2), population=1, zero=0.5), Manner(counts=(1,), population=1, zero=1.0),
        Manner(counts=(1, 2, 3, 4, 0, 5, 10)), Manner(counts=(1, 2, 3, 4, 0, 100), population=3),
    ]  # fmt: skip
    if draws:
        rich = [Manner(counts=(1,)), Manner(counts=(1, 2)), Manner(alike=True, flat=True)]
        poor = [replace(m, flat=m.alike or m.population == 1 or m.zero == 1.0) for m in poor]
        poor = [replace(m, alike=m.alike or m.flat) for m in poor]
    names = {p.args[0].name for e in _expressions(theorem) for p in e.atoms(terms.RandomScalar)}
    if names & set(SIGNS):
        for law, length in (("balanced", 4), ("independent", 4), ("balanced", 2), ("independent", 3), ("balanced", 6)):
            fix = {"fixed": {**({"n_clients": length} if law == "balanced" else {}), "g": 0}}
            first += [Manner(counts=(1,), population=1, signs=law, length=length, zero=z, **fix) for z in (0.0, 0.3)]
            first += [Manner(counts=(1, 2, 3), population=1, signs=law, length=length, zero=0.5, **fix), Manner(counts=(4,), signs=law, length=length, zero=0.5)]
    families = {(p.func, p.args[0].name) for e in _expressions(theorem) for p in e.atoms(terms.RandomVector)}
    if (terms.RandomVector, "xi") in families:
        rich = [replace(m, fixed={"RandomVector xi": 0}) for m in rich] + rich
    if exponents(theorem):
        calm = {f"{kind.__name__} {name.name}": "-log(2)" if name.name in ("logp", "logq", "logr", "logpe") else 0
                for kind, name in exponents(theorem)}
        calm = {k: v for k, v in calm.items() if k.split()[1] in ("logp", "logq", "logr", "logpe", "logw", "c", "z")}
        quiet = {**calm, "RandomNonnegative a": 0, "RandomNonnegative N": 1, "n_sampled": 2, "n_experts": 1}
        rich = [*rich, Manner(fixed=calm), Manner(fixed=quiet, counts=(1,)), Manner(fixed=quiet), Manner(fixed={**quiet, "probability_floor": 1}, counts=(1,)),
                Manner(fixed={**quiet, "probability_floor": "1/2"}, counts=(1,))]
    two = [Manner(dimension=2), Manner(dimension=2, zero=0.5), Manner(outcomes=2), Manner(outcomes=2, counts=(1,), zero=0.3)]
    for hint in hints(theorem):
        yield from (Manner(fixed=hint, counts=(2,)), Manner(fixed=hint, counts=(1,)), Manner(fixed=hint, counts=(1, 2), zero=0.6), Manner(fixed=hint, counts=(1,), zero=1.0))
    yield from (*first, *rich, *poor, *two)
    while True:
        yield Manner(
            counts=draw.choice(((1,), (2,), (1, 2), (2, 3), (1, 3), (4, 2), (1, 2, 100), (0, 1, 2))), population=draw.choice((1, 2, 2, 3)),
            zero=draw.choice((0.0, 0.2, 0.5, 0.8, 1.0)), alike=draw.random() < 0.5, outcomes=draw.choice((1, 1, 1, 2)),
            dimension=draw.choice((1, 1, 1, 2)), flat=False, constant=endless and draw.random() < 0.5,
        )  # fmt: skip


def find(theorem: Theorem, seconds: float = 5.0, seed: int = 1, fixed: Mapping[str, Any] | None = None,
         only: Manner | None = None) -> tuple[Model | None, dict[str, int]]:  # fmt: skip
    """A model of a theorem's hypotheses, or None and what stood in the way, how often."""
    draw = random.Random(seed)
    end = time.process_time() + seconds
    blame: dict[str, int] = {}
    prefix: Model | None = None
    tries = itertools.repeat(only) if only is not None else manners(theorem, draw)
    for manner in tries:
        if time.process_time() > end:
            break
        manner = replace(manner, fixed={**manner.fixed, **(fixed or {})})
        try:
            world = Open(theorem, manner, draw)
            constraints = grounded(theorem, world, models.HORIZON)
        except (Stuck, NoValue, NotImplementedError, RecursionError, ValueError, TypeError, ZeroDivisionError) as error:
            _count(blame, f"ground {error!r}"[:160])
            continue
        for attempt in range(12):
            if time.process_time() > end:
                break
            first = ("symbols", "members", "", "written")[attempt % 4]
            try:
                values = Search(world, constraints, draw, manner.zero, first).run(end)
            except Stuck as error:
                _count(blame, str(error))
                continue
            model = written(world, values)
            finding = models.check(theorem, model)
            if not finding.fault and not finding.prefix:
                return model, blame
            if not finding.fault and prefix is None:
                prefix = model
            _count(blame, "check " + finding.fault)
            if finding.prefix and time.process_time() > end - seconds * 0.6:
                return prefix, blame
    return prefix, blame


def _count(blame: dict[str, int], name: str) -> None:
    blame[name] = blame.get(name, 0) + 1
