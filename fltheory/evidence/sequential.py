"""Sequential tests: simulate runs in growing batches until the confidence interval decides (``run_until_decided``).

There are three intervals: empirical Bernstein for means of nonnegative values, betting for a known span, and
Clopper-Pearson for the probability that a path violates its bound (``fltheory.evidence.pathwise``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fltheory.evidence.betting import confidence_limits, interval_excludes
from fltheory.evidence.measured import ENTRIES, ESTIMATE_ERROR_RATE, STAGES, Interval, Measured
from fltheory.evidence.user_values import describes_own_values, run_values
from fltheory.evidence.validation.consistency import is_plain
from fltheory.model.case import Case
from fltheory.number import exact_text, to_float
from fltheory.number.ownership import is_library
from fltheory.runs.algorithm import Algorithm, rollout, stream_runs
from fltheory.runs.measures import GameMeasure, RunMeasure
from fltheory.runs.method import Method, NotEnumerable, VariantError
from fltheory.symbols import n_clients, n_local_steps, n_rounds
from fltheory.work import CALL_COST, COMPILED_FLOATS_PER_UNIT, spend

NO_CEILING = "no upper bound on a single run is known, so there is only a lower confidence limit"


CLIP_FACTOR = 1e6  # times the limit: larger values are clipped to this
FIRST_BETTING_RUNS = 26  # equal results that distinguish a probability from 1/2 at the error rate of a case


def run_until_decided(looks: tuple[int, ...], more: Callable[[int, int], bool]) -> int:
    """Call ``more(first, last)``, which adds runs first..last-1, until it decides; return the number of runs."""
    done = 0
    for n in looks:
        decided = more(done, n)
        done = n
        if decided:
            break
    return done


def geometric_schedule(stages: tuple[int, ...], factor: float, share: int) -> tuple[int, ...]:
    """Return the numbers of runs at interim analyses, from a share of the first stage up by ``factor`` to the last."""
    least, most = max(1, stages[0] // share), stages[-1]
    steps = math.ceil(math.log(most / least, factor)) if most > least else 0
    return tuple(sorted({min(most, round(least * factor**k)) for k in range(steps + 1)}))


def betting_schedule(stages: tuple[int, ...]) -> tuple[int, ...]:
    """Return the schedule for betting: ``FIRST_BETTING_RUNS``, then a tenth (at least ten) more each time."""
    found, most = [min(FIRST_BETTING_RUNS, stages[-1])], stages[-1]
    while found[-1] < most:
        found.append(min(most, found[-1] + max(10, found[-1] // 10)))
    return tuple(found)


def state_blocks(algorithm: Algorithm, case: Case, n: int, seed: int, first: int = 0) -> Iterator[np.ndarray]:
    """Yield states of repetitions first..first+n-1, (runs, R + 1, dim), in blocks that fit in memory."""
    entries = (int(case.constants[n_rounds]) + 1) * case.instance.dim
    block = max(1, min(n, ENTRIES // entries))
    for i in range(0, n, block):
        states = rollout(algorithm, case, min(block, n - i), seed, first + i)[..., : case.instance.dim]
        _require_within_radius(algorithm, states)
        yield states


def _require_within_radius(algorithm: Algorithm, states: np.ndarray) -> None:
    """Raise VariantError if a run goes farther from its start than the algorithm declares (``within``)."""
    if algorithm.within is None:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.sqrt(((states - states[:, :1]) ** 2).sum(axis=2)).max()
    if not away <= to_float(algorithm.within) * (1 + 1e-9):
        raise VariantError(
            f"{algorithm.name} declares that it stays within {exact_text(algorithm.within)} of its start, "
            f"but a run goes {away:.6g} away"
        )


def value_blocks(
    measure: RunMeasure, algorithm: Algorithm, case: Case, n: int, seed: int, first: int = 0
) -> Iterator[np.ndarray]:
    """Yield values of repetitions first..first+n-1, (runs, k), without states if compiled runs return the summary."""
    reading = measure.reading(case) if _needs_only_points(measure, algorithm) else None
    points = None if reading is None else stream_runs(algorithm, case, n, reading.weights, seed, first)
    if points is not None:
        yield measure.of_points(points, case)
        return
    for states in state_blocks(algorithm, case, n, seed, first):
        yield run_values(measure, states, case)


def _needs_only_points(measure: RunMeasure, algorithm: Algorithm) -> bool:
    """Return whether one point of every run suffices and compiled runs return it."""
    return (
        algorithm.within is None and algorithm.streaming_kernel is not None and describes_own_values(measure, "reading")
    )


def steps_per_run(case: Case, clients: bool = True) -> float:
    """Return rounds times local steps of a run, and the same times its clients; an unknown count is 1."""
    counts = (n_rounds, n_local_steps, *([n_clients] if clients else []))
    try:
        return math.prod(max(1.0, to_float(case.constants.get(s, 1))) for s in counts)
    except (ValueError, ArithmeticError):  # no constants, for example if the objective has no minimiser
        return 1.0


def simulate(
    measure: RunMeasure | GameMeasure, algorithm: Any, case: Case, n: int, seed: int, first: int = 0
) -> np.ndarray:
    """Return values of repetitions first..first+n-1: (n, k) for runs, (n,) for games."""
    if isinstance(measure, GameMeasure):
        return _simulate_games(measure, algorithm, case, seed, first, first + n)
    return np.concatenate(list(value_blocks(measure, algorithm, case, n, seed, first)))


def _simulate_games(measure: GameMeasure, algorithm: Any, case: Case, seed: int, first: int, last: int) -> np.ndarray:
    """Return values of games first..last-1; compiled games do not charge their own work."""
    spend(CALL_COST + (last - first) * steps_per_run(case) / COMPILED_FLOATS_PER_UNIT)
    return measure.simulate(algorithm, case, seed, np.arange(first, last))


class Sample(NamedTuple):
    """Statistics of the runs so far, with values clipped at ``span``, in constant memory."""

    n: int
    mean: np.ndarray  # mean of every column
    deviations: np.ndarray  # sums of squared deviations from the mean
    largest: float  # before clipping; NaN if a value is NaN
    span: float
    plain: np.ndarray | float = 0.0  # means before clipping

    @classmethod
    def of(cls, values: np.ndarray, span: float) -> Sample:
        """Return the statistics of some runs, (runs, k)."""
        clipped = np.minimum(values, span) if math.isfinite(span) else np.zeros_like(values)
        mean = clipped.mean(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            plain = values.mean(axis=0)
        return cls(len(values), mean, ((clipped - mean) ** 2).sum(axis=0), float(values.max()), span, plain)

    def joined(self, other: Sample) -> Sample:
        """Combine two samples (Chan, Golub, LeVeque 1983)."""
        n, shift = self.n + other.n, other.mean - self.mean
        mean = self.mean + shift * (other.n / n)
        deviations = self.deviations + other.deviations + shift**2 * (self.n * other.n / n)
        with np.errstate(over="ignore", invalid="ignore"):
            plain = self.plain + (other.plain - self.plain) * (other.n / n)
        return Sample(n, mean, deviations, float(np.maximum(self.largest, other.largest)), self.span, plain)

    @property
    def estimate(self) -> float | None:
        """The least of the columns' means, or None if floats overflow."""
        least = float(np.min(self.plain))
        return least if math.isfinite(least) else None


