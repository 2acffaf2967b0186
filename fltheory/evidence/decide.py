"""Decide a claim: try the evaluation methods in order of rigour and use the first that applies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from flint import arb

from fltheory.evidence.baseline import TwoAlgorithms, bet_on_both, compare_exact_values, compare_single_paths
from fltheory.evidence.deterministic import evaluate_deterministic
from fltheory.evidence.exact import attach_reason, exact_ball, exact_rational
from fltheory.evidence.measured import STAGES, Interval, Measured
from fltheory.evidence.pathwise import (
    FLOAT_ERROR,
    bet_on_difference,
    check_simulated_paths,
    count_violating_paths,
    evaluate_all_paths,
    sampled_maximum,
)
from fltheory.evidence.sequential import bet_on_runs, bet_sequentially, estimate_sequentially
from fltheory.evidence.single_path import evaluate_single_path, middle_of, rounding_sensitivity
from fltheory.evidence.validation.replay import is_comparison_skipped
from fltheory.evidence.verdict import Comparison, Status, compare
from fltheory.evidence.why_inexact import UndecidableTie
from fltheory.model.bound import Bound, BoundAt
from fltheory.model.case import Case
from fltheory.number import NotRational, Number, to_ball, to_float
from fltheory.number.impurity import forbid_impure_calls
from fltheory.runs.measures import (
    Against,
    DeterministicMeasure,
    DirectMeasure,
    GameMeasure,
    Measure,
    PathMeasure,
    RunMeasure,
)
from fltheory.runs.method import NotEnumerable

Mode = Literal["surely", "in expectation", "with probability"]
DECISIVE_PAIRS = {True: {("lower", "holds"), ("upper", "violated")}, False: {("lower", "violated"), ("upper", "holds")}}
ANSWER_TOLERANCE, ANSWER_DIGITS = (
    1e-6,
    15,
)  # relative tolerance for floats of two processes; digits of a ball's midpoint that are compared


@dataclass(frozen=True)
class BoundQuery:
    """The question whether the measured quantity of a case satisfies a bound, with the allowed effort.

    ``limit``: the bound at the constants of the case; ``failure``: the allowed probability of violation; ``stages``: numbers
    of runs of the interim analyses for statistical evidence, empty for none; ``shared``: results of the claim's other bounds.
    """

    measure: Measure
    method: Any
    limit: BoundAt
    case: Case
    mode: Mode = "in expectation"
    failure: Number | None = None
    error_rate: float = 1e-6
    seed: int = 0
    stages: tuple[int, ...] = STAGES
    shared: dict[str, Measured] = field(default_factory=dict)

    @property
    def bound(self) -> Bound:
        """The bound, a formula."""
        return self.limit.bound

    @property
    def surely(self) -> bool:
        """Whether the bound must hold on every path."""
        return self.mode == "surely"

    @property
    def name(self) -> str:
        """The name of the method under test."""
        return self.measure.name if self.method is None else self.method.name

    @property
    def watched(self) -> AbstractContextManager[None]:
        """Return a context in which users' functions may not call impure functions."""
        return forbid_impure_calls(self.name, self.method, self.measure)

    def told(self, measured: Measured, limit: Number) -> Comparison:
        """Compare the measured quantity with a limit."""
        return Comparison(compare(measured.value, limit, self.bound.side), measured, limit)


EvaluationMethod = Callable[[BoundQuery], Comparison]  # raises NotEnumerable or NotRational if it does not apply


def evaluation_methods(question: BoundQuery) -> tuple[EvaluationMethod, ...]:
    """Return the evaluation methods of the measure, the most rigorous first."""
    measure = question.measure
    if isinstance(measure, DeterministicMeasure):
        return (_evaluate_followed,)
    if isinstance(measure, Against):
        return (_compare_exact_values, _compare_single_paths, _bet_on_both)
    if isinstance(measure, PathMeasure):
        by = {
            "surely": _evaluate_simulated_paths,
            "with probability": _evaluate_by_counting,
            "in expectation": _bet_on_paths,
        }
        return (_evaluate_all_paths, by[question.mode])
    if isinstance(measure, DirectMeasure):
        return (_evaluate_exactly,)
    if question.surely:
        return (_evaluate_exactly, _evaluate_sampled)
    if isinstance(measure, GameMeasure):
        return (_evaluate_exactly, _evaluate_in_floats, _evaluate_by_betting)
    return (_evaluate_exactly, _evaluate_single_path, _evaluate_statistically)


