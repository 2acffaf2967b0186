"""Counterexamples to a statement: exact values at which all hypotheses hold and the statement is false.

Values are drawn by a fixed sequence of small rationals. Equations among the hypotheses determine the terms on their left.
What is found is a model of the hypotheses, and is checked as one; where all of it is numbers, the kernel confirms it too.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq
from sympy import Expr, Mul, Pow, Rational, Symbol, oo, sympify

from fltheory.proof import models
from fltheory.proof import terms as words
from fltheory.proof.check import check_theorem
from fltheory.proof.language import Defines, Given, Member, Relation, Step, Theorem, Witness
from fltheory.proof.models import Model, StoredWorld, check_model
from fltheory.proof.models.exact_terms import NoValue, Number, Point
from fltheory.proof.terms import Grad, free_symbols
from fltheory.proving.budget import Budget

TRIES = 150
SAMPLE = 0.2  # units for one try
_ATOMS = (Symbol, words.Vector, words.Scalar)
WORLDS = 6
LARGEST_POPULATION = 3  # whose orders are all looked at
HALVES = ("1/2", "1/2")  # the probabilities of two outcomes
HORIZON = 3  # how far an endless range is looked at
WRONG = (NoValue, ValueError, ZeroDivisionError, TypeError, OverflowError, AssertionError, AttributeError, KeyError)
NUMBERS = ("1", "2", "1/2", "3", "1/3", "1/10", "10", "3/2", "4", "1/4", "100", "1/100", "5", "2/3")


@dataclass(frozen=True)
class Counterexample:
    """A model in which every hypothesis holds and the statement fails; ``kernel`` says whether the kernel confirmed it."""

    model: Model
    kernel: bool

    @property
    def values(self) -> dict[str, str]:
        """The values by name, for readers."""
        found = dict(self.model.symbols)
        for family, table in self.model.members.items():
            found |= {f"{family.split()[1]}{f'({at})' if at else ''}": _by_outcome(text) for at, text in table.items()}
        for name, table in self.model.functions.items():
            for at, text in table.items():
                curvature, *centre, offset = text.split()
                found[f"{name}{f'({at})' if at else ''}"] = (
                    f"u -> ({curvature})/2 |u - ({', '.join(centre)})|^2 + {offset}"
                )
        return found


def _by_outcome(text: str) -> str:
    """Return a value for readers; a random one has a value for each of the outcomes, which are equally likely."""
    count = text.count("|") + 1
    return text if count == 1 else f"{text} ({'two' if count == 2 else count} equally likely outcomes)"


@dataclass
class _Drawn(StoredWorld):
    """A world whose missing values are drawn when they are asked for."""

    theorem: Theorem
    draw: random.Random
    symbols: dict[str, str] = field(default_factory=dict)
    members: dict[str, dict[str, str]] = field(default_factory=dict)
    functions: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.size = self.draw.choice((1, 1, 2))
        two = _has_chance(self.theorem) and self.draw.random() < 0.5
        population = self.population()
        rounds = ("",) if population else ()
        halves = HALVES if two else ("1",)
        model = Model(self.symbols, self.members, self.functions, halves, population, rounds, self.size)
        StoredWorld.__init__(self, model, self.theorem.hypotheses)

    def population(self) -> int:
        """Return of how many clients an order is drawn, which is the value of their number; 0 if none is drawn."""
        found = _populations(self.theorem)
        if len(found) != 1:
            return 0
        (number,) = found
        size = int(number) if number.is_Integer else self.draw.choice((1, 2, 2, 3))
        if isinstance(number, Symbol):
            self.symbols[number.name] = str(size)
        return size if size <= LARGEST_POPULATION else 0

    def number(self, positive: bool, nonnegative: bool, integer: bool) -> str:
        if integer:
            least = 1 if positive else 0 if nonnegative else -2
            return str(self.draw.choice(range(least, 4)))
        text = self.draw.choice(NUMBERS)
        if positive:
            return text
        zero = self.draw.random() < 0.15
        if nonnegative:
            return "0" if zero else text
        return "0" if zero else self.draw.choice(("", "-")) + text

    def symbol(self, symbol: Symbol) -> Number:
        if symbol not in self.definitions and symbol.name not in self.symbols:
            self.symbols[symbol.name] = self.number(
                bool(symbol.is_positive), bool(symbol.is_nonnegative), bool(symbol.is_integer)
            )
        return super().symbol(symbol)

    def _stored_value(self, term: Expr, indices: tuple[Any, ...], outcome: int) -> Number | Point:
        table, at = self.members.setdefault(models.family_key(term), {}), ",".join(map(str, indices))
        if at not in table:
            kind = term.func
            positive, nonnegative = issubclass(kind, words.Positive | words.RandomPositive), bool(term.is_nonnegative)
            size = self.size if issubclass(kind, words.Vector) else 1
            whole = kind is words.RandomInteger
            first = [self.number(positive, nonnegative, whole) for _ in range(size)]
            table[at] = " ".join(first)
            if kind.random and len(self.model.weights) > 1:
                signed = not (positive or nonnegative or whole) and self.draw.random() < 0.5
                other = [_turned(n) if signed else self.number(positive, nonnegative, whole) for n in first]
                outcomes = (own for own in (first, other) for _ in self.orders)
                table[at] = " | ".join(map(" ".join, outcomes))
        return super()._stored_value(term, indices, outcome)

    def function(self, term: Expr, indices: tuple[Any, ...]) -> tuple[Number, Point, Number]:
        table, at = self.functions.setdefault(term.args[0].name, {}), ",".join(map(str, indices))
        if at not in table:
            table[at] = " ".join(
                (self._curvature(term, indices), *(self.number(False, False, False) for _ in range(self.size)), "0")
            )
        return super().function(term, indices)

    def _curvature(self, term: Expr, indices: tuple[Any, ...]) -> str:
        """Return a curvature that the class of the function allows: mostly one of its ends."""
        for member in self.theorem.hypotheses:
            if isinstance(member, Member) and member.function.args[0] == term.args[0]:
                place = dict(zip(member.function.args[1:], map(fmpq, indices), strict=True))
                ends = [
                    None if c is None else self.evaluator.number(Rational(c) if isinstance(c, int) else c, place, 0)
                    for c in (member.convex, member.smooth)
                ]
                low = ends[0] if ends[0] is not None else (-ends[1] if ends[1] is not None else fmpq(-1))
                high = ends[1] if ends[1] is not None else low + fmpq(self.draw.choice((0, 1, 10)))
                share = self.draw.choice((fmpq(0), fmpq(1), fmpq(1), fmpq(1, 2)))
                return str(low + share * (high - low))
        return self.number(False, False, False)

    def put(self, left: Expr, values: list[Number | Point], indices: tuple[Any, ...]) -> None:
        """Set an undetermined term: to one value, or to one for each outcome."""
        text = " | ".join(" ".join(map(str, v)) if isinstance(v, tuple) else str(v) for v in values)
        if isinstance(left, Symbol):
            self.symbols.setdefault(left.name, text)
        else:
            self.members.setdefault(models.family_key(left), {}).setdefault(",".join(map(str, indices)), text)

    def settle(self) -> None:
        """Let the equations among the hypotheses determine the terms on their left; inequalities too, in half of the worlds.

        A false statement mostly fails where the hypotheses hold with equality.
        """
        tight = self.draw.random() < 0.5
        for given in self.theorem.hypotheses:
            if not isinstance(given, Given) or not (given.relation.op == "==" or (tight and given.relation.op == "<=")):
                continue
            left, right = given.relation.left, given.relation.right
            if given.relation.op == "<=" and not isinstance(left, _ATOMS):
                left, right = right, left
            if isinstance(left, Mul):  # a multiple of what is determined
                known = [f for f in left.args if isinstance(f, words.Vector | words.Scalar)]
                factor = Mul(*(f for f in left.args if f not in known))
                if len(known) == 1 and not factor.atoms(words.Term):
                    left, right = known[0], right / factor
            if isinstance(left, Grad) and _is_zero(right):
                self._centre(left)
            elif (sum_of_gradients := _sum_of_gradients(left)) is not None and _is_zero(right):
                self._balance(sum_of_gradients)
            elif isinstance(left, _ATOMS):
                outcomes = range(len(self.weights)) if getattr(left.func, "random", False) else range(1)
                for place in self.evaluator.places(given.relation.over, HORIZON, {}):
                    with suppress(NoValue):
                        indices = () if isinstance(left, Symbol) else self.evaluator.indices(left.args[1:], place, 0)
                        compute = self.evaluator.vector if isinstance(left, words.Vector) else self.evaluator.number
                        self.put(left, [compute(right, place, outcome) for outcome in outcomes], indices)
            elif not given.relation.over and (squared := _squared_symbol(right)) is not None:
                with suppress(NoValue):
                    value = self.evaluator.number(left / squared[1], {}, 0)
                    self.put(squared[0], [sympify(str(value)) ** Rational(1, 2)], ())

    def _centre(self, gradient: Expr) -> None:
        """Put a point at which a gradient vanishes at the centre of the function."""
        function, point = gradient.args
        if isinstance(point, words.Vector) and not function.args[1:] and not point.args[1:]:
            self.put(point, [self.function(function, ())[1]], ())

    def _balance(self, total: words.Total) -> None:
        """Put a point at which the gradients add up to zero at the mean of the centres, weighted by the curvatures."""
        gradient, index, low, high = total.args
        function, point = gradient.args
        parts = [
            self.function(function, self.evaluator.indices((index,), place, 0))
            for place in self.evaluator.places(((index, low, high),), HORIZON, {})
        ]
        weight = sum((c for c, _, _ in parts), fmpq(0))
        if weight != 0:
            centre = tuple(sum((c * z[k] for c, z, _ in parts), fmpq(0)) / weight for k in range(self.size))
            self.put(point, [centre], ())


def _sum_of_gradients(left: Expr) -> words.Total | None:
    """Return the sum of gradients of which a vector is a multiple, if it is one, at a point that all share."""
    total = next((f for f in Mul.make_args(left) if isinstance(f, words.Total)), None)
    if total is None or not isinstance(total.args[0], Grad):
        return None
    function, point = total.args[0].args
    shared = isinstance(point, words.Vector) and not point.args[1:] and function.args[1:] == (total.args[1],)
    return total if shared else None


def _squared_symbol(right: Expr) -> tuple[Symbol, Expr] | None:
    """Return the symbol and the factor of a multiple of the square of a positive symbol."""
    for part in Mul.make_args(right):
        if isinstance(part, Pow) and part.exp == 2 and isinstance(part.base, Symbol) and part.base.is_positive:
            return part.base, right / part
    return None


def _populations(theorem: Theorem) -> set[Expr]:
    """Return the numbers of clients of which an order is drawn, if it is one order: no draw has a round."""
    relations = [theorem.statement, *(h.relation for h in theorem.hypotheses if isinstance(h, Given))]
    sides = [side for r in relations for side in (r.left, r.right)]
    sides += [h.right for h in theorem.hypotheses if isinstance(h, Defines)]
    draws = {d for side in sides for d in side.atoms(words.Draw)}
    return {d.args[1] for d in draws} if all(len(d.args) == 2 for d in draws) else set()


def _has_chance(theorem: Theorem) -> bool:
    """Return whether an expectation occurs in a theorem."""
    relations = [theorem.statement, *(h.relation for h in theorem.hypotheses if isinstance(h, Given))]
    return any(r.left.has(words.E) or r.right.has(words.E) for r in relations)


def _turned(text: str) -> str:
    return text[1:] if text.startswith("-") else text if text == "0" else f"-{text}"


def _is_zero(right: Expr) -> bool:
    return right == 0 or (right.is_Mul and right.args[0] == 0)


def counterexample(theorem: Theorem, budget: Budget, tries: int = TRIES) -> Counterexample | None:
    """Return a counterexample to the statement of a theorem, or None if none is found."""
    for model in _models(theorem, budget, tries):
        report = check_model(theorem, model)
        if report.fault or report.prefix or not fails(theorem.statement, theorem, model):
            continue  # a beginning of an endless run is no counterexample
        return Counterexample(model, _witness(theorem, model))
    return None


@dataclass
class Worlds:
    """Some drawn worlds in which the hypotheses hold: a goal that is false in one of them is not worth a search."""

    worlds: tuple[_Drawn, ...] = ()
    known: dict[tuple[Relation, tuple[Relation, ...]], bool] = field(default_factory=dict)

    @classmethod
    def of(cls, theorem: Theorem, most: int = WORLDS) -> Worlds:
        """Draw worlds of a theorem; none if a range is endless, since what lies beyond its beginning is not looked at."""
        given = [h.relation for h in theorem.hypotheses if isinstance(h, Given)]
        if any(high is oo for r in given for _, _, high in r.over):
            return cls()
        return cls(tuple(itertools.islice(_worlds(theorem, TRIES), most)))

    def refute(self, claim: Relation, assuming: tuple[Relation, ...]) -> bool:
        """Return whether a claim is false in one of the worlds, where the assumptions hold."""
        key = (claim, assuming)
        if key not in self.known:
            self.known[key] = any(_false_under(world, claim, assuming) for world in self.worlds)
        return self.known[key]


def _false_under(world: StoredWorld, claim: Relation, assuming: tuple[Relation, ...]) -> bool:
    true = world.evaluator.true
    try:
        return any(
            not true(claim, place)
            and all(
                true(own, {**place, **more})
                for own in assuming
                for more in world.evaluator.places(own.over, HORIZON, place)
            )
            for place in world.evaluator.places(claim.over, HORIZON, {})
        )
    except WRONG:
        return False


def hold_together(theorem: Theorem, tries: int = TRIES) -> bool:
    """Return whether an instance is found on which all hypotheses hold; contradictory ones would prove everything."""
    if all(not isinstance(h, Given) for h in theorem.hypotheses):
        return True
    worlds = _worlds(theorem, tries)
    return any(_is_instance(theorem, world) for world in worlds)


def _is_instance(theorem: Theorem, world: _Drawn) -> bool:
    for member in theorem.hypotheses:  # a function that no hypothesis mentions is drawn too
        if isinstance(member, Member) and isinstance(member.function, words.Fun) and not member.function.args[1:]:
            world.function(member.function, ())
    report = check_model(theorem, _model_of(world))
    return report is not None and not report.fault


def _models(theorem: Theorem, budget: Budget, tries: int) -> Iterator[Model]:
    """Yield models in which the hypotheses hold and the statement fails."""
    budget.spend(round(SAMPLE * tries))
    for world in _worlds(theorem, tries):
        with suppress(*WRONG):
            if _false(world, theorem.statement):
                yield _model_of(world)


def _worlds(theorem: Theorem, tries: int) -> Iterator[_Drawn]:
    """Yield drawn worlds in which the hypotheses hold, as far as endless ranges are looked at."""
    draw = random.Random(0)
    for _ in range(tries):
        world = _Drawn(theorem, draw)
        with suppress(*WRONG):
            world.settle()
            if all(
                world.evaluator.true(h.relation, place)
                for h in theorem.hypotheses
                if isinstance(h, Given)
                for place in world.evaluator.places(h.relation.over, HORIZON, {})
            ):
                yield world


def _model_of(world: _Drawn) -> Model:
    members, functions = ({k: dict(v) for k, v in table.items()} for table in (world.members, world.functions))
    drawn = world.model
    return Model(dict(world.symbols), members, functions, drawn.weights, drawn.population, drawn.rounds, world.size)


def _false(world: StoredWorld, statement: Relation) -> bool:
    return any(
        not world.evaluator.true(statement, place) for place in world.evaluator.places(statement.over, HORIZON, {})
    )


def fails(statement: Relation, theorem: Theorem, model: Model) -> bool:
    """Return whether a statement is false in a model of a theorem's hypotheses, in exact arithmetic."""
    try:
        return _false(StoredWorld(model, theorem.hypotheses), statement)
    except WRONG:
        return False


