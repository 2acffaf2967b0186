"""Compiled games of AAggFF-D against the readable ones, for every learner that has them."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.games.losses import LINEAR, LOG_GROWTH, DecisionLoss
from fltheory.games.play import simulate_rounds
from fltheory.games.static_regret import StaticRegret, best_in_hindsight
from fltheory.model.case import Case
from fltheory.papers.aaggff import algorithms
from fltheory.problems.responses import AdaptiveResponses, ResponseTable

LEARNERS = {
    "as printed": algorithms.aaggff_d,
    "fixed": algorithms.aaggff_d_fixed,
    "linear": algorithms.aaggff_d_linear,
    "last mean": algorithms.aaggff_d_remembering,
}
EXACT = {"exact": algorithms.aaggff_d_exact, "linear exact": algorithms.aaggff_d_linear_exact}
each_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS.keys())
every_learner = pytest.mark.parametrize("learner", (LEARNERS | EXACT).values(), ids=(LEARNERS | EXACT).keys())
each_loss = pytest.mark.parametrize("loss", [LOG_GROWTH, LINEAR], ids=["log growth", "linear"])
REPETITIONS = np.array([0, 1, 2, 7, 2**40])


def plain(learner, case, seed, repetitions, loss=LOG_GROWTH):
    """The total loss of every game by the loop of ``simulate_rounds``."""
    return sum(loss.value(turn.p, turn.answer) for turn in simulate_rounds(learner, case, seed, repetitions))


def random_game(seed, n_clients, n_participating, n_rows=4, repeat=5, high=2, low=0):
    """Random rows of responses, each played a few times and all of them again and again."""
    rng = np.random.default_rng(seed)
    rows = tuple(
        tuple(low + (high - low) * Fraction(int(v), 16) for v in row)
        for row in rng.integers(0, 17, (n_rows, n_clients))
    )
    counts = tuple(int(n) for n in rng.integers(1, 4, n_rows))
    return ResponseTable(rows, counts, high, low, repeat, n_participating)


def with_scale(game, scale="1/2", imputed="1/3"):
    return Case(game, learner_scale=scale, imputed_response=imputed)


@st.composite
def cases(draw, full=False):
    n = draw(st.integers(2, 24))
    size = n if full else draw(st.sampled_from([1, n, *range(1, n + 1)]))
    low = draw(st.sampled_from([0, Fraction(1, 5)]))
    game = random_game(
        draw(st.integers(0, 2**32 - 1)), n, size, draw(st.integers(1, 5)), draw(st.integers(1, 6)), 2, low
    )
    return with_scale(game, draw(st.sampled_from(["1/10", 1, 30])), draw(st.sampled_from([low, "1/2", 2])))


@pytest.mark.turns(3)
@each_loss
@each_learner
@given(case=cases(), seed=st.integers(0, 2**62))
def test_random_games(learner, loss, case, seed):
    found = learner.kernel(case, seed, REPETITIONS, loss)
    np.testing.assert_allclose(found, plain(learner, case, seed, REPETITIONS, loss), rtol=1e-12)


@each_loss
@pytest.mark.parametrize("learner", EXACT.values(), ids=EXACT.keys())
@given(case=cases(full=True), seed=st.integers(0, 2**62))
def test_random_games_with_exact_gradients(learner, loss, case, seed):
    found = learner.kernel(case, seed, REPETITIONS[:2], loss)
    np.testing.assert_allclose(found, plain(learner, case, seed, REPETITIONS[:2], loss), rtol=1e-12)


@each_learner
@pytest.mark.parametrize(("n_clients", "n_participating"), [(1, 1), (2, 1), (2, 2), (30, 1), (30, 29), (30, 30)])
def test_sizes(learner, n_clients, n_participating):
    case = with_scale(random_game(1, n_clients, n_participating))
    if n_clients == 1:  # the rate of one client is infinite, which the readable learner divides by
        rows = case.instance.table[case.instance.order]
        np.testing.assert_allclose(learner.kernel(case, 3, REPETITIONS, LOG_GROWTH), -np.log(1 + rows).sum())
        return
    found = learner.kernel(case, 3, REPETITIONS, LOG_GROWTH)
    np.testing.assert_allclose(found, plain(learner, case, 3, REPETITIONS), rtol=1e-12)


@each_learner
def test_a_long_game(learner):
    """Hundreds of rounds of repeated rows: nothing drifts apart."""
    case = with_scale(random_game(2, 10, 3, repeat=80))
    found = learner.kernel(case, 1, REPETITIONS[:3], LOG_GROWTH)
    np.testing.assert_allclose(found, plain(learner, case, 1, REPETITIONS[:3]), rtol=1e-12)


@each_learner
def test_any_block_of_repetitions_gives_the_same_bits(learner):
    case = with_scale(random_game(3, 12, 5))
    whole = learner.kernel(case, 1, np.arange(40), LOG_GROWTH)
    parts = [learner.kernel(case, 1, np.arange(40)[a:b], LOG_GROWTH) for a, b in ((0, 1), (1, 14), (14, 40))]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert len(set(whole)) > 30


@each_learner
@pytest.mark.parametrize(("seed", "shift"), [(2, 0), (1, 1)], ids=["seed", "repetitions"])
def test_other_draws_differ(learner, seed, shift):
    """The negative control of the games that are the same."""
    case = with_scale(random_game(3, 12, 5))
    found = learner.kernel(case, seed, REPETITIONS + shift, LOG_GROWTH)
    assert (np.abs(found / plain(learner, case, 1, REPETITIONS) - 1) > 1e-6).all()


def test_the_references_differ():
    """No two learners share a game: a kernel with the wrong reference would be seen."""
    case = with_scale(random_game(5, 12, 5))
    found = [learner.kernel(case, 1, REPETITIONS, LOG_GROWTH) for learner in LEARNERS.values()]
    for i, one in enumerate(found):
        for other in found[:i]:
            assert (np.abs(one / other - 1) > 1e-6).all()


@each_loss
@every_learner
def test_the_regret_is_that_of_its_own_loss(learner, loss):
    """With and without the compiled game, by each loss."""
    case = with_scale(random_game(4, 6, 6))
    slow = learner._replace(kernel=None)
    measure = StaticRegret(loss)
    found = measure.simulate(learner, case, 1, REPETITIONS)
    np.testing.assert_allclose(found, measure.simulate(slow, case, 1, REPETITIONS), rtol=1e-10, atol=1e-12)
    other = LINEAR if loss == LOG_GROWTH else LOG_GROWTH
    wrong = learner.kernel(case, 1, REPETITIONS, other) - best_in_hindsight(case.instance, loss)[1]
    assert (np.abs(found - wrong) > 1e-3).all()


def test_games_that_are_not_compiled():
    """None for another loss, for an adversary that looks, and for exact gradients of responses that are not all seen."""
    case = with_scale(random_game(4, 6, 3))
    squared = DecisionLoss("squared", lambda p, r: (p * r).sum(axis=-1) ** 2, LINEAR.gradient, LINEAR.spread)
    adversary = with_scale(AdaptiveResponses("next", 5, 20, n_participating=2))
    for learner in LEARNERS.values():
        assert learner.kernel(case, 1, REPETITIONS, squared) is None
        assert learner.kernel(adversary, 1, REPETITIONS, LOG_GROWTH) is None
    for learner in EXACT.values():
        assert learner.kernel(case, 1, REPETITIONS, LOG_GROWTH) is None
        slow = StaticRegret().simulate(learner._replace(kernel=None), case, 1, REPETITIONS)
        np.testing.assert_array_equal(StaticRegret().simulate(learner, case, 1, REPETITIONS), slow)


def test_numba_is_loaded_when_a_game_is_played():
    code = "import sys, fltheory.papers.aaggff.algorithms; print('numba' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.split() == ["False"]