def decide_bound(question: BoundQuery) -> tuple[Status, Measured, Any]:
    """Return status, measured quantity and limit by the first method that applies; NotEnumerable if none does."""
    with question.watched:
        return _decide_by_methods(question)


@dataclass(frozen=True)
class ComparableResult:
    """An answer for comparison with another process; last digits of floats may depend on memory layout."""

    status: str
    value: float | str

    @classmethod
    def of(cls, found: tuple[Status, Measured, Any]) -> ComparableResult:
        """The values to compare."""
        value = found[1].value
        if isinstance(value, Interval):
            return cls(found[0], middle_of(value))
        return cls(found[0], value.mid().str(ANSWER_DIGITS, radius=False) if isinstance(value, arb) else str(value))

    def same(self, other: object) -> bool:
        """Return whether another process gives the same answer."""
        if not isinstance(other, ComparableResult) or self.status != other.status:
            return False
        if isinstance(self.value, float) and isinstance(other.value, float):
            return self.value == other.value or bool(np.isclose(self.value, other.value, rtol=ANSWER_TOLERANCE, atol=0))
        return self.value == other.value


def _decide_by_methods(question: BoundQuery) -> tuple[Status, Measured, Any]:
    missing: Exception = NotEnumerable()
    for i, way in enumerate(evaluation_methods(question)):
        try:
            told = way(question)
        except (NotEnumerable, NotRational) as error:
            missing = error if i == 0 else missing
            last: Exception = error
            continue
        told = _widen_by_rounding(question, told)
        status: Status = told.status or "inconclusive"
        if status == "holds" and is_vacuous(question.measure, question.case, question.bound, told.limit):
            status = "vacuous"
        if status == "violated" and isinstance(missing, UndecidableTie):
            status = "inconclusive"
        measured = attach_reason(told.measured, missing, question.method) if i else told.measured
        return status, measured, told.limit
    if isinstance(question.measure, DirectMeasure):
        raise NotEnumerable(f"the exact value of {question.measure.name} can't be computed")
    raise last


def _widen_by_rounding(question: BoundQuery, told: Comparison) -> Comparison:
    """Return the comparison in floats for a user's method, widened by the effect of other rounding; None if unknown.

    It is skipped in quick checks of a search, because it takes five more runs.
    """
    method, measured, measure = question.method, told.measured, question.measure
    if (
        is_comparison_skipped()
        or measured.evidence == "exact"
        or method is None
        or method.of_library
        or isinstance(measure, DeterministicMeasure | Against)
    ):
        return told
    off = rounding_sensitivity(measure, method, question.case, question.bound, to_float(told.limit), question.seed)
    if off <= FLOAT_ERROR:
        return told
    off *= abs(to_float(told.limit)) + abs(middle_of(measured.value))
    note = measured.note or f"rounding in its own arithmetic may change it by {off:.2g}, so floats can't decide"
    if isinstance(measured.value, Interval) and isinstance(measure, RunMeasure | GameMeasure):
        low, high = measured.value
        wider = replace(measured, value=Interval(low - off, high + off), note=note)
        return question.told(wider, told.limit)
    return Comparison(None, replace(measured, note=note), told.limit)


def is_vacuous(measure: Measure, case: Case, bound: Bound, limit: Number) -> bool:
    """Return whether a bound that holds is vacuous, that is, no smaller than the trivial bound."""
    if bound.side == "lower":
        of_its_own = isinstance(measure, DirectMeasure) and bound.dimension() == (0, 0)
        signed = isinstance(measure, RunMeasure) and not measure.nonnegative
        return not of_its_own and not signed and not to_ball(limit) > 0
    trivial = measure.trivial(case) if bound.side == "upper" else None
    return trivial is not None and bool(to_ball(limit) > to_ball(trivial))


def _evaluate_followed(question: BoundQuery) -> Comparison:
    assert isinstance(question.measure, DeterministicMeasure)
    return evaluate_deterministic(question.measure, question.method, question.bound, question.case)


def _evaluate_exactly(question: BoundQuery) -> Comparison:
    """Decide with a ball, or with rationals if the ball cannot. A one-sided value decides only on its side."""
    q = question
    limit: Number = q.limit.ball()
    measured = q.shared.get("exact")
    if measured is None:
        measured = q.shared["exact"] = exact_ball(q.measure, q.method, q.case, q.surely)
    told = q.told(measured, limit)
    if measured.at_least or measured.at_most:
        decides = (q.bound.side, told.status) in DECISIVE_PAIRS[measured.at_least]
        return told if decides else told._replace(status=None)
    if told.status is not None and q.bound.side != "equal":
        return told
    rational = exact_rational(q.measure, q.method, q.case, q.surely)
    if rational is None:
        return told
    try:
        limit = q.limit.exact()
    except NotRational:
        limit = q.limit.ball(2000)
    return q.told(rational, limit)


