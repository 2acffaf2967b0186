"""Statements: what a paper says in one place about one quantity. Each reading of a statement is a claim.

    lemma = partial(PAPER.lemma, cases=COMPARATORS)
    CLAIMS = (
        *lemma("C-19-psi", "Theorem 6 (19)", "ψ(q, α)", lambda one, c: below_floor(one.q, one.floor)).readings(
            printed("0 <= ψ <= α", 0 <= quantity, quantity <= alpha, given=[alpha <= 1]),
            strengthened("ψ <= α(1 - 1/M)", quantity <= alpha * (1 - 1 / M), given=[alpha <= 1]),
        ),
        lemma("C-19-omega", "Theorem 6 (19)", "ω(q, α)", omega).printed("ω <= 1", quantity <= 1),
    )

``PAPER`` is the paper with its notation. CONTRIBUTING.md has a complete example, with its instance.
There is no registry: a claim is a value, and the ``CLAIMS`` of a paper are a plain tuple in its order.
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

from fltheory.claims.claim import Claim, Entry
from fltheory.evidence.measured import AtLeast, AtMost
from fltheory.games.player import Player
from fltheory.model.bound import Bound, Dimension, Reading, Side, Source
from fltheory.model.case import Assumption, Case
from fltheory.model.schema import Record
from fltheory.number import Ring, as_number
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import NUMBER, ConstantsFormula, DirectMeasure, Measure, evaluate_in_ring
from fltheory.runs.step_rule import StepRule
from fltheory.symbols import VOCABULARY

quantity = Symbol("it", real=True)  # the measured quantity in a relation: ``sqrt(n) / 5 <= quantity``


class Constants(SimpleNamespace):
    """The constants of a case by their canonical names, as exact numbers; KeyError for one that the case lacks."""

    def __getattr__(self, name: str) -> Any:
        if name in VOCABULARY:
            raise KeyError(VOCABULARY[name].symbol)
        raise AttributeError(f"{name} is not a known constant (see fltheory.symbols)")


QuantityFunction = Callable[[Any, Constants], Any]  # of a case's instance and its constants


def constants_of(case: Case) -> Constants:
    """Return the constants of a case by name."""
    return Constants(**{symbol.name: value for symbol, value in case.constants.items()})


def requires(words: str, fails: Callable[[Any, Constants], Any]) -> Assumption:
    """Require a hypothesis beyond the conditions of a bound; ``fails(one, c)`` says why it does not hold."""

    def check(case: Case) -> str | None:
        found = fails(case.instance, constants_of(case))
        return (found if isinstance(found, str) else "it does not hold") if found else None

    return Assumption(words, check)


def split_relation(relation: Relational) -> tuple[Any, Side]:
    """Return the other side of a relation about quantity, and which side that is; ValueError if it is not one.

    SymPy may store ``sqrt(n)/5 <= quantity`` with the quantity on the left, so the smaller side is asked for by name.
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
    """A paper's key and notation; ``lemma`` makes statements about functions of cases, ``theorem`` about measures."""

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
        """Make a statement about the quantity ``value(one, c)`` of a lemma.

        Parameters
        ----------
        id, place : str
            The id without the paper's key, and the place in the paper.
        what : str
            The quantity in symbols.
        value : callable
            Its exact value for an instance ``one`` and constants ``c``: rational, a ball, or one-sided.
        dimension : tuple
            The powers of (objective unit, length unit) of the quantity.
        trivial : sympy.Expr or int, optional
            Its trivial bound in the case's constants.
        **shared
            What all readings share, see ``Statement``.

        Returns
        -------
        Statement
            The statement, without a reading yet.
        """
        measure = quantity_measure(value, dimension, trivial, what)
        return Statement(self, id, place, measure, shared={"kind": "lemma", **shared})

    def theorem(
        self,
        id: str,
        place: str,
        measure: Measure | None,
        method: Algorithm | Player | StepRule | None = None,
        **shared: Any,
    ) -> Statement:
        """Make a statement about a measure of the runs of a method.

        Parameters
        ----------
        id, place : str
            The id without the paper's key, and the place in the paper.
        measure : Measure, optional
            The measured quantity; None if the result is only quoted.
        method : Algorithm, Learner, Sampler or StepRule, optional
            What is run.
        **shared
            What all readings share, see ``Statement``.

        Returns
        -------
        Statement
            The statement, without a reading yet.
        """
        return Statement(self, id, place, measure, method, shared)

    def quoted(self, id: str, place: str, **shared: Any) -> Statement:
        """Make a statement that the paper quotes from elsewhere: it is compared, not measured or asserted.

        Parameters
        ----------
        id, place : str
            The id without the paper's key, and the place in the paper.
        **shared
            What all readings share, see ``Statement``.

        Returns
        -------
        Statement
            The statement, without a reading yet.
        """
        return Statement(self, id, place, None, shared={"kind": "external", **shared})


