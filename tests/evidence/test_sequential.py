"""The error rate of simulated evidence is shared by its looks, sides and columns; floats have a budget on both sides."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fltheory.evidence import sequential
from fltheory.evidence.betting import BETS
from fltheory.evidence.measured import ESTIMATE_ERROR_RATE, Interval, Measured
from fltheory.evidence.sequential import (
    Sample,
    bet_on_mean,
    bet_sequentially,
    betting_schedule,
    confidence_interval,
    estimate_sequentially,
    geometric_schedule,
    run_until_decided,
    steps_per_run,
)
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LENGTH_SQUARED, GameMeasure, LastDistance, LastGap, RunMeasure
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.work import CALL_COST, COMPILED_FLOATS_PER_UNIT, work_limit

CASE = Case(QuadraticClients((1, "1/2"), (1, -1), 2, 1), n_rounds=3, n_local_steps=2, step_size="1/10")
STEP = Algorithm("mine", lambda x, oracle, c: x)


@dataclass(frozen=True)
class Tabled(RunMeasure):
    """Its values come from a table, none is above the ceiling."""

    top: float | None = None
    name: str = "tabled"
    dimension: Dimension = LENGTH_SQUARED

    def ceiling(self, case: Case, within: float | None = None) -> float | None:
        return self.top

    def values(self, states: np.ndarray, case: Case) -> np.ndarray:
        return states[:, -1, :1]


def tabled(monkeypatch: pytest.MonkeyPatch, table: np.ndarray, parts: int = 1) -> None:
    """Runs have the values of the table's rows, in blocks."""

    def blocks(measure: Any, algorithm: Any, case: Any, n: int, seed: int, first: int = 0) -> Iterator[np.ndarray]:
        yield from np.array_split(table[first : first + n], parts)

    monkeypatch.setattr(sequential, "value_blocks", blocks)


def never(found: Interval) -> bool:
    return False


def estimated(
    limit: float,
    error_rate: float,
    stages: tuple[int, ...],
    decided: Any = never,
    top: float | None = None,
    **more: Any,
) -> Measured:
    return estimate_sequentially(
        Tabled(top), algorithms.sequential, CASE, limit, decided, error_rate, stages=stages, **more
    )


def bernstein(values: np.ndarray, span: float, rate: float) -> float:
    """The two-sided empirical Bernstein half-width of Maurer and Pontil (2009, theorem 4), as it is printed."""
    n, log = len(values), math.log(2 / (rate / 2))
    variance = ((values[:, None] - values) ** 2).sum() / 2 / (n * (n - 1))
    return math.sqrt(2 * variance * log / n) + span * 7 * log / (3 * (n - 1))


def capital(values: np.ndarray, m: float, low: float) -> float:
    """The logarithm of the largest capital of a bettor on a mean above m, who spreads 1 evenly over the bets."""
    courses = np.cumprod(1 + BETS[:, None] * (values - m) / (m - low), axis=1)
    return math.log(max(1.0, courses.mean(axis=0).max()))


def largest_exceeded(values: np.ndarray, low: float, rate: float) -> float:
    """The largest m at which that capital reaches 1 / rate."""
    good, bad = low, float(max(values))
    for _ in range(50):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if capital(values, middle, low) >= math.log(1 / rate) else (good, middle)
    return good


# Looks -------------------------------------------------------------------------------------------------------------------


def test_runs_are_added_look_by_look_until_one_decides() -> None:
    seen: list[tuple[int, int]] = []

    def more(first: int, last: int) -> bool:
        seen.append((first, last))
        return last >= 5

    assert run_until_decided((2, 5, 9), more) == 5
    assert seen == [(0, 2), (2, 5)]
    assert run_until_decided((1, 3), more) == 3
    assert seen[2:] == [(0, 1), (1, 3)]


