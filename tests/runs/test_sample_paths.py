"""Sample paths: every order and every noise once with its chance, what is asked twice is the same, limits at their edge."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, as_number
from fltheory.number.elements import Undecided
from fltheory.papers.sfl import algorithms
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import Algorithm, object_array
from fltheory.runs.constants import run_constants
from fltheory.runs.distributions import sample_paths
from fltheory.runs.distributions.randomness import OpenQuestion, ScriptedChance
from fltheory.runs.distributions.sample_paths import (
    AskingOracle,
    EnumeratedOracle,
    TooManyPaths,
    enumerate_runs,
    outcome_enumerator,
    participation_patterns,
    prefix,
    round_outcomes,
)
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.oracle import Oracle

F = Fraction
NOISY = QuadraticClients((1, "1/2", 2), (1, -2, 0), 3, "1/2")
QUIET = QuadraticClients((1, "1/2", 2), (1, -2, 0), 3)
UNIFORM = QuadraticClients((1, "1/2"), (1, -2), 3, "1/2", "uniform")
RUN = {"n_rounds": 1, "n_local_steps": 1, "step_size": "1/10"}
BATCHED = FiniteSumQuadraticClients(
    (1, 2), ((1, -1), (2, 0, 1)), 2
)  # batches: the noise of a client has its own values


def law(found: tuple[np.ndarray, list[Any]]) -> dict[tuple[Fraction, ...], Fraction]:
    """The chance of every last state."""
    total: dict[tuple[Fraction, ...], Fraction] = {}
    for state, weight in zip(found[0][:, -1], found[1], strict=True):
        key = tuple(F(as_number(v)) for v in state)
        total[key] = total.get(key, F(0)) + F(as_number(weight))
    return total


def add(total: dict[Any, Fraction], key: Any, weight: Fraction) -> None:
    total[key] = total.get(key, F(0)) + weight


def by_hand(size: int, local: int, rounds: int = 1) -> dict[tuple[Fraction, ...], Fraction]:
    """Sequential local steps on NOISY: orders of ``size`` of the 3 clients, a sign for every local gradient."""
    curvature, slope, eta = (F(1), F(1, 2), F(2)), (F(1), F(-2), F(0)), F(1, 10)
    states: dict[tuple[Fraction, ...], Fraction] = {(F(3),): F(1)}
    for _ in range(rounds):
        found: dict[tuple[Fraction, ...], Fraction] = {}
        for ((x0,), weight), order in itertools.product(states.items(), itertools.permutations(range(3), size)):
            for signs in itertools.product((1, -1), repeat=size * local):
                x = x0
                for (m, _), sign in zip(itertools.product(order, range(local)), signs, strict=True):
                    x = x - eta * (curvature[m] * x + slope[m] + sign * F(1, 2))
                add(found, (x,), weight / math.perm(3, size) / 2 ** (size * local))
        states = found
    return states


def user(step: Any, **known: Any) -> Algorithm:
    return Algorithm("mine", step, **known)


def sequential(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
    for client in oracle.order(c.n_participating).T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
    return x


@pytest.mark.parametrize(("size", "local", "rounds"), [(1, 1, 1), (1, 2, 2), (2, 1, 1), (2, 2, 1), (3, 1, 1)])
@pytest.mark.parametrize("listed", [True, False])
def test_every_path_has_its_chance(size: int, local: int, rounds: int, listed: bool) -> None:
    case = Case(NOISY, n_rounds=rounds, n_local_steps=local, step_size="1/10", n_participating=size)
    algorithm = algorithms.sequential if listed else user(sequential)
    found = enumerate_runs(algorithm, case, RATIONAL, limit=100_000)
    assert law(found) == by_hand(size, local, rounds)
    assert sum(map(as_number, found[1])) == 1
    assert found[0].shape[1] == rounds + 1
    assert (found[0][:, 0] == fmpq(3)).all()
    balls = enumerate_runs(algorithm, case, BALL, limit=100_000)
    assert sum(float(w.mid()) for w in balls[1]) == pytest.approx(1)
    mean = sum(x * w for (x,), w in by_hand(size, local, rounds).items())
    assert sum((w * x[-1, 0] for x, w in zip(balls[0], balls[1], strict=True)), arb(0)).overlaps(BALL.scalar(mean))


@pytest.mark.parametrize("ring", [None, RATIONAL])
@pytest.mark.parametrize("listed", [True, False])
def test_noise_that_differs_between_clients_takes_each_value_as_often(ring: Any, listed: bool) -> None:
    """A batch of one of two or of three components: six equally likely indices."""
    case = Case(BATCHED, **RUN, n_participating=1)
    step = algorithms.sequential_step if listed else sequential
    algorithm = Algorithm("known", step, anonymous=False) if listed else user(sequential)
    after = outcome_enumerator(algorithm, case, ring, 100)
    x = np.array([[2.0]]) if ring is None else object_array([fmpq(2)], (1, 1))
    rows, states, chances = after(x, run_constants(case, ring), 0)
    assert rows.tolist() == [0] * len(states)
    found: dict[Any, Fraction] = {}
    for state, chance in zip(states[:, 0], chances, strict=True):
        add(found, round(float(as_number(state) if ring else state), 9), F(as_number(chance)))
    expected: dict[Any, Fraction] = {}
    for h, slopes in ((1, (1, -1)), (2, (2, 0, 1))):
        for b in slopes:
            add(expected, round(2 - (2 * h + b) / 10, 9), F(1, 2 * len(slopes)))
    assert found == expected
    assert states.dtype == (float if ring is None else object)


# Limits -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("listed", [True, False])
def test_paths_are_refused_exactly_beyond_the_limit(listed: bool) -> None:
    """Two of three clients in order with a sign each: 6 * 4 = 24 outcomes of a round, 576 of two rounds."""
    algorithm = algorithms.sequential if listed else user(sequential)
    case = Case(NOISY, **RUN, n_participating=2)
    assert len(enumerate_runs(algorithm, case, RATIONAL, limit=24)[1]) == 24
    with pytest.raises(TooManyPaths, match="more than 23"):
        enumerate_runs(algorithm, case, RATIONAL, limit=23)
    twice = case.with_settings(n_rounds=2)
    assert sum(map(as_number, enumerate_runs(algorithm, twice, RATIONAL, limit=576)[1])) == 1
    with pytest.raises(TooManyPaths, match="more than 575"):
        enumerate_runs(algorithm, twice, RATIONAL, limit=575)


def test_outcomes_of_a_round_count_orders_and_noise() -> None:
    case = Case(NOISY, **{**RUN, "n_local_steps": 2}, n_participating=2)
    outcomes = round_outcomes(algorithms.sequential, case, 6 * 16)
    assert len(outcomes) == 6 * 16
    assert {o.weight for o in outcomes} == {F(1, 96)}
    for o in outcomes:
        for m in range(3):
            own = o.noise[2 * m : 2 * m + 2]
            assert set(own) <= {0, 1} if m in o.order else own == (-1, -1)
    with pytest.raises(TooManyPaths, match="more than 95 outcomes of a round"):
        round_outcomes(algorithms.sequential, case, 95)
    quiet = round_outcomes(algorithms.sequential, case, 6, noisy=False)
    assert [(o.noise, o.weight) for o in quiet] == [((), F(1, 6))] * 6
    with pytest.raises(TooManyPaths, match="more than 5 orders"):
        round_outcomes(algorithms.sequential, case, 5, noisy=False)
    assert len(round_outcomes(algorithms.sequential, Case(QUIET, **RUN, n_participating=2), 6)) == 6


def test_runs_count_the_outcomes_of_all_rounds() -> None:
    case = Case(QUIET, **RUN, n_participating=2)  # 6 orders
    assert len(round_outcomes(algorithms.sequential, case, 216, rounds=3)) == 6
    with pytest.raises(TooManyPaths, match="more than 215 sample paths"):
        round_outcomes(algorithms.sequential, case, 215, rounds=3)
    with pytest.raises(TooManyPaths, match="sample paths"):
        round_outcomes(algorithms.sequential, case, 10**6, rounds=10**9)
    alone = Case(QuadraticClients((1,), (0,), 1), **RUN)
    assert len(round_outcomes(algorithms.sequential, alone, 1, rounds=10**9)) == 1
    two = Case(QUIET, **RUN, n_participating=1)
    assert len(round_outcomes(algorithms.sequential, two, 81, rounds=4)) == 3


def test_a_step_that_declares_batches_has_as_many_noises() -> None:
    case = Case(QuadraticClients((1,), (0,), 1, 1), **{**RUN, "n_local_steps": 2})
    known = algorithms.sequential._replace(name="two", batches=2)
    outcomes = round_outcomes(known, case, 16)
    assert len(outcomes) == 16
    assert all(len(o.noise) == 4 for o in outcomes)
    assert {o.weight for o in outcomes} == {F(1, 16)}


def test_noise_without_finite_support_is_refused_where_it_matters() -> None:
    case = Case(UNIFORM, **RUN)
    for call in (
        lambda: round_outcomes(algorithms.sequential, case, 100),
        lambda: enumerate_runs(user(sequential), case, RATIONAL),
    ):
        with pytest.raises(TooManyPaths, match="no finite support"):
            call()
    assert len(round_outcomes(algorithms.sequential, case, 100, noisy=False)) == 2
    silent = user(lambda x, oracle, c: x / 2)
    assert law(enumerate_runs(silent, case, RATIONAL)) == {(F(3, 2),): F(1)}
    bare = SimpleNamespace(draws=1, n_clients=1, n_noise_values=None)
    with pytest.raises(TooManyPaths, match="no finite support"):
        EnumeratedOracle(bare, np.zeros((1, 1), dtype=int), np.zeros((1, 1), dtype=int), 1, RATIONAL)  # type: ignore[arg-type]
    EnumeratedOracle(bare, np.zeros((1, 1), dtype=int), np.zeros((1, 0), dtype=int), 1, RATIONAL)  # type: ignore[arg-type]


# Orders and sets --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("types", [(1, 1, 2), (1, 2, 3), (1, 2, 1, 2), (2, 2, 2), (1, 2, 2, 1, 1)])
@pytest.mark.parametrize("ordered", [True, False])
def test_patterns_of_equal_clients_have_their_multiplicities(types: tuple[int, ...], ordered: bool) -> None:
    n = len(types)
    instance = QuadraticClients(types, (0,) * n, 1)
    plain = user(algorithms.sequential_step, ordered=ordered)
    grouped = plain._replace(name="grouped", anonymous=True)
    for size in range(1, n + 1):
        ways: Sequence[tuple[int, ...]] = list(
            (itertools.permutations if ordered else itertools.combinations)(range(n), size)
        )
        assert sorted(participation_patterns(plain, instance, size, len(ways))) == sorted((w, 1) for w in ways)
        expected: dict[Any, int] = {}
        for way in ways:
            key = tuple(types[m] for m in way)
            key = key if ordered else tuple(sorted(key))
            expected[key] = expected.get(key, 0) + 1
        found = participation_patterns(grouped, instance, size, len(expected))
        assert all(len(set(chosen)) == size for chosen, _ in found)
        told = [(tuple(types[m] for m in chosen), weight) for chosen, weight in found]
        assert {k if ordered else tuple(sorted(k)): w for k, w in told} == expected
        assert len(told) == len(expected)
        for algorithm, many in ((plain, len(ways)), (grouped, len(expected))):
            if many > 1:
                with pytest.raises(TooManyPaths, match=f"more than {many - 1} (orders|sets of clients)"):
                    participation_patterns(algorithm, instance, size, many - 1)


def test_only_clients_that_enter_through_their_gradients_are_exchanged() -> None:
    instance = QuadraticClients((1, 1), (0, 0), 1)
    assert len(participation_patterns(user(sequential), instance, 1, 10)) == 2
    assert participation_patterns(algorithms.sequential, instance, 1, 10) == [((0,), 2)]


def test_a_first_part_of_an_order() -> None:
    orders = np.array([[2, 0], [1, 2]])
    assert prefix(orders, 1).tolist() == [[2], [1]]
    assert prefix(orders, 2).tolist() == orders.tolist()
    assert prefix(orders, 0).shape == (2, 0)
    for size in (-1, 3):
        with pytest.raises(NotEnumerable, match="more clients than take part"):
            prefix(orders, size)


# Oracles ----------------------------------------------------------------------------------------------------------------


def listed_oracle(ring: Any, steps: int = 2) -> EnumeratedOracle:
    """Client 1 takes part with noise 0 and 1 in its two steps, then client 2 with 1 and 0."""
    noise = np.array([[-1, -1, 0, 1, -1, -1], [-1, -1, -1, -1, 1, 0]])
    return EnumeratedOracle(NOISY, np.array([[1], [2]]), noise, steps, ring)


@pytest.mark.parametrize("ring", [None, RATIONAL])
def test_a_listed_outcome_gives_each_gradient_its_noise(ring: Any) -> None:
    oracle = listed_oracle(ring)
    x = np.array([[2.0], [2.0]]) if ring is None else object_array([fmpq(2)] * 2, (2, 1))
    assert oracle.order(1).tolist() == [[1], [2]]
    with pytest.raises(NotEnumerable, match="more clients than take part"):
        oracle.order()
    for k, signs in ((0, (1, -1)), (1, (-1, 1))):
        found = oracle.gradient(x, oracle.order(1)[:, 0], k)
        assert [float(as_number(v)) for v in found[:, 0].tolist()] == [-1 + signs[0] / 2, 4 + signs[1] / 2]
        assert found.dtype == x.dtype
    words = "more local steps than n_local_steps, or more mini-batches in one than it declares"
    with pytest.raises(NotEnumerable, match=words):
        oracle.gradient(x, oracle.order(1)[:, 0], 2)
    with pytest.raises(NotEnumerable, match="a client that doesn't take part"):
        oracle.gradient(x, 1, 0)
    if ring is None:
        mixed = object_array([F(2), F(2)], (2, 1))  # fractions of a step on floats
        assert oracle.gradient(mixed, oracle.order(1)[:, 0], 0).dtype == float


def test_without_noise_any_client_and_step_may_be_asked() -> None:
    oracle = EnumeratedOracle(QUIET, np.array([[1, 0, 2]]), np.empty((1, 0), dtype=int), 0, None)
    assert oracle.gradient(np.array([[2.0]]), 1, 9).tolist() == [[-1.0]]
    assert oracle.order().tolist() == [[1, 0, 2]]


def asking(
    case: Case[Any], script: list[np.ndarray], rows: int, ring: Any = RATIONAL, limit: int = 100
) -> AskingOracle:
    return AskingOracle(user(sequential), case, ScriptedChance(script, rows, ring or RATIONAL, False, limit), ring)


def test_what_is_asked_again_has_the_same_noise() -> None:
    """Of two runs that ask for different clients, the client that both have asked before is not drawn again."""
    case = Case(NOISY, **RUN)
    x = object_array([fmpq(2)] * 2, (2, 1))
    oracle = asking(case, [np.array([0, 1]), np.array([0, 1])], 2)
    first = oracle.gradient(x, 1, 0)
    assert first[:, 0].tolist() == [fmpq(-1, 2), fmpq(-3, 2)]
    assert oracle.gradient(x, 1, 0).tolist() == first.tolist()
    mixed = oracle.gradient(x, np.array([1, 0]), 0)  # the second run asks client 0 for the first time
    assert mixed[:, 0].tolist() == [first[0, 0], 3 - fmpq(1, 2)]
    assert oracle.gradient(x, np.array([1, 0]), 0).tolist() == mixed.tolist()
    with pytest.raises(OpenQuestion) as asked:  # another step is another noise
        oracle.gradient(x, 1, 1)
    assert asked.value.chances.tolist() == [[fmpq(1, 2)] * 2] * 2
    with pytest.raises(OpenQuestion) as asked:  # the first run has not asked client 0 as yet
        oracle.gradient(x, 0, 0)
    assert asked.value.chances.tolist() == [[fmpq(1, 2)] * 2, [0, 1]]


def test_orders_are_drawn_once_a_round() -> None:
    case = Case(NOISY, **RUN, n_participating=2)
    with pytest.raises(OpenQuestion) as asked:
        asking(case, [], 1).order(2)
    assert sorted(map(tuple, asked.value.answers.tolist())) == sorted(itertools.permutations(range(3), 2))
    assert asked.value.chances.tolist() == [[fmpq(1, 6)] * 6]
    oracle = asking(case, [np.array([[2, 0]])], 1)
    assert oracle.order(1).tolist() == [[2]]
    assert oracle.order(2).tolist() == [[2, 0]]
    with pytest.raises(NotEnumerable, match="more clients than take part"):
        oracle.order()


def test_an_asked_gradient_in_floats() -> None:
    x = object_array([F(2)], (1, 1))
    found = asking(Case(NOISY, **RUN), [np.array([1])], 1, None).gradient(x, 1, 0)
    assert found.dtype == float
    assert found.tolist() == [[-1.5]]
    still = asking(Case(QUIET, **RUN), [], 1, None).gradient(x, 1, 0)
    assert still.tolist() == [[-1.0]]


# Runs -------------------------------------------------------------------------------------------------------------------


def test_rationals_that_become_too_long_are_refused_but_balls_are_not() -> None:
    """Halving three times: the denominator 8 has four bits, the start 1 has one."""
    case = Case(QuadraticClients((1,), (0,), 1), n_rounds=3, n_local_steps=1, step_size="1/2")
    for algorithm in (algorithms.sequential, user(sequential)):
        states, _ = enumerate_runs(algorithm, case, RATIONAL, bits=4)
        assert states[0, :, 0].tolist() == [1, fmpq(1, 2), fmpq(1, 4), fmpq(1, 8)]
        with pytest.raises(NotEnumerable, match="rationals become too long"):
            enumerate_runs(algorithm, case, RATIONAL, bits=3)
        enumerate_runs(algorithm, case, BALL, bits=1)


def test_a_run_that_leaves_all_bounds_is_undecided_for_a_user_and_for_the_library_an_error() -> None:
    case = Case(QuadraticClients((1,), (0,), 1), **RUN)

    def far(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        return object_array([arb("inf")] * x.size, x.shape)

    with pytest.raises(Undecided, match="balls that are too wide"):
        enumerate_runs(user(far), case, BALL)

    class Steep(QuadraticClients):
        def gradient(self, x: np.ndarray, client: Any) -> np.ndarray:
            return object_array([arb("inf")] * x.size, x.shape)

    with pytest.raises(VariantError, match="reaches numbers that are not finite"):
        enumerate_runs(algorithms.sequential, Case(Steep((1,), (0,), 1), **RUN), BALL)


def test_a_users_draws_are_enumerated_where_they_are_made() -> None:
    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        moved = oracle.coin("1/4")
        return x + np.where(moved, 1, 0)[:, None]

    case = Case(QUIET, n_rounds=4, step_size="1/10")
    found = enumerate_runs(user(step), case, RATIONAL, limit=16)
    assert law(found) == {(F(3 + k),): F(math.comb(4, k) * 3 ** (4 - k), 4**4) for k in range(5)}
    coins = law(enumerate_runs(user(step), case.with_settings(n_rounds=2), RATIONAL, limit=4))
    assert sum(coins.values()) == 1
    with pytest.raises(TooManyPaths, match="sample paths"):
        enumerate_runs(user(step), case, RATIONAL, limit=7)


def test_equal_states_are_one_path_in_rationals() -> None:
    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        return x + 0 * np.where(oracle.coin("1/4"), 1, 0)[:, None]

    case = Case(QUIET, n_rounds=3, step_size="1/10")
    states, weights = enumerate_runs(user(step), case, RATIONAL, limit=2)
    assert (len(states), weights) == (1, [1])
    assert len(enumerate_runs(user(step), case, BALL, limit=8)[1]) == 8


def test_a_growing_tree_of_paths_is_given_up_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first rounds the number of paths of all rounds is extrapolated."""
    calls = []

    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        calls.append(c.round)
        return x * 2 + np.where(oracle.coin("1/2"), 1, 0)[:, None]

    case = Case(QUIET, n_rounds=10, step_size="1/10")
    with pytest.raises(TooManyPaths, match="more than 1023 sample paths"):
        enumerate_runs(user(step), case, RATIONAL, limit=1023)
    assert max(calls) == sample_paths.FORECAST_ROUNDS
    assert len(enumerate_runs(user(step), case, RATIONAL, limit=1024)[1]) == 1024
    monkeypatch.setattr(sample_paths, "MAX_ENUMERATION_WORK", 16 * 10 * 3 - 1)  # 16 paths, 10 rounds, 3 clients
    calls.clear()
    with pytest.raises(TooManyPaths, match="more than 479 gradients on all paths"):
        enumerate_runs(user(step), case, RATIONAL, limit=1024)
    assert max(calls) == 3


