"""The one run of a step-size rule, followed exactly at rising precision until it is decided."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb, ctx
from sympy import Symbol

from fltheory.evidence.exact import explained
from fltheory.evidence.measured import Measured
from fltheory.evidence.pathwise import BUDGET
from fltheory.evidence.user_values import in_ring
from fltheory.evidence.validation.rounding import SWAYED, answers_steadily, under, ways
from fltheory.evidence.verdict import Told, compare
from fltheory.games.player import Blurred
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
from fltheory.number.ownership import of_library
from fltheory.runs.constants import run_constants
from fltheory.runs.measures import Followed
from fltheory.runs.method import NotEnumerable
from fltheory.runs.step_rule import StepRule, recorded, require_same_again

FINE = (128, 8192)  # bits with which a run is followed, at first and at most
EQUAL_SO_FAR = (
    "both sides agree as far as they are known: the balls of irrational numbers don't tell that they are equal"
)


def followed(measure: Followed, rule: StepRule, bound: Bound, case: Case) -> Told:
    """The status, what was measured and the limit, where the measure follows the one run that there is.

    A user's rule answers in floats: its run is followed exactly too, but what is measured counts as known to a budget only.
    What agrees with the bound within the measure's ``tolerance`` (of the bound, or of 1 where it is 0) and can't be told from
    it holds, on pathwise evidence.
    """
    plain, calls = rule, None
    if not rule.of_library:
        rule, calls = recorded(plain)
    tolerance = measure.tolerance
    precision, status = FINE[0], None
    while True:
        last = precision >= FINE[1]
        try:
            with ctx.workprec(precision):
                value, limit = _sides(measure, rule, bound, case)
                if calls is not None:
                    require_same_again(plain, calls, run_constants(case, None))
        except Blurred:
            if last:
                raise
            precision *= 4
            continue
        size = abs(to_float(limit)) or (1.0 if tolerance else 0.0)
        steady = calls is None or answers_steadily(plain, calls, run_constants(case, None))
        off = 0.0 if steady else _unsteady(measure, plain, bound, case, value, limit)
        off = 0.0 if off <= BUDGET * size else off  # the budget is for that
        if not plain.own and (off or not (isinstance(value, int | Fraction) and value == limit)):
            value = to_ball(value) + arb(0, BUDGET * (abs(to_float(value)) + size) + off)
        finite = not isinstance(value, arb) or value.is_finite()
        status = compare(value, limit, bound.side) if finite else None
        if status is None and finite and plain.own and _apart(value, limit, precision) < tolerance * size:
            return Told("holds", Measured(value, "pathwise"), limit)
        if status is not None or last or not any(isinstance(v, arb) for v in (value, limit)):
            note = "" if status else "the balls of the run grow too wide" if not finite else EQUAL_SO_FAR
            if not status and off:
                note = f"rounding in its own arithmetic may move it by {off:.2g}, which floats can't follow"
            known = Measured(value, "exact" if plain.own else "pathwise", note=note)
            return Told(status, explained(known, NotEnumerable("a rule of one's own answers in floats"), plain), limit)
        precision *= 4


def _sides(measure: Followed, rule: StepRule, bound: Bound, case: Case) -> tuple[Any, Any]:
    """Both sides of the bound, at the working precision."""
    value, read = measure.follow(rule, case)
    if not of_library(type(measure).follow):
        value, read = _exactly(measure, value), {s: _exactly(measure, v) for s, v in read.items()}
    constants = {**case.constants, **{s: as_number(v) for s, v in read.items()}}
    return as_number(value), _at_this_precision(bound, bound.complete(constants))


def _unsteady(measure: Followed, rule: StepRule, bound: Bound, case: Case, value: Any, limit: Any) -> float:
    """By how much rounding in a user's rule may move the two sides against each other."""
    if not ways():
        return math.inf
    moved = [0.0]
    for way in ways():
        try:
            one, two = _sides(measure, under(rule, way), bound, case)
        except Blurred:
            return math.inf
        moved.append(_moved(to_float(value), to_float(limit), to_float(one), to_float(two)))
    return math.inf if any(map(math.isnan, moved)) else SWAYED * max(moved)


def _moved(value: float, limit: float, one: float, two: float) -> float:
    """How far one side moves against the other, in units of the limit: they may be those of another step of the run."""
    if limit and two and math.isfinite(one * limit / two):
        return abs(one * limit / two - value)
    return 0.0 if (value, limit) == (one, two) else abs(one - value) + abs(two - limit)


def _exactly(measure: Followed, value: Any) -> Any:
    """A number of a user's measure, rational where it is; VariantError for a float."""
    try:
        return in_ring(measure, value, RATIONAL)
    except NotRational:
        return in_ring(measure, value, BALL)


def _apart(value: Number, limit: Number, precision: int) -> arb:
    with ctx.workprec(precision):
        return abs(to_ball(value) - to_ball(limit))


def _at_this_precision(bound: Bound, constants: Mapping[Symbol, Number]) -> Any:
    try:
        return evaluate_exact(bound.expr, constants)
    except NotRational:
        return evaluate_ball(bound.expr, constants)
