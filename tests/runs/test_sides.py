"""Comparisons in a step that come out alike on every state and noise that a run reaches, and those that don't."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.claims.check import check_claim
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.number import RATIONAL
from fltheory.number.elements import Undecided
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.affine import AffineFailure, affine_blocks, affine_rounds
from fltheory.runs.distributions.comparisons import (
    ComparisonLog,
    RoundMap,
    SignedForm,
    first_open_comparison,
    noise_draw_bound,
)
from fltheory.runs.distributions.moments import MapMoments
from fltheory.runs.measures import LastGap
from fltheory.runs.oracle import Oracle
from fltheory.verification import find

RUN = {"n_rounds": 4, "n_local_steps": 2, "step_size": "1/10"}
NOISY = QuadraticClients((1, "1/2"), (1, -1), 3, 1)
FAR = 10**6


def averaged(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return np.mean(np.stack(ends(x, oracle, c)), axis=0)


def ends(x: np.ndarray, oracle: Oracle, c: Constants) -> list[np.ndarray]:
    found = []
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        found.append(y)
    return found


def beyond(limit: float) -> Callable[..., np.ndarray]:
    """What is above the limit is set to it."""
    return lambda x, oracle, c: np.minimum(averaged(x, oracle, c), limit)


NEVER = {
    "clip": lambda x, oracle, c: np.clip(averaged(x, oracle, c), -FAR, FAR),
    "one side": lambda x, oracle, c: np.clip(averaged(x, oracle, c), -np.inf, FAR),
    "maximum": lambda x, oracle, c: np.maximum(averaged(x, oracle, c), -FAR),
    "where": lambda x, oracle, c: np.where(averaged(x, oracle, c) > FAR, 0 * x, averaged(x, oracle, c)),
    "if": lambda x, oracle, c: averaged(x, oracle, c) if (x < FAR).all() else 0 * x,
    "equal": lambda x, oracle, c: np.where(x == FAR, 0 * x, averaged(x, oracle, c)),
    "median of two": lambda x, oracle, c: np.median(np.stack(ends(x, oracle, c)), axis=0),
    "sorted": lambda x, oracle, c: np.sort(np.stack(ends(x, oracle, c)), axis=0).sum(axis=0) / 2,
}


@pytest.mark.parametrize("name", NEVER)
def test_what_is_compared_in_vain_leaves_the_law_as_it_is(name: str) -> None:
    """The value is that of the average, exactly; and of every one of the noise's outcomes, where these can be listed."""
    case = Case(NOISY, **RUN)
    mine, own = Algorithm(name, NEVER[name]), Algorithm("averaged", averaged)
    mine_law, own_law = (the_law(one, case) for one in (mine, own))
    assert (mine_law.first, mine_law.second) == (own_law.first, own_law.second)
    short = Case(NOISY, **{**RUN, "n_rounds": 2})
    measured = exact_rational(LastGap(), mine, short)
    assert measured is not None
    assert measured.value == by_hand(short)


def the_law(algorithm: Algorithm, case: Case) -> MapMoments:
    blocks = affine_blocks(algorithm, case, RATIONAL)
    assert blocks is not None
    (block,) = blocks
    assert isinstance(block.law, MapMoments)
    return block.law


def by_hand(case: Case) -> Fraction:
    """E[F(x_R)] - F* over all outcomes of the noise of two clients with two steps."""
    instance, step = case.instance, Fraction(1, 10)
    curvature, slope = [Fraction(1), Fraction(1, 2)], [Fraction(1), Fraction(-1)]
    states = [Fraction(3)]
    for _ in range(2):
        following = []
        for x in states:
            for signs in itertools.product((-1, 1), repeat=4):
                both = Fraction(0)
                for m in range(2):
                    y = x
                    for k in range(2):
                        y -= step * (curvature[m] * y + slope[m] + signs[2 * m + k])
                    both += y / 2
                following.append(both)
        states = following
    best = Fraction(instance.minimiser[0])
    gaps = [Fraction(3, 8) * (x - best) ** 2 for x in states]
    return sum(gaps, Fraction(0)) / len(gaps)


def test_what_is_cut_by_one_outcome_of_the_noise_is_no_affine_step() -> None:
    """A limit just above the largest state after a round does nothing; just below it cuts one outcome in sixteen."""
    case = Case(NOISY, **{**RUN, "n_rounds": 1})
    step, most = Fraction(1, 10), Fraction(0)
    for curvature, slope in ((Fraction(1), 1), (Fraction(1, 2), -1)):
        y = Fraction(3)
        for _ in range(2):
            y -= step * (curvature * y + slope - 1)
        most += y / 2
    above, below = (Algorithm("limited", beyond(v)) for v in (float(most) + 1e-6, float(most) - 1e-6))
    assert not isinstance(affine_rounds(above, case), AffineFailure)
    refused = affine_rounds(below, case)
    assert isinstance(refused, AffineFailure)
    assert "compares numbers" in refused.why


def test_what_only_later_rounds_reach_is_seen() -> None:
    """A state that grows by a tenth in each round passes 100 in round 37: 36 rounds are affine, 38 are not."""
    growing = Algorithm("growing", lambda x, oracle, c: np.where(x > 100, 0 * x, x * 11 / 10))
    lone = QuadraticClients((1, 1), (0, 0), 3)
    short, long = (affine_rounds(growing, Case(lone, **{**RUN, "n_rounds": r})) for r in (37, 38))
    assert not isinstance(short, AffineFailure)
    assert isinstance(long, AffineFailure)


