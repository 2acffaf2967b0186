"""Where Delta-SGD ends without a common minimiser: mutants, and the closed form against Algorithm 1 itself."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, reject, settings

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, as_number, to_float
from fltheory.papers.delta_sgd.convex.cases import case_of_run, line
from fltheory.papers.delta_sgd.convex.closed_forms.measures import Quantity
from fltheory.papers.delta_sgd.rule.claims import fixed_points
from fltheory.papers.delta_sgd.rule.claims.fixed_points import PAIR, PLANE, THREE, isotropic, rounds
from fltheory.papers.delta_sgd.rule.closed_forms import fixed_points as at
from fltheory.papers.delta_sgd.rule.families import fixed_points as strategies_fixed_points
from fltheory.problems.convex import ConvexClients, Quadratic
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.client_optimiser import adaptive_optimiser, federated_averaging
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.method import VariantError
from fltheory.runs.step_rule import StepRule, auto_tuned, auto_tuned_step
from tests.typed import instance_of

CLAIMS = fixed_points.CLAIMS
BY_ID = {c.id.removeprefix("delta_sgd/"): c for c in CLAIMS}
DELTA_SGD = federated_averaging(adaptive_optimiser(auto_tuned, "pair"))


# The closed form against Algorithm 1 ------------------------------------------------------------------------------------


def federation(case: Case, n_rounds: int) -> Case:
    """The same clients and steps for the library's loop over rounds."""
    instance = instance_of(case, ConvexClients)
    found = [at.curvature_and_centre(f) for f in instance.objectives]
    curvatures = [[as_number(h)] * instance.dim for h, _ in found]
    slopes = [[as_number(-h * v) for v in centre] for h, centre in found]
    return Case(QuadraticClients(curvatures, slopes, instance.start), **dict(case.settings), n_rounds=n_rounds)


@given(strategies_fixed_points.rounds())
@settings(max_examples=15)
def test_rounds_of_algorithm_1_follow_the_closed_form(case: Case) -> None:
    found = at.clients(auto_tuned, case)
    end, kept = at.fixed_point(found), sum((c.left for c in found), fmpq(0)) / len(found)
    try:
        states, _ = enumerate_runs(DELTA_SGD, federation(case, 3), BALL)
    except VariantError:  # a client lands on its minimiser, which balls can't tell
        reject()
    for t in range(4):
        wanted = end + kept**t * (states[0, 0] - end)
        assert all(abs(to_float(a - b)) < 1e-9 for a, b in zip(states[0, t], wanted, strict=True))


def test_the_closed_form_in_rationals() -> None:
    """L = (1, 10), c = (0, 1), gamma = 2, K = 2: both clients are at their minimiser, and the server half way between."""
    case = rounds(PAIR, 2, 1, 2)
    states, _ = enumerate_runs(DELTA_SGD, federation(case, 2), RATIONAL)
    assert [x[0] for x in states[0]] == [fmpq(1, 2), fmpq(1, 2), fmpq(1, 2)]
    found = at.clients(auto_tuned, case)
    assert [c.left for c in found] == [0, 0]
    assert at.minimiser(found)[0] == fmpq(10, 11)


def test_long_runs_end_at_the_fixed_point_and_not_at_the_minimiser() -> None:
    for case in (rounds(PAIR, 3, "1/30"), rounds(THREE, 5, "1/9", "1/2"), rounds(PLANE, 4, "1/3", 3)):
        last = rollout(DELTA_SGD, federation(case, 100), 1)[0, -1]
        found = at.clients(auto_tuned, case)
        end, best = ([to_float(as_number(v)) for v in x] for x in (at.fixed_point(found), at.minimiser(found)))
        assert np.allclose(last, end, atol=1e-8)
        assert not np.allclose(last, best, atol=1e-3)


def test_the_example_of_a_condition_number_of_ten() -> None:
    verdict = check_claim(BY_ID["FP-gap@corrected"], rounds(PAIR, 3, 1, 2))
    assert verdict.status == "holds"
    assert verdict.measured == pytest.approx(81 / 176)  # 0.4602


def test_with_many_local_steps_every_client_reaches_its_minimiser() -> None:
    for n_steps, tolerance in ((4, 0.5), (40, 1e-9)):
        found = at.clients(auto_tuned, rounds(PAIR, n_steps, 1))
        off = to_float(as_number(at.fixed_point(found)[0])) - 0.5
        assert abs(off) < tolerance
        assert (abs(off) > 1e-9) == (n_steps == 4)


def test_the_first_entry_shrinks_with_a_proximal_term() -> None:
    steps = at.local_steps(auto_tuned, fmpq(1) + 3, rounds(PAIR, 4, "1/2", 2))
    assert steps == [fmpq(1, 2), fmpq(1, 4), fmpq(1, 4), fmpq(1, 4)]


# Mutants ----------------------------------------------------------------------------------------------------------------


def with_measure(name: str, measure: Quantity, case: Case) -> str:
    return check_claim(replace(BY_ID[name], measure=measure), case).status


def test_other_weights_end_elsewhere() -> None:
    case = fixed_points.APART[0]
    assert with_measure("FP-debiased@explicit", at.bias("inverse"), case) == "violated"
    assert with_measure("FP-debiased@explicit", at.bias("debiased", to_mean=True), case) == "violated"
    assert with_measure("FP-inverse@explicit", at.bias("debiased", to_mean=True), case) == "violated"
    assert with_measure("FP-K1@corrected", at.bias(), fixed_points.ONCE[0]) == "holds"
    assert check_claim(replace(BY_ID["FP-K1@corrected"], assumptions=()), case).status == "violated"


