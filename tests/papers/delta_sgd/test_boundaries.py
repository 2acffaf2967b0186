"""Refusals, names and data of Delta-SGD's measures and loops: at their boundaries, beside the instances themselves."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fltheory.games.player import ImpreciseState
from fltheory.model.bound import BoundError
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, as_number
from fltheory.number.streams.kernels import U64, absorb, as_uniform
from fltheory.papers.delta_sgd import algorithms, kernels, notation, one_round
from fltheory.papers.delta_sgd.background import closed_forms as background
from fltheory.papers.delta_sgd.convex.cases import APART, case_of_run, line
from fltheory.papers.delta_sgd.convex.closed_forms import conditions, measures
from fltheory.papers.delta_sgd.displays import closed_forms as of_displays
from fltheory.papers.delta_sgd.instances.clients import HuberClient, MultipleClients, RandomCurvature
from fltheory.papers.delta_sgd.kernels import run as kernel
from fltheory.papers.delta_sgd.kernels import samples as of_samples
from fltheory.papers.delta_sgd.nonconvex.cases.bent_samples import BentSamples
from fltheory.papers.delta_sgd.nonconvex.closed_forms import hypotheses, parabolas
from fltheory.papers.delta_sgd.nonconvex.closed_forms import measures as nonconvex
from fltheory.papers.delta_sgd.nonconvex.closed_forms import straight as straight_limits
from fltheory.papers.delta_sgd.rule.closed_forms import batch_floor, fixed_points, runs
from fltheory.papers.delta_sgd.rule.closed_forms import measures as of_rule
from fltheory.papers.delta_sgd.rule.closed_forms.batch_floor import BatchFloor
from fltheory.papers.delta_sgd.rule.closed_forms.runs import follow
from fltheory.problems.convex import ConvexClients, Huber, Quadratic
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.client_optimiser import adaptive_optimiser, federated_averaging
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.step_rule import StepRule, auto_tuned, auto_tuned_step
from tests.papers.delta_sgd.test_known_runs import MIXED, case_of
from tests.papers.delta_sgd.test_known_runs import TWO as TWO_ENDS
from tests.papers.delta_sgd.test_parts import CLIENTS, START, STEPS
from tests.papers.delta_sgd.test_quantities import limits
from tests.papers.delta_sgd.test_readings import Jumps

SETTINGS: dict[str, Any] = {
    "n_rounds": 2,
    "n_local_steps": 3,
    "initial_step_size": "1/10",
    "initial_ratio": 3,
    "amplifier": 1,
    "growth_damping": "1/2",
}


def floats(value: Any) -> float:
    return float(as_number(value))


# The compiled loops -------------------------------------------------------------------------------------------------------


RIPPLED = MultipleClients((1, 2, 1, 2), (2, -1), 3, "1/2", ("1/4", "-1/4") * 2, 5, 1)
NOISY = [
    QuadraticClients(((1, 2), (3, 1)), ((1, -1), (0, 2)), (1, 1), (1, "1/2"), noise_law="two_point"),
    QuadraticClients(((1, 2), (3, 1)), ((1, -1), (0, 2)), (1, 1), "1/2", noise_law="uniform"),
    RIPPLED,
    RandomCurvature((10, 1), (-1, 3), 1, 3, "1/2"),
]


@pytest.mark.parametrize("batches", list(kernels.CODES))
@pytest.mark.parametrize("instance", NOISY, ids=["signs", "uniform", "ripples", "samples"])
def test_short_runs_are_the_readable_ones(batches: Any, instance: Any) -> None:
    method = kernels.Method(batches)
    algorithm = federated_averaging(adaptive_optimiser(batches=batches))
    case = Case(instance, **SETTINGS, n_participating=min(2, instance.n_clients))
    plain = rollout(algorithm, case, 2, 4, 3, kernel=False)
    fast = rollout(algorithm._replace(kernel=kernels.compiled_kernel(method)), case, 2, 4, 3)
    assert fast == pytest.approx(plain, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("instance", [RIPPLED, MultipleClients((1, "1/2"), (2, -1), 3, 2), NOISY[0]])
def test_slopes_are_the_gradients_of_the_instance(instance: Any) -> None:
    own: Any = kernels.as_arrays(instance)
    found = np.empty(2)
    for x in (np.array([0.3, -2.0]), np.array([0.0, 40.0])):
        for i in range(instance.n_clients):
            kernel._slopes(own.roots, own.table[i], x, found)
            assert found == pytest.approx(instance.gradient(x[None], i)[0], rel=1e-12)
        kernel._slopes(own.roots, own.mean, x, found)
        assert found == pytest.approx(instance.mean_gradient(x[None])[0], rel=1e-12)
    assert own.dim == 2


def test_samples_are_those_of_the_instance() -> None:
    own: Any = kernels.as_arrays(NOISY[3])
    assert own.table[1:].tolist() == [[-1.0, 3.0], [2.0, 2.0]]
    for x in (-3.0, 0.2, 5.0):
        assert of_samples._mean(own.table, x) == pytest.approx(NOISY[3].mean_gradient(np.array([[x]]))[0, 0], rel=1e-12)


def test_multiples_of_one_function() -> None:
    own = kernels.multiples([1.0, 3.0], [2.0, -1.0], 0.5)
    assert own.table[:, :, 0].tolist() == [[1, 1, 0, 0], [3, 1, 0, 0]]
    assert own.mean[:, 0].tolist() == [2, 1, 0, 0]
    assert (own.start.tolist(), own.std.tolist(), own.roots, own.two_point) == ([2, -1], [0.5, 0.5], True, True)
    squares = kernels.quadratics([[1, 2], [3, 4]], [[5, 6], [7, 8]], [1.0, 1.0])
    assert squares.table.tolist() == [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
    assert squares.mean.tolist() == [[2, 3], [6, 7]]


def test_limits_of_the_three_methods() -> None:
    c: Any = SimpleNamespace(
        initial_step_size=2, initial_ratio=3, amplifier=4, growth_damping=5, least_step=6, largest_step=7, step_size=8
    )
    assert kernels.no_limits(c) == (2, 3, 4, 5, 0, np.inf)
    assert kernels.clipping_limits(c) == (2, 3, 4, 5, 6, 7)
    assert kernels.constant_limits(c) == (8, 1, 1, 0, 8, 8)


def test_noise_of_one_mini_batch() -> None:
    state = np.uint64(absorb(U64(0), 77))
    for k in range(12):
        u = as_uniform(np.uint64(absorb(state, k)))
        assert kernel._noise(state, k, True) == (1.0 if u < 0.5 else -1.0)
        assert kernel._noise(state, k, False) == pytest.approx((2 * u - 1) * 3**0.5)


class MyQuadratics(QuadraticClients):
    """Clients with gradients of their own."""

    def gradient(self, *given: Any) -> Any:
        return super().gradient(*given)


class MyCurvature(RandomCurvature):
    """The same of samples."""

    def gradient(self, *given: Any) -> Any:
        return super().gradient(*given)


class MySamples(BentSamples):
    """The same of samples with bends."""

    def samples(self, x: np.ndarray) -> np.ndarray:
        return super().samples(x)


def test_clients_of_ones_own_are_not_compiled_and_their_long_runs_not_known() -> None:
    for own, theirs in ((QuadraticClients, MyQuadratics), (RandomCurvature, MyCurvature)):
        given: Any = ((1, 3), (0, 1), 1)
        assert kernels.as_arrays(own(*given)) is not None
        assert kernels.as_arrays(theirs(*given)) is None
    table: Any = ((1, "1/10"), (0, 1), (1, 1), (0, 0), "1/5")
    known = nonconvex._long_run_value(algorithms.same, case_of(BentSamples(*table), 9, 2))
    assert floats(known) > 0
    assert nonconvex._long_run_value(algorithms.same, case_of(MySamples(*table), 9, 2)) is None


# Hypotheses of the theorems -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "fine"), [("1/3", True), ("9/10", True), ("1", True), ("101/100", False)])
def test_longer_steps_along_a_flat_axis(step: str, fine: bool) -> None:
    """At curvature 1 a step of 1 does not overshoot, though 1/L is 1/3."""
    case = case_of_run(ConvexClients((Quadratic(((3, 0), (0, 1)), (0, 0)),), (0, 2)), 1, "1/10")
    h = follow(auto_tuned, case, "A")
    given = replace(h, lr=[h.lr[0], [fmpq(Fraction(step).numerator, Fraction(step).denominator)]])
    assert (conditions.a_step_overshoots(given, case) is None) == fine


def test_small_changes_of_mini_batches_are_seen_too() -> None:
    tiny = Jumps(0.0)
    tiny.start = (Fraction(2, 10**6), Fraction(-1, 10**6))  # type: ignore[assignment]
    for limit, fine in ((2, True), (Fraction(199, 100), False)):
        case: Any = SimpleNamespace(instance=tiny, constants={notation.L: limit})
        assert (hypotheses._smooth_samples(case) is None) == fine


def test_the_least_step_of_steep_clients() -> None:
    """gamma/(2 L) = 1/10 for L = 5."""
    assert hypotheses._within(limits(L=5, h=Fraction(1, 10))) is None
    assert "min(eta_0, gamma/(2L)) = 0.1" in str(hypotheses._within(limits(L=5, h=Fraction(11, 100))))


def test_algorithms_whose_steps_are_limited() -> None:
    case: Any = None
    for known in (algorithms.pair, algorithms.same, algorithms.clipped, algorithms.clipped_fresh):
        assert hypotheses._why_beyond_limits(known, case) is None
    named: Any = SimpleNamespace(name="mine", watched=True, kernel=None)
    assert hypotheses._why_beyond_limits(named, case) is None
    told = hypotheses._why_beyond_limits(SimpleNamespace(name="mine", watched=True, kernel=1), case)  # type: ignore[arg-type]
    assert told == "no limits of the steps of mine are known, and its compiled run shows none"
    for compiled in (None, 1):
        told = hypotheses._why_beyond_limits(SimpleNamespace(name="mine", watched=False, kernel=compiled), case)  # type: ignore[arg-type]
        assert told is not None
        assert told.startswith(
            "the local steps of mine are unknown: build the round with federated_averaging(optimiser)"
        )


def test_the_parabola_is_that_of_one_client() -> None:
    on = lambda instance: hypotheses._on_a_parabola(SimpleNamespace(instance=instance))  # type: ignore[arg-type]  # noqa: E731
    assert on(HuberClient(2)) is None
    assert on(MIXED) == "the claim is about HuberClient, not about BentSamples"


# The mean squared gradient ----------------------------------------------------------------------------------------------------


MEASURE = nonconvex.MeanSquaredGradient()
TWO = QuadraticClients((1, 3), (0, 1), 1)


def test_what_is_no_algorithm_has_no_mean_squared_gradient() -> None:
    case = Case(TWO, **SETTINGS)
    wrong: Any = auto_tuned
    with pytest.raises(VariantError, match="expected an Algorithm"):
        MEASURE.exact(wrong, case, BALL)
    with pytest.raises(VariantError, match="expected an Algorithm"):
        MEASURE.simulate(wrong, case, 0, np.arange(2))


def test_runs_in_balls_that_are_too_long_or_not_the_librarys(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(TWO, **SETTINGS)  # two rounds of three steps of two clients
    monkeypatch.setattr(nonconvex, "IN_BALLS", 12)
    found = MEASURE._enumerated(algorithms.pair, case)
    assert floats(found) == pytest.approx(float(MEASURE.in_floats(algorithms.pair, case)[0]), rel=1e-6)
    monkeypatch.setattr(nonconvex, "IN_BALLS", 11)
    with pytest.raises(NotEnumerable, match="more than 11 local steps"):
        MEASURE._enumerated(algorithms.pair, case)
    monkeypatch.undo()
    own = algorithms.pair._replace(step=lambda x, oracle, c: x)
    assert not own.anonymous
    with pytest.raises(NotEnumerable, match="balls can't always be compared"):
        MEASURE._enumerated(own, case)


def test_a_value_between_two_floats_and_runs_that_leave_them(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(TWO, **SETTINGS)
    exact = floats(MEASURE._enumerated(algorithms.pair, case))
    low, high = MEASURE.in_floats(algorithms.pair, case)
    assert (low / exact, high / exact) == (pytest.approx(1 - 1e-7, abs=1e-10), pytest.approx(1 + 1e-7, abs=1e-10))
    monkeypatch.setattr(nonconvex, "rollout", lambda *given: np.full((1, 3, 1), np.inf))
    with pytest.raises(VariantError, match="left the finite numbers"):
        MEASURE.in_floats(algorithms.pair, case)


def test_values_simulations_and_ranges() -> None:
    states = np.array([[[1.0], [2.0], [5.0]], [[0.0], [1.0], [9.0]]])
    case = Case(TWO, **SETTINGS)
    slope = lambda x: TWO.mean_gradient(np.array([[x]]))[0, 0]  # noqa: E731
    wanted = [[(slope(1.0) ** 2 + slope(2.0) ** 2) / 2], [(slope(0.0) ** 2 + slope(1.0) ** 2) / 2]]
    assert MEASURE.values(states, case) == pytest.approx(np.array(wanted))
    noisy = case_of(MIXED, 2, 2)
    every = MEASURE.simulate(algorithms.pair, noisy, 0, np.arange(9))
    assert MEASURE.simulate(algorithms.pair, noisy, 0, np.arange(4, 7)).tolist() == every[4:7].tolist()
    assert len(set(every.tolist())) > 1
    top = Fraction(noisy.constants[notation.G]) ** 2
    assert Fraction(MEASURE.trivial(noisy)) == top
    low, high = MEASURE.span(noisy)
    assert low == 0
    assert top < Fraction(high) < top * (1 + Fraction(1, 10**8))
    assert MEASURE.trivial_formula() == notation.G**2


def test_long_runs_of_which_nothing_is_known() -> None:
    case = case_of(MIXED, 9, 3)
    for algorithm in (algorithms.pair, algorithms.reuse, algorithms.same, algorithms.fresh):
        assert nonconvex._long_run_value(algorithm, case) is None
    other = Case(TWO, **SETTINGS)
    assert nonconvex._long_run_value(algorithms.pair, other) is None


# Measures of runs ---------------------------------------------------------------------------------------------------------------


def test_quantities_are_called_by_their_names() -> None:
    assert measures.decrease("A").name == "left over right of (31)"
    assert measures.decrease("A", weighted=True).name == "left over right of (31), weighted"
    assert "at the end" in measures.jensen("A", at_end=True).name
    assert "at the start" in measures.jensen("A", at_end=False).name
    assert measures.AverageGap("A").name == "mean f_i(x̃^i_t) - f_i(x*)"
    assert measures.AverageGap("A", met=True).name == "f(mean x̃^i_t) - f(x*)"
    for moved in (False, True):
        letters = measures.AverageGap("A", moved=moved).letters
        assert letters == (notation.D, notation.S, notation.L_hat, *((notation.distance,) if moved else ()))


def test_the_larger_side_over_the_smaller() -> None:
    for left, right, wanted in (
        (fmpq(2), [fmpq(3), fmpq(1)], fmpq(2)),
        (fmpq(6), [fmpq(3)], fmpq(2)),
        (fmpq(0), [fmpq(0)], fmpq(1)),
        (fmpq(0), [fmpq(2)], measures.BEYOND),
        (fmpq(2), [fmpq(0)], measures.BEYOND),
    ):
        assert measures._from_1(left, right) == wanted


def test_shares_of_growing_steps() -> None:
    """All steps grow from a tiny first one, none from a long one; without a first ratio none is told."""
    case = case_of_run(line((1, 3), (0, 1), 2), 2, "1/1000000", 3)
    h = of_rule.local_runs(auto_tuned, case)
    assert [floats(v) for v in of_rule.shares(h, case)] == [1, 0]
    long = case_of_run(line((1, 3), (0, 1), 2), 2, "100", 3)
    assert [floats(v) for v in of_rule.shares(of_rule.local_runs(auto_tuned, long), long)] == [0, 0]
    free = case_of_run(line((1, 3), (0, 1), 2), 2, "1/10", None)
    with pytest.raises(BoundError, match="the case gives no initial_ratio"):
        of_rule.shares(of_rule.local_runs(auto_tuned, free), free)


def straight(*starts: int) -> ConvexClients:
    """Huber functions, linear beyond 1."""
    return ConvexClients(tuple(Huber((1,), (1,), (0,)) for _ in starts), starts[0])


def test_gradients_that_do_not_change() -> None:
    far = case_of_run(straight(100, 100), 2, "1/10", 3)
    assert of_rule.has_constant_gradient(far, auto_tuned)
    assert not of_rule.has_constant_gradient(case_of_run(straight(1), 2, "1/10", 3), auto_tuned)
    assert not of_rule.has_constant_gradient(case_of_run(line((1,), start=0), 2, "1/10", 3), auto_tuned)
    mixed = ConvexClients((Huber((1,), (1,), (0,)), Huber((1,), (1,), (100,))), 100, minimiser=(50,))
    assert not of_rule.has_constant_gradient(case_of_run(mixed, 2, "1/10", 3), auto_tuned)  # one does not move
    h = of_rule.local_runs(auto_tuned, far)
    assert [floats(v) for v in of_rule.shares(h, far)] == [1, 0]
    with pytest.raises(BoundError, match="a gradient did not change: no ceiling"):
        of_rule.Ceiling().follow(auto_tuned, far)
    with pytest.raises(BoundError, match="no client moves"):
        of_rule.Ceiling().follow(auto_tuned, case_of_run(line((1, 3), start=0), 2, "1/10"))


def test_a_client_that_jumps_to_its_mirror_image_moves() -> None:
    case = case_of_run(line((1,), start=1), 1, 2, 3)
    value, read = of_rule.Ceiling().follow(auto_tuned, case)
    assert (floats(value), floats(read[notation.mu])) == (0.5, 1)


# Precision ---------------------------------------------------------------------------------------------------------------------


def test_runs_are_looked_at_more_precisely_until_they_are_narrow() -> None:
    asked: list[int] = []

    def look(needed: int) -> int:
        asked.append(ctx.prec)
        if ctx.prec < needed:
            raise ImpreciseState(f"{ctx.prec} bits are too few")
        return ctx.prec

    with ctx.workprec(64):
        assert runs.refine_until_narrow(lambda: look(0)) == 64
        assert runs.refine_until_narrow(lambda: look(300)) == 512
        assert asked == [64, 64, 128, 512]
        with pytest.raises(ValueError, match="8192 bits are too few"):
            runs.refine_until_narrow(lambda: look(10**6))

        def long() -> None:
            raise NotEnumerable("too long")

        with pytest.raises(ValueError, match="too long"):
            runs.refine_until_narrow(long)
        assert ctx.prec == 64


def test_floats_of_balls_that_are_narrow() -> None:
    assert runs._float(arb(3)) == 3
    assert runs._float(fmpq(1, 4)) == 0.25
    for wide in (arb.nan(), arb.pos_inf(), arb(1, 1e-9)):
        with pytest.raises(ImpreciseState, match="the balls of the run are too wide"):
            runs._float(wide)


def test_finite_runs_in_many_digits() -> None:
    oval = ConvexClients((Quadratic(((1, 0), (0, 2)), (0, 0)),), (1, 1))
    with ctx.workprec(4096):
        assert any(isinstance(v, arb) for v in follow(auto_tuned, case_of_run(oval, 3, "1/20", 3), "A").server[-1])


@pytest.mark.parametrize("rule", [auto_tuned, StepRule("mine", auto_tuned_step)], ids=["own", "a user's"])
def test_a_first_step_that_nothing_limits(rule: StepRule) -> None:
    """Without a first ratio and with a constant gradient; a ratio, or a gradient that changes, is enough."""
    with pytest.raises(BoundError, match="nothing limits the first step that is chosen"):
        follow(rule, case_of_run(straight(100), 1, "1/10", None), "A")
    for case in (case_of_run(straight(100), 1, "1/10", 3), case_of_run(straight(1), 1, "1/10", None)):
        h = follow(rule, case, "A")
        wanted = 0.2 if case.instance.start[0] == 100 else 0.5
        assert floats(h.lr[1][0]) == pytest.approx(wanted)


# Limits and worst cases ---------------------------------------------------------------------------------------------------


def test_points_whose_squares_are_no_floats() -> None:
    """Far away the slope of u/sqrt(1 + u^2) is 1 or -1."""
    own: Any = kernels.as_arrays(NOISY[3])
    assert [of_samples._slope(own.table, 0, x) for x in (1e200, -1e200)] == [own.table[0, 0], -own.table[0, 0]]
    many = kernels.multiples([2.0, 3.0], [1.0, 1.0])
    found = np.empty(2)
    kernel._slopes(True, many.table[1], np.array([1e200, -1e200]), found)
    assert found.tolist() == [3, -3]


@pytest.mark.parametrize("n", [1, 2, 4])
def test_worst_cases_of_gradient_descent(n: int) -> None:
    """L R^2/(2 (2n + 1)) of n steps 1/L; of one step h/L: L R^2 max(1/(2h + 1), (1 - h)^2)/2; (1 - mu/L)^(2n) of a slow client."""
    assert background.WorstHuber(n, 3, 2).gap == Fraction(12, 2 * (2 * n + 1))
    one = background.OneStep(3, 2)
    for h in (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(19, 10)):
        assert one.worst(h / 3) == 6 * max(1 / (2 * h + 1), (1 - h) ** 2)
    common = background.CommonStep((5, 2), ((0, 0), (3, -1)), (1, 1))
    assert (common.largest, common.least, common.slowest) == (5, 2, (2, (3, -1)))
    assert common.left(n) == Fraction(3, 5) ** (2 * n)
    with pytest.raises(ValueError, match="expected a start other than the flattest client's centre"):
        background.CommonStep((5, 2), ((0, 0), (3, -1)), (3, -1))


@pytest.mark.parametrize(("same", "many"), [(True, 4), (False, 16)])
def test_the_most_courses_of_a_round_of_parabolas(same: bool, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kinds of samples and two steps: one draw each, or two."""
    case = case_of(TWO_ENDS, 3, 2, amplifier="1/10")
    monkeypatch.setattr(parabolas, "COURSES", many)
    assert parabolas.mean_square(TWO_ENDS, case, same) is not None
    monkeypatch.setattr(parabolas, "COURSES", many - 1)
    assert parabolas.mean_square(TWO_ENDS, case, same) is None


