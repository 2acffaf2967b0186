"""The deterministic run of a step-size rule, computed in balls of rising precision until the claim is decided."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb, ctx
from sympy import Symbol

from fltheory.evidence.exact import attach_reason
from fltheory.evidence.measured import Measured
from fltheory.evidence.pathwise import FLOAT_ERROR
from fltheory.evidence.user_values import measure_in_ring
from fltheory.evidence.validation.rounding import (
    SAFETY_FACTOR,
    is_stable_under_rounding,
    rounding_modes,
    with_rounding_mode,
)
from fltheory.evidence.verdict import Comparison, compare
from fltheory.games.player import ImpreciseState
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import (
    BALL,
    RATIONAL,
    NotRational,
    Number,
    as_number,
    evaluate_ball,
    evaluate_exact,
    to_ball,
    to_float,
)
from fltheory.number.ownership import is_library
from fltheory.runs.constants import run_constants
from fltheory.runs.measures import DeterministicMeasure
from fltheory.runs.method import NotEnumerable
from fltheory.runs.step_rule import StepRule, record_calls, require_repeatable

PRECISION_RANGE = (128, 8192)  # first and largest precision of a run, in bits
UNDECIDED_EQUALITY = (
    "both sides agree to the computed precision, but balls can't prove that irrational numbers are equal"
)


def evaluate_deterministic(measure: DeterministicMeasure, rule: StepRule, bound: Bound, case: Case) -> Comparison:
    """Return status, measured quantity and limit for a measure of a deterministic run.

    A user's rule returns floats, so its measured quantity has an error budget, although the run is computed exactly. A
    quantity that agrees with the bound within the measure's ``tolerance`` (relative to the bound, or to 1 if it is 0)
    and cannot be distinguished from it holds, with numerical evidence.
    """
    plain, calls = rule, None
    if not rule.of_library:
        rule, calls = record_calls(plain)
    tolerance = measure.tolerance
    precision, status = PRECISION_RANGE[0], None
    while True:
        last = precision >= PRECISION_RANGE[1]
        try:
            with ctx.workprec(precision):
                value, limit = _sides(measure, rule, bound, case)
                if calls is not None:
                    require_repeatable(plain, calls, run_constants(case, None))
        except ImpreciseState:
            if last:
                raise
            precision *= 4
            continue
        size = abs(to_float(limit)) or (1.0 if tolerance else 0.0)
        steady = calls is None or is_stable_under_rounding(plain, calls, run_constants(case, None))
        off = 0.0 if steady else _rounding_effect(measure, plain, bound, case, value, limit)
        off = 0.0 if off <= FLOAT_ERROR * size else off  # covered by the error budget
        if not plain.own and (off or not (isinstance(value, int | Fraction) and value == limit)):
            value = to_ball(value) + arb(0, FLOAT_ERROR * (abs(to_float(value)) + size) + off)
        finite = not isinstance(value, arb) or value.is_finite()
        status = compare(value, limit, bound.side) if finite else None
        if status is None and finite and plain.own and _difference_ball(value, limit, precision) < tolerance * size:
            return Comparison("holds", Measured(value, "numerical"), limit)
        if status is not None or last or not any(isinstance(v, arb) for v in (value, limit)):
            note = "" if status else "the balls of the run become too wide" if not finite else UNDECIDED_EQUALITY
            if not status and off:
                note = f"rounding in its own arithmetic may move it by {off:.2g}, which floats can't follow"
            known = Measured(value, "exact" if plain.own else "sampled", note=note)
            return Comparison(
                status, attach_reason(known, NotEnumerable("the user's rule returns floats"), plain), limit
            )
        precision *= 4


def _sides(measure: DeterministicMeasure, rule: StepRule, bound: Bound, case: Case) -> tuple[Any, Any]:
    """Compute both sides of the bound at the working precision."""
    value, read = measure.follow(rule, case)
    if not is_library(type(measure).follow):
        value, read = _read_exact(measure, value), {s: _read_exact(measure, v) for s, v in read.items()}
    constants = {**case.constants, **{s: as_number(v) for s, v in read.items()}}
    return as_number(value), _bound_at_precision(bound, bound.complete(constants))


def _rounding_effect(
    measure: DeterministicMeasure, rule: StepRule, bound: Bound, case: Case, value: Any, limit: Any
) -> float:
    """Estimate how much rounding in a user's rule may change the difference of both sides."""
    if not rounding_modes():
        return math.inf
    moved = [0.0]
    for way in rounding_modes():
        try:
            one, two = _sides(measure, with_rounding_mode(rule, way), bound, case)
        except ImpreciseState:
            return math.inf
        moved.append(_relative_shift(to_float(value), to_float(limit), to_float(one), to_float(two)))
    return math.inf if any(map(math.isnan, moved)) else SAFETY_FACTOR * max(moved)


def _relative_shift(value: float, limit: float, one: float, two: float) -> float:
    """Return the change of one side relative to the other in units of the limit; a side may come from another step."""
    if limit and two and math.isfinite(one * limit / two):
        return abs(one * limit / two - value)
    return 0.0 if (value, limit) == (one, two) else abs(one - value) + abs(two - limit)


def _read_exact(measure: DeterministicMeasure, value: Any) -> Any:
    """Convert a number of a user's measure, to a rational if possible; VariantError for a float."""
    try:
        return measure_in_ring(measure, value, RATIONAL)
    except NotRational:
        return measure_in_ring(measure, value, BALL)


def _difference_ball(value: Number, limit: Number, precision: int) -> arb:
    with ctx.workprec(precision):
        return abs(to_ball(value) - to_ball(limit))


def _bound_at_precision(bound: Bound, constants: Mapping[Symbol, Number]) -> Any:
    try:
        return evaluate_exact(bound.expr, constants)
    except NotRational:
        return evaluate_ball(bound.expr, constants)
