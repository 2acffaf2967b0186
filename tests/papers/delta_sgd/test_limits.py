"""Theorem 1 for rules and instances that its claims are not about: no verdict, with the reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import cast

import numpy as np
import pytest
from sympy import Rational

from fltheory.claims.catalogue import claims_of_paper
from fltheory.claims.check import check_claim
from fltheory.model.case import Case, FederatedInstance
from fltheory.papers.delta_sgd import algorithms as run
from fltheory.papers.delta_sgd.convex.cases import case_of_run, line
from fltheory.papers.delta_sgd.experiments.dealing import Dealt
from fltheory.papers.delta_sgd.instances.clients import HuberClient, MultipleClients
from fltheory.papers.delta_sgd.nonconvex import claims
from fltheory.papers.delta_sgd.nonconvex.closed_forms.measures import MeanSquaredGradient
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.client_optimiser import ClientOptimiser, ClientOracle, adaptive_optimiser, federated_averaging
from fltheory.runs.constants import Constants
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import Oracle
from fltheory.runs.step_rule import StepRule, auto_tuned
from fltheory.verification import find
from tests.papers.claim_checks import stronger

CLAIMS = {c.id.removeprefix("delta_sgd/"): c for c in claims.CLAIMS}
GRADIENT = MeanSquaredGradient()
WIDE = {
    "initial_step_size": "1/100",
    "least_step": "1/100",
    "largest_step": "1/50",
    "initial_ratio": 1,
    "growth_damping": 1,
}


@pytest.mark.parametrize("factor", [3000.0, 1e-9])
@pytest.mark.parametrize("name", ["T1-X@corrected", "T1-X-clipped@corrected", "T1-Y@strengthened", "T1-rate@corrected"])
def test_a_rule_whose_steps_leave_the_limits_is_refused(name: str, factor: float) -> None:
    rule = StepRule("big", lambda lr, ratio, reach, c: lr * factor)
    claim = replace(CLAIMS[name], algorithm=federated_averaging(adaptive_optimiser(rule, "pair")))
    settings = (
        {"growth": "3/2", "initial_ratio": 1, "growth_damping": 1} if "rate" in name else {**WIDE, "amplifier": 1}
    )
    case = Case(MultipleClients.spread(2, "1/10", "1/2"), n_rounds=144, n_local_steps=2, **settings)
    assert check_claim(CLAIMS[name], case).status == "holds"
    verdict = check_claim(claim, case)
    assert (verdict.status, verdict.broken) == ("inapplicable", False)
    assert "leaves [least_step, largest_step]" in verdict.reason


def test_a_rule_whose_steps_stay_within_the_limits_is_judged() -> None:
    rule = StepRule("mine", lambda lr, ratio, reach, c: np.clip(2 * lr, c.least_step, c.largest_step))
    claim = replace(CLAIMS["T1-X-clipped@corrected"], algorithm=federated_averaging(adaptive_optimiser(rule, "pair")))
    assert check_claim(claim, claim.cases[0]).status == "holds"
    mutant = replace(claim, bounds=(stronger(claim.bound, Fraction(1), Fraction(1000)),))
    assert check_claim(mutant, claim.cases[0]).status == "violated"


@pytest.mark.parametrize("rule", [auto_tuned, StepRule("mine", lambda lr, ratio, reach, c: lr)], ids=["own", "mine"])
def test_a_rule_in_place_of_an_algorithm_is_told_what_to_do(rule: StepRule) -> None:
    claim = CLAIMS["T1-X@corrected"]
    with pytest.raises(ValueError, match=r'federated_averaging\(adaptive_optimiser\(rule, "pair"\)\)'):
        replace(claim, algorithm=rule)
    with pytest.raises(VariantError, match="expected an Algorithm"):
        GRADIENT.simulate(cast(Algorithm, rule), claim.cases[0], 0, np.arange(2))


# Steps of optimisers and rounds of one's own -----------------------------------------------------------------------------

LIMITED = (
    "T1-X@corrected",
    "T1-X-exact@corrected",
    "T1-X-clipped@corrected",
    "T1-X-fresh@corrected",
    "T1-Y@strengthened",
    "T1-rate@corrected",
)
LIMIT = "of mine leaves [least_step, largest_step]"


def of_size(times: Callable[[int], float], more: float = 0.0) -> Algorithm:
    """Steps of so many times largest_step along the gradient, and ``more`` of each coordinate."""

    def step(x: np.ndarray, k: int, ask: ClientOracle, c: Constants) -> tuple[np.ndarray, int]:
        return x - times(k) * c.largest_step * ask.gradient(x) - more * x, k + 1

    return federated_averaging(ClientOptimiser("mine", step, lambda x, c: 0))


def in_place() -> Algorithm:
    def step(x: np.ndarray, state: None, ask: ClientOracle, c: Constants) -> tuple[np.ndarray, None]:
        x -= 3 * c.largest_step * ask.gradient(x)
        return x, state

    return federated_averaging(ClientOptimiser("mine", step, lambda x, c: None))


@pytest.mark.parametrize("name", LIMITED)
@pytest.mark.parametrize(
    ("algorithm", "words"),
    [
        (of_size(lambda k: 3), f"round 0, client 0, local step 0: the step 0.* {LIMIT}"),
        (of_size(lambda k: 1 if k == 0 else 3), f"round 0, client 0, local step 1: the step 0.* {LIMIT}"),
        (of_size(lambda k: 1e-9), f"round 0, client 0, local step 0: the step .* {LIMIT}"),
        (of_size(lambda k: -1), f"round 0, client 0, local step 0: the step -0.* {LIMIT}"),
        (in_place(), f"round 0, client 0, local step 0: the step 0.* {LIMIT}"),
        (
            federated_averaging(ClientOptimiser("mine", lambda x, s, ask, c: (x * 0.999, s), lambda x, c: None)),
            "round 0, client 0, local step 0: mine requests no gradient at its point",
        ),
    ],
    ids=["three times", "later", "tiny", "uphill", "in place", "blind"],
)
def test_a_step_outside_the_limits_makes_the_claim_inapplicable(name: str, algorithm: Algorithm, words: str) -> None:
    claim = replace(CLAIMS[name], algorithm=algorithm)
    verdict = check_claim(claim, claim.cases[0])
    assert (verdict.status, verdict.broken) == ("inapplicable", False)
    pattern = re.escape(words).replace(re.escape(".*"), ".*")
    assert re.match(pattern, verdict.reason), verdict.reason


@pytest.mark.parametrize("name", LIMITED)
def test_steps_at_the_limit_are_judged(name: str) -> None:
    claim = replace(CLAIMS[name], algorithm=of_size(lambda k: 1))
    assert check_claim(claim, claim.cases[0]).status == "holds"
    beside = check_claim(replace(claim, algorithm=of_size(lambda k: 1, 1e-4)), PLANE[name])
    assert (beside.status, beside.broken) == ("inapplicable", False)
    assert "does not move along its gradient" in beside.reason or LIMIT in beside.reason


def in_the_plane(case: Case) -> bool:
    return cast(FederatedInstance, case.instance).dim > 1


PLANE = {name: next(filter(in_the_plane, CLAIMS[name].cases), CLAIMS[name].cases[0]) for name in LIMITED}


@pytest.mark.parametrize("name", LIMITED)
def test_a_round_whose_local_steps_are_not_seen_gets_no_verdict(name: str) -> None:
    def step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        return x - c.least_step * sum(oracle.gradient(x, i) for i in range(c.n_clients)) / c.n_clients

    verdict = check_claim(replace(CLAIMS[name], algorithm=run.pair._replace(step=step)), CLAIMS[name].cases[0])
    assert (verdict.status, verdict.broken) == ("inapplicable", False)
    assert "are unknown: build the round with federated_averaging(optimiser)" in verdict.reason
    other = check_claim(replace(CLAIMS[name], algorithm=run.fresh), CLAIMS[name].cases[0])
    assert "no limits of the steps of Delta-SGD, fresh are known" in other.reason


def test_a_hypothesis_on_the_run_is_looked_at_on_the_run_of_the_rule_that_is_judged() -> None:
    """The first cap of this rule's own run is no obstacle to Delta-SGD; the smoothness along its run is smaller."""
    claim = find("delta_sgd/R1-attained@explicit")
    assert check_claim(claim, claim.cases[0]).status == "holds"
    far = StepRule("far", lambda lr, ratio, reach, c: lr * 1e4)
    verdict = check_claim(replace(claim, algorithm=far), claim.cases[0])
    assert verdict.status == "inapplicable"
    assert "their gradients stay the same: a gradient changes along the run" in verdict.reason


