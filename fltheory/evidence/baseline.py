"""A second algorithm as the bound (``Against``): both expectations on one case, and the bound with the second in it.

Exact values are compared where both are known. Deterministic runs are followed in floats. Else runs of both are simulated
in pairs, with the same uniforms, and a bet on the mean of the difference decides: by linearity it is the difference of
the means, whatever the two share. The error rate is that of this one test.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb

from fltheory.evidence.deterministic import UNDECIDED_EQUALITY
from fltheory.evidence.exact import exact_ball, exact_rational
from fltheory.evidence.measured import Interval, Measured
from fltheory.evidence.pathwise import FLOAT_ERROR
from fltheory.evidence.sequential import (
    NO_CEILING,
    bet_on_mean,
    betting_schedule,
    require_nonnegative,
    simulate,
    supposition_note,
    value_ceiling,
)
from fltheory.evidence.single_path import evaluate_single_path, middle_of, rounding_sensitivity
from fltheory.evidence.validation.replay import is_comparison_skipped
from fltheory.evidence.verdict import Comparison, compare
from fltheory.model.bound import BoundAt
from fltheory.model.case import Case
from fltheory.number import NotRational, Number, evaluate_ball, to_ball, to_float
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import Against, GameMeasure, RunMeasure
from fltheory.runs.method import Method, NotEnumerable

NO_RANGE = (
    "no upper bound on a single run of either algorithm is known, so samples can't compare their means; "
    "an algorithm that stays within a distance of its start may declare it (within=)"
)
ONE_SIDED = "only a limit of an exact value is known, not the value"


@dataclass(frozen=True)
class TwoAlgorithms:
    """The question whether the value of ``method`` satisfies a bound with the value of a second algorithm in it."""

    measure: Against
    method: Any
    limit: BoundAt
    case: Case
    seed: int

    @property
    def side(self) -> str:
        """The side of the bound."""
        return self.limit.bound.side

    @property
    def quantity(self) -> RunMeasure | GameMeasure:
        """What is measured of both."""
        return self.measure.measure

    def limit_at(self, value: Number) -> BoundAt:
        """Return the bound at a value of the second algorithm."""
        return replace(self.limit, values={**self.limit.values, self.measure.baseline: value})

    def told(self, measured: Measured, limit: Number) -> Comparison:
        """Compare."""
        return Comparison(compare(measured.value, limit, self.side), measured, limit)


def compare_exact_values(pair: TwoAlgorithms) -> Comparison:
    """Compare the exact values of both, by balls or, if these cannot decide, by rationals; NotEnumerable without them."""
    methods = (pair.method, pair.measure.other)
    ours, theirs = (_two_sided_ball(pair, method) for method in methods)
    told = pair.told(ours, pair.limit_at(theirs.value).ball())
    if told.status is not None:
        return told
    first, second = (exact_rational(pair.quantity, method, pair.case) for method in methods)
    if first is None or second is None:
        return told if told.status else told._replace(measured=replace(ours, note=UNDECIDED_EQUALITY))
    limit = pair.limit_at(second.value)
    try:
        return pair.told(first, limit.exact())
    except NotRational:
        return pair.told(first, limit.ball(2000))


def _two_sided_ball(pair: TwoAlgorithms, method: Method) -> Measured:
    found = exact_ball(pair.quantity, method, pair.case)
    if found.at_least or found.at_most:
        raise NotEnumerable(ONE_SIDED)
    return found


def compare_single_paths(pair: TwoAlgorithms) -> Comparison:
    """Compare deterministic runs, or games with few paths, in floats with an error budget; NotEnumerable if one draws."""
    ours, theirs = (_value_in_floats(pair, method) for method in (pair.method, pair.measure.other))
    ends = theirs.value if isinstance(theirs.value, Interval) else None
    if ends is not None and not all(map(math.isfinite, ends)):
        raise NotEnumerable(theirs.note or "the value of the second algorithm is not known in floats")
    between = to_ball(theirs.value) if ends is None else arb(ends.low).union(arb(ends.high))
    limit = evaluate_ball(pair.limit.bound.expr, pair.limit_at(between).values)
    if not limit.is_finite():
        raise NotEnumerable(f"{pair.limit.bound.expr} has no finite value in floats")
    weaker = max((ours, theirs), key=lambda one: ("exact", "numerical", "sampled").index(one.evidence))
    shown = replace(ours, evidence=weaker.evidence, note=ours.note or theirs.note)
    return pair.told(shown, limit)


def _value_in_floats(pair: TwoAlgorithms, method: Method) -> Measured:
    """Return the exact value, or an interval that contains it by the floats' error budget."""
    try:
        return _two_sided_ball(pair, method)
    except (NotEnumerable, NotRational):
        pass
    if isinstance(pair.quantity, GameMeasure):
        found = Measured(Interval(*pair.quantity.in_floats(method, pair.case)), "numerical")
    else:
        assert isinstance(method, Algorithm)
        found = evaluate_single_path(pair.quantity, method, pair.case)
    off = _rounding(pair, method, abs(middle_of(found.value)))
    if off == 0:
        return found
    low, high = found.value
    note = found.note or f"rounding in its own arithmetic may change it by {off:.2g}"
    return replace(found, value=Interval(low - off, high + off), note=note)


