"""A step is its real formula: what its own rounding may have made in floats is no verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sympy import Expr, Rational

from fltheory import Algorithm, Case, StepRule, find, quantity, theorem
from fltheory.claims.check import check_claim
from fltheory.evidence.validation.rounding import rounding_mode, rounding_modes
from fltheory.evidence.verdict import Verdict
from fltheory.problems import QuadraticClients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance

CASE = Case(QuadraticClients(("1",), ("0",), 1), n_rounds=60, step_size="1/10")
LAST = initial_distance**2 * Rational(9, 10) ** 120  # of a step to 9/10
NEAR = 1 + Rational(1, 10**6)


def in_floats(x: np.ndarray) -> np.ndarray:
    """Nothing exact goes through."""
    return np.array([[float(v) for v in row] for row in x])


STEPS: dict[str, Any] = {
    "shifted": lambda x, o, c: (in_floats(x) + 1e10) * 0.9 - 0.9e10,
    "short": lambda x, o, c: (in_floats(x).astype(np.float32) * np.float32(0.9)).astype(float),
    "cancelled": lambda x, o, c: 0.9 * (np.sqrt(1e16 + in_floats(x)) - 1e8) * 2e8,
    "straight": lambda x, o, c: in_floats(x) * 0.9,
}


def of(step: Any, *holds: Expr) -> Verdict:
    claim = theorem("t", *holds, algorithm=Algorithm("mine", step), measure=LastDistance(), cases=[CASE], key="t")
    return check_claim(claim, CASE)


@pytest.mark.parametrize("name", STEPS)
def test_a_true_bound_is_not_violated_by_the_steps_own_rounding(name: str) -> None:
    above, below = of(STEPS[name], quantity <= LAST * NEAR), of(STEPS[name], quantity >= LAST / NEAR)
    assert {above.status, below.status} == ({"holds"} if name == "straight" else {"inconclusive"})
    if name != "straight":
        assert "rounding" in above.reason


@pytest.mark.parametrize("name", ["shifted", "short", "straight"])
def test_what_is_far_beyond_rounding_is_violated_all_the_same(name: str) -> None:
    assert of(STEPS[name], quantity <= LAST / 10**18).status == "violated"


def test_a_step_that_exact_numbers_follow_is_judged_by_its_formula() -> None:
    def shifted(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return (x + 1e10) * 0.9 - 0.9e10

    assert (of(shifted, quantity <= LAST).status, of(shifted, quantity <= LAST).evidence) == ("holds", "exact")
    assert of(shifted, quantity <= LAST / NEAR).status == "violated"


def tuned(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Any) -> np.ndarray:
    return np.minimum(c.amplifier * reach / 2, np.sqrt(1 + c.growth_damping * ratio) * lr)


@pytest.mark.parametrize(
    "claim_id", ["R1@explicit", "R1-attained@explicit", "R3@explicit", "R4@printed", "R5@explicit"]
)
def test_a_true_bound_of_a_rule_is_not_violated_by_its_rounding(claim_id: str) -> None:
    claim = find(f"delta_sgd/{claim_id}")
    for case in claim.cases[:2]:
        for shift, doubt in ((1e10, {"inconclusive", "holds", "inapplicable"}), (0.0, {"inconclusive", "holds"})):
            rule = StepRule("mine", lambda *given: tuned(*given) + shift - shift)  # noqa: B023 (judged at once)
            assert check_claim(replace(claim, algorithm=rule), case).status in doubt
    doubled = StepRule("mine", lambda *given: 2 * tuned(*given))
    if claim_id == "R1@explicit":
        assert check_claim(replace(claim, algorithm=doubled), claim.cases[0]).status == "violated"


def test_rounding_is_as_before_afterwards() -> None:
    assert len(rounding_modes()) == 3
    with pytest.raises(ValueError, match="mine"), rounding_mode(rounding_modes()[0]):
        raise ValueError("mine")
    assert 1 + 1e-30 == 1 == 1 - 1e-30
