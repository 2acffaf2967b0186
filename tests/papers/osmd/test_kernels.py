"""Compiled runs against the NumPy sampler: every step, whole runs, and what they must not get wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.games.dynamic_regret import comparator_play
from fltheory.games.losses import sampler_loss
from fltheory.games.participation import DRAW_STREAM, draw_counts
from fltheory.games.play import simulate_rounds
from fltheory.model.case import Case
from fltheory.papers.osmd import kernels
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.algorithms.mirror import mirror_step, project
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.papers.osmd.kernels import fenwick

RUNS = {"O(M)": kernels.dense_run, "O(K log M)": fenwick.tree_run}
each_run = pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())


def plain(rows: np.ndarray, n_sampled: int, eta: float, alpha: float, seed: int, repetition: int) -> np.ndarray:
    """The distributions of Algorithm 1, (rounds, clients), with the sort."""
    p = np.full((1, rows.shape[1]), 1.0 / rows.shape[1])
    history = [p[0]]
    for t in range(len(rows) - 1):
        counts = draw_counts(p, n_sampled, seed, np.array([repetition]), t)
        p = mirror_step(p, gains(p, counts, rows[t], eta, n_sampled), alpha)
        history.append(p[0])
    return np.array(history)


def gains(p: np.ndarray, counts: np.ndarray, a: np.ndarray, eta: float, n_sampled: int) -> np.ndarray:
    return np.minimum(counts * a * eta / (n_sampled**2 * p * p * p), kernels.LARGEST)


def compiled(run, losses, n_sampled, eta, alpha, n_rounds, seed=5, repetition=2):
    """(distributions, running sums of the losses), both with a row for every round."""
    history, totals = np.empty((n_rounds, len(losses.start))), np.empty(n_rounds)
    run(
        losses,
        n_sampled,
        eta,
        alpha,
        n_rounds,
        seed,
        DRAW_STREAM,
        repetition,
        np.arange(1, n_rounds + 1),
        totals,
        history,
    )
    return history, totals


@st.composite
def games(draw):
    """(losses, K, eta, alpha, T): lasting, rotating, drifting and abruptly changing feedback; eta from nothing to absurd."""
    n, n_rounds = draw(st.integers(1, 40)), 30
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([0.0, 1.5, 12.0]))
    rows = np.exp(spread * rng.standard_normal((n_rounds, n))) * (rng.random((n_rounds, n)) < 0.9)
    losses = draw(
        st.sampled_from(
            [
                kernels.constant(rows[0]),
                kernels.rotating_changes(n, n_rounds, 7),
                kernels.by_rows(rows),
                kernels.drifting_changes(rows[0], rows[1:, 0]),
            ]
        )
    )
    alpha = draw(st.sampled_from([1e-12, 1e-3, 0.1, 0.4, 0.9, 1 - 1e-9, 1.0]))
    eta = draw(st.sampled_from([0.0, 1e-9, 1e-4, 1e-2, 1.0, 1e12])) / n**2
    return losses, draw(st.sampled_from([1, 2, 5, 50])), eta, alpha, n_rounds


def test_steps_that_change_a_last_digit_end():
    """Gains near the floats' precision, with clients on the floor: c and the floored set must not take turns."""
    rng = np.random.default_rng(0)
    for _ in range(500):
        n, alpha = int(rng.integers(2, 30)), float(rng.choice([0.4, 0.9, 1 - 1e-9, 1.0]))
        p = np.full(n, 1.0 / n)
        for _ in range(8):
            m, gain = int(rng.integers(n)), float(np.exp(rng.uniform(-40, 2)))
            moved = mirror_step(p, np.where(np.arange(n) == m, gain, 0.0), alpha)
            kernels.dense_step(p, np.array([m]), np.array([gain]), 1, alpha)
            np.testing.assert_allclose(p, moved, rtol=1e-12)


@pytest.mark.turns(3)
@each_run
@given(game=games())
def test_each_step_is_the_mirror_step(run, game):
    """From the compiled distribution of round t, the NumPy draws and step give that of round t + 1."""
    losses, n_sampled, eta, alpha, n_rounds = game
    p, totals = compiled(run, losses, n_sampled, eta, alpha, n_rounds)
    rows = kernels.feedback_rows(losses, n_rounds)
    for t in range(n_rounds - 1):
        counts = draw_counts(p[t : t + 1], n_sampled, 5, np.array([2]), t)
        gain = gains(p[t], counts[0], rows[t], eta, n_sampled)
        budget = 1e-13 + 1e-14 * min(1e300, gain.max())  # an exponent of that size, in floats
        np.testing.assert_allclose(p[t + 1], mirror_step(p[t], gain, alpha), rtol=1e-12, atol=min(budget, 1e-10))
    assert np.all(p >= alpha / p.shape[1])
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-13)
    np.testing.assert_allclose(totals, np.cumsum(sampler_loss(rows, p, n_sampled)), rtol=1e-12)


@each_run
@pytest.mark.parametrize("eta", [0.0, 1e-6, 1e-4, 1e12])
@pytest.mark.parametrize(("n_clients", "n_sampled", "alpha"), [(50, 5, 0.4), (5, 12, 1e-9), (9, 3, 1.0), (300, 8, 0.1)])
def test_whole_runs(run, n_clients, n_sampled, alpha, eta):
    rng = np.random.default_rng(1)
    losses = kernels.drifting_changes(rng.lognormal(0, 1, n_clients), rng.lognormal(0, 1, 199))
    p, _ = compiled(run, losses, n_sampled, eta, alpha, 200)
    expected = plain(kernels.feedback_rows(losses, 200), n_sampled, eta, alpha, 5, 2)
    np.testing.assert_allclose(p, expected, rtol=0, atol=1e-12)


