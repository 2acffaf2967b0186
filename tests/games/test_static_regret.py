"""Static regret: exact, enumerated, simulated, and what it can never leave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.games.environment import OnlineGame
from fltheory.games.learners import (
    constant_learner,
    entropic_ftrl,
    loss_gradient,
    online_gradient_descent,
    online_newton,
)
from fltheory.games.losses import LINEAR, LOG_GROWTH, DecisionLoss
from fltheory.games.player import Learner
from fltheory.games.static_regret import LinearisedRegret, StaticRegret
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, evaluate_to_precision, lower_float, to_float, upper_float
from fltheory.papers.aaggff.algorithms import aaggff_d
from fltheory.problems.responses import AdaptiveResponses, RandomResponses, ResponseTable
from fltheory.runs.method import NotEnumerable
from tests.typed import instance_of

SETTINGS: dict[str, Any] = {"learner_regularisation": 2, "learner_curvature": "1/2", "learner_scale": "1/2"}
REGRET = StaticRegret()
SMALL = ResponseTable(((1, 0, "1/2"), (0, 1, "1/4")), (2, 1), n_participating=2)


def by_definition(learner: Learner, case: Case, loss: DecisionLoss) -> float:
    """One game in floats, the comparator by a fine grid where there are two clients."""
    from fltheory.games.play import simulate_rounds

    game = instance_of(case, RandomResponses)
    paid = sum(float(loss.value(t.p, t.answer)[0]) for t in simulate_rounds(learner, case, 0, np.arange(1)))
    x = np.linspace(0, 1, 20_001)
    grid = np.stack([x, 1 - x], axis=1)
    rows = game.table[game.order]
    return paid - float(sum((loss.value(grid, row) for row in rows), np.zeros(len(grid))).min())


@given(
    st.builds(
        RandomResponses, st.sampled_from(["coin", "uniform"]), st.just(2), st.integers(1, 30), st.integers(0, 99)
    ),
    st.sampled_from([LOG_GROWTH, LINEAR]),
)
def test_regret_is_what_it_says(game: OnlineGame, loss: DecisionLoss) -> None:
    learner, case = entropic_ftrl(loss_gradient(loss)), Case(game, **SETTINGS)
    found = StaticRegret(loss).simulate(learner, case, 0, np.arange(2))
    assert found[0] == found[1] == pytest.approx(by_definition(learner, case, loss), abs=1e-6)
    ball = evaluate_to_precision(lambda: StaticRegret(loss).exact(learner, case, BALL), 53, 128, 512)
    assert lower_float(ball) - 1e-9 <= found[0] <= upper_float(ball) + 1e-9


@given(
    st.builds(
        RandomResponses, st.sampled_from(["coin", "uniform"]), st.integers(2, 5), st.integers(1, 20), st.integers(0, 99)
    )
)
def test_no_learner_leaves_the_span(game: OnlineGame) -> None:
    case = Case(game, **SETTINGS)
    low, high = REGRET.span(case)
    for learner in (online_newton(), entropic_ftrl(), constant_learner(), online_gradient_descent()):
        assert low <= REGRET.simulate(learner, case, 0, np.arange(1))[0] <= high


def test_uniform_against_one_good_client() -> None:
    """I1: T log(2 / (1 + 1/K)) with C2 = 1, and the span is larger than it."""
    game = ResponseTable(((1, 0, 0, 0),), (50,))
    found = to_float(evaluate_to_precision(lambda: REGRET.exact(constant_learner(), Case(game), BALL)))
    assert found == pytest.approx(50 * np.log(2 / 1.25), rel=1e-12)
    assert found < REGRET.span(Case(game))[1]


def test_expected_regret_by_enumeration_and_by_simulation() -> None:
    case = Case(SMALL, learner_scale=1)
    exact = to_float(evaluate_to_precision(lambda: REGRET.exact(aaggff_d, case, BALL), 53, 128, 512))
    low, high = REGRET.in_floats(aaggff_d, case)
    assert low <= exact <= high
    assert high - low < 1e-6
    runs = REGRET.simulate(aaggff_d._replace(name="plain", kernel=None), case, 0, np.arange(4000))
    assert runs.mean() == pytest.approx(exact, abs=5 * runs.std() / 60)
    assert runs.std() > 0
    assert REGRET.is_random(case)


def test_an_adversary_is_met_on_its_own_path() -> None:
    """The comparator is the best of what the adversary answered: the same as a table of its answers."""
    from fltheory.games.play import simulate_rounds

    case = Case(AdaptiveResponses("least", 3, 25), **SETTINGS)
    found = REGRET.simulate(online_newton(), case, 0, np.arange(1))[0]
    rows = [t.answer[0] for t in simulate_rounds(online_newton(), case, 0, np.arange(1))]
    table = ResponseTable(tuple(tuple(int(v) for v in row) for row in rows), (1,) * 25)
    assert REGRET.simulate(online_newton(), Case(table, **SETTINGS), 0, np.arange(1))[0] == pytest.approx(
        found, abs=1e-9
    )
    with pytest.raises(NotEnumerable, match="needs floats"):
        REGRET.exact(online_newton(), case, BALL)
    with pytest.raises(NotEnumerable):
        REGRET.in_floats(online_newton(), case)


def test_regret_is_no_rational() -> None:
    with pytest.raises(NotRational):
        REGRET.exact(constant_learner(), Case(SMALL), RATIONAL)


def test_linearised_regret_is_no_less_than_regret() -> None:
    case = Case(RandomResponses("uniform", 3, 15, 4), **SETTINGS)
    linear = LinearisedRegret(loss_gradient(LOG_GROWTH))
    ball = linear.exact(entropic_ftrl(), case, BALL)
    assert linear.simulate(entropic_ftrl(), case, 0, np.arange(1))[0] == pytest.approx(to_float(ball), abs=1e-9)
    assert ball > REGRET.exact(entropic_ftrl(), case, BALL)


def test_long_games_of_two_clients_have_exact_regret() -> None:
    """A hundred thousand rounds in balls, held against floats."""
    case = Case(
        ResponseTable(((1, 0), (0, 1)), (11, 9), repeat=5000), learner_regularisation=8, learner_curvature="1/4"
    )
    ball = evaluate_to_precision(lambda: REGRET.exact(online_newton(), case, BALL), 40, 128, 512)
    assert ball.rel_accuracy_bits() > 40
    short = instance_of(case, ResponseTable).adjusted("n_rounds", 1000)
    early = Case(short, **dict(case.settings))
    assert to_float(REGRET.exact(online_newton(), early, BALL)) == pytest.approx(
        float(REGRET.simulate(online_newton(), early, 0, np.arange(1))[0]), abs=1e-8
    )