def test_runs_in_balls_that_lose_their_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    oval = QuadraticClients(((1, 2), (3, 1)), ((1, -1), (0, 2)), (1, 1))
    case = Case(oval, **SETTINGS)
    monkeypatch.setattr(nonconvex, "BITS", -5)
    with pytest.raises(NotEnumerable, match="the run in balls grows too wide"):
        MEASURE._enumerated(algorithms.pair, case)


def test_rates_of_a_walk_that_are_not_sure() -> None:
    """Chances that are known too roughly do not show that the moment is at most 1."""
    sure = [(arb(1) / 2, arb(1)), (arb(1) / 2, arb(-1) / 2)]
    assert straight_limits._rate(sure) is not None
    rough = [(arb(0.5, 0.1), xi) for _, xi in sure]
    assert straight_limits._rate(rough) is None


def test_a_first_entry_without_a_change_of_the_gradient_does_not_act() -> None:
    assert not of_rule.first_entry_acts(case_of_run(straight(100), 2, "1/10", 3), auto_tuned, fmpq(99))


def test_floors_of_steps_that_are_not_computed() -> None:
    """Three local steps have the numbers 0 to 2."""
    case = Case(QuadraticClients((2,), (0,), 1), **SETTINGS)
    least, read = BatchFloor("same", first=2).follow(auto_tuned, case)
    assert read == {notation.L_hat: 2}
    assert floats(least) > 0
    assert BatchFloor("same", first=2).name == "min η_k, k >= 2, same"
    with pytest.raises(BoundError, match="no step is computed"):
        BatchFloor("same", first=3).follow(auto_tuned, case)
    with pytest.raises(BoundError, match="expected one client with quadratic mini-batches"):
        BatchFloor("same").follow(auto_tuned, Case(TWO, **SETTINGS))