def _evaluate_in_floats(question: BoundQuery) -> Comparison:
    """Enumerate all paths in floats with an error budget."""
    q = question
    assert isinstance(q.measure, GameMeasure)
    between = Interval(*q.measure.in_floats(q.method, q.case))
    return q.told(Measured(between, "numerical"), q.limit.ball())


def _evaluate_single_path(question: BoundQuery) -> Comparison:
    """Evaluate the single run of a deterministic method in floats with an error budget."""
    q = question
    assert isinstance(q.measure, RunMeasure)
    return q.told(evaluate_single_path(q.measure, q.method, q.case), q.limit.ball())


def _evaluate_sampled(question: BoundQuery) -> Comparison:
    q = question
    assert isinstance(q.measure, RunMeasure | GameMeasure)
    return q.told(sampled_maximum(q.measure, q.method, q.case, q.seed), q.limit.ball())


def _require_stages(question: BoundQuery) -> None:
    if not question.stages:
        raise NotEnumerable(f"{question.measure.name} can be estimated only from simulated runs")


def _evaluate_by_betting(question: BoundQuery) -> Comparison:
    q = question
    _require_stages(q)
    assert isinstance(q.measure, GameMeasure)
    if q.measure.span(q.case) is None:
        raise NotEnumerable(f"the mean of {q.measure.name} can't be computed")
    limit: Number = q.limit.ball()
    trusted = q.method.own or q.measure.of_any_algorithm

    def decided(found: Interval) -> bool:
        return compare(found, limit, q.bound.side) is not None

    measured = bet_sequentially(
        q.measure, q.method, q.case, to_float(limit), decided, q.error_rate, q.seed, trusted, q.stages
    )
    return q.told(measured, limit)


def _evaluate_statistically(question: BoundQuery) -> Comparison:
    q = question
    _require_stages(q)
    assert isinstance(q.measure, RunMeasure)
    limit: Number = q.limit.ball()
    size, upper = abs(to_float(limit)), q.bound.side == "upper"

    def decided(found: Interval) -> bool:
        return compare(found, limit, q.bound.side) is not None

    if not q.measure.nonnegative:
        return q.told(
            bet_on_runs(q.measure, q.method, q.case, to_float(limit), decided, q.error_rate, q.seed, q.stages), limit
        )
    measured = estimate_sequentially(
        q.measure, q.method, q.case, size, decided, q.error_rate, q.seed, q.method.own, q.stages, upper
    )
    return q.told(measured, limit)


def _evaluate_all_paths(question: BoundQuery) -> Comparison:
    q = question
    assert isinstance(q.measure, PathMeasure)
    return evaluate_all_paths(q.measure, q.method, q.bound, q.case, q.mode, q.failure)


def _evaluate_simulated_paths(question: BoundQuery) -> Comparison:
    q = question
    _require_stages(q)
    assert isinstance(q.measure, PathMeasure)
    return check_simulated_paths(q.measure, q.method, q.bound, q.case, q.seed, q.stages[0] // 10)


def _evaluate_by_counting(question: BoundQuery) -> Comparison:
    q = question
    _require_stages(q)
    assert isinstance(q.measure, PathMeasure)
    assert q.failure is not None
    return count_violating_paths(q.measure, q.method, q.bound, q.case, q.failure, q.error_rate, q.seed, q.stages)


def _bet_on_paths(question: BoundQuery) -> Comparison:
    q = question
    _require_stages(q)
    assert isinstance(q.measure, PathMeasure)
    return bet_on_difference(q.measure, q.method, q.bound, q.case, q.error_rate, q.seed, q.stages)


def _two_algorithms(question: BoundQuery) -> TwoAlgorithms:
    q = question
    assert isinstance(q.measure, Against)
    return TwoAlgorithms(q.measure, q.method, q.limit, q.case, q.seed)


def _compare_exact_values(question: BoundQuery) -> Comparison:
    return compare_exact_values(_two_algorithms(question))


def _compare_single_paths(question: BoundQuery) -> Comparison:
    return compare_single_paths(_two_algorithms(question))


def _bet_on_both(question: BoundQuery) -> Comparison:
    _require_stages(question)
    return bet_on_both(_two_algorithms(question), question.error_rate, question.stages)
