"""The check of a claim on a case."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

from sympy import sympify

from fltheory.claims.claim import Claim, python_name_of, recorded_verdict, variant_of
from fltheory.evidence.decide import BoundQuery, ComparableResult, decide_bound
from fltheory.evidence.measured import STAGES, Measured
from fltheory.evidence.validation.consistency import consistent
from fltheory.evidence.validation.mutation_guard import forbid_mutation
from fltheory.evidence.validation.other_process import require_process_independent
from fltheory.evidence.validation.purity import require_pure
from fltheory.evidence.validation.replay import is_comparison_skipped
from fltheory.evidence.verdict import Status, Verdict, decisive_verdict, display_value, ratio_of
from fltheory.model.bound import Bound, BoundAt, BoundError, evaluate_closed_form, missing_constant
from fltheory.model.case import Case, contradiction, kind_mismatch
from fltheory.number import exact, to_float
from fltheory.runs.assumptions import constants_described
from fltheory.runs.flat_states import adapt_to_rows
from fltheory.runs.measures import Against, DirectMeasure, GameMeasure, Measure, run_notation
from fltheory.runs.method import AssumptionFailed, NotEnumerable, VariantError
from fltheory.runs.protocols import HasSuppositions, has_capability

TRIVIAL_BOUND_REASON = "true but trivial: the bound is no smaller than the a-priori bound"
ERROR_RATE = 1e-6  # error rate of a run of the catalogue
CASE_RATE = ERROR_RATE / 10_000  # error rate of one case, whichever command checks it and however many cases it checks


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
    limit: BoundAt,
    case: Case,
    error_rate: float,
    seed: int,
    stages: tuple[int, ...],
    shared: dict[str, Measured] | None = None,
) -> BoundQuery:
    """Return the question that a claim poses for one of its bounds in a prepared case."""
    assert claim.measure is not None
    failure = None if claim.failure is None else exact(evaluate_closed_form(sympify(claim.failure), case.constants))
    known = {} if shared is None else shared
    return BoundQuery(claim.measure, claim.algorithm, limit, case, claim.mode, failure, error_rate, seed, stages, known)


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
        verdict = Verdict(claim.id, "inapplicable", claim.entry.recorded, case, reason=f"{claim.id} is {why} ({error})")
    expected = recorded_verdict(claim)
    if claim.entry.sampled and expected == "holds" and verdict.status == "vacuous":
        expected = "vacuous"
    seconds = time.perf_counter() - began
    return replace(
        verdict, subject=python_name_of(claim), variant=variant_of(claim), recorded=expected, seconds=seconds
    )


def _check_claim(claim: Claim, case: Case, error_rate: float, seed: int, stages: tuple[int, ...]) -> Verdict:
    blank = Verdict(claim.id, "inapplicable", claim.entry.recorded, case)
    if claim.measure is None:
        return replace(blank, reason="an external result: compared, not asserted")
    applied = apply_claim(claim, case)
    if isinstance(applied, str):
        return replace(blank, reason=applied)
    full, limits = applied
    shared, share = dict[str, Measured](), error_rate / len(claim.bounds)
    results = []
    for limit in limits:
        verdict = _bound_verdict(blank, claim, full, question_for(claim, limit, full, share, seed, stages, shared))
        if verdict.evidence is None:  # the run itself shows that no verdict is possible
            return verdict
        results.append(verdict)
    return decisive_verdict(results)


def inapplicable_reason(claim: Claim, case: Case) -> str | None:
    """Return why a claim does not apply to a case, as far as that is known without a run; None if it applies."""
    applied = apply_claim(claim, case)
    return applied if isinstance(applied, str) else None


class Applied(NamedTuple):
    """A claim at a case: the case with the constants that the claim tunes, and the bounds at its constants."""

    case: Case
    limits: tuple[BoundAt, ...]


def apply_claim(claim: Claim, case: Case) -> Applied | str:
    """Return the claim at a case, every constant evaluated, or the reason why the claim does not apply to it."""
    try:
        full = claim.prepared(case)
        reason = contradiction(full, {b.side for b in claim.bounds})
        if reason:
            return reason
        for assumption in (constants_described, *claim.assumptions, consistent):
            reason = assumption.failed(full, claim.algorithm)
            if reason:
                return f"{assumption.name}: {reason}"
        limits = []
        for bound in claim.bounds:
            limits.append(bound.at(full.constants, run_notation(claim.measure)))
            if reason := limits[-1].failed_condition():
                return reason
        return Applied(full, tuple(limits))
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
        effort = (question.error_rate, question.seed, question.stages)
        ask = partial(_evaluation_summary, claim, full, question.bound, *effort)  # balls can't be sent to a process
        require_process_independent(question.name, own, ask, ComparableResult.of(found).same)
    return found


def _evaluation_summary(
    claim: Claim, full: Case, bound: Bound, error_rate: float, seed: int, stages: tuple[int, ...]
) -> ComparableResult:
    """Return the result, computed afresh, for comparison."""
    limit = bound.at(full.constants, run_notation(claim.measure))
    question = question_for(claim, limit, full, error_rate, seed, stages)
    return ComparableResult.of(_evaluate_question(claim, full, question))


def _evaluate_question(claim: Claim, full: Case, question: BoundQuery) -> tuple[Status, Measured, Any]:
    measure = question.measure
    second = measure.other if isinstance(measure, Against) else None
    with forbid_mutation(claim.algorithm, full.instance), forbid_mutation(second, full.instance), question.watched:
        if claim.algorithm is not None and not isinstance(measure, DirectMeasure):
            question = on_rows(question)
            _require_pure(question.method, measure, full)
        if isinstance(question.measure, Against):
            _require_pure(question.measure.other, question.measure.measure, full)
        return decide_bound(question)


def on_rows(question: BoundQuery) -> BoundQuery:
    """Return the question with rows of numbers as the states of its algorithms."""
    measure = question.measure
    if isinstance(measure, Against):
        measure = replace(measure, other=adapt_to_rows(measure.other, question.case))
    return replace(question, method=adapt_to_rows(question.method, question.case), measure=measure)


def _require_pure(method: Any, measure: Measure | None, case: Case) -> None:
    require_pure(method, case, measure.world if isinstance(measure, GameMeasure) else None)


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
