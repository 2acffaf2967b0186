"""Theorem 1 for rules and instances that its claims are not about: no verdict, with the reason."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from claim_checks import stronger

from fltheory.algorithm import VariantError
from fltheory.claim import check, find
from fltheory.client_optimiser import adaptive, federated
from fltheory.instance import Case
from fltheory.papers import of_paper
from fltheory.papers.delta_sgd.claims import nonconvex
from fltheory.papers.delta_sgd.instances import HuberClient, MultipleClients
from fltheory.papers.delta_sgd.measures import MeanSquaredGradient
from fltheory.step_rule import StepRule, auto_tuned

CLAIMS = {c.id.removeprefix("delta_sgd/"): c for c in nonconvex.CLAIMS}
GRADIENT = MeanSquaredGradient()
WIDE = {
    "initial_step_size": "1/100",
    "least_step": "1/100",
    "largest_step": "1/50",
    "initial_ratio": 1,
    "growth_damping": 1,
}


@pytest.mark.parametrize("factor", [3000.0, 1e-9])
@pytest.mark.parametrize("name", ["T1-X@corrected", "T1-X-clipped@corrected", "T1-Y@sharpened", "T1-rate@corrected"])
def test_a_rule_whose_steps_leave_the_limits_is_refused(name: str, factor: float) -> None:
    rule = StepRule("big", lambda lr, ratio, reach, c: lr * factor)
    claim = replace(CLAIMS[name], algorithm=federated(adaptive(rule, "pair")))
    settings = (
        {"growth": "3/2", "initial_ratio": 1, "growth_damping": 1} if "rate" in name else {**WIDE, "amplifier": 1}
    )
    case = Case(MultipleClients.spread(2, "1/10", "1/2"), n_rounds=144, n_local_steps=2, **settings)
    assert check(CLAIMS[name], case).status == "holds"
    verdict = check(claim, case)
    assert (verdict.status, verdict.broken) == ("inapplicable", True)
    assert "leaves [least_step, largest_step]" in verdict.reason


def test_a_rule_whose_steps_stay_within_the_limits_is_judged() -> None:
    rule = StepRule("mine", lambda lr, ratio, reach, c: np.clip(2 * lr, c.least_step, c.largest_step))
    claim = replace(CLAIMS["T1-X-clipped@corrected"], algorithm=federated(adaptive(rule, "pair")))
    assert check(claim, claim.cases[0]).status == "holds"
    mutant = replace(claim, bounds=(stronger(claim.bound, Fraction(1), Fraction(1000)),))
    assert check(mutant, claim.cases[0]).status == "violated"


@pytest.mark.parametrize("rule", [auto_tuned, StepRule("mine", lambda lr, ratio, reach, c: lr)], ids=["own", "mine"])
def test_a_rule_in_place_of_an_algorithm_is_told_what_to_do(rule: StepRule) -> None:
    claim = replace(CLAIMS["T1-X@corrected"], algorithm=rule)
    verdict = check(claim, claim.cases[0])
    assert (verdict.status, verdict.broken) == ("inapplicable", True)
    assert 'federated(adaptive(rule, "pair"))' in verdict.reason
    with pytest.raises(VariantError, match="expected an Algorithm"):
        GRADIENT.simulate(rule, claim.cases[0], 0, np.arange(2))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["T1-units@printed", "T1-eps@printed"])
def test_the_closed_form_is_for_a_parabola(name: str) -> None:
    other = check(CLAIMS[name], Case(MultipleClients((1,), 1, 10, 10), n_rounds=10**8, n_local_steps=1))
    assert other.status == "inapplicable"
    assert "about HuberClient" in other.reason
    assert "not about MultipleClients" in other.reason
    assert check(CLAIMS[name], Case(HuberClient(10), n_rounds=10**8, n_local_steps=1)).status == "violated"


def test_more_clients_than_there_are_can_not_take_part() -> None:
    claim = find("delta_sgd/T1-P@corrected")
    verdict = check(claim, claim.cases[0].with_settings(n_participating=9))
    assert verdict.status == "inapplicable"
    assert not verdict.broken
    assert "more clients take part than there are" in verdict.reason


@pytest.mark.parametrize("part", ["T1-", "T5-", "FP", "R", "L4-", "V-"])
def test_a_setting_that_is_not_given_is_named(part: str) -> None:
    """Whatever a hypothesis reads: no claim breaks where a case lacks one of its settings."""
    for claim in of_paper("delta_sgd"):
        if claim.id.startswith(f"delta_sgd/{part}") and claim.expected == "holds":
            case = claim.cases[0]
            for name in dict(case.settings):
                verdict = check(
                    claim, Case(case.instance, **{k: v for k, v in case.settings if k != name}), stages=(8,)
                )
                assert verdict.status != "violated", str(verdict)
                assert verdict.status != "inapplicable" or verdict.reason