def _witness(theorem: Theorem, model: Model) -> bool:
    """Return whether the kernel confirms that the statement is false at the numbers of a model without vectors."""
    return not (model.members or model.functions) and witness_theorem(theorem, model) is not None


def witness_theorem(theorem: Theorem, model: Model) -> Theorem | None:
    """Return the theorem recorded as refuted at the numbers of a model, if the kernel confirms it."""
    if theorem.statement.over:
        return None
    letters = sorted(
        free_symbols(theorem.statement.left) | free_symbols(theorem.statement.right) | _letters(theorem), key=str
    )
    at = tuple((s, sympify(model.symbols[s.name])) for s in letters if s.name in model.symbols)
    uses = tuple(h.id for h in theorem.hypotheses if isinstance(h, Given | Member))
    by = tuple(h.id for h in theorem.hypotheses if not isinstance(h, Given | Member))
    step = Step("1", theorem.statement, Witness(at), uses, by, recorded="REFUTED")
    refuted = Theorem(theorem.id, theorem.statement, theorem.hypotheses, (step,), "REFUTED", note=theorem.note)
    return refuted if check_theorem(refuted, {}).verdict == "REFUTED" else None


def _letters(theorem: Theorem) -> set[Symbol]:
    found = set[Symbol]()
    for h in theorem.hypotheses:
        if isinstance(h, Given):
            found |= free_symbols(h.relation.left) | free_symbols(h.relation.right)
    return found


__all__ = ["Counterexample", "Worlds", "counterexample", "fails", "witness_theorem"]
