"""The loop of simulated rounds, the constants that a step reads, and the oracle of a simulated round."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, streams
from fltheory.papers.sfl import algorithms
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import algorithm as loop
from fltheory.runs.algorithm import (
    MAX_SIMULATED_ROUNDS,
    MAX_STORED_FLOATS,
    OVERFLOW_LIMIT,
    Algorithm,
    object_array,
    points_as_state,
    rollout,
    start_points,
    start_state,
    stream_runs,
    take_step,
)
from fltheory.runs.constants import MissingConstant, participants_per_round, run_constants
from fltheory.runs.distributions.randomness import ROUNDING, ScriptedChance, StreamChance
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.oracle import Oracle, RandomOracle, random_oracle, require_size, to_float_points
from fltheory.work import (
    CALL_COST,
    COMPILED_FLOATS_PER_UNIT,
    EXACT_NUMBERS_PER_UNIT,
    NUMPY_FLOATS_PER_UNIT,
    USER_STEP_COST,
    separate_meter,
)

F = Fraction
THREE = QuadraticClients((1, "1/2", "1/4"), (1, -3, 2), 2, noise_std=1)
PLANE = QuadraticClients(((1, 2), ("1/2", 1)), ((1, 0), (-3, 1)), (2, -5), (1, "1/2"))
RUN = {"n_rounds": 3, "n_local_steps": 2, "step_size": "1/10"}


def still(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x


def gradient_step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x, 0)


def rational(*values: Any) -> np.ndarray:
    return object_array([fmpq(F(v).numerator, F(v).denominator) for v in values], (len(values), 1))


# Algorithms -------------------------------------------------------------------------------------------------------------


def test_the_distance_that_no_run_exceeds_is_positive() -> None:
    assert Algorithm("a", still).within is None
    assert Algorithm("a", still, within="1/3").within == F(1, 3)
    for wrong, words in ((0, "within of a must be positive, got 0"), (-1, "must be positive"), ("x", "within of a: ")):
        with pytest.raises(ValueError, match=words):
            Algorithm("a", still, within=wrong)


def test_an_algorithm_is_the_librarys_with_a_law() -> None:
    assert algorithms.sequential.own is True
    assert Algorithm("a", still).own is False
    start = np.array([[1.0, 2.0]])
    assert points_as_state(start, None) is not start  # type: ignore[arg-type]


@pytest.mark.parametrize("ring", [None, RATIONAL, BALL], ids=str)
def test_all_runs_start_at_the_start(ring: Any) -> None:
    case = Case(PLANE, **RUN)
    for points in (start_points(case, 3, ring), start_state(Algorithm("a", still), case, 3, ring)):
        assert points.shape == (3, 2)
        assert points.dtype == (float if ring is None else object)
        assert all(v == w for row in points.tolist() for v, w in zip(row, (2, -5), strict=True))


@pytest.mark.parametrize(
    "init",
    [
        lambda start, c: start.tolist(),
        lambda start, c: np.concatenate([start, start]),
        lambda start, c: start[:, 0],
        lambda start, c: start[:, :, None],
    ],
)
def test_a_first_state_has_a_row_for_every_run(init: Any) -> None:
    with pytest.raises(VariantError, match=r"init of mine returned .*, expected an array of shape \(3, 2\)"):
        start_state(Algorithm("mine", still, init=init), Case(PLANE, **RUN), 3, None)


def test_a_first_state_may_be_wider_than_a_point_and_hold_integers() -> None:
    wide = Algorithm("mine", still, init=lambda start, c: np.ones((len(start), 5), dtype=int))
    found = start_state(wide, Case(PLANE, **RUN), 3, None)
    assert found.shape == (3, 5)
    assert found.dtype == float
    exact = start_state(replace(wide, init=lambda start, c: start * 0 + F(1, 2)), Case(PLANE, **RUN), 3, RATIONAL)
    assert {type(v) for v in exact.flat} == {fmpq}
    with pytest.raises(NotEnumerable, match="returns floats for exact numbers"):
        start_state(wide, Case(PLANE, **RUN), 3, RATIONAL)


def test_simulated_rounds_are_steps_from_streams() -> None:
    """Each state is the step of the one before, with the noise of its repetition and round."""
    case, seed, first = Case(PLANE, **RUN), 5, 7
    states = rollout(Algorithm("mine", gradient_step), case, 4, seed, first)
    assert states.shape == (4, 4, 2)
    repetitions = np.arange(first, first + 4)
    x = np.tile([2.0, -5.0], (4, 1))
    for r in range(3):
        np.testing.assert_array_equal(states[:, r], x)
        uniform = streams.uniform(seed, repetitions, r, 0, 0)
        noise = np.where(uniform < 0.5, 1.0, -1.0)[:, None] * [1.0, 0.5]
        x = x - 0.1 * (x * [1.0, 2.0] + [1.0, 0.0] + noise)
    np.testing.assert_allclose(states[:, 3], x, rtol=1e-12)


def test_compiled_and_plain_runs_agree_and_streams_keep_only_a_summary() -> None:
    case = Case(PLANE, **RUN)
    fast, slow = (rollout(algorithms.sequential, case, 5, 3, 2, kernel=kernel) for kernel in (True, False))
    np.testing.assert_allclose(fast, slow, rtol=1e-12)
    last = stream_runs(algorithms.sequential, case, 5, None, 3, 2)
    assert last is not None
    np.testing.assert_array_equal(last, fast[:, -1])
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    average = stream_runs(algorithms.sequential, case, 5, weights, 3, 2)
    assert average is not None
    np.testing.assert_allclose(average, (fast * weights[:, None]).sum(axis=1), rtol=1e-12)
    plain = stream_runs(algorithms.sequential, case, 5, None)
    np.testing.assert_array_equal(plain, rollout(algorithms.sequential, case, 5)[:, -1])
    for lacking in ("kernel", "streaming_kernel"):
        assert stream_runs(algorithms.sequential._replace(**{lacking: None}), case, 5, None) is None


def test_a_kernel_is_asked_first_and_may_decline() -> None:
    """A compiled run is taken as it is; where it declines, rounds are run step by step."""
    case, marks = Case(PLANE, **RUN), np.full((2, 4, 2), 7.0)
    told = []

    def kernel(instance: Any, c: Any, seed: int, repetitions: np.ndarray) -> Any:
        told.append((instance is PLANE, c.n_rounds, seed, repetitions.tolist()))
        return marks if seed else None

    mine = Algorithm("mine", still, kernel=kernel)
    assert rollout(mine, case, 2, 1, 5) is marks
    assert told == [(True, 3, 1, [5, 6])]
    assert (rollout(mine, case, 2, 0)[:, -1] == [2.0, -5.0]).all()
    assert (rollout(mine, case, 2, 1, kernel=False)[:, -1] == [2.0, -5.0]).all()
    assert len(told) == 2


def test_runs_too_long_to_store_or_to_simulate_are_refused() -> None:
    most = MAX_STORED_FLOATS // 2
    quick = Algorithm("quick", still, kernel=lambda *given: np.zeros((1, 1, 2)))
    for algorithm, rounds in ((quick, most), (algorithms.sequential, most)):
        case = Case(PLANE, **{**RUN, "n_rounds": rounds + 1})
        with pytest.raises(NotEnumerable, match=f"{rounds + 1} rounds are too many to simulate"):
            rollout(algorithm, case, 1)
        with pytest.raises(NotEnumerable, match="too many to simulate"):
            stream_runs(algorithm, case, 1, None)
    assert rollout(quick, Case(PLANE, **{**RUN, "n_rounds": most}), 1).shape == (1, 1, 2)
    long = Case(PLANE, **{**RUN, "n_rounds": MAX_SIMULATED_ROUNDS + 1})
    with pytest.raises(NotEnumerable, match="too many to simulate"):
        rollout(Algorithm("mine", still), long, 1)
    with pytest.raises(NotEnumerable, match="too many to simulate"):
        rollout(quick, long, 1, kernel=False)
    assert rollout(Algorithm("mine", still), long, 1, rounds=2).shape == (1, 3, 2)


def test_as_many_rounds_as_allowed_are_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "MAX_SIMULATED_ROUNDS", 3)
    assert rollout(Algorithm("mine", still), Case(PLANE, **RUN), 1).shape == (1, 4, 2)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_first_look_stops_where_a_state_is_far_away(sign: float) -> None:
    def jump(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return x * 0 + np.array([OVERFLOW_LIMIT, sign * OVERFLOW_LIMIT * (1 if c.round < 2 else 1.01)])

    case = Case(PLANE, **{**RUN, "n_rounds": 9})
    assert rollout(Algorithm("mine", jump), case, 2, rounds=9).shape == (2, 4, 2)  # after the third round
    assert rollout(Algorithm("mine", jump), case, 2).shape == (2, 10, 2)
    assert rollout(Algorithm("mine", jump), case, 2, rounds=2).shape == (2, 3, 2)


def test_more_participants_than_clients_are_refused_before_a_run() -> None:
    case = Case(PLANE, **RUN, n_participating=3)
    for call in (
        lambda: rollout(algorithms.sequential, case, 1),
        lambda: stream_runs(algorithms.sequential, case, 1, None),
        lambda: participants_per_round(PLANE, run_constants(case, None)),
    ):
        with pytest.raises(VariantError, match="n_participating = 3, but the instance has 2 clients"):
            call()
    assert participants_per_round(PLANE, run_constants(Case(PLANE, **RUN, n_participating=2), None)) == 2


# One step ---------------------------------------------------------------------------------------------------------------


def step_of(function: Any, x: np.ndarray, round_: int = 4, **settings: Any) -> np.ndarray:
    case = Case(THREE, **{**RUN, **settings})
    ring = RATIONAL if x.dtype == object else None
    return take_step(
        Algorithm("mine", function),
        x,
        RandomOracle(THREE, 0, np.arange(len(x)), round_),
        run_constants(case, ring),
        round_,
    )


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x, o, c: x[:, 0], r"mine returned \(2,\) in round 4, expected an array of shape \(2, 1\)"),
        (lambda x, o, c: x.tolist(), r"mine returned list in round 4"),
        (lambda x, o, c: x > 0, "mine returned bool numbers in round 4, expected floats"),
        (lambda x, o, c: np.where(x > 1, np.nan, x), "mine returned NaN in round 4"),
        (lambda x, o, c: x + np.inf, "mine returned an infinite number in round 4"),
        (lambda x, o, c: x - np.inf, "mine returned an infinite number in round 4"),
        (lambda x, o, c: 1 / 0, r"mine: division by zero \(in round 4\)"),
    ],
)
def test_what_is_no_next_state_is_named_with_its_round(function: Any, words: str) -> None:
    with pytest.raises(VariantError, match=words):
        step_of(function, np.array([[2.0], [1.0]]))


def test_floats_may_overflow_only_from_far_away() -> None:
    near = OVERFLOW_LIMIT * 0.99

    def beyond(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return np.where(np.abs(x) > 1, np.inf * x, x)

    assert step_of(beyond, np.array([[OVERFLOW_LIMIT], [1.0]])).tolist() == [[np.inf], [1.0]]
    assert step_of(beyond, np.array([[-2 * OVERFLOW_LIMIT], [1.0]])).tolist() == [[-np.inf], [1.0]]
    for x in ([[near], [1.0]], [[-near], [1.0]], [[OVERFLOW_LIMIT], [near]]):
        with pytest.raises(VariantError, match="infinite number"):
            step_of(beyond, np.array(x))


def test_a_step_may_return_fractions_and_knows_its_round() -> None:
    assert step_of(lambda x, o, c: np.array([[F(1, 2)], [F(c.round)]], dtype=object), np.ones((2, 1))).tolist() == [
        [0.5],
        [4.0],
    ]


def test_exact_states_stay_exact() -> None:
    x = rational(2, "1/3")
    found = step_of(lambda x, o, c: x / 2 + F(1, 7) + 1, x)
    assert found.tolist() == (x / 2 + fmpq(8, 7)).tolist()
    assert step_of(lambda x, o, c: np.array([[1], [2]]).astype(object), x).tolist() == [[1], [2]]
    assert {type(v) for v in step_of(lambda x, o, c: np.array([[1], [F(2)]], dtype=object), x).flat} == {fmpq}
    for function in (lambda x, o, c: np.ones((2, 1)), lambda x, o, c: np.array([["a"], [1]], dtype=object)):
        with pytest.raises(NotEnumerable, match="the step returns floats for exact numbers"):
            step_of(function, x)
    with pytest.raises(VariantError, match="expected an array of shape"):
        step_of(lambda x, o, c: x[:1], x)


@pytest.mark.parametrize("exact", [False, True])
def test_work_is_counted_by_numbers_and_more_for_a_users_step(exact: bool) -> None:
    x = rational(2, 3) if exact else np.ones((2, 1))
    numbers = 2 * 3 * 2  # two runs, three clients, two local steps
    plain = CALL_COST + numbers / (EXACT_NUMBERS_PER_UNIT if exact else NUMPY_FLOATS_PER_UNIT)
    with separate_meter() as meter:
        step_of(still, x)
    assert meter.spent == pytest.approx(plain + USER_STEP_COST)
    quiet = QuadraticClients((1, 1, 1), (0, 0, 0), 2)
    case = Case(quiet, **RUN)
    ring = RATIONAL if exact else None
    with separate_meter() as meter:
        take_step(
            Algorithm("own", algorithms.sequential.step),
            x,
            RandomOracle(quiet, 0, np.arange(2), 0),
            run_constants(case, ring),
            0,
        )
    assert meter.spent == pytest.approx(plain)
    with separate_meter() as meter:
        step_of(still, x, n_local_steps=1)
    assert meter.spent < plain + USER_STEP_COST


def test_work_of_compiled_runs_is_that_of_all_gradients() -> None:
    case = Case(PLANE, **RUN)
    for call in (
        lambda: rollout(algorithms.sequential, case, 5),
        lambda: stream_runs(algorithms.sequential, case, 5, None),
    ):
        with separate_meter() as meter:
            call()
        assert meter.spent == pytest.approx(5 * 3 * 2 * 2 * 2 / COMPILED_FLOATS_PER_UNIT)


# Constants --------------------------------------------------------------------------------------------------------------


def test_constants_are_converted_to_the_kind_of_numbers_of_the_run() -> None:
    case = Case(THREE, **RUN, server_step_size=2)
    plain, exact, balls = (run_constants(case, ring) for ring in (None, RATIONAL, BALL))
    assert (plain.step_size, exact.step_size) == (0.1, fmpq(1, 10))
    assert balls.step_size.contains(fmpq(1, 10))
    for c in (plain, exact, balls):
        assert type(c.n_rounds) is int
        assert type(c.n_clients) is int
    assert type(exact.server_step_size) is fmpq  # an integer that need not be one
    assert (plain.server_step_size, exact.server_step_size) == (2, 2)
    assert isinstance(balls.server_step_size, int | arb)
    default = run_constants(Case(THREE, **RUN), None)
    assert (default.n_participating, default.server_step_size) == (3, 1)
    assert run_constants(Case(SimpleNamespace(constants={})), None).n_participating == 1


def test_what_is_missing_or_hidden_is_named() -> None:
    c = run_constants(Case(THREE, n_rounds=2, step_size="sqrt(2)/10"), RATIONAL)
    for name, kind, words in (
        ("n_local_steps", MissingConstant, "the case gives no n_local_steps: "),
        ("round", MissingConstant, r"c\.round is available only in a step"),
        ("step_size", NotRational, "needs step_size, which is irrational"),
        ("stepsize", MissingConstant, r"stepsize is not a known constant, did you mean step_size"),
        ("qqqqq", MissingConstant, r"qqqqq is not a known constant \(fltheory.symbols\)"),
    ):
        with pytest.raises(kind, match=words):
            getattr(c, name)
    assert not hasattr(c, "n_local_steps")
    assert c.get("n_local_steps") is None
    assert c.get("n_local_steps", 7) == 7
    assert c.get("n_rounds", 7) == 2
    with pytest.raises(NotRational):
        c.get("step_size", 7)
    with pytest.raises(MissingConstant, match="only in a step"):
        c.get("round", 7)
    for change in (lambda: setattr(c, "n_rounds", 3), lambda: delattr(c, "n_rounds")):
        with pytest.raises(VariantError, match="constants of a run can't be changed: n_rounds"):
            change()


def test_constants_that_a_step_must_not_know_are_barred() -> None:
    c = run_constants(Case(THREE, **RUN), None)
    barred = c.without("step_size", "smoothness")
    assert barred.n_rounds == 3
    with pytest.raises(MissingConstant, match="reads step_size, which a step on unknown functions can't know"):
        _ = barred.step_size
    with pytest.raises(MissingConstant, match="reads step_size"):
        barred.get("step_size", 1)
    assert c.step_size == 0.1


def test_whether_a_step_reads_the_round_is_recorded_for_each_round() -> None:
    c = run_constants(Case(THREE, **RUN), None)
    assert c.uses_round is False
    third, fourth = c.in_round(3), c.in_round(4)
    assert third.uses_round is False
    assert (third.round, fourth.get("round")) == (3, 4)
    assert (third.uses_round, fourth.uses_round, c.uses_round) == (True, True, False)
    assert third.in_round(5).uses_round is False
    assert third.step_size == 0.1


# Oracles ----------------------------------------------------------------------------------------------------------------


def test_simulated_gradients_have_the_noise_of_their_client_and_step() -> None:
    uniform = QuadraticClients((1, 2), (0, 1), 2, 1, "uniform")
    oracle = RandomOracle(uniform, 3, np.arange(4), 2)
    x = np.full((4, 1), 2.0)
    for client, k in ((0, 0), (1, 0), (1, 3)):
        tau = (2 * streams.uniform(3, np.arange(4), 2, client, k) - 1) * 3**0.5
        np.testing.assert_allclose(oracle.gradient(x, client, k)[:, 0], (2.0, 5.0)[client] + tau)
    mixed = np.array([0, 1, 1, 0])
    expected = np.where(mixed == 0, oracle.gradient(x, 0)[:, 0], oracle.gradient(x, 1)[:, 0])
    np.testing.assert_array_equal(oracle.gradient(x, mixed)[:, 0], expected)
    fractions = object_array([F(2)] * 4, (4, 1))
    np.testing.assert_array_equal(oracle.gradient(fractions, 0), oracle.gradient(x, 0))
    assert oracle.value(fractions, 1).tolist() == [6.0] * 4
    quiet = RandomOracle(QuadraticClients((1,), (3,), 2), 3, np.arange(4), 2)
    assert quiet.gradient(x, 0).tolist() == [[5.0]] * 4


def test_several_draws_of_a_gradient_are_numbers_of_their_own() -> None:
    """Of step k the numbers 2 k and 2 k + 1 pick the components of a mini-batch of two."""
    own = FiniteSumQuadraticClients((1, 2), ((1, -1), (2, 0, 1)), 2, 2)
    oracle, x = RandomOracle(own, 3, np.arange(6), 2), np.full((6, 1), 2.0)
    for client, k in ((0, 0), (1, 1), (1, 3)):
        uniform = np.stack([streams.uniform(3, np.arange(6), 2, client, 2 * k + i) for i in range(2)], axis=1)
        picked = np.floor(uniform * (2, 3)[client]).astype(int)
        slopes = np.array(((1.0, -1.0), (2.0, 0.0, 1.0))[client])
        np.testing.assert_allclose(oracle.gradient(x, client, k)[:, 0], (2, 4)[client] + slopes[picked].mean(axis=1))


def test_orders_are_samples_of_the_stream() -> None:
    oracle = RandomOracle(THREE, 3, np.arange(50), 2)
    assert sorted(set(map(tuple, np.sort(oracle.order(), axis=1).tolist()))) == [(0, 1, 2)]
    np.testing.assert_array_equal(oracle.order(2), streams.ordered_samples(3, np.arange(50), 2, 3, 2))
    assert oracle.order(3).shape == (50, 3)
    assert oracle.order(np.int64(1)).shape == (50, 1)  # type: ignore[arg-type]
    for wrong in (0, 4, -1, True, 1.0, "1"):
        with pytest.raises(VariantError, match="clients was asked for, expected an integer from 1 to 3"):
            oracle.order(wrong)  # type: ignore[arg-type]
    assert [require_size(v, 3) for v in (1, 3)] == [1, 3]


def test_fractions_become_floats_and_other_objects_stay() -> None:
    mixed = object_array([F(1, 2), 3, 0.25], (3, 1))
    assert to_float_points(mixed).tolist() == [[0.5], [3.0], [0.25]]
    assert to_float_points(mixed).dtype == float
    exact = object_array([F(1, 2), fmpq(1)], (2, 1))
    assert to_float_points(exact) is exact
    plain = np.ones((2, 1))
    assert to_float_points(plain) is plain


def test_an_instance_with_its_own_oracle_is_asked_for_it() -> None:
    class Owned(QuadraticClients):
        def oracle(self, chance: Any) -> Oracle:
            found = Oracle()
            found.instance, found.chance = self, chance
            return found

    found = random_oracle(Owned((1,), (0,), 1), 3, np.arange(2), 1)
    assert type(found) is Oracle
    assert isinstance(found.chance, StreamChance)
    assert isinstance(random_oracle(THREE, 3, np.arange(2), 1), RandomOracle)
    for call in (lambda: found.order(), lambda: found.gradient(np.ones((2, 1)), 0)):
        with pytest.raises(NotImplementedError):
            call()
    with pytest.raises(VariantError, match="this oracle returns only gradients"):
        found.loss(np.ones((2, 1)), 0)


def scripted(*answers: np.ndarray, rows: int = 2) -> Oracle:
    oracle = Oracle()
    oracle.instance, oracle.chance = THREE, ScriptedChance(list(answers), rows, RATIONAL, False, 100)
    return oracle


def test_coins_and_choices_have_the_runs_first() -> None:
    seeds = np.arange(3000)
    oracle = RandomOracle(THREE, 1, seeds, 0)
    assert oracle.coin(0.25).shape == (3000,)
    many = oracle.coin(np.tile([0.25, 1.0, 0.0], (3000, 1)))
    assert many.shape == (3000, 3)
    assert abs(many[:, 0].mean() - 0.25) < 0.04
    assert many[:, 1].all()
    assert not many[:, 2].any()
    each = oracle.coin(np.where(seeds % 2 == 0, 1.0, 0.0))
    assert (each == (seeds % 2 == 0)).all()
    picked = oracle.choice([1, 3])
    assert picked.shape == (3000,)
    assert abs(picked.mean() - 0.75) < 0.04
    assert (oracle.choice(np.where(seeds[:, None] % 2 == 0, [[1.0, 0.0]], [[0.0, 2.0]])) == seeds % 2).all()
    assert set(oracle.choice([-1e-12, 1, 0]).tolist()) == {1}
    for call in (lambda: oracle.coin(np.full(7, 0.5)), lambda: oracle.choice(np.full((7, 2), 0.5))):
        with pytest.raises(VariantError, match=r"numbers of shape \(7.*\), expected one number or \(3000, ...\)"):
            call()
    for wrong in ([1, -1], [0, 0], [-ROUNDING, 1], np.ones((3000, 2, 2)), [-1e-6, 1]):
        with pytest.raises(VariantError, match=r"choice: expected weights of shape \(k,\) or \(runs, k\), nonnegative"):
            oracle.choice(wrong)
    with pytest.raises(VariantError, match="choice"):
        oracle.choice(np.where(seeds[:, None] == 5, 0.0, 1.0) * [[1.0, 1.0]])


def test_scripted_choices_are_exact() -> None:
    assert scripted(np.array([1, 0])).choice(["1/3", "2/3"]).tolist() == [1, 0]
    for weights in ([0, "1/3"], [0, 5]):
        assert scripted().choice(weights).tolist() == [1, 1]
    with pytest.raises(VariantError, match="choice: expected weights"):
        scripted().choice([F(-1, 10**15), 1])
    assert scripted().coin(1).tolist() == [True, True]
    assert scripted().coin([0, 1]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda o, x: o.gradient(x, 0, True), "local step True, expected an integer from 0"),
        (lambda o, x: o.gradient(x, 0, -1), "local step -1, expected an integer from 0"),
        (lambda o, x: o.gradient(x, 3), "a gradient was asked of client 3, expected integers from 0 to 2"),
        (lambda o, x: o.gradient(x, np.array([0, -1])), "a gradient was asked of client"),
        (lambda o, x: o.gradient(x, True), "a gradient was asked of client True"),
        (lambda o, x: o.value(x, 3), "a value was asked of client 3"),
    ],
)
def test_clients_and_steps_that_do_not_exist_are_named(call: Any, words: str) -> None:
    with pytest.raises(VariantError, match=words):
        call(RandomOracle(THREE, 0, np.arange(2), 0), np.ones((2, 1)))


def test_the_article_of_what_is_asked_for_is_that_of_its_first_letter() -> None:
    oracle = SetOracle.__new__(SetOracle)
    oracle.instance = THREE
    with pytest.raises(VariantError, match=r"^an estimate was asked of client 9"):
        oracle._require_client(9, "estimate")
    with pytest.raises(VariantError, match=r"^a gradient was asked of client 9"):
        oracle._require_client(9)
    oracle._require_client(np.array([], dtype=int))
    assert SubmodularClients.oracle is not None


def test_errors_of_an_instance_are_its_own_but_exact_numbers_may_only_be_unknown_to_it() -> None:
    class Fragile(QuadraticClients):
        def gradient(self, x: np.ndarray, client: Any) -> np.ndarray:
            raise MemoryError if client else IndexError("no such row")

    own = Fragile((1, 1), (0, 0), 1)
    with pytest.raises(VariantError, match=r"^Fragile\.gradient: no such row"):
        RandomOracle(own, 0, np.arange(1), 0).gradient(np.ones((1, 1)), 0)
    with pytest.raises(IndexError, match="no such row"):
        RandomOracle(own, 0, np.arange(1), 0).gradient(rational(1), 0)
    with pytest.raises(MemoryError):
        RandomOracle(own, 0, np.arange(1), 0).gradient(np.ones((1, 1)), 1)


def test_values_are_asked_of_instances_that_have_them() -> None:
    class Blind:
        n_clients, draws = 2, 0

    oracle = Oracle()
    oracle.instance = Blind()  # type: ignore[assignment]
    with pytest.raises(VariantError, match="Blind has no values of its clients' objectives"):
        oracle.value(np.ones((1, 1)), 0)
