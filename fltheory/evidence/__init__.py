"""Evidence: exact values, simulated paths with a float error budget, confidence intervals with a stated error rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from flint import arb

from fltheory.case import Case
from fltheory.evidence.betting import limits, tell
from fltheory.evidence.reasons import OutOfReach, why_not
from fltheory.number import BALL, RATIONAL, NotRational, Ring, as_number, precise
from fltheory.number.signals import of_library
from fltheory.runs.affine import Refused, blocks_of, reason_of
from fltheory.runs.algorithm import Algorithm, NotEnumerable, VariantError, object_array, rollout, run_constants
from fltheory.runs.courses import enumerate_runs
from fltheory.runs.measures import DirectMeasure, Measure
from fltheory.scrutiny.consistency import is_plain
from fltheory.scrutiny.replay import affine_law, exact_runs
from fltheory.symbols import n_rounds

Kind = Literal["exact", "pathwise", "statistical"]
RATIONAL_STEPS = 400  # gradient steps of a run whose exact rational value is written out at most
PATHS = 4096  # courses of a run that are enumerated at most
STAGES = (1_000, 4_000, 16_000)  # seeds of the successive looks of a statistical check
ENTRIES = 4_000_000  # floats of states held at once
FIGURE_RATE = 1e-6  # the error rate of a whole run: runs that decide at it make the figure of a sampled quantity


class Interval(NamedTuple):
    """What is known of a measured quantity: it lies between these floats; ``high`` may be infinite."""

    low: float
    high: float


@dataclass(frozen=True)
class Measured:
    """A measured quantity: a Fraction, a ball that contains it, or an interval (of confidence, or of float error).

    ``estimate``: of sampled runs the mean (or quantile) over those that decide at FIGURE_RATE, over all where none do.
    A smaller error rate, as a check gets where many share one, asks for more runs but leaves the estimate as it is.
    """

    value: Any  # Fraction | int | arb | Interval
    evidence: Kind
    error_rate: float = 0.0
    n_seeds: int = 0
    note: str = ""
    estimate: float | None = None
    at_least: bool = False  # the value is only a lower limit of the measured quantity
    at_most: bool = False  # the value is only an upper limit of it
    why: str = ""  # of a user's algorithm: why it is not exact, with the line of its file


@dataclass(frozen=True)
class AtLeast:
    """What a measure returns where it can only bound its value from below."""

    value: Any


@dataclass(frozen=True)
class AtMost:
    """What a measure returns where it can only bound its value from above."""

    value: Any


def exact_value(measure: Measure, algorithm: Any, case: Case, ring: Ring, surely: bool = False) -> Any:
    """The measured quantity in the ring, at the working precision; NotEnumerable or NotRational where out of reach."""
    if isinstance(measure, DirectMeasure):
        return measure.compute(case, ring)
    of_run: Any = measure
    refused = ""
    assert algorithm is not None
    every_path = surely and drawn(measure, case)
    if every_path and not hasattr(measure, "from_moments"):
        raise NotEnumerable("its paths are simulated")
    own = getattr(measure, "exact", None)  # a measure that knows a better way than the two below
    if own is not None and not every_path:
        return own(algorithm, case, ring)
    if not surely:
        case = _centred(algorithm, case)
        blocks = round_blocks(algorithm, case, ring)
        if not isinstance(blocks, Refused):
            return of_run.from_moments(blocks, case, ring)
        refused = blocks.why
    try:
        states, probabilities = _courses(algorithm, case, ring)
    except NotEnumerable as error:
        raise OutOfReach(refused, str(error)) from error
    values = of_run.values(states, case)
    if surely:
        worst = values[:, 0]
        return _fold(worst, "max", ring)
    weights = np.empty((len(probabilities), 1), dtype=object)
    weights[:, 0] = probabilities
    return _fold((values * weights).sum(axis=0), "min", ring)


def explained(measured: Measured, missing: Exception, algorithm: Any) -> Measured:
    """What was measured of a user's algorithm, with the reason why it is not exact."""
    if measured.evidence == "exact" or algorithm is None or of_library(tuple(algorithm)):
        return measured
    done = "simulated" if measured.n_seeds else "followed in floats"
    return replace(measured, why=why_not(missing, algorithm.step, done))


def drawn(measure: Any, case: Case) -> bool:
    """Whether runs differ; so they may, unless the measure knows better."""
    return bool(measure.drawn(case)) if hasattr(measure, "drawn") else True