def half_width(sample: Sample, error_rate: float) -> np.ndarray:
    """Return the half-width of the two-sided empirical Bernstein interval (Maurer, Pontil 2009) for [0, span]."""
    log = math.log(4 / error_rate)
    variance = sample.deviations / (sample.n - 1)
    return np.sqrt(2 * variance * log / sample.n) + 7 * sample.span * log / (3 * (sample.n - 1))


def confidence_interval(sample: Sample, has_ceiling: bool, error_rate: float) -> Interval:
    """Return a confidence interval for the least of the columns' means of nonnegative values, at the error rate.

    If the span does not bound the values, the mean of clipped values is a valid lower limit, and the upper limit is
    infinite. The same holds if a value exceeds the declared bound.
    """
    if not math.isfinite(sample.span):
        return Interval(0.0, math.inf)
    width = half_width(sample, error_rate / len(sample.mean))
    budget = 1e-9 * sample.span  # rounding error of the simulated floats
    low = float((sample.mean - width).min()) - budget
    bounded = has_ceiling and sample.largest <= sample.span * (1 + 1e-9)
    return Interval(max(low, 0.0), float((sample.mean + width).min()) + budget if bounded else math.inf)


def estimate_sequentially(
    measure: RunMeasure,
    algorithm: Algorithm,
    case: Case,
    limit: float,
    decided: Callable[[Interval], bool],
    error_rate: float,
    seed: int = 0,
    trusted: bool = True,
    stages: tuple[int, ...] = STAGES,
    upper: bool = False,
) -> Measured:
    """Simulate until the confidence interval decides; the error rate is split over the interim analyses.

    ``trusted``: the measure's bound on a single run applies to the algorithm. A user's variant may exceed it, so it has
    none unless it declares ``within``, which is then assumed and checked on every simulated run. ``upper``: the claim
    is an upper bound. Without a bound on single runs it can only be refuted, so the test stops if the first mean is
    below half of it. Otherwise betting uses all values unclipped, since clipping may change the mean.
    """
    ceiling = value_ceiling(measure, algorithm, case, trusted)
    span = 8 * limit if ceiling is None else ceiling
    sample: Sample | None = None
    clipped: Sample | None = None  # clipped near the limit, for the lower end, if runs may be much larger
    found, estimate = Interval(0.0, math.inf), None
    bets = list[np.ndarray]() if upper and ceiling is None else None

    def more(first: int, last: int) -> bool:
        nonlocal sample, clipped, found, estimate
        for values in value_blocks(measure, algorithm, case, last - first, seed, first):
            if bets is not None:
                bets.append(values)
            require_nonnegative(measure, values, limit)
            part = Sample.of(values, span)
            sample = part if sample is None else sample.joined(part)
            if algorithm.within is not None:
                near = Sample.of(values, 8 * limit)
                clipped = near if clipped is None else clipped.joined(near)
        assert sample is not None
        if math.isnan(sample.largest):
            raise VariantError(f"{algorithm.name}: the measure of a run is NaN")
        if bets is not None:
            found, wide = (
                _betting_interval(np.concatenate(bets), limit, rate) for rate in (error_rate, ESTIMATE_ERROR_RATE)
            )
        else:
            rates = (error_rate / len(stages), ESTIMATE_ERROR_RATE / len(stages))
            found, wide = (_clipped_interval(sample, clipped, ceiling is not None, rate) for rate in rates)
        told = decided(found)
        if estimate is None and decided(wide):
            estimate = sample.estimate
        return told or (upper and ceiling is None and float(sample.mean.min()) < limit / 2)

    n = run_until_decided(
        stages if bets is None else geometric_schedule(stages, 2, 1), more
    )  # betting allows any number of interim analyses
    assert sample is not None
    note = "" if math.isfinite(found.high) else NO_CEILING
    said = "" if algorithm.within is None else supposition_note(algorithm, n)
    figure = sample.estimate if estimate is None else estimate
    return Measured(found, "statistical", error_rate, n, note, figure, why=said)


