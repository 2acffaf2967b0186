"""Models: points at which all hypotheses of a theorem hold, which shows that they do not contradict each other.

A model is data: values of symbols and of members of families, a parabola for each function, and finitely many outcomes
with their probabilities. This module only reads and checks models, exactly: no solver, no floats.

A file ``models/KEY.json`` holds the models of a paper by theorem. Values are numbers as ``fltheory.number`` reads them;
the components of a vector follow each other, and ``|`` separates values for different outcomes. "*" has the value for
all other indices. A model that is ``like`` an earlier one has its members too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import sympy
from flint import fmpq
from sympy import Expr, Symbol

from fltheory import number
from fltheory.proof import terms
from fltheory.proof.language import Defines, Given, Hypothesis, Member, ProofError, Proofs, Theorem
from fltheory.proof.models.exact_terms import (
    Evaluator,
    NoValue,
    Number,
    Place,
    Point,
    obeys_assumptions,
    permutations,
    rational,
    sign,
    symbolic,
)

FOLDER = "models"
HORIZON = 3  # integers of an unbounded range that are checked one by one
MANY_OUTCOMES = 30  # number of outcomes from which on members are not repeated
_KINDS = (
    "Vector",
    "RandomVector",
    "Scalar",
    "RandomScalar",
    "RandomInteger",
    "Nonnegative",
    "RandomNonnegative",
    "Positive",
    "RandomPositive",
)
KINDS: Mapping[str, type[terms.Term]] = {n: vars(terms)[n] for n in _KINDS}
Table = Mapping[str, str]


@dataclass(frozen=True)
class Model:
    """Values of symbols, members ("Kind name" -> indices -> value) and functions, and probabilities of the outcomes.

    ``population`` and ``rounds`` give the uniform permutations that are drawn too: of 1..population in each of these
    rounds, "" for one without a round. ``dimension`` is that of all vectors.
    """

    symbols: Table = field(default_factory=dict)
    members: Mapping[str, Table] = field(default_factory=dict)
    functions: Mapping[str, Table] = field(default_factory=dict)
    weights: tuple[str, ...] = ("1",)
    population: int = 0
    rounds: tuple[str, ...] = ()
    dimension: int = 1


@dataclass(frozen=True)
class ModelReport:
    """The result for a model: a failing hypothesis with the reason, or "", and whether only a prefix was checked."""

    fault: str = ""
    prefix: bool = False


@lru_cache(maxsize=50_000)
def read_number(text: str) -> Number:
    try:
        return rational(number.symbolic(number.exact(text)))
    except ValueError as error:
        raise NoValue(str(error)) from None


def _index_text(indices: Iterable[Any]) -> str:
    return ",".join(map(str, indices))


def family_key(term: Expr) -> str:
    """Return the name of a family in a model: its kind and its own name."""
    return f"{type(term).__name__} {term.args[0].name}"


class StoredWorld:
    """The values of a stored model; terms that the theorem defines are computed from their definitions."""

    unknowns = False

    def __init__(self, model: Model, hypotheses: Iterable[Hypothesis]) -> None:
        self.model = model
        self.dimension = model.dimension
        base = [_probability(w) for w in model.weights]
        self.orders = permutations(model.population, len(model.rounds))
        self.weights = tuple(w / len(self.orders) for w in base for _ in self.orders)
        if sum(self.weights) != 1:
            raise NoValue("the probabilities do not add up to 1")
        self.definitions = {definition_key(h.left): h for h in hypotheses if isinstance(h, Defines)}
        self.values: dict[Any, Any] = {}
        self.evaluator = Evaluator(self)

    def symbol(self, symbol: Symbol) -> Number:
        """Return the value of a symbol, within its assumptions."""
        found = self.values.get(symbol)
        if found is None:
            if symbol in self.definitions:
                found = self.evaluator.number(self.definitions[symbol].right, {}, 0)
            elif symbol.name in self.model.symbols:
                found = read_number(self.model.symbols[symbol.name])
            else:
                raise NoValue(f"{symbol} has no value")
            if not obeys_assumptions(symbol, found):
                raise NoValue(f"{symbol} = {found} is out of its domain")
            self.values[symbol] = found
        return found

    def member(self, term: Expr, indices: tuple[Any, ...], outcome: int) -> Number | Point:
        """Return the value of a member of a family, of the same kind as the family."""
        chance = term.func.random
        key = (term.func, term.args[0], indices, outcome if chance else 0)
        found = self.values.get(key)
        if found is None:
            definition = self.definitions.get(definition_key(term))
            if definition is not None:
                places: Place = {
                    s: symbolic(i) if isinstance(i, Expr) else fmpq(i)
                    for s, i in zip(definition.left.args[1:], indices, strict=True)
                }
                compute = self.evaluator.vector if issubclass(term.func, terms.Vector) else self.evaluator.number
                found = compute(definition.right, places, outcome)
            else:
                found = self._stored_value(term, indices, outcome)
            if isinstance(term, terms.Scalar):
                _require_kind(term, found)
            self.values[key] = found
        return found

    def _stored_value(self, term: Expr, indices: tuple[Any, ...], outcome: int) -> Number | Point:
        text = _entry_at(self.model.members.get(family_key(term), {}), term, indices)
        choices = text.split("|")
        if len(choices) != 1 and (len(choices) != len(self.weights) or not term.func.random):
            raise NoValue(f"{family_key(term)} has {len(choices)} values for {len(self.weights)} outcomes")
        parts = tuple(map(read_number, choices[outcome if len(choices) > 1 else 0].split()))
        if len(parts) != (self.dimension if isinstance(term, terms.Vector) else 1):
            raise NoValue(f"{text!r} is not a value of {family_key(term)}")
        return parts if isinstance(term, terms.Vector) else parts[0]

    def function(self, term: Expr, indices: tuple[Any, ...]) -> tuple[Number, Point, Number]:
        """Return the parabola (curvature, centre, offset) of a function."""
        text = _entry_at(self.model.functions.get(term.args[0].name, {}), term, indices)
        curvature, *centre, offset = map(read_number, text.split())
        if len(centre) != self.dimension:
            raise NoValue(f"{text!r} is not a parabola")
        return curvature, tuple(centre), offset

    def drawn(self, place: int, population: int, which: tuple[int, ...], outcome: int) -> int:
        """Return the entry of a uniform permutation at a place."""
        if not (isinstance(place, int) and 1 <= place <= population == self.model.population):
            raise NoValue(f"nothing is drawn in place {place} of {population}")
        if _index_text(which) not in self.model.rounds:
            raise NoValue(f"nothing is drawn in round {_index_text(which)}")
        order = self.orders[outcome % len(self.orders)][self.model.rounds.index(_index_text(which))]
        return order[place - 1]


def _probability(text: str) -> fmpq:
    weight = read_number(text)
    if not isinstance(weight, fmpq) or weight <= 0:
        raise NoValue(f"{text} is not a probability")
    return weight


def definition_key(left: Expr) -> Any:
    return left if isinstance(left, Symbol) else (left.func, left.args[0], len(left.args))


def _entry_at(table: Table, term: Expr, indices: tuple[Any, ...]) -> str:
    """Return the value at some indices; beyond the horizon an index is symbolic, and only "*" has a value."""
    text = table.get(_index_text(indices)) if all(isinstance(i, int) for i in indices) else None
    if text is None:
        text = table.get("*")
        if text is not None and not all(isinstance(i, int) for i in indices) and len(table) > 1:
            raise NoValue(f"{term} has no constant value beyond the horizon")
    if text is None:
        raise NoValue(f"{term} has no value at {_index_text(indices) or 'all'}")
    return text


def _require_kind(term: Expr, value: Number) -> None:
    if isinstance(term, terms.RandomInteger) and not symbolic(value).is_integer:
        raise NoValue(f"{term} = {value} is not an integer")
    if isinstance(term, terms.Nonnegative):
        least = 1 if isinstance(term, terms.Positive) else 0
        if sign(value) < least:
            raise NoValue(f"{term} = {value} is {'not positive' if least else 'negative'}")


# Checking -----------------------------------------------------------------------------------------------------------


def check_model(theorem: Theorem, model: Model, horizon: int = HORIZON) -> ModelReport:
    """Check whether all hypotheses of a theorem hold in a model; the fault names the first that does not."""
    prefix = False
    try:
        world = StoredWorld(model, theorem.hypotheses)
    except NoValue as error:
        return ModelReport(str(error))
    for hypothesis in theorem.hypotheses:
        try:
            fault, part = _fault(hypothesis, world, horizon)
        except (NoValue, ProofError, ValueError, ZeroDivisionError) as error:
            fault, part = str(error), False
        if fault:
            return ModelReport(f"{hypothesis.id}: {fault}")
        prefix = prefix or part
    return ModelReport("", prefix)


def _fault(hypothesis: Hypothesis, world: StoredWorld, horizon: int) -> tuple[str, bool]:
    """Return (why a hypothesis fails, whether only a prefix of its ranges was checked)."""
    if isinstance(hypothesis, Member):
        return _class_fault(hypothesis, world), False
    if isinstance(hypothesis, Defines):
        if isinstance(hypothesis.left, Symbol):
            world.symbol(hypothesis.left)
        return "", False
    relation, evaluator = hypothesis.relation, world.evaluator
    for place in evaluator.places(relation.over, horizon, {}):
        if not evaluator.true(relation, place):
            return f"it is false{_place_text(place)}", False
    endless = any(low is -sympy.oo or high is sympy.oo for _, low, high in relation.over)
    return "", endless and not _holds_beyond_horizon(hypothesis, world, horizon)


def _holds_beyond_horizon(hypothesis: Given, world: StoredWorld, horizon: int) -> bool:
    """Return whether a relation provably holds beyond the horizon too."""
    evaluator = world.evaluator
    try:
        return all(
            evaluator.true(hypothesis.relation, p) for p in evaluator.tails(hypothesis.relation.over, horizon, {})
        )
    except (NoValue, ValueError, TypeError):
        return False


def _place_text(place: Place) -> str:
    return " at " + ", ".join(f"{s} = {v}" for s, v in place.items()) if place else ""


def _class_fault(hypothesis: Member, world: StoredWorld) -> str:
    """Check the class of a parabola, which is |curvature|-smooth and curvature-strongly convex."""
    function, evaluator = hypothesis.function, world.evaluator
    count = 0
    for indices in world.model.functions.get(function.args[0].name, {}):
        own = indices.split(",") if indices else []
        if indices != "*" and len(own) != len(function.args) - 1:
            continue
        count += 1
        anywhere = [sympy.Dummy(s.name, integer=True) for s in function.args[1:]]
        place: Place = dict(
            zip(function.args[1:], anywhere if indices == "*" else map(fmpq, map(int, own)), strict=True)
        )
        curvature, _, _ = world.function(function, tuple(anywhere if indices == "*" else map(int, own)))
        for bound, least, word in (
            (hypothesis.smooth, _absolute(curvature), "smooth"),
            (hypothesis.convex, curvature, "convex"),
        ):
            if bound is None:
                continue
            value = evaluator.number(sympy.sympify(bound), place, 0)
            spare = symbolic(value) - symbolic(least) if word == "smooth" else symbolic(least) - symbolic(value)
            if sign(rational(spare)) < 0:
                return f"{function} at {indices or 'all'} is not {value}-{word}"
    return "" if count else f"no function of the family of {function} is given"


def _absolute(value: Number) -> Number:
    return value if sign(value) >= 0 else -value


# Files ----------------------------------------------------------------------------------------------------------


def path_of(proofs: Proofs) -> Path:
    """Return the file of the models of a paper's theorems, beside the folder of its certificates."""
    return proofs.certificates.parent / FOLDER / f"{proofs.key}.json"


