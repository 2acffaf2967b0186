"""Claims, and their verdicts on cases: whether a statement holds, on what evidence, and how tight it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from sympy import Expr, Symbol

from fltheory.evidence.decide import Mode
from fltheory.evidence.validation.step_kinds import resolve_kind
from fltheory.evidence.verdict import Status, verdict_title
from fltheory.games.player import Player
from fltheory.model import html_cards
from fltheory.model.bound import (
    Bound,
    BoundError,
    DimensionError,
    Reading,
    card_rows,
    dimension_mismatch,
    evaluate_closed_form,
    symbols_of,
)
from fltheory.model.case import Assumption, Case
from fltheory.model.dataclass_fields import field_values
from fltheory.model.same import is_same
from fltheory.number import Number
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import Against, DataDependentMeasure, DirectMeasure, Measure
from fltheory.runs.step_rule import StepRule


@dataclass(frozen=True)
class Entry:
    """What a catalogue knows about a claim, apart from its mathematics.

    A copy that ``replace`` makes keeps the entry, so a variant knows the claim that it varies.

    Parameters
    ----------
    recorded : {"holds", "vacuous", "violated"}
        The recorded verdict, the baseline of ``verify``.
    sampled : bool
        Whether the cases were drawn from the family: a vacuous bound on some of them is then no surprise.
    claim : Claim, optional
        The claim as listed; None for a claim of no catalogue.
    home : str
        The file or module that added it to the catalogue; empty for the library and for installed packages.
    """

    recorded: Status = "holds"
    sampled: bool = False
    claim: Claim | None = field(default=None, repr=False, compare=False)
    home: str = ""


@dataclass(frozen=True, eq=False)
class Claim:
    """A statement of a paper in one reading: under ``assumptions``, ``measure`` of ``algorithm`` satisfies ``bounds``.

    Two claims are equal when their fields are; functions in them are equal when they compute with the same code and
    values. ``theorem`` makes a claim from fewer arguments. A claim without a measure is an external result: its bounds are
    compared and plotted, but not checked.

    Parameters
    ----------
    id, statement : str
        The id (``paper/place@reading``), and the statement in words.
    bounds : tuple of Bound
        At least one bound.
    measure : Measure, optional
        The measured quantity, such as ``LastDistance()``.
    algorithm : Algorithm, Learner, Sampler or StepRule, optional
        What is run.
    assumptions : tuple of Assumption
        They must hold in a case; otherwise the verdict is "inapplicable".
    mode : {"in expectation", "surely", "with probability"}
        How the bound holds over the randomness of a run.
    tuning : tuple of (Symbol, Expr)
        Formulas for constants of the run, such as the step size.
    cases, full_cases, family
        Cases that ``verify`` checks, a function for those of the full profile, and a function that makes the Hypothesis
        strategy from which ``falsify`` draws.
    failure : sympy.Expr or number, optional
        With probability at least 1 - ``failure``; needed by, and only by, the mode "with probability".
    kind, remark : str
        What the statement is ("upper bound", "lemma", ...), and a remark on it.
    inconsistent_units : bool
        Whether the printed sides scale differently with the units.
    tightest : Case, optional
        The known case where the bound is nearest to the measured value.
    about : str, optional
        The kind of step, by default that of the algorithm.
    builds : callable, optional
        Makes the case that the claim assumes from constants by name.
    entry : Entry
        What a catalogue knows about the claim, such as the recorded verdict. It is no part of the statement: equal claims may
        have different entries.

    Raises
    ------
    ValueError
        If the fields contradict each other; the message names the field. BoundError if there is no bound.

    Examples
    --------
    >>> from fltheory import find
    >>> claim = find("sfl/T3-SC@corrected")
    >>> claim.reading, claim.entry.recorded
    ('corrected', 'holds')
    """

    id: str
    statement: str
    bounds: tuple[Bound, ...]
    measure: Measure | None = None
    algorithm: Algorithm | Player | StepRule | None = None
    assumptions: tuple[Assumption, ...] = ()
    mode: Mode = "in expectation"
    tuning: tuple[tuple[Symbol, Any], ...] = ()
    cases: tuple[Case, ...] = ()
    full_cases: Callable[[], tuple[Case, ...]] | None = field(default=None, repr=False)
    family: Callable[[], Any] | None = field(default=None, repr=False)
    failure: Expr | Number = None  # with probability at least 1 - failure: an expression in the constants
    kind: str = "upper bound"
    remark: str = ""
    inconsistent_units: bool = False  # the printed sides scale differently with the units; reported, not corrected
    tightest: Case | None = field(default=None, repr=False)
    about: str | None = None  # the kind of step (``validation.step_kinds``): the original algorithm's
    builds: Callable[..., Case] | None = field(default=None, repr=False)
    entry: Entry = field(default=Entry(), repr=False, compare=False)

    def __post_init__(self) -> None:
        lists = {"bounds": self.bounds, "assumptions": self.assumptions, "tuning": self.tuning, "cases": self.cases}
        for name, given in lists.items():  # a list is accepted too
            object.__setattr__(self, name, _tuple(self.id, name, given))
        if not self.bounds:
            raise BoundError(f"{self.id}: a claim needs a bound")
        if wrong := [a for a in self.assumptions if not isinstance(a, Assumption)]:
            raise ValueError(
                f"{self.id}: assumptions must be of fltheory.runs.assumptions, or an Assumption, got {wrong[0]!r}"
            )
        if isinstance(self.algorithm, Algorithm | Player | StepRule):  # other types could pretend to be equal
            object.__setattr__(self, "algorithm", self.algorithm.believed())
        measure = self.measure
        if measure is not None and not isinstance(measure, Measure):
            raise ValueError(
                f"{self.id}: measure must be one of fltheory.runs.measures (RunMeasure, GameMeasure, ...), got {measure!r}"
            )
        direct = measure is None or isinstance(measure, DirectMeasure | DataDependentMeasure)
        if (self.mode == "with probability") != (self.failure is not None):
            raise ValueError(f"{self.id}: failure= belongs to the mode 'with probability' only, which needs it")
        if self.mode == "surely" and not direct and any(b.side != "upper" for b in self.bounds):
            raise ValueError(f"{self.id}: only upper bounds can hold surely on every path")
        if isinstance(measure, Against) and self.mode != "in expectation":
            raise ValueError(f"{self.id}: two algorithms are compared in expectation, not {self.mode}")
        if self.mode == "with probability" and not isinstance(measure, DataDependentMeasure):
            raise ValueError(f"{self.id}: 'with probability' is checked on each path: give a data-dependent measure")
        if measure is None:
            return
        if self.algorithm is not None:
            algorithm, about = resolve_kind(self.algorithm, self.about, self.id, measure)
            object.__setattr__(self, "algorithm", algorithm)
            object.__setattr__(self, "about", about)
        if (not direct or isinstance(measure, Against)) and self.algorithm is None:
            raise ValueError(f"{self.id}: {measure.name} is measured on a run: give the algorithm")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Claim):
            return NotImplemented
        return is_same(_compared(self), _compared(other))

    def __hash__(self) -> int:
        return hash((self.id, self.statement))

    def __repr__(self) -> str:
        return f"<Claim {self.id}: {self.statement} ({self.entry.recorded})>"

    def _repr_html_(self) -> str:
        return html_cards.card(verdict_title(self.id, variant_of(self)), _card_rows(self))

    def _repr_latex_(self) -> str:
        return "\n".join(bound._repr_latex_() for bound in self.bounds)

    def as_listed(self, home: str = "") -> Claim:
        """Return this claim itself, now the listed one: its entry refers to it, and copies made by ``replace`` keep that."""
        object.__setattr__(self, "entry", replace(self.entry, claim=self, home=home))
        return self

    def recorded_as(self, verdict: Status) -> Claim:
        """Return this claim with another recorded verdict."""
        return replace(self, entry=replace(self.entry, recorded=verdict))

    def dimension_error(self) -> str | None:
        """Return why a bound or a tuned constant is dimensionally inconsistent, or None."""
        assert self.measure is not None
        wanted = tuple(self.measure.dimension)
        try:
            for bound in self.bounds:
                found = tuple(bound.dimension())
                if bound.expr.free_symbols and found != wanted:  # a mere number is in the units of the instance
                    return (
                        f"{self.id}: {bound.expr} and the measured {self.measure.name} differ in their powers of "
                        f"(objective, length) units: {found} and {wanted}"
                    )
            for symbol, expr in self.tuning:
                if dimension_mismatch(symbol, expr) is not None:
                    return f"{self.id}: {dimension_mismatch(symbol, expr)}"
        except DimensionError as error:
            return f"{self.id}: {error}"
        return None

    @property
    def bound(self) -> Bound:
        """The first bound."""
        return self.bounds[0]

    @property
    def reading(self) -> Reading:
        """The reading: printed, strict, explicit, corrected or strengthened."""
        return self.bound.source.reading

    @property
    def paper(self) -> str:
        """The key of the paper."""
        return self.id.split("/")[0]

    def all_cases(self, profile: str = "quick") -> tuple[Case, ...]:
        """Return the cases of a profile, quick or full."""
        return self.cases + (self.full_cases() if profile == "full" and self.full_cases else ())

    def prepared(self, case: Case) -> Case:
        """Return the case with the constants that the claim itself chooses, such as a tuned step size."""
        for symbol, expr in self.tuning:
            constants = case.constants
            missing = [s.name for s in symbols_of(expr) if s not in constants]
            if missing:
                raise BoundError(f"{', '.join(missing)} missing, needed for {symbol.name}")
            case = case.with_settings(**{symbol.name: evaluate_closed_form(expr, constants)})
        return case


def _compared(claim: Claim) -> dict[str, Any]:
    """Return the fields that decide whether two claims are equal."""
    return {f.name: getattr(claim, f.name) for f in fields(claim) if f.compare}


def _tuple(id: str, name: str, given: object) -> tuple[Any, ...]:
    if isinstance(given, tuple | list):
        return tuple(given)
    raise ValueError(f"{id}: {name} must be a tuple or a list, got {given!r}")


CONTENT_FIELDS = ("measure", "algorithm", "assumptions", "mode", "tuning", "bounds", "failure")  # by a claim


def variant_of(claim: Claim) -> str | None:
    """Return the name of the variant in place of the catalogue's algorithm; None if there is none."""
    own = claim.entry.claim
    if own is None or claim.algorithm is None or own.algorithm == claim.algorithm:
        return None
    return claim.algorithm.name


