"""Regret of AAggFF-S and AAggFF-D: reference numbers, mutants, equivalent ways to the same decisions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from fltheory.claims.check import check_claim
from fltheory.games.learners import constant_learner, entropic_ftrl, online_newton
from fltheory.games.losses import LOG_GROWTH
from fltheory.games.play import simulate_rounds
from fltheory.games.player import Learner
from fltheory.games.static_regret import StaticRegret, best_in_hindsight
from fltheory.model.case import Case
from fltheory.number import BALL, Number, evaluate_to_precision, exact, to_ball, to_float
from fltheory.papers.aaggff import algorithms, bounds
from fltheory.papers.aaggff.entropic.claims import entropic, partial
from fltheory.papers.aaggff.instances.families import sampled_games
from fltheory.papers.aaggff.instances.games import (
    FairCoin,
    TransformedLosses,
    alternation,
    case_at,
    complement,
    horse_race,
    one_good,
    three_phase,
    two_phase,
    vertex,
)
from fltheory.papers.aaggff.instances.lemmas import FtrlPoints
from fltheory.papers.aaggff.newton.claims import newton
from fltheory.papers.aaggff.newton.claims import runs as run_claims
from fltheory.papers.aaggff.newton.closed_forms import runs
from fltheory.problems.responses import RandomResponses, ResponseTable
from fltheory.runs.constants import run_constants
from tests.typed import instance_of

CLAIMS = (*newton.CLAIMS, *entropic.CLAIMS, *partial.CLAIMS, *run_claims.CLAIMS)
BY_ID = {c.id.removeprefix("aaggff/"): c for c in CLAIMS}


# Reference numbers ----------------------------------------------------------------------------------------------


def regret_of(name: str, game: ResponseTable, learner: Learner | None = None, **settings: Number) -> float:
    """The exact regret of a claim's learner."""
    claim = BY_ID[name]
    case = claim.prepared(Case(game, **settings))
    return to_float(
        evaluate_to_precision(lambda: newton.REGRET.exact(learner or claim.algorithm, case, BALL), 53, 128, 2048)
    )


@pytest.mark.parametrize(
    ("game", "regret", "limit"),
    [
        (two_phase(1000, "1/10"), 5.9009, 1.7894),
        (two_phase(1000, "1/5"), 3.9768, 3.5788),
        (complement(7, 1000), 7.349, 6.591),
        pytest.param(complement(11, 1000), 7.392, 5.799, marks=pytest.mark.deep),
        pytest.param(complement(6, 1500), 9.124, 7.622, marks=pytest.mark.deep),
        pytest.param(complement(5, 2000), 8.667, 8.516, marks=pytest.mark.deep),
        (complement(7, 100), 1.577, 3.276),  # the paper's own sizes: no violation
        (complement(11, 100), 1.271, 2.900),
        (complement(6, 50), 0.987, 2.839),
        (three_phase(2, "1/5", 1000, "1/20"), 7.956, 5.030),
        (three_phase(2, "1/4", 3000, "1/50"), 13.595, 8.385),
    ],
)
def test_theorem_51_as_printed(game: ResponseTable, regret: float, limit: float) -> None:
    digits = 1e-4 if regret in (5.9009, 3.9768) else 1e-3
    assert regret_of("T5.1@printed", game) == pytest.approx(regret, abs=digits)
    case = BY_ID["T5.1@printed"].prepared(Case(game))
    assert to_float(bounds.T51.ball(case.constants)) == pytest.approx(limit, abs=digits)


def test_simple_turns_do_not_reach_the_threshold() -> None:
    """I2 violates the printed bound for C2 <= .205 at T = 1000, and has negative regret from .29 on."""
    claim = BY_ID["T5.1@printed"]
    assert check_claim(claim, Case(two_phase(1000, "41/200"))).status == "violated"
    assert check_claim(claim, Case(two_phase(1000, "21/100"))).status == "holds"
    assert regret_of("T5.1@printed", two_phase(1000, "29/100")) < 0


