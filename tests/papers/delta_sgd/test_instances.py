"""The clients of Theorem 1: their constants hold everywhere and are attained, their noise is what it is said to be."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from sympy import Symbol

from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, Number, streams, to_float
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.instances.clients import HuberClient, MultipleClients, RandomCurvature, level, slope
from fltheory.problems.additive_noise import ring_array
from fltheory.runs.assumptions import constants_described

MULTIPLES = (
    MultipleClients((-1, -1, 8), 1),
    MultipleClients.spread(4, "1/2", (2, -1), height=3, width="5/2", noise_std=("1/3", "1/4")),
    MultipleClients((1, 1, 2, 2), 3, "1/2", 2, ripples=("1/2", "-1/2", "1/4", "-1/4"), frequencies=(3, 3, 7, 7)),
)
CURVED = (
    RandomCurvature((10, 1), (-1, 3)),
    RandomCurvature((3, 3, 1), (-5, -5, 5), "-9/2", 2, 3),
    RandomCurvature((2, 1), (1, 1), 2),
    RandomCurvature((1, 2, 1), (-2, 0, 2), 3, 2, "1/2"),
    RandomCurvature((1, 2, 1), (-2, "1/2", 3), "1/2", 2, "1/2"),
)
ALL = (*MULTIPLES, *CURVED)
FAR = np.concatenate([-np.logspace(4, -3, 4001), np.logspace(-3, 4, 4001)])[:, None]


def constant(instance: RandomCurvature | MultipleClients, symbol: Symbol) -> float:
    return to_float(instance.constants[symbol])


def along(instance: RandomCurvature | MultipleClients, direction: np.ndarray | None = None) -> np.ndarray:
    way = np.ones(instance.dim) if direction is None else direction
    return FAR * to_float(instance.width) * way


@pytest.mark.parametrize("one", [*ALL, HuberClient("1/2", 3)], ids=lambda i: type(i).__name__)
def test_an_instance_prints_what_rebuilds_it(one: RandomCurvature | MultipleClients | HuberClient) -> None:
    assert eval(repr(one)) == one
    assert one != MultipleClients((1,), 7)


@pytest.mark.parametrize("one", ALL, ids=lambda i: type(i).__name__)
def test_gradients_are_bounded_and_the_bound_is_attained(one: RandomCurvature | MultipleClients) -> None:
    x = along(one)
    largest = max(np.linalg.norm(one.gradient(x, i), axis=-1).max() for i in range(one.n_clients))
    limit = constant(one, notation.G)
    assert 0.99 * limit < largest <= limit * (1 + 1e-12)


@pytest.mark.parametrize("one", ALL, ids=lambda i: type(i).__name__)
def test_dissimilarity_is_bounded_and_the_bound_is_attained(one: RandomCurvature | MultipleClients) -> None:
    x, rho = along(one), constant(one, notation.rho)
    mean = one.mean_gradient(x)
    clients = np.stack([one.gradient(x, i) for i in range(one.n_clients)])
    assert clients.mean(axis=0) == pytest.approx(mean, abs=1e-9 * np.abs(clients).max())
    ratios = ((clients - mean) ** 2).sum(axis=-1) / (mean**2).sum(axis=-1)
    assert 0.99 * rho <= ratios.max() <= rho + 1e-9


@pytest.mark.parametrize("one", ALL, ids=lambda i: type(i).__name__)
def test_gradients_are_smooth(one: RandomCurvature | MultipleClients) -> None:
    x = np.linspace(-6, 6, 20_001)[:, None] * to_float(one.width) * np.ones(one.dim)
    limit = constant(one, notation.L)
    if isinstance(one, RandomCurvature):
        found = np.abs(np.diff(one.samples(x), axis=0) / np.diff(x, axis=0)).max()
    else:
        steps = np.linalg.norm(np.diff(x, axis=0), axis=-1)
        changes = (np.diff(one.gradient(x, i), axis=0) for i in range(one.n_clients))
        found = max((np.linalg.norm(v, axis=-1) / steps).max() for v in changes)
    assert found <= limit * (1 + 1e-9)
    if not any(getattr(one, "ripples", (0,))):  # with ripples it is an upper limit only
        assert found > 0.99 * limit


@pytest.mark.parametrize("one", ALL, ids=lambda i: type(i).__name__)
def test_gap_start_and_minimiser_agree(one: RandomCurvature | MultipleClients) -> None:
    assert constants_described.check(Case(one)) is None
    best = np.array([[to_float(v) for v in one.minimiser]])
    assert one.gap(best) == pytest.approx([0.0], abs=1e-15)
    assert np.abs(one.mean_gradient(best)).max() < 1e-12
    x, step = np.array([[to_float(v) for v in one.start]]), 1e-6
    slopes = [(one.gap(x + step * e) - one.gap(x - step * e))[0] / (2 * step) for e in np.eye(one.dim)]
    assert one.mean_gradient(x)[0] == pytest.approx(slopes, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("one", ALL, ids=lambda i: type(i).__name__)
def test_balls_contain_the_floats_and_rationals_are_refused(one: RandomCurvature | MultipleClients) -> None:
    x = ring_array(one.start, (1, one.dim), BALL)
    floats = np.array([[to_float(v) for v in one.start]])
    for i in range(one.n_clients):
        for exact, plain in zip(one.gradient(x, i).flat, one.gradient(floats, i).flat, strict=True):
            assert abs(exact - plain) < 1e-12
    assert abs(one.gap(x)[0] - one.gap(floats)[0]) < 1e-12
    with pytest.raises(NotRational):
        one.mean_gradient(ring_array(one.start, (1, one.dim), RATIONAL))


@pytest.mark.parametrize("one", [MULTIPLES[1], *CURVED], ids=lambda i: type(i).__name__)
def test_noise_has_mean_zero_and_no_larger_variance(one: RandomCurvature | MultipleClients) -> None:
    limit = constant(one, notation.sigma) ** 2
    assert one.n_noise_values is not None
    for place in np.linspace(-8, 8, 33) * to_float(one.width):
        x = np.full((one.n_noise_values, one.dim), place)
        middles = (np.arange(one.n_noise_values)[:, None] + 0.5) / one.n_noise_values
        found = one.noise(x, 0, middles)
        assert found.mean(axis=0) == pytest.approx(np.zeros(one.dim), abs=1e-12)
        assert (found**2).sum(axis=-1).mean() <= limit * (1 + 1e-12) + 1e-15


def test_the_variance_of_two_far_samples_is_attained_in_the_limit() -> None:
    one = RandomCurvature((1, 1, 1, "1/2"), (-9, -9, -9, 9), 0, 1, "1/1000")
    found = one.noise(np.zeros((4, 1)), 0, np.arange(4)[:, None] / 4 + 0.1)
    assert (found**2).mean() == pytest.approx(constant(one, notation.sigma) ** 2, rel=1e-6)


def test_the_variance_is_no_larger_than_the_mean_square() -> None:
    one = RandomCurvature((1, 1, 1), (-1, 0, 1), 0)
    assert one.constants[notation.sigma] == 1
    x = np.zeros((4, 1))
    far = RandomCurvature((1,) * 4, (-9, -8, 8, 9), 0, "1/1000", "1/1000")
    assert (far.noise(x, 0, np.arange(4)[:, None] / 4 + 0.1) ** 2).mean() == pytest.approx(1, rel=1e-6)
    assert far.constants[notation.sigma] == 1


@pytest.mark.parametrize("width", [1, "7/3"])
@pytest.mark.parametrize("data", [((1, 1, 1), (-1, 0, 1)), ((2, 1, 1, 2), (-3, "-1/3", "1/3", 3))])
def test_a_start_at_the_minimiser_has_no_gap(data: tuple[tuple[Number, ...], ...], width: Number) -> None:
    one = RandomCurvature(*data, 0, 3, width)
    assert one.constants[notation.gap] == 0
    assert constants_described.check(Case(one)) is None
    beside = RandomCurvature(*data, "1/100", 3, width)
    assert to_float(beside.constants[notation.gap]) > 1e-6


def test_the_same_batch_is_the_same_sample_at_two_points() -> None:
    one, rows = CURVED[0], np.arange(50)
    uniforms = streams.uniform(0, rows, 0, 0, 0)[:, None]
    x, y = np.full((50, 1), 0.3), np.full((50, 1), -1.7)
    there = one.gradient(y, 0) + one.noise(y, 0, uniforms)
    which = (uniforms[:, 0] >= 0.5).astype(int)
    assert there[:, 0] == pytest.approx(one.samples(y)[rows, which])
    assert len(set(which)) == 2
    index = np.array([0, 1] * 25)
    assert one.noise_value(x, 0, index, BALL)[:, 0] == pytest.approx(
        one.samples(x)[rows, index] - one.gradient(x, 0)[:, 0]
    )


def test_the_minimiser_is_a_ball_that_contains_the_root() -> None:
    (ball,) = CURVED[0].minimiser
    assert isinstance(ball, arb)
    assert ball.rad() < 1e-30
    with ctx.workprec(200):
        low, high = (np.array([[v]], dtype=object) for v in (ball.lower() - arb("1e-20"), ball.upper() + arb("1e-20")))
        assert CURVED[0].mean_gradient(low)[0, 0] < 0 < CURVED[0].mean_gradient(high)[0, 0]


def test_weights_are_taken_up_to_a_factor() -> None:
    one, other = MultipleClients((-1, -1, 8), 1), MultipleClients(("-1/2", "-1/2", 4), 1)
    assert one.multiples == other.multiples == (Fraction(-1, 2), Fraction(-1, 2), 4)
    assert one.constants == other.constants
    assert one.client_types == (0, 0, 1)


def test_small_and_large_arguments_lose_no_digits() -> None:
    assert level(np.array([1e-9]))[0] == pytest.approx(5e-19, rel=1e-12)
    assert level(np.array([1e200]))[0] == pytest.approx(1e200, rel=1e-12)
    assert slope(np.array([1e300, -1e300])) == pytest.approx([1.0, -1.0])


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (lambda: MultipleClients((-1, 1), 1), "positive sum"),
        (lambda: MultipleClients((1, 2), 1, 0), "height = 0"),
        (lambda: MultipleClients((1, 2), 1, ripples=("1/2", "1/2"), frequencies=1), "sum to zero"),
        (lambda: MultipleClients((1, 2), 1, ripples=("1/2", "-1/2")), "frequencies must be positive"),
        (lambda: MultipleClients((1, 2), "sqrt(2)"), "start = sqrt"),
        (lambda: MultipleClients((1, 2), 1, noise_std="sqrt(2)"), "noise_std"),
        (lambda: RandomCurvature((1, -1), (0, 1)), "positive scales"),
        (lambda: RandomCurvature((1, 2), (0, 1, 2)), "same length"),
        (lambda: HuberClient(0), "smoothness = 0"),
    ],
)
def test_bad_data_are_refused(build: Callable[[], object], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        build()
