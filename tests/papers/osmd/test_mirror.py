"""The mirror step against bisection, a convex solver, the printed algorithm and its twin in balls."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from fltheory.papers.osmd.algorithms.mirror import (
    _ascending,
    mirror_step,
    mirror_step_balls,
    mirror_step_printed,
    plain_project,
    project,
)

floors = st.sampled_from([1e-300, 1e-12, 1e-3, 0.1, 0.4, 0.9, 1 - 1e-9, 1.0]) | st.floats(1e-3, 1)
balls = np.vectorize(arb, otypes=[object])


@st.composite
def steps(draw, largest: float = 1e12) -> tuple[np.ndarray, np.ndarray, float]:
    """(p, gain, alpha): p in the floored simplex, gains with zeros and ties, spreads far beyond e^12."""
    n = draw(st.integers(1, 12))
    alpha = draw(floors)
    spread = draw(st.sampled_from([0.0, 1.0, 12.0, 300.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p = project(np.exp(spread * rng.uniform(-1, 1, n)), alpha)
    scale = draw(st.sampled_from([0.0, 1e-9, 1.0, 30.0, 1e4, largest]))
    gain = scale * np.where(rng.random(n) < 0.5, rng.choice([rng.random(n), np.ones(n)]), 0)
    return p, gain, alpha


def in_floored_simplex(p: np.ndarray, alpha: float) -> bool:
    n = p.shape[-1]
    return bool(np.all(p >= alpha / n) and np.all(np.abs(p.sum(axis=-1) - 1) <= 1e-15 * (n + 4)))


def bisected(log_y: np.ndarray, alpha: float) -> np.ndarray:
    """max(alpha/M, c y) with log c bisected until it sums to one."""
    n = len(log_y)
    log_y = log_y - log_y.max()
    low, high = -math.log(n) - 1, 0.0  # c y_max <= 1, and c M y_max + alpha >= 1 or alpha is nearly 1
    low = low + math.log(1 - alpha) if alpha < 1 else -60.0
    low = max(low, -60.0)
    for _ in range(200):
        middle = (low + high) / 2
        if np.maximum(alpha / n, np.exp(log_y + middle)).sum() < 1:
            low = middle
        else:
            high = middle
    return np.maximum(alpha / n, np.exp(log_y + high))


@given(steps())
def test_it_is_the_point_that_bisection_finds(step):
    p, gain, alpha = step
    new = mirror_step(p, gain, alpha)
    assert in_floored_simplex(new, alpha)
    np.testing.assert_allclose(new, bisected(np.log(p) + gain, alpha), rtol=1e-12, atol=1e-12)


@given(st.integers(1, 40), st.integers(0, 99), st.floats(0.01, 1))
def test_the_compiled_projection_is_the_plain_one_to_the_bit(n, seed, alpha):
    rng = np.random.default_rng(seed)
    y = np.exp(rng.uniform(-300, 300, (2, 3, n)))
    assert (project(y, alpha) == plain_project(y, alpha)).all()
    alphas = rng.uniform(0.1, 1, (2, 3, 1))
    assert (project(y, alphas) == plain_project(y, alphas)).all()


def test_the_compiled_projection_of_numbers_whose_sum_is_0_is_the_plain_one():
    """A user's sampler may move below 0: its play is then looked at as any other."""
    y = np.array([[1.0, -1.0, 0.0]])
    with np.errstate(divide="ignore"):
        assert (project(y, 0.4) == plain_project(y, 0.4)).all()


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # the generic solver, of SciPy before 1.16
@given(st.lists(st.floats(-4, 4), min_size=2, max_size=5), st.floats(0.05, 0.95))
def test_no_point_of_the_floored_simplex_is_nearer(logs, alpha):
    """SLSQP on the divergence itself, and a gap from the first-order condition."""
    y = np.exp(np.array(logs))
    x = project(y, alpha)
    n = len(y)

    def divergence(v: np.ndarray) -> float:
        return float((v * np.log(v / y) - v + y).sum())

    found = minimize(
        divergence,
        np.full(n, 1 / n),
        method="SLSQP",
        bounds=[(alpha / n, 1)] * n,
        options={"ftol": 1e-14},
        constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
    )
    assert divergence(x) <= divergence(found.x) + 1e-7
    np.testing.assert_allclose(x, found.x, atol=2e-3)
    slope = np.log(x / y)
    assert slope @ x - (slope.min() * (1 - alpha) + alpha * slope.mean()) <= 1e-12 * (1 + np.abs(slope).max())


