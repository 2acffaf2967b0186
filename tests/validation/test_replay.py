"""Comparisons of exact runs with runs in floats: outcomes, paths and frequencies, at and beyond what rounding explains."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fltheory.evidence.validation import affine_maps as maps
from fltheory.evidence.validation import replay
from fltheory.evidence.validation.affine_maps import CHANCE_TOLERANCE, compare_maps
from fltheory.evidence.validation.plain_runs import FloatRuns
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL
from fltheory.number.elements import Undecided
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.affine import affine_rounds
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.method import VariantError

PAIR = QuadraticClients((1, "1/2"), (1, -1), 2)
KINKED = PiecewiseQuadraticClients((2, 2), (1, 1), (1, -1), 3)


def plain_step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
    for client in oracle.order().T:
        x = x - c.step_size * oracle.gradient(x, client)
    return x


def case_of(instance: Any = PAIR, **given: Any) -> Case:
    settings: dict[str, Any] = {"n_rounds": 3, "n_local_steps": 1, "step_size": "1/8"}
    return Case(instance, **{**settings, **given})


@pytest.fixture(autouse=True)
def _no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "_recent_comparisons", [])


# Outcomes of a round ------------------------------------------------------------------------------------------------------


def cloud(points: list[list[float]], likely: list[float]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(points, dtype=float), np.array(likely)


TWO = cloud([[0, 1], [2, 3]], [0.25, 0.75])


def agree(found: Any, exactly: Any = TWO, slack: tuple[float, float] = (0.01, 0.1)) -> bool:
    told = replay._clouds_agree(found, exactly, np.array(slack))
    assert type(told) is bool
    return told


def test_outcomes_agree_up_to_the_slack_of_each_coordinate() -> None:
    assert agree(TWO)
    assert agree(cloud([[2, 3], [0, 1]], [0.75, 0.25]))
    for sign, row, axis in itertools.product((1, -1), (0, 1), (0, 1)):
        for part, same in ((0.99, True), (1.01, False)):
            ends = TWO[0].copy()
            ends[row, axis] += sign * part * (0.01, 0.1)[axis]
            assert agree((ends, TWO[1])) == same
            assert agree(TWO, (ends, TWO[1])) == same
    assert agree(cloud([[0.5, 1], [2, 3]], [0.25, 0.75]), cloud([[0, 1], [2, 3]], [0.25, 0.75]), (0.5, 0))
    assert not agree(cloud([[0, 1], [math.inf, 3]], [0.25, 0.75]))
    assert not agree(cloud([[0, 1], [math.nan, 3]], [0.25, 0.75]))


def test_opposite_outcomes_do_not_agree() -> None:
    for point in ([1.0, 1.0], [0.0, 1.0], [-3.0, 2.0]):
        assert not agree(cloud([point], [1.0]), cloud([[-v for v in point]], [1.0]))
    assert not agree(cloud([[1, 1], [2, 2]], [0.5, 0.5]), cloud([[-2, -2], [-1, -1]], [0.5, 0.5]))


def test_outcomes_have_their_probabilities() -> None:
    for part, same in ((0.5, True), (2, False)):
        for sign in (1, -1):
            off = sign * part * CHANCE_TOLERANCE
            assert agree((TWO[0], TWO[1] + np.array([off, -off]))) == same
    assert not agree((TWO[0], TWO[1][::-1]))


def test_outcomes_that_merge_or_split_agree() -> None:
    split = cloud([[0, 1], [2, 3], [2.001, 3.01]], [0.25, 0.5, 0.25])
    assert agree(split)
    assert agree(TWO, split)
    assert not agree(cloud([[0, 1], [2, 3], [9, 3]], [0.25, 0.5, 0.25]))
    assert not agree(cloud([[0, 1], [0.001, 1], [2, 3]], [0.25, 0.5, 0.25]))
    assert not agree(cloud([[0, 1]], [1.0]))
    assert not agree(cloud([[2, 3]], [1.0]))
    assert not agree(TWO, cloud([[0, 1]], [1.0]))
    rounded = cloud([[0.004, 1], [-0.004, 1], [2, 3]], [0.125, 0.125, 0.75])
    assert agree(rounded, cloud([[0.004, 1], [-0.003, 1], [2, 3]], [0.2, 0.05, 0.75]))  # the two are one place


def test_outcomes_that_are_off_by_exactly_what_is_allowed_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "CHANCE_TOLERANCE", 0.25)
    for more in (0.0, 2**-40):
        split = cloud([[0, 1], [2, 3], [2, 3]], [0.5 + more, 0.25 - more, 0.25])
        assert agree(split) == (more == 0)
        off = cloud([[0.5 + more, 1], [2, 3.5], [2, 2.5 - more]], [0.25, 0.5, 0.25])
        assert agree(off, slack=(0.5, 0.5)) == (more == 0)
        near = cloud([[0, 1], [0.5 + more, 1]], [0.5, 0.5])  # one place, or two
        assert agree(cloud([[0, 1]], [1.0]), near, (0.5, 0.5)) == (more == 0)


@pytest.mark.parametrize("turned", [False, True])
def test_outcomes_that_are_near_one_by_one_agree(turned: bool) -> None:
    """Also where one of them is near two of the others, which are not near each other."""
    found, exactly = np.array([[0.9, 0.9], [1.5, 0.0]]), np.array([[0.0, 0.9], [1.5, 0.0]])
    for order in ([0, 1], [1, 0]):
        ends, goals = (points[:, ::-1] if turned else points for points in (found[order], exactly))
        assert agree((ends, np.array([0.25, 0.75])[order]), (goals, np.array([0.25, 0.75])), (1.0, 1.0))
        assert not agree((ends, np.array([0.75, 0.25])[order]), (goals, np.array([0.25, 0.75])), (1.0, 1.0))


@pytest.mark.parametrize("limit", [1, 4, 10**6])
def test_many_outcomes_are_compared_in_parts(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "ENTRIES", limit)
    n = 12
    points = np.stack([np.arange(n), np.arange(n) % 7], axis=1).astype(float)
    likely = np.arange(1, n + 1) / (n * (n + 1) / 2)
    twice = (np.concatenate([points, points + 1e-3]), np.concatenate([likely / 2, likely / 2]))
    assert agree(twice, (points, likely))
    for at in (0, n - 1, n, 2 * n - 1):
        moved = (twice[0].copy(), twice[1])
        moved[0][at, 0] += 0.02
        assert not agree(moved, (points, likely))
        other = (twice[0], twice[1].copy())
        other[1][at] += 3e-6
        other[1][at - 4] -= 3e-6
        assert not agree(other, (points, likely))


def test_the_branches_of_a_round_are_those_of_the_runs() -> None:
    rng = np.random.default_rng(1)
    states = rng.integers(0, 3, (60, 4, 2)).astype(float)
    chances = rng.random(60)
    for r in range(3):
        wanted: dict[tuple[float, ...], dict[tuple[float, ...], float]] = {}
        for run, chance in zip(states, chances, strict=True):
            there = wanted.setdefault(tuple(run[r]), {})
            there[tuple(run[r + 1])] = there.get(tuple(run[r + 1]), 0.0) + chance
        told = list(replay._branches(states, chances, r))
        assert len(told) == len(wanted)
        for x, ends, likely in told:
            own = wanted[tuple(x)]
            assert {tuple(e): p for e, p in zip(ends, likely, strict=True)} == pytest.approx(
                {e: p / sum(own.values()) for e, p in own.items()}
            )


def test_outcomes_of_probability_zero_are_left_out() -> None:
    chances = np.array([0.5, 0.5 - 1e-6, 1e-6, 1e-10, 0.0])

    def after(x: np.ndarray, c: Any, r: int) -> Any:
        assert x.shape == (1, 2)
        return None, np.arange(10).reshape(5, 2), chances

    ends, likely = replay._step_outcomes(after, np.zeros(2), None, 0)  # type: ignore[arg-type]
    assert ends.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert ends.dtype == float
    assert likely.tolist() == chances[:3].tolist()


class Plain:
    """What a comparison asks of runs in floats, with a step of ours."""

    algorithm = SimpleNamespace(name="mine")

    def __init__(self, step: Callable[..., np.ndarray], shift: float = 0.0, slack: float = 1e-3) -> None:
        self.step, self.shift, self.size = step, shift, slack
        self.c = Constants(n_rounds=3)
        self.asked: list[tuple[Any, ...]] = []

    def one_round(self, x: np.ndarray, draws: np.ndarray, r: int, c: Any = None) -> np.ndarray:
        self.asked.append((draws.tolist(), r))
        return self.step(x)

    def slack(self, close: float, x: np.ndarray, *ends: np.ndarray) -> np.ndarray:
        return np.full(len(x), self.size)

    def rounding_shift(self, x: np.ndarray, draws: np.ndarray, r: int) -> np.ndarray:
        return np.full(x.shape, self.shift)

    end_classifier = FloatRuns.end_classifier
    mismatch_error = FloatRuns.mismatch_error


def outcomes_of(step: Callable[[np.ndarray], np.ndarray]) -> Any:
    """A round with two outcomes: the step, and one above it with probability 1/4."""

    def after(x: np.ndarray, c: Any, r: int) -> Any:
        ends = step(x)
        return None, np.concatenate([ends, ends + 1]), np.array([0.75, 0.25])

    return after


def test_branches_that_agree_or_differ_by_rounding_pass() -> None:
    x = np.array([2.0])
    exactly = (np.array([[4.0], [5.0]]), np.array([0.75, 0.25]))
    for off, shift, fine in ((0, 0, True), (9e-4, 0, True), (0.01, 0, False), (0.01, 0.02, True), (0.03, 0.02, False)):
        for sign in (1, -1):
            plain: Any = Plain(lambda x: 2 * x, shift)
            after = outcomes_of(lambda x, off=off * sign: 2 * x + off)
            if fine:
                replay._compare_branches(plain, after, 1, x, exactly)
            else:
                with pytest.raises(VariantError, match=r"in round 1, from 2, it goes to \d.* in floats and elsewhere"):
                    replay._compare_branches(plain, after, 1, x, exactly)


def test_the_worst_end_is_named_and_the_goal_where_there_is_one() -> None:
    plain: Any = Plain(lambda x: x)

    def after(x: np.ndarray, c: Any, r: int) -> Any:
        return None, np.array([[4.0], [7.5], [5.2]]), np.array([0.5, 0.25, 0.25])

    with pytest.raises(VariantError, match=r"it goes to 7\.5 in floats and elsewhere"):
        replay._compare_branches(plain, after, 0, np.array([2.0]), (np.array([[4.0], [5.0]]), np.array([0.75, 0.25])))
    with pytest.raises(VariantError, match=r"it goes to 7\.5 in floats and to 4 exactly"):
        replay._compare_branches(plain, after, 0, np.array([2.0]), (np.array([[4.0]]), np.array([1.0])))


def test_a_branch_on_the_boundary_of_two_pieces_passes_and_one_beside_it_does_not() -> None:
    exactly = (np.array([[4.0], [5.0]]), np.array([0.75, 0.25]))
    for boundary, fine in ((2.0, True), (2.0001, False)):
        for above in (True, False):
            plain: Any = Plain(lambda x: x)

            def step(x: np.ndarray, boundary: float = boundary, above: bool = above) -> np.ndarray:
                other = (x > boundary) if above else (x < boundary)
                if boundary == 2.0:
                    other |= x == 2.0
                else:
                    other = x == 2.0
                return np.where(other, 9.0, 4.0)

            if fine:
                replay._compare_branches(plain, outcomes_of(step), 0, np.array([2.0]), exactly)
            else:
                with pytest.raises(VariantError, match="not the same step in floats"):
                    replay._compare_branches(plain, outcomes_of(step), 0, np.array([2.0]), exactly)


@pytest.mark.parametrize("shift", [0.0, 0.02])
def test_the_slack_of_outcomes_is_of_both_sets_of_ends(shift: float) -> None:
    exactly = (np.array([[4.0, 1.0], [5.0, 2.0]]), np.array([0.75, 0.25]))

    class Watched(Plain):
        def slack(self, close: float, x: np.ndarray, *ends: np.ndarray) -> np.ndarray:
            found, told = ends
            assert told.tolist() == exactly[0].tolist()
            assert found.tolist() == (exactly[0] + 0.01).tolist()
            return super().slack(close, x, *ends)

    plain: Any = Watched(lambda x: x, shift)
    after = outcomes_of(lambda x: x * 0 + np.array([[4.01, 1.01]]))
    if shift:
        replay._compare_branches(plain, after, 1, np.array([2.0, 1.0]), exactly)
    else:
        with pytest.raises(VariantError):
            replay._compare_branches(plain, after, 1, np.array([2.0, 1.0]), exactly)


def test_what_a_boundary_explains_is_as_close_as_a_run() -> None:
    asked: list[float] = []

    class Watched(Plain):
        def slack(self, close: float, x: np.ndarray, *ends: np.ndarray) -> np.ndarray:
            asked.append(close)
            return super().slack(close, x, *ends)

    plain: Any = Watched(lambda x: 2 * x)
    exactly = (np.array([[4.0], [5.0]]), np.array([0.75, 0.25]))
    with pytest.raises(VariantError):
        replay._compare_branches(plain, outcomes_of(lambda x: 2 * x + 0.1), 1, np.array([2.0]), exactly)
    with pytest.raises(VariantError):
        replay._follow_path(plain, PATHS, path(0, 1, 2, 3.3), 3)
    assert len(asked) > 8
    assert asked == pytest.approx([replay.RUN_TOLERANCE] * len(asked), rel=1e-9)


def test_what_has_diverged_is_not_compared() -> None:
    plain: Any = Plain(lambda x: x)
    for size, compared in ((1e300, False), (1e5, True), (-1e300, False), (replay.OVERFLOW_LIMIT, False)):
        exactly = (np.array([[size], [1.0]]), np.array([0.5, 0.5]))
        if compared:
            with pytest.raises(VariantError):
                replay._compare_branches(plain, outcomes_of(lambda x: x), 0, np.array([2.0]), exactly)
        else:
            replay._compare_branches(plain, outcomes_of(lambda x: x), 0, np.array([2.0]), exactly)


# Paths of runs ------------------------------------------------------------------------------------------------------------


def path(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)[:, None]


PATHS = np.stack([path(0, 1, 2, 3), path(0, 1, 5, 6), path(0, 4, 8, 9)])
EXACT_STEP: dict[float, float] = {0: 1, 1: 2, 2: 3, 5: 6, 4: 8, 8: 9}


def along(x: np.ndarray) -> np.ndarray:
    """The first of the exact paths from each exact state, and far away from any other."""
    return np.array([[EXACT_STEP.get(float(v), 700.0)] for v in x[:, 0]])


def follow(run: np.ndarray, shift: float = 0.0, step: Callable[..., Any] = lambda x: x * 0 + 700.0) -> None:
    plain: Any = Plain(step, shift)
    replay._follow_path(plain, PATHS, run, 3)


@pytest.mark.parametrize("run", list(PATHS), ids=["one", "two", "three"])
def test_a_run_along_a_path_passes(run: np.ndarray) -> None:
    follow(run)
    follow(run + np.array([[0], [5e-4], [-5e-4], [9e-4]]))
    follow(run[:2])
    for off in (1.1e-3, -1.1e-3, 1.9e-3, -1.9e-3):
        with pytest.raises(VariantError, match="in round 0"):
            follow(run + np.array([[0], [off], [0], [0]]))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("run", list(PATHS), ids=["one", "two", "three"])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_run_that_leaves_its_path_is_told(run: np.ndarray, at: int, sign: int) -> None:
    off = run.copy()
    off[at] += sign * 0.3
    with pytest.raises(VariantError, match=f"in round {at - 1}, from {run[at - 1, 0]:g}, it goes to {off[at, 0]:g} in"):
        follow(off)
    follow(off, 0.4)  # rounding decides there
    with pytest.raises(VariantError):
        follow(off, 0.29)


def test_a_run_may_not_change_from_one_path_to_another() -> None:
    for other in (path(0, 4, 2, 3), path(0, 1, 2, 6), path(0, 1, 8, 9), path(0, 4, 8, 3)):
        with pytest.raises(VariantError, match="not the same step"):
            follow(other)
    with pytest.raises(VariantError, match="in floats and to 3 exactly"):
        follow(path(0, 1, 2, 6))
    with pytest.raises(VariantError, match="in floats and elsewhere exactly"):
        follow(path(0, 1, 8, 9))


def test_errors_of_earlier_rounds_may_have_grown() -> None:
    """By a factor of 1e5, and only if there was an error before."""
    for before, after, fine in ((9e-4, 50.0, True), (9e-4, 95.0, False), (1e-9, 0.5, False), (0.0, 0.5, False)):
        run = path(0, 1 + before, 2 + after, 3)
        if fine:
            follow(run)
        else:
            with pytest.raises(VariantError):
                follow(run)


def test_a_run_that_narrowly_missed_an_exact_state_passes() -> None:
    """Where the step in floats from the exact state leads on."""
    follow(path(0, 1, 2, 3.3), step=along)
    with pytest.raises(VariantError):
        follow(path(0, 1, 2, 3.3), step=lambda x: along(x) + 0.1)
    with pytest.raises(VariantError):
        follow(path(0, 1, 2, 3.3), step=lambda x: along(x) - 0.1)


def test_a_near_miss_is_of_the_paths_that_are_left() -> None:
    plain: Any = Plain(along)
    assert replay._is_near_miss(plain, PATHS, 0, 3)
    assert plain.asked == [([3], 0)]
    assert replay._is_near_miss(plain, PATHS, 1, 3)
    assert plain.asked[1] == ([3, 3], 1)
    plain = Plain(lambda x: np.where(x == 4, 8.0, 700.0))
    assert not replay._is_near_miss(plain, PATHS, 0, 3)
    assert replay._is_near_miss(plain, PATHS, 1, 3)
    assert not replay._is_near_miss(plain, PATHS[:2], 1, 3)
    plain = Plain(lambda x: np.where(x == 4, 5.0, 700.0))  # an end of another state
    assert not replay._is_near_miss(plain, PATHS, 1, 3)


def test_a_boundary_of_two_pieces_explains_a_run_and_an_isolated_point_does_not() -> None:
    def pieces(x: np.ndarray) -> np.ndarray:
        return np.where(x >= 2, 3.3, 3.0)

    follow(path(0, 1, 2, 3.3), step=pieces)
    with pytest.raises(VariantError):
        follow(path(0, 1, 2, 3.3), step=lambda x: np.where(x == 2, 3.3, 3.1))


@pytest.mark.parametrize("later", [1e9, -1e9])
def test_the_slack_of_a_round_is_of_the_states_so_far(later: float) -> None:
    """Not of a large number that only comes after it."""
    plain: Any = Plain(lambda x: x * 0 + 700.0)
    plain.slack = lambda close, *given: close * np.full(1, max(np.abs(g).max(initial=0.0) for g in given))
    states = path(0, 1, later)[None]
    replay._follow_path(plain, states, path(0, 1 + 5e-8, later), 3)
    with pytest.raises(VariantError, match="in round 0, from 0"):
        replay._follow_path(plain, states, path(0, 1.001, later), 3)
    replay._follow_path(plain, path(later, 1, 2)[None], path(later, 1.001, 2), 3)
    with pytest.raises(VariantError, match="in round 1, from 1"):
        replay._follow_path(plain, states, path(0, 1, 2 * later), 3)


def test_a_run_of_numbers_beyond_floats_is_not_compared() -> None:
    plain: Any = Plain(lambda x: x, slack=math.inf)
    replay._follow_path(plain, PATHS, path(0, 50, 60, 70), 3)


# Frequencies --------------------------------------------------------------------------------------------------------------


def frequencies(counts: list[int], likely: list[float], slack: float = 1e-4) -> None:
    """Runs that end at 0, 1, ... so often."""
    ends = np.arange(len(counts), dtype=float)[:, None]
    runs = np.repeat(ends, counts, axis=0)
    plain: Any = SimpleNamespace(
        algorithm=Plain.algorithm,
        runs=lambda n, rounds: np.stack([runs, runs + 1e-9], axis=1),
        slack=lambda close, x, ends: np.full(1, slack),
    )
    replay._compare_frequencies(plain, ends, np.array(likely))


def test_frequencies_are_compared_with_probabilities() -> None:
    """Hoeffding's bound for each of the places together: |frequency - probability| <= sqrt(log(2 k/rate) / (2 n))."""
    for k in (2, 3):
        doubt = math.sqrt(math.log(2 * k / 1e-9) / 4000)
        for sign in (1, -1):
            for more, fine in ((0, True), (1, False)):
                first = 1000 + sign * (math.floor(doubt * 2000) + more)
                counts, likely = [first, 2000 - first], [0.5, 0.5]
                if k == 3:
                    counts, likely = [0, *counts], [0.0, *likely]
                if fine:
                    frequencies(counts, likely)
                else:
                    with pytest.raises(
                        VariantError, match=r"its first round ends at .* in 0\.\d+ of the runs, and with pro"
                    ):
                        frequencies(counts, likely)