def test_inside_the_window_the_same_games_are_harmless() -> None:
    game = complement(7, 1000)
    star = Fraction(int(1e6 * to_float(evaluate_to_precision(lambda: _star(Fraction(1, 7))))), 10**6)
    assert regret_of("T5.1@corrected", game, learner_regularisation=4, learner_curvature=star) == pytest.approx(
        1.226, abs=2e-3
    )
    case = Case(game, learner_regularisation=4, learner_curvature=star)
    assert to_float(bounds.T51_GENERAL.ball(case.constants)) == pytest.approx(8.355, abs=2e-3)


def _star(V: Fraction) -> Any:
    from fltheory.number import to_ball

    v = to_ball(V)
    return 2 * (v - (1 + v).log()) / (v * v)


@pytest.mark.parametrize(("game", "ratio"), [((100, "1/20", "3/10"), 1.142), ((1000, "1/20", "3/10"), 1.232)])
def test_the_constant_two_fails_at_three_times_the_rate(game: tuple[int, str, str], ratio: float) -> None:
    assert one_good(*game).n_rounds == {100: 460, 1000: 690}[game[0]]
    case = BY_ID["T5.2-step@strict"].prepared(Case(one_good(*game)))
    found = newton.REGRET.simulate(algorithms.aaggff_d_exact, case, 0, np.arange(1))[0]
    assert found / to_float(bounds.T52.ball(case.constants)) == pytest.approx(ratio, abs=1e-3)


@pytest.mark.parametrize(("rounds", "regret"), [(20_000, 202.1), (40_000, 654.2), (80_000, 1742.8)])
def test_algorithm_3_has_linear_regret(rounds: int, regret: float) -> None:
    assert regret_of("T5.2-algorithm@printed", alternation(rounds)) == pytest.approx(regret, abs=0.06)


def test_best_decisions_of_the_constructed_games() -> None:
    best, value, _ = best_in_hindsight(alternation(20), LOG_GROWTH)
    assert best[0] == pytest.approx(0.65, abs=1e-7)
    assert -value / 20 == pytest.approx(0.41047, abs=1e-5)
    best, value, _ = best_in_hindsight(horse_race(4, 8, 2, "1/2"), LOG_GROWTH)
    assert best == pytest.approx([0.25] * 4, abs=1e-7)
    assert -value == pytest.approx(8 * np.log(1 + 0.5 + 1.5 / 4))
    best, value, _ = best_in_hindsight(vertex(5, 7, 3, 1), LOG_GROWTH)
    assert best.tolist() == [1, 0, 0, 0, 0]
    assert -value == pytest.approx(7 * np.log(4))


@pytest.mark.parametrize(("T", "high", "ratio"), [(20000, "1/100", 1.05), (160000, "1/1000", 3.66)])
def test_fair_coins_leave_no_room_for_the_printed_bound(T: int, high: str, ratio: float) -> None:
    verdict = check_claim(BY_ID["T5.1-coin@printed"], Case(FairCoin(T, high)))
    assert verdict.ratio == pytest.approx(ratio, abs=0.01)


@pytest.mark.parametrize("learner", [algorithms.aaggff_s, algorithms.aaggff_d_exact], ids=lambda x: x.name)
def test_no_learner_beats_the_fair_coin(learner: Learner) -> None:
    """The mean regret over all sequences of coins is at least the bound; uniform play attains it."""
    T, high = 6, 1

    def mean(player: Learner, best: str) -> float:
        total = 0.0
        for word in itertools.product((0, 1), repeat=T):
            game = ResponseTable(tuple((high, 0) if w else (0, high) for w in word), (1,) * T)
            case = Case(game, learner_regularisation=8, learner_curvature="1/4", learner_scale=1)
            found = newton.REGRET.simulate(player, case, 0, np.arange(1))[0]
            if best == "vertex":
                vertices = LOG_GROWTH.value(np.eye(2)[:, None], game.table[game.order][None]).sum(axis=1)
                found += best_in_hindsight(game, LOG_GROWTH)[1] - vertices.min()
            total += found / 2**T
        return total

    least = to_float(newton.coin_regret(T, to_ball(exact(high))))
    assert mean(learner, "vertex") == pytest.approx(least, abs=1e-9) or mean(learner, "vertex") > least
    assert mean(constant_learner(), "vertex") == pytest.approx(least, abs=1e-9)  # attained by the uniform decision
    assert mean(learner, "any") > mean(learner, "vertex")


