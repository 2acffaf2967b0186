"""The standard learners: twins in balls, definitions, equivariance, and what moves them not."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from fltheory.games.environment import OnlineGame
from fltheory.games.learners import (
    DENSE,
    constant_learner,
    entropic_ftrl,
    exponentiated_gradient,
    follow_the_leader,
    loss_gradient,
    online_gradient_descent,
    online_newton,
    quadratic_minimiser,
    two_kinds,
    two_kinds_entropic,
    two_kinds_newton,
)
from fltheory.games.losses import LINEAR, LOG_GROWTH
from fltheory.games.play import simulate_rounds
from fltheory.games.player import ImpreciseState, Learner
from fltheory.model.case import Case
from fltheory.number import BALL, Ring
from fltheory.problems.responses import AdaptiveResponses, RandomResponses, ResponseTable
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.method import AssumptionFailed, NotEnumerable

SETTINGS: dict[str, Any] = {"learner_regularisation": 2, "learner_curvature": "1/2", "learner_scale": "1/2"}
LEARNERS = {
    "newton": online_newton(),
    "entropic": entropic_ftrl(),
    "linear": entropic_ftrl(loss_gradient(LINEAR)),
    "mirror": exponentiated_gradient(),
    "descent": online_gradient_descent(),
    "leader": follow_the_leader(),
    "uniform": constant_learner(),
}
names = st.sampled_from(sorted(LEARNERS))


def games(most: int = 12) -> st.SearchStrategy[Any]:
    return st.builds(
        RandomResponses,
        st.sampled_from(["coin", "uniform", "race"]),
        st.integers(2, 5),
        st.integers(1, most),
        st.integers(0, 99),
    )


def decisions(learner: Learner, game: OnlineGame, ring: Ring | None = None) -> np.ndarray:
    turns = simulate_rounds(learner, Case(game, **SETTINGS), 0, np.arange(1), ring)
    rows = [[float(v.mid()) if isinstance(v, arb) else v for v in t.p[0]] for t in turns]
    return np.array(rows)


@given(names, games())
def test_decisions_lie_on_the_simplex(name: str, game: OnlineGame) -> None:
    p = decisions(LEARNERS[name], game)
    assert (p >= 0).all()
    assert np.allclose(p.sum(axis=1), 1)
    assert np.allclose(p[0], 1 / game.n_clients)


@given(st.sampled_from(["newton", "entropic", "linear", "uniform"]), games(8))
def test_the_twins_in_balls_are_the_same_learners(name: str, game: OnlineGame) -> None:
    try:
        exact = decisions(LEARNERS[name].exact, game, BALL)
    except ImpreciseState:  # at 53 bits
        return
    assert np.allclose(decisions(LEARNERS[name], game), exact, atol=1e-7)


@given(names, games(), st.randoms(use_true_random=False))
def test_clients_in_another_order_give_decisions_in_that_order(
    name: str, game: RandomResponses, random: Random
) -> None:
    order = list(range(game.n_clients))
    random.shuffle(order)
    rows = tuple(tuple(row[i] for i in order) for row in game.distinct)
    plain = ResponseTable(game.distinct, (1,) * len(game.distinct))
    turned = ResponseTable(rows, (1,) * len(rows))
    if name == "leader":  # where the best decision is not unique it may pick any
        return
    assert np.allclose(decisions(LEARNERS[name], turned), decisions(LEARNERS[name], plain)[:, order], atol=1e-6)


@given(st.sampled_from(["newton", "entropic", "mirror", "descent"]), games(), st.floats(-2, 2))
def test_multiples_of_one_in_the_gradient_change_nothing(name: str, game: OnlineGame, shift: float) -> None:
    """On the simplex <1, p - q> = 0: (7) and (12) ignore what all clients share."""

    def moved(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        return LOG_GROWTH.gradient(p, response) + shift

    make: dict[str, Any] = {
        "newton": online_newton,
        "entropic": entropic_ftrl,
        "mirror": exponentiated_gradient,
        "descent": online_gradient_descent,
    }
    assert np.allclose(decisions(make[name](moved), game), decisions(LEARNERS[name], game), atol=1e-6)


@given(st.sampled_from(["newton", "entropic", "mirror", "descent"]), games(), st.sampled_from([0.01, 3.0, 1000.0]))
def test_gradients_in_other_units_with_constants_in_those_units(name: str, game: OnlineGame, factor: float) -> None:
    """L and alpha scale like the gradients, beta like their inverse; without that the decisions change."""

    def scaled(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        return factor * LOG_GROWTH.gradient(p, response)

    make: dict[str, Any] = {
        "newton": online_newton,
        "entropic": entropic_ftrl,
        "mirror": exponentiated_gradient,
        "descent": online_gradient_descent,
    }
    alpha, beta, size = 2 * factor, 0.5 / factor, 0.5 * factor
    case = Case(game, learner_regularisation=alpha, learner_curvature=beta, learner_scale=size)
    p = np.array([t.p[0] for t in simulate_rounds(make[name](scaled), case, 0, np.arange(1))])
    assert np.allclose(p, decisions(LEARNERS[name], game), atol=1e-6)


def test_units_do_matter_where_the_constants_stay() -> None:
    game = ResponseTable((("1/10", 0),), (3,))

    def scaled(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        return 3 * LOG_GROWTH.gradient(p, response)

    for make in (online_newton, entropic_ftrl, exponentiated_gradient, online_gradient_descent):
        assert not np.allclose(decisions(make(scaled), game)[1:], decisions(make(), game)[1:], atol=1e-3)


KINDS = {
    "turn": ResponseTable(((1, 0), (0, "1/2")), (5, 7)),
    "one": ResponseTable((("1/3", 1),), (9,)),
    "three and one": ResponseTable((("1/5", "1/5", "1/5", 0), (0, 0, 0, "1/2")), (6, 8)),
    "mixed": ResponseTable(((1, "1/7", 1, "1/7", "1/7"), (0, 1, 0, 1, 1), ("1/3",) * 5), (4, 5, 2), repeat=2),
    "alike": ResponseTable((("1/3",) * 4, (1,) * 4), (2, 3)),
}


@pytest.mark.parametrize("game", KINDS.values(), ids=KINDS)
def test_scalar_closed_forms_for_clients_of_two_kinds(game: OnlineGame) -> None:
    """The rounds in balls, clients one by one, are the readable twin."""
    case = Case(game, **SETTINGS)
    for learner, closed in ((LEARNERS["newton"], two_kinds_newton), (LEARNERS["entropic"], two_kinds_entropic)):
        with ctx.workprec(256):
            turns = simulate_rounds(learner.exact, case, 0, np.arange(1), BALL)
            paid = sum((LOG_GROWTH.value(t.p, t.answer)[0] for t in turns), arb(0))
            found = closed(case)
        assert paid.overlaps(found)
        assert max(paid.rad(), found.rad()) < 1e-30


def test_games_without_two_kinds_of_clients() -> None:
    three = Case(RandomResponses("coin", 3, 4), **SETTINGS)
    assert two_kinds_newton(three) is None
    assert two_kinds_entropic(three) is None
    assert two_kinds(Case(AdaptiveResponses("least", 2, 4))) is None
    assert two_kinds(Case(ResponseTable(((1,),), (4,)))) is None
    ball = arb(0.5, 0.25)  # twice the same ball may be two numbers
    assert two_kinds(Case(ResponseTable(((ball, ball, 0),), (4,)))) is None
    assert two_kinds(Case(ResponseTable(((ball, ball),), (4,)))) is not None
    assert two_kinds_newton(Case(ResponseTable(((1, *[0] * 12),), (3,)), **SETTINGS)) is None  # as many as in rounds


def test_responses_outside_of_the_range_are_told_as_in_the_rounds() -> None:
    class Lying(ResponseTable):
        @property
        def distinct(self) -> Any:
            return tuple(tuple(3 * v for v in row) for row in self.responses)

    case = Case(Lying(((0, 0, 0), ("1/2", 0, 0)), (5, 3)), **SETTINGS)
    with pytest.raises(AssumptionFailed) as of_rounds:
        list(simulate_rounds(online_newton().exact, case, 0, np.arange(1), BALL))
    with pytest.raises(AssumptionFailed) as of_kinds:
        two_kinds_newton(case)
    assert str(of_kinds.value) == str(of_rounds.value)


def test_the_newton_step_minimises_its_objective() -> None:
    """(7) by the objective itself at random points of the simplex."""
    game = RandomResponses("uniform", 4, 6, 5)
    p = decisions(LEARNERS["newton"], game)
    g = [LOG_GROWTH.gradient(p[t], game.table[game.order[t]]) for t in range(6)]

    def objective(q: np.ndarray, t: int) -> float:
        past = sum(float(g[s] @ q + 0.25 * (g[s] @ (q - p[s])) ** 2) for s in range(t))
        return past + float(q @ q)

    rng = np.random.default_rng(0)
    for t in range(1, 6):
        others = rng.dirichlet(np.ones(4), 200)
        assert min(objective(q, t) for q in others) >= objective(p[t], t) - 1e-9
        assert objective(p[t - 1], t) > objective(p[t], t)  # the decision before is not it


def test_many_clients_take_the_low_rank_way_to_the_same_decisions() -> None:
    n = DENSE + 1
    rows = RandomResponses("uniform", n, 6, 2, "1/10")
    many = decisions(online_newton(), rows)
    # a client who never responds, once more: K = DENSE takes the matrix
    few = RandomResponses("uniform", n, 6, 2, "1/10")
    B, c, p = 2 * np.eye(n), np.zeros(n), np.full(n, 1 / n)
    from fltheory.games.simplex_qp import solve_low_rank

    gradients = np.empty((0, n))
    for t in range(5):
        g = LOG_GROWTH.gradient(p, few.table[few.order[t]])
        B, c = B + 0.5 * np.outer(g, g), c + g - 0.5 * g * (g @ p)
        gradients = np.vstack([gradients, g])
        p = solve_low_rank(2.0, 0.5, gradients, c, p)[0]
        gradient = B @ p + c
        assert gradient @ p - gradient.min() < 1e-12
        assert np.allclose(many[t + 1], p, atol=1e-7)


def test_the_quadratic_program_in_balls_proves_its_support() -> None:
    B = np.array([[arb(v) for v in row] for row in ((2, 0, 0), (0, 2, 0), (0, 0, 2))], dtype=object)
    linear = np.array([arb(-1), arb(0), arb(3)], dtype=object)
    near = np.array([arb(1) / 3] * 3, dtype=object)
    p = quadratic_minimiser(B, linear, near)
    assert [float(v.mid()) for v in p] == pytest.approx([0.75, 0.25, 0])
    tie = np.array([arb(0), arb(0), arb(1) + arb(0, 1e-9)], dtype=object)  # whether client 3 has weight can't be told
    with pytest.raises(ImpreciseState):
        quadratic_minimiser(B, tie, near)


def test_balls_are_for_few_clients() -> None:
    game = ResponseTable(((1, *[0] * 13),), (3,))
    with pytest.raises(NotEnumerable, match="at most 12 clients"):
        decisions(LEARNERS["newton"].exact, game, BALL)


def test_the_leader_follows_what_was_best() -> None:
    game = ResponseTable(((1, 0), (0, 1)), (3, 5))
    p = decisions(follow_the_leader(), game)
    assert p[1].tolist() == [1, 0]
    assert p[7][0] < 0.5


def test_a_fixed_decision() -> None:
    from fractions import Fraction

    game = ResponseTable(((1, 0),), (3,))
    fixed = constant_learner((Fraction(1, 4), Fraction(3, 4)))
    assert (decisions(fixed, game) == [0.25, 0.75]).all()
    assert (decisions(fixed.exact, game, BALL) == [0.25, 0.75]).all()


def test_constants_are_asked_for_by_name() -> None:
    from fltheory.runs.method import VariantError

    case = Case(ResponseTable(((1, 0),), (3,)))
    with pytest.raises(VariantError, match="learner_scale"):
        list(simulate_rounds(entropic_ftrl(), case, 0, np.arange(1)))
    assert run_constants(case, None).n_clients == 2


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_one_client_has_all_the_weight(name: str) -> None:
    assert (decisions(LEARNERS[name], ResponseTable(((1,), (0,)), (2, 1))) == 1).all()