def test_the_place_of_the_largest_difference_is_named() -> None:
    with pytest.raises(VariantError, match=r"ends at 2 in 0\.7 of the runs, and with probability 0\.25 exactly"):
        frequencies([300, 300, 1400], [0.5, 0.25, 0.25])
    with pytest.raises(VariantError, match=r"ends at 0 in 0\.05 of the runs, and with probability 0\.5 exactly"):
        frequencies([100, 900, 1000], [0.5, 0.25, 0.25])


def test_places_within_rounding_are_one() -> None:
    ends = np.array([[0.0], [1e-5], [1.0]])
    plain: Any = SimpleNamespace(
        algorithm=Plain.algorithm,
        runs=lambda n, rounds: np.repeat([[[9.0], [0.0]], [[9.0], [1.0]]], [1500, 500], axis=0),
        slack=lambda close, x, ends: np.full(1, 1e-4),
    )
    replay._compare_frequencies(plain, ends, np.array([0.25, 0.5, 0.25]))
    plain.slack = lambda close, x, ends: np.full(1, math.inf)
    replay._compare_frequencies(plain, ends, np.array([0.0, 0.0, 1.0]))


# Which comparisons are made -----------------------------------------------------------------------------------------------


def balls(*pairs: tuple[float, float]) -> np.ndarray:
    found = np.empty((len(pairs), 1), dtype=object)
    found[:, 0] = [arb(*pair) for pair in pairs]
    return found