def test_the_missing_factor_of_the_sample() -> None:
    """I1 with two of K clients, T = 4 (K/2)^2: the ratio to L sqrt(T log K) doubles with K."""
    for n, ratio in ((10, 3.75), (20, 7.20)):
        case = BY_ID["C5.3@printed"].prepared(Case(vertex(n, n * n, n_participating=2)))
        found = newton.REGRET.simulate(algorithms.aaggff_d, case, 0, np.arange(400))
        assert found.mean() / np.sqrt(n * n * np.log(n)) == pytest.approx(ratio, rel=0.02)


# The same decisions by other ways -------------------------------------------------------------------------------


@given(sampled_games())
def test_the_simplified_gradient_gives_the_printed_decisions(case: Case) -> None:
    case = BY_ID["C5.3@printed"].prepared(case)
    plain = entropic_ftrl(algorithms.doubly_robust_gradient)
    simple = entropic_ftrl(algorithms.simplified_gradient)
    both = [[t.p for t in simulate_rounds(learner, case, 3, np.arange(2))] for learner in (plain, simple)]
    assert np.allclose(both[0], both[1], atol=1e-9)


def test_one_client_a_round_teaches_nothing() -> None:
    case = BY_ID["C5.3@printed"].prepared(Case(RandomResponses("uniform", 4, 30, n_participating=1)))
    for turn in simulate_rounds(algorithms.aaggff_d, case, 0, np.arange(5)):
        assert np.allclose(turn.p, 0.25, atol=1e-12)
    two = BY_ID["C5.3@printed"].prepared(Case(RandomResponses("uniform", 4, 30, n_participating=2)))
    assert not np.allclose([t.p for t in simulate_rounds(algorithms.aaggff_d, two, 0, np.arange(5))], 0.25, atol=1e-3)


def test_at_full_participation_algorithm_3_is_not_theorem_52() -> None:
    """Its gradients differ from the exact ones by more than multiples of 1."""
    case = Case(RandomResponses("uniform", 3, 4), learner_scale=1)
    turn = list(simulate_rounds(algorithms.aaggff_d_exact, case, 0, np.arange(1)))[-1]
    c = run_constants(case, None)
    printed = algorithms.doubly_robust_gradient(turn.p, turn.seen, turn.answer, c)
    exact = LOG_GROWTH.gradient(turn.p, turn.answer)
    assert np.ptp(printed - exact) > 1e-3


def test_past_means_are_a_reference_fixed_before_the_draw() -> None:
    case = Case(RandomResponses("uniform", 4, 6, n_participating=2), learner_scale=1)
    turns = list(simulate_rounds(algorithms.aaggff_d_remembering, case, 0, np.arange(3)))
    assert (turns[0].state.reference == 0).all()
    for before, after in itertools.pairwise(turns):
        mean = (before.answer * before.seen).sum(axis=1) / before.seen.sum(axis=1)
        assert after.state.reference[:, 0] == pytest.approx(mean)


# Mutants of the algorithm and of the chain ----------------------------------------------------------------------


def test_a_newton_step_with_the_gradient_turned_round_breaks_the_theorem() -> None:
    flipped = online_newton(lambda p, seen, response, c: -LOG_GROWTH.gradient(p, response))
    claim = replace(BY_ID["T5.1-window@corrected"], algorithm=flipped)
    assert check_claim(claim, Case(vertex(4, 100))).status == "violated"


def test_an_entropic_step_with_the_gradient_turned_round_breaks_the_theorem() -> None:
    flipped = entropic_ftrl(lambda p, seen, response, c: -LOG_GROWTH.gradient(p, response))
    claim = replace(BY_ID["T5.2@printed"], algorithm=flipped)
    assert check_claim(claim, Case(vertex(4, 400))).status == "violated"