def test_many_draws_in_the_first_rounds_alone_are_enumerated(monkeypatch: pytest.MonkeyPatch) -> None:
    """What all rounds take is foretold after the first rounds, of the paths that are left."""

    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        return np.where(oracle.coin("1/2"), 1, 0)[:, None] + 0 * x if c.round < 2 else x

    case = Case(QUIET, n_rounds=10, step_size="1/10")
    monkeypatch.setattr(sample_paths, "MAX_ENUMERATION_WORK", 1)
    assert law(enumerate_runs(user(step), case, RATIONAL, limit=4)) == {(F(0),): F(1, 2), (F(1),): F(1, 2)}


def test_long_runs_that_compare_are_not_run_in_rationals() -> None:
    class Owned(QuadraticClients):
        def oracle(self, chance: Any) -> Oracle:
            found = AskingOracle(user(sequential), Case(self, **RUN), chance, RATIONAL)
            return found

    own = Owned((1, 2), (1, -1), 1)
    at_most = sample_paths.MAX_RATIONAL_WORK // 2
    still = user(lambda x, oracle, c: x)
    outcome_enumerator(still, Case(own, n_rounds=at_most, n_local_steps=1, step_size="1/10"), RATIONAL)
    outcome_enumerator(still, Case(own, n_rounds=at_most, n_local_steps=1, step_size="1/10"), None)
    with pytest.raises(NotEnumerable, match=f"a run with {2 * at_most + 2} numbers is too long for rationals"):
        outcome_enumerator(still, Case(own, n_rounds=at_most + 1, n_local_steps=1, step_size="1/10"), RATIONAL)
    with pytest.raises(NotEnumerable, match="comparisons need rationals"):
        outcome_enumerator(still, Case(own, **RUN), BALL)
    outcome_enumerator(still, Case(QUIET, **RUN), BALL)


def test_a_kink_is_enumerated_exactly() -> None:
    case = Case(PiecewiseQuadraticClients((1,), (3,), (0,), 1, 1), n_rounds=2, n_local_steps=1, step_size="1/2")
    expected: dict[tuple[Fraction, ...], Fraction] = {}
    for signs in itertools.product((1, -1), repeat=2):
        x = F(1)
        for sign in signs:
            x = x - F(1, 2) * ((F(1) if x < 0 else F(3)) * x + sign)
        add(expected, (x,), F(1, 4))
    assert law(enumerate_runs(algorithms.sequential, case, RATIONAL)) == expected
