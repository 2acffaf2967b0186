"""The claims of the step-size rule (R1-R6, what is said of its inputs): mutants, units, floors under noise."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.papers.delta_sgd.convex.cases import APART, CURVES, case_of_run, huber, line
from fltheory.papers.delta_sgd.rule.cases import InOtherUnits, RatioLimit
from fltheory.papers.delta_sgd.rule.claims import rule
from fltheory.papers.delta_sgd.rule.closed_forms.batch_floor import steps
from fltheory.papers.delta_sgd.rule.closed_forms.measures import Quantity, caps, first_entry_acts, local_runs, shares
from fltheory.papers.delta_sgd.rule.families import rule as strategies_rule
from fltheory.problems.convex import ConvexClients, Huber, LogCosh, Quadratic
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.client_optimiser import BATCHES_PER_STEP, Batches, adaptive_optimiser, federated_averaging
from fltheory.runs.constants import Constants
from fltheory.runs.step_rule import StepRule, auto_tuned, auto_tuned_exact, auto_tuned_step
from tests.papers.claim_checks import attained
from tests.typed import instance_of

CLAIMS = rule.CLAIMS
BY_ID = {c.id.removeprefix("delta_sgd/"): c for c in CLAIMS}
BATCHES: tuple[Batches, ...] = tuple(BATCHES_PER_STEP)


# Other rules in the place of the paper's --------------------------------------------------------------------------------


def doubling(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    return 2 * lr


def halving(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    return auto_tuned_step(lr, ratio, reach, c) / 2


def unit_cap(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    return np.minimum(auto_tuned_step(lr, ratio, reach, c), 0.1)


def copied(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    return np.minimum(c.amplifier * reach / 2, np.sqrt(1 + c.growth_damping * ratio) * lr)


def verdicts(name: str, step: Callable[..., Any]) -> set[str]:
    claim = replace(BY_ID[name], algorithm=auto_tuned._replace(step=step))
    return {check_claim(claim, case).status for case in claim.cases}


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.algorithm == auto_tuned], ids=lambda c: c.id)
def test_a_copy_of_the_rule_in_floats_has_the_same_verdicts(claim: Claim) -> None:
    """But where a bound is attained: floats are known to be equal to nothing but the same rational number."""
    mine = replace(claim, algorithm=auto_tuned._replace(step=copied))
    for case in claim.cases:
        verdict = check_claim(mine, case)
        assert verdict.evidence == "sampled"
        if verdict.status == "inconclusive":
            assert claim.entry.recorded == "holds"
            assert attained(check_claim(claim, case))
        else:
            assert verdict.status == claim.entry.recorded, case


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("R1@explicit", doubling),
        ("R1-attained@explicit", halving),
        ("R1-ratio@explicit", doubling),
        ("R2@corrected", halving),
        ("R2-later@corrected", halving),
        ("R2-pair@corrected", halving),
        ("R2-same@corrected", halving),
        ("R3@explicit", doubling),
        ("R3-gamma@corrected", doubling),
        ("R3-gamma-attained@corrected", halving),
        ("R4@printed", doubling),
        ("R5@explicit", unit_cap),
    ],
)
def test_a_rule_that_breaks_the_statement_is_caught(name: str, step: Callable[..., Any]) -> None:
    assert "violated" in verdicts(name, step)


def scaled(factor: float) -> StepRule:
    """The library's rule, every answer times a number."""

    def step(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
        return auto_tuned_step(lr, ratio, reach, c) * factor

    return auto_tuned._replace(step=step)


ATTAINED = [
    ("R1@explicit", 1),
    ("R1-attained@explicit", -1),
    ("R1-ratio@explicit", 1),
    ("R2@corrected", -1),
    ("R2-later@corrected", -1),
    ("R2-pair@corrected", -1),
    ("R2-same@corrected", -1),
    ("R3@explicit", 1),
    ("R3-gamma@corrected", 1),
    ("R3-gamma-attained@corrected", -1),
    ("R4@printed", 1),
]


@pytest.mark.parametrize(("name", "sign"), ATTAINED)
def test_a_rule_that_barely_breaks_the_statement_is_caught(name: str, sign: int) -> None:
    for size, expected in ((5e-9, "violated"), (1e-12, "inconclusive")):
        claim = replace(BY_ID[name], algorithm=scaled(1 + sign * size))
        found = {check_claim(claim, case).status for case in claim.cases}
        assert expected in found
        assert ("violated" in found) == (expected == "violated")


@pytest.mark.parametrize(("name", "sign"), ATTAINED)
def test_of_exact_rules_less_than_the_tolerance_is_told(name: str, sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the library's own: a twin that somebody else declares is not believed."""
    factor = 1 + sign * fmpq(1, 2**80)
    near = StepRule("near", auto_tuned_step, lambda *a: auto_tuned_exact(*a) * factor)
    claim = replace(BY_ID[name], algorithm=near)
    assert "violated" not in {check_claim(claim, case).status for case in claim.cases}
    monkeypatch.setattr(StepRule, "of_library", property(lambda rule: True))
    verdicts = [check_claim(claim, case) for case in claim.cases]
    assert "violated" in {v.status for v in verdicts}
    assert {v.evidence for v in verdicts if v.status == "violated"} == {"exact"}


def test_a_rule_in_other_units_is_caught_only_where_the_units_change() -> None:
    mine = replace(BY_ID["R5@explicit"], algorithm=auto_tuned._replace(step=unit_cap))
    settings = dict(rule.FLOORS[1].settings)
    steps = {"initial_step_size": 1, "amplifier": 2}
    for objective, length, off in ((1, 1, False), (4, 2, False), (7, 3, True)):
        case = Case(InOtherUnits(line((1, 4), (0, 1), 3), objective, length), **{**settings, **steps})
        measure = mine.measure
        assert isinstance(measure, Quantity)
        assert isinstance(mine.algorithm, StepRule)
        assert bool(measure.follow(mine.algorithm, case)[0] > fmpq(1, 10**6)) == off
        assert (check_claim(mine, case).status == "violated") == off


# Conditions that are needed ---------------------------------------------------------------------------------------------


def test_more_growth_than_the_paper_has_breaks_r4() -> None:
    claim = BY_ID["R4@printed"]
    case = case_of_run(huber(100), 3, "1/10", growth_damping=2)
    assert check_claim(claim, case).status == "inapplicable"
    loose = replace(claim, bounds=(replace(claim.bound, conditions=()),))
    assert check_claim(loose, case).status == "violated"


def test_a_quadratic_diverges_beyond_two_over_the_smoothness() -> None:
    claim = BY_ID["S3-first@explicit"]
    loose = replace(claim, bounds=(replace(claim.bound, conditions=()),))
    for eta, expected in ((1, "holds"), ("1001/1000", "violated")):
        assert check_claim(loose, case_of_run(line((2,)), 1, eta)).status == expected
    assert check_claim(claim, case_of_run(line((2,)), 1, "1001/1000")).status == "inapplicable"


def test_the_initial_ratio_matters_where_the_cap_acts() -> None:
    claim = BY_ID["S3-ratio@corrected"]
    small = case_of_run(line((1, 4), (0, 1), 3), 4, "1/50", 50)
    assert check_claim(claim, small).status == "inapplicable"
    assert check_claim(replace(claim, assumptions=()), small).status == "violated"
    assert not first_entry_acts(small, auto_tuned, fmpq(1))


def test_the_first_entry_of_other_quadratics_is_no_constant() -> None:
    claim = BY_ID["R6@explicit"]
    skewed = case_of_run(ConvexClients((Quadratic(((1, 0), (0, 4)), (0, 0)),), (1, 1)), 3, "1/10")
    assert check_claim(claim, skewed).status == "inapplicable"
    assert check_claim(replace(claim, assumptions=()), skewed).status == "violated"


def test_r1_needs_the_same_first_step_everywhere() -> None:
    claim = BY_ID["R1@explicit"]
    paced = ConvexClients(line((1, 2)).objectives, (100,), pace=(1, 2))
    assert check_claim(claim, case_of_run(paced, 2, "1/10")).status == "inapplicable"
    assert check_claim(replace(claim, assumptions=()), case_of_run(paced, 1, "1/10")).status == "violated"


def test_without_movement_there_is_no_ceiling() -> None:
    assert "no client moves" in check_claim(BY_ID["R3@explicit"], case_of_run(line((1,), start=0), 2, 5)).reason
    assert "did not change" in check_claim(BY_ID["R3@explicit"], case_of_run(huber(1000), 2, 1)).reason


# Clients that do not move, and no first ratio ---------------------------------------------------------------------------

CONSTANT = LogCosh(((0,),), 0)
MANY = ConvexClients(tuple(Quadratic(((1 + i % 3,),), (i,)) for i in range(40)), (7,))
STILL = (
    line((3,), (2,), 2),
    ConvexClients((CONSTANT,), (1,)),
    ConvexClients((*line((1,)).objectives, CONSTANT), (1,)),
    MANY,
    ConvexClients((Huber((1,), (1,), (0,)), Huber((2,), (1,), (0,))), (0,)),
)
OF_CLIENTS = tuple(c for c in CLAIMS if isinstance(c.cases[0].instance, ConvexClients))


@pytest.mark.parametrize("claim", OF_CLIENTS, ids=lambda c: c.id)
def test_clients_that_do_not_move_break_nothing_that_is_true(claim: Claim) -> None:
    for instance, ratio, n in itertools.product(STILL, (1, None), (1, 2)):
        verdict = check_claim(claim, case_of_run(instance, n, "1/100", ratio))
        if claim.entry.recorded == "holds":
            assert verdict.status in ("holds", "inapplicable"), str(verdict)
        assert verdict.status != "inapplicable" or verdict.reason


def test_the_later_floor_is_of_clients_that_move() -> None:
    claim = BY_ID["R2-later@corrected"]
    for instance in (line((3,), (2,), 2), MANY):
        case = case_of_run(instance, 1, "1/100")
        assert "gradient is 0" in check_claim(claim, case).reason
        assert check_claim(replace(claim, assumptions=()), case).status == "violated"


def test_a_client_that_has_arrived_stays_where_it_is() -> None:
    """After the first step at the minimiser, with an irrational step size next."""
    case = case_of_run(line((100,), ("8/3",), "308/3"), 2, "1/100", 1, 3)
    h = local_runs(auto_tuned, case)
    assert [x[0][0] for x in h.points[1:]] == [fmpq(8, 3)] * 3
    assert h.lr[1] == h.lr[2]
    verdict = check_claim(BY_ID["R6@explicit"], case)
    assert (verdict.status, verdict.evidence) == ("holds", "exact")


@pytest.mark.parametrize("name", ["S3-ratio@strict", "S3-ratio@corrected", "B7-both@explicit", "R4@printed"])
def test_without_a_first_ratio_nothing_is_said(name: str) -> None:
    verdict = check_claim(BY_ID[name], case_of_run(line((1, 4), (0, 1), 3), 3, 2, None))
    assert verdict.status == "inapplicable"
    assert "initial_ratio" in verdict.reason


def test_units_of_clients_whose_minimiser_is_not_known() -> None:
    apart = ConvexClients((Huber((1,), (1,), (0,)), Huber((2,), (1,), (1,))), (1,))
    verdict = check_claim(BY_ID["R5@explicit"], Case(InOtherUnits(apart, 1, 3), **dict(rule.FLOORS[0].settings)))
    assert "minimiser" in verdict.reason


# Numbers by other means -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("delta", "limit"), [("1", 1.618034), ("1/10", 1.051249), ("1/100", 1.005013)])
def test_the_caps_converge_to_the_numbers_of_the_paper(delta: str, limit: float) -> None:
    case = case_of_run(huber(1), 60, 1, growth_damping=delta)
    products = caps(case, 60)
    assert to_float(products[60] / products[59]) == pytest.approx(limit, abs=1e-6)
    assert check_claim(BY_ID["R1-limit@explicit"], Case(RatioLimit(1, delta), n_rounds=60)).status == "holds"


def test_far_out_on_a_huber_function_only_the_cap_acts() -> None:
    # theta_0 = 8: g_1 = 3, g_2 = 2 are rational, and so is everything up to there
    h = local_runs(auto_tuned, case_of_run(huber(1000), 2, "1/10", 8))
    assert [row[0] for row in h.lr] == [fmpq(1, 10), fmpq(3, 10), fmpq(6, 10)]
    assert [x[0][0] for x in h.points] == [1000, fmpq(9999, 10), fmpq(9996, 10), fmpq(9990, 10)]


@pytest.mark.parametrize("batches", BATCHES)
def test_all_outcomes_of_two_noisy_steps(batches: Batches) -> None:
    """f = x²/2 from 1 with noise ±10, eta_0 = 1: the second step by hand."""
    noise = [Fraction(10), Fraction(-10)]
    found = set()
    for first, a, b in itertools.product(noise, repeat=3):  # of the step itself, and of the two gradients of line 9
        x = 1 - (1 + first)
        now, then = {"fresh": (a, b), "pair": (a, a), "same": (a, a), "reuse": (a, first)}[batches]
        turned = abs(x + now - 1 - then)
        way = Fraction(abs(x - 1))
        found.add(float(min(way / (2 * turned), 2**0.5)) if turned else 2**0.5)
    case = rule.one_client(10)
    shown = {
        to_float(v if isinstance(v, arb) else Fraction(int(v.p), int(v.q))) for v in steps(auto_tuned, batches, case)[1]
    }
    assert sorted(shown) == pytest.approx(sorted(found))
    assert (min(shown) < 0.49) == (batches in ("fresh", "reuse"))  # the floor is 1/2


def test_both_entries_act_on_a_long_narrow_valley() -> None:
    narrow = ConvexClients((Quadratic(((1, 0), (0, 30)), (0, 0)),), (5, 1))
    case = case_of_run(narrow, 20, "1/20")
    grown, least = shares(local_runs(auto_tuned, case), case)
    assert Fraction(int(least.p), int(least.q)) >= Fraction(1, 4)
    assert least in (grown, 1 - grown)
    assert check_claim(BY_ID["B7-both@explicit"], case).status == "holds"
    round_one = case_of_run(line((1,)), 20, "1/20")
    assert shares(local_runs(auto_tuned, round_one), round_one)[0] < fmpq(1, 2)


def test_only_what_is_told_is_called_exact() -> None:
    # theta_0 = 8: the caps 3 and 2 are rational, the next one is not
    for n, evidence in ((2, "exact"), (3, "numerical")):
        verdict = check_claim(BY_ID["R1@explicit"], case_of_run(huber(1000), n, "1/10", 8))
        assert (verdict.status, verdict.evidence) == ("holds", evidence)
        assert attained(verdict)


# Units ------------------------------------------------------------------------------------------------------------------


@given(strategies_rule.other_units())
@settings(max_examples=15)
def test_values_and_gradients_follow_the_units(case: Case) -> None:
    one = instance_of(case, InOtherUnits)
    x = one.image(np.array([fmpq(v.numerator, v.denominator) for v in one.clients.start] + [None], dtype=object)[:-1])
    scale = fmpq(Fraction(one.objective).numerator, Fraction(one.objective).denominator)
    here = one.clients.objectives[0].value(np.array([fmpq(v.numerator, v.denominator) for v in one.clients.start]))
    there = one.moved.objectives[0].value(x)
    assert abs(to_float(arb(scale * here - there))) <= 1e-12 * (1 + abs(to_float(arb(there))))


def test_what_is_not_moved_is_refused() -> None:
    for clients, more in (
        (huber(3), {"turn": ((2,),)}),
        (ConvexClients(CURVES.objectives, CURVES.start), {"objective": 2}),
        (CURVES, {"shift": (1, 0)}),
        (ConvexClients(rule.SLOPES.objectives, (1, 1)), {"turn": ((0, 1), (-1, 0))}),
        (APART, {"length": 0}),
        (APART, {"shift": (1,)}),
    ):
        with pytest.raises(ValueError, match=r"orthogonal|scaled|turned|positive|coordinates"):
            InOtherUnits(clients, **more)


@given(
    st.sampled_from(BATCHES),
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(-3, 3),
    st.sampled_from([1, 3]),
    st.booleans(),
)
@settings(max_examples=15)
def test_algorithm_1_with_noise_follows_the_units(
    batches: Batches, objective: int, length: int, shift: int, noise: int, wrong: bool
) -> None:
    """f -> c f((x - s)/lambda): curvatures c/lambda², slopes c/lambda - h s, noise c/lambda, eta_0 lambda²/c."""
    algorithm = federated_averaging(adaptive_optimiser(auto_tuned, batches))
    c, scale = Fraction(objective), Fraction(length)
    curvatures, slopes, start = (2, 5), (1, -3), 4
    new = [h * c / scale**2 for h in curvatures]
    other = [b * c / scale - h * shift for b, h in zip(slopes, new, strict=True)]
    sizes = {"n_rounds": 3, "n_local_steps": 3, "amplifier": 2, "growth_damping": "1/10", "initial_ratio": 1}
    here = Case(QuadraticClients(curvatures, slopes, start, noise_std=noise), initial_step_size="1/10", **sizes)
    eta = Fraction(1, 10) * scale**2 / c * (2 if wrong else 1)
    moved = QuadraticClients(new, other, start * scale + shift, noise_std=noise * c / scale)
    one = rollout(algorithm, here, 8)
    two = rollout(algorithm, Case(moved, initial_step_size=eta, **sizes), 8)
    assert np.allclose(one * length + shift, two, rtol=1e-8, atol=1e-8) != wrong


def test_log_cosh_can_be_turned() -> None:
    curves = ConvexClients((LogCosh(((1, 2),)),), (1, 1))
    turned = InOtherUnits(curves, 1, 1, ((0, 1), (-1, 0))).moved
    assert turned.objectives[0].features == ((2, -1),)
    assert turned.start == (1, -1)


def test_a_rule_of_ones_own_keeps_its_name_and_loses_its_twin() -> None:
    assert isinstance(auto_tuned, StepRule)
    assert auto_tuned._replace(step=copied).exact is None
