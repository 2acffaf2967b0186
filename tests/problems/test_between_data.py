"""Clients that are tilted or piecewise linear: they take their data, and refuse data of no function."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import symbols
from fltheory.problems.interpolated.piecewise import PiecewiseLinearClients
from fltheory.problems.interpolated.tilted import TiltedClients

# From its minimum 0 at 0 up to 1/2 at 2, where it is flat again; curvatures from -1 to 1.
HILL = TiltedClients(((0,), (2,)), ((0,), (0,)), (0, 1), ((1,), (-1,)), 2, smoothness=1, curvature=-1)
CORNERS = PiecewiseLinearClients(
    points=(((0, 0), (1, 0)), ((0, 0), (1, 1))),
    gradients=(((1, 0), (2, 0)), ((-1, 0), (0, 3))),
    values=((0, "3/2"), (0, 2)),
    start=(1, 1),
)


def rationals(*values: object) -> np.ndarray:
    found = np.empty((1, len(values)), dtype=object)
    found[0] = [fmpq(Fraction(str(v)).numerator, Fraction(str(v)).denominator) for v in values]
    return found


def test_between_two_flat_points_a_function_rises_as_fast_as_it_may() -> None:
    """Parabolas up from 0 to 1 and down from 1 to 2, and mirrored beyond; a tilt of +-x."""
    assert HILL.gap(np.array([[0.0], [0.5], [1.0], [1.5], [2.0]])).tolist() == [0, 0.125, 0.5, 0.875, 1]
    assert HILL.mean_gradient(np.array([[0.5], [1.0], [1.5]]))[:, 0].tolist() == [0.5, 1, 0.5]
    assert HILL.gradient(np.array([[0.5]]), 0)[0, 0] == 1.5
    assert HILL.client_value(np.array([[0.5]]), 1)[0] == 0.125 - 0.5
    known = HILL.constants
    assert (known[symbols.initial_gap], known[symbols.heterogeneity], known[symbols.max_heterogeneity]) == (1, 1, 1)
    assert symbols.strong_convexity not in known


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fractions(-4, 4, max_denominator=16), min_size=2, max_size=2))
def test_any_two_points_satisfy_the_inequality_of_smooth_functions(numbers: list[Fraction]) -> None:
    """With mu = -L; and each lies |g|^2 / 2L above the minimum."""
    x, y = rationals(numbers[0]), rationals(numbers[1])
    d, e = (x - y)[0, 0], (HILL.mean_gradient(x) - HILL.mean_gradient(y))[0, 0]
    gap = HILL.gap(x)[0] - HILL.gap(y)[0] - HILL.mean_gradient(y)[0, 0] * d
    assert gap >= (e + d) ** 2 / 4 - d * d / 2
    assert HILL.gap(x)[0] >= HILL.mean_gradient(x)[0, 0] ** 2 / 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fractions(-4, 4, max_denominator=16), min_size=4, max_size=4))
def test_subgradients_are_subgradients(numbers: list[Fraction]) -> None:
    x, y = rationals(*numbers[:2]), rationals(*numbers[2:])
    for m in range(2):
        slope = CORNERS.gradient(y, m)[0]
        assert CORNERS.client_value(x, m)[0] >= CORNERS.client_value(y, m)[0] + (slope * (x - y)[0]).sum()
        assert (slope * slope).sum() <= 9


def test_subgradients_at_the_data_are_those_of_the_data() -> None:
    for m in range(2):
        for point, gradient, value in zip(CORNERS.points[m], CORNERS.gradients[m], CORNERS.values[m], strict=True):
            x = rationals(*point)
            assert CORNERS.gradient(x, m).tolist() == rationals(*gradient).tolist()
            assert CORNERS.client_value(x, m).tolist() == rationals(value)[0].tolist()
    assert CORNERS.constants[symbols.client_gradient_bound] == 3
    assert CORNERS.gap(rationals(0, 0))[0] == 0


def test_balls_contain_what_is_at_rational_points() -> None:
    """Near a kink any subgradient."""
    for instance, numbers in ((HILL, ("1/3",)), (HILL, ("-5/3",)), (CORNERS, ("1/3", "1/3")), (CORNERS, (0, 0))):
        x = rationals(*numbers)
        balls = np.array([[arb(v) + arb(0, 1e-12) for v in x[0]]], dtype=object)
        for m in range(2):
            for shift in (-1, 1):
                near = x + fmpq(shift, 10**13)
                for ball, v in zip(instance.gradient(balls, m)[0], instance.gradient(near, m)[0], strict=True):
                    assert ball.contains(v)
                assert instance.client_value(balls, m)[0].contains(instance.client_value(near, m)[0])


def test_they_print_as_what_rebuilds_them() -> None:
    for instance in (HILL, CORNERS):
        names = {type(instance).__name__: type(instance)}
        assert eval(repr(instance), names) == instance


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"values": (0, "11/10")}, "see its point"),
        ({"gradients": ((0,), (-3,))}, "see its point"),
        ({"gradients": (("1/10",), (0,))}, "must be 0"),
        ({"values": (0, "-1/2")}, "not a minimiser"),
        ({"tilts": ((1,), (1,))}, "sum to 0"),
        ({"tilts": ()}, "every client a tilt"),
        ({"curvature": "-1/2"}, "curvature must be"),
        ({"start": (2, 0)}, "every coordinate"),
    ],
)
def test_data_of_no_smooth_function_are_refused(changed: dict[str, Any], why: str) -> None:
    known = {"points": ((0,), (2,)), "gradients": ((0,), (0,)), "values": (0, 1), "tilts": ((1,), (-1,)), "start": 2}
    with pytest.raises(ValueError, match=why):
        TiltedClients(**{**known, "smoothness": 1, "curvature": -1, **changed})


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"values": ((0, 3),)}, "see its point"),
        ({"gradients": ((1, 1),), "values": ((0, 2),)}, "sum to 0"),
        ({"points": ((0, 0),), "values": ((0, 0),)}, "see its point"),
        ({"points": ()}, "every client"),
        ({"start": (2, 0)}, "every coordinate"),
    ],
)
def test_data_of_no_convex_function_are_refused(changed: dict[str, Any], why: str) -> None:
    known = {"points": ((0, 2),), "gradients": ((0, 1),), "values": ((0, 1),), "start": 2}
    PiecewiseLinearClients(**known)
    with pytest.raises(ValueError, match=why):
        PiecewiseLinearClients(**{**known, **changed})


def test_losses_that_are_compared_at_a_point_need_no_minimum() -> None:
    known: dict[str, Any] = {"points": ((0, 2),), "gradients": ((1, 1),), "values": ((0, 2),), "start": 2}
    assert symbols.initial_gap not in PiecewiseLinearClients(**known, compared=True).constants
    with pytest.raises(ValueError, match="sum to 0"):
        PiecewiseLinearClients(**known)