def test_the_most_ends_of_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four paths of each of two clients end at sixteen points."""
    monkeypatch.setattr(one_round, "COURSES", 16)
    assert len(one_round.GivenSteps(CLIENTS, START, STEPS).landings) == 16
    monkeypatch.setattr(one_round, "COURSES", 15)
    with pytest.raises(NotEnumerable, match="more than 15 ends of a round"):
        _ = one_round.GivenSteps(CLIENTS, START, STEPS).landings


# Parts of the closed forms ------------------------------------------------------------------------------------------------


def test_equal_steps_are_equal_rationals() -> None:
    """A ball that is one number is taken for a step that may differ, on either side."""
    own = line((1, 3))
    case = case_of_run(own, 1, "1/20", 3, 1)
    for steps, differ in (
        ([fmpq(1, 2), fmpq(1, 2)], False),
        ([fmpq(1, 2), fmpq(1, 3)], True),
        ([arb(0.5), fmpq(1, 2)], True),
        ([fmpq(1, 2), arb(0.5)], True),
        ([arb(0.5), arb(0.5)], True),
    ):
        h: Any = SimpleNamespace(instance=own, n_clients=2, lr=[steps])
        assert (conditions.steps_differ(h, case) is not None) == differ


@pytest.mark.parametrize(("ends", "start"), [((-1, 1), 0), ((-3, -1), -2), ((1, 3), 2)])
def test_parabolas_reach_from_one_end_to_the_other(ends: tuple[int, int], start: int) -> None:
    for bend, applies in ((2, True), ("19/10", False), (1, False), (3, True)):
        own = BentSamples((1, "1/10"), ends, (bend, 2), (0, 0), start)
        assert (parabolas._kinds(own) is not None) == applies


def test_steps_that_may_be_0_have_no_constants() -> None:
    for least in (fmpq(0), fmpq(-1), arb(0, 1)):
        own = one_round.GivenSteps(CLIENTS, START, STEPS)
        own.__dict__["courses"] = [[c._replace(steps=(*c.steps[:-1], least)) for c in paths] for paths in own.courses]
        with pytest.raises(ValueError, match="steps: expected step sizes above 0"):
            own._constants()


def test_the_steepest_batch_is_that_of_any_coordinate_and_client() -> None:
    for table in (((1, 3),), ((3, 1),), ((2, 3, 1),)):
        assert batch_floor.steepest_batch(QuadraticClients(table, ((0,) * len(table[0]),), (1,) * len(table[0]))) == 3
    assert batch_floor.steepest_batch(FiniteSumQuadraticClients((2,), ((1, -1),), 1)) == 2


@pytest.mark.parametrize("reading", ["B", "step", "ratio"])
def test_the_server_has_the_very_point_of_its_clients(reading: Any) -> None:
    """Where all clients stand at the server no further rounding comes in."""
    h = follow(auto_tuned, case_of_run(ConvexClients(APART.objectives, (2, -1)), 4, "1/20", 3, 1), reading)
    for server, points in zip(h.server, h.points, strict=True):
        for own in points:
            assert [repr(v) for v in own] == [repr(v) for v in server]


# Refusals -----------------------------------------------------------------------------------------------------------------


def test_flat_mini_batches_have_no_floor() -> None:
    with pytest.raises(BoundError, match="the mini-batches are flat"):
        BatchFloor("same").follow(auto_tuned, Case(QuadraticClients((0,), (0,), 1), **SETTINGS))


def test_the_most_paths_of_all_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four paths of each of two clients are sixteen pairs."""
    own = one_round.GivenSteps(CLIENTS, START, STEPS)
    monkeypatch.setattr(of_displays, "COURSES", 16)
    assert of_displays.joint_mean(own, lambda found: fmpq(1)) == 1
    monkeypatch.setattr(of_displays, "COURSES", 15)
    with pytest.raises(NotEnumerable, match="more than 15 sample paths of all clients"):
        of_displays.joint_mean(own, lambda found: fmpq(1))