def test_fednova_removes_the_bias_of_small_steps_only() -> None:
    claim = BY_ID["FP-fednova@corrected"]
    assert (
        check_claim(claim, rounds(PAIR, 2, "1/5")).status
        == check_claim(claim, rounds(PAIR, 2, "1/10", 3)).status
        == "inapplicable"
    )
    for case, least in ((rounds(PAIR, 5, "1/30", 2), 0.5), (rounds(PAIR, 2, "1/25"), 0.0)):
        verdict = check_claim(claim, case)
        assert verdict.ratio is not None
        assert least < verdict.ratio <= 1
    assert with_measure("FP-fednova@explicit", at.bias("fednova"), rounds(PAIR, 1, "1/20")) == "holds"


def test_too_large_steps_do_not_contract() -> None:
    claim = BY_ID["FP-contraction@corrected"]
    loose = replace(claim, bounds=(replace(claim.bound, conditions=()),))
    for case in (rounds(line((1,)), 1, 3), rounds(line((1, 1), (0, 1)), 3, "19/10", 5)):
        assert check_claim(claim, case).status == "inapplicable"
        assert check_claim(loose, case).status == "violated"


def test_a_capped_client_is_not_at_its_minimiser() -> None:
    claim = BY_ID["FP-gap@corrected"]
    capped = rounds(PAIR, 3, "1/20", 2)
    assert "growth entry" in check_claim(claim, capped).reason
    assert check_claim(replace(claim, assumptions=()), capped).status == "violated"
    assert "two steps" in check_claim(claim, rounds(PAIR, 1, 1, 2)).reason


def test_a_shared_point_does_not_go_to_the_mean_while_steps_are_capped() -> None:
    claim = BY_ID["FP-shared@corrected"]
    capped = case_of_run(PAIR, 3, "1/50")
    assert check_claim(claim, capped).status == "inapplicable"
    assert check_claim(replace(claim, assumptions=()), capped).status == "violated"


def test_other_objectives_are_refused() -> None:
    skewed = ConvexClients((Quadratic(((1, 0), (0, 2)), (0, 0)),), (1, 1))
    for instance in (skewed, ConvexClients((Quadratic(((0,),), (0,)),), (1,))):
        assert "isotropic" in check_claim(BY_ID["FP@corrected"], rounds(instance, 2, "1/10")).reason


def test_the_closed_form_is_that_of_any_rule() -> None:
    """The map of a round is affine whatever the rule, as the reach on such a quadratic is always 1/L."""

    def slow(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
        return auto_tuned_step(lr, ratio, reach, c) / 3

    for name in ("FP@corrected", "FP-prox@corrected", "FP-debiased@explicit", "FP-debiased-round@explicit"):
        mine = replace(BY_ID[name], algorithm=auto_tuned._replace(step=slow))
        measure = mine.measure
        assert isinstance(measure, Quantity)
        assert isinstance(mine.algorithm, StepRule)
        assert [measure.follow(mine.algorithm, case)[0] for case in mine.cases] == [0] * len(mine.cases)
        assert {check_claim(mine, case).status for case in mine.cases} == {"holds"}
    shared = replace(BY_ID["FP-shared@corrected"], algorithm=auto_tuned._replace(step=slow))
    assert check_claim(shared, shared.cases[0]).status == "violated"


def test_vectors_are_isotropic_too() -> None:
    instance = isotropic((2, 5), ((0, 0), (3, 4)), (1, 1))
    assert [at.curvature_and_centre(f)[0] for f in instance.objectives] == [2, 5]
    assert check_claim(BY_ID["FP-gap@corrected"], rounds(instance, 2, 1, 2)).measured == pytest.approx(25 * 9 / 16 / 7)


def test_clients_at_their_centres_and_no_first_ratio() -> None:
    still = (
        line((3,), (2,), 2),
        line((1, 10), (0, 1), 1),
        line((1,) * 39 + (2,), range(40), 7),
        line((2, 5), (1, 1), 1),
    )
    for claim in CLAIMS:
        term = {"proximal_weight": 1} if claim.id.endswith("FP-prox@corrected") else {}
        for instance in still:
            for more in ({}, {"initial_ratio": None}):
                given_ = {
                    k: v for k, v in {"initial_ratio": 1, "growth_damping": 1, **more, **term}.items() if v is not None
                }
                case = Case(instance, n_local_steps=2, n_rounds=2, initial_step_size="1/20", amplifier=2, **given_)
                verdict = check_claim(claim, case)
                if more:
                    assert verdict.status == "inapplicable"
                elif claim.entry.recorded == "holds":
                    assert verdict.status in ("holds", "inapplicable"), str(verdict)


def test_without_a_first_ratio_it_is_said_that_it_is_missing() -> None:
    assert "initial_ratio" in check_claim(BY_ID["FP-shared@corrected"], case_of_run(PAIR, 3, 2, None)).reason


def test_bias_below_the_tolerance_is_told() -> None:
    """Curvatures that differ by 2^-40 leave |x_inf - x*|^2 of the order of 2^-80."""
    case = rounds(line((1, 1 + Fraction(1, 2**40)), (0, 1), "1/2"), 2, "1/20")
    verdict = check_claim(BY_ID["FP@strict"], case)
    assert (verdict.status, verdict.evidence) == ("violated", "exact")
    assert verdict.measured is not None
    assert 0 < verdict.measured < 2**-64


def test_the_same_centre_has_no_bias() -> None:
    case = rounds(line((1, 3), (1, 1), 4), 3, "1/20")
    assert "no bias" in check_claim(BY_ID["FP-fednova@corrected"], case).reason
