"""The loop, the oracles and the enumeration of courses."""

from fractions import Fraction
from itertools import permutations

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.evidence.exact import exact_ball, exact_rational
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, to_ball
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.constants import run_constants
from fltheory.runs.distributions.sample_paths import enumerate_runs, round_outcomes
from fltheory.runs.measures import LastGap
from fltheory.runs.method import NotEnumerable, VariantError

THREE = QuadraticClients((1, "1/2", "1/4"), (1, -3, 2), 2, noise_std=1)
RUN = {"n_rounds": 2, "n_local_steps": 2, "step_size": "1/10"}


def plain(step, instance=THREE, **settings):
    return rollout(Algorithm("mine", step), Case(instance, **{**RUN, **settings}), 5)


# The loop


def test_a_run_starts_at_the_start_and_has_one_state_a_round():
    states = plain(lambda x, oracle, c: x / 2)
    assert states.shape == (5, 3, 1)
    assert states[0, :, 0].tolist() == [2.0, 1.0, 0.5]


def test_blocks_may_be_cut_anywhere_and_jobs_do_not_matter():
    case = Case(PiecewiseQuadraticClients((1, 2), (2, 1), (1, -1), 2, 1, "uniform"), **RUN)
    for algorithm in (*algorithms.ALGORITHMS, algorithms.sequential._replace(step=algorithms.sequential_step)):
        whole = rollout(algorithm, case, 30, seed=4)
        for jobs in (1, 2, 3):
            blocks = joblib.Parallel(n_jobs=jobs, prefer="threads")(
                joblib.delayed(rollout)(algorithm, case, 30 // (jobs + 2), 4, i * (30 // (jobs + 2)))
                for i in range(jobs + 2)
            )
            assert (np.concatenate(blocks) == whole[: sum(len(b) for b in blocks)]).all()


@pytest.mark.parametrize("n_rounds", [10**9, 10**12])
def test_a_run_of_too_many_rounds_is_not_begun(n_rounds):
    """Neither step by step nor compiled; so many as one asks for are run."""
    for algorithm in (Algorithm("mine", lambda x, oracle, c: x / 2), algorithms.sequential):
        case = Case(PiecewiseQuadraticClients((1, 2), (2, 1), (1, -1), 2), **{**RUN, "n_rounds": n_rounds})
        with pytest.raises(NotEnumerable, match=f"{n_rounds} rounds are too many to simulate"):
            rollout(algorithm, case, 1)
        assert rollout(algorithm, case, 1, kernel=False, rounds=3).shape == (1, 4, 1)


def test_seeds_matter():
    case = Case(THREE, **RUN)
    first, second = (rollout(algorithms.sequential, case, 10, seed=s) for s in (0, 1))
    assert (first != second).any()


def test_asking_twice_gives_the_same_noise_and_other_clients_or_steps_another():
    asked = {}

    def step(x, oracle, c):
        for key in ((0, 0), (0, 0), (0, 1), (1, 0)):
            asked.setdefault(key, []).append(oracle.gradient(x * 0, *key))
        return x

    rollout(
        Algorithm("asks", step), Case(QuadraticClients((1, 1), (0, 0), 1, 1, "uniform"), **{**RUN, "n_rounds": 1}), 50
    )
    assert (asked[0, 0][0] == asked[0, 0][1]).all()
    assert (asked[0, 0][0] != asked[0, 1][0]).all()
    assert (asked[0, 0][0] != asked[1, 0][0]).all()


# Mistakes in a variant


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda x, oracle, c: None, "returned NoneType in round 0"),
        (lambda x, oracle, c: x[:, 0], r"returned \(5,\) in round 0, expected an array of shape \(5, 1\)"),
        (lambda x, oracle, c: x[:2], r"returned \(2, 1\)"),
        (lambda x, oracle, c: x * np.nan, "returned NaN in round 0"),
        (lambda x, oracle, c: x - c.lr, "lr is not a known constant"),
        (lambda x, oracle, c: x - c.stepsize, "did you mean step_size"),
        (lambda x, oracle, c: x - c.smoothnes, "not a known constant"),
        (lambda x, oracle, c: x - c.max_step_size, "the case gives no max_step_size: largest allowed effective step"),
        (lambda x, oracle, c: x - oracle.grad(x, 0), "no attribute 'grad'"),
        (lambda x, oracle, c: x - oracle.gradient(x, 17), "client 17, expected"),
        (lambda x, oracle, c: 1 / 0, "division by zero"),
    ],
)
def test_a_broken_step_is_reported(step, words):
    with pytest.raises(VariantError, match=words):
        plain(step)


def test_more_participants_than_clients_are_refused():
    for algorithm in (algorithms.sequential, algorithms.parallel, algorithms.fixed_order):
        with pytest.raises(VariantError, match="n_participating = 4, but the instance has 3 clients"):
            rollout(algorithm, Case(THREE, **RUN, n_participating=4), 3)
    with pytest.raises(VariantError, match="n_participating"):
        round_outcomes(algorithms.sequential, Case(THREE, **RUN, n_participating=4), 1000)


