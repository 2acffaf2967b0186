"""Simulated runs, a few at first, until what is known of them decides: every such loop is ``look``.

Three intervals: empirical Bernstein for means of nonnegative values, betting where a span is known, and Clopper and
Pearson's for the probability that a path breaks its bound (``fltheory.evidence.pathwise``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fltheory.evidence.betting import limits, tell
from fltheory.evidence.measured import ENTRIES, FIGURE_RATE, STAGES, Interval, Measured
from fltheory.evidence.user_values import of_its_values, of_states
from fltheory.evidence.validation.consistency import is_plain
from fltheory.model.case import Case
from fltheory.number import text, to_float
from fltheory.number.ownership import of_library
from fltheory.number.work import CALL, NUMBERS, spend
from fltheory.runs.algorithm import Algorithm, rollout, streamed
from fltheory.runs.measures import OfGame, OfRun
from fltheory.runs.method import Method, NotEnumerable, VariantError
from fltheory.symbols import n_clients, n_local_steps, n_rounds

NO_CEILING = "no upper limit of a single run is known: only a lower confidence limit"


FARTHEST = 1e6  # times the limit: of what goes farther no more is believed than that
FIRST = 26  # runs all on one side that tell a probability from a half at the error rate of a single case


def look(looks: tuple[int, ...], more: Callable[[int, int], bool]) -> int:
    """Run more and more until ``more(first, last)``, which adds the runs first..last-1, says that it is decided: how many."""
    done = 0
    for n in looks:
        decided = more(done, n)
        done = n
        if decided:
            break
    return done


def early(stages: tuple[int, ...], factor: float, share: int) -> tuple[int, ...]:
    """Numbers of runs after which to look: from a share of the first stage, ``factor`` times as many each time, to the last."""
    least, most = max(1, stages[0] // share), stages[-1]
    steps = math.ceil(math.log(most / least, factor)) if most > least else 0
    return tuple(sorted({min(most, round(least * factor**k)) for k in range(steps + 1)}))


def steady(stages: tuple[int, ...]) -> tuple[int, ...]:
    """Numbers of runs after which to look at a bet: FIRST, then a tenth more each time and at least ten, to the last stage."""
    found, most = [min(FIRST, stages[-1])], stages[-1]
    while found[-1] < most:
        found.append(min(most, found[-1] + max(10, found[-1] // 10)))
    return tuple(found)


def blocks_of_states(algorithm: Algorithm, case: Case, n: int, seed: int, first: int = 0) -> Iterator[np.ndarray]:
    """States of repetitions first..first+n-1, (runs, R + 1, dim), in blocks that fit in memory."""
    entries = (int(case.constants[n_rounds]) + 1) * case.instance.dim
    block = max(1, min(n, ENTRIES // entries))
    for i in range(0, n, block):
        states = rollout(algorithm, case, min(block, n - i), seed, first + i)[..., : case.instance.dim]
        _require_within(algorithm, states)
        yield states


def _require_within(algorithm: Algorithm, states: np.ndarray) -> None:
    """VariantError where a run goes farther from its start than the algorithm says of itself."""
    if algorithm.within is None:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.sqrt(((states - states[:, :1]) ** 2).sum(axis=2)).max()
    if not away <= to_float(algorithm.within) * (1 + 1e-9):
        raise VariantError(
            f"{algorithm.name} says that it stays within {text(algorithm.within)} of its start, but a run goes {away:.6g} away"
        )


def blocks(measure: OfRun, algorithm: Algorithm, case: Case, n: int, seed: int, first: int = 0) -> Iterator[np.ndarray]:
    """Values of repetitions first..first+n-1, (runs, k); no states where compiled runs give what the measure reads."""
    reading = measure.reading(case) if _reads_points(measure, algorithm) else None
    points = None if reading is None else streamed(algorithm, case, n, reading.weights, seed, first)
    if points is not None:
        yield measure.of_points(points, case)
        return
    for states in blocks_of_states(algorithm, case, n, seed, first):
        yield of_states(measure, states, case)


def _reads_points(measure: OfRun, algorithm: Algorithm) -> bool:
    """Whether one point of every run is enough, and compiled runs give it."""
    return algorithm.within is None and algorithm.streamed is not None and of_its_values(measure, "reading")


def steps_of(case: Case, clients: bool = True) -> float:
    """Rounds times local steps of a run, and times its clients; a count that the case lacks or can't tell is 1."""
    counts = (n_rounds, n_local_steps, *([n_clients] if clients else []))
    try:
        return math.prod(max(1.0, to_float(case.constants.get(s, 1))) for s in counts)
    except (ValueError, ArithmeticError):  # no constants, such as those of an objective without a minimiser
        return 1.0


def simulate(measure: OfRun | OfGame, algorithm: Any, case: Case, n: int, seed: int, first: int = 0) -> np.ndarray:
    """Values of repetitions first..first+n-1: (n, k) of runs, (n,) of games."""
    if isinstance(measure, OfGame):
        return _games(measure, algorithm, case, seed, first, first + n)
    return np.concatenate(list(blocks(measure, algorithm, case, n, seed, first)))


def _games(measure: OfGame, algorithm: Any, case: Case, seed: int, first: int, last: int) -> np.ndarray:
    """Values of games first..last-1; a compiled game counts nothing itself."""
    spend(CALL + (last - first) * steps_of(case) / NUMBERS)
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


