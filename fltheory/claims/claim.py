"""Claims, and their verdicts on cases: whether a statement holds, on what evidence, and how tight it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache, partial
from typing import Any

from sympy import Expr, Symbol, sympify

from fltheory.evidence.decide import BoundQuery, ComparableResult, Mode, decide_bound
from fltheory.evidence.measured import STAGES, Measured
from fltheory.evidence.validation.consistency import consistent
from fltheory.evidence.validation.mutation_guard import forbid_mutation
from fltheory.evidence.validation.other_process import require_process_independent
from fltheory.evidence.validation.purity import require_pure
from fltheory.evidence.validation.replay import is_comparison_skipped
from fltheory.evidence.validation.step_kinds import resolve_kind
from fltheory.evidence.verdict import Status, Verdict, decisive_verdict, display_value, ratio_of, verdict_title
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
    missing_constant,
    symbols_of,
)
from fltheory.model.case import Assumption, Case, contradiction, kind_mismatch
from fltheory.model.dataclass_fields import field_values
from fltheory.model.same import is_same
from fltheory.number import Number, exact, to_float
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.assumptions import constants_described
from fltheory.runs.flat_states import adapt_to_rows
from fltheory.runs.measures import DataDependentMeasure, DirectMeasure, GameMeasure, Measure, run_notation
from fltheory.runs.method import AssumptionFailed, NotEnumerable, VariantError
from fltheory.runs.protocols import HasSuppositions, has_capability
from fltheory.runs.step_rule import StepRule

TRIVIAL_BOUND_REASON = "true, but no better than what is known without the run"
ERROR_RATE = 1e-6  # error rate of a run of the catalogue
CASE_RATE = ERROR_RATE / 10_000  # error rate of one case, whichever command checks it and however many cases it checks


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
    cases, more, family
        Cases that ``verify`` checks, a function for those of the full profile, and a function that makes the Hypothesis
        strategy from which ``falsify`` draws.
    recorded : {"holds", "vacuous", "violated"}
        The recorded verdict.
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
    of_family : bool
        Whether the cases were drawn from the family.
    listed, home
        Set by the catalogue: the claim as listed, and the file or module that it came from.

    Raises
    ------
    ValueError
        If the fields contradict each other; the message names the field. BoundError if there is no bound.

    Examples
    --------
    >>> from fltheory import find
    >>> find("sfl/T3-SC@corrected").recorded
    'holds'
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
    more: Callable[[], tuple[Case, ...]] | None = field(default=None, repr=False)
    family: Callable[[], Any] | None = field(default=None, repr=False)
    recorded: Status = "holds"
    failure: Expr | Number = None  # with probability at least 1 - failure: an expression in the constants
    kind: str = "upper bound"
    remark: str = ""
    inconsistent_units: bool = False  # the printed sides scale differently with the units; reported, not corrected
    tightest: Case | None = field(default=None, repr=False)
    about: str | None = None  # the kind of step (``validation.step_kinds``): the original algorithm's
    builds: Callable[..., Case] | None = field(default=None, repr=False)
    of_family: bool = False  # the cases were drawn from the family: a vacuous bound on some of them is no surprise
    listed: Claim | None = field(default=None, repr=False, compare=False)  # the claim as listed in the catalogue
    home: str = field(default="", repr=False, compare=False)  # the file or module that added it to the catalogue

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
        if self.mode == "with probability" and not isinstance(measure, DataDependentMeasure):
            raise ValueError(f"{self.id}: 'with probability' is checked on each path: give a data-dependent measure")
        if measure is None:
            return
        if self.algorithm is not None:
            algorithm, about = resolve_kind(self.algorithm, self.about, self.id, measure)
            object.__setattr__(self, "algorithm", algorithm)
            object.__setattr__(self, "about", about)
        if not direct and self.algorithm is None:
            raise ValueError(f"{self.id}: {measure.name} is measured on a run: give the algorithm")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Claim):
            return NotImplemented
        return is_same(_compared(self), _compared(other))

    def __hash__(self) -> int:
        return hash((self.id, self.statement, self.recorded))

    def __repr__(self) -> str:
        return f"<Claim {self.id}: {self.statement} ({self.recorded})>"

    def _repr_html_(self) -> str:
        return html_cards.card(verdict_title(self.id, variant_of(self)), _card_rows(self))

    def _repr_latex_(self) -> str:
        return "\n".join(bound._repr_latex_() for bound in self.bounds)

    @classmethod
    def of_catalogue(cls, *given: Any, **named: Any) -> Claim:
        """Return this claim with a reference to itself as ``listed``, which copies made by ``replace`` keep."""
        claim = cls(*given, **named)
        object.__setattr__(claim, "listed", claim)
        return claim

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
        return self.cases + (self.more() if profile == "full" and self.more else ())

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
    own = claim.listed
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
        return html_cards.escape_text("none is recorded: this is not a claim of the catalogue as it stands there")
    if claim.recorded == "violated":
        return f"{html_cards.strong('violated')}: false as it stands here; recorded, not checked now"
    return html_cards.escape_text(f"{claim.recorded}: recorded, not checked now")


def python_name_of(claim: Claim) -> str:
    """Return the claim in Python: its quoted id, with its file if any; ``claim`` if the catalogue lacks it."""
    own = claim.listed
    own_parts, here = field_values(own), field_values(claim)
    same = own is not None and all(own_parts[k] == here[k] for k in CONTENT_FIELDS)
    if not same or own is None:
        return "claim"
    return f'"{own.home}:{claim.id}"' if own.home else f'"{claim.id}"'


@lru_cache(maxsize=256)
def require_consistent_units(claim: Claim) -> None:
    """Raise BoundError if a claim is dimensionally inconsistent; a test checks the catalogue's own claims."""
    if claim.measure is None or python_name_of(claim) != "claim":
        return
    reason = claim.dimension_error()
    if reason and not claim.inconsistent_units:
        raise BoundError(reason)
    if claim.inconsistent_units and not reason:
        raise ValueError(f"{claim.id} has inconsistent_units=True, but its sides are consistent")