def _card_rows(claim: Claim) -> list[tuple[str, str]]:
    """Return the rows of the notebook card: it shows the recorded verdict, says so, and checks nothing."""
    measured = claim.measure.name if claim.measure else "the bounded quantity"
    check_it = f"verify({python_name_of(claim)})" if claim.measure else ""
    return [
        ("statement", html_cards.escape_text(claim.statement)),
        ("kind", html_cards.escape_text(f"{claim.kind}, {claim.mode}")),
        ("measured", html_cards.escape_text(measured)),
        *(row for bound in claim.bounds for row in card_rows(bound)),
        ("tuned", html_cards.escape_text(", ".join(f"{symbol} = {formula}" for symbol, formula in claim.tuning))),
        ("assumptions", html_cards.lines(html_cards.escape_text(a.name) for a in claim.assumptions)),
        ("verdict", _verdict_cell(claim)),
        ("to check", html_cards.code(check_it) if check_it else ""),
        ("remark", html_cards.escape_text(claim.remark)),
    ]


def _verdict_cell(claim: Claim) -> str:
    """Return the recorded verdict, marked as recorded."""
    if claim.measure is None:
        return html_cards.escape_text("none: an external result, compared and not asserted")
    if python_name_of(claim) == "claim":
        return html_cards.escape_text("none is recorded: this is not a claim of the catalogue")
    if claim.entry.recorded == "violated":
        return f"{html_cards.strong('violated')}: false as it stands here; recorded, not checked now"
    return html_cards.escape_text(f"{claim.entry.recorded}: recorded, not checked now")


def changed_fields(claim: Claim) -> tuple[str, ...]:
    """Return the fields in which a claim differs from the listed one; none if it is that one, or if none is listed."""
    own = claim.entry.claim
    if own is None or own is claim:
        return ()
    own_parts, here = field_values(own), field_values(claim)
    return tuple(k for k in ("id", *CONTENT_FIELDS) if own_parts[k] != here[k])


def python_name_of(claim: Claim) -> str:
    """Return the claim in Python: its quoted id, with its file if any; ``claim`` if the catalogue lacks it."""
    if claim.entry.claim is None or changed_fields(claim):
        return "claim"
    return f'"{claim.entry.home}:{claim.id}"' if claim.entry.home else f'"{claim.id}"'


def recorded_verdict(claim: Claim) -> Status | None:
    """Return the verdict to expect; None for an external result, and for a listed claim that is changed, as by a variant."""
    return None if claim.measure is None or changed_fields(claim) else claim.entry.recorded


def bounds_with_tuning(claim: Claim) -> tuple[Bound, ...]:
    """Return the bounds of a claim, with the constants that it chooses itself as definitions."""
    return tuple(replace(bound, where=(*claim.tuning, *bound.where)) for bound in claim.bounds)