def require_nonnegative(measure: RunMeasure, values: np.ndarray, limit: float) -> None:
    """Raise NotEnumerable if a user's measure is negative in a run, because these intervals need nonnegative values."""
    least = float(values.min(initial=0.0))
    if least < -1e-9 * max(limit, float(np.abs(values).max(initial=0.0))) and not is_library(measure):
        raise NotEnumerable(
            f"{measure.name} of a run is negative ({least:.3g}): confidence intervals need nonnegative values"
        )


def _betting_interval(values: np.ndarray, limit: float, error_rate: float) -> Interval:
    """Bet on the least mean of columns of nonnegative values, (runs, k); the lower end is 0 unless above the limit.

    The error rate is not split, as these limits hold at all sample sizes simultaneously.
    """
    own = 2 * error_rate / values.shape[1]  # ``confidence_limits`` uses half of it for each end
    values = np.minimum(values, CLIP_FACTOR * limit) if limit > 0 else values
    budget = 1e-9 * float(np.abs(values).max(initial=0.0))
    if not all(interval_excludes(column, limit + budget, 0.0, math.inf, own) for column in values.T):
        return Interval(0.0, math.inf)
    lowest = min(confidence_limits(column, 0.0, math.inf, own)[0] for column in values.T)
    return Interval(max(0.0, lowest - budget), math.inf)


def _clipped_interval(sample: Sample, clipped: Sample | None, has_ceiling: bool, error_rate: float) -> Interval:
    """Return the interval of a sample; the lower end comes from the more strongly clipped values, if any."""
    if clipped is None:
        return confidence_interval(sample, has_ceiling, error_rate)
    low, high = (
        confidence_interval(clipped, False, error_rate / 2).low,
        confidence_interval(sample, has_ceiling, error_rate / 2).high,
    )
    return Interval(min(low, high), high)


def value_ceiling(measure: RunMeasure, algorithm: Algorithm, case: Case, trusted: bool) -> float | None:
    """Return a bound on all values, known for the unmodified algorithms or from the ``within`` of an algorithm."""
    if not describes_own_values(measure, "ceiling"):
        return None
    if algorithm.within is not None:
        return measure.ceiling(case, to_float(algorithm.within))
    return measure.ceiling(case) if trusted and is_plain(case.instance) else None