def test_mean_squared_gradients_are_balls() -> None:
    with pytest.raises(NotRational):
        nonconvex.MeanSquaredGradient().exact(algorithms.same, case_of(TWO_ENDS, 3, 2), RATIONAL)


@pytest.mark.parametrize("n", [1, 3])
def test_the_gap_of_two_clients_is_of_two(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_points, "clients", lambda rule, case: [None] * n)
    no_case: Any = None
    with pytest.raises(BoundError, match="expected two clients"):
        fixed_points.GapOfTwo().follow(auto_tuned, no_case)


def test_the_gap_of_two_clients_needs_a_rational_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = [SimpleNamespace(centre=np.array([fmpq(v), fmpq(v)], dtype=object), curvature=fmpq(1)) for v in (0, 1)]
    monkeypatch.setattr(fixed_points, "clients", lambda rule, case: ends)
    no_case: Any = None
    with pytest.raises(BoundError, match="the distance of the centres is irrational"):
        fixed_points.GapOfTwo().follow(auto_tuned, no_case)


def test_bias_is_over_the_squared_distance_of_the_centres(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pulls 1/2 to 0 and 1/4 to 6 end at 2; x* = 18/4, the mean is 3. Debiased, the end is x*; with inverse pulls the mean."""
    no_case: Any = None
    for scale in (1, 5):
        ends = [
            fixed_points.Client(
                fmpq(h), np.array([fmpq(scale * c)], dtype=object), [fmpq(1)], 1 - fmpq(*pull), fmpq(*pull)
            )
            for h, c, pull in ((1, 0, (1, 2)), (3, 6, (1, 4)))
        ]
        monkeypatch.setattr(fixed_points, "clients", lambda rule, case, ends=ends: ends)
        for weights, to_mean, wanted in (
            ("equal", False, Fraction(25, 4) / 36),
            ("equal", True, Fraction(1, 36)),
            ("debiased", False, Fraction(0)),
            ("inverse", True, Fraction(0)),
            ("inverse", False, Fraction(9, 4) / 36),
            ("fednova", True, Fraction(1, 36)),
        ):
            assert floats(fixed_points.bias(weights, to_mean).value(auto_tuned, no_case)) == pytest.approx(
                float(wanted)
            )


@pytest.mark.parametrize(("damping", "ratio", "moved"), [("1/2", 3, 1), (1, 3, 1), (2, "1/2", 1), (3, 2, 4)])
def test_a_step_grows_where_the_cap_is_the_smaller_entry(
    damping: Any, ratio: Any, moved: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cap is sqrt(1 + delta ratio) lr, the other entry gamma |x - x'| / (2 |g - g'|)."""
    case = case_of_run(line((1,)), 1, 1, ratio, growth_damping=damping)
    lr = fmpq(3, 2)
    h: Any = SimpleNamespace(ratio=[[fmpq(*Fraction(ratio).as_integer_ratio())]], lr=[[lr]], n_rounds=1, n_clients=1)
    cap = float(lr) * (1 + float(Fraction(damping)) * float(Fraction(ratio))) ** 0.5
    for entry, share in ((cap * 1.001, 1), (cap * 0.999, 0)):
        turned = fmpq(*Fraction(moved / (2 * entry) ** 2).as_integer_ratio())
        monkeypatch.setattr(of_rule, "pairs", lambda h, turned=turned: [(1, 0, fmpq(moved), turned)])
        assert of_rule.shares(h, case) == (share, 0)


def test_a_rule_in_floats_that_leaves_the_finite_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_agree_steps", lambda proposals, last, reading: ([arb.nan()] * 2, [fmpq(1)] * 2))
    mine = StepRule("mine", auto_tuned_step)
    case = case_of_run(line((1, 3), (0, 1), 2), 1, "1/10", 3)
    for precision in (4095, 4096):
        with ctx.workprec(precision):
            if precision < 4096:
                assert not runs._follow.__wrapped__(mine, case, "A", precision).server[-1][0].is_finite()
            else:
                with pytest.raises(VariantError, match="mine left the finite numbers"):
                    runs._follow.__wrapped__(mine, case, "A", precision)


def test_the_number_of_clients_that_take_part_is_whole() -> None:
    for size in ("3/2", 3, -1):
        with pytest.raises(ValueError, match="expected 1 to 2"):
            one_round.GivenSteps(CLIENTS, START, STEPS, size)
    assert one_round.GivenSteps(CLIENTS, START, STEPS, 1).n_participating == 1


@pytest.mark.parametrize("value", ["+inf", "nan"])
def test_a_mean_that_is_no_number_is_not_told(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        nonconvex.MeanSquaredGradient,
        "values",
        lambda self, states, case: np.full((len(states), 1), arb(value), dtype=object),
    )
    with pytest.raises(NotEnumerable, match="grows too wide"):
        nonconvex.MeanSquaredGradient()._enumerated(algorithms.same, case_of(TWO_ENDS, 3, 2))


def test_parabolas_meet_between_their_centres_alone() -> None:
    """A start at a centre is outside, and so is a bend shorter than their distance."""
    for start, bend, inside in (
        ("1/2", 1, True),
        (0, 1, False),
        (1, 1, False),
        (-1, 1, False),
        ("1/2", "99/100", False),
    ):
        own = BentSamples((1, "1/8", 1), (0, 1, 0), (bend, 1, bend), (0, 0, 0), start)
        found = parabolas._kinds(own)
        assert (found is not None) == inside
        if found is not None:
            assert [(float(k.scale), float(k.centre)) for k in found] == [(1.0, 0.0), (0.125, 1.0)]
            assert [float(k.share) for k in found] == pytest.approx([2 / 3, 1 / 3])


def test_moments_of_a_round_are_means_over_its_moves() -> None:
    """Of 1, x and x^2, move by move, where x becomes (1 - lam) x + lam centre."""
    Move = parabolas.Move
    last = (Move(arb(1), arb("0.5"), arb(4), ()),)
    moves = (Move(arb("0.25"), arb("0.5"), arb(-2), last), Move(arb("0.75"), arb("0.25"), arb(8), ()))
    for x in (-1.0, 0.0, 3.0):
        ends = [(0.25, ((x / 2 - 1) + 4) / 2), (0.75, 0.75 * x + 2)]
        wanted = [sum(chance * end**k for chance, end in ends) for k in range(3)]
        found = parabolas._round(moves, (arb(1), arb(x), arb(x) ** 2))
        assert [float(v) for v in found] == pytest.approx(wanted)


def test_a_rule_of_its_own_is_told_infinities_where_nothing_is_known() -> None:
    seen = list[tuple[float, ...]]()

    def step(lr: Any, ratio: Any, reach: Any, c: Any) -> Any:
        seen.append((float(lr[0]), float(ratio[0]), float(reach[0])))
        return lr / 4

    clients = Case(QuadraticClients(((1,),), ((0,),), (1,)), n_rounds=1, n_local_steps=1, step_size="1/4")
    own = batch_floor.exactly(StepRule("quarter", step), clients)
    ask: Any = own.exact
    assert ask(fmpq(1, 2), None, None, None) == fmpq(1, 8)
    assert ask(fmpq(1, 2), fmpq(3), fmpq(1, 4), None) == fmpq(1, 8)
    assert seen == [(0.5, np.inf, np.inf), (0.5, 3.0, 0.25)]
