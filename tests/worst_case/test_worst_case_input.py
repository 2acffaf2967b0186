"""What an algorithm on an unknown set function must not do, and what a user may get wrong."""

import itertools
from fractions import Fraction

import pytest

from fltheory.command.cli import run
from fltheory.worst_case.set_functions import worst_ratio
from fltheory.worst_case.set_functions.answers import MAX_ITEMS
from tests.worst_case.set_games import greedy, proved

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("n_items", "optimum", "reason"),
    [
        (MAX_ITEMS + 1, {0}, f"{2 ** (MAX_ITEMS + 1) - 1} unknown values"),
        (0, {0}, "positive integer"),
        (2.0, {0}, "positive integer"),
        (True, {0}, "positive integer"),
        (2, (), "optimum is empty"),
        (2, {2}, r"items are 0\.\.1"),
        (2, {"a"}, r"items are 0\.\.1"),
    ],
)
def test_bad_problems(n_items, optimum, reason):
    with pytest.raises(ValueError, match=reason):
        worst_ratio(greedy(1), n_items, optimum)


@pytest.mark.parametrize(
    ("algorithm", "reason"),
    [
        (lambda game: game.argmax({}), "largest of no options"),
        (lambda game: 1, "returns what it achieves"),
        (lambda game: game.value({5}), r"items are 0\.\.1"),
        (lambda game: game.argmax({7: game.value({0})}), "an option is an item"),
        (lambda game: game.argmax({0: 1}), "no linear form"),
        (lambda game: game.extension([1]), "2 coordinates"),
        (lambda game: game.extension([2, 0]), "unit cube"),
        (lambda game: game.extension(["sqrt(2)/2", 0]), "rational"),
        (lambda game: game.value({0}) * "x", "expected a number"),
        (lambda game: game.at_least(game.value({0}), 0), "two linear forms"),
        (lambda game: game.value({0} if game.value({0}) else {1}), "can't be compared"),
        (lambda game: -game.value({1}), "without limit"),
        (lambda game: game.best_base({0: game.value({0})}, []), "no options"),
    ],
)
def test_bad_algorithms(algorithm, reason):
    with pytest.raises(ValueError, match=reason):
        worst_ratio(algorithm, 2, {0})


def test_an_algorithm_with_a_mind_of_its_own_is_refused():
    calls = itertools.count()

    def fickle(game):
        sets = [{0}, {1}] if next(calls) % 2 else [{1}, {0}]
        return game.value({game.argmax({e: game.value(s) for e, s in zip((0, 1), sets, strict=True)})})

    with pytest.raises(ValueError, match="deterministic"):
        worst_ratio(fickle, 2, {0, 1})


def test_options_in_another_order_are_noticed():
    calls = itertools.count()

    def fickle(game):
        order = (0, 1, 2) if next(calls) % 2 else (2, 1, 0)
        return game.value({game.argmax({e: game.value({e}) for e in order})})

    with pytest.raises(ValueError, match="deterministic"):
        worst_ratio(fickle, 3, {0, 1})


@pytest.mark.parametrize("special", [0, 3])
def test_an_algorithm_with_a_favourite_isnt_symmetric(special):
    def run(game):
        chosen = {special, game.argmax({e: game.value({e}) for e in range(4)})}
        return game.value(chosen)

    with pytest.raises(ValueError, match="tells items of a class apart"):
        worst_ratio(run, 4, {0, 1}, symmetric=True)
    assert proved(run, 4, {0, 1}).ratio == HALF
    with pytest.raises(ValueError, match="feasible sets tell items apart"):
        worst_ratio(greedy(1), 4, {0, 1}, symmetric=True, feasible=[{2}])


def test_a_matroid_gives_its_bases_by_its_independent_sets():
    class OneOfEach:
        def independent(self, items):
            return len(items & {0, 2}) <= 1 and len(items & {1, 3}) <= 1

    def run(matroid):
        return lambda game: game.value(game.best_base({e: game.value({e}) for e in range(4)}, matroid))

    bases = [frozenset(b) for b in ((0, 1), (0, 3), (1, 2), (2, 3))]
    by_rule, by_list = (proved(run(m), 4, {0, 1}) for m in (OneOfEach(), bases))
    assert by_rule.ratio == by_list.ratio == HALF


def test_a_loop_without_end_is_stopped(monkeypatch):
    monkeypatch.setattr("fltheory.worst_case.set_functions.answers.MAX_RUNS", 10)
    with pytest.raises(ValueError, match="more than 10 courses"):
        worst_ratio(greedy(2), 4, range(2))
    assert worst_ratio(greedy(2), 4, range(2), symmetric=True).ratio == Fraction(3, 4)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("M=2 K=200 R=1 L=1 D=1 zeta_star=1 eta=1/10000", "too large for the solver"),
        ("M=6 K=3 R=1 L=1 D=1 zeta_star=1 eta=1/1000", "more than 4000 vectors"),
    ],
)
def test_a_round_that_is_too_large_is_told_at_once(values: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["worst", "sfl/T3-GC@printed", "--set", *values.split()]) == 2
    assert words in capsys.readouterr().err


def test_one_curvature_alone_is_told_what_to_ask(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["M=2", "K=2", "R=1", "L=1", "mu=1", "D=1", "zeta_star=1", "eta=1/1000"]
    assert run(["worst", "sfl/T3-SC@corrected", "--set", *given]) == 2
    assert "a slightly larger smoothness" in capsys.readouterr().err
