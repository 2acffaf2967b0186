"""Evidence: exact values, intervals that cover at their stated rate, one-sided clipping, NaN."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fltheory.evidence import exact
from fltheory.evidence.exact import attach_reason, exact_ball, exact_rational, exact_value, lift_case
from fltheory.evidence.measured import AtLeast, AtMost, Interval, Measured
from fltheory.evidence.pathwise import sampled_maximum
from fltheory.evidence.sequential import Sample, confidence_interval, estimate_sequentially, half_width, simulate
from fltheory.evidence.why_inexact import OutOfReach, UndecidableTie
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, streams, to_float
from fltheory.number.elements import Undecided
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.distributions.affine import AffineFailure
from fltheory.runs.distributions.sample_paths import TooManyPaths
from fltheory.runs.measures import DirectMeasure, GameMeasure, LastDistance, LastGap, LeastGradient, PathMeasure
from fltheory.runs.method import NotEnumerable, VariantError

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
    unknown = Sample.of(values[:2] * np.nan, 0.8)
    assert math.isnan(parts.joined(unknown).largest)
    assert math.isnan(unknown.joined(parts).largest)


def test_an_exact_value_has_all_the_bits_of_a_float():
    """However much of it cancels."""
    for lost in (40, 100, 300):
        measure = DirectMeasure("m", lambda case, ring, lost=lost: (arb(2).sqrt() + arb(2) ** lost) - arb(2) ** lost)
        found = exact_ball(measure, None, Case(QuadraticClients((1,), (0,), 2), n_rounds=1)).value
        assert found.rel_accuracy_bits() >= 53
        assert found.overlaps(arb(2).sqrt())


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
    assert len(whole) == 40
    assert (whole[:1] == simulate(LeastGradient(), algorithms.sequential, case, 1, 1)).all()
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


# The order of exact methods ----------------------------------------------------------------------------------------------

SHORT = Case(QuadraticClients((1, "1/2"), (1, -1), 2), **RUN)


class Valued(LastGap):
    """A measure that computes its own value."""

    found = Fraction(7, 2)

    def exact(self, algorithm, case, ring):
        return self.found


class Game(GameMeasure):
    name = "game"

    def exact(self, player, case, ring):
        return Fraction(7, 2)


class Path(PathMeasure):
    name = "path"


class Unrandom(Valued):
    def is_random(self, case):
        return False


def test_a_measure_that_knows_its_value_is_asked_first():
    assert exact_value(Valued(), algorithms.sequential, SHORT, RATIONAL) == fmpq(7, 2)
    assert exact_value(Valued(), algorithms.sequential, SHORT, BALL).contains(arb(3.5))
    plain = exact_value(LastGap(), algorithms.sequential, SHORT, RATIONAL)
    assert plain != fmpq(7, 2)

    class Silent(Valued):
        found = None

    class Float(Valued):
        found = 3.5

    assert exact_value(Silent(), algorithms.sequential, SHORT, RATIONAL) == plain
    with pytest.raises(VariantError, match=r"is the float 3\.5"):
        exact_value(Float(), algorithms.sequential, SHORT, RATIONAL)


def test_over_all_paths_its_mean_is_no_answer():
    """Unless there is one path only."""
    largest = exact_value(Valued(), algorithms.sequential, SHORT, RATIONAL, surely=True)
    assert largest == exact_value(LastGap(), algorithms.sequential, SHORT, RATIONAL, surely=True) != fmpq(7, 2)
    assert exact_value(Unrandom(), algorithms.sequential, SHORT, RATIONAL, surely=True) == fmpq(7, 2)
    assert exact_value(Game(), None, SHORT, RATIONAL) == fmpq(7, 2)
    with pytest.raises(NotEnumerable, match="its paths can only be simulated"):
        exact_value(Game(), None, SHORT, RATIONAL, surely=True)
    with pytest.raises(NotEnumerable, match="path is defined for each path"):
        exact_value(Path(), None, SHORT, RATIONAL)


def test_the_mean_is_the_least_of_the_columns_and_the_largest_over_paths_that_of_the_first(monkeypatch):
    table = np.array([[fmpq(4), fmpq(1)], [fmpq(2), fmpq(6)], [fmpq(0), fmpq(7)]], dtype=object)
    weights = [fmpq(1, 2), fmpq(1, 4), fmpq(1, 4)]
    monkeypatch.setattr(exact, "_enumerate_paths", lambda algorithm, case, ring: (np.zeros((3, 1, 1)), weights))
    monkeypatch.setattr(exact, "run_values", lambda measure, states, case: table)
    monkeypatch.setattr(exact, "round_blocks", lambda algorithm, case, ring: AffineFailure("curved"))
    assert exact._run_value(LastGap(), algorithms.sequential, SHORT, RATIONAL, False) == fmpq(5, 2)
    assert exact._run_value(LastGap(), algorithms.sequential, SHORT, RATIONAL, True) == 4
    balls = np.array([[arb(int(v.p)) for v in row] for row in table], dtype=object)
    monkeypatch.setattr(exact, "run_values", lambda measure, states, case: balls)
    assert exact._run_value(LastGap(), algorithms.sequential, SHORT, BALL, False) == 2.5
    assert exact._run_value(LastGap(), algorithms.sequential, SHORT, BALL, True) == 4


def test_why_neither_moments_nor_paths_are_known_is_told(monkeypatch):
    def many(algorithm, case, ring):
        raise NotEnumerable("many paths")

    monkeypatch.setattr(exact, "_enumerate_paths", many)
    monkeypatch.setattr(exact, "round_blocks", lambda algorithm, case, ring: AffineFailure("curved"))
    with pytest.raises(OutOfReach, match=r"curved \(many paths\)") as told:
        exact._run_value(LastGap(), algorithms.sequential, SHORT, RATIONAL, False)
    assert (told.value.why, told.value.rest) == ("curved", "many paths")
    with pytest.raises(OutOfReach, match=r"^many paths$"):
        exact._run_value(LastGap(), algorithms.sequential, SHORT, RATIONAL, True)


@pytest.mark.parametrize("which", ["max", "min"])
@pytest.mark.parametrize("kind", [fmpq, arb])
def test_columns_are_combined(which, kind):
    values = np.array([kind(v) for v in (3, 1, 4, 1, 5)], dtype=object)
    found = exact._combine_columns(values, which, RATIONAL if kind is fmpq else BALL)
    assert found == (5 if which == "max" else 1)


def test_balls_that_overlap_are_combined_to_what_contains_both():
    values = np.array([arb(1, 0.5), arb(1.25, 0.5)], dtype=object)
    for which, ends in (("max", (0.75, 1.75)), ("min", (0.5, 1.5))):
        found = exact._combine_columns(values, which, BALL)
        assert float(found.lower()) == pytest.approx(ends[0], abs=1e-6)
        assert float(found.upper()) == pytest.approx(ends[1], abs=1e-6)


# Precision and ends ------------------------------------------------------------------------------------------------------


def directly(compute, name="m"):
    return DirectMeasure(name, compute)


@pytest.fixture
def given(monkeypatch):
    """What is computed in the ring."""

    def put(value):
        monkeypatch.setattr(exact, "exact_value", lambda measure, algorithm, case, ring, surely=False: value())

    return put


def test_a_ball_gets_as_many_digits_as_it_needs(given):
    seen = []

    def value():
        seen.append(ctx.prec)
        return arb(10) ** 40 + arb(2).sqrt() - arb(10) ** 40

    given(value)
    ball = exact_ball(LastGap(), None, SHORT).value
    assert ball.rel_accuracy_bits() >= 50
    assert seen[-1] > 170
    assert seen == sorted(seen)


def test_a_tie_is_tried_up_to_the_largest_precision(given, monkeypatch):
    seen = []

    def undecided(until):
        seen.append(ctx.prec)
        if ctx.prec < until:
            raise Undecided("a tie")
        return arb(3)

    given(lambda: undecided(4000))
    assert exact_ball(LastGap(), None, SHORT).value == 3
    given(lambda: undecided(10**9))
    with pytest.raises(UndecidableTie, match="a tie"):
        exact_ball(LastGap(), None, SHORT)
    assert max(seen) == exact.MAX_BALL_BITS
    monkeypatch.setattr(exact, "not_exact", lambda error, name: NotEnumerable(name))
    for algorithm, name in ((None, "mean of games"), (MINE, "mine")):
        with pytest.raises(UndecidableTie, match=f"^{name}$"):
            exact_ball(directly(None, "mean of games"), algorithm, SHORT)


def test_a_value_without_end_is_none(given):
    for value in ("nan", "inf"):
        given(lambda value=value: arb(value))
        with pytest.raises(NotEnumerable, match="no finite enclosure, with 16384 bits"):
            exact_ball(LastGap(), None, SHORT)


@pytest.mark.parametrize(
    ("kind", "words"), [(AtLeast, "only a lower limit"), (AtMost, "only an upper limit"), (None, "")]
)
def test_a_value_known_from_one_side_says_so(given, kind, words):
    given(lambda: arb(3) if kind is None else kind(arb(3)))
    found = exact_ball(LastGap(), None, SHORT)
    assert (found.at_least, found.at_most) == (kind is AtLeast, kind is AtMost)
    assert words in found.note
    assert bool(found.note) == (kind is not None)
    assert (found.value, found.evidence) == (3, "exact")


def test_a_rational_is_asked_of_short_runs(given):
    given(lambda: fmpq(3, 4))
    for rounds, steps, known in ((100, 2, True), (101, 2, False), (200, 1, True), (201, 1, False)):
        case = Case(QuadraticClients((1, "1/2"), (1, -1), 2), n_rounds=rounds, n_local_steps=steps, step_size="1/10")
        found = exact_rational(LastGap(), None, case)
        assert (found is not None) == known  # 400 steps at most, of two clients
        assert exact_rational(directly(lambda case, ring: 1), None, case).value == Fraction(3, 4)
    assert exact_rational(LastGap(), None, SHORT).evidence == "exact"


@pytest.mark.parametrize(
    "error",
    [
        NotRational("irrational"),
        NotEnumerable("many"),
        ValueError("Exceeds the limit (4300 digits) for integer string conversion"),
    ],
)
def test_what_is_no_rational_is_left_to_balls(given, error):
    def fail():
        raise error

    given(fail)
    assert exact_rational(LastGap(), None, SHORT) is None


def test_other_errors_are_not_hidden(given):
    def fail():
        raise ValueError("something else")

    given(fail)
    with pytest.raises(ValueError, match="something else"):
        exact_rational(LastGap(), None, SHORT)
    given(lambda: arb(1, 0.5))
    assert exact_rational(LastGap(), None, SHORT) is None


# Paths of an unknown step ------------------------------------------------------------------------------------------------


def unknown(x, oracle, c):
    return x - c.step_size * oracle.gradient(x, 0)


MINE = Algorithm("mine", unknown)


@pytest.fixture
def runs(monkeypatch):
    """What enumerations are asked, in order; each fails as it is told."""

    def put(*answers):
        asked, left = [], list(answers)

        def exact_runs(algorithm, case, most, ring=RATIONAL, bits=None):
            asked.append((ring, bits))
            answer = left.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(exact, "exact_runs", exact_runs)
        monkeypatch.setattr(exact, "enumerate_runs", lambda *given: "known")
        return asked

    return put


RATIONALS = (np.array([[[fmpq(1, 3)]]], dtype=object), [fmpq(1)])


def of_steps(n):
    return Case(QuadraticClients((1, "1/2"), (1, -1), 2), n_rounds=n // 2, n_local_steps=1, step_size="1/10")


def test_known_steps_are_enumerated_in_the_ring_and_unknown_ones_in_rationals(runs):
    asked = runs(RATIONALS, RATIONALS, RATIONALS, RATIONALS)
    assert exact._enumerate_paths(algorithms.sequential, SHORT, BALL) == "known"
    assert exact._enumerate_paths(Algorithm("mine", unknown, anonymous=True), SHORT, BALL) == "known"
    assert exact._enumerate_paths(Algorithm("mine", unknown, kernel=lambda *given: None), SHORT, BALL) == "known"
    assert exact._enumerate_paths(Algorithm("mine", unknown, law=lambda *given: None), SHORT, BALL) == "known"
    assert asked == []
    assert exact._enumerate_paths(MINE, SHORT, RATIONAL) == RATIONALS
    states, chances = exact._enumerate_paths(MINE, SHORT, BALL)
    assert isinstance(states[0, 0, 0], arb)
    assert states.shape == (1, 1, 1)
    assert states[0, 0, 0].overlaps(arb(1) / 3)
    assert isinstance(chances[0], arb)
    assert asked[1] == (RATIONAL, exact.MAX_DENOMINATOR_BITS)
    exact._enumerate_paths(MINE, of_steps(400), BALL)
    assert asked[2][1] == exact.MAX_DENOMINATOR_BITS
    exact._enumerate_paths(MINE, of_steps(402), BALL)
    assert asked[3][1] == 2_000


@pytest.mark.parametrize(("n", "long"), [(20_000, False), (20_002, True)])
def test_a_run_of_too_many_steps_is_not_begun(runs, n, long):
    asked = runs(RATIONALS)
    if long:
        with pytest.raises(NotEnumerable, match="a run of more than 20000 steps is too long to run exactly"):
            exact._enumerate_paths(MINE, of_steps(n), BALL)
    else:
        exact._enumerate_paths(MINE, of_steps(n), BALL)
    assert len(asked) == (0 if long else 1)


def test_what_rationals_do_not_reach_is_run_in_balls(runs):
    balls = (np.array([[[arb(1)]]], dtype=object), [arb(1)])
    for error in (NotRational("roots"), NotEnumerable("long numbers")):
        asked = runs(error, balls)
        assert exact._enumerate_paths(MINE, SHORT, BALL) == balls
        assert [ring for ring, _ in asked] == [RATIONAL, BALL]
    runs(NotEnumerable("first"), NotEnumerable("second"))
    with pytest.raises(NotEnumerable, match="first"):
        exact._enumerate_paths(MINE, SHORT, BALL)
    runs(NotEnumerable("first"), TooManyPaths("paths"))
    with pytest.raises(TooManyPaths, match="paths"):
        exact._enumerate_paths(MINE, SHORT, BALL)
    runs(NotEnumerable("first"), Undecided("tie"))
    with pytest.raises(Undecided):
        exact._enumerate_paths(MINE, SHORT, BALL)
    asked = runs(TooManyPaths("paths"), balls)
    with pytest.raises(TooManyPaths):
        exact._enumerate_paths(MINE, SHORT, BALL)
    assert len(asked) == 1


def hint(n_clients, taking, rounds, error=None, **more):
    clients = QuadraticClients((1,) * n_clients, (0,) * n_clients, 2)
    case = Case(clients, n_rounds=rounds, n_local_steps=1, step_size="1/10", n_participating=taking)
    return exact._enumeration_hint(Algorithm("mine", unknown, **more), case, error or TooManyPaths("many"))


def test_sets_in_place_of_orders_are_proposed_where_they_are_few():
    words = "; fewer with ordered=False, if the order of the clients in a round makes no difference"
    assert hint(3, 2, 7) == words  # 3^7 = 2187 sets
    assert hint(3, 2, 8) == ""  # 6561 are more than 4096
    assert hint(2, 2, 10**6) == words  # one set in all rounds
    assert hint(4, 3, 6) == words  # 4^6 = 4096
    assert hint(4, 1, 3) == ""
    assert hint(3, 2, 7, ordered=False) == ""
    assert hint(3, 2, 7, NotEnumerable("roots")) == ""
    assert hint(2, 1, 10) == ""
    noisy = Case(QuadraticClients((1, 1), (0, 0), 2, "1/2"), n_rounds=2, n_local_steps=1, step_size="1/10")
    assert exact._enumeration_hint(MINE, noisy, TooManyPaths("many")) == ""
    quiet = Case(QuadraticClients((1, 1), (0, 0), 2), n_rounds=2, n_local_steps=1, step_size="1/10")
    assert exact._enumeration_hint(MINE, quiet, TooManyPaths("many")) == words


# The state of an algorithm with memory -----------------------------------------------------------------------------------


def test_clients_with_coordinates_for_memory():
    def init(start, c):
        return np.concatenate([start, start * 0 + 5], axis=1)

    kept = Algorithm("kept", unknown, init=init)
    lifted = lift_case(kept, SHORT, RATIONAL)
    assert lift_case(MINE, SHORT, RATIONAL) is SHORT
    instance = lifted.instance
    assert instance.start == (2, 5)
    assert instance.dim == 1
    assert instance.minimiser == (*SHORT.instance.minimiser, 0)
    assert instance.hessian(0, 0) == SHORT.instance.hessian(0, 0) != 0
    assert instance.hessian(0, 1) == instance.hessian(1, 0) == instance.hessian(1, 1) == 0
    assert instance.constants == SHORT.instance.constants
    assert dict(lifted.settings) == dict(SHORT.settings)


def test_centring_is_for_algorithms_that_commute_with_it():
    moved = exact._centre_case(algorithms.sequential, SHORT)
    assert moved.instance.minimiser == (0,)
    assert dict(moved.settings) == dict(SHORT.settings)
    assert exact._centre_case(MINE, SHORT) is SHORT
    assert exact._centre_case(algorithms.sequential, Case(KINKED, **RUN)).instance is not None


def test_a_reason_is_attached_for_users_algorithms_alone():
    sampled = Measured(Interval(1.0, 2.0), "sampled", n_seeds=1)
    many = Measured(Interval(1.0, 2.0), "statistical", n_seeds=2)
    assert attach_reason(sampled, NotEnumerable("why"), MINE).why.endswith("why: followed in floats")
    assert attach_reason(many, NotEnumerable("why"), MINE).why.endswith("why: simulated")
    told = Measured(Interval(1.0, 2.0), "sampled", why="before")
    assert attach_reason(told, NotEnumerable("why"), MINE).why.endswith("why: followed in floats; before")
    exactly = Measured(Fraction(1), "exact")
    assert attach_reason(exactly, NotEnumerable("why"), MINE) is exactly
    assert attach_reason(sampled, NotEnumerable("why"), None) is sampled
    assert attach_reason(sampled, NotEnumerable("why"), algorithms.sequential) is sampled


def test_why_a_value_is_inexact_is_said_once():
    assert str(OutOfReach("a", "b")) == "a (b)"
    assert str(OutOfReach("", "b")) == "b"
    assert str(OutOfReach("a and b", "b")) == "b"