def test_a_missing_setting_is_named():
    with pytest.raises(VariantError, match="the case gives no step_size: step size of a client"):
        rollout(algorithms.sequential, Case(THREE, n_rounds=2, n_local_steps=1), 3)
    with pytest.raises(VariantError, match="the case gives no n_rounds: number of rounds"):
        rollout(algorithms.sequential, Case(THREE, step_size=1, n_local_steps=1), 3)


def test_replacing_the_step_or_the_start_drops_what_described_the_old_run():
    variant = algorithms.sequential._replace(step=lambda x, oracle, c: x)
    assert (variant.law, variant.kernel, variant.anonymous, variant.name) == (None, None, False, "variant")
    moved = algorithms.sequential._replace(init=lambda start, c: start * 0)
    assert (moved.law, moved.kernel) == (None, None)
    assert (rollout(moved, Case(THREE, **RUN), 2)[:, 0] == 0).all()
    named = algorithms.sequential._replace(name="same")
    assert named.law is algorithms.sequential.law


def test_another_start_changes_the_exact_value_too():
    case = Case(QuadraticClients((1, 1), (0, 0), 3), **RUN)
    moved = algorithms.sequential._replace(init=lambda start, c: start * 0)
    assert exact_rational(LastGap(), algorithms.sequential, case).value > 0
    assert exact_rational(LastGap(), moved, case).value == 0
    assert exact_ball(LastGap(), moved, case).value == 0


# Enumeration


@given(st.integers(1, 4), st.data())
def test_probabilities_of_the_courses_sum_to_one(n, data):
    size, k = data.draw(st.integers(1, n)), data.draw(st.integers(1, 2))
    types = data.draw(st.lists(st.integers(1, 2), min_size=n, max_size=n))
    std = data.draw(st.sampled_from([0, 1]))
    instance = QuadraticClients(types, [0] * n, 1, std)
    case = Case(instance, n_participating=size, n_local_steps=k, n_rounds=1, step_size=1)
    try:
        courses = round_outcomes(algorithms.sequential, case, 5000)
    except NotEnumerable:
        return
    assert sum(o.weight for o in courses) == 1
    assert len({(o.order, o.noise) for o in courses}) == len(courses)


def test_orders_of_distinct_clients_are_all_permutations():
    case = Case(QuadraticClients((1, 2, 3), (0, 0, 0), 1), **RUN)
    assert {o.order for o in round_outcomes(algorithms.sequential, case, 100)} == set(permutations(range(3)))


@given(st.sampled_from([(1, 1, 2), (1, 2, 1, 2), (3, 3, 3)]), st.integers(1, 3), st.sampled_from([0, 1]), st.booleans())
def test_grouping_equal_clients_changes_nothing(curvatures, size, std, parallel):
    n = len(curvatures)
    slopes = [c - Fraction(sum(curvatures), n) for c in curvatures]
    instance = PiecewiseQuadraticClients(curvatures, [1] * n, slopes, 1, std)
    case = Case(instance, n_rounds=1, n_local_steps=1, step_size="1/7", n_participating=size)
    algorithm = algorithms.parallel if parallel else algorithms.sequential
    one_by_one = Algorithm("ungrouped", algorithm.step)
    assert exact_rational(LastGap(), algorithm, case) == exact_rational(LastGap(), one_by_one, case)


def test_enumeration_equals_simulation_on_each_path():
    """Every simulated path is one of the enumerated ones, with about the right frequency."""
    case = Case(
        PiecewiseQuadraticClients((1, 3), (2, 1), (1, -1), "1/2", 1), n_rounds=1, n_local_steps=1, step_size="1/5"
    )
    states, weights = enumerate_runs(algorithms.sequential, case, RATIONAL)
    exact = {}
    for value, weight in zip(states[:, -1, 0], weights, strict=True):
        exact[round(float(value), 9)] = exact.get(round(float(value), 9), 0) + float(weight)
    seen = rollout(algorithms.sequential, case, 20_000)[:, -1, 0].round(9)
    values, counts = np.unique(seen, return_counts=True)
    assert set(values) == set(exact)
    for value, count in zip(values, counts, strict=True):
        assert abs(count / 20_000 - exact[value]) < 0.02


def test_rationals_lie_in_the_balls_of_the_same_run():
    case = Case(PiecewiseQuadraticClients((1, "1/3"), (2, "1/7"), (1, -1), "1/2"), **RUN)
    rational, _ = enumerate_runs(algorithms.sequential, case, RATIONAL)
    balls, _ = enumerate_runs(algorithms.sequential, case, BALL)
    for q, b in zip(rational.flat, balls.flat, strict=True):
        assert b.overlaps(to_ball(Fraction(int(q.p), int(q.q))))


