"""Bounds with constants from the run itself, such as a sum of heterogeneities along it, compared path by path.

There are three modes. Surely: every path satisfies its bound. With probability: the paths that violate their bounds
have at most the allowed total probability. In expectation: the means of both sides are compared (the bound is affine in
its constants). Runs are enumerated in rationals if that is cheap, else simulated. Clopper-Pearson limits then bound the
probability, and betting bounds the expectation.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from flint import arb, ctx
from sympy import Symbol

from fltheory.evidence.exact import paths_in_balls
from fltheory.evidence.measured import ESTIMATE_ERROR_RATE, MAX_PATHS, EvidenceKind, Interval, Measured
from fltheory.evidence.sequential import (
    bet_on_mean,
    clopper_pearson,
    geometric_schedule,
    run_until_decided,
    simulate,
    state_blocks,
)
from fltheory.evidence.user_values import notation_of_states, run_values
from fltheory.evidence.validation.replay import exact_runs
from fltheory.evidence.verdict import Comparison, Status, compare
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import (
    RATIONAL,
    NotRational,
    Number,
    as_number,
    evaluate_ball,
    evaluate_exact,
    evaluate_to_precision,
    lower_float,
    to_float,
    upper_float,
)
from fltheory.number.agreement import as_float_array
from fltheory.number.elements import Undecided
from fltheory.number.ownership import is_library
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import GameMeasure, PathMeasure, RunMeasure
from fltheory.runs.method import Method, NotEnumerable, VariantError
from fltheory.runs.oracle import OwnOracle
from fltheory.runs.protocols import has_capability

FLOAT_ERROR = 1e-9  # relative error of simulations in floats
EXACT_MARGIN = 1e-10  # relative distance of floats below which the exact numbers are compared
BALL_PRECISIONS = (128, 512, 2048)  # of runs in balls, in bits
DETERMINISTIC_RUNS = 4  # simulated repetitions of a deterministic run, which must be identical


@dataclass(frozen=True)
class Paths:
    """Runs with their probabilities (None if simulated), and both sides of each, as floats and exactly."""

    weights: list[Any] | None
    left: np.ndarray
    limit: np.ndarray
    exact: Callable[[int], tuple[Any, Any]]  # computes both sides of a path
    budget: np.ndarray  # error bound of the floats

    @property
    def ratios(self) -> np.ndarray:
        """The ratios measured / limit; for limit 0 only the sign of the measured side counts."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.left / self.limit
        return np.where(self.limit == 0, np.where(self.left > self.budget, np.inf, 0.0), found)

    def states(self, side: str) -> np.ndarray:
        """Return for every path 1 if its bound is violated, 0 if it holds, -1 if that is undecided."""
        gap = (self.left - self.limit) * (-1 if side == "lower" else 1)
        told = np.where(gap > self.budget, 1, np.where(gap < -self.budget, 0, -1))
        if self.weights is not None:
            for i in np.nonzero(told < 0)[0]:
                told[i] = {"violated": 1, "holds": 0, None: -1}[compare(*self.exact(int(i)), side)]
        return told


@lru_cache(maxsize=256)
def _lambdify_cached(expr: sympy.Expr, letters: tuple[Symbol, ...]) -> Callable[..., Any]:
    return sympy.lambdify(letters, expr, "numpy")


