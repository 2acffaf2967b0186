"""Simulated runs, a few at first, until what is known of them decides: every such loop is ``run_until_decided``.

Three intervals: empirical Bernstein for means of nonnegative values, betting where a span is known, and Clopper and
Pearson's for the probability that a path breaks its bound (``fltheory.evidence.pathwise``).
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

NO_CEILING = "no upper limit of a single run is known: only a lower confidence limit"


CLIP_FACTOR = 1e6  # times the limit: of what goes farther no more is believed than that
FIRST_BETTING_RUNS = 26  # runs all on one side that tell a probability from a half at the error rate of a single case


def run_until_decided(looks: tuple[int, ...], more: Callable[[int, int], bool]) -> int:
    """Run more and more until ``more(first, last)``, which adds the runs first..last-1, says that it is decided: how many."""
    done = 0
    for n in looks:
        decided = more(done, n)
        done = n
        if decided:
            break
    return done


def geometric_schedule(stages: tuple[int, ...], factor: float, share: int) -> tuple[int, ...]:
    """Numbers of runs after which to look: from a share of the first stage, ``factor`` times as many each time, to the last."""
    least, most = max(1, stages[0] // share), stages[-1]
    steps = math.ceil(math.log(most / least, factor)) if most > least else 0
    return tuple(sorted({min(most, round(least * factor**k)) for k in range(steps + 1)}))


def betting_schedule(stages: tuple[int, ...]) -> tuple[int, ...]:
    """Numbers of runs after which to look at a bet: FIRST, then a tenth more each time and at least ten, to the last stage."""
    found, most = [min(FIRST_BETTING_RUNS, stages[-1])], stages[-1]
    while found[-1] < most:
        found.append(min(most, found[-1] + max(10, found[-1] // 10)))
    return tuple(found)


def state_blocks(algorithm: Algorithm, case: Case, n: int, seed: int, first: int = 0) -> Iterator[np.ndarray]:
    """States of repetitions first..first+n-1, (runs, R + 1, dim), in blocks that fit in memory."""
    entries = (int(case.constants[n_rounds]) + 1) * case.instance.dim
    block = max(1, min(n, ENTRIES // entries))
    for i in range(0, n, block):
        states = rollout(algorithm, case, min(block, n - i), seed, first + i)[..., : case.instance.dim]
        _require_within_radius(algorithm, states)
        yield states


def _require_within_radius(algorithm: Algorithm, states: np.ndarray) -> None:
    """VariantError where a run goes farther from its start than the algorithm says of itself."""
    if algorithm.within is None:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.sqrt(((states - states[:, :1]) ** 2).sum(axis=2)).max()
    if not away <= to_float(algorithm.within) * (1 + 1e-9):
        raise VariantError(
            f"{algorithm.name} says that it stays within {exact_text(algorithm.within)} of its start, "
            f"but a run goes {away:.6g} away"
        )


def value_blocks(
    measure: RunMeasure, algorithm: Algorithm, case: Case, n: int, seed: int, first: int = 0
) -> Iterator[np.ndarray]:
    """Values of repetitions first..first+n-1, (runs, k); no states where compiled runs give what the measure reads."""
    reading = measure.reading(case) if _needs_only_points(measure, algorithm) else None
    points = None if reading is None else stream_runs(algorithm, case, n, reading.weights, seed, first)
    if points is not None:
        yield measure.of_points(points, case)
        return
    for states in state_blocks(algorithm, case, n, seed, first):
        yield run_values(measure, states, case)


def _needs_only_points(measure: RunMeasure, algorithm: Algorithm) -> bool:
    """Whether one point of every run is enough, and compiled runs give it."""
    return (
        algorithm.within is None and algorithm.streaming_kernel is not None and describes_own_values(measure, "reading")
    )


def steps_per_run(case: Case, clients: bool = True) -> float:
    """Rounds times local steps of a run, and times its clients; a count that the case lacks or can't tell is 1."""
    counts = (n_rounds, n_local_steps, *([n_clients] if clients else []))
    try:
        return math.prod(max(1.0, to_float(case.constants.get(s, 1))) for s in counts)
    except (ValueError, ArithmeticError):  # no constants, such as those of an objective without a minimiser
        return 1.0


