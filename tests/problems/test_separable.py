"""Quadratic and piecewise quadratic clients: exact constants, optimum, noise and ceilings."""

from fractions import Fraction

import numpy as np
import pytest
from flint import ctx
from hypothesis import assume, given
from hypothesis import strategies as st

from fltheory import symbols
from fltheory.number import BALL, RATIONAL, streams, symbolic, to_float
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.problems.strategies import quadratic_clients

small = st.fractions(Fraction(-3), 3, max_denominator=12)
curvature = st.fractions(Fraction(1, 12), 3, max_denominator=12)


@st.composite
def piecewise_clients(draw, dims=(1, 2)):
    n, dim = draw(st.integers(1, 3)), draw(st.sampled_from(dims))

    def table(entries):
        return draw(st.lists(st.lists(entries, min_size=dim, max_size=dim), min_size=n, max_size=n))

    std = draw(st.sampled_from([0, Fraction(1, 3), 2]))
    law = draw(st.sampled_from(["two_point", "uniform"]))
    start = draw(st.lists(small, min_size=dim, max_size=dim))
    return PiecewiseQuadraticClients(table(curvature), table(curvature), table(small), start, std, law)


clients = st.one_of(piecewise_clients(), quadratic_clients(curved=True))


def points(instance, n=200, scale=5.0):
    """Points around the minimiser, and the minimiser itself."""
    best = np.array([to_float(v) for v in instance.minimiser])
    draws = np.stack([streams.uniform(1, np.arange(n), 0, 0, i) for i in range(instance.dim)], axis=-1)
    return np.concatenate([best + scale * (2 * draws - 1), best[None]])


def rational_points(instance, values):
    rows = np.empty((len(values), instance.dim), dtype=object)
    for i, row in enumerate(values):
        rows[i] = [RATIONAL.scalar(v) for v in row]
    return rows


@given(clients)
def test_repr_rebuilds_the_instance(instance):
    again = eval(repr(instance), {c.__name__: c for c in (QuadraticClients, PiecewiseQuadraticClients)})
    assert again == instance
    assert hash(again) == hash(instance)
    assert again.constants == instance.constants


@given(clients, st.lists(small, min_size=2, max_size=2))
def test_rationals_balls_and_floats_agree(instance, values):
    x = rational_points(instance, [values[: instance.dim]])
    floats = np.array([[float(v) for v in values[: instance.dim]]])
    with ctx.workprec(128):
        balls = np.array([[BALL.scalar(v) for v in values[: instance.dim]]], dtype=object)
        for method, arguments in (("gradient", (0,)), ("mean_gradient", ()), ("gap", ())):
            exact, ball, plain = (getattr(instance, method)(p, *arguments).ravel() for p in (x, balls, floats))
            for e, b, f in zip(exact, ball, plain, strict=True):
                assert b.overlaps(BALL.scalar(Fraction(int(e.p), int(e.q))))
                assert f == pytest.approx(float(e), rel=1e-12, abs=1e-12)


@given(clients)
def test_the_minimiser_minimises_and_the_gap_is_the_objective(instance):
    x = points(instance)
    assert (instance.gap(x) >= 0).all()
    assert instance.gap(x)[-1] == pytest.approx(0, abs=1e-12)
    assert np.abs(instance.mean_gradient(x)[-1]).max() < 1e-9
    step = 1e-6
    for i in range(instance.dim):
        h = np.eye(instance.dim)[i] * step
        slope = (instance.gap(x + h) - instance.gap(x - h)) / (2 * step)
        assert slope == pytest.approx(instance.mean_gradient(x)[:, i], rel=1e-3, abs=1e-4)


@given(clients)
def test_the_mean_gradient_is_the_mean_of_the_gradients(instance):
    x = points(instance)
    gradients = np.stack([instance.gradient(x, m) for m in range(instance.n_clients)])
    assert instance.mean_gradient(x) == pytest.approx(gradients.mean(axis=0), rel=1e-12, abs=1e-12)
    mixed = np.arange(len(x)) % instance.n_clients
    assert (instance.gradient(x, mixed) == gradients[mixed, np.arange(len(x))]).all()


@given(clients)
def test_constants_bound_what_they_name(instance):
    x = points(instance)
    constants = {s: to_float(v) for s, v in instance.constants.items()}
    gradients = np.stack([instance.gradient(x, m) for m in range(instance.n_clients)])
    steps = np.diff(x, axis=0)
    changes = np.diff(gradients, axis=1)
    square = (steps**2).sum(axis=-1)
    assert (np.linalg.norm(changes, axis=-1) <= constants[symbols.smoothness] * np.sqrt(square) * (1 + 1e-9)).all()
    assert ((changes * steps).sum(axis=-1) >= constants[symbols.strong_convexity] * square * (1 - 1e-9)).all()
    start = np.array([[to_float(v) for v in instance.start]])
    best = np.array([to_float(v) for v in instance.minimiser])
    assert constants[symbols.initial_distance] == pytest.approx(float(np.linalg.norm(start - best)), rel=1e-12)
    assert constants[symbols.initial_gap] == pytest.approx(float(instance.gap(start)[0]), rel=1e-9, abs=1e-12)
    assert constants[symbols.initial_gradient] == pytest.approx(float(np.linalg.norm(instance.mean_gradient(start))))
    at_best = np.stack([instance.gradient(best[None], m)[0] for m in range(instance.n_clients)])
    found = np.sqrt((at_best**2).sum(axis=-1).mean())
    assert constants[symbols.heterogeneity_at_optimum] == pytest.approx(found, rel=1e-9, abs=1e-9)