def test_the_first_order_gap_sees_a_wrong_projection():
    """Mixing with uniform: in the floored simplex, and not the nearest point."""
    y, alpha = np.array([0.01, 1.0, 3.0]), 0.6
    x = alpha / 3 + (1 - alpha) * y / y.sum()
    assert in_floored_simplex(x, alpha)
    slope = np.log(x / y)
    assert slope @ x - (slope.min() * (1 - alpha) + alpha * slope.mean()) > 1e-3


@given(steps(largest=1e3), st.floats(1e-9, 1e9))
def test_scale_and_order_do_not_matter(step, factor):
    p, gain, alpha = step
    new = mirror_step(p, gain, alpha)
    budget = 1e-15 * (1000 + gain.max())  # an exponent of that size, in floats
    np.testing.assert_allclose(mirror_step(p[::-1], gain[::-1], alpha)[::-1], new, rtol=1e-13)  # sums in another order
    if gain.any():  # else nothing moves
        np.testing.assert_allclose(mirror_step(p * factor, gain, alpha), new, rtol=budget, atol=budget)
    np.testing.assert_allclose(mirror_step(p, gain + min(1.0, factor), alpha), new, rtol=budget, atol=budget)


@given(steps())
def test_no_gain_no_move_and_only_gains_gain(step):
    p, gain, alpha = step
    np.testing.assert_allclose(mirror_step(p, 0 * gain, alpha), p, rtol=1e-12)
    still = gain == 0
    assert np.all(mirror_step(p, gain, alpha)[still] <= p[still] * (1 + 1e-12))


def test_every_leading_axis_is_a_row_of_its_own():
    rng = np.random.default_rng(3)
    p, gain = project(rng.random((3, 2, 5)), 0.3), rng.exponential(2, (3, 2, 5))
    for step in (mirror_step, mirror_step_printed):
        rows = [step(q, g, 0.3) for q, g in zip(p.reshape(-1, 5), gain.reshape(-1, 5), strict=True)]
        np.testing.assert_array_equal(step(p, gain, 0.3), np.reshape(rows, p.shape))
    exact = mirror_step_balls(balls(p), balls(gain), arb("0.3"))
    assert exact.shape == p.shape
    np.testing.assert_allclose(exact.astype(float), mirror_step(p, gain, 0.3), rtol=1e-13)


@given(steps())
def test_the_printed_algorithm_by_rank(step):
    p, gain, alpha = step
    printed = mirror_step_printed(p, gain, alpha)
    np.testing.assert_allclose(printed, mirror_step(p, gain, alpha), rtol=1e-9 if alpha > 0.999 else 1e-12)


def test_the_printed_algorithm_by_index_leaves_the_simplex():
    """pi(m) < m_star for pi^{-1}(m) < m_star: sums far from one, while the reading by rank stays."""
    p, gain = np.array([0.25, 0.25, 0.5]), np.array([2.0, 0.0, 0.0])
    assert mirror_step_printed(p, gain, 0.6).sum() == pytest.approx(1, abs=1e-15)
    assert abs(mirror_step_printed(p, gain, 0.6, by="index").sum() - 1) > 0.1
    rng = np.random.default_rng(0)
    y = rng.exponential(1, (2000, 4)) ** 2
    sums = mirror_step_printed(y, np.zeros_like(y), 0.5, by="index").sum(axis=-1)
    wrong = np.mean(np.abs(sums - 1) > 1e-9)
    assert 0.1 < wrong < 0.9
    ascending = np.sort(y, axis=-1)  # there pi is the identity
    np.testing.assert_array_equal(
        mirror_step_printed(ascending, 0 * y, 0.5, by="index"), mirror_step_printed(ascending, 0 * y, 0.5)
    )


