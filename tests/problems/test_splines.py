"""Functions of one coordinate with any number of kinks, and functions of a class: drawn, and those of their class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, Case, falsify, quantity, symbols, theorem, verify
from fltheory.problems import PiecewiseQuadraticClients, QuadraticClients, SplineClients
from fltheory.problems.interpolated.constructed import hull_clients, maximum_clients, spline_with_minimiser
from fltheory.problems.strategies import interpolated_clients, lipschitz_clients, spline_clients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import ENERGY, LastDistance, RunMeasure
from tests.problems.own_constants import require_own_constants
from tests.problems.test_drawn_instances import drawn

CYCLE = SplineClients(((25, 1, 25),), ((1, 2),), 0, "13/4")  # Lessard, Recht and Packard (2016)
TWO = SplineClients(((2, 0, 3), (1,)), ((-1, 1), ()), (1, -4), 5)


def rationals(*values: object) -> np.ndarray:
    found = np.empty((len(values), 1), dtype=object)
    found[:, 0] = [fmpq(Fraction(str(v)).numerator, Fraction(str(v)).denominator) for v in values]
    return found


def test_the_counterexample_of_the_heavy_ball_has_its_gradient() -> None:
    x = rationals("1/2", 1, "3/2", 2, 3, -1)
    assert CYCLE.gradient(x, 0)[:, 0].tolist() == [fmpq(25, 2), 25, fmpq(51, 2), 26, 51, -25]
    assert CYCLE.gap(x)[:3].tolist() == [fmpq(25, 8), fmpq(25, 2), fmpq(25, 2) + fmpq(25 * 4 + 51 * 2, 16)]


@pytest.mark.parametrize(
    "other",
    [QuadraticClients((3,), (-2,), 4), PiecewiseQuadraticClients((5,), (2,), (3,), -4)],
    ids=["smooth", "kinked"],
)
def test_with_at_most_one_kink_they_are_the_separable_clients(other: Any) -> None:
    kinked = isinstance(other, PiecewiseQuadraticClients)
    one = SplineClients(((5, 2),), ((0,),), 3, -4) if kinked else SplineClients((3,), ((),), -2, 4)
    x = rationals(-3, "-1/2", 0, "7/3")
    assert one.minimiser == other.minimiser
    assert (one.gradient(x, 0) == other.gradient(x, 0)).all()
    assert (one.gap(x) == other.gap(x)).all()
    assert (one.client_value(x, 0) == other.client_value(x, 0)).all()
    for symbol, value in one.constants.items():
        assert other.constants.get(symbol, value) == value, symbol


def test_minimiser_and_constants_of_several_clients() -> None:
    (best,) = TWO.minimiser
    assert (TWO.mean_gradient(rationals(best)) == 0).all()
    assert TWO.constants[symbols.smoothness] == 3
    assert TWO.constants[symbols.strong_convexity] == 0
    require_own_constants(TWO, assume.convex)
    flat = SplineClients(((1, 0, 1),), ((-2, 3),), 0, 7)  # least on [-2, 3]
    assert spline_with_minimiser(((1, 0, 1),), ((-2, 3),), 0, 7).minimiser == (3,)  # the nearest
    assert flat == spline_with_minimiser(((1, 0, 1),), ((-2, 3),), 0, 7)
    assert spline_with_minimiser(((1, 0, 1),), ((-2, 3),), 0, 1).minimiser == (1,)


def test_balls_contain_what_they_are_at_rational_points() -> None:
    ball = np.array([[arb(1, "1e-3")]], dtype=object)
    for at in ("999/1000", 1, "1001/1000"):
        assert CYCLE.gradient(ball, 0)[0, 0].contains(arb(CYCLE.gradient(rationals(at), 0)[0, 0]))
        assert CYCLE.gap(ball)[0].contains(arb(CYCLE.gap(rationals(at))[0]))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((((1, 2),), ((),), 0, 1), "client 0 has 2 curvatures and 0 knots, expected one curvature more"),
        ((((1, -2),), ((0,),), 0, 1), "the curvatures of client 0 must be nonnegative"),
        ((((1, 2, 1),), ((3, 3),), 0, 1), "the knots of client 0 must increase"),
        ((((1, 2),), ((0,),), (0, 1), 1), "need one entry for every client"),
        ((((1, 2),), ((0,),), 0, (1, 2)), "start must have one coordinate, got 2"),
        ((((0, 1),), ((0,),), 1, 1), "the mean objective is unbounded below"),
        ((((0, 1),), ((0,),), 1, "sqrt(2)"), "must be rational"),
    ],
)
def test_what_is_no_spline_is_refused(arguments: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        SplineClients(*arguments)


def test_what_is_no_construction_is_refused() -> None:
    with pytest.raises(ValueError, match="pulls need one entry for every client and must sum to 0"):
        spline_with_minimiser(((1,), (2,)), ((), ()), 0, 1, (1, 2))
    with pytest.raises(ValueError, match="drops must be nonnegative"):
        maximum_clients(((1,),), (-1,), ((1,),), 1)


def test_drawn_splines_are_of_all_kinds() -> None:
    found = drawn(spline_clients(1, 25, max_clients=2), 60)
    assert {one.n_clients for one in found} == {1, 2}
    assert {len(row) for one in found for row in one.curvatures} == set(range(1, 7))
    assert all(one.constants[symbols.smoothness] == 25 for one in found)
    assert {1, 7, 13, 19, 25} == {c for one in found for row in one.curvatures for c in row}
    assert {one.constants[symbols.heterogeneity_at_optimum] > 0 for one in found} == {True, False}
    assert {one.constants[symbols.initial_distance] > 0 for one in found} == {True, False}
    for one in found[:4]:
        assert eval(repr(one), {"SplineClients": SplineClients}) == one
        require_own_constants(one, assume.strongly_convex)


def test_drawn_functions_of_a_class_are_of_it() -> None:
    found = drawn(interpolated_clients(1, 25), 15)
    assert {one.dim for one in found} == {1, 2}
    for one in found[:4]:
        require_own_constants(one, assume.strongly_convex)
    assert any(
        one.constants[symbols.initial_gap] not in (0, one.constants[symbols.initial_distance] ** 2 / 2) for one in found
    )
    steep = drawn(lipschitz_clients(3), 30)
    assert {one.dim for one in steep} == {1, 2}
    assert max(one.constants[symbols.client_gradient_bound] for one in steep) == 3
    assert all((one.mean_gradient(np.zeros((1, one.dim))) == 0).all() for one in steep)


def test_a_hull_has_its_minimiser_at_0_and_the_data_of_the_class() -> None:
    one = hull_clients(((-2,), (1,)), (0, 1), ((3,), (-1,)), 2, smoothness=4)
    assert one.minimiser == (0,)
    assert (one.mean_gradient(np.zeros((1, 1))) == 0).all()
    assert one.constants[symbols.smoothness] == 4


def still(start: Any, c: Any) -> Any:
    return {"x": start, "last": start}


def momentum(share: Fraction) -> Any:
    def step(s: Any, oracle: Any, c: Any) -> Any:
        moved = s["x"] - 25 * oracle.gradient(s["x"], 0) / (9 * c.smoothness)
        return {"x": moved + share * (s["x"] - s["last"]), "last": s["x"]}

    return Algorithm("heavy ball", step, init=still)


def runs() -> st.SearchStrategy[Case]:
    return st.builds(lambda f, rounds: Case(f, n_rounds=rounds), spline_clients(1, 25), st.integers(80, 100))


def falls(share: Fraction) -> Any:
    return theorem(
        "HB: |x_R - x*|² <= D²/100",
        quantity <= symbols.initial_distance**2 / 100,
        given=[Eq(symbols.n_clients, 1), symbols.n_rounds >= 80],
        algorithm=momentum(share),
        measure=LastDistance(),
        family=runs,
        key="kinks",
    )


def test_the_heavy_ball_cycles_on_its_counterexample() -> None:
    found = verify(falls(Fraction(4, 9)), Case(CYCLE, n_rounds=80))
    assert (found.status, found.evidence) == ("violated", "exact")
    quadratic = Case(SplineClients((25,), ((),), 0, "13/4"), n_rounds=80)
    assert verify(falls(Fraction(4, 9)), quadratic).status == "holds"


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_cycle_of_the_heavy_ball_is_found(seed: int) -> None:
    found = falsify(falls(Fraction(4, 9)), seed=seed).verdict
    assert found is not None
    assert (found.status, found.evidence) == ("violated", "exact")


@dataclass(frozen=True)
class Rise(RunMeasure):
    """How far the gradient of the last point is from that of the first, and the gap of the last."""

    name: str = "gap + slope"
    dimension: Any = ENERGY

    def values(self, states: Any, case: Any) -> Any:
        one = case.instance
        slope = one.mean_gradient(states[:, 0]) - one.mean_gradient(states[:, -1])
        return one.gap(states[:, -1])[:, None] + (slope - slope) + one.client_value(states[:, 0], 0)[:, None]


@pytest.mark.parametrize("root", [False, True])
def test_a_users_measure_is_exact_on_them(root: bool) -> None:
    def step(x: Any, oracle: Any, c: Any) -> Any:
        return x - oracle.gradient(x, 0) / (np.sqrt(0 * x + 2) * c.smoothness if root else 2 * c.smoothness)

    claim = theorem(
        "G: gap",
        quantity <= symbols.smoothness * symbols.initial_distance**2,
        algorithm=Algorithm("GD", step),
        measure=Rise(),
        cases=[Case(CYCLE, n_rounds=3)],
        key="rise",
    )
    found = verify(claim)
    assert (found.status, found.evidence) == ("holds", "exact")
