"""The one run of a step-size rule, followed exactly at rising precision until it is decided."""

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

PRECISION_RANGE = (128, 8192)  # bits with which a run is followed, at first and at most
UNDECIDED_EQUALITY = (
    "both sides agree as far as they are known: the balls of irrational numbers don't tell that they are equal"
)


def evaluate_deterministic(measure: DeterministicMeasure, rule: StepRule, bound: Bound, case: Case) -> Comparison:
    """The status, what was measured and the limit, where the measure follows the one run that there is.

    A user's rule answers in floats: its run is followed exactly too, but what is measured counts as known to a budget only.
    What agrees with the bound within the measure's ``tolerance`` (of the bound, or of 1 where it is 0) and can't be told from
    it holds, on numerical evidence.
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
        off = 0.0 if off <= FLOAT_ERROR * size else off  # the budget is for that
        if not plain.own and (off or not (isinstance(value, int | Fraction) and value == limit)):
            value = to_ball(value) + arb(0, FLOAT_ERROR * (abs(to_float(value)) + size) + off)
        finite = not isinstance(value, arb) or value.is_finite()
        status = compare(value, limit, bound.side) if finite else None
        if status is None and finite and plain.own and _difference_ball(value, limit, precision) < tolerance * size:
            return Comparison("holds", Measured(value, "numerical"), limit)
        if status is not None or last or not any(isinstance(v, arb) for v in (value, limit)):
            note = "" if status else "the balls of the run grow too wide" if not finite else UNDECIDED_EQUALITY
            if not status and off:
                note = f"rounding in its own arithmetic may move it by {off:.2g}, which floats can't follow"
            known = Measured(value, "exact" if plain.own else "sampled", note=note)
            return Comparison(
                status, attach_reason(known, NotEnumerable("a rule of one's own answers in floats"), plain), limit
            )
        precision *= 4


def _sides(measure: DeterministicMeasure, rule: StepRule, bound: Bound, case: Case) -> tuple[Any, Any]:
    """Both sides of the bound, at the working precision."""
    value, read = measure.follow(rule, case)
    if not is_library(type(measure).follow):
        value, read = _read_exact(measure, value), {s: _read_exact(measure, v) for s, v in read.items()}
    constants = {**case.constants, **{s: as_number(v) for s, v in read.items()}}
    return as_number(value), _bound_at_precision(bound, bound.complete(constants))


def _rounding_effect(
    measure: DeterministicMeasure, rule: StepRule, bound: Bound, case: Case, value: Any, limit: Any
) -> float:
    """By how much rounding in a user's rule may move the two sides against each other."""
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
    """How far one side moves against the other, in units of the limit: they may be those of another step of the run."""
    if limit and two and math.isfinite(one * limit / two):
        return abs(one * limit / two - value)
    return 0.0 if (value, limit) == (one, two) else abs(one - value) + abs(two - limit)


def _read_exact(measure: DeterministicMeasure, value: Any) -> Any:
    """A number of a user's measure, rational where it is; VariantError for a float."""
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
