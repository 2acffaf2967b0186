"""Local steps: which gradients the adaptive step sizes compare, limits of steps at their edge, rules on floats and exactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL
from fltheory.problems.logistic import GeneratedLogisticClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import client_optimiser, step_rule
from fltheory.runs.algorithm import Algorithm, object_array, rollout
from fltheory.runs.client_optimiser import (
    AdaptiveState,
    Batches,
    ClientOptimiser,
    ClientOracle,
    adaptive_optimiser,
    federated_averaging,
    require_step_in_limits,
)
from fltheory.runs.constants import run_constants
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.method import AssumptionFailed, NotEnumerable, VariantError
from fltheory.runs.oracle import Oracle, RandomOracle
from fltheory.runs.step_rule import (
    StepRule,
    auto_tuned,
    auto_tuned_exact,
    auto_tuned_step,
    exact_step,
    float_steps,
    next_steps,
    record_calls,
    require_repeatable,
    squared_length,
)

F = Fraction
NOISY = QuadraticClients((1, 2), (0, 1), 1, 1, "uniform")
SETTINGS: dict[str, Any] = {"initial_step_size": "1/10", "initial_ratio": 1, "growth_damping": "1/2", "amplifier": 2}
CASE = Case(NOISY, n_rounds=1, n_local_steps=3, **SETTINGS)


def exact(*values: Any) -> np.ndarray:
    return object_array(
        [v if isinstance(v, arb) else fmpq(F(v).numerator, F(v).denominator) for v in values], (len(values),)
    )


# Delta-SGD --------------------------------------------------------------------------------------------------------------

PAIRS: dict[Batches, Callable[[Callable[..., Any], Any, Any, int], tuple[Any, Any]]] = {
    "fresh": lambda g, x, before, k: (g(x, 3 * k + 1), g(before, 3 * k + 2)),
    "pair": lambda g, x, before, k: (g(x, 2 * k + 1), g(before, 2 * k + 1)),
    "same": lambda g, x, before, k: (g(x, k), g(before, k)),
    "reuse": lambda g, x, before, k: (g(x, k), g(before, k - 1)),
}
DRAWN = {"fresh": 3, "pair": 2, "same": 1, "reuse": 1}


@pytest.mark.parametrize("batches", PAIRS)
def test_adaptive_steps_compare_the_gradients_that_their_reading_names(batches: Batches) -> None:
    """Algorithm 1 written out: the step is gradient 0 of the local step; line 9 compares the pair of the reading."""
    states = rollout(federated_averaging(adaptive_optimiser(batches=batches)), CASE, 5, 3)
    oracle = RandomOracle(NOISY, 3, np.arange(5), 0)
    total = np.zeros(5)
    for client in (0, 1):

        def g(x: np.ndarray, k: int, client: int = client) -> np.ndarray:
            return oracle.gradient(x[:, None], client, k)[:, 0]

        x, lr, ratio, before = np.ones(5), np.full(5, 0.1), np.ones(5), None
        for k in range(3):
            direction = g(x, k * DRAWN[batches])
            if before is not None:
                now, then = PAIRS[batches](g, x, before, k)
                new = np.minimum(2 * np.abs(x - before) / (2 * np.abs(now - then)), np.sqrt(1 + ratio / 2) * lr)
                lr, ratio = new, new / lr
            before, x = x, x - lr * direction
        total += x
    np.testing.assert_allclose(states[:, 1, 0], total / 2, rtol=1e-9)


@pytest.mark.parametrize("batches", PAIRS)
def test_exact_adaptive_steps_are_those_in_floats(batches: Batches) -> None:
    quiet = QuadraticClients(((1, 2), (2, 3)), ((0, 1), (1, -1)), (1, 3))
    case = Case(quiet, n_rounds=2, n_local_steps=3, **SETTINGS)
    algorithm = federated_averaging(adaptive_optimiser(batches=batches))
    states, _ = enumerate_runs(algorithm, case, BALL)
    np.testing.assert_allclose([[float(v.mid()) for v in row] for row in states[0]], rollout(algorithm, case, 1)[0])


def test_a_client_without_a_gradient_keeps_its_step() -> None:
    """At the minimiser nothing moves, and the ratio stays."""
    still = QuadraticClients((1,), (0,), 0)
    rounds = {"n_rounds": 1, "n_local_steps": 4}
    optimiser = adaptive_optimiser()
    case = Case(still, **rounds, **SETTINGS)
    assert (rollout(federated_averaging(optimiser), case, 2) == 0).all()
    states, _ = enumerate_runs(federated_averaging(optimiser), case, RATIONAL)
    assert (states == 0).all()
    ask, c = ClientOracle(RandomOracle(still, 0, np.arange(2), 0), 0, 0, 2), run_constants(case, None)
    state = AdaptiveState(np.zeros((2, 1)), np.zeros((2, 1)), np.array([0.3, 0.4]), np.array([5.0, 6.0]))
    x, after = optimiser.step(np.zeros((2, 1)), state, ask, c)
    assert (after.lr.tolist(), after.ratio.tolist()) == ([0.3, 0.4], [5.0, 6.0])
    assert (after.before == x).all()


def test_every_client_starts_a_round_with_the_initial_step() -> None:
    for case, ring in ((CASE, None), (CASE, RATIONAL)):
        x = np.ones((3, 1)) if ring is None else object_array([fmpq(1)] * 3, (3, 1))
        state = adaptive_optimiser().init(x, run_constants(case, ring))
        assert state.before is None
        assert state.lr.dtype == state.ratio.dtype == x.dtype
        assert (state.lr.tolist(), state.ratio.tolist()) == ([0.1 if ring is None else fmpq(1, 10)] * 3, [1] * 3)


def test_ratios_of_step_sizes() -> None:
    new, old, last = np.array([2.0, 2.0, 2.0, 0.0]), np.array([4.0, 4.0, 0.0, 4.0]), np.full(4, 7.0)
    found = client_optimiser._ratio(new, old, last, np.array([1.0, 0.0, 1.0, 1.0]))
    assert found.tolist() == [0.5, 7.0, 0.0, 0.0]
    ratio = client_optimiser._ratio(exact(2, 2, 2), exact(4, 4, 4), exact(7, 7, 7), exact(1, 0, arb(0, 1e-3)))
    assert ratio[:2].tolist() == [fmpq(1, 2), fmpq(7)]
    assert ratio[2].contains(fmpq(1, 2))
    assert ratio[2].contains(fmpq(7))


def test_names_and_what_is_known_of_federations() -> None:
    assert adaptive_optimiser().name == "Delta-SGD, pair"
    assert adaptive_optimiser(name="mine").name == "mine"
    own, mine = adaptive_optimiser(), ClientOptimiser("mine", lambda x, s, ask, c: (x, s), lambda x, c: None, 2)
    for optimiser, anonymous in ((own, True), (mine, False)):
        found = federated_averaging(optimiser)
        assert (found.name, found.anonymous, found.batches) == (optimiser.name, anonymous, 2)
        assert (found.ordered, found.watched, found.kind) == (False, True, "round")
    assert federated_averaging(mine, "other").name == "other"
    assert own.own is True
    assert mine.own is False
    assert adaptive_optimiser(StepRule("user", lambda lr, ratio, reach, c: lr)).own is False


def test_the_server_averages_over_those_that_take_part() -> None:
    """Clients that move by their number: the mean of the chosen ones."""
    three = QuadraticClients((1, 1, 1), (1, 2, 4), 0)
    step = ClientOptimiser("plain", lambda x, s, ask, c: (x - ask.gradient(x * 0), s), lambda x, c: None)
    found = rollout(federated_averaging(step), Case(three, n_rounds=1, n_local_steps=1, n_participating=2), 60)
    assert set(found[:, 1, 0].tolist()) == {-1.5, -2.5, -3.0}
    twice = rollout(federated_averaging(step), Case(three, n_rounds=1, n_local_steps=2, n_participating=3), 4)
    np.testing.assert_allclose(twice[:, 1, 0], -14 / 3)


def test_a_step_that_works_in_place_is_compared_with_where_it_was() -> None:
    def step(x: np.ndarray, state: Any, ask: Any, c: Any) -> tuple[np.ndarray, Any]:
        gradient = ask.gradient(x)
        x -= 0.1 * gradient
        return x, state

    mine = ClientOptimiser("mine", step, lambda x, c: None)
    one = QuadraticClients((1,), (0,), 1)
    case = Case(one, n_rounds=1, n_local_steps=1, least_step="1/20", largest_step="1/5")
    assert rollout(federated_averaging(mine), case, 1)[0, 1, 0] == pytest.approx(0.9)
    with pytest.raises(
        AssumptionFailed, match=r"the step 0.1 of mine leaves \[least_step, largest_step\] = \[0.2, 0.3\]"
    ):
        rollout(federated_averaging(mine), case.with_settings(least_step="1/5", largest_step="3/10"), 1)


# Questions of a client --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [-1, True, 0.0, None, "0"])
def test_mini_batches_are_integers_from_0(batch: Any) -> None:
    ask = ClientOracle(RandomOracle(NOISY, 0, np.arange(2), 0), 0, 0)
    with pytest.raises(VariantError, match="of a local step was asked for, expected an integer from 0"):
        ask.gradient(np.ones((2, 1)), batch)


def test_questions_are_logged_as_they_were() -> None:
    oracle = RandomOracle(NOISY, 0, np.arange(2), 0)
    ask, x = ClientOracle(oracle, 1, 4, 2), np.ones((2, 1))
    found = ask.gradient(x, 1)
    np.testing.assert_array_equal(found, oracle.gradient(x, 1, 5))
    expected = found.copy()
    found += 7
    x += 7
    ((at, told),) = ask.answer_log
    assert at.tolist() == [[1.0], [1.0]]
    np.testing.assert_array_equal(told, expected)
    assert ClientOracle(oracle, 2, 0).place(1) == "client 2"
    assert ClientOracle(oracle, np.array([4, 5]), 0).place(1) == "client 5"
    with pytest.raises(VariantError, match="returns only gradients"):
        ask.loss(np.ones((2, 1)))

    class Valued(Oracle):
        def loss(self, x: np.ndarray, client: Any, k: int = 0) -> np.ndarray:
            return np.full(len(x), 10 * client + k)

    assert ClientOracle(Valued(), 1, 4).loss(x, 3).tolist() == [17, 17]


# Limits -----------------------------------------------------------------------------------------------------------------


def limits(x: Any, y: Any, gradient: Any, low: Any = 0.1, high: Any = 0.2, at: Any = None, **kwargs: Any) -> None:
    asked = SimpleNamespace(answer_log=[(x if at is None else at, gradient)], place=lambda row: f"client {row}")
    c = SimpleNamespace(**{k: v for k, v in (("least_step", low), ("largest_step", high)) if v is not None})
    require_step_in_limits("mine", x, y, asked, c, 3)  # type: ignore[arg-type]


X = np.array([[1.0, 2.0], [1.0, 2.0]])
G = np.array([[3.0, 4.0], [3.0, 4.0]])
LOW, HIGH = fmpq(1, 10), fmpq(1, 5)


@pytest.mark.parametrize(
    ("eta", "low", "high", "good"),
    [
        (0.1, 0.1, 0.2, True),
        (0.2, 0.1, 0.2, True),
        (0.1 * (1 - 5e-10), 0.1, 0.2, True),
        (0.2 * (1 + 5e-10), 0.1, 0.2, True),
        (0.1 * (1 - 2e-9), 0.1, 0.2, False),
        (0.2 * (1 + 2e-9), 0.1, 0.2, False),
        (0.05, None, 0.2, True),
        (-0.05, None, 0.2, False),
        (5.0, 0.1, None, True),
        (0.05, 0.1, None, False),
        (-0.15, 0.1, 0.2, False),
    ],
)
def test_limits_hold_up_to_rounding_in_every_row(eta: float, low: Any, high: Any, good: bool) -> None:
    y = X - np.array([[0.15 if low and high else 1.0 if low else 0.1], [eta]]) * G
    if good:
        limits(X, y, G, low, high)
        return
    with pytest.raises(AssumptionFailed, match=f"client 1, local step 3: the step {eta:g} of mine leaves") as told:
        limits(X, y, G, low, high)
    assert f"= [{0.0 if low is None else low:g}, {np.inf if high is None else high:g}]: the claim" in str(told.value)


def test_without_limits_any_step_may_be_taken() -> None:
    limits(X, X + 7, G, None, None)


def test_a_step_moves_along_its_own_gradient() -> None:
    y = X - 0.15 * G
    for by, good in ((1e-12, True), (1e-6, False), (-1e-6, False)):
        turned = y + np.array([[0.0, 0.0], [4 * by, -3 * by]])
        if good:
            limits(X, turned, G)
        else:
            with pytest.raises(AssumptionFailed, match="client 1, local step 3: mine does not move along its gradient"):
                limits(X, turned, G)
    with pytest.raises(AssumptionFailed, match="client 0, local step 3: mine requests no gradient at its point"):
        limits(X, y, G, at=X + 1)
    with pytest.raises(AssumptionFailed, match="does not move along"):
        limits(X, X + 1, 0 * G)
    limits(X, X, 0 * G)  # no gradient, no step: any step size fits
    limits(X, X, 0 * G, 5.0, 9.0)


def test_steps_too_short_to_be_told_are_not_outside() -> None:
    """At points of 10^8 a difference is known to about 10^-7: gradients of that size tell no step size."""
    far, small = X * 1e8, G * 1e-8
    limits(far, far, small)
    with pytest.raises(AssumptionFailed, match="leaves"):
        limits(X, X, G * 1e-8)
    with pytest.raises(AssumptionFailed, match="leaves"):
        limits(far, far, G)


def test_exact_steps_are_outside_only_where_they_surely_are() -> None:
    x, g = exact(1, 2).reshape(1, 2), exact(3, 4).reshape(1, 2)

    def tried(eta: Any, gradient: Any = g, low: Any = LOW, high: Any = HIGH) -> None:
        limits(x, x - np.array([[eta]], dtype=object) * gradient, gradient, low, high)

    for eta in (fmpq(1, 10), fmpq(1, 5), arb(0.1, 1e-3), arb(0.2, 1e-3)):
        tried(eta)
    tried(fmpq(0), exact(0, 0).reshape(1, 2))  # a gradient of 0
    tried(fmpq(0), exact(arb(0, 1e-9), arb(0, 1e-9)).reshape(1, 2))
    for eta, said in (
        (fmpq(1, 10) - fmpq(1, 10**30), "0.1"),
        (fmpq(1, 5) + fmpq(1, 10**30), "0.2"),
        (arb(0.3, 1e-3), "0.3"),
    ):
        with pytest.raises(AssumptionFailed, match=f"the step {said} of mine leaves"):
            tried(eta)
    tried(fmpq(1, 4), high=arb(0.25, 1e-9))
    other = exact(1, 2).reshape(1, 2)  # equal numbers, but not those at which the gradient was asked
    with pytest.raises(AssumptionFailed, match="requests no gradient at its point"):
        limits(x, x - g * fmpq(3, 20), g, at=other)
    with pytest.raises(AssumptionFailed, match="requests no gradient at its point"):
        limits(x, x - g * fmpq(3, 20), g, at=x[:, :1])


# Rules ------------------------------------------------------------------------------------------------------------------

C = SimpleNamespace(amplifier=fmpq(2), growth_damping=fmpq(1, 2))
NO_DAMPING = SimpleNamespace(amplifier=fmpq(2), growth_damping=fmpq(0))
FLOATS: Any = SimpleNamespace(amplifier=2.0, growth_damping=0.5)


def test_lengths_are_sums_of_squares() -> None:
    assert squared_length(np.array([[3.0, 4.0], [1.0, -2.0]])).tolist() == [25.0, 5.0]


def test_the_rule_is_the_smaller_of_two_step_sizes() -> None:
    for lr, ratio, reach in (
        (F(1, 10), F(16), F(9, 10)),
        (F(1, 10), F(16), F(1, 10)),
        (F(3), F(0), F(2)),
        (F(1), F(6), F(7)),
    ):
        expected = min(float(reach), float(1 + ratio / 2) ** 0.5 * float(lr))
        found = auto_tuned_step(*(np.array([float(v)]) for v in (lr, ratio, reach)), FLOATS)
        assert found == pytest.approx([expected])
        own = auto_tuned_exact(*(fmpq(v.numerator, v.denominator) for v in (lr, ratio, reach)), C)
        assert float(own if isinstance(own, fmpq) else own.mid()) == pytest.approx(expected)
    assert auto_tuned_exact(fmpq(1), fmpq(6), None, C) == 2
    assert auto_tuned_exact(fmpq(1), None, fmpq(3), C) == 3
    assert auto_tuned_exact(fmpq(1), None, None, C) is None
    assert auto_tuned_exact(fmpq(1), fmpq(6), fmpq(3), NO_DAMPING) == 1
    assert auto_tuned_exact(fmpq(1), fmpq(6), fmpq(1, 3), NO_DAMPING) == fmpq(1, 3)
    assert auto_tuned_exact(fmpq(1), None, fmpq(3), NO_DAMPING) == 3
    damped = SimpleNamespace(amplifier=fmpq(3), growth_damping=fmpq(1, 2))
    assert auto_tuned_exact(fmpq(9), fmpq(6), fmpq(2), damped) == 3


def test_next_steps_in_floats_keep_what_has_not_moved() -> None:
    lr, ratio = np.array([0.1, 0.1, 0.1, 0.1]), np.ones(4)
    moved, turned = np.array([4.0, 4.0, 0.0, 1e-4]), np.array([16.0, 0.0, 1.0, 1.0])
    cap = 0.1 * 1.5**0.5
    found = next_steps(auto_tuned, lr, ratio, moved, turned, FLOATS)
    np.testing.assert_allclose(found, [cap, cap, 0.1, 0.01])
    seen: list[np.ndarray] = []
    watch = StepRule("watch", lambda lr, ratio, reach, c: seen.append(reach.copy()) or lr)
    next_steps(watch, lr, ratio, moved, turned, FLOATS)
    assert seen[0][:2].tolist() == [0.5, np.inf]
    assert seen[0][3] == pytest.approx(0.01)


def test_next_steps_exactly() -> None:
    lr, ratio = exact("1/10", "1/10", "1/10"), exact(6, 6, 6)
    found = next_steps(auto_tuned, lr, ratio, exact("1/100", 0, 4), exact(1, 1, 0), C)  # type: ignore[arg-type]
    assert found.tolist() == [fmpq(1, 10), fmpq(1, 10), fmpq(1, 5)]
    with pytest.raises(NotEnumerable, match="plain is defined only on floats"):
        next_steps(StepRule("plain", auto_tuned_step), lr, ratio, exact(1, 1, 1), exact(1, 1, 1), C)  # type: ignore[arg-type]


def test_a_change_that_may_be_0_covers_both_cases() -> None:
    def step(moved: Any, turned: Any) -> Any:
        return exact_step(auto_tuned, fmpq(1, 10), fmpq(6), moved, turned, C)  # type: ignore[arg-type]

    assert step(fmpq(1, 100), fmpq(1)) == fmpq(1, 10)  # reach 1/10
    assert step(fmpq(1, 100), fmpq(4)) == fmpq(1, 20)
    assert step(fmpq(4), fmpq(0)) == fmpq(1, 5)  # only the cap
    both = step(arb(4, 0.1), arb(0, 1))  # reach at least sqrt(3.9) / 1: above the cap
    assert both.contains(fmpq(1, 5))
    assert both.rad() < 1e-9
    wide = step(arb(0.01, 0.001), arb(0, 4))  # reach at least sqrt(0.009 / 4): below it
    assert wide.contains(fmpq(1, 5))
    assert wide.contains(arb(0.009 / 4).sqrt())
    assert not wide.contains(fmpq(1, 25))
    unmoved = step(arb(0, 1e-3), fmpq(0))
    assert unmoved.contains(fmpq(1, 5))
    assert unmoved.contains(fmpq(1, 10))  # it may keep its step
    unknown = step(arb(0, 1e-3), arb(0, 1))
    assert unknown.contains(arb(0))
    assert unknown.contains(fmpq(1, 5))
    free = StepRule("free", lambda *given: given[0], lambda lr, ratio, reach, c: None if reach is None else reach)
    assert exact_step(free, fmpq(1), fmpq(1), fmpq(4), fmpq(0), C) is None  # type: ignore[arg-type]
    assert not exact_step(free, fmpq(1), fmpq(1), arb(4), arb(0, 1), C).is_finite()  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [fmpq(0), fmpq(-1), arb(0), arb(-1, 0.5)])
@pytest.mark.parametrize("turned", [fmpq(1), fmpq(0)])
def test_an_exact_step_size_is_positive(value: Any, turned: Any) -> None:
    rule = StepRule("wrong", lambda *given: given[0], lambda *given: value)
    with pytest.raises(VariantError, match=r"wrong returned .*: expected positive step sizes"):
        exact_step(rule, fmpq(1), fmpq(1), fmpq(1), turned, C)  # type: ignore[arg-type]
    fine = StepRule("fine", lambda *given: given[0], lambda *given: arb(0, 1))
    assert exact_step(fine, fmpq(1), fmpq(1), fmpq(1), turned, C) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_a_users_step_size_is_positive_and_finite_in_every_row(value: float) -> None:
    ones = np.ones(2)
    rule = StepRule("wrong", lambda lr, ratio, reach, c: np.array([1.0, value]))
    with pytest.raises(VariantError, match=f"wrong returned {value}: expected positive step sizes"):
        float_steps(rule, ones, ones, ones, FLOATS)
    assert float_steps(auto_tuned, ones, ones, ones * np.inf, FLOATS).tolist() == [1.5**0.5] * 2


def test_the_librarys_rule_may_give_an_infinite_step() -> None:
    ones = np.ones(2)
    assert float_steps(auto_tuned, ones, ones * np.inf, ones * np.inf, FLOATS).tolist() == [np.inf] * 2
    assert auto_tuned.own is True
    assert StepRule("mine", auto_tuned_step).own is False
    assert StepRule("mine", lambda lr, ratio, reach, c: lr, auto_tuned_exact).own is False


def test_kinds_and_shapes_of_step_sizes() -> None:
    ones = np.ones(2)
    for answer, words in (
        (np.array(["a", "b"]), "wrong returned values of type <U1, expected floats"),
        (np.array([True, True]), "values of type bool"),
        (np.ones(3), r"wrong returned shape \(3,\), expected \(2,\), a step size for every entry"),
    ):
        with pytest.raises(VariantError, match=words):
            float_steps(StepRule("wrong", lambda *given, own=answer: own), ones, ones, ones, FLOATS)
    found = float_steps(StepRule("counts", lambda *given: np.array([1, 2])), ones, ones, ones, FLOATS)
    assert found.dtype == float


def test_calls_are_recorded_and_repeated_alone_and_together() -> None:
    rule, calls = record_calls(auto_tuned)
    lr, ratio, reach = np.array([0.1, 0.2]), np.array([1.0, 2.0]), np.array([3.0, 0.01])
    found = float_steps(rule, lr, ratio, reach, FLOATS)
    np.testing.assert_array_equal(found, auto_tuned_step(lr, ratio, reach, FLOATS))
    assert rule.name == auto_tuned.name
    assert [column.tolist() for column in calls[0]] == [lr.tolist(), ratio.tolist(), reach.tolist(), found.tolist()]
    require_repeatable(auto_tuned, calls, FLOATS)
    require_repeatable(auto_tuned, [], FLOATS)


def remembering() -> Any:
    count = [0]

    def step(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Any) -> np.ndarray:
        count[0] += 1
        return lr * count[0]

    return step


@pytest.mark.parametrize(
    ("step", "good"),
    [
        (lambda lr, ratio, reach, c: lr * 2, True),
        (lambda lr, ratio, reach, c: lr * (1 + 1e-10 * len(lr)), True),
        (lambda lr, ratio, reach, c: lr * len(lr), False),
        (lambda lr, ratio, reach, c: lr * (3 if len(lr) == 1 else 2), False),
        (lambda lr, ratio, reach, c: lr * (3 if len(lr) == 40 else 2), False),
        (lambda lr, ratio, reach, c: lr + lr.mean(), False),
        (remembering(), False),
    ],
)
def test_a_rule_answers_each_entry_by_itself(step: Any, good: bool) -> None:
    """Once alone for a few entries, and for all of them twice: twenty entries are forty."""
    rule, calls = record_calls(StepRule("mine", step))
    for _ in range(2):
        float_steps(rule, np.linspace(0.1, 1, 10), np.ones(10), np.ones(10), FLOATS)
    if good:
        require_repeatable(StepRule("mine", step), calls, FLOATS)
    else:
        with pytest.raises(VariantError, match="mine returns different step sizes for equal arguments"):
            require_repeatable(StepRule("mine", step), calls, FLOATS)


def test_only_so_many_calls_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def step(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Any) -> np.ndarray:
        sizes.append(len(lr))
        return lr

    rule, calls = record_calls(StepRule("mine", step))
    float_steps(rule, np.ones(100), np.ones(100), np.ones(100), FLOATS)
    monkeypatch.setattr(step_rule, "MAX_REPEATED_CALLS", 64)
    sizes.clear()
    require_repeatable(StepRule("mine", step), calls, FLOATS)
    assert sizes == [1] * 8 + [128]


def test_losses_of_a_federation_are_those_of_its_oracle() -> None:
    instance = GeneratedLogisticClients(2, 3, 2)

    def step(x: np.ndarray, state: Any, ask: Any, c: Any) -> tuple[np.ndarray, Any]:
        ask.loss(x)
        return x, state

    with pytest.raises(VariantError, match="only gradients"):
        rollout(
            federated_averaging(ClientOptimiser("lossy", step, lambda x, c: None)),
            Case(instance, n_rounds=1, n_local_steps=1),
            1,
        )
    assert Algorithm("plain", step).watched is False