def test_balls_must_be_narrow_beside_the_largest_number() -> None:
    for pairs, fine in (
        (((1.0, 0.9e-12), (0.5, 0.0)), True),
        (((1.0, 1.1e-12), (0.5, 0.0)), False),
        (((-2.0, 0.0), (0.0, 1.9e-12)), True),
        (((-2.0, 0.0), (0.0, 2.1e-12)), False),
        (((0.0, 0.0),), True),
        (((0.0, 1e-30),), False),
        (((1.0, math.inf),), False),
    ):
        if fine:
            replay._require_narrow_balls(balls(*pairs))
        else:
            with pytest.raises(Undecided, match="too wide to be compared with floats"):
                replay._require_narrow_balls(balls(*pairs))
    rational = np.empty((1, 1), dtype=object)
    rational[0, 0] = fmpq(1, 3)
    replay._require_narrow_balls(rational)


def test_paths_in_wide_balls_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = np.empty((1, 2, 1), dtype=object)
    wide.flat[:] = [arb(3), arb(3, 1e-6)]
    monkeypatch.setattr(replay, "enumerate_runs", lambda *given: (wide, [arb(1)]))
    case = case_of(KINKED, n_rounds=1)
    with pytest.raises(Undecided, match="too wide to be compared"):
        replay.exact_runs(Algorithm("mine", plain_step), case, 100, BALL)
    with replay.skip_comparison():
        assert replay.exact_runs(Algorithm("mine", plain_step), case, 100, BALL)[0] is wide
    assert replay.exact_runs(algorithms.sequential, case, 100, BALL)[0] is wide