def supposition_note(algorithm: Algorithm, n: int) -> str:
    within = exact_text(algorithm.within)
    return f"assumes that every run stays within {within} of its start, as {algorithm.name} declares: all {n} did"


def bet_sequentially(
    measure: GameMeasure,
    algorithm: Method,
    case: Case,
    limit: float,
    decided: Callable[[Interval], bool],
    error_rate: float,
    seed: int = 0,
    trusted: bool = True,
    stages: tuple[int, ...] = STAGES,
) -> Measured:
    """Simulate a quantity with a known span on every path until the betting confidence interval decides.

    ``trusted``: the span applies to the algorithm, or to all algorithms if the measure has ``of_any_algorithm``;
    otherwise only the lower end is known for a user's variant. Interim analyses are early and frequent
    (``betting_schedule``), since few runs suffice for a small spread. The error rate is not split over them, as the
    intervals of ``bet_sequentially`` hold at all sample sizes.
    """
    known = measure.span(case)
    assert known is not None

    def draw(first: int, last: int) -> tuple[np.ndarray, float]:
        return _simulate_games(measure, algorithm, case, seed, first, last), measure.float_error(case)

    span = Interval(known[0], known[1] if trusted else math.inf)
    return bet_on_mean(draw, (algorithm.name, measure.name), span, limit, decided, error_rate, betting_schedule(stages))


def bet_on_runs(
    measure: RunMeasure,
    algorithm: Algorithm,
    case: Case,
    limit: float,
    decided: Callable[[Interval], bool],
    error_rate: float,
    seed: int = 0,
    stages: tuple[int, ...] = STAGES,
) -> Measured:
    """Do the same for a quantity of runs that may be negative; NotEnumerable if it has no known span."""
    known = measure.span(case)
    if known is None:
        raise NotEnumerable(f"{measure.name} may be negative, and no range of it is known: its mean can't be estimated")

    def draw(first: int, last: int) -> tuple[np.ndarray, float]:
        return simulate(measure, algorithm, case, last - first, seed, first)[:, 0], measure.float_error(case)

    span = Interval(known[0], known[1] if algorithm.own or measure.of_any_algorithm else math.inf)
    return bet_on_mean(draw, (algorithm.name, measure.name), span, limit, decided, error_rate, betting_schedule(stages))


def bet_on_mean(
    draw: Callable[[int, int], tuple[np.ndarray, float]],
    names: tuple[str, str],
    span: Interval,
    limit: float,
    decided: Callable[[Interval], bool],
    error_rate: float,
    looks: tuple[int, ...],
) -> Measured:
    """Bet on the mean of the values and float errors from ``draw(first, last)`` for runs first..last-1, in batches.

    VariantError, with the ``names`` of algorithm and measure, if a value leaves the span.
    """
    low, high = span
    values = np.empty(0)
    found, estimate = span, None

    def more(first: int, last: int) -> bool:
        nonlocal values, found, estimate
        new, off = draw(first, last)
        values = np.concatenate([values, new])
        if np.isnan(values).any():
            raise VariantError(f"{names[0]}: the measure of a run is NaN")
        budget = 1e-9 * float(max(abs(low), abs(high) if math.isfinite(high) else 0.0, np.abs(values).max())) + off
        if not ((values >= low - budget).all() and (values <= high + budget).all()):
            raise VariantError(f"{names[0]}: a run leaves the known range of {names[1]}: [{low:g}, {high:g}]")
        clipped = np.clip(values, low, high)
        if estimate is None and interval_excludes(clipped, limit, low, high, ESTIMATE_ERROR_RATE):
            estimate = float(values.mean())
        if last < looks[-1] and not interval_excludes(clipped, limit, low, high, error_rate):
            return False
        lower, upper = confidence_limits(clipped, low, high, error_rate)
        found = Interval(lower - budget, upper + budget)
        return decided(found)

    run_until_decided(looks, more)
    note = "" if math.isfinite(high) else NO_CEILING
    figure = float(values.mean()) if estimate is None else estimate
    return Measured(found, "statistical", error_rate, len(values), note, figure)


def clopper_pearson(successes: int, n: int, error_rate: float) -> tuple[float, float]:
    """Return limits of a probability, each wrong with probability at most ``error_rate`` (Clopper, Pearson 1934)."""
    from scipy.special import betaincinv

    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, error_rate))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - error_rate))
    return low, high
