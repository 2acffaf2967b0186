"""Constants, ceilings and values of clients against their definitions, by brute force, and what clients refuse."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, fmpq, fmpq_mat

from fltheory import symbols
from fltheory.number import BALL, RATIONAL, NotRational, as_number, spectrum, to_ball, to_float
from fltheory.number.mixed import mixed_array
from fltheory.number.spectrum import eigenvalue_range, largest_eigenvalue
from fltheory.problems.additive_noise import AdditiveNoise, mean, ring_array, squared_norm, type_ids
from fltheory.problems.convex import ConvexClients, Huber, LogCosh, Quadratic, Quartic
from fltheory.problems.cosine import CosineClients
from fltheory.problems.dense import DenseQuadraticClients, nearest_solution
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.heterogeneity import uniform_heterogeneity
from fltheory.problems.separable import KinkedFunction, PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import object_array

F = Fraction


def exact(rows: Sequence[Sequence[Any]], ring: Any = RATIONAL) -> np.ndarray:
    flat = [ring.scalar(F(v)) for row in rows for v in row]
    return object_array(flat, (len(rows), len(rows[0])))


def fractions(found: Any) -> list[Any]:
    return [F(as_number(v)) for v in np.asarray(found).ravel()]


# Convex functions -------------------------------------------------------------------------------------------------------


def huber(u: Fraction, tau: Fraction) -> tuple[Fraction, Fraction]:
    """Value and slope."""
    if abs(u) <= tau:
        return u * u / 2, u
    return tau * (abs(u) - tau / 2), tau if u > 0 else -tau


@pytest.mark.parametrize(
    "x", list(itertools.product((F(-5), F(-2), F(-1), F(0), F(1, 2), F(1), F(3)), (F(-3), F(1), F(4))))
)
def test_values_and_slopes_by_formula(x: tuple[Fraction, ...]) -> None:
    at = mixed_array(x)
    h = Huber((3, "1/2"), (1, 2), (0, 1))
    parts = [(F(3), *huber(x[0], F(1))), (F(1, 2), *huber(x[1] - 1, F(2)))]
    assert F(as_number(h.value(at))) == sum(c * v for c, v, _ in parts)
    assert fractions(h.gradient(at)) == [c * s for c, _, s in parts]
    q = Quartic((1, "1/3"), (0, 1))
    assert F(as_number(q.value(at))) == (x[0] ** 4 + F(1, 3) * (x[1] - 1) ** 4) / 4
    assert fractions(q.gradient(at)) == [x[0] ** 3, F(1, 3) * (x[1] - 1) ** 3]
    centre = mixed_array((0, 1))
    top = max(3 * x[0] ** 2, (x[1] - 1) ** 2)
    assert F(as_number(q.smoothness_between([at, centre]))) == F(as_number(q.smoothness_between([centre, at]))) == top
    square = Quadratic(((2, 1), (1, 3)), (1, "-1/2"))
    u, v = x[0] - 1, x[1] + F(1, 2)
    assert F(as_number(square.value(at))) == (2 * u * u + 2 * u * v + 3 * v * v) / 2
    assert fractions(square.gradient(at)) == [2 * u + v, u + 3 * v]
    logs = LogCosh(((1, 2), ("1/2", -1)), "1/3")
    z = [float(x[0] + 2 * x[1]), float(x[0] / 2 - x[1])]
    assert float(logs.value(at).mid()) == pytest.approx(
        sum(math.log(math.cosh(v)) for v in z) + float(sum(v * v for v in x)) / 6
    )
    slopes = [
        math.tanh(z[0]) + math.tanh(z[1]) / 2 + float(x[0]) / 3,
        2 * math.tanh(z[0]) - math.tanh(z[1]) + float(x[1]) / 3,
    ]
    np.testing.assert_allclose([float(v.mid()) for v in logs.gradient(at)], slopes, atol=1e-12)


@pytest.mark.parametrize(
    "u", [arb(1, 0.5), arb(-1, 0.5), arb(0, 3), arb(0, 0.5), arb(5, 1), arb(-5, 1), arb(1), arb(0.5, 0.5)]
)
def test_balls_are_clipped_to_what_they_may_be(u: Any) -> None:
    found = Huber((2,), (1,), (0,)).gradient(np.array([u], dtype=object))[0]
    low, high = float(u.lower()), float(u.upper())
    for v in np.linspace(low, high, 9):
        assert arb(found).overlaps(arb(2 * max(-1.0, min(1.0, v)), 1e-12))
    assert float(arb(found).upper()) <= 2 * min(1.0, max(-1.0, high)) + 1e-6
    assert float(arb(found).lower()) >= 2 * max(-1.0, min(1.0, low)) - 1e-6


@pytest.mark.parametrize(
    "matrix",
    [
        ((4,),),
        ((1, 0), (0, 3)),
        ((2, 2), (2, 5)),
        ((0, 0), (0, 0)),
        ((5, -2), (-2, 2)),
        ((1, 1), (1, 3)),
        ((2, 1, 0), (1, 2, 1), (0, 1, 2)),
    ],
)
def test_the_smoothness_of_a_quadratic_is_its_largest_eigenvalue(matrix: Any) -> None:
    n = len(matrix)
    f = Quadratic(matrix, (0,) * n)
    top = max(np.linalg.eigvalsh(np.array(matrix, dtype=float)))
    assert top - 1e-12 <= float(f.smoothness) <= top + 1e-6
    if abs(top - round(top)) < 1e-9:
        assert f.smoothness == round(top) or n > 2
    same = all(matrix[i][j] == (matrix[0][0] if i == j else 0) for i in range(n) for j in range(n))
    assert f.curvature == (matrix[0][0] if same else None)
    assert as_number(f.smoothness_between([])) == f.smoothness
    assert Huber((1, 3), (1, 1), (0, 0)).smoothness == 3
    assert Quartic((1,), (0,)).smoothness is None


def test_the_smoothness_of_logistic_losses_is_that_of_their_gram_matrix() -> None:
    rows = np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 1.0]])
    top = max(np.linalg.eigvalsh(rows.T @ rows)) + 1 / 3
    found = float(LogCosh(((1, 2), ("1/2", -1), (0, 1)), "1/3").smoothness)
    assert top <= found <= top + 1e-6


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Quadratic(((-1,),), (0,)), "positive semidefinite"),
        (lambda: Quadratic(((0, 0), (0, -1)), (0, 0)), "positive semidefinite"),
        (lambda: Quadratic(((0, 1), (1, 0)), (0, 0)), "positive semidefinite"),
        (lambda: Quadratic(((1, 0), (0, 1)), (0,)), "1 times 1, as the centre has 1"),
        (lambda: Quadratic(((1,), (0, 1, 0)), (0, 0)), "2 times 2"),
        (lambda: Quadratic(((1, 0),), (0, 0)), "2 times 2"),
        (lambda: Quadratic(((1,),), ("sqrt(2)",)), "centre must be rational"),
        (lambda: Huber((-1,), (1,), (0,)), "curvatures must be nonnegative"),
        (lambda: Huber((1,), (-1,), (0,)), "thresholds positive"),
        (lambda: LogCosh(((1,),), -1), "decay must be nonnegative"),
        (lambda: LogCosh(()), "at least one entry"),
        (lambda: ConvexClients((Quadratic((1,), (0,)),), 1, compare=(1, 2)), "need one dimension"),
        (lambda: ConvexClients((Quadratic((1,), (0,)), Quadratic(((1,), (0, 1)), (0, 0))), 1), "need one dimension"),
        (lambda: ConvexClients((Quadratic((1,), (0,)),), "sqrt(2)"), "must be rational"),
        (lambda: ConvexClients((Quadratic((1,), (0,)),), 1, compare="sqrt(2)"), "must be rational"),
        (lambda: ConvexClients((Quadratic((1,), (0,)),), 1, pace=(0,)), "pace needs a positive factor"),
        (lambda: ConvexClients((Huber((1,), (1,), (0,)), Quadratic((1,), (3,))), 1).best, "give minimiser="),
    ],
)
def test_what_is_no_convex_client_is_refused(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_edges_of_convex_clients() -> None:
    assert Quadratic(((0,),), (0,)).smoothness == 0
    assert Quadratic(((1, 1), (1, 1)), (0, 0)).smoothness == 2
    assert Huber((0,), (1,), (0,)).smoothness == 0
    assert LogCosh(((1,),), 0).dim == 1
    apart = ConvexClients((Quadratic(((2, 0), (0, 1)), (1, 0)), Quadratic(((2, 0), (0, 3)), (1, 4))), (0, 0))
    assert fractions(apart.best) == [1, 3]
    assert apart.common is False  # one coordinate of each gradient is 0, the other isn't
    assert ConvexClients((Quadratic((1,), (2,)), Quartic((1,), (2,))), 0).common is True
    centred = ConvexClients((Quartic((1,), (2,)), Quartic((3,), (2,))), 0)
    assert fractions(centred.best) == [2]
    zero = ConvexClients((LogCosh(((1,),)), Quartic((1,), (0,))), 3)
    assert fractions(zero.best) == [0]
    given = ConvexClients(
        (Huber((1,), (1,), (0,)), Huber((1,), (1,), (4,))), 1, minimiser=2, compare="5/2", pace=(1, 2)
    )
    assert (fractions(given.best), fractions(given.point)) == ([2], [F(5, 2)])
    assert fractions(apart.point) == [1, 3]
    assert (given.pace, given.n_clients, given.dim) == ((1, 2), 2, 1)
    assert F(as_number(given.value(mixed_array((1,))))) == (F(1, 2) + F(5, 2)) / 2
    singular = ConvexClients((Quadratic(((1, 0), (0, 0)), (1, 5)), Quadratic(((1, 0), (0, 0)), (3, 7))), (0, 9))
    assert fractions(singular.best) == [2, 9]
    assert eval(repr(given)) == given
    flat = ConvexClients((Quadratic((0,), (0,)), Quadratic((2,), (0,))), 1)
    assert symbols.smoothness not in flat.constants  # of a client it is 0
    c = ConvexClients((Quadratic((2,), (0,)), Quadratic((6,), (4,))), 5).constants
    assert (c[symbols.n_clients], c[symbols.dimension]) == (2, 1)


# Noise ------------------------------------------------------------------------------------------------------------------


class Tau(AdditiveNoise):
    def __init__(self, std: Any, law: str = "two_point", start: Any = (0, 0)) -> None:
        self.start, self.noise_std, self.noise_law = start, std, law
        self._read_noise()


@pytest.mark.parametrize("law", ["two_point", "uniform"])
def test_noise_has_mean_0_its_deviations_and_its_bounds(law: str) -> None:
    own = Tau(("3", "4"), law)
    uniforms = (np.arange(20_000)[:, None] + 0.5) / 20_000
    noise = own.noise(np.zeros((20_000, 2)), 0, uniforms)
    np.testing.assert_allclose(noise.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose((noise**2).mean(axis=0), [9, 16], rtol=1e-6)
    np.testing.assert_allclose(noise[:, 0] * 4, noise[:, 1] * 3)  # one draw for all coordinates
    largest = np.abs(noise).max(axis=0)
    np.testing.assert_allclose(largest, own.max_noise, rtol=1e-3)
    length = np.linalg.norm(noise, axis=1).max()
    assert length <= own.largest_noise <= length * 1.001
    assert float(own.largest_draw) == pytest.approx(largest[0] / 3, rel=1e-3)
    assert float(own.largest_draw) >= (1.0 if law == "two_point" else 3**0.5)
    assert own.noise_square == 25
    assert own.draws == 1
    assert own.n_noise_values == (2 if law == "two_point" else None)
    assert fractions(own.noise_support(RATIONAL)) == [3, 4, -3, -4]
    assert dict(own._noise_arguments()) == {"noise_std": (3, 4), **({} if law == "two_point" else {"noise_law": law})}


def test_deviations_are_one_for_all_coordinates_or_one_for_each() -> None:
    assert Tau(2).noise_std == (2, 2)
    assert Tau((2, 0)).draws == 1
    assert Tau(0).draws == 0
    assert dict(Tau(0)._noise_arguments()) == {}
    for wrong in ((1, 2, 3), -1, (1, -1)):
        with pytest.raises(ValueError, match="noise_std must be nonnegative: one number, or one for every coordinate"):
            Tau(wrong)
    with pytest.raises(ValueError, match="noise_law must be one of two_point, uniform, got 'normal'"):
        Tau(1, "normal")
    assert Tau(1).noise(np.zeros((2, 2)), 0, np.array([[0.5], [0.49]])).tolist() == [[-1, -1], [1, 1]]
    assert type_ids("abca") == (0, 1, 2, 0)
    assert squared_norm((1, F(1, 2))) == F(5, 4)
    assert mean([F(1), F(2)]) == F(3, 2)
    assert ring_array((1, F(1, 2)), (2, 1), None).tolist() == [[1.0], [0.5]]
    assert ring_array((1, F(1, 2)), (1, 2), RATIONAL).tolist() == [[1, fmpq(1, 2)]]


@pytest.mark.parametrize(
    "make",
    [
        lambda curvatures, slopes, start: QuadraticClients(curvatures, slopes, start),
        lambda curvatures, slopes, start: DenseQuadraticClients(curvatures, slopes, start),
        lambda curvatures, slopes, start: PiecewiseQuadraticClients(curvatures, curvatures, slopes, start),
        lambda curvatures, slopes, start: CosineClients(curvatures, slopes, start),
    ],
)
def test_tables_have_an_entry_for_every_client_and_coordinate(make: Any) -> None:
    for curvatures, slopes, start in (
        (((1, 2),), ((1, 0), (-1, 0)), (1, 1)),
        (((1, 2), (1,)), ((1, 0), (-1, 0)), (1, 1)),
        (((1, 2), (1, 2)), ((1, 0), (-1,)), (1, 1)),
        (((1, 2), (1, 2)), ((1, 0), (-1, 0)), (1, 1, 1)),
    ):
        with pytest.raises(
            ValueError, match="and slopes need one entry for every client and in it one for every coordinate"
        ):
            make(curvatures, slopes, start)


# Separable clients ------------------------------------------------------------------------------------------------------

KINKED = PiecewiseQuadraticClients(((1, 2), (3, 1)), ((2, 1), ("1/2", 4)), ((1, -2), ("1/3", 5)), (2, -3), (1, "1/2"))
SEPARABLE = (
    KINKED,
    QuadraticClients(((1, 2), ("1/2", 1)), ((1, 0), (-3, 1)), (2, -5), (1, "1/2")),
    QuadraticClients((1, 3), (2, -2), 1),
    PiecewiseQuadraticClients((1, 2), (2, 1), (-3, 1), 4),
    PiecewiseQuadraticClients((0, 0), (1, 1), (0, 0), -4),
    PiecewiseQuadraticClients((2, 1), (0, 0), (0, 0), 4),
    PiecewiseQuadraticClients((0, 0), (1, 1), (0, 0), 4),
    PiecewiseQuadraticClients((2, 1), (0, 0), (0, 0), -4),
    QuadraticClients((0, 0), (0, 0), 7),
)


def f_of(own: Any, m: int, x: Sequence[Fraction]) -> Fraction:
    total = F(0)
    for i, v in enumerate(x):
        c = own.left[m][i] if v < 0 else own.right[m][i]
        total += F(c) * v * v / 2 + F(own.slopes[m][i]) * v
    return total


def slope_of(own: Any, m: int, x: Sequence[Fraction]) -> list[Fraction]:
    return [F(own.left[m][i] if v < 0 else own.right[m][i]) * v + F(own.slopes[m][i]) for i, v in enumerate(x)]


@pytest.mark.parametrize("own", SEPARABLE, ids=range(len(SEPARABLE)))
def test_separable_clients_by_formula(own: Any) -> None:
    n, d = own.n_clients, own.dim
    best = [F(v) for v in own.minimiser]
    points = list(itertools.product((F(-2), F(-1, 3), F(0), F(5, 2)), repeat=d))
    least = sum(f_of(own, m, best) for m in range(n)) / n

    def average(parts: Sequence[Sequence[Fraction]]) -> list[Fraction]:
        return [sum(column) / n for column in zip(*parts, strict=True)]

    at, floats, balls = exact(points), np.array([[float(v) for v in x] for x in points]), exact(points, BALL)
    for m in range(n):
        slopes = [v for x in points for v in slope_of(own, m, x)]
        assert fractions(own.gradient(at, m)) == slopes
        np.testing.assert_allclose(own.gradient(floats, m).ravel(), [float(v) for v in slopes], atol=1e-12)
        assert all(a.overlaps(to_ball(b)) for a, b in zip(own.gradient(balls, m).ravel(), slopes, strict=True))
        assert fractions(own.client_value(at, m)) == [f_of(own, m, x) for x in points]
    means = [v for x in points for v in average([slope_of(own, m, x) for m in range(n)])]
    assert fractions(own.mean_gradient(at)) == means
    gaps = [sum(f_of(own, m, x) for m in range(n)) / n - least for x in points]
    assert fractions(own.gap(at)) == gaps
    assert min(gaps) >= 0
    np.testing.assert_allclose(own.gap(floats), [float(v) for v in gaps], atol=1e-12)
    assert all(a.overlaps(to_ball(b)) for a, b in zip(own.gap(balls), gaps, strict=True))
    start = [F(v) for v in own.start]
    c = own.constants
    distance = sum((a - b) ** 2 for a, b in zip(start, best, strict=True))
    assert float(to_float(c[symbols.initial_distance])) == pytest.approx(float(distance) ** 0.5)
    assert c[symbols.initial_gap] == sum(f_of(own, m, start) for m in range(n)) / n - least
    slope = sum(v * v for v in average([slope_of(own, m, start) for m in range(n)]))
    assert to_float(c[symbols.initial_gradient]) == pytest.approx(float(slope) ** 0.5)
    curved = [F(v) for t in (own.left, own.right) for row in t for v in row]
    assert (c[symbols.smoothness], c[symbols.strong_convexity]) == (max(curved), min(curved))
    assert (c[symbols.n_clients], c[symbols.dimension]) == (n, d)
    apart = sum(v * v for m in range(n) for v in slope_of(own, m, best)) / n
    assert to_float(c[symbols.heterogeneity_at_optimum]) == pytest.approx(float(apart) ** 0.5)
    noise = sum(F(s) ** 2 for s in own.noise_std)
    assert (
        to_float(c[symbols.noise_std])
        == to_float(c[symbols.noise_std_at_optimum])
        == pytest.approx(float(noise) ** 0.5)
    )
    assert eval(repr(own)) == own
    nearer = [x for x, g in zip(points, gaps, strict=True) if g == 0]
    assert all(sum((a - b) ** 2 for a, b in zip(start, x, strict=True)) >= distance for x in nearer)


@pytest.mark.parametrize("step", [F(1, 100), F(1, 7), F(1, 4)])
@pytest.mark.parametrize("own", [*SEPARABLE[:4], QuadraticClients((2,), (3,), -1, 5, "uniform")], ids=range(5))
def test_radii_bound_all_runs_of_local_steps(own: Any, step: Fraction) -> None:
    """Any client in any order with the largest noise, coordinate by coordinate: the interval is mapped into itself."""
    radius = own.radius(float(step))
    assert radius is not None
    for i, reach in enumerate(radius):
        best, start = F(own.minimiser[i]), F(own.start[i])
        noise = F(own.max_noise[i])
        assert reach >= abs(start - best)
        ends = [best - F(reach), best + F(reach)]
        for m, x, sign in itertools.product(range(own.n_clients), (*ends, F(0)), (1, -1)):
            if ends[0] <= x <= ends[1]:
                c = F(own.left[m][i] if x < 0 else own.right[m][i])
                after = x - step * (c * x + F(own.slopes[m][i]) + sign * noise)
                assert ends[0] <= after <= ends[1]
        mu = min(F(t[m][i]) for t in (own.left, own.right) for m in range(own.n_clients))
        pull = max(
            abs(F(own.left[m][i] if best < 0 else own.right[m][i]) * best + F(own.slopes[m][i]))
            for m in range(own.n_clients)
        )
        assert reach <= float(max(abs(start - best), (pull + noise) / mu)) * (1 + 1e-6)


def test_no_radius_beyond_the_smoothness_or_without_curvature() -> None:
    own = QuadraticClients((4, 2), (3, -3), 1)
    assert own.radius(0.25) is not None
    assert own.radius(0.2500001) is None
    assert QuadraticClients(((1, 0), (1, 0)), ((1, 0), (-1, 0)), (1, 1)).radius(0.1) is None
    assert PiecewiseQuadraticClients((1, 1), (1, 0), (1, -1), 1).radius(0.1) is None


def test_separable_clients_refuse_what_they_can_not_hold() -> None:
    for make, words in (
        (lambda: QuadraticClients((1, -1), (0, 0), 1), "curvatures must be nonnegative"),
        (lambda: PiecewiseQuadraticClients((1, 1), (1, -1), (0, 0), 1), "right must be nonnegative"),
        (lambda: PiecewiseQuadraticClients((1, -1), (1, 1), (0, 0), 1), "left must be nonnegative"),
        (lambda: QuadraticClients(("sqrt(2)",), (0,), 1), "expected rational numbers"),
        (lambda: QuadraticClients((1,), ("sqrt(2)",), 1), "expected rational numbers"),
        (lambda: QuadraticClients((1,), (0,), "sqrt(2)"), "expected rational numbers"),
        (lambda: QuadraticClients((1,), (0,), 1, "sqrt(2)"), "expected rational numbers"),
        (lambda: QuadraticClients((0,), (1,), 1).minimiser, "unbounded below in coordinate 0"),
        (lambda: PiecewiseQuadraticClients((0,), (1,), (1,), 1).minimiser, "unbounded below"),
        (lambda: PiecewiseQuadraticClients((1,), (0,), (-1,), 1).minimiser, "unbounded below"),
    ):
        with pytest.raises(ValueError, match=words):
            make()
    assert PiecewiseQuadraticClients((1,), (0,), (1,), 1).minimiser == (-1,)
    assert PiecewiseQuadraticClients((0,), (1,), (-1,), 1).minimiser == (1,)


def test_repeated_centred_and_single_functions() -> None:
    twice = KINKED.repeated(2)
    assert twice.n_clients == 4
    assert twice.left == KINKED.left * 2
    assert twice.slopes == KINKED.slopes * 2
    assert twice.minimiser == KINKED.minimiser
    assert KINKED.client_types == (0, 1)
    assert twice.client_types == (0, 1, 0, 1)
    own = SEPARABLE[1]
    centred = own.centred
    assert centred.minimiser == (0, 0)
    assert centred.curvatures == own.curvatures
    shift = [F(v) for v in own.minimiser]
    assert [F(v) for v in centred.start] == [F(a) - b for a, b in zip(own.start, shift, strict=True)]
    for m in range(2):
        assert slope_of(centred, m, (F(1), F(2))) == slope_of(own, m, [F(1) + shift[0], F(2) + shift[1]])
    assert centred.centred is centred
    one = KinkedFunction((1, -2), (3, 4), (1, "1/2"))  # type: ignore[arg-type]
    one = KinkedFunction((1, -2), (3, 4), (1, F(1, 2)))
    assert one.value((F(-1), F(2))) == F(1, 2) - 1 + 8 + 1
    assert one.gradient((F(-1), F(2))) == (0, F(17, 2))
    assert one.curvature(0, 0) == 3


# Heterogeneity ----------------------------------------------------------------------------------------------------------


def spread_at(own: Any, x: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """mean |grad F_m - grad F|^2 and |grad F|^2."""
    slopes = [slope_of(own, m, x) for m in range(own.n_clients)]
    means = [sum(column) / len(slopes) for column in zip(*slopes, strict=True)]
    return sum(((v - a) ** 2 for row in slopes for v, a in zip(row, means, strict=True)), F(0)) / len(slopes), sum(
        (v * v for v in means), F(0)
    )


@pytest.mark.parametrize(
    "own",
    [
        SEPARABLE[1],
        SEPARABLE[2],
        QuadraticClients((1, 1), (2, -2), 3),
        QuadraticClients(((1, 2), (3, 2), (2, 5)), ((1, 0), (2, -1), (-4, 0)), (1, 1)),
        PiecewiseQuadraticClients((1, 2), (3, 1), (1, -1), 2),
        PiecewiseQuadraticClients((1, 1), (3, 3), (1, -2), 2),
    ],
    ids=range(6),
)
def test_uniform_heterogeneity_is_tight(own: Any) -> None:
    c = own.constants
    beta, zeta = to_float(c[symbols.heterogeneity_slope]), to_float(c[symbols.heterogeneity])
    ticks = [F(k, 8) for k in range(-80, 81)] if own.dim == 1 else [F(k, 2) for k in range(-10, 11)]
    excess = []
    for x in itertools.product(ticks, repeat=own.dim):
        left, square = spread_at(own, x)
        excess.append(float(left) - beta**2 * float(square))
    assert max(excess) <= zeta**2 * (1 + 1e-9) + 1e-12
    n = own.n_clients
    if own.dim == 1:
        assert max(excess) >= zeta**2 * 0.97 - 1e-9
    else:  # each coordinate has its own slope
        single = [
            QuadraticClients(*([[row[i]] for row in t] for t in (own.left, own.slopes)), 0) for i in range(own.dim)
        ]
        parts = [to_float(one.constants[symbols.heterogeneity]) ** 2 for one in single]
        assert zeta**2 == pytest.approx(sum(parts))
    hessians = [[F(t[m][i]) for m in range(n)] for t in (own.left, own.right) for i in range(own.dim)]
    most = max(abs(v - sum(row) / n) for row in hessians for v in row)
    assert c[symbols.hessian_heterogeneity] == most
    slope = max(2 * (sum((v - sum(row) / n) ** 2 for v in row) / n) / (sum(row) / n) ** 2 for row in hessians)
    assert beta == pytest.approx(float(slope) ** 0.5)
    means = [sum(F(row[i]) for row in own.slopes) / n for i in range(own.dim)]
    worst = max(sum((F(v) - a) ** 2 for v, a in zip(row, means, strict=True)) for row in own.slopes)
    if most == 0:
        assert to_float(c[symbols.max_heterogeneity]) == pytest.approx(float(worst) ** 0.5)
    else:
        assert symbols.max_heterogeneity not in c


def test_heterogeneity_without_a_closed_form() -> None:
    kinked = uniform_heterogeneity(((1,), (2,)), ((3,), (3,)), ((1,), (1,)), (F(-1),))
    assert kinked == {}
    assert uniform_heterogeneity(((2,), (2,)), ((3,), (1,)), ((1,), (1,)), (F(-1),)) == {}
    assert uniform_heterogeneity(((2,), (2,)), ((3,), (3,)), ((1,), (1,)), (F(-1),)) != {}
    assert uniform_heterogeneity(((1,), (2,)), ((3,), (3,)), ((0,), (0,)), (F(0),)) != {}
    assert uniform_heterogeneity(((1,), (-1,)), ((1,), (-1,)), ((1,), (1,)), (F(0),)) == {}


# Spectra and solutions --------------------------------------------------------------------------------------------------


def rational_matrix(rows: Any) -> fmpq_mat:
    return fmpq_mat(len(rows), len(rows), [fmpq(F(v).numerator, F(v).denominator) for row in rows for v in row])


@pytest.mark.parametrize(
    "rows",
    [
        ((2, 1), (1, 2)),
        ((5, 0), (0, 7)),
        ((0, 0), (0, 0)),
        ((2, 1, 0), (1, 2, 1), (0, 1, 2)),
        ((1, 1), (1, 1)),
        (("1/1000", 0), (0, 1000)),
        ((4, 2, 1), (2, 3, 0), (1, 0, 5)),
    ],
)
@pytest.mark.parametrize("scale", [F(1), F(1, 10**9), F(10**9)])
def test_eigenvalues_are_enclosed_closely(rows: Any, scale: Fraction) -> None:
    table = [[F(v) * scale for v in row] for row in rows]
    true = np.linalg.eigvalsh(np.array([[float(v) for v in row] for row in table]))
    size = float(max(sum(table[i][i] for i in range(len(table))), scale))
    low, high = eigenvalue_range(rational_matrix(table))
    assert float(low) <= true[0] + 1e-14 * size
    assert float(high) >= true[-1] - 1e-14 * size
    assert float(low) >= max(true[0] - 1e-9 * size, 0) - 1e-14 * size
    assert float(high) <= true[-1] + 1e-9 * size
    assert low >= 0
    if scale == 1:
        top = largest_eigenvalue(rational_matrix(table))
        assert true[-1] - 1e-12 <= float(top) <= true[-1] + 1e-8 * max(size, 1)
        assert (
            spectrum._is_positive_definite(
                rational_matrix([[top * (i == j) - v for j, v in enumerate(row)] for i, row in enumerate(table)])
            )
            is True
        )


def test_pivots_decide_definiteness() -> None:
    for rows, expected in (
        (((1, 0), (0, 1)), True),
        (((2, 1), (1, 1)), True),
        (((1, 1), (1, 1)), False),
        (((1, 2), (2, 1)), False),
        (((-1, 0), (0, 1)), False),
        (((0, 0), (0, 1)), False),
        (((1, 0), (0, F(1, 10**200))), True),
        (((1, 1), (1, 1 - F(1, 10**200))), False),
        (((1, 1), (1, 1 + F(1, 10**200))), True),
    ):
        assert spectrum._is_positive_definite(rational_matrix(rows)) is expected, rows
    assert spectrum._has_positive_pivots([[arb(0, 1)]]) is None
    assert spectrum._has_positive_pivots([[arb(1)]]) is True
    assert spectrum._has_positive_pivots([[arb(0)]]) is False


def test_the_nearest_solution_of_a_singular_system() -> None:
    column = lambda *v: fmpq_mat(len(v), 1, [fmpq(F(x).numerator, F(x).denominator) for x in v])  # noqa: E731
    regular = nearest_solution(rational_matrix(((2, 1), (1, 2))), column(3, 3), column(9, 9))
    assert regular == column(1, 1)
    for point in ((0, 0, 0), (5, -2, 7), (1, 1, 1)):
        found = nearest_solution(rational_matrix(((1, 1, 0), (1, 1, 0), (0, 0, 0))), column(4, 4, 0), column(*point))
        away = 4 - point[0] - point[1]
        assert found == column(point[0] + F(away, 2), point[1] + F(away, 2), point[2])
    with pytest.raises(ValueError, match="unbounded below"):
        nearest_solution(rational_matrix(((1, 1), (1, 1))), column(1, 2), column(0, 0))
    with pytest.raises(ValueError, match="unbounded below"):
        nearest_solution(rational_matrix(((0, 0), (0, 0))), column(1, 0), column(0, 0))


# Dense clients ----------------------------------------------------------------------------------------------------------

DENSE = (
    DenseQuadraticClients(
        ((1, "1/4"), (1, "1/8")), ((1, 0), (-1, "1/2")), (2, -1), (((1, 2),), ((3, -1), (1, 1))), ("1/2", 1)
    ),
    DenseQuadraticClients(((1, 2),) * 2, ((1, 0), (-1, 3)), (2, -1), (((1, 2),),) * 2),
    DenseQuadraticClients(
        ((1, 2), (3, "1/2"), (2, 2)), ((1, 0), (-1, 3), (0, 0)), (2, -1), (((1, 2),), ((1, 0),), ((1, 1),))
    ),
)


@pytest.mark.parametrize("own", DENSE, ids=range(3))
def test_dense_clients_by_numpy(own: DenseQuadraticClients) -> None:
    hessians = []
    for spectrum_, vectors in zip(own.curvatures, own.reflections, strict=True):
        turn = np.eye(2)
        for v in vectors:
            w = np.array([float(a) for a in v])
            turn = turn @ (np.eye(2) - 2 * np.outer(w, w) / (w @ w))
        hessians.append(turn @ np.diag([float(v) for v in spectrum_]) @ turn.T)
    slopes = np.array([[float(v) for v in row] for row in own.slopes])
    h, b = np.mean(hessians, axis=0), slopes.mean(axis=0)
    best, start = np.linalg.solve(h, -b), np.array([float(v) for v in own.start])
    np.testing.assert_allclose([to_float(v) for v in own.minimiser], best)
    x = np.array([[1.0, -2.0], [0.5, 3.0]])
    for m, hessian in enumerate(hessians):
        np.testing.assert_allclose(own.gradient(x, m), x @ hessian + slopes[m])
        np.testing.assert_allclose(own.client_value(x, m), [p @ hessian @ p / 2 + slopes[m] @ p for p in x])
    np.testing.assert_allclose(
        own.gradient(x, np.array([1, 0])), [x[0] @ hessians[1] + slopes[1], x[1] @ hessians[0] + slopes[0]]
    )
    np.testing.assert_allclose(own.mean_gradient(x), x @ h + b)
    np.testing.assert_allclose(own.gap(x), [(p - best) @ h @ (p - best) / 2 for p in x])
    pulls = [hessian @ best + s for hessian, s in zip(hessians, slopes, strict=True)]
    squares = [p @ p for p in pulls]
    c = {s: to_float(v) for s, v in own.constants.items()}
    away = start - best
    assert c[symbols.initial_distance] == pytest.approx(np.linalg.norm(away))
    assert c[symbols.initial_gap] == pytest.approx(away @ h @ away / 2)
    assert c[symbols.initial_gradient] == pytest.approx(np.linalg.norm(h @ away))
    assert c[symbols.heterogeneity_at_optimum] == pytest.approx(np.mean(squares) ** 0.5)
    values = [float(v) for row in own.curvatures for v in row]
    assert (c[symbols.smoothness], c[symbols.strong_convexity]) == (max(values), min(values))
    assert own.curvature_range == (
        min(map(F, itertools.chain(*own.curvatures))),
        max(map(F, itertools.chain(*own.curvatures))),
    )
    assert c[symbols.noise_std] == c[symbols.noise_std_at_optimum] == pytest.approx(float(own.noise_square) ** 0.5)
    radius = own.radius(0.2)
    assert radius is not None
    noise = float(own.noise_square) ** 0.5
    expected = max(float(np.linalg.norm(away)), (max(squares) ** 0.5 + noise) / min(values))
    assert expected <= radius[0] <= expected * (1 + 1e-6)
    assert own.radius(1 / max(values)) is not None
    assert own.radius(1.001 / max(values)) is None
    beta, zeta = c[symbols.heterogeneity_slope], c[symbols.heterogeneity]
    grid = np.array(list(itertools.product(np.linspace(-12, 12, 97), repeat=2))) + best
    gradients = np.stack([grid @ hessian + s for hessian, s in zip(hessians, slopes, strict=True)])
    excess = ((gradients - gradients.mean(axis=0)) ** 2).sum(axis=-1).mean(axis=0) - beta**2 * (
        (grid @ h + b) ** 2
    ).sum(axis=-1)
    assert excess.max() <= zeta**2 * (1 + 1e-9)
    assert excess.max() >= zeta**2 * 0.95
    inverse = np.linalg.inv(h)
    v = np.mean([(a - h) @ (a - h) for a in hessians], axis=0)
    assert beta == pytest.approx((2 * np.trace(inverse @ v @ inverse)) ** 0.5, abs=1e-12)
    if beta == 0:
        assert c[symbols.max_heterogeneity] == pytest.approx(max(squares) ** 0.5)
        assert c[symbols.hessian_heterogeneity] == 0
    assert eval(repr(own)) == own


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: DenseQuadraticClients(((1, -1),), ((0, 0),), (1, 1)), "curvatures must be nonnegative"),
        (
            lambda: DenseQuadraticClients(((1, 1),), ((0, 0),), (1, 1), (((1, 2),), ((1, 2),))),
            "reflections need, for every client",
        ),
        (
            lambda: DenseQuadraticClients(((1, 1),), ((0, 0),), (1, 1), (((1, 2, 3),),)),
            "reflections need, for every client",
        ),
        (lambda: DenseQuadraticClients(((1, 1),), ((0, 0),), (1, 1), (((0, 0),),)), "nonzero vectors"),
        (lambda: DenseQuadraticClients((("sqrt(2)", 1),), ((0, 0),), (1, 1)).hessians, "expected a rational number"),
    ],
)
def test_what_are_no_dense_clients_is_refused(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_dense_clients_without_curvature() -> None:
    flat = DenseQuadraticClients(((1, 0),) * 2, ((1, 0), (-1, 0)), (2, 3))
    assert flat.radius(0.1) is None
    assert flat.minimiser == (0, 3)
    differ = DenseQuadraticClients(((1, 0), (2, 0)), ((1, 0), (-1, 0)), (2, 3))
    assert symbols.heterogeneity not in differ.constants
    assert flat.constants[symbols.heterogeneity] == 1
    assert DenseQuadraticClients(((0, 1),), ((0, 0),), (1, 1)).constants[symbols.strong_convexity] == 0


# Finite sums ------------------------------------------------------------------------------------------------------------

SUMS = (
    FiniteSumQuadraticClients((1, 2), ((1, -1), (2, 0, 1)), 2),
    FiniteSumQuadraticClients((1, 2), ((1, -1), (2, 0, 1)), 2, 2),
    FiniteSumQuadraticClients(((1, 3), (2, 2, 5)), ((1, -1), (2, 0, 1)), 2),
    FiniteSumQuadraticClients(((1, 2), (3, "1/2")), (((1, 0), (0, 2)), ((3, -1), (1, 1))), (2, -1)),
    FiniteSumQuadraticClients((((1, 2), (2, 1)), (3, "1/2")), (((1, 0), (0, 2)), ((3, -1), (1, 1))), (2, -1), 2),
)


def components(own: FiniteSumQuadraticClients, m: int, x: Sequence[Fraction]) -> list[list[Fraction]]:
    h = own.curvatures[m]
    return [
        [F(a) * v + F(c) for a, v, c in zip(h[i] if len(h) > 1 else h[0], x, b, strict=True)]
        for i, b in enumerate(own.slopes[m])
    ]


@pytest.mark.parametrize("own", SUMS, ids=range(len(SUMS)))
def test_minibatches_are_means_of_drawn_components(own: FiniteSumQuadraticClients) -> None:
    d = own.dim
    x = tuple(F(v) for v in (F(3, 2), F(-2))[:d])
    at = exact([x])
    batch = own.batch_size
    variances = []
    for m in range(own.n_clients):
        parts = components(own, m, x)
        middle = [sum(column) / len(parts) for column in zip(*parts, strict=True)]
        assert fractions(own.gradient(at, m)) == middle
        draws = list(itertools.product(range(len(parts)), repeat=batch))
        noise = [tuple(sum(parts[i][j] for i in draw) / batch - middle[j] for j in range(d)) for draw in draws]
        count = own.n_noise_values
        assert count % len(draws) == 0
        rows = np.repeat(at, count, axis=0)
        listed = own.noise_value(rows, m, np.arange(count), RATIONAL)
        told: dict[tuple[Fraction, ...], int] = {}
        for row in listed:
            key = tuple(fractions(row))
            told[key] = told.get(key, 0) + 1
        expected: dict[tuple[Fraction, ...], int] = {}
        for v in noise:
            expected[v] = expected.get(v, 0) + count // len(draws)
        assert told == expected
        cells = [(np.array(draw) + 0.5) / len(parts) for draw in draws]
        floats = own.noise(np.array([[float(v) for v in x]] * len(draws)), m, np.array(cells))
        np.testing.assert_allclose(floats, [[float(v) for v in row] for row in noise], atol=1e-12)
        best = [F(v) for v in own.minimiser]
        at_best = components(own, m, best)
        means = [sum(column) / len(at_best) for column in zip(*at_best, strict=True)]
        variances.append(
            sum((v - a) ** 2 for row in at_best for v, a in zip(row, means, strict=True)) / len(at_best) / batch
        )
        factors = own.noise_factors(m)
        shared = all(len(set(c)) == 1 for c in own.curvatures)
        assert (factors is None) == (not shared)
        if factors is not None:
            for i, j in itertools.product(range(d), repeat=2):
                covariance = sum(v[i] * v[j] for v in noise) / len(noise)
                assert float(sum(to_float(v[i]) * to_float(v[j]) for v in factors)) == pytest.approx(float(covariance))
    assert own.draws == batch
    c = own.constants
    assert to_float(c[symbols.noise_std_at_optimum]) == pytest.approx(float(max(variances)) ** 0.5)
    shared = all(len(set(client)) == 1 for client in own.curvatures)
    assert (symbols.noise_std in c) == shared
    if shared:
        assert c[symbols.noise_std] == c[symbols.noise_std_at_optimum]
    assert eval(repr(own)) == own
    assert own.blocks == tuple((j,) for j in range(d))
    assert own.noise(np.array([[1.0] * d]), 0, np.full((1, batch), 0.999999999999)).shape == (1, d)


@pytest.mark.parametrize("own", SUMS, ids=range(len(SUMS)))
@pytest.mark.parametrize("steps", [1, 2])
def test_laws_of_minibatch_steps_are_those_of_all_draws(own: FiniteSumQuadraticClients, steps: int) -> None:
    eta, start = F(1, 5), F(3, 2)
    for m in range(own.n_clients):
        laws = own.client_laws(m, RATIONAL.scalar(eta), steps, RATIONAL)
        assert len(laws) == own.dim
        n = len(own.slopes[m])
        for j, law in enumerate(laws):
            states = [start]
            for _ in range(steps):
                following = []
                for x in states:
                    point = [x if i == j else F(0) for i in range(own.dim)]
                    parts = components(own, m, point)
                    following += [
                        x - eta * sum(parts[i][j] for i in draw) / own.batch_size
                        for draw in itertools.product(range(n), repeat=own.batch_size)
                    ]
                states = following
            assert F(as_number(law.first[1, 0] + law.first[1, 1] * fmpq(3, 2))) == sum(states) / len(states)
            square = (
                law.second[3, 0] + (law.second[3, 1] + law.second[3, 2]) * fmpq(3, 2) + law.second[3, 3] * fmpq(9, 4)
            )
            assert F(as_number(square)) == sum(v * v for v in states) / len(states)


@pytest.mark.parametrize("own", SUMS, ids=range(len(SUMS)))
def test_radii_of_minibatch_runs(own: FiniteSumQuadraticClients) -> None:
    shared = all(len(set(c)) == 1 for c in own.curvatures)
    largest, least = (to_float(own.constants[s]) for s in (symbols.smoothness, symbols.strong_convexity))
    found = own.radius(1 / largest)
    assert (found is None) == (not shared)
    assert own.radius(1.001 / largest) is None
    if found is not None:
        best = [F(v) for v in own.minimiser]
        pull = max(sum(v * v for v in row) for m in range(own.n_clients) for row in components(own, m, best))
        expected = max(to_float(own.constants[symbols.initial_distance]), float(pull) ** 0.5 / least)
        assert expected <= found[0] <= expected * (1 + 1e-6)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (
            lambda: FiniteSumQuadraticClients((1,), ((1, -1), (2,)), 2),
            "curvatures and slopes need one entry for every client",
        ),
        (lambda: FiniteSumQuadraticClients((), (), 2), "curvatures and slopes need one entry for every client"),
        (lambda: FiniteSumQuadraticClients(((1, 2),), (((1, 0), (0,)),), (2, -1)), "every client needs components"),
        (lambda: FiniteSumQuadraticClients(((1,),), (((1, 0),),), (2, -1)), "every client needs components"),
        (lambda: FiniteSumQuadraticClients((1,), ((),), 2), "every client needs components"),
        (
            lambda: FiniteSumQuadraticClients(((1, 2, 3),), ((1, -1),), 2),
            "shared by a client's components or given for each",
        ),
        (lambda: FiniteSumQuadraticClients((-1,), ((1, -1),), 2), "curvatures must be nonnegative"),
        (lambda: FiniteSumQuadraticClients((1,), ((1, -1),), 2, 0), "batch_size must be a positive integer"),
        (lambda: FiniteSumQuadraticClients((1,), ((1, -1),), 2, "1"), "batch_size must be a positive integer"),
    ],
)
def test_what_are_no_finite_sums_is_refused(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_texts_and_equal_components_of_finite_sums() -> None:
    half = FiniteSumQuadraticClients(("1/2", 2), ((1, -1), (2, 0)), 2)
    assert half.curvatures == (((F(1, 2),),) * 2, ((2,),) * 2)
    assert FiniteSumQuadraticClients((1, 2), ((1, 1), (2, 2)), 2).draws == 0
    assert FiniteSumQuadraticClients((1, 2), ((1, 1), (2, 3)), 2).draws == 1
    assert FiniteSumQuadraticClients(((1, 2), (1, 2)), ((1, 3), (1, 3)), 2).client_types == (0, 0)
    assert FiniteSumQuadraticClients((0, 1), ((1, -1), (0, 0)), 2).radius(0.1) is None


# Cosines ----------------------------------------------------------------------------------------------------------------

WAVES = (
    CosineClients((1, 3), ("1/2", "-1/2"), 1),
    CosineClients((1, -1, 3), (1, 1, -2), 4, 1),
    CosineClients(((1, 2), (3, 2)), ((0, 1), (0, -1)), (1, -7), ("1/2", 1)),
    CosineClients.balanced(4, "1/3", "1/2", -10),
    CosineClients((2, 2), (1, -1), "1/3"),
    CosineClients((-4, 3, 3), (0, 1, -1), 2),
)


@pytest.mark.parametrize("own", WAVES, ids=range(len(WAVES)))
def test_cosine_clients_by_formula(own: CosineClients) -> None:
    a, b = (np.array([[float(v) for v in row] for row in t]) for t in (own.amplitudes, own.slopes))
    start, d = np.array([float(v) for v in own.start]), own.dim
    best = 2 * np.pi * np.round(start / (2 * np.pi))
    np.testing.assert_allclose([to_float(v) for v in own.minimiser], best)
    x = np.array([[0.3, -4.0], [2.0, 1.0], [-9.0, 0.0]])[:, :d]
    for m in range(own.n_clients):
        np.testing.assert_allclose(own.gradient(x, m), a[m] * np.sin(x) + b[m])
        np.testing.assert_allclose(own.client_value(x, m), (a[m] * (1 - np.cos(x)) + b[m] * x).sum(axis=1))
    mean_a = a.mean(axis=0)
    np.testing.assert_allclose(own.mean_gradient(x), mean_a * np.sin(x))
    np.testing.assert_allclose(own.gap(x), (mean_a * (1 - np.cos(x))).sum(axis=1), atol=1e-14)
    balls = np.array([[arb(float(v)) for v in row] for row in x], dtype=object)
    assert float(own.gap(balls)[0].mid()) == pytest.approx(own.gap(x)[0])
    assert float(own.gradient(balls, 0)[0, 0].mid()) == pytest.approx(own.gradient(x, 0)[0, 0])
    with pytest.raises(NotRational):
        own.gradient(exact([[1] * d]), 0)
    mixed = balls.copy()
    mixed[0, 0] = fmpq(1)
    c = {s: to_float(v) for s, v in own.constants.items()}
    assert c[symbols.smoothness] == np.abs(a).max()
    assert c[symbols.initial_distance] == pytest.approx(np.linalg.norm(start - best))
    assert c[symbols.initial_gap] == pytest.approx((mean_a * (1 - np.cos(start))).sum())
    assert c[symbols.initial_gradient] == pytest.approx(np.linalg.norm(mean_a * np.sin(start)))
    assert c[symbols.heterogeneity_at_optimum] == pytest.approx((b**2).sum(axis=1).mean() ** 0.5)
    assert c[symbols.noise_std] == c[symbols.noise_std_at_optimum] == pytest.approx(float(own.noise_square) ** 0.5)
    assert (c[symbols.n_clients], c[symbols.dimension]) == (own.n_clients, d)
    beta, zeta = c[symbols.heterogeneity_slope], c[symbols.heterogeneity]
    assert beta**2 == pytest.approx(max(2 * (a - mean_a).var(axis=0) / mean_a**2))
    s = np.linspace(-1, 1, 2001)
    worst = sum(
        max(
            np.mean([(am * s + bm) ** 2 for am, bm in zip(a[:, i] - mean_a[i], b[:, i], strict=True)], axis=0)
            - beta**2 * mean_a[i] ** 2 * s**2
        )
        for i in range(d)
    )
    assert zeta**2 == pytest.approx(worst, rel=1e-3, abs=1e-9)
    assert zeta**2 >= worst - 1e-9
    assert c[symbols.hessian_heterogeneity] == pytest.approx(np.abs(a - mean_a).max())
    ceiling = (mean_a**2).sum()
    assert ceiling <= own.gradient_ceiling <= ceiling * (1 + 1e-6)
    assert eval(repr(own)) == own
    types = own.client_types
    assert all(
        (types[m] == types[k]) == ((a[m] == a[k]).all() and (b[m] == b[k]).all())
        for m in range(len(a))
        for k in range(len(a))
    )


def test_balanced_waves_alternate() -> None:
    own = CosineClients.balanced(4, "1/3", "1/2", 1, noise_std=2)
    assert own.amplitudes == ((F(4, 3),), (F(2, 3),)) * 2
    assert own.slopes == ((F(1, 2),), (F(-1, 2),)) * 2
    assert own.noise_std == (2,)
    for build, words in (
        (lambda: CosineClients((1, "sqrt(2)"), (0, 0), 1), "amplitudes and slopes must be rational"),
        (lambda: CosineClients((1, 1), ("sqrt(2)", "-sqrt(2)"), 1), "amplitudes and slopes must be rational"),
        (lambda: CosineClients((1, -1), (0, 0), 1), "the mean amplitude must be positive"),
        (lambda: CosineClients((1, 1), (1, 0), 1), "must sum to zero"),
    ):
        with pytest.raises(ValueError, match=words):
            build()
    assert CosineClients((1, 1), (0, 0), sympy.pi * 2).constants[symbols.initial_gap] == 0
