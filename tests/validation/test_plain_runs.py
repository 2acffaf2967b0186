"""Runs of a step in floats: what they count, record and allow for rounding, by an independent computation."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fltheory.evidence.validation import plain_runs, rounding
from fltheory.evidence.validation.plain_runs import (
    NUDGES,
    STEP_TOLERANCE,
    ULPS,
    AnswerLog,
    FloatRuns,
    RecordingChance,
    RecordingOracle,
    explaining_constants,
    format_point,
)
from fltheory.evidence.validation.rounding import WithRoundingMode, is_stable_under_rounding, rounding_modes
from fltheory.model.case import Case
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.distributions.randomness import StreamChance
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import random_oracle

THREE = QuadraticClients(((1, 2), (3, 4), (5, 6)), ((1, 0), (0, 1), (1, 1)), (2, "1/2"))
ROUNDS_UP = pytest.mark.skipif(not rounding_modes(), reason="this processor has no other rounding modes")


def steps(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
    for client in oracle.order(c.n_participating).T:
        x = x - c.step_size * oracle.gradient(x, client)
    return x


def runs_of(step: Callable[..., Any] = steps, instance: Any = THREE, **given: Any) -> FloatRuns:
    settings: dict[str, Any] = {"n_rounds": 5, "n_local_steps": 1, "step_size": "1/8"}
    kinds = {k: given.pop(k) for k in ("ordered", "batches") if k in given}
    return FloatRuns(Algorithm("mine", step, **kinds), Case(instance, **{**settings, **given}))


@pytest.mark.parametrize(
    ("given", "asked", "rounds", "wide"),
    [
        ({"n_rounds": 5}, 3, 5, True),
        ({"n_rounds": 10**6}, 3, 2666, True),
        ({"n_rounds": 10**6, "n_participating": 1}, 1, 8000, True),
        ({"n_rounds": 10**6, "n_participating": 2, "n_local_steps": 5}, 10, 800, True),
        ({"n_rounds": 10**6, "n_participating": 2, "n_local_steps": 5, "batches": 2}, 20, 400, True),
        ({"n_rounds": 10**6, "n_local_steps": 3333}, 9999, 8, True),
        ({"n_rounds": 10**6, "n_local_steps": 10_000, "n_participating": 1}, 10_000, 8, True),
        ({"n_rounds": 10**6, "n_local_steps": 3334}, 10_002, 8, False),
        ({"n_rounds": 7, "n_local_steps": 3334}, 10_002, 7, False),
        ({"n_rounds": 10**6, "batches": 0}, 1, 8000, True),
    ],
)
def test_how_many_rounds_are_compared(given: dict[str, Any], asked: int, rounds: int, wide: bool) -> None:
    """8000 gradients, and 8 rounds at least where the case has them."""
    plain = runs_of(**given)
    assert (plain.asked, plain.rounds, plain.wide) == (asked, rounds, wide)


def test_a_state_of_many_numbers_is_followed_in_fewer_rounds() -> None:
    n = 1000
    long = QuadraticClients(((1,) * n,), ((0,) * n,), (1,) * n)
    assert runs_of(instance=long, n_rounds=10**5).rounds == 10**6 // n


def test_the_seed_differs_between_cases_and_not_between_calls() -> None:
    seeds = [runs_of(n_rounds=n).seed for n in (5, 6, 7, 5)]
    assert len(set(seeds)) == 3
    assert seeds[0] == seeds[3]
    assert all(0 <= s < 2**32 for s in seeds)
    assert max(seeds) > 2**16


def test_one_round_is_a_round_of_a_run() -> None:
    plain = runs_of()
    states = plain.runs(4, 3, 2)
    assert states.tolist() == rollout(plain.algorithm, plain.case, 4, plain.seed, 2, kernel=False, rounds=3).tolist()
    for r in range(3):
        before = states[:, r].copy()
        assert plain.one_round(states[:, r], np.arange(2, 6), r).tolist() == states[:, r + 1].tolist()
        assert (states[:, r] == before).all()
    other = Constants(**{**vars(plain.c), "step_size": 0.0})
    assert plain.one_round(states[:, 0], np.arange(2, 6), 0, other).tolist() == states[:, 0].tolist()


def changing(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
    x += 1
    return x


def test_a_step_that_writes_into_its_state_changes_no_point_of_ours() -> None:
    plain = runs_of(changing)
    x = np.ones((2, 2))
    assert plain.one_round(x, np.arange(2), 0).tolist() == [[2, 2], [2, 2]]
    plain.heard(x, np.arange(2), 0)
    plain.rounding_shift(x, np.arange(2), 0)
    assert (x == 1).all()


def test_the_work_of_a_round_is_the_state_and_every_pull() -> None:
    for given, eta in (
        ({"step_size": "1/8", "n_local_steps": 3}, 1.0),  # of the server, where none is given
        ({"step_size": "3", "n_local_steps": 2}, 3.0),
        ({"step_size": "1/8", "server_step_size": "5"}, 5.0),
    ):
        plain = runs_of(**given)
        x = np.array([[1.0, -9.0], [-4.0, 2.0]])
        wanted = []
        for row in x:
            pulls = sum(np.abs(THREE.gradient(row[None], m)).max() for m in range(3))
            wanted.append(np.abs(row).max() + eta * int(given.get("n_local_steps", 1)) * pulls)
        assert plain.work(x) == pytest.approx(wanted)
        plain.c = Constants(**{**vars(plain.c), "my_step_size": -70.0, "size": 1e9})  # a user's own may be negative
        rest = np.abs(x).max(axis=1)
        assert plain.work(x) - rest == pytest.approx(70 / eta * (np.array(wanted) - rest))


def test_the_slack_of_a_round_is_of_the_largest_number_there() -> None:
    plain = runs_of()
    x, ends = np.array([1.0, -9.0]), np.array([[3.0, 4.0], [-70.0, 2.0]])
    work = plain.work(x[None])[0]
    for close in (STEP_TOLERANCE, 1e-7):
        for given, sizes in (((), (1, 9)), ((ends,), (70, 9)), ((ends[0], ends[1] * 2), (140, 9))):
            rest = close / STEP_TOLERANCE * ULPS * (max(sizes) + work)
            assert plain.slack(close, x, *given) == pytest.approx([close * s + rest for s in sizes], rel=1e-12)
    nothing = runs_of(instance=QuadraticClients((1,), (0,), 0)).slack(1e-7, np.zeros(1))
    assert 0 < nothing[0] < 1e-200
    assert plain.slack(1e-7, x, np.zeros((0, 2))) == pytest.approx(plain.slack(1e-7, x))


@ROUNDS_UP
def test_other_rounding_modes_shift_what_is_rounded_alone() -> None:
    x = np.array([[1.0, 0.25], [3.0, -1.0]])
    exactly = runs_of(lambda x, oracle, c: x * 2)
    assert exactly.rounding_shift(x, np.arange(2), 0).tolist() == [[0, 0], [0, 0]]
    thirds = runs_of(lambda x, oracle, c: x / 3).rounding_shift(x, np.arange(2), 0)
    ulps = np.spacing(np.abs(x / 3))
    assert (thirds > 0).tolist() == [[True, True], [False, True]]
    assert thirds == pytest.approx(np.where(thirds > 0, rounding.SAFETY_FACTOR * ulps, 0), rel=1e-9, abs=0)

    def steep(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        away = np.array([[1.0, 3.0]]) / 3.0
        return np.where(away[:, :1] * 3.0 == 1.0, x, x + (1.0 - away[:, :1] * 3.0) * 1e20)

    shift = runs_of(steep).rounding_shift(x, np.arange(2), 0)
    assert shift.max() > 1e3


@ROUNDS_UP
def test_the_shift_is_of_the_same_draw_and_of_either_sign() -> None:
    def drawn(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        return x + oracle.order(1)

    plain = runs_of(drawn)
    assert (plain.rounding_shift(np.ones((50, 2)), np.arange(50), 3) == 0).all()
    for sign in (1, -1):
        moved = runs_of(lambda x, oracle, c, s=sign: s * (x / 3))
        assert (moved.rounding_shift(np.ones((1, 2)), np.arange(1), 0) > 0).all()


def test_which_end_a_round_leads_to() -> None:
    plain = runs_of(lambda x, oracle, c: x * c.step_size * 8)
    ends = (np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    where = plain.end_classifier(np.int64(0), 0, ends)
    points = np.array([[1.0, 2.0], [1.0, 3.0], [5.0, 2.0], [1.0, 2.0 + 2e-7], [1.0, 2.0 + 2e-6], [1.0, 2.0 - 2e-6]])
    told = where(points, plain.c).tolist()
    assert told == [[True, False], [False, True], [False, False], [True, False], [False, False], [False, False]]
    half = Constants(**{**vars(plain.c), "step_size": 1 / 16})
    assert where(2 * points[:2], half).tolist() == [[True, False], [False, True]]


def test_the_draw_of_an_end_is_that_of_its_run() -> None:
    plain = runs_of()
    x = plain.runs(6, 1, 0)
    seen = {tuple(row) for row in x[:, 1].tolist()}
    assert len(seen) > 1
    for draw in range(6):
        where = plain.end_classifier(draw, 0, (x[draw, 1], x[draw, 1] + 1))
        assert where(x[:1, 0], plain.c).tolist() == [[True, False]]


def test_the_error_names_round_and_places() -> None:
    plain = runs_of()
    x = np.array([1.0, 2.0])
    assert "in round 3, from (1, 2), it goes to (4, 5) in floats and elsewhere exactly" in str(
        plain.mismatch_error(3, x, np.array([4.0, 5.0]), None)
    )
    other = str(plain.mismatch_error(3, x, np.array([4.0, 5.0]), np.array([4.0, 6.0])))
    assert "it goes to (4, 5) in floats and to (4, 6) exactly. It must not" in other
    assert "away" not in other
    near = str(plain.mismatch_error(3, x, np.array([4.0, 5.0]), np.array([4.0 - 1e-7, 5.0 + 3e-7])))
    assert "in floats and to (4, 5), 3e-07 away, exactly." in near


def test_points_are_written_briefly() -> None:
    assert format_point(np.array([1 / 3])) == "0.333333"
    assert format_point(np.array([1.0, 2.0])) == "(1, 2)"
    assert format_point(np.arange(4.0)) == "(0, 1, 2, 3)"
    assert format_point(np.arange(5.0)) == "(0, 1, 2, 3, ...)"


# What a round hears ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_order_of_a_round_is_recorded_once_with_its_probability(ordered: bool, size: int) -> None:
    def asking(x: np.ndarray, oracle: Any, c: Constants) -> np.ndarray:
        oracle.order(1)
        return steps(x, oracle, c)

    plain = runs_of(asking, n_participating=size, ordered=ordered)
    n = 40
    x = np.tile(plain.start, (n, 1))
    answers, likely = plain.heard(x, np.arange(n), 1)
    orders = random_oracle(THREE, plain.seed, np.arange(n), 1).order(size)
    wanted = orders if ordered else np.sort(orders, axis=1)
    assert answers == [tuple(row) for row in wanted.tolist()]
    ways = math.perm(3, size) if ordered else math.comb(3, size)
    assert likely.tolist() == pytest.approx([1 / ways] * n)
    assert {type(v) for row in answers for v in row} == {int}


def test_what_an_oracle_answers_is_what_it_would_answer_unrecorded() -> None:
    plain = runs_of()
    repetitions = np.arange(5)
    recording = RecordingOracle(plain.algorithm, plain.case, 7, repetitions, 2)
    bare = random_oracle(THREE, 7, repetitions, 2)
    for size in (3, 1, None):
        assert recording.order(size).tolist() == bare.order(size).tolist()
    assert len(recording.heard.answers) == 1
    chances = np.array([0.1, 0.5, 0.9, 0.0, 1.0])
    assert recording.coin(chances).tolist() == bare.coin(chances).tolist()
    assert recording.choice([1, 2, 3]).tolist() == bare.choice([1, 2, 3]).tolist()


def test_the_probability_of_coins_and_choices_is_multiplied() -> None:
    n = 60
    log = AnswerLog(n)
    told, bare = RecordingChance(StreamChance(3, np.arange(n), 0), log), StreamChance(3, np.arange(n), 0)
    assert (told.rows, told.exact) == (n, False)
    coins = np.tile([0.25, 0.5, 0.75], (n, 1))
    coins[::2] = [0.1, 0.2, 0.9]
    found = told.coins(coins)
    assert found.tolist() == bare.coins(coins).tolist()
    wanted = np.array(
        [math.prod(p if up else 1 - p for p, up in zip(c, f, strict=True)) for c, f in zip(coins, found, strict=True)]
    )
    assert log.likely == pytest.approx(wanted)
    chances = np.tile([0.2, 0.3, 0.5], (n, 1))
    picked = told.choose(chances)
    assert picked.tolist() == bare.choose(chances).tolist()
    wanted = wanted * [[0.2, 0.3, 0.5][p] for p in picked]
    assert log.likely == pytest.approx(wanted)
    owned = told.choose(chances, 4)
    assert owned.tolist() == bare.choose(chances, 4).tolist()
    wanted = wanted * [[0.2, 0.3, 0.5][p] for p in owned]
    shares = [Fraction(1, 4), Fraction(3, 4)]
    drawn = told.draw(shares, 2, n)
    assert drawn.tolist() == bare.draw(shares, 2, n).tolist()
    wanted = wanted * [math.prod(float(shares[i]) for i in row) for row in drawn]
    assert log.likely == pytest.approx(wanted)
    assert [a.shape for a in log.answers] == [(n, 3), (n,), (n,), (n, 2)]


# What rounding explains ---------------------------------------------------------------------------------------------------


class Scene:
    """Constants and a boundary between two pieces of a step: exactly on one side, in floats on the other."""

    def __init__(self, **constants: Any) -> None:
        self.c = Constants(**constants)


@pytest.mark.parametrize("exact_above", [True, False])
@pytest.mark.parametrize("line", [(1, 0), (0, 1), (1, 1)])
def test_a_point_on_the_boundary_of_two_pieces_is_explained(line: tuple[int, int], exact_above: bool) -> None:
    scene: Any = Scene(n_rounds=3, step_size=0.5)
    x = np.array([2.0, -3.0])

    def where(points: np.ndarray, c: Constants) -> np.ndarray:
        above = (points - x) @ np.array(line) >= 0
        return np.stack([above == exact_above, above != exact_above], axis=1)

    assert explaining_constants(scene, x, where) is scene.c


def test_a_point_at_zero_and_one_behind_sixteen_coordinates() -> None:
    scene: Any = Scene(n_rounds=3)

    def along(i: int) -> Callable[[np.ndarray, Any], np.ndarray]:
        def where(points: np.ndarray, c: Constants) -> np.ndarray:
            above = points[:, i] >= x[i]
            return np.stack([above, ~above], axis=1)

        return where

    x = np.zeros(1)
    assert explaining_constants(scene, x, along(0)) is scene.c
    x = np.zeros(18)
    for i in (0, 1, 15, 16, 17):
        assert (explaining_constants(scene, x, along(i)) is scene.c) == (i < 16)


def test_an_isolated_point_or_one_beside_the_boundary_is_not_explained() -> None:
    scene: Any = Scene(n_rounds=3, step_size=0.5, name="no number")
    x = np.array([2.0, -3.0])

    def isolated(points: np.ndarray, c: Constants) -> np.ndarray:
        there = (points == x).all(axis=1)
        return np.stack([~there, there], axis=1)

    def beside(points: np.ndarray, c: Constants) -> np.ndarray:
        above = points[:, 0] >= x[0] * (1 + 1e-11)
        return np.stack([above, ~above], axis=1)

    def neither(points: np.ndarray, c: Constants) -> np.ndarray:
        return np.zeros((len(points), 2), dtype=bool)

    for where in (isolated, beside, neither):
        assert explaining_constants(scene, x, where) is None


def test_a_side_that_agrees_with_neither_result_explains_nothing() -> None:
    scene: Any = Scene(n_rounds=3)
    x = np.array([2.0])
    for column in (0, 1):
        for upper in (True, False):

            def where(points: np.ndarray, c: Constants, column: int = column, upper: bool = upper) -> np.ndarray:
                found = np.zeros((len(points), 2), dtype=bool)
                found[(points[:, 0] > x[0]) == upper, column] = True
                return found

            assert explaining_constants(scene, x, where) is None


@pytest.mark.parametrize("exact_above", [True, False])
@pytest.mark.parametrize("name", ["step_size", "other"])
def test_a_constant_on_the_boundary_is_moved_to_the_exact_side(name: str, exact_above: bool) -> None:
    scene: Any = Scene(n_rounds=3, step_size=0.5, other=-4.0)
    at = getattr(scene.c, name)

    def where(points: np.ndarray, c: Constants) -> np.ndarray:
        above = np.full(len(points), getattr(c, name) > at)
        return np.stack([above == exact_above, above != exact_above], axis=1)

    found = explaining_constants(scene, np.array([2.0]), where)
    assert found is not None
    assert (getattr(found, name) > at) == exact_above
    assert 1e-13 < abs(getattr(found, name) / at - 1) < 1e-9
    rest = {k: v for k, v in vars(found).items() if k != name}
    assert rest == {k: v for k, v in vars(scene.c).items() if k != name}


def test_whole_numbers_among_the_constants_are_not_moved() -> None:
    scene: Any = Scene(n_rounds=3)

    def where(points: np.ndarray, c: Constants) -> np.ndarray:
        above = np.full(len(points), c.n_rounds > 3)
        return np.stack([above, ~above], axis=1)

    assert explaining_constants(scene, np.array([2.0]), where) is None
    assert (NUDGES > 0).all()


# Rounding modes -----------------------------------------------------------------------------------------------------------


def rule(*given: Any) -> np.ndarray:
    lr, ratio, reach, _ = given
    return lr * ratio / 3.0 + reach


@ROUNDS_UP
def test_a_rule_is_stable_if_its_answers_are_the_same_in_other_modes() -> None:
    asked = tuple(np.array([0.5, 2.0]) * k for k in (1, 2, 3))
    answers = rule(*asked, None)
    own: Any = SimpleNamespace(step=rule)
    assert is_stable_under_rounding(own, [(*asked, answers)], None)
    assert is_stable_under_rounding(own, [], None)
    for off in (1e-9, -1e-9):
        assert not is_stable_under_rounding(own, [(*asked, answers + np.array([0, off]))], None)
        assert not is_stable_under_rounding(own, [(*asked, answers), (*asked, answers + np.array([0, off]))], None)
    negative: Any = SimpleNamespace(step=lambda *given: -rule(*given))
    assert is_stable_under_rounding(negative, [(*asked, -answers)], None)

    def writes(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Any) -> np.ndarray:
        lr *= 2
        return lr

    writing: Any = SimpleNamespace(step=writes)
    assert is_stable_under_rounding(writing, [(*asked, asked[0] * 2)], None)
    up_only: Any = SimpleNamespace(step=lambda lr, *rest: lr + (np.ones(2) + 1e-30 > 1))
    assert not is_stable_under_rounding(up_only, [(*asked, asked[0])], None)
    down_only: Any = SimpleNamespace(step=lambda lr, *rest: lr + (np.ones(2) - 1e-30 < 1))
    assert not is_stable_under_rounding(down_only, [(*asked, asked[0])], None)


@ROUNDS_UP
def test_a_rule_that_answers_zero_is_stable() -> None:
    zero, asked = np.zeros(2), np.ones(2)
    still: Any = SimpleNamespace(step=lambda *given: np.zeros(2))
    assert is_stable_under_rounding(still, [(asked, asked, asked, zero)], None)
    assert not is_stable_under_rounding(still, [(asked, asked, asked, zero + 1e-300)], None)


@pytest.mark.parametrize("names", [(), ("fesetround",), ("fegetround",), ("fesetround", "fegetround")], ids=str)
def test_a_library_without_rounding_modes_is_none(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    library = SimpleNamespace(**dict.fromkeys(names, 0))
    monkeypatch.setattr(rounding.ctypes, "CDLL", lambda name: library)
    assert rounding._math_library.__wrapped__() is (library if len(names) == 2 else None)


@pytest.mark.parametrize("error", [OSError, TypeError])
def test_a_library_that_cannot_be_loaded_is_none(error: type, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(name: str) -> None:
        raise error

    monkeypatch.setattr(rounding.ctypes, "CDLL", fails)
    assert rounding._math_library.__wrapped__() is None


def test_without_rounding_modes_nothing_is_stable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounding, "rounding_modes", lambda: ())
    own: Any = SimpleNamespace(step=rule)
    assert not is_stable_under_rounding(own, [], None)
    monkeypatch.undo()
    rounding_modes.cache_clear()
    monkeypatch.setattr(rounding.platform, "machine", lambda: "abacus")
    assert rounding_modes() == ()
    rounding_modes.cache_clear()
    monkeypatch.undo()
    monkeypatch.setattr(rounding, "_math_library", lambda: None)
    assert rounding_modes() == ()
    rounding_modes.cache_clear()


@ROUNDS_UP
@pytest.mark.parametrize("mistaken", [0, 1])
def test_modes_that_do_not_round_as_they_should_are_none(mistaken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where down or up is not what it is called, no mode is believed."""
    rounding_modes.cache_clear()
    kept = {}
    for name, modes in rounding._MODES.items():
        own = list(modes)
        own[mistaken] = 0  # to nearest
        kept[name] = tuple(own)
    monkeypatch.setattr(rounding, "_MODES", kept)
    assert rounding_modes() == ()
    monkeypatch.undo()
    rounding_modes.cache_clear()
    assert len(rounding_modes()) == 3