def question_for(
    claim: Claim,
    bound: Bound,
    case: Case,
    error_rate: float,
    seed: int,
    stages: tuple[int, ...],
    shared: dict[str, Measured] | None = None,
) -> BoundQuery:
    """Return the question that a claim poses for one bound in a prepared case."""
    assert claim.measure is not None
    failure = None if claim.failure is None else exact(evaluate_closed_form(sympify(claim.failure), case.constants))
    known = {} if shared is None else shared
    return BoundQuery(claim.measure, claim.algorithm, bound, case, claim.mode, failure, error_rate, seed, stages, known)


def bounds_with_tuning(claim: Claim) -> tuple[Bound, ...]:
    """Return the bounds of a claim, with the constants that it chooses itself as definitions."""
    return tuple(replace(bound, where=(*claim.tuning, *bound.where)) for bound in claim.bounds)


def check_claim(
    claim: Claim, case: Case, error_rate: float = CASE_RATE, seed: int = 0, stages: tuple[int, ...] = STAGES
) -> Verdict:
    """Return the verdict on one case; ``stages``: seeds of the interim analyses, without which nothing is simulated."""
    began = time.perf_counter()
    require_consistent_units(claim)
    try:
        verdict = _check_claim(claim, case, error_rate, seed, stages)
    except MemoryError:  # no verdict yet: a later call may have more memory
        raise
    except Exception as error:
        why = kind_mismatch(case.instance, [c.instance for c in claim.cases])
        library = type(case.instance).__module__.partition(".")[0] == "fltheory"  # user code gets its traceback
        if why is None or not (library or isinstance(error, AttributeError)):
            raise
        verdict = Verdict(claim.id, "inapplicable", claim.recorded, case, reason=f"{claim.id} is {why} ({error})")
    variant = variant_of(claim)
    vacuous = claim.of_family and claim.recorded == "holds" and verdict.status == "vacuous"
    expected = None if variant else "vacuous" if vacuous else claim.recorded
    seconds = time.perf_counter() - began
    return replace(verdict, subject=python_name_of(claim), variant=variant, recorded=expected, seconds=seconds)


def _check_claim(claim: Claim, case: Case, error_rate: float, seed: int, stages: tuple[int, ...]) -> Verdict:
    blank = Verdict(claim.id, "inapplicable", claim.recorded, case)
    if claim.measure is None:
        return replace(blank, reason="an external result: compared, not asserted")
    full = _applicable_case(claim, case)
    if isinstance(full, str):
        return replace(blank, reason=full)
    shared, share = dict[str, Measured](), error_rate / len(claim.bounds)
    results = []
    for bound in claim.bounds:
        verdict = _bound_verdict(blank, claim, full, question_for(claim, bound, full, share, seed, stages, shared))
        if verdict.evidence is None:  # the run itself shows that no verdict is possible
            return verdict
        results.append(verdict)
    return decisive_verdict(results)


