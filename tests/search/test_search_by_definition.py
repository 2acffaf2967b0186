"""The parts of a search written out: numbers and their neighbours, records, error rates and work, climbing, targets."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory import symbols
from fltheory.claims.check import ERROR_RATE, check_claim
from fltheory.evidence.measured import STAGES
from fltheory.evidence.verdict import STRADDLES, Verdict
from fltheory.model.case import Case
from fltheory.problems.dense import DenseQuadraticClients
from fltheory.problems.responses import ResponseTable
from fltheory.problems.separable import QuadraticClients
from fltheory.search import deadline, evaluations, history, local_search, neighbours, reshaping
from fltheory.search.evaluations import Evaluator, deciding_stages, first_runs
from fltheory.search.history import CheckFailed, SearchState
from fltheory.search.local_search import ScoredCase, cma_es, continue_to_longer, hill_climb
from fltheory.search.neighbours import leaves, round_digits, shorten, simpler_cases, with_leaves
from fltheory.search.tightness.constraints import Fact
from fltheory.search.tightness.growth import growth_exponent
from fltheory.search.tightness.targets import FactTable, WeightTarget, confirm_weights, vertex, weight_targets
from fltheory.verification import find
from fltheory.work import BudgetExhausted, Meter, spend

F = Fraction
CLAIM = find("sfl/T7-GC@explicit")
CASE = Case(QuadraticClients(((1,), (2,)), ((1,), (-1,)), (3,)), n_rounds=4, n_local_steps=2, step_size="1/100")
VERDICT = check_claim(CLAIM, CASE)


def verdict(ratio: float | None, status: str = "holds", **changes: Any) -> Verdict:
    return replace(VERDICT, ratio=ratio, status=status, **changes)  # type: ignore[arg-type]


def case(step: str, rounds: int = 4) -> Case:
    return Case(CASE.instance, n_rounds=rounds, n_local_steps=2, step_size=step)


# Numbers and neighbours -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 1, -1, "1/3", "-2/3", "12345/7", "1/70000", "99999/10000"])
@pytest.mark.parametrize("digits", [1, 2, 4])
def test_rounding_keeps_significant_digits(value: Any, digits: int) -> None:
    exact = F(value)
    for found in (round_digits(exact, digits), shorten(exact, digits)):
        assert abs(found - exact) <= abs(exact) * F(1, 2 * 10 ** (digits - 1))
        assert (found > 0, found < 0) == (exact > 0, exact < 0)
        if found:
            scaled = abs(found) * F(10) ** (digits - 1 - math.floor(math.log10(abs(float(found))) + 1e-9))
            assert scaled.denominator == 1
    assert shorten(F(10) ** 400 / 3, 3) == F(333) * F(10) ** 397


def test_numbers_of_a_case_are_its_own_and_change_one_by_one() -> None:
    numbers = leaves(CASE)
    assert {p[:2] for p in numbers if p[0] == "settings"} == {
        ("settings", n) for n in ("n_rounds", "n_local_steps", "step_size")
    }
    made = with_leaves(CASE, {("instance", "slopes", 1, 0): F(-2), ("settings", "n_rounds"): 7})
    assert made is not None
    assert made.instance.slopes == ((1,), (-2,))
    assert made.constants[symbols.n_rounds] == 7
    assert made.instance.curvatures == CASE.instance.curvatures
    flat = {("instance", "curvatures", m, 0): 0 for m in range(2)} | {("instance", "slopes", 0, 0): 5}
    assert with_leaves(CASE, flat) is None  # an objective without a minimiser


def test_simpler_cases_have_fewer_clients_first_and_then_simpler_numbers() -> None:
    found = list(simpler_cases(CASE))
    assert [c.instance.n_clients for c in found[:2]] == [1, 1]
    assert {c.instance.curvatures for c in found[:2]} == {((1,),), ((2,),)}
    rest = [c for c in found if c.instance.n_clients == 2]
    for one in rest:
        changed = [p for p, v in leaves(CASE).items() if leaves(one)[p] != v]
        assert len(changed) == 1
    steps = {c.constants[symbols.step_size] for c in rest}
    assert {0, 1} & steps
    rounds = {c.constants[symbols.n_rounds] for c in rest}
    assert {1, 2, 3} <= rounds
    assert not any(c == CASE for c in found)


def test_simpler_cases_lose_a_coordinate_too() -> None:
    plane = Case(DenseQuadraticClients(((1, "1/2"),), ((1, 0),), (2, 1)), n_rounds=1, n_local_steps=1, step_size="1/9")
    assert any(
        c.instance.dim == 1 for c in simpler_cases(Case(QuadraticClients(((1, 2),), ((1, 0),), (2, 1)), n_rounds=1))
    )
    assert all(c.instance.n_clients == 1 for c in simpler_cases(plane))
    drop = neighbours._drop
    assert drop(((1, 2), (3, 4), (5, 6)), "client", 1, 3, 2) == ((1, 2), (5, 6))
    assert drop(((1, 2), (3, 4), (5, 6)), "coordinate", 1, 3, 2) == ((1,), (3,), (5,))
    assert drop((7, 8), "coordinate", 0, 3, 2) == (8,)
    assert drop((7, 8, 9), "coordinate", 0, 3, 2) == (7, 8, 9)
    assert drop((7, 8, 9), "client", 0, 3, 2) == (7, 8, 9)
    assert drop("text", "client", 0, 3, 2) == "text"


def test_short_numbers_near_1_are_simple() -> None:
    def of(step: str) -> tuple[int, float]:
        return neighbours.complexity(case(step))

    assert of("1/2") < of("1/3") or of("1/2")[0] == of("1/3")[0]
    assert of("1/100")[0] < of("123/1000")[0]
    assert of("1/2")[1] < of("1/9")[1]
    for near, far in (("1/2", "1/9"), ("2", "9")):
        assert of(near) < of(far)


@pytest.mark.parametrize(("value", "factor"), [(5, 1.001), (5, 0.999), (5, 3.0), (1, 0.1), (7, 1), (F(1, 3), 2.0)])
def test_moved_counts_stay_whole_and_move(value: Any, factor: float) -> None:
    found = neighbours._times(value, factor)
    assert isinstance(found, int) is isinstance(value, int)
    if factor == 1:
        assert found == value
    else:
        assert (found > value) is (factor > 1)
    assert abs(float(found) - float(value) * factor) <= max(1.0 * isinstance(value, int), abs(float(found)) * 1e-3)


# Records ----------------------------------------------------------------------------------------------------------------


def test_merged_records_count_both_and_keep_the_first() -> None:
    one = SearchState(1, 2, 3, 4, 5, 6, 7.0, spent=0.25, broken=1, broke="a", reason="b", lengthened=set(), dear={"x"})
    other = SearchState(10, 20, 30, 40, 50, 60, 70.0, spent=0.5, broken=2, broke="c", reason="d", dear={"y"})
    other.undecided[STRADDLES] = 2
    other.interrupted, other.counterexample, other.glanced = True, verdict(2.0, "violated"), True
    other.best = [verdict(0.5)]
    other.nearest = verdict(0.5)
    one.join(other)
    assert (one.examined, one.applicable, one.tested, one.scouted, one.cut, one.late) == (11, 22, 33, 44, 55, 66)
    assert (one.work, one.spent, one.broken, one.broke, one.reason) == (77.0, 0.75, 3, "a", "b")
    assert (one.dear, one.undecided[STRADDLES], one.interrupted, one.glanced) == ({"x", "y"}, 2, True, True)
    assert one.counterexample is other.counterexample
    assert one.nearest is other.nearest
    first = one.counterexample
    one.join(SearchState(counterexample=verdict(3.0, "violated"), nearest=verdict(0.25), error=ValueError("e")))
    assert one.counterexample is first
    assert one.nearest is other.nearest
    assert str(one.error) == "e"


def test_verdicts_are_counted_by_what_they_say() -> None:
    seen = SearchState()
    seen.count(verdict(None, "inconclusive", evidence=None, reason="no law"))
    assert (seen.applicable, seen.tested, seen.reason, seen.open) == (1, 0, "no law", None)
    open_one = verdict(0.9, "inconclusive", reason="")
    seen.count(open_one)
    assert (seen.applicable, seen.tested, seen.undecided[STRADDLES]) == (2, 1, 1)
    assert seen.open is open_one
    assert seen.nearest is None  # undecided
    for ratio in (0.25, 0.5, 0.4):
        seen.count(verdict(ratio))
    assert seen.nearest is not None
    assert seen.nearest.ratio == 0.5
    bad = verdict(1.5, "violated")
    seen.count(bad)
    seen.count(verdict(2.5, "violated"))
    assert seen.counterexample is bad
    assert seen.nearest.ratio == 0.5
    assert (seen.applicable, seen.tested) == (7, 6)


def test_the_best_cases_are_few_of_a_shape_in_order_and_each_once() -> None:
    seen = SearchState()
    for k in (3, 1, 4, 1, 5):
        seen.keep(verdict(k / 10, case=case(f"1/{k}00")))
    assert [v.ratio for v in seen.best] == [0.5, 0.4]
    seen.keep(verdict(0.1, case=case("1/500")))  # the same case again
    assert [v.ratio for v in seen.best] == [0.4, 0.1]
    for n in range(3, 13):
        other = Case(QuadraticClients(((1,),) * n, ((0,),) * n, (1,)), n_rounds=1, n_local_steps=1, step_size="1/9")
        seen.keep(verdict(n / 100, case=other))
    assert len(seen.best) == history.MAX_BEST
    assert [v.ratio for v in seen.best] == sorted((v.ratio or 0 for v in seen.best), reverse=True)


def test_vacuous_bounds_promise_little() -> None:
    assert history.search_score(verdict(0.5)) == 0.5
    assert history.search_score(verdict(None)) == 0
    vacuous = verdict(0.5, "vacuous", trivial=2.0, measured=1.0)
    assert history.search_score(vacuous) == 0.5 * history.VACUOUS_DISCOUNT
    assert history.search_score(replace(vacuous, measured=2.0)) == 0.5 * history.VACUOUS_DISCOUNT
    assert history.search_score(replace(vacuous, measured=2.5)) == 0.5


def test_checks_that_break_on_all_first_cases_end_the_search() -> None:
    seen, error = SearchState(), CheckFailed("x")
    for _ in range(history.MAX_BROKEN - 1):
        seen.breaks(error)
    with pytest.raises(CheckFailed):
        seen.breaks(error)
    assert (seen.broken, seen.broke) == (history.MAX_BROKEN, "x")
    seen.tested = 1
    seen.breaks(CheckFailed("y"))
    assert seen.broke == "x"


def test_what_is_reported_is_nearer_or_violates() -> None:
    seen = SearchState()
    assert seen.would_report(verdict(0.1))
    assert not seen.would_report(verdict(None))
    seen.keep_nearer(verdict(0.5))
    assert not seen.would_report(verdict(0.5))
    assert seen.would_report(verdict(0.6))
    assert seen.would_report(verdict(0.2, "violated"))


def test_a_case_looked_at_again_is_counted_once() -> None:
    seen = SearchState()
    open_one = verdict(0.9, "inconclusive", reason="why")
    seen.examined = 1
    seen.count(open_one)
    before = seen.without(open_one)
    assert (seen.examined, seen.applicable, seen.tested, dict(seen.undecided)) == (0, 0, 0, {})
    seen.restore_counts(before)
    assert (seen.examined, seen.applicable, seen.tested, dict(seen.undecided)) == (0, 1, 1, {"why": 1})


# Error rates, work and time ---------------------------------------------------------------------------------------------


def evaluator(number: int = 0, work: float = 1000.0, slice: float = 100.0, **options: Any) -> Evaluator:
    return Evaluator(CLAIM, 0, number, Meter(0.0), work, slice, **options)


def test_the_looks_of_all_segments_share_half_of_the_error_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[float] = []

    def told(claim: Any, case: Case, rate: float, seed: int, stages: Any) -> Verdict:
        rates.append(rate)
        return verdict(0.5, error_rate=rate)

    monkeypatch.setattr(evaluations, "checked_verdict", told)
    spent = 0.0
    for number in range(40):
        looks = evaluator(number)
        for _ in range(40):
            looks.short(CASE)
        spent += looks.seen.spent
    assert sum(rates) == pytest.approx(spent)
    assert all(rate > 0 for rate in rates)
    assert ERROR_RATE / 2 * 0.9 < sum(rates) < ERROR_RATE / 2
    assert len(set(rates[:40])) == 40
    quiet = evaluator()
    monkeypatch.setattr(evaluations, "checked_verdict", lambda *given: verdict(0.5, error_rate=0.0))
    quiet.short(CASE)
    assert quiet.seen.spent == 0


def test_a_segment_ends_at_its_limits() -> None:
    looks = evaluator(work=10.0, most=3)
    assert not looks.over
    looks.meter.spent = 10.0
    assert looks.over
    looks.meter.spent = 9.9
    looks.seen.examined = 2
    assert not looks.over
    looks.seen.examined = 3
    assert looks.over
    for change in ({"counterexample": VERDICT}, {"error": ValueError("e")}):
        looks = evaluator()
        for name, value in change.items():
            setattr(looks.seen, name, value)
        assert looks.over
    assert evaluator(deadline=time.perf_counter() - 1).over
    assert not evaluator(deadline=time.perf_counter() + 100).over


def test_looks_that_end_early_are_counted_by_what_ended_them() -> None:
    def costly() -> None:
        spend(7.0)
        spend(7.0)

    looks = evaluator()
    assert looks._ended(costly, 10.0) is None  # type: ignore[arg-type]
    assert (looks.seen.cut, looks.took > 10.0) == (1, True)
    for error in (BudgetExhausted(), MemoryError()):
        assert looks._ended(raising(error), 10.0) is None
    assert looks._ended(raising(deadline.DeadlinePassed()), 10.0) is None
    assert looks._ended(raising(CheckFailed("x")), 10.0) is None
    assert (looks.seen.cut, looks.seen.late, looks.seen.broken) == (3, 1, 1)
    assert looks._ended(lambda: VERDICT, 10.0) is VERDICT


def raising(error: BaseException) -> Callable[[], Any]:
    def call() -> Any:
        raise error

    return call


def test_the_work_of_a_step_is_learnt_from_long_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = evaluator()
    monkeypatch.setattr(evaluations, "steps_per_run", lambda case, clients=True: 20)
    looks._learn(CASE, 50.0)
    assert looks.rate == 0
    monkeypatch.setattr(evaluations, "steps_per_run", lambda case, clients=True: 21)
    looks._learn(CASE, 22.0)
    assert looks.rate == pytest.approx(1)
    assert looks.cost(CASE) == pytest.approx(22)
    looks._learn(CASE, 0.5)
    assert looks.rate == 0


def test_long_cases_are_simulated_a_few_times_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for steps, runs in ((1, STAGES[0]), (10_000, min(STAGES[0], 50)), (400_000, 2), (10**9, 2)):
        monkeypatch.setattr(evaluations, "steps_per_run", lambda case, clients=True, own=steps: own)
        assert first_runs(CASE) == (runs,)
        few = runs != STAGES[0]
        assert deciding_stages(CASE, (1000,)) == ((evaluations.EARLY_RUNS, 1000) if few else (1000,))


def test_one_run_far_from_the_bound_is_estimated_in_floats() -> None:
    found = evaluations.estimate(CLAIM, CASE, 0)
    assert found is not None
    assert VERDICT.ratio is not None
    discount = history.VACUOUS_DISCOUNT if VERDICT.status == "vacuous" else 1
    assert found == pytest.approx(VERDICT.ratio * discount, rel=1e-6)
    outside = Case(CASE.instance, n_rounds=4, n_local_steps=2, step_size=1000)
    assert evaluations.estimate(CLAIM, outside, 0) is None


def test_times_are_positive_numbers_and_deadlines_pass() -> None:
    for good in (None, 1, 0.5, 1e9):
        deadline.require_seconds(good)
    for bad in (0, -1, math.inf, math.nan, True, "1"):
        with pytest.raises(ValueError, match="seconds must be a positive number, or None for no limit"):
            deadline.require_seconds(bad)
    now = time.perf_counter()
    assert deadline.has_passed(now - 1)
    assert not deadline.has_passed(now + 100)
    assert not deadline.has_passed(math.inf)
    assert deadline.deadline_of(None) == math.inf
    assert now + 5 <= deadline.deadline_of(5) <= time.perf_counter() + 5
    assert list(deadline.items_before(now - 1, iter([1, 2]))) == []
    assert list(deadline.items_before(now + 100, iter([1, 2]))) == [1, 2]


# Climbing ---------------------------------------------------------------------------------------------------------------


class Hill:
    """The score is largest where the step size is 1/8 and the second slope is -4."""

    def __init__(self, most: int = 10**9) -> None:
        self.random, self.asked, self.most = Random(3), list[Case](), most

    @property
    def over(self) -> bool:
        return len(self.asked) >= self.most

    def score(self, case: Case) -> float | None:
        self.asked.append(case)
        numbers = leaves(case)
        step, slope = float(numbers[("settings", "step_size")]), float(numbers[("instance", "slopes", 1, 0)])
        if step <= 0 or slope >= 0:
            return None
        return -abs(math.log(8 * step)) - abs(math.log(-slope / 4))


@pytest.mark.parametrize("climb", [hill_climb, cma_es])
def test_climbing_only_goes_up_and_ends_when_told(climb: Any) -> None:
    ground = Hill()
    start = ScoredCase(CASE, ground.score(CASE) or 0.0)
    found = climb(ground, start, 60)
    assert found.score > start.score
    assert found.score == max(s for c in list(ground.asked) if (s := Hill().score(c)) is not None)
    assert found.score == Hill().score(found.case)
    brief = Hill(most=1)
    assert climb(brief, start, 50).score >= start.score
    assert len(brief.asked) <= 1
    over = Hill(most=0)
    assert climb(over, start, 50) is start
    assert over.asked == []
    best = ScoredCase(CASE, 1.0)
    assert climb(Hill(), best, 30) is best


def test_as_many_moves_as_asked_for_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[float] = []

    def neighbour(case: Case, size: float, random: Random) -> Case:
        sizes.append(size)
        return case

    monkeypatch.setattr(local_search, "random_neighbour", neighbour)
    ground = Hill()
    hill_climb(ground, ScoredCase(CASE, 0.0), 200)
    assert len(ground.asked) == 200
    assert sizes[0] == 1
    assert sizes[1] == pytest.approx(local_search.STEP_DECAY)
    assert min(sizes) == local_search.MIN_STEP
    better = itertools.count(1)
    monkeypatch.setattr(ground, "score", lambda case: float(next(better)))
    sizes.clear()
    hill_climb(ground, ScoredCase(CASE, 0.0), 20)
    assert sizes[1] == pytest.approx(local_search.STEP_GROWTH)
    assert max(sizes) == local_search.MAX_STEP


def test_logarithms_keep_signs_and_whole_counts() -> None:
    places: list[Any] = [("instance", "slopes", 1, 0), ("settings", "n_rounds"), ("settings", "step_size")]
    made = local_search._at_logs(CASE, places, np.log([3.2, 6.6, 0.25]))
    assert made is not None
    numbers = leaves(made)
    assert [numbers[p] for p in places] == [-3, 7, F(1, 4)]
    small = local_search._at_logs(CASE, places[1:2], np.log([0.01]))
    assert small is not None
    assert leaves(small)[places[1]] == 1
    assert local_search._at_logs(CASE, places[:1], np.array([local_search.MAX_LOG])) is None
    assert local_search._at_logs(CASE, [("settings", "other")], np.array([1.0])) is None


def test_weights_of_parents_fall_and_sum_to_1() -> None:
    for n, parents in ((2, 3), (5, 4), (20, 6)):
        law = local_search._SearchDistribution(np.zeros(n), parents)
        assert law.weights.sum() == pytest.approx(1)
        assert (np.diff(law.weights) < 0).all()
        assert (law.weights > 0).all()
        assert 1 <= law.mass <= parents
        assert 0 < law.c_one < 1
        assert 0 <= law.c_many <= 1 - law.c_one
        normal = np.random.default_rng(0).standard_normal((4000, n))
        assert law.length == pytest.approx(np.linalg.norm(normal, axis=1).mean(), rel=0.02)


def test_a_distribution_moves_and_grows_towards_the_best_steps() -> None:
    law = local_search._SearchDistribution(np.zeros(2), 2)
    for _ in range(6):
        law.steps(np.zeros((1, 2)))
        law.update(np.array([[3.0, 0.0], [2.0, 0.0], [-9.0, 9.0], [-9.0, 9.0]]))
    assert law.mean[0] > 0
    assert law.mean[1] == 0
    assert law.width > local_search.INITIAL_STD
    assert law.shape[0, 0] > law.shape[1, 1]
    np.testing.assert_allclose(law.shape, law.shape.T)
    law = local_search._SearchDistribution(np.zeros(2), 2)
    for _ in range(6):
        law.steps(np.zeros((1, 2)))
        law.update(np.zeros((4, 2)))
    assert law.width < local_search.INITIAL_STD


def test_longer_runs_are_sought_with_a_rescaled_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """The score asks for step size / rounds^-1 constant, so each longer run needs a smaller step."""

    class Longer(Hill):
        def score(self, case: Case) -> float | None:
            self.asked.append(case)
            numbers = leaves(case)
            rounds, step = int(numbers[("settings", "n_rounds")]), float(numbers[("settings", "step_size")])
            return math.log(rounds) - 2 * abs(math.log(step * rounds * 25)) if step > 0 else None

    stretch = reshaping.Continuation((("settings", "n_rounds"),), ("settings", "step_size"), 4)
    monkeypatch.setattr(local_search, "first_continuation", lambda case, random: stretch)
    ground = Longer()
    start = ScoredCase(CASE, ground.score(CASE) or 0.0)
    found = continue_to_longer(ground, start, 130)
    assert found.score == Longer().score(found.case)
    rounds, step = (leaves(found.case)[("settings", name)] for name in ("n_rounds", "step_size"))
    assert rounds == 16  # 4 more, then 8 more
    assert float(step * rounds) == pytest.approx(1 / 25, rel=1e-2)
    assert len(ground.asked) == 1 + 2 * 65
    assert continue_to_longer(Longer(most=0), start, 10) is start


def test_continuations_double_after_success_and_quarter_after_failure() -> None:
    one = reshaping.Continuation((("settings", "n_rounds"),), ("settings", "step_size"), 8)
    assert one.log_gain == 0
    after = one.followed(-4.0)
    assert (after.stride, after.rate, after.log_gain) == (16, -0.5, -8)
    assert [c.stride if (c := one.after_failure()) else None] == [2]
    assert replace(one, stride=1).after_failure() is None
    assert replace(one, stride=2).after_failure() == replace(one, stride=1)
    made = reshaping.continued_case(CASE, one, math.log(2))
    assert made is not None
    assert leaves(made)[("settings", "n_rounds")] == 12
    assert leaves(made)[("settings", "step_size")] == F(1, 50)
    far = replace(one, stride=reshaping.MAX_COUNT - 3)
    assert reshaping.continued_case(CASE, far, 0.0) is None
    assert reshaping.continued_case(CASE, replace(far, stride=reshaping.MAX_COUNT - 4), 0.0) is not None
    assert reshaping.continued_case(CASE, one, reshaping.MAX_LOG_FACTOR + 1) is None


def test_changed_clients_keep_the_mean_where_they_are_split() -> None:
    rows = ((F(1), F(2)), (F(3), F(5)), (F(7), F(0)))
    for kind in ("twice", "split"):
        found = reshaping._change_rows(rows, 1, 0, kind, F(1, 2))
        assert len(found) == 4
        assert found[0] == rows[0]
        assert found[3] == rows[2]
        assert [(a + b) / 2 for a, b in zip(found[1], found[2], strict=True)] == list(rows[1])
        assert (found[1] == found[2]) is (kind == "twice")
    assert reshaping._change_rows(rows, 1, 0, "less", F(1)) == (rows[0], rows[2])
    assert reshaping._change_rows(rows, 1, 0, "merged", F(1)) == ((2, F(7, 2)), rows[2])
    assert reshaping._linear_combination((1, "a", True), (2, "b", False), F(2), F(1)) == (4, "a", True)


def test_shortened_runs_have_at_least_one_round() -> None:
    for by, rounds in ((2, 2), (3, 1), (4, 1), (100, 1)):
        found = reshaping.shortened_case(CASE, by)
        assert found is not None
        assert found.constants[symbols.n_rounds] == rounds
    assert reshaping.shortened_case(case("1/100", 1), 2) is None
    game = Case(ResponseTable(((1, 0), (0, 1)), (2, 3), repeat=10))
    assert reshaping.case_shape(game) == reshaping.case_shape(Case(replace(game.instance, repeat=500)))
    assert reshaping.case_shape(game) != reshaping.case_shape(Case(ResponseTable(((1, 0),), (2,), repeat=10)))
    for value, log in ((F(1, 8), -math.log(8)), (-8, math.log(8)), (F(10) ** 900, 900 * math.log(10)), (0, 0)):
        assert reshaping.log_size(value) == pytest.approx(log)


# Targets ----------------------------------------------------------------------------------------------------------------


def fact(measured: Any, terms: tuple[Any, ...], fixed: Any = 0, side: str = "upper", **constants: Any) -> Any:
    known = {getattr(symbols, name): value for name, value in constants.items()}
    own: Any = SimpleNamespace(constants=known)
    return Fact(own, F(measured), tuple(arb(t) for t in terms), arb(fixed), "exact", 0.0, side, known)


def test_scores_of_facts_are_the_weights_they_force() -> None:
    table = FactTable.of([fact(3, (1, 2)), fact(1, (4, 0)), fact(5, (0, 0)), fact(2, (1, 1), fixed=-1)])
    assert table.scores(WeightTarget()).tolist() == [1, 0.25, -math.inf, 2]
    assert table.scores(WeightTarget(0)).tolist() == [1, 0.25, -math.inf, 2]
    assert table.scores(WeightTarget(1)).tolist() == [1, -math.inf, -math.inf, 2]
    lower = FactTable.of([fact(3, (1, 2), side="lower"), fact(1, (4, 0), side="lower")])
    assert lower.scores(WeightTarget()).tolist() == [-1, -0.25]
    assert lower.scores(WeightTarget(0)).tolist() == [-1, -0.25]


def test_vertices_are_the_cheapest_weights_that_all_facts_allow() -> None:
    facts = [fact(4, (2, 1)), fact(3, (1, 3))]
    found = vertex(FactTable.of(facts), (1.0, 1.0))
    assert found is not None
    assert found.tolist() == pytest.approx([9 / 5, 2 / 5])
    cheap = vertex(FactTable.of(facts), (100.0, 1.0))
    assert cheap is not None
    assert cheap.tolist() == pytest.approx([0, 4])
    lower = vertex(FactTable.of([fact(4, (2, 1), side="lower"), fact(3, (1, 3), side="lower")]), (1.0, 1.0))
    assert lower is not None
    assert lower.tolist() == pytest.approx([9 / 5, 2 / 5])
    scores = FactTable.of(facts).scores(WeightTarget(prices=(1.0, 1.0)))
    assert scores.tolist() == pytest.approx([1, 1])


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_confirmed_weights_are_refuted_by_no_fact_and_near(side: str) -> None:
    facts = [fact(4, (2, 1), side=side), fact(3, (1, 3), side=side)]
    found = confirm_weights(facts, [9 / 5, 2 / 5])
    assert found is not None
    for w, near in zip(found, (F(9, 5), F(2, 5)), strict=True):
        assert abs(w - near) < F(1, 10**8)
        assert (w > near) is (side == "upper")
    for one in facts:
        total = sum(w * F(float(t.mid())) for w, t in zip(found, one.terms, strict=True))
        assert (total >= one.measured) if side == "upper" else (total <= one.measured)
    off = [1.0, 0.2] if side == "upper" else [3.0, 1.0]
    assert confirm_weights(facts, off) is None


def test_aims_are_the_factor_each_weight_and_vertices() -> None:
    assert weight_targets(1) == (WeightTarget(),)
    aims = weight_targets(3)
    assert aims[0] == WeightTarget()
    assert [a.index for a in aims[1:4]] == [0, 1, 2]
    assert [a.prices for a in aims[4:]] == [(1, 1, 1), (10, 1, 1), (1, 10, 1), (1, 1, 10)]


@pytest.mark.parametrize("power", [0.0, 0.5, -1.0, 2.0])
def test_growth_is_the_slope_of_the_largest_shares(power: float) -> None:
    def facts() -> Iterator[Any]:
        for n in (2, 8, 32):
            for part in (1, F(1, 3)):
                yield fact(F(n**power) * part, (1,), n_rounds=n)
        yield fact(0, (1,), n_rounds=64)  # no share
        yield fact(5, (1,), n_clients=3)

    found = growth_exponent(list(facts()), symbols.n_rounds)
    assert found is not None
    assert (found.least, found.largest) == (2, 32)
    assert found.exponent == pytest.approx(power)
    assert ("as the bound does" in str(found)) is (power == 0)
    assert growth_exponent([fact(1, (1,), n_rounds=4), fact(1, (1,), n_rounds=7)], symbols.n_rounds) is None
    assert growth_exponent([fact(1, (1,), n_rounds=4), fact(1, (1,), n_rounds=8)], symbols.n_rounds) is not None
    assert growth_exponent([fact(1, (1,), n_rounds=4)], symbols.n_rounds) is None
