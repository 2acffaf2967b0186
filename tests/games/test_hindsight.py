"""The best fixed decision in hindsight and its certificate."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from fltheory.games import hindsight
from fltheory.games.hindsight import best_decision, exact_simplex_point, least_loss, least_loss_in_floats
from fltheory.games.losses import LINEAR, LOG_GROWTH, DecisionLoss
from fltheory.number import BALL, upper_float
from fltheory.problems.responses import RandomResponses, ResponseTable
from fltheory.runs.method import NotEnumerable

levels = st.sampled_from([0.0, 0.25, 0.5, 1.0])
tables = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.tuples(*[levels] * n), min_size=1, max_size=6).map(lambda rows: np.array(rows))
)


def total(rows: np.ndarray, counts: np.ndarray, p: np.ndarray) -> float:
    return float(-(counts @ np.log1p(rows @ p)))


@given(tables, st.integers(0, 1000))
def test_no_decision_is_better_than_the_certificate_says(rows: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 50, len(rows)).astype(float)
    p, gap = best_decision(rows, counts, LOG_GROWTH)
    assert (p >= 0).all()
    assert p.sum() == pytest.approx(1, abs=1e-12)
    assert 0 <= gap <= 1e-9 * counts.sum()
    here = total(rows, counts, p)
    for q in rng.dirichlet(np.ones(len(p)), 20):
        assert total(rows, counts, q) >= here - gap - 1e-12 * counts.sum()
    for vertex in np.eye(len(p)):
        assert total(rows, counts, vertex) >= here - gap - 1e-12 * counts.sum()


def test_another_solver_finds_nothing_better() -> None:
    game = RandomResponses("uniform", 6, 40, 3)
    p, _ = best_decision(game.table, game.counts, LOG_GROWTH)
    counts = np.array(game.counts, dtype=float)
    other = minimize(
        lambda q: total(game.table, counts, q),
        np.full(6, 1 / 6),
        bounds=[(0, 1)] * 6,
        method="SLSQP",
        constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert total(game.table, counts, p) <= other.fun + 1e-9


def test_two_phases_have_their_closed_form() -> None:
    """x* = f + (2f - 1)/C2 for C1 = 0, as far as it lies in [0, 1]."""
    game = ResponseTable(((1, 0), (0, 1)), (55, 45))
    p, gap = best_decision(game.table, game.counts, LOG_GROWTH)
    assert p[0] == pytest.approx(0.65, abs=1e-7)
    assert gap < 1e-10


def test_the_linear_loss_is_least_at_a_vertex() -> None:
    p, gap = best_decision(np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([1, 3]), LINEAR)
    assert p.tolist() == [0, 1]
    assert gap == 0


@pytest.mark.parametrize("loss", [LOG_GROWTH, LINEAR], ids=repr)
@pytest.mark.parametrize(
    "game",
    [
        ResponseTable(((1, 0), (0, 1)), (55, 45)),
        ResponseTable(((1, 1, 0), (0, 0, 1)), (4, 6)),  # two clients alike
        ResponseTable((("1/2", "1/2"),), (7,)),  # all decisions alike
        ResponseTable(((1, 0, 0),), (9,)),
        RandomResponses("uniform", 5, 30, 1),
    ],
    ids=["phases", "alike", "flat", "vertex", "random"],
)
def test_the_ball_is_fine_and_contains_what_floats_find(
    game: ResponseTable | RandomResponses, loss: DecisionLoss
) -> None:
    p, gap = best_decision(game.table, game.counts, loss)
    with ctx.workprec(200):
        ball = least_loss(game.rows_in(BALL), game.counts, loss, p)
        assert upper_float(ball.rad()) < 1e-30
        found = float(np.dot(game.counts, loss.value(p, game.table)))
        assert abs(float(ball.mid()) - found) <= gap + 1e-11
        here = exact_simplex_point(p)
        value = sum((n * loss.value(here, row) for n, row in zip(game.counts, game.rows_in(BALL), strict=True)), arb(0))
        assert not value < ball


def test_a_bad_start_gives_a_wide_ball_that_still_contains_the_least_loss() -> None:
    game = ResponseTable(((1, 0), (0, 1)), (55, 45))
    good, _ = best_decision(game.table, game.counts, LOG_GROWTH)
    fine = least_loss(game.rows_in(BALL), game.counts, LOG_GROWTH, good)
    wide = least_loss(game.rows_in(BALL), game.counts, LOG_GROWTH, np.array([1.0, 0.0]))  # no Newton step from a vertex
    assert wide.contains(fine)
    assert upper_float(wide.rad()) > 0.1


def test_a_decision_off_the_best_has_a_gap_that_covers_what_it_loses() -> None:
    rows, counts = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([55.0, 45.0])
    best, _ = best_decision(rows, counts, LOG_GROWTH)
    for shift in (1e-3, 1e-2, 0.1):
        p = best + np.array([shift, -shift])
        gradient = -((counts / (1 + rows @ p)) @ rows)
        lost = total(rows, counts, p) - total(rows, counts, best)
        assert lost > 0
        assert gradient @ p - gradient.min() >= lost
        assert -(gradient @ p - gradient.min()) < lost  # with the sign flipped it certifies nothing


def test_as_many_clients_as_there_are_may_share_the_best_decision() -> None:
    """A race of 150 clients: the uniform decision, -T log(1 + C2/K)."""
    n = 150
    rows, counts = 60 * np.eye(n), np.full(n, 30.0)
    p, gap = best_decision(rows, counts, LOG_GROWTH)
    assert gap < 1e-6
    assert p == pytest.approx(np.full(n, 1 / n), abs=1e-6)
    assert least_loss_in_floats(rows, counts, LOG_GROWTH) == pytest.approx(-30 * n * np.log(1 + 60 / n), rel=1e-12)


def test_a_least_loss_that_is_known_badly_is_no_ground_for_a_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hindsight, "NEWTON_STEPS", 1)
    with pytest.raises(NotEnumerable, match="known to"):
        least_loss_in_floats(np.eye(5), np.full(5, 3.0), LOG_GROWTH)
