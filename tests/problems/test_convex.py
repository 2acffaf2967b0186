"""Convex clients in exact numbers: gradients, constants, minimisers, reprs, what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from fltheory import symbols
from fltheory.number import as_number, to_ball
from fltheory.number.mixed import mixed_array
from fltheory.papers.delta_sgd.convex.families import clients
from fltheory.problems.convex import Convex, ConvexClients, Huber, LogCosh, Quadratic, Quartic

FUNCTIONS: tuple[Convex, ...] = (
    Quadratic(((2, 1), (1, 3)), (1, "-1/2")),
    Quadratic(((1,), (-2, 4)), (0, 0)),
    Huber((3, "1/2"), (1, 2), (0, 1)),
    Quartic((1, 2), (0, 1)),
    LogCosh(((1, 2), ("1/2", -1)), "1/3"),
)
POINTS = st.lists(st.integers(-6, 6).map(lambda k: Fraction(k, 2)), min_size=2, max_size=2).map(mixed_array)


def dot(a: np.ndarray, b: np.ndarray) -> Any:
    return (a * b).sum()


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: type(f).__name__)
@given(x=POINTS, y=POINTS)
def test_values_lie_between_the_tangent_and_the_parabola(f: Convex, x: np.ndarray, y: np.ndarray) -> None:
    """Convexity and smoothness on the segment; a tenth of the constant is too small somewhere (below)."""
    rise = arb(f.value(y) - f.value(x) - dot(f.gradient(x), y - x))
    assert not rise < 0
    top = arb(f.smoothness_between([x, y])) * dot(y - x, y - x) / 2
    assert not rise > top


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: type(f).__name__)
def test_the_smoothness_is_not_idle(f: Convex) -> None:
    eighth = Fraction(1, 8)
    starts = [
        (mixed_array((a, b)), s, t) for a in (-1, 1) for b in (0, 2) for s in (-eighth, eighth) for t in (0, eighth)
    ]
    ways = [(x, x + mixed_array((s, t))) for x, s, t in starts]
    steepest = max(
        float(arb(dot(f.gradient(y) - f.gradient(x), y - x) / dot(y - x, y - x) / f.smoothness_between([x, y])).mid())
        for x, y in ways
    )
    assert steepest > 0.3


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: type(f).__name__)
def test_gradients_are_derivatives(f: Convex) -> None:
    x, h = mixed_array((Fraction(3, 2), Fraction(-5, 7))), fmpq(1, 10**8)
    for j in range(2):
        step = mixed_array((0, 0))
        step[j] = h
        slope = arb((f.value(x + step) - f.value(x - step)) / (2 * h))
        assert float(slope.mid()) == pytest.approx(float(arb(f.gradient(x)[j]).mid()), rel=1e-6, abs=1e-9)


@given(clients(max_dim=2), clients(max_dim=2, centres="apart"))
def test_clients_are_rebuilt_from_their_repr(common: ConvexClients, apart: ConvexClients) -> None:
    for instance in (common, apart):
        again = eval(repr(instance))
        assert again == instance
        total = sum((f.gradient(instance.best) for f in instance.objectives), mixed_array([0] * instance.dim))
        assert all(v == 0 for v in total)
    assert common.common


def test_quadratics_by_hand() -> None:
    f = Quadratic(((2, 1), (1, 2)), (1, 0))
    assert f == Quadratic(((2,), (1, 2)), (1, 0))
    assert f.smoothness == 3  # eigenvalues 1 and 3
    assert f.curvature is None
    assert Quadratic(((5, 0), (0, 5)), (0, 0)).curvature == 5
    assert list(f.gradient(mixed_array((2, 1)))) == [3, 3]
    assert f.value(mixed_array((2, 1))) == 3
    loose = Quadratic(((1, 1), (1, 3)), (0, 0)).smoothness  # 2 + sqrt 2 is not rational: from just above
    assert 2 + 2**0.5 <= loose < 2 + 2**0.5 + 1e-6


def test_constants_of_clients() -> None:
    instance = ConvexClients((Quadratic((2,), (0,)), Quadratic((6,), (4,))), 5)
    assert list(instance.best) == [3]
    c = instance.constants
    assert (c[symbols.initial_distance], c[symbols.initial_gap], c[symbols.smoothness]) == (2, 8, 6)
    assert not instance.common
    assert ConvexClients((LogCosh(((1,),)),), 1).constants.get(symbols.initial_gap) is None
    assert symbols.smoothness not in ConvexClients((Quartic((1,), (0,)),), 1).constants


def test_a_huber_function_at_the_edge_in_balls() -> None:
    f = Huber((2,), (1,), (0,))
    wide = np.array([arb(1, 0.5)], dtype=object)
    assert f.gradient(wide)[0].contains(arb(1.5))
    assert f.gradient(wide)[0].contains(arb(2))
    assert as_number(f.value(mixed_array((3,)))) == 5
    assert to_ball(as_number(f.gradient(mixed_array((-3,)))[0])) == -2


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Quadratic(((1, 2), (2, 1)), (0, 0)), "positive semidefinite"),
        (lambda: Quadratic(((1, 2), (3, 1)), (0, 0)), "symmetric"),
        (lambda: Quadratic(((1, 2, 3),), (0,)), "1 times 1"),
        (lambda: Quadratic((("sqrt(2)",),), (0,)), "rational"),
        (lambda: Huber((1,), (0,), (0,)), "thresholds positive"),
        (lambda: Huber((1, 2), (1,), (0,)), "one entry for every coordinate"),
        (lambda: Quartic((-1,), (0,)), "nonnegative"),
        (lambda: LogCosh(((1, 2), (1,))), "equal length"),
        (lambda: ConvexClients((), (0,)), "at least one client"),
        (lambda: ConvexClients(None, (0,)), "tuple of functions"),
        (lambda: ConvexClients((3,), (0,)), "tuple of functions"),
        (lambda: ConvexClients((Quadratic((1,), (0,)),), None), "expected a number"),
        (lambda: Quadratic((), ()), "at least one coordinate"),
        (lambda: Huber((), (), ()), "at least one coordinate"),
        (lambda: LogCosh(((),)), "at least one entry"),
        (lambda: ConvexClients((Quadratic((1,), (0,)),), (0, 1)), "one dimension"),
        (lambda: ConvexClients((Quadratic((1,), (0,)),), (1,), minimiser=(1,)), "not a minimiser"),
        (lambda: ConvexClients((Quadratic((1,), (0,)),), (1,), pace=(1, 2)), "factor for every client"),
        (lambda: ConvexClients((Huber((1,), (1,), (0,)), Huber((1,), (1,), (3,))), (1,)).best, "give minimiser="),
    ],
)
def test_what_makes_no_sense_is_refused(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()