def spy(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Any]:
    asked: list[Any] = []
    inner = getattr(replay, name)

    def counted(*given: Any) -> Any:
        asked.append(given)
        return inner(*given)

    monkeypatch.setattr(replay, name, counted)
    return asked


def test_a_users_maps_are_compared_once_and_the_librarys_never(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = spy(monkeypatch, "compare_maps")
    case, mine = case_of(), Algorithm("mine", plain_step)
    assert not isinstance(replay.affine_maps(algorithms.sequential, case), str)
    assert not replay.is_comparison_skipped()
    with replay.skip_comparison():
        assert replay.is_comparison_skipped()
        replay.affine_maps(mine, case)
    assert (len(asked), replay.is_comparison_skipped()) == (0, False)
    for _ in range(2):
        replay.affine_maps(mine, case)
    assert len(asked) == 1
    replay.affine_maps(mine, case_of())
    assert len(asked) == 2
    replay.affine_maps(mine._replace(batches=2), case)
    with pytest.raises(VariantError, match="not the same step"):  # whose order does matter
        replay.affine_maps(mine._replace(ordered=False), case)
    assert len(asked) == 4
    library_step = Algorithm("mine", algorithms.sequential.step, init=lambda start, c: start + 0)
    replay.affine_maps(library_step, case)
    assert len(asked) == 5


def test_a_users_paths_are_compared_once_and_the_librarys_never(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = spy(monkeypatch, "_compare_runs")
    case, mine = case_of(KINKED, n_rounds=2), Algorithm("mine", plain_step)
    replay.exact_runs(algorithms.sequential, case, 100)
    with replay.skip_comparison():
        replay.exact_runs(mine, case, 100)
    assert not asked
    for _ in range(2):
        states, chances = replay.exact_runs(mine, case, 100)
        assert sum(map(Fraction, map(str, chances))) == 1
        assert states.shape == (4, 3, 1)
    assert len(asked) == 1


def test_maps_of_rationals_that_change_between_two_calls_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    case, mine = case_of(), Algorithm("mine", plain_step)
    one, other = (affine_rounds(Algorithm("mine", step), case) for step in (plain_step, lambda x, oracle, c: x / 7))
    monkeypatch.setattr(replay, "compare_maps", lambda *given: None)
    for found, fine in ((one, True), (one, True), (other, False)):
        monkeypatch.setattr(replay, "affine_rounds", lambda *given, found=found: found)
        if fine:
            assert replay.affine_maps(mine, case) is found
        else:
            with pytest.raises(VariantError, match="returns different results for the same exact numbers"):
                replay.affine_maps(mine, case)


def test_balls_of_another_precision_are_the_same_paths() -> None:
    """A third is another ball with more bits; paths of rationals are remembered as they are."""
    three = PiecewiseQuadraticClients((2, 2, 2), (1, 1, 1), (1, -1, 0), 3)
    case, mine = case_of(three, n_rounds=1, n_participating=1), Algorithm("mine", two_steps)
    texts = set()
    for bits in (60, 200):
        with ctx.workprec(bits):
            _, chances = replay.exact_runs(mine, case, 100, BALL)
            texts.add(str(chances))
            assert sum(chances).contains(arb(1))
    assert len(texts) == 2


def test_the_last_four_comparisons_are_remembered() -> None:
    mine, cases = Algorithm("mine", plain_step), [case_of() for _ in range(6)]
    for k, case in enumerate(cases):
        assert not replay._was_compared(mine, case, [k])
        replay._remember(mine, case, [k])
    told = [replay._was_compared(mine, case, [k]) for k, case in enumerate(cases)]
    assert told == [False, False, True, True, True, True]
    with pytest.raises(VariantError, match="mine returns different results for the same exact numbers"):
        replay._was_compared(mine, cases[5], [7])
    assert not replay._was_compared(mine, cases[5], (5,))  # maps are not paths
    assert not replay._was_compared(Algorithm("mine", lambda *given: 1), cases[5], [5])
    assert not replay._was_compared(mine, case_of(), [5])


# Whole runs ---------------------------------------------------------------------------------------------------------------


def off_by(size: float, at: Callable[[np.ndarray], np.ndarray]) -> Algorithm:
    """The plain step, in floats off where it says so."""

    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        new = plain_step(x, oracle, c)
        return new if x.dtype == object else new + size * at(x)[:, None]

    return Algorithm("mine", step)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_step_that_is_off_in_some_rows_is_seen(sign: int) -> None:
    """In a single run alone, or in a pair of branches."""
    case = case_of(KINKED, n_rounds=2)
    replay.exact_runs(off_by(0, lambda x: x[:, 0]), case, 100)
    for rows in (lambda n: n == 1, lambda n: n == 2):
        with pytest.raises(VariantError, match="not the same step in floats"):
            replay.exact_runs(off_by(sign * 0.1, lambda x, rows=rows: np.full(len(x), float(rows(len(x))))), case, 100)


def test_eight_runs_and_one_more_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int, int]] = []
    drawn: list[int] = []
    inner, follow_one = FloatRuns.runs, replay._follow_path

    def runs(self: FloatRuns, n: int, rounds: int, first: int = 0) -> np.ndarray:
        asked.append((n, rounds, first))
        return inner(self, n, rounds, first)

    def followed(plain: Any, states: Any, run: np.ndarray, draw: int) -> None:
        drawn.append(draw)
        follow_one(plain, states, run, draw)

    monkeypatch.setattr(FloatRuns, "runs", runs)
    monkeypatch.setattr(replay, "_follow_path", followed)
    replay.exact_runs(Algorithm("mine", plain_step), case_of(KINKED, n_rounds=2), 100)
    assert asked == [(8, 2, 0), (1, 2, 8), (2000, 1, 0)]
    assert drawn == list(range(9))


