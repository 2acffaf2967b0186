"""The one run of a step-size rule, followed exactly at rising precision until it is decided."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb, ctx
from sympy import Symbol

from fltheory.bound import Bound
from fltheory.case import Case
from fltheory.evidence.exact import explained
from fltheory.evidence.given import in_ring
from fltheory.evidence.measured import Measured
from fltheory.evidence.paths import BUDGET
from fltheory.evidence.verdict import Told, compare
from fltheory.games.player import Blurred
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
from fltheory.number.whose import of_library
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
    calls = None
    if not rule.of_library:
        plain, (rule, calls) = rule, recorded(rule)
    tolerance = measure.tolerance
    precision, status = FINE[0], None
    while True:
        last = precision >= FINE[1]
        try:
            with ctx.workprec(precision):
                value, read = measure.follow(rule, case)
                if calls is not None:
                    require_same_again(plain, calls, run_constants(case, None))
                if not of_library(type(measure).follow):
                    value, read = _exactly(measure, value), {s: _exactly(measure, v) for s, v in read.items()}
                value, constants = as_number(value), {**case.constants, **{s: as_number(v) for s, v in read.items()}}
                limit = _at_this_precision(bound, bound.complete(constants))
        except Blurred:
            if last:
                raise
            precision *= 4
            continue
        size = abs(to_float(limit)) or (1.0 if tolerance else 0.0)
        if not rule.own and not (isinstance(value, int | Fraction) and value == limit):
            value = to_ball(value) + arb(0, BUDGET * (abs(to_float(value)) + size))
        finite = not isinstance(value, arb) or value.is_finite()
        status = compare(value, limit, bound.side) if finite else None
        if status is None and finite and rule.own and _apart(value, limit, precision) < tolerance * size:
            return Told("holds", Measured(value, "pathwise"), limit)
        if status is not None or last or not any(isinstance(v, arb) for v in (value, limit)):
            note = "" if status else "the balls of the run grow too wide" if not finite else EQUAL_SO_FAR
            known = Measured(value, "exact" if rule.own else "pathwise", note=note)
            return Told(status, explained(known, NotEnumerable("a rule of one's own answers in floats"), rule), limit)
        precision *= 4


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