@dataclass(frozen=True)
class Statement:
    """A statement about one quantity. Each reading adds a text, and relations about quantity or other bounds.

    Shared by all readings, or given for one: ``cases``, or ``counterexamples``, which records the reading as violated;
    ``assumptions`` (``requires``); ``family`` (by default of the first case's instance), other fields of Claim: ``mode,
    tuning, failure, tightest, remark, kind, inconsistent_units, full_cases, about``, and of bounds ``where`` and ``letters``.
    """

    paper: Paper
    id: str
    place: str
    measure: Measure | None
    method: Algorithm | Player | StepRule | None = None
    shared: Mapping[str, Any] = field(default_factory=dict)

    def restated(self, id: str, place: str = "", **shared: Any) -> Statement:
        """Return another statement about the same quantity.

        Parameters
        ----------
        id, place : str
            Its own id, and its place if that differs.
        **shared
            What differs in what all readings share.

        Returns
        -------
        Statement
            The statement, without a reading yet.
        """
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
        """Make the claim of one reading.

        Parameters
        ----------
        reading : {"printed", "strict", "explicit", "corrected", "strengthened"}
            The reading.
        text : str
            What it states, in words and symbols.
        *relations : sympy relation or Bound
            Relations about ``quantity``, or bounds.
        given : iterable of sympy relation
            Conditions on the constants.
        note : str
            How the reading differs from the print.
        place, id : str
            By default those of the statement.
        **own
            What this reading has in place of what is shared.

        Returns
        -------
        Claim
            The claim, listed.

        Raises
        ------
        ValueError
            If a relation has ``quantity`` on no side alone.
        """
        known = {**self.shared, **own}
        letters = known.pop("letters", self.paper.letters)
        where = known.pop("where", ())
        source = Source(self.paper.key, place or self.place, reading, note)
        conditions = tuple(given)
        bounds = tuple(bound_of(relation, source, conditions, where, letters) for relation in relations)
        refuted, own_cases = known.pop("counterexamples", None), known.pop("cases", ())
        cases = tuple(own_cases if refuted is None else refuted)
        if cases and "family" not in known and isinstance(cases[0].instance, Record):
            known["family"] = type(cases[0].instance).drawn()
        entry = Entry(known.pop("recorded", "holds" if refuted is None else "violated"))
        claim = Claim(
            f"{self.paper.key}/{id or self.id}@{reading}",
            text,
            bounds,
            self.measure,
            self.method,
            tuple(known.pop("assumptions", ())),
            cases=cases,
            entry=entry,
            **known,
        )
        return claim.as_listed()

    def readings(self, *rows: Row) -> tuple[Claim, ...]:
        """Make the claims of several readings.

        Parameters
        ----------
        *rows : Row
            A row for each reading: ``printed(text, relation, ...)``, ``corrected(...)``.

        Returns
        -------
        tuple of Claim
            The claims, in the order of the rows.
        """
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
    """One reading of a statement: text, relations about quantity, other arguments of ``Statement.reading``."""

    reading: Reading
    text: str
    relations: tuple[Relational | Bound, ...]
    own: Mapping[str, Any]


def row(reading: Reading, text: str, *relations: Relational | Bound, **own: Any) -> Row:
    """Make a row of ``Statement.readings``."""
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
    """Return the bound that a relation about quantity states under its conditions, or the given bound."""
    if isinstance(stated, Bound):
        return stated
    expr, side = split_relation(stated)
    return Bound(expr, source, tuple(given), side, tuple(where), letters)


def quantity_measure(
    quantity: QuantityFunction, dimension: Dimension = NUMBER, trivial: sympy.Expr | int | None = None, name: str = ""
) -> DirectMeasure:
    """Make the measure of a function ``quantity(one, c)`` with an exact value: rational if possible, else a ball.

    ``name`` describes it in symbols, by default its docstring; ``trivial`` is its trivial bound in the constants.
    """

    def value(case: Case) -> Any:
        return quantity(case.instance, constants_of(case))

    return case_measure(name or inspect.getdoc(quantity) or "", value, dimension, trivial)


def case_measure(
    name: str, value: Callable[[Case], Any], dimension: Dimension = NUMBER, trivial: sympy.Expr | int | None = None
) -> DirectMeasure:
    """Make the same for a whole case. It is called at each working precision; one end may be unknown."""

    def compute(case: Case, ring: Ring) -> Any:
        found = value(case)
        if isinstance(found, AtLeast | AtMost):
            return replace(found, value=ring.scalar(as_number(found.value)))
        return ring.scalar(as_number(found))

    return DirectMeasure(name, compute, dimension, _trivial_evaluator(trivial))


def formula_measure(
    name: str, expr: sympy.Expr, dimension: Dimension = NUMBER, trivial: sympy.Expr | None = None
) -> DirectMeasure:
    """Make the measure of a formula in the case's constants."""

    def compute(case: Case, ring: Ring) -> Any:
        return evaluate_in_ring(expr, case, ring)

    return DirectMeasure(name, compute, dimension, _trivial_evaluator(trivial))


def _trivial_evaluator(trivial: sympy.Expr | int | None) -> Callable[[Case], Any] | None:
    return None if trivial is None else ConstantsFormula(sympy.sympify(trivial))