def test_what_is_too_much_to_enumerate_is_refused():
    with pytest.raises(NotEnumerable, match="more than"):
        enumerate_runs(algorithms.sequential, Case(THREE, n_rounds=50, n_local_steps=2, step_size=1), RATIONAL)
    with pytest.raises(NotEnumerable, match="more than"):
        round_outcomes(algorithms.sequential, Case(QuadraticClients(range(1, 12), [0] * 11, 1), **RUN), 1000)
    uniform = QuadraticClients((1, 1), (1, -1), 1, 1, "uniform")
    with pytest.raises(NotEnumerable, match="finite support"):
        round_outcomes(algorithms.sequential, Case(uniform, **RUN), 1000)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda x, oracle, c: x - oracle.order()[:, :1] * x, "more clients than take part"),
        (lambda x, oracle, c: np.tanh(x), "exact numbers"),
        (lambda x, oracle, c: x.astype(float), "converts an exact number to a float"),
    ],
)
def test_steps_whose_courses_are_not_enumerated_are_refused_not_mistaken(step, words):
    """With 2 of 3 clients: asking for all is not what the enumeration covers."""
    case = Case(THREE, n_rounds=1, n_local_steps=1, step_size="1/5", n_participating=2)
    with pytest.raises(NotEnumerable, match=words):
        enumerate_runs(Algorithm("mine", step), case, RATIONAL)


def test_noise_is_followed_where_a_step_asks_for_it():
    """Two values for each gradient that is asked, the same for the same gradient, whoever is drawn and however late."""
    case = Case(
        QuadraticClients((1, 2, 3), (0, 3, 7), 1, 1), n_rounds=1, n_local_steps=1, step_size="1/5", n_participating=2
    )
    late = Algorithm("late", lambda x, oracle, c: x - oracle.gradient(x, 0, 7))
    assert [len(found) for found in enumerate_runs(late, case, RATIONAL)] == [2, 2]
    twice = Algorithm("twice", lambda x, oracle, c: oracle.gradient(x, 1) - oracle.gradient(x, 1))
    assert [len(found) for found in enumerate_runs(twice, case, RATIONAL)] == [1, 1]
    first = Algorithm("first", lambda x, oracle, c: x - oracle.gradient(x, oracle.order(1).T[0]))
    assert len(enumerate_runs(first, case, RATIONAL)[1]) == 6


def test_a_step_that_works_in_place_does_not_rewrite_the_past():
    def step(x, oracle, c):
        x /= 2
        return x

    case = Case(QuadraticClients((1, 1), (1, -1), 8), **RUN)
    states, _ = enumerate_runs(Algorithm("in place", step), case, RATIONAL)
    assert [float(v) for v in states[0, :, 0]] == [8.0, 4.0, 2.0]


def test_irrational_constants_are_refused_only_where_they_are_used():
    c = run_constants(Case(THREE, step_size="sqrt(2)/10", n_rounds=1), RATIONAL)
    assert c.n_rounds == 1
    with pytest.raises(NotRational):
        _ = c.step_size
    case = Case(THREE, **{**RUN, "step_size": "sqrt(2)/10"})
    for algorithm in (algorithms.sequential, algorithms.fixed_order):
        assert exact_rational(LastGap(), algorithm, case) is None
    assert exact_ball(LastGap(), algorithms.sequential, case).value > 0


# What a step may not do


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda x, oracle, c: x * 1j, "returned complex128 numbers in round 0, expected floats"),
        (lambda x, oracle, c: x.astype(int), "returned int64 numbers"),
        (lambda x, oracle, c: np.asmatrix(x), "returned matrix in round 0, expected an array of shape"),
        (lambda x, oracle, c: np.ma.masked_array(x), "returned MaskedArray"),
        (lambda x, oracle, c: x.astype(complex).astype(object), "returned object numbers"),
        (lambda x, oracle, c: x - oracle.gradient(x, 0, 0.5), "local step 0.5, expected an integer from 0"),
        (lambda x, oracle, c: x - oracle.gradient(x, 0, -1), "local step -1, expected an integer from 0"),
        (lambda x, oracle, c: x - oracle.gradient(x, 3), "client 3, expected integers from 0 to 2"),
        (lambda x, oracle, c: x - oracle.gradient(x, -1), "client -1, expected integers from 0 to 2"),
        (lambda x, oracle, c: x - oracle.gradient(x, 1.0), r"client 1\.0, expected integers"),
        (lambda x, oracle, c: setattr(c, "step_size", 0) or x, "constants of a run can't be changed: step_size"),
        (lambda x, oracle, c: delattr(c, "step_size") or x, "constants of a run can't be changed: step_size"),
    ],
)
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_what_is_no_state_no_client_and_no_setting_is_named(step, words):
    with pytest.raises(VariantError, match=words):
        plain(step)


def test_a_gradient_that_fails_is_named_by_its_instance():
    class Fragile(QuadraticClients):
        def gradient(self, x, client):
            raise IndexError("no such row")

    with pytest.raises(VariantError, match=r"Fragile\.gradient: no such row"):
        plain(lambda x, oracle, c: x - oracle.gradient(x, 0), Fragile((1,), (0,), 1))
