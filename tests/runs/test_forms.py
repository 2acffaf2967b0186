"""Affine forms and comparisons on them: arithmetic, refusals, the states that a run can reach, rounds as matrices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, as_number
from fltheory.number.elements import NotExact
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.distributions import affine, comparisons
from fltheory.runs.distributions.affine import (
    Affine,
    AffineFailure,
    AffineOracle,
    ComparisonPolicy,
    Form,
    NotAffine,
    affine_blocks,
    affine_round,
    affine_rounds,
    answers_by_run,
    blocks_from_rounds,
)
from fltheory.runs.distributions.comparisons import (
    ComparisonLog,
    RoundMap,
    SignedForm,
    TooManyComparisons,
    first_open_comparison,
    form_name,
    noise_draw_bound,
    signs_hold_at,
)
from fltheory.runs.distributions.moments import MapsByRound
from fltheory.runs.distributions.randomness import ScriptedChance
from fltheory.runs.oracle import Oracle

F = Fraction
RUN = {"n_rounds": 3, "n_local_steps": 1, "step_size": "1/10"}
NOISY = QuadraticClients(((1, 2), ("1/2", 1)), ((1, 0), (-2, 1)), (3, -1), ("1/2", 2))
ONE = QuadraticClients((1,), (0,), 3)


def form(ring: Any = RATIONAL, sides: ComparisonLog | None = None, **terms: Any) -> Form:
    """``c`` the constant, ``x`` and ``y`` the coordinates, ``n`` a noise."""
    keys = {"c": 0, "x": 1, "y": 2, "n": (0, 0, 0)}
    return Form({keys[k]: ring.scalar(F(v)) for k, v in terms.items()}, ring, sides)


def coefficients(found: Form) -> dict[Any, Fraction]:
    values = {k: F(float(v.mid())) if isinstance(v, arb) else F(as_number(v)) for k, v in found.terms.items()}
    return {k: v for k, v in values.items() if v}


@pytest.mark.parametrize("ring", [RATIONAL, BALL], ids=str)
def test_arithmetic_of_forms_is_that_of_their_coefficients(ring: Any) -> None:
    f, g, seven = form(ring, c=1, x="1/2", n=3), form(ring, x=2, y=-1), form(ring, c=7)
    cases: list[tuple[Any, dict[Any, Any]]] = [
        (f + g, {0: 1, 1: F(5, 2), 2: -1, (0, 0, 0): 3}),
        (g + f, {0: 1, 1: F(5, 2), 2: -1, (0, 0, 0): 3}),
        (f - g, {0: 1, 1: F(-3, 2), 2: 1, (0, 0, 0): 3}),
        (f + 2, {0: 3, 1: F(1, 2), (0, 0, 0): 3}),
        (2 + g, {0: 2, 1: 2, 2: -1}),
        (f - 2, {0: -1, 1: F(1, 2), (0, 0, 0): 3}),
        (2 - f, {0: 1, 1: F(-1, 2), (0, 0, 0): -3}),
        (f * 4, {0: 4, 1: 2, (0, 0, 0): 12}),
        (4 * f, {0: 4, 1: 2, (0, 0, 0): 12}),
        (f * seven, {0: 7, 1: F(7, 2), (0, 0, 0): 21}),
        (seven * f, {0: 7, 1: F(7, 2), (0, 0, 0): 21}),
        (f / 2, {0: F(1, 2), 1: F(1, 4), (0, 0, 0): F(3, 2)}),
        (f / form(ring, c=2), {0: F(1, 2), 1: F(1, 4), (0, 0, 0): F(3, 2)}),
        (14 / seven, {0: 2}),
        (-f, {0: -1, 1: F(-1, 2), (0, 0, 0): -3}),
        (f * Form({}, ring), {}),
        (f**1, {0: 1, 1: F(1, 2), (0, 0, 0): 3}),
        (f * F(1, 4) + 0.5, {0: F(3, 4), 1: F(1, 8), (0, 0, 0): F(3, 4)}),
    ]
    for found, expected in cases:
        assert coefficients(found) == expected
    assert coefficients(f) == {0: 1, 1: F(1, 2), (0, 0, 0): 3}  # unchanged


def test_arrays_of_forms_are_computed_entry_by_entry() -> None:
    f, numbers = form(x=2), np.array([F(1), F(3)], dtype=object)
    for found, expected in (
        (f + numbers, [{0: 1, 1: 2}, {0: 3, 1: 2}]),
        (numbers + f, [{0: 1, 1: 2}, {0: 3, 1: 2}]),
        (f - numbers, [{0: -1, 1: 2}, {0: -3, 1: 2}]),
        (numbers - f, [{0: 1, 1: -2}, {0: 3, 1: -2}]),
        (f * numbers, [{1: 2}, {1: 6}]),
        (f / numbers, [{1: 2}, {1: F(2, 3)}]),
        (form(c=6) / numbers, [{0: 6}, {0: 2}]),
        (numbers / form(c=2), [{0: F(1, 2)}, {0: F(3, 2)}]),
    ):
        assert type(found) is np.ndarray
        assert [coefficients(v) for v in found] == expected
    log = ComparisonLog([fmpq(1)])
    seen = form(x=2, sides=log)
    for compared, expected_truth in (
        (seen < numbers, [False, True]),
        (seen <= numbers, [False, True]),
        (seen > numbers, [True, False]),
        (seen >= numbers, [True, False]),
        (seen == numbers, [False, False]),
        (seen != numbers, [True, True]),
    ):
        assert np.asarray(compared).tolist() == expected_truth


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (lambda x: x * x, "multiplies values that depend on the state"),
        (lambda x: x / x, "multiplies values that depend on the state"),
        (lambda x: 1 / x, "divides by a value that depends on the state"),
        (lambda x: x**2, "takes a power"),
        (lambda x: abs(x), "takes an absolute value"),
        (lambda x: float(x), "converts an exact number to a float"),
        (lambda x: int(x), "converts an exact number to a float"),
        (lambda x: math.floor(x), "converts an exact number to a float"),
        (lambda x: x < 1, "compares numbers"),
        (lambda x: bool(x), "compares numbers"),
        (lambda x: x > math.inf, "compares numbers"),
    ],
)
def test_what_is_no_affine_form_is_named(operation: Callable[[Form], Any], words: str) -> None:
    with pytest.raises(NotAffine, match=words):
        operation(form(x=1))
    with pytest.raises(NotExact):
        form(x=1).tanh()


@pytest.mark.parametrize("value", [F(-1), F(0), F(1)])
def test_comparisons_are_answered_at_the_first_state(value: Fraction) -> None:
    state = [RATIONAL.scalar(value + 5)]
    log = ComparisonLog(state)
    shifted = form(c=-5, x=1, sides=log)  # at the first state: the value
    assert (shifted < 0, shifted <= 0, shifted > 0, shifted >= 0) == (value < 0, value <= 0, value > 0, value >= 0)
    assert (shifted == 0, shifted != 0, bool(shifted)) == (value == 0, value != 0, value != 0)
    assert (form(x=1, sides=log) < 5, form(x=1) + 0 is None) == (value < 0, False)
    (noted,) = log.forms_by_name.values()
    assert noted.sign == (value > 0) - (value < 0)
    assert (shifted < math.inf, shifted > math.inf, shifted < -math.inf, shifted > -math.inf) == (
        True,
        False,
        False,
        True,
    )
    assert (shifted < np.float64("inf"), shifted >= np.float64("-inf")) == (True, True)
    assert len(log.forms_by_name) == 1  # infinities need no note
    both = form(c=1) + form(x=1, sides=log)
    assert both.sides is log
    assert (form(x=1, sides=log) + form(c=1)).sides is log


def test_constants_are_compared_without_a_note_and_noise_counts_as_0() -> None:
    log = ComparisonLog([fmpq(2), fmpq(-3)])
    assert [log.sign({0: fmpq(v)}) for v in (-1, 0, 1)] == [-1, 0, 1]
    assert log.sign({0: fmpq(1), 1: fmpq(0), (0, 0, 0): fmpq(0)}) == 1
    assert log.forms_by_name == {}
    assert log.sign({0: fmpq(-1), 1: fmpq(1), 2: fmpq(1), (0, 0, 0): fmpq(9)}) == -1  # 2 - 3 - 1
    assert log.sign({1: fmpq(3), 2: fmpq(2)}) == 0
    assert len(log.forms_by_name) == 2


def test_a_form_and_its_negative_share_a_name_and_an_answer() -> None:
    terms = {0: fmpq(1), 1: fmpq(-2), 2: fmpq(0)}
    negative = {k: -v for k, v in terms.items()}
    assert form_name(terms)[0] == form_name(negative)[0]
    assert form_name(terms)[1] == -form_name(negative)[1]
    assert form_name({0: fmpq(1), 1: fmpq(-2)}) == form_name(terms)
    assert form_name({0: fmpq(1), 1: fmpq(2)})[0] != form_name(terms)[0]
    name, turned = form_name(terms)
    for answer in (-1, 0, 1):
        log = ComparisonLog([fmpq(1), fmpq(1)], {name: answer})
        assert log.sign(terms) == turned * answer
        assert log.sign(negative) == -turned * answer
        assert log.forms_by_name == {}


# What a run can reach ---------------------------------------------------------------------------------------------------


def rounds_of(maps: Sequence[Sequence[Sequence[dict[Any, Fraction]]]], sides: Sequence[SignedForm]) -> list[RoundMap]:
    return [
        RoundMap([[{k: RATIONAL.scalar(v) for k, v in f.items()} for f in forms] for forms in courses], tuple(sides))
        for courses in maps
    ]


def value(terms: Any, x: Sequence[Fraction], noise: Fraction) -> Fraction:
    return sum(
        (F(as_number(v)) * (F(1) if k == 0 else x[k - 1] if isinstance(k, int) else noise) for k, v in terms.items()),
        F(0),
    )


def reached(
    maps: Sequence[RoundMap], start: Sequence[Any], rounds: int, draw: Fraction
) -> list[set[tuple[Fraction, ...]]]:
    """The extreme states before every round: for affine maps of independent noise they are all corners."""
    states = [{tuple(F(v) for v in start)}]
    for r in range(rounds - 1):
        one = maps[min(r, len(maps) - 1)]
        following = set()
        for x, forms in itertools.product(states[-1], one.courses):
            keys = sorted({k for f in forms for k in f if not isinstance(k, int)})
            for signs in itertools.product((draw, -draw), repeat=len(keys)):
                noise = dict(zip(keys, signs, strict=True))
                following.add(
                    tuple(
                        sum(
                            (
                                F(as_number(v)) * (F(1) if k == 0 else x[k - 1] if isinstance(k, int) else noise[k])
                                for k, v in f.items()
                            ),
                            F(0),
                        )
                        for f in forms
                    )
                )
        states.append(following)
    return states


N, M = ("a", 0, 0), ("a", 0, 1)
MAPS: dict[str, list[Any]] = {
    "one noise": [[[{1: F(1, 2), N: F(1)}]]],
    "two noises": [[[{0: F(1, 3), 1: F(-1, 2), N: F(1), M: F(-2)}]]],
    "two coordinates": [[[{1: F(1, 2), 2: F(-1, 3), N: F(1)}, {0: F(1), 1: F(1, 4)}]]],
    "two outcomes": [[[{1: F(1, 2), N: F(1)}], [{0: F(-3), 1: F(1, 5)}]]],
    "rounds differ": [[[{1: F(2), N: F(1)}]], [[{0: F(-9), 1: F(1, 2)}]], [[{1: F(-1), N: F(3)}]], [[{1: F(1)}]]],
    "no noise": [[[{0: F(1), 1: F(-3, 2)}]]],
    "growing": [[[{1: F(11, 10), N: F(1, 10)}]]],
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("draw", [F(0), F(1), F(3, 2)])
def test_a_comparison_is_fixed_exactly_up_to_what_a_run_reaches(name: str, draw: Fraction) -> None:
    """A limit just outside of what is reached is never passed, one just inside is passed in a round that is reached."""
    start = [F(2), F(-1)][: len(MAPS[name][0][0])]
    plain = rounds_of(MAPS[name], ())
    for rounds in (1, 2, 4):
        first = [x[0] for states in reached(plain, start, rounds, draw) for x in states]
        for sign, limit, open_ in (
            (-1, max(first) + F(1, 10**6), False),
            (-1, max(first) - F(1, 10**6), True),
            (1, min(first) - F(1, 10**6), False),
            (1, min(first) + F(1, 10**6), True),
        ):
            side = SignedForm({1: fmpq(1), 0: RATIONAL.scalar(-limit)}, sign)
            maps = rounds_of(MAPS[name], [side])
            found = first_open_comparison(maps, [RATIONAL.scalar(v) for v in start], rounds, draw)
            if name != "two coordinates" or draw == 0 or rounds < 4 or open_:  # boxes lose what ties coordinates
                assert found == (side if open_ else None), (rounds, sign, limit)


def test_a_comparison_may_look_at_the_noise_itself() -> None:
    side = SignedForm({0: fmpq(1), N: fmpq(-1)}, 1)
    still = rounds_of([[[{1: F(1)}]]], [side])
    assert first_open_comparison(still, [fmpq(0)], 3, F(99, 100)) is None
    assert first_open_comparison(still, [fmpq(0)], 3, F(101, 100)) == side
    assert first_open_comparison(still, [fmpq(0)], 3, F(0)) is None


def test_a_comparison_without_an_answer_is_open_and_none_at_all_is_not() -> None:
    tie = SignedForm({1: fmpq(1)}, 0)
    assert first_open_comparison(rounds_of([[[{1: F(1)}]]], [tie]), [fmpq(0)], 3, F(0)) == tie
    assert first_open_comparison(rounds_of([[[{1: F(9)}]]], []), [fmpq(1)], 10**9, F(1)) is None
    sided = SignedForm({1: fmpq(1)}, 1)
    maps = [*rounds_of([[[{1: F(-1)}]]], []), *rounds_of([[[{1: F(1)}]]], [sided])]
    assert first_open_comparison(maps, [fmpq(1)], 2, F(0)) == sided
    assert first_open_comparison(maps, [fmpq(-1)], 2, F(0)) is None


def test_comparisons_are_counted_over_all_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = [SignedForm({0: fmpq(10**9), 1: fmpq(1)}, 1), SignedForm({0: fmpq(-(10**9)), 1: fmpq(1)}, -1)]
    growing = rounds_of([[[{1: F(11, 10)}]]], sides)
    monkeypatch.setattr(comparisons, "MAX_CHECKS", 20)
    assert first_open_comparison(growing, [fmpq(1)], 10, F(0)) is None
    with pytest.raises(TooManyComparisons):
        first_open_comparison(growing, [fmpq(1)], 11, F(0))


def test_answers_at_a_state_hold_for_all_noise() -> None:
    sides = [SignedForm({0: fmpq(1), 1: fmpq(1), N: fmpq(2)}, 1), SignedForm({0: fmpq(-9), 1: fmpq(1)}, -1)]
    assert signs_hold_at(sides, [2.5], F(1))
    assert not signs_hold_at(sides, [0.5], F(1))
    assert signs_hold_at(sides, [0.5], F(0))
    assert not signs_hold_at(sides, [9.5], F(1))
    assert not signs_hold_at(sides, [1.0], F(1))  # exactly 0 for one noise
    for odd in (math.inf, -math.inf, math.nan):
        assert not signs_hold_at([], [odd], F(0))
    assert signs_hold_at([], [1.0], F(0))


def test_bounds_on_noise_are_known_for_noise_along_one_vector() -> None:
    assert noise_draw_bound(ONE) == 0
    assert noise_draw_bound(QuadraticClients((1,), (0,), 1, "1/7")) == 1
    assert noise_draw_bound(FiniteSumQuadraticClients((1,), ((1, -1),), 1)) is None

    def mine(support: Sequence[Sequence[Any]], spread: Sequence[Any], values: int | None = 2, draws: int = 1) -> Any:
        rows = np.array([[RATIONAL.scalar(F(v)) for v in row] for row in support], dtype=object)
        return SimpleNamespace(draws=draws, noise_std=spread, n_noise_values=values, noise_support=lambda ring: rows)

    assert noise_draw_bound(mine([[1, -3], [2, 6]], (F(1), F(2)))) == 3
    assert noise_draw_bound(mine([[-5, 0], [2, 0]], (F(1), F(0)))) == 5
    assert noise_draw_bound(mine([[1, 1], [2, 0]], (F(1), F(0)))) is None  # noise where the deviation is 0
    assert noise_draw_bound(mine([[1, 1]], (F(1), F(2)), values=None)) is None
    assert noise_draw_bound(SimpleNamespace(draws=1, noise_std=(F(1),))) is None  # type: ignore[arg-type]
    assert noise_draw_bound(SimpleNamespace(draws=1)) is None  # type: ignore[arg-type]
    claimed = mine([[1], [-4]], (F(1),))
    claimed.largest_draw = F(1)  # a user's word is not taken for it
    assert noise_draw_bound(claimed) == 4


# Rounds -----------------------------------------------------------------------------------------------------------------


def oracle_of(instance: Any, ring: Any = RATIONAL) -> AffineOracle:
    case = Case(instance, **RUN)
    return AffineOracle(Algorithm("mine", still), case, ScriptedChance([], 2, ring, False, 100), ring)


def still(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
    return x


def test_the_noise_of_a_gradient_is_a_variable_of_its_own() -> None:
    x = np.array([[form(x=1), form(y=1)]] * 2, dtype=object)
    oracle = oracle_of(NOISY)
    found = oracle.gradient(x, np.array([0, 1]), 5)
    assert [[coefficients(v) for v in row] for row in found] == [
        [{0: 1, 1: 1, (0, 5, 0): F(1, 2)}, {2: 2, (0, 5, 0): 2}],
        [{0: -2, 1: F(1, 2), (1, 5, 0): F(1, 2)}, {0: 1, 2: 1, (1, 5, 0): 2}],
    ]
    quiet = oracle_of(QuadraticClients(((1, 2),), ((1, 0),), (3, -1))).gradient(x, 0, 5)
    assert [coefficients(v) for v in quiet[0]] == [{0: 1, 1: 1}, {2: 2}]
    shared = FiniteSumQuadraticClients((1,), ((1, -1),), 3)
    drawn = oracle_of(shared, BALL).gradient(np.array([[form(BALL, x=1)]], dtype=object), 0, 0)[0, 0]
    spread = sum(v * v for k, v in coefficients(drawn).items() if isinstance(k, tuple))
    assert float(spread) == pytest.approx(1)  # the variance of a fair sign
    depends = FiniteSumQuadraticClients((((1,), (2,)),), ((1, -1),), 3)
    with pytest.raises(NotAffine):
        oracle_of(depends).gradient(x[:, :1], 0, 0)


def first_round(
    step: Callable[..., Any], instance: Any = NOISY, round_: int = 0, **settings: Any
) -> Affine | AffineFailure:
    return affine_round(Algorithm("mine", step), Case(instance, **{**RUN, **settings}), round_, RATIONAL)


def test_a_round_has_an_affine_map_for_every_outcome() -> None:
    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        first = oracle.order(1)[:, 0]
        return x - oracle.gradient(x, first) * np.where(oracle.coin("1/3"), F(1), F(0))[:, None]

    found = first_round(step, n_participating=1)
    assert isinstance(found, Affine)
    assert (found.used_chance, found.of_round, found.sides, found.draw) == (True, False, (), 0)
    told = {}
    for course, forms in zip(found.courses, found.forms, strict=True):
        told[course.answers] = (F(as_number(course.weight)), [coefficients(f) for f in forms])
    n0, n1 = (0, 0, 0), (1, 0, 0)
    assert told == {
        (0, 0): (F(1, 3), [{1: 1}, {2: 1}]),
        (1, 0): (F(1, 3), [{1: 1}, {2: 1}]),
        (0, 1): (F(1, 6), [{0: -1, n0: F(-1, 2)}, {2: -1, n0: -2}]),
        (1, 1): (F(1, 6), [{0: 2, 1: F(1, 2), n1: F(-1, 2)}, {0: -1, n1: -2}]),
    }
    plain = first_round(lambda x, oracle, c: x / 2)
    assert isinstance(plain, Affine)
    assert not plain.used_chance
    assert [c.answers for c in plain.courses] == [()]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda x, oracle, c: x[:, :1], "returns numbers that don't come from its state"),
        (lambda x, oracle, c: list(x), "returns numbers that don't come from its state"),
        (lambda x, oracle, c: np.full(x.shape, "a", dtype=object), "returns numbers that don't come from its state"),
        (lambda x, oracle, c: np.where([[True, False]], x, "a"), "returns numbers that don't come from its state"),
        (lambda x, oracle, c: x * x, "multiplies values that depend on the state"),
        (lambda x, oracle, c: np.minimum(x, 1), "compares numbers"),
        (
            lambda x, oracle, c: x + sum(oracle.coin("1/2") for _ in range(10))[:, None],
            "more than 720 outcomes of a round",
        ),
        (lambda x, oracle, c: x + {}["a"], "has no value on exact numbers .KeyError: 'a'."),
    ],
)
def test_a_step_that_is_no_affine_map_says_why(step: Callable[..., Any], words: str) -> None:
    found = first_round(step)
    assert isinstance(found, AffineFailure)
    assert words in found.why.replace("(", ".").replace(")", ".") if "." in words else words in found.why
    assert "test_forms.py" in found.why
    assert affine_blocks(Algorithm("mine", step), Case(NOISY, **RUN), RATIONAL) is None


def test_numbers_among_the_results_are_constant_forms() -> None:
    found = first_round(lambda x, oracle, c: np.stack([x[:, 0], np.array([F(1, 2)] * len(x), dtype=object)], axis=1))
    assert isinstance(found, Affine)
    assert [coefficients(f) for f in found.forms[0]] == [{1: 1}, {0: F(1, 2)}]
    assert isinstance(first_round(lambda x, oracle, c: np.ones(x.shape)), Affine)


def test_answers_are_told_for_every_run() -> None:
    heard = [np.array([3, 4]), np.array([[1, 2], [5, 6]])]
    assert answers_by_run(heard, 2) == [(3, 1, 2), (4, 5, 6)]
    assert answers_by_run([], 3) == [()] * 3


def test_rounds_that_read_their_number_are_followed_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    turning = Algorithm("turning", lambda x, oracle, c: x / (c.round + 1))
    case = Case(ONE, **RUN)
    found = affine_rounds(turning, case)
    assert not isinstance(found, AffineFailure)
    assert [coefficients(one.forms[0, 0]) for one in found] == [{1: F(1, r + 1)} for r in range(3)]
    (block,) = blocks_from_rounds(found, RATIONAL)
    assert isinstance(block.law, MapsByRound)
    monkeypatch.setattr(affine, "FORMS", 3)
    assert not isinstance(affine_rounds(turning, case), AffineFailure)
    monkeypatch.setattr(affine, "FORMS", 2)
    told = affine_rounds(turning, case)
    assert isinstance(told, AffineFailure)
    assert "reads the round, and 3 different rounds are too many" in told.why
    late = Algorithm("late", lambda x, oracle, c: x * x if c.round == 2 else x)
    monkeypatch.setattr(affine, "FORMS", 100)
    assert isinstance(affine_rounds(late, case), AffineFailure)
    same = affine_rounds(Algorithm("same", lambda x, oracle, c: x + 0 * c.round), case)
    assert not isinstance(same, AffineFailure)
    assert len(same) == 1


def test_irrational_constants_are_followed_in_balls() -> None:
    case = Case(ONE, n_rounds=2, n_local_steps=1, step_size="sqrt(2)/10")
    found = affine_rounds(Algorithm("mine", lambda x, oracle, c: x - c.step_size * oracle.gradient(x, 0)), case)
    assert not isinstance(found, AffineFailure)
    assert found[0].ring is BALL
    rational = affine_rounds(Algorithm("mine", lambda x, oracle, c: x / 2), case)
    assert not isinstance(rational, AffineFailure)
    assert rational[0].ring is RATIONAL


@pytest.mark.parametrize("by_round", [False, True])
def test_matrices_of_rounds_are_those_of_their_forms(by_round: bool) -> None:
    """x -> x - g/2 of one of two clients, by a coin; its moments over all signs by hand."""

    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        scale = F(1, 2 + c.round) if by_round else F(1, 2)
        picked = np.where(oracle.coin("1/4")[:, None], oracle.gradient(x, 0), oracle.gradient(x, 1))
        return x - scale * picked

    case = Case(NOISY, **{**RUN, "n_rounds": 2})
    (block,) = affine_blocks(Algorithm("mine", step), case, RATIONAL) or pytest.fail("not affine")
    assert block.coordinates == (0, 1)
    tables = (((F(1), F(2)), (F(1), F(0))), ((F(1, 2), F(1)), (F(-2), F(1))))
    points = [(F(1), (F(3), F(-1)))]
    square: Any = [[F(a) * F(b) for b in (1, 3, -1)] for a in (1, 3, -1)]
    lifted = RATIONAL.matrix(3, 3, [RATIONAL.scalar(v) for row in square for v in row])
    for r in range(2):
        scale = F(1, 2 + r) if by_round else F(1, 2)
        following = []
        for (w, x), (p, m), sign in itertools.product(points, ((F(1, 4), 0), (F(3, 4), 1)), (1, -1)):
            h, b = tables[m]
            y = tuple(v - scale * (h[i] * v + b[i] + sign * (F(1, 2), F(2))[i]) for i, v in enumerate(x))
            following.append((w * p / 2, y))
        points = following
        if isinstance(block.law, MapsByRound):
            lifted = block.law.moved(r, lifted)
        else:
            column = block.law.second * RATIONAL.matrix(9, 1, [lifted[i, j] for i in range(3) for j in range(3)])
            lifted = RATIONAL.matrix(3, 3, [column[k, 0] for k in range(9)])
        expected = [[sum((w * (1, *x)[i] * (1, *x)[j] for w, x in points), F(0)) for j in range(3)] for i in range(3)]
        assert [[F(as_number(lifted[i, j])) for j in range(3)] for i in range(3)] == expected
    assert isinstance(block.law, MapsByRound) is by_round


def test_undecided_comparisons_are_tried_in_every_way_up_to_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of two sorted numbers is that of the numbers; a median of three is not."""

    def sorted_mean(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        both = np.stack([x - oracle.gradient(x, 0) / 2, x - oracle.gradient(x, 1) / 2])
        return np.sort(both, axis=0).sum(axis=0) / 2

    case = Case(NOISY, **RUN)
    found = affine_rounds(Algorithm("sorted", sorted_mean), case)
    plain = affine_rounds(
        Algorithm("mean", lambda x, oracle, c: x - (oracle.gradient(x, 0) + oracle.gradient(x, 1)) / 4), case
    )
    assert not isinstance(found, AffineFailure)
    assert not isinstance(plain, AffineFailure)
    assert [coefficients(f) for f in found[0].forms[0]] == [coefficients(f) for f in plain[0].forms[0]]
    assert found[0].sides
    assert found[0].draw == 1
    assert plain[0].sides == ()
    monkeypatch.setattr(affine, "MAX_OPEN_COMPARISONS", 0)
    assert isinstance(affine_rounds(Algorithm("sorted", sorted_mean), case), AffineFailure)
    monkeypatch.setattr(affine, "MAX_OPEN_COMPARISONS", 1)  # in one coordinate the order is open
    assert not isinstance(affine_rounds(Algorithm("sorted", sorted_mean), case), AffineFailure)

    def too_many(*given: Any) -> Any:
        raise TooManyComparisons

    monkeypatch.setattr(affine, "first_open_comparison", too_many)
    told = affine_rounds(Algorithm("sorted", sorted_mean), case)
    assert isinstance(told, AffineFailure)
    assert "compares numbers" in told.why


def test_a_tie_that_makes_a_difference_is_found_between_answers_that_make_none() -> None:
    """Above and below 3 the step halves, at 3 it doesn't: the run starts at 3."""
    found = affine_rounds(Algorithm("tie", lambda x, oracle, c: np.where(x == 3, 0 * x, x / 2)), Case(ONE, **RUN))
    assert isinstance(found, AffineFailure)
    same = affine_rounds(Algorithm("tie", lambda x, oracle, c: np.where(x == 3, x / 2, x / 2)), Case(ONE, **RUN))
    assert not isinstance(same, AffineFailure)


def test_a_noted_round_answers_as_it_is_told_to() -> None:
    step = Algorithm("clipped", lambda x, oracle, c: np.minimum(x, 2))
    case = Case(ONE, **RUN)
    log = affine_round(step, case, 0, RATIONAL, ComparisonPolicy(F(1), {}))
    assert isinstance(log, Affine)
    assert coefficients(log.forms[0, 0]) == {0: 2}  # at the start, 3, it cuts
    (side,) = log.sides
    name, turned = form_name(side.terms)
    other = affine_round(step, case, 0, RATIONAL, ComparisonPolicy(F(1), {name: -turned * side.sign}))
    assert isinstance(other, Affine)
    assert coefficients(other.forms[0, 0]) == {1: 1}
    assert other.sides == ()
    assert log.draw == other.draw == 1
