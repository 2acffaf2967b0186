"""A claim at one point: its bounds, the measured quantity with its evidence, and why it may not apply."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.claims.check import on_rows, question_for
from fltheory.claims.claim import Claim, variant_of
from fltheory.evidence.decide import decide_bound
from fltheory.evidence.exact import exact_ball
from fltheory.evidence.measured import Interval, Measured
from fltheory.evidence.sequential import simulate
from fltheory.evidence.validation.purity import require_pure
from fltheory.evidence.verdict import Status, compare
from fltheory.model.bound import Bound, BoundError
from fltheory.model.case import Case
from fltheory.number import NotRational, Number, decide, lower_float, to_ball, to_float, upper_float
from fltheory.problems.separable import SeparableClients
from fltheory.runs.flat_states import adapt_to_rows
from fltheory.runs.measures import DataDependentMeasure, DirectMeasure, GameMeasure, RunMeasure, run_notation
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.symbols import n_clients, n_local_steps, n_rounds

CONFIDENCE = 0.99  # confidence of the band of a simulated mean, at each point
SAMPLED_EVIDENCE = ("seeds", "simulated", "statistical")  # the words for evidence when not all runs were seen
ROUNDING = 1e-9  # relative tolerance in floats: a path is above a bound only by more
SAMPLE_SIZES = (400, 800)  # simulated runs of one point if the bound takes constants from them


@dataclass(frozen=True)
class Point:
    """The claim at one value: ``limits`` of its bounds, ``measured`` within [low, high]; NaN for missing values."""

    value: float
    limits: tuple[float, ...]
    measured: float
    low: float
    high: float
    trivial: float
    evidence: str
    reason: str = ""  # why the claim does not apply here
    told: tuple[Status | None, ...] = ()  # of each bound, as far as it is known at this point

    @property
    def applies(self) -> bool:
        """Return whether every assumption and condition holds."""
        return not self.reason

    @property
    def violated(self) -> bool:
        """Return whether some bound is violated: by the exact value, or by the whole band of a sampled mean."""
        return "violated" in self.told

    @property
    def evidence_is_exact(self) -> bool:
        """Return whether the results use no sampled runs."""
        return not any(word in self.evidence for word in SAMPLED_EVIDENCE)


def applicability(claim: Claim, case: Case) -> tuple[str, Any, Case]:
    """Return (why the claim does not apply or "", the broken condition or None, the prepared case)."""
    try:
        full = claim.prepared(case)
        for assumption in claim.assumptions:
            reason = assumption.failed(full, claim.algorithm)
            if reason:
                return f"{assumption.name}: {reason}", None, full
        for bound in claim.bounds:
            constants = bound.complete(full.constants, run_notation(claim.measure))
            for condition in bound.conditions:
                if decide(condition, constants) is not True:
                    return f"the condition {condition} fails", condition, full
    except (BoundError, ZeroDivisionError) as error:
        return str(error), None, case
    return "", None, full


def evaluate(claim: Claim, value: Number, case: Case, seed: int = 0) -> tuple[Point, Any]:
    """Return the claim on one case, and the condition that it breaks, if any."""
    reason, condition, full = applicability(claim, case)
    if isinstance(claim.measure, DataDependentMeasure):
        return _evaluate_run(claim, value, full, reason, seed), condition
    limits = tuple(_limit(b, full) if not reason else math.nan for b in claim.bounds)
    trivial = claim.measure.trivial(full) if claim.measure is not None and not reason else None
    low = high = measured = math.nan
    evidence = ""
    measurable = not reason or (condition is not None and not isinstance(claim.measure, DirectMeasure))
    shared: dict[str, Measured] = {}
    if claim.measure is not None and measurable:
        measured, low, high, evidence = measure(claim, full, seed, shared)
    ceiling = math.nan if trivial is None else to_float(trivial)
    told = () if reason else _bound_statuses(claim, full, shared, limits, (measured, low, high))
    return Point(to_float(value), limits, measured, low, high, ceiling, evidence, reason, told), condition


def _bound_statuses(
    claim: Claim, case: Case, shared: dict[str, Measured], limits: tuple[float, ...], band: tuple[float, float, float]
) -> tuple[Status | None, ...]:
    """Return the status of each bound, by the exact value, else by the whole band of samples."""
    exactly = shared.get("exact")
    if exactly is None:
        return tuple(_band_status(b.side, limit, band) for b, limit in zip(claim.bounds, limits, strict=True))
    return tuple(_exact_status(claim, bound, case, exactly) for bound in claim.bounds)


def _exact_status(claim: Claim, bound: Bound, case: Case, measured: Measured) -> Status | None:
    """Return the status by a known ball if it decides, else by rationals."""
    limit = bound.at(case.constants)
    try:
        if not (measured.at_least or measured.at_most):
            told = compare(measured.value, limit.ball(), bound.side)
            if told is not None:
                return told
        status, _, _ = decide_bound(question_for(claim, limit, case, 1 - CONFIDENCE, 0, (), {"exact": measured}))
    except (NotEnumerable, NotRational, VariantError):
        return None
    return _decided_status(status)


def _band_status(side: str, limit: float, band: tuple[float, float, float]) -> Status | None:
    """Return whether the whole band of a sampled mean exceeds a limit, or satisfies it."""
    _, low, high = band
    if not all(map(math.isfinite, (low, high, limit))):
        return None
    slack = ROUNDING * max(abs(limit), abs(low), abs(high))
    below, above = high < limit - slack, low > limit + slack
    if side == "equal":
        return "violated" if below or above else None
    if side == "lower":
        below, above = above, below
    return "violated" if above else "holds" if below else None


def _evaluate_run(claim: Claim, value: Number, case: Case, reason: str, seed: int) -> Point:
    """Do the same if the bound takes constants from the run."""
    blank = (math.nan,) * len(claim.bounds)
    if reason:
        return Point(to_float(value), blank, math.nan, math.nan, math.nan, math.nan, "", reason)
    assert claim.measure is not None
    bounds = [bound.at(case.constants, run_notation(claim.measure)) for bound in claim.bounds]
    try:
        asked = [question_for(claim, b, case, 1 - CONFIDENCE, seed, SAMPLE_SIZES) for b in bounds]
        found = [decide_bound(on_rows(question)) for question in asked]
    except (NotEnumerable, VariantError) as error:
        return Point(to_float(value), blank, math.nan, math.nan, math.nan, math.nan, "", str(error))
    measured, trivial = found[0][1], claim.measure.trivial(case)
    low, high = measured.value if isinstance(measured.value, Interval) else (to_float(measured.value),) * 2
    ceiling = math.nan if trivial is None else to_float(trivial)
    limits = tuple(to_float(limit) for _, _, limit in found)
    middle = (low + high) / 2 if measured.estimate is None else measured.estimate
    told = tuple(_decided_status(status) for status, _, _ in found)
    return Point(to_float(value), limits, middle, low, high, ceiling, measured.evidence, told=told)


def _decided_status(status: Status) -> Status | None:
    """Return a verdict as the status of a bound: holds, vacuous, violated or unknown."""
    return "holds" if status in ("holds", "vacuous") else "violated" if status == "violated" else None


def _limit(bound: Bound, case: Case) -> float:
    return to_float(bound.ball(case.constants))


def measure(
    claim: Claim, case: Case, seed: int = 0, shared: dict[str, Measured] | None = None
) -> tuple[float, float, float, str]:
    """Return (value, low, high, evidence) of the measure: exact if possible, else enclosed in floats, else a simulated mean.

    An exact value is stored in ``shared`` under that name.
    """
    assert claim.measure is not None
    try:
        method = adapt_to_rows(claim.algorithm, case)
        if method is not None and not isinstance(claim.measure, DirectMeasure):
            require_pure(method, case)
        found = exact_ball(claim.measure, method, case, claim.mode == "surely")
        if shared is not None:
            shared["exact"] = found
        ball = to_ball(found.value)
        if found.at_least:
            return lower_float(ball), lower_float(ball), math.inf, "exact lower limit"
        if found.at_most:
            return upper_float(ball), -math.inf, upper_float(ball), "exact upper limit"
        if ball.rel_accuracy_bits() > 20 or ball.is_zero():
            return to_float(ball), to_float(ball), to_float(ball), "exact"
        low, high = lower_float(ball), upper_float(ball)
        return (low if low > 0 else high), low, high, "exact enclosure"
    except (NotEnumerable, VariantError) as error:
        if claim.algorithm is None or isinstance(error, VariantError):
            return math.nan, math.nan, math.nan, ""
    enclosed = _in_floats(claim, method, case)
    if enclosed is not None:
        return (sum(enclosed) / 2, *enclosed, "numerical")
    try:
        values = _simulate(claim, case, seed)
    except NotEnumerable:
        return math.nan, math.nan, math.nan, ""
    if claim.mode == "surely" or len(values) == 1:
        worst = float(values.max())
        what = f"largest of {len(values)} simulated paths" if len(values) > 1 else "simulated"
        return worst, worst, worst, what
    means = values.mean(axis=0)
    column = values[:, int(means.argmin())]
    return (*_band(column), f"mean of {len(values)} seeds")


def _in_floats(claim: Claim, method: Any, case: Case) -> tuple[float, float] | None:
    """Return the mean of a game over all its paths in floats with an error budget, as ``verify`` does.

    None if it has none, and for a user's algorithm, whose own rounding is not known here.
    """
    if claim.mode == "surely" or not isinstance(claim.measure, GameMeasure) or variant_of(claim) is not None:
        return None
    try:
        return claim.measure.in_floats(method, case)
    except NotEnumerable:
        return None


def _simulate(claim: Claim, case: Case, seed: int) -> np.ndarray:
    """Return values of a limited number of runs, (runs, k); NotEnumerable if a run is too long."""
    assert isinstance(claim.measure, RunMeasure | GameMeasure)
    n = n_seeds(claim, case)
    return simulate(claim.measure, adapt_to_rows(claim.algorithm, case), case, n, seed).reshape(n, -1)


def _band(values: np.ndarray) -> tuple[float, float, float]:
    """Return mean and Student's interval; the low end stays positive, as on a log axis."""
    from scipy.special import stdtrit

    n, mean = len(values), float(values.mean())
    width = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2) * values.std(ddof=1) / math.sqrt(n))
    return mean, max(mean - width, 1e-3 * abs(mean)), mean + width


def n_seeds(claim: Claim, case: Case) -> int:
    """Return the number of seeds for a plot: 8 to 400, or one if all runs are the same."""
    if claim.measure is not None and not claim.measure.is_random(case):
        return 1
    c = case.constants
    steps = math.prod(int(c.get(s, 1)) for s in (n_rounds, n_clients, n_local_steps))
    compiled = claim.algorithm is not None and claim.algorithm.kernel is not None
    compiled = compiled and isinstance(case.instance, SeparableClients)
    return int(np.clip((2_000_000 if compiled else 400_000) // steps, 8, 400))