@pytest.mark.parametrize("name", ["T1-units@printed", "T1-eps@strict"])
def test_the_closed_form_is_for_a_parabola(name: str) -> None:
    other = check_claim(CLAIMS[name], Case(MultipleClients((1,), 1, 10, 10), n_rounds=10**8, n_local_steps=1))
    assert other.status == "inapplicable"
    assert "about HuberClient" in other.reason
    assert "not about MultipleClients" in other.reason
    assert check_claim(CLAIMS[name], Case(HuberClient(10), n_rounds=10**8, n_local_steps=1)).status == "violated"


def test_more_clients_than_there_are_can_not_take_part() -> None:
    claim = find("delta_sgd/T1-P@corrected")
    verdict = check_claim(claim, claim.cases[0].with_settings(n_participating=9))
    assert verdict.status == "inapplicable"
    assert not verdict.broken
    assert "more clients take part than there are" in verdict.reason


@pytest.mark.parametrize("part", ["T1-", "T5-", "FP", "R", "L4-", "V-"])
def test_a_setting_that_is_not_given_is_named(part: str) -> None:
    """Whatever a hypothesis reads: no claim breaks where a case lacks one of its settings."""
    for claim in claims_of_paper("delta_sgd"):
        if claim.id.startswith(f"delta_sgd/{part}") and claim.entry.recorded == "holds":
            case = claim.cases[0]
            for name in dict(case.settings):
                verdict = check_claim(
                    claim, Case(case.instance, **{k: v for k, v in case.settings if k != name}), stages=(8,)
                )
                assert verdict.status != "violated", str(verdict)
                assert verdict.status != "inapplicable" or verdict.reason


