"""(7), (8), Lemmas 2 and 3, and (1c): mutants, needed conditions, and the functions by other means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, quantity_measure
from fltheory.model.case import Case
from fltheory.number import NotRational
from fltheory.number.mixed import to_mixed
from fltheory.papers.delta_sgd.instances.lemmas import (
    Between,
    Gradients,
    LogCosh,
    OnInterval,
    Pieces,
    Quartic,
    Ridges,
    SharedPair,
    Vectors,
    huber,
    quadratic,
    rational_of,
    steepness,
)
from fltheory.papers.delta_sgd.smoothness import claims as smoothness
from fltheory.papers.delta_sgd.smoothness import families as drawn
from tests.typed import instance_of

CLAIMS = smoothness.CLAIMS

BY_ID = {c.id.removeprefix("delta_sgd/"): c for c in CLAIMS}


def violated(claim: Claim, case: Case, **changes: Any) -> bool:
    """Whether the claim with some changes, and no conditions, fails on the case."""
    free = replace(claim, bounds=(replace(claim.bound, conditions=()),))
    return check_claim(replace(free, **changes), case).status == "violated"


# Mutants and needed conditions --------------------------------------------------------------------------------------------


class AtX(Between):
    """With the constant of the point x alone."""

    @cached_property
    def smoothness(self) -> Fraction:
        return self.objective.smoothness((self.x,))


@pytest.mark.parametrize("name", ["L2@printed", "L2-10@printed", "L2-inner@printed"])
def test_a_constant_that_is_none_on_the_hull_is_not_enough(name: str) -> None:
    one = smoothness.OUTWARDS
    assert check_claim(BY_ID[name], Case(one)).status == "holds"
    assert violated(BY_ID[name], Case(AtX(one.objective, one.x, one.y)))


def test_a_client_smaller_than_the_mean_does_not_bound_it() -> None:
    flat, steep = (Ridges(((1,),), (quadratic(k),)) for k in (1, 5))
    case = smoothness.pair((0,), (1,), (flat, ()), (steep, ()))
    assert check_claim(BY_ID["L3-11@printed"], case).ratio == 1

    def by_least(one: SharedPair, c: Constants) -> Any:
        return smoothness.change(one) / to_mixed(min(c.smoothness for c in one.clients) ** 2)

    assert violated(BY_ID["L3-11@printed"], case, measure=quantity_measure(by_least, name="by the least"))


def test_the_mean_may_be_far_smoother_but_not_always() -> None:
    claim = BY_ID["L3@strict"]
    assert check_claim(claim, smoothness.OPPOSITE).measured == 0
    assert check_claim(claim, smoothness.APART).measured == Fraction(1, 2)
    assert check_claim(claim, smoothness.ALIKE[0]).status == "holds"


def test_a_dissimilarity_above_1_turns_directions_round() -> None:
    cone = BY_ID["A1c-cone@corrected"]
    assert "fails" in check_claim(cone, smoothness.SIGNED).reason
    assert violated(cone, smoothness.SIGNED, bounds=BY_ID["A1c-cone@explicit"].bounds)
    at_1 = Case(Gradients(((0,), (2,)), (1, 0)))  # rho = 1: the direction vanishes
    assert check_claim(cone, at_1).status == "inapplicable"
    assert smoothness.weighted_share(instance_of(at_1, Gradients)) == 0


def test_with_plain_weights_the_direction_is_the_gradient() -> None:
    signed = instance_of(smoothness.SIGNED, Gradients)
    assert smoothness.weighted_share(Gradients(signed.vectors)) == 1  # a common step follows f whatever rho


# The functions by other means ---------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(drawn.curves(), st.fractions(-4, 4, max_denominator=8))
def test_slopes_are_derivatives(curve: Pieces | LogCosh | Quartic, t: Fraction) -> None:
    h = Fraction(1, 10**4)
    below, here, above = (tuple(float(v) for v in curve.jet(s)) for s in (t - h, t, t + h))
    steepest = float(curve.steepest(t - h, t + h))
    assert (above[0] - below[0]) / 2e-4 == pytest.approx(here[1], abs=2e-4 * steepest + 1e-6)
    assert abs(above[1] - below[1]) <= 2e-4 * steepest + 1e-9


def test_values_by_hand() -> None:
    phi = huber(2, 3, 1)
    assert [phi.jet(Fraction(t)) for t in (1, 2, 3, 5, -4)] == [(0, 0), (Fraction(3, 2), 3), (6, 6), (18, 6), (24, -6)]
    assert Quartic(4, 1).jet(Fraction(3)) == (16, 32)
    assert [phi.steepest(*ends) for ends in ((3, 4), (2, 4), (0, 0))] == [0, 3, 0]
    value, slope = (float(v) for v in LogCosh(2, 1).jet(Fraction(2)))
    assert (value, slope) == pytest.approx((2 * np.log(np.cosh(1)), 2 * np.tanh(1)))


@settings(max_examples=30, deadline=None)
@given(drawn.rows(3, 2), st.lists(st.integers(0, 5), min_size=3, max_size=3))
def test_steepness_is_above_the_largest_eigenvalue(directions: list[list[Fraction]], curvatures: list[int]) -> None:
    matrix = sum(c * np.outer(*2 * [np.array(a, float)]) for a, c in zip(directions, curvatures, strict=True))
    assert float(steepness(tuple(map(tuple, directions)), curvatures)) >= np.linalg.eigvalsh(matrix).max() - 1e-9
    orthogonal = (tuple(directions[0]), (-directions[0][1], directions[0][0]))
    matrix = sum(c * np.outer(*2 * [np.array(a, float)]) for a, c in zip(orthogonal, curvatures[:2], strict=True))
    exact = float(steepness(orthogonal, curvatures[:2]))
    assert exact == pytest.approx(np.linalg.eigvalsh(matrix).max())


@settings(max_examples=25, deadline=None)
@given(drawn.on_interval())
def test_the_constant_of_a_mean_on_an_interval(case: Case) -> None:
    one = instance_of(case, OnInterval)
    breaks = {b for c in one.clients for b in c.breaks if one.low < b < one.high}
    grid = sorted(breaks | {one.low + (one.high - one.low) * Fraction(k, 7) for k in range(8)})
    slopes = [sum(c.jet(t)[1] for c in one.clients) / len(one.clients) for t in grid]
    steepest = max(abs((slopes[i + 1] - slopes[i]) / (grid[i + 1] - grid[i])) for i in range(len(grid) - 1))
    assert steepest == one.smoothness_of_mean


def test_log_cosh_is_left_to_balls() -> None:
    value = Ridges(((1,),), (LogCosh(),)).jet((Fraction(1),))[0]
    with pytest.raises(NotRational):
        rational_of(value)
    assert float(value) == pytest.approx(np.log(np.cosh(1)))


# Instances ----------------------------------------------------------------------------------------------------------------


LINE = Ridges(((1,),), (quadratic(),))


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Pieces((1, 0), (1, 2, 3)), "increasing breaks"),
        (lambda: Pieces((0,), (1,)), "curvature for each piece"),
        (lambda: Pieces((), "sqrt(2)"), "curvatures: expected rational"),
        (lambda: Quartic("sqrt(2)"), "weight = sqrt.*expected rational"),
        (lambda: Ridges(((1,), (1, 2)), (quadratic(), quadratic())), "one length"),
        (lambda: Ridges(((1,),), ()), "same length"),
        (lambda: Between(LINE, (0, 1), (1, 1)), "dimension 1"),
        (lambda: Between(LINE, (0,), (0,)), "different points"),
        (lambda: SharedPair((Between(LINE, (0,), (1,)), Between(LINE, (0,), (2,)))), "same points"),
        (lambda: OnInterval((quadratic(),), 1, 1), "low < high"),
        (lambda: OnInterval((quadratic(0),), 0, 1), "not all linear"),
        (lambda: Vectors(((0, 0),)), "not all 0"),
        (lambda: Vectors(((1, "sqrt(2)"),)), "vectors = .*expected rational"),
        (lambda: Gradients(((1,), (-1,))), "mean other than 0"),
        (lambda: Gradients(((1,), (2,)), (1, -1)), "at least 0"),
        (lambda: Gradients(((1,), (2,)), (1,)), "weights has 1 entries"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()
