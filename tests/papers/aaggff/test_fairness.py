"""Measures of fairness: by definition, on exact numbers, in other units."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import sympy
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from fltheory.papers.aaggff.practice.closed_forms import fairness

exact_rows = st.lists(st.fractions(0, 10, max_denominator=20), min_size=1, max_size=12)


def row(values: list[Fraction]) -> np.ndarray:
    return np.array(values, dtype=object)


def gini_by_definition(values: list[Fraction]) -> Fraction:
    """100 / (2 K^2 mean) sum over all pairs of their distance: K^2 terms."""
    total = sum(values)
    return 100 * sum(abs(a - b) for a in values for b in values) / (2 * len(values) * total) if total else Fraction(0)


@given(exact_rows)
def test_the_sorted_gini_is_the_definition(values: list[Fraction]) -> None:
    assert fairness.gini(row(values)) == gini_by_definition(values)
    np.testing.assert_allclose(fairness.gini([float(v) for v in values]), float(gini_by_definition(values)), atol=1e-9)


@given(exact_rows)
def test_mean_variance_and_ends_are_the_definition(values: list[Fraction]) -> None:
    performance, n = row(values), len(values)
    mean = sum(values, Fraction(0)) / n
    assert fairness.mean(performance) == mean
    assert fairness.variance(performance) == sum((v - mean) ** 2 for v in values) / n
    assert fairness.worst(performance) == min(values)
    assert fairness.best(performance) == max(values)
    assert fairness.parity_gap(performance) == max(values) - min(values)
    assert sympy.sympify(fairness.spread(performance)) ** 2 == sympy.Rational(
        *fairness.variance(performance).as_integer_ratio()
    )
    np.testing.assert_allclose(
        fairness.spread([float(v) for v in values]), np.std([float(v) for v in values]), atol=1e-12
    )


@given(exact_rows, st.fractions("1/9", 9, max_denominator=9))
def test_other_units_scale_everything_but_gini(values: list[Fraction], unit: Fraction) -> None:
    once, scaled = row(values), row([unit * v for v in values])
    assert fairness.gini(scaled) == fairness.gini(once)
    assert sympy.sympify(fairness.spread(scaled)) == unit * sympy.sympify(fairness.spread(once))
    for measure in (fairness.mean, fairness.worst, fairness.best, fairness.parity_gap):
        assert measure(scaled) == unit * measure(once)


@given(exact_rows)
def test_gini_is_below_its_ceiling_and_sees_copies_of_clients_as_one(values: list[Fraction]) -> None:
    n = len(values)
    assert 0 <= fairness.gini(row(values)) <= 100 * Fraction(n - 1, n)
    assert fairness.gini(row(values * 3)) == fairness.gini(row(values))
    alone = row([Fraction(0)] * (n - 1) + [Fraction(1)])
    assert fairness.gini(alone) == 100 * Fraction(n - 1, n)


def test_a_gift_from_the_best_to_the_worst_lowers_gini_and_spread() -> None:
    before, after = row([Fraction(1), Fraction(4), Fraction(9)]), row([Fraction(2), Fraction(4), Fraction(8)])
    assert fairness.gini(after) < fairness.gini(before)
    assert fairness.variance(after) < fairness.variance(before)
    assert fairness.parity_gap(after) < fairness.parity_gap(before)


def test_a_share_is_rounded_up_to_whole_clients() -> None:
    performance = np.arange(30.0)
    assert fairness.worst(performance, 0.1) == 1  # 0, 1, 2: a tenth of 30 is 3, not 4
    assert fairness.best(performance, 0.1) == 28
    assert fairness.worst(performance[:11], "1/10") == 0.5
    assert fairness.worst(performance, 1) == fairness.mean(performance)
    assert fairness.parity_gap(performance, 0.1) == 27


def test_seeds_come_first() -> None:
    performance = np.array([[1.0, 3.0], [0.0, 0.0], [2.0, 2.0]])
    np.testing.assert_allclose(fairness.gini(performance), [25, 0, 0])
    np.testing.assert_allclose(fairness.spread(performance), [1, 0, 0])
    np.testing.assert_allclose(fairness.worst(performance), [1, 0, 2])
    exact = np.array([[Fraction(1), Fraction(3)], [Fraction(0), Fraction(0)]], dtype=object)
    assert list(fairness.gini(exact)) == [25, 0]
    assert list(fairness.spread(exact)) == [1, 0]


def test_balls_stay_balls() -> None:
    balls = np.array([arb(1), arb(2)], dtype=object)
    assert (fairness.spread(balls) - arb("0.5")).contains(0)
    assert (fairness.gini(balls) * 6 - 100).contains(0)


MEASURES = (
    fairness.worst,
    fairness.best,
    fairness.mean,
    fairness.variance,
    fairness.spread,
    fairness.gini,
    fairness.parity_gap,
)


@pytest.mark.turns(3)
@pytest.mark.parametrize("measure", MEASURES, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([], "every client"),
        (3.0, "every client"),
        ([1.0, -1.0], "below 0"),
        ([1.0, np.nan], "finite"),
        ([1.0, np.inf], "finite"),
        (np.array([Fraction(-1)], dtype=object), "below 0"),
    ],
    ids=["none", "no list", "negative", "nan", "infinite", "exact"],
)
def test_bad_performance_is_named(measure: Callable[..., object], values: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        measure(values)


@pytest.mark.parametrize("share", [-0.1, 1.5])
def test_bad_shares_are_named(share: float) -> None:
    with pytest.raises(ValueError, match="share"):
        fairness.worst([1.0], share)
