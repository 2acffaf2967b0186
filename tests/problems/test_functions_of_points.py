"""Functions from finitely many points: in rationals, floats and balls that contain every value nearby."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory import symbols
from fltheory.number import BALL, RATIONAL, as_number, to_float
from fltheory.problems.data.clients import LeastSquaresData, from_data
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.beside import WithNoisyCoordinate
from fltheory.problems.interpolated.interpolant import Interpolant, PointData
from fltheory.problems.interpolated.piecewise import MaxOfAffine, PiecewiseLinearClients
from fltheory.problems.interpolated.quadratics import MatrixClients, norm_at_most
from fltheory.problems.interpolated.sampled import ComponentSamplingClients
from fltheory.problems.interpolated.tilted import TiltedClients
from fltheory.problems.logistic import LogisticClients
from fltheory.problems.separable import PiecewiseQuadraticClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_checks import submodularity_violation
from fltheory.problems.sets.set_functions import Capped, WeightedRank
from fltheory.runs.algorithm import object_array

F = Fraction
INNER = InterpolatedClients(
    (((0,), (1,)), ((0,), (1,))), (((1,), (2,)), ((-1,), (0,))), ((0, "3/2"), (0, "-1/2")), 1, 2
)
WEDGE = PiecewiseLinearClients(
    (((0, 0), (2, 0)), ((0, 0), (1, 1))), (((1, 0), (3, 1)), ((-1, 0), (1, 2))), ((0, 4), (0, 2)), (1, -1)
)


def rational(*rows: Any) -> np.ndarray:
    return object_array([RATIONAL.scalar(F(v)) for row in rows for v in row], (len(rows), len(rows[0])))


def plain(found: Any) -> list[Fraction]:
    return [F(as_number(v)) for v in np.asarray(found).ravel()]


def test_maxima_of_affine_functions() -> None:
    pieces = ([((0, 0), 0, (1, 0)), ((2, 0), 4, (3, 1))], [((0, 0), 0, (-1, 0)), ((1, 1), 2, (1, 2))])
    points = list(itertools.product((F(-2), F(1, 2), F(3)), repeat=2))
    for m, own in enumerate(pieces):
        for x in points:
            heights = [v + sum(F(g) * (a - b) for g, a, b in zip(slope, x, at, strict=True)) for at, v, slope in own]
            assert plain(WEDGE.client_value(rational(x), m)) == [max(heights)]
            assert plain(WEDGE.gradient(rational(x), m)) == list(own[heights.index(max(heights))][2])
            assert WEDGE.client_value(np.array([[float(v) for v in x]]), m) == pytest.approx([float(max(heights))])
    c = WEDGE.constants
    assert to_float(c[symbols.client_gradient_bound]) == pytest.approx(10**0.5)
    assert to_float(c[symbols.initial_distance]) == pytest.approx(2**0.5)
    gap = sum(plain(WEDGE.client_value(rational((1, -1)), m))[0] for m in (0, 1)) / 2
    assert c[symbols.initial_gap] == gap
    assert plain(WEDGE.gap(rational((1, -1)))) == [gap]
    assert WEDGE.client_types == (0, 1)
    assert (WEDGE.n_clients, WEDGE.dim, WEDGE.minimiser, c[symbols.noise_std]) == (2, 2, (0, 0), 0)
    one: Any = [(((0,),),), (((1,),),), ((0,),), 1]
    assert symbols.initial_gap not in PiecewiseLinearClients(*one, compared=True).constants
    for given, words in (
        (one, "must sum to 0"),
        (
            [(((0,),), ((1,),)), (((1,),), ((-1,),)), ((0,), (0,)), 1],
            "the first point of every client must be the same",
        ),
        (
            [(((0,), (1,)),), (((0,), (0,)),), ((0, 1),), 1],
            "no convex function has the data of client 0: see its point 0",
        ),
        ([(((0,), (0,)),), (((0,), (0,)),), ((0, 0),), 1], "see its point 1"),
        ([(((0,),),), (((0,),),), ((0,), (0,)), 1], "one entry for every client"),
        ([(((0,),),), (((0, 1),),), ((0,),), 1], "one entry for every coordinate of start"),
        ([(((0,),),), (((0,), (1,)),), ((0,),), 1], "every point needs a subgradient"),
        ([(), (), (), 1], "one entry for every client"),
    ):
        with pytest.raises(ValueError, match=words):
            PiecewiseLinearClients(*given)


def test_balls_contain_what_functions_take_nearby() -> None:
    """The error grows with the radius: by smoothness, or by the steepest piece."""
    middle, radius = F(1, 2), F(1, 8)
    ball = np.array([[arb(0.5, 0.125)]], dtype=object)
    wide = PiecewiseLinearClients((((0,), (1,)),), (((0,), (2,)),), ((0, 1),), 1)
    for own in (INNER, wide):
        for m in range(own.n_clients):
            slope, value = own.gradient(ball, m)[0, 0], own.client_value(ball, m)[0]
            for k in range(-8, 9):
                x = rational((middle + radius * F(k, 8),))
                assert slope.contains(own.gradient(x, m)[0, 0])
                assert value.contains(own.client_value(x, m)[0])
            known = abs(plain(own.gradient(rational((middle,)), m))[0])
            if own is INNER:
                assert float(slope.rad()) == pytest.approx(2 / 8, rel=1e-6)
                assert float(value.rad()) == pytest.approx(float(known) / 8 + 2 / 64 / 2, rel=1e-6)
            else:
                assert float(slope.rad()) == pytest.approx(2 + float(known), rel=1e-6)
                assert float(value.rad()) == pytest.approx(2 / 8, rel=1e-6)
        assert own.gap(ball)[0].contains(own.gap(rational((middle,)))[0])
        exact = np.array([[arb(0.5)]], dtype=object)
        assert own.client_value(exact, 0)[0].rad() < 1e-12
        assert (own.noise(ball, 0, np.zeros((1, 1)))[0, 0]) == 0
    pair = np.array([[arb(0.5, 0.03), arb(0.25, 0.04)]], dtype=object)  # at most 0.05 away
    assert float(WEDGE.client_value(pair, 0)[0].rad()) == pytest.approx(0.05 * 10**0.5, rel=1e-6)


def test_bends_of_either_sign_bound_the_change() -> None:
    data = [PointData(fmpq(0), (fmpq(0),))]
    for low, high, bend in ((fmpq(-3), fmpq(1), 3.0), (fmpq(-1), fmpq(4), 4.0), (fmpq(0), fmpq(2), 2.0)):
        own = Interpolant([(fmpq(0),)], data, low, high)
        slope, value = own.off(PointData(fmpq(0), (fmpq(3),)), arb(0.5))
        assert float(slope.mid()) == pytest.approx(bend / 2)
        assert float(value.mid()) == pytest.approx(3 * 0.5 + bend / 8)
    assert (
        MaxOfAffine(
            [(fmpq(0),), (fmpq(1),)], [PointData(fmpq(0), (fmpq(-5),)), PointData(fmpq(1), (fmpq(1),))]
        ).steepest
        == 25
    )


@pytest.mark.parametrize("mu", [F(0), F(1, 2)])
def test_interpolants_are_the_largest_functions_of_their_class(mu: Fraction) -> None:
    """A parabola of the largest curvature touches none from below: the hull lies between the tangents and the parabolas."""
    places, slopes = (F(-1), F(0), F(2)), (F(-1), F(0), F(3))
    values = (F(1, 2), F(0), F(3))
    own = Interpolant(
        [(RATIONAL.scalar(x),) for x in places],
        [PointData(RATIONAL.scalar(v), (RATIONAL.scalar(g),)) for v, g in zip(values, slopes, strict=True)],
        RATIONAL.scalar(mu),
        fmpq(2),
    )
    assert own.missed() is None
    for k in range(-12, 17):
        x = F(k, 4)
        found = own.at((RATIONAL.scalar(x),))
        value = F(as_number(found.value))
        below = max(v + g * (x - p) + mu * (x - p) ** 2 / 2 for p, v, g in zip(places, values, slopes, strict=True))
        above = min(v + g * (x - p) + (x - p) ** 2 for p, v, g in zip(places, values, slopes, strict=True))
        assert below <= value <= above
        h = F(1, 10**6)
        near = [F(as_number(own.at((RATIONAL.scalar(x + s * h),)).value)) for s in (1, -1)]
        assert float((near[0] - near[1]) / (2 * h)) == pytest.approx(float(F(as_number(found.gradient[0]))), abs=1e-5)
        second = (near[0] + near[1] - 2 * value) / h**2
        assert mu - F(1, 1000) <= second <= 2 + F(1, 1000)


def number(v: Any) -> float:
    return float(v.mid()) if isinstance(v, arb) else float(as_number(v) if isinstance(v, fmpq) else v)


def test_a_noisy_coordinate_beside_others() -> None:
    own = WithNoisyCoordinate(INNER, "1/2", "1/3")
    assert (own.dim, own.n_clients, own.start, own.minimiser) == (2, 2, (1, 0), (0, 0))
    assert own.noise_std == (0, F(1, 3))
    assert own.client_types == INNER.client_types
    assert (own.constants[symbols.dimension], own.constants[symbols.noise_std]) == (2, F(1, 3))
    x = rational((F(1, 2), 3), (1, -2))
    for at in (
        x,
        np.array([[0.5, 3.0], [1.0, -2.0]]),
        object_array([BALL.scalar(v) for v in (F(1, 2), 3, 1, -2)], (2, 2)),
    ):
        first = at[:, :1]
        for m in (0, 1):
            slopes = own.gradient(at, m)
            assert slopes.shape == (2, 2)
            assert [number(v) for v in slopes[:, 1]] == [1.5, -1.0]
            assert [number(v) for v in slopes[:, 0]] == [number(v) for v in INNER.gradient(first, m)[:, 0]]
            inside = [number(v) for v in INNER.client_value(first, m)]
            assert [number(v) for v in own.client_value(at, m)] == pytest.approx([inside[0] + 9 / 4, inside[1] + 1])
        assert [number(v) for v in own.mean_gradient(at)[:, 1]] == [1.5, -1.0]
        gaps = [number(v) for v in INNER.gap(first)]
        assert [number(v) for v in own.gap(at)] == pytest.approx([gaps[0] + 9 / 4, gaps[1] + 1])
    for curvature, std, words in (
        (3, 1, "curvature must lie between"),
        (-1, 1, "curvature must lie between"),
        (1, 0, "std must be positive"),
        (1, -1, "std must be positive"),
    ):
        with pytest.raises(ValueError, match=words):
            WithNoisyCoordinate(INNER, curvature, std)
    for curvature in (0, 2):
        assert WithNoisyCoordinate(INNER, curvature, 1).curvature == curvature


def test_tilted_minimisers_of_functions_that_bend_down() -> None:
    """With mu = -L a step of 1/L from another point may reach less than the first."""
    given: Any = [((0,), (2,)), ((0,), (1,)), (0, "1/2"), ((1,), (-1,)), 1, 1, -1]
    TiltedClients(*given)
    lower = [*given[:2], (0, "1/4"), *given[3:]]
    with pytest.raises(ValueError, match="a step from another point reaches a lower value"):
        TiltedClients(*lower)


def test_samples_of_functions_keep_their_order() -> None:
    four = InterpolatedClients((((0,),),) * 4, (((1,),), ((-1,),), ((2,),), ((-2,),)), ((0,),) * 4, 1, 1)
    pairs = ComponentSamplingClients(four, 2)
    assert pairs.client_types == (0, 1)
    swapped = InterpolatedClients((((0,),),) * 4, (((1,),), ((-1,),), ((1,),), ((-1,),)), ((0,),) * 4, 1, 1)
    assert ComponentSamplingClients(swapped, 2).client_types == (0, 0)
    assert pairs.constants[symbols.noise_std_at_optimum] == 2
    x = rational((1,), (1,))
    assert plain(pairs.noise_value(x, np.array([0, 1]), np.array([1, 0]), RATIONAL)) == [-1, 2]


def test_norms_of_matrices_with_entries_off_the_diagonal() -> None:
    one = MatrixClients((((1, "1/2"), ("1/2", 1)),), ((0, 0),), (1, 1), 2, 0).hessians[0]  # eigenvalues 1/2 and 3/2
    assert norm_at_most(one, fmpq(3, 2))
    assert not norm_at_most(one, fmpq(149, 100))
    assert norm_at_most(one * -1, fmpq(3, 2))
    assert not norm_at_most(one * -1, fmpq(149, 100))


def test_radii_of_full_and_single_samples_without_curvature() -> None:
    given = {"X": [[1, 0], [2, 0]], "y": [1, 2], "client": [0, 0]}
    own = from_data(given, "squares", regularisation=0)
    assert isinstance(own, LeastSquaresData)
    assert own.radius(0.01) is None
    assert (
        from_data({"X": [[1], [2]], "y": [1, 2], "client": [0, 0]}, "squares", regularisation=0).radius(0.01)
        is not None
    )
    three = LogisticClients((((1,), (2,)),), ((1, 0),), "1/4", ("3",))
    assert three.radius(4.0) == pytest.approx([max(3, 8) + abs(to_float(three.minimiser[0]))])
    far = LogisticClients((((1,), (2,)),), ((1, 0),), "1/4", ("30",))
    assert far.radius(4.0) == pytest.approx([30 + abs(to_float(far.minimiser[0]))])
    assert PiecewiseQuadraticClients((1,), (1,), (0,), 3).radius(0.5) == pytest.approx([3])


def test_ranks_by_a_matroid_that_is_none_are_refused() -> None:
    class Loose:
        n_items, rank = 3, 2

        def independent(self, items: frozenset[int]) -> bool:
            return len(items) <= 3

    loose: Any = Loose()
    assert submodularity_violation(WeightedRank(loose, (1, 2, 3))) == "its rank is 3, not 2"
    assert submodularity_violation(WeightedRank(Uniform(3, 2), (1, 2, 3))) is None
    assert submodularity_violation(Capped((1, 2), 2)) is None