def float_error(measure: Any, case: Case) -> float:
    """What a measure says of its own error in floats, beside the relative one."""
    return float(measure.float_error(case)) if hasattr(measure, "float_error") else 0.0


def _centred(algorithm: Algorithm, case: Case) -> Case:
    """The same problem with its minimiser moved to 0, where the algorithm is known to commute with translations.

    Distances far below the minimiser's size then come out without cancellation.
    """
    known = algorithm.law is not None and is_plain(case.instance)
    centred = getattr(case.instance, "centred", None) if known else None
    return case if centred is None else Case(centred, **dict(case.settings))


def _courses(algorithm: Algorithm, case: Case, ring: Ring) -> tuple[np.ndarray, list[Any]]:
    """All courses of a run. A step that we know nothing of runs in rationals: a ball can't always be compared."""
    known = algorithm.anonymous or algorithm.kernel is not None or algorithm.law is not None
    if known:
        return enumerate_runs(algorithm, case, ring, PATHS)
    if ring is RATIONAL:
        return exact_runs(algorithm, case, PATHS)
    if _length(case) > RATIONAL_STEPS:
        raise NotEnumerable(f"a run of more than {RATIONAL_STEPS} steps is too long for rationals")
    try:
        states, probabilities = exact_runs(algorithm, case, PATHS)
    except NotRational as error:
        raise NotEnumerable(reason_of(algorithm, error)) from error
    balls = object_array([ring.scalar(as_number(v)) for v in states.flat], states.shape)
    return balls, [ring.scalar(as_number(p)) for p in probabilities]


def round_blocks(algorithm: Any, case: Case, ring: Ring) -> list[Any] | Refused:
    """The law of one round on quadratic clients: the algorithm's own, else by running its step on affine forms."""
    if not hasattr(case.instance, "client_laws") or algorithm.init is not np.array:
        return Refused("")
    if algorithm.law is not None and is_plain(case.instance):
        found: list[Any] = algorithm.law(case.instance, run_constants(case, ring), ring)
        return found
    law = affine_law(algorithm, case)
    return law if isinstance(law, Refused) else blocks_of(law, case, ring)


def _fold(values: np.ndarray, which: str, ring: Ring) -> Any:
    result = values[0]
    for value in values[1:]:
        result = getattr(result, which)(value) if ring is BALL else (max if which == "max" else min)(result, value)
    return result


def exact_ball(measure: Measure, algorithm: Any, case: Case, surely: bool = False) -> Measured:
    """The measured quantity as a tight ball."""
    found: Any = None

    def compute() -> arb:
        nonlocal found
        found = exact_value(measure, algorithm, case, BALL, surely)
        return arb(found.value if isinstance(found, AtLeast | AtMost) else found)

    ball = precise(compute, 53, 128, 2048)
    if not ball.is_finite():
        raise NotEnumerable("the exact value has no finite enclosure")
    below, above = isinstance(found, AtLeast), isinstance(found, AtMost)
    known = "a lower" if below else "an upper"
    note = f"the exact value is out of reach, only {known} limit of it is known" if below or above else ""
    return Measured(ball, "exact", note=note, at_least=below, at_most=above)


def exact_rational(measure: Measure, algorithm: Any, case: Case, surely: bool = False) -> Measured | None:
    """The measured quantity as a rational, or None where it isn't one or would be too long."""
    if not isinstance(measure, DirectMeasure) and _length(case) > RATIONAL_STEPS:
        return None
    try:
        value = as_number(exact_value(measure, algorithm, case, RATIONAL, surely))
    except (NotRational, NotEnumerable):
        return None
    return Measured(Fraction(value), "exact") if isinstance(value, int | Fraction) else None


def _length(case: Case) -> int:
    """How many gradient steps a run has: the digits of its exact rational value grow with it."""
    c = run_constants(case, None)
    return int(getattr(c, "n_rounds", 1)) * int(getattr(c, "n_local_steps", 1)) * int(getattr(c, "n_clients", 1))