class Looked:
    """An array whose sums are rounded as one says, whose elements are numbers."""

    def __init__(self, up: float, down: float) -> None:
        self.up, self.down = up, down

    def __add__(self, _: float) -> np.ndarray:
        return np.array([1 + self.up])

    def __sub__(self, _: float) -> np.ndarray:
        return np.array([1 - self.down])

    def __getitem__(self, _: int) -> float:
        return 1.0


@ROUNDS_UP
@pytest.mark.parametrize("mistaken", [0, 1])
def test_arrays_and_numbers_must_both_be_rounded_so(mistaken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = dict(rounding._MODES)
    unmoved = {name: tuple(0 if i == mistaken else way for i, way in enumerate(own)) for name, own in modes.items()}
    for up, down, ways, fine in (
        (1, 1, modes, True),
        (0, 1, modes, False),
        (1, 0, modes, False),
        (1, 1, unmoved, False),
    ):
        monkeypatch.setattr(rounding, "_MODES", ways)
        monkeypatch.setattr(rounding.np, "ones", lambda n, up=up, down=down: Looked(up, down))
        assert bool(rounding_modes.__wrapped__()) == fine
        monkeypatch.undo()


@ROUNDS_UP
def test_a_mode_ends_with_its_function() -> None:
    def asks(x: float) -> bool:
        return x + 1e-30 > x

    def fails(x: float) -> bool:
        raise ValueError(str(x))

    up = rounding_modes()[1]
    assert WithRoundingMode(asks, up)(1.0)
    assert not asks(1.0)
    assert WithRoundingMode(asks, up).__wrapped__ is asks
    with pytest.raises(ValueError, match=r"1\.0"):
        WithRoundingMode(fails, up)(1.0)
    assert not asks(1.0)


@ROUNDS_UP
def test_the_functions_of_a_method_run_in_the_mode() -> None:
    own = Algorithm("mine", lambda x, oracle, c: x)
    moved = rounding.with_rounding_mode(own, rounding_modes()[0])
    assert isinstance(moved.step, WithRoundingMode)
    assert isinstance(moved.init, WithRoundingMode)
    assert moved.point is None
    assert moved.step.function is own.step
    assert moved.step.way == rounding_modes()[0]


def test_a_case_of_more_participants_than_clients_is_refused() -> None:
    with pytest.raises(VariantError, match="n_participating = 4, but the instance has 3 clients"):
        runs_of(n_participating=4)
    assert plain_runs.participants_per_round(THREE, run_constants(runs_of().case, None)) == 3


def test_runs_in_floats_are_of_the_step_and_of_no_kernel() -> None:
    """What a compiled run would give is not asked."""
    asked = Algorithm("mine", steps, kernel=lambda *given: pytest.fail("it is not asked"))
    plain = FloatRuns(asked, Case(THREE, n_rounds=2, n_local_steps=1, step_size="1/8"))
    assert plain.runs(2, 2).shape == (2, 3, 2)