def read_models(path: Path) -> dict[str, Model]:
    """Return the models of a file by theorem; none if there is no file. ProofError names a broken file."""
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {name: _model(entry, data) for name, entry in data.items()}
    except (OSError, ValueError, TypeError, AttributeError, LookupError) as error:
        raise ProofError(f"{path.name} is not a readable file of models: {error}") from error


def _model(entry: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]]) -> Model:
    plain = dict(entry)
    if "like" in plain:
        plain["members"] = {**others[plain.pop("like")]["members"], **plain.get("members", {})}
    for name in ("weights", "rounds"):
        if name in plain:
            plain[name] = tuple(plain[name])
    return Model(**plain)


@lru_cache(maxsize=20)
def _cached_models(path: Path, changed: float) -> dict[str, Model]:
    return read_models(path)


def load(proofs: Proofs) -> dict[str, Model]:
    """Return the models of a paper's theorems, cached until their file changes."""
    path = path_of(proofs)
    return _cached_models(path, path.stat().st_mtime if path.exists() else 0.0)


def write_models(path: Path, models: Mapping[str, Model]) -> None:
    """Write the models of a paper, one per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole: dict[str, Model] = {}
    lines = []
    for name, model in models.items():
        plain = _model_json(model)
        other = next((n for n, o in whole.items() if _includes_members(o, model)), None)
        if other is None:
            whole[name] = model
        else:
            own = {family: table for family, table in model.members.items() if family not in whole[other].members}
            plain = {"like": other, **plain, "members": own}
        lines.append(f"{json.dumps(name)}: {json.dumps(plain, ensure_ascii=False)}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _includes_members(one: Model, other: Model) -> bool:
    """Return whether a model has all the members of another, and these are many."""
    if len(one.weights) < MANY_OUTCOMES or one.weights != other.weights:
        return False
    return all(other.members.get(family) == table for family, table in one.members.items())


def _model_json(model: Model) -> dict[str, Any]:
    plain = Model()
    pairs = ((n, model.__dict__[n], plain.__dict__[n]) for n in Model.__dataclass_fields__)
    return {name: value for name, value, default in pairs if value != default}


# Words ----------------------------------------------------------------------------------------------------------


def model_status(proofs: Proofs, theorem: Theorem) -> str:
    """Return "holds", "prefix" (checked on a prefix of unbounded ranges only), "none", or "" without hypotheses."""
    if not theorem.hypotheses:
        return ""
    model = load(proofs).get(theorem.id)
    if model is None:
        return "none"
    finding = check_model(theorem, model)
    return "none" if finding.fault else "prefix" if finding.prefix else "holds"


def model_status_text(proofs: Proofs, theorem: Theorem) -> str:
    """Return the status of a theorem's hypotheses in words; "" if there are none."""
    model = load(proofs).get(theorem.id)
    if not theorem.hypotheses:
        return ""
    if model is None:
        return "no model of its hypotheses is known: they may contradict each other"
    finding = check_model(theorem, model)
    if finding.fault:
        return f"the stored model of its hypotheses is invalid: {finding.fault}"
    where = ", ".join(f"{name} = {value}" for name, value in model.symbols.items())
    end = f"; of unbounded ranges only {HORIZON} steps are checked" if finding.prefix else ""
    return f"its hypotheses hold together, in a stored model{f' with {where}' if where else ''}{end}"


def summary(standings: Iterable[str]) -> str:
    """Return a line that counts the theorems whose hypotheses have a model."""
    found = [s for s in standings if s]
    prefix, none = found.count("prefix"), found.count("none")
    rest = f", {prefix} on a prefix of unbounded ranges" * (prefix > 0) + f", no model known for {none}" * (none > 0)
    return f"hypotheses satisfied by a model: {found.count('holds')} of {len(found)} theorems{rest}"