@given(steps(largest=1e6))
def test_the_twin_in_balls_agrees_with_the_floats(step):
    p, gain, alpha = step
    exact = mirror_step_balls(balls(p), balls(gain), arb(alpha))
    new = mirror_step(p, gain, alpha)
    budget = 1e-14 * (1 + gain.max()) + 1e-13  # p^x with x of that size, in floats
    for value, ball in zip(new, exact, strict=True):
        assert ball.rad() <= 1e-12 * ball.mid()
        assert abs(arb(float(value)) - ball) <= budget * ball + 1e-300
    if gain.any():
        assert sum(exact, arb(0)).contains(1)
    else:  # what was played stays, whatever its floats sum to
        assert all(ball == arb(float(v)) for ball, v in zip(exact, p, strict=True))


@given(st.lists(st.tuples(st.integers(-3, 3), st.sampled_from([0.0, 0.5, 1.5])), min_size=1, max_size=6))
def test_balls_in_order_hold_every_order_of_their_points(given_balls):
    y = [arb(middle, radius) for middle, radius in given_balls]
    ascending = _ascending(y)
    for signs in itertools.product((-1, 0, 1), repeat=len(y)):
        points = sorted(middle + sign * radius for (middle, radius), sign in zip(given_balls, signs, strict=True))
        assert all(ball.contains(arb(point)) for ball, point in zip(ascending, points, strict=True))
    if len(set(given_balls)) == len(y) and not any(radius for _, radius in given_balls):
        assert [float(ball) for ball in ascending] == sorted(middle for middle, _ in given_balls)


@given(steps(largest=1e3), st.integers(0, 2**32 - 1))
def test_balls_contain_the_step_of_their_points(step, seed):
    """Wide balls that overlap in the sort: each corner's and inner point's step lies in the balls of the result."""
    p, gain, alpha = step
    gain = np.maximum(gain, 1e-9)  # without any gain p stays, in the simplex or not
    rng = np.random.default_rng(seed)
    wide = rng.choice([1e-6, 1e-2, 0.3])
    p_radius, gain_radius = wide * p * rng.random(len(p)), wide * (0.1 + gain) * rng.random(len(p))
    result = mirror_step_balls(
        np.array([arb(a, b) for a, b in zip(p, p_radius, strict=True)], dtype=object),
        np.array([arb(a, b) for a, b in zip(gain, gain_radius, strict=True)], dtype=object),
        arb(alpha),
    )
    for _ in range(8):
        at = rng.choice([-1.0, 1.0, 0.5, 0.0], (2, len(p)))
        point = mirror_step_balls(
            balls(p) + balls(at[0] * p_radius), balls(gain) + balls(at[1] * gain_radius), arb(alpha)
        )
        assert all(ball.overlaps(value) for ball, value in zip(result, point, strict=True))


def test_middles_alone_would_miss_the_step_of_some_points():
    """The negative control of the above: the order of the midpoints with their exact sums, no balls."""
    p, gain = np.array([0.3, 0.3, 0.4]), np.zeros(3)
    wide = np.array([arb(a, 0.1) for a in p], dtype=object)
    middles = mirror_step_balls(balls(p), balls(gain), arb("0.6"))
    corner = mirror_step_balls(balls(p + np.array([0.09, -0.09, 0])), balls(gain), arb("0.6"))
    assert not all(ball.overlaps(value) for ball, value in zip(middles, corner, strict=True))
    assert all(
        ball.overlaps(value)
        for ball, value in zip(mirror_step_balls(wide, balls(gain), arb("0.6")), corner, strict=True)
    )
