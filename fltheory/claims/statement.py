"""Statements: what a paper says in one place about a quantity, and its readings; each reading is a claim.

    lemma = partial(PAPER.lemma, on=COMPARATORS)
    CLAIMS = (
        *lemma("C-19-psi", "Theorem 6 (19)", "ψ(q, α)", lambda one, c: below_floor(one.q, one.floor)).readings(
            printed("0 <= ψ <= α", 0 <= quantity, quantity <= alpha, given=[alpha <= 1]),
            strengthened("ψ <= α(1 - 1/M)", quantity <= alpha * (1 - 1 / M), given=[alpha <= 1]),
        ),
        lemma("C-19-omega", "Theorem 6 (19)", "ω(q, α)", omega).printed("ω <= 1", quantity <= 1),
    )

``PAPER`` is the paper with its letters. CONTRIBUTING.md has a whole one, with its record.
Nothing is registered: a claim is a value, and a paper's ``CLAIMS`` a plain tuple in its order.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, partialmethod
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import sympy
from sympy import Eq, Symbol
from sympy.core.relational import Relational

from fltheory.claims.claim import Claim
from fltheory.evidence.measured import AtLeast, AtMost
from fltheory.model.bound import Bound, Dimension, Reading, Side, Source
from fltheory.model.case import Assumption, Case
from fltheory.model.schema import Record
from fltheory.number import Ring, as_number
from fltheory.runs.measures import NUMBER, ConstantsFormula, DirectMeasure, Measure, evaluate_in_ring
from fltheory.runs.method import Method
from fltheory.symbols import VOCABULARY

quantity = Symbol("it", real=True)  # what a statement measures: ``sqrt(n) / 5 <= quantity``


class Constants(SimpleNamespace):
    """A case's constants by their canonical names, exactly; KeyError for one that the case doesn't give."""

    def __getattr__(self, name: str) -> Any:
        if name in VOCABULARY:
            raise KeyError(VOCABULARY[name].symbol)
        raise AttributeError(f"{name} is no constant of the vocabulary (fltheory.symbols)")


QuantityFunction = Callable[[Any, Constants], Any]  # of a case's instance and its constants


def constants_of(case: Case) -> Constants:
    """The constants of a case by name."""
    return Constants(**{symbol.name: value for symbol, value in case.constants.items()})


def requires(words: str, fails: Callable[[Any, Constants], Any]) -> Assumption:
    """A hypothesis beyond the conditions of a bound: ``words`` name it, ``fails(one, c)`` says why it does not hold."""

    def check(case: Case) -> str | None:
        found = fails(case.instance, constants_of(case))
        return (found if isinstance(found, str) else "it does not hold") if found else None

    return Assumption(words, check)


def split_relation(relation: Relational) -> tuple[Any, Side]:
    """What a relation says of the quantity: its other side, and which side that is; ValueError where it says nothing of it.

    SymPy may store ``sqrt(n)/5 <= quantity`` with the quantity on the left: it is asked what is less and what is greater.
    """
    if isinstance(relation, Eq) and quantity in (relation.lhs, relation.rhs):
        return (relation.rhs if relation.lhs == quantity else relation.lhs), "equal"
    if isinstance(relation, Relational) and not isinstance(relation, Eq):
        if relation.lts == quantity:
            return relation.gts, "upper"
        if relation.gts == quantity:
            return relation.lts, "lower"
    raise ValueError(f"{relation}: expected a relation with quantity alone on one side")


@dataclass(frozen=True)
class Paper:
    """A paper's key and letters; ``lemma`` makes statements of functions ``value(one, c)``, ``theorem`` of measures."""

    key: str
    letters: tuple[tuple[Symbol, str], ...]

    def lemma(
        self,
        id: str,
        place: str,
        what: str,
        value: QuantityFunction,
        dimension: Dimension = NUMBER,
        trivial: sympy.Expr | int | None = None,
        **shared: Any,
    ) -> Statement:
        """The quantity ``value(one, c)`` that a lemma bounds; ``what`` says in symbols what it is.

        ``trivial``: what it never exceeds, in the case's constants; ``shared``: what all readings share, see ``Statement``.
        """
        measure = quantity_measure(value, dimension, trivial, what)
        return Statement(self, id, place, measure, shared={"kind": "lemma", **shared})

    def theorem(
        self, id: str, place: str, measure: Measure | None, method: Method | None = None, **shared: Any
    ) -> Statement:
        """What a theorem bounds: a measure of the runs of a method; none of a result that is only quoted."""
        return Statement(self, id, place, measure, method, shared)

    def quoted(self, id: str, place: str, **shared: Any) -> Statement:
        """What the paper quotes from others: nothing is measured, it is compared and not asserted."""
        return Statement(self, id, place, None, shared={"kind": "external", **shared})


