"""Adaptive OSMD and its doubling: the grid, the weights, scaling, blocks, compiled runs, and the trap."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from fltheory.games.dynamic_regret import DynamicRegret, comparator_play
from fltheory.games.losses import estimated_loss, sampler_loss
from fltheory.games.participation import DRAW_STREAM, draw_counts
from fltheory.games.play import simulate_rounds
from fltheory.games.player import ImpreciseState
from fltheory.model.case import Case
from fltheory.number import BALL, streams
from fltheory.papers.osmd import kernels
from fltheory.papers.osmd.algorithms import adaptive
from fltheory.papers.osmd.experts.kernels import experts, trap, trees
from fltheory.papers.osmd.instances.games import FeedbackTable


def constants(n_clients=5, n_sampled=2, n_rounds=40, alpha=0.4, largest=3.0, **more):
    return SimpleNamespace(
        n_clients=n_clients,
        n_sampled=n_sampled,
        n_rounds=n_rounds,
        probability_floor=alpha,
        max_feedback=largest,
        **more,
    )


def path(sampler, c, rows, seed=0, seeds=2):
    """The plays of some seeds, (rounds, seeds, clients), and the states."""
    state, plays, states = sampler.init(seeds, c), [], []
    for t, a in enumerate(rows):
        p = sampler.play(state, c)
        plays.append(p)
        states.append(state)
        counts = draw_counts(p, c.n_sampled, seed, np.arange(seeds), t)
        state = sampler.step(state, counts, np.where(counts > 0, a, 0), c)
    return np.array(plays), states


SAMPLERS = [
    adaptive.adaptive(),
    adaptive.adaptive("printed"),
    adaptive.doubling(),
    adaptive.doubling("printed"),
    adaptive.doubling("corrected", "last"),
]
each_sampler = pytest.mark.parametrize("sampler", SAMPLERS)


@given(st.integers(2, 10**6), st.fractions(Fraction(1, 10**6), 1), st.integers(1, 10**9))
def test_the_number_of_experts(n_clients, alpha, n_rounds):
    """The least k with 4^k >= 1 + 4 (T-1) log(M/alpha) / log M, in floats where they can tell, and one more."""
    x = 1 + 4 * (n_rounds - 1) * math.log(n_clients / alpha) / math.log(n_clients)
    found = adaptive.n_experts(n_clients, alpha, n_rounds)
    assert 4.0 ** (found - 2) < x * (1 + 1e-12)
    assert 4.0 ** (found - 1) > x * (1 - 1e-12)
    assert adaptive.n_experts(n_clients, float(alpha), n_rounds) == found


@pytest.mark.parametrize(("n_clients", "alpha"), [(16, Fraction(1, 2)), (81, Fraction(1, 3)), (16, 0.5), (81, 1 / 3)])
def test_where_the_logarithm_is_an_integer(n_clients, alpha):
    """log(M/alpha)/log M = 5/4 and T = 4: 1 + 15 = 4^2 exactly, where floats round upwards (M = 81) or may."""
    assert adaptive.n_experts(n_clients, alpha, 4) == 3
    assert adaptive.n_experts(n_clients, alpha, 5) == 4


def test_edges_of_the_number_of_experts():
    assert adaptive.n_experts(2, 1, 1) == adaptive.n_experts(2, 1.0, 1) == adaptive.n_experts(9, arb("0.1"), 1) == 1
    assert adaptive.n_experts(9, arb("0.1"), 1000) == adaptive.n_experts(9, 0.1, 1000)
    with pytest.raises(ValueError, match="at least 2"):
        adaptive.n_experts(1, 0.5, 3)
    assert adaptive.n_experts(16, arb("0.5"), 4) == 3  # the ball is a number
    with pytest.raises(ImpreciseState, match="is not a single number"):
        adaptive.n_experts(81, arb(1) / 3, 4)


@given(st.integers(2, 1000), st.floats(1e-4, 1), st.integers(2, 10**6), st.floats(0, 1))
def test_the_grid_covers_the_best_rate(n_clients, alpha, n_rounds, part):
    c = constants(n_clients, 3, n_rounds, alpha, 2.5)
    beta = 2 * (n_rounds - 1) * part
    unit = 3 * alpha**3 / (n_clients**3 * 2.5)
    best = unit * math.sqrt((2 * math.log(n_clients) + 4 * beta * math.log(n_clients / alpha)) / n_rounds)  # (20)
    grid = adaptive.expert_grid(c)
    assert grid[0] <= best * (1 + 1e-12)
    assert best <= grid[-1] * (1 + 1e-12)
    np.testing.assert_allclose(grid[1:], 2 * grid[:-1], rtol=1e-15)
    c = constants(n_clients, 3, n_rounds, arb(alpha), arb(2.5))
    for float_rate, ball in zip(grid, adaptive.expert_grid(c, balls=True), strict=True):
        assert float(ball.mid()) == pytest.approx(float_rate, rel=1e-13)


def test_a_grid_with_one_expert_less_does_not():
    c = constants(n_rounds=1000)
    best = adaptive.expert_grid(c)[0] * math.sqrt(1 + 2 * 2 * 999 * math.log(5 / 0.4) / math.log(5))
    assert best > adaptive.expert_grid(c)[-2]


@given(st.integers(1, 200))
def test_first_weights(n):
    weights = adaptive.first_weights(n)
    assert sum(weights) == 1
    assert min(weights) >= Fraction(1, n * n)


@given(st.integers(1, 12), st.integers(2, 100), st.floats(1e-3, 1))
def test_doubling_solves_at_most_t_times_e_steps(complete, n_clients, alpha):
    n_rounds = 2**complete - 1
    solved = sum(2**b * adaptive.n_experts(n_clients, alpha, 2**b) for b in range(complete))
    assert solved <= n_rounds * adaptive.n_experts(n_clients, alpha, n_rounds)


@each_sampler
def test_plays_are_mixtures_in_the_floored_simplex(sampler):
    c, rng = constants(n_rounds=30), np.random.default_rng(0)
    plays, states = path(sampler, c, 3 * rng.random((30, 5)))
    np.testing.assert_allclose(plays.sum(axis=2), 1, rtol=1e-14)
    assert np.all(plays >= 0.4 / 5 * (1 - 1e-14))
    assert np.ptp(plays, axis=0).max() > 1e-3
    for state in states:
        np.testing.assert_allclose(state.experts.sum(axis=2), 1, rtol=1e-14)


def test_one_round_beside_the_equations():
    """Step by step for one seed and a count vector."""
    c = constants(3, 2, 8, 0.3, 3.0)
    sampler = adaptive.adaptive()
    state = sampler.init(1, c)
    for counts, a in (([2, 0, 0], [1.0, 0, 0]), ([0, 1, 1], [0, 3.0, 2.0])):
        n, a = np.array([counts]), np.array([a])
        theta = np.exp(state.log_weights[0]) / np.exp(state.log_weights[0]).sum()
        p = theta @ state.experts[0]
        np.testing.assert_allclose(sampler.play(state, c)[0], p, rtol=1e-14)
        after = sampler.step(state, n, a, c)
        gamma = 2 * 0.3**2 / (9 * 3.0) * math.sqrt(8 / 8)
        expected = []
        for e, q in enumerate(state.experts[0]):
            estimate = sum(a[0] * n[0] / (q * p)) / 4
            expected.append(math.log(theta[e]) - gamma * estimate)
            eta = 2.0**e * 2 * 0.3**3 / (27 * 3.0) * math.sqrt(2 * math.log(3) / 8)
            y = q * np.exp(n[0] * eta * a[0] / (4 * q * q * p))
            np.testing.assert_allclose(after.experts[0, e], y / y.sum(), rtol=1e-13)  # nothing is floored here
        gap = after.log_weights[0] - np.array(expected)
        np.testing.assert_allclose(gap, gap[0], atol=1e-13)
        state = after


@pytest.mark.parametrize("make", [adaptive.adaptive, adaptive.doubling])
def test_scaling_feedback_and_its_bound_together_changes_nothing(make):
    rng = np.random.default_rng(1)
    rows, small = 3 * rng.random((25, 5)), constants(n_rounds=25, alpha=1.0 / 3)
    large = constants(n_rounds=25, alpha=1.0 / 3, largest=3e8)
    for gamma, equal in (("corrected", True), ("printed", False)):
        one, _ = path(make(gamma), small, rows)
        many, _ = path(make(gamma), large, 1e8 * rows)
        assert bool(np.abs(one - many).max() <= 1e-12) is equal


def test_doubling_restarts_at_powers_of_two():
    rng, c = np.random.default_rng(2), constants(n_rounds=40)
    rows = 3 * rng.random((40, 5))
    plays, states = path(adaptive.doubling(), c, rows)
    uniform = [t + 1 for t, p in enumerate(plays) if np.all(p == p.flat[0])]
    assert uniform == [1, 2, 4, 8, 16, 32]
    for t, state in enumerate(states, 1):
        assert state.experts.shape[1] == adaptive.n_experts(5, 0.4, 2 ** (t.bit_length() - 1))
    plays, _ = path(adaptive.doubling(restart="last"), c, rows)
    for t in (4, 8, 16, 32):
        np.testing.assert_allclose(plays[t - 1], plays[t - 2], rtol=1e-14)
        assert np.abs(plays[t] - plays[t - 1]).max() > 1e-6
    block, _ = path(adaptive.adaptive(), constants(n_rounds=1), rows[:1])
    np.testing.assert_array_equal(block, 0.2)


@each_sampler
def test_the_expected_regret_in_balls(sampler):
    case = Case(FeedbackTable(((1, 3, 0), (2, 1, 1), (5, 0, 1), (1, 1, 1)), n_sampled=1, floor="1/4"))
    low, high = DynamicRegret().in_floats(sampler, case)
    ball = DynamicRegret().exact(sampler, case, BALL)
    assert ball.rad() < 1e-9
    assert low <= float(ball.mid()) <= high


@pytest.mark.parametrize(
    ("sampler", "options"),
    [
        (adaptive.adaptive(), ("corrected", False, "uniform")),
        (adaptive.adaptive("printed"), ("printed", False, "uniform")),
        (adaptive.doubling(), ("corrected", True, "uniform")),
        (adaptive.doubling("printed", "last"), ("printed", True, "last")),
    ],
)
@pytest.mark.parametrize("n_rounds", [1, 23, 31, 32])
def test_compiled_games(sampler, options, n_rounds):
    rows = tuple(tuple(int(v) for v in row) for row in np.random.default_rng(3).integers(0, 9, (n_rounds, 6)))
    case = Case(FeedbackTable((*rows[1:], (9, 0, 1, 2, 3, 4)), n_sampled=3, floor="1/4"))
    total = np.zeros(3)
    for r in simulate_rounds(sampler._replace(kernel=None), case, 4, np.arange(3)):
        total += sampler_loss(r.answer, r.p, 3) - sampler_loss(r.answer, comparator_play(r, case)[None], 3)
    found = experts.experts_regret(case, 4, np.arange(3), *options)
    np.testing.assert_allclose(found, total, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(DynamicRegret().simulate(sampler, case, 4, np.arange(3)), found)
    if n_rounds > 1:
        other = experts.experts_regret(case, 4, np.arange(3), options[0], not options[1], "uniform")
        assert np.abs(other - total).max() > 1e-6


def test_compiled_games_do_not_depend_on_threads():
    losses, c = kernels.rotating_changes(30, 100, 10), constants(30, 4, 100, 0.3, 1.01)
    one = experts.losses_of_experts(losses, c, 1, np.arange(6), [10, 100])
    two = experts.losses_of_experts(losses, c, 1, np.arange(6), [10, 100], threads=2)
    np.testing.assert_array_equal(one, two)


@pytest.mark.turns(3)
@pytest.mark.parametrize("largest", [1.01, 1e-5])  # the bound on the feedback, and one that makes the steps large
def test_compiled_games_without_the_mixture(largest):
    """An expert by its weight, then a client of it, against the plain step on the same counts."""
    losses, c = kernels.rotating_changes(30, 60, 10), constants(30, 4, 60, 0.3, largest)
    marks = np.arange(1, 61)
    found = experts_without_mixture(losses, c, 3)
    totals = trees.estimated_losses(losses, c, 5, np.array([3, 8]), marks, threads=2)
    np.testing.assert_allclose(totals[0], found, rtol=1e-10)
    assert np.abs(totals[1] - found).max() > 1e-3


def experts_without_mixture(losses, c, repetition):
    sampler, total, sums = adaptive.adaptive(), 0.0, []
    state = sampler.init(1, c)
    for t, a in enumerate(kernels.feedback_rows(losses, c.n_rounds)):
        theta = np.exp(state.log_weights[0])
        theta = theta / theta.sum()
        counts = np.zeros((1, c.n_clients), dtype=np.int64)
        for u in streams.uniform(5, repetition, t, DRAW_STREAM, np.arange(c.n_sampled)):
            e = int((theta.cumsum()[:-1] <= u).sum())
            part = (u - theta[:e].sum()) / theta[e]
            counts[0, int((state.experts[0, e].cumsum() <= part).sum())] += 1
        p = sampler.play(state, c)
        total += float(estimated_loss(a, p, p, counts)[0])
        sums.append(total)
        state = sampler.step(state, counts, np.where(counts > 0, a, 0), c)
    return np.array(sums)


# -- the trap ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (10, 0.5), (100, 0.01), (1000, 0.63), (10, 1.0)])
def test_binomial_numbers_from_one_uniform(n, p):
    """On an even grid of uniforms each value comes as often as its probability says, up to its two ends."""
    from scipy.stats import binom  # takes half a second

    grid = (np.arange(50_001) + 0.5) / 50_001
    often = np.bincount([trap.binomial(u, n, p) for u in grid], minlength=n + 1) / len(grid)
    assert np.abs(often - binom.pmf(np.arange(n + 1), n, p)).max() <= 1.01 / len(grid)
    assert np.abs(often - binom.pmf(np.arange(n + 1), n, p * 0.9)).max() > 0.002
    assert 0 <= trap.binomial(np.nextafter(1, 0), n, p) <= n


def setting(n_rounds: int, n_sampled: int, largest: float, gamma: str) -> tuple:
    c = constants(2, n_sampled, n_rounds, 0.7, largest)
    rates = adaptive.expert_grid(c)
    weights = np.array([float(v) for v in adaptive.first_weights(len(rates))])
    return n_rounds, n_sampled, largest, 0.7, 0.55, rates, weights, adaptive.meta_rate(c, gamma)


@pytest.mark.turns(3)
@pytest.mark.parametrize("largest", [1.0, 1e9, 1e24])
@pytest.mark.parametrize("gamma", ["corrected", "printed"])
def test_the_trap_beside_the_equations(gamma, largest):
    settings = setting(300, 50, largest, gamma)
    found, active = trap.trap_regret(*settings, 3, np.arange(4), threads=2)
    expected = [trap.trap_regret_plain(*settings, 3, i) for i in range(4)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    again, same = trap.trap_regret(*settings, 3, np.array([2]), replay=active[2].astype(np.int64))
    assert again[0] == found[2]
    np.testing.assert_array_equal(same[0], active[2])
    fresh, _ = trap.trap_regret(*settings, 4, np.array([2]), replay=active[2].astype(np.int64))
    assert fresh[0] != found[2]


def test_the_trap_catches_the_printed_meta_rate_alone():
    for gamma, low, high in (("printed", 0.25, 0.31), ("corrected", -0.06, 0.0)):
        regrets, _ = trap.trap_regret(*setting(10_000, 10_000, 1e24, gamma), 1, np.arange(4))
        assert np.all((low < regrets / (10_000 * 1e24 / 10_000)) & (regrets / (10_000 * 1e24 / 10_000) < high))