def test_a_round_that_looks_at_its_number_is_compared_with_its_own() -> None:
    """Only the sixth round cuts, at a value that states have passed by then, or not."""

    def step(limit: int) -> Callable[..., np.ndarray]:
        return lambda x, oracle, c: np.minimum(2 * x, limit) if c.round == 5 else 2 * x

    lone = Case(QuadraticClients((1, 1), (0, 0), 1), **{**RUN, "n_rounds": 7})
    assert not isinstance(affine_rounds(Algorithm("late", step(65)), lone), AffineFailure)
    assert isinstance(affine_rounds(Algorithm("late", step(63)), lone), AffineFailure)


def test_a_median_of_three_is_no_mean() -> None:
    three = QuadraticClients((1, "1/2", "1/4"), (1, -1, 0), 3, 1)
    median = Algorithm("median", NEVER["median of two"])
    assert isinstance(affine_rounds(median, Case(three, **RUN)), AffineFailure)


@pytest.mark.parametrize("law", ["two_point", "uniform"])
def test_the_largest_draw_is_that_of_the_noise(law: str) -> None:
    instance = QuadraticClients((1,), (0,), 3, "1/7", law)
    draws = np.abs(instance.noise(np.zeros((1001, 1)), 0, np.linspace(0, 1, 1001)[:, None])).max() * 7
    largest = noise_draw_bound(instance)
    assert largest is not None
    assert draws <= largest < draws + 1e-3


def test_a_set_that_no_round_leaves_answers_for_any_number_of_rounds() -> None:
    halved = RoundMap([[{1: fmpq(1, 2), ("a", 0, 0): fmpq(1)}]], (SignedForm({1: fmpq(1), 0: fmpq(-5)}, -1),))
    assert first_open_comparison([halved], [3], 10**15, Fraction(1)) is None
    closer = halved._replace(sides=(SignedForm({1: fmpq(1), 0: fmpq(-1)}, -1),))
    assert first_open_comparison([closer], [fmpq(1, 2)], 10**15, Fraction(1)) == closer.sides[0]


def test_momentum_is_bounded_without_boxes_around_boxes() -> None:
    """The absolute values of the matrix grow by 2.3 in a round, its powers don't."""
    heavy = RoundMap(
        [[{1: fmpq(18, 10), 2: fmpq(-9, 10), ("a", 0, 0): fmpq(1, 10)}, {1: fmpq(1)}]],
        (SignedForm({1: fmpq(1), 0: fmpq(-100)}, -1),),
    )
    assert first_open_comparison([heavy], [3, 3], 1200, Fraction(1)) is None


@pytest.mark.parametrize("number", [3, 10])
def test_a_clipped_variant_of_a_noisy_theorem_is_decided(number: int) -> None:
    claim = find("sfl/T7-GC@explicit")
    case = claim.cases[number]
    found = [
        check_claim(replace(claim, algorithm=Algorithm(n, s)), case)
        for n, s in (("mine", NEVER["clip"]), ("own", averaged))
    ]
    assert [v.status for v in found] == ["holds", "holds"]
    assert {v.evidence for v in found} == {"exact"}
    assert found[0].measured == found[1].measured


def test_no_advice_is_given_that_does_not_help() -> None:
    """Sets in place of orders make courses fewer where nothing else is left to chance."""
    claim = find("sfl/T3-GC@printed")
    cut = Algorithm("cut", lambda x, oracle, c: np.clip(averaged(x, oracle, c), -1, 1))
    noisy = next(case for case in claim.cases if case.instance.draws)
    verdict = check_claim(replace(claim, algorithm=cut), noisy, stages=(20,))
    assert "compares numbers" in verdict.reason
    assert "ordered=False" not in verdict.reason


def test_rounds_that_a_step_only_logs_are_one() -> None:
    """It is followed in each, as it looked, and finds one map: then they are compared, and composed, as one."""

    def logged(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        logging.getLogger("mine").debug("round %s", c.round)
        return np.clip(averaged(x, oracle, c), -FAR, FAR)

    def turning(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        return averaged(x, oracle, c) / (c.round + 1)

    rounds = [affine_rounds(Algorithm("mine", step), Case(NOISY, **RUN)) for step in (logged, turning)]
    assert [len(found) for found in rounds] == [1, 4]
    assert (
        the_law(Algorithm("mine", logged), Case(NOISY, **RUN)).second
        == the_law(Algorithm("own", averaged), Case(NOISY, **RUN)).second
    )


def test_a_constant_that_its_ball_leaves_open_is_not_called_0() -> None:
    sides = ComparisonLog([fmpq(1)])
    with pytest.raises(Undecided, match="too close to decide"):
        sides.sign({0: arb(0, 1e-30)})
    assert [sides.sign({0: value}) for value in (arb(0), arb(1, 1e-30), fmpq(-1))] == [0, 1, -1]
    assert ComparisonLog([arb(0, 1e-30)]).sign({1: fmpq(1)}) == 0  # of a state: noted, and tried in every way