def _path_limits(bound: Bound, case: Case, read: Mapping[Symbol, np.ndarray], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the bound of every path in floats, and the effect of uncertain constants (balls, such as an optimum)."""
    constants = bound.complete(case.constants, tuple(read))
    names = tuple(sorted(bound.expr.free_symbols, key=lambda s: s.name))

    def at(end: Callable[[Number], float]) -> np.ndarray:
        columns = [read[s].astype(float) if s in read else end(constants[s]) for s in names]
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(_lambdify_cached(bound.expr, names)(*columns), dtype=float), (n,))

    middle = at(to_float)
    if not any(isinstance(constants.get(s), arb) for s in names):
        return middle, np.zeros(n)
    ends = [at(lambda v: end(v) if isinstance(v, arb) else to_float(v)) for end in (lower_float, upper_float)]  # noqa: B023 (called at once)
    return middle, 2 * np.maximum(np.abs(ends[0] - middle), np.abs(ends[1] - middle))


def _paths(measure: PathMeasure, bound: Bound, case: Case, states: np.ndarray, weights: list[Any] | None) -> Paths:
    left, read = run_values(measure, states, case)[:, 0], notation_of_states(measure, states, case)
    exact = left.dtype == object
    letters = {s: as_float_array(v) for s, v in read.items()}
    shown = as_float_array(left)
    limit, unsure = _path_limits(bound, case, letters, len(left))
    for values in (left, *read.values()) if exact else ():
        unsure = unsure + np.array([to_float(v.rad()) if isinstance(v, arb) else 0.0 for v in values])
    unsure = unsure + measure.uncertainty(case)
    if np.isnan(shown).any() or np.isnan(limit).any():
        raise VariantError("the measure of a run is NaN")
    trivial = measure.trivial(case)
    size = np.abs(shown) + np.abs(limit) + (abs(to_float(trivial)) if trivial is not None else 0.0)

    def both(i: int) -> tuple[Any, Any]:
        own = {s: as_number(v[i]) for s, v in read.items()}
        return as_number(left[i]), _bound_value(bound, {**case.constants, **own})

    return Paths(weights, shown, limit, both, size * (EXACT_MARGIN if exact else FLOAT_ERROR) + unsure)


def _bound_value(bound: Bound, constants: Mapping[Symbol, Number]) -> Any:
    """Return the bound as a rational, or else as a narrow ball."""
    full = bound.complete(constants)
    try:
        return evaluate_exact(bound.expr, full)
    except NotRational:
        return evaluate_to_precision(lambda: evaluate_ball(bound.expr, full), 100, 256, 1024)


def evaluate_all_paths(
    measure: PathMeasure, algorithm: Algorithm, bound: Bound, case: Case, mode: str, failure: Number | None
) -> Comparison:
    """Decide from all paths of a run; NotEnumerable or NotRational if they cannot be enumerated.

    A user's step whose numbers are irrational runs in balls, of rising precision until they decide. In mode "with
    probability" the measured values come from the path whose ratio is exceeded with just the allowed probability.
    """
    try:
        return _compare_paths(measure, bound, case, mode, failure, *exact_runs(algorithm, case, MAX_PATHS))
    except (NotRational, NotEnumerable):
        if is_library((algorithm.step, algorithm.init)) or has_capability(case.instance, OwnOracle):
            raise
        for precision in BALL_PRECISIONS:
            with ctx.workprec(precision), contextlib.suppress(Undecided, NotEnumerable):
                told = _compare_paths(measure, bound, case, mode, failure, *paths_in_balls(algorithm, case))
                if told.status is not None:
                    return told
        raise


def _compare_paths(
    measure: PathMeasure,
    bound: Bound,
    case: Case,
    mode: str,
    failure: Number | None,
    states: np.ndarray,
    weights: list[Any],
) -> Comparison:
    """Compare the sides of all paths, states (paths, R + 1, width) with their probabilities."""
    states = states[..., : case.instance.dim]
    # A constant given as a ball (an optimum found by a solver) is based on floats.
    kind: EvidenceKind = "numerical" if any(isinstance(v, arb) for v in case.instance.constants.values()) else "exact"
    if mode == "in expectation":
        return _compare_means(measure, bound, case, states, weights, kind)
    paths = _paths(measure, bound, case, states, weights)
    told, ratios = paths.states(bound.side), _tightness_ratios(paths, bound)
    if mode == "surely":
        return Comparison(_status_of_all(told), *_path_measurement(paths, int(np.argmax(ratios)), kind))
    assert failure is not None
    zero = RATIONAL.scalar(0)
    broken, open_ = (sum((w for w, t in zip(weights, told, strict=True) if t == k), zero) for k in (1, -1))
    sure, most = (compare(as_number(chance), failure, "upper") for chance in (broken, broken + open_))
    status: Status | None = "violated" if sure == "violated" else "holds" if most == "holds" else None
    return Comparison(status, *_path_measurement(paths, _quantile(ratios, weights, to_float(failure), status), kind))


def _status_of_all(told: np.ndarray) -> Status | None:
    """Decide whether the bound holds on every path."""
    return "violated" if (told == 1).any() else None if (told < 0).any() else "holds"


def _tightness_ratios(paths: Paths, bound: Bound) -> np.ndarray:
    """Return ratios that are large if the bound is nearly violated."""
    if bound.side == "upper":
        return paths.ratios
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(paths.left == 0, np.where(paths.limit > paths.budget, np.inf, 0.0), paths.limit / paths.left)


def _path_measurement(paths: Paths, i: int, evidence: EvidenceKind) -> tuple[Measured, Any]:
    left, limit = paths.exact(i)
    return Measured(left, evidence), limit


def _quantile(ratios: np.ndarray, weights: list[Any], allowed: float, status: Status | None) -> int:
    """Return the path with the largest ratio that is reached with more than the allowed probability."""
    order = np.argsort(-ratios, kind="stable")
    reached = np.cumsum([to_float(as_number(weights[i])) for i in order])
    beyond = np.nonzero(reached > allowed + (1e-12 if status != "violated" else -1e-12))[0]
    return int(order[beyond[0]] if len(beyond) else order[-1])


def _compare_means(
    measure: PathMeasure, bound: Bound, case: Case, states: np.ndarray, weights: list[Any], kind: EvidenceKind
) -> Comparison:
    """Compute the exact means of both sides."""
    left = sum(
        (v * w for v, w in zip(run_values(measure, states, case)[:, 0], weights, strict=True)), RATIONAL.scalar(0)
    )
    own = {
        s: as_number(sum((v * w for v, w in zip(values, weights, strict=True)), RATIONAL.scalar(0)))
        for s, values in notation_of_states(measure, states, case).items()
    }
    _require_affine(bound, tuple(own))
    limit = _bound_value(bound, {**case.constants, **own})
    return Comparison(compare(as_number(left), limit, bound.side), Measured(as_number(left), kind), limit)


def _require_affine(bound: Bound, letters: tuple[Symbol, ...]) -> None:
    for one in letters:
        if any(bound.expr.diff(one).has(other) for other in letters):
            raise ValueError(f"{bound.expr} is not affine in {one}, so its mean is not its value at the mean of {one}")


def check_simulated_paths(
    measure: PathMeasure, algorithm: Algorithm, bound: Bound, case: Case, seed: int, n: int
) -> Comparison:
    """Decide whether the bound holds on every simulated path; a few suffice if all are the same."""
    known = algorithm.anonymous and not measure.is_random(case)  # a user's step may draw random numbers
    n = DETERMINISTIC_RUNS if known else n
    paths = _simulate_paths(measure, algorithm, bound, case, seed, 0, n)
    told, ratios = paths.states(bound.side), _tightness_ratios(paths, bound)
    return Comparison(
        _status_of_all(told),
        *_interval_measurement(paths, ratios, np.array([int(np.argmax(ratios))] * 2), "sampled", 0.0, n),
    )


def count_violating_paths(
    measure: PathMeasure,
    algorithm: Algorithm,
    bound: Bound,
    case: Case,
    failure: Number,
    error_rate: float,
    seed: int,
    stages: tuple[int, ...],
) -> Comparison:
    """Decide by simulation whether the paths that violate the bound have at most the allowed total probability."""
    looks = geometric_schedule(stages, 2, 10)
    allowed = to_float(failure)
    rate, whole = (r / len(looks) / 2 for r in (error_rate, ESTIMATE_ERROR_RATE))
    gathered: Paths | None = None
    status: Status | None = None
    enough = 0  # runs that suffice for a decision at ESTIMATE_ERROR_RATE

    def more(first: int, last: int) -> bool:
        nonlocal gathered, status, enough
        part = _simulate_paths(measure, algorithm, bound, case, seed, first, last)
        gathered = part if gathered is None else _concatenate_paths(gathered, part)
        told = gathered.states(bound.side)
        broken, open_ = int((told == 1).sum()), int((told < 0).sum())
        status = _status_by_counts(broken, open_, last, allowed, rate)
        if not enough and _status_by_counts(broken, open_, last, allowed, whole):
            enough = last
        return status is not None

    run_until_decided(looks, more)
    assert gathered is not None
    ratios = _tightness_ratios(gathered, bound)
    ends = np.argsort(-ratios, kind="stable")[list(_quantile_ranks(len(ratios), allowed, rate))]
    shown = np.argsort(-ratios[: enough or len(ratios)], kind="stable")
    at = int(shown[min(int(allowed * len(shown)), len(shown) - 1)])
    return Comparison(
        status, *_interval_measurement(gathered, ratios, ends, "statistical", error_rate, len(ratios), at)
    )


def _status_by_counts(broken: int, open_: int, n: int, allowed: float, rate: float) -> Status | None:
    """Decide from confidence limits for the probability that a path violates the bound, each at the error rate."""
    if clopper_pearson(broken, n, rate)[0] > allowed:
        return "violated"
    return "holds" if clopper_pearson(broken + open_, n, rate)[1] <= allowed else None


def _quantile_ranks(n: int, allowed: float, rate: float) -> tuple[int, int]:
    """Return ranks (from 0, descending) of values around the quantile that is exceeded with the allowed probability."""
    low, high = 0, n
    while low < high:  # the limits increase with k
        middle = (low + high + 1) // 2
        low, high = (middle, high) if clopper_pearson(middle, n, rate)[1] <= allowed else (low, middle - 1)
    above = low
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if clopper_pearson(middle, n, rate)[0] > allowed else (middle + 1, high)
    return min(above, n - 1), min(low, n - 1)


def _simulate_paths(
    measure: PathMeasure, algorithm: Algorithm, bound: Bound, case: Case, seed: int, first: int, n: int
) -> Paths:
    """Simulate runs first..n-1 and store only both sides of each."""
    found: Paths | None = None
    for states in state_blocks(algorithm, case, n - first, seed, first):
        part = _paths(measure, bound, case, states, None)
        found = part if found is None else _concatenate_paths(found, part)
    assert found is not None
    return found


def simulated_sides(
    measure: PathMeasure, algorithm: Algorithm, bound: Bound, case: Case, seed: int, n: int
) -> np.ndarray:
    """Return the measured sides, then the limits, of simulated paths 0..n-1, (2 n,)."""
    paths = _simulate_paths(measure, algorithm, bound, case, seed, 0, n)
    return np.concatenate([paths.left, paths.limit])


def _concatenate_paths(one: Paths, two: Paths) -> Paths:
    left, limit = np.concatenate([one.left, two.left]), np.concatenate([one.limit, two.limit])
    return Paths(
        None, left, limit, lambda i: (float(left[i]), arb(float(limit[i]))), np.concatenate([one.budget, two.budget])
    )


def _interval_measurement(
    paths: Paths,
    ratios: np.ndarray,
    ends: np.ndarray,
    evidence: EvidenceKind,
    error_rate: float,
    n: int,
    at: int | None = None,
) -> tuple[Measured, Any]:
    """Return the measured interval between two paths' ratios, in units of the limit of path ``at`` (or the second)."""
    limit = float(paths.limit[ends[1] if at is None else at])

    def value(i: int) -> float:
        return float(paths.left[i]) * (limit / float(paths.limit[i]) if paths.limit[i] else 1.0)

    low, high = sorted(value(i) for i in ends)
    budget = float(paths.budget[ends].max())
    estimate = None if at is None else value(at)
    found = Interval(low - budget, high + budget)
    return Measured(found, evidence, error_rate, n, estimate=estimate), arb(limit)


def bet_on_difference(
    measure: PathMeasure,
    algorithm: Algorithm,
    bound: Bound,
    case: Case,
    error_rate: float,
    seed: int,
    stages: tuple[int, ...],
) -> Comparison:
    """Test by betting the mean of the measured side minus the part of the bound that depends on the run."""
    known = measure.span(case)
    if known is None:
        raise NotEnumerable(f"the mean of {measure.name} can't be computed")
    looks = geometric_schedule(stages, 2, 10)
    _require_affine(bound, measure.letters)
    without = bound.expr.subs(dict.fromkeys(measure.letters, 0))
    fixed = to_float(
        evaluate_to_precision(lambda: evaluate_ball(without, bound.complete(case.constants, measure.letters)))
    )
    limit = arb(fixed)

    def draw(first: int, last: int) -> tuple[np.ndarray, float]:
        paths = _simulate_paths(measure, algorithm, bound, case, seed, first, last)
        return paths.left - (paths.limit - fixed), float(paths.budget.max())

    def decided(found: Interval) -> bool:
        return compare(found, limit, bound.side) is not None

    names, span = (algorithm.name, measure.name), Interval(*known)
    measured = bet_on_mean(draw, names, span, fixed, decided, error_rate, looks)
    return Comparison(compare(measured.value, limit, bound.side), measured, limit)


def sampled_maximum(
    measure: RunMeasure | GameMeasure, algorithm: Method, case: Case, seed: int = 0, n: int = 1_000
) -> Measured:
    """Return the largest value over simulated paths (one if all are the same), with a relative error budget of 1e-9."""
    n = n if measure.is_random(case) else 1
    plays = isinstance(measure, GameMeasure)
    values = simulate(measure, algorithm, case, n, seed)
    if n == 1 and plays and not algorithm.own and (simulate(measure, algorithm, case, n, seed) != values).any():
        raise VariantError(
            f"{algorithm.name} plays the same game differently when it is repeated: it keeps a memory or draws"
        )
    worst = float(values.max())
    if math.isnan(worst):
        raise VariantError(f"{algorithm.name}: the measure of a run is NaN")
    trivial = measure.trivial(case) if plays else None  # a difference of terms of this size
    budget = 1e-9 * max(abs(worst), to_float(trivial) if trivial is not None else 0.0) + measure.float_error(case)
    below = isinstance(measure, GameMeasure) and measure.has_lower_limit and not algorithm.own
    return Measured(Interval(worst - budget, math.inf if below else worst + budget), "sampled", 0.0, n)
