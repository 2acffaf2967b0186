"""Random draws: which probabilities are accepted, what a script answers, where enumeration stops, streams in order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.number import BALL, RATIONAL, streams
from fltheory.runs.distributions import randomness
from fltheory.runs.distributions.randomness import (
    CHOICE_STREAM,
    MAX_COINS,
    ROUNDING,
    Chance,
    OpenQuestion,
    ScriptedChance,
    StreamChance,
    TooManyAnswers,
    count_orderings,
    enumerate_outcomes,
    merge_equal_results,
    require_chances,
    require_coins,
    step_outcomes,
)

HALF = Fraction(1, 2)


def exact(rows: Sequence[Sequence[Any]], kind: Any = fmpq) -> np.ndarray:
    found = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            own = Fraction(value) if isinstance(value, Fraction | int) else value
            found[i, j] = kind(own.numerator, own.denominator) if isinstance(own, Fraction) else own
    return found


def scripted(
    *script: np.ndarray, rows: int = 1, limit: int = 100, ring: Any = RATIONAL, counted: bool = False
) -> ScriptedChance:
    return ScriptedChance(list(script), rows, ring, counted, limit)


@pytest.mark.parametrize(
    "chances",
    [
        np.array([[0.25, 0.75], [1.0, 0.0]]),
        np.array([[-ROUNDING, 1.0]]),
        np.array([[0.5, 0.5 + ROUNDING / 2]]),
        np.array([[0.5, 0.5 - ROUNDING / 2]]),
        np.array([[-ROUNDING, 1 + ROUNDING]]),
        exact([[0, 1], [HALF, HALF]]),
        exact([[arb(0, 0.1), arb(1, 0.1)]]),
        exact([[arb(0.5, 0.1), arb(0.6, 0.2)]]),
    ],
    ids=range(8),
)
def test_probabilities_are_accepted_up_to_rounding_and_balls_where_they_may_be_right(chances: np.ndarray) -> None:
    require_chances(chances)


@pytest.mark.parametrize(
    "chances",
    [
        np.array([[-2 * ROUNDING, 1 + 2 * ROUNDING]]),
        np.array([[0.5, 0.5], [-0.5, 1.5]]),
        np.array([[0.5, 0.5], [0.5, 0.5 + 3 * ROUNDING]]),
        np.array([[0.5, 0.5 - 3 * ROUNDING]]),
        np.array([[0.25, 0.25]]),
        np.array([[np.nan, 1.0]]),
        np.array([[0.5, 0.5], [np.nan, np.nan]]),
        exact([[Fraction(-1, 10**20), 1 + Fraction(1, 10**20)]]),
        exact([[HALF, HALF], [HALF, HALF + Fraction(1, 10**20)]]),
        exact([[HALF, HALF - Fraction(1, 10**20)]]),
        exact([[arb(0.5, 0.1), arb(0.8, 0.1)]]),
        exact([[arb(-0.5, 0.1), arb(1.5, 0.1)]]),
    ],
    ids=range(12),
)
def test_what_is_no_law_is_refused_in_any_row(chances: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"expected nonnegative numbers of sum 1") as told:
        require_chances(chances)
    assert str(chances[0].tolist()) in str(told.value)


@pytest.mark.parametrize("shape", [(3,), (2, 0), (1, 2, 2), ()])
def test_probabilities_have_rows_and_outcomes(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"expected \(rows, outcomes\)"):
        require_chances(np.full(shape, 0.5))


def test_coins_lie_in_the_unit_interval_up_to_rounding() -> None:
    for fine in (
        np.array([[0.0, 1.0], [0.5, 0.5]]),
        np.array([[-ROUNDING, 1 + ROUNDING]]),
        exact([[0, 1]]),
        exact([[arb(0, 0.1), arb(1, 0.1)]]),
        np.empty((1, 0)),
    ):
        require_coins(fine)
    for wrong in (
        np.array([[0.5, 0.5], [0.5, -2 * ROUNDING]]),
        np.array([[0.5, 1 + 3 * ROUNDING]]),
        np.array([[np.nan]]),
        exact([[HALF, Fraction(-1, 10**20)]]),
        exact([[HALF], [1 + Fraction(1, 10**20)]]),
    ):
        with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
            require_coins(wrong)
    for shape in ((2,), (1, 1, 1)):
        with pytest.raises(ValueError, match=r"expected \(rows, coins\)"):
            require_coins(np.full(shape, 0.5))


# Streams ----------------------------------------------------------------------------------------------------------------


def test_every_draw_of_a_stream_uses_its_next_number() -> None:
    """The i-th draw of an owner compares the i-th number of its stream with the cumulative probabilities."""
    seeds = np.arange(400)
    chance = StreamChance(3, seeds, 2)
    assert chance.rows == 400
    law = np.tile([0.2, 0.3, 0.5], (400, 1))
    for owner, index in ((None, 0), (7, 0), (None, 1), (7, 1), (8, 0), (None, 2)):
        number = streams.uniform(3, seeds, 2, CHOICE_STREAM if owner is None else owner, index)
        expected = np.where(number < 0.2, 0, np.where(number < 0.5, 1, 2))
        np.testing.assert_array_equal(chance.choose(law, owner), expected)
    for index in (3, 4):
        expected = streams.uniform(3, seeds, 2, CHOICE_STREAM, index) < 0.25 * (index - 2)
        if index == 3:
            tossed = chance.coins(np.tile([0.25, 0.5], (400, 1)))
        np.testing.assert_array_equal(tossed[:, index - 3], expected)
    number = streams.uniform(3, seeds, 2, CHOICE_STREAM, 5)  # two coins have used two numbers
    np.testing.assert_array_equal(chance.choose(law), np.where(number < 0.2, 0, np.where(number < 0.5, 1, 2)))


def test_streams_refuse_what_is_no_law() -> None:
    chance = StreamChance(1, np.arange(2), 0)
    with pytest.raises(ValueError, match="sum 1"):
        chance.choose(np.array([[0.5, 0.6]] * 2))
    with pytest.raises(ValueError, match="lie in"):
        chance.coins(np.array([[1.5]] * 2))


def test_a_draw_repeats_one_choice() -> None:
    seeds = np.arange(50)
    one, two = StreamChance(1, seeds, 0), StreamChance(1, seeds, 0)
    law = np.tile([0.25, 0.75], (50, 1))
    found = one.draw([Fraction(1, 4), Fraction(3, 4)], 3, 50)
    np.testing.assert_array_equal(found, np.stack([two.choose(law) for _ in range(3)], axis=1))


# Scripts ----------------------------------------------------------------------------------------------------------------


def test_a_script_answers_in_order_and_then_asks() -> None:
    law = exact([[HALF, HALF]] * 2)
    chance = scripted(np.array([1, 0]), np.array([0, 1]), rows=2)
    assert not chance.used_chance
    assert chance.exact
    assert chance.choose(law).tolist() == [1, 0]
    assert chance.used_chance
    assert chance.choose(law).tolist() == [0, 1]
    with pytest.raises(OpenQuestion, match="draws beyond the script") as asked:
        chance.choose(law)
    assert asked.value.answers.tolist() == [0, 1]
    assert asked.value.chances.tolist() == law.tolist()
    assert [h.tolist() for h in chance.heard] == [[1, 0], [0, 1]]


def test_certain_outcomes_are_not_asked_for() -> None:
    chance = scripted(rows=2)
    assert chance.choose(exact([[0, 1], [1, 0]])).tolist() == [1, 0]
    assert [h.tolist() for h in chance.heard] == [[1, 0]]
    with pytest.raises(OpenQuestion):  # one row is certain, the other isn't
        chance.choose(exact([[0, 1], [HALF, HALF]]))
    with pytest.raises(OpenQuestion):  # a ball around 0 may be above it
        scripted(ring=BALL).choose(exact([[arb(0, 0.1), arb(1, 0.1)]]))
    with pytest.raises(ValueError, match="sum 1"):
        scripted().choose(exact([[HALF, 1]]))


def test_probabilities_in_floats_are_read_as_printed_and_sum_to_one() -> None:
    with pytest.raises(OpenQuestion) as asked:
        scripted().choose(np.array([[0.1, 0.2, 0.7]]))
    assert asked.value.chances.tolist() == [[fmpq(1, 10), fmpq(1, 5), fmpq(7, 10)]]
    with pytest.raises(OpenQuestion) as asked:
        scripted().choose(np.array([[0.3333333333, 0.3333333333, 0.3333333333]]))
    assert asked.value.chances.tolist() == [[fmpq(1, 3)] * 3]


def test_a_draw_among_answers_has_the_same_law_in_all_rows() -> None:
    answers, law = np.array([[0, 1], [1, 0], [2, 2]]), [HALF, Fraction(1, 3), Fraction(1, 6)]
    with pytest.raises(OpenQuestion) as asked:
        scripted(rows=2, limit=3).among(answers, law)
    assert asked.value.answers.tolist() == answers.tolist()
    assert asked.value.chances.tolist() == [[fmpq(1, 2), fmpq(1, 3), fmpq(1, 6)]] * 2
    with pytest.raises(TooManyAnswers):
        scripted(rows=2, limit=2).among(answers, law)
    chance = scripted(answers[[2, 0]], rows=2)
    assert chance.among(answers, law).tolist() == [[2, 2], [0, 1]]
    assert [h.tolist() for h in chance.heard] == [[[2, 2], [0, 1]]]
    assert not chance.used_chance  # the order of the clients is no draw of the step
    alone = scripted(rows=3)
    assert alone.among(answers[:1], [Fraction(1)]).tolist() == [[0, 1]] * 3
    assert len(alone.heard) == 1


def test_open_coins_are_limited_before_the_first_is_tossed() -> None:
    fair = exact([[HALF] * 7])
    with pytest.raises(TooManyAnswers):
        scripted(limit=127).coins(fair)
    with pytest.raises(OpenQuestion):
        scripted(limit=128).coins(fair)
    sure = exact([[HALF] * 2 + [0, 1] * 10])  # 2^2 sequences, however many certain coins there are
    with pytest.raises(OpenQuestion):
        scripted(limit=4).coins(sure)
    with pytest.raises(TooManyAnswers):
        scripted(limit=3).coins(sure)
    most = exact([[1, 0] * (MAX_COINS // 2)])
    assert scripted(limit=1).coins(most).tolist() == [[True, False] * (MAX_COINS // 2)]
    with pytest.raises(TooManyAnswers):
        scripted(limit=1).coins(exact([[0] * (MAX_COINS + 1)]))
    with pytest.raises(ValueError, match="lie in"):
        scripted().coins(exact([[2]]))


def test_coins_in_floats_are_tossed_with_their_printed_chances() -> None:
    def toss(rows: np.ndarray, chance: ScriptedChance) -> np.ndarray:
        return chance.coins(np.tile([0.1, 1.0, -ROUNDING / 2, 1 + ROUNDING / 2], (len(rows), 1)))

    rows, tossed, weights = enumerate_outcomes(toss, 1, RATIONAL, 10) or pytest.fail("too many")
    found = {tuple(t): w for t, w in zip(tossed.tolist(), weights, strict=True)}
    assert found == {(True, True, False, True): fmpq(1, 10), (False, True, False, True): fmpq(9, 10)}
    assert rows.tolist() == [0, 0]


@pytest.mark.parametrize("counted", [False, True])
def test_a_draw_lists_possible_sequences_or_counts_with_their_probabilities(counted: bool) -> None:
    shares, size = [Fraction(1, 6), Fraction(0), Fraction(1, 3), HALF], 3
    ways: dict[tuple[int, ...], Fraction] = {}
    for way in itertools.product((0, 2, 3), repeat=size):
        key = tuple(sorted(way)) if counted else way
        ways[key] = ways.get(key, Fraction(0)) + math.prod(shares[i] for i in way)
    with pytest.raises(OpenQuestion) as asked:
        scripted(rows=2, limit=len(ways), counted=counted).draw(shares, size, 2)
    listed = [tuple(row) for row in asked.value.answers.tolist()]
    assert len(listed) == len(ways)
    for row in asked.value.chances:
        assert {k: Fraction(int(c.p), int(c.q)) for k, c in zip(listed, row, strict=True)} == ways
    with pytest.raises(TooManyAnswers):
        scripted(rows=2, limit=len(ways) - 1, counted=counted).draw(shares, size, 2)
    answer = np.array([[0, 2, 3], [3, 3, 3]])
    chance = scripted(answer, rows=2)
    assert chance.draw(shares, size, 2).tolist() == answer.tolist()
    assert chance.used_chance
    assert [h.tolist() for h in chance.heard] == [answer.tolist()]


def test_an_unanswered_draw_counts_as_chance() -> None:
    chance = scripted()
    with pytest.raises(OpenQuestion):
        chance.draw([HALF, HALF], 1, 1)
    assert chance.used_chance


def test_orders_of_draws_are_those_of_all_permutations() -> None:
    for draws in ((), (4,), (0, 0), (0, 1, 1, 2), (2, 1, 1, 1, 2)):
        assert count_orderings(draws) == len(set(itertools.permutations(draws)))


# Enumeration ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("flips", "rows"), [(1, 1), (3, 1), (2, 3)])
def test_enumeration_stops_exactly_beyond_its_limit(flips: int, rows: int) -> None:
    def toss(which: np.ndarray, chance: ScriptedChance) -> np.ndarray:
        return np.stack([chance.choose(exact([[HALF, HALF]] * len(which))) for _ in range(flips)], axis=1)

    ends = rows * 2**flips
    found = enumerate_outcomes(toss, rows, RATIONAL, ends)
    assert found is not None
    assert len(found[0]) == ends
    for own in range(rows):
        assert sum((w for r, w in zip(found[0], found[2], strict=True) if r == own), fmpq(0)) == 1
    assert enumerate_outcomes(toss, rows, RATIONAL, ends - 1) is None


def test_outcomes_of_chance_0_are_not_counted_unless_there_are_far_too_many() -> None:
    """Of k answers only those that are possible count; more than four times the limit are not even looked at."""

    def pick(k: int) -> Any:
        law = exact([[HALF, HALF] + [0] * (k - 2)])
        return lambda which, chance: chance.choose(np.repeat(law, len(which), axis=0))

    found = enumerate_outcomes(pick(8), 1, RATIONAL, 2)
    assert found is not None
    assert found[1].tolist() == [0, 1]
    assert enumerate_outcomes(pick(9), 1, RATIONAL, 2) is None


def test_an_enumerated_step_may_overwrite_its_points() -> None:
    """Later outcomes start from the same points."""
    x = exact([[0], [5]])

    def step(points: np.ndarray, chance: Chance) -> np.ndarray:
        points += fmpq(1)
        return points + exact([[int(v)] for v in chance.choose(exact([[HALF, HALF]] * len(points)))])

    rows, results, chances = step_outcomes(step, x, RATIONAL, 10) or pytest.fail("too many")
    assert sorted(zip(rows.tolist(), results[:, 0].tolist(), chances, strict=True)) == [
        (0, 1, fmpq(1, 2)),
        (0, 2, fmpq(1, 2)),
        (1, 6, fmpq(1, 2)),
        (1, 7, fmpq(1, 2)),
    ]
    assert x.tolist() == [[0], [5]]
    assert step_outcomes(step, x, RATIONAL, 3) is None


def test_only_equal_results_of_the_same_row_are_merged() -> None:
    rows, results = np.array([0, 1, 0, 0, 1]), exact([[1], [1], [2], [1], [1]])
    weights = exact([[Fraction(1, 2), Fraction(1, 3), Fraction(1, 4), Fraction(1, 4), Fraction(2, 3)]])[0]
    kept, merged, chances = merge_equal_results(rows, results, weights)
    assert kept.tolist() == [0, 1, 0]
    assert merged.tolist() == [[1], [1], [2]]
    assert chances.tolist() == [fmpq(3, 4), fmpq(1), fmpq(1, 4)]


def test_a_question_is_no_exception_that_a_step_could_swallow() -> None:
    def step(which: np.ndarray, chance: ScriptedChance) -> np.ndarray:
        try:
            return chance.choose(exact([[HALF, HALF]] * len(which)))
        except Exception:  # a careless handler
            return which * 0

    found = enumerate_outcomes(step, 1, RATIONAL, 10)
    assert found is not None
    assert found[1].tolist() == [0, 1]
    assert not issubclass(randomness.TooManyAnswers, Exception)