# (43), and how labels are dealt -----------------------------------------------------------------------------------


def test_43_by_hand() -> None:
    """f = x²/2 from 1 at the step 2 with θ_0 = 1: x_1 = -1, η_1 = 1/2, θ_1 = 1/4, x_2 = -1/2, S_1 = 5/8, D = 1 + 2 + 1/8."""
    case = case_of_run(line((1,)), 1, 2, 1)
    d = Fraction(25, 8)
    printed = (1 + 2 + 2 * Fraction(5, 8) / 2) / d
    mended = (Fraction(1, 4) + Fraction(1, 8) + 2 * Fraction(5, 8) / 2) / d
    for reading, ratio in (("printed", printed), ("corrected", mended)):
        assert check_claim(find(f"delta_sgd/43@{reading}"), case).ratio == pytest.approx(float(ratio), rel=1e-12)


def test_43_is_tight_at_the_end_of_the_run() -> None:
    claim = find("delta_sgd/43@corrected")
    tighter = replace(claim, bounds=(claim.bound.scaled(Rational(99, 100)),))
    assert "violated" in {check_claim(tighter, case).status for case in claim.cases}


def test_the_moments_of_the_labels_are_those_of_an_urn() -> None:
    """Two classes alike at α = 2 are a uniform share: E|q - p|² = 2/12, and of two examples 4/3 classes are expected."""
    one = Dealt((1, 1), 2, 4, 2)
    assert one.distance(2) == Fraction(1, 6)
    assert one.classes(2) == Fraction(4, 3)


@pytest.mark.parametrize("name", ["B9-iid@printed", "B9-classes@printed"])
def test_the_concentration_the_other_way_round_is_false(name: str) -> None:
    claim = find(f"delta_sgd/{name}")
    (bound,) = claim.bounds
    swapped = replace(claim, bounds=(replace(bound, expr=bound.expr / 2),))
    assert "violated" in {check_claim(swapped, case).status for case in claim.cases}
