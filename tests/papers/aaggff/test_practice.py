"""Fairness, sizes, settings and the authors' code: mutants, and the released learner by other means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erfc

from fltheory.claims.check import check_claim
from fltheory.claims.statement import constants_of, quantity_measure
from fltheory.games.environment import OnlineGame
from fltheory.games.play import simulate_rounds
from fltheory.games.player import Learner
from fltheory.model.case import Case
from fltheory.number import BALL
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_s, aaggff_s_released
from fltheory.papers.aaggff.estimators.closed_forms import SampledRound, shrinkage
from fltheory.papers.aaggff.experiments.tables import DataSet
from fltheory.papers.aaggff.instances.games import alternation
from fltheory.papers.aaggff.instances.lemmas import dot
from fltheory.papers.aaggff.newton import families as strategies_newton
from fltheory.papers.aaggff.newton.claims.proof51.parts import RUNS, run_of
from fltheory.papers.aaggff.newton.closed_forms.newton import NewtonRun
from fltheory.papers.aaggff.notation import K, T, alpha, beta
from fltheory.papers.aaggff.practice import claims as practice
from fltheory.papers.aaggff.practice.cases import Candidate, TwoModels
from fltheory.papers.aaggff.practice.claims import released as claims
from fltheory.papers.aaggff.practice.claims.settings import DEVICE_SETS, SILO_SETS
from fltheory.papers.aaggff.practice.closed_forms import released
from fltheory.papers.aaggff.transforms.cases import Losses
from fltheory.problems.responses import ResponseTable

BY_ID = {c.id.removeprefix("aaggff/"): c for c in practice.CLAIMS}


def violated(name: str, value: Callable[..., Any], case: Case) -> bool:
    """Whether the claim fails on the case with another measured quantity."""
    claim = replace(BY_ID[name], measure=quantity_measure(value, name="a mutant"), assumptions=())
    return check_claim(claim, case).status == "violated"


# Mutants of what is compared with 0 -----------------------------------------------------------------------------------


def test_the_released_objective_is_not_another() -> None:
    def half(one: Any, c: Any) -> Fraction:
        run = run_of(one, c)
        gaps = [claims.objective_gap(run, p, Fraction(1, 2)) for p in (run.decisions[0], one.comparator)]
        return gaps[1] - gaps[0]

    assert violated("A2-objective@explicit", half, RUNS[0])


def test_the_released_estimate_is_not_another() -> None:
    case = claims.TOGETHER[0]
    assert violated("A3-estimate@explicit", _off_10, case)
    assert violated("A3-mean@explicit", _with_kappa_of_one, case)
    rows = ((1, "1/2", 0), 1), ((1, 0, 0, 0), 1)
    for row, m in rows:  # one client a round: no order is kept
        assert violated("A3-order@corrected", _slope, Case(SampledRound(row, m)))


def _off_10(one: SampledRound, c: Any) -> Fraction:
    return claims.largest_entry(claims.by_code(one, c) - claims.by_10(one, c))


def _with_kappa_of_one(one: SampledRound, c: Any) -> Fraction:
    return claims.off_expected(one, c, shrinkage(one.dim, one.dim))


def _slope(one: SampledRound, c: Any) -> Fraction:
    values = dict(zip(one.rows[0][0], claims.mean(claims.by_code(one, c)), strict=True))
    low, high = min(values), max(values)
    return (values[high] - values[low]) / (high - low)


def test_the_released_normal_function_falls_and_the_other_rises() -> None:
    claim = BY_ID["B1-normal@explicit"]
    rising = quantity_measure(lambda one, c: max(one.function(one.inputs)) - min(one.function(one.inputs)), name="rise")
    assert all(check_claim(replace(claim, measure=rising), case).status == "violated" for case in claim.cases)
    x = [Fraction(0), Fraction(3, 10), Fraction(1), Fraction(5, 2)]
    np.testing.assert_allclose(
        [float(v) for v in released.normal(x)], (1 + erfc((np.array(x, dtype=float) - 1) / 2**0.5)) / 2
    )


def test_other_mutants_of_0_fail() -> None:
    wrong = replace(
        BY_ID["T4-clients@printed"], measure=quantity_measure(lambda one, c: one.sizes[0] - 818, name="one more")
    )
    assert check_claim(wrong, Case(DataSet("Reddit"))).status == "violated"
    fairer = Case(TwoModels((1, 1), (1, 2)))
    assert check_claim(BY_ID["D2.1-good@strict"], fairer).status == "holds"
    assert check_claim(BY_ID["D2.1-order@strict"], fairer).status == "holds"


# What is not asked of the others --------------------------------------------------------------------------------------


def test_a_claim_of_one_kind_of_data_set_says_nothing_of_the_other() -> None:
    for name, others in (("T4-silo", DEVICE_SETS), ("T4-device", SILO_SETS), ("T4-turns", SILO_SETS)):
        claim = next(c for id, c in BY_ID.items() if id.startswith(name + "@"))
        assert all(check_claim(claim, case).status == "inapplicable" for case in others)
        free = replace(claim, assumptions=())
        assert all(check_claim(free, case).status == "violated" for case in others)


def test_five_clients_take_part_on_each_device_data_set() -> None:
    assert {case.instance.n_participating for case in DEVICE_SETS} == {5}
    assert [case.instance.n_participating for case in SILO_SETS] == [7, 11, 6]


def test_an_even_guess_loses_the_logarithm_of_the_classes() -> None:
    assert np.isclose(-np.log(np.full(35, 1 / 35))[0], np.log(Candidate("SpeechCommands", 5).classes))
    literal = BY_ID["C.3-propfair@strict"]
    assert check_claim(literal, Case(Candidate("SpeechCommands", 5))).status == "holds"
    assert check_claim(literal, Case(Candidate("Reddit", 5))).status == "violated"


# The released learner -------------------------------------------------------------------------------------------------


def in_floats(case: Case) -> tuple[NewtonRun, np.ndarray]:
    """The rational run of the released objective, and the same by the learner."""
    run, c = run_of(case.instance, constants_of(case)), dict(case.settings)
    exact = released.run_from(run.decisions[0], run.responses, run.alpha, run.beta)
    game = ResponseTable(run.responses, (1,) * run.n_rounds, c["response_high"], c["response_low"])
    own = Case(game, learner_regularisation=c[alpha.name], learner_curvature=c[beta.name])
    return exact, np.array([turn.p[0] for turn in simulate_rounds(aaggff_s_released, own, 0, np.arange(1))])


@pytest.mark.parametrize("case", RUNS)
def test_the_released_learner_is_its_rational_run(case: Case) -> None:
    exact, floats = in_floats(case)
    np.testing.assert_allclose(floats, np.array(exact.decisions[:-1], dtype=float), atol=1e-8)


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_released_decisions_are_least_of_the_released_objective(data: st.DataObject) -> None:
    case = data.draw(strategies_newton.short_runs())
    run = run_of(case.instance, constants_of(case))
    theirs = released.run_from(run.decisions[0], run.responses, run.alpha, run.beta)
    last = theirs.decisions[-1]
    others = [case.instance.comparator, *theirs.decisions]
    assert all(released.objective(theirs, last) <= released.objective(theirs, p) for p in others)
    by_hand = sum((dot(g, last) + run.beta / 2 * dot(g, last) ** 2 for g in theirs.gradients), Fraction(0))
    by_hand += run.alpha * (1 + run.beta) / 2 * dot(last, last)
    assert released.objective(theirs, last) == by_hand


@pytest.mark.parametrize(
    "game",
    [alternation(40, "1/2"), ResponseTable((("1/2", 0, "1/2"), (0, "1/3", 0)), (3, 4), repeat=5)],
    ids=["two clients", "two and one"],
)
@pytest.mark.parametrize("learner", [aaggff_s_released, aaggff_d], ids=["released", "entropic"])
def test_clients_of_two_kinds_in_balls_lose_what_the_rounds_lose(learner: Learner, game: OnlineGame) -> None:
    case = Case(game, learner_regularisation=4, learner_curvature="1/2", learner_scale=3)
    twin = learner.exact
    assert twin is not None
    assert twin.kernel is not None
    with ctx.workprec(256):
        rounds = sum(
            (-(1 + (t.p[0] * t.answer[0]).sum()).log() for t in simulate_rounds(twin, case, 0, np.arange(1), BALL)),
            arb(0),
        )
        found = twin.kernel(case)
    floats = sum(-np.log1p((t.p[0] * t.answer[0]).sum()) for t in simulate_rounds(learner, case, 0, np.arange(1)))
    assert (found - rounds).contains(0)
    assert max(found.rad(), rounds.rad()) < 1e-30
    assert abs(float(rounds) - floats) < 1e-7


def test_the_centre_is_what_the_released_learner_lacks() -> None:
    """On the game that sends the released one beside the best decision, (7) keeps to its bound by far."""
    claim, case = BY_ID["A2-regret@strict"], claims.LONG[0]
    assert check_claim(claim, case).status == "violated"
    right = check_claim(replace(claim, algorithm=aaggff_s), case)
    assert right.status == "holds"
    assert right.ratio is not None
    assert right.ratio < 0.5
    assert {K, T} <= set(case.constants)


def test_ranges_of_losses_of_the_example() -> None:
    """The scripts of Berka take the normal function: of the paper's own example the client with the largest loss gets least."""
    row = released.normal(Losses(("1/100", "1/10", "1/50"), "normal").inputs)
    assert float(row[1]) < float(row[2]) < float(row[0])