def _rounding(pair: TwoAlgorithms, method: Method, size: float) -> float:
    """Return by how much other rounding in a user's own arithmetic may change a value; 0 within the budget of floats."""
    if method.of_library or is_comparison_skipped():
        return 0.0
    off = rounding_sensitivity(pair.quantity, method, pair.case, pair.limit.bound, size, pair.seed)
    return 0.0 if off <= FLOAT_ERROR else off * 2 * size


@dataclass(frozen=True)
class Side:
    """The values of one algorithm: a range that contains them, how to draw them, and their float error."""

    low: float
    high: float
    draw: Callable[[int, int], np.ndarray]
    off: float = 0.0
    supposed: Callable[[int], str] = lambda n: ""


def bet_on_both(pair: TwoAlgorithms, error_rate: float, stages: tuple[int, ...]) -> Comparison:
    """Simulate pairs of runs until a bet on the mean difference decides.

    The difference is that of our value and of the part of the bound that is linear in theirs, so a range of one of both
    suffices for one side. The interval and the limit are shown moved by the sampled mean of that part.
    """
    slope, fixed = _affine_limit(pair)
    ours, theirs = (_side(pair, method) for method in (pair.method, pair.measure.other))
    ends = sorted(slope * end if slope else 0.0 for end in (theirs.low, theirs.high))
    low, high = ours.low - ends[1], ours.high - ends[0]
    if math.isinf(low) and math.isinf(high):
        raise NotEnumerable(NO_RANGE)
    turned = math.isinf(low)
    sign, span = (-1, Interval(-high, -low)) if turned else (1, Interval(low, high))
    parts = list[np.ndarray]()

    def draw(first: int, last: int) -> tuple[np.ndarray, float]:
        mine, part = ours.draw(first, last), slope * theirs.draw(first, last)
        parts.append(part)
        size = float(np.abs(mine).max() + np.abs(part).max())
        return sign * (mine - part), FLOAT_ERROR * size + ours.off + abs(slope) * theirs.off

    def back(found: Interval) -> Interval:
        return Interval(-found.high, -found.low) if turned else found

    def decided(found: Interval) -> bool:
        return compare(back(found), fixed, pair.side) is not None

    names = (f"{pair.method.name} against {pair.measure.other.name}", pair.quantity.name)
    looks = betting_schedule(stages)
    found = bet_on_mean(draw, names, span, sign * to_float(fixed), decided, error_rate, looks)
    interval = back(found.value)
    status = compare(interval, fixed, pair.side)
    shift = float(np.concatenate(parts).mean())
    shown = None if found.estimate is None else sign * found.estimate + shift
    supposed = "; ".join(dict.fromkeys(filter(None, (one.supposed(found.n_seeds) for one in (ours, theirs)))))
    note = NO_CEILING.replace("a lower", "an upper") if turned else found.note
    moved = Interval(interval.low + shift, interval.high + shift)
    measured = replace(found, value=moved, estimate=shown, note=note, why=supposed)
    return Comparison(status, measured, fixed + shift)


def _affine_limit(pair: TwoAlgorithms) -> tuple[float, arb]:
    """Return the factor of the second algorithm's value in the bound, and the rest of it; NotEnumerable if not affine."""
    expr, baseline = pair.limit.bound.expr, pair.measure.baseline
    slope = expr.diff(baseline)
    if slope.has(baseline):
        raise NotEnumerable(f"{expr} is not affine in {baseline}, so its value at a mean is not the mean of its values")
    values = pair.limit.values
    return to_float(evaluate_ball(slope, values)), evaluate_ball(expr.subs(baseline, 0), values)


def _side(pair: TwoAlgorithms, method: Method) -> Side:
    """Return the exact value of an algorithm as a constant, else its simulated runs."""
    try:
        ball = to_ball(_two_sided_ball(pair, method).value)
        value = to_float(ball)
        off = to_float(ball.rad()) + 1e-15 * abs(value)
        return Side(value, value, lambda first, last: np.full(last - first, value), off)
    except (NotEnumerable, NotRational):
        pass
    quantity, case = pair.quantity, pair.case

    def draw(first: int, last: int) -> np.ndarray:
        values = simulate(quantity, method, case, last - first, pair.seed, first).reshape(last - first, -1)
        if values.shape[1] != 1:
            raise NotEnumerable(f"{quantity.name} is a least of means, which samples of a difference don't give")
        if isinstance(quantity, RunMeasure):
            require_nonnegative(quantity, values, 0.0)
        found: np.ndarray = values[:, 0]
        return found

    low, high = _range(quantity, method, case)
    off = _rounding(pair, method, float(np.abs(draw(0, 8)).max())) + quantity.float_error(case)
    if isinstance(method, Algorithm) and method.within is not None:
        declared = method
        return Side(low, high, draw, off, lambda n: supposition_note(declared, n))
    return Side(low, high, draw, off)


def _range(quantity: RunMeasure | GameMeasure, method: Method, case: Case) -> tuple[float, float]:
    """Return a range that contains the values of an algorithm on every path; the upper end may be infinite."""
    if isinstance(quantity, RunMeasure):
        assert isinstance(method, Algorithm)
        ceiling = value_ceiling(quantity, method, case, method.own)
        return 0.0, math.inf if ceiling is None else ceiling
    known = quantity.span(case)
    if known is None or (quantity.has_lower_limit and not method.own):
        raise NotEnumerable(f"the mean of {quantity.name} can't be computed")
    return known[0], known[1] if method.own or quantity.of_any_algorithm else math.inf
