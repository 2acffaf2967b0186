"""Cases near a case, longer ones and others, move by move with scripted randomness; the edges of each rule."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fltheory import symbols
from fltheory.claims.check import check_claim
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.problems.responses import RandomResponses, ResponseTable
from fltheory.problems.separable import QuadraticClients
from fltheory.search import continuation, local_search, neighbours, reshaping
from fltheory.search.continuation import length_factor_to_pass, try_longer
from fltheory.search.evaluations import Evaluator, first_runs
from fltheory.search.history import LengthenedCase, SearchState
from fltheory.search.local_search import ScoredCase, cma_es, continue_to_longer, hill_climb
from fltheory.search.neighbours import leaves, simpler_cases, with_leaves
from fltheory.search.reshaping import Continuation, case_shape, continued_case, first_continuation
from fltheory.search.starts import beyond_family, nearby, patterns
from fltheory.verification import find
from fltheory.work import Meter, separate_meter, spend

F = Fraction
CLAIM = find("sfl/T7-GC@explicit")
CASE = Case(QuadraticClients(((1,), (2,)), ((3,), (-5,)), (7,)), n_rounds=40, n_local_steps=2, step_size="1/100")
VERDICT = check_claim(CLAIM, CASE)
GAME = Case(ResponseTable(((0, "1/2"), (1, 0)), (2, 3), repeat=10))
ROUNDS, STEPS, SIZE = (("settings", name) for name in ("n_rounds", "n_local_steps", "step_size"))
FIRST = ("instance", "curvatures", 0, 0)


def verdict(ratio: float | None, status: str = "holds", **changes: Any) -> Verdict:
    return replace(VERDICT, ratio=ratio, status=status, **changes)  # type: ignore[arg-type]


def case(rounds: int, step: str = "1/100") -> Case:
    return Case(CASE.instance, n_rounds=rounds, n_local_steps=2, step_size=step)


class Scripted:
    """Random numbers and choices in turn."""

    def __init__(self, *draws: float, choices: Any = (), gauss: float = 0.0) -> None:
        self.draws, self.choices_, self.size, self.offered = list(draws), list(choices), gauss, list[Any]()

    def random(self) -> float:
        return self.draws.pop(0)

    def gauss(self, mean: float, size: float) -> float:
        return self.size

    def choice(self, given: Any) -> Any:
        self.offered.append(given)
        wanted = self.choices_.pop(0)
        assert wanted in given
        return wanted

    def sample(self, given: Any, k: int) -> Any:
        self.offered.append(given)
        return list(given)[:k]

    def choices(self, given: Any, weights: Any) -> Any:
        self.offered.append(dict(zip(given, weights, strict=True)))
        return [self.choices_.pop(0)]

    def randrange(self, *given: int) -> int:
        return int(self.choices_.pop(0))


# Neighbours -------------------------------------------------------------------------------------------------------------


def moved(first: Any, *draws: float, choices: Any = (), factor: float = 2.0) -> dict[Any, Fraction]:
    """What changes, by which factor or to which number."""
    random: Any = Scripted(*draws, choices=[first, *choices], gauss=math.log(factor))
    made = neighbours.random_neighbour(CASE, 1.0, random)
    assert made is not None
    return {p: F(v) for p, v in leaves(made).items() if leaves(CASE)[p] != v}


def test_each_move_changes_what_it_names() -> None:
    second = ("instance", "curvatures", 1, 0)
    assert moved(SIZE, 0.9) == {SIZE: F(1, 50)}
    assert moved(SIZE, 0.29, 0.71, choices=[ROUNDS]) == {SIZE: F(1, 50), ROUNDS: 80}
    assert moved(SIZE, 0.29, 0.69, choices=[ROUNDS]) == {SIZE: F(1, 50), ROUNDS: 20}
    assert moved(FIRST, 0.31) == {FIRST: 2, second: 4}
    assert moved(FIRST, 0.49) == {FIRST: 2, second: 4}
    assert moved(FIRST, 0.51, choices=[second]) == {FIRST: 2}
    assert moved(FIRST, 0.59, choices=[second]) == {FIRST: 2}
    assert moved(FIRST, 0.61) == {FIRST: 0}
    assert moved(("instance", "slopes", 1, 0), 0.66) == {("instance", "slopes", 1, 0): 5}
    before = {p: v for p, v in leaves(CASE).items() if p[0] == "instance" and v and not neighbours.is_count(p)}
    assert moved(SIZE, 0.71) == {p: F(v) * 4 for p, v in before.items()}
    assert moved(SIZE, 0.76) == {p: F(v) * 4 for p, v in before.items()}
    assert moved(SIZE, 0.78) == {SIZE: F(1, 50)}


def test_a_case_without_numbers_has_no_neighbour() -> None:
    assert neighbours.random_neighbour(Case(Outer(Data("x"))), 1.0, Random(0)) is None  # type: ignore[arg-type]


def test_numbers_equal_to_0_become_1_and_units_have_four_digits() -> None:
    zero = Case(QuadraticClients(((1,),), ((0,),), (7,)), n_rounds=4, n_local_steps=2, step_size="1/100")
    random: Any = Scripted(0.61, choices=[("instance", "slopes", 0, 0)])
    made = neighbours.random_neighbour(zero, 1.0, random)
    assert made is not None
    assert made.instance.slopes == ((1,),)
    changed = moved(SIZE, 0.75, factor=math.sqrt(1 / 3))
    assert changed[FIRST] == F(3333, 10**4)


def test_a_change_of_nothing_keeps_the_case() -> None:
    assert with_leaves(CASE, {}) == CASE
    made = with_leaves(CASE, {ROUNDS: 7})
    assert made is not None
    assert made.instance is CASE.instance
    assert with_leaves(CASE, {ROUNDS: 0}) is None
    with separate_meter(1e9) as meter:
        with_leaves(CASE, {ROUNDS: 7})
    assert meter.spent == neighbours.MOVE_COST


def test_constants_of_an_instance_of_constants_alone_are_settings() -> None:
    own = next(c for c in find("sfl/D3-T@strengthened").cases if isinstance(c.instance, neighbours.OnlyConstants))
    numbers = leaves(own)
    assert numbers
    assert all(path[0] == "settings" for path in numbers)
    assert {path[1] for path in numbers} >= {s.name for s in own.own}


def options(value: Any, place: str = "step_size") -> set[Any]:
    """The numbers in the place of one setting among the simpler cases."""
    own = Case(
        QuadraticClients(((1,),), ((1,),), (1,)),
        **{"n_rounds": 1, "n_local_steps": 1, "step_size": "1/9", place: value},
    )
    at = ("settings", place)
    return {leaves(c)[at] for c in simpler_cases(own) if leaves(c).get(at) != leaves(own)[at]}


def test_simpler_numbers_are_rounder_or_smaller() -> None:
    assert options(47, "n_rounds") == {1, 23, 46, 40, 50}
    assert options(F("0.1357")) == {1, F("0.1"), F("0.14"), F(1, 7)}
    assert options(F("13.57")) == {1, 14, 10}
    assert options(F("0.9")) == {1}


def test_numbers_become_0_1_or_minus_1() -> None:
    own = Case(QuadraticClients(((1,),), ((F(7, 3),),), (1,)), n_rounds=1)
    place = ("instance", "slopes", 0, 0)
    found = {leaves(c)[place] for c in simpler_cases(own)} - {F(7, 3)}
    assert found == {0, 1, -1, 2, F("2.3")}


def test_coordinates_are_dropped_from_rows_of_the_right_length_alone() -> None:
    drop = neighbours._drop
    assert drop(((1, 2), (3,), (5, 6)), "coordinate", 1, 3, 2) == ((1,), (3,), (5,))
    assert drop(((1, 2), (3, 4)), "client", 0, 3, 2) == ((1, 2), (3, 4))
    assert drop((), "client", 0, 3, 2) == ()


@dataclass(frozen=True)
class Data:
    """Data inside an instance that names no smaller versions."""

    size: int = 3


@dataclass(frozen=True)
class Outer:
    """An instance with such data."""

    part: Data = Data()

    @property
    def constants(self) -> dict[Any, Any]:
        return {}


def test_data_without_smaller_versions_is_left_alone() -> None:
    assert list(neighbours._smaller_instances(Outer())) == []


# Longer cases -----------------------------------------------------------------------------------------------------------


def test_a_count_grows_by_one_or_a_factor_up_to_the_largest() -> None:
    def longer(rounds: int, *draws: float, choices: Any) -> Any:
        made = reshaping.longer_case(case(rounds), Scripted(*draws, choices=choices))  # type: ignore[arg-type]
        return None if made is None else leaves(made)

    found = longer(40, 0.69, 0.24, choices=[ROUNDS, 0])
    assert (found[ROUNDS], found[STEPS]) == (41, 2)
    found = longer(40, 0.71, 0.26, choices=[STEPS, 3, 0])
    assert (found[ROUNDS], found[STEPS]) == (40, 6)
    half = reshaping.MAX_COUNT // 2
    assert longer(half, 0.1, 0.9, choices=[ROUNDS, 2, 0])[ROUNDS] == reshaping.MAX_COUNT
    assert longer(half + 1, 0.1, 0.9, choices=[ROUNDS, 2, 0]) is None
    # a number follows by a power of the factor, or is raised to it
    scaled = longer(40, 0.1, 0.9, 0.9, choices=[ROUNDS, 4, 1, -0.5])
    changed = {p: v for p, v in scaled.items() if v != leaves(CASE)[p] and p != ROUNDS}
    assert len(changed) == 1
    (path, value) = next(iter(changed.items()))
    assert value == neighbours.round_digits(float(leaves(CASE)[path]) / 2, 4)


def test_factors_of_a_count_are_small_ones_and_ten() -> None:
    random = Scripted(0.1, 0.9, choices=[ROUNDS, 2, 0])
    assert reshaping.longer_case(CASE, random) is not None  # type: ignore[arg-type]
    assert random.offered[1:3] == [(2, 2, 3, 4, 10), (0, 1, 1, 2)]


def test_without_rounds_another_count_grows() -> None:
    own = Case(CASE.instance, n_local_steps=2, step_size="1/100")
    made = reshaping.longer_case(own, Scripted(0.9, choices=[STEPS, 3, 0]))  # type: ignore[arg-type]
    assert made is not None
    assert leaves(made)[STEPS] == 6
    found = first_continuation(own, Scripted(0.9, 0.9, choices=[SIZE, STEPS, 1]))  # type: ignore[arg-type]
    assert found == Continuation((STEPS,), SIZE, 1)


def test_numbers_follow_a_count_by_a_power_or_like_a_product() -> None:
    along = reshaping._scale_along
    assert along(-0.5, 3.0, Scripted(0.39)) == F(-1, 8)  # type: ignore[arg-type]
    assert along(-0.5, 4.0, Scripted(0.41, choices=[0.5])) == -1  # type: ignore[arg-type]
    assert along(math.e, 599.0, Scripted(0.1)) == neighbours.round_digits(math.exp(599), 4)  # type: ignore[arg-type]
    assert along(2.0, 1e6, Scripted(0.1, choices=[-1.0])) == neighbours.round_digits(2e-6, 4)  # type: ignore[arg-type]
    assert along(1 / 3, 2.0, Scripted(0.9, choices=[1.0])) == F("0.6667")  # type: ignore[arg-type]


def test_rows_are_repeated_or_each_lasts_longer_within_the_largest_count() -> None:
    ways = [list(way) for way in reshaping.lengthenings(GAME, 10)]
    found = [(c.instance.repeat, c.instance.counts_of) for way in ways for c in way]
    assert found == [(100, (2, 3)), (10, (20, 30))]
    wide = Case(replace(GAME.instance, repeat=reshaping.MAX_COUNT // 10 + 1))
    assert [c.instance.counts_of for way in reshaping.lengthenings(wide, 10) for c in way] == [(20, 30)]
    uneven = Case(replace(GAME.instance, counts_of=(2, reshaping.MAX_COUNT)))
    assert [c.instance.repeat for way in reshaping.lengthenings(uneven, 10) for c in way] == [100]
    single = Case(ResponseTable(((0, 1),), (2,), repeat=10))
    assert [(c.instance.repeat, c.instance.counts_of) for way in reshaping.lengthenings(single, 10) for c in way] == [
        (100, (2,))
    ]
    largest = case(reshaping.MAX_COUNT // 10 - reshaping.MAX_COUNT // 10 % 1)
    (way,) = reshaping.lengthenings(largest, 10)
    assert next(way).constants[symbols.n_rounds] == 10 * (reshaping.MAX_COUNT // 10)
    with separate_meter(1e9) as meter:
        list(next(reshaping.lengthenings(GAME, 100)))
    assert meter.spent == pytest.approx(1000 / reshaping.ROUNDS_PER_UNIT + neighbours.MOVE_COST)
    with separate_meter(1e9) as meter:
        next(next(reshaping.lengthenings(CASE, 100)))
    assert meter.spent == neighbours.MOVE_COST


def test_shapes_tell_no_count_0_1_and_more() -> None:
    shape = case_shape(CASE)
    assert shape[0] == len(leaves(CASE))
    assert case_shape(case(7)) == shape
    steps = [case_shape(CASE.with_settings(n_local_steps=k)) for k in (1, 2, 3, 9)]
    assert steps[0] != steps[1] == steps[2] == steps[3]
    assert steps[1][1:] == (2,)
    assert steps[0][1:] == (1,)


def test_first_continuations_are_of_a_count_or_a_row() -> None:
    slopes = [("instance", "slopes", i, 0) for i in range(2)]
    random: Any = Scripted(0.9, 0.39, choices=[SIZE, ROUNDS, 40])
    found = first_continuation(CASE, random)
    assert found == Continuation((ROUNDS,), SIZE, 40, -math.log(100) / 40)
    weights = random.offered[0]
    assert weights[SIZE] == pytest.approx(1 + math.log(100))
    assert weights[FIRST] == 1
    assert not any(neighbours.is_count(p) for p in weights)
    assert random.offered[1] == [ROUNDS]
    assert random.offered[2] == (1, 11, 40, 120)
    assert first_continuation(CASE, Scripted(0.9, 0.41, choices=[SIZE, ROUNDS, 1])) == Continuation((ROUNDS,), SIZE, 1)  # type: ignore[arg-type]
    random = Scripted(0.34, 0.74, choices=[SIZE, ("instance", "slopes", 0), 4])
    found = first_continuation(CASE, random)
    assert found == Continuation((slopes[0],), SIZE, 4, -math.log(100) / 16)
    assert random.offered[2] == (1, 4, 16)
    # rows of numbers near 1 are not extreme
    assert ("instance", "curvatures", 0) not in random.offered[1]
    assert ("instance", "curvatures", 1) in random.offered[1]
    random = Scripted(0.36, 0.9, choices=[SIZE, ROUNDS, 1])
    assert first_continuation(CASE, random) == Continuation((ROUNDS,), SIZE, 1)
    assert first_continuation(CASE, Scripted(0.9, 0.1, choices=[SIZE, ROUNDS, 1])).rate is not None  # type: ignore[arg-type,union-attr]
    random = Scripted(0.34, 0.9, choices=[slopes[0], ("instance", "slopes", 1), 1])
    small = first_continuation(CASE, random)
    assert ("settings",) not in random.offered[1]  # settings are no row
    assert ("instance", "slopes", 0) not in random.offered[1]
    assert small == Continuation((slopes[1],), slopes[0], 1)
    low = Case(QuadraticClients(((1,),), ((F(1, 5),),), (7,)), n_rounds=4, n_local_steps=2, step_size="1/100")
    random = Scripted(0.34, 0.9, choices=[SIZE, ("instance", "slopes", 0), 1])
    first_continuation(low, random)
    assert ("instance", "slopes", 0) in random.offered[1]
    assert ("instance", "curvatures", 0) not in random.offered[1]
    far = Case(CASE.instance, n_rounds=1, n_local_steps=2, step_size=F(1, 10**100))  # its logarithm is -230
    for stride, raised in ((1, True), (3, False)):
        found = first_continuation(far, Scripted(0.9, 0.1, choices=[SIZE, ROUNDS, stride]))  # type: ignore[arg-type]
        assert found is not None
        assert (found.rate is not None) is raised
    assert first_continuation(Case(QuadraticClients(((1,),), ((0,),), (0,))), Scripted()) is None  # type: ignore[arg-type]


def test_rows_become_more_extreme_with_their_signs() -> None:
    row = (("instance", "slopes", 1, 0),)
    made = continued_case(CASE, Continuation(row, SIZE, 8), 0.0)
    assert made is not None
    assert leaves(made)[row[0]] == neighbours.round_digits(-(5**1.5), 6)
    tiny = Case(QuadraticClients(((1,),), ((F(-1, 5),),), (7,)), n_rounds=4, n_local_steps=2, step_size="1/100")
    made = continued_case(tiny, Continuation((("instance", "slopes", 0, 0),), SIZE, 8), 1.0)
    assert made is not None
    assert float(leaves(made)[("instance", "slopes", 0, 0)]) == pytest.approx(-(0.2**1.5), rel=1e-5)
    assert leaves(made)[SIZE] == neighbours.round_digits(math.e / 100, 6)
    small = Case(QuadraticClients(((1,),), ((F(1, 5),),), (7,)), n_rounds=4, n_local_steps=2, step_size="1/100")
    made = continued_case(small, Continuation((("instance", "slopes", 0, 0),), SIZE, 8), 0.0)
    assert made is not None
    assert leaves(made)[("instance", "slopes", 0, 0)] == neighbours.round_digits(0.2**1.5, 6)
    assert continued_case(CASE, Continuation(row, SIZE, 16 * 400), 0.0) is None  # 5^401
    assert continued_case(CASE, Continuation(row, SIZE, 16 * 300), 0.0) is not None
    zero = Case(QuadraticClients(((1,),), ((0,),), (7,)), n_rounds=4, n_local_steps=2, step_size="1/100")
    assert continued_case(zero, Continuation((("instance", "slopes", 0, 0),), SIZE, 8), 0.0) is None
    assert continued_case(CASE, Continuation((ROUNDS,), SIZE, 8), reshaping.MAX_LOG_FACTOR) is not None
    assert continued_case(CASE, Continuation((ROUNDS,), SIZE, 8), -reshaping.MAX_LOG_FACTOR - 1) is None


def test_clients_are_added_or_removed_where_there_are_tables_for_each() -> None:
    change = reshaping._change_clients
    made = change(CASE, Scripted(choices=[0, 0, F(1)]), "twice")  # type: ignore[arg-type]
    assert made is not None
    assert made.instance.slopes == ((3,), (3,), (-5,))
    made = change(CASE, Scripted(choices=[1, 1, F(1, 2)]), "less")  # type: ignore[arg-type]
    assert made is not None
    assert made.instance.curvatures == ((1,),)
    made = change(CASE, Scripted(choices=[0, 1, F(1, 2)]), "merged")  # type: ignore[arg-type]
    assert made is not None
    assert (made.instance.curvatures, made.instance.slopes) == (((F(3, 2),),), ((-1,),))
    pair = change(CASE, Scripted(choices=[0, 1, F(1)]), "less")  # type: ignore[arg-type]
    assert pair is not None  # two are enough to lose one
    made = change(CASE, Scripted(choices=[0, 1, F(1, 2)]), "split")  # type: ignore[arg-type]
    assert made is not None
    assert made.instance.slopes == ((F(9, 2),), (F(3, 2),), (-5,))
    one = Case(QuadraticClients(((2,),), ((4,),), (7,)), n_rounds=4)
    assert change(one, Scripted(choices=[0, 0, F(1)]), "less") is None  # type: ignore[arg-type]
    assert change(one, Scripted(choices=[0, 0, F(1)]), "merged") is None  # type: ignore[arg-type]
    made = change(one, Scripted(choices=[0, F(1, 2)]), "split")  # type: ignore[arg-type]
    assert made is not None
    assert made.instance.slopes == ((6,), (2,))
    assert change(Case(Outer()), Scripted(), "twice") is None  # type: ignore[arg-type]
    drawn = Case(RandomResponses("coin", 3, 20, seed=1))  # clients without a table
    assert change(drawn, Scripted(choices=[0, 1, F(1)]), "less") is None  # type: ignore[arg-type]
    three = Case(QuadraticClients(((1,), (2,), (4,)), ((1,),) * 3, (7,)), n_rounds=4)
    for k, step, curvatures in ((0, 1, (F(3, 2), 4)), (0, 2, (F(5, 2), 2)), (2, 1, (2, F(5, 2)))):
        made = change(three, Scripted(choices=[k, step, F(1)]), "merged")  # type: ignore[arg-type]
        assert made is not None
        assert made.instance.curvatures == tuple((v,) for v in curvatures)
    square = Case(
        QuadraticClients(((1, 2), (3, 4)), ((1, 1), (1, 2)), (7, 8)), n_rounds=4
    )  # two clients, two coordinates
    made = change(square, Scripted(choices=[0, 1, F(1)]), "less")  # type: ignore[arg-type]
    assert made is not None
    assert (made.instance.curvatures, made.instance.start) == (((3, 4),), (7, 8))
    long = Case(QuadraticClients(((1,) * 30,), ((1,) * 30,), (7,) * 30), n_rounds=4)
    assert 2 * len(leaves(long)) <= reshaping.MAX_NUMBERS < 3 * len(leaves(long))
    assert change(long, Scripted(choices=[0, F(1, 2)]), "split") is not None  # type: ignore[arg-type]
    wide = Case(QuadraticClients(tuple((1,) for _ in range(150)), ((1,),) * 150, (7,)), n_rounds=4)
    assert change(wide, Scripted(choices=[0, 1, F(1)]), "twice") is None  # type: ignore[arg-type]


def test_each_rearrangement_does_what_it_is_called() -> None:
    def rearranged(one: Case, *choices: Any) -> Any:
        return reshaping.rearranged_case(one, Scripted(choices=choices))  # type: ignore[arg-type]

    inside = {p: v for p, v in leaves(CASE).items() if p[0] == "instance" and not neighbours.is_count(p)}
    offered = Scripted(choices=["units", F(10)])
    assert reshaping.rearranged_case(CASE, offered) is not None  # type: ignore[arg-type]
    assert offered.offered[1] == (F(1, 100), F(1, 10), 10, 100)
    offered = Scripted(choices=["scale", ("instance", "slopes", 1), F(10)])
    assert reshaping.rearranged_case(CASE, offered) is not None  # type: ignore[arg-type]
    assert offered.offered[2] == (F(1, 10), 10)
    assert ("instance", "start") in offered.offered[1]
    made = rearranged(CASE, "units", F(10))
    assert {p: leaves(made)[p] for p in inside} == {p: 10 * v for p, v in inside.items()}
    assert leaves(made)[SIZE] == F(1, 100)
    assert rearranged(Case(Outer(Data("x"))), "units", F(10)) is None  # type: ignore[arg-type]
    row = ("instance", "slopes", 1)
    assert leaves(rearranged(CASE, "signs", row))[(*row, 0)] == 5
    made = rearranged(CASE, "scale", row, F(1, 10))
    assert leaves(made)[(*row, 0)] == F(-1, 2)
    assert {p for p, v in leaves(CASE).items() if leaves(made)[p] != v} == {(*row, 0)}
    assert rearranged(Case(Outer(Data("x"))), "signs") is None  # type: ignore[arg-type]
    assert rearranged(CASE, "less", 1, 1, F(1)).instance.n_clients == 1
    rows = GAME.instance.responses
    game = reshaping.rearranged_case(GAME, Scripted(0.6, 0.6, choices=["phases", 2, 1, 3, rows[0], rows[1]]))  # type: ignore[arg-type]
    assert game is not None
    assert game.instance.repeat == 1
    assert reshaping._linear_combination(1, "b", F(1), F(1)) == 1
    assert reshaping._linear_combination((1, 2), (1,), F(1), F(1)) == (1, 2)


# Continuation -----------------------------------------------------------------------------------------------------------


def lengthening(monkeypatch: pytest.MonkeyPatch, end: Verdict, units: float = 5.0) -> tuple[Evaluator, list[Any]]:
    looks, asked = Evaluator(CLAIM, 0, 0, Meter(1e9), 1000.0, 100.0), list[Any]()

    def longer(looks: Evaluator, one: Verdict, slice: float) -> Verdict:
        asked.append((one.ratio, slice))
        looks.meter.spent += units
        return end

    monkeypatch.setattr(continuation, "lengthen_repeatedly", longer)
    return looks, asked


def test_a_case_is_lengthened_once_and_so_is_what_it_led_to(monkeypatch: pytest.MonkeyPatch) -> None:
    end = verdict(0.9, case=case(4000))
    looks, asked = lengthening(monkeypatch, end)
    one = verdict(0.5)
    try_longer(looks, one)
    try_longer(looks, one)
    try_longer(looks, end)
    assert asked == [(0.5, 100.0)]
    key = continuation._lengthened_key
    assert looks.seen.lengthened == {key(one), key(end)}
    assert key(one) == LengthenedCase(case_shape(CASE), 40 * 2 * 2, 0.5)
    assert looks.lengthening == 5.0
    try_longer(looks, verdict(0.85), 7.0)  # ahead of the first
    assert asked[1:] == [(0.85, 7.0)]


def test_cases_behind_others_share_half_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, asked = lengthening(monkeypatch, verdict(0.9, case=case(4000)))
    try_longer(looks, verdict(0.5))
    looks.meter.spent = 10.0
    try_longer(looks, verdict(0.4), any_case=False)
    assert len(asked) == 1
    try_longer(looks, verdict(0.4))  # 5 of 10 units were for such
    assert len(asked) == 2
    looks.meter.spent = 19.0
    try_longer(looks, verdict(0.3))  # 10 of 19
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("before", "now", "by", "factor"),
    [
        (0.25, 0.5, 4.0, math.ceil((1.2 / 0.5) ** 2)),
        (0.1, 0.5, 10.0, math.ceil(10 ** (math.log(2.4) / math.log(5)))),
        (0.5, 0.5, 10.0, None),
        (0.5, 0.4, 10.0, None),
        (0.5, 1.0, 10.0, None),
        (0.0, 0.5, 10.0, None),
        (0.4999, 0.5, 10.0, None),
    ],
)
def test_a_run_is_long_enough_to_pass_the_bound_at_its_rate(
    before: float, now: float, by: float, factor: int | None
) -> None:
    one, longer = verdict(before), verdict(now, case=case(int(40 * by)))
    assert length_factor_to_pass(one, longer) == factor
    assert length_factor_to_pass(one, verdict(now)) is None  # not longer
    if factor is not None:
        rate = math.log(now / before) / math.log(by)
        assert now * factor**rate >= 1.2
        assert now * (factor - 1) ** rate < 1.2


def test_the_best_way_to_lengthen_a_run_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, asked = Evaluator(CLAIM, 0, 0, Meter(1e9), 1000.0, 100.0), list[Any]()
    ways = [[case(400), case(401)], [case(500)], [case(600)], [case(700)]]
    told = {case(401): 0.5, case(500): None, case(600): 0.7, case(700): 0.6}

    def look(one: Case, stages: Any, most: float) -> Any:
        assert (stages, most) == (first_runs(one), 9.0)
        asked.append(one)
        return None if told[one] is None else verdict(told[one], case=one)

    monkeypatch.setattr(continuation, "lengthenings", lambda one, by: iter(map(iter, ways)) if by == 10 else iter(()))
    monkeypatch.setattr(continuation, "inapplicable_reason", lambda claim, one: "out" if one == case(400) else None)
    monkeypatch.setattr(looks, "look", look)
    found = continuation._longer(looks, CASE, 10, 9.0)
    assert found is not None
    assert (found.ratio, asked) == (0.7, [case(401), case(500), case(600), case(700)])
    looks.most = 0
    assert continuation._longer(looks, CASE, 10, 9.0) is None
    looks.most = None

    def dear(claim: Any, one: Case) -> None:
        spend(10.0)

    monkeypatch.setattr(continuation, "inapplicable_reason", dear)
    assert continuation._longer(looks, CASE, 10, 9.0) is None  # to make them takes too much


def test_lengths_go_by_ten_or_by_what_the_rate_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    coming = [verdict(0.2, case=case(400)), verdict(0.4, case=case(800)), None]

    def longer(looks: Any, one: Case, by: int, most: float) -> Any:
        asked.append((by, most))
        return coming.pop(0)

    needed = iter([7, None])
    monkeypatch.setattr(continuation, "_longer", longer)
    monkeypatch.setattr(continuation, "length_factor_to_pass", lambda one, other: next(needed))
    looks: Any = SimpleNamespace(cost=lambda one: 2.0, over=False)
    found = continuation.lengthen_repeatedly(looks, verdict(0.1), 1000.0)
    assert found.ratio == 0.4
    assert asked == [(10, 60.0), (7, 1000.0), (10, 60.0)]
    coming[:] = [verdict(0.2, case=case(400))]
    needed = iter([None])
    looks.over = True
    assert continuation.lengthen_repeatedly(looks, verdict(0.1), 1000.0).ratio == 0.1
    # the second run is forced by no rule: it must gain a fifth
    coming[:] = [verdict(0.2, case=case(400)), verdict(0.239, case=case(800))]
    needed = iter([None, None])
    looks.over = False
    assert continuation.lengthen_repeatedly(looks, verdict(0.1), 1000.0).ratio == 0.2
    asked.clear()
    looks = SimpleNamespace(cost=lambda one: 2.0, over=False)
    continuation.lengthen_repeatedly(looks, verdict(0.1), 12.4)  # 4.96 units are less than two runs
    assert asked == []
    coming[:] = [None]
    continuation.lengthen_repeatedly(looks, verdict(0.1), 12.6)
    assert asked == [(2, pytest.approx(5.04))]


# Local search -----------------------------------------------------------------------------------------------------------


class Ground:
    """Scores by a function, the cases asked for, and an end after so many."""

    def __init__(self, score: Callable[[Case], float | None], most: int = 10**6) -> None:
        self.value, self.most, self.random, self.asked = score, most, Random(0), list[Case]()

    @property
    def over(self) -> bool:
        return len(self.asked) >= self.most

    def score(self, one: Case) -> float | None:
        self.asked.append(one)
        return self.value(one)


def test_climbs_take_longer_steps_after_gains_and_shorter_ones_after_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[float] = []
    scores = iter([1.0, 1.0, None, 2.0, *[3.0 + k for k in range(9)]])

    def neighbour(one: Case, size: float, random: Any) -> Case:
        sizes.append(size)
        return case(len(sizes) + 1)

    monkeypatch.setattr(local_search, "random_neighbour", neighbour)
    found = hill_climb(Ground(lambda one: next(scores)), ScoredCase(CASE, 0.0), 13)
    assert found == ScoredCase(case(14), 11.0)
    grown = [1.0, 1.5, 1.5 * 0.94, 1.5 * 0.94**2]
    assert sizes[:4] == pytest.approx(grown)
    assert sizes[4] == pytest.approx(1.5**2 * 0.94**2)
    assert max(sizes) == local_search.MAX_STEP
    equal = hill_climb(Ground(lambda one: 0.0), ScoredCase(CASE, 0.0), 200)
    assert equal.case is CASE  # as good is not better
    assert min(sizes) == local_search.MIN_STEP
    monkeypatch.setattr(local_search, "random_neighbour", lambda one, size, random: None)
    ground = Ground(lambda one: 5.0)
    assert hill_climb(ground, ScoredCase(CASE, 0.0), 9).score == 0.0
    assert ground.asked == []


def test_mixed_climbs_take_mixed_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_search, "_neighbour", lambda one, size, random: case(3))
    monkeypatch.setattr(local_search, "random_neighbour", lambda one, size, random: case(4))
    for mixed, rounds in ((True, 3), (False, 4)):
        found = hill_climb(Ground(lambda one: 1.0), ScoredCase(CASE, 0.0), 1, mixed)
        assert found.case == case(rounds)


def test_evolution_samples_around_the_logarithms(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[np.ndarray] = []
    told = iter([None, 0.5, 2.0, 1.0, *[None] * 99])

    def at_logs(one: Case, places: Any, logs: np.ndarray) -> Case | None:
        made.append(logs)
        return None if len(made) == 1 else case(len(made))

    monkeypatch.setattr(local_search, "_at_logs", at_logs)
    numbers = {p: v for p, v in leaves(CASE).items() if v}
    size = 4 + int(3 * math.log(len(numbers)))
    ground = Ground(lambda one: next(told))
    found = cma_es(ground, ScoredCase(CASE, 1.5), 2 * size + 1)
    assert found.score == 2.0
    assert len(made) == 2 * size  # whole generations
    first = np.array(made[:size])
    centre = sorted((p for p in numbers), key=repr)
    logs = np.array([reshaping.log_size(numbers[p]) for p in centre])
    assert np.abs(first - logs).max() < 4.5 * local_search.INITIAL_STD
    assert 0.3 < np.std(first - logs) < 0.7
    over = Ground(lambda one: 1.0, 3)
    cma_es(over, ScoredCase(CASE, 1.5), 50)
    assert len(over.asked) == 3


def test_one_number_alone_is_climbed(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = Case(QuadraticClients(((2,),), ((0,),), (0,)))
    assert sum(v != 0 for v in leaves(alone).values()) == 1
    monkeypatch.setattr(local_search, "hill_climb", lambda ground, at, moves: (at.case, moves))
    found: Any = cma_es(Ground(lambda one: 1.0), ScoredCase(alone, 0.0), 17)
    assert found == (alone, 17)


def test_logarithms_become_numbers_with_signs_and_whole_counts() -> None:
    places: Any = [("instance", "slopes", 1, 0), ROUNDS]
    made = local_search._at_logs(CASE, places, np.array([math.log(3), math.log(6.6)]))
    assert made is not None
    assert (leaves(made)[places[0]], leaves(made)[ROUNDS]) == (-3, 7)
    both = local_search._at_logs(CASE, [*places, ("settings", "gone")], np.array([1.0, 1.0, 1.0]))
    assert both is None


def test_longer_runs_end_after_failures_and_without_anything_to_lengthen(monkeypatch: pytest.MonkeyPatch) -> None:
    stretch, scans = Continuation((ROUNDS,), SIZE, 64), list[int]()

    def scan(ground: Any, at: ScoredCase, one: Continuation) -> Any:
        scans.append(one.stride)
        return None, 10, 0.0

    monkeypatch.setattr(local_search, "_scan_scale", scan)
    monkeypatch.setattr(local_search, "first_continuation", lambda one, random: stretch)
    ground = Ground(lambda one: 0.0)
    assert continue_to_longer(ground, ScoredCase(CASE, 1.0), 10**6).score == 1.0
    assert scans == [64, 16, 4] * 3
    scans.clear()
    continue_to_longer(ground, ScoredCase(CASE, 1.0), 45)
    assert scans == [64, 16, 4, 64, 16]
    scans.clear()
    begun: list[Case] = []
    monkeypatch.setattr(local_search, "first_continuation", lambda one, random: begun.append(one) or stretch)
    continue_to_longer(ground, ScoredCase(CASE, 1.0), 45)
    assert len(begun) == 2
    scans.clear()
    monkeypatch.setattr(local_search, "first_continuation", lambda one, random: None)
    continue_to_longer(ground, ScoredCase(CASE, 1.0), 45)
    assert scans == []
    results = [(ScoredCase(case(100), 2.0), 10, -3.0), (None, 10, 0.0), (None, 10, 0.0), (None, 10, 0.0)]
    rates: list[Any] = []

    def scan_with(ground: Any, at: ScoredCase, one: Continuation) -> Any:
        rates.append((at.score, one.stride, one.rate))
        return results.pop(0) if results else (None, 10, 0.0)

    monkeypatch.setattr(local_search, "_scan_scale", scan_with)
    monkeypatch.setattr(local_search, "first_continuation", lambda one, random: stretch)
    found = continue_to_longer(ground, ScoredCase(CASE, 1.0), 40)
    assert found == ScoredCase(case(100), 2.0)
    assert rates == [(1.0, 64, None), (2.0, 128, -3 / 64), (2.0, 32, -3 / 64), (2.0, 8, -3 / 64)]


def test_a_scan_asks_no_more_than_it_may() -> None:
    stretch = Continuation((ROUNDS,), SIZE, 8)
    over = Ground(lambda one: 2.0, 3)
    found, asked, shift = local_search._scan_scale(over, ScoredCase(CASE, 1.0), stretch)
    assert (len(over.asked), asked) == (3, 4)
    assert found is not None
    assert found.score == 2.0
    assert shift == -8  # the first of equals
    none = Ground(lambda one: None)
    assert local_search._scan_scale(none, ScoredCase(CASE, 1.0), stretch) == (None, 14, 0.0)
    worse = Ground(lambda one: 0.5)
    assert local_search._scan_scale(worse, ScoredCase(CASE, 1.0), stretch)[:2] == (None, 1 + 5 * 13)


def test_0_is_the_simplest_number_and_long_ones_are_not() -> None:
    def of(slope: Any) -> tuple[int, float]:
        return neighbours.complexity(Case(QuadraticClients(((1,),), ((slope,),), (1,)), n_rounds=1))

    assert of(0)[0] + 1 == of(1)[0]
    assert of(1)[0] + 1 == of(-1)[0] == of(10)[0]
    assert of(F(1, 3))[0] == of(1)[0] + 2
    assert of(2)[1] == of(F(1, 2))[1] == of(-2)[1] == pytest.approx(math.log(2))
    assert neighbours._sizes(Outer()) == (0, 0)


# Starts -----------------------------------------------------------------------------------------------------------------


def test_a_family_has_the_range_of_its_samples_and_own_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [CASE, CASE.with_settings(n_participating=1)]

    def search(family: Any, seed: int, size: int, examine: Any) -> None:
        assert (seed, size) == (0, beyond_family.N_DRAWS)
        for one in drawn:
            examine(one)

    monkeypatch.setattr(beyond_family, "search_cases", search)
    three = Case(
        QuadraticClients(((1,),) * 3, ((1,),) * 3, (7,), noise_std=2), n_rounds=4, n_local_steps=2, step_size="1/9"
    )
    claim = replace(CLAIM, id="sfl/own@x", cases=(three,), family=lambda: None)
    assert beyond_family.family_ranges(claim) == {
        symbols.n_clients: (2, 3),
        symbols.n_participating: (1, 3),
        symbols.noise_std: (0, 2),
    }
    one = Case(QuadraticClients(((1,),), ((1,),), (7,), noise_std=3), n_rounds=4, n_local_steps=2, step_size="1/9")
    said = beyond_family.family_exit_message(claim, one)
    assert said == "outside the family: n_clients = 1 (the family has 2 to 3), noise_std = 3 (the family has 0 to 2)"
    four = Case(QuadraticClients(((1,),) * 4, ((1,),) * 4, (7,)), n_rounds=4, n_local_steps=2, step_size="1/9")
    said = beyond_family.family_exit_message(claim, four)
    assert said == "outside the family: n_clients = 4 (the family has 2 to 3)"  # all take part: said once
    assert beyond_family.family_exit_message(claim, CASE) == ""
    assert beyond_family.family_exit_message(claim, three) == ""
    assert beyond_family.family_exit_message(replace(claim, cases=(four,), id="sfl/own@y"), four) == ""
    assert beyond_family.family_exit_message(replace(claim, family=None), four) == ""
    assert beyond_family.family_exit_message(claim, GAME) == ""  # no noise to compare, and two clients
    assert beyond_family._ClaimKey(claim) == beyond_family._ClaimKey(replace(claim, cases=()))
    assert beyond_family._ClaimKey(claim) != beyond_family._ClaimKey(CLAIM)
    assert beyond_family._ClaimKey(claim) != 3
    drawn[:] = []
    assert beyond_family.family_ranges(replace(claim, id="sfl/own@z", cases=())) == {}


def test_cases_of_other_claims_on_the_same_quantity_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(
        name: str,
        *cases: int,
        algorithm: Any = CLAIM.algorithm,
        recorded: str = "violated",
        tightest: Any = None,
        **more: Any,
    ) -> Any:
        own = {"measure": CLAIM.measure, "paper": "sfl", "entry": SimpleNamespace(recorded=recorded)}
        return SimpleNamespace(
            id=name, cases=tuple(map(case, cases)), algorithm=algorithm, tightest=tightest, **(own | more)
        )

    others = [
        other("sfl/A@x", 1, 2, 3, algorithm="another"),
        other("sfl/B@x", 4, 5, 6),
        other("sfl/C@x", 7, recorded="holds"),
        other("sfl/D@x", 8, recorded="holds", tightest=case(9)),
        other("sfl/T7-GC@other", 10),
        other("sfl/E@x", 11, measure="another"),
        other("sfl/F@x", 4, 12),
    ]
    monkeypatch.setattr(nearby, "claims_of_paper", lambda paper: others)
    found = [c.constants[symbols.n_rounds] for c in nearby.neighbour_claim_cases(CLAIM)]
    assert found == [4, 5, 9, 12, 1, 2]
    many = [other(f"sfl/G{k}@x", 2 * k + 1, 2 * k + 2) for k in range(9)]
    monkeypatch.setattr(nearby, "claims_of_paper", lambda paper: many)
    assert len(nearby.neighbour_claim_cases(CLAIM)) == nearby.MAX_CASES
    assert nearby.neighbour_claim_cases(replace(CLAIM, measure=None)) == ()
    mine: Any = SimpleNamespace(paper="mine", id="mine/x", measure=CLAIM.measure, algorithm=CLAIM.algorithm)
    assert nearby.neighbour_claim_cases(mine) == ()


def test_patterns_play_two_rows_in_turns_in_phases_and_rarely() -> None:
    found = [(c.instance.responses, c.instance.counts_of, c.instance.repeat) for c in patterns.pattern_cases(GAME, 12)]
    a, b, small = (1, 0), (0, 1), (0, F(1, 4))
    assert found[:9] == [
        ((a, b), (1, 1), 6),
        ((a, b), (1, 2), 4),
        ((a, b), (6, 6), 1),
        ((a, b), (3, 9), 1),
        ((a, b), (9, 3), 1),
        ((a, small), (1, 2), 4),
        ((a, small), (1, 3), 3),
        ((small, a), (6, 6), 1),
        ((b, a), (1, 1), 6),
    ]
    assert len(found) == 16


def test_rows_are_rearranged_in_turns_or_phases_of_as_many_rounds() -> None:
    rows = GAME.instance.responses
    shape = Scripted(0.6, 0.4, choices=[2, 1, 3, rows[0], rows[1]])
    made = patterns.repattern(GAME, shape, "period")  # type: ignore[arg-type]
    assert made is not None
    assert (made.instance.counts_of, made.instance.repeat) == ((1, 3), 12)
    assert made.instance.responses == (rows[0], rows[1])
    made = patterns.repattern(GAME, Scripted(0.6, 0.6, choices=[2, 1, 3, rows[0], rows[1]]), "phases")  # type: ignore[arg-type]
    assert made is not None
    assert (made.instance.counts_of, made.instance.repeat) == ((12, 36), 1)
    assert patterns.repattern(CASE, Scripted(), "phases") is None  # type: ignore[arg-type]


def test_a_search_state_is_ahead_by_half_of_shorter_runs_of_its_shape() -> None:
    seen = SearchState(lengthened={LengthenedCase((1,), 10.0, 0.4)})
    assert not seen.ahead(LengthenedCase((1,), 10.0, 0.6))
    assert seen.ahead(LengthenedCase((1,), 10.0, 0.61))
    assert seen.ahead(LengthenedCase((1,), 9.0, 0.1))
    assert not seen.ahead(LengthenedCase((1,), 11.0, 0.1))
    assert seen.ahead(LengthenedCase((2,), 10.0, 0.1))
    half = SearchState(lengthened={LengthenedCase((1,), 10.0, 0.5)})
    assert not half.ahead(LengthenedCase((1,), 10.0, 0.75))