def test_two_runs_in_different_repetitions_differ():
    """The negative control of the above."""
    losses = kernels.rotating_changes(50, 100, 10)
    p, _ = compiled(fenwick.tree_run, losses, 5, 1e-3, 0.4, 100)
    expected = plain(kernels.feedback_rows(losses, 100), 5, 1e-3, 0.4, 5, 3)
    assert np.abs(p - expected).max() > 1e-3


def test_sums_keep_their_digits_where_plain_ones_lose_them(monkeypatch):
    """Sums that are never built anew lose the small a/w while the free mass grows, unless they carry twice the digits."""
    losses, rounds = kernels.constant(np.full(20, 1.0)), 400
    game = (losses, 3, 1e-3, 1e-3, rounds)
    expected = sampler_loss(np.ones((rounds, 20)), plain(np.ones((rounds, 20)), 3, 1e-3, 1e-3, 5, 2), 3).sum()
    assert compiled(fenwick.tree_run, *game)[1][-1] == pytest.approx(expected, rel=1e-12)

    def plainly_added(total, i, x):
        total[i] += x

    parts = (
        "change_feedback",
        "find_client",
        "tree_step",
        "_draws",
        "_raise_drawn",
        "_lower_to_floor",
        "_build",
        "_values",
        "_move_mass",
        "_switch_floor",
    )
    for name in (*parts, "_push", "_sift_down", "dense_step", "exponent", "absorb", "as_uniform"):
        monkeypatch.setattr(fenwick, name, getattr(fenwick, name).py_func)
    monkeypatch.setattr(fenwick, "add_compensated", plainly_added)
    monkeypatch.setattr(fenwick, "GROWTH", math.inf)
    with np.errstate(all="ignore"):
        wrong = compiled(fenwick.tree_run.py_func, *game)
    assert wrong[1][-1] != pytest.approx(expected, rel=1e-12)


def test_the_losses_of_many_runs_are_the_same_for_any_number_of_threads():
    losses = kernels.rotating_changes(500, 200, 20)
    marks = [1, 50, 200]
    one = fenwick.losses_of_runs(losses, 5, 1e-7, 0.3, 200, 7, np.arange(12), marks)
    two = fenwick.losses_of_runs(losses, 5, 1e-7, 0.3, 200, 7, np.arange(12), marks, threads=3)
    np.testing.assert_array_equal(one, two)
    dense = fenwick.losses_of_runs(losses, 5, 1e-7, 0.3, 200, 7, np.arange(12), marks, run=kernels.dense_run)
    np.testing.assert_allclose(one, dense, rtol=1e-12)
    part = fenwick.losses_of_runs(losses, 5, 1e-7, 0.3, 200, 7, np.array([4]), marks)
    np.testing.assert_array_equal(part[0], one[4])


@pytest.mark.parametrize("n_clients", [4, 90])
def test_the_regret_of_a_game(n_clients):
    """The compiled regret against the loop of ``simulate_rounds``."""
    rng = np.random.default_rng(2)
    rows = tuple(tuple(int(v) for v in row) for row in rng.integers(0, 9, (12, n_clients)))
    case = Case(FeedbackTable(rows, n_sampled=2, floor="1/4", repeat=3), sampler_rate="1/1000")
    found = fenwick.osmd_regret(case, 3, np.arange(4))
    total = np.zeros(4)
    for r in simulate_rounds(osmd, case, 3, np.arange(4)):
        total += sampler_loss(r.answer, r.p, 2) - sampler_loss(r.answer, comparator_play(r, case)[None], 2)
    np.testing.assert_allclose(found, total, rtol=1e-9)


def test_feedback_by_its_changes():
    rows = np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 3.0], [4.0, 2.0]])
    np.testing.assert_array_equal(kernels.feedback_rows(kernels.by_rows(rows), 4), rows)
    np.testing.assert_array_equal(kernels.feedback_rows(kernels.constant(rows[0]), 2), rows[[0, 0]])
    turning = kernels.feedback_rows(kernels.rotating_changes(3, 7, 2, 1, 9), 7)
    np.testing.assert_array_equal(turning.argmax(axis=1), [0, 0, 1, 1, 2, 2, 0])
    np.testing.assert_array_equal(np.sort(turning, axis=1), [[1, 1, 9]] * 7)
    np.testing.assert_array_equal(
        kernels.feedback_rows(kernels.drifting_changes(np.zeros(2), np.arange(1.0, 4.0)), 4),
        [[0, 0], [1, 0], [1, 2], [3, 2]],
    )


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1), st.sampled_from([0.1, 10.0, 1e5]))
def test_the_step_without_a_sort(seed, alpha, scale):
    rng = np.random.default_rng(seed)
    p = project(rng.exponential(1, 30) ** 3, alpha)
    drawn, gain = rng.choice(30, 6, replace=False), scale * rng.exponential(1, 6)
    full = np.zeros(30)
    full[drawn] = gain
    expected = mirror_step(p, full, alpha)
    kernels.dense_step(p, drawn, gain, 6, alpha)
    np.testing.assert_allclose(p, expected, rtol=1e-12, atol=1e-14)