@pytest.mark.parametrize("stages", [(1000, 4000, 16000), (20,), (5,), (7, 90), (16, 16), (1,), (30, 31), (10, 80)])
@pytest.mark.parametrize("factor", [2, 3, 1.5])
@pytest.mark.parametrize("share", [1, 2, 10])
def test_a_geometric_schedule(stages: tuple[int, ...], factor: float, share: int) -> None:
    looks = geometric_schedule(stages, factor, share)
    start = max(1, stages[0] // share)
    wanted, exact = {start}, Fraction(start)
    while exact < stages[-1]:
        exact *= Fraction(factor)
        wanted.add(min(stages[-1], round(exact)))
    assert looks == tuple(sorted(wanted))
    assert looks[-1] == stages[-1]


@pytest.mark.parametrize("most", [5, 25, 26, 27, 36, 37, 130, 1000])
def test_bets_are_looked_at_early_and_then_after_a_tenth_more(most: int) -> None:
    looks = betting_schedule((1, most))
    assert looks[0] == min(26, most)
    assert looks[-1] == most
    for before, after in pairwise(looks):
        assert after == min(most, before + max(10, before // 10))


# Means of nonnegative values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("rate", [0.2, 1e-6])
def test_the_error_rate_is_shared_by_the_columns_and_both_sides(columns: int, rate: float) -> None:
    values = np.random.default_rng(3).random((300, columns)) * 0.8 + 0.1
    widths = [bernstein(v, 1.0, rate / columns) for v in values.T]
    low, high = confidence_interval(Sample.of(values, 1.0), True, rate)
    assert low == pytest.approx(max(0, min(values.mean(0) - widths) - 1e-9), rel=1e-12, abs=1e-15)
    assert high == pytest.approx(min(values.mean(0) + widths) + 1e-9, rel=1e-12)


@pytest.mark.parametrize("span", [1.0, 4.0])
def test_the_interval_has_a_budget_for_floats_on_both_sides(span: float) -> None:
    values = np.full((4000, 1), 0.5 * span)
    width = 7 * span * math.log(4 / 0.1) / (3 * 3999)
    low, high = confidence_interval(Sample.of(values, span), True, 0.1)
    assert 0.5 * span - width - low == pytest.approx(1e-9 * span, rel=1e-3)
    assert high - 0.5 * span - width == pytest.approx(1e-9 * span, rel=1e-3)


def test_a_value_above_its_ceiling_by_less_than_rounding_is_at_it() -> None:
    values = np.full((50, 1), 0.5)
    for excess, bounded in ((0.9e-9, True), (1e-9, True), (1.1e-9, False), (-0.1, True)):
        values[3] = 1 + excess
        assert math.isfinite(confidence_interval(Sample.of(values, 1.0), True, 0.1).high) == bounded


def test_the_lower_limit_of_nonnegative_values_is_not_below_zero() -> None:
    assert confidence_interval(Sample.of(np.full((3, 1), 0.01), 1.0), True, 0.1).low == 0.0


@pytest.mark.parametrize("stages", [(50,), (50, 200), (50, 100, 200)])
@pytest.mark.parametrize("columns", [1, 3])
def test_the_error_rate_is_shared_by_the_looks(
    monkeypatch: pytest.MonkeyPatch, stages: tuple[int, ...], columns: int
) -> None:
    """With the known ceiling, at each look the interval is that of a share of the rate."""
    table, rate, seen = np.random.default_rng(5).random((200, columns)), 0.2, []
    tabled(monkeypatch, table, 3)
    measured = estimated(0.5, rate, stages, lambda found: bool(seen.append(found)), top=1.0)
    own = [seen[i] for i in range(0, len(seen), 2)] if len(seen) == 2 * len(stages) else seen
    assert len(own) == len(stages)
    for found, n in zip(own, stages, strict=True):
        assert found == pytest.approx(confidence_interval(Sample.of(table[:n], 1.0), True, rate / len(stages)))
    assert (measured.n_seeds, measured.error_rate, measured.value) == (stages[-1], rate, own[-1])


@pytest.mark.parametrize("side", ["above", "below"])
def test_over_all_looks_a_true_limit_is_left_out_no_more_often_than_stated(side: str) -> None:
    """Rare large values at a mean of just the limit, through the real loop, look after look."""
    rate, trials, wrong = 0.3, 60, 0
    for seed in range(trials):
        random = np.random.default_rng(seed)
        table = (random.random((400, 1)) < 0.02).astype(float)
        table = 1 - table if side == "above" else table
        mean = 0.98 if side == "above" else 0.02
        with pytest.MonkeyPatch.context() as patch:
            tabled(patch, table)
            out = [False]

            def decided(found: Interval, mean: float = mean, out: list[bool] = out) -> bool:
                out[0] |= not found.low <= mean <= found.high
                return False

            estimated(mean, rate, (100, 200, 400), decided, top=1.0)
        wrong += out[0]
    assert wrong <= rate * trials


def test_the_mean_that_is_shown_is_of_the_runs_that_suffice_at_the_common_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a smaller rate more runs are needed, and the mean shown stays as it is."""
    table = np.random.default_rng(8).random((1600, 1)) * 0.2
    tabled(monkeypatch, table)
    limit = 0.25

    def decided(found: Interval) -> bool:
        return found.high <= limit or found.low > limit

    common, strict = (estimated(limit, r, (100, 400, 1600), decided, top=1.0) for r in (ESTIMATE_ERROR_RATE, 1e-12))
    loose = estimated(limit, 0.5, (100, 400, 1600), decided, top=1.0)
    need = [n for n in (100, 400, 1600) if table[:n].mean() + bernstein(table[:n, 0], 1.0, 1e-6 / 3) <= limit]
    assert common.n_seeds == need[0] == 400
    assert strict.n_seeds == 1600
    assert loose.n_seeds == 100
    assert common.estimate == strict.estimate == pytest.approx(table[:400].mean(), rel=1e-12)
    assert loose.estimate == pytest.approx(table[:100].mean(), rel=1e-12)
    undecided = estimated(float(table.mean()), 1e-6, (100, 400, 1600), lambda found: False, top=1.0)
    assert undecided.estimate == pytest.approx(table.mean(), rel=1e-12)


def test_the_common_rate_is_shared_by_the_looks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of sixteen looks, each has a sixteenth of it: the mean that is shown is of the runs at which that decides."""
    table, looks = np.random.default_rng(8).random((700, 1)) * 0.2, tuple(range(100, 420, 20))
    tabled(monkeypatch, table)
    limit = 0.35
    share, whole = (
        next(n for n in looks if table[:n].mean() + bernstein(table[:n, 0], 1.0, 1e-6 / parts) + 1e-9 <= limit)
        for parts in (len(looks), 1)
    )
    assert share > whole
    found = estimated(limit, 1e-30, looks, lambda found: found.high <= limit, top=1.0)
    assert found.estimate == pytest.approx(table[:share].mean(), rel=1e-12)


def test_without_a_ceiling_a_lower_bound_claim_has_clipped_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """The span is eight times the limit; there is a lower limit alone."""
    table = np.random.default_rng(9).random((200, 1)) * 20
    tabled(monkeypatch, table)
    found = estimated(1.0, 0.1, (100, 200), trusted=False).value
    wanted = confidence_interval(Sample.of(np.minimum(table, 8.0), 8.0), False, 0.05)
    assert found == (pytest.approx(wanted.low, rel=1e-12), math.inf)
    assert found.low > 1


@pytest.mark.parametrize("within", [None, "5"])
@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize("plain", [True, False])
def test_a_ceiling_is_known_of_what_is_trusted_or_declared(within: Any, trusted: bool, plain: bool) -> None:
    class Other(QuadraticClients):
        def __repr__(self) -> str:
            return "other"

        def gradient(self, *given: Any) -> Any:
            return super().gradient(*given)

    instance = CASE.instance if plain else Other((1, "1/2"), (1, -1), 2, 1)
    case = Case(instance, n_rounds=3, n_local_steps=2, step_size="1/10")
    algorithm = Algorithm("mine", STEP.step, within=within)
    found = sequential.value_ceiling(Tabled(7.0), algorithm, case, trusted)
    assert found == (7.0 if within or (trusted and plain) else None)


def test_the_declared_distance_reaches_the_ceiling() -> None:
    seen: list[float | None] = []

    class Watched(Tabled):
        def ceiling(self, case: Case, within: float | None = None) -> float | None:
            seen.append(within)
            return 1.0

        def values(self, states: np.ndarray, case: Case) -> np.ndarray:
            return states[:, -1, :1]

    sequential.value_ceiling(Watched(), Algorithm("mine", STEP.step, within="5/2"), CASE, False)
    sequential.value_ceiling(Watched(), STEP, CASE, True)
    assert seen == [2.5, None]

    class Changed(LastGap):
        def values(self, states: np.ndarray, case: Case) -> np.ndarray:
            return super().values(states, case) * 1000

    assert sequential.value_ceiling(Changed(), algorithms.sequential, CASE, True) is None


def test_under_a_declared_distance_the_lower_end_is_of_clipped_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each end has half of a look's rate; the lower one is of values clipped at eight times the limit."""
    table = np.random.default_rng(4).random((400, 1)) * 3
    tabled(monkeypatch, table, 2)
    mine = Algorithm("mine", STEP.step, within=5)
    found = estimate_sequentially(Tabled(1000.0), mine, CASE, 0.5, never, 0.2, stages=(100, 400), upper=True)
    near = confidence_interval(Sample.of(table, 4.0), False, 0.2 / 2 / 2)
    wide = confidence_interval(Sample.of(table, 1000.0), True, 0.2 / 2 / 2)
    assert found.value == (pytest.approx(near.low, rel=1e-12), pytest.approx(wide.high, rel=1e-12))
    assert near.low > 1 > wide.low == 0
    assert found.why.endswith("as mine declares: all 400 did")
    swapped = sequential._clipped_interval(Sample.of(table * 0.0, 1e-6), Sample.of(table, 4.0), True, 0.1)
    assert swapped.low == swapped.high


# Bets on the mean of nonnegative values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_a_bet_on_the_least_mean_has_a_share_of_the_rate_for_each_column(columns: int) -> None:
    values = np.random.default_rng(1).random((120, columns)) + 0.5
    low, high = sequential._betting_interval(values, 0.7, 0.01)
    wanted = min(largest_exceeded(v, 0.0, 0.01 / columns) for v in values.T)
    assert high == math.inf
    assert low == pytest.approx(wanted - 1e-9 * values.max(), abs=2e-11)
    assert low < wanted - 1e-10


def test_each_column_must_exceed_the_limit() -> None:
    large, small = np.full(60, 2.0), np.full(60, 0.5)
    assert sequential._betting_interval(np.stack([large, large], axis=1), 1.0, 0.01).low > 1
    for columns in ([large, small], [small, large], [small, small]):
        assert sequential._betting_interval(np.stack(columns, axis=1), 1.0, 0.01) == (0.0, math.inf)


def test_a_column_that_is_shown_at_the_whole_rate_alone_is_not_enough() -> None:
    """Its capital lies between 1 / rate and twice that."""
    column = np.full(40, 1.3)
    rate = math.exp(-capital(column, 1.0 + 1.3e-9, 0.0)) * 1.3
    assert sequential._betting_interval(column[:, None], 1.0, rate).low > 1
    assert sequential._betting_interval(column[:, None], 1.0, rate / 1.6) == (0.0, math.inf)
    assert sequential._betting_interval(np.stack([column] * 2, axis=1), 1.0, rate) == (0.0, math.inf)


def test_bets_leave_room_for_the_rounding_of_the_largest_value() -> None:
    """A value of a million limits is off by a thousandth of the limit, which is as much as the others exceed it by."""
    values = np.full(20_000, 1.0005)
    values[-1] = 1e6
    budget, rate = 1e-9 * 1e6, math.exp(-17.0)
    gain = lambda m: np.log(np.exp(np.log1p(BETS[:, None] * (values - m) / m).cumsum(axis=1)).mean(axis=0)).max()  # noqa: E731
    assert gain(1.0) > 17 > gain(1.0 + budget)
    assert sequential._betting_interval(values[:, None], 1.0, rate) == (0.0, math.inf)


def test_bets_clip_what_is_beyond_all_measure() -> None:
    """At a million times the limit, where there is one: the lower limit stays valid, and no float overflows."""
    values = np.full((60, 1), 2.0)
    values[5] = 1e200
    clipped = np.minimum(values, 1e6)
    assert sequential._betting_interval(values, 1.0, 0.01) == sequential._betting_interval(clipped, 1.0, 0.01)
    assert sequential._betting_interval(values / 1e195, 0.5, 0.01) == sequential._betting_interval(
        np.minimum(values / 1e195, 5e5), 0.5, 0.01
    )
    none = np.full((60, 1), 2.0)
    assert sequential._betting_interval(none, 0.0, 0.01).low > 0.0
    assert sequential._betting_interval(none * 0.0, 1.0, 0.01) == (0.0, math.inf)


@pytest.mark.parametrize("columns", [1, 2])
def test_bets_without_a_ceiling_keep_their_rate_over_all_looks(columns: int) -> None:
    """Coins of mean 1/2 and a limit of 1/2: their lower limit exceeds it at one look of many no more often than stated."""
    rate, trials, wrong = 0.2, 80, 0
    for seed in range(trials):
        table = np.random.default_rng(seed).integers(0, 2, (160, columns)).astype(float)
        with pytest.MonkeyPatch.context() as patch:
            tabled(patch, table)
            found = estimated(0.5, rate, (10, 160), lambda found: found.low > 0.5, trusted=False, upper=True)
        wrong += found.value.low > 0.5
    assert wrong <= rate * trials


def test_what_is_below_half_of_the_limit_is_left_after_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    for mean, n in ((0.49, 10), (0.5, 40), (0.51, 40)):
        tabled(monkeypatch, np.full((40, 1), mean))
        found = estimated(1.0, 1e-6, (10, 40), trusted=False, upper=True)
        assert (found.n_seeds, found.value) == (n, (0.0, math.inf))
        assert "only a lower confidence limit" in found.note
        assert estimated(1.0, 1e-6, (10, 40), trusted=True, upper=True, top=2.0).n_seeds == 40
        assert estimated(1.0, 1e-6, (10, 40), trusted=False, upper=False).n_seeds == 40
    two = np.stack([np.full(40, 0.4), np.full(40, 3.0)], axis=1)
    tabled(monkeypatch, two)
    assert estimated(1.0, 1e-6, (10, 40), trusted=False, upper=True).n_seeds == 10


def test_bets_use_all_values_so_far_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(2).random((80, 1)) + 0.6
    tabled(monkeypatch, table, 2)
    found = estimated(0.9, 1e-3, (10, 80), trusted=False, upper=True)
    assert found.value == sequential._betting_interval(table, 0.9, 1e-3)
    assert found.value.low > 0.9
    assert found.estimate == pytest.approx(table.mean())


def test_bets_are_looked_at_each_time_the_runs_have_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    tabled(monkeypatch, np.full((80, 1), 3.0))
    asked: list[int] = []
    monkeypatch.setattr(
        sequential, "_betting_interval", lambda values, *rest: Interval(float(asked.append(len(values)) or 0), math.inf)
    )
    found = estimated(1.0, 1e-3, (10, 80), trusted=False, upper=True)
    assert asked == [10, 10, 20, 20, 40, 40, 80, 80]
    assert found.why == ""


def test_a_negative_value_of_a_run_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tabled(monkeypatch, np.array([[0.5], [-0.5], [0.5], [0.5]]))
    for more in ({"top": 1.0}, {"trusted": False, "upper": True}):
        with pytest.raises(NotEnumerable, match="tabled of a run is negative"):
            estimated(1.0, 0.1, (2, 4), **more)


def test_nan_of_a_run_is_a_broken_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    tabled(monkeypatch, np.array([[0.5], [math.nan], [0.5], [0.5]]))
    with pytest.raises(VariantError, match="the measure of a run is NaN"):
        estimated(1.0, 0.1, (2, 4), top=1.0)


# One point of each run ---------------------------------------------------------------------------------------------------


def test_one_point_of_a_run_is_enough_where_compiled_runs_give_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is declared of the states between, and the measure is the one that says so."""

    class Changed(LastDistance):
        def values(self, states: np.ndarray, case: Case) -> np.ndarray:
            return super().values(states, case) * 2

    known = algorithms.sequential
    assert known.streaming_kernel is not None
    for measure, algorithm, enough in (
        (LastDistance(), known, True),
        (LastDistance(), known._replace(within=5), False),
        (LastDistance(), STEP, False),
        (Changed(), known, False),
    ):
        assert sequential._needs_only_points(measure, algorithm) == enough
    asked: list[Any] = []

    def streamed(algorithm: Any, case: Any, n: int, weights: Any, seed: int, first: int) -> Any:
        asked.append((n, seed, first))
        return np.full((n, 1), 3.0)

    monkeypatch.setattr(sequential, "stream_runs", streamed)
    best = float(CASE.instance.minimiser[0])
    values = list(sequential.value_blocks(LastDistance(), known, CASE, 4, 7, 2))
    assert asked == [(4, 7, 2)]
    assert values[0] == pytest.approx(np.full((4, 1), (3 - best) ** 2))
    monkeypatch.setattr(sequential, "stream_runs", lambda *given: None)
    assert next(sequential.value_blocks(LastDistance(), known, CASE, 4, 7, 2)).shape == (4, 1)


def test_the_values_of_runs_in_blocks_are_those_of_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(sequential.state_blocks(algorithms.sequential, CASE, 7, 3, 2)))
    assert whole.shape == (7, 4, 1)
    for entries in (1, 4, 8, 12, 10**6):
        monkeypatch.setattr(sequential, "ENTRIES", entries)
        blocks = list(sequential.state_blocks(algorithms.sequential, CASE, 7, 3, 2))
        assert (np.concatenate(blocks) == whole).all()
        assert max(map(len, blocks)) == max(1, min(7, entries // 4))
    for i in range(7):
        assert (next(sequential.state_blocks(algorithms.sequential, CASE, 1, 3, 2 + i))[0] == whole[i]).all()
    far = Algorithm("far", lambda x, oracle, c: x + 1, within=2)
    with pytest.raises(VariantError, match="but a run goes 3 away"):
        list(sequential.state_blocks(far, CASE, 1, 0))


# Nonnegative values alone ------------------------------------------------------------------------------------------------


def test_a_value_below_zero_by_more_than_rounding_is_refused() -> None:
    for values, limit, refused in (
        ([1.0, -0.9e-9], 0.0, False),
        ([1.0, -1.1e-9], 0.0, True),
        ([1.0, -1.1e-9], 2.0, False),
        ([-5.0, 1.0], 1.0, True),
        ([-1e-3, 1.0], 1.0, True),
        ([0.0, 0.0], 0.0, False),
    ):
        mine = np.array(values)[:, None]
        sequential.require_nonnegative(LastDistance(), mine, limit)
        if refused:
            with pytest.raises(NotEnumerable, match=r"tabled of a run is negative \(-.*\): confidence intervals need"):
                sequential.require_nonnegative(Tabled(), mine, limit)
        else:
            sequential.require_nonnegative(Tabled(), mine, limit)


def test_statistics_of_values_that_overflow() -> None:
    sample = Sample.of(np.array([[1.0], [np.inf]]), 2.0)
    assert sample.estimate is None
    assert sample.mean[0] == 1.5
    assert sample.joined(Sample.of(np.array([[3.0]]), 2.0)).estimate is None
    assert Sample.of(np.array([[1.0, 4.0], [2.0, 0.0]]), 1.0).estimate == 1.5
    whole = Sample.of(np.array([[9.0, 4.0]]), 1.0).joined(Sample.of(np.array([[0.0, 1.0], [3.0, 1.0]]), 1.0))
    assert whole.plain == pytest.approx([4.0, 2.0])
    assert whole.estimate == pytest.approx(2.0)
    assert whole.span == 1.0


def test_the_radius_of_runs_is_held_with_rounding_alone() -> None:
    mine = Algorithm("mine", STEP.step, within=5)
    states = np.array([[[1.0, 2.0], [4.0, 6.0], [1.0, 2.0]], [[1.0, 2.0], [0.0, 2.0], [1.0, 1.0]]])
    sequential._require_within_radius(mine, states)
    for factor, refused in ((1 + 0.9e-9, False), (1 + 1.1e-9, True), (math.nan, True)):
        moved = states.copy()
        moved[0, 1] = states[0, 0] + (states[0, 1] - states[0, 0]) * factor
        if refused:
            with pytest.raises(VariantError, match="declares that it stays within 5 of its start, but a run goes"):
                sequential._require_within_radius(mine, moved)
        else:
            sequential._require_within_radius(mine, moved)
        sequential._require_within_radius(STEP, moved)
    sequential._require_within_radius(mine, np.array([[[0.0], [5 * (1 + 1e-9)]]]))


def test_the_work_of_a_run() -> None:
    assert steps_per_run(CASE) == 3 * 2 * 2
    assert steps_per_run(CASE, clients=False) == 3 * 2
    assert steps_per_run(Case(CASE.instance, n_rounds=3)) == 3 * 2

    class Unknown:
        @property
        def constants(self) -> Any:
            raise ValueError("no minimiser")

    assert steps_per_run(Unknown()) == 1.0  # type: ignore[arg-type]


# Bets on the mean of what has a known range ------------------------------------------------------------------------------


def drawn(table: np.ndarray, off: float = 0.0) -> Any:
    return lambda first, last: (table[first:last], off)


def bet(table: Any, span: tuple[float, float], limit: float = 0.5, rate: float = 0.1, **more: Any) -> Measured:
    values = np.array(table, dtype=float)
    given = {"decided": never, "looks": (len(values),), "off": 0.0, **more}
    return bet_on_mean(
        drawn(values, given["off"]), ("mine", "m"), Interval(*span), limit, given["decided"], rate, given["looks"]
    )


@pytest.mark.parametrize("rate", [0.1, 1e-4])
@pytest.mark.parametrize("off", [0.0, 1e-3])
def test_both_ends_of_a_bet_have_half_of_the_rate_and_a_budget(rate: float, off: float) -> None:
    values = np.random.default_rng(6).beta(2.0, 3.0, 150)
    found = bet(values, (0.0, 2.0), rate=rate, off=off).value
    budget = 1e-9 * 2 + off
    assert found.low == pytest.approx(largest_exceeded(values, 0.0, rate / 2) - budget, abs=1e-10)
    assert found.high == pytest.approx(-largest_exceeded(-values, -2.0, rate / 2) + budget, abs=1e-10)
    assert abs(found.low - largest_exceeded(values, 0.0, rate / 2)) > 0.9 * budget
    assert abs(found.high + largest_exceeded(-values, -2.0, rate / 2)) > 0.9 * budget


@pytest.mark.parametrize(
    ("values", "span", "off", "inside"),
    [
        ([0.0, 1.0], (0.0, 1.0), 0.0, True),
        ([-0.9e-9, 1.0], (0.0, 1.0), 0.0, True),
        ([-1e-9, 1.0], (0.0, 1.0), 0.0, True),
        ([-1.1e-9, 1.0], (0.0, 1.0), 0.0, False),
        ([-3.0, 1 + 5e-9], (-5.0, 1.0), 0.0, True),
        ([0.5, 1 + 0.9e-9], (0.0, 1.0), 0.0, True),
        ([0.5, 1 + 1.1e-9], (0.0, 1.0), 0.0, False),
        ([-0.01, 0.5], (0.0, 1.0), 0.02, True),
        ([0.5, 1.01], (0.0, 1.0), 0.02, True),
        ([-0.03, 0.5], (0.0, 1.0), 0.02, False),
        ([0.5, 1.03], (0.0, 1.0), 0.02, False),
        ([-5 - 4e-9, 1.0], (-5.0, 1.0), 0.0, True),
        ([-5 - 6e-9, 1.0], (-5.0, 1.0), 0.0, False),
        ([-3.0, 1 + 4e-9], (-5.0, 1.0), 0.0, True),
        ([-1.0, 1 + 6e-9], (-5.0, 1.0), 0.0, False),
        ([0.5, 7.0], (0.0, math.inf), 0.0, True),
        ([-8e-9, 9.0], (0.0, math.inf), 0.0, True),
        ([-2e-8, 9.0], (0.0, math.inf), 0.0, False),
        ([-0.5, 7.0], (0.0, math.inf), 0.0, False),
    ],
)
def test_a_value_outside_its_known_range_is_refused(
    values: list[float], span: tuple[float, float], off: float, inside: bool
) -> None:
    if inside:
        assert bet(values, span, off=off).n_seeds == 2
        return
    with pytest.raises(VariantError, match=rf"mine: a run leaves the known range of m: \[{span[0]:g}, {span[1]:g}\]"):
        bet(values, span, off=off)


def test_values_within_rounding_of_the_range_count_as_its_ends() -> None:
    inside = [0.0, 1.0] * 20
    outside = [-0.01, 1.01] * 20
    plain, moved = (bet(v, (0.0, 1.0), off=0.02).value for v in (inside, outside))
    assert moved == pytest.approx(plain, abs=1e-9)


def test_a_bet_on_nan_is_a_broken_variant() -> None:
    with pytest.raises(VariantError, match="mine: the measure of a run is NaN"):
        bet([0.5, math.nan], (0.0, 1.0))


def test_without_an_upper_end_a_bet_has_a_lower_one_alone() -> None:
    values = np.random.default_rng(6).beta(2.0, 3.0, 100)
    one, both = bet(values, (0.0, math.inf)), bet(values, (0.0, 1.0))
    assert one.value == (pytest.approx(both.value.low), math.inf)
    assert "only a lower confidence limit" in one.note
    assert both.note == ""


def test_a_bet_ends_at_the_first_look_that_decides() -> None:
    table = np.full(200, 0.9)
    asked: list[Interval] = []

    def decided(found: Interval) -> bool:
        asked.append(found)
        return found.low > 0.5

    found = bet(table, (0.0, 1.0), rate=1e-3, decided=decided, looks=(4, 20, 40, 200))
    assert found.n_seeds == 20
    assert found.value.low > 0.5
    assert len(asked) == 1
    assert found.estimate == pytest.approx(0.9)
    last = bet(np.full(4, 0.9), (0.0, 1.0), rate=1e-3, decided=decided, looks=(2, 4))
    assert len(asked) == 2
    assert 0 <= last.value.low < 0.5 < last.value.high
    assert (last.n_seeds, last.error_rate, last.evidence) == (4, 1e-3, "statistical")


def test_the_mean_of_a_bet_is_of_the_runs_that_suffice_at_the_common_rate() -> None:
    table = np.random.default_rng(3).beta(6.0, 3.0, 800)
    looks = (26, 52, 104, 208, 416, 800)

    def decided(found: Interval) -> bool:
        return found.low > 0.5

    common, strict = (bet(table, (0.0, 1.0), rate=r, decided=decided, looks=looks) for r in (1e-6, 1e-30))
    assert common.n_seeds < strict.n_seeds
    assert common.estimate == strict.estimate == pytest.approx(table[: common.n_seeds].mean())
    assert bet(table, (0.0, 1.0), limit=float(table.mean()), rate=1e-6, looks=looks).estimate == pytest.approx(
        table.mean()
    )


@pytest.mark.parametrize("p", [0.5, 0.05])
def test_a_bet_keeps_its_rate_over_many_looks_on_both_sides(p: float) -> None:
    rate, trials, wrong = 0.2, 40, 0
    for seed in range(trials):
        table = (np.random.default_rng(seed).random(100) < p).astype(float)
        found = bet(
            table, (0.0, 1.0), limit=p, rate=rate, decided=lambda f: not f.low <= p <= f.high, looks=(25, 50, 75, 100)
        )
        wrong += not found.value.low <= p <= found.value.high
    assert wrong <= rate * trials


def test_games_are_charged_by_their_steps() -> None:
    game, player = Game(tuple(range(9))), SimpleNamespace(name="mine")
    for first, last in ((0, 1), (2, 7)):
        with work_limit() as meter:
            values = sequential.simulate(game, player, CASE, last - first, 0, first)
        assert values.tolist() == list(range(first, last))
        wanted = CALL_COST + (last - first) * 12 / COMPILED_FLOATS_PER_UNIT
        assert meter.spent == pytest.approx(wanted)


@dataclass(frozen=True)
class Game(GameMeasure):
    """Games whose values are drawn from a table."""

    table: Any = ()
    known: tuple[float, float] = (0.0, 1.0)
    off: float = 0.0
    name: str = "game"
    dimension: Dimension = LENGTH_SQUARED

    def span(self, case: Case) -> tuple[float, float]:
        return self.known

    def float_error(self, case: Case) -> float:
        return self.off

    def simulate(self, player: Any, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        return np.array(self.table, dtype=float)[repetitions]


def test_games_are_bet_upon_in_their_known_range() -> None:
    table = tuple(np.random.default_rng(1).beta(2.0, 2.0, 60))
    player: Any = SimpleNamespace(name="mine")
    for off in (0.0, 1e-3):
        found = bet_sequentially(Game(table, off=off), player, CASE, 0.5, never, 0.1, stages=(20, 60))
        same = bet(table, (0.0, 1.0), off=off, looks=betting_schedule((20, 60)))
        assert found.value == same.value
        assert found.n_seeds == 60
    free = bet_sequentially(Game(table), player, CASE, 0.5, never, 0.1, trusted=False, stages=(20, 60))
    assert free.value == (pytest.approx(bet(table, (0.0, 1.0)).value.low), math.inf)
    beyond = (*table[:-1], 1.5)
    with pytest.raises(VariantError, match="leaves the known range"):
        bet_sequentially(Game(beyond), player, CASE, 0.5, never, 0.1, stages=(20, 60))
    assert bet_sequentially(Game(beyond), player, CASE, 0.5, never, 0.1, trusted=False, stages=(20, 60)).n_seeds == 60