@dataclass(frozen=True)
class Statement:
    """One entry about one quantity. A reading says its text and its relations about quantity, or bounds that stand elsewhere.

    Shared by its readings, or a reading's own: ``on`` cases, or those that refute it (``refuted_by``: then it is recorded
    as violated), ``requires`` assumptions, ``family``, by default that of the first case's record, and whatever else a Claim
    has: ``mode, tuning, failure, tightest, remark, kind, misscaled, more, about``; of bounds ``where`` and ``letters``.
    """

    paper: Paper
    id: str
    place: str
    measure: Measure | None
    method: Method | None = None
    shared: Mapping[str, Any] = field(default_factory=dict)

    def entry(self, id: str, place: str = "", **shared: Any) -> Statement:
        """Another entry about the same quantity."""
        return replace(self, id=id, place=place or self.place, shared={**self.shared, **shared})

    def reading(
        self,
        reading: Reading,
        text: str,
        *relations: Relational | Bound,
        given: Iterable[Relational] = (),
        note: str = "",
        place: str = "",
        id: str = "",
        **own: Any,
    ) -> Claim:
        """The claim that one reading makes; ``id`` and ``place`` are the statement's unless they are given."""
        known = {**self.shared, **own}
        letters = known.pop("letters", self.paper.letters)
        where = known.pop("where", ())
        source = Source(self.paper.key, place or self.place, reading, note)
        conditions = tuple(given)
        bounds = tuple(bound_of(relation, source, conditions, where, letters) for relation in relations)
        refuted, on = known.pop("refuted_by", None), known.pop("on", ())
        cases = tuple(on if refuted is None else refuted)
        if cases and "family" not in known and isinstance(cases[0].instance, Record):
            known["family"] = type(cases[0].instance).drawn()
        recorded = known.pop("recorded", "holds" if refuted is None else "violated")
        return Claim.of_catalogue(
            f"{self.paper.key}/{id or self.id}@{reading}",
            text,
            bounds,
            self.measure,
            self.method,
            tuple(known.pop("when", ())),
            cases=cases,
            recorded=recorded,
            **known,
        )

    def readings(self, *rows: Row) -> tuple[Claim, ...]:
        """The claims of several readings, one for each row."""
        return tuple(self.reading(row.reading, row.text, *row.relations, **row.own) for row in rows)

    printed = partialmethod(reading, "printed")
    strict = partialmethod(reading, "strict")
    explicit = partialmethod(reading, "explicit")
    corrected = partialmethod(reading, "corrected")
    strengthened = partialmethod(reading, "strengthened")


def imported_late(module: str) -> Callable[[], ModuleType]:
    """A function that imports a module: for families, which need not be loaded before one is drawn from."""
    return partial(import_module, module)


class Row(NamedTuple):
    """One reading of a statement: its text, its relations about quantity, and what else ``Statement.reading`` takes."""

    reading: Reading
    text: str
    relations: tuple[Relational | Bound, ...]
    own: Mapping[str, Any]


def row(reading: Reading, text: str, *relations: Relational | Bound, **own: Any) -> Row:
    """A row of ``Statement.readings``."""
    return Row(reading, text, relations, own)


printed = partial(row, "printed")
strict = partial(row, "strict")
explicit = partial(row, "explicit")
corrected = partial(row, "corrected")
strengthened = partial(row, "strengthened")


def bound_of(
    stated: Relational | Bound,
    source: Source,
    given: Iterable[Relational] = (),
    where: Iterable[tuple[Symbol, sympy.Expr]] = (),
    letters: tuple[tuple[Symbol, str], ...] = (),
) -> Bound:
    """The bound that a relation about quantity states under its conditions; a bound that stands elsewhere as it is."""
    if isinstance(stated, Bound):
        return stated
    expr, side = split_relation(stated)
    return Bound(expr, source, tuple(given), side, tuple(where), letters)


def quantity_measure(
    quantity: QuantityFunction, dimension: Dimension = NUMBER, trivial: sympy.Expr | int | None = None, name: str = ""
) -> DirectMeasure:
    """The measure of a function ``quantity(one, c)`` with an exact value: rational while it can be, else a ball.

    ``name``: what it is, in symbols, by default its docstring; ``trivial``: what it never exceeds, in the case's constants.
    """

    def value(case: Case) -> Any:
        return quantity(case.instance, constants_of(case))

    return case_measure(name or inspect.getdoc(quantity) or "", value, dimension, trivial)


def case_measure(
    name: str, value: Callable[[Case], Any], dimension: Dimension = NUMBER, trivial: sympy.Expr | int | None = None
) -> DirectMeasure:
    """The same of a whole case, as runs need it. It is called anew at each working precision; it may know an end only."""

    def compute(case: Case, ring: Ring) -> Any:
        found = value(case)
        if isinstance(found, AtLeast | AtMost):
            return replace(found, value=ring.scalar(as_number(found.value)))
        return ring.scalar(as_number(found))

    return DirectMeasure(name, compute, dimension, _trivial_evaluator(trivial))


def formula_measure(
    name: str, expr: sympy.Expr, dimension: Dimension = NUMBER, trivial: sympy.Expr | None = None
) -> DirectMeasure:
    """The measure of a formula in the case's constants."""

    def compute(case: Case, ring: Ring) -> Any:
        return evaluate_in_ring(expr, case, ring)

    return DirectMeasure(name, compute, dimension, _trivial_evaluator(trivial))


def _trivial_evaluator(trivial: sympy.Expr | int | None) -> Callable[[Case], Any] | None:
    return None if trivial is None else ConstantsFormula(sympy.sympify(trivial))
