"""Games written out: draws, losses, regrets and learners against their formulas, refusals at their edge, kernels in Python."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory import symbols
from fltheory.games import dynamic_regret, hindsight, kernels, learners, participation, play, static_regret
from fltheory.games.dynamic_regret import DynamicRegret, PathRegret
from fltheory.games.environment import (
    ROUNDING,
    Environment,
    SamplingWithReplacement,
    SubsetParticipation,
    is_fixed_table,
    require_answers_in_range,
)
from fltheory.games.hindsight import best_decision, exact_simplex_point, least_loss, require_small_gap, smallest_ball
from fltheory.games.learners import (
    DescentState,
    EntropicState,
    NewtonState,
    constant_learner,
    entropic_ftrl,
    exponentiated_gradient,
    follow_the_leader,
    online_gradient_descent,
    online_newton,
    quadratic_minimiser,
    softmax,
    two_kinds,
    two_kinds_entropic,
    two_kinds_newton,
)
from fltheory.games.losses import (
    LINEAR,
    LOG_GROWTH,
    ZERO_PROBABILITY_CHARGE,
    charged_probabilities,
    estimated_loss,
    growth,
    has_unbounded_loss,
    safe_divisor,
    sampler_loss,
)
from fltheory.games.play import enumerate_rounds, merge_states, require_listed_plays, simulate_rounds
from fltheory.games.player import (
    SUM_TOLERANCE,
    ImpreciseState,
    Learner,
    Player,
    Sampler,
    next_player_state,
    state_as_play,
    uniform_start,
    valid_play,
)
from fltheory.games.round_checks import dependence_on_plays, table_mismatch
from fltheory.games.simplex_qp import solve_dense, solve_low_rank
from fltheory.games.static_regret import (
    LinearisedRegret,
    StaticRegret,
    has_random_participation,
    linearised_regret,
    require_wide_range,
    rounding_error_bound,
)
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, streams
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.problems.responses import AdaptiveResponses, RandomResponses, ResponseTable
from fltheory.runs.algorithm import object_array
from fltheory.runs.constants import run_constants
from fltheory.runs.method import AssumptionFailed, NotEnumerable, VariantError
from fltheory.work import CALL_COST, GAME_ROUND_COST, NUMPY_FLOATS_PER_UNIT, USER_STEP_COST, separate_meter

SETTINGS: dict[str, Any] = {"learner_regularisation": 2, "learner_curvature": "1/2", "learner_scale": "1/2"}
GAME = ResponseTable(((1, 0, "1/2"), ("1/3", "1/2", 1), (0, 1, "1/4")), (2, 1, 1))
CASE = Case(GAME, **SETTINGS)
PARTIAL = Case(ResponseTable(((1, 0, "1/2"), ("1/3", "1/2", 1)), (1, 1), n_participating=2), **SETTINGS)
FEEDBACK = FeedbackTable(((1, 0, 2), (2, 1, 1)), n_sampled=2, floor="1/2", comparator="best")


def in_balls(values: Any) -> np.ndarray:
    plain = [v.item() if isinstance(v, np.generic) else v for v in np.ravel(values)]
    flat = [arb(v) if isinstance(v, int | float) else arb(fmpq(v.numerator, v.denominator)) for v in plain]
    return object_array(flat, np.shape(values))


def python(kernel: Any) -> Any:
    return getattr(kernel, "py_func", kernel)


# Losses -----------------------------------------------------------------------------------------------------------------


def test_losses_of_decisions_and_their_gradients() -> None:
    p, r = np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[2.0, 4.0], [0.5, 3.0]])
    assert growth(p, r).tolist() == [4.5, 1.5]
    np.testing.assert_allclose(LOG_GROWTH.value(p, r), -np.log([4.5, 1.5]))
    np.testing.assert_allclose(LOG_GROWTH.gradient(p, r), -r / np.array([[4.5], [1.5]]))
    assert LINEAR.value(p, r).tolist() == [-3.5, -0.5]
    assert LINEAR.gradient(p, r).tolist() == (-r).tolist()
    assert LINEAR.gradient(p, r[:1]).shape == (2, 2)
    balls = LOG_GROWTH.value(in_balls(p), in_balls(r))
    assert [float(v.mid()) for v in balls] == pytest.approx((-np.log([4.5, 1.5])).tolist())
    assert (repr(LOG_GROWTH), repr(LINEAR)) == ("LOG_GROWTH", "LINEAR")
    values = {symbols.response_low: Fraction(1, 2), symbols.response_high: 2}
    assert float(LOG_GROWTH.spread.subs(values)) == pytest.approx(math.log(2))
    assert float(LINEAR.spread.subs(values)) == 1.5


def test_losses_of_samplers_and_their_estimates() -> None:
    a, p = np.array([[2.0, 0.0, 1.0]]), np.array([[0.25, 0.0, 0.75], [0.5, 0.25, 0.25]])
    np.testing.assert_allclose(sampler_loss(a, p, 2), [(8 + 4 / 3) / 2, (4 + 4) / 2])
    counts, q = np.array([[1, 0, 2]]), np.array([[0.5, 0.0, 0.5]])
    expected = (2.0 * 1 / (0.5 * 0.25) + 1.0 * 2 / (0.5 * 0.75)) / 9
    np.testing.assert_allclose(estimated_loss(a, q, p[:1], counts), [expected])
    hidden = np.array([[2.0, np.nan, 1.0]])  # what is not drawn is not read
    np.testing.assert_allclose(estimated_loss(hidden, q, p[:1], counts), [expected])
    assert safe_divisor(p[:1], counts).tolist() == [[0.25, 1.0, 0.75]]
    exact = in_balls(p)
    assert safe_divisor(exact, counts) is exact
    assert charged_probabilities(p)[0].tolist() == [0.25, ZERO_PROBABILITY_CHARGE, 0.75]
    assert charged_probabilities(exact) is exact
    assert has_unbounded_loss(a, p).tolist() == [False, False]
    assert has_unbounded_loss(np.array([[2.0, 1.0, 1.0]]), p).tolist() == [True, False]
    assert has_unbounded_loss(in_balls([[2, 1, 1]]), exact).tolist() == [False, False]


def test_a_client_without_feedback_may_have_probability_0_in_the_estimate() -> None:
    """Drawn or not, what it adds is 0; with feedback the estimate is infinite."""
    a, q, p, counts = (np.array([v]) for v in ([0.0, 2.0], [0.0, 1.0], [0.5, 0.5], [1, 1]))
    assert estimated_loss(a, q, p, counts).tolist() == [1.0]
    (exact,) = estimated_loss(*map(in_balls, (a, q, p)), counts)
    assert exact == 1


# Draws ------------------------------------------------------------------------------------------------------------------


def test_count_vectors_and_their_sequences() -> None:
    for clients, n in ((3, 2), (2, 3), (1, 2), (3, 1)):
        sequences = list(itertools.product(range(clients), repeat=n))
        counts = [tuple(np.bincount(s, minlength=clients).tolist()) for s in sequences]
        found = participation.count_vectors(clients, n)
        assert sorted(map(tuple, found.tolist())) == sorted(set(counts))
        for row in found:
            assert participation.count_draw_sequences(row) == counts.count(tuple(row.tolist()))
    c: Any = SimpleNamespace(n_sampled=2, n_clients=3)
    assert len(participation.distinct_draws(c, 6)) == 6
    with pytest.raises(NotEnumerable, match="more than 5 ways to draw"):
        participation.distinct_draws(c, 5)
    assert participation.participant_sets(4, 2, 6).tolist() == [
        [int(e in s) for e in range(4)] for s in itertools.combinations(range(4), 2)
    ]
    with pytest.raises(NotEnumerable, match="more than 5 sets of clients"):
        participation.participant_sets(4, 2, 5)


@pytest.mark.parametrize("ring", [None, BALL])
def test_branches_of_a_round_have_their_chances(ring: Any) -> None:
    p = np.array([[0.25, 0.75], [0.5, 0.5]])
    draws, weights = participation.count_vectors(2, 3), np.array([0.5, 0.25])
    if ring is not None:
        p, weights = in_balls(p), in_balls(weights)
    rows, counts, chances = participation.draw_branches(p, weights, draws, ring)
    assert rows.tolist() == [0] * 4 + [1] * 4
    plain = [[0.25, 0.75], [0.5, 0.5]]
    for row, own, chance in zip(rows, counts, chances, strict=True):
        a, b = own.tolist()
        expected = (0.5, 0.25)[row] * math.comb(3, a) * plain[row][0] ** a * plain[row][1] ** b
        assert float(chance if ring is None else chance.mid()) == pytest.approx(expected)


def test_draws_and_participants_of_simulated_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    p, seeds = np.array([[0.2, 0.0, 0.5, 0.3]] * 50), np.arange(3, 53)
    expected = participation.reference_draw_counts(p, 7, 5, seeds, 2)
    assert (expected.sum(axis=1) == 7).all()
    sums = p[0].cumsum()
    levels = streams.uniform(5, seeds[:, None], 2, participation.DRAW_STREAM, np.arange(7))
    by_hand = np.array([np.bincount([int((sums <= u).sum()) for u in row], minlength=4) for row in levels])
    np.testing.assert_array_equal(expected, by_hand)
    np.testing.assert_array_equal(participation.draw_counts(p, 7, 5, seeds, 2), expected)
    monkeypatch.setattr(kernels, "absorb", lambda state, value: (*(state if isinstance(state, tuple) else ()), value))
    monkeypatch.setattr(kernels, "as_uniform", lambda key: streams.uniform(*key))
    counts = np.zeros((50, 4), dtype=np.int64)
    python(kernels.count_draws)(p, 7, 5, seeds, 2, participation.DRAW_STREAM, counts)
    np.testing.assert_array_equal(counts, expected)
    c: Any = SimpleNamespace(n_participating=2, n_clients=4)
    seen = participation.participants(c, 5, seeds, 2)
    assert set(seen.sum(axis=1).tolist()) == {2}
    assert set(np.unique(seen).tolist()) == {0, 1}
    everyone: Any = SimpleNamespace(n_participating=4, n_clients=4)
    assert (participation.participants(everyone, 5, seeds, 2) == 1).all()


# Kernels in Python ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "positive", "nonnegative"),
    [
        ([0.5, 0.5], True, True),
        ([1.0, 0.0], False, True),
        ([1.5, -0.5], False, False),
        ([0.5, 0.5 + SUM_TOLERANCE / 2], True, True),
        ([0.5, 0.5 + 2 * SUM_TOLERANCE], False, False),
        ([0.5, 0.5 - 2 * SUM_TOLERANCE], False, False),
        ([0.5, np.nan], False, False),
        ([0.5, 0.5 - SUM_TOLERANCE / 2], True, True),
    ],
)
def test_distributions_in_python(row: list[float], positive: bool, nonnegative: bool) -> None:
    for p in (np.array([row]), np.array([[0.5, 0.5], row])):
        assert python(kernels.are_distributions)(p, False, SUM_TOLERANCE) is positive
        assert python(kernels.are_distributions)(p, True, SUM_TOLERANCE) is nonnegative


@pytest.mark.parametrize("seed", range(6))
def test_projections_products_and_gaps_in_python(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for x in (rng.normal(size=7), np.array([0.5]), np.zeros(4), np.array([3.0, 0.0, -9.0]), rng.normal(size=5) * 1e3):
        found = np.empty(len(x))
        python(kernels._project)(x, found)
        np.testing.assert_allclose(found, kernels.reference_project(x), atol=1e-12)
        np.testing.assert_allclose(kernels.project(x), found, atol=1e-12)
        assert found.sum() == pytest.approx(1, abs=1e-15)
        others = rng.dirichlet(np.ones(len(x)), size=50)
        assert (((found - x) ** 2).sum() <= ((others - x) ** 2).sum(axis=1) + 1e-9).all()
    G, p = rng.normal(size=(4, 5)), rng.dirichlet(np.ones(5))
    B = 0.7 * np.eye(5) + 0.3 * G.T @ G
    product = np.empty(5)
    python(kernels._gram_product)(0.7, 0.3, G, p, product)
    np.testing.assert_allclose(product, B @ p)
    np.testing.assert_allclose(kernels.reference_product(0.7, 0.3, G, p), B @ p)
    c, g, rounding = rng.random(5), np.empty(5), np.empty(5)
    p[2] = 0.0
    python(kernels._gradient)(B, c, p, g, rounding)
    np.testing.assert_allclose(g, B @ p + c)
    size = (np.abs(B) @ p + c) * (5 + 4) * kernels.EPS
    np.testing.assert_allclose(rounding, size)
    gap, noise = python(kernels._gap)(p, g, rounding)
    own = p @ (g - g.min())
    most = p @ (g + rounding - (g - rounding).min())
    assert own <= gap
    assert gap == pytest.approx(most * (1 + 9 * kernels.EPS), rel=1e-14)
    assert noise == pytest.approx(gap - own)


def problem(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    c = rng.random(n) * 3
    return A @ A.T + 0.1 * np.eye(n), c - c.min()


@pytest.mark.parametrize("n", [2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(6))
def test_active_sets_in_python(seed: int, n: int) -> None:
    B, c = problem(seed, n)
    expected, _ = solve_dense(B[None], c[None])
    reference = kernels.reference_active_set(B, c, np.full(n, 1 / n))
    np.testing.assert_allclose(reference, expected[0], atol=1e-7)
    for start in (np.full(n, 1 / n), np.eye(n)[0], np.eye(n)[-1]):
        if n > 2:
            best = np.empty(n)
            least, done = python(kernels._active_set)(B, c, start.copy(), kernels.max_faces(n), best)
            assert done
            assert 0 <= least < 1e-12
            np.testing.assert_allclose(best, expected[0], atol=1e-7)
        p, gap, ended = start[None].copy(), np.empty(1), np.empty(1, dtype=bool)
        python(kernels.active_sets)(B[None], c[None], p, kernels.max_faces(n), gap, ended)
        assert ended[0]
        assert 0 <= gap[0] < 1e-12
        np.testing.assert_allclose(p[0], expected[0], atol=1e-7)
    others = np.arange(1, n)
    H = np.zeros((n, n))
    assert python(kernels._factorise)(B, others, n - 1, 0, 0.0, H)
    whole = B[1:, 1:] - B[1:, :1] - B[:1, 1:] + B[0, 0]
    upper = np.triu(H[: n - 1, : n - 1], 1) + np.eye(n - 1)
    np.testing.assert_allclose(upper.T @ np.diag(np.diag(H)[: n - 1]) @ upper, whole)
    g, d = B @ np.full(n, 1 / n) + c, np.empty(n)
    python(kernels._direction)(B, g, others, n - 1, 0, np.zeros((n, n)), d)
    np.testing.assert_allclose(whole @ d[: n - 1], g[0] - g[1:])


def test_factors_of_singular_forms_are_refused_or_shifted() -> None:
    B, others, H = np.ones((3, 3)), np.array([1, 2]), np.zeros((3, 3))
    assert python(kernels._factorise)(B, others, 2, 0, 0.0, H) is False
    assert python(kernels._factorise)(B, others, 2, 0, 4.0, H) is True
    d = np.empty(3)
    python(kernels._direction)(B, np.array([1.0, 0.0, 2.0]), others, 2, 0, H, d)
    assert np.isfinite(d[:2]).all()
    assert d[0] > 0 > d[1]
    assert kernels.max_faces(5) == 200


@pytest.mark.parametrize(
    ("B", "c", "x"),
    [
        (((1, 0), (0, 1)), (0, 0), 0.5),
        (((1, 0), (0, 1)), (5, 0), 0.0),
        (((1, 0), (0, 1)), (0, 5), 1.0),
        (((2, 1), (1, 3)), (0, 0.5), 2.5 / 3),
        (((1, 0), (0, 1)), (1, 0), 0.0),
        (((1, 0), (0, 1)), (0, 1), 1.0),
        (((2, 0.5), (0.5, 1)), (0.25, 0), 0.125),
    ],
)
def test_two_clients_in_closed_form(B: Any, c: Any, x: float) -> None:
    p = np.empty(2)
    python(kernels._solve_two_clients)(np.array(B, dtype=float), np.array(c, dtype=float), p)
    np.testing.assert_allclose(p, [x, 1 - x], atol=1e-15)
    found = quadratic_minimiser(in_balls(B), in_balls(c), in_balls([0.5, 0.5]))
    assert [float(v.mid()) for v in found] == pytest.approx([x, 1 - x])


# Quadratic programs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 5, 70])
@pytest.mark.parametrize("beta", [0.0, 0.5])
def test_both_forms_of_a_program_agree(n: int, beta: float) -> None:
    rng = np.random.default_rng(n)
    G, c = rng.normal(size=(4, n)), rng.random(n)
    dense, gap = solve_dense((0.5 * np.eye(n) + beta * G.T @ G)[None], c[None])
    low, bound = solve_low_rank(0.5, beta, G, c)
    assert gap[0] < 1e-10
    assert bound <= 5e-13
    np.testing.assert_allclose(low, dense[0], atol=2e-6)
    again, _ = solve_low_rank(0.5, beta, G, c + 7, start=rng.random(n))
    np.testing.assert_allclose(again, low, atol=2e-6)
    rough, rougher = solve_low_rank(0.5, beta, G, c, gap=1e-2)
    assert rougher <= 1e-2
    assert rough.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: solve_dense(np.ones((2, 2)), np.zeros((1, 2))), "B must have 3 axes, not 2"),
        (lambda: solve_dense(np.eye(2)[None], np.zeros(2)), "c must have 2 axes, not 1"),
        (lambda: solve_dense(np.eye(2)[None] * np.nan, np.zeros((1, 2))), "B must be finite, not nan"),
        (lambda: solve_dense(np.eye(3)[None], np.zeros((1, 2))), r"B must be \(1, 2, 2\), not \(1, 3, 3\)"),
        (lambda: solve_dense(np.zeros((1, 0, 0)), np.zeros((1, 0))), "at least one client"),
        (lambda: solve_dense(np.eye(2)[None], np.array([[-1e308, 1e308]])), "too far apart"),
        (lambda: solve_dense(np.diag([1.0, 0.0])[None], np.zeros((1, 2))), "the diagonal of B must be in"),
        (lambda: solve_dense(np.diag([1.0, 1e101])[None], np.zeros((1, 2))), "the diagonal of B must be in"),
        (lambda: solve_dense(np.array([[[1, 0.5], [0.4, 1]]]), np.zeros((1, 2))), "B must be symmetric"),
        (lambda: solve_dense(np.array([[[1, 2.0], [2.0, 1]]]), np.zeros((1, 2))), "B must be positive definite"),
        (lambda: solve_dense(np.eye(2)[None], np.zeros((1, 2)), np.array([[1.0, -1.0]])), "nonnegative"),
        (lambda: solve_dense(np.eye(2)[None], np.zeros((1, 2)), np.ones((1, 3))), r"start must be \(1, 2\)"),
        (lambda: solve_low_rank(1, 1, np.ones((1, 3)), np.zeros(2)), r"G must be \(rounds, 2\), not \(1, 3\)"),
        (lambda: solve_low_rank(1, 1, np.ones(2), np.zeros(2)), r"G must be \(rounds, 2\), not \(2,\)"),
        (lambda: solve_low_rank(1, 1, np.array([[1, np.inf]]), np.zeros(2)), "G must be finite"),
        (lambda: solve_low_rank(1, 1, np.array([[1, -np.inf]]), np.zeros(2)), "G must be finite"),
        (lambda: solve_low_rank(0, 1, np.ones((1, 2)), np.zeros(2)), "alpha must be positive and finite, not 0"),
        (lambda: solve_low_rank(np.inf, 1, np.ones((1, 2)), np.zeros(2)), "alpha must be positive and finite"),
        (lambda: solve_low_rank(np.nan, 1, np.ones((1, 2)), np.zeros(2)), "alpha must be positive and finite"),
        (lambda: solve_low_rank(1, -1, np.ones((1, 2)), np.zeros(2)), "beta must be nonnegative and finite, not -1"),
        (
            lambda: solve_low_rank(1, np.inf, np.ones((1, 2)), np.zeros(2)),
            "beta must be nonnegative and finite, not inf",
        ),
        (lambda: solve_low_rank(1, 1, np.ones((1, 2)), np.zeros(2), gap=-1.0), "gap must be nonnegative, not -1"),
        (lambda: solve_low_rank(1e-101, 1, np.ones((1, 2)), np.zeros(2)), "must lie in"),
        (lambda: solve_low_rank(1, 1e101, np.ones((1, 2)), np.zeros(2)), "must lie in"),
        (lambda: solve_low_rank(1, 1, np.full((1, 2), -1e51), np.zeros(2)), "must lie in"),
    ],
)
def test_what_is_no_program_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_edges_of_programs() -> None:
    p, gap = solve_low_rank(1, 0, np.ones((1, 2)), np.zeros(2), gap=0)
    assert p.tolist() == [0.5, 0.5]
    assert gap < 1e-14
    assert solve_low_rank(1e-100, 0, np.zeros((1, 2)), np.zeros(2))[0].tolist() == [0.5, 0.5]
    assert solve_low_rank(1e100, 0, np.zeros((1, 2)), np.zeros(2))[0].tolist() == [0.5, 0.5]
    far, _ = solve_low_rank(1, 0, np.zeros((1, 3)), np.array([0.0, 0.5, 1e9]))
    np.testing.assert_allclose(far, [0.75, 0.25, 0])
    at_edge, _ = solve_dense(np.eye(2)[None] * 1e-100, np.zeros((1, 2)))
    assert at_edge.tolist() == [[0.5, 0.5]]
    none, _ = solve_dense(np.eye(2)[None], np.array([[0.0, 9.0]]), np.array([[0.0, 1.0]]))  # no weight where it may be
    assert none.tolist() == [[1.0, 0.0]]


# Hindsight --------------------------------------------------------------------------------------------------------------


def total_log(rows: np.ndarray, counts: Any, p: np.ndarray) -> float:
    return float(-(np.asarray(counts, dtype=float) @ np.log1p(rows @ p)))


@pytest.mark.parametrize("seed", range(6))
def test_the_best_decision_is_best_and_its_gap_is_honest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, counts = rng.random((5, 4)) * 3, rng.integers(1, 9, size=5)
    p, gap = best_decision(rows, counts, LOG_GROWTH)
    assert p.sum() == pytest.approx(1)
    assert (p >= 0).all()
    assert 0 <= gap <= 1e-12 * counts.sum() * 3
    others = rng.dirichlet(np.ones(4) / 2, size=300)
    values = -(counts @ np.log1p(rows @ others.T))
    assert total_log(rows, counts, p) <= values.min() + gap + 1e-9
    linear, none = best_decision(rows, counts, LINEAR)
    assert none == 0
    assert linear.tolist() == np.eye(4)[(counts @ rows).argmax()].tolist()
    ball = least_loss(in_balls(rows), counts.tolist(), LOG_GROWTH, p)
    assert float(ball.rad()) < 1e-9
    assert float(ball.mid()) == pytest.approx(total_log(rows, counts, p))
    rough = least_loss(in_balls(rows), counts.tolist(), LOG_GROWTH, np.full(4, 0.25))
    assert rough.overlaps(ball)
    straight = least_loss(in_balls(rows), counts.tolist(), LINEAR, p)
    assert float(straight.mid()) == pytest.approx(-(counts @ rows).max())
    assert hindsight.least_loss_in_floats(rows, counts, LOG_GROWTH) == pytest.approx(total_log(rows, counts, p))


def test_equal_clients_share_what_the_best_decision_gives_them() -> None:
    rows = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    p, _ = best_decision(rows, (3, 2), LOG_GROWTH)
    ball = least_loss(in_balls(rows), (3, 2), LOG_GROWTH, p)
    spread = least_loss(in_balls(rows), (3, 2), LOG_GROWTH, np.array([0.4, 0.4, 0.2]))
    x = np.linspace(0, 1, 20001)
    least = (-3 * np.log1p(x) - 2 * np.log1p(1 - x)).min()
    for found in (ball, spread):
        assert float(found.mid()) == pytest.approx(least, abs=1e-7)
        assert float(found.rad()) < 1e-9
    assert hindsight._distinct_clients(in_balls(rows), np.array([0, 1, 2])) == [0, 2]
    assert hindsight._same_response_index(in_balls(rows), [0, 2], 1) == 0


def test_points_of_the_simplex_in_balls_sum_to_exactly_1() -> None:
    for p in ([0.1, 0.2, 0.7], [1.0, 0.0, 0.0], [0.3, 0.3, 0.4]):
        found = exact_simplex_point(np.array(p))
        assert sum(found, arb(0)).contains(1)
        assert all(float(v.rad()) < 1e-15 for v in found)
        assert [float(v.mid()) for v in found] == pytest.approx(p)
        top = int(np.argmax(p))
        assert all(
            v.is_exact() and float(v.mid()) == own for i, (v, own) in enumerate(zip(found, p, strict=True)) if i != top
        )
    below = exact_simplex_point(np.array([-0.1, 1.0]))
    assert below[0] == 0
    assert smallest_ball(in_balls([3, 1, 2])) == 1
    assert smallest_ball(in_balls([1])) == 1


def test_gaps_are_compared_with_the_ranges_of_all_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.array([[1.0, 3.0], [0.0, 1.0]])  # 2 * 2 + 3 * 1
    require_small_gap(rows, (2, 3), 7 * hindsight.MAX_RELATIVE_GAP)
    with pytest.raises(NotEnumerable, match="the best decision in hindsight is known to"):
        require_small_gap(rows, (2, 3), 7.001 * hindsight.MAX_RELATIVE_GAP)
    monkeypatch.setattr(hindsight, "NEWTON_STEPS", 0)
    p, gap = best_decision(rows, (2, 3), LOG_GROWTH)
    assert p.tolist() == [0, 1]
    assert gap == math.inf


# Environments -----------------------------------------------------------------------------------------------------------


def test_answers_are_within_their_range_up_to_rounding() -> None:
    for low, high, value, good in (
        (0, 2, 2 * (1 + ROUNDING / 2), True),
        (0, 2, 2 * (1 + 2 * ROUNDING), False),
        (0, 2, -ROUNDING, True),
        (0, 2, -3 * ROUNDING, False),
        (1, None, 0.5, False),
        (1, None, 1e9, True),
        (None, 1, -1e9, True),
        (None, 1, 1.1, False),
        (None, None, 5.0, True),
        (None, None, math.nan, False),
        (0, 1, math.nan, False),
        (0, 0, 0.0, True),
        (-5, 1, 1 + 4 * ROUNDING, True),  # relative to the larger of the two in absolute value
    ):
        values = np.array([[0.5 if low in (0, None, -5) and high != 0 else max(low or 0, 0), value]])
        if good:
            require_answers_in_range("response", values, low, high, 3)
            continue
        with pytest.raises(AssumptionFailed, match="round 3, client 1: the response") as told:
            require_answers_in_range("response", values, low, high, 3)
        ends = ["infinity" if v is None else str(v) for v in (low, high)]
        assert str(told.value).endswith(f"is not in the range {' to '.join(ends)}")


def test_balls_are_out_of_range_only_where_they_surely_are() -> None:
    for ball, low, high, good in (
        (arb(2, 0.1), arb(0), arb(2), True),
        (arb(2.2, 0.1), arb(0), arb(2), False),
        (arb(0, 0.1), arb(0), arb(2), True),
        (arb(-0.2, 0.1), arb(0), arb(2), False),
        (arb(-0.2, 0.1), None, arb(2), True),
        (arb(9), arb(0), None, True),
    ):
        values = np.array([[arb(1), ball]], dtype=object)
        if good:
            require_answers_in_range("feedback", values, low, high, 0)
        else:
            with pytest.raises(AssumptionFailed, match="round 0, client 1: the feedback"):
                require_answers_in_range("feedback", values, low, high, 0)


def test_environments_of_games() -> None:
    c = run_constants(PARTIAL, None)
    plain = Environment(PARTIAL.instance, c)
    for call in (
        lambda: plain.require_in_range(np.zeros((1, 3)), 0),
        lambda: plain.drawn(0, None, None, None, 0, None),  # type: ignore[arg-type]
        lambda: plain.listing(None, 9),
    ):
        with pytest.raises(NotImplementedError):
            call()
    around = SubsetParticipation(PARTIAL.instance, c)
    assert around.n_rounds == 2
    assert around.moves is False
    answer, memory = around.reveal(1, np.full((4, 3), 1 / 3), around.memory(4, None), None)
    assert answer.shape == (4, 3)
    np.testing.assert_allclose(answer[3], [1 / 3, 1 / 2, 1])
    listing = around.listing(None, 3)
    assert (listing.size, listing.limit) == (3, 3)
    weights = np.array([0.25, 0.75, 0, 0])
    rows, told, chances = listing.branch(weights, np.full((4, 3), 1 / 3), answer, memory)
    assert rows.tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    np.testing.assert_allclose(chances, np.repeat(weights, 3) / 3)
    assert told.seen.tolist() == [[1, 1, 0], [1, 0, 1], [0, 1, 1]] * 4
    assert told.answer.shape == (12, 3)
    with pytest.raises(NotEnumerable, match="sets of clients that may take part"):
        around.listing(None, 2)
    sampling = SamplingWithReplacement(FEEDBACK, run_constants(Case(FEEDBACK), None))
    draws = sampling.listing(None, 6)
    assert draws.size == 6
    with pytest.raises(AssumptionFailed, match="the feedback -1"):
        sampling.require_in_range(np.array([[-1.0, 0.0, 0.0]]), 0)
    assert is_fixed_table(GAME) is True
    assert is_fixed_table(AdaptiveResponses("next", 3, 2)) is False

    class Own(ResponseTable):
        def reveal(self, *given: Any) -> Any:
            return super().reveal(*given)

    assert is_fixed_table(Own(((1, 0),), (1,))) is False


class Odd(ResponseTable):
    """Answers that depend on the play, or differ from the table, from the third round on."""

    kind = "play"

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Any) -> Any:
        found, memory = super().reveal(round_, p, memory, ring)
        if round_ >= 2:
            found = found + (p[:, :1] if self.kind == "play" else 0.25)
        return found, memory


def test_declared_properties_are_checked_in_the_first_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    from fltheory.games import round_checks

    odd = Odd(((1, 0),), (5,), 3)
    assert dependence_on_plays(odd) == "the answers of the clients in round 2 depend on the plays"
    assert table_mismatch(odd) == "the answers of round 2 are not those of the game's own table"
    assert dependence_on_plays(GAME) is None
    assert table_mismatch(GAME) is None
    shifted = type("Shifted", (Odd,), {"kind": "shift"})(((1, 0),), (5,), 3)
    assert dependence_on_plays(shifted) is None
    assert table_mismatch(shifted) is not None
    late = AdaptiveResponses("least", 3, 2)
    assert dependence_on_plays(late) == "the answers of the clients in round 0 depend on the plays"
    monkeypatch.setattr(round_checks, "MAX_CHECKED_ROUNDS", 2)
    assert dependence_on_plays(odd) is None
    assert table_mismatch(odd) is None


# Players ----------------------------------------------------------------------------------------------------------------


def player(given: Any, kind: type[Player] = Learner) -> Player:
    return kind("mine", lambda state, *rest: state, play=lambda state, c: given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.full((2, 2), 0.5), r"mine plays \(2, 2\) in round 4, expected shape \(2, 3\)"),
        ([[1, 0, 0]] * 2, "mine plays list in round 4"),
        (np.array([[1, 0, 0]] * 2), "mine plays int64 numbers in round 4, expected floats"),
        (
            np.array([[0.5, 0.5, 0.0], [0.5, 0.6, -0.1]]),
            "mine plays no distribution in round 4: -0.1 among the probabilities",
        ),
        (np.array([[0.5, 0.5, 0.0], [0.5, 0.4, np.nan]]), "nan among the probabilities"),
        (np.array([[0.5, 0.5, 0.0], [0.5, 0.25, 0.0]]), r"their sum is 0.75, expected 1 up to 1e-09$"),
        (np.array([[1, 0, 0], [0.5, 0.3, 0.0]], dtype=np.float32), "numbers are float32, expected float64"),
    ],
)
def test_what_is_no_play_is_named(given: Any, words: str) -> None:
    with pytest.raises(VariantError, match=words):
        valid_play(player(given), (), run_constants(CASE, None), 2, 4)


def test_plays_that_are_distributions() -> None:
    c = run_constants(CASE, None)
    near = np.array([[0.5, 0.5 - SUM_TOLERANCE / 2, 0.0]])
    mine = valid_play(player(near), (), c, 1, 0)
    assert mine.sum() == 1.0  # what is lacking would count as regret
    own = replace(player(near), exact=player(near))
    assert valid_play(own, (), c, 1, 0) is near
    sampling = valid_play(player(near, Sampler), (), c, 1, 0)
    assert sampling is near
    with pytest.raises(VariantError, match="mine plays no positive distribution in round 0: 0 among the probabilities"):
        valid_play(replace(player(near, Sampler), exact=player(near, Sampler)), (), c, 1, 0)
    exact = run_constants(CASE, BALL)
    fine = in_balls([[Fraction(1, 3)] * 3])
    assert valid_play(player(fine), (), exact, 1, 0, BALL) is fine
    for row, words in (
        ([1, 1, -1], "plays a negative probability in round 4"),
        ([1, 1, 0], "whose sum is not 1 in round 4"),
    ):
        with pytest.raises(VariantError, match=words):
            valid_play(player(in_balls([row])), (), exact, 1, 4, BALL)
    assert uniform_start(2, c).tolist() == [[1 / 3] * 3] * 2
    assert state_as_play("state", c) == "state"
    assert player(near).own is False
    assert osmd.own is True
    assert (Player("p", lambda: None).kind, Learner("p", lambda: None).kind, Sampler("p", lambda: None).kind) == (
        "player",
        "learner",
        "sampler",
    )


def test_the_next_state_of_a_player() -> None:
    c, seen, answer = run_constants(CASE, None), np.array([[1, 0, 2]]), np.array([[5.0, 6.0, 7.0]])
    told: list[Any] = []

    def step(state: Any, seen: np.ndarray, answer: np.ndarray, c: Any) -> Any:
        told.append((state.copy(), seen.copy(), answer.copy()))
        state += 1
        seen += 1
        return state

    first = np.zeros((1, 3))
    after = next_player_state(Learner("mine", step), first, seen, answer, c, 3)
    assert told[0][2].tolist() == [[5, 0, 7]]  # hidden where not seen
    assert (first.tolist(), seen.tolist()) == ([[0, 0, 0]], [[1, 0, 2]])
    assert after.tolist() == [[1, 1, 1]]
    for result, words in (
        (None, "mine returned None in round 3, expected the next state"),
        (
            np.zeros((2, 3)),
            r"mine: \(2, 3\) in the state after round 3, expected arrays whose first axis is the 1 seeds",
        ),
        ((first, 7), "mine: int in the state after round 3"),
    ):
        with pytest.raises(VariantError, match=words):
            next_player_state(Learner("mine", lambda *given, own=result: own), first, seen, answer, c, 3)


# Loops ------------------------------------------------------------------------------------------------------------------


def averaging(n_calls: list[int] | None = None) -> Learner:
    """Plays in proportion to what it has seen, plus 1."""

    def step(state: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Any) -> np.ndarray:
        if n_calls is not None:
            n_calls.append(len(state))
        return state + response

    def init(n: int, c: Any) -> np.ndarray:
        return np.ones((n, c.n_clients))

    return Learner("averaging", step, init, lambda s, c: s / s.sum(axis=1, keepdims=True))


def test_enumerated_games_are_all_sequences_of_sets() -> None:
    rounds = list(enumerate_rounds(averaging(), PARTIAL, None, 10_000))
    assert [t.t for _, t in rounds] == [0, 1]
    weights, last = rounds[1]
    assert weights.sum() == pytest.approx(1)
    table = PARTIAL.instance.table
    expected: dict[tuple[float, ...], float] = {}
    for chosen in itertools.combinations(range(3), 2):
        state = np.ones(3)
        for m in chosen:
            state[m] += table[0][m]
        key = tuple((state / state.sum()).round(12))
        expected[key] = expected.get(key, 0) + 1 / 3
    found = {tuple(p.round(12)): w for p, w in zip(last.p, weights, strict=True)}
    assert found == pytest.approx(expected)
    assert (last.seen == 0).all()
    with pytest.raises(NotEnumerable, match="a learner runs on balls or on floats"):
        list(enumerate_rounds(averaging(), PARTIAL, RATIONAL, 100))


def test_enumerations_are_limited_by_their_paths() -> None:
    def keeping() -> Learner:
        return Learner(
            "keeping",
            lambda s, seen, r, c: s * 2 + seen,
            lambda n, c: np.ones((n, 3)),
            lambda s, c: np.full(s.shape, 1 / 3),
        )

    three = Case(ResponseTable(((1, 0, "1/2"),), (4,), n_participating=2), **SETTINGS)
    most = 3 + 9 + 27  # branches of the first three rounds
    assert len(list(enumerate_rounds(keeping(), three, None, most))) == 4
    with pytest.raises(NotEnumerable, match=f"more than {most - 1} paths of the game"):
        list(enumerate_rounds(keeping(), three, None, most - 1))
    calls: list[int] = []
    with pytest.raises(NotEnumerable):
        list(enumerate_rounds(averaging(calls), three, None, 8))
    assert not [n for n in calls if n == 9]


def test_simulated_rounds_follow_their_streams_and_are_charged() -> None:
    with separate_meter() as meter:
        rounds = list(simulate_rounds(averaging(), PARTIAL, 5, np.arange(3, 7)))
    per_round = GAME_ROUND_COST + CALL_COST + 4 * 3 / NUMPY_FLOATS_PER_UNIT + USER_STEP_COST
    assert meter.spent == pytest.approx(2 * per_round)
    c: Any = run_constants(PARTIAL, None)
    for t, one in enumerate(rounds):
        np.testing.assert_array_equal(one.seen, participation.participants(c, 5, np.arange(3, 7), t))
        assert one.t == t
    state = 1 + rounds[0].seen * rounds[0].answer
    np.testing.assert_allclose(rounds[1].p, state / state.sum(axis=1, keepdims=True))
    with separate_meter() as meter:
        list(simulate_rounds(constant_learner(), PARTIAL, 5, np.arange(4)))
    assert meter.spent == pytest.approx(2 * (per_round - USER_STEP_COST))


def test_plays_of_plain_games_are_among_the_listed_ones() -> None:
    known = np.array([[0.25, 0.75], [0.5, 0.5]])
    require_listed_plays(averaging(), known, known[1:] + play.PLAY_TOLERANCE / 2, 3)
    for plays in (known[1:] + 3 * play.PLAY_TOLERANCE, np.array([[0.25, 0.75], [0.4, 0.6]]), known * np.nan):
        with pytest.raises(
            VariantError, match="plays differently in an enumeration than in a plain run, from round 3 on"
        ):
            require_listed_plays(averaging(), known, plays, 3)


def test_states_are_merged_where_all_their_parts_may_be_equal() -> None:
    state, memory = {"a": np.array([[1.0], [1.0], [2.0], [1.0]])}, np.array([[0.0], [0.0], [0.0], [1.0]])
    merged, kept, chances = merge_states(state, memory, np.array([0.1, 0.2, 0.3, 0.4]), None)
    assert merged["a"].tolist() == [[1], [2], [1]]
    assert kept.tolist() == [[0], [0], [1]]
    np.testing.assert_allclose(chances, [0.3, 0.3, 0.4])
    with pytest.raises(VariantError, match="the player's state holds objects, expected floats"):
        merge_states(in_balls([[1]]), np.zeros((1, 0)), np.array([1.0]), None)
    with pytest.raises(ImpreciseState, match="too wide"):
        merge_states(np.array([[arb("nan")]], dtype=object), np.zeros((1, 0)), in_balls([1]), BALL)
    balls = np.array([[arb(1, 1e-20), arb(3)], [arb(1), arb(3)], [arb(1), arb(4)]], dtype=object)
    state2, _, weights = merge_states(balls, np.zeros((3, 0)), in_balls([Fraction(1, 4)] * 2 + [Fraction(1, 2)]), BALL)
    assert [float(w.mid()) for w in weights] == [0.5, 0.5]
    assert state2[0, 0].contains(arb(1, 1e-20))
    assert state2[:, 1].tolist() == [3, 4]


# Regrets ----------------------------------------------------------------------------------------------------------------


def total_of(case: Case, loss: Any, plays: list[np.ndarray]) -> float:
    rows = case.instance.table[case.instance.order]
    paid = sum(float(loss.value(p, r)) for p, r in zip(plays, rows, strict=True))
    grid = np.array([(i, j, 200 - i - j) for i in range(201) for j in range(201 - i)]) / 200
    least = sum(loss.value(grid, r) for r in rows).min()
    return paid - least


@pytest.mark.parametrize("loss", [LOG_GROWTH, LINEAR], ids=str)
@pytest.mark.parametrize("name", ["uniform", "newton", "entropic"])
def test_static_regret_is_what_is_paid_more_than_the_best_decision(loss: Any, name: str) -> None:
    learner = {"uniform": constant_learner(), "newton": online_newton(), "entropic": entropic_ftrl()}[name]
    plays = [t.p[0] for t in simulate_rounds(learner, CASE, 0, np.arange(1))]
    expected = total_of(CASE, loss, plays)
    measure = StaticRegret(loss)
    found = measure.exact(learner, CASE, BALL)
    assert float(found.mid()) == pytest.approx(expected, abs=2e-4)
    assert float(found.rad()) < 1e-9
    (simulated,) = measure.simulate(learner, CASE, 0, np.arange(1))
    assert simulated == pytest.approx(float(found.mid()), abs=1e-9)
    low, high = measure.in_floats(learner, CASE)
    assert low <= float(found.mid()) <= high
    assert high - low < 1e-6
    assert low < high
    assert measure.float_error(CASE) > 0
    most = measure.span(CASE)
    assert most[0] == -most[1]
    spread = math.log(2) if loss is LOG_GROWTH else 1
    assert most[1] == pytest.approx(4 * spread)
    assert most[1] >= 4 * spread
    assert measure.is_random(CASE) is False


def test_expected_static_regret_over_sets() -> None:
    measure = StaticRegret()
    assert measure.is_random(PARTIAL) is True
    assert has_random_participation(PARTIAL) is True
    assert has_random_participation(CASE) is False
    exact = measure.exact(online_newton(), PARTIAL, BALL)
    low, high = measure.in_floats(online_newton(), PARTIAL)
    assert low <= float(exact.mid()) <= high
    games = measure.simulate(online_newton(), PARTIAL, 1, np.arange(4000))
    assert abs(games.mean() - float(exact.mid())) < 5 * games.std() / 4000**0.5 + 1e-9
    for call, kind, words in (
        (lambda: measure.exact(online_newton(), CASE, RATIONAL), NotRational, ""),
        (lambda: measure.exact(averaging(), CASE, BALL), NotEnumerable, "returns floats"),
        (
            lambda: measure.exact(online_newton(), Case(AdaptiveResponses("least", 3, 2), **SETTINGS), BALL),
            NotEnumerable,
            "the adversary needs floats",
        ),
        (
            lambda: measure.in_floats(online_newton(), Case(AdaptiveResponses("least", 3, 2), **SETTINGS)),
            NotEnumerable,
            "the comparator differs from path to path",
        ),
        (
            lambda: LinearisedRegret(LOG_GROWTH_GRADIENT).exact(online_newton(), PARTIAL, BALL),
            NotEnumerable,
            "has no single game in balls",
        ),
        (
            lambda: LinearisedRegret(LOG_GROWTH_GRADIENT).exact(averaging(), CASE, BALL),
            NotEnumerable,
            "averaging has no single game in balls",
        ),
        (lambda: LinearisedRegret(LOG_GROWTH_GRADIENT).exact(online_newton(), CASE, RATIONAL), NotRational, ""),
    ):
        with pytest.raises(kind, match=words or None):
            call()


LOG_GROWTH_GRADIENT = learners.loss_gradient(LOG_GROWTH)


def test_regret_against_an_adversary_is_that_of_its_path() -> None:
    case = Case(AdaptiveResponses("least", 3, 6), **SETTINGS)
    rounds = list(simulate_rounds(online_newton(), case, 0, np.arange(2)))
    paid = sum(LOG_GROWTH.value(t.p, t.answer) for t in rounds)
    rows = np.stack([t.answer[0] for t in rounds])
    p, _ = best_decision(rows, np.ones(6), LOG_GROWTH)
    expected = paid[0] - total_log(rows, np.ones(6), p)
    np.testing.assert_allclose(StaticRegret().simulate(online_newton(), case, 0, np.arange(2)), [expected] * 2)


def test_games_in_balls_are_limited_by_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = replace(online_newton(), exact=replace(online_newton().exact, kernel=None))
    monkeypatch.setattr(static_regret, "IN_BALLS", 12)
    StaticRegret().exact(mine, CASE, BALL)
    monkeypatch.setattr(static_regret, "IN_BALLS", 11)
    with pytest.raises(NotEnumerable, match="more than 11 clients times rounds"):
        StaticRegret().exact(mine, CASE, BALL)


def test_ranges_too_narrow_for_floats() -> None:
    wide = Case(ResponseTable(((1, 1),), (1,), 1 + Fraction(3, 10**6), 1), **SETTINGS)
    require_wide_range(wide)  # 3e-6 of 1 + C2 = 2
    narrow = Case(ResponseTable(((1, 1),), (1,), 1 + Fraction(1, 10**6), 1), **SETTINGS)
    for call in (
        lambda: require_wide_range(narrow),
        lambda: StaticRegret().in_floats(online_newton(), narrow),
        lambda: StaticRegret().simulate(online_newton(), narrow, 0, np.arange(1)),
        lambda: LinearisedRegret(LOG_GROWTH_GRADIENT).simulate(online_newton(), narrow, 0, np.arange(1)),
    ):
        with pytest.raises(NotEnumerable, match="of the responses is too narrow for floats"):
            call()


def test_rounding_grows_with_rounds_clients_and_size() -> None:
    expected = 4 * (3 + 16 + 4 * math.log(2)) * 2.0**-52
    assert rounding_error_bound(CASE) == pytest.approx(expected, abs=0)
    assert rounding_error_bound(CASE, 3) == pytest.approx(3 * expected, abs=0)
    linear, log = StaticRegret(LINEAR).float_error(CASE), StaticRegret().float_error(CASE)
    assert linear == pytest.approx(static_regret.FLOAT_ERROR * 4 + 2 * expected, rel=1e-6)
    assert log == pytest.approx(static_regret.FLOAT_ERROR * 4 * math.log(2) + expected, rel=1e-6)
    shared = LinearisedRegret(LOG_GROWTH_GRADIENT).float_error(PARTIAL)
    assert shared == pytest.approx(rounding_error_bound(PARTIAL, 4 * 2 / (2 / 3)), abs=0)
    assert LinearisedRegret(LOG_GROWTH_GRADIENT).trivial(CASE) is None
    assert LinearisedRegret(LOG_GROWTH_GRADIENT).is_random(PARTIAL) is True


def test_linearised_regret_is_the_largest_over_vertices() -> None:
    rounds = list(simulate_rounds(online_newton(), CASE, 0, np.arange(1)))
    g = [LOG_GROWTH.gradient(t.p, t.answer)[0] for t in rounds]
    expected = max(sum(own @ (t.p[0] - vertex) for own, t in zip(g, rounds, strict=True)) for vertex in np.eye(3))
    measure = LinearisedRegret(LOG_GROWTH_GRADIENT)
    assert measure.simulate(online_newton(), CASE, 0, np.arange(2)).tolist() == pytest.approx([expected] * 2)
    assert float(measure.exact(online_newton(), CASE, BALL).mid()) == pytest.approx(expected, abs=1e-9)
    told: list[Any] = []

    def gradient(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Any) -> np.ndarray:
        told.append(response)
        return response

    hidden = [(np.array([[0.5, 0.5]]), np.array([[1, 0]]), np.array([[3.0, 0.0]]))]
    assert linearised_regret(gradient, hidden, run_constants(CASE, None)).tolist() == [1.5]
    LinearisedRegret(gradient).simulate(constant_learner(), PARTIAL, 0, np.arange(3))
    assert all((row == 0).sum() >= 1 for rows in told[1:] for row in rows)


def test_dynamic_regret_over_all_draws() -> None:
    """A sampler that stays uniform: its loss is the same on all paths."""
    case = Case(FEEDBACK)
    uniform = Sampler("uniform", lambda p, counts, feedback, c: p)
    a = FEEDBACK.table
    expected = 0.0
    for t in range(2):
        q = FEEDBACK.comparator_row(t, None)
        expected += (a[t] * 3).sum() / 2 - sum(v / w for v, w in zip(a[t], q, strict=True) if v) / 2
    low, high = DynamicRegret().in_floats(uniform, case)
    assert low < expected < high
    assert high - low < 1e-6
    np.testing.assert_allclose(DynamicRegret().simulate(uniform, case, 0, np.arange(3)), [expected] * 3)
    vertex = Sampler("vertex", lambda p, counts, feedback, c: np.array([[1.0, 0.0, 0.0]] * len(p)))
    assert DynamicRegret().in_floats(vertex, case)[1] == math.inf
    assert DynamicRegret().in_floats(vertex, case)[0] > 1e6
    with pytest.raises(NotRational):
        DynamicRegret().exact(osmd, Case(FEEDBACK, sampler_rate="1/20"), RATIONAL)
    with pytest.raises(NotEnumerable, match="no exact version and returns floats"):
        DynamicRegret().exact(uniform, case, BALL)
    lower = replace(uniform, least=lambda case: arb(-7))
    assert DynamicRegret().exact(lower, case, BALL) == -7
    with pytest.raises(NotEnumerable, match="no exact version"):
        DynamicRegret().exact(replace(uniform, least=lambda case: None), case, BALL)
    tuned = Case(FEEDBACK, sampler_rate="1/20")
    ball = DynamicRegret().exact(osmd, tuned, BALL)
    ends = DynamicRegret().in_floats(osmd, tuned)
    assert ends[0] <= float(ball.mid()) <= ends[1]
    assert DynamicRegret().span(case) == FEEDBACK.regret_range()


def test_path_regret_is_estimated_from_the_draws() -> None:
    case = Case(FEEDBACK)
    uniform = Sampler("uniform", lambda p, counts, feedback, c: p)
    found = PathRegret().simulate(uniform, case, 4, np.arange(5))
    expected = np.zeros(5)
    for t in simulate_rounds(uniform, case, 4, np.arange(5)):
        q = FEEDBACK.comparator_row(t.t, None)
        for s in range(5):
            for m in range(3):
                n = t.seen[s, m]
                if n and t.answer[s, m]:
                    expected[s] += t.answer[s, m] * n / (t.p[s, m] * 4) * (1 / t.p[s, m] - 1 / q[m])
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(("measure", "power"), [(DynamicRegret(), 1), (PathRegret(), 2)])
def test_trivial_bounds_of_samplers(measure: Any, power: int) -> None:
    case = Case(FEEDBACK)
    c = case.constants
    expected = c[symbols.n_rounds] * 9 * c[symbols.max_feedback] / (2 * Fraction(1, 2) ** power)
    assert measure.trivial(case) == expected
    bare: Any = SimpleNamespace(constants={symbols.n_rounds: 2})
    assert measure.trivial(Case(bare)) is None
    assert dynamic_regret.BRANCHES <= dynamic_regret.FLOAT_BRANCHES


# Learners ---------------------------------------------------------------------------------------------------------------


def decisions(learner: Learner, case: Case) -> np.ndarray:
    return np.array([t.p[0] for t in simulate_rounds(learner, case, 0, np.arange(1))])


def test_learners_follow_their_formulas() -> None:
    rows, k = GAME.table[GAME.order], 3
    plays = decisions(online_gradient_descent(), CASE)
    entropic, mirror = decisions(entropic_ftrl(), CASE), decisions(exponentiated_gradient(), CASE)
    leader = decisions(follow_the_leader(), CASE)
    total = np.zeros(3)
    for t in range(3):
        g = LOG_GROWTH.gradient(plays[t], rows[t])
        moved = plays[t] - g * math.sqrt(2 / (k * (t + 1))) / 0.5
        np.testing.assert_allclose(plays[t + 1], kernels.reference_project(moved), atol=1e-12)
        total += LOG_GROWTH.gradient(entropic[t], rows[t])
        eta = 0.5 * math.sqrt((t + 2) / math.log(k))
        np.testing.assert_allclose(entropic[t + 1], softmax(-total / eta))
        fixed = 0.5 * math.sqrt(4 / math.log(k))
        step = mirror[t] * np.exp(-LOG_GROWTH.gradient(mirror[t], rows[t]) / fixed)
        np.testing.assert_allclose(mirror[t + 1], step / step.sum())
        best, _ = best_decision(rows[: t + 1], np.ones(t + 1), LOG_GROWTH)
        np.testing.assert_allclose(leader[t + 1], best, atol=1e-9)
    newton = decisions(online_newton(), CASE)
    B, linear = 2 * np.eye(3), np.zeros(3)
    for t in range(3):
        g = LOG_GROWTH.gradient(newton[t], rows[t])
        B, linear = B + 0.5 * np.outer(g, g), linear + g - 0.5 * g * (g @ newton[t])
        np.testing.assert_allclose(newton[t + 1], kernels.reference_active_set(B, linear, np.full(3, 1 / 3)), atol=1e-9)
    for first in (plays, entropic, mirror, leader, newton):
        np.testing.assert_allclose(first[0], [1 / 3] * 3)


def test_states_of_learners() -> None:
    c: Any = run_constants(CASE, None)
    descent = online_gradient_descent().init(2, c)
    assert isinstance(descent, DescentState)
    assert descent.rounds.tolist() == [0, 0]
    entropic = entropic_ftrl().init(2, c)
    assert isinstance(entropic, EntropicState)
    assert (entropic.total == 0).all()
    after = entropic_ftrl().step(entropic, np.ones((2, 3)), GAME.table[:1], c)
    assert after.rounds.tolist() == [1, 1]
    newton = online_newton().init(2, c)
    assert isinstance(newton, NewtonState)
    assert newton.B.tolist() == [(2 * np.eye(3)).tolist()] * 2
    exact: Any = run_constants(CASE, BALL)
    twin = online_newton().exact
    assert twin is not None
    balls = twin.init(1, exact)
    assert [[v.mid() for v in row] for row in balls.B[0]] == [[2, 0, 0], [0, 2, 0], [0, 0, 2]]
    many: Any = SimpleNamespace(n_clients=learners.IN_BALLS + 1)
    with pytest.raises(NotEnumerable, match="balls for at most 12 clients"):
        twin.init(1, many)
    few: Any = SimpleNamespace(n_clients=learners.IN_BALLS, learner_regularisation=1)
    assert twin.init(1, few).B.shape == (1, 12, 12)
    fixed = constant_learner((1, "1/3" and Fraction(1, 3), 0))
    assert fixed.name == "a fixed decision"
    assert constant_learner().name == "uniform"
    assert fixed.exact is not None
    assert fixed.exact.init(2, exact)[1, 1].contains(fmpq(1, 3))
    assert fixed.init(2, c).tolist() == [[1, 1 / 3, 0]] * 2
    one: Any = SimpleNamespace(n_clients=1, n_rounds=1, learner_scale=1.0)
    assert learners.entropic_play(EntropicState(np.array([[5.0]]), np.array([0])), one).tolist() == [[1.0]]
    assert exponentiated_gradient().step(np.ones((1, 1)), np.ones((1, 1)), np.ones((1, 1)), one).tolist() == [[1.0]]
    assert softmax(np.array([1000.0, 0.0])).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("seed", range(5))
def test_programs_in_balls_enclose_the_minimiser(seed: int) -> None:
    B, c = problem(seed, 4)
    found = quadratic_minimiser(in_balls(B), in_balls(c), in_balls(np.full(4, 0.25)))
    expected = kernels.reference_active_set(B, c, np.full(4, 0.25))
    np.testing.assert_allclose([float(v.mid()) for v in found], expected, atol=1e-9)
    assert sum(found, arb(0)).contains(1)
    assert quadratic_minimiser(in_balls([[2.0]]), in_balls([5.0]), in_balls([1.0])) == [1]
    wide = np.array([[arb(v, 50) for v in row] for row in B], dtype=object)
    with pytest.raises(ImpreciseState):
        quadratic_minimiser(wide, in_balls(c), in_balls(np.full(4, 0.25)))
    tie = in_balls(np.eye(3))
    at_0 = np.array([arb(0), arb(0), arb(0.5, 0.01)], dtype=object)  # the third just has no weight, or just has some
    with pytest.raises(ImpreciseState, match="undecided which clients have weight"):
        quadratic_minimiser(tie, at_0, in_balls(np.full(3, 1 / 3)))


def test_kinds_of_clients() -> None:
    def kinds(columns: Any, counts: Any = (1, 2)) -> Any:
        return two_kinds(Case(ResponseTable(tuple(zip(*columns, strict=True)), counts), **SETTINGS))

    a, b, other = (1, 0), ("1/2", 1), (0, 0)
    found = kinds((a, b, b))
    assert (found.first, found.second) == (1, 2)
    assert [tuple(float(v.mid()) for v in row) for row in found.rows] == [(1, 0.5), (0, 1)]
    assert (kinds((a, b, a)).first, kinds((a, b, a)).second) == (2, 1)
    assert (kinds((a, a, a)).first, kinds((a, a, a)).second) == (1, 2)
    assert (kinds((a, a)).first, kinds((a, a)).second) == (1, 1)
    assert (kinds((a, b)).first, kinds((a, b)).second) == (1, 1)
    assert kinds((a, b, other)) is None
    assert kinds((a,)) is None
    assert two_kinds(Case(AdaptiveResponses("least", 2, 2), **SETTINGS)) is None


@pytest.mark.parametrize("columns", [((1, 0), ("1/2", 1), ("1/2", 1)), ((1, 0), (0, 1), (1, 0)), ((1, 0), (0, 1))])
def test_closed_forms_of_two_kinds_are_the_games(columns: Any) -> None:
    case = Case(ResponseTable(tuple(zip(*columns, strict=True)), (2, 3)), **SETTINGS)
    rows = case.instance.table[case.instance.order]
    for learner, closed in ((online_newton(), two_kinds_newton), (entropic_ftrl(), two_kinds_entropic)):
        paid = sum(float(LOG_GROWTH.value(p, r)) for p, r in zip(decisions(learner, case), rows, strict=True))
        found = closed(case)
        assert found is not None
        assert float(found.mid()) == pytest.approx(paid, abs=1e-9)
        assert float(found.rad()) < 1e-9
    moved = two_kinds_entropic(case, lambda one, two, kinds: two - one)
    linear = decisions(entropic_ftrl(learners.LINEAR_GRADIENT), case)
    paid = sum(float(LOG_GROWTH.value(p, r)) for p, r in zip(linear, rows, strict=True))
    assert moved is not None
    assert float(moved.mid()) == pytest.approx(paid, abs=1e-9)
    many = Case(ResponseTable(((1,) + (0,) * learners.IN_BALLS,), (2,)), **SETTINGS)
    assert two_kinds_newton(many) is None
    assert two_kinds_entropic(many) is not None
    random = Case(RandomResponses("uniform", 3, 4, 1), **SETTINGS)
    assert two_kinds_newton(random) is None
    assert two_kinds_entropic(random) is None