@given(clients)
def test_uniform_heterogeneity_holds_everywhere_and_the_larger_ones_imply_the_smaller(instance):
    constants = {s: to_float(v) for s, v in instance.constants.items()}
    if symbols.heterogeneity not in constants:
        return
    zeta, beta = constants[symbols.heterogeneity], constants[symbols.heterogeneity_slope]
    x = np.concatenate([points(instance, 200, s) for s in (0.1, 5.0, 1e3)])
    mean = instance.mean_gradient(x)
    gradients = np.stack([instance.gradient(x, m) for m in range(instance.n_clients)])
    apart = ((gradients - mean) ** 2).sum(axis=-1)
    assert (apart.mean(axis=0) <= (beta**2 * (mean**2).sum(axis=-1) + zeta**2) * (1 + 1e-9) + 1e-9).all()
    assert constants[symbols.heterogeneity_at_optimum] <= zeta * (1 + 1e-12) + 1e-15  # A4 gives A3
    if symbols.max_heterogeneity in constants:
        assert beta == 0
        assert apart.max() <= constants[symbols.max_heterogeneity] ** 2 * (1 + 1e-9) + 1e-9
        assert zeta <= constants[symbols.max_heterogeneity] * (1 + 1e-12)  # A5 gives A4


def test_the_uniform_heterogeneity_is_not_larger_than_needed():
    """Equal curvatures: zeta is the root mean square slope, beta = 0; a smaller zeta fails."""
    instance = QuadraticClients((2, 2, 2), (3, -1, -2), 1)
    assert instance.constants[symbols.heterogeneity_slope] == 0
    assert instance.constants[symbols.heterogeneity] ** 2 == Fraction(14, 3)
    assert instance.constants[symbols.max_heterogeneity] == 3


@given(clients, st.integers(0, 3))
def test_noise_is_unbiased_with_the_stated_variance(instance, client):
    """Two signs: by enumeration. Uniform: by its moments, on the midpoints of a fine grid."""
    assume(client < instance.n_clients)
    x = np.zeros((1, instance.dim))
    if instance.draws == 0:
        assert instance.constants[symbols.noise_std] == 0
        return
    if instance.noise_law == "two_point":
        support = instance.noise_support(RATIONAL)
        assert all(v == 0 for v in support.sum(axis=0))
        total = (support**2).sum() / len(support)
        assert symbolic(Fraction(int(total.p), int(total.q))) == symbolic(instance.constants[symbols.noise_std]) ** 2
    grid = (np.arange(20_000)[:, None] + 0.5) / 20_000
    noise = instance.noise(x, client, grid)
    assert np.abs(noise.mean(axis=0)).max() < 1e-12
    assert (noise**2).sum(axis=-1).mean() == pytest.approx(
        to_float(instance.constants[symbols.noise_std]) ** 2, rel=1e-6
    )
    assert (np.abs(noise).max(axis=0) <= np.array(instance.max_noise) * (1 + 1e-12)).all()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"curvatures": (1,), "slopes": (1, -1), "start": 1}, "one entry for every client"),
        ({"curvatures": (1, -1), "slopes": (1, -1), "start": 1}, "nonnegative"),
        ({"curvatures": ((1, 1), (1, 1)), "slopes": (1, -1), "start": 1}, "one for every coordinate"),
        ({"curvatures": (1, 1), "slopes": (1, -1), "start": 1, "noise_std": -1}, "noise_std must be nonnegative"),
        ({"curvatures": (1, 1), "slopes": (1, -1), "start": 1, "noise_law": "gaussian"}, "two_point, uniform"),
        ({"curvatures": (1, "sqrt(2)"), "slopes": (1, -1), "start": 1}, "rational"),
        ({"curvatures": (), "slopes": (), "start": 1}, "one entry"),
        ({"curvatures": 1, "slopes": 1, "start": 1}, "one entry for every client"),
        ({"curvatures": (float("nan"), 1), "slopes": (1, -1), "start": 1}, "finite"),
    ],
)
def test_data_that_make_no_instance_are_refused(data, words):
    with pytest.raises(ValueError, match=words):
        QuadraticClients(**data)


def test_a_mean_objective_without_minimum_says_so():
    with pytest.raises(ValueError, match="unbounded below in coordinate 0"):
        _ = QuadraticClients((0, 0), (1, 0), 1).minimiser


def test_flat_coordinates_keep_the_start_as_minimiser():
    instance = PiecewiseQuadraticClients((0, 0), (1, 1), (0, 0), -3)
    assert instance.minimiser == (-3,)
    assert instance.constants[symbols.initial_distance] == 0
    assert PiecewiseQuadraticClients((1, 1), (0, 0), (0, 0), -3).minimiser == (0,)


def test_repeated_clients_keep_every_constant_but_their_number():
    instance = QuadraticClients((1, "1/3"), (1, -2), 3)
    triple = instance.repeated(3)
    assert triple.n_clients == 6
    for symbol, value in instance.constants.items():
        assert triple.constants[symbol] == (6 if symbol is symbols.n_clients else value)
