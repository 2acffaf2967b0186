"""Evidence: exact values, intervals that cover at their stated rate, one-sided clipping, NaN."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from fltheory.evidence.exact import exact_ball, exact_rational
from fltheory.evidence.measured import Interval
from fltheory.evidence.pathwise import sampled_maximum
from fltheory.evidence.sequential import Sample, confidence_interval, estimate_sequentially, half_width, simulate
from fltheory.model.case import Case
from fltheory.number import streams, to_float
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastDistance, LastGap, LeastGradient
from fltheory.runs.method import VariantError

RUN = {"n_rounds": 3, "n_local_steps": 2, "step_size": "1/10"}
QUADRATIC = QuadraticClients((1, "1/2"), (1, -1), 2, 1)
KINKED = PiecewiseQuadraticClients((1, 1), (1, "1/2"), (1, -1), 2, 1, "uniform")


def samples(n, trials, power):
    """Draws in [0, 1] with mean 1 / (power + 1), skewed for large powers."""
    draws = np.array([streams.uniform(t, np.arange(n), 0, 0, 0) for t in range(trials)])
    return draws**power, 1 / (power + 1)


@pytest.mark.parametrize("power", [1, 8, 40])
@pytest.mark.parametrize("n", [20, 400])
def test_the_empirical_bernstein_interval_covers_at_its_rate(power, n):
    """At a large error rate, where misses could be seen: at most the stated share, and the width is right for n."""
    rate, trials = 0.2, 2000
    draws, mean = samples(n, trials, power)
    misses = 0
    for row in draws:
        low, high = confidence_interval(Sample.of(row[:, None], 1.0), True, rate)
        misses += not low <= mean <= high
    assert misses <= rate * trials


def test_the_interval_is_not_trivially_wide():
    draws, mean = samples(4000, 1, 1)
    low, high = confidence_interval(Sample.of(draws[0][:, None], 1.0), True, 1e-6)
    assert 0.4 < low < mean < high < 0.6
    assert high - low < 2 * math.sqrt(math.log(2 / 1e-6) / (2 * 4000)) * 1.6  # about Hoeffding's


def test_the_widths_of_the_methods_table():
    """Variable in [0, 1], sd 0.05, error 1e-6: 0.37, 0.042, 0.006 at 100, 1000, 10 000 seeds."""
    for n, width in ((100, 0.37), (1000, 0.042), (10_000, 0.006)):
        values = (0.5 + 0.05 * np.where(np.arange(n) % 2, 1.0, -1.0))[:, None]
        assert half_width(Sample.of(values, 1.0), 1e-6)[0] == pytest.approx(width, rel=0.15)


def test_the_least_of_several_means_is_covered():
    rate, misses = 0.2, 0
    for trial in range(500):
        columns = np.stack([streams.uniform(trial, np.arange(50), 0, 0, j) for j in range(5)], axis=1)
        low, high = confidence_interval(Sample.of(columns, 1.0), True, rate)
        misses += not low <= 0.5 <= high
    assert misses <= rate * 500


def test_clipping_is_one_sided():
    """Without a ceiling: a heavy tail only lowers the lower limit, and there is no upper one."""
    values = np.full((1000, 1), 0.5)
    values[0] = 1e12
    low, high = confidence_interval(Sample.of(values, 1.0), False, 1e-6)
    assert low < 0.51
    assert high == math.inf
    assert confidence_interval(Sample.of(values * np.inf, 1.0), False, 1e-6)[0] > 0.9


def test_a_refuted_ceiling_is_none():
    values = np.full((1000, 1), 0.5)
    assert confidence_interval(Sample.of(values, 1.0), True, 1e-6)[1] < 0.6
    values[3] = 1.5
    assert confidence_interval(Sample.of(values, 1.0), True, 1e-6)[1] == math.inf


def test_a_sample_may_be_gathered_in_parts():
    values = np.stack([streams.uniform(j, np.arange(1000), 0, 0, 0) for j in range(3)], axis=1)
    whole, parts = Sample.of(values, 0.8), Sample.of(values[:7], 0.8)
    for start, stop in ((7, 300), (300, 301), (301, 1000)):
        parts = parts.joined(Sample.of(values[start:stop], 0.8))
    assert (parts.n, parts.largest) == (whole.n, whole.largest)
    assert parts.mean == pytest.approx(np.minimum(values, 0.8).mean(axis=0), rel=1e-12)
    assert parts.deviations / 999 == pytest.approx(np.minimum(values, 0.8).var(axis=0, ddof=1), rel=1e-12)
    assert math.isnan(parts.joined(Sample.of(values[:2] * np.nan, 0.8)).largest)


def test_infinite_limits_say_nothing():
    assert confidence_interval(Sample.of(np.array([[1.0], [np.inf]]), math.inf), False, 1e-6) == (0.0, math.inf)


# Verdicts by statistics


def decided_by(limit, upper=True):
    def decided(found: Interval) -> bool:
        return limit >= found.high or limit < found.low if upper else limit <= found.low or limit > found.high

    return decided


def test_statistics_agree_with_the_exact_mean_and_stop_early():
    case = Case(QUADRATIC, **RUN)
    truth = to_float(exact_rational(LastGap(), algorithms.sequential, case).value)
    far = estimate_sequentially(LastGap(), algorithms.sequential, case, 50 * truth, decided_by(50 * truth), 1e-6)
    assert far.evidence == "statistical"
    assert far.n_seeds == 1000
    assert far.value.low <= truth <= far.value.high
    near = estimate_sequentially(LastGap(), algorithms.sequential, case, truth, decided_by(truth), 1e-6)
    assert near.n_seeds == 16_000
    assert near.value.low <= truth <= near.value.high


def test_a_mean_equal_to_the_limit_is_never_decided_wrongly():
    """The limit is the mean: with a large error rate over many seeds, at most that share is called violated."""
    case = Case(QUADRATIC, **RUN)
    truth = to_float(exact_rational(LastGap(), algorithms.sequential, case).value)
    wrong = 0
    for seed in range(60):
        found = estimate_sequentially(
            LastGap(), algorithms.sequential, case, truth, decided_by(truth), 0.2, seed, stages=(50, 200)
        )
        wrong += truth < found.value.low or truth > found.value.high
    assert wrong <= 0.2 * 60


def test_a_variant_gets_a_lower_limit_only_but_that_decides():
    """A run without a known ceiling can be found to violate; it can never be found to hold."""
    case = Case(KINKED, **RUN)
    low = estimate_sequentially(LastGap(), algorithms.sequential, case, 1e-3, decided_by(1e-3), 1e-6, trusted=False)
    assert low.value.low > 1e-3
    assert low.value.high == math.inf
    assert "only a lower confidence limit" in low.note
    high = estimate_sequentially(LastGap(), algorithms.sequential, case, 1e3, decided_by(1e3), 1e-6, trusted=False)
    assert high.value.high == math.inf
    assert high.n_seeds == 16_000


def test_an_upper_limit_out_of_reach_of_a_variant_is_left_after_one_look():
    case = Case(KINKED, **RUN)
    mean = float(simulate(LastGap(), algorithms.sequential, case, 1_000, 0).mean())
    for factor, n_seeds in ((1e3, 1_000), (1.05, 16_000)):
        limit = factor * mean
        found = estimate_sequentially(
            LastGap(), algorithms.sequential, case, limit, decided_by(limit), 1e-6, trusted=False, upper=True
        )
        assert found.n_seeds == n_seeds
        assert "only a lower confidence limit" in found.note


def test_nan_is_a_broken_variant_not_a_verdict():
    def step(x, oracle, c):
        return np.where(np.isnan(x), x, 1e90)

    case = Case(QuadraticClients((1, 0), (1, -1), 1), **RUN)
    mine = Algorithm("diverges", step)

    class Nan(LastGap):
        def values(self, states, case):
            return super().values(states, case) * np.nan

    with pytest.raises(VariantError, match="NaN"):
        estimate_sequentially(Nan(), mine, case, 1.0, decided_by(1.0), 1e-6)
    with pytest.raises(VariantError, match="NaN"):
        sampled_maximum(Nan(), mine, case)


def test_pathwise_takes_the_worst_path_with_a_float_budget():
    case = Case(KINKED, **RUN)
    found = sampled_maximum(LastGap(), algorithms.sequential, case)
    worst = simulate(LastGap(), algorithms.sequential, case, 1000, 0).max()
    assert found.value.low < worst < found.value.high
    assert found.value.high / found.value.low < 1 + 1e-8


def test_simulation_in_blocks_is_the_same():
    case = Case(KINKED, **{**RUN, "n_rounds": 200})
    from fltheory.evidence import sequential

    whole = simulate(LeastGradient(), algorithms.sequential, case, 40, 1)
    entries = sequential.ENTRIES
    try:
        sequential.ENTRIES = 1000
        assert (simulate(LeastGradient(), algorithms.sequential, case, 40, 1) == whole).all()
    finally:
        sequential.ENTRIES = entries
    assert (simulate(LeastGradient(), algorithms.sequential, case, 15, 1, 25) == whole[25:]).all()


# Exact values


def test_exact_values_agree_with_each_other_and_with_simulation():
    for instance in (QUADRATIC, PiecewiseQuadraticClients((1, 1), (1, "1/2"), (1, -1), 2)):
        case = Case(instance, **RUN)
        for algorithm in (algorithms.sequential, algorithms.parallel):
            rational, ball = (f(LastGap(), algorithm, case).value for f in (exact_rational, exact_ball))
            assert isinstance(rational, Fraction)
            assert isinstance(ball, arb)
            assert ball.overlaps(arb(rational.numerator) / rational.denominator)
            values = simulate(LastGap(), algorithm, case, 20_000, 3)
            spread = 6 * values.std() / math.sqrt(len(values)) + 1e-12
            assert abs(values.mean() - float(rational)) <= spread


def test_surely_is_the_worst_course():
    case = Case(PiecewiseQuadraticClients((1, 1), (1, "1/2"), (1, -1), 2), **RUN)
    worst = exact_rational(LastGap(), algorithms.sequential, case, surely=True).value
    mean = exact_rational(LastGap(), algorithms.sequential, case).value
    seen = simulate(LastGap(), algorithms.sequential, case, 500, 0)
    assert worst > mean
    assert seen.max() == pytest.approx(float(worst), rel=1e-12)


def test_long_rationals_are_left_to_balls():
    assert exact_rational(LastGap(), algorithms.sequential, Case(QUADRATIC, **{**RUN, "n_rounds": 10**6})) is None
    assert exact_ball(LastGap(), algorithms.sequential, Case(QUADRATIC, **{**RUN, "n_rounds": 10**6})).value > 0


# How far runs go, as an algorithm says ----------------------------------------------------------------------------------


def noisy(x, oracle, c):
    """Plain parallel rounds that a bound on their runs is said of."""
    steps = [x - c.step_size * oracle.gradient(x, m, 0) for m in range(c.n_clients)]
    return sum(steps) / c.n_clients


def seen(within, limit, measure=None):
    case = Case(QUADRATIC, **RUN)
    algorithm = Algorithm("noisy", noisy, within=within)
    return estimate_sequentially(
        LastGap() if measure is None else measure,
        algorithm,
        case,
        limit,
        lambda found: found.high <= limit or found.low > limit,
        1e-6,
        trusted=False,
        stages=(1000, 4000),
        upper=True,
    )


@pytest.mark.parametrize("measure", [LastGap(), LastDistance(), LeastGradient()])
def test_a_run_that_goes_no_farther_than_is_said_can_be_confirmed(measure):
    """Its mutant: nothing is said."""
    confirmed = seen("5", 30, measure)
    assert confirmed.value.high <= 30
    assert "assumes that every run stays within 5 of its start, as noisy declares" in confirmed.why
    assert seen(None, 30, measure).value.high == math.inf
    exactly = to_float(exact_ball(measure, Algorithm("noisy", noisy), Case(QUADRATIC, **RUN)).value)
    assert confirmed.value.low <= exactly <= confirmed.value.high


def test_a_small_limit_is_refuted_whatever_is_said():
    assert seen("1000000", 1e-3).value.low > 1e-3


def test_what_is_said_is_held_against_every_run():
    with pytest.raises(VariantError, match="declares that it stays within 1/100 of its start, but a run goes"):
        seen("1/100", 30)


@pytest.mark.parametrize("within", [0, -1, "far"])
def test_how_far_is_a_positive_number(within):
    with pytest.raises(ValueError, match="within of noisy"):
        Algorithm("noisy", noisy, within=within)
