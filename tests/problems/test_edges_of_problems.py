"""Clients at their edges: negative amplitudes, constants by brute force, clipping to uncertain limits, labels, preferences."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fltheory import symbols
from fltheory.number import BALL, RATIONAL, as_number, to_float
from fltheory.problems import convex, logistic
from fltheory.problems.cosine import CosineClients
from fltheory.problems.data.clients import from_data
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.dense import DenseQuadraticClients
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.beside import WithNoisyCoordinate
from fltheory.problems.interpolated.interpolant import PointData
from fltheory.problems.interpolated.piecewise import MaxOfAffine, PiecewiseLinearClients
from fltheory.problems.interpolated.quadratics import MatrixClients, norm_at_most
from fltheory.problems.interpolated.tilted import TiltedClients
from fltheory.problems.logistic import GeneratedLogisticClients, LogisticClients
from fltheory.problems.responses import ResponseTable
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.problems.sets import set_optimum
from fltheory.problems.sets.independent_sets import IndependentCoverage
from fltheory.problems.sets.matroids import ByBases, Uniform
from fltheory.problems.sets.set_checks import submodularity_violation
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Mixture, Modular, Table, WeightedRank
from fltheory.problems.sets.set_optimum import greedy_set

F = Fraction


# Waves ------------------------------------------------------------------------------------------------------------------


def test_waves_may_bend_down_most() -> None:
    """Each client is as smooth as its largest amplitude of either sign."""
    own = CosineClients((-3, 2, 2), (0, 0, 0), 1)
    assert own.constants[symbols.smoothness] == 3
    assert own.constants[symbols.hessian_heterogeneity] == F(10, 3)
    x = np.linspace(-4, 4, 9)[:, None]
    changes = np.abs(np.cos(x) * -3).max()
    assert changes <= 3


@pytest.mark.parametrize("slopes", [(5, -5), (-5, 5), (0, 0), ("1/3", "-1/3"), ("-1/3", "1/3")])
def test_heterogeneity_of_waves_is_the_largest_over_a_period(slopes: Any) -> None:
    """zeta^2 is the least with mean |dF_m - dF|^2 <= beta^2 |dF|^2 + zeta^2 everywhere."""
    own = CosineClients(("3/2", "1/2"), slopes, 1)
    beta, zeta = (to_float(own.constants[s]) for s in (symbols.heterogeneity_slope, symbols.heterogeneity))
    x = np.linspace(-np.pi, np.pi, 20_001)[:, None]
    mean = own.mean_gradient(x)
    apart = np.mean([((own.gradient(x, m) - mean) ** 2).sum(axis=1) for m in range(2)], axis=0)
    needed = (apart - beta**2 * (mean**2).sum(axis=1)).max()
    assert zeta**2 == pytest.approx(max(needed, 0), abs=1e-6)


def test_values_of_waves_in_a_plane_sum_over_coordinates() -> None:
    own = CosineClients(((1, 2), (3, -1)), ((1, 0), (-1, 0)), (0, 1))
    x = np.array([[0.3, -1.0], [2.0, 0.5], [0.0, 0.0]])
    expected = [2 * (1 - np.cos(a)) + 0.5 * (1 - np.cos(b)) for a, b in x]
    np.testing.assert_allclose(own.gap(x), expected, atol=1e-12)


# Clipping ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("u", ["-2", "-1", "-1/2", "0", "1/2", "1", "21/20", "2"])
@pytest.mark.parametrize(("middle", "radius"), [(1, 0), (1, 0.125)])
def test_numbers_are_clipped_whatever_the_limit_is(u: str, middle: int, radius: float) -> None:
    """A limit that is a ball stands for each of its numbers, and so does a number that is one."""
    value = F(u)
    limits = [F(middle) + F(radius) * k / 4 for k in range(-4, 5)]
    expected = [max(-limit, min(limit, value)) for limit in limits]
    tau = RATIONAL.scalar(F(middle)) if not radius else arb(middle, radius)
    for given in (RATIONAL.scalar(value), arb(fmpq(value.numerator, value.denominator))):
        found = arb(convex._clip_mixed(given, tau))
        for v in expected:
            assert found.overlaps(arb(fmpq(v.numerator, v.denominator)))
        assert found.rad() <= radius + 1e-9


def test_minimisers_beside_a_flat_side() -> None:
    """Where the mean objective is flat the minimiser nearest to the start is meant."""
    for left, right, start, best in (
        (0, 0, 2, 2),
        (0, 0, -2, -2),
        (0, 0, 0, 0),
        (0, 1, -2, -2),
        (0, 1, 2, 0),
        (1, 0, 2, 2),
        (1, 0, -2, 0),
        (1, 1, -2, 0),
    ):
        if left or right:
            assert PiecewiseQuadraticClients((left,), (right,), (0,), start).minimiser == (best,)
        else:
            other = PiecewiseQuadraticClients(((left, 1),), ((right, 1),), ((0, 0),), (start, 1))
            assert other.minimiser == (best, 0)


# Data -------------------------------------------------------------------------------------------------------------------


def test_labels_after_a_text_are_texts() -> None:
    given = {"X": [[1], [2], [3]], "client": [1, 1, 1]}
    assert from_data({**given, "y": ["no", " yes", "no"]}, loss="logistic").n_clients == 1
    for bad in ("", "  "):
        with pytest.raises(ValueError, match="expected a label, got"):
            from_data({**given, "y": ["no", bad, "yes"]}, loss="logistic")


def test_starts_and_batches_are_told() -> None:
    features, labels = (((1, "1/2"), (-1, 1)), ((0, 1),)), ((1, 0), (0,))
    for start, batch in (((1, 0), None), ((0, 1), 2), ((0, 0), None), ((1, 1), 1)):
        own = LogisticClients(features, labels, "1/4", start, batch)
        again = eval(repr(own), {"LogisticClients": LogisticClients})
        assert again == own
        assert ("start=" in repr(own)) is any(start)
        assert ("batch_size=" in repr(own)) is (batch is not None)


@pytest.mark.parametrize(
    "wrong", [(((1, 2), (3,)),), (((1, 2),),), (((1, 2), (3, 4), (5, 6)),), (((1, 2), (3, 4, 5)),)]
)
def test_samples_without_a_label_or_of_another_length_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="every sample needs a label and as many features as the others"):
        LogisticClients(wrong, ((1, 0),), "1/4")


def test_generated_features_lie_around_0_and_labels_follow_them() -> None:
    own = GeneratedLogisticClients(2, 40, 2, 0, 3)
    rows = [row for client in own.data[0] for row in client]
    assert all(row[-1] == 1 for row in rows)
    values = [v for row in rows for v in row[:-1]]
    assert all(-1 <= v <= 1 and (16 * v).denominator == 1 for v in values)
    assert min(values) < F(-1, 2)
    assert max(values) > F(1, 2)
    agree = [
        (label == 1) == (4 * row[0] - 2 * row[1] > 0)
        for features, labels in zip(*own.data, strict=True)
        for row, label in zip(features, labels, strict=True)
    ]
    assert sum(agree) > 0.75 * len(agree)


def test_newtons_method_ends_where_the_gradient_is_0() -> None:
    own = LogisticClients((((1, 2), (-1, 1), (2, 0)), ((0, 1), (2, 0))), ((1, 0, 1), (0, 1)), "1/50")
    x = logistic._newton_optimum(own)
    assert np.abs(own.mean_gradient(np.array([[float(v) for v in x]]))).max() < 1e-13


# Functions of points ----------------------------------------------------------------------------------------------------


def test_kinks_are_as_steep_as_the_steepest_piece() -> None:
    data = [PointData(fmpq(0), (fmpq(1),)), PointData(fmpq(0), (fmpq(-4),)), PointData(fmpq(0), (fmpq(2),))]
    own = MaxOfAffine([(fmpq(0),), (fmpq(1),), (fmpq(2),)], data)
    bend, change = own.off(data[0], arb(0.5))
    assert change.contains(2)  # 4 times the distance
    assert bend.contains(5)


def test_norms_are_those_of_the_eigenvalues() -> None:
    for entries in ([[0, 3], [3, 0]], [[2, 1], [1, 2]], [[-2, 1], [1, -2]], [[1, 2], [2, -1]], [[3, 0], [0, 1]]):
        norm = float(np.abs(np.linalg.eigvalsh(np.array(entries, dtype=float))).max())
        matrix = RATIONAL.matrix(2, 2, [v for row in entries for v in row])
        assert norm_at_most(matrix, RATIONAL.scalar(F(norm + 1e-6).limit_denominator(10**9)))
        assert not norm_at_most(matrix, RATIONAL.scalar(F(norm - 1e-6).limit_denominator(10**9)))


def test_the_farthest_hessian_bounds_all() -> None:
    apart = MatrixClients((((4, 0), (0, 1)), ((1, 1), (1, 1)), ((1, 0), (0, 1))), ((0, 0),) * 3, (1, 1), 4)
    mean = np.mean([[[4, 0], [0, 1]], [[1, 1], [1, 1]], [[1, 0], [0, 1]]], axis=0)
    norms = [
        np.abs(np.linalg.eigvalsh(np.array(h) - mean)).max() for h in ([[4, 0], [0, 1]], [[1, 1], [1, 1]], np.eye(2))
    ]
    found = float(apart.constants[symbols.hessian_heterogeneity])
    assert max(norms) <= found <= max(norms) * (1 + 1e-6)


@pytest.mark.parametrize("start", [(2,), (-1,)])
def test_tilted_clients_measure_distances_from_a_shifted_minimiser(start: Any) -> None:
    own = TiltedClients(((1,), (3,)), ((0,), (1,)), (5, 6), ((1,), (-1,)), start, 1, 0)
    assert own.constants[symbols.initial_distance] == abs(start[0] - 1)


# Sets and games ---------------------------------------------------------------------------------------------------------


def test_preferences_are_of_a_client_or_of_all() -> None:
    functions = (Modular((1, 1, 1)), Modular((2, 2, 2)))
    own = SubmodularClients(functions, Uniform(3, 1), ties=((2, 1, 0), (0, 2, 1)))
    assert [own.order(), own.order(0), own.order(1)] == [(2, 1, 0), (2, 1, 0), (0, 2, 1)]
    one = SubmodularClients(functions, Uniform(3, 1), ties=(1, 0, 2))
    assert [one.order(), one.order(0), one.order(1)] == [(1, 0, 2)] * 3
    assert SubmodularClients(functions, Uniform(3, 1)).order(1) == (0, 1, 2)


def test_smaller_games_lose_a_client_a_phase_or_half_of_the_rounds() -> None:
    own = ResponseTable(((1, 0, "1/2", 0), (0, 1, 1, 0)), (5, 2), 1, 0, 3, 2)
    smaller = list(own.smaller())
    assert all(s.n_rounds < own.n_rounds or s.n_clients < own.n_clients for s in smaller)
    fewer = [s for s in smaller if s.n_clients == 3]
    rows = [tuple(row[:i] + row[i + 1 :] for row in own.responses) for i in range(4)]
    assert [s.responses for s in fewer] == rows
    assert [s.n_participating for s in fewer] == [2] * 4
    assert [s.counts_of for s in smaller if s.n_clients == 4 and len(s.counts_of) == 2] == [(5, 2), (2, 2), (5, 1)]
    assert smaller[0].repeat == 1
    assert [(s.responses, s.counts_of) for s in smaller if len(s.counts_of) == 1] == [
        ((own.responses[1],), (2,)),
        ((own.responses[0],), (5,)),
    ]
    everyone = ResponseTable(((1, 0, "1/2"),), (5,))
    assert [s.n_participating for s in everyone.smaller() if s.n_clients == 2] == [2] * 3
    most = ResponseTable(((1, 0, "1/2", 0),), (5,), n_participating=3)
    assert [s.n_participating for s in most.smaller() if s.n_clients == 3] == [3] * 4
    two = ResponseTable(((1, 0),), (5,))
    assert all(s.n_clients == 2 for s in two.smaller())


def test_wedges_are_maxima_at_every_point() -> None:
    own = PiecewiseLinearClients((((0,), (2,)), ((0,), (2,))), (((-1,), (2,)), ((1,), (1,))), ((0, 1), (0, 2)), 1)
    for x, m in itertools.product((-3, 0, 1, 2, 5), range(2)):
        pieces = [(-1 * x, 1 + 2 * (x - 2)), (x, 2 + (x - 2))][m]
        point = np.array([[RATIONAL.scalar(F(x))]], dtype=object)
        assert as_number(own.client_value(point, m)[0]) == max(pieces)


@pytest.mark.parametrize("start", [0, 3, 4, 9, 10, 20, -4, -20, 100])
def test_the_nearest_minimiser_of_a_wave_is_at_a_whole_turn(start: int) -> None:
    (best,) = CosineClients((1,), (0,), start).minimiser
    turns = to_float(best) / (2 * np.pi)
    assert turns == pytest.approx(round(turns))
    assert abs(to_float(best) - start) <= np.pi


def test_at_least_one_client_is_selected_and_each_once() -> None:
    given = {"X": [[1], [2], [3]], "client": [1, 1, 2], "y": [0, 1, 1]}
    assert from_data(given, loss="logistic", clients=[2, 1]).n_clients == 2
    for chosen in ([], [1, 1]):
        with pytest.raises(ValueError, match="clients"):
            from_data(given, loss="logistic", clients=chosen)


# What is given ----------------------------------------------------------------------------------------------------------


def test_each_coordinate_of_a_wave_has_a_positive_mean_amplitude() -> None:
    for amplitudes in (((1, -1), (1, 1)), ((-1, 1), (1, 1)), ((1, 0), (1, 0))):
        with pytest.raises(ValueError, match="the mean amplitude must be positive"):
            CosineClients(amplitudes, ((0, 0), (0, 0)), (1, 1))
    assert CosineClients(((1, -1), (1, 2)), ((0, 0), (0, 0)), (1, 1)).dim == 2


def test_a_point_itself_has_its_own_subgradient() -> None:
    own = MaxOfAffine([(fmpq(0),), (fmpq(1),)], [PointData(fmpq(0), (fmpq(1),)), PointData(fmpq(1), (fmpq(3),))])
    for known in own.data:
        bend, change = own.off(known, arb(0))
        assert bend == 0
        assert change == 0


def test_customers_weigh_one_unless_told() -> None:
    scores = ((2, 0, 5), (1, 4, 0))
    assert FacilityLocation(scores).weights == (1, 1)
    for items in ((0,), (0, 1), (1, 2), (0, 1, 2)):
        assert FacilityLocation(scores).value(frozenset(items)) == sum(max(row[e] for e in items) for row in scores)


@pytest.mark.parametrize("start", ["1/2", "-1/2", 3, -3, 0])
@pytest.mark.parametrize("bends", [(0, 1), (1, 0), (1, 2), (0, 0)])
def test_the_minimiser_is_the_nearest_one_to_the_start(bends: tuple[int, int], start: Any) -> None:
    """Every point of the flat side is one; else 0 is."""
    left, right = bends
    if left == right == 0:
        own = PiecewiseQuadraticClients((0, 0), (0, 0), (0, 0), start)
    else:
        own = PiecewiseQuadraticClients((left, left), (right, right), (1, -1), start)
    at = F(str(start))
    flat = (at < 0 and left == 0) or (at > 0 and right == 0)
    assert own.minimiser == (at if flat else 0,)


def test_runs_stay_within_the_strongest_pull_of_any_client() -> None:
    """A client alone contracts towards its own minimiser, whose slope may have either sign."""
    for slopes in ((-3, 1, 2), (3, -1, -2)):
        own = QuadraticClients((1, 1, 1), slopes, 0)
        found = own.radius(0.5)
        assert found is not None
        assert 3 <= found[0] < 3.001


DATA = from_data(
    {"X": [["1/3"], ["1/7"], ["2/3"]], "y": ["1/3", "1/9", "1/7"], "client": [0, 0, 1]}, "squares", batch_size=1
)
LABELLED = LogisticClients(((("1/3",), ("-1/7",)), (("2/3",),)), ((0, 1), (0,)), "1/50")
ROTATED = DenseQuadraticClients((("1/3", 1),), ((0, "1/7"),), (1, 1), reflections=(((1, 2),),))


@pytest.mark.parametrize(
    "own",
    [
        FiniteSumQuadraticClients((1, 2), (("1/3", "-1/3", 0), ("1/7", "-1/7")), 1, batch_size=2),
        QuadraticClients(("1/3", "1/7"), ("1/3", "-1/3"), 1),
        CosineClients(("1/3", "1/7"), ("1/3", "-1/3"), 1),
        DATA,
        LABELLED,
        ROTATED,
    ],
)
def test_more_digits_are_not_lost_to_earlier_balls(own: Any) -> None:
    """A precision has its own tables: what was found with few digits does not widen what is found with many."""
    for precision in (53, 300):
        with ctx.workprec(precision):
            x = np.array([[arb(1) / 3] * own.dim], dtype=object)
            found = [*own.gradient(x, 0)[0], *own.mean_gradient(x)[0]]
            if hasattr(own, "_minibatch"):
                found += [*own._minibatch(x, 0, np.array([[0]]))[0], *own._minibatch(x, 0, np.array([[1]]))[0]]
            assert all(float(v.rad()) <= 2.0 ** (12 - precision) for v in found)
    with ctx.workprec(53):
        again = own.gradient(np.array([[arb(1) / 3] * own.dim], dtype=object), 0)[0]
    floats = own.gradient(np.full((1, own.dim), 1 / 3), 0)[0]
    assert [float(v.mid()) for v in again] == pytest.approx(floats.tolist())


def test_more_digits_of_responses() -> None:
    own = ResponseTable(((F(1, 3), F(1, 7)), (F(2, 3), F(1, 9))), (2, 1))
    for precision in (53, 300):
        with ctx.workprec(precision):
            rows = own.rows_in(BALL)
        assert all(0 < float(v.rad()) <= 2.0 ** (2 - precision) for row in rows for v in row)
    assert own.rows_in(RATIONAL).tolist() == [[fmpq(1, 3), fmpq(1, 7)], [fmpq(2, 3), fmpq(1, 9)]]


def test_blocks_weigh_the_same_unless_told() -> None:
    own = IndependentCoverage(((0,), (1, 3)), ((2,),), "1/2")
    assert own.masses == (1, 1)
    assert own.shares == (F(1, 2), F(1, 2))


def test_the_greedy_set_takes_the_first_of_equal_items() -> None:
    for weights, size, wanted in (
        ((1, 1, 1), 1, {0}),
        ((1, 1, 1), 2, {0, 1}),
        ((1, 2, 2), 1, {1}),
        ((3, 1, 3), 2, {0, 2}),
    ):
        assert greedy_set((Modular(weights),), (F(1),), Uniform(3, size)) == wanted


@dataclass(frozen=True, repr=False)
class SquareOfRank(WeightedRank):
    """Items gain more together, which its matroid does not show."""

    def value(self, items: Any) -> Any:
        return len(items) ** 2


@dataclass(frozen=True, repr=False)
class SquareOfTable(Table):
    def value(self, items: Any) -> Any:
        return len(items) ** 2


@dataclass(frozen=True, repr=False)
class SquareOfMixture(Mixture):
    def value(self, items: Any) -> Any:
        return len(items) ** 2


def test_kinds_of_ones_own_are_checked_by_their_values() -> None:
    for own in (
        SquareOfRank(Uniform(3, 2), (1, 1, 1)),
        SquareOfTable((0, 1, 1, 2, 1, 2, 2, 2)),
        SquareOfMixture((Modular((1, 1, 1)),), (1,)),
    ):
        assert "gain more together" in str(submodularity_violation(own))


# What runs and optima are computed from ----------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 3])
def test_laws_of_local_steps_are_those_of_their_coordinates(steps: int) -> None:
    """x -> (1 - s h) x - s b + s noise, again and again: its mean and mean square, for each coordinate alone."""
    own = QuadraticClients(((1, 1), ("1/2", 2)), ((0, 0), (3, -1)), (1, 1), noise_std=("1/3", "1/5"))
    assert own.blocks == ((0,), (1,))
    eta = F(1, 10)
    for i, law in enumerate(own.client_laws(1, RATIONAL.scalar(eta), steps, RATIONAL)):
        h, b, sigma = F(own.curvatures[1][i]), F(own.slopes[1][i]), F(own.noise_std[i])
        a = (1 - eta * h) ** steps
        shift = -eta * b * sum((1 - eta * h) ** k for k in range(steps))
        spread = (eta * sigma) ** 2 * sum((1 - eta * h) ** (2 * k) for k in range(steps))
        assert [F(as_number(law.first[1, j])) for j in range(2)] == [shift, a]
        assert [F(as_number(law.second[3, j])) for j in range(4)] == [shift**2 + spread, shift * a, shift * a, a**2]


def test_a_greedy_set_with_the_value_of_all_items_is_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_optimum, "MAX_LISTED_VALUES", 0)
    monkeypatch.setattr(set_optimum, "optimum_by_milp", lambda *given: (F(-1), frozenset()))
    functions = (Modular((1, 0, 2)), Modular((0, 0, 5)))
    assert set_optimum.optimum(functions, (F(1), F(1, 2)), Uniform(3, 2)) == F(11, 2)
    assert set_optimum.optimum(functions, (F(1), F(1, 2)), Uniform(3, 1)) == -1


def test_a_program_of_sets_without_a_solution_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.optimize

    monkeypatch.setattr(scipy.optimize, "milp", lambda *a, **k: SimpleNamespace(x=None, message="too hard"))
    with pytest.raises(ValueError, match="the mixed-integer program was not solved: too hard"):
        set_optimum.optimum_by_milp((Coverage(((0, 1), (2,)), 3),), (F(1),), Uniform(3, 1))


def test_an_optimum_that_is_hardly_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    own = LogisticClients((((1, 2), (-1, 1)), ((0, 1),)), ((1, 0), (0,)), "1/50")
    assert 0 <= own.optimum_error <= logistic.ACCURACY
    other = LogisticClients((((1, 2), (-1, 1)), ((0, 1),)), ((1, 0), (0,)), "1/50")
    monkeypatch.setattr(logistic, "ACCURACY", own.optimum_error / 2)
    monkeypatch.setattr(LogisticClients, "_newton", own._newton)
    with pytest.raises(ValueError, match=r"the optimum is known only up to .*: increase l2"):
        _ = other.optimum_error


def test_adjustable_constants_can_be_adjusted() -> None:
    own = ResponseTable(((0, 1), (1, "1/2")), (2, 1))
    assert own.adjustable
    for name in own.adjustable:
        assert isinstance(own.adjusted(name, own.constants.get(symbols.VOCABULARY[name].symbol, 1)), ResponseTable)


def test_clients_with_equal_tilts_are_alike() -> None:
    own = TiltedClients(((0,), (2,)), ((0,), (0,)), (0, 1), ((1,), (1,), (-2,)), 2, smoothness=1, curvature=-1)
    first, second, third = own.client_types
    assert first == second != third


def test_a_noisy_coordinate_stands_after_all_others() -> None:
    plane = InterpolatedClients(
        (((0, 0), (1, 0)), ((0, 0), (1, 0))),
        (((1, 0), (2, 0)), ((-1, 0), (0, 0))),
        ((0, "3/2"), (0, "-1/2")),
        (1, 0),
        2,
    )
    own = WithNoisyCoordinate(plane, "1/2", "1/3")
    x = np.array([[0.0, 0.0, 3.0], [1.0, 0.0, -1.0]])
    assert own.dim == 3
    for m in range(2):
        found = own.gradient(x, m)
        assert found[:, 2].tolist() == [1.5, -0.5]
        np.testing.assert_allclose(found[:, :2], plane.gradient(x[:, :2], m))
    assert own.mean_gradient(x)[:, 2].tolist() == [1.5, -0.5]
    np.testing.assert_allclose(own.gap(x), plane.gap(x[:, :2]) + x[:, 2] ** 2 / 4)


def test_bases_are_sets_of_items() -> None:
    assert ByBases(3, ((2, 0), (0, 2))) == ByBases(3, ((0, 2),))
    assert ByBases(3, ((2, 0), (1, 0))).base_sets == ((0, 1), (0, 2))
    for wrong in (((0, 3),), ((-1, 0),), ((0, 0),), (("1/2", 0),)):
        with pytest.raises(ValueError, match="base"):
            ByBases(3, wrong)


@dataclass(frozen=True, repr=False)
class FlatteringTable(Table):
    """Its extension says more than its values."""

    def extension(self, x: Any) -> Any:
        return super().extension(x) + 1


def test_extensions_of_ones_own_are_compared_with_the_values() -> None:
    values = (0, 1, 1, 2, 1, 2, 2, 2)
    assert submodularity_violation(Table(values)) is None
    assert submodularity_violation(FlatteringTable(values)) == "FlatteringTable.extension disagrees with its values"


@pytest.mark.parametrize(
    ("read", "given"),
    [
        (Modular(["1/2", 1]), Modular((F(1, 2), 1))),
        (WeightedRank(Uniform(2, 1), ["1/2", "0.25"]), WeightedRank(Uniform(2, 1), (F(1, 2), F(1, 4)))),
        (Coverage([[0, 1], [1]], 2, ["1/2", 3]), Coverage(((0, 1), (1,)), 2, (F(1, 2), 3))),
        (FacilityLocation([["1/2", 1]], ["2"]), FacilityLocation(((F(1, 2), 1),), (2,))),
        (Mixture(cast(Any, [Modular((1, 2))]), ["1/2"]), Mixture((Modular((1, 2)),), (F(1, 2),))),
        (Mixture(cast(Any, Modular((1, 2)))), Mixture((Modular((1, 2)),), (1,))),
        (Table(["0", "1/2"]), Table((0, F(1, 2)))),
        (IndependentCoverage([[0]], [[1]], ["1/2"], ["3"]), IndependentCoverage(((0,),), ((1,),), (F(1, 2),), (3,))),
    ],
)
def test_texts_and_lists_are_read_as_numbers(read: Any, given: Any) -> None:
    assert read == given
    assert hash(read) == hash(given)
    assert all(read.value(frozenset(s)) == given.value(frozenset(s)) for s in ((), (0,), range(read.n_items)))