def simulate(
    measure: RunMeasure | GameMeasure, algorithm: Any, case: Case, n: int, seed: int, first: int = 0
) -> np.ndarray:
    """Values of repetitions first..first+n-1: (n, k) of runs, (n,) of games."""
    if isinstance(measure, GameMeasure):
        return _simulate_games(measure, algorithm, case, seed, first, first + n)
    return np.concatenate(list(value_blocks(measure, algorithm, case, n, seed, first)))


def _simulate_games(measure: GameMeasure, algorithm: Any, case: Case, seed: int, first: int, last: int) -> np.ndarray:
    """Values of games first..last-1; a compiled game counts nothing itself."""
    spend(CALL_COST + (last - first) * steps_per_run(case) / COMPILED_FLOATS_PER_UNIT)
    return measure.simulate(algorithm, case, seed, np.arange(first, last))


class Sample(NamedTuple):
    """What an interval needs of the runs so far, values clipped at ``span``: memory does not grow with their number."""

    n: int
    mean: np.ndarray  # of every column
    deviations: np.ndarray  # sums of squared deviations from it
    largest: float  # before clipping; NaN where a value is
    span: float
    plain: np.ndarray | float = 0.0  # means before clipping

    @classmethod
    def of(cls, values: np.ndarray, span: float) -> Sample:
        """The sample of some runs, (runs, k)."""
        clipped = np.minimum(values, span) if math.isfinite(span) else np.zeros_like(values)
        mean = clipped.mean(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            plain = values.mean(axis=0)
        return cls(len(values), mean, ((clipped - mean) ** 2).sum(axis=0), float(values.max()), span, plain)

    def joined(self, other: Sample) -> Sample:
        """Both together (Chan, Golub, LeVeque 1983)."""
        n, shift = self.n + other.n, other.mean - self.mean
        mean = self.mean + shift * (other.n / n)
        deviations = self.deviations + other.deviations + shift**2 * (self.n * other.n / n)
        with np.errstate(over="ignore", invalid="ignore"):
            plain = self.plain + (other.plain - self.plain) * (other.n / n)
        return Sample(n, mean, deviations, float(np.maximum(self.largest, other.largest)), self.span, plain)

    @property
    def estimate(self) -> float | None:
        """The least of the columns' means, None where floats overflow."""
        least = float(np.min(self.plain))
        return least if math.isfinite(least) else None


def half_width(sample: Sample, error_rate: float) -> np.ndarray:
    """Half-width of the two-sided empirical Bernstein interval (Maurer, Pontil 2009) for columns in [0, span]."""
    log = math.log(4 / error_rate)
    variance = sample.deviations / (sample.n - 1)
    return np.sqrt(2 * variance * log / sample.n) + 7 * sample.span * log / (3 * (sample.n - 1))


def confidence_interval(sample: Sample, has_ceiling: bool, error_rate: float) -> Interval:
    """A confidence interval for the least of the columns' means of nonnegative values, at the error rate.

    Where the span is no ceiling of the values, the mean of clipped values is a valid lower limit, the upper is infinite.
    So it is where a value exceeds its ceiling: then the ceiling is none.
    """
    if not math.isfinite(sample.span):
        return Interval(0.0, math.inf)
    width = half_width(sample, error_rate / len(sample.mean))
    budget = 1e-9 * sample.span  # rounding of the simulated floats
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
    """Simulate until the confidence interval decides; the error rate is split over the looks.

    ``trusted``: the algorithm is one whose ceiling is known; a user's variant may leave it, so it gets none, unless it
    says how far its runs go: that is then supposed, and every simulated run is held to it.
    ``upper``: the limit is one from above. Without a ceiling it can only be refuted, so a first look whose mean is below
    half of it is the last. Then one bets on all values, however far they go, since clipped ones may have another mean.
    """
    ceiling = _value_ceiling(measure, algorithm, case, trusted)
    span = 8 * limit if ceiling is None else ceiling
    sample: Sample | None = None
    clipped: Sample | None = None  # at the limit's own size, for the lower end, where runs may go much farther
    found, estimate = Interval(0.0, math.inf), None
    bets = list[np.ndarray]() if upper and ceiling is None else None

    def more(first: int, last: int) -> bool:
        nonlocal sample, clipped, found, estimate
        for values in value_blocks(measure, algorithm, case, last - first, seed, first):
            if bets is not None:
                bets.append(values)
            _require_nonnegative(measure, values, limit)
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
        if estimate is None and (told or decided(wide)):
            estimate = sample.estimate
        return told or (upper and ceiling is None and float(sample.mean.min()) < limit / 2)

    n = run_until_decided(
        stages if bets is None else geometric_schedule(stages, 2, 1), more
    )  # bets may be looked at whenever one likes
    assert sample is not None
    note = "" if math.isfinite(found.high) else NO_CEILING
    said = "" if algorithm.within is None else _supposition_note(algorithm, n)
    figure = sample.estimate if estimate is None else estimate
    return Measured(found, "statistical", error_rate, n, note, figure, why=said)


def _require_nonnegative(measure: RunMeasure, values: np.ndarray, limit: float) -> None:
    """NotEnumerable where a user's measure is negative in a run: what is said of means here is said of nonnegative numbers."""
    least = float(values.min(initial=0.0))
    if least < -1e-9 * max(limit, float(np.abs(values).max(initial=0.0))) and not is_library(measure):
        raise NotEnumerable(
            f"{measure.name} of a run is negative ({least:.3g}): simulated runs tell of means of nonnegative numbers alone"
        )


def _betting_interval(values: np.ndarray, limit: float, error_rate: float) -> Interval:
    """What bets say of the least of the columns' means of nonnegative values, (runs, k): a lower end, 0 if not above the limit.

    The rate is not split over looks, as such limits hold whenever one looks.
    """
    own = 2 * error_rate / values.shape[1]  # ``confidence_limits`` takes half of it for either end
    values = np.minimum(values, CLIP_FACTOR * limit) if limit > 0 else values
    budget = 1e-9 * float(np.abs(values).max(initial=0.0))
    if not all(interval_excludes(column, limit + budget, 0.0, math.inf, own) for column in values.T):
        return Interval(0.0, math.inf)
    lowest = min(confidence_limits(column, 0.0, math.inf, own)[0] for column in values.T)
    return Interval(max(0.0, lowest - budget), math.inf)


def _clipped_interval(sample: Sample, clipped: Sample | None, has_ceiling: bool, error_rate: float) -> Interval:
    """The interval of a sample; its lower end from values that were clipped lower, where there are such."""
    if clipped is None:
        return confidence_interval(sample, has_ceiling, error_rate)
    low, high = (
        confidence_interval(clipped, False, error_rate / 2).low,
        confidence_interval(sample, has_ceiling, error_rate / 2).high,
    )
    return Interval(min(low, high), high)


def _value_ceiling(measure: RunMeasure, algorithm: Algorithm, case: Case, trusted: bool) -> float | None:
    """What no value exceeds: known of the plain algorithms, or as far as an algorithm says that its runs go."""
    if not describes_own_values(measure, "ceiling"):
        return None
    if algorithm.within is not None:
        return measure.ceiling(case, to_float(algorithm.within))
    return measure.ceiling(case) if trusted and is_plain(case.instance) else None


def _supposition_note(algorithm: Algorithm, n: int) -> str:
    within = exact_text(algorithm.within)
    return f"supposes that every run stays within {within} of its start, as {algorithm.name} says: all {n} did"


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
    """Simulate a quantity that has a span on every path until the confidence interval by betting decides.

    ``trusted``: the algorithm keeps to the span, as any does where the measure says ``of_any_algorithm``; of a user's
    variant else only the lower end is known. It looks early and often (``betting_schedule``): where the spread is small, few
    runs suffice.
    The error rate is not split over them, as the intervals of ``bet_sequentially`` hold whenever one looks.
    """
    known = measure.span(case)
    assert known is not None

    def draw(first: int, last: int) -> tuple[np.ndarray, float]:
        return _simulate_games(measure, algorithm, case, seed, first, last), measure.float_error(case)

    span = Interval(known[0], known[1] if trusted else math.inf)
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
    """Bet on the mean of what ``draw(first, last)`` gives for runs first..last-1, with its error in floats, look by look.

    VariantError, with the ``names`` of algorithm and measure, where a value leaves the span.
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
            raise VariantError(f"{names[0]}: a run leaves what is known of {names[1]}: [{low:g}, {high:g}]")
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
    """Limits of a probability, each wrong with probability at most ``error_rate`` (Clopper, Pearson 1934)."""
    from scipy.special import betaincinv

    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, error_rate))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - error_rate))
    return low, high