def test_a_curvature_beyond_the_window_breaks_the_chain_of_eigenvalues() -> None:
    """With beta = 1/(4L) at C2 = 1/10 the bound with the run's own eigenvalues fails too."""
    claim = BY_ID["T5.1-run@explicit"]
    open_window = replace(claim, bounds=(replace(claim.bound, conditions=bounds.RANGE),))
    case = case_at(two_phase(1000, "1/10"), "4/5", "5/2")
    assert check_claim(claim, case).status == "inapplicable"
    assert check_claim(open_window, case).status == "violated"


def test_half_of_what_a_round_may_cost_is_too_little() -> None:
    """Lemmas A.6 and A.7 with a quarter of the gradient's norm are broken by some round."""
    case = case_at(horse_race(3, 60), 1)
    run = runs.run_of(algorithms.aaggff_s, case)
    assert runs.proximal_shortfall(run) < 0
    alpha, beta = to_float(run.constants.learner_regularisation), to_float(run.constants.learner_curvature)
    g = np.array([float(v.mid()) for v in run.gradients[0]])
    first = replace(run, decisions=run.decisions[:2], gradients=run.gradients[:1], responses=run.responses[:1])
    allowed = 0.5 * g @ np.linalg.solve(alpha * np.eye(3) + beta * np.outer(g, g), g)
    spent = to_float(runs.proximal_shortfall(first)) + allowed
    centred = g - g.mean()  # on the simplex only this part counts, inside which the step is free here
    assert spent == pytest.approx(0.5 * centred @ centred / (alpha + beta * (centred @ centred)), abs=1e-9)
    assert allowed / 2 < spent <= allowed


def test_the_identity_needs_every_term() -> None:
    data = instance_of(run_claims.POINTS[0], FtrlPoints)
    left, right = run_claims.ftrl_sides(data)
    assert left == right
    shifted = replace(data, weights=(*data.weights[:-1], data.weights[-1] + 1))
    assert run_claims.ftrl_sides(shifted)[0] == run_claims.ftrl_sides(shifted)[1]  # any last regulariser will do
    other = replace(data, comparator=(0, 1))
    assert run_claims.ftrl_sides(other)[0] != left


def test_transformed_losses_keep_their_order_and_range() -> None:
    game = TransformedLosses("gumbel", 6, 20, 3, "3/4", "1/4")
    table = game.table
    assert (table >= 0.25).all()
    assert (table <= 0.75).all()
    assert (np.argsort(table, axis=1) == np.argsort(game.losses, axis=1)).all()
    assert eval(repr(game)) == game


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: alternation(30), "multiple of 20"),
        (lambda: horse_race(3, 10), "multiple of n_clients = 3"),
        (lambda: FairCoin(7, 1), "even number"),
        (lambda: FairCoin(8, 0), "high = 0: expected positive"),
        (lambda: TransformedLosses("cauchy", 3, 5), "weibull, frechet"),
    ],
)
def test_what_is_no_instance(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


def test_partial_participation_makes_the_full_theorems_inapplicable() -> None:
    case = Case(vertex(4, 100, n_participating=2))
    for name in ("T5.1-window@corrected", "T5.2@printed"):
        verdict = check_claim(BY_ID[name], case)
        assert verdict.status == "inapplicable"
        assert "only 2 of 4 clients take part" in verdict.reason


def test_a_reference_out_of_the_range_is_refused() -> None:
    case = Case(vertex(4, 300, "1/10", n_participating=3), imputed_response="1/5")
    assert check_claim(BY_ID["C5.3-reference@corrected"], case).status == "inapplicable"
    off = Case(vertex(4, 300, "1/10", n_participating=3), imputed_response="1/10")
    assert "imputed_response = 1/10 is not 1/20" in check_claim(BY_ID["C5.3-reference@strengthened"], off).reason


def test_the_linear_term_is_real() -> None:
    """I6 with the middle as reference: at T = 20000 the regret is above the first term alone."""
    claim = BY_ID["C5.3-reference@strengthened"]
    case = claim.prepared(Case(alternation(20_000, group=2, n_participating=2), imputed_response="1/2"))
    found = StaticRegret().simulate(algorithms.aaggff_d_fixed, case, 0, np.arange(8))
    first_term = bounds.P1_SHARP.ball(case.constants)
    assert found.min() > to_float(first_term)
