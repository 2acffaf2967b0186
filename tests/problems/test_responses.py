"""Games of responses: what they hold, how they print, adjust and shrink, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory import symbols
from fltheory.games.environment import OnlineGame
from fltheory.model.case import Case
from fltheory.number import BALL
from fltheory.problems.responses import AdaptiveResponses, RandomResponses, ResponseTable
from fltheory.runs.method import NotEnumerable
from fltheory.search.neighbours import simpler_cases

TABLE = ResponseTable(((1, 0), ("1/3", "1/2")), (2, 1), repeat=2)
GAMES = (
    TABLE,
    ResponseTable(((1, 0, 0),), (5,), 2, 0, n_participating=2),
    RandomResponses("coin", 3, 5, 1, "1/2", "1/4", 2),
    AdaptiveResponses("next", 4, 6),
)


@pytest.mark.parametrize("game", GAMES, ids=lambda g: type(g).__name__)
def test_repr_rebuilds(game: OnlineGame) -> None:
    assert eval(repr(game)) == game


def test_rounds_come_in_order() -> None:
    assert [TABLE.distinct[j] for j in TABLE.order] == [(1, 0), (1, 0), (Fraction(1, 3), Fraction(1, 2))] * 2
    assert TABLE.counts == (4, 2)
    row, _ = TABLE.reveal(2, np.array([[0.5, 0.5]]), TABLE.memory(1), None)
    assert row.tolist() == [[1 / 3, 1 / 2]]
    exact, _ = TABLE.reveal(2, np.array([[0.5, 0.5]]), TABLE.memory(1), BALL)
    assert exact[0, 0].contains(1 / 3) or abs(float(exact[0, 0].mid()) - 1 / 3) < 1e-15


def test_constants() -> None:
    c = GAMES[1].constants
    assert (c[symbols.n_clients], c[symbols.n_rounds], c[symbols.n_participating]) == (3, 5, 2)
    assert (c[symbols.response_low], c[symbols.response_high]) == (0, 2)


@pytest.mark.parametrize("kind", ["coin", "race", "uniform"])
def test_random_responses_stay_in_the_range_and_follow_the_seed(kind: str) -> None:
    game = RandomResponses(kind, 4, 300, 1, "3/4", "1/4")
    table = game.table[game.order]
    assert table.shape == (300, 4)
    assert table.min() >= 0.25
    assert table.max() <= 0.75
    assert (table == RandomResponses(kind, 4, 300, 1, "3/4", "1/4").table[game.order]).all()
    other = RandomResponses(kind, 4, 300, 2, "3/4", "1/4")
    assert (table != other.table[other.order]).any()
    if kind == "race":
        assert ((table == 0.75).sum(axis=1) == 1).all()
        assert len(game.distinct) == 4
    if kind == "coin":
        assert abs((table == 0.75).mean() - 0.5) < 0.1
    if kind == "uniform":
        assert abs(table.mean() - 0.5) < 0.03


def test_adversaries_answer_what_is_played() -> None:
    p = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]])

    def answer(kind: str) -> Any:
        game = AdaptiveResponses(kind, 3, 5, 2, 1)
        return game.reveal(0, p, game.memory(2), None)[0].tolist()

    assert answer("least") == [[2, 1, 1], [1, 1, 2]]
    assert answer("all but the leader") == [[2, 1, 2], [1, 2, 2]]
    assert answer("next") == [[1, 1, 2], [1, 2, 1]]
    with pytest.raises(NotEnumerable):
        AdaptiveResponses("least", 3, 5).reveal(0, p, np.zeros((2, 0)), BALL)


def test_adjusted_games() -> None:
    phases = ResponseTable(((1, 0), (0, 1)), (40, 60))
    assert phases.adjusted("n_rounds", 50).counts_of == (20, 30)
    assert phases.adjusted("n_rounds", 1).n_rounds == 2  # every phase stays
    assert TABLE.adjusted("n_rounds", 30).n_rounds == 30
    assert phases.adjusted("response_high", Fraction(1, 2)).responses == ((Fraction(1, 2), 0), (0, Fraction(1, 2)))
    raised = ResponseTable((("3/4", "1/4"),), (3,), "3/4", "1/4").adjusted("response_high", Fraction(1, 2))
    assert raised.responses == ((Fraction(1, 2), Fraction(1, 4)),)
    assert RandomResponses("coin", 3, 5).adjusted("n_clients", 7).n_clients == 7


def test_smaller_games() -> None:
    found = [case.instance for case in simpler_cases(Case(TABLE))]
    assert ResponseTable(TABLE.responses, (2, 1)) in found
    assert any(g.n_rounds < TABLE.n_rounds for g in found if isinstance(g, ResponseTable))
    three: ResponseTable = ResponseTable(((1, 0, 0),), (4,), n_participating=3)
    assert any(g.n_clients == 2 for g in three.smaller())


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ResponseTable(((1, 0), (1,))), "rows of the same length"),
        (lambda: ResponseTable(((1, 0),), (0,)), "counts_of = .* positive integer"),
        (lambda: ResponseTable(((1, 0),), (1, 2)), "counts_of"),
        (lambda: ResponseTable(((2, 0),)), r"outside \[0, 1\]"),
        (lambda: ResponseTable(((1, 0),), low=2), "expected 0 <= low < high"),
        (lambda: ResponseTable(((1, 0),), low=-1), "expected 0 <= low < high"),
        (lambda: ResponseTable(((1, 0),), n_participating=3), "n_participating = 3 of 2 clients"),
        (lambda: ResponseTable(((1, 0),), repeat=0), "repeat"),
        (lambda: RandomResponses("dice", 2, 3), "coin, race, uniform"),
        (lambda: RandomResponses("coin", 0, 3), "n_clients = 0"),
        (lambda: AdaptiveResponses("best", 2, 3), "least, all but the leader, next"),
    ],
)
def test_what_is_no_game(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()