def inapplicable_reason(claim: Claim, case: Case) -> str | None:
    """Return why a claim does not apply to a case, as far as that is known without a run; None if it applies."""
    full = _applicable_case(claim, case)
    return full if isinstance(full, str) else None


def _applicable_case(claim: Claim, case: Case) -> Case | str:
    """Return the case with the tuned constants, or the reason why the claim does not apply to it."""
    try:
        full = claim.prepared(case)
        reason = contradiction(full, {b.side for b in claim.bounds})
        if reason:
            return reason
        for assumption in (constants_described, *claim.assumptions, consistent):
            reason = assumption.failed(full, claim.algorithm)
            if reason:
                return f"{assumption.name}: {reason}"
        failed = (bound.failed_condition(full.constants, run_notation(claim.measure)) for bound in claim.bounds)
        return next(filter(None, failed), full)
    except (ValueError, ZeroDivisionError) as error:
        return str(error)
    except KeyError as error:
        return missing_constant(error)


def evaluate_question(claim: Claim, full: Case, question: BoundQuery) -> tuple[Status, Measured, Any]:
    """Return status, measured quantity and limit of a question in a prepared case; an error says why there are none.

    Users' functions that could depend on the process must return the same values in other processes.
    """
    found = _evaluate_question(claim, full, question)
    if not is_comparison_skipped() and found[0] != "inconclusive":
        own = (claim.algorithm, claim.measure, full.instance)
        ask = partial(_evaluation_summary, claim, full, replace(question, shared={}))
        require_process_independent(question.name, own, ask, ComparableResult.of(found).same)
    return found


def _evaluation_summary(claim: Claim, full: Case, question: BoundQuery) -> ComparableResult:
    return ComparableResult.of(_evaluate_question(claim, full, question))


def _evaluate_question(claim: Claim, full: Case, question: BoundQuery) -> tuple[Status, Measured, Any]:
    with forbid_mutation(claim.algorithm, full.instance), question.watched:
        if claim.algorithm is not None and not isinstance(claim.measure, DirectMeasure):
            question = replace(question, method=adapt_to_rows(claim.algorithm, full))
            world = claim.measure.world if isinstance(claim.measure, GameMeasure) else None
            require_pure(question.method, full, world)
        return decide_bound(question)


def _bound_verdict(blank: Verdict, claim: Claim, full: Case, question: BoundQuery) -> Verdict:
    """Return the verdict on one bound with its evidence, or without any if the run rules out a verdict."""
    try:
        status, measured, limit = evaluate_question(claim, full, question)
    except VariantError as error:
        return replace(blank, reason=str(error), broken=not isinstance(error, AssumptionFailed))
    except BoundError as error:
        return replace(blank, reason=str(error))
    except NotEnumerable as error:
        return replace(blank, status="inconclusive", reason=str(error))
    except KeyError as error:
        return replace(blank, reason=missing_constant(error))
    supposed = ""
    if has_capability(full.instance, HasSuppositions):
        supposed = full.instance.supposes
        if status == "violated" and full.instance.estimated:
            status, supposed = "inconclusive", f"beyond the bound, or an estimate is too small: {supposed}"
    reason = measured.note if status == "inconclusive" or measured.note.startswith("at ") else ""
    low_side = question.bound.side == "lower"
    if status == "vacuous":
        reason = "a bound of 0 on what is never below" if low_side else TRIVIAL_BOUND_REASON
    shown = display_value(measured, status, low_side)
    known = question.measure.trivial(full) if status == "vacuous" and not low_side else None
    return replace(
        blank,
        status=status,
        measured=to_float(shown.value),
        limit=to_float(limit),
        ratio=ratio_of(shown.value, limit, low_side),
        low=shown.low,
        high=shown.high,
        known=shown.known,
        evidence=measured.evidence,
        error_rate=measured.error_rate,
        n_seeds=measured.n_seeds,
        reason="; ".join(filter(None, (supposed, measured.why, reason))),
        side=question.bound.side,
        trivial=None if known is None else to_float(known),
    )
