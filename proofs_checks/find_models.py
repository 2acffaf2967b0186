"""Search for models: points at which all hypotheses of a theorem hold. ``fltheory.proof.models`` checks what is found.

The hypotheses are written out for small counts; functions and counts are drawn first. Then an equation with one unknown
gives it, and an unknown that no equation gives is drawn from what the inequalities with it alone leave open.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
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
        self.groups: dict[Symbol, list[Symbol]] = {}
        self.functions: dict[tuple[str, str], tuple[Number, Point, Number]] = {}
        self.integers: dict[Any, fmpq] = {}
        self.counts: dict[Symbol, fmpq] = {}
        self.rounds: dict[str, int] = {}
        self.orders: list[Any] = [()]
        self.weights = (fmpq(1),)
        self.free_base = True
        self.defined: dict[Any, Any] = {}

    def prepare(self, rounds: Iterable[str]) -> None:
        """Fix the probability space: the permutations of some rounds, times equally likely outcomes."""
        self.rounds = {r: k for k, r in enumerate(dict.fromkeys(rounds))}
        self.orders = permutations(self.manner.population, len(self.rounds))
        size = len(self.orders) * self.manner.outcomes
        self.weights = (fmpq(1, size),) * size

    def symbol(self, symbol: Symbol) -> Number:
        if symbol in self.definitions:
            return self.evaluator.number(self.definitions[symbol].right, {}, 0)
        if symbol.name in self.manner.fixed:
            return models._number(str(self.manner.fixed[symbol.name]))
        if symbol.is_integer:
            return self.count(symbol)
        return self._unknown((symbol,), symbol, 0)

    def count(self, symbol: Symbol) -> fmpq:
        if symbol not in self.counts:
            value = fmpq(self.draw.choice(self.manner.counts))
            if symbol.name == "n_clients":
                value = fmpq(self.manner.population)
            self.counts[symbol] = value
        return self.counts[symbol]

    def _unknown(self, key: Any, kind: Any, outcome: int) -> Symbol:
        found = self.unknown.get((key, outcome))
        if found is None:
            found = Symbol(f"v{len(self.unknown)}", real=True)
            self.unknown[(key, outcome)] = found
            self.kinds[found] = kind
            self.groups.setdefault(key, []).append(found)
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
        if key[0] + " " + key[1] in self.manner.fixed:
            value = models._number(str(self.manner.fixed[key[0] + " " + key[1]]))
            return (value,) if vector else value
        if isinstance(term, terms.RandomInteger):
            if (key, spread) not in self.integers:
                self.integers[(key, spread)] = fmpq(self.draw.randint(1, max(self.manner.population, 1)))
            return self.integers[(key, spread)]
        if vector:
            return tuple(self._unknown((*key, c), term, spread) for c in range(self.dimension))
        return self._unknown((*key, 0), term, spread)

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


class Redo(Exception):
    """The probability space must grow."""


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
        self.blame = ""

    def run(self, deadline: float) -> Values:
        """Values of all unknowns; Stuck at a contradiction."""
        while True:
            while self.ready:
                c = self.ready.pop()
                if self.left[id(c)] == 1:
                    (unknown,) = (u for u in c.unknowns if u not in self.values)
                    self._set(unknown, self._among(unknown, self._roots(c, unknown), c.name))
            if time.monotonic() > deadline:
                raise Stuck("time")
            unknown = next((u for u in self.order if u not in self.values), None)
            if unknown is None:
                return self.values
            value = self._among(unknown, self._free(unknown), "choice")
            self._set(unknown, value)
            key = next(k for (k, _), u in self.world.unknown.items() if u is unknown)
            for other in self.world.groups[key]:
                if other not in self.values and not any(
                    c.op == "==" and self.left[id(c)] == 1 for c in self.about.get(other, ())
                ):
                    if self._fits(other, value):
                        self._set(other, value)

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
            if isinstance(kind, Symbol):
                if not fits(kind, symbolic(value), ()):
                    return False
            elif isinstance(kind, terms.Nonnegative) and sign(value) < (1 if isinstance(kind, terms.Positive) else 0):
                return False
        except NoValue:
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
            if not plain.has(unknown) or sympy.count_ops(plain) > 200:
                continue
            try:
                found += [rational(r) for r in sympy.solve(plain, unknown) if r.is_real and r.is_number]
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
        edges = [r for c in sole if (r := self._linear_root(c, unknown)) is not None]
        edges = edges[:12]
        near: list[Number] = []
        for e in edges:
            near += [times([e, fmpq(1, 2)]), add([e, fmpq(1)]), add([e, fmpq(-1)]), times([e, fmpq(2)]), e]
        near += [times([add([a, b]), fmpq(1, 2)]) for a, b in itertools.combinations(edges, 2)]
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
    symbols = {s.name: str(v) for s, v in world.counts.items()}
    members: dict[str, dict[str, Any]] = {}
    table: dict[Any, dict[int, dict[int, str]]] = {}
    for (key, outcome), unknown in world.unknown.items():
        value = str(text(symbolic(values[unknown]))) if not isinstance(values[unknown], fmpq) else str(values[unknown])
        if len(key) == 1:
            symbols[key[0].name] = value
        else:
            table.setdefault(key[:2], {}).setdefault(outcome, {})[key[2]] = value.replace(" ", "")
    for (key, outcome), integer in world.integers.items():
        table.setdefault(key, {}).setdefault(outcome, {})[0] = str(integer)
    for (name, indices), outcomes in table.items():
        parts = [" ".join(c[k] for k in sorted(c)) for _, c in sorted(outcomes.items())]
        size = len(world.weights)
        if len(parts) not in (1, size):  # outcomes of which nothing is said
            parts = [" ".join(outcomes[o][k] for k in sorted(outcomes[o])) if o in outcomes else parts[0] for o in range(size)]
        members.setdefault(name, {})[indices] = parts[0] if len(set(parts)) == 1 else "|".join(parts)
    for name, value in world.manner.fixed.items():
        head, _, rest = name.partition(" ")
        if rest:
            family, _, indices = rest.rpartition(" ")
            members.setdefault(f"{head} {family}", {})[indices] = str(value)
        else:
            symbols[name] = str(value)
    functions: dict[str, dict[str, str]] = {}
    for (name, indices), (a, centre, b) in world.functions.items():
        functions.setdefault(name, {})[indices] = " ".join(map(str, (a, *centre, b)))
    rounds = tuple(world.rounds)
    outcomes = world.manner.outcomes
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
    two = [Manner(dimension=2), Manner(dimension=2, zero=0.5), Manner(outcomes=2), Manner(outcomes=2, counts=(1,), zero=0.3)]
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
    end = time.monotonic() + seconds
    blame: dict[str, int] = {}
    prefix: Model | None = None
    tries = itertools.repeat(only) if only is not None else manners(theorem, draw)
    for manner in tries:
        if time.monotonic() > end:
            break
        manner = replace(manner, fixed=fixed or {})
        world = Open(theorem, manner, draw)
        try:
            constraints = grounded(theorem, world, models.HORIZON)
        except (Stuck, NoValue, NotImplementedError, RecursionError, ValueError, TypeError, ZeroDivisionError) as error:
            _count(blame, f"ground {error!r}"[:160])
            continue
        for attempt in range(12):
            if time.monotonic() > end:
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
            if finding.prefix and time.monotonic() > end - seconds * 0.6:
                return prefix, blame
    return prefix, blame


def _count(blame: dict[str, int], name: str) -> None:
    blame[name] = blame.get(name, 0) + 1
