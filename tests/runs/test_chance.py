"""Chance as an argument: every outcome with its probability, merged outcomes, and that what is drawn follows the same law."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fltheory.number import RATIONAL, Number
from fltheory.papers.fedcg.instances.families import clients, points
from fltheory.papers.fedcg.points.cases.points import draws_of_sets
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.set_functions import as_kind_of
from fltheory.runs.distributions.randomness import Chance, StreamChance, count_orderings, step_outcomes

shares = (
    st.lists(st.integers(0, 4), min_size=2, max_size=4)
    .filter(any)
    .map(lambda masses: [Fraction(m, sum(masses)) for m in masses])
)


def row(*values: Number) -> np.ndarray:
    return as_kind_of(values, np.empty(0, dtype=object))


def start(rows: int = 1) -> np.ndarray:
    return np.stack([row(i) for i in range(rows)])


def law(found: tuple[np.ndarray, ...] | None, of: int = 0) -> dict[tuple[Any, ...], Fraction]:
    """What the outcomes of one row say."""
    assert found is not None
    rows, results, chances = found
    return {
        tuple(result): Fraction(int(c.p), int(c.q))
        for r, result, c in zip(rows, results.tolist(), chances, strict=True)
        if r == of
    }


@given(shares, st.integers(1, 3), st.booleans())
def test_draws_have_the_law_of_all_sequences(p: list[Fraction], size: int, exchangeable: bool) -> None:
    def step(x: np.ndarray, chance: Chance) -> np.ndarray:
        return np.sort(chance.draw(p, size, len(x)), axis=1)

    found = step_outcomes(step, start(2), RATIONAL, 1000, exchangeable)
    assert found is not None
    expected: dict[tuple[int, ...], Fraction] = {}
    for way in itertools.product(range(len(p)), repeat=size):
        weight = Fraction(1)
        for i in way:
            weight *= p[i]
        if weight:
            key = tuple(sorted(way))
            expected[key] = expected.get(key, Fraction(0)) + weight
    assert law(found, 0) == law(found, 1) == expected


@given(shares, st.integers(1, 3))
def test_the_mean_of_a_draw_is_unbiased(p: list[Fraction], size: int) -> None:
    values = [Fraction(3 * i * i - 1) for i in range(len(p))]

    def step(x: np.ndarray, chance: Chance) -> np.ndarray:
        return chance.draw(p, size, len(x))

    found = step_outcomes(step, start(), RATIONAL, 1000, True)
    mean = sum(w * sum(values[i] for i in draw) / size for draw, w in law(found).items())
    assert mean == sum(w * v for w, v in zip(p, values, strict=True))


def test_a_draw_by_wrong_shares_is_biased() -> None:
    right, wrong = [Fraction(1, 4), Fraction(3, 4)], [Fraction(1, 2), Fraction(1, 2)]
    found = step_outcomes(lambda x, chance: chance.draw(wrong, 1, len(x)), start(), RATIONAL, 10)
    assert law(found)[(1,)] != right[1]


def walk(x: np.ndarray, chance: Chance) -> np.ndarray:
    """Up or down, and again if it went up: later questions depend on earlier answers."""
    half = np.stack([row(Fraction(1, 2), Fraction(1, 2))] * len(x))
    first = chance.choose(half)
    chances = np.stack([row(Fraction(1, 3), Fraction(2, 3)) if up else row(1, 0) for up in first])
    second = chance.choose(chances)
    return x + as_kind_of([int(v) for v in first + second], x)[:, None]


def test_later_questions_may_depend_on_earlier_answers() -> None:
    found = step_outcomes(walk, start(2), RATIONAL, 100)
    assert law(found, 0) == {(fmpq(0),): Fraction(1, 2), (fmpq(1),): Fraction(1, 6), (fmpq(2),): Fraction(1, 3)}
    assert law(found, 1) == {(fmpq(1),): Fraction(1, 2), (fmpq(2),): Fraction(1, 6), (fmpq(3),): Fraction(1, 3)}


def test_equal_results_are_one_outcome_and_sum_to_one() -> None:
    def parity(x: np.ndarray, chance: Chance) -> np.ndarray:
        thrown = chance.draw([Fraction(1, 3), Fraction(2, 3)], 3, len(x))
        return x * 0 + as_kind_of([int(v) % 2 for v in thrown.sum(axis=1)], x)[:, None]

    rows, results, chances = step_outcomes(parity, start(3), RATIONAL, 100) or pytest.fail("too many")
    assert len(rows) == 6
    assert [sum(c for r, c in zip(rows, chances, strict=True) if r == own) for own in range(3)] == [1, 1, 1]
    assert law((rows, results, chances))[(fmpq(1),)] == Fraction(2 * 3, 27) + Fraction(8, 27)


def test_too_many_outcomes_are_refused() -> None:
    fair = [Fraction(1, 2)] * 2
    assert step_outcomes(lambda x, chance: chance.draw(fair, 10, len(x)), start(), RATIONAL, 50) is None
    assert step_outcomes(lambda x, chance: chance.draw(fair, 10, len(x)), start(), RATIONAL, 50, True) is not None
    assert step_outcomes(lambda x, chance: chance.draw(fair, 5, len(x)), start(), RATIONAL, 50) is not None


def test_impossible_answers_are_left_out() -> None:
    p = [Fraction(0), Fraction(1, 2), Fraction(1, 2)]
    found = step_outcomes(lambda x, chance: chance.draw(p, 2, len(x)), start(), RATIONAL, 100)
    assert all(0 not in draw for draw in law(found))


def test_orders_of_a_draw() -> None:
    assert [count_orderings(d) for d in ((0, 0, 0), (0, 1), (0, 1, 1), (0, 1, 2))] == [1, 2, 3, 6]


# Simulated --------------------------------------------------------------------------------------------------------------


def test_drawn_answers_follow_the_chances() -> None:
    seeds = np.arange(20_000)
    picked = StreamChance(1, seeds, 0).draw([Fraction(1, 10), Fraction(0), Fraction(9, 10)], 1, len(seeds))[:, 0]
    assert not (picked == 1).any()
    assert abs((picked == 0).mean() - 0.1) < 0.012  # five standard deviations and more


def test_drawn_answers_are_the_same_again_and_differ_between_questions_rounds_and_owners() -> None:
    seeds, fair = np.arange(200), np.full((200, 2), 0.5)
    one, two = StreamChance(1, seeds, 0), StreamChance(1, seeds, 0)
    first, second = one.choose(fair), one.choose(fair)
    np.testing.assert_array_equal(first, two.choose(fair))
    others = (
        second,
        StreamChance(1, seeds, 1).choose(fair),
        StreamChance(2, seeds, 0).choose(fair),
        StreamChance(1, seeds, 0).choose(fair, 0),
    )
    assert all((first != other).any() for other in others)
    halves = [StreamChance(1, seeds[:100], 0).choose(fair[:100]), StreamChance(1, seeds[100:], 0).choose(fair[100:])]
    np.testing.assert_array_equal(first, np.concatenate(halves))


# What a step of the set functions asks -----------------------------------------------------------------------------------


@given(points(3))
def test_coins_draw_sets_with_their_chances(x: tuple[Fraction, ...]) -> None:
    at = row(*x)[None]

    def step(given: np.ndarray, chance: Chance) -> np.ndarray:
        return SetOracle(cast(SubmodularClients, None), chance).coins(np.repeat(at, len(given), axis=0)).astype(int)

    found = law(step_outcomes(step, start(), RATIONAL, 100))
    expected = {tuple(int(e in items) for e in range(3)): chance for chance, items in draws_of_sets(tuple(x))}
    assert found == expected


@given(clients(), st.integers(1, 2))
def test_the_mean_direction_of_a_draw_is_the_direction_of_all(own: SubmodularClients, size: int) -> None:
    x = np.stack([row(*[Fraction(1, 3)] * own.dim)])

    def step(at: np.ndarray, chance: Chance) -> np.ndarray:
        oracle = SetOracle(own, chance)
        drawn = oracle.draw(at, size)
        parts = [oracle.base(oracle.gradient(at, i), i) for i in drawn.T]
        return sum(parts, at * 0) / size

    found = step_outcomes(step, x, RATIONAL, 1000, True)
    assert found is not None
    mean = (found[2][:, None] * found[1]).sum(axis=0)
    every = [
        own.base(g, i)[0] * w for i, (g, w) in enumerate(zip(own.gradients(x), as_kind_of(own.weights, x), strict=True))
    ]
    assert (mean == sum(every)).all()