def interval(sample: Sample, has_ceiling: bool, error_rate: float) -> Interval:
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


def statistical(
    measure: OfRun,
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
    ceiling = _ceiling(measure, algorithm, case, trusted)
    span = 8 * limit if ceiling is None else ceiling
    sample: Sample | None = None
    clipped: Sample | None = None  # at the limit's own size, for the lower end, where runs may go much farther
    found, estimate = Interval(0.0, math.inf), None
    bets = list[np.ndarray]() if upper and ceiling is None else None

    def more(first: int, last: int) -> bool:
        nonlocal sample, clipped, found, estimate
        for values in blocks(measure, algorithm, case, last - first, seed, first):
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
            found, wide = (_of_bets(np.concatenate(bets), limit, rate) for rate in (error_rate, FIGURE_RATE))
        else:
            rates = (error_rate / len(stages), FIGURE_RATE / len(stages))
            found, wide = (_of_both(sample, clipped, ceiling is not None, rate) for rate in rates)
        told = decided(found)
        if estimate is None and (told or decided(wide)):
            estimate = sample.estimate
        return told or (upper and ceiling is None and float(sample.mean.min()) < limit / 2)

    n = look(stages if bets is None else early(stages, 2, 1), more)  # bets may be looked at whenever one likes
    assert sample is not None
    note = "" if math.isfinite(found.high) else NO_CEILING
    said = "" if algorithm.within is None else _supposed(algorithm, n)
    figure = sample.estimate if estimate is None else estimate
    return Measured(found, "statistical", error_rate, n, note, figure, why=said)


def _require_nonnegative(measure: OfRun, values: np.ndarray, limit: float) -> None:
    """NotEnumerable where a user's measure is negative in a run: what is said of means here is said of nonnegative numbers."""
    least = float(values.min(initial=0.0))
    if least < -1e-9 * max(limit, float(np.abs(values).max(initial=0.0))) and not of_library(measure):
        raise NotEnumerable(
            f"{measure.name} of a run is negative ({least:.3g}): simulated runs tell of means of nonnegative numbers alone"
        )


def _of_bets(values: np.ndarray, limit: float, error_rate: float) -> Interval:
    """What bets say of the least of the columns' means of nonnegative values, (runs, k): a lower end, 0 if not above the limit.

    The rate is not split over looks, as such limits hold whenever one looks.
    """
    own = 2 * error_rate / values.shape[1]  # ``limits`` takes half of it for either end
    values = np.minimum(values, FARTHEST * limit) if limit > 0 else values
    budget = 1e-9 * float(np.abs(values).max(initial=0.0))
    if not all(tell(column, limit + budget, 0.0, math.inf, own) for column in values.T):
        return Interval(0.0, math.inf)
    lowest = min(limits(column, 0.0, math.inf, own)[0] for column in values.T)
    return Interval(max(0.0, lowest - budget), math.inf)


def _of_both(sample: Sample, clipped: Sample | None, has_ceiling: bool, error_rate: float) -> Interval:
    """The interval of a sample; its lower end from values that were clipped lower, where there are such."""
    if clipped is None:
        return interval(sample, has_ceiling, error_rate)
    low, high = interval(clipped, False, error_rate / 2).low, interval(sample, has_ceiling, error_rate / 2).high
    return Interval(min(low, high), high)


def _ceiling(measure: OfRun, algorithm: Algorithm, case: Case, trusted: bool) -> float | None:
    """What no value exceeds: known of the plain algorithms, or as far as an algorithm says that its runs go."""
    if not of_its_values(measure, "ceiling"):
        return None
    if algorithm.within is not None:
        return measure.ceiling(case, to_float(algorithm.within))
    return measure.ceiling(case) if trusted and is_plain(case.instance) else None


def _supposed(algorithm: Algorithm, n: int) -> str:
    return f"supposes that every run stays within {text(algorithm.within)} of its start, as {algorithm.name} says: all {n} did"


def betting(
    measure: OfGame,
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
    variant else only the lower end is known. It looks early and often (``steady``): where the spread is small, few runs tell.
    The error rate is not split over them, as the intervals of ``betting`` hold whenever one looks.
    """
    known = measure.span(case)
    assert known is not None

    def draw(first: int, last: int) -> tuple[np.ndarray, float]:
        return _games(measure, algorithm, case, seed, first, last), measure.float_error(case)

    span = Interval(known[0], known[1] if trusted else math.inf)
    return by_betting(draw, (algorithm.name, measure.name), span, limit, decided, error_rate, steady(stages))


def by_betting(
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
        if estimate is None and tell(clipped, limit, low, high, FIGURE_RATE):
            estimate = float(values.mean())
        if last < looks[-1] and not tell(clipped, limit, low, high, error_rate):
            return False
        lower, upper = limits(clipped, low, high, error_rate)
        found = Interval(lower - budget, upper + budget)
        return decided(found)

    look(looks, more)
    note = "" if math.isfinite(high) else NO_CEILING
    figure = float(values.mean()) if estimate is None else estimate
    return Measured(found, "statistical", error_rate, len(values), note, figure)


def clopper_pearson(successes: int, n: int, error_rate: float) -> tuple[float, float]:
    """Limits of a probability, each wrong with probability at most ``error_rate`` (Clopper, Pearson 1934)."""
    from scipy.special import betaincinv

    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, error_rate))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - error_rate))
    return low, high