def other_order(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
    """In many rows the clients always come in the same order."""
    order = oracle.order()
    if x.dtype != object and len(x) > 1000:
        order = np.tile([0, 1], (len(x), 1))
    for client in order.T:
        x = x - c.step_size * oracle.gradient(x, client)
    return x


def test_frequencies_of_a_first_round_are_compared() -> None:
    with pytest.raises(
        VariantError, match=r"its first round ends at .* of the runs, and with probability 0\.5 exactly"
    ):
        replay.exact_runs(Algorithm("mine", other_order), case_of(KINKED, n_rounds=2), 100)
    long = case_of(KINKED, n_rounds=1, n_local_steps=10_001)
    replay.exact_runs(Algorithm("mine", other_order), long, 100)  # too long to be simulated so often


# Affine maps --------------------------------------------------------------------------------------------------------------

NOISY = QuadraticClients(((1, "1/2"), ("1/4", 1), (2, 1)), ((1, 0), (0, -1), (1, 1)), (2, -3), ("1/2", "1/4"))


def maps_of(step: Any, case: Case, **kinds: Any) -> tuple[FloatRuns, Any]:
    algorithm = Algorithm("mine", step, **kinds)
    return FloatRuns(algorithm, case), affine_rounds(algorithm, case)


def two_steps(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
    for client in oracle.order(c.n_participating).T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
    return x * (1 + 1 / (2 + c.round)) if c.get("scaled") else x


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_image_of_a_state_is_that_of_the_round(ordered: bool, size: int) -> None:
    """With the same draws of clients and noise, in any round."""

    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        if ordered:
            return two_steps(x, oracle, c)
        clients = oracle.order(c.n_participating).T
        return x - c.step_size * sum(oracle.gradient(x, m, 1) for m in clients)

    plain, found = maps_of(step, case_of(NOISY, n_local_steps=2, n_participating=size), ordered=ordered)
    run = maps._RunMaps(found, plain)
    x = np.array([[1.0, 5.0], [-2.0, 0.5], [3.0, -1.0], [0.0, 0.0]] * 5)
    repetitions, rounds = np.arange(3, 23), np.array([0, 1, 2, 0] * 5)
    new, sizes = run.predicted(x, repetitions, rounds)
    for r in range(3):
        rows = rounds == r
        assert new[rows] == pytest.approx(plain.one_round(x[rows], repetitions[rows], r), rel=1e-12, abs=1e-12)
    assert (sizes >= np.abs(new) * (1 - 1e-12)).all()


def test_the_size_of_an_image_is_that_of_its_terms() -> None:
    """Terms that cancel count: x/2 - y/4 + 3 has the size |x|/2 + |y|/4 + 3."""

    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return (x + x[:, ::-1] * np.array([[-1, 1]]) / 2) / 2 + np.array([[3, -1]])

    plain, found = maps_of(step, case_of(NOISY))
    new, size = maps._RunMaps(found, plain).predicted(
        np.array([[2.0, 8.0], [-2.0, 8.0]]), np.arange(2), np.zeros(2, int)
    )
    assert new.tolist() == [[2.0, 3.5], [0.0, 2.5]]
    assert size.tolist() == [[6.0, 5.5], [6.0, 5.5]]


def test_rounds_that_differ_have_their_own_maps() -> None:
    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return x / (2 + c.round) + c.round

    plain, found = maps_of(step, case_of(NOISY, n_rounds=4))
    assert len(found) == 4
    run = maps._RunMaps(found, plain)
    x, rounds = np.full((5, 2), 6.0), np.array([3, 0, 2, 1, 3])
    new, _ = run.predicted(x, np.arange(5), rounds)
    assert new[:, 0].tolist() == pytest.approx([6 / (2 + r) + r for r in rounds])
    compare_maps(plain, found)
    plain, found = maps_of(step, case_of(NOISY, n_rounds=2))
    new, _ = maps._RunMaps(found, plain).predicted(x[:3], np.arange(3), np.array([1, 0, 1]))
    assert new[:, 0].tolist() == pytest.approx([6 / 3 + 1, 6 / 2, 6 / 3 + 1])


def coined(chance: float, other: float | None = None) -> Callable[..., np.ndarray]:
    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        p = chance if other is None or x.dtype == object else other
        return np.where(oracle.coin(np.full(len(x), p))[:, None], x / 2, x / 4)

    return step


@pytest.mark.parametrize(
    ("other", "fine"), [(None, True), (0.25 + 5e-7, True), (0.25 + 2e-6, False), (0.25 - 2e-6, False)]
)
def test_coins_have_the_same_chances(other: float | None, fine: bool) -> None:
    exact = Algorithm("mine", coined(0.25))
    found = affine_rounds(exact, case_of())
    plain = FloatRuns(Algorithm("mine", coined(0.25, other)), case_of())
    if fine:
        compare_maps(plain, found)  # type: ignore[arg-type]
    else:
        with pytest.raises(
            VariantError, match="in round 0 it asks for other coins or choices there, or with other chances"
        ):
            compare_maps(plain, found)  # type: ignore[arg-type]


@pytest.mark.parametrize(("tolerance", "fine"), [(0.25, True), (0.25 - 2**-40, False)])
def test_chances_may_be_off_by_exactly_the_tolerance(
    tolerance: float, fine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maps, "CHANCE_TOLERANCE", tolerance)
    found: Any = affine_rounds(Algorithm("mine", coined(0.25)), case_of())
    plain = FloatRuns(Algorithm("mine", coined(0.25, 0.5)), case_of())
    if fine:
        compare_maps(plain, found)
    else:
        with pytest.raises(VariantError, match="with other chances"):
            compare_maps(plain, found)


def test_coins_that_exact_numbers_do_not_ask_for_are_refused() -> None:
    def twice(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return np.where(oracle.coin(np.full((len(x), 2), 0.5))[:, :1], x / 2, x / 4)

    found: Any = affine_rounds(Algorithm("mine", coined(0.5)), case_of())
    with pytest.raises(VariantError, match="other coins or choices"):
        compare_maps(FloatRuns(Algorithm("mine", twice), case_of()), found)


def chosen(weights: list[Any], floats: list[Any]) -> Callable[..., np.ndarray]:
    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        asked = oracle.choice(weights if x.dtype == object else floats)
        return np.where((asked == 0)[:, None], x / 2, x / 4)

    return step


def test_answers_that_exact_numbers_do_not_have_are_refused() -> None:
    """Although they have the same probability and lead to the same place."""
    half: list[Any] = ["1/2", "1/2"]
    found: Any = affine_rounds(Algorithm("mine", chosen(half, half)), case_of())
    compare_maps(FloatRuns(Algorithm("mine", chosen(half, half)), case_of()), found)
    with pytest.raises(VariantError, match="in round 0 it asks for other coins or choices"):
        compare_maps(FloatRuns(Algorithm("mine", chosen(half, [0.5, 0, 0.5])), case_of()), found)


@pytest.mark.parametrize("wide", [True, False])
def test_runs_of_every_size_are_compared(wide: bool) -> None:
    """Each with other draws; many runs only where they are cheap, and single ones for more rounds."""
    case = case_of(n_rounds=40)
    plain, found = maps_of(plain_step, case)
    asked: list[tuple[int, int, int]] = []
    runs = plain.runs
    plain.runs = lambda n, rounds, first=0: (asked.append((n, rounds, first)), runs(n, rounds, first))[1]  # type: ignore[method-assign]
    plain.wide = wide
    compare_maps(plain, found)
    assert asked == [(8, 40, 0), (1, 16, 1), (2, 2, 2), *([(62, 2, 0), (1000, 2, 0)] if wide else [])]


def test_a_run_that_stays_at_zero_is_itself() -> None:
    case = case_of(QuadraticClients((1, 2), (0, 0), 0))
    plain, found = maps_of(plain_step, case)
    compare_maps(plain, found)


def test_a_step_whose_rounding_grows_is_the_same_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """3 c.step_size - 3/10 is 0 exactly and 6e-17 in floats, which other rounding modes show."""

    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return x / 2 + (c.step_size * 3 - Fraction(3, 10)) * 10**10

    monkeypatch.setattr(maps, "ROWS", (1,))
    case = case_of(PAIR, step_size=Fraction(1, 10), n_rounds=2)
    plain, found = maps_of(step, case)
    compare_maps(plain, found)
    plain.rounding_shift = lambda x, *rest: np.zeros(x.shape)  # type: ignore[method-assign]
    with pytest.raises(VariantError, match=r"in round 0, from 2, it goes to 1 in floats and to 1, .* away, exactly"):
        compare_maps(plain, found)


SCALES = [(r, n) for r in (1e-6, 1e-10) for n in (1, 2, 8, 62, 1000)]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("size", "rows"), SCALES)
def test_maps_are_compared_in_batches_of_every_size(size: float, rows: int, sign: int) -> None:
    """A relative error of 1e-7 of the terms may be rounding, ten times as much is none."""
    case = case_of(n_rounds=20)
    found: Any = affine_rounds(Algorithm("mine", plain_step), case)

    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return plain_step(x, oracle, c) + sign * size * (len(x) == rows) * (1 + np.abs(x))

    plain = FloatRuns(Algorithm("mine", step), case)
    if size == 1e-6:
        with pytest.raises(VariantError, match="not the same step in floats"):
            compare_maps(plain, found)
    else:
        compare_maps(plain, found)


@pytest.mark.parametrize("round_", [0, 1, 15, 16, 19])
def test_every_round_of_the_run_is_compared(round_: int) -> None:
    case = case_of(n_rounds=20)
    found: Any = affine_rounds(Algorithm("mine", plain_step), case)

    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return plain_step(x, oracle, c) + (c.round == round_) * 1e-3

    with pytest.raises(VariantError, match=f"in round {round_}, from"):
        compare_maps(FloatRuns(Algorithm("mine", step), case), found)


def test_points_far_from_the_start_are_compared() -> None:
    case = case_of(n_rounds=3)
    found: Any = affine_rounds(Algorithm("mine", plain_step), case)
    for far in (10.0, 100.0, 1500.0):
        for sign in (1, -1):

            def step(x: np.ndarray, oracle: Any, c: Constants, far: float = far, sign: int = sign) -> np.ndarray:
                return plain_step(x, oracle, c) + (sign * x > far)

            with pytest.raises(VariantError, match="in round 0"):
                compare_maps(FloatRuns(Algorithm("mine", step), case), found)


def moments(found: Any, instance: Any, start: np.ndarray, last: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Mean and standard deviation of every coordinate at the start of each round, round by round."""
    one = found[0]
    parts = []
    for course, forms in zip(one.courses, one.forms, strict=True):
        matrix, offset = np.zeros((len(start), len(start))), np.zeros(len(start))
        for i, form in enumerate(forms):
            for key, value in form.terms.items():
                if key == 0:
                    offset[i] = float(Fraction(str(value)))
                elif isinstance(key, int):
                    matrix[i, key - 1] = float(Fraction(str(value)))
        parts.append((float(Fraction(str(course.weight))), matrix, offset))
    mean, second, told = start, np.outer(start, start), []
    for _ in range(last + 1):
        told.append((mean, np.sqrt(np.maximum(np.diag(second) - mean**2, 0))))
        second = sum(
            w * (a @ second @ a.T + np.outer(a @ mean, b) + np.outer(b, a @ mean) + np.outer(b, b)) for w, a, b in parts
        )
        mean = sum(w * (a @ mean + b) for w, a, b in parts)
    return told


def test_points_of_later_rounds_are_of_the_mean_and_spread_of_the_run() -> None:
    """Without the noise; a mean, and points one and two standard deviations off."""
    case = case_of(NOISY, n_rounds=1000, n_local_steps=2, n_participating=2, step_size="1/1000")
    plain, found = maps_of(two_steps, case)
    plain.rounds = 20
    run = maps._RunMaps(found, plain)
    (first, _), *later = maps._late_states(run, plain)
    assert first == 0
    known = moments(found, NOISY, plain.start, 1000)
    rounds = [r for r, _ in later]
    assert rounds == sorted(set(rounds))
    assert {2**i for i in range(1, 10)} <= {*rounds}
    assert {20, 999} <= {*rounds}
    assert len([r for r in rounds if r >= 20]) > 150
    for r, x in later:
        mean, std = known[r]
        assert x[0] == pytest.approx(mean, rel=1e-9)
        assert np.abs(x[1] - mean) == pytest.approx(std, rel=1e-4, abs=1e-7)
        assert np.abs(x[2] - mean) == pytest.approx(2 * std, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize(("asked", "points"), [(8000, 16), (1000, 16), (500, 16), (200, 40), (100, 80)])
def test_the_later_rounds_of_a_costly_step_are_fewer(asked: int, points: int) -> None:
    """As many as 8000 gradients allow, 16 at least, and the powers of two: in proportion from the first to the last one."""
    plain, found = maps_of(plain_step, case_of(n_rounds=10**6))
    plain.rounds, plain.asked = 20, asked
    ratio, last = (10**6 - 1) / 20, points - 1
    wanted = {20, 10**6 - 1, *(int(20 * ratio ** (k / last)) for k in range(1, last))} | {2**i for i in range(1, 20)}
    assert [r for r, _ in maps._late_states(maps._RunMaps(found, plain), plain)[1:]] == sorted(wanted)


def test_points_around_the_start_lie_on_all_sides_of_it() -> None:
    plain, found = maps_of(two_steps, case_of(NOISY))
    ((_, x),) = maps._late_states(maps._RunMaps(found, plain), plain)
    start = np.array([2.0, -3.0])
    scale = (x - start) / (1 + np.abs(start))
    assert np.abs(scale) == pytest.approx(np.repeat([0.1, 1, 30, 1000], 4)[:, None] * np.ones((1, 2)))
    assert {(bool(a), bool(b)) for a, b in scale > 0} == {(True, True), (True, False), (False, True), (False, False)}


def test_only_short_states_of_runs_whose_rounds_are_alike_are_foreseen() -> None:
    def later(instance: Any, step: Any = two_steps, rounds: int = 20, **given: Any) -> list[Any]:
        plain, found = maps_of(step, case_of(instance, **{"n_rounds": 300, **given}))
        plain.rounds = rounds
        return maps._late_states(maps._RunMaps(found, plain), plain)[1:]

    def wide(n: int) -> Any:
        return QuadraticClients(((1,) * n,), ((0,) * n,), (1,) * n)

    assert later(wide(8))
    assert not later(wide(9))
    assert not later(NOISY, rounds=300)
    assert not later(NOISY, lambda x, oracle, c: x / (2 + c.round), n_rounds=40)
    assert not any(r > 2 for r, _ in later(NOISY, lambda x, oracle, c: x * 10**200))  # beyond floats
    assert later(NOISY, lambda x, oracle, c: x * 0 + 10**99)
    assert not later(NOISY, lambda x, oracle, c: x * 0 + 10**100)


@pytest.mark.parametrize("late", [64, 299])
def test_a_step_that_is_another_where_a_run_comes_late_is_seen(late: int) -> None:
    case = case_of(QuadraticClients((1,), (0,), 8), n_rounds=300, step_size="1/100")
    at = 8 * 0.99**late
    exact = Algorithm("mine", plain_step)
    found: Any = affine_rounds(exact, case)

    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return plain_step(x, oracle, c) + (np.abs(x / at - 1) < 1e-6)

    for how, fine in ((plain_step, True), (step, False)):
        plain = FloatRuns(Algorithm("mine", how), case)
        plain.rounds = 20
        if fine:
            compare_maps(plain, found)
        else:
            with pytest.raises(VariantError, match=f"in round {late}, from"):
                compare_maps(plain, found)


def test_points_that_no_run_reaches_are_left_out() -> None:
    """The step may be another there: all states of a run are below 10."""

    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return np.where(x < 10, plain_step(x, oracle, c), 3 * x)

    plain, found = maps_of(step, case_of())
    assert not isinstance(found, str)
    assert found[0].sides
    compare_maps(plain, found)


@pytest.mark.parametrize("entries", [8, 50, 10**7])
def test_many_rows_are_compared_in_parts(entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "ENTRIES", entries)
    case = case_of()
    found: Any = affine_rounds(Algorithm("mine", plain_step), case)
    compare_maps(FloatRuns(Algorithm("mine", plain_step), case), found)

    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        new = plain_step(x, oracle, c)
        new[-1] += len(x) == 8 and c.round == 2
        return new

    with pytest.raises(VariantError, match="in round 2"):
        compare_maps(FloatRuns(Algorithm("mine", step), case), found)


@pytest.mark.parametrize("modes", [True, False])
def test_a_comparison_that_hangs_on_a_constant_is_followed_with_the_constant_moved(
    modes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three times 1/10 is more than 3/10 in floats, and not exactly: in every round, and in most of them nothing else."""

    def step(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return plain_step(x, oracle, c) / (2 if c.step_size * 3 > Fraction(3, 10) else 3)

    def other(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return step(x, oracle, c) + (1000 if c.round == 2 else 0)

    case = case_of(PAIR, step_size=Fraction(1, 10), n_rounds=4)
    found: Any = affine_rounds(Algorithm("mine", step), case)
    plain = FloatRuns(Algorithm("mine", step), case)
    run = maps._RunMaps(found, plain)
    x = plain.runs(1, 1)
    assert x[0, 1] != pytest.approx(run.predicted(x[:, 0], np.arange(1), np.zeros(1, int))[0][0])
    monkeypatch.setattr(maps, "ROWS", (1,))
    asked: list[Any] = []
    explaining = maps.explaining_constants
    monkeypatch.setattr(maps, "explaining_constants", lambda *given: (asked.append(given), explaining(*given))[1])
    for how, fine in ((step, True), (other, False)):
        plain = FloatRuns(Algorithm("mine", how), case)
        if not modes:
            plain.rounding_shift = lambda x, *rest: np.zeros(x.shape)  # type: ignore[method-assign]
        if fine:
            asked.clear()
            compare_maps(plain, found)
            assert len(asked) == (0 if modes else 1)  # what the moved constant explains is not asked again
        else:
            with pytest.raises(VariantError, match="in round 2, from"):
                compare_maps(plain, found)


def test_exact_paths_of_a_long_run_are_those_of_enumeration() -> None:
    case = case_of(KINKED, n_rounds=3)
    mine = Algorithm("mine", plain_step)
    states, chances = replay.exact_runs(mine, case, 100)
    others, likely = enumerate_runs(mine, case, RATIONAL, 100)
    assert (states == others).all()
    assert chances == likely