def blocks_of_states(algorithm: Any, case: Case, n: int, seed: int, first: int = 0) -> Iterator[np.ndarray]:
    """States of repetitions first..first+n-1, (runs, R + 1, dim), in blocks that fit in memory."""
    states = (int(case.constants[n_rounds]) + 1) * case.instance.dim  # type: ignore[attr-defined]
    block = max(1, min(n, ENTRIES // states))
    for i in range(0, n, block):
        yield rollout(algorithm, case, min(block, n - i), seed, first + i)


def blocks(measure: Any, algorithm: Any, case: Case, n: int, seed: int, first: int = 0) -> Iterator[np.ndarray]:
    """Values of repetitions first..first+n-1, (runs, k)."""
    for states in blocks_of_states(algorithm, case, n, seed, first):
        yield measure.values(states, case)


def simulate(measure: Any, algorithm: Any, case: Case, n: int, seed: int, first: int = 0) -> np.ndarray:
    """Values of repetitions first..first+n-1, shape (n, k)."""
    return np.concatenate(list(blocks(measure, algorithm, case, n, seed, first)))


class Sample(NamedTuple):
    """What an interval needs of the runs so far, values clipped at ``span``: memory does not grow with their number."""

    n: int
    mean: Any  # of every column
    deviations: Any  # sums of squared deviations from it
    largest: float  # before clipping; NaN where a value is
    span: float
    plain: Any = 0.0  # means before clipping

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
    measure: Any,
    algorithm: Any,
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

    ``trusted``: the algorithm is one whose ceiling is known; a user's variant may leave it, so it gets none.
    ``upper``: the limit is one from above. Without a ceiling it can only be refuted, so a first look whose mean is below
    half of it is the last.
    """
    ceiling = measure.ceiling(case) if trusted and is_plain(case.instance) else None
    span = 8 * limit if ceiling is None else ceiling
    sample: Sample | None = None
    found, n, estimate = Interval(0.0, math.inf), 0, None
    for n in stages:
        done = sample.n if sample else 0
        for values in blocks(measure, algorithm, case, n - done, seed, done):
            part = Sample.of(values, span)
            sample = part if sample is None else sample.joined(part)
        assert sample is not None
        if math.isnan(sample.largest):
            raise VariantError(f"{algorithm.name}: the measure of a run is NaN")
        found, wide = (interval(sample, ceiling is not None, r / len(stages)) for r in (error_rate, FIGURE_RATE))
        told = decided(found)
        if estimate is None and (told or decided(wide)):
            estimate = sample.estimate
        if told or (upper and ceiling is None and float(sample.mean.min()) < limit / 2):
            break
    assert sample is not None
    note = "" if math.isfinite(found.high) else "no upper limit of a single run is known: only a lower confidence limit"
    return Measured(found, "statistical", error_rate, n, note, sample.estimate if estimate is None else estimate)


def _looks(stages: tuple[int, ...]) -> tuple[int, ...]:
    """Numbers of runs after which to look: from a sixteenth of the first stage a quarter more each time, to the last one."""
    least, most = max(1, stages[0] // 16), stages[-1]
    steps = math.ceil(math.log(most / least, 1.25)) if most > least else 0
    return tuple(sorted({min(most, round(least * 1.25**k)) for k in range(steps + 1)}))


def betting(
    measure: Any,
    algorithm: Any,
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
    variant else only the lower end is known. The first looks are early ones: where the spread is small, few runs tell.
    The error rate is not split over them, as the intervals of ``betting`` hold whenever one looks.
    """
    low, high = measure.span(case)

    def draw(first: int, last: int) -> tuple[np.ndarray, float]:
        return measure.simulate(algorithm, case, seed, np.arange(first, last)), float_error(measure, case)

    span = Interval(low, high if trusted else math.inf)
    return by_betting(draw, (algorithm.name, measure.name), span, limit, decided, error_rate, _looks(stages))


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
    for n in looks:
        new, off = draw(len(values), n)
        values = np.concatenate([values, new])
        if np.isnan(values).any():
            raise VariantError(f"{names[0]}: the measure of a run is NaN")
        budget = 1e-9 * float(max(abs(low), abs(high) if math.isfinite(high) else 0.0, np.abs(values).max())) + off
        if not ((values >= low - budget).all() and (values <= high + budget).all()):
            raise VariantError(f"{names[0]}: a run leaves what is known of {names[1]}: [{low:g}, {high:g}]")
        clipped = np.clip(values, low, high)
        if estimate is None and tell(clipped, limit, low, high, FIGURE_RATE):
            estimate = float(values.mean())
        if n < looks[-1] and not tell(clipped, limit, low, high, error_rate):
            continue
        lower, upper = limits(clipped, low, high, error_rate)
        found = Interval(lower - budget, upper + budget)
        if decided(found):
            break
    note = "" if math.isfinite(high) else "no upper limit of a single run is known: only a lower confidence limit"
    figure = float(values.mean()) if estimate is None else estimate
    return Measured(found, "statistical", error_rate, len(values), note, figure)
